"""Newspapers as data: one TOML file a language, read by the rules of corpus.toml. No code for any newspaper."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from corpus_spider.config_load import build_sites
from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.config_values import Problem
    from corpus_spider.sections import Site

ABOUT = ("title", "homepage", "terms", "checked")


@dataclass(frozen=True, slots=True)
class Newspaper:
    """A newspaper that is known, and the site table that crawls it."""

    title: str
    homepage: str
    terms: str
    """Page with the terms of use, or the licence; empty while nobody has found it."""
    checked: str
    """ISO date of the last crawl that somebody looked at; empty while nobody has."""
    site: Site


def languages() -> tuple[str, ...]:
    """Return the languages for which newspapers are known."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def newspapers(language: str) -> tuple[Newspaper, ...]:
    """Return the newspapers of a language; none when none are known. Raises ConfigError when the file is wrong."""
    if language not in languages():
        return ()
    text = (files(__package__) / f"{language}.toml").read_text(encoding="utf-8")
    return parse(text, f"{language}.toml")


def parse(text: str, origin: str) -> tuple[Newspaper, ...]:
    """Read a file of newspapers; raise ConfigError naming every problem."""
    tables: list[dict[str, Any]] = tomllib.loads(text).get("newspaper", [])
    problems: list[Problem] = []
    sites = build_sites([_without_about(table) for table in tables], problems)
    missing = [f"newspaper[{at}].{key} is missing" for at, one in enumerate(tables) for key in ABOUT if key not in one]
    if wrong := [*map(str, problems), *missing]:
        raise ConfigError("; ".join(wrong), where=origin)
    return tuple(
        Newspaper(table["title"], table["homepage"], table["terms"], table["checked"], site)
        for table, site in zip(tables, sites, strict=True)
    )


def _without_about(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in ABOUT}
