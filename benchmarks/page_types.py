"""Precision and recall of the drop reason "no article" on labelled pages.

    python benchmarks/page_types.py --gold GOLD --wcxb WCXB

GOLD is a gold folder: its pages with a true text, and those without (``has_gold`` false), are told apart. WCXB is a
checkout of the Web Content eXtraction Benchmark (github.com/Murrough-Foley/web-content-extraction-benchmark), which
states a type for each of its pages. Each page is read as in a crawl, by ``auto``. Precision and recall of "no article"
are of WCXB's articles against its listings and collections; what it calls by other names is counted only.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.lab.gold import MANIFEST
from pipelines.page.process import process
from storage.records import Capture, SiteModel

if TYPE_CHECKING:
    from collections.abc import Iterator

ARTICLES, NONE = ("WCXB article",), ("WCXB listing", "WCXB collection")


def gold(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield kind, address and body of each page of a gold folder."""
    for entry in map(json.loads, (folder / MANIFEST).read_text("utf-8").splitlines()):
        kind = "gold, with a true text" if entry.get("has_gold", True) else "gold, without"
        yield kind, entry.get("url") or "about:blank", (folder / "pages" / f"{entry['id']}.html").read_bytes()


def wcxb(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield the same of each page of WCXB."""
    stated = json.loads((folder / "metadata.json").read_text("utf-8"))["files"]
    for path in sorted(folder.glob("*/ground-truth/*.json")):
        url = json.loads(path.read_text("utf-8")).get("url") or "about:blank"
        body = gzip.decompress((path.parents[1] / "html" / f"{path.stem}.html.gz").read_bytes())
        yield f"WCXB {stated[path.stem]['page_type']}", url, body


def reason(url: str, body: bytes) -> str:
    """Return why a crawl refuses a page, "" if it does not."""
    drop = process(Capture(url, datetime.now(UTC), 200, (), (), body), SiteModel()).drop
    return drop.reason if drop else ""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument("--wcxb", type=Path, help="checkout of WCXB")
    options = parser.parse_args()
    pages = [*(gold(options.gold) if options.gold else ()), *(wcxb(options.wcxb) if options.wcxb else ())]
    found: dict[str, list[str]] = defaultdict(list)
    for kind, url, body in pages:
        found[kind].append(reason(url, body))
    for kind, reasons in sorted(found.items()):
        refused = sum(map(bool, reasons))
        print(f"{kind:24} {len(reasons):5} pages {refused:4} refused {refused / len(reasons):6.1%}")
    right, wrong = (sum(bool(one) for kind in kinds for one in found[kind]) for kinds in (NONE, ARTICLES))
    if right:
        everything = sum(len(found[kind]) for kind in NONE)
        print(f'"no article": precision {right / (right + wrong):.3f}, recall {right / everything:.3f}')


if __name__ == "__main__":
    main()
