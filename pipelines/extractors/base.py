"""What every extractor shares: its signature, its options, its name and version."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from storage.records import Extraction, ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class ExtractorOptions:
    """What is known of a page besides its markup. Extractors use what they understand and ignore the rest."""

    url: str = ""
    language: str | None = None
    """ISO 639 code the page states or the site is known for; None when nobody says."""
    p: int | None = None
    """Parameter P of ``r2l`` and ``dana``: how many lines away the next paragraph may be. None: the paper's value."""
    template: bytes = b""
    """What recurs on the site's pages, for ``scored`` and ``auto`` to leave out (see ``template``)."""


PARAGRAPH_KINDS: Mapping[str, ParagraphKind] = MappingProxyType(
    {
        **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), ParagraphKind.HEADING),
        **dict.fromkeys(("li", "dt", "dd"), ParagraphKind.ITEM),
        **dict.fromkeys(("td", "th"), ParagraphKind.CELL),
        "blockquote": ParagraphKind.QUOTE,
        "pre": ParagraphKind.PREFORMATTED,
    }
)
"""Elements that say of the text in them that it is no mere paragraph."""

DEFAULT_OPTIONS = ExtractorOptions()


@dataclass(frozen=True, slots=True)
class Extractor:
    """One way to find the main content of a page: a pure function of the decoded HTML with a name and a version.

    The version changes whenever the same page may give another text, so that a stored text can be made again.
    """

    name: str
    version: str
    run: Callable[[str, ExtractorOptions], Extraction]
    evaluation_only: bool = False
    """True for variants that reproduce a paper's output to the letter and are not fit to be stored."""
    guard: Callable[[str], tuple[str, str]] | None = None
    """What ``run`` needs before it gets a page: returns the page to read, and why it must not be read."""

    def ready(self, html: str) -> tuple[str, str]:
        """Return the page as ``run`` may have it, and why it must not have it; "" if it may.

        Who times an extractor does this before, so that our care for others' code does not count as their time.
        """
        return self.guard(html) if self.guard is not None else (html, "")

    def extract(self, html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
        """Extract the main content of decoded HTML; any string gives an Extraction, an empty one when there is none."""
        ready, problem = self.ready(html)
        return self.left_out(problem) if problem else self.run(ready, options)

    def left_out(self, problem: str) -> Extraction:
        """Return the extraction of a page that ``ready`` keeps from it."""
        return Extraction((), self.name, self.version, problem)
