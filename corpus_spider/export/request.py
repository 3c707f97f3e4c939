"""Request of an export: read it from the command line, check it, and derive the shape of a release."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pipelines.quality.rules import QualityRules
    from storage.documents.model import CorpusDocument
    from storage.documents.selection import Selection
    from storage.exports.release.changes import EarlierRelease
    from storage.exports.release.writer import ReleaseForm
    from storage.fields import Field, Fields

RELEASE_FORMAT = "parquet"
TOKENISED, WITH_SENTENCES = "vert", "tei.xml"
GROUP = 50
"""Documents to digest at a time."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Request of an export. ``format_name`` is needed if the target's name does not state it."""

    target: str
    selection: Selection
    format_name: str | None = None
    overwrite: bool = False
    require_licence: bool = False
    """Only documents whose site has a licence in corpus.toml, or whose page names one."""
    folds: tuple[str, ...] = ()
    release: bool = False
    shard_size: int = 0
    since_release: Path | None = None
    doi: str = ""
    """DOI of a release; empty: that of the corpus."""
    quality: QualityRules | None = None
    """Rules on the quality of a text."""
    without_recurring: bool = False
    """Remove the lines that recur over a site from its texts."""
    fields: Fields | None = None
    """Fields to write, in their order; None for those of the format."""
    annotate: bool = False
    """Write lemma and tag behind each token of vertical text."""


def request(selection: Selection, options: Mapping[str, Any]) -> ExportRequest:
    """Return the request that a selection and the other options of the command line state."""
    wanted = ExportRequest(
        options["target"] or "", selection, options["format_name"], options["overwrite"], options["require_licence"]
    )
    shard = _shard_size(options["shard_size"]) if options["shard_size"] else 0
    release = bool(options["release"] or options["shard_size"] or options["since_release"])
    more = {"release": release, "shard_size": shard, "since_release": options["since_release"]}
    if options.get("doi") is not None:
        more["doi"] = _doi(options["doi"], release=release)
    more["without_recurring"] = bool(options["without_recurring"])
    if options.get("fields") is not None:
        more["fields"] = _fields(options["fields"])
    more["annotate"] = bool(options.get("annotate"))
    if options["quality"]:
        more["quality"] = _quality(options["quality"])
    return replace(wanted, require_licence=options["require_licence"], folds=_folds(options["fold"]), **more)


def _shard_size(text: str) -> int:
    from corpus_spider.config.values import WrongValueError, parse_size

    try:
        return parse_size(text)
    except WrongValueError as problem:
        raise ConfigError(str(problem), where="--shard-size", do="Use --shard-size 1GB, for example.") from None


def _doi(text: str, *, release: bool) -> str:
    from corpus_spider.config.values import doi

    if not release:
        raise ConfigError("only a release has a DOI", where="--doi", do="Add --release.")
    if problem := doi(text):
        raise ConfigError(problem, where="--doi", do="Leave out --doi if there is none yet.")
    return text


def _quality(text: str) -> QualityRules:
    from corpus_spider.config.selections import refuse_languages
    from pipelines.quality.rules import DEFAULT, rules

    wanted = rules(text)
    refuse_languages(set(wanted.by_language) - {DEFAULT}, text)
    return wanted


def _folds(given: Iterable[str]) -> tuple[str, ...]:
    from pipelines.text.folds import FOLDS

    names = dict.fromkeys(filter(None, given))
    for name in names:
        if name not in FOLDS:
            raise ConfigError(f"there is no fold {name!r}", where="--fold", do=f"Folds: {', '.join(FOLDS)}.")
    return tuple(sorted(names))


def _fields(text: str) -> Fields:
    """Return the fields that a list of names and presets states, in its order, each once."""
    from corpus_spider.config.values import nearest
    from storage.exports.fields import BY_NAME, PRESETS
    from storage.fields import FIELDS

    found: list[Field] = []
    for name in filter(None, (each.strip().lower() for each in text.split(","))):
        if name not in PRESETS and name not in BY_NAME:
            do = f"Fields: {', '.join(field.name for field in FIELDS)}. Presets: {', '.join(PRESETS)}."
            problem = f'there is no field "{name[:40]}"{nearest(name, [*BY_NAME, *PRESETS])}'
            raise ConfigError(problem, where="--fields", do=do)
        found += PRESETS[name] if name in PRESETS else (BY_NAME[name],)
    if not found:
        raise ConfigError("no field is named", where="--fields", do="Name some: --fields url,date,title,text.")
    return tuple(dict.fromkeys(found))


def shape_of(wanted: ExportRequest) -> ReleaseForm:
    """Return the shape of a release. Its format is ``--format``, else by the target's name, else the earlier release's.

    Its fields are ``--fields``, else the earlier release's, else those of the format. Raises ConfigError when format
    and name differ. Raises it for an earlier release that cannot be read, that this release would replace, that has
    other fields, or whose format cannot be compared.
    """
    from storage.exports.format_table import (
        FIELD_FORMATS,
        FIXED_FIELDS,
        default_fields,
        named_format,
        refuse_fields,
        refuse_other_name,
    )
    from storage.exports.release.changes import read_earlier
    from storage.exports.release.writer import ReleaseForm

    earlier = read_earlier(wanted.since_release) if wanted.since_release else None
    if earlier and wanted.target and earlier.index.resolve().is_relative_to(Path(wanted.target).resolve()):
        do = "Name another folder: the changes are of no use without the earlier release."
        raise ConfigError(
            "the target is the earlier release, which its changes would replace", where=wanted.target, do=do
        )
    named, before = named_format(Path(wanted.target).name), _format_of(earlier)
    if wanted.format_name:
        refuse_other_name(str(wanted.target), wanted.format_name)
    chosen = wanted.format_name or named or before or RELEASE_FORMAT
    if before and before != chosen and {before, chosen} & set(FIXED_FIELDS):
        problem = f"the earlier release is {before}: as {chosen} every document would count as changed"
        raise ConfigError(
            problem, where=str(wanted.since_release), do=f"Use --format {before}, or a release of {chosen}."
        )
    refuse_fields(chosen, wanted.fields)
    fields = wanted.fields
    if earlier and chosen in FIELD_FORMATS:
        fields = fields or earlier.written
        if set(fields or default_fields(chosen)) != set(earlier.written or default_fields(before or chosen)):
            do = "Leave out --fields: the fields are then those of the earlier release."
            raise ConfigError("the earlier release has other fields", where=str(wanted.since_release), do=do)
    return ReleaseForm(chosen, wanted.shard_size, earlier, wanted.overwrite, written=fields)


def _format_of(earlier: EarlierRelease | None) -> str | None:
    from storage.exports.format_table import STREAM_FORMATS

    name = earlier.manifest.get("format") if earlier else None
    return name if isinstance(name, str) and name in STREAM_FORMATS else None


def changed(
    documents: Iterable[CorpusDocument],
    earlier: EarlierRelease,
    exported: Callable[[Iterable[CorpusDocument]], Iterable[CorpusDocument]],
    counts: Counter[str],
) -> Iterator[CorpusDocument]:
    """Yield the documents that were added or changed since the earlier release, and count all changes.

    ``exported`` converts documents to their written form.
    """
    from storage.exports.release.changes import Changes, digests, read_index

    def with_digests() -> Iterator[tuple[CorpusDocument, str]]:
        rest = iter(documents)
        while group := list(islice(rest, GROUP)):
            yield from zip(group, digests(list(exported(group)), earlier.fields), strict=True)

    with Path(os.devnull).open("wb") as log:
        yield from Changes(read_index(earlier.index), log, counts).passing(with_digests())
