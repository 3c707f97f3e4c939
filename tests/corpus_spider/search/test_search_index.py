"""The search index: built, refreshed, and free of every text that the corpus does not have."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus_spider.search.answers import answered
from corpus_spider.search.hits.concordance import SoughtWords, lines
from corpus_spider.search.hits.concordance_rules import WantedLines
from corpus_spider.search.index import builder
from corpus_spider.search.index.builder import is_current, only_writer, refresh, refresh_aside, refresh_if_alone
from corpus_spider.search.index.checking import check_index
from corpus_spider.search.index.made_with import IndexTools, MissingLibraryError
from corpus_spider.search.index.manifest import Manifest
from corpus_spider.search.searching import SearchIndex
from corpus_spider.words import clouds, lists
from corpus_spider.words.collocates import collocates
from corpus_spider.words.collocation_rules import MEASURES, CollocationRules
from corpus_spider.words.hit_trends import trends
from corpus_spider.words.outside_counts import OutsideCounts
from corpus_spider.words.references import RestOfCorpus, reference_of
from corpus_spider.words.request import WordList, word_list
from pipelines.text import words as words_module
from pipelines.text.segmentation import choice
from pipelines.text.segmentation.choice import CHOICES
from pipelines.text.words import WORDS, Splitter, splitter, words
from storage.corpus import Corpus
from storage.documents.selection import Selection
from storage.errors import ConfigError, DamageError, TooSlowError, UnfinishedIndexError
from storage.removal.affected_pages import RemovalRequest, RequestKind
from storage.time_limit import time_limit
from tests.extras import need
from tests.storage.corpus_samples import NOON, Crawl, made

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

need("web")

TEXTS = {
    "1": ("vi", "Chính phủ họp về giá xăng hôm nay"),
    "2": ("vi", "Người dân đi chợ và nói về giá xăng"),
    "3": ("ar", "أعلنت الحكومة خطة جديدة للمدارس"),
    "4": ("th", "รัฐบาลไทยประกาศนโยบายใหม่"),
    "5": ("vi", "zanzibarword đứng một mình trong bài này"),
}

REFRESHED_ASIDE = """
import sys, threading
from multiprocessing import forkserver
from pathlib import Path
from corpus_spider.search.index.builder import refresh_aside
refresh_aside(sys.argv[1], Path(sys.argv[2]), threading.Event())
print(forkserver._forkserver._forkserver_pid)
"""


@pytest.mark.parametrize(
    ("question", "hits"),
    [
        ('"an* giá"', 1),
        ('"an* an*"', 500),
        ('giá OR "an* giá"', 1),
        ('"giá xăn*"', 1),
        ("an* giá", 1),
        ('"giá an*"', 0),
    ],
)
def test_a_star_in_a_phrase_may_stand_for_very_many_words(tmp_path: Path, question: str, hits: int) -> None:
    """The phrase is found by its words, and by the tokens of their documents."""
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        letters = random.Random(1)
        many = " ".join("an" + "".join(letters.choices("bcdeghiklmnopqrstuvxy", k=7)) for _ in range(1000))
        Crawl(corpus).visit("1", made(f"{many} giá xăng", language="vi"))
        with only_writer(tmp_path / "index"):
            refresh(corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
        with SearchIndex.open(tmp_path / "index", corpus) as index:
            assert index.find(question, Selection(), most=5).number == (hits > 0)
            assert answered(index, corpus, question, Selection()).counts.hits == hits


def test_a_site_in_a_question_that_no_document_has_is_an_error(searched: tuple[SearchIndex, Corpus]) -> None:
    """It would find nothing without a reason. The error names the sites, and the most similar one."""
    index, _ = searched
    assert index.find("z1 site:a.example", Selection(), most=1).number == 1
    with pytest.raises(ConfigError, match=r"no document of site:a\.exampl .*mean a\.example") as error:
        index.find("z1 (z2 OR z3) -site:a.exampl", Selection(), most=1)
    assert error.value.do == "Sites: a.example."


@pytest.mark.parametrize(
    ("question", "selection", "absent"),
    [
        ("z1 site:a.example", Selection(sites=("a.example",)), ()),
        ("z1 author:Oakes", Selection(), ("author:Oakes",)),
        ('z1 -section:nope -author:"A B"', Selection(), ('author:"A B"', "section:nope")),
        ("z1", Selection(("sw",), ("b.example",), title_words=("x",)), ("language:sw", "site:b.example")),
        ("z1", Selection(sections=("s",), authors=("A",)), ("author:A", "section:s")),
    ],
)
def test_an_answer_names_what_no_document_has(
    searched: tuple[SearchIndex, Corpus], question: str, selection: Selection, absent: tuple[str, ...]
) -> None:
    """Values of fields in the question and the selection: an author that is misspelled finds nothing."""
    index, corpus = searched
    assert answered(index, corpus, question, selection).absent == absent


@pytest.mark.parametrize("name", ["tokens.bin", "meta.json"])
def test_a_deep_check_names_a_shard_whose_file_is_missing(opened: Crawl, tmp_path: Path, name: str) -> None:
    """It is a problem with a way out, and no internal error."""
    with only_writer(tmp_path / "index"):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
    [path] = tmp_path.glob(f"index/*/{name}")
    path.unlink()
    [problem] = check_index(opened.corpus, tmp_path / "index", deep=True).problems
    assert problem.startswith("the search index cannot be read")


def test_the_index_looks_at_the_time_of_a_request(opened: Crawl, tmp_path: Path) -> None:
    """Within a statement, and between the counts of a word list."""
    with only_writer(tmp_path / "index"):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
    long = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000000) SELECT count(*) FROM c"
    slow, limit = pytest.raises(TooSlowError, match="longer than the limit"), time_limit(0.1)
    with slow, limit, Manifest.open(tmp_path / "index", read_only=True) as manifest:
        manifest.connection.execute(long).fetchone()
    with Manifest.open(tmp_path / "index", read_only=True) as manifest:
        assert list(manifest.cells())
        with pytest.raises(TooSlowError), time_limit(0.0):
            list(manifest.cells())


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SearchIndex, Corpus]]:
    """An index of texts with many spellings of few words, in several languages and shards."""
    folder = tmp_path_factory.mktemp("spellings")
    letters = random.Random(3)
    alphabet = {"vi": "giááxn", "tr": "ıiIİg", "ar": "اأىيةه", "th": "รัฐบา", "en": "gIax'-9", "ur": "ہھهیa"}
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        for number in range(60):
            language = list(alphabet)[number % len(alphabet)]
            spelled = ("".join(letters.choices(alphabet[language], k=letters.randint(1, 4))) for _ in range(6))
            crawl.visit(str(number), made(" ".join(spelled) + f" z{number}", language=language))
        with only_writer(folder / "index"), pytest.MonkeyPatch.context() as patched:
            patched.setattr(builder, "MAX_SHARD_DOCUMENTS", 25)
            refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
        with SearchIndex.open(folder / "index", corpus) as index:
            assert len(index.shards) > 1
            yield index, corpus


SIGNS = st.text(alphabet="giaáxnIıİ'اأىيةہھรัฐบ*?", min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@example("*")
@example("g*")
@example("?a")
@given(
    st.one_of(
        SIGNS,
        SIGNS.map("={}".format),
        st.tuples(SIGNS, SIGNS).map('"{0[0]} {0[1]}"'.format),
        SIGNS.map("/{}/".format),
        st.tuples(SIGNS, SIGNS).map("/({0[0]}|{0[1]}).*/".format),
        st.tuples(SIGNS, SIGNS).map("{0[0]} NEAR/1 ({0[1]} OR g*)".format),
        st.tuples(SIGNS, SIGNS).map("{0[0]} ... {0[1]}".format),
        st.tuples(SIGNS, SIGNS).map('[word="{0[0]}.*"] []? {0[1]}'.format),
        st.tuples(SIGNS, SIGNS).map('i* -({0[0]} NEAR/2 [word!="{0[1]}.*"])'.format),
        st.tuples(SIGNS, SIGNS).map("{0[0]}* -/{0[1]}.*/".format),
    )
)
def test_the_documents_of_a_question_are_those_whose_texts_have_a_place_of_it(
    searched: tuple[SearchIndex, Corpus], question: str
) -> None:
    """Words with wildcards, expressions and phrases of them: the index agrees with a plain look at each text."""
    index, corpus = searched
    try:
        parsed = index.parsed(question)
        found = index.find(question, Selection(), most=100)
    except ConfigError:
        return
    places = {
        document.id
        for document in corpus.documents(Selection())
        if lines(f"{document.title or ''}\n{document.text}", SoughtWords(parsed, document.language), splitter())
    }
    assert set(found.ids) == places
    counted = sum(len(starts) for _, (starts, _) in index.hits(parsed, Selection()))
    assert index.count_hits(parsed, Selection(), seconds=60).hits == counted
    shown = (
        lines("\n".join(document.searched_lines), SoughtWords(parsed, document.language), splitter())
        for document in corpus.documents(Selection())
    )
    assert counted == sum(map(len, shown))


@pytest.fixture
def opened(tmp_path: Path) -> Crawl:
    corpus = Corpus.open(tmp_path / "corpus.db", create=True)
    crawl = Crawl(corpus)
    for path, (language, text) in TEXTS.items():
        crawl.visit(path, made(text, language=language, title=f"Title {path}", published=f"2026-0{path}-01"))
    return crawl


def built(crawl: Crawl, folder: Path) -> builder.RefreshReport:
    with only_writer(folder) as is_writer:
        assert is_writer
        return refresh(crawl.corpus, str(folder.parent / "corpus.db"), folder, 1)


@contextmanager
def indexed(folder: Path, texts: Iterable[str]) -> Iterator[tuple[SearchIndex, Corpus]]:
    """Open the index of a corpus of English texts."""
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        for number, text in enumerate(texts):
            crawl.visit(str(number), made(text, language="en"))
        built(crawl, folder / "index")
        with SearchIndex.open(folder / "index", corpus) as index:
            yield index, corpus


def found(crawl: Crawl, folder: Path, question: str, **filters: object) -> set[str]:
    with SearchIndex.open(folder, crawl.corpus) as index:
        ids = index.find(question, Selection(**filters), most=50).ids  # type: ignore[arg-type]
    return {document.url[-1] for document in crawl.corpus.documents.of_ids(ids)}


@pytest.mark.parametrize(
    ("question", "filters", "paths"),
    [
        ("giá xăng", {}, {"1", "2"}),
        ("gia xang", {}, {"1", "2"}),
        ('"giá xăng" -họp', {}, {"2"}),
        ("xăng", {"since": "2026-02-01"}, {"2"}),
        ("xăng", {"until": "2026-01-31"}, {"1"}),
        ("xăng OR الحكومة", {"languages": ("ar",)}, {"3"}),
        ("รัฐบาล", {}, {"4"}),
        ("x?ng", {}, {"1", "2"}),
        ("*ng", {"until": "2026-01-31"}, {"1"}),
        ("*barword OR h*p", {}, {"1", "5"}),
        ("=xang", {}, set()),
        ("=x?ng", {}, {"1", "2"}),
        ('"gi?x x*g"', {}, set()),
        ('"g?á x*g"', {}, {"1", "2"}),
        ("ال*ة", {}, {"3"}),
        ("/zanz.*|h(ọ|o)p/", {}, {"1", "5"}),
        ("/xang/", {}, set()),
        ("/.*ường|đứng/ -một", {}, set()),
        ("giá NEAR/0 xăng", {}, {"1", "2"}),
        ("chợ NEAR/4 xăng", {}, {"2"}),
        ("chợ NEAR/3 xăng", {}, set()),
        ("họp NEAR/1 xăng", {}, set()),
        ("xăng ... họp", {}, set()),
        ("xăng -(họp NEAR/2 xăng)", {}, {"2"}),
        ('[word="g.á" %c] [word="xăng"] within <s/>', {}, {"1", "2"}),
        ('[word="và|về" & word!="và"] []{1,2} hôm', {}, {"1"}),
        ("title:title", {}, {"1", "2", "3", "4", "5"}),
        ("title:giá OR title:4", {}, {"4"}),
        ("ประกาศ NEAR/3 รัฐบาล", {}, {"4"}),
        ("date:2026-02 title", {}, {"2"}),
        ("date:2026-02..2026-04-01 -date:2026-03 title", {}, {"2", "4"}),
        ("date:2027.. title", {}, set()),
        ("site:a.example (xăng OR خطة)", {}, {"1", "2", "3"}),
        ("-site:a.example xăng", {}, set()),
        ("(site:a.example OR date:2026-01-01) xăng", {}, {"1", "2"}),
        ("", {}, {"1", "2", "3", "4", "5"}),
        ("", {"min_chars": 35}, {"2", "5"}),
        ("title", {"sites": ("a.example",)}, {"1", "2", "3", "4", "5"}),
        ("xăng", {"sites": ("b.example",)}, set()),
    ],
)
def test_documents_are_found_by_words_and_filters(
    opened: Crawl, tmp_path: Path, question: str, filters: dict[str, object], paths: set[str]
) -> None:
    """With and without marks, by phrase, day, language, site and length; without a question all are listed."""
    built(opened, tmp_path / "index")
    assert found(opened, tmp_path / "index", question, **filters) == paths


def test_a_refresh_brings_what_is_new_and_takes_out_what_is_superseded(opened: Crawl, tmp_path: Path) -> None:
    """A second refresh does nothing; a new version takes the place of the one before."""
    folder = tmp_path / "index"
    assert built(opened, folder).added == len(TEXTS)
    assert (built(opened, folder).added, built(opened, folder).left) == (0, 0)
    opened.visit("1", made("Một văn bản hoàn toàn mới thay cho bản cũ", language="vi"))
    report = built(opened, folder)
    assert (report.added, report.left, report.documents) == (1, 1, len(TEXTS))
    assert found(opened, folder, "họp") == set()
    assert found(opened, folder, "hoàn toàn") == {"1"}


def test_a_refresh_is_due_after_each_change_of_texts_and_titles_only(opened: Crawl, tmp_path: Path) -> None:
    """A search need not look at every document of a corpus that nothing has changed in."""
    folder = tmp_path / "index"
    steps = {
        "no index": lambda: None,
        "nothing": lambda: None,
        "a new text": lambda: opened.visit("6", made("Bài thứ sáu", language="vi")),
        "the same text": lambda: opened.visit("6", made("Bài thứ sáu", language="vi")),
        "its title": lambda: opened.visit("6", made("Bài thứ sáu", language="vi", title="Tên bài")),
        "a removal": lambda: opened.corpus.removals.declare(
            RemovalRequest(RequestKind.URL, "https://a.example/6", "asked")
        ),
    }
    due = {}
    for name, step in steps.items():
        step()
        due[name] = not is_current(opened.corpus, folder)
        built(opened, folder)
    same = {"nothing", "the same text"}
    assert due == {name: name not in same for name in steps}


def test_shards_come_in_place_of_old_ones_in_one_step(
    opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a refresh merges shards no document is missing: a reader sees the old ones until all are made."""
    folder = tmp_path / "index"
    monkeypatch.setattr(builder, "MAX_SHARD_DOCUMENTS", 3)
    built(opened, folder)
    opened.visit("1", made("Bài một mới", language="vi"))
    opened.visit("4", made("Bài bốn mới", language="vi"))
    seen = set[int]()

    def look(*_: object) -> None:
        with SearchIndex.open(folder, opened.corpus) as index:
            seen.add(index.find("", Selection(), most=1).number)

    with only_writer(folder):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 1, look)
    assert seen == {len(TEXTS)}


