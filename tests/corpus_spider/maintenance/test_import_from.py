"""Import of archives from other servers: months, path lists and indexes."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from corpus_spider.config.loader import load
from corpus_spider.maintenance import backup as backups
from corpus_spider.maintenance.archive_inputs import CaptureDays
from corpus_spider.maintenance.backup import backup
from corpus_spider.maintenance.import_plan import ImportSource, announcement, estimate, plan_of
from corpus_spider.maintenance.taken_archives import TakenArchives
from corpus_spider.maintenance.warc_import import ImportReport, ImportRules, take_in
from corpus_spider.network import range_client
from corpus_spider.network.connection import Manners
from corpus_spider.network.range_client import BusyServerError, DownloadError, RangeClient
from storage.corpus import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.archive_server import ArchiveServer, archives_served
from tests.corpus_spider.local_paper import article, paragraphs
from tests.corpus_spider.maintenance.test_warc_import import PAPER, texts
from tests.corpus_spider.others_archives import Answer, archive, wacz
from tests.corpus_spider.running import ended, environment, program, run, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CONFIG = """
[corpus]
name = "taken"
database = "{database}"
contact = "tests@example.org"

[crawl]
allow_private = ["127.0.0.1:*"]
timeout = 5
workers = 1

[[site]]
name = "paper"
start = ["https://paper.example/"]
deny = ["/video/"]
"""
FILE = "/crawl-data/CC-NEWS/{month}/CC-NEWS-{day}000000-{number:05}.warc.gz"
OTHERS = [Answer(f"https://elsewhere.example/{number}", os.urandom(20_000)) for number in range(6)]


def story(number: int, day: str = "2019-01-05", **more: Any) -> Answer:
    return Answer(f"{PAPER}/story/{number}.html", article(number), day=f"{day}T10:00:00Z", **more)


def packed(folder: Path, *answers: Answer) -> bytes:
    return archive(folder / "made.warc.gz", *answers).read_bytes()


def month(server: ArchiveServer, when: str, *archives: bytes, day: str = "05") -> list[str]:
    """Serve the archives of a month and its list. Return their paths."""
    digits = when.replace("/", "")
    paths = [FILE.format(month=when, day=f"{digits}{day}", number=number) for number in range(len(archives))]
    server.files |= dict(zip(paths, archives, strict=True))
    listed = "".join(f"{path[1:]}\n" for path in paths).encode()
    server.files[f"/crawl-data/CC-NEWS/{when}/warc.paths.gz"] = gzip.compress(listed)
    return paths


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with archives_served(ArchiveServer()) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path, database_url: str) -> Path:
    return made(tmp_path, database_url)


def made(folder: Path, database: str = "") -> Path:
    (folder / "corpus.toml").write_text(CONFIG.format(database=database or f"sqlite:///{folder / 'corpus.db'}"))
    return folder


def taken(
    folder: Path,
    server: ArchiveServer,
    name: str = "cc-news",
    *,
    since: str = "2019-01-01",
    until: str = "2019-01-31",
    base: str | None = None,
    cdx: bool = False,
) -> ImportReport:
    """Import in this process, without waiting for servers."""
    config, days = load(folder / "corpus.toml"), CaptureDays(since, until)
    client = RangeClient(Manners(config.user_agent, 5, allow_private=("127.0.0.1:*",)), lambda _: None)
    known, report = TakenArchives(config, days), ImportReport()
    source = ImportSource(name, days, server.address if base is None else base, is_index=cdx)
    plan = plan_of(config, source, client, known)
    report.failed, report.taken_before = plan.failed, plan.taken
    try:
        take_in(config, plan.left, report, rules=ImportRules(days, known, client.stop))
    finally:
        client.close()
    return report


def expected(*numbers: int) -> dict[str, str]:
    return {f"/story/{number}.html": "\n".join(paragraphs(number)) for number in numbers}


def stored_once(folder: Path) -> set[str]:
    """Return the addresses of the originals, which may not be there twice."""
    config = load(folder / "corpus.toml")
    uris = []
    for path in config.warc_folder.glob("*.warc.gz"):
        with path.open("rb") as file:
            uris += [
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(file)
                if record.rec_type == "response"
            ]
    assert len(uris) == len(set(uris)), uris
    return {uri.removeprefix(PAPER) for uri in uris}


def test_the_months_of_common_crawls_news_are_imported(folder: Path, server: ArchiveServer) -> None:
    """Only pages of the sites, by their link rules and in the days; estimated first, and not taken a second time."""
    month(server, "2019/01", packed(folder, story(1), *OTHERS), packed(folder, story(2, "2019-01-06")), day="05")
    late = packed(folder, story(3, "2019-02-28"), story(4, "2019-03-01"), Answer(f"{PAPER}/video/5", article(5)))
    month(server, "2019/02", late, day="28")
    options = ["import", "--from", "cc-news", "--base", server.address, "--since", "2019-01", "--until", "2019-02"]
    rehearsed = run(folder, *options, "--dry-run", "--json")
    assert rehearsed.returncode == 0, rehearsed.stderr
    planned = json.loads(rehearsed.stdout)
    assert (planned["planned"], planned["sampled"], planned["dry_run"]) == (3, 3, True)
    archives = [path for path in server.files if path.endswith(".warc.gz")]
    assert planned["estimated_bytes"] == sum(len(server.files[path]) for path in archives)
    assert not any(server.gets(path) for path in archives)
    done = run(folder, *options, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["archives"], report["pages"], report["documents"]) == (3, 3, 3)
    assert report["skipped"] == {"other_site": 6, "out_of_range": 1, "out_of_scope": 1}
    assert report["fetched_bytes"] >= planned["estimated_bytes"]
    assert "3 archives to read, about" in done.stderr
    assert texts(folder) == expected(1, 2, 3)
    assert run(folder, "check", "--deep").returncode == 0
    assert any("tests@example.org" in agent for agent in server.agents)
    again = json.loads(run(folder, *options, "--json").stdout)
    assert (again["taken_before"], again["planned"], again["answers"]) == (3, 0, 0)
    assert [len(server.gets(path)) for path in archives] == [1, 1, 1]
    assert server.at_once == 1


@pytest.mark.parametrize(
    ("faults", "ranges"),
    [
        (["cut"], True),
        (["503", "429", "cut", "cut", "500"], True),
        (["cut", "wrong", "unstated", "cut-head"], True),
        (["cut", "cut"], False),
    ],
    ids=str,
)
def test_an_archive_arrives_whole_after_each_fault_on_the_way(
    tmp_path: Path, server: ArchiveServer, faults: list[str], ranges: bool
) -> None:
    """Cut connections go on at the missing byte, busy servers are waited for, a wrong range is never joined."""
    folder, server.ranges = made(tmp_path), ranges
    (path,) = month(server, "2019/01", packed(folder, story(1), *OTHERS, story(2), *OTHERS, story(3)))
    server.faults[path] = list(faults)
    report = taken(folder, server)
    assert (report.losses, report.failed) == (0, {})
    assert texts(folder) == expected(1, 2, 3)
    if ranges:
        assert server.sent[path] <= len(server.files[path]) * 1.01 + (1 << 20 if "wrong" in faults else 0)


def test_retry_after_is_obeyed(tmp_path: Path, server: ArchiveServer) -> None:
    """Also if it is longer than our own pauses are."""
    waits: list[float] = []
    server.files["/a.warc.gz"], server.faults["/a.warc.gz"], server.retry_after = b"x" * 9, ["429", "503"], "600"
    client = RangeClient(Manners("spider", 5, allow_private=("*:*",)), waits.append)
    stream = range_client.RangeStream(client, f"{server.address}/a.warc.gz")
    assert stream.read() == b"x" * 9
    assert waits == [600, 600]


def test_a_connection_is_used_again(server: ArchiveServer) -> None:
    """Many ranges of one host cost one connection, and its address is checked once for all of them."""
    server.files["/a"] = bytes(100)
    client = RangeClient(Manners("spider", 5, allow_private=("*:*",)))
    wires = set()
    for at in range(0, 50, 10):
        stream = range_client.RangeStream(client, f"{server.address}/a", at, at + 10)
        assert stream.read(10) == bytes(10)
        stream.close()
        wires |= {id(wire) for wire in client._idle.values()}
    assert len(wires) <= 2
    client.close()


def test_a_missing_archive_is_named_and_tried_again(tmp_path: Path, server: ArchiveServer) -> None:
    """The others of the list are taken; a later run takes the one that came meanwhile, and no other."""
    folder = made(tmp_path)
    first, second, third = month(server, "2019/01", *(packed(folder, story(number)) for number in (1, 2, 3)))
    late = server.files.pop(second)
    report = taken(folder, server, f"{server.address}/crawl-data/CC-NEWS/2019/01/warc.paths.gz")
    assert report.failed == {f"{server.address}{second}": "HTTP 404"}
    assert texts(folder) == expected(1, 3)
    server.files[second] = late
    report = taken(folder, server, f"{server.address}/crawl-data/CC-NEWS/2019/01/warc.paths.gz")
    assert (report.failed, report.taken_before, report.documents) == ({}, 2, 1)
    assert [len(server.gets(path)) for path in (first, third)] == [1, 1]


def test_a_server_that_stays_busy_ends_the_import(tmp_path: Path, server: ArchiveServer) -> None:
    """After some archives, not after all of them; what was finished stays so."""
    folder = made(tmp_path)
    paths = month(server, "2019/01", *(packed(folder, story(number)) for number in range(1, 8)))
    server.faults |= {path: ["503"] * 99 for path in paths[1:]}
    with pytest.raises(BusyServerError, match="no progress in 8 attempts"):
        taken(folder, server, since="2019-01-05")
    assert texts(folder) == expected(1)
    assert not server.gets(paths[4])
    server.faults.clear()
    assert taken(folder, server, since="2019-01-05").taken_before == 1
    assert texts(folder) == expected(*range(1, 8))


def test_every_sound_record_of_a_damaged_archive_is_used(tmp_path: Path, server: ArchiveServer) -> None:
    """Damage in the middle and at the end is named by the archive's address, with its place."""
    folder = made(tmp_path)
    data = bytearray(packed(folder, story(1), story(2), *OTHERS, story(3), story(4)))
    members = [at for at in range(len(data)) if data[at : at + 3] == b"\x1f\x8b\x08"]
    second = members[2]
    data[second + 60 : second + 90] = bytes(30)
    (path,) = month(server, "2019/01", bytes(data[:-40]))
    report = taken(folder, server, since="2019-01-03")
    assert texts(folder) == expected(1, 3)
    assert report.losses == 2
    assert report.damaged[0].startswith(f"{server.address}{path} at {second}, ")
    assert all(line.startswith(f"{server.address}{path} at ") for line in report.damaged)


