"""Documents: both transactions, versions, re-extraction and reading, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import storage
from storage import Corpus, Selection
from storage.documents.model import day_of
from storage.documents.writer import public_id
from storage.fetches.fetches import Orphan
from storage.fetches.warc_files import WarcFile
from storage.records import Fetched, Kind, UrlState
from tests.corpus_spider.running import PATIENCE
from tests.storage.corpus_samples import NOON, Crawl, capture, dropped, fingerprint, link, made, texts, with_parts

EVERY = Selection(include_duplicates=True, versions="all")


def test_a_page_becomes_a_document_with_everything_known_of_it(corpus: Corpus) -> None:
    """What was processed comes back whole, with its place in the WARC file."""
    crawl = Crawl(corpus)
    crawl.visit(
        "x", made("Bản tin hôm nay", title="Tin", published="2026-02-28T10:00:00+07:00", directives=("noarchive",))
    )
    corpus.documents.set_licences({"a.example": "CC-BY-4.0"})
    (read,) = corpus.documents()
    assert (read.text, read.title, read.language, read.chars) == ("Bản tin hôm nay", "Tin", "en", 15)
    assert (read.id, read.url, read.version) == (public_id("https://a.example/x", 1), "https://a.example/x", 1)
    assert (read.warc, read.warc_offset, read.warc_length) == (f"run{crawl.run_id}.warc.gz", 0, 100)
    assert (read.duplicates, read.duplicate_of, read.licence) == (1, None, "CC-BY-4.0")
    assert read.fetched_at == NOON
    assert corpus.documents.find(read.id) == corpus.documents.find(read.url) == read
    assert corpus.documents.find("https://a.example/unknown") is None


def test_the_public_id_never_changes() -> None:
    """The id of a URL and version is pinned: changing the rule would orphan every reference to a document."""
    assert public_id("https://a.example/x", 1) == "547fa10bb9806fb43bb2d579611a96d0"


@pytest.mark.parametrize(
    ("fetched", "outcome", "state"),
    [
        (Fetched(capture()), None, UrlState.FETCHED),
        (Fetched(capture(), reason="status 404"), "failed", UrlState.FAILED),
        (Fetched(capture(), reason="status 503", retry_at=50.0), "retry", UrlState.PENDING),
    ],
)
def test_the_fetched_transaction_moves_the_url(corpus: Corpus, fetched: Fetched, outcome: str, state: UrlState) -> None:
    """An exchange leaves its URL awaiting processing, failed, or pending again, and counts an attempt."""
    crawl = Crawl(corpus)
    crawl.seed("x")
    (lease,) = crawl.lease()
    corpus.fetches.record_fetched(crawl.run_id, [(replace(fetched, lease=lease), crawl.pointer())])
    (row,) = corpus.fetches()
    assert (row.outcome, row.reason, row.mime) == (outcome, fetched.reason, "text/html")
    assert row.lease == replace(lease, attempts=1)
    assert corpus.frontier.counts() == {"a.example": {state: 1}}
    assert corpus.fetches.count_unprocessed() == (state is UrlState.FETCHED)


def test_an_exchange_without_a_lease_is_kept(corpus: Corpus) -> None:
    """robots.txt has a row and awaits nothing."""
    crawl = Crawl(corpus)
    robots = Fetched(replace(capture("https://a.example/robots.txt"), kind=Kind.ROBOTS))
    corpus.fetches.record_fetched(crawl.run_id, [(robots, crawl.pointer())])
    (row,) = corpus.fetches(outcomes=["record"])
    assert (row.kind, row.lease) == (Kind.ROBOTS, None)
    assert corpus.fetches.unprocessed() == []


def test_the_same_fetched_group_twice_is_one_group(corpus: Corpus) -> None:
    """A replay after a lost answer gives the same ids and counts no second attempt."""
    crawl = Crawl(corpus)
    crawl.seed("x", "y")
    group = [(Fetched(capture(lease.url), lease), crawl.pointer()) for lease in crawl.lease()]
    ids = corpus.fetches.record_fetched(crawl.run_id, group)
    assert corpus.fetches.record_fetched(crawl.run_id, group) == ids
    assert [waiting.lease.attempts for waiting in corpus.fetches.unprocessed()] == [1, 1]


def test_the_same_processed_group_twice_is_one_group(corpus: Corpus) -> None:
    """Processing a fetch that has its outcome changes nothing, with any second outcome."""
    crawl = Crawl(corpus)
    crawl.seed("x")
    leases = crawl.lease()
    (fetch_id,) = crawl.process(leases, [made("first", link("found"))])
    before = corpus.status()
    corpus.documents.record_processed([(fetch_id, leases[0], made("second", link("other")))])
    assert corpus.status() == before
    assert texts(corpus) == ["first"]


def test_unprocessed_pages_come_back_in_order_and_by_site(corpus: Corpus) -> None:
    """What waits between the two transactions can be read in pages, for the wanted sites only."""
    one, other = Crawl(corpus), Crawl(corpus, site="b.example")
    for crawl in (one, other):
        crawl.seed("x", "y")
        crawl.fetch(*crawl.lease())
    first, second = corpus.fetches.unprocessed(["a.example"])
    assert [each.fetch_id for each in corpus.fetches.unprocessed(["a.example"], limit=1, after=first.fetch_id)] == [
        second.fetch_id
    ]
    assert corpus.fetches.count_unprocessed(["a.example"]) == 2
    assert corpus.fetches.count_unprocessed() == 4
    assert first.pointer.warc == f"run{one.run_id}.warc.gz"


def test_crashes_of_a_page_are_counted(corpus: Corpus) -> None:
    """A page remembers how many workers it has cost."""
    crawl = Crawl(corpus)
    crawl.seed("x")
    (fetch_id,) = crawl.fetch(*crawl.lease())
    assert [corpus.fetches.add_crash(fetch_id), corpus.fetches.add_crash(fetch_id)] == [1, 2]
    assert corpus.fetches.unprocessed()[0].crashes == 2


def test_versions_follow_the_text(corpus: Corpus) -> None:
    """A changed text is a new version, an unchanged one is none, a text of long ago counts as changed."""
    crawl = Crawl(corpus)
    for text in ("one", "one", "two", "one"):
        crawl.visit("x", made(text))
    versions = sorted(corpus.documents(EVERY), key=lambda each: each.version)
    assert [(each.version, each.text) for each in versions] == [(1, "one"), (2, "two"), (3, "one")]
    assert [drop.reason for drop in corpus.fetches.drops()] == ["unchanged_text"]
    newest = corpus.documents.find("https://a.example/x")
    assert newest is not None
    assert newest.version == 3


def test_versions_within_one_group_follow_each_other(corpus: Corpus) -> None:
    """Two fetches of a URL in one group make two versions."""
    crawl = Crawl(corpus)
    crawl.seed("x")
    (lease,) = crawl.lease()
    ids = crawl.fetch(lease, lease, lease)
    outcomes = [made("one"), made("two"), made("two")]
    corpus.documents.record_processed(list(zip(ids, [lease] * 3, outcomes, strict=True)))
    assert sorted(each.version for each in corpus.documents(EVERY)) == [1, 2]


def test_what_made_no_document_comes_back_as_a_drop(corpus: Corpus) -> None:
    """What is counted of a crawl is what is stored: a text that is there already is no document more."""
    crawl = Crawl(corpus)
    crawl.seed("x", "y", "z")
    leases = {lease.url[-1]: lease for lease in crawl.lease()}
    of = [leases[path] for path in "xxyz"]
    ids = crawl.fetch(*of)
    of_x, again = made("one", link("seen")), made("one", link("seen"))
    of_y = made("one", link("seen"), canonical="https://a.example/x")
    rows = zip(ids, of, [of_x, again, of_y, dropped("listing")], strict=True)
    stored = corpus.documents.record_processed(list(rows))
    reasons = {fetch_id: each.drop.reason if each.drop else None for fetch_id, each in stored.items()}
    assert reasons == dict(zip(ids, [None, "unchanged_text", "same_page", "listing"], strict=True))
    assert sum(each.document is not None for each in stored.values()) == corpus.status().documents == 1
    assert stored[ids[2]].links == of_y.links


def test_a_drop_keeps_reason_and_place(corpus: Corpus) -> None:
    """A page without a document says why, and where its bytes are."""
    crawl = Crawl(corpus)
    fetch_id = crawl.visit("x", dropped("too_short", detail="12 characters"))
    (drop,) = corpus.fetches.drops(reasons=["too_short"], sites=["a.example"])
    assert (drop.fetch_id, drop.url, drop.detail) == (fetch_id, "https://a.example/x", "12 characters")
    assert drop.pointer.offset == 0
    assert list(corpus.fetches.drops(reasons=["other"])) == []
    assert [(row.key, row.count) for row in corpus.status().dropped] == [("too_short", 1)]


def again(corpus: Corpus, fetch_id: int, outcome: object) -> None:
    lease = next(row.lease for row in corpus.fetches() if row.fetch_id == fetch_id)
    corpus.documents.record_processed([(fetch_id, lease, outcome)], again=True)  # type: ignore[list-item]


def test_re_extraction_replaces_the_text_and_keeps_the_id(corpus: Corpus) -> None:
    """Re-extraction changes text, metadata and fingerprint, not version, id or frontier."""
    crawl = Crawl(corpus)
    fetch_id = crawl.visit("x", made("poor text", title="old"))
    counts = corpus.frontier.counts()
    again(corpus, fetch_id, made("better text", link("found"), title="new"))
    (read,) = corpus.documents()
    assert (read.text, read.title, read.version) == ("better text", "new", 1)
    assert read.exact == fingerprint("better text").exact.hex()
    assert read.duplicates == 1
    assert corpus.frontier.counts() == counts


def test_what_stands_beside_a_text_is_kept_and_rebuilt_with_it(corpus: Corpus) -> None:
    """Confidence, kinds, captions and comments come back as they went in, and re-extraction replaces all of them."""
    crawl = Crawl(corpus)
    parts = {"confidence": 0.75, "kinds": "hp", "captions": ('a\n"b"', "\ud800\0c"), "comments": ("Ja!",)}
    fetch_id = crawl.visit("x", with_parts(made("Head\nText"), **parts))
    (read,) = corpus.documents()
    assert (read.confidence, read.kinds, read.comments) == (0.75, "hp", ("Ja!",))
    assert read.captions == ('a\n"b"', "\ufffd\ufffdc")
    again(corpus, fetch_id, with_parts(made("Head\nText"), kinds="pp"))
    (read,) = corpus.documents()
    assert (read.confidence, read.kinds, read.captions, read.comments) == (None, "pp", (), ())


def test_a_least_confidence_leaves_out_texts_of_unknown_confidence(corpus: Corpus) -> None:
    """A text of which nothing is expected is no better than any limit; with none it is there."""
    crawl = Crawl(corpus)
    for name, confidence in (("low", 0.4), ("high", 0.9), ("unknown", None)):
        crawl.visit(name, with_parts(made(name), confidence=confidence))
    texts = {
        least: {each.text for each in corpus.documents(Selection(min_confidence=least))} for least in (0, 0.1, 0.9)
    }
    assert texts == {0: {"low", "high", "unknown"}, 0.1: {"low", "high"}, 0.9: {"high"}}


def test_re_extraction_may_drop_a_document_and_bring_it_back_as_itself(corpus: Corpus) -> None:
    """A version number is never given to another text: the fetch keeps it while its document is gone."""
    crawl = Crawl(corpus)
    fetch_id = crawl.visit("x", made("one"))
    again(corpus, fetch_id, dropped("list_page"))
    assert list(corpus.documents()) == []
    crawl.visit("x", made("two"))
    again(corpus, fetch_id, made("one"))
    assert sorted((each.version, each.text) for each in corpus.documents(EVERY)) == [(1, "one"), (2, "two")]
    assert list(corpus.fetches.drops()) == []


def test_re_extraction_gives_a_dropped_page_a_document(corpus: Corpus) -> None:
    """A page dropped by an older extractor becomes version 1."""
    crawl = Crawl(corpus)
    again(corpus, crawl.visit("x", dropped("empty")), made("found at last"))
    (read,) = corpus.documents()
    assert (read.version, read.text) == (1, "found at last")


def test_hostile_strings_are_stored_without_what_no_database_takes(corpus: Corpus) -> None:
    """NUL and lone surrogates become U+FFFD in texts, titles, reasons and addresses; nothing else changes."""
    crawl = Crawl(corpus)
    crawl.visit("x", made("a\x00b\ud800c \U0001f600 e\u0301", title="\udfff\x00'; DROP TABLE document; --"))
    crawl.visit("y", dropped("bad\x00", detail="\ud83d"))
    (read,) = corpus.documents()
    assert (read.text, read.title) == ("a\ufffdb\ufffdc \U0001f600 e\u0301", "\ufffd\ufffd'; DROP TABLE document; --")
    assert next(corpus.fetches.drops()).reason == "bad\ufffd"
    crawl.visit("x", made("a\x00b\ud800c \U0001f600 e\u0301"))
    assert [drop.reason for drop in corpus.fetches.drops()] == ["bad\ufffd", "unchanged_text"]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), {"en1", "vi1", "en2"}),
        (Selection(languages=("vi",)), {"vi1"}),
        (Selection(sites=("b.example",)), {"en2"}),
        (Selection(sites=("a.example", "b.example"), languages=("en",)), {"en1", "en2"}),
        (Selection(since="2026-01-01"), {"en1", "en2"}),
        (Selection(until="2026-12-31"), {"en1", "en2"}),
        (Selection(since="2026-02-01T00:00:00Z", until="2026-02-01"), {"en1"}),
        (Selection(min_chars=4), set()),
        (Selection(sample=(0, 65)), {"en1"}),
        (Selection(sample=(65, 71.7)), {"vi1", "en2"}),
    ],
)
def test_a_selection_selects(corpus: Corpus, selection: Selection, expected: set[str]) -> None:
    """Languages, sites, stated days (both ends included) and length, alone and together."""
    crawl, other = Crawl(corpus), Crawl(corpus, site="b.example")
    crawl.visit("1", made("en1", published="2026-02-01"))
    crawl.visit("2", made("vi1", language="vi", published="some day in March"))
    other.visit("3", made("en2", published="2026-04-01T00:00:00+00:00"))
    assert {each.text for each in corpus.documents(selection)} == expected


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ("2026-02-01", "2026-02-01"),
        ("2026-02-01T23:00:00-05:00", "2026-02-01"),
        ("2026", "2026-03-01"),
        (None, "2026-03-01"),
    ],
)
def test_the_day_of_a_document(published: str | None, expected: str) -> None:
    """A full stated date counts as it stands; anything less gives way to the day of the fetch, in UTC."""
    late = datetime(2026, 3, 2, 1, tzinfo=timezone(timedelta(hours=7)))
    assert day_of(published, late) == expected


def test_documents_come_in_an_order_that_arrival_does_not_change(corpus: Corpus) -> None:
    """The stream is sorted by id, over several pages of rows, and readable while the corpus is written."""
    crawl = Crawl(corpus)
    crawl.seed(*(str(number) for number in range(450)))
    leases = crawl.lease()
    crawl.process(leases, [made(f"text {lease.url}") for lease in leases])
    stream = corpus.documents()
    first = next(stream)
    crawl.visit("late", made("late"))
    rest = list(stream)
    ids = [each.id for each in [first, *rest]]
    assert len(ids) == 450
    assert ids == sorted(ids)


def test_runs_and_warc_files_are_noted(corpus: Corpus) -> None:
    """A run has a start and an end, a WARC file is open, then closed with its size; both notes may be repeated."""
    run_id = corpus.runs.start('{"sites": 1}')
    corpus.warc.register(run_id, "one.warc.gz")
    corpus.warc.register(run_id, "one.warc.gz")
    assert corpus.warc.files() == [WarcFile("one.warc.gz", run_id, "open", None)]
    corpus.warc.close("one.warc.gz", 1234)
    assert corpus.warc.files() == [WarcFile("one.warc.gz", run_id, "closed", 1234)]
    assert "finished" not in corpus.status().last_run
    corpus.runs.finish(run_id, 11, '{"documents": 0}')
    last = corpus.status().last_run
    assert (last["id"], last["exit_code"], last["summary"]) == (str(run_id), "11", '{"documents": 0}')
    assert datetime.fromisoformat(last["finished"]) >= datetime.fromisoformat(last["started"])


def test_orphans_are_indexed_once(corpus: Corpus) -> None:
    """Records without a row get one, records that have one keep it."""
    crawl = Crawl(corpus)
    crawl.seed("x")
    crawl.fetch(*crawl.lease())
    known = corpus.fetches.unprocessed()[0].pointer
    orphans = [Orphan("https://a.example/x", pointer, 200, NOON) for pointer in (known, replace(known, offset=900))]
    assert [corpus.fetches.add_orphans(None, orphans), corpus.fetches.add_orphans(None, orphans)] == [1, 0]
    assert [row.pointer.offset for row in corpus.fetches(outcomes=["orphan"])] == [900]
    assert corpus.fetches.count_unprocessed() == 1


def test_status_counts_what_there_is(corpus: Corpus) -> None:
    """Documents, duplicates, characters, states, drops and failures are counted by what they are."""
    crawl = Crawl(corpus)
    crawl.visit("1", made("same"))
    crawl.visit("2", made("same"))
    crawl.visit("3", made("khác", link("next"), language="vi"))
    crawl.seed("4")
    lease = next(each for each in crawl.lease() if each.url.endswith("/4"))
    corpus.fetches.record_fetched(crawl.run_id, [(Fetched(capture(), lease, reason="status 404"), crawl.pointer())])
    status = corpus.status()
    assert (status.documents, status.duplicates, status.fetches) == (3, 1, 4)
    assert [(row.key, row.count, row.chars) for row in status.by_language] == [("en", 2, 8), ("vi", 1, 4)]
    assert [(row.key, row.count) for row in status.by_site] == [("a.example", 3)]
    assert {row.key: row.count for row in status.by_state} == {"leased": 1, "done": 3, "failed": 1}
    assert [(row.key, row.count) for row in status.failed] == [("status 404", 1)]


def test_many_threads_may_use_one_corpus(corpus: Corpus) -> None:
    """Readers in other threads work while one thread writes."""
    crawl = Crawl(corpus)
    crawl.seed(*(str(number) for number in range(40)))
    failures: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(20):
                corpus.status()
                assert all(each.text for each in corpus.documents())
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for lease in crawl.lease():
        crawl.process([lease], [made(lease.url)])
    for reader in readers:
        reader.join(PATIENCE)
    assert failures == []
    assert corpus.status().documents == 40


def test_three_lines_at_a_prompt_read_a_corpus(tmp_path: Path) -> None:
    """The example of the package's docstring works as it stands."""
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        Crawl(corpus).visit("x", made("Hello, reader", title="Greeting"))
    lines = (
        "from storage import Corpus",
        'with Corpus.open("corpus.db", read_only=True) as corpus:',
        "    for document in corpus.documents(): print(document.title, document.text[:80])",
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "Greeting Hello, reader\n"


def test_the_package_has_what_it_names() -> None:
    """Every name of ``storage.__all__`` can be had from the package, and no other."""
    assert all(getattr(storage, name).__name__ == name for name in storage.__all__)
    with pytest.raises(AttributeError, match="Nothing"):
        storage.Nothing  # noqa: B018