def test_counts_after_many_refreshes_are_those_of_a_new_index(
    opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New, changed and removed texts: what shards took with them is out of the sums, and nothing else."""
    monkeypatch.setattr(builder, "MAX_SHARD_DOCUMENTS", 3)
    grown, new = tmp_path / "grown", tmp_path / "new"
    built(opened, grown)
    for step in range(3):
        opened.visit(f"more{step}", made(f"Bài số {step} về giá xăng", language="vi", published="2026-01-09"))
        opened.visit("1", made(f"Chính phủ họp lần {step}", language="vi", published="2026-01-01"))
        built(opened, grown)
    opened.corpus.removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/5", "asked"))
    while opened.corpus.removals.withdraw():
        pass
    built(opened, grown)
    built(opened, new)
    assert counts(grown) == counts(new)


def counts(folder: Path) -> dict[tuple[object, ...], tuple[int, ...]]:
    """Return the documents and words of each cell, and the counts of each word in it."""
    found: dict[tuple[object, ...], tuple[int, ...]] = {}
    with Manifest.open(folder, read_only=True) as manifest:
        for cell in manifest.cells():
            found[cell.key] = cell.documents, cell.tokens
            texts = manifest.texts_of(cell.words.tolist())
            for word, often, documents in zip(cell.words.tolist(), cell.frequencies, cell.appearances, strict=True):
                found[*cell.key, texts[word]] = int(often), int(documents)
    return found


def test_after_a_removal_the_index_refuses_until_no_file_has_the_words(opened: Crawl, tmp_path: Path) -> None:
    """The rare word of a removed text is in no file of the index once it answers again."""
    folder = tmp_path / "index"
    built(opened, folder)
    removals = opened.corpus.removals
    removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/5", "asked"))
    while removals.withdraw():
        pass
    with pytest.raises(ConfigError, match="removal"), SearchIndex.open(folder, opened.corpus):
        pass
    built(opened, folder)
    assert found(opened, folder, "zanzibarword") == set()
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert not any(b"zanzibarword" in path.read_bytes() for path in files)
    with Manifest.open(folder, read_only=True) as manifest:
        assert manifest.ids_by_text(["zanzibarword"]) == {}
    with SearchIndex.open(folder, opened.corpus) as index:
        [tokens] = index.tokens.shards
        assert "zanzibarword" not in tokens.vocabulary
        assert "xăng" in tokens.vocabulary


def test_ngrams_of_a_selection_are_counted_in_its_texts_alone(opened: Crawl, tmp_path: Path) -> None:
    """By language and by month; what no language has is refused."""
    built(opened, tmp_path / "index")
    with SearchIndex.open(tmp_path / "index", opened.corpus) as index:

        def listed(wanted: WordList, **selected: object) -> list[tuple[str, int, int]]:
            found = word_list(index, Selection(**selected), wanted)  # type: ignore[arg-type]
            return [(row.word, row.frequency, row.documents) for row in found.table.rows]

        near = CollocationRules(min_frequency=2)
        assert listed(WordList(ngrams=3, near=near)) == [("về giá xăng", 2, 2)]
        assert listed(WordList(ngrams=2, near=near), languages=("vi",), since="2026-02") == []
        one = WordList(ngrams=3, near=CollocationRules(min_frequency=1))
        assert ("đi chợ và", 1, 1) in listed(one, since="2026-02", until="2026-02")
        assert listed(one, languages=("en",)) == []
        for wrong in (WordList(ngrams=6), WordList(ngrams=2, spelling="exact")):
            with pytest.raises(ConfigError):
                listed(wrong)


def test_the_tokens_of_an_index_are_the_units_of_the_texts_by_line_and_sentence(tmp_path: Path) -> None:
    """Those that a question finds, without the sign at the end of a sentence, in small letters."""
    with indexed(tmp_path, ["One text. It has Sentences.\nA line", "Another one"]) as (index, _):
        [block] = index.blocks("sentences", Selection())
        units = [block.vocabulary[each] for each in block.tokens.tolist()]
        title = len(units) - 7
        assert units[title:] == ["one", "text", "it", "has", "sentences", "a", "line"]
        assert block.sentence_starts.tolist()[-3:] == [title, title + 2, title + 5]
        assert block.line_starts.tolist() == [0, title, title + 5]
        assert sum(len(each.documents) for each in index.blocks("", Selection())) == 2
        assert list(index.blocks("absent", Selection())) == []


def test_a_check_proves_by_content_that_a_removal_reached_the_index(opened: Crawl, tmp_path: Path) -> None:
    """A word, a document or a folder that comes back into the index is a problem; an index that is behind is a note."""
    folder = tmp_path / "index"
    assert checked(opened, folder) == ([], [])
    built(opened, folder)
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    opened.corpus.removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/5", "asked"))
    while opened.corpus.removals.withdraw():
        pass
    problems, notes = checked(opened, folder)
    assert (problems, ["behind a removal" in note for note in notes]) == ([], [True])
    built(opened, folder)
    assert checked(opened, folder) == ([], [])
    with Manifest.open(folder, read_only=False) as manifest:
        manifest.connection.execute("INSERT INTO word (text) VALUES ('zanzibarword')")
    [problem] = checked(opened, folder)[0]
    assert "zanzibarword" in problem
    with Manifest.open(folder, read_only=False) as manifest:
        manifest.connection.execute("DELETE FROM word WHERE text = 'zanzibarword'")
        [number] = manifest.shards()
    shutil.copytree(kept / "shard-000001", folder / "shard-000099")
    [problem], [note] = checked(opened, folder)
    assert "1 removed document" in problem
    assert "shard-000099" in note
    shutil.rmtree(folder / "shard-000099")
    (folder / "shard-000099.new").mkdir()
    problems, [note] = checked(opened, folder)
    assert (problems, "was stopped (shard-000099.new)" in note) == ([], True)
    shutil.rmtree(folder / "shard-000099.new")
    shutil.rmtree(builder.shard_folder(folder, number))
    shutil.copytree(kept / "shard-000001", builder.shard_folder(folder, number))
    other, strange = checked(opened, folder)[0]
    assert "other documents than its list" in other
    assert "words of no text" in strange


def test_while_the_first_index_is_made_the_answer_is_that_it_is_not_complete(opened: Crawl, tmp_path: Path) -> None:
    """No removal is blamed, the web page answers 503, and `index` says whether `search` answers meanwhile."""
    folder, seen, reported = tmp_path / "index", set[str](), set[bool]()

    def look(*_: object) -> None:
        reported.add(builder.answers(folder))
        try:
            with SearchIndex.open(folder, opened.corpus):
                seen.add("open")
        except UnfinishedIndexError as error:
            seen.add(error.what)

    with only_writer(folder):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 1, look)
    assert (seen, reported) == ({"the first search index is not complete yet"}, {False})
    opened.visit("4", made("Bài bốn mới", language="vi"))
    with only_writer(folder):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 1, look)
    assert ("open" in seen, reported) == (True, {False, True})


def checked(crawl: Crawl, folder: Path) -> tuple[list[str], list[str]]:
    """Return the problems and notes of a deep check."""
    report = check_index(crawl.corpus, folder, deep=True)
    return report.problems, report.notes


def test_a_refresh_that_is_interrupted_after_a_removal_leaves_no_word_for_good(
    opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stops between the shards and the list of words; the next one finds no change of documents, and cleans up."""
    folder = tmp_path / "index"
    built(opened, folder)
    opened.corpus.removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/5", "asked"))
    while opened.corpus.removals.withdraw():
        pass

    class StoppedError(Exception):
        pass

    def stop(_: Manifest) -> int:
        raise StoppedError

    with monkeypatch.context() as patched:
        patched.setattr(Manifest, "forget_unused_words", stop)
        with pytest.raises(StoppedError):
            built(opened, folder)
    with pytest.raises(ConfigError, match="removal"), SearchIndex.open(folder, opened.corpus):
        pass
    assert built(opened, folder).left == 0
    assert not any(b"zanzibarword" in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_an_index_of_a_removal_in_progress_refuses_when_it_is_finished(opened: Crawl, tmp_path: Path) -> None:
    """It was refreshed between the declaration and the deletion, so it may hold the text."""
    folder = tmp_path / "index"
    opened.corpus.removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/5", "asked"))
    built(opened, folder)
    assert found(opened, folder, "giá xăng") == {"1", "2"}
    while opened.corpus.removals.withdraw():
        pass
    opened.corpus.removals.finish()
    with pytest.raises(ConfigError, match="removal"), SearchIndex.open(folder, opened.corpus):
        pass


def test_a_damaged_index_is_named_and_rebuilt_after_its_folder_is_deleted(opened: Crawl, tmp_path: Path) -> None:
    """The message says that nothing is lost."""
    folder = tmp_path / "index"
    built(opened, folder)
    (folder / "index.db").write_bytes(b"not a database" * 1000)
    for name in ("index.db-wal", "index.db-shm"):
        (folder / name).unlink(missing_ok=True)
    with pytest.raises(DamageError, match="cannot be read"), SearchIndex.open(folder, opened.corpus):
        pass
    with pytest.raises(DamageError, match="cannot be read"):
        built(opened, folder)
    shutil.rmtree(folder)
    assert built(opened, folder).documents == len(TEXTS)


@pytest.mark.parametrize("published", [None, "2026-02"])
def test_a_text_without_a_date_is_in_no_month(opened: Crawl, tmp_path: Path, published: str | None) -> None:
    """The day of its fetch is no date: it is counted by itself, and no range of days has it. Exports agree."""
    folder, month, by_day = tmp_path / "index", f"{NOON:%Y-%m}", WantedLines(order="date")
    opened.visit("6", made("Bài thứ sáu không có ngày", language="vi", published=published))
    opened.visit("7", made("Bài thứ sáu có ngày", language="vi", published=f"{NOON:%Y-%m-%d}"))
    built(opened, folder)
    for days in ({"since": f"{month}-01"}, {"until": f"{month}-28"}, {"since": "1990-01-01", "until": "2090-01-01"}):
        assert found(opened, folder, "sáu", **days) == {"7"}
        assert not {each.date for each in opened.corpus.documents(Selection(**days))} & {None, "2026-02"}
    for question in (f"sáu date:{month}", "sáu date:..2090", "sáu date:1990.."):
        assert found(opened, folder, question) == {"7"}
    assert found(opened, folder, "sáu NOT date:1990..") == {"6"}
    with SearchIndex.open(folder, opened.corpus) as index:
        answer = answered(index, opened.corpus, "sáu", Selection(), by_day)
        assert answer.groups["month"] == answer.counts.by_month == {month: 1, "undated": 1}
        assert [(place.url[-1], place.day) for place in answer.places] == [("7", f"{NOON:%Y-%m-%d}"), ("6", "")]
        for text in ("sáu", '"thứ sáu"'):
            rows = {row.month: row.frequency for row in trends(index, Selection(), [text])}
            assert (rows[month], rows["undated"], list(rows)[-1]) == (1, 1, "undated")
            for days in ({"since": month}, {"until": f"{month}-28"}):
                rows = {row.month: row.frequency for row in trends(index, Selection(**days), [text])}
                assert rows[month] == sum(rows.values()) == 1
                assert "undated" not in rows
        assert list(index.per_day(Selection())) == sorted(
            {each.date for each in opened.corpus.documents() if each.date and len(each.date) > 7}
        )


def test_what_an_interrupted_refresh_left_is_deleted_and_small_shards_are_merged(
    opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that no row names goes; shards not larger than what is written are merged into it."""
    folder = tmp_path / "index"
    monkeypatch.setattr(builder, "MAX_SHARD_DOCUMENTS", 4)
    assert built(opened, folder).shards == 2
    (folder / "shard-000099.new").mkdir()
    opened.visit("6", made("Bài thứ sáu", language="vi"))
    report = built(opened, folder)
    assert (report.documents, report.shards) == (6, 2)
    assert sorted(path.name[:6] for path in folder.iterdir() if path.is_dir()) == ["shard-"] * 2
    assert not list(folder.glob("*.new"))


def test_every_process_gets_a_shard(opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes share the documents, and find the same as one."""
    folder = tmp_path / "index"
    monkeypatch.setattr(builder, "WORTH_A_PROCESS", 2)
    with only_writer(folder):
        report = refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 2)
    assert (report.documents, report.shards, report.failures) == (len(TEXTS), 2, 0)
    assert found(opened, folder, "giá xăng") == {"1", "2"}
    with SearchIndex.open(folder, opened.corpus) as index:
        assert lists.sizes(index.manifest, Selection(("vi",))).documents == 3


def test_the_cloud_of_a_part_without_keywords_is_by_frequency(opened: Crawl, tmp_path: Path) -> None:
    """The caption says which measure it is; stop words are left out."""
    folder = tmp_path / "index"
    built(opened, folder)
    with SearchIndex.open(folder, opened.corpus) as index:
        made = clouds.of_selection(index.manifest, Selection(("vi",), ("a.example",)), RestOfCorpus(), 10, "a")
    assert "frequency" in made.caption
    assert "xăng" in " ".join(each.word for each in made.weights)
    assert "và" not in {each.word for each in made.weights}


def test_one_process_writes_and_a_missing_index_is_named(opened: Crawl, tmp_path: Path) -> None:
    """A second writer gets no lock; a search without an index says which command builds it."""
    folder = tmp_path / "index"
    with pytest.raises(ConfigError, match="no search index"), SearchIndex.open(folder, opened.corpus):
        pass
    with only_writer(folder) as first, only_writer(folder) as second:
        assert (first, second) == (True, False)


def test_a_page_is_no_part_of_its_own_reference(opened: Crawl, tmp_path: Path) -> None:
    """The words of the page are taken from the counts of the corpus."""
    folder = tmp_path / "index"
    built(opened, folder)
    _, text = TEXTS["1"]
    with SearchIndex.open(folder, opened.corpus) as index:
        size = lists.sizes(index.manifest, Selection(("vi",))).tokens
        own = clouds.of_text([text], "vi", index.manifest, 50, "", is_counted=True)
        whole = clouds.of_text([text], "vi", index.manifest, 50, "")
        page = len(words("vi").spans(text))
    assert f"{size - page:,} tokens" in own.caption
    assert f"{size:,} tokens" in whole.caption


def test_word_lists_are_counted_from_the_index(opened: Crawl, tmp_path: Path) -> None:
    """Frequencies and documents equal a count by hand; the word of one month is in its trend only."""
    folder = tmp_path / "index"
    built(opened, folder)
    with SearchIndex.open(folder, opened.corpus) as index:
        rows = {row.word: row for row in lists.frequencies(index.manifest, Selection(("vi",)), 100)}
        trend = lists.trend(index.manifest, Selection(("vi",)), ["họp"])
    assert (rows["giá"].frequency, rows["giá"].documents) == (2, 2)
    assert rows["title"].frequency == 3
    counted = [place for _, text in [*list(TEXTS.values())[:2], TEXTS["5"]] for place in words("vi").spans(text)]
    titles = [place for path in "125" for place in words("vi").spans(f"Title {path}")]
    assert sum(row.frequency for row in rows.values()) == len(counted) + len(titles)
    assert [(row.month, row.frequency) for row in trend] == [("2026-01", 1), ("2026-02", 0), ("2026-05", 0)]


@pytest.mark.parametrize(
    ("text", "frequencies", "counted_as"),
    [
        ("họp", [1, 0, 0], "word"),
        ('"giá xăng"', [1, 1, 0], "hits"),
        ("giá xăng", [1, 1, 0], "hits"),
        ('[word="gi.*"]', [1, 1, 0], "hits"),
    ],
)
def test_what_is_no_counted_word_has_a_trend_of_its_hits(
    opened: Crawl, tmp_path: Path, text: str, frequencies: list[int], counted_as: str
) -> None:
    """In each month, per million words of the month as counted words are."""
    folder = tmp_path / "index"
    built(opened, folder)
    with SearchIndex.open(folder, opened.corpus) as index:
        rows = trends(index, Selection(("vi",)), [text, "giá"])
        sizes = dict.fromkeys(("2026-01", "2026-02", "2026-05"), 0)
        for size in index.manifest.sizes(Selection(("vi",))):
            sizes[size.key.month] += size.tokens
    first, second = rows[:3], rows[3:]
    assert [(row.word, row.frequency, row.counted_as) for row in first] == [
        (text, number, counted_as) for number in frequencies
    ]
    assert [row.per_million for row in first] == [
        round(1_000_000 * row.frequency / sizes[row.month], 2) for row in first
    ]
    assert [(row.frequency, row.counted_as) for row in second] == [(1, "word"), (1, "word"), (0, "word")]


def test_a_trend_says_what_no_text_has_and_refuses_fields(opened: Crawl, tmp_path: Path) -> None:
    """Zeros in all months are explained; a field would count other documents than the selected ones."""
    folder = tmp_path / "index"
    built(opened, folder)
    with SearchIndex.open(folder, opened.corpus) as index:
        found = trends(index, Selection(("vi",)), ["họp", "xăng họp"])
        with pytest.raises(ConfigError, match="a field chooses other documents"):
            trends(index, Selection(("vi",)), ["giá date:2026-02"])
    assert lists.why_no_trend(found) == ["No selected text has this: xăng họp"]


def test_a_process_of_its_own_refreshes_the_index_unless_it_shall_end(opened: Crawl, tmp_path: Path) -> None:
    """It is ended in the middle of its work, and the next one leaves a current index."""
    database, folder, over = str(tmp_path / "corpus.db"), tmp_path / "index", threading.Event()
    over.set()
    refresh_aside(database, folder, over)
    assert not is_current(opened.corpus, folder)
    refresh_aside(database, folder, threading.Event())
    assert is_current(opened.corpus, folder)
    assert found(opened, folder, "giá xăng") == {"1", "2"}


def test_a_refresh_leaves_the_fork_server_of_page_workers_to_them(opened: Crawl, tmp_path: Path) -> None:
    """A server that another part starts has not loaded what workers share, and each would hold it of its own."""
    database, folder = str(tmp_path / "corpus.db"), tmp_path / "index"
    said = subprocess.run(
        [sys.executable, "-c", REFRESHED_ASIDE, database, str(folder)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "None"
    assert is_current(opened.corpus, folder)


def test_while_another_process_writes_the_index_a_refresh_leaves_it_alone(opened: Crawl, tmp_path: Path) -> None:
    """It ends at once."""
    folder = tmp_path / "index"
    with only_writer(folder):
        refresh_aside(str(tmp_path / "corpus.db"), folder, threading.Event())
    assert not is_current(opened.corpus, folder)


def crawl_of(tmp_path: Path, texts: list[tuple[str, str]]) -> Crawl:
    """Return a corpus of these texts, each with its language, and its index."""
    crawl = Crawl(Corpus.open(tmp_path / "corpus.db", create=True))
    for path, (language, text) in enumerate(texts, 1):
        crawl.visit(str(path), made(text, language=language, published="2026-01-01"))
    built(crawl, tmp_path / "index")
    return crawl


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("بہار", {"1", "2", "4"}),
        ("بھار", {"3", "4"}),
        ("isi", {"5", "6"}),
        ("ısı", {"5", "6"}),
        ("ılık", {"8"}),
        ('"ISI"', {"5", "6"}),
        ("covid 19", {"7"}),
        ("=ISI", {"5", "6"}),
    ],
)
def test_each_text_is_searched_by_the_letters_of_its_language(tmp_path: Path, question: str, paths: set[str]) -> None:
    """Urdu distinguishes two letters that a Persian text takes for one; Turkish has a capital of its own."""
    texts = [
        ("ur", "آج بہار آئی"),
        ("ur", "آج بهار آئی"),
        ("ur", "بھار کا دن"),
        ("fa", "فصل بھار"),
        ("tr", "ISI arttı"),
        ("en", "the ISI rose"),
        ("en", "after COVID‑19 came"),
        ("tr", "ILIK bir gün"),
        ("tr", "ilik bir doku"),
    ]
    crawl = crawl_of(tmp_path, texts)
    assert found(crawl, tmp_path / "index", question) == paths


def test_texts_with_the_syllables_side_by_side_come_first(tmp_path: Path) -> None:
    """The answer says what was searched, and how many hits in how many documents the phrase has."""
    apart = "Mái nhà được bao phủ bằng lá, chính sách mới. " * 3
    texts = [("vi", apart), ("vi", apart + " Chính phủ đã họp."), ("vi", "Không có gì")]
    crawl = crawl_of(tmp_path, texts)
    with SearchIndex.open(tmp_path / "index", crawl.corpus) as index:
        answer = answered(index, crawl.corpus, "chính phủ", Selection(), WantedLines(20))
        lists_of_one = answered(index, crawl.corpus, "=title", Selection(), WantedLines(20))
        never = answered(index, crawl.corpus, "phủ chính", Selection(), WantedLines(20))
    assert answer.documents == 2
    assert [place.line.keyword for place in answer.places][:2] == ["Chính phủ", "phủ"]
    assert answer.searched == 'chính AND phủ; in vi first "chính phủ", 1 hit in 1 document'
    assert lists_of_one.searched == "=title"
    assert never.searched == "phủ AND chính"


def test_collocates_of_a_word_of_two_syllables_have_one_node(tmp_path: Path) -> None:
    """A word is never more often near the node than it is in the texts at all."""
    line = "Ngày nay thành phố sạch đẹp. Bố và thành viên đi qua phố nhỏ."
    crawl = crawl_of(tmp_path, [("vi", f"{line} Bài {number}") for number in range(6)])
    selected = Selection(("vi",))
    with SearchIndex.open(tmp_path / "index", crawl.corpus) as index:
        frequency = {row.word: row.frequency for row in lists.frequencies(index.manifest, selected, 100)}
        rows = collocates(index, "thành phố", selected, 50).rows
        apart = collocates(index, "thành OR phố", selected, 50).rows
        near = collocates(index, '("thành phố" NEAR/2 đẹp) OR title:phố', selected, 50).rows
    assert {row.word for row in rows} >= {"ngày nay", "sạch đẹp"} or {row.word for row in rows} >= {"ngày", "sạch"}
    assert "nhỏ" not in {row.word for row in rows}
    assert {row.word for row in near} & {"ngày nay", "ngày"}
    assert not {row.word for row in near} & {"sạch", "sạch đẹp"}
    assert all(row.together <= row.frequency == frequency[row.word] for row in (*rows, *apart, *near))


@pytest.mark.parametrize(
    ("order", "lines_in_order"),
    [
        ("left", "b x node c b|a x node d a|a y node c a"),
        ("1L,2L", "a x node d a|b x node c b|a y node c a"),
        ("2L,1R", "a y node c a|a x node d a|b x node c b"),
        ("right", "b x node c b|a y node c a|a x node d a"),
        ("1R,2R", "a y node c a|b x node c b|a x node d a"),
        ("2R,1R,node", "a y node c a|a x node d a|b x node c b"),
    ],
)
def test_lines_are_sorted_by_up_to_three_of_their_words(tmp_path: Path, order: str, lines_in_order: str) -> None:
    """As a dictionary sorts words. The short orders take the nearest word of the other side next."""
    with indexed(tmp_path, ["a x node d a", "b x node c b", "a y node c a"]) as (index, corpus):
        answer = answered(index, corpus, "node", Selection(), WantedLines(10, order=order))
    found = [f"{place.line.left}{place.line.keyword}{place.line.right}" for place in answer.places]
    assert "|".join(found) == lines_in_order


@pytest.mark.parametrize("order", ["middle", "1L,2L,3L,1R", "4L", "1L,", "left,right", ""])
def test_an_unknown_order_is_refused(opened: Crawl, tmp_path: Path, order: str) -> None:
    """The message names the places."""
    built(opened, tmp_path / "index")
    with SearchIndex.open(tmp_path / "index", opened.corpus) as index, pytest.raises(ConfigError, match="no order"):
        answered(index, opened.corpus, "giá", Selection(), WantedLines(10, order=order))


def test_equal_lines_are_shown_once_if_wanted(tmp_path: Path) -> None:
    """A recurring line of a site does not hide the others."""
    made_texts = [f"read the node here\nnode {number} of this text" for number in range(4)]
    with indexed(tmp_path, made_texts) as (index, corpus):
        every = answered(index, corpus, "node", Selection(), WantedLines(50))
        once = answered(index, corpus, "node", Selection(), WantedLines(50, unique=True))
    assert len(every.places) == 8
    texts = [f"node {number} of this text" for number in range(4)]
    assert sorted(f"{each.line.keyword}{each.line.right}" for each in once.places) == [*texts, "node here"]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (CollocationRules(), {"red": 20, "green": 10, "blue": 10, "far": 10, "the": 10}),
        (CollocationRules(side="left"), {"the": 10, "red": 10}),
        (CollocationRules(side="right"), {"red": 10, "green": 10, "blue": 10, "far": 10}),
        (CollocationRules(window=1), {"red": 20}),
        (CollocationRules(window=2, side="left"), {"the": 10, "red": 10}),
        (CollocationRules(min_frequency=11), {"red": 20}),
    ],
)
def test_collocates_are_counted_on_the_wanted_sides(
    tmp_path: Path, rules: CollocationRules, words: dict[str, int]
) -> None:
    """Within a window of words; left is before the word."""
    made_texts = [f"the red node red green blue far\nline {number}" for number in range(10)]
    with indexed(tmp_path, made_texts) as (index, _):
        rows = collocates(index, "node", Selection(("en",)), 50, rules=rules).rows
    assert {row.word: row.together for row in rows} == words


