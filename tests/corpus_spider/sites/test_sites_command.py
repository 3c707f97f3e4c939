"""`sites discover --write` and `sites check`, at a local server."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

from corpus_spider import presets
from corpus_spider.cli.app import run
from corpus_spider.sites import discover
from corpus_spider.terminal.console import Console
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import PATIENCE
from tests.corpus_spider.site_answers import HTML, TODAY, XML, alternate, page, put, rss, urlset

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus_spider.local_paper import Answer


def program(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_discover_writes_the_site_and_keeps_the_file(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new site is added at the end, a known one gets what is new; the comments stay."""
    paper.extra["/"] = lambda: page(alternate("/a.rss") + alternate("/b.rss"))
    put(paper, a_rss=rss("/1"), b_rss=rss("/2"))
    file = tmp_path / "corpus.toml"
    crawl = f"[crawl]\ndelay = 0.0\nallow_private = ['127.0.0.1:{paper.port}']"
    file.write_text(f"[corpus]\ncontact = 'me@example.org' # mine\n{crawl}\n")
    code, out, _ = program(capsys, "-c", str(file), "sites", "discover", f"{paper.origin}/", "--write")
    assert (code, "feeds = " in out) == (0, True)
    assert tomllib.loads(file.read_text())["site"][0]["feeds"] == [f"{paper.origin}/a.rss", f"{paper.origin}/b.rss"]
    put(paper, b_rss=(404, {}, b""), c_rss=rss("/3"))
    paper.extra["/"] = lambda: page(alternate("/c.rss"))
    code, out, _ = program(capsys, "-c", str(file), "sites", "discover", f"{paper.origin}/", "--write", "--json")
    assert json.loads(out)["site"]["feeds"] == [f"{paper.origin}/c.rss"]
    table = tomllib.loads(file.read_text())
    assert table["site"][0]["feeds"] == [f"{paper.origin}/{name}.rss" for name in "abc"]
    assert len(table["site"]) == 1
    assert "# mine" in file.read_text()


def test_a_site_that_is_discovered_twice_at_once_is_written_once(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of one name would be refused by every verb."""
    paper.extra["/"] = lambda: page(alternate("/a.rss"))
    put(paper, a_rss=rss("/1"))
    file, discovered = tmp_path / "corpus.toml", discover.discover
    file.write_text(f"corpus.contact = 'me@example.org'\ncrawl.allow_private = ['127.0.0.1:{paper.port}']\n")
    command = ("-s", "crawl.delay=0", "-c", str(file), "sites", "discover", f"{paper.origin}/", "--write")

    def twice(*parts: Any) -> Any:
        found = discovered(*parts)
        monkeypatch.undo()
        assert program(capsys, *command)[0] == 0
        return found

    monkeypatch.setattr(discover, "discover", twice)
    code, _, reported = program(capsys, *command)
    assert code == 0, reported
    assert len(tomllib.loads(file.read_text())["site"]) == 1


def test_a_configured_site_gets_what_it_does_not_say(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `init --site ADDRESS` writes one: its language, and sections where there is neither feed nor sitemap.

    It is the site that has the address that was named, also where that leads on.
    """
    links = "<a href=/category/3>Thể thao</a><a href=/kinh-te>Kinh tế</a>"
    paper.extra["/"] = lambda: (302, {"Location": "/default.asp"}, b"")
    paper.extra["/default.asp"] = lambda: (200, HTML, f"<html lang=vi><body>{links}".encode())
    paper.extra |= {"/category/3": page, "/kinh-te": page}
    file = tmp_path / "corpus.toml"
    crawl = f"[crawl]\ndelay = 0.0\nallow_private = ['127.0.0.1:{paper.port}']"
    site = f"[[site]]\nname = 'mine'\nstart = ['{paper.origin}/']\n"
    file.write_text(f"[corpus]\ncontact = 'me@example.org'\n{crawl}\n{site}")
    code, out, _ = program(capsys, "-c", str(file), "sites", "discover", f"{paper.origin}/", "--write")
    (written,) = tomllib.loads(file.read_text())["site"]
    start = [f"{paper.origin}{path}" for path in ("/", "/category/3", "/kinh-te")]
    assert (code, written) == (0, {"name": "mine", "start": start, "language": "vi"})
    assert f"section\tpage\t\t\tusable\t{paper.origin}/kinh-te" in out


@pytest.mark.parametrize("feed", [False, True])
def test_a_site_that_refuses_everything_cannot_be_had(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str], feed: bool
) -> None:
    """Nothing is written of it, exit code 7; where only the pages are refused, its feed is of use."""
    paper.extra["/"] = lambda: (403, {}, b"no")
    if feed:
        put(paper, feed=rss("/1", "/2"))
    file = tmp_path / "corpus.toml"
    file.write_text(
        f"[corpus]\ncontact = 'me@example.org'\n[crawl]\ndelay = 0.0\nallow_private = ['127.0.0.1:{paper.port}']\n"
    )
    code, _, reported = program(capsys, "-c", str(file), "sites", "discover", f"{paper.origin}/", "--write")
    assert code == (0 if feed else 7)
    assert ("status 403" in reported) is not feed
    assert ("site" in tomllib.loads(file.read_text())) is feed


