"""Health checks of a site: compare its last night with its earlier nights. Pure.

"Usual" is the median of the nights before the trouble began. At least three nights are needed, so that one odd night or
a long outage does not become usual. A night is unusual if it lies beyond each of those nights, far enough from the
median, and further than chance explains.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from itertools import takewhile
from statistics import median
from typing import TYPE_CHECKING

from msgspec import structs

from corpus_spider.exit_codes import FORCED, LIMITED, STOPPED
from corpus_spider.monitoring.model import Night, Sign, SiteProblem
from corpus_spider.monitoring.source_checks import source_words
from storage.reasons import (
    DROPPED,
    GONE,
    LISTING,
    NO_NETWORK,
    NO_TEXT,
    SCRIPT_ONLY,
    SHORT,
    SHORTENED,
    WORKER_FAULTS,
    is_loss,
    meaning_of,
    reason_of,
    reasons_of,
)
from storage.reporting import counted
from storage.runs.site_runs import column_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from corpus_spider.monitoring.model import HealthThresholds, SiteCase
    from storage.runs.site_runs import SiteRun

LEAST_NIGHTS = 3
"""Nights that are needed to know what is usual."""
SAME_NIGHT = timedelta(hours=12)
"""Runs less than this apart belong to one night: a crawl was stopped and resumed."""
SILENT_SHARE = 0.2
"""A night with less than this share of the usual articles is silent."""
MIN_MISSING_ARTICLES = 5
"""Minimum missing articles, so that small sites are not reported. Also the minimum responses of `no_article_yet`."""
LONGEST_PAUSE = 3
"""Nights. A site that pauses now and then (weekends) is silent after its longest pause, or after this."""
NEARLY_ALL_SHARE, LEAST_OF_ALL = 0.8, 3
"""A share of `NEARLY_ALL_SHARE` among at least `LEAST_OF_ALL` is a problem in any night, also if it was usual.
If no source of a site could be read, one is enough, because nothing else of that site is fetched.
"""
LEAST_OFFLINE = 2
"""Sites. With one site, the site itself may be the cause."""
CHANCE = 3.0
"""Standard deviations of a share that are attributed to chance."""


@dataclass(frozen=True, slots=True)
class LossReason:
    """The reason that most pages without a document share, and words about it with the setting that helps."""

    words: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """A share that should not rise: ``part`` of ``whole``, for at least ``least``, by ``apart`` above the usual.

    ``words`` describes it and is formatted with part, whole and why (reasons). A share of ``nearly_all`` is a
    problem also if it was usual: with ``always`` at any site in any night; with ``alone`` only at a site that has given
    no article, because other sites may publish mostly such pages; with ``first`` only in a site's first night.
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
    nearly_all: float = NEARLY_ALL_SHARE


_PROCESSED = ("articles", "versions", "language", NO_TEXT, SHORT)
SHARES = (
    Share(
        Sign.REFUSED,
        "the server refused {part} of {whole} requests{why}",
        lambda n: n.total("refused"),
        lambda n: n.total("fetched"),
        5,
        0.2,
        always=True,
    ),
    Share(
        Sign.UNREACHABLE,
        "could not be reached: {part} of {whole} attempts failed{why}",
        lambda n: n.total("failed"),
        lambda n: n.total("fetched", "failed"),
        5,
        0.3,
        always=True,
    ),
    Share(
        Sign.ERRORS,
        "{part} of {whole} responses are errors{why}",
        lambda n: n.total("http_errors"),
        lambda n: n.total("fetched"),
        10,
        0.3,
        always=True,
    ),
    Share(
        Sign.PROCESSING,
        "the extractor failed on {part} of {whole} pages{why}",
        lambda n: n.because(*WORKER_FAULTS),
        lambda n: n.total(*_PROCESSED) + n.because(LISTING),
        10,
        0.1,
        always=True,
        nearly_all=0.2,
    ),
    Share(
        Sign.TEXT_LOST,
        "{part} of {whole} pages give no text{why}",
        lambda n: n.total(NO_TEXT, SHORT) + n.because(LISTING) - n.because(*WORKER_FAULTS),
        lambda n: n.total("articles", "versions", NO_TEXT, SHORT) + n.because(LISTING) - n.because(*WORKER_FAULTS),
        10,
        0.3,
    ),
    Share(
        Sign.UNDATED,
        "{part} of {whole} documents have no date",
        lambda n: n.total("undated"),
        lambda n: n.total("articles", "versions"),
        10,
        0.3,
    ),
    Share(
        Sign.LANGUAGE,
        "{part} of {whole} texts are in a language that is not wanted",
        lambda n: n.total("language"),
        lambda n: n.total("articles", "versions", "language"),
        10,
        0.25,
        alone=True,
    ),
    Share(
        Sign.DUPLICATES,
        "{part} of {whole} documents are duplicates",
        lambda n: n.total("duplicates"),
        lambda n: n.total("articles", "versions"),
        10,
        0.3,
        first=True,
    ),
    Share(
        Sign.SHORTENED,
        "{part} of {whole} changed articles now show only a part of their text; the fuller texts are kept",
        lambda n: n.because(SHORTENED),
        lambda n: n.total("versions"),
        5,
        0.3,
        always=True,
    ),
)


