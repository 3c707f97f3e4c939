"""`corpus-spider doctor`: check the installation, this machine and a corpus, and say what to do.

Each check is a function that returns one or more `Check`. Nothing is changed, and nothing is fetched.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import socket
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from corpus_spider.config.model import masked
from corpus_spider.exit_codes import CONFIG, DATABASE, DISK, DONE
from corpus_spider.maintenance import file_owners
from corpus_spider.maintenance.library_versions import DISTRIBUTION, installed, lacking, requirements
from corpus_spider.terminal.values import duration, human_size, number, zone
from storage.errors import ConfigError, CorpusError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.maintenance.library_versions import NeededLibrary
    from storage.corpus import Corpus

MIN_PYTHON = (3, 11)
SCARCE_RESERVES = 5
"""Warn below this many times the reserve of disk space."""
CLOCK_ERROR = 120.0
"""Seconds that the clock may be behind the files of the corpus."""
RELEASE_TIME = 1_767_225_600.0
"""Epoch seconds: 1 January 2026. No right clock is earlier."""
DNS_SECONDS = 10.0
ZONES = ("Asia/Ho_Chi_Minh", "Asia/Bangkok", "Africa/Cairo", "Asia/Tehran")
SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
"""File that systemd-timesyncd makes when it has set the clock."""


class Level(StrEnum):
    """Result of a check. Only ``wrong`` hinders the program."""

    WELL = "well"
    WARNING = "warning"
    WRONG = "wrong"
    SKIPPED = "not checked"


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check: what was found, and what to do. ``exit_code`` is that of `doctor` if it is wrong."""

    name: str
    verdict: Level
    detail: str
    advice: str = ""
    exit_code: int = DONE


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Results of the checks. ``ok``: nothing hinders the program."""

    ok: bool
    checks: list[Check]


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts of this machine that checks judge."""

    now: float
    free: int = 0
    total: int = 0
    free_files: int = 1


def examine(
    config: Config | None, problem: ConfigError | None, environ: Mapping[str, str], *, network: bool
) -> Diagnosis:
    """Run all checks. ``problem``: why the configuration could not be loaded; both None: there is none."""
    made = config if config and config.path else None
    folder = made.warc_folder if made else Path()
    machine = look(folder)
    found = [python(sys.version_info[:2]), *libraries(requirements(), installed())]
    found += [extras(requirements(), installed(), config), browser(config, environ), configuration(config, problem)]
    found += [disk(machine, config.archive.reserve if config else 0, folder), clock(machine.now, newest(config))]
    found += [time_zone(environ), file_limits(config, resource.getrlimit(resource.RLIMIT_NOFILE))]
    found.append(names(config, asked=network))
    checks = found + (corpus_checks(made) if made else [])
    return Diagnosis(not exit_code(checks), checks)


def exit_code(checks: Sequence[Check]) -> int:
    """Return 0 if nothing hinders the program, else the code of the first check that is wrong."""
    return next((check.exit_code for check in checks if check.verdict is Level.WRONG), DONE)


def python(version: tuple[int, ...]) -> Check:
    """Judge the version of Python."""
    found = ".".join(map(str, version))
    if version < MIN_PYTHON:
        need = ".".join(map(str, MIN_PYTHON))
        return Check("Python", Level.WRONG, f"{found} is too old", f"Install Python {need} or later.", CONFIG)
    return Check("Python", Level.WELL, found)


def libraries(needed: Sequence[NeededLibrary], versions: Mapping[str, str]) -> list[Check]:
    """Judge the libraries that are always needed."""
    if not needed:
        advice = "Install the program with pip, so that its requirements are known."
        return [Check("libraries", Level.WARNING, "the requirements of this program are not known", advice)]
    core = [each for each in needed if not each.extra]
    if wrong := lacking(core, versions):
        return [Check("libraries", Level.WRONG, "; ".join(wrong), "Run `make install`, or pip install again.", CONFIG)]
    return [Check("libraries", Level.WELL, f"all {len(core)} are there, with the needed versions")]


def extras(needed: Sequence[NeededLibrary], versions: Mapping[str, str], config: Config | None) -> Check:
    """Judge the optional libraries: those that the corpus uses must be installed."""
    groups: dict[str, list[NeededLibrary]] = defaultdict(list)
    for each in needed:
        if each.extra:
            groups[each.extra].append(each)
    missing = {extra: wrong for extra, group in groups.items() if (wrong := lacking(group, versions))}
    used = wanted_extras(config) & missing.keys()
    if used:
        what = "; ".join(f"{extra} ({', '.join(missing[extra])})" for extra in sorted(used))
        level = Level.WRONG if "render" in used else Level.WARNING
        advice = f'Install them: pip install "{DISTRIBUTION}[{",".join(sorted(used))}]"'
        return Check("extras", level, f"this corpus uses {what}", advice, CONFIG)
    there = ", ".join(sorted(groups.keys() - missing.keys())) or "none"
    absent = f". Not installed and not used: {', '.join(sorted(missing))}" if missing else ""
    return Check("extras", Level.WELL, f"installed: {there}{absent}")


