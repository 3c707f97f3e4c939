"""What is markup in a page: where the body begins, and what is code."""

from __future__ import annotations

import pytest

from pipelines.extractors.lexer import body_start, without_code


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
    assert without_code(f"<!-- head -->{html}", 13) == rest
