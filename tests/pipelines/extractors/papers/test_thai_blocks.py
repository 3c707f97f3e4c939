"""Thai block rules: attributes of blocks and selection of leaves, by worked examples."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from html import unescape
from itertools import compress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from pipelines.extractors.papers.thai_blocks import ELEMENTS, FOOTERS, BlockAttributes, clean, extract, select
from pipelines.markup.nesting import OpenElements
from tests.pipelines.pieces import pieces
from tests.pipelines.real_pages import gold_pages, needs_gold

if TYPE_CHECKING:
    from pipelines.markup.soup import Soup


def block(elements: int, hrefs: int, length: int, href_length: int) -> BlockAttributes:
    return BlockAttributes(*(array("i", [value]) for value in (0, elements, hrefs, length, href_length)))


def test_anchor_ratio_weighs_text_three_to_one_against_leaves() -> None:
    """One of four leaves linked, half of the text: AR = .75 * .5 + .25 * .25 (section III.B)."""
    assert block(4, 1, 100, 50).anchor_ratio(0) == pytest.approx(0.4375)
    assert block(0, 0, 0, 0).anchor_ratio(0) == 0


@pytest.mark.parametrize(
    ("attributes", "content"),
    [((4, 2, 100, 50), True), ((4, 4, 100, 100), False), ((3, 1, 100, 99), True), ((2, 1, 100, 99), False)],
)
def test_a_block_is_content_below_60_percent_or_with_one_link_among_more_than_two_leaves(
    attributes: tuple[int, int, int, int], content: bool
) -> None:
    """Third condition of section III.C, both alternatives."""
    assert block(*attributes).is_content(0) is content


WORKED = """<body>
<div id="menu"><a href="/a">หน้าแรก</a><a href="/b">ข่าว</a><a href="/c">กีฬา</a></div>
<div id="main"><h1><a href="/self">หัวข้อข่าว</a></h1><p>ย่อหน้าแรกของข่าว 2554</p><p>ย่อหน้าที่สอง</p></div>
<div style="display:none">ซ่อน</div><form><p>ในแบบฟอร์ม</p><p>ยังอ่านได้</p><input value="x"></form>
<div><p>Powered by CMS</p><p>x</p><p>ท้าย</p></div><script>var x = 'โค้ด';</script>
</body>"""


def test_worked_example() -> None:
    """The menu is all links; the linked headline is the one link of its block and stays; the form's text stays."""
    assert extract(WORKED).paragraphs == (
        "หัวข้อข่าว",
        "ย่อหน้าแรกของข่าว 2554",
        "ย่อหน้าที่สอง",
        "ในแบบฟอร์ม",
        "ยังอ่านได้",
        "ท้าย",
    )


def test_a_leaf_belongs_to_the_nearest_element_with_more_than_one_leaf() -> None:
    """A list of links inside an article goes by itself; the article's own texts stay."""
    html = "<div>first text<ul><li><a href=1>link one</a></li><li><a href=2>link two</a></li></ul>last text</div>"
    assert extract(html).paragraphs == ("first text", "last text")


def test_select_keeps_white_space_so_that_words_stay_apart() -> None:
    """White space alone is no leaf and always stays."""
    assert selected(clean("<p>one <b>two</b> <i>three</i></p>")) == list(range(7))
    assert extract("<p>one <b>two</b> <i>three</i></p>").paragraphs == ("one two three",)


def test_named_places_and_unclosed_links_do_not_make_a_page_a_menu() -> None:
    """``<a name>`` is no link, and a second ``<a href>`` ends the first."""
    assert extract("<div><a name=top><p>first text</p><p>second text</p></div>").paragraphs == (
        "first text",
        "second text",
    )


