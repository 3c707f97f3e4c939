"""Write quality floors: the F1 of extractors on a gold folder, by language. A test compares them.

    python benchmarks/pin_floors.py GOLD tests/benchmarks/quality_floor.json [--extractor NAME ...] [--allow-lower]

Floors belong to one gold folder, identified by its digest. They may rise; lowering them needs --allow-lower.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus_spider.lab import digest, evaluate_extractors, load_gold, score_tables
from storage.disk import replace_file
from storage.errors import ConfigError, CorpusError, DiskError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus_spider.lab.evaluate import Report

STEPS = 1000
"""Floors are truncated to three digits, so that rounding differences do not matter."""


@dataclass(frozen=True, slots=True)
class Floors:
    """Minimum mean F1 by extractor and language (and ``all``). ``gold`` is the digest of the pages."""

    gold: str
    f1: dict[str, dict[str, float]]


def measured(gold: str, reports: Iterable[Report]) -> Floors:
    """Return the F1 of these reports as floors."""
    f1 = {
        report.name: {
            str(row["language"]): floor(float(row["f1"] or 0) * STEPS + 1e-6) / STEPS
            for row in score_tables(report).summary
        }
        for report in reports
    }
    return Floors(gold, f1)


def shortfalls(floors: Floors, reached: Floors) -> list[str]:
    """Return a message for each floor that was not reached or not measured."""
    found = []
    for extractor, languages in floors.f1.items():
        for language, least in languages.items():
            value = reached.f1.get(extractor, {}).get(language)
            if value is None or value < least:
                shown = "not measured" if value is None else f"{value:.3f}"
                found.append(f"{extractor}, {language}: {shown}, the floor is {least:.3f}")
    return found


def read(path: Path) -> Floors:
    """Read a file of floors. Raises ConfigError if it is invalid."""
    try:
        found = json.loads(path.read_text("utf-8"))
        f1 = {
            name: {language: float(least) for language, least in languages.items()}
            for name, languages in found["f1"].items()
        }
        return Floors(str(found["gold"]), f1)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(path), do="Name a file.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError("is not a file of floors", where=str(path), do="Name another file, or a new one.") from error


def pin(path: Path, reached: Floors, *, allow_lower: bool) -> Floors:
    """Write the F1 that was reached as floors. Extractors that were not measured on these pages keep their floors.

    Raises ConfigError if a floor would fall or disappear, unless ``allow_lower`` is set. Raises DiskError.
    """
    if path.exists():
        before = read(path)
        kept = before.f1 if before.gold == reached.gold else {}
        reached = Floors(reached.gold, kept | reached.f1)
        lower = shortfalls(before, reached)
        if lower and not allow_lower:
            listed = "\n  ".join(lower)
            raise ConfigError(
                f"floors would fall:\n  {listed}", where=str(path), do="Use --allow-lower to accept this."
            )
    try:
        text = json.dumps(_sorted(asdict(reached)), indent=2, ensure_ascii=False) + "\n"
        replace_file(path.resolve(), text.encode(), 0o644)
    except OSError as error:
        raise DiskError(f"cannot be written: {error.strerror}", where=str(path), do="Name another file.") from error
    return reached


def _sorted(value: Any) -> Any:
    return {key: _sorted(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument("floors", type=Path, help="JSON file of floors")
    parser.add_argument("--extractor", action="append", default=[], help="more than once; default: auto")
    parser.add_argument("--allow-lower", action="store_true")
    options = parser.parse_args()
    try:
        pages = load_gold(options.gold)
        reports = evaluate_extractors(pages, options.extractor or ["auto"])
        pinned = pin(options.floors, measured(digest(pages), reports), allow_lower=options.allow_lower)
    except CorpusError as error:
        raise SystemExit(str(error)) from error
    for name, languages in pinned.f1.items():
        print(f"{name:<16} {languages['all']:.3f} over {len(languages) - 1} languages")


if __name__ == "__main__":
    main()
