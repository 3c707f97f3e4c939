"""A new corpus: a folder with a corpus.toml that explains itself."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from corpus_spider import presets
from corpus_spider.config_load import FILE_NAME, assemble, parse
from corpus_spider.config_values import Key, nearest
from corpus_spider.sections import GIB, MIB, Archive, Corpus, Crawl, Notify, Site, keys
from pipelines import urls
from storage.disk import disk_error
from storage.errors import ConfigError
from storage.schedule import DAY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HEAD = """\
# A corpus for corpus-spider. Lines that begin with # are comments; take the # away to use them.
# `corpus-spider config` prints what is in force, `corpus-spider crawl --dry-run` what would be fetched.
"""
UNCHECKED = "# Nobody has crawled this newspaper with this program and read the result yet."
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
    """What the user asks for. ``sites`` are names of known newspapers or addresses of others; empty: all known ones."""

    folder: Path
    languages: tuple[str, ...]
    contact: str
    sites: tuple[str, ...] = ()


def create(wanted: NewCorpus) -> Path:
    """Write FOLDER/corpus.toml and return its path.

    Raises ConfigError when there is one already or something asked for is wrong, DiskError when it cannot be written.
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
    """Write a file that is not there yet. Of what a full disk leaves nothing stays, or the next try would find it."""
    with file.open("xb") as stream:
        try:
            stream.write(text.encode())
            stream.flush()
        except OSError:
            file.unlink()
            raise


def next_steps(file: Path, sites: Sequence[str]) -> list[str]:
    """Return what to do with a new corpus.toml, as verbs with their options.

    The sources of newspapers that are given by their address are looked for first, and a newspaper where there is none.
    """
    addresses = [site for site in sites if "://" in site]
    missing = [] if addresses or parse(file).get("site") else ["https://…"]
    return [*(f"sites discover {one} --write" for one in (*addresses, *missing)), "crawl --dry-run", "crawl"]


def uncovered(wanted: NewCorpus) -> list[str]:
    """Return the languages in which no newspaper is known, where all known ones are asked for."""
    return [] if wanted.sites else [code for code in wanted.languages if not presets.newspapers(code)]


def render(wanted: NewCorpus) -> str:
    """Return the text of corpus.toml; raise ConfigError when a language, the contact or a site is wrong."""
    chosen = _choose(wanted)
    corpus = {"name": corpus_name(wanted.folder), "languages": list(wanted.languages), "contact": wanted.contact}
    assemble({"corpus": corpus}, {}, {}, None)
    parts = [HEAD, _corpus_section(corpus), _crawl_section()]
    parts += [_optional_section("archive", Archive), _optional_section("notify", Notify)]
    parts += [
        _newspaper_section(paper) if isinstance(paper, presets.Newspaper) else _own_section(paper) for paper in chosen
    ]
    return "\n".join([*parts, _example_section()])


def corpus_name(folder: Path) -> str:
    """Return a name for the corpus made of the folder's: lower-case letters, digits, dots, hyphens."""
    plain = unicodedata.normalize("NFKD", folder.resolve().name).replace("đ", "d").replace("Đ", "D")
    ascii_only = plain.encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9.]+", "-", ascii_only).strip("-.")[:100] or "corpus"


def _choose(wanted: NewCorpus) -> list[presets.Newspaper | Site]:
    known = {paper.site.name: paper for language in wanted.languages for paper in presets.newspapers(language)}
    if not wanted.sites:
        return list(known.values())
    return [_own_site(site) if "://" in site else _known_newspaper(site, known) for site in dict.fromkeys(wanted.sites)]


def _known_newspaper(name: str, known: dict[str, presets.Newspaper]) -> presets.Newspaper:
    if name in known:
        return known[name]
    raise ConfigError(
        f'no newspaper "{name}" is known in these languages{nearest(name, known)}',
        where="--site",
        do=f"Known: {', '.join(known) or 'none'}. Or give the address of its front page, https://…",
    )


