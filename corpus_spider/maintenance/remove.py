"""`remove`: delete a text, a site or an author from the corpus and its originals for good."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from shutil import disk_usage
from typing import TYPE_CHECKING

from corpus_spider.archive.ownership import name_machine, require_originals, require_own
from corpus_spider.archive.redaction import empty_originals, today
from corpus_spider.archive.uploads import upload
from corpus_spider.maintenance.removal_report import Estimate, RemovalReport, RequestReport
from storage.corpus import Corpus
from storage.database.transactions import sqlite_path
from storage.errors import ConfigError
from storage.locking.locks import SiteLocks
from storage.removal.affected_pages import RequestKind
from storage.removal.takedown import LOOKED_UP
from storage.reporting import unseen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.config.model import Config
    from storage.removal.affected_pages import AffectedPages, RemovalRequest
    from storage.removal.removal_record import LiftReport
    from storage.reporting import Progress

WARC_RATE, DATABASE_RATE = 30e6, 80e6
"""Bytes a second, for estimates. Measured on a shared core and a local disk: 850 MB of small WARC records in 28 s, a
SQLite file of 2.7 GB in 22 to 35 s.
"""


def remove(
    config: Config,
    *requests: RemovalRequest,
    dry_run: bool = False,
    future: bool = False,
    defer: bool = False,
    lost: bool = False,
    on_progress: Progress = unseen,
) -> RemovalReport:
    """Remove the documents of requests, and finish earlier removals. Without a request only the latter.

    Each WARC file and the SQLite file are rewritten once for all requests.

    Args:
        config: the corpus.
        requests: declared together, or none of them; each has a removal of its own.
        dry_run: only report.
        future: accept requests that match nothing, and keep their address, domain or author out from now on.
        defer: do not rewrite the SQLite file. The removals stay unfinished until a call without it.
        lost: take missing WARC files for lost, and finish the removals without them.
        on_progress: gets the step, the finished and the total count.

    No crawl may run meanwhile. Raises LockedError when one does, ConfigError for an id that the corpus never had and
    for a request that matches nothing, DiskError when originals cannot be rewritten. The next call finishes the rest.
    """
    require_own(config)
    for request in requests:
        _refuse_site_name(config, request)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=dry_run, machine=config.machine))
        require_originals(config, corpus)
        if dry_run:
            return _planned(config, corpus, requests, _RemovalMode(on_progress, defer=defer))
        locks = stack.enter_context(_locked(config, corpus))
        name_machine(config, corpus)
        return _carry_out(
            config, corpus, requests, _RemovalMode(on_progress, locks, defer=defer, future=future, lost=lost)
        )


def undo(config: Config, removal_id: int, reason: str) -> LiftReport:
    """Lift the tombstones of a removal, so that its pages are fetched again. Texts return only by a new crawl.

    No crawl may run meanwhile. Raises LockedError when one does, ConfigError for an unknown, unfinished or lifted
    removal.
    """
    require_own(config)
    with Corpus.open(config.database_url) as corpus, _locked(config, corpus):
        return corpus.removals.undo(removal_id, reason)


def _locked(config: Config, corpus: Corpus) -> SiteLocks:
    return SiteLocks.of_all(corpus, config.site_names, config.locks_folder)


def _refuse_site_name(config: Config, request: RemovalRequest) -> None:
    """Raise ConfigError for a site's name instead of a domain. Nothing would be removed, though it would seem so."""
    from corpus_spider.config.seeds import hosts_of

    if request.kind is not RequestKind.DOMAIN:
        return
    named = next((site for site in config.sites if site.name == request.value), None)
    if named and request.value not in hosts_of(named):
        do = f"Name its domain: {', '.join(hosts_of(named))}."
        raise ConfigError(
            "is the name of a site, not a domain", where=request.where or f"--domain {request.value}", do=do
        )


@dataclass(frozen=True, slots=True)
class _RemovalMode:
    """Way of a removal: the locks that it holds, its options and its progress."""

    on_progress: Progress
    locks: SiteLocks | None = None
    defer: bool = False
    future: bool = False
    lost: bool = False


def _planned(config: Config, corpus: Corpus, requests: Sequence[RemovalRequest], doing: _RemovalMode) -> RemovalReport:
    found: list[RequestReport] = []
    files = set(corpus.removals.unscrubbed())
    for number, request in enumerate(requests):
        doing.on_progress(LOOKED_UP, number, len(requests))
        affected = corpus.removals.affected(request)
        _refuse_unknown_id(corpus, request, affected)
        found.append(_report(corpus, request, affected, dry_run=True))
        files |= affected.files
    report = _together(found)
    report.dry_run, report.files, report.database = True, sorted(files), corpus.name
    report.waiting = corpus.removals.waiting_machines()
    if not requests:
        report.fetches = sum(map(len, corpus.removals.unscrubbed().values()))
    rewrite = not doing.defer and (any(each.pages for each in found) or corpus.removals.has_to_rewrite())
    report.estimate = _estimate(config, corpus, report.files, rewrite=rewrite)
    return report


