"""Which library splits which language into words, and what a word is without it.

=============== ============================== ===================== ====================================
language        library                        extra                 without it
=============== ============================== ===================== ====================================
Thai            nlpo3, else ICU                ``thai``              character clusters
Lao             LaoNLP, else ICU               ``lao``               character clusters
Khmer, Burmese  ICU                            ``segment``           character clusters
Vietnamese      underthesea                    ``vietnamese``        syllables
Chinese         rjieba                         ``chinese``           characters
Japanese        SudachiPy, mode A              ``japanese``          characters
=============== ============================== ===================== ====================================

A plug-in of ``[plugins] segmenters`` comes before the libraries. Libraries are loaded when the first text needs them.
`docs/reference/words.md` has the measurements behind this table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pipelines.text.segmentation import libraries, plugin
from pipelines.text.segmentation.clusters import clusters
from pipelines.text.segmentation.together import cut_together
from storage import plugins
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WORDS, SYLLABLES, CHARACTERS, CLUSTERS = "words", "syllables", "characters", "character clusters"
"""Units of counting."""
MAX_RUN_CHARS = 1_000
"""Characters that a segmenter gets at once. Longer runs are cut, so that the time stays linear."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Segmenters of a language, the best first, and what its texts are split into without one."""

    libraries: Sequence[tuple[str, Callable[[], Callable[[str], list[str]]]]]
    extra: str
    without: str


_ICU = ("icu", libraries.load_icu)
CHOICES: Mapping[str, Choice] = {
    "th": Choice((("nlpo3", libraries.load_nlpo3), _ICU), "thai", CLUSTERS),
    "lo": Choice((("laonlp", libraries.load_laonlp), _ICU), "lao", CLUSTERS),
    "km": Choice((_ICU,), "segment", CLUSTERS),
    "my": Choice((_ICU,), "segment", CLUSTERS),
    "vi": Choice((("underthesea", libraries.load_underthesea),), "vietnamese", SYLLABLES),
    "zh": Choice((("rjieba", libraries.load_rjieba),), "chinese", CHARACTERS),
    "ja": Choice((("sudachi", libraries.load_sudachi),), "japanese", CHARACTERS),
}
"""Languages whose words are not simply what stands between two spaces."""
PACKAGES: Mapping[str, Sequence[str]] = {
    "icu": ("icu4py",),
    "nlpo3": ("nlpo3", "pythainlp"),
    "laonlp": ("laonlp",),
    "underthesea": ("underthesea",),
    "rjieba": ("rjieba",),
    "sudachi": ("sudachipy", "sudachidict_core"),
}
"""Packages that each library needs."""
LINE_READERS = frozenset({"icu", "nlpo3"})
"""Libraries that split each line of a text as if it stood alone."""


@dataclass(slots=True)
class Segmenter:
    """Splits runs of one language. ``failures``: runs on which the library failed, split into clusters instead."""

    name: str
    cut: Callable[[str], list[str]] | None
    unit: str
    failures: int = field(default=0)

    def __call__(self, run: str) -> list[str]:
        """Return the parts of a run. Joined they are the run for any library."""
        if self.cut is None:
            return clusters(run)
        parts: list[str] = []
        at = 0
        while at < len(run):
            space = run.rfind(" ", at, at + MAX_RUN_CHARS) + 1 if len(run) - at > MAX_RUN_CHARS else 0
            end = space if space > at else at + MAX_RUN_CHARS
            parts += self._piece(run[at:end])
            at = end
        return parts

    def each(self, runs: list[str]) -> list[list[str]]:
        """Return the parts of each run. A library that reads lines gets short runs together."""
        together = None
        if self.name in LINE_READERS and len(runs) > 1 and max(map(len, runs)) <= MAX_RUN_CHARS:
            together = cut_together(self._tried, runs)
        return [self(run) for run in runs] if together is None else together

    def _piece(self, piece: str) -> list[str]:
        parts = self._tried(piece)
        if "".join(parts) == piece:
            return parts
        self.failures += 1
        return clusters(piece)

    def _tried(self, text: str) -> list[str]:
        """Return the parts of a text as the library gives them, nothing if it fails."""
        try:
            return list(filter(None, self.cut(text))) if self.cut else []
        except BaseException as error:
            # A panic of a library in Rust is no Exception.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            return []


_loaded: list[Segmenter] = []


@cache
def segmenter_of(language: str, library: str | None = None) -> Segmenter:
    """Return the segmenter of a language of `CHOICES`: a library by its name, "" for none, None for the best installed.

    ConfigError if a library that is named is not installed.
    """
    choice = CHOICES[language]
    found = Segmenter("", None, choice.without)
    own = _plugins().get(language)
    known = (
        [*((own,) if own else ()), *choice.libraries] if library is not None else (own,) if own else choice.libraries
    )
    for name, load in known:
        if library is not None and name != library:
            continue
        try:
            found = Segmenter(name, load(), WORDS)
            break
        except ImportError:
            continue
    if library and not found.name:
        raise ConfigError(
            f"texts in {language} were split into words with {library}, which is not installed",
            do=f"Install the extra `{choice.extra}`, or count with other libraries: corpus-spider index --rebuild",
        )
    _loaded.append(found)
    return found


def is_installed(language: str, library: str) -> bool:
    """Return whether a library for a language is installed; "" is none, which always is."""
    own = _plugins().get(language)
    if not library or (own and own[0] == library):
        return True
    known = {name for name, _ in CHOICES[language].libraries}
    return library in known and all(map(find_spec, PACKAGES[library]))


def unit_of(language: str, libraries: Mapping[str, str] | None = None) -> str:
    """Return what the words of a language are: words, syllables, characters or character clusters.

    ``libraries``: those that a search index was made with, None for those that are installed.
    """
    names = library_names() if libraries is None else libraries
    return WORDS if language not in CHOICES or names.get(language) else CHOICES[language].without


def advice(languages: Sequence[str], libraries: Mapping[str, str] | None = None) -> list[str]:
    """Return a sentence for each language whose words are not counted as words, with what helps.

    ``libraries``: as of `unit_of`.
    """
    sentences = []
    for code in languages:
        if (unit := unit_of(code, libraries)) == WORDS:
            continue
        does = f"The extra `{CHOICES[code].extra}` splits texts into words."
        if libraries is not None and library_names()[code]:
            does = f"{library_names()[code]} is installed now: `corpus-spider index --rebuild` counts words."
        elif libraries is not None:
            does = f"Install the extra `{CHOICES[code].extra}`, then `corpus-spider index --rebuild` counts words."
        sentences.append(f"{code}: the words are {unit}. {does}")
    return sentences


@cache
def library_names() -> dict[str, str]:
    """Return the name of the installed library by language, without loading it; empty where none is."""
    return {code: name for code, (name, _) in _plugins().items()} | {
        code: next((name for name, _ in choice.libraries if all(map(find_spec, PACKAGES[name]))), "")
        for code, choice in CHOICES.items()
        if code not in _plugins()
    }


def _plugins() -> dict[str, tuple[str, Callable[[], Callable[[str], list[str]]]]]:
    """Return the segmenters of plug-ins by language. They replace the libraries."""
    return plugin.by_language(plugins.allowed(), tuple(CHOICES))


def failures() -> int:
    """Return the number of runs on which a segmenter has failed in this process."""
    return sum(each.failures for each in _loaded)
