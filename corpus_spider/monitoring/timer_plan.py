"""Plan of a schedule: the command, its time, its scheduler, and what the crawl needs from the environment."""

from __future__ import annotations

import pwd
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.config.loader import PREFIX, SECTIONS
from corpus_spider.monitoring.scheduler_programs import has_systemd
from storage.disk import disk_errors
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.config.model import Config

SYSTEMD, SYSTEM, CRON = "systemd", "system", "cron"
USUAL = "02:15"
"""Time of a schedule that has none yet: after midnight, and at no full hour, when many other jobs start."""
SYSTEM_UNITS, SYSTEM_SETTINGS = Path("/etc/systemd/system"), Path("/etc/corpus-spider")
OTHER_VARIABLES = frozenset(
    {"DATABASE_URL", "CORPUS_SPIDER_CHROMIUM", "CORPUS_SPIDER_DATABASE_PATIENCE", "PLAYWRIGHT_BROWSERS_PATH"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR"}
    | {"PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGHOST", "PGHOSTADDR", "PGPORT"}
    | {"PGUSER", "PGDATABASE", "PGOPTIONS", "PGAPPNAME", "PGCONNECT_TIMEOUT", "PGTARGETSESSIONATTRS"}
    | {"PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGSSLCRL", "PGSSLCRLDIR", "PGSSLNEGOTIATION"}
    | {"PGCHANNELBINDING", "PGREQUIREAUTH", "PGREQUIREPEER", "PGGSSENCMODE", "PGKRBSRVNAME"}
)
"""Variables that a crawl reads and that are no settings of corpus.toml."""
PROXIES = frozenset({"http_proxy", "https_proxy", "no_proxy"})


@dataclass(frozen=True, slots=True)
class TimerPlan:
    """The command to run each day, its time, and the scheduler: ``systemd`` (of the user), ``system`` or ``cron``."""

    how: str
    command: tuple[str, ...]
    folder: Path
    name: str
    """Name of the units, without suffix."""
    at: str
    """Local time, HH:MM."""
    variables: tuple[tuple[str, str], ...] = ()
    """Settings of the environment and of ``--set``, which the crawl needs too."""
    environment: Path = Path()
    """File of the variables. Only its owner can read it, because a database URL may have a password."""
    unit_folder: Path = Path()
    """Folder of the systemd units."""
    user: str = ""
    """User that a unit of the system runs as; empty for other schedules."""
    writable: tuple[Path, ...] = ()
    """Files and folders that the crawl of a system unit writes to, besides ``folder``."""
    rendered: bool = False
    """Whether the crawl starts a browser, which needs more rights."""

    @property
    def systemctl(self) -> tuple[str, ...]:
        """The command that controls the service manager of this plan."""
        return ("systemctl",) if self.how == SYSTEM else ("systemctl", "--user")


def plan(
    config: Config,
    at: str,
    how: str | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> TimerPlan:
    """Build the plan with the settings of the environment and of the command line (``section.key``).

    Raises ConfigError if there is no corpus.toml, if its path or a variable does not fit into a unit file, or if a
    system unit would run as root.
    """
    environ = environ or {}
    if config.path is None:
        raise ConfigError("there is no corpus.toml to schedule", do="Name one with --config.")
    file = config.path.resolve()
    command = (*program(), "-q", "-c", str(file), "crawl")
    scheduler = how or (SYSTEMD if has_systemd() else CRON)
    writable = () if scheduler != SYSTEM else written_paths(config)
    if any(re.search(r"[\x00-\x1f\x7f]", part) for part in (*command, *map(str, writable))):
        raise ConfigError("the path contains a control character", where=repr(str(file)), do="Rename the folder.")
    name, variables = unit_name(config), own_variables(environ, overrides or {})
    if odd := [variable for variable, value in variables if re.search(r"[\x00-\x1f\x7f]", value)]:
        do = f"Unset {odd[0]}, or set it to a value on one line."
        raise ConfigError("the value contains a control character", where=f"${odd[0]}", do=do)
    settings, units = config_folder(environ) / "corpus-spider", user_unit_folder(environ)
    if scheduler == SYSTEM:
        settings, units = SYSTEM_SETTINGS, SYSTEM_UNITS
    return TimerPlan(
        how=scheduler,
        command=command,
        folder=file.parent,
        name=name,
        at=at,
        variables=variables,
        environment=settings / f"{name}.env",
        unit_folder=units,
        user=owner(file.parent) if scheduler == SYSTEM else "",
        writable=writable,
        rendered=any(site.render for site in config.sites),
    )


def owner(folder: Path) -> str:
    """Return the name of the user that owns a folder. Raises ConfigError for root, who shall not crawl."""
    with disk_errors(folder):
        number = folder.stat().st_uid
    try:
        name = pwd.getpwuid(number).pw_name
    except KeyError:
        name = str(number)
    if number == 0:
        do = f"Give it to a user of its own: useradd --system corpus; chown -R corpus: {shlex.quote(str(folder))}"
        raise ConfigError("a crawl of the system shall not run as root, who owns this folder", where=str(folder), do=do)
    return name


def written_paths(config: Config) -> tuple[Path, ...]:
    """Return the folders outside the folder of corpus.toml that a crawl writes to."""
    paths = [config.warc_folder, config.index_folder]
    paths += [file.parent for file in (config.database_file, config.log_file, config.metrics_file) if file]
    outside = (path for path in dict.fromkeys(paths) if not path.is_relative_to(config.folder))
    return tuple(outside)


def program() -> tuple[str, ...]:
    """Return the absolute command of this program: the script that started it, or ``python -m``."""
    started = Path(sys.argv[0])
    if started.name == "corpus-spider" and started.is_file():
        return (str(started.absolute()),)
    return sys.executable, "-m", "corpus_spider"


def own_variables(
    environ: Mapping[str, str], overrides: Mapping[str, object] | None = None
) -> tuple[tuple[str, str], ...]:
    """Return the environment variables that a crawl reads, with their values. A timer does not see them.

    They are the settings, the browser, the proxies, and the connection of PostgreSQL (libpq, 32.15). ``overrides`` are
    settings of the command line. They become variables too: everyone can read a command line, and it may have a
    password.
    """
    sections = tuple(f"{PREFIX}{section.upper()}_" for section in SECTIONS)
    read = {name for name in environ if name.startswith(sections) or name in OTHER_VARIABLES or name.lower() in PROXIES}
    found = {name: environ[name] for name in read if environ[name]}
    found |= {f"{PREFIX}{key.replace('.', '_', 1).upper()}": str(value) for key, value in (overrides or {}).items()}
    return tuple(sorted(found.items()))


def unit_name(config: Config) -> str:
    """Return the name of the units of a corpus."""
    return f"corpus-spider-{config.corpus.name}"


def config_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings (XDG base directories)."""
    return Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or Path.home()) / ".config")


def user_unit_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's units."""
    return config_folder(environ) / "systemd" / "user"


def taken_name(what: str, where: str) -> ConfigError:
    """Return the error of a name that another corpus has."""
    do = "Give this corpus another name: corpus.name in corpus.toml."
    return ConfigError(f"the {what} of this name belongs to another corpus", where=where, do=do)
