"""Crontab line of a schedule: its text, and reading and writing the crontab of the user."""

from __future__ import annotations

import shlex
import shutil
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.monitoring.scheduler_programs import check_program, refuse_output, run_program
from corpus_spider.monitoring.timer_plan import taken_name
from storage.disk import alone
from storage.errors import DiskError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus_spider.monitoring.timer_plan import TimerPlan


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


def _crontab() -> list[str]:
    """Return the lines of the user's crontab; an empty list without one."""
    listed = run_program("crontab", "-l")
    if listed.returncode and "no crontab" not in listed.stderr:
        # A crontab that cannot be read must not be overwritten.
        refuse_output(listed, "crontab -l")
    # Not splitlines: it also splits at a form feed inside a comment.
    return listed.stdout.removesuffix("\n").split("\n") if listed.returncode == 0 and listed.stdout else []


def _other_lines(plan: TimerPlan, lines: Sequence[str]) -> list[str]:
    """Return the lines of other programs. Raises ConfigError if another corpus of the same name has a line."""
    named = [line for line in lines if line.rstrip().endswith(mark(plan))]
    file = _in_crontab(plan.command[-2])
    if others := [line for line in named if file not in line]:
        raise taken_name("line", f"crontab: {others[0]}")
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
    check_program("crontab", "-", text="".join(f"{line}\n" for line in lines))


def require_own_line(plan: TimerPlan) -> None:
    """Raise ConfigError if another corpus of the same name has a line."""
    _other_lines(plan, _crontab())


def add_line(plan: TimerPlan) -> str:
    """Add the line of a corpus, or replace it, and return it."""
    line = cron_line(plan)
    with _alone():
        _write_crontab([*_other_lines(plan, _crontab()), line])
    return line


def time_of_line(name: str, config_path: str) -> str | None:
    """Return the time (HH:MM) of the line of a corpus; None without one."""
    with suppress(DiskError):
        lines = _crontab() if shutil.which("crontab") else []
        file = _in_crontab(config_path)
        ours = (line.split() for line in lines if line.endswith(f"# {name}") and file in line)
        return next((f"{int(hour):02}:{int(minute):02}" for minute, hour, *_ in ours), None)
    return None


def remove_line(plan: TimerPlan) -> list[str]:
    """Remove the line of a corpus, if there is one, and return a message about it."""
    if shutil.which("crontab") is None:
        return []
    with _alone():
        there = _crontab()
        lines = _other_lines(plan, there)
        if lines == there:
            return []
        _write_crontab(lines)
    return ["Removed the crontab line."]
