"""Layout on a terminal: whole words, scripts without spaces, right-to-left text, narrow terminals."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from corpus_spider.terminal import layout
from corpus_spider.terminal.escapes import DIRECTION_MARKS
from corpus_spider.terminal.layout import facts, flow, isolated, paragraphs, table, wrap
from tests.extras import need

VIETNAMESE = "Chính phủ hôm nay công bố kế hoạch mới để hỗ trợ nông nghiệp tại các tỉnh miền núi phía Bắc."
ARABIC = "أعلنت الحكومة اليوم 2024 عن خطة جديدة (UNESCO) لدعم الزراعة في جميع المحافظات."
THAI = "ผู้สื่อข่าวรายงานว่านายกฯ เดินทางไปต่างประเทศในเช้าวันนี้ และจะกลับมาในสัปดาห์หน้าๆ"
CHINESE = "国务院总理今天在北京会见了来访的外国客人。双方就经济合作交换了意见，并签署了协议。"
TEXTS = {"ar": ARABIC, "th": THAI, "vi": VIETNAMESE, "zh": CHINESE}


@pytest.mark.parametrize("width", [80, 60, 30, 24])
@pytest.mark.parametrize("language", TEXTS)
def test_lines_fit_the_width_and_keep_every_character(language: str, width: int) -> None:
    """In four scripts: nothing is lost, and no line has more cells than the terminal."""
    found = wrap(TEXTS[language], width)
    assert max(map(cell_len, found)) <= width
    assert "".join(found).replace(" ", "") == TEXTS[language].replace(" ", "")


@pytest.mark.parametrize("language", ["ar", "vi"])
def test_words_between_spaces_are_whole(language: str) -> None:
    assert " ".join(wrap(TEXTS[language], 24)).split() == TEXTS[language].split()


def test_thai_breaks_between_words() -> None:
    """ICU's dictionary finds the words; the sign of an abbreviation stays with its word."""
    need("segment")
    assert wrap("เดินทางไปต่างประเทศ", 10) == ["เดินทางไป", "ต่างประเทศ"]
    assert not any(line.startswith(("ฯ", "ๆ")) for width in range(8, 40) for line in wrap(THAI, width))


