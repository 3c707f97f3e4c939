"""The search index: built, refreshed, and free of every text that the corpus does not have."""

from __future__ import annotations

import random
import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from corpus_spider.search import builder
from corpus_spider.search.builder import is_current, only_writer, refresh, refresh_aside
from corpus_spider.search.checking import check_index
from corpus_spider.search.manifest import Manifest, Selected
from corpus_spider.search.searching import SearchIndex
from corpus_spider.search.shard import Filters
from corpus_spider.words import clouds, lists
from pipelines.text.words import words
from storage.corpus import Corpus
from storage.errors import ConfigError, DamageError, TooSlowError, UnfinishedIndexError
from storage.removal.takedown import Request, What
from storage.time_limit import time_limit
from tests.extras import need
from tests.storage.corpus_samples import NOON, Crawl, made

if TYPE_CHECKING:
    from pathlib import Path

need("web")

TEXTS = {
    "1": ("vi", "Chính phủ họp về giá xăng hôm nay"),
    "2": ("vi", "Người dân đi chợ và nói về giá xăng"),
    "3": ("ar", "أعلنت الحكومة خطة جديدة للمدارس"),
    "4": ("th", "รัฐบาลไทยประกาศนโยบายใหม่"),
    "5": ("vi", "zanzibarword đứng một mình trong bài này"),
}


@pytest.mark.parametrize("question", ['"an* giá"', '"an* an*"', 'giá OR "an* giá"'])
def test_a_phrase_whose_star_stands_for_too_many_words_says_so(tmp_path: Path, question: str) -> None:
    """The library bounds such phrases. Outside a phrase, and with more letters, the word is found."""
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        letters = random.Random(1)
        many = " ".join("an" + "".join(letters.choices("bcdeghiklmnopqrstuvxy", k=7)) for _ in range(1000))
        Crawl(corpus).visit("1", made(f"{many} giá xăng", language="vi"))
        with only_writer(tmp_path / "index"):
            refresh(corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
        with SearchIndex.open(tmp_path / "index", corpus) as index:
            with pytest.raises(ConfigError, match="too many words"):
                index.find(question, Filters(), most=5)
            assert index.find("an*", Filters(), most=5).number == 1
            assert index.find('"anbb* giá" OR "giá xăn*"', Filters(), most=5).number == 1


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


@pytest.fixture
def opened(tmp_path: Path) -> Crawl:
    corpus = Corpus.open(tmp_path / "corpus.db", create=True)
    crawl = Crawl(corpus)
    for path, (language, text) in TEXTS.items():
        crawl.visit(path, made(text, language=language, title=f"Title {path}", published=f"2026-0{path}-01"))
    return crawl


def built(crawl: Crawl, folder: Path) -> builder.Refreshed:
    with only_writer(folder) as is_writer:
        assert is_writer
        return refresh(crawl.corpus, str(folder.parent / "corpus.db"), folder, 1)


def found(crawl: Crawl, folder: Path, question: str, **filters: object) -> set[str]:
    with SearchIndex.open(folder, crawl.corpus) as index:
        ids = index.find(question, Filters(**filters), most=50).ids  # type: ignore[arg-type]
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
        "a removal": lambda: opened.corpus.removals.declare(Request(What.URL, "https://a.example/6", "asked")),
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
    monkeypatch.setattr(builder, "FULL", 3)
    built(opened, folder)
    opened.visit("1", made("Bài một mới", language="vi"))
    opened.visit("4", made("Bài bốn mới", language="vi"))
    seen = set[int]()

    def look(*_: object) -> None:
        with SearchIndex.open(folder, opened.corpus) as index:
            seen.add(index.find("", Filters(), most=1).number)

    with only_writer(folder):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 1, look)
    assert seen == {len(TEXTS)}


