"""Slow parts of the hostile bench: all of it as one crawl, silent hosts, and names of private addresses."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.crawling.test_hostile_bench import MEMORY_KIB, faults, ids
from tests.corpus_spider.hostile.bench import INSIDE_HOSTS, crawl, sites
from tests.corpus_spider.hostile.entry import Entry, http, page
from tests.corpus_spider.hostile.net import hang
from tests.corpus_spider.hostile.server import Bench, Site, served
from tests.corpus_spider.running import environment, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus_spider.hostile.bench import Crawled

SILENT, GOOD, PAGES = 100, 10, 20
ENTRIES = [(site.name, entry) for site in sites(heavy=True).values() for entry in site.entries]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """One crawl of the whole bench."""
    with served(sites(heavy=True)) as bench:
        return crawl(tmp_path_factory.mktemp("whole"), bench, timeout="8")


@pytest.mark.hostile
@pytest.mark.parametrize(("name", "entry"), ENTRIES, ids=ids)
def test_every_address_of_the_whole_comes_to_what_stands_beside_it(whole: Crawled, name: str, entry: Entry) -> None:
    """Traps too: each is held to its budget."""
    assert faults(whole, name, entry) == []


@pytest.mark.hostile
def test_the_whole_bench_ends_by_itself(whole: Crawled) -> None:
    """In less than a quarter of an hour, in bounded memory, with the canary untouched and a sound corpus."""
    assert whole.code in {0, 8}, whole.log[-3000:]
    assert whole.seconds < 900
    assert whole.peak_kib < MEMORY_KIB
    assert whole.bench.reached == []
    checked = run(whole.folder, "check", "--deep", "--json")
    assert json.loads(checked.stdout)["problems"] == []


def among_silent_hosts() -> dict[str, Site]:
    """A hundred hosts that say nothing, half of them not even for robots.txt, and ten that are well."""
    made = {
        f"silent{number}": Site(f"silent{number}", (), {"/robots.txt" if number % 2 else "/": hang})
        for number in range(SILENT)
    }
    for number in range(GOOD):
        entries = tuple(Entry("H1", f"/{index}", page(f"/{number}x{index}")) for index in range(PAGES))
        made[f"good{number}"] = Site(f"good{number}", entries)
    return made


@pytest.mark.hostile
def test_a_hundred_silent_hosts_do_not_hold_up_the_others(tmp_path: Path) -> None:
    """Every page of the others is fetched before the first silent host has been given up twice."""
    with served(among_silent_hosts()) as bench:
        done = crawl(tmp_path, bench, timeout="10", retries="0", time_limit='"30s"')
    good = [times for name, site in bench.sites.items() if name.startswith("good") for times in site.times.items()]
    begun = min(min(times) for site in bench.sites.values() for times in site.times.values())
    assert len([path for path, _ in good if path[1:].isdigit()]) == GOOD * PAGES
    assert max(max(times) for _, times in good) - begun < 30, done.log[-2000:]


# What `getaddrinfo` says of a name, one answer after the other.
LIES = {
    "rebind.example": ["93.184.215.14", "127.0.0.1"],
    "inside.example": ["127.0.0.1"],
    "zero.example": ["0.0.0.0"],
    "meta.example": ["169.254.169.254"],
    "lan.example": ["10.1.2.3"],
    "carrier.example": ["100.64.0.1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "local.example": ["fe80::1%lo"],
    "printer.local": ["127.0.0.1"],
}
RESOLVING = """
import itertools, json, socket, sys
lies, asked = json.loads(sys.argv[1]), {}
real = socket.getaddrinfo
def lie(name, *more, **named):
    if name not in lies:
        return real(name, *more, **named)
    asked[name] = asked.get(name, -1) + 1
    place = lies[name][min(asked[name], len(lies[name]) - 1)]
    return [(socket.AF_INET6 if ":" in place else socket.AF_INET, 1, 6, "", (place, 0))]
socket.getaddrinfo = lie
from corpus_spider.cli.app import run
sys.exit(run(["crawl", "--quiet"]))
"""


def lying_toml(bench: Bench) -> str:
    """Return a corpus.toml with a site for each name, at the canary's port, of which none is allowed."""
    start = '[corpus]\nname = "t"\ncontact = "t@example.org"\n[crawl]\ndelay = 0.0\ntimeout = 2\nretries = 1\n'
    names = [
        *LIES,
        *INSIDE_HOSTS,
        "2130706433",
        "0x7f.1",
        "[::1]",
        "localhost",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
    ]
    return start + "".join(
        f'[[site]]\nname = "s{number}"\nstart = ["http://{name}:{bench.canary}/"]\n'
        for number, name in enumerate(names)
    )


@pytest.mark.hostile
def test_names_that_resolve_to_private_addresses_reach_nothing(tmp_path: Path) -> None:
    """Nor do start pages that a configuration names, nor a name that is public when it is checked and private later."""
    with served({"none": Site("none", (), {"/": http(b"")})}) as bench:
        (tmp_path / "corpus.toml").write_text(lying_toml(bench))
        command = [sys.executable, "-c", RESOLVING, json.dumps(LIES)]
        ended = subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, check=False
        )
        assert bench.reached == []
    assert ended.returncode == 7, ended.stderr
