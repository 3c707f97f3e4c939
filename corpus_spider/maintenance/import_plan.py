"""Plan of an import from other servers: which archives, which of them are taken already, and about how many bytes."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from corpus_spider.archive.path_lists import ADDRESS, located
from corpus_spider.maintenance.archive_inputs import (
    NO_CAPTURES,
    SECONDS_BETWEEN_QUERIES,
    IndexedArchive,
    LocalArchive,
    RemoteArchive,
    lines_of,
)
from corpus_spider.network.range_client import DownloadError
from corpus_spider.terminal.values import human_size
from pipelines.discovery.scope import scope_of
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus_spider.archive.adoption import PageSites
    from corpus_spider.config.model import Config
    from corpus_spider.maintenance.archive_inputs import ArchiveInput, CaptureDays
    from corpus_spider.maintenance.taken_archives import TakenArchives
    from corpus_spider.maintenance.warc_import import ImportReport
    from corpus_spider.network.range_client import RangeClient

CC_NEWS = "cc-news"
"""Name of the months of Common Crawl's news, in place of a list."""
FIRST_MONTH = date(2016, 8, 1)
"""First month of Common Crawl's news."""
MAX_LIST_BYTES = 256 << 20
SIZES_SAMPLED = 12
"""Archives whose size is requested. Those of Common Crawl's news have about a gigabyte each."""
LINES_SURVEYED = 20_000
"""Lines of an index that are read for an estimate."""
_INDEX_FILE = re.compile(r"(?:\.cdxj?|/cdx-\d+)(?:\.gz)?$")
_PAGES = re.compile(rb'\s*(?:(\d{1,9})\s*$|\{.*"pages"\s*:\s*"?(\d{1,9}))')


@dataclass(frozen=True, slots=True)
class ImportSource:
    """Where an import takes archives from: `CC_NEWS`, a path list, or with ``is_index`` a CDX index or server.

    ``base``: address or folder that its paths are relative to; empty: the usual one.
    """

    name: str
    days: CaptureDays
    base: str = ""
    is_index: bool = False


@dataclass(slots=True)
class ImportPlan:
    """Archives of a source. ``taken``: number of those that an earlier import has finished; ``left`` are the others.

    ``failed``: lists that could not be read, with the error. ``bytes``: an estimate for those that are left; None if
    it is not known. ``sampled``: number of archives whose size it is made from.
    """

    left: list[ArchiveInput] = field(default_factory=list)
    taken: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    bytes: int | None = None
    sampled: int = 0


def plan_of(config: Config, source: ImportSource, client: RangeClient, taken: TakenArchives) -> ImportPlan:
    """Return the plan of an import. Raises ConfigError or DownloadError if no list can be read."""
    plan = ImportPlan()
    archives = _indexes(config, source, client) if source.is_index else _listed_archives(source, client, plan)
    for archive in archives:
        before = taken.before(archive)
        if before is not None and before.finished:
            plan.taken += 1
        else:
            plan.left.append(archive)
    if not (plan.left or plan.taken or plan.failed or source.is_index):
        raise ConfigError("it names no archive of these days", where=source.name, do="See --since and --until.")
    return plan


