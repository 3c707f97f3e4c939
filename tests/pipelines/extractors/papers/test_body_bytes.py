"""Body of a page as bytes: its beginning, and code in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.papers.body_bytes import body_start, encoded, without_code
from pipelines.markup.lexer import Closers


@pytest.mark.parametrize(
    ("html", "start"),
    [
        ("<head></head><BODY class=x>", 13),
        ("<bodyguard>", 0),
        ("no tag", 0),
        ("x <body>y<body>", 2),
        ("<script>'<body>'</script><body>", 25),
        ("<script>'<head></head><body>'</SCRIPT><body>", 38),
        ("<script>'<style></style> <body>'</script><body>", 41),
        ("<script>1</script><style>a {}</style> <body><script>2</script>", 38),
        ("<style>/* <body> */</style><body>", 27),
        ("<body></script>", 0),
    ],
)
def test_the_body_begins_at_the_first_body_tag(html: str, start: int) -> None:
    """In any case of letters; without one the page is its own body."""
    assert body_start(html.encode()) == start
    assert encoded(html) == html[start:].encode()


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
    assert without_code(html.encode()) == rest.encode()


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
    assert without_code(html.encode()).decode() == literal_rest(html)


def test_code_that_never_ends_is_passed_over_in_linear_time() -> None:
    """However often it begins."""
    for unit in ("<!-- ", "<script>", "<style>", "<script><!-- ", "<!-- --", "<script></style>"):
        assert without_code(b"a" + unit.encode() * 200_000) == b"a"


def test_what_no_file_can_carry_is_left_out() -> None:
    """NULs go, and lone surrogates are replaced."""
    assert encoded("a>\0<body>b\0\ud800") == "<body>b\ufffd".encode()
