"""Postprocess an extraction: clean it, remove headline, date, author and the publisher's own lines, and judge it.

A crawl and ``evaluate`` both use this module, so that the scored text is the stored text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby, islice, repeat
from typing import TYPE_CHECKING

from pipelines import language
from pipelines.classification import soft_errors
from pipelines.classification.page_type import ANY_TEXT, ExtractedPage, article_or_reason
from pipelines.decoding import vietnamese_codecs, zawgyi
from pipelines.extractors import registry
from pipelines.extractors.auto.blocks.site_template import MAX_PLACES, MIN_SENTENCE_SIZE
from pipelines.extractors.auto.rules.rule import Rule, apply_rules
from pipelines.extractors.base import ExtractorOptions
from pipelines.markup.page_view import PageView
from pipelines.markup.tree import shown_text
from pipelines.metadata import reader, rights
from pipelines.metadata.authors import is_byline_of
from pipelines.metadata.credits import BY
from pipelines.metadata.dates.labels import OTHER, label_before, without_labels
from pipelines.metadata.dates.parser import without_dates
from pipelines.metadata.dates.shown_dates import is_marked
from pipelines.metadata.headline import is_small
from pipelines.metadata.headline_parts import MAX_TITLE
from pipelines.metadata.publication_date import SOURCES
from pipelines.metadata.stated_page import StatedPage
from pipelines.metadata.titles import shown_headline
from pipelines.page import site_rules
from pipelines.text import normalise
from pipelines.text.scripts import size
from storage.bytes.lines import digest, pack, unpack
from storage.reasons import NO_ARTICLE
from storage.records import RULES, DecodedBody, Drop, ParagraphKind
from storage.reporting import counted
from storage.reservations import SKIP, is_reserved, reservations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.extractors.explanation import Explanation
    from pipelines.page.site_rules import RuledPage
    from storage.records import Capture, Extraction, LanguageGuess, Metadata, SiteModel

MAX_REPLACED = 0.05
"""Share of characters that could not be decoded. A text with more is dropped."""
COMMENT_END = "-->"
"""Visible end of a comment that contains another one. It is not text."""
HEAD, MAX_DATELINE = 3, 250
"""Lines at the head of a text that may be title, date or author, and their maximum length in characters."""
MAX_DATELINE_CHARS = 120
"""Characters of a line that is only a date with the author, or the names of authors, at most."""
_FEW_LETTERS, _MANY_LETTERS = 12, 50
"""Letters beside dates, labels and names ("by", a day of the week, a place), and letters of two dates and these."""
_DIGITS = re.compile(r"\d(?:\D*\d){2}")
_APART = re.compile(r"\s[|/–—-]\s|[·•|]")
_FIGURES = re.compile(r"\d\s?[-/.]\s?\d")
_COUNT = re.compile(r"\D{0,20}\d{1,4}\D{0,20}")
"""A number of minutes to read, of readers or of comments."""
_MAX_DATE_ELEMENTS, _MAX_HEADLINES = 50, 5
"""Elements of a page, at most, whose names say that they show a date, and elements h1."""
_MARKS_BEHIND_DATE = " \t|•·–—-:,."
_DATE_ORDERS = ("vi", "en-us")
"""A language with the day before the month, and one with the month before the day."""
_HEADING = ParagraphKind.HEADING.value


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page that is decoded and parsed, with its metadata, before extraction."""

    decoded: DecodedBody
    page: ExtractedPage
    ruled: RuledPage | None = None
    """None if the site has no rules."""

    @property
    def html(self) -> str:
        """The page as extractors read it: without the elements that a rule removes."""
        return self.ruled.html if self.ruled else self.decoded.text


def open_source(decoded: DecodedBody, capture: Capture, model: SiteModel) -> ParsedPage:
    """Parse a decoded page, read the metadata of the page and its answer, and apply the rules of its site.

    Letters that were broken before the page was saved in its encoding are repaired first.
    """
    text = normalise.whole_letters(decoded.text)
    for repaired in (vietnamese_codecs.reread, vietnamese_codecs.with_stroke, zawgyi.reread):
        text = repaired(text)
    decoded = replace(decoded, text=text)
    view = PageView(decoded.text)
    stated = reader.read_metadata(view, capture.url, rights.robots_headers(capture), capture.fetched_at, model.timezone)
    page = ExtractedPage(view, capture.url, rights.with_answer(stated, capture))
    if not model.rules.given:
        return ParsedPage(decoded, page)
    ruled = site_rules.apply(model.rules, decoded.text, page, capture.fetched_at, model.timezone)
    return ParsedPage(decoded, replace(page, metadata=ruled.metadata, selected=ruled.content is not None), ruled)


