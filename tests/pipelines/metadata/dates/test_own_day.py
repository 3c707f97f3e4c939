"""Dates of pages that are crawled on the day of their publication."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
TITLE = "Council agrees to mend the bridge over the river"
PROSE = (
    "<p>The bridge will open before the winter after next, said the minister of roads, who gave no price for it.</p>"
)
MENU = "".join(f'<a href="/{name}">{name}</a>' for name in ("home", "news", "sport", "arts", "opinion", "video"))
TODAY = [
    ("en", "22 November 2026"),
    ("vi", "Chủ nhật, 22/11/2026, 09:15"),
    ("ar", "22 نوفمبر 2026"),
    ("fa", "۱ آذر ۱۴۰۵"),
    ("th", "22 พ.ย. 2569"),
    ("he", "22.11.2026"),
]


def read(body: str, language: str = "en") -> tuple[str | None, str | None]:
    page = f'<html lang="{language}"><title>{TITLE}</title><body>{body}</body></html>'
    found = read_metadata(page, "https://www.example.org/story", (), NOW)
    return found.published and found.published[:10], found.published_source


@pytest.mark.parametrize(("language", "date"), TODAY)
@pytest.mark.parametrize(
    "body",
    [
        '<article><span class="date">{date}</span><h1>{title}</h1>{prose}</article>',
        '<main><div><span class="date">{date}</span></div><header><div><h1>{title}</h1></div></header>{prose}</main>',
        '<nav>{menu}</nav><div><p class="meta">{date}</p><h1>{title}</h1></div>{prose}',
    ],
)
def test_a_date_in_the_head_of_the_article_is_its_own(body: str, language: str, date: str) -> None:
    """A date in the article, or in the element of its headline, is believed on its own day."""
    assert read(body.format(date=date, title=TITLE, prose=PROSE * 4, menu=MENU), language) == ("2026-11-22", "masthead")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<span class="date">Published: {date}</span><h1>{title}</h1>{prose}', ("2026-11-22", "masthead")),
        ('<span class="date">{date}, 08:15</span><h1>{title}</h1>{prose}', ("2026-11-22", "masthead")),
        ('<h1>{title}</h1><p class="date">Last updated: {date}</p>{prose}', ("2026-11-22", "updated")),
        ('<h1>{title}</h1>{prose}<p class="date">{date}</p>', ("2026-11-22", "below")),
        ('<span class="date">{date}</span><h1>{title}</h1>{prose}', (None, None)),
        ('<span class="date">{date}, 08:15</span><nav>{menu}</nav><h1>{title}</h1>{prose}', (None, None)),
        ('<div class="date">Updated: {date}</div><nav>{menu}</nav><h1>{title}</h1>{prose}', (None, None)),
        ('<header><b class="date">{date}</b><nav>{menu}</nav></header><h1>{title}</h1>{prose}', (None, None)),
        ('<h1>{title}</h1>{prose}<p class="date">Today, {date}</p>', (None, None)),
    ],
)
def test_the_day_of_the_visit_is_not_believed(body: str, expected: tuple[str | None, str | None]) -> None:
    """A label or a time shows that a date is the article's. The date above the menu is the day of the visit."""
    shown = body.format(date="22 November 2026", title=TITLE, prose=PROSE * 4, menu=MENU)
    assert read(shown) == expected
