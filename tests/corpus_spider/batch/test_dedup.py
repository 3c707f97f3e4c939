"""`dedup`: near duplicates of releases, without a database of documents."""

from __future__ import annotations

import json
import random
import shlex
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_spider.batch.dedup import DedupRules, dedup, needed_fields, read_dump
from pipelines.text.minhash import SCHEME, fingerprint
from storage import Corpus, Selection
from storage.documents.sketches import DIGEST, MAX_NUMBERS, numbers_agree, pairs_agree
from storage.errors import ConfigError, CorpusError, DamageError
from storage.exports.release import fingerprints
from storage.exports.release.writer import Release, ReleaseForm, write_release
from tests.corpus_spider.batch.test_process import rows
from tests.corpus_spider.running import SEED, environment, often, program, run, start
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made

need("dedup")

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from corpus_spider.batch.dedup import DedupReport

WORDS = {
    "vi": "thành phố người dân công trình giao thông kế hoạch năm tới cây cầu hội đồng đường sắt nhà máy học sinh bệnh",
    "ar": "المدينة الجسر الحكومة السكان المشروع العام المقبل الطريق المجلس الميناء القديم الطلاب المستشفى الماء السوق",
    "th": "เมือง สะพาน รัฐบาล ประชาชน โครงการ ปีหน้า ถนน สภา ท่าเรือ นักเรียน โรงพยาบาล ตลาด น้ำท่วม รถไฟ โรงงาน ข่าว",
    "en": "city bridge council people project next year road harbour old students hospital market water train factory",
    "he": "העיר הגשר הממשלה התושבים הפרויקט השנה הבאה הכביש המועצה הנמל הישן התלמידים בית החולים השוק המים הרכבת",
}
PRICES = "Giá vàng ngày {}: mua vào {} triệu đồng, bán ra {} triệu đồng; bạc mua vào {}, bán ra {}; đô la {}, euro {}. "


def texts(count: int, chance: random.Random) -> list[str]:
    """Texts in several languages: unlike ones, copies with some changed words, equal ones, and lists of prices."""
    found: list[str] = []
    for number in range(count):
        kind, words = chance.random(), chance.choice(list(WORDS.values())).split()
        if kind < 0.35 or not found:
            found.append(" ".join(chance.choices(words, k=chance.randint(60, 200))) + f" ({number})")
        elif kind < 0.75:
            changed = chance.choice(found).split(" ")
            for _ in range(int(len(changed) * chance.choice((0.01, 0.03, 0.06, 0.15)))):
                changed[chance.randrange(len(changed))] = chance.choice(words)
            found.append(" ".join(changed))
        elif kind < 0.85:
            found.append(chance.choice(found).upper())
        elif kind < 0.9:
            found.append(chance.choice(words))
        else:
            figures = [[chance.randint(1, 400 if chance.random() < 0.5 else 3) for _ in range(7)] for _ in range(6)]
            found.append("".join(PRICES.format(*each) for each in figures))
    return found


def stored(folder: Path, some: Iterable[str], name: str = "page") -> Corpus:
    """Return a SQLite corpus with these texts, one page each."""
    corpus = Corpus.open(f"sqlite:///{folder}/corpus.db", create=True)
    crawl = Crawl(corpus)
    paths = {f"{name}-{number:05}": text for number, text in enumerate(some)}
    crawl.seed(*paths)
    leases = sorted(crawl.lease(quota=len(paths)), key=lambda lease: lease.url)
    crawl.process(leases, [made(text, prints=fingerprint(text)) for text in paths.values()])
    return corpus


def exported(corpus: Corpus, target: Path, *, shard_size: int = 0, **selected: Any) -> Path:
    """Write a release of a corpus."""
    documents = corpus.documents(Selection(**{"include_duplicates": True} | selected))
    write_release(documents, target, Release("x", "corpus-spider", "1"), ReleaseForm(shard_size=shard_size))
    return target


def released(folder: Path, name: str, some: Sequence[str]) -> Path:
    """Write a release of some texts."""
    (folder / f"{name}-corpus").mkdir()
    with stored(folder / f"{name}-corpus", some, name) as corpus:
        return exported(corpus, folder / name)


def without(*releases: Path, target: Path | None, against: Sequence[Path] = (), **rules: Any) -> DedupReport:
    dumps = [read_dump(release, needed_fields(write=target is not None)) for release in releases]
    return dedup(dumps, [read_dump(release) for release in against], target, DedupRules(**rules))


