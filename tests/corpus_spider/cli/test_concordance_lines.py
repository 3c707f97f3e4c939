"""Concordance on a terminal: rows with the id of each document, cut at words."""

from __future__ import annotations

import pytest
import regex
from rich.cells import cell_len

from corpus_spider.cli.concordance_lines import drawn, first_words, last_words
from corpus_spider.search.hits.concordance import ConcordanceLine
from corpus_spider.search.hits.line_reader import ConcordancePlace
from corpus_spider.terminal.layout import pieces

THAI = "รัฐบาลประกาศนโยบายใหม่เพื่อช่วยเหลือเกษตรกรที่ได้รับผลกระทบจากน้ำท่วม"
LAO = "ລັດຖະບານປະກາດນະໂຍບາຍໃໝ່ເພື່ອຊ່ວຍເຫຼືອຊາວກະສິກອນ"
KHMER = "រដ្ឋាភិបាលប្រកាសគោលនយោបាយថ្មីដើម្បីជួយកសិករ" * 2


def place(left: str, keyword: str, right: str, number: int = 0) -> ConcordancePlace:
    """Return a place in one of several documents."""
    line = ConcordanceLine(left, keyword, right, "", "")
    return ConcordancePlace(f"{number:x}" * 32, "https://a.example/", None, "paper", "en", "Latn", "2026-11-26", line)


@pytest.mark.parametrize("text", [THAI, LAO, KHMER, "the old harbour was closed for twenty years after the flood"])
@pytest.mark.parametrize("cells", [8, 15, 21, 30])
def test_context_is_cut_at_words_and_shows_it(text: str, cells: int) -> None:
    """Also in scripts without spaces: no line begins with a mark or a vowel of the word before it."""
    ends = {0}
    for piece in pieces(text):
        ends.add(max(ends) + len(piece))
    first, last = first_words(text, cells), last_words(text, cells)
    assert (first[-1], last[0]) == ("…", "…")
    assert text.startswith(first[:-1])
    assert text.endswith(last[1:])
    assert max(cell_len(first), cell_len(last)) <= cells
    assert {len(first) - 1, len(first)} & ends
    assert len(text) - len(last) + 1 in ends


def test_a_word_that_is_longer_than_the_room_is_cut_between_characters() -> None:
    """A mark stays with its letter."""
    word = "n\u0323\u0302" * 30
    assert len(regex.findall(r"\X", first_words(word, 10)[:-1])) == 9
    assert last_words(word, 10).startswith("…n\u0323\u0302")


@pytest.mark.parametrize("width", [80, 120, 200])
def test_each_row_ends_with_the_id_of_its_document_below_headings(width: int) -> None:
    """Keywords stand below each other. Day and site have columns in a wide terminal."""
    places = [place("they closed the old ", "harbour", " of the town " * 20, 1), place("", "harbours", ".", 2)]
    header, *rows = drawn(places, width)
    assert all(cell_len(row) <= width for row in (header, *rows))
    assert [("11111111" in rows[0], "22222222" in rows[1])] == [(True, True)]
    assert len({row.index("harbour") for row in rows} | {header.index("keyword")}) == 1
    assert header.index("id") == rows[0].index("1111") == rows[1].index("2222")
    assert all(("2026-11-26" in row and "paper" in row) == (width > 80) for row in rows)


def test_the_document_of_a_right_to_left_row_is_isolated_at_its_end() -> None:
    """Otherwise the parts of its day would change their order."""
    (_, row) = drawn([place("في ", "المدينة", " القديمة", 1)], 120)
    assert row.endswith("11111111  2026-11-26  paper\u2069")
