"""Detectors of languages, and the mapping of their codes to those of the corpus.

CLD2 (Apache-2.0) is the detector. Of those without a model of their own, only CLD2 separates Pashto, Sorani and Yiddish
from their neighbours. Short texts in Latin or Cyrillic script are put to a vote, with langdetect (Nakatani, 2010).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any, NamedTuple

import regex

from pipelines.language.corrections import stop_words
from pipelines.language.malay import PAIR

UNKNOWN = "und"
_CODES = {
    "iw": "he",
    "hbo": "he",
    "ji": "yi",
    "ydd": "yi",
    "jw": "jv",
    "bh": "bho",
    "blu": "hnj",
    "in": "id",
    "mo": "ro",
    "nb": "no",
    "fil": "tl",
    "zh-cn": "zh",
    "zh-tw": "zh",
    "zh-hant": "zh",
    "wuu": "zh",
    "yue": "zh",
    "sr-me": "sr",
    "sdh": "ckb",
    "prs": "fa",
    "pes": "fa",
    "pbt": "ps",
    "pbu": "ps",
    "pst": "ps",
    "arz": "ar",
    "ary": "ar",
    "apc": "ar",
    "acm": "ar",
    "als": "gsw",
    "grc": "el",
    "un": UNKNOWN,
    "xxx": UNKNOWN,
    "zxx": UNKNOWN,
    "tlh": UNKNOWN,
}
# Codes that mean another language if the text is in Arabic script.
_ARABIC_CODES = {"ku": "ckb", "az": "azb", "pa": "pnb", "lah": "pnb", "uzs": "uz"}
_MAX_VOTE_CHARS = 250
"""Characters. A shorter text is put to the vote."""
_POORLY_DETECTED = frozenset({"ku", "azb"})
"""Languages that CLD2 mostly takes for others: Kurdish in Latin letters and South Azerbaijani."""
_REFUSED = regex.compile(r"[[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]--[\t\n\f\r]]", regex.VERSION1)
"""Characters that CLD2 refuses."""
_CONTROLS_IN_UTF_8 = re.compile(rb"[\0-\x08\x0b\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")
"""Nearly all of them that pages have. One page of fifty has some."""
_ENDS_OF_SILENCE = ((b"<!-->", b"-->"), (b"</script ", b"</script>"), (b"</script\n", b"</script>"))
"""Ends of comments and scripts in HTML that CLD2 reads over, and the form that it knows."""
# Presentation forms of Hebrew and Arabic letters. CLD2 does not know them.
_FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
_FORMS_LEAD, _FORMS_IN_UTF_8 = b"\xef", re.compile(rb"\xef[\xac-\xb7\xb9\xba]")
"""The start of each of them; some other characters have it too."""
_WORD = regex.compile(r"[\p{Latin}\p{Cyrillic}][\p{L}\p{M}]*")
# Added to the share of stop words for each vote. CLD2's vote counts twice if it is sure.
_VOTE = 0.1
_ELECTED_CONFIDENCE = 0.6
"""Confidence in a language that the vote chose against CLD2."""
_WORD_OF_A_LIST = 2e-5
"""Subtracted from the share of stop words for each word of the list: long lists have a word in every text."""


def standard(code: str, script: str) -> str:
    """Return the corpus's code for a detector's code: ISO 639-1 where there is one, macro-languages by script.

    >>> standard("iw", "Hebr"), standard("ku", "Arab"), standard("arz", "Arab"), standard("xx-Qaai", "Latn")
    ('he', 'ckb', 'ar', 'und')
    """
    code = code.lower()
    if script == "Arab" and code in _ARABIC_CODES:
        return _ARABIC_CODES[code]
    if code == "sh":
        return "sr" if script == "Cyrl" else "hr"
    if code.startswith(("xx-", "zz")):
        return UNKNOWN
    return _CODES.get(code, code)


def detect(text: str, script: str) -> tuple[str, float]:
    """Return the corpus's code for the language of clean text in this script, and a confidence 0-1 (0 for ``und``)."""
    code, confidence = _cld2(text)
    if len(text) < _MAX_VOTE_CHARS and _WORD.search(text):
        code, confidence = _elect(text, (code, confidence), _cld2(text, guess=False)[0])
    return standard(code, script), confidence


def detect_without_vote(text: str, script: str) -> tuple[str, float]:
    """Return what `detect` does, by CLD2 alone: faster, and less certain for short texts."""
    code, confidence = _cld2(text)
    return standard(code, script), confidence


def detected_languages() -> frozenset[str]:
    """Return the languages that CLD2 detects, in any script."""
    import pycld2

    codes = dict(pycld2.LANGUAGES)
    found = frozenset(meaning for name in pycld2.DETECTED_LANGUAGES for meaning in _meanings(codes.get(name, name)))
    return found - _POORLY_DETECTED


class LanguageShare(NamedTuple):
    """A language in a page: its share of the text, and the bytes of its passages, with the tags between them."""

    language: str
    share: float
    size: int


