"""WARC files in object storage: no fault of the server loses anything, and removals reach every version."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

from corpus_spider.config.loader import load
from corpus_spider.config.model import Config
from corpus_spider.export.originals import originals
from corpus_spider.export.request import ExportRequest
from corpus_spider.maintenance.backup import backup
from corpus_spider.maintenance.check import check
from pipelines.runtime.page_pipeline import UNREADABLE, read_back
from storage.documents.selection import Selection
from storage.errors import ConfigError, DiskError
from storage.records import Drop, Lease, Pointer, UnprocessedPage
from storage.warc import OriginalStore, objects
from tests.corpus_spider.archive.object_server import BUCKET, KEYS, ObjectServer, ftp_server, object_server
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import PATIENCE, environment, program, run, until
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
        with pytest.raises(DiskError, match=r"the object storage refuses|the server closes the connection"):
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
    """The first few one by one. A file with few wanted records is not downloaded."""
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


def test_a_server_that_knows_no_conditions_is_looked_at_before_and_read_back(
    server: ObjectServer, store: OriginalStore, caplog: pytest.LogCaptureFixture
) -> None:
    """It is said once. An object of that name still stays as it is."""
    server.fault = "unconditional"
    for number, content in enumerate((b"content", b"more")):
        (store.folder / f"{number}{NAME}").write_bytes(content)
        store.put(f"{number}{NAME}")
    assert (store.list(), store.local()) == ({f"0{NAME}": 7, f"1{NAME}": 4}, ())
    assert server.uploads == ["unconditional"]
    assert caplog.text.count("conditional upload") == 1
    (store.folder / f"0{NAME}").write_bytes(b"another")
    with pytest.raises(DiskError, match="differs from the local one"):
        store.put(f"0{NAME}")
    assert objects.S3Objects(ADDRESS).range(f"0{NAME}", 0, 9) == b"content"


def test_downloaded_files_of_killed_commands_are_deleted_and_those_in_use_are_not(tmp_path: Path) -> None:
    kill = (
        "import os; from pathlib import Path; from storage.warc import OriginalStore, objects\n"
        f"store = OriginalStore(Path('local'), objects.FsspecObjects('file://{tmp_path}/elsewhere'))\n"
        f"with store.open('{NAME}') as path: assert path.read_bytes() == b'content'; os.kill(os.getpid(), 9)"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / NAME).write_bytes(b"content")
    assert subprocess.run([sys.executable, "-c", kill], cwd=tmp_path, env=environment(), check=False).returncode == -9
    store = OriginalStore(tmp_path / "local", objects.FsspecObjects(f"file://{tmp_path}/elsewhere"))
    [left] = store.folder.glob("copies-*")
    with store.open(NAME) as used:
        store.sweep()
        assert [path for path in store.folder.iterdir() if path.is_dir()] == [used.parent]
    assert used.parent != left
    assert list(store.folder.iterdir()) == []


@pytest.mark.parametrize("crashes", [0, 1, 9])
def test_a_page_waits_as_long_as_the_server_is_away(crashes: int, tmp_path: Path) -> None:
    """A disk that fails twice is damage. A server is not, however often."""
    store = OriginalStore(tmp_path, objects.FsspecObjects("ftp://127.0.0.1:9/news"))
    lease = Lease(1, "https://news.example/1", "https://news.example/1", "news", "news.example")
    page = UnprocessedPage(1, lease, datetime.now(UTC), Pointer(NAME, 0, 10, "id", "digest"), crashes)
    found = read_back(store, page)
    assert isinstance(found, Drop)
    assert (found.reason, "Connection refused" in found.detail) == (UNREADABLE, True)


class CountedObjects(objects.FsspecObjects):
    """Files at an address of fsspec. It counts what is asked of it, and fails where a name is in ``failing``."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.asked, self.failing = Counter[tuple[str, str]](), set[str]()

    def fetch(self, name: str, target: Any) -> None:
        self.asked["fetch", name] += 1
        if name in self.failing:
            self.failing.remove(name)
            raise DiskError("the line is cut")
        super().fetch(name, target)

    def range(self, name: str, offset: int, length: int) -> bytes:
        self.asked["range", name] += 1
        return super().range(name, offset, length)


