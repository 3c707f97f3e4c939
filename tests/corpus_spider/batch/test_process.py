"""`process`: archives to a release, by one task or by many."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

from corpus_spider.archive.path_lists import part_name
from corpus_spider.batch import batch
from corpus_spider.batch.archives import TaskShare, archives_of, existing_file
from corpus_spider.batch.part import read_report
from corpus_spider.batch.rules import rules_of
from corpus_spider.batch.spark import make_parts_on_spark
from corpus_spider.config.loader import assemble
from storage import Corpus
from storage.errors import ConfigError, CorpusError, MissingFileError
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.corpus_spider.others_archives import Answer, archive
from tests.corpus_spider.running import SEED, environment, often, program, run

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from corpus_spider.batch.batch import BatchReport
    from corpus_spider.batch.rules import BatchRules

VIETNAMESE = (
    "Ủy ban nhân dân thành phố vừa công bố kế hoạch xây dựng cây cầu mới qua sông trong năm tới.",
    "Theo ông Trần Văn Minh, dự án sẽ giúp người dân hai bờ đi lại dễ dàng hơn và giảm ùn tắc giao thông.",
    "Nhiều hộ gia đình ở khu vực này cho biết họ đã chờ đợi công trình từ rất lâu và mong sớm được khởi công.",
)
ENGLISH = (
    "The city council has announced a plan for a new bridge across the river, to be built in the coming year.",
    "According to the mayor, the project will make it easier for people on both banks to reach their work.",
    "Many families in the district said that they had waited for this bridge for a very long time already.",
)


def page(number: int, lines: tuple[str, ...] = VIETNAMESE, host: str = "bao.example") -> Answer:
    """A page with an article, told apart by its number."""
    body = "".join(f"<p>{line} {line} ({number})</p>" for line in lines)
    html = (
        f"<html><head><title>Tin {number}</title></head><body><h1>Tin số {number}</h1><article>{body}</article></body>"
    )
    return Answer(f"https://{host}/tin/{number}.html", html.encode())


def rules(**options: Any) -> BatchRules:
    return rules_of(assemble({}, {"crawl.workers": 1}, {}, None), **options)


def processed(release: Path, *archives: Path, **options: Any) -> BatchReport:
    """Make and merge all parts."""
    names, wanted = tuple(map(str, archives)), rules(**options)
    batch.make_parts(names, release, wanted)
    return batch.merge(names, release, wanted)


def rows(release: Path, *columns: str) -> list[tuple[Any, ...]]:
    """Return columns of all documents of a release, in order of its files."""
    manifest = json.loads((release / "manifest.json").read_text())
    tables = [pyarrow.parquet.read_table(release / file["path"], columns=list(columns)) for file in manifest["files"]]
    return [tuple(row.values()) for table in tables for row in table.to_pylist()]


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """Three archives with four, two and no pages."""
    return [
        archive(tmp_path / "a.warc.gz", *map(page, range(4))),
        archive(tmp_path / "b.warc.gz", page(4), page(5, ENGLISH, "news.example")),
        archive(tmp_path / "c.warc.gz"),
    ]


def test_a_release_has_the_documents_of_all_archives_with_their_provenance(tmp_path: Path, three: list[Path]) -> None:
    """The order is that of the archives and of their records. Sums of the checksum file are right."""
    report = processed(tmp_path / "release", *three)
    assert (report.archives, report.pages, report.documents) == (3, 6, 6)
    found = rows(tmp_path / "release", "url", "language", "site", "warc")
    assert found == [
        *((f"https://bao.example/tin/{number}.html", "vi", "bao.example", str(three[0])) for number in range(4)),
        ("https://bao.example/tin/4.html", "vi", "bao.example", str(three[1])),
        ("https://news.example/tin/5.html", "en", "news.example", str(three[1])),
    ]
    subprocess.run(["sha256sum", "-c", "--quiet", "release.sha256"], cwd=tmp_path, check=True)
    offsets = [offset for (offset,) in rows(tmp_path / "release", "warc_offset")]
    assert offsets == sorted(offsets[:4]) + sorted(offsets[4:])


def test_fingerprints_belong_to_the_documents(tmp_path: Path, three: list[Path]) -> None:
    """A row of the fingerprints for each document, with the digest that the document has."""
    processed(tmp_path / "release", *three)
    manifest = json.loads((tmp_path / "release/manifest.json").read_text())
    prints = [
        (row["id"], row["exact"].hex())
        for file in manifest["fingerprints"]
        for row in pyarrow.parquet.read_table(tmp_path / "release" / file["path"]).to_pylist()
    ]
    assert prints == rows(tmp_path / "release", "id", "exact")


@pytest.mark.parametrize(
    ("options", "numbers", "reasons"),
    [
        ({}, [0, 1, 2, 3, 4, 5], {}),
        ({"languages": ("vi",)}, [0, 1, 2, 3, 4], {"language": 1}),
        ({"languages": ("vi",), "skim": False}, [0, 1, 2, 3, 4], {"language": 1}),
        ({"languages": ("th",)}, [], {"language": 6}),
        ({"hosts": ("news.example",)}, [5], {}),
        ({"hosts": ("example",)}, [0, 1, 2, 3, 4, 5], {}),
        ({"urls": (r"/tin/[35]\.",)}, [3, 5], {}),
        ({"since": "2024-11-02"}, [], {}),
        ({"since": "2024-11-01", "until": "2024-11-01"}, [0, 1, 2, 3, 4, 5], {}),
    ],
)
def test_filters_select_pages(
    tmp_path: Path, three: list[Path], options: dict[str, Any], numbers: list[int], reasons: dict[str, int]
) -> None:
    """Hosts have their subdomains, days are those of the capture. Each response is counted once."""
    report = processed(tmp_path / "release", *three, **options)
    found = [int(url.rpartition("/")[2].partition(".")[0]) for (url,) in rows(tmp_path / "release", "url")]
    assert found == numbers
    assert report.dropped == reasons
    assert report.documents + report.dropped.total() + report.skipped.total() == report.responses == 6


def test_shards_make_the_release_of_one_task(tmp_path: Path, three: list[Path]) -> None:
    """Each archive is in one share. The merged release has the same files."""
    names = tuple(map(str, three))
    shares = [TaskShare.parsed(f"{index}/2").of(names) for index in (1, 2)]
    assert sorted(name for share in shares for name in share) == sorted(names)
    for share in reversed(shares):
        batch.make_parts(share, tmp_path / "by-two", rules())
    batch.merge(names, tmp_path / "by-two", rules())
    processed(tmp_path / "by-one", *three)
    by_two, by_one = (
        [
            (file["path"], file["sha256"])
            for file in json.loads((tmp_path / name / "manifest.json").read_text())["files"]
        ]
        for name in ("by-two", "by-one")
    )
    assert by_two == by_one


def test_merge_names_what_is_missing_strange_or_made_by_other_rules(tmp_path: Path, three: list[Path]) -> None:
    """Nothing is completed then."""
    names, release = tuple(map(str, three)), tmp_path / "release"
    batch.make_parts(names[:2], release, rules())
    with pytest.raises(ConfigError, match=r"parts are missing \(1 of 3\): .*c\.warc\.gz"):
        batch.merge(names, release, rules())
    with pytest.raises(ConfigError, match="1 part of other archives: b-"):
        batch.merge(names[:1], release, rules())
    with pytest.raises(ConfigError, match="made by other rules"):
        batch.merge(names[:2], release, rules(languages=("vi",)))
    with pytest.raises(ConfigError, match="made by other rules"):
        batch.make_parts(names, release, rules(languages=("vi",)))
    assert not (release / "manifest.json").exists()


def test_a_part_whose_file_is_gone_or_cut_is_made_again(tmp_path: Path, three: list[Path]) -> None:
    """Finished parts stay as they are."""
    release, names = tmp_path / "release", tuple(map(str, three))
    batch.make_parts(names, release, rules())
    (release / "data" / f"{part_name(names[0])}.parquet").unlink()
    (release / "fingerprints" / f"{part_name(names[1])}.parquet").write_bytes(b"PAR1")
    assert read_report(release, names[0]) is None
    report = batch.make_parts(names, release, rules())
    assert (report.made, report.documents) == (2, 6)


def test_a_merged_release_has_no_file_of_a_killed_task(tmp_path: Path, three: list[Path]) -> None:
    """Its files have another name until they are whole."""
    names, release = tuple(map(str, three)), tmp_path / "release"
    batch.make_parts(names, release, rules())
    (release / "data" / f".{part_name(names[0])}.parquet.1-00").write_bytes(b"PAR1")
    batch.merge(names, release, rules())
    assert [path.name for path in release.rglob(".*")] == []


def test_equal_texts_of_one_address_are_one_document(tmp_path: Path) -> None:
    """A changed text of the same address is another one."""
    answers = page(1), page(1), Answer(page(1).url, page(1).body.replace(b"(1)", b"(2)"))
    report = processed(tmp_path / "release", archive(tmp_path / "a.warc.gz", *answers))
    assert (report.documents, report.dropped) == (2, {"known": 1})


def test_sound_pages_of_a_damaged_archive_are_used_and_the_damage_is_named(tmp_path: Path) -> None:
    """A missing archive gives no part, and the others go on."""
    damaged = archive(tmp_path / "a.warc.gz", *map(page, range(3)))
    damaged.write_bytes(damaged.read_bytes()[:-200])
    gone, sound = tmp_path / "gone.warc.gz", archive(tmp_path / "b.warc.gz", page(9))
    report = batch.make_parts([*map(str, (damaged, gone, sound))], tmp_path / "release", rules())
    assert report.documents == 3
    assert report.losses == 1
    assert str(damaged) in report.damaged[0]
    assert list(report.failed) == [str(gone)]


@pytest.mark.parametrize("options", [(), ("-q",), ("-q", "--json")])
def test_damage_is_named_on_standard_error_also_when_quiet(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Exit code 6."""
    damaged = archive(tmp_path / "a.warc.gz", page(1), page(2))
    damaged.write_bytes(damaged.read_bytes()[:-200])
    done = run(tmp_path, "process", str(damaged), "-o", "release", *options)
    assert done.returncode == 6
    assert f"damaged: {damaged}" in done.stderr


