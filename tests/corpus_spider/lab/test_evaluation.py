"""Evaluation: the paper's measure, the gold folder, extractors and a corpus against it, the report."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from corpus_spider.lab import (
    GoldPage,
    PageScore,
    Report,
    doubts,
    evaluate_corpus,
    evaluate_extractors,
    evaluate_texts,
    load_gold,
    render,
    score_tables,
    score_texts,
    scores,
)
from corpus_spider.lab.evaluate import page_id
from corpus_spider.lab.score_table import by_extractor, summary
from corpus_spider.lab.site_model_gain import large_sites
from storage.errors import ConfigError
from tests.corpus_spider.gold_samples import TRUE_TEXTS, write_article, write_manifest
from tests.storage.export_samples import a_document

if TYPE_CHECKING:
    from pathlib import Path


def test_a_gold_folder_is_read(gold: Path) -> None:
    """Pages come in the manifest's order, without those that have no truth, with what is known of them."""
    pages = load_gold(gold)
    assert [page.id for page in pages] == ["en-one", "en-two", "fa-one"]
    assert (pages[0].title, pages[0].site, pages[1].title, pages[1].url) == (
        "A parrot",
        "paper.example",
        None,
        "https://paper.example/two",
    )
    assert pages[2].truth() == TRUE_TEXTS["fa-one"]
    assert pages[2].html().startswith(b"<nav>")


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        (["{"], "line 1: is not JSON"),
        (["", "[]"], 'line 2: has no "id"'),
        (['{"id": 7, "lang": "en"}'], 'has no "id"'),
        (['{"id": "en-one"}'], 'has no "lang"'),
        (['{"id": "../../etc/passwd", "lang": "en"}'], "cannot be a file name"),
        (['{"id": "gone", "lang": "en"}'], "gone.html: is missing"),
        (['{"id": "en-one", "lang": "en"}'] * 2, "has the id en-one twice"),
        (["[" * 100_000], "line 1: is not JSON"),
        (['{"id": "xx", "lang": "en", "has_gold": false}'], "has no page"),
        ([], "has no page"),
    ],
)
def test_a_wrong_manifest_is_explained(gold: Path, lines: list[str], reported: str) -> None:
    """What is wrong, in which line, and what to do stand in the error."""
    write_manifest(gold, *lines)
    with pytest.raises(ConfigError, match=reported) as caught:
        load_gold(gold)
    assert caught.value.do


@pytest.mark.parametrize("name", ["", "pages", "missing", "manifest.jsonl"])
def test_what_is_no_gold_folder_is_reported(tmp_path: Path, name: str) -> None:
    """A folder without a manifest, a missing one and a file are refused alike."""
    (tmp_path / "pages").mkdir()
    with pytest.raises(ConfigError, match="not a gold folder"):
        load_gold(tmp_path / name)


def strip_tags(page: GoldPage) -> str:
    return page.html().decode().replace("<nav>menu</nav><p>", "").replace("</p>", "")


def test_an_extractor_is_scored_on_the_pages_bytes(gold: Path) -> None:
    """A perfect reader scores 1 everywhere, in the pages' order."""
    report = evaluate_texts(load_gold(gold), "perfect", strip_tags)
    assert [(page.page, page.extractor, page.score.f1, page.empty) for page in report.scores] == [
        (name, "perfect", 1.0, False) for name in TRUE_TEXTS
    ]


def test_a_page_that_breaks_the_extractor_costs_only_itself(gold: Path) -> None:
    """The failing page scores 0, is counted as empty and tells the error."""

    def read(page: GoldPage) -> str:
        if page.id == "en-two":
            raise RecursionError("too deep")
        return strip_tags(page)

    report = evaluate_texts(load_gold(gold), "fragile", read)
    broken = report.scores[1]
    assert (broken.score.f1, broken.empty, broken.missing) == (0, True, "error: RecursionError('too deep')")
    assert summary(report)["en"]["f1"] == pytest.approx(0.5)
    assert summary(report)["fa"]["f1"] == 1


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8000/page/en-one.html", "en-one"),
        ("https://host/en-one", "en-one"),
        ("https://host/en-one/index.html?x=/en-two", "en-one"),
        ("https://host/en%2Done.htm", "en-one"),
        ("https://en-one/other", None),
        ("https://host/en-one-more.html", None),
        ("https://host/?id=en-one", None),
        ("http://[broken/en-one", None),
        ("", None),
    ],
)
def test_the_page_is_known_by_its_urls_path(url: str, expected: str | None) -> None:
    """Only a whole segment of the path counts, its suffix aside."""
    assert page_id(url, {"en-one", "en-two"}) == expected