def wanted_extras(config: Config | None) -> set[str]:
    """Return the extras that a corpus uses: a browser, a search index, words of languages without spaces."""
    from pipelines.text.segmentation.choice import CHOICES, CLUSTERS

    if config is None:
        return set()
    spoken = {code for site in config.sites for code in config.site_languages(site)}
    wanted = {"render"} if any(site.render for site in config.sites) else set()
    wanted |= {"segment"} if any(code in CHOICES and CHOICES[code].without == CLUSTERS for code in spoken) else set()
    return wanted | ({"search"} if config.index_folder.is_dir() else set())


def browser(config: Config | None, environ: Mapping[str, str]) -> Check:
    """Judge the browser. Only sites with ``render`` need one."""
    from corpus_spider.rendering.chromium import NO_BROWSER, find_browser

    found = find_browser(config.crawl.browser if config else "", environ)
    is_needed = bool(config and any(site.render for site in config.sites))
    if found and os.access(found, os.X_OK) and found.is_file():
        return Check("browser", Level.WELL, str(found))
    if is_needed:
        what = f"{found} is not a program" if found else "there is none, and a site has render = true"
        return Check("browser", Level.WRONG, what, NO_BROWSER, CONFIG)
    return Check("browser", Level.WELL, "none, and no site has render = true")


def configuration(config: Config | None, problem: ConfigError | None) -> Check:
    """Judge corpus.toml: it must be readable, have sites, and a contact for webmasters."""
    if problem is not None:
        return Check("corpus.toml", Level.WRONG, problem.what, problem.do, CONFIG)
    if config is None or config.path is None:
        advice = "Name one with -c, or make one with `corpus-spider init`."
        return Check("corpus.toml", Level.SKIPPED, "there is none here, so no corpus is checked", advice)
    try:
        config.require_contact()
        config.require_sites()
    except ConfigError as error:
        return Check("corpus.toml", Level.WRONG, error.what, error.do, CONFIG)
    return Check("corpus.toml", Level.WELL, f"{config.path}: {counted(len(config.sites), 'site')}")


def look(folder: Path) -> Machine:
    """Return the facts of the disk of a folder, or of its first parent that exists."""
    there = next((each for each in (folder.absolute(), *folder.absolute().parents) if each.is_dir()), Path("/"))
    with suppress(OSError):
        usage, files = shutil.disk_usage(there), os.statvfs(there)
        # Some file systems do not count files.
        return Machine(time.time(), usage.free, usage.total, files.f_favail if files.f_files else 1)
    return Machine(time.time())


def disk(machine: Machine, reserve: int, folder: Path) -> Check:
    """Judge the free space against the reserve, below which a crawl stops."""
    free = f"{human_size(machine.free)} of {human_size(machine.total)} are free"
    advice = f"Free some space at {folder}, or delete old originals: see [archive] and `corpus-spider prune`."
    if not machine.free_files:
        return Check("disk", Level.WRONG, "the file system has no room for another file", advice, DISK)
    if machine.free < reserve:
        what = f"{free}, less than the reserve of {human_size(reserve)}"
        return Check("disk", Level.WRONG, what, advice, DISK)
    if machine.free < SCARCE_RESERVES * reserve:
        return Check("disk", Level.WARNING, f"{free}; a crawl stops at {human_size(reserve)}", advice)
    return Check("disk", Level.WELL, free)


def newest(config: Config | None) -> float:
    """Return the time (epoch seconds) of the newest file of a corpus, 0 if there is none."""
    from corpus_spider.monitoring.disk_use import files

    return max((file.written for file in files(config)), default=0.0) if config else 0.0


def clock(now: float, newest_file: float) -> Check:
    """Judge the clock: it must not be behind the files of the corpus. Recrawls and certificates depend on it."""
    found = f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(now))} {zone()}"
    advice = "Set the clock: timedatectl set-ntp true."
    if now < RELEASE_TIME:
        return Check("clock", Level.WRONG, f"{found} is before the release of this program", advice, CONFIG)
    if newest_file > now + CLOCK_ERROR:
        what = f"{found} is {duration(newest_file - now)} before the newest file of the corpus"
        return Check("clock", Level.WARNING, what, advice)
    is_set = "set by systemd-timesyncd" if SYNCHRONIZED.exists() else "whether it is synchronised is not known"
    return Check("clock", Level.WELL, f"{found}; {is_set}")


