"""Adapters of the libraries that split a run of text into words.

Each function imports its library and returns a function from a run to its words. It raises ImportError if the library
or its dictionary is not installed.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from pickle import PickleError
from typing import TYPE_CHECKING

from pipelines.text.scripts import CLUSTERED_BY_LANGUAGE
from pipelines.text.segmentation.clusters import clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NLPO3_DICTIONARY = "corpus-spider"
_WITHOUT_DICTIONARY = re.compile(f"^[{CLUSTERED_BY_LANGUAGE['']}]", re.MULTILINE)


def load_icu() -> Callable[[str], list[str]]:
    """Return the segmenter of icu4py: dictionaries of ICU for Thai, Lao, Khmer and Burmese, clusters for others."""
    from icu4py.breakers import WordBreaker

    def cut(run: str) -> list[str]:
        if not _WITHOUT_DICTIONARY.search(run):
            # One break iterator serves all four scripts in any locale.
            return list(WordBreaker(run, "th"))
        # No parts: of several runs, some need ICU. The caller splits them one by one.
        return [] if "\n" in run else clusters(run)

    return cut


def load_laonlp() -> Callable[[str], list[str]]:
    """Return the segmenter of LaoNLP: maximal matching with its dictionary."""
    from laonlp.tokenize import word_tokenize

    return lambda run: list(word_tokenize(run))


def load_nlpo3() -> Callable[[str], list[str]]:
    """Return the segmenter of nlpo3: maximal matching (newmm) in Rust, with the dictionary of PyThaiNLP."""
    import nlpo3

    # The file is enough: importing the package takes seconds, and makes a folder in the user's home.
    package = find_spec("pythainlp")
    if package is None or package.origin is None:
        raise ImportError("pythainlp, which has the dictionary, is not installed")
    dictionary = Path(package.origin).parent / "corpus" / "words_th.txt"
    if not dictionary.exists():
        raise ImportError("this release of pythainlp has no dictionary words_th.txt")
    nlpo3.load_dict(str(dictionary), _NLPO3_DICTIONARY)
    return lambda run: list(nlpo3.segment(run, _NLPO3_DICTIONARY))


def load_rjieba() -> Callable[[str], list[str]]:
    """Return the segmenter of rjieba: jieba in Rust, for Chinese."""
    import rjieba

    return lambda run: list(rjieba.cut(run))


def load_sudachi() -> Callable[[str], list[str]]:
    """Return the segmenter of SudachiPy: short units (mode A) of Japanese, with its core dictionary."""
    import sudachidict_core  # noqa: F401 - the dictionary is loaded by name
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="core").tokenizer(mode=SplitMode.A)
    return lambda run: [each.surface() for each in tokenizer.tokenize(run)]


def load_underthesea() -> Callable[[str], list[str]]:
    """Return the segmenter of underthesea: compounds of Vietnamese by a conditional random field.

    A compound has a space between its syllables.
    """
    import joblib
    from underthesea.pipeline import word_tokenize
    from underthesea.pipeline.text_normalize.character_normalize import normalize_characters_in_text
    from underthesea.pipeline.word_tokenize.regex_tokenize import patterns

    from pipelines.text.segmentation.vietnamese import CompoundModel, CompoundSplitter, UnknownModelError

    models = Path(word_tokenize.__file__).parent / "models"
    try:
        model = CompoundModel.read(models / "ws_crf_vlsp2013_20230727", joblib.load)
    except (OSError, LookupError, EOFError, PickleError, UnknownModelError):
        # Another release. Normalised tokens would have other letters than the text.
        return lambda line: placed(line, word_tokenize.word_tokenize(line, use_token_normalize=False))
    return CompoundSplitter(model, patterns, normalize_characters_in_text)


def placed(line: str, words: Iterable[str]) -> list[str]:
    """Return the stretches of a line that words stand for, each with the white space before it.

    ValueError if the words have other characters than the line.

    >>> placed("Chính  phủ họp. ", ["Chính phủ", "họp", "."])
    ['Chính  phủ', ' họp', '.', ' ']
    """
    parts = []
    at = 0
    for word in words:
        end = at
        for character in "".join(word.split()):
            while line[end : end + 1].isspace():
                end += 1
            if line[end : end + 1] != character:
                raise ValueError(word)
            end += 1
        parts.append(line[at:end])
        at = end
    return [*parts, line[at:]] if at < len(line) else parts
