"""What a release is made as: its format, and the earlier dump whose changes it tells."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator

    from corpus_spider.dump import Dump
    from storage.exports.changes import Earlier
    from storage.exports.release import Shape
    from storage.holdings import CorpusDocument

RELEASE_FORMAT = "jsonl.zst"
TOKENISED, WITH_SENTENCES, PREVERTICAL = "vert", "tei.xml", "prevert"
_OTHERWISE = {TOKENISED, WITH_SENTENCES, PREVERTICAL}
"""Formats that cut texts or hold not all fields: a document is not known again in a dump of another format."""
GROUP = 50
"""Documents whose digests are made at a time."""


def shape_of(wanted: Dump) -> Shape:
    """Return how a release is written: as ``--format`` says, else its target's name, else as the earlier dump was.

    Raises ConfigError where format and name differ, for an earlier dump that cannot be read, that stands where this one
    is to be, or in whose format the documents are others.
    """
    from storage.exports.changes import read_earlier
    from storage.exports.formats import named_format
    from storage.exports.release import Shape

    earlier = read_earlier(wanted.since_dump) if wanted.since_dump else None
    if earlier and wanted.target and earlier.index.resolve().is_relative_to(Path(wanted.target).resolve()):
        do = "Name another folder: without the earlier dump its changes are of no use."
        raise ConfigError("the earlier dump would be replaced by what has changed since", where=wanted.target, do=do)
    named, before = named_format(Path(wanted.target).name), _format_of(earlier)
    if wanted.format_name and named and wanted.format_name != named:
        problem = f"the name says {named}, and --format says {wanted.format_name}"
        raise ConfigError(problem, where=wanted.target, do="Leave out --format, or name the folder otherwise.")
    chosen = wanted.format_name or named or before or RELEASE_FORMAT
    if before and before != chosen and {before, chosen} & _OTHERWISE:
        problem = f"the earlier dump is {before}: as {chosen} every document would count as changed"
        raise ConfigError(problem, where=str(wanted.since_dump), do=f"Use --format {before}, or a dump of {chosen}.")
    return Shape(chosen, wanted.shard_size, earlier, wanted.overwrite)


def _format_of(earlier: Earlier | None) -> str | None:
    from storage.exports.formats import STREAM_FORMATS

    told = earlier.manifest.get("format") if earlier else None
    return told if isinstance(told, str) and told in STREAM_FORMATS else None


def changed(
    documents: Iterable[CorpusDocument],
    earlier: Earlier,
    exported: Callable[[Iterable[CorpusDocument]], Iterable[CorpusDocument]],
    counts: Counter[str],
) -> Iterator[CorpusDocument]:
    """Yield those of the documents that a release since the earlier dump holds, and count what happened to each.

    ``exported`` makes of documents what is written of them.
    """
    from storage.exports.changes import Changes, digests, read_index

    def told() -> Iterator[tuple[CorpusDocument, str]]:
        rest = iter(documents)
        while group := list(islice(rest, GROUP)):
            yield from zip(group, digests(list(exported(group)), earlier.fields), strict=True)

    with Path(os.devnull).open("wb") as log:
        yield from Changes(read_index(earlier.index), log, counts).passing(told())