def extract(source: ParsedPage, model: SiteModel) -> Extraction:
    """Extract the main text: what a rule selects, else by the site's extractor, its parameters and its template."""
    ruled = source.ruled
    if ruled and ruled.content:
        return site_rules.with_standfirst(ruled.content, ruled.standfirst)
    found = registry.get(model.extractor).extract(source.html, _options(source, model))
    return site_rules.with_standfirst(found, ruled.standfirst) if ruled else found


def explain_source(source: ParsedPage, model: SiteModel) -> Explanation:
    """Explain what the extractor of the model returns. Raises ConfigError if it cannot."""
    return registry.explainer(model.extractor)(source.html, _options(source, model))


def _options(source: ParsedPage, model: SiteModel) -> ExtractorOptions:
    p = dict(model.parameters).get("p")
    return ExtractorOptions(url=source.page.url, p=p, template=model.template, page=source.page.view)


def leave_out(extraction: Extraction, packed: bytes) -> tuple[Extraction, bytes]:
    """Return the extraction without the publisher's own lines, and the digests of those left out.

    These are appeals, notices and offers that recur on a site. ``packed`` are their digests. Each paragraph is a line.
    Such a line is left out with the recurring lines beside it, so the heading of a box goes with the box. A heading
    alone stays: "What we know" has the article's own text below it. A short line alone stays too, such as an answer or
    a refrain. A text with many such places is of a kind that repeats itself (weather, legal notices, prayers). It stays
    whole, and so does an extraction of own lines only. Lines that the extractor has left out count too.
    """
    if not packed:
        return extraction, b""
    known = unpack(packed)
    before = known.intersection(map(digest, normalise.clean_all(extraction.left_out)))
    digests = list(map(digest, extraction.paragraphs))
    runs = [
        [at for at, _ in run]
        for is_own, run in groupby(enumerate(digests), key=lambda item: item[1] in known)
        if is_own
    ]
    runs = [run for run in runs if any(_is_sentence(extraction, at) for at in run)]
    out = {at for run in runs for at in run}
    if not out or len(runs) >= MAX_PLACES or len(out) == len(digests):
        return extraction, pack(before)
    kept = [at for at in range(len(digests)) if at not in out]
    lines, kinds = extraction.paragraphs, extraction.kinds
    left = replace(
        extraction,
        paragraphs=tuple(lines[at] for at in kept),
        kinds="".join(kinds[at] for at in kept) if kinds else "",
        reason=f"{extraction.reason}, {counted(len(out), 'line')} left out as the publisher's own",
    )
    return left, pack(before.union(digests[at] for at in out))


def _is_sentence(extraction: Extraction, at: int) -> bool:
    return extraction.kinds[at : at + 1] != _HEADING and size(extraction.paragraphs[at]) >= MIN_SENTENCE_SIZE


def judge(extraction: Extraction, source: ParsedPage, model: SiteModel) -> tuple[str, LanguageGuess] | Drop:
    """Decide whether a cleaned extraction is stored: return its text and language, or the drop with the reason."""
    view, stated = source.page.view, source.page.metadata
    outcome = soft_errors.not_found(view) or _judge_text(extraction, source, model)
    if not isinstance(outcome, Drop) and model.min_chars > ANY_TEXT:
        outcome = soft_errors.stub(view, len(outcome[0]), model.min_chars) or outcome
    if not isinstance(outcome, Drop) and model.reservations == SKIP and is_reserved(stated):
        outcome = Drop("reserved", ", ".join(reservations(stated)))
    if isinstance(outcome, Drop) and outcome.reason == NO_ARTICLE:
        outcome = soft_errors.without_text(view, source.page.url) or outcome
    return outcome


@dataclass(frozen=True, slots=True)
class TidiedPage:
    """An extraction with the metadata of its page."""

    extraction: Extraction
    stated: Metadata
    view: PageView


def tidy(found: Extraction, page: ExtractedPage) -> Extraction:
    """Clean an extraction and remove headline, dateline and byline at its head. The text may still be dropped."""
    if found.title and page.metadata.title_source != RULES and found.title != page.metadata.title:
        found = replace(found, title=shown_headline(found.title, StatedPage(page.view, page.url)))
    return apply_rules(TIDYING, TidiedPage(found, page.metadata, page.view)).extraction


def _tidying(remove: Callable[[Extraction, Metadata], Extraction]) -> Callable[[TidiedPage], TidiedPage]:
    def tidied(page: TidiedPage) -> TidiedPage:
        found = remove(page.extraction, page.stated)
        return page if found is page.extraction else replace(page, extraction=found)

    return tidied


