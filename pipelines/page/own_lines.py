"""Leave the publisher's own lines out of an extraction: appeals, notices and offers that recur on its site.

Such a line is left out with the recurring lines beside it, so the heading of a box goes with the box. A heading alone
stays: "What we know" has the article's own text below it. A short line alone stays too, such as an answer or a refrain.

A text with many such places is of a kind that repeats itself (weather, legal notices, prayers). It stays whole.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.site_template import MAX_PLACES, MIN_SENTENCE_SIZE
from pipelines.text import normalise
from pipelines.text.text_size import size
from storage.bytes.lines import digest, pack, unpack
from storage.records import ParagraphKind
from storage.reporting import counted

if TYPE_CHECKING:
    from storage.records import Extraction

_HEADING = ParagraphKind.HEADING.value


def leave_out(extraction: Extraction, packed: bytes) -> tuple[Extraction, bytes]:
    """Return the extraction without the own lines of its site, and the digests of those left out.

    ``packed``: digests of the own lines. Each paragraph is a line. An extraction of own lines only stays whole. Lines
    that the extractor has left out count too.
    """
    known = unpack(packed)
    if not known:
        return extraction, b""
    before = known.intersection(map(digest, normalise.clean_all(extraction.left_out)))
    digests = list(map(digest, extraction.paragraphs))
    runs = [
        [at for at, _ in run]
        for is_own, run in groupby(enumerate(digests), key=lambda item: item[1] in known)
        if is_own
    ]
    runs = [run for run in runs if any(_is_sentence(extraction, at) for at in run)]
    out = {at for run in runs for at in run}
    if not out or len(runs) >= MAX_PLACES or len(out) == len(digests):
        return extraction, pack(before)
    kept = [at for at in range(len(digests)) if at not in out]
    lines, kinds = extraction.paragraphs, extraction.kinds
    left = replace(
        extraction,
        paragraphs=tuple(lines[at] for at in kept),
        kinds="".join(kinds[at] for at in kept) if kinds else "",
        reason=f"{extraction.reason}, {counted(len(out), 'line')} left out as the publisher's own",
    )
    return left, pack(before.union(digests[at] for at in out))


def _is_sentence(extraction: Extraction, at: int) -> bool:
    return extraction.kinds[at : at + 1] != _HEADING and size(extraction.paragraphs[at]) >= MIN_SENTENCE_SIZE
