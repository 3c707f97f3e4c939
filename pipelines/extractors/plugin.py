"""Extractors of other distributions (entry points ``corpus_spider.extractors``).

The entry point is a function of the decoded page and the `ExtractorOptions`. It returns the paragraphs of the text, or
an `Extraction`. It is imported in a worker process with the limits of a crawl: when the worker starts, or with its
first page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from pipelines.extractors.base import Extractor
from pipelines.markup.lexer import sanitise
from storage import plugins
from storage.errors import ConfigError, CorpusError
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.extractors.base import ExtractorOptions
    from storage.plugins import Plugin


@dataclass(frozen=True, slots=True)
class _PluginFunction:
    """The function of a plug-in, imported at the first use."""

    plugin: Plugin

    def __call__(self, html: str, options: ExtractorOptions) -> Extraction:
        """Extract a page. Raises CorpusError for any error of the plug-in, ConfigError for a result of another type."""
        name, release = self.plugin.name, self.plugin.release
        function = load(name)
        try:
            found = function(html, options)
            found = found if isinstance(found, (Extraction, str)) or not isinstance(found, Iterable) else list(found)
        except Exception as error:
            what = f'the extractor "{name}" failed: {type(error).__name__}: {error}'
            raise CorpusError(what, where=release, do="Report it to its author, or name another extractor.") from error
        if isinstance(found, Extraction):
            return replace(found, extractor=name, version=release)
        if not isinstance(found, list):
            do = "Return a list of paragraphs, or a storage.records.Extraction."
            raise ConfigError(f'the extractor "{name}" returned {type(found).__name__}', where=release, do=do)
        lines = (" ".join(sanitise(str(line)).split()) for line in found)
        return Extraction(tuple(line for line in lines if line), name, release)


@cache
def load(name: str) -> Callable[[str, ExtractorOptions], Any]:
    """Import the function of a plug-in. Raises ConfigError if that fails."""
    function: Callable[[str, ExtractorOptions], Any] = plugins.find(plugins.EXTRACTORS, name).load()
    return function


def find(name: str) -> Extractor | None:
    """Return the plug-in of that name as an extractor, or None. Its version is that of its distribution.

    Raises ConfigError if the configuration names it and it is not installed, or the reverse.
    """
    if name not in {*plugins.installed(plugins.EXTRACTORS), *plugins.named(plugins.EXTRACTORS)}:
        return None
    plugin = plugins.find(plugins.EXTRACTORS, name)
    return Extractor(name, plugin.release, f"plug-in of {plugin.release}", _PluginFunction(plugin))