def test_each_measure_orders_the_collocates_by_its_column(tmp_path: Path) -> None:
    """A rare neighbour has more mutual information, a frequent one a higher t-score; a negative one avoids the word."""
    others = "of one two three four five six"
    made_texts = [
        f"{others} {others} of node {'rare' if number < 5 else 'of'} and one two three four five six of of of {number}"
        for number in range(40)
    ]
    tables = {}
    with indexed(tmp_path, made_texts) as (index, _):
        for measure in MEASURES:
            rules = CollocationRules(measure=measure)
            tables[measure] = collocates(index, "node", Selection(("en",)), 50, rules=rules).rows
    for measure, rows in tables.items():
        scores = [getattr(row, measure) for row in rows]
        assert scores == sorted(scores, reverse=True)
    rare, often, everywhere = ({row.word: row for row in tables[MEASURES[0]]}[each] for each in ("rare", "and", "of"))
    assert rare.mutual_information > everywhere.mutual_information
    assert rare.t_score < often.t_score
    assert everywhere.log_likelihood < 0


@pytest.mark.parametrize(
    "text",
    [
        "the\t1000\nnode\t1\n",
        "\ufeffword,frequency,per_million\nthe,1000,1\nnode,1,1\n",
        "# a comment\nRank\tType\tFreq\n1\tThe\t600\n2\tthe\t400\n3\tnode\t1\n",
        "the 1000\n\nnode 1",
        'word;frequency\n"the";1000\nnode;1',
        'the\t500\n"\t9\nthe\t491\nnode\t1\n',
    ],
)
def test_keywords_are_compared_with_a_list_of_any_usual_form(tmp_path: Path, text: str) -> None:
    """With or without the names of columns. Spellings of a word are one."""
    file = tmp_path / "list.txt"
    file.write_text(text, encoding="utf-8")
    reference = reference_of(f"list={file}", Selection(("en",)), "--against")
    assert isinstance(reference, OutsideCounts)
    assert reference.tokens == 1001
    with indexed(tmp_path, [f"the node the node {number}" for number in range(10)]) as (index, _):
        [row] = lists.keywords(index.manifest, Selection(("en",)), reference, 10)
    assert (row.word, row.frequency, row.reference_per_million) == ("node", 20, 999.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("the\tmany\n", 'line 1: expected a word and its frequency, got "many"'),
        ("word,frequency\nthe,1\nnode\n", "line 3: expected a word"),
        ("", "has no word with a frequency"),
        ("1\t500\tone\n", "got more columns"),
        ("the\t99999999999999999999\n", "as the frequency"),
    ],
)
def test_a_wrong_list_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    """So is a selection of several languages, which no list of words can have."""
    file = tmp_path / "list.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=says):
        reference_of(f"list={file}", Selection(("en",)), "--against")
    with pytest.raises(ConfigError, match="one language"):
        reference_of(f"list={file}", Selection(("en", "vi")), "--against")


