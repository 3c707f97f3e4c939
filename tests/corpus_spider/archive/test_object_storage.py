"""WARC files in object storage: nothing is lost whatever the server does, and removals reach every version."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config.loader import load
from storage.errors import ConfigError, DiskError
from storage.warc import OriginalStore, objects
from tests.corpus_spider.archive.object_server import BUCKET, KEYS, ObjectServer, object_server
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import run
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

need("s3")
NAME = "news-20261120021500-5f3e-00001.warc.gz"
ADDRESS = f"s3://{BUCKET}/news"


@pytest.fixture
def server() -> Iterator[ObjectServer]:
    with object_server() as running:
        yield running


@pytest.fixture
def store(server: ObjectServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OriginalStore:
    for name, value in server.variables.items():
        monkeypatch.setenv(name, value)
    return OriginalStore(tmp_path, objects.S3Objects(ADDRESS), ADDRESS)


@pytest.mark.parametrize("fault", ["flipped", "cut", "full", "slow", "killed"])
def test_a_fault_during_an_upload_loses_nothing_and_the_next_one_succeeds(
    fault: str, server: ObjectServer, store: OriginalStore
) -> None:
    content = os.urandom(300_000)
    (store.folder / NAME).write_bytes(content)
    server.fault = fault
    if fault == "slow":
        store.put(NAME)
    else:
        with pytest.raises(DiskError, match="the object storage refuses"):
            store.put(NAME)
        assert (store.folder / NAME).read_bytes() == content
    assert set(server.uploads) == {fault}
    server.fault = ""
    if fault == "killed":
        server.start()
        server.client.create_bucket(Bucket=BUCKET)
    if fault != "slow":
        assert store.uploaded() == {}
        store.put(NAME)
    assert (store.local(), store.list()) == ((), {NAME: len(content)})
    assert store.range(NAME, 100, 50) == content[100:150]
    assert store.fetch(NAME)
    assert (store.folder / NAME).read_bytes() == content


def test_an_upload_that_was_killed_before_the_local_file_went_is_repeated(store: OriginalStore) -> None:
    """The object is there already, and it is the same."""
    (store.folder / NAME).write_bytes(b"content")
    assert store.objects
    store.objects.put(store.folder / NAME)
    store.put(NAME)
    assert store.local() == ()


def test_a_file_never_takes_the_place_of_another_one(server: ObjectServer, store: OriginalStore) -> None:
    server.client.put_object(Bucket=BUCKET, Key=f"news/{NAME}", Body=b"of another corpus")
    (store.folder / NAME).write_bytes(b"content")
    with pytest.raises(DiskError, match="differs from the local one"):
        store.put(NAME)
    assert (store.local(), store.range(NAME, 0, 9)) == ((NAME,), b"content")


def test_a_server_that_states_no_digest_is_read_back(
    server: ObjectServer, store: OriginalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(store.objects, objects.S3Objects)
    client, head = store.objects._client, store.objects._client.head_object
    unstated = {"ChecksumSHA256", "ChecksumType"}
    monkeypatch.setattr(
        client, "head_object", lambda **asked: {k: v for k, v in head(**asked).items() if k not in unstated}
    )
    (store.folder / NAME).write_bytes(b"content")
    store.put(NAME)
    server.client.put_object(Bucket=BUCKET, Key=f"news/{NAME}", Body=b"damaged")
    (store.folder / NAME).write_bytes(b"content")
    with pytest.raises(DiskError, match="differs"):
        store.put(NAME)


def test_many_records_of_a_file_are_read_in_one_download(store: OriginalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first few one by one. A file of which few records are wanted is not downloaded."""
    (store.folder / NAME).write_bytes(content := os.urandom(5000))
    store.put(NAME)
    asked = list[str]()
    for verb in ("fetch", "range"):
        real = getattr(objects.S3Objects, verb)
        monkeypatch.setattr(
            objects.S3Objects, verb, lambda *given, _real=real, _verb=verb: asked.append(_verb) or _real(*given)
        )
    stream = store.streaming()
    assert b"".join(stream.range(NAME, at, 100) for at in range(0, 6000, 100)) == content
    assert asked == ["range"] * (objects.MIN_RANGES - 1) + ["fetch"]


