"""Metadata of a page: cleaned, bounded, and believed only if plausible."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.markup.page_view import PageView
from pipelines.metadata.authors import MAX_AUTHOR
from pipelines.metadata.headline_parts import MAX_TITLE
from pipelines.metadata.reader import read_metadata
from pipelines.metadata.rights import robots_directives

if TYPE_CHECKING:
    from storage.records import Metadata

URL = "https://www.example-times.com/news/story-1"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def read(html: str, url: str = URL, headers: tuple[str, ...] = ()) -> Metadata:
    return read_metadata(html, url, headers, NOW)


def ld(*values: object) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)


ARTICLE = {
    "@type": "NewsArticle",
    "headline": "Rain in May",
    "datePublished": "2024-05-13",
    "author": {"name": "Ann Lee"},
}


@pytest.mark.parametrize(
    "script",
    [
        json.dumps(ARTICLE),
        json.dumps([{"@type": "Organization", "name": "X"}, ARTICLE]),
        json.dumps({"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "name": "X"}, ARTICLE]}),
        json.dumps({"@type": "WebPage", "name": "X", "mainEntity": ARTICLE}),
        json.dumps({**ARTICLE, "@type": ["Thing", "ReportageNewsArticle"]}),
        json.dumps({**ARTICLE, "author": [{"@type": "Person", "name": "Ann Lee"}, {"url": "https://x"}]}),
        json.dumps({**ARTICLE, "author": "Ann Lee"}),
        json.dumps({"@type": "BreadcrumbList", "name": "Y"}) + "\n" + json.dumps(ARTICLE),
        json.dumps(ARTICLE) + ";",
        "<!-- " + json.dumps(ARTICLE) + " -->",
        "//<![CDATA[\n" + json.dumps(ARTICLE) + "\n//]]>",
        "/*<![CDATA[*/" + json.dumps(ARTICLE) + "/*]]>*/",
        json.dumps(ARTICLE)[:-1] + ', "keywords": ["a", "b",], }',
        json.dumps({**ARTICLE, "description": "LINE"}).replace("LINE", "one\ntwo\tthree\x01"),
        json.dumps(ARTICLE).replace('"', "&quot;"),
        "// made by a plugin\n" + json.dumps(ARTICLE),
        "\ufeff" + json.dumps(ARTICLE),
        json.dumps({**ARTICLE, "author": [[{"@type": "Person", "name": {"@value": "Ann Lee", "@language": "en"}}]]}),
        json.dumps(
            {"@graph": [{**ARTICLE, "author": {"@id": "#ann"}}, {"@type": "Person", "@id": "#ann", "name": "Ann Lee"}]}
        ),
        json.dumps({**ARTICLE, "datePublished": 1715558400.5}),
        json.dumps({**ARTICLE, "headline": "Rain in &amp;#77;ay"}),
    ],
)
def test_json_ld_is_read_as_newspapers_write_it(script: str) -> None:
    """The article is found in lists, graphs and several values, also behind comments, CDATA and the usual mistakes."""
    found = read(f'<title>no</title><script type="application/ld+json">{script}</script>')
    assert (found.title, found.author, found.published) == ("Rain in May", "Ann Lee", "2024-05-13")


def test_json_ld_beyond_repair_gives_headline_and_date() -> None:
    """From a script that no mending makes JSON, the headline and the date are still taken."""
    script = '{"headline": "Rain \\u201cagain\\u201d", "datePublished": "2024-05-13", "text": "a "quoted" word"}'
    found = read(f'<script type="application/ld+json">{script}</script>')
    assert (found.title, found.published) == ("Rain “again”", "2024-05-13")


@pytest.mark.parametrize(
    ("page", "expected"), [("/", "2024-05-13"), ("/news/story-1", "2015-01-01"), ("", "2015-01-01")]
)
def test_the_date_of_a_front_page_is_not_that_of_a_page_below_it(page: str, expected: str) -> None:
    """Plugins state on every page when the front page was made; a node of the page itself comes first."""
    node = {"@type": "WebPage", "url": page, "datePublished": "2015-01-01"}
    meta = '<meta property="article:published_time" content="2024-05-13">'
    assert read(ld({"@graph": [node]}) + meta).published == expected


def test_json_ld_of_the_page_itself_comes_first() -> None:
    """Of several articles the one that names the page's address is meant, lists of others are not."""
    other = {**ARTICLE, "headline": "Other", "url": "https://www.example-times.com/news/story-2"}
    own = {**ARTICLE, "mainEntityOfPage": {"@id": "/news/story-1?utm_source=x"}}
    listed = {"@type": "ItemList", "itemListElement": [{**ARTICLE, "headline": "Listed"}]}
    assert read(ld(listed, other, own)).title == "Rain in May"
    assert read(ld(listed) + "<title>Plain</title>").title == "Plain"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ({"url": "https://www.example-times.com/news/story-2"}, (None, None)),
        ({"mainEntityOfPage": {"@id": "/news/story-2"}}, (None, None)),
        ({"url": "http://www.example-times.com/news/story-1/"}, ("Ann Lee", "2024-05-13")),
        ({"url": "https://www.example-times.com/"}, ("Ann Lee", "2024-05-13")),
        ({"mainEntityOfPage": "https://google.com/article"}, ("Ann Lee", "2024-05-13")),
        ({}, ("Ann Lee", "2024-05-13")),
    ],
)
def test_author_and_date_of_a_teaser_are_not_those_of_the_page(
    page: dict[str, object], expected: tuple[str | None, str | None]
) -> None:
    """What the page's own article leaves open another node may tell, but not one of another page."""
    own = {"@type": "NewsArticle", "headline": "Own", "url": "/news/story-1"}
    found = read(ld([{**ARTICLE, **page}, own]))
    assert (found.author, found.published) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title>Rain in May</title>", "Rain in May"),
        ("<title>Rain in May | Example Times</title>", "Rain in May"),
        ("<title>Rain in May - www.example-times.com</title>", "Rain in May - www.example-times.com"),
        ("<title>Rain in May - example-times.com</title>", "Rain in May"),
        ("<title>Example Times: Rain in May</title>", "Example Times: Rain in May"),
        ("<title>Example Times » Rain in May</title>", "Rain in May"),
        ("<title>Rain in May - Weather - Example Times</title>", "Rain in May - Weather"),
        ("<title>Rain in May - Weather - The Times</title><h1>Rain in May</h1>", "Rain in May"),
        ("<title>Rain - or sun - in May</title>", "Rain - or sun - in May"),
        ("<meta property='og:site_name' content='Die Zeitung'><title>Regen – Die Zeitung</title>", "Regen"),
        ("<meta property='og:title' content='Rain in May'><title>X</title><h1>Y</h1>", "Rain in May"),
        ("<meta property='og:title' content='A \"word\" and more'><h1>A word</h1>", 'A "word" and more'),
        (
            '<meta property="og:title" content="The old mayor said "no""><h1>The old mayor said "no"</h1>',
            'The old mayor said "no"',
        ),
        ("<title>Site</title><h1>Rain in <i>May</i></h1>", "Rain in May"),
        ("<title>Site</title><h1><style>.a{color:red}</style>Rain in <i>May</i></h1>", "Rain in May"),
        ("<h1>Logo</h1><h1>Rain</h1><title>Rain in May</title>", "Rain in May"),
        ("<title>R&amp;amp;D \n &amp;quot;x&amp;quot;\u202e\u200b</title>", 'R&D "x"'),
        ("<title> </title>", None),
        (
            "<meta property='og:title' content='Rain &lt;i class=x&gt;in &lt;b&gt;May&lt;/b&gt;&lt;/i&gt;'>",
            "Rain in May",
        ),
        (ld({**ARTICLE, "headline": "Rain<br/>in <em>May</em>"}), "Rain in May"),
        ("<title>When to write <b> and <i></title>", "When to write <b> and <i>"),
        ("<title>\u061cمطر في مايو\u200f</title>", "مطر في مايو"),
        (
            ld(ARTICLE) + "<meta property='og:title' content='Ten days of rain'><h1>Ten days of rain</h1>",
            "Ten days of rain",
        ),
        (ld(ARTICLE) + "<meta property='og:title' content='Ten days of rain'><h1>Weather</h1>", "Rain in May"),
        (ld(ARTICLE) + "<meta property='og:title' content='\"Rain\"'><h1>Weather</h1><h1>“Rain”</h1>", "“Rain”"),
        ("<svg><title>Icon</title></svg><p>x</p>", "Icon"),
        ("<title>Rain: ten days of it | Weather | The Times</title>", "Rain: ten days of it"),
        ("<title>Дождь в мае — и снег | Вестник</title><h2>Дождь</h2>", "Дождь в мае — и снег"),
        ("<title>Rain | sun and snow in the whole of May</title>", "Rain | sun and snow in the whole of May"),
        ("<title>五月连续降雨三十天_天气频道_港口网</title>", "五月连续降雨三十天"),
        ("<title>五月降雨同比上涨10.3%__港口网</title>", "五月降雨同比上涨10.3%"),
        ("<title>图文_五月连续降雨三十天</title>", "图文_五月连续降雨三十天"),
        ("<title>The module ngx_http_rewrite_module</title>", "The module ngx_http_rewrite_module"),
        ("<title>Rain in May - The Times</title><a href='/'>The Times</a>", "Rain in May"),
        (ld({"@type": "WebPage", "publisher": {"name": "신문"}}) + "<title>오월의 비 - 신문</title>", "오월의 비"),
        (ld({"@graph": [{"@type": "WebSite", "name": "روزنامه"}]}) + "<title>باران - روزنامه</title>", "باران"),
        ("<title></title><meta name=title content='Rain in May'>", "Rain in May"),
        ("<title>Mưa tháng năm - Báo Mới</title><a href='/'><img alt='Báo Mới'></a>", "Mưa tháng năm"),
        ("<title>أمطار مايو - الجريدة</title><a href='/' title='الجريدة'>x</a>", "أمطار مايو"),
        ("", None),
    ],
)
def test_title(html: str, expected: str | None) -> None:
    """The title is the article's headline without the name of the site."""
    assert read(html).title == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<meta name='author' content='By  Ann Lee'>", "Ann Lee"),
        ("<meta name='author' content='Theo Hồng Nhung'>", "Hồng Nhung"),
        ("<meta name='author' content='Theo van Gogh'>", "Theo van Gogh"),
        ("<meta name='author' content='Theo Nguyễn'>", "Theo Nguyễn"),
        ("<meta name='author' content='García, Ana, García, Luis'>", "García, Ana, García, Luis"),
        ("<meta name='author' content='بقلم: علي حسن'>", "علي حسن"),
        ("<meta name='author' content='تحریر: عائشہ صدیقی'>", "عائشہ صدیقی"),
        ("<meta name='author' content='Ann Lee, Bo Ek, Ann Lee'>", "Ann Lee, Bo Ek"),
        ("<meta name='Author' content='Ann Lee'><meta name='author' content='Bo Ek'>", "Ann Lee, Bo Ek"),
        ("<meta name='author' content='Ann Lee'><meta name='author' content='ann-lee'>", "Ann Lee"),
        ("<meta name='author' content='Ann Lee'><meta name='author' content='(Image: Agency)'>", "Ann Lee"),
        ("<link rel='author' href='/about'><a rel='author' href='/ann'>Ann Lee</a>", "Ann Lee"),
        ("<meta property='article:author' content='https://facebook.com/ann'>", None),
        ("<meta name='author' content='ann@example.com'>", None),
        ("<meta name='author' content='admin'>", None),
        ("<meta name='author' content='Developed By Ann Lee'><a rel='author'>Bo Ek</a>", "Bo Ek"),
        ("<meta name='author' content='No Author'>", None),
        ("<a rel='author' href='/ann'> View all posts by Ann Lee <span>→</span></a>", "Ann Lee"),
        ("<a rel='author' href='/ann'>More stories by Ann Lee</a>", "Ann Lee"),
        ("<a rel='author' href='/ann'>See full bio</a>", None),
        ("<meta name='author' content='Super User'>", None),
        ("<a rel='author' href='/ann'> Show the archive <span>→</span></a>", None),
        ("<a rel='author' href='/an'>Xem tất cả bài viết của Trần An</a>", "Trần An"),
        ("<a rel='author' href='/ali'>عرض كل مقالات علي حسن</a>", "علي حسن"),
        ("<a rel='author' href='/ali'>مشاهده همه نوشته‌های علی حسنی</a>", "علی حسنی"),
        ("<div class=copyright>Theme by <a rel='author' href='https://themes.example/'>Theme House</a></div>", None),
        ("<article class='comment odd'><p><span rel='sioc:has_creator'>A Reader</span></p></article>", None),
        ("<article class='node'><p><span rel='sioc:has_creator'>Ann Lee</span></p></article>", "Ann Lee"),
        ("<meta name='author' content='@ann'>", None),
        ("<meta name='author' content='Ann Lee writes about the weather of this and of other months'>", None),
        ("<a rel='author' href='/ann'>Ann Lee</a>", "Ann Lee"),
        ("<div class=submitted><span rel='sioc:has_creator'><b class=username>Ann Lee</b></span></div>", "Ann Lee"),
        ("<i rel='sioc:has_creator'>Submitted by <b class=username>Ann Lee</b> on 12/11/2026</i>", "Ann Lee"),
        ("<i rel='sioc:has_creator'>Gửi bởi <b property='foaf:name'>Trần Lan</b> vào T5, 11/12</i>", "Trần Lan"),
        ("<div class='comment odd'><p><span rel='sioc:has_creator'>A Reader</span></div>", None),
        ("<div class=comment><i itemprop='author'>A Reader</i></div><i itemprop='author'>Ann Lee</i>", "Ann Lee"),
        ("<div class='post comments-open'><a rel='author'>Ann Lee</a></div>", "Ann Lee"),
        ("<div itemprop='author'>By <span itemprop='name'>Ann Lee</span>, staff</div>", "Ann Lee"),
        ("<i itemprop='author' itemscope><meta itemprop='name' content='Ann Lee'></i>", "Ann Lee"),
        ("<a rel='author'><b>Bo Ek</b><meta itemprop='name' content='Ann Lee'></a>", "Ann Lee"),
        ("<a rel='author'><b>Ann Lee</b><meta itemprop='name'></a>", "Ann Lee"),
        ("<p><a rel='author'>Ann Lee</a> and <a rel='author'>Bo Ek</a></p>", "Ann Lee, Bo Ek"),
        ("<p><a rel='author'>Ann Lee</a> <a rel='author'>More by Ann Lee</a></p>", "Ann Lee"),
        ("<p><a rel='author'>Ann Lee</a></p><p><a rel='author'>Bo Ek</a></p>", "Ann Lee"),
        ("<meta itemprop='author' content='annlee'><a rel='author'>Ann Lee</a>", "Ann Lee"),
        ("<meta name='author' content='สมชาย ใจดี'>", "สมชาย ใจดี"),
        (
            "<title>Rain | The Paper</title><meta name='author' content='The Paper'><a rel='author'>Ann Lee</a>",
            "Ann Lee",
        ),
        ("<meta property='og:site_name' content='Báo'><meta name='author' content='Báo'><a rel='author'>An</a>", "An"),
        ("<title>Rain - The Paper</title><meta name='author' content='The Paper'>", None),
        ("<meta name='author' content='ann.lee12'><a rel='author'>Ann Lee</a>", "Ann Lee"),
        ("<meta name='author' content='annlee'>", "annlee"),
        ("<meta name='authors' content='Ann Lee'>", "Ann Lee"),
        ("<meta property='article:author_name' content='Trần Lan'>", "Trần Lan"),
        ("<meta name='cXenseParse:author' content='Иван Петров'>", "Иван Петров"),
        ("<meta name='authors' content='National Desk'>", None),
        ("<meta property='og:article:author' content='데일리안'>", None),
        ("<meta name='book:author' content='Ann Lee'><meta name='twitter:author' content='Ann Lee'>", None),
        (ld({"@type": "Article", "publisher": {"name": "Báo"}, "author": {"name": "Báo"}}), None),
        ("<p>by Ann Lee</p>", None),
    ],
)
def test_author(html: str, expected: str | None) -> None:
    """Authors are names; addresses, accounts and sentences are not."""
    assert read(html).author == expected