def test_another_corpus_is_a_reference(opened: Crawl, tmp_path: Path) -> None:
    """It is compared by the words of its index: the corpus itself has no keywords against itself."""
    built(opened, tmp_path / "index")
    (tmp_path / "corpus.toml").write_text("")
    reference = reference_of(f"corpus={tmp_path}", Selection(("vi",)), "--against")
    with SearchIndex.open(tmp_path / "index", opened.corpus) as index:
        assert isinstance(reference, OutsideCounts)
        assert reference.tokens == lists.sizes(index.manifest, Selection(("vi",))).tokens
        assert lists.keywords(index.manifest, Selection(("vi",)), reference, 10) == []
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "corpus.toml").write_text("")
    with pytest.raises(ConfigError, match="has no search index"):
        reference_of(f"corpus={tmp_path / 'other'}", Selection(("vi",)), "--against")


def test_collocates_are_counted_in_the_documents_whose_words_are_counted(tmp_path: Path) -> None:
    """Whole months of the selected language: a word is never more often near the node than it is in these texts."""
    texts = [("vi", f"Thành phố sạch đẹp, bài {number}") for number in range(6)]
    crawl = crawl_of(tmp_path, [*texts, ("en", "A thành phố sạch đẹp")])
    with SearchIndex.open(tmp_path / "index", crawl.corpus) as index:
        [month] = {size.key.month for size in index.manifest.sizes()}
        rows, of_day = (
            collocates(index, "thành phố", Selection(("vi",), since=since, until=since), 50).rows
            for since in (None, f"{month}-28")
        )
    assert rows
    assert rows == of_day
    assert all(row.together <= row.frequency <= 6 for row in rows)


