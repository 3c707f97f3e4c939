"""Find a page of the corpus, of the web or of a file, and explain in a worker how an extractor reads it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.api.lookup import is_id, look_up, spellings, stored_capture
from corpus_spider.exit_codes import NONE_SUCCEEDED
from storage.corpus import Corpus
from storage.errors import CorpusError
from storage.records import SiteModel

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from corpus_spider.figures.page_figure import PageFigure
    from storage.records import Capture


class UnreadablePageError(CorpusError):
    """A page without HTML, or one that exceeds the limits of its worker."""

    exit_code = NONE_SUCCEEDED


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page that the user named: its bytes, its name in a caption, and the model of its site."""

    capture: Capture
    name: str
    model: SiteModel


def find_page(config: Config, target: str, url: str = "", *, allow_private: bool = False) -> NamedPage:
    """Return the page of an id or a URL of the corpus, of another address, or of a file.

    Raises ConfigError if there is no such page, and NotFetchedError if its address cannot be fetched.
    """
    from corpus_spider.sites import page_request, single_page

    if is_id(target) and not Path(target).exists():
        config.require_corpus()
        return _stored(config, target)
    if single_page.is_address(target):
        if _is_stored(config, target):
            return _stored(config, target)
        capture = page_request.fetch(target, page_request.manners(config, allow_private=allow_private))
        return NamedPage(capture, capture.url, single_page.model_for(config, capture.url, single_page.ExtractRequest()))
    capture = single_page.read(target, config.crawl.max_body, url)
    return NamedPage(capture, url or ("standard input" if target == "-" else Path(target).name), SiteModel())


def _is_stored(config: Config, address: str) -> bool:

    if config.path is None or not config.may_have_corpus():
        return False
    with Corpus.open(config.database_url, read_only=True) as corpus:
        page = corpus.fetches.page(spellings(address))
    return page is not None and any(visit.pointer for visit in page.visits)


def _stored(config: Config, target: str) -> NamedPage:
    from corpus_spider.crawling.site_models import ConfiguredModels

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
    from pipelines.runtime.workers import WorkerPool
    from storage.records import Drop

    explainer(model.extractor)
    with closing(WorkerPool(1, config.worker_limits)) as pool:
        found = pool.explain(page.capture, model).result()
    if isinstance(found, Drop):
        detail = f" ({found.detail})" if found.detail else ""
        do = f"`corpus-spider help {found.reason}` explains the reason."
        raise UnreadablePageError(f"cannot be read: {found.reason}{detail}", where=page.name, do=do)
    return PageFigure(page.name, found)
