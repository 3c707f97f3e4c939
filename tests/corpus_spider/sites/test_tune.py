"""Tuning: the best extractor for a site's labelled pages, its score on held-back pages, and the papers' tables."""

from __future__ import annotations

import json
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.cli.app import run
from corpus_spider.config.model import Config
from corpus_spider.config.sections import SiteSettings
from corpus_spider.lab import evaluate_extractors, load_gold
from corpus_spider.lab.fitness import FitCandidate, best, candidates, f1_by_page
from corpus_spider.lab.tables import largest, paper_extractors, tables
from corpus_spider.sites.tune import held_back, pages_of, tune
from pipelines.extractors.registry import EXTRACTORS
from storage.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

GAP = 11
"""Lines between the paragraphs of the site made here: P must be larger to find both."""

PARAGRAPH = "این یک بند از خبر امروز است که در آن چند جمله کوتاه برای آزمون نوشته شده است."


def page_of(number: int) -> str:
    """A page in lines: two paragraphs with markup between, and a footer further off."""
    paragraph = f"<p>{PARAGRAPH} {'آ' * number}</p>"
    gap, far = ["<hr class='gap'>"] * (GAP - 1), ["<hr class='far'>"] * 16
    return "\n".join(["<html><body>", *[paragraph] * 3, *gap, *[paragraph] * 3, *far, "<i>پیوندهای دیگر سایت</i>"])


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Six pages of one site, one of another."""
    folder = tmp_path / "gold"
    (folder / "pages").mkdir(parents=True)
    (folder / "gold").mkdir()
    entries = []
    for number in range(7):
        name = f"fa-{number}"
        (folder / "pages" / f"{name}.html").write_text(page_of(number), encoding="utf-8")
        (folder / "gold" / f"{name}.txt").write_text(f"{PARAGRAPH} {'آ' * number}\n" * 6, encoding="utf-8")
        where = {"site": "news"} if number < 3 else {"url": "https://www.news.example/a"}
        entries.append({"id": name, "lang": "fa"} | (where if number < 6 else {"site": "other"}))
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")
    return folder


CONFIG = Config(sites=(SiteSettings(name="news", start=("https://news.example/",), extractor="r2l"),))


def test_the_pages_of_a_site_are_found_by_name_and_by_host(gold: Path) -> None:
    """What the manifest calls by the site's name, and what lies on one of its hosts; the order hangs on ids alone."""
    pages = load_gold(gold)
    found = [page.id for page in pages_of(pages, CONFIG, "news")]
    assert sorted(found) == [f"fa-{number}" for number in range(6)]
    assert [page.id for page in pages_of(pages[::-1], CONFIG, "news")] == found
    assert len(pages_of(pages, Config(), "news")) == 3
    assert len(pages_of(pages, Config(), "news.example")) == 3


def test_the_smallest_p_that_reaches_the_next_paragraph_fits(gold: Path) -> None:
    """All P from the gap on are equally good until the footer comes within reach; the smallest is taken."""
    fit = tune(CONFIG, "news", gold, ["r2l"])
    assert (fit.extractor, fit.p, fit.pages) == ("r2l", GAP, 6)
    assert fit.f1 == pytest.approx(1)
    assert fit.held_back_f1 == pytest.approx(1)
    assert (fit.present, fit.pays) == ("r2l, p = 8", True)
    assert fit.present_f1 < 0.7
    assert tune(CONFIG, "news", gold, ["r2l"]) == fit


def test_every_extractor_for_corpora_is_tried_unless_some_are_named(gold: Path) -> None:
    """The report has the best of each, and among equals the first listed is chosen."""
    fit = tune(Config(), "news", gold, ())
    stored = [one.name for one in EXTRACTORS.values() if not one.evaluation_only]
    assert sorted(str(row["extractor"]) for row in fit.tried) == sorted(stored)
    assert fit.tried[0]["extractor"] == "auto"
    assert fit.f1 == pytest.approx(max(float(str(row["f1"])) for row in fit.tried), abs=1e-4)
    assert fit.present == "auto"


def test_what_is_tuned_by_is_the_text_that_a_crawl_would_make(gold: Path) -> None:
    """A byline at the head of a text, which a crawl leaves out, is no fault of who found it; as `evaluate` has it."""
    for number in range(6):
        page = gold / "pages" / f"fa-{number}.html"
        head = "<h1>یک خبر برای آزمون است</h1><p class='byline'>نویسنده آزمون</p>"
        page.write_text(f"<html><body><article>{head}{page_of(number)}</article></body></html>", encoding="utf-8")
    (report,) = evaluate_extractors(pages_of(load_gold(gold), CONFIG, "news"), ["auto"])
    fit = tune(CONFIG, "news", gold, ["auto"])
    assert fit.f1 == pytest.approx(fmean(each.score.f1 for each in report.scores))


@pytest.mark.parametrize(
    ("site", "extractors", "reported"),
    [
        ("other", ["bte"], "has 1 page of"),
        ("nobody", ["bte"], "has 0 pages"),
        ("news", ["r2l-nepl"], "r2l-nepl cannot be used"),
        ("news", ["nothing"], 'no extractor "nothing"'),
    ],
)
def test_what_cannot_be_fitted_is_reported(gold: Path, site: str, extractors: list[str], reported: str) -> None:
    """Too few pages, and extractors that no corpus may have."""
    with pytest.raises(ConfigError, match=reported):
        tune(CONFIG, site, gold, extractors)


