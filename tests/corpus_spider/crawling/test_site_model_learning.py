"""Site models in a crawl: learned from earlier runs, used from then on, and recorded with each document."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config.loader import load
from corpus_spider.config.model import Config
from corpus_spider.config.sections import CrawlSettings, SiteSettings
from corpus_spider.crawling.model_learning import is_due, learn_due
from corpus_spider.crawling.open_corpus import open_for_writing
from corpus_spider.crawling.site_models import ConfiguredModels, with_learned
from pipelines.extractors.auto.blocks.template_learning import SCHEME
from storage import Corpus
from storage.documents.selection import Selection
from storage.documents.site_models import LearnedModel
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, paragraphs, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from storage.documents.model import CorpusDocument

PROMPT = "Mời bạn đăng ký nhận bản tin của chúng tôi để không bỏ lỡ những câu chuyện hay nhất trong ngày hôm nay."
LEARNED = LearnedModel("news", datetime(2026, 1, 1, tzinfo=UTC), SCHEME, 10, 40, b"\1" * 16)


class Prompting(Newspaper):
    """A newspaper with a line in the body of every article that is none of it."""

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = super().answer(path)
        if path.startswith("/article/") and status == 200:
            following = int(path[9:]) + 1
            link = f"<a href=/article/{following}>tiếp</a>" if following < self.articles else ""
            body = article(following - 1, link).decode()
            body = body.replace("</article>", f"<p>{PROMPT}</p></article>").encode()
            headers = {"Content-Type": "text/html; charset=utf-8"}
        return status, headers, body


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A corpus after its first crawl, and after a second one, for which the newspaper had grown."""
    first, second = (tmp_path_factory.mktemp("crawls") / name for name in ("first", "second"))
    first.mkdir()
    with served(Prompting(articles=12)) as paper:
        (first / "corpus.toml").write_text(corpus_toml(paper))
        assert run(first, "crawl").returncode == 0
        shutil.copytree(first, second)
        paper.articles = 24
        assert run(second, "crawl", "--now").returncode == 0
    return first, second


