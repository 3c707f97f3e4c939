"""Visible dates: the one of publication, chosen by the words and elements around it."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.metadata.dates.labels import portions
from pipelines.metadata.dates.months import fold
from pipelines.metadata.dates.shown_dates import _names_date
from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
TABLE = Path(__file__).with_name("dates.tsv").read_text("utf-8").splitlines()
URL = "https://www.example.org/news/story-12345"


def read(body: str, language: str = "en", url: str = URL, head: str = "") -> tuple[str | None, str | None]:
    html = f'<html lang="{language}"><head>{head}</head><body>{body}</body></html>'
    found = read_metadata(html, url, (), NOW)
    return found.published, found.published_source


def test_names_of_megabytes_are_cut_before_they_are_remembered() -> None:
    """Else a few hostile pages would fill the memory of a worker."""
    _names_date.cache_clear()
    for end in ("a", "b", "c"):
        read(f'<h1>H</h1><p class="date {"x" * 100_000}{end}">21 November 2026</p>')
    assert _names_date.cache_info().currsize <= 3


def test_a_page_shows_each_form_of_date_that_the_parser_reads() -> None:
    """Each row of the table gives its day in an element that is marked as a date, those without digits too.

    A date behind the sign of copyright says nothing of the page.
    """
    lost = []
    for language, _, expected, text in (line.split("\t") for line in TABLE if line[:1] != "#" and "©" not in line):
        found, _ = read(f'<h1>H</h1><p class="date">{escape(text)}</p>', language)
        day = found and (found if len(expected) == len("2024-11-05") else _in_utc(found))
        if not day or day[:10] != expected[:10]:
            lost.append((language, text, found))
    assert lost == []


def _in_utc(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(UTC).isoformat()


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
        ("vi", "Cập nhật lúc 14:05, 01/07/2023", ("2023-07-01T14:05:00+07:00", "updated")),
        ("vi", "Giấy phép số 123/GP-BTTTT cấp ngày 05/11/2020", (None, None)),
        ("ar", "آخر تحديث: 6 نوفمبر 2024 - تاريخ النشر: 5 نوفمبر 2024", ("2024-11-05", "text")),
        ("fa", "تاریخ انتشار: ۱۵ آبان ۱۴۰۳ به‌روزرسانی: ۱۶ آبان ۱۴۰۳", ("2024-11-05", "text")),
        ("he", "עודכן: 6.11.2024 פורסם ב-5.11.2024", ("2024-11-05", "text")),
        ("th", "เผยแพร่: 5 พ.ย. 2567 อัปเดต: 6 พ.ย. 2567", ("2024-11-05", "text")),
        ("ja", "2024年11月5日 公開 2024年11月6日 更新", ("2024-11-05", "text")),
        ("ko", "입력 2024.11.05 10:30 수정 2024.11.06 11:00", ("2024-11-05T10:30:00+09:00", "text")),
        ("zh", "更新于 2024-11-06 发布于 2024-11-05", ("2024-11-05", "text")),
        ("pl", "2011-12-28, ostatnia aktualizacja 2011-12-29 19:40", ("2011-12-28", "text")),
        ("ru", "Обновлено: 6 ноября 2024. Опубликовано: 5 ноября 2024", ("2024-11-05", "text")),
    ],
)
def test_words_beside_a_date_tell_what_it_is(language: str, text: str, expected: tuple[str | None, str | None]) -> None:
    """Publication beats an unlabelled date and that an update; licences, deadlines, copyrights are none."""
    assert read(f'<h1>H</h1><div class="date">{text}</div>', language) == expected


@pytest.mark.parametrize(
    ("language", "updated", "published"),
    [
        ("af", "Laaste Opgedateer:", "Gepubliseer:"),
        ("ar", "حدث بتاريخ:", "انشأ بتاريخ:"),
        ("az", "Yenilənib", "Nəşr edilib"),
        ("be", "Апошняе абнаўленне:", "Створана:"),
        ("cs", "Aktualizováno:", "Zveřejněno:"),
        ("cy", "Diweddarwyd ddiwethaf:", "Cyhoeddwyd:"),
        ("da", "Senest opdateret:", "Publiceret:"),
        ("es", "Última actualización:", "Creado:"),
        ("et", "Viimati uuendatud:", "Avaldatud:"),
        ("eu", "Azken Eguneratzea:", "Argitaratua:"),
        ("fa", "به روز رساني:", "تاریخ ایجاد:"),
        ("fa-AF", "آخرین ویراش:", "نوشته شده در:"),
        ("ga", "Nuashonrú Is Déanaí:", "Foilsithe:"),
        ("hu", "Módosítás:", "Készült:"),
        ("hy", "Արդիացված՝", "Հրատարակված՝"),
        ("id", "Diperbarui:", "Ditayangkan:"),
        ("it", "Ultima modifica:", "Creato:"),
        ("kk", "Соңғы өзгертулер:", "Жарияланды:"),
        ("km", "បច្ចុប្បន្ន\u200bភាព\u200bចុងក្រោយ៖", "ចេញផ្សាយ៖"),
        ("ko", "마지막으로 업데이트됨:", "게시됨:"),
        ("lo", "ອັບເດດລ່າສຸດເມື່ອ", "ເຜີຍແຜ່ເມື່ອ"),
        ("lt", "Atnaujinta:", "Paskelbta:"),
        ("lv", "Pēdējās izmaiņas:", "Publicēts"),
        ("mk", "Последно освежување:", "Објавено:"),
        ("mn", "Сүүлд шинэчлэгдсэн:", "Нийтлэгдсэн"),
        ("ms", "Kemas Kini Terakhir:", "Dicipta:"),
        ("my", "ပြင်ဆင်သည့်ရက်", "ဖော်ပြသည့်ရက်"),
        ("ps", "وروستئ تازه کونه:", "خپاره شوي:"),
        ("si", "අවසන් යාවත්කාලීන කිරීම", "නිර්මිත දිනය"),
        ("sk", "Ostatná aktualizácia:", "Uverejnené:"),
        ("sr", "Датум последње измене:", "Датум креирања:"),
        ("th", "อัปเดตล่าสุดเมื่อ:", "สร้างเมื่อ:"),
        ("vi", "Cập nhật lần cuối:", "Được viết:"),
        ("zh-TW", "最近更新:", "發佈:"),
    ],
)
def test_publication_comes_before_an_update_in_any_language(language: str, updated: str, published: str) -> None:
    """Systems print the day of a change above that of publication, in elements of their own or in one line."""
    lines = (f"{updated} 2025-03-16", f"{published} 2024-11-05")
    for body in ("".join(f"<dd>{line}</dd>" for line in lines), f"<p>{' | '.join(lines)}</p>"):
        assert read(f"<h1>H</h1>{body}", language) == ("2024-11-05", "text")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<p>Updated: <span class="date">6 November 2024</span></p>', ("2024-11-06", "updated")),
        (
            '<div class="date">Updated: 6 November 2024</div><div class="date">Published: 5 November 2024</div>',
            ("2024-11-05", "text"),
        ),
        ("<p>The attack of 7 October 2023 killed many.</p>", (None, None)),
        ("<p>The law of 5 November 2024 changes it all.</p>", (None, None)),
        ("<p>Ann Lee, 5 November 2024, 10:30 a.m.</p>", ("2024-11-05", "text")),
        ("<h2>Remembering 11 September 2001</h2>", (None, None)),
        ('<span class="date" title="2024-11-05 10:30:00">3 hours ago</span>', ("2024-11-05", "text")),
        ('<span class="date" data-time="1730802600">3 hours ago</span>', ("2024-11-05T10:30:00Z", "text")),
        ('<span class="date" data-utc="2024-11-05T10:30:00Z">2 years ago</span>', ("2024-11-05T10:30:00Z", "text")),
        ('<span class="date" title="Tuesday">3 hours ago</span>', ("2026-11-22", "age")),
        ('<b property="dc:date dc:created" content="2024-11-05T10:00:00Z">Tue</b>', ("2024-11-05T10:00:00Z", "time")),
        ('<b property="schema:datePublished" content="2024-11-05">Tue</b>', ("2024-11-05", "time")),
        ('<b itemprop="dateCreated">5 May 2024</b><b itemprop="datePublished">6 May 2024</b>', ("2024-05-06", "time")),
        ('<article class="no-sidebar"><p class="date">5 November 2024</p></article>', ("2024-11-05", "text")),
        ('<div class="sidebar"><p>x</p><time datetime="2024-11-05">x</time></div>', (None, None)),
        ("".join(f'<article><time datetime="2024-11-0{day}">x</time></article>' for day in range(1, 6)), (None, None)),
        ('<div class="weather-info">21 November 2025 12:00</div>', (None, None)),
        ('<div class="prayer-times">21 November 2025 04:55</div>', (None, None)),
        ('<div class="exchange-rates"><p>21 November 2025</p></div>', (None, None)),
        ("<h2>example.org 5 November 2024 10:30</h2>", ("2024-11-05", "text")),
        ("<div><i>Ann Lee</i> | Sept. 5, 2024</div>", ("2024-09-05", "text")),
        ("<div>Publication : 16 juil. 2024 | 3 min</div>", ("2024-07-16", "text")),
        ("<div>Megjelent: 2018. szept. 20.</div>", ("2018-09-20", "text")),
        ("<div>Since Monday. 5 November 2024</div>", (None, None)),
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
    """Labels before an element, asides, sentences, headings and rows of equal dates are no dateline."""
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
        ("05/06/2024", "06.05.2024", URL, "2024-05-06"),
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
    ("title", "expected"),
    [
        ("Президент подписал закон", "2012-01-05"),
        ("Chợ nổi miền Tây", "2012-01-05"),
        ("The president signs", None),
        ("", None),
    ],
)
def test_english_over_a_title_in_another_script_is_not_believed(title: str, expected: str | None) -> None:
    """Templates call pages of all languages English; a title in Cyrillic is not, and its figures have one order."""
    assert read('<h1>H</h1><div class="date">05/01/2012</div>', "", URL, f"<title>{title}</title>")[0] == expected
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
        ("/web/20110106023242/http://example.com/x", (None, None)),
        ("/web/20110106023242/http://example.com/2010/12/29/x", ("2010-12-29", "url")),
        ("/web/20110106023242/example.com/x", (None, None)),
        ("/web/20110106023242/example.com/2010/12/29/x", ("2010-12-29", "url")),
        ("/web/20110106023242/x", ("2011-01-06", "url")),
        ("/2024/11/x", (None, None)),
    ],
)
def test_addresses_state_dates_of_any_calendar(path: str, expected: tuple[str | None, str | None]) -> None:
    """Years of other calendars are read in directories of their own; a day amid words is the story's."""
    assert read("<h1>H</h1>", "fa", f"https://example.org{path}") == expected


