"""Start-up time of a crawl on a large corpus whose last run was killed, and with many newspapers.

    python benchmarks/startup.py [--pages 100000] [--sites 10000] [--folder WORK]

The benchmark builds a corpus of so many pages in forty papers through storage's own interface, with documents,
fingerprints and links. All originals are in one WARC file, in the state that a kill leaves. A crawl then starts twice
with nothing due: the first recovers the file. Figures: seconds until the first request could be sent, by the clock and
of CPU time, and the memory of the process. Site models are off: learning them has a time limit of its own. The build
takes some five minutes. A folder that has a corpus is used as it is.

Then a corpus without pages and with so many newspapers starts the first, the second and the hundredth time. The nights
between are recorded through storage's own interface. Gates: the second start takes at most 1.2 times the CPU time of
the first, and each at most 300 MiB. At 10,000 newspapers the CPU time was 8.3, 4.9 and 5.8 s, the memory 123, 110 and
196 MiB.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from crawl_site import HOSTS

from corpus_spider.config.loader import load
from corpus_spider.crawling.session import Session
from pipelines.text.minhash import fingerprint
from storage.corpus import Corpus
from storage.records import Capture, Document, Fetched, Kind, LanguageGuess, Link, Metadata, Processed
from storage.warc import WarcInfo, WarcWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.records import Lease

GROUP, BODY, GATE = 500, b"\x1f\x8b" + os.urandom(9_500), 5.0
CONFIG = '[corpus]\nname = "benchmark"\ncontact = "benchmark@example.org"\n[crawl]\nsite_models = false\n'
SITE = '[[site]]\nname = "paper-{number}"\nsitemaps = ["https://{host}/sitemap.xml"]\n'


def address(number: int) -> str:
    """Return the host of a paper."""
    return f"paper-{number}.example"


class Builder:
    """Writes pages as a crawl would, in groups."""

    def __init__(self, folder: Path, pages: int) -> None:
        self._config = load(folder / "corpus.toml")
        self._config.warc_folder.mkdir(parents=True, exist_ok=True)
        self._corpus = Corpus.open(self._config.database_url, create=True)
        self._warc = WarcWriter(self._config.warc_folder, "benchmark", WarcInfo("benchmark"), 1 << 40)
        self._pages, self._dice = pages, random.Random(1)
        self._words = [f"w{number}" for number in range(5000)]

    def build(self) -> None:
        """Read the sitemaps, then all they name; nothing is closed, as if killed."""
        self._run = self._corpus.runs.start("{}", [site.name for site in self._config.sites])
        self._corpus.frontier.seed(self._config.seeds())
        self._take(self._sitemap)
        while self._take(self._document):
            pass

    def _take(self, outcome: Callable[[Lease], Processed]) -> bool:
        quotas = {address(number): GROUP // HOSTS for number in range(HOSTS)}
        leases = self._corpus.frontier.lease(self._run, quotas, time.time())
        if leases:
            captures = [_capture(lease) for lease in leases]
            pointers = self._warc.append(captures)
            group = [Fetched(capture, lease) for capture, lease in zip(captures, leases, strict=True)]
            ids = self._corpus.fetches.record_fetched(self._run, list(zip(group, pointers, strict=True)))
            outcomes = [outcome(lease) for lease in leases]
            self._corpus.documents.record_processed(list(zip(ids, leases, outcomes, strict=True)))
        return bool(leases)

    def _sitemap(self, lease: Lease) -> Processed:
        urls = (f"https://{lease.host}/news/{page}.html" for page in range(self._pages // HOSTS))
        return Processed(links=tuple(Link(url, url, lease.host, Kind.PAGE) for url in urls))

    def _document(self, _: Lease) -> Processed:
        text = " ".join(self._dice.choices(self._words, k=60))
        guess = LanguageGuess("en", 1.0, "Latn", 1.0)
        return Processed(
            document=Document(
                text=text,
                language=guess,
                metadata=Metadata(),
                extractor="auto",
                extractor_version="1",
                extractor_reason="",
                encoding="utf-8",
                encoding_source="utf-8",
                replaced=0.0,
                fingerprint=fingerprint(text),
                site_model="",
            )
        )


def _capture(lease: Lease) -> Capture:
    answer = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
    asked = (("User-Agent", "benchmark"),)
    return Capture(lease.fetch_url, datetime.now(UTC), 200, asked, answer, BODY, lease.kind)


def start(folder: Path) -> None:
    """Open a session, say how long it took, and close it."""
    began = time.perf_counter()
    session = Session.open(load(folder / "corpus.toml"))
    seconds, cpu = time.perf_counter() - began, time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    session.close(0)
    print(f"{seconds:.2f} s, {cpu:.2f} s of CPU time (imports included), {peak:.0f} MiB (gate: {GATE:g} s)")


def configure(folder: Path, sites: int) -> None:
    """Write a corpus.toml with so many newspapers."""
    folder.mkdir(parents=True, exist_ok=True)
    papers = "".join(SITE.format(number=number, host=address(number)) for number in range(sites))
    (folder / "corpus.toml").write_text(CONFIG + papers)


def record_nights(folder: Path, number: int) -> None:
    """Record runs that found nothing new."""
    config = load(folder / "corpus.toml")
    sites, settings = [site.name for site in config.sites], msgspec.json.encode(config.effective()).decode()
    with Corpus.open(config.database_url) as corpus:
        for _ in range(number):
            run_id = corpus.runs.start(settings, sites)
            corpus.runs.recount(sites)
            corpus.runs.finish(run_id, 0, "{}")


def main() -> None:
    """Build what is not there, then start several times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--sites", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="folder of the corpus, built if missing (default: temporary)")
    parser.add_argument("--step", choices=("build", "start"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="startup-benchmark-"))
    if options.step == "start":
        start(folder)
    elif options.step == "build":
        configure(folder, HOSTS)
        Builder(folder, options.pages).build()
        os._exit(0)
    else:
        compare(folder, options.pages)
        start_often(folder / "newspapers", options.sites)


def compare(folder: Path, pages: int) -> None:
    """Run the steps, each in a process of its own, on a copy of what was built."""
    here = [sys.executable, __file__, "--pages", str(pages)]
    if not (folder / "built").exists():
        (folder / "built").mkdir(parents=True)
        subprocess.run([*here, "--folder", str(folder / "built"), "--step", "build"], check=True)
    shutil.rmtree(folder / "used", ignore_errors=True)
    shutil.copytree(folder / "built", folder / "used")
    for words in ("after a kill", "after an end"):
        print(f"{words}: ", end="", flush=True)
        subprocess.run([*here, "--folder", str(folder / "used"), "--step", "start"], check=True)


def start_often(folder: Path, sites: int) -> None:
    """Start the first, the second and the hundredth time, each in a process of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    configure(folder, sites)
    for ordinal in ("first", "second", "hundredth"):
        if ordinal == "hundredth":
            record_nights(folder, 97)
        print(f"{sites} newspapers, {ordinal} start: ", end="", flush=True)
        subprocess.run([sys.executable, __file__, "--folder", str(folder), "--step", "start"], check=True)


if __name__ == "__main__":
    main()
