"""Import of pages from foreign WARC files."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.archive.foreign_warc import MOST_OF_HEAD, ArchiveDamage, ForeignPage, SkippedResponse, captures
from corpus_spider.config.loader import load
from corpus_spider.maintenance.warc_import import ImportReport, take_in
from storage.corpus import Corpus
from storage.database.schema import document
from storage.documents.selection import Selection
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, paragraphs, served
from tests.corpus_spider.others_archives import HTML, Answer, archive, wacz
from tests.corpus_spider.running import PATIENCE, run, well

PAPER = "https://paper.example"
CONFIG = """
[corpus]
name = "taken"
database = "{}"

[[site]]
name = "paper"
start = ["https://paper.example/"]
deny = ["/video/"]
"""
PASSED_OVER = ("http_404", "not_html", "undated", "revisit", "no_answer")


def story(number: int, **more: Any) -> Answer:
    return Answer(f"{PAPER}/story/{number}.html", article(number), **more)


def zipped(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(data := io.BytesIO(), "w", method) as collection:
        for name, content in files:
            collection.writestr(name, content)
    return data.getvalue()


@pytest.fixture
def folder(tmp_path: Path, database_url: str) -> Path:
    (tmp_path / "corpus.toml").write_text(CONFIG.format(database_url))
    return tmp_path


def taken(folder: Path, *paths: Path, dry_run: bool = False) -> ImportReport:
    report = ImportReport(dry_run=dry_run)
    take_in(load(folder / "corpus.toml"), paths, report)
    return report


def texts(folder: Path) -> dict[str, str]:
    with Corpus.open(load(folder / "corpus.toml").database_url) as corpus:
        return {each.url.removeprefix(PAPER): each.text for each in corpus.documents()}


def test_a_folder_of_pages_is_imported_as_the_manual_says(folder: Path) -> None:
    """By the lines of Python in docs/how-to/crawling.md, with another address."""
    (folder / "pages").mkdir()
    for number in (1, 2):
        (folder / "pages" / f"{number}.html").write_bytes(article(number))
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "crawling.md").read_text("utf-8")
    lines = page.partition("## Pages that others have crawled")[2].partition("```python\n")[2].partition("```")[0]
    lines = lines.replace("https://news.example.org/", f"{PAPER}/story/")
    subprocess.run([sys.executable, "-c", lines], cwd=folder, check=True, timeout=PATIENCE)
    assert taken(folder, folder / "pages.warc.gz").documents == 2
    assert texts(folder) == {f"/story/{number}.html": "\n".join(paragraphs(number)) for number in (1, 2)}


def test_pages_of_the_sites_come_in_with_the_time_of_their_capture(folder: Path) -> None:
    """Text, originals and provenance as of a crawl, and what is no page of a site counted by its reason."""
    path = archive(
        folder / "theirs.warc.gz",
        story(1),
        story(2, fields={"WARC-IP-Address": "192.0.2.7"}),
        Answer("https://elsewhere.example/1", article(3)),
        Answer(f"{PAPER}/video/4", article(4)),
        story(5, status="404 Not Found"),
        story(6, headers=(("Content-Type", "application/json"),)),
        story(7, day="1970-01-01T00:00:00Z"),
        story(8, type="revisit"),
        story(9, status="2 OK"),
        story(10, fields={"WARC-Truncated": "length"}),
        Answer(f"{PAPER}/short", b"<p>Ng\xe1\xba\xafn."),
    )
    report = taken(folder, path)
    assert (report.archives, report.answers, report.pages, report.documents, report.known) == (1, 11, 3, 2, 0)
    assert report.sites == {"paper": 3}
    assert report.dropped == {"no_article": 1}
    assert report.skipped == {
        "other_site": 1,
        "out_of_scope": 1,
        "http_404": 1,
        "not_html": 1,
        "undated": 1,
        "revisit": 1,
        "no_answer": 1,
        "truncated": 1,
    }
    assert texts(folder) == {f"/story/{number}.html": "\n".join(paragraphs(number)) for number in (1, 2)}
    with Corpus.open(load(folder / "corpus.toml").database_url) as corpus:
        fetches = {fetch.uri: (fetch.fetched_at.isoformat(), fetch.outcome) for fetch in corpus.fetches()}
        assert fetches[f"{PAPER}/story/1.html"] == ("2024-11-01T00:23:31+00:00", "document")
        assert corpus.frontier.count_pending(["paper"]) == 0
    assert "2024-11-01 00:23 in an archive" in run(folder, "show", f"{PAPER}/story/1.html").stdout
    assert run(folder, "check", "--deep").returncode == 0
    assert json.loads(run(folder, "reextract", "--json").stdout)["unchanged"] == 3


@pytest.mark.parametrize("name", ["theirs", "theirs/*.gz", "all.paths"])
def test_import_takes_the_names_that_process_takes(folder: Path, name: str) -> None:
    """A folder, a pattern, or a list of files."""
    (folder / "theirs").mkdir()
    archive(folder / "theirs" / "one.warc.gz", story(1))
    archive(folder / "theirs" / "two.warc.gz", story(2))
    (folder / "all.paths").write_text("theirs/one.warc.gz\ntheirs/two.warc.gz\n")
    report = json.loads(run(folder, "import", name, "--json").stdout)
    assert (report["archives"], report["documents"]) == (2, 2)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.warc.gz", "no such file"),
        ("empty", "no archive is there"),
        ("gone.paths", "gone.warc.gz: no such file"),
        ("https://archive.example/a.warc.gz", "name that file with --from"),
    ],
)
def test_a_name_that_stands_for_no_file_imports_nothing(folder: Path, name: str, says: str) -> None:
    """The error says what to name instead."""
    (folder / "empty").mkdir()
    (folder / "gone.paths").write_text("gone.warc.gz\n")
    ended = run(folder, "import", name)
    assert (ended.returncode, says in ended.stderr) == (2, True)


def test_each_version_of_a_page_is_compared_with_itself_when_rebuilt(folder: Path) -> None:
    """Earlier versions were once compared with the last one. Each new extraction then reported them as changed."""
    for number, day in ((1, "2024-11-01T00:00:00Z"), (2, "2024-11-05T00:00:00Z")):
        taken(folder, archive(folder / f"{number}.warc.gz", Answer(f"{PAPER}/story.html", article(number), day=day)))
    assert list(texts(folder)) == ["/story.html"]
    report = json.loads(run(folder, "reextract", "--dry-run", "--json").stdout)
    assert (report["pages"], report["unchanged"], report["changed"]) == (2, 2, 0)


def chunked(body: bytes) -> bytes:
    half = len(body) // 2
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:], b""))


@pytest.mark.parametrize(
    ("headers", "pack"),
    [
        ((("Content-Encoding", "gzip"),), lambda body: gzip.compress(body, mtime=0)),
        ((("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")), lambda body: chunked(gzip.compress(body))),
        ((("Transfer-Encoding", "chunked"),), chunked),
        ((("Transfer-Encoding", "chunked"), ("Content-Encoding", "br")), lambda body: body),
        ((("X-Crawl-Content-Encoding", "gzip"), ("X-Crawl-Transfer-Encoding", "chunked")), lambda body: body),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_bodies_are_read_as_whoever_wrote_them_left_them(
    tmp_path: Path, headers: tuple[tuple[str, str], ...], pack: Any, packed: bool
) -> None:
    """In chunks, coded, plain under the names of what was undone; records packed or not."""
    (tmp_path / "corpus.toml").write_text(CONFIG.format(f"sqlite:///{tmp_path / 'corpus.db'}"))
    answer = Answer(f"{PAPER}/1", pack(article(1)), headers=(HTML, *headers))
    taken(tmp_path, archive(tmp_path / "theirs.warc", answer, packed=packed))
    assert texts(tmp_path) == {"/1": "\n".join(paragraphs(1))}


CHUNKED = (HTML, ("Transfer-Encoding", "chunked"))


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (chunked(article(1))[:-5], CHUNKED),
        (chunked(article(1))[:-9], CHUNKED),
        (chunked(article(1))[:-300], CHUNKED),
        (chunked(article(1)) + b"1f", (HTML, ("Content-Length", "9000"))),
        (article(1)[:-1], (HTML, ("Content-Length", str(len(article(1)))))),
    ],
)
def test_a_body_that_is_not_there_whole_makes_no_document(
    tmp_path: Path, body: bytes, headers: tuple[tuple[str, str], ...]
) -> None:
    """The server hung up before the last chunk, or before as many bytes as it had promised: half a page is none,
    and does not keep the whole one out.
    """
    (tmp_path / "corpus.toml").write_text(CONFIG.format(f"sqlite:///{tmp_path / 'corpus.db'}"))
    path = archive(tmp_path / "theirs.warc.gz", Answer(f"{PAPER}/1", body, headers=headers), story(2))
    report = taken(tmp_path, path)
    assert (report.documents, dict(report.skipped), report.damaged) == (1, {"truncated": 1}, [])
    whole = archive(tmp_path / "whole.warc.gz", Answer(f"{PAPER}/1", article(1), day="2023-01-01T00:00:00Z"))
    assert taken(tmp_path, whole).documents == 1


def test_a_chunk_takes_no_more_memory_than_a_page_may(tmp_path: Path) -> None:
    """It was read as a whole: an archive of half a megabyte had an import take a gigabyte."""
    size = 100 * 2**20
    body = b"%x\r\n" % size + bytes(size) + b"\r\n0\r\n\r\n"
    path = archive(tmp_path / "theirs.warc.gz", Answer(f"{PAPER}/1", body, headers=CHUNKED), story(2))
    del body
    tracemalloc.start()
    try:
        found = list(captures(path, lambda _: True, 10**6))
        assert tracemalloc.get_traced_memory()[1] < size // 10
    finally:
        tracemalloc.stop()
    assert [getattr(each, "reason", "page") for each in found] == ["too_large", "page"]


def test_what_is_known_as_new_or_newer_is_left_alone(folder: Path) -> None:
    """An import may be repeated; an older capture never becomes the newest version, a newer one is the next."""
    first = archive(folder / "first.warc.gz", story(1))
    assert taken(folder, first).documents == 1
    assert (taken(folder, first).known, taken(folder, first).documents) == (1, 0)
    older = archive(folder / "older.warc.gz", Answer(f"{PAPER}/story/1.html", article(2), day="2023-01-01T00:00:00Z"))
    assert (taken(folder, older).known, texts(folder)) == (1, {"/story/1.html": "\n".join(paragraphs(1))})
    newer = archive(folder / "newer.warc.gz", Answer(f"{PAPER}/story/1.html", article(2), day="2025-01-01T00:00:00Z"))
    assert (taken(folder, newer).documents, texts(folder)) == (1, {"/story/1.html": "\n".join(paragraphs(2))})


def test_two_captures_of_a_page_are_two_versions(folder: Path) -> None:
    """In the order of the archive, where the second is the newer one."""
    later = Answer(f"{PAPER}/story/1.html", article(2), day="2024-12-24T00:00:00.5Z")
    assert taken(folder, archive(folder / "theirs.warc.gz", story(1), later)).documents == 2
    with Corpus.open(load(folder / "corpus.toml").database_url) as corpus:
        assert [fetch.outcome for fetch in corpus.fetches()] == ["document", "document"]
    assert texts(folder) == {"/story/1.html": "\n".join(paragraphs(2))}


def test_what_was_removed_or_is_a_source_stays_out(folder: Path) -> None:
    """A tombstone holds for archives too; a start page is read by crawls, for its links."""
    theirs = archive(folder / "theirs.warc.gz", story(1), story(2), Answer(f"{PAPER}/", article(3)))
    config = load(folder / "corpus.toml")
    with Corpus.open(config.database_url, create=True) as corpus:
        corpus.frontier.seed(config.seeds())
    assert taken(folder, archive(folder / "one.warc.gz", story(1))).documents == 1
    removed = run(folder, "remove", "--yes", "--url", f"{PAPER}/story/1.html", "--reason", "asked for")
    assert removed.returncode == 0, removed.stderr
    report = taken(folder, theirs)
    assert (report.documents, report.known, texts(folder).keys()) == (1, 2, {"/story/2.html"})


def test_a_wacz_collection_is_read(folder: Path) -> None:
    """The archives in it are; browsers state HTTP/2, which WARC does not define."""
    assert taken(folder, wacz(folder / "theirs.wacz", story(1), story(2, protocol="HTTP/2"))).documents == 2


def test_damage_in_one_archive_of_a_collection_leaves_the_others(folder: Path) -> None:
    """It is named, and what comes before it there, and after it in the collection, is taken in."""
    whole = archive(folder / "whole.warc.gz", story(1)).read_bytes()
    broken = archive(folder / "broken.warc.gz", story(2), story(3)).read_bytes()[:-100]
    parts = {"archive/1.warc.gz": broken, "archive/2.warc.gz": b"none", "archive/3.warc.gz": whole}
    (folder / "theirs.wacz").write_bytes(zipped(*parts.items()))
    report = taken(folder, folder / "theirs.wacz")
    assert texts(folder).keys() == {"/story/1.html", "/story/2.html"}
    assert report.losses == 2
    first, second = report.damaged
    assert "theirs.wacz, archive/1.warc.gz at " in first
    assert "the gzip member is cut short" in first
    assert "theirs.wacz, archive/2.warc.gz at 0, 4 bytes: no record begins here" in second


def test_a_collection_without_its_directory_is_searched_for_records(folder: Path) -> None:
    """A download that broke off has lost ZIP's directory. Its records have a CRC of their own."""
    whole = archive(folder / "whole.warc.gz", story(1), story(2)).read_bytes()
    data = zipped(("archive/1.warc.gz", whole), ("pages/pages.jsonl", b"{}" * 999), method=zipfile.ZIP_STORED)
    (folder / "theirs.wacz").write_bytes(data[:-200])
    report = taken(folder, folder / "theirs.wacz")
    assert texts(folder).keys() == {"/story/1.html", "/story/2.html"}
    assert report.losses > 0


