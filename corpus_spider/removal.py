"""`remove`: a text, a site or an author out of the corpus and its originals, for good; and the report of it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.owner import require_originals, require_own
from storage.corpus import Corpus
from storage.counting import counted
from storage.disk import disk_errors, sync_folder
from storage.errors import ConfigError, LockedError
from storage.failpoints import reach
from storage.locks import SiteLocks
from storage.removals import Request, What
from storage.retention import REMOVED as EXPIRED
from storage.warc import warc_path
from storage.warc.scrubbing import scrub
from storage.warc.writer import OPEN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus_spider.config import Config
    from storage.removals import Affected

SHOWN = 20


@dataclass(slots=True)
class RemovalReport:
    """What a removal came to: the ids that are gone for good, and what was done to the originals."""

    kind: str = ""
    value: str = ""
    reason: str = ""
    day: str = ""
    dry_run: bool = False
    pages: int = 0
    """Addresses that will not be asked for again."""
    documents: list[str] = field(default_factory=list)
    fetches: int = 0
    records: int = 0
    """WARC records that were emptied, requests included."""
    files: list[str] = field(default_factory=list)
    """WARC files that were written anew, under their new names."""
    torn: int = 0
    """Torn tails of WARC files, kept by recovery, that were deleted."""
    alike: list[str] = field(default_factory=list)
    """Addresses of texts that repeat these and are still there."""
    before: str = ""
    """The day of an earlier removal of the same."""
    copies: list[str] = field(default_factory=list)
    """Older copies of the database, which still hold the texts."""


def remove(
    config: Config,
    request: Request | None,
    *,
    dry_run: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> RemovalReport:
    """Take out what a request names, and finish removals that were interrupted; without a request only that.

    No crawl may run meanwhile. Raises LockedError when one does, ConfigError for an id that the corpus never had,
    DiskError when originals cannot be written anew: what is left to do is done by the next call.
    """
    require_own(config)
    if request is not None:
        _refuse_site_name(config, request)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=dry_run))
        require_originals(config, corpus)
        if dry_run:
            return _planned(corpus, request)
        sites = sorted({*corpus.removals.sites(), *(site.name for site in config.sites)})
        locks = stack.enter_context(SiteLocks(corpus, sites, config.warc_folder / "locks"))
        return _carry_out(config, corpus, request, _Hold(locks, on_progress))


def _refuse_site_name(config: Config, request: Request) -> None:
    """Raise ConfigError for a site's name in the place of a domain: nothing would go, and the removal seem done."""
    from corpus_spider.site_rules import hosts_of

    if request.kind is not What.DOMAIN:
        return
    named = next((site for site in config.sites if site.name == request.value), None)
    if named and request.value not in hosts_of(named):
        do = f"Name its domain: {', '.join(hosts_of(named))}."
        raise ConfigError("is the name of a site, and no domain of it", where=f"--domain {request.value}", do=do)


def _planned(corpus: Corpus, request: Request | None) -> RemovalReport:
    if request is None:
        pending = corpus.removals.unscrubbed()
        return RemovalReport(dry_run=True, fetches=sum(map(len, pending.values())), files=sorted(pending))
    affected = corpus.removals.affected(request)
    _refuse_unknown_id(corpus, request, affected)
    return _report(corpus, request, affected, dry_run=True)


@dataclass(frozen=True, slots=True)
class _Hold:
    """What is held and told while originals are emptied, ``told`` the number of files that were written anew."""

    locks: SiteLocks
    told: Callable[[int], None]


def _carry_out(config: Config, corpus: Corpus, request: Request | None, hold: _Hold) -> RemovalReport:
    from corpus_spider.recovery import recover

    recover(corpus, config.warc_folder, hold.locks.sites)
    report = RemovalReport()
    if request is not None:
        _refuse_unknown_id(corpus, request, corpus.removals.affected(request))
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
            do = "`corpus-spider remove` without options finishes what is left."
            raise ConfigError("was removed already", where=request.value, do=do)
        do = "An id is 32 hexadecimal digits, the field `id` of an export."
        raise ConfigError("is the id of no document", where=request.value, do=do)


def _report(corpus: Corpus, request: Request, affected: Affected, *, dry_run: bool) -> RemovalReport:
    report = RemovalReport(request.kind.value, request.value, request.reason, dry_run=dry_run)
    report.pages, report.documents, report.fetches = len(affected.url_ids), affected.documents, affected.fetches
    report.alike = affected.alike
    if not affected.documents and (asked := corpus.removals.done_before(request)):
        report.before = asked.date().isoformat()
    return report