@pytest.mark.parametrize("kind", ["plain", "gz", "file", "beside", "wacz"])
def test_a_path_list_of_any_form_is_read(tmp_path: Path, server: ArchiveServer, kind: str) -> None:
    """Packed or not, local or remote; paths relative to a base, or to the list; collections are copied first."""
    folder, base = made(tmp_path), server.address
    server.files |= {"/news/a.warc.gz": packed(folder, story(1)), "/news/b.warc": b""}
    server.files["/news/b.warc"] = archive(folder / "b.warc", story(2), packed=False).read_bytes()
    lines = b"news/a.warc.gz\n\nnews/b.warc\nnews/a.warc.gz\n"
    server.files["/list"], name = lines, f"{server.address}/list"
    if kind == "gz":
        server.files["/list"] = gzip.compress(lines)
    elif kind == "file":
        (folder / "list.txt").write_bytes(lines)
        name = str(folder / "list.txt")
    elif kind == "beside":
        server.files["/news/list"], name, base = b"a.warc.gz\nb.warc\n", f"{server.address}/news/list", ""
    elif kind == "wacz":
        server.files["/news/b.warc"] = wacz(folder / "c.wacz", story(2)).read_bytes()
    report = taken(folder, server, name, base=base)
    assert (report.archives, report.losses, report.failed) == (2, 0, {})
    assert texts(folder) == expected(1, 2)


