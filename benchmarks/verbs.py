"""Measure how the CPU time of each verb grows with the number of documents.

    python benchmarks/verbs.py [--sizes 3000,30000] [--folder WORK]

Builds a corpus of each size with `benchmarks/export.py`, or takes the one that the folder has. Each verb runs
in a process of its own. Printed are seconds of CPU time by size, of one document first, and the growth: CPU time per
document at the largest size over that at the smallest, without the start. The gate is 1.1.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from export import make

TEXT_BYTES, GATE = 5500, 1.1
VERBS: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "health": ("health",),
    "check": ("check",),
    "export --dry-run": ("export", "--dry-run"),
    **{
        f"export {name}": ("export", "--overwrite", "-o", f"{{folder}}/out.{name}")
        for name in ("jsonl.zst", "parquet", "prevert", "vert")
    },
    "crawl --dry-run": ("crawl", "--dry-run"),
}


def cpu_seconds(folder: Path, arguments: tuple[str, ...]) -> float:
    """Run a verb on the corpus in a folder, and return the CPU time of its processes."""
    given = [each.format(folder=folder) for each in arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "corpus_spider", "-c", str(folder), "-q", *given]
    # `check` reports that the corpus has no WARC files: exit code 6.
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="3000,30000", help="numbers of documents, separated by commas")
    parser.add_argument("--folder", type=Path, help="folder of the corpora (default: a temporary folder)")
    options = parser.parse_args()
    sizes = sorted(int(size) for size in options.sizes.split(","))
    with tempfile.TemporaryDirectory() as aside:
        folders = [(options.folder or Path(aside)) / str(size) for size in (1, *sizes)]
        for folder, size in zip(folders, (1, *sizes), strict=True):
            make(folder, size, TEXT_BYTES)
        for name, arguments in VERBS.items():
            start, *measured = (cpu_seconds(folder, arguments) for folder in folders)
            small = max(0.01, measured[0] - start) / sizes[0]
            large = max(0.01, measured[-1] - start) / sizes[-1]
            listed = "  ".join(f"{seconds:8.2f}" for seconds in (start, *measured))
            print(f"{name:<18} {listed}  growth {large / small:.2f} (gate: {GATE:g})", flush=True)


if __name__ == "__main__":
    main()
