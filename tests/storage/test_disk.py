"""Limits of the process, reported before they are reached; small files, written whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from storage.disk import replace_file
from tests.corpus_spider.faults import files_of
from tests.corpus_spider.running import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

ASKING = """
import resource, sys
from storage.disk import allow_open_files
from storage.errors import DiskError
soft, hard, wanted, needed = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
try:
    allow_open_files(wanted, needed)
except DiskError as error:
    print(error)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(
    ("limits", "wanted", "needed", "allowed"),
    [((64, 200), 150, 90, 150), ((64, 200), 500, 90, 200), ((180, 200), 150, 90, 180), ((64, 64), 64, 64, 64)],
)
def test_as_many_files_may_be_open_as_are_wanted_and_the_system_allows(
    limits: tuple[int, int], wanted: int, needed: int, allowed: int
) -> None:
    """The limit that programs start with is often 1024, and what they may raise it to far more."""
    assert asked(*limits, wanted, needed) == [str(allowed)]


def test_too_few_files_are_reported_with_what_to_do() -> None:
    """Else a crawl would end by an error wherever it needs one more."""
    reported = "\n".join(asked(64, 200, 900, 300))
    assert "ulimit -n: 300 files" in reported
    assert "Raise it to 900" in reported


def asked(*numbers: int) -> list[str]:
    command = [sys.executable, "-c", ASKING, *map(str, numbers)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout.splitlines()


def test_a_file_is_replaced_with_its_permissions_and_a_link_is_not_followed(tmp_path: Path) -> None:
    file, link, letters = tmp_path / "file", tmp_path / "link", tmp_path / "letters"
    letters.write_text("dear")
    link.symlink_to(letters)
    file.touch()
    file.chmod(0o640)
    for path in (file, link, tmp_path / "new"):
        replace_file(path, b"news")
    assert [(tmp_path / name).read_text() for name in ("file", "link", "new", "letters")] == [*3 * ["news"], "dear"]
    assert [oct(path.stat().st_mode & 0o777) for path in (file, link, tmp_path / "new")] == ["0o640", "0o600", "0o600"]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_full_disk_leaves_a_file_as_it_was_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("olds")
    with files_of(4), pytest.raises(OSError, match="File too large"):
        replace_file(file, b"news of the day")
    assert (file.read_text(), list(tmp_path.iterdir())) == ("olds", [file])