def test_spellings_of_a_word_are_one_row_unless_each_is_wanted(tmp_path: Path) -> None:
    """Frequencies, documents, keywords, trends and collocates count them as one, under the most frequent spelling."""
    texts = [
        ("ar", "ذهب إلى السوق إلى البيت"),
        ("ar", "ذهب الى السوق"),
        ("ar", "عاد إلى البيت الى"),
        ("vi", "quý qúy quý"),
    ]
    crawl = crawl_of(tmp_path, texts)
    exact = lists.CountingRules(one_spelling=False)
    arabic, every = Selection(("ar",)), Selection()
    with SearchIndex.open(tmp_path / "index", crawl.corpus) as index:
        manifest = index.manifest
        one = {row.word: (row.frequency, row.documents) for row in lists.frequencies(manifest, every, 100)}
        two = {row.word: (row.frequency, row.documents) for row in lists.frequencies(manifest, every, 100, exact)}
        trends = [lists.trend(manifest, arabic, [word])[0].frequency for word in ("الى", "إلى")]
        single = lists.trend(manifest, arabic, ["الى"], exact)[0].frequency
    assert (one["إلى"], one["quý"]) == ((5, 3), (3, 1))
    assert "الى" not in one
    assert "qúy" not in one
    assert (two["إلى"], two["الى"], two["quý"], two["qúy"]) == ((3, 2), (2, 2), (2, 1), (1, 1))
    assert sum(frequency for frequency, _ in one.values()) == sum(frequency for frequency, _ in two.values())
    assert (trends, single) == ([5, 5], 2)


