"""One word of a question, and how it is compared with a word of a text. Pure."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import regex

from pipelines.text.equal_letters import EQUAL, small
from pipelines.text.tokenizer import HYPHENS, WORD
from pipelines.text.word_forms import broad, letters, plain
from storage import time_limit
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

WORD_ATTRIBUTE = "word"
"""The attribute of a token that is its word."""
ANY_LETTERS, ONE_LETTER = "*", "?"
"""Wildcards: any letters or none, and one letter with its marks."""
WILDCARDS = ANY_LETTERS + ONE_LETTER
MAX_WILDCARDS = 5
"""Stars in one word. The time of a comparison grows with each."""
_WILDCARD = regex.compile(r"([*?])")
_WILDCARD_EXPRESSIONS = {ANY_LETTERS: ".*", ONE_LETTER: r"\X"}

# Regular expressions of visitors. The library compiles a part for each repetition, and only matching has a time limit.
MAX_EXPRESSION_CHARS = 200
_MAX_REPETITIONS = 1_000
"""Product of all numbers in braces."""
_BRACES = regex.compile(r"\{[^}]*\}")
_NUMBER = regex.compile("[0-9]+")
_UNKNOWN_GROUP = regex.compile(r"(?<!\\)(?:\\\\)*\(\?(?!:)")
"""A flag, a look around or a recursion."""
_POSSESSIVE = regex.compile(r"(?:(?<!\\)[*+?]|(?<!\\[pPN]\{[^}]*)\})\+")
_SIMILARITY = regex.compile(r"(?<!\\|\\[pPN])\{(?!\d*,?\d*\})[^}]*\}")
"""Similar words, as in `vang{e<=1}`: a form of the library's own, whose time grows with each error."""

SECONDS_A_WORD = 0.1
"""Time in which a term must decide about a word. Most need a millionth of a second."""
SECONDS_A_PART = 2.0
"""Time for the words that are compared at once."""
SECONDS_ALL_WORDS = 5.0
"""Time in which an expression must be compared with all words."""
_WORDS_TOGETHER = 4_096
_STRAIGHT = str.maketrans(dict.fromkeys(EQUAL["'"], "'"))
"""The other apostrophes: they make no difference in expressions either."""
_ANCHOR = regex.compile(r"\\[AZzGbBmMK]|(?<!\[)\^|\$")
"""In a text of many lines it means something else than in a word."""
_OPTIONAL = r"[?*]|\{0?,"
_ATOM = regex.compile(r"\\[pPN]\{[^}]*\}|\\.|\[\^?\]?(?:\[:[^]]*:\]|\\.|[^]\\])*\]")
"""An escape or a class of a regular expression."""
_SIGN = regex.compile(
    rf"\\(?P<escaped>[^\p{{L}}\p{{M}}\p{{N}}])(?!{_OPTIONAL})|(?:{_ATOM.pattern})|\{{[^}}]*\}}"
    rf"|(?P<sign>[^\p{{L}}\p{{M}}\p{{N}}\\.^$*+?(){{}}[\]|])(?!{_OPTIONAL})"
)
"""A sign that stands for itself and is no part of a class."""
_WORD = regex.compile(WORD)