def test_archives_are_taken_again_for_a_new_site(tmp_path: Path, server: ArchiveServer) -> None:
    """What was finished for other sites, or by other link rules, is not finished for these."""
    folder = made(tmp_path)
    other = Answer("https://second.example/a.html", article(7), day="2019-01-05T00:00:00Z")
    (path,) = month(server, "2019/01", packed(folder, story(1), other))
    assert taken(folder, server, since="2019-01-03").documents == 1
    with (folder / "corpus.toml").open("a") as file:
        file.write('\n[[site]]\nname = "second"\nstart = ["https://second.example/"]\n')
    report = taken(folder, server, since="2019-01-03")
    assert (report.documents, report.known) == (1, 1)
    assert taken(folder, server, since="2019-01-03").taken_before == 1
    assert len(server.gets(path)) == 2


def test_a_stopped_import_goes_on_where_it_was(
    tmp_path: Path, server: ArchiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the archive is fetched, no page is stored twice; a file that has changed is read from its start."""
    folder = made(tmp_path)
    monkeypatch.setattr("corpus_spider.maintenance.archive_inputs.RemoteArchive.mark_step", 50_000)
    data = packed(folder, story(1), *OTHERS, story(2), *OTHERS, story(3), *OTHERS, story(4))
    (path,) = month(server, "2019/01", data)
    server.faults[path] = ["cut", "404"]
    report = taken(folder, server, since="2019-01-03")
    assert "HTTP 404" in str(report.failed)
    before = set(texts(folder))
    assert before
    server.requests.clear()
    assert taken(folder, server, since="2019-01-03").losses == 0
    (asked,) = server.gets(path)
    assert int(asked.removeprefix("bytes=").rstrip("-")) >= 50_000
    assert texts(folder) == expected(1, 2, 3, 4)
    assert stored_once(folder) == set(expected(1, 2, 3, 4))


def test_an_import_goes_on_in_a_restored_backup(folder: Path, server: ArchiveServer, tmp_path: Path) -> None:
    """Finished archives are not fetched again, one that was cut goes on in its middle, and no page is stored twice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corpus_spider.maintenance.archive_inputs.RemoteArchive.mark_step", 50_000)
        whole = packed(folder, story(5), story(6))
        half = packed(folder, story(1), *OTHERS, story(2), *OTHERS, story(3), *OTHERS, story(4))
        paths = month(server, "2019/01", whole, half)
        server.faults[paths[1]] = ["cut", "404"]
        assert taken(folder, server, since="2019-01-03").failed
    backup(load(folder / "corpus.toml"), tmp_path / "copy")
    shutil.rmtree(folder / "warc")
    server.requests.clear()
    assert taken(tmp_path / "copy", server, since="2019-01-03").taken_before == 1
    (wanted,) = server.gets(paths[1])
    assert int(wanted.removeprefix("bytes=").rstrip("-")) >= 50_000
    assert server.gets(paths[0]) == []
    assert texts(tmp_path / "copy") == expected(1, 2, 3, 4, 5, 6)
    assert stored_once(tmp_path / "copy") == set(expected(1, 2, 3, 4, 5, 6))


def test_a_backup_beside_an_import_has_no_state_of_pages_that_it_lacks(
    folder: Path, server: ArchiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive that is finished while the database is copied is taken again by an import of the copy."""
    first, second = packed(folder, story(1)), packed(folder, story(2))
    month(server, "2019/01", first)
    taken(folder, server, since="2019-01-03")
    month(server, "2019/01", first, second)
    copy_database = backups._copy_database

    def beside(*arguments: Any) -> None:
        copy_database(*arguments)
        taken(folder, server, since="2019-01-03")

    monkeypatch.setattr(backups, "_copy_database", beside)
    backup(load(folder / "corpus.toml"), tmp_path / "copy")
    assert texts(folder) == expected(1, 2)
    assert taken(tmp_path / "copy", server, since="2019-01-03").taken_before == 1
    assert texts(tmp_path / "copy") == expected(1, 2)


def test_a_changed_archive_is_read_from_its_beginning(
    tmp_path: Path, server: ArchiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Halves of two files are never joined, within an import and between two."""
    folder = made(tmp_path)
    monkeypatch.setattr("corpus_spider.maintenance.archive_inputs.RemoteArchive.mark_step", 50_000)
    (path,) = month(server, "2019/01", packed(folder, story(1), *OTHERS, story(2), *OTHERS, story(3)))
    server.faults[path] = ["cut", "404"]
    taken(folder, server, since="2019-01-03")
    server.files[path] = packed(folder, story(5), *OTHERS, story(6), *OTHERS, story(7), story(8))
    report = taken(folder, server, since="2019-01-03")
    assert (report.losses, report.failed) == (0, {})
    assert texts(folder).keys() >= expected(5, 6, 7, 8).keys()


def test_a_killed_import_stores_each_page_once(folder: Path, server: ArchiveServer) -> None:
    """Killed at several moments and started again: the rest follows, nothing is there twice, nothing is lost."""
    archives = [packed(folder, *(story(10 * at + number) for number in range(6)), *OTHERS) for at in range(1, 7)]
    paths = month(server, "2019/01", *archives)
    server.pause, server.piece = 0.02, 1 << 13
    options = ("import", "--from", "cc-news", "--base", server.address, "--since", "2019-01-03", "--until", "2019-02")
    month(server, "2019/02")
    for kills in range(1, 4):
        process = subprocess.Popen(
            program(*options), cwd=folder, env=environment(), start_new_session=True, stderr=subprocess.DEVNULL
        )
        until(lambda at=paths[2 * kills - 1]: server.sent[at] > 20_000, lambda: server.sent)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    server.pause = 0
    done = run(folder, *options, "--json")
    assert done.returncode == 0, done.stderr
    numbers = [10 * at + number for at in range(1, 7) for number in range(6)]
    with Corpus.open(load(folder / "corpus.toml").database_url) as corpus:
        outcomes = sorted((fetch.uri.removeprefix(PAPER), fetch.outcome) for fetch in corpus.fetches())
    assert outcomes == sorted((f"/story/{number}.html", "document") for number in numbers)
    assert stored_once(folder) == set(expected(*numbers))
    assert len(server.gets(paths[0])) == 1
    assert run(folder, "check", "--deep").returncode == 0


def test_an_interrupted_import_ends_soon(tmp_path: Path, server: ArchiveServer) -> None:
    """Also while it waits for a slow or busy server. The next one goes on."""
    folder = made(tmp_path)
    first, second = month(server, "2019/01", packed(folder, story(1)), packed(folder, story(2)))
    server.faults[second], server.retry_after = ["503"], "3000"
    options = (
        "import",
        "--from",
        "cc-news",
        "--base",
        server.address,
        "--since",
        "2019-01-03",
        "--until",
        "2019-01-30",
    )
    process = subprocess.Popen(program(*options), cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)
    until(lambda: server.gets(second))
    started = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert ended(process) == 11
    assert time.monotonic() - started < 30
    assert run(folder, *options).returncode == 0
    assert texts(folder) == expected(1, 2)
    assert len(server.gets(first)) == 1


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("http://127.0.0.1:9/x.warc.gz", "has no public address"),
        ("http://169.254.169.254/x.warc.gz", "has no public address"),
        ("ftp://127.0.0.1/x.warc.gz", "redirects to"),
        ("file:///etc/passwd", "redirects to"),
    ],
)
def test_a_redirect_leads_to_no_private_address(server: ArchiveServer, target: str, message: str) -> None:
    """Only the allowed host and port; other kinds of addresses never."""

    client = RangeClient(Manners("spider", 5, allow_private=(f"127.0.0.1:{server.port}",)), lambda _: None)
    response = f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        client.manners = Manners("spider", 5, allow_private=(f"127.0.0.1:{port}",))

        def answer() -> None:
            connection, _ = listening.accept()
            connection.recv(9999)
            connection.sendall(response)
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(DownloadError, match=message):
            range_client.RangeStream(client, f"http://127.0.0.1:{port}/a").read()


