"""Correct a detector's guess of the language by the letters and the frequent words of the text.

Letters: detectors that do not know Pashto or Sorani call them Persian. A guess is dropped if the language does not
write a fair share of the letters and another language writes (nearly) all of them. Alphabets are CLDR's exemplar sets,
with the substitutes of old keyboards. Arabic and Persian yeh and kaf count as one letter.

Words: where languages of one script have the same letters, sets of words decide that one language uses all the time and
the others do not. Two languages are recognised here that the detectors do not know, or know badly:

- Vietnamese without its marks (telegrams, chats, old web pages) by its syllables, some 2,500;
- Kurdish in Latin letters by its small words and its vowels with a circumflex.

The detectors know no other language in Vietnamese letters, and are sure of it. So few frequent words of Vietnamese make
unsure.

Indonesian and Malay are in a module of their own (malay.py).

Stop words of languages in Latin and Cyrillic script are jusText's (Pomikálek, 2011), made from Wikipedia.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from pipelines.decoding.vietnamese_codecs import is_syllable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FOLDED = {ord(letter): one for letter, one in zip("يىكٴ", "یی\u06a9ء", strict=True)}
_TABLE = tomllib.loads(Path(__file__).with_name("corrections.toml").read_text(encoding="utf-8"))
_ALPHABETS: dict[str, dict[str, str]] = _TABLE["letters"]
_COMMONER = {("Arab", "uz"): "fa"}
"""Script and language -> the commoner one that names of the rarer one are quoted in. Dari newspapers name Turks."""
_COMMONEST = {"Cyrl": "ru"}
"""Script -> language to compare with if the detector knows no language of the text (Chuvash)."""
_MIN_STRANGE_LETTERS = 2
"""Letters. A guess is dropped if the language does not write that many."""
_STRANGE_SHARE = 0.04
"""Share of all letters. A guess is dropped from that share of letters it does not write."""
_GROUPS = tuple(
    (group["script"], {language: frozenset(words.split()) for language, words in group["words"].items()})
    for group in _TABLE["group"]
)
"""Scripts, each with the frequent words of languages, which the others of the group do not use."""
_LISTS_OF_WORDS = {name: frozenset(words.split()) for name, words in _TABLE["lists"].items()}
WORD = regex.compile(r"[\p{L}\p{M}\u200c]+")
_SMALL_ASCII = bytes(code if chr(code).islower() else 0x20 for code in range(128)) + bytes(128)
"""Table that replaces all of ASCII but small letters by a space."""
_LETTERS_OR_WORDS = _LISTS_OF_WORDS["urdu_letters_or_words"]
_LETTERS = _LETTERS_OR_WORDS | _LISTS_OF_WORDS["urdu_letters"]
_SURE_SHARES = {"vi": 0.07, "fa": 0.01}
"""Language that is guessed or assumed with too much confidence -> share of its frequent words that makes it sure."""
_FREQUENT_WORDS = {name: words for _, group in _GROUPS for name, words in group.items() if name in _SURE_SHARES}
_SURE_WORDS, _DOUBTED_CONFIDENCE = 5, 0.3
"""Different words of a text for a sure guess, and the confidence in a language without its frequent words."""
_SPACED = frozenset({"Latn", "Cyrl", "Arab", "Hebr"})
"""Scripts with spaces between words that have several languages."""
_LEAST_HITS = 2
"""Words of a language that a text needs before they count for it."""
_LATIN = regex.compile(r"\p{Latin}")
_LEAST_LIST = 100
"""Words in Latin script. A shorter stop-word list counts as none."""

# Words. The start of a text decides.
_START = 600
"""Characters of a text in which Vietnamese and Kurdish words are looked for."""
_SYLLABLES = 60
_PLAIN = _LISTS_OF_WORDS["vietnamese"]
_KURMANJI_LETTER = re.compile("[ûîê]")
_KURMANJI = _LISTS_OF_WORDS["kurmanji"]
_OFTEN_TOGETHER = 0.035
"""Least value, for Kurmanji, of the share of frequent words times the share of words with a circumflex."""
_VIETNAMESE_LETTER = re.compile("[ăđơưĂĐƠƯẠ-ỹ]")
_MIN_SYLLABLE_SHARE = 0.85
"""Least share, for Vietnamese without marks, of words that are syllables of Vietnamese."""
_MIN_FREQUENT_SHARE = 0.15
"""Least share, for Vietnamese without marks, of words that are among its most frequent."""
# jusText's name of a list -> language.
_LISTS = {
    "Afrikaans": "af",
    "Albanian": "sq",
    "Azerbaijani": "az",
    "Basque": "eu",
    "Belarusian": "be",
    "Bulgarian": "bg",
    "Catalan": "ca",
    "Croatian": "hr",
    "Czech": "cs",
    "Danish": "da",
    "Dutch": "nl",
    "English": "en",
    "Esperanto": "eo",
    "Estonian": "et",
    "Finnish": "fi",
    "French": "fr",
    "Galician": "gl",
    "German": "de",
    "Hungarian": "hu",
    "Icelandic": "is",
    "Indonesian": "id",
    "Irish": "ga",
    "Italian": "it",
    "Kazakh": "kk",
    "Latin": "la",
    "Latvian": "lv",
    "Lithuanian": "lt",
    "Macedonian": "mk",
    "Malay": "ms",
    "Norwegian_Bokmal": "no",
    "Norwegian_Nynorsk": "nn",
    "Polish": "pl",
    "Portuguese": "pt",
    "Romanian": "ro",
    "Russian": "ru",
    "Serbian": "sr",
    "Slovak": "sk",
    "Slovenian": "sl",
    "Spanish": "es",
    "Swahili": "sw",
    "Swedish": "sv",
    "Tagalog": "tl",
    "Turkish": "tr",
    "Ukrainian": "uk",
    "Welsh": "cy",
    "Yoruba": "yo",
}


def corrected(language: str, script: str, text: str) -> str:
    """Return the language of a text in a script, given a detector's guess: corrected by letters, then by words."""
    written = by_letters(language, script, text)
    worded = by_words(written, script, text)
    return written if worded != written and _speak_against(worded, written, script, text) else worded


