"""Read search questions: the grammar of `corpus_spider.search.question.tree`, by recursive descent.

Words side by side must all occur. ``-word`` is NOT, also with the dash that an editor makes of the hyphen. A word
typed without marks finds every spelling: ``chinh phu`` finds ``chính phủ``. A word typed with marks finds these marks
only. So does in Vietnamese a word beside it (`typed_marks`). An equals sign before a word finds it as typed. ``*``
stands for any letters, ``?`` before another letter for one. ``/…/`` is a regular expression that a whole word fits, in
small letters.

From loose to tight: OR; AND and words side by side; NOT; ``within <s/>``; ``...``; NEAR/n; tokens in a row. Words side
by side are one phrase beside ``...``, NEAR and within, and one sequence beside square brackets. Directly after NOT and
``title:`` one of them stands alone, unless ``...``, NEAR or within follows.

A question goes through the repairs of a text (`pipelines.text.normalise.clean`). It is compared with the words of a
text by the equal letters of the language of that text (`term`). What is not understood is refused with its place: as
words it would find something else.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import regex

from corpus_spider.config.selections import read_day
from corpus_spider.search.question.term import ANY_LETTERS, MAX_WILDCARDS, ONE_LETTER, WILDCARDS, Term, expression
from corpus_spider.search.question.token_condition import condition_of, token_pattern
from corpus_spider.search.question.tree import (
    SENTENCE,
    TITLE,
    AnyToken,
    Conjunction,
    DayRange,
    Disjunction,
    FieldValue,
    Gap,
    Near,
    Negation,
    Phrase,
    QuestionError,
    Repetition,
    TokenSequence,
    Within,
    candidates,
    has_fields,
    is_of_fields,
    is_place,
    is_required,
    parts_of,
    terms,
)
from corpus_spider.search.question.typed_marks import beside_marks
from pipelines.text.normalise import clean
from pipelines.text.punctuation import CORNER_BRACKETS, DOUBLE_QUOTES
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from corpus_spider.search.question.tree import Question
    from pipelines.text.words import Splitter

MOST_WORDS = 64
"""Words of one question."""
MAX_QUESTION_CHARS = 4_000
"""Characters of one question, as typed."""
MAX_DISTANCE = 1_000
"""Tokens between two places of NEAR."""
MAX_SEQUENCE_TOKENS = 100
"""Tokens that a repetition may have."""
_MAX_NESTING = 20
"""Brackets, NOTs and ``title:`` within one another."""
_MAX_DEPTH = 100
"""Parts within one another, also those that operators in a row make. What reads a question goes into each of them."""
_SHOWN_CHARS = 80
"""Characters that are shown of a question that is too long."""
_HOW = (
    'Write words, "a phrase", wildcards such as govern* or wom?n, /regular expressions/, AND, OR, NOT, brackets,'
    ' a NEAR/5 b, a ... b, [word="…"],'
    " title:, author:, section:, site: or date:."
)
_BRACKET_AT_WORD = "Write a space between them, or /colo(u)?r/. In quotation marks both are words."
_PIECE = regex.compile(
    r"""\s*(?:
      (?P<expression>/(?:\\.|[^\\/\s])+/(?=[\s()]|$))
    | (?P<token>\[(?:"(?:\\.|[^"\\])*"|[^]"])*\])
    | (?P<times>(?<=[])])(?:\{[^}]*\}|(?<=\])[?*+]))
    | (?P<open>\()|(?P<close>\))|(?P<not>[-–−](?=\S))
    | (?P<near>(?:NEAR|near)/\d+(?=[\s()"\[]|$))
    | (?P<gap>(?:(?<=[\s()"\]}])|^)(?:\.{3}|…)(?=[\s()"\[]|$))
    | (?P<within>within(?:\s*<s\s*/?>|\s+s(?=[\s)]|$)))
    | (?P<field>[A-Za-z_]+:(?=[^\s)])(?!//))
    | "(?P<phrase>[^"]*)"?
    | (?P<word>[^\s()"]+)
    )""",
    regex.VERBOSE,
)
_QUOTES = str.maketrans(dict.fromkeys(DOUBLE_QUOTES + CORNER_BRACKETS, '"'))
_GERSHAYIM = regex.compile(r"(?<=\p{Hebrew})[\"“”״](?=\p{Hebrew})")
"""A quotation mark within a Hebrew word is no end of a phrase (צה"ל)."""
_SINGLE_QUOTES = regex.compile(r"(?<!\S)['‘]([^'‘’\"\s][^'‘’\"]*\s[^'‘’\"]*)['’](?!\S)")
"""A phrase of several words between single quotation marks, which are apostrophes elsewhere."""
_WILDCARD_LETTERS = {ord(ANY_LETTERS): "\U00010600", ord(ONE_LETTER): "\U00010601"}
"""Letters of Linear A stand for wildcards while a question is split into words."""
_LETTER_WILDCARDS = {ord(letter): chr(sign) for sign, letter in _WILDCARD_LETTERS.items()}
_QUESTION_MARK = regex.compile(r"\?++(?![\p{L}\p{M}\p{N}*])")
"""A question mark that is no wildcard: no letter follows."""
_UNKNOWN = (
    (regex.compile(r"/[^/\s]+"), "begins a regular expression: one has no spaces and ends with a slash"),
    (
        regex.compile(r"(?:NEAR|WITHIN|ADJ)\d*(?:/.*)?|(?:ONEAR|PRE|[Ww])/\d+"),
        "is a distance in another form than NEAR/5",
    ),
    (regex.compile(r"XOR|FOLLOWEDBY|![\p{L}\p{N}].*"), "is an operator of other programs: NOT is -word"),
    (
        regex.compile(r"\p{L}+[<>]=?\p{N}.*|(?:word|lemma|tag|pos)!?=.*"),
        "is a comparison: a field has a colon, as date:2026, and a token has square brackets",
    ),
    (regex.compile(r"\[.*"), "has a square bracket that is not closed"),
    (regex.compile(r"[^\[]+\[\w*!?=?"), "is a token with a label"),
    (regex.compile(r"[^\[\]]+[\[\]].*"), "is a word with square brackets in it"),
    (regex.compile(r"[&|]+|.*&&.*|.*\|.*"), "is an operator in signs, in place of AND or OR"),
    (regex.compile(r".*[^\s.…](?:\.{2,3}|…)[^\s.…].*"), "is a range, or a gap without spaces around its dots"),
    (regex.compile(r".*[\p{L}\p{M}]\.[*+?].*|\^\p{L}.*|.*\\.*"), "is a regular expression without slashes around it"),
    (regex.compile(r"\{.*|.*[<>]{2}.*|%[cdl]+|.*_\{.*"), "is a sign of another search language"),
    (regex.compile(r"[\p{L}\p{M}*]*_(?:[A-Z]{1,5}[0-9*]*)"), "is a word with a part of speech behind it"),
    (regex.compile(r"\S*\{\d+(?:,\d*)?\}"), "is a repetition: one stands directly after square or round brackets"),
    (regex.compile("(?:site|date|title|author|section):"), "is a field without a value"),
    (regex.compile(r"<.*"), "is a structure: only `within <s/>` is known"),
    (regex.compile(r"[\p{L}\p{N}]\S*[~^]\d*|[~^]\d+"), "is a similarity, distance or weight"),
)
"""Outside quotation marks: syntax of other programs, and what is wrong with it."""
_OTHER_COMMANDS = (
    (regex.compile(r"(?<=[]}]\s*)(?:not\s+)?containing\b"), "joins tokens in another program"),
    (
        regex.compile(r"\bMU\s*\(\s*(?:meet|union)\b|\(\s*meet\b[^()]*\s-?\d+\s+-?\d+\s*\)"),
        "is the search for pairs of another program",
    ),
    (regex.compile(r"^\w+\s*=\s*(?=\[)"), "gives an answer a name"),
    (regex.compile(r'(?<=[]}"]\s*)cut\s+\d+'), "takes a part of the hits: `search` has --sample-size"),
    (regex.compile(r"^set\s+\p{Lu}\w*\s[^;]*;"), "is a command of another program"),
)
"""Commands of other programs. Their words are those of any language, so only what stands beside them tells."""
_JOINING_KINDS = frozenset({"near", "gap", "within"})
_OPERATOR_KINDS = _JOINING_KINDS | {"not"}
_OPERATOR_WORDS = frozenset({("word", "AND"), ("word", "OR"), ("word", "NOT")})
_TIMES = regex.compile(r"\{\s*(\d{1,6})\s*(?:,\s*(\d{1,6})\s*)?\}")
_VALUE = regex.compile(r'"(?P<quoted>[^"]*)"|(?P<plain>[^\s()"]+)')


class _Piece(NamedTuple):
    """A part of a question with its place. ``kind``: "" at the end."""

    kind: str
    text: str
    start: int
    end: int


def parse(text: str, splitter: Splitter, *, as_phrase: bool = False, annotated: Collection[str] = ()) -> Question:
    """Read a question. QuestionError says what is wrong with it. ``as_phrase``: words side by side are one phrase.

    ``annotated``: the attributes that tokens have beside their words, lemma or tag or both.

    >>> from corpus_spider.search.question.tree import shown
    >>> from pipelines.text.words import splitter
    >>> shown(parse("bầu cử -xăng", splitter())), shown(parse("bầu cử", splitter(), as_phrase=True))
    ('bầu AND cử AND NOT xăng', '"bầu cử"')
    """
    if len(text) > MAX_QUESTION_CHARS:
        what = f"a question has {MAX_QUESTION_CHARS:,} characters at most, this one has {len(text):,}"
        raise QuestionError(what, text[:_SHOWN_CHARS], 0, _SHOWN_CHARS, do="Search for a part of it.")
    typed = " ".join(_GERSHAYIM.sub("״", clean(text)).translate(_QUOTES).split())
    typed = _SINGLE_QUOTES.sub(r'"\1"', typed)
    for pattern, problem in _OTHER_COMMANDS:
        if found := pattern.search(typed):
            raise QuestionError(f'"{found[0].strip()}" {problem}', typed, found.start(), found.end(), do=_HOW)
    parser = _Parser(typed, splitter, as_phrase=as_phrase, annotated=annotated)
    question = parser.whole()
    refuse = partial(QuestionError, question=typed, start=0, end=len(typed))
    if _is_deep(question):
        raise refuse(f"operators are nested more than {_MAX_DEPTH} times", do="Search for a part of it.")
    if (number := _number_of_words(question)) > MOST_WORDS:
        what = f"a question has {MOST_WORDS} words at most, this one has {number}"
        raise refuse(what, do="Search for a part of it.")
    if is_of_fields(question):
        raise refuse("there is no word in the question", do="Write a word beside the fields.")
    if candidates(question) is None or all(map(_is_exclusion, _conjuncts(question))):
        raise refuse("the question only says what must not occur", do=_HOW)
    for part in _conjuncts(question):
        if has_fields(part) and not is_of_fields(part):
            what = "a field is joined to words by OR, or by a NOT around both"
            do = "Write fields beside the words: site:vnexpress (gas OR oil)."
            raise refuse(what, do=do)
    return beside_marks(question)


def _is_deep(question: Question) -> bool:
    """Return whether parts of a question are nested more than `_MAX_DEPTH` times. It is not recursive."""
    level: list[Question | Repetition] = [question]
    for _ in range(_MAX_DEPTH):
        level = [inner for part in level for inner in parts_of(part)]
    return bool(level)


def _number_of_words(question: Question) -> int:
    """Return the number of words of a question; a word counts as often as it is there."""
    if isinstance(question, Phrase):
        return len(question.terms)
    inner = parts_of(question)
    return sum(map(_number_of_words, inner)) if inner else len(terms(question))  # type: ignore[arg-type]


def _conjuncts(question: Question) -> Iterator[Question]:
    """Yield the parts that must all hold."""
    if isinstance(question, Conjunction):
        for part in question.parts:
            yield from _conjuncts(part)
    else:
        yield question


def _is_exclusion(question: Question) -> bool:
    return isinstance(question, Negation) or is_of_fields(question)


class _Parser:
    """Recursive descent over the pieces of a question."""

    def __init__(self, text: str, splitter: Splitter, *, as_phrase: bool, annotated: Collection[str]) -> None:
        self._text, self._splitter, self._as_phrase, self._annotated = text, splitter, as_phrase, annotated
        self._pieces = list(_pieces(text))
        self._at = self._depth = 0

    def whole(self) -> Question:
        question = self._either()
        if self._at < len(self._pieces):
            raise self._error("a bracket is closed that was not opened", self._peek())
        if question is None:
            raise QuestionError("there is no word in the question", self._text, 0, len(self._text), do=_HOW)
        return question

    def _peek(self, ahead: int = 0) -> _Piece:
        at = self._at + ahead
        return self._pieces[at] if at < len(self._pieces) else _Piece("", "", len(self._text), len(self._text))

    def _take(self) -> _Piece:
        piece = self._peek()
        self._at += 1
        return piece

    def _is(self, operator: str) -> bool:
        return self._peek()[:2] == ("word", operator)

    def _error(self, what: str, piece: _Piece, do: str = _HOW) -> QuestionError:
        return QuestionError(what, self._text, piece.start, piece.end, do=do)

    @contextmanager
    def _place_of(self, piece: _Piece) -> Iterator[None]:
        """Give an error of a word or expression its place in the question."""
        try:
            yield
        except QuestionError:
            raise
        except ConfigError as error:
            raise QuestionError(
                error.what, self._text, piece.start, piece.end, where=error.where, do=error.do
            ) from error

    @contextmanager
    def _nested(self, piece: _Piece) -> Iterator[None]:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise self._error(f"brackets, NOT and title: are nested more than {_MAX_NESTING} times", piece)
        yield
        self._depth -= 1

    def _either(self) -> Question | None:
        parts = [self._both()]
        while self._is("OR"):
            operator = self._take()
            parts.append(self._needed(self._both(), operator))
            if parts[0] is None:
                raise self._error("there is no word before OR", operator)
        kept = tuple(part for part in parts if part is not None)
        return Disjunction(kept) if len(kept) > 1 else kept[0] if kept else None

    def _needed(self, part: Question | None, operator: _Piece) -> Question:
        if part is None:
            raise self._error(f"there is no word after {operator.text}", operator)
        return part

    def _ends_both(self) -> bool:
        return self._peek().kind in {"", "close"} or self._is("OR")

    def _both(self) -> Question | None:
        parts: list[Question] = []
        runs: list[list[Phrase]] = [[]]
        operator: _Piece | None = None
        while not self._ends_both():
            if self._is("AND"):
                if operator or not parts:
                    raise self._error("there is no word before AND", self._peek())
                operator = self._take()
                runs.append([])
                continue
            first = self._peek()
            is_word = first.kind in {"word", "expression"} and not self._is("NOT")
            before = self._at
            part = self._unit()
            if part is None:
                continue
            if is_word and isinstance(part, Phrase) and self._at == before + 1:
                runs[-1].append(part)
                if self._as_phrase and len(runs[-1]) > 1:
                    parts.pop()
                    part = runs[-1][0] = _one_phrase(runs[-1])
                    del runs[-1][1:]
            else:
                runs.append([])
            parts.append(part)
            operator = None
        if operator:
            raise self._error("there is no word after AND", operator)
        if len(parts) < 2:
            return parts[0] if parts else None
        return Conjunction(tuple(parts), tuple(_one_phrase(run) for run in runs if len(run) > 1))

    def _unit(self, *, alone: bool = False) -> Question | None:
        """Read NOT and what it is about, or places joined by operators. ``alone``: as of `_operand`."""
        if self._peek().kind == "not" or self._is("NOT"):
            operator = self._take()
            with self._nested(operator):
                part = None if self._ends_both() or self._is("AND") else self._unit(alone=True)
            return Negation(self._needed(part, operator))
        start = self._peek()
        part = self._gaps(alone=alone)
        while self._peek().kind == "within":
            operator = self._take()
            part = Within(self._place(part, start, operator), SENTENCE)
        return part

    def _gaps(self, *, alone: bool) -> Question | None:
        start = self._peek()
        parts = [self._nears(alone=alone)]
        while self._peek().kind == "gap":
            operator = self._take()
            parts[-1] = self._place(parts[-1], start, operator)
            start = self._peek()
            parts.append(self._place(self._nears(follows=True), start, operator))
        return Gap(tuple(part for part in parts if part)) if len(parts) > 1 else parts[0]

    def _nears(self, *, follows: bool = False, alone: bool = False) -> Question | None:
        start = self._peek()
        part = self._operand(follows=follows, alone=alone)
        while self._peek().kind == "near":
            operator = self._take()
            distance = int(operator.text.partition("/")[2][:9])
            if distance > MAX_DISTANCE:
                raise self._error(f"NEAR has a number up to {MAX_DISTANCE}", operator)
            left = self._place(part, start, operator)
            after = self._peek()
            part = Near(left, self._place(self._operand(follows=True), after, operator), distance)
        return part

    def _place(self, part: Question | None, start: _Piece, operator: _Piece) -> Question:
        """Return a part that an operator joins; it must be a place."""
        if part is None:
            raise self._error(f"{operator.text} joins words, and there is none on one side", operator)
        if not is_place(part):
            what = f"{operator.text} joins words, phrases, tokens and ORs of these, not AND, NOT or fields"
            raise QuestionError(what, self._text, start.start, max(start.end, self._peek(-1).end), do=_HOW)
        return part

    def _operand(self, *, follows: bool, alone: bool = False) -> Question | None:
        """Read one part between operators: words side by side are one phrase there. ``follows``: on an operator.

        ``alone``: of what stands side by side only the first, unless an operator follows.
        """
        row = self._row_end()
        if alone and not (row < len(self._pieces) and self._pieces[row].kind in _JOINING_KINDS):
            row = self._element_end(row)
        is_bracket = (
            self._peek().kind == "open" and self._element_end(row) == row and self._pieces[row - 1].kind == "close"
        )
        has_tokens = any(piece.kind in {"token", "times"} for piece in self._pieces[self._at : row])
        if has_tokens and not is_bracket:
            return self._sequence(row)
        ahead = 0
        while self._is_word(ahead):
            ahead += 1
        if ahead > 1 and (follows or self._peek(ahead).kind in {"near", "gap", "within"}):
            parts = [part for part in (self._one() for _ in range(ahead)) if part is not None]
            return _in_a_row(parts)
        if self._ends_both() or self._peek().kind in _OPERATOR_KINDS or self._peek()[:2] in _OPERATOR_WORDS:
            return None
        return self._one()

    def _is_word(self, ahead: int) -> bool:
        piece = self._peek(ahead)
        return piece.kind == "expression" or (piece.kind == "word" and piece[:2] not in _OPERATOR_WORDS)

    def _row_end(self) -> int:
        """Return the end of the words, phrases, tokens and brackets that stand side by side from here."""
        at, depth = self._at, 0
        while at < len(self._pieces):
            piece = self._pieces[at]
            depth += (piece.kind == "open") - (piece.kind == "close")
            is_outside = piece.kind in {*_OPERATOR_KINDS, "field"} or piece[:2] in _OPERATOR_WORDS
            if depth < 0 or (not depth and is_outside):
                break
            at += 1
        return at

    def _element_end(self, row: int) -> int:
        """Return the end of the first element of a row: a word, phrase, token or bracket, and how often it stands."""
        at, depth = self._at, 0
        while at < row:
            depth += (self._pieces[at].kind == "open") - (self._pieces[at].kind == "close")
            at += 1
            if not depth:
                break
        return at + (at < row and self._pieces[at].kind == "times")

    def _sequence(self, end: int) -> Question:
        """Read tokens, words, phrases and groups in a row."""
        first = self._peek()
        parts: list[Question | Repetition] = []
        while self._at < end:
            piece = self._peek()
            if piece.kind == "times":
                raise self._error("there is nothing to repeat before this", piece)
            part = self._one()
            if part is None:
                continue
            if not is_place(part):
                what = "a row with square brackets has words, phrases, tokens and ORs of these in brackets"
                raise QuestionError(what, self._text, piece.start, self._peek(-1).end, do=_HOW)
            parts.append(self._repeated(part) if self._peek().kind == "times" else part)
        where = _Piece("", "", first.start, self._peek(-1).end)
        if not any(map(is_required, parts)):
            do = 'Write at least one word, phrase or [word="…"] that must occur.'
            raise self._error("these tokens may be any words", where, do)
        if sum(each.most for each in parts if isinstance(each, Repetition)) > MAX_SEQUENCE_TOKENS:
            do = "Write a ... b for a gap of any length within a sentence."
            raise self._error(f"a row repeats tokens {MAX_SEQUENCE_TOKENS} times at most", where, do)
        if len(parts) == 1 and not isinstance(parts[0], Repetition):
            return parts[0]
        return TokenSequence(tuple(parts))

    def _repeated(self, part: Question) -> Repetition:
        piece = self._take()
        if piece.text == "?":
            return Repetition(part, 0, 1)
        found = _TIMES.fullmatch(piece.text)
        if not found:
            raise self._error(f"{piece.text} is no number of times", piece, "Write [], []{2}, []{0,3} or []?.")
        least, most = int(found[1]), int(found[2] or found[1])
        if most < max(1, least) or most > MAX_SEQUENCE_TOKENS:
            what = f"a part is repeated from 0 to {MAX_SEQUENCE_TOKENS} times, the smaller number first"
            raise self._error(what, piece, "Write []{0,3}.")
        return Repetition(part, least, most)

    def _one(self) -> Question | None:
        piece = self._take()
        with self._place_of(piece):
            match piece.kind:
                case "open":
                    return self._bracket(piece)
                case "expression":
                    return Phrase((expression(piece.text[1:-1]),))
                case "token":
                    return AnyToken(condition_of(piece.text[1:-1], partial(self._within_token, piece), self._annotated))
                case "phrase":
                    if not piece.text.strip() and piece.end == piece.start + 1 + len(piece.text):
                        raise self._error("a quotation mark is not closed", piece)
                    return self._phrase(piece.text)
                case "field":
                    return self._field(piece)
                case "word":
                    return self._word(piece)
                case _:
                    raise self._error(f"{piece.text} is not expected here", piece)

    def _within_token(self, piece: _Piece, what: str, start: int, end: int, do: str) -> QuestionError:
        """Return an error at a place within square brackets."""
        at = piece.start + 1
        return QuestionError(what, self._text, at + start, at + end, do=do)

    def _bracket(self, opened: _Piece) -> Question | None:
        with self._nested(opened):
            inner = self._either()
        if self._peek().kind != "close":
            raise self._error("a bracket is not closed", opened)
        self._at += 1
        if inner is None:
            raise QuestionError(
                "there is no word in the brackets", self._text, opened.start, self._peek(-1).end, do=_HOW
            )
        if self._peek().start == self._peek(-1).end and self._is_word(0):
            raise self._error("a bracket touches a word", self._peek(-1), _BRACKET_AT_WORD)
        return inner

    def _phrase(self, text: str) -> Question | None:
        """Read the words between quotation marks. A star by itself stands for any token."""
        parts: list[Phrase | AnyToken] = []
        for is_star, run in groupby(text.split(), ANY_LETTERS.__eq__):
            if is_star:
                parts += (AnyToken() for _ in run)
            elif found := [term for part in run for term in self._terms(part)]:
                parts.append(Phrase(tuple(found)))
        if parts and not any(map(is_required, parts)):
            raise ConfigError("there is no word beside the wildcard", do='A phrase has a word: "xe * điện".')
        return TokenSequence(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None

    def _word(self, piece: _Piece) -> Question | None:
        if (after := self._peek()).kind == "open" and after.start == piece.end:
            raise self._error("a bracket touches a word", after, _BRACKET_AT_WORD)
        for pattern, problem in _UNKNOWN:
            if pattern.fullmatch(piece.text):
                what = f'"{piece.text[:60]}" {problem}'
                raise self._error(what, piece, f"{_HOW} In quotation marks it is searched as words.")
        found = self._terms(piece.text)
        return Phrase(tuple(found)) if found else None

    def _field(self, piece: _Piece) -> Question:
        name = piece.text[:-1]
        if name == TITLE:
            start = self._peek()
            with self._nested(piece):
                part = self._operand(follows=False, alone=True)
            if part is None:
                raise self._error("title: has no word after it", piece)
            return _in_title(part, lambda: self._error("title: is about words, not fields", start))
        if name not in _FIELDS:
            what = f'"{piece.text}" is no field'
            do = "Fields are title:, author:, section:, site: and date:. In quotation marks it is searched as words."
            raise self._error(what, piece, do)
        value = _VALUE.match(self._text, piece.end)
        if value is None or not (value["quoted"] or value["plain"] or "").strip():
            raise self._error(f"{piece.text} has no value", piece)
        while self._at < len(self._pieces) and self._peek().start < value.end():
            self._at += 1
        with self._place_of(piece._replace(end=value.end())):
            return _FIELDS[name](value["quoted"] or value["plain"] or "")

    def _terms(self, text: str) -> list[Term]:
        """Return the words of a text without spaces. A wildcard belongs to the word that it touches."""
        exact = text.startswith("=")
        # At the end of a word a question mark is one.
        typed = _QUESTION_MARK.sub("", text).translate(_WILDCARD_LETTERS)
        if typed.count(_WILDCARD_LETTERS[ord(ANY_LETTERS)]) > MAX_WILDCARDS:
            raise ConfigError(f'"{text:.60}" has more than {MAX_WILDCARDS} wildcards', do="Write a regular expression.")
        found: list[Term] = []
        end, before, is_apart = 0, "", False
        for start, stop in self._splitter.spans(typed):
            value = typed[start:stop].translate(_LETTER_WILDCARDS)
            touches = start == end and bool(before)
            if not set(value) <= set(WILDCARDS):
                if touches and before[-1] in WILDCARDS:
                    what = f'"{text:.60}": in a script without spaces a wildcard stands only at the end of a word'
                    raise ConfigError(what, do="Write a regular expression, which looks at each word: /.*ab.*/")
                found.append(Term(value, exact))
            elif touches and found:
                # In a script without spaces it is a unit of its own.
                found[-1] = replace(found[-1], value=found[-1].value + value)
            else:
                is_apart = True
            end, before = stop, value
        if not found and before:
            do = 'Write it beside letters: govern*. In a phrase it stands for any token: "xe * điện".'
            raise ConfigError(f'"{text:.60}" is a wildcard without a word', do=do)
        if found and is_apart:
            do = 'Signs are not searched. In a phrase a star stands for any token: "* based".'
            raise ConfigError(f'"{text:.60}" has a wildcard that touches only signs', do=do)
        return found


def _pieces(text: str) -> Iterator[_Piece]:
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            return
        kind = str(found.lastgroup)
        start = found.start(kind) - (kind == "phrase")
        yield _Piece(kind, found[kind], start, found.end())
        at = found.end()


def _one_phrase(run: list[Phrase]) -> Phrase:
    return Phrase(tuple(term for phrase in run for term in phrase.terms))


def _in_a_row(parts: list[Question]) -> Question | None:
    """Return words side by side as one phrase; as a sequence if one is a regular expression."""
    words = [part for part in parts if isinstance(part, Phrase)]
    if any(term.is_expression for word in words for term in word.terms) and len(words) > 1:
        return TokenSequence(tuple(token_pattern(word.terms[0]) if _is_expression(word) else word for word in words))
    return _one_phrase(words) if words else None


def _is_expression(phrase: Phrase) -> bool:
    return phrase.terms[0].is_expression


def _in_title(question: Question, error: Callable[[], QuestionError]) -> Question:
    """Return what holds if the places of a question are in the title."""
    again = partial(_in_title, error=error)
    match question:
        case Conjunction(parts):
            # As a run the words would be found outside of the title.
            return Conjunction(tuple(map(again, parts)))
        case Disjunction(parts):
            return Disjunction(tuple(map(again, parts)))
        case Negation(part):
            return Negation(again(part))
        case FieldValue() | DayRange():
            raise error()
        case Within(_, scope) if scope == TITLE:
            return question
        case _:
            return Within(question, TITLE)


def _days(value: str) -> DayRange:
    """Return the days of a day, a month or a year, or from one to another: 2026-01..2026-03, 2026.., ..2026-02-03."""
    first, dots, last = value.partition("..")
    if not dots:
        last = value
    if not (first or last):
        raise ConfigError(
            "date: has no day", do="Write date:2026-11-20, date:2026-11, date:2026 or date:2026-01..2026-03."
        )
    found = DayRange(first and _day(first, is_last=False), last and _day(last, is_last=True))
    if found.first and found.last and found.first > found.last:
        raise ConfigError(f"{first} is after {last}", do="Write the earlier day first.")
    return found


def _day(value: str, *, is_last: bool) -> str:
    try:
        return read_day(value, is_last=is_last)
    except ValueError as error:
        do = "Write date:2026-11-20, date:2026-11, date:2026 or date:2026-01..2026-03."
        raise ConfigError(f'"{value:.40}" is no day, month or year', do=do) from error


_FIELDS: dict[str, Callable[[str], Question]] = {
    **{name: partial(FieldValue, name) for name in ("author", "section", "site")},
    "date": _days,
}
"""Fields of the search index that a question may name, and what reads their value. ``title:`` is about words."""
