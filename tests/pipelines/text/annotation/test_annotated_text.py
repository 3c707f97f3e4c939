"""Lemma and tag behind each token of a tokenised text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from pipelines.text.annotation.annotated_text import annotated
from pipelines.text.annotation.annotator import ATTRIBUTES, Annotator
from pipelines.text.tokenizer import tokenised
from storage.records import ATTRIBUTE, GLUE, SENTENCE

SMALL = Annotator("en", "test 1", ATTRIBUTES, "", lambda tokens: [(token.lower(), str(len(token))) for token in tokens])
MARKS = str.maketrans({ATTRIBUTE: "/", GLUE: "|", SENTENCE: "¶"})


def test_each_token_has_its_lemma_and_tag() -> None:
    """Separators stay. Without an annotator a hyphen stands for both."""
    text = tokenised("He came. So\n\nwhat?")
    assert annotated(text, SMALL).translate(
        MARKS
    ) == "He/he/2 came/came/4|./././1¶ So/so/2\n\nwhat/what/4|?/?/1".replace("./././", "././")
    assert annotated(text, None).translate(MARKS) == "He/-/- came/-/-|./-/-¶ So/-/-\n\nwhat/-/-|?/-/-"


@given(st.text(alphabet=st.sampled_from("aB é.?!\n\t\x01\x1e\x1f«ا—'")))
def test_without_the_columns_the_text_is_as_before(text: str) -> None:
    """Annotation changes no token and no separator, and each token has two columns."""
    before = tokenised(text)
    after = annotated(before, SMALL)
    assert re.sub(f"{ATTRIBUTE}[^{ATTRIBUTE}{GLUE}{SENTENCE}\\s]*", "", after) == before
    tokens = re.split(f"[\\s{GLUE}{SENTENCE}]+", after)
    assert all(token.count(ATTRIBUTE) == 2 for token in tokens if token)