def test_a_title_of_two_lines_is_one_line(tmp_path: Path) -> None:
    """For the index, the lines of a concordance, and collocates."""
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.visit("1", made("a node here", language="en", title="one\nnode"))
        built(crawl, tmp_path / "index")
        with SearchIndex.open(tmp_path / "index", corpus) as index:
            places = answered(index, corpus, "node", Selection()).places
            rows = collocates(index, "node", Selection(), 9, rules=CollocationRules(min_frequency=1)).rows
    assert [place.line.at for place in places] == ["0:4-8", "1:2-6"]
    assert {row.word for row in rows} == {"one", "a", "here"}


@pytest.mark.parametrize(
    ("word", "frequency"),
    [("govern*", 5), ("?overnor", 2), ("govern", 2), ("*er", 1), ("gov*s", 1), ("*", 8)],
)
def test_a_word_with_wildcards_is_the_sum_of_the_words_it_means(tmp_path: Path, word: str, frequency: int) -> None:
    """In each month one row, with the spellings of a word as one or not."""
    texts = ["govern Governor gover", "governor governs", "Govern x y"]
    with indexed(tmp_path, texts) as (index, _):
        for how in (lists.CountingRules(), lists.CountingRules(one_spelling=False)):
            [row] = lists.trend(index.manifest, Selection(("en",)), [word], how)
            assert (row.word, row.frequency) == (word, frequency)


