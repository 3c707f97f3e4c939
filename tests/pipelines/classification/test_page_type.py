"""Page types: pages without an article are dropped in any language, and the reason names what was seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from corpus_spider.demo.site import build_site, truth
from pipelines.classification.page_type import (
    AddressForm,
    ArticleEvidence,
    ExtractedPage,
    address_kind,
    article_or_reason,
    claims,
    gather,
    judge,
)
from pipelines.markup.page_view import PageView
from pipelines.page.process import process
from pipelines.text.scripts import size
from storage.records import Capture, Metadata, Processed, SiteModel

NOW = datetime(2026, 11, 1, tzinfo=UTC)
SENTENCES = {
    "vi": "Sáng nay hàng nghìn người dân ven sông đã trở về nhà sau khi nước rút và bắt đầu dọn dẹp bùn đất trên đường",
    "ar": "عاد آلاف السكان صباح اليوم إلى منازلهم على ضفاف النهر بعد انحسار المياه وبدأوا في تنظيف الشوارع من الطين",
    "fa": "هزاران نفر از ساکنان کنار رودخانه امروز صبح پس از فروکش کردن آب به خانه‌ها بازگشتند و خیابان‌ها را پاک کردند",
    "th": "เช้าวันนี้ประชาชนริมแม่น้ำหลายพันคนเดินทางกลับบ้านหลังน้ำลดและเริ่มทำความสะอาดโคลนบนถนนหน้าบ้านของตน",
    "zh": "今天上午河边数千名居民在洪水退去之后陆续返回家中并开始清理街道上的淤泥和垃圾恢复正常生活",
    "en": "Thousands of people who live along the river went back to their homes this morning and began to clear mud",
}
STOPS = {"vi": ".", "ar": ".", "fa": ".", "th": " ", "zh": "。", "en": "."}
LANGUAGES = tuple(SENTENCES)
PARTS = {"vi": "Phần", "ar": "الجزء", "fa": "بخش", "th": "ตอนที่", "zh": "第", "en": "Part"}


def sentence(language: str, number: int, end: str | None = None) -> str:
    return f"{PARTS[language]} {number} {SENTENCES[language]}{STOPS[language] if end is None else end}"


def body_text(language: str) -> str:
    return "".join(f"<p>{sentence(language, n)} {sentence(language, n + 50)}</p>" for n in range(5))


def related(language: str) -> str:
    links = "".join(f'<li><a href="/n/{n}">{sentence(language, n + 20, "")[:50]}</a></li>' for n in range(6))
    return f"<aside><ul>{links}</ul></aside>"


def card(layout: str, language: str, number: int) -> str:
    title, url = sentence(language, number + 30, "")[-50:], f"/n/{number}"
    teaser = sentence(language, number, "…" if layout == "cards" else None)
    return {
        "cards": f'<article><h3><a href="{url}">{title} {number}</a></h3><p>{teaser}</p></article>',
        "table": f'<tr><td><a href="{url}">{title} {number}</a><br>{teaser}</td></tr>',
        "items": f'<li><a href="{url}">{title} {number}</a></li>',
        "whole": f'<div><a href="{url}"><h2>{title} {number}</h2><p>{teaser}</p></a></div>',
        "terms": f'<dt><a href="{url}">{title} {number}</a></dt><dd>{teaser}</dd>',
    }[layout]


def listing(layout: str, language: str) -> str:
    cards = "".join(card(layout, language, number) for number in range(8))
    around = {"table": "table", "items": "ul", "terms": "dl"}.get(layout, "section")
    return f"<h1>{sentence(language, 1)[:12]}</h1><{around}>{cards}</{around}>"


def processed(html: str, url: str, min_chars: int = 200) -> Processed:
    page = f"<!doctype html><html><head><meta charset=utf-8></head><body>{html}</body></html>"
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return process(Capture(url, NOW, 200, (), headers, page.encode()), SiteModel(min_chars=min_chars))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["/news/8842", "/2026/10/30/nuoc-rut", "/?p=5512", "/thoi-su/nuoc"])
def test_an_article_is_kept_at_any_address(language: str, path: str) -> None:
    """Running text without headlines between its paragraphs is an article, with a list of links beside it."""
    html = f"<article><h1>{sentence(language, 1)[:40]}</h1>{body_text(language)}</article>{related(language)}"
    assert processed(html, f"http://a.example{path}").document is not None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("https://records.example.org/announcements/", True),
        ("www.records.example.org/announcements/2026", True),
        ("announcements@records.example.org", True),
        ("", False),
    ],
)
def test_a_written_address_that_is_linked_is_no_headline(language: str, source: str, kept: bool) -> None:
    """Each paragraph ends with a link to its source: an article. The same paragraphs below headlines are a list."""
    parts = "".join(
        f'<p>{sentence(language, n)} {sentence(language, n + 50)}</p><div><a href="/source/{n}">'
        f"{source or sentence(language, n + 20, '')[:60]}</a></div>"
        for n in range(6)
    )
    assert (processed(f"<h1>{PARTS[language]}</h1>{parts}", "http://a.example/sources").document is not None) == kept


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("layout", ["cards", "table", "items", "whole", "terms"])
@pytest.mark.parametrize("path", ["/", "/society"])
def test_front_pages_and_sections_are_dropped(language: str, layout: str, path: str) -> None:
    """Headlines with teasers, in any mark-up, are no article."""
    drop = processed(listing(layout, language), f"http://a.example{path}").drop
    assert drop is not None
    assert drop.reason in {"listing", "no_article"}
    assert drop.detail


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", ["/contact", "/login", "/gallery", "/error"])
def test_pages_of_a_few_sentences_that_nothing_calls_articles_are_dropped(language: str, path: str) -> None:
    """Contact, login, gallery and error pages say a little, in sentences; some of them are longer than `min_chars`."""
    html = f"<main><h1>Menu</h1><p>{sentence(language, 1)}</p><p>{sentence(language, 2)}</p><form><input></form></main>"
    drop = processed(html, f"http://a.example{path}").drop
    assert drop is not None
    assert drop.reason == "no_article"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "statement",
    [
        '<meta property="og:type" content="article">',
        '<meta property="article:published_time" content="2026-10-30">',
        '<script type="application/ld+json">{"@type": "NewsArticle"}</script>',
    ],
)
def test_a_short_page_that_states_it_is_an_article_is_believed(language: str, statement: str) -> None:
    """The same few sentences are kept when the page says what they are."""
    html = f"{statement}<main><h1>Menu</h1>{f'<p>{sentence(language, 1)} {sentence(language, 2)}</p>' * 2}</main>"
    assert processed(html, "http://a.example/brief").document is not None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("layout", "kept"),
    [
        ("<h1>{title}</h1><video></video><footer>{text}</footer>", False),
        ('<h1>{title}</h1><video></video><div class="wide footer"><div>{text}</div></div>', False),
        ('<h1>{title}</h1><video></video><div role="contentinfo">{text}</div>', False),
        ("<article><h1>{title}</h1><footer>{text}</footer></article>", True),
        ("<h1>{title}</h1>{text}<footer>Imprint</footer>", True),
        ('<div class="footer"><h1>{title}</h1>{text}</div>', True),
    ],
)
def test_a_page_with_text_in_its_footer_only_is_no_article(language: str, layout: str, kept: bool) -> None:
    """The page of a film shows a headline and the publisher's address; the footer of an article is its own."""
    text = "".join(f"<p>{sentence(language, number)} {sentence(language, number + 4)}</p>" for number in range(1, 4))
    title = sentence(language, 9)[:40]
    html = f"<title>{title}</title>{layout.format(title=title, text=text)}"
    made = processed(html, "http://a.example/film/around-the-old-harbour-90017.html", min_chars=100)
    assert (made.document is not None) is kept
    assert kept or (made.drop and made.drop.detail == "only the footer of the page")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("title", "heading", "kept"),
    [
        ("{0} - News", "<h1>{0}</h1>", True),
        ("{0}", "<h1>News</h1><h2> {0}</h2>", True),
        ("News", "<h1>{0}</h1>", False),
        ("{0}", '<h1><a href="/n/1">{0}</a></h1>', False),
        ("News", "<h1>News</h1>", False),
    ],
)
def test_a_short_text_under_a_headline_of_its_own_is_kept(language: str, title: str, heading: str, kept: bool) -> None:
    """Where nothing else speaks for an article: the page's title says the headline too, and it leads nowhere."""
    headline = sentence(language, 1)[:40]
    text = f"<p>{sentence(language, 2)} {sentence(language, 3)}</p><p>{sentence(language, 4)}</p>"
    html = f"<title>{title.format(headline)}</title><main>{heading.format(headline)}{text}</main>"
    assert (processed(html, "http://a.example/brief").document is not None) == kept


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("layout", ["cards", "table", "items", "whole", "terms"])
def test_a_section_with_a_long_name_is_a_section(language: str, layout: str) -> None:
    """A headline in the title makes no article of links and teasers."""
    name = sentence(language, 1)[:40]
    html = f"<title>{name}</title>{listing(layout, language)}".replace(sentence(language, 1)[:12], name)
    assert processed(html, "http://a.example/society").document is None