def test_a_corpus_is_scored_by_what_it_stores(gold: Path) -> None:
    """Stored texts are scored by page, the latest version of each; what is missing scores 0 and tells why."""
    stored = [
        a_document(1, "old", url="http://h/en-one.html", version=1),
        a_document(1, "A parrot\n" + TRUE_TEXTS["en-one"], url="http://h/en-one.html", version=2, extractor="bte"),
        a_document(1, "older", url="http://h/en-one.html", version=1),
        a_document(2, "of no interest", url="http://h/else.html"),
    ]
    report = evaluate_corpus(load_gold(gold), stored, {"http://h/en-two.html": "no_article", "http://h/": "listing"})
    assert [(page.page, page.extractor, page.score.f1, page.missing) for page in report.scores] == [
        ("en-one", "bte", 1.0, ""),
        ("en-two", "none", 0.0, "no_article"),
        ("fa-one", "none", 0.0, "not in the corpus"),
    ]
    assert summary(report)["en"]["f1"] == pytest.approx(0.5)
    assert summary(report)["en"]["empty"] == 1
    assert set(by_extractor(report)) == {"bte", "none"}


def test_a_page_is_known_by_its_address_too(gold: Path) -> None:
    """Of a corpus that was crawled from the papers themselves; addresses are compared as a crawl compares them."""
    pages = [replace(page, url=f"HTTPS://h:443/{page.id}?page=2&utm_source=x#top") for page in load_gold(gold)]
    by_url = "https://h/{}?page=2".format
    stored = [a_document(1, TRUE_TEXTS["en-two"], url="https://h/two?page=2")]
    pages[1] = replace(pages[1], url="https://h/two?utm_medium=rss&page=2")
    report = evaluate_corpus(pages, stored, {by_url("fa-one"): "listing"})
    assert [page.missing or page.score.f1 for page in report.scores] == ["not in the corpus", 1.0, "listing"]


def test_without_a_site_the_host_of_the_address_counts(gold: Path) -> None:
    """So do the five pages of a site that one can learn from."""
    pages = load_gold(gold)
    assert [page.group for page in pages] == ["paper.example", "paper.example", None]
    assert [page.site for page in evaluate_texts(pages, "none", lambda _: "").scores] == [page.group for page in pages]
    assert large_sites([pages[1]] * 5) == {"paper.example": [pages[1]] * 5}
    assert large_sites([pages[2]] * 4) == {}


def test_the_titles_the_corpus_found_serve_where_the_gold_has_none(gold: Path) -> None:
    """A title that the page states does not cost precision when the manifest does not know it."""
    text = "Headline\n" + TRUE_TEXTS["en-two"]
    document = a_document(2, text, url="http://h/en-two", title="Headline")
    pages = [page for page in load_gold(gold) if page.id == "en-two"]
    assert evaluate_corpus(pages, [document]).scores[0].score.f1 == 1
    assert evaluate_corpus(pages, [structs.replace(document, title=None)]).scores[0].score.f1 < 1


def test_the_summary_of_some_pages_is_mean_and_median(gold: Path) -> None:
    """Means, median and the count of empty texts are over all pages of a group, ``all`` the first of them."""
    texts = {"en-one": TRUE_TEXTS["en-one"], "en-two": "", "fa-one": TRUE_TEXTS["fa-one"] * 2}
    report = score_texts("some", ((page, texts[page.id]) for page in load_gold(gold)))
    whole = score_tables(report).summary[0]
    assert whole == whole | {
        "extractor": "some",
        "language": "all",
        "pages": 3,
        "f1": 0.5556,
        "median": 0.6667,
        "precision": 0.5,
        "recall": 0.6667,
        "word_f1": 0.5556,
        "bag_f1": 0.5556,
        "thai_f1": 0.5556,
        "empty": 1,
        "refused": 0,
        "stored_f1": None,
        "mb_per_second": None,
    }
    assert 0 <= whole["f1_low"] < whole["f1"] < whole["f1_high"] <= 1


def test_the_json_holds_every_page(gold: Path) -> None:
    """Programs find all figures by extractor and language, site, reader and page, as plain values."""
    pages = load_gold(gold)
    first = evaluate_texts(pages, "perfect", strip_tags)
    second = evaluate_texts(pages, "nothing", lambda _page: "")
    found = json.loads(json.dumps(asdict(score_tables(first, second))))
    keys = [(row["extractor"], row["language"]) for row in found["summary"]]
    assert keys == [(name, language) for name in ("perfect", "nothing") for language in ("all", "en", "fa")]
    assert [row["f1"] for row in found["summary"]] == [1, 1, 1, 0, 0, 0]
    assert {"extractor": "nothing", "read_by": "nothing", "pages": 3, "f1": 0.0} in found["readers"]
    assert [(row["extractor"], row["site"]) for row in found["sites"]][:2] == [
        ("perfect", "(none)"),
        ("perfect", "paper.example"),
    ]
    assert found["pages"][3] == {
        "page": "en-one",
        "extractor": "nothing",
        "language": "en",
        "site": "paper.example",
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
        "word_f1": 0.0,
        "bag_f1": 0.0,
        "thai_f1": 0.0,
        "empty": True,
        "missing": "",
        "refused": None,
        "read_by": "nothing",
        "reason": "",
        "confidence": None,
        "bytes": 0,
        "milliseconds": None,
    }


