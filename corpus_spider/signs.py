"""Signs that something is wrong with a site: its last night beside the usual of the nights before. Pure.

The usual is the median of the nights before the trouble began, three at least, so that one odd night, or a long outage,
does not become what later nights are compared with. A night is unusual when it is beyond every one of those nights, far
enough from the usual, and further than chance would have it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING

from corpus_spider.source_signs import LEADS_ON, in_vain, source_words
from pipelines.urls import MAX_REDIRECTS
from storage.counting import counted
from storage.nights import column_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from storage.nights import SiteRun
    from storage.sources import SourceState

LEAST_NIGHTS = 3
SAME_NIGHT = timedelta(hours=12)
"""Runs this close before the last of a night are parts of it: a crawl that was stopped and went on."""
WHOLE = frozenset({0, 7, 8, 12})
"""Exit codes of runs that did what they were to do: at a limit, the newest was done first."""
SILENT_SHARE, MISSING, LONGEST_PAUSE = 0.2, 5, 3
"""Less than this share of the usual is silence, when at least so many articles are missing; a site that pauses for some
nights now and then (a weekend) is silent when it pauses for longer than ever, or than this.
"""
ALL, LEAST_OF_ALL = 0.8, 3
"""A share that is wrong in a night of any site, whatever was usual, when it is of so many at least; of a site none of
whose sources could be read, one is enough: of such a site nothing else is asked.
"""
CHANCE = 3.0
"""Standard deviations of a share that chance is given."""
LIMITED = 12
"""Exit code of a run that ended at a limit, with more to be asked for."""


class Sign(StrEnum):
    """What is wrong with a site."""

    NOT_CRAWLED = "not_crawled"
    SILENT = "silent"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    ERRORS = "errors"
    TEXT_LOST = "text_lost"
    UNDATED = "undated"
    LANGUAGE = "language"
    DUPLICATES = "duplicates"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong at a site, in words; ``url`` is the source's where it is one."""

    site: str
    sign: Sign
    words: str
    url: str = ""

    def __str__(self) -> str:
        return f"{self.site}: {f'{self.url} ' if self.url else ''}{self.words}"


@dataclass(frozen=True, slots=True)
class Night:
    """What a site came to in the runs of one night, the oldest run first; one run at least."""

    runs: tuple[SiteRun, ...]

    @property
    def started(self) -> datetime:
        """When its last run began."""
        return self.runs[-1].started

    @property
    def whole(self) -> bool:
        """Whether a run of it came to its end."""
        return any(run.exit_code in WHOLE for run in self.runs)

    def total(self, *names: str) -> int:
        """Sum counts of `SiteRun` over the runs."""
        return sum(int(getattr(run, name)) for run in self.runs for name in names)

    def because(self, *reasons: str) -> int:
        """Count answers and tries by their reasons."""
        return sum(run.reasons.get(reason, 0) for run in self.runs for reason in reasons)


@dataclass(frozen=True, slots=True)
class Case:
    """A site to be judged: its nights, oldest first, and how its sources stand, by the address they are named by."""

    site: str
    nights: Sequence[Night] = ()
    sources: Sequence[tuple[str, SourceState | None]] = field(default=())
    known: bool = False
    """Whether something of it was ever read."""
    listed: bool = False
    """Whether it is a list of pages, with no link followed: some of them are gone, and one night it is read."""

    @property
    def shut(self) -> bool:
        """Whether the last try was in vain at every source."""
        return bool(self.sources) and all(state is not None and in_vain(state) for _, state in self.sources)

    @property
    def yielded(self) -> bool:
        """Whether it has given an article in any of its nights."""
        return any(night.total("articles") for night in self.nights)

    @property
    def barren(self) -> bool:
        """Whether it has given no article, and its sources have named nothing, unless by redirects."""
        found = sum(night.total("found") for night in self.nights)
        on = sum(night.because(LEADS_ON) for night in self.nights)
        return not self.yielded and found <= min(on, MAX_REDIRECTS * len(self.sources))


@dataclass(frozen=True, slots=True)
class Rule:
    """How nights are compared: as many nights before as there are at most, days without a crawl that are well."""

    nights: int = 14
    max_age: float = 3.0


