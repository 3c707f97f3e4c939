"""Speed of extractors on real pages: megabytes a second, and as a share of the floor, ``bytes.count(b"<")``.

    python benchmarks/extractors.py GOLD_DIR [--pages 60] [--passes 5] [--extractor NAME ...] [--json]

All run page by page in turn, so that a busy machine slows all alike; times are CPU time of the thread, and of each page
and extractor the median over the passes counts. Size is that of the page as served. Extractors are given the decoded
page, those of others once it is known to do them no harm; "decode" is what decoding costs. ``--growth`` times each on
pages of 1, 5 and 20 MB instead.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from corpus_spider.lab.gold import GoldPage, load_gold
from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor
from pipelines.extractors.lab import peers
from pipelines.extractors.registry import EXTRACTORS, get

FLOOR, DECODE, PEER = "count", "decode", "trafilatura"
KNOWN = sorted({*EXTRACTORS, *(peer.name for peer in peers.installed())})

Job = Callable[[], object]


def jobs(extractors: list[Extractor], page: GoldPage, raw: bytes, html: str) -> dict[str, Job]:
    """What is timed on a page, by name: the floor, decoding, and extractors."""
    return {FLOOR: partial(raw.count, b"<"), DECODE: partial(decoded, page, raw)} | {
        extractor.name: reading(extractor, html) for extractor in extractors
    }


def reading(extractor: Extractor, html: str) -> Job:
    """Return the job of extracting a page's text; nothing is done where the page is kept from the extractor."""
    ready, problem = extractor.ready(html)
    return partial(extractor.left_out, problem) if problem else partial(extractor.run, ready, DEFAULT_OPTIONS)


def decoded(page: GoldPage, raw: bytes) -> str:
    """Decode a page by what its manifest says."""
    return raw.decode((page.encoding or "utf-8").split("(")[0], "replace")


def sample(gold: Path, count: int) -> list[GoldPage]:
    """Return pages spread evenly over the manifest."""
    pages = load_gold(gold)
    return pages[:: max(len(pages) // count, 1)][:count]


def measure(pages: list[GoldPage], names: list[str], passes: int) -> dict[str, list[float]]:
    """Return the median CPU seconds of each job on each page."""
    extractors = [get(name) for name in names]
    medians: dict[str, list[float]] = {name: [] for name in (FLOOR, DECODE, *names)}
    for page in pages:
        raw = page.html()
        tasks = jobs(extractors, page, raw, decoded(page, raw))
        times: dict[str, list[float]] = {name: [] for name in tasks}
        for _ in range(passes):
            for name, task in tasks.items():
                start = time.thread_time()
                task()
                times[name].append(time.thread_time() - start)
        for name, values in times.items():
            medians[name].append(statistics.median(values))
    return medians


def summary(pages: list[GoldPage], medians: dict[str, list[float]]) -> list[dict[str, object]]:
    """Return one row a job, fastest first."""
    megabytes = sum(page.page_path.stat().st_size for page in pages) / 1e6
    total = {name: sum(values) for name, values in medians.items()}
    return [
        {
            "name": name,
            "mb_per_second": round(megabytes / total[name], 1),
            "ms_per_page": round(1000 * total[name] / len(pages), 3),
            "floor_is_times": round(total[name] / total[FLOOR], 1),
            "times_peer": round(total[PEER] / total[name], 1) if PEER in total else None,
        }
        for name in sorted(total, key=total.__getitem__)
    ]


def growth(names: list[str]) -> list[dict[str, object]]:
    """Return the CPU seconds of each extractor on pages of 1, 5 and 20 MB, of text and of markup."""
    kinds = {
        "text": "<p>سلام دنیا، یک خبر تازه از شهر ما.</p>\n",
        "markup": "<div class='a b c'><a href='/x'><b>خبر</b></a></div>\n",
    }
    rows = []
    for kind, unit in kinds.items():
        pages = {size: unit * (size * 1_000_000 // len(unit.encode())) for size in (1, 5, 20)}
        for name in names:
            row: dict[str, object] = {"name": name, "page": kind}
            for size, html in pages.items():
                start = time.thread_time()
                get(name).extract(html)
                row[f"{size} MB"] = round(time.thread_time() - start, 3)
            rows.append(row)
    return rows


def show(rows: list[dict[str, object]]) -> None:
    """Print rows as tab-separated columns under their names."""
    print("\t".join(rows[0]))
    for row in rows:
        print("\t".join("" if value is None else str(value) for value in row.values()))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--extractor", action="append", choices=KNOWN, dest="extractors")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.extractors or sorted(EXTRACTORS)
    if options.growth:
        rows = growth(names)
    else:
        pages = sample(options.gold, options.pages)
        rows = summary(pages, measure(pages, names, options.passes))
    print(json.dumps(rows, indent=2)) if options.json else show(rows)


if __name__ == "__main__":
    main()
