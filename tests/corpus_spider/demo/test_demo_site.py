"""Demo site: its true texts are in its pages, all promised cases exist, and its server behaves."""

from __future__ import annotations

import gzip
import re
import unicodedata
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import feedparser
import lxml.html
import pytest
from hatchling.builders.wheel import WheelBuilder
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from rapidfuzz import fuzz

from corpus_spider.config import loader
from corpus_spider.demo import articles, papers
from corpus_spider.demo.run import demo_config
from corpus_spider.demo.site import DemoResponse, Key, build_site, encode, truth
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT = 8000
SITE = build_site(PORT)
TRUTH = truth()
LANGUAGES = ("vi", "ar", "fa", "ur", "th")
ARTICLES = articles.load()
DEAD = {
    "vi": {"/tuyen-dung.html", "/tin-cu/0000001.htm"},
    "ar": {"/about"},
    "fa": {"/fa/agahi"},
    "ur": {"/purana.php?id=1"},
    "th": {"/privacy-policy/"},
}


def host(language: str) -> str:
    return f"{language}.demo.localhost"


def header(answer: DemoResponse, name: str) -> str:
    return dict(answer.headers).get(name, "")


def html(answer: DemoResponse) -> str:
    """The page as text, read with the encoding its article file names."""
    body = gzip.decompress(answer.body) if header(answer, "Content-Encoding") == "gzip" else answer.body
    return body.decode(CODECS.get(answer.body, "utf-8"))


def article_answers() -> Iterator[tuple[articles.Article, DemoResponse]]:
    for paper in papers.load():
        for article in ARTICLES:
            if article.paper == paper.language:
                yield article, SITE.answers[paper.host, paper.path(article)]


CODECS = {
    answer.body: {"windows-874": "cp874"}.get(encoding, encoding)
    for article, answer in article_answers()
    if (encoding := article.fields.get("encoding", "utf-8"))
}