def test_a_section_that_states_it_is_an_article_is_not_believed() -> None:
    """Some newspapers state og:type article on every page."""
    html = '<meta property="og:type" content="article">' + listing("cards", "vi")
    drop = processed(html, "http://a.example/society").drop
    assert drop is not None
    assert drop.reason in {"listing", "no_article"}


@pytest.mark.parametrize("layout", ["cards", "table"])
def test_whoever_takes_any_text_gets_the_text_of_any_page(layout: str) -> None:
    """A page that a user names is read in any case."""
    assert processed(listing(layout, "en"), "http://a.example/", min_chars=1).document is not None


ARTICLE = ArticleEvidence(size=1500, running=1400, linked=0.05, blocks=8, headlines=1, broken_off=0.0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"size": 199, "running": 199}, "no_article"),
        ({"running": 599}, "no_article"),
        ({"running": 599, "dated": True}, None),
        ({"running": 599, "headed": True, "headlines": 0}, None),
        ({"running": 599, "headed": True}, "no_article"),
        ({"running": 1400, "headed": True, "headlines": 0, "address": AddressForm.FRONT}, "no_article"),
        ({"running": 199, "address": AddressForm.ARTICLE}, "no_article"),
        ({"running": 0, "claims": ("og:type",)}, None),
        ({"address": AddressForm.FRONT}, "no_article"),
        ({"running": 4000, "address": AddressForm.FRONT}, None),
        ({"linked": 0.4}, "listing"),
        ({"linked": 0.4, "address": AddressForm.ARTICLE}, None),
        ({"linked": 0.7, "claims": ("JSON-LD",)}, "listing"),
        ({"headlines": 4}, "listing"),
        ({"headlines": 6, "claims": ("JSON-LD",)}, None),
        ({"headlines": 7, "claims": ("JSON-LD",)}, "listing"),
        ({"listed": True}, "listing"),
        ({"listed": True, "size": 199}, "no_article"),
        ({"broken_off": 0.7}, "listing"),
        ({"broken_off": 0.7, "claims": ("JSON-LD",)}, None),
        ({"linked": 0.4, "confidence": 0.9}, None),
        ({"linked": 0.6, "confidence": 0.99}, "listing"),
        ({"headlines": 4, "confidence": 0.9}, None),
        ({"headlines": 4, "confidence": 0.89}, "listing"),
        ({"running": 599, "confidence": 0.99}, "no_article"),
        ({"headlines": 3, "confidence": 0.7}, None),
        ({"headlines": 3, "confidence": 0.69}, "listing"),
        ({"headlines": 4, "address": AddressForm.ARTICLE, "confidence": 0.7}, None),
        ({"headlines": 4, "address": AddressForm.ARTICLE, "confidence": 0.69}, "listing"),
        ({"headlines": 4, "dated": True, "confidence": 0.1}, None),
        ({"headlines": 6, "claims": ("JSON-LD",), "confidence": 0.1}, None),
        ({"running": 1400, "address": AddressForm.FRONT, "confidence": 0.99}, "no_article"),
    ],
)
def test_the_decision_follows_from_the_evidence(changes: dict[str, object], reason: str | None) -> None:
    """What speaks for an article widens the limits; a front page's address narrows them, and so does little confidence
    where the page states nothing."""
    drop = judge(replace(ARTICLE, **changes), 200)
    assert (drop.reason if drop else None) == reason


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://a.example/", AddressForm.FRONT),
        ("http://a.example", AddressForm.FRONT),
        ("http://a.example/vi/", AddressForm.FRONT),
        ("http://a.example/pt-br", AddressForm.FRONT),
        ("http://a.example/index.php", AddressForm.FRONT),
        ("http://a.example/?p=4711", AddressForm.ARTICLE),
        ("http://a.example/?p=1", AddressForm.ANY),
        ("http://a.example/section.php?name=x", AddressForm.ANY),
        ("http://a.example/society", AddressForm.ANY),
        ("http://a.example/tag/flood/page/2", AddressForm.ANY),
        ("http://a.example/news/2538667", AddressForm.ARTICLE),
        ("http://a.example/2026/10/30/river", AddressForm.ARTICLE),
        ("http://a.example/river-clinic-opens-today.html", AddressForm.ARTICLE),
        ("http://a.example/%D8%AC%D8%B4%D9%86-%D9%86%D9%88%D8%B1-%D8%AF%D8%B1-%D8%B4%D9%87%D8%B1", AddressForm.ARTICLE),
        ("about:blank", AddressForm.ANY),
        ("", AddressForm.ANY),
    ],
)
def test_the_shape_of_an_address(url: str, kind: AddressForm) -> None:
    """Dates, long numbers and headlines speak for an article; a bare host or a language's code for a front page."""
    assert address_kind(url) is kind


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("", ()),
        ('<meta property="og:type" content="website">', ()),
        ('<meta property="og:type" content="Article">', ("og:type",)),
        ('<meta name="og:type" content="news">', ("og:type",)),
        ('<script type="application/ld+json">[{"@type":["Thing","ReportageNewsArticle"]}]</script>', ("JSON-LD",)),
        ('<script type="application/ld+json">{"@type":"BlogPosting", broken</script>', ("JSON-LD",)),
        ('<script type="application/ld+json">{"@type":"WebSite"}</script>', ()),
        ('<script type="application/ld+json">{"@type":"JobPosting"}</script>', ()),
        (f'<script type="application/ld+json">[{"""{"@type":"NewsArticle"},""" * 9}]</script>', ()),
        (
            '<meta name="og:type" content="article"><script type="application/ld+json">{"@type":"AboutPage"}</script>',
            (),
        ),
        ('<body><div itemprop="articleBody">', ("articleBody",)),
    ],
)
def test_what_a_page_states_of_itself(head: str, found: tuple[str, ...]) -> None:
    """Open Graph, JSON-LD however broken, and microdata; a statement to be a list overrules them."""
    assert claims(PageView(head)) == found


