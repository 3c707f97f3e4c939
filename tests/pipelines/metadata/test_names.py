"""Names: cleaned metadata values, and names of authors among them."""

from __future__ import annotations

import pytest

from pipelines.metadata.names import clean_value, names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a \n\t b\u00a0c ", "a b c"),
        ("e\u0301", "é"),
        ("a\u200c\u200db", "a\u200c\u200db"),
        ("a\x00\x1f\u202eb\ufeff\u00ad\ud800", "ab"),
        ("a\x85b", "a b"),
        ("&lt;b&gt;", "<b>"),
        ("abcdef", "abcd"),
        ("abc def", "abc"),
    ],
)
def test_clean_value(text: str, expected: str) -> None:
    """Values are one line of NFC text without invisible characters; joiners that spell words stay."""
    assert clean_value(text, 4 if len(expected) < 5 and text.startswith("abc") else 20) == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (["Ann Lee | ann@daily.example"], ["Ann Lee"]),
        (["ann@daily.example (Ann Lee)"], ["Ann Lee"]),
        (["Ann Lee <ann@daily.example>"], ["Ann Lee"]),
        (["ann@daily.example"], []),
        (["Ann Lee | The Daily"], ["Ann Lee"]),
        (["Ann Lee | Sponsored"], ["Ann Lee"]),
        (["Ann Lee | Bo Ek"], ["Ann Lee, Bo Ek"]),
        (["Trần An | Lê Hà"], ["Trần An, Lê Hà"]),
        (["Ann Lee, daily.example"], ["Ann Lee"]),
        (["Ann Lee, daily.com.vn", "Bo Ek"], ["Ann Lee", "Bo Ek"]),
        (["Ann Lee, Jr."], ["Ann Lee, Jr."]),
        (["Ann Lee (Agency)"], ["Ann Lee (Agency)"]),
    ],
)
def test_names_stand_without_the_addresses_and_papers_behind_them(stated: list[str], expected: list[str]) -> None:
    """Papers write both beside their reporters' names; of several people all stay."""
    assert names(stated) == expected
