"""`remove`: delete a text, a site or an author from the corpus and its originals for good, and report it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.archive.ownership import require_originals, require_own
from storage.corpus import Corpus
from storage.disk import disk_errors, sync_folder
from storage.errors import ConfigError, LockedError
from storage.failpoints import reach
from storage.fetches.file_retention import REMOVED as EXPIRED
from storage.locking.locks import SiteLocks
from storage.removal.takedown import Request, What
from storage.reporting import counted
from storage.warc import warc_path
from storage.warc.redact import scrub
from storage.warc.writer import OPEN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus_spider.config.model import Config
    from storage.removal.takedown import Affected
    from storage.removal.undo import Lifted

SHOWN = 20


@dataclass(slots=True)
class RemovalReport:
    """Result of a removal: the deleted ids, and the changes of the originals."""

    kind: str = ""
    value: str = ""
    reason: str = ""
    day: str = ""
    dry_run: bool = False
    pages: int = 0
    """Addresses that are never fetched again."""
    documents: list[str] = field(default_factory=list)
    fetches: int = 0
    records: int = 0
    """Emptied WARC records, requests included."""
    files: list[str] = field(default_factory=list)
    """New names of the rewritten WARC files."""
    torn: int = 0
    """Deleted torn tails of WARC files, which recovery had kept."""
    alike: list[str] = field(default_factory=list)
    """Addresses of other documents with the same or nearly the same text."""
    before: str = ""
    """Day of an earlier removal of the same."""
    copies: list[str] = field(default_factory=list)
    """Older copies of the database that still hold the texts."""
    removal: int = 0
    """Id of the removal, for ``--undo``. 0 for a dry run and without a request."""


def remove(
    config: Config,
    request: Request | None,
    *,
    dry_run: bool = False,
    future: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> RemovalReport:
    """Remove the documents of a request, and finish interrupted removals. Without a request only the latter.

    ``future``: accept a request that matches nothing, and keep its address, domain or author out from now on.

    No crawl may run meanwhile. Raises LockedError when one does, ConfigError for an id that the corpus never had and
    for a request that matches nothing, DiskError when originals cannot be rewritten. The next call finishes the rest.
    """
    require_own(config)
    if request is not None:
        _refuse_site_name(config, request)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=dry_run))
        require_originals(config, corpus)
        if dry_run:
            return _planned(corpus, request)
        locks = stack.enter_context(_locked(config, corpus))
        return _carry_out(config, corpus, request, _Hold(locks, on_progress), future=future)


def undo(config: Config, removal_id: int, reason: str) -> Lifted:
    """Lift the tombstones of a removal, so that its pages are fetched again. Texts return only by a new crawl.

    No crawl may run meanwhile. Raises LockedError when one does, ConfigError for an unknown, unfinished or lifted
    removal.
    """
    require_own(config)
    with Corpus.open(config.database_url) as corpus, _locked(config, corpus):
        return corpus.removals.undo(removal_id, reason)


def _locked(config: Config, corpus: Corpus) -> SiteLocks:
    sites = sorted({*corpus.removals.sites(), *(site.name for site in config.sites)})
    return SiteLocks(corpus, sites, config.warc_folder / "locks")


def _refuse_site_name(config: Config, request: Request) -> None:
    """Raise ConfigError for a site's name instead of a domain. Nothing would be removed, though it would seem so."""
    from corpus_spider.config.seeds import hosts_of

    if request.kind is not What.DOMAIN:
        return
    named = next((site for site in config.sites if site.name == request.value), None)
    if named and request.value not in hosts_of(named):
        do = f"Name its domain: {', '.join(hosts_of(named))}."
        raise ConfigError("is the name of a site, not a domain", where=f"--domain {request.value}", do=do)


def _planned(corpus: Corpus, request: Request | None) -> RemovalReport:
    if request is None:
        pending = corpus.removals.unscrubbed()
        return RemovalReport(dry_run=True, fetches=sum(map(len, pending.values())), files=sorted(pending))
    affected = corpus.removals.affected(request)
    _refuse_unknown_id(corpus, request, affected)
    return _report(corpus, request, affected, dry_run=True)


@dataclass(frozen=True, slots=True)
class _Hold:
    """Locks held while originals are emptied. ``rewritten`` gets the number of rewritten files."""

    locks: SiteLocks
    rewritten: Callable[[int], None]


def _carry_out(config: Config, corpus: Corpus, request: Request | None, hold: _Hold, *, future: bool) -> RemovalReport:
    from corpus_spider.archive.recovery import recover

    recover(corpus, config.warc_folder, hold.locks.sites)
    report = RemovalReport()
    if request is not None:
        affected = corpus.removals.affected(request)
        _refuse_unknown_id(corpus, request, affected)
        if not (affected.matches or future):
            do = "Check the spelling. To keep it out from now on, add --future."
            raise ConfigError("nothing in the corpus matches", where=f"--{request.kind} {request.value}", do=do)
        report = _report(corpus, request, corpus.removals.declare(request), dry_run=False)
    else:
        report.documents = corpus.removals.declare_returned()
    report.day = datetime.now(UTC).date().isoformat()
    corpus.removals.withdraw()
    corpus.removals.relearn()
    _delete_replaced(corpus, config.warc_folder)
    _empty_originals(config.warc_folder, hold, corpus, report)
    _delete_torn(config.warc_folder, report)
    corpus.removals.finish()
    report.copies = older_copies(config)
    return report