@pytest.mark.parametrize(
    ("head", "listed"),
    [
        ('<script type="application/ld+json">{"@type":"%s"}</script>', True),
        ('<meta property="og:type" content="article"><script type="application/ld+json">{"@type":"%s"}</script>', True),
        ('<script type="application/ld+json">[{"@type":"%s"},{"@type":"NewsArticle"}]</script>', False),
        (
            '<meta property="article:published_time" content="2026"><script type="ld+json">{"@type":"%s"}</script>',
            False,
        ),
    ],
    ids=["a list", "a list called article", "an article in a list", "published"],
)
def test_a_page_that_states_to_be_a_list_is_one_if_only_of_one_post(head: str, listed: bool) -> None:
    """As those of most tags are, with the beginning of the post or all of it; a statement is believed of no article."""
    text = "Chính phủ cho biết hôm thứ Hai rằng sẽ xây 12 cây cầu mới, và công việc sẽ sớm bắt đầu. " * 8
    for kind in ("CollectionPage", "SearchResultsPage"):
        view = PageView(f"{head % kind}<h2><a href=/1>Cầu mới</a></h2><p>{text}")
        drop = article_or_reason(
            ExtractedPage(view, "https://a.example/tag/cau-moi-o-mien-trung", Metadata()), [text], 200, 0.95
        )
        assert (drop is not None and drop.reason == "listing") is listed


