"""Marks of elements: bits from their names and from the words of class, id, role and itemprop.

The words are those of publishing systems and their themes, which all countries use. No word belongs to one site.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.markup.hidden import hidden_among

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_TAG = 300
"""Characters of a start tag that are read."""
_NUMBER = re.compile(r"\d+")


def makes_of(tags: Iterable[str]) -> list[str]:
    """Return the make of each element: the part of its start tag that elements of one make share.

    It has no ids and no digits. The pattern runs once over all tags, which hold no ``<``.

    >>> makes_of(['p class="par par-12" id="x7"', 'p id="x7"'])
    ['p par par-', 'p id="x"']
    """
    classed = [_classed(tag[:MAX_TAG]) for tag in tags]
    return _NUMBER.sub("", "<".join(classed)).split("<") if classed else []


def _classed(tag: str) -> str:
    """Return the name and class of an element, the whole start tag without a class."""
    before, _, after = tag.partition(' class="')
    named, end, _ = after.partition('"')
    return f"{before.partition(' ')[0]} {named}" if end else tag


# Marks of elements.
_WORDS = {
    mark: "|".join(words.split())
    for mark, words in tomllib.loads(Path(__file__).with_name("class_words.toml").read_text(encoding="utf-8")).items()
}
"""Words in a name, and the mark they give."""
_TAGS = {
    **{name: name for name in ("article", "main", "nav", "aside", "header", "footer", "form", "figure", "table")},
    **dict.fromkeys(("ul", "ol"), "ul"),
    **dict.fromkeys(("figcaption", "caption"), "figure"),
    **dict.fromkeys(("button", "object", "marquee", "dialog"), "box"),
}
_TAGS |= {"dl": "dl", "menu": "nav", "fieldset": "form", "blockquote": "blockquote"}
NAMES = (*_WORDS, *dict.fromkeys(_TAGS.values()), "hidden")
"""Names of the mark bits, lowest first."""
BIT = {name: 1 << index for index, name in enumerate(NAMES)}
NO_TEXT = BIT["comment"] | BIT["form"] | BIT["widget"] | BIT["box"] | BIT["nav"]
"""Marks of hidden elements that are no rest of an article."""
PRAISE = BIT["good"] | BIT["article"] | BIT["main"] | BIT["title"] | BIT["lead"]
"""Marks that speak for a block."""

_KINDS = {name: name for name in ("p", "h1", "h2", "h3")}
_KINDS |= {**dict.fromkeys(("td", "th", "tr"), "td"), **dict.fromkeys(("dd", "dt"), "dd")}
_KINDS |= dict.fromkeys(("figcaption", "caption"), "figcaption")
_OF_NO_KIND = ("h4", "h5", "h6", "li", "div", "body", "center", "blockquote", "pre", "section", "article", "main")
KIND = {name: 1 << index for index, name in enumerate((*dict.fromkeys(_KINDS.values()), "other"), len(NAMES))}
"""Bits for the element's name alone."""

_BOX = (
    "(?:box|block|widget|card|form|info|section|area|container|wrap|wrapper|banner|bar|popup|inner|text|notice|module)"
)
_WIDGET = re.compile(
    rf"\b(?:about-(?:the-)?(?:author|writer)|(?:author|writer|bio)-(?:{_BOX}|bio|profile|about|desc|description|details?)"
    rf"|(?:newsletters?|subscri\w*|mc4wp|mailchimp|polls?|telegram|whatsapp|gdpr|cookies?|copyrights?)-{_BOX}"
    r"|newsletter-(?:sign-?up|subscri\w*|promo|cta|inline)|cookie-(?:law|consent|message)|cc-(?:window|banner)|wp-polls"
    r"|(?:telegram|whatsapp)-(?:channel|join)|follow-(?:us|google|telegram)|mc4wp|saboxplugin"
    r"|most-(?:read|viewed|popular|commented|shared|visited)|popular-(?:posts?|news|articles)|trending-(?:posts|news|now)"
    r"|modal-(?:dialog|content|body|fade)|post-(?:views?|ratings?)|star-ratings?|disqus-thread|wpdcom|wpd-\w+|wpdiscuz"
    r"|comment-respond|(?:report|orphus)-error|error-report|font-resizer?|short-?(?:links?|url)|jwplayer|videojs"
    r"|vjs-no-js|onesignal|push-notifications?|sign-?up-(?:card|form|box)|jetpack-likes?|pb-cta|app-download|download-app"
    r"|(?:donat(?:e|ions?)|paywall|promo|weather)-(?:box|banner|card|block|bar|widget|notice|prompt|message)"
    r"|(?:embed|social|content|video|iframe|media|youtube|twitter|facebook|instagram|external)-(?:consent|privacy)"
    r"|consent-(?:embed|placeholder|notice|layer|overlay|box|message)|embed-placeholder|social-placeholder"
    r"|brlbs-\w+|borlabs-\w+|cmplz-(?:placeholder|blocked|blocked-\w+)"
    rf"|(?:stock|news|breaking|breaking-news)-ticker|ticker-{_BOX}|call-to-action|cta-(?:box|banner|card|block|widget))\b"
    r"|\A(?:newsletter|poll|copyright|google-news|telegram|modal|author-?bio|font-size)\Z"
)
"""Names, words joined by hyphens, of boxes that are not part of an article on any topic."""

