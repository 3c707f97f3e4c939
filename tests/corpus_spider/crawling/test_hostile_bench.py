"""Hostile bench as one crawl: it ends by itself, each address has its expected outcome, and nothing leaks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.corpus_spider.hostile.bench import Crawled, Result, crawl, sites
from tests.corpus_spider.hostile.entry import DOCUMENT, Entry, mark
from tests.corpus_spider.hostile.server import served

if TYPE_CHECKING:
    from pathlib import Path

SECRETS = (b"s3cr3t-Pa55", b"hunter2-in-url")
MEMORY_KIB = 600 * 1024
LINE = re.compile(r"\S+ (?:DEBUG|INFO|WARNING|ERROR) [\w.]+: .{1,1500}")
UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
ENTRIES = [(site.name, entry) for site in sites(heavy=False).values() for entry in site.entries]


def ids(value: object) -> str:
    return value.path[:50] if isinstance(value, Entry) else str(value)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """One crawl of all but the heavy part."""
    with served(sites(heavy=False)) as bench:
        return crawl(tmp_path_factory.mktemp("hostile"), bench)


def faults(crawled: Crawled, name: str, entry: Entry) -> list[str]:
    """Say what is not as it stands beside an entry."""
    site, found = crawled.bench.sites[name], crawled.results.get(name, {})
    became, found_more = found.get(entry.path, Result("")), found.get(entry.leads, Result(""))
    wrong = []
    if entry.outcome != "*" and became.outcome not in entry.outcome.split("|"):
        wrong.append(f"came to {became.outcome!r}, not {entry.outcome!r}")
    if entry.outcome == DOCUMENT and mark(entry.text or entry.path) not in became.text.lower():
        wrong.append("its text has no mark")
    if (asked := site.requests(entry)) > entry.most:
        wrong.append(f"was asked for {asked} times, more than {entry.most}")
    if entry.bytes and site.sent[entry.path] > entry.bytes:
        wrong.append(f"sent {site.sent[entry.path]} bytes, more than {entry.bytes}")
    if entry.leads and found_more.outcome != DOCUMENT:
        wrong.append(f"{entry.leads} came to {found_more.outcome!r}")
    return wrong


@pytest.mark.parametrize(("name", "entry"), ENTRIES, ids=ids)
def test_every_address_comes_to_what_stands_beside_it(crawled: Crawled, name: str, entry: Entry) -> None:
    """Outcome, text, requests, bytes and where it leads."""
    assert faults(crawled, name, entry) == []


def test_the_crawl_ends_by_itself_in_bounded_memory(crawled: Crawled) -> None:
    """With the exit code of a crawl that is done; some sites may count as sick."""
    assert crawled.code in {0, 8}, crawled.log[-3000:]
    assert crawled.peak_kib < MEMORY_KIB
    assert "worker crashed" not in crawled.log


def test_nothing_inside_is_reached(crawled: Crawled) -> None:
    """Neither the canary nor a host by another name than those that are allowed."""
    assert crawled.bench.reached == []


def test_a_crawl_listens_nowhere(crawled: Crawled) -> None:
    assert crawled.sockets == frozenset()


def test_passwords_in_addresses_stand_only_in_what_a_server_sent(crawled: Crawled) -> None:
    """Not in the database, in the log, or in anything else of the archive."""
    for path in files(crawled.folder):
        if path.suffix == ".gz":
            assert not list(secret_records(path))
        else:
            assert not [secret for secret in SECRETS if secret in path.read_bytes()], path.name


def secret_records(path: Path) -> list[str]:
    """Return the records that hold a secret anywhere but in the block of a response."""
    with path.open("rb") as stream:
        found = []
        for record in ArchiveIterator(stream, parse_http=False):
            block = b"" if record.record_type == WarcRecordType.response else record.reader.read()
            text = block + "".join(f"{name}: {value}\n" for name, value in record.headers).encode()
            if any(secret in text for secret in SECRETS):
                found.append(str(record.headers["WARC-Target-URI"]))
        return found


def files(folder: Path) -> list[Path]:
    """Return what a crawl has written, and the log."""
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "corpus.toml"]


def test_every_line_of_the_log_is_one_event_and_harmless(crawled: Crawled) -> None:
    """Nothing that a server chose can begin a line, move a cursor or turn the text around."""
    head, _, _ = crawled.log.partition("# Sites")
    lines = head.rstrip("\n").split("\n")
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert UNSAFE.findall(head) == []


def test_what_a_crawl_writes_is_its_owners_alone(crawled: Crawled) -> None:
    """Folders 0700, files 0600."""
    made = [path for path in crawled.folder.rglob("*") if path.name not in {"corpus.toml", "log.txt"}]
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in made}
    assert modes == {path.name: "0o700" if path.is_dir() else "0o600" for path in made}