def _refuse_unknown_id(corpus: Corpus, request: Request, affected: Affected) -> None:
    if request.kind is What.ID and not affected.documents:
        gone = any(each.id == request.value for each in corpus.removals.documents())
        if gone:
            do = "`corpus-spider remove` without options finishes the removal."
            raise ConfigError("was removed already", where=request.value, do=do)
        do = "An id is 32 hexadecimal digits, the field `id` of an export."
        raise ConfigError("no document has this id", where=request.value, do=do)


def _report(corpus: Corpus, request: Request, affected: Affected, *, dry_run: bool) -> RemovalReport:
    report = RemovalReport(request.kind.value, request.value, request.reason, dry_run=dry_run)
    report.pages, report.documents, report.fetches = len(affected.url_ids), affected.documents, affected.fetches
    report.alike, report.removal = affected.alike, affected.removal
    if not affected.documents and (asked := corpus.removals.done_before(request)):
        report.before = asked.date().isoformat()
    return report


def _empty_originals(folder: Path, hold: _Hold, corpus: Corpus, report: RemovalReport) -> None:
    """Rewrite every file that holds an original of a removed page. After a kill the next call does it again.

    Raises LockedError for a file that a crawl is writing, and when a crawl has taken locks that were lost.
    """
    gone = {file.name for file in corpus.warc.files() if file.state == EXPIRED}
    written = []
    for name, pointers in corpus.removals.unscrubbed().items():
        path = warc_path(folder, name)
        if (folder / (name + OPEN)).exists():
            written.append(name)
            continue
        if name in gone or not path.is_file():
            with disk_errors(folder):
                path.unlink(missing_ok=True)
            corpus.removals.give_up(name)
            continue
        offsets, ids = {each.offset for each in pointers}, {each.record_id for each in pointers}
        scrubbed = scrub(folder, name, offsets, ids, report.day)
        reach("in_removal")
        # A crawl may read unprocessed pages in the file, so the locks must still be ours.
        hold.locks.ensure()
        corpus.removals.move(name, scrubbed)
        report.records += scrubbed.emptied
        report.files.append(scrubbed.name)
        _delete_replaced(corpus, folder)
        hold.rewritten(len(report.files))
    if written:
        # A crawl writes them, of a site that was not known yet when the locks were taken.
        do = "When it has ended, run `corpus-spider remove` to empty the rest."
        raise LockedError(tuple(written), where=str(folder), do=do)


def _delete_replaced(corpus: Corpus, folder: Path) -> None:
    for name in corpus.removals.replaced_files():
        path = warc_path(folder, name)
        with disk_errors(folder):
            path.unlink(missing_ok=True)
            sync_folder(folder)
        reach("in_removal")
        corpus.removals.forget_file(name)


def _delete_torn(folder: Path, report: RemovalReport) -> None:
    """Delete torn tails and unfinished copies. No row points into them, so their content is unknown."""
    with disk_errors(folder):
        for path in [*folder.glob("*.warc.gz.torn-*"), *folder.glob("*.warc.gz.tmp")]:
            path.unlink()
            report.torn += ".torn-" in path.name


def older_copies(config: Config) -> list[str]:
    """Return the copies of a SQLite file that migrations left beside it."""
    from glob import escape

    from storage.database.transactions import parse_url, sqlite_path

    url = parse_url(config.database_url)
    if url.get_backend_name() != "sqlite":
        return []
    path = sqlite_path(url)
    return sorted(str(each) for each in path.parent.glob(f"{escape(path.name)}.before-*"))


def letter(report: RemovalReport) -> str:
    """Return the report as text, for the person who requested the removal."""
    if not report.kind:
        files = counted(len(report.files), "WARC file")
        if not report.dry_run:
            texts = f"{counted(len(report.documents), 'text')} deleted, " if report.documents else ""
            return f"There is no new request. Earlier removals are finished: {texts}{files} rewritten."
        return (
            f"There is no new request. {files} {'has' if len(report.files) == 1 else 'have'} originals left to empty."
        )
    lines = _dry_lines(report) if report.dry_run else _done_lines(report)
    if report.alike:
        others = "other address has" if len(report.alike) == 1 else "other addresses have"
        lines.append(f"{len(report.alike)} {others} the same or nearly the same text:")
        lines += [f"  {each}" for each in report.alike[:SHOWN]]
        lines.append("Add `--duplicates` to remove them too.")
    return "\n".join(lines)


