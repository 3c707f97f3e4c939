"""Command: plot. Figures of single pages."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import allow_private, as_json, page_url, verb_of
from corpus_spider.exit_codes import NONE_SUCCEEDED
from storage.errors import CorpusError

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.config.model import Config
    from corpus_spider.figures.page_figure import PageFigure
    from storage.records import Capture, SiteModel

FORMS = ("svg", "png", "pdf")
_FILE = click.Path(dir_okay=False, path_type=Path)
_verbs = click.Group()


class UnreadablePageError(CorpusError):
    """A page without HTML, or one that exceeds the limits of its worker."""

    exit_code = NONE_SUCCEEDED


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page that the user named: its bytes, its name in a caption, and the model of its site."""

    capture: Capture
    name: str
    model: SiteModel


@verb_of(
    _verbs,
    (
        "plot page.html --extractor r2l -o figure.svg",
        "plot https://news.example.org/article --extractor bte -o figure.png",
        "plot 0123456789abcdef0123456789abcdef -o figure.svg --json",
    ),
)
@click.argument("target", metavar="URL|ID|FILE|-")
@click.option(
    "--extractor", metavar="NAME", default="", help="Extractor to explain. [default: that of the site, or auto]"
)
@click.option("-o", "--output", type=_FILE, metavar="PATH", help="Figure: .svg, .png or .pdf.")
@click.option("--p", type=click.IntRange(1, 1000), help="Parameter P of r2l and dana, lines.")
@page_url
@allow_private
@as_json
def plot(state: CommonOptions, /, target: str, **options: Any) -> None:
    """Draw why an extractor chose the text of one page.

    Shows the numbers of each line, word or block, and the region that the text is from. `--json` prints the numbers. A
    page of the corpus is read from its WARC file, any other address is fetched. Exit code 7 if the page cannot be
    fetched or read.
    """
    from corpus_spider.figures.drawing import require_library
    from pipelines.extractors.registry import explainer

    output = options["output"]
    form = _ending(output)
    if not (output or options["as_json"]):
        raise click.UsageError("Name a file with -o, or use --json.")
    if output:
        require_library()
    config = state.load_or_default()
    if options["extractor"]:
        explainer(options["extractor"])
    page = find_page(config, target, options["url"], allow_private=options["allow_private"])
    model = page.model.with_extractor(options["extractor"] or page.model.extractor)
    if options["p"]:
        model = replace(model, parameters=(("p", options["p"]),))
    figure = explained(config, page, model)
    if output:
        _write(output, figure.draw(form))
    if options["as_json"]:
        state.console.json(figure.data)
    state.console.note(figure.caption)


VERBS = tuple(_verbs.commands.values())


def find_page(config: Config, target: str, url: str = "", *, allow_private: bool = False) -> NamedPage:
    """Return the page of an id or a URL of the corpus, of another address, or of a file.

    Raises ConfigError if there is no such page, and NotFetchedError if its address cannot be fetched.
    """
    from corpus_spider.cli.show import is_id
    from corpus_spider.sites import single_page
    from storage.records import SiteModel

    if is_id(target) and not Path(target).exists():
        config.require_corpus()
        return _stored(config, target)
    if single_page.is_address(target):
        if _is_stored(config, target):
            return _stored(config, target)
        capture = single_page.fetch(target, single_page.manners(config, allow_private=allow_private))
        return NamedPage(capture, capture.url, single_page.model_for(config, capture.url, single_page.ExtractRequest()))
    capture = single_page.read(target, config.crawl.max_body, url)
    return NamedPage(capture, url or ("standard input" if target == "-" else Path(target).name), SiteModel())


def _is_stored(config: Config, address: str) -> bool:
    from corpus_spider.cli.show import spellings
    from storage.corpus import Corpus

    _, sqlite, file = config.database_url.partition("sqlite:///")
    if config.path is None or (sqlite and not Path(file).exists()):
        return False
    with Corpus.open(config.database_url, read_only=True) as corpus:
        page = corpus.fetches.page(spellings(address))
    return page is not None and any(visit.pointer for visit in page.visits)


def _stored(config: Config, target: str) -> NamedPage:
    from corpus_spider.cli.show import look_up, stored_capture
    from corpus_spider.crawling.site_models import ConfiguredModels
    from storage.corpus import Corpus
    from storage.records import SiteModel

    found = look_up(config, target)
    page, document = found.page, found.document
    capture = replace(stored_capture(config, page, document, target), kind=page.kind)
    with Corpus.open(config.database_url, read_only=True) as corpus:
        models = ConfiguredModels(config, corpus)
    made = document and models.as_made(page.site, document.site_model)
    return NamedPage(capture, page.url, made or models.newest.get(page.site) or SiteModel())


def explained(config: Config, page: NamedPage, model: SiteModel) -> PageFigure:
    """Explain a page in a worker process. Raises UnreadablePageError with the reason if it is no page."""
    from corpus_spider.figures.page_figure import PageFigure
    from pipelines.extractors.registry import explainer
    from pipelines.runtime.workers import WorkerLimits, WorkerPool
    from storage.records import Drop

    explainer(model.extractor)
    limits = WorkerLimits(config.crawl.page_timeout, config.crawl.page_memory)
    with closing(WorkerPool(1, limits)) as pool:
        found = pool.explain(page.capture, model).result()
    if isinstance(found, Drop):
        detail = f" ({found.detail})" if found.detail else ""
        do = f"`corpus-spider help {found.reason}` explains the reason."
        raise UnreadablePageError(f"cannot be read: {found.reason}{detail}", where=page.name, do=do)
    return PageFigure(page.name, found)


def _ending(file: Path | None) -> str:
    """Return the ending of a figure's name without its dot; "" without a file."""
    if file is None:
        return ""
    ending = file.suffix.lower().removeprefix(".")
    if ending not in FORMS:
        raise click.UsageError(f"-o: the name must end in {', '.join(f'.{one}' for one in FORMS)}.")
    return ending


def _write(file: Path, content: bytes) -> None:
    from storage.disk import disk_errors, replace_file

    with disk_errors(file):
        replace_file(file, content, 0o666)
