"""The figure of a page, its caption, and the numbers behind it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus_spider.config.version import program_version
from corpus_spider.figures.drawing import draw
from corpus_spider.figures.panels import panels_of
from corpus_spider.terminal.console import to_json
from corpus_spider.terminal.escapes import safe
from storage.exports.formats.spreadsheet import cell
from storage.reporting import counted

if TYPE_CHECKING:
    from pipelines.extractors.explanation import Explanation


@dataclass(frozen=True, slots=True)
class FigureNumbers:
    """Numbers of a figure. ``columns``: a list for each series, all of the same length."""

    page: str
    title: str
    extractor: str
    extractor_version: str
    extractor_reason: str
    confidence: float | None
    parameters: dict[str, float]
    item: str
    marked: dict[str, int]
    meaning: dict[str, str]
    columns: dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class PageFigure:
    """An explained page, and its name: a URL or the name of a file."""

    page: str
    explanation: Explanation

    @property
    def caption(self) -> str:
        """Page, extractor with version, parameters and reason, items, and the version of the program."""
        found, extraction = self.explanation, self.explanation.extraction
        parameters = ", ".join(f"{name} = {value:g}" for name, value in found.parameters)
        extractor = f"Extractor {extraction.extractor}, version {extraction.version}"
        return " ".join(
            filter(
                None,
                (
                    f"{self.page}.",
                    f"{extractor} ({parameters})." if parameters else f"{extractor}.",
                    f"Reason: {extraction.reason}." if extraction.reason else "",
                    f"Chosen: {sum(found.chosen)} of {counted(len(found.chosen), found.item)}.",
                    f"corpus-spider {program_version()}.",
                ),
            )
        )

    def draw(self, form: str = "svg") -> bytes:
        """Draw the figure as ``svg``, ``png`` or ``pdf``. Raises ConfigError as ``draw``."""
        return draw(panels_of(self.explanation), self.explanation.title, self.caption, form)

    @property
    def data(self) -> FigureNumbers:
        """Page, extractor, meaning of each series, and the numbers by column."""
        found, extraction = self.explanation, self.explanation.extraction
        return FigureNumbers(
            page=self.page,
            title=found.title,
            extractor=extraction.extractor,
            extractor_version=extraction.version,
            extractor_reason=extraction.reason,
            confidence=extraction.confidence,
            parameters=dict(found.parameters),
            item=f"{found.item} {found.scope}".strip(),
            marked={name: index + 1 for name, index in found.marked},
            meaning={series.name: series.meaning for series in found.series},
            columns=self._columns,
        )

    def numbers(self, form: str) -> str:
        """Return ``data`` as ``json``, or its columns as ``csv`` with a row for each item."""
        if form == "json":
            return f"{to_json(self.data)}\n"
        out, columns = io.StringIO(), self._columns
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        # A spreadsheet would run a text that begins like a formula.
        writer.writerows(map(cell, row) for row in zip(*columns.values(), strict=True))
        return out.getvalue()

    @property
    def _columns(self) -> dict[str, list[Any]]:
        found = self.explanation
        columns: dict[str, list[Any]] = {"item": list(range(1, len(found.chosen) + 1))}
        columns["chosen"] = [int(chosen) for chosen in found.chosen]
        columns |= {series.name: list(series.values) for series in found.series}
        return columns | ({"text": [safe(text) for text in found.texts]} if found.texts else {})
