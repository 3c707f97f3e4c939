"""Measure what each rule of the default extractor gains, and find the rules that can go.

    python benchmarks/ablation.py GOLD --folds folds.json --write           each rule alone; the tables of the docs
    python benchmarks/ablation.py GOLD --folds folds.json --eliminate       switch off the cheapest rule, measure again

The model decides first which blocks of a page are content. The rules run after it or beside it, each stage in the order
of its table (``pipelines.extractors.auto.rules.rule`` names the tables). A rule is switched off by its name.

Gold pages and composed pages (`composed`) are measured apart. Both are read by weights that have not seen their
site. These weights are learned once and kept in the file of ``--folds``. Without ``--folds`` the shipped weights read
the pages, although they have learned from them. ``--every N`` measures a sample: each N-th gold page.
Each page is parsed and measured once. A rule that did not act on a page cannot change its text, so only the pages on
which it acted are read again.

Columns of the table, all of them *with the rule less without it*:

- F1: mean F1 of the characters, in ten-thousandths, with the 95 % interval of the paired bootstrap by site, and in
  front the number of pages on which the rule acts
- wrong lines: lines wrongly kept and wrongly dropped per 100 gold pages. A line is right if four fifths of it are in
  the true text. The title need not be in the text, and should not be unless the true text has it.
- ms: milliseconds of the rule's function a page

``--json`` also has the wrong lines by language. A new rule is measured as soon as it is in a table.

A rule pays if the interval of F1 or of wrong lines (kept and dropped together) excludes zero in its favour, on gold
pages or on composed pages. Elimination switches off the rule that gains least on gold pages, until all that remain pay
or ``--lose`` is reached. One wrong line in 100 pages counts as much as .0001 of F1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from composed import ComposedPage, compose
from labels import CONTENT, shares
from train_auto import composed, learn_both, parts_left_out, samples, stored

from corpus_spider.lab import load_gold, score
from corpus_spider.lab.intervals import DRAWS, SEED
from corpus_spider.lab.scoring_run import prepare
from pipelines.extractors.auto import extractor, model, selection
from pipelines.extractors.auto.extractor import SECOND_READINGS
from pipelines.extractors.auto.rule_tables import BLOCKS, LINES
from pipelines.extractors.auto.rules.rule import Rule, rules_run_by
from pipelines.extractors.base import ExtractorOptions
from pipelines.page import postprocess
from pipelines.page.postprocess import TIDYING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus_spider.lab.gold import GoldPage

LINE = 0.0001
"""F1 that one wrong line in 100 pages counts as much as."""
STAGES: dict[str, tuple[Rule[Any], ...]] = {
    "BLOCKS": BLOCKS,
    "LINES": LINES,
    "SECOND_READINGS": SECOND_READINGS,
    "TIDYING": TIDYING,
}
RULES: tuple[Rule[Any], ...] = tuple(rule for table in STAGES.values() for rule in table if not rule.is_required)
DOCS = Path(__file__).parents[1] / "docs" / "explanation" / "extractor-rules.md"


class Watch:
    """Applies the rules that are not off, and notes which of them acted on the page and for how long."""

    def __init__(self) -> None:
        self.off: frozenset[str] = frozenset()
        self.acted: set[str] = set()
        self.seconds: Counter[str] = Counter()

    def __call__(self, rule: Rule[Any], state: Any) -> Any:
        """Apply one rule to what the rules before it made of the page."""
        if rule.name in self.off:
            return state
        start = time.thread_time()
        after = rule.apply(state)
        self.seconds[rule.name] += time.thread_time() - start
        if not all(_same(getattr(state, field.name), getattr(after, field.name)) for field in fields(state)):
            self.acted.add(rule.name)
        return after


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))
    return one is not None and one == other


@dataclass(slots=True)
class Measured:
    """How well one page was read."""

    f1: float
    kept: int
    """Lines of the text that are not in the true one."""
    dropped: int
    """Lines of the true text that were not found."""


@dataclass(slots=True)
class Case:
    """A gold page, ready to be read again and again."""

    gold: GoldPage
    source: Any
    truth: str
    part: str
    """The part of the pages that it is left out with."""
    memory: dict[Any, Any] = field(default_factory=dict)
    runs: list[tuple[frozenset[str], frozenset[str], Measured]] = field(default_factory=list)
    """The rules that were off, those that acted, and how well the page was read."""


Row = dict[str, Any]
"""A rule with its figures, as plain values."""
HEADING = """\
| rule | what it does | gold pages: F1 × 10⁴ | composed pages: F1 × 10⁴ | wrong lines | kept / dropped | ms | |
|---|---|---|---|---|---|---|---|"""
Run = tuple[int, frozenset[str]]
"""The place of a page, and the rules that are off."""


class Reader:
    """Reads some of the gold pages with rules switched off; what no rule changes is remembered."""

    def __init__(self, pages: dict[int, GoldPage], folds: dict[str, Any], parts: dict[str, str]) -> None:
        self.watch = Watch()
        self.models = {part: model.Model.of(row) for part, row in folds.items()} or {"": model.model()}
        self.cases = {}
        for place, gold in pages.items():
            prepared = prepare(gold)
            self.case = self.cases[place] = Case(gold, prepared.source, prepared.truth, parts.get(gold.id, ""))
        self._opened = selection.opened
        selection.opened = lambda view: self._remembered(("opened", view.html), lambda: self._opened(view))
        selection.model = lambda: self
        state, find = extractor.script_state.article_body, extractor.density.find
        extractor.script_state.article_body = lambda view, *stated: self._remembered(
            ("state", view.html), lambda: state(view, *stated)
        )
        extractor.density.find = lambda soup, why: replace(
            self._remembered(("density", soup.texts[:50].__repr__(), len(soup.texts)), lambda: find(soup, why)),
            reason=why,
        )

    def _remembered(self, key: Any, make: Callable[[], Any]) -> Any:
        memory = self.case.memory
        if key not in memory:
            memory[key] = make()
        return memory[key]

    def probabilities(self, page: Any, columns: Any, template: Any) -> Any:
        """Return what the model says that has not seen the page."""
        part = self.case.part or next(iter(self.models))
        make = lambda: self.models[part].probabilities(page, columns, template)  # noqa: E731
        return self._remembered(("p", id(page), template.tobytes()), make).copy()

    def read(self, place: int, off: frozenset[str]) -> tuple[Measured, frozenset[str]]:
        """Read one page without some rules: how well, and which rules acted.

        Rules that did not act in an earlier run can be switched off without running again.
        """
        runs = self.cases[place].runs
        for before, acted, measured in reversed(runs):
            if before <= off and acted.isdisjoint(off - before):
                return measured, acted
        self.case, self.watch.off, self.watch.acted = self.cases[place], off, set()
        with rules_run_by(self.watch):
            measured = self._run()
        runs.append((off, frozenset(self.watch.acted), measured))
        return measured, runs[-1][1]

    def _run(self) -> Measured:
        case = self.case
        if case.source is None:
            return self._measured("", case.gold.title or "")
        stated = case.source.page.metadata
        options = ExtractorOptions(case.gold.url or "", case.gold.language)
        found = postprocess.tidy(extractor.extract(case.source.decoded.text, options), case.source.page)
        return self._measured(found.text, case.gold.title or postprocess.title_of(found, stated) or "")

    def _measured(self, text: str, title: str) -> Measured:
        truth = self.case.truth
        make = lambda: Measured(score(text, truth, title or None).f1, *wrong_lines(text, truth, title))  # noqa: E731
        return self._remembered(("measured", text, title), make)


_READER: list[Reader] = []
"""The one of this process."""


def _start(*arguments: Any) -> None:
    _READER.append(Reader(*arguments))


def _read(runs: list[Run]) -> tuple[list[tuple[Measured, frozenset[str]]], dict[str, float]]:
    return [_READER[0].read(*run) for run in runs], dict(_READER[0].watch.seconds)


class Bench:
    """Gold pages and composed pages, a share of them in each of some processes."""

    def __init__(self, pages: list[GoldPage], folds: dict[str, Any], parts: dict[str, str], jobs: int) -> None:
        self.pages = pages
        shares = [{place: page for place, page in enumerate(self.pages) if place % jobs == job} for job in range(jobs)]
        self.workers = [
            ProcessPoolExecutor(1, initializer=_start, initargs=(pages, folds, parts)) for pages in shares if pages
        ]
        self.seconds: Counter[str] = Counter()
        """Of each rule, all runs together."""

    def close(self) -> None:
        """End the processes. One that ends with the interpreter can find its pipe closed, and says so."""
        for worker in self.workers:
            worker.shutdown()

    def read(self, runs: Sequence[Run]) -> list[tuple[Measured, frozenset[str]]]:
        """Read pages: how well each was read, and which rules acted."""
        jobs, found, self.seconds = len(self.workers), {}, Counter()
        asked = [[run for run in runs if run[0] % jobs == job] for job in range(jobs)]
        waiting = [worker.submit(_read, part) for worker, part in zip(self.workers, asked, strict=True)]
        for part, future in zip(asked, waiting, strict=True):
            read, seconds = future.result()
            found.update(zip(part, read, strict=True))
            self.seconds.update(seconds)
        return [found[run] for run in runs]

    def watch(self, off: frozenset[str]) -> tuple[list[Measured], dict[str, list[int]]]:
        """Read all pages without some rules: how well, and on which pages each other rule acts."""
        acted: defaultdict[str, list[int]] = defaultdict(list)
        read = self.read([(place, off) for place in range(len(self.pages))])
        for place, (_, rules) in enumerate(read):
            for rule in rules:
                acted[rule].append(place)
        return [measured for measured, _ in read], acted


def wrong_lines(text: str, truth: str, title: str) -> tuple[int, int]:
    """Return how many lines of a text are not in the true one, and how many of the true one are not in the text.

    A text without the title that the true one has is right; a text with the title that the true one lacks is not.
    """
    packed = "".join(title.split())
    wanted = [line for line in truth.splitlines() if "".join(line.split()) != packed]
    return _not_in(text.splitlines(), truth), _not_in(wanted, text)


def _not_in(lines: list[str], other: str) -> int:
    if not lines:
        return 0
    known = Counter("".join(line.split()) for line in other.splitlines())
    # Lines that both have need not be looked for; most texts are right.
    rest = []
    for line in lines:
        bare = "".join(line.split())
        if not bare or known[bare]:
            known[bare] -= 1
        else:
            rest.append(line)
    if not rest:
        return 0
    return int((shares(lines, other) < CONTENT).sum())


@dataclass(frozen=True, slots=True)
class Draws:
    """The draws of ``lab.intervals``, made once: how often each site is drawn, and the site of each page."""

    drawn: Any
    numbers: Any

    @classmethod
    @cache
    def of(cls, sites: tuple[str, ...]) -> Draws:
        """Draw from the sites of some pages."""
        numbers = np.unique(np.asarray(sites, dtype=object).astype(str), return_inverse=True)[1]
        count = int(numbers.max()) + 1
        return cls(np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), size=DRAWS), numbers)

    def interval(self, values: Sequence[float]) -> tuple[float, float]:
        """Return the 95 % interval of the mean of values, one a page."""
        if not any(values):
            return 0.0, 0.0
        means = self.drawn @ np.bincount(self.numbers, values) / (self.drawn @ np.bincount(self.numbers))
        low, high = np.quantile(means, (0.025, 0.975))
        return float(low), float(high)


@dataclass(slots=True)
class Effect:
    """What a rule gains: with it less without it."""

    rule: str
    pages: int
    f1: float
    f1_interval: tuple[float, float]
    wrong: float
    """Lines per 100 pages, kept and dropped; less than nothing is good."""
    wrong_interval: tuple[float, float]
    kept: float
    dropped: float
    languages: dict[str, tuple[float, float]]
    """Lines wrongly kept and wrongly dropped per 100 pages, by language."""

    @property
    def pays(self) -> bool:
        """Whether an interval excludes zero in the rule's favour."""
        return self.f1_interval[0] > 0 or self.wrong_interval[1] < 0

    @property
    def gain(self) -> float:
        """What it gains, in F1."""
        return self.f1 - LINE * self.wrong