def time_zone(environ: Mapping[str, str]) -> Check:
    """Judge the data of time zones, with which dates of pages are read, and the local zone."""
    try:
        for name in ZONES:
            ZoneInfo(name)
    except ZoneInfoNotFoundError as error:
        return Check("time zones", Level.WRONG, f"no data: {error}", "Install tzdata: pip install tzdata.", CONFIG)
    given = environ.get("TZ", "").removeprefix(":")
    # Other values are rules (POSIX, 8.3) or files.
    if re.fullmatch(r"[A-Za-z_]+/[A-Za-z_/+-]+", given):
        try:
            ZoneInfo(given)
        except (ZoneInfoNotFoundError, ValueError):
            what = f"the variable TZ names an unknown zone ({given}), so local times are UTC"
            return Check("time zones", Level.WARNING, what, "Write a name such as Asia/Ho_Chi_Minh.")
    return Check("time zones", Level.WELL, f"local time is {zone()}")


def file_limits(config: Config | None, limits: tuple[int, int]) -> Check:
    """Judge the limit of open files (soft and hard). A crawl raises the soft limit by itself."""
    from corpus_spider.crawling.open_files import OWN_FILES, open_files

    wanted, needed = open_files(config) if config else (OWN_FILES, OWN_FILES)
    if limits[1] == resource.RLIM_INFINITY:
        return Check("open files", Level.WELL, "no limit")
    found = f"{number(limits[1])} may be open at once"
    advice = f"Raise the hard limit to {wanted}: ulimit -Hn, limits.conf or LimitNOFILE= of a unit."
    if limits[1] < needed:
        return Check("open files", Level.WRONG, f"{found}, a crawl needs {number(needed)}", advice, DISK)
    if limits[1] < wanted:
        return Check("open files", Level.WARNING, f"{found}, a crawl uses up to {number(wanted)}", advice)
    return Check("open files", Level.WELL, found)


def names(config: Config | None, *, asked: bool) -> Check:
    """Look up the host of a configured site, if ``asked``."""
    from urllib.parse import urlsplit

    seeds = config.seeds(days=False) if config else []
    host = next((host for seed in seeds if (host := urlsplit(seed.fetch_url).hostname)), "")
    if not asked or not host:
        why = "the configuration has no host" if asked else "--network looks up a host"
        return Check("network", Level.SKIPPED, why)
    error = _lookup(host)
    if error:
        advice = "Check the connection and the resolver (/etc/resolv.conf). A proxy is set with https_proxy."
        return Check("network", Level.WRONG, f"the name {host} was not resolved: {error}", advice, CONFIG)
    return Check("network", Level.WELL, f"the name {host} is resolved")


def _lookup(host: str) -> str:
    """Resolve a name. Return the error, empty if there is none. The system's resolver has no time limit of its own."""
    result: list[str] = []

    def work() -> None:
        try:
            socket.getaddrinfo(host, None)
        except (OSError, UnicodeError) as error:
            result.append(str(error))
        else:
            result.append("")

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(DNS_SECONDS)
    return result[0] if result else f"no response in {DNS_SECONDS:g} s"


def corpus_checks(config: Config) -> list[Check]:
    """Judge database, lock, WARC folder, log file, metrics and search index of a corpus."""
    from storage.corpus import Corpus

    found = [owners(config), database(config), originals(config.warc_folder)]
    found += [object_storage(config)] if config.warc_address else []
    found += [
        writable(name, file) for name, file in (("log file", config.log_file), ("metrics", config.metrics_file)) if file
    ]
    if found[1].verdict is Level.WRONG or not config.may_have_corpus():
        return found
    try:
        with Corpus.open(config.database_url, read_only=True) as corpus:
            return [*found, journal(corpus), last_run(corpus), index(corpus, config)]
    except CorpusError as error:
        # An older schema, which the check of the database reports.
        return [*found, Check("search index", Level.SKIPPED, error.what)]


def owners(config: Config) -> Check:
    """Judge the owners of the files: a command with sudo leaves files that the user of the corpus cannot use."""
    assert config.path is not None
    found = file_owners.examine(config, config.path)
    if found is None:
        return Check("owners", Level.WELL, "this user may use all files of the corpus")
    level = Level.WARNING if os.geteuid() == 0 else Level.WRONG
    return Check("owners", level, found.detail, found.advice, DISK)


