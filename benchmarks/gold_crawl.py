"""Crawl of a gold set as if it were the web, and scores of the stored texts.

    python benchmarks/gold_crawl.py GOLD_DIR [--folder WORK] [--extractor NAME]

A loopback server gives every ``site`` of the manifest a virtual host (``SITE.localhost``) with a sitemap of its pages;
a page's path is ``/ID``. Then, as a user would: `crawl`, `check --deep`, `evaluate`. Printed are pages per second, the
share of time in each stage, peak memory, what was dropped and why, and the scores of the stored texts.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

HEAD = """
[corpus]
name = "gold"
contact = "benchmark@example.org"

[crawl]
delay = 0.0
per_host = 4
max_depth = 1
concurrency = 64
allow_private = ["*.localhost:{port}"]
"""
SITE = """
[[site]]
name = "{name}"
sitemaps = ["http://{host}/sitemap.xml"]
extractor = "{extractor}"
"""


def hosts_of(gold: Path) -> dict[str, list[str]]:
    """Map each virtual host to the ids of its pages; a page without a site is a site of its own."""
    hosts: dict[str, list[str]] = defaultdict(list)
    for line in (gold / "manifest.jsonl").read_text("utf-8").splitlines():
        page = json.loads(line)
        name = re.sub(r"[^a-z0-9.-]+", "-", (page["site"] or page["id"]).lower()).strip("-.")
        hosts[f"{name}.localhost"].append(page["id"])
    return dict(hosts)


def serve(gold: Path, hosts: dict[str, list[str]], ready: Connection) -> None:
    """Serve pages and sitemaps until the parent ends this process."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = self.headers["Host"]
            name, page = host.partition(":")[0], self.path.strip("/")
            if page == "sitemap.xml":
                urls = "".join(f"<url><loc>http://{host}/{each}</loc></url>" for each in hosts.get(name, ()))
                self.reply(200, "application/xml", f"<urlset>{urls}</urlset>".encode())
            elif page in hosts.get(name, ()):
                self.reply(200, "text/html", (gold / "pages" / f"{page}.html").read_bytes())
            else:
                self.reply(404, "text/plain", b"not found")

        def reply(self, status: int, media: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", media)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    ready.send(server.server_address[1])
    server.serve_forever()


def configuration(hosts: dict[str, list[str]], port: int, extractor: str) -> str:
    """Return the corpus.toml of the whole set."""
    sites = [
        SITE.format(name=host.removesuffix(".localhost")[:60], host=f"{host}:{port}", extractor=extractor)
        for host in sorted(hosts)
    ]
    return HEAD.format(port=port) + "".join(sites)


def verb(folder: Path, *arguments: str) -> tuple[str, float]:
    """Run a verb of corpus-spider; return what it printed on stdout and how long it took."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "corpus_spider", *arguments]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in {0, 8}:
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}")
    return done.stdout, time.perf_counter() - started


def report(summary: dict[str, object], wall: float, parent_kib: int) -> None:
    """Print the speed, the stages and what was dropped."""
    seconds = dict(summary["seconds"])  # type: ignore[call-overload]
    seconds["workers (CPU)"] = summary["worker_cpu_seconds"]
    total = sum(seconds.values())
    print(f"\n{summary['pages']} exchanges, {summary['documents']} documents in {wall:.1f} s: ", end="")
    print(f"{int(summary['pages']) / wall:.1f} a second")  # type: ignore[call-overload]
    print(f"peak memory: parent {parent_kib // 1024} MiB, worker {int(summary['worker_peak_kib']) // 1024} MiB")  # type: ignore[call-overload]
    for stage, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        print(f"  {stage:<18} {spent:8.2f} s  {spent / total:6.1%} of the work counted")
    print("dropped:", json.dumps(summary["dropped"]))
    print("failed: ", json.dumps(summary["failed"]))


def main() -> None:
    """Serve, crawl, check, evaluate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--folder", type=Path, help="keep the corpus here (default: a temporary folder)")
    parser.add_argument("--extractor", default="auto")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="gold-crawl-"))
    folder.mkdir(parents=True, exist_ok=True)
    gold = options.gold.resolve()
    hosts = hosts_of(gold)
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(gold, hosts, theirs), daemon=True)
    server.start()
    (folder / "corpus.toml").write_text(configuration(hosts, ours.recv(), options.extractor))
    printed, wall = verb(folder, "crawl", "--release-suspended", "--json")
    parent_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    report(json.loads(printed), wall, parent_kib)
    print(verb(folder, "check", "--deep")[0])
    print(verb(folder, "evaluate", "--gold", str(gold), "--corpus", "corpus.toml")[0])
    server.terminate()


if __name__ == "__main__":
    main()
