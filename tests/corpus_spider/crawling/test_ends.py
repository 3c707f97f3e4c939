"""End of a crawl by a signal, another crawl, a full disk or a newer corpus."""

from __future__ import annotations

import json
import os
import pty
import resource
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from corpus_spider.config.loader import load
from corpus_spider.crawling.session import Session
from storage import Corpus
from storage.records import Capture
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, hanging, served
from tests.corpus_spider.running import PATIENCE, ended, environment, program, run, signal_received, start, until, well

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SELF_SIGNED = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_crawl_with_exit_code_11_and_the_next_one_goes_on(
    tmp_path: Path, newspaper: Newspaper, number: signal.Signals
) -> None:
    """Nothing is left open, nothing is lost."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=0.1, timeout=900))
    with signal_received(signal.SIGHUP):
        crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/hang"] and newspaper.asked.total() > 6, lambda: newspaper.asked)
    crawl.send_signal(number)
    gate.set()
    assert ended(crawl) == 11, crawl.stderr and crawl.stderr.read()
    assert not list((tmp_path / "warc").glob("*.open"))
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    well(tmp_path, "crawl")
    well(tmp_path, "check", "--deep")
    assert {newspaper.asked[f"/article/{index}"] for index in range(newspaper.articles)} <= {1, 2}


def shown(terminal: int) -> bytes:
    """Return the waiting output of a terminal; a full one blocks its writer."""
    parts = []
    with suppress(BlockingIOError):
        while part := os.read(terminal, 1 << 16):
            parts.append(part)
    return b"".join(parts)


def test_a_terminal_that_closes_ends_a_crawl_tidily(tmp_path: Path, newspaper: Newspaper) -> None:
    """Without further output: exit code 11, nothing left open, and its workers have ended too."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    terminal, theirs = pty.openpty()
    # The first terminal that the leader of a session opens is its own.
    opened = f"exec {shlex.join(program('crawl'))} <{os.ttyname(theirs)} >{os.ttyname(theirs)} 2>&1"
    with signal_received(signal.SIGHUP):
        crawl = subprocess.Popen(["sh", "-c", opened], cwd=tmp_path, env=environment(), start_new_session=True)
    os.set_blocking(terminal, False)
    until(lambda: shown(terminal) is not None and newspaper.asked["/hang"], lambda: newspaper.asked)
    os.close(theirs)
    os.close(terminal)
    gate.set()
    assert ended(crawl) == 11
    assert not list((tmp_path / "warc").glob("*.open"))


def test_a_crawl_under_nohup_continues_when_its_terminal_closes(tmp_path: Path, newspaper: Newspaper) -> None:
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    crawl = subprocess.Popen(
        ["nohup", *program("crawl")],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    until(lambda: newspaper.asked["/hang"], lambda: newspaper.asked)
    os.killpg(crawl.pid, signal.SIGHUP)
    gate.set()
    assert ended(crawl) == 0, crawl.stderr and crawl.stderr.read()


def test_a_second_signal_ends_it_at_once_with_exit_code_13(tmp_path: Path, newspaper: Newspaper) -> None:
    """Even while a page hangs; the next crawl recovers."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/hang"], lambda: newspaper.asked)
    crawl.send_signal(signal.SIGTERM)
    assert crawl.stderr is not None
    until(lambda: "once more" in crawl.stderr.readline(), crawl.poll)
    crawl.send_signal(signal.SIGTERM)
    assert ended(crawl) == 13
    gate.set()
    well(tmp_path, "crawl")
    well(tmp_path, "check", "--deep")


def test_a_signal_ends_a_crawl_that_hangs_in_time(tmp_path: Path, newspaper: Newspaper) -> None:
    """A page that never answers does not hold it; the next crawl fetches its URL again."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/hang"], lambda: newspaper.asked)
    crawl.send_signal(signal.SIGTERM)
    assert ended(crawl) == 11
    gate.set()
    assert not list((tmp_path / "warc").glob("*.open"))
    well(tmp_path, "crawl")
    assert newspaper.asked["/hang"] == 2


def test_a_second_crawl_of_the_same_site_ends_with_exit_code_5(tmp_path: Path, newspaper: Newspaper) -> None:
    """And it changes nothing; the lock goes with its holder."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    first = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/hang"], lambda: newspaper.asked)
    second = run(tmp_path, "crawl")
    assert second.returncode == 5
    assert "newspaper" in second.stderr
    os.killpg(first.pid, signal.SIGKILL)
    ended(first)
    gate.set()
    well(tmp_path, "crawl")


TAKEN: dict[str, tuple[Callable[[Path], object], int]] = {
    "database": (lambda folder: (folder / "corpus.toml").rename(folder / "corpus.db"), 4),
    "originals": (lambda folder: shutil.rmtree(folder / "warc"), 3),
}


@pytest.mark.parametrize(("take", "code"), TAKEN.values(), ids=TAKEN)
def test_a_crawl_whose_files_are_taken_away_ends_and_says_so(
    tmp_path: Path, newspaper: Newspaper, take: Callable[[Path], object], code: int
) -> None:
    """It writes to a lost file for no longer than a group of pages."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/hang"] and list((tmp_path / "warc").glob("*.open")), lambda: newspaper.asked)
    take(tmp_path)
    gate.set()
    assert ended(crawl) == code
    assert crawl.stderr is not None
    said = crawl.stderr.read()
    assert "Traceback" not in said
    assert "corpus-spider: " in said