@pytest.mark.parametrize(
    ("text", "letters"),
    [("abc " * 25, 100), ("", 0), ("国" * 100, 350), ("かな" * 50, 200), ("한국" * 50, 250), ("ไทย" * 20, 69)],
)
def test_dense_scripts_weigh_more(text: str, letters: int) -> None:
    """One limit is fair to all: a Chinese text says in a third of the characters what an alphabet's says."""
    assert size(text) == letters


@pytest.mark.parametrize(("characters", "kept"), [(150, True), (60, True), (30, False)])
def test_the_shortest_text_is_counted_in_letters_of_an_alphabet(characters: int, kept: bool) -> None:
    """Sixty Chinese characters are a brief, thirty are a caption."""
    text = (SENTENCES["zh"] * 4)[: characters - 1] + "。"
    html = f'<meta property="og:type" content="article"><article><p>{text}</p></article>'
    assert (processed(html, "http://a.example/brief").document is not None) is kept


def test_paragraphs_are_found_again_behind_invisible_characters_and_glued_words() -> None:
    """Cleaning drops marks of direction and soft hyphens; mark-up without white space glues words of two elements."""
    teasers = [sentence("fa", number) for number in range(4)]
    html = "".join(
        f'<div><a href="/n/{n}"><b>{sentence("fa", n + 60)[:40]}</b></a><p>&rlm;{text.replace(" ", "&shy; ")}</p></div>'
        for n, text in enumerate(teasers)
    )
    evidence = gather(ExtractedPage(PageView(html), "http://a.example/x", Metadata()), teasers)
    assert (evidence.blocks, evidence.headlines) == (4, 3)