def test_private_addresses_are_refused_by_default(tmp_path: Path, server: ArchiveServer) -> None:
    """With the setting that would allow them."""
    folder = made(tmp_path)
    text = (folder / "corpus.toml").read_text().replace('allow_private = ["127.0.0.1:*"]', "")
    (folder / "corpus.toml").write_text(text)
    server.files["/list"] = b"a.warc.gz\n"
    done = run(folder, "import", "--from", f"{server.address}/list")
    assert done.returncode == 1
    assert f"crawl.allow_private=127.0.0.1:{server.port}" in done.stderr
    assert not server.requests


def test_the_estimate_samples_many_archives(tmp_path: Path, server: ArchiveServer) -> None:
    """By HEAD, or by one byte where the server answers no HEAD; an unknown size is said to be unknown."""
    folder = made(tmp_path)
    config, days = load(folder / "corpus.toml"), CaptureDays()
    server.files |= {f"/{number}.warc.gz": bytes(1000) for number in range(60)}
    server.files["/list"] = "".join(f"{number}.warc.gz\n" for number in range(60)).encode()
    client = RangeClient(Manners("spider", 5, allow_private=("*:*",)), lambda _: None)
    source = ImportSource(f"{server.address}/list", days)
    for head in (True, False):
        server.head = head
        plan = plan_of(config, source, client, TakenArchives(config, days))
        estimate(plan, client, None)  # type: ignore[arg-type]
        assert (plan.bytes, plan.sampled) == (60_000, 12)
    assert announcement(plan) == "60 archives to read, about 58.6 KiB (by 12 samples)."
    assert {asked for path in server.files for asked in server.gets(path)} == {"", "bytes=0-0"}
    server.files = {"/list": server.files["/list"]}
    plan = plan_of(config, source, client, TakenArchives(config, days))
    estimate(plan, client, None)  # type: ignore[arg-type]
    assert announcement(plan) == "60 archives to read, of unknown size."


