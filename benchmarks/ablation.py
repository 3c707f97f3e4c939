"""Measure what each rule of the default extractor gains, and find the rules that can go.

    python benchmarks/ablation.py GOLD --folds folds.json                  each rule switched off alone
    python benchmarks/ablation.py GOLD --folds folds.json --eliminate      switch off the cheapest rule, measure again

The model decides first which blocks of a page are content. The rules (``RULES``) run after it or beside it. A rule is
switched off by its neutral element: its function returns no blocks, its table holds no words. The product needs no
switches for this.

Pages are read by weights that have not seen their site, or their source (``left_out.py``). These weights are learned
once and kept in the file of ``--folds``. Each page is parsed and measured once. A rule that did not act on a page
cannot change its text, so only the pages on which it acted are read again.

Columns of the table, all of them *with the rule less without it*:

- F1: mean F1 of the characters, in ten-thousandths, with the 95 % interval of the paired bootstrap by site
- wrong lines: lines wrongly kept and wrongly dropped per 100 pages. A line is right if four fifths of it are in the
  true text. The title need not be in the text, and should not be unless the true text has it.
- ms: milliseconds of the rule's function a page

``--json`` also has the pages on which a rule acts, and the wrong lines by language. To measure a new rule, add a `Rule`
to ``RULES``: its function, and the function that does nothing in its place.

A rule pays if the interval of F1 or of wrong lines (kept and dropped together) excludes zero in its favour, with sites
left out. Elimination switches off the rule that gains least, until all that remain pay or ``--lose`` is reached.
One wrong line in 100 pages counts as much as .0001 of F1.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from labels import CONTENT, shares
from train_auto import composed, learn_both, parts_left_out, samples, stored

from corpus_spider.lab import load_gold, score
from corpus_spider.lab.intervals import DRAWS, SEED
from corpus_spider.lab.scoring_run import prepare
from pipelines.extractors.auto import extractor, model, selection
from pipelines.extractors.auto.rules import parts
from pipelines.extractors.base import ExtractorOptions
from pipelines.page import postprocess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus_spider.lab.gold import GoldPage

LINE = 0.0001
"""F1 that one wrong line in 100 pages counts as much as."""
SPLITS = ("site", "source")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, the function or table that is replaced, and what replaces it."""

    name: str
    does: str
    target: str
    """Module and attribute."""
    neutral: Callable[..., Any] | None = None
    """The function that does nothing; None for a table or a pattern, which then holds nothing."""
    owns: tuple[str, ...] = ()
    """Further functions, as module and attribute, that serve this rule alone."""


def no_blocks(page: Any, *_: Any) -> Any:
    """Return no blocks of a page."""
    return np.zeros(page.count, bool)


def same_blocks(_: Any, chosen: Any, *__: Any) -> Any:
    """Return the chosen blocks as they are."""
    return chosen


def first(value: Any, *_: Any) -> Any:
    """Return the first argument as it is."""
    return value


def no(*_: Any, **__: Any) -> bool:
    """Return False."""
    return False


def nothing(*_: Any) -> None:
    """Return None."""


def _untitled(page: Any, title: Any, *rest: Any, find: Any) -> Any:
    return find(page, np.zeros_like(title), *rest)


