"""Read the metadata of a page: title, author, date, canonical URL, robots directives, rights."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.language.detect import main_script
from pipelines.markup.page_view import PageView
from pipelines.metadata.authors import find_authors
from pipelines.metadata.dates.places import DatedPage, date_candidates
from pipelines.metadata.dates.shown_dates import may_show_moment
from pipelines.metadata.dates.zones import site_zone
from pipelines.metadata.headline_parts import MAX_TITLE
from pipelines.metadata.publication_date import find_date
from pipelines.metadata.rights import licence_url, noted_directives, reservation_of_page
from pipelines.metadata.titles import find_title
from pipelines.text.normalise import clean_value
from pipelines.urls.url import host_of, parse, same_site
from storage.records import Metadata

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from selectolax.lexbor import LexborHTMLParser

_MIN_SCRIPT_SHARE = 0.5
"""Share of the letters of a title from which its script counts."""
_MAX_CANONICALS = 10
"""Statements of a canonical URL that are read."""
_ABSOLUTE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_VIETNAMESE = re.compile("[ơưđƠƯĐạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữự]")
_ARABIC = (("ur", re.compile("[ےںٹڈڑ]")), ("fa", re.compile("[پچژگکی]")))
"""Letters of one language. Years of two digits come first in Persian and last elsewhere."""


def read_metadata(
    page: str | PageView,
    url: str,
    robots_headers: Iterable[str],
    fetched_at: datetime,
    timezone: str = "",
) -> Metadata:
    """Return the metadata of a page, cleaned and of limited length.

    ``timezone`` is the configured zone of the site (IANA name); without it one may be assumed (see ``site_zone``).
    ``robots_headers`` are the values of X-Robots-Tag. A date later than two days after ``fetched_at`` is rejected.
    """
    view = PageView(page) if isinstance(page, str) else page
    stated_page = DatedPage(view, url)
    language = language_of_dates(view)
    zone = site_zone(timezone, host_of(url), language)
    candidates = date_candidates(stated_page)
    found = find_date(candidates, fetched_at, language, zone, lambda: may_show_moment(stated_page.around))
    reserved = reservation_of_page(view.contents, url)
    title, title_source = find_title(stated_page)
    authors, author_source = find_authors(stated_page)
    return Metadata(
        title=title,
        title_source=title_source,
        author=", ".join(authors) or None,
        authors=authors,
        author_source=author_source,
        published=(found.local or found.iso) if found else None,
        published_text=clean_value(found.original, MAX_TITLE) if found else None,
        published_calendar=found.calendar if found else None,
        published_source=found.source if found else None,
        published_confidence=found.confidence if found else None,
        published_zone=found.zone_source if found else None,
        canonical=_canonical(view, url),
        directives=noted_directives(view.metas, robots_headers),
        tdm=reserved.value if reserved else None,
        tdm_policy=reserved.policy if reserved else None,
        tdm_source="meta" if reserved else None,
        licence_url=licence_url(view.references, stated_page.stated.licence, url),
    )


def stated_language(tree: LexborHTMLParser) -> str:
    """Return the language that a page states (BCP 47), or ""."""
    root = tree.root
    language = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root else ""
    return language.strip().lower().replace("_", "-")[:20]


def language_of_dates(view: PageView) -> str:
    """Return the stated language. If it is missing, or a template's English, the title's letters decide.

    ``und`` is any language with the day before the month.
    """
    language = stated_language(view.tree)
    if language and not language.startswith("en"):
        return language
    title = view.title[:MAX_TITLE]
    script, share = main_script(title)
    if script == "Latn" and _VIETNAMESE.search(title):
        return "vi"
    if script in {"Latn", "Zyyy"} or share <= _MIN_SCRIPT_SHARE:
        return language
    return next((code for code, letters in _ARABIC if script == "Arab" and letters.search(title)), "und")


def _canonical(view: PageView, url: str) -> str | None:
    """Return the canonical URL that a page states, if there is only one and it is on the same site.

    The front page is not accepted as the canonical form of a page below it.
    """
    own = parse(url)
    links = (each.attributes for each in view.references if each.tag == "link")
    named = (link for link in links if "canonical" in (link.get("rel") or "").lower().split())
    references = {link.get("href") or "" for link in islice(named, _MAX_CANONICALS)}
    base = url if all(map(_ABSOLUTE.match, references)) else view.base_of(url)
    targets = {address for reference in references if reference.strip() and (address := parse(reference, base))}
    if own is None or len(targets) != 1:
        return None
    target = targets.pop()
    misled = target.path == "/" and not target.query and (own.path != "/" or bool(own.query))
    return target.canonical if same_site(own.host, target.host) and not misled else None