def members(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield address, offset and length of the responses in an archive."""
    reader = ArchiveIterator(io.BytesIO(data))
    for record in reader:
        record.content_stream().read()
        offset = reader.get_record_offset()
        length = reader.get_record_length()
        if record.rec_type == "response":
            yield record.rec_headers.get_header("WARC-Target-URI"), offset, length


def cdxj(name: str, data: bytes, **more: str) -> str:
    """Return the lines of an index as Common Crawl writes them."""
    lines = ""
    for url, offset, length in members(data):
        fields = {"url": url, "mime": "text/html", "status": "200", "digest": "X", "length": str(length)}
        fields |= {"offset": str(offset), "filename": name} | more
        host, _, path = url.partition("://")[2].partition("/")
        lines += f"{','.join(reversed(host.split('.')))})/{path} 20190105100000 {json.dumps(fields)}\n"
    return "".join(sorted(lines.splitlines(keepends=True)))


def cdx(name: str, data: bytes, *, header: bool, length: bool) -> str:
    """Return an index in the older form, with 11 or 9 fields."""
    lines = (" CDX N b a m s k r M S V g\n" if length else " CDX N b a m s k r V g\n") if header else ""
    for url, offset, size in members(data):
        middle = f"- - {size} {offset}" if length else f"- {offset}"
        lines += f"key 20190105100000 {url} text/html 200 DIGEST {middle} {name}\n"
    return lines


@pytest.mark.parametrize("form", ["cdxj", "cdxj.gz", "json", "cdx11", "cdx9", "headless"])
@pytest.mark.parametrize("place", ["remote", "local"])
def test_only_the_wanted_records_of_an_index_are_fetched(
    tmp_path: Path, server: ArchiveServer, form: str, place: str
) -> None:
    """By ranges; neighbours in one request; from an index on the disk or on a server."""
    folder = made(tmp_path)
    data = packed(folder, story(1), *OTHERS, story(2), story(3), *OTHERS, *OTHERS, Answer(f"{PAPER}/video/4", b"x"))
    server.files["/data/a.warc.gz"] = data
    text = cdxj("data/a.warc.gz", data)
    if form == "json":
        text = "".join(line.partition(" ")[2].partition(" ")[2] + "\n" for line in text.splitlines())
    elif form.startswith("cdx1") or form in {"cdx9", "headless"}:
        text = cdx("data/a.warc.gz", data, header=form != "headless", length=form != "cdx9")
    content = gzip.compress(text.encode()) if form.endswith("gz") else text.encode()
    name = f"index.{'cdxj.gz' if form.endswith('gz') else 'cdx'}"
    server.files[f"/{name}"] = content
    (folder / name).write_bytes(content)
    address = str(folder / name) if place == "local" else f"{server.address}/{name}"
    report = taken(folder, server, address, cdx=True)
    assert texts(folder) == expected(1, 2, 3)
    assert (report.losses, report.pages, report.skipped["other_site"]) == (0, 3, 18)
    if form != "cdx9":
        assert len(server.gets("/data/a.warc.gz")) == 2
        assert server.sent["/data/a.warc.gz"] < len(data) / 5
    again = taken(folder, server, address, cdx=True)
    assert (again.taken_before, again.archives) == (1, 0)


def test_an_index_is_surveyed_in_a_dry_run(tmp_path: Path, server: ArchiveServer) -> None:
    """Pages by site and bytes are exact, and no record is fetched."""
    folder = made(tmp_path)
    data = packed(folder, story(1), *OTHERS, story(2))
    server.files |= {"/a.warc.gz": data, "/index.cdxj": cdxj("a.warc.gz", data).encode()}
    options = ("import", "--from", f"{server.address}/index.cdxj", "--cdx", "--base", server.address, "--json")
    report = json.loads(run(folder, *options, "--dry-run").stdout)
    wanted = sum(length for url, _, length in members(data) if url.startswith(PAPER))
    assert (report["pages"], report["sites"], report["estimated_bytes"]) == (2, {"paper": 2}, wanted)
    assert not server.gets("/a.warc.gz")
    assert json.loads(run(folder, *options).stdout)["documents"] == 2


def test_a_server_without_ranges_is_not_read_for_a_record(
    tmp_path: Path, server: ArchiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record near the beginning is read; behind it the server is left, before its gigabyte comes."""
    folder, server.ranges = made(tmp_path), False
    monkeypatch.setattr(range_client, "MAX_SKIPPED_BYTES", 60_000)
    data = packed(folder, story(1), *OTHERS, story(2)) + bytes(30 << 20)
    server.files["/a.warc.gz"] = data
    lines = cdxj("a.warc.gz", data[: -30 << 20]).encode()
    (folder / "a.cdxj").write_bytes(lines)
    report = taken(folder, server, str(folder / "a.cdxj"), cdx=True)
    assert texts(folder) == expected(1)
    assert "knows no byte ranges" in str(report.failed)
    assert server.sent["/a.warc.gz"] < 8 << 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"filename": "gone.warc.gz"}, "not fetched: HTTP 404"),
        ({"offset": "999999999"}, "not fetched: the file ends before this range"),
        ({"offset": "7"}, "no "),
        ({"offset": "x"}, "not an index line"),
    ],
)
def test_an_index_that_is_wrong_is_named_line_by_line(
    tmp_path: Path, server: ArchiveServer, change: Mapping[str, str], message: str
) -> None:
    """A missing file, a range beyond the end, another record, or no offset; the other lines are used."""
    folder = made(tmp_path)
    good, bad = packed(folder, story(1)), packed(folder, story(2))
    server.files |= {"/good.warc.gz": good, "/bad.warc.gz": bad}
    (folder / "a.cdxj").write_text(cdxj("bad.warc.gz", bad, **change) + cdxj("good.warc.gz", good))
    report = taken(folder, server, str(folder / "a.cdxj"), cdx=True)
    assert texts(folder) == expected(1)
    assert report.losses > 0
    assert message in str(report.damaged)


