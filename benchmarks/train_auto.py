"""Learn ``pipelines/extractors/auto/auto_model.json`` from pages with their true text, or measure what is learned.

    python benchmarks/train_auto.py GOLD                        write the model
    python benchmarks/train_auto.py GOLD --leave-out source     print F1 on pages whose source was left out of learning
    python benchmarks/train_auto.py GOLD --leave-out site

A block is content when nearly all of it stands in the true text. Lines on which true texts disagree, though the policy
of ``scored`` does not (the title, short lines with dates), are left out of learning. Short and long pages
count alike. So that the second stage learns from probabilities as it will see them, those of a page come from a first
stage that has seen no page of its site. Two logistic regressions by Newton's method, no random numbers.

Composed pages (``composed.py``) are learned from too. No composed page is scored.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from composed import ComposedPage, compose
from labels import CONTENT, decoded, shares

from corpus_spider.lab.gold import MANIFEST, load_gold
from corpus_spider.lab.scores import score
from pipelines.extractors.auto.blocks.features import measure, measure_again
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import LINE, walk
from pipelines.extractors.auto.model import LIMIT, MODEL
from pipelines.extractors.auto.rules.head_and_end import MIN_LIKENESS
from pipelines.extractors.auto.selection import find
from pipelines.markup.tree import parse_tree
from pipelines.urls.url import registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from corpus_spider.lab.gold import GoldPage
    from pipelines.extractors.auto.blocks.walk import BlockSequence

PENALTY = 100.0
"""Weight of the squared weights against the sum over blocks."""
COMPOSED = 0.25
"""Weight of a composed page against a gold page. With .5 composed pages gain .008, gold pages lose .0003."""
SEEDS = 2
"""Sets of composed pages. A second one gains .017 on composed pages, and nothing on gold pages."""
FOLDS = 4
STEPS = 12
MANY, FEW = 30, "sources of few pages"
"""Sources with fewer pages are left out together."""


@dataclass(slots=True)
class Sample:
    """One page: its blocks measured, which of them are content, and how much each counts."""

    gold: GoldPage
    source: str
    site: str
    page: PageBlocks
    columns: dict[str, Any]
    content: Any = None
    weights: Any = None
    first: Any = field(default=None)
    """Probabilities of the first stage."""


def samples(folder: Path) -> list[Sample]:
    """Read the pages of a gold folder that have a text."""
    found = []
    stated = {entry["id"]: entry for entry in map(json.loads, (folder / MANIFEST).read_text("utf-8").splitlines())}
    for gold in load_gold(folder):
        blocks = walk(parse_tree(decoded(gold)))
        if not len(blocks):
            continue
        site = registered_domain(gold.site) if gold.site else gold.id
        found.append(_sample(gold, stated[gold.id].get("source_repo") or gold.id, site or gold.id, blocks))
    return found


def composed(pages: Sequence[Sample], parts: dict[str, str]) -> list[Sample]:
    """Return composed pages for learning, and add to ``parts`` the part that each is left out with.

    Articles and teasers of a page are from one part, so what is learned from the others has seen neither.
    """
    found, known = list[Sample](), {page.gold.id: page for page in pages}
    for part in sorted(set(parts.values())):
        given = [page.gold for page in pages if parts[page.gold.id] == part]
        for gold in chain.from_iterable(compose(given, seed) for seed in range(SEEDS)):
            article, blocks = known[gold.article], walk(parse_tree(decoded(gold)))
            if len(blocks):
                found.append(_sample(gold, article.source, article.site, blocks))
                found[-1].weights *= COMPOSED
                parts[gold.id] = part
    return found


def _sample(gold: GoldPage, source: str, site: str, blocks: BlockSequence) -> Sample:
    page = PageBlocks(blocks)
    sample = Sample(gold, source, site, page, measure(page))
    sample.content = shares([text.replace(LINE, " ") for text in blocks.texts], gold.truth()) >= CONTENT
    sample.weights = weigh(sample)
    return sample


def weigh(sample: Sample) -> Any:
    """Return what each block counts in learning: part alike, part by length; 0 where true texts differ in policy."""
    page, columns = sample.page, sample.columns
    chars = page.texts.chars
    reference = max(1.0, float((chars * sample.content).sum()), 0.3 * float(chars.sum()))
    weights = 0.3 / page.count + 0.7 * np.minimum(1.0, chars / reference)
    dated = (page.weight < 50) & (columns["digits"] > 0.12) & ~page.texts.ends_sentence
    weights[sample.content & ((columns["title"] > MIN_LIKENESS) | dated)] = 0.0
    return weights


def levelled(sample: Sample) -> Any:
    """Return the same for the second stage, where short blocks count more."""
    return (sample.weights > 0) * (0.5 / sample.page.count + 0.5 * sample.weights)


@dataclass(frozen=True, slots=True)
class Regression:
    """A logistic regression on measures by name."""

    names: tuple[str, ...]
    means: Any
    deviations: Any
    weights: Any
    bias: float

    def __call__(self, matrix: Any) -> Any:
        """Return the probability of each row."""
        scaled = np.clip((matrix - self.means) / self.deviations, -LIMIT, LIMIT)
        return 1 / (1 + np.exp(-(scaled @ self.weights + self.bias)))


def stored(first: Regression, second: Regression) -> dict[str, Any]:
    """Return both stages as the file of numbers has them: mean, deviation, weight in the first and in the second."""
    once = [first.means, first.deviations, first.weights, second.weights[: len(first.names)]]
    again = [values[len(first.names) :] for values in (second.means, second.deviations, second.weights)]
    return {
        "bias": _short((first.bias, second.bias)),
        "measures": dict(zip(first.names, map(_short, zip(*once, strict=True)), strict=True)),
        "again": dict(zip(second.names[len(first.names) :], map(_short, zip(*again, strict=True)), strict=True)),
    }


def _short(numbers: Iterable[float]) -> list[float]:
    return [float(f"{number:.5g}") for number in numbers]


def matrix(columns: dict[str, Any]) -> Any:
    """Stack measures to rows."""
    return np.column_stack([np.asarray(column, float) for column in columns.values()])


def learn(columns: Sequence[dict[str, Any]], content: Any, weights: Any) -> Regression:
    """Fit a logistic regression with a penalty on squared weights by Newton's method."""
    rows = np.concatenate([matrix(column).astype(np.float32) for column in columns])
    means, deviations = rows.mean(0, dtype=float), rows.std(0, dtype=float)
    deviations[deviations < 1e-6] = 1.0
    rows = np.clip((rows - means) / deviations, -LIMIT, LIMIT).astype(np.float32)
    rows = np.column_stack([rows, np.ones(len(rows), np.float32)])
    weights = (weights / weights.mean()).astype(np.float32)
    penalty = np.append(np.full(rows.shape[1] - 1, PENALTY), 1e-6)
    solution = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        probability = 1 / (1 + np.exp(-(rows @ solution.astype(np.float32))))
        gradient = rows.T @ (weights * (probability - content)).astype(np.float32) + penalty * solution
        curvature = weights * np.maximum(probability * (1 - probability), 1e-5)
        hessian = ((rows * curvature[:, None]).T @ rows).astype(float) + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        solution -= step
        if np.abs(step).max() < 1e-3:
            break
    return Regression(tuple(columns[0]), means, deviations, solution[:-1], float(solution[-1]))


