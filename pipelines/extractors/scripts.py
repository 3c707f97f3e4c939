"""The main script of a text, by counting letters in Unicode ranges (ISO 15924 codes)."""

from __future__ import annotations

import re

import numpy as np

_STARTS: tuple[tuple[int, str], ...] = (
    (0x0000, ""), (0x0041, "Latn"), (0x005B, ""), (0x0061, "Latn"), (0x007B, ""), (0x00C0, "Latn"), (0x0250, ""),
    (0x0370, "Grek"), (0x0400, "Cyrl"), (0x0530, "Armn"), (0x0590, "Hebr"), (0x0600, "Arab"), (0x0700, ""),
    (0x0750, "Arab"), (0x0780, ""), (0x08A0, "Arab"), (0x0900, "Deva"), (0x0980, "Beng"), (0x0A00, "Guru"),
    (0x0A80, "Gujr"), (0x0B00, "Orya"), (0x0B80, "Taml"), (0x0C00, "Telu"), (0x0C80, "Knda"), (0x0D00, "Mlym"),
    (0x0D80, "Sinh"), (0x0E00, "Thai"), (0x0E80, "Laoo"), (0x0F00, "Tibt"), (0x1000, "Mymr"), (0x10A0, "Geor"),
    (0x1100, "Kore"), (0x1200, "Ethi"), (0x13A0, ""), (0x1780, "Khmr"), (0x1800, ""), (0x1E00, "Latn"),
    (0x1F00, "Grek"), (0x2000, ""), (0x3040, "Jpan"), (0x3100, ""), (0x3400, "Hani"), (0xA000, ""), (0xAC00, "Kore"),
    (0xD7A4, ""), (0xF900, "Hani"), (0xFB00, ""), (0xFB50, "Arab"), (0xFE00, ""), (0xFE70, "Arab"), (0xFF00, ""),
    (0x20000, "Hani"), (0x32000, ""),
)  # fmt: skip

_BOUNDS = np.array([start for start, _ in _STARTS], dtype=np.uint32)
_CODES = sorted({code for _, code in _STARTS})
_CODE_OF_RANGE = np.array([_CODES.index(code) for _, code in _STARTS])

KANA_SHARE = 0.05
"""From this share of kana among Han and kana a text is Japanese."""


HORNED_SHARE = 0.01
_HORNED = re.compile("[\u01a0\u01a1\u01af\u01b0\u1eda-\u1ee3\u1ee8-\u1ef1]")


def letters_by_script(text: str) -> dict[str, int]:
    """Count the letters of a text by script; characters of no script (digits, punctuation, symbols) are left out."""
    points = np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")
    ranges = np.searchsorted(_BOUNDS, points, side="right") - 1
    counts = np.bincount(_CODE_OF_RANGE[ranges], minlength=len(_CODES))
    return {code: int(count) for code, count in zip(_CODES, counts, strict=True) if code and count}


def main_script(text: str) -> str:
    """Return the script of most letters, ``Zyyy`` without any; Han with kana is ``Jpan``, Han alone ``Hani``."""
    counts = letters_by_script(text)
    kana, han = counts.get("Jpan", 0), counts.get("Hani", 0)
    if kana and kana >= KANA_SHARE * (kana + han):
        counts["Jpan"] = kana + counts.pop("Hani", 0)
    elif kana:
        counts["Hani"] = han + counts.pop("Jpan")
    return max(sorted(counts), key=counts.__getitem__, default="Zyyy")


def is_vietnamese(text: str) -> bool:
    """Say whether Latin letters are Vietnamese, by its horned vowels; hardly a sentence goes without them."""
    return len(_HORNED.findall(text)) > HORNED_SHARE * letters_by_script(text).get("Latn", 0)