RULES = (
    Rule("title block", "leaves out the block that is the title", "selection.find", _untitled),
    Rule("captions", "leaves out captions, by elements and class names", "parts.captions",
         lambda page: (np.zeros(page.count, bool), np.zeros(page.count, bool)),
         ("parts._holds_more", "parts._around", "parts._captioned")),
    Rule("caption classes", "class names that surely are of captions", "parts._SURE_CAPTION"),
    Rule("buttons", "leaves out buttons", "parts.buttons", no_blocks),
    Rule("copies", "leaves out the second copy of the article", "parts.copies", no_blocks),
    Rule("beginnings", "leaves out teasers of the text below them", "parts.beginnings", no_blocks,
         ("parts._broken_off",)),
    Rule("stated body", "doubts blocks that JSON-LD lacks", "jsonld_body.doubts",
         lambda page, *_: np.zeros(page.count),
         ("jsonld_body._pieces", "jsonld_body._distinct", "jsonld_body._among", "jsonld_body._dice")),
    Rule("folds", "keeps the rest of a text behind 'read more'", "parts.unfolded", no_blocks),
    Rule("under headline", "reads under the headline where little is expected", "selection.under_headline", no_blocks),
    Rule("completed", "adds missed blocks of the same make", "repeated_layout.completed", same_blocks,
         ("repeated_layout._paragraphs_among", "repeated_layout._alike")),
    Rule("paragraphs among", "adds single paragraphs among the chosen", "repeated_layout._paragraphs_among",
         lambda *arguments: np.zeros(len(arguments[2]), bool)),
    Rule("enclosed", "adds lists, tables and subheads among the chosen", "repeated_layout.enclosed", same_blocks,
         ()),
    Rule("continued", "adds the rest of a sentence that a card cuts", "repeated_layout.continued", same_blocks),
    Rule("closing lists", "adds lists right behind the text", "repeated_layout.closing", same_blocks,
         ("repeated_layout._lists_behind", "repeated_layout._within", "repeated_layout._names_what_follows")),
    Rule("related", "leaves out boxes named as related articles", "boilerplate.related", no_blocks),
    Rule("elsewhere boxes", "leaves out what stands below 'read also'", "boilerplate.elsewhere", no_blocks,
         ("boilerplate._is_of_teasers", "boilerplate.leads_elsewhere")),
    Rule("widgets", "leaves out boxes named as widgets", "boilerplate.widgets", no_blocks),
    Rule("asking", "leaves out small boxes with forms or calls", "boilerplate.asking", no_blocks,
         ("boilerplate._outwards",)),
    Rule("links", "leaves out blocks that are links", "boilerplate.links", no_blocks,
         ()),
    Rule("labels", "leaves out headings of link boxes", "boilerplate.labels", no_blocks,
         ("boilerplate._holds_no_text",)),
    Rule("comment sections", "leaves out sections of comments, in the model", "parts.comment_sections", no_blocks,
         ("parts._is_section", "parts._is_named_section")),
    Rule("standfirst", "adds the standfirst that the head repeats", "head_and_end.with_standfirst", same_blocks,
         ("head_and_end.head_of", "head_and_end._is_standfirst")),
    Rule("standfirst classes", "adds blocks of a standfirst's class", "head_and_end._is_standfirst", no),
    Rule("signature", "leaves out a signature set flush", "head_and_end.without_signature", same_blocks,
         ("head_and_end._is_set_apart", "head_and_end._may_sign", "head_and_end._is_signed")),
    Rule("asides", "leaves out lines by their words", "boilerplate.without_lines", list,
         ("boilerplate.is_boilerplate", "boilerplate._folded", "boilerplate._read_words")),
    Rule("asides: elsewhere", "of these, labels of links", "boilerplate._ELSEWHERE"),
    Rule("asides: alone", "of these, words of buttons and advertisements", "boilerplate._ALONE"),
    Rule("heading of nothing", "leaves out a last heading of nothing", "selection._opens_nothing", no),
    Rule("second opinion", "reads by density where confidence is low", "extractor.selection", lambda found: found),
    Rule("JSON-LD body", "takes a body that is not shown from JSON-LD", "extractor._stated", nothing),
    Rule("noscript", "takes the text for readers without scripts", "extractor._unscripted", nothing),
    Rule("shadow trees", "takes the text of shadow trees", "extractor._shadowed", nothing, ("extractor._opened",)),
    Rule("script state", "takes the text from the state of scripts", "extractor._kept", nothing, ("script_state",)),
    Rule("title heading", "leaves out the first heading that is the title", "postprocess.without_title", first,
         ()),
    Rule("dateline", "leaves out lines of the date", "postprocess.without_dateline", first),
    Rule("dateline: others", "of these, lines the date was not read from", "postprocess.is_dateline", no),
    Rule("byline line", "leaves out lines of the author's name", "postprocess.without_byline", first),
)  # fmt: skip


def module_of(target: str) -> Any:
    """Return the module that a target names first."""
    name = target.partition(".")[0]
    known = {"postprocess": postprocess, "selection": selection, "extractor": extractor}
    return known.get(name) or import_module(f"pipelines.extractors.auto.rules.{name}")