@settings(max_examples=300, deadline=None)
@given(cuts=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 60), st.binary(max_size=30)), max_size=4))
@pytest.mark.parametrize("packed", [True, False])
def test_no_bytes_end_in_another_error(
    tmp_path_factory: pytest.TempPathFactory, packed: bool, cuts: list[tuple[int, int, bytes]]
) -> None:
    """An archive with parts cut out or written over is read, or it is damaged.

    No text is another than was written. Only in a plain record that has lost its digests, nothing shows that a byte has
    another value, as long as its length agrees.
    """
    path = archive(tmp_path_factory.getbasetemp() / "changed.warc", story(1), story(2), packed=packed)
    changed = bytearray(path.read_bytes())
    digests = changed.count(b"\nWARC-Block-Digest: sha1:")
    for start, length, new in cuts:
        changed[start : start + length] = new
    path.write_bytes(changed)
    verifiable = packed or changed.count(b"\nWARC-Block-Digest: sha1:") == digests
    written = {f"{PAPER}/story/{number}.html": article(number) for number in (1, 2)}
    for found in captures(path, lambda _: True, 10**6):
        assert isinstance(found, ForeignPage | SkippedResponse | ArchiveDamage)
        if isinstance(found, ForeignPage) and found.capture.body not in written.values():
            assert not verifiable
            assert len(found.capture.body) in {len(body) for body in written.values()}


