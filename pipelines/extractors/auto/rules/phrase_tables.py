"""The words that extractors know of many languages, kept as TOML beside the modules that look for them."""

from __future__ import annotations

import tomllib
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def read(name: str) -> dict[str, Any]:
    """Return the tables of a file of this package."""
    return tomllib.loads(resources.files("pipelines.extractors.auto.rules").joinpath(name).read_text("utf-8"))


def either(by_language: Mapping[str, Iterable[str]]) -> str:
    """Return the regular expression for any of those of some languages.

    >>> either({"english": ["read on", "more"], "thai": ["อ่านต่อ"]})
    '(?:read on|more|อ่านต่อ)'
    """
    return f"(?:{'|'.join(chain.from_iterable(by_language.values()))})"
