"""Which of the dates that a page shows is that of its publication, by the words and the elements around it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.dating.labels import portions
from pipelines.metadata import read_metadata

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
URL = "https://www.example.org/news/story-12345"


def read(body: str, language: str = "en", url: str = URL, head: str = "") -> tuple[str | None, str | None]:
    html = f'<html lang="{language}"><head>{head}</head><body>{body}</body></html>'
    found = read_metadata(html, url, (), NOW)
    return found.published, found.published_source


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Updated 6 November 2024, first published 5 November 2024", ("2024-11-05", "text")),
        ("en", "Published: 5 November 2024 10:30 GMT Updated: 6 November 2024", ("2024-11-05T10:30:00Z", "text")),
        ("en", "5 November 2024 (last modified 6 November 2024)", ("2024-11-05", "text")),
        ("en", "Last updated: 6 November 2024", ("2024-11-06", "updated")),
        ("en", "Event: 3 March 2025 | Published: 5 November 2024", ("2024-11-05", "text")),
        ("en", "\u00a9 5 November 2024", (None, None)),
        ("en", "Deadline: 5 November 2025", (None, None)),
        ("en", "5 November 2024 \u00a9 Example Press", ("2024-11-05", "text")),
        ("tr", "Güncelleme: 6.11.2024 11:00 Giriş: 5.11.2024 10:30", ("2024-11-05", "text")),
        ("vi", "Cập nhật: 6/11/2024 - Ngày đăng: 5/11/2024", ("2024-11-05", "text")),
        ("vi", "Cập nhật lúc 14:05, 01/07/2023", ("2023-07-01", "updated")),
        ("vi", "Giấy phép số 123/GP-BTTTT cấp ngày 05/11/2020", (None, None)),
        ("ar", "آخر تحديث: 6 نوفمبر 2024 - تاريخ النشر: 5 نوفمبر 2024", ("2024-11-05", "text")),
        ("fa", "تاریخ انتشار: ۱۵ آبان ۱۴۰۳ به‌روزرسانی: ۱۶ آبان ۱۴۰۳", ("2024-11-05", "text")),
        ("he", "עודכן: 6.11.2024 פורסם ב-5.11.2024", ("2024-11-05", "text")),
        ("th", "เผยแพร่: 5 พ.ย. 2567 อัปเดต: 6 พ.ย. 2567", ("2024-11-05", "text")),
        ("ja", "2024年11月5日 公開 2024年11月6日 更新", ("2024-11-05", "text")),
        ("ko", "입력 2024.11.05 10:30 수정 2024.11.06 11:00", ("2024-11-05", "text")),
        ("zh", "更新于 2024-11-06 发布于 2024-11-05", ("2024-11-05", "text")),
        ("pl", "2011-12-28, ostatnia aktualizacja 2011-12-29 19:40", ("2011-12-28", "text")),
        ("ru", "Обновлено: 6 ноября 2024. Опубликовано: 5 ноября 2024", ("2024-11-05", "text")),
    ],
)
def test_words_beside_a_date_tell_what_it_is(language: str, text: str, expected: tuple[str | None, str | None]) -> None:
    """Publication beats an unlabelled date and that an update; licences, deadlines, copyrights are none."""
    assert read(f'<h1>H</h1><div class="date">{text}</div>', language) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<p>Updated: <span class="date">6 November 2024</span></p>', ("2024-11-06", "updated")),
        (
            '<div class="date">Updated: 6 November 2024</div><div class="date">Published: 5 November 2024</div>',
            ("2024-11-05", "text"),
        ),
        ("<p>The attack of 7 October 2023 killed many.</p>", (None, None)),
        ("<h2>Remembering 11 September 2001</h2>", (None, None)),
        ('<span class="date" title="2024-11-05 10:30:00">3 hours ago</span>', ("2024-11-05", "text")),
        ('<span class="date" data-time="1730802600">3 hours ago</span>', ("2024-11-05T10:30:00Z", "text")),
        ('<span class="date" title="Tuesday">3 hours ago</span>', (None, None)),
        ('<article class="no-sidebar"><p class="date">5 November 2024</p></article>', ("2024-11-05", "text")),
        ('<div class="sidebar"><p>x</p><time datetime="2024-11-05">x</time></div>', (None, None)),
        ("".join(f'<article><time datetime="2024-11-0{day}">x</time></article>' for day in range(1, 6)), (None, None)),
        ('<div class="weather-info">21 November 2025 12:00</div>', (None, None)),
        ("<h2>example.org 5 November 2024 10:30</h2>", ("2024-11-05", "text")),
        ('<aside><time datetime="2024-11-01">1 Nov</time></aside>', (None, None)),
        (
            '<nav><time datetime="2024-11-01">1 Nov</time></nav><time datetime="2024-11-05">x</time>',
            ("2024-11-05", "time"),
        ),
        (
            '<main><time class="updated" datetime="2024-11-06"></time><time class="published" datetime="2024-11-05">',
            ("2024-11-05", "time"),
        ),
        (
            '<article><time class="entry-date published updated" datetime="2024-11-05">5</time></article>',
            ("2024-11-05", "time"),
        ),
        ('<article>Updated <time datetime="2024-11-06">6 Nov</time></article>', ("2024-11-06", "updated")),
        (
            '<article><abbr class="published" title="2024-11-05T10:00:00Z">Tuesday</abbr></article>',
            ("2024-11-05T10:00:00Z", "time"),
        ),
        (
            "<p>x</p>" * 50 + "".join(f'<a>X</a><span class="date">{day} May 2024</span>' for day in (1, 2, 3)),
            ("2024-05-01", "listed"),
        ),
        (
            "".join(f'<span class="stamp date">{day} May 2024</span>' for day in (1, 2)) + "<p>x</p>" * 50,
            ("2024-05-01", "text"),
        ),
    ],
)
def test_elements_around_a_date_tell_what_it_is(body: str, expected: tuple[str | None, str | None]) -> None:
    """Labels before an element, asides, sentences and headings, and rows of dates alike are told from a dateline."""
    assert read(f"<h1>H</h1>{body}") == expected


def test_what_is_shown_low_is_not_stated_high() -> None:
    """A day of update and one of several in a list come with half the confidence of a dateline at most."""
    for label, most in (("Published", 0.85), ("Updated", 0.5)):
        page = f'<html lang="en"><h1>H</h1><div class="date">{label}: 5 November 2024</div>'
        found = read_metadata(page, URL, (), NOW).published_confidence
        assert found is not None
        assert found <= most


@pytest.mark.parametrize(
    ("stated", "shown", "url", "expected"),
    [
        ("05/06/2024", "6 مايو 2024", URL, "2024-05-06"),
        ("05/06/2024", "5 يونيو 2024", URL, "2024-06-05"),
        ("05/06/2024", "7 أكتوبر 2023", URL, "2024-06-05"),
        ("05/06/2024", "", "https://example.org/2024/05/06/x", "2024-05-06"),
        ("5/6/2024 2:30:00 PM", "", URL, None),
        ("5/6/2024 2:30:00 PM", "", "https://example.org/2024/05/06/x", "2024-05-06"),
    ],
)
def test_figures_of_either_order_are_decided_by_the_rest_of_the_page(
    stated: str, shown: str, url: str, expected: str | None
) -> None:
    """A day that the address or the page states plainly says which of two days the figures mean."""
    head = f'<meta property="article:published_time" content="{stated}">'
    assert read(f'<h1>H</h1><div class="date">{shown}</div>', "ar", url, head)[0] == expected


@pytest.mark.parametrize(
    ("title", "expected"), [("Президент подписал закон", "2012-01-05"), ("The president signs", None), ("", None)]
)
def test_english_over_a_title_in_another_script_is_not_believed(title: str, expected: str | None) -> None:
    """Templates call pages of all languages English; a title in Cyrillic is not, and its figures have one order."""
    assert read('<h1>H</h1><div class="date">05.01.2012</div>', "en", URL, f"<title>{title}</title>")[0] == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/news/1403/08/15/123/x", ("2024-11-05", "url")),
        ("/fa/1403-08-15/x", ("2024-11-05", "url")),
        ("/2567/11/05/x", ("2024-11-05", "url")),
        ("/world/2024/nov/05/x", ("2024-11-05", "url")),
        ("/news/attack-of-2001-09-11-remembered", (None, None)),
        ("/news/2024-11-05-attack-remembered", ("2024-11-05", "url")),
        ("/p/1403081512/x", (None, None)),
        ("/2024/11/x", (None, None)),
    ],
)
def test_addresses_state_dates_of_any_calendar(path: str, expected: tuple[str | None, str | None]) -> None:
    """Years of other calendars are read in directories of their own; a day amid words is the story's."""
    assert read("<h1>H</h1>", "fa", f"https://example.org{path}") == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["Updated ", "Published ", "© ", "5 Nov 2024 ", "更新", "10:30 ", "x"]), max_size=12))
def test_portions_are_parts_of_their_text(words: list[str]) -> None:
    """However labels and dates are mixed, a text is cut into parts of itself in their order."""
    text, at = "".join(words), 0
    for part in portions(text):
        at = text.index(part.text, at)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>H</h1><div>" + "<time datetime='2024'>Updated 6 Nov" * 3000, None),
        ("<h1>H</h1>" + "<i></i>" * 3000 + "<time datetime=x></time>" * 3000, None),
        ("<h1>H</h1>" + "<b class=date>Updated " * 3000 + "x" * 10**6, None),
        ('<h1>H</h1><b class="date">5 Nov 2024</b>' + '<b class="date">' + "Updated " * 10**5, "2024-11-05"),
    ],
)
def test_hostile_pages_are_read(html: str, expected: str | None) -> None:
    """Thousands of nested, empty or labelled elements give the date that is stated, or none."""
    assert read_metadata(html, URL, (), NOW).published == expected