HEAD = b"WARC/1.0\r\nWARC-Type: response\r\n"
LINE = b"a" * MOST_OF_HEAD


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n",
        zipped(("pages/pages.jsonl", b"{}")),
        zipped(("archive/data.warc", HEAD + b"Content-Length: 9\r\n\r\n" + LINE), method=zipfile.ZIP_LZMA)[:-300],
        HEAD + b"\r\n\r\n",
        HEAD + b"Content-Length: \r\n\r\n",
        HEAD + b"Content-Length: %d\r\n\r\n" % 10**25,
        HEAD + b"X: " + 60 * LINE,
        HEAD + 60 * MOST_OF_HEAD // 4 * b"X:\r\n",
        gzip.compress(b"\r\n" + HEAD + b"Content-Length: 1\r\n\r\n1") + gzip.compress(60 * MOST_OF_HEAD * b"\n" + b"x"),
        zipped(("archive/data.warc", HEAD + b"X: " + 60 * LINE)),
    ],
    ids=range(11),
)
def test_an_archive_that_is_none_is_damaged_at_once(tmp_path: Path, data: bytes) -> None:
    """One that is empty, holds no archive, or records without a length, or whose headers have no end."""
    (tmp_path / "theirs").write_bytes(data)
    started = time.process_time()
    found = list(captures(tmp_path / "theirs", lambda _: True, 10**6))
    assert isinstance(found[-1], ArchiveDamage)
    assert not any(isinstance(each, ForeignPage) for each in found)
    assert time.process_time() - started < 20


