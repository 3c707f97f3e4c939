"""Progress of a crawl, while it runs and when it ends."""

from __future__ import annotations

import os
import pty
import sys
import time
from collections import Counter
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from corpus_spider.terminal.crawl_words import CrawlLimits, closing_words, details, words
from corpus_spider.terminal.progress import live_text
from pipelines.runtime.counters import PipelineCounts, SiteCounts

SUMMARY: dict[str, Any] = {
    "limit": "",
    "pages": 268,
    "documents": 84,
    "dropped": {},
    "failed": {},
    "refused": 0,
    "first_failure": "",
    "pending": 0,
    "unread": 0,
    "next_try": None,
}
IDLE = SUMMARY | {"pages": 0, "documents": 0}
OFFLINE = "Is this machine online? `corpus-spider doctor --network` checks it."
GO_ON = "Run the same command to resume."


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({}, 0, "Done: 268 pages fetched, 84 documents; nothing more is due."),
        (
            {"pending": 3, "next_try": 0.0},
            0,
            "Done: 268 pages fetched, 84 documents; 3 URLs wait for the next crawl.",
        ),
        ({"pending": 2773}, 11, f"Stopped by a signal: 268 pages fetched, 84 documents, 2,773 URLs pending. {GO_ON}"),
        ({"pending": None}, 11, f"Stopped by a signal: 268 pages fetched, 84 documents. {GO_ON}"),
        (
            {"pending": 1, "limit": "time_limit"},
            12,
            f"Stopped at time_limit: 268 pages fetched, 84 documents, 1 URL pending. {GO_ON}",
        ),
        (
            {"pending": 2, "unread": 40, "limit": "time_limit"},
            12,
            "Stopped at time_limit: 268 pages fetched, 84 documents, 40 pages not processed yet, 2 URLs pending. "
            + GO_ON,
        ),
        ({}, 1, f"Ended by an error: 268 pages fetched, 84 documents. {GO_ON}"),
        (
            IDLE | {"failed": {"dns": 2}, "first_failure": "dns (news.example)"},
            7,
            f"Nothing could be fetched. No host name could be resolved. {OFFLINE}",
        ),
        (
            IDLE | {"failed": {"dns": 1, "timeout": 1}, "first_failure": "dns (news.example)"},
            7,
            "Nothing could be fetched. First reason: dns (news.example).",
        ),
        (
            IDLE
            | {"failed": {"robots_unreachable": 1}, "first_failure": "robots_unreachable (a b, http://a.example/feed)"}
            | {"first_failed_site": "a b"},
            7,
            (
                "Nothing could be fetched. First reason: robots_unreachable (a b, http://a.example/feed). "
                "`corpus-spider sites check 'a b'` checks its sources."
            ),
        ),
        (IDLE | {"refused": 2}, 7, "Nothing could be fetched. First reason: robots.txt forbids every URL."),
        (
            IDLE | {"pages": 1, "dropped": {"http_403": 1}},
            7,
            "Nothing could be fetched. First reason: http_403.",
        ),
        (IDLE, 0, "Nothing is due."),
    ],
)
def test_the_last_line_says_how_a_crawl_ended(changes: dict[str, Any], code: int, words: str) -> None:
    """And what to do about what is left."""
    assert closing_words(SUMMARY | changes, code) == words


def test_urls_that_wait_are_named_with_the_next_try_in_local_time() -> None:
    """The hour is enough for today; another day is named too."""
    soon = time.time()
    today = closing_words(IDLE | {"pending": 1, "next_try": soon}, 0)
    assert today == f"Nothing is due; 1 URL waits, next attempt at {time.strftime('%H:%M', time.localtime(soon))}."
    later = soon + 3 * 86400
    day = time.strftime("%Y-%m-%d at %H:%M", time.localtime(later))
    assert (
        closing_words(IDLE | {"pending": 2, "next_try": later}, 0)
        == f"Nothing is due; 2 URLs wait, next attempt {day}."
    )


def busy() -> Any:
    """The counters of a crawl that is busy in every way."""
    counts = SimpleNamespace(
        pages=123_456,
        bytes=9_876 * 2**20,
        documents=65_432,
        unchanged=2_345,
        drops=Counter(listing=34_567),
        failures=Counter(dns=1_234),
        refused=456,
    )
    return SimpleNamespace(counts=counts, held=[0] * 17, waiting=3)


@pytest.mark.parametrize("width", [160, 119, 100, 80, 60, 50])
def test_a_narrow_terminal_keeps_the_counts(width: int) -> None:
    """Pages, documents and pending URLs stay; the rest is left out, the least important first."""
    line = words(busy(), 3600.0, 78_901, width)
    assert len(line) <= max(width, 50)
    for count in ("123,456 fetched", "65,432 documents", "78,901 pending"):
        assert count in line
    assert words(busy(), 3600.0, 78_901).startswith(words(busy(), 3600.0, 78_901, 200))


def read_all(terminal: int) -> bytes:
    """Read and close a terminal whose other end is closed. One read may return only a part; the end is an error."""
    parts = []
    with os.fdopen(terminal, "rb", buffering=0) as reading, suppress(OSError):
        while part := reading.read(1 << 16):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("width", [119, 80, 60])
def test_a_narrow_terminal_keeps_the_clock_and_one_line(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a terminal of that width gets is the clock and the counts, in a line that does not wrap."""
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with live_text(lambda room: words(busy(), 3600.0, 78_901, room), print) as show:
            show()
        monkeypatch.undo()
    shown = read_all(ours).decode()
    # It may be drawn more than once, with another picture of the spinner.
    drawn = [each for each in shown.replace("\r", "\n").splitlines() if "pending" in each]
    assert drawn
    for line in drawn:
        assert "0:00:0" in line
        assert "123,456 fetched" in line
        assert "78,901 pending" in line


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (CrawlLimits(), None),
        (CrawlLimits(pages=200), 100.0),
        (CrawlLimits(seconds=130.0), 30.0),
        (CrawlLimits(bytes=3 * 2**20), 200.0),
        (CrawlLimits(pages=200, seconds=130.0), 30.0),
        (CrawlLimits(pages=50), 0.0),
    ],
)
def test_the_time_left_is_that_of_the_first_limit(limits: CrawlLimits, expected: float | None) -> None:
    """At the rate so far: 100 pages and 1 MiB in 100 seconds."""
    assert limits.left(PipelineCounts(pages=100, bytes=2**20), 100.0) == expected
    assert limits.left(PipelineCounts(), 0.0) in {None, limits.seconds}


def test_the_line_says_how_much_time_is_left_if_it_fits() -> None:
    assert "30 s left" in words(busy(), 100.0, 78_901, limits=CrawlLimits(seconds=130.0))
    assert len(words(busy(), 100.0, 78_901, 50, CrawlLimits(seconds=130.0))) <= 60


def test_a_wide_terminal_shows_the_busiest_sites_and_the_reasons() -> None:
    """Most pages first, five at most. Below 120 columns nothing is added."""
    counts = PipelineCounts(drops=Counter(listing=1500, no_article=3))
    counts.sites.update({f"site-{number}": SiteCounts(pages=number * 1000) for number in range(1, 7)})
    counts.sites["site-6"].failed = 2
    found = details(counts, 100.0, 120)
    assert found[0] == "site-6  6,000 fetched  60.0/s  0 documents  2 failed"
    assert [line[:6] for line in found[:5]] == ["site-6", "site-5", "site-4", "site-3", "site-2"]
    assert found[5:] == ["without text: listing 1,500, no_article 3"]
    assert details(counts, 100.0, 119) == []
    assert details(PipelineCounts(), 1.0, 200) == []
