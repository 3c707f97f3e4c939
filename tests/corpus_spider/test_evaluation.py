"""Evaluation: the paper's measure, the gold folder, extractors and a corpus against it, the report."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.evaluation import (
    GoldPage,
    PageScore,
    Report,
    Score,
    as_json,
    evaluate_corpus,
    evaluate_texts,
    load_gold,
    render,
    score,
    scores,
)
from corpus_spider.evaluation.evaluate import page_id
from corpus_spider.evaluation.report import by_extractor, by_language
from storage.errors import ConfigError
from tests.storage.test_exports import a_document

if TYPE_CHECKING:
    from pathlib import Path

TRUE_TEXTS = {
    "en-one": "The parrot talked\nto the fisherman.",
    "en-two": "Rain fell on the harbour all night.",
    "fa-one": "طوطی با ماهیگیر حرف زد.",
}
ENTRIES = [
    {"id": "en-one", "lang": "en", "title": "A parrot", "site": "paper.example", "notes": 1, "year": None},
    {"id": "en-two", "lang": "en", "title": None, "url": "https://paper.example/two"},
    {"id": "xx-none", "lang": "xx", "has_gold": False},
    {"id": "fa-one", "lang": "fa", "encoding": "utf-8"},
]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """A small gold folder written for these tests."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "gold").mkdir()
    for name, text in TRUE_TEXTS.items():
        (tmp_path / "pages" / f"{name}.html").write_text(f"<nav>menu</nav><p>{text}</p>", encoding="utf-8")
        (tmp_path / "gold" / f"{name}.txt").write_text(text, encoding="utf-8")
    write_manifest(tmp_path, *map(json.dumps, ENTRIES))
    return tmp_path


def write_manifest(folder: Path, *lines: str) -> None:
    (folder / "manifest.jsonl").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        ("HUMAN", "CHIMPANZEE", Score(4 / 5, 4 / 10, 8 / 15)),
        ("same", "same", Score(1, 1, 1)),
        ("a b\n c\u3000d", "ab cd", Score(1, 1, 1)),
        ("abcd", "ab", Score(1 / 2, 1, 2 / 3)),
        ("سلام دنیا", "سلام", Score(1 / 2, 1, 2 / 3)),
        ("abc", "xyz", Score(0, 0, 0)),
        ("", "xyz", Score(0, 0, 0)),
        ("xyz", "", Score(0, 0, 0)),
        ("", " \n", Score(1, 1, 1)),
        ("\ud800\x00", "\ud800\x00", Score(1, 1, 1)),
    ],
)
def test_the_measure_is_the_papers(text: str, truth: str, expected: Score) -> None:
    """Precision, recall and F1 follow from the longest common subsequence of the characters without white space."""
    result = score(text, truth)
    assert (result.precision, result.recall, result.f1) == pytest.approx(
        (expected.precision, expected.recall, expected.f1)
    )


@pytest.mark.parametrize(
    ("text", "truth", "f1"),
    [
        ("Title\nbody", "body", 1),
        ("body", "Title\nbody", 1),
        ("body", "body", 1),
        ("Title\nbody", "Title\nbody", 1),
        ("", "Title", 0),
        ("bodybody", "body", 2 / 3),
    ],
)
def test_the_title_costs_nobody(text: str, truth: str, f1: float) -> None:
    """A title in one of the texts only does not lower the score; a title alone finds nothing."""
    assert score(text, truth, "Title").f1 == pytest.approx(f1)


def longest_common_subsequence(left: str, right: str) -> int:
    lengths = [0] * (len(right) + 1)
    for character in left:
        previous = lengths[:]
        for position, other in enumerate(right, start=1):
            same = previous[position - 1] + 1 if character == other else 0
            lengths[position] = max(same, previous[position], lengths[position - 1])
    return lengths[-1]


@settings(max_examples=100, deadline=None)
@given(text=st.text("abب\U0001f600", max_size=30), truth=st.text("abب\U0001f600", min_size=1, max_size=30))
def test_the_measure_agrees_with_the_textbook_algorithm(text: str, truth: str) -> None:
    """Recall is the length that the quadratic algorithm finds, over the length of the truth."""
    assert score(text, truth).recall == pytest.approx(longest_common_subsequence(text, truth) / len(truth))