@pytest.mark.parametrize(
    ("html", "url", "expected"),
    [
        (
            "<meta property='article:published_time' content='2024-05-13T10:20:30+07:00'>",
            URL,
            "2024-05-13T10:20:30+07:00",
        ),
        ("<meta name='pubdate' content='20240513'>", URL, "2024-05-13"),
        ("<meta name='published' content='May 13, 2024'>", URL, "2024-05-13"),
        ("<meta itemprop='datePublished' content='2024-05-13'>", URL, "2024-05-13"),
        ("<span itemprop='datePublished'>13/05/2567</span>", URL, "2024-05-13"),
        ("<article><time datetime='2024-05-13'>x</time></article><time datetime='2026-11-20'>", URL, "2024-05-13"),
        ("<time datetime='2024-05-13'>x</time>", URL, "2024-05-13"),
        ("<time datetime='2024-05-13'>x</time><time datetime='2024-05-14'>y</time>", URL, None),
        ("<time datetime='2026-11-20'>today</time>", "https://example.com/2024/05/13/x", "2024-05-13"),
        ("<meta name='date' content='0001-01-01'>", "https://example.com/2024/05/13/x", "2024-05-13"),
        (ld({**ARTICLE, "datePublished": "2024"}) + "<meta name='date' content='2024-05-14'>", URL, "2024-05-14"),
        (ld({**ARTICLE, "datePublished": "2030-01-01"}), URL, None),
        ("<meta property='article:modified_time' content='2024-05-13'>", URL, None),
    ],
)
def test_date(html: str, url: str, expected: str | None) -> None:
    """The date is the most trusted statement that is a plausible date; what may be another's date is not taken."""
    assert read(html, url).published == expected


