"""Times of the web page over a large corpus, and the size and rate of its search index.

    python benchmarks/serve.py [--documents 1000000] [--bytes 1500] [--folder WORK] [--rounds 20] [--writing]

Builds a corpus with `benchmarks/export.py`, or takes the one that the folder has, and its index with `corpus-spider
index`. A million documents need 5 GB and 45 minutes for the corpus. Then `corpus-spider serve` answers each view, in
turns, ``--rounds`` times. With ``--writing`` another process stores documents meanwhile, as a crawl does.

Printed are milliseconds of each view by the clock of the client, the median and the 99th percentile over the rounds
(the largest of them for less than a hundred); documents a second of the index, and its size in per cent of the text in
UTF-8; and the memory of the server at the end. Gates: 150 ms median and 500 ms p99 for every view, 100 ms median for
search, 60 per cent, 3,000 documents a second.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import multiprocessing
import random
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from export import fill, make

from storage.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = (
    "chính phủ",
    "giá xăng",
    "الحكومة",
    "دولت",
    "รัฐบาล",
    "the harbour",
    "city",
    "chinh phu",
    "thành*",
    "con OR phà",
)
"""Questions of the concordance."""
WAIT_SECONDS = 60.0


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--bytes", type=int, default=1500)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--writing", action="store_true", help="another process stores documents meanwhile")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as aside:
        folder = options.folder or Path(aside)
        make(folder, options.documents, options.bytes)
        index(folder)
        with serving(folder) as (port, server):
            with written(folder) if options.writing else no_one():
                measure(folder, port, options.rounds)
            print(f"memory of the server {resident(server):.0f} MB")


def index(folder: Path) -> None:
    """Build the index if there is none, and print its rate and size."""
    built = (folder / "index").is_dir()
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "corpus_spider", "index", "--quiet"], cwd=folder, check=True)
    seconds = time.perf_counter() - start
    with closing(sqlite3.connect(folder / "corpus.db")) as connection:
        sample = "SELECT avg(length(CAST(text AS BLOB))) FROM document_text WHERE document_id % 100 = 0"
        [mean] = connection.execute(sample).fetchone()
        [number] = connection.execute("SELECT count(*) FROM document").fetchone()
    size = sum(path.stat().st_size for path in (folder / "index").rglob("*") if path.is_file())
    rate = "was built before" if built else f"{number / seconds:.0f} documents a second"
    print(f"index: {rate}, {100 * size / (mean * number):.0f} % of the text, {number} documents")


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, int]]:
    """Serve a corpus; gives the port and the process id."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "corpus_spider", "serve", "--listen", f"127.0.0.1:{port}"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            with closing(socket.socket()) as asking:
                if asking.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait()


@contextmanager
def no_one() -> Iterator[None]:
    """Write nothing."""
    yield


@contextmanager
def written(folder: Path) -> Iterator[None]:
    """Store documents in another process for the block."""
    writer = multiprocessing.Process(target=_write, args=(folder,), daemon=True)
    writer.start()
    try:
        yield
    finally:
        writer.terminate()
        writer.join()


def _write(folder: Path) -> None:
    with Corpus.open(folder / "corpus.db") as corpus:
        fill(corpus, folder / "more", 100_000, 1500)


def views(folder: Path) -> dict[str, list[str]]:
    """Return the targets of each view, of which each round takes another one."""
    with closing(sqlite3.connect(folder / "corpus.db")) as connection:
        [last] = connection.execute("SELECT max(id) FROM document").fetchone()
        chosen = [random.Random(7).randrange(1, last) for _ in range(50)]
        marks = ",".join("?" * len(chosen))
        ids = connection.execute(f"SELECT public_id FROM document WHERE id IN ({marks})", chosen)
        documents = [f"/documents/{each}" for (each,) in ids]
    asked = [quote(word) for word in WORDS]
    return {
        "overview": ["/"],
        "documents": [
            "/documents",
            "/documents?language=vi",
            "/documents?site=s3&since=2026-03-01",
            "/documents?page=300",
        ],
        "documents with words": [f"/documents?q={each}" for each in asked],
        "document": documents,
        "search": [f"/search?q={each}" for each in asked],
        "search by left word": [f"/search?q={each}&order=left" for each in asked],
        "words": ["/words", "/words?language=th", "/words?language=ar&site=s2"],
        "keywords": ["/words?list=keywords&language=vi&site=s1", "/words?list=keywords&language=fa&since=2026-05-01"],
        "crawls": ["/crawls", "/crawls/1"],
        "sites": ["/sites"],
        "dropped": ["/dropped"],
    }


def measure(folder: Path, port: int, rounds: int) -> None:
    """Ask for every view in turns and print the times."""
    targets = views(folder)
    spent: dict[str, list[float]] = {name: [] for name in targets}
    worse: dict[str, int] = dict.fromkeys(targets, 0)
    for number in range(rounds):
        for name, paths in targets.items():
            start = time.perf_counter()
            status = answered(port, paths[number % len(paths)])
            spent[name].append(1000 * (time.perf_counter() - start))
            worse[name] += status != 200
    for name, times in spent.items():
        ordered = sorted(times)
        last = ordered[math.ceil(0.99 * len(ordered)) - 1]
        failed = f", {worse[name]} not answered" if worse[name] else ""
        print(f"{name:<22} median {statistics.median(times):7.0f} ms   p99 {last:7.0f} ms{failed}")
    print(json.dumps({name: round(statistics.median(times)) for name, times in spent.items()}))


def answered(port: int, path: str) -> int:
    """Ask for a page and return the status of the answer."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status


def resident(process: int) -> float:
    """Return the memory of a process in MB, without the files that it maps: others use that room when they need it."""
    text = Path(f"/proc/{process}/status").read_text("utf-8")
    line = next(line for line in text.splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1000


if __name__ == "__main__":
    main()
