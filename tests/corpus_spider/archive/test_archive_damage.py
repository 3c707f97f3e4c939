"""Damaged archives: other programs read them, and `check` reports corruption wherever it is."""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from fastwarc.warc import ArchiveIterator as FastWarcIterator
from warcio.archiveiterator import ArchiveIterator

from storage import Corpus
from storage.warc import OriginalStore, read_record
from storage.warc.scan import scan
from tests.corpus_spider.faults import SmallCrawls, cut_power, damage, mark_synced, new_corpus
from tests.corpus_spider.running import SEED, often

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO


@pytest.fixture(scope="module")
def survived(crawls: SmallCrawls, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that has been through kills, a power cut and a full disk."""
    top = tmp_path_factory.mktemp("survived")
    folder, chance = new_corpus(top / "corpus"), random.Random(SEED)
    for fault in ("kill@any:70", "full@write:60", "kill@any:90"):
        mark_synced(folder, top / "synced")
        crawls.run(folder, DISK_FAULT=fault, DISK_SYNCED=str(top / "synced"))
        cut_power(folder, top / "synced", chance)
    assert crawls.run(folder) == 0
    assert damage(folder) == []
    return folder


def files(folder: Path) -> list[Path]:
    return sorted((folder / "warc").glob("*.warc.gz"))


def read_by_warcio(file: BinaryIO) -> list[str]:
    found = []
    for record in ArchiveIterator(file, check_digests="raise"):
        record.raw_stream.read()
        found.append(record.rec_headers["WARC-Record-ID"].strip("<>"))
    return found


def test_other_programs_read_every_file(survived: Path) -> None:
    """warcio and FastWARC find the records that we find, with the digests they state, and `gzip -t` no fault."""
    for path in files(survived):
        ours = [record.record_id for record in scan(path) if record.ok]
        with path.open("rb") as file:
            assert read_by_warcio(file) == ours
        fast = list(FastWarcIterator(str(path), parse_http=False, verify_digests=True))
        assert [record.record_id.strip("<>") for record in fast] == ours
        assert subprocess.run(["gzip", "-t", str(path)], check=False).returncode == 0


def test_every_pointer_and_every_revisit_leads_to_its_payload(survived: Path) -> None:
    """Of each fetch the exchange can be read back, of those that brought nothing new the one they refer to."""
    with Corpus.open(survived / "corpus.db", read_only=True) as corpus:
        fetches = list(corpus.fetches())
    assert fetches
    for fetch in fetches:
        assert read_record(OriginalStore(survived / "warc"), fetch.pointer).status == fetch.status
        if fetch.original:
            assert read_record(OriginalStore(survived / "warc"), fetch.original).body


@pytest.mark.timeout(3600)
def test_a_flipped_bit_anywhere_is_noticed(
    survived: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The deep check names the file, and says that one record of it is damaged, no more than two."""
    folder, chance = shutil.copytree(survived, tmp_path / "corpus"), random.Random(SEED)
    flips = often(8, 1000)
    for _ in range(flips):
        path = chance.choice(files(folder))
        sound = path.read_bytes()
        at = chance.randrange(len(sound))
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 1 << chance.randrange(8)]) + sound[at + 1 :])
        found = damage(folder)
        assert any(path.name in problem for problem in found), at
        path.write_bytes(sound)
    assert damage(folder) == []
    record_property("flipped bits", f"seed {SEED}: {flips}, all noticed")


def test_a_zero_filled_tail_is_noticed_and_the_rest_stays_readable(survived: Path, tmp_path: Path) -> None:
    """As after a power cut on a file system that promised less."""
    folder = shutil.copytree(survived, tmp_path / "corpus")
    path = max(files(folder), key=lambda each: each.stat().st_size)
    sound = path.read_bytes()
    whole = [record.offset for record in scan(path) if record.end <= len(sound) - 4096]
    path.write_bytes(sound[:-4096] + bytes(4096))
    assert any(path.name in problem for problem in damage(folder))
    assert [record.offset for record in scan(path) if record.ok] == whole
