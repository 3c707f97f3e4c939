"""kill -9 of everything at named windows of the write protocol: nothing is lost, doubled or unreadable.

The crawl runs in a process group of its own; a fail point kills the whole group the N-th time it is reached. After
each kill the crawl is started again, and at the end the corpus must equal that of an undisturbed run.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from tests.corpus_spider.faults import differences, state, until_forgotten
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import SEED, often, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KILLS = int(os.environ.get("CORPUS_SPIDER_KILLS", often(20, 100)))
WINDOWS = (
    "before_fsync",
    "after_fsync",
    "before_fetched_commit",
    "after_fetched_commit",
    "before_processed_commit",
    "after_processed_commit",
    "in_recovery",
)
GROUP, IN_FLIGHT = 100, 4
"""Pages of a commit group and requests at once: so many may have to be asked for again after a kill."""


@pytest.fixture(scope="module")
def newspaper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=24, restless=True)) as paper:
        yield paper


def killed_crawl(folder: Path, database_url: str, chance: random.Random) -> list[str]:
    """Crawl to the end through KILLS kills, at least one in each window; return the windows in which they fell.

    Each crawl reads all sources, the front page changed, so that there is something to do in every window.
    """
    fallen: list[str] = []
    for attempt in range(KILLS * 6):
        window = WINDOWS[attempt % len(WINDOWS)]
        reached = chance.randint(1, 2 if window == "in_recovery" else 4)
        done = run(folder, "crawl", "--now", CORPUS_SPIDER_FAILPOINT=f"{window}:{reached}")
        if done.returncode == -9:
            fallen.append(window)
        elif done.returncode != 0:
            raise AssertionError(f"{window}:{reached}: {done.returncode} {done.stdout + done.stderr}")
        until_forgotten(database_url)
        if len(fallen) >= KILLS and set(fallen) == set(WINDOWS):
            break
    return fallen


@pytest.mark.timeout(3600)
def test_a_crawl_killed_at_every_window_ends_like_one_that_was_not(
    tmp_path: Path, newspaper: Newspaper, database_url: str, record_property: Callable[[str, object], None]
) -> None:
    """Documents, texts, languages, drops and duplicate sets are those of an undisturbed run, and `check --deep` is
    clean.
    """
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    for folder in (calm, rough):
        folder.mkdir()
    (calm / "corpus.toml").write_text(corpus_toml(newspaper))
    (rough / "corpus.toml").write_text(corpus_toml(newspaper, database=database_url, concurrency=4, per_host=2))
    assert run(calm, "crawl").returncode == 0
    newspaper.asked.clear()
    fallen = killed_crawl(rough, database_url, random.Random(SEED))
    again = sum(newspaper.asked[f"/article/{number}"] - 1 for number in range(newspaper.articles))
    counts = ", ".join(f"{window} {count}" for window, count in sorted(Counter(fallen).items()))
    record_property("kills", f"seed {SEED}, {len(fallen)} kills ({counts}); {again} articles asked for again")
    assert again <= len(fallen) * (GROUP + IN_FLIGHT)
    last = run(rough, "crawl")
    assert last.returncode == 0, last.stderr
    checked = run(rough, "check", "--deep", "--json")
    assert checked.returncode == 0, checked.stdout
    assert json.loads(checked.stdout)["problems"] == []
    assert differences(state(database_url), state(f"sqlite:///{calm / 'corpus.db'}")) == []
    assert set(fallen) == set(WINDOWS)


def test_a_page_costs_two_workers_and_no_more_across_kills_of_the_whole_program(tmp_path: Path) -> None:
    """Each is counted before the next try, so the third run does not try, and finishes."""
    crash = (200, {"Content-Type": "text/html"}, b"<p>fault:crash</p>")
    with served(Newspaper(articles=2, extra={"/crash": lambda: crash})) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        faults = {"CORPUS_SPIDER_FAULTS": "1", "CORPUS_SPIDER_FAILPOINT": "after_crash:1"}
        killed = [run(tmp_path, "crawl", **faults) for _ in range(2)]
        assert [crawl.returncode for crawl in killed] == [-9, -9], [crawl.stderr for crawl in killed]
        last = run(tmp_path, "crawl", **faults)
    assert last.returncode == 0, last.stderr
    assert "worker crashed" not in last.stderr
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        assert "worker_crash" in {drop.reason for drop in corpus.fetches.drops()}
