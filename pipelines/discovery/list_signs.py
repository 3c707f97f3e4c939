"""Two signs of lists: a text as long as a headline, and the number of a page in a URL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pipelines.classification.page_type import HEADLINE
from pipelines.text.scripts import size

if TYPE_CHECKING:
    from pipelines.urls.url import Address

_PAGE = re.compile(
    r"(?:[?&](?:p|pg|page\w{0,6}|trang|start|offset)=|/(?:page|trang|p)[-/_]?|[-_](?:p|page|trang)-?)(\d{1,6})(?=[/.&?]|$)",
    re.IGNORECASE,
)


def is_headline(text: str) -> bool:
    """Return whether a text is as long as a headline. No letter counts less than one of an alphabet."""
    return len(text) >= HEADLINE or size(text) >= HEADLINE


def page_number(address: Address) -> int | None:
    """Return the page number in path or query; None without one. A host such as p2.example.org has none."""
    found = _PAGE.search(unquote(f"{address.path}?{address.query}"))
    return int(found[1]) if found else None