def estimate(plan: ImportPlan, client: RangeClient, sites: PageSites) -> None:
    """Estimate the bytes of a plan from the sizes of some archives, or from the beginning of an index."""
    if plan.left and isinstance(plan.left[0], IndexedArchive):
        survey = plan.left[0].survey(sites, LINES_SURVEYED)
        if survey.is_whole:
            plan.bytes, plan.sampled = survey.bytes * len(plan.left), 1
        return
    files = [archive for archive in plan.left if isinstance(archive, RemoteArchive)]
    step = max(1, -(-len(files) // SIZES_SAMPLED))
    sizes = [size for archive in files[::step] if (size := client.size(archive.name)) is not None]
    if sizes or not files:
        plan.bytes = len(files) * sum(sizes) // max(len(sizes), 1)
        plan.sampled = len(sizes)


def describe(plan: ImportPlan, report: ImportReport) -> None:
    """Write a plan to the report of its import."""
    report.planned, report.taken_before, report.failed = len(plan.left), plan.taken, plan.failed
    report.estimated_bytes, report.sampled = plan.bytes, plan.sampled


def announcement(plan: ImportPlan) -> str:
    """Return the plan as a line for readers."""
    before = f", {plan.taken:,} finished before" if plan.taken else ""
    size = "of unknown size" if plan.bytes is None else f"about {human_size(plan.bytes)}"
    sample = f" (by {counted(plan.sampled, 'sample')})" if plan.sampled and plan.sampled < len(plan.left) else ""
    return f"{counted(len(plan.left), 'archive')} to read, {size}{sample}{before}."


def survey(plan: ImportPlan, sites: PageSites, report: ImportReport) -> None:
    """Count the wanted records of all indexes of a plan, and the bytes of their ranges. Fetches only the indexes."""
    indexes = [archive for archive in plan.left if isinstance(archive, IndexedArchive)]
    if not indexes:
        return
    report.estimated_bytes, report.sampled = 0, len(indexes)
    for archive in indexes:
        found = archive.survey(sites)
        report.answers += found.lines
        report.pages += found.records
        report.sites.update(found.sites)
        report.estimated_bytes += found.bytes


def _months(days: CaptureDays) -> Iterator[date]:
    if not days.since:
        do = "Add --since 2019-01. Without it, all months since 2016 would be read."
        raise ConfigError("the first month is missing", where=f"--from {CC_NEWS}", do=do)
    # An archive that begins on the last day of a month reaches into the next one.
    first = date.fromisoformat(days.since) - timedelta(days=1)
    month = max(first.replace(day=1), FIRST_MONTH)
    last = min(date.fromisoformat(days.until), _today()) if days.until else _today()
    while month <= last:
        yield month
        month = (month + timedelta(days=31)).replace(day=1)


def _is_before(name: str, days: CaptureDays) -> bool:
    """Return whether a list is that of the month before the first wanted one."""
    return "/".join(days.since.split("-")[:2]) > "/".join(name.split("/")[-3:-1])


def _today() -> date:
    return datetime.now(UTC).date()


def _listed_archives(source: ImportSource, client: RangeClient, plan: ImportPlan) -> Iterator[ArchiveInput]:
    """Yield the archives of the months or of a path list, each once. A month without a list has failed."""
    seen: set[str] = set()
    if source.name == CC_NEWS:
        months = _months(source.days)
        lists = [located(f"crawl-data/CC-NEWS/{month:%Y/%m}/warc.paths.gz", source.base) for month in months]
    else:
        lists = [source.name]
    for name in lists:
        try:
            lines = [line.strip() for line in lines_of(name, client, MAX_LIST_BYTES)]
        except DownloadError as error:
            if len(lists) == 1 or not error.is_missing:
                raise
            if not _is_before(name, source.days):
                plan.failed[name] = error.what
            continue
        for line in lines:
            address = located(line, source.base, beside=name.rpartition("/")[0]) if line else ""
            if address and address not in seen and source.days.may_have(line):
                seen.add(address)
                yield _archive(address, client)


def _archive(address: str, client: RangeClient) -> ArchiveInput:
    if address.startswith(("http://", "https://")):
        return RemoteArchive(address, client)
    if ADDRESS.match(address):
        raise ConfigError("not an http address or a file", where=address, do="Copy it first.")
    return LocalArchive(Path(address))


def _indexes(config: Config, source: ImportSource, client: RangeClient) -> Iterator[ArchiveInput]:
    """Yield an index, or the pages of a CDX server for each host of the sites."""
    base = source.base
    if not ADDRESS.match(source.name) or _INDEX_FILE.search(urlsplit(source.name).path):
        yield IndexedArchive(source.name, base, client, source.days)
        return
    for host in _hosts(config):
        query = {"url": host, "matchType": "host" if _is_exact(host) else "domain", "output": "json"}
        for name, day in (("from", source.days.since), ("to", source.days.until)):
            query |= {name: day.replace("-", "")} if day else {}
        address = f"{source.name}{'&' if urlsplit(source.name).query else '?'}{urlencode(query)}"
        pages = _page_count(f"{address}&showNumPages=true", client)
        if pages is None:
            yield IndexedArchive(address, base, client, source.days)
        for number in range(pages or 0):
            yield IndexedArchive(f"{address}&page={number}", base, client, source.days)


def _hosts(config: Config) -> Sequence[str]:
    """Return the hosts of the sites, without those below another one."""
    scopes = [scope_of(model) for model in config.site_models().values()]
    hosts = sorted({host for scope in scopes for host in scope.names | scope.names_with_port})
    return [host for host in hosts if not any(host.endswith(f".{other}") for other in hosts)]


def _is_exact(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdecimal()


def _page_count(address: str, client: RangeClient) -> int | None:
    """Return the pages that a CDX server has for a query; None if it knows no pages: it answers with the captures."""
    client.wait(SECONDS_BETWEEN_QUERIES)
    try:
        with closing(lines_of(address, client, MAX_LIST_BYTES)) as lines:
            first = next(lines, "")
    except DownloadError as error:
        if error.status == NO_CAPTURES:
            return 0
        raise
    found = _PAGES.match(first.encode())
    return int(found[1] or found[2]) if found else None
