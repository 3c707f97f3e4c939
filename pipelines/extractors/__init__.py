"""Extract the main content of a page. ``get("auto").extract(html, options)`` returns an Extraction.

Definition of the text for ``auto`` and ``scored``. Extractors of papers and libraries have definitions of their own:

- In: the body of the article in page order, with headings, lists, tables, quotations and preformatted text. A paragraph
  is a line. A line break (``<br>``) separates lines.
- Out: title, byline and date, captions, prompts to share, subscribe or read on, related links and teasers, readers'
  comments, navigation, text that the page hides or shows in print only.
- Kept apart: title, captions and comments (`storage.records.Extraction`), author and date (metadata).

Clear marks on the page overrule the model: the title, a ``figcaption``, hidden elements (``parts``), boxes (``boxes``)
and a few words (``asides``). The model decides everything else. It is trained on pages with their true text, whose
definitions differ slightly. Some true texts include captions: leaving them out costs F1 there (en -.001, ja -.006).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pipelines.extractors import (
    auto,
    blocks,
    bte,
    bte_original,
    dana,
    density,
    peers,
    r2l,
    selection,
    trafilatura_adapter,
)
from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor, ExtractorOptions
from pipelines.extractors.opponents import OPPONENTS
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DEFAULT_OPTIONS", "EXTRACTORS", "Extractor", "ExtractorOptions", "get"]

_STORED = tuple(
    Extractor(module.NAME, module.VERSION, module.extract)
    for module in (auto, blocks, bte, dana, density, r2l, selection, trafilatura_adapter)
)
_EVALUATION_ONLY = (
    Extractor(bte_original.NAME, bte_original.VERSION, bte_original.extract, evaluation_only=True),
    Extractor(dana.PAPER_NAME, dana.VERSION, dana.extract_paper, evaluation_only=True),
    Extractor(r2l.NEPL_NAME, r2l.VERSION, r2l.extract_nepl, evaluation_only=True),
    *OPPONENTS,
)

EXTRACTORS: Mapping[str, Extractor] = MappingProxyType(
    {extractor.name: extractor for extractor in (*_STORED, *_EVALUATION_ONLY)}
)
"""Every extractor by the name that configuration and stored documents use."""


def get(name: str) -> Extractor:
    """Return the extractor of that name, a peer too. Raises ConfigError, naming those there are or how to get it."""
    found = EXTRACTORS.get(name) or peers.find(name)
    if found is not None:
        return found
    known = ", ".join(sorted({*EXTRACTORS, *(peer.name for peer in peers.installed())}))
    what, do = f'there is no extractor "{name}"', f"Choose one of: {known}."
    if name in peers.PEERS:
        what, do = f"{what} here: its library is not installed", f"{peers.INSTALL}. Or: {do}"
    raise ConfigError(what, where="extractor", do=do)
