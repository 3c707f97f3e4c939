"""Documents a second that an export writes from SQLite, by format.

    python benchmarks/export.py [--documents 40000] [--bytes 4000] [--format NAME ...] [--corpus FOLDER]

The benchmark builds a corpus with texts of so many bytes. Each line has random words from the demo's articles in six
languages. The documents have all that a crawl stores: kinds and languages of lines, quality, captions, rights, and an
original in the WARC. One in twenty is a duplicate. ``--corpus`` keeps the corpus for another time. A process of its own
exports each format, as `corpus-spider export` does. Columns:

- documents a second: by the clock, by the CPU time of all processes, and by that of the first thread, beside which
  others compress
- peak memory
- the first digits of the file's SHA-256, which are the same for the same corpus

On 200,000 documents and two cores, documents a second by the clock, medians of five: 20,200 as `jsonl.zst` and 20,400
as `parquet`; on 57,000 documents, where the start counts, and on a busy machine 15,000 to 18,000. Of the processor time
of a document in `jsonl.zst` a third goes into the database's rows, a third into compression, the rest into records of
the rows, JSON, and the way from process to process. Two processors that share a core, as these do, do together a
quarter more than one alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from copies import multiply

from corpus_spider.config.loader import load as load_config
from corpus_spider.demo.articles import load
from corpus_spider.export.exporter import export_documents
from corpus_spider.export.request import ExportRequest
from corpus_spider.terminal.console import Console
from pipelines.quality.signals import measure
from pipelines.text.minhash import fingerprint
from storage.corpus import Corpus
from storage.documents.selection import Selection
from storage.records import (
    Capture,
    Document,
    Fetched,
    Kind,
    LanguageGuess,
    Lease,
    Metadata,
    Processed,
    Seed,
)
from storage.warc import WarcInfo, WarcWriter

FORMATS = ("jsonl", "jsonl.zst", "parquet", "jsonl.gz", "prevert")
SCRIPTS = {"ar": "Arab", "fa": "Arab", "ur": "Arab", "vi": "Latn", "en": "Latn", "th": "Thai"}
SITES, GROUP = 20, 500
STORED = 5000
"""Documents that are stored as a crawl stores them. More documents are copies of them."""
CLOCKS = {"wall": time.perf_counter, "cpu": lambda: sum(os.times()[:4]), "thread": time.thread_time}
START = datetime(2026, 1, 1, tzinfo=UTC)


def vocabulary() -> dict[str, list[str]]:
    """Return the words of the demo's articles by language, as often as they stand there, Thai in runs of letters."""
    found: dict[str, list[str]] = {}
    for article in load():
        for block in article.blocks:
            text = block.plain
            words = re.findall(".{1,6}", text) if article.language == "th" else text.split()
            found.setdefault(article.language, []).extend(words)
    return found


def text_of(words: list[str], language: str, size: int, randomly: random.Random) -> str:
    """Return lines of drawn words, ``size`` bytes in UTF-8."""
    between = "" if language == "th" else " "
    lines: list[str] = []
    while sum(len(line.encode()) + 1 for line in lines) < size:
        lines.append(between.join(randomly.choices(words, k=randomly.randint(5, 60))) + ".")
    return unicodedata.normalize("NFC", "\n".join(lines).encode()[:size].decode(errors="ignore").strip())


def document(number: int, words: dict[str, list[str]], size: int) -> Document:
    """Make a document with what a crawl stores of one."""
    randomly = random.Random(number if number % 20 else number + 1)
    language = randomly.choice(sorted(words))
    text = text_of(words[language], language, size, randomly)
    lines = text.count("\n") + 1
    stated = Metadata(
        title=text[:60],
        author="Staff",
        published=(START + timedelta(hours=number % 8000)).isoformat(),
        published_text="1/1/2026",
        directives=("max-image-preview:large",),
    )
    script = SCRIPTS[language]
    made = Document(
        text,
        LanguageGuess(language, 0.99, script, 0.97),
        stated,
        "auto",
        "3",
        "",
        "utf-8",
        "header",
        0.0,
        fingerprint(text),
    )
    return replace(
        made,
        confidence=0.93,
        kinds="h" + "p" * (lines - 1),
        captions=(text[100:180],),
        quality=measure(text, language),
        languages=(f"{language} 0.98 {script} 1.00",) * lines,
        foreign_share=0.0,
    )


