"""Title overlap of blocks: words of the title in any script, and the element of the headline."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.auto.blocks.features import (
    MAX_WORD_BLOCKS,
    MAX_WORDS,
    BlockWords,
    folded,
    measure,
    stems,
    under_headline,
)
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.markup.tree import parse_tree


def page(body: str, title: str = "") -> PageBlocks:
    return PageBlocks(walk(parse_tree(f"<html><head><title>{title}</title></head><body>{body}</body></html>")))


TITLES = {
    "inflected": ("Мост открывается", "новые мосты открывают"),
    "Arabic, prefixed": ("جسور جديدة", "والجسور"),
    "Chinese": ("大桥通车", "昨日大桥终于"),
    "Thai": ("สะพานใหม่", "เปิดสะพานวันนี้"),
    "Vietnamese": ("Thành phố xây cầu", "tại thành phố"),
    "case": ("BRIDGES", "two bridges"),
}


@pytest.mark.parametrize(("title", "text"), TITLES.values(), ids=TITLES)
def test_a_block_that_speaks_of_the_title_is_known_in_every_script(title: str, text: str) -> None:
    """Endings, prefixes, scripts without spaces and capitals do not matter; the other block shares nothing."""
    columns = measure(page(f"<p>{text}</p><p>?? 12</p>", title))
    assert columns["title_dense"][0] > 0
    assert columns["title_dense"][1] == 0
    assert columns["title_any"].tolist() == [True, False]


def test_words_are_found_in_their_blocks_only() -> None:
    """Not across two blocks, each block once."""
    words = BlockWords(["red bridge bridge", "a brid", "ge", "Bridges!"])
    assert words.blocks("bridge") == [0, 3]
    assert words.blocks("brid") == [0, 1, 3]


@given(st.text() | st.text(st.characters(categories=["Lu", "Lt", "Ll", "Cs"])))
@settings(max_examples=200, deadline=None)
def test_letters_are_folded_as_python_folds_them(text: str) -> None:
    """Those that become several, those beyond the basic plane and lone surrogates too."""
    assert folded(text) == text.casefold()


def test_a_word_in_too_many_blocks_is_ignored() -> None:
    """As many as ``MAX_WORD_BLOCKS`` are listed, one more and none is."""
    assert len(BlockWords(["Paper"] * MAX_WORD_BLOCKS).blocks("paper")) == MAX_WORD_BLOCKS
    assert BlockWords(["Paper"] * (MAX_WORD_BLOCKS + 1)).blocks("paper") == []


def test_rare_words_count_more() -> None:
    """Of two words of a text, the one that every block has says less."""
    share = BlockWords(["daily", "daily", "daily bridge", "bread"]).share("Daily Bridge")
    assert share[2] == pytest.approx(1)
    assert 0 < share[0] < 0.5
    assert share[3] == 0


def test_few_words_of_a_long_title_are_looked_for() -> None:
    """However long it is."""
    letters = str.maketrans("0123456789", "abcdefghij")
    assert len(stems(" ".join(str(number).translate(letters) for number in range(10**5)))) <= MAX_WORDS


def test_the_smallest_element_with_a_headline_and_a_short_article_is_found() -> None:
    """Not the one with the headline alone, nor the page."""
    line = "The government said on Monday that it would build 12 new bridges, and that work begins soon. "
    blocks = page(f"<div><header><h1>Bridges</h1></header><p>{line * 2}</p></div><div><p>{line * 9}</p></div>")
    assert under_headline(blocks, np.array([0.0, 1.0, 0.5]) * blocks.weight).tolist() == [True, True, False]
    alone = page(f"<p>{line}</p>")
    assert not under_headline(alone, alone.weight).any()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=8), st.text(max_size=60))
def test_shares_of_any_text_are_between_0_and_1(texts: list[str], text: str) -> None:
    """One for each block, all words found or none."""
    share = BlockWords(texts).share(text)
    assert share.shape == (len(texts),)
    assert (share >= 0).all()
    assert (share <= 1 + 1e-9).all()


def test_an_infobox_under_the_headline_is_not_the_article() -> None:
    """An element with the headline must hold a fair share of the likely text."""
    box = (
        "<div><h1>A long history</h1><table><tr><td>"
        + "Founded in 1802, area 41 km. " * 20
        + "</td></tr></table></div>"
    )
    body = "<p>" + "A paragraph of the long history, with many words in it. " * 20 + "</p>"
    blocks = page(f"<body><div>{box}{body * 40}</div></body>")
    assert under_headline(blocks, blocks.weight).all()
