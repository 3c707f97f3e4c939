"""Character clusters: what a run of letters without spaces is split into where no segmenter knows its words."""

from __future__ import annotations

import regex

# To Unicode a Burmese vowel such as AA is no part of its cluster (UAX 29, table 2). To a reader it is.
_CLUSTER = regex.compile(r"\X\p{M}*")


def clusters(run: str) -> list[str]:
    """Return the character clusters of a run: letters with their marks."""
    found: list[str] = _CLUSTER.findall(run)
    return found
