"""Main content extraction: one signature, one registry. ``get("auto").extract(html, options)`` gives an Extraction.

What is in a text, as ``auto`` and ``scored`` have it; those of papers and libraries have policies of their own:

- In are the body of the article with its headings between paragraphs, its lists, tables and quotations, and what is set
  off as preformatted, in the order of the page, a paragraph a line; a line break (``<br>``) parts lines.
- Out are title, byline and date, captions, prompts to share, subscribe or read on, related links and teasers, readers'
  comments, navigation, what the page hides or only print shows, and what papers close with: whose the text is, how its
  author is reached, what readers agree to.
- Title, captions and comments are kept apart (`storage.records.Extraction`), author and date with the metadata.

The policy comes before the probabilities where the page says plainly what something is (``parts``): its title, a
``figcaption``, hidden elements; or where a line says it by its words (``asides``, ``prompts``). All else is learned
from pages with their true text, whose policies differ a little: captions are part of some true texts, so holding to
this costs F1 there (en -.001, ja -.006 on gold pages).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pipelines.extractors import peers
from pipelines.extractors.auto import density, selection
from pipelines.extractors.auto import extractor as auto
from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor, ExtractorOptions
from pipelines.extractors.opponents import OPPONENTS
from pipelines.extractors.papers import bte, bte_original, line_density, thai_blocks
from pipelines.extractors.peers import trafilatura
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DEFAULT_OPTIONS", "EXTRACTORS", "Extractor", "ExtractorOptions", "get"]

_STORED = (
    Extractor(auto.NAME, auto.VERSION, auto.extract),
    Extractor(thai_blocks.NAME, thai_blocks.VERSION, thai_blocks.extract),
    Extractor(bte.NAME, bte.VERSION, bte.extract),
    Extractor(line_density.DANA, line_density.VERSION, line_density.dana),
    Extractor(density.NAME, density.VERSION, density.extract),
    Extractor(line_density.R2L, line_density.VERSION, line_density.r2l),
    Extractor(selection.NAME, selection.VERSION, selection.extract),
    Extractor(trafilatura.NAME, trafilatura.VERSION, trafilatura.extract),
)
_EVALUATION_ONLY = (
    Extractor(bte_original.NAME, bte_original.VERSION, bte_original.extract, evaluation_only=True),
    Extractor(line_density.DANA_PAPER, line_density.VERSION, line_density.dana_paper, evaluation_only=True),
    Extractor(line_density.R2L_NEPL, line_density.VERSION, line_density.r2l_nepl, evaluation_only=True),
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