def fill(corpus: Corpus, folder: Path, number: int, size: int, sites: int = SITES) -> None:
    """Put documents into a corpus and their originals into WARC files, through the doors that a crawl uses."""
    words, run = vocabulary(), corpus.runs.start("{}")
    archive, numbers = WarcWriter(folder, "export", WarcInfo("benchmark")), count()
    for start in range(0, number, GROUP):
        part = range(start, min(number, start + GROUP))
        names = [(f"https://s{each % sites}.example/news/{each}-article.html", f"s{each % sites}") for each in part]
        corpus.frontier.seed([Seed(url, url, site, f"{site}.example", Kind.PAGE) for url, site in names])
        leases: list[Lease] = []
        while len(leases) < len(part):
            leases += corpus.frontier.lease(run, {f"s{site}.example": GROUP for site in range(sites)}, time.time())
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        documents = [document(next(numbers), words, size) for _ in leases]
        bodies = [f"<html><body><p>{each.text}</p></body></html>".encode() for each in documents]
        pairs = zip(leases, bodies, strict=True)
        fetched = [Fetched(Capture(each.url, START, 200, (), headers, body), each) for each, body in pairs]
        pointers = archive.append([each.capture for each in fetched])
        ids = corpus.fetches.record_fetched(run, list(zip(fetched, pointers, strict=True)))
        made = [Processed(document=each) for each in documents]
        corpus.documents.record_processed(list(zip(ids, leases, made, strict=True)))
    archive.close()
    for path in folder.glob("*.warc.gz"):
        corpus.warc.close(path.name, path.stat().st_size)
    corpus.runs.finish(run, 0, "{}")


def make(folder: Path, number: int, size: int, sites: int = SITES, database: str = "", stored: int = STORED) -> None:
    """Make a corpus folder, unless there is one; its database is SQLite, or ``database``.

    ``stored``: documents that are stored as a crawl stores them; the others are copies.
    """
    settings = folder / "corpus.toml"
    if settings.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    copies = -(-number // stored)
    with Corpus.open(database or folder / "corpus.db", create=True) as corpus:
        fill(corpus, folder / "warc", number // copies, size, sites)
        multiply(corpus, folder / "warc", copies)
    named = f'database = "{database}"\n' if database else ""
    listed = "".join(
        f'[[site]]\nname = "s{site}"\nlicence = "CC BY 4.0"\nfeeds = ["https://s{site}.example/feed"]\n'
        for site in range(sites)
    )
    stated = f'[corpus]\nname = "export"\ncontact = "benchmark@example.org"\n{named}{listed}'
    settings.write_text(stated, encoding="utf-8")


def measured(folder: Path, name: str, *, release: bool) -> dict[str, Any]:
    """Export once, in this process; return figures."""
    config = load_config(folder / "corpus.toml")
    with tempfile.TemporaryDirectory(dir=folder) as out:
        target = Path(out) / "out"
        wanted = ExportRequest(str(target), Selection(), format_name=name, release=release)
        before = [clock() for clock in CLOCKS.values()]
        report = export_documents(config, wanted, Console(quiet=True))
        spent = [clock() - start for clock, start in zip(CLOCKS.values(), before, strict=True)]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    rates = {clock: report.documents / seconds for clock, seconds in zip(CLOCKS, spent, strict=True)}
    return rates | {"memory": memory, "sha256": report.sha256, "megabytes": report.bytes / 1e6}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--bytes", type=int, default=4000)
    parser.add_argument("--format", action="append", choices=FORMATS)
    parser.add_argument("--release", action="store_true", help="write a release, with manifest and index")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.corpus, options.one, release=options.release)))
        return
    with tempfile.TemporaryDirectory() as aside:
        folder = options.corpus or Path(aside)
        make(folder, options.documents, options.bytes)
        for name in options.format or FORMATS:
            command = [sys.executable, __file__, "--corpus", str(folder), "--one", name]
            command += ["--release"] if options.release else []
            reported = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
            print(
                f"{name:<10} documents/s {reported['wall']:.0f} by the clock, {reported['cpu']:.0f} of processor time,"
                f" {reported['thread']:.0f} of the thread's; memory {reported['memory']:.0f} MB;"
                f" {reported['megabytes']:.0f} MB, {reported['sha256'][:12]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