def test_the_table_shows_languages_and_what_is_missing(gold: Path) -> None:
    """One report is shown by language, with few pages marked, and every missing page with its reason; no escapes."""
    document = a_document(1, TRUE_TEXTS["fa-one"], url="http://h/fa-one")
    text = render(evaluate_corpus(load_gold(gold), [document], {"http://h/en-two": "[red]drop[/red]"}))
    lines = [line.split() for line in text.splitlines()]
    assert ["fa", "*", "1", "1.000", "-", *["1.000"] * 6, "0", "0", "1.000", "-"] in lines
    assert ["en", "*", "2", "0.000", "-", *["0.000"] * 6, "2", "-", "-", "-"] in lines
    assert "corpus: 2 of 3 pages have no text and score 0" in text
    assert "en-one\tnot in the corpus\n" in text
    assert "en-two\t[red]drop[/red]\n" in text
    assert "\x1b" not in text


def test_the_table_is_drawn_for_a_terminal(gold: Path) -> None:
    """Rules and columns for people, the same cells."""
    text = render(evaluate_corpus(load_gold(gold), []), drawn=True)
    assert "───" in text
    assert "\t" not in text
    assert "corpus: 3 of 3 pages have no text and score 0" in text


def test_few_of_many_missing_pages_are_named() -> None:
    """Ten pages without a text are named, the rest counted."""
    pages = tuple(PageScore(f"p{n}", "en", None, "none", scores.ZERO, empty=True, missing="gone") for n in range(25))
    lines = render(Report("c", pages)).splitlines()
    assert sum(line.endswith("\tgone") for line in lines) == 10
    assert lines[-1] == "… 15 more; --json lists all"


def test_scoring_a_corpus_shows_its_progress(gold: Path) -> None:
    """Each page that is scored is heard of."""
    pages, heard = load_gold(gold), list[GoldPage]()
    evaluate_corpus(pages, [], keep=lambda _name, page, _text, _found: heard.append(page))
    assert heard == list(pages)


def test_several_reports_stand_side_by_side(gold: Path) -> None:
    """With more than one report each language has a line and each report a column."""
    pages = load_gold(gold)
    reports = [evaluate_texts(pages, "perfect", strip_tags), evaluate_texts(pages[:2], "nothing", lambda _page: "")]
    lines = [line.split() for line in render(*reports).splitlines()]
    assert ["language", "pages", "perfect", "nothing"] in lines
    assert ["en", "*", "2", "1.000", "0.000"] in lines
    assert ["fa", "*", "1", "1.000", "-"] in lines


def test_a_report_without_pages_is_rendered() -> None:
    """Nothing to score is no error."""
    empty = Report("nobody", ())
    assert "median" in render(empty)
    assert "nobody" not in render(empty)
    assert score_tables(empty).summary == []


def test_files_that_vanish_cost_their_page_only(gold: Path) -> None:
    """What is gone between reading the manifest and reading the page is an error of that page."""
    write_manifest(gold, write_article(gold, "a"), write_article(gold, "b"))
    pages = load_gold(gold)
    (gold / "pages" / "a.html").unlink()
    broken, whole = evaluate_extractors(pages, ["auto"])[0].scores
    assert "FileNotFoundError" in broken.missing
    assert whole.score.f1 == 1


def test_what_is_odd_about_true_texts_is_counted(gold: Path) -> None:
    """Empty ones and those in another encoding than UTF-8 are reported; a byte order mark is not text."""
    (gold / "gold" / "en-one.txt").write_bytes(b" \n")
    (gold / "gold" / "en-two.txt").write_bytes("café".encode("latin-1"))
    (gold / "gold" / "fa-one.txt").write_bytes(b"\xef\xbb\xbftext")
    pages = load_gold(gold)
    assert [doubt.partition(" pages")[0] for doubt in doubts(pages)] == ["1 of 3", "1 of 3"]
    assert pages[2].truth() == "text"
    assert evaluate_texts(pages[:1], "nothing", lambda _page: "").scores[0].score.f1 == 1


@pytest.mark.parametrize(
    ("site", "url", "expected"),
    [
        ("www.news.example.co.uk", None, "example.co.uk"),
        ("Daily Parrot", None, "Daily Parrot"),
        (None, "https://en.paper.co.uk/1", "paper.co.uk"),
        (None, "http://[broken", "x"),
        (None, None, "x"),
    ],
)
def test_pages_are_drawn_with_their_site(tmp_path: Path, site: str | None, url: str | None, expected: str) -> None:
    """The site is a registered domain, or a name, or the page alone."""
    assert GoldPage("x", "en", tmp_path, tmp_path, url=url, site=site).cluster == expected
