"""HTML tree: one module parses, and markup that is built to be slow is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.markup.hostile import FORMATTING
from pipelines.markup.tree import parse_tree, shown_text
from tests.pipelines.pieces import pieces

ARTICLE = "<html><body><h1>Tin</h1><p>Một <b>đoạn</b> <a href=/1>liên kết</a>.</p></body></html>"


def test_an_ordinary_page_is_parsed() -> None:
    assert parse_tree(ARTICLE).css_first("h1").text() == "Tin"


@pytest.mark.parametrize(
    "hostile",
    [
        "<div>" * 40_000,
        "<b><i><font><em>" * 2_000 + "<p>x" * 3_000,
        "</b>" * 3_000 + "".join(f"<b id={number}><p>x" for number in range(3_000)),
        "<table>" * 30_000,
        "<p " + " ".join(f"a{number}" for number in range(20_000)) + ">",
        "<p " + " ".join(f"a{number}='>'" for number in range(20_000)) + ">",
        "<p>x</p>" * 12_000 + "<p " + " ".join(f"a{number}" for number in range(20_000)) + ">",
        "<p>x</p ".ljust(20_000) + " ".join(f"a{number}=x" for number in range(20_000)) + ">",
    ],
    ids=[
        "nested divs",
        "formatting left open",
        "formatting left open behind stray end tags",
        "nested tables",
        "many attributes",
        "many attributes with marks in them",
        "many attributes among many elements",
        "many attributes of an end tag",
    ],
)
def test_markup_that_would_take_seconds_gives_an_empty_tree(hostile: str) -> None:
    assert parse_tree(hostile + ARTICLE).css("p") == []


@pytest.mark.parametrize("end", [">", "\n x>", "/>"], ids=["plain", "with an attribute", "as if it had no content"])
@pytest.mark.parametrize("name", sorted(FORMATTING))
def test_every_formatting_element_that_is_left_open_gives_an_empty_tree(name: str, end: str) -> None:
    """With any characters after its name, and in capitals."""
    assert parse_tree(f"<{name.upper()}{end}" * 200 + "<p>x" * 6_000).css("p") == []


def test_many_tags_side_by_side_are_no_reason_to_refuse_a_page() -> None:
    """A long list of short paragraphs is parsed."""
    assert len(parse_tree("<p>x</p>" * 15_000).css("p")) == 15_000


@pytest.mark.parametrize(
    "long",
    [
        f'<img src="data:image/png;base64,{"Ab/+" * 20_000}">',
        "<div data-state='" + '{"key": "some > words / here"}, ' * 2_000 + "'></div>",
        "<script>for (i = 0; i<n; i++) {" + "a = b; " * 10_000 + "}</script>",
        f"<p>1 < 2, {'so it is said, ' * 5_000}</p>",
        f"<!-- {'a b ' * 10_000} -->",
    ],
    ids=["picture", "state", "script", "text", "comment"],
)
def test_long_values_and_long_texts_are_no_reason_either(long: str) -> None:
    """What counts is the number of attributes."""
    assert parse_tree(long + ARTICLE).css_first("h1").text() == "Tin"


def test_links_that_are_never_closed_are_no_reason_either() -> None:
    """A second link closes the first."""
    assert len(parse_tree("<a href=/x>y" * 9_000).css("a")) == 9_000


@settings(max_examples=50, deadline=None)
@given(
    st.text() | pieces("< > & &amp; </h1> <h1> <b> </b> <p> <table> </td> <!-- --> <script> </body> <svg> a=' \" \0")
)
def test_later_markup_removes_no_earlier_text(rest: str) -> None:
    """Any text and any markup is parsed."""
    assert parse_tree(f"<h1>Tin</h1>{rest}").css_first("h1").text() == "Tin"


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<style>.css-1{color:red}</style><span>Poli<b>tics</b></span>", "Politics"),
        ("<script>track({id: 1})</script>Sport<svg><style>.a{}</style></svg>", "Sport"),
        ("Braces {as such} are <i>shown</i>", "Braces {as such} are shown"),
        ("<style>.css-1{}</style>", ""),
        ("Plain <em>text</em>", "Plain text"),
    ],
)
def test_style_sheets_and_scripts_in_an_element_are_none_of_its_text(inside: str, text: str) -> None:
    """Components that carry theirs along show what is left of them."""
    link = parse_tree(f'<a href="/a">{inside}</a>').css_first("a")
    assert link is not None
    assert shown_text(link) == text
