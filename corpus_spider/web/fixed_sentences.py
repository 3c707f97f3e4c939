"""Words and sentences of tables elsewhere in the program that the page shows: reasons, fields, counters, signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus_spider.api.crawls import PAGE_COUNTERS
from corpus_spider.exit_codes import REASONS
from corpus_spider.search.hits.concordance_rules import ORDERS
from corpus_spider.terminal.vocabulary import SIGNS
from corpus_spider.web.formatting import plain_heading
from corpus_spider.words.lists import CollocateRow, KeyRow, WordRow
from pipelines.extractors.registry import names_by_purpose
from storage.documents.healing import REPLACED_BECAUSE
from storage.documents.selection import INDEX, honoured
from storage.fields import FIELDS
from storage.reasons import DROPPED, FAILED
from storage.records import Quality, UrlState

if TYPE_CHECKING:
    from collections.abc import Iterator


def fixed_sentences() -> Iterator[str]:
    """Yield the messages of the tables. Some come twice."""
    yield from (reason.meaning for reason in DROPPED.values())
    yield from (failure.meaning for failure in FAILED.values())
    yield from REASONS.values()
    yield from SIGNS.values()
    yield from REPLACED_BECAUSE.values()
    yield from names_by_purpose()
    yield from (each.label for each in honoured(INDEX))
    yield from (plain_heading(name) for name in (*PAGE_COUNTERS, "dropped", *UrlState, *_OUTCOMES))
    yield from (plain_heading(name) for row in (WordRow, KeyRow, CollocateRow) for name in row.__dataclass_fields__)
    yield from (each.view.label or plain_heading(each.name) for each in FIELDS if each.view)
    yield from (plain_heading(name) for name in Quality.__struct_fields__)
    yield from ORDERS
    yield from _OTHERS


_OUTCOMES = ("document", "drop", "unchanged", "waits")
"""Outcomes of a visit, as the page names them."""
_OTHERS = ("unknown", "quality of the text", "database", "originals", "search index")
"""Words that no table has."""