Pair = tuple[Effect, Effect]
"""What a rule gains on gold pages, and on composed pages."""


def effect(rule: str, acted: int, base: list[Measured], without: list[Measured], pages: Sequence[GoldPage]) -> Effect:
    """Compare all pages read with a rule and without it."""

    bounds = Draws.of(tuple(page.cluster for page in pages)).interval
    f1 = [one.f1 - other.f1 for one, other in zip(base, without, strict=True)]
    kept = [100.0 * (one.kept - other.kept) for one, other in zip(base, without, strict=True)]
    dropped = [100.0 * (one.dropped - other.dropped) for one, other in zip(base, without, strict=True)]
    wrong = [one + other for one, other in zip(kept, dropped, strict=True)]
    by_language: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for page, one, other in zip(pages, kept, dropped, strict=True):
        by_language[page.language].append((one, other))
    languages = {
        language: (round(fmean(one for one, _ in rows), 2), round(fmean(other for _, other in rows), 2))
        for language, rows in sorted(by_language.items())
        if any(one or other for one, other in rows)
    }
    return Effect(
        rule, acted, fmean(f1), bounds(f1), fmean(wrong), bounds(wrong),
        fmean(kept), fmean(dropped), languages,
    )  # fmt: skip


def effects(bench: Bench, off: frozenset[str], rules: Iterable[str]) -> tuple[list[Measured], list[Pair]]:
    """Measure each of some rules alone, where others are off, on gold pages and on composed pages."""
    base, acted = bench.watch(off)
    runs = [(place, off | {rule}) for rule in rules for place in acted.get(rule, ())]
    read, found = dict(zip(runs, bench.read(runs), strict=True)), []
    for rule in rules:
        without = list(base)
        for place in acted.get(rule, []):
            without[place] = read[place, off | {rule}][0]
        gold, made = (
            effect(
                rule,
                len(set(places).intersection(acted.get(rule, ()))),
                [base[place] for place in places],
                [without[place] for place in places],
                [bench.pages[place] for place in places],
            )
            for places in kinds(bench.pages)
        )
        found.append((gold, made))
    return base, found


