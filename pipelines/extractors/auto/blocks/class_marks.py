"""Marks of elements as bits: from their names and from the words of class, id, role and itemprop.

The words are those of publishing systems and their themes, which all countries use. No word belongs to one site.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = {
    "comment": r"comments?(?:list|body|posts?|blocks?|texts?|area|thread|box|wrap|container)?"
    r"|disqus|respond|replies|reply|forumposts?|komment\w*|coment\w*",
    "nav": r"nav|navi|navbar|navigation|navlink|menu|submenu|breadcrumbs?|crumbs?|pager|pagination|paging"
    r"|toolbar|tabs?",
    "side": r"sidebar|side|rail|aside|widgets?|sidecol|complementary",
    "foot": r"footer|foot|copyright|legal|contentinfo|bottom",
    "head": r"header|masthead|topbar|banner|logo|top",
    "share": r"shar\w*|social|sns|like|facebook|twitter|tweet|print|bookmark|follow|addthis|tools?",
    "related": r"relat\w*|recommend\w*|more|most|popular|trend\w*|latest|teasers?|readmore|also|next|prev|previous"
    r"|recent|similar|hot|rank\w*|list",
    "ad": r"ads?|advert\w*|sponsor\w*|promo\w*|adsense|commercial|dfp|outbrain|taboola|partner",
    "meta": r"meta|byline|authors?|date|dateline|datetime|time|timestamp|credits?|source|info|published?|pubdate"
    r"|category|rating|views|bio|writer|editor",
    "caption": r"caption|figcaption|photos?|fotos?|images?|img|gallery|slideshow|figure|media|video|pic|pictures?"
    r"|thumb\w*",
    "tag": r"tags?|tagcloud|keywords?|topics?|labels?",
    "sign": r"newsletter|subscri\w*|login|signup|register|cookies?|consent|modal|popup|overlay|dialog|form"
    r"|search|vote|poll|survey|gdpr|alert|notice",
    "good": r"articles?|content|body|post|entry|story|text|main|detail|articlebody|articletext|prose|news|read|hentry"
    r"|cuerpo|artikel|blog",
    "title": r"title|headline|headings?|subject",
    "lead": r"lead|lede|summary|intro|standfirst|description|abstract|excerpt|subtitle|dek|deck|sapo|teasertext",
    "widget": r"authors?|writer|bio|saboxplugin|newsletters?|mc4wp|mailchimp|subscri\w*|copyrights?|most|popular"
    r"|trending|polls?|cookies?|cc|gdpr|modal|follow|google|telegram|whatsapp|views?|ratings?|disqus|wpd\w*|respond|error|font"
    r"|short\w*|jwplayer|videojs|onesignal|push|signup|jetpack|cta|donat\w*|paywall|weather|ticker|download|promo|call"
    r"|consent|brlbs|borlabs|cmplz|placeholder|privacy",
}
"""Words in a name, and the mark they give. The mark "widget" also needs a full name in ``_WIDGET``."""
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
    r"|onesignal|push-notifications?|sign-?up-(?:card|form|box)|jetpack-likes?|pb-cta|app-download|download-app"
    r"|(?:donat(?:e|ions?)|paywall|promo|weather)-(?:box|banner|card|block|bar|widget|notice|prompt|message)"
    r"|(?:embed|social|content|video|iframe|media|youtube|twitter|facebook|instagram|external)-(?:consent|privacy)"
    r"|consent-(?:embed|placeholder|notice|layer|overlay|box|message)|embed-placeholder|social-placeholder"
    r"|brlbs-\w+|borlabs-\w+|cmplz-(?:placeholder|blocked|blocked-\w+)"
    r"|stock-ticker|call-to-action|cta-(?:box|banner|card|block|widget))\b"
    r"|\A(?:newsletter|poll|copyright|google-news|telegram|modal|author-?bio|font-size)\Z"
)
"""Names, words joined by hyphens, of boxes that are not part of an article, whatever its topic."""

_OF_TAG = dict.fromkeys(_OF_NO_KIND, 0) | {name: KIND[kind] for name, kind in _KINDS.items()}
_OF_TAG |= {name: _OF_TAG.get(name, KIND["other"]) | BIT[mark] for name, mark in _TAGS.items()}
_PATTERNS = [(BIT[name], re.compile(words)) for name, words in _WORDS.items()]
_ANY = re.compile("|".join(_WORDS.values()))
_NAMING = re.compile(r'\s(?:class|id|role|itemprop)="([^"]*)"')
_WORD = re.compile("[A-Z]*[a-z]+|[A-Z]+")
"""A word ends where a capital follows a lower-case letter."""
_APART = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
"""Translation table for the fast path: names in lower case."""
_RANDOM = re.compile(
    r"(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-f]*\d+[a-f]+\d[0-9a-f]*|[a-f]+\d+[a-f][0-9a-f]*)"
    r"(?![0-9a-z])"
)
"""Hexadecimal ids of blocks. They are removed because "ad" could be read in them."""
_HIDDEN = re.compile(
    r"\s(?:hidden(?=[\s=]|\Z)|(?:placeholder|fallback)(?=\s|=\"\"|\Z)|style=\"[^\"]{0,400}?"
    r"(?:display\s*:\s*none|\b(?:left|top|text-indent)\s*:\s*-\d{4}))",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"\sclass=\"(?=(?:[^\"]*\s)?(?:(?:is-|u-)?(?:visually-?hidden|sr-only)|hidden|d-none|(?:visible|show-for)-print|print-?only|screen-?reader(?:-text|-only)?)[\s\"])"
    r"(?![^\"]*(?::|d-(?:sm|md|lg|xl|xxl)-)(?:block|flex|grid|inline|table|contents))",
    re.IGNORECASE,
)
"""Classes of common style sheets for invisible elements. ``hidden md:block`` is visible on some screens."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MAX_NAMING = 2000
_MAX_KEPT, _MAX_TAGS = 300, 2**14
"""Characters of a start tag whose marks are cached, and tags in the cache: the pages of a site repeat them."""