def test_long_texts_are_compared_by_their_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit nothing is compared, so that no page takes minutes."""
    monkeypatch.setattr(scores, "MAX_CHARS", 10)
    assert score("a" * 10 + "b" * 50, "a" * 10 + "c" * 90) == Score(1, 1, 1)
    assert score("a" * 11, "b" + "a" * 10).f1 == pytest.approx(0.9)


def test_very_long_texts_of_many_characters_are_scored() -> None:
    """Two different texts of two million characters get a score."""
    alphabet = "".join(map(chr, range(0x4E00, 0x4E80)))
    result = score(alphabet * 16_000, alphabet[::-1] * 16_000)
    assert 0 < result.f1 < 1


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
    ("lines", "told"),
    [
        (["{"], "line 1: is not JSON"),
        (["", "[]"], 'line 2: has no "id"'),
        (['{"id": 7, "lang": "en"}'], 'has no "id"'),
        (['{"id": "en-one"}'], 'has no "lang"'),
        (['{"id": "../../etc/passwd", "lang": "en"}'], "cannot name a file"),
        (['{"id": "gone", "lang": "en"}'], "gone.html: is missing"),
        (['{"id": "en-one", "lang": "en"}'] * 2, "names en-one twice"),
        (['{"id": "xx", "lang": "en", "has_gold": false}'], "names no page"),
        ([], "names no page"),
    ],
)
def test_a_wrong_manifest_is_explained(gold: Path, lines: list[str], told: str) -> None:
    """What is wrong, in which line, and what to do stand in the error."""
    write_manifest(gold, *lines)
    with pytest.raises(ConfigError, match=told) as caught:
        load_gold(gold)
    assert caught.value.do


@pytest.mark.parametrize("name", ["", "pages", "missing", "manifest.jsonl"])
def test_what_is_no_gold_folder_is_told(tmp_path: Path, name: str) -> None:
    """A folder without a manifest, a missing one and a file are refused alike."""
    (tmp_path / "pages").mkdir()
    with pytest.raises(ConfigError, match="no gold folder"):
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
    assert by_language(report)["en"].f1 == pytest.approx(0.5)
    assert by_language(report)["fa"].f1 == 1


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
    assert by_language(report)["en"].f1 == pytest.approx(0.5)
    assert by_language(report)["en"].empty == 1
    assert set(by_extractor(report)) == {"bte", "none"}


def test_the_titles_the_corpus_found_serve_where_the_gold_has_none(gold: Path) -> None:
    """A title that the page states does not cost precision when the manifest does not know it."""
    text = "Headline\n" + TRUE_TEXTS["en-two"]
    document = a_document(2, text, url="http://h/en-two", title="Headline")
    pages = [page for page in load_gold(gold) if page.id == "en-two"]
    assert evaluate_corpus(pages, [document]).scores[0].score.f1 == 1
    assert evaluate_corpus(pages, [replace(document, title=None)]).scores[0].score.f1 < 1


def test_the_summary_of_some_pages_is_mean_and_median(gold: Path) -> None:
    """Mean F1, median, P, R and the count of empty texts are over all pages of a group."""
    texts = {"en-one": TRUE_TEXTS["en-one"], "en-two": "", "fa-one": TRUE_TEXTS["fa-one"] * 2}
    report = evaluate_texts(load_gold(gold), "some", lambda page: texts[page.id])
    whole = json.loads(as_json(report))["reports"][0]["all"]
    assert whole == {
        "pages": 3,
        "f1": 0.5556,
        "median": 0.6667,
        "precision": 0.5,
        "recall": 0.6667,
        "empty": 1,
    }


def test_the_json_holds_every_page(gold: Path) -> None:
    """Programs find all figures by report, language, extractor and page."""
    pages = load_gold(gold)
    first = evaluate_texts(pages, "perfect", strip_tags)
    second = evaluate_texts(pages, "nothing", lambda _page: "")
    reports = json.loads(as_json(first, second))["reports"]
    assert [report["name"] for report in reports] == ["perfect", "nothing"]
    assert reports[0]["languages"]["fa"]["f1"] == 1
    assert reports[1]["extractors"]["nothing"]["empty"] == 3
    assert reports[1]["pages"][0] == {
        "page": "en-one",
        "language": "en",
        "site": "paper.example",
        "extractor": "nothing",
        "score": {"precision": 0.0, "recall": 0.0, "f1": 0.0},
        "empty": True,
        "missing": "",
    }


def test_the_table_shows_languages_and_what_is_missing(gold: Path) -> None:
    """One report is shown by language, with few pages marked, and every missing page with its reason; no escapes."""
    document = a_document(1, TRUE_TEXTS["fa-one"], url="http://h/fa-one")
    text = render(evaluate_corpus(load_gold(gold), [document], {"http://h/en-two": "[red]drop[/red]"}))
    lines = [line.split() for line in text.splitlines()]
    assert ["fa", "*", "1", "1.000", "1.000", "1.000", "1.000", "0"] in lines
    assert ["en", "*", "2", "0.000", "0.000", "0.000", "0.000", "2"] in lines
    assert "corpus: 2 of 3 pages without a text, scored 0" in text
    assert "en-one\tnot in the corpus\n" in text
    assert "en-two\t[red]drop[/red]\n" in text
    assert "\x1b" not in text


def test_the_table_is_drawn_for_a_terminal(gold: Path) -> None:
    """Rules and columns for people, the same cells."""
    text = render(evaluate_corpus(load_gold(gold), []), drawn=True)
    assert "───" in text
    assert "\t" not in text
    assert "corpus: 3 of 3 pages without a text, scored 0" in text


def test_few_of_many_missing_pages_are_named() -> None:
    """Ten pages without a text are named, the rest counted."""
    pages = tuple(PageScore(f"p{n}", "en", None, "none", scores.ZERO, empty=True, missing="gone") for n in range(25))
    lines = render(Report("c", pages)).splitlines()
    assert sum(line.endswith("\tgone") for line in lines) == 10
    assert lines[-1] == "… 15 more; --json has all"


def test_scoring_a_corpus_tells_how_far_it_is(gold: Path) -> None:
    """Each page that is scored is heard of."""
    heard: list[int] = []
    evaluate_corpus(load_gold(gold), [], progress=heard.append)
    assert heard == [1, 2, 3]


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
    assert json.loads(as_json(empty))["reports"][0]["all"] is None
