"""Authors of a page: its visible byline and signature, and names as they are fit to print."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.markup.page_view import PageView
from pipelines.metadata.authors import byline_authors, is_name, names
from pipelines.metadata.reader import read_metadata
from pipelines.metadata.stated_page import StatedPage
from storage.blocklist.author_keys import author_key, author_keys

TEXT = (
    "<p>The council said on Monday that it would mend the old bridge, and that work on its piers begins in spring.</p>"
)


def page(byline: str, *, over: str = "", under: str = "") -> str:
    headline = "The old bridge is to be mended"
    return f"<title>{headline}</title><article>{over}<h1>{headline}</h1>{byline}{TEXT * 4}{under}</article>"


def found(html: str) -> list[str]:
    return byline_authors(StatedPage(PageView(html), "https://example.org/1"))


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("<div class=byline>By Ann Lee</div>", ["Ann Lee"]),
        ("<div class=byline>By <b>Ann Lee</b> and <b>Jan de Vries</b></div>", ["Ann Lee", "Jan de Vries"]),
        ("<div class=byline><span>Ann Lee</span><span>and</span><span>Bo Ek</span></div>", ["Ann Lee", "Bo Ek"]),
        ("<p class=article__author>Von Ann Lee, Berlin</p>", ["Ann Lee"]),
        ("<div class=authors><span>Ann Lee</span><span>Bo Ek</span></div>", ["Ann Lee", "Bo Ek"]),
        ("<span class=authorname>Ann Lee</span> <span class=authorname>Bo Ek</span>", ["Ann Lee", "Bo Ek"]),
        ("<div class=author-name>Ann Lee</div><div class=author-role>Senior Writer</div>", ["Ann Lee"]),
        ("<p class=author>Ann Lee | 3 March 2024, 12:10</p>", ["Ann Lee"]),
        ("<p class=author>Nguyễn Văn An - 2 giờ trước</p>", ["Nguyễn Văn An"]),
        ("<p class=author>Von Ann Lee – vor drei Stunden</p>", ["Ann Lee"]),
        ("<p class=author>محمد الأمين - ٣</p>", ["محمد الأمين"]),
        ("<p class=author>AFP - Ann Lee</p>", ["Ann Lee"]),
        ("<p><a href=/autoren/ann-lee>Dr. Ann Lee</a></p>", ["Dr. Ann Lee"]),
        ("<p>By Ann Lee</p>", ["Ann Lee"]),
        ("<div class=submitted>Submitted by <a class=username href=/u/7>Ann Lee</a> on 3 March</div>", ["Ann Lee"]),
        ("<ul><li><span data-hook=user-name>Ann Lee</span></li><li>3 min read</li></ul>", ["Ann Lee"]),
        ("<p><i>Por</i> Ana M. Núñez</p>", ["Ana M. Núñez"]),
        ("<p class=author>ANN O’LEE</p>", ["ANN O’LEE"]),
        ("<p class=author>بقلم محمد الأمين</p>", ["محمد الأمين"]),
        ("<p class=author>كتب- محمد الأمين:</p>", ["محمد الأمين"]),
        ("<p class=author>كتبت ليان الساحلي</p>", ["ليان الساحلي"]),
        ("<p class=author>Erstellt von Ann Lee</p>", ["Ann Lee"]),
        ("<p class=writer>تحریر عائشہ صدیقی</p>", ["عائشہ صدیقی"]),
        ("<p class=author>لیکوال: احمد ولي</p>", ["احمد ولي"]),
        ("<p class=author>نووسینی ئاراس کەریم</p>", ["ئاراس کەریم"]),
        ("<p class=author>राम कुमार</p>", ["राम कुमार"]),
        ("<p class=author>\u200fعلی\u200cرضا محمدی\u200e</p>", ["علی\u200cرضا محمدی"]),
        ("<p class=author>Ann&shy; \u200bLee\ufeff</p>", ["Ann Lee"]),
        ("<p class=author>松村太郎</p>", ["松村太郎"]),
        ("<p class=author>အောင်မြင့်</p>", ["အောင်မြင့်"]),
        ("<p class=author>သတင်းဌာန</p>", []),
        ("<p class=author>Na Amina Juma</p>", ["Amina Juma"]),
        ("<p class=author>Na Li</p>", ["Na Li"]),
        ("<p class=author>โดย สมชาย ใจดี</p>", ["สมชาย ใจดี"]),
        ("<p class=author>ผู้เขียน: อนันต์ บุญมา</p>", ["อนันต์ บุญมา"]),
        ("<dd class=createdby>เขียนโดย วิชัย ศรีสุข</dd>", ["วิชัย ศรีสุข"]),
        ("<dd class=created-by>አበበ ከበደ</dd>", ["አበበ ከበደ"]),
    ],
)
def test_the_names_of_a_byline_are_read(byline: str, names: list[str]) -> None:
    """By class, link or the word before them, in one element or several, in any script; without place, date, office."""
    assert found(page(byline)) == names
    assert found(page("", over=byline)) == (names if "<p>By" not in byline and "Por" not in byline else [])


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("3 March 2024 | By Ann Lee", ["Ann Lee"]),
        ("Sport – By Ann Lee and Bo Ek · 3 min", ["Ann Lee", "Bo Ek"]),
        ("เผยแพร่: 3 มี.ค. 67 | โดย: สมชาย ใจดี", ["สมชาย ใจดี"]),
        ("Ngày đăng: 3/3/2024 / Tác giả: Lê Minh Đức", ["Lê Minh Đức"]),
        ("Đăng bởi Lê Minh Đức - 3/3/2024", ["Lê Minh Đức"]),
        ("3 March 2024 | Ann Lee", []),
        ("Sport - near Ann Lee", []),
    ],
)
def test_a_word_for_by_may_stand_behind_a_date_or_a_section(line: str, names: list[str]) -> None:
    """Where a mark parts them, in a line below the headline that no class tells of."""
    assert found(page(f"<p>{line}</p>")) == names
    assert found(page("", over=f"<p>{line}</p>")) == []


@pytest.mark.parametrize(
    "byline",
    [
        "<p>Ann Lee</p>",
        "<p class=author>Staff writer</p>",
        "<p class=author>See full bio</p>",
        "<p class=author>Follow Ann Lee</p>",
        "<p class=author-bio>Ann Lee</p>",
        "<p class=author>The Daily Bridge said on Monday that nobody need fear.</p>",
        "<p>By the river, Ann Lee found a stone.</p>",
        "<p>Stand - by Monday | the river</p>",
        "<p>Photo | by Ann Lee</p>".replace("<p>", "<figcaption>"),
        "<figure><figcaption class=author>Ann Lee</figcaption></figure>",
        "<div class=comments><p class=author>Ann Lee</p></div>",
        "<div class=related><p class=byline>By Ann Lee</p></div>",
        "<div class=quote-author>Ann Lee</div>",
        "<p class=author>12345</p>",
        "",
    ],
)
def test_a_line_that_is_no_byline_has_no_author(byline: str) -> None:
    """Lines that nothing marks, offices, captions, comments, teasers and sentences."""
    assert found(page(byline)) == []
    assert found(page("", under=byline)) == []


def ld(author: str) -> str:
    return f'<script type="application/ld+json">{{"@type":"Article","author":{author}}}</script>'


@pytest.mark.parametrize(
    ("stated", "author"),
    [
        ("", "Ann Lee"),
        ('<meta name="author" content="Bo Ek">', "Bo Ek"),
        ('<meta name="author" content="example">', "Ann Lee"),
        ('<link rel="author" href="/about">', "Ann Lee"),
        (ld('{"@type":"Person","name":"Bo Ek"}'), "Bo Ek"),
        (ld('{"@type":"Organization","name":"The Wire"}'), "Ann Lee"),
    ],
)
def test_people_who_are_stated_come_first_and_organisations_last(stated: str, author: str) -> None:
    """A name of the site, or of a company, says less than the byline."""
    html = page("<p class=author>Ann Lee</p>").replace("<article>", f"{stated}<article>")
    assert read_metadata(html, "https://example.org/1", (), datetime(2026, 11, 20, tzinfo=UTC)).author == author


def test_an_organisation_is_the_author_of_a_page_without_persons() -> None:
    """With those beside which it stands, too."""
    for author, expected in (
        ('{"@type":"NewsMediaOrganization","name":"The Wire"}', "The Wire"),
        ('[{"@type":"Person","name":"Bo Ek"},{"@type":"Organization","name":"The Wire"}]', "Bo Ek, The Wire"),
    ):
        html = page("").replace("<article>", f"{ld(author)}<article>")
        assert read_metadata(html, "https://example.org/1", (), datetime(2026, 11, 20, tzinfo=UTC)).author == expected


@pytest.mark.parametrize(
    ("signed", "author"),
    [
        ("<p style='text-align:right;'><strong>Lê Phương</strong></p>", "Lê Phương"),
        ("<P ALIGN=Right>Hà Thu (theo <em>Reuters, CNN</em>)</P>", "Hà Thu"),
        ("<div style='TEXT-ALIGN: right'>Quang Phong - Tùng Nguyên</div>", "Quang Phong, Tùng Nguyên"),
        ("<p style='margin-right: 1em'>Lê Phương</p>", None),
        ("<p>Lê Phương</p>", None),
        ("<p align=right><a href=/>Lê Phương</a></p>", None),
        ("<div class=comments><p align=right>Lê Phương</p></div>", None),
        ("<hr>" * 9 + "<p align=right>Lê Phương</p>", None),
    ],
)
def test_who_signs_a_text_is_its_author_where_the_page_names_but_its_paper(signed: str, author: str | None) -> None:
    """Right behind its paragraphs, set flush right: as Vietnamese papers do, and state their own name to programs."""
    stated = '<meta property=og:site_name content="Our Paper"><meta name=author content="Our Paper">'
    metadata = read_metadata(stated + page("", under=signed), "https://paper.example/1", (), datetime.now(UTC))
    assert metadata.author == author


def test_a_page_of_bylines_is_read_in_bounds() -> None:
    """Thousands of elements, and long texts in them, take no longer than those near the headline."""
    start = thread_time()
    assert len(found(page("<p class=author>Ann Lee</p>" * 5000))) == 1
    assert found(page(f"<p class=author>{'Ann Lee ' * 100_000}</p>" * 3)) == []
    lines = "".join(f"<b class=author>By Ann Lee {number}</b>" for number in range(400))
    found(page(f"<div class='{'x' * 200_000}'>{lines}</div>"))
    assert thread_time() - start < 2


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_name_or_none(text: str) -> None:
    """Names are short, without figures and addresses."""
    if is_name(text):
        assert len(text) <= 40
        assert not any(character.isdigit() or character in "@:/<>" for character in text)


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


def person(**parts: str) -> str:
    return json.dumps({"@type": "Person", **parts}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("stated", "authors"),
    [
        (person(givenName="Lan", familyName="Phạm"), ("Phạm Lan",)),
        (person(givenName="Ann", familyName="Lee"), ("Ann Lee",)),
        (person(givenName="Ann", additionalName="B.", familyName="Lee"), ("Ann B. Lee",)),
        (person(givenName="太郎", familyName="松村"), ("松村太郎",)),
        (person(givenName="أحمد", familyName="المصري"), ("أحمد المصري",)),
        (f"[{person(givenName='Lan', familyName='Phạm')}, {person(name='Minh Trần')}]", ("Phạm Lan", "Minh Trần")),
        (f'{{"@list": [{person(name="Ann Lee")}, {person(name="Bo Ek")}]}}', ("Ann Lee", "Bo Ek")),
        (f'[{{"@list": [{person(name="Ann Lee")}]}}]', ("Ann Lee",)),
        (f'{{"@set": [{person(name="Ann Lee")}, {person(name="Bo Ek")}]}}', ("Ann Lee", "Bo Ek")),
        (f'{{"@set": {person(name="Ann Lee")}}}', ("Ann Lee",)),
        (f'{{"@graph": [{{"@set": ["Ann Lee"]}}, {person(name="Bo Ek")}]}}', ("Ann Lee", "Bo Ek")),
        (
            f'{{"@type": "ItemList", "itemListElement": [{{"@type": "ListItem", "item": {person(name="Ann Lee")}}}]}}',
            ("Ann Lee",),
        ),
        ('"Lan Phạm và Minh Trần"', ("Lan Phạm", "Minh Trần")),
        ('"Ann Lee and Bo Ek"', ("Ann Lee", "Bo Ek")),
        ('"Ann Lee, Bo Ek, ANN LEE"', ("Ann Lee", "Bo Ek")),
        ('"María López y Juan Pérez"', ("María López", "Juan Pérez")),
        ('"Anna Schmidt und Jan Berg"', ("Anna Schmidt", "Jan Berg")),
        ('"أحمد علي ومحمد حسن"', ("أحمد علي", "محمد حسن")),
        ('"سارة أحمد، محمد حسن"', ("سارة أحمد", "محمد حسن")),
        ('"علی رضایی و مریم کریمی"', ("علی رضایی", "مریم کریمی")),
        ('"دانا כהן"', ("دانا כהן",)),
        ('"דנה כהן ורון לוי"', ("דנה כהן", "רון לוי")),
        ('"สมชาย ใจดีและสมศรี มีสุข"', ("สมชาย ใจดี", "สมศรี มีสุข")),
        ('["Ann Lee", "Ann Lee"]', ("Ann Lee",)),
        ('"García, Ana"', ("García, Ana",)),
        ('"baochinhphu.vn"', ()),
        (person(name="Example"), ()),
        (f"[{person(name='example.org')}, {person(name='Ann Lee')}]", ("Ann Lee",)),
    ],
)
def test_all_authors_are_listed_once_and_the_house_is_none(stated: str, authors: tuple[str, ...]) -> None:
    """Names in parts, lists, and several names in one text; no domains and no name of the site."""
    html = page("").replace("<article>", f"{ld(stated)}<article>")
    found = read_metadata(html, "https://example.org/1", (), datetime(2026, 11, 20, tzinfo=UTC))
    assert (found.authors, found.author) == (authors, ", ".join(authors) or None)
    assert {author_key(name) for name in authors} <= author_keys(found.author)


MOST_READ = (
    '<div class=box><h3>Most read</h3><ul><li><a href="/2">Another story with a long headline</a> {}</li></ul></div>'
)


@pytest.mark.parametrize(
    ("around", "author"),
    [
        (MOST_READ.format('<a rel=author href="/writers/bo">Bo Ek</a>'), None),
        ('<div><h2><a href="/2">Another story</a></h2><span itemprop=author>Bo Ek</span></div>', None),
        ('<div><a href="/2"><h3>Another story</h3></a><a rel=author href="/bo">Bo Ek</a></div>', None),
        ('<div><h2><a href="/1">This story</a></h2><a rel=author href="/bo">Bo Ek</a></div>', "Bo Ek"),
        ('<ul><li><a rel=author href="/bo">Bo Ek</a></li><li>1 May</li></ul>', "Bo Ek"),
        ('<p>By <a rel=author href="/bo">Bo Ek</a></p>', "Bo Ek"),
    ],
)
def test_the_author_of_a_teaser_is_not_that_of_the_page(around: str, author: str | None) -> None:
    """An element beside a headline that leads elsewhere belongs to that page."""
    html = f"<html><body><main><h1>The bridge</h1></main>{around}</body></html>"
    assert read_metadata(html, "https://example.org/1", (), datetime(2026, 11, 20, tzinfo=UTC)).author == author


HOUSES = {
    # language: (an agency or publisher in metadata, a person in the byline, the word before the name)
    "vi": ("Báo Miền Đông", "Nguyễn Thị Lan", "Tác giả:"),
    "ar": ("وكالة أنباء الضفة", "أحمد علي", "بقلم"),
    "fa": ("خبرگزاری ساحل", "مریم رضایی", "نویسنده:"),
    "ur": ("ویب ڈیسک", "سلمان خان", "تحریر:"),
    "tr": ("Kıyı Haber Ajansı", "Ayşe Demir", "Yazar:"),
    "ru": ("Агентство Берег", "Анна Петрова", "Автор:"),
    "pl": ("Redakcja Portalu", "Anna Nowak", "Autor:"),
    "id": ("Tim Redaksi", "Budi Santoso", "Oleh:"),
    "en": ("Associated Press", "Ann Lee", "By"),
    "de": ("AFP", "Anna Müller", "Von"),
    "fr": ("Agence Presse Rive", "Anne Martin", "Par"),
}


@pytest.mark.parametrize("language", HOUSES)
@pytest.mark.parametrize(
    "head",
    [
        '<meta name="author" content="{house}">',
        """<script type="application/ld+json">
        {{"@type": "NewsArticle", "author": {{"@type": "Person", "name": "{house}"}}}}</script>""",
    ],
)
@pytest.mark.parametrize("shown", ["<p>{by} {person}</p>", '<p class="byline">{person}</p>', "<p>Text.</p>"])
def test_a_person_who_is_shown_comes_before_an_agency_that_is_stated(language: str, head: str, shown: str) -> None:
    """Readers see who wrote it. Without a person, the agency is the author."""
    house, person, by = HOUSES[language]
    body = f"<article><h1>New bridge over the river</h1>{shown.format(by=by, person=person)}<p>Text.</p></article>"
    page = f'<html lang="{language}"><head>{head.format(house=house)}</head><body>{body}</body></html>'
    found = read_metadata(page, "https://example.org/1", (), datetime(2026, 11, 20, tzinfo=UTC))
    assert found.authors == ((person,) if person in body else (house,))
