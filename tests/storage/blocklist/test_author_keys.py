"""Keys of author names: compared quickly, for any name that a page states."""

from __future__ import annotations

import pytest

from storage.blocklist.author_keys import author_keys

LONGEST = 200
"""Characters of an author that is stored."""


@pytest.mark.parametrize("piece", [".", "a.", "a. ", "a.b", " and ", "a ", "a \u0648a ", "- ", ",", "a,b ", "\u0648"])
def test_no_author_takes_long(piece: str) -> None:
    """Of dots alone the titles were looked for in all ways to part them: such a byline would never have been read."""
    author = (piece * LONGEST)[:LONGEST]
    assert author_keys(author) or not author.strip()
