"""A page as bytes: where its body begins, and what is code."""

from __future__ import annotations

import pytest

from pipelines.extractors.source import body_start, encoded, without_code


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


def test_what_no_file_can_carry_is_left_out() -> None:
    """NULs go, and lone surrogates are replaced."""
    assert encoded("a>\0<body>b\0\ud800") == "<body>b\ufffd".encode()
