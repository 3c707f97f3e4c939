"""`corpus-spider schedule`: a systemd timer, of a user or of the system, or a crontab line that crawls every night."""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from corpus_spider.config.loader import PREFIX, SECTIONS
from corpus_spider.exit_codes import LIMITED
from storage.disk import alone, disk_errors, replace_file
from storage.errors import ConfigError, DiskError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from corpus_spider.config.model import Config

SECONDS = 30
"""Seconds. Timeout of `systemctl` and `crontab`."""
SYSTEMD, SYSTEM, CRON = "systemd", "system", "cron"
USUAL = "02:15"
"""Time of a schedule that has none yet: after midnight, and at no full hour, when many other jobs start."""
SYSTEM_UNITS, SYSTEM_SETTINGS = Path("/etc/systemd/system"), Path("/etc/corpus-spider")
OTHERS = frozenset(
    {"DATABASE_URL", "CORPUS_SPIDER_CHROMIUM", "CORPUS_SPIDER_DATABASE_PATIENCE", "PLAYWRIGHT_BROWSERS_PATH"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR"}
    | {"PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGHOST", "PGHOSTADDR", "PGPORT"}
    | {"PGUSER", "PGDATABASE", "PGOPTIONS", "PGAPPNAME", "PGCONNECT_TIMEOUT", "PGTARGETSESSIONATTRS"}
    | {"PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGSSLCRL", "PGSSLCRLDIR", "PGSSLNEGOTIATION"}
    | {"PGCHANNELBINDING", "PGREQUIREAUTH", "PGREQUIREPEER", "PGGSSENCMODE", "PGKRBSRVNAME"}
)
"""Variables that a crawl reads and that are no settings of corpus.toml."""
PROXIES = frozenset({"http_proxy", "https_proxy", "no_proxy"})
CHROMIUM_CALLS = "@pkey chroot seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"
"""System calls of Chromium and its sandbox that `@system-service` (systemd 252) does not have, as strace(1) shows."""
LINGER = (
    "User timers run only while the user is logged in. `loginctl enable-linger` makes them run always; "
    "`schedule --system` needs no login."
)
NO_CATCHING_UP = "cron skips a night in which the machine was off. A systemd timer catches up."


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
    def units(self) -> dict[str, str]:
        """The systemd units, by file name."""
        return {f"{self.name}.service": service(self), f"{self.name}.timer": timer(self)}

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
    _, sqlite, file = config.database_url.partition("sqlite:///")
    paths = [config.warc_folder, config.index_folder, *([Path(file).parent] if sqlite else [])]
    paths += [file.parent for file in (config.log_file, config.metrics_file) if file]
    outside = (path for path in dict.fromkeys(paths) if not path.is_relative_to(config.folder))
    return tuple(outside)


def program() -> tuple[str, ...]:
    """Return the absolute command of this program: the script that started it, or ``python -m``."""
    started = Path(sys.argv[0])
    if started.name == "corpus-spider" and started.is_file():
        return (str(started.absolute()),)
    return sys.executable, "-m", "corpus_spider"


def installed_at(config: Config, environ: Mapping[str, str]) -> str | None:
    """Return the time (HH:MM) of the timer or crontab line that is installed for a corpus; None without one."""
    name = unit_name(config)
    for folder in (user_unit_folder(environ), SYSTEM_UNITS):
        with suppress(OSError, ValueError):
            if f"WorkingDirectory={_escaped(str(config.folder))}\n" in (folder / f"{name}.service").read_text("utf-8"):
                text = (folder / f"{name}.timer").read_text("utf-8")
                timed = re.search(r"^OnCalendar=\*-\*-\* (\d\d:\d\d):00$", text, re.MULTILINE)
                return timed[1] if timed else None
    with suppress(DiskError):
        lines = _crontab() if shutil.which("crontab") else []
        file = _in_crontab(str(config.path))
        ours = (line.split() for line in lines if line.endswith(f"# {name}") and file in line)
        return next((f"{int(hour):02}:{int(minute):02}" for minute, hour, *_ in ours), None)
    return None


def own_variables(
    environ: Mapping[str, str], overrides: Mapping[str, object] | None = None
) -> tuple[tuple[str, str], ...]:
    """Return the environment variables that a crawl reads, with their values. A timer does not see them.

    They are the settings, the browser, the proxies, and the connection of PostgreSQL (libpq, 32.15). ``overrides`` are
    settings of the command line. They become variables too: everyone can read a command line, and it may have a
    password.
    """
    sections = tuple(f"{PREFIX}{section.upper()}_" for section in SECTIONS)
    read = {name for name in environ if name.startswith(sections) or name in OTHERS or name.lower() in PROXIES}
    found = {name: environ[name] for name in read if environ[name]}
    found |= {f"{PREFIX}{key.replace('.', '_', 1).upper()}": str(value) for key, value in (overrides or {}).items()}
    return tuple(sorted(found.items()))


def unit_name(config: Config) -> str:
    """Return the name of the units of a corpus."""
    return f"corpus-spider-{config.corpus.name}"


def has_systemd() -> bool:
    """Return whether a systemd user instance runs."""
    return shutil.which("systemctl") is not None and _run("systemctl", "--user", "show-environment").returncode == 0


def service(plan: TimerPlan) -> str:
    """Return the unit that crawls once. A crawl that a limit ends is a success; failing sites are a visible failure."""
    variables = f"EnvironmentFile={_escaped(str(plan.environment))}\n" if plan.variables else ""
    command = " ".join(_quoted(part) for part in plan.command)
    limits = hardening(plan) if plan.how == SYSTEM else ""
    return f"""[Unit]
Description=corpus-spider, {plan.name}
Documentation=man:systemd.service(5)
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
WorkingDirectory={_escaped(str(plan.folder))}
{variables}ExecStart={command}
SuccessExitStatus={LIMITED}
KillMode=mixed
TimeoutStopSec=60
Nice=10
{limits}"""


def hardening(plan: TimerPlan) -> str:
    """Return the lines that limit a unit of the system (systemd.exec(5), systemd.resource-control(5)).

    Namespaces of users and networks stay allowed: each worker takes its network away with them. Chromium's sandbox
    needs more of them, it reads /proc/meminfo, and its compiler writes machine code. ``OOMPolicy``: a worker that uses
    too much memory affects its own page only.
    """
    writable = " ".join(_quoted(str(path), "$") for path in (plan.folder, *plan.writable))
    namespaces, calls, files = "user net", "@system-service", "pid"
    if plan.rendered:
        namespaces, calls, files = "user net pid ipc mnt", f"@system-service {CHROMIUM_CALLS}", "all"
    return f"""User={plan.user}
UMask=0077
IOSchedulingClass=idle
MemoryMax=80%
TasksMax=4096
OOMPolicy=continue
ReadWritePaths={writable}
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=true
PrivateDevices=true
ProtectClock=true
ProtectControlGroups=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
ProtectProc=invisible
ProcSubset={files}
NoNewPrivileges=true
CapabilityBoundingSet=
AmbientCapabilities=
LockPersonality=true
RemoveIPC=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces={namespaces}
RestrictRealtime=true
RestrictSUIDSGID=true
SystemCallArchitectures=native
SystemCallFilter={calls}
SystemCallErrorNumber=EPERM
"""


def timer(plan: TimerPlan) -> str:
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


def _quoted(text: str, dollar: str = "$$") -> str:
    """Quote a word for a unit file (systemd.service(5), Command lines).

    Only command lines replace variables, so ``dollar`` is a single one elsewhere.
    """
    if re.fullmatch(r"[A-Za-z0-9_@+=:,./-]+", text):
        return text
    inner = _escaped(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", dollar)
    return f'"{inner}"'


def cron_line(plan: TimerPlan) -> str:
    """Return the crontab line. An unescaped ``%`` would end the command (crontab(5))."""
    hour, minute = plan.at.split(":")
    command = " ".join(map(_in_crontab, plan.command))
    if plan.variables:
        command = f"set -a; . {_in_crontab(str(plan.environment))}; {command}"
    return f"{int(minute)} {int(hour)} * * * {command}  {mark(plan)}"


def _in_crontab(word: str) -> str:
    return shlex.quote(word).replace("%", r"\%")


def mark(plan: TimerPlan) -> str:
    """Return the comment that marks the crontab line of a corpus."""
    return f"# {plan.name}"


def shown(plan: TimerPlan) -> str:
    """Return the text that would be installed, with its place. Values of variables may be secret and are not shown."""
    names = ", ".join(name for name, _ in plan.variables)
    kept = f"# {plan.environment} (mode 600) with {names}\n" if names else ""
    if plan.how == CRON:
        return kept + cron_line(plan)
    return kept + "\n".join(f"# {plan.unit_folder / name}\n{text}" for name, text in plan.units.items()).rstrip()


def config_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings (XDG base directories)."""
    return Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or Path.home()) / ".config")


def user_unit_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's units."""
    return config_folder(environ) / "systemd" / "user"


def _write_environment(plan: TimerPlan) -> list[str]:
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


def install(plan: TimerPlan) -> list[str]:
    """Install the schedule, replace an earlier one, and return messages about each change.

    Raises ConfigError if a unit or line of that name belongs to another corpus. Raises DiskError if a file cannot be
    written, or systemd or cron fails.
    """
    folder = plan.unit_folder
    _require_root(plan)
    if missing := next((path for path in plan.writable if not path.exists()), None):
        # The unit would not start: systemd makes only existing folders writable.
        do = f"Create it: install -d -o {plan.user} {shlex.quote(str(missing))}"
        raise ConfigError("this folder does not exist yet", where=str(missing), do=do)
    _require_ours(plan, folder / f"{plan.name}.service")
    if plan.how == CRON:
        _other_lines(plan, _crontab())
    written = _write_environment(plan)
    if plan.how == CRON:
        _remove_units(replace(plan, how=SYSTEMD))
        with _alone():
            _write_crontab([*_other_lines(plan, _crontab()), cron_line(plan)])
        return [*written, f"Added to the crontab: {cron_line(plan)}", NO_CATCHING_UP]
    _remove_line(plan)
    for name, text in plan.units.items():
        with disk_errors(folder / name):
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / name, text.encode(), 0o644)
    _check(*plan.systemctl, "daemon-reload")
    _check(*plan.systemctl, "enable", "--now", f"{plan.name}.timer")
    hint = [] if plan.how == SYSTEM or _lingers() else [LINGER]
    return [*written, *(f"Wrote {folder / name}" for name in plan.units), f"Enabled {plan.name}.timer", *hint]


def _lingers() -> bool:
    """Return whether the units of this user run without a login."""
    shown = _run("loginctl", "show-user", str(os.getuid()), "--property=Linger")
    return shown.returncode == 0 and "Linger=yes" in shown.stdout


def _require_root(plan: TimerPlan) -> None:
    """Raise ConfigError if this user cannot change the units of the system."""
    if plan.how == SYSTEM and os.geteuid() != 0:
        names = ",".join(name for name, _ in plan.variables)
        keep = f" --preserve-env={names}" if names else ""
        do = f"Run the same command with sudo{keep}."
        raise ConfigError("only root may change the units of the system", where=str(plan.unit_folder), do=do)


def remove(plan: TimerPlan) -> list[str]:
    """Remove the timer and the crontab line, if they exist, and return messages about each change."""
    _require_root(plan)
    _require_ours(plan, plan.unit_folder / f"{plan.name}.service")
    done = [*_remove_units(plan), *_remove_line(plan)]
    with disk_errors(plan.environment):
        if plan.environment.is_file():
            plan.environment.unlink()
            done.append(f"Removed {plan.environment}")
    return done or ["Nothing was scheduled."]


def _remove_units(plan: TimerPlan) -> list[str]:
    there = [plan.unit_folder / name for name in plan.units if (plan.unit_folder / name).exists()]
    systemd = bool(there) and (plan.how == SYSTEM or has_systemd())
    if systemd:
        _check(*plan.systemctl, "disable", "--now", f"{plan.name}.timer")
    for path in there:
        with disk_errors(path):
            path.unlink()
    if systemd:
        _check(*plan.systemctl, "daemon-reload")
    return [f"Removed {path}" for path in there]


def _remove_line(plan: TimerPlan) -> list[str]:
    if shutil.which("crontab") is None:
        return []
    with _alone():
        there = _crontab()
        lines = _other_lines(plan, there)
        if lines == there:
            return []
        _write_crontab(lines)
    return ["Removed the crontab line."]


def _require_ours(plan: TimerPlan, path: Path) -> None:
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


def _other_lines(plan: TimerPlan, lines: Sequence[str]) -> list[str]:
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
