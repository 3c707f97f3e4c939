"""An annotator gives the tokens of a sentence their lemmas, their parts of speech, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEMMA, TAG = "lemma", "tag"
ATTRIBUTES = (LEMMA, TAG)
"""What an annotator can give, in the order of the columns of vertical text."""
MAX_TOKENS_AT_ONCE = 200
"""Tokens that a library gets at once. A line without a sentence end can be as long as a book."""
MAX_TOKEN_CHARS = 80
"""Characters of a token. Longer ones, such as addresses, get no annotation: SudachiPy refuses 49,149 bytes at once."""


class Annotation(NamedTuple):
    """Lemma and tag of a token. Empty: not known."""

    lemma: str = ""
    tag: str = ""


UNKNOWN = Annotation()


@dataclass(frozen=True, slots=True)
class Annotator:
    """Annotates tokens of one language, always in the same way.

    ``library`` has its version: ``simplemma 2.0.0``. ``attributes`` are some of `ATTRIBUTES`. ``tagset`` names the
    tags, if it gives some. ``annotate`` returns a pair of lemma and tag for each token. ``by_word``: the neighbours of
    a token make no difference.
    """

    language: str
    library: str
    attributes: tuple[str, ...]
    tagset: str
    annotate: Callable[[Sequence[str]], Sequence[tuple[str, str]]]
    by_word: bool = False

    def __call__(self, tokens: Sequence[str]) -> list[Annotation]:
        """Return the annotation of each token of a sentence. ValueError if the library gives another number."""
        found: list[Annotation] = []
        for start in range(0, len(tokens), MAX_TOKENS_AT_ONCE):
            part = [token[:MAX_TOKEN_CHARS] for token in tokens[start : start + MAX_TOKENS_AT_ONCE]]
            pairs = self.annotate(part)
            if len(pairs) != len(part):
                raise ValueError(f"{self.library} gave {len(pairs)} annotations for {len(part)} tokens")
            found += [Annotation(_joined(lemma), _joined(tag)) for lemma, tag in pairs]
        return [UNKNOWN if len(token) > MAX_TOKEN_CHARS else each for token, each in zip(tokens, found, strict=True)]

    @property
    def description(self) -> str:
        """What it gives, and which library does: ``lemma, tag (pymorphy3 2.0.6, OpenCorpora)``."""
        by = f"{self.library}, {self.tagset}" if self.tagset else self.library
        return f"{', '.join(self.attributes)} ({by})"


def described_attributes(description: str) -> tuple[str, ...]:
    """Return which of `ATTRIBUTES` an annotator gives, from its `Annotator.description`.

    >>> described_attributes("lemma, tag (pymorphy3 2.0.6, OpenCorpora)")
    ('lemma', 'tag')
    """
    named = description.partition(" (")[0].split(", ")
    return tuple(each for each in ATTRIBUTES if each in named)


def _joined(value: str) -> str:
    """Return a lemma or tag with an underscore for each space, since a space separates tokens."""
    return value if value.isalnum() else "_".join(value.split())
