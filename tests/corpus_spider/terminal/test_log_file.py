"""Log file and journal: rotation by several processes, masked secrets, priorities."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from corpus_spider.terminal.log_file import LogFile, with_priority
from tests.corpus_spider.running import PATIENCE, environment, program, run

if TYPE_CHECKING:
    from pathlib import Path

WRITER = """
import logging, sys
from pathlib import Path
from corpus_spider.terminal.log_file import LogFile
path, name, lines, most, keep = sys.argv[1:]
log = logging.getLogger("corpus_spider.x")
log.addHandler(LogFile(Path(path), int(most), int(keep)))
sys.stdin.readline()
for number in range(int(lines)):
    log.warning("%s %d %s", name, number, "x" * (number % 90))
"""
TOML = """
[corpus]
name = "news"
contact = "tests@example.org"
database = "{database}"
[notify]
smtp = "smtp://me:mail-secret@127.0.0.1:1"
webhook = "http://127.0.0.1:1/hooks/T0PSECRET"
[log]
file = "spider.log"
[[site]]
name = "a"
start = ["http://news.invalid/"]
"""


def write(path: Path, *lines: str, most: int = 100, keep: int = 2) -> LogFile:
    handler = LogFile(path, most, keep)
    for line in lines:
        handler.handle(logging.LogRecord("x", logging.INFO, "", 0, line, (), None))
    return handler


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        (0, {"a.log": "four\n"}),
        (1, {"a.log": "four\n", "a.log.1": "three\n"}),
        (2, {"a.log": "four\n", "a.log.1": "three\n", "a.log.2": "one\ntwo\n"}),
    ],
)
def test_a_full_file_makes_room_and_the_oldest_is_deleted(tmp_path: Path, keep: int, expected: dict[str, str]) -> None:
    """Files of other programs with a similar name stay."""
    other = tmp_path / "a.log.gz"
    other.write_text("")
    write(tmp_path / "a.log", "one", "two", "three", "four", most=8, keep=keep)
    assert files(tmp_path) == expected | {"a.log.gz": ""}
    assert (tmp_path / "a.log").stat().st_mode & 0o777 == 0o600


def test_several_processes_lose_and_tear_no_line(tmp_path: Path) -> None:
    """Each rotates when it finds the file full; every line is in one of the files, whole and once."""
    path, lines = tmp_path / "a.log", 400
    arguments = [str(lines), "3000", "1000"]
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [
        subprocess.Popen([*command, name, *arguments], stdin=subprocess.PIPE, env=environment(), text=True)
        for name in "abcd"
    ]
    for writer in writers:
        writer.communicate("go\n", PATIENCE)
        assert writer.returncode == 0
    found = [line for text in files(tmp_path).values() for line in text.splitlines()]
    expected = [f"{name} {number} {'x' * (number % 90)}" for name in "abcd" for number in range(lines)]
    assert sorted(found) == sorted(expected)
    assert max(file.stat().st_size for file in tmp_path.iterdir()) <= 3000
    assert len(files(tmp_path)) > 20


def test_a_log_file_that_was_moved_away_is_made_again(tmp_path: Path) -> None:
    """Logrotate may rotate it too."""
    handler = write(tmp_path / "a.log", "one")
    (tmp_path / "a.log").rename(tmp_path / "old")
    handler.handle(logging.LogRecord("x", logging.INFO, "", 0, "two", (), None))
    assert files(tmp_path) == {"a.log": "two\n", "old": "one\n"}


def test_a_log_that_cannot_be_written_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing folder, and a pipe without a reader, which would block."""
    write(tmp_path / "missing" / "a.log", "one", "two")
    os.mkfifo(tmp_path / "pipe")
    write(tmp_path / "pipe", "one", "two")
    reported = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[0] for line in reported] == ["the log file cannot be written"] * 2
    assert [line.partition("mkdir -p ")[2] for line in reported] == [f"{tmp_path}/missing", ""]


def test_the_log_file_of_a_quiet_crawl_has_its_start_its_end_and_no_secret(tmp_path: Path) -> None:
    """Also when it cannot start: the reason is in the file. Verbs that only read add nothing."""
    (tmp_path / "corpus.toml").write_text(TOML.format(database="sqlite:///corpus.db"))
    crawl = run(tmp_path, "-q", "crawl", "-s", "crawl.retries=0")
    assert crawl.returncode == 7, crawl.stderr
    before = (tmp_path / "spider.log").read_text()
    assert re.search(r"^\[\d+\] \S+ INFO corpus_spider.crawling.runner: run 1: 1 site", before, re.MULTILINE)
    assert "No host name could be resolved" in before
    assert before.endswith("INFO corpus_spider: crawl ended with exit code 7\n")
    assert "notification failed" in before
    assert run(tmp_path, "status").returncode == 0
    assert (tmp_path / "spider.log").read_text() == before
    secret = "postgresql://me:data%2Fsecret@127.0.0.1:1/news"
    failed = run(tmp_path, "-q", "crawl", DATABASE_URL=secret)
    assert failed.returncode == 4
    text = (tmp_path / "spider.log").read_text()
    assert "ERROR corpus_spider: corpus-spider: " in text.removeprefix(before)
    assert not re.search("mail-secret|T0PSECRET|data%2Fsecret|data/secret", text + crawl.stderr + failed.stderr)


def test_lines_for_the_journal_have_their_priority_and_no_time(tmp_path: Path) -> None:
    """Systemd names the stream in JOURNAL_STREAM. Another stream gets plain lines."""
    (tmp_path / "corpus.toml").write_text(TOML.format(database="sqlite:///corpus.db"))
    lines = []
    for change in (0, 1):
        with (tmp_path / "journal").open("w+") as journal:
            status = os.fstat(journal.fileno())
            variables = environment(JOURNAL_STREAM=f"{status.st_dev}:{status.st_ino + change}")
            for arguments in (["-s", "crawl.retries=0"], ["--site", "b"]):
                command = program("crawl", *arguments)
                subprocess.run(command, cwd=tmp_path, env=variables, stderr=journal, check=False)
            journal.seek(0)
            lines.append(journal.read().splitlines())
    assert all(re.match("<[346]>", line) for line in lines[0])
    assert any(line.startswith("<6>corpus_spider.crawling.runner: run 1") for line in lines[0])
    assert any(line.startswith("<3>corpus-spider: ") for line in lines[0])
    assert not any(line.startswith("<") for line in lines[1])


@pytest.mark.parametrize(
    ("level", "text", "expected"),
    [
        (logging.DEBUG, "a", "<7>a"),
        (logging.WARNING, "a\nb", "<4>a\n<4>b"),
        (45, "a", "<3>a"),
        (logging.CRITICAL, "a", "<2>a"),
        (5, "a", "<7>a"),
    ],
)
def test_each_line_begins_with_its_priority(level: int, text: str, expected: str) -> None:
    assert with_priority(text, level) == expected
