"""Releases as a user makes them: reproducible, with removals, and without data of this machine."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import zipfile
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from corpus_spider.cli import app
from corpus_spider.config.loader import load
from corpus_spider.export.exporter import cut, folded
from corpus_spider.export.originals import originals
from corpus_spider.export.request import ExportRequest, request
from corpus_spider.maintenance.remove import remove
from pipelines.text.segmentation.choice import CHOICES
from storage import Corpus
from storage.documents.model import CorpusDocument
from storage.documents.selection import Selection
from storage.errors import ConfigError
from storage.exports import originals as module
from storage.exports.originals import surt
from storage.records import GLUE
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.corpus_spider.local_paper import crawl_into
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from storage.reporting import Progress


def a_document(text: str, language: str, **changes: Any) -> CorpusDocument:
    values: dict[str, Any] = dict.fromkeys(CorpusDocument.__struct_fields__)
    return CorpusDocument(**values | {"text": text, "language": language, "captions": (), "comments": ()} | changes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_into(tmp_path_factory.mktemp("release"), articles=6)


def test_a_release_is_the_same_twice_and_the_next_one_lists_removals(folder: Path, tmp_path: Path) -> None:
    """Byte for byte; nothing in it names this machine; a removal shows in the difference and in the list."""
    for name in ("one", "two"):
        done = run(folder, "export", "-o", f"{tmp_path / name}/", "--release", "--fold", "digits")
        assert done.returncode == 0, done.stderr
    one, two = tmp_path / "one", tmp_path / "two"
    assert {p.name: p.read_bytes() for p in one.rglob("*.*") if p.is_file()} == {
        p.name: p.read_bytes() for p in two.rglob("*.*") if p.is_file()
    }
    manifest = (one / "manifest.json").read_text()
    assert json.loads(manifest)["contact"]
    assert str(folder) not in manifest
    shutil.copytree(folder, tmp_path / "corpus")
    shown = run(folder, "export", "-o", "-", "--format", "jsonl").stdout.splitlines()
    gone = json.loads(shown[0])["id"]
    assert run(tmp_path / "corpus", "remove", "--yes", "--id", gone, "--reason", "asked").returncode == 0
    since = ("--since-release", str(one / "manifest.json"), "--fold", "digits")
    done = run(tmp_path / "corpus", "export", "-o", f"{tmp_path / 'three'}/", *since)
    assert done.returncode == 0, done.stderr
    assert re.search(r"removed\s*1", done.stdout), done.stdout
    changes = [json.loads(line) for line in (tmp_path / "three" / "changes.jsonl").read_text().splitlines()]
    assert {"id": gone, "change": "removed"} in changes
    (listed,) = [json.loads(line) for line in (tmp_path / "three" / "removed.jsonl").read_text().splitlines()]
    assert (listed["id"], listed["kind"]) == (gone, "id")


def test_the_next_release_is_of_the_format_of_the_earlier_one(folder: Path, tmp_path: Path) -> None:
    """And a rehearsal of it counts what has changed, not all there is: texts that are cut are known again when they are
    cut alike.
    """
    assert run(folder, "export", "-o", f"{tmp_path}/one/", "--release", "--format", "vert").returncode == 0
    shutil.copytree(folder, tmp_path / "corpus")
    gone = json.loads(run(folder, "export", "-o", "-").stdout.splitlines()[0])["id"]
    assert run(tmp_path / "corpus", "remove", "--yes", "--id", gone, "--reason", "asked").returncode == 0
    since = ("export", "--json", "--since-release", str(tmp_path / "one"), "-o")
    done = run(tmp_path / "corpus", *since, f"{tmp_path}/two/")
    assert done.returncode == 0, done.stderr
    reported, expected = json.loads(done.stdout), {"added": 0, "changed": 0, "removed": 1}
    assert (reported["format"], reported["documents"], reported["changes"]) == ("vert", 0, expected)
    assert [path.name for path in (tmp_path / "two" / "data").iterdir()] == ["part-00001.vert"]
    rehearsed = json.loads(run(tmp_path / "corpus", *since, f"{tmp_path}/three/", "--dry-run").stdout)
    assert (rehearsed["documents"], rehearsed["changes"]) == (0, expected)


@pytest.mark.parametrize(
    ("target", "options", "expected"),
    [
        ("new.parquet/", [], "parquet"),
        ("new.vert/", ["--since-release", "one.parquet"], "the earlier release is parquet"),
        ("new/", ["--since-release", "one.parquet", "--format", "tei.xml"], "the earlier release is parquet"),
        ("new.prevert/", ["--since-release", "one.parquet"], "the earlier release is parquet"),
        (
            "new/",
            ["--since-release", "one.parquet", "--min-chars", "1"],
            "the earlier release was made with other filters",
        ),
        (
            "new/",
            ["--since-release", "one.parquet", "--fold", "digits"],
            "the earlier release was made with other filters",
        ),
        ("new/", ["--since-release", "one.parquet", "--format", "jsonl"], "jsonl"),
        ("new.vert/", ["--format", "parquet"], "the name says vert, and --format says parquet"),
    ],
)
@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_the_format_of_a_release_is_asked_for_by_name_or_option(
    folder: Path, tmp_path: Path, target: str, options: list[str], expected: str, dry: list[str]
) -> None:
    """One whose documents are others than those of the earlier release is refused, in a rehearsal as well."""
    options = [str(tmp_path / one) if one == "one.parquet" else one for one in options]
    if options:
        assert run(folder, "export", "-o", f"{tmp_path}/one.parquet/", "--release").returncode == 0
    done = run(folder, "export", "-o", f"{tmp_path}/{target}", "--release", "--json", *options, *dry)
    if " " in expected:
        assert (done.returncode, expected in done.stderr) == (2, True), done.stderr
        assert not (tmp_path / target).exists()
        return
    assert done.returncode == 0, done.stderr
    assert dry or json.loads(done.stdout)["format"] == expected


@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_a_release_is_not_replaced_by_what_has_changed_since(folder: Path, tmp_path: Path, dry: list[str]) -> None:
    """A slip would take away what the changes are of; every document of it is there yet."""
    target = f"{tmp_path}/one/"
    assert run(folder, "export", "-o", target, "--release").returncode == 0
    before = (tmp_path / "one" / "manifest.json").read_bytes()
    done = run(folder, "export", "-o", target, "--since-release", f"{tmp_path}/one/manifest.json", "--overwrite", *dry)
    assert (done.returncode, "the target is the earlier release" in done.stderr) == (2, True), done.stderr
    assert (tmp_path / "one" / "manifest.json").read_bytes() == before


def test_texts_are_chosen_by_their_quality(folder: Path, tmp_path: Path) -> None:
    """Rules leave out what breaks them, say how much that is beforehand, and stand in the manifest of a release."""
    every = [json.loads(line) for line in run(folder, "export", "-o", "-", "--format", "jsonl").stdout.splitlines()]
    numbers = sorted(row["quality"]["words"] for row in every)
    bound = numbers[len(numbers) // 2]
    kept = {row["id"] for row in every if row["quality"]["words"] > bound}
    done = run(folder, "export", "-o", "-", "--format", "jsonl", "--quality", f"words>{bound}")
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == kept
    reported = json.loads(run(folder, "export", "--quality", f"words>{bound}", "--dry-run", "--json").stdout)
    assert reported["documents"] == len(kept)
    assert reported["left_out"] == {f"words>{bound}": len(every) - len(kept)}
    done = run(folder, "export", "-o", f"{tmp_path / 'good'}/", "--release", "--quality", "default")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "good" / "manifest.json").read_text())["selection"]["quality"]["default"]["words"]


def test_what_was_stored_unmeasured_is_measured_when_it_is_chosen(folder: Path, tmp_path: Path) -> None:
    """A corpus from before there were signals is filtered like any other."""
    shutil.copytree(folder, tmp_path / "old")
    with closing(sqlite3.connect(tmp_path / "old" / "corpus.db")) as connection, connection:
        connection.execute("UPDATE document SET quality = NULL")
    asked = ("export", "--quality", "words>=5,words<60", "--dry-run", "--json")
    assert run(tmp_path / "old", *asked).stdout == run(folder, *asked).stdout


def test_a_dry_run_counts_languages_sites_and_months(folder: Path) -> None:
    """The numbers are those of the documents that an export holds."""
    rows = [json.loads(line) for line in run(folder, "export", "-o", "-", "--format", "jsonl").stdout.splitlines()]
    reported = json.loads(run(folder, "export", "--dry-run", "--json").stdout)
    whole = {"documents": len(rows), "chars": sum(row["chars"] for row in rows)}
    whole["words"] = sum(row["quality"]["words"] for row in rows)
    assert {name: reported[name] for name in whole} == whole
    for name, field in (("language", "language"), ("site", "site"), ("month", "date")):
        table = reported[f"{name}s"]
        counts = Counter((row[field] or "undated")[:7] if name == "month" else row[field] for row in rows)
        assert {row[name]: row["documents"] for row in table} == counts
        assert {key: sum(row[key] for row in table) for key in whole} == whole


def test_an_export_of_some_days_says_how_many_documents_have_no_date(folder: Path, tmp_path: Path) -> None:
    """They are in no range of days; an export of all days has them."""
    shutil.copytree(folder, tmp_path / "corpus")
    with closing(sqlite3.connect(tmp_path / "corpus" / "corpus.db")) as connection, connection:
        first = "SELECT id FROM document WHERE published IS NOT NULL LIMIT 2"
        connection.execute(f"UPDATE document SET published = NULL WHERE id IN ({first})")

    def exported(*days: str) -> tuple[list[str | None], str]:
        done = run(tmp_path / "corpus", "export", "-o", "-", "--format", "jsonl", *days)
        return [json.loads(line)["date"] for line in done.stdout.splitlines()], done.stderr

    days = ("--since", "2020", "--until", "2030-01")
    (dates, said), (every, silent) = exported(*days), exported()
    left = every.count(None)
    plan = json.loads(run(tmp_path / "corpus", "export", "--dry-run", "--json", *days).stdout)
    assert left >= 2
    assert (len(every) - left, None in dates) == (len(dates), False)
    assert plan["left_out"]["no date"] == left
    assert f"Left out by --since or --until: {left} documents without a date." in said
    assert "without a date" not in silent


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--dry-run", "-o", "x.xlsx"], "no export format has this suffix"),
        (["--dry-run", "--format", "xml"], "unknown export format 'xml'"),
        (["--dry-run", "-o", "x.wacz"], "originals are exported whole"),
        (["-o", "x/", "--shard-size", "tiny"], "--shard-size: expected a size"),
        (["--dry-run", "--sample", "ten"], '--sample: expected a part such as "10%"'),
        (["--dry-run", "--sample", "90%-10%"], '--sample: expected a part such as "10%"'),
        (["--dry-run", "--sample", "101%"], '--sample: expected a part such as "10%"'),
    ],
)
def test_a_target_or_size_that_cannot_be_is_refused(folder: Path, options: list[str], expected: str) -> None:
    """With exit code 2 and in words, in a rehearsal as well."""
    done = run(folder, "export", *options)
    assert (done.returncode, expected in done.stderr) == (2, True), done.stderr


def test_parts_of_a_corpus_are_the_whole_and_share_nothing(folder: Path) -> None:
    """A sample is the same each time, and what is left beside it is what the other part names."""
    whole, *parts = (
        [json.loads(line)["id"] for line in run(folder, "export", "-o", "-", *part).stdout.splitlines()]
        for part in ([], ["--sample", "30%"], ["--sample", "30%-62.5%"], ["--sample", "62.5% - 100%"])
    )
    assert whole
    assert [one for part in parts for one in part] == whole
    assert json.loads(run(folder, "export", "--dry-run", "--sample", "30%", "--json").stdout)["documents"] == len(
        parts[0]
    )


def test_an_original_is_what_was_served_and_gives_the_text_again(folder: Path, tmp_path: Path) -> None:
    """By address and by id, unpacked; what is read of the file is the text that is stored."""
    row = json.loads(run(folder, "export", "-o", "-", "--format", "jsonl").stdout.splitlines()[0])
    by_address, by_id = (run(folder, "show", "--original", row[field]).stdout for field in ("url", "id"))
    assert by_address == by_id
    assert "</html>" in by_id
    (tmp_path / "page.html").write_text(by_id)
    reported = run(folder, "extract", str(tmp_path / "page.html"), "--url", row["url"], "--json").stdout
    assert json.loads(reported)["text"] == row["text"]


def test_an_original_that_is_gone_is_reported_as_that(folder: Path, tmp_path: Path) -> None:
    """Taken out on request, or removed with its file as [archive] says: exit code 2, and no bytes."""
    shutil.copytree(folder, tmp_path / "corpus")
    first, second = run(folder, "export", "-o", "-", "--format", "jsonl").stdout.splitlines()[:2]
    gone, kept = json.loads(first)["url"], json.loads(second)["url"]
    assert run(tmp_path / "corpus", "remove", "--yes", "--url", gone, "--reason", "asked").returncode == 0
    done = run(tmp_path / "corpus", "show", gone, "--original")
    assert (done.returncode, done.stdout, "no original of this page" in done.stderr) == (2, "", True)
    assert run(tmp_path / "corpus", "prune", "-s", "archive.max=1").returncode == 0
    done = run(tmp_path / "corpus", "show", kept, "--original")
    assert (done.returncode, done.stdout, "deleted with its WARC file" in done.stderr) == (2, "", True)


def test_a_rehearsal_of_nothing_says_so(folder: Path) -> None:
    """On standard error, as an export does."""
    done = run(folder, "export", "--dry-run", "--min-chars", "1000000", "--json")
    assert (done.returncode, json.loads(done.stdout)["documents"]) == (0, 0)
    assert "No document matches" in done.stderr


def test_an_export_needs_a_target_unless_it_is_rehearsed(folder: Path) -> None:
    """Exit code 2 says what is missing."""
    done = run(folder, "export")
    assert (done.returncode, "-o" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("options", "what", "total"),
    [
        (("export", "-o", "{}/out.jsonl"), "documents exported", 6),
        (("export", "-o", "{}/out/", "--release", "--min-chars", "100000"), "documents exported", 0),
        (("export", "-o", "{}/out.jsonl", "--quality", "default"), "documents exported", None),
        (("export", "--dry-run"), "documents read", 6),
        (("check",), "WARC files checked", 1),
    ],
)
def test_a_bar_knows_where_it_ends(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], what: str, total: int
) -> None:
    """Where it can be counted without a look at each document."""
    drawn: list[tuple[str, int | None]] = []

    @contextmanager
    def bar() -> Iterator[Progress]:
        yield lambda what, _, total: drawn.append((what, total))

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("corpus_spider.terminal.progress.bar", bar)
    monkeypatch.chdir(folder)
    assert app.run([each.format(tmp_path) for each in options]) == 0
    assert {step for step in drawn if step[0] == what} == {(what, total)}


def test_texts_are_folded_whole() -> None:
    """Text, title, captions and comments, by the language of the document; the length is that of the folded text."""
    (made,) = folded([a_document("كـتاب ١", "fa", title="٢", captions=("٣",), comments=("٤",))], ("digits", "tatweel"))
    assert (made.text, made.chars, made.title, made.captions, made.comments) == ("كتاب 1", 6, "2", ("3",), ("4",))
    (same,) = folded([a_document("١", "ar")], ())
    assert same.text == "١"


def test_unspaced_languages_need_a_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Better an error that says what to install than Thai lines as words."""
    monkeypatch.setattr("pipelines.text.segmentation.choice.library_names", lambda: dict.fromkeys(CHOICES, ""))
    (made,) = cut([a_document("a, b", "vi")])
    assert made.text == f"a{GLUE}, b"
    with pytest.raises(ConfigError, match="segmenter"):
        list(cut([a_document("ตากลม", "th")]))