@lru_cache(maxsize=2**15)
def _of_word(word: str) -> int:
    word = word.lower()
    return sum(bit for bit, pattern in _PATTERNS if pattern.fullmatch(word)) if _ANY.fullmatch(word) else 0


@lru_cache(maxsize=2**14)
def _of_naming(naming: str) -> int:
    found = 0
    naming = naming[:_MAX_NAMING]
    if "ad" in naming:
        naming = _RANDOM.sub("", naming)
    words = naming.translate(_APART).split() if naming.isascii() and naming.islower() else _WORD.findall(naming)
    for word in words:
        found |= _of_word(word)
    if found & BIT["widget"] and not _WIDGET.search("-".join(words).lower()):
        found ^= BIT["widget"]
    return found


def marks(tags: Iterable[str]) -> list[int]:
    """Return the mark bits of elements, given their start tags without ``<`` and ``>`` (``block_walk``).

    >>> [mark for mark in NAMES if marks(['aside class="relatedBox"'])[0] & BIT[mark]]
    ['related', 'aside']
    """
    return list(map(_KEPT.__getitem__, tags))


def _read(tag: str) -> int:
    name, _, attributes = tag.partition(" ")
    found = _OF_TAG.get(name, KIND["other"])
    if attributes:
        if _may_hide(attributes) and (_HIDDEN.search(tag) or _UNSEEN.search(tag)):
            found |= BIT["hidden"]
        for naming in _NAMING.findall(tag):
            found |= _of_naming(naming)
        if ' role="button"' in tag:
            found |= BIT["box"]
        if name == "section" and ' role="region"' in tag:  # an embed that screen readers can skip
            found |= BIT["widget"]
        if name in _HEADINGS:  # their ids repeat their text
            found &= ~BIT["widget"]
    return found


def _may_hide(text: str) -> bool:
    """Sieve before the patterns, which take twenty times as long."""
    hidden = "none" in text or "hidden" in text or "Hidden" in text or "holder" in text or "fallback" in text
    hidden = hidden or ('style="' in text and (":-" in text or ": -" in text))
    return hidden or "print" in text or "sr-only" in text or "reader" in text


class _Kept(dict[str, int]):
    """Cache of the marks of start tags. It is cleared when full; long tags are not kept."""

    def __missing__(self, tag: str) -> int:
        if len(self) == _MAX_TAGS:
            self.clear()
        found = _read(tag)
        if len(tag) <= _MAX_KEPT:
            self[tag] = found
        return found


_KEPT = _Kept()