def test_date_keeps_the_text_it_was_read_from() -> None:
    """Beside the ISO date stands what the page wrote."""
    found = read("<meta name='date' content='13/05/2567 10:20'>")
    assert (found.published, found.published_text) == ("2024-05-13", "13/05/2567 10:20")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<link rel='canonical' href='/story?utm_source=x'>", "https://www.example-times.com/story"),
        ("<link rel='Canonical' href='https://example-times.com/a'>", "https://example-times.com/a"),
        ("<link rel='canonical' href='https://m.example-times.com/a'>", "https://m.example-times.com/a"),
        ("<link rel='canonical' href='https://other.example.org/a'>", None),
        ("<link rel='canonical' href='https://example-times.com.evil.org/a'>", None),
        ("<link rel='canonical' href='http://127.0.0.1/a'>", None),
        ("<link rel='canonical' href='javascript:x'>", None),
        ("<link rel='canonical' href='/'>", None),
        ("<link rel='canonical' href='/?p=12'>", "https://www.example-times.com/?p=12"),
        ("<link rel='canonical' href=''>", None),
        ("<link rel='canonical' href='/a'><link rel='canonical' href='/b'>", None),
        ("<link rel='canonical' href='/a'><link rel='canonical' href='/a#x'>", "https://www.example-times.com/a"),
        ("<a rel='canonical' href='/a'>", None),
        ("<base href='/'><link rel='canonical' href='news/a'>", "https://www.example-times.com/news/a"),
    ],
)
def test_canonical(html: str, expected: str | None) -> None:
    """One canonical address is believed, on the page's own site, and not the front page for a story."""
    assert read(html).canonical == expected


