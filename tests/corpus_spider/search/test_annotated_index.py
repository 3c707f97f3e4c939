"""An index with lemmas and tags: what it finds, how long it keeps them, and what it says without them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus_spider.cli import app
from corpus_spider.search.answers import answered
from corpus_spider.search.hits.concordance import split_text
from corpus_spider.search.hits.concordance_rules import WantedLines
from corpus_spider.search.hits.matching import hits
from corpus_spider.search.index import made_with
from corpus_spider.search.index.builder import only_writer, refresh, refresh_if_alone, shard_folder
from corpus_spider.search.index.counted_words import MARK
from corpus_spider.search.index.made_with import IndexTools, MissingLibraryError
from corpus_spider.search.index.manifest import Manifest
from corpus_spider.search.index.token_block import UnitReadings
from corpus_spider.search.index.token_file import FILE as TOKENS
from corpus_spider.search.index.words_in_index import IndexSplitters
from corpus_spider.search.searching import SearchIndex
from corpus_spider.words.collocates import collocates
from corpus_spider.words.collocation_rules import CollocationRules
from pipelines.text.annotation import choice
from pipelines.text.annotation.annotated_text import annotated_tokens
from pipelines.text.annotation.annotator import ATTRIBUTES
from pipelines.text.annotation.choice import annotator_of, descriptions
from pipelines.text.equal_letters import small
from pipelines.text.tokenizer import COMPOUND, tokenised
from pipelines.text.words import splitter, words
from storage.corpus import Corpus
from storage.documents.selection import Selection
from storage.errors import ConfigError
from storage.records import ATTRIBUTE
from tests.corpus_spider.local_paper import crawl_into
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from corpus_spider.search.index.builder import RefreshReport
    from corpus_spider.search.index.token_block import TokenBlock
    from storage.documents.model import CorpusDocument

for extra in ("web", "lemma", "segment"):
    need(extra)

FORMS = {
    "ru": "Книга книги книгу читать читал Читала хорошая лучший стали сталь",
    "en": "The child children don't run running ran good better New-York left",
    "tr": "Ev evler evde İstanbul'da çocuk çocuklar ışık IŞIK var vardı",
    "uk": "Книжка книжки читати читала п'ять добрий мати",
    "ja": "子供が 本を 読んだ。 読む 東京 カレー",
    "vi": "Chính phủ họp về giá xăng tại Hà Nội hôm nay",
    "th": "รัฐบาล ประกาศ นโยบาย ใหม่",
}
"""Forms of words. There is no library for Thai."""


def corpus_of(folder: Path, documents: int) -> Corpus:
    """Return a corpus of random texts in several languages, each with a title and some lines of several sentences."""
    chosen = random.Random(5)
    corpus = Corpus.open(folder / "corpus.db", create=True)
    crawl = Crawl(corpus)
    for number in range(documents):
        language = list(FORMS)[number % len(FORMS)]
        forms = FORMS[language].split()
        lines = [" ".join(chosen.choices([*forms, "-", "«x».", "Covid-19"], k=chosen.randint(1, 7))) for _ in range(3)]
        text = "\n".join(f"{line}. {chosen.choice(forms)}?" for line in lines)
        crawl.visit(str(number), made(f"{text} z{number}", language=language, title=" ".join(forms[:3])))
    return corpus


def built(corpus: Corpus, folder: Path, *, annotate: bool | None = None, rebuild: bool = False) -> RefreshReport:
    with only_writer(folder / "index"):
        database = str(folder / "corpus.db")
        return refresh(corpus, database, folder / "index", 1, annotate=annotate, rebuild=rebuild)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SearchIndex, Corpus]]:
    """An annotated index."""
    choice.annotator_of.cache_clear()
    folder = tmp_path_factory.mktemp("annotated")
    with corpus_of(folder, 56) as corpus:
        built(corpus, folder, annotate=True)
        with SearchIndex.open(folder / "index", corpus) as index:
            yield index, corpus


def annotated_units(line: str, language: str) -> list[tuple[str, str, str]]:
    """Return the units of a line with lemma and tag as vertical text has them, each letter looked up in its token."""
    tokens = list(annotated_tokens(tokenised(line, words(language).unusual_spans), annotator_of(language)))  # type: ignore[arg-type]
    letters = [place for place, letter in enumerate(line) if not letter.isspace()]
    owners: dict[int, int] = {}
    for number, (token, _) in enumerate(tokens):
        size = len(token) if set(token) == {COMPOUND} else len(token) - token.count(COMPOUND)
        owners |= {letters[len(owners) + place]: number for place in range(size)}
    return [
        (small(line[start:end], language), small(each.lemma, language), each.tag)
        for start, end in splitter().spans(line)
        for each in [tokens[owners[start]][1]]
    ]


def plain_block(document: CorpusDocument) -> TokenBlock:
    """Return the tokens of a document with their annotations, made from its text alone."""
    language = document.language
    block = split_text("\n".join(document.searched_lines), language, splitter()).block
    if annotator_of(language) is None:
        return block
    units = [each for line in document.searched_lines for each in annotated_units(line, language)]
    assert [unit for unit, _, _ in units] == [block.vocabulary[number] for number in block.tokens]
    readings = {unit: list(dict.fromkeys(each for each in units if each[0] == unit)) for unit in block.vocabulary}
    every = [each for of_unit in readings.values() for each in of_unit]
    values = {}
    for place, attribute in enumerate(ATTRIBUTES, 1):
        known = sorted({each[place] for each in every})
        values[attribute] = known, np.array([known.index(each[place]) for each in every], np.uint32)
    firsts = np.cumsum([0, *map(len, readings.values())])[:-1]
    numbers = np.array([readings[each[0]].index(each) for each in units], np.uint32)
    return replace(block, readings=UnitReadings(firsts, values), reading_numbers=numbers)


LEMMAS = ["книга", "читать", "child", "run", "be", "ev", "читати", "本", "читат.*", ".*", "İSTANBUL", "istanbul", "x"]
TESTS = st.one_of(
    st.sampled_from(LEMMAS).map('[lemma="{}"]'.format),
    st.sampled_from(["N", "N.*", "NOUN|VERB", "Np", "名詞.*", "A.*", "no"]).map('[tag="{}"]'.format),
    st.sampled_from(["[]", '[word=".*и"]', '[lemma!="run"]', '[tag!="N.*"]', '[lemma="ev" %c]']),
    st.sampled_from(['[lemma="книга" & word!="книги"]', '[tag="V" | lemma="go|run"]', '[!(tag="N.*" | lemma=".*")]']),
)
QUESTIONS = st.one_of(
    TESTS,
    st.tuples(TESTS, TESTS).map(" ".join),
    st.tuples(TESTS, st.sampled_from(["[]{0,2}", "[]?", "x"]), TESTS).map(" ".join),
    st.tuples(TESTS, st.sampled_from([" NEAR/2 ", " ... ", " AND ", " OR ", " -", " "]), TESTS).map("".join),
    TESTS.map("title:{}".format),
    TESTS.map("({} []?) within <s/>".format),
    st.tuples(st.sampled_from(["книги", "run*", "/.*a.*/", "họp"]), TESTS).map("{0[0]} AND {0[1]}".format),
    st.tuples(st.sampled_from(["книги", "run*", "họp"]), TESTS).map("{0[0]} OR {0[1]}".format),
)


@settings(max_examples=200, deadline=None)
@given(QUESTIONS)
def test_the_index_finds_what_a_plain_look_at_the_annotated_texts_finds(
    searched: tuple[SearchIndex, Corpus], question: str
) -> None:
    """Documents, number of hits, and the lines that are shown, for lemmas and tags with all operators."""
    index, corpus = searched
    try:
        parsed = index.parsed(question)
        answer = answered(index, corpus, question, Selection(), WantedLines(100_000))
    except ConfigError:
        # It only says what must not occur, or any words.
        return
    plain = {each.id: len(hits(parsed, plain_block(each)).starts) for each in corpus.documents(Selection())}
    found = index.find(parsed, Selection(), most=1_000)
    assert set(found.ids) == {name for name, number in plain.items() if number}
    assert answer.counts.hits == sum(plain.values()) == len(answer.places)


@pytest.mark.parametrize(
    ("language", "question", "keywords"),
    [
        ("ru", '[lemma="книга"]', {"Книга", "книги", "книгу"}),
        ("ru", '[lemma="читать" & tag="VERB"]', {"читал", "Читала"}),
        ("en", '[lemma="child"]', {"child", "children"}),
        ("tr", '[lemma="ışık"]', {"ışık", "IŞIK"}),
        ("uk", '[lemma="читати"]', {"читати", "читала"}),
        ("ja", '[tag="動詞.*"] [tag="助動詞.*"]', {"んだ"}),
        ("vi", 'title:([word="chính" & tag="N"] [tag="N"])', {"Chính phủ"}),
    ],
)
def test_all_forms_of_a_word_are_found(
    searched: tuple[SearchIndex, Corpus], language: str, question: str, keywords: set[str]
) -> None:
    """In small letters, by the language. Each unit of a word has its lemma and tag."""
    index, corpus = searched
    answer = answered(index, corpus, question, Selection((language,)), WantedLines(1_000, order="left"))
    assert {place.line.keyword for place in answer.places} == keywords
    assert answer.searched == question


def test_pages_samples_and_collocates_know_lemmas_and_tags(searched: tuple[SearchIndex, Corpus]) -> None:
    """Lines of later pages and of a sample are lines of the whole answer. Neighbours are counted at each hit."""
    index, corpus = searched

    def places(wanted: WantedLines) -> list[tuple[str, str]]:
        found = answered(index, corpus, '[lemma="run" | tag="N.*"]', Selection(), wanted).places
        return [(place.id, place.line.at) for place in found]

    every = places(WantedLines(10_000))
    assert len(every) > 7
    assert places(WantedLines(3, page=2)) == every[3:6]
    assert len(set(places(WantedLines(5, sample=5))) & set(every)) == 5
    rules = CollocationRules(min_frequency=1, side="right", window=1)
    rows = collocates(index, '[lemma="run"]', Selection(("en",)), 100, rules=rules).rows
    beside = answered(index, corpus, '[lemma="run"]', Selection(("en",)), WantedLines(10_000)).places
    assert sum(row.together for row in rows) == sum(bool(place.line.right_words) for place in beside)


def test_a_language_without_annotations_is_named(searched: tuple[SearchIndex, Corpus]) -> None:
    """As an error if there is no other, else with what was understood."""
    index, corpus = searched
    with pytest.raises(ConfigError, match=r"no lemma of tokens in the selected languages") as caught:
        index.find('[lemma="run"]', Selection(("th", "vi")), most=5)
    assert caught.value.do == "Select a language that has it: en, ja, ru, tr, uk."
    answer = answered(index, corpus, '[lemma="run"]', Selection(), WantedLines(5))
    assert answer.searched == '[lemma="run"]; lemma in en, ja, ru, tr, uk'


SIGNS = "aAßIıé-'\u00a0\u2029 .ก中のｶﾞ\u200c한צה\"كِ٣яЯ_\x01\x1f…❤\ufe0f"


LETTERS = st.one_of(st.sampled_from(SIGNS), st.characters(codec="utf-8", exclude_characters="\n\x1e"))


@settings(max_examples=200, deadline=None)
@example("ru", ["\U00017000"])
@example("en", ["anak-anak 3-4"])
@given(
    st.sampled_from(["ru", "en", "tr", "vi", "ja", "uk"]),
    st.lists(st.text(LETTERS, max_size=20), min_size=1, max_size=3),
)
def test_any_text_has_the_annotations_of_vertical_text(language: str, lines: list[str]) -> None:
    """Each unit has those of the word that it begins in. Words by themselves are remembered, and are the same."""
    tools = IndexTools(splitter().unit, IndexTools.installed().libraries, tuple(descriptions([language]).items()))
    read = IndexSplitters(tools)[language].read(lines)
    entries = [entry for part in read.entries for entry in part.split(" ") if entry and entry not in "\n\x1e"]
    plain = [unit for part in read.parts for unit in part.split(" ") if unit and unit not in "\n\x1e"]
    annotated = [(unit.partition(MARK)[0], *rest) for unit, *rest in (entry.split(ATTRIBUTE) for entry in entries)]
    assert [unit for unit, *_ in annotated] == plain
    if not {*"_\x01\x1f\x00"} & {*"".join(lines)} and "".join(lines).isprintable():
        expected = [each for line in lines for each in annotated_units(line, language)]
        assert annotated == expected


def test_an_index_keeps_its_annotations_until_it_is_made_without(tmp_path: Path) -> None:
    """A later refresh and a rebuild go on with them. Without them the tokens are as if there never were some."""
    with corpus_of(tmp_path, 14) as corpus:
        assert not built(corpus, tmp_path).annotations
        files = [shard_folder(tmp_path / "index", 1) / TOKENS]
        before = files[0].read_bytes()
        report = built(corpus, tmp_path, annotate=True)
        assert report.annotations == descriptions(FORMS)
        # Thai texts have no annotator: they are as before.
        assert report.added == 12
        Crawl(corpus).visit("new", made("Дети читали книги", language="ru"))
        assert built(corpus, tmp_path).added == 1
        assert built(corpus, tmp_path, rebuild=True).annotations == report.annotations
        with SearchIndex.open(tmp_path / "index", corpus) as index:
            assert index.find('[lemma="ребёнок|дитя|читать"]', Selection(("ru",)), most=9).number == 3
        assert not built(corpus, tmp_path, annotate=False).annotations
        with SearchIndex.open(tmp_path / "index", corpus) as index:
            with pytest.raises(ConfigError, match="no lemmas") as caught:
                index.find('[lemma="читать"]', Selection(), most=9)
            assert "index --annotate" in caught.value.do
    assert before


def test_another_version_of_a_library_annotates_its_language_again(tmp_path: Path) -> None:
    """The documents of other languages stay."""
    with corpus_of(tmp_path, 14) as corpus:
        built(corpus, tmp_path, annotate=True)
        tools = index_tools(tmp_path)
        older = {code: text.replace("pymorphy3 ", "pymorphy3 0.") for code, text in tools.annotators or ()}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(made_with, "descriptions", lambda codes: {code: older[code] for code in codes})
            assert built(corpus, tmp_path).added == 2
        assert index_tools(tmp_path).annotation("ru").startswith("lemma, tag (pymorphy3 0.")
        assert built(corpus, tmp_path).added == 2
        assert index_tools(tmp_path) == tools
        assert built(corpus, tmp_path).added == 0


def test_the_command_names_the_libraries_and_the_languages_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`search` then answers by tags, and says what to do for lemmas."""
    choice.annotator_of.cache_clear()
    folder = crawl_into(tmp_path, articles=2)
    with Corpus.open(folder / "corpus.db") as corpus:
        Crawl(corpus).visit("thai", made("รัฐบาลประกาศนโยบาย", language="th"))
    monkeypatch.chdir(folder)
    assert app.run(["index", "--annotate", "--json"]) == 0
    said = capsys.readouterr()
    named = f"tag (underthesea {version('underthesea')}, VLSP 2013)"
    assert json.loads(said.out)["annotations"] == {"th": "none", "vi": named}
    assert "th: no lemmas or tags" in said.err
    assert app.run(["search", '[tag="N"] [tag="V"]', "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["documents"] == 2
    assert answer["searched"].endswith("; tag in vi")
    assert app.run(["search", '[lemma="đi"]']) == 2
    assert "index --annotate" in capsys.readouterr().err


def index_tools(folder: Path) -> IndexTools:
    with Manifest.open(folder / "index", read_only=True) as manifest:
        return IndexTools.of(manifest.settings())


def test_without_the_library_the_index_answers_and_takes_no_new_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the extra, and how to do without."""
    with corpus_of(tmp_path, 14) as corpus:
        built(corpus, tmp_path, annotate=True)
        choice.annotator_of.cache_clear()
        monkeypatch.setitem(choice.ANNOTATORS, "ru", missing_library())
        assert built(corpus, tmp_path).added == 0
        Crawl(corpus).visit("new", made("Дети читали книги", language="ru"))
        said = refresh_if_alone(corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
        assert "corpus-spider[lemma]" in said
        assert "index --no-annotate" in said
        with pytest.raises(MissingLibraryError, match="not installed"):
            built(corpus, tmp_path)
        with SearchIndex.open(tmp_path / "index", corpus) as index:
            assert index.find('[lemma="читать"]', Selection(), most=9).number == 2
    choice.annotator_of.cache_clear()


def missing_library() -> choice.AnnotatorChoice:
    def load() -> Sequence[tuple[str, str]]:
        raise ImportError("no such library")

    return choice.AnnotatorChoice(choice.PYMORPHY, load, "none")  # type: ignore[arg-type]