def test_an_unknown_fold_is_refused() -> None:
    names = "fold release shard_size since_release format_name overwrite target require_licence quality"
    options = dict.fromkeys(f"{names} without_recurring".split()) | {"fold": ("digits", "tatwel")}
    with pytest.raises(ConfigError, match="no fold 'tatwel'"):
        request(Selection(), options)


def test_originals_go_into_one_file_that_proves_itself(folder: Path, tmp_path: Path) -> None:
    """A WACZ twice the same; its digests agree; every line of its index leads to the answer it names."""
    for name in ("one.wacz", "two.wacz"):
        done = run(folder, "export", "-o", str(tmp_path / name), "--json")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "one.wacz").read_bytes() == (tmp_path / "two.wacz").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.wacz") as packed:
        assert packed.testzip() is None
        described = packed.read("datapackage.json")
        digest = json.loads(packed.read("datapackage-digest.json"))["hash"]
        assert digest == f"sha256:{hashlib.sha256(described).hexdigest()}"
        for resource in json.loads(described)["resources"]:
            content = packed.read(resource["path"])
            assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        lines = packed.read("indexes/index.cdx").splitlines()
        pages = packed.read("pages/pages.jsonl").splitlines()
    report = json.loads(done.stdout)
    assert (len(lines), len(pages) - 1) == (report["records"], report["pages"])
    assert lines == sorted(lines)
    for line in lines:
        _, moment, reported = line.decode().split(" ", 2)
        place = json.loads(reported)
        with (folder / "warc" / place["filename"]).open("rb") as file:
            file.seek(int(place["offset"]))
            record = next(iter(ArchiveIterator(file)))
        assert record.rec_headers.get_header("WARC-Target-URI") == place["url"]
        assert record.http_headers.get_statuscode() == place["status"]
        assert record.rec_headers.get_header("WARC-Payload-Digest") == place["digest"]
        assert len(moment) == 14


