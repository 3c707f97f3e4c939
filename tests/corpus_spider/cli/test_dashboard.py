"""The dashboard of `status`: one look, whole words, the command for each problem."""

from __future__ import annotations

import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.cells import cell_len

from corpus_spider.api.at_work import Machines
from corpus_spider.api.crawls import LastNight, last_night
from corpus_spider.api.status import Overview
from corpus_spider.cli.app import cli
from corpus_spider.cli.dashboard import lines
from corpus_spider.monitoring.advice import next_command
from corpus_spider.monitoring.model import MachineProblem, Sign, SiteProblem
from corpus_spider.monitoring.run_state import CrawlAtWork
from storage.documents.model import CountRow, Status
from storage.runs.site_runs import SiteRun
from tests.corpus_spider.cli.test_documented import verbs

NOW = datetime(2026, 11, 26, 20, 5, tzinfo=UTC)
STARTED = NOW - timedelta(hours=17, minutes=50)
NIGHT = LastNight(STARTED, STARTED + timedelta(minutes=37), 412, 38, 1204, 61, 0)
STATUS = Status(
    documents=214_380,
    duplicates=0,
    fetches=300_000,
    by_language=(CountRow("vi", 210_300, 9), CountRow("en", 2_000, 9), CountRow("ar", 2_080, 9)),
    by_site=(CountRow("vnexpress", 114_380, 9), CountRow("صحيفة", 100_000, 9)),
    last_run={"id": "9", "finished": "x", "exit_code": "8"},
)
FULL = Overview(
    name="vi-news",
    program="corpus-spider",
    now=NOW,
    status=STATUS,
    run_state="ended",
    site_count=15,
    words=96_214_380,
    sizes=[("database", 2 * 10**9), ("originals", 44 * 10**9), ("search index", 0)],
    night=NIGHT,
    scheduled="02:15",
    due=312,
    problems=[SiteProblem("tuoitre", Sign.REFUSED, "the server refused 212 of 230 requests (firewall)")],
)


