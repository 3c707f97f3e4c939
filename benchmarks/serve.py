"""Times of the web page over a large corpus, and the size and rate of its search index.

    python benchmarks/serve.py [--documents 1000000] [--bytes 1500] [--folder WORK] [--rounds 20] [--view NAME ...]
        [--writing] [--annotate]

Builds a corpus with `benchmarks/export.py`, or takes the one that the folder has, also one in PostgreSQL, and its index
with `corpus-spider index`. A million documents need 5 GB and 45 minutes for the corpus. Then `corpus-spider serve`
answers each view, in turns, ``--rounds`` times. With ``--writing`` another process stores documents meanwhile, as a
crawl does. With ``--annotate`` the index has lemmas and tags.

Printed are milliseconds of each view by the clock of the client, the median and the 99th percentile over the rounds
(the largest of them for less than a hundred); documents a second of the index, and its size in per cent of the text in
UTF-8; and the memory of the server at the end. Gates: 150 ms median and 500 ms p99 for every view, 300 ms p99 for
search, 2 s for NEAR, expressions and tokens of the most frequent words, 60 per cent, 3,000 documents a second. The exit
code is 1 if a view misses its p99.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import multiprocessing
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from export import fill, make

from corpus_spider.config.loader import load
from corpus_spider.search.index.manifest import Manifest
from corpus_spider.search.index.totals import FILE
from corpus_spider.search.searching import SearchIndex
from corpus_spider.words.request import WordList, word_list
from storage.corpus import Corpus
from storage.documents.selection import Selection

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
FREQUENT = ("en", "vi", "ar", "th")
"""Languages whose two most frequent words are looked for together."""
EXPRESSIONS = ("/re.*/", "/.*ing/", "/th(e|eir|is)/", "/.*ا.*/")
SLOWEST_MS = {
    "search": 300.0,
    "search, NEAR": 2_000.0,
    "search, expressions": 2_000.0,
    "search, tokens": 2_000.0,
}
"""Gates of the 99th percentile; `OTHERS_MS` for the other views."""
OTHERS_MS = 500.0
_SAMPLED = 1_000
"""Documents whose texts are measured."""
WAIT_SECONDS = 60.0


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--bytes", type=int, default=1500)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--view", action="append", help="measure only this view; repeatable")
    parser.add_argument("--writing", action="store_true", help="another process stores documents meanwhile")
    parser.add_argument("--annotate", action="store_true", help="an index with lemmas and tags")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as aside:
        folder = options.folder or Path(aside)
        make(folder, options.documents, options.bytes)
        index(folder, annotate=options.annotate)
        with serving(folder) as (port, server):
            with written(folder) if options.writing else no_one():
                is_in_time = measure(folder, port, options.rounds, options.view or [])
            print(f"memory of the server {resident(server):.0f} MB")
    sys.exit(not is_in_time)


def index(folder: Path, *, annotate: bool = False) -> None:
    """Build the index if there is none, and print its rate and size."""
    built = (folder / "index" / FILE).exists()
    start = time.perf_counter()
    more = ["--annotate"] if annotate else []
    subprocess.run([sys.executable, "-m", "corpus_spider", "index", "--quiet", *more], cwd=folder, check=True)
    seconds = time.perf_counter() - start
    config = load(folder / "corpus.toml")
    chosen, number = ids_of(folder, _SAMPLED)
    with Corpus.open(config.database_url, read_only=True) as corpus:
        parts = (chosen[at : at + 100] for at in range(0, len(chosen), 100))
        texts = [document.text for part in parts for document in corpus.documents.of_ids(part)]
    mean = statistics.mean(len(text.encode()) for text in texts)
    size = sum(path.stat().st_size for path in config.index_folder.rglob("*") if path.is_file())
    rate = "was built before" if built else f"{number / seconds:.0f} documents a second"
    print(f"index: {rate}, {100 * size / (mean * number):.0f} % of the text, {number} documents")


def ids_of(folder: Path, most: int) -> tuple[list[str], int]:
    """Return the ids of some documents of the index, and the number of all."""
    with Manifest.open(load(folder / "corpus.toml").index_folder, read_only=True) as manifest:
        every = sorted(manifest.entries())
    return random.Random(7).sample(every, min(most, len(every))), len(every)


def frequent_pairs(folder: Path) -> list[tuple[str, str]]:
    """Return the two most frequent words of some languages."""
    config, pairs = load(folder / "corpus.toml"), []
    with ExitStack() as opened:
        corpus = opened.enter_context(Corpus.open(config.database_url, read_only=True))
        index = opened.enter_context(SearchIndex.open(config.index_folder, corpus))
        for language in FREQUENT:
            rows = word_list(index, Selection(languages=(language,)), WordList(limit=2)).table.rows
            pairs.append((rows[0].word, rows[1].word))
    return pairs


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
    with Corpus.open(load(folder / "corpus.toml").database_url) as corpus:
        fill(corpus, folder / "more", 100_000, 1500)


def views(folder: Path) -> dict[str, list[str]]:
    """Return the targets of each view, of which each round takes another one."""
    documents = [f"/documents/{each}" for each in ids_of(folder, 50)[0]]
    asked = [quote(word) for word in WORDS]
    pairs = frequent_pairs(folder)
    near = [f"{first} NEAR/5 {second}" for first, second in pairs]
    tokens = [f'[word="{first}"] []{{0,3}} [word="{second}"]' for first, second in pairs]
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
        "search, NEAR": [f"/search?q={quote(each)}" for each in near],
        "search, expressions": [f"/search?q={quote(each)}" for each in EXPRESSIONS],
        "search, tokens": [f"/search?q={quote(each)}" for each in tokens],
        "search by left word": [f"/search?q={each}&order=left" for each in asked],
        "words": ["/words", "/words?language=th", "/words?language=ar&site=s2"],
        "keywords": ["/words?list=keywords&language=vi&site=s1", "/words?list=keywords&language=fa&since=2026-05-01"],
        "crawls": ["/crawls", "/crawls/1"],
        "sites": ["/sites"],
        "dropped": ["/dropped"],
    }


def measure(folder: Path, port: int, rounds: int, only: list[str]) -> bool:
    """Ask for every view in turns and print the times; return whether all are within their gates."""
    targets = {name: paths for name, paths in views(folder).items() if not only or name in only}
    spent: dict[str, list[float]] = {name: [] for name in targets}
    worse: dict[str, int] = dict.fromkeys(targets, 0)
    for number in range(rounds):
        for name, paths in targets.items():
            start = time.perf_counter()
            status = answered(port, paths[number % len(paths)])
            spent[name].append(1000 * (time.perf_counter() - start))
            worse[name] += status != 200
    is_in_time = True
    for name, times in spent.items():
        ordered = sorted(times)
        last = ordered[math.ceil(0.99 * len(ordered)) - 1]
        failed = f", {worse[name]} not answered" if worse[name] else ""
        gate = SLOWEST_MS.get(name, OTHERS_MS)
        is_in_time &= last <= gate
        over = f", over {gate:.0f}" if last > gate else ""
        print(f"{name:<22} median {statistics.median(times):7.0f} ms   p99 {last:7.0f} ms{over}{failed}")
    print(json.dumps({name: round(statistics.median(times)) for name, times in spent.items()}))
    return is_in_time


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