def _dry_lines(report: RemovalReport) -> list[str]:
    pages = f"{report.pages} address{'' if report.pages == 1 else 'es'} ({report.kind} {report.value})"
    what = f"{counted(len(report.documents), 'text')} of {pages} and empty {counted(report.fetches, 'original')}"
    lines = [f"This would remove {what}. Nothing was changed."]
    return lines if report.documents else [*lines, f"There is no text: {_why_none(report)}"]


def _why_none(report: RemovalReport) -> str:
    if report.before:
        return f"the same was removed on {report.before}."
    if report.pages:
        return "check the spelling of the name or address."
    if report.dry_run:
        return "nothing matches. Check the spelling of the name or address, or keep it out with `--future`."
    return "nothing matches yet. It is kept out from now on."


def _done_lines(report: RemovalReport) -> list[str]:
    files = counted(len(report.files), "file")
    records = counted(report.records, "record")
    emptied = f"{counted(report.fetches, 'original')} ({records} of the archive, including requests)"
    lines = [
        f"Removed on {report.day} ({report.kind} {report.value}), reason: {report.reason}",
        f"- Deleted: {counted(len(report.documents), 'text')}, with title, author, captions and fingerprints.",
        f"- Emptied: {emptied}, in {files} rewritten for it.",
        "- The removed pages are never fetched again, nor stored under another spelling of their address.",
        "- Later dumps do not contain them. Their removal list names the ids, for users of older dumps.",
        "- Kept: the address, the ids, the day and the reason; mentions in feeds, sections and other pages.",
        f"- This is removal {report.removal}. `corpus-spider remove --undo {report.removal}` lets its pages in again.",
    ]
    if report.kind == What.AUTHOR:
        lines.append("- Pages without a text were not searched for the name. Their originals stay.")
    found = f"- {counted(len(report.documents), 'id')}:"
    lines += [found if report.documents else f"- There was no text: {_why_none(report)}"]
    lines += [f"  {each}" for each in report.documents[:SHOWN]]
    if len(report.documents) > SHOWN:
        lines.append(f"  and {len(report.documents) - SHOWN} more (`--json` lists them)")
    if report.copies:
        lines.append("These older copies of the database still hold the texts. Delete them:")
        lines += [f"  {each}" for each in report.copies]
    return lines


def undone(lifted: Lifted) -> str:
    """Return the result of `undo` as text."""
    pages = counted(lifted.pages, "page")
    named = "an author" if lifted.kind == What.AUTHOR else lifted.value
    return (
        f"Removal {lifted.id} ({lifted.kind} {named}, {lifted.asked.date().isoformat()}) is lifted."
        f" {pages} may be fetched again.\nThe removed texts were deleted. They return only by a new crawl."
        " The record of the removal stays."
    )


def request_of(options: dict[str, str | None], reason: str | None, *, duplicates: bool) -> Request | None:
    """Return the request that the options of the command line state; None without any.

    Raises ConfigError for more than one option, for an invalid value, and without a reason.
    """
    given = {What(name): value.strip() for name, value in options.items() if value is not None}
    if not given:
        return None
    if len(given) > 1:
        raise ConfigError("only one thing can be removed at a time", do="Run the command once for each.")
    if not (reason or "").strip():
        raise ConfigError("a removal needs a reason", do="Add --reason, such as --reason 'request of the author'.")
    ((kind, value),) = given.items()
    return Request(kind, _normal(kind, value), str(reason).strip(), duplicates)


def _normal(kind: What, value: str) -> str:
    from pipelines.urls.url import canonicalise

    found: str | None = value
    if kind is What.URL and "://" not in value and "." not in _host(value):
        do = "Write the whole address, such as https://news.example.org/story-1.html."
        raise ConfigError("this is no address of a page", where=f"--url {value}", do=do)
    if kind is What.URL:
        found = canonicalise(value if "://" in value else f"https://{value}")
    elif kind is What.DOMAIN:
        found = _domain(value)
    elif kind is What.ID:
        found = value.lower()
    if not found:
        raise ConfigError(
            f"this is not a valid {kind.value}",
            where=f"--{kind.value} {value}",
            do="See `corpus-spider remove --help`.",
        )
    return found


def _host(value: str) -> str:
    """Return the host of an address, without its port. The scheme may be missing. "" if there is no host."""
    from pipelines.urls.url import host_of, split_port

    split = split_port(host_of(value if "://" in value else f"https://{value}"))
    return split[0] if split else ""


def _domain(value: str) -> str:
    from pipelines.urls.url import is_public_suffix

    host = _host(value)
    if is_public_suffix(host):
        do = "Name the domain below it, such as news.example.org."
        raise ConfigError(f"this would match every domain that ends in .{host}", where=f"--domain {value}", do=do)
    plain = host.removeprefix("www.")
    return host if is_public_suffix(plain) else plain
