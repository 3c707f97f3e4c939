"""Work of the database for one page: the same in a large corpus as in a small one, for each call that writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

import storage
from storage.database.schema import metadata
from storage.database.transactions import chunks, gather_statistics
from storage.fetches.fetches import Orphan
from storage.frontier.imported_pages import CapturedPage
from storage.records import Failure, Fetched
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.corpus_spider.running import often
from tests.storage.corpus_samples import NOON, Crawl, capture, dropped, fingerprint, link, made

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy.engine import Connection

    from storage import Corpus
    from storage.database.transactions import Database
    from storage.records import Lease, Link, Processed

STEPS = 5
"""Steps of SQLite's machine that are counted together."""
Call = Callable[[], object]

STAYING = {
    "run": "no run is ever deleted",
    "terms": "no row is ever deleted",
    "scheme": "deleted after a renewal, which has read all fingerprints",
}
"""Tables that a foreign key without an index may refer to, and why."""
SMALL, LARGE = often(200, 1000), often(2000, 10_000)
"""Documents of the corpus at the first and at the second measurement."""
TIMES = 6
"""Calls of a kind. The first is not measured."""
KEYS = 20
"""Keys of a text in the duplicate index."""
ROWS_READ = "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int FROM pg_stat_xact_user_tables"
"""Rows that the tables gave in the transaction so far, those for foreign keys included."""


def test_each_foreign_key_has_an_index_or_a_parent_whose_rows_stay() -> None:
    """Its columns are the first of an index, a primary key or a unique constraint. No row of the others is deleted."""
    parents = set()
    for table in metadata.sorted_tables:
        indexed = [list(index.columns) for index in table.indexes if "where" not in index.info]
        indexed += [list(each.columns) for each in table.constraints if isinstance(each, sa.UniqueConstraint)]
        indexed.append(list(table.primary_key.columns))
        for key in table.foreign_key_constraints:
            columns = list(key.columns)
            if not any(each[: len(columns)] == columns for each in indexed):
                parents.add(key.referred_table.name)
    assert parents == set(STAYING)
    source = "\n".join(path.read_text() for path in Path(storage.__file__).parent.rglob("*.py"))
    assert set(re.findall(r"sa\.delete\((\w+)\)", source)) & parents == {"scheme"}


