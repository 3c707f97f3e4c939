"""`corpus-spider schedule`: a systemd timer, of a user or of the system, or a crontab line that crawls every night."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_spider.monitoring.crontab import add_line, cron_line, remove_line, require_own_line, time_of_line
from corpus_spider.monitoring.scheduler_programs import check_program, has_systemd, run_program
from corpus_spider.monitoring.systemd_units import escaped, quoted, units
from corpus_spider.monitoring.timer_plan import (
    CRON,
    SYSTEM,
    SYSTEM_UNITS,
    SYSTEMD,
    taken_name,
    unit_name,
    user_unit_folder,
)
from storage.disk import disk_errors, replace_file
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from corpus_spider.config.model import Config
    from corpus_spider.monitoring.timer_plan import TimerPlan

LINGER = (
    "User timers run only while the user is logged in. `loginctl enable-linger` makes them run always; "
    "`schedule --system` needs no login."
)
NO_CATCHING_UP = "cron skips a night in which the machine was off. A systemd timer catches up."


def installed_at(config: Config, environ: Mapping[str, str]) -> str | None:
    """Return the time (HH:MM) of the timer or crontab line that is installed for a corpus; None without one."""
    name = unit_name(config)
    for folder in (user_unit_folder(environ), SYSTEM_UNITS):
        with suppress(OSError, ValueError):
            if f"WorkingDirectory={escaped(str(config.folder))}\n" in (folder / f"{name}.service").read_text("utf-8"):
                text = (folder / f"{name}.timer").read_text("utf-8")
                timed = re.search(r"^OnCalendar=\*-\*-\* (\d\d:\d\d):00$", text, re.MULTILINE)
                return timed[1] if timed else None
    return time_of_line(name, str(config.path))


def shown(plan: TimerPlan) -> str:
    """Return the text that would be installed, with its place. Values of variables may be secret and are not shown."""
    names = ", ".join(name for name, _ in plan.variables)
    kept = f"# {plan.environment} (mode 600) with {names}\n" if names else ""
    if plan.how == CRON:
        return kept + cron_line(plan)
    return kept + "\n".join(f"# {plan.unit_folder / name}\n{text}" for name, text in units(plan).items()).rstrip()


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
        require_own_line(plan)
    written = _write_environment(plan)
    if plan.how == CRON:
        _remove_units(replace(plan, how=SYSTEMD))
        return [*written, f"Added to the crontab: {add_line(plan)}", NO_CATCHING_UP]
    remove_line(plan)
    for name, text in units(plan).items():
        with disk_errors(folder / name):
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / name, text.encode(), 0o644)
    check_program(*plan.systemctl, "daemon-reload")
    check_program(*plan.systemctl, "enable", "--now", f"{plan.name}.timer")
    hint = [] if plan.how == SYSTEM or _lingers() else [LINGER]
    return [*written, *(f"Wrote {folder / name}" for name in units(plan)), f"Enabled {plan.name}.timer", *hint]


def remove(plan: TimerPlan) -> list[str]:
    """Remove the timer and the crontab line, if they exist, and return messages about each change."""
    _require_root(plan)
    _require_ours(plan, plan.unit_folder / f"{plan.name}.service")
    done = [*_remove_units(plan), *remove_line(plan)]
    with disk_errors(plan.environment):
        if plan.environment.is_file():
            plan.environment.unlink()
            done.append(f"Removed {plan.environment}")
    return done or ["Nothing was scheduled."]


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
        variables = ((name, re.sub(r'(["\\$`])', r"\\\1", value)) for name, value in plan.variables)
        text = "".join(f'{name}="{value}"\n' for name, value in variables)
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


def _lingers() -> bool:
    """Return whether the units of this user run without a login."""
    shown = run_program("loginctl", "show-user", str(os.getuid()), "--property=Linger")
    return shown.returncode == 0 and "Linger=yes" in shown.stdout


def _require_root(plan: TimerPlan) -> None:
    """Raise ConfigError if this user cannot change the units of the system."""
    if plan.how == SYSTEM and os.geteuid() != 0:
        names = ",".join(name for name, _ in plan.variables)
        keep = f" --preserve-env={names}" if names else ""
        do = f"Run the same command with sudo{keep}."
        raise ConfigError("only root may change the units of the system", where=str(plan.unit_folder), do=do)


def _remove_units(plan: TimerPlan) -> list[str]:
    there = [plan.unit_folder / name for name in units(plan) if (plan.unit_folder / name).exists()]
    systemd = bool(there) and (plan.how == SYSTEM or has_systemd())
    if systemd:
        check_program(*plan.systemctl, "disable", "--now", f"{plan.name}.timer")
    for path in there:
        with disk_errors(path):
            path.unlink()
    if systemd:
        check_program(*plan.systemctl, "daemon-reload")
    return [f"Removed {path}" for path in there]


def _require_ours(plan: TimerPlan, path: Path) -> None:
    ours = " ".join(quoted(part) for part in plan.command[-3:])
    with disk_errors(path):
        other = path.exists() and ours not in path.read_text(encoding="utf-8", errors="replace")
    if other:
        raise taken_name("unit", str(path))
