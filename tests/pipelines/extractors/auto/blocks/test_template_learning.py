"""Template learning: blocks that recur on different pages of a site, never the text of an article."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.auto.blocks.site_template import KEY, block_keys, folded, recurring
from pipelines.extractors.auto.blocks.template_learning import (
    MOST_BLOCKS,
    THRESHOLDS,
    WEIGHT,
    Survey,
    Thresholds,
    learn,
    survey_html,
)
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.markup.tree import parse_tree

TEXT = "The government said on Monday that it would build new bridges over the river {}, and that work begins soon. "


def survey(*blocks: tuple[int, int]) -> Survey:
    """A page of (key, letters)."""
    keys, weights = zip(*blocks, strict=True)
    return Survey(np.array(keys, KEY).tobytes(), np.array(weights, WEIGHT).tobytes())


def own(page: int, letters: int = 1000) -> tuple[int, int]:
    """A block that is on no other page."""
    return 10**6 + page, letters


def keys(template: bytes) -> list[int]:
    return np.frombuffer(template, KEY).tolist()


@pytest.mark.parametrize(
    ("on", "letters", "of", "recurs"),
    [
        (3, 20, 5, True),
        (2, 20, 5, False),
        (3, 20, 10, True),
        (3, 20, 11, False),
        (4, 200, 5, True),
        (3, 200, 5, False),
        (5, 200, 10, True),
        (4, 200, 9, False),
        (4, 20, 4, False),
    ],
)
def test_a_text_recurs_from_a_share_and_a_number_of_pages_and_a_paragraph_from_larger_ones(
    on: int, letters: int, of: int, recurs: bool
) -> None:
    """So many of so many pages have a block of so many letters; with fewer pages than five nothing is learned."""
    pages = [survey(own(page), *([(7, letters)] if page < on else [])) for page in range(of)]
    learned = learn(pages)
    assert keys(learned.template) == ([7] if recurs else [])
    assert learned.pages == of
    assert len(learned) == recurs


def test_an_article_at_many_addresses_is_one_page() -> None:
    """Its text is on four of nine pages, and on one of six different ones."""
    article = [(key, 300) for key in range(100, 110)]
    copies = [survey((1, 50), own(page, 100), *article) for page in range(4)]
    others = [survey((1, 50), own(page)) for page in range(4, 9)]
    learned = learn(copies + others)
    assert learned.pages == 6
    assert keys(learned.template) == [1]


def test_pages_that_are_all_the_same_teach_nothing() -> None:
    assert learn([survey((1, 500), (2, 500))] * 8).template == b""


def test_long_boilerplate_does_not_make_different_pages_one() -> None:
    """Short news among a template of ten times their length."""
    pages = [survey((1, 2000), own(page, 200)) for page in range(6)]
    assert keys(learn(pages).template) == [1]


def test_a_template_is_bounded_and_keeps_what_is_on_most_pages() -> None:
    pages = [survey(own(page, 9000), *((key, 9) for key in range(5 if page else 3))) for page in range(5)]
    assert keys(learn(pages, Thresholds(most=3)).template) == [0, 1, 2]


@pytest.mark.parametrize("broken", [Survey(), Survey(b"1234567", b"1234"), Survey(b"12345678", b""), Survey(b"", b"1")])
def test_a_survey_that_is_not_sound_is_passed_over(broken: Survey) -> None:
    """Workers may have been taken over by what they read."""
    pages = [survey(own(page), (7, 20)) for page in range(5)]
    assert learn([broken, *pages]) == learn(pages)


blocks = st.dictionaries(st.integers(0, 30), st.integers(1, 300), min_size=1, max_size=12)
pages_of_blocks = st.lists(blocks.map(lambda held: survey(*held.items())), min_size=5, max_size=12)


@settings(max_examples=60, deadline=None)
@given(pages_of_blocks, st.randoms())
def test_the_order_of_the_pages_makes_no_difference(pages: list[Survey], chance: object) -> None:
    shuffled = list(pages)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert learn(shuffled) == learn(pages)


@settings(max_examples=60, deadline=None)
@given(pages_of_blocks)
def test_a_page_that_has_nothing_in_common_with_the_others_never_adds_a_text(pages: list[Survey]) -> None:
    before = learn(pages)
    after = learn([*pages, survey(own(1))])
    if before.pages >= THRESHOLDS.sample:
        assert set(keys(after.template)) <= set(keys(before.template))


@settings(max_examples=60, deadline=None)
@given(pages_of_blocks)
def test_what_is_learned_stands_on_enough_pages(pages: list[Survey]) -> None:
    held = [set(keys(page.keys)) for page in pages]
    for key in keys(learn(pages).template):
        assert sum(key in page for page in held) >= max(THRESHOLDS.pages, THRESHOLDS.share * learn(pages).pages)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3 comments", " 14\ncomments "),
        ("May 12, 2024 08:15", "May 1, 2023  9:45"),
        ("صفحه ۱۲", "صفحه ۳"),
    ],
)
def test_numbers_and_white_space_make_no_difference(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_numbers_alone_are_not_all_the_same() -> None:
    """The cells of a table are content."""
    assert folded("27.5 %") != folded("12.5 %")


def page(number: int, teaser: str = "") -> str:
    body = "".join(f"<p>{part}. {TEXT.format(chr(65 + number) * 3) * 3}</p>" for part in "abcd")
    return (
        f"<html><head><title>Bridges {number}</title></head><body><nav><a href='/'>Home</a></nav>"
        f"<div class='story n{number}'><h1>Bridges {number}</h1>{body}"
        "<p>Read our newsletter every morning at 8</p></div>"
        f"<ul class='teasers'><li>{teaser}</li></ul></body></html>"
    )


def test_a_line_that_is_on_every_page_is_learned_and_the_articles_are_not() -> None:
    """From pages as they come, with numbers in text and classes."""
    learned = learn(survey_html(page(number)) for number in range(6))
    blocks = walk(parse_tree(page(9)))
    found = [text for text, out in zip(blocks.texts, recurring(blocks, learned.template), strict=True) if out]
    assert found == ["Home", "Read our newsletter every morning at 8"]


@pytest.mark.parametrize(("places", "stays"), [(1, False), (2, False), (3, True), (6, True)])
def test_sentences_in_many_places_belong_to_texts_that_repeat_themselves(places: int, stays: bool) -> None:
    """Legal notices and prayers; an appeal is in few places of an article."""
    repeated = [f"Notice {chr(97 + at) * 3} is hereby given to all creditors of the company below." for at in range(6)]

    def reported(number: int) -> str:
        own = [f"<p>{chr(65 + number) * 3} {at} {TEXT.format(chr(97 + number) * 3)}</p>" for at in range(8)]
        parts = [f"<p>{line}</p>{own[at]}" for at, line in enumerate(repeated[:places])]
        return f"<div>{own[7]}{''.join(parts)}</div>"

    learned = learn(survey_html(reported(number)) for number in range(8))
    blocks = walk(parse_tree(reported(9)))
    marked = recurring(blocks, learned.template)
    assert [marked[blocks.texts.index(line)] for line in repeated[:places]] == [not stays] * places


@pytest.mark.parametrize(
    ("below", "stays"),
    [
        ("<p>{}</p>", True),
        ("<p>{}</p><p>Read on</p>", True),
        ("<p>Read on</p>", False),
        ("<p><a href=/other>{}</a></p>", False),
        ("<ul><li><a href=/a>Rain</a></li></ul>", False),
        ("", False),
    ],
    ids=["prose", "prose first", "short", "teaser", "links", "nothing"],
)
def test_a_recurring_heading_stays_above_the_articles_own_prose(below: str, stays: bool) -> None:
    """A heading of many articles is no template above text of this page; above links and boxes it is."""

    def reported(number: int) -> str:
        prose = f"{chr(65 + number) * 3} says {TEXT.format(chr(97 + number) * 3) * 2}"
        return f"<div><p>{prose} first</p><h2>What we know</h2>{below.format(prose)}</div>"

    learned = learn(survey_html(reported(number)) for number in range(8))
    blocks = walk(parse_tree(reported(9)))
    marked = recurring(blocks, learned.template)
    assert marked[blocks.texts.index("What we know")] is not stays


def test_what_a_list_of_teasers_repeats_on_every_page_is_not_left_out_of_the_article() -> None:
    """The lead of article 9 stands in the margin of all others: another place, another key."""
    lead = f"a. {TEXT.format('JJJ') * 3}"
    learned = learn(survey_html(page(number, lead)) for number in range(6))
    blocks = walk(parse_tree(page(9)))
    at = [text.strip() for text in blocks.texts].index(lead.strip())
    assert not recurring(blocks, learned.template)[at]
    assert recurring(walk(parse_tree(page(9, lead))), learned.template)[-1]


def test_keys_stay_what_they_are() -> None:
    """Stored templates name blocks by them: another key for the same block needs another SCHEME."""
    blocks = walk(parse_tree("<div class='a b12'><p>Read  7 more</p><ul><li><b>x</b></ul></div>"))
    assert block_keys(blocks).tolist() == [16571542486984745916, 1883543930884756420]


def test_a_huge_page_gives_a_bounded_survey() -> None:
    found = survey_html("".join(f"<p>{'x' * (number % 50)} {chr(0x4E00 + number)}</p>" for number in range(9000)))
    assert len(found.keys) == MOST_BLOCKS * KEY.itemsize
    assert found.sound


@pytest.mark.parametrize("html", ["", "\0", "<p>", "<b>" * 50_000, "<p>\ud800</p>"])
def test_any_page_can_be_surveyed(html: str) -> None:
    """Empty, broken and hostile ones too."""
    assert len(survey_html(html).keys) <= KEY.itemsize


def test_linked_sentences_in_many_places_are_template() -> None:
    """Teasers between the paragraphs are no sentences of a text that repeats itself."""
    teasers = [f"Read also what {chr(97 + at) * 3} told the council about the new bridge." for at in range(4)]

    def reported(number: int) -> str:
        own = [f"<p>{chr(65 + number) * 3} {at} {TEXT.format(chr(97 + number) * 3)}</p>" for at in range(5)]
        return own[4] + "".join(f"<p><a href=/{at}>{line}</a></p>{own[at]}" for at, line in enumerate(teasers))

    blocks = walk(parse_tree(reported(9)))
    marked = recurring(blocks, learn(survey_html(reported(number)) for number in range(8)).template)
    assert all(marked[blocks.texts.index(line)] for line in teasers)
