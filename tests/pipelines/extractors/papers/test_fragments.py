"""Short pieces of HTML, read at once, give the text that reading them in columns gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from pipelines.extractors.papers import dana, page_texts, r2l
from pipelines.extractors.papers.fragments import SHORT, paragraphs
from pipelines.extractors.papers.line_density import main_fragment
from pipelines.extractors.papers.tag_columns import read
from tests.pipelines.pieces import pieces
from tests.pipelines.real_pages import gold_pages, needs_gold

PIECES = pieces(
    """<p> </p> <BR> <br/> <div_class="a>b"> <div_class='c'> <div_x="> </div> <script> </script> <!-- --> <svg>
        </svg> <IMG_src=x> <i_style="display:none"> </i> <p_hidden> <a_class="hidden"> &amp; &lt; &am &nbsp; سلام ตัวอย่าง
        word < > " = _ <a_href="x"> </a> <select> </SELECT> <noscript> </noscript> <iframe_src=x> </iframe> <linK>
        <style> </style> <x-part> </x-part> <td""",
    *("\x1c", "\u3000", "<p\u3000x>"),
    most=30,
)


def by_columns(html: str) -> tuple[str, ...]:
    return page_texts.paragraphs(read(html.encode()))


@settings(max_examples=500, deadline=None)
@given(PIECES)
def test_a_piece_gives_what_columns_give(html: str) -> None:
    """Plain or not: what is dropped, hidden, quoted, in references, and text that looks like markup."""
    assert paragraphs(html) == by_columns(html)


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("a<iframe>b</iframe>c", ("a c",)),
        ("a<noscript><p>b</p></noscript>c", ("ac",)),
        ("a<style>b", ("a",)),
        ("a<svg>b<p>c", ("a b", "c")),
        ("<p title='x'>a > b</p><p title=\"x>c</p>", ("a > b", "c")),
        ("<p>a &lt;b&gt; &amp;amp;</p>", ("a <b> &amp;",)),
        ("", ()),
    ],
)
def test_worked_examples(html: str, lines: tuple[str, ...]) -> None:
    """What leaves a gap and what does not, what never ends, signs in texts."""
    assert paragraphs(html) == lines == by_columns(html)


def test_long_pieces_are_left_to_columns() -> None:
    """They are as quick there."""
    html = "<p>سلام</p>" * (SHORT // 5)
    assert paragraphs(html) == ("سلام",) * (SHORT // 5)


def test_many_elements_that_never_end_are_passed_over_in_linear_time() -> None:
    """Each name is looked for in vain once."""
    assert paragraphs("<svg>" * 20_000 + "<select></select>" * 500 + "a") == ("a",)


@needs_gold
def test_pieces_of_real_pages_give_what_columns_give() -> None:
    """Both readings agree on what R2L and DANA find."""
    for name, html in gold_pages():
        for piece in (main_fragment(html, r2l.P), main_fragment(html, dana.P, at_tags=True)):
            assert paragraphs(piece) == by_columns(piece), name
