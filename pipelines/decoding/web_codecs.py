"""Decode charsets as browsers do (Encoding Standard) where Python's codecs differ.

- EUC-JP: the kanji that IBM added, as in the names 髙橋 and 山﨑. JIS X 0213 has other characters in their places.
- Big5: the euro sign.
- GB 18030: a second wide space, and signs that were in the private use area before.
- KOI8-U: two letters of Belarusian.
"""

from __future__ import annotations

import codecs
import re

_ELSEWHERE = "corpus_spider.elsewhere"
_PRIVATE = re.compile("[\ue5e5-\ue864]")
_NOT_PRIVATE = str.maketrans(
    {0xE5E5: "\u3000", 0xE7C7: "\u1e3f"}
    | dict(zip(range(0xE78D, 0xE797), "\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19", strict=True))
    | dict(
        zip(
            (0xE81E, 0xE826, 0xE82B, 0xE82C, 0xE832, 0xE843, 0xE854, 0xE864),
            "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
            strict=True,
        )
    )
)
_BELARUSIAN = str.maketrans("╝╬", "ўЎ")


def read(body: bytes, codec: str) -> str:
    """Decode bytes with one of Python's codecs, as browsers do. Unreadable bytes become U+FFFD.

    >>> read(b"\\xfc\\xe2\\xb6\\xb6", "euc_jis_2004"), read(b"\\xa3\\xe1", "big5hkscs"), read(b"\\xa3\\xa0", "gb18030")
    ('髙橋', '€', '\\u3000')
    """
    if codec == "euc_jis_2004":
        return body.decode("euc_jp", _ELSEWHERE)
    if codec == "big5hkscs":
        return body.decode(codec, _ELSEWHERE)
    text = body.decode(codec, "replace")
    if codec == "gb18030" and _PRIVATE.search(text):
        return text.translate(_NOT_PRIVATE)
    return text.translate(_BELARUSIAN) if codec == "koi8-u" else text


def _elsewhere(error: UnicodeError) -> tuple[str, int]:
    """Error handler: read two bytes that Python's codec does not know with the codec that knows them."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    euc = error.encoding.startswith("euc")
    text = _shifted(pair).decode("cp932", "ignore") if euc else pair.decode("cp950", "ignore")
    return (text, error.start + 2) if len(text) == 1 and not text.isascii() else ("\ufffd", error.end)


def _shifted(pair: bytes) -> bytes:
    """Return the bytes of Shift_JIS for the table cell that two bytes of EUC-JP name.

    Both encodings have the characters that IBM added in the same rows.
    """
    if len(pair) < 2 or min(pair) < 0xA1:
        return b""
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    trail = cell + 0x9F if row % 2 else cell + 0x40 + (cell >= 0x3F)
    return bytes([row // 2 + (0x81 if row < 62 else 0xC1), trail])


codecs.register_error(_ELSEWHERE, _elsewhere)