def title_of(extraction: Extraction, stated: Metadata) -> str | None:
    """Return the title that a rule selects, else the one that is shown above the text, else that of the metadata."""
    if stated.title_source == RULES:
        return stated.title
    return normalise.clean_value(extraction.title, MAX_TITLE) or stated.title


def clean(extraction: Extraction) -> Extraction:
    """Clean all texts of an extraction. Empty ones are removed, and a removed paragraph loses its kind."""
    lines = [
        (line, kind)
        for paragraph, kind in zip(
            normalise.clean_all(extraction.paragraphs), extraction.kinds or repeat(""), strict=False
        )
        for line in paragraph.split("\n")
        if line and line != COMMENT_END
    ]
    captions, comments = (
        tuple(filter(None, normalise.clean_all(texts))) for texts in (extraction.captions, extraction.comments)
    )
    return replace(
        extraction,
        paragraphs=tuple(line for line, _ in lines),
        kinds="".join(kind for _, kind in lines),
        captions=captions,
        comments=comments,
    )


def without_title(extraction: Extraction, stated: Metadata) -> Extraction:
    """Remove the heading at the head of the text that repeats the title.

    The shown title may differ from the one in the metadata: many papers state one for search engines, or show the topic
    before it. A line that is no heading is kept, because a poem's first line may be its title. Only extractions with a
    confidence are changed.
    """
    title = title_of(extraction, stated)
    if extraction.confidence is None or not title:
        return extraction
    kinds = extraction.kinds
    at = next((at for at, end in _places(extraction, title) if end == at + 1 and kinds[at:end] == _HEADING), None)
    return extraction if at is None else _without(extraction, at, at + 1)


def _without_whole_heading(page: TidiedPage) -> TidiedPage:
    """Leave out the h1 at the head of the text that has a kicker or a mark beside the title, in one or two lines."""
    found, title = page.extraction, normalise.letters(title_of(page.extraction, page.stated) or "")
    if found.confidence is None or not title:
        return page
    for node in page.view.of("h1")[:_MAX_HEADLINES]:
        whole = shown_text(node)
        if title in normalise.letters(whole):
            for at, end in _places(found, whole):
                if set(found.kinds[at:end]) == {_HEADING}:
                    return replace(page, extraction=_without(found, at, end))
    return page


def without_dateline(extraction: Extraction, stated: Metadata) -> Extraction:
    """Remove lines at the head of the text that contain only the date, often with the author.

    These are the line or two from which the date was read, and similar lines. Only extractions with a confidence are
    changed, because other extractors have their own definition of the text.
    """
    if extraction.confidence is None:
        return extraction
    if stated.published_source and SOURCES[stated.published_source].is_visible:
        extraction = _without_words(extraction, stated.published_text)
    if stated.published is None:
        return extraction
    for at in reversed(range(min(HEAD, len(extraction.paragraphs) - 1))):
        line, heading = extraction.paragraphs[at], extraction.kinds[at : at + 1] == _HEADING
        if not heading and is_dateline(line, stated.published, stated.author):
            extraction = _without(extraction, at, at + 1)
    return extraction


def _without_date_before_text(page: TidiedPage) -> TidiedPage:
    lines, published = page.extraction.paragraphs, page.stated.published
    if page.extraction.confidence is None or published is None or not lines:
        return page
    date_shown = _date_before(lines[0], page.view, published, page.stated.author)
    if not date_shown:
        return page
    rest = lines[0][len(date_shown) :].lstrip(_MARKS_BEHIND_DATE)
    return replace(page, extraction=replace(page.extraction, paragraphs=(rest, *lines[1:])))


def _date_before(line: str, view: PageView, published: str, author: str | None) -> str:
    """Return the date that an element of its own shows before the text, if a line begins with it; "" if not.

    The line has the element and the text after it, because the page has no paragraphs. A sentence that goes on in small
    letters needs the date.
    """
    if not _DIGITS.search(line[:MAX_DATELINE_CHARS]):
        return ""
    named = (node for node in view.tree.css("time, [class], [id]") if is_marked(node) and is_small(node))
    for node in islice(named, _MAX_DATE_ELEMENTS):
        shown = normalise.clean_value(node.text(), MAX_DATELINE_CHARS)
        rest = line.removeprefix(shown).lstrip(_MARKS_BEHIND_DATE)
        if shown and rest and rest != line and not _goes_on(rest) and is_dateline(shown, published, author):
            return shown
    return ""


def _goes_on(rest: str) -> bool:
    """Return whether a text begins in small letters, in a script whose sentences begin with capitals."""
    return rest[0].islower() and any(map(str.isupper, rest))


