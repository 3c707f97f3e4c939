"""Score texts of extractors, or documents of a corpus, against the true texts of the gold pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

from corpus_spider.lab.scores import NOTHING, ZERO, Measures, Score, measures, score
from pipelines.urls.url import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from corpus_spider.lab.gold import GoldPage
    from storage.documents.model import CorpusDocument

NOT_SEEN = "not in the corpus"
NO_EXTRACTOR = "none"


@dataclass(frozen=True, slots=True)
class PageScore:
    """Score of one page, and the extractor of its text. ``missing`` is the reason if there is no text."""

    page: str
    language: str
    site: str | None
    extractor: str
    score: Score
    empty: bool = False
    missing: str = ""
    measures: Measures = NOTHING
    cluster: str = ""
    """Group of pages that the bootstrap resamples together; "": the page alone."""
    reason: str = ""
    """Reason that the extractor gives for its choice."""
    confidence: float | None = None
    """F1 that the extractor expects."""
    size: int = 0
    """Bytes of the page as served."""
    seconds: float | None = None
    """Processor time of the extraction."""
    refused: str | None = None
    """Reason why a crawl would not store the text, "" if it would; None if corpora cannot use the extractor."""


@dataclass(frozen=True, slots=True)
class Report:
    """Scores of all gold pages, in their order, under the name of an extractor or corpus."""

    name: str
    scores: tuple[PageScore, ...]


@dataclass(frozen=True, slots=True)
class EvaluatedText:
    """An extracted text and facts about its extraction."""

    text: str
    extractor: str
    title: str | None = None
    """Title that the page states. Used if the gold page has none."""
    missing: str = ""
    reason: str = ""
    confidence: float | None = None
    size: int = 0
    seconds: float | None = None
    refused: str | None = None


class TextReceiver(Protocol):
    """Receiver of each text and its score."""

    def __call__(self, name: str, page: GoldPage, text: str, found: PageScore, /) -> None:
        """Receive one page of the report of that name."""
        ...


def keep_nothing(name: str, page: GoldPage, text: str, found: PageScore, /) -> None:
    """Ignore all texts."""


def score_reading(page: GoldPage, truth: str, reading: EvaluatedText) -> PageScore:
    """Score the extracted text of a page against its true text."""
    title = page.title or reading.title
    missing = bool(reading.missing)
    return PageScore(
        page.id,
        page.language,
        page.group,
        reading.extractor,
        ZERO if missing else score(reading.text, truth, title),
        empty=not reading.text.strip(),
        missing=reading.missing,
        measures=NOTHING if missing else measures(reading.text, truth, title),
        cluster=page.cluster,
        reason=reading.reason,
        confidence=reading.confidence,
        size=reading.size,
        seconds=reading.seconds,
        refused=reading.refused,
    )


def score_texts(name: str, texts: Iterable[tuple[GoldPage, str]]) -> Report:
    """Score texts that were extracted elsewhere, for example with weights that have not seen the page's site.

    ``render(report)`` gives tables by language, with bootstrap intervals; for several reports side by side; with
    ``against``, paired differences to one of them. ``score_tables`` gives the same as plain values.
    """
    return Report(name, tuple(score_reading(page, page.truth(), EvaluatedText(text, name)) for page, text in texts))


def evaluate_texts(pages: Iterable[GoldPage], name: str, read: Callable[[GoldPage], str]) -> Report:
    """Score the text that ``read`` returns for each page. On an error the page scores 0, with the error as reason."""
    return Report(name, tuple(score_reading(page, page.truth(), _read(page, name, read)) for page in pages))


def evaluate_corpus(
    pages: Iterable[GoldPage],
    documents: Iterable[CorpusDocument],
    drops: Mapping[str, EvaluatedText | str] | None = None,
    name: str = "corpus",
    keep: TextReceiver = keep_nothing,
) -> Report:
    """Score the documents of a corpus for the gold pages, matched by URL, or by an id in the URL of any server.

    The id is a segment of the URL's path, with or without a suffix: ``/any/ID.html``. The latest version of a page
    counts, so pass all documents, duplicates too. ``drops`` maps URLs of dropped pages to reasons, or to refused texts
    (``scoring_run.dropped``). A page without a text scores 0 and is listed with its reason. ``keep`` gets each text.
    """
    wanted = list(pages)
    key_of = keys(wanted)
    held = _latest(documents, key_of)
    dropped = {found: reading for url, reading in (drops or {}).items() if (found := key_of(url)) is not None}
    scores = []
    for page in wanted:
        reading = _stored(page, held, dropped)
        scores.append(score_reading(page, page.truth(), reading))
        keep(name, page, reading.text, scores[-1])
    return Report(name, tuple(scores))


def keys(pages: Sequence[GoldPage]) -> Callable[[str], str | None]:
    """Return a function that maps a canonical URL to the id or URL of its gold page, or to None."""
    ids, addresses = {page.id for page in pages}, {address for page in pages if (address := _address(page))}
    return lambda url: page_id(url, ids) or (url if url in addresses else None)


def _address(page: GoldPage) -> str | None:
    parsed = parse(page.url or "")
    return parsed.canonical if parsed else None


def page_id(url: str, ids: set[str]) -> str | None:
    """Return the first id that is a segment of the URL's path, with or without a suffix; None if there is none."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    for segment in unquote(path).split("/"):
        for candidate in (segment, segment.rpartition(".")[0]):
            if candidate in ids:
                return candidate
    return None


def failure(error: Exception) -> str:
    """Return an error as the reason of a missing text."""
    return f"error: {error!r}"[:200]


def _read(page: GoldPage, name: str, read: Callable[[GoldPage], str]) -> EvaluatedText:
    try:
        return EvaluatedText(read(page), name)
    except Exception as error:  # noqa: BLE001 - an error on one page must not lose the other scores
        return EvaluatedText("", name, missing=failure(error))


def _latest(documents: Iterable[CorpusDocument], key_of: Callable[[str], str | None]) -> dict[str, CorpusDocument]:
    latest: dict[str, CorpusDocument] = {}
    for document in documents:
        found = key_of(document.url)
        if found is not None and (found not in latest or latest[found].version < document.version):
            latest[found] = document
    return latest


def _stored(
    page: GoldPage, held: Mapping[str, CorpusDocument], dropped: Mapping[str, EvaluatedText | str]
) -> EvaluatedText:
    address = _address(page) or ""
    document = held.get(page.id) or held.get(address)
    if document is None:
        known = dropped.get(page.id) or dropped.get(address, NOT_SEEN)
        return known if isinstance(known, EvaluatedText) else EvaluatedText("", NO_EXTRACTOR, missing=known)
    return EvaluatedText(
        document.text,
        document.extractor,
        document.title,
        reason=document.extractor_reason,
        confidence=document.confidence,
        refused="",
    )
