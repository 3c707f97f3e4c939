"""Adapter of nlpo3: maximal matching (newmm) in Rust, with the dictionary of PyThaiNLP."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = "corpus-spider"


def load() -> Callable[[str], list[str]]:
    """Return the segmenter. ImportError if the library or the dictionary is not installed."""
    import nlpo3

    # The file is enough: importing the package takes seconds, and makes a folder in the user's home.
    package = find_spec("pythainlp")
    if package is None or package.origin is None:
        raise ImportError("pythainlp, which has the dictionary, is not installed")
    dictionary = Path(package.origin).parent / "corpus" / "words_th.txt"
    if not dictionary.exists():
        raise ImportError("this release of pythainlp has no dictionary words_th.txt")
    nlpo3.load_dict(str(dictionary), _NAME)
    return lambda run: list(nlpo3.segment(run, _NAME))