def test_an_index_names_no_file_outside_its_folder(tmp_path: Path, server: ArchiveServer) -> None:
    """It may come from elsewhere."""
    (tmp_path / "corpus").mkdir()
    folder = made(tmp_path / "corpus")
    data = packed(tmp_path, story(1))
    (folder / "a.cdxj").write_text(cdxj("../made.warc.gz", data))
    report = taken(folder, server, str(folder / "a.cdxj"), base="", cdx=True)
    assert (texts(folder), report.losses) == ({}, 1)
    (folder / "made.warc.gz").write_bytes(data)
    (folder / "b.cdxj").write_text(cdxj("made.warc.gz", data))
    taken(folder, server, str(folder / "b.cdxj"), base="", cdx=True)
    assert texts(folder) == expected(1)


def test_the_versions_of_a_page_come_in_their_order(tmp_path: Path, server: ArchiveServer) -> None:
    """Though the file of the later one stands first in the alphabet."""
    folder = made(tmp_path)
    page = f"{PAPER}/story/1.html"
    first = packed(folder, Answer(page, article(1), day="2019-01-05T00:00:00Z"))
    later = packed(folder, Answer(page, article(2), day="2019-01-06T00:00:00Z"))
    server.files |= {"/z.warc.gz": first, "/a.warc.gz": later}
    (folder / "a.cdxj").write_text(cdxj("z.warc.gz", first) + cdxj("a.warc.gz", later))
    assert taken(folder, server, str(folder / "a.cdxj"), cdx=True).documents == 2
    assert texts(folder) == {"/story/1.html": "\n".join(paragraphs(2))}


