"""Which word list a URL names, its reference, and how its collocates are counted. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from corpus_spider.web.reference_choice import ReferenceChoice, reference_choice
from corpus_spider.web.translation import marked
from corpus_spider.words.collocation_rules import BOTH, LEFT, RIGHT, USUAL, CollocationRules
from corpus_spider.words.ngrams.ngram_rules import MAX_UNITS, MIN_UNITS
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

FREQUENCY, KEYWORDS, COLLOCATES, BY_MONTH = "frequency", "keywords", "collocates", "months"
"""Names of lists in an address."""
LISTS = {
    FREQUENCY: marked("frequency"),
    KEYWORDS: marked("keywords"),
    COLLOCATES: marked("collocates"),
    BY_MONTH: marked("a word by month"),
}
"""Lists that the form offers, by their names in an address."""
NGRAM_LISTS = {f"ngrams-{units}": units for units in range(MIN_UNITS, MAX_UNITS + 1)}
"""Units of the n-grams of a list, by its name in an address."""

SHOWN_SIDES = {BOTH: marked("both"), LEFT: marked("left"), RIGHT: marked("right")}
"""Sides of a word, as the form has them."""


@dataclass(frozen=True, slots=True)
class ListChoice:
    """What a URL names."""

    name: str = FREQUENCY
    compared: ReferenceChoice = field(default_factory=ReferenceChoice)
    near: CollocationRules = USUAL

    @property
    def units(self) -> int:
        """Units of the n-grams, 0 for another list."""
        return NGRAM_LISTS.get(self.name, 0)

    @property
    def parameters(self) -> dict[str, str | None]:
        """Parameters of a URL from which `list_choice` returns this."""
        given = {each.name: getattr(self.near, each.name) for each in fields(self.near)}
        stated = {name: str(value) for name, value in given.items() if value != getattr(USUAL, name)}
        return {"list": self.name, **self.compared.parameters, **stated}

    def require_used(self, question: str) -> None:
        """Raise ConfigError for another list, a field that the list has no use for, and a list without its word."""
        if self.name not in LISTS | NGRAM_LISTS:
            raise ConfigError(f'there is no list "{self.name:.60}"', do="Choose it in the form.")
        if self.compared != ReferenceChoice() and self.name != KEYWORDS:
            what, do = "a reference is for keywords", "Choose the list of keywords, or the rest without months."
            raise ConfigError(what, do=do)
        if question and (self.name == KEYWORDS or self.units):
            what = "a word is for its collocates and its numbers by month, not for this list"
            raise ConfigError(what, do="Choose another list, or leave the word out.")
        if not question and self.name in {COLLOCATES, BY_MONTH}:
            raise ConfigError("no word is named", do="Write a word, a phrase or another question of the search.")
        usual = replace(USUAL, min_frequency=self.near.min_frequency) if self.units else USUAL
        if self.near != usual and self.name != COLLOCATES:
            what = "window, side and order are for collocates, a least frequency for them and for n-grams"
            raise ConfigError(what, do="Choose their list, or leave these fields as they were.")
        self.near.require_possible()


def list_choice(query: Mapping[str, str], question: str) -> ListChoice:
    """Read the query of a URL. A question without another list is for its collocates."""
    name = query.get("list", "") or FREQUENCY
    if question and name == FREQUENCY:
        name = COLLOCATES
    near = CollocationRules(
        _whole(query, "window", USUAL.window),
        query.get("side", "") or USUAL.side,
        _whole(query, "min_frequency", USUAL.min_frequency),
        query.get("measure", "") or USUAL.measure,
    )
    return ListChoice(name, reference_choice(query), near)


def _whole(query: Mapping[str, str], name: str, usual: int) -> int:
    """Return a whole number of a URL; 0, which is refused, for what is none."""
    text = query.get(name, "").strip()
    return usual if not text else int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
