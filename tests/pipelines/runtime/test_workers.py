"""Supervised workers: a page that crashes, hangs, fills memory or raises costs itself and nothing else."""

from __future__ import annotations

import errno
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import forkserver
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines.extractors.auto.blocks.template_learning import Survey
from pipelines.page.process import explain, process, survey
from pipelines.runtime import workers
from pipelines.runtime.worker_process import FAULTS
from pipelines.runtime.workers import WorkerLimits, WorkerPool, start_fork_server
from storage.errors import DiskError
from storage.records import Capture, Drop, SiteModel
from tests.corpus_spider.running import PATIENCE, SEED, environment, often, run, until

if TYPE_CHECKING:
    from collections.abc import Iterator

MODEL = SiteModel(site="a", hosts=("a.example",), min_chars=10)


def page(text: str) -> Capture:
    body = f"<html><body><article><p>{text} </p><p>Một đoạn văn dài hơn để có nội dung.</p></article></body></html>"
    html = (("Content-Type", "text/html; charset=utf-8"),)
    return Capture("http://a.example/1", datetime(2026, 1, 2, tzinfo=UTC), 200, (), html, body.encode())


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    before = os.environ.get("CORPUS_SPIDER_FAULTS")
    os.environ["CORPUS_SPIDER_FAULTS"] = "1"
    pool = WorkerPool(2, WorkerLimits(seconds=PATIENCE))
    yield pool
    pool.close()
    if before is None:
        del os.environ["CORPUS_SPIDER_FAULTS"]


def test_a_worker_gives_what_the_page_function_gives(pool: WorkerPool) -> None:
    """The way through another process changes nothing."""
    capture = page("Hôm nay trời đẹp và nhiều người ra phố đi dạo cùng gia đình.")
    assert pool.submit(capture, MODEL).result(PATIENCE) == process(capture, MODEL)


def test_a_worker_shares_the_tables_of_languages_with_the_others() -> None:
    """It holds little memory of its own after a text on which all detectors vote."""
    pool = WorkerPool(1)
    try:
        capture = page("Die Stadt feiert heute am Fluss. The town is here. Il governo annuncia nuove misure.")
        assert pool.submit(capture, MODEL).result(PATIENCE).document
        rollup = Path(f"/proc/{pool.pids()[0]}/smaps_rollup").read_text().splitlines()
        own = next(int(line.split()[1]) for line in rollup if line.startswith("Private_Dirty"))
        assert own < 40 * 1024, rollup
    finally:
        pool.close()


def test_a_worker_surveys_a_page_and_one_that_breaks_it_gives_an_empty_survey(pool: WorkerPool) -> None:
    """What is learned from comes the same way as what is kept, and costs no more than itself."""
    capture = page("Hôm nay trời đẹp và nhiều người ra phố đi dạo cùng gia đình.")
    broken = [pool.survey(page(f"fault:{fault}")) for fault in ("crash", "error", "memory")]
    assert pool.survey(capture).result(PATIENCE) == survey(capture)
    assert survey(capture).sound
    assert [future.result(PATIENCE) for future in broken] == [Survey()] * 3


def test_a_worker_explains_a_page_and_one_that_breaks_it_gives_the_reason(pool: WorkerPool) -> None:
    """The numbers come back as the function in this process gives them."""
    capture, model = page("Hôm nay trời đẹp và nhiều người ra phố đi dạo."), replace(MODEL, extractor="bte")
    assert pool.explain(capture, model).result(PATIENCE) == explain(capture, model)
    for fault in ("crash", "memory", "error"):
        drop = pool.explain(page(f"fault:{fault}"), model).result(PATIENCE)
        assert isinstance(drop, Drop)
        assert drop.reason == f"worker_{fault}"