def test_a_cdx_server_with_pages_is_read_page_by_page(tmp_path: Path, server: ArchiveServer) -> None:
    """As Common Crawl's answers: the number of pages as JSON, each page a part that is finished by itself."""
    folder = made(tmp_path)
    data = packed(folder, *(story(number) for number in range(1, 7)))
    server.files["/a.warc.gz"] = data
    lines = cdxj("a.warc.gz", data).splitlines()
    queries: list[str] = []

    def answers(target: str) -> bytes | None:
        if not target.startswith("/CC-MAIN-index?"):
            return None
        queries.append(target)
        if "showNumPages" in target:
            return b'{"pages": 3, "pageSize": 5, "blocks": 13}\n'
        page = int(target.rpartition("page=")[2])
        found = []
        for line in lines[2 * page : 2 * page + 2]:
            key, stamp, fields = line.split(" ", 2)
            found.append(json.dumps({"urlkey": key, "timestamp": stamp} | json.loads(fields)))
        return "\n".join(found).encode()

    server.answers = answers
    report = taken(folder, server, f"{server.address}/CC-MAIN-index", cdx=True)
    assert (report.archives, texts(folder)) == (3, expected(*range(1, 7)))
    assert all("url=paper.example&matchType=domain" in query for query in queries)
    assert all("from=20190101&to=20190131" in query for query in queries)
    report = taken(folder, server, f"{server.address}/CC-MAIN-index", cdx=True)
    assert (report.taken_before, report.answers) == (3, 0)