def languages_in_page(page: str | bytes) -> list[LanguageShare] | None:
    """Return the languages of an HTML page, menus included; empty if none is known.

    A code of CLD2 that means several languages, by the script, gives each of them. None: the page is in ``bytes`` that
    CLD2 cannot read, most of them no UTF-8, so it has to be decoded first.
    """
    body = page if isinstance(page, bytes) else page.encode("utf-8", "ignore")
    found = _cld2_in_page(body)
    if found is None:
        found = _cld2_in_page(_CONTROLS_IN_UTF_8.sub(b" ", body))
    if found is None and isinstance(page, str):
        found = _cld2_in_page(_REFUSED.sub(" ", page).encode("utf-8", "ignore"))
    if found is None:
        return None
    _, _, details, vectors = found
    shares = {code: percent / 100 for _, code, percent, _ in details}
    sizes = dict.fromkeys(shares, 0)
    for _, size, _, code in vectors:
        sizes[code] = sizes.get(code, 0) + size
    return [
        LanguageShare(language, shares.get(code, 0.0), size)
        for code, size in sizes.items()
        for language in _meanings(code)
        if language != UNKNOWN
    ]


def _cld2_in_page(body: bytes) -> Any:
    """Return CLD2's answer; None for bytes that it refuses: not UTF-8, or with `_REFUSED`."""
    import pycld2

    # To search for one byte is several times as fast as the expression.
    if _FORMS_LEAD in body and _FORMS_IN_UTF_8.search(body):
        try:
            body = plain_letters(body.decode()).encode()
        except UnicodeDecodeError:
            return None
    for written, read in _ENDS_OF_SILENCE:
        body = body.replace(written, read)
    try:
        return pycld2.detect(body, isPlainText=False, returnVectors=True, bestEffort=True)
    except pycld2.error:
        return None


def plain_letters(text: str) -> str:
    """Return a text with Hebrew and Arabic letters in the place of their presentation forms."""
    if text.isascii():
        return text
    return _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


@cache
def _meanings(code: str) -> frozenset[str]:
    """Return the languages that a code of CLD2 means in one script or another."""
    return frozenset(standard(code, script) for script in ("Latn", "Arab", "Cyrl"))


def _elect(text: str, guess: tuple[str, float], sure: str) -> tuple[str, float]:
    """Return the language with the most votes, and a confidence.

    Below some 200 letters CLD2 has little evidence, and calls much Spanish, Italian and Portuguese English. The other
    voters fail elsewhere: langdetect (Nakatani, 2010) knows 55 languages only, and three words contain few stop words.

    Args:
        text: clean text.
        guess: the language that CLD2 thinks likeliest, and its confidence.
        sure: the language that CLD2 is sure of, or ``un``.
    """
    code, confidence = guess if guess[0] != "un" else (sure, _ELECTED_CONFIDENCE)
    code = {"nb": "no"}.get(code, code)
    if sure != "un" and code not in stop_words():
        return code, confidence
    words = _WORD.findall(text.lower())
    if not words:
        return guess
    shares = {
        language: sum(map(known.__contains__, words)) / len(words) - _WORD_OF_A_LIST * len(known)
        for language, known in stop_words().items()
    }
    third = max(shares, key=lambda language: shares[language])
    own = shares.get(code, 0.0) + (_VOTE if sure == "un" else 2 * _VOTE)
    if own >= max(0.0, shares[third]) + _VOTE:
        return code, confidence  # langdetect's vote, which takes 2 ms, changes nothing
    second = _langdetect(text)
    if code in PAIR and second in PAIR:
        # langdetect does not know Malay.
        second = code
    votes = {language: shares.get(language, 0.0) for language in (code, second, third)}
    votes[code] = own
    votes[second] += _VOTE
    elected = max(votes, key=lambda language: votes[language])
    return (elected, confidence) if elected == code else (elected, _ELECTED_CONFIDENCE)


_OF_RARE_SCRIPTS = frozenset(
    {"am", "as", "bh", "bho", "bn", "bo", "dz", "hi", "iw", "ku", "mr", "ne", "sa", "ti", "yi"}
)
"""Languages of scripts that few others have. Their scores are lower."""
_STRANGE_SCORE, _FAMILIAR_SCORE, _DOUBTED_CONFIDENCE = 300, 620, 0.3
"""Scores up to which a guess is doubted and from which it is believed, and the confidence of a doubted one."""


def _cld2(text: str, *, guess: bool = True) -> tuple[str, float]:
    import pycld2

    try:
        reliable, _, details = pycld2.detect(text.encode("utf-8"), isPlainText=True, bestEffort=guess)
    except pycld2.error:
        return "un", 0.0
    _, code, percent, score = details[0]
    confidence = percent / 100 if reliable else percent / 200
    return code, confidence if code in _OF_RARE_SCRIPTS else min(confidence, _believed(score))


def _believed(score: float) -> float:
    """Return the highest confidence for CLD2's score, which counts how well known the letters of a text are.

    A language that CLD2 does not know is called by the name of another one. Of 100 characters of declarations of human
    rights the median score of 1,020 right guesses is 1,100, with a twentieth below 530; of 811 wrong ones 230, with a
    tenth above 550.
    """
    return max(
        _DOUBTED_CONFIDENCE,
        min(
            1.0,
            _DOUBTED_CONFIDENCE
            + (score - _STRANGE_SCORE) / (_FAMILIAR_SCORE - _STRANGE_SCORE) * (1 - _DOUBTED_CONFIDENCE),
        ),
    )


def _langdetect(text: str) -> str:
    from langdetect import LangDetectException

    from pipelines.language.ngram_profiles import detector_factory

    detector = detector_factory().create()
    try:
        detector.append(text)
        return str(detector.get_probabilities()[0].lang)
    except LangDetectException:
        return UNKNOWN
