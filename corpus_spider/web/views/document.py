"""One document: its text beside the original, metadata, versions, near duplicates, WARC record, another extractor."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import accumulate
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from corpus_spider.api.document_facts import facts
from corpus_spider.archive.originals import pointer_to, read_original, record_bytes
from corpus_spider.crawling.site_models import ConfiguredModels
from corpus_spider.search.hits.concordance import SoughtWords, places_in
from corpus_spider.search.question.question_parser import MAX_QUESTION_CHARS
from corpus_spider.web.differences import difference
from corpus_spider.web.hit_marks import marked_lines, place_named
from corpus_spider.web.original import POLICY
from corpus_spider.web.translation import marked
from corpus_spider.web.views import pages, served
from corpus_spider.web.views.inert import inert, refuse_others
from pipelines.extractors.registry import EXTRACTORS, names_by_purpose
from storage.documents.healing import REPLACED_BECAUSE
from storage.documents.selection import Selection
from storage.errors import ConfigError, CorpusError
from storage.records import Drop, SiteModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from starlette.requests import Request

    from corpus_spider.search.hits.concordance import TextPlace
    from corpus_spider.web.differences import TextDifference
    from corpus_spider.web.hit_marks import MarkedPart
    from corpus_spider.web.state import ServedCorpus
    from storage.documents.model import CorpusDocument, RelatedDocument
    from storage.records import Document

TABS = (
    ("", marked("Text")),
    ("/metadata", marked("Metadata")),
    ("/versions", marked("Versions")),
    ("/duplicates", marked("Near duplicates")),
    ("/why", marked("Why this text")),
    ("/record", marked("WARC record")),
    ("/extractors", marked("Another extractor")),
)
"""Views of a document and their names."""
FIGURES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}
"""Forms of a figure and of its numbers, and their media types."""
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
"""Content security policy of a figure that is opened by itself. An SVG of matplotlib has its styles in attributes."""
AUTO = "auto"
MOST_DUPLICATES = 50
"""Near duplicates that are listed."""
LONGEST_TEXT = 200_000
"""Characters of a text that are shown at once."""
MAX_COMPARED_CHARS = 100_000
"""Characters of two texts from which their difference is an expensive page."""


def text(request: Request) -> Response:
    """Show the text beside the original, with the hits of a question: a long one in parts, or whole on request.

    A link from a line of a search names the place of its hit. A place that the text no longer has gives a note.
    """
    here, found = served(request), _document(request)
    at, asked = request.query_params.get("at", ""), request.query_params.get("q", "").strip()[: MAX_QUESTION_CHARS + 1]
    lines, every = found.searched_lines, paragraphs(found)
    hits, error = None, None
    if asked:
        try:
            hits = hits_in(here, found, asked)
        except ConfigError as problem:
            error = problem
    chosen = place_named(at, lines)
    if hits is None:
        hits = [chosen] if chosen else []
    elif chosen not in hits:
        chosen = None
    marks = marks_by_paragraph(lines, hits, chosen)
    shown = every if request.query_params.get("part") == "all" else first_part(every)
    if chosen and max(marks_by_paragraph(lines, [chosen], chosen)) > len(shown):
        shown = every
    values = {
        "paragraphs": shown,
        "is_cut": len(shown) < len(every),
        "marks": marks,
        "question": asked,
        "number_of_hits": len(hits) if asked and not error else None,
        "is_lost": bool(at) and not chosen,
        "error": error,
    }
    return _page(request, "document.html", found, values)


def original(request: Request) -> Response:
    """Return the original for the frame, inert."""
    refuse_others(request)
    found = _document(request)
    return inert(served(request), pointer_to(found), tuple(found.text.split("\n")), found.language)


def metadata(request: Request) -> Response:
    """Show each value with its source and confidence, and the earlier values."""
    found = _document(request)
    values = {
        "facts": facts(found),
        "history": served(request).corpus.documents.history(found.id),
        "reasons": REPLACED_BECAUSE,
    }
    return _page(request, "document_metadata.html", found, values)


def versions(request: Request) -> Response:
    """Show the versions of the page, and the difference of one to the version before."""
    here, found = served(request), _document(request)
    every = here.corpus.documents.versions(found.id)
    before = [each for each in every if each.version < found.version]
    other = _chosen(request, every, found) or (before[-1].id if before else "")
    compared = here.corpus.documents.find(other) if other else None
    values: dict[str, object] = {"versions": every, "other": None, "difference": None}
    if compared is not None:
        older, newer = sorted((compared, found), key=lambda each: each.version)
        values |= {
            "other": compared,
            "older": older,
            "newer": newer,
            "difference": compare(here, older.text, newer.text),
        }
    return _page(request, "document_versions.html", found, values)


def duplicates(request: Request) -> Response:
    """Show the other documents of the cluster, and one of them side by side."""
    here, found = served(request), _document(request)
    every = here.corpus.documents.near(found.id, MOST_DUPLICATES)
    other = _chosen(request, every, found) or (every[0].id if every else "")
    compared = here.corpus.documents.find(other) if other else None
    values: dict[str, object] = {"near": every, "most": MOST_DUPLICATES, "other": compared, "difference": None}
    if compared is not None:
        values["difference"] = compare(here, found.text, compared.text)
    return _page(request, "document_duplicates.html", found, values)


def why(request: Request) -> Response:
    """Show which extractor made the text, and a figure of its decision or of that of another one."""
    here, found = served(request), _document(request)
    names = explained_names()
    named = request.query_params.get("extractor", "")
    if named and named not in names:
        raise HTTPException(400)
    own = site_model(here, found).extractor
    values = {"extractors": names, "chosen": named or (own if own in names else AUTO), "can_draw": can_draw()}
    return _page(request, "document_why.html", found, values)


def figure(request: Request) -> Response:
    """Return the figure of an extractor's decision on the original, or its numbers."""
    refuse_others(request)
    here, found = served(request), _document(request)
    form, name = request.path_params["form"], request.query_params.get("extractor", "")
    if form not in FIGURES or name not in explained_names():
        raise HTTPException(404)
    from corpus_spider.figures.page_figure import PageFigure

    capture = read_original(here.config, here.corpus, pointer_to(found))
    with here.expensive():
        explained = here.workers().explain(capture, trial_model(here, found, name)).result()
        if isinstance(explained, Drop):
            raise HTTPException(404)
        drawn = PageFigure(found.url, explained)
        content = drawn.numbers(form).encode() if form in {"csv", "json"} else drawn.draw(form)
    headers = {"Content-Security-Policy": FIGURE_POLICY}
    if form != "svg":
        headers["Content-Disposition"] = f'attachment; filename="{found.id}-{name}.{form}"'
    return Response(content, media_type=FIGURES[form], headers=headers)