def test_a_cdx_server_without_captures_is_no_error(tmp_path: Path, server: ArchiveServer) -> None:
    """It answers 404."""
    folder = made(tmp_path)
    source = ImportSource(f"{server.address}/none-index", CaptureDays(), "", is_index=True)
    config = load(folder / "corpus.toml")
    client = RangeClient(Manners("spider", 5, allow_private=("*:*",)), lambda _: None)
    assert plan_of(config, source, client, TakenArchives(config, CaptureDays())).left == []


@contextmanager
def pywb(folder: Path, *archives: Path) -> Iterator[str]:
    """Run a real pywb with a collection, and yield the address of its CDX server."""
    programs = os.environ.get("CORPUS_SPIDER_PYWB", "")
    found = shutil.which("wb-manager", path=programs or None)
    if not found:
        pytest.skip("python3 -m venv P && P/bin/pip install pywb 'setuptools<81', then CORPUS_SPIDER_PYWB=P/bin")
    bin_folder = Path(found).parent
    folder.mkdir()
    for arguments in (["init", "news"], ["add", "news", *map(str, archives)]):
        subprocess.run([found, *arguments], cwd=folder, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [bin_folder / "wayback", "-b", "127.0.0.1", "-p", str(port)], cwd=folder, stderr=subprocess.DEVNULL
    )

    def is_up() -> bool:
        with socket.socket() as trying:
            return trying.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(is_up)
        yield f"http://127.0.0.1:{port}/news/cdx"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("is_packed", [True, False])
def test_a_real_pywb_names_the_records(tmp_path: Path, server: ArchiveServer, is_packed: bool) -> None:
    """By its CDX server, and by its index file; in packed and plain archives, whose records have no CRC."""
    folder = made(tmp_path)
    name = "theirs.warc.gz" if is_packed else "theirs.warc"
    theirs = archive(folder / name, story(1), *OTHERS, story(2), packed=is_packed)
    server.files[f"/{name}"] = theirs.read_bytes()
    with pywb(folder / "pywb", theirs) as address:
        report = taken(folder, server, address, cdx=True)
    assert (report.losses, report.failed, report.pages) == (0, {}, 2)
    assert texts(folder) == expected(1, 2)
    assert server.sent[f"/{name}"] < len(server.files[f"/{name}"]) / 5
    (tmp_path / "second").mkdir()
    second = made(tmp_path / "second")
    index = folder / "pywb" / "collections" / "news" / "indexes" / "index.cdxj"
    archives = str(folder / "pywb" / "collections" / "news" / "archive")
    assert taken(second, server, str(index), base=archives, cdx=True).losses == 0
    assert texts(second) == expected(1, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Name archives, or a source with --from."),
        (("--cdx", "a.warc.gz"), "--cdx needs --from."),
        (("--from", "cc-news"), "the first month is missing"),
        (("--from", "missing.txt"), "cannot be read"),
        (("--from", "empty.txt"), "it names no archive of these days"),
    ],
)
def test_a_source_that_is_none_is_refused(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    """With what is missing."""
    folder = made(tmp_path)
    (folder / "a.warc.gz").write_bytes(b"")
    (folder / "empty.txt").write_bytes(b"")
    done = run(folder, "import", *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_days_choose_pages_of_local_archives_too(tmp_path: Path) -> None:
    """A selection of captures, as for lists."""
    folder = made(tmp_path)
    theirs = archive(folder / "theirs.warc.gz", story(1, "2018-12-31"), story(2, "2019-01-01"), story(3, "2019-02-01"))
    done = run(folder, "import", str(theirs), "--since", "2019-01", "--until", "2019-01", "--json")
    assert json.loads(done.stdout)["skipped"] == {"out_of_range": 2}
    assert texts(folder) == expected(2)
    with Corpus.open(load(folder / "corpus.toml").database_url) as corpus:
        assert len(list(corpus.documents(Selection()))) == 1
