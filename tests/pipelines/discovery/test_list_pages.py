"""List pages: links to articles, sections, tags and archives on layouts of many kinds; traps and ranges."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.demo.site import build_site, truth
from pipelines.discovery.date_range import archive_pages, archive_template, within
from pipelines.discovery.links import page_anchors
from pipelines.discovery.list_pages import LESSER_RANK, Listing, archive_span, newest_day, ordered, read_listing
from pipelines.discovery.url_shapes import shape_of
from pipelines.markup.page_view import PageView
from pipelines.page.process import process
from pipelines.urls.url import canonicalise, parse
from storage.records import Capture, Kind, Link, SiteModel
from tests.corpus_spider.local_paper import Newspaper

HOST = "https://paper.example"
MODEL = SiteModel(hosts=("paper.example",))
TODAY = date(2026, 11, 21)
WORDS = {
    "vi": "thành phố người dân hôm nay cho biết công trình mới được xây dựng ở miền trung tỉnh phía nam",
    "ar": "الحكومة تعلن اليوم خطة جديدة لتطوير التعليم في المدن والقرى بعد اجتماع الوزراء مع ممثلي النقابات",
    "fa": "رئیس جمهور در سفر به استان گفت دولت برای حل مشکل آب برنامه تازه دارد مردم شهرها منتظر هستند",
    "th": "นายกรัฐมนตรี เปิดเผย ว่า รัฐบาล เตรียม มาตรการ ช่วยเหลือ ประชาชน ภาคใต้ จาก น้ำท่วม ครั้งใหญ่",
    "he": "הממשלה אישרה היום תוכנית חדשה לפיתוח הנגב והגליל לאחר דיון ארוך בכנסת עם ראשי הרשויות",
    "en": "committee agrees to rebuild the old bridge next year after long talks with city and county officials",
}
LATIN = WORDS["en"].split()


@dataclass(frozen=True)
class Layout:
    """How a site writes its addresses. ``{n}`` number, ``{slug}`` headline in Latin letters, ``{title}`` in its own."""

    language: str
    article: str
    section: str
    tag: str
    further: str
    archive: str = ""


LAYOUTS = {
    "number behind the headline": Layout(
        "vi", "/{s}/{slug}-{n}.htm", "/{s}.htm", "/tag/{w}-{n}.htm", "/{s}/trang-{p}.htm"
    ),
    "headline alone": Layout("en", "/{slug}/", "/category/{s}/", "/tag/{w}/", "/category/{s}/page/{p}/"),
    "date and headline": Layout("ar", "/{y}/{m}/{d}/{title}", "/{s}", "/topics/{w}", "/{s}?page={p}", "/{y}/{m}/{d}/"),
    "number and headline": Layout("fa", "/fa/news/{n}/{title}", "/fa/{s}", "/fa/tags/{w}", "/fa/{s}/{p}"),
    "number alone": Layout("he", "/news/{n}/", "/{s}/", "/writer/{w}/", "/{s}/?p={p}", "/archive?date={y}-{m}-{d}"),
    "query": Layout("th", "/view.php?id={n}", "/list.php?cat={k}", "/tag.php?q={w}", "/list.php?cat=3&page={p}"),
    "key": Layout("vi", "/articles/{id}", "/topics/{s}", "/people/{w}", "/topics/{s}?start={p}"),
    "dated number": Layout(
        "en", "/{s}/{y}{m}{d}{n}.html", "/{s}/", "/keyword/{w}.html", "/{s}/index-{p}.html", "/{y}-{m}.html"
    ),
}


def filled(template: str, chance: random.Random, words: list[str], **values: str) -> str:
    day = TODAY - timedelta(days=chance.randrange(300))
    known = {
        "n": str(chance.randrange(10_000, 9_999_999)),
        "id": "c" + "".join(chance.choices("0123456789abcdefgh", k=11)),
        "slug": "-".join(chance.choices(LATIN, k=8)),
        "title": quote("-".join(words)),
        "s": chance.choice(["news", "sport", "world", "kinh-te", "the-thao", "culture"]),
        "k": str(chance.randrange(1, 30)),
        "w": "-".join(chance.choices(LATIN, k=chance.randrange(1, 4))),
        "p": str(chance.randrange(2, 30)),
        "y": f"{day.year}",
        "m": f"{day.month:02}",
        "d": f"{day.day:02}",
    } | values
    return HOST + re.sub(r"\{(\w+)\}", lambda match: known[match[1]], template)


def page_of(layout: Layout, seed: int, articles: int = 25) -> tuple[str, set[str], set[str]]:
    """Return a list page, the addresses of its articles and those of everything else on it."""
    chance = random.Random(seed)
    words = WORDS[layout.language].split()
    true, other, parts = set(), set(), []
    for template, count, length in ((layout.section, 12, 2), (layout.tag, 15, 2), (layout.archive, 8, 1)):
        for _ in range(count if template else 0):
            url = filled(template, chance, words)
            other.add(url)
            parts.append(f"<li><a href='{url}'>{' '.join(chance.choices(words, k=length))[:20]}</a></li>")
    for name in ("contact-us", "privacy-policy", "about", "login"):
        other.add(f"{HOST}/{name}")
        parts.append(f"<a href='/{name}'>{' '.join(chance.choices(words, k=3))[:24]}</a>")
    for number in range(2, 8):
        url = filled(layout.further, chance, words, p=str(number), s="news")
        other.add(url)
        parts.append(f"<a href='{url}'>{number}</a>")
    for _ in range(articles):
        title = chance.choices(words, k=chance.randrange(8, 14))
        url = filled(layout.article, chance, title)
        true.add(url)
        parts.append(f"<div><a href='{url}'><img src=/x.jpg></a><h3><a href='{url}'>{' '.join(title)}</a></h3></div>")
    chance.shuffle(parts)
    return f"<html><body>{''.join(parts)}</body></html>", true, other


def listing_of(html: str, url: str = f"{HOST}/news", model: SiteModel = MODEL) -> Listing:
    return read_listing(page_anchors(PageView(html), url, model), url)


def keys(urls: set[str]) -> set[str]:
    return {key for url in urls if (key := canonicalise(url))}


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_articles_of_a_list_are_found_with_hardly_another_link(name: str) -> None:
    """On pages of every layout at least 95 % of what is taken for an article is one, and nearly all are taken."""
    taken = right = there = 0
    for seed in range(5):
        html, true, _ = page_of(LAYOUTS[name], seed)
        found = set(listing_of(html).articles)
        taken, right, there = taken + len(found), right + len(found & keys(true)), there + len(true)
    assert right >= 0.95 * taken
    assert right >= 0.9 * there


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_pattern_learnt_fits_other_pages_of_the_site(name: str) -> None:
    """What one page teaches holds for the articles of another, and for less than 5 % else."""
    patterns = listing_of(page_of(LAYOUTS[name], 1)[0]).patterns
    _, true, other = page_of(LAYOUTS[name], 99, articles=60)
    fits = {url for url in keys(true) | keys(other) if any(re.search(pattern, url) for pattern in patterns)}
    assert len(fits & keys(true)) >= 0.95 * len(fits)
    assert len(fits & keys(true)) >= 0.9 * len(true)


@pytest.mark.parametrize("name", LAYOUTS)
def test_further_pages_are_found_by_structure(name: str) -> None:
    """Links with numbers for texts lead to further pages, in any form of address."""
    html, true, _ = page_of(LAYOUTS[name], 2)
    pages = listing_of(html).pages
    chance = random.Random(0)
    expected = {filled(LAYOUTS[name].further, chance, ["x"], p=str(number), s="news") for number in range(2, 8)}
    assert keys(expected) <= set(pages)
    assert not set(pages) & keys(true)


def test_the_newspapers_of_the_demo() -> None:
    """Front and section pages of five newspapers in five languages and layouts: no link but to articles is taken."""
    site = build_site(80)
    true = {canonicalise(f"http://{host}{path}") for host, path in truth()}
    taken = right = 0
    for (host, path), answer in site.answers.items():
        if not dict(answer.headers).get("Content-Type", "").startswith("text/html") or answer.status != 200:
            continue
        url = f"http://{host}{path}"
        if canonicalise(url) in true:
            continue
        body = process_body(url, answer.body, dict(answer.headers))
        found = set(listing_of(body, url, SiteModel(hosts=(host,))).articles)
        taken, right = taken + len(found), right + len(found & true)
    assert taken > 50
    assert right >= 0.95 * taken


def process_body(url: str, body: bytes, headers: dict[str, str]) -> str:
    from pipelines.decoding.decode import decode
    from storage.bytes.content_encoding import inflate
    from storage.bytes.mime import charset_of

    return decode(inflate(body, headers.get("Content-Encoding")), charset_of(headers.get("Content-Type"))).text


def test_short_titles_teach_nothing() -> None:
    """Where titles are as short as names nothing is learnt, and nothing is kept away."""
    status, _, body = Newspaper(articles=60).answer("/")
    listing = listing_of(body.decode(), "http://127.0.0.1:1/", SiteModel(hosts=("127.0.0.1:1",)))
    assert (status, listing.articles) == (200, ())


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("/the-thao/viet-nam-thang-dam-4765432.html", "/{w}/{s}-{d}.html"),
        ("/2026/11/20/committee-agrees-to-rebuild-bridge/", "/{y}/{n}/{n}/{slug}/"),
        ("/fa/news/123456/%D9%85%D8%AA%D9%86", "/{w}/{w}/{d}/{w}"),
        ("/arabic/articles/c4gz1ldqx0yo", "/{w}/{w}/{id}"),
        ("/view.php?id=12345&x=1&y=ab", "/{w}.php?id={d}&x={n}&y={s}"),
        ("/12345-viet-nam", "/{d}-{s}"),
        ("/index.html", "/{w}.html"),
        ("/", "/"),
        ("/a//b", "/{w}//{w}"),
    ],
)
def test_shapes(url: str, shape: str) -> None:
    """An address is known by its numbers, keys, headlines and words."""
    address = parse(HOST + url)
    assert address is not None
    assert shape_of(address).text == shape


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20))
def test_a_shape_fits_its_own_address(path: str, query: str) -> None:
    """Every address has a shape, and the expression made of the shape is valid."""
    address = parse(f"{HOST}/{path}?{query}")
    if address is not None:
        assert re.compile(shape_of(address).regex())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=40)), max_size=30))
def test_any_page_can_be_read(links: list[tuple[str, str]]) -> None:
    """No set of links breaks the reading, and no link that is there is invented."""
    html = "".join(f'<a href="{href}">{text}</a>' for href, text in links)
    anchors = page_anchors(PageView(html), f"{HOST}/", MODEL)
    listing = read_listing(anchors, f"{HOST}/")
    there = {anchor.link.url for anchor in anchors}
    assert {link.url for link in ordered(anchors, listing, f"{HOST}/", TODAY)} <= there
    assert set(listing.articles) | set(listing.pages) <= there


@pytest.mark.parametrize(
    ("path", "span"),
    [
        ("/2026/11/20/", ("2026-11-20", "2026-11-20")),
        ("/2026/11", ("2026-11-01", "2026-11-30")),
        ("/archive/2026-2", ("2026-02-01", "2026-02-28")),
        ("/news/archive-2026-11-20.html", ("2026-11-20", "2026-11-20")),
        ("/list?date=2026-11-20&x=1", ("2026-11-20", "2026-11-20")),
        ("/2026/11/20/a-headline", None),
        ("/2026/13/01/", None),
        ("/2026/02/30/", None),
        ("/news/12345", None),
        ("/?id=20261120", None),
    ],
)
def test_archives_of_a_day_or_a_month(path: str, span: tuple[str, str] | None) -> None:
    """An archive page is not taken for an article of that day."""
    address = parse(HOST + path)
    assert address is not None
    found = archive_span(address)
    assert (found and tuple(map(str, found))) == span


def follow(html: str, path: str, model: SiteModel = MODEL, hour: int = 0) -> dict[str, int]:
    """Return the links that a page of the site leads to, each with its rank; ``hour``: when it was fetched, UTC."""
    capture = Capture(
        HOST + path, datetime(2026, 11, 21, hour, tzinfo=UTC), 200, (), (("Content-Type", "text/html"),), html.encode()
    )
    return {link.url.removeprefix(HOST): link.rank for link in process(capture, model).links}


ARTICLES = "".join(
    f"<a href='/2026/11/{day:02}/a-headline-of-some-length-{day}'>A headline of some length on day {day}</a>"
    for day in range(10, 20)
)


def test_articles_come_first_and_nothing_is_left_out() -> None:
    """What looks less like an article has a lower rank, and is followed all the same."""
    found = follow(f"{ARTICLES}<a href=/sport>Sport</a><a href='/x?page=2'>2</a>", "/")
    assert found["/sport"] == found["/x?page=2"] == LESSER_RANK
    assert [rank for url, rank in found.items() if "headline" in url] == [0] * 10


@pytest.mark.parametrize(
    ("path", "dated"),
    [
        ("/2026/11/1{}/a-headline-of-some-length", "2026-11-1{}"),
        ("/sport/a-headline-of-some-length-2026111{}083000.html", "2026-11-1{}"),
        ("/2031/11/1{}/a-headline-of-some-length", None),
        ("/2026/11/1{0}/from-2025-01-1{0}-to-the-end", None),
        ("/a-headline-of-some-length-12345{}", None),
    ],
)
def test_articles_are_dated_by_their_addresses(path: str, dated: str | None) -> None:
    """So that of a list, too, the newest come first; where the day is in doubt nothing is said."""
    paths = [path.format(number) for number in range(8)]
    html = "".join(
        f"<a href='{one}'>A headline of some length, number {number}</a>" for number, one in enumerate(paths)
    )
    anchors = page_anchors(PageView(html), f"{HOST}/", MODEL)
    found = [link.dated for link in ordered(anchors, read_listing(anchors, f"{HOST}/"), f"{HOST}/", TODAY)]
    assert found == [dated and dated.format(number) for number in range(8)]


@pytest.mark.parametrize("path", ["/x?page=7", "/x/page/7/", "/2019/05/13/", "/list?date=2019-05-13"])
def test_a_list_without_articles_leads_no_further(path: str) -> None:
    """An empty list page or day of a calendar has no next page: calendars go back without limit."""
    links = (
        "<a href='/x?page=8'>8</a><a href='/2019/05/12/'>12</a><a href='/list?date=2019-05-12'>x</a>"
        "<a rel=next href=/more>></a><a href=/sport>Sport</a>"
    )
    assert list(follow(links, path)) == ["/sport"]
    assert len(follow(links + ARTICLES, path)) == 15
    assert len(follow(links, "/")) == 5


def test_days_to_come_are_not_asked_for() -> None:
    """Calendars go forward without limit, too."""
    links = (
        "<a href='/2026/11/20/'>20</a><a href='/2026/12/'>12</a><a href='/2031/01/01/'>1</a><a href='/1969/01/'>1</a>"
    )
    assert list(follow(links, "/")) == ["/2026/11/20/"]


@pytest.mark.parametrize(("hour", "days"), [(9, ["21"]), (17, ["21", "22"])])
def test_a_day_has_begun_once_it_has_somewhere(hour: int, days: list[str]) -> None:
    """In Hanoi it is the 22nd already while it is five in the afternoon of the 21st in Greenwich."""
    links = "".join(f"<a href='/2026/11/{day}/'>{day}</a>" for day in (21, 22, 23))
    assert list(follow(links, "/", hour=hour)) == [f"/2026/11/{day}/" for day in days]


RANGE = SiteModel(hosts=("paper.example",), since="2026-11-12", until="2026-11-14")


def test_a_range_of_days_keeps_what_may_lie_in_it() -> None:
    """Links to days outside are left out, those that state no day are followed."""
    links = "<a href='/2026/11/13/'>13</a><a href='/2026/10/'>10</a><a href='/2026/11/'>11</a><a href=/sport>Sport</a>"
    found = follow(ARTICLES + links, "/", RANGE)
    assert {url for url in found if "headline" in url} == {
        f"/2026/11/{day}/a-headline-of-some-length-{day}" for day in (12, 13, 14)
    }
    assert {"/2026/11/13/", "/2026/11/", "/sport"} <= set(found)
    assert "/2026/10/" not in found


@pytest.mark.parametrize(
    ("url", "kind", "dated", "kept"),
    [
        ("/a", Kind.PAGE, "2026-11-12", True),
        ("/a", Kind.PAGE, "2026-11-11T20:00:00Z", True),
        ("/a", Kind.PAGE, "2026-11-11", False),
        ("/a", Kind.PAGE, "2026-11-10", False),
        ("/a", Kind.PAGE, "2026-11-16", False),
        ("/a", Kind.PAGE, None, True),
        ("/2020/01/01/a", Kind.PAGE, "2026-11-13", True),
        ("/s.xml", Kind.SITEMAP, "2026-11-10", False),
        ("/s.xml", Kind.SITEMAP, "2026-11-20", True),
        ("/s.xml", Kind.SITEMAP, None, True),
        ("/sitemap-2026-11.xml", Kind.SITEMAP, None, True),
        ("/sitemap-202610.xml.gz", Kind.SITEMAP, None, False),
        ("/sitemap-2026-11-15.xml", Kind.SITEMAP, None, False),
        ("/sitemap.xml?yyyy=2026&mm=11&dd=13", Kind.SITEMAP, None, True),
        ("/sitemap.xml?yyyy=2026&mm=9", Kind.SITEMAP, None, False),
    ],
)
def test_feeds_and_sitemaps_are_read_in_the_range(url: str, kind: Kind, dated: str | None, kept: bool) -> None:
    """By the date that is stated, by the month in the name of a sitemap; time zones are allowed a day."""
    link = Link(HOST + url, HOST + url, "paper.example", kind, dated=dated)
    assert bool(within([link], RANGE)) is kept
    assert within([link], MODEL) == (link,)


@pytest.mark.parametrize("model", [SiteModel(since="0001-01-01"), SiteModel(until="9999-12-31"), RANGE])
@settings(max_examples=100, deadline=None)
@given(st.dates(), st.sampled_from(["/a", "/{0:%Y}/{0:%m}/", "/s-{0:%Y-%m}.xml", "/{0:%Y/%m/%d}/x"]))
def test_no_day_breaks_a_range(model: SiteModel, day: date, path: str) -> None:
    """Not even the first and the last there are."""
    url = HOST + path.format(day)
    for kind in (Kind.PAGE, Kind.SITEMAP):
        assert len(within([Link(url, url, "", kind, dated=day.isoformat())], model)) < 2


def test_a_list_ends_where_it_is_older_than_the_range() -> None:
    """Its further pages are older still."""
    links = "<a href='/x?page=9'>9</a><a href=/sport>Sport</a>"
    old = SiteModel(hosts=("paper.example",), since="2026-11-20")
    assert "/x?page=9" in follow(ARTICLES + links, "/x?page=8", RANGE)
    assert "/x?page=9" not in follow(ARTICLES + links, "/x?page=8", old)
    times = "".join(f"<time datetime='2025-01-{day:02}T10:00'>x</time>" for day in range(10, 20))
    assert newest_day(PageView(times), Listing()) == date(2025, 1, 19)
    assert newest_day(PageView(times[:40]), Listing()) is None


def test_archives_are_listed_the_newest_first() -> None:
    """Every day once, or every month where the address names no day."""
    since, until = date(2026, 2, 27), date(2026, 3, 1)
    assert archive_pages("/{yyyy}/{mm}/{dd}/", since, until) == ["/2026/03/01/", "/2026/02/28/", "/2026/02/27/"]
    assert archive_pages("/?y={yyyy}&m={m}", since, until) == ["/?y=2026&m=3", "/?y=2026&m=2"]
    assert len(archive_pages("/{yyyy}/{mm}/{dd}", date(1, 1, 1), date(9999, 12, 31))) < 15_000


@pytest.mark.parametrize(
    ("paths", "template"),
    [
        (["/2026/11/20/", "/2026/11/19/", "/2026/11/"], "/{yyyy}/{mm}/{dd}/"),
        (["/x?day=2026-9-1", "/x?day=2026-9-2"], "/x?day={yyyy}-{m}-{d}"),
        (["/2026/11/", "/2026/10/"], "/{yyyy}/{mm}/"),
        (["/2026/11/20/", "/a", "/2026/11/20/headline"], ""),
        ([], ""),
    ],
)
def test_the_template_of_an_archive_is_learnt_from_two_links(paths: list[str], template: str) -> None:
    """Days are preferred to months."""
    links = [Link(HOST + path, HOST + path, "paper.example") for path in paths]
    assert archive_template(links).removeprefix(HOST) == template


@pytest.mark.parametrize("host", ["p2.example", "page-3.example", "trang5.example", "paper.example:8082"])
def test_a_host_is_no_page_number(host: str) -> None:
    """The links of a front page are followed for a host of any name; they are no further pages of a list."""
    url = f"http://{host}/"
    page = "".join(f'<a href="/a/{letter}">{letter}</a>' for letter in "xyz")
    anchors = page_anchors(PageView(page), url, SiteModel(hosts=(host,)))
    listing = read_listing(anchors, url)
    assert (listing.own_page, listing.pages) == (1, ())
    assert len(ordered(anchors, listing, url, TODAY)) == 3
