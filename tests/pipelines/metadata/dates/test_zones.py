"""Times without a zone, and ages, in the zone of their site: configured, or assumed from its country or language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.dates.zones import site_zone
from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("host", "language", "zone"),
    [
        ("bao.example.vn", "", "Asia/Ho_Chi_Minh"),
        ("bao.example.com", "vi", "Asia/Ho_Chi_Minh"),
        ("bao.example.com", "vi-VN", "Asia/Ho_Chi_Minh"),
        ("news.example.co", "th", "Asia/Bangkok"),
        ("news.example.com", "fa-AF", "Asia/Kabul"),
        ("news.example.com", "ko", "Asia/Seoul"),
        ("news.example.com", "hi", "Asia/Kolkata"),
        ("news.example.com", "ta-LK", "Asia/Colombo"),
        ("news.example.com", "ne", "Asia/Kathmandu"),
        ("news.example.com", "si", "Asia/Colombo"),
        ("news.example.co.uk", "ar", "Europe/London"),
        ("news.example.de", "vi", "Europe/Berlin"),
        ("news.example.es", "es", "Europe/Madrid"),
        ("news.example.cn", "zh", "Asia/Shanghai"),
        *((f"news.example.{domain}", "", None) for domain in ("us", "ru", "br", "au", "id", "ca", "mx", "kz", "tv")),
        *(("news.example.com", language, None) for language in ("en", "es", "ar", "pt", "fr", "ru", "en-GB", "")),
        ("127.0.0.1", "", None),
    ],
)
def test_a_zone_is_assumed_where_only_one_is_possible(host: str, language: str, zone: str | None) -> None:
    """A country with one zone, else a language of one country, decides. Others decide nothing."""
    found = site_zone("", host, language)
    assert (found.zone.utcoffset(NOW.replace(tzinfo=None)) if found else None) == (
        site_zone(zone, host, "").zone.utcoffset(NOW.replace(tzinfo=None)) if zone else None  # type: ignore[union-attr]
    )
    assert found is None or found.source == "assumed"


@pytest.mark.parametrize(
    ("shown", "url", "timezone", "expected"),
    [
        ("20/11/2026 06:15", "https://bao.example.vn/a", "", ("2026-11-20T06:15:00+07:00", "assumed")),
        ("20/11/2026 06:15", "https://bao.example.vn/a", "Asia/Tokyo", ("2026-11-20T06:15:00+09:00", "site")),
        ("20/11/2026 06:15 GMT+8", "https://bao.example.vn/a", "", ("2026-11-20T06:15:00+08:00", "stated")),
        ("20/11/2026", "https://bao.example.vn/a", "", ("2026-11-20", None)),
        ("20/11/2026 00:00", "https://bao.example.vn/a", "", ("2026-11-20", None)),
        ("21/11/2026 09:00", "https://bao.example.vn/a", "", ("2026-11-21", None)),
        ("20 ноября 2026, 06:15", "https://paper.example.ru/a", "", ("2026-11-20", None)),
        ("20 ноября 2026, 06:15", "https://paper.example.ru/a", "Asia/Omsk", ("2026-11-20T06:15:00+06:00", "site")),
        ("2 giờ trước", "https://bao.example.vn/a", "", ("2026-11-21", "assumed")),
        ("3 giờ trước", "https://bao.example.vn/a", "", ("2026-11-20", "assumed")),
        ("hôm qua, 22:10", "https://bao.example.vn/a", "", ("2026-11-20", "assumed")),
        ("2 hours ago", "https://paper.example.com/a", "", ("2026-11-20", None)),
        ("2 hours ago", "https://paper.example.com/a", "Asia/Karachi", ("2026-11-20", "site")),
    ],
)
def test_a_time_without_a_zone_is_one_of_its_site(
    shown: str, url: str, timezone: str, expected: tuple[str, str | None]
) -> None:
    """The offset and its origin are recorded. A day, midnight and a time after the visit stay days."""
    language = "vi" if "giờ" in shown or ".vn" in url else "ru" if ".ru" in url else "en"
    page = f'<html lang="{language}"><body><article><h1>Title of a story</h1><p class="date">{shown}</p></article>'
    found = read_metadata(page, url, (), NOW, timezone)
    assert (found.published, found.published_zone) == expected


VN, CL, EN = "https://bao.example.vn/a", "https://diario.example.cl/a", "https://paper.example.com/a"


@pytest.mark.parametrize(
    ("stated", "shown", "url", "timezone", "expected"),
    [
        ("2026-11-19T17:30:00Z", "00:30 20/11/2026", VN, "", ("2026-11-20T00:30:00+07:00", "assumed")),
        ("2026-11-19T17:30:00+00:00", "", VN, "", ("2026-11-20T00:30:00+07:00", "assumed")),
        ("2026-11-19T17:00:00Z", "20/11/2026", VN, "", ("2026-11-20T00:00:00+07:00", "assumed")),
        ("1795109400000", "", VN, "", ("2026-11-20T00:30:00+07:00", "assumed")),
        ("2026-11-19T02:30:00Z", "18/11/2026", CL, "", ("2026-11-18T23:30:00-03:00", "assumed")),
        ("2026-11-19T17:30:00Z", "", EN, "Asia/Tokyo", ("2026-11-20T02:30:00+09:00", "site")),
        ("2026-11-19T17:30:00-05:00", "", EN, "Asia/Tokyo", ("2026-11-20T07:30:00+09:00", "site")),
        ("2026-11-19T17:30:00Z", "", EN, "", ("2026-11-19T17:30:00Z", "stated")),
        ("2026-11-19T17:30:00-05:00", "", VN, "", ("2026-11-19T17:30:00-05:00", "stated")),
        # Midnight in UTC is a day. A day that readers see alone is that of the newspaper.
        ("2026-11-19T00:00:00Z", "", CL, "", ("2026-11-19", None)),
        ("2026-11-19T17:30:00Z", "17:30 19/11/2026", VN, "", ("2026-11-19T17:30:00Z", "stated")),
        ("2026-11-19T17:30:00Z", "19/11/2026", VN, "", ("2026-11-19T17:30:00Z", "stated")),
    ],
)
def test_a_moment_in_utc_has_the_day_of_its_newspaper(
    stated: str, shown: str, url: str, timezone: str, expected: tuple[str, str | None]
) -> None:
    """UTC is a form for programs: the day is that in the zone of the site, unless readers see the day in UTC alone."""
    language = "vi" if url == VN else "es" if url == CL else "en"
    head = f'<script type="application/ld+json">{{"@type": "NewsArticle", "datePublished": "{stated}"}}</script>'
    body = f'<article><h1>Title of a story</h1><p class="date">{shown}</p></article>'
    page = f'<html lang="{language}"><head>{head}</head><body>{body}</body></html>'
    found = read_metadata(page, url, (), NOW, timezone)
    assert (found.published, found.published_zone) == expected