SCORES = st.integers(2, 9).flatmap(
    lambda count: st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=count, max_size=count), min_size=1)
)


@settings(max_examples=100, deadline=None)
@given(SCORES)
def test_no_page_is_scored_by_a_fit_it_had_a_say_in(rows: list[list[float]]) -> None:
    """Each half is read with the first of the best of the other half."""
    f1 = {FitCandidate("r2l", p): row for p, row in enumerate(rows, start=1)}
    even, odd = range(0, len(rows[0]), 2), range(1, len(rows[0]), 2)
    expected = [f1[best(f1, even)][page] for page in odd] + [f1[best(f1, odd)][page] for page in even]
    assert held_back(f1, len(rows[0])) == pytest.approx(fmean(expected))
    means = [fmean(row[page] for page in even) for row in rows]
    assert best(f1, even).p == 1 + means.index(max(means))


def test_a_parameter_is_tried_in_the_papers_interval() -> None:
    """P from 1 to 20 for R2L and DANA; other extractors have none."""
    assert [candidate.p for candidate in candidates("dana")] == list(range(1, 21))
    assert candidates("bte") == [FitCandidate("bte")]


CORPUS = """# my corpus
[corpus]
name = "mine"  # of papers

[[site]]
name = "other"
start = ["https://other.example/"]

[[site]]   # the one to tune
name = "news"
start = [
    "https://news.example/",  # the front page
]
p = 3
"""


def test_write_changes_two_keys_of_one_site_and_keeps_the_rest(gold: Path, tmp_path: Path) -> None:
    """Comments, order and spacing of the file stay."""
    file = tmp_path / "corpus.toml"
    file.write_text(CORPUS, encoding="utf-8")
    assert run(["-c", str(file), "tune", "news", "--gold", str(gold), "--extractor", "r2l", "--write", "--json"]) == 0
    assert file.read_text("utf-8") == CORPUS.replace("p = 3\n", f'p = {GAP}\nextractor = "r2l"\n')
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_what_does_not_pay_is_not_written(gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the site has already reads pages that had no say as well."""
    file = tmp_path / "corpus.toml"
    fitted = CORPUS.replace("p = 3\n", f'p = {GAP}\nextractor = "r2l"\n')
    file.write_text(fitted, encoding="utf-8")
    assert run(["-c", str(file), "tune", "news", "--gold", str(gold), "--extractor", "bte", "--write"]) == 0
    assert file.read_text("utf-8") == fitted
    assert "corpus.toml stays unchanged" in capsys.readouterr().err


def test_the_lines_are_printed_where_nothing_is_written(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without corpus.toml a gold folder is enough."""
    assert run(["tune", "news", "--gold", str(gold), "--extractor", "r2l"]) == 0
    captured = capsys.readouterr()
    assert f'extractor = "r2l"\n  p = {GAP}' in captured.err
    assert "it is from 3 pages only" in captured.err
    assert "corpus.toml has no such site yet" in captured.err
    assert "auto and scored also remove boilerplate" in captured.err
    assert "held_back_f1\t1.0" in captured.out


def test_a_site_that_the_file_does_not_have_is_not_written(gold: Path, tmp_path: Path) -> None:
    """The file stays as it was, and the exit code is that of a wrong configuration."""
    file = tmp_path / "corpus.toml"
    file.write_text(CORPUS, encoding="utf-8")
    assert run(["-c", str(file), "tune", "news.example", "--gold", str(gold), "--extractor", "bte", "--write"]) == 2
    assert file.read_text("utf-8") == CORPUS


def test_the_tables_hold_f1_by_group_speed_and_the_best_p(gold: Path) -> None:
    """The largest groups by name, all pages first; R2L's second table where R2L is asked for. A page whose site nobody
    names counts by the host of its URL.
    """
    pages = load_gold(gold)
    found = tables(pages, ["bte", "r2l-nepl"], "site")
    assert list(found.f1["bte"]) == ["all", "news", "other", "www.news.example"]
    mean = fmean(f1_by_page(pages, [FitCandidate("bte")])[FitCandidate("bte")])
    assert found.f1["bte"]["all"] == pytest.approx(mean)
    assert set(found.megabytes_per_second) == {"bte", "r2l-nepl"}
    assert [(row.group, row.pages, row.p) for row in found.best_p] == [
        *(("news", 3, GAP), ("other", 1, GAP), ("www.news.example", 3, GAP)),
    ]
    assert all(row.best_f1 > row.f1 for row in found.best_p)
    assert largest(pages, "language") == ["fa"]


def test_every_method_of_danas_tables_can_be_in_them() -> None:
    """Its eleven opponents and itself, under the names they have here."""
    paper = "accb-40 bte-original dsc fe kfe lqf-25 lqf-50 lqf-75 tccb-18 tccb-25 licea dana-paper r2l-nepl bte blocks"
    assert set(paper.split()) <= set(paper_extractors())


@pytest.mark.parametrize("by", ["language", "site"])
def test_evaluate_prints_the_papers_tables(gold: Path, by: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As text and as JSON."""
    command = ["evaluate", "--gold", str(gold), "--extractor", "dana", "--paper-tables", by]
    assert run(command) == 0
    assert f"F1 by {by}" in capsys.readouterr().out
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["f1"]["dana"]["all"] > 0.5
