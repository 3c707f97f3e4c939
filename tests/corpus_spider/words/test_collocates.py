"""Collocates of any question: the counts of neighbours are those of a plain look at the texts."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus_spider.search.hits.concordance import SoughtWords, places_in
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.search.searching import SearchIndex
from corpus_spider.words.collocates import collocates
from corpus_spider.words.collocation_rules import SIDES, CollocationRules
from corpus_spider.words.request import WordList, word_list
from pipelines.text.word_forms import letters
from pipelines.text.words import as_counted
from storage.corpus import Corpus
from storage.documents.selection import Selection
from storage.errors import ConfigError
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus_spider.search.question.tree import Question

need("web")

WORDS = {
    "en": ("ada", "ban", "adab", "cod-dot", "dot"),
    "vi": ("chính", "phủ", "thành", "phố", "ada"),
    "th": ("ประเทศไทย", "รัฐบาล", "เหตุการณ์", "ความ", "ada"),
    "zh": ("中国", "中华人民共和国", "北京", "国", "ada"),
}
DOCUMENTS = 40


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SearchIndex, Corpus]]:
    """An index of documents with a title and some lines of sentences, made of few words of four languages."""
    folder: Path = tmp_path_factory.mktemp("collocates")
    draw = random.Random(5)
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        for number in range(DOCUMENTS):
            language = [*WORDS][number % len(WORDS)]
            between = " " if language in ("en", "vi") else ""
            sentences = [
                between.join(draw.choices(WORDS[language], k=draw.randint(1, 9))) + draw.choice([".", ". ", ".\n"])
                for _ in range(8)
            ]
            text = "".join(each.capitalize() for each in sentences)
            title = between.join(draw.choices(WORDS[language], k=3))
            crawl.visit(str(number), made(f"{text} end{number}", language=language, title=title))
        with only_writer(folder / "index"):
            refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
        with SearchIndex.open(folder / "index", corpus) as index:
            yield index, corpus


def neighbours(index: SearchIndex, corpus: Corpus, question: Question, rules: CollocationRules) -> Counter[str]:
    """Count the words beside each hit in the texts, line by line: one that is near two hits once."""
    counted = Counter[str]()
    ids = index.find(question, Selection(), most=DOCUMENTS).ids
    for document in corpus.documents.of_ids(ids):
        language, lines = document.language, document.searched_lines
        places = places_in(lines, SoughtWords(question, language), index.made_with.splitter)
        for number, here in groupby(places, attrgetter("line")):
            words = index.made_with.words(language).spans(lines[number])
            starts, ends = [start for start, _ in words], [end for _, end in words]
            around = set[int]()
            for _, start, end in here:
                before, after = bisect_right(ends, start), bisect_left(starts, end)
                if rules.side != "right":
                    around.update(range(max(0, before - rules.window), before))
                if rules.side != "left":
                    around.update(range(after, min(len(words), after + rules.window)))
            texts = (as_counted(lines[number][slice(*words[at])], language) for at in around)
            counted.update(letters(text, language) for text in texts)
    return counted


ONE = st.sampled_from([each for words in WORDS.values() for each in words] + ["ada*", "/ad.*/", '"ada ban"', "d?t"])
QUESTIONS = st.one_of(
    ONE,
    st.tuples(ONE, st.integers(0, 3), ONE).map("{0[0]} NEAR/{0[1]} {0[2]}".format),
    st.tuples(ONE, ONE).map("{0[0]} ... {0[1]}".format),
    st.tuples(ONE, ONE).map("({0[0]} OR {0[1]}) within <s/>".format),
    st.tuples(st.sampled_from(WORDS["en"]), ONE).map('[word="{0[0]}.*"] []{{0,2}} {0[1]}'.format),
    ONE.map("title:{}".format),
    st.tuples(ONE, ONE).map("{0[0]} AND {0[1]}".format),
    st.tuples(ONE, ONE).map("{0[0]} -title:{0[1]}".format),
)


@settings(max_examples=200, deadline=None)
@example("dot NEAR/2 dot", 2, "both")
@example("ไทย", 2, "both")
@given(QUESTIONS, st.integers(1, 6), st.sampled_from(SIDES))
def test_collocates_equal_a_plain_count(
    searched: tuple[SearchIndex, Corpus], text: str, window: int, side: str
) -> None:
    """Of words, phrases, wildcards, NEAR, gaps, tokens and titles, on the wanted sides, in four languages."""
    index, corpus = searched
    try:
        question = index.parsed(text, as_phrase=True)
    except ConfigError:
        return
    rules = CollocationRules(window, side, min_frequency=1)
    found = collocates(index, text, Selection(), 1_000, rules=rules)
    together = {letters(row.word): row.together for row in found.rows}
    assert together == neighbours(index, corpus, question, rules)
    assert all(row.together <= row.frequency for row in found.rows)
    assert found.documents == found.found


def test_of_too_many_documents_a_share_is_read_and_said(searched: tuple[SearchIndex, Corpus]) -> None:
    """The measure that compares with the whole selection is that of an estimate of all hits."""
    index, _ = searched
    rules = CollocationRules(min_frequency=1)
    selected = Selection(("en",))
    whole, part = (collocates(index, "ada", selected, 1, documents, rules=rules) for documents in (DOCUMENTS, 5))
    assert (whole.documents, part.documents, part.found) == (10, 5, 10)
    assert part.rows[0].together < whole.rows[0].together
    assert abs(part.rows[0].log_dice - whole.rows[0].log_dice) < 1
    answer = word_list(index, selected, WordList(around="ada", searched=5))
    assert "Collocates are counted in 5 of the 10 documents that have the words." in answer.notes
