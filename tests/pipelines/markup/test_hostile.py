"""Hostile markup that strains tree builders is detected by counts."""

from __future__ import annotations

import pytest

from pipelines.markup.hostile import strain
from pipelines.markup.lexer import markup


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ("<div>" * 40_000, "nest 40000 deep"),
        ("".join(f"<b a={n}>" for n in range(600)) + "<p>x</p>" * 5_000, "rebuilt"),
        ("<p>x</p>" * 60_000, "60000 elements"),
        ("<p>x" * 5_000, ""),
        ("<div><p>x</p></div>" * 5_000, ""),
        ("<br>" * 5_000 + "</div>" * 5_000, ""),
        ("", ""),
    ],
)
def test_strain_names_what_is_wrong_and_lets_ordinary_pages_pass(html: str, problem: str) -> None:
    """Unclosed paragraphs, void elements and stray end tags are no nesting."""
    found = strain(tag.name for tag in markup(html))
    assert problem in found if problem else found == ""
