"""`export --release`, as a user runs it: reproducible, with what was removed, and without what is this machine's."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest

from corpus_spider.dump import cut, folded, request
from storage.errors import ConfigError
from storage.exports.vertical import GLUE
from storage.records import CorpusDocument
from tests.corpus_spider.newspaper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path


def a_document(text: str, language: str, **changes: Any) -> CorpusDocument:
    values: dict[str, Any] = dict.fromkeys(field.name for field in fields(CorpusDocument))
    return CorpusDocument(**values | {"text": text, "language": language, "captions": (), "comments": ()} | changes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    with served(Newspaper(articles=6)) as paper:
        (folder / "corpus.toml").write_text(corpus_toml(paper))
        assert run(folder, "crawl").returncode == 0
    return folder


def test_a_release_is_the_same_twice_and_the_next_one_tells_what_was_removed(folder: Path, tmp_path: Path) -> None:
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
    assert run(tmp_path / "corpus", "remove", "--id", gone, "--reason", "asked").returncode == 0
    since = ("--since-dump", str(one / "manifest.json"), "--fold", "digits")
    done = run(tmp_path / "corpus", "export", "-o", f"{tmp_path / 'three'}/", *since)
    assert done.returncode == 0, done.stderr
    changes = [json.loads(line) for line in (tmp_path / "three" / "changes.jsonl").read_text().splitlines()]
    assert {"id": gone, "change": "removed"} in changes
    (listed,) = [json.loads(line) for line in (tmp_path / "three" / "removed.jsonl").read_text().splitlines()]
    assert (listed["id"], listed["kind"]) == (gone, "id")


def test_texts_are_folded_whole() -> None:
    """Text, title, captions and comments, by the language of the document; the length is that of the folded text."""
    (made,) = folded([a_document("كـتاب ١", "fa", title="٢", captions=("٣",), comments=("٤",))], ("digits", "tatweel"))
    assert (made.text, made.chars, made.title, made.captions, made.comments) == ("كتاب 1", 6, "2", ("3",), ("4",))
    (same,) = folded([a_document("١", "ar")], ())
    assert same.text == "١"


def test_unspaced_languages_need_a_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Better an error that says what to install than Thai lines as words."""
    monkeypatch.setattr("pipelines.tokens.segmenter", lambda: None)
    (made,) = cut([a_document("a, b", "vi")])
    assert made.text == f"a{GLUE}, b"
    with pytest.raises(ConfigError, match="segmenter"):
        list(cut([a_document("ตากลม", "th")]))


def test_an_unknown_fold_is_refused() -> None:
    names = "since until fold release shard_size since_dump format_name languages sites min_chars include_duplicates"
    more = "versions min_confidence overwrite target without_reserved require_licence"
    options = dict.fromkeys(f"{names} {more}".split())
    with pytest.raises(ConfigError, match="no fold 'tatwel'"):
        request(options | {"fold": "digits,tatwel"})