SETS = ("id", "cluster", "duplicates", "duplicate_of")


@pytest.fixture(scope="module")
def some() -> list[str]:
    return texts(400, random.Random(SEED))


def test_the_sets_are_those_of_a_corpus(tmp_path: Path, some: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters, their sizes and representatives of 400 texts, in any number of files."""
    monkeypatch.setattr("storage.exports.formats.parquet.ROW_GROUP_ROWS", 50)
    with stored(tmp_path, some) as corpus:
        marked = rows(exported(corpus, tmp_path / "all", shard_size=10_000), *SETS)
        unique = rows(exported(corpus, tmp_path / "unique", include_duplicates=False), "id")
    report = without(tmp_path / "all", target=tmp_path / "marked", keep=True)
    assert rows(tmp_path / "marked", *SETS) == marked
    assert len(json.loads((tmp_path / "all/manifest.json").read_text())["files"]) > 1
    assert report.exact > 20
    assert report.near > 60
    assert report.sets == len({cluster for _, cluster, size, _ in marked if size > 1})
    without(tmp_path / "all", target=tmp_path / "found")
    assert rows(tmp_path / "found", "id") == unique


def test_a_large_group_of_one_key_is_compared_as_a_small_one(
    tmp_path: Path, some: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Members that share an earlier band are compared once."""
    release = released(tmp_path, "all", some[:200])
    without(release, target=tmp_path / "small", keep=True)
    monkeypatch.setattr("corpus_spider.batch.near_duplicates.MAX_PAIRED_GROUP", 1)
    monkeypatch.setattr("corpus_spider.batch.sql_tables.ROWS_AT_ONCE", 100)
    without(release, target=tmp_path / "large", keep=True)
    assert rows(tmp_path / "large", *SETS) == rows(tmp_path / "small", *SETS)


def test_what_another_release_has_is_left_out(tmp_path: Path, some: list[str]) -> None:
    """Its texts, their near duplicates, and what is like those. With marks, its document represents the set."""
    new, old = released(tmp_path, "new", some[:300]), released(tmp_path, "old", [*some[300:500], some[0]])
    report = without(new, target=tmp_path / "left", against=[old])
    assert 0 < report.in_other < 300
    assert report.written == report.documents - report.in_other - report.exact - report.near
    again = without(tmp_path / "left", target=None, against=[old])
    assert (again.in_other, again.exact, again.near) == (0, 0, 0)
    without(new, target=tmp_path / "marked", against=[old], keep=True)
    of_old = {name for (name,) in rows(old, "id")}
    marks = {name: other for name, _, _, other in rows(tmp_path / "marked", *SETS)}
    assert sum(other in of_old for other in marks.values()) == report.in_other


def test_releases_with_files_of_one_name_become_one_release(tmp_path: Path, some: list[str]) -> None:
    """Each file has its fingerprints. Checksums hold, and the new release can be read again."""
    report = without(*(released(tmp_path, name, some[:40]) for name in ("one", "two")), target=tmp_path / "both")
    assert report.written <= 40
    manifest = json.loads((tmp_path / "both/manifest.json").read_text())
    assert [file["path"] for file in manifest["files"]] == ["data/part-00001.parquet", "data/part-00001-2.parquet"]
    assert manifest["counts"]["documents"] == sum(file["documents"] for file in manifest["files"]) == report.written
    subprocess.run(["sha256sum", "-c", "--quiet", "both.sha256"], cwd=tmp_path, check=True)
    again = without(tmp_path / "both", target=None)
    assert (again.documents, again.exact, again.near) == (report.written, 0, 0)


def test_a_release_of_nothing_stays_one(tmp_path: Path) -> None:
    """Also one whose texts are all too short for a sketch."""
    assert without(released(tmp_path, "none", []), target=tmp_path / "new").written == 0
    report = without(released(tmp_path, "short", ["one", "two", "One!"]), target=tmp_path / "kept")
    assert (report.written, report.exact) == (2, 1)


def spoiled(folder: Path, kind: str, some: list[str]) -> Path:
    """Return a release that `dedup` cannot take."""
    release = folder / "release"
    if kind == "folder":
        release.mkdir()
        return release
    if kind == "jsonl":
        with stored(folder, some[:3]) as corpus:
            write_release(corpus.documents(Selection()), release, Release("x", "y", "1"), ReleaseForm("jsonl"))
        return release
    without(released(folder, "first", some[:40]), target=release)
    data, prints = release / "data/part-00001.parquet", release / "fingerprints/part-00001.parquet"
    table = pyarrow.parquet.read_table(prints)
    if kind == "no field":
        pyarrow.parquet.write_table(pyarrow.parquet.read_table(data, columns=["id", "text"]), data)
    elif kind == "no text":
        manifest = json.loads((release / "manifest.json").read_text()) | {"fingerprints": []}
        (release / "manifest.json").write_text(json.dumps(manifest))
        pyarrow.parquet.write_table(pyarrow.parquet.read_table(data).drop_columns("text"), data)
    elif kind == "two schemes":
        column = pyarrow.array([SCHEME] * (len(table) - 1) + ["v3;char12;mh32;b20r6;k32;s480x2;"])
        table = table.set_column(1, "scheme", column)
        pyarrow.parquet.write_table(table, prints)
    elif kind == "other documents":
        pyarrow.parquet.write_table(table.slice(1), prints)
    elif kind == "long sketch":
        table = table.set_column(4, "sketch", pyarrow.array([b"x" * 500] * len(table)))
        pyarrow.parquet.write_table(table, prints)
    elif kind == "cut":
        data.write_bytes(data.read_bytes()[:-50])
    return release


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [
        ("folder", ConfigError, "not a release"),
        ("jsonl", ConfigError, "its documents are jsonl, not Parquet"),
        ("no field", ConfigError, "fields are missing: .*chars"),
        ("no text", ConfigError, "no fingerprints, and no text to make them of"),
        ("two schemes", ConfigError, "its fingerprints are v"),
        ("other documents", DamageError, "not those of the documents"),
        ("long sketch", DamageError, "not fingerprints"),
        ("cut", DamageError, "cannot be read"),
    ],
)
def test_what_cannot_be_taken_is_named(
    tmp_path: Path, some: list[str], kind: str, error: type[CorpusError], words: str
) -> None:
    """Nothing is written then."""
    release = spoiled(tmp_path, kind, some)
    needed = () if kind == "no text" else needed_fields(write=True)
    with pytest.raises(error, match=words):
        dedup([read_dump(release, needed)], [], tmp_path / "new", DedupRules())
    assert not (tmp_path / "new").exists()


