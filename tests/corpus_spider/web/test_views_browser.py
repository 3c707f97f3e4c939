"""The views of a whole corpus in a real browser, in Vietnamese, Arabic and Thai: search, filters, keyboard, phone."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus_spider.web.test_document_browser import STEPS, bench
from tests.extras import need, needs, needs_browser

if TYPE_CHECKING:
    from tests.corpus_spider.web.test_document_browser import Bench

__all__ = ["bench"]
pytestmark = [needs("web", "render"), needs_browser]
QUESTIONS = {"vi": "xăng", "ar": "الحكومة", "th": "รัฐบาล"}
ARTICLES = {"vi": "gia-xang-4711.html", "ar": "khutta-4712.html", "th": "matrakan-4713.html"}
VIEWS = (
    "/",
    "/documents",
    "/documents?language={language}",
    "/search?q={question}",
    "/search?q={question}&order=left",
    "/search?q={question}&sample=5&page=2",
    "/words?language={language}",
    "/words?list=keywords&language={language}",
    "/words?list=months&q={question}&language={language}",
    "/crawls",
    "/crawls/1",
    "/sites",
    "/dropped",
    "/dropped?reason=no_article",
    "/dropped/page?url=https://a.example/muc-luc.html",
    "/about",
)


@pytest.mark.parametrize("language", QUESTIONS)
def test_every_view_fits_a_phone_and_a_desk_in_light_and_dark(bench: Bench, language: str) -> None:
    """No script fails, nothing is asked of another host, and the page itself never scrolls sideways."""
    host = bench.address.partition("//")[2]
    for width, scheme in ((360, "light"), (360, "dark"), (1280, "light")):
        with bench.page(viewport={"width": width, "height": 740}, color_scheme=scheme) as page:
            for view in VIEWS:
                answer = page.goto(bench.address + view.format(language=language, question=QUESTIONS[language]))
                assert answer.status == 200, view
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (view, width)
                assert page.locator("h1").count() == 1, view
    assert (bench.seen.dialogs, bench.seen.errors) == ([], [])
    assert bench.seen.hosts == {host}


@pytest.mark.parametrize("code", ["ar", "vi"])
def test_every_view_fits_a_phone_in_the_language_of_its_reader(bench: Bench, code: str) -> None:
    """Nothing is wider than the window, and the menu of the page begins at the side where its language begins."""
    headers = {"Accept-Language": code}
    with bench.page(viewport={"width": 390, "height": 780}, extra_http_headers=headers) as page:
        for view in VIEWS:
            page.goto(bench.address + view.format(language=code, question=QUESTIONS[code]))
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, view
        name = page.locator(".top .name").bounding_box()
        assert (name["x"] > 195) == (code == "ar")


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core, which finds what keeps people with a screen reader or a keyboard out."""
    need("axe")
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def serious(page: Any, axe: str) -> list[tuple[str, str]]:
    """What axe finds on a page: rule and first element. Frames are pages of their own."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {iframes: false})")["violations"]
    grave = [each for each in found if each["impact"] in {"serious", "critical"}]
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in grave]


@pytest.mark.parametrize(("language", "scheme"), [(each, "light") for each in QUESTIONS] + [("vi", "dark")])
def test_axe_finds_nothing_serious_in_any_view(bench: Bench, axe: str, language: str, scheme: str) -> None:
    """Names, contrasts, headings, languages and tables are right in each view and each tab of a document."""
    tabs = [bench.url(ARTICLES[language], step) for step in STEPS]
    views = [bench.address + view.format(language=language, question=QUESTIONS[language]) for view in VIEWS]
    with bench.page(color_scheme=scheme, bypass_csp=True) as page:
        for url in (*views, *tabs):
            page.goto(url)
            assert (url, serious(page, axe)) == (url, [])


@pytest.mark.parametrize("code", ["ar", "vi"])
def test_axe_finds_nothing_serious_in_other_languages(bench: Bench, axe: str, code: str) -> None:
    """The page in the language of its reader, with parts in other languages and directions."""
    tabs = [bench.url(ARTICLES[code], step) for step in STEPS]
    views = [bench.address + view.format(language=code, question=QUESTIONS[code]) for view in VIEWS]
    with bench.page(bypass_csp=True, extra_http_headers={"Accept-Language": code}) as page:
        for url in (*views, *tabs):
            page.goto(url)
            assert (url, serious(page, axe)) == (url, [])


@pytest.mark.parametrize("language", QUESTIONS)
def test_what_stands_before_the_keyword_is_where_a_reader_begins(bench: Bench, language: str) -> None:
    """At its right in Arabic, at its left elsewhere."""
    with bench.page() as page:
        page.goto(f"{bench.address}/search?q={QUESTIONS[language]}")
        before, keyword = (page.locator(f".concordance .{name}").first.bounding_box() for name in ("left", "key"))
        assert (before["x"] > keyword["x"]) == (language == "ar")


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_question_is_asked_and_answered_by_keyboard_alone(bench: Bench, language: str) -> None:
    """`/` goes to the search, Enter asks, `j` and Enter open a line's document, whose text has the words."""
    with bench.page() as page:
        page.goto(bench.address)
        page.keyboard.press("/")
        page.keyboard.insert_text(QUESTIONS[language])
        page.keyboard.press("Enter")
        page.wait_for_url("**/search**")
        words = page.locator(".concordance .key").first
        assert QUESTIONS[language] in words.inner_text().casefold()
        page.locator("body").press("j")
        page.keyboard.press("Enter")
        page.wait_for_url("**/documents/**")
        assert QUESTIONS[language] in page.locator("article").inner_text().casefold()


def test_the_rows_of_a_table_are_blocks_on_a_phone(bench: Bench) -> None:
    """Each cell stands below the one before, with the name of its column, and within the window."""
    with bench.page(viewport={"width": 360, "height": 740}) as page:
        page.goto(f"{bench.address}/dropped?reason=no_article")
        cells = page.locator("table.dropped tbody tr").first.locator("th, td").all()
        boxes = [box for cell in cells if (box := cell.bounding_box())]
        assert [box["y"] for box in boxes] == sorted({box["y"] for box in boxes})
        assert max(box["x"] + box["width"] for box in boxes) <= 360
        name = "cell => getComputedStyle(cell, '::before').content"
        assert cells[0].evaluate(name) == '"address"'
