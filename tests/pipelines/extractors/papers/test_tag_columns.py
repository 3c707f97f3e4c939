"""Page in columns: its texts and tags equal those of the scan of one tag after the other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from pipelines.extractors.papers.body_bytes import encoded
from pipelines.extractors.papers.page_texts import paragraphs as shown_paragraphs
from pipelines.extractors.papers.page_texts import texts_of
from pipelines.extractors.papers.tag_columns import Page, read
from pipelines.markup.soup import render, scan
from pipelines.markup.tag_codes import NAMES
from tests.pipelines.pieces import pieces
from tests.pipelines.real_pages import gold_pages, needs_gold

PIECES = pieces(
    """<p> </p> <br> <div_class='a>b'> <div_class="c"> </div> <script> </script> <!-- --> <svg> </svg> <IMG_src=x>
        <i_style="display:none"> </i> <p_hidden> <div_HIDDEN=x> &amp; &lt; سلام ตัวอย่าง hidden none word _ 1_<_2 3_>_2
        <a_href="x"> </a> <select> </select> <noscript> </noscript> <title> </title> <!DOCTYPE_html> <h2> </H2>
        <x-part> </x-part> <x-part_hidden> <figcaption> </figcaption> <blockquote/> <hr>"""
)


def paragraphs(html: str) -> tuple[str, ...]:
    return shown_paragraphs(read(encoded(html)))


def names(page: Page) -> list[str]:
    return [f"{'/' * (code & 1)}{NAMES[code >> 1]}" for code in page.codes.tolist()]


@settings(max_examples=500, deadline=None)
@given(PIECES)
def test_a_page_is_read_as_the_careful_way_reads_it(html: str) -> None:
    """The same paragraphs come out, hidden elements, quoted signs and text that looks like markup included."""
    assert paragraphs(html) == render(scan(html))


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<",
        "</",
        "<a",
        "text",
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
        "a<![CDATA[b > c]]>d<?e?>f</ g>h",
        "<p hidden>no<p>yes",
        "<div STYLE='color:red; DISPLAY:NONE'>no</div><div aria-hidden=true>yes</div>",
        "<p hidden>the whole article</p>menu",
        "<p hidden>menu</p>the whole article",
        "<p hidden>سلام</p>سلام!",
    ],
)
def test_hostile_markup_is_read_as_the_careful_way_reads_it(html: str) -> None:
    """Ends of pages within tags, quotation marks, comments with odd ends, what is hidden for good and what is not."""
    assert paragraphs(html) == render(scan(html))


@pytest.mark.parametrize("name", [name for name in NAMES if name and name not in {"script", "style"}])
def test_names_are_told_apart(name: str) -> None:
    """Short and long ones, in any case, with attributes, and not names that begin alike."""
    page = read(f"<{name.upper()} a=b>x</{name}>y<{name}-x>z<{name}/>".encode())
    assert set(names(page)) <= {name, f"/{name}", ""}
    assert "" in names(page) or not page.codes.size


def test_parts_of_large_pages_are_joined() -> None:
    """Tags that lie across the borders of the parts that are looked at by turns."""
    unit = "<div class='x'><p>سلام <b>دنیا</b></p><!-- c --><script>1 < 2</script></div>"
    page = read((unit * 30_000).encode())
    assert names(page) == ["div", "p", "b", "/b", "/p", "/div"] * 30_000
    assert len(texts_of(page).places) == 60_000


def test_a_quotation_mark_that_never_ends_costs_no_text() -> None:
    """The tag ends at the first ``>``."""
    assert paragraphs('<p>one</p><p title="x>two</p><p>three</p>') == ("one", "two", "three")


@needs_gold
def test_real_pages_give_the_same_paragraphs() -> None:
    """On nearly all pages; the others have broken quotation marks."""
    bodies = ((name, html, encoded(html).decode()) for name, html in gold_pages())
    different = [name for name, html, body in bodies if paragraphs(html) != render(scan(body))]
    assert len(different) < 25, different