def kinds(pages: Sequence[GoldPage]) -> tuple[list[int], list[int]]:
    """Return the places of the gold pages and of the composed pages."""
    places: tuple[list[int], list[int]] = ([], [])
    for place, page in enumerate(pages):
        places[isinstance(page, ComposedPage)].append(place)
    return places


def totals(base: list[Measured], pages: Sequence[GoldPage]) -> dict[str, Any]:
    """Return F1 and wrong lines of all gold pages, of each language, and of all composed pages."""
    groups: defaultdict[str, list[Measured]] = defaultdict(list)
    for page, one in zip(pages, base, strict=True):
        for name in ("composed",) if isinstance(page, ComposedPage) else ("all", page.language):
            groups[name].append(one)
    return {
        name: {
            "n": len(rows),
            "f1": round(fmean(row.f1 for row in rows), 5),
            "kept": round(100 * fmean(row.kept for row in rows), 1),
            "dropped": round(100 * fmean(row.dropped for row in rows), 1),
        }
        for name, rows in groups.items()
    }


def row(gold: Effect, made: Effect, verdict: str) -> Row:
    """Return what is known of a rule as plain values."""
    rule = next(each for each in RULES if each.name == gold.rule)
    found: Row = {"rule": rule.name, "does": rule.does, "verdict": verdict}
    for kind, one in (("gold", gold), ("composed", made)):
        found |= {
            f"pages_{kind}": one.pages,
            f"f1_{kind}": round(one.f1, 5),
            f"f1_{kind}_interval": [round(bound, 5) for bound in one.f1_interval],
            f"wrong_{kind}": round(one.wrong, 2),
            f"wrong_{kind}_interval": [round(bound, 2) for bound in one.wrong_interval],
        }
    return found | {"kept": round(gold.kept, 2), "dropped": round(gold.dropped, 2), "languages": gold.languages}