def offline_runs(runs: Iterable[SiteRun]) -> frozenset[int]:
    """Return the ids of runs on a machine without a network: no response, and no name resolved at several sites."""
    by_run: dict[int, list[SiteRun]] = defaultdict(list)
    for run in runs:
        if run.reasons or run.fetched:
            by_run[run.run_id].append(run)
    return frozenset(
        number
        for number, sites in by_run.items()
        if len(sites) >= LEAST_OFFLINE and all(not one.fetched and NO_NETWORK.issuperset(one.reasons) for one in sites)
    )


def as_interrupted(run: SiteRun) -> SiteRun:
    """Return a run without a network as one that was stopped before its first request. It says nothing about a site."""
    return structs.replace(run, exit_code=STOPPED, failed=0, reasons={})


def nights_of(runs: Sequence[SiteRun]) -> list[Night]:
    """Group the runs at one site into nights, counted back from the last run. Both lists are oldest first."""
    nights: list[list[SiteRun]] = []
    for run in reversed(runs):
        if nights and nights[-1][0].started - run.started < SAME_NIGHT:
            nights[-1].append(run)
        else:
            nights.append([run])
    return [Night(tuple(reversed(night))) for night in reversed(nights)]


def judge(case: SiteCase, rule: HealthThresholds, now: datetime) -> list[SiteProblem]:
    """Return all problems of a site; an empty list if it is well or its first crawl is not finished."""
    if is_unfinished(case, rule, now):
        return []
    found = [*not_crawled(case, rule, now), *silence(case, rule)]
    for share in SHARES:
        found += unusual(case, share, rule)
    found += [*paused_hosts(case), *renamed_site(case), *lost_rules(case, rule)]
    if not case.listed:
        found += [
            SiteProblem(case.site, Sign.SOURCE, words, url)
            for url, state in case.sources
            if state and (words := source_words(case, state))
        ]
    return found or no_article_yet(case)


def is_unfinished(case: SiteCase, rule: HealthThresholds, now: datetime) -> bool:
    """Return whether the first crawl of a site was interrupted, or still runs, in the last ``max_age`` days.

    Its counters show nothing yet, and the next crawl resumes it. A crawl that was killed has no exit code.
    """
    if not case.nights or any(night.whole for night in case.nights):
        return False
    stopped = case.nights[-1].runs[-1].exit_code in {STOPPED, FORCED, None}
    return stopped and now - case.nights[0].runs[0].started <= timedelta(days=rule.max_age)


def not_crawled(case: SiteCase, rule: HealthThresholds, now: datetime) -> list[SiteProblem]:
    """Report that no crawl of the site has finished for ``max_age`` days of the rule."""
    ends = [night.started for night in case.nights if night.whole]
    if not ends:
        words = "no crawl of this site has finished yet" if case.nights else "never crawled"
        return [] if case.known and not case.nights else [SiteProblem(case.site, Sign.NOT_CRAWLED, words)]
    if now - ends[-1] <= timedelta(days=rule.max_age):
        return []
    days = counted((now - ends[-1]).days, "day")
    words = f"no crawl of this site has finished for {days}, since {ends[-1]:%Y-%m-%d}"
    return [SiteProblem(case.site, Sign.NOT_CRAWLED, words)]