def is_dateline(line: str, published: str, author: str | None) -> bool:
    """Return whether a line contains only the known day of publication and the author.

    A line of a chronicle, or one about another day, is no dateline.

    >>> is_dateline("By Ann Lee · 5 Nov 2024 · 3 min read", "2024-11-05T08:00:00Z", "Ann Lee")
    True
    >>> is_dateline("Prices of gold on 5 Nov 2024", "2024-11-05", "Ann Lee")
    False
    """
    if len(line) > MAX_DATELINE_CHARS or not _DIGITS.search(line):
        return False
    rest = line.casefold()
    for name in (author or "").casefold().split(","):
        rest = rest.replace(name.strip() or "\n", " ")
    if sum(map(str.isalpha, rest)) > _MANY_LETTERS or label_before(line) == OTHER:
        return False
    rest, day = without_labels(rest), date.fromisoformat(published[:10])
    for order in _DATE_ORDERS[: 1 + (_FIGURES.search(rest) is not None)]:
        left, days = without_dates(rest, order)
        parts = (part for part in _APART.split(left) if not _COUNT.fullmatch(part.strip()))
        letters = sum(character.isalpha() for part in parts for character in part)
        # A page in another zone may be a day off.
        if letters <= _FEW_LETTERS and any(abs((each - day).days) <= 1 for each in days):
            return True
    return False


def without_byline(extraction: Extraction, stated: Metadata) -> Extraction:
    """Remove the line at the head or the end of the text that is only the names of the authors.

    At the head a word for "by" may precede them. Only extractions with a confidence are changed.
    """
    author = stated.author
    if extraction.confidence is None or not author:
        return extraction
    found = _without_words(extraction, author)
    for at in reversed(range(min(HEAD, len(found.paragraphs) - 1))):
        line = found.paragraphs[at]
        if len(line) <= MAX_DATELINE_CHARS and (BY.sub("", line) == author or is_byline_of(line, stated.authors)):
            found = _without(found, at, at + 1)
    last = len(found.paragraphs) - 1
    signed = last > 0 and "".join(found.paragraphs[last].split()) == "".join(author.split())
    return _without(found, last, last + 1) if signed else found


TIDYING: tuple[Rule[TidiedPage], ...] = (
    Rule("clean", "cleans the characters of all texts", _tidying(lambda found, _: clean(found)), is_required=True),
    Rule("whole heading", "leaves out the h1 with what is beside the title", _without_whole_heading),
    Rule("title heading", "leaves out the first heading that is the title", _tidying(without_title)),
    Rule("dateline", "leaves out lines of the date", _tidying(without_dateline)),
    Rule("date before text", "cuts off a date before the first words", _without_date_before_text),
    Rule("byline line", "leaves out lines of the author's name", _tidying(without_byline)),
)


def _without_words(extraction: Extraction, words: str | None) -> Extraction:
    at, end = next(iter(_places(extraction, words)), (0, 0))
    return _without(extraction, at, end) if end else extraction


def _places(extraction: Extraction, words: str | None) -> Iterator[tuple[int, int]]:
    """Yield the first and last index of one or two lines at the head that are these words only, without spaces."""
    if not words or len(words) > MAX_DATELINE:
        return
    wanted = "".join(words.split())
    lines = ["".join(line[: MAX_DATELINE + 1].split()) for line in extraction.paragraphs[: HEAD + 1]]
    for at, line in enumerate(lines[:HEAD]):
        for end, said in ((at + 1, line), (at + 2, "".join(lines[at : at + 2]))):
            if said == wanted and end - at < len(extraction.paragraphs):
                yield at, end


def _without(extraction: Extraction, first: int, last: int) -> Extraction:
    """Remove the lines from the first to before the last."""
    lines, kinds = extraction.paragraphs, extraction.kinds
    return replace(extraction, paragraphs=lines[:first] + lines[last:], kinds=kinds[:first] + kinds[last:])


def _judge_text(extraction: Extraction, source: ParsedPage, model: SiteModel) -> tuple[str, LanguageGuess] | Drop:
    decoded = source.decoded
    if decoded.replaced > MAX_REPLACED:
        return Drop("undecodable", f"{decoded.encoding}, {decoded.replaced:.0%} of the characters")
    if drop := article_or_reason(source.page, extraction.paragraphs, model.min_chars, extraction.confidence):
        return drop
    text = extraction.text
    guess = language.settled(language.guess(text), model.languages)
    if model.languages and guess.language not in model.languages:
        return Drop("language", guess.language, guess.language)
    return text, guess