def by_letters(language: str, script: str, text: str) -> str:
    """Return the language that writes these letters, if the guessed one does not.

    >>> by_letters("fa", "Arab", "د بهرنیو چارو وزارت وایي چې خبرې به په راتلونکې اونۍ کې پیل شي")
    'ps'
    """
    stands = _COMMONEST.get(script, language) if language == "und" else language
    if stands not in _ALPHABETS.get(script, {}):
        return language
    small = text.lower()
    unwritten = (each for each in set(small) - _written(script, stands) if each.isalpha() and not each.isascii())
    if sum(map(small.count, unwritten)) < _MIN_STRANGE_LETTERS:
        return language
    letters, strange = _strange(script, text)
    best = min(strange, key=lambda name: strange[name])
    clear = strange[stands] >= max(_MIN_STRANGE_LETTERS, _STRANGE_SHARE * letters)
    return best if clear and strange[best] * 3 <= strange[stands] else language


@cache
def _written(script: str, language: str) -> frozenset[str]:
    """Return the letters that a language writes, with those that count as one of them."""
    letters = _ALPHABETS[script][language]
    return frozenset(letters).union(chr(code) for code, letter in _FOLDED.items() if letter in letters)


def _speak_against(language: str, rival: str, script: str, text: str) -> bool:
    """Return whether ``language`` lacks more letters of the text than ``rival``."""
    _, strange = _strange(script, text)
    return strange.get(language, 0) > strange.get(rival, 0)


def _strange(script: str, text: str) -> tuple[int, dict[str, int]]:
    """Return the number of letters beyond ASCII and, by language, how many of them it does not write."""
    letters = Counter(each for each in text.lower().translate(_FOLDED) if each.isalpha() and not each.isascii())
    alphabets = _ALPHABETS.get(script, {})
    strange = {name: sum(letters[each] for each in letters.keys() - set(alphabets[name])) for name in alphabets}
    return letters.total(), strange


def by_words(language: str, script: str, text: str) -> str:
    """Return the language of the same group with the most own words: two at least, and half as many again.

    >>> by_words("ur", "Arab", "وزیر اعظم نے آکھیا اے کہ لوکاں نوں سہولتاں دین لئی نویں منصوبے شروع کیتے جا رہے نیں")
    'pnb'
    """
    if script == "Latn":
        if language != "vi" and is_unmarked_vietnamese(text):
            return "vi"
        # CLD2 takes Kurmanji for Vietnamese. Letters that only Vietnamese has exclude it.
        if (language != "vi" or _VIETNAMESE_LETTER.search(text) is None) and is_kurmanji(text):
            return "ku"
    group = next((group for place, group in _GROUPS if place == script and language in group), None)
    if group is None:
        return language
    found = words_of(text)
    words = Counter([*_without_initials(found), *_joined_parts(found)] if script == "Arab" else found)
    if not _are_even(tuple(group), script):
        leader = _leader(words, group, language)
        own = sum(
            count
            for word, count in words.items()
            if word in group[language] and not any(word in known for name, known in group.items() if name != language)
        )
        if leader != language or own >= _LEAST_HITS:
            return leader
    leader = _leader(words, _listed(tuple(group)) if script == "Latn" else group, language)
    if (script, leader) in _COMMONER and sum(word in words for word in group[leader]) < _LEAST_HITS:
        return _COMMONER[script, leader]
    return leader


def assured(language: str, script: str, text: str) -> float:
    """Return the highest confidence in a language that the words of a text allow, 0-1.

    A few words show no language. A text in Vietnamese letters has frequent words of Vietnamese. They are a quarter of
    the words of news, and fewer than a twentieth in one of two hundred texts of 100 characters.
    Persian has one such word.

    >>> assured("vi", "Latn", "Bại cần ké mường phuối mừa pửa cón"), assured("en", "Latn", "Profit warning")
    (0.3, 0.4)
    """
    sure = min(1.0, _different_words(text) / _SURE_WORDS) if script in _SPACED else 1.0
    if language in _FREQUENT_WORDS and (language != "vi" or _VIETNAMESE_LETTER.search(text)):
        words = frozenset(words_of(text))
        share = len(words & _FREQUENT_WORDS[language]) / max(1, len(words))
        sure = min(sure, _DOUBTED_CONFIDENCE + share / _SURE_SHARES[language])
    return sure