def _own_site(address: str) -> Site:
    # What is wrong with the address is told where it is checked.
    known = urls.canonicalise(address)
    host = (urlsplit(known).hostname or "").removeprefix("www.") if known else ""
    table = {"name": re.sub(r"[^a-z0-9.-]+", "-", host).strip("-.") or "site", "start": [address]}
    return assemble({"site": [table]}, {}, {}, None).sites[0]


def _corpus_section(corpus: dict[str, Any]) -> str:
    lines = ["[corpus]"]
    for name, key in keys(Corpus).items():
        lines += [f"# {key.explanation}"]
        lines += (
            [f"{name} = {toml(corpus[name])}"] if name in corpus else [f"# {name} = {toml(_default(Corpus, name))}"]
        )
    return "\n".join(lines) + "\n"


def _crawl_section() -> str:
    return "\n".join(["[crawl]", "# robots.txt is always obeyed. These are the defaults.", *_defaults(Crawl)]) + "\n"


def _optional_section(title: str, section: type[Archive] | type[Notify]) -> str:
    return "\n".join([f"[{title}]", *_defaults(section)]) + "\n"


def _defaults(section: type[Crawl] | type[Archive] | type[Notify]) -> list[str]:
    """Every key with its default and what it means, as comments."""
    values = {name: _default(section, name) for name in keys(section)}
    return [f"# {name} = {_written(values[name], key)}  # {key.explanation}" for name, key in keys(section).items()]


def _newspaper_section(paper: presets.Newspaper) -> str:
    terms = (
        f"# Terms of use: {paper.terms}" if paper.terms else "# Find its terms of use and read them before you crawl."
    )
    checked = f"# Last checked: {paper.checked}" if paper.checked else UNCHECKED
    return (
        "\n".join(["[[site]]", f"# {paper.title}, {paper.homepage}", terms, checked, *_site_lines(paper.site)]) + "\n"
    )


def _own_section(site: Site) -> str:
    return "\n".join(["[[site]]", *_site_lines(site)]) + "\n"


def _site_lines(site: Site) -> list[str]:
    """The keys that the site sets; sitemaps, which list the whole archive, are there to be switched on."""
    given = {name: getattr(site, name) for name in keys(Site)}
    lines = []
    for name, value in given.items():
        if value is None or value == _default(Site, name):
            continue
        archive = name == "sitemaps" and bool(site.start or site.feeds)
        lines.append(
            f"# {name} = {toml(value)}  # the whole archive: many pages" if archive else f"{name} = {toml(value)}"
        )
    return lines


def _example_section() -> str:
    lines = [
        "# Another newspaper: every key there is. name, and one of start, feeds, sitemaps are needed.",
        "# [[site]]",
    ]
    for name, key in keys(Site).items():
        lines.append(f"# {name} = {toml(EXAMPLE.get(name, _default(Site, name)))}  # {key.explanation}")
    return "\n".join(lines) + "\n"


def _default(section: type[Corpus] | type[Crawl] | type[Archive] | type[Notify] | type[Site], name: str) -> Any:
    found = next(one.default for one in fields(section) if one.name == name)
    return "" if found is MISSING or found is None else found


def _written(value: Any, key: Key) -> str:
    """Write a default as a person would: sizes in units, times in days."""
    if key.size:
        return _size(value) if value else "0"
    if key.duration and isinstance(value, tuple):
        return toml([f"{one / DAY:g}d" for one in value])
    return "0" if key.duration and not value else toml(value)


def _size(count: int) -> str:
    unit, word = (GIB, "GiB") if count % GIB == 0 else (MIB, "MiB")
    return f'"{count // unit} {word}"'


def toml(value: object) -> str:
    """Write a text, number, truth value or list of texts as TOML; texts with backslashes literally."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml(one) for one in value)}]"
    if isinstance(value, str) and "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
