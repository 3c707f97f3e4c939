"""Plug-ins: extractors, segmenters, annotators and exporters that other distributions offer by entry points.

A plug-in is loaded only under a name that ``[plugins]`` of corpus.toml has, never because it is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

EXTRACTORS, SEGMENTERS, ANNOTATORS, EXPORTERS = "extractors", "segmenters", "annotators", "exporters"
"""Keys of ``[plugins]``. The group of the entry points is ``corpus_spider.`` and the key."""


Names = tuple[tuple[str, str], ...]
"""Pairs of a kind and a name."""
_allowed: set[tuple[str, str]] = set()
"""Names of every configuration that this process has loaded."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed plug-in that is not loaded yet."""

    name: str
    entry: EntryPoint

    @property
    def release(self) -> str:
        """Name and version of its distribution: ``my-extractor 1.2``."""
        return _release(self.entry)

    def load(self) -> Any:
        """Import the plug-in and return its object. Raises ConfigError if that fails for any reason."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            what = f'the plug-in "{self.name}" cannot be loaded: {type(error).__name__}: {error}'
            do = f"Repair or reinstall the module {self.entry.module}, or name another one in corpus.toml."
            raise ConfigError(what, where=f"{self.release} ({self.entry.value})", do=do) from error


def allow(names: Iterable[tuple[str, str]]) -> None:
    """Allow this process to load plug-ins of these kinds and names. `allowed` gives them for its child processes."""
    _allowed.update(names)


def allowed() -> Names:
    """Return the kinds and names of the plug-ins that this process may load, sorted."""
    return tuple(sorted(_allowed))


def named(kind: str) -> tuple[str, ...]:
    """Return the names of a kind that this process may load, sorted."""
    return tuple(name for each, name in allowed() if each == kind)


def installed(kind: str) -> tuple[str, ...]:
    """Return the names of the installed plug-ins of a kind, sorted."""
    return tuple(sorted({entry.name for entry in _entries(kind)}))


def find(kind: str, name: str) -> Plugin:
    """Return an installed plug-in that ``[plugins]`` names, without loading it.

    Raises ConfigError if there is none of this name, with those that are installed; if several distributions have it;
    and if the configuration does not name it.
    """
    found = _find(kind, name)
    if (kind, name) not in _allowed:
        do = f'Add {kind} = ["{name}"] to [plugins] in corpus.toml.'
        raise ConfigError(f'the plug-in "{name}" is installed, but not named', where=f"plugins.{kind}", do=do)
    return found


@cache
def _find(kind: str, name: str) -> Plugin:
    found = [entry for entry in _entries(kind) if entry.name == name]
    if len(found) == 1:
        return Plugin(name, found[0])
    where = f"plugins.{kind}"
    if found:
        names = ", ".join(sorted(map(_release, found)))
        raise ConfigError(f'several distributions offer "{name}": {names}', where=where, do="Uninstall all but one.")
    known = ", ".join(installed(kind))
    do = f"Installed are: {known}." if known else f"Install its distribution. No {kind} are installed."
    raise ConfigError(f'the plug-in "{name}" is not installed', where=where, do=do)


def _entries(kind: str) -> list[EntryPoint]:
    from importlib.metadata import entry_points

    # A distribution that is on the path twice counts once.
    found = entry_points(group=f"corpus_spider.{kind}")
    return list({(entry.name, entry.value, _release(entry)): entry for entry in found}.values())


def _release(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"
