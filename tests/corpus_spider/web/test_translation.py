"""The page in other languages: complete catalogues, the choice of a language, numbers and dates of CLDR."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from lxml.html import document_fromstring

from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.web.formatting import counted, human_size, moment, number, per_cent, period
from corpus_spider.web.translation import CATALOGUES, ENGLISH, PageLanguage, languages, speak
from storage.corpus import Corpus
from tests.corpus_spider.web.page_corpus import ARABIC, THAI, VIETNAMESE, Served, article, build
from tests.corpus_spider.web.test_web import application_of, ask
from tests.extras import needs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.html import HtmlElement

    from corpus_spider.web.guard import Guard

pytestmark = needs("web")
CODES = sorted(each.stem for each in CATALOGUES.glob("*.po"))
HELD = re.compile(r"%\(\w+\)s|</?[a-z][^>]*>|`[^`]*`")
"""Parts of a message that each translation has too: placeholders, tags, names of settings."""
VIEWS = (
    "/",
    "/documents",
    "/documents?language=vi&page=2",
    "/search",
    "/search?q=xăng",
    "/search?q=khongcochunay",
    "/search?q=xăng&sample=2&seed=3",
    "/search?q=xăng&order=1R&page=2",
    "/words?language=vi",
    "/words?list=keywords&language=vi",
    "/words?list=ngrams-3&language=vi",
    "/words?q=giá&language=vi",
    "/words?list=months&q=giá&language=vi",
    "/crawls",
    "/crawls/1",
    "/sites",
    "/dropped",
    "/dropped?reason=no_article",
    "/dropped?site=a.example&crawl=1",
    "/dropped/page?url=https://a.example/muc-luc.html",
    "/about",
    "/nope",
    "/documents/{document}",
    "/documents/{document}?at=99:0-1&q=xăng",
    "/documents/{document}/metadata",
    "/documents/{document}/versions",
    "/documents/{document}/duplicates",
    "/documents/{document}/why",
    "/documents/{document}/record",
    "/documents/{document}/extractors",
    "/documents/{document}/original",
)


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    yield
    speak(ENGLISH)


@pytest.mark.parametrize("code", CODES)
def test_each_message_is_translated_with_the_same_parts(code: str) -> None:
    """`make messages` writes the messages of today; none is empty, unsure, or has other placeholders, tags or names."""
    from tools.messages import text_of, untranslated, updated

    catalogue = updated(code)
    assert [message.id for message in untranslated(catalogue)] == []
    assert (CATALOGUES / f"{code}.po").read_bytes() == text_of(catalogue), "Run: make messages"
    for message in catalogue:
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        for form in forms if message.id else ():
            assert (message.id, sorted(HELD.findall(form))) == (message.id, sorted(HELD.findall(ids[-1])))
            # A message may stand in an attribute.
            assert '"' not in HELD.sub("", form) or '"' in ids[0], form


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A corpus of real pages with a second version, a duplicate and a dropped page; and the id of a document."""
    folder = tmp_path_factory.mktemp("translation")
    changed = (VIETNAMESE[0].replace("tăng mạnh", "giảm nhẹ"), *VIETNAMESE[1:])
    pages = [
        Served("gia-xang.html", article(VIETNAMESE, "Giá xăng tăng")),
        Served("gia-xang-2.html", article(VIETNAMESE, "Giá xăng lại tăng")),
        Served("khutta.html", article(ARABIC, "خطة", language="ar")),
        Served("matrakan.html", article(THAI, "มาตรการ", language="th")),
        Served("gia-xang.html", article(changed, "Giá xăng giảm"), day=1),
        Served("muc-luc.html", "<html><body><p>Menu</p></body></html>", is_dropped=True),
    ]
    ids = build(folder, pages)
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus, only_writer(folder / "index"):
        refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
    return folder, ids["gia-xang.html"]


@pytest.fixture(scope="module")
def app(site: tuple[Path, str]) -> Iterator[Guard]:
    folder, _ = site
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        yield application_of(folder, corpus)


def get(app: Guard, url: str, **headers: str) -> tuple[dict[str, str], HtmlElement]:
    """Return the headers and the page of an answer, which is no server error."""
    status, answered, text = ask(app, quote(url, safe="/?=&:"), **headers)
    assert status in {200, 404}, (url, status)
    return answered, document_fromstring(text.encode())


@pytest.mark.parametrize("code", CODES)
def test_no_view_has_an_english_sentence_left(app: Guard, site: tuple[Path, str], code: str) -> None:
    """Apart from texts of the corpus, names, commands and sentences of the program, which are marked as English."""
    from tools.messages import read

    english = _english(read(code))
    left = set()
    for view in VIEWS:
        _, page = get(app, view.format(document=site[1]), accept_language=code)
        assert (page.get("lang"), page.get("dir")) == (code, PageLanguage(code).direction)
        left |= {(view, text) for text in _texts(page) if any(each.fullmatch(text) for each in english)}
    assert left == set()


