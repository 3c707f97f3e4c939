"""Known newspapers as data: one TOML file for each language, with the keys of corpus.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from corpus_spider.config.loader import build_sites
from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.config.sections import SiteSettings
    from corpus_spider.config.values import Problem

ABOUT = ("title", "homepage", "country", "terms", "origin", "checked")


@dataclass(frozen=True, slots=True)
class Newspaper:
    """A known newspaper and its site table.

    The site has feeds and sitemaps only if their addresses were found in public. `corpus-spider sites discover` looks
    for those of the others.
    """

    title: str
    homepage: str
    country: str
    """Country of the newsroom, ISO 3166-1 alpha-2."""
    terms: str
    """URL of the terms of use or the licence; empty if unknown."""
    origin: str
    """Where the addresses were found: a public repository, ``public code`` (in several), or empty if not recorded."""
    checked: str
    """ISO date of the last crawl whose result was read; empty if it was never checked."""
    site: SiteSettings

    @property
    def listed(self) -> KnownNewspaper:
        """What `sites list` shows."""
        site = self.site
        return KnownNewspaper(
            name=site.name,
            title=self.title,
            homepage=self.homepage,
            language=site.language,
            country=self.country,
            timezone=site.timezone,
            feeds=site.feeds,
            sitemaps=site.sitemaps,
            terms=self.terms,
            origin=self.origin,
            checked=self.checked,
        )


@dataclass(frozen=True, slots=True)
class KnownNewspaper:
    """A newspaper that the program knows.

    ``country``: ISO 3166-1 code of its newsroom. ``terms``: URL of its terms of use, empty if unknown. ``origin``:
    where its addresses were found. ``checked``: day of the last crawl whose result was read, empty if there was none.
    """

    name: str
    title: str
    homepage: str
    language: str
    country: str
    timezone: str
    feeds: tuple[str, ...]
    sitemaps: tuple[str, ...]
    terms: str
    origin: str
    checked: str


def languages() -> tuple[str, ...]:
    """Return the languages that have known newspapers."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def newspapers(language: str) -> tuple[Newspaper, ...]:
    """Return the known newspapers of a language. Raises ConfigError if the file is invalid."""
    if language not in languages():
        return ()
    text = (files(__package__) / f"{language}.toml").read_text(encoding="utf-8")
    return parse(text, f"{language}.toml")


def parse(text: str, origin: str) -> tuple[Newspaper, ...]:
    """Parse a file of newspapers. Raises ConfigError with all errors."""
    tables: list[dict[str, Any]] = tomllib.loads(text).get("newspaper", [])
    problems: list[Problem] = []
    sites = build_sites(
        [{key: value for key, value in table.items() if key not in ABOUT} for table in tables], problems
    )
    missing = [f"newspaper[{at}].{key} is missing" for at, one in enumerate(tables) for key in ABOUT if key not in one]
    if wrong := [*map(str, problems), *missing]:
        raise ConfigError("; ".join(wrong), where=origin, do="Correct the file of the newspapers.")
    return tuple(
        Newspaper(**{key: table[key] for key in ABOUT}, site=site) for table, site in zip(tables, sites, strict=True)
    )