@pytest.mark.parametrize(
    ("html", "paragraphs"),
    [("set href= there", ("set href= there",)), ("<a name=x>one href=y</a><p>two</p>", ("one href=y", "two"))],
)
def test_an_address_in_a_text_makes_no_link(html: str, paragraphs: tuple[str, ...]) -> None:
    """Only the tag itself is asked; a page without tags was an error."""
    assert extract(html).paragraphs == paragraphs


def literal_leaves(page: Soup) -> list[tuple[str, str, int]]:
    """Rules R2: of each text its element's XPath, the readable text, and the number of the link it lies in.

    Elements are the block-level ones. A link ends with the element it began in.
    """
    leaves, elements, links = [], OpenElements("body"), 0
    open_link: tuple[int, str] = (0, "")
    for text, name, tag in zip(page.texts, (*page.names, ""), (*page.tags, ""), strict=True):
        path = elements.innermost[1]
        leaves.append((path, unescape(text).strip(), open_link[0]))
        if name == "a" and re.search(r"\shref\s*=", tag, re.IGNORECASE):
            links += 1
            open_link = links, path
        elif name == "/a":
            open_link = 0, ""
        elif name in ELEMENTS:
            elements.end_implied(name)
            elements.start(name, f"{elements.innermost[1]}/{name}[{len(leaves)}]")
        elif name[1:] in ELEMENTS:
            elements.end(name[1:])
        if not f"{elements.innermost[1]}/".startswith(f"{open_link[1]}/"):
            open_link = 0, ""
    return leaves


def literal_select(page: Soup) -> list[int]:
    """Section III: every leaf steps up to the body and counts in each block; then selection, by comparing XPaths."""
    leaves = literal_leaves(page)
    blocks: dict[str, list[int]] = {}
    for path, text, link in leaves:
        steps = [*path.split("/"), *([f"a[{link}]"] * (link > 0))] if text else []
        for depth in range(1, len(steps) + 1):
            block = blocks.setdefault("/".join(steps[:depth]), [0, 0, 0, 0])
            for column, amount in enumerate((1, link > 0, len(text), (link > 0) * len(text))):
                block[column] += amount
    in_link = Counter(link for _, text, link in leaves if link and text)
    verdicts = []
    for path, text, link in leaves:
        group = path
        while group != "body" and blocks.get(group, [0])[0] <= 1:
            group = group.rpartition("/")[0]
        elements, hrefs, length, href_length = blocks.get(group, [0, 0, 0, 0])
        ratio = 0.75 * (href_length / length) + 0.25 * (hrefs / elements) if length else 0
        wanted = (ratio < 0.6 or (hrefs < 2 and elements > 2)) and in_link[link] < 2
        footer = text.lower().startswith(FOOTERS)
        verdicts.append(not text or (not footer and len(text) >= 2 and wanted))
    return [number for number, verdict in enumerate(verdicts) if verdict]


def selected(page: Soup) -> list[int]:
    """The texts that are selected, by their numbers; white space stays."""
    found = select(page)
    leaves = found.leaves.texts.tolist()
    return sorted({*range(len(page.texts))} - set(leaves) | set(compress(leaves, found.selected)))


PIECES = pieces(
    """<div> </div> <p> </p> <a_href=x> <A_class=x_HREF=y> <a_hreflang=x> <a_name=z> </a> <span> <h2> </h2> <td>
        <tr> <hr> <b> </b> <ul> <li> </ul> <br> ข่าวใหม่ ก text copyright_x &amp; _href=z _""",
    most=60,
)


@settings(max_examples=500, deadline=None)
@given(PIECES)
def test_numbered_blocks_are_the_papers_blocks_by_xpath(html: str) -> None:
    """Sums from the last block to the first, and the nearest block with more leaves, are what XPaths give."""
    page = clean(html)
    assert selected(page) == literal_select(page)


@needs_gold
def test_the_selection_is_the_papers_on_every_real_page() -> None:
    """The two readings agree on real markup."""
    for name, html in gold_pages():
        page = clean(html)
        assert selected(page) == literal_select(page), name
