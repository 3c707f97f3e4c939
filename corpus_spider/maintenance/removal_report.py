"""Report of a removal, and its text for the person who requested it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus_spider.terminal.values import human_size
from storage.removal.affected_pages import RequestKind
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.removal.removal_record import LiftReport

MAX_LISTED_ADDRESSES = 20
"""Ids and addresses of one request."""
MIN_SECONDS_IN_MINUTES = 120
"""Seconds from which on a time is stated in minutes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Work of a removal: bytes of the files to rewrite, free disk space needed and there, and seconds."""

    rewritten: int
    room: int
    free: int
    seconds: int


@dataclass(slots=True)
class RequestReport:
    """Result of one request: the deleted ids."""

    kind: str = ""
    value: str = ""
    reason: str = ""
    day: str = ""
    dry_run: bool = False
    pages: int = 0
    """Addresses that are never fetched again."""
    documents: list[str] = field(default_factory=list)
    fetches: int = 0
    alike: list[str] = field(default_factory=list)
    """Addresses of other documents with the same or nearly the same text."""
    before: str = ""
    """Day of an earlier removal of the same."""
    removal: int = 0
    """Id of the removal, for ``--undo``. 0 for a dry run and without a request."""


@dataclass(slots=True)
class RemovalReport(RequestReport):
    """Result of a removal: its request, or the sums of several, and the changes of the files."""

    records: int = 0
    """Emptied WARC records, requests included."""
    files: list[str] = field(default_factory=list)
    """New names of the rewritten WARC files. In a dry run, names of the files to rewrite."""
    missing: list[str] = field(default_factory=list)
    """WARC files with originals of removed pages that are not in the folder. The removals stay open until they are."""
    undeleted: dict[str, str] = field(default_factory=dict)
    """WARC files with a version that object storage keeps, and why. The removals stay open until it is deleted."""
    waiting: list[str] = field(default_factory=list)
    """Machines that have not yet emptied their originals. The removals stay open until they have."""
    torn: int = 0
    """Deleted torn tails of WARC files, which recovery had kept."""
    copies: list[str] = field(default_factory=list)
    """Older copies of the database that still hold the texts."""
    database: str = ""
    deferred: bool = False
    """Whether the removals are unfinished, because SQLite's file was not rewritten."""
    estimate: Estimate | None = None
    """In a dry run."""
    requests: list[RequestReport] = field(default_factory=list)
    """The requests, if there are several."""


def letter(report: RemovalReport) -> str:
    """Return the report as text: each request, then what is true of all of them."""
    requests: Sequence[RequestReport] = report.requests or ([report] if report.kind else [])
    if not requests:
        lines = _without_request(report)
    elif report.dry_run:
        lines = [line for each in requests for line in _dry_lines(each)]
    else:
        lines = [line for each in requests for line in _done_lines(each, report.missing)] + _general_lines(report)
    lines += _estimate_lines(report.estimate) if report.estimate else []
    return "\n".join([*lines, "Nothing was changed."] if report.dry_run else lines)


def _without_request(report: RemovalReport) -> list[str]:
    files = counted(len(report.files), "WARC file")
    if report.dry_run:
        have = "has" if len(report.files) == 1 else "have"
        left = f"There is no new request. {files} {have} originals left to empty."
        return [left, *_waiting_lines(report)]
    texts = f"{counted(len(report.documents), 'text')} deleted, " if report.documents else ""
    is_open = report.deferred or report.missing or report.undeleted or report.waiting
    state = "are not finished" if is_open else "are finished"
    done = f"There is no new request. Earlier removals {state}: {texts}{files} rewritten."
    return [done, *_missing_lines(report), *_undeleted_lines(report), *_waiting_lines(report), *_deferred_lines(report)]


def _dry_lines(one: RequestReport) -> list[str]:
    pages = f"{counted(one.pages, 'address')} ({one.kind} {one.value})"
    what = f"{counted(len(one.documents), 'text')} of {pages} and empty {counted(one.fetches, 'original')}"
    lines = [f"This would remove {what}."]
    lines += [] if one.documents else [f"There is no text: {_why_none(one)}"]
    return [*lines, *_alike_lines(one.alike)]


def _done_lines(one: RequestReport, missing: Sequence[str]) -> list[str]:
    emptied = "To empty, some of them later" if missing else "Emptied"
    lines = [
        f"Removed on {one.day} ({one.kind} {one.value}), reason: {one.reason}",
        f"- Deleted: {counted(len(one.documents), 'text')}, with title, author, captions and fingerprints.",
        f"- {emptied}: {counted(one.fetches, 'original')}.",
        f"- This is removal {one.removal}. `corpus-spider remove --undo {one.removal}` lets its pages in again.",
    ]
    if one.kind == RequestKind.AUTHOR:
        lines.append("- Pages without a text were not searched for the name. Their originals stay.")
    found = f"- {counted(len(one.documents), 'id')}:"
    lines += [found if one.documents else f"- There was no text: {_why_none(one)}"]
    lines += [f"  {each}" for each in one.documents[:MAX_LISTED_ADDRESSES]]
    if len(one.documents) > MAX_LISTED_ADDRESSES:
        lines.append(f"  and {len(one.documents) - MAX_LISTED_ADDRESSES} more (`--json` lists them)")
    return [*lines, *_alike_lines(one.alike)]