@pytest.mark.parametrize(
    ("html", "headers", "expected"),
    [
        ("<meta name='ROBOTS' content='NoIndex, NoFollow'>", (), ("nofollow", "noindex")),
        ("<meta name='robots' content='noindex nofollow'>", (), ("nofollow", "noindex")),
        ("<meta name='googlebot' content='noarchive'>", ("noindex",), ("noarchive", "noindex")),
        ("<meta name='otherbot' content='noindex'>", (), ()),
        ("<meta name='robots' content='none'>", (), ("nofollow", "noindex", "none")),
        ("", ("otherbot: noindex, nofollow",), ()),
        ("", ("otherbot: noindex, googlebot: noarchive, nosnippet",), ("noarchive", "nosnippet")),
        ("", ("max-snippet: -1, max-image-preview:large",), ("max-image-preview:large", "max-snippet:-1")),
        ("", ("unavailable_after: 25 Jun 2010 15:00:00 PST",), ("unavailable_after",)),
        ("<meta name='robots' content='<script>, ***, \u202e'>", ("\x00", "\xff"), ()),
    ],
)
def test_directives(html: str, headers: tuple[str, ...], expected: tuple[str, ...]) -> None:
    """Directives of page and headers are joined, lower-case and sorted; those for other robots are left out."""
    assert read(html, headers=headers).directives == expected