class Switchboard:
    """Wraps all rules, so that each can be switched off and tells on which pages it acted and for how long."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.off: frozenset[str] = frozenset()
        self.fired: set[str] = set()
        self.seconds: Counter[str] = Counter()
        # What it remembers would hide the patterns in it.
        parts._captioned = parts._captioned.__wrapped__  # noqa: SLF001 - the only way to it
        for rule in rules:
            self._wrap(rule)

    def _wrap(self, rule: Rule) -> None:
        module, name = module_of(rule.target), rule.target.partition(".")[2]
        original = getattr(module, name)
        if rule.target == "selection.find":
            made = partial(self._find, rule.name, original)
        elif rule.target == "extractor.selection":
            made = _Surely(self, rule.name)
        elif rule.neutral is None:
            made = _Table(self, rule.name, original)
        else:
            made = partial(self._call, rule, original)
        for user in (selection, extractor, module):  # names that were imported
            if getattr(user, name, None) is original:
                setattr(user, name, made)

    def _call(self, rule: Rule, original: Any, *arguments: Any, **named: Any) -> Any:
        if rule.name in self.off:
            return rule.neutral(*arguments, **named)  # type: ignore[misc]
        start = time.thread_time()
        found = original(*arguments, **named)
        self.seconds[rule.name] += time.thread_time() - start
        if not _same(found, rule.neutral(*arguments, **named)):  # type: ignore[misc]
            self.fired.add(rule.name)
        return found

    def _find(self, rule: str, original: Any, page: Any, title: Any, *rest: Any) -> Any:
        if rule in self.off:
            return _untitled(page, title, *rest, find=original)
        if (title > selection.TITLE).any():
            self.fired.add(rule)
        return original(page, title, *rest)


class _Surely:
    """``selection`` as ``auto`` sees it: without a second opinion, all of its readings are believed."""

    NAME = selection.NAME

    def __init__(self, board: Switchboard, rule: str) -> None:
        self.board, self.rule = board, rule

    def read(self, html: str, template: bytes) -> Any:
        found = selection.read(html, template)
        if found.problem or found.headed or found.confidence >= selection.SURE:
            return found
        self.board.fired.add(self.rule)
        return replace(found, headed=True) if self.rule in self.board.off else found


class _Table:
    """A set of words or a pattern that holds nothing while its rule is off."""

    def __init__(self, board: Switchboard, rule: str, original: Any) -> None:
        self.board, self.rule, self.original = board, rule, original

    def __contains__(self, word: str) -> bool:
        return self._seen(word in self.original)

    def search(self, *arguments: Any) -> Any:
        return self._seen(self.original.search(*arguments))

    def match(self, *arguments: Any) -> Any:
        return self._seen(self.original.match(*arguments))

    def fullmatch(self, *arguments: Any) -> Any:
        return self._seen(self.original.fullmatch(*arguments))

    def _seen(self, found: Any) -> Any:
        if self.rule in self.board.off:
            return None
        if found:
            self.board.fired.add(self.rule)
        return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


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
    parts: dict[str, str]
    """The part of the pages that it is left out with, by split."""
    memory: dict[Any, Any] = field(default_factory=dict)
    runs: dict[str, list[tuple[frozenset[str], frozenset[str], Measured]]] = field(default_factory=dict)
    """By split: the rules that were off, those that acted, and how well the page was read."""


Row = dict[str, Any]
"""A rule with its figures, as plain values."""
HEADING = """\
| rule | what it does | lines | F1 × 10⁴, sites | F1 × 10⁴, sources | wrong lines | kept / dropped | ms | |
|---|---|---|---|---|---|---|---|---|"""
Run = tuple[int, frozenset[str], str]
"""The place of a page, the rules that are off, and the split."""


class Reader:
    """Reads some of the gold pages with rules switched off; what no rule changes is remembered."""

    def __init__(self, pages: dict[int, GoldPage], folds: dict[str, Any], parts: dict[str, dict[str, str]]) -> None:
        self.board = Switchboard(RULES)
        self.models = {split: {part: model.Model.of(row) for part, row in of.items()} for split, of in folds.items()}
        self.cases = {}
        for place, gold in pages.items():
            prepared, part = prepare(gold), {split: of.get(gold.id, "") for split, of in parts.items()}
            self.case = self.cases[place] = Case(gold, prepared.source, prepared.truth, part)
        self.split = SPLITS[0]
        self._opened = selection.opened
        selection.opened = lambda html: self._remembered(("opened", html), lambda: self._opened(html))
        selection.model = lambda: self
        state, find = extractor.script_state.article_body, extractor.density.find
        extractor.script_state.article_body = lambda html, *stated: self._remembered(
            ("state", html), lambda: state(html, *stated)
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
        models = self.models[self.split]
        part = self.case.parts[self.split] or next(iter(models))
        make = lambda: models[part].probabilities(page, columns, template)  # noqa: E731
        return self._remembered(("p", self.split, id(page), template.tobytes()), make).copy()

    def read(self, place: int, off: frozenset[str], split: str) -> tuple[Measured, frozenset[str]]:
        """Read one page without some rules: how well, and which rules acted.

        Rules that did not act in an earlier run can be switched off without running again.
        """
        runs = self.cases[place].runs.setdefault(split, [])
        for before, acted, measured in reversed(runs):
            if before <= off and acted.isdisjoint(off - before):
                return measured, acted
        self.case, self.split, self.board.off, self.board.fired = self.cases[place], split, off, set()
        measured = self._run()
        runs.append((off, frozenset(self.board.fired - off), measured))
        return measured, runs[-1][1]

    def _run(self) -> Measured:
        case = self.case
        if case.source is None:
            return self._measured("", case.gold.title or "")
        stated = case.source.page.metadata
        options = ExtractorOptions(case.gold.url or "", case.gold.language)
        found = postprocess.tidy(extractor.extract(case.source.decoded.text, options), stated)
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
    return [_READER[0].read(*run) for run in runs], dict(_READER[0].board.seconds)


class Bench:
    """All gold pages, a share of them in each of some processes."""

    def __init__(self, folder: Path, folds: dict[str, Any], parts: dict[str, dict[str, str]], jobs: int) -> None:
        self.pages = load_gold(folder)
        shares = [{place: page for place, page in enumerate(self.pages) if place % jobs == job} for job in range(jobs)]
        self.workers = [
            ProcessPoolExecutor(1, initializer=_start, initargs=(pages, folds, parts)) for pages in shares if pages
        ]
        self.seconds: Counter[str] = Counter()
        """Of each rule, all runs together."""

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

    def watch(self, off: frozenset[str], split: str) -> tuple[list[Measured], dict[str, list[int]]]:
        """Read all pages without some rules: how well, and on which pages each other rule acts."""
        acted: defaultdict[str, list[int]] = defaultdict(list)
        read = self.read([(place, off, split) for place in range(len(self.pages))])
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


def effects(bench: Bench, off: frozenset[str], split: str, rules: Iterable[str]) -> tuple[list[Measured], list[Effect]]:
    """Measure each of some rules alone, where others are off."""
    base, acted = bench.watch(off, split)
    runs = [(place, off | {rule}, split) for rule in rules for place in acted.get(rule, ())]
    read, found = dict(zip(runs, bench.read(runs), strict=True)), []
    for rule in rules:
        places, without = acted.get(rule, []), list(base)
        for place in places:
            without[place] = read[place, off | {rule}, split][0]
        found.append(effect(rule, len(places), base, without, bench.pages))
    return base, found


def totals(base: list[Measured], pages: Sequence[GoldPage]) -> dict[str, Any]:
    """Return F1 and wrong lines of all pages and of each language."""
    groups: dict[str, list[Measured]] = {"all": list(base)}
    for page, one in zip(pages, base, strict=True):
        groups.setdefault(page.language, []).append(one)
    return {
        name: {
            "n": len(rows),
            "f1": round(fmean(row.f1 for row in rows), 5),
            "kept": round(100 * fmean(row.kept for row in rows), 1),
            "dropped": round(100 * fmean(row.dropped for row in rows), 1),
        }
        for name, rows in groups.items()
    }


def lines_of(rule: Rule) -> int:
    """Return the lines of code that serve a rule alone; those of a table or a pattern are not counted."""
    count = 0
    for target in (rule.target, *rule.owns) if rule.neutral else ():
        value = module_of(target)
        for name in target.split(".")[1:]:
            value = getattr(value, name)
        count += (
            len(inspect.getsource(value).splitlines()) if target not in {"selection.find", "extractor.selection"} else 1
        )
    return count


def row(sites: Effect, sources: Effect, verdict: str) -> Row:
    """Return what is known of a rule as plain values."""
    rule = next(each for each in RULES if each.name == sites.rule)
    found: Row = {
        "rule": rule.name,
        "does": rule.does,
        "lines": lines_of(rule),
        "pages": sites.pages,
        "verdict": verdict,
    }
    for split, one in (("sites", sites), ("sources", sources)):
        found |= {
            f"f1_{split}": round(one.f1, 5),
            f"f1_{split}_interval": [round(bound, 5) for bound in one.f1_interval],
            f"wrong_{split}": round(one.wrong, 2),
            f"wrong_{split}_interval": [round(bound, 2) for bound in one.wrong_interval],
        }
    return found | {"kept": round(sites.kept, 2), "dropped": round(sites.dropped, 2), "languages": sites.languages}


def markdown(found: Row) -> str:
    """Return a row of the table in the documentation (``docs/explanation/extractor-rules.md``)."""

    def points(name: str) -> str:
        low, high = (10000 * bound for bound in found[f"{name}_interval"])
        return f"{10000 * found[name]:+.1f} [{low:+.1f}, {high:+.1f}]"

    low, high = found["wrong_sites_interval"]
    lines = f"{found['wrong_sites']:+.1f} [{low:+.1f}, {high:+.1f}] | {found['kept']:+.1f} / {found['dropped']:+.1f}"
    size, ms = found["lines"] or "table", "–" if found["ms"] is None else f"{found['ms']:.3f}"
    cells = (found["rule"], found["does"], size, points("f1_sites"), points("f1_sources"), lines, ms, found["verdict"])
    return f"| {' | '.join(map(str, cells))} |"


def trained(folder: Path, path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, str]]]:
    """Return the weights for each part of the pages that was left out, and the part of each page, by split."""
    if not path.exists():
        pages = samples(folder)
        parts = {split: parts_left_out(pages, split) for split in SPLITS}
        folds = {}
        for split, of in parts.items():
            known = [*pages, *composed(pages, of)]
            folds[split] = {
                part: stored(*learn_both([page for page in known if of[page.gold.id] != part]))
                for part in sorted(set(of.values()))
            }
        path.write_text(json.dumps({"folds": folds, "parts": parts}), "utf-8")
    kept = json.loads(path.read_text("utf-8"))
    return kept["folds"], kept["parts"]


def cheapest(found: Sequence[Effect], keep: Sequence[str], least: float) -> list[Effect]:
    """Return the rules that go next: all that act on no page, or the one that gains least and does not pay.

    ``least`` is the gain in F1 from which a rule is not to go.
    """
    may_go = [one for one in found if not one.pays and one.rule not in keep]
    idle = [one for one in may_go if not one.pages]
    return idle or sorted((one for one in may_go if one.f1 < least), key=lambda one: one.gain)[:1]


def eliminate(
    bench: Bench, start: frozenset[str], keep: Sequence[str], lose: float
) -> tuple[frozenset[str], list[Row]]:
    """Switch off the cheapest rule, again and again; return all that is off, and a row for each rule that went."""
    off, gone = start, list[Row]()
    floor = fmean(page.f1 for page in bench.watch(off, "site")[0]) - lose
    while True:
        base, found = effects(bench, off, "site", [rule.name for rule in RULES if rule.name not in off])
        goes = cheapest(found, keep, fmean(page.f1 for page in base) - floor)
        if not goes:
            return off, gone
        others = effects(bench, off, "source", [one.rule for one in goes])[1]
        gone += [row(*both, "removed") for both in zip(goes, others, strict=True)]
        off |= {one.rule for one in goes}
        for one in goes:
            print(f"off: {one.rule}, f1 {one.f1:+.5f}, wrong {one.wrong:+.2f}", file=sys.stderr, flush=True)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument(
        "--folds", type=Path, default=Path("folds.json"), help="weights of the folds; learned and written if missing"
    )
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
    bench = Bench(options.gold, *trained(options.gold, options.folds), options.jobs)
    off, gone = frozenset(options.off), list[Row]()
    start = {split: totals(bench.watch(off, split)[0], bench.pages) for split in SPLITS}
    ms = {rule: round(1000 * spent / len(bench.pages) / len(SPLITS), 3) for rule, spent in bench.seconds.items()}
    if options.eliminate:
        off, gone = eliminate(bench, off, options.keep, options.lose)
    left = [rule.name for rule in RULES if rule.name not in off]
    sites, sources = (effects(bench, off, split, left)[1] for split in SPLITS)
    kept = [row(*both, "pays" if both[0].pays else "does not pay") for both in zip(sites, sources, strict=True)]
    table = [each | {"ms": ms.get(each["rule"])} for each in gone + sorted(kept, key=lambda each: -each["f1_sites"])]
    end = {split: totals(bench.watch(off, split)[0], bench.pages) for split in SPLITS}
    if options.json:
        print(json.dumps({"start": start, "end": end, "rules": table}, indent=1, ensure_ascii=False))
        return
    print(HEADING, *map(markdown, table), sep="\n")
    for split in SPLITS:
        print(f"{split}s left out: at first {start[split]['all']}, in the end {end[split]['all']}")


if __name__ == "__main__":
    main()
