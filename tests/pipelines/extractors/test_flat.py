"""Texts and tags by turns: the quick look is what the careful one gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_pages import gold_pages, needs_gold

from pipelines.extractors.flat import body_start, flatten, markup_start, shown
from pipelines.extractors.soup import paragraphs, render, scan

PIECES = st.lists(
    st.sampled_from(
        """<p> </p> <br> <div_class='a>b'> <div_class="c"> </div> <script> </script> <!-- --> <svg> </svg> <IMG_src=x>
        <i_style="display:none"> </i> <p_hidden> <div_HIDDEN=x> &amp; &lt; سلام ตัวอย่าง hidden none word _ 1_<_2 3_>_2
        <a_href="x"> </a> <select> </select> <noscript> </noscript> <title> </title> <!DOCTYPE_html>""".split()
    ),
    max_size=40,
).map(lambda pieces: "".join(pieces).replace("_", " "))


@settings(max_examples=300, deadline=None)
@given(PIECES)
def test_whole_tags_are_read_as_the_careful_way_reads_them(html: str) -> None:
    """The same paragraphs come out, hidden elements, quoted signs and text that looks like markup included."""
    assert paragraphs(*flatten(html)) == render(scan(html))


@pytest.mark.parametrize(
    "html",
    [
        '<p title="a > b">text</p>',
        "<div class='a>b'>&amp;none<i style=\"display:none\">&amp;&amp;</i>",
        "<p data-x='<b class=\"c\">x</b>'>text</p>",
        "<p data-x='<script>'>text</p>",
        "<p <b>text",
        "nul\0 and \ud800 surrogate",
        "text<!-- never closed <p>x",
        "text<script>var a = 1;",
        "<svg><p>text",
        "text<a href=x",
        "a<!-- > b -->c<!-->d<!--->e<!-- x --!>f",
        "<p hidden>no<p>yes",
        "<div STYLE='color:red; DISPLAY:NONE'>no</div><div aria-hidden=true>yes</div>",
    ],
)
def test_hostile_markup_is_read_as_the_careful_way_reads_it(html: str) -> None:
    """What cannot be told at once is left to ``soup``."""
    assert paragraphs(*flatten(html)) == render(scan(html))


def test_a_quotation_mark_that_never_ends_costs_no_text() -> None:
    """The tag ends at the first ``>``."""
    assert paragraphs(*flatten('<p>one</p><p title="x>two</p><p>three</p>')) == ("one", "two", "three")


def test_hiding_most_of_a_page_hides_nothing() -> None:
    """A script will show it."""
    assert shown("<p hidden>the whole article</p>menu") == "<p hidden>the whole article</p>menu"
    assert shown("<p hidden>menu</p>the whole article") == "the whole article"


@pytest.mark.parametrize(
    ("html", "start"),
    [
        ("<head></head><BODY class=x>", 13),
        ("<bodyguard>", 0),
        ("no tag", 0),
        ("x <body>y<body>", 2),
        ("<script>'<body>'</script><body>", 25),
        ("<script>'<head></head><body>'</SCRIPT><body>", 38),
    ],
)
def test_the_body_begins_at_the_first_body_tag(html: str, start: int) -> None:
    """In any case of letters; without one the page is its own body."""
    assert body_start(html) == start


@pytest.mark.parametrize(
    ("before", "after", "start"),
    [
        ("<p>text ", "</p>", 8),
        ("<p class='x' ", ">text", 0),
        ("1 < 2 ", "", 6),
        ("a<script>if (a<b) {} ", "</script>", 1),
        ("a<SCRIPT a=b>", "b</Script>", 1),
        ("<script>x</script>y", "<script>z</script>", 19),
        ("<script>x</script>y", "", 19),
        ("a<script>x", "", 1),
        ("a<style>p>a {", "}</style>", 1),
        ("a<!-- b > c ", "-->", 1),
        ("a<!-- b > c ", "", 1),
        ("a<!-- b --> c ", "<!-- d -->", 14),
        ("a<!-- b --> c ", "-->", 14),
        ("a</script>", "</script>", 10),
    ],
)
def test_a_part_begins_where_the_markup_around_it_begins(before: str, after: str, start: int) -> None:
    """A parser that is given the part from there on drops what is tag, code or comment."""
    assert markup_start(f"{before}here{after}", len(before)) == start


@needs_gold
def test_real_pages_give_the_same_paragraphs() -> None:
    """On nearly all pages; the others have broken quotation marks."""
    different = [name for name, html in gold_pages() if paragraphs(*flatten(html)) != render(scan(html))]
    assert len(different) < 25, different