@pytest.mark.parametrize(
    ("fault", "reason"), [("crash", "worker_crash"), ("memory", "worker_memory"), ("error", "worker_error")]
)
def test_a_page_that_breaks_its_worker_is_dropped_with_its_reason(pool: WorkerPool, fault: str, reason: str) -> None:
    """And the pages around it are processed."""
    bad = pool.submit(page(f"fault:{fault}"), MODEL)
    good = [pool.submit(page(f"Bài viết số {number} trong ngày hôm nay."), MODEL) for number in range(4)]
    outcome = bad.result(PATIENCE)
    assert outcome.drop is not None
    assert outcome.drop.reason == reason
    assert all(future.result(PATIENCE).document for future in good)


def test_the_links_of_a_page_are_read_where_they_are_wanted(pool: WorkerPool) -> None:
    """All else is the same without them."""
    capture = page("<a href=/2>Hôm nay trời đẹp và nhiều người ra phố đi dạo cùng gia đình.</a>")
    wanted = pool.submit(capture, MODEL, links_wanted=True).result(PATIENCE)
    assert [link.url for link in wanted.links] == ["http://a.example/2"]
    assert pool.submit(capture, MODEL).result(PATIENCE) == replace(wanted, links=())


@pytest.mark.parametrize(
    ("fault", "links"), [("crash", []), ("memory", ["http://a.example/2"]), ("error", ["http://a.example/2"])]
)
def test_the_links_of_a_page_whose_extraction_fails_are_kept(pool: WorkerPool, fault: str, links: list[str]) -> None:
    """The drop has its reason and the links. A page that has crashed its workers is not read again."""
    bad = replace(page(""), body=f"<html><body><a href=/2>fault:{fault}</a></body></html>".encode())
    kept = pool.submit(bad, MODEL, links_wanted=True).result(PATIENCE)
    assert kept.drop is not None
    assert (kept.drop.reason, [link.url for link in kept.links]) == (f"worker_{fault}", links)
    assert pool.submit(bad, MODEL).result(PATIENCE).links == ()
    assert pool.submit(bad, MODEL, crashes=2, links_wanted=True).result(PATIENCE).links == ()


def test_a_page_that_hangs_its_worker_is_dropped_at_the_limit() -> None:
    """And the page behind it is processed, by another worker with all its time."""
    pool = hurried(page("Bài viết thứ nhất trong ngày hôm nay."))
    try:
        hung = pool.submit(page("fault:hang"), MODEL).result(PATIENCE).drop
        assert hung is not None
        assert hung.reason == "worker_timeout"
        assert pool.submit(page("Bài viết thứ hai trong ngày hôm nay."), MODEL).result(PATIENCE).document
    finally:
        pool.close()


@pytest.mark.parametrize(("fault", "wall", "limit"), [("hang", 0.0, "1 s of CPU time"), ("sleep", 1.0, "1 s")])
def test_a_limit_of_time_is_named(fault: str, wall: float, limit: str) -> None:
    """Work counts as CPU time. A worker that hangs without work has a wall-clock limit."""
    pool = hurried(page("Bài viết thứ nhất trong ngày hôm nay."), wall)
    try:
        hung = pool.submit(page(f"fault:{fault}"), MODEL).result(PATIENCE).drop
    finally:
        pool.close()
    assert hung == Drop("worker_timeout", f"over {limit}")


LONG_PAGE = "".join(f"<p>Câu thứ {number} nói về thành phố và người dân hôm nay.</p>" for number in range(300))


def test_a_page_that_waits_for_a_busy_processor_is_not_over_its_time() -> None:
    """At a load of 30 pages of 3 KB took longer than the limit, and were dropped. They had used no CPU time."""
    pool = hurried(page("Bài viết thứ nhất trong ngày hôm nay."), wall=PATIENCE)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        # The others get most of the time.
        os.setpriority(os.PRIO_PROCESS, pool.pids()[0], 10)
        late = pool.submit(page(LONG_PAGE), MODEL)
        os.kill(pool.pids()[0], signal.SIGSTOP)
        threading.Timer(2.0, os.kill, (pool.pids()[0], signal.SIGCONT)).start()
        assert late.result(PATIENCE).document
    finally:
        for one in busy:
            one.kill()
            one.wait()
        pool.close()