def learn_first(pages: Sequence[Sample]) -> Regression:
    """Fit the first stage."""
    content, weights = (np.concatenate([getattr(page, name) for page in pages]) for name in ("content", "weights"))
    return learn([page.columns for page in pages], content, weights)


def learn_both(pages: Sequence[Sample]) -> tuple[Regression, Regression]:
    """Fit both stages; the second on probabilities that a first stage gives for sites it has not seen."""
    folds = [zlib.crc32(page.site.encode()) % FOLDS for page in pages]
    for fold in sorted(set(folds)):
        seen = [page for page, of in zip(pages, folds, strict=True) if of != fold]
        unseen = [page for page, of in zip(pages, folds, strict=True) if of == fold]
        first = learn_first(seen or unseen)
        for page in unseen:
            page.first = first(matrix(page.columns))
    columns = [page.columns | measure_again(page.page, page.first) for page in pages]
    weights = np.concatenate([levelled(page) for page in pages])
    return learn_first(pages), learn(columns, np.concatenate([page.content for page in pages]), weights)


def text_of(sample: Sample, stages: tuple[Regression, Regression]) -> str:
    """Return the text that a model finds on a page, as ``selection.read`` does."""
    first, second = stages
    page, columns = sample.page, sample.columns
    again = columns | measure_again(page, first(matrix(columns)))
    content = find(page, columns["title"], second(matrix(again)))
    return "\n".join(line for index in np.flatnonzero(content.chosen) for line in page.blocks.lines(index))


def parts_left_out(pages: Sequence[Sample], split: str) -> dict[str, str]:
    """Return for each page, by id, the part that it is left out with: a source, or a fifth of the sites."""
    sizes = Counter(page.source for page in pages)
    if split == "source":
        return {page.gold.id: page.source if sizes[page.source] >= MANY else FEW for page in pages}
    return {page.gold.id: f"sites {zlib.crc32(page.site.encode()) % 5 + 1} of 5" for page in pages}


def left_out(pages: Sequence[Sample], parts: dict[str, str]) -> Iterable[tuple[str, list[float]]]:
    """Leave out one part of the pages after the other; yield its name and F1 of each page of it."""
    for name in sorted(set(parts.values())):
        stages = learn_both([page for page in pages if parts[page.gold.id] != name])
        held = [page for page in pages if parts[page.gold.id] == name and not isinstance(page.gold, ComposedPage)]
        yield name, [score(text_of(page, stages), page.gold.truth(), page.gold.title).f1 for page in held]


def print_left_out(pages: Sequence[Sample], parts: dict[str, str]) -> None:
    """Print mean F1 by what was left out, and over all."""
    everything: list[float] = []
    for name, values in left_out(pages, parts):
        everything += values
        print(f"{name:60} {len(values):4} {fmean(values):.4f}")
    print(f"{'all':60} {len(everything):4} {fmean(everything):.4f}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument("--leave-out", choices=("source", "site"), help="measure instead of writing the model")
    parser.add_argument("--output", type=Path, default=MODEL)
    arguments = parser.parse_args()
    pages = samples(arguments.gold)
    parts = parts_left_out(pages, arguments.leave_out or "site")
    pages += composed(pages, parts)
    if arguments.leave_out:
        print_left_out(pages, parts)
        return
    first, second = learn_both(pages)
    text = json.dumps(stored(first, second), indent=1)
    lines = re.sub(r"\[([^\]]*)\]", lambda row: f"[{' '.join(row[1].split())}]", text)
    arguments.output.write_text(lines + "\n", "utf-8")
    print(f"{arguments.output}: learned from {len(pages)} pages", file=sys.stderr)


if __name__ == "__main__":
    main()
