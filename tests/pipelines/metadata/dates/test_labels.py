"""Labels of dates, and the keys by which texts without a label are passed over."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from pipelines.metadata.dates import labels
from pipelines.metadata.dates.labels import OTHER, PLAIN, label_before

WORDS = tomllib.loads(Path(labels.__file__).with_name("labels.toml").read_text("utf-8"))
EXAMPLES = {
    re.sub(r"\\s[+*?]?", " ", label.replace("\\b", "")): kind
    for kind, languages in WORDS.items()
    for words in languages.values()
    for label in words
}
PLAIN_WORDS = [text for text in EXAMPLES if all(sign.isalpha() or sign == " " for sign in text)]


def test_each_plain_label_is_found() -> None:
    """The words of the table, as they are in a text, are a label of some kind."""
    assert len(PLAIN_WORDS) > 300
    assert [text for text in PLAIN_WORDS if label_before(f"• {text} ") == PLAIN] == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "© ",
            "No. 45/2024 of ",
            "n° 2024-45 du ",
            "第45号令 ",
            "số 45/2024 ngày ",
            "Nghị định số 45 năm 2024 ",
            "ley 45 de 5",
        ),
        *("Закон № 45 від ", "submit by ", "register by ", "né le ", "valid until "),
    ],
)
def test_a_label_of_several_forms_is_found(text: str) -> None:
    """Some expressions have no part that each of their texts has. They are searched in every text."""
    assert label_before(text) == OTHER


@pytest.mark.parametrize("text", ["", "By Ann Lee", "Hà Nội, thứ hai", "Понедельник", "2024年5月5日", "Wochenende"])
def test_other_words_are_no_label(text: str) -> None:
    """Words beside a date that say nothing about it."""
    assert label_before(text) == PLAIN
