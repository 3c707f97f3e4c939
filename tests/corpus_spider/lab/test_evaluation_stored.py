"""Stored texts are scored as a crawl stores them, with the time and the drop reason."""

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

from corpus_spider.demo.site import build_site
from corpus_spider.lab import (
    GoldPage,
    evaluate_corpus,
    evaluate_extractors,
    load_gold,
    render,
    score_tables,
)
from corpus_spider.lab.scoring_run import dropped, prepare, read, timed
from pipelines.extractors.base import Extractor, ExtractorOptions
from pipelines.extractors.registry import get
from pipelines.page.process import process
from storage.records import Capture, Extraction, SiteModel
from tests.corpus_spider.gold_samples import ARTICLE, LINES, write_article, write_manifest
from tests.storage.export_samples import a_document

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    assert [row["mb_per_second"] > 0 for row in score_tables(*reports).summary] == [True] * 6
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


def test_a_text_that_a_crawl_refuses_counts_and_is_reported(gold: Path) -> None:
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
    reported = dropped("listing", SiteModel(), lambda: bodies["b"])
    corpus = evaluate_corpus(pages, [held], {addresses["b"]: reported})
    reports = [*evaluate_extractors(pages, ["auto", "justext"]), corpus]
    auto, peer, crawled = (score_tables(report).summary[0] for report in reports)
    assert (auto["f1"], auto["refused"], auto["empty"]) == (crawled["f1"], crawled["refused"], 0)
    assert auto["f1"] > auto["stored_f1"] == crawled["stored_f1"] == 0.5
    assert (peer["refused"], peer["stored_f1"]) == (0, None)
    for report in (reports[0], corpus):
        assert f"{report.name}: a crawl does not store 1 of 2 texts" in render(report)
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
    some = Extractor("some", "1", "a test", run, evaluation_only=True, guard=guard)
    assert timed(some, " good ", ExtractorOptions()) == (Extraction(("good",), "some", "1"), 2.0)
    assert timed(some, "bad", ExtractorOptions()) == (Extraction((), "some", "1", "too deep"), None)
    assert events == ["guard", "clock", "run", "clock", "guard"]
    assert (some.extract("bad").reason, some.extract(" good ").text) == ("too deep", "good")


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        (b"%PDF-1.4 \x01\x02", "not_html"),
        (b"", "no"),
        (b"<p>" + b"\x81\xff\xfe" * 400, ""),
        (b"\0\0\0", ""),
        ("<meta charset=x-no-such><p>текст</p>".encode("koi8-r"), ""),
        (b"<p>" * 5_000, ""),
    ],
)
def test_unreadable_pages_are_counted(gold: Path, body: bytes, reported: str) -> None:
    """No bytes of a page end an evaluation; where no text is found, the reason is reported."""
    write_manifest(gold, write_article(gold, "a"), write_article(gold, "b"))
    (gold / "pages" / "a.html").write_bytes(body)
    broken, whole = evaluate_extractors(load_gold(gold), ["auto"])[0].scores
    assert broken.score.f1 < 1
    assert reported in broken.missing
    assert bool(broken.missing) == broken.empty
    assert whole.score.f1 == 1
