"""Adapter of SudachiPy: lemmas and parts of speech of Japanese short units (mode A), by its core dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_POS_FIELDS = 4
"""Fields of a tag before the inflection."""


def load_sudachi() -> Callable[[Sequence[str]], Sequence[tuple[str, str]]]:
    """Return the annotator of Japanese. The lemma is the normalised form, which joins spellings as UniDic does.

    A token that is no unit of the dictionary in its sentence is looked up by itself.
    """
    import sudachidict_core  # noqa: F401 - the dictionary is loaded by name
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="core").tokenizer(mode=SplitMode.A)

    def units(text: str) -> dict[tuple[int, int], tuple[str, str]]:
        return {
            (each.begin(), each.end()): (
                each.normalized_form(),
                "-".join(part for part in each.part_of_speech()[:_POS_FIELDS] if part != "*"),
            )
            for each in tokenizer.tokenize(text)
        }

    def annotate(tokens: Sequence[str]) -> list[tuple[str, str]]:
        known = units("".join(tokens))
        found = []
        at = 0
        for token in tokens:
            place = at, at + len(token)
            found.append(known.get(place) or units(token).get((0, len(token)), ("", "")))
            at += len(token)
        return found

    return annotate
