"""Load the configuration: find the file, merge the layers, collect all errors and raise them at once."""

from __future__ import annotations

import os
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from corpus_spider.config.model import Config
from corpus_spider.config.sections import (
    GIB,
    AnySettings,
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
    kinds,
)
from corpus_spider.config.selections import NAMED, selection_of
from corpus_spider.config.values import GivenValue, Problem, WrongValueError, convert, is_utf8, nearest, selection_name
from storage import plugins as plug_ins
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from storage.documents.selection import Selection

Section = TypeVar("Section", bound=AnySettings)
Layer = dict[str, GivenValue]

FILE_NAME = "corpus.toml"
PREFIX = "CORPUS_SPIDER_"
EXPLAINED = "`corpus-spider help NAME` explains a setting."
SECTIONS: dict[str, type[AnySettings]] = {
    "corpus": CorpusSettings,
    "crawl": CrawlSettings,
    "archive": ArchiveSettings,
    "notify": NotifySettings,
    "log": LogSettings,
    "monitor": MonitorSettings,
    "plugins": PluginSettings,
}
MAKE_ONE = "Create one with `corpus-spider init NAME --language CODE --contact E-MAIL`, or name one with --config."


def _nearby() -> str:
    """Return a hint to a corpus in a subfolder of the current folder; "" if there is none."""
    try:
        found = sorted(str(each) for each in Path().glob(f"*/{FILE_NAME}"))
    except OSError:
        return ""
    others = f" (or one of {len(found) - 1} more)" if len(found) > 1 else ""
    return f"A subfolder has one: add -c {shlex.quote(found[0])}{others}, or change to that folder." if found else ""


def find(path: Path | None, environ: Mapping[str, str]) -> Path | None:
    """Return the file to load: ``path``, else $CORPUS_SPIDER_CONFIG, else ./corpus.toml if it exists, else None.

    A folder means the corpus.toml in it.
    """
    named = path or environ.get(f"{PREFIX}CONFIG")
    if named:
        return Path(named) / FILE_NAME if Path(named).is_dir() else Path(named)
    return Path(FILE_NAME) if Path(FILE_NAME).is_file() else None


def load(
    path: Path | None = None, *, overrides: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None
) -> Config:
    """Load the configuration. ``overrides`` maps ``section.key`` to a value of the command line.

    Without a path, ``CORPUS_SPIDER_CONFIG`` or ./corpus.toml is loaded. Raises ConfigError with all errors found.
    """
    environ = os.environ if environ is None else environ
    file = find(path, environ)
    if file is None:
        raise ConfigError(f"there is no {FILE_NAME} here", where=str(Path.cwd()), do=_nearby() or MAKE_ONE)
    if not is_utf8(str(file.resolve())):
        what = "the path is not valid UTF-8, which the database requires"
        raise ConfigError(what, where=str(file.absolute()), do="Rename the file or folder.")
    return assemble(parse(file), overrides or {}, environ, file.resolve())


def database_variable(environ: Mapping[str, str]) -> str:
    """Return the environment variable that overrides the database of corpus.toml; empty if none is set."""
    own = f"{PREFIX}CORPUS_DATABASE"
    if own in environ:
        return own
    return "DATABASE_URL" if environ.get("DATABASE_URL") else ""


def parse(file: Path) -> dict[str, Any]:
    """Parse a TOML file. Raises ConfigError, with the line of a syntax error."""
    try:
        return read_toml(file.read_bytes())
    except OSError as error:
        do = MAKE_ONE if isinstance(error, FileNotFoundError) else "Give this user the right to read it."
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(file.absolute()), do=do) from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"is not UTF-8 (byte {error.start})", where=str(file.absolute()), do="Save the file as UTF-8."
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        do = "Correct this line. Texts have quotation marks, lists have square brackets."
        if "twice" in str(error) or "overwrite" in str(error):
            do = "Write the keys of a section under its first heading, such as [log], and each key once."
        raise ConfigError(f"is not TOML: {error}", where=str(file.absolute()), do=do) from None


