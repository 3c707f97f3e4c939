"""Writer thread: groups fill while pages arrive, order is kept, the first error ends all writing."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pipelines.runtime.writer import GROUP, GROUP_LINKS, Writer
from storage.errors import DiskError
from storage.records import Capture, Drop, Fetched, Lease, Link, Pointer, Processed
from tests.corpus_spider.running import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEASE = Lease(1, "http://a.example/", "http://a.example/", "a", "a.example")


def fetched(number: int) -> Fetched:
    return Fetched(Capture(f"http://a.example/{number}", datetime.now(UTC), 200, (), (), b""), LEASE)


class Ledger:
    """An archive and a store in one that note what they are given, and wait or fail when a test says so."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.outcomes: list[int] = []
        self.commits: list[int] = []
        """How many outcomes were committed together."""
        self.gate = threading.Event()
        self.gate.set()
        self.fail = False

    def append(self, captures: Sequence[Capture], originals: Sequence[object]) -> list[Pointer]:
        assert self.gate.wait(PATIENCE)
        if self.fail:
            raise DiskError("full")
        self.groups.append([capture.url for capture in captures])
        return [Pointer("w", 0, 1, capture.url, "d") for capture in captures]

    @property
    def fetches(self) -> Ledger:
        return self

    @property
    def documents(self) -> Ledger:
        return self

    def record_fetched(self, run_id: int, group: Sequence[tuple[Fetched, Pointer]]) -> list[int]:
        return [int(pointer.record_id.rpartition("/")[2]) for _, pointer in group]

    def record_processed(
        self, group: Sequence[tuple[int, Lease, Processed]], *, again: bool = False
    ) -> dict[int, Processed]:
        self.outcomes += [fetch_id for fetch_id, _, _ in group]
        self.commits.append(len(group))
        return {fetch_id: processed for fetch_id, _, processed in group}


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def writer(ledger: Ledger) -> Iterator[Writer]:
    writer = Writer(1, ledger, ledger)
    yield writer
    ledger.gate.set()
    writer.close()


def test_each_future_gets_the_id_of_its_own_exchange(writer: Writer) -> None:
    futures = [writer.fetched(fetched(number)) for number in range(300)]
    assert [future.result(PATIENCE) for future in futures] == list(range(300))


def test_what_gathers_while_a_group_is_written_becomes_the_next_group(writer: Writer, ledger: Ledger) -> None:
    ledger.gate.clear()
    futures = [writer.fetched(fetched(number)) for number in range(2 * GROUP)]
    ledger.gate.set()
    for future in futures:
        future.result(PATIENCE)
    assert max(map(len, ledger.groups)) > GROUP // 2
    assert len(ledger.groups) < 2 * GROUP


def test_a_page_that_comes_alone_is_written_without_another_to_push_it(writer: Writer, ledger: Ledger) -> None:
    assert writer.fetched(fetched(1)).result(PATIENCE) == 1
    writer.processed(1, LEASE, Processed(drop=Drop("x"))).result(PATIENCE)
    assert (ledger.groups, ledger.outcomes) == ([["http://a.example/1"]], [1])


def test_pages_that_keep_coming_wait_for_each_other_and_not_for_ever(writer: Writer, ledger: Ledger) -> None:
    """However large the disk's answer makes the pause that ends a group, its first page's patience ends it too."""
    writer._groups["fetched"].quiet, writer._groups["fetched"].patience = 3600.0, 1.0
    gate = threading.Event()
    writer.call(lambda: gate.wait(PATIENCE))
    first, *_ = [writer.fetched(fetched(number)) for number in range(3)]
    gate.set()
    assert first.result(PATIENCE) == 0
    assert [len(group) for group in ledger.groups] == [3]


def test_a_lease_does_not_wait_for_a_group_to_fill(writer: Writer) -> None:
    writer._groups["processed"].quiet = writer._groups["processed"].patience = 3600.0
    waiting = writer.processed(1, LEASE, Processed(drop=Drop("x")))
    assert writer.call(lambda: "leased").result(PATIENCE) == "leased"
    assert not waiting.done()


def test_no_group_is_larger_than_the_bound(writer: Writer, ledger: Ledger) -> None:
    ledger.gate.clear()
    futures = [writer.fetched(fetched(number)) for number in range(5 * GROUP)]
    ledger.gate.set()
    for future in futures:
        future.result(PATIENCE)
    assert max(map(len, ledger.groups)) <= GROUP


def test_no_more_links_are_committed_together_than_fill_a_group(writer: Writer, ledger: Ledger) -> None:
    """A hundred sitemaps in one transaction took gigabytes and minutes, in which nothing was leased."""
    ledger.gate.clear()
    # The next requests wait in the queue until the gate opens.
    waiting = writer.fetched(fetched(1))
    links = (Link("http://a.example/1", "http://a.example/1", "a.example"),) * (GROUP_LINKS // 2)
    futures = [writer.processed(number, LEASE, Processed(drop=Drop("sitemap"), links=links)) for number in range(9)]
    ledger.gate.set()
    waiting.result(PATIENCE)
    for future in futures:
        future.result(PATIENCE)
    assert max(ledger.commits) == 2
    assert ledger.outcomes == list(range(9))


def test_after_an_error_nothing_more_is_written_and_everybody_is_reported(writer: Writer, ledger: Ledger) -> None:
    ledger.fail = True
    with pytest.raises(DiskError):
        writer.fetched(fetched(1)).result(PATIENCE)
    ledger.fail = False
    with pytest.raises(DiskError):
        writer.fetched(fetched(2)).result(PATIENCE)
    with pytest.raises(DiskError):
        writer.processed(1, LEASE, Processed(drop=Drop("x"))).result(PATIENCE)
    assert (ledger.groups, ledger.outcomes) == ([], [])
    assert isinstance(writer.error, DiskError)


def test_closing_finishes_what_is_queued(ledger: Ledger) -> None:
    writer = Writer(1, ledger, ledger)
    futures = [writer.processed(number, LEASE, Processed(drop=Drop("x"))) for number in range(50)]
    called = writer.call(lambda: "done")
    writer.close()
    assert all(future.done() for future in futures)
    assert called.result(0) == "done"
    assert ledger.outcomes == list(range(50))


def test_a_waiter_that_was_cancelled_does_not_end_the_writing(writer: Writer, ledger: Ledger) -> None:
    """Stopping a crawl cancels who waits for leases; pages in flight are still made durable."""
    ledger.gate.clear()
    writer.fetched(fetched(1))
    cancelled = [writer.fetched(fetched(2)), writer.call(lambda: "a lease nobody takes")]
    assert all(future.cancel() for future in cancelled)
    ledger.gate.set()
    assert writer.fetched(fetched(3)).result(PATIENCE) == 3
    assert "http://a.example/2" in [url for group in ledger.groups for url in group]