def test_an_original_that_is_gone_at_the_end_is_no_good_end(tmp_path: Path, newspaper: Newspaper) -> None:
    """Exit code 3, though every page was stored."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    session = Session.open(load(tmp_path / "corpus.toml"))
    session.archive.append([Capture(newspaper.origin, datetime.now(UTC), 200, (), (), b"x")], [None])
    next((tmp_path / "warc").glob("*.open")).unlink()
    session.close(0)
    assert (session.exit_code, session.ended) == (3, "error")


def limited(size: int) -> Callable[[], None]:
    """Return what makes files larger than this fail to grow, as on a full disk (EFBIG)."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_disk_that_fills_up_ends_a_crawl_with_exit_code_3_and_nothing_half(
    tmp_path: Path, newspaper: Newspaper
) -> None:
    """With room again the next crawl goes on and everything agrees."""
    newspaper.extra["/large"] = lambda: (200, {"Content-Type": "text/html"}, os.urandom(900_000))
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    assert run(tmp_path, "crawl", "--page-limit", "2").returncode == 12
    full = subprocess.run(
        program("crawl"),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        preexec_fn=limited(700_000),
        check=False,
    )
    assert full.returncode == 3, full.stderr
    well(tmp_path, "check", "--deep")
    well(tmp_path, "crawl")
    checked = run(tmp_path, "check", "--deep", "--json")
    assert checked.returncode == 0, checked.stdout
    assert newspaper.asked["/article/3"] >= 1


def test_a_crawl_stops_before_the_disk_is_full(tmp_path: Path, newspaper: Newspaper) -> None:
    """Below the reserve nothing is begun, and the message says what to do."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper) + '[archive]\nreserve = "900 TiB"\n')
    ended = run(tmp_path, "crawl")
    assert ended.returncode == 3
    assert "lower reserve in [archive]" in ended.stderr
    assert newspaper.asked.total() == 0


def test_a_corpus_of_a_newer_version_is_refused_with_exit_code_9(tmp_path: Path, newspaper: Newspaper) -> None:
    """It is left as it is."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    well(tmp_path, "crawl")
    with sqlite3.connect(tmp_path / "corpus.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    for verb in ("crawl", "status", "check"):
        assert run(tmp_path, verb).returncode == 9


def test_a_host_with_a_bad_certificate_is_refused_and_named(tmp_path: Path) -> None:
    """TLS certificates are verified; that is the reason which is counted, not the robots.txt that cannot be had."""
    import ssl

    with served(Newspaper()) as paper:
        made = tmp_path / "self"
        subprocess.run(
            [*SELF_SIGNED.split(), "-keyout", f"{made}.key", "-out", f"{made}.pem"],
            check=True,
            capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{made}.pem", f"{made}.key")
        assert paper.server is not None
        paper.server.socket = context.wrap_socket(paper.server.socket, server_side=True)
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper, retries=0).replace("http://", "https://"))
        ended = run(tmp_path, "crawl")
    assert ended.returncode == 7
    assert "First reason: certificate (newspaper, https://127.0.0.1:" in ended.stderr
    assert "robots_unreachable" not in ended.stderr


def test_a_machine_that_is_offline_is_distinguished_from_sites_that_fail(tmp_path: Path, newspaper: Newspaper) -> None:
    """No name can be resolved: the message says so, and the reason that is counted is `dns`."""
    text = corpus_toml(newspaper, retries=0, per_host=1)
    (tmp_path / "corpus.toml").write_text(text.replace(newspaper.origin, "http://news.invalid"))
    ended = run(tmp_path, "crawl", "--json", "-q")
    assert ended.returncode == 7
    assert "No host name could be resolved. Is this machine online?" in ended.stderr
    assert set(json.loads(ended.stdout)["failed"]) == {"dns"}