@lru_cache(maxsize=1)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in small letters. Several tests ask for the words of the same line."""
    small = text.lower()
    return tuple(small.encode().translate(_SMALL_ASCII).decode().split() if small.isascii() else WORD.findall(small))


def _different_words(text: str) -> int:
    """Return the number of different words of a text, or ``_SURE_WORDS`` for more: few texts have fewer."""
    if len(text) <= _START:
        return min(_SURE_WORDS, len(set(words_of(text))))
    found = set[str]()
    for word in WORD.finditer(text):
        found.add(word[0].lower())
        if len(found) == _SURE_WORDS:
            break
    return len(found)


def _without_initials(words: Sequence[str]) -> Iterator[str]:
    """Leave out the names of Latin letters in Urdu, if several follow one another: two of them made texts Punjabi.

    >>> list(_without_initials("بی جے پی کے ایک رکن وی اے".split()))
    ['کے', 'ایک', 'رکن', 'وی', 'اے']
    """
    for named, run in groupby(words, _LETTERS.__contains__):
        found = list(run)
        if not named or len(found) == 1 or (len(found) == 2 and _LETTERS_OR_WORDS.issuperset(found)):
            yield from found


def _joined_parts(words: Sequence[str]) -> Iterator[str]:
    """Yield the parts of words with a joiner: Azerbaijani and Persian write their endings so."""
    return (part for word in words if "\u200c" in word for part in word.split("\u200c") if part)


@cache
def _listed(names: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """Return the words of the languages of a group in Latin letters: its own, and its stop words."""
    group = next(group for script, group in _GROUPS if script == "Latn" and tuple(group) == names)
    return {name: own | stop_words().get(name, frozenset()) for name, own in group.items()}


@cache
def _are_even(names: tuple[str, ...], script: str) -> bool:
    """Return whether all languages of a group have stop words in its script, or the script has no lists.

    Bosnian has no list, and Serbian has one in Cyrillic. Croatian's list would win by the words that all three use.
    """
    lists = (filter(_LATIN.match, stop_words().get(name, frozenset())) for name in names)
    return script != "Latn" or min(sum(1 for _ in words) for words in lists) >= _LEAST_LIST


def _leader(words: Counter[str], known: dict[str, frozenset[str]], language: str) -> str:
    """Return the language whose words are most ahead of those of the guessed one, else the guessed one."""
    leads, guessed = {}, known[language]
    for name, own in known.items():
        # The words of a text are fewer than those of a language.
        hits = [count for word, count in words.items() if word in own and word not in guessed]
        against = sum(count for word, count in words.items() if word in guessed and word not in own)
        # One word twice is no evidence: Urdu has the commonest word of Punjabi as a verb.
        leads[name] = sum(hits) - against if len(hits) >= _LEAST_HITS and sum(hits) >= 1.5 * against else 0
    best = max(leads, key=lambda name: leads[name])
    return best if leads[best] > 0 else language


@lru_cache(maxsize=1)
def stop_words() -> dict[str, frozenset[str]]:
    """Return the stop words by language, between 200 and 7,000 for each."""
    from justext import get_stoplist

    return {code: frozenset(get_stoplist(name)) for name, code in _LISTS.items()}


def is_unmarked_vietnamese(text: str) -> bool:
    """Return whether nearly all of the first sixty words are syllables of Vietnamese, and some are very frequent.

    >>> is_unmarked_vietnamese("Thu tuong Chinh phu yeu cau cac bo, nganh va dia phuong tap trung chi dao")
    True
    """
    words = [word for word in words_of(text[:_START])[:_SYLLABLES] if len(word) > 1]
    # Most texts have too few frequent words. A set finds that faster than the pattern of the syllables.
    if len(words) < 4 or sum(map(_PLAIN.__contains__, words)) < _MIN_FREQUENT_SHARE * len(words):
        return False
    return sum(map(is_syllable, words)) >= _MIN_SYLLABLE_SHARE * len(words)


def is_kurmanji(text: str) -> bool:
    """Return whether the first sixty words are Kurdish in Latin letters.

    Two frequent words are needed. The share of frequent words, times the share of words with a circumflex, is higher
    than in other languages that have either. Names are neither, and lower both shares.

    >>> is_kurmanji("Serokê Herêma Kurdistanê bi balyozê Amerîkayê re civiya û li ser têkiliyan axivî")
    True
    """
    if text.isascii() or _KURMANJI_LETTER.search(text[:_START].lower()) is None:
        return False
    words = words_of(text[:_START])[:_SYLLABLES]
    frequent = sum(map(_KURMANJI.__contains__, words))
    marked = sum(_KURMANJI_LETTER.search(word) is not None for word in words)
    return frequent >= _LEAST_HITS and frequent * marked >= _OFTEN_TOGETHER * len(words) ** 2