AT_WORK = Machines(
    [
        CrawlAtWork(1, "north", 7, STARTED, "running on north", 40.0, ("a", "b")),
        CrawlAtWork(2, "south", 7, STARTED, "running", 2.6, ("c",)),
        CrawlAtWork(3, "south", 8, STARTED, "died", 0.0, ("d",)),
    ]
)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local time is UTC."""
    monkeypatch.setattr("corpus_spider.cli.dashboard.zone", lambda: "UTC")
    monkeypatch.setattr("corpus_spider.cli.dashboard.local", lambda moment: f"{moment:%Y-%m-%d %H:%M}")


def test_a_corpus_is_read_at_a_glance() -> None:
    """What there is, what happened, what is next, and what to do."""
    found = "\n".join(line.rstrip() for line in lines(FULL, 100))
    assert "vi-news · 214,380 documents · 96 M tokens · 15 sites" in found
    assert "database 1.9 GiB · originals 41.0 GiB" in found
    assert "98.1 %" in found
    assert "Last night  02:15–02:52 UTC   412 new   38 changed   1,204 unchanged   61 dropped" in found
    assert "Next        in 6 h 10 min (02:15, timer)   312 URLs due" in found
    assert "Attention   tuoitre: the server refused 212 of 230 requests (firewall)\n" in found
    assert "              corpus-spider dropped --site tuoitre" in found


@pytest.mark.parametrize("width", [120, 80, 60, 50])
def test_it_fits_the_terminal(width: int) -> None:
    """Also with a name in Arabic letters."""
    assert [line for line in lines(FULL, width) if cell_len(line) > width] == []


UNREACHABLE = '{"first_failed_site": "tuoitre", "failed": {"unreachable": 2}}'
OFFLINE = '{"first_failed_site": "tuoitre", "failed": {"dns": 2}}'


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"night": None, "status": Status(0, 0, 0), "scheduled": None}, "no documents yet   corpus-spider crawl"),
        ({"words": None}, " · 27 characters · "),
        ({"scheduled": None}, "312 URLs due   corpus-spider crawl"),
        ({"scheduled": None, "due": 0}, "nothing is due"),
        ({"scheduled": None, "due": 0, "next_due": NOW.timestamp() + 7200}, "nothing is due for 2 h 0 min"),
        ({"run_state": "running", "scheduled": None}, "since 02:15 UTC, still running"),
        ({"machines": AT_WORK, "scheduled": None}, "since 02:15 UTC, still running"),
        (
            {"machines": AT_WORK, "scheduled": None},
            "At work     2 crawls   3 sites   43 pages a minute   on 2 machines",
        ),
        (
            {"machines": Machines(AT_WORK.crawls[2:], [MachineProblem("batch 7 failed (a)", "crawl --queue")])},
            "Attention   batch 7 failed (a).\n              corpus-spider crawl --queue",
        ),
        ({"run_state": "died; the next crawl goes on where it stopped"}, "was killed"),
        ({"now": NOW + timedelta(days=3)}, "Last crawl  2026-11-26 02:15"),
        ({"problems": FULL.problems * 11}, "3 more problems.\n              corpus-spider health"),
        ({"name": "a\x1b[2Jb"}, "a\\x1b[2Jb"),
        (
            {"status": replace(STATUS, last_run={"exit_code": "3"})},
            "exit code 3: disk or file error.\n              corpus-spider doctor",
        ),
        (
            {"status": replace(STATUS, last_run={"exit_code": "7", "summary": UNREACHABLE})},
            "exit code 7: nothing could be fetched.\n              corpus-spider sites check tuoitre",
        ),
        (
            {"status": replace(STATUS, last_run={"exit_code": "7", "summary": OFFLINE})},
            "exit code 7: nothing could be fetched.\n              corpus-spider doctor --network",
        ),
        (
            {"problems": [SiteProblem("tuoitre", Sign.SOURCE, "feed is gone", "https://tuoitre.example/feed")]},
            "tuoitre: https://tuoitre.example/feed feed is gone\n              corpus-spider sites check tuoitre",
        ),
    ],
)
def test_each_state_of_a_corpus_is_said(changes: dict[str, object], expected: str) -> None:
    """A corpus without documents, without index or timer, with a running or a killed crawl."""
    assert expected in "\n".join(lines(replace(FULL, **changes), 100))  # type: ignore[arg-type]


def test_many_sites_share_the_last_bar() -> None:
    """Four have a bar, and the others one together."""
    sites = tuple(CountRow(f"site-{number}", 10) for number in range(9))
    found = "\n".join(lines(replace(FULL, status=replace(STATUS, by_site=sites)), 80))
    assert "site-3" in found
    assert "site-4" not in found
    assert "5 others" in found


def test_a_night_is_the_runs_that_are_less_than_twelve_hours_apart() -> None:
    """Its counters are summed; sources, redirects and unchanged pages are no drops."""
    runs = [
        SiteRun("a", run_id=1, started=NOW - timedelta(days=1), articles=100),
        SiteRun(
            "a",
            run_id=2,
            started=NOW - timedelta(hours=3),
            articles=2,
            unchanged=4,
            failed=1,
            reasons={"listing": 3, "feed": 9},
        ),
        SiteRun(
            "a",
            run_id=3,
            started=NOW,
            finished=NOW,
            exit_code=0,
            articles=5,
            versions=1,
            reasons={"http_404": 2, "dns": 7, "unchanged_text": 8},
        ),
    ]
    assert last_night(runs) == LastNight(NOW - timedelta(hours=3), NOW, 7, 1, 4, 5, 1)
    assert last_night([]) is None


@pytest.mark.parametrize("sign", Sign)
def test_the_next_command_of_each_sign_can_be_run(sign: Sign) -> None:
    """Its verb exists and takes these options; the name of a site is quoted."""
    words = shlex.split(next_command(SiteProblem("a b", sign, "")))
    name = " ".join(words[:2]) if words[0] in {"rules", "sites"} else words[0]
    verbs(cli)[name].make_context(name, words[len(name.split()) :], resilient_parsing=False)
    assert "a b" in words


def test_a_night_of_several_machines_ends_with_the_last_run_that_ends() -> None:
    """The newest run may end first. While one goes on, the night has no end."""
    runs = [
        SiteRun("a", run_id=1, started=NOW, finished=NOW + timedelta(hours=2), exit_code=0, articles=5),
        SiteRun("b", run_id=2, started=NOW, finished=NOW + timedelta(hours=1), exit_code=0, articles=7),
    ]
    for running, finished in (((), NOW + timedelta(hours=2)), ((1,), None)):
        night = last_night(runs, running)
        assert night is not None
        assert (night.finished, night.new) == (finished, 12)
