"""Thirty nights, some without a crawl: the reports of `status` and `health` are true each morning."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import sqlalchemy as sa

from corpus_spider.api.status import read_status
from corpus_spider.config.loader import load
from corpus_spider.monitoring import health
from corpus_spider.monitoring.model import HealthThresholds, Sign
from storage import Corpus
from storage.database.schema import run
from storage.locking.locks import SiteLocks
from tests.corpus_spider.faults import SmallCrawls, State, damage, new_corpus, state
from tests.corpus_spider.nights import age
from tests.corpus_spider.running import SEED, often

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus_spider.config.model import Config

NIGHTS = often(6, 30)
WELL = {0, 8}
"""Done; and done, but a paper that has had no news for so long is called silent."""
CALLS = 20
"""Calls to the disk that every crawl makes."""
ENDED, DIED = "ended", "died; the next crawl goes on where it stopped"
MAX_AGE = 3


def overlapped(crawls: SmallCrawls, folder: Path, config: Config) -> int:
    """Start a crawl while another works on the site; return its exit code."""
    with (
        Corpus.open(config.database_url, create=True) as corpus,
        SiteLocks(corpus, [site.name for site in config.sites], config.warc_folder / "locks"),
    ):
        return crawls.run(folder)


def runs(config: Config) -> int:
    """Return how many crawls have begun."""
    with Corpus.open(config.database_url, read_only=True) as corpus:
        count = sa.select(sa.func.count()).select_from(run)
        return corpus.database.read(lambda connection: connection.execute(count).scalar_one())


def morning(config: Config) -> tuple[str, set[Sign]]:
    """Return what has become of the last run, and what is wrong with the site."""
    found = health.read(config, HealthThresholds(max_age=MAX_AGE))
    return read_status(config).last_run["state"], {finding.sign for finding in found.sick}


def test_nights_that_are_missed_killed_or_overlapped_are_reported_each_morning(
    tmp_path: Path, crawls: SmallCrawls, calm: State, record_property: Callable[[str, object], None]
) -> None:
    """`health` reports a site as not crawled exactly when no run has finished for three days, whether the last run
    ended or was killed. The next run fetches the missed pages. No document is stored twice.
    """
    folder, chance = new_corpus(tmp_path / "corpus"), random.Random(SEED)
    config = load(folder / "corpus.toml")
    reported: list[str] = []
    assert crawls.run(folder) in WELL
    since, last = 0, ENDED
    for _ in range(NIGHTS):
        age(folder / "corpus.db")
        since += 1
        what = chance.choice(("well", "missed", "killed", "killed", "overlapped"))
        reported.append(what)
        if what == "well":
            assert crawls.run(folder) in WELL
            since, last = 0, ENDED
        elif what == "killed":
            before = runs(config)
            assert crawls.broken(folder, f"kill@any:{chance.randint(1, CALLS)}") == (-9, True)
            # One that is killed before it has said that it begins is as good as missed.
            last = DIED if runs(config) > before else last
        elif what == "overlapped":
            assert overlapped(crawls, folder, config) == 5
        state_of_run, signs = morning(config)
        assert (state_of_run, Sign.NOT_CRAWLED in signs) == (last, since >= MAX_AGE), reported
    record_property("nights", f"seed {SEED}: {', '.join(reported)}")
    assert crawls.run(folder) in WELL
    assert morning(config)[0] == ENDED
    assert damage(folder) == []
    # Articles are read again while they are young, which is noted among what gave no document.
    assert state(config.database_url)[:2] == calm[:2]