def markdown(found: Row) -> str:
    """Return a row of the table in the documentation (``docs/explanation/extractor-rules.md``)."""

    def points(kind: str) -> str:
        low, high = (10000 * bound for bound in found[f"f1_{kind}_interval"])
        return f"{found[f'pages_{kind}']}: {10000 * found[f'f1_{kind}']:+.1f} [{low:+.1f}, {high:+.1f}]"

    low, high = found["wrong_gold_interval"]
    lines = f"{found['wrong_gold']:+.1f} [{low:+.1f}, {high:+.1f}] | {found['kept']:+.1f} / {found['dropped']:+.1f}"
    ms = "–" if found["ms"] is None else f"{found['ms']:.3f}"
    cells = (found["rule"], found["does"], points("gold"), points("composed"), lines, ms, found["verdict"])
    return f"| {' | '.join(map(str, cells))} |"


def written(page: str, found: Sequence[Row]) -> str:
    """Return the page of the documentation with these figures. Verdicts that it has stay."""
    figures = {each["rule"]: each for each in found}
    for stage, rules in STAGES.items():
        before, after = page.split(f": `{stage}` in ")
        title, old, rest = re.fullmatch(r"(.*?\n\n)(\|.*?\n)(\n.*|)", after, re.DOTALL).groups()
        verdicts = {cells[1]: cells[-2] for line in old.splitlines() if (cells := re.split(r" ?\| ?", line))}
        lines = [HEADING]
        for rule in rules:
            verdict = verdicts.get(rule.name, "")
            if rule.is_required:
                lines.append(f"| {rule.name} | {rule.does} | – | – | – | – | – | required |")
            else:
                lines.append(markdown(figures[rule.name] | ({"verdict": verdict} if verdict else {})))
        page = f"{before}: `{stage}` in {title}{chr(10).join(lines)}\n{rest}"
    return page


