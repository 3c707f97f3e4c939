"""Which library gives the words of which language their lemmas and tags, and how well.

A library is in the table if 90 % of the words of its test sets of Universal Dependencies get the right lemma, or the
right tag. Words are counted as texts have them: *don't* is one. ``benchmarks/annotators.py`` measures that, and
``docs/how-to/annotate.md`` has all figures. The table has the lowest of several test sets. Vietnamese is judged by its
newspaper treebank: the other one is small, and has other guidelines. A plug-in of
``[plugins] annotators`` comes before the library of its language, or gives a language one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from pipelines.text.annotation import annotator_plugins
from pipelines.text.annotation.annotator import ATTRIBUTES, LEMMA, TAG, Annotator
from pipelines.text.annotation.pymorphy_morphology import load_pymorphy
from pipelines.text.annotation.simplemma_lemmas import load_simplemma
from pipelines.text.annotation.sudachi_morphology import load_sudachi
from pipelines.text.annotation.underthesea_tags import load_underthesea_tags
from storage import plugins
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

MIN_ACCURACY = 0.9
"""Share of words with the right lemma, or tag, from which on a library is good enough."""


@dataclass(frozen=True, slots=True)
class AnnotationLibrary:
    """A library: its packages (the first gives the version), extra, licences, what it gives, and its tags.

    ``by_word``: as of `Annotator`.
    """

    packages: tuple[str, ...]
    extra: str
    licence: str
    attributes: tuple[str, ...]
    tagset: str = ""
    by_word: bool = False


@dataclass(frozen=True, slots=True)
class AnnotatorChoice:
    """Library of a language. Shares of the words of a test set with the right lemma and tag; None: it gives none."""

    library: AnnotationLibrary
    load: Callable[[], Callable[[Sequence[str]], Sequence[tuple[str, str]]]]
    test_set: str
    lemma_accuracy: float | None = None
    tag_accuracy: float | None = None


SIMPLEMMA = AnnotationLibrary(("simplemma",), "lemma", "MIT", (LEMMA,), by_word=True)
PYMORPHY = AnnotationLibrary(
    ("pymorphy3", "pymorphy3-dicts-ru"),
    "lemma",
    "MIT; dictionary CC BY-SA 3.0",
    ATTRIBUTES,
    "OpenCorpora",
    by_word=True,
)
SUDACHI = AnnotationLibrary(("SudachiPy", "SudachiDict-core"), "japanese", "Apache-2.0", ATTRIBUTES, "UniDic")
UNDERTHESEA = AnnotationLibrary(("underthesea",), "vietnamese", "Apache-2.0", (TAG,), "VLSP 2013")


def _simplemma(language: str, test_set: str, accuracy: float) -> AnnotatorChoice:
    return AnnotatorChoice(SIMPLEMMA, partial(load_simplemma, language), test_set, accuracy)


ANNOTATORS: Mapping[str, AnnotatorChoice] = {
    "de": _simplemma("de", "German-GSD", 0.964),
    "el": _simplemma("el", "Greek-GDT", 0.903),
    "en": _simplemma("en", "English-EWT", 0.911),
    "es": _simplemma("es", "Spanish-GSD", 0.956),
    "fa": _simplemma("fa", "Persian-PerDT", 0.925),
    "fr": _simplemma("fr", "French-GSD", 0.936),
    "hi": _simplemma("hi", "Hindi-PUD", 0.929),
    "id": _simplemma("id", "Indonesian-PUD", 0.92),
    "it": _simplemma("it", "Italian-ISDT", 0.935),
    "ja": AnnotatorChoice(SUDACHI, load_sudachi, "Japanese-GSD", 0.961, 0.946),
    "nl": _simplemma("nl", "Dutch-Alpino", 0.905),
    "pl": _simplemma("pl", "Polish-LFG", 0.952),
    "pt": _simplemma("pt", "Portuguese-GSD", 0.934),
    "ru": AnnotatorChoice(PYMORPHY, load_pymorphy, "Russian-GSD", 0.937, 0.948),
    "sv": _simplemma("sv", "Swedish-Talbanken", 0.934),
    "tr": _simplemma("tr", "Turkish-BOUN", 0.93),
    "uk": _simplemma("uk", "Ukrainian-IU", 0.919),
    "vi": AnnotatorChoice(UNDERTHESEA, load_underthesea_tags, "Vietnamese-VTB", None, 0.944),
}
"""Languages with a library that is good enough."""
NOT_GOOD_ENOUGH: Mapping[str, str] = {
    "ar": "simplemma finds the lemma of 81 % of the words as they are written",
    "he": "simplemma finds the lemma of 76 % of the words as they are written",
    "th": "the best tagger of PyThaiNLP is right for 85 % of the words of its own treebank, 72 % of another",
    "zh": "rjieba is right for 71 % of the tags",
}
"""Languages whose best library was measured and is not good enough, with its figure."""
NO_ANNOTATOR = "none"
"""Stands for the library of a language without one."""


@cache
def annotator_of(language: str) -> Annotator | None:
    """Return the annotator of a language, None if the language has none.

    ConfigError with the line that installs it if its library is missing, and for a plug-in that cannot be used.
    """
    if own := annotator_plugins.by_language(plugins.allowed()).get(language):
        return own.annotator(language)
    choice = ANNOTATORS.get(language)
    if choice is None:
        return None
    library = choice.library
    try:
        annotate = choice.load()
        release = f"{library.packages[0]} {version(library.packages[0])}"
    except (ImportError, PackageNotFoundError) as error:
        raise ConfigError(
            f"lemmas and tags need {library.packages[0]}, which is not installed",
            where=language,
            do=f"pip install 'corpus-spider[{library.extra}]'",
        ) from error
    return Annotator(language, release, library.attributes, library.tagset, annotate, library.by_word)


def descriptions(languages: Iterable[str]) -> dict[str, str]:
    """Return for each language what its annotator gives and which library it is, `NO_ANNOTATOR` for none.

    For example ``{"fa": "lemma (simplemma 2.0.0)", "th": "none"}``. ConfigError if a library is missing.
    """
    found = {code: annotator_of(code) for code in sorted(languages)}
    return {code: each.description if each else NO_ANNOTATOR for code, each in found.items()}


def why_none(language: str, what: str = "lemmas or tags") -> str:
    """Return a sentence that says why a language has no annotator, or none that gives what is wanted."""
    figure = NOT_GOOD_ENOUGH.get(language)
    if figure:
        return f"{language}: no {what}. Measured: {figure}."
    return f"{language}: no {what}, because no library for it was found good enough."