def test_removals_of_a_corpus_apply(tmp_path: Path, three: list[Path]) -> None:
    """Removed pages, domains and authors are not in the release."""
    config = assemble({"corpus": {"name": "x"}}, {"crawl.workers": 1}, {}, tmp_path / "corpus.toml")
    with Corpus.open(config.database_url, create=True) as corpus:
        for kind, value in (
            (RequestKind.URL, "https://www.bao.example/tin/2.html"),
            (RequestKind.DOMAIN, "news.example"),
            (RequestKind.AUTHOR, "Nguyễn Văn An"),
        ):
            corpus.removals.declare(RemovalRequest(kind, value, "asked"))
    wanted = rules_of(config)
    signed = page(7).body.replace(b"</head>", '<meta name="author" content="Nguyễn Văn An"></head>'.encode())
    fourth = archive(tmp_path / "d.warc.gz", Answer("https://bao.example/tin/7.html", signed), page(8))
    names = tuple(map(str, (*three, fourth)))
    report = batch.make_parts(names, tmp_path / "release", wanted)
    assert (report.documents, report.skipped, report.dropped) == (5, {"removed": 2}, {"removed": 1})


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        (
            "list.paths",
            "crawl-data/CC-NEWS/a.warc.gz\n\n",
            ["https://data.commoncrawl.org/crawl-data/CC-NEWS/a.warc.gz"],
        ),
        ("list.paths", "/data/a.warc.gz\ns3://bucket/b.warc.gz\n", ["/data/a.warc.gz", "s3://bucket/b.warc.gz"]),
    ],
)
def test_a_path_list_names_archives(tmp_path: Path, name: str, lines: str, expected: list[str]) -> None:
    """Paths of Common Crawl are relative to its host."""
    (tmp_path / name).write_text(lines)
    assert archives_of([str(tmp_path / name)]) == tuple(expected)