def record(request: Request) -> Response:
    """Show the WARC record of the text: place, digest, headers; and all visits of the page."""
    here, found = served(request), _document(request)
    capture, error = None, None
    try:
        capture = read_original(here.config, here.corpus, pointer_to(found))
    except CorpusError as problem:
        error = problem
    page = here.corpus.fetches.page([found.url])
    values = {"capture": capture, "error": error, "visits": page.visits if page else ()}
    return _page(request, "document_record.html", found, values)


def download(request: Request) -> Response:
    """Return the record with its request, as a WARC file."""
    refuse_others(request)
    here, found = served(request), _document(request)
    with here.expensive():
        content = record_bytes(here.config, here.corpus, pointer_to(found))
    # An id has only hexadecimal digits.
    named = {"Content-Disposition": f'attachment; filename="{found.id}.warc.gz"', "Content-Security-Policy": POLICY}
    return Response(content, media_type="application/warc", headers=named)


def extractors(request: Request) -> Response:
    """Show the list of extractors. With a chosen one: run it on the original, and compare its text with the stored."""
    found, name = _document(request), request.query_params.get("extractor", "")
    named = names_by_purpose()
    values: dict[str, object] = {"extractors": named, "chosen": name, "trial": None}
    if name:
        if name not in {each for group in named.values() for each in group}:
            raise HTTPException(400)
        refuse_others(request)
        values["trial"] = run(served(request), found, name)
    return _page(request, "document_extractors.html", found, values)


@dataclass(frozen=True, slots=True)
class ExtractorTrial:
    """What another extractor gave for an original."""

    seconds: float
    reason: str = ""
    """Why there is no text; empty if there is one."""
    rows: tuple[tuple[str, object, object], ...] = ()
    """What the stored and the new text are compared by."""
    difference: TextDifference | None = None


def run(here: ServedCorpus, found: CorpusDocument, name: str) -> ExtractorTrial:
    """Run an extractor on the original of a document, in a worker with the limits of a crawl. One at a time."""
    with here.one_trial():
        capture = read_original(here.config, here.corpus, pointer_to(found))
        started = time.monotonic()
        done = here.workers().submit(capture, trial_model(here, found, name)).result()
        seconds = time.monotonic() - started
    if done.document is None:
        return ExtractorTrial(seconds, (done.drop or Drop("empty")).in_words)
    return ExtractorTrial(seconds, "", _rows(found, done.document), difference(found.text, done.document.text))


def compare(here: ServedCorpus, first: str, second: str) -> TextDifference:
    """Return the difference of two texts. Long ones, which take a second or two, wait for their turn."""
    if len(first) + len(second) < MAX_COMPARED_CHARS:
        return difference(first, second)
    with here.expensive():
        return difference(first, second)


