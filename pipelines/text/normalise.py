"""Two forms of a text: the clean text that is stored, and the canonical text by which copies are recognised.

``clean`` removes what is not text: controls, invisible formatting, spaces of special widths, mojibake. It does not use
NFKC, which breaks Thai and Lao vowels. It does not fold Arabic letters, which Pashto, Urdu and Sorani distinguish. It
keeps the joiners U+200C and U+200D, which Persian spelling and emoji need.
"""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import regex

from pipelines.text.equal_letters import VIETNAMESE, broad, composed, signs_in_order, tones_last
from pipelines.text.scripts import characters

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy as np
    from ftfy import TextFixerConfig
    from numpy.typing import NDArray

# Runs of spaces of all widths, except a single ordinary space. A tab is a space.
_SPACE = re.compile(
    "[ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]{2,}|[\t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]"
)
# Controls, zero-width space, soft hyphen, word joiner and invisible operators, byte order mark, bidirectional controls,
# object replacement, non-characters. Only the object replacement counts as printable in Python.
INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc"
    "\ufdd0-\ufdef" + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
)
"""Invisible characters, for the brackets of a regular expression."""
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_NOT_IN_A_LINE = re.compile(f"[{INVISIBLE}\x1c-\x1f\ud800-\udfff]")
"""Invisible characters, separators of ASCII, and halves of characters."""
_OBJECT = "\ufffc"
_BLANK_LINES = re.compile(r"\n{3,}")
# Mojibake of Arabic: UTF-8 read as windows-1256 gives a letter for the first byte and a sign for a further one.
_ARABIC_FIRST, _ARABIC_FURTHER = "طظعغ", "€‚ƒ„…†‡ˆ‰‹Œ™›œ¢£¤¥¦§¨©¬®¯°±²³´µ¶·¸¹¼½¾"
_ARABIC_PAIR = re.compile(f"[{_ARABIC_FIRST}][{_ARABIC_FURTHER}]")
_LEAST_PAIRS = 3
# Numeric references from 160 on: characters beyond ASCII and its controls.
_REFERENCE = re.compile(
    r"&#(?:1[6-9]\d|[2-9]\d\d|[1-9]\d{3,5}|[xX]0*(?:[a-fA-F][0-9a-fA-F]|[1-9a-fA-F][0-9a-fA-F]{2,4}));"
)
_FOREIGN_RUN = re.compile(r"[^\x00-\x7f]+")
# Possible mojibake: the character of a first byte of UTF-8 in windows-125x or ISO 8859, then that of a further byte.
# Correct text may match too; ftfy then leaves it alone. The pattern only saves the price of ftfy for all other text.
# It begins with one class of characters, because Python searches for a class four times as fast as for alternatives.
_FIRST = "\xc2-\xf4ĂĹĆĐŃŐŘŮŻÎÏРСГВ"
_FURTHER = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸЂЃѓЉЊЌЋЏђљњќћџЎўЈҐЄЇІґєјЅѕїŤŠśťźŁĄşľżąłŞĽ΄΅ΆΈΉΊΌΎΏ"
_SUSPICIOUS = re.compile(
    f"[\x80-\x9f{_FIRST}{_ARABIC_FIRST}]"
    f"(?:(?<=[\x80-\x9f])|(?<=[ÂÃ])(?=[\\s\xa0])|(?<=[{_FIRST}])[{_FURTHER}]|(?<=[{_ARABIC_FIRST}])[{_ARABIC_FURTHER}])"
)
# The first byte of a letter in UTF-8, or two of three, read as windows-1252 or 1256; the last byte is a no-break space.
# That space stands first in the pattern, because one character is found in a twentieth of the time of a class.
_HALF_A_LETTER = re.compile("\xa0(?:(?<=[ÃÄÅÆØÙÚÛ]\xa0)|(?<=á[º»]\xa0)|(?<=à[¸¹]\xa0))")
_TEXT_RUN = re.compile(r"(?:\A|(?<=>))[^<>]+")
# Layers of mojibake that are removed.
_MOST_LAYERS = 4
# Apostrophes that Unicode calls letters are none here: other keyboards have none of them.
_UNESSENTIAL = regex.compile(
    r"[^\p{L}\p{N}\p{M}]|[\u02b9\u02bb\u02bc\u0640\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]"
)
# Thai and Lao as they are meant: SARA AM typed as two characters, a tone mark before its vowel, SARA AE as two SARA E.
# The eye sees no difference.
_THAI_OR_LAO = re.compile(f"[{characters('Thai', 'Laoo')}]")
_DEFECTS = (
    (re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32|([\u0e48-\u0e4b])\u0e4d\u0e32"), "\\1\\2\u0e33"),
    (re.compile("\u0ecd([\u0ec8-\u0ecb]?)\u0eb2|([\u0ec8-\u0ecb])\u0ecd\u0eb2"), "\\1\\2\u0eb3"),
    (re.compile("([\u0e48-\u0e4b])([\u0e31\u0e34-\u0e39])"), "\\2\\1"),
    (re.compile("([\u0ec8-\u0ecb])([\u0eb1\u0eb4-\u0eb9\u0ebb])"), "\\2\\1"),
    (re.compile("\u0e40\u0e40"), "\u0e41"),
    (re.compile("\u0ec0\u0ec0"), "\u0ec1"),
)

_DROPPED, _SPELLED = 1, 2
"""Codes in the table of canonical letters: the character is left out, or several letters spell it."""
_JOINED = "\u0307\u0326\u0130"
"""Dot above, comma below and İ. They may join a small letter beside them. All other characters are independent."""

_NO_LETTERS = re.compile(r"[\W_]+")
_LONG_RUN = 500
"""Marks in a row. No language writes so many (Unicode, UAX 15, section 13, takes 30 as the safe limit)."""
_MARKS = regex.compile(rf"\p{{M}}{{{_LONG_RUN},}}+")


def nfc(text: str) -> str:
    """Return the NFC of a text, in time linear in its length.

    Python's normalisation sorts marks in a row one by one, in quadratic time: minutes for a megabyte. Here long runs
    are sorted before.
    """
    # One of so many characters is in each long run. To look at these takes a twentieth of the time of the search.
    if len(text) > _LONG_RUN and any(unicodedata.category(each)[0] == "M" for each in text[_LONG_RUN - 1 :: _LONG_RUN]):
        text = _MARKS.sub(_in_order, text)
    return unicodedata.normalize("NFC", text)


def _in_order(run: regex.Match[str]) -> str:
    """Return a run of marks in canonical order (Unicode, definition D109), each decomposed."""
    apart = "".join(map(_decomposed, run.group()))
    classes = [(mark, unicodedata.combining(mark)) for mark in apart]
    rows = (sorted(row, key=itemgetter(1)) for _, row in groupby(classes, lambda each: each[1] > 0))
    return "".join(mark for row in rows for mark, _ in row)


@lru_cache(maxsize=4096)
def _decomposed(mark: str) -> str:
    return unicodedata.normalize("NFD", mark)


def clean(text: str) -> str:
    """Return the text as the corpus stores it: NFC, one space between words, lines trimmed, at most one blank line.

    Cleaning twice changes nothing. Words stay apart: a separator becomes a space or a line end.
    """
    try:
        text.encode("utf-8")
        whole = text
    except UnicodeEncodeError:
        # Join surrogates that make a pair and drop the others.
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    cleaned = _tidy(_unmojibake(_unescaped(whole)))
    for _ in range(_MOST_LAYERS):
        # Most texts did not change, and were searched before.
        if cleaned == text or not _is_suspicious(cleaned):
            break
        cleaned = _tidy(_unmojibake(cleaned))
    return cleaned


def letters(text: str) -> str:
    """Return the letters and digits of a text in one case. Titles and names are compared by them.

    >>> letters("Hà Nội, 5 May!")
    'hànội5may'
    """
    packed = "".join(text.casefold().split())
    return packed if packed.isalnum() else _NO_LETTERS.sub("", packed)


def letters_of_all(texts: Collection[str]) -> list[str]:
    """Return the letters and digits of each text; see `letters`."""
    return list(map(letters, texts))


def clean_all(texts: Iterable[str]) -> list[str]:
    """Return texts as the corpus stores them; see `clean`."""
    return [clean(text) for text in texts]


def clean_value(text: str, limit: int) -> str:
    """Return a stated value as one line of NFC text without entities and invisible characters, cut at ``limit``."""
    shown = html.unescape(text[: 4 * limit]) if "&" in text else text[: 4 * limit]
    # Before spaces are joined: a no-break space may be half of a letter. U+0085 is a line end here.
    shown = _unmojibake(shown.replace("\x85", " "))
    return unicodedata.normalize("NFC", " ".join(_NOT_IN_A_LINE.sub("", shown).split()))[:limit].rstrip()


def canonical_text(text: str) -> str:
    """Return the letters, digits and combining marks of a text: the part that two copies have in common.

    These make no difference:

    - case, spacing, punctuation and apostrophes;
    - NFC or NFD, presentation forms, ligatures, full-width and half-width letters (NFKC for these only);
    - digits of other scripts;
    - tatweel and the vowel points of Arabic and Hebrew, which one edition prints and another does not;
    - the letters of each row of `pipelines.text.equal_letters`, because a copy may be typed elsewhere;
    - the order of the signs of one letter in Thai, Lao, Khmer and Burmese, and characters that look alike there, such
      as SARA AM in one or two;
    - the place of a Vietnamese tone mark (hòa, hoà).

    Marks of all other scripts stay: without them Thai and Vietnamese lose their words. Scripts with and without spaces
    come out on one scale. ``docs/reference/languages.md`` lists the differences by script.

    >>> canonical_text("Hà Nội, ٢٠٢٦!"), canonical_text("کِتـاب‌ها"), canonical_text("أحمد") == canonical_text("احمد")
    ('hànôị2026', 'کتابها', True)
    >>> canonical_text("ก่ำ") == canonical_text("กํ่า"), canonical_text("Đã hoà") == canonical_text("đã hòa")
    (True, True)
    """
    text = nfc(text)
    if any(each in text for each in _JOINED):
        text = composed(nfc(text.casefold()))
    bare = _canonical_letters(text)
    if bare.isascii():
        return bare
    bare = nfc(bare)
    if VIETNAMESE.search(bare):
        bare = nfc(tones_last(bare))
    return signs_in_order(bare)


def _canonical_letters(text: str) -> str:
    """Return the canonical letters of each character.

    An array look-up takes an eighth of the time of a table for strings and the search for ligatures.
    """
    import numpy as np

    table = _letter_table()
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    codes = table[points]
    if not codes.all():
        for point in np.unique(points[codes == 0]).tolist():
            spelled = _spelled(chr(point))
            table[point] = _DROPPED if not spelled else ord(spelled) if len(spelled) == 1 else _SPELLED
        codes = table[points]
    several = points[codes == _SPELLED]
    if several.size:
        for character in map(chr, np.unique(several).tolist()):
            text = text.replace(character, _spelled(character))
        return _canonical_letters(text)
    return str(codes[codes != _DROPPED].tobytes(), "utf-32-le", "surrogatepass")


@lru_cache(maxsize=1)
def _letter_table() -> NDArray[np.uint32]:
    """Return the table from a character to its canonical letter, or a code. It is filled on demand: 0 is unknown."""
    import numpy as np

    return np.zeros(sys.maxunicode + 1, dtype="<u4")


@lru_cache(maxsize=256)
def _spelled(character: str) -> str:
    """Return the canonical letters of a character, none for one that makes no difference between copies."""
    return "".join(map(_essential, composed(nfc(nfc(character).casefold()))))


def _essential(character: str) -> str:
    equal = broad().get(ord(character), "")
    if equal and (equal.isalnum() or unicodedata.category(equal[0])[0] == "M"):
        return equal
    if _UNESSENTIAL.match(character):
        return ""
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


def _unescaped(text: str) -> str:
    """Decode numeric character references that were escaped a second time. A text may be about one or two of them.

    >>> _unescaped("&#1587;&#1604;&#1575;&#1605;"), _unescaped("Write &#169; so.")
    ('سلام', 'Write &#169; so.')
    """
    if "&#" not in text or len(_REFERENCE.findall(text)) < _LEAST_PAIRS:
        return text
    return _REFERENCE.sub(lambda found: html.unescape(found[0]), text)


def _tidy(text: str) -> str:
    lines = []
    # str.splitlines knows all line ends, among them U+2028 and the separators of ASCII.
    for line in text.splitlines():
        if not line.isprintable() or _OBJECT in line:
            line = _SPACE.sub(" ", _INVISIBLE.sub("", line))
        elif "  " in line:
            # The ordinary space is the only printable one.
            line = _SPACE.sub(" ", line)
        lines.append(nfc(line).strip(" "))
    tidy = "\n".join(lines)
    if "\n\n\n" in tidy:
        tidy = _BLANK_LINES.sub("\n\n", tidy)
    return _as_meant(tidy.strip("\n"))


def _as_meant(text: str) -> str:
    """Repair what Thai and Lao keyboards and conversions leave, and no reader sees."""
    if not text.isascii() and _THAI_OR_LAO.search(text):
        for defect, meant in _DEFECTS:
            text = defect.sub(meant, text)
    return text


def whole_letters(page: str) -> str:
    """Repair the mojibake in the source of a page with letters that end in a no-break space, as a with grave does.

    Spaces are joined when a page is read, and half of such a letter would be lost. Other mojibake can wait.

    >>> whole_letters("<p class='Ã'>TÃ\xa0i sáº£n</p> cafÃ\xa9"), whole_letters("<p>à la\xa0carte</p>")
    ("<p class='Ã'>Tài sản</p> café", '<p>à la\xa0carte</p>')
    """
    if _HALF_A_LETTER.search(page) is None:
        return page
    return _TEXT_RUN.sub(lambda run: _unmojibake(run.group()), page)


def _unmojibake(text: str) -> str:
    if not _is_suspicious(text):
        return text
    return "\n".join(_repaired(line) if _is_suspicious(line) else line for line in text.split("\n"))


def _is_suspicious(text: str) -> bool:
    return not text.isascii() and _SUSPICIOUS.search(text) is not None


def _repaired(line: str) -> str:
    import ftfy

    if len(_ARABIC_PAIR.findall(line)) >= _LEAST_PAIRS:
        line = _FOREIGN_RUN.sub(_read_again, line)
    return ftfy.fix_encoding(line, _config())


def _read_again(run: re.Match[str]) -> str:
    """Return the text of a UTF-8 run that was read as windows-1256. ftfy does not search for these."""
    try:
        return run.group().encode("cp1256").decode("utf-8")
    except UnicodeError:
        return run.group()


@lru_cache(maxsize=1)
def _config() -> TextFixerConfig:
    """Return ftfy's settings: repair encodings only, keep quotes, widths, ligatures and controls."""
    from ftfy import TextFixerConfig

    return TextFixerConfig(
        unescape_html=False,
        remove_terminal_escapes=False,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        fix_surrogates=False,
        remove_control_chars=False,
        normalization=None,
        explain=False,
    )
