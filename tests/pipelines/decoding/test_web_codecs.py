"""Web codecs: bytes are decoded as browsers decode them where Python's codecs differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.decoding.decode import decode
from pipelines.decoding.web_codecs import read


@pytest.mark.parametrize(
    ("codec", "body", "text"),
    [
        ("euc_jis_2004", b"\xfc\xe2\xb6\xb6", "髙橋"),
        ("euc_jis_2004", b"\xf9\xa1\xfc\xe3", "纊髜"),
        ("euc_jis_2004", b"\xad\xa1\xad\xf0", "①≒"),
        ("euc_jis_2004", b"\x8f\xb0\xa1\x8e\xb1", "丂ｱ"),
        ("euc_jis_2004", b"\xad\x20\xa1", "\ufffd \ufffd"),
        ("big5hkscs", b"\xa3\xe1\xa4\x40", "€一"),
        ("big5hkscs", b"\xa3\xfe", "\ufffd\ufffd"),
        ("gb18030", b"\xa3\xa0\xd6\xd0\xa6\xd9", "\u3000中\ufe10"),
        ("koi8-u", b"\xae\xbe\xb3", "ўЎЁ"),
        ("cp1256", b"\xe3\xde\xc7\xe1", "مقال"),
    ],
)
def test_characters_are_those_of_browsers(codec: str, body: bytes, text: str) -> None:
    """Kanji of names, the euro, a wide space and letters of Belarusian are those that Chromium shows."""
    assert read(body, codec) == text


def test_a_page_with_kanji_that_ibm_added_is_read() -> None:
    """Python has other kanji in their place, without an error."""
    name = "記者の山﨑と髙橋が首相の会見について説明した。".encode("cp932")
    pairs = [name[at : at + 2] for at in range(0, len(name), 2)]
    euc = b"".join(_euc(pair) for pair in pairs)
    page = b'<meta charset="euc-jp"><p>' + euc * 3 + b"</p>"
    assert decode(page).text.count("山﨑と髙橋が") == 3


def _euc(pair: bytes) -> bytes:
    """Return the bytes of EUC-JP for two of Shift_JIS, by counting rows."""
    lead, trail = pair
    row = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 2 + (trail >= 0x9F)
    cell = trail - 0x9F if trail >= 0x9F else trail - 0x40 - (trail > 0x7F)
    return bytes([row + 0xA1, cell + 0xA1])


@given(st.sampled_from(["euc_jis_2004", "big5hkscs", "gb18030", "koi8-u", "cp932"]), st.binary(max_size=60))
def test_any_bytes_are_read(codec: str, body: bytes) -> None:
    """What no charset can read becomes U+FFFD, and ASCII around it stays."""
    assert read(b"a\n" + body + b"\n\nz", codec).startswith("a\n")