def site_model(here: ServedCorpus, found: CorpusDocument) -> SiteModel:
    """Return the model that a document was made with, or else the newest one of its site."""
    models = ConfiguredModels(here.config, here.corpus)
    return models.as_made(found.site, found.site_model) or models.newest.get(found.site) or SiteModel(site=found.site)


def trial_model(here: ServedCorpus, found: CorpusDocument, name: str) -> SiteModel:
    """Return the model of a document's site with another extractor, under which every text is kept, however short."""
    made = site_model(here, found).with_extractor(name)
    return replace(made, min_chars=1, languages=(), reservations=SiteModel().reservations)


def explained_names() -> list[str]:
    """Return the names of the extractors whose decisions can be drawn."""
    return [each.name for each in EXTRACTORS.values() if each.explain]


def can_draw() -> bool:
    """Return whether the library that draws figures is installed."""
    return find_spec("matplotlib") is not None


def paragraphs(document: CorpusDocument) -> list[tuple[int, str, str]]:
    """Return number, kind and text of each line of a document that is not empty. The kind is ``p`` if it is unknown.

    Numbers count from 1, as the ids of lines on the inert original do.
    """
    lines = document.text.split("\n")
    kinds = document.kinds if len(document.kinds) == len(lines) else "p" * len(lines)
    shown = [(kind, line) for kind, line in zip(kinds, lines, strict=True) if line]
    return [(number, kind, line) for number, (kind, line) in enumerate(shown, 1)]


def hits_in(here: ServedCorpus, found: CorpusDocument, asked: str) -> list[TextPlace]:
    """Return the places of a question in a document. Line 0 is the title. ConfigError for a wrong question.

    Long texts, which take a second or two, wait for their turn.
    """
    with here.index() as index:
        question, splitter = index.parsed(asked), index.made_with.splitter
        indexed = index.indexed_places(question, Selection(), [found.id])
    with here.expensive() if found.chars > MAX_COMPARED_CHARS else nullcontext():
        sought = SoughtWords(question, found.language)
        return places_in(found.searched_lines, sought, splitter, indexed.get(found.id))


def marks_by_paragraph(
    lines: Sequence[str], hits: Sequence[TextPlace], chosen: TextPlace | None
) -> dict[int, list[MarkedPart]]:
    """Return the parts of marked lines by their numbers as of `paragraphs`; 0 is the title."""
    numbers = [0, *accumulate(map(bool, lines[1:]))]
    return {numbers[line]: parts for line, parts in marked_lines(lines, hits, chosen).items()}


def first_part(lines: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Return the lines until they have `LONGEST_TEXT` characters, at least one line."""
    ends = accumulate(len(line) for _, _, line in lines)
    return lines[: max(1, sum(end <= LONGEST_TEXT for end in ends))]


def _rows(stored: CorpusDocument, new: Document) -> tuple[tuple[str, object, object], ...]:
    """Return what the two texts are compared by: name, stored value, new value."""
    return (
        (
            marked("extractor"),
            f"{stored.extractor} {stored.extractor_version}",
            f"{new.extractor} {new.extractor_version}",
        ),
        (marked("reason"), stored.extractor_reason, new.extractor_reason),
        (marked("confidence"), stored.confidence, new.confidence),
        (marked("characters"), len(stored.text), len(new.text)),
        (marked("lines"), stored.text.count("\n") + 1, new.text.count("\n") + 1),
    )


def _document(request: Request) -> CorpusDocument:
    found = served(request).corpus.documents.find(request.path_params["id"])
    if found is None:
        raise HTTPException(404)
    return found


def _chosen(request: Request, every: Iterable[RelatedDocument], found: CorpusDocument) -> str:
    """Return the id in ``with`` if it is one of these documents and not the one that is shown."""
    wanted = request.query_params.get("with", "")
    return next((each.id for each in every if each.id == wanted != found.id), "")


def _page(request: Request, template: str, found: CorpusDocument, values: Mapping[str, object]) -> Response:
    base = f"/documents/{found.id}"
    tabs: Sequence[tuple[str, str]] = [(base + path, label) for path, label in TABS]
    return pages(request)(request, template, {"document": found, "base": base, "tabs": tabs, "marks": {}, **values})


ROUTES = (
    ("", text),
    ("/original", original),
    ("/metadata", metadata),
    ("/versions", versions),
    ("/duplicates", duplicates),
    ("/why", why),
    ("/why.{form:str}", figure),
    ("/record", record),
    ("/record.warc.gz", download),
    ("/extractors", extractors),
)
"""Views by the end of their path."""
