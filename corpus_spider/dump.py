"""The corpus as files: choose documents, add the licence of their site, hand them to the exporters."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from storage.corpus import Corpus
    from storage.exports import ExportReport
    from storage.records import CorpusDocument, Selection


@dataclass(frozen=True, slots=True)
class Dump:
    """What to write and where. ``format_name`` is needed where the target's name does not say it."""

    target: str
    selection: Selection
    format_name: str | None = None
    overwrite: bool = False
    require_licence: bool = False
    """Only documents whose site has a licence in corpus.toml, or whose page names one."""


def request(options: dict[str, Any]) -> Dump:
    """Turn the options of the command line into a wish; days are inclusive."""
    from storage.records import Selection

    since, until = (options[name].date().isoformat() if options[name] else None for name in ("since", "until"))
    selection = Selection(
        languages=options["languages"],
        sites=options["sites"],
        since=since,
        until=until,
        min_chars=options["min_chars"],
        include_duplicates=options["include_duplicates"],
        versions=options["versions"],
        min_confidence=options["min_confidence"],
        without_reserved=options["without_reserved"],
    )
    return Dump(options["target"], selection, options["format_name"], options["overwrite"], options["require_licence"])


def dump(config: Config, wanted: Dump, console: Console) -> ExportReport:
    """Export the selected documents with the licence notes of corpus.toml.

    Raises what `storage.exports.export` and the database raise, and ConfigError for a site that is neither configured
    nor in the corpus.
    """
    from storage.corpus import Corpus
    from storage.exports import export

    licences = {site.name: site.licence for site in config.sites}
    with Corpus.open(config.database_url, read_only=True) as corpus, console.progress("documents exported") as show:
        refuse_unknown_sites(config, corpus, wanted.selection.sites)
        documents = with_licences(corpus.documents(wanted.selection), licences)
        if wanted.require_licence:
            documents = (document for document in documents if document.licence or document.licence_url)
        return export(
            documents, wanted.target, format_name=wanted.format_name, overwrite=wanted.overwrite, on_progress=show
        )


def refuse_unknown_sites(config: Config, corpus: Corpus, names: tuple[str, ...]) -> None:
    """Raise ConfigError for a name that is no site; one taken out of corpus.toml is known by its documents."""
    strange = set(names) - {site.name for site in config.sites}
    if strange:
        strange -= {row.key for row in corpus.status().by_site}
    for name in sorted(strange):
        config.site(name)


def fields(report: ExportReport) -> dict[str, Any]:
    """Return the report as it is printed, with the format under the name of its option."""
    return {"format" if key == "format_name" else key: value for key, value in asdict(report).items()}


def with_licences(documents: Iterable[CorpusDocument], licences: dict[str, str | None]) -> Iterator[CorpusDocument]:
    """Yield each document with the licence its site has in corpus.toml now, else the one it had when it was crawled."""
    for document in documents:
        licence = licences.get(document.site) or document.licence
        yield document if licence == document.licence else replace(document, licence=licence)
