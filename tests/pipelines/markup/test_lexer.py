"""Lexer: code is cut out of a page."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.markup.lexer import Closers, without_code


@pytest.mark.parametrize(
    ("html", "rest"),
    [
        ("a<script>if (a<b) {} </script>b", "a</script>b"),
        ("a<SCRIPT a=b>b</Script >c<style>p>a {}</style>d", "a</Script >c</style>d"),
        ("a<!-- b > c -->d<!-->e<!-- f --!>g", "adeg"),
        ("a<script><!-- <script> </script> --></script>b", "a</script>b"),
        ("a<!-- <script> -->b</script>", "ab</script>"),
        ("a<script>b", "a"),
        ("a<!-- b", "a"),
        ("a<scripts>b<p>c", "a<scripts>b<p>c"),
    ],
)
def test_code_is_cut_out_to_its_end(html: str, rest: str) -> None:
    """In any case of letters, with comments in scripts and scripts in comments; what never ends goes to the last."""
    assert without_code(html) == rest


CODE = st.lists(
    st.sampled_from(
        "<script>|<SCRIPT a>|</script>|</Script\n|<style/|</style>|<!--|-->|--!>|<!-->|<!--->|-|->|>|<|<p>|</|<!-"
        "|<scripts>|a|<script|<style>|سلام".split("|")
    ),
    max_size=25,
).map("".join)


def literal_rest(html: str) -> str:
    """Cut out code one piece after the other, by the rules of the lexer."""
    closers, pieces, position = Closers(html), list[str](), 0
    while match := re.compile(r"<(?:!--|(script|style)(?=[\s/>]))", re.IGNORECASE | re.ASCII).search(html, position):
        pieces.append(html[position : match.start()])
        if match[1]:
            position = closers.after(match[1].lower(), match.end()) or match.end()
        else:
            position = closers.after_declaration("<!--", match.end())
    return "".join(pieces) + html[position:]


@settings(max_examples=500, deadline=None)
@given(CODE)
def test_code_is_cut_out_as_the_lexer_reads_it(html: str) -> None:
    """Comments in scripts, scripts in comments, what never ends, and what only looks like code."""
    assert without_code(html) == literal_rest(html)


def test_code_that_never_ends_is_passed_over_in_linear_time() -> None:
    """However often it begins."""
    for unit in ("<!-- ", "<script>", "<style>", "<script><!-- ", "<!-- --", "<script></style>"):
        assert without_code("a" + unit * 200_000) == "a"
