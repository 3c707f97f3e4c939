"""Words: frequencies, keywords against the rest of the corpus, collocates, and trends."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_spider.web.query import web_query
from corpus_spider.web.translation import marked
from corpus_spider.web.views import pages, served
from corpus_spider.words import clouds
from corpus_spider.words.ngram_rules import MAX_UNITS, MIN_UNITS
from corpus_spider.words.references import RestOfCorpus
from corpus_spider.words.request import WordList, word_list
from storage.documents.selection import COUNTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from corpus_spider.search.index.manifest import CellSize
    from corpus_spider.words.clouds import Cloud

ROWS = 100
DOCUMENTS = 100
"""Documents in which collocates are counted. In Vietnamese, the slowest to split, they take two seconds or less.

The command `words --around` takes 2,000.
"""
CLOUD = 60
"""Words of the cloud."""
NGRAM_LISTS = {f"ngrams-{units}": units for units in range(MIN_UNITS, MAX_UNITS + 1)}
"""Units of the n-grams of a list, by its name in an address."""
EMPTY_SELECTION = marked("No text of this selection is in the index. Choose another language, site or time.")


def page(request: Request) -> Response:
    """Show a word list of the selected texts. Without a language: of the most common one."""
    here = served(request)
    asked = web_query(request.query_params, here.selections)
    with here.index() as index:
        cells = index.manifest.sizes()
        known = _languages(cells)
        chosen = asked.selection.languages or tuple(known[:1])
        selection = replace(asked.selection, languages=chosen)
        selected = selection.only(COUNTS)
        kind = marked("keywords") if request.query_params.get("list") == "keywords" else marked("frequency")
        cloud: Cloud | None = None
        if kind == "keywords":
            found = word_list(index, here.corpus, selected, WordList(RestOfCorpus(), limit=ROWS))
            cloud = clouds.of_keywords(found.table.rows, chosen, CLOUD)
        elif ngrams := NGRAM_LISTS.get(request.query_params.get("list", "")):
            kind = marked("n-grams")
            with here.expensive():
                found = word_list(index, here.corpus, selected, WordList(ngrams=ngrams, limit=ROWS))
        elif asked.question:
            kind = marked("collocates")
            wanted = WordList(around=asked.question, limit=ROWS, searched=DOCUMENTS)
            with here.expensive():
                found = word_list(index, here.corpus, selected, wanted)
        else:
            found = word_list(index, here.corpus, selected, WordList(limit=ROWS + clouds.EXTRA_ROWS))
            cloud = clouds.of_frequencies(found.table.rows, chosen, found.table.documents, CLOUD)
    notes = found.notes
    if selected != selection:
        left = ", ".join(each.label.lower() for each, _ in selection.given() if not each.serves(COUNTS))
        notes = (f"Words are not counted by these filters, which are left out: {left}.", *notes)
    values: dict[str, object] = {
        "asked": asked,
        "rows": found.table.rows[:ROWS],
        "kind": kind,
        "size": found.table,
        "languages": known,
        "sites": sorted({cell.key.site for cell in cells}),
        "chosen": chosen,
        "ngram_lists": NGRAM_LISTS,
        "ngrams": NGRAM_LISTS.get(request.query_params.get("list", "")) if kind == "n-grams" else None,
        "selections": here.selections,
    }
    values |= {
        "cloud": cloud,
        "advice": notes,
        "why_empty": EMPTY_SELECTION if kind == "frequency" else found.why_empty,
    }
    return pages(request)(request, "words.html", values)


def _languages(sizes: Sequence[CellSize]) -> list[str]:
    counted: Counter[str] = Counter()
    for cell in sizes:
        counted[cell.key.language] += cell.tokens
    return [language for language, _ in counted.most_common()]
