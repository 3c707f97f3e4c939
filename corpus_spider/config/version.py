"""Version of the program. A module of its own, so that `--version` loads nothing else."""

from __future__ import annotations

from functools import cache


@cache
def program_version() -> str:
    """Return the installed version, or ``0`` in a bare checkout. Cached: the package's metadata takes 5 ms to parse."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("corpus-spider")
    except PackageNotFoundError:
        return "0"