@dataclass(frozen=True, slots=True)
class Share:
    """A share that should not rise: of which counts, among how many at least, by how much over the usual.

    A share of nearly all (`ALL`) is wrong whatever was usual: with ``always`` at any site, in its first night too; with
    ``alone`` only at one that has not given an article yet, since others may go on for ever with most of it so; with
    ``first`` in a site's first night, and of ``least`` at least.
    """

    sign: Sign
    words: str
    part: Callable[[Night], int]
    whole: Callable[[Night], int]
    least: int
    apart: float
    always: bool = False
    alone: bool = False
    first: bool = False


_NO_TEXT = ("no_text", "short")
SHARES = (
    Share(
        Sign.REFUSED, "answers refuse", lambda n: n.total("refused"), lambda n: n.total("fetched"), 5, 0.2, always=True
    ),
    Share(
        Sign.UNREACHABLE,
        "tries get no whole answer",
        lambda n: n.total("failed"),
        lambda n: n.total("fetched", "failed"),
        5,
        0.3,
        always=True,
    ),
    Share(
        Sign.ERRORS,
        "answers are errors",
        lambda n: n.total("http_errors"),
        lambda n: n.total("fetched"),
        10,
        0.3,
        always=True,
    ),
    Share(
        Sign.TEXT_LOST,
        "pages give no text",
        lambda n: n.total(*_NO_TEXT) + n.because("listing"),
        lambda n: n.total("articles", "versions", *_NO_TEXT) + n.because("listing"),
        10,
        0.3,
    ),
    Share(
        Sign.UNDATED,
        "documents have no date",
        lambda n: n.total("undated"),
        lambda n: n.total("articles", "versions"),
        10,
        0.3,
    ),
    Share(
        Sign.LANGUAGE,
        "texts are in a language that is not wanted",
        lambda n: n.total("language"),
        lambda n: n.total("articles", "versions", "language"),
        10,
        0.25,
        alone=True,
    ),
    Share(
        Sign.DUPLICATES,
        "documents repeat another",
        lambda n: n.total("duplicates"),
        lambda n: n.total("articles", "versions"),
        10,
        0.3,
        first=True,
    ),
)


def nights_of(runs: Sequence[SiteRun]) -> list[Night]:
    """Put the runs at one site together to nights, from the last run backwards; both oldest first."""
    nights: list[list[SiteRun]] = []
    for run in reversed(runs):
        if nights and nights[-1][0].started - run.started < SAME_NIGHT:
            nights[-1].append(run)
        else:
            nights.append([run])
    return [Night(tuple(reversed(night))) for night in reversed(nights)]


def judge(case: Case, rule: Rule, now: datetime) -> list[Finding]:
    """Say what is wrong with a site."""
    found = [*not_crawled(case, rule, now), *silence(case, rule)]
    for share in SHARES:
        found += unusual(case, share, rule)
    found += another_name(case)
    if not case.listed:
        found += [finding for named in case.sources for finding in dead_source(case, *named)]
    return found or nothing_had(case)


def not_crawled(case: Case, rule: Rule, now: datetime) -> list[Finding]:
    """Say that no run at the site came to its end for too long."""
    ends = [night.started for night in case.nights if night.whole]
    if not ends:
        words = "no crawl of it has come to its end" if case.nights else "never crawled"
        return [] if case.known and not case.nights else [Finding(case.site, Sign.NOT_CRAWLED, words)]
    if now - ends[-1] <= timedelta(days=rule.max_age):
        return []
    days = counted((now - ends[-1]).days, "day")
    words = f"no crawl of it has come to its end for {days}, since {ends[-1]:%Y-%m-%d}"
    return [Finding(case.site, Sign.NOT_CRAWLED, words)]


def silence(case: Case, rule: Rule) -> list[Finding]:
    """Say that a site brings no new articles, or next to none, where there usually are some."""
    if not case.nights or not case.nights[-1].whole:
        return []
    counts = [night.total("articles") for night in case.nights if night.whole]
    if len(counts) >= LEAST_NIGHTS and not any(counts):
        return [Finding(case.site, Sign.SILENT, f"no article in any of {counted(len(counts), 'night')}")]
    if case.listed:
        return []
    for quiet in range(len(counts) - LEAST_NIGHTS, 0, -1):
        before = counts[-quiet - rule.nights : -quiet]
        usual = median(before)
        low = [count < usual * SILENT_SHARE for count in counts]
        pause = min(_longest(low[-quiet - rule.nights : -quiet]), LONGEST_PAUSE)
        missing = quiet * usual - sum(counts[-quiet:])
        if all(low[-quiet:]) and quiet > pause and missing >= MISSING:
            return [Finding(case.site, Sign.SILENT, _silent_words(counts[-quiet:], usual))]
    return []


