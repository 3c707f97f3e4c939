"""Registry of the extractors by name."""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from pipelines.extractors import plugin, trafilatura
from pipelines.extractors.auto import density, selection
from pipelines.extractors.auto import extractor as auto
from pipelines.extractors.base import Extractor
from pipelines.extractors.lab import peers
from pipelines.extractors.lab.opponents import OPPONENTS
from pipelines.extractors.papers import bte, bte_original, line_density, thai_blocks
from storage import plugins
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.extractors.base import ExtractorOptions
    from pipelines.extractors.explanation import Explanation

_STORED = (
    Extractor(
        auto.NAME,
        auto.VERSION,
        "the default: scored, and other extractors if its confidence is low; the reason is recorded",
        auto.extract,
        explain=auto.explain,
    ),
    Extractor(
        thai_blocks.NAME,
        thai_blocks.VERSION,
        "block detection for Thai pages (Thanadechteemapat and Fung, 2011)",
        thai_blocks.extract,
        explain=thai_blocks.explain,
    ),
    Extractor(
        bte.NAME,
        bte.VERSION,
        "improved Body Text Extraction (Phan Thi Ha and Ha Hai Nam, 2013)",
        bte.extract,
        explain=bte.explain,
    ),
    Extractor(
        line_density.DANA,
        line_density.VERSION,
        "DANA, successor of R2L (Mohammadzadeh et al., 2011)",
        line_density.dana,
        explain=line_density.explain_dana,
    ),
    Extractor(
        density.NAME,
        density.VERSION,
        "maximum-sum segment over text blocks, with weights for links and classes",
        density.extract,
        explain=density.explain,
    ),
    Extractor(
        line_density.R2L,
        line_density.VERSION,
        "R2L main content extraction for right-to-left scripts (Mohammadzadeh et al., 2011)",
        line_density.r2l,
        explain=line_density.explain_r2l,
    ),
    Extractor(
        selection.NAME,
        selection.VERSION,
        "text blocks scored by weights learned from pages with known true text",
        selection.extract,
        explain=selection.explain,
    ),
    Extractor(trafilatura.NAME, trafilatura.VERSION, "the library of that name", trafilatura.extract),
)
_EVALUATION_ONLY = (
    Extractor(
        bte_original.NAME,
        bte_original.VERSION,
        "Body Text Extraction as first published (Finn et al., 2001)",
        bte_original.extract,
        evaluation_only=True,
        explain=bte_original.explain,
    ),
    Extractor(
        line_density.DANA_PAPER,
        line_density.VERSION,
        "DANA exactly as in the paper",
        line_density.dana_paper,
        evaluation_only=True,
        explain=line_density.explain_dana_paper,
    ),
    Extractor(
        line_density.R2L_NEPL,
        line_density.VERSION,
        "R2L exactly as in the paper",
        line_density.r2l_nepl,
        evaluation_only=True,
        explain=line_density.explain_r2l_nepl,
    ),
    *OPPONENTS,
)

EXTRACTORS: Mapping[str, Extractor] = MappingProxyType(
    {extractor.name: extractor for extractor in (*_STORED, *_EVALUATION_ONLY)}
)
"""Every extractor by the name that configuration and stored documents use."""


def names_by_purpose() -> dict[str, list[str]]:
    """Return the names of all extractors of this machine: for corpora, for evaluation, other libraries, plug-ins."""
    own = EXTRACTORS.values()
    return {
        "for corpora": [each.name for each in own if not each.evaluation_only],
        "for evaluation": [each.name for each in own if each.evaluation_only],
        "other libraries": [each.name for each in peers.installed()],
        "plug-ins": list(plugins.named(plugins.EXTRACTORS)),
    }


def get(name: str) -> Extractor:
    """Return the extractor of that name, of a peer library or a plug-in too. A plug-in is not imported yet.

    >>> get("auto").name
    'auto'

    Raises:
        ConfigError: there is no such extractor, or its library is not installed. The message lists all names.
    """
    found = EXTRACTORS.get(name) or peers.find(name) or plugin.find(name)
    if found is not None:
        return found
    known = ", ".join(sorted(chain.from_iterable(names_by_purpose().values())))
    what, do = f'there is no extractor "{name}"', f"Choose one of: {known}."
    if name in peers.PEERS:
        what, do = f"{what} here: its library is not installed", f"{peers.INSTALL}. Or: {do}"
    raise ConfigError(what, where="extractor", do=do)


def explainer(name: str) -> Callable[[str, ExtractorOptions], Explanation]:
    """Return the function that explains the extractions of an extractor.

    Raises:
        ConfigError: there is no such extractor, or it decides by no numbers that a figure could show.
    """
    explain = get(name).explain
    if explain is None:
        known = ", ".join(extractor.name for extractor in EXTRACTORS.values() if extractor.explain)
        raise ConfigError(f'the extractor "{name}" has no figure', where="extractor", do=f"Choose one of: {known}.")
    return explain