def read_toml(data: bytes) -> dict[str, Any]:
    """Parse TOML with or without a byte order mark. Raises ValueError or RecursionError."""
    return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))


def assemble(
    table: Mapping[str, Any], overrides: Mapping[str, object], environ: Mapping[str, str], file: Path | None
) -> Config:
    """Merge file, environment and command line, check all values, and return the Config.

    This process may then load the named plug-ins. Raises one ConfigError with all errors.
    """
    problems: list[Problem] = []
    layers = _file_layers(table, problems)
    _add_environment(layers, environ, problems)
    _add_overrides(layers, overrides, problems)
    corpus = build(CorpusSettings, layers["corpus"], problems)
    crawl = build(CrawlSettings, layers["crawl"], problems)
    # Hosts are compared without the brackets of IPv6 addresses, which are a character set to fnmatch.
    private = tuple(one.replace("[", "").replace("]", "") for one in crawl.allow_private)
    crawl = replace(crawl, allow_private=private)
    archive = build(ArchiveSettings, layers["archive"], problems)
    notify = build(NotifySettings, layers["notify"], problems)
    log, monitor = build(LogSettings, layers["log"], problems), build(MonitorSettings, layers["monitor"], problems)
    plugins = build(PluginSettings, layers["plugins"], problems)
    sites = build_sites(table.get("site", []), problems)
    selections = build_selections(table.get(NAMED, {}), problems)
    problems += _contradictions(corpus, crawl)
    if problems:
        raise _as_error(problems, file)
    plug_ins.allow((kind, name) for kind in keys(PluginSettings) for name in getattr(plugins, kind))
    return Config(
        corpus, crawl, sites, file, notify, archive, log=log, monitor=monitor, plugins=plugins, selections=selections
    )


def build(section: type[Section], layer: Layer, problems: list[Problem], label: str = "") -> Section:
    """Return the section with all valid values, and append errors to ``problems``."""
    known, wanted = keys(section), kinds(section)
    good: dict[str, Any] = {}
    for name, given in layer.items():
        origin = given.origin + label
        if name not in known:
            problems.append(Problem(origin, f"there is no such key{nearest(name, known)}"))
            continue
        try:
            good[name] = convert(given, wanted[name], known[name])
        except WrongValueError as problem:
            problems.append(Problem(f"{given.origin}{problem.path}{label}", str(problem)))
    return section(**good)


def build_sites(tables: object, problems: list[Problem]) -> tuple[SiteSettings, ...]:
    """Return the sites of a ``[[site]]`` list, and append errors to ``problems``."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        problems.append(Problem("site", "expected [[site]] tables, in double brackets"))
        return ()
    sites: list[SiteSettings] = []
    names: set[str] = set()
    for position, table in enumerate(tables):
        origin, name = f"site[{position}]", table.get("name")
        label = f" ({name})" if isinstance(name, str) and name else ""
        layer = {key: GivenValue(value, f"{origin}.{key}") for key, value in table.items() if key != "rules"}
        rules = _build_rules(table.get("rules", {}), f"{origin}.rules", label, problems)
        site = replace(build(SiteSettings, layer, problems, label), rules=rules)
        if not table.get("name"):
            what = 'name is missing; give the site a short name such as "example-news"'
            problems.append(Problem(origin + label, what))
        elif site.name in names:
            problems.append(Problem(origin + label, "another site has the same name"))
        if not any(table.get(key) for key in ("start", "feeds", "sitemaps")):
            problems.append(Problem(origin + label, "expected at least one of start, feeds, sitemaps"))
        sites.append(site)
        if site.name:
            names.add(site.name)
    return tuple(sites)


def build_selections(tables: object, problems: list[Problem]) -> dict[str, Selection]:
    """Return the selections of ``[selection.NAME]`` tables, and append errors to ``problems``."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        problems.append(Problem(NAMED, 'expected a name, such as [selection.election] with site = "example-news"'))
        return {}
    found: dict[str, Selection] = {}
    for name, table in tables.items():
        origin = f"{NAMED}.{name}"
        if problem := selection_name(name):
            problems.append(Problem(origin, problem))
            continue
        try:
            found[name] = selection_of(table)
        except ConfigError as error:
            problems.append(Problem(f"{origin}.{error.where}", f"{error.what}. {error.do}"))
    return found


