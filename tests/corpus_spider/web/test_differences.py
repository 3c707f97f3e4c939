"""Differences between two texts."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_spider.web.differences import ADDED, MAX_CHARS, REMOVED, SAME, difference


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        ("Gas is dear.", "Gas is dear.", "Gas is dear."),
        ("Gas is dear.", "Gas is cheap.", "Gas is [-dear-][+cheap+]."),
        ("one two three four", "one five six four", "one [-two three-][+five six+] four"),
        ("a\nb\nc", "a\nx\nc", "a\n[-b-][+x+]\nc"),
        ("a\nc", "a\nb\nc", "a\n[+b\n+]c"),
        ("", "new", "[+new+]"),
        ("old", "", "[-old-]"),
        ("天然气价格上涨", "天然气价格下跌", "天然气价格[-上涨-][+下跌+]"),
        ("كتب الولد الدرس", "كتب البنت الدرس", "كتب [-الولد-][+البنت+] الدرس"),
        ("Hà Nội", "Ha Noi", "[-Hà Nội-][+Ha Noi+]"),
        ("<b>x</b>", "<i>x</i>", "<[-b-][+i+]>x</[-b-][+i+]>"),
    ],
)
def test_words_that_differ_are_marked(first: str, second: str, marked: str) -> None:
    """By words; by characters in Chinese. Neighbouring words are one change, with the space between them."""
    signs = {SAME: ("", ""), REMOVED: ("[-", "-]"), ADDED: ("[+", "+]")}
    found = difference(first, second)
    assert "".join(signs[part.kind][0] + part.text + signs[part.kind][1] for part in found.parts) == marked
    assert found.equal == (first == second)


TEXTS = st.lists(st.sampled_from(["a", "b", "gas", " ", " ", ", ", "\n", "ไทย", "日本", "\u2028", "\r"])).map("".join)


@given(TEXTS, TEXTS)
def test_the_parts_make_both_texts(first: str, second: str) -> None:
    """In any two texts nothing is lost or doubled, and no two neighbours are of one kind."""
    rows = difference(first, second).sides()
    assert "".join(part.text for left, _ in rows for part in left) == first
    assert "".join(part.text for _, right in rows for part in right) == second
    kinds = [part.kind for part in difference(first, second).parts]
    assert all(one != other for one, other in pairwise(kinds))


def test_rows_are_lines_that_both_texts_have() -> None:
    """A changed line is beside its new form, an added one beside nothing."""
    rows = difference("one\ntwo old\nthree", "one\ntwo new\nthree\nfour").sides()
    texts = [("".join(part.text for part in left), "".join(part.text for part in right)) for left, right in rows]
    assert texts == [("one\n", "one\n"), ("two old\n", "two new\n"), ("three", "three\nfour")]


def test_a_long_part_that_is_the_same_is_folded() -> None:
    """Begin and end stay, at whole words."""
    words = " ".join(f"word{number}" for number in range(200))
    folded = [part.text for part in difference(f"{words} old", f"{words} new").folded()]
    begin, fold, end, *_ = folded
    assert fold == ""
    assert words.startswith(begin)
    assert begin.endswith(" ")
    assert f"{words} ".endswith(end)
    assert end.startswith("word")


@pytest.mark.parametrize("unit", ["a b\n", "a ", "ab", "日", "\n"])
def test_huge_texts_take_bounded_time(unit: str) -> None:
    """Of texts of a million characters without order the first part is compared, in about a second."""
    chance = random.Random(1)
    first, second = ("".join(chance.choice((unit, unit.upper() + "x ")) for _ in range(400_000)) for _ in range(2))
    started = time.process_time()
    found = difference(first, second)
    assert time.process_time() - started < 5
    assert found.cut == (max(len(first), len(second)) > MAX_CHARS)
