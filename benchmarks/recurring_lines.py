"""Precision and recall of recurring lines: lines that repeat over a site, on pages whose true text is known.

    python benchmarks/recurring_lines.py GOLD [--extractor auto --extractor bte]

Pages of sites with five pages and more are extracted. A line that stands in the true text of none of the site's pages
and on two pages and more should be marked, a line of the true text should not. Copies count as one text, by their true
text. Printed are, by the least number of texts in which a line must stand and how many times that for one that may be
a paragraph, the lines that are marked, how many of them rightly (precision), and what share of all that should be is
(recall). `storage.documents.recurring_lines` has 3 and 2.

On 22 sites, five to some twenty pages each: of what `bte` extracts, 1,734 lines of 6,030 should be marked; 936 are,
.967 of them rightly, with seven lines of articles among them. `auto` leaves 40 of 2,690; 35 are marked, .80 rightly,
the only line of an article among them the credit of a photograph, on seven pages. That is a recall of .52 and .70, and
of .85 and 1 among lines that stand in three texts. With 2 in the place of 3 recall is .95 and 1, with as much
precision; but these pages were drawn from all that a site has, among whose articles of a week two may quote the same
sentence, and on a site with more pages what recurs is soon on three.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.lab.gold import load_gold
from corpus_spider.lab.site_model_gain import large_sites
from pipelines.decoding.decode import decode
from pipelines.extractors.registry import get
from pipelines.text.minhash import fingerprint
from pipelines.text.normalise import canonical_text
from storage.documents.recurring_lines import MIN_PROSE_CHARS

if TYPE_CHECKING:
    from corpus_spider.lab.gold import GoldPage

LEAST, TIMES = (2, 3, 4, 5), (1, 2, 3)


@dataclass(slots=True)
class Site:
    """Lines of the extracted texts of a site: in which texts each stands, and which are of an article."""

    texts: dict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    times: Counter[str] = field(default_factory=Counter)
    true: set[str] = field(default_factory=set)


def read(pages: list[GoldPage], extractor: str) -> Site:
    """Extract the pages of a site and look its lines up in their true texts."""
    site = Site()
    truths = "\n".join(canonical_text(page.truth()) for page in pages)
    for page in pages:
        text = get(extractor).extract(decode(page.html(), page.encoding).text).text
        for line in filter(str.strip, text.split("\n")):
            key = line.strip()
            site.times[key] += 1
            site.texts[key].add(fingerprint(page.truth()).exact)
            canonical = canonical_text(key)
            if canonical and canonical in truths:
                site.true.add(key)
    return site


def measure(sites: list[Site]) -> None:
    """Print a row for each pair of thresholds."""
    lines = [(site, key) for site in sites for key in site.times]
    wanted = sum(site.times[key] for site, key in lines if key not in site.true and len(site.texts[key]) > 1)
    print(f"{len(sites)} sites, {sum(site.times.total() for site in sites)} lines, {wanted} to be marked")
    for least in LEAST:
        for times in TIMES:
            bars = {False: least, True: least * times}
            marked = [(site, key) for site, key in lines if len(site.texts[key]) >= bars[len(key) >= MIN_PROSE_CHARS]]
            number = sum(site.times[key] for site, key in marked)
            right = sum(site.times[key] for site, key in marked if key not in site.true)
            print(f"{least} x{times}: {number:5} marked, precision {right / max(1, number):.3f},", end=" ")
            print(f"recall {right / max(1, wanted):.3f}; wrong: {len([1 for site, key in marked if key in site.true])}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument("--extractor", action="append")
    parser.add_argument("--wrong", action="store_true", help="show lines of articles that would be marked")
    options = parser.parse_args()
    for extractor in options.extractor or ["auto", "bte"]:
        sites = [read(pages, extractor) for pages in large_sites(load_gold(options.gold)).values()]
        print(extractor, end=": ")
        measure(sites)
        for site in sites if options.wrong else ():
            for key in sorted(site.true, key=lambda key: -len(site.texts[key])):
                if len(site.texts[key]) >= LEAST[0]:
                    print(f"  {len(site.texts[key])} {len(key)} {key[:80]}")


if __name__ == "__main__":
    main()