def test_a_parsed_tree_will_do() -> None:
    """A tree that was parsed for other reasons is read like the text it came from."""
    html = ld(ARTICLE) + "<link rel=canonical href=/x>"
    assert read_metadata(PageView(html), URL, (), NOW) == read(html)


def test_values_are_bounded() -> None:
    """However long a page states its title, author and directives, little of it is kept."""
    page = f"<title>{'x' * 10**6}</title><meta name=author content='{'y' * 10**6}'>"
    found = read(page + f"<meta name=robots content='{'noindex,' * 10**5}'>")
    assert len(found.title or "") == MAX_TITLE
    assert len(found.author or "") <= MAX_AUTHOR
    assert found.directives == ("noindex",)


@pytest.mark.parametrize(
    "html",
    [
        ld([[[[]]]])
        + ld({"@graph": 7})
        + ld({"@type": 7, "headline": ["", 5, {}]})
        + ld(None)
        + ld({"@type": "Article", "author": [[{}], 5]}),
        '<script type="application/ld+json">' + "[" * 200_000 + "</script>",
        '<script type="application/ld+json">' + '{"@graph":' * 50_000 + "</script>",
        '<script type="application/ld+json">' + '"headline":"' * 50_000 + "</script>",
        '<script type="application/ld+json">{"@type":"Article","headline":"\\ud800"}</script>',
        '<script type="application/ld+json">{' + " " * 500_000 + "</script>",
        "<article><time datetime='2024'>" * 2_000,
        "<meta property='og:title' content='x'>" * 50_000,
        "<meta name='robots' content='" + ":" * 100_000 + "'>",
        "<title>" + " - " * 100_000,
        "<title>" + "&amp;" * 100_000,
        "<h1>" * 5_000,
    ],
)
def test_hostile_pages_are_read(html: str) -> None:
    """Pages built to break a reader give some metadata or none."""
    found = read(html)
    assert found.author is None
    assert found.published is None
    (found.title or "").encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unavailable_after: Wed, 21 Oct 2026 07:28:00 GMT, noarchive", {"unavailable_after", "noarchive"}),
        ("unavailable_after: Wednesday, 21-Oct-26 07:28:00 GMT, otherbot: noai", {"unavailable_after"}),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, noai", {"unavailable_after", "noai"}),
        ("noarchive;nofollow", {"noarchive", "nofollow"}),
        ("otherbot: noarchive; noai", set()),
        ("'noarchive', \"noai\"", {"noarchive", "noai"}),
        ("*: noarchive", {"noarchive"}),
        ("max-snippet: -1, noarchive", {"max-snippet:-1", "noarchive"}),
    ],
)
def test_what_is_reserved_is_read_in_odd_spellings(text: str, expected: set[str]) -> None:
    """A date with a comma, semicolons, quotation marks and a star keep no directive out."""
    assert set(robots_directives(text)) == expected


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_robots_text_is_safe(text: str) -> None:
    """Any text gives well-formed directives, or none."""
    assert all(re.fullmatch(r"[a-z][a-z_-]+(:[\w.+-]+)?", word) for word in robots_directives(text))


