"""Console output: plain lines, JSON, and no control sequences from pages."""

from __future__ import annotations

import io
import json
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console as RichConsole
from rich.progress import Progress

from corpus_spider.terminal.console import Console, to_json
from corpus_spider.terminal.escapes import readable, safe, safe_lines
from corpus_spider.terminal.headings import heading
from corpus_spider.terminal.log_lines import OneLine, RateLimit, start_logging
from corpus_spider.terminal.progress import bar_columns
from corpus_spider.terminal.values import human_size
from tests.corpus_spider.running import until


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Báo Việt صحيفة", "Báo Việt صحيفة"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("one\r\ntwo", "one\\x0d\\x0atwo"),
        ("\x9b2J", "\\x9b2J"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("a\u2028b", "a\\u2028b"),
        ("\ud800", "\\ud800"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("\u200cمی\u200dخواهم", "\u200cمی\u200dخواهم"),
        ("x" * 600, "x" * 499 + "…"),
    ],
)
def test_control_and_direction_characters_are_shown_not_obeyed(text: str, expected: str) -> None:
    """Escapes for everything a terminal might act on, and the letters of every script as they are."""
    assert safe(text) == expected


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (
            "https://a.example/%D8%AE%D8%A8%D8%B1/1?q=%E0%B8%82%E0%B9%88%E0%B8%B2%E0%B8%A7",
            "https://a.example/خبر/1?q=ข่าว",
        ),
        ("https://a.example/%D9%85%DB%8C%E2%80%8C%D8%B1%D9%88%D8%AF", "https://a.example/می\u200cرود"),
        ("https://a.example/a%20b%2Fc%25%D8%AE", "https://a.example/a%20b%2Fc%25خ"),
        ("https://a.example/%E2%80%AEgpj%C2%A0%C2%AD", "https://a.example/%E2%80%AEgpj%C2%A0%C2%AD"),
        ("https://a.example/%D8%AE%D8", "https://a.example/خ%D8"),
        ("https://a.example/caf%E9", "https://a.example/caf%E9"),
        ("100%D8%AE", "100%D8%AE"),
    ],
)
def test_addresses_are_shown_in_the_letters_of_their_language(address: str, shown: str) -> None:
    """Those that are in UTF-8; spaces, marks of direction and signs stay escaped."""
    assert readable(address) == shown


@given(st.lists(st.one_of(st.text(max_size=5), st.binary(max_size=4)), max_size=6))
def test_an_address_that_is_shown_in_letters_is_the_same_one(parts: list[str | bytes]) -> None:
    """Copied from the terminal, it leads to the same place, and it drives no terminal."""
    address = "https://a.example/" + "".join(map(quote, parts))
    shown = readable(address)
    assert unquote_to_bytes(shown) == unquote_to_bytes(address)
    assert safe(shown, None) == shown
    assert " " not in shown


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec=None)))
def test_no_text_reaches_the_terminal_with_a_control_character(text: str) -> None:
    """Any input from the web gives one line of printable UTF-8; with line ends kept, line ends and no more."""
    assert len(safe(text, None).splitlines()) <= 1
    safe(text, None).encode("utf-8")
    assert {one for one in safe_lines(text) if ord(one) < 32} <= {"\n"}


@dataclass
class Sample:
    """A report of several kinds of value."""

    when: datetime
    where: Path
    digest: bytes
    title: str


def test_reports_become_json_that_is_safe_on_a_terminal_and_reads_back() -> None:
    """Dates, paths and bytes are written plainly; hostile characters as JSON escapes."""
    title = "\x1b\x9b\u202e\ud800\U000e0041é"
    text = to_json(Sample(datetime(2026, 1, 2, tzinfo=UTC), Path("/a"), b"\x01\xff", title))
    assert json.loads(text) == {"when": "2026-01-02T00:00:00Z", "where": "/a", "digest": "01ff", "title": title}
    assert safe_lines(text) == text
    assert "é" in text


def test_tables_are_tab_separated_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe gets a title line, a header and one line a row, with any cells."""
    Console().table("Sites", ("name", "count"), [("a\tb\nc", 1), ("[red]x", 0.5)])
    assert capsys.readouterr().out == "# Sites\nname\tcount\na\\x09b\\x0ac\t1\n[red]x\t0.500\n"


def test_tables_are_drawn_on_a_terminal_without_reading_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Square brackets of a title are text, not colours, and escape sequences stay visible."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    Console().table("Sites", ("name",), [("[red]x[/red] \x1b[2J",)])
    drawn = capsys.readouterr().out
    assert "[red]x[/red] \\x1b[2J" in drawn
    assert "\x1b[2J" not in drawn


def test_results_are_raw_in_a_pipe_and_safe_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file gets the text as it is; a terminal never gets its control characters."""
    Console().result("a\x1bb\nc")
    assert capsys.readouterr().out == "a\x1bb\nc\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    Console().result("a\x1bb\nc")
    assert capsys.readouterr().out == "a\\x1bb\nc\n"