def hurried(first: Capture, wall: float = 0.0) -> WorkerPool:
    """Return a pool whose one worker has a second of CPU time for its next page; those after it have time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FAULTS, "1")
        pool = WorkerPool(1, WorkerLimits(seconds=PATIENCE))
        assert pool.submit(first, MODEL).result(PATIENCE).document
    pool._workers[0]._limits = WorkerLimits(seconds=1.0, wall=wall)
    return pool


TELLING = """
from corpus_spider.terminal.log_lines import start_logging
from pipelines.runtime.workers import WorkerPool
from tests.pipelines.runtime.test_workers import MODEL, page
start_logging("INFO")
pool = WorkerPool(1)
print(pool.submit(page("fault:error \\x1b[31m\\nERROR forged"), MODEL).result(280).drop.reason)
pool.close()
"""


def test_an_error_of_a_page_is_reported_by_the_log_alone() -> None:
    """Its message may be what the page says: a worker that wrote it would write to the terminal, and lines of a log."""
    command, root = [sys.executable, "-c", TELLING], Path(__file__).parents[3]
    ended = subprocess.run(
        command, cwd=root, env=os.environ | {FAULTS: "1"}, capture_output=True, text=True, timeout=290, check=False
    )
    assert ended.stdout == "worker_error\n"
    assert "\x1b" not in ended.stderr
    assert "Traceback" not in ended.stderr
    (line,) = [line for line in ended.stderr.splitlines() if "forged" in line]
    assert "ERROR pipelines.runtime.workers: cannot process http://a.example/1: ValueError" in line
    assert "\\x1b[31m\\x0aERROR forged" in line


def test_a_page_that_has_cost_two_workers_is_not_tried_again(pool: WorkerPool) -> None:
    """The count of earlier crashes is honoured, so that a crash loop over restarts ends."""
    outcome = pool.submit(page("harmless by now"), MODEL, crashes=2).result(PATIENCE)
    assert outcome.drop is not None
    assert outcome.drop.reason == "worker_crash"


def test_a_worker_killed_from_outside_loses_no_page(pool: WorkerPool) -> None:
    """kill -9 of workers, at work or not: every page still gets its text.

    A page that costs a second worker would be given up. So a round ends when its pages are done and the killed worker
    has ended: on a busy machine that one may still take a page of the next round.
    """
    chance = random.Random(SEED)
    for number in range(often(3, 100)):
        futures = [pool.submit(page(f"Bài viết số {number} {each} trong ngày hôm nay."), MODEL) for each in range(4)]
        futures[0].result(PATIENCE)
        killed = chance.choice(pool.pids())
        os.kill(killed, signal.SIGKILL)
        assert all(future.result(PATIENCE).document for future in futures)
        until(lambda: killed not in pool.pids(), pool.pids)  # noqa: B023


def test_a_worker_killed_between_two_pages_counts_against_neither() -> None:
    """It had no page when it ended: the next page has a new worker and both its attempts."""
    pool, counted = WorkerPool(1), list[None]()
    try:
        assert pool.submit(page("Bài viết thứ nhất trong ngày hôm nay."), MODEL).result(PATIENCE).document
        (idle,) = pool.pids()
        os.kill(idle, signal.SIGKILL)
        until(lambda: not pool.pids(), pool.pids)
        again = page("Bài viết thứ hai trong ngày hôm nay.")
        assert pool.submit(again, MODEL, on_crash=lambda: counted.append(None)).result(PATIENCE).document
        assert counted == []
    finally:
        pool.close()


def test_pages_that_crash_their_workers_cost_themselves_and_leave_no_zombie(pool: WorkerPool) -> None:
    """However many, the pages among them are processed, and dead workers are discarded."""
    bad = [pool.submit(page(f"fault:crash {number}"), MODEL) for number in range(often(2, 100))]
    good = [pool.submit(page(f"Bài viết số {number} trong ngày hôm nay."), MODEL) for number in range(often(4, 200))]
    assert {str(future.result(PATIENCE).drop and future.result().drop.reason) for future in bad} == {"worker_crash"}
    assert all(future.result(PATIENCE).document for future in good)
    server = int(status_of(pool.pids()[0])["PPid"])
    until(lambda: not zombies(server), lambda: zombies(server))


def zombies(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, KeyError):
            if entry.name.isdigit() and (status := status_of(int(entry.name)))["PPid"] == str(parent):
                found += [int(entry.name)] if status["State"].startswith("Z") else []
    return found


def test_a_page_that_needs_more_and_more_memory_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before the machine swaps; the worker goes on with the pages behind it."""
    monkeypatch.setenv(FAULTS, "1")
    pool = WorkerPool(1, WorkerLimits(seconds=PATIENCE, memory=900 * 2**20))
    try:
        first, huge, second = (pool.submit(page(text), MODEL) for text in ("Bài viết.", "fault:growth", "Bài hai."))
        assert first.result(PATIENCE).document
        drop = huge.result(PATIENCE).drop
        assert drop is not None
        assert drop.reason == "worker_memory"
        assert second.result(PATIENCE).document
        assert pool.peak_kib < 900 * 2**10
    finally:
        pool.close()


