"""Charset detection: thirty-one pages, each decoded exactly, without replacement characters."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

import pytest

from pipelines.decoding.decode import decode
from tests.pipelines.decoding.test_decoding import TEXTS, spell


class Case(NamedTuple):
    """What a page is written in, and what its header and its meta element say; None: nothing."""

    name: str
    language: str
    codec: str
    header: str | None
    meta: str | None
    mark: bytes = b""


CASES = (
    Case("utf-8-header", "vi", "utf-8", "utf-8", None),
    Case("utf-8-meta", "th", "utf-8", None, "utf-8"),
    Case("utf-8-undeclared", "ar", "utf-8", None, None),
    Case("utf-8-bom", "fa", "utf-8", None, None, b"\xef\xbb\xbf"),
    Case("utf-8-bom-against-labels", "vi", "utf-8", "windows-1252", "windows-1251", b"\xef\xbb\xbf"),
    Case("utf-8-lying-header", "he", "utf-8", "iso-8859-1", "utf-8"),
    Case("utf-8-lying-meta", "vi", "utf-8", "utf-8", "iso-8859-1"),
    Case("utf-8-both-lie", "ar", "utf-8", "windows-1256", "iso-8859-1"),
    Case("utf-16-le-bom", "vi", "utf-16-le", None, None, b"\xff\xfe"),
    Case("utf-16-be-bom", "th", "utf-16-be", None, None, b"\xfe\xff"),
    Case("utf-16-no-bom", "fr", "utf-16-le", "utf-16", None),
    Case("windows-1251-header", "ru", "cp1251", "windows-1251", None),
    Case("windows-1251-lying-header", "ru", "cp1251", "utf-8", "windows-1251"),
    Case("koi8-r-meta", "ru", "koi8-r", None, "koi8-r"),
    Case("iso-8859-5-header", "ru", "iso8859-5", "iso-8859-5", None),
    Case("windows-1256-header", "ar", "cp1256", "windows-1256", None),
    Case("windows-1256-meta", "fa", "cp1256", None, "windows-1256"),
    Case("iso-8859-6-header", "ar", "iso8859-6", "iso-8859-6", None),
    Case("windows-1255-meta", "he", "cp1255", None, "windows-1255"),
    Case("iso-8859-8-header", "he", "iso8859-8", "iso-8859-8", None),
    Case("windows-1258-header", "vi", "cp1258", "windows-1258", None),
    Case("windows-874-meta", "th", "cp874", None, "windows-874"),
    Case("tis-620-header", "th", "tis-620", "tis-620", None),
    Case("iso-8859-1-is-windows-1252", "fr", "cp1252", "iso-8859-1", None),
    Case("windows-1254-header", "tr", "cp1254", "windows-1254", None),
    Case("iso-8859-2-meta", "pl", "iso8859-2", None, "iso-8859-2"),
    Case("shift-jis-meta", "ja", "cp932", None, "shift_jis"),
    Case("euc-jp-header", "ja", "euc_jp", "euc-jp", None),
    Case("euc-kr-header", "ko", "euc_kr", "euc-kr", None),
    Case("gb2312-is-gb18030", "zh", "gb18030", None, "gb2312"),
    Case("big5-header", "zht", "big5", "big5", None),
)


def test_there_are_as_many_cases_as_are_said() -> None:
    """Each has a name of its own, and no two are the same page."""
    assert len({case.name for case in CASES}) == len({case[1:] for case in CASES}) == 31


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_page_whose_charset_can_be_detected_is_read_letter_for_letter(case: Case) -> None:
    """The whole page, markup included, with any wrong header or meta element."""
    meta = f'<meta charset="{case.meta}">' if case.meta else ""
    html = f"<!doctype html><html><head>{meta}<title>News</title></head><body><p>{TEXTS[case.language]}</p></body>\n"
    decoded = decode(case.mark + spell(html, case.codec).encode(case.codec), case.header)
    assert unicodedata.normalize("NFC", decoded.text) == unicodedata.normalize("NFC", html)
    assert decoded.replaced == 0


UNSAID = {
    "sq": "Çdo fshat do të ketë ujë të pijshëm që këtë verë, tha kryetari, ndërsa çmimet nuk do të rriten më këtë vit.",
    "wo": "Njiit li nee na liggéey bi ci pom bi dina jeex bala jamonoy sedd, ndax ñi koy liggéey ñëw nañu ci dëkk bi.",
}


@pytest.mark.parametrize("declared", [None, "utf-8"])
@pytest.mark.parametrize("language", UNSAID)
def test_latin_letters_that_no_detector_knows_are_those_of_most_pages(language: str, declared: str | None) -> None:
    """A language that a detector was never shown is in windows-1252, not in what comes out likeliest by a hair."""
    text = UNSAID[language]
    assert text in decode(f"<p>{text}</p>".encode("cp1252") * 4, declared).text


@pytest.mark.parametrize("codec", ["cp1250", "iso8859-2"])
def test_a_language_of_three_letters_is_distinguished_from_latin_1_by_many_of_them(codec: str) -> None:
    """Slovene has č, š and ž, and servers say of all pages that they are Latin-1."""
    text = "Sporočil je, da bo obnova končana še pred začetkom zime, čeprav je že dva meseca pozna in dražja."
    assert text in decode(f"<p>{text}</p>".encode(codec) * 4, "iso-8859-1").text


@pytest.mark.parametrize(("language", "codec"), [("ja", "cp932"), ("zh", "gb18030"), ("zht", "big5")])
def test_a_title_cut_inside_a_character_hides_no_charset(language: str, codec: str) -> None:
    """Programs that count bytes cut titles so, and a text without spaces is halved where its lines part."""
    text = TEXTS[language].encode(codec)
    body = b"<title>" + text[:39] + b"</title><p>" + text * 2 + b"</p>"
    assert TEXTS[language] in decode(body, None).text