def test_a_spelling_that_is_the_shared_form_keeps_its_row(tmp_path: Path) -> None:
    """With each spelling wanted it was called as the most frequent one: two rows were the same word."""
    crawl = crawl_of(tmp_path, [("de", "Maße Maße Masse"), ("el", "ΤΗΣ της")])
    exact = lists.CountingRules(one_spelling=False)
    with SearchIndex.open(tmp_path / "index", crawl.corpus) as index:
        found = [lists.frequencies(index.manifest, Selection((code,)), 9, exact) for code in ("de", "el")]
    german, greek = ([(row.word, row.frequency) for row in rows] for rows in found)
    assert (german, greek) == ([("maße", 2), ("masse", 1)], [("της", 2)])


def test_a_removed_spelling_leaves_no_form_behind(tmp_path: Path) -> None:
    """The form of a word is derived from it, and goes with the last text that had it."""
    crawl = crawl_of(tmp_path, [("ar", "مدرسة جديدة"), ("ar", "كتاب قديم")])
    folder = tmp_path / "index"
    crawl.corpus.removals.declare(RemovalRequest(RequestKind.URL, "https://a.example/1", "asked"))
    while crawl.corpus.removals.withdraw():
        pass
    built(crawl, folder)
    with Manifest.open(folder, read_only=True) as manifest:
        words_left = manifest.every_word()
        assert manifest.connection.execute(
            "SELECT count(*) FROM spelling WHERE word NOT IN (SELECT id FROM word)"
        ).fetchone() == (0,)
    assert not [word for word in words_left if word.startswith(("مدرس", "جديد"))]
    assert check_index(crawl.corpus, folder, deep=True).problems == []


