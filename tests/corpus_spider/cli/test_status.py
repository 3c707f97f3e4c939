"""Tables of `status` and of the summary of a crawl."""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from corpus_spider.api.status import CorpusStatus
from corpus_spider.cli.monitoring_commands import write_sites
from corpus_spider.cli.status import render
from corpus_spider.monitoring.run_state import run_state
from corpus_spider.terminal.console import Console
from corpus_spider.terminal.values import in_local_time
from storage.documents.model import CountRow, Status
from storage.records import UrlState

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = "# Corpus\nwhat\tcount\ndocuments\t3\nduplicates\t1\nfetches\t9\n"


def status(last_run: Mapping[str, str], *failed: CountRow) -> CorpusStatus:
    return CorpusStatus.of(
        Status(3, 1, 9, by_language=(CountRow("vi", 3, 900),), failed=failed, last_run=dict(last_run))
    )


def test_each_group_is_a_table_and_empty_ones_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Totals first, then what there is."""
    render(status({}, CountRow("http_\x1b[2J404", 2), CountRow("dns", 1)), Console())
    assert capsys.readouterr().out == (
        HEAD + "# Languages\nlanguage\tdocuments\tcharacters\nvi\t3\t900\n"
        "# URLs that failed\nreason\tcount\tmeaning\nhttp_\\x1b[2J404\t2\t\n"
        "dns\t1\tthe name of the host does not resolve\n"
    )


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ('{"pages": 5, "bytes": 2048, "spilled": 3, "x": {"y": 1}}', "id\t1\npages\t5\nreceived\t2.0 KiB\n"),
        ('{"refused": 2, "first_failure": "", "next_try": null}', "id\t1\nforbidden by robots.txt\t2\n"),
        ("", "id\t1\n"),
        ("not JSON", "id\t1\n"),
        ('["pages", 5]', "id\t1\n"),
        ('"pages"', "id\t1\n"),
    ],
)
def test_the_last_run_shows_what_it_noted_of_itself(
    capsys: pytest.CaptureFixture[str], summary: str, expected: str
) -> None:
    """The summary is spread over lines; one that cannot be read (the run died) is no error."""
    render(status({"id": "1", "summary": summary}), Console())
    assert capsys.readouterr().out.endswith(f"# {in_local_time('Last run')}\nwhat\tvalue\n{expected}")


def test_sites_show_what_is_pending_and_states_what_they_mean(capsys: pytest.CaptureFixture[str]) -> None:
    """A site without a document has a row when it is configured or URLs wait, and each state has its explanation."""
    states = tuple(CountRow(state.value, 1) for state in UrlState)
    found = Status(3, 0, 3, by_site=(CountRow("a", 3, 900),), by_state=states, pending={"a": 2, "b": 5})
    render(CorpusStatus.of(found, sites=("c", "a")), Console())
    shown = capsys.readouterr().out
    assert "# Sites\nsite\tdocuments\tcharacters\tpending\na\t3\t900\t2\nb\t0\t0\t5\nc\t0\t0\t0\n" in shown
    assert "failed\t1\tgiven up\n" in shown


HERE = socket.gethostname()


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, ""),
        ({"finished": "2026-01-01", "exit_code": "0"}, "ended"),
        ({"pid": str(os.getpid()), "host": HERE}, "running"),
        ({"pid": "999999999", "host": HERE}, "died"),
        ({"pid": "9" * 20, "host": HERE}, "died"),
        ({"pid": "1", "host": "elsewhere.invalid"}, "running on elsewhere.invalid, or died there"),
    ],
)
def test_the_last_run_is_running_or_has_ended(known: dict[str, str], expected: str) -> None:
    """A run that noted no end is running while its process lives."""
    state = run_state(known)
    assert state.startswith(expected)
    assert bool(state) is bool(expected)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"id": "1"}, {"id": 1}),
        ({"exit_code": "8", "summary": '{"pages": 5}'}, {"exit_code": 8, "summary": {"pages": 5}}),
        ({"summary": "not JSON"}, {"summary": {}}),
        ({"started": "2026-11-23T08:00:00+00:00"}, {"started": datetime(2026, 11, 23, 8, tzinfo=UTC)}),
    ],
)
def test_the_json_says_how_the_last_run_stands(known: dict[str, str], expected: dict[str, Any]) -> None:
    """Programs get what people get, numbers as numbers and times as times."""
    plain = CorpusStatus.of(Status(3, 0, 3, last_run=known), run_state="ended")
    assert plain.last_run == {"state": "ended"} | expected


def test_the_json_counts_under_the_names_that_a_crawl_and_an_export_have() -> None:
    """A row for each language and site, with what is pending there; states and reasons by their names."""
    found = Status(
        *(3, 0, 4),
        by_language=(CountRow("vi", 3, 900),),
        by_site=(CountRow("a", 3, 900),),
        by_state=(CountRow("done", 4),),
        dropped=(CountRow("listing", 1),),
        pending={"a": 2},
    )
    plain = msgspec.to_builtins(CorpusStatus.of(found, sites=("a", "b")))
    assert plain["languages"] == [{"language": "vi", "documents": 3, "chars": 900}]
    assert plain["sites"] == [
        {"site": "a", "documents": 3, "chars": 900, "pending": 2},
        {"site": "b", "documents": 0, "chars": 0, "pending": 0},
    ]
    assert (plain["urls"], plain["dropped"], plain["failed"]) == ({"done": 4}, {"listing": 1}, {})


def test_the_summary_of_a_crawl_separates_attempts_from_urls() -> None:
    """A URL that fails three times gives three failed attempts. It does not count as a URL that failed."""
    summary = {"sites": [], "failed": {"http_500": 9}, "refused": 1, "pages": 4}
    expected = {"failed attempts": {"http_500": 9}, "forbidden by robots.txt": 1, "pages": 4}
    assert write_sites(summary, Console(quiet=True)) == expected
