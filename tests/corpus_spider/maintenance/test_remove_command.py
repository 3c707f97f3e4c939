"""`remove` on a real corpus: database and archive contain nothing of the text, also after a kill at any moment."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from warcio.archiveiterator import ArchiveIterator

from corpus_spider.cli import app
from corpus_spider.config.loader import load
from corpus_spider.maintenance import remove as removal
from corpus_spider.maintenance.removal_report import RemovalReport, letter
from corpus_spider.maintenance.removal_requests import requests_of
from corpus_spider.maintenance.remove import older_copies, remove
from storage import Corpus
from storage.consistency import INTERRUPTED
from storage.documents.selection import Selection
from storage.errors import ConfigError
from storage.removal.affected_pages import RemovalRequest, RequestKind
from storage.warc.redact import next_name
from storage.warc.scan import scan
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, paragraphs, served
from tests.corpus_spider.running import PATIENCE, environment, program, run

if TYPE_CHECKING:
    from pathlib import Path

EVERY = Selection(include_duplicates=True, versions="all")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawled")
    with served(Newspaper(articles=8)) as paper:
        (folder / "corpus.toml").write_text(corpus_toml(paper))
        assert run(folder, "crawl").returncode == 0
        assert run(folder, "crawl", "--now").returncode == 0
    return folder


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    shutil.copytree(crawled, tmp_path / "corpus")
    return tmp_path / "corpus"


def texts(folder: Path) -> dict[str, str]:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        return {document.url: document.text for document in corpus.documents(EVERY)}


def archived(folder: Path) -> bytes:
    """Return what every record of the archive holds, inflated, bodies too."""
    return b"".join(inflated(path) for path in (folder / "warc").glob("*.warc.gz"))


def inflated(path: Path) -> bytes:
    with path.open("rb") as file:
        return b"".join(record.content_stream().read() for record in ArchiveIterator(file))


def words_of(folder: Path, index: int) -> tuple[str, bytes]:
    """Return the address of an article and a passage that is in no other."""
    passage = paragraphs(index)[2][5:60]
    return next(url for url, text in texts(folder).items() if passage in text), passage.encode()


def test_nothing_of_a_removed_text_is_left_anywhere(folder: Path) -> None:
    """Not in the files of the database, not in the WARC files; the rest of both is as it was, and it stays away."""
    url, passage = words_of(folder, 3)
    before, database = texts(folder), folder / "corpus.db"
    assert passage in database.read_bytes()
    assert passage in archived(folder)
    planned = json.loads(
        run(folder, "remove", "--yes", "--url", url, "--reason", "asked", "--dry-run", "--json").stdout
    )
    assert texts(folder) == before
    done = run(folder, "remove", "--yes", "--url", url, "--reason", "asked", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["documents"] == planned["documents"] != []
    assert report["records"] == 2 * report["fetches"]
    for path in folder.rglob("*"):
        assert not path.is_file() or passage not in path.read_bytes(), path
    assert passage not in archived(folder)
    assert texts(folder) == {key: text for key, text in before.items() if key != url}
    deep = run(folder, "check", "--deep", "--json")
    assert json.loads(deep.stdout)["removed_documents"] == 1
    assert json.loads(deep.stdout)["problems"] == []
    assert run(folder, "reextract").returncode == 0
    assert url not in texts(folder)
    assert json.loads(run(folder, "check", "--json").stdout)["problems"] == []


@pytest.mark.parametrize("step", range(1, 6))
def test_killed_between_any_two_steps_it_is_finished_by_the_next_call(folder: Path, step: int) -> None:
    """After the declaration, the withdrawal, the new file, the move of the pointers, the deletion of the old file."""
    url, passage = words_of(folder, 3)
    killed = run(
        folder, "remove", "--yes", "--url", url, "--reason", "asked", CORPUS_SPIDER_FAILPOINT=f"in_removal:{step}"
    )
    assert killed.returncode == -9
    for done in (run(folder, "check", "--json"), run(folder, "check", "--deep", "--json")):
        assert (done.returncode, [INTERRUPTED in each for each in json.loads(done.stdout)["problems"]]) == (6, [True])
    assert run(folder, "remove").returncode == 0
    assert passage not in archived(folder)
    assert passage not in (folder / "corpus.db").read_bytes()
    assert json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"] == []
    assert run(folder, "remove").stdout.startswith("There is no new request.")


@pytest.mark.parametrize("lost", [False, True])
def test_a_removal_whose_file_is_missing_is_finished_when_it_is_back(folder: Path, lost: bool) -> None:
    """The folder was not mounted: "Emptied: 1 original", exit code 0, and the text came back with the file."""
    url, passage = words_of(folder, 3)
    files = [file for file in (folder / "warc").glob("*.warc.gz") if passage in inflated(file)]
    away = [(file, file.rename(folder / file.name)) for file in files]
    asked = run(folder, "remove", "--yes", "--url", url, "--reason", "asked")
    assert (asked.returncode, "cannot be found" in asked.stdout) == (3, True)
    assert "Emptied: 1 original" not in asked.stdout
    assert run(folder, "remove", "--json").returncode == 3
    if lost:
        assert run(folder, "remove", "--lost").returncode == 0
        return
    for file, at in away:
        at.rename(file)
    back = json.loads(run(folder, "remove", "--json").stdout)
    assert (back["records"], back["missing"]) == (2, [])
    assert passage not in archived(folder)
    assert json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"] == []


def test_originals_in_a_file_that_is_still_written_are_emptied_by_the_next_call(folder: Path) -> None:
    """By a crawl of a site that has just been added, say; they were taken for gone, and stayed."""
    url, passage = words_of(folder, 3)
    for path in (folder / "warc").glob("*.warc.gz"):
        path.rename(f"{path}.open")
    written = [os.open(path, os.O_RDONLY) for path in (folder / "warc").glob("*.open")]
    for descriptor in written:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    refused = run(folder, "remove", "--yes", "--url", url, "--reason", "asked")
    assert (refused.returncode, "When it has ended" in refused.stderr) == (5, True), refused.stderr
    for descriptor in written:
        os.close(descriptor)
    assert run(folder, "remove").returncode == 0
    assert list(texts(folder)) != []
    assert passage not in archived(folder)
    assert archived(folder) != b""


def test_the_emptied_records_are_still_records(folder: Path) -> None:
    """Same type, id, address and date; a status line and nothing else; the file has a name of its own."""
    url, _ = words_of(folder, 3)
    names = {path.name for path in (folder / "warc").glob("*.warc.gz")}
    report = json.loads(run(folder, "remove", "--yes", "--url", url, "--reason", "asked", "--json").stdout)
    assert {next_name(name) for name in names} >= set(report["files"])
    found = [record for name in report["files"] for record in scan(folder / "warc" / name)]
    assert all(record.ok for record in found)
    removed = [record for record in found if record.uri == url]
    assert {record.type for record in removed} == {"response", "request"}
    assert {record.length for record in removed if record.length > 700} == set()


def test_what_was_emptied_is_not_read_when_texts_are_rebuilt(folder: Path) -> None:
    """A page that was found unchanged is a revisit of an original that is there no more: that is no damage."""
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        visits = [fetch for fetch in corpus.fetches(sites=["newspaper"]) if fetch.lease]
    revisited = next(visit.lease.url for visit in visits if visit.original and visit.lease)
    assert run(folder, "remove", "--yes", "--url", revisited, "--reason", "asked").returncode == 0
    done = run(folder, "reextract", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["unreadable"] == 0


def test_originals_that_went_by_rule_need_no_emptying(folder: Path) -> None:
    """A file that the archive's rules removed stays removed, and one that is gone hinders nothing."""
    url, _ = words_of(folder, 3)
    with Corpus.open(folder / "corpus.db") as corpus:
        found = corpus.documents.find(url)
        assert found
        corpus.warc.remove(found.warc, "older than 1 days")
    done = run(folder, "remove", "--yes", "--url", url, "--reason", "asked", "--json")
    assert done.returncode == 0, done.stderr
    assert not (folder / "warc" / found.warc).exists()
    assert not (folder / "warc" / next_name(found.warc)).exists()
    assert json.loads(run(folder, "check", "--json").stdout)["problems"] == []


