"""Signature, options, name and version of an extractor."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from pipelines.markup.page_view import PageView
from storage.records import Extraction, ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipelines.extractors.explanation import Explanation


@dataclass(frozen=True, slots=True)
class ExtractorOptions:
    """Facts about a page besides its markup. An extractor ignores the options that it does not know."""

    url: str = ""
    language: str | None = None
    """ISO 639 code the page states or the site is known for; None if unknown."""
    p: int | None = None
    """Parameter P of ``r2l`` and ``dana``: lines from one paragraph to the next, at most. None: the paper's value."""
    template: bytes = b""
    """Recurring blocks of the site's pages, which ``scored`` and ``auto`` leave out (see ``site_template``)."""
    page: PageView | None = field(default=None, compare=False, repr=False)
    """The page, if it is parsed already."""

    def view(self, html: str) -> PageView:
        """Return the view of a page. Only a page that is not parsed already is parsed."""
        return self.page if self.page is not None and self.page.html is html else PageView(html)


PARAGRAPH_KINDS: Mapping[str, ParagraphKind] = MappingProxyType(
    {
        **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), ParagraphKind.HEADING),
        **dict.fromkeys(("li", "dt", "dd"), ParagraphKind.ITEM),
        **dict.fromkeys(("td", "th"), ParagraphKind.CELL),
        "blockquote": ParagraphKind.QUOTE,
        "pre": ParagraphKind.PREFORMATTED,
    }
)
"""Kind of the text in elements that are more than a paragraph."""

DEFAULT_OPTIONS = ExtractorOptions()


@dataclass(frozen=True, slots=True)
class Extractor:
    """A pure function from decoded HTML to the main content, with a name and a version.

    The version changes whenever the same page may give another text, so that stored texts can be reproduced.
    """

    name: str
    version: str
    description: str
    """The method and its source, in one line of ``extract --list``."""
    run: Callable[[str, ExtractorOptions], Extraction]
    evaluation_only: bool = False
    """True for variants that reproduce a paper's output to the letter and are not fit to be stored."""
    explain: Callable[[str, ExtractorOptions], Explanation] | None = None
    """Returns the numbers that decide an extraction; None for extractors without such numbers."""
    guard: Callable[[str], tuple[str, str]] | None = None
    """Prepares a page for ``run``: returns the page to read, and the reason not to read it ("" if there is none)."""

    def __post_init__(self) -> None:
        """Raise ValueError if the description is not one line."""
        if not self.description.strip() or "\n" in self.description:
            raise ValueError(f"the extractor {self.name} has no description of one line")

    def ready(self, html: str) -> tuple[str, str]:
        """Return the page prepared for ``run``, and the reason not to read it; "" if there is none.

        Benchmarks call this before they start the clock: the guard is not part of a peer's time.
        """
        return self.guard(html) if self.guard is not None else (html, "")

    def extract(self, html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
        """Extract the main content of decoded HTML; any string is allowed. The Extraction may be empty."""
        ready, problem = self.ready(html)
        return self.left_out(problem) if problem else self.run(ready, options)

    def left_out(self, problem: str) -> Extraction:
        """Return the empty extraction of a page that ``ready`` rejects."""
        return Extraction((), self.name, self.version, problem)
