"""Gain of site models, with weights that have seen no page of the site.

    python benchmarks/site_models.py GOLD [--extractor scored]

Sites with five gold pages and more are left out of learning the weights, some at a time. Each of their pages is then
read without a site model, and with one that was learned from the site's other pages.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from train_auto import learn_both, samples, stored

from corpus_spider.lab.gold import load_gold
from corpus_spider.lab.site_model_gain import COLUMNS, gains, large_sites, rows
from pipelines.extractors.auto import model as scored
from pipelines.extractors.auto import selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus_spider.lab.site_model_gain import SiteGain

FOLDS = 5


def measured(folder: Path, extractor: str) -> Iterator[SiteGain]:
    """Yield what each site gains."""
    sites, pages = large_sites(load_gold(folder)), samples(folder)
    fold = {site: zlib.crc32(site.encode()) % FOLDS for site in sites}
    for number in range(FOLDS):
        held = {site: sites[site] for site in sites if fold[site] == number}
        model = scored.Model.of(stored(*learn_both([page for page in pages if page.gold.cluster not in held])))
        with patch.object(selection, "model", lambda model=model: model):
            yield from gains(held, extractor)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument("--extractor", choices=("auto", "scored"), default="auto")
    arguments = parser.parse_args()
    found = sorted(measured(arguments.gold, arguments.extractor), key=lambda each: each.site)
    for row in (COLUMNS, *rows(found)):
        print("{:30} {:>5} {:>8} {:>8} {:>8} {:>8}".format(*row))


if __name__ == "__main__":
    main()