def test_a_target_that_exists_stays(tmp_path: Path, some: list[str]) -> None:
    """``--overwrite`` replaces it."""
    release = released(tmp_path, "all", some[:20])
    without(release, target=tmp_path / "new")
    with pytest.raises(ConfigError, match="exists already"):
        without(release, target=tmp_path / "new")
    assert without(release, target=tmp_path / "new", overwrite=True).written


def test_a_memory_limit_that_is_too_small_is_named(tmp_path: Path, some: list[str]) -> None:
    """It names the option. Nothing is written."""
    release = released(tmp_path, "all", some[:20])
    done = run(tmp_path, "dedup", str(release), "-o", "new", "--memory", "10 kB")
    assert done.returncode == 2, done.stderr
    assert "--memory" in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_stopped_run_leaves_nothing_half_written(tmp_path: Path, some: list[str]) -> None:
    """Killed while it works. The next run makes the release."""
    release = released(tmp_path, "all", some)
    chance = random.Random(SEED)
    for _ in range(3):
        task = start(tmp_path, "dedup", str(release), "-o", "new")
        time.sleep(chance.uniform(0.5, 3))  # the moment is the point
        task.kill()
        task.communicate()
        assert not (tmp_path / "new").exists() or (tmp_path / "new.sha256").exists()
        shutil.rmtree(tmp_path / "new", ignore_errors=True)
    done = run(tmp_path, "dedup", str(release), "-o", "new", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["written"] == len(rows(tmp_path / "new", "id"))
    assert [path.name for path in tmp_path.glob("new.*")] == ["new.sha256"]


@pytest.mark.parametrize(
    ("module", "rules", "words"),
    [("duckdb", DedupRules(), "the extra `dedup`"), ("pyspark.errors", DedupRules(on_spark=True), "the extra `spark`")],
)
def test_a_missing_extra_is_named(
    tmp_path: Path, some: list[str], monkeypatch: pytest.MonkeyPatch, module: str, rules: DedupRules, words: str
) -> None:
    """Each engine needs its own. Nothing is written."""
    release = released(tmp_path, "all", some[:20])
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError, match=words):
        dedup([read_dump(release)], [], tmp_path / "new", rules)
    assert not (tmp_path / "new").exists()