@pytest.mark.parametrize(
    ("stated", "path", "expected"),
    [
        ("2024-11-04T22:30:00Z", "/2024/11/05/x", ("2024-11-04T22:30:00Z", "time")),
        ("2024-11-04T22:30:00Z", "/1403/08/15/x", ("2024-11-04T22:30:00Z", "time")),
        ("2024-12-24", "/2024/11/05/x", ("2024-11-05", "url")),
        ("2024-12-24", "/x", ("2024-12-24", "time")),
    ],
)
def test_a_time_in_the_article_is_its_own_where_the_address_does_not_state_another_day(
    stated: str, path: str, expected: tuple[str, str]
) -> None:
    """A day more or less is that of another zone; weeks are those of an event, or of another article."""
    body = f'<article><h1>H</h1><time datetime="{stated}">x</time></article>'
    assert read(body, url=f"https://example.org{path}") == expected


PARAGRAPH = f"<p>{'The minister said on Monday that the programme would go ahead as planned. ' * 2}</p>"


@pytest.mark.parametrize(
    "behind",
    [
        '<section class="comments"><div class="comment"><span class="date">5 November 2024</span></div></section>',
        '<div class="read-more"><a>X</a><time datetime="2024-10-02">2 Oct</time></div>',
        "<figure><figcaption>File photo: 3 March 2011</figcaption></figure>",
        f"<article><figure><figcaption>The bridge on 3 March 2011. Photo: X</figcaption></figure>{PARAGRAPH}</article>",
        "".join(f'<article><h3>A</h3><time datetime="2024-10-0{day}">x</time></article>' for day in (7, 9)),
        '<div class="tin-khac"><a>X</a><span>(04/11/2024)</span></div>',
        '<p class="info">Since 1 May 1990</p>',
        '<div class="event-details"><span>Date: 20 October 2024</span></div>',
        '<div class="match-info">Kick-off: 15:00, 25 October 2024</div>',
        '<div class="print-info">Printed on 5 November 2024</div>',
        '<p class="info">GPXB số 1818 cấp ngày 05/05/2023</p>',
        '<div class="poll-info">Poll closes 20 November 2024</div>',
        '<div class="forecast"><b>Monday 18 November 2024</b></div>',
        '<div class="countdown-time" data-date="2025-12-24"></div>',
        '<p class="info">Có hiệu lực từ ngày 01/07/2020</p>',
        '<p class="info">Interview conducted on 12 May 2019 in Leeds</p>',
    ],
)
def test_dates_of_other_things_near_a_headline_are_not_that_of_the_page(behind: str) -> None:
    """Comments, captions, teasers, events, matches and licences state no day of publication."""
    assert read(f"<h1>H</h1>{behind}", "vi") == (None, None)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ('<div class="stamp date">5 November 2024</div>', ("2024-11-05", "below")),
        ('<div class="stamp date">Published: 5 November 2024</div>', ("2024-11-05", "text")),
        ('<div class="stamp date">Today, 22 November 2026</div>', (None, None)),
    ],
)
def test_what_stands_behind_the_text_counts_for_less(shown: str, expected: tuple[str | None, str | None]) -> None:
    """Behind three paragraphs a date without a label is hardly that of the page, and never that of the visit."""
    assert read(f"<h1>H</h1>{PARAGRAPH * 4}{shown}") == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>The Daily Example</h1>{far}<h3>{title}</h3><span>5 November 2024 10:30</span>", ("2024-11-05", "text")),
        ("<h1>The Daily Example</h1>{far}<b>5 November 2024</b><h2>{title}</h2>", ("2024-11-05", "masthead")),
        ("<h3>{title}</h3>\n5 November 2024<br>{far}", ("2024-11-05", "text")),
        ("<div><b>{title}</b><br><br>5 November 2024, 10:30<p>{far}</p></div>", ("2024-11-05", "text")),
        ("<h3>{title}</h3>The council met on 5 November 2024 and decided. It will meet again.<br>{far}", (None, None)),
        ("<h3>{title}</h3><p>Text</p>5 November 2024<br>{far}", (None, None)),
        (
            '<div class="relative mt-4"><h1>{title}</h1><p class="date">5 November 2024</p></div>',
            ("2024-11-05", "text"),
        ),
        (
            '<h1>{title}</h1><div class="post tag-most-popular"><p class="date">5 November 2024</p></div>',
            ("2024-11-05", "text"),
        ),
        (
            '<h1>{title}</h1><div class="post-footer"><abbr class="published" title="2024-11-05">5:11 AM</abbr></div>',
            ("2024-11-05", "time"),
        ),
        (
            '<h1>{title}</h1><p class="footer"><time itemprop="datePublished" datetime="2024-11-05">5.11.</time></p>',
            ("2024-11-05", "time"),
        ),
        (
            '<h1>{title}</h1><div class="elementor-widget"><span class="date">5 November 2024</span></div>',
            ("2024-11-05", "text"),
        ),
        (
            (
                "<table><tr><td>{far}<a>{title}</a></td><td><font size=5><b>{title}</b></font></td></tr>"
                "<tr><td><font size=2>5 November 2024 - Jane Roe</font></td></tr></table>"
            ),
            ("2024-11-05", "text"),
        ),
        ("<h1>{title} - © 2024 of all matters</h1><p class='date'>5 November 2024</p>", ("2024-11-05", "text")),
        (
            "".join(f'<div><a>X</a><span class="date">{day} May 2023</span></div>' for day in (1, 2, 3, 4))
            + "<div><p>Published: 5 November 2024</p><h1>The council mends the bridge</h1></div>",
            ("2024-11-05", "masthead"),
        ),
    ],
)
def test_a_date_is_found_where_sites_put_it(html: str, expected: tuple[str, str]) -> None:
    """The headline is the heading that the title repeats, without one the line, no link; classes hide no date."""
    title = "Council agrees to mend the bridge over the river"
    body = html.format(far="<p></p>" * 450, title=title)
    assert read(body, head=f"<title>{title} | The Daily Example</title>") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<h1>H</h1><span class="time">3 giờ trước</span>', ("2026-11-22", "age")),
        ("<h1>H</h1><p>Jane Roe</p><p>11 hours ago</p>", ("2026-11-21", "age")),
        ("<h1>H</h1><time>منذ 3 أيام</time>", ("2026-11-19", "age")),
        ('<h1>H</h1><span>5 November 2024</span><span class="time">3 hours ago</span>', ("2024-11-05", "text")),
        ('<h1>H</h1><div class="comments"><span class="time">3 hours ago</span></div>', (None, None)),
        ("<h1>H</h1>" + '<li><a>X</a><span class="time">3 hours ago</span></li>' * 3, (None, None)),
        (f'<h1>H</h1>{PARAGRAPH * 4}<span class="time">3 hours ago</span>', (None, None)),
    ],
)
def test_an_age_is_counted_back_from_the_time_of_the_visit(body: str, expected: tuple[str | None, str | None]) -> None:
    """An age near the headline dates a page; ages in comments and lists are not used."""
    assert read(body) == expected