def test_a_signal_before_the_first_request_ends_it_with_exit_code_11_too(tmp_path: Path, newspaper: Newspaper) -> None:
    """While the corpus is opened and repaired nothing listens yet but Python itself."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    crawl = start(tmp_path, "crawl")
    until((tmp_path / "corpus.db").exists, crawl.poll)
    crawl.send_signal(signal.SIGTERM)
    gate.set()
    assert ended(crawl) == 11, crawl.stderr and crawl.stderr.read()
    well(tmp_path, "crawl")
    well(tmp_path, "check", "--deep")


NEVER_READY = """
import os, signal, sys, time
from corpus_spider.crawling import runner
from corpus_spider.cli.app import run
def busy(*_):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(600)
runner.Stopper.arm = busy
runner.STOP_SECONDS = 0.1
sys.exit(run(["crawl"]))
"""


def test_the_deadline_of_a_signal_holds_while_a_busy_machine_still_starts_the_crawl(
    tmp_path: Path, newspaper: Newspaper
) -> None:
    """It counts from the signal, not from when the crawl is ready to act on it."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    command = [sys.executable, "-c", NEVER_READY]
    ended = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, timeout=300, check=False)
    assert ended.returncode == 11, ended.stderr
    assert not list((tmp_path / "warc").glob("*.open"))
    assert run(tmp_path, "crawl").returncode == 0


def test_a_signal_while_robots_txt_hangs_ends_a_crawl(tmp_path: Path, newspaper: Newspaper) -> None:
    """Pages that wait for its rules are given back."""
    gate = hanging(newspaper)
    newspaper.extra["/robots.txt"] = newspaper.extra.pop("/hang")
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/robots.txt"], lambda: newspaper.asked)
    crawl.send_signal(signal.SIGTERM)
    assert ended(crawl) == 11
    gate.set()
    assert set(newspaper.asked) == {"/robots.txt"}


BROKEN = """
import sys, corpus_spider.crawling.runner, corpus_spider.spiders.news, pipelines.runtime.page_pipeline
from corpus_spider.cli.app import run
def fault(*_, **__): raise KeyError("a bug in the program")
{target} = fault
sys.exit(run(["crawl", "--quiet"]))
"""


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("corpus_spider.spiders.news.pause_asked", 7),
        ("pipelines.runtime.page_pipeline.PagePipeline.hold", 1),
        ("corpus_spider.crawling.downloader.PatientDownloader.__init__", 1),
    ],
)
def test_a_fault_of_the_program_ends_a_crawl_instead_of_hanging_it(
    tmp_path: Path, newspaper: Newspaper, target: str, code: int
) -> None:
    """A fault that leaves a lease open ends the crawl, which would wait for the lease without limit. The next crawl
    resumes. The message names the fault, also when the fault stops the crawl at its start.
    """
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    ended = subprocess.run(
        [sys.executable, "-c", BROKEN.format(target=target)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert ended.returncode == code, ended.stderr
    assert code == 7 or "a bug in the program" in ended.stderr
    well(tmp_path, "crawl")
    well(tmp_path, "check", "--deep")


def test_a_signal_to_the_whole_group_costs_no_worker_and_no_page(tmp_path: Path, newspaper: Newspaper) -> None:
    """As systemd and timeout(1) send it: what is in flight is still processed, and nothing is said of workers."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, delay=0.1, timeout=900))
    crawl = start(tmp_path, "crawl", CORPUS_SPIDER_FAULTS="1")
    until(lambda: newspaper.asked["/hang"] and newspaper.asked.total() > 6, lambda: newspaper.asked)
    os.killpg(crawl.pid, signal.SIGTERM)
    gate.set()
    said = crawl.communicate(timeout=PATIENCE)[1]
    assert crawl.returncode == 11, said
    assert "worker" not in said.replace("2 workers", ""), said
    assert "Stopped by a signal" in said
    assert recorded(tmp_path)["ended"] == "stopped"


def test_ctrl_c_while_the_workers_start_is_harmless(tmp_path: Path, newspaper: Newspaper) -> None:
    """The fork server and what it forks leave it to the program."""
    gate = hanging(newspaper)
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, timeout=900))
    crawl = start(tmp_path, "crawl")
    until(lambda: newspaper.asked["/robots.txt"], lambda: newspaper.asked)
    os.killpg(crawl.pid, signal.SIGINT)
    gate.set()
    said = crawl.communicate(timeout=PATIENCE)[1]
    assert crawl.returncode == 11, said
    assert "Traceback" not in said
    assert "cannot store" not in said
    well(tmp_path, "crawl")


def recorded(folder: Path) -> dict[str, Any]:
    """Return the summary of the last run as the corpus has it."""
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        summary: dict[str, Any] = json.loads(corpus.runs()[-1].summary or "{}")
    return summary


def test_a_run_says_that_it_ended_at_its_limit(tmp_path: Path, newspaper: Newspaper) -> None:
    """In the corpus and on standard error; the next run finishes, and counts what robots.txt refused apart."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    limited = run(tmp_path, "crawl", "--page-limit", "2")
    assert limited.returncode == 12
    assert "Stopped at page_limit: 2 pages fetched" in limited.stderr
    assert recorded(tmp_path)["ended"] == "limit"
    assert recorded(tmp_path)["pending"] > 0
    finished = run(tmp_path, "crawl")
    assert finished.returncode == 0
    assert "Done: " in finished.stderr
    summary = recorded(tmp_path)
    assert (summary["ended"], summary["pending"], summary["refused"]) == ("finished", 0, 1)
    assert "robots" not in summary["failed"]
