"""`words --lemma`: frequencies of lemmas, counted in the texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import corpus_spider
from corpus_spider.cli import app
from corpus_spider.search.index.manifest import CellKey
from corpus_spider.words.lemmas import count_lemmas, lemma_list
from corpus_spider.words.lists import AS_ONE, SharedSpellings
from corpus_spider.words.request import WordList
from pipelines.text.annotation.annotator import LEMMA, TAG, Annotator
from pipelines.text.annotation.choice import annotator_of
from storage.corpus import Corpus
from storage.documents.selection import Selection
from storage.errors import ConfigError
from tests.corpus_spider.local_paper import crawl_into
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made
from tests.storage.export_samples import a_document

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of Vietnamese documents."""
    return crawl_into(tmp_path_factory.mktemp("lemmas"), articles=6)


@pytest.fixture
def word_as_lemma(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each word is its own lemma."""
    own = Annotator("vi", "test 1", (LEMMA,), "", lambda tokens: [(token, "") for token in tokens])
    monkeypatch.setattr("corpus_spider.words.lemmas.annotator_of", {"vi": own}.get)
    monkeypatch.chdir(folder)


@pytest.mark.usefixtures("word_as_lemma")
@pytest.mark.parametrize("more", [[], ["--spelling", "exact"], ["--without-stop-words"]])
def test_lemmas_that_are_the_words_are_counted_as_the_words(
    capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    """Frequencies, documents and dispersion are those of the search index. The output names the library."""
    need("web")
    tables = []
    for lemma in ([], ["--lemma"]):
        assert app.run(["words", "--language", "vi", "--limit", "5000", *more, *lemma, "--json"]) == 0
        tables.append(json.loads(capsys.readouterr().out))
    assert tables[1].pop("annotations") == {"vi": "lemma (test 1)"}
    for table in tables:
        table["rows"].sort(key=lambda row: (-row["frequency"], row["word"]))
    assert tables[0] == tables[1]
    assert tables[0]["rows"]


@pytest.mark.usefixtures("word_as_lemma")
def test_python_programs_get_the_same_list(capsys: pytest.CaptureFixture[str]) -> None:
    """The totals name the library. Other lists are refused beside it."""
    assert app.run(["words", "--lemma", "--limit", "5", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    with corpus_spider.open() as corpus, pytest.warns(UserWarning, match=r"lemma \(test 1\)"):
        rows = corpus.words(lemma=True, limit=5)
    assert list(rows) == shown["rows"]
    assert rows.totals["annotations"] == {"vi": "lemma (test 1)"}


def test_a_language_without_lemmas_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An annotator of tags alone does not help."""
    tags = Annotator("vi", "test 1", (TAG,), "", lambda tokens: [("", "N") for _ in tokens])
    monkeypatch.setattr("corpus_spider.words.lemmas.annotator_of", {"vi": tags}.get)
    monkeypatch.chdir(folder)
    assert app.run(["words", "--lemma"]) == 2
    assert "vi: no selected language has lemmas" in capsys.readouterr().err
    assert app.run(["words", "--lemma", "--around", "x"]) == 2
    assert "--lemma exclude each other" in capsys.readouterr().err


def test_a_missing_library_is_a_note_unless_its_language_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other languages are counted. Without any it is an error, with the line that installs it."""
    own = Annotator("vi", "test 1", (LEMMA,), "", lambda tokens: [(token, "") for token in tokens])
    missing = ConfigError("lemmas and tags need x, which is not installed", where="en", do="pip install x")

    def found(language: str) -> Annotator | None:
        if language == "en":
            raise missing
        return own if language == "vi" else None

    monkeypatch.setattr("corpus_spider.words.lemmas.annotator_of", found)
    wanted = WordList(limit=3)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.visit("1", made("The children ran home.", language="en"))
        crawl.visit("2", made("giá xăng tăng", language="vi"))
        answer = lemma_list(corpus, Selection(), wanted)
        assert {row.word for row in answer.table.rows} <= {"title", "giá", "xăng", "giá xăng", "tăng"}
        assert answer.notes[0] == (
            "en: not counted, because lemmas and tags need x, which is not installed: pip install x"
        )
        for languages in (("en",), ("en", "vi")):
            with pytest.raises(ConfigError, match="need x"):
                lemma_list(corpus, Selection(languages), wanted)


def test_forms_of_a_word_are_one_lemma() -> None:
    """By language, site and month; of the title too."""
    need("lemma")
    annotator = annotator_of("en")
    assert annotator is not None
    texts = ("The child ran. Children run!", "He runs, they run.")
    documents = [a_document(number, text, title="Running") for number, text in enumerate(texts, 1)]
    cells = count_lemmas(documents, {"en": annotator}, AS_ONE, spelled := SharedSpellings())
    (key, cell), *others = cells.items()
    assert not others
    assert key == CellKey("en", documents[0].site, (documents[0].date or "")[:7])
    assert (cell.documents, cell.tokens) == (2, 11)
    assert (cell.frequencies["run"], cell.appearances["run"], cell.frequencies["child"]) == (6, 2, 2)
    assert spelled.spelled("run") == "run"
