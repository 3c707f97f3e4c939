"""Improved BTE: its runs and its region equal those of the paper's algorithms, read literally."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.papers.bte import UNSPACED_WORD, clean, count_words, encode, extract, main_texts, region
from pipelines.markup.soup import scan
from pipelines.text.scripts import UNSPACED_TEXT
from tests.pipelines.pieces import pieces
from tests.pipelines.real_pages import gold_pages, needs_gold

WORDS = st.lists(st.integers(0, 4), min_size=1, max_size=30)
RUNS = st.lists(st.integers(1, 4), max_size=25).flatmap(
    lambda sizes: st.sampled_from([1, -1]).map(
        lambda sign: [size * sign * (-1) ** index for index, size in enumerate(sizes)]
    )
)


_UNSPACED_ANY = re.compile(f"[{UNSPACED_TEXT}]")
BLANK = re.compile(r"[\0- ]+")
_WORD = re.compile(rf"[{UNSPACED_TEXT}]{{1,{UNSPACED_WORD}}}|[^\s{UNSPACED_TEXT}]+")


def literal_words(text: str) -> int:
    """Tokens between white space, and pieces of what is written without; control characters part words."""
    return sum(map(words_of, BLANK.split(text)))


def words_of(text: str) -> int:
    return len(_WORD.findall(text)) if _UNSPACED_ANY.search(text) else len(text.split())


def literal_tokens(words: list[int]) -> list[int]:
    """Algorithm 1, lines 7–12: binary_token, 1 for a tag and -1 for a word; a tag stands between each two texts."""
    tokens = [token for count in words for token in (*[-1] * count, 1)]
    return tokens[:-1]


def literal_encode(tokens: list[int]) -> list[int]:
    """Algorithm 1, lines 14–21, with encode starting as [0] and k advanced once a turn."""
    runs, j = [0], 0
    for x in tokens:
        if abs(x + runs[j]) < abs(runs[j]):
            j += 1
            runs.append(0)
        runs[j] += x
    return runs if tokens else []


def literal_region(runs: list[int]) -> tuple[int, int] | None:
    """Algorithm 2, lines 28–46: every pair of word runs, the sum between them, a strict comparison."""
    least, found = 0, None
    for i, first in enumerate(runs):
        if first > 0:
            continue
        total = 0
        for j in range(i, len(runs)):
            total += runs[j]
            if runs[j] < 0 and total < least:
                least, found = total, (i, j)
    return found


def quadratic_region(runs: list[int]) -> tuple[int, int] | None:
    """The same, all ends of one start at a time; for pages of thousands of runs."""
    sums, least, found = np.array(runs), 0, None
    for i in np.flatnonzero(sums < 0):
        totals = np.cumsum(sums[i:])
        j = int(totals.argmin())
        if totals[j] < least:
            least, found = int(totals[j]), (int(i), int(i) + j)
    return found


def cubic_region(tokens: list[int]) -> tuple[int, int] | None:
    """Search on tokens as section 3 states it: most words and fewest tags in [i, j], a new sum for each pair."""
    best, found = 0, None
    for i in range(len(tokens)):
        for j in range(i, len(tokens)):
            objective = sum(1 if token < 0 else -1 for token in tokens[i : j + 1])
            if tokens[i] < 0 and tokens[j] < 0 and objective > best:
                best, found = objective, (i, j)
    return found


def test_the_papers_example_is_encoded_as_printed() -> None:
    """Two tags and five words give {2, -5} (section 3)."""
    assert encode([0, 0, 5]) == [2, -5] == literal_encode([1, 1, -1, -1, -1, -1, -1])


@settings(max_examples=200, deadline=None)
@given(WORDS)
def test_encode_is_algorithm_1(words: list[int]) -> None:
    """Counting tags and words is what the corrected loop of Algorithm 1 does on single tokens."""
    assert encode(words) == literal_encode(literal_tokens(words))


@settings(max_examples=500, deadline=None)
@given(RUNS)
def test_region_is_algorithm_2_ties_included(runs: list[int]) -> None:
    """The linear scan finds the same pair of runs as the quadratic loops, small numbers making ties common."""
    assert region(runs) == literal_region(runs)


@settings(max_examples=200, deadline=None)
@given(RUNS)
def test_all_ends_at_a_time_are_algorithm_2(runs: list[int]) -> None:
    """The reference for long pages is the literal one."""
    assert quadratic_region(runs) == literal_region(runs)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=14))
def test_the_texts_are_those_that_the_cubic_search_finds_on_tokens(words: list[int]) -> None:
    """Summing up runs loses nothing: the first and the last word lie in the first and the last text."""
    tokens, found = literal_tokens(words), main_texts(words)
    span = cubic_region(tokens)
    if span is None:
        assert found == slice(0, 0)
    else:
        first, last = (tokens[:token].count(1) for token in span)
        assert found == slice(first, last + 1)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], None),
        ([3], None),
        ([-1], (0, 0)),
        ([-2, 2, -2], (0, 0)),
        ([-2, 2, -3], (0, 2)),
        ([1, -5, 1, -1, 9], (1, 1)),
    ],
)
def test_region_keeps_the_smallest_start_and_then_the_smallest_end(
    runs: list[int], expected: tuple[int, int] | None
) -> None:
    """Among equal sums the first wins, as the strict comparison of line 40 has it."""
    assert region(runs) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("  \n", 0),
        ("Chủ tịch nước", 3),
        ("x" * 50, 1),
        ("新" * UNSPACED_WORD, 1),
        ("新闻" * UNSPACED_WORD, 2),
        ("ข่าว and news", 3),
    ],
)
def test_words_are_counted_by_spaces_and_pieces_of_unspaced_scripts(text: str, words: int) -> None:
    """A syllable of Vietnamese is a word; a run of Chinese is as many as it has pieces."""
    assert count_words(text) == literal_words(text) == words


def test_the_region_is_rendered_whole_with_all_it_holds() -> None:
    """Menu and footer go; digits, Latin words and punctuation of the article stay."""
    menu, foot = "<a>one</a><a>two</a>" * 9, "<i><b>end</b></i>" * 9
    html = f"{menu}<p>Hôm nay, 12/3, giá vàng tăng 5%.</p><p>Theo <b>BBC</b> (UK): tăng mạnh vào cuối ngày.</p>{foot}"
    assert extract(html).paragraphs == ("Hôm nay, 12/3, giá vàng tăng 5%.", "Theo BBC (UK): tăng mạnh vào cuối ngày.")


PIECES = pieces(
    """<p> </p> <p_title="a>b"> <p_title='x <b <br/> <img_src=x> <wbr> </svg> <frameset> < > / " ' =" 1_<_2 - word _
        Chủ_tịch ข่าวใหม่วันนี้ 新闻网讯记者报道 𠀀 é 。 <link> <é </ <a""",
    *("\n", "\u3000", "\xa0", "\u2003", "\x1f"),
)


@settings(max_examples=500, deadline=None)
@given(PIECES)
def test_words_are_counted_as_the_literal_way_counts_them(source: str) -> None:
    """In scripts with spaces and without, and in long texts."""
    for text in (*clean(source).texts, source, source * 5_000):
        assert count_words(text) == literal_words(text)


@needs_gold
def test_words_are_counted_as_the_literal_way_counts_them_on_every_real_page() -> None:
    """The two readings agree on real markup."""
    for name, html in gold_pages():
        texts = clean(html).texts
        assert list(map(count_words, texts)) == list(map(literal_words, texts)), name


@needs_gold
def test_region_is_algorithm_2_on_every_real_page() -> None:
    """The linear scan and all pairs of runs agree, on the runs of the page and on coarse ones, full of ties."""
    for name, html in gold_pages():
        runs = encode(map(count_words, scan(html).texts))
        assert region(runs) == quadratic_region(runs), name
        coarse = [max(min(run, 2), -2) for run in runs]
        assert region(coarse) == quadratic_region(coarse), name
