"""History of a page: `show` and `dropped`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from corpus_spider.api.lookup import spellings
from corpus_spider.cli.app import run
from corpus_spider.terminal.console import Console
from corpus_spider.terminal.values import local
from storage import Corpus
from storage.database.schema import document
from storage.records import Failure
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.storage.corpus_samples import Crawl, dropped, link, made

if TYPE_CHECKING:
    from pathlib import Path

STORY = "https://a.example/x"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus of a text, a page that gave none, and an address that waits."""
    site = "[[site]]\nname = 'a.example'\nstart = ['https://a.example/']\ndeny = ['/video/']\n"
    (tmp_path / "corpus.toml").write_text(f"[corpus]\ncontact = 'me@example.org'\n{site}")
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.visit("x", made("Bản tin hôm nay", title="Tin \x1b[2J"))
        crawl.visit("", dropped("listing", link("y")))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_text_is_shown_with_where_it_is_from(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By any spelling of its address and by its id; with -q the text alone, as JSON with the fields of exports."""
    assert run(["show", "http://www.a.example/x"]) == 0
    reported = capsys.readouterr().out
    assert f"url\t{STORY}\n" in reported
    assert "title\tTin \\x1b[2J\n" in reported
    assert reported.endswith("Bản tin hôm nay\n")
    assert run(["show", "a.example/x", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert (plain["url"], plain["state"], plain["visits"][0]["outcome"]) == (STORY, "done", "document")
    assert plain["document"]["text"] == "Bản tin hôm nay"
    assert run(["show", "-q", plain["document"]["id"].upper()]) == 0
    assert capsys.readouterr() == ("Bản tin hôm nay\n", "")


def test_all_authors_are_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their list is one line, with a semicolon between two names."""
    with Corpus.open(home / "corpus.db") as corpus:
        Crawl(corpus).visit("z", made("Hai người viết", author="Ann Lee, B. Tran", authors=("Ann Lee", "B. Tran")))
    assert run(["show", "https://a.example/z"]) == 0
    assert "authors\tAnn Lee; B. Tran\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "expected", "command"),
    [
        ("", "listing", "show --original https://a.example/"),
        ("y", "state\tpending: waiting to be fetched\nfound\t", "crawl --site a.example"),
    ],
)
def test_a_page_without_a_text_says_why(
    home: Path, capsys: pytest.CaptureFixture[str], path: str, expected: str, command: str
) -> None:
    """And names the next command. It is no error."""
    assert run(["show", f"https://a.example/{path}"]) == 0
    captured = capsys.readouterr()
    assert expected in captured.out
    assert captured.err == f"This page has no document. Next: corpus-spider {command}\n"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("https://a.example/other", "no page links to it"),
        ("https://a.example/video/1", 'The rules of site "a.example" exclude it'),
        ("https://b.example/x", "has its host"),
        ("0" * 32, "No document has this id"),
        ("nosuch", "No document has an id that begins so"),
        ("nosuch.example/x", "No [[site]] of corpus.toml has its host"),
        ("http://[", "the id of a document"),
        ("--original --json https://a.example/x", "exclude each other"),
    ],
)
def test_an_unknown_page_is_reported_with_what_the_rules_say_of_it(
    home: Path, capsys: pytest.CaptureFixture[str], target: str, expected: str
) -> None:
    """Whether the site would have it, its rules leave it out, or it is of no site; exit code 2."""
    assert run(["show", *target.split()]) == 2
    assert expected in capsys.readouterr().err


