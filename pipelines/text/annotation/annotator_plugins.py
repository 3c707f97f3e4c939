"""Annotators of other distributions (entry points ``corpus_spider.annotators``).

The entry point has ``LANGUAGES``, the codes of the languages that it annotates, ``ATTRIBUTES``, with ``lemma``, ``tag``
or both, and ``load(language)``. That returns a function from the tokens of a sentence to a pair of lemma and tag for
each; an empty text is an unknown one. ``TAGSET``, the name of its tags, may be left out.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pipelines.text.annotation.annotator import ATTRIBUTES, Annotator
from storage import plugins
from storage.errors import ConfigError

if TYPE_CHECKING:
    from storage.plugins import Names


@cache
def by_language(allowed: Names) -> dict[str, Annotator]:
    """Return the annotator of each language that a plug-in annotates. Its library is its name with its release.

    ``allowed``: what `storage.plugins.allowed` returns. Raises ConfigError for a plug-in that is not installed or
    cannot be loaded, for one without the attributes that it needs, and for a language that two plug-ins annotate.
    """
    found: dict[str, Annotator] = {}
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
            library = f"{name} ({plugin.release})"
            found[language] = Annotator(language, library, attributes, tagset, load(language))
    return found
