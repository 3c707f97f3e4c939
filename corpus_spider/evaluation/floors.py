"""The quality floor: the F1 that extractors had on a gold folder, by language, in a file that a test compares with.

A floor belongs to its gold folder, known by its digest. Raising one is free, lowering one has to be asked for.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import floor
from typing import TYPE_CHECKING, Any

from corpus_spider.evaluation.summary import rows
from storage.disk import replace_file
from storage.errors import ConfigError, DiskError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from corpus_spider.evaluation.evaluate import Report

STEPS = 1000
"""Floors have three digits, cut off, so that the last ones of a mean do not matter."""


@dataclass(frozen=True, slots=True)
class Floors:
    """``f1`` maps extractors to languages (and ``all``) to the least mean F1; ``gold`` is the digest of the pages."""

    gold: str
    f1: dict[str, dict[str, float]]


def measured(gold: str, reports: Iterable[Report]) -> Floors:
    """Return what these reports reach, as floors."""
    f1 = {
        report.name: {row["language"]: floor(row["f1"] * STEPS + 1e-6) / STEPS for row in rows(report)}
        for report in reports
    }
    return Floors(gold, f1)


def shortfalls(floors: Floors, reached: Floors) -> list[str]:
    """Say which floors are not reached, or not measured, one a line."""
    return [
        f"{extractor}, {language}: {_or_nothing(reached.f1.get(extractor, {}).get(language))}, the floor is {least:.3f}"
        for extractor, languages in floors.f1.items()
        for language, least in languages.items()
        if reached.f1.get(extractor, {}).get(language, -1.0) < least
    ]


def read(path: Path) -> Floors:
    """Read a file of floors. Raises ConfigError when it is none."""
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
        raise ConfigError(
            "is no file of floors", where=str(path), do="Name one, or a file that is to be made."
        ) from error


def pin(path: Path, reached: Floors, *, allow_lower: bool) -> Floors:
    """Write what was reached as the floors; extractors that were not measured on these pages keep theirs.

    Raises ConfigError where a floor would be lower than before, or go, unless that is allowed; DiskError when the file
    cannot be written.
    """
    if path.exists():
        before = read(path)
        kept = before.f1 if before.gold == reached.gold else {}
        reached = Floors(reached.gold, kept | reached.f1)
        lower = shortfalls(before, reached)
        if lower and not allow_lower:
            listed = "\n  ".join(lower)
            raise ConfigError(
                f"would be lowered:\n  {listed}", where=str(path), do="Lower them on purpose with --allow-lower."
            )
    try:
        text = json.dumps(_sorted(asdict(reached)), indent=2, ensure_ascii=False) + "\n"
        replace_file(path.resolve(), text.encode(), 0o644)
    except OSError as error:
        raise DiskError(f"cannot be written: {error.strerror}", where=str(path), do="Name another file.") from error
    return reached


def _sorted(value: Any) -> Any:
    return {key: _sorted(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def _or_nothing(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3f}"
