"""Create a corpus: a folder with a commented corpus.toml."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import MISSING, dataclass, fields, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from corpus_spider import presets
from corpus_spider.config.loader import FILE_NAME, assemble, parse
from corpus_spider.config.sections import (
    GIB,
    MIB,
    ArchiveSettings,
    CorpusSettings,
    CrawlSettings,
    LogSettings,
    MonitorSettings,
    NotifySettings,
    PluginSettings,
    RuleSettings,
    SiteSettings,
    keys,
)
from corpus_spider.config.values import Key, nearest
from pipelines.urls import url
from storage.disk import disk_error
from storage.errors import ConfigError
from storage.frontier.recrawl_schedule import DAY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from corpus_spider.config.sections import AnySettings

HEAD = """\
# A corpus of corpus-spider. Lines that begin with # are comments. Remove the # to use a setting.
# `corpus-spider config` prints the effective settings, `corpus-spider crawl --dry-run` the sources.
"""
UNCHECKED = "# Not checked yet. `corpus-spider sites check {}` checks its sources."
MOST_ADDRESSES = 3
"""Addresses that the next steps name. For more, one command searches all sites."""
EXAMPLE = {
    "name": "example-news",
    "start": ("https://news.example.org/",),
    "feeds": ("https://news.example.org/rss.xml",),
    "sitemaps": ("https://news.example.org/sitemap.xml",),
    "archive": "https://news.example.org/{yyyy}/{mm}/{dd}/",
    "allow": ("/20[0-9]{2}/",),
    "deny": ("/video/",),
    "hosts": ("example.net",),
    "language": "en",
    "languages": ("en", "fr"),
    "p": 8,
    "delay": 5.0,
    "max_depth": 3,
    "licence": "CC BY 4.0",
    "checked": "2026-11-20",
}


@dataclass(frozen=True, slots=True)
class NewCorpus:
    """Options of `init`. ``sites`` are names of known newspapers or URLs of others; empty: all known newspapers."""

    folder: Path
    languages: tuple[str, ...]
    contact: str
    sites: tuple[str, ...] = ()


def create(wanted: NewCorpus) -> Path:
    """Write FOLDER/corpus.toml and return its path.

    Raises ConfigError if the file exists or an option is invalid, and DiskError if it cannot be written.
    """
    file = wanted.folder / FILE_NAME
    text = render(wanted)
    try:
        wanted.folder.mkdir(parents=True, exist_ok=True)
        _write_new(file, text)
    except FileExistsError:
        raise ConfigError(
            "there is a corpus already", where=str(file), do="Choose another name, or edit this file."
        ) from None
    except OSError as error:
        raise disk_error(error, file) from None
    assemble(parse(file), {}, {}, file)
    return file


def _write_new(file: Path, text: str) -> None:
    """Write a new file. On a full disk the partial file is deleted, or the next attempt would find it."""
    with file.open("xb") as stream:
        try:
            stream.write(text.encode())
            stream.flush()
        except OSError:
            file.unlink()
            raise


def next_steps(file: Path, wanted: NewCorpus) -> list[str]:
    """Return the commands that follow `init`.

    Newspapers without known sources need `sites discover` first. So does a corpus without any newspaper. Known
    newspapers that were never checked need `sites check`.
    """
    addresses = [url for site in _choose(wanted) if isinstance(site, SiteSettings) for url in site.start]
    bare = without_sources(wanted)
    unknown = [*addresses, *bare] or ([] if parse(file).get("site") else ["https://…"])
    if len(addresses) > MOST_ADDRESSES:
        unknown = ["--all"]
    discover = [f"sites discover {' '.join(unknown)} --write"] if unknown else []
    check = ["sites check --write"] if unverified(wanted) else []
    return [*discover, *check, "crawl --dry-run", "crawl"]


def uncovered(wanted: NewCorpus) -> list[str]:
    """Return the languages without a known newspaper. Empty if the user named sites."""
    return [] if wanted.sites else [code for code in wanted.languages if not presets.newspapers(code)]


def unverified(wanted: NewCorpus) -> str:
    """Return which of the chosen known newspapers were never checked; empty if all were."""
    known = [paper for paper in _choose(wanted) if isinstance(paper, presets.Newspaper)]
    names = [paper.site.name for paper in known if not paper.checked]
    if not names:
        return ""
    which = f"{len(names)} of {len(known)} newspapers are not checked yet: {', '.join(names)}"
    if len(names) == len(known):
        which = f"No newspaper is checked yet ({len(known)})"
    return f"{which}. Addresses are from public lists and may be outdated."


def without_sources(wanted: NewCorpus) -> list[str]:
    """Return the names of the chosen known newspapers without feed and sitemap."""
    known = [paper for paper in _choose(wanted) if isinstance(paper, presets.Newspaper)]
    return [paper.site.name for paper in known if not (paper.site.feeds or paper.site.sitemaps)]


def render(wanted: NewCorpus) -> str:
    """Return the text of corpus.toml. Raises ConfigError if a language, the contact or a site is invalid."""
    chosen = _choose(wanted)
    corpus = {"name": corpus_name(wanted.folder), "languages": list(wanted.languages), "contact": wanted.contact}
    assemble({"corpus": corpus}, {}, {}, None)
    crawl = ["[crawl]", "# robots.txt is always obeyed. These are the defaults.", *_defaults(CrawlSettings)]
    parts = [HEAD, _corpus_section(corpus), "\n".join(crawl) + "\n"]
    others = (
        ("archive", ArchiveSettings),
        ("notify", NotifySettings),
        ("log", LogSettings),
        ("monitor", MonitorSettings),
        ("plugins", PluginSettings),
    )
    for title, section in others:
        parts.append("\n".join([f"[{title}]", *_defaults(section)]) + "\n")
    for paper in chosen:
        lines = _newspaper_lines(paper) if isinstance(paper, presets.Newspaper) else ["[[site]]", *_site_lines(paper)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join([*parts, _example_section()])


def corpus_name(folder: Path) -> str:
    """Return a corpus name derived from the folder's name: lower-case letters, digits, dots, hyphens."""
    plain = unicodedata.normalize("NFKD", folder.resolve().name).replace("đ", "d").replace("Đ", "D")
    ascii_only = plain.encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9.]+", "-", ascii_only).strip("-.")[:100] or "corpus"