MARKUP = st.lists(
    st.sampled_from(
        ["<a href=/x>", "</a>", "<p>", "</p>", "<table><td>", "<script>", "</script>", "<h1>", "<body>", "\0", "\ud800"]
    )
    | st.text(max_size=80)
).map("".join)


@settings(max_examples=150, deadline=None)
@given(html=MARKUP, paragraphs=st.lists(st.text(max_size=200)), url=st.text(max_size=40), least=st.integers(0, 500))
def test_any_page_is_measured(html: str, paragraphs: list[str], url: str, least: int) -> None:
    """Nothing raises, and shares are shares."""
    page = ExtractedPage(PageView(html), url, Metadata())
    evidence = gather(page, paragraphs)
    assert 0 <= evidence.linked <= 1
    assert 0 <= evidence.broken_off <= 1
    assert 0 <= evidence.headlines <= max(0, evidence.blocks - 1)
    assert article_or_reason(page, paragraphs, least) == judge(evidence, least)


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/x><table><tr><td>" * 3000 + "text " * 1000,
        "".join(f"<a href=/{n}>link number {n}</a>" for n in range(30_000)),
        "<div>" * 5000 + "".join(f"<a href=/{n}>{'word ' * 9}</a>" for n in range(3000)),
        f"<p>{'word ' * 200_000}</p>",
    ],
    ids=["nested", "many", "deep", "long"],
)
def test_hostile_pages_are_measured_within_bounds(html: str) -> None:
    """Links inside links, tens of thousands of them and texts of a megabyte come to an end."""
    view = PageView("")
    view.tree = LexborHTMLParser(html)
    page = ExtractedPage(view, "http://a.example/x", Metadata())
    absent = [f"paragraph number {n} that is nowhere to be found in the page at all." for n in range(3000)]
    evidence = gather(page, absent)
    assert (evidence.blocks, evidence.headlines, evidence.linked) == (0, 0, 0.0)
    assert evidence.size == sum(map(len, absent))