@pytest.mark.parametrize(
    ("step", "name"), [*product(["_write_index", "_sorted_runs"], ["all.wacz", "all.cdxj"]), ("_entry", "all.wacz")]
)
def test_originals_that_a_removal_replaces_meanwhile_are_exported_as_they_are_then(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, name: str
) -> None:
    """They were an error of the disk, or an index without the records that were in another file by then."""
    shutil.copytree(folder, tmp_path / "corpus")
    config, do = load(tmp_path / "corpus" / "corpus.toml"), getattr(module, step)
    with Corpus.open(config.database_url, read_only=True) as corpus:
        requests = [RemovalRequest(RequestKind.URL, next(iter(corpus.documents())).url, "asked")]

    def done(*parts: Any, **named: Any) -> Any:
        while requests:
            remove(config, requests.pop())
        return do(*parts, **named)

    monkeypatch.setattr(module, step, done)
    report = originals(config, wanted(tmp_path / name))
    with Corpus.open(config.database_url, read_only=True) as corpus:
        known = {file.name for file in corpus.warc.files()}
        assert (report.files, report.records) == (len(known), sum(1 for _ in corpus.fetches()))
    if name == "all.wacz":
        with zipfile.ZipFile(tmp_path / name) as packed:
            assert {path.removeprefix("archive/") for path in packed.namelist() if "archive/" in path} == known


