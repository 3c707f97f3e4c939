"""Speed of a crawl, beside Scrapy itself and beside a crawler written in an afternoon.

    python benchmarks/crawl.py [--pages 1200] [--rounds 3] [--only VARIANT ...] [--folder WORK]

Forty hosts on loopback addresses serve real-sized pages of our own making without delay (benchmarks/crawl_site.py),
from a process of its own. Crawled in turn, so that a busy machine slows all alike: ``bare``, Scrapy's defaults, which
download and forget; ``fetch``, ours without extraction (robots.txt, WARC with fsync, both transactions; workers read
the sitemaps and leave the pages alone); ``full``, ours as it is (text, language, fingerprints, links); ``indexed``,
``full`` while another process refreshes the search index without a pause; ``naive`` (benchmarks/naive_spider.py). All
with 64 requests at a time, 8 to a host.

Printed are pages a second, CPU per page of the crawler, its workers and the server, how late the event loop was,
memory, the share of each stage of the writing thread, and ratios (medians of the rounds) with the gates they have to
pass: by the clock, and by the CPU time of crawler and workers together, which a busy machine disturbs less. A slope of
memory means something from 10 000 pages on (``--only full --pages 10000 --rounds 1``).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from crawl_site import capacity, serve

VARIANTS = ("bare", "fetch", "full", "indexed", "naive")
GATES = (("fetch", "bare", 1.3), ("full", "bare", 0.9), ("full", "naive", 8.0), ("indexed", "full", 0.95))
LATE_P99, PEAK_MIB, SLOPE_MIB, SERVER_LEAD = 0.1, 600.0, 1.0, 3.0
Result = dict[str, Any]


def run(variant: str, port: int, folder: Path, server_pid: int) -> Result:
    """Crawl once in a process of its own and an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    before = cpu_seconds(server_pid)
    command = [sys.executable, str(Path(__file__).with_name("crawl_runs.py")), variant, str(port), str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: Result = {"workers": 0.0, "stages": {}} | json.loads(done.stdout.splitlines()[-1])
    return result | {"server": cpu_seconds(server_pid) - before, "rate": result["pages"] / result["seconds"]}


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def middle(results: list[Result], name: str) -> float:
    """Return the median of a figure."""
    return statistics.median(result[name] for result in results)


def table(results: dict[str, list[Result]]) -> str:
    """Lay out a line for each variant."""
    header = (
        f"{'':<8}{'pages/s':>10}{'CPU ms a page: crawler':>26}{'workers':>9}{'server':>8}{'loop late ms: p99':>20}"
        f"{'max':>8}{'peak MiB':>10}{'MiB/10k':>9}"
    )
    lines = [header]
    for variant, own in results.items():
        parts = ("cpu", "workers", "server")
        cpu = [1000 * statistics.median(each[part] / each["pages"] for each in own) for part in parts]
        late = [1000 * middle(own, name) for name in ("late_p99", "late_max")]
        lines.append(
            f"{variant:<8}{middle(own, 'rate'):10.1f}{cpu[0]:26.2f}{cpu[1]:9.2f}{cpu[2]:8.2f}"
            f"{late[0]:20.1f}{late[1]:8.1f}{middle(own, 'peak_mib'):10.0f}{middle(own, 'slope'):9.1f}"
        )
    return "\n".join(lines)


def stages(own: list[Result]) -> str:
    """Describe the time that the writer thread spent in each stage, in milliseconds a page."""
    last = own[-1]
    parts = [f"{name} {1000 * spent / last['pages']:.2f}" for name, spent in last["stages"].items()]
    return f"writing thread, ms a page: {', '.join(parts)}; {json.dumps(last['counts'])}"


def per_cpu(result: Result) -> float:
    """Return the pages for a second of CPU time, of crawler and workers together."""
    pages: float = result["pages"] / (result["cpu"] + result["workers"])
    return pages


def verdicts(results: dict[str, list[Result]], lead: float) -> list[tuple[str, bool]]:
    """Hold what was measured against the gates."""
    found = [(f"the server alone is {lead:.1f} x the fastest crawl (>= {SERVER_LEAD:g})", lead >= SERVER_LEAD)]
    for one, other, least in GATES:
        if one in results and other in results:
            rounds = list(zip(results[one], results[other], strict=True))
            ratio = statistics.median(a["rate"] / b["rate"] for a, b in rounds)
            effort = statistics.median(per_cpu(a) / per_cpu(b) for a, b in rounds)
            found.append((f"{one} / {other} = {ratio:.2f} (>= {least:g}); by CPU time {effort:.2f}", ratio >= least))
    for variant in ("fetch", "full"):
        if own := results.get(variant):
            late, peak = middle(own, "late_p99"), max(each["peak_mib"] for each in own)
            found.append((f"{variant}: event loop late by {1000 * late:.0f} ms at p99 (< 100)", late < LATE_P99))
            found.append((f"{variant}: {peak:.0f} MiB in the parent (< {PEAK_MIB:g})", peak < PEAK_MIB))
            if own[0]["pages"] >= 10_000:
                grown = middle(own, "slope")
                found.append((f"{variant}: {grown:.1f} MiB more per 10 000 pages (< {SLOPE_MIB:g})", grown < SLOPE_MIB))
    return found


def main() -> None:
    """Make the web, crawl it in turn, print the tables; exit 1 when a gate is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--folder", type=Path, help="where to crawl (default: a temporary folder)")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="crawl-benchmark-"))
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(options.pages, theirs), daemon=True)
    server.start()
    port, html, sent = ours.recv()
    print(f"{options.pages} pages, {html / options.pages / 1000:.0f} KB, {sent / options.pages / 1000:.0f} KB as sent")
    results: dict[str, list[Result]] = {variant: [] for variant in options.only}
    leads = []
    for _ in range(options.rounds):
        alone = capacity(options.pages, port)
        for variant, own in results.items():
            own.append(run(variant, port, folder / variant, server.pid or 0))
            print(f"  {variant}: {own[-1]['rate']:.1f}/s, {json.dumps(own[-1])}", file=sys.stderr)
        leads.append(alone / max(own[-1]["rate"] for own in results.values()))
    server.terminate()
    print(table(results))
    for variant in ("fetch", "full"):
        if variant in results:
            print(f"{variant}: {stages(results[variant])}")
    verdict = verdicts(results, statistics.median(leads))
    print("\n".join(f"{'pass' if passed else 'MISS'}  {words}" for words, passed in verdict))
    sys.exit(not all(passed for _, passed in verdict))


if __name__ == "__main__":
    main()
