"""What a URL compares keywords with: the rest, a named selection, months, or a word list of the folder `references`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.config.selections import NAMED
from corpus_spider.words.outside_counts import read_list
from corpus_spider.words.references import OF_LIST, REST, reference_of
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from corpus_spider.words.outside_counts import OutsideCounts
    from corpus_spider.words.references import Reference
    from storage.documents.selection import Selection

FOLDER = "references"
"""Folder beside corpus.toml. A visitor may compare with its word lists, and with no other file of the machine."""
SUFFIXES = (".csv", ".tsv", ".txt")
MAX_LIST_BYTES = 20 * 2**20
"""Largest word list that a page reads: about a second."""
_CHOOSE = "Choose it in the form."


@dataclass(frozen=True, slots=True)
class ReferenceChoice:
    """What a URL names. ``against``: ``rest``, ``selection=NAME`` or ``list=FILE``. Months may take its place."""

    against: str = REST
    since: str = ""
    until: str = ""

    @property
    def list_name(self) -> str:
        """Name of the word list, empty for texts of this corpus."""
        kind, _, name = self.against.partition("=")
        return name if kind == OF_LIST else ""

    @property
    def name(self) -> str:
        """What the caption of a cloud calls the reference.

        >>> ReferenceChoice("list=bnc.csv").name, ReferenceChoice(since="2026-01").name
        ('bnc.csv', 'texts since 2026-01')
        """
        of_corpus = "the rest of the corpus" if not self.since and not self.until else "texts"
        named = self.against.partition("=")[2] or of_corpus
        months = [f"{word} {month}" for word, month in (("since", self.since), ("until", self.until)) if month]
        return " ".join([named, *months])

    @property
    def parameters(self) -> dict[str, str | None]:
        """Parameters of a URL from which `reference_choice` returns this."""
        against = None if self.against == REST else self.against
        return {"against": against, "against_since": self.since or None, "against_until": self.until or None}

    def of_corpus(self, selected: Selection, named: Mapping[str, Selection]) -> Reference:
        """Return the reference within this corpus. Raises ConfigError for an unknown name, or a wrong month."""
        if self.list_name or self.against not in {REST, *(f"{NAMED}={name}" for name in named)}:
            raise ConfigError(f'there is no reference "{self.against:.60}"', where="against", do=_CHOOSE)
        months = [f"{name}={month}" for name, month in (("since", self.since), ("until", self.until)) if month]
        parts = months if months and self.against == REST else [self.against, *months]
        return reference_of(" ".join(parts), selected, "against", named)


def reference_choice(query: Mapping[str, str]) -> ReferenceChoice:
    """Read the query of a URL."""
    return ReferenceChoice(
        query.get("against", "") or REST, query.get("against_since", "").strip(), query.get("against_until", "").strip()
    )


def word_lists(folder: Path) -> list[str]:
    """Return the names of the word lists that a page offers. ``folder``: that of corpus.toml."""
    try:
        return sorted(path.name for path in (folder / FOLDER).iterdir() if path.suffix in SUFFIXES and path.is_file())
    except OSError:
        return []


def word_list_counts(folder: Path, choice: ReferenceChoice) -> OutsideCounts:
    """Read the word list of a choice. Raises ConfigError for one that is not offered, is too large, or has months."""
    name = choice.list_name
    if name not in word_lists(folder):
        do = f"Choose it in the form. The page offers the word lists in the folder {FOLDER} beside corpus.toml."
        raise ConfigError(f'there is no word list "{name:.60}"', where="against", do=do)
    if choice.since or choice.until:
        raise ConfigError("a word list has no months", where="against", do="Leave its months empty.")
    file = folder / FOLDER / name
    if file.stat().st_size > MAX_LIST_BYTES:
        do = "Leave out its rarest words, or compare with it by the command `words --against`."
        raise ConfigError(f"{name} is larger than {MAX_LIST_BYTES // 2**20} MiB", where="against", do=do)
    return read_list(file)