def test_check_separates_failing_sources_from_good_ones(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 8 while a source is sick, 0 when all are well; the day is noted with those that are."""
    paper.extra["/"] = lambda: page("", "<a href=/1>1</a>")
    put(paper, feed_xml=rss("/1", day="2020-05-05"))
    file = tmp_path / "corpus.toml"
    file.write_text(corpus_toml(paper))
    code, out, _ = program(capsys, "-c", str(file), "sites", "check", "--json")
    report = json.loads(out)
    assert (code, report["ok"]) == (8, False)
    assert {one["url"].removeprefix(paper.origin): one["problem"] for one in report["sources"]} == {
        "/": "",
        "/feed.xml": "nothing since 2020-05-05",
    }
    code, out, _ = program(capsys, "-c", str(file), "sites", "check", "--write", "--max-age", "36500")
    assert code == 0
    checked = tomllib.loads(file.read_text())["site"][0]["checked"]
    assert TODAY <= checked <= datetime.now(UTC).date().isoformat()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ((500, {}, b""), "status 500"),
        (page(), "is a page, not a feed"),
        (urlset("/1"), "is a sitemap, not a feed"),
        ((200, XML, b""), "empty"),
        ((200, XML, b"<rss><chan"), "no entries on this site"),
    ],
)
def test_check_says_what_is_wrong(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: Answer, problem: str
) -> None:
    """Each way to be sick has its words."""
    paper.extra["/"] = lambda: page("", "<a href=/1>1</a>")
    put(paper, feed_xml=answer)
    file = tmp_path / "corpus.toml"
    file.write_text(corpus_toml(paper))
    code, out, _ = program(capsys, "-c", str(file), "sites", "check", "newspaper", "--json")
    assert code == 8
    assert [one["problem"] for one in json.loads(out)["sources"]] == ["", problem]


def test_check_names_where_a_source_leads_out_of_its_site(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A newspaper that moved to another name gives nothing until the name is in corpus.toml."""
    elsewhere = paper.origin.replace("127.0.0.1", "moved.localhost")
    paper.extra["/"] = lambda: (301, {"Location": f"{elsewhere}/front"}, b"")
    put(paper, feed_xml=rss("/1"), front=page("", "<a href=/1>1</a>"))
    file = tmp_path / "corpus.toml"
    file.write_text(corpus_toml(paper, allow_private=["*:*"]))
    _, out, _ = program(capsys, "-c", str(file), "sites", "check", "newspaper", "--json")
    assert json.loads(out)["sources"][0]["problem"] == f"redirects out of the site, to {elsewhere}/front"


def test_check_is_over_when_a_host_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unreachable site is failing, and no error. The command that finds its sources again is named."""
    with served(Newspaper()) as gone:
        text = corpus_toml(gone)
    file = tmp_path / "corpus.toml"
    file.write_text(text)
    code, out, err = program(capsys, "-c", str(file), "sites", "check", "--json")
    assert code == 8
    assert all("cannot be fetched" in one["problem"] for one in json.loads(out)["sources"])
    assert f"corpus-spider -c {file} sites discover {gone.origin}/" in err
    assert all("that this machine can reach it" in one["advice"] for one in json.loads(out)["sources"])
    code, _, err = program(capsys, "-c", str(file), "sites", "check")
    assert (code, err.count("that this machine can reach it. (2 sources)")) == (8, 1)
    assert "`corpus-spider doctor --network` checks the connection" in err


def test_check_asks_for_no_list_of_pages(paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has no sources: each of its pages was fetched, and those without links were sick."""
    file, text = tmp_path / "corpus.toml", corpus_toml(paper)
    listed = f'[[site]]\nname = "list"\nmax_depth = 0\nstart = ["{paper.origin}/listed"]\n'
    file.write_text(text + listed)
    code, out, err = program(capsys, "-c", str(file), "sites", "check", "list", "--write", "--json")
    assert (code, json.loads(out)) == (0, {"ok": True, "well": [], "sources": []})
    assert "list is a list of pages" in err
    assert not paper.asked["/listed"]
    assert file.read_text() == text + listed


def test_several_sites_are_discovered_at_once(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of addresses and of a file; one that cannot be fetched does not stop the others, and gives exit code 7."""
    paper.extra["/"] = lambda: page(alternate("/a.rss"))
    put(paper, a_rss=rss("/1"))
    with served(Newspaper(articles=3)) as other:
        other.extra["/"] = lambda: page(alternate("/b.rss"))
        put(other, b_rss=rss("/2"))
        file, addresses = tmp_path / "corpus.toml", tmp_path / "papers.txt"
        private = [f"127.0.0.1:{paper.port}", f"localhost:{other.port}", "127.0.0.1:9"]
        file.write_text(f"corpus.contact = 'me@example.org'\ncrawl.allow_private = {private}\ncrawl.delay = 0.0\n")
        addresses.write_text(f"# papers\n\n{paper.origin}/\nhttp://localhost:{other.port}/\n{paper.origin}/\n")
        command = ("-c", str(file), "sites", "discover", "http://127.0.0.1:9/", str(addresses), "--write")
        code, out, reported = program(capsys, *command)
        assert (code, out.count("[[site]]"), "127.0.0.1:9" in reported) == (7, 2, True), reported
        feeds = [site["feeds"] for site in tomllib.loads(file.read_text())["site"]]
        assert feeds == [[f"{paper.origin}/a.rss"], [f"http://localhost:{other.port}/b.rss"]]
        other.extra["/"] = lambda: page(alternate("/b.rss") + alternate("/c.rss"))
        put(other, c_rss=rss("/3"))
        code, out, _ = program(capsys, "-c", str(file), "sites", "discover", "--all", "--write", "--json")
        assert (code, [len(each["site"]["feeds"]) for each in json.loads(out)]) == (0, [1, 2])
        assert tomllib.loads(file.read_text())["site"][1]["feeds"][-1].endswith("/c.rss")


def test_sites_are_named_on_standard_input_and_searched_at_the_same_time(
    paper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names of sites and addresses, one a line. Each front page waits until the other is requested."""
    barrier = Barrier(2)
    with served(Newspaper(articles=3)) as other:
        for each, name in ((paper, "a"), (other, "b")):
            body = page(alternate(f"/{name}.rss"))
            each.extra["/"] = lambda body=body: (barrier.wait(PATIENCE), body)[1]
            put(each, **{f"{name}_rss": rss("/1")})
        file = tmp_path / "corpus.toml"
        private = [f"127.0.0.1:{paper.port}", f"localhost:{other.port}"]
        site = f"[[site]]\nname = 'mine'\nstart = ['{paper.origin}/']\n"
        file.write_text(
            f"corpus.contact = 'me@example.org'\ncrawl.allow_private = {private}\ncrawl.delay = 0.0\n{site}"
        )
        text = f"# papers\nmine\nhttp://localhost:{other.port}/\n".encode()
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
        code, _, reported = program(capsys, "-c", str(file), "sites", "discover", "-", "--write")
    assert code == 0, reported
    written = tomllib.loads(file.read_text())["site"]
    assert [site["feeds"] for site in written] == [[f"{paper.origin}/a.rss"], [f"http://localhost:{other.port}/b.rss"]]
    assert written[0]["name"] == "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Name addresses or files, or add --all."),
        (("--all", "https://a.example/"), "Name addresses or files, or add --all."),
        (("--all",), "there is no [[site]]"),
        (("empty.txt",), "has no entry"),
        (("papers.txt",), "there is no such file"),
    ],
)
def test_what_is_to_be_discovered_must_be_named(
    tmp_path: Path,
    arguments: tuple[str, ...],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 2, before the first request."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.toml").write_text("corpus.contact = 'me@example.org'\n")
    (tmp_path / "empty.txt").write_text("# nothing yet\n")
    code, _, reported = program(capsys, "sites", "discover", *arguments)
    assert (code, words in reported) == (2, True), reported


