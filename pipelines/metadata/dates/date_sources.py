"""Sources of a date: how far each is trusted, who reads it, and whether it may show the day of the visit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from storage.records import RULES


@dataclass(frozen=True, slots=True)
class DateSource:
    """A source of dates of publication, under the name that documents have."""

    name: str
    trust: float
    """Probability that a date there is the date of publication."""
    is_visible: bool = True
    """Whether readers see it in a line of the page. Other sources are for programs."""
    is_at_headline: bool = False
    """Whether readers see it near the headline. Then it may correct a source for programs."""
    may_be_today: bool = False
    """Whether it shows the day of the visit on some pages, unless the text is the article's own."""


_ALL = (
    DateSource(RULES, 1.0),
    DateSource("json-ld", 1.0, is_visible=False),
    DateSource("meta", 1.0, is_visible=False),
    DateSource("time", 0.95, is_visible=False),
    DateSource("url", 0.9, is_visible=False),
    DateSource("text", 0.85, is_at_headline=True),
    DateSource("masthead", 0.6, is_at_headline=True, may_be_today=True),
    DateSource("updated", 0.5, may_be_today=True),
    DateSource("below", 0.5, may_be_today=True),
    DateSource("listed", 0.5, may_be_today=True),
    DateSource("age", 0.5),
)
SOURCES = {source.name: source for source in _ALL}
"""Every source by its name."""


class DateCandidate(NamedTuple):
    """A text that may state the date of publication, and the name of its source."""

    source: str
    text: str
    line: str = ""
    """The visible line, if the text is a part of it."""
    is_own: bool = False
    """True if the text belongs to the article, and not to the day of the visit."""

    @property
    def described(self) -> DateSource:
        """The source, as the table has it."""
        return SOURCES[self.source]
