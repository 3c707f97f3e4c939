"""Run the programs that keep schedules: systemctl, loginctl and crontab."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from typing import NoReturn

from storage.errors import DiskError

PROGRAM_SECONDS = 30
"""Seconds. Timeout of `systemctl` and `crontab`."""


def has_systemd() -> bool:
    """Return whether a systemd user instance runs."""
    return (
        shutil.which("systemctl") is not None and run_program("systemctl", "--user", "show-environment").returncode == 0
    )


def run_program(*command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program. Text that is not UTF-8, such as a comment in a crontab, passes unchanged."""
    try:
        ended = subprocess.run(  # noqa: S603 - fixed programs, arguments as a list
            command,
            input=text.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=PROGRAM_SECONDS,
            check=False,
            env=os.environ | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))
    stdout, stderr = (output.decode("utf-8", "surrogateescape") for output in (ended.stdout, ended.stderr))
    return subprocess.CompletedProcess(command, ended.returncode, stdout, stderr)


def check_program(*command: str, text: str = "") -> None:
    """Run a program. Raises DiskError if it fails."""
    ended = run_program(*command, text=text)
    if ended.returncode:
        refuse_output(ended, shlex.join(command))


def refuse_output(ended: subprocess.CompletedProcess[str], where: str) -> NoReturn:
    """Raise DiskError with what a program wrote."""
    words = (ended.stderr or ended.stdout).strip() or f"exit code {ended.returncode}"
    raise DiskError(words, where=where, do="The schedule may be installed in part. `schedule --remove` removes it.")
