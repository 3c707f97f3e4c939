"""Datelines with date and author in many languages, and lines that only begin like them."""

from __future__ import annotations

import pytest

from pipelines.page.postprocess import MAX_DATELINE_CHARS, is_dateline


@pytest.mark.parametrize(
    ("line", "published", "author"),
    [
        ("Published 5 November 2024 | Updated 7 November 2024", "2024-11-05", None),
        ("Ann Lee and Jo Ek - 05/11/2024, 10:15", "2024-11-05T03:15:00Z", "Ann Lee, Jo Ek"),
        ("פורסם בתאריך 24 באפריל 2023 · עודכן 25 בפברואר 2026 · מאת נועה לוי", "2023-04-24T02:47:01Z", "נועה לוי"),
        ("بقلم: سارة علي - آخر تحديث: ٢٤ مارس ٢٠٢١", "2021-03-24", "سارة علي"),
        ("۱۵ دی ۱۴۰۱ · امید · زمان مطالعه ۲ دقیقه", "2023-01-05", "امید"),
        ("Thứ bảy, 04/05/2024, 10:15 (GMT+7)", "2024-05-04", None),
        ("เผยแพร่: 21 ม.ค. 2562 12:30 น.", "2019-01-21", None),
        ("Nov 5, 2024", "2024-11-04T23:00:00Z", None),
    ],
)
def test_a_line_of_the_day_of_publication_and_the_author_is_one(line: str, published: str, author: str | None) -> None:
    """In any calendar and order, with labels, days of the week, times, minutes to read, and in any time zone."""
    assert is_dateline(line, published, author)


@pytest.mark.parametrize(
    ("line", "published"),
    [
        ("Giá vàng và tỷ giá ngày 24/4/2023", "2023-04-24"),
        ("On 5 November 2024 the bridge was opened.", "2024-11-05"),
        ("3 October 2024", "2024-11-05"),
        ("© 5 November 2024", "2024-11-05"),
        ("Ann Lee", "2024-11-05"),
        ("2024", "2024-11-05"),
        (f"5 November 2024{' ' * MAX_DATELINE_CHARS}", "2024-11-05"),
    ],
)
def test_a_line_that_says_more_or_is_of_another_day_is_none(line: str, published: str) -> None:
    """As entries of chronicles are, subheads with the day in them, and rights."""
    assert not is_dateline(line, published, "Ann Lee")