PAGE = st.lists(
    st.sampled_from(
        re.findall(
            r"[^ ]+",
            "<title> </title> <h1> <meta\tname=author\tcontent=' <meta\tproperty=og:title\tcontent=\" ' \" > a\t-\tb"
            ' <script\ttype=application/ld+json> </script> { } [ ] : , \ud800 \x00 &quot; "headline" "@type"'
            ' "Article" <link\trel=canonical\thref=/x>',
        )
    ),
    max_size=40,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), PAGE), st.sampled_from([URL, "", "http://[::1]/", "nonsense"]))
def test_any_page_is_safe(html: str, url: str) -> None:
    """Any text at any address gives metadata that can be stored as UTF-8, never an exception."""
    found = read(html, url)
    for value in (found.title, found.author, found.published_text, found.canonical):
        assert value is None or (value.encode() and "\x00" not in value)


def stating(headline: str) -> str:
    script = json.dumps({"@type": "NewsArticle", "headline": headline}, ensure_ascii=False)
    return f'<script type="application/ld+json">{script}</script>'


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Cầu mới mở | Báo Xanh</title><h1><a href='/'>Báo Xanh</a></h1><h2>Cầu mới mở</h2>", "Cầu mới mở"),
        ("<title>Cầu mới mở - Báo Xanh</title><h1>Báo Xanh</h1><h2>Cầu mới mở</h2>", "Cầu mới mở"),
        ("<title>افتتاح الجسر » الجريدة</title><h1><a href='/'>الجريدة</a></h1><h3>افتتاح الجسر</h3>", "افتتاح الجسر"),
        ("<title>เปิดสะพาน | ข่าวดี</title><h1>ข่าวดี</h1><h2>เปิดสะพาน</h2>", "เปิดสะพาน"),
        ("<title>Báo Xanh - Cầu mới mở</title><h1>Cầu mới mở</h1>", "Cầu mới mở"),
        ("<title>Cầu mới mở | Báo Xanh</title><h1>Cầu mới mở</h1><h2>Tin khác</h2>", "Cầu mới mở"),
        (
            f"<title>The old bridge | Paper</title>{stating('Ten recipes for winter')}<h1>The old bridge</h1>",
            "The old bridge",
        ),
        (
            f"<title>Old bridge reopens today</title>{stating('Old bridge reopens')}<h1>Crowds see the old bridge</h1>",
            "Old bridge reopens",
        ),
    ],
)
def test_the_title_is_that_of_the_article(html: str, title: str) -> None:
    """Not the site's name in the only h1, nor a stated headline of another article."""
    assert read(html).title == title