@pytest.fixture
def once(crawls: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the first."""
    return Path(shutil.copytree(crawls[0], tmp_path / "once"))


@pytest.fixture
def grown(crawls: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the second."""
    return Path(shutil.copytree(crawls[1], tmp_path / "grown"))


def documents(folder: Path) -> dict[int, CorpusDocument]:
    """The documents of a corpus by the number of their article."""
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        found = corpus.documents(Selection(include_duplicates=True))
        return {int(document.url.rpartition("/")[2]): document for document in found}


def with_prompt(folder: Path) -> set[int]:
    return {number for number, document in documents(folder).items() if PROMPT in document.text}


def test_the_second_crawl_leaves_out_what_the_first_has_seen_on_every_page(grown: Path) -> None:
    """The prompt stays in the texts of the first crawl, before its pages were learned; all can be made again."""
    found = documents(grown)
    assert set(found) == set(range(24))
    assert with_prompt(grown) == set(range(12))
    assert all(found[number].text.splitlines() == paragraphs(number) for number in range(12, 24))
    versions = {number: document.site_model for number, document in found.items()}
    rules, _, learned = versions[23].partition("-")
    assert set(versions.values()) == {rules, f"{rules}-{learned}"}
    assert {number for number, version in versions.items() if version == rules} == set(range(12))
    report = json.loads(run(grown, "check", "--deep", "--json").stdout)
    assert report["problems"] == []
    assert report["reextracted"] == 24


def test_reextract_uses_the_newest_model_or_the_one_of_each_text(grown: Path) -> None:
    """What has another confidence and the same text is counted apart from what has changed."""
    kept = json.loads(run(grown, "reextract", "--keep-models", "--json").stdout)
    assert (kept["changed"], kept["gained"], kept["lost"]) == (0, 0, 0)
    assert with_prompt(grown) == set(range(12))
    newest = json.loads(run(grown, "reextract", "--json").stdout)
    assert newest["changed"] == 12
    assert with_prompt(grown) == set()
    assert run(grown, "check", "--deep").returncode == 0
    with closing(sqlite3.connect(grown / "corpus.db")) as database, database:
        database.execute("UPDATE document SET confidence = 0.5")
    rescored = json.loads(run(grown, "reextract", "--dry-run", "--json").stdout)
    assert (rescored["changed"], rescored["rescored"]) == (0, 24)
    assert rescored["unchanged"] == rescored["pages"] - 24


def test_without_site_models_nothing_is_learned_or_used(once: Path) -> None:
    """The setting turns both off, and texts that were made with a model can still be made again with it."""
    config = load(once / "corpus.toml")
    off = replace(config, crawl=replace(config.crawl, site_models=False))
    with open_for_writing(config, new_pages=False) as opened:
        corpus = opened.corpus
        learn_due(off, corpus, opened.pool)
        assert corpus.models.newest(["newspaper"]) == {}
        learn_due(config, corpus, opened.pool)
        learned = ConfiguredModels(config, corpus).newest["newspaper"]
        assert learned.template
        assert ConfiguredModels(off, corpus).newest["newspaper"].template == b""
        assert ConfiguredModels(off, corpus).as_made("newspaper", learned.version) == learned


def test_a_corpus_without_pages_teaches_nothing(tmp_path: Path) -> None:
    (tmp_path / "corpus.toml").write_text(corpus_toml(Newspaper()))
    Corpus.open(tmp_path / "corpus.db", create=True).close()
    done = run(tmp_path, "learn")
    assert done.stdout.splitlines()[1:] == [
        "site\tdocuments\tpages\trecurring\tmodel\tlines\town lines\tshared",
        "newspaper\t0\t0\t0\t\t0\t0\t0.0",
    ]


def test_learn_reports_what_it_learns_and_a_dry_run_keeps_nothing(once: Path) -> None:
    """The command needs no crawl; what it learned is in force from then on."""
    for dry_run in (["--dry-run"], []):
        with Corpus.open(once / "corpus.db", read_only=True) as corpus:
            assert corpus.models.newest(["newspaper"]) == {}
        done = run(once, "learn", *dry_run, "--json")
        (counts,) = json.loads(done.stdout)
        assert (counts["site"], counts["documents"]) == ("newspaper", 12)
        assert counts["pages"] >= 5
        assert counts["recurring"] >= 3
    with Corpus.open(once / "corpus.db", read_only=True) as corpus:
        assert corpus.models.newest(["newspaper"])["newspaper"].id == counts["model"]
    assert run(once, "reextract").returncode == 0
    assert with_prompt(once) == set()


def test_learning_ends_when_its_time_is_over_and_is_made_up_for_later(once: Path) -> None:
    """A crawl starts in bounded time; what was not learned stays due."""
    config = load(once / "corpus.toml")
    with open_for_writing(config, new_pages=False) as opened:
        corpus, pool = opened.corpus, opened.pool
        learn_due(config, corpus, pool, seconds=0.0)
        assert corpus.models.newest(["newspaper"]) == {}
        learn_due(config, corpus, pool)
        first = corpus.models.newest(["newspaper"])
        assert first["newspaper"].documents == 12
        learn_due(config, corpus, pool)
        assert corpus.models.newest(["newspaper"]) == first


def test_originals_that_are_gone_are_passed_over(once: Path) -> None:
    """There is nothing to learn from, and that is no error."""
    for file in (once / "warc").glob("*.warc.gz"):
        file.unlink()
    done = run(once, "learn", "--json")
    assert done.returncode == 0
    assert [each["pages"] for each in json.loads(done.stdout)] == [0]


@pytest.mark.parametrize(
    ("documents", "known", "due"),
    [
        (4, None, False),
        (5, None, True),
        (40, LEARNED, False),
        (80, LEARNED, False),
        (81, LEARNED, True),
        (40, replace(LEARNED, scheme="another"), True),
        (40, replace(LEARNED, template=b""), False),
    ],
)
def test_a_site_is_due_without_a_model_and_when_it_has_doubled(
    documents: int, known: LearnedModel | None, due: bool
) -> None:
    """The model knows how many documents the site had; one that names blocks in another way is none."""
    assert is_due(documents, known) is due


def test_the_version_of_a_model_names_the_rules_and_what_was_learned() -> None:
    """And the rules alone where nothing was learned, or nothing that this program understands."""
    config = Config(sites=(SiteSettings(name="news"),))
    rules = config.site_model(config.sites[0])
    known = with_learned(rules, LEARNED)
    assert known == replace(rules, version=f"{rules.version}-{LEARNED.id}", template=LEARNED.template)
    for nothing in (None, replace(LEARNED, template=b""), replace(LEARNED, scheme="another")):
        assert with_learned(rules, nothing) == rules


def test_a_document_is_made_again_with_what_was_known_when_it_was_made(tmp_path: Path) -> None:
    """Not with what is known today, nor when it cannot be known any more."""
    config = Config(crawl=CrawlSettings(), sites=(SiteSettings(name="news"),))
    newer = replace(LEARNED, created=datetime(2026, 2, 1, tzinfo=UTC))
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        corpus.models.add([LEARNED, newer])
        models = ConfiguredModels(config, corpus)
        rules = config.site_model(config.sites[0])
        assert models.newest["news"] == with_learned(rules, newer)
        assert models.as_made("news", f"{rules.version}-{LEARNED.id}") == with_learned(rules, LEARNED)
        assert models.as_made("news", rules.version) == rules
        assert models.as_made("news", f"{rules.version}-0123456789ab") is None
        assert models.as_made("other", rules.version) is None


def test_lines_that_recur_are_marked_and_left_out_when_asked(once: Path) -> None:
    """What the first crawl let in is learned by `learn`, marked in every export, and gone from one that says so."""
    (counts,) = json.loads(run(once, "learn", "--json").stdout)
    assert counts["lines"] >= 1
    every = [json.loads(line) for line in run(once, "export", "-o", "-", "--format", "jsonl").stdout.splitlines()]
    prompted = [row for row in every if PROMPT in row["text"]]
    assert prompted
    for row in prompted:
        assert row["recurring"][row["text"].split("\n").index(PROMPT)] == "r"
    done = run(once, "export", "-o", "-", "--format", "jsonl", "--without-recurring")
    rest = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rest) == len(every)
    assert not any(PROMPT in row["text"] or row["recurring"] for row in rest)
    assert all(row["chars"] == len(row["text"]) for row in rest)
    assert all(len(row["kinds"]) in {0, len(row["text"].split("\n"))} for row in rest)
    least = min(row["chars"] for row in rest) + 1
    stored = {row["id"] for row in every if row["chars"] >= least}
    kept = {row["id"] for row in rest if row["chars"] >= least}
    asked = ("export", "--without-recurring", "--min-chars", str(least), "--dry-run", "--json")
    counts = json.loads(run(once, *asked).stdout)
    assert (counts["documents"], counts["left_out"]["too short"]) == (len(kept), len(stored - kept))
    standing, counts = (
        json.loads(run(once, *verb, "--json").stdout) for verb in (("status",), ("export", "--dry-run"))
    )
    assert counts["left_out"] == {"repeats another": standing["duplicates"]}
    assert counts["documents"] + standing["duplicates"] == standing["documents"]