def test_known_newspapers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts by language, all fields of the newspapers of a language, and the same as JSON."""
    assert program(capsys, "sites", "list")[1].splitlines()[1] == "language\tcount\tchecked"
    code, out, _ = program(capsys, "sites", "list", "--language", "vi")
    lines = [line.split("\t") for line in out.splitlines()]
    assert (code, lines[0]) == (0, [f"# Known newspapers in vi: {len(lines) - 2}"])
    assert lines[1] == ["name", "homepage", "language", "country", "timezone", "feeds", "terms", "checked"]
    assert lines[2][:5] == ["vnexpress", "https://vnexpress.net/", "vi", "VN", "Asia/Ho_Chi_Minh"]
    listed = json.loads(program(capsys, "sites", "list", "--language", "vi,lo", "--json")[1])
    assert {paper["language"] for paper in listed} == {"vi", "lo"}
    assert listed[0]["feeds"] == ["https://vnexpress.net/rss/tin-moi-nhat.rss"]
    assert listed[0]["origin"] == "flairNLP/fundus"


@pytest.mark.parametrize("language", presets.languages())
def test_a_list_of_newspapers_fits_a_terminal(
    language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is longer than 80 columns, with the time zone and the address of each newspaper."""
    monkeypatch.setattr(Console, "on_terminal", property(lambda _: True))
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = program(capsys, "sites", "list", "--language", language)
    assert max(map(cell_len, out.splitlines())) <= 80
    assert all(paper.site.timezone in out for paper in presets.newspapers(language))


@pytest.mark.parametrize(("language", "code", "words"), [("vn", 2, "did you mean vi"), ("en", 0, "No newspaper is")])
def test_a_language_without_known_newspapers_is_reported(
    language: str, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A code that does not exist is an error. A language without newspapers is none."""
    found, _, reported = program(capsys, "sites", "list", "--language", language)
    assert (found, words in reported) == (code, True)