def _choose(wanted: NewCorpus) -> list[presets.Newspaper | SiteSettings]:
    papers = [paper for language in wanted.languages for paper in presets.newspapers(language)]
    if not wanted.sites:
        return list(papers)
    # A word that two newspapers share, such as VOA, names neither.
    shared = Counter(word for paper in papers for word in _names(paper))
    known = {word: paper for paper in papers for word in _names(paper) if shared[word] == 1}
    chosen: dict[str, presets.Newspaper | SiteSettings] = {}
    for name in dict.fromkeys(wanted.sites):
        if paper := known.get(_plain(name)):
            chosen[paper.site.name] = paper
            continue
        if "://" not in name:
            raise _unknown(name, papers)
        site = _own_site(name)
        there = chosen.get(site.name)
        # Two addresses of one host are one site with two start pages.
        chosen[site.name] = (
            replace(there, start=(*there.start, *site.start)) if isinstance(there, SiteSettings) else site
        )
    return list(chosen.values())


def _names(paper: presets.Newspaper) -> set[str]:
    """Return what a newspaper may be called: its name, its title in either script, its front page."""
    titles = [paper.title, *re.split(r"[()]", paper.title)]
    return {_plain(word) for word in (paper.site.name, paper.homepage, *titles) if word.strip()}


def _plain(name: str) -> str:
    """Return a name or address without case, scheme, ``www.`` and final slash."""
    return name.strip().casefold().partition("://")[2 if "://" in name else 0].removeprefix("www.").rstrip("/")


