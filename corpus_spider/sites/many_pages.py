"""Extract many pages outside a crawl: files, folders, standard input and web pages, in the worker processes of a crawl.

The workers are started once. Each page has their limits of time and memory. A page that fails does not stop the others.
"""

from __future__ import annotations

import os
import re
from collections import deque
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from corpus_spider.sites import page_request, single_page
from corpus_spider.sites.polite_client import PoliteClient
from corpus_spider.sites.single_page import PageReading, checked, is_address
from pipelines.runtime.workers import WorkerPool
from storage.errors import ConfigError, CorpusError
from storage.reasons import WORKER_FAULTS
from storage.records import Drop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from corpus_spider.config.model import Config
    from corpus_spider.sites.single_page import ExtractRequest
    from storage.records import Capture, Processed, SiteModel

PAGES_AHEAD = 4
"""Pages for each worker that are read before their turn, so that no worker waits."""
STANDARD_INPUT = "-"
UNREADABLE, NOT_FETCHED = "unreadable", "not_fetched"
"""Reasons of pages that did not reach a worker."""
_ENDINGS = frozenset({".html", ".htm", ".xhtml", ".shtml"})
_NOT_OF_NAMES = re.compile(r"[^\w.-]+")
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page to extract: a URL, a file or standard input. ``name``: its text in an output folder, without ending."""

    target: str
    name: PurePath
    in_folder: bool = False
    """Whether it was found in a folder, where files that are no pages are expected."""


@dataclass(frozen=True, slots=True)
class PageResult:
    """A page with its text, or with the reason why it has none."""

    source: PageSource
    reading: PageReading
    error: CorpusError | None = None
    """Why it could not be read or fetched."""

    @property
    def is_skipped(self) -> bool:
        """Whether it is a file of a folder that is no page."""
        drop = self.reading.drop
        return self.source.in_folder and drop is not None and drop.reason == "not_html"


def sources(targets: Sequence[str], output: Path | None = None) -> list[PageSource]:
    """List the pages that targets name, those of folders in the order of their names, without hidden files.

    ``output``: a folder whose files are left out. Raises ConfigError for a target that does not exist, and for a folder
    without a file.
    """
    found: list[PageSource] = []
    folders = [target for target in targets if not _is_single(target) and Path(target).is_dir()]
    for target in targets:
        if target not in folders:
            found.append(PageSource(target, _name_of(target)))
            continue
        inside = [Path(target, name) for name in _files(Path(target), output)]
        if not inside:
            raise ConfigError("this folder has no files", where=target, do="Name a folder with HTML files.")
        parent = PurePath(Path(target).resolve().name) if len(folders) > 1 else PurePath()
        found += (
            PageSource(str(path), parent / _without_ending(path.relative_to(target)), in_folder=True) for path in inside
        )
    return _with_distinct_names(found)


def _is_single(target: str) -> bool:
    """Return whether a target is standard input or a URL. Raises ConfigError if it is neither, and no file."""
    if target == STANDARD_INPUT or is_address(target):
        return True
    if not Path(target).exists():
        do = "Name an existing file or folder, or a web address with its https://."
        raise ConfigError("cannot be read: No such file or directory", where=target, do=do)
    return False


def _files(folder: Path, output: Path | None) -> Iterator[PurePath]:
    """Yield the files of a folder and its subfolders, sorted, as paths relative to it."""
    left_out = output.resolve() if output else None
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            each for each in folders if not each.startswith(".") and Path(place, each).resolve() != left_out
        )
        for name in sorted(names):
            if not name.startswith(".") and Path(place, name).is_file():
                yield PurePath(place, name).relative_to(folder)


def _name_of(target: str) -> PurePath:
    if target == STANDARD_INPUT:
        return PurePath("standard-input")
    if is_address(target):
        return PurePath(_NOT_OF_NAMES.sub("-", target.partition("://")[2]).strip("-.")[:_LONGEST_NAME] or "page")
    return _without_ending(PurePath(PurePath(target).name))


def _without_ending(path: PurePath) -> PurePath:
    return path.with_suffix("") if path.suffix.lower() in _ENDINGS else path


def _with_distinct_names(found: Sequence[PageSource]) -> list[PageSource]:
    """Number the names that several sources have: page, page-2, page-3."""
    taken: set[PurePath] = set()
    distinct = []
    for source in found:
        name, number = source.name, 1
        while name in taken:
            number += 1
            name = source.name.with_name(f"{source.name.name}-{number}")
        taken.add(name)
        distinct.append(replace(source, name=name))
    return distinct


def extract_all(
    pages: Sequence[PageSource], wanted: ExtractRequest, config: Config, *, only_articles: bool = False
) -> Iterator[PageResult]:
    """Extract pages in worker processes, and yield them in their order.

    ``only_articles``: no text of a page that a crawl would drop. Otherwise it is extracted however short.
    Raises ConfigError for an unknown extractor, an invalid language or URL. Raises CorpusError if no worker starts.
    """
    checked(wanted)
    extractors = {wanted.extractor} if wanted.extractor else {site.extractor for site in config.sites}
    with closing(WorkerPool(min(config.workers, len(pages)), config.worker_limits, extractors=extractors)) as pool:
        job = _PageJob(pool, _PageModels(wanted, config), _opener(wanted, config, alone=len(pages) == 1), only_articles)
        waiting: deque[_BegunPage] = deque()
        for page in pages:
            waiting.append(job.begin(page))
            if len(waiting) > PAGES_AHEAD * pool.size:
                yield job.end(waiting.popleft())
        while waiting:
            yield job.end(waiting.popleft())


def _opener(wanted: ExtractRequest, config: Config, *, alone: bool) -> Callable[[str], Capture]:
    """Return a function that reads or fetches a target. Several web pages of a host are fetched with its delay."""
    manners = page_request.manners(config, allow_private=wanted.allow_private)
    client = PoliteClient(manners, config.crawl.delay, budget=2**31)

    def opened(target: str) -> Capture:
        if not is_address(target):
            return single_page.read(target, config.crawl.max_body, wanted.url)
        return page_request.fetch(target, manners) if alone else client.get(target)

    return opened


class _PageModels:
    """The model of each page: that of the site at its URL, made once."""

    def __init__(self, wanted: ExtractRequest, config: Config) -> None:
        self._wanted, self._config = wanted, config
        self._made: dict[str, SiteModel] = {}

    def of(self, url: str) -> SiteModel:
        """Return the model for a page of this URL."""
        site = self._config.site_at(url)
        name = site.name if site else ""
        if name not in self._made:
            self._made[name] = single_page.model_for(self._config, url, self._wanted)
        return self._made[name]


@dataclass(frozen=True, slots=True)
class _BegunPage:
    page: PageSource
    capture: Capture | None = None
    processed: Future[Processed] | None = None
    error: CorpusError | None = None


@dataclass(frozen=True, slots=True)
class _PageJob:
    pool: WorkerPool
    models: _PageModels
    opened: Callable[[str], Capture]
    only_articles: bool

    def begin(self, page: PageSource) -> _BegunPage:
        """Read a page and hand it to the workers."""
        try:
            capture = self.opened(page.target)
        except CorpusError as error:
            return _BegunPage(page, error=error)
        return _BegunPage(page, capture, self.pool.submit(capture, self.models.of(capture.url)))

    def end(self, begun: _BegunPage) -> PageResult:
        """Wait for a page, and process it again if a crawl would drop it."""
        if begun.capture is None or begun.processed is None:
            reason = NOT_FETCHED if is_address(begun.page.target) else UNREADABLE
            drop = Drop(reason, begun.error.what if begun.error else "")
            return PageResult(begun.page, PageReading(None, drop), begun.error)
        found = begun.processed.result()
        if found.drop is None or self.only_articles or found.drop.reason in WORKER_FAULTS:
            return PageResult(begun.page, PageReading(None if found.drop else found.document, found.drop))
        again = replace(self.models.of(begun.capture.url), min_chars=1)
        of_any_size = self.pool.submit(begun.capture, again).result()
        return PageResult(begun.page, PageReading(of_any_size.document, of_any_size.drop or found.drop))
