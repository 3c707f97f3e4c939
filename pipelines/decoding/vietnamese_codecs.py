"""Decode and recognise the Vietnamese charsets before Unicode: VISCII, TCVN3 (ABC) and VNI.

Python has no codec for them. Most of these pages declare Latin-1 and need a font of their own. Only their words
identify them.

- VISCII: RFC 1456.
- TCVN3: TCVN 5712:1993 VN3, one byte a letter. Its capitals are lower-case letters in another font, so they are decoded
  to lower case.
- VNI for Windows: a letter of windows-1252, followed by a second letter for its marks.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

import regex

from pipelines.text.normalise import nfc

CODECS = ("viscii", "tcvn3", "vni")
_VISCII_LOW = {0x02: "Ẳ", 0x05: "Ẵ", 0x06: "Ẫ", 0x14: "Ỷ", 0x19: "Ỹ", 0x1E: "Ỵ"}
_VISCII_HIGH = (
    "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲ"
    "ÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯ"
    "ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡư"
    "àáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ"
)
_TCVN3_HIGH = (
    "ÀẢÃÁẠẶẬÈẺẼÉẸỆÌỈĨÍỊÒỎÕÓỌỘỜỞỠỚỢÙỦŨ"
    "\xa0ĂÂÊÔƠƯĐăâêôơưđẶ\u0300\u0309\u0303\u0301\u0323àảãáạẲằẳẵắẴ"
    "ẮẦẨẪẤỀặầẩẫấậèỂẻẽéẹềểễếệìỉỄẾỒĩíịò"
    "ỔỏõóọồổỗốộờởỡớợùỖủũúụừửữứựỳỷỹýỵỐ"
)
# VNI: the second letter after a, e, o, u or y -> the combining marks that it adds (NFD).
_VNI_MARKS = {
    "ù": "\u0301",
    "ø": "\u0300",
    "û": "\u0309",
    "õ": "\u0303",
    "ï": "\u0323",
    "â": "\u0302",
    "á": "\u0302\u0301",
    "à": "\u0302\u0300",
    "å": "\u0302\u0309",
    "ã": "\u0302\u0303",
    "ä": "\u0302\u0323",
    "ê": "\u0306",
    "é": "\u0306\u0301",
    "è": "\u0306\u0300",
    "ú": "\u0306\u0309",
    "ü": "\u0306\u0303",
    "ë": "\u0306\u0323",
}
_VNI_LETTERS = {"í": "í", "ì": "ì", "æ": "ỉ", "ó": "ĩ", "ò": "ị", "ô": "ơ", "ö": "ư", "ñ": "đ", "î": "ỵ"}
_VNI_TOKEN = re.compile(
    rf"(?P<base>[aeouyôö])(?P<mark>[{''.join(_VNI_MARKS)}])|(?P<letter>[{''.join(_VNI_LETTERS)}])", re.IGNORECASE
)
_FUNCTION_WORD = re.compile(
    r"\b(?:"
    r"và|của|là|được|không|những|người|các|có|một|đã|với|này|để|đến|về|từ|như|tại|phải|"
    r"cũng|năm|ngày|nước|việc|sẽ|bị|ở|đó|đang|vào|trên|dưới|giữa|nhiều|hơn|rất|thì|mà|"
    r"nên|vì|nếu|đây|bằng|lại|chỉ|còn|trước|đồng|bộ|số"
    r")\b"
)
_WORD = re.compile(r"[^\W\d_]+")
# A word with its marks. Signs inside a word show a wrong reading.
_MARKED_WORD = re.compile(r"[^\s!-,./:-@\[-`{-~“”‘’«»…–—-]+")
_LEAST_HITS, _LEAST_SHARE = 3, 0.04
"""Words, and share of all words. The marked function words of Vietnamese that a reading needs."""
_MIN_SYLLABLE_SHARE, _MIN_SHARE_DISTANCE = 0.8, 0.15
"""Share of the marked words that must be syllables, and its least distance to the share under windows-1258."""
# Share of bytes beyond ASCII. Vietnamese has fewer; text in other scripts would take long to decode in three ways.
_ASCII, _MAX_MARKED_SHARE = bytes(range(128)), 0.5
_MAX_MARKED_WORDS = 400
"""Marked words. More do not change the share."""
# A syllable of Vietnamese without its marks: an initial and a rhyme.
_SYLLABLE = regex.compile(
    r"(?:ngh?|nh|gh|gi|kh|ph|th|tr|ch|qu|[bcdghklmnprstvx])?"
    r"(?:a(?:ch?|i|m|ng?|nh|o|p|t|u|y)?|e(?:ch?|m|ng?|nh|o|p|t|u)?|i(?:a|ch|e[cmptu]|eng?|m|nh?|p|t|u)?"
    r"|o(?:a(?:ch?|i|m|ng?|nh|o|t|y)?|c|e[not]?|i|m|ng?|p|t)?"
    r"|u(?:a(?:ng?|t|y)?|ch?|e(?:ch|nh)?|i|m|ng?|o(?:[cimptu]|ng?)|p|t|u|y(?:a|en|et|nh|t|u)?)?|y(?:e[mtu]|eng?)?)"
)
_TELLING = ("®µ", "®¸", "ñö", "ñaø", "ðß")
"""Letters that texts in TCVN3, VNI and VISCII have, and texts in Latin-1 hardly have together."""
_TEXT_RUN = re.compile(r"(?:\A|(?<=>))[^<>]+")
_UNICODE_ONLY = re.compile(
    "[\u0100-\u0151\u0154-\u015f\u0162-\u0177\u017f-\u0191\u0193-\u02c5\u0300-\u1fff\u2c00-\uffff]"
)
_MOST_READ = 100_000
"""Bytes of a page by which its font is recognised."""
_PLAIN = str.maketrans("đĐ", "dD")


def decode(body: bytes, codec: str) -> str:
    """Decode ``viscii``, ``tcvn3`` or ``vni``. Each of them has a reading for every byte."""
    text = body.decode("latin-1")
    if codec == "vni":
        return _VNI_TOKEN.sub(_vni_letter, text.translate(_CP1252))
    text = text.translate(_TABLES[codec])
    return nfc(text) if codec == "tcvn3" else text


def recognise(sample: bytes, stated: str | None = None) -> str | None:
    """Return the codec under which a sample reads as Vietnamese, or None.

    A quarter of the words of Vietnamese prose are marked function words. A reading needs a twenty-fifth of all words,
    and at least three. Of its words with marks nearly all must be syllables of Vietnamese, as in no wrong reading.
    Under windows-1258, which the detector knows, far fewer must be.

    Args:
        sample: text of the page, undecoded.
        stated: the Vietnamese charset that header or page declare. It is believed if the text is too short for words.
    """
    if sample.isascii() or (not stated and len(sample.translate(None, _ASCII)) > _MAX_MARKED_SHARE * len(sample)):
        return None
    readings = {codec: decode(sample, codec) for codec in CODECS}
    if stated and _syllables(readings[stated]) >= _MIN_SYLLABLE_SHARE:
        return stated
    hits = {codec: len(_FUNCTION_WORD.findall(text.lower())) for codec, text in readings.items()}
    # Syllables take longer to count, so text in other languages is excluded before.
    enough = {
        codec: text
        for codec, text in readings.items()
        if hits[codec] >= max(_LEAST_HITS, _LEAST_SHARE * len(_WORD.findall(text)))
    }
    shares = {codec: _syllables(text) for codec, text in enough.items()}
    best = max(enough, key=lambda codec: (shares[codec] * hits[codec], hits[codec]), default=None)
    if best is None or shares[best] < _MIN_SYLLABLE_SHARE:
        return None
    standard = nfc(sample.decode("cp1258", "replace"))
    return best if shares[best] >= _syllables(standard) + _MIN_SHARE_DISTANCE else None


_OWN_LETTER = re.compile("[ơưăƠƯĂẠ-ỹ]")
_STROKES = str.maketrans("Ðð", "Đđ")


def reread(page: str) -> str:
    """Repair a page in Unicode whose text was typed in a font of TCVN3, VNI or VISCII, as letters of windows-1252.

    Only texts between tags are read, and only those without letters that windows-1252 does not have.

    >>> reread("<p>C¸c em ®­îc nghØ hÌ vµ ®i ch¬i víi nh÷ng ng­êi b¹n cña m×nh.</p>")
    '<p>Các em được nghỉ hè và đi chơi với những người bạn của mình.</p>'
    """
    if page.isascii() or not any(all(sign in page for sign in signs) for signs in _TELLING):
        return page
    runs = [run for found in _TEXT_RUN.finditer(page) if (run := _as_bytes(found.group()))]
    codec = recognise(b"\n".join(runs)[:_MOST_READ])
    if codec is None:
        return page

    def read(found: re.Match[str]) -> str:
        run = _as_bytes(found.group())
        return decode(run, codec) if run else found.group()

    return _TEXT_RUN.sub(read, page)


def with_stroke(page: str) -> str:
    """Write Đ for Ð on a page in Vietnamese, whose keyboards confuse the two. Icelandic has more Ð than such letters.

    >>> with_stroke("Bộ trưởng Bộ GDÐT đến Ðà Nẵng"), with_stroke("Veður í Reykjavík, Phạm Minh Ðức")
    ('Bộ trưởng Bộ GDĐT đến Đà Nẵng', 'Veður í Reykjavík, Phạm Minh Ðức')
    """
    foreign = page.count("Ð") + page.count("ð")
    own = sum(1 for _ in islice(_OWN_LETTER.finditer(page), 2 * foreign)) if foreign else 0
    return page.translate(_STROKES) if own >= 2 * foreign > 0 else page


def _as_bytes(text: str) -> bytes:
    """Return a text in the bytes of windows-1252, or of Latin-1 where that has none; nothing for ASCII and others."""
    if text.isascii() or _UNICODE_ONLY.search(text):
        return b""
    return b"".join(_BYTES.get(character) or character.encode("latin-1", "replace") for character in text)


def _syllables(text: str) -> float:
    """Return the share of the words with letters beyond ASCII that are syllables of Vietnamese."""
    marked = [word for word in _MARKED_WORD.findall(text) if not word.isascii()][:_MAX_MARKED_WORDS]
    return sum(map(is_syllable, marked)) / max(1, len(marked))


def is_syllable(word: str) -> bool:
    """Return whether a word without its marks can be a syllable of Vietnamese, whose words have one each.

    >>> is_syllable("nghiêng"), is_syllable("thuong"), is_syllable("strong")
    (True, True, False)
    """
    if not word.isascii():
        word = "".join(each for each in unicodedata.normalize("NFD", word) if not unicodedata.combining(each))
    return _SYLLABLE.fullmatch(word.translate(_PLAIN).lower()) is not None


def _vni_letter(found: re.Match[str]) -> str:
    if letter := found["letter"]:
        plain = _VNI_LETTERS[letter.lower()]
        return plain.upper() if letter.isupper() else plain
    base = _VNI_LETTERS.get(found["base"].lower(), found["base"])
    whole = unicodedata.normalize("NFC", base + _VNI_MARKS[found["mark"].lower()])
    return whole.upper() if found["base"].isupper() else whole


_TABLES = {
    "viscii": _VISCII_LOW | dict(enumerate(_VISCII_HIGH, start=0x80)),
    "tcvn3": dict(enumerate(_TCVN3_HIGH, start=0x80)),
}
_CP1252 = {byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0xA0)}

_BYTES = {bytes([byte]).decode("cp1252", "ignore"): bytes([byte]) for byte in range(0x80, 0xA0)}