def test_the_next_command_of_a_missing_page_is_not_its_original(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The stored page is the server's page of an error."""
    with Corpus.open(home / "corpus.db") as corpus:
        Crawl(corpus).visit("gone", dropped("http_404"))
    assert run(["show", "https://a.example/gone"]) == 0
    err = capsys.readouterr().err
    assert ("--original" in err, "dropped --site a.example --reason http_404" in err) == (False, True)


@pytest.mark.parametrize("command", [["dropped"], ["status", "--all"]], ids=" ".join)
def test_sources_and_redirects_are_not_among_the_dropped_pages(
    home: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """The counters of a night leave them out, so each list has them in a table of their own."""
    with Corpus.open(home / "corpus.db") as corpus:
        Crawl(corpus).visit("moved", dropped("redirect", detail=STORY))
        Crawl(corpus).visit("feed", dropped("feed"))
    assert run(command) == 0
    _, _, after = capsys.readouterr().out.partition("# Pages without a document")
    pages, _, others = after.partition("# Sources, redirects and unchanged texts")
    assert [("listing" in part, "redirect\t" in part, "feed\t" in part) for part in (pages, others)] == [
        (True, False, False),
        (False, True, True),
    ]


def test_the_target_of_a_redirect_has_an_arrow(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal its URL stands beside that of the page. Pipes get the URL alone."""
    target = "https://a.example/%C3%A9"
    with Corpus.open(home / "corpus.db") as corpus:
        Crawl(corpus).visit("moved", dropped("redirect", detail=target))
    for on_terminal, expected in ((True, "→ https://a.example/é"), (False, target)):
        rows: list[object] = []
        monkeypatch.setattr(Console, "on_terminal", on_terminal)
        monkeypatch.setattr(Console, "table", lambda _, title, header, body, rows=rows: rows.extend(body))
        assert run(["dropped", "--reason", "redirect"]) == 0
        assert expected in rows[0]  # type: ignore[operator]


@pytest.mark.parametrize(
    "command",
    [
        ["search", "tin", "--site", "nosuch"],
        ["words", "--site", "nosuch"],
        ["words", "--against", "site=nosuch"],
        ["cloud", "--language", "vi", "--site", "nosuch", "--json"],
        ["health", "nosuch"],
        ["dropped", "--site", "nosuch"],
    ],
    ids=" ".join,
)
def test_an_unknown_site_is_refused_by_each_verb(
    home: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """With the names of the sites, and exit code 2. An empty result would look like an answer."""
    assert run(command) == 2
    err = capsys.readouterr().err
    assert 'there is no site "nosuch"' in err
    assert "Sites: a.example." in err


def test_a_cloud_is_drawn_of_the_document_of_an_id(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By any beginning of it, as `show` and `plot` take one."""
    with Corpus.open(home / "corpus.db") as corpus:
        stored = corpus.documents.find(STORY)
    assert stored is not None
    assert run(["cloud", "--page", stored.id[:6], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["words"]
    assert run(["cloud", "--page", "0" * 8, "--json"]) == 2
    assert "No document has this id" in capsys.readouterr().err


def test_what_was_dropped_is_listed_by_reason_and_site(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a table, or as one JSON document; it says when there may be more."""
    assert run(["dropped", "--reason", "listing", "--site", "a.example"]) == 0
    captured = capsys.readouterr()
    assert "listing\ta.example\thttps://a.example/\t" in captured.out
    assert captured.err == "One page in detail: corpus-spider show https://a.example/\n"
    assert run(["dropped", "--limit", "1"]) == 0
    assert "--limit 0" in capsys.readouterr().err
    assert run(["dropped", "--limit", "0", "--json"]) == 0
    assert [page["reason"] for page in json.loads(capsys.readouterr().out)["pages"]] == ["listing"]
    assert run(["dropped", "--limit", "0", "--reason", "nothing"]) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "No page has the reason nothing. Reasons in this corpus: listing.\n")
    assert run(["dropped", "--reason", "listing", "--reason", "lsting"]) == 0
    captured = capsys.readouterr()
    assert "https://a.example/" in captured.out
    assert captured.err.startswith(
        "No page has the reason lsting (did you mean listing?). Reasons in this corpus: listing.\n"
    )
    assert run(["dropped", "--site", "nowhere"]) == 2


def test_a_reason_of_pages_and_of_addresses_is_named_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was removed is both."""
    with Corpus.open(home / "corpus.db") as corpus:
        corpus.removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/", "asked"))
        corpus.removals.withdraw()
    assert run(["dropped", "--reason", "nothing"]) == 0
    assert "Reasons in this corpus: removed.\n" in capsys.readouterr().err


def test_addresses_that_wait_for_another_try_are_listed_with_why(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server's error is shown while it is tried again, and no address without a request."""
    with Corpus.open(home / "corpus.db") as corpus:
        crawl = Crawl(corpus)
        crawl.seed("broken", "gone")
        leases = {lease.url.rpartition("/")[2]: lease for lease in crawl.lease()}
        again = Failure(leases["broken"], "http_500", retry_at=1_800_000_000.0)
        corpus.frontier.fail(crawl.run_id, [again, Failure(leases["gone"], "timeout")])
    assert run(["dropped"]) == 0
    reported = capsys.readouterr().out
    assert f"http_500\ta.example\thttps://a.example/broken\t{local(1_800_000_000.0)}" in reported
    assert run(["dropped", "--json", "--reason", "http_500"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(each["url"], each["next_try"]) for each in listed["waiting"]] == [("https://a.example/broken", 1.8e9)]
    assert (listed["pages"], listed["urls"]) == ([], [])


def test_an_address_has_its_canonical_form_first_and_is_looked_for_in_others() -> None:
    first, *others = spellings("www.a.example/x?utm_source=y")
    assert first == "https://www.a.example/x"
    assert {"https://a.example/x", "http://a.example/x", "http://www.a.example/x"} < set(others)
    assert first not in others
    assert spellings("http://[") == []


def test_an_id_may_be_shortened(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four digits stand for the only id that begins with them; `remove` takes them too, and three are no id."""
    with Corpus.open(home / "corpus.db") as corpus:
        (stored,) = corpus.documents()
    assert run(["show", "-q", stored.id[:4].upper()]) == 0
    assert capsys.readouterr().out == "Bản tin hôm nay\n"
    assert run(["show", stored.id[:3]]) == 2
    assert run(["show", stored.id[:4] + "0000"]) == 2
    assert "No document has this id, or one that begins so." in capsys.readouterr().err
    (home / "warc" / "locks").mkdir(parents=True)
    (home / "warc" / "locks" / "corpus").write_text(str(home / "corpus.toml"))
    assert run(["remove", "--id", stored.id[:6], "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == [stored.id]


def test_a_shortened_id_of_several_documents_lists_them(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names ids, URLs and titles, ten at most. Nothing is removed. One more digit decides."""
    with Corpus.open(home / "corpus.db") as corpus:
        crawl = Crawl(corpus)
        for number in range(12):
            crawl.visit(f"n{number}", made(f"Bản tin số {number}", title=f"Tin {number}"))
        with corpus.database.engine.begin() as connection:
            rows = connection.execute(sa.select(document.c.id)).scalars().all()
            for number, row in enumerate(rows):
                public = f"abcd{number:x}".ljust(32, "0")
                connection.execute(sa.update(document).where(document.c.id == row).values(public_id=public))
    for command in (["show", "abcd"], ["remove", "--id", "abcd", "--reason", "asked", "--yes"]):
        assert run(command) == 2
        reported = capsys.readouterr().err
        assert "abcd: several ids begin so" in reported
        assert reported.count("  https://a.example/") == 10
        assert reported.rstrip().endswith("and others")
    assert run(["show", "-q", "abcd1"]) == 0
    assert capsys.readouterr().out == "Bản tin số 0\n"
