"""Growth: no extractor takes long for markup that is made to be scanned repeatedly."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.extractors.registry import get
from pipelines.markup.lexer import Closers

SECONDS = 3.0
"""Of the processor: each takes a fifth of it at most, and took twice as much before it was mended, most far more."""
PROSE = "<p>The council said on Monday that it would mend the old bridge, and that work begins in spring.</p>" * 20
FIGURES = ("<figure>" * 1_900 + "<p>A caption of some words" + "</figure>" * 1_900) * 10
PAGES = {
    "comments of one end only": f"<body>{PROSE}" + "<!--a--!>" * 40_000,
    "body tags in a script": "<head><script>" + "'><body>'" * 15_000 + f"</script></head><body>{PROSE}",
    "body tags in many scripts": "<head>" + "<SCRIPT>'><body>'</SCRIPT>" * 8_000 + f"</head><body>{PROSE}",
    "a style of spaces": "<body><p style=" + " " * 1_000_000 + f" display hidden>{PROSE}",
    "figures in figures": f"<body>{FIGURES}{PROSE}",
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["auto", "blocks", "bte", "density"])
def test_what_is_looked_for_in_vain_is_not_looked_for_again(name: str, page: str) -> None:
    """Ends of comments, bodies, marks of hidden elements, and what figures hold."""
    started = time.thread_time()
    get(name).extract(PAGES[page])
    assert time.thread_time() - started < SECONDS


@given(st.lists(st.sampled_from(["-", "--", ">", "!", "-->", "--!>", "a"]), max_size=12).map("".join))
def test_a_comment_ends_at_the_first_of_its_ends(rest: str) -> None:
    """``>`` and ``->`` are ends right at its beginning, ``-->`` and ``--!>`` behind it (HTML standard, 13.2.5)."""
    at_once = [len(end) for end in (">", "->") if rest.startswith(end)]
    later = [at + len(end) for end in ("-->", "--!>") if (at := rest.find(end)) >= 0]
    assert Closers(f"<!--{rest}").after_declaration("<!--", 4) - 4 == min([*at_once, *later, len(rest)])
