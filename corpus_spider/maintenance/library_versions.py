"""Libraries that this program requires, and those that are missing or have another version."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from packaging.specifiers import SpecifierSet

DISTRIBUTION = "corpus-spider"


@dataclass(frozen=True, slots=True)
class NeededLibrary:
    """A library with its bounds. ``extra`` is empty for a library that is always needed."""

    name: str
    bounds: SpecifierSet
    extra: str = ""


def requirements() -> list[NeededLibrary]:
    """Return the requirements of this program that apply to this Python; an empty list if they are not known."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    extras = metadata.metadata(DISTRIBUTION).get_all("Provides-Extra") or []
    return parsed(lines, extras)


def parsed(lines: Iterable[str], extras: Iterable[str]) -> list[NeededLibrary]:
    """Parse requirements (PEP 508), and keep those that apply to this Python, without references to the program itself.

    >>> [one.name for one in parsed(['lxml>=6.1', 'x>=1; python_version < "3.9"', 'web; extra == "net"'], ["net"])]
    ['lxml', 'web']
    """
    found = []
    for needed in map(Requirement, lines):
        names = (extra for extra in ("", *extras) if needed.marker is None or needed.marker.evaluate({"extra": extra}))
        extra = next(names, None)
        if extra is not None and canonicalize_name(needed.name) != DISTRIBUTION:
            found.append(NeededLibrary(needed.name, needed.specifier, extra))
    return found


def installed() -> dict[str, str]:
    """Return the versions of all installed libraries by normalised name."""
    found = ((each.metadata["Name"], each.version) for each in metadata.distributions())
    return {canonicalize_name(name): version for name, version in found if name}


def lacking(needed: Iterable[NeededLibrary], versions: Mapping[str, str]) -> list[str]:
    """Return the libraries that are missing or have another version, each with what is needed."""
    found = []
    for each in needed:
        version = versions.get(canonicalize_name(each.name))
        if version is None:
            found.append(f"{each.name} is missing")
        elif not each.bounds.contains(version, prereleases=True):
            found.append(f"{each.name} is {version}, needed is {str(each.bounds).removeprefix('>=')}")
    return found