def test_a_summary_shows_values_groups_and_lists(capsys: pytest.CaptureFixture[str]) -> None:
    """Any report can be read by people without code of its own."""
    Console().summary(
        {"pages": 3, "dropped": {"http_404": 1}, "problems": ["x"], "sites": [{"a": 1}, {"b": 2}], "no": []}
    )
    assert capsys.readouterr().out == (
        "# Summary\nwhat\tvalue\npages\t3\n# dropped\nwhat\tvalue\nhttp_404\t1\n"
        "# problems\nproblems\nx\n# sites\na\tb\n1\t\n\t2\n"
    )


def test_internals_of_a_summary_are_for_the_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    """What only the program's makers read is left out unless -v is given; bytes are in units."""
    report = {"bytes": 826688, "spilled": 0, "seconds": {"fetch": 0.1}}
    Console().summary(report, {"spilled", "seconds"})
    assert capsys.readouterr().out == "# Summary\nwhat\tvalue\nbytes\t807.3 KiB\n"
    Console(verbose=True).summary(report, {"spilled", "seconds"})
    assert capsys.readouterr().out.endswith("spilled\t0\n# seconds\nwhat\tvalue\nfetch\t0.100\n")


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (3 * 2**30, "3.0 GiB"), (2**52, "4096.0 TiB")],
)
def test_sizes_are_written_in_units(count: int, expected: str) -> None:
    """With one digit after the point from 1 KiB on."""
    assert human_size(count) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(1767225600.5, "2026-01-01T00:00:00+00:00"), (0.0, "at once"), (None, "")]
)
def test_the_next_try_is_a_time(capsys: pytest.CaptureFixture[str], value: float | None, expected: str) -> None:
    """Seconds since 1970 become a date."""
    Console().summary({"next_try": value})
    assert capsys.readouterr().out.endswith(f"next_try\t{expected}\n")


@pytest.mark.parametrize(("no_color", "styled"), [("", True), ("1", False)])
def test_no_color_leaves_no_escape_in_a_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, no_color: str, styled: bool
) -> None:
    """Where NO_COLOR is set, bold is gone as well as colours."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", no_color)
    Console().table("Sites", ("name",), [("x",)])
    assert ("\x1b" in capsys.readouterr().out) is styled


def test_what_a_crawl_came_to_fits_a_terminal_of_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No name of a site or a column is broken over two lines."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    header = ("site", "found", "fetched", "unchanged", "articles", "refused", "stored", "seconds")
    Console().table("Sites", header, [("vietnamnet", 5, 10, 0, 5, 0, "22.2 KiB", "3")])
    title, names, _, row, *_ = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert (title, names) == (["Sites"], [heading(name) for name in header])
    assert row == ["vietnamnet", "5", "10", "0", "5", "0", "22.2", "KiB", "3"]


def test_progress_outside_a_terminal_is_rare_and_quiet_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    """A log file is not filled with progress."""
    for console in (Console(), Console(quiet=True)):
        with console.progress("pages", 1000) as show:
            for count in range(1000):
                show(count)
    assert capsys.readouterr().err == ""


def test_progress_outside_a_terminal_is_reported_when_it_is_due(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long work says now and then how far it is."""
    monkeypatch.setattr("corpus_spider.terminal.progress.PLAIN_SECONDS", 0.01)
    with Console().progress("pages", 9) as show:
        show(4)
        wait_for(capsys, "pages: 4 of 9\n")


def test_a_line_comes_while_one_step_is_busy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest step is repeated, because a query that takes minutes reports nothing itself."""
    monkeypatch.setattr("corpus_spider.terminal.progress.PLAIN_SECONDS", 0.01)
    with Console().stages() as show:
        show("rows copied", 70, None)
        wait_for(capsys, "rows copied: 70\n")
        show("rules checked", 2, 9)
        wait_for(capsys, "rules checked: 2 of 9\nrules checked: 2 of 9\n")


def wait_for(capsys: pytest.CaptureFixture[str], expected: str) -> None:
    """Wait until standard error has this text."""
    seen: list[str] = []

    def has_come() -> bool:
        seen.append(capsys.readouterr().err)
        return expected in "".join(seen)

    until(has_come, lambda: seen[-5:], patience=30.0)


def test_progress_on_a_terminal_is_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar is drawn on standard error and leaves standard output alone."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with Console().progress("pages", 2) as show:
        show(2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "pages" in captured.err


@pytest.mark.parametrize(("is_terminal", "counted"), [(True, 1), (False, 0)])
def test_how_much_there_is_is_counted_for_a_bar_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool, counted: int
) -> None:
    """Elsewhere no person waits for it."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    monkeypatch.setattr("corpus_spider.terminal.progress.PLAIN_SECONDS", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    asked: list[int] = []
    with Console().progress("pages", lambda: asked.append(1) or 7) as show:  # type: ignore[func-returns-value]
        show(3)
        if not is_terminal:
            wait_for(capsys, "pages: 3\n")
    assert len(asked) == counted
    assert not is_terminal or "3/7" in capsys.readouterr().err


