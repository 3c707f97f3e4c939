"""Politeness: one crawl of hosts that each test one rule, and the requests that each host received."""

from __future__ import annotations

import json

import pytest

from storage import Corpus
from tests.corpus_spider.polite_hosts import Host, corpus_toml, hosts, served
from tests.corpus_spider.running import run

DELAY = 0.3
SLACK = 0.05
NAMES = tuple(hosts())


class Bench:
    """What one crawl of all hosts came to."""

    def __init__(self, answering: dict[str, Host], strays: list[str], summary: dict[str, object]) -> None:
        self.hosts, self.strays, self.summary = answering, strays, summary
        self.robots: dict[str, tuple[str, str | None]] = {}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder, answering = tmp_path_factory.mktemp("polite"), hosts()
    with served(answering) as strays:
        (folder / "corpus.toml").write_text(corpus_toml(answering, DELAY))
        crawled = run(folder, "crawl", "--json")
        # Some hosts can never be crawled: their sites are sick.
        assert crawled.returncode == 8, crawled.stderr
        made = Bench(answering, strays, json.loads(crawled.stdout))
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        for fetch in corpus.fetches():
            if fetch.lease is not None and fetch.terms is not None:
                made.robots[fetch.lease.site] = (fetch.terms.robots, fetch.terms.robots_sha256)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_what_robots_txt_allows_is_asked_for_and_nothing_else(bench: Bench, name: str) -> None:
    host = bench.hosts[name]
    assert host.asked == host.expected, host.log


@pytest.mark.parametrize("name", NAMES)
def test_between_two_requests_to_a_host_lies_the_longer_of_its_delay_and_ours(bench: Bench, name: str) -> None:
    host = bench.hosts[name]
    assert host.log
    assert min(host.gaps, default=DELAY + host.delay) >= max(DELAY, host.delay) - SLACK, host.log


@pytest.mark.parametrize("name", [name for name, host in hosts().items() if host.pause])
def test_no_request_falls_into_a_pause_that_was_asked_for(bench: Bench, name: str) -> None:
    host = bench.hosts[name]
    assert host.paused
    assert not [path for at, path in host.log if host.paused < at < host.paused + host.pause], (host.paused, host.log)


def test_a_redirect_of_robots_txt_reaches_no_private_address(bench: Bench) -> None:
    assert bench.strays == []


@pytest.mark.parametrize(
    ("name", "word"), [("private", "allowed"), ("missing", "missing"), ("forbidden", "missing"), ("six", "missing")]
)
def test_each_fetch_says_by_what_it_was_allowed(bench: Bench, name: str, word: str) -> None:
    """The verdict, and of a file its digest."""
    verdict, digest = bench.robots[name]
    assert (verdict, bool(digest)) == (word, word == "allowed")


def test_a_host_that_wants_too_long_a_delay_is_left_out_with_its_reason(bench: Bench) -> None:
    failed = bench.summary["failed"]
    assert isinstance(failed, dict)
    assert failed["crawl_delay"] == 1