def test_thai_without_a_segmenter_breaks_between_letters_with_their_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No mark begins a line."""

    def missing() -> None:
        raise ImportError

    monkeypatch.setattr("pipelines.text.segmentation.libraries.load_icu", missing)
    layout._segmenter.cache_clear()
    try:
        for width in range(4, 40):
            found = wrap(THAI, width)
            assert max(map(cell_len, found)) <= width
            assert all(cell_len(line[0]) for line in found if line)
    finally:
        layout._segmenter.cache_clear()


def test_no_chinese_line_begins_with_a_closing_sign() -> None:
    """Nor ends with an opening one (JIS X 4051)."""
    text = "他说：「今天，我们《同意》了。」（完）"
    for width in range(6, 30):
        found = wrap(text, width)
        assert not any(line[0] in "，。」》）：" for line in found)
        assert not any(line[-1] in "「《（" for line in found)


@given(
    st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp"), include_characters=" ")),
    st.integers(1, 40),
)
def test_wrapping_loses_no_character(text: str, width: int) -> None:
    """With any text of a page."""
    assert "".join(wrap(text, width)).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", "abc"),
        ("أعلنت", "\u200f\u2067أعلنت\u2069"),
        ("2024 أعلنت", "\u200f\u20672024 أعلنت\u2069"),
        ("abc أعلنت", "abc أعلنت"),
        ("", ""),
        ("سلام\nabc", "\u200f\u2067سلام\u2069\nabc"),
    ],
)
def test_lines_from_right_to_left_have_marks(text: str, expected: str) -> None:
    """The direction of a paragraph is that of its first letter (UAX 9, P2)."""
    assert paragraphs(text, 40) == expected


@pytest.mark.parametrize(("text", "expected"), [("abc", "abc"), ("a خبر", "\u2068a خبر\u2069"), ("ข่าว", "ข่าว")])
def test_a_cell_with_right_to_left_letters_is_isolated(text: str, expected: str) -> None:
    """Otherwise the terminal would mirror the columns beside it."""
    assert isolated(text) == expected


@pytest.mark.parametrize("width", [80, 60, 40])
def test_a_table_of_four_scripts_fits_and_breaks_no_word(width: int) -> None:
    """The long texts share the room; every word of a cell stands in one piece."""
    rows = [[code, "1,234", text] for code, text in TEXTS.items()]
    found = [DIRECTION_MARKS.sub("", line) for line in table(("language", "count", "detail"), rows, width)]
    assert max(map(cell_len, found)) <= width
    words = [word for text in (ARABIC, VIETNAMESE) for word in text.split()]
    drawn = {word for line in found for word in line.split()}
    assert [word for word in words if word not in drawn] == []


def test_a_time_is_not_broken_between_its_day_and_its_hour() -> None:
    """Other columns are narrowed first; without room the time stands below its row."""
    row = ["a site of a long name", "2026-11-26 15:42"]
    assert [line for line in table(("site", "when"), [row], 30) if "2026" in line and "15:42" not in line] == []
    assert table(("site", "when"), [["newspaper", row[1]]], 20)[-1] == "  2026-11-26 15:42"


def test_a_value_that_is_too_long_stands_below_its_row() -> None:
    """With its heading, or below the headings if it is a URL or the only one."""
    url = "https://news.example.org/" + "x" * 60
    assert table(("site", "url", "reason"), [["a", url, "listing"]], 40) == [
        "site  reason",
        "  url",
        "────  ───────",
        "a     listing",
        f"  {url}",
    ]
    assert table(("site", "found", "fetched"), [["a", "12", "7"], ["b", "0", "1"]], 11) == [
        "site  found",
        "  fetched",
        "────  ─────",
        "a        12",
        "  7",
        "b         0",
        "  1",
    ]


def test_what_to_do_always_stands_below_its_row() -> None:
    assert table(("check", "detail", "advice"), [["disk", "full", "Free some."], ["x", "y", ""]], 80) == [
        "check  detail",
        "─────  ──────",
        "disk   full",
        "  Free some.",
        "x      y",
    ]


def test_names_and_values_have_no_headings() -> None:
    """A long value goes below its name, and the others stay beside theirs."""
    long = "https://news.example.org/" + "x" * 20
    assert table(("what", "value"), [["url", long], ["site", "a b"]], 30) == ["url", f"  {long}", "site  a b"]
    assert facts([], 30) == []


def test_a_column_without_a_value_is_left_out() -> None:
    assert table(("site", "detail", "count"), [["a", "", "1"]], 80)[0] == "site  count"


def test_items_flow_into_lines() -> None:
    """An item is broken only if it is longer than a line."""
    assert flow(["12 new", "3 changed", "a longer item"], 20) == ["12 new   3 changed", "a longer item"]
    assert flow(["one two three"], 8) == ["one two", "three"]


def test_every_line_of_a_rule_is_as_wide_as_its_column() -> None:
    found = table(("site", "documents"), [["ข่าว", "1"], ["国务院", "22"]], 80)
    assert re.fullmatch("─{6}  ─{9}", found[1])
    assert [cell_len(line) for line in found] == [17] * 4


HEALTH = ("site", "sign", "problem", "source", "next")
PROBLEM = "no new article in 2 nights; usually there are 40 a night; 24 of 24 lost pages: script_only"


def test_a_sentence_goes_below_its_row_before_it_is_narrow() -> None:
    """In a narrow terminal it has the whole width, and the next command a line of its own; in a wide one its column."""
    row = ("vnexpress", "silent", PROBLEM, "https://vnexpress.example/rss/tin-moi-nhat.rss", "corpus-spider dropped")
    narrow, wide = table(HEALTH, [row], 80), table(HEALTH, [row], 200)
    assert "  " + PROBLEM[:70] in "\n".join(narrow)
    assert narrow[-1] == "  corpus-spider dropped"
    assert max(map(len, narrow)) <= 80
    assert any(PROBLEM in line and line.startswith("vnexpress") for line in wide)


@pytest.mark.parametrize("size", ["254.4 KiB", "1,254.4 MiB", "12 bytes"])
def test_a_size_is_never_cut_in_two(size: str) -> None:
    """With any width of the terminal."""
    for width in range(20, 120):
        lines = table(("site", "found", "stored"), [("a.example", "1", size), ("b.example", "22", "3 bytes")], width)
        assert any(size in line for line in lines)


def test_a_column_stays_in_its_row_if_one_space_between_columns_is_enough() -> None:
    row = ("site", "found", "fetched", "new")
    (cells,) = [("abcdefgh", "12345", "1234567", "123")]
    width = sum(max(len(cell), len(name)) for cell, name in zip(cells, row, strict=True)) + 3
    assert table(row, [cells], width)[-1] == " ".join(cells)