def test_a_log_event_is_one_line() -> None:
    """A URL with a line break cannot forge a second event."""
    record = logging.LogRecord("x", logging.INFO, "", 0, "got %s", ("http://a/\n2026 ERROR forged\x1b[2J",), None)
    line = OneLine("%(levelname)s %(message)s").format(record)
    assert line == "INFO got http://a/\\x0a2026 ERROR forged\\x1b[2J"


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("DEBUG", ["ours debug", "ours info", "theirs info", "theirs warning"]),
        ("INFO", ["ours info", "theirs warning"]),
        ("WARNING", ["theirs warning"]),
    ],
)
def test_the_log_holds_our_events_and_the_warnings_of_others(
    capsys: pytest.CaptureFixture[str], level: str, expected: list[str]
) -> None:
    """Libraries are heard at -v only, unless they warn."""
    start_logging(level)
    ours, theirs = logging.getLogger("corpus_spider.x"), logging.getLogger("scrapy.x")
    for logger, severity, text in (
        (ours, logging.DEBUG, "ours debug"),
        (ours, logging.INFO, "ours info"),
        (theirs, logging.INFO, "theirs info"),
        (theirs, logging.WARNING, "theirs warning"),
    ):
        logger.log(severity, text)
    assert [line.partition(": ")[2] for line in capsys.readouterr().err.splitlines()] == expected


def test_a_message_that_a_site_can_have_said_for_every_page_is_said_some_times_an_hour(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ten thousand pages leave less than a megabyte, however long their addresses; other messages are not held up."""
    start_logging("INFO")
    log = logging.getLogger("pipelines.runtime.workers")
    for number in range(10_000):
        log.warning("worker crashed on %s", f"http://a.example/{number}/{'x' * 1500}")
        logging.getLogger("library").warning(f"it said {number} things, 100 % of them")
    log.warning("another message")
    said = capsys.readouterr().err
    lines = said.splitlines()
    assert len(said) < 10**6
    assert len(lines) == 401
    assert "another message" in lines[-1]
    assert ["similar messages are omitted for an hour" in line for line in lines] == [False] * 398 + [True] * 2 + [
        False
    ]


def test_what_was_left_out_of_the_log_is_counted_an_hour_later() -> None:
    """The first message of the next hour says how many there were."""
    now = [0.0]
    sparing = RateLimit(2, lambda: now[0])

    def shown(value: str) -> str | None:
        record = logging.LogRecord("storage.x", logging.INFO, "", 0, "it is %s", (value,), None)
        return record.getMessage() if sparing.filter(record) else None

    assert [shown("a"), shown("100 %"), shown("c"), shown("d")] == [
        "it is a",
        "it is 100 % (similar messages are omitted for an hour)",
        None,
        None,
    ]
    now[0] = RateLimit.HOUR
    assert shown("e") == "it is e (2 similar messages omitted)"
    assert shown("f") == "it is f (similar messages are omitted for an hour)"
    assert shown("g") is None


def test_the_fullest_log_leaves_nothing_out(capsys: pytest.CaptureFixture[str]) -> None:
    """-v is for looking into what happens."""
    start_logging("DEBUG")
    for _ in range(300):
        logging.getLogger("pipelines.runtime.workers").warning("worker crashed")
    assert len(capsys.readouterr().err.splitlines()) == 300


@pytest.mark.parametrize("columns", [32, 40, 60, 79, 80, 120])
def test_a_bar_keeps_its_clock_and_counts_in_a_narrow_terminal(columns: int) -> None:
    """The step is cut, and the bar is left out below 80 columns."""
    screen = RichConsole(file=io.StringIO(), width=columns, force_terminal=True, color_system=None)
    progress = Progress(*bar_columns(columns), console=screen)
    task = progress.add_task("computing the fingerprints again from the texts", total=123_456)
    progress.update(task, completed=100_000)
    screen.print(progress.get_renderable())
    (line,) = screen.file.getvalue().rstrip("\n").split("\n")
    assert "0:00:00 comput" in line
    assert line.rstrip().endswith("100000/123456")
    assert ("━" in line) == (columns >= 80)