def silence(case: SiteCase, rule: HealthThresholds) -> list[SiteProblem]:
    """Report that a site gives no new articles, or far fewer than usual."""
    if not case.nights or not case.nights[-1].whole:
        return []
    whole = [night for night in case.nights if night.whole]
    counts = [night.total("articles") for night in whole]
    if len(counts) >= LEAST_NIGHTS and not any(counts):
        lost = lost_pages(case.nights, rendered=case.rendered)
        words = f"no article in any of {counted(len(counts), 'night')}{lost.words}"
        return [SiteProblem(case.site, Sign.SILENT, words, reason=lost.reason)]
    # A night that is not silent beside the best night is not silent beside any median.
    if case.listed or counts[-1] >= max(counts) * SILENT_SHARE:
        return []
    for quiet in range(len(counts) - LEAST_NIGHTS, 0, -1):
        before = counts[-quiet - rule.nights : -quiet]
        usual = median(before)
        low = [count < usual * SILENT_SHARE for count in counts]
        pause = min(_longest(low[-quiet - rule.nights : -quiet]), LONGEST_PAUSE)
        new = sum(counts[-quiet:])
        if all(low[-quiet:]) and quiet > pause and quiet * usual - new >= MIN_MISSING_ARTICLES:
            articles = counted(new, "new article") if new else "no new article"
            nights = "in the last night" if quiet == 1 else f"in {quiet} nights"
            words = f"{articles} {nights}; usually there are {usual:g} a night"
            lost = lost_pages(whole[-quiet:], rendered=case.rendered)
            return [SiteProblem(case.site, Sign.SILENT, f"{words}{lost.words}", reason=lost.reason)]
    return []


def paused_hosts(case: SiteCase) -> list[SiteProblem]:
    """Report hosts that the last run left paused with URLs due, if the night gave no new article."""
    if not case.nights or case.nights[-1].total("articles"):
        return []
    words = "no new article: {host} is paused ({reason}) while {urls} of it are due"
    return [
        SiteProblem(
            case.site,
            Sign.PAUSED,
            words.format(host=one.host, reason=one.reason, urls=counted(one.urls, "URL")),
        )
        for one in case.paused
    ]