def _estimate(config: Config, corpus: Corpus, files: Sequence[str], *, rewrite: bool) -> Estimate:
    """Estimate the work for these WARC files and, with ``rewrite``, the SQLite file. The room is that of one at a time.

    The free space is that of the fullest disk that is concerned.
    """
    there = config.originals.list()
    sizes = [there[path.name] for path in map(config.originals.path, files) if path.name in there]
    database = sqlite_path(corpus.database.url) if rewrite and corpus.database.is_sqlite else None
    own = database.stat().st_size if database else 0
    disks = [*([config.warc_folder] if sizes else ()), *([database.absolute().parent] if database else ())]
    return Estimate(
        rewritten=sum(sizes) + own,
        room=max([corpus.removals.room() if database else 0, *sizes]),
        free=min((disk_usage(disk).free for disk in disks), default=0),
        seconds=round(1 + sum(sizes) / WARC_RATE + own / DATABASE_RATE),
    )


def _carry_out(
    config: Config, corpus: Corpus, requests: Sequence[RemovalRequest], doing: _RemovalMode
) -> RemovalReport:
    from corpus_spider.archive.recovery import recover

    assert doing.locks is not None
    recover(corpus, config.originals, doing.locks.sites)
    removals, show = corpus.removals, doing.on_progress

    def check(request: RemovalRequest, affected: AffectedPages) -> None:
        _refuse_unknown_id(corpus, request, affected)
        if not (affected.matches or doing.future):
            where = request.where or f"--{request.kind} {request.value}"
            do = "Check the spelling. To keep it out from now on, add --future."
            raise ConfigError("nothing in the corpus matches", where=where, do=do)

    if requests:
        declared = removals.declare_all(requests, check, show)
        pairs = zip(requests, declared, strict=True)
        report = _together([_report(corpus, *pair, dry_run=False) for pair in pairs])
    else:
        report = RemovalReport(documents=removals.declare_returned())
    report.database = corpus.name
    removals.withdraw(show)
    removals.relearn(show)
    removals.ask_machines()
    # A crawl may read unprocessed pages in a file, so the locks must still be ours.
    done = empty_originals(corpus, config.originals, lost=doing.lost, before_each=doing.locks.ensure, on_progress=show)
    report.records, report.files, report.torn = done.records, done.files, done.torn
    report.missing, report.undeleted = done.missing, done.undeleted
    if done.is_complete:
        removals.carried_out()
    report.waiting = [machine for machine in removals.waiting_machines() if machine != corpus.machine]
    is_open = bool(report.waiting) or not done.is_complete
    report.deferred = removals.finish(defer=doing.defer, leave_open=is_open, on_progress=show)
    report.copies = older_copies(config)
    upload(corpus, config.originals)
    return report


def _together(found: Sequence[RequestReport]) -> RemovalReport:
    """Return the report of one request, or of several with their sums."""
    report = RemovalReport(day=today())
    if len(found) == 1:
        for name in RequestReport.__slots__:
            setattr(report, name, getattr(found[0], name))
        return report
    report.requests = list(found)
    report.pages, report.fetches = sum(each.pages for each in found), sum(each.fetches for each in found)
    report.documents = sorted({document for each in found for document in each.documents})
    report.alike = sorted({address for each in found for address in each.alike})
    return report


def _refuse_unknown_id(corpus: Corpus, request: RemovalRequest, affected: AffectedPages) -> None:
    if request.kind is RequestKind.ID and not affected.documents:
        where = request.where or request.value
        gone = any(each.id == request.value for each in corpus.removals.documents())
        if gone:
            do = "`corpus-spider remove` without options finishes the removal."
            raise ConfigError("was removed already", where=where, do=do)
        do = "An id is 32 hexadecimal digits, the field `id` of an export."
        raise ConfigError("no document has this id", where=where, do=do)


def _report(corpus: Corpus, request: RemovalRequest, affected: AffectedPages, *, dry_run: bool) -> RequestReport:
    report = RequestReport(request.kind.value, request.value, request.reason, today(), dry_run)
    report.pages, report.documents, report.fetches = len(affected.url_ids), affected.documents, affected.fetches
    report.alike, report.removal = affected.alike, affected.removal
    if not affected.documents and (asked := corpus.removals.done_before(request)):
        report.before = asked.date().isoformat()
    return report


def older_copies(config: Config) -> list[str]:
    """Return the copies of a SQLite file that migrations left beside it."""
    from glob import escape

    file = config.database_file
    return sorted(str(each) for each in file.parent.glob(f"{escape(file.name)}.before-*")) if file else []
