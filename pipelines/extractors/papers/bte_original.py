"""Body Text Extraction: Finn, Kushmerick and Smyth, "Fact or fiction", DELOS 2001. For evaluation only.

As section 3 of Phan Thi Ha and Ha Hai Nam (2013) describes it (see ``bte``, their improvement): find i and j such that
the tags before i and after j and the words between them are most.

- Tokens: the source is cut into tags, from ``<`` to the next ``>``, and words between white space. There is no Step 0:
  code in scripts and comments counts as words and tags.
- Objective: B is 1 for a tag and 0 for a word. T(i, j) is the sum of B before i, of 1 - B from i to j, and of B after
  j. The sum of all B is constant. So T is largest where words less tags from i to j are most: `bte.main_texts` finds
  what the paper's cubic search finds.
- Output: the words of the region, tags deleted. The paper does not say how lines come about. Here block-level tags
  break them, and entities are decoded.

Open in the paper, and decided here: ties (the smallest i wins, then the smallest j), ``<`` without ``>`` (a tag to the
end of the page), pages without a word (nothing).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.papers.bte import explained, search
from pipelines.markup.lexer import sanitise
from pipelines.markup.soup import paragraphs
from storage.records import Extraction

if TYPE_CHECKING:
    from pipelines.extractors.explanation import Explanation

NAME, VERSION = "bte-original", "1"

_TAG = re.compile(r"<([^\s/>]*+|/[^\s>]*+)[^>]*+(?:>|\Z)")


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the region of the raw source that has most words and fewest tags, tags deleted."""
    return explain(html).extraction


def explain(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``extract``, as ``bte.explain``."""
    parts = _TAG.split(sanitise(html))
    texts, tags = parts[::2], [name.lower() for name in parts[1::2]]
    found = search(len(text.split()) for text in texts)
    span = found.texts
    lines = paragraphs(texts[span], tags[span.start : max(span.stop - 1, 0)])
    return explained(found, Extraction(lines, NAME, VERSION))
