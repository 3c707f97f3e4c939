"""Dates in figures that need an era, the day of the week or another ISO 8601 form to be understood."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.dates.parser import read_date
from pipelines.metadata.dates.path_dates import stated_in_path

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("24/1/1404هـ", "ar", None),
        ("24/1/1404 هـ", "", None),
        ("24/1/1404", "ar", None),
        ("24/1/1404 AH", "en", None),
        ("24/1/1404 ه.ق", "fa", None),
        ("24/1/1446هـ", "ar", "2024-07-30"),
        ("1445/10/26 هـ", "ar", "2024-05-05"),
        ("1404/1/24 ه.ش", "fa", "2025-04-13"),
        ("1404/1/24", "fa", "2025-04-13"),
        ("24/1/1404", "ps", "2025-04-13"),
    ],
)
def test_an_era_decides_the_calendar(text: str, language: str, expected: str | None) -> None:
    """A year from 1300 to 1500 is Islamic if its era or its language says so. Otherwise it is Solar Hijri first."""
    found = read_date(text, NOW, language)
    assert (found and found.iso) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Wed, 07/12/2023 - 10:00", "en", "2023-07-12"),
        ("Thu, 07/12/2023", "en", "2023-12-07"),
        ("07/12/2023 (Wed)", "en", "2023-07-12"),
        ("Wed, 07/12/2023 - 10:00", "vi", "2023-07-12"),
        ("Thứ Tư, 12/07/2023", "vi", "2023-07-12"),
        ("Chủ nhật, 02/11/2024", "vi", "2024-11-02"),
        ("الأربعاء 07/12/2023", "", "2023-07-12"),
        ("mercredi 07/12/2023", "", "2023-07-12"),
        ("jeudi 07/12/2023", "fr", "2023-12-07"),
        ("Çarşamba 12.07.2023", "tr", "2023-07-12"),
        ("Mon, 07/12/2023", "en", None),
        ("07/12/2023", "en", None),
        ("Mon 07/12/2023", "fr", "2023-12-07"),
    ],
)
def test_the_day_of_the_week_decides_the_order(text: str, language: str, expected: str | None) -> None:
    """Only one order falls on the day of the week. Where the language has one order, only an English name counts."""
    found = read_date(text, NOW, language)
    assert (found and found.iso) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-W19-7", "2024-05-12"),
        ("2024W197", "2024-05-12"),
        ("2024-W54-1", None),
        ("2024-129", "2024-05-08"),
        ("2024-366", "2024-12-31"),
        ("2023-366", None),
        ("2024-000", None),
        ("decision 2024-129", None),
    ],
)
def test_week_dates_and_ordinal_dates_are_read(text: str, expected: str | None) -> None:
    """ISO 8601 also counts weeks, and days of the year."""
    found = read_date(text, NOW)
    assert (found and found.iso) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/05-08-2024/story", ["05-08-2024"]),
        ("/news/5.8.2024", ["5-8-2024"]),
        ("/05/08/2024/story", ["05-08-2024"]),
        ("/2024/08/05/05-08-2024/", ["2024-08-05"]),
        ("/attack-of-05-08-2024/", []),
        ("/05-08-20245/", []),
    ],
)
def test_a_directory_with_the_year_last_is_a_date(path: str, expected: list[str]) -> None:
    """The language of the page decides whether the day or the month comes first."""
    assert stated_in_path(path) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("۵ کانوونی\u200cدووەمی ۲۰۲۴", "ckb", "2024-01-05"),
        ("5 كانون\u200cالثاني 2024", "ar", "2024-01-05"),
        ("26 جمادی\u200cالاول 1445", "fa", "2023-12-10"),
        ("۱۵ اردی\u200cبهشت ۱۴۰۳", "fa", "2024-05-04"),
    ],
)
def test_a_joiner_may_replace_the_space_in_a_name(text: str, language: str, expected: str) -> None:
    """Persian and Kurdish keyboards write a zero-width non-joiner between the words of a month."""
    found = read_date(text, NOW, language)
    assert found is not None
    assert found.iso == expected