def _build_rules(table: object, origin: str, label: str, problems: list[Problem]) -> RuleSettings:
    """Return the rules of a site, and append errors to ``problems``."""
    if not isinstance(table, dict):
        problems.append(Problem(origin + label, "expected a [site.rules] table below its [[site]]"))
        return RuleSettings()
    layer = {key: GivenValue(value, f"{origin}.{key}") for key, value in table.items()}
    misplaced = [key for key in layer if key in keys(SiteSettings)]
    hint = "this key of [[site]] belongs above [site.rules]"
    problems += [Problem(layer.pop(key).origin + label, hint) for key in misplaced]
    return build(RuleSettings, layer, problems, label)


MAX_S3_ROLL = 4 * GIB
"""Bytes. Limit of roll_bytes with s3://. The last record of a file may exceed it, and S3 takes 5 GiB at once."""


def _contradictions(corpus: CorpusSettings, crawl: CrawlSettings) -> list[Problem]:
    found = []
    if corpus.user_agent and corpus.contact not in corpus.user_agent:
        found.append(Problem("corpus.user_agent", f'must contain the contact "{corpus.contact}"'))
    if corpus.warc.startswith("s3://") and crawl.roll_bytes > MAX_S3_ROLL:
        found.append(Problem("crawl.roll_bytes", "at most 4 GiB with s3://, which takes at most 5 GiB in one request"))
    if crawl.since and crawl.until and crawl.since > crawl.until:
        found.append(Problem("crawl.since", f"{crawl.since} is after crawl.until, {crawl.until}"))
    return found


def _file_layers(table: Mapping[str, Any], problems: list[Problem]) -> dict[str, Layer]:
    layers: dict[str, Layer] = {name: {} for name in SECTIONS}
    for name, content in table.items():
        if name in {"site", NAMED}:
            continue
        if name not in SECTIONS:
            problems.append(Problem(name, f"there is no such section{nearest(name, [*SECTIONS, 'site', NAMED])}"))
        elif not isinstance(content, dict):
            problems.append(Problem(name, f"expected a [{name}] table"))
        else:
            layers[name] = {key: GivenValue(value, f"{name}.{key}") for key, value in content.items()}
    return layers


def _add_environment(layers: dict[str, Layer], environ: Mapping[str, str], problems: list[Problem]) -> None:
    if database := environ.get("DATABASE_URL"):
        layers["corpus"]["database"] = GivenValue(database, "$DATABASE_URL", as_text=True)
    for variable, text in environ.items():
        section, _, key = variable.removeprefix(PREFIX).lower().partition("_")
        if not variable.startswith(PREFIX) or section not in SECTIONS:
            continue
        if key in keys(SECTIONS[section]):
            layers[section][key] = GivenValue(text, f"${variable}", as_text=True)
        else:
            names = [f"{PREFIX}{section}_{name}".upper() for name in keys(SECTIONS[section])]
            problems.append(Problem(f"${variable}", f"there is no such setting{nearest(variable, names)}"))


def _add_overrides(layers: dict[str, Layer], overrides: Mapping[str, object], problems: list[Problem]) -> None:
    for name, value in overrides.items():
        section, _, key = name.partition(".")
        if section in SECTIONS:
            layers[section][key] = GivenValue(value, f"command line: {name}", as_text=isinstance(value, str))
        else:
            problems.append(
                Problem(f"command line: {name}", f"expected SECTION.KEY, with one of {', '.join(SECTIONS)}")
            )


def _as_error(problems: list[Problem], file: Path | None) -> ConfigError:
    where = str(file) if file else "configuration"
    if len(problems) == 1:
        return ConfigError(f"{problems[0]}", where=where, do=EXPLAINED)
    listed = "".join(f"\n  {problem}" for problem in problems)
    return ConfigError(f"{len(problems)} errors:{listed}", where=where, do=EXPLAINED)
