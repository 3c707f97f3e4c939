"""Word lists on the web page: keywords against what the form offers, and the numbers of a word by month."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from lxml.html import document_fromstring

import corpus_spider as cs
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.web.reference_choice import FOLDER, MAX_LIST_BYTES
from storage.corpus import Corpus
from tests.corpus_spider.web.test_web import CONFIG, application_of, ask
from tests.extras import needs
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.html import HtmlElement

    from corpus_spider.web.guard import Guard

pytestmark = needs("web")

TEXTS = {"2026-01-10": "petrol", "2026-02-10": "rice", "2026-03-10": "coal"}
NOW = {"since": "2026-02", "until": "2026-02", "language": "en", "list": "keywords"}
TOO_LARGE = "large.csv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with another frequent word in each of three months, and word lists."""
    folder = tmp_path_factory.mktemp("references")
    (folder / "corpus.toml").write_text(f'{CONFIG}[selection.winter]\nuntil = "2026-01"\n')
    (folder / FOLDER).mkdir()
    (folder / FOLDER / "rice news.csv").write_text("word,frequency\nrice,100\nprice,900\n")
    (folder / FOLDER / "general.txt").write_text("the\t1000\nrice\t1\n")
    with (folder / FOLDER / TOO_LARGE).open("wb") as file:
        file.truncate(MAX_LIST_BYTES + 1)
    (folder / FOLDER / "folder.csv").mkdir()
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        for day, word in TEXTS.items():
            crawl.visit(day, made(f"price {word} {word} " * 30, title=word, published=day))
        with only_writer(folder / "index"):
            refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
    return folder


@pytest.fixture
def app(folder: Path) -> Iterator[Guard]:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        yield application_of(folder, corpus)


def shown(app: Guard, **parameters: str) -> HtmlElement:
    """Return the page of the keywords of February against a reference."""
    status, _, text = ask(app, f"/words?{urlencode(NOW | parameters)}")
    assert status == 200
    return document_fromstring(text)


@pytest.mark.parametrize(
    ("parameters", "against", "words"),
    [
        ({}, "rest", ["rice"]),
        ({"against": "rest"}, "rest", ["rice"]),
        ({"against_since": "2026-01", "against_until": "2026-01"}, "since=2026-01 until=2026-01", ["rice"]),
        ({"against_since": "2026-03"}, "since=2026-03", ["rice"]),
        ({"against": "selection=winter"}, "selection=winter", ["rice"]),
        ({"against": "list=rice news.csv"}, "list={folder}/rice news.csv", ["rice"]),
        ({"against": "list=general.txt"}, "list={folder}/general.txt", ["rice", "price"]),
    ],
)
def test_keywords_are_those_that_python_finds_against_the_same_reference(
    app: Guard, folder: Path, parameters: dict[str, str], against: str, words: list[str]
) -> None:
    """The table of the page, its download, and `words` agree, and the form shows the reference."""
    page = shown(app, **parameters)
    assert page.xpath("//tbody//th//text()") == words
    with cs.open(folder) as corpus:
        found = corpus.words(
            language="en", since="2026-02", until="2026-02", against=against.format(folder=folder / FOLDER)
        )
    assert [row["word"] for row in found] == words
    [link] = page.xpath("//a[@download]/@href")
    rows = list(csv.DictReader(io.StringIO(ask(app, link)[2].lstrip("\ufeff"))))
    assert [(row["word"], float(row["log_likelihood"])) for row in rows] == [
        (row["word"], row["log_likelihood"]) for row in found
    ]
    chosen = page.xpath("//select[@name='against']/option[@selected]/@value")
    assert chosen == ([parameters["against"]] if parameters.get("against", "rest") != "rest" else [])
    for name in ("against_since", "against_until"):
        assert page.xpath(f"//input[@name='{name}']/@value") == [parameters.get(name, "")]


