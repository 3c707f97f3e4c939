"""kill -9 of everything at named windows of the write protocol: nothing is lost, doubled or unreadable.

The crawl runs in a process group of its own; a fail point kills the whole group the N-th time it is reached. After
each kill the crawl is started again, and at the end the corpus must equal that of a run nobody disturbed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.holdings import Selection
from tests.corpus_spider.newspaper import Newspaper, corpus_toml, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("CORPUS_SPIDER_SEED", "20261121"))
KILLS = int(os.environ.get("CORPUS_SPIDER_KILLS", "20"))
WINDOWS = (
    "before_fsync",
    "after_fsync",
    "before_fetched_commit",
    "after_fetched_commit",
    "before_processed_commit",
    "after_processed_commit",
)
State = tuple[frozenset[tuple[object, ...]], frozenset[frozenset[str]], frozenset[tuple[str, str]]]


@pytest.fixture(scope="module")
def newspaper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=24, restless=True)) as paper:
        yield paper


def run(folder: Path, *arguments: str, failpoint: str = "") -> subprocess.CompletedProcess[str]:
    """Run a verb in a process group of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CORPUS_SPIDER_FAILPOINT": failpoint}
    command = [sys.executable, "-m", "corpus_spider", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        start_new_session=True,
    )


def state(database: str) -> State:
    """Return what must be equal: documents, duplicate sets, drops."""
    with Corpus.open(database, read_only=True) as corpus:
        documents = list(corpus.documents(Selection(include_duplicates=True)))
        drops = frozenset((drop.url, drop.reason) for drop in corpus.drops())
    sets: dict[str, set[str]] = {}
    for document in documents:
        sets.setdefault(document.duplicate_of or document.id, set()).add(document.id)
    facts = frozenset((document.url, document.version, document.text, document.language) for document in documents)
    return facts, frozenset(map(frozenset, sets.values())), drops


def killed_crawl(folder: Path, chance: random.Random) -> list[str]:
    """Crawl to the end through KILLS kills; return the windows in which they fell.

    Each crawl reads all sources, the front page changed, so that there is something to do in every window.
    """
    fallen: list[str] = []
    for attempt in range(KILLS * 3):
        window = "in_recovery" if fallen and chance.random() < 0.2 else WINDOWS[attempt % len(WINDOWS)]
        reached = 1 if window == "in_recovery" else chance.randint(1, 4)
        done = run(folder, "crawl", "--now", failpoint=f"{window}:{reached}")
        if done.returncode == -9:
            fallen.append(f"{window}:{reached}")
        elif done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        if len(fallen) >= KILLS:
            break
    return fallen


@pytest.mark.timeout(900)
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
    fallen = killed_crawl(rough, random.Random(SEED))
    record_property("kills", f"seed {SEED}, {len(fallen)} kills: {' '.join(fallen)}")
    assert run(rough, "crawl").returncode == 0
    checked = run(rough, "check", "--deep", "--json")
    assert checked.returncode == 0, checked.stdout
    assert json.loads(checked.stdout)["problems"] == []
    for found, expected in zip(state(database_url), state(f"sqlite:///{calm / 'corpus.db'}"), strict=True):
        assert (found - expected, expected - found) == (frozenset(), frozenset())
    assert {window.split(":")[0] for window in fallen} >= set(WINDOWS)