def test_an_index_is_sorted_however_many_runs_it_takes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory stays flat: what does not fit is sorted in parts and merged."""
    config = load(folder / "corpus.toml")
    whole = originals(config, wanted(tmp_path / "whole.cdxj"))
    monkeypatch.setattr("storage.exports.originals.RUN", 3)
    assert originals(config, wanted(tmp_path / "parts.cdxj")).sha256 == whole.sha256
    with pytest.raises(ConfigError, match="exported whole"):
        originals(config, replace(wanted(tmp_path / "some.cdxj"), folds=("digits",)))


def wanted(target: Path) -> ExportRequest:
    return ExportRequest(str(target), Selection())


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://www.News.example:8080/A?b=C", "example,news:8080)/a?b=c"),
        ("http://a.example", "example,a)/"),
        ("http://a.example/b/?", "example,a)/b"),
        ("https://www2.a.example:443/./b//c/../d/#e", "example,a)/b/d"),
        ("http://u:p@a.example:443/?b=2&a=1&b=1&c", "example,a:443)/?a=1&b=1&b=2&c"),
        ("http://a.example/%2541%D8%B4 é?q=%20%26", "example,a)/a%d8%b4%20%c3%a9?&q=%20"),
        ("https://[broken/", "https://[broken/"),
    ],
)
def test_addresses_are_turned_round(address: str, expected: str) -> None:
    assert surt(address) == expected
