"""`corpus-spider schedule`: a systemd timer or a crontab line that crawls every night."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from corpus_spider.config.loader import PREFIX, SECTIONS
from storage.disk import alone, disk_errors, replace_file
from storage.errors import ConfigError, DiskError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from corpus_spider.config.model import Config

SECONDS = 30
"""Seconds. Timeout of `systemctl` and `crontab`."""
SYSTEMD, CRON = "systemd", "cron"
OTHERS = frozenset(
    {"DATABASE_URL", "CORPUS_SPIDER_CHROMIUM", "CORPUS_SPIDER_DATABASE_PATIENCE"}
    | {"PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER"}
    | {"PGDATABASE", "PGOPTIONS", "PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY"}
)
"""Variables that a crawl reads and that are no settings of corpus.toml."""
PROXIES = frozenset({"http_proxy", "https_proxy", "no_proxy"})
LINGER = "User timers run only while the user is logged in. `loginctl enable-linger` makes them run always."
NO_CATCHING_UP = "cron skips a night in which the machine was off. A systemd timer catches up."


@dataclass(frozen=True, slots=True)
class Plan:
    """The command to run each day, its time, and the scheduler: ``systemd`` or ``cron``."""

    how: str
    command: tuple[str, ...]
    folder: Path
    name: str
    """Name of the units, without suffix."""
    at: str
    """Local time, HH:MM."""
    variables: tuple[tuple[str, str], ...] = ()
    """Settings of the environment, which the crawl needs too."""
    environment: Path = Path()
    """File of the variables. Only this user can read it, because a database URL may have a password."""

    @property
    def units(self) -> dict[str, str]:
        """The systemd units, by file name."""
        return {f"{self.name}.service": service(self), f"{self.name}.timer": timer(self)}


def plan(config: Config, at: str, how: str | None = None, environ: Mapping[str, str] | None = None) -> Plan:
    """Build the plan with the settings of the environment.

    Raises ConfigError if there is no corpus.toml, or its path or a variable does not fit into a unit file.
    """
    environ = environ or {}
    if config.path is None:
        raise ConfigError("there is no corpus.toml to schedule", do="Name one with --config.")
    file = config.path.resolve()
    command = (*program(), "-q", "-c", str(file), "crawl")
    if any(re.search(r"[\x00-\x1f\x7f]", part) for part in command):
        raise ConfigError("the path contains a control character", where=repr(str(file)), do="Rename the folder.")
    name, variables = unit_name(config), own_variables(environ)
    if odd := [variable for variable, value in variables if re.search(r"[\x00-\x1f\x7f]", value)]:
        raise ConfigError("the value contains a control character", where=f"${odd[0]}")
    environment = config_folder(environ) / "corpus-spider" / f"{name}.env"
    scheduler = how or (SYSTEMD if has_systemd() else CRON)
    return Plan(scheduler, command, file.parent, name, at, variables, environment)


def program() -> tuple[str, ...]:
    """Return the absolute command of this program: the script that started it, or ``python -m``."""
    started = Path(sys.argv[0])
    if started.name == "corpus-spider" and started.is_file():
        return (str(started.absolute()),)
    return sys.executable, "-m", "corpus_spider"


def installed_at(config: Config, environ: Mapping[str, str]) -> str | None:
    """Return the time (HH:MM) of the timer or crontab line that is installed for a corpus; None without one."""
    folder, name = unit_folder(environ), unit_name(config)
    with suppress(OSError, ValueError):
        if f"WorkingDirectory={_escaped(str(config.folder))}\n" in (folder / f"{name}.service").read_text("utf-8"):
            text = (folder / f"{name}.timer").read_text("utf-8")
            timed = re.search(r"^OnCalendar=\*-\*-\* (\d\d:\d\d):00$", text, re.MULTILINE)
            return timed[1] if timed else None
    with suppress(DiskError):
        lines = _crontab() if shutil.which("crontab") else []
        ours = (line.split() for line in lines if line.endswith(f"# {name}") and shlex.quote(str(config.path)) in line)
        return next((f"{int(hour):02}:{int(minute):02}" for minute, hour, *_ in ours), None)
    return None


def own_variables(environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the environment variables that a crawl reads, with their values. A timer does not see them.

    They are the settings, the browser, the proxies, and the connection of PostgreSQL (libpq, 32.15).
    """
    sections = tuple(f"{PREFIX}{section.upper()}_" for section in SECTIONS)
    read = {name for name in environ if name.startswith(sections) or name in OTHERS or name.lower() in PROXIES}
    return tuple((name, environ[name]) for name in sorted(read) if environ[name])


def unit_name(config: Config) -> str:
    """Return the name of the units of a corpus."""
    return f"corpus-spider-{config.corpus.name}"