def test_the_form_offers_selections_and_the_word_lists_of_the_folder(app: Guard) -> None:
    """Folders are none, nor selections by what has no counts."""
    offered = shown(app).xpath("//select[@name='against']/option/@value")
    assert offered == ["rest", "selection=winter", "list=general.txt", f"list={TOO_LARGE}", "list=rice news.csv"]


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"against": "list=../corpus.toml"}, "there is no word list"),
        ({"against": "list=/etc/passwd"}, "there is no word list"),
        ({"against": "list=folder.csv"}, "there is no word list"),
        ({"against": "corpus=."}, "there is no reference"),
        ({"against": "selection=summer"}, "there is no reference"),
        ({"against": "nonsense"}, "there is no reference"),
        ({"against": f"list={TOO_LARGE}"}, "larger than 20 MiB"),
        ({"against": "list=general.txt", "against_since": "2026-01"}, "a word list has no months"),
        ({"against_since": "2026-99"}, "expected a day"),
        ({"against_since": "2026-03", "against_until": "2026-01"}, "is after"),
        ({"against_until": "2020-01"}, "There is nothing to compare with."),
        ({"list": "frequency", "against": "list=general.txt"}, "a reference is for keywords"),
        ({"list": "collocates", "q": "rice", "against_since": "2026-01"}, "a reference is for keywords"),
        ({"q": "rice"}, "a word is for its collocates"),
        ({"list": "ngrams-2", "q": "rice"}, "a word is for its collocates"),
        ({"list": "months"}, "no word is named"),
        ({"list": "collocates"}, "no word is named"),
        ({"list": "collocations"}, "there is no list"),
        ({"window": "3"}, "are for collocates"),
        ({"list": "ngrams-2", "side": "left"}, "are for collocates"),
        ({"list": "frequency", "min_frequency": "2"}, "are for collocates"),
        ({"list": "collocates", "q": "rice", "window": "99"}, "from 1 to 20"),
        ({"list": "collocates", "q": "rice", "window": "x"}, "from 1 to 20"),
        ({"list": "collocates", "q": "rice", "side": "up"}, "one of both"),
        ({"list": "collocates", "q": "rice", "measure": "chi"}, "one of log_dice"),
    ],
)
def test_what_the_form_does_not_offer_is_refused(app: Guard, parameters: dict[str, str], says: str) -> None:
    """No file of the machine is read but the word lists of the folder. No field of the form is ignored."""
    page = shown(app, **parameters)
    assert says in page.text_content()
    assert not page.xpath("//tbody")


def test_the_caption_of_the_cloud_names_the_reference(app: Guard) -> None:
    """It said that the words are compared with the rest, for each reference."""
    for parameters, name in (
        ({}, "the rest of the corpus"),
        ({"against_since": "2026-01", "against_until": "2026-01"}, "texts since 2026-01 until 2026-01"),
        ({"against": "list=general.txt"}, "general.txt"),
    ):
        assert f"against {name}," in shown(app, **parameters).xpath("string(//figcaption)")


