"""Body Text Extraction as Finn, Kushmerick and Smyth wrote it ("Fact or fiction", DELOS 2001); for evaluation only.

After section 3 of Phan Thi Ha and Ha Hai Nam (2013), who carry it on (see ``bte``): find i and j such that the tags
before i and after j and the words between them are most.

- Tokens: the source is cut into tags, ``<`` to the next ``>``, and words, what stands between white space elsewhere.
  There is no Step 0, so code in scripts and comments is words and tags like the rest.
- Objective: with B = 1 for a tag and 0 for a word, T(i, j) = sum of B before i + sum of 1 - B from i to j + sum of B
  after j. All tags are the same for every i and j, so T is largest where words less tags in [i, j] are most: the
  paper's cubic search and ``bte.region`` find the same.
- Output: the words of the region, tags deleted. How lines come about is not said: blocks break them, entities are
  decoded, as everywhere here.

Silent is the paper on ties (the first i, then the first j), on ``<`` without ``>`` (a tag to the end of the page) and
on pages without a word (nothing).
"""

from __future__ import annotations

import re

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.papers.bte import encode, region
from pipelines.markup.lexer import sanitise
from pipelines.markup.soup import paragraphs
from storage.records import Extraction

NAME, VERSION = "bte-original", "1"

_TAG = re.compile(r"<([^\s/>]*+|/[^\s>]*+)[^>]*+(?:>|\Z)")


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the region of the raw source that has most words and fewest tags, tags deleted."""
    parts = _TAG.split(sanitise(html))
    texts, names = parts[::2], [name.lower() for name in parts[1::2]]
    words = [len(text.split()) for text in texts]
    found = region(encode(token for count in words for token in (-count, 1)))
    if found is None:
        return Extraction((), NAME, VERSION)
    filled = [index for index, count in enumerate(words) if count]
    start, end = filled[found[0] // 2], filled[found[1] // 2]
    return Extraction(paragraphs(texts[start : end + 1], names[start:end]), NAME, VERSION)
