"""The Thai block rules: attributes of blocks and selection of leaves, by worked examples."""

from __future__ import annotations

import pytest

from pipelines.extractors.blocks import Block, extract, select
from pipelines.extractors.soup import scan


def test_anchor_ratio_weighs_text_three_to_one_against_leaves() -> None:
    """One of four leaves linked, half of the text: AR = .75 * .5 + .25 * .25 (section III.B)."""
    block = Block(0, elements=4, hrefs=1, length=100, href_length=50)
    assert block.anchor_ratio == pytest.approx(0.4375)
    assert Block(0).anchor_ratio == 0


@pytest.mark.parametrize(
    ("block", "content"),
    [
        (Block(0, 4, 2, 100, 50), True),
        (Block(0, 4, 4, 100, 100), False),
        (Block(0, 3, 1, 100, 99), True),
        (Block(0, 2, 1, 100, 99), False),
    ],
)
def test_a_block_is_content_below_60_percent_or_with_one_link_among_more_than_two_leaves(
    block: Block, content: bool
) -> None:
    """Third condition of section III.C, both alternatives."""
    assert block.is_content is content


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
    """There is one verdict for each text of the soup."""
    soup = scan("<p>one <b>two</b> <i>three</i></p>")
    assert select(soup) == [True] * len(soup.texts)
    assert extract("<p>one <b>two</b> <i>three</i></p>").paragraphs == ("one two three",)


def test_named_places_and_unclosed_links_do_not_make_a_page_a_menu() -> None:
    """``<a name>`` is no link, and a second ``<a href>`` ends the first."""
    assert extract("<div><a name=top><p>first text</p><p>second text</p></div>").paragraphs == (
        "first text",
        "second text",
    )