def flat(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def visible(answer: DemoResponse) -> str:
    tree = lxml.html.document_fromstring(re.sub(r"^<\?xml[^>]*>", "", html(answer)))
    for node in tree.xpath("//script | //style | //head"):
        node.drop_tree()
    return flat(tree.text_content())


def is_page(answer: DemoResponse) -> bool:
    return answer.status == 200 and "html" in header(answer, "Content-Type") and not answer.body.startswith(b"\x89PNG")


def pages(language: str) -> dict[str, DemoResponse]:
    return {path: answer for (name, path), answer in SITE.answers.items() if name == host(language) and is_page(answer)}


def links(language: str, path: str) -> set[str]:
    """Targets on the same host that a page links to, without fragments."""
    base = f"http://{host(language)}:{PORT}{path}"
    found = lxml.html.document_fromstring(html(SITE.answers[host(language), path])).xpath("//a/@href")
    targets = [urlsplit(urljoin(base, href)) for href in found]
    return {
        target.path + (f"?{target.query}" if target.query else "")
        for target in targets
        if target.scheme == "http" and target.hostname == host(language)
    }


@pytest.mark.parametrize("key", TRUTH, ids=lambda key: key[0][:2] + key[1][-25:])
def test_the_true_text_stands_on_the_page_in_order(key: Key) -> None:
    """Every true paragraph is visible on its page after decoding, in the order of the truth, and so is the title."""
    text, position = visible(SITE.answers[key]), 0
    for paragraph in TRUTH[key].text.split("\n"):
        found = text.find(flat(paragraph), position)
        assert found >= 0, paragraph
        position = found + len(flat(paragraph))
    assert flat(TRUTH[key].title) in text


def test_the_truth_has_no_captions_and_no_marks() -> None:
    """Captions are on the pages and not in the truth; link marks are in neither."""
    for article, answer in article_answers():
        captions = [block.plain for block in article.blocks if block.role is articles.Role.CAPTION]
        assert all(flat(caption) in visible(answer) for caption in captions)
        assert not any(caption in article.true_text for caption in captions)
        assert "](" not in article.true_text + visible(answer)


def test_each_newspaper_has_about_a_dozen_pages_of_real_length() -> None:
    """Five newspapers, eight articles each of 3 or more paragraphs and 600 to 2500 characters, 60 to 80 pages."""
    originals = [page for page in TRUTH.values() if page.duplicate_of is None and page.language in LANGUAGES]
    assert {page.language for page in originals} == set(LANGUAGES)
    assert len(originals) == 40
    assert all(600 <= len(page.text) <= 2500 and page.text.count("\n") >= 2 for page in originals)
    assert all(12 <= len(pages(language)) <= 18 for language in LANGUAGES)
    assert 60 <= sum(len(pages(language)) for language in LANGUAGES) <= 80


@pytest.mark.parametrize(
    ("encoding", "language"),
    [
        ("windows-1258", "vi"),
        ("windows-1256", "ar"),
        ("windows-1256", "fa"),
        ("utf-16", "ur"),
        ("ascii", "ur"),
        ("windows-874", "th"),
        ("tis-620", "th"),
    ],
)
def test_there_is_a_page_in_each_legacy_encoding(encoding: str, language: str) -> None:
    """The page's bytes are no UTF-8 (or ASCII with character references), and its encoding is stated somewhere."""
    [answer] = [
        answer
        for article, answer in article_answers()
        if (article.fields.get("encoding"), article.language) == (encoding, language)
    ]
    stated = header(answer, "Content-Type") + html(answer)[:400]
    if encoding == "utf-16":
        assert answer.body.startswith(b"\xff\xfe")
    elif encoding == "ascii":
        assert answer.body.isascii()
        assert b"&#1" in answer.body
    else:
        assert f"charset={encoding}" in stated
        with pytest.raises(UnicodeDecodeError):
            answer.body.decode()


def test_a_page_lies_about_its_encoding() -> None:
    """One Persian page is UTF-8 and says windows-1256."""
    [lying] = [
        answer for answer in pages("fa").values() if b"windows-1256" in answer.body and CODECS[answer.body] == "utf-8"
    ]
    assert "زعفران" in lying.body.decode()


@given(st.text(alphabet="aăâeêioôơuưyđAĂÂÔƠƯĐ áàảãạấầẩẫậắằẳẵặéèẻẽẹếềểễệíìỉĩịóòỏõọốồổỗộớờởỡợúùủũụứừửữựýỳỷỹỵ,.1"))
def test_vietnamese_survives_windows_1258(text: str) -> None:
    """Every Vietnamese text comes back from windows-1258 in its composed form, without character references."""
    encoded = encode(text, "windows-1258")
    assert unicodedata.normalize("NFC", encoded.decode("cp1258")) == unicodedata.normalize("NFC", text)


def test_duplicates_are_exact_or_near_and_in_one_language() -> None:
    """Second addresses repeat a text exactly; syndicated copies differ a little and stand under another template."""
    exact, near = [], []
    for key, page in TRUTH.items():
        if page.duplicate_of:
            original = TRUTH[page.duplicate_of]
            assert original.duplicate_of is None
            assert original.language == page.language
            (exact if original.text == page.text else near).append((key, page, original))
    assert {key[0] for key, _, _ in exact} == {host(language) for language in LANGUAGES}
    assert len(near) == 4
    for key, page, original in near:
        assert 90 < fuzz.ratio(page.text, original.text) < 100
        assert "wire-story" in html(SITE.answers[key])
        assert key[1] in links(key[0][:2], "/")


def test_second_addresses_are_linked_and_name_themselves_as_canonical() -> None:
    """Did they name the first, they would be no duplicates but the same page."""
    for language in ("ar", "vi"):
        [(key, _page)] = [
            (key, page)
            for key, page in TRUTH.items()
            if key[0] == host(language) and page.duplicate_of and TRUTH[page.duplicate_of].text == page.text
        ]
        [canonical] = lxml.html.document_fromstring(html(SITE.answers[key])).xpath("//link[@rel='canonical']/@href")
        assert urlsplit(canonical).path == key[1]
        assert key[1] in links(language, "/")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_link_leads_somewhere_or_is_known_to_be_dead(language: str) -> None:
    """Of all links inside a newspaper only the intended ones bring 404, and each newspaper has one."""
    targets = set().union(*(links(language, path) for path in pages(language)))
    dead = {target for target in targets if SITE.answer(host(language), target).status == 404}
    assert dead == DEAD[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_article_can_be_found(language: str) -> None:
    """Links from the front page on, the feed and the sitemap lead to every article; some only by feed or sitemap."""
    reached, waiting = set(), {"/"}
    while waiting:
        path = waiting.pop()
        reached.add(path)
        answer = SITE.answer(host(language), path)
        if (host(language), path) in SITE.answers and is_page(answer):
            waiting |= links(language, path) - reached
    wanted = {path for name, path in TRUTH if name == host(language)}
    unlinked = {article.fields["id"] for article in ARTICLES if article.language == language and not article.listed}
    missing = wanted - reached
    assert len(missing) == {"vi": 1, "th": 1}.get(language, 0)
    assert all(any(number in path or "samunphrai" in path for number in unlinked) for path in missing)
    assert missing <= announced(language)


def announced(language: str) -> set[str]:
    """Targets that the feed and the sitemap name, tracking parameters taken off."""
    bodies = [
        gzip.decompress(answer.body) if path.endswith(".gz") else answer.body
        for (name, path), answer in SITE.answers.items()
        if name == host(language) and ("sitemap" in path or "feed" in path or path.endswith(".rss"))
    ]
    urls = re.findall(rf"http://{host(language)}:{PORT}(/[^<\"]*)", b"".join(bodies).decode())
    return {url.split("?utm_")[0] for url in urls}


@pytest.mark.parametrize(
    ("language", "path", "version"),
    [("vi", "/rss/tin-moi-nhat.rss", "rss20"), ("ar", "/feed.atom", "atom10"), ("th", "/feed/", "rss20")],
)
def test_feeds_are_well_formed_and_lead_to_articles(language: str, path: str, version: str) -> None:
    """A feed reader knows the version, and every entry's link answers with an article's page."""
    parsed = feedparser.parse(SITE.answers[host(language), path].body)
    assert (parsed.version, bool(parsed.bozo)) == (version, False)
    assert len(parsed.entries) == 8
    for entry in parsed.entries:
        target = urlsplit(entry.link)
        assert (host(language), target.path) in TRUTH
        assert SITE.answer(host(language), f"{target.path}?{target.query}".rstrip("?")).status == 200


def test_the_sitemap_index_has_a_gzipped_child() -> None:
    """The Thai index names one child, a gzip file that is not content-encoded, and the child names every article."""
    index = SITE.answers[host("th"), "/sitemap_index.xml"].body.decode()
    [child] = re.findall(r"<loc>(.*?)</loc>", index)
    answer = SITE.answers[host("th"), urlsplit(child).path]
    assert header(answer, "Content-Encoding") == ""
    named = re.findall(r"<loc>(.*?)</loc>", gzip.decompress(answer.body).decode())
    assert {(host("th"), urlsplit(url).path) for url in named} < set(TRUTH)
    assert len(named) == 9


@pytest.mark.parametrize("language", ["vi", "ar", "ur", "th"])
def test_the_private_page_is_linked_forbidden_and_there(language: str) -> None:
    """robots.txt forbids /private/ to everyone, pages link to it, and it would answer with a page like any other."""
    robots = Protego.parse(SITE.answers[host(language), "/robots.txt"].body.decode())
    assert not robots.can_fetch(f"http://{host(language)}:{PORT}/private/", "corpus-spider")
    assert robots.can_fetch(f"http://{host(language)}:{PORT}/", "corpus-spider")
    assert "/private/" in links(language, "/")
    assert len(visible(SITE.answers[host(language), "/private/"])) > 300


def test_one_newspaper_has_no_robots_txt() -> None:
    """The Persian newspaper answers 404 for robots.txt."""
    assert SITE.answer(host("fa"), "/robots.txt").status == 404


@pytest.mark.parametrize(
    ("language", "path", "status", "absolute"),
    [("vi", "/tin-cu/4806011.htm", 301, True), ("ar", "/go/70190", 302, False), ("th", "/?p=2284", 301, True)],
)
def test_redirects_are_linked_and_lead_to_articles(language: str, path: str, status: int, absolute: bool) -> None:
    """A redirect answers with its status and a Location, absolute or relative, that is an article's address."""
    answer = SITE.answer(host(language), path)
    location = header(answer, "Location")
    assert (answer.status, location.startswith("http://")) == (status, absolute)
    assert (host(language), urlsplit(urljoin(f"http://{host(language)}:{PORT}{path}", location)).path) in TRUTH
    assert path in links(language, "/")


def test_an_image_says_that_it_is_a_page() -> None:
    """One linked address answers a PNG with the content type of HTML."""
    answer = SITE.answers[host("ur"), "/tasveer.php?id=77"]
    assert header(answer, "Content-Type").startswith("text/html")
    assert answer.body.startswith(b"\x89PNG\r\n\x1a\n")
    assert "/tasveer.php?id=77" in links("ur", "/")


@pytest.mark.parametrize("language", LANGUAGES)
def test_tracking_parameters_lead_to_the_same_page(language: str) -> None:
    """Each front page links to an article with utm_ parameters, and the answer is that of the plain address."""
    variants = {target for target in links(language, "/") if "utm_" in target}
    plain = {re.sub(r"[?&]utm_.*", "", target) for target in variants}
    assert variants
    assert plain <= {path for name, path in TRUTH if name == host(language)}
    assert all(
        SITE.answer(host(language), f"{path}{'&' if '?' in path else '?'}utm_source=x").status == 200 for path in plain
    )
    assert SITE.answer(host(language), next(iter(plain)) + "&other=1").status == 404


def test_an_english_page_stands_among_the_thai_ones() -> None:
    """One page is in a language that the demo's configuration does not want."""
    [(key, page)] = [(key, page) for key, page in TRUTH.items() if page.language not in LANGUAGES]
    assert (key[0], page.language) == (host("th"), "en")
    assert key[1] in links("th", "/")


def test_right_to_left_papers_say_so() -> None:
    """Arabic, Persian and Urdu pages carry dir=rtl, the others do not."""
    for language in LANGUAGES:
        marked = "rtl" in html(SITE.answers[host(language), "/"])[:300].lower()
        assert marked == (language in {"ar", "fa", "ur"})


def test_the_site_is_the_same_every_time() -> None:
    """Two builds for one port are equal byte for byte; another port changes nothing but the port."""
    assert build_site(PORT) == SITE
    other = build_site(9000)
    assert other.answers.keys() == SITE.answers.keys()
    assert html(other.answers[host("th"), "/"]).replace(":9000", f":{PORT}") == html(SITE.answers[host("th"), "/"])
    assert f"{host('vi')}/" in html(build_site().answers["demo.localhost", "/"])


def test_until_a_day_the_newspapers_lack_what_comes_later() -> None:
    """Later articles are not served, not listed and not linked; the others stay the same. The port keeps the day."""
    early = build_site(PORT, date(2026, 10, 3))
    days = {}
    for paper in papers.load():
        for article in ARTICLES:
            if article.paper == paper.language:
                paths = filter(None, (paper.path(article), article.fields.get("also")))
                days |= {(paper.host, path): article.date.date() for path in paths}
    later = {key for key, day in days.items() if day > date(2026, 10, 3)}
    assert 5 < len(later) < len(days)
    assert early.answers.keys() & days.keys() == days.keys() - later
    for (name, _), answer in early.answers.items():
        body = gzip.decompress(answer.body) if answer.body.startswith(b"\x1f\x8b") else answer.body
        links = re.findall(
            r'(?:href="|<loc>|<link>)(?:http://[^/"<]+)?(/[^"<#]*)', body.replace(b"\0", b"").decode("latin-1")
        )
        assert {(name, re.sub(r"[?&](amp;)?utm.*", "", link)) for link in links} & later == set()
    assert early.at(9000).answers.keys() == early.answers.keys()


def test_before_the_first_articles_there_is_no_newspaper() -> None:
    """The message names the first possible day, and that day works."""
    with pytest.raises(ConfigError, match="too few articles") as error:
        build_site(PORT, date(2020, 1, 1))
    first = date.fromisoformat(re.search(r"\d{4}-\d\d-\d\d", error.value.do)[0])
    assert build_site(PORT, first).answers
    with pytest.raises(ConfigError):
        build_site(PORT, first - timedelta(days=1))


def test_the_configuration_is_valid_and_names_what_exists(tmp_path: Path) -> None:
    """corpus.toml loads, its sites are the newspapers, and every start, feed and sitemap answers 200."""
    file = tmp_path / "corpus.toml"
    file.write_text(demo_config(PORT), encoding="utf-8")
    loaded = loader.load(file, environ={})
    assert loaded.corpus.languages == LANGUAGES
    assert [site.name for site in loaded.sites] == [f"{language}-demo" for language in LANGUAGES]
    urls = [url for site in loaded.sites for url in (*site.start, *site.feeds, *site.sitemaps)]
    assert len(urls) == 5 + 3 + 4
    for url in map(urlsplit, urls):
        assert url.port == PORT
        assert SITE.answer(str(url.hostname), url.path).status == 200


def test_the_data_files_travel_with_the_package() -> None:
    """The wheel holds every article, every template and papers.toml."""
    root = Path(articles.__file__).parents[2]
    shipped = {file.relative_path for file in WheelBuilder(str(root)).recurse_included_files()}
    data = [path for path in (root / "corpus_spider/demo").rglob("*") if path.suffix in {".txt", ".html", ".toml"}]
    assert len(data) > 70
    assert {str(path.relative_to(root)) for path in data} <= shipped