def _empty_originals(folder: Path, hold: _Hold, corpus: Corpus, report: RemovalReport) -> None:
    """Write anew every file that holds an original of a removed page. Killed anywhere, it is done again.

    Raises LockedError for a file that is being written, and when a crawl has taken locks that were lost.
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
        # A crawl reads pages that wait in a file: none is to be taken away under it.
        hold.locks.ensure()
        corpus.removals.move(name, scrubbed)
        report.records += scrubbed.emptied
        report.files.append(scrubbed.name)
        _delete_replaced(corpus, folder)
        hold.told(len(report.files))
    if written:
        # By a crawl of a site that was not known yet when the locks were taken.
        do = "When it has ended, `corpus-spider remove` empties what is left."
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
    """Delete torn tails and unfinished copies: no row leads into them, so what they hold cannot be told apart."""
    with disk_errors(folder):
        for path in [*folder.glob("*.warc.gz.torn-*"), *folder.glob("*.warc.gz.tmp")]:
            path.unlink()
            report.torn += ".torn-" in path.name


def older_copies(config: Config) -> list[str]:
    """Return the copies of a SQLite file that migrations have left beside it."""
    from glob import escape

    from storage.database import parse_url, sqlite_path

    url = parse_url(config.database_url)
    if url.get_backend_name() != "sqlite":
        return []
    path = sqlite_path(url)
    return sorted(str(each) for each in path.parent.glob(f"{escape(path.name)}.before-*"))


def letter(report: RemovalReport) -> str:
    """Return the report in words, for the person who asked."""
    if not report.kind:
        files = counted(len(report.files), "WARC file")
        if not report.dry_run:
            texts = f"{counted(len(report.documents), 'text')} deleted, " if report.documents else ""
            return f"Nothing new was asked for; what was left of earlier removals is done, {texts}{files} written anew."
        return f"Nothing was asked for; {files} {'is' if len(report.files) == 1 else 'are'} left to be emptied."
    lines = _dry_lines(report) if report.dry_run else _done_lines(report)
    if report.alike:
        others = "other address has" if len(report.alike) == 1 else "other addresses have"
        lines.append(f"{len(report.alike)} {others} the same or nearly the same text:")
        lines += [f"  {each}" for each in report.alike[:SHOWN]]
        lines.append("Add `--duplicates` to take them out too.")
    return "\n".join(lines)


def _dry_lines(report: RemovalReport) -> list[str]:
    pages = f"{report.pages} address{'' if report.pages == 1 else 'es'} ({report.kind} {report.value})"
    what = f"{counted(len(report.documents), 'text')} of {pages} and empty {counted(report.fetches, 'original')}"
    lines = [f"This would remove {what}. Nothing was changed."]
    return lines if report.documents else [*lines, f"No text is there: {_why_none(report)}"]


def _why_none(report: RemovalReport) -> str:
    if report.before:
        return f"the same was removed on {report.before}."
    return "see that what was named is spelled right."


def _done_lines(report: RemovalReport) -> list[str]:
    files = counted(len(report.files), "file")
    records = counted(report.records, "record")
    emptied = f"{counted(report.fetches, 'original')} ({records} of the archive, requests too)"
    lines = [
        f"Removed on {report.day} ({report.kind} {report.value}), reason: {report.reason}",
        f"- Deleted: {counted(len(report.documents), 'text')}, with title, author, captions and fingerprints.",
        f"- Emptied: {emptied}, in {files} written anew.",
        "- What was named is not fetched again, nor taken in under another spelling of its address.",
        "- Dumps made from now on do not hold it; their removal list names its ids, for those who have older ones.",
        "- What stays: the address, the ids, the day and the reason; what feeds, sections and other pages say of it.",
    ]
    if report.kind == What.AUTHOR:
        lines.append("- Pages that gave no text were not looked through for the name; their originals stay.")
    found = f"- {counted(len(report.documents), 'id')}:"
    lines += [found if report.documents else f"- No text was there: {_why_none(report)}"]
    lines += [f"  {each}" for each in report.documents[:SHOWN]]
    if len(report.documents) > SHOWN:
        lines.append(f"  and {len(report.documents) - SHOWN} more (`--json` lists them)")
    if report.copies:
        lines.append("These older copies of the database still hold it; delete them:")
        lines += [f"  {each}" for each in report.copies]
    return lines


def request_of(options: dict[str, str | None], reason: str | None, *, duplicates: bool) -> Request | None:
    """Turn the options of the command line into a request; None when nothing is named.

    Raises ConfigError for more than one, for a value that is none, and without a reason.
    """
    given = {What(name): value.strip() for name, value in options.items() if value is not None}
    if not given:
        return None
    if len(given) > 1:
        raise ConfigError("name one thing to remove at a time", do="Run it once for each.")
    if not (reason or "").strip():
        raise ConfigError("a removal needs a reason", do="Add --reason, such as --reason 'request of the author'.")
    ((kind, value),) = given.items()
    return Request(kind, _normal(kind, value), str(reason).strip(), duplicates)


def _normal(kind: What, value: str) -> str:
    from pipelines.urls import canonicalise

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
            f"this is no {kind.value}", where=f"--{kind.value} {value}", do="See `corpus-spider remove --help`."
        )
    return found


def _host(value: str) -> str:
    """Return the host of an address that may lack its scheme, without a port; empty when there is none."""
    from pipelines.hosts import split_port
    from pipelines.urls import host_of

    split = split_port(host_of(value if "://" in value else f"https://{value}"))
    return split[0] if split else ""


def _domain(value: str) -> str:
    from pipelines.hosts import is_public_suffix

    host = _host(value)
    if is_public_suffix(host):
        do = "Name the domain below it, such as news.example.org."
        raise ConfigError("many domains that are not one another's end so", where=f"--domain {value}", do=do)
    plain = host.removeprefix("www.")
    return host if is_public_suffix(plain) else plain
