"""Apply the rules of a site (``[site.rules]``) to a page: CSS selectors for its text and its metadata.

A rule that matches nothing on a page leaves it to the usual way: the extractor of the site, and the places of metadata
that every page may have. Links and the judgement of a page do not depend on rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.rules.captions import find_captions, near_captions
from pipelines.extractors.auto.rules.head_and_end import shown_title
from pipelines.extractors.auto.rules.text_lines import Kinds
from pipelines.markup.tree import outermost, parse_tree, shown_text
from pipelines.metadata.authors import names, persons, within_limit
from pipelines.metadata.dates.ages import age_of
from pipelines.metadata.dates.zones import site_zone
from pipelines.metadata.headline_parts import MAX_TITLE
from pipelines.metadata.publication_date import PLAIN_CONFIDENCE, DateCandidate, find_date
from pipelines.metadata.reader import language_of_dates
from pipelines.text.normalise import clean_value
from pipelines.urls.url import host_of
from storage.records import RULES, Extraction, ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.classification.page_type import ExtractedPage
    from pipelines.metadata.publication_date import PublicationDate
    from storage.records import Metadata, SiteRules

NAME, VERSION = RULES, "1"
"""Extractor of the texts that ``content`` selects."""
MAX_ELEMENTS = 50
"""Elements that are read for title, authors and date."""
_KEPT = frozenset({"html", "head", "body"})
"""Elements that are not removed: without them there is no page."""
_ATTRIBUTES = ("datetime", "content")


@dataclass(frozen=True, slots=True)
class RuledPage:
    """A page after its rules: what the extractor reads, and what the rules select."""

    html: str
    """The page without the elements of ``remove``."""
    metadata: Metadata
    content: Extraction | None = None
    """The text of ``content``; None without a match."""
    standfirst: tuple[str, ...] = ()
    matched: Mapping[str, int] = field(default_factory=dict)
    """By rule: elements that gave something. An element of ``content`` without text does not count."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """By rule: what the elements say, for people who try rules."""


def apply(rules: SiteRules, html: str, page: ExtractedPage, fetched_at: datetime, timezone: str = "") -> RuledPage:
    """Apply rules to a decoded page, whose tree is not changed.

    Raises SelectolaxError for an invalid selector; the configuration has none.
    """
    stated, matched, texts = page.metadata, dict[str, int](), dict[str, str]()
    if rules.title and (titles := _lines(page.view.tree, rules.title)):
        stated = replace(stated, title=titles[0], title_source=RULES)
        matched["title"], texts["title"] = len(titles), titles[0]
    if rules.authors and (authors := _authors(page.view.tree, rules.authors)):
        stated = replace(stated, authors=authors, author=", ".join(authors), author_source=RULES)
        matched["authors"], texts["authors"] = len(authors), ", ".join(authors)
    if rules.date and (dates := _dates(page, rules.date, fetched_at, timezone)):
        stated = _dated(stated, dates[0])
        matched["date"], texts["date"] = len(dates), f"{dates[0].local or dates[0].iso} ({dates[0].original})"
    content, standfirst = None, tuple[str, ...]()
    if rules.standfirst:
        nodes = outermost(page.view.tree, rules.standfirst)
        standfirst = _read(nodes).paragraphs
        matched["standfirst"], texts["standfirst"] = len(nodes) if standfirst else 0, " ".join(standfirst)
    if rules.content or rules.remove:
        own = parse_tree(html)
        removed = [node for node in outermost(own, rules.remove) if node.tag not in _KEPT] if rules.remove else []
        texts["remove"] = " … ".join(" ".join(shown_text(node, " ").split()) for node in removed[:MAX_ELEMENTS])
        for node in removed:
            node.decompose()
        html = own.html or "" if removed else html
        nodes = outermost(own, rules.content) if rules.content else []
        found = _read(nodes, stated.title or "")
        content = replace(found, reason=f"content: {rules.content}"[:200]) if found.paragraphs else None
        matched |= {"remove": len(removed), "content": len(nodes) if content else 0}
        texts["content"] = " ".join(found.paragraphs)
    given = rules.given
    return RuledPage(
        html,
        stated,
        content,
        standfirst,
        {name: matched.get(name, 0) for name in given},
        {name: texts.get(name, "") for name in given},
    )


def with_standfirst(found: Extraction, standfirst: Sequence[str]) -> Extraction:
    """Put a standfirst before a text that does not have its lines."""
    lines = tuple(line for line in standfirst if line not in found.paragraphs)
    kinds = found.kinds and ParagraphKind.PARAGRAPH.value * len(lines) + found.kinds
    return replace(found, paragraphs=lines + found.paragraphs, kinds=kinds) if lines else found


def _read(nodes: Sequence[LexborNode], title: str = "") -> Extraction:
    """Return all visible text of some elements, with the kinds of its lines. Captions are kept apart."""
    tree = parse_tree(f"<title>{escape(title)}</title>{''.join(node.html or '' for node in nodes)}")
    blocks = walk(tree)
    empty = Extraction((), NAME, VERSION)
    if not len(blocks):
        return empty
    page = PageBlocks(blocks)
    captions, likely = find_captions(page)
    chosen = ~captions & ~page.hidden
    if not chosen.any():
        chosen = ~captions
    lines = Kinds(page, chosen).lines()
    return replace(
        empty,
        paragraphs=tuple(line.text for line in lines),
        kinds="".join(line.kind for line in lines),
        title=shown_title(page, page.title),
        captions=near_captions(page, chosen, likely),
        confidence=1.0,
    )


def _lines(tree: LexborHTMLParser, selector: str) -> list[str]:
    texts = (_stated(node) for node in tree.css(selector)[:MAX_ELEMENTS])
    return [line for text in texts if (line := clean_value(text, MAX_TITLE))]


def _stated(node: LexborNode) -> str:
    """Return what an element says: the content of a ``meta``, else its text."""
    return node.attributes.get("content") or shown_text(node, " ")


def _authors(tree: LexborHTMLParser, selector: str) -> tuple[str, ...]:
    """Return the names that the elements state, each once. A text that is no name for sure is taken as it is."""
    lines = _lines(tree, selector)
    return within_limit(persons(names(lines)) or dict.fromkeys(lines))


def _dates(page: ExtractedPage, selector: str, fetched_at: datetime, timezone: str) -> list[PublicationDate]:
    """Return the dates that the elements state, in their order."""
    language = language_of_dates(page.view)
    zone = site_zone(timezone, host_of(page.url), language)
    nodes = outermost(page.view.tree, selector)[:MAX_ELEMENTS]
    return [date for node in nodes if (date := find_date(_candidates(node), fetched_at, language, zone))]


def _candidates(node: LexborNode) -> Iterator[DateCandidate]:
    """Yield the texts of an element that may be a date: its attributes, those of a ``time`` in it, its text."""
    for each in (node, *node.css("time[datetime]")[:1]):
        yield from (DateCandidate(RULES, text) for name in _ATTRIBUTES if (text := each.attributes.get(name)))
    text = " ".join(shown_text(node, " ").split())[:MAX_TITLE]
    yield DateCandidate(RULES, text)
    if age_of(text):
        yield DateCandidate("age", text)


def _dated(stated: Metadata, date: PublicationDate) -> Metadata:
    sure = date.source == RULES and date.confidence >= PLAIN_CONFIDENCE
    return replace(
        stated,
        published=date.local or date.iso,
        published_text=clean_value(date.original, MAX_TITLE),
        published_calendar=date.calendar,
        published_source=date.source,
        published_confidence=1.0 if sure else date.confidence,
        published_zone=date.zone_source,
    )