@pytest.mark.parametrize("question", ["rice", '"rice rice"', "rice NEAR/2 price", "ric*"])
def test_the_numbers_of_a_word_by_month_are_those_of_python(app: Guard, folder: Path, question: str) -> None:
    """As table, chart and download. Each month leads to its lines, whose number is the same."""
    page = shown(app, list="months", q=question, since="", until="")
    with cs.open(folder) as corpus:
        found = corpus.words(question, by="month", language="en")
        numbers = {row["month"]: row["frequency"] for row in found}
        assert sum(numbers.values()) > 0
        assert page.xpath("//table[@class='list']/tbody//th/a/text()") == list(numbers)
        table = zip(*(page.xpath(f"//table[@class='list']/tbody/tr/td[{at}]/text()") for at in (1, 2)), strict=True)
        assert [(int(first), float(second.replace(",", ""))) for first, second in table] == [
            (row["frequency"], row["per_million"]) for row in found
        ]
        for link in page.xpath("//figure//a/@href"):
            assert link in page.xpath("//table[@class='list']/tbody//th/a/@href")
        assert page.xpath("//figure//a/@aria-label") == [f"{month}: {each}" for month, each in numbers.items() if each]
        [link] = page.xpath("//a[@download]/@href")
        rows = list(csv.DictReader(io.StringIO(ask(app, link)[2].lstrip("\ufeff"))))
        assert {row["month"]: int(row["frequency"]) for row in rows} == numbers
        for link, number in zip(page.xpath("//table[@class='list']/tbody//th/a/@href"), numbers.values(), strict=True):
            lines = document_fromstring(ask(app, link)[2])
            assert f"({number} hit" in lines.xpath("string(//p[@class='lead'])")


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"window": "1"},
        {"side": "left", "window": "2", "measure": "t_score"},
        {"min_frequency": "31", "measure": "mutual_information"},
    ],
)
def test_collocates_are_counted_by_the_fields_of_the_form(app: Guard, folder: Path, rules: dict[str, str]) -> None:
    """The rows of the page and of its download are those of Python with the same rules."""
    page = shown(app, list="collocates", q="rice", **rules)
    with cs.open(folder) as corpus:
        given: dict[str, Any] = {name: int(text) if text.isdecimal() else text for name, text in rules.items()}
        found = corpus.words(around="rice", language="en", since="2026-02", until="2026-02", **given)
    assert len(found) > 0
    table = page.xpath("//table[@class='list']/tbody/tr")
    assert [(row.xpath("string(th)"), row.xpath("string(td[1])")) for row in table] == [
        (row["word"], f"{row['together']}") for row in found
    ]
    [link] = page.xpath("//a[@download]/@href")
    rows = csv.DictReader(io.StringIO(ask(app, link)[2].lstrip("\ufeff")))
    assert [(row["word"], int(row["together"])) for row in rows] == [(row["word"], row["together"]) for row in found]


def test_n_grams_have_the_least_frequency_of_the_form(app: Guard) -> None:
    """By default five."""
    assert "rice rice" in shown(app, list="ngrams-2").xpath("//tbody//th//text()")
    assert not shown(app, list="ngrams-2", min_frequency="40").xpath("//tbody")


def test_a_reference_that_has_texts_of_the_selection_is_said_so(app: Guard) -> None:
    """Its months may reach into those of the selection, which makes keywords weaker."""
    for parameters, number in (({"against_until": "2026-02"}, 1), ({"against_until": "2026-01"}, 0), ({}, 0)):
        says = "The reference has 1 document of the selection too." in shown(app, **parameters).text_content()
        assert says == bool(number)


def test_a_word_of_many_years_has_all_its_months(tmp_path: Path) -> None:
    """The table has a row for each month with texts, the chart a column for each year. Both lead to the lines."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        days = [f"{year}-{month:02}-05" for year in range(2000, 2025) for month in range(1, 13, 2)]
        for day in days:
            crawl.visit(day, made(f"rice in {day}", title="rice", published=day))
        with only_writer(tmp_path / "index"):
            refresh(corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
        page = shown(application_of(tmp_path, corpus), list="months", q="rice", since="", until="")
    assert page.xpath("//table[@class='list']/tbody//th/a/text()") == [day[:7] for day in days]
    columns = page.xpath("//figure//a/@href")
    assert len(set(columns)) == 25
    assert columns[0].startswith("/search?")
    assert "since=2000-01" in columns[0]
    assert "until=2000-12" in columns[0]


def test_a_download_of_what_is_refused_is_no_file(app: Guard) -> None:
    """It is an answer with what is wrong."""
    status, headers, text = ask(app, f"/download/words.csv?{urlencode(NOW | {'q': 'rice'})}")
    assert (status, "a word is for its collocates" in text) == (400, True)
    assert "content-disposition" not in headers
