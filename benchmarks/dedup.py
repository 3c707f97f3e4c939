"""Measure `dedup` on made-up fingerprints of millions of documents, and compare its sets with those of the SQL index.

    python benchmarks/dedup.py --documents 1000000,4000000 [--memory 2GB] [--folder DIR]
    python benchmarks/dedup.py --documents 100000 --index

A twentieth of the documents are near duplicates of earlier ones, in chains. With ``--index`` the same fingerprints are
stored in a SQLite corpus, and the sets are compared. It prints CPU seconds, the peak of memory, and the bytes on disk.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corpus_spider.batch.dedup import DedupRules, dedup, needed_fields, read_dump
from corpus_spider.batch.near_duplicates import FingerprintTable
from corpus_spider.batch.sql_tables import duck_tables
from corpus_spider.config.values import parse_size
from pipelines.text.minhash import BANDS, SCHEME
from storage import Corpus
from storage.documents import duplicates
from storage.exports.release import fingerprints
from storage.records import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

SKETCH = 120
FILE_ROWS = 100_000
NEAR_SHARE = 0.05
GROUP = 500
"""Fingerprints stored in one transaction."""


def made(count: int, random: np.random.Generator) -> Iterator[tuple[Any, Any, Any]]:
    """Yield sketches, band keys and numbers of a file's documents; some are changed copies of others in it."""
    for start in range(0, count, FILE_ROWS):
        size = min(FILE_ROWS, count - start)
        sketches = random.integers(0, 256, (size, SKETCH), np.uint8)
        keys = random.integers(-(2**31), 2**31, (size, BANDS), np.int32)
        numbers = np.sort(random.integers(0, 2**16, (size, 12), np.uint16), axis=1)
        for copy in random.choice(np.arange(1, size), int(size * NEAR_SHARE), replace=False):
            origin = random.integers(0, copy)
            sketches[copy] = sketches[origin]
            changed = random.choice(SKETCH, random.integers(0, 50), replace=False)
            sketches[copy, changed] = random.integers(0, 256, len(changed), np.uint8)
            shared = random.choice(BANDS, random.integers(1, 15), replace=False)
            keys[copy, shared] = keys[origin, shared]
            if random.random() < 0.9:
                numbers[copy] = numbers[origin]
        yield sketches, keys, numbers


def write(folder: Path, count: int) -> None:
    """Write a release without texts."""
    import pyarrow
    from pyarrow import parquet

    for name in ("data", "fingerprints"):
        (folder / name).mkdir(parents=True)
    manifest: dict[str, Any] = {"format": "parquet", "name": "made up", "files": [], "fingerprints": []}
    start = 0
    for number, (sketches, keys, numbers) in enumerate(made(count, np.random.default_rng(count))):
        size = len(sketches)
        ids = [f"{each:032x}" for each in range(start, start + size)]
        documents = {
            "id": ids,
            "chars": np.full(size, 3000),
            "date": ["2026-11-01"] * size,
            "url": [f"https://news.example/{each}.html" for each in range(start, start + size)],
            "version": np.ones(size, np.int64),
        }
        prints = {
            "id": ids,
            "scheme": [SCHEME] * size,
            "exact": pyarrow.array(
                [each.to_bytes(16, "big") for each in range(start, start + size)], pyarrow.binary(16)
            ),
            "shingles": np.full(size, 2500, np.int32),
            "sketch": [row.tobytes() for row in sketches],
            "bands": list(keys),
            "numbers": [row.astype(">u2").tobytes() for row in numbers],
        }
        for kind, table in (
            ("data", pyarrow.table(documents)),
            ("fingerprints", pyarrow.table(prints).cast(fingerprints.schema())),
        ):
            name = f"{kind}/{number:05}.parquet"
            parquet.write_table(table, folder / name, compression="zstd")
            manifest["files" if kind == "data" else kind].append({"path": name})
        start += size
    (folder / "manifest.json").write_text(json.dumps(manifest))


def measure(folder: Path, memory: int, answers: Any) -> None:
    """Run `dedup` in a process of its own, so that the peak is its own."""
    began = time.monotonic()
    report = dedup([read_dump(folder, needed_fields(write=False))], [], None, DedupRules(memory=memory))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    answers.put(
        {
            "documents": report.documents,
            "sets": report.sets,
            "near": report.near,
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
            "seconds": round(time.monotonic() - began, 1),
            "peak_mb": usage.ru_maxrss >> 10,
        }
    )


def compare(folder: Path) -> bool:
    """Return whether the SQL index has the same sets."""
    from pyarrow import parquet

    dump = read_dump(folder, needed_fields(write=False))
    with tempfile.TemporaryDirectory() as name, duck_tables(Path(name), 2**31) as tables:
        table = FingerprintTable(tables, Path(name))
        for file in dump.files:
            assert file.prints
            table.add(parquet.read_table(file.prints), file.prints)
        roots = table.sets().roots.tolist()
    ids: list[int] = []
    with tempfile.TemporaryDirectory() as name, Corpus.open(f"sqlite:///{name}/x.db", create=True) as corpus:
        for file in dump.files:
            assert file.prints
            rows = parquet.read_table(file.prints, columns=list(Fingerprint.__dataclass_fields__)).to_pylist()
            prints = [Fingerprint(**row | {"bands": tuple(row["bands"])}) for row in rows]
            for start in range(0, len(prints), GROUP):
                some = prints[start : start + GROUP]
                ids += corpus.database.write(lambda connection, some=some: duplicates.register(connection, some))
        query = "SELECT id, set_id FROM fingerprint"
        sets = dict(corpus.database.read(lambda connection: connection.exec_driver_sql(query).all()))
    pairs = {(root, sets[print_id]) for root, print_id in zip(roots, ids, strict=True)}
    return len(pairs) == len({root for root, _ in pairs}) == len({other for _, other in pairs})


def main() -> int:
    """Measure each size. Return 1 if sets differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", default="1000000,4000000")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--folder", type=Path, help="where releases are kept for a next run")
    parser.add_argument("--index", action="store_true", help="compare with the SQL index")
    options = parser.parse_args()
    same = True
    with tempfile.TemporaryDirectory() as name:
        for count in map(int, options.documents.split(",")):
            folder = (options.folder or Path(name)) / str(count)
            if not (folder / "manifest.json").exists():
                write(folder, count)
            context = multiprocessing.get_context("spawn")
            answers = context.SimpleQueue()
            process = context.Process(target=measure, args=(folder, parse_size(options.memory), answers))
            process.start()
            process.join()
            found = answers.get()
            if options.index:
                found["as_index"] = compare(folder)
                same &= found["as_index"]
            print(json.dumps(found), flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
