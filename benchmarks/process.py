"""Compare `process` with the pure page function on the same cores, and measure its test of the language.

    python benchmarks/process.py speed GOLD_DIR [--pages 150] [--repeat 4] [--rounds 3]
    python benchmarks/process.py language GOLD_DIR [--pages 2000] [--language vi]

*speed*: an archive has each page several times, with a space more each time. Plain processes, as many as there are
cores, call the page function on pages in memory; `process` reads the archive and writes the part. Both take turns.

*language*: an archive has pages of twelve languages. Each is a gold page, or two paragraphs of a gold text in the page
of another site, mostly of another language. `process` runs with the test of the language and without it. Printed are
the ratio of seconds, and the share of the wanted documents that the test lets pass.

All seconds are those of a clock, so the machine must be quiet. They include the start of the workers.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from pyarrow import parquet

from corpus_spider.batch.batch import make_parts
from corpus_spider.batch.rules import rules_of
from corpus_spider.config.model import Config
from corpus_spider.lab.gold import load_gold
from pipelines.page.process import process
from storage.records import Capture, SiteModel
from storage.warc import WarcInfo, WarcWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.batch.rules import BatchRules
    from corpus_spider.lab.gold import GoldPage

LANGUAGES = ("vi", "en", "zh", "pl", "ru", "el", "ja", "he", "ar", "fr", "id", "fa")
PARAGRAPHS = 2
MODEL = SiteModel("s")
_BODY = re.compile(rb"<body[^>]*>", re.IGNORECASE)


def capture(number: int, body: bytes) -> Capture:
    """Return a page as a crawl receives it."""
    headers = (("Content-Type", "text/html"),)
    return Capture(f"https://press{number % 50}.example/{number}", datetime.now(UTC), 200, (), headers, body)


def write(folder: Path, pages: Sequence[bytes]) -> str:
    """Write an archive and return its path."""
    with closing(WarcWriter(folder, "archive", WarcInfo("benchmark"), 1 << 40)) as writer:
        for number, body in enumerate(pages):
            writer.append([capture(number, body)], [None])
    return str(next(folder.glob("*.warc.gz")))


def processed(archive: str, release: Path, rules: BatchRules) -> float:
    """Process an archive and return the seconds."""
    begun = time.monotonic()
    report = make_parts([archive], release, rules)
    assert not report.failed, report.failed
    return time.monotonic() - begun


def _read(pages: Sequence[Capture]) -> None:
    for each in pages:
        process(each, MODEL)


def pure(pages: Sequence[Capture], cores: int) -> float:
    """Return the seconds of plain processes, which exist before."""
    with ProcessPoolExecutor(cores, get_context("fork")) as pool:
        list(pool.map(len, [""] * cores))
        begun = time.monotonic()
        list(pool.map(_read, [pages[at::cores] for at in range(cores)]))
        return time.monotonic() - begun


def speed(gold: Sequence[GoldPage], options: argparse.Namespace) -> None:
    """Print the seconds of both ways and their ratio."""
    chosen = [page.html() for page in gold[:: max(1, len(gold) // options.pages)][: options.pages]]
    pages = [body + b" " * turn for turn in range(options.repeat) for body in chosen]
    cores = options.cores
    rules = rules_of(replace(Config(), crawl=replace(Config().crawl, workers=cores)))
    with tempfile.TemporaryDirectory() as name:
        archive = write(Path(name), pages)
        captures = [capture(number, body) for number, body in enumerate(pages)]
        rounds = [
            (pure(captures, cores), processed(archive, Path(name) / f"release{turn}", rules))
            for turn in range(options.rounds)
        ]
    print(f"{len(pages)} pages, {cores} cores, best of {options.rounds} rounds")
    plain, whole = (min(each[way] for each in rounds) for way in (0, 1))
    print(f"pure {plain:.2f} s, process {whole:.2f} s, pure / process {plain / whole:.3f}")


def composed(gold: Sequence[GoldPage], count: int, chance: random.Random) -> list[bytes]:
    """Return so many pages, the languages in turns: gold pages first, then paragraphs in the pages of other sites."""
    by_language = {code: [page for page in gold if page.language == code] for code in LANGUAGES}
    whole = {code: [page.html() for page in pages] for code, pages in by_language.items()}
    made = []
    for code in islice(cycle([code for code in LANGUAGES if by_language[code]]), count):
        if whole[code]:
            made.append(whole[code].pop())
            continue
        lines = [line for line in chance.choice(by_language[code]).truth().splitlines() if line.strip()]
        start = chance.randrange(max(1, len(lines) - PARAGRAPHS))
        text = "".join(f"<p>{line}</p>" for line in lines[start : start + PARAGRAPHS])
        article = f"<article><h1>{chance.randrange(10**6)} {lines[0][:60]}</h1>{text}</article>".encode()
        page = chance.choice(gold).html()
        body = _BODY.search(page)
        made.append(page[: body.end()] + article + page[body.end() :] if body else article)
    return made


def wanted(release: Path, language: str) -> set[str]:
    """Return the addresses of the documents in a language."""
    tables = [parquet.read_table(path, columns=["url", "language"]) for path in release.glob("data/*.parquet")]
    rows = [row for table in tables for row in table.to_pylist()]
    return {row["url"] for row in rows if row["language"] == language}


def language(gold: Sequence[GoldPage], options: argparse.Namespace) -> None:
    """Print what the test of the language saves and loses."""
    pages = composed(gold, options.pages, random.Random(1))
    config = replace(Config(), crawl=replace(Config().crawl, workers=options.cores))
    with tempfile.TemporaryDirectory() as name:
        archive = write(Path(name), pages)
        ways = {skim: rules_of(config, languages=(options.language,), skim=skim) for skim in (True, False)}
        seconds = {skim: processed(archive, Path(name) / str(skim), rules) for skim, rules in ways.items()}
        found = {skim: wanted(Path(name) / str(skim), options.language) for skim in ways}
    lost = found[False] - found[True]
    print(f"{len(pages)} pages, {len(found[False])} documents in {options.language}")
    print(f"seconds: all {seconds[False]:.1f}, with the test {seconds[True]:.1f}")
    print(f"ratio {seconds[False] / seconds[True]:.2f}, recall {1 - len(lost) / max(1, len(found[False])):.4f}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "language"))
    parser.add_argument("gold", type=Path)
    parser.add_argument("--pages", type=int, default=0, help="default: 150 for speed, 2000 for language")
    parser.add_argument("--repeat", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--language", default="vi")
    options = parser.parse_args()
    options.pages = options.pages or {"speed": 150, "language": 2000}[options.what]
    {"speed": speed, "language": language}[options.what](load_gold(options.gold), options)


if __name__ == "__main__":
    main()
