"""`health` after whole nights on a loopback newspaper."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from corpus_spider.config.loader import load
from corpus_spider.monitoring import health
from corpus_spider.monitoring.advice import next_command
from corpus_spider.monitoring.health import examine, render
from corpus_spider.monitoring.model import HealthThresholds, Sign
from corpus_spider.terminal.console import Console
from storage import Corpus
from storage.database.schema import run as run_table
from storage.records import Failure, Kind, Seed
from storage.runs import site_runs
from tests.conftest import free_port
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import run
from tests.extras import need
from tests.storage.corpus_samples import Crawl, capture, dropped, link, made, with_parts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SITE = "a.example"
TOML = f"""
[corpus]
contact = "tests@example.org"

[[site]]
name = "{SITE}"
feeds = ["https://{SITE}/feed"]
start = ["https://{SITE}/"]
"""


@pytest.fixture
def newspaper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=12)) as paper:
        yield paper


def test_a_crawl_says_which_feed_died_and_ends_with_exit_code_8(tmp_path: Path, newspaper: Newspaper) -> None:
    """The site yields by its start page; its feed is named by its address, also with -q, and by health."""
    feed, works = newspaper.answer("/feed.xml"), True
    newspaper.extra["/feed.xml"] = lambda: feed if works else (404, {}, b"")
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    first = run(tmp_path, "crawl", "--json")
    assert first.returncode == 0, first.stderr
    (night,) = json.loads(first.stdout)["sites"]
    assert (night["site"], night["articles"], night["robots"]) == ("newspaper", 12, 1)
    assert night["http_errors"] == night["reasons"]["http_404"] > 0
    assert night["found"] >= 12
    well = run(tmp_path, "health")
    assert (well.returncode, "well" in well.stdout) == (0, True), well.stdout
    works = False
    second = run(tmp_path, "-q", "crawl", "--now")
    assert second.returncode == 8, second.stderr
    assert f"newspaper: {newspaper.origin}/feed.xml feed is gone: http_404" in second.stderr
    report = run(tmp_path, "health", "--json")
    (sick,) = json.loads(report.stdout)["sick"]
    assert (report.returncode, sick["sign"], sick["url"]) == (8, "source", f"{newspaper.origin}/feed.xml")
    quiet = run(tmp_path, "health", "-q")
    assert (quiet.returncode, quiet.stdout.splitlines()[0], "last crawl" in quiet.stdout) == (
        8,
        "# Problems",
        False,
    )
    status = json.loads(run(tmp_path, "status", "--json").stdout)
    assert status["last_run"]["exit_code"] == 8


def test_a_source_whose_host_refuses_connections_is_reported_after_two_crawls(
    tmp_path: Path, newspaper: Newspaper
) -> None:
    """The site gave articles an hour before, and nothing else is due: health, status and exit code agree on it."""
    working = corpus_toml(newspaper, retries=0)
    (tmp_path / "corpus.toml").write_text(working)
    assert run(tmp_path, "crawl").returncode == 0
    closed = f"127.0.0.1:{free_port()}"
    refused = working.replace(f"{newspaper.origin}/feed.xml", f"http://{closed}/f")
    refused = refused.replace("allow_private = [", f'allow_private = ["{closed}", ')
    (tmp_path / "corpus.toml").write_text(refused)
    first = run(tmp_path, "crawl")
    assert first.returncode == 7, first.stderr
    assert run(tmp_path, "health").returncode == 0
    assert run(tmp_path, "crawl", "--now").returncode == 8
    words = "feed failed in 2 crawls: robots_unreachable (never read)"
    report = run(tmp_path, "health", "--json")
    assert report.returncode == 8
    assert [(one["url"], one["words"]) for one in json.loads(report.stdout)["sick"]] == [(f"http://{closed}/f", words)]
    assert words in " ".join(run(tmp_path, "status").stdout.split())
    need("web")
    from starlette.testclient import TestClient

    from corpus_spider.web import serving
    from corpus_spider.web.application import application
    from corpus_spider.web.state import ServedCorpus

    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        served_corpus = ServedCorpus(load(tmp_path / "corpus.toml", environ={}), corpus)
        client = TestClient(application(served_corpus, serving.LOOPBACK_NAMES, ""), base_url="http://localhost")
        assert all("failed in 2 crawls" in client.get(path).text for path in ("/", "/sites"))


def test_thirty_nights_with_an_outage_are_reported_right_each_time(corpus: Corpus, tmp_path: Path) -> None:
    """On both databases: silence from the first night of an outage to its last, and not in any other."""
    (tmp_path / "corpus.toml").write_text(TOML)
    config = load(tmp_path / "corpus.toml", environ={})
    outage, report = range(12, 17), []
    begin = datetime(2026, 10, 1, 2, tzinfo=UTC)
    for night in range(30):
        crawl = Crawl(corpus)
        corpus.runs.finish(crawl.run_id, 0, "{}")
        articles = 0 if night in outage else 6
        _crawl_a_night(corpus, begin + timedelta(days=night), night, articles)
        now = begin + timedelta(days=night, hours=3)
        sick = examine(corpus, config, HealthThresholds(), now).sick
        report += [night] * any(finding.sign is Sign.SILENT for finding in sick)
        assert {finding.sign for finding in sick} <= {Sign.SILENT}
    assert report == list(outage)
    late = examine(corpus, config, HealthThresholds(max_age=2), begin + timedelta(days=40))
    assert Sign.NOT_CRAWLED in {finding.sign for finding in late.sick}


def test_a_rule_that_matches_nothing_any_more_is_reported(corpus: Corpus, tmp_path: Path) -> None:
    """The sign names site and selector, and the next command tries the rules on a page of the last night."""
    (tmp_path / "corpus.toml").write_text(f'{TOML}[site.rules]\ncontent = ".body"\nremove = ".ad"\n')
    config, begin = load(tmp_path / "corpus.toml", environ={}), datetime.now(UTC) - timedelta(days=4)
    rules = config.site_model(config.sites[0]).rules
    for night, found in enumerate((1, 1, 0)):
        _crawl_a_night(corpus, begin + timedelta(days=night), night, 4, rules.note({"content": found}))
    (site,) = examine(corpus, config, HealthThresholds()).sites
    assert site.rules == {"content": 0, "remove": 0}
    (lost,) = [one for one in site.sick if one.sign is Sign.RULES]
    assert lost.words == "the rule content (.body) matched none of 4 documents in the last night; usually 100%"
    assert next_command(lost) == f"rules try {lost.url} --site {SITE}"
    assert lost.url.startswith(f"https://{SITE}/2/")


def _crawl_a_night(corpus: Corpus, when: datetime, night: int, articles: int, rules: str | None = None) -> None:
    class Night(Crawl):
        def __post_init__(self) -> None:
            self.run_id = corpus.runs.start("{}", [SITE])

    crawl = Night(corpus)
    paths = [f"{night}/{number}" for number in range(articles)]
    crawl.seed("feed", kind=Kind.FEED)
    crawl.seed("", *paths)
    leases = [replace(lease, original=None) for lease in crawl.lease()]
    links = [link(path) for path in paths] or [link("old")]
    outcomes = [
        dropped("feed", *links, detail=f"{len(links)} links")
        if lease.kind is Kind.FEED
        else dropped("listing", *links)
        if lease.url.endswith("/")
        else with_parts(made(lease.url), rules=rules)
        for lease in leases
    ]
    crawl.process(leases, outcomes)
    corpus.runs.recount([SITE])
    corpus.runs.finish(crawl.run_id, 0, "{}")
    moved = sa.update(run_table).where(run_table.c.id == crawl.run_id).values(started=when, finished=when)
    corpus.database.write(lambda connection: connection.execute(moved))


def test_a_source_that_moved_is_judged_by_where_it_moved_to(corpus: Corpus, tmp_path: Path) -> None:
    """A feed that sends on to a feed that is well is well; one that sends on to nothing is named as configured."""
    (tmp_path / "corpus.toml").write_text(TOML)
    config = load(tmp_path / "corpus.toml", environ={})
    crawl = Crawl(corpus)
    crawl.seed("feed", "new", kind=Kind.FEED)
    leases = {lease.url.rpartition("/")[2]: lease for lease in crawl.lease()}
    moved = dropped("redirect", link("new", redirect=True), detail=f"https://{SITE}/new")
    crawl.process([leases["feed"], leases["new"]], [moved, dropped("feed", link("1"), detail="1 links")])
    now = capture().fetched_at
    assert Sign.SOURCE not in {finding.sign for finding in examine(corpus, config, HealthThresholds(), now).sick}
    crawl.visit("new", dropped("http_404"))
    gone = [
        finding.url for finding in examine(corpus, config, HealthThresholds(), now).sick if finding.sign is Sign.SOURCE
    ]
    assert gone == [f"https://{SITE}/feed"]


def test_health_of_a_corpus_that_was_never_crawled_is_an_error(tmp_path: Path) -> None:
    """Exit code 2, as of every verb that needs a corpus."""
    (tmp_path / "corpus.toml").write_text(TOML)
    ended = run(tmp_path, "health")
    assert (ended.returncode, "no corpus yet" in ended.stderr) == (2, True)


MANY = "[corpus]\ncontact = 'tests@example.org'\n" + "".join(
    f"[[site]]\nname = '{name}'\nfeeds = ['https://{name}.example/feed']\n" for name in "abc"
)


def night_of_failures(corpus: Corpus, sites: str, reason: str = "dns") -> None:
    """A run that got no response at any of the sites."""
    seeds = [
        Seed(f"https://{name}.example/feed", f"https://{name}.example/feed", name, name, Kind.FEED) for name in sites
    ]
    corpus.frontier.seed(seeds)
    run_id = corpus.runs.start("{}", [*sites])
    leases = corpus.frontier.lease(run_id, dict.fromkeys(sites, 10), time.time() + 1)
    corpus.frontier.fail(run_id, [Failure(lease, reason, time.time()) for lease in leases])
    corpus.runs.finish(run_id, 7, "{}")
    corpus.runs.recount([*sites])


def test_a_night_without_a_network_makes_no_site_a_failing_one(
    corpus: Corpus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was `unreachable` at each site, and two such nights a failing source of each. Now it is one sentence."""
    (tmp_path / "corpus.toml").write_text(MANY)
    config = load(tmp_path / "corpus.toml", environ={})
    for _ in range(3):
        night_of_failures(corpus, "abc")
    for chosen in (config, config.only(("b",))):
        health = examine(corpus, chosen, HealthThresholds())
        assert (health.offline, health.sick) == (True, ())
    render(health, Console(), "corpus-spider")
    assert "Is this machine online? `corpus-spider doctor --network`" in capsys.readouterr().err
    later = examine(corpus, config, HealthThresholds(), datetime.now(UTC) + timedelta(days=4))
    assert {finding.sign for finding in later.sick} == {Sign.NOT_CRAWLED}


