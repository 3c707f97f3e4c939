"""Captions in no element of their own, and appeals: boxes whose link leads to a page for donations or newsletters."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto.blocks.tree_marks import APPEAL, CAPTION, mark_appeals, mark_captions
from pipelines.markup.tree import parse_tree


@pytest.mark.parametrize(
    ("address", "is_appeal"),
    [
        ("/donate", True),
        ("https://a.example/Support-Us?from=article", True),
        ("/newsletters/subscribe", True),
        ("/members/membership/cookie-policy", True),
        ("/news/donated-books", False),
        ("/news/the-supporting-actor", False),
        ("", False),
    ],
)
def test_a_box_is_an_appeal_by_the_address_of_its_link(address: str, is_appeal: bool) -> None:
    """A box has the class once, also if several words of its address are those of an appeal."""
    tree = parse_tree(f"<article><p>Prose of an article.</p><div><a href='{address}'>Join us</a></div></article>")
    mark_appeals(tree)
    assert (tree.html or "").count(APPEAL) == is_appeal


def test_links_without_an_address_are_no_appeals() -> None:
    """A place of the page and an empty attribute have no address."""
    tree = parse_tree("<div><a name=donate>Join us</a></div><div><a href>Join us</a></div>")
    mark_appeals(tree)
    assert APPEAL not in (tree.html or "")


PROSE = "The council of Millbrook agreed on Tuesday to dig a new well behind the fire station."


@pytest.mark.parametrize(
    ("before", "marked"),
    [
        (f"<h1>A well</h1><p>{PROSE}</p>", "p"),
        (f"<h1>A well</h1><p>{PROSE}</p><p>{PROSE}</p>", "p"),
        ("<h1>A well</h1><p>A well.</p>", "div"),
        (f"<p>{PROSE}</p>", "div"),
    ],
    ids=["one paragraph", "two", "no prose", "no headline"],
)
def test_a_short_article_is_no_part_of_the_appeal_below_it(before: str, marked: str) -> None:
    """The box around a link ends where the first paragraph under the headline begins."""
    tree = parse_tree(f"<div>{before.replace('<p>', '<div><p>', 1)}<p><a href='/subscribe'>Join us</a></p></div></div>")
    mark_appeals(tree)
    assert [node.tag for node in tree.css(f".{APPEAL}")] == [marked]


@pytest.mark.parametrize(
    ("address", "is_appeal"),
    [
        ("https://whatsapp.com/channel/0029", True),
        ("https://news.google.com/publications/CAAq", True),
        ("https://chat.whatsapp.com/AbC", True),
        ("https://news.google.com/", False),
        ("https://blog.whatsapp.com/channels", False),
        ("https://t.me/ministry", False),
    ],
)
@pytest.mark.parametrize(
    "line", ["Follow us for more news: <a href='{}'>here</a>", "على <a href='{}'>واتساب</a> تابعوا أخبارنا"]
)
def test_a_line_with_a_channel_of_the_paper_is_an_appeal(line: str, address: str, is_appeal: bool) -> None:
    """With any words, if it is short. Articles cite other addresses."""
    for length, expected in ((1, is_appeal), (8, False)):
        text = f"{line.format(address)} {PROSE * (length - 1)}"
        tree = parse_tree(f"<article><h1>A well</h1><p>{PROSE}</p><p>{text}</p></article>")
        mark_appeals(tree)
        assert (tree.html or "").count(APPEAL) == expected


@pytest.mark.parametrize(
    ("markup", "is_caption"),
    [
        ("{}<br><br><span><div><img></div><em>The mill</em></span><br><br>{}", True),
        ("<img><span class=photo-caption>The mill</span><p>{}</p>", True),
        ("<p>{}</p><img><em>The mill</em><p>{}</p>", True),
        ("{}<br><img><i>The mill</i><br>{}", True),
        ("<img><i>The mill</i> is shut. {}", False),
        ("<img><span class=photo>The mill</span><p>{}</p>", False),
        ("{} <em>The mill</em><br>{}", False),
        ("<p>{}</p><em>The mill</em><p>{}</p>", False),
    ],
)
def test_a_line_in_no_paragraph_is_the_caption_of_the_picture_before_it(markup: str, is_caption: bool) -> None:
    """In italics or of a class of captions, up to a line break or the next paragraph; the text stays as it is."""
    tree = parse_tree(f"<div>{markup.format(PROSE, PROSE)}</div>")
    before = (tree.text() or "").split()
    mark_captions(tree)
    assert [node.text() for node in tree.css(f".{CAPTION}")] == ["The mill"] * is_caption
    assert (tree.text() or "").split() == before
