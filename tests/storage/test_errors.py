"""Words of errors that users see."""

from __future__ import annotations

import pytest

from storage.errors import LockedError


@pytest.mark.parametrize(
    ("sites", "words"),
    [
        (("a",), "another crawl holds a"),
        (("a", "b"), "another crawl holds 2 sites: a, b"),
        (tuple("abcdefg"), "another crawl holds 7 sites: a, b, c, d, e, 2 more"),
    ],
)
def test_the_error_of_locked_sites_counts_them_and_names_five(sites: tuple[str, ...], words: str) -> None:
    assert str(LockedError(sites)) == words
