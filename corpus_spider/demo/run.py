"""`corpus-spider demo`: run the whole program on the bundled newspapers, from crawl to score, without network."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.config import loader
from corpus_spider.crawling.runner import crawl
from corpus_spider.demo import papers
from corpus_spider.demo.server import serve
from corpus_spider.demo.site import build_site, truth
from corpus_spider.lab.scores import score
from storage.corpus import Corpus
from storage.disk import disk_errors
from storage.documents.selection import Selection
from storage.errors import ConfigError
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.config.model import Config
    from corpus_spider.demo.papers import Paper
    from corpus_spider.demo.site import Key, TruePage
    from storage.documents.model import CorpusDocument

FOLDER = Path("demo")
REAL_PAGES = (
    "These invented pages are easy. On 801 real pages, of newspapers that the extractor has not seen before, "
    "F1 is .94.\nTo measure it on your own pages: corpus-spider evaluate --gold DIR"
)
"""Figures of docs/explanation/extractor-rules.md."""
MARK = "# The corpus of `corpus-spider demo`"
"""First words of the corpus.toml of a demo. Another corpus in the folder is not replaced."""


@dataclass(frozen=True, slots=True)
class DemoRow:
    """Result for one language. ``f1`` is the mean over its articles; a missing article counts 0."""

    language: str
    pages: int
    documents: int
    duplicates: int
    f1: float


@dataclass(frozen=True, slots=True)
class DemoReport:
    """Figures of the demo. ``not_articles`` counts documents of pages without an article."""

    folder: str
    exit_code: int
    pages: int
    documents: int
    not_articles: int
    dropped: Mapping[str, int]
    languages: tuple[DemoRow, ...]

    @property
    def next_commands(self) -> tuple[str, str, str]:
        """Commands to try next."""
        installed = shutil.which("corpus-spider")
        config, target = (shlex.quote(f"{self.folder}/{name}") for name in ("corpus.toml", "demo.jsonl.zst"))
        program = f"{'corpus-spider' if installed else shlex.quote(sys.argv[0])} -c {config}"
        return f"{program} status", f"{program} export -o {target}", f"{program} check --deep"


def demo_config(port: int) -> str:
    """Return the text of a corpus.toml for the demo site on that port."""
    every = papers.load()
    head = f"""\
[corpus]
name = "demo"
languages = {json.dumps([paper.language for paper in every])}
database = "sqlite:///corpus.db"
warc = "warc"
contact = "demo@example.org"

[crawl]
delay = 0.0
allow_private = ["*.{papers.LANDING_HOST}:{port}"]
"""
    return head + "".join(_site(paper, port) for paper in every)


def _site(paper: Paper, port: int) -> str:
    base = papers.Edition(paper, (), port).base
    lines = [f'name = "{paper.language}-demo"', f'start = ["{base}/"]']
    lines += [f'{kind}s = ["{base}{paper[kind]["path"]}"]' for kind in ("feed", "sitemap") if kind in paper.table]
    return "\n".join(["", "[[site]]", *lines, f'language = "{paper.language}"', ""])


def run_demo(folder: Path | None, *, log_level: str, quiet: bool) -> DemoReport:
    """Serve the bundled site on loopback, crawl it into ``folder`` (default: ./demo), and compare with the true texts.

    Raises ConfigError if the folder contains anything but an earlier demo, DiskError if it cannot be written.
    """
    place = folder or FOLDER
    _prepare_folder(place)
    with serve(build_site()) as server:
        with disk_errors(place):
            (place / "corpus.toml").write_text(
                f"{MARK}. The next demo replaces it.\n" + demo_config(server.port), encoding="utf-8"
            )
        config = loader.load(place / "corpus.toml", environ={})
        code, summary = crawl(config, log_level=log_level, quiet=quiet)
    return _report(place, config, code, summary["dropped"])


def example(folder: Path | None) -> CorpusDocument | None:
    """Return the newest document of the first newspaper, of those that repeat no other. None if there is none."""
    config = loader.load((folder or FOLDER) / "corpus.toml", environ={})
    with Corpus.open(config.database_url, read_only=True) as corpus:
        documents = list(corpus.documents(Selection(sites=(f"{papers.load()[0].language}-demo",))))
    return max(documents, key=lambda document: (document.date or "", document.url), default=None)


def _prepare_folder(folder: Path) -> None:
    """Create the folder, and delete an earlier demo in it."""
    with disk_errors(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            toml = folder / "corpus.toml"
            if not toml.is_file() or not toml.read_bytes().startswith(MARK.encode()):
                raise ConfigError(
                    "the folder contains other files than a demo", where=str(folder), do="Name another with --keep DIR."
                )
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)


def _report(folder: Path, config: Config, code: int, dropped: Mapping[str, int]) -> DemoReport:
    with Corpus.open(config.database_url, read_only=True) as corpus:
        documents = {_key(one.url): one for one in corpus.documents(Selection(include_duplicates=True))}
        sites = [fetch.lease.site for fetch in corpus.fetches() if fetch.lease and fetch.kind is Kind.PAGE]
    true = truth()
    rows = [_row(site.language, documents, true, sites.count(site.name)) for site in config.sites]
    return DemoReport(
        folder=str(folder),
        exit_code=code,
        pages=len(sites),
        documents=len(documents),
        not_articles=len(documents.keys() - true.keys()),
        dropped=dropped,
        languages=tuple(rows),
    )


def _row(language: str, documents: Mapping[Key, CorpusDocument], true: Mapping[Key, TruePage], pages: int) -> DemoRow:
    own = [document for document in documents.values() if document.site.startswith(f"{language}-")]
    scores = [
        score(documents[key].text if key in documents else "", page.text, page.title).f1
        for key, page in true.items()
        if page.language == language
    ]
    repeated = sum(document.duplicate_of is not None for document in own)
    return DemoRow(language, pages, len(own), repeated, round(fmean(scores), 3))


def _key(url: str) -> Key:
    parts = urlsplit(url)
    return parts.hostname or "", parts.path + (f"?{parts.query}" if parts.query else "")
