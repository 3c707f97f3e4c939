"""Scores of extractors whose weights have seen no page of the site, or of the source, beside other extractors.

    python benchmarks/left_out.py GOLD --leave-out site [--against trafilatura --against readability] [--json]
    python benchmarks/left_out.py GOLD --leave-out source

For each part of the pages that is left out, new weights are learned from the other parts. All of ``evaluate`` then
reads the pages of that part with these weights. Figures: F1 of all pages, of each language, of Vietnamese, Arabic,
Persian, Urdu, Thai and Hebrew together, and of pages of 2020 and later; the difference to each other extractor with its
interval.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from composed import ComposedPage
from train_auto import composed, learn_both, parts_left_out, samples, stored

from corpus_spider.lab import Report, evaluate_extractors, load_gold, render
from corpus_spider.lab.gold import MANIFEST
from corpus_spider.lab.score_table import ALL, difference, grouped, means
from pipelines.extractors.auto import model as scored
from pipelines.extractors.auto import selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.lab import PageScore
    from corpus_spider.lab.gold import GoldPage

FEW = frozenset({"vi", "ar", "fa", "ur", "th", "he"})
NEW = 2020


def left_out(folder: Path, split: str, name: str) -> tuple[Report, Report, list[GoldPage]]:
    """Return the scores of an extractor whose weights have not seen the part of the pages that is scored.

    The second report is of composed pages, which are the third thing returned.
    """
    pages, found, of_composed = samples(folder), [], []
    gold = {page.id: page for page in load_gold(folder)}
    parts = parts_left_out(pages, split)
    more = composed(pages, parts)
    for part in sorted(set(parts.values())):
        learned = learn_both([page for page in (*pages, *more) if parts[page.gold.id] != part])
        model = scored.Model.of(stored(*learned))
        held = [gold.pop(page.gold.id) for page in pages if parts[page.gold.id] == part]
        with patch.object(selection, "model", lambda model=model: model):
            found += evaluate_extractors(held, [name])[0].scores
            made = [page.gold for page in more if parts[page.gold.id] == part]
            of_composed += evaluate_extractors(made, [name])[0].scores
    # No block on them, so no weight has seen them.
    found += evaluate_extractors(list(gold.values()), [name])[0].scores if gold else ()
    label = f"{name}, {split}s left out"
    return Report(label, tuple(found)), Report(label, tuple(of_composed)), [page.gold for page in more]


def print_kinds(reports: Sequence[Report], kinds: Mapping[str, str]) -> None:
    """Print the mean F1 of each kind of composed page, a column for each report."""
    print("\t".join(("composed", "n", *(report.name for report in reports))))
    for kind in sorted(set(kinds.values())):
        columns = [[page for page in report.scores if kinds[page.page] == kind] for report in reports]
        print("\t".join((kind, str(len(columns[0])), *(f"{means(scores)['f1']:.3f}" for scores in columns))))


def groups(scores: Sequence[PageScore], years: Mapping[str, int]) -> dict[str, list[PageScore]]:
    """Return the scores of all pages, of some, and of each language."""
    chosen = {
        ALL: list(scores),
        "+".join(sorted(FEW)): [page for page in scores if page.language in FEW],
        f"{NEW} and later": [page for page in scores if years.get(page.page, 0) >= NEW],
    }
    return {key: found for key, found in chosen.items() if found} | grouped(scores, lambda page: page.language)


def rows(report: Report, others: Sequence[Report], years: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a row for each group of pages: F1, that of the others, and the differences to them."""
    found = []
    for group, scores in groups(report.scores, years).items():
        row: dict[str, Any] = {"pages": group, "n": len(scores), report.name: round(means(scores)["f1"], 4)}
        for other in others:
            if apart := difference(scores, other):
                low, high, f1 = (apart[f"difference{end}"] for end in ("_low", "_high", ""))
                bounds = None if low is None else [round(low, 4), round(high, 4)]
                row |= {other.name: round(row[report.name] - f1, 4), f"less {other.name}": round(f1, 4)}
                row |= {f"interval {other.name}": bounds}
        found.append(row)
    return found


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument("--leave-out", choices=("source", "site"), default="site")
    parser.add_argument("--extractor", choices=("auto", "scored"), default="auto")
    parser.add_argument("--against", action="append", default=[], help="an extractor to compare with, more than once")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lines = (options.gold / MANIFEST).read_text("utf-8").splitlines()
    years = {entry["id"]: entry.get("year") or 0 for entry in map(json.loads, lines)}
    report, of_composed, made = left_out(options.gold, options.leave_out, options.extractor)
    others = evaluate_extractors(load_gold(options.gold), options.against) if options.against else []
    table = rows(report, others, years)
    if options.json:
        print(json.dumps(table, indent=2))
        return
    print(render(report))
    for row in table:
        print("\t".join(f"{key} {value}" for key, value in row.items()))
    compared = evaluate_extractors(made, options.against) if options.against else []
    print_kinds([of_composed, *compared], {page.id: page.kind for page in made if isinstance(page, ComposedPage)})


if __name__ == "__main__":
    main()
