"""Clean an extraction and decide whether its text is stored.

A crawl and ``evaluate`` both use this module, so the scored text is the stored text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING

from pipelines import extractors, language, metadata, normalise, refusals, rights
from pipelines.byline import BY
from pipelines.dating.lines import is_dateline
from pipelines.directives import robots_headers
from pipelines.page_type import ANY_TEXT, Page, article_or_reason
from pipelines.stated import clean_value
from pipelines.tree import parse_tree
from storage.records import Decoded, Drop, ParagraphKind
from storage.reservations import SKIP, is_reserved, reservations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.records import Capture, Extraction, LanguageGuess, Metadata, SiteModel

MAX_REPLACED = 0.05
"""A text in which more than one character in twenty could not be decoded is not worth keeping."""
COMMENT_END = "-->"
"""What browsers show of a comment that was put around another, and no text."""
SHOWN_DATES = frozenset({"masthead", "text", "updated", "below", "listed", "age"})
"""Where a date stands that a line of the page shows."""
HEAD, MAX_DATELINE = 3, 250
"""Lines at the head of a text among which title, date or author may be, and its characters at most."""
MAX_BY = 25
"""Characters before the author's name, at most, of a line that has nothing else."""
_HEADING = ParagraphKind.HEADING.value


@dataclass(frozen=True, slots=True)
class Source:
    """A page as it is opened, before anybody looks for its text: decoded and parsed, with what it states of itself."""

    decoded: Decoded
    page: Page


def open_source(decoded: Decoded, capture: Capture) -> Source:
    """Parse a decoded page and read what it, and its answer, state."""
    tree = parse_tree(decoded.text)
    stated = metadata.read_metadata(tree, capture.url, robots_headers(capture), capture.fetched_at)
    return Source(decoded, Page(tree, capture.url, rights.with_answer(stated, capture)))


def extract(source: Source, model: SiteModel) -> Extraction:
    """Find the main text with the site's extractor, its parameters and its template."""
    p = dict(model.parameters).get("p")
    options = extractors.ExtractorOptions(url=source.page.url, p=p, template=model.template)
    return extractors.get(model.extractor).extract(source.decoded.text, options)


def settle(found: Extraction, source: Source, model: SiteModel) -> tuple[Extraction, tuple[str, LanguageGuess] | Drop]:
    """Clean what was found and decide whether it is stored: the text with its language, or why there is none.

    The cleaned extraction is returned either way.
    """
    tree, stated = source.page.tree, source.page.metadata
    extraction = tidy(found, stated)
    outcome = refusals.not_found(tree) or _judge(extraction, source, model)
    if not isinstance(outcome, Drop) and model.min_chars > ANY_TEXT:
        outcome = refusals.stub(tree, len(outcome[0]), model.min_chars) or outcome
    if not isinstance(outcome, Drop) and model.reservations == SKIP and is_reserved(stated):
        outcome = Drop("reserved", ", ".join(reservations(stated)))
    if isinstance(outcome, Drop) and outcome.reason == "no_article":
        outcome = refusals.without_text(tree, source.decoded.text, source.page.url) or outcome
    return extraction, outcome


def tidy(found: Extraction, stated: Metadata) -> Extraction:
    """Clean what was found on a page, and leave out what of its head is no text; whether it is stored is not asked."""
    return without_byline(without_dateline(without_title(clean(found), stated), stated), stated)


def title_of(extraction: Extraction, stated: Metadata) -> str | None:
    """Return the title as the page shows it over its text, else as it states it."""
    return clean_value(extraction.title, metadata.MAX_TITLE) or stated.title


def clean(extraction: Extraction) -> Extraction:
    """Clean all texts of an extraction; what is empty then goes, and a paragraph takes its kind with it."""
    lines = [
        (line, kind)
        for paragraph, kind in zip(extraction.paragraphs, extraction.kinds or repeat(""), strict=False)
        for line in normalise.clean(paragraph).split("\n")
        if line and line != COMMENT_END
    ]
    captions, comments = (
        tuple(cleaned for text in texts if (cleaned := normalise.clean(text)))
        for texts in (extraction.captions, extraction.comments)
    )
    return replace(
        extraction,
        paragraphs=tuple(line for line, _ in lines),
        kinds="".join(kind for _, kind in lines),
        captions=captions,
        comments=comments,
    )


