"""The page of a search: each line leads to its place in the document, the answer can be cited, months have an axis."""

from __future__ import annotations

import json
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from lxml.html import document_fromstring

from corpus_spider.cli.app import run
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.terminal.values import number
from corpus_spider.web.charts.time_axis import per_month
from storage.corpus import Corpus
from tests.corpus_spider.web.page_corpus import ARABIC, THAI, VIETNAMESE, Served, article, build
from tests.corpus_spider.web.test_web import application_of, ask
from tests.extras import needs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus_spider.web.guard import Guard

pytestmark = needs("web")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    pages = [
        Served("gia/xang.html", article(VIETNAMESE, "Giá xăng tăng")),
        Served("khutta.html", article(ARABIC, "خطة جديدة", language="ar")),
        Served("matrakan.html", article(THAI, "มาตรการ", language="th")),
    ]
    build(folder, pages)
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus, only_writer(folder / "index"):
        refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
    return folder


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[Guard]:
    with closing(Corpus.open(folder / "corpus.db", read_only=True)) as corpus:
        yield application_of(folder, corpus)


@pytest.mark.parametrize(
    "question", ["gia xang", "xăng -opec", "الحكومة OR الغلاء", "خطة", "น้ำมัน", "มาตรการ", "giá NEAR/5 xăng"]
)
def test_a_line_leads_to_its_place_among_the_others_of_its_document(app: Guard, question: str) -> None:
    """All hits of the document are marked, in title and text. The address scrolls to the one of the line."""
    page = document_fromstring(ask(app, f"/search?q={quote(question)}")[2])
    links = page.xpath("//td[@class='key']/a")
    assert links
    of_document: dict[str, list[str]] = {}
    for link in links:
        of_document.setdefault(link.get("href").partition("?")[0], []).append(link.text_content())
    for link in links:
        path, _, fragment = link.get("href").partition("#")
        document = document_fromstring(ask(app, path)[2])
        marks = document.xpath("//mark")
        assert [mark.text_content() for mark in marks] == of_document[path.partition("?")[0]]
        [mark] = [each for each in marks if each.get("id")]
        assert (mark.get("id"), mark.text_content()) == (fragment, link.text_content())
        before = link.getparent().getprevious().text_content().lstrip("…")
        line = mark.getparent().xpath("string()")
        assert f"{before}{mark.text_content()}" in line
        number = len(marks)
        assert f"{number} {'hit' if number == 1 else 'hits'} of {question} marked." in document.text_content()


@pytest.mark.parametrize("at", ["x", "0:0-0", "0:5-2", "99:0-1", "1:0-99999", "1:0-1;", "9" * 400])
@pytest.mark.parametrize("asked", ["", "&q=xang"])
def test_a_place_that_is_no_longer_there_gives_a_note(app: Guard, at: str, asked: str) -> None:
    """An address that was made by hand, or is of an earlier text. The other hits are marked."""
    page = document_fromstring(ask(app, "/search?q=xang")[2])
    path = page.xpath("//td[@class='key']/a/@href")[0].partition("?")[0]
    status, _, text = ask(app, f"{path}?at={quote(at)}{asked}")
    document = document_fromstring(text)
    assert (status, "is no longer in the text" in document.text_content()) == (200, True)
    assert bool(document.xpath("//mark")) == bool(asked)
    assert not document.xpath("//*[@id='hit']")


def test_a_place_without_its_question_is_still_marked(app: Guard) -> None:
    """An older address names the place only. A question that is wrong is named, and the text is shown."""
    page = document_fromstring(ask(app, "/search?q=xang")[2])
    path, _, query = page.xpath("//td[@class='key']/a/@href")[0].partition("#")[0].partition("?")
    at = query.partition("&")[0]
    [mark] = document_fromstring(ask(app, f"{path}?{at}")[2]).xpath("//mark")
    assert (mark.get("id"), mark.text_content().lower()) == ("hit", "xăng")
    status, _, text = ask(app, f"{path}?{at}&q=%28")
    document = document_fromstring(text)
    assert (status, len(document.xpath("//article//p")) > 3) == (200, True)
    assert document.xpath("//*[@role='alert']")


def test_an_answer_and_each_of_its_lines_can_be_cited(
    app: Guard, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The page and the command have the same line."""
    page = document_fromstring(ask(app, "/search?q=xăng&section=gia")[2])
    [cited] = page.xpath("//bdi[@class='cite']/text()")
    assert cited.startswith("news, index of 20")
    assert ", 3 hits in 1 document: xăng (--section gia). corpus-spider " in cited
    references = set(page.xpath("//details[@class='reference']/bdi/text()"))
    assert references == {'a.example, 2026-03-01. "Giá xăng tăng". https://a.example/gia/xang.html'}
    monkeypatch.chdir(folder)
    assert run(["search", "xăng", "--section", "gia", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["cite"] == cited


@pytest.mark.parametrize(("chosen", "languages"), [("", " in 3 languages"), ("vi", "")])
def test_the_rate_names_the_tokens_that_it_is_of(
    app: Guard,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    chosen: str,
    languages: str,
) -> None:
    """On the page and in the command. Without a chosen language they are of all."""
    monkeypatch.chdir(folder)
    options = ["--language", chosen] if chosen else []
    assert run(["search", "xăng", *options, "--json"]) == 0
    counts = json.loads(capfd.readouterr().out)["counts"]
    tokens = sum(counts["tokens_by_language"].values())
    assert counts["unit"] == "searched tokens"
    base = f"{number(counts['per_million'])} in a million of {tokens:,} searched tokens{languages})"
    page = document_fromstring(ask(app, f"/search?q=xăng&language={chosen}")[2])
    [lead] = page.xpath("//p[@class='lead']")
    assert f"(3 hits, {base}" in " ".join(lead.text_content().split())
    assert run(["search", "xăng", *options]) == 0
    assert f"3 hits ({base} in 1 document" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("query", "absent"), [("q=xăng&language=sw", "language:sw"), ("q=xăng author:Oa", "author:Oa")]
)
def test_a_page_without_lines_names_what_no_document_has(app: Guard, query: str, absent: str) -> None:
    """A language, or an author, that is misspelled."""
    page = document_fromstring(ask(app, f"/search?{quote(query, safe='=&')}")[2])
    assert f"No document of the index has: {absent}" in page.text_content()


def test_the_chart_has_a_column_a_month_and_its_numbers_as_text() -> None:
    """A gap is as wide as its time; of many months some are named, and in a page from the right they go left."""
    from corpus_spider.web.charts.timeline import timeline

    rows = [(label, number, "") for label, number in per_month({"2025-11": 3, "2026-02": 6})]
    chart = timeline(rows)
    assert [(each.label, each.x, each.height) for each in chart.columns] == [
        ("2025-11", 0, 50.0),
        ("2025-12", 40, 0.0),
        ("2026-01", 80, 0.0),
        ("2026-02", 120, 100.0),
    ]
    assert [each.tick for each in chart.columns] == ["", "", "2026-01", ""]
    mirrored = timeline(rows, right_to_left=True)
    assert [each.x + chart.column + chart.columns[at].x for at, each in enumerate(mirrored.columns)] == [
        chart.width
    ] * 4
    long = timeline([(label, 1, "") for label, _ in per_month({"2010-01": 1, "2026-02": 1})])
    named = [each.x for each in long.columns if each.tick]
    assert min(after - before for before, after in pairwise(named)) >= 96
    assert not long.has_numbers
