"""Signals at any moment: one ends a crawl in time and leaves nothing open, a second one ends it at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.faults import damage
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import PATIENCE, SEED, ended, environment, often, run, start, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BEGIN, MIDDLE = 0.0, 3.0
"""Seconds from the moment at which a crawl has a database to when it is in the middle of its pages, about."""


@pytest.fixture
def newspaper() -> Iterator[Newspaper]:
    """A newspaper with pages that never come, and one that hangs its worker."""
    gate, html = Event(), {"Content-Type": "text/html; charset=utf-8"}

    def hang() -> tuple[int, dict[str, str], bytes]:
        gate.wait(3 * PATIENCE)
        return 404, {}, b""

    with served(Newspaper()) as paper:
        paper.extra = {"/hang": hang, "/hang-too": hang, "/worker": lambda: (200, html, b"<p>fault:hang</p>")}
        yield paper
        gate.set()


def said(crawl: subprocess.Popen[str]) -> str:
    assert crawl.stderr is not None
    return crawl.stderr.read()


def begun(folder: Path, chance: random.Random) -> subprocess.Popen[str]:
    """Start a crawl and return it at any moment from when it acts on signals."""
    crawl = start(folder, "crawl", "--now", CORPUS_SPIDER_FAULTS="1")
    # A crawl that ended well has taken the log of the database away.
    while not (folder / "corpus.db-wal").exists():
        assert crawl.poll() is None, said(crawl)
        time.sleep(0.01)
    time.sleep(chance.uniform(BEGIN, MIDDLE))
    return crawl


@pytest.mark.timeout(3600)
def test_a_signal_at_any_moment_ends_a_crawl_in_time_and_leaves_nothing_open(
    tmp_path: Path, newspaper: Newspaper, record_property: Callable[[str, object], None]
) -> None:
    """While it starts, while pages hang, while a worker hangs: exit code 11 long before what hangs gives up, no file
    left under its .open name, and in the end every article is there.
    """
    chance, longest = random.Random(SEED), 0.0
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=0.1, per_host=4, timeout=900, page_timeout=900))
    times = often(1, 50)
    for _ in range(times):
        crawl = begun(tmp_path, chance)
        sent = time.monotonic()
        crawl.send_signal(chance.choice((signal.SIGTERM, signal.SIGINT)))
        code = ended(crawl)
        longest = max(longest, time.monotonic() - sent)
        assert code == 11, said(crawl)
        assert not list((tmp_path / "warc").glob("*.open"))
    record_property("signals", f"seed {SEED}: {times}, the longest took {longest:.1f} s")
    newspaper.extra.clear()
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    last = run(tmp_path, "crawl", "--now")
    assert last.returncode == 0, last.stderr
    assert damage(tmp_path) == []
    assert all(newspaper.asked[f"/article/{number}"] for number in range(newspaper.articles))


@pytest.mark.timeout(3600)
def test_a_second_signal_ends_it_at_once_and_the_next_crawl_recovers(
    tmp_path: Path, newspaper: Newspaper, record_property: Callable[[str, object], None]
) -> None:
    """With any hang: exit code 13, where waiting for the deadline would give 11. Until the first has been heard, the
    two count as one.
    """
    chance, longest = random.Random(SEED), 0.0
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=0.1, per_host=4, timeout=900, page_timeout=900))
    times = often(1, 20)
    for _ in range(times):
        newspaper.asked.clear()
        crawl = start(tmp_path, "crawl", "--now", CORPUS_SPIDER_FAULTS="1")
        while not (newspaper.asked["/hang"] and newspaper.asked["/hang-too"]):
            assert crawl.poll() is None, said(crawl)
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 1.0))
        crawl.send_signal(signal.SIGTERM)
        assert crawl.stderr is not None
        heard = [""]
        while "once more" not in heard[-1]:
            heard.append(crawl.stderr.readline())
            assert heard[-1], heard
        time.sleep(chance.uniform(0.0, 2.0))
        sent = time.monotonic()
        crawl.send_signal(signal.SIGTERM)
        assert ended(crawl) == 13, said(crawl)
        longest = max(longest, time.monotonic() - sent)
    record_property("second signals", f"seed {SEED}: {times}, the longest took {longest:.2f} s")
    newspaper.extra.clear()
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    last = run(tmp_path, "crawl", "--now")
    assert last.returncode == 0, last.stderr
    assert damage(tmp_path) == []


def test_an_unread_log_does_not_block_a_stopped_crawl(tmp_path: Path, newspaper: Newspaper) -> None:
    """As with a pager, or a terminal that was stopped (Ctrl-S): the pipe is full, and every write blocks."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/hang"])
    assert crawl.stderr is not None
    log = os.open(f"/proc/self/fd/{crawl.stderr.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    for size in (4096, 1):
        with suppress(BlockingIOError):
            while True:
                os.write(log, b"x" * size)
    crawl.send_signal(signal.SIGTERM)
    assert ended(crawl) == 11
    os.close(log)


def run_module(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command, env = [sys.executable, "-m", *arguments], environment()
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_ctrl_c_while_a_text_is_executed_gives_the_exit_code_under_python_m(tmp_path: Path) -> None:
    """As in modules that are being imported: Python took it for uncaught and ended by the signal, with 130."""
    (tmp_path / "interrupted.py").write_text(
        "from corpus_spider.cli import app\n"
        "app.cli.invoke = lambda context: exec('raise KeyboardInterrupt')\napp.main()\n"
    )
    done = run_module(tmp_path, "interrupted", "status")
    assert (done.returncode, done.stderr) == (11, "corpus-spider: stopped\n")


def test_ctrl_c_while_a_class_is_made_is_no_internal_error(tmp_path: Path) -> None:
    """Python 3.11 makes a RuntimeError of what a field of the class raises, also of the signal."""
    (tmp_path / "interrupted.py").write_text(
        "from corpus_spider.cli import app\n"
        "class Field:\n    def __set_name__(self, owner, name):\n        raise KeyboardInterrupt\n"
        "app.cli.invoke = lambda context: type('Made', (), {'field': Field()})\napp.main()\n"
    )
    done = run_module(tmp_path, "interrupted", "status")
    assert (done.returncode, done.stderr) == (11, "corpus-spider: stopped\n")


def test_a_signal_before_the_crawl_runs_ends_it_at_once(tmp_path: Path, newspaper: Newspaper) -> None:
    """Scrapy forgets a stop that comes before its engine runs, and was waited for until the deadline."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    (tmp_path / "early.py").write_text(
        "import signal\nfrom corpus_spider.cli import app\nfrom corpus_spider.crawling.runner import Stopper\n"
        "arm = Stopper.arm\nStopper.arm = lambda *of: (arm(*of), signal.raise_signal(signal.SIGTERM))\napp.main()\n"
    )
    done = run_module(tmp_path, "early", "crawl")
    assert (done.returncode, "not everything in flight" in done.stderr) == (11, False), done.stderr
    assert not newspaper.asked