@pytest.mark.parametrize("error", [MissingFileError, ConfigError])
def test_a_file_that_is_not_there_is_not_a_damaged_one(tmp_path: Path, error: type[CorpusError]) -> None:
    """`process` reports the archive as missing and goes on, `import` refuses the name: both by one test."""
    (tmp_path / "a.warc.gz").write_bytes(b"")
    assert existing_file(str(tmp_path / "a.warc.gz"), error) == tmp_path / "a.warc.gz"
    for name in ("gone.warc.gz", ""):
        with pytest.raises(error, match="no such file"):
            existing_file(str(tmp_path / name), error)


def test_names_patterns_and_folders_are_archives_each_once(tmp_path: Path, three: list[Path]) -> None:
    """Other files of a folder are none."""
    (tmp_path / "notes.txt").write_text("none")
    expected = tuple(map(str, three))
    assert archives_of([str(tmp_path)]) == expected
    assert archives_of([str(tmp_path / "*.warc.gz"), str(three[0])]) == expected
    with pytest.raises(ConfigError, match="no such file"):
        archives_of([str(tmp_path / "nothing.warc.gz")])
    with pytest.raises(ConfigError, match="no archive is there"):
        archives_of([str(tmp_path / "*.wacz")])


def test_spark_without_its_extra_is_named(tmp_path: Path, three: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ConfigError, match=r"needs the extra `spark`[\s\S]*pip install 'corpus-spider\[spark\]'"):
        make_parts_on_spark([str(three[0])], tmp_path / "release", rules())


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "1", "a/b", "-1/4", "1/0"])
def test_a_wrong_share_is_refused(text: str) -> None:
    """The message shows the form."""
    with pytest.raises(ConfigError, match="not a share"):
        TaskShare.parsed(text)


