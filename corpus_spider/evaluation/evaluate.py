"""Texts against the truth: what an extractor makes of the gold pages, or what a corpus holds of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from corpus_spider.evaluation.scores import ZERO, Score, score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from corpus_spider.evaluation.gold import GoldPage
    from storage.records import CorpusDocument

NOT_SEEN = "not in the corpus"
NO_EXTRACTOR = "none"


@dataclass(frozen=True, slots=True)
class PageScore:
    """The score of one page and who extracted its text. ``missing`` says why there was no text to score."""

    page: str
    language: str
    site: str | None
    extractor: str
    score: Score
    empty: bool = False
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The scores of all gold pages, in their order, under a name: an extractor's or a corpus's."""

    name: str
    scores: tuple[PageScore, ...]


def evaluate_texts(pages: Iterable[GoldPage], name: str, read: Callable[[GoldPage], str]) -> Report:
    """Score the text that ``read`` gives for each page; where it fails the page scores 0 and tells the error."""
    return Report(name, tuple(_read_and_score(page, name, read) for page in pages))


def evaluate_corpus(
    pages: Iterable[GoldPage],
    documents: Iterable[CorpusDocument],
    drops: Mapping[str, str] | None = None,
    name: str = "corpus",
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Score the texts a corpus holds of the gold pages, crawled from any server whose URLs carry the page's id.

    The id is a segment of the URL's path, with or without a suffix: ``/any/ID.html``. Of several documents of a page
    the latest version counts, so give all documents, those marked as duplicates too. ``drops`` maps URLs to reasons: a
    page that the corpus does not hold scores 0 and is listed with its reason. ``progress`` hears how many are scored.
    """
    wanted = list(pages)
    ids = {page.id for page in wanted}
    held = _latest(documents, ids)
    reasons = {found: reason for url, reason in (drops or {}).items() if (found := page_id(url, ids)) is not None}
    scores = []
    for count, page in enumerate(wanted, start=1):
        scores.append(_score_stored(page, held, reasons))
        progress(count)
    return Report(name, tuple(scores))


def page_id(url: str, ids: set[str]) -> str | None:
    """Return the first of the ids that is a segment of the URL's path, suffix aside, or None."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    for segment in unquote(path).split("/"):
        for candidate in (segment, segment.rpartition(".")[0]):
            if candidate in ids:
                return candidate
    return None


def _read_and_score(page: GoldPage, name: str, read: Callable[[GoldPage], str]) -> PageScore:
    try:
        text = read(page)
    except Exception as error:  # noqa: BLE001 - one page that breaks an extractor must not cost the scores of the others
        return PageScore(page.id, page.language, page.site, name, ZERO, empty=True, missing=f"error: {error!r}"[:200])
    return _scored(page, text, name)


def _scored(page: GoldPage, text: str, extractor: str, title: str | None = None) -> PageScore:
    result = score(text, page.truth(), page.title or title)
    return PageScore(page.id, page.language, page.site, extractor, result, empty=not text.strip())


def _latest(documents: Iterable[CorpusDocument], ids: set[str]) -> dict[str, CorpusDocument]:
    latest: dict[str, CorpusDocument] = {}
    for document in documents:
        found = page_id(document.url, ids)
        if found is not None and (found not in latest or latest[found].version < document.version):
            latest[found] = document
    return latest


def _score_stored(page: GoldPage, held: Mapping[str, CorpusDocument], reasons: Mapping[str, str]) -> PageScore:
    document = held.get(page.id)
    if document is not None:
        return _scored(page, document.text, document.extractor, document.title)
    reason = reasons.get(page.id, NOT_SEEN)
    return PageScore(page.id, page.language, page.site, NO_EXTRACTOR, ZERO, empty=True, missing=reason)