DISKS = (8, 128, 8192), (8, 16, 32, 64, 96, 128, 160, 200, 250, 300, 400, 8192)
"""Sizes in KiB."""


@pytest.mark.parametrize("of", ["release", "temporary files"])
def test_a_full_disk_is_named_and_leaves_nothing(tmp_path: Path, some: list[str], of: str) -> None:
    """Of a disk too small for the first file to one that is large enough. Nothing half written stays on it."""
    released(tmp_path, "all", some)
    (tmp_path / "disk").mkdir()
    target = "disk/new" if of == "release" else "new"
    command = shlex.join(program("dedup", "all", "-o", target))
    variables = environment(TMPDIR=str(tmp_path / "disk")) if of == "temporary files" else environment()
    codes = []
    for kilobytes in DISKS[often(0, 1)]:
        script = (
            f"mount -t tmpfs -o size={kilobytes}k tmpfs disk || exit 99; {command}; code=$?; ls -A disk; exit $code"
        )
        own_disk = ["unshare", "--map-root-user", "--mount", "sh", "-c", script]
        done = subprocess.run(own_disk, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        if "unshare" in done.stderr or done.returncode == 99:
            pytest.skip("not run: needs a system that lets users mount a disk in a namespace of their own")
        assert done.returncode in {0, 3}, done.stderr
        codes.append(done.returncode)
        if done.returncode:
            assert "full" in done.stderr or "No space left" in done.stderr
            assert not done.stdout
            assert not (tmp_path / "new").exists()
        else:
            assert "Complete" in done.stdout
            shutil.rmtree(tmp_path / "new", ignore_errors=True)
            (tmp_path / "new.sha256").unlink(missing_ok=True)
    assert codes == sorted(codes, reverse=True)
    assert (codes[0], codes[-1]) == (3, 0)


def test_the_command_counts_without_a_target(tmp_path: Path, some: list[str]) -> None:
    """A trial run compares nothing."""
    release = released(tmp_path, "all", some[:60])
    counted = json.loads(run(tmp_path, "dedup", str(release), "--json").stdout)
    assert counted["exact"] + counted["near"] > 0
    assert counted["written"] == 0
    tried = run(tmp_path, "dedup", str(release), "-o", "new", "--dry-run")
    assert (tried.returncode, tried.stdout) == (0, "60 documents; 0 to compare with.\n")
    assert not (tmp_path / "new").exists()


digests = st.one_of(
    st.sets(st.integers(0, 40), max_size=20),
    st.sets(st.integers(0, 200), min_size=50, max_size=90),
    st.sets(st.integers(0, 65535), max_size=90),
)


@given(st.lists(st.tuples(digests, digests, st.integers(50, 4000)), min_size=1, max_size=8))
def test_numbers_of_many_pairs_agree_as_those_of_one(pairs: list[tuple[set[int], set[int], int]]) -> None:
    """With none, with few, and with more than are kept."""
    kept = [[sorted(some)[:MAX_NUMBERS] for some in pair[:2]] for pair in pairs]
    packed = [[b"".join(each.to_bytes(DIGEST, "big") for each in some) for some in pair] for pair in kept]
    tables = np.full((2, len(pairs), MAX_NUMBERS), 7, np.uint16)
    for at, pair in enumerate(kept):
        for side, some in enumerate(pair):
            tables[side, at, : len(some)] = some
    counts = np.array([[len(some) for some in side] for side in zip(*kept, strict=True)])
    shingles = np.array([each for *_, each in pairs])
    expected = [numbers_agree(*pair, each) for pair, each in zip(packed, shingles.tolist(), strict=True)]
    assert pairs_agree(*tables, counts, shingles).tolist() == expected


def test_fingerprints_of_texts_are_those_of_their_pages(tmp_path: Path, some: list[str]) -> None:
    """A release without fingerprints gets them."""
    without(released(tmp_path, "all", some[:30]), target=tmp_path / "new", keep=True)
    [found] = (tmp_path / "new/fingerprints").iterdir()
    table = pyarrow.parquet.read_table(found)
    assert table.schema == fingerprints.schema()
    by_id = dict(rows(tmp_path / "new", "id", "text"))
    for row in table.to_pylist():
        made_of_text = fingerprint(by_id[row["id"]])
        assert (row["exact"], row["sketch"], row["numbers"]) == (
            made_of_text.exact,
            made_of_text.sketch,
            made_of_text.numbers,
        )