def test_an_unknown_id_is_refused_and_a_removed_one_said_to_be(folder: Path) -> None:
    """A mistyped id must not look like a removal."""
    unknown = run(folder, "remove", "--yes", "--id", "0" * 32, "--reason", "asked")
    assert (unknown.returncode, "the field `id` of an export" in unknown.stderr) == (2, True)
    url, _ = words_of(folder, 3)
    report = json.loads(run(folder, "remove", "--yes", "--url", url, "--reason", "asked", "--json").stdout)
    again = run(folder, "remove", "--yes", "--id", report["documents"][0], "--reason", "asked")
    assert (again.returncode, "was removed already" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"url": "http://News.example/a?utm_source=x#b"}, (RequestKind.URL, "http://news.example/a")),
        ({"url": "news.example/a"}, (RequestKind.URL, "https://news.example/a")),
        ({"url": "http://localhost:8000/a"}, (RequestKind.URL, "http://localhost:8000/a")),
        ({"domain": "https://www.News.example/x"}, (RequestKind.DOMAIN, "news.example")),
        ({"domain": "news.example:8080"}, (RequestKind.DOMAIN, "news.example")),
        ({"domain": " WWW.News.Example. "}, (RequestKind.DOMAIN, "news.example")),
        ({"domain": "Báo.example"}, (RequestKind.DOMAIN, "xn--bo-mia.example")),
        ({"domain": "XN--BO-MIA.example"}, (RequestKind.DOMAIN, "xn--bo-mia.example")),
        ({"domain": "www.gov.uk"}, (RequestKind.DOMAIN, "www.gov.uk")),
        ({"domain": "user@[2001:DB8:0::1]:80"}, (RequestKind.DOMAIN, "[2001:db8::1]")),
        ({"id": "ABC"}, (RequestKind.ID, "abc")),
        ({"author": " An  Nguyen "}, (RequestKind.AUTHOR, "An  Nguyen")),
    ],
)
def test_what_is_named_is_brought_into_the_form_the_corpus_has(
    given: dict[str, str], expected: tuple[RequestKind, str]
) -> None:
    options = {kind: [value] for kind, value in given.items()}
    assert requests_of(options, None, " asked ", duplicates=True) == [RemovalRequest(*expected, "asked", True)]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"url": "http://"}, "asked"),
        ({"url": "notaurl"}, "asked"),
        ({"url": "not a url"}, "asked"),
        ({"domain": "com.vn"}, "asked"),
        ({"domain": "https://CO.UK./"}, "asked"),
        ({"domain": "vn"}, "asked"),
        ({"domain": "*.news.example"}, "asked"),
        ({"id": "x"}, " "),
        ({"id": "x"}, None),
    ],
)
def test_half_a_request_is_refused(given: dict[str, str], reason: str | None) -> None:
    with pytest.raises(ConfigError):
        requests_of({kind: [value] for kind, value in given.items()}, None, reason, duplicates=False)