@dataclass
class Measured:
    """A corpus of some size, and the work of its database for a call."""

    corpus: Corpus
    pages: int = 0
    calls: int = 0
    fetched: dict[str, tuple[int, Lease]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.crawl = Crawl(self.corpus)

    def grow(self, pages: int) -> None:
        """Read pages with texts and links until there are so many."""
        for some in chunks(range(self.pages, pages)):
            self.reading({f"page{at}": text(f"text {at}", at, link(f"linked{at}")) for at in some})()
        self.pages = pages
        self.corpus.database.write(gather_statistics)

    def leased(self, *paths: str) -> list[Lease]:
        """Lease pages as sources, which come before the links."""
        self.crawl.seed(*paths)
        leases = self.crawl.lease(len(paths), 2.0)
        assert {path_of(each) for each in leases} == {*paths}
        return leases

    def reading(self, pages: Mapping[str, Processed]) -> Call:
        """Lease pages. Return the call that fetches and processes them."""
        leases = self.leased(*pages)
        return lambda: self.read(leases, pages)

    def read(self, leases: list[Lease], pages: Mapping[str, Processed]) -> None:
        ids = self.crawl.process(leases, [pages[path_of(each)] for each in leases])
        self.fetched |= {path_of(each): (fetch_id, each) for each, fetch_id in zip(leases, ids, strict=True)}

    def at_another_site(self, name: str, number: int, processed: Processed) -> Crawl:
        """Read the start page of a new site in a run of its own."""
        other = Crawl(self.corpus, f"{name}{number}.example")
        other.visit("start", processed)
        return other

    def again(self, path: str, processed: Processed) -> list[tuple[int, Lease, Processed]]:
        """Return the argument for a page that is processed again."""
        return [(*self.fetched[path], processed)]

    def costs(self) -> dict[str, int]:
        """Return the steps of SQLite, or the rows that PostgreSQL reads, for some calls of each kind."""
        found = {}
        for prepare in CALLS:
            first, *others = [prepare(self, self.calls + number) for number in range(TIMES)]
            first()
            with work_of(self.corpus.database) as counted:
                for call in others:
                    call()
            found[prepare.__name__] = counted.total()
        self.calls += TIMES
        return found


def path_of(lease: Lease) -> str:
    return lease.url.rpartition("/")[2]


def text(words: str, number: int, *links: Link, title: str = "") -> Processed:
    """Return a page with a text, and with keys in the duplicate index."""
    keys = tuple(range(number * KEYS, (number + 1) * KEYS))
    return made(words, *links, prints=fingerprint(words, b"\0" * 8, keys), title=title)


@contextmanager
def work_of(database: Database) -> Iterator[Counter[str]]:
    """Count the work of the transactions in the block."""
    counted = Counter[str]()

    def step() -> None:
        counted["steps"] += 1

    def begin(connection: Connection) -> None:
        if database.is_sqlite:
            connection.connection.dbapi_connection.set_progress_handler(step, STEPS)
        else:
            # Rows of earlier transactions are there until the server takes them over.
            counted["rows"] -= connection.exec_driver_sql(ROWS_READ).scalar_one()

    def commit(connection: Connection) -> None:
        if not database.is_sqlite:
            counted["rows"] += connection.exec_driver_sql(ROWS_READ).scalar_one()

    listeners = {"begin": begin, "commit": commit}
    engines = {database.engine, database.writer, database.hasty}
    for engine in engines:
        for name, listener in listeners.items():
            sa.event.listen(engine, name, listener)
    yield counted
    for engine in engines:
        for name, listener in listeners.items():
            sa.event.remove(engine, name, listener)


def new_page(of: Measured, number: int) -> Call:
    return of.reading({f"new{number}": text(f"new text {number}", LARGE + number, link(f"more{number}"))})


def changed_page(of: Measured, number: int) -> Call:
    return of.reading({f"page{number}": text(f"changed {number}", LARGE + 100 + number)})


def unchanged_page(of: Measured, number: int) -> Call:
    return of.reading({f"page{20 + number}": text(f"text {20 + number}", 20 + number)})


def dropped_page(of: Measured, number: int) -> Call:
    return of.reading({f"drop{number}": dropped("no_article")})


def reextracted_page(of: Measured, number: int) -> Call:
    changed = text(f"changed {number}", LARGE + 200 + number)
    return lambda: of.corpus.documents.record_processed(of.again(f"page{40 + number}", changed), again=True)


def reread_page(of: Measured, number: int) -> Call:
    titled = text("", number, title="a new title")
    return lambda: of.corpus.documents.reread(of.again(f"page{60 + number}", titled))


def leased_page(of: Measured, number: int) -> Call:
    of.crawl.seed(f"first{number}")
    return lambda: of.crawl.lease(1, 2.0)


def failed_url(of: Measured, number: int) -> Call:
    other = of.at_another_site("fails", number, with_links("fails", number))
    failures = [Failure(each, "timeout") for each in other.lease(1)]
    return lambda: of.corpus.frontier.fail(other.run_id, failures)


def removed_page(of: Measured, number: int) -> Call:
    of.corpus.removals.declare(RemovalRequest(RequestKind.URL, f"https://a.example/page{80 + number}", "requested"))
    return of.corpus.removals.withdraw


def adopted_record(of: Measured, number: int) -> Call:
    pointer, [lease] = of.crawl.pointer(), of.leased(f"orphan{number}")
    group = [(Fetched(capture(lease.fetch_url), lease), pointer)]

    def call() -> None:
        of.corpus.fetches.add_orphans(of.crawl.run_id, [Orphan(lease.fetch_url, pointer, 200, NOON, lease.url)])
        of.corpus.fetches.adopt_orphans(of.crawl.run_id, group, {})
        [waiting] = of.corpus.fetches.unprocessed()
        of.corpus.documents.record_processed([(waiting.fetch_id, lease, dropped("no_article"))])

    return call


def pruned_file(of: Measured, number: int) -> Call:
    other = of.at_another_site("pruned", number, made(f"pruned {number}"))
    return lambda: of.corpus.warc.remove(f"run{other.run_id}.warc.gz", "max")


def forgotten_links(of: Measured, number: int) -> Call:
    other = of.at_another_site("forgets", number, with_links("forgets", number))
    return lambda: of.corpus.frontier.forget_pending([other.site])


def changed_link_rules(of: Measured, number: int) -> Call:
    site, frontier = of.at_another_site("rules", number, with_links("rules", number)).site, of.corpus.frontier
    return lambda: frontier.follow_rules(frontier.compare_rules([site], lambda *_: False), {site: "rules"})


def released_leases(of: Measured, number: int) -> Call:
    other = of.at_another_site("leases", number, with_links("leases", number))
    other.lease()
    return lambda: of.corpus.frontier.release([other.site])


def imported_page(of: Measured, number: int) -> Call:
    site = f"imports{number}.example"
    seen = [CapturedPage(f"https://{site}/old", f"https://{site}/old", site, site, NOON)]
    return lambda: of.corpus.frontier.take_in(seen, [site])


def night(of: Measured, number: int) -> Call:
    sites = [of.at_another_site("nights", number, with_links("nights", number)).site]

    def call() -> None:
        of.corpus.frontier.wake(sites, 1.0)
        run_id = of.corpus.runs.start("{}", sites)
        of.corpus.runs.recount(sites)
        of.corpus.runs.finish(run_id, 0, "{}")

    return call


def with_links(name: str, number: int) -> Processed:
    return dropped("listing", *(link(f"{at}", site=f"{name}{number}.example") for at in range(20)))


CALLS: tuple[Callable[[Measured, int], Call], ...] = (
    # The first, because writers look for tombstones when there are some.
    *(removed_page, new_page, changed_page, unchanged_page, dropped_page, reextracted_page, reread_page, leased_page),
    *(failed_url, adopted_record, pruned_file, forgotten_links, changed_link_rules, released_leases, imported_page),
    night,
)


def test_a_call_that_writes_does_the_same_work_in_a_corpus_of_ten_times_the_size(corpus: Corpus) -> None:
    """Each call is done for a few pages of a small corpus, and again when the corpus has grown."""
    measured = Measured(corpus)
    measured.grow(SMALL)
    small = measured.costs()
    measured.grow(LARGE)
    large = measured.costs()
    assert all(small.values())
    # A scan of one growing table in each call would be several times as much.
    grown = {name: (small[name], large[name]) for name in small if large[name] - small[name] > LARGE - SMALL}
    assert not grown, grown
