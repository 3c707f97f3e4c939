"""Segmenters of other distributions (entry points ``corpus_spider.segmenters``).

The entry point has ``LANGUAGES``, the codes of the languages that it splits, and ``load()``. That returns a function
from a run of text to its words; joined they are the run.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from storage import plugins
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from storage.plugins import Names


@cache
def by_language(
    allowed: Names, known: Collection[str]
) -> dict[str, tuple[str, Callable[[], Callable[[str], list[str]]]]]:
    """Return the plug-in of each language: its name with its release, and its function ``load``.

    ``allowed``: what `storage.plugins.allowed` returns. Raises ConfigError for a plug-in that is not installed or
    cannot be loaded, for other languages than those ``known``, and for a language that two plug-ins split.
    """
    found: dict[str, tuple[str, Callable[[], Callable[[str], list[str]]]]] = {}
    for name in (name for kind, name in allowed if kind == plugins.SEGMENTERS):
        plugin = plugins.find(plugins.SEGMENTERS, name)
        module = plugin.load()
        languages, load = getattr(module, "LANGUAGES", ()), getattr(module, "load", None)
        if not languages or not callable(load) or not set(languages) <= set(known):
            do = f"It needs LANGUAGES, with some of {', '.join(known)}, and load()."
            raise ConfigError(f'the plug-in "{name}" is no segmenter', where=plugin.release, do=do)
        for language in languages:
            if language in found:
                what = f'the plug-ins "{found[language][0]}" and "{name}" both split {language}'
                raise ConfigError(what, where="plugins.segmenters", do="Name one of them.")
            found[language] = f"{name} ({plugin.release})", load
    return found
