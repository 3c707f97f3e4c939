"""The date of publication beside that of an update, which has its label in some form; and dates of captions."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PROSE = "<p>The council said on Monday that it would mend the old bridge, and that work on it begins in spring.</p>"


def day(dates: str, head: str = "", language: str = "en") -> str:
    """Return the day of a page with these dates below its headline."""
    headline = "The old bridge is to be mended"
    body = f"<article><h1>{headline}</h1>{dates}{PROSE * 4}</article>"
    page = f"<html lang={language}><title>{headline}</title>{head}{body}"
    return (read_metadata(page, "https://example.org/1", (), NOW).published or "")[:10]


UPDATES = {
    "en": ("Updated 19 Nov", "18 Nov"),
    "de": ("Aktualisiert am 19. Nov.", "18. Nov."),
    "vi": ("Cập nhật 19/11", "18/11"),
    "th": ("อัปเดต 19 พ.ย.", "18 พ.ย."),
    "ru": ("Обновлено 19 ноября", "18 ноября"),
    "ar": ("تحديث 19 نوفمبر", "18 نوفمبر"),
    "fa": ("به‌روزرسانی: ۲۸ آبان", "۲۷ آبان"),
    "zh": ("更新于 2小时前", "2天前"),
    "id": ("Diperbarui 19 Nov", "18 Nov"),
}
"""An update and a publication in short, as <time> elements show them."""


@pytest.mark.parametrize("language", UPDATES)
@pytest.mark.parametrize("inner", ["{}", "<span>{}</span>"])
def test_a_label_within_a_time_is_read_if_the_time_shows_no_year(language: str, inner: str) -> None:
    """The time of the update comes first on many pages."""
    updated, published = UPDATES[language]
    times = (
        f'<time datetime="2026-11-19T10:00">{inner.format(updated)}</time>'
        f' <time datetime="2026-11-18T10:00">{published}</time>'
    )
    assert day(times, language=language) == "2026-11-18"


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ("<p><span>Updated 1 hour ago</span> <span>2 days ago</span></p>", "2026-11-18"),
        ("<p><span>Cập nhật 1 giờ trước</span> <span>2 ngày trước</span></p>", "2026-11-18"),
        ("<p><span>Updated 1 hour ago</span></p>", "2026-11-20"),
        ("<p>Cập nhật: 19/11/2026 08:00 - Đăng: 18/11/2026 14:30</p>", "2026-11-18"),
        ("<p class=caption>The bridge on 25 May 2026. Photo: Bo Berg</p>", ""),
        ("<p class=caption>The bridge on 25 May 2026</p><p>18 November 2026</p>", "2026-11-18"),
        ("<div class=caption><h2>The town</h2></div><p>18 November 2026</p>", "2026-11-18"),
    ],
)
def test_the_publication_comes_before_the_update_and_a_caption_has_no_date_of_its_page(
    dates: str, expected: str
) -> None:
    """Ages too: that of the update counts if there is no other."""
    assert day(dates) == expected


@pytest.mark.parametrize(
    "stated",
    [
        {"@type": "NewsArticle", "datePublished": "2026&#x2F;11&#x2F;18"},
        {"@type": "CreativeWork", "headline": "The old bridge", "datePublished": "2026-11-18"},
        {"headline": "The old bridge", "datePublished": "2026-11-18"},
        [{"@type": "NewsArticle", "datePublished": "2026-11-18"}, {"datePublished": "2026-11-01"}],
    ],
)
def test_a_node_without_the_type_of_an_article_comes_last(stated: object) -> None:
    """Its date is escaped in some pages."""
    assert day("", f'<script type="application/ld+json">{json.dumps(stated)}</script>') == "2026-11-18"
