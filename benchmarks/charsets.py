"""Decoding accuracy by charset, language, stated charset (header and page) and kind of page.

    python benchmarks/charsets.py DIR [--pages 2] [--charset NAME ...] [--failures 60]

``DIR`` is that of ``benchmarks/languages.py``: ``LANG.txt``, a sentence a line. Pages are made for each charset and
each language that was written in it. The header or a meta element states the right charset, none, or a usual wrong one.
The pages have little text, much text, long ASCII markup in front, a foreign byte in the middle, or end within a
character. A page is right when it has each word of its text, except the broken one.
"""

from __future__ import annotations

import argparse
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.decoding import vietnamese_codecs
from pipelines.decoding.decode import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

USES = {
    "utf-8": "vi ar fa ur ps ckb he yi th lo km my ru el ja ko zh fr tr hi",
    "utf-16-le": "vi ar he th ru zh ja ko en fr",
    "utf-16-be": "vi ar he th ru zh ja ko en fr",
    "utf-16": "vi ar th zh",
    "utf-8-sig": "vi ar th zh",
    "cp1250": "cs sk pl hu sl hr sq",
    "iso8859-2": "cs sk pl hu sl hr",
    "cp1251": "ru uk be bg mk sr",
    "iso8859-5": "ru bg mk sr",
    "koi8-r": "ru",
    "koi8-u": "uk",
    "cp866": "ru",
    "mac-cyrillic": "ru",
    "cp1252": "fr de es pt it nl da sv no fi is ca",
    "iso8859-15": "fr de es pt it fi",
    "mac-roman": "fr de es",
    "cp1253": "el",
    "iso8859-7": "el",
    "cp1254": "tr",
    "iso8859-9": "tr",
    "cp1255": "he yi",
    "iso8859-8": "he",
    "cp1256": "ar fa ur",
    "iso8859-6": "ar",
    "cp1257": "lt lv et",
    "iso8859-13": "lt lv et",
    "cp1258": "vi",
    "cp874": "th",
    "tis-620": "th",
    "iso8859-3": "eo",
    "gb18030": "zh",
    "gbk": "zh",
    "hz": "zh",
    "cp949": "ko",
    "euc_kr": "ko",
    "iso2022_kr": "ko",
    "cp932": "ja",
    "shift_jis": "ja",
    "euc_jp": "ja",
    "iso2022_jp": "ja",
    "kz1048": "kk",
    "viscii": "vi",
    "tcvn3": "vi",
    "vni": "vi",
}
LIES = ("utf-8", "iso-8859-1", "windows-1251", "windows-1252")
TONES = frozenset("\u0300\u0301\u0303\u0309\u0323")
FORMS = ("little", "much", "markup", "broken", "cut")


@dataclass(frozen=True, slots=True)
class Case:
    """One page: how it was made, what is said of it, and the text in it."""

    charset: str
    language: str
    form: str
    place: str
    label: str
    text: str


def spelled(text: str, charset: str) -> str:
    """Write Vietnamese as windows-1258 does: tones as marks of their own behind the letter."""
    if charset != "cp1258":
        return text
    parts = []
    for letter in unicodedata.normalize("NFC", text):
        marks = unicodedata.normalize("NFD", letter)
        base = unicodedata.normalize("NFC", "".join(each for each in marks if each not in TONES))
        parts.append(base + "".join(each for each in marks if each in TONES))
    return "".join(parts)


@lru_cache(maxsize=4)
def letters_of(charset: str) -> dict[str, bytes]:
    """Turn the decoder of a Vietnamese charset round: what one byte, or two of VNI, are read as."""
    plain = range(0x20, 0x7F)
    high = [bytes([byte]) for byte in range(0x80, 0x100)]
    pairs = [bytes([base]) + mark for base in b"aeouyAEOUY\xf4\xf6\xd4\xd6" for mark in high]
    found = {}
    for data in [*high, *(pairs if charset == "vni" else ()), *(bytes([byte]) for byte in plain)]:
        letter = vietnamese_codecs.decode(data, charset)
        if len(letter) == 1:
            found[letter] = data
    return found | {"\n": b"\n"}