def without_title(extraction: Extraction, stated: Metadata) -> Extraction:
    """Remove the heading at the head of the text that is the title.

    A line that is no heading stays: a poem may be named after its first line. Only for extractors with a confidence,
    which share our definition of the text.
    """
    title = title_of(extraction, stated)
    if extraction.confidence is None or not title:
        return extraction
    kinds = extraction.kinds
    at = next((at for at, end in _places(extraction, title) if end == at + 1 and kinds[at:end] == _HEADING), None)
    return extraction if at is None else _without(extraction, at, at + 1)


def without_dateline(extraction: Extraction, stated: Metadata) -> Extraction:
    """Remove lines at the head of the text that hold only the date, often with the author.

    These are the one or two lines that the date was read from, and others like them. Only for extractors with a
    confidence, which share our definition of the text.
    """
    if extraction.confidence is None:
        return extraction
    if stated.published_source in SHOWN_DATES:
        extraction = _without_words(extraction, stated.published_text)
    if stated.published is None:
        return extraction
    for at in reversed(range(min(HEAD, len(extraction.paragraphs) - 1))):
        line, heading = extraction.paragraphs[at], extraction.kinds[at : at + 1] == _HEADING
        if not heading and is_dateline(line, stated.published, stated.author):
            extraction = _without(extraction, at, at + 1)
    return extraction


def without_byline(extraction: Extraction, stated: Metadata) -> Extraction:
    """Remove a line at the head or the end of the text that is only the author's name.

    At the head a word for "by" may be before the name. Only for extractors with a confidence.
    """
    author = stated.author
    if extraction.confidence is None or not author:
        return extraction
    found = _without_words(extraction, author)
    for at in reversed(range(min(HEAD, len(found.paragraphs) - 1))):
        line = found.paragraphs[at]
        if len(line) <= len(author) + MAX_BY and line.endswith(author) and BY.sub("", line) == author:
            found = _without(found, at, at + 1)
    last = len(found.paragraphs) - 1
    signed = last > 0 and "".join(found.paragraphs[last].split()) == "".join(author.split())
    return _without(found, last, last + 1) if signed else found


def _without_words(extraction: Extraction, words: str | None) -> Extraction:
    at, end = next(iter(_places(extraction, words)), (0, 0))
    return _without(extraction, at, end) if end else extraction


def _places(extraction: Extraction, words: str | None) -> Iterator[tuple[int, int]]:
    """Yield where one or two lines at the head of the text are these words and no others, white space apart."""
    if not words or len(words) > MAX_DATELINE:
        return
    wanted = "".join(words.split())
    lines = ["".join(line[: MAX_DATELINE + 1].split()) for line in extraction.paragraphs[: HEAD + 1]]
    for at, line in enumerate(lines[:HEAD]):
        for end, said in ((at + 1, line), (at + 2, "".join(lines[at : at + 2]))):
            if said == wanted and end - at < len(extraction.paragraphs):
                yield at, end


def _without(extraction: Extraction, first: int, last: int) -> Extraction:
    """Leave out the lines from one to another."""
    lines, kinds = extraction.paragraphs, extraction.kinds
    return replace(extraction, paragraphs=lines[:first] + lines[last:], kinds=kinds[:first] + kinds[last:])


def _judge(extraction: Extraction, source: Source, model: SiteModel) -> tuple[str, LanguageGuess] | Drop:
    decoded = source.decoded
    if decoded.replaced > MAX_REPLACED:
        return Drop("undecodable", f"{decoded.encoding}, {decoded.replaced:.0%} of the characters")
    if drop := article_or_reason(source.page, extraction.paragraphs, model.min_chars, extraction.confidence):
        return drop
    text = extraction.text
    guess = language.identify(text, model.language_backend)
    if model.languages and guess.language not in model.languages:
        return Drop("language", guess.language, guess.language)
    return text, guess
