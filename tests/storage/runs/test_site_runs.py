"""Per-site counters of a run, computed from its rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.database.schema import run, run_site
from storage.records import Failure, Fetched, Kind, Original, UrlState
from storage.runs.site_runs import SiteRun, column_of
from tests.storage.corpus_samples import NOON, Crawl, capture, dropped, fingerprint, link, made

if TYPE_CHECKING:
    from storage.corpus import Corpus

SITE = "a.example"


class Night(Crawl):
    """A run that says which site it holds."""

    def __post_init__(self) -> None:
        self.run_id = self.corpus.runs.start("{}", [self.site])

    def end(self, code: int = 0) -> SiteRun:
        self.corpus.runs.recount([self.site])
        self.corpus.runs.finish(self.run_id, code, "{}")
        return self.counts()

    def counts(self) -> SiteRun:
        (found,) = self.corpus.runs.by_site([self.site], run_id=self.run_id)
        return found


OUTCOMES = [
    made("one", link("found/1"), link("found/2"), published="2026-03-01"),
    made("again", prints=fingerprint("same")),
    made("again and", prints=fingerprint("same")),
    dropped("language"),
    dropped("firewall"),
    dropped("paywall"),
    dropped("http_403"),
    dropped("http_404"),
    dropped("soft_404"),
    dropped("script_only"),
    dropped("no_article", detail="0 characters"),
    dropped("no_article", detail="90 characters"),
    dropped("listing"),
    dropped("worker_timeout"),
]
EXPECTED = {
    "found": 2,
    "fetched": 14,
    "articles": 3,
    "undated": 2,
    "duplicates": 1,
    "language": 1,
    "refused": 3,
    "http_errors": 1,
    "no_text": 4,
    "short": 1,
    "failed": 0,
    "bytes": 1400,
    "unchanged": 0,
    "versions": 0,
    "robots": 0,
    "awaiting": 0,
}
REASONS = {"firewall": 1, "geo_block": 0, "no_text": 1, "short": 1, "listing": 1, "http_403": 1, "worker_timeout": 1}


def test_each_outcome_is_counted_once_where_it_belongs(corpus: Corpus) -> None:
    """Found, new, refused and why, without text, short, undated, wrong language, duplicates, bytes."""
    night = Night(corpus)
    paths = [f"page/{number}" for number in range(len(OUTCOMES))]
    night.seed(*paths)
    leases = sorted(night.lease(), key=lambda lease: paths.index(lease.url.partition(f"{SITE}/")[2]))
    # What the configuration names is not found by the run, though it came after its start here.
    found_before = len(paths)
    night.process(leases, OUTCOMES)
    counted = night.end()
    assert {name: getattr(counted, name) for name in EXPECTED} == EXPECTED | {"found": 2 + found_before}
    assert {name: counted.reasons.get(name, 0) for name in REASONS} == REASONS
    assert (counted.finished is not None, counted.exit_code) == (True, 0)


def test_a_second_night_counts_what_is_unchanged_and_new_versions(corpus: Corpus) -> None:
    """304 and the same text are unchanged; another text of a page is a version, no article."""
    first = Night(corpus)
    for path in ("same", "changed", "asked"):
        first.visit(path, made(path))
    first.end()
    second = Night(corpus)
    second.seed("same", "changed", "asked")
    leases = {lease.url.rpartition("/")[2]: lease for lease in second.lease()}
    second.process([leases["same"], leases["changed"]], [made("same"), made("other")])
    original = Original(3, leases["asked"].url, NOON, "<urn:uuid:1>", "sha256:00")
    unchanged = Fetched(replace(capture(leases["asked"].url), status=304), leases["asked"], original=original)
    corpus.fetches.record_fetched(second.run_id, [(unchanged, second.pointer())])
    counted = second.end()
    assert (counted.fetched, counted.unchanged, counted.articles, counted.versions) == (3, 2, 0, 1)
    assert (counted.found, counted.reasons["not_modified"]) == (0, 1)
    assert (counted.dropped, first.counts().dropped) == (0, 0)
    assert [each.run_id for each in corpus.runs.by_site([SITE])] == [first.run_id, second.run_id]


def test_tries_without_an_answer_are_counted_by_reason_and_each_once(corpus: Corpus) -> None:
    """Of robots.txt apart; a failure that is told twice (its answer was lost) counts once."""
    night = Night(corpus)
    night.seed("x", "y")
    one, other = night.lease()
    for _ in range(2):
        corpus.frontier.fail(night.run_id, [Failure(one, "robots"), Failure(other, "timeout", 0.0)])
    (again,) = night.lease()
    corpus.frontier.fail(night.run_id, [Failure(again, "timeout")])
    counted = night.end()
    assert (counted.robots, counted.failed, counted.fetched) == (1, 2, 0)
    assert counted.reasons == {"robots": 1, "timeout": 2}


def test_a_run_that_was_killed_is_seen_as_unfinished_and_counted_by_the_next(corpus: Corpus) -> None:
    """Zeros until then; its pages count as its own even when the next run processes them."""
    dead = Night(corpus)
    dead.seed("read", "waiting")
    leases = {lease.url.rpartition("/")[2]: lease for lease in dead.lease()}
    dead.process([leases["read"]], [made("read", link("found"))])
    (waiting,) = dead.fetch(leases["waiting"])
    assert (dead.counts().fetched, dead.counts().exit_code) == (0, None)
    heir = Night(corpus)
    counted = dead.counts()
    assert (counted.fetched, counted.articles, counted.awaiting, counted.finished) == (2, 1, 1, None)
    corpus.documents.record_processed([(waiting, leases["waiting"], made("late", link("later")))])
    assert (heir.end().found, heir.counts().articles) == (1, 0)
    assert (dead.counts().articles, dead.counts().awaiting, dead.counts().found) == (2, 0, counted.found)


def test_sites_are_counted_apart_and_old_runs_are_left_out(corpus: Corpus) -> None:
    """A run of two sites has a row for each; ``days`` looks back from the last run."""
    night = Night(corpus)
    night.visit("x", made("x"))
    night.end()
    long_ago = sa.update(run).values(started=datetime.now(UTC) - timedelta(days=50))
    corpus.database.write(lambda connection: connection.execute(long_ago))
    run_id = corpus.runs.start("{}", [SITE, "b.example"])
    assert [(each.run_id, each.site) for each in corpus.runs.by_site([SITE, "b.example"], days=10)] == [
        (run_id, SITE),
        (run_id, "b.example"),
    ]
    assert len(corpus.runs.by_site([SITE])) == 2
    assert corpus.runs.by_site(["b.example"], run_id=night.run_id) == []


@pytest.mark.parametrize(
    ("outcome", "reason", "column"),
    [
        (None, "", "awaiting"),
        ("unchanged", "not_modified", "unchanged"),
        ("drop", "unchanged_text", "unchanged"),
        ("drop", "geo_block", "refused"),
        ("retry", "http_429", "refused"),
        ("failed", "http_503", "http_errors"),
        ("retry", "truncated_time", "failed"),
        ("drop", "body_corrupt", "failed"),
        ("drop", "worker_timeout", "no_text"),
        ("drop", "empty", "no_text"),
        ("drop", "short", "short"),
        ("drop", "listing", None),
        ("drop", "redirect", None),
        ("document", "", None),
    ],
)
def test_outcomes_have_their_column(outcome: str | None, reason: str, column: str | None) -> None:
    """A reason without a counter is counted by its name alone."""
    assert column_of(outcome, reason) == column


def test_sources_are_reported_by_their_last_answer(corpus: Corpus) -> None:
    """A feed that gives links, one that is gone, one that waits; what a revisit repeats is told by what it repeats."""
    night = Night(corpus)
    night.seed("feed", "gone", "waits", "asked", kind=Kind.FEED)
    leases = {lease.url.rpartition("/")[2]: lease for lease in night.lease()}
    ids = night.process(
        [leases["feed"], leases["gone"], leases["asked"]],
        [dropped("feed", link("1"), detail="1 links"), dropped("http_404"), dropped("feed", detail="0 links")],
    )
    corpus.frontier.fail(night.run_id, [Failure(leases["waits"], "dns", 2.0)])
    original = Original(ids[2], leases["asked"].url, NOON, "<urn:uuid:1>", "sha256:00")
    night.seed("asked", kind=Kind.FEED)
    again = next(lease for lease in night.lease() if lease.url.endswith("/asked"))
    unchanged = Fetched(replace(capture(again.url), status=304), again, original=original)
    corpus.fetches.record_fetched(night.run_id, [(unchanged, night.pointer())])
    known = {
        url.rpartition("/")[2]: one
        for url, one in corpus.frontier.sources([each.url for each in leases.values()]).items()
    }
    assert {name: (one.state, one.reason, one.detail) for name, one in known.items()} == {
        "feed": (UrlState.DONE, "feed", "1 links"),
        "gone": (UrlState.DONE, "http_404", ""),
        "waits": (UrlState.PENDING, "dns", ""),
        "asked": (UrlState.DONE, "feed", "0 links"),
    }
    assert known["feed"].news_at == known["feed"].read_at == NOON.timestamp()
    assert known["feed"].due > known["feed"].read_at
    assert (known["gone"].failures, known["waits"].read_at) == (1, 0.0)


def test_runs_without_any_response_are_found_without_reading_all(corpus: Corpus) -> None:
    """A run with failed attempts and no response may be that of an offline machine; one that did nothing is not."""
    answered = Night(corpus)
    answered.visit("x", made("x"))
    answered.end()
    idle = Night(corpus)
    idle.end()
    offline = Night(corpus)
    counts = {"failed": 3, "reasons": '{"dns": 3}'}
    changed = sa.update(run_site).values(counts).where(run_site.c.run_id == offline.run_id)
    corpus.database.write(lambda connection: connection.execute(changed))
    assert corpus.runs.without_answers(100.0) == [offline.run_id]
    assert corpus.runs.newest([SITE]) == offline.run_id
    assert corpus.runs.newest(["unknown.example"]) is None