def _general_lines(report: RemovalReport) -> list[str]:
    records, files = counted(report.records, "record"), counted(len(report.files), "file")
    lines = [
        f"Emptied in the archive: {records}, including requests, in {files} rewritten for it.",
        "The removed pages are never fetched again, nor stored under another spelling of their address.",
        "Later exports do not contain them. The removal list of a release names the ids, for users of older releases.",
        "Kept: the address, the ids, the day and the reason; mentions in feeds, sections and other pages.",
        *_missing_lines(report),
        *_undeleted_lines(report),
        *_waiting_lines(report),
        *_deferred_lines(report),
    ]
    if report.copies:
        lines.append("These older copies of the database still hold the texts. Delete them:")
        lines += [f"  {each}" for each in report.copies]
    return lines


def _missing_lines(report: RemovalReport) -> list[str]:
    if not report.missing:
        return []
    return [
        *_unfinished(report.missing, "originals to empty cannot be found"),
        "Mount or restore the folder. Then `corpus-spider remove` empties them and finishes the removal.",
        "If they are lost for good, `corpus-spider remove --lost` finishes it without them.",
    ]


def _undeleted_lines(report: RemovalReport) -> list[str]:
    if not report.undeleted:
        return []
    files = [f"{name}: {why}" for name, why in report.undeleted.items()]
    return [
        *_unfinished(files, "originals of removed pages cannot be deleted"),
        "When they can be deleted, `corpus-spider remove` finishes the removal.",
    ]


def _waiting_lines(report: RemovalReport) -> list[str]:
    if not report.waiting:
        return []
    have, number = "has" if len(report.waiting) == 1 else "have", counted(len(report.waiting), "machine")
    return [
        f"Not finished: {number} {have} not yet emptied the originals in {'its' if have == 'has' else 'their'} folder:",
        *(f"  {machine}" for machine in report.waiting),
        "Its worker does it at once, if one runs. Otherwise its next crawl does it, or `corpus-spider remove` there.",
        "If a machine is gone for good, `corpus-spider worker gone MACHINE` says so.",
    ]


def _deferred_lines(report: RemovalReport) -> list[str]:
    if not report.deferred:
        return []
    return [
        f"Not finished: {report.database} was not rewritten. Its free pages may still have parts of the removed texts.",
        "`corpus-spider remove` rewrites it and finishes the removal. Until then `check` reminds of it.",
    ]


def _estimate_lines(needed: Estimate) -> list[str]:
    if not needed.rewritten:
        return []
    seconds, minutes = needed.seconds, round(needed.seconds / 60)
    time = counted(seconds, "second") if seconds < MIN_SECONDS_IN_MINUTES else counted(minutes, "minute")
    room, free = human_size(needed.room), human_size(needed.free)
    return [f"It rewrites {human_size(needed.rewritten)}: about {time}, and {room} of disk space ({free} are free)."]


def _why_none(one: RequestReport) -> str:
    if one.before:
        return f"the same was removed on {one.before}."
    if one.pages:
        return "check the spelling of the name or address."
    if one.dry_run:
        return "nothing matches. Check the spelling of the name or address, or keep it out with `--future`."
    return "nothing matches yet. It is kept out from now on."


def _alike_lines(alike: Sequence[str]) -> list[str]:
    if not alike:
        return []
    others = "other address has" if len(alike) == 1 else "other addresses have"
    lines = [
        f"{len(alike)} {others} the same or nearly the same text:",
        *(f"  {each}" for each in alike[:MAX_LISTED_ADDRESSES]),
    ]
    return [*lines, "Add `--duplicates` to remove them too."]


def undone(lifted: LiftReport) -> str:
    """Return the result of `undo` as text."""
    pages = counted(lifted.pages, "page")
    named = "an author" if lifted.kind == RequestKind.AUTHOR else lifted.value
    return (
        f"Removal {lifted.id} ({lifted.kind} {named}, {lifted.asked.date().isoformat()}) is lifted."
        f" {pages} may be fetched again.\nThe removed texts were deleted. They return only by a new crawl."
        " The record of the removal stays."
    )


def _unfinished(files: Sequence[str], why: str) -> list[str]:
    """Return the lines that say why a removal is not finished, with the first of its files."""
    have, more = "has" if len(files) == 1 else "have", len(files) - MAX_LISTED_ADDRESSES
    return [
        f"Not finished: {counted(len(files), 'WARC file')} that {have} {why}:",
        *(f"  {file}" for file in files[:MAX_LISTED_ADDRESSES]),
        *([f"  and {more} more (`--json` lists them)"] if more > 0 else []),
    ]