def test_a_life_or_a_project_is_not_stated_high() -> None:
    """Of two days years apart the first is hardly that of publication."""
    page = '<html lang="en"><h1>H</h1><div class="info">March 3, 1991 - October 25, 2024</div>'
    found = read_metadata(page, URL, (), NOW).published_confidence
    assert found is not None
    assert found < 0.5


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["Updated ", "Published ", "© ", "5 Nov 2024 ", "更新", "10:30 ", "x"]), max_size=12))
def test_portions_are_parts_of_their_text(words: list[str]) -> None:
    """However labels and dates are mixed, a text is cut into parts of itself, folded, in their order."""
    text, at = fold("".join(words)), 0
    for part in portions(text):
        at = text.index(part.text, at) + len(part.text)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>H</h1><div>" + "<time datetime='2024'>Updated 6 Nov" * 3000, None),
        ("<h1>H</h1>" + "<i></i>" * 3000 + "<time datetime=x></time>" * 3000, None),
        ("<h1>H</h1>" + "<b class=date>Updated " * 3000 + "x" * 10**6, None),
        ("<title>x</title><h1>H</h1>" + "<h3>Updated</h3><p>3 hours ago</p>" * 3000, None),
        ('<h1>H</h1><b class="date">5 Nov 2024</b>' + '<b class="date">' + "Updated " * 10**5, "2024-11-05"),
    ],
)
def test_hostile_pages_are_read(html: str, expected: str | None) -> None:
    """Thousands of nested, empty or labelled elements give the date that is stated, or none."""
    assert read_metadata(html, URL, (), NOW).published == expected
