"""`export --dry-run`: count the documents of an export by language, site and month, and those left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from corpus_spider.export.exporter import (
    ORIGINALS,
    chosen,
    filters,
    fit,
    folded,
    measured,
    number,
    refuse_annotations,
    refuse_own_files,
    refuse_unknown_names,
    selected,
    undated,
    with_licences,
)
from corpus_spider.export.request import TOKENISED, changed, shape_of
from storage.documents.model import month_of
from storage.errors import ConfigError
from storage.exports.release.changes import CHANGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from corpus_spider.config.model import Config
    from corpus_spider.export.request import ExportRequest
    from corpus_spider.terminal.console import Console
    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument, Outline
    from storage.documents.selection import Selection
    from storage.exports.release.writer import ReleaseForm

PROGRESS_DOCUMENTS = 1000


@dataclass(slots=True)
class Amount:
    """Number of documents, code points and words (estimated, as in `storage.records.Quality`)."""

    documents: int = 0
    chars: int = 0
    words: int = 0

    def add(self, document: CorpusDocument | Outline) -> None:
        """Count a document with measured quality."""
        self.documents += 1
        self.chars += document.chars
        self.words += document.quality.words if document.quality else 0


@dataclass(frozen=True, slots=True)
class LanguageAmount:
    """Documents that an export would have in a language."""

    language: str
    documents: int
    chars: int
    words: int


@dataclass(frozen=True, slots=True)
class SiteAmount:
    """Documents that an export would have of a site."""

    site: str
    documents: int
    chars: int
    words: int


@dataclass(frozen=True, slots=True)
class MonthAmount:
    """Documents that an export would have of a month, such as 2026-11, or ``undated``."""

    month: str
    documents: int
    chars: int
    words: int


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """Documents that an export would have. ``left_out``: those of the selection that it would not have, by reason."""

    documents: int
    chars: int
    words: int
    left_out: dict[str, int]
    languages: list[LanguageAmount]
    sites: list[SiteAmount]
    months: list[MonthAmount]
    changes: dict[str, int] | UnsetType = UNSET


_KEYS: Mapping[str, Callable[[CorpusDocument | Outline], str]] = {
    "language": lambda document: document.language,
    "site": lambda document: document.site,
    "month": lambda document: month_of(document.date),
}


def rehearse(config: Config, wanted: ExportRequest, console: Console) -> ExportPlan:
    """Return the amount that an export would write: by language, site and month of publication.

    The documents that it would leave out are counted by reason. For a release since an earlier release, the changes are
    counted too. Documents outside the selection are not counted. Raises ConfigError for a target that is not possible,
    and for an earlier release that cannot be read or has other filters.
    """
    from corpus_spider.export.annotations import annotation_notes, annotations_of
    from corpus_spider.export.tokens import notes, tokens_of
    from storage.corpus import Corpus
    from storage.exports.format_table import named_format

    shape = _refuse_target(config, wanted)
    left_out: Counter[str] = Counter()
    changes: Counter[str] = Counter()
    whole, groups = Amount(), {name: defaultdict[str, Amount](Amount) for name in _KEYS}
    total = None if wanted.since_release else partial(number, config, wanted)
    with Corpus.open(config.database_url, read_only=True) as corpus, console.progress("documents read", total) as show:
        refuse_unknown_names(config, corpus, wanted.selection)
        made = shape.format_name if shape else wanted.format_name or named_format(wanted.target)
        refuse_annotations(wanted, made or TOKENISED)
        annotations = annotations_of(corpus, wanted.selection) if wanted.annotate else {}
        for sentence in (*notes(tokens_of(corpus, wanted.selection, made)), *annotation_notes(annotations)):
            console.note(sentence)
        for document in _documents(config, wanted, corpus, shape, left_out, changes):
            whole.add(document)
            for name, key in _KEYS.items():
                groups[name][key(document)].add(document)
            if whole.documents % PROGRESS_DOCUMENTS == 0:
                show(whole.documents)
        left_out["repeats another"] = _repeated(corpus, wanted.selection)
        left_out["no date"] = undated(corpus, wanted.selection)
    return ExportPlan(
        **asdict(whole),
        left_out=dict((+left_out).most_common()),
        languages=[LanguageAmount(key, **asdict(amount)) for key, amount in sorted(groups["language"].items())],
        sites=[SiteAmount(key, **asdict(amount)) for key, amount in sorted(groups["site"].items())],
        months=[MonthAmount(key, **asdict(amount)) for key, amount in sorted(groups["month"].items())],
        changes={name: changes[name] for name in CHANGES} if wanted.since_release else UNSET,
    )


def _documents(
    config: Config,
    wanted: ExportRequest,
    corpus: Corpus,
    shape: ReleaseForm | None,
    left_out: Counter[str],
    changes: Counter[str],
) -> Iterator[CorpusDocument | Outline]:
    """Yield the documents of the export with their quality. Texts are read only if a filter needs them."""
    earlier = shape.earlier if shape else None
    if not (earlier or wanted.without_recurring) and corpus.documents.are_measured(wanted.selection):
        yield from selected(
            with_licences(corpus.documents.outlines(wanted.selection), config.site_licences()), wanted, left_out
        )
        return
    documents = chosen(config, wanted, corpus.documents(wanted.selection), left_out)
    if shape and earlier:
        documents = changed(documents, earlier, partial(_exported, wanted, shape.format_name), changes)
    yield from map(measured, documents)


def _exported(wanted: ExportRequest, format_name: str, documents: Iterable[CorpusDocument]) -> Iterator[CorpusDocument]:
    """Yield documents in their written form."""
    return fit(folded(documents, wanted.folds), format_name, annotate=wanted.annotate)


def _refuse_target(config: Config, wanted: ExportRequest) -> ReleaseForm | None:
    """Raise ConfigError for a target that is not possible. Return the shape of a release."""
    from storage.exports.format_table import destination, refuse_unknown_format
    from storage.exports.release.changes import refuse_other_filters

    refuse_unknown_format(wanted.format_name)
    if wanted.target:
        refuse_own_files(config, wanted.target)
    if wanted.target.endswith(ORIGINALS):
        raise ConfigError("originals are exported whole", where=wanted.target, do="Leave out --dry-run.")
    if wanted.target and not wanted.release:
        destination(wanted.target, wanted.format_name, wanted.fields)
    if not wanted.release:
        return None
    shape = shape_of(wanted)
    if shape.earlier:
        refuse_other_filters(shape.earlier, filters(wanted), wanted.folds)
    return shape


def _repeated(corpus: Corpus, selection: Selection) -> int:
    """Count the documents that are left out only because another represents them."""
    every = replace(selection, include_duplicates=True)
    return corpus.documents.count(every) - corpus.documents.count(selection) if selection != every else 0