@pytest.mark.parametrize("attempt", range(often(3, 100)))
def test_closing_does_not_wait_for_a_page_that_hangs(monkeypatch: pytest.MonkeyPatch, attempt: int) -> None:
    """Neither at the worker that is there nor at a second one that would try the page again; none is left."""
    monkeypatch.setenv(FAULTS, "1")
    pool = WorkerPool(2, WorkerLimits(seconds=3 * PATIENCE))
    assert pool.submit(page("Bài viết."), MODEL).result(PATIENCE).document
    hanging = [pool.submit(page(f"fault:hang {number}"), MODEL) for number in range(2)]
    until(lambda: len(pool.pids()) == 2, pool.pids)
    begun = threading.Thread(target=pool.close)
    begun.start()
    begun.join(PATIENCE)
    assert not begun.is_alive()
    assert all(future.done() for future in hanging)
    assert not pool.pids()


def test_a_stopped_worker_is_killed_at_the_limit_and_its_page_read_by_another() -> None:
    """SIGSTOP looks like a hang; the supervisor does not wait for it. The page had no part in it."""
    pool = hurried(page("Bài viết thứ nhất trong ngày hôm nay."), wall=1.0)
    try:
        os.kill(pool.pids()[0], signal.SIGSTOP)
        assert pool.submit(page("Bài viết thứ hai trong ngày hôm nay."), MODEL).result(PATIENCE).document
        assert pool.submit(page("Bài viết thứ ba trong ngày hôm nay."), MODEL).result(PATIENCE).document
    finally:
        pool.close()


