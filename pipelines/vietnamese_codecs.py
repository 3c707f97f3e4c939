"""VISCII, TCVN3 (ABC) and VNI: how Vietnamese was written on the web before Unicode; Python has no codec for them.

Pages in them mostly declare Latin-1 and look right only under fonts of their own, so nothing but the words tells them
apart. VISCII is RFC 1456. TCVN3 is TCVN 5712:1993 VN3, a byte a letter; its capitals are lower-case letters under
another font, so they come out in lower case. VNI for Windows writes a letter of windows-1252 and behind it, as a second
letter, its marks.
"""

from __future__ import annotations

import re
import unicodedata

from pipelines.normalise import nfc
from pipelines.vietnamese_syllables import is_syllable

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
# VNI: the second letter behind a, e, o, u, y and what it adds: circumflex, breve and tones of NFD.
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
# Signs inside a word show a wrong reading.
_MARKED_WORD = re.compile(r"[^\s!-,./:-@\[-`{-~“”‘’«»…–—-]+")
_LEAST_HITS, _LEAST_SHARE = 3, 0.04
"""Marked function words of Vietnamese in a reading at least, and their share of all words."""
_MEANT, _CLEARLY = 0.8, 0.15
"""Share of the marked words that are syllables at least, and how much more they are than under windows-1258."""
# Vietnamese is mostly letters of ASCII; text in other scripts takes long to read in these ways.
_ASCII, _MOST_MARKED = bytes(range(128)), 0.5
_ENOUGH = 400
"""Marked words that are looked at."""


def decode(body: bytes, codec: str) -> str:
    """Decode ``viscii``, ``tcvn3`` or ``vni``; every byte has a reading in each."""
    if codec == "vni":
        return _VNI_TOKEN.sub(_vni_letter, _single_bytes(body).translate(_CP1252))
    text = _single_bytes(body).translate(_TABLES[codec])
    return nfc(text) if codec == "tcvn3" else text


def recognise(sample: bytes, stated: str | None = None) -> str | None:
    """Return the codec under which a sample of text reads as Vietnamese, or None when none does.

    ``stated`` is the one that header or page name, which is believed of a text too short for words to tell.

    Marked function words make up a quarter of Vietnamese prose, so a twenty-fifth of all words, three at least, is
    plain; and of the words with marks nearly all must be syllables of Vietnamese, which they are in no wrong reading,
    and far fewer under windows-1258, which a detector knows.
    """
    if sample.isascii() or (not stated and len(sample.translate(None, _ASCII)) > _MOST_MARKED * len(sample)):
        return None
    readings = {codec: decode(sample, codec) for codec in CODECS}
    if stated and _syllables(readings[stated]) >= _MEANT:
        return stated
    hits = {codec: _function_words(text) for codec, text in readings.items()}
    # Counted before syllables are, which takes longer: of text in other languages it is all that is done.
    enough = {
        codec: text
        for codec, text in readings.items()
        if hits[codec] >= max(_LEAST_HITS, _LEAST_SHARE * len(_WORD.findall(text)))
    }
    shares = {codec: _syllables(text) for codec, text in enough.items()}
    best = max(enough, key=lambda codec: (shares[codec] * hits[codec], hits[codec]), default=None)
    if best is None or shares[best] < _MEANT:
        return None
    standard = nfc(sample.decode("cp1258", "replace"))
    return best if shares[best] >= _syllables(standard) + _CLEARLY else None


def _syllables(text: str) -> float:
    """Return the share of the words with letters beyond ASCII that are syllables of Vietnamese."""
    marked = [word for word in _MARKED_WORD.findall(text) if not word.isascii()][:_ENOUGH]
    return sum(is_syllable(word) for word in marked) / max(1, len(marked))


def _function_words(text: str) -> int:
    return len(_FUNCTION_WORD.findall(text.lower()))


def _single_bytes(body: bytes) -> str:
    return body.decode("latin-1")


def _high_half(letters: str) -> dict[int, str]:
    return dict(enumerate(letters, start=0x80))


def _vni_letter(found: re.Match[str]) -> str:
    if letter := found["letter"]:
        plain = _VNI_LETTERS[letter.lower()]
        return plain.upper() if letter.isupper() else plain
    base = _VNI_LETTERS.get(found["base"].lower(), found["base"])
    whole = unicodedata.normalize("NFC", base + _VNI_MARKS[found["mark"].lower()])
    return whole.upper() if found["base"].isupper() else whole


_TABLES = {"viscii": _VISCII_LOW | _high_half(_VISCII_HIGH), "tcvn3": _high_half(_TCVN3_HIGH)}
_CP1252 = {byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0xA0)}
