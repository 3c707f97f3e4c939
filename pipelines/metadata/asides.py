"""Tell what is beside the article: navigation, comments, related articles, by elements and class words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.metadata.headline import MAX_LEVELS, WHOLE_PAGE_TAGS, holds_headline

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode
MISLEADING_NAMES = re.compile(
    r"relat(?!ive)|comment|sidebar|(?<!post-)(?<!entry-)(?<!article-)(?<!asset-)footer|most|popular|recommend"
    r"|(?<!elementor-)widget(?!\s+blog\b)|copyright|weather|event-?(?:date|time|info|detail|meta)|upcoming|cookie"
    r"|\bpoll|prayer-?time|exchange-?rate|currency-?(?:box|bar|rate)|wp-calendar|forecast|countdown|timeline|exif"
    r"|read-?(?:more|also|next)|lien-?quan|tin-?khac|doc-?nhieu|xem-?them|cung-?chuyen-?muc",
    re.IGNORECASE,
)
OTHER_PAGES = re.compile(r"relat(?!ive)|comment|sidebar|most|popular|recommend|upcoming", re.IGNORECASE)
_TAXONOMY = re.compile(r"\b(?:category|tag)-\S+")
"""Classes of WordPress for the subjects of a post. A subject may be called most popular."""
ASIDE_TAGS = frozenset({"nav", "aside", "footer", "figure", "figcaption", "blockquote"})
TAGS_WITHOUT_BYLINE = ASIDE_TAGS - {"aside"}
"""Elements that contain no byline. An aside next to the headline may."""
_MAX_NAMING = 2000
"""Characters of a class or id. They are searched again for each element below."""


def is_aside(node: LexborNode, tags: frozenset[str] = ASIDE_TAGS, classes: re.Pattern[str] = MISLEADING_NAMES) -> bool:
    """Return whether an element or one around it is beside the article: navigation, comments, other pages.

    What holds the headline of the page is the head of the article under any name.
    """
    around: LexborNode | None = node
    for _ in range(MAX_LEVELS):
        if around is None:
            return False
        # A footer or an aside of an article may contain its byline.
        in_article = around.tag in {"footer", "aside"} and around.parent is not None and around.parent.tag == "article"
        if (around.tag not in WHOLE_PAGE_TAGS and classes.search(_TAXONOMY.sub("", naming_of(around)))) or (
            around.tag in tags and not in_article
        ):
            return not holds_headline(around)
        around = around.parent
    return False


def naming_of(node: LexborNode, names: tuple[str, ...] = ("class", "id")) -> str:
    """Return the values of some attributes of an element, as far as they are read."""
    attributes = node.attributes
    return " ".join((attributes.get(name) or "")[:_MAX_NAMING] for name in names)