def trained(folder: Path, path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the weights for each part of the pages that was left out, and the part of each page."""
    if not path.exists():
        pages = samples(folder)
        parts = parts_left_out(pages, "site")
        known = [*pages, *composed(pages, parts)]
        folds = {
            part: stored(*learn_both([page for page in known if parts[page.gold.id] != part]))
            for part in sorted(set(parts.values()))
        }
        path.write_text(json.dumps({"folds": folds, "parts": parts}), "utf-8")
    kept = json.loads(path.read_text("utf-8"))
    return kept["folds"], kept["parts"]


def with_composed(gold: list[GoldPage], parts: dict[str, str]) -> list[GoldPage]:
    """Return these pages, and pages composed of them. Each is composed of the pages of one part."""
    pages = list(gold)
    for part in sorted({parts.get(page.id, "") for page in gold}):
        pages += compose([page for page in gold if parts.get(page.id, "") == part])
    return pages


def cheapest(found: Sequence[Pair], keep: Sequence[str], least: float) -> list[Pair]:
    """Return the rules that go next: all that act on no page, or the one that gains least and does not pay.

    ``least`` is the gain in F1 from which a rule is not to go.
    """
    may_go = [pair for pair in found if not any(one.pays for one in pair) and pair[0].rule not in keep]
    idle = [pair for pair in may_go if not any(one.pages for one in pair)]
    return idle or sorted((pair for pair in may_go if pair[0].f1 < least), key=lambda pair: pair[0].gain)[:1]


def eliminate(
    bench: Bench, start: frozenset[str], keep: Sequence[str], lose: float
) -> tuple[frozenset[str], list[Row]]:
    """Switch off the cheapest rule, again and again; return all that is off, and a row for each rule that went."""
    off, gone = start, list[Row]()
    floor = totals(bench.watch(off)[0], bench.pages)["all"]["f1"] - lose
    while True:
        base, found = effects(bench, off, [rule.name for rule in RULES if rule.name not in off])
        goes = cheapest(found, keep, totals(base, bench.pages)["all"]["f1"] - floor)
        if not goes:
            return off, gone
        gone += [row(*pair, "removed") for pair in goes]
        off |= {gold.rule for gold, _ in goes}
        for gold, _ in goes:
            print(f"off: {gold.rule}, f1 {gold.f1:+.5f}, wrong {gold.wrong:+.2f}", file=sys.stderr, flush=True)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument(
        "--folds", type=Path, help="weights of the folds; learned and written if missing. Default: the shipped weights"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="measure each N-th gold page (1)")
    parser.add_argument("--write", action="store_true", help="write the tables into the documentation")
    parser.add_argument("--eliminate", action="store_true", help="switch off the cheapest rule, again and again")
    parser.add_argument("--off", action="append", default=[], metavar="RULE", help="a rule that is off from the start")
    parser.add_argument("--keep", action="append", default=[], metavar="RULE", help="a rule that is not to go")
    parser.add_argument(
        "--lose", type=float, default=0.0005, help="stop where F1 with sites left out is lower by more (.0005)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes that read pages (2)")
    parser.add_argument("--list", action="store_true", help="print the names of the rules and stop")
    parser.add_argument("--json", action="store_true", help="print all figures, also by language")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{rule.name}: {rule.does}" for rule in RULES))
        return
    folds, parts = trained(options.gold, options.folds) if options.folds else ({}, {})
    gold = load_gold(options.gold)[:: options.every]
    off, gone = frozenset(options.off), list[Row]()
    with closing(Bench(with_composed(gold, parts), folds, parts, options.jobs)) as bench:
        start = totals(bench.watch(off)[0], bench.pages)
        ms = {rule: round(1000 * spent / len(bench.pages), 3) for rule, spent in bench.seconds.items()}
        if options.eliminate:
            off, gone = eliminate(bench, off, options.keep, options.lose)
        base, left = effects(bench, off, [rule.name for rule in RULES if rule.name not in off])
    kept = [row(*pair, "pays" if any(one.pays for one in pair) else "does not pay") for pair in left]
    table = [each | {"ms": ms.get(each["rule"])} for each in gone + sorted(kept, key=lambda each: -each["f1_gold"])]
    end = totals(base, bench.pages)
    if options.write:
        DOCS.write_text(written(DOCS.read_text("utf-8"), table), "utf-8")
    if options.json:
        print(json.dumps({"start": start, "end": end, "rules": table}, indent=1, ensure_ascii=False))
        return
    print(HEADING, *map(markdown, table), sep="\n")
    for name in ("all", "composed"):
        print(f"{name}: at first {start.get(name)}, in the end {end.get(name)}")


if __name__ == "__main__":
    main()
