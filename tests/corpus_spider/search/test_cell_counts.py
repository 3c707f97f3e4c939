"""Counts of words by cell."""

from __future__ import annotations

from collections import Counter

import pytest

from corpus_spider.search.index import cell_counts
from corpus_spider.search.index.cell_counts import ShardCounts
from corpus_spider.search.index.manifest import CellKey

ARABIC, ENGLISH = CellKey("ar", "a", "2026-01"), CellKey("en", "a", "2026-01")
DOCUMENTS = [
    (ARABIC, "إلى الى كتاب إلى"),
    (ARABIC, "إلى بيت"),
    (ARABIC, ""),
    (ENGLISH, "it's its it’s its"),
    (ARABIC, "الى الى"),
]


@pytest.mark.parametrize("waiting", [0, 5, 2**22])
def test_words_are_counted_by_cell_and_by_form(monkeypatch: pytest.MonkeyPatch, waiting: int) -> None:
    """Occurrences and documents of each spelling; with the changes for one spelling, of each form. In any steps."""
    monkeypatch.setattr(cell_counts, "_MAX_WAITING", waiting)
    counts = ShardCounts()
    for key, text in DOCUMENTS:
        counts.add(key, text.split())
    cells = {(cell.key, cell.one): cell for cell in counts.cells()}
    vocabulary = list(counts.vocabulary)

    def of(key: CellKey, *, one_spelling: bool) -> tuple[dict[str, int], dict[str, int]]:
        frequencies, appearances = Counter[str](), Counter[str]()
        for cell in [cells[key, each] for each in range(1 + one_spelling)]:
            for word, number, documents in zip(cell.words, cell.frequencies, cell.appearances, strict=True):
                frequencies[vocabulary[word]] += int(number)
                appearances[vocabulary[word]] += int(documents)
        return {word: n for word, n in frequencies.items() if n}, {word: n for word, n in appearances.items() if n}

    assert cells[ARABIC, 0][2:4] == (4, 8)
    assert cells[ENGLISH, 0][2:4] == (1, 4)
    assert of(ARABIC, one_spelling=False) == (
        {"إلى": 3, "الى": 3, "كتاب": 1, "بيت": 1},
        {"إلى": 2, "الى": 2, "كتاب": 1, "بيت": 1},
    )
    assert of(ARABIC, one_spelling=True) == ({"الی": 6, "کتاب": 1, "بیت": 1}, {"الی": 3, "کتاب": 1, "بیت": 1})
    assert of(ENGLISH, one_spelling=True) == ({"it's": 2, "its": 2}, {"it's": 1, "its": 1})
    assert ("it's", "it’s") in {(vocabulary[form], vocabulary[word]) for form, word in counts.spellings()}
