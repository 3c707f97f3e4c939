"""The user of a system unit must be able to run the program and to read the corpus."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli.app import run
from corpus_spider.monitoring import timer_plan, unit_access
from corpus_spider.monitoring.unit_access import Rights, first_closed, is_open_to

if TYPE_CHECKING:
    from pathlib import Path

TOML = "[corpus]\ncontact = 'me@example.org'\n[[site]]\nname = 'a'\nstart = ['http://localhost/']\nlanguage = 'th'\n"
FOLDER, FILE = 0o040000, 0o100000
CORPUS, STAFF, OTHER = 990, 50, 1000
"""A user, one of its groups, and another user or group."""


@pytest.mark.parametrize(
    ("mode", "uid", "gid", "is_open"),
    [
        (FOLDER | 0o700, OTHER, OTHER, False),
        (FOLDER | 0o755, OTHER, OTHER, True),
        (FOLDER | 0o711, OTHER, OTHER, True),
        (FOLDER | 0o744, OTHER, OTHER, False),
        (FOLDER | 0o750, OTHER, OTHER, False),
        (FOLDER | 0o750, OTHER, STAFF, True),
        (FOLDER | 0o705, OTHER, STAFF, False),
        (FOLDER | 0o700, CORPUS, OTHER, True),
        (FOLDER | 0o077, CORPUS, STAFF, False),
        (FILE | 0o755, OTHER, OTHER, True),
        (FILE | 0o644, OTHER, OTHER, True),
        (FILE | 0o711, OTHER, OTHER, False),
        (FILE | 0o640, OTHER, STAFF, True),
        (FILE | 0o600, OTHER, STAFF, False),
        (FILE | 0o400, CORPUS, OTHER, True),
    ],
)
def test_the_first_class_of_the_mode_that_fits_decides(mode: int, uid: int, gid: int, is_open: bool) -> None:
    """Folders need the right to enter, files the right to read; root has both."""
    assert is_open_to(Rights(mode, uid, gid), CORPUS, {STAFF}) is is_open
    assert is_open_to(Rights(mode, uid, gid), 0, ())


def test_a_private_folder_on_the_way_closes_a_program(tmp_path: Path) -> None:
    """Also where a link leads into that folder, as the Python of an environment does."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "python").touch(0o755)
    link = tmp_path / "python"
    link.symlink_to(home / "python")
    stranger = os.getuid() + 1
    # The folders of pytest are private too.
    closed = first_closed([link], stranger, ())
    assert closed
    assert home.is_relative_to(closed)
    assert first_closed([link], os.getuid(), os.getgroups()) is None


def test_no_system_unit_is_shown_for_a_user_who_cannot_run_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, and the message names the closed folder, the user and the place for the program."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "corpus-spider").touch(0o755)
    (tmp_path / "corpus.toml").write_text(TOML)
    monkeypatch.setattr(timer_plan, "owner", lambda _: str(os.getuid() + 1))
    monkeypatch.setattr(timer_plan, "program", lambda: (str(home / "corpus-spider"),))
    assert run(["-c", str(tmp_path), "schedule", "--system"]) == 2
    reported = capsys.readouterr()
    assert reported.out == ""
    assert "cannot run the program" in reported.err
    assert "is closed to that user" in reported.err
    assert "Install the program under /opt/corpus-spider" in reported.err


def test_a_python_in_a_home_folder_is_named_with_the_command_that_makes_the_environment_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program that all users may run, with the Python of a home folder, is not to be installed elsewhere."""
    python = tmp_path / "pyenv" / "python3"
    python.parent.mkdir(mode=0o700)
    python.touch(0o755)
    (tmp_path / "corpus.toml").write_text(TOML)
    monkeypatch.setattr(timer_plan, "owner", lambda _: str(os.getuid() + 1))
    monkeypatch.setattr(timer_plan, "program", lambda: ("/usr/bin/env",))
    monkeypatch.setattr(unit_access, "__file__", "/usr/bin/env")
    monkeypatch.setattr(sys, "executable", str(python))
    assert run(["-c", str(tmp_path), "schedule", "--system"]) == 2
    reported = capsys.readouterr().err
    assert f"Its Python is in {sys.base_prefix}" in reported
    assert f"/usr/bin/python3 -m venv --clear {sys.prefix}" in reported