_OF_TAG = dict.fromkeys(_OF_NO_KIND, 0) | {name: KIND[kind] for name, kind in _KINDS.items()}
_OF_TAG |= {name: _OF_TAG.get(name, KIND["other"]) | BIT[mark] for name, mark in _TAGS.items()}
_PATTERNS = [(BIT[name], re.compile(words)) for name, words in _WORDS.items()]
_ANY = re.compile("|".join(_WORDS.values()))
_NAMING = re.compile(r'\s(?:class|id|role|itemprop)="([^"]*)"')
_NAMING_WITHOUT_ROLE = re.compile(r'\s(?:class|id|itemprop)="([^"]*)"')
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
_WORD = re.compile("[A-Z]*[a-z]+|[A-Z]+")
"""A word ends where a capital follows a lower-case letter."""
_APART = bytes(code if chr(code).isalpha() else ord(" ") for code in range(128)).ljust(256)
"""Translation table for the fast path: names in lower case."""
_RANDOM = re.compile(
    r"(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-f]*\d+[a-f]+\d[0-9a-f]*|[a-f]+\d+[a-f][0-9a-f]*)"
    r"(?![0-9a-z])"
)
"""Hexadecimal ids of blocks. They are removed because "ad" could be read in them."""
_BESIDE = re.compile(r' role="(?:marquee|status|alert|alertdialog|dialog|complementary|timer|log)"')
"""Roles (WAI-ARIA 1.2) of what stands beside the text."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MAX_NAMING = 2000
_MAX_CACHED_CHARS, _MAX_TAGS = 300, 2**14
"""Characters of a start tag whose marks are cached, and tags in the cache: the pages of a site repeat them."""


@lru_cache(maxsize=2**15)
def _of_word(word: str) -> int:
    word = word.lower()
    return sum(bit for bit, pattern in _PATTERNS if pattern.fullmatch(word)) if _ANY.fullmatch(word) else 0


def _of_naming(naming: str) -> int:
    naming = naming[:_MAX_NAMING]
    if "ad" in naming:
        naming = _RANDOM.sub("", naming)
    is_plain = naming.isascii() and naming.islower()
    words = naming.encode().translate(_APART).decode().split() if is_plain else _WORD.findall(naming)
    found = 0
    for word in words:
        found |= _of_word(word)
    if found & BIT["widget"] and not _WIDGET.search("-".join(words).lower()):
        found ^= BIT["widget"]
    return found


def naming_of(attributes: str) -> str:
    """Return the words of class, id and itemprop in lower case."""
    return _HUMP.sub("-", " ".join(_NAMING_WITHOUT_ROLE.findall(attributes[:_MAX_NAMING]))).lower()


_KNOWN: dict[str, int] = {}
"""Marks of start tags that were read before."""


def marks(tags: Sequence[str]) -> list[int]:
    """Return the mark bits of elements, given their start tags without ``<`` and ``>``.

    >>> [mark for mark in NAMES if marks(['aside class="relatedBox"'])[0] & BIT[mark]]
    ['related', 'aside']
    """
    new = {tag for tag in tags if tag not in _KNOWN}
    hidden = hidden_among(new)
    read = {tag: _marks_of(tag) | BIT["hidden"] * (tag in hidden) for tag in new}
    found = [read[tag] if tag in read else _KNOWN[tag] for tag in tags]
    if len(_KNOWN) + len(read) > _MAX_TAGS:
        _KNOWN.clear()
    _KNOWN.update((tag, bits) for tag, bits in read.items() if len(tag) <= _MAX_CACHED_CHARS)
    return found


def _marks_of(tag: str) -> int:
    """Return the marks of an element except whether it is hidden."""
    name, _, attributes = tag.partition(" ")
    found = _OF_TAG.get(name, KIND["other"])
    if name == "marquee":
        found |= BIT["widget"]
    if attributes:
        for naming in _NAMING.findall(tag):
            found |= _of_naming(naming)
        if ' role="button"' in tag:
            found |= BIT["box"]
        if ' role="' in tag and _BESIDE.search(tag):
            found |= BIT["widget"]
        if name == "section" and ' role="region"' in tag:  # an embed that screen readers can skip
            found |= BIT["widget"]
        if name in _HEADINGS:  # their ids repeat their text
            found &= ~BIT["widget"]
    return found
