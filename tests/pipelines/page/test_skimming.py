"""The test of the language before decoding: it drops no page that the test of the decoded text would keep."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.decoding import decode
from pipelines.language.page_filter import may_have
from pipelines.page.process import process
from storage.records import Capture, SiteModel
from tests.pipelines.language.test_page_filter import TEXTS

RUSSIAN = "Городской совет объявил о плане строительства нового моста через реку в будущем году. "
KOREAN = "시 의회는 내년에 강을 가로지르는 새 다리를 건설할 계획을 발표했다. "
JAPANESE = "市議会は来年、川に新しい橋を架ける計画を発表しました。 "
PAGES = {
    "Vietnamese": (TEXTS["vi"], "utf-8", "vi"),
    "Vietnamese in windows-1258": (TEXTS["vi"], "cp1258", "vi"),
    "Vietnamese in UTF-16": (TEXTS["vi"], "utf-16", "vi"),
    "Vietnamese with marks": ("\ufeff\ufeff" + TEXTS["vi"], "utf-8", "vi"),
    "Vietnamese with control characters": (TEXTS["vi"] + "\x01\x7f\x85", "utf-8", "vi"),
    "Vietnamese encoded twice": (TEXTS["vi"].encode().decode("latin-1"), "utf-8", "vi"),
    "Russian in windows-1251": (RUSSIAN, "cp1251", "ru"),
    "Thai": (TEXTS["th"], "tis-620", "th"),
    "Chinese": (TEXTS["zh"], "gb18030", "zh"),
    "Korean": (KOREAN, "euc-kr", "ko"),
    "Japanese": (JAPANESE, "shift_jis", "ja"),
    "Japanese with escapes": (JAPANESE, "iso2022_jp", "ja"),
}


def body_of(kind: str, stated: str, spoiled: bytes = b"") -> bytes:
    text, codec, _ = PAGES[kind]
    head = f"<html><head><meta charset='{stated}'><title>x</title></head><body>"
    cut = "".join(f"<p>{text[:size]}</p> <p>{text[size:]}</p> <br>" for size in range(1, len(text)))
    return f"{head}{cut}".encode(codec, "ignore") + spoiled


def reason(body: bytes, language: str, declared: str, *, skim: bool = True) -> str:
    headers = (("Content-Type", f"text/html; charset={declared}"),)
    capture = Capture("http://a.example/1", datetime(2026, 1, 2, tzinfo=UTC), 200, (), headers, body)
    drop = process(capture, SiteModel(languages=(language,)), skim=skim).drop
    return drop.reason if drop else ""


@pytest.mark.parametrize("spoiled", [b"", b"\xd0 <p>\xd0 "], ids=["sound", "with wrong bytes"])
@pytest.mark.parametrize("stated", ["utf-8", "gb2312", "big5", "euc-kr", "shift_jis", "iso-8859-1"])
@pytest.mark.parametrize("kind", PAGES)
def test_a_page_is_dropped_only_if_its_decoded_text_is(kind: str, stated: str, spoiled: bytes) -> None:
    """In its charset and others, stated by header and page, wanted in its own language and in another one."""
    body = body_of(kind, stated, spoiled)
    for wanted in (PAGES[kind][2], "he"):
        passes = may_have(decode.decode(body, stated).text, (wanted,))
        assert reason(body, wanted, stated) == (reason(body, wanted, stated, skim=False) if passes else "language")


@pytest.mark.parametrize(
    ("kind", "stated", "is_read"),
    [
        ("Chinese", "gb2312", True),
        ("Korean", "euc-kr", True),
        ("Chinese", "shift_jis", False),
        ("Vietnamese in windows-1258", "gb2312", False),
        ("Russian in windows-1251", "gb2312", False),
        ("Russian in windows-1251", "big5", False),
        ("Thai", "euc-kr", False),
        ("Vietnamese", "gb2312", False),
    ],
)
def test_a_stated_charset_of_pairs_is_read_only_if_each_byte_agrees(kind: str, stated: str, is_read: bool) -> None:
    """Charsets of single bytes do not agree, and UTF-8 comes first."""
    body = body_of(kind, stated)
    assert decode.as_paired(body, stated) == (body.decode(stated) if is_read else None)


def test_text_that_repeats_itself_proves_no_charset() -> None:
    """A Thai paragraph without spaces has an even number of bytes, and is valid in the Chinese charset."""
    body = (f"<html><p>{TEXTS['th']}</p>" * 40).encode("tis-620")
    assert body.decode("gb18030")
    assert decode.as_paired(body, "gb2312") is None
    assert reason(body, "th", "gb2312") != "language"


def test_pairs_of_utf_8_are_no_pairs_of_another_charset() -> None:
    """Russian with a byte that is cut off is valid in the Chinese charset that its server states."""
    body = (f"<html><p>{RUSSIAN}</p>" * 40).encode() + b"\xd0\xb0\xd0"
    assert decode.as_paired(body, "gb2312") is None
    assert reason(body, "ru", "gb2312") != "language"