def _unknown(name: str, papers: Sequence[presets.Newspaper]) -> ConfigError:
    known = [paper.site.name for paper in papers]
    others = {paper.site.name: code for code in presets.languages() for paper in presets.newspapers(code)}
    if code := others.get(name):
        return ConfigError(f'"{name}" is a newspaper in {code}', where="--site", do=f"Add --language {code}.")
    return ConfigError(
        f'no newspaper "{name}" is known in these languages{nearest(name, known)}',
        where="--site",
        do=f"Known: {', '.join(known) or 'none'}. Or give the URL of its front page, https://…",
    )


def _own_site(address: str) -> SiteSettings:
    # `assemble` reports an invalid URL.
    known = url.canonicalise(address)
    host = (urlsplit(known).hostname or "").removeprefix("www.") if known else ""
    table = {"name": re.sub(r"[^a-z0-9.-]+", "-", host).strip("-.") or "site", "start": [address]}
    return assemble({"site": [table]}, {}, {}, None).sites[0]


def _corpus_section(corpus: dict[str, Any]) -> str:
    lines = ["[corpus]"]
    for name, key in keys(CorpusSettings).items():
        lines += [f"# {key.explanation}"]
        lines += (
            [f"{name} = {toml(corpus[name])}"]
            if name in corpus
            else [f"# {name} = {toml(_default(CorpusSettings, name))}"]
        )
    return "\n".join(lines) + "\n"


def _defaults(section: type[AnySettings]) -> list[str]:
    """Return a comment line for each key, with its default and explanation."""
    return [f"# {name} = {default_in_words(section, name)}  # {key.explanation}" for name, key in keys(section).items()]


def _newspaper_lines(paper: presets.Newspaper) -> list[str]:
    terms = (
        f"# Terms of use: {paper.terms}" if paper.terms else "# Find its terms of use and read them before you crawl."
    )
    checked = f"# Last checked: {paper.checked}" if paper.checked else UNCHECKED.format(paper.site.name)
    return ["[[site]]", f"# {paper.title}, {paper.homepage}, {paper.country}", terms, checked, *_site_lines(paper.site)]


def _site_lines(site: SiteSettings) -> list[str]:
    """Return a line for each key that the site sets. Sitemaps of a whole archive are comments, to be enabled."""
    given = {name: getattr(site, name) for name in keys(SiteSettings)}
    lines = []
    for name, value in given.items():
        if value is None or value == _default(SiteSettings, name):
            continue
        archive = name == "sitemaps" and bool(site.start or site.feeds)
        lines.append(
            f"# {name} = {toml(value)}  # the whole archive: many pages" if archive else f"{name} = {toml(value)}"
        )
    return lines


def _example_section() -> str:
    lines = [
        "# Another newspaper, with all keys. name and one of start, feeds, sitemaps are required.",
        "# [[site]]",
    ]
    for name, key in keys(SiteSettings).items():
        lines.append(f"# {name} = {toml(EXAMPLE.get(name, _default(SiteSettings, name)))}  # {key.explanation}")
    lines += ["# [site.rules]", *_defaults(RuleSettings)]
    return "\n".join(lines) + "\n"


def _default(section: type[AnySettings], name: str) -> Any:
    found = next(one.default for one in fields(section) if one.name == name)
    return "" if found is MISSING or found is None else found


def default_in_words(section: type[AnySettings], name: str) -> str:
    """Return the default of a key as TOML for readers: sizes in units, times in days. A key without one has ``""``."""
    return _written(_default(section, name), keys(section)[name])


def _written(value: Any, key: Key) -> str:
    if key.size:
        unit, word = (GIB, "GiB") if value % GIB == 0 else (MIB, "MiB")
        return f'"{value // unit} {word}"' if value else "0"
    if key.duration and isinstance(value, tuple):
        return toml([f"{one / DAY:g}d" for one in value])
    return "0" if key.duration and not value else toml(value)


def toml(value: object) -> str:
    """Format a text, number, truth value or list of texts as TOML. Texts with backslashes become literal strings."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml(one) for one in value)}]"
    if isinstance(value, str) and "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
