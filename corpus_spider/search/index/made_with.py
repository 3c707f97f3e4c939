"""What splits and annotates the texts of a search index: the unit of search, and the libraries of each language.

An index remembers it, and every refresh and every reader uses the same: other libraries count other words. Only
``index --rebuild`` takes the segmenters that are installed. An index has lemmas and tags if ``index --annotate`` was
once run, until ``index --no-annotate``. Another version of an annotator annotates the texts of its language again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipelines.text.annotation.annotator import ATTRIBUTES, described_attributes
from pipelines.text.annotation.choice import annotator_of, descriptions
from pipelines.text.segmentation.choice import CHOICES, advice, is_installed, library_names
from pipelines.text.words import WORDS, splitter, words
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pipelines.text.annotation.annotator import Annotator
    from pipelines.text.words import Libraries, Splitter, WordSplitter

_UNIT, _LIBRARIES, _ANNOTATORS = "unit", "segmenters", "annotators"
_BY_ICU = frozenset({"th", "lo", "km", "my"})


def is_annotated(settings: Mapping[str, str]) -> bool:
    """Return whether an index with these settings, of any release, has lemmas and tags."""
    return json.loads(settings.get(_ANNOTATORS, "null")) is not None


class MissingLibraryError(ConfigError):
    """A library is not installed that the search index was made with."""


@dataclass(frozen=True, slots=True)
class IndexTools:
    """``unit``: what scripts without spaces are searched by. ``libraries``: library of each language, "" for none.

    ``annotators``: for each language what its annotator gives and which library it is, as of
    `pipelines.text.annotation.choice.descriptions`. None for an index without lemmas and tags.
    """

    unit: str
    libraries: Libraries
    annotators: Libraries | None = None

    @classmethod
    def installed(cls) -> IndexTools:
        """Return what this installation would make an index with."""
        return cls(splitter().unit, tuple(sorted(library_names().items())))

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> IndexTools:
        """Return what an index was made with, from its settings; of a new one what is installed."""
        if _UNIT not in settings:
            return cls.installed()
        annotators = json.loads(settings.get(_ANNOTATORS, "null"))
        return cls(
            settings[_UNIT],
            tuple(sorted(json.loads(settings[_LIBRARIES]).items())),
            None if annotators is None else tuple(sorted(annotators.items())),
        )

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the index that say it."""
        annotators = json.dumps(None if self.annotators is None else dict(self.annotators))
        return {_UNIT: self.unit, _LIBRARIES: json.dumps(dict(self.libraries)), _ANNOTATORS: annotators}

    def annotating(self, languages: Collection[str] | None) -> IndexTools:
        """Return these tools with the annotators of some languages that are installed; None: without annotators.

        A language that was annotated keeps its annotator if the library is missing now. MissingLibraryError for others.
        """
        if languages is None:
            return replace(self, annotators=None)
        before = dict(self.annotators or ())
        found: dict[str, str] = {}
        for code in sorted(languages):
            try:
                found |= descriptions([code])
            except ConfigError as error:
                if code not in before:
                    raise _no_annotator(error) from error
                found[code] = before[code]
        return replace(self, annotators=tuple(found.items()))

    def annotation(self, language: str) -> str:
        """Return the description of the annotator of a language, "" in an index without lemmas and tags."""
        return dict(self.annotators or ()).get(language, "")

    def attributes(self, language: str) -> tuple[str, ...]:
        """Return what tokens in a language have beside their words, lemma or tag or both."""
        return described_attributes(self.annotation(language))

    @property
    def all_attributes(self) -> tuple[str, ...]:
        """What tokens in some language have beside their words."""
        found = {each for code, _ in self.annotators or () for each in self.attributes(code)}
        return tuple(each for each in ATTRIBUTES if each in found)

    def annotator(self, language: str) -> Annotator | None:
        """Return the annotator of a language, None if its texts are not annotated. ConfigError if it is missing."""
        return annotator_of(language) if self.attributes(language) else None

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
        for code in languages:
            try:
                self.annotator(code)
            except ConfigError as error:
                raise _no_annotator(error) from error

    def notes(self, languages: Sequence[str]) -> list[str]:
        """Return what a reader of word lists must know: libraries that are missing here, words that are none."""
        missing = self.missing(languages)
        return [
            *(f"{code}: counted with {name}, which is not installed here." for code, name in missing.items()),
            *advice([code for code in languages if code not in missing], dict(self.libraries)),
        ]


def _no_annotator(error: ConfigError) -> MissingLibraryError:
    """Return the error for texts that cannot be annotated here."""
    do = f"{error.do}, or leave lemmas and tags out: corpus-spider index --no-annotate"
    return MissingLibraryError(error.what, where=error.where, do=do)