def _silent_words(counts: Sequence[int], usual: float) -> str:
    nights = "in the last night" if len(counts) == 1 else f"in {len(counts)} nights"
    new = counted(sum(counts), "new article") if any(counts) else "no new article"
    return f"{new} {nights}; usually there are {usual:g} a night"


def _longest(low: Sequence[bool]) -> int:
    """Return the length of the longest run of low nights."""
    longest = current = 0
    for one in low:
        current = current + 1 if one else 0
        longest = max(longest, current)
    return longest


def unusual(case: Case, share: Share, rule: Rule) -> list[Finding]:
    """Say that a share has risen; one that stays where it rose to is told for as many nights as are compared."""
    if not case.nights:
        return []
    part, whole = share.part(case.nights[-1]), share.whole(case.nights[-1])
    words = f"{part} of {whole} {share.words}{_reasons(case.nights[-1], share.sign)}"
    if _is_nearly_all(case, share, part, whole):
        return [Finding(case.site, share.sign, words)]
    if whole < share.least:
        return []
    values = [(share.part(night), total) for night in case.nights if (total := share.whole(night)) >= share.least]
    for high in range(min(len(values) - LEAST_NIGHTS, rule.nights), 0, -1):
        before = [number / total for number, total in values[-high - rule.nights : -high]]
        if all(_is_high(each, before, share.apart) for each in values[-high:]):
            since = "" if high == 1 else f", for {high} nights"
            return [Finding(case.site, share.sign, f"{words}{since}; usually {median(before):.0%}")]
    return []


def _is_nearly_all(case: Case, share: Share, part: int, whole: int) -> bool:
    """Say whether a share is wrong in any night. Where no source could be read, what led to them counts for nothing."""
    if share.first:
        return len(case.nights) == 1 and whole >= share.least and part >= ALL * whole
    if not (share.always or (share.alone and not case.yielded)):
        return False
    if case.shut:
        return part >= (1 if not case.yielded else max(ALL * whole, 1))
    return part >= max(ALL * whole, LEAST_OF_ALL)


def nothing_had(case: Case) -> list[Finding]:
    """Say of a site that has given no article yet what its answers came to, where nothing else is wrong with it."""
    last = case.nights[-1] if case.nights else None
    if last is None or not last.whole or case.yielded or any(run.exit_code == LIMITED for run in last.runs):
        return []
    answers = last.total("fetched")
    if answers < MISSING:
        return []
    why = _commonest(last, {reason for run in last.runs for reason in run.reasons})
    return [Finding(case.site, Sign.SILENT, f"no article yet in {answers} answers{why}")]


def _is_high(value: tuple[int, int], before: Sequence[float], apart: float) -> bool:
    part, whole = value
    usual = median(before)
    chance = CHANCE * math.sqrt(usual * (1 - usual) / whole)
    return part / whole > max(before) and part / whole >= usual + max(apart, chance)


def _reasons(night: Night, sign: Sign) -> str:
    """Name what was refused by whom, or failed with what: the most frequent reasons."""
    if sign not in {Sign.REFUSED, Sign.UNREACHABLE, Sign.ERRORS}:
        return ""
    column = {Sign.REFUSED: "refused", Sign.ERRORS: "http_errors"}.get(sign, "failed")
    return _commonest(
        night, {reason for run in night.runs for reason in run.reasons if column_of("drop", reason) == column}
    )


def _commonest(night: Night, reasons: Iterable[str]) -> str:
    ordered = sorted(reasons, key=lambda reason: (-night.because(reason), reason))[:3]
    return f" ({', '.join(f'{reason} {night.because(reason)}' for reason in ordered)})" if ordered else ""


def another_name(case: Case) -> list[Finding]:
    """Say that nothing is ever crawled for a site, because all its sources are known as those of another."""
    owners = {state.site for _, state in case.sources if state and state.site}
    if not owners or case.site in owners:
        return []
    names = ", ".join(f'"{name}"' for name in sorted(owners))
    words = f"nothing is crawled: this corpus knows its sources as those of {names}; call it so again"
    return [Finding(case.site, Sign.SOURCE, words)]


def dead_source(case: Case, address: str, state: SourceState | None) -> list[Finding]:
    """Say what is wrong with a feed, sitemap or start page, also when the site still yields by other ways."""
    words = source_words(case, state) if state else ""
    return [Finding(case.site, Sign.SOURCE, words, address)] if words else []
