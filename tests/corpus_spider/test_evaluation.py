"""Evaluation: the paper's measure, the gold folder, extractors and a corpus against it, the report."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from corpus_spider.demo.site import build_site
from corpus_spider.evaluation import (
    GoldPage,
    PageScore,
    Report,
    as_plain,
    doubts,
    evaluate_corpus,
    evaluate_extractors,
    evaluate_texts,
    load_gold,
    render,
    score_texts,
    scores,
)
from corpus_spider.evaluation.evaluate import page_id
from corpus_spider.evaluation.run import dropped, prepare, read, timed
from corpus_spider.evaluation.summary import by_extractor, by_language
from pipelines.extractors import Extractor, ExtractorOptions, get
from pipelines.process import process
from storage.errors import ConfigError
from storage.records import Capture, Extraction, SiteModel
from tests.storage.export_samples import a_document

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        (["[" * 100_000], "line 1: is not JSON"),
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
    assert evaluate_corpus(pages, [structs.replace(document, title=None)]).scores[0].score.f1 < 1


def test_the_summary_of_some_pages_is_mean_and_median(gold: Path) -> None:
    """Means, median and the count of empty texts are over all pages of a group, ``all`` the first of them."""
    texts = {"en-one": TRUE_TEXTS["en-one"], "en-two": "", "fa-one": TRUE_TEXTS["fa-one"] * 2}
    report = score_texts("some", ((page, texts[page.id]) for page in load_gold(gold)))
    whole = as_plain(report)["summary"][0]
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
    found = as_plain(first, second)
    assert found == json.loads(json.dumps(found))
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
    assert as_plain(empty)["summary"] == []


ARTICLE = "The committee met on Tuesday and agreed that the old bridge will be rebuilt in the next year. "
LINES = [
    f"On {day} the committee met and agreed that the {thing} will be rebuilt in the next year. It told the papers so."
    for day, thing in (("Monday", "old bridge"), ("Tuesday", "northern road"), ("Friday", "school by the harbour"))
]


def write_article(folder: Path, name: str, language: str = "en") -> str:
    """Add a page that every extractor can read, and return its line of the manifest."""
    html = f"<html lang=en><title>Bridge</title><article>{''.join(f'<p>{line}</p>' for line in LINES)}</article>"
    (folder / "pages" / f"{name}.html").write_text(html)
    (folder / "gold" / f"{name}.txt").write_text("\n".join(LINES))
    return json.dumps({"id": name, "lang": language, "site": "bridge.example"})


def test_extractors_run_in_turn_and_are_timed(gold: Path) -> None:
    """Each extractor has every page, what it says of it, and a speed, in the order of the names; each is run once."""
    write_manifest(gold, write_article(gold, "a"), write_article(gold, "b", "fa"))
    heard: list[int] = []
    kept: list[tuple[str, str, str]] = []
    reports = evaluate_extractors(
        load_gold(gold),
        ["density", "auto", "density"],
        heard.append,
        lambda name, page, text, _: kept.append((name, page.id, text.split()[0])),
    )
    assert [report.name for report in reports] == ["density", "auto"]
    assert [page.score.f1 for report in reports for page in report.scores] == [1, 1, 1, 1]
    assert [row["mb_per_second"] > 0 for row in as_plain(*reports)["summary"]] == [True] * 6
    assert reports[1].scores[0].extractor in {"scored", "density"}
    assert reports[1].scores[0].reason
    assert heard == [1, 2, 3, 4]
    assert sorted(kept) == sorted((name, page, "On") for name in ("auto", "density") for page in ("a", "b"))


def test_texts_are_those_a_crawl_would_keep(gold: Path) -> None:
    """Decoding, extraction and cleaning are the same as in the processing of a page."""
    write_manifest(gold, write_article(gold, "a"))
    body = f"<meta charset=utf-8><p>{ARTICLE}\u200b caf\u00c3\u00a9 \u00a0 e\u0301</p>".encode()
    (gold / "pages" / "a.html").write_bytes(body)
    texts: list[str] = []
    evaluate_extractors(load_gold(gold), ["density"], keep=lambda _name, _page, text, _: texts.append(text))
    capture = Capture("https://bridge.example/", datetime.now(UTC), 200, (), (), body)
    document = process(capture, SiteModel(extractor="density", min_chars=1)).document
    assert document is not None
    assert texts == [document.text]


SOME = 4
"""One page of the demo in so many is read."""


def agree(pages: Sequence[GoldPage]) -> Counter[str]:
    """Compare what is read to be scored with what a crawl would store; return how often which came of it."""
    outcomes = Counter[str]()
    for page in pages:
        found = read(get("auto"), page, prepare(page))
        made = process(Capture(page.url or "about:blank", datetime.now(UTC), 200, (), (), page.html()), SiteModel())
        if made.document is not None:
            assert (page.id, found.text, found.refused) == (page.id, made.document.text, "")
            assert (found.title, found.confidence) == (made.document.metadata.title, made.document.confidence)
        else:
            assert made.drop is not None
            assert (page.id, found.refused or found.missing) != (page.id, "")
            assert found.refused in {made.drop.reason, None}
        outcomes[found.refused if found.refused is not None else "no text"] += 1
    return outcomes


def test_what_is_scored_of_the_demo_is_what_a_crawl_stores(tmp_path: Path) -> None:
    """The texts of its pages are the same to the last character; pages that are no articles are refused in both."""
    lines: list[str] = []
    for folder in ("pages", "gold"):
        (tmp_path / folder).mkdir()
    for (host, path), answer in list(build_site().answers.items())[::SOME]:
        if answer.status == 200 and b"<html" in answer.body and not dict(answer.headers).get("Content-Encoding"):
            name = f"p{len(lines)}"
            (tmp_path / "pages" / f"{name}.html").write_bytes(answer.body)
            (tmp_path / "gold" / f"{name}.txt").write_text("text")
            lines.append(json.dumps({"id": name, "lang": "vi", "url": f"http://{host}{path}"}))
    write_manifest(tmp_path, *lines)
    outcomes = agree(load_gold(tmp_path))
    assert outcomes[""] > 5
    assert outcomes["listing"] + outcomes["no_article"] > 2


@pytest.mark.timeout(3600)
@pytest.mark.skipif(not os.environ.get("CORPUS_SPIDER_GOLD"), reason="CORPUS_SPIDER_GOLD names no folder of real pages")
def test_what_is_scored_of_real_pages_is_what_a_crawl_stores() -> None:
    """On every gold page."""
    pages = load_gold(Path(os.environ["CORPUS_SPIDER_GOLD"]))
    assert agree(pages)[""] > 0.9 * len(pages)


LIST = "".join(f"<h3><a href=/{n}>{line[:60]}</a></h3><p>{line}</p>" for n, line in enumerate(LINES * 3))


def test_a_text_that_a_crawl_refuses_counts_and_is_told(gold: Path) -> None:
    """F1 is that of the text, stored F1 has 0 for it; so it is of an extractor and of a corpus; peers have none."""
    addresses = {"a": "http://h/2026/10/30/a", "b": "http://h/b"}
    entries = [json.loads(write_article(gold, name)) | {"url": url} for name, url in addresses.items()]
    write_manifest(gold, *map(json.dumps, entries))
    (gold / "pages" / "b.html").write_text(f"<html><title>News</title>{LIST}")
    pages = load_gold(gold)
    bodies = {page.id: Capture(page.url or "", datetime.now(UTC), 200, (), (), page.html()) for page in pages}
    stored = process(bodies["a"], SiteModel()).document
    assert stored is not None
    held = a_document(1, stored.text, url=addresses["a"], extractor=stored.extractor)
    told = dropped("listing", SiteModel(), lambda: bodies["b"])
    corpus = evaluate_corpus(pages, [held], {addresses["b"]: told})
    reports = [*evaluate_extractors(pages, ["auto", "justext"]), corpus]
    auto, peer, crawled = (as_plain(report)["summary"][0] for report in reports)
    assert (auto["f1"], auto["refused"], auto["empty"]) == (crawled["f1"], crawled["refused"], 0)
    assert auto["f1"] > auto["stored_f1"] == crawled["stored_f1"] == 0.5
    assert (peer["refused"], peer["stored_f1"]) == (0, None)
    for report in (reports[0], corpus):
        assert f"{report.name}: 1 of 2 texts that a crawl does not store" in render(report)
        assert "b\tlisting\n" in render(report)


def test_what_cannot_be_read_again_has_a_reason_only(gold: Path) -> None:
    """An original that is gone or was refused by its server, and a page of a site that is configured no more."""

    def gone() -> Capture:
        raise FileNotFoundError

    refused = Capture("http://h/b", datetime.now(UTC), 404, (), (), LIST.encode())
    page = replace(refused, status=200)
    for model, original in ((SiteModel(), gone), (SiteModel(), lambda: refused), (None, lambda: page)):
        found = dropped("listing", model, original)
        assert (found.text, found.missing, found.refused) == ("", "listing", None)
    assert dropped("listing", SiteModel(), lambda: page).refused == "listing"


def test_what_guards_an_extractor_is_not_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is looked at before the clock starts; one that is kept from the extractor takes no time at all."""
    events: list[str] = []

    def clock() -> float:
        events.append("clock")
        return float(len(events))

    def guard(html: str) -> tuple[str, str]:
        events.append("guard")
        return html.strip(), "" if html == " good " else "too deep"

    def run(html: str, _options: ExtractorOptions) -> Extraction:
        events.append("run")
        return Extraction((html,), "some", "1")

    monkeypatch.setattr(time, "thread_time", clock)
    some = Extractor("some", "1", run, evaluation_only=True, guard=guard)
    assert timed(some, " good ", ExtractorOptions()) == (Extraction(("good",), "some", "1"), 2.0)
    assert timed(some, "bad", ExtractorOptions()) == (Extraction((), "some", "1", "too deep"), None)
    assert events == ["guard", "clock", "run", "clock", "guard"]
    assert (some.extract("bad").reason, some.extract(" good ").text) == ("too deep", "good")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"%PDF-1.4 \x01\x02", "not_html"),
        (b"", "no"),
        (b"<p>" + b"\x81\xff\xfe" * 400, ""),
        (b"\0\0\0", ""),
        ("<meta charset=x-no-such><p>текст</p>".encode("koi8-r"), ""),
        (b"<p>" * 5_000, ""),
    ],
)
def test_pages_nobody_can_read_are_counted(gold: Path, body: bytes, told: str) -> None:
    """No page, whatever its bytes, ends an evaluation; where there is no text the reason is told."""
    write_manifest(gold, write_article(gold, "a"), write_article(gold, "b"))
    (gold / "pages" / "a.html").write_bytes(body)
    broken, whole = evaluate_extractors(load_gold(gold), ["auto"])[0].scores
    assert broken.score.f1 < 1
    assert told in broken.missing
    assert bool(broken.missing) == broken.empty
    assert whole.score.f1 == 1


def test_files_that_vanish_cost_their_page_only(gold: Path) -> None:
    """What is gone between reading the manifest and reading the page is an error of that page."""
    write_manifest(gold, write_article(gold, "a"), write_article(gold, "b"))
    pages = load_gold(gold)
    (gold / "pages" / "a.html").unlink()
    broken, whole = evaluate_extractors(pages, ["auto"])[0].scores
    assert "FileNotFoundError" in broken.missing
    assert whole.score.f1 == 1


def test_what_is_odd_about_true_texts_is_counted(gold: Path) -> None:
    """Empty ones and such in another encoding than UTF-8 are told; a byte order mark is not text."""
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
