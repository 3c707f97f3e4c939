"""Lines of a text in the page that it was extracted from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.text.alignment import PageWords, find_lines

PAGE = (
    "Home News Sport",
    "Gas prices rise again in the north",
    "Read more",
    "Gas prices rise again in the north",
    "The government said today that the price of gas will rise again.",
    "Photo: AFP",
    "Ministers meet on Monday — in Hà Nội, they say.",
    "Photo: AFP",
    "Read more",
    "banana an end",
)


def found(page: tuple[str, ...], lines: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return (line, words of the page) of each place."""
    words = PageWords()
    for text in page:
        words.add(text)
    every = " ".join(page).split()
    return [(place.line, " ".join(every[place.first : place.end])) for place in find_lines(lines, words)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("The government said today that the price of gas will rise again.",), [(0, PAGE[4])]),
        (("the GOVERNMENT said, today that the price of gas will rise again",), [(0, PAGE[4])]),
        (("Ministers meet on Monday in Ha\u0300 No\u0323\u0302i they say",), [(0, PAGE[6])]),
        (("Photo: AFP Ministers meet on Monday in Hà Nội",), [(0, "Photo: AFP Ministers meet on Monday — in Hà Nội,")]),
        (("an",), [(0, "an")]),
        (("ana",), []),
        (("Nothing of this is on the page", "…", ""), []),
        (("The government said today, and nothing else of this line",), [(0, "The government")]),
    ],
)
def test_a_line_is_found_by_its_letters(lines: tuple[str, ...], expected: list[tuple[int, str]]) -> None:
    """Case, punctuation, composition and elements make no difference; parts of words are no match."""
    assert found(PAGE, lines) == expected


def test_a_repeated_line_is_the_one_beside_its_neighbours() -> None:
    """The headline is that above the text and not the teaser; each caption is that of its place."""
    words = PageWords()
    for text in PAGE:
        words.add(text)
    lines = (PAGE[3], PAGE[4], "Photo: AFP", PAGE[6], "Photo: AFP")
    firsts = [place.first for place in find_lines(lines, words)]
    before = [sum(len(text.split()) for text in PAGE[:at]) for at in (3, 4, 5, 6, 7)]
    assert firsts == before


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("รัฐบาลประกาศมาตรการช่วยเหลือค่าน้ำมัน", "ประกาศมาตรการช่วยเหลือค่าน้ำมัน"),
        ("天然气价格上涨，政府今天宣布了一项新的措施来帮助全国人民。", "政府今天宣布了一项新的措施来帮助全国人民"),
    ],
)
def test_a_long_line_may_begin_within_a_word(page: str, line: str) -> None:
    """Scripts without spaces have no other words."""
    assert found((page,), (line,)) == [(0, page)]


TEXTS = st.lists(st.text("ab cé.ا ", max_size=12), max_size=12).map(tuple)


@given(TEXTS, TEXTS)
def test_places_are_of_the_page_and_in_order_of_the_lines(page: tuple[str, ...], lines: tuple[str, ...]) -> None:
    """In any two texts, each place has words of the page."""
    words = PageWords()
    for text in page:
        words.add(text)
    places = find_lines(lines, words)
    assert all(0 <= place.first < place.end <= len(words.folded) for place in places)
    assert [place.line for place in places] == sorted(place.line for place in places)


@given(st.lists(st.text("abcdefgh ", min_size=1, max_size=30), min_size=1, max_size=10))
def test_the_lines_of_a_page_are_all_found_in_it(texts: list[str]) -> None:
    """A page that has nothing else has each line with letters."""
    words = PageWords()
    for text in texts:
        words.add(text)
    assert {place.line for place in find_lines(texts, words)} == {at for at, text in enumerate(texts) if text.strip()}


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the budget is used up, lines that are searched letter by letter are not found."""
    lines = ("The government said today, and nothing else of this line",) * 3
    assert len(found(PAGE, lines[:1])) == 1
    monkeypatch.setattr("pipelines.text.alignment.BUDGET", 10)
    assert found(PAGE, lines) == []