@pytest.mark.parametrize("scheme", ["memory://originals-of-tests", "file://{folder}/elsewhere"])
def test_other_addresses_are_verified_by_reading_back(tmp_path: Path, scheme: str) -> None:
    """A shorter object is what a cut connection left: it is replaced. One of the same length is not."""
    place = objects.FsspecObjects(scheme.format(folder=tmp_path))
    store = OriginalStore(tmp_path, place, place.address)
    assert store.list() == {}
    (tmp_path / NAME).write_bytes(b"content")
    store.put(NAME)
    assert (store.local(), store.list(), store.range(NAME, 3, 99)) == ((), {NAME: 7}, b"tent")
    for other, is_replaced in ((b"cont", True), (b"another", False)):
        system, path = place._path(NAME)
        system.pipe_file(path, other)
        (tmp_path / NAME).write_bytes(b"content")
        if is_replaced:
            store.put(NAME)
        else:
            with pytest.raises(DiskError, match="differs"):
                store.put(NAME)
    store.delete(NAME)
    assert store.list() == {}
    with pytest.raises(FileNotFoundError):
        store.range(NAME, 0, 5)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('warc = "s3://key:s3cr3t-Pa55@bucket/news"', "credentials come from the environment only"),
        ('warc = "sftp://user:s3cr3t-Pa55@host/news"', "credentials come from the environment only"),
        ('warc = "abfs://box/news?sig=s3cr3t-Pa55"', "credentials come from the environment only"),
        ('warc = "s3:///news"', "expected a folder, or an address"),
        ('warc = "s3://bucket/news"\n[crawl]\nroll_bytes = "6 GiB"', "at most 4 GiB"),
    ],
)
def test_addresses_with_credentials_and_too_large_files_are_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "corpus.toml").write_text(f"[corpus]\n{line}\n")
    with pytest.raises(ConfigError, match=message) as refused:
        load(tmp_path / "corpus.toml", environ={})
    assert "s3cr3t" not in str(refused.value)


def test_a_corpus_lives_in_object_storage(tmp_path: Path) -> None:
    """Crawl, check, show, re-extract, back up, export and remove; a night without the server is made good."""
    with object_server(ObjectLockEnabledForBucket=True) as server, served(Newspaper(articles=4)) as paper:
        toml = corpus_toml(paper, site_models=False).replace("[corpus]", f'[corpus]\nwarc = "{ADDRESS}"', 1)
        (tmp_path / "corpus.toml").write_text(toml)

        def done(*arguments: str) -> str:
            ended = run(tmp_path, *arguments, **server.variables)
            assert ended.returncode == 0, (arguments, ended.stdout, ended.stderr)
            return ended.stdout

        server.fault = "cut"
        done("crawl")
        assert len(list((tmp_path / "warc").glob("*.warc.gz"))) == 1
        assert json.loads(done("status", "--json"))["uploads"]["files"] == 1
        assert "Not uploaded yet" in run(tmp_path, "health", **server.variables).stderr
        server.fault = ""
        done("crawl", "--now")
        assert not list((tmp_path / "warc").glob("*.warc.gz*"))
        assert len(server.versions()) == 2
        checked = json.loads(done("check", "--deep", "--json"))
        assert (checked["problems"], checked["files"]) == ([], 2)
        assert KEYS["AWS_SECRET_ACCESS_KEY"] not in done("config") + done("status", "--all")
        found = json.loads(done("reextract", "--json"))
        assert (found["unreadable"], found["changed"], found["lost"]) == (0, 0, 0)
        done("backup", str(tmp_path / "copy"))
        done("export", "-o", "originals.wacz")
        assert "object storage" in done("doctor")

        documents = [json.loads(line) for line in done("export", "-o", "-", "--format", "jsonl").splitlines()]
        address, text = documents[0]["url"], documents[0]["text"]
        before = set(server.versions())
        held = min(key for key in before if _holds(server, key, address))
        server.client.put_object_legal_hold(Bucket=BUCKET, Key=held, LegalHold={"Status": "ON"})
        kept = run(tmp_path, "remove", "--url", address, "--reason", "a test", "--yes", **server.variables)
        assert kept.returncode != 0
        assert held.rpartition("/")[2] in kept.stderr
        server.client.put_object_legal_hold(Bucket=BUCKET, Key=held, LegalHold={"Status": "OFF"})
        done("remove")
        assert held not in server.versions()
        assert not [key for key in server.versions() if _has_text(server, key, text)]
        assert json.loads(done("check", "--deep", "--json"))["problems"] == []


def _records(server: ObjectServer, key: str) -> bytes:
    import gzip

    return gzip.decompress(server.client.get_object(Bucket=BUCKET, Key=key)["Body"].read())


def _holds(server: ObjectServer, key: str, address: str) -> bool:
    return f"WARC-Target-URI: {address}\r\n".encode() in _records(server, key)


def _has_text(server: ObjectServer, key: str, text: str) -> bool:
    return text.splitlines()[0].encode() in _records(server, key)