def has_systemd() -> bool:
    """Return whether a systemd user instance runs."""
    return shutil.which("systemctl") is not None and _run("systemctl", "--user", "show-environment").returncode == 0


def service(plan: Plan) -> str:
    """Return the unit that crawls once. Exit code 12 (limit) is a success; 8 (failing sites) is a visible failure."""
    variables = f"EnvironmentFile={_escaped(str(plan.environment))}\n" if plan.variables else ""
    command = " ".join(_quoted(part) for part in plan.command)
    return f"""[Unit]
Description=corpus-spider, {plan.name}
Documentation=man:systemd.service(5)
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
WorkingDirectory={_escaped(str(plan.folder))}
{variables}ExecStart={command}
SuccessExitStatus=12
KillMode=mixed
TimeoutStopSec=60
Nice=10
"""


def timer(plan: Plan) -> str:
    """Return the timer unit. ``Persistent``: systemd catches up on a missed night, once."""
    return f"""[Unit]
Description=corpus-spider every night, {plan.name}

[Timer]
OnCalendar=*-*-* {plan.at}:00
Persistent=true

[Install]
WantedBy=timers.target
"""


def _escaped(text: str) -> str:
    """Escape a text for a unit file. ``%`` begins a specifier (systemd.unit(5))."""
    return text.replace("%", "%%")


def _quoted(text: str) -> str:
    """Quote a word of a command line for a unit file (systemd.service(5), Command lines)."""
    if re.fullmatch(r"[A-Za-z0-9_@+=:,./-]+", text):
        return text
    inner = _escaped(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{inner}"'


def cron_line(plan: Plan) -> str:
    """Return the crontab line. An unescaped ``%`` would end the command (crontab(5))."""
    hour, minute = plan.at.split(":")
    command = " ".join(map(_in_crontab, plan.command))
    if plan.variables:
        command = f"set -a; . {_in_crontab(str(plan.environment))}; {command}"
    return f"{int(minute)} {int(hour)} * * * {command}  {mark(plan)}"


def _in_crontab(word: str) -> str:
    return shlex.quote(word).replace("%", r"\%")


def mark(plan: Plan) -> str:
    """Return the comment that marks the crontab line of a corpus."""
    return f"# {plan.name}"


def shown(plan: Plan, environ: Mapping[str, str]) -> str:
    """Return the text that would be installed, with its place. Values of variables may be secret and are not shown."""
    names = ", ".join(name for name, _ in plan.variables)
    kept = f"# {plan.environment} (mode 600): {names}\n" if names else ""
    if plan.how == CRON:
        return kept + cron_line(plan)
    return kept + "\n".join(f"# {unit_folder(environ) / name}\n{text}" for name, text in plan.units.items()).rstrip()


def config_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings (XDG base directories)."""
    return Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or Path.home()) / ".config")


def unit_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's units."""
    return config_folder(environ) / "systemd" / "user"


def _write_environment(plan: Plan) -> list[str]:
    """Write the variables for the timer, and return messages.

    The quoting is that of POSIX shells and of systemd.exec(5): in double quotes, a backslash before ``"\\$` ``.

    Raises ConfigError if the file has variables that are not set now, or if others could read it.
    """
    file = plan.environment
    with disk_errors(file):
        if file.is_file():
            before = {line.partition("=")[0] for line in file.read_text("utf-8", "replace").splitlines()}
            if lost := sorted(before - dict(plan.variables).keys()):
                do = "Set them, or run `corpus-spider schedule --remove` first."
                raise ConfigError(f"the schedule has variables that are not set here: {', '.join(lost)}", do=do)
            _require_private(file)
        if not plan.variables:
            return []
        quoted = ((name, re.sub(r'(["\\$`])', r"\\\1", value)) for name, value in plan.variables)
        text = "".join(f'{name}="{value}"\n' for name, value in quoted)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_file(file, text.encode("utf-8", "surrogateescape"))
        try:
            _require_private(file)
        except ConfigError:
            file.unlink()
            raise
    return [f"Wrote {file} (mode 600) with {', '.join(name for name, _ in plan.variables)}"]


def _require_private(file: Path) -> None:
    """Raise ConfigError if other users can read a file."""
    if mode := file.stat().st_mode & 0o077:
        what = f"other users could read the settings in this file (mode {0o600 | mode:o})"
        raise ConfigError(what, where=str(file), do=f"chmod 600 {shlex.quote(str(file))}")


def install(plan: Plan, environ: Mapping[str, str]) -> list[str]:
    """Install the schedule, replace an earlier one, and return messages about each change.

    Raises ConfigError if a unit or line of that name belongs to another corpus. Raises DiskError if a file cannot be
    written, or systemd or cron fails.
    """
    folder = unit_folder(environ)
    _require_ours(plan, folder / f"{plan.name}.service")
    if plan.how == CRON:
        _other_lines(plan, _crontab())
    written = _write_environment(plan)
    if plan.how == CRON:
        _remove_units(plan, folder)
        with _alone():
            _write_crontab([*_other_lines(plan, _crontab()), cron_line(plan)])
        return [*written, f"Added to the crontab: {cron_line(plan)}", NO_CATCHING_UP]
    _remove_line(plan)
    for name, text in plan.units.items():
        with disk_errors(folder / name):
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / name, text.encode(), 0o644)
    _check("systemctl", "--user", "daemon-reload")
    _check("systemctl", "--user", "enable", "--now", f"{plan.name}.timer")
    return [*written, *(f"Wrote {folder / name}" for name in plan.units), f"Enabled {plan.name}.timer", LINGER]