def test_counts_after_many_refreshes_are_those_of_a_new_index(
    opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New, changed and removed texts: what shards took with them is out of the sums, and nothing else."""
    monkeypatch.setattr(builder, "FULL", 3)
    grown, new = tmp_path / "grown", tmp_path / "new"
    built(opened, grown)
    for step in range(3):
        opened.visit(f"more{step}", made(f"Bài số {step} về giá xăng", language="vi", published="2026-01-09"))
        opened.visit("1", made(f"Chính phủ họp lần {step}", language="vi", published="2026-01-01"))
        built(opened, grown)
    opened.corpus.removals.declare(Request(What.URL, "https://a.example/5", "asked"))
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
    removals.declare(Request(What.URL, "https://a.example/5", "asked"))
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


def test_a_check_proves_by_content_that_a_removal_reached_the_index(opened: Crawl, tmp_path: Path) -> None:
    """A word, a document or a folder that comes back into the index is a problem; an index that is behind is a note."""
    folder = tmp_path / "index"
    assert checked(opened, folder) == ([], [])
    built(opened, folder)
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    opened.corpus.removals.declare(Request(What.URL, "https://a.example/5", "asked"))
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
    [problem] = checked(opened, folder)[0]
    assert "nothing names" in problem
    shutil.rmtree(folder / "shard-000099")
    shutil.rmtree(builder.shard_folder(folder, number))
    shutil.copytree(kept / "shard-000001", builder.shard_folder(folder, number))
    [problem] = checked(opened, folder)[0]
    assert "other documents than its list" in problem


def test_while_the_first_index_is_made_the_answer_is_that_it_is_not_complete(opened: Crawl, tmp_path: Path) -> None:
    """No removal is blamed, the web page answers 503, and `index` says whether `search` answers meanwhile."""
    folder, seen, told = tmp_path / "index", set[str](), set[bool]()

    def look(*_: object) -> None:
        told.add(builder.answers(folder))
        try:
            with SearchIndex.open(folder, opened.corpus):
                seen.add("open")
        except UnfinishedIndexError as error:
            seen.add(error.what)

    with only_writer(folder):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 1, look)
    assert (seen, told) == ({"the first search index is not complete yet"}, {False})
    opened.visit("4", made("Bài bốn mới", language="vi"))
    with only_writer(folder):
        refresh(opened.corpus, str(tmp_path / "corpus.db"), folder, 1, look)
    assert ("open" in seen, told) == (True, {False, True})


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
    opened.corpus.removals.declare(Request(What.URL, "https://a.example/5", "asked"))
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
    opened.corpus.removals.declare(Request(What.URL, "https://a.example/5", "asked"))
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


def test_a_date_without_a_day_counts_as_in_every_other_list(opened: Crawl, tmp_path: Path) -> None:
    """A page that states a month only is listed under the day of its fetch, as exports list it."""
    folder = tmp_path / "index"
    opened.visit("6", made("Bài thứ sáu không có ngày", language="vi", published="2026-02"))
    built(opened, folder)
    assert found(opened, folder, "sáu", since=f"{NOON:%Y-%m-%d}", until=f"{NOON:%Y-%m-%d}") == {"6"}


def test_what_an_interrupted_refresh_left_is_deleted_and_small_shards_are_merged(
    opened: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that no row names goes; shards not larger than what is written are merged into it."""
    folder = tmp_path / "index"
    monkeypatch.setattr(builder, "FULL", 4)
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
        assert lists.sizes(index.manifest, Selected(("vi",))).documents == 3


def test_the_cloud_of_a_part_without_keywords_is_by_frequency(opened: Crawl, tmp_path: Path) -> None:
    """The caption says which measure it is; stop words are left out."""
    folder = tmp_path / "index"
    built(opened, folder)
    with SearchIndex.open(folder, opened.corpus) as index:
        made = clouds.of_selection(index.manifest, Selected(("vi",), ("a.example",)), None, 10, "a")
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
        size = lists.sizes(index.manifest, Selected(("vi",))).tokens
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
        rows = {row.word: row for row in lists.frequencies(index.manifest, Selected(("vi",)), 100)}
        trend = lists.trend(index.manifest, Selected(("vi",)), ["họp"])
    assert (rows["giá"].frequency, rows["giá"].documents) == (2, 2)
    assert rows["title"].frequency == 3
    counted = [place for _, text in [*list(TEXTS.values())[:2], TEXTS["5"]] for place in words("vi").spans(text)]
    titles = [place for path in "125" for place in words("vi").spans(f"Title {path}")]
    assert sum(row.frequency for row in rows.values()) == len(counted) + len(titles)
    assert [(row.month, row.frequency) for row in trend] == [("2026-01", 1), ("2026-02", 0), ("2026-05", 0)]


def test_a_trend_says_which_words_are_not_counted(opened: Crawl, tmp_path: Path) -> None:
    """A phrase is found by `search` only, so zeros in all months are explained."""
    folder = tmp_path / "index"
    built(opened, folder)
    with SearchIndex.open(folder, opened.corpus) as index:
        trend = lists.trend(index.manifest, Selected(("vi",)), ["họp", "giá họp"])
    assert lists.why_no_trend(trend) == [
        "\"giá họp\" is not a counted word here. `corpus-spider search 'giá họp'` finds phrases."
    ]


def test_a_process_of_its_own_refreshes_the_index_unless_it_shall_end(opened: Crawl, tmp_path: Path) -> None:
    """It is ended in the middle of its work, and the next one leaves a current index."""
    database, folder, over = str(tmp_path / "corpus.db"), tmp_path / "index", threading.Event()
    over.set()
    refresh_aside(database, folder, over)
    assert not is_current(opened.corpus, folder)
    refresh_aside(database, folder, threading.Event())
    assert is_current(opened.corpus, folder)
    assert found(opened, folder, "giá xăng") == {"1", "2"}


def test_while_another_process_writes_the_index_a_refresh_leaves_it_alone(opened: Crawl, tmp_path: Path) -> None:
    """It ends at once."""
    folder = tmp_path / "index"
    with only_writer(folder):
        refresh_aside(str(tmp_path / "corpus.db"), folder, threading.Event())
    assert not is_current(opened.corpus, folder)
