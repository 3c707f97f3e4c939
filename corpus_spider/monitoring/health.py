"""`corpus-spider health`: report failing sites and sources. Reads the corpus; fetches nothing."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING

from corpus_spider.monitoring.advice import next_command, suspended_sites
from corpus_spider.monitoring.model import (
    HealthThresholds,
    MachineProblem,
    Matches,
    PausedHost,
    SiteCase,
    SiteProblem,
)
from corpus_spider.monitoring.site_checks import (
    as_interrupted,
    is_unfinished,
    judge,
    nights_of,
    offline_runs,
)
from storage.corpus import Corpus
from storage.reasons import NO_NETWORK, REDIRECT
from storage.records import SITE_COUNTERS, SiteCounters, noted_matches
from storage.reporting import counted, unseen

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.config.sections import SiteSettings
    from corpus_spider.terminal.console import Console
    from storage.frontier.sources import SourceState
    from storage.reporting import Progress
    from storage.runs.site_runs import SiteRun

LOOKED_BACK = 100.0
"""Days before the last run that are examined."""
SITES_AT_ONCE = 100
"""Sites whose runs are in memory together: 10,000 runs, 10 MB."""
HOPS = 5
"""Redirects followed from a configured source to the source that is crawled."""


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """Result for one site. ``usual`` is the median of new articles in earlier nights, None without such nights.

    ``unfinished``: its first crawl was interrupted. That is no problem.
    """

    site: str
    last: datetime | None
    articles: int
    usual: float | None
    sick: tuple[SiteProblem, ...]
    unfinished: bool = False
    suspended: int = 0
    """URLs that are held back, because the site gave many more new texts than follow from its past."""
    paused: tuple[PausedHost, ...] = ()
    """Hosts that the last run left paused while URLs of them were due."""
    rules: Mapping[str, int] = field(default_factory=dict)
    """Documents of the last night that each rule of the site matched."""


@dataclass(frozen=True, slots=True)
class Health:
    """Results by site, and all problems. ``offline``: the machine had no network in the last run."""

    ok: bool
    offline: bool
    sick: tuple[SiteProblem, ...]
    sites: tuple[SiteHealth, ...]
    machines: tuple[MachineProblem, ...] = ()
    """Workers and crawls that died, batches that failed or cannot start. They are no reason against ``ok``."""

    @classmethod
    def of(cls, sites: Sequence[SiteHealth] = (), *, offline: bool = False) -> Health:
        """Return the results of these sites. A run without a network is no sign at any of them."""
        sick = tuple(finding for site in sites for finding in site.sick)
        return cls(not sick, offline, sick, tuple(sites))


def read(config: Config, rule: HealthThresholds, on_progress: Progress = unseen) -> Health:
    """Examine the corpus of a configuration. Raises ConfigError if there is none, and DatabaseError.

    ``on_progress`` gets the step, the finished and the total count.
    """
    with Corpus.open(config.database_url, read_only=True) as corpus:
        return examine(corpus, config, rule, on_progress=on_progress)


def examine(
    corpus: Corpus, config: Config, rule: HealthThresholds, now: datetime | None = None, on_progress: Progress = unseen
) -> Health:
    """Judge each site of the configuration by its nights and its sources. ``now`` is the current time by default."""
    names = config.site_names
    on_progress("reading the runs", 0, None)
    # Whether the machine was offline shows at all sites together.
    every = [site.name for site in (*config.sites, *config.others)]
    offline = _offline(corpus, every)
    on_progress("reading the sources", 0, None)
    sources = _sources(corpus, config)
    listed = {site.name for site in config.sites if not config.site_max_depth(site)}
    rendered = {site.name for site in config.sites if site.render}
    rules = {site.name: _given(site) for site in config.sites if _given(site)}
    judged: list[SiteHealth] = []
    suspended, paused = corpus.frontier.suspended(names), _paused(corpus, names)
    for start in range(0, len(names), SITES_AT_ONCE):
        part = names[start : start + SITES_AT_ONCE]
        on_progress("sites examined", len(judged), len(names))
        runs = _runs_of(corpus, part, offline)
        matches = _matches(corpus, {name: rules[name] for name in part if name in rules}, runs)
        for name in part:
            found = sources[name]
            if runs[name] and runs[name][-1].run_id in offline:
                found = [(url, _without_outage(state)) for url, state in found]
            case = SiteCase(
                name,
                nights_of(runs[name]),
                found,
                any(state.read_at for _, state in found if state),
                listed=name in listed,
                rendered=name in rendered,
                rules=rules.get(name, {}),
                matches=matches.get(name, {}),
                paused=paused.get(name, ()),
            )
            one = _site_health(case, rule, now or datetime.now(UTC))
            judged.append(replace(one, suspended=suspended.get(name, 0)))
    return Health.of(judged, offline=bool(offline) and corpus.runs.newest(every) in offline)


def _offline(corpus: Corpus, names: Sequence[str]) -> frozenset[int]:
    """Return the ids of runs on a machine without a network. Few runs have no response: only these are read."""
    silent = corpus.runs.without_answers(LOOKED_BACK)
    return frozenset().union(*(offline_runs(corpus.runs.by_site(names, run_id=run_id)) for run_id in silent))


def _runs_of(corpus: Corpus, names: Sequence[str], offline: Collection[int]) -> dict[str, list[SiteRun]]:
    """Return the examined runs of each of these sites, oldest first."""
    runs: dict[str, list[SiteRun]] = {name: [] for name in names}
    for run in corpus.runs.by_site(names, LOOKED_BACK):
        runs[run.site].append(as_interrupted(run) if run.run_id in offline else run)
    return runs


def _site_health(case: SiteCase, rule: HealthThresholds, now: datetime) -> SiteHealth:
    before = [night.total("articles") for night in case.nights[:-1] if night.whole][-rule.nights :]
    last = case.nights[-1] if case.nights else None
    return SiteHealth(
        site=case.site,
        last=last.started if last else None,
        articles=last.total("articles") if last else 0,
        usual=median(before) if before else None,
        sick=tuple(judge(case, rule, now)),
        unfinished=is_unfinished(case, rule, now),
        paused=tuple(case.paused),
        rules=_matched(case),
    )


def _paused(corpus: Corpus, names: Sequence[str]) -> dict[str, list[PausedHost]]:
    """Return the hosts that the last run of each site left paused with URLs due."""
    found: dict[str, list[PausedHost]] = {}
    of_site = corpus.runs.last_summaries(names)
    # Each summary once: 10,000 sites have one.
    for summary in set(of_site.values()):
        with suppress(ValueError, TypeError, KeyError):
            for host in (PausedHost(**row) for row in json.loads(summary)["paused"]):
                if of_site.get(host.site) == summary:
                    found.setdefault(host.site, []).append(host)
    return found


def _matched(case: SiteCase) -> dict[str, int]:
    runs = (
        [case.matches[run.run_id] for run in case.nights[-1].runs if run.run_id in case.matches] if case.nights else []
    )
    return {name: sum(run.matched.get(name, 0) for run in runs) for name in case.rules}


def _sources(corpus: Corpus, config: Config) -> dict[str, list[tuple[str, SourceState | None]]]:
    """Return the configured sources of each site with their state, or with that of the source they moved to."""
    found: dict[str, list[tuple[str, SourceState | None]]] = {site.name: [] for site in config.sites}
    # Archive pages are left out: days without articles often have none. If all are missing, the sign `errors` shows it.
    seeds = config.seeds(days=False)
    known = corpus.frontier.sources([seed.url for seed in seeds])
    for _ in range(HOPS):
        targets = [state.detail for state in known.values() if _has_moved(state) and state.detail not in known]
        known |= corpus.frontier.sources(targets)
    for seed in seeds:
        state = known.get(seed.url)
        for _ in range(HOPS):
            state = known.get(state.detail, state) if state and _has_moved(state) else state
        found[seed.site].append((seed.fetch_url, state))
    return found


def _without_outage(state: SourceState | None) -> SourceState | None:
    """Return the state of a source without the failures of a machine that is offline."""
    return replace(state, reason="", failures=0) if state and state.reason in NO_NETWORK else state


def _given(site: SiteSettings) -> dict[str, str]:
    return {name: selector for name, selector in asdict(site.rules).items() if selector}


def _matches(
    corpus: Corpus, rules: Mapping[str, dict[str, str]], runs: Mapping[str, list[SiteRun]]
) -> dict[str, dict[int, Matches]]:
    """Return what the rules of each site matched in the examined runs, by site and id of the run."""
    first = min((run.run_id for name in rules for run in runs[name]), default=None)
    found: dict[str, dict[int, Matches]] = {}
    for one in corpus.documents.ruled(tuple(rules), first) if first is not None else ():
        of_site = found.setdefault(one.site, {})
        before = of_site.get(one.run_id, Matches(0, {}))
        counts = Counter(before.matched)
        counts.update({name: one.documents for name, elements in noted_matches(one.note).items() if elements})
        of_site[one.run_id] = Matches(before.documents + one.documents, counts, one.url)
    return found


def _has_moved(state: SourceState) -> bool:
    return state.reason == REDIRECT


def render(health: Health, console: Console, program: str) -> None:
    """Write the tables of sites and of problems, each problem with its next command. Quiet: only the problems.

    ``program`` is the command line of this program, without a verb.
    """
    from corpus_spider.terminal.crawl_words import OFFLINE
    from corpus_spider.terminal.values import in_local_time, local

    if not console.quiet:
        rows = []
        for one in health.sites:
            usual = "" if one.usual is None else f"{one.usual:,g}"
            signs = ", ".join(dict.fromkeys(finding.sign.value for finding in one.sick))
            verdict = f"failing: {signs}" if signs else "not finished" if one.unfinished else "well"
            verdict += f"; {counted(one.suspended, 'URL')} suspended" if one.suspended else ""
            waiting = sum(host.urls for host in one.paused)
            verdict += f"; {counted(waiting, 'URL')} due at paused hosts" if waiting else ""
            rows.append((one.site, local(one.last), one.articles, usual, verdict))
        console.table(in_local_time("Sites"), ("site", "last_crawl", "articles", "usual", "verdict"), rows)
    if health.offline:
        console.error(f"In the last crawl no host name could be resolved. {OFFLINE}")
    if not console.quiet:
        for words, command in suspended_sites({one.site: one.suspended for one in health.sites}):
            console.note(f"{words}\n  {program} {command}")
    console.table(
        "Problems",
        ("site", "sign", "problem", "source", "next"),
        [(one.site, one.sign, one.words, one.url, f"{program} {next_command(one)}") for one in health.sick],
    )
    console.table(
        "Machines",
        ("machine", "problem", "next"),
        [(one.machine, one.words, f"{program} {one.next}") for one in health.machines],
    )


def counters_of(run: SiteRun) -> SiteCounters:
    """Return the counters of a run at a site without the run, as `crawl` writes them."""
    same = {name: getattr(run, name) for name in SiteCounters.__struct_fields__}
    return SiteCounters(**same | {"seconds": round(run.seconds, 1), "reasons": dict(run.reasons)})


def render_summary(rows: Sequence[SiteCounters], console: Console) -> None:
    """Write the counters of a run at each site. Sites where nothing was due and columns of zeros are left out."""
    from corpus_spider.terminal.values import human_size

    rows = [row for row in rows if row.reasons or row.fetched]
    shown = [name for name in SITE_COUNTERS if name != "bytes" and any(getattr(row, name) for row in rows)]
    header = ("site", *shown, "stored", "seconds")
    lines = [
        (row.site, *(getattr(row, name) for name in shown), human_size(row.bytes), f"{row.seconds:.0f}") for row in rows
    ]
    console.table("Sites", header, lines)
