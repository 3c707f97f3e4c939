"""Date range of a crawl: skip links that are known to be outside, and list the archive pages inside."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from pipelines.discovery.list_pages import archive_span, day_of, month_from
from pipelines.metadata.dates.path_dates import dates_in_path
from pipelines.urls.url import parse
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.urls.url import Address
    from storage.records import Link, SiteModel

_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_/.]?(0[1-9]|1[0-2])(?:[-_/.]?(0[1-9]|[12]\d|3[01]))?(?!\d)")
_NAMED = re.compile(
    r"(?:year|yyyy|y)=((?:19|20)\d\d)&(?:month|mm|m)=(0?[1-9]|1[0-2])(?!\d)(?:&(?:day|dd|d)=(\d{1,2}))?"
)
MAX_DAYS = 40 * 366
"""Days of a range for which archive pages are listed."""
LINKS_OF_ARCHIVE = 2
"""Links to days or months of an archive that are needed for its template."""


def within(links: Iterable[Link], model: SiteModel) -> tuple[Link, ...]:
    """Return the links that may lead to texts from the model's date range, or all if it has none.

    - A page is outside by the date in its feed or sitemap, or by the day in its URL.
    - An archive is outside by its span.
    - A sitemap is outside if it last changed before the range, or by the month in its name.
    """
    if not model.since and not model.until:
        return tuple(links)
    since = date.fromisoformat(model.since) if model.since else date.min
    until = date.fromisoformat(model.until) if model.until else date.max
    return tuple(link for link in links if _may_lie(link, since, until))


def _may_lie(link: Link, since: date, until: date) -> bool:
    address = parse(link.url)
    if link.kind is Kind.SITEMAP:
        changed = date.fromisoformat(link.dated[:10]) if link.dated else date.max
        return changed >= since and _overlaps(_month_of(address), since, until)
    if link.dated:
        # A time is in UTC. The local day may be the next or the previous one.
        day, slack = date.fromisoformat(link.dated[:10]), int("T" in link.dated)
        return _moved(since, -slack) <= day <= _moved(until, slack)
    span = archive_span(address) if address else None
    if address and not span:
        days = [stated for text in dates_in_path(address.path) if (stated := day_of(text))]
        span = (min(days), max(days)) if days else None
    return _overlaps(span, since, until)


def _overlaps(span: tuple[date, date] | None, since: date, until: date) -> bool:
    return span is None or (span[0] <= until and span[1] >= since)


def _moved(day: date, days: int) -> date:
    return day if day in {date.min, date.max} else day + timedelta(days=days)


def _month_of(address: Address | None) -> tuple[date, date] | None:
    """Return the first and the last day of the month or day in the name of a sitemap."""
    if address is None:
        return None
    match = _NAMED.search(address.query) or _MONTH.search(f"{address.path}?{address.query}")
    if match is None:
        return None
    first = day_of(f"{match[1]}-{int(match[2]):02}-{int(match[3] or 1):02}")
    if first is None or match[3]:
        return (first, first) if first else None
    return month_from(first)


def archive_pages(template: str, since: date, until: date) -> list[str]:
    """Return the URLs of an archive's days (or months, if the template has no day), the newest first.

    ``template`` contains ``{yyyy}``, ``{mm}`` and perhaps ``{dd}``, or ``{m}`` and ``{d}`` without leading zeros.
    """
    count = min((until - since).days + 1, MAX_DAYS)
    days = [until - timedelta(days=number) for number in range(count)]
    return list(dict.fromkeys(_filled(template, day) for day in days))


def _filled(template: str, day: date) -> str:
    values = {"yyyy": f"{day.year:04}", "mm": f"{day.month:02}", "dd": f"{day.day:02}", "m": day.month, "d": day.day}
    return re.sub(r"\{(yyyy|mm|dd|m|d)\}", lambda match: str(values[match[1]]), template)


def archive_template(links: Iterable[Link]) -> str:
    """Return the template of the archive with the most links on a page, one for each day or month, or ""."""
    found: dict[str, int] = {}
    for link in links:
        address = parse(link.fetch_url)
        span = archive_span(address) if address else None
        if address is None or span is None:
            continue
        if template := _template(link.fetch_url, span[0], by_day=span[0] == span[1]):
            found[template] = found.get(template, 0) + 1
    often = {template: count for template, count in found.items() if count >= LINKS_OF_ARCHIVE}
    return max(often, key=lambda template: ("{d" in template, often[template]), default="")


def _template(url: str, day: date, *, by_day: bool) -> str:
    written = (("{mm}", f"{day:%m}", "{dd}", f"{day:%d}"), ("{m}", str(day.month), "{d}", str(day.day)))
    for mark in "/-_.":
        for month, month_text, of_day, day_text in written:
            stated = mark.join((str(day.year), month_text, *((day_text,) if by_day else ())))
            if stated in url:
                return url.replace(stated, mark.join(("{yyyy}", month, *((of_day,) if by_day else ()))), 1)
    return ""
