"""Export the corpus: choose documents, add the licence of their site, fold and tokenise them, write them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import UNSET, structs

from corpus_spider.export.request import TOKENISED, WITH_SENTENCES, shape_of
from storage.documents.selection import Selection
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from corpus_spider.config.model import Config
    from corpus_spider.export.request import ExportRequest
    from corpus_spider.terminal.console import Console
    from storage.corpus import Corpus
    from storage.documents.model import Columns, CorpusDocument, Outline, Status
    from storage.exports import ExportReport
    from storage.exports.format_table import Destination
    from storage.exports.release.writer import Release, ReleaseForm

Described = TypeVar("Described", "CorpusDocument", "Outline")


@dataclass(frozen=True, slots=True)
class VerticalContents:
    """What vertical text has, by language: its tokens, and what gives lemmas and tags. None: not in this format."""

    tokens: dict[str, str] | None
    annotations: dict[str, str] | None

    def reported(self, report: ExportReport) -> ExportReport:
        """Return a report with what the tokens are, and what annotated them."""
        annotations = UNSET if self.annotations is None else self.annotations
        return replace(report, tokens=self.tokens or UNSET, annotations=annotations)


_FIRST_DAY = "0001-01-01"
ORIGINALS = (".wacz", ".cdxj")
"""Suffixes of targets for the originals."""


def export_documents(config: Config, wanted: ExportRequest, console: Console) -> ExportReport:
    """Export the selected documents with the licence notes of corpus.toml.

    Raises the errors of `storage.exports.export` and of the database. Raises ConfigError for a site that is neither
    configured nor in the corpus, and for texts that cannot be split into words.
    """
    from corpus_spider.export import parallel
    from corpus_spider.export.annotations import annotation_notes, annotations_of
    from corpus_spider.export.tokens import notes, tokens_of
    from storage.corpus import Corpus
    from storage.exports.format_table import destination
    from storage.exports.release.writer import ReleaseForm

    refuse_own_files(config, wanted.target)
    if wanted.release and wanted.target == "-":
        raise ConfigError("a release is a folder and cannot go to standard output", do="Name a new folder.")
    where = shape_of(wanted) if wanted.release else destination(wanted.target, wanted.format_name, wanted.fields)
    refuse_annotations(wanted, where.format_name)
    with Corpus.open(config.database_url, read_only=True) as corpus:
        refuse_unknown_names(config, corpus, wanted.selection)
        tokens = tokens_of(corpus, wanted.selection, where.format_name)
        annotations = annotations_of(corpus, wanted.selection) if wanted.annotate else None
        for sentence in (*notes(tokens), *annotation_notes(annotations or {})):
            console.note(sentence)
        if without_date := undated(corpus, wanted.selection):
            console.note(f"Left out by --since or --until: {counted(without_date, 'document')} without a date.")
        contents = VerticalContents(tokens, annotations)
        if isinstance(where, ReleaseForm) or not parallel.pay(corpus, wanted.selection, where.format_name):
            return contents.reported(_export_here(config, wanted, corpus, where, console, contents))
    report = _export_by_several(config, wanted, where, console)
    if report is None:
        with Corpus.open(config.database_url, read_only=True) as corpus:
            report = _export_here(config, wanted, corpus, where, console, contents)
    return contents.reported(report)


def undated(corpus: Corpus, selection: Selection) -> int:
    """Count the documents that a selection by days leaves out because they have no date."""
    if not (selection.since or selection.until):
        return 0
    of_any_day = replace(selection, since=None, until=None)
    return corpus.documents.count(of_any_day) - corpus.documents.count(replace(of_any_day, since=_FIRST_DAY))


def refuse_annotations(wanted: ExportRequest, format_name: str | None) -> None:
    """Raise ConfigError for annotations in a format that has no place for them."""
    if wanted.annotate and format_name != TOKENISED:
        do = f"Add --format {TOKENISED}, or leave out --annotate."
        raise ConfigError("only vertical text has lemmas and tags", where="--annotate", do=do)


def _export_here(
    config: Config,
    wanted: ExportRequest,
    corpus: Corpus,
    where: Destination | ReleaseForm,
    console: Console,
    contents: VerticalContents,
) -> ExportReport:
    """Export in this process."""
    from storage.exports import export
    from storage.exports.release.writer import ReleaseForm

    with console.progress("documents exported", partial(number, config, wanted)) as show:
        if isinstance(where, ReleaseForm):
            described = about(config, corpus, wanted)
            described = replace(described, tokens=contents.tokens or {}, annotations=contents.annotations)
            return _release(config, corpus, wanted, where, described, show)
        documents = prepared(config, wanted, corpus.documents(wanted.selection))
        return export(
            fit(documents, where.format_name, annotate=wanted.annotate),
            wanted.target,
            format_name=wanted.format_name,
            fields=wanted.fields,
            overwrite=wanted.overwrite,
            on_progress=show,
        )


def _export_by_several(
    config: Config, wanted: ExportRequest, where: Destination, console: Console
) -> ExportReport | None:
    """Export with further processes. None if `parallel.parts` cannot start them."""
    from corpus_spider.export.parallel import Work, parts
    from storage.exports.atomic import make_way
    from storage.exports.writer import export_parts

    if where.path is not None:
        make_way(where.path, overwrite=wanted.overwrite)
    # Columns are faster, and enough unless the request looks into documents.
    needs_documents = wanted.folds or wanted.quality or wanted.without_recurring or wanted.require_licence
    work = Work(
        config.database_url,
        wanted.selection,
        partial(_fitted, config, wanted, where.format_name),
        where,
        None if needs_documents else partial(_columns_licensed, config.site_licences()),
    )
    with parts(work) as made, console.progress("documents exported", partial(number, config, wanted)) as show:
        if made is None:
            return None
        return export_parts(made, where, overwrite=wanted.overwrite, on_progress=show)


def number(config: Config, wanted: ExportRequest) -> int | None:
    """Count the selected documents; None if that would take a look at each of them."""
    from storage.corpus import Corpus

    if wanted.quality or wanted.without_recurring or wanted.require_licence:
        return None
    with Corpus.open(config.database_url, read_only=True) as corpus:
        return corpus.documents.count(wanted.selection)


def prepared(config: Config, wanted: ExportRequest, documents: Iterable[CorpusDocument]) -> Iterator[CorpusDocument]:
    """Yield the chosen documents as they are exported, before `fit` adapts them to the format."""
    return folded(chosen(config, wanted, documents, Counter()), wanted.folds)


def _fitted(
    config: Config, wanted: ExportRequest, format_name: str, documents: Iterable[CorpusDocument]
) -> Iterator[CorpusDocument]:
    """Yield the chosen documents in their written form."""
    return fit(prepared(config, wanted, documents), format_name, annotate=wanted.annotate)


def chosen(
    config: Config, wanted: ExportRequest, documents: Iterable[CorpusDocument], left_out: Counter[str]
) -> Iterator[CorpusDocument]:
    """Yield the documents that meet the request, and count the others by reason."""
    found = with_licences(documents, config.site_licences())
    found = map(own_lines, found) if wanted.without_recurring else found
    return selected(map(measured, found) if wanted.quality else found, wanted, left_out)


def selected(documents: Iterable[Described], wanted: ExportRequest, left_out: Counter[str]) -> Iterator[Described]:
    """Yield the documents that meet the request, and count the others by reason. Licence and quality are known."""
    for document in documents:
        reason = _why_not(document, wanted)
        if reason:
            left_out[reason] += 1
        else:
            yield document


def _why_not(document: CorpusDocument | Outline, wanted: ExportRequest) -> str | None:
    """Return the reason to leave a document out, or None."""
    if wanted.require_licence and not (document.licence or document.licence_url):
        return "no licence"
    if wanted.without_recurring and document.chars < max(1, wanted.selection.min_chars):
        return "too short"
    return wanted.quality.broken(document.quality, document.language) if wanted.quality and document.quality else None


def own_lines(document: CorpusDocument) -> CorpusDocument:
    """Return a document without the lines that recur over its site, with new measures of its quality."""
    from pipelines.quality.signals import measure
    from storage.documents.model import is_mixed
    from storage.documents.recurring_lines import RECURS

    if not document.recurring:
        return document
    kept = [at for at, mark in enumerate(document.recurring) if mark != RECURS]
    lines = document.text.split("\n")
    text = "\n".join(lines[at] for at in kept)
    kinds = "".join(document.kinds[at : at + 1] for at in kept)
    languages = tuple(document.languages[at] for at in kept if at < len(document.languages))
    left = structs.replace(document, text=text, kinds=kinds, languages=languages, chars=len(text), recurring="")
    share = _foreign_share(left)
    quality = measure(text, document.language)
    return structs.replace(left, quality=quality, foreign_share=share, mixed=is_mixed(share))


def _foreign_share(document: CorpusDocument) -> float | None:
    """Return the share of a text in lines of another language than the whole."""
    if document.foreign_share is None:
        return None
    lengths = list(map(len, document.text.split("\n")))
    codes = (language.partition(" ")[0] for language in document.languages)
    foreign = sum(
        length for length, code in zip(lengths, codes, strict=False) if code not in {"und", document.language}
    )
    return round(foreign / max(1, sum(lengths)), 4)


def measured(document: CorpusDocument) -> CorpusDocument:
    """Return a document with its quality. Documents of earlier releases are stored without."""
    from pipelines.quality.signals import measure

    if document.quality:
        return document
    return structs.replace(document, quality=measure(document.text, document.language))


def _release(
    config: Config,
    corpus: Corpus,
    wanted: ExportRequest,
    shape: ReleaseForm,
    described: Release,
    show: Callable[[int], None],
) -> ExportReport:
    from storage.exports.release.writer import write_release

    chosen_documents = prepared(config, wanted, corpus.documents(wanted.selection))
    documents = fit(chosen_documents, shape.format_name, annotate=wanted.annotate)
    return write_release(documents, wanted.target, described, shape, show)


def about(config: Config, corpus: Corpus, wanted: ExportRequest) -> Release:
    """Return the description of a release: without data of this machine, and the same at any time."""
    from corpus_spider.config.values import bare_doi
    from corpus_spider.config.version import program_version
    from pipelines.text.scripts import RIGHT_TO_LEFT
    from storage.database.schema import SCHEMA_VERSION
    from storage.exports.release.writer import Release

    effective = config.effective()
    public = {key: effective["corpus"][key] for key in ("name", "languages", "user_agent")}
    rules = {key: value for key, value in effective["crawl"].items() if key != "workers"}
    removed = tuple(
        {"id": each.id, "removed": each.asked.date().isoformat(), "kind": each.kind}
        for each in corpus.removals.documents()
    )
    return Release(
        name=config.corpus.name,
        software=f"corpus-spider {program_version()}",
        schema=SCHEMA_VERSION,
        contact=config.corpus.contact,
        selection=filters(wanted),
        folds=wanted.folds,
        configuration={"corpus": public, "crawl": rules, "site": effective["site"]},
        removed=removed,
        title=config.corpus.title,
        authors=config.corpus.authors,
        doi=bare_doi(wanted.doi or config.corpus.doi),
        right_to_left=RIGHT_TO_LEFT,
    )


def filters(wanted: ExportRequest) -> dict[str, Any]:
    """Return the filters of the documents, as the manifest holds them."""
    chosen = {"require_licence": wanted.require_licence, "quality": wanted.quality.plain() if wanted.quality else None}
    chosen["without_recurring"] = wanted.without_recurring
    chosen |= {"annotate": True} if wanted.annotate else {}
    plain: dict[str, Any] = json.loads(json.dumps(asdict(wanted.selection) | chosen))
    return plain


def refuse_own_files(config: Config, target: str) -> None:
    """Raise ConfigError for a target that would replace a file of the corpus: a slip with --overwrite."""
    path, own = Path(target).resolve(), {config.path and config.path.resolve()}
    if config.database_file:
        database = config.database_file.resolve()
        own |= {database.with_name(f"{database.name}{kind}") for kind in ("", "-wal", "-shm", "-journal")}
    if target != "-" and (path in own or path.is_relative_to(config.warc_folder.resolve())):
        raise ConfigError("belongs to the corpus itself", where=target, do="Name another file.")


def refuse_unknown_names(
    config: Config, corpus: Corpus, selection: Selection, status: Callable[[], Status] | None = None
) -> None:
    """Raise ConfigError for a site or an extractor that neither this program nor a document knows.

    ``status``: a way to get the status of the corpus that is cheaper than reading it.
    """
    refuse_unknown_sites(config, status or corpus.status, selection.sites)
    if selection.extractors:
        from pipelines.extractors import registry

        known = set(chain.from_iterable(registry.names_by_purpose().values()))
        for name in sorted(set(selection.extractors) - known):
            # Documents keep the name of a plug-in that is gone.
            of_name = Selection(extractors=(name,), versions="all", include_duplicates=True)
            if not corpus.documents.count_exceeds(of_name, 0):
                registry.get(name)


def refuse_unknown_sites(config: Config, status: Callable[[], Status], names: tuple[str, ...]) -> None:
    """Raise ConfigError for an unknown site. A site that left corpus.toml is known by its documents."""
    strange = set(names) - set(config.site_names)
    if strange:
        strange -= {row.key for row in status().by_site}
    for name in sorted(strange):
        config.site(name)


def with_licences(documents: Iterable[Described], licences: dict[str, str | None]) -> Iterator[Described]:
    """Yield each document with the licence of its site in corpus.toml, or else the one it was crawled with."""
    for document in documents:
        licence = licences.get(document.site) or document.licence
        yield document if licence == document.licence else structs.replace(document, licence=licence)


def _columns_licensed(licences: dict[str, str | None], columns: Columns) -> Columns:
    """Return columns of documents with the licences of `with_licences`."""
    stored = zip(columns["site"], columns["licence"], strict=True)
    return columns | {"licence": [licences.get(site) or licence for site, licence in stored]}


def folded(documents: Iterable[CorpusDocument], folds: tuple[str, ...]) -> Iterator[CorpusDocument]:
    """Yield each document with its text, title, captions and comments folded (see pipelines.text.folds)."""
    from pipelines.text.folds import fold

    for document in documents:
        if not folds:
            yield document
            continue
        language = document.language
        text = fold(document.text, folds, language)
        yield structs.replace(
            document,
            text=text,
            chars=len(text),
            title=None if document.title is None else fold(document.title, folds, language),
            captions=tuple(fold(each, folds, language) for each in document.captions),
            comments=tuple(fold(each, folds, language) for each in document.comments),
        )


def fit(documents: Iterable[CorpusDocument], format_name: str, *, annotate: bool = False) -> Iterator[CorpusDocument]:
    """Yield the documents as a format needs them: tokenised and annotated, with marked sentences, or unchanged."""
    from corpus_spider.export.annotations import with_annotations
    from pipelines.text.sentences import marked

    if format_name == TOKENISED:
        return with_annotations(cut(documents)) if annotate else cut(documents)
    if format_name == WITH_SENTENCES:
        return (structs.replace(document, text=marked(document.text)) for document in documents)
    return iter(documents)


def cut(documents: Iterable[CorpusDocument]) -> Iterator[CorpusDocument]:
    """Yield each document with its text split into sentences and tokens: `storage.exports.formats.vertical` needs it.

    Raises ConfigError for a language without spaces between words where no segmenter is installed.
    """
    from pipelines.text.segmentation.choice import CHOICES, CLUSTERS, unit_of
    from pipelines.text.tokenizer import tokenised
    from pipelines.text.words import words

    for document in documents:
        language = document.language
        if unit_of(language) == CLUSTERS:
            extra = CHOICES[language].extra
            do = f'Install the segmenter (extra "{extra}"), or export as .prevert, which is not tokenised.'
            raise ConfigError("words cannot be separated without a segmenter", where=language, do=do)
        yield structs.replace(document, text=tokenised(document.text, words(language).unusual_spans))
