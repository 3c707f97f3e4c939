"""Places of questions in tokens: what each form finds, and that arrays find what a plain look finds."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.search.hits import matching
from corpus_spider.search.hits.concordance import SoughtWords, lines, split_text
from corpus_spider.search.hits.matching import Places, hits, without_overlaps
from corpus_spider.search.index.token_block import TokenBlock, UnitReadings
from corpus_spider.search.question.question_parser import parse
from corpus_spider.search.question.tree import (
    TITLE,
    AnyToken,
    Conjunction,
    Disjunction,
    Gap,
    Near,
    Negation,
    Phrase,
    Question,
    Repetition,
    TokenCondition,
    TokenConjunction,
    TokenDisjunction,
    TokenNegation,
    TokenSequence,
    TokenTest,
    Within,
    is_place,
)
from pipelines.text.annotation.annotator import ATTRIBUTES
from pipelines.text.words import splitter
from storage.errors import ConfigError, TooSlowError
from storage.time_limit import time_limit
from tests.extras import need

if TYPE_CHECKING:
    import numpy.typing as npt

TEXTS = {
    "vi": "Chính phủ họp\nThủ tướng Chính phủ chủ trì phiên họp. Quốc hội bầu cử. Kết quả bầu cử của Quốc hội mới.",
    "ar": "مجلس الوزراء\nعقد مجلس الوزراء جلسة برئاسة رئيس الحكومة. وقال الرئيس إن الحكومة أعلنت خطة.",
    "th": "รัฐบาลไทย\nรัฐบาลประกาศนโยบายใหม่ นายกรัฐมนตรีแถลงข่าวที่กรุงเทพ",
    "en": "Going home\nShe goes to the old school. They went to school, and to the new shop.",
    "zh": "中国政府\n中国政府发布新政策。美国政府回应。",
}


@pytest.mark.parametrize(
    ("language", "question", "found"),
    [
        ("vi", "họp NEAR/2 chinh phu", ["Chính phủ họp"]),
        ("vi", "họp NEAR/3 chinh phu", ["Chính phủ họp", "Chính phủ chủ trì phiên họp"]),
        ("vi", '"quốc hội" NEAR/1 "bầu cử"', ["Quốc hội bầu cử", "bầu cử của Quốc hội"]),
        ("vi", "kết quả ... quốc hội", ["Kết quả bầu cử của Quốc hội"]),
        ("vi", "thủ tướng ... bầu cử", []),
        ("vi", '"bầu cử" [] "quốc hội"', ["bầu cử của Quốc hội"]),
        ("vi", '[word="chủ"] []{1,2} [word="h.p"]', ["chủ trì phiên họp"]),
        ("vi", "title:họp", ["họp"]),
        ("vi", "title:bầu", []),
        ("vi", "họp -title:họp", []),
        ("ar", "مجلس ... الحكومة", ["مجلس الوزراء جلسة برئاسة رئيس الحكومة"]),
        ("ar", "اعلنت NEAR/0 الحكومة", ["الحكومة أعلنت"]),
        ("ar", '[word="ال.*"] [] [word="خط."]', ["الحكومة أعلنت خطة"]),
        ("ar", "title:الوزراء", ["الوزراء"]),
        ("th", "รัฐบาล NEAR/1 นโยบาย", ["รัฐบาลประกาศนโยบาย"]),
        ("th", "ประกาศ ... แถลง", ["ประกาศนโยบายใหม่ นายกรัฐมนตรีแถลง"]),
        ("th", '[word="ประกาศ"] []? [word="ใหม่"]', ["ประกาศนโยบายใหม่"]),
        ("th", "title:ไทย", ["ไทย"]),
        ("en", '[word="go.*|went" %c] to []{0,2} school', ["goes to the old school", "went to school"]),
        ("en", 'to ([word="the"] []){0,1} school', ["to the old school", "to school"]),
        ("en", "(goes OR went) ... shop", ["went to school, and to the new shop"]),
        ("en", '[word="to" & !word="t"] [word!="the"]', ["to school"]),
        ("en", "(school NEAR/1 they) within <s/>", []),
        ("en", "school NEAR/1 they NEAR/0 went", ["school. They went"]),
        ("en", "title:(home NEAR/2 going)", ["Going home"]),
        ("zh", "中国 NEAR/2 发布", ["中国政府发布"]),
        ("zh", "政府 ... 政策", ["政府发布新政策"]),
        ("zh", '[word="政"] [word="府"] [word="回"]', ["政府回"]),
    ],
)
def test_what_each_form_finds(language: str, question: str, found: list[str]) -> None:
    """Distances, gaps, tokens and titles, in languages with and without spaces between words."""
    need("web")
    split = splitter()
    here = lines(TEXTS[language], SoughtWords(parse(question, split), language), split)
    assert [line.keyword for line in here] == found


WORDS = ("a", "b", "ab", "c")
Spans = list[tuple[int, int]]


class PlainLook:
    """Finds places token by token, as the definition says."""

    def __init__(self, block: TokenBlock) -> None:
        self.words = [block.vocabulary[number] for number in block.tokens]
        self.size = len(self.words)
        self.tokens = [{"word": word} for word in self.words]
        if block.readings is not None:
            numbers = block.readings_of_tokens(block.readings)
            for attribute, (known, values) in block.readings.values.items():
                for token, number in zip(self.tokens, numbers, strict=True):
                    token[attribute] = known[values[number]]
        ends = [*block.line_starts[1:].tolist(), self.size]
        self.lines = list(zip(block.line_starts.tolist(), ends, strict=True))
        self.sentences = list(pairwise([*block.sentence_starts.tolist(), self.size]))
        self.documents = list(pairwise([*block.document_starts.tolist(), self.size]))
        self.titles = [self.lines[number] for number in block.document_lines]

    def spans(self, question: Question) -> Spans:
        return sorted({span for span in self.found(question) if self.is_in(span, self.lines)})

    @staticmethod
    def is_in(span: tuple[int, int], parts: Spans) -> bool:
        return any(start <= span[0] and span[1] <= end for start, end in parts)

    def found(self, question: Question) -> Spans:
        match question:
            case Phrase(terms):
                size = len(terms)
                return [
                    (at, at + size)
                    for at in range(self.size - size + 1)
                    if all(term.matches(self.words[at + place]) for place, term in enumerate(terms))
                ]
            case Disjunction(parts):
                return [span for part in parts for span in self.spans(part)]
            case Near(left, right, distance):
                one, other = self.spans(left), self.spans(right)
                pairs = [*self.followed(one, other), *self.followed(other, one)]
                return [(a, d) for (a, b), (c, d) in pairs if c - b <= distance]
            case Gap(parts):
                whole = self.spans(parts[0])
                for part in parts[1:]:
                    pairs = self.followed(whole, self.spans(part))
                    whole = [(a, d) for (a, _), (_, d) in pairs if self.is_in((a, d), self.sentences)]
                return whole
            case AnyToken(condition):
                return [(at, at + 1) for at, token in enumerate(self.tokens) if not condition or fits(condition, token)]
            case TokenSequence(parts):
                return [(at, end) for at in range(self.size) for end in self.ends({at}, parts) if end > at]
            case Within(part, scope):
                parts = self.titles if scope == TITLE else self.sentences
                return [span for span in self.spans(part) if self.is_in(span, parts)]
            case _:
                raise TypeError(question)

    @staticmethod
    def followed(one: Spans, other: Spans) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        pairs = []
        for span in one:
            later = [each for each in other if each[0] >= span[1]]
            if later:
                nearest = min(start for start, _ in later)
                pairs.append((span, max(each for each in later if each[0] == nearest)))
        return pairs

    def ends(self, starts: set[int], parts: tuple[Question | Repetition, ...]) -> set[int]:
        for part in parts:
            least, most = (part.least, part.most) if isinstance(part, Repetition) else (1, 1)
            inner = self.spans(part.part if isinstance(part, Repetition) else part)
            reached = set(starts) if not least else set()
            for times in range(1, most + 1):
                starts = {end for start, end in inner if start in starts}
                reached |= starts if times >= least else set()
            starts = reached
        return starts

    def holds(self, question: Question, document: tuple[int, int]) -> bool:
        match question:
            case Conjunction(parts):
                return all(self.holds(part, document) for part in parts)
            case Disjunction(parts) if not is_place(question):
                return any(self.holds(part, document) for part in parts)
            case Negation(part):
                return not self.holds(part, document)
            case _:
                return any(self.is_in(span, [document]) for span in self.spans(question))

    def hits(self, question: Question) -> Spans:
        kept: Spans = []
        spans = sorted(self.positive(question), key=lambda span: (span[0], -span[1]))
        for span in spans:
            if not kept or span[0] >= kept[-1][1]:
                kept.append(span)
        return [
            span
            for span in kept
            if any(self.is_in(span, [each]) for each in self.documents if self.holds(question, each))
        ]

    def positive(self, question: Question) -> Spans:
        if isinstance(question, Negation):
            return []
        if isinstance(question, Conjunction | Disjunction) and not is_place(question):
            return [span for part in question.parts for span in self.positive(part)]
        return self.spans(question)


def fits(condition: TokenCondition, token: dict[str, str]) -> bool:
    match condition:
        case TokenTest(pattern):
            value = token[pattern.attribute]
            return bool(value) and bool(re.fullmatch(pattern.value, value, re.IGNORECASE))
        case TokenNegation(part):
            return not fits(part, token)
        case TokenConjunction(parts):
            return all(fits(part, token) for part in parts)
        case TokenDisjunction(parts):
            return any(fits(part, token) for part in parts)


READINGS = {"a": ["a N", "ab V"], "b": ["a V"], "ab": [" ", "b N"], "c": ["c N", "c "]}
"""Lemma and tag of the words in different places. An empty one is not known."""
TOKENS = [f"{word}/{number}" for word, readings in READINGS.items() for number in range(len(readings))]
SENTENCES = st.lists(st.sampled_from(TOKENS), max_size=6).map(" ".join)
DOCUMENTS = st.lists(
    st.tuples(SENTENCES, st.lists(st.lists(SENTENCES, max_size=3), min_size=1, max_size=3)), min_size=1, max_size=3
)
ONE = st.sampled_from(["a", "b", "a*", "/a.?/", '"a b"', '"b a b"', "c"])
TEST = st.sampled_from(
    [
        *("[]", '[word="a"]', '[word!="a"]', '[word="a.*" & !word="ab"]', '[word="a" | word="c"]', '[word="b" %c]'),
        *('[lemma="a"]', '[lemma="A.?" %c]', '[lemma!="a"]', '[tag="N"]', '[tag!="V"]', '[lemma="c" & tag="N"]'),
        *('[word="a" & !lemma="a"]', '[lemma=".*" & !(tag="N" | word="b")]', '[tag="V" | word="c"]'),
    ]
)
TIMES = st.sampled_from(["", "", "?", "{0,2}", "{2}", "{1,3}"])


def joined(parts: st.SearchStrategy[str], *operators: str) -> st.SearchStrategy[str]:
    pairs = st.tuples(parts, st.sampled_from(operators), parts)
    return pairs.map("".join)


WITHOUT_BRACKETS = st.one_of(ONE, joined(ONE, " NEAR/0 ", " NEAR/1 ", " NEAR/3 "), joined(ONE, " ... "))
ROW = (
    st.lists(st.tuples(TEST, TIMES).map("".join), min_size=1, max_size=4)
    .flatmap(
        lambda tokens: st.permutations(
            [*tokens, "a", "(b OR ab)", "(a OR [word='c'] b){1,2}".replace("'", '"')][: len(tokens) + 2]
        )
    )
    .map(" ".join)
)
GROUPS = st.one_of(WITHOUT_BRACKETS, ROW).map("({})".format)
FORMS = {
    "near": joined(st.one_of(ONE, GROUPS), " NEAR/0 ", " NEAR/2 "),
    "gap": joined(st.one_of(ONE, GROUPS), " ... "),
    "row": ROW,
    "not": st.tuples(st.one_of(ONE, ROW), st.sampled_from([" -", " NOT "]), st.one_of(ROW, GROUPS)).map("".join),
    "within": st.one_of(GROUPS.map("{} within <s/>".format), GROUPS.map("title:{}".format)),
    "or": joined(GROUPS, " OR "),
    "and": joined(st.one_of(GROUPS, ONE), " AND ", " ", " -", " OR "),
}


def block_of(documents: list[tuple[str, list[list[str]]]]) -> TokenBlock:
    numbers = {word: number for number, word in enumerate(WORDS)}
    tokens: list[int] = []
    of_tokens: list[int] = []
    starts: dict[str, list[int]] = {"documents": [], "lines": [], "sentences": []}
    first_lines = []
    for title, text in documents:
        starts["documents"].append(len(tokens))
        first_lines.append(len(starts["lines"]))
        for line in ([title], *text):
            starts["lines"].append(len(tokens))
            for sentence in line or [""]:
                starts["sentences"].append(len(tokens))
                for token in sentence.split():
                    word, _, number = token.partition("/")
                    tokens.append(numbers[word])
                    of_tokens.append(int(number))
    arrays = (np.array(each, np.int64) for each in (*starts.values(), first_lines))
    ids = [str(number) for number in range(len(documents))]
    return TokenBlock(
        "en", WORDS, ids, np.array(tokens, np.uint32), *arrays, (), readings_of(), np.array(of_tokens, np.uint32)
    )


def readings_of() -> UnitReadings:
    values: dict[str, tuple[list[str], npt.NDArray[np.uint32]]] = {}
    for place, attribute in enumerate(ATTRIBUTES):
        each = [reading.split(" ")[place] for word in WORDS for reading in READINGS[word]]
        known = sorted(set(each))
        values[attribute] = known, np.array(list(map(known.index, each)), np.uint32)
    counts = [len(READINGS[word]) for word in WORDS]
    return UnitReadings(np.cumsum([0, *counts[:-1]]), values)


@pytest.mark.parametrize("form", FORMS)
def test_arrays_find_what_a_plain_look_finds(form: str) -> None:
    """Random questions of each form over random small documents, with empty titles, lines and sentences."""

    @settings(max_examples=200, deadline=None)
    @given(FORMS[form], DOCUMENTS)
    def compare(text: str, documents: list[tuple[str, list[list[str]]]]) -> None:
        try:
            question = parse(text, splitter(), annotated=ATTRIBUTES)
        except ConfigError:
            return
        block = block_of(documents)
        starts, ends = hits(question, block)
        assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == PlainLook(block).hits(question)

    compare()


@pytest.mark.parametrize(
    "question",
    [
        f"({' OR '.join(WORDS)}) NEAR/1000 ({' OR '.join(WORDS)})",
        "(a OR b OR ab) ... (a OR b OR c) ... (a OR ab OR b) ... (c OR a OR b)",
        "a []{0,100}",
        '[]{0,33} (a OR b)  []{0,33} [word="a|b"]{0,33}',
        " NEAR/1000 ".join(["(a OR b)"] * 20),
        '(a OR [word="b"] []{0,40}){1,50}',
    ],
)
def test_hostile_questions_end_in_time(question: str) -> None:
    """They find their places, or are refused, within the limit of time and some memory."""
    tokens = np.random.default_rng(1).integers(0, len(WORDS), 40_000).astype(np.uint32)
    starts, lines_of = np.zeros(1, np.int64), np.arange(0, len(tokens), 5_000)
    block = TokenBlock("en", WORDS, ["1"], tokens, starts, lines_of, lines_of, starts)
    begin = time.monotonic()
    with time_limit(1), suppress(TooSlowError, ConfigError):
        assert len(hits(parse(question, splitter()), block).starts)
    assert time.monotonic() - begin < 15


def test_a_text_is_split_as_the_index_splits_it() -> None:
    """Tokens in small letters, with the first of each line and sentence; the title is the first line."""
    block = split_text("Giá Xăng\n\nMột. Hai ba.\nBốn", "vi", splitter()).block
    assert [block.vocabulary[each] for each in block.tokens] == ["giá", "xăng", "một", "hai", "ba", "bốn"]
    assert block.line_starts.tolist() == [0, 2, 2, 5]
    assert block.sentence_starts.tolist() == [0, 2, 2, 3, 5]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("chính phủ", ["chính phủ", "chính phủ"]),
        ('chính phủ OR "ngân hàng nhà nước"', ["chính phủ", "ngân hàng nhà nước", "chính phủ"]),
        ("chính phủ OR ngân hàng nhà nước", ["chính phủ", "ngân hàng nhà nước", "chính phủ"]),
        ("chính phủ (lúa NEAR/3 gạo)", ["chính phủ", "chính phủ", "lúa và gạo"]),
        ("phủ chính", ["phủ", "chính"]),
        ("title:(giá phủ)", []),
    ],
)
def test_words_side_by_side_hide_only_their_own_parts(question: str, found: list[str]) -> None:
    """Where words contain spaces: the longest places of each run, beside all places of the other parts."""
    text = "giá\nchính phủ và ngân hàng nhà nước\nhọp chính phủ\nlúa và gạo"
    text = "giá\nphủ và chính" if question == "phủ chính" else text
    split = splitter()
    here = lines(text, SoughtWords(parse(question, split), "vi"), split)
    assert [line.keyword for line in here] == found


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12))), st.integers(0, 4))
def test_of_overlapping_places_the_leftmost_and_longest_stay(places: list[tuple[int, int]], few: int) -> None:
    """Those that a look from left to right keeps, whether runs of them are gone through together or one by one."""
    ordered = sorted({(start, start + size) for start, size in places})
    kept: list[tuple[int, int]] = []
    for start, end in sorted(ordered, key=lambda place: (place[0], -place[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matching, "_FEW_RUNS", few)
        found = without_overlaps(Places(*np.array(ordered, np.int64).reshape(-1, 2).T))
    assert list(zip(*(each.tolist() for each in found), strict=True)) == kept