class Comparison(NamedTuple):
    """A form of a word of a text, and what that form must be."""

    form: Callable[[str, str], str]
    language: str
    fits: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question, as typed. ``exact``: only this spelling. ``is_expression``: a regular expression.

    A value with wildcards stands for several words. ``beside_marks``: it has none and stands beside a word that has
    some (`typed_marks`).
    ``attribute``: what of a token it is compared with, its `WORD_ATTRIBUTE` or one of
    `pipelines.text.annotation.annotator.ATTRIBUTES`.
    """

    value: str
    exact: bool = False
    is_expression: bool = False
    beside_marks: bool = False
    attribute: str = WORD_ATTRIBUTE

    @property
    def is_pattern(self) -> bool:
        """Whether the value has wildcards."""
        return not self.is_expression and not set(WILDCARDS).isdisjoint(self.value)

    def matches(self, word: str, language: str = "") -> bool:
        """Return whether a word of a text in a language is meant. ``word`` is in small letters.

        Raises ConfigError for wildcards or a regular expression that take too long.

        >>> Term("chin*").matches("chính"), Term("ch?nh").matches("chính"), Term("*ính").matches("chinh")
        (True, True, False)
        """
        try:
            return any(each.fits(each.form(word, each.language)) for each in _comparisons(self, language))
        except TimeoutError:
            raise self._too_slow(word) from None

    def expressed(self, words: Iterable[str]) -> Iterator[str]:
        """Yield those of very many words that a regular expression fits. ``words``: in small letters.

        Raises ConfigError if it takes too long.
        """
        lines = _in_lines(self.value)
        left, ends_at = iter(words), time.monotonic() + SECONDS_ALL_WORDS
        while part := list(islice(left, _WORDS_TOGETHER)):
            time_limit.check()
            for word in part if lines is None else self._fitted(lines, part):
                time_limit.check()
                if lines or self.matches(word):
                    yield word
                if time.monotonic() > ends_at:
                    raise self._too_slow(word)

    def _fitted(self, lines: regex.Pattern[str], words: Sequence[str]) -> Iterator[str]:
        """Yield those of some words that the expression of `_in_lines` fits."""
        text = "\n".join(words)
        places = lines.finditer(_straight(text), overlapped=True, timeout=SECONDS_A_PART)
        try:
            found = [text[each.start() : each.end()] for each in places]
        except TimeoutError:
            raise self._too_slow(words[0]) from None
        for each in found:
            # A line end that is written by its number may reach beyond the word.
            word, goes_on, _ = each.partition("\n")
            if not goes_on or self.matches(word):
                yield word

    def plain_forms(self) -> tuple[str, ...]:
        """Return the words in small letters that a regular expression without operators fits; none for others.

        >>> Term("IŞIK", is_expression=True).plain_forms(), Term("a.*", is_expression=True).plain_forms()
        (('işik', 'ışık'), ())
        """
        # Of a lemma with an apostrophe there may be several.
        if regex.escape(self.value, special_only=True) != self.value or "'" in _straight(self.value):
            return ()
        return tuple(dict.fromkeys((small(self.value), small(self.value, "tr"))))

    def _too_slow(self, word: str) -> ConfigError:
        what = f'takes too long to compare with words such as "{word:.40}"'
        return ConfigError(what, where=self.shown(), do="Write it with fewer repetitions.")

    def shown(self) -> str:
        """Return the term as it is typed."""
        return f"/{self.value}/" if self.is_expression else f"{'=' * self.exact}{self.value}"


def has_marks(text: str, language: str) -> bool:
    """Return whether letters of a text have marks that `plain` takes away."""
    return plain(text, language) != letters(text, language)


def expression(text: str, attribute: str = WORD_ATTRIBUTE) -> Term:
    """Return the term of a regular expression. Raises ConfigError for what is none."""
    where = f"/{text[:80]}/"
    if len(text) > MAX_EXPRESSION_CHARS:
        what = f"a regular expression has {MAX_EXPRESSION_CHARS} characters at most"
        raise ConfigError(what, where=where, do="Join several by OR.")
    if _UNKNOWN_GROUP.search(text) or _POSSESSIVE.search(text):
        what = "has a flag, a look around, a recursion or a possessive repetition, which are not known here"
        raise ConfigError(what, where=where, do="Groups are (ab) and (?:ab), repetitions *, +, ? and {1,3}.")
    if _SIMILARITY.search(text):
        what = "has braces without a number, which are not known here"
        raise ConfigError(what, where=where, do=r"Repetitions are {2} and {1,3}. Write \{ for a brace.")
    numbers = (int(number[:9]) for braces in _BRACES.findall(text) for number in _NUMBER.findall(braces))
    if math.prod(max(1, number) for number in numbers) > _MAX_REPETITIONS:
        do = f"Write {{1,{_MAX_REPETITIONS}}} at most. Numbers in several braces are multiplied."
        raise ConfigError("repeats a part too often", where=where, do=do)
    if attribute == WORD_ATTRIBUTE and (sign := _sign_outside_words(text)):
        do = 'Words end there: write the parts as a phrase, "e mail", or as tokens, [word="non"] [word="prof.*"].'
        raise ConfigError(f'has "{sign}", a sign that no word of the index has', where=where, do=do)
    try:
        _compiled(text)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        do = r"Write a backslash before a sign that is meant as itself: \."
        raise ConfigError(f"is no regular expression: {error}", where=where, do=do) from None
    return Term(text, is_expression=True, attribute=attribute)


def _sign_outside_words(text: str) -> str:
    r"""Return a sign that an expression requires though no word has it, "" if there is none.

    >>> _sign_outside_words(r"non-.*"), _sign_outside_words(r"e-?mail|l'.*"), _sign_outside_words(r"(?:u\.)+")
    ('-', '', '.')
    """
    for found in _SIGN.finditer(text.replace("(?:", "(")):
        sign = found["sign"] or found["escaped"]
        if sign and (sign in HYPHENS or not any(_WORD.fullmatch(f"{letter}{sign}{letter}") for letter in "aא")):
            return sign
    return ""


@lru_cache(maxsize=64)
def _in_lines(text: str) -> regex.Pattern[str] | None:
    """Return the expression for words that are lines of one text, a hundred times as fast as for each of them.

    None if it has anchors. Classes such as ``[^a]`` do not fit the end of a line: they would read all lines from each.
    """
    if _ANCHOR.search(text):
        return None
    within = _ATOM.sub(lambda atom: f"(?:(?!\n){atom[0]})" if _fits_line_end(atom[0]) else atom[0], _straight(text))
    try:
        return regex.compile(f"^(?:{within})$", regex.IGNORECASE | regex.MULTILINE)
    except regex.error:
        return None


def _fits_line_end(atom: str) -> bool:
    try:
        return regex.fullmatch(atom, "\n") is not None
    except regex.error:
        # A part of a longer atom.
        return False


@lru_cache(maxsize=64)
def _compiled(text: str) -> regex.Pattern[str]:
    return regex.compile(_straight(text), regex.IGNORECASE)


@lru_cache(maxsize=4_096)
def _comparisons(term: Term, language: str) -> tuple[Comparison, ...]:
    """Return how a word of a language is compared with a term: one comparison must hold."""
    if term.is_expression:
        return (Comparison(_with_straight_apostrophes, "", _limited(_compiled(term.value))),)
    if term.exact:
        return (Comparison(_as_written, language, _test(term, small, language)),)
    # A word typed without marks is compared without marks.
    parts = [part.casefold() for part in _WILDCARD.split(term.value)]
    bare = not (term.beside_marks and language == "vi") and not any(has_marks(part, language) for part in parts)
    form = plain if bare else letters
    found = [Comparison(form, language, _test(term, form, language))]
    if term.is_pattern:
        # One letter as written may be two in the other forms, as ß is.
        found.append(Comparison(_as_written, language, _test(term, small, language)))
        if language == "vi":
            # The tone mark of a whole Vietnamese word moves, that of a part may not be typed yet.
            found.append(Comparison(form, "", _test(term, form, "")))
    return tuple(found)


def _test(term: Term, form: Callable[[str, str], str], language: str) -> Callable[[str], object]:
    """Return what tells whether the form of a word is that of a term."""
    if not term.is_pattern:
        return form(term.value, language).__eq__
    pieces = filter(None, _WILDCARD.split(term.value))
    parts = (_WILDCARD_EXPRESSIONS.get(piece) or regex.escape(form(piece, language)) for piece in pieces)
    return _limited(regex.compile("".join(parts)))


def _limited(pattern: regex.Pattern[str]) -> Callable[[str], object]:
    return lambda word: pattern.fullmatch(word, timeout=SECONDS_A_WORD)


def _as_written(word: str, _: str) -> str:
    return word


def _with_straight_apostrophes(word: str, _: str) -> str:
    return _straight(word)


def _straight(text: str) -> str:
    """Return a text with one form of the apostrophe. Its characters keep their places."""
    return text.translate(_STRAIGHT)


def looked_up(term: Term) -> list[tuple[str, str]]:
    """Return where the words are that a term may mean in some language: the start of their form, and a glob of it.

    The form is `broad`, or for an exact term the word itself. Without a glob the form is the start. Not for regular
    expressions, which may mean any word.

    >>> looked_up(Term("Chính")), looked_up(Term("ch?nh*"))
    ([('chinh', '')], [('ch', 'ch*nh*')])
    """
    forms = (small, lambda part: small(part, "tr")) if term.exact else (broad,)
    found = dict[tuple[str, str], None]()
    for form in forms:
        if term.is_pattern:
            parts = [part if part in WILDCARDS else form(part) for part in _WILDCARD.split(term.value) if part]
            start = "" if parts[0] in WILDCARDS else parts[0]
            # The broad form of one letter may be two.
            found[start, "".join(ANY_LETTERS if part in WILDCARDS else part for part in parts)] = None
        else:
            found[form(term.value), ""] = None
    return list(found)
