"""Lines that say by their first words that they are none of the text: what leads elsewhere, buttons, players, credits.

The words (prompts.toml) are those of newspapers. They are a label, which what it leads to follows ("Read also: ..."),
or all there is ("Copy link"), or how a sentence begins that no journalist writes ("Your browser does not support ...").
Nearly all lines are told to be none by their length, or by their first letters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from pipelines.extractors.auto.rules import phrase_tables
from storage.records import ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 200
"""Most characters of such a line."""
CALL = 26
"""Most characters, white space apart, of what a button calls for."""
LABEL, REST = 50, 50
"""Most characters of a label, and of what stands behind that of a figure or a credit."""
NAMED = 5
"""Words, more than which are no name."""
UNIT = 16
"""Most letters beside a figure: of its unit, a month, or a link."""
SIEVE = 4
"""First characters by which lines are told to be none of these."""
BEGINNING = 120
"""Characters at the beginning of a line that are looked at."""
CREDIT = 60
"""Characters at the end of a caption in which it says who made the picture."""

_FORMS = {"i": "iİı", "ا": "اأإآ", "ی": "یيى", "ک": "کك", "ه": "هةە", "'": "'’"}
"""Letters with the others that are typed for them."""
_FOLD = str.maketrans(
    {form: letter for letter, forms in _FORMS.items() for form in forms}
    | dict.fromkeys("ًٌٍَُِّْ", "")
    | {"ـ": "", "\u200c": " ", "\xa0": " "}
)
_MARKS = (
    " \t\"'“”„‟«»<>‹›*•·|¦-–—―:：;՝፦()[]{}【】〔〕「」『』~#_…\u200e\u200f\u200b\xa0"
    "■□▪▫●○◆◇►▶▸▹▼▽▲△↓→⇒➡➔➤➜👉👇📌🔗📷📸🎥✅✔\ufe0f"
)
_BEHIND = _MARKS + ".!。،,؛;/\\+؟?"
_ENDS = ".!?؟۔。！？"
_SEPARATOR = re.compile(r"[\s|/·•,،、+>]+")
_COLON = re.compile(r"[:：|»›՝፦]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d(?!\d)")
_PARAGRAPH = ParagraphKind.PARAGRAPH
_LINES = frozenset({_PARAGRAPH, ParagraphKind.HEADING, ParagraphKind.ITEM})
_PICTURE = r"(?:[Ff]ile |AP |Reuters )?[Pp]hotos?(?: credit| courtesy| by)?|(?:[Pp]icture|[Ii]mage) credit|[Ff]otos?"
_CREDIT = re.compile(
    rf"[.!?…”\"»)(\[|/–—-]\s{{0,2}}(?:{_PICTURE}|PHOTOS?|FOTOS?|[ảẢ]nh(?: minh h(?:ọa|oạ))?|[фФ]ото|צילום|ภาพ"
    r"|[Ff]ot\.?|[Kk]uva|تصوير|تصویر|عکس|انځور|فوٹو|Fotoğraf|Φωτο(?:γραφία)?|फोटो|ছবি)\s?[:：/]\s?[^.!?。:：]{2,40}\W{0,2}\Z"
    r"|\s(?:Photos?|PHOTO|Fotos?|FOTO|Ảnh|Фото|Fot\.|Kuva)\s?[:：]\s?[^\W\d_a-zà-ÿ][^.!?…:：]{2,40}\Z"
    r"|(?:[Pp]hoto by|[/©])[^.!?()]{0,40}Getty Images\W{0,2}\Z"
)
"""The end of a caption: behind a mark, or as a name."""
_AGENCY = (
    r"(?:AP(?: Photo)?|AFP|Reuters|REUTERS|EPA|Getty(?: Images)?|GETTY(?: IMAGES)?|Shutterstock|Alamy|iStock|dpa|DPA"
    r"|AAP|PA|ANSA|EFE|TASS|ТАСС|RIA Novosti|РИА Новости|Xinhua|Anadolu|NurPhoto"
    r"|Wikimedia Commons|Wikimedia|Flickr|Unsplash|Pixabay|Pexels|Adobe ?Stock|Depositphotos|Freepik)"
)
AGENCY, BYLINE = 90, 90
"""Most characters of a line that says whose the picture before it is, and of one that says who wrote the text."""
_OF_AGENCY = re.compile(
    r"\(?©\s?[^\W\d][^!?\d]{1,60}"
    rf"|\(?{_AGENCY}(?:\s?[/|.–-]\s?[^.!?:;]{{2,40}})?\)?"
    rf"|\(?[^\W\d_a-z](?:[^.!?:;]|\b[A-Z]\.){{1,50}}(?:\s?/\s?|,?\svia\s){_AGENCY}(?:\W[^.!?:;]{{0,30}})?\)?"
    r"|(?:Photo|Image|Picture|Cover|Featured image|Photograph|Illustration)s?(?: \w+)?(?: by|:) [^.!?:;]{2,50}"
    rf" (?:on|from|via) {_AGENCY}\.?"
)
"""The whole of such a line."""
_MAY_BE_OF_AGENCY = re.compile("[/©]|Getty|(?:on|from|via) [A-Z]").search
_NAME = r"[^\W\d_a-zà-ÿ][\w.'’-]*"
_NAMES = rf"{_NAME}(?: (?:{_NAME}|(?:de|da|do|del|della|di|du|van|von|der|den|la|le|al|bin|bint|of|the)\b)){{1,4}}"
_BYLINE = re.compile(
    r"\W{0,2}(?:(?:(?:[Ww]ritten|[Rr]eported|[Pp]osted) )?(?:[Bb]y|BY)|P[ao]r|Von|Di|Oleh|Door|N[ai]|Daga"
    r"|PAR|POR|VON|OLEH|DOOR|NA|NI)"
    rf"\s?:?\s{_NAMES}(?:(?:,? (?:and|et|und|y|e|dan|en|&) |, ){_NAMES}){{0,5}}"
    r"(?:\s?[(|/•·—–,-].{0,50}(?<![.!?。]))?"
    r"|(?:Posted|Submitted|Published|Added|Contributed) by:? [^.!?:]{2,40} on [^!?]{0,30}\d[^!?]{0,40}"
    rf"|{_NAMES}(?:(?:,? (?:and|et|und|y|e|dan|en|&) |, ){_NAMES}){{0,5}} \| [^.!?|]{{2,40}}"
)
_HASHTAGS = re.compile(r"(?:#[^\W\d][\w\u200c]*[\s,،|·]*){2,}")
_MINUTES = re.compile(
    r"\d{1,3}\s?[-–]?\s?(?:min(?:ute[ns]?|uto?s?|uti)?\.?|phút|دقائق|دقيقة|دقیقه|منٹ|นาที|דקות|мин(?:ут[аы]?)?\.?"
    r"|分钟|分鐘)\W{0,3}"
    r"(?:read|reading|đọc|قراءة|للقراءة|مطالعه|خواندن|อ่าน|קריאה|на чтение|чтения|de lectura|de lecture"
    r"|lesezeit|di lettura|de leitura|okuma|czytania|leestijd|阅读|閱讀)\W{0,3}",
    re.IGNORECASE,
)


def _folded(line: str) -> str:
    """Return a line as the words are compared, marks put together; a dotted capital would be two letters."""
    if line.isascii():
        return line.casefold()
    return unicodedata.normalize("NFC", line.replace("İ", "i")).casefold().translate(_FOLD)


def _words(phrases: str) -> frozenset[str]:
    return frozenset(_folded(" ".join(phrase.split())) for phrase in phrases.split(",") if phrase.strip())


_ALL = phrase_tables.read("prompts.toml")
_ELSEWHERE, _TAGS, _CONTENTS, _FIGURES, _CREDITS, _ALONE, _ADVERTISEMENTS, _STAFF, _CALLS, _NETWORKS, _SHARES = (
    frozenset().union(*map(_words, _ALL[name].values()))
    for name in (
        *("elsewhere", "tags", "contents", "figures", "credits", "alone", "advertisements"),
        *("staff", "calls", "networks", "shares"),
    )
)
_ALONE |= _ADVERTISEMENTS
_SHARED_BY = _NETWORKS | _SHARES
_LISTS = (_ELSEWHERE | _CONTENTS).union(*map(_words, _ALL["lists"].values()))
_MORE_FROM = re.compile(
    r"(?:more (?:from|in|on|about)|mehr (?:aus|von|zu)|plus de|más de|mais de|altro da|meer (?:van|uit)) \S"
)
_SAID = {begin: _words(each.get("has", "")) for each in _ALL["said"] for begin in _words(each["begins"])}
_BEGINS = {key: [begin for begin in _SAID if begin[:SIEVE] == key] for key in {begin[:SIEVE] for begin in _SAID}}


def _openers() -> frozenset[str]:
    """Return the first characters of lines that begin with the words, in every form in which they are typed."""
    words = {*_ELSEWHERE, *_TAGS, *_CONTENTS, *_FIGURES, *_CREDITS, *_ALONE, *_STAFF, *_SHARED_BY, *_SAID}
    words |= {unicodedata.normalize("NFD", word) for word in words}
    short = {word + end for word in words if len(word) < SIEVE for end in ("", " ", ":", "：", "|", "/", ".", "…")}
    forms = (product(*(_FORMS.get(letter, letter) for letter in word[:SIEVE])) for word in words | short)
    small = {"".join(form) for each in forms for form in each}
    return frozenset(small | {form.upper() for form in small} | {form.capitalize() for form in small})


_OPENERS = _openers()
_KNOWN = frozenset(unicodedata.normalize("NFC", opener).translate(_FOLD) for opener in _OPENERS)


def suspects(lines: Sequence[tuple[str, ParagraphKind]]) -> list[int]:
    """Return the places of the few lines that may be none of the text."""
    return [
        place
        for place, (line, _) in enumerate(lines)
        if len(line) <= MOST
        and (
            line[:SIEVE] in _OPENERS
            or not line[0].isalnum()
            or line.rfind(":", -CREDIT) >= 0
            or (len(line) <= AGENCY and ("/" in line or "Getty" in line or " via " in line))
        )
    ]


@lru_cache(maxsize=2**12)
def leads_elsewhere(text: str) -> bool:
    """Say whether a text may be the heading of a list of what leads elsewhere, which a line of a text may be as well.

    >>> leads_elsewhere("Tin liên quan"), leads_elsewhere("Tin liên quan đến lũ")
    (True, False)
    """
    bare = _folded(text.strip().strip(_BEHIND))
    return bare in _LISTS or _MORE_FROM.match(bare) is not None


@lru_cache(maxsize=2**12)
def calls(text: str) -> bool:
    """Say whether a button or a link calls its reader to sign up, to give or to take a program.

    >>> calls("Donate now →"), calls("Donate to the hospital")
    (True, False)
    """
    return len(text) <= LABEL and _folded(text.strip().strip(_BEHIND)) in _CALLS


def tells_minutes(line: str) -> bool:
    """Say whether a line says how long a text takes to read, the figure first.

    >>> tells_minutes("5 min read"), tells_minutes("5 minutes to read a map")
    (True, False)
    """
    return line[0].isdigit() and _MINUTES.fullmatch(line) is not None


def tells_author(line: str, kind: ParagraphKind) -> bool:
    """Say whether one of the first lines of a text has nothing but who wrote it.

    >>> [tells_author(line, ParagraphKind.PARAGRAPH) for line in ("By Ann Lee and Bob Ray", "By Ann Lee, who ran.")]
    [True, False]
    """
    return len(line) <= BYLINE and kind is _PARAGRAPH and _BYLINE.fullmatch(line) is not None


def is_prompt(line: str, kind: ParagraphKind, *, edge: bool) -> bool:
    """Say whether one of these lines is none of the text; figures about the page stand at its ``edge`` only.

    >>> is_prompt("Xem thêm: Nước sông lên", ParagraphKind.PARAGRAPH, edge=False)
    True
    >>> is_prompt("Xem thêm ba con sông lớn ở miền Trung", ParagraphKind.PARAGRAPH, edge=False)
    False
    """
    if kind is _PARAGRAPH and line[0] == "#" and _HASHTAGS.fullmatch(line):
        return True
    if kind is _PARAGRAPH and len(line) <= AGENCY and _MAY_BE_OF_AGENCY(line) and _OF_AGENCY.fullmatch(line):
        return True
    bare, end = line.lstrip(_MARKS), line[-CREDIT:]
    if _folded(bare[:SIEVE]) in _KNOWN and _is_said(_folded(bare[:BEGINNING]), kind, edge=edge):
        return True
    return (":" in end or "Getty" in end) and kind is _PARAGRAPH and _CREDIT.search(end) is not None


def _is_said(line: str, kind: ParagraphKind, *, edge: bool) -> bool:
    found = _COLON.search(line, 0, LABEL)
    label = line[: found.start() if found else LABEL].rstrip(_BEHIND)
    if kind in _LINES and label in _ELSEWHERE and (found or len(line) <= LABEL):
        return True
    if label == line.rstrip(_BEHIND) and kind in _LINES and (label in _CONTENTS or (edge and label in _TAGS)):
        return True
    if kind is not _PARAGRAPH:
        return False
    rest = line[found.end() :].strip(_BEHIND) if found else ""
    if _is_labelled(label, rest, edge=edge) or (edge and _is_signed(label, rest, line)):
        return True
    return _is_counted(line, edge=edge) or _begins_so(line) or _is_of_shares(line)


def _is_signed(label: str, rest: str, line: str) -> bool:
    """Say whether a line tells who edited the text: a few words behind a label, and no sentence."""
    return label in _STAFF and 0 < len(rest) <= REST and rest.count(" ") < NAMED and line[-1] not in _ENDS


def _is_of_shares(line: str) -> bool:
    """Say whether a line has but the names of networks, and what else a text is shared by.

    >>> _is_of_shares("share | facebook | print"), _is_of_shares("share of facebook")
    (True, False)
    """
    words = _SEPARATOR.sub(" ", line).split() if len(line) <= LABEL + REST else ()
    return len(words) > 2 and not _NETWORKS.isdisjoint(words) and _SHARED_BY.issuperset(words)


def _is_counted(line: str, *, edge: bool) -> bool:
    """Say whether a line has but the words of a button, or of a figure, and the figure, perhaps with its unit.

    Before the figures of a date its month may stand.
    """
    figure = _DIGIT.search(line, 0, LABEL)
    words = line[: figure.start() if figure else LABEL].rstrip(_BEHIND)
    letters = _letters(line) - _letters(words) if figure else 0
    if words in _ALONE:
        return letters <= UNIT * (" " in words) if figure else len(line) <= LABEL
    if not edge or figure is None or letters > UNIT:
        return False
    return words in _FIGURES or (
        words.rpartition(" ")[0].rstrip(_BEHIND) in _FIGURES and _YEAR.search(line, figure.start()) is not None
    )


def _is_labelled(label: str, rest: str, *, edge: bool) -> bool:
    if rest and label in _TAGS:
        return True
    if not rest or len(rest) > REST:
        return False
    if label in _CREDITS:
        return not rest[0].isdigit()
    return edge and label in _FIGURES and _DIGIT.search(rest) is not None and _letters(rest) <= UNIT


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _begins_so(line: str) -> bool:
    begins = (begin for begin in _BEGINS.get(line[:SIEVE], ()) if line.startswith(begin))
    return any(not _SAID[begin] or any(part in line for part in _SAID[begin]) for begin in begins)