@pytest.mark.parametrize("packed", [True, False])
def test_no_archive_that_breaks_off_is_taken_for_whole(tmp_path: Path, packed: bool) -> None:
    """Wherever it is cut but behind a record."""
    whole = archive(tmp_path / "whole.warc", *(Answer(f"{PAPER}/{at}", b"x") for at in range(2)), packed=packed)
    cut, data, unseen = tmp_path / "cut.warc", whole.read_bytes(), []
    for at in range(1, len(data)):
        cut.write_bytes(data[:at])
        if not any(isinstance(found, ArchiveDamage) for found in captures(cut, lambda _: True, 10**6)):
            unseen.append(at)
    rests = [data[at:].lstrip(b"\r\n") for at in unseen]
    assert len(unseen) < (4 if packed else 15)
    assert all(not rest or rest.startswith((b"\x1f\x8b", b"WARC/")) for rest in rests)


def test_an_archive_whose_last_page_is_a_zip_file_is_read(folder: Path) -> None:
    """A plain one ends as a ZIP file does then; it was taken for one without archives in it."""
    book = Answer(f"{PAPER}/book", zipped(("1", b"")), headers=(("Content-Type", "application/epub+zip"),))
    assert taken(folder, archive(folder / "theirs.warc", story(1), book, packed=False)).documents == 1


