"""What splits the texts of a search index: the unit of search, and the library of each language.

An index remembers it, and every refresh and every reader uses the same: other libraries count other words. Only
``index --rebuild`` takes the libraries that are installed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.text.segmentation.choice import CHOICES, advice, is_installed, library_names
from pipelines.text.words import WORDS, splitter, words
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pipelines.text.words import Libraries, Splitter, WordSplitter

_UNIT, _LIBRARIES = "unit", "segmenters"
_BY_ICU = frozenset({"th", "lo", "km", "my"})


class MissingLibraryError(ConfigError):
    """A library is not installed that the search index was made with."""


@dataclass(frozen=True, slots=True)
class IndexTools:
    """``unit``: what scripts without spaces are searched by. ``libraries``: library of each language, "" for none."""

    unit: str
    libraries: Libraries

    @classmethod
    def installed(cls) -> IndexTools:
        """Return what this installation would make an index with."""
        return cls(splitter().unit, tuple(sorted(library_names().items())))

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> IndexTools:
        """Return what an index was made with, from its settings; of a new one what is installed."""
        if _UNIT not in settings:
            return cls.installed()
        return cls(settings[_UNIT], tuple(sorted(json.loads(settings[_LIBRARIES]).items())))

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the index that say it."""
        return {_UNIT: self.unit, _LIBRARIES: json.dumps(dict(self.libraries))}

    @property
    def splitter(self) -> Splitter:
        """The splitter into searched units."""
        return splitter(self.unit)

    def words(self, language: str) -> WordSplitter:
        """Return the splitter into counted words of a language."""
        return words(language, self.libraries)

    def missing(self, languages: Collection[str]) -> dict[str, str]:
        """Return the libraries that are not installed here, by the language that needs them."""
        needed = {code: name for code, name in self.libraries if code in languages and not is_installed(code, name)}
        if self.unit == WORDS and splitter().unit != WORDS:
            needed |= dict.fromkeys(sorted(_BY_ICU.intersection(languages) - needed.keys()), "icu")
        return needed

    def require(self, languages: Collection[str]) -> None:
        """Raise MissingLibraryError if texts in these languages cannot be split here as the index splits them."""
        if missing := self.missing(languages):
            named = " and ".join(f"{library} ({code})" for code, library in missing.items())
            extras = " and ".join(sorted({f"`{CHOICES[code].extra}`" for code in missing}))
            raise MissingLibraryError(
                f"the search index was made with {named}, which is not installed here, and there are new texts",
                do=f"Install the extra {extras}, or use what is installed: corpus-spider index --rebuild",
            )

    def notes(self, languages: Sequence[str]) -> list[str]:
        """Return what a reader of word lists must know: libraries that are missing here, words that are none."""
        missing = self.missing(languages)
        return [
            *(f"{code}: counted with {name}, which is not installed here." for code, name in missing.items()),
            *advice([code for code in languages if code not in missing], dict(self.libraries)),
        ]
