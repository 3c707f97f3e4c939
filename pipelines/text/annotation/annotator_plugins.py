"""Annotators of other distributions (entry points ``corpus_spider.annotators``).

The entry point has ``LANGUAGES``, the codes of the languages that it annotates, ``ATTRIBUTES``, with ``lemma``, ``tag``
or both, and ``load(language)``. That returns a function from the tokens of a sentence to a pair of lemma and tag for
each; an empty text is an unknown one. ``TAGSET``, the name of its tags, may be left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pipelines.text.annotation.annotator import ATTRIBUTES, Annotator
from storage import plugins
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from storage.plugins import Names


@dataclass(frozen=True, slots=True)
class AnnotatorPlugin:
    """A plug-in that is imported, and whose models are not loaded yet. ``library`` is its name with its release."""

    library: str
    attributes: tuple[str, ...]
    tagset: str
    load: Callable[[str], Callable[[Sequence[str]], Sequence[tuple[str, str]]]]

    def annotator(self, language: str) -> Annotator:
        """Load the model of a language."""
        return Annotator(language, self.library, self.attributes, self.tagset, self.load(language))


@cache
def by_language(allowed: Names) -> dict[str, AnnotatorPlugin]:
    """Return the plug-in of each language that one annotates.

    ``allowed``: what `storage.plugins.allowed` returns. Raises ConfigError for a plug-in that is not installed or
    cannot be loaded, for one without the attributes that it needs, and for a language that two plug-ins annotate.
    """
    found: dict[str, AnnotatorPlugin] = {}
    for name in (name for kind, name in allowed if kind == plugins.ANNOTATORS):
        plugin = plugins.find(plugins.ANNOTATORS, name)
        module = plugin.load()
        languages, load = getattr(module, "LANGUAGES", ()), getattr(module, "load", None)
        given = set(getattr(module, "ATTRIBUTES", ()))
        if not languages or not callable(load) or not given or not given <= set(ATTRIBUTES):
            do = f"It needs LANGUAGES, ATTRIBUTES with some of {', '.join(ATTRIBUTES)}, and load(language)."
            raise ConfigError(f'the plug-in "{name}" is no annotator', where=plugin.release, do=do)
        attributes = tuple(each for each in ATTRIBUTES if each in given)
        tagset = str(getattr(module, "TAGSET", ""))
        for language in languages:
            if language in found:
                what = f'the plug-ins "{found[language].library}" and "{name}" both annotate {language}'
                raise ConfigError(what, where="plugins.annotators", do="Name one of them.")
            found[language] = AnnotatorPlugin(f"{name} ({plugin.release})", attributes, tagset, load)
    return found