def test_two_archives_of_one_name_have_two_parts() -> None:
    """The digest of the address tells them apart."""
    assert part_name("2024/a.warc.gz") != part_name("2025/a.warc.gz")


def test_tasks_killed_at_any_moment_are_repeated_without_loss_or_double(tmp_path: Path) -> None:
    """kill -9 of one of two tasks, or of the one that merges, at random moments; then all of them undisturbed."""
    chance, release = random.Random(SEED), tmp_path / "release"
    files = [
        archive(tmp_path / f"{at}.warc.gz", *(page(10 * at + number) for number in range(at % 4))) for at in range(9)
    ]
    command = program("process", *map(str, files), "-o", str(release), "--json")
    last = ("--shard", "1/2"), ("--shard", "2/2"), ("--merge",)
    killed = 0
    while killed < often(4, 20):
        whole = len(list(release.glob("parts/*.json"))) == len(files)
        options = last[2] if whole else chance.choice(last[:2])
        task = subprocess.Popen(
            [*command, *options],
            env=environment(), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            task.wait(chance.uniform(0.3, 4.0))
        except subprocess.TimeoutExpired:
            os.killpg(task.pid, signal.SIGKILL)
            task.wait()
            killed += 1
        if whole:
            shutil.rmtree(release)
    for options in last:
        done = subprocess.run([*command, *options], env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    found = [url for (url,) in rows(release, "url")]
    expected = {page(10 * at + number).url for at in range(9) for number in range(at % 4)}
    assert sorted(found) == sorted(expected)
    assert json.loads(done.stdout)["documents"] == len(expected)
    subprocess.run(["sha256sum", "-c", "--quiet", "release.sha256"], cwd=tmp_path, check=True)
    assert [path.name for path in release.rglob(".*")] == []
