"""What happens to an extraction between the page and the corpus."""

from __future__ import annotations

import pytest

from pipelines.process import clean
from storage.records import Extraction


@pytest.mark.parametrize(
    ("paragraphs", "kinds", "expected"),
    [
        (("Head", "Text"), "hp", (("Head", "Text"), "hp")),
        (("Head", " \u200b ", "Text"), "hqp", (("Head", "Text"), "hp")),
        (("one\u2028two", "x\n\n\n\ny"), "lc", (("one", "two", "x", "y"), "llcc")),
        (("Head", "\ufeff", "Text"), "", (("Head", "Text"), "")),
    ],
    ids=["clean already", "a paragraph vanishes", "a paragraph becomes lines", "kinds unknown"],
)
def test_kinds_stay_with_their_lines(paragraphs: tuple[str, ...], kinds: str, expected: tuple[object, str]) -> None:
    """There is a letter for each line of the text afterwards, or none at all."""
    found = clean(Extraction(paragraphs, "any", "1", kinds=kinds))
    assert (found.paragraphs, found.kinds) == expected


def test_captions_and_comments_are_cleaned_like_the_text() -> None:
    """NFC, no controls; what is empty then is gone."""
    found = clean(Extraction((), "any", "1", captions=("e\u0301\0", "\u200b"), comments=(" a  b ",)))
    assert (found.captions, found.comments) == (("é",), ("a b",))