def encoded(text: str, charset: str) -> bytes:
    """Encode a text; raises UnicodeEncodeError for what the charset cannot write."""
    if charset not in vietnamese_codecs.CODECS:
        return spelled(text, charset).encode(charset)
    table = letters_of(charset)
    if missing := next((letter for letter in text if letter not in table), None):
        raise UnicodeEncodeError(charset, text, text.index(missing), text.index(missing) + 1, "no such letter")
    return b"".join(table[letter] for letter in text)


def texts(lines: list[str], charset: str, number: int, size: int) -> Iterator[str]:
    """Yield texts of about that many characters out of the lines that the charset can write."""
    held: list[str] = []
    for line in lines[::7]:
        try:
            line = line.lower() if charset in vietnamese_codecs.CODECS else line
            encoded(line, charset)
        except UnicodeEncodeError:
            continue
        if not any(symbol in line for symbol in "<>&\x7f") and not any("\x80" <= each <= "\x9f" for each in line):
            held.append(line)
        if sum(map(len, held)) >= size:
            yield " ".join(held)
            held, number = [], number - 1
            if not number:
                return


def page(case: Case) -> bytes:
    """Make the bytes of the page."""
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={case.label}">' if case.place == "meta" else ""
    script = "<script>var a = {b: 1, c: [2, 3]};</script>\n<div class='menu'><a href='/news/'>News</a></div>\n"
    markup = script * (300 if case.form == "markup" else 1)
    html = f"<!doctype html><html><head>{meta}<title>News</title></head><body>{markup}<p>{case.text}</p></body></html>"
    body = encoded(html, case.charset)
    if case.form == "broken":
        middle = body.index(b" ", len(body) - len(case.text) // 2) if b" " in body[-len(case.text) // 2 :] else -30
        body = body[:middle] + b"\xff" + body[middle:]
    return body[: len(body) - 15 - len(encoded(case.text, case.charset)) // 3] if case.form == "cut" else body


def is_right(case: Case, found: str) -> bool:
    """Return whether the page has all words of the text."""
    found = unicodedata.normalize("NFC", found)
    if case.form not in {"broken", "cut"}:
        return unicodedata.normalize("NFC", case.text) in found
    words = Counter(unicodedata.normalize("NFC", case.text).split())
    if len(words) < 5:
        words = Counter(case.text)
    there = sum(count for word, count in words.items() if word in found)
    return there >= (0.5 if case.form == "cut" else 0.9) * words.total() and found.count("\ufffd") <= 3


def cases(folder: Path, pages: int, charsets: list[str]) -> Iterator[Case]:
    """Yield all pages of the charsets."""
    for charset in charsets:
        for language in USES[charset].split():
            path = folder / f"{language}.txt"
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            for form in FORMS[: 3 if charset.startswith("utf-16") else None]:
                for text in texts(lines, charset, pages, 60 if form == "little" else 600):
                    yield Case(charset, language, form, "none", "", text)
                    for place in ("header", "meta"):
                        for label in (charset, *LIES):
                            yield Case(charset, language, form, place, label, text)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=2)
    parser.add_argument("--charset", action="append", choices=sorted(USES), default=[])
    parser.add_argument("--failures", type=int, default=60)
    options = parser.parse_args()
    tried: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    reported: Counter[tuple[str, ...]] = Counter()
    for case in cases(options.folder, options.pages, options.charset or list(USES)):
        decoded = decode(page(case), case.label if case.place == "header" else None)
        truth = "right" if case.label == case.charset else case.place if not case.label else "lie"
        tried[case.charset, case.form] += 1
        if not is_right(case, decoded.text):
            failed[case.charset, case.form] += 1
            reported[case.charset, case.language, case.form, case.place, truth, decoded.encoding] += 1
    for charset in dict.fromkeys(charset for charset, _ in tried):
        cells = "  ".join(f"{form} {failed[charset, form]}/{tried[charset, form]}" for form in FORMS)
        print(f"{charset:<14} {cells}")
    print(f"\n{failed.total()} of {tried.total()} wrong")
    for row, count in reported.most_common(options.failures):
        print(f"{count:>4}  {' '.join(row)}")


if __name__ == "__main__":
    main()
