"""Opponents: the methods that the papers compare with follow their descriptions, by small examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.lab import opponents
from pipelines.extractors.lab.opponents import C2, OPPONENTS
from pipelines.extractors.registry import get
from pipelines.markup.soup import scan

WORDS = "one two three four five six seven eight nine ten"
MENU = "<ul>" + "<li><a href=/x>go</a></li>" * 30 + "</ul>"
ARTICLE = f"{MENU}<div><p>{f'{WORDS} ' * 12}</p><p>{f'{WORDS} ' * 12}</p></div>{MENU}"


def finn(html: str) -> list[str]:
    """Finn's search, cubic: of all i and j the first with most tags outside and words inside; its words."""
    parts = html.replace("<", "\0<").replace(">", ">\0").split("\0")
    found = [token for part in parts for token in ([part] if part.startswith("<") else part.split())]
    tags = [token.startswith("<") for token in found]
    best, region = 0, (0, 0)
    for i in range(len(found)):
        for j in range(i, len(found)):
            objective = sum(tags[:i]) + sum(not tag for tag in tags[i : j + 1]) + sum(tags[j + 1 :])
            if not tags[i] and not tags[j] and objective > max(best, sum(tags)):
                best, region = objective, (i, j + 1)
    return [token for token in found[slice(*region)] if not token.startswith("<")]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["<p>", "</p>", "<b>", "<script>", "a ", "b c ", "d "]), max_size=25).map("".join))
def test_bte_original_is_finns_search(html: str) -> None:
    """The linear segment holds the words of the cubic search on the raw source, code among them, ties included."""
    assert get("bte-original").extract(html).text.split() == finn(html)


def test_bte_original_reads_code_as_words() -> None:
    """Without Step 0 a script of many words is the main content; with it the article is."""
    html = f"<p>a short text</p><i><b><u>{'var a = b ; ' * 30}</u></b></i>".replace("<u>", "<script>")
    assert "var a" in get("bte-original").extract(html).text


@pytest.mark.parametrize("name", [extractor.name for extractor in OPPONENTS if extractor.name != "fe"])
def test_an_article_between_menus_is_found(name: str) -> None:
    """The plain case all of them were made for; ``fe`` returns one block only."""
    text = get(name).extract(ARTICLE).text
    assert text.split().count("seven") >= 20
    assert text.split().count("go") <= 6


def test_tokens_are_words_and_tags_in_order() -> None:
    """A word stands between white space or tags."""
    soup = scan("<p>a b<b>c</b></p>d")
    assert opponents.is_tag(soup).tolist() == [True, False, False, True, False, True, True, False]
    assert opponents.selected(soup, np.array([True, False, True, True])) == ("ac", "d")


def test_a_low_section_needs_windows_in_a_row() -> None:
    """A long stretch of words is low, a short one is not, and a page shorter than the windows stays whole."""
    page = np.array([True] * 200 + [False] * 300 + [True] * 200 + [False] * 20 + [True] * 200)
    low = opponents.low_sections(page)
    assert low[225:475].all()
    assert not low[:200].any()
    assert not low[500:].any()
    assert opponents.low_sections(page[:50]).all()


def test_blurring_gives_the_weighted_share_of_content_around() -> None:
    """It is 1 within content, 0 within code, half where they meet, and nothing beyond the ends counts."""
    ratio = opponents.blurred(np.repeat([True, False], 400), 40)
    assert ratio[[0, 200, 600, 799]].tolist() == pytest.approx([1, 1, 0, 0])
    assert ratio[399] == pytest.approx(0.5, abs=0.05)


def test_only_accb_forgives_links() -> None:
    """In a text full of links ``ccb`` finds code, ``accb`` content."""
    html = f"<p>{'a word and <a href=/a/long/address/of/a/page>a link</a> and ' * 40}</p>"
    assert len(get("ccb").extract(html).text) < len(get("accb-40").extract(html).text)


@pytest.mark.parametrize(
    ("lengths", "region"),
    [
        ([], (0, 0)),
        ([5, 5], (0, 0)),
        ([5, 100, 5, 100, 5], (1, 4)),
        ([100, *[5] * C2, 90, 90], (C2 + 1, C2 + 3)),
        ([100, *[5] * (C2 - 1), 90], (0, C2 + 1)),
    ],
)
def test_the_densest_region_joins_dense_strings_that_are_near(lengths: list[int], region: tuple[int, int]) -> None:
    """C2 places away belongs together, one more does not; the region of most characters wins."""
    assert opponents.densest(lengths) == region


def test_a_quota_counts_linked_characters_of_a_block() -> None:
    """A block with 40 % of its text in links passes 50 and 75, not 25."""
    html = "<p>123456<a href=x>7890</a></p>"
    assert [bool(get(f"lqf-{quota}").extract(html).text) for quota in (25, 50, 75)] == [False, True, True]


def test_features_choose_blocks_of_text() -> None:
    """``fe`` returns the longest block, ``kfe`` all that are like it; pictures outweigh a short text."""
    long, middle = [letter * 200 for letter in "xyz"], "m" * 80
    html = "".join(f"<p>{text}</p>" for text in (*long, middle, "short<img><img>", "tiny"))
    assert opponents.fe(html).paragraphs == (long[0],)
    assert opponents.kfe(html).paragraphs == tuple(long)
