"""Adapters for extraction libraries, to compare with ours in evaluation. A crawl does not need them.

The libraries come with ``corpus-spider[peers]``. Each adapter imports its library when it reads its first page. It
returns the library's main text in plain lines, without list marks, image descriptions, link targets and comments, and
without a title where the library has that option. The library gets the decoded page with its scripts and hidden
elements, the URL, and the language if known. If the library fails, or would take seconds, the text is empty and has the
reason.

``trafilatura`` is installed with corpus-spider. Its texts may be stored, so it is an extractor of its own.
"""

from __future__ import annotations

import logging
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from pipelines.extractors.base import Extractor, ExtractorOptions
from pipelines.extractors.lab.peers import (
    boilerpy3_adapter,
    justext_adapter,
    newspaper4k_adapter,
    readability_adapter,
    resiliparse_adapter,
)
from pipelines.markup.hostile import strain
from pipelines.markup.lexer import markup, sanitise
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

INSTALL = "Run `make peers`, or install corpus-spider[peers]"
"""Command that installs the libraries."""


class PeerReader(Protocol):
    """Signature of an adapter: return the lines of the main text. It may raise any error of its library."""

    def __call__(self, html: str, options: ExtractorOptions, /) -> Iterable[str]:
        """Read one decoded page."""
        ...


@dataclass(frozen=True, slots=True)
class PeerLibrary:
    """A library, installed or not, under its name in ``evaluate``."""

    name: str
    distribution: str
    description: str
    read: PeerReader

    def __call__(self, html: str, options: ExtractorOptions) -> Extraction:
        """Read a page that ``guard`` accepts. An error of the library becomes the reason of an empty extraction."""
        release = _release(self.distribution)
        try:
            with _quiet():
                lines = [" ".join(line.split()) for line in self.read(html, options)]
        except Exception as error:  # noqa: BLE001 - the libraries' errors are of every kind, and one page is no reason to end
            return Extraction((), self.name, release, f"{self.name} failed: {error!r}"[:200])
        return Extraction(tuple(sanitise(line) for line in lines if line), self.name, release)


def guard(html: str) -> tuple[str, str]:
    """Return a page without characters that break libraries, and why it would strain them; "" if it would not."""
    html = sanitise(html)
    return html, strain(tag.name for tag in markup(html))


@cache
def _release(distribution: str) -> str:
    return version(distribution)


_ADAPTERS = (boilerpy3_adapter, justext_adapter, newspaper4k_adapter, readability_adapter, resiliparse_adapter)

PEERS: Mapping[str, PeerLibrary] = MappingProxyType(
    {one.NAME: PeerLibrary(one.NAME, one.DISTRIBUTION, one.DESCRIPTION, one.read) for one in _ADAPTERS}
)
"""Every peer there is an adapter for, by name."""


@cache
def find(name: str) -> Extractor | None:
    """Return the peer of that name as an extractor, or None when it is not known or its library not installed."""
    peer = PEERS.get(name)
    if peer is None:
        return None
    try:
        release = version(peer.distribution)
    except PackageNotFoundError:
        return None
    return Extractor(name, release, peer.description, peer, evaluation_only=True, guard=guard)


def installed() -> tuple[Extractor, ...]:
    """Return the peers whose libraries are installed."""
    return tuple(extractor for name in PEERS if (extractor := find(name)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries' messages about single pages out of the log."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
