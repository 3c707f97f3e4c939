"""Compare `process` with the pure page function on the same cores, and measure its test of the language.

    python benchmarks/process.py speed GOLD_DIR [--pages 150] [--repeat 4] [--rounds 3]
    python benchmarks/process.py language GOLD_DIR [--pages 2040] [--language vi] [--whole] [--rounds 3]

*speed*: an archive has each page several times, with a space more each time. Plain processes, as many as there are
cores, call the page function on pages in memory; `process` reads the archive and writes the part. Both take turns.

*language*: an archive has pages of twelve languages in turns. A quarter are gold pages, as long as there are some. A
quarter are gold pages that keep two to six paragraphs. Half have two to six paragraphs of a gold text in the place of
the text of another page, mostly of another language: so menu and title are in another language than the text. Gold
texts are repeated, whole pages are not. ``--whole``: the gold pages as they are, once each. `process` runs with the
test of the language and without it. Printed are the ratio of seconds, and the share of the wanted documents that the
test lets pass.

All seconds are those of a clock, so the machine must be quiet. They include the start of the workers, which the
second comparison does once before.
"""

from __future__ import annotations

import argparse
import html
import random
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
WHOLE, SHORT, ELSEWHERE = "whole", "short", "in another page"
KINDS = (WHOLE, SHORT, ELSEWHERE, ELSEWHERE)
MIN_PARAGRAPHS, MAX_PARAGRAPHS = 2, 6
MIN_PARAGRAPH_CHARS = 30
"""Characters. Shorter lines are headings and datelines."""
MODEL = SiteModel("s")


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


class Template(NamedTuple):
    """A page and the paragraphs of its text that it has word for word, once each."""

    page: str
    paragraphs: tuple[str, ...]

    def with_text(self, lines: Sequence[str]) -> bytes:
        """Return the page with other paragraphs in the place of its own."""
        page, last = self.page, len(self.paragraphs) - 1
        for at, paragraph in enumerate(self.paragraphs):
            own = lines[at : at + 1] if at < last else lines[at:]
            page = page.replace(paragraph, "</p><p>".join(html.escape(line) for line in own), 1)
        return page.encode()


def template(page: GoldPage) -> Template | None:
    """Return the template of a gold page; None if too few paragraphs of its text are found in it."""
    try:
        text = page.html().decode()
    except UnicodeDecodeError:
        return None
    paragraphs = [line for line in paragraphs_of(page) if text.count(line) == 1]
    # Longest first: a short one may be a part of a long one.
    kept = [line for line in paragraphs if not any(line != other and line in other for other in paragraphs)]
    return Template(text, tuple(kept)) if len(kept) >= MIN_PARAGRAPHS else None


def paragraphs_of(page: GoldPage) -> list[str]:
    """Return the paragraphs of a true text."""
    return [line.strip() for line in page.truth().splitlines() if len(line.strip()) >= MIN_PARAGRAPH_CHARS]


def composed(
    gold: Sequence[GoldPage], count: int, languages: Sequence[str], chance: random.Random
) -> list[tuple[str, bytes]]:
    """Return so many pages and their kinds, the languages in turns.

    Of four pages of a language one is a gold page as long as there are some, and one is a gold page that keeps a few
    paragraphs. Two have a few paragraphs in the page of another site, mostly of another language. So gold texts are
    repeated, and no page is.
    """
    by_language = {code: [page for page in gold if page.language == code] for code in languages}
    whole = {code: [page.html() for page in pages] for code, pages in by_language.items()}
    templates = {page.id: found for page in gold if (found := template(page))}
    others = [page for page in gold if page.id in templates]
    made, kinds = [], cycle(KINDS)
    turns = cycle([code for code in languages if by_language[code]])
    kind = next(kinds)
    for number in range(count):
        code = next(turns)
        if number % len(languages) == 0:
            kind = next(kinds)
        if kind == WHOLE and whole[code]:
            made.append((WHOLE, whole[code].pop()))
            continue
        text = chance.choice([page for page in by_language[code] if paragraphs_of(page)])
        lines = paragraphs_of(text)
        size = chance.randint(MIN_PARAGRAPHS, MAX_PARAGRAPHS)
        start = chance.randrange(max(1, len(lines) - size + 1))
        place = text if kind != ELSEWHERE and text.id in templates else chance.choice(others)
        made.append((SHORT if place is text else ELSEWHERE, templates[place.id].with_text(lines[start : start + size])))
    return made


def wanted(release: Path, language: str) -> set[str]:
    """Return the addresses of the documents in a language."""
    tables = [parquet.read_table(path, columns=["url", "language"]) for path in release.glob("data/*.parquet")]
    rows = [row for table in tables for row in table.to_pylist()]
    return {row["url"] for row in rows if row["language"] == language}


def language(gold: Sequence[GoldPage], options: argparse.Namespace) -> None:
    """Print what the test of the language saves and loses."""
    languages = tuple(dict.fromkeys((options.language, *LANGUAGES)))[: len(LANGUAGES)]
    if options.whole:
        pages = [(WHOLE, page.html()) for page in gold]
        languages = tuple(sorted({page.language for page in gold}))
    else:
        pages = composed(gold, options.pages, languages, random.Random(1))
    config = replace(Config(), crawl=replace(Config().crawl, workers=options.cores))
    with tempfile.TemporaryDirectory() as name:
        archive = write(Path(name), [body for _, body in pages])
        ways = {skim: rules_of(config, languages=(options.language,), skim=skim) for skim in (True, False)}
        processed(write(Path(name) / "first", [pages[0][1]]), Path(name) / "first", ways[True])
        rounds = [
            {skim: processed(archive, Path(name) / f"{skim}{turn}", rules) for skim, rules in ways.items()}
            for turn in range(options.rounds)
        ]
        seconds = {skim: min(each[skim] for each in rounds) for skim in ways}
        found = {skim: wanted(Path(name) / f"{skim}0", options.language) for skim in ways}
    lost = found[False] - found[True]
    kinds = Counter(kind for kind, _ in pages)
    print(f"{len(pages)} pages in {' '.join(languages)}: {', '.join(f'{n} {kind}' for kind, n in kinds.items())}")
    print(
        f"{len(found[False])} documents in {options.language}, {len(lost)} lost, {len(found[True] - found[False])} more"
    )
    print(f"best of {options.rounds} rounds, seconds: all {seconds[False]:.1f}, with the test {seconds[True]:.1f}")
    print(f"ratio {seconds[False] / seconds[True]:.2f}, recall {1 - len(lost) / max(1, len(found[False])):.4f}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "language"))
    parser.add_argument("gold", type=Path)
    parser.add_argument("--pages", type=int, default=0, help="default: 150 for speed, 2040 for language")
    parser.add_argument("--whole", action="store_true", help="language: the gold pages alone, as they are")
    parser.add_argument("--repeat", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--language", default="vi")
    options = parser.parse_args()
    options.pages = options.pages or {"speed": 150, "language": 2040}[options.what]
    {"speed": speed, "language": language}[options.what](load_gold(options.gold), options)


if __name__ == "__main__":
    main()