@pytest.mark.parametrize("more", ["", " Đọc tiếp", " قراءة المزيد", " อ่านต่อ", " Continue reading »"])
@pytest.mark.parametrize("end", ["…", "..."])
def test_the_last_page_of_a_list_is_one_by_its_teasers(end: str, more: str) -> None:
    """Two teasers that break off, with or without the words of a link to the rest, are a list, though it is dated."""
    title = "Council agrees to mend the bridge over the river"
    teasers = [f"{SENTENCES['en']} {number}{end}{more}" for number in (1, 2)]
    cards = "".join(f"<h2><a href=/{n}>{title} {n}</a></h2><p>{text}</p>" for n, text in enumerate(teasers))
    page = ExtractedPage(PageView(f"<body>{cards}</body>"), "http://a.example/tag/x", Metadata(published_source="time"))
    drop = article_or_reason(page, teasers, 200)
    assert drop
    assert "break off" in drop.detail


@cache
def demo() -> dict[tuple[str, str], Processed]:
    """Every page of the demo site that gives a text and is no redirect, without a wanted language."""
    outcomes = {}
    for (host, path), answer in build_site().answers.items():
        capture = Capture(f"http://{host}{path}", NOW, answer.status, (), answer.headers, answer.body)
        if answer.status == 200 and "html" in (capture.header("Content-Type") or ""):
            outcomes[host, path] = process(capture, SiteModel())
    return {key: outcome for key, outcome in outcomes.items() if not outcome.drop or outcome.drop.reason != "not_html"}


def test_every_article_of_the_demo_is_kept() -> None:
    """In Vietnamese, Arabic, Persian, Urdu and Thai, and the syndicated and second copies too."""
    assert {key for key in truth() if demo()[key].document is None} == set()


def test_nearly_all_other_pages_of_the_demo_are_dropped() -> None:
    """Front pages, sections, contact, login, video, gallery and private pages: at most three are kept."""
    others = {key: outcome for key, outcome in demo().items() if key not in truth()}
    assert len(others) > 20
    assert len([key for key, outcome in others.items() if outcome.document]) <= 3


@pytest.mark.parametrize(
    "sign", ["¦", "\u200b", "\xad", "\xa0", "\u3000", "\ufffd", "e\u0301", "\u0301", "&#xD800;", "𠀀"]
)
@pytest.mark.parametrize("place", ["first", "last", "every"])
def test_no_sign_in_a_text_hides_the_links_of_the_page(sign: str, place: str) -> None:
    """The texts of all links are folded at once, and have their places in the page as if each were folded alone."""
    texts = [f"{number} {SENTENCES['en']} {number}." for number in range(4)]
    marked = {"first": {0}, "last": {3}, "every": set(range(4))}[place]

    def made(sign: str) -> ArticleEvidence:
        links = [f"Headline {number} of another article{sign * (number in marked)}" for number in range(4)]
        parts = [
            f'<p>{text}</p><a href="/{at}">{link}</a>' for at, (text, link) in enumerate(zip(texts, links, strict=True))
        ]
        page = ExtractedPage(PageView(f"<title>News</title>{''.join(parts)}"), "https://a.example/", Metadata())
        return gather(page, texts)

    assert made(sign).headlines == 3
    assert made(sign) == made("")
