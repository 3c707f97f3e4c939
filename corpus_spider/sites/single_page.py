"""Process one page outside a crawl: from the web, a file or standard input, with the same function as a crawl.

`page_request` makes the request.
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from corpus_spider.archive.path_lists import ARCHIVE
from corpus_spider.config.sections import SiteSettings
from corpus_spider.config.values import language_code, web_address
from corpus_spider.sites.page_request import fetch, manners
from storage.errors import ConfigError
from storage.fields import FIELDS
from storage.records import Capture, Drop

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus_spider.config.model import Config
    from corpus_spider.terminal.console import Console
    from storage.records import Document, Processed, SiteModel

_page_fields = {each.name: NotRequired[each.hint] for each in FIELDS if each.note.made and each.note.of_page}
ExtractOutput = TypedDict("ExtractOutput", _page_fields | {"drop": Drop | None})  # type: ignore[misc]
ExtractOutput.__doc__ = "Text and metadata of one page, under the field names of exports. Without a text only ``drop``."


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """Options of `extract`: extractor, languages, URL of a file, and whether private hosts are allowed."""

    extractor: str = ""
    """Empty: what the configuration says for the site of the page, else ``auto``."""
    languages: tuple[str, ...] = ()
    url: str = ""
    allow_private: bool = False


@dataclass(frozen=True, slots=True)
class PageReading:
    """The text of a page, however short, and the reason if a crawl would drop it."""

    document: Document | None
    drop: Drop | None


ListedExtractor = TypedDict("ListedExtractor", {"name": str, "version": str, "for": str, "description": str})


def extractors() -> list[ListedExtractor]:
    """Return name, version, purpose (``corpora`` or ``evaluation``) and description of every extractor."""
    from pipelines.extractors.registry import get, names_by_purpose

    return [
        {
            "name": one.name,
            "version": one.version,
            "for": "evaluation" if one.evaluation_only else "corpora",
            "description": one.description,
        }
        for one in map(get, chain.from_iterable(names_by_purpose().values()))
    ]


def show_extractors(console: Console, *, as_json: bool) -> None:
    """Write the list of extractors as a table or JSON."""
    listed = extractors()
    if as_json:
        console.json(listed)
    else:
        console.table("Extractors", tuple(listed[0]), [tuple(one.values()) for one in listed])


def extract(target: str, wanted: ExtractRequest, config: Config) -> PageReading:
    """Fetch or read one page, process it as a crawl would, and extract its text however short.

    Raises ConfigError (unknown extractor, invalid language, missing file) or NotFetchedError.
    """
    from pipelines.page.process import process

    checked(wanted)
    capture = capture_of(target, wanted, config)
    return reading(capture, model_for(config, capture.url, wanted), process)


def checked(wanted: ExtractRequest, place: str = "--language") -> None:
    """Raise ConfigError for an unknown extractor or an invalid language. ``place`` names the languages in the error."""
    from pipelines.extractors.registry import get

    if wanted.extractor:
        get(wanted.extractor)
    for wrong in filter(None, map(language_code, wanted.languages)):
        raise ConfigError(wrong, where=place, do="`corpus-spider help language` shows where languages are used.")


def reading(capture: Capture, model: SiteModel, process: Callable[[Capture, SiteModel], Processed]) -> PageReading:
    """Process a page as a crawl would. If that drops it, process it again for its text, however short."""
    found = process(capture, model)
    if found.drop is None:
        return PageReading(found.document, None)
    of_any_size = process(capture, replace(model, min_chars=1))
    return PageReading(of_any_size.document, of_any_size.drop or found.drop)


def fields_of(document: Document) -> dict[str, object]:
    """Return the values of a text outside a corpus, under the field names of an export."""
    return {field.name: field.made(document) for field in FIELDS if field.note.made and field.note.of_page}


def plain(reading: PageReading) -> ExtractOutput:
    """Return the metadata of a text for JSON, and the drop."""
    fields = {} if reading.document is None else fields_of(reading.document)
    return cast("ExtractOutput", fields | {"drop": reading.drop})


def capture_of(target: str, wanted: ExtractRequest, config: Config) -> Capture:
    """Fetch a URL, or read a file or standard input. Raises ConfigError or NotFetchedError."""
    if is_address(target):
        return fetch(target, manners(config, allow_private=wanted.allow_private))
    return read(target, config.crawl.max_body, wanted.url)


def model_for(config: Config, url: str, wanted: ExtractRequest) -> SiteModel:
    """Return the model for a page: that of the site at its URL, if one is configured, with what is wanted.

    An extractor that is named reads the text itself: no rule selects it.
    """
    site = config.site_at(url)
    model = config.site_model(site or SiteSettings())
    languages = wanted.languages or (model.languages if site else ())
    if not wanted.extractor:
        return replace(model, languages=languages)
    return replace(model.with_extractor(wanted.extractor), languages=languages)


def is_address(target: str) -> bool:
    """Return whether the target is a URL, not a file name. Raises ConfigError for other schemes than http(s)."""
    if target.lower().startswith(("http://", "https://")):
        return True
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", target):
        raise ConfigError(
            "cannot be fetched: only http and https",
            where=target,
            do="For a file give its path, without file://.",
        )
    return False


def read(target: str, limit: int, url: str = "") -> Capture:
    """Read a file, or standard input for ``-``, as if it was fetched from ``url``.

    Raises ConfigError if it cannot be read, is larger than ``limit`` bytes or an archive, or ``url`` is not http(s).
    """
    if ARCHIVE.search(target):
        do = "`corpus-spider import` takes its pages into a corpus, `corpus-spider process` makes a release of them."
        raise ConfigError("is an archive of pages, and one page is expected", where=target, do=do)
    if url and (wrong := web_address(url)):
        raise ConfigError(f"{wrong}; only http and https", where="--url", do="Use --url https://news.example.org/page.")
    try:
        if target == "-":
            body = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(target).open("rb") as stream:
                body = stream.read(limit + 1)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=target, do=_instead_of(Path(target))) from None
    if len(body) > limit:
        raise ConfigError(f"is larger than {limit} bytes", where=target, do="Raise crawl.max_body to read it.")
    file_url = "about:blank" if target == "-" else Path(target).resolve().as_uri()
    return Capture(url or file_url, datetime.now(UTC), 200, (), (), body)


def _instead_of(path: Path) -> str:
    """Return advice for a file that cannot be read."""
    if path.is_dir():
        return f"Name a file. All files of a folder: corpus-spider extract {shlex.quote(str(path))} -o texts/"
    return "" if path.exists() else "Name an existing file, or a web address with its https://."