def remove(plan: Plan, environ: Mapping[str, str]) -> list[str]:
    """Remove the timer and the crontab line, if they exist, and return messages about each change."""
    folder = unit_folder(environ)
    _require_ours(plan, folder / f"{plan.name}.service")
    done = [*_remove_units(plan, folder), *_remove_line(plan)]
    with disk_errors(plan.environment):
        if plan.environment.is_file():
            plan.environment.unlink()
            done.append(f"Removed {plan.environment}")
    return done or ["Nothing was scheduled."]


def _remove_units(plan: Plan, folder: Path) -> list[str]:
    there = [folder / name for name in plan.units if (folder / name).exists()]
    systemd = bool(there) and has_systemd()
    if systemd:
        _check("systemctl", "--user", "disable", "--now", f"{plan.name}.timer")
    for path in there:
        with disk_errors(path):
            path.unlink()
    if systemd:
        _check("systemctl", "--user", "daemon-reload")
    return [f"Removed {path}" for path in there]


def _remove_line(plan: Plan) -> list[str]:
    if shutil.which("crontab") is None:
        return []
    with _alone():
        there = _crontab()
        lines = _other_lines(plan, there)
        if lines == there:
            return []
        _write_crontab(lines)
    return ["Removed the crontab line."]


def _require_ours(plan: Plan, path: Path) -> None:
    ours = " ".join(_quoted(part) for part in plan.command[-3:])
    with disk_errors(path):
        other = path.exists() and ours not in path.read_text(encoding="utf-8", errors="replace")
    if other:
        raise _taken("unit", str(path))


def _taken(what: str, where: str) -> ConfigError:
    do = "Give this corpus another name: corpus.name in corpus.toml."
    return ConfigError(f"the {what} of this name belongs to another corpus", where=where, do=do)


def _crontab() -> list[str]:
    """Return the lines of the user's crontab; an empty list without one."""
    listed = _run("crontab", "-l")
    if listed.returncode and "no crontab" not in listed.stderr:
        # A crontab that cannot be read must not be overwritten.
        _refuse(listed, "crontab -l")
    # Not splitlines: it also splits at a form feed inside a comment.
    return listed.stdout.removesuffix("\n").split("\n") if listed.returncode == 0 and listed.stdout else []


def _other_lines(plan: Plan, lines: Sequence[str]) -> list[str]:
    """Return the lines of other programs. Raises ConfigError if another corpus of the same name has a line."""
    named = [line for line in lines if line.rstrip().endswith(mark(plan))]
    file = _in_crontab(plan.command[-2])
    if others := [line for line in named if file not in line]:
        raise _taken("line", f"crontab: {others[0]}")
    return [line for line in lines if line not in named]


@contextmanager
def _alone() -> Iterator[None]:
    """Lock the crontab against other processes of this program. Otherwise a line they write meanwhile would be lost."""
    with ExitStack() as stack:
        # Some users have no home folder.
        with suppress(OSError, RuntimeError):
            stack.enter_context(alone(Path.home()))
        yield


def _write_crontab(lines: list[str]) -> None:
    _check("crontab", "-", text="".join(f"{line}\n" for line in lines))


def _check(*command: str, text: str = "") -> None:
    ended = _run(*command, text=text)
    if ended.returncode:
        _refuse(ended, shlex.join(command))


def _refuse(ended: subprocess.CompletedProcess[str], where: str) -> NoReturn:
    words = (ended.stderr or ended.stdout).strip() or f"exit code {ended.returncode}"
    raise DiskError(words, where=where, do="The schedule may be installed in part. `schedule --remove` removes it.")


def _run(*command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program. Text that is not UTF-8, such as a comment in a crontab, passes unchanged."""
    try:
        ended = subprocess.run(  # noqa: S603 - fixed programs, arguments as a list
            command,
            input=text.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env=os.environ | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))
    stdout, stderr = (output.decode("utf-8", "surrogateescape") for output in (ended.stdout, ended.stderr))
    return subprocess.CompletedProcess(command, ended.returncode, stdout, stderr)