def test_a_signal_to_the_group_reaches_neither_the_fork_server_nor_a_worker(pool: WorkerPool) -> None:
    """All are held back from the first moment, while modules still load: the parent alone decides what they mean."""
    assert pool.submit(page("Bài viết thứ nhất trong ngày hôm nay."), MODEL).result(PATIENCE).document
    worker = status_of(pool.pids()[0])
    stopping = sum(1 << (number - 1) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    for process_status in (worker, status_of(int(worker["PPid"]))):
        assert int(process_status["SigBlk"], 16) & stopping == stopping


CONFINED = """
import socket, sys
from pathlib import Path
from pipelines.runtime.worker_process import confine
confine(2**31)
port, path = int(sys.argv[1]), Path(sys.argv[2])
for reach in (lambda: socket.create_connection(("127.0.0.1", port), 5), lambda: path.write_text("x" * 9)):
    try:
        reach()
        print("reached")
    except OSError as error:
        print(error.strerror)
"""


def test_a_worker_has_no_network_and_writes_no_file(tmp_path: Path) -> None:
    """Bytes that take one over reach neither; where the system allows no namespaces, the network stays."""
    spaces = ["--net"] if os.geteuid() == 0 else ["--user", "--net"]
    allowed = subprocess.run(["unshare", *spaces, "true"], capture_output=True, check=False).returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = [sys.executable, "-c", CONFINED, str(server.getsockname()[1]), str(tmp_path / "written")]
        said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    refused = "Network is unreachable" if allowed else "reached"
    assert said.stdout.splitlines() == [refused, "File too large"], said.stderr


@pytest.mark.parametrize(("allowed", "expected"), [(2**40, 2**31), (2**30, 2**30)])
def test_a_worker_has_no_more_memory_than_its_limit_and_the_programs(allowed: int, expected: int) -> None:
    """Where the program's own limit (ulimit -v) is less than a page's, a worker starts all the same."""
    confined = "import resource; from pipelines.runtime.worker_process import confine; confine(2**31)"
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({allowed}, {allowed})); {confined}"
    command = [sys.executable, "-c", f"{limited}; print(resource.getrlimit(resource.RLIMIT_AS))"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert said.stdout.strip() == str((expected, expected)), said.stderr


def test_a_fork_server_that_is_stopped_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workers die with it, and the page that waits for a new one is read."""
    replaced = threading.Event()

    def kill(pid: int | None) -> None:
        monkeypatch.setattr(workers, "START_SECONDS", PATIENCE)
        replaced.set()
        real(pid)

    real = workers._kill_server
    monkeypatch.setattr(workers, "_kill_server", kill)
    pool = WorkerPool(1, WorkerLimits(seconds=PATIENCE))
    try:
        assert pool.submit(page("Bài viết thứ nhất trong ngày hôm nay."), MODEL).result(PATIENCE).document
        (worker,) = pool.pids()
        server = int(status_of(worker)["PPid"])
        monkeypatch.setattr(workers, "START_SECONDS", 0.5)
        os.kill(server, signal.SIGSTOP)
        os.kill(worker, signal.SIGKILL)
        assert pool.submit(page("Bài viết thứ hai trong ngày hôm nay."), MODEL).result(PATIENCE).document
        assert replaced.is_set()
    finally:
        pool.close()


TIDIED = """
import os, shutil, signal, tempfile
from pathlib import Path
from pipelines.runtime.workers import WorkerPool
from tests.pipelines.runtime.test_workers import MODEL, page
pool = WorkerPool(1)
pool.submit(page("Hôm nay trời đẹp."), MODEL).result(240)
shutil.rmtree(tempfile.gettempdir())
os.kill(pool.pids()[0], signal.SIGKILL)
print(bool(pool.submit(page("Hôm nay trời mưa."), MODEL).result(240).document))
pool.close()
"""


def test_temporary_files_that_are_tidied_away_cost_no_more_than_a_new_fork_server() -> None:
    """The next worker that died, days later, ended the crawl: the socket by which others are started was gone."""
    command, root = [sys.executable, "-c", TIDIED], Path(__file__).parents[3]
    # Not in pytest's folder, whose path may be too long for a socket.
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            command,
            cwd=root,
            env=environment(TMPDIR=place),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.stdout == "True\n", done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_place_for_a_socket_is_reported(tmp_path: Path) -> None:
    """Its path is longer than the name of a socket can be: exit code 3, with what to do."""
    (tmp_path / "corpus.toml").write_text(UNASKED)
    place = tmp_path / ("x" * 120)
    place.mkdir()
    done = run(tmp_path, "crawl", TMPDIR=str(place))
    assert (done.returncode, "TMPDIR" in done.stderr) == (3, True), done.stderr


def test_too_few_open_files_for_workers_are_reported_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as a folder for temporary files that is missing."""

    def refuse() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(forkserver, "ensure_running", refuse)
    with pytest.raises(DiskError, match="ulimit -n: too many files are open"):
        start_fork_server()


def status_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


UNASKED = """
[corpus]
name = "test"
contact = "tests@example.org"
[[site]]
name = "site"
start = ["http://127.0.0.1:1/"]
"""
HANGING = """
from pipelines.runtime.workers import WorkerPool
from tests.pipelines.runtime.test_workers import MODEL, page
pool = WorkerPool(1)
pool.submit(page("Hôm nay trời đẹp."), MODEL).result(240)
print(pool.pids()[0], flush=True)
pool.submit(page("fault:hang"), MODEL).result(600)
"""


LEFT = """
from pipelines.runtime.workers import WorkerPool
from tests.pipelines.runtime.test_workers import MODEL, page
pool = WorkerPool(1)
pool.submit(page("Hôm nay trời đẹp."), MODEL).result(240)
"""


def test_a_program_that_does_not_close_its_pool_ends_all_the_same() -> None:
    """As one that ends by an exception: nothing waits for workers that ignore signals."""
    command, root = [sys.executable, "-c", LEFT], Path(__file__).parents[3]
    left = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert left.returncode == 0, left.stderr


def test_a_worker_that_hangs_dies_with_a_killed_crawl() -> None:
    """No process is left to enforce its limit; the fork server ends, too."""
    command, root = [sys.executable, "-c", HANGING], Path(__file__).parents[3]
    with subprocess.Popen(command, cwd=root, env=os.environ | {FAULTS: "1"}, stdout=subprocess.PIPE) as crawl:
        assert crawl.stdout is not None
        worker = int(crawl.stdout.readline())
        server = int(status_of(worker)["PPid"])
        # What was sent is read even when the sender is gone, so the worker hangs then, if it does not yet.
        with suppress(subprocess.TimeoutExpired):
            crawl.wait(1)
        crawl.kill()
    left = lambda: [pid for pid in (worker, server) if Path(f"/proc/{pid}/exe").exists()]  # noqa: E731
    until(lambda: not left(), left)


STOPPED = """
import os, signal
from pipelines.runtime.workers import WorkerLimits, WorkerPool
from tests.corpus_spider.running import until
from tests.pipelines.runtime.test_workers import MODEL, page
pool = WorkerPool(1, WorkerLimits(seconds=5, wall=5))
pool.submit(page("Hôm nay trời đẹp."), MODEL).result(240)
os.kill(pool.pids()[0], signal.SIGSTOP)
late = pool.submit(page("Hôm nay trời mưa."), MODEL)
until(lambda: pool._workers[0]._due < float("inf"))
print(pool.pids()[0], flush=True)
print(late.result(240).drop, flush=True)
"""


def test_the_time_in_which_the_program_is_stopped_is_no_time_of_a_page() -> None:
    """Pages that were being read when it was suspended (Ctrl-Z, a machine put to rest) were dropped for good."""
    command, root = [sys.executable, "-c", STOPPED], Path(__file__).parents[3]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as crawl:
        assert crawl.stdout is not None
        worker = int(crawl.stdout.readline())
        crawl.send_signal(signal.SIGSTOP)
        with suppress(subprocess.TimeoutExpired):
            crawl.wait(7)
        crawl.send_signal(signal.SIGCONT)
        # It looks at once whether its page has taken too long.
        with suppress(subprocess.TimeoutExpired):
            crawl.wait(1.5)
        os.kill(worker, signal.SIGCONT)
        assert crawl.stdout.readline() == "None\n"


def test_a_worker_does_not_run_the_script_of_its_program(tmp_path: Path) -> None:
    """A script without a guard for `multiprocessing` has workers too, and is itself again afterwards."""
    script = tmp_path / "own.py"
    script.write_text(
        "import sys\n"
        "from pipelines.runtime.workers import WorkerPool\n"
        "from tests.pipelines.runtime.test_workers import MODEL, page\n"
        "print('run')\n"
        "pool = WorkerPool(2)\n"
        "answers = [pool.submit(page(f'Trời đẹp {n} lần.'), MODEL) for n in range(8)]\n"
        "print(sum(answer.result().document is not None for answer in answers), sys.modules['__main__'].__file__)\n"
        "pool.close()\n"
    )
    command = [sys.executable, str(script)]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (said.stdout.splitlines(), said.returncode) == (["run", f"8 {script}"], 0), said.stderr