def test_a_file_lists_requests_of_every_kind(tmp_path: Path) -> None:
    """A request a line, with a reason of its own after a tab; an address needs no kind; a repeated one counts once."""
    listed = tmp_path / "requests.txt"
    listed.write_text(
        "\ufeff# of the publisher\n\nhttps://a.example/x\nurl\thttps://a.example/y\tasked by phone\n"
        "Domain  www.B.example \t\nid ABC\nauthor Nguyễn Văn A\r\nurl https://a.example/x\n",
        encoding="utf-8",
    )
    found = requests_of({"url": ["https://a.example/z"]}, listed, "asked", duplicates=False)
    assert [(request.kind, request.value, request.reason) for request in found] == [
        (RequestKind.URL, "https://a.example/z", "asked"),
        (RequestKind.URL, "https://a.example/x", "asked"),
        (RequestKind.URL, "https://a.example/y", "asked by phone"),
        (RequestKind.DOMAIN, "b.example", "asked"),
        (RequestKind.ID, "abc", "asked"),
        (RequestKind.AUTHOR, "Nguyễn Văn A", "asked"),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"url notaurl", "no address of a page"),
        (b"site paper", "no request for removal"),
        (b"url", "no request for removal"),
        (b"domain com.vn", "every domain"),
        (b"author \xff", "not UTF-8"),
        (b"url https://a.example/missing", "nothing in the corpus matches"),
        (b"id 00000000000000000000000000000000", "no document has this id"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_removed(folder: Path, line: bytes, words: str) -> None:
    """Whether it cannot be read or matches nothing; the good lines before it change nothing either."""
    before = (folder / "corpus.db").read_bytes()
    (folder / "requests.txt").write_bytes(f"url {words_of(folder, 3)[0]}\n".encode() + line + b"\n")
    refused = run(folder, "remove", "--yes", "--from", "requests.txt", "--reason", "asked")
    assert refused.returncode == 2
    assert "requests.txt:2" in refused.stderr
    assert words in refused.stderr
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        assert corpus.removals.documents() == []
    assert (folder / "corpus.db").read_bytes() == before


def test_many_requests_are_one_pass_and_each_has_its_removal(folder: Path) -> None:
    """Each WARC file is rewritten once; each request can be lifted alone, and what another blocks stays blocked."""
    passages = dict(words_of(folder, index) for index in (2, 3, 4))
    first, second, third = passages
    (folder / "requests.txt").write_text(f"{first}\nurl {second}\tasked by phone\n")
    named = ("--from", "requests.txt", "--url", third, "--reason", "asked")
    planned = json.loads(run(folder, "remove", "--dry-run", "--json", *named).stdout)
    done = run(folder, "remove", "--yes", "--json", *named)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [(each["value"], each["reason"]) for each in report["requests"]] == [
        (third, "asked"),
        (first, "asked"),
        (second, "asked by phone"),
    ]
    assert len(report["documents"]) == 3
    assert report["documents"] == sorted(each["documents"][0] for each in report["requests"])
    assert len(planned["files"]) == len(report["files"]) == len(list((folder / "warc").glob("*-r1.warc.gz")))
    assert planned["estimate"]["rewritten"] > (folder / "corpus.db").stat().st_size
    assert planned["estimate"]["free"] > planned["estimate"]["room"] > (folder / "corpus.db").stat().st_size
    for passage in passages.values():
        assert passage not in archived(folder)
        assert passage not in (folder / "corpus.db").read_bytes()
    assert json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"] == []
    assert run(folder, "remove", "--undo", str(report["requests"][1]["removal"])).returncode == 0
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        assert corpus.removals.kept_away([first, second, third]) == {second, third}


def test_a_deferred_removal_is_finished_by_the_next_call(folder: Path) -> None:
    """Texts and originals are gone at once. The rewriting of the file is left, and said to be, until it is done."""
    url, passage = words_of(folder, 3)
    pages = (folder / "corpus.db").stat().st_size
    named = ("--url", url, "--reason", "asked", "--defer-vacuum")
    planned = json.loads(run(folder, "remove", "--dry-run", "--json", *named).stdout)
    assert 0 < planned["estimate"]["rewritten"] < pages
    done = run(folder, "remove", "--yes", *named)
    assert done.returncode == 0, done.stderr
    assert "corpus.db was not rewritten" in done.stdout
    assert "`corpus-spider remove` rewrites it" in done.stdout
    assert url not in texts(folder)
    assert passage not in archived(folder)
    checked = run(folder, "check", "--deep", "--json")
    assert (checked.returncode, json.loads(checked.stdout)["problems"]) == (0, [])
    reminder = [note for note in json.loads(checked.stdout)["notes"] if "`corpus-spider remove`" in note]
    assert len(reminder) == 1
    refused = run(folder, "remove", "--undo", "1")
    assert (refused.returncode, "was deferred" in refused.stderr) == (2, True)
    finished = run(folder, "remove")
    assert "Earlier removals are finished" in finished.stdout
    assert passage not in (folder / "corpus.db").read_bytes()
    notes = json.loads(run(folder, "check", "--json").stdout)["notes"]
    assert not [note for note in notes if "`corpus-spider remove`" in note]
    assert run(folder, "remove", "--undo", "1").returncode == 0


def test_a_sites_name_is_not_taken_for_its_domain(tmp_path: Path) -> None:
    """Otherwise nothing would be removed and the report would say the opposite; the domain is named."""
    (tmp_path / "corpus.toml").write_text(
        "[corpus]\ncontact='a@b.example'\n[[site]]\nname='paper'\nstart=['https://news.example/']"
    )
    Corpus.open(tmp_path / "corpus.db", create=True).close()
    requests = requests_of({"domain": ["paper"]}, None, "asked", duplicates=False)
    with pytest.raises(ConfigError, match="is the name of a site") as refused:
        remove(load(tmp_path / "corpus.toml"), *requests, dry_run=True)
    assert refused.value.do == "Name its domain: news.example."


def test_the_letter_says_what_was_done_and_what_is_left_to_do() -> None:
    """Who asked reads how many texts went, their ids, who repeats them and which copies are older."""
    report = RemovalReport("url", "https://a.example/x", "asked", "2026-03-01", documents=["f" * 32])
    report.alike, report.copies = ["https://b.example/y"], ["corpus.db.before-0006"]
    text = letter(report)
    for words in ("2026-03-01", "asked", "f" * 32, "https://b.example/y", "corpus.db.before-0006", "1 text,"):
        assert words in text
    report.fetches, report.records = 2, 4
    assert "Emptied: 2 originals." in letter(report)
    assert "Emptied in the archive: 4 records, including requests, in 0 files" in letter(report)
    planned = RemovalReport("url", "https://a.example/x", dry_run=True, pages=1, documents=["f" * 32], fetches=2)
    assert "remove 1 text of 1 address (url https://a.example/x) and empty 2 originals" in letter(planned)
    planned.documents = []
    assert "check the spelling" in letter(planned)
    assert "Earlier removals are finished: 0 WARC files rewritten" in letter(RemovalReport())
    assert "0 WARC files have originals left to empty" in letter(RemovalReport(dry_run=True))
    assert "1 WARC file has originals left to empty" in letter(RemovalReport(dry_run=True, files=["a"]))
    assert "Pages without a text were not searched" in letter(RemovalReport("author", "Ann", "asked", "2026-03-01"))


def test_a_removal_that_is_interrupted_says_how_to_finish_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It said that it was stopped, and the text was in its file still; one that changes nothing leaves nothing."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(removal, "remove", interrupted)
    asked = ["-c", str(folder), "remove", "--yes", "--url", "https://a.example/x", "--reason", "asked"]
    for options, left in (([], True), (["--dry-run"], False)):
        assert app.run([*asked, *options]) == 11
        assert ("`corpus-spider remove` finishes it" in capsys.readouterr().err) is left


def test_without_a_terminal_nothing_is_removed_unless_yes_is_said(folder: Path) -> None:
    """The plan is shown, and the exit code is 2."""
    url, _ = words_of(folder, 3)
    before = texts(folder)
    refused = run(folder, "remove", "--url", url, "--reason", "asked", "--json")
    assert (refused.returncode, refused.stdout, texts(folder)) == (2, "", before)
    assert "This would remove 1 text of 1 address" in refused.stderr
    assert "Add --yes" in refused.stderr


@pytest.mark.parametrize(("answer", "removed", "code"), [("n", False, 0), ("", False, 0), ("y", True, 0)])
def test_on_a_terminal_a_removal_is_shown_and_asked_for(folder: Path, answer: str, removed: bool, code: int) -> None:
    """Enter alone means no."""
    url, _ = words_of(folder, 3)
    ours, theirs = os.openpty()
    try:
        os.write(ours, f"{answer}\n".encode())
        done = subprocess.run(
            program("remove", "--url", url, "--reason", "asked"),
            cwd=folder,
            env=environment(),
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (done.returncode, url not in texts(folder)) == (code, removed), done.stderr
    assert "This would remove 1 text" in done.stderr
    assert "Remove it?" in done.stderr


def test_a_request_that_matches_nothing_changes_nothing_without_future(folder: Path) -> None:
    """It is misspelled, or it is about the future: then the address is blocked, and a crawl leaves it out."""
    asked = ("remove", "--yes", "--url", "https://news.example/not-there", "--reason", "asked")
    assert "`--future`" in run(folder, *asked, "--dry-run").stdout
    refused = run(folder, *asked)
    assert refused.returncode == 2
    assert "nothing in the corpus matches" in refused.stderr
    assert "--future" in refused.stderr
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        assert corpus.removals.kept_away(["https://news.example/not-there"]) == set()
    assert run(folder, *asked, "--future").returncode == 0
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        assert corpus.removals.kept_away(["https://news.example/not-there"]) == {"https://news.example/not-there"}


def test_a_lifted_removal_brings_no_text_back_until_a_crawl_does(tmp_path: Path) -> None:
    """Its tombstones are gone, its record stays, and those of another removal still hold."""
    with served(Newspaper(articles=6)) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        assert run(tmp_path, "crawl").returncode == 0
        before = texts(tmp_path)
        first, second = (f"{paper.origin}/article/{number}" for number in (1, 2))
        numbers = []
        for url in (first, second):
            done = run(tmp_path, "remove", "--yes", "--url", url, "--reason", "asked", "--json")
            numbers.append(json.loads(done.stdout)["removal"])
        lifted = run(tmp_path, "remove", "--undo", str(numbers[0]), "--reason", "a mistake")
        assert lifted.returncode == 0, lifted.stderr
        assert "return only by a new crawl" in lifted.stdout
        assert first not in texts(tmp_path)
        assert json.loads(run(tmp_path, "check", "--json").stdout)["problems"] == []
        assert run(tmp_path, "crawl", "--now").returncode == 0
    assert texts(tmp_path) == {url: text for url, text in before.items() if url != second}
    assert json.loads(run(tmp_path, "check", "--deep", "--json").stdout)["problems"] == []
    for number, words in ((numbers[0], "was lifted on"), (99, f"can be lifted: {numbers[1]}")):
        again = run(tmp_path, "remove", "--undo", str(number))
        assert (again.returncode, words in again.stderr) == (2, True), again.stderr


def test_what_is_removed_again_is_said_to_be_gone_already(folder: Path) -> None:
    """The message once said that the address was misspelled, and that its originals would be emptied again."""
    config = load(folder / "corpus.toml")
    request = RemovalRequest(RequestKind.URL, words_of(folder, 3)[0], "asked")
    reported: list[tuple[str, int, int | None]] = []
    done = remove(config, request, on_progress=lambda *each: reported.append(each))
    assert (done.before, len(done.documents)) == ("", 1)
    steps = ["requests looked up", "pages withdrawn", "WARC files rewritten", "rewriting the database file"]
    assert [step for step, _, _ in reported if not step.startswith("recurring")] == steps
    for dry_run in (True, False):
        again = remove(config, request, dry_run=dry_run)
        assert (again.before, again.documents, again.fetches) == (done.day, [], 0)
        assert f"the same was removed on {done.day}." in letter(again)
    unknown = remove(config, RemovalRequest(RequestKind.URL, "https://a.example/x", "asked"), future=True)
    assert "It is kept out from now on." in letter(unknown)


def test_copies_of_a_database_of_any_name_are_reported(tmp_path: Path) -> None:
    """Brackets in it were taken for a pattern, and copies with removed content were not reported."""
    for name in ("a[1].db", "a[1].db.before-0017-from-0015", "a1.db.before-0016-from-0015"):
        (tmp_path / name).touch()
    (tmp_path / "corpus.toml").write_text('[corpus]\ndatabase = "sqlite:///a[1].db"\n')
    assert older_copies(load(tmp_path / "corpus.toml")) == [str(tmp_path / "a[1].db.before-0017-from-0015")]


@pytest.mark.parametrize("late", [False, True])
def test_an_archive_that_the_database_does_not_know_is_emptied_too(tmp_path: Path, late: bool) -> None:
    """A file of before the removal, put back: of a form for phones, which the corpus knows by another address than it
    was to be removed, it kept the text, without a message.
    """
    html = {"Content-Type": "text/html; charset=utf-8"}
    with served(Newspaper(articles=3, extra={"/amp/story-30": lambda: (200, html, article(30))})) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        assert run(tmp_path, "crawl").returncode == 0
    named = ("--yes", "--url", f"{paper.origin}/story-30", "--reason", "asked")
    (path,) = (tmp_path / "warc").glob("*.warc.gz")
    old = path.read_bytes()
    if late:
        assert run(tmp_path, "remove", *named).returncode == 0
    path.with_name(path.name.replace("-00001.", "-00009.")).write_bytes(old)
    assert paragraphs(30)[2].encode() in archived(tmp_path)
    assert run(tmp_path, "remove", *(() if late else named)).returncode == 0
    assert paragraphs(30)[2].encode() not in archived(tmp_path)
    assert paragraphs(1)[2].encode() in archived(tmp_path)


def test_a_removed_text_that_is_put_back_is_found_and_taken_out_again(folder: Path) -> None:
    """Under another id, at an address that only few servers tell apart, its row changed to look like any other; or its
    original alone, in a file of its own.
    """
    url, passage = words_of(folder, 3)
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        found = corpus.documents.find(url)
    assert found
    path, database = folder / "warc" / found.warc, folder / "corpus.db"
    old = path.read_bytes()
    kept = folder.parent / "kept.db"
    shutil.copy(database, kept)
    assert run(folder, "remove", "--yes", "--url", url, "--reason", "asked").returncode == 0
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("ATTACH ? AS kept", [str(kept)])
        (other,) = connection.execute("SELECT id FROM document ORDER BY id LIMIT 1").fetchone()
        connection.execute(
            "UPDATE document_text SET text = (SELECT text FROM kept.document_text t JOIN kept.document d"
            " ON d.id = t.document_id JOIN kept.url u ON u.id = d.url_id WHERE u.url = ?) WHERE document_id = ?",
            [url, other],
        )
        like = f"{url}/index.html"
        connection.execute(
            "UPDATE url SET url = ? WHERE id = (SELECT url_id FROM document WHERE id = ?)", [like, other]
        )
        connection.commit()
    shallow = json.loads(run(folder, "check", "--json").stdout)["problems"]
    assert [problem for problem in shallow if like in problem and "in the corpus again" in problem]
    done = run(folder, "remove")
    assert "1 text deleted" in done.stdout
    assert passage not in database.read_bytes()
    path.write_bytes(old)
    deep = json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"]
    assert [problem for problem in deep if url in problem and "the original of a removed page" in problem]
    assert run(folder, "remove").returncode == 0
    assert passage not in archived(folder)
    assert json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"] == []


def test_an_authors_text_that_an_earlier_program_left_is_found(folder: Path) -> None:
    """And the rules of a removed domain's robots.txt are no text of it."""
    assert run(folder, "remove", "--yes", "--future", "--author", "Ann Lee", "--reason", "asked").returncode == 0
    with closing(sqlite3.connect(folder / "corpus.db")) as connection:
        connection.execute("UPDATE document SET author = 'Dr. Ann Lee' WHERE id IN (SELECT min(id) FROM document)")
        connection.commit()
    assert "in the corpus again" in run(folder, "check").stdout
    assert run(folder, "remove").returncode == 0
    assert json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"] == []
    assert run(folder, "remove", "--yes", "--domain", "127.0.0.1", "--reason", "asked").returncode == 0
    assert json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"] == []
    assert texts(folder) == {}


@pytest.mark.parametrize(
    "damage", ["it and what comes before", "another behind it", "cut off in it", "cut off before it"]
)
def test_damage_in_an_archive_does_not_keep_a_text_there(folder: Path, damage: str) -> None:
    """A range that cannot be read once hid the beginning of the record. Each removal was refused."""
    url, passage = words_of(folder, 3)
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        found = corpus.documents.find(url)
    assert found
    path = folder / "warc" / found.warc
    records, data = list(scan(path)), bytearray(path.read_bytes())
    at = next(at for at, record in enumerate(records) if record.offset == found.warc_offset)
    piece = bytes(data[found.warc_offset + 50 : found.warc_offset + 150])
    if damage.startswith("cut off"):
        del data[found.warc_offset + (found.warc_length // 2 if damage.endswith("in it") else -1) :]
    else:
        for each in (at - 1, at) if damage.startswith("it") else (at + 2, at + 3):
            data[records[each].offset] ^= 0xFF
    path.write_bytes(data)
    done = run(folder, "remove", "--yes", "--url", url, "--reason", "asked")
    assert (done.returncode, done.stderr) == (0, "")
    assert url not in texts(folder)
    (rewritten,) = (folder / "warc").glob("*-r1.warc.gz")
    assert [record for record in scan(rewritten) if record.uri == url and record.length > 700] == []
    assert piece not in rewritten.read_bytes()
    assert not list((folder / "warc").glob("*.tmp"))
    assert "corpus-spider remove" not in run(folder, "check", "--deep").stdout
    assert passage not in (folder / "corpus.db").read_bytes()