def database(config: Config) -> Check:
    """Open the database, and judge its schema and the permissions of a SQLite file."""
    from storage.database.opening import pending_steps

    where = masked(config.database_url)
    if not config.may_have_corpus():
        return Check("database", Level.WELL, f"{where} does not exist yet", "`corpus-spider crawl` creates it.")
    try:
        version, steps = pending_steps(config.database_url)
    except CorpusError as error:
        return Check("database", Level.WRONG, f"{where}: {error.what}", error.do, error.exit_code)
    file = config.database_file
    if file and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        advice = "Give this user the right to write the file and its folder."
        return Check("database", Level.WRONG, f"{where} cannot be written", advice, DATABASE)
    if steps:
        advice = "The next crawl upgrades it. `corpus-spider migrate --dry-run` shows the steps."
        return Check("database", Level.WARNING, f"{where} has the older schema {version}", advice)
    return Check("database", Level.WELL, f"{where}: schema {version}")


def journal(corpus: Corpus) -> Check:
    """Judge the journal mode of SQLite. Without WAL a reader blocks the crawl."""
    mode = corpus.journal_mode()
    if mode in {"", "wal"}:
        return Check("journal", Level.WELL, mode.upper() or "PostgreSQL has its own")
    advice = 'Set it while no crawl runs: sqlite3 corpus.db "PRAGMA journal_mode=WAL".'
    return Check("journal", Level.WARNING, f"the journal mode is {mode}, not WAL", advice)


def last_run(corpus: Corpus) -> Check:
    """Judge the lock: whether a crawl runs, or was killed."""
    from corpus_spider.monitoring.run_state import run_state

    runs = corpus.status().last_run
    state = run_state(runs)
    if state.startswith("died"):
        advice = "`corpus-spider crawl` goes on where it stopped."
        return Check("lock", Level.WARNING, "the last crawl was killed; its lock is free", advice)
    if state.startswith("running"):
        return Check("lock", Level.WELL, f"a crawl holds it ({state}); another one of the same sites must wait")
    return Check("lock", Level.WELL, "no crawl runs")


def originals(folder: Path) -> Check:
    """Judge the folder of WARC files."""
    if not folder.exists():
        return Check("originals", Level.WELL, f"{folder} does not exist yet", "`corpus-spider crawl` creates it.")
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        advice = "Give this user the right to write there, or change `warc` in [corpus]."
        return Check("originals", Level.WRONG, f"{folder} cannot be written", advice, DISK)
    return Check("originals", Level.WELL, f"{folder} can be written")


def object_storage(config: Config) -> Check:
    """Judge the address of the uploaded WARC files."""
    from corpus_spider.archive.uploads import WaitingUploads

    store = config.originals
    try:
        files = counted(len(store.uploaded()), "WARC file")
    except CorpusError as error:
        return Check("object storage", Level.WRONG, f"{store.where}: {error.what}", error.do, error.exit_code)
    if (waiting := WaitingUploads.of(store)).files:
        what = f"{store.where} has {files}; waiting to be uploaded: {waiting.files} ({human_size(waiting.bytes)})"
        return Check("object storage", Level.WARNING, what, "The next crawl uploads them. Its log says what failed.")
    return Check("object storage", Level.WELL, f"{store.where} has {files}")


def writable(name: str, file: Path) -> Check:
    """Judge the folder of a file that a crawl writes. A crawl goes on without it."""
    folder = file.parent
    if not folder.is_dir():
        advice = f"Make it: mkdir -p {shlex.quote(str(folder))}"
        return Check(name, Level.WARNING, f"the folder {folder} does not exist", advice)
    # A file of metrics is replaced, and a log file is renamed.
    if not os.access(folder, os.W_OK | os.X_OK) or (file.exists() and not os.access(file, os.W_OK)):
        return Check(name, Level.WARNING, f"{file} cannot be written", "Give this user the right to write there.")
    return Check(name, Level.WELL, f"{file} can be written")


def index(corpus: Corpus, config: Config) -> Check:
    """Judge the search index: absent, behind or current."""
    from corpus_spider.search.index.totals import FILE

    try:
        if not (config.index_folder / FILE).is_file():
            return Check("search index", Level.WELL, "there is none", "`corpus-spider index` builds one.")
        from corpus_spider.search.index.builder import is_current

        current = is_current(corpus, config.index_folder)
    except (CorpusError, ImportError, OSError) as error:
        do = getattr(error, "do", "") or "Build it again: `corpus-spider index`."
        return Check("search index", Level.WARNING, f"it cannot be read: {error}".partition("\n")[0], do)
    if not current:
        return Check("search index", Level.WARNING, "it is behind the corpus", "Refresh it: `corpus-spider index`.")
    return Check("search index", Level.WELL, "it is up to date")