def lost_pages(nights: Sequence[Night], *, rendered: bool) -> LossReason:
    """Return the reason that most pages without a document share; empty if there is none, or there are few pages."""
    counts: Counter[str] = Counter()
    for run in (run for night in nights for run in night.runs):
        counts.update({name: count for name, count in reasons_of(run.reasons).items() if is_loss(name)})
    lost = counts.total()
    reason, number = max(counts.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    if number < LEAST_OF_ALL or 2 * number <= lost:
        return LossReason()
    words = f"; {number} of {counted(lost, 'lost page')}: {reason} ({DROPPED[reason].meaning})"
    setting = "" if rendered and reason == SCRIPT_ONLY else DROPPED[reason].setting
    return LossReason(f"{words}. What helps: {setting}" if setting else words, reason)


def _longest(low: Sequence[bool]) -> int:
    """Return the length of the longest run of low nights."""
    longest = current = 0
    for one in low:
        current = current + 1 if one else 0
        longest = max(longest, current)
    return longest


def unusual(case: SiteCase, share: Share, rule: HealthThresholds) -> list[SiteProblem]:
    """Report that a share has risen. A share that stays high is reported for ``nights`` nights of the rule.

    Missing pages do not count while the sources yield: articles may contain any number of dead links.
    """
    if not case.nights:
        return []
    last, dead = case.nights[-1], GONE if share.sign is Sign.ERRORS and case.sources_yield else ()
    part, whole = share.part(last) - last.because(*dead), share.whole(last) - last.because(*dead)
    words = share.words.format(part=part, whole=whole, why=_reasons(last, share.sign))
    lost = lost_pages([last], rendered=case.rendered) if share.sign is Sign.TEXT_LOST else LossReason()
    if _is_nearly_all(case, share, part, whole):
        return [SiteProblem(case.site, share.sign, words)]
    # A high share is at least ``apart``. Most nights have a small one, and need no look at the others.
    if whole < share.least or part / whole < share.apart:
        return []
    totals = [
        (share.part(night) - night.because(*dead), share.whole(night) - night.because(*dead)) for night in case.nights
    ]
    values = [(number, total) for number, total in totals if total >= share.least]
    for high in range(min(len(values) - LEAST_NIGHTS, rule.nights), 0, -1):
        before = [number / total for number, total in values[-high - rule.nights : -high]]
        if all(_is_high(each, before, share.apart) for each in values[-high:]):
            since = "" if high == 1 else f", for {high} nights"
            words = f"{words}{since}; usually {median(before):.0%}{lost.words}"
            return [SiteProblem(case.site, share.sign, words, reason=lost.reason)]
    return []


def _is_nearly_all(case: SiteCase, share: Share, part: int, whole: int) -> bool:
    """Return whether a share is a problem in any night."""
    if share.first:
        return len(case.nights) == 1 and whole >= share.least and part >= share.nearly_all * whole
    if not (share.always or (share.alone and not case.yielded)):
        return False
    if case.shut:
        # No source could be read. A redirect on the way counts as a good response and must not hide it.
        return part >= (1 if not case.yielded else max(share.nearly_all * whole, 1))
    return part >= max(share.nearly_all * whole, LEAST_OF_ALL)


def _is_high(value: tuple[int, int], before: Sequence[float], apart: float) -> bool:
    part, whole = value
    usual = median(before)
    chance = CHANCE * math.sqrt(usual * (1 - usual) / whole)
    return part / whole > max(before) and part / whole >= usual + max(apart, chance)


def _reasons(night: Night, sign: Sign) -> str:
    """Return the most frequent reasons of refusals, failures or errors, in brackets."""
    if sign is Sign.PROCESSING:
        return _commonest(night, {name for run in night.runs for name in run.reasons if name in WORKER_FAULTS})
    if sign is Sign.TEXT_LOST:
        lost = {name for run in night.runs for name in run.reasons if column_of("drop", name) in {NO_TEXT, SHORT}}
        return _commonest(night, {*lost, *({LISTING} if night.because(LISTING) else ())} - set(WORKER_FAULTS))
    if sign not in {Sign.REFUSED, Sign.UNREACHABLE, Sign.ERRORS}:
        return ""
    column = {Sign.REFUSED: "refused", Sign.ERRORS: "http_errors"}.get(sign, "failed")
    return _commonest(
        night, {reason for run in night.runs for reason in run.reasons if column_of("drop", reason) == column}
    )


def _commonest(night: Night, reasons: Iterable[str]) -> str:
    ordered = sorted(reasons, key=lambda reason: (-night.because(reason), reason))[:3]
    return f" ({', '.join(f'{reason} {night.because(reason)}' for reason in ordered)})" if ordered else ""


def lost_rules(case: SiteCase, rule: HealthThresholds) -> list[SiteProblem]:
    """Report rules that matched most documents of earlier nights and none of the last night: the layout has changed."""
    runs = [[case.matches[run.run_id] for run in night.runs if run.run_id in case.matches] for night in case.nights]
    if not runs or sum(one.documents for one in runs[-1]) < LEAST_OF_ALL:
        return []
    found = []
    for name, selector in case.rules.items():
        nights = [
            (sum(one.matched.get(name, 0) for one in night), documents)
            for night in runs
            if (documents := sum(one.documents for one in night))
        ]
        lost = sum(1 for _ in takewhile(lambda night: not night[0], reversed(nights)))
        before = nights[: len(nights) - lost][-rule.nights :]
        matched, documents = (sum(night[at] for night in before) for at in (0, 1))
        if not lost or documents < LEAST_OF_ALL or 2 * matched <= documents:
            continue
        last = nights[-1][1]
        since = "in the last night" if lost == 1 else f"in {counted(lost, 'night')}"
        words = f"the rule {name} ({selector}) matched none of {counted(last, 'document')} {since}"
        found.append(
            SiteProblem(case.site, Sign.RULES, f"{words}; usually {matched / documents:.0%}", runs[-1][-1].url)
        )
    return found


def no_article_yet(case: SiteCase) -> list[SiteProblem]:
    """Report the reasons why a site has given no article yet. Used if there is no other problem."""
    last = case.nights[-1] if case.nights else None
    if last is None or not last.whole or case.yielded or any(run.exit_code == LIMITED for run in last.runs):
        return []
    # Most nights are quiet. The pages of all nights together show that none is an article.
    whole = Night(tuple(run for night in case.nights if night.whole for run in night.runs))
    responses = whole.total("fetched")
    if responses < MIN_MISSING_ARTICLES:
        return []
    why = _commonest(whole, {name for run in whole.runs for name in run.reasons if meaning_of(reason_of(name))})
    return [SiteProblem(case.site, Sign.SILENT, f"no article yet in {responses} responses{why}")]


def renamed_site(case: SiteCase) -> list[SiteProblem]:
    """Report that the corpus knows all sources of the site under another site's name, so it is never crawled."""
    owners = {state.site for _, state in case.sources if state and state.site}
    if not owners or case.site in owners:
        return []
    names = ", ".join(f'"{name}"' for name in sorted(owners))
    words = f"nothing is crawled: the corpus stores its sources under the name {names}; use that name again"
    return [SiteProblem(case.site, Sign.SOURCE, words)]
