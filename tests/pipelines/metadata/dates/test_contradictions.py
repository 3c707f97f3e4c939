"""Dates stated for programs that contradict the date shown on the page."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


def read(stated: str, shown: str, language: str = "vi", url: str = "https://www.example.org/story") -> str | None:
    script = f'<script type="application/ld+json">{{"@type": "NewsArticle", "datePublished": "{stated}"}}</script>'
    body = f'<article><h1>The bridge over the river</h1><p class="date">{shown}</p><p>Text</p></article>'
    found = read_metadata(f'<html lang="{language}">{script}<body>{body}', url, (), NOW)
    assert found.published_confidence is None or found.published_confidence < 0.8 or found.published_source != "json-ld"
    return found.published


@pytest.mark.parametrize(
    ("stated", "shown", "language"),
    [
        ("2024-06-05T14:30:00Z", "5/6/2024, 14:30 (GMT+7)", "vi"),
        ("2024-06-05T14:30:12-07:00", "5/6/2024, 14:30 (GMT+7)", "vi"),
        ("2024-06-05T14:30:00Z", "05 June 2024 14:30 ICT", "en"),
        ("2024-06-05T14:30:00Z", "5 يونيو 2024 14:30 +07:00", "ar"),
        ("2024-06-05T11:00:00Z", "۱۶ خرداد ۱۴۰۳ ساعت ۱۱:۰۰ به وقت تهران", "fa"),
    ],
)
def test_the_time_shown_with_its_zone_wins(stated: str, shown: str, language: str) -> None:
    """Templates state the local time as UTC, or the zone with a reversed sign."""
    found = read(stated, shown, language)
    assert found is not None
    assert datetime.fromisoformat(found) == datetime(2024, 6, 5, 7, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stated", "shown", "expected"),
    [
        ("2026-11-23T18:30:00Z", "5/6/2024", "2024-06-05"),
        ("2026-11-24", "ngày 20 tháng 11 năm 2026", "2026-11-20"),
        ("2026-11-22T10:00:30Z", "5/6/2024", "2024-06-05"),
        ("2026-11-22T16:30:00Z", "", "2026-11-22"),
        ("2026-11-22T10:00:30Z", "", "2026-11-22"),
    ],
)
def test_a_moment_that_cannot_be_right_is_doubted(stated: str, shown: str, expected: str) -> None:
    """A date after the visit, or the moment of the request, gives way to the date shown. Alone it keeps its day."""
    stated_date = read(stated, shown)
    assert stated_date == expected


@pytest.mark.parametrize(
    ("stated", "shown", "expected"),
    [
        ("", "7/3/2026, 00:05 (GMT+7)", "2026-03-07T00:05:00+07:00"),
        ("2026-03-07T00:05:10+07:00", "7/3/2026", "2026-03-07T00:05:10+07:00"),
        ("2026-03-06T17:05:10Z", "7/3/2026, 00:05 (GMT+7)", "2026-03-07T00:05:10+07:00"),
        ("2026-03-06T17:05:10Z", "7/3/2026", "2026-03-07T00:05:10+07:00"),
    ],
)
def test_the_local_time_is_kept(stated: str, shown: str, expected: str) -> None:
    """A story of five past midnight belongs to the day that its readers saw, not to that of UTC."""
    page = f'<html lang="vi"><meta property="article:published_time" content="{stated}"><body><article><h1>H</h1>'
    found = read_metadata(f'{page}<p class="date">{shown}</p>', "https://www.example.org/story", (), NOW)
    assert found.published == expected
