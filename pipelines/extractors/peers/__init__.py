"""Extractors of others, to score beside ours; none is fit to be stored, and none is needed to crawl.

They come with ``corpus-spider[peers]``. Each adapter names its library, imports it when it is first asked to read, and
gives what the library takes for the main text in plain lines: without a title of its own where that can be had, without
list marks, image descriptions, link targets and comments. Libraries see the decoded page as it is, scripts and hidden
elements included, and are told its address and its language where these are known. A page on which a library fails, or
that would take its tree builder seconds, has no text, with the reason.
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
from pipelines.extractors.peers import (
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
"""How to come by them."""


class Read(Protocol):
    """What an adapter does: return the lines of the main text. It may raise what its library raises."""

    def __call__(self, html: str, options: ExtractorOptions, /) -> Iterable[str]:
        """Read one decoded page."""
        ...


@dataclass(frozen=True, slots=True)
class Peer:
    """A library under the name that ``evaluate`` has for it, where it is installed or not."""

    name: str
    distribution: str
    read: Read

    def __call__(self, html: str, options: ExtractorOptions) -> Extraction:
        """Read a page that ``guard`` lets through without ever raising what the library raises."""
        release = _release(self.distribution)
        try:
            with _quiet():
                lines = [" ".join(line.split()) for line in self.read(html, options)]
        except Exception as error:  # noqa: BLE001 - the libraries' errors are of every kind, and one page is no reason to end
            return Extraction((), self.name, release, f"{self.name} failed: {error!r}"[:200])
        return Extraction(tuple(sanitise(line) for line in lines if line), self.name, release)


def guard(html: str) -> tuple[str, str]:
    """Return a page as libraries can bear it, and why it would take their tree builders seconds; "" if it would not."""
    html = sanitise(html)
    return html, strain(tag.name for tag in markup(html))


@cache
def _release(distribution: str) -> str:
    return version(distribution)


_ADAPTERS = (boilerpy3_adapter, justext_adapter, newspaper4k_adapter, readability_adapter, resiliparse_adapter)

PEERS: Mapping[str, Peer] = MappingProxyType(
    {one.NAME: Peer(one.NAME, one.DISTRIBUTION, one.read) for one in _ADAPTERS}
)
"""Every peer there is an adapter for, by name."""


@cache
def find(name: str) -> Extractor | None:
    """Return the peer of that name as an extractor, or None when it is not known or its library not installed."""
    peer = PEERS.get(name)
    try:
        return Extractor(name, version(peer.distribution), peer, evaluation_only=True, guard=guard) if peer else None
    except PackageNotFoundError:
        return None


def installed() -> tuple[Extractor, ...]:
    """Return the peers whose libraries are installed."""
    return tuple(extractor for name in PEERS if (extractor := find(name)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries' remarks on single pages out of the log, whatever loggers they have."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