LIBRARY = {"vi": "underthesea"}


def test_a_refresh_splits_new_texts_as_the_index_was_split(
    opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that was made without a library goes on without it; only a rebuild takes it."""
    folder = tmp_path / "index"
    without = IndexTools(splitter().unit, tuple((code, "") for code in sorted(CHOICES)))
    with monkeypatch.context() as patched:
        patched.setattr(IndexTools, "installed", lambda: without)
        built(opened, folder)
    opened.visit("6", made("Chính phủ họp thêm", language="vi"))
    assert built(opened, folder).added == 1
    with SearchIndex.open(folder, opened.corpus) as index:
        assert index.made_with == without
        rows = {row.word: row.frequency for row in lists.frequencies(index.manifest, Selection(("vi",)), 100)}
        assert any("syllables" in note for note in index.made_with.notes(["vi"]))
    assert (rows["chính"], rows["phủ"], rows.get("chính phủ")) == (2, 2, None)
    with only_writer(folder):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 1, rebuild=True)
    with SearchIndex.open(folder, opened.corpus) as index:
        assert index.made_with == IndexTools.installed()


def test_a_reader_without_the_library_says_so(opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index stays as it is and answers; what needs the library is refused with the extra that has it."""
    folder, database = tmp_path / "index", str(tmp_path / "corpus.db")
    made_by_other = IndexTools(splitter().unit, tuple((code, LIBRARY.get(code, "")) for code in CHOICES))
    built(opened, folder)
    with Manifest.open(folder, read_only=False) as manifest:
        manifest.set(made_by_other.settings)
    monkeypatch.setitem(choice.PACKAGES, "underthesea", ("no_such_package_here",))
    assert refresh_if_alone(opened.corpus, database, folder, 1) == ""
    opened.visit("6", made("Chính phủ họp thêm", language="vi"))
    said = refresh_if_alone(opened.corpus, database, folder, 1)
    assert "underthesea (vi)" in said
    assert "index --rebuild" in said
    with only_writer(folder), pytest.raises(MissingLibraryError, match="underthesea"):
        refresh(opened.corpus, database, folder, 1)
    with SearchIndex.open(folder, opened.corpus) as index:
        assert lists.frequencies(index.manifest, Selection(("vi",)), 10)
        assert index.made_with.notes(["vi", "ar"]) == ["vi: counted with underthesea, which is not installed here."]


def test_a_question_in_a_script_that_needs_icu_is_refused_without_it() -> None:
    """Other units would silently find nothing. Questions in other scripts need no library."""
    split = Splitter(words_module._without_icu, WORDS)
    with pytest.raises(ConfigError, match="ICU"):
        split.spans("รัฐบาล")
    assert len(split.spans("chính phủ")) == 2