def uploaded_files(folder: Path, files: int) -> tuple[CountedObjects, dict[str, bytes]]:
    """Put files at an address. Return it, and what each holds."""
    (folder / "elsewhere").mkdir()
    contents = {f"{number}{NAME}": os.urandom(1000) for number in range(files)}
    for name, content in contents.items():
        (folder / "elsewhere" / name).write_bytes(content)
    return CountedObjects(f"file://{folder}/elsewhere"), contents


@pytest.mark.parametrize("files", [1, 3, objects.MAX_COPIES, 2 * objects.MAX_COPIES])
def test_files_of_the_next_records_are_downloaded_ahead_and_each_once(files: int, tmp_path: Path) -> None:
    place, contents = uploaded_files(tmp_path, files)
    store = OriginalStore(tmp_path / "local", place).streaming()
    records = [(name, at) for name in contents for at in range(0, 1000, 50)]
    read = dict.fromkeys(contents, b"")
    for number, (name, at) in enumerate(store.ahead(records, lambda record: record[0])):
        if number % 20 == 0:
            coming = [("fetch", each) for each in list(contents)[: number // 20 + objects.MAX_COPIES]]
            until(lambda wanted=coming: set(wanted) <= place.asked.keys(), lambda: place.asked)
        read[name] += store.range(name, at, 50)
    assert read == contents
    assert place.asked == Counter({("fetch", name): 1 for name in contents})
    assert list((tmp_path / "local").iterdir()) == []


@pytest.mark.parametrize("files", [1, 3, objects.MAX_COPIES, 2 * objects.MAX_COPIES])
def test_whole_files_are_downloaded_ahead_and_each_once(files: int, tmp_path: Path) -> None:
    """Files that are missing, still local or not opened, and names that are not allowed, hold up no other one."""
    place, contents = uploaded_files(tmp_path, files)
    store, read = OriginalStore(tmp_path / "local", place).streaming(), {}
    store.folder.mkdir()
    (store.folder / f"local{NAME}").write_bytes(b"local")
    others = [f"{number}missing{NAME}" for number in range(objects.MAX_COPIES)] + ["../away.warc.gz", f"local{NAME}"]
    for at, name in enumerate(store.in_turn([*others, *contents])):
        coming = {("fetch", each) for each in [*others[:-2], *contents][: max(at - 2, 0) + objects.MAX_COPIES]}
        if name in contents:
            until(lambda wanted=coming: wanted <= place.asked.keys(), lambda: place.asked)
            with store.open(name) as path:
                read[name] = path.read_bytes()
    assert read == contents
    assert {name: count for (_, name), count in place.asked.items() if name in contents} == dict.fromkeys(contents, 1)
    assert place.asked.keys() <= {("fetch", name) for name in [*others[:-2], *contents]}
    assert [path.name for path in store.folder.iterdir()] == [f"local{NAME}"]


def test_a_whole_file_whose_download_ahead_fails_is_an_error_when_it_is_opened(tmp_path: Path) -> None:
    """The next files are read, and the same file is downloaded again when it is opened again."""
    place = CountedObjects(f"file://{tmp_path}/elsewhere")
    (tmp_path / "elsewhere").mkdir()
    names = [f"{number}{NAME}" for number in range(3)]
    for name in names:
        (tmp_path / "elsewhere" / name).write_bytes(name.encode())
    place.failing.add(names[1])
    store = OriginalStore(tmp_path / "local", place).streaming()
    read = []
    for name in store.in_turn(names):
        if name == names[1]:
            with pytest.raises(DiskError, match="the line is cut"), store.open(name):
                pass
        with store.open(name) as path:
            read.append(path.read_text())
    assert read == names


def test_a_download_ahead_that_fails_is_an_error_of_one_record_and_is_repeated(tmp_path: Path) -> None:
    place = CountedObjects(f"file://{tmp_path}/elsewhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / NAME).write_bytes(bytes(1000))
    place.failing.add(NAME)
    store, failed = OriginalStore(tmp_path / "local", place).streaming(), 0
    for at in store.ahead(range(0, 1000, 50), lambda _: NAME):
        try:
            assert store.range(NAME, at, 50) == bytes(50)
        except DiskError:
            failed += 1
    assert (failed, place.asked["fetch", NAME]) == (1, 2)


@pytest.mark.parametrize(
    ("address", "variables", "message"),
    [
        ("s3://no-such-bucket/news", {}, "there is no such bucket.*Make the bucket, or name another one in warc"),
        ("s3://not a name/news", {}, "not a valid name of a bucket"),
        (ADDRESS, {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "cannot be reached.*Check AWS_ENDPOINT_URL"),
        (ADDRESS, dict.fromkeys(KEYS, ""), "there are no credentials.*Set AWS_ACCESS_KEY_ID"),
        ("nowhere://host/news", {}, "this address is not known.*Name s3://BUCKET/PREFIX"),
        ("dropbox://box/news", {}, "needs a package.*Install the package that it names"),
    ],
)
def test_a_wrong_address_says_what_is_wrong_and_what_to_do(
    address: str, variables: dict[str, str], message: str, server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1", "HOME": "/nowhere"}
    for name, value in (server.variables | more | variables).items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
    place = objects.S3Objects(address) if address.startswith("s3:") else objects.FsspecObjects(address)
    with pytest.raises((ConfigError, DiskError), match=f"(?s){address}: .*{message}"):
        place.sizes()


@pytest.mark.parametrize(
    ("address", "module", "extra"), [(ADDRESS, "boto3", "s3"), ("ftp://host/news", "fsspec.core", "remote")]
)
def test_a_missing_extra_is_named(address: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    place = objects.S3Objects(address) if address.startswith("s3:") else objects.FsspecObjects(address)
    with pytest.raises(
        ConfigError, match=rf"need the extra `{extra}`\n.*: make s3, or pip install 'corpus-spider\[{extra}\]'"
    ):
        place.sizes()


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


class ObjectCorpus:
    """A corpus of a small newspaper with its originals in object storage, and what a user runs on it."""

    def __init__(
        self, folder: Path, paper: Newspaper, server: ObjectServer | dict[str, str], address: str = ADDRESS
    ) -> None:
        self.folder, self.server = folder, server
        folder.mkdir(exist_ok=True)
        toml = corpus_toml(paper, site_models=False).replace("[corpus]", f'[corpus]\nwarc = "{address}"', 1)
        (folder / "corpus.toml").write_text(toml)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        if isinstance(self.server, ObjectServer):
            return run(self.folder, *arguments, **self.server.variables)
        # fsspec reads its variables when it is imported, and the loaded program has imported it.
        command, variables = program(*arguments), environment(**self.server)
        return subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False)

    def done(self, *arguments: str) -> str:
        ended = self.run(*arguments)
        assert ended.returncode == 0, (arguments, ended.stdout, ended.stderr)
        return ended.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.done(*arguments, "--json"))

    def local(self) -> list[Path]:
        return list((self.folder / "warc").glob("*.warc.gz*"))

    def texts(self) -> set[str]:
        lines = self.done("export", "-o", "-", "--format", "jsonl").splitlines()
        return {json.loads(line)["text"] for line in lines}


def test_a_corpus_lives_in_object_storage(tmp_path: Path) -> None:
    """Crawl, check, show, re-extract, back up, export and remove."""
    with object_server(ObjectLockEnabledForBucket=True) as server, served(Newspaper(articles=4)) as paper:
        corpus = ObjectCorpus(tmp_path, paper, server)
        corpus.done("crawl")
        corpus.done("crawl", "--now")
        assert not corpus.local()
        assert len(server.files()) == 2
        checked = corpus.json("check", "--deep")
        assert (checked["problems"], checked["files"]) == ([], 2)
        found = corpus.json("reextract")
        assert (found["unreadable"], found["changed"], found["lost"]) == (0, 0, 0)
        corpus.done("backup", str(tmp_path / "copy"))
        corpus.done("export", "-o", "originals.wacz")
        assert "object storage" in corpus.done("doctor")

        documents = [json.loads(line) for line in corpus.done("export", "-o", "-", "--format", "jsonl").splitlines()]
        address, text = documents[0]["url"], documents[0]["text"]
        held = min(key for key in server.files() if _holds(server, key, address))
        server.client.put_object_legal_hold(Bucket=BUCKET, Key=held, LegalHold={"Status": "ON"})
        kept = corpus.run("remove", "--url", address, "--reason", "a test", "--yes", "--json")
        assert kept.returncode == 3
        [(name, why)] = json.loads(kept.stdout)["undeleted"].items()
        assert (name, "cannot be deleted" in why) == (held.rpartition("/")[2], True)
        assert f"{name}: 1 of its versions cannot be deleted" in corpus.run("remove").stdout
        server.client.put_object_legal_hold(Bucket=BUCKET, Key=held, LegalHold={"Status": "OFF"})
        assert "are finished" in corpus.done("remove")
        assert held not in server.files()
        assert not [key for key in server.files() if _has_text(server, key, text)]
        assert corpus.json("check", "--deep")["problems"] == []


class TogetherObjects(CountedObjects):
    """Files at an address. No file arrives before ``files`` downloads have begun."""

    def __init__(self, address: str, files: int) -> None:
        super().__init__(address)
        self._begun = Barrier(files)

    def fetch(self, name: str, target: Any) -> None:
        self._begun.wait(PATIENCE)
        super().fetch(name, target)


def test_check_backup_and_export_download_the_next_files_while_they_read_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is downloaded once."""
    address = f"file://{tmp_path}/elsewhere"
    with served(Newspaper(articles=2)) as paper:
        corpus = ObjectCorpus(tmp_path, paper, {}, address)
        for _ in range(3):
            corpus.done("crawl", "--now")
    config = load(tmp_path / "corpus.toml")
    names = config.originals.uploaded().keys()
    for command in (
        lambda: check(config, deep=True),
        lambda: backup(config, tmp_path / "copy"),
        lambda: originals(config, ExportRequest(str(tmp_path / "out.wacz"), Selection())),
    ):
        place = TogetherObjects(address, len(names))
        monkeypatch.setattr(Config, "originals", OriginalStore(config.warc_folder, place))
        command()
        fetched = {name: count for (verb, name), count in place.asked.items() if verb == "fetch"}
        assert fetched == dict.fromkeys(names, 1)
    assert len(names) == 3


@pytest.mark.parametrize("fault", ["flipped", "cut", "full", "killed", "slow"])
def test_a_night_with_a_faulty_server_loses_nothing_and_the_next_one_uploads(fault: str, tmp_path: Path) -> None:
    """`status`, `check`, `health` and `doctor` say how much waits. A server that is away is no damage."""
    with object_server() as server, served(Newspaper(articles=4)) as paper:
        corpus = ObjectCorpus(tmp_path, paper, server)
        server.fault_of = ".warc.gz"
        server.fault = fault
        corpus.done("crawl")
        assert set(server.uploads) == {fault}
        waits = int(fault != "slow")
        assert len(corpus.local()) == waits
        if fault == "killed":
            for verb in (("crawl", "--now"), ("check", "--deep"), ("doctor",)):
                ended = corpus.run(*verb)
                assert (ended.returncode, "Check AWS_ENDPOINT_URL" in ended.stdout + ended.stderr) == (3, True)
            server.start()
            server.client.create_bucket(Bucket=BUCKET)
        server.fault = ""
        assert corpus.json("status")["uploads"]["files"] == waits
        checked = corpus.json("check", "--deep")
        assert (checked["problems"], any("waiting to be uploaded: 1" in note for note in checked["notes"])) == (
            [],
            bool(waits),
        )
        for verb, said in (("health", "Not uploaded yet"), ("doctor", "waiting to be uploaded: 1")):
            ended = corpus.run(verb)
            assert (said in ended.stdout + ended.stderr) == bool(waits)
        texts = corpus.texts()
        corpus.done("crawl", "--now")
        assert (corpus.local(), corpus.json("status")["uploads"]["files"]) == ([], 0)
        assert corpus.json("check", "--deep")["problems"] == []
        assert corpus.json("reextract")["unreadable"] == 0
        assert corpus.texts() == texts


def test_a_corpus_lives_at_an_address_of_fsspec(tmp_path: Path) -> None:
    """A server of FTP: crawl, check, re-extract and remove. A wrong password is named, and never shown."""
    (tmp_path / "served").mkdir()
    with ftp_server(tmp_path / "served", "s3cr3t-Pa55") as address, served(Newspaper(articles=4)) as paper:
        wrong = {"FSSPEC_FTP_USERNAME": "corpus", "FSSPEC_FTP_PASSWORD": "wr0ng-Pa55"}
        refused = ObjectCorpus(tmp_path / "corpus", paper, wrong, f"{address}/news").run("-vv", "crawl")
        assert refused.returncode == 3
        assert "the object storage refuses: 530" in refused.stderr
        right = {"FSSPEC_FTP_USERNAME": "corpus", "FSSPEC_FTP_PASSWORD": "s3cr3t-Pa55"}
        corpus = ObjectCorpus(tmp_path / "corpus", paper, right, f"{address}/news")
        corpus.done("crawl")
        [before] = (tmp_path / "served" / "news").glob("*.warc.gz")
        assert not corpus.local()
        assert corpus.json("check", "--deep")["problems"] == []
        assert corpus.json("reextract")["unreadable"] == 0
        document = json.loads(corpus.done("export", "-o", "-", "--format", "jsonl").splitlines()[0])
        corpus.done("remove", "--url", document["url"], "--reason", "a test", "--yes")
        [after] = (tmp_path / "served" / "news").glob("*.warc.gz")
        assert after != before
        assert document["text"].splitlines()[0].encode() not in gzip.decompress(after.read_bytes())
        said = refused.stderr + corpus.done("config") + corpus.run("-vv", "check").stderr
        kept = "".join(path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file())
        assert not [secret for secret in ("wr0ng-Pa55", "s3cr3t-Pa55") if secret in said + kept]


def test_two_corpora_never_share_an_address(tmp_path: Path) -> None:
    """The second is refused, also as a copy of the first. `crawl --rebuild` takes over, and the first is refused."""
    with object_server() as server, served(Newspaper(articles=2)) as paper:
        first = ObjectCorpus(tmp_path / "first", paper, server)
        first.done("crawl")
        files = server.files()
        second = ObjectCorpus(tmp_path / "second", paper, server)
        shutil.copytree(first.folder, tmp_path / "copied")
        copied = ObjectCorpus(tmp_path / "copied", paper, server)
        for other, verbs in ((second, ["crawl"]), (copied, ["crawl", "prune", "remove"])):
            for verb in verbs:
                refused = other.run(verb)
                assert (refused.returncode, str(first.folder / "corpus.toml") in refused.stderr) == (2, True)
                assert f"{ADDRESS}: the address belongs to another corpus" in refused.stderr
        assert server.files() == files
        second.done("crawl", "--rebuild")
        assert second.json("check", "--deep")["problems"] == []
        assert "belongs to another corpus" in first.run("crawl", "--now").stderr
        # A folder that was moved is the same corpus.
        shutil.move(second.folder, tmp_path / "moved")
        ObjectCorpus(tmp_path / "moved", paper, server).done("crawl", "--now")


def test_no_output_has_the_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs at every level with their tracebacks, errors, `config`, stored runs and every file of the corpus."""
    token = {"AWS_SESSION_TOKEN": "t0ken-of-tests-that-is-long"}
    secrets = [KEYS["AWS_SECRET_ACCESS_KEY"], token["AWS_SESSION_TOKEN"]]
    with object_server() as server, served(Newspaper(articles=2)) as paper:
        server.more = token
        corpus = ObjectCorpus(tmp_path, paper, server)
        toml = (tmp_path / "corpus.toml").read_text()
        (tmp_path / "corpus.toml").write_text(f'{toml}\n[log]\nfile = "crawl.log"\n')
        said = ""
        for fault in ("full", "", "killed"):
            server.fault = fault
            for verb in (
                ("crawl", "--now"),
                ("config",),
                ("doctor",),
                ("status", "--all"),
                ("check", "--deep"),
                ("remove",),
            ):
                ended = corpus.run("-vvv", *verb)
                said += ended.stdout + ended.stderr
        assert "Traceback" in said
        assert "the server closes the connection" in said
        assert "upload" in (tmp_path / "crawl.log").read_text()
        said += "".join(path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file())
        assert [secret for secret in secrets if secret in said] == []
        monkeypatch.setenv(*next(iter(token.items())))
        assert token["AWS_SESSION_TOKEN"] not in objects._said(ValueError(f"bad token: {token}"))


def _records(server: ObjectServer, key: str) -> bytes:
    return gzip.decompress(server.client.get_object(Bucket=BUCKET, Key=key)["Body"].read())


def _holds(server: ObjectServer, key: str, address: str) -> bool:
    return f"WARC-Target-URI: {address}\r\n".encode() in _records(server, key)


def _has_text(server: ObjectServer, key: str, text: str) -> bool:
    return text.splitlines()[0].encode() in _records(server, key)
