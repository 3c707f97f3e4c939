"""The hostile bench as one crawl: its sites, their configuration, and what a crawl came to."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.crawling.host_backoff import FAILURES
from tests.corpus_spider.hostile import bombs, framing, net, pages, redirects, rules, sources, traps
from tests.corpus_spider.hostile.entry import DOCUMENT, Entry
from tests.corpus_spider.hostile.server import Bench, Site
from tests.corpus_spider.running import environment, program

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BODY = "1 MiB"
RESULTS = """
SELECT url.url, url.state, url.reason, url.attempts, last.outcome, last.reason, document_text.text
FROM url
LEFT JOIN http_fetch AS last ON last.id = (SELECT max(id) FROM http_fetch WHERE url_id = url.id)
LEFT JOIN document ON document.url_id = url.id AND NOT document.superseded
LEFT JOIN document_text ON document_text.document_id = document.id
"""


def sites(*, heavy: bool) -> dict[str, Site]:
    """Return the hosts of the bench; the heavy ones, which are not for every test run, on request."""

    def kept(entries: Iterable[Entry]) -> tuple[Entry, ...]:
        return tuple(entry for entry in entries if heavy or not entry.heavy)

    paths = lambda entries: tuple(entry.path for entry in entries)  # noqa: E731
    made = [
        Site("bomb", kept(bombs.ENTRIES)),
        Site("redir", kept(redirects.ENTRIES), redirects.MORE),
        Site(
            "inside",
            redirects.S1_ENTRIES,
            {"/robots.txt": redirects.ROBOTS},
            ("/feed.xml",),
            ("/sitemap.xml", "/index.xml"),
        ),
        Site("odd", kept(pages.ENTRIES), pages.MORE),
        Site("src", kept(sources.ENTRIES), {}, paths(sources.FEEDS), paths(sources.SITEMAPS)),
    ]
    made += [
        Site(f"net{number}", part) for number, part in enumerate(reachable(kept((*net.ENTRIES, *framing.ENTRIES))))
    ]
    made += [
        Site(name, rules.entries(name), {"/robots.txt": answer, **rules.MORE}) for name, answer in rules.HOSTS.items()
    ]
    made += [Site(entry.path.strip("/"), (entry,)) for entry in kept(traps.ENTRIES)]
    return {site.name: site for site in made}


def reachable(entries: Iterable[Entry]) -> list[tuple[Entry, ...]]:
    """Part entries into hosts of which none can fail so often in a row that the crawl leaves it to the next run."""
    most, made = (FAILURES - 1) // 2, [list[Entry]()]
    for entry in entries:
        if entry.most > 1 and sum(other.most > 1 for other in made[-1]) == most:
            made.append([])
        made[-1].append(entry)
    return [tuple(part) for part in made]


def corpus_toml(bench: Bench, **crawl: str) -> str:
    """Return a corpus.toml with a site for each host of the bench."""
    settings = {
        "delay": "0.0",
        "per_host": "8",
        "timeout": "10",
        "retries": "1",
        "workers": "2",
        "max_body": f'"{MAX_BODY}"',
    }
    settings |= {"allow_private": f'["*.localhost:{bench.port}"]', "site_models": "false"} | crawl
    lines = "\n".join(f"{key} = {value}" for key, value in settings.items())
    tables = "".join(_table(site, bench) for site in bench.sites.values())
    return f'[corpus]\nname = "test"\ncontact = "tests@example.org"\n\n[crawl]\n{lines}\n{tables}'


def _table(site: Site, bench: Bench) -> str:
    def named(paths: Iterable[str]) -> str:
        return str([f"http://{site.name}.localhost:{bench.port}{path}" for path in paths])

    hosts = "".join(f'"{host}", ' for host in INSIDE_HOSTS) if site.name == "inside" else ""
    return (
        f'\n[[site]]\nname = "{site.name}"\nstart = {named(["/"])}\nfeeds = {named(site.feeds)}\n'
        f"sitemaps = {named(site.sitemaps)}\nhosts = [{hosts}]\n"
    )


INSIDE_HOSTS = ("printer.local", "127.0.0.1")


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one address."""

    outcome: str
    """``document``, the reason of a drop or a failure, or the state of an address that is still due."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Crawled:
    """One crawl of the bench."""

    bench: Bench
    folder: Path
    code: int
    log: str
    results: dict[str, dict[str, Result]]
    """By site's name and path."""
    peak_kib: int
    """Most memory of the program itself."""
    sockets: frozenset[str]
    """Addresses the program was seen to listen on."""
    seconds: float


def crawl(folder: Path, bench: Bench, **settings: str) -> Crawled:
    """Crawl the bench in a process of its own, watching it."""
    (folder / "corpus.toml").write_text(corpus_toml(bench, **settings))
    started, listening = time.monotonic(), set()
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            program("crawl", "-v"), cwd=folder, env=environment(), stdout=log, stderr=log, start_new_session=True
        )
        peak = 0
        while process.poll() is None:
            listening |= listens(process.pid)
            peak = max(peak, memory(process.pid))
            if time.monotonic() - started > 1000:
                os.killpg(process.pid, 9)
            time.sleep(0.2)
    return Crawled(
        bench, folder, process.returncode, (folder / "log.txt").read_bytes().decode("utf-8", "surrogateescape"),
        results(folder), peak, frozenset(listening), time.monotonic() - started,
    )  # fmt: skip


def memory(pid: int) -> int:
    """Return the most memory (KiB) a process has had resident, 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def listens(pid: int) -> set[str]:
    """Return the internet addresses that a process listens on."""
    try:
        held = {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}
        tables = [
            line.split()
            for name in ("tcp", "tcp6", "udp", "udp6")
            for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
        ]
    except OSError:
        return set()
    return {row[1] for row in tables if f"socket:[{row[9]}]" in held and row[3] in {"0A", "07"}}


def results(folder: Path) -> dict[str, dict[str, Result]]:
    """Read what became of every address."""
    found: dict[str, dict[str, Result]] = {}
    with closing(sqlite3.connect(folder / "corpus.db")) as database:
        for url, state, reason, _, outcome, why, text in database.execute(RESULTS):
            parts = urlsplit(url)
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            word = "superseded" if outcome == DOCUMENT else why or reason or outcome or state
            word = DOCUMENT if text is not None else word
            # Set back to be asked for again, or failed before it had an answer.
            word = reason or state if state in {"pending", "failed"} and not why else word
            found.setdefault((parts.hostname or "").split(".")[0], {})[path] = Result(word, text or "")
    return found