NAMES = {
    "vi": ("Báo Miền Đông", "Cầu mới qua sông khánh thành sau ba năm"),
    "ar": ("جريدة الضفة", "افتتاح الجسر الجديد على النهر بعد ثلاث سنوات"),
    "th": ("ข่าวริมน้ำ", "เปิดสะพานข้ามแม่น้ำแห่งใหม่หลังรอมาสามปีเต็ม"),
    "ru": ("Новости берега", "Новый мост через реку открыли спустя три года"),
    "en": ("Riverside Daily", "New bridge over the river opens after three years"),
}
"""Name of a newspaper and a headline by language."""


@pytest.mark.parametrize("language", NAMES)
@pytest.mark.parametrize(
    "head",
    [
        '<meta property="og:title" content="{headline}">',
        '<meta property="og:title" content="{headline} | {name}">',
        "<title>{headline} - {name}</title>",
        "<title>{name} | {headline}</title>",
        '<title>{name}</title><meta property="og:title" content="{headline} » {name}">',
        """<meta property="og:title" content="{headline}">
        <script type="application/ld+json">{{"@type": "NewsArticle", "headline": "{name}"}}</script>""",
    ],
)
@pytest.mark.parametrize("mast", ["<h1>{name}</h1>", "<h1><a href='/'>{name}</a></h1>", "<h1>{name} 24</h1>"])
@pytest.mark.parametrize("level", ["h2", "h3"])
def test_an_h1_with_the_name_of_the_site_is_no_title(language: str, head: str, mast: str, level: str) -> None:
    """The headline is in a lower heading and in the titles that the page states."""
    name, headline = NAMES[language]
    body = f"{mast.format(name=name)}<{level}>{headline}</{level}><p>Text.</p><h3>Another box</h3>"
    page = f"<html><head>{head.format(name=name, headline=headline)}</head><body>{body}</body></html>"
    assert read(page).title == headline