def _english(catalogue: Any) -> list[re.Pattern[str]]:
    """Return patterns of the messages in English whose translation differs."""
    pairs = []
    for message in catalogue:
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        pairs += [each for each in ids if each and each not in forms]
    plain = (re.sub(r"</?[a-z][^>]*>", "", each) for each in pairs)
    return [re.compile(re.sub(r"%\\\(\w+\\\)s", ".+", re.escape(each)), re.DOTALL) for each in plain]


def _texts(page: HtmlElement) -> Iterator[str]:
    """Yield the texts and labels of a page that are not data."""
    for element in page.iter():
        if not isinstance(element.tag, str) or _is_data(element):
            continue
        yield from (text.strip() for text in (element.text or "", *(each.tail or "" for each in element)))
        yield from (element.get(name, "") for name in ("aria-label", "title", "placeholder", "alt"))


def _is_data(element: HtmlElement) -> bool:
    """Return whether an element has data, or is said to be English."""
    chain = (element, *element.iterancestors())
    return any(each.tag in {"bdi", "code", "script", "style"} or each.get("lang") == "en" for each in chain)


@pytest.mark.parametrize(
    ("query", "cookie", "header", "code"),
    [
        ("", "", "", "en"),
        ("", "", "vi-VN,vi;q=0.9,en;q=0.8", "vi"),
        ("", "", "de,fr;q=0.9,th;q=0.2", "th"),
        ("", "ar", "vi", "ar"),
        ("lang=fa", "ar", "vi", "fa"),
        ("lang=nonsense", "x", "*", "en"),
        ("lang=../../etc", "", "", "en"),
    ],
)
def test_the_language_is_that_of_the_url_the_cookie_or_the_browser(
    app: Guard, query: str, cookie: str, header: str, code: str
) -> None:
    """In this order; a language that is not there is passed over."""
    _, page = get(app, f"/about?{query}", accept_language=header, cookie=cookie and f"a=b; lang={cookie}")
    assert page.get("lang") == code


@pytest.mark.parametrize(("sender", "is_kept"), [("none", True), ("same-origin", True), ("cross-site", False)])
def test_only_a_choice_on_this_page_is_kept(app: Guard, sender: str, is_kept: bool) -> None:
    """A link of another site shows its language, and the next page has that of the reader."""
    fetched = {"sec_fetch_site": sender, "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    headers, page = get(app, "/about?lang=vi", **fetched)
    assert page.get("lang") == "vi"
    assert headers.get("set-cookie", "").startswith("lang=vi; Path=/; ") == is_kept


def test_the_menu_leads_to_the_same_page_and_says_what_is_not_reviewed(app: Guard) -> None:
    """Each language by its own name, with the rest of the address."""
    _, page = get(app, "/search?q=xăng&lang=en")
    links = {each.get("hreflang"): each for each in page.xpath("//nav[@class='languages']/a")}
    assert set(links) == {"en", *CODES}
    assert links["vi"].get("href") == "/search?q=x%C4%83ng&lang=vi"
    for code, link in links.items():
        assert ("(not reviewed)" in link.text_content()) != languages()[code].is_reviewed


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("en", ("1,234.50", "98.1 %", "2026-03-07 00:05 +07:00", "2026-03", "3 documents", "1.5 KiB")),
        ("vi", ("1.234,50", "98,1%", "7 thg 3, 2026 00:05 +07:00", "thg 3 2026", "3 văn bản", "1,5 KiB")),
        ("id", ("1.234,50", "98,1%", "7 Mar 2026 00.05 +07:00", "Mar 2026", "3 dokumen", "1,5 KiB")),
        ("fa", ("۱٬۲۳۴٫۵۰", "۹۸٫۱٪", "۷ مارس ۲۰۲۶ ۰:۰۵ +۰۷:۰۰", "مارس ۲۰۲۶", "۳ سند", "۱٫۵ KiB")),
        ("ar", ("1,234.50", "98.1%", "07/03/2026 12:05 ص +07:00", "مارس 2026", "3 وثائق", "1.5 KiB")),
    ],
)
def test_numbers_shares_times_and_plurals_have_the_form_of_the_language(code: str, shown: tuple[str, ...]) -> None:
    """Those of CLDR; in English those of the terminal."""
    speak(languages()[code])
    time = moment("2026-03-07T00:05:00+07:00")
    found = (number(1234.5), per_cent(981, 1000), time, period("2026-03"), counted(3, "document"), human_size(1536))
    marks = str.maketrans("", "", "\u2066\u2069\u200e\u200f\xa0")
    assert [each.translate(marks) for each in found] == [each.translate(marks) for each in shown]