def test_an_answer_whose_headers_have_no_end_is_none(tmp_path: Path) -> None:
    """The pages behind it are read."""
    endless = Answer(f"{PAPER}/1", b"<p>", headers=(HTML, ("X", "a" * 60 * MOST_OF_HEAD)))
    path = archive(tmp_path / "theirs.warc.gz", endless, story(2))
    found = list(captures(path, lambda _: True, 10**6))
    assert [getattr(each, "reason", "page") for each in found] == ["no_answer", "page"]


def test_damaged_archives_are_named_and_the_sound_pages_are_kept(folder: Path) -> None:
    """A file that breaks off, and one that is none: each is named, exit code 6, and the others are read."""
    whole = archive(folder / "whole.warc.gz", *(story(number) for number in range(1, 4)))
    torn, other = folder / "torn.warc.gz", folder / "other.warc.gz"
    last = Answer(f"{PAPER}/6", chunked(article(6)), headers=(HTML, ("Transfer-Encoding", "chunked")))
    torn.write_bytes(archive(torn, story(5), last).read_bytes()[:-200])
    other.write_bytes(b"This is no archive.\n" * 9)
    done = run(folder, "import", str(torn), str(other), str(whole), "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["documents"], report["archives"]) == (6, 4, 3)
    assert [any(path.name in each for each in report["damaged"]) for path in (torn, other, whole)] == [
        True,
        True,
        False,
    ]
    assert not any("\n" in each or "\\x0a" in each for each in (*report["damaged"], done.stderr.replace("\n", "")))


def test_damaged_records_are_named_and_no_damaged_text_is_stored(tmp_path: Path) -> None:
    """One with a flipped byte is lost, one with another payload digest is stored, and the rest is found again."""
    (tmp_path / "corpus.toml").write_text(CONFIG.format(f"sqlite:///{tmp_path / 'corpus.db'}"))
    path = archive(tmp_path / "theirs.warc", *(story(number) for number in range(1, 5)), packed=False)
    data = path.read_bytes()
    third = data.index(b"WARC-Payload-Digest", data.rindex(b"WARC/1", 0, data.index(b"/story/3.html"))) + 26
    data = data[:third] + b"AAAAAAAA" + data[third + 8 :]
    second = data.index(b"/story/2.html")
    flipped, cut = data.index(b"<p>", second) + 9, data.index(b"Content-Length", data.index(b"/story/3.html")) + 16
    path.write_bytes(data[:flipped] + b"\x00" + data[flipped + 1 : cut] + b"7" + data[cut + 1 :])
    done = run(tmp_path, "import", str(path), "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["documents"], report["losses"]) == (6, 3, 1)
    assert (report["recovered"], report["rewritten"]) == (1, 1)
    (damage,) = report["damaged"]
    start = data.rindex(b"WARC/1", 0, second)
    assert damage.startswith(f"{path} at {start}, ")
    assert damage.endswith(f"the block digest does not agree ({PAPER}/story/2.html)")
    assert texts(tmp_path) == {f"/story/{number}.html": "\n".join(paragraphs(number)) for number in (1, 3, 4)}


def test_recovered_pages_stay_marked(tmp_path: Path) -> None:
    """In the visits of `show`, in `status`, in a copy by `move`, and in a database made again from the WARC files."""

    def marked(folder: Path) -> tuple[int, list[list[bool]]]:
        shown = [json.loads(run(folder, "show", f"{paper.origin}/{at}.html", "--json").stdout) for at in (1, 2)]
        visits = [[visit["recovered"] for visit in page["visits"]] for page in shown]
        return json.loads(run(folder, "status", "--json").stdout)["recovered"], visits

    with served(Newspaper(articles=2)) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        pages = [Answer(f"{paper.origin}/{number}.html", article(number)) for number in (1, 2)]
        data = archive(tmp_path / "theirs.warc", *pages, packed=False).read_bytes()
        length = data.index(b"Content-Length", data.index(b"/2.html")) + 16
        (tmp_path / "theirs.warc").write_bytes(data[:length] + b"7" + data[length + 1 :])
        assert taken(tmp_path, tmp_path / "theirs.warc").recovered == 1
        assert marked(tmp_path) == (1, [[False], [True]])
        assert "recovered from a damaged archive" in run(tmp_path, "show", f"{paper.origin}/2.html").stdout
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy" / "corpus.toml").write_text(corpus_toml(paper))
        well(tmp_path, "move", "sqlite:///copy/corpus.db")
        assert marked(tmp_path / "copy") == (1, [[False], [True]])
        (tmp_path / "corpus.db").unlink()
        well(tmp_path, "crawl", "--rebuild")
        assert marked(tmp_path) == (1, [[False], [True]])


def test_a_dry_run_names_the_sites_that_have_pages(folder: Path) -> None:
    """No corpus is made."""
    theirs = archive(folder / "theirs.warc.gz", story(1), Answer("https://other.example/", article(2)))
    done = run(folder, "import", str(theirs), "--dry-run", "--json")
    report = json.loads(done.stdout)
    assert (report["pages"], report["sites"], report["skipped"]) == (1, {"paper": 1}, {"other_site": 1})
    assert report["other_hosts"] == {"other.example": 1}
    assert not (folder / "corpus.db").exists()


def test_scripts_of_a_configured_host_are_no_pages_of_another_site(folder: Path) -> None:
    """They are out of scope, also below the host. Hosts of sites that are not selected are no news either."""
    with (folder / "corpus.toml").open("a") as file:
        file.write('[[site]]\nname = "second"\nstart = ["https://second.example/"]\n')
    addresses = [f"{PAPER}/app.js", "https://cdn.paper.example/logo.png", f"{PAPER}/video/1"]
    others = ["https://second.example/1", "https://other.example/app.js"]
    theirs = archive(folder / "theirs.warc.gz", story(1), *(Answer(each, b"1") for each in (*addresses, *others)))
    report = json.loads(run(folder, "import", str(theirs), "--site", "paper", "--dry-run", "--json").stdout)
    assert report["pages"] == 1
    assert report["skipped"] == {"out_of_scope": 3, "other_site": 2}
    assert report["other_hosts"] == {"other.example": 1}


def test_pages_that_an_import_was_killed_before_reading_are_read_by_the_next(folder: Path) -> None:
    """The next command processes pages that are durable and not processed. It may be an import."""
    theirs = archive(folder / "theirs.warc.gz", *(story(number) for number in range(1, 4)))
    killed = run(folder, "import", str(theirs), CORPUS_SPIDER_FAILPOINT="after_fetched_commit")
    assert killed.returncode != 0
    assert texts(folder) == {}
    report = taken(folder, theirs)
    assert (report.documents, report.known) == (3, 3)
    assert len(texts(folder)) == 3
    assert run(folder, "check", "--deep").returncode == 0


def test_what_a_crawl_has_left_to_read_stays_the_next_crawls(tmp_path: Path) -> None:
    """A crawl killed before it read its feed finds all articles behind an import, which follows no links."""
    with served(Newspaper(articles=6)) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        page = article(30, "<a href=/of-the-archive>x</a>")
        theirs = archive(tmp_path / "theirs.warc.gz", Answer(f"{paper.origin}/old", page))
        assert run(tmp_path, "crawl", CORPUS_SPIDER_FAILPOINT="before_processed_commit").returncode != 0
        assert run(tmp_path, "import", str(theirs), CORPUS_SPIDER_FAILPOINT="after_fetched_commit").returncode != 0
        with Corpus.open(tmp_path / "corpus.db") as corpus:
            imported = [page.imported for page in corpus.fetches.unprocessed()]
        assert (imported.count(True), imported.count(False) > 0) == (1, True)
        assert json.loads(run(tmp_path, "import", str(theirs), "--json").stdout)["documents"] == 1
        assert run(tmp_path, "crawl").returncode == 0
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        assert sum(1 for _ in corpus.documents(Selection(include_duplicates=True))) == 7
    assert paper.asked["/of-the-archive"] == 0


def test_a_crawl_that_reads_imported_pages_follows_no_links_of_theirs(tmp_path: Path) -> None:
    with served(Newspaper(articles=2)) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        page = article(30, "<a href=/of-the-archive>x</a>")
        theirs = archive(tmp_path / "theirs.warc.gz", Answer(f"{paper.origin}/old", page))
        assert run(tmp_path, "import", str(theirs), CORPUS_SPIDER_FAILPOINT="after_fetched_commit").returncode != 0
        assert run(tmp_path, "crawl").returncode == 0
        with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
            assert corpus.documents.find(f"{paper.origin}/old") is not None
    assert paper.asked["/of-the-archive"] == 0


def test_originals_heal_metadata_and_texts_stay(folder: Path) -> None:
    """A wrong title gets that of the original, `show` lists the wrong one, and the next time nothing is left to do."""
    taken(folder, archive(folder / "1.warc.gz", Answer(f"{PAPER}/story.html", article(1))))
    with Corpus.open(load(folder / "corpus.toml").database_url) as corpus:
        wrong = sa.update(document).values(title="Wrong title")
        corpus.database.write(lambda connection: connection.execute(wrong))
    before = texts(folder)
    reports = [json.loads(run(folder, "reextract", "--metadata", "--json").stdout) for _ in range(2)]
    assert [(report["pages"], report["healed"]) for report in reports] == [(1, 1), (1, 0)]
    assert texts(folder) == before
    shown = run(folder, "show", f"{PAPER}/story.html").stdout
    assert "Earlier metadata" in shown
    assert "Wrong title" in shown
    assert run(folder, "check").returncode == 0
    assert run(folder, "reextract", "--metadata", "--dry-run").returncode == 2
