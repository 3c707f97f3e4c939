"""The default: the extractor that measured best for the page's script, and others in turn where it finds too little.

Mean F1 (longest common subsequence of characters without white space, title optional) on 801 pages with their true
text, most of them news; n pages a group:

============ ===== ===== ===== ===== ===== ===== ===== ===== ===== ===== ======
extractor      all Latin    vi  Arab  Thai   Han  Cyrl  Grek  Jpan  Hebr ms/page
n              801   417    16    10     5   228    60    45    10     5
============ ===== ===== ===== ===== ===== ===== ===== ===== ===== ===== ======
trafilatura   .884  .885  .896  .904  .971  .916  .781  .823  .860  .988   36
density       .904  .879  .972  .944  .923  .941  .890  .940  .811  .962    7
bte           .826  .819  .719  .786  .856  .921  .664  .687  .664  .958    5
blocks        .801  .793  .805  .872  .826  .853  .655  .771  .791  .940    7
dana          .384  .000  .000  .882  .821  .883  .751  .747  .763  .774    6
r2l           .386  .000  .000  .761  .876  .866  .790  .879  .613  .635    6
auto          .911  .891  .972  .944  .923  .944  .890  .940  .860  .962   29
============ ===== ===== ===== ===== ===== ===== ===== ===== ===== ===== ======

``CHOICES`` follows the groups of fifteen pages and more. Japanese and Korean pages are few here and went the same way
on 25 others (.905 against .843 for a relative of ``density``). All other scripts are pooled under ``OTHERWISE``: there
are 23 pages of Arabic, Thai, Hebrew, Hindi and Burmese, anecdotes one by one; both extractors do well on most.

Where trafilatura takes two to four times what density finds, it has mostly taken boilerplate along: F1 .656 against
.856 on 14 Latin pages and .562 against .878 on 22 others. Beyond four times it is density that has found too little.

The choices were made on the pages they are measured on, so the last row is optimistic. Resampling sites, ``auto`` is
ahead of trafilatura by .027 [.018, .038]; nearly all of it comes from scripts other than Latin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.extractors import bte, density, trafilatura_adapter
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.scripts import is_vietnamese, main_script
from pipelines.extractors.soup import scan
from storage.records import Extraction

if TYPE_CHECKING:
    from pipelines.extractors.soup import Soup

NAME, VERSION = "auto", "1"

CHOICES = {"Latn": trafilatura_adapter.NAME, "Jpan": trafilatura_adapter.NAME, "Kore": trafilatura_adapter.NAME}
"""Best measured extractor by script (ISO 15924), where it is not ``OTHERWISE``."""
OTHERWISE = density.NAME

ENOUGH = 200
"""Characters without white space below which the next extractor is asked as well."""
CLEARLY_MORE = 2
"""How many times more the next one must find to be believed instead."""
OVERREACH = range(2, 4)


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Choose by script, fall back when little is found. The extraction names the extractor that ran, and why."""
    page = _Page(html, options)
    script = main_script(page.text)
    if script == "Latn" and (options.language == "vi" or is_vietnamese(page.text)):
        script, choice = "Latn, Vietnamese", OTHERWISE
    else:
        choice = CHOICES.get(script, OTHERWISE)
    why = f"script {script}: {choice} measured best"
    if choice == OTHERWISE:
        return page.first_of((OTHERWISE, trafilatura_adapter.NAME, bte.NAME), why)
    result = page.first_of((choice, OTHERWISE, bte.NAME), why)
    return page.checked(result) if script == "Latn" else result


class _Page:
    """A page with what extractors find in it, each asked once."""

    def __init__(self, html: str, options: ExtractorOptions) -> None:
        self._html, self._options = html, options
        self._found: dict[str, Extraction] = {}
        self.soup: Soup = scan(html)
        self.text = "".join(self.soup.texts)

    def found_by(self, name: str) -> Extraction:
        """Return what the extractor of that name finds."""
        if name not in self._found:
            self._found[name] = self._ask(name)
        return self._found[name]

    def _ask(self, name: str) -> Extraction:
        if name == density.NAME:
            return Extraction(density.main_blocks(self.soup), density.NAME, density.VERSION)
        if name == bte.NAME:
            return Extraction(bte.main_region(self.soup), bte.NAME, bte.VERSION)
        return trafilatura_adapter.extract(self._html, self._options)

    def first_of(self, names: tuple[str, ...], why: str) -> Extraction:
        """Return the first result that is long enough, or else the first that no later one clearly surpasses."""
        best = _because(self.found_by(names[0]), why)
        for name in names[1:]:
            if _size(best) >= ENOUGH:
                break
            other = self.found_by(name)
            if _size(other) > CLEARLY_MORE * _size(best):
                best = _because(other, f"{why}, but {_little(self.found_by(best.extractor))}")
        return best

    def checked(self, result: Extraction) -> Extraction:
        """Prefer density's reading where trafilatura has taken a few times as much."""
        if result.extractor != trafilatura_adapter.NAME or _size(result) < ENOUGH:
            return result
        other = self.found_by(density.NAME)
        if _size(other) >= ENOUGH and _size(result) // _size(other) in OVERREACH:
            return _because(
                other, f"trafilatura took {_size(result)} characters, density {_size(other)}: boilerplate likely"
            )
        return result


def _size(extraction: Extraction) -> int:
    return sum(len("".join(paragraph.split())) for paragraph in extraction.paragraphs)


def _little(extraction: Extraction) -> str:
    """Say how little an extractor found, and why where it says so."""
    reason = f" ({extraction.reason})" if extraction.reason else ""
    return f"{extraction.extractor} found {_size(extraction)} characters only{reason}"


def _because(extraction: Extraction, reason: str) -> Extraction:
    return Extraction(extraction.paragraphs, extraction.extractor, extraction.version, reason)