@pytest.mark.parametrize(("sites", "reason"), [("a", "dns"), ("abc", "timeout")])
def test_sites_that_fail_by_themselves_are_still_failing(
    corpus: Corpus, tmp_path: Path, sites: str, reason: str
) -> None:
    """The name of one site is gone, or no site answers although their names resolve."""
    (tmp_path / "corpus.toml").write_text(MANY)
    night_of_failures(corpus, sites, reason)
    health = examine(corpus, load(tmp_path / "corpus.toml", environ={}).only(tuple(sites)), HealthThresholds())
    assert (health.offline, {finding.site for finding in health.sick}) == (False, {*sites})


def test_a_first_crawl_that_runs_or_was_killed_makes_no_site_a_failing_one(corpus: Corpus, tmp_path: Path) -> None:
    """Each of 60 sites had "no crawl of this site has finished yet"."""
    (tmp_path / "corpus.toml").write_text(MANY)
    config = load(tmp_path / "corpus.toml", environ={})
    corpus.runs.start("{}", [*"abc"])
    health = examine(corpus, config, HealthThresholds())
    assert (health.sick, [site.unfinished for site in health.sites]) == ((), [True] * 3)


def test_a_site_whose_first_crawl_was_stopped_is_not_finished(
    corpus: Corpus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has one line in the table and no problem, until it is left for longer than `HealthThresholds.max_age`."""
    (tmp_path / "corpus.toml").write_text(TOML)
    config = load(tmp_path / "corpus.toml", environ={})
    corpus.runs.finish(corpus.runs.start("{}", [SITE]), 11, "{}")
    corpus.runs.recount([SITE])
    health = examine(corpus, config, HealthThresholds())
    render(health, Console(), "corpus-spider")
    assert (health.sick, "not finished" in capsys.readouterr().out) == ((), True)
    later = examine(corpus, config, HealthThresholds(), datetime.now(UTC) + timedelta(days=4))
    assert [finding.sign for finding in later.sick] == [Sign.NOT_CRAWLED]


def test_the_runs_of_few_sites_are_read_at_once(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many sites there are, at most so many have their runs in memory, and the result is the same."""
    names = [f"paper-{number}" for number in range(7)]
    sites = "".join(f'[[site]]\nname = "{name}"\nfeeds = ["https://{name}.example/feed"]\n' for name in names)
    (tmp_path / "corpus.toml").write_text(f'[corpus]\nname = "c"\ncontact = "c@example.org"\n{sites}', "utf-8")
    config, now = load(tmp_path / "corpus.toml", environ={}), datetime.now(UTC)
    for _ in range(3):
        corpus.runs.finish(corpus.runs.start("{}", names), 0, "{}")
    together = examine(corpus, config, HealthThresholds(), now)
    read: list[int] = []
    inner = site_runs.site_runs

    def counted(*arguments: Any) -> list[site_runs.SiteRun]:
        found = inner(*arguments)
        read.append(len(found))
        return found

    monkeypatch.setattr(health, "SITES_AT_ONCE", 2)
    monkeypatch.setattr(site_runs, "site_runs", counted)
    assert examine(corpus, config, HealthThresholds(), now) == together
    assert read == [6, 6, 6, 3]
