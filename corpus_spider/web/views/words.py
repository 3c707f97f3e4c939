"""Words: frequencies, keywords against a reference, collocates, n-grams, and the numbers of a word by month."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

from corpus_spider.search.question.tree import shown
from corpus_spider.terminal.row_files import text_of_rows
from corpus_spider.web.charts.time_axis import bounds, per_month
from corpus_spider.web.charts.timeline import timeline
from corpus_spider.web.list_choice import (
    BY_MONTH,
    COLLOCATES,
    FREQUENCY,
    KEYWORDS,
    LISTS,
    NGRAM_LISTS,
    SHOWN_SIDES,
    list_choice,
)
from corpus_spider.web.query import web_query
from corpus_spider.web.reference_choice import word_list_counts, word_lists
from corpus_spider.web.translation import marked, page_direction
from corpus_spider.web.views import pages, served
from corpus_spider.web.views.downloads import TYPES, file_of
from corpus_spider.web.views.inert import refuse_others
from corpus_spider.words import clouds
from corpus_spider.words.collocation_rules import MAX_WINDOW, MEASURES
from corpus_spider.words.request import WordList, word_list
from storage.documents.model import UNDATED
from storage.documents.selection import COUNTS
from storage.errors import ConfigError
from storage.exports.formats.spreadsheet import BYTE_ORDER_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from starlette.requests import Request
    from starlette.responses import Response

    from corpus_spider.search.index.manifest import CellSize
    from corpus_spider.search.searching import SearchIndex
    from corpus_spider.web.list_choice import ListChoice
    from corpus_spider.web.query import WebQuery
    from corpus_spider.web.reference_choice import ReferenceChoice
    from corpus_spider.web.state import ServedCorpus
    from corpus_spider.words.clouds import Cloud
    from corpus_spider.words.references import Reference
    from corpus_spider.words.request import WordAnswer
    from storage.documents.selection import Selection

ROWS = 100
MAX_DOWNLOAD_ROWS = 10_000
"""Rows of a download. The command `words` gives 100,000."""
DOCUMENTS = 100_000
"""Documents in which collocates are counted, at most. They take about half a second."""
CLOUD = 60
"""Words of the cloud."""
EMPTY_SELECTION = marked("No text of this selection is in the index. Choose another language, site or time.")


@dataclass(frozen=True, slots=True)
class _ShownList:
    """The list that a page shows, by its kind, and its cloud."""

    kind: str
    answer: WordAnswer
    cloud: Cloud | None = None


def page(request: Request) -> Response:
    """Show a word list of the selected texts. Without a language: of the most common one."""
    here = served(request)
    asked = web_query(request.query_params, here.selections)
    wanted_list = list_choice(request.query_params, asked.question)
    with here.index() as index:
        cells = index.manifest.sizes()
        known = _languages(cells)
        chosen = asked.selection.languages or tuple(known[:1])
        selection = replace(asked.selection, languages=chosen)
        error = _why_not_counted(selection)
        try:
            wanted = None if error else _wanted(here, selection, asked.question, wanted_list, ROWS)
        except ConfigError as refused:
            wanted, error = None, refused
        made = _made(here, index, selection, wanted, wanted_list) if wanted else None
        counted_as = shown(index.parsed(asked.question, as_phrase=True)) if wanted and wanted.trends else ""
    values: dict[str, object] = {
        "asked": asked,
        "error": error,
        "list": wanted_list,
        "languages": known,
        "sites": sorted({cell.key.site for cell in cells}),
        "chosen": chosen,
        "lists": LISTS,
        "ngram_lists": NGRAM_LISTS,
        "selections": {name: each for name, each in here.selections.items() if each == each.only(COUNTS)},
        "sides": SHOWN_SIDES,
        "measures": MEASURES,
        "max_window": MAX_WINDOW,
        "word_lists": word_lists(here.config.folder),
        "most": MAX_DOWNLOAD_ROWS,
        "chart": None,
    }
    if made:
        of_list = asked if asked.selection.languages else replace(asked, own=replace(asked.own, languages=chosen))
        why = EMPTY_SELECTION if made.kind == "frequency" else made.answer.why_empty
        values |= {"kind": made.kind, "size": made.answer.table, "cloud": made.cloud, "of_list": of_list}
        values |= {"advice": made.answer.notes, "why_empty": why, **_rows(made, of_list, counted_as)}
    return pages(request)(request, "words.html", values)


def _rows(made: _ShownList, of_list: WebQuery, counted_as: str) -> dict[str, object]:
    """Return the rows of a list, the columns of their table, and the search that each leads to.

    ``counted_as``: the question whose numbers by month these are. They have a chart too.
    """
    rows = made.answer.table.rows
    names = [field.name for field in fields(rows[0])] if rows else []

    def link(question: str, **days: str) -> str:
        return f"/search{of_list.query(q=question, **days)}"

    if not counted_as:
        return {"rows": [(row, link(f'"{row.word}"')) for row in rows[:ROWS]], "names": names}
    # A row for each month: all of them.
    numbers = per_month({row.month: row.frequency for row in rows})
    months = [(label, number, link(counted_as, **bounds(label))) for label, number in numbers]
    return {
        "rows": [(row, "" if row.month == UNDATED else link(counted_as, **bounds(row.month))) for row in rows],
        "names": [name for name in names if name not in {"word", "counted_as"}],
        "chart": timeline(months, right_to_left=page_direction() == "rtl"),
    }


def download(request: Request) -> Response:
    """Return the rows of a word list as CSV, more than the page shows."""
    refuse_others(request)
    here = served(request)
    asked = web_query(request.query_params, here.selections)
    if error := _why_not_counted(asked.selection):
        raise error

    def write(file: BinaryIO) -> None:
        with here.index() as index:
            chosen = asked.selection.languages or tuple(_languages(index.manifest.sizes())[:1])
            selected = replace(asked.selection, languages=chosen)
            chosen_list = list_choice(request.query_params, asked.question)
            wanted = _wanted(here, selected, asked.question, chosen_list, MAX_DOWNLOAD_ROWS)
            rows = word_list(index, selected, wanted).table.rows
        plain = [asdict(row) for row in rows]
        text = text_of_rows(plain, "csv", list(plain[0])) if plain else ""
        file.write((BYTE_ORDER_MARK + text).encode())

    return file_of(here, "words.csv", TYPES["csv"], write)


def _wanted(here: ServedCorpus, selected: Selection, question: str, chosen: ListChoice, most: int) -> WordList:
    """Return the request of a list. Raises ConfigError for a field that it has no use for, and for its missing word."""
    chosen.require_used(question)
    if chosen.name == KEYWORDS:
        return WordList(_reference(here, selected, chosen.compared), limit=most)
    if chosen.name == BY_MONTH:
        return WordList(trends=(question,), limit=most)
    if chosen.name == COLLOCATES:
        return WordList(around=question, limit=most, searched=DOCUMENTS, near=chosen.near)
    return WordList(ngrams=chosen.units, near=chosen.near, limit=most)


def _reference(here: ServedCorpus, selected: Selection, compared: ReferenceChoice) -> Reference:
    """Return what keywords are compared with. Raises ConfigError for what the page does not offer."""
    if not compared.list_name:
        return compared.of_corpus(selected, here.selections)
    with here.expensive():
        return word_list_counts(here.config.folder, compared)


def _made(
    here: ServedCorpus, index: SearchIndex, selected: Selection, wanted: WordList, chosen: ListChoice
) -> _ShownList:
    """Make the list that a page shows."""
    if wanted.against:
        answer = word_list(index, selected, wanted)
        cloud = clouds.of_keywords(answer.table.rows, selected.languages, CLOUD, against=chosen.compared.name)
        return _ShownList(LISTS[KEYWORDS], answer, cloud)
    if wanted.ngrams or wanted.around or wanted.trends:
        with here.expensive():
            answer = word_list(index, selected, wanted)
        kind = LISTS[BY_MONTH] if wanted.trends else LISTS[COLLOCATES] if wanted.around else marked("n-grams")
        return _ShownList(kind, answer)
    answer = word_list(index, selected, replace(wanted, limit=ROWS + clouds.EXTRA_ROWS))
    cloud = clouds.of_frequencies(answer.table.rows, selected.languages, answer.table.documents, CLOUD)
    return _ShownList(LISTS[FREQUENCY], answer, cloud)


def _why_not_counted(selection: Selection) -> ConfigError | None:
    """Return the error with which the command would refuse a selection by what has no counts."""
    left = ", ".join(each.label.lower() for each, _ in selection.given() if not each.serves(COUNTS))
    if not left:
        return None
    do = "Choose another selection. The command `export` writes the documents of this one."
    return ConfigError(f"Words are not counted by these filters: {left}.", do=do)


def _languages(sizes: Sequence[CellSize]) -> list[str]:
    counted: Counter[str] = Counter()
    for cell in sizes:
        counted[cell.key.language] += cell.tokens
    return [language for language, _ in counted.most_common()]
