"""Files of a corpus that belong to another user: the judgement, and the advice where a command is refused."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from corpus_spider.cli.app import run
from corpus_spider.maintenance.file_owners import OwnedFile, is_refusal, judge
from storage import Corpus
from storage.disk import disk_error

TOML = "[corpus]\ncontact = 'me@example.org'\n[[site]]\nname = 'a'\nstart = ['http://localhost/']\nlanguage = 'th'\n"
ROOT, CORPUS, OTHER = 0, 4_000_001, 4_000_002
"""Numbers of users. The last two have no name on this machine."""
FOLDER, WARC = Path("/srv/my news"), Path("/srv/my news/warc")


def file(name: str, uid: int, *, is_usable: bool) -> OwnedFile:
    return OwnedFile(WARC, WARC / name, uid, is_usable)


@pytest.mark.parametrize(
    ("files", "keeper", "user", "detail", "advice"),
    [
        # A command with sudo left files of root in a corpus of this user.
        (
            [file("a", ROOT, is_usable=False), file("b", CORPUS, is_usable=True)],
            CORPUS,
            CORPUS,
            f"{WARC}/a belongs to root",
            f"Give them back: sudo chown -R {CORPUS}: '{WARC}'.",
        ),
        # The same, seen by root.
        (
            [file(name, ROOT, is_usable=True) for name in "abcd"],
            CORPUS,
            ROOT,
            f"{WARC}/a, {WARC}/b, {WARC}/c and 1 more belong to root",
            f"Give them back: sudo chown -R {CORPUS}: '{WARC}'.",
        ),
        # The corpus of another user.
        (
            [file("a", CORPUS, is_usable=False)],
            CORPUS,
            OTHER,
            f"{WARC}/a belongs to {CORPUS}",
            f"Run it as {CORPUS}, who owns the corpus, or give the corpus to this user: sudo chown -R {OTHER}: '/srv",
        ),
        # Files of a group, own files without a right, and a corpus of root are no problem of this kind.
        ([file("a", OTHER, is_usable=True)], CORPUS, CORPUS, "", ""),
        ([file("a", CORPUS, is_usable=False)], CORPUS, CORPUS, "", ""),
        ([file("a", ROOT, is_usable=True), file("b", OTHER, is_usable=True)], ROOT, ROOT, "", ""),
    ],
)
def test_files_of_others_are_named_with_the_command_that_gives_them_back(
    files: list[OwnedFile], keeper: int, user: int, detail: str, advice: str
) -> None:
    """Only the parts of the corpus with such files are changed, by their quoted names."""
    found = judge(files, FOLDER, keeper, user)
    assert (found.detail if found else "") == detail
    assert (found.advice if found else "").startswith(advice)
    assert bool(found) is bool(detail)


def test_a_refusal_is_found_among_the_causes() -> None:
    """An error of the disk that has the refusal as its cause, and one of SQLite."""
    refused, full = disk_error(PermissionError(13, "denied"), "a"), disk_error(OSError(28, "full"), "a")
    refused.__cause__, full.__cause__ = PermissionError(13, "denied"), OSError(28, "full")
    with pytest.raises(sqlite3.OperationalError) as closed:
        sqlite3.connect("/no such folder/corpus.db")
    assert [is_refusal(each) for each in (refused, full, closed.value, ValueError())] == [True, False, True, False]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to own files as others")
def test_doctor_and_a_refused_command_name_the_files_of_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command with sudo made the search index. The user of the corpus gets its chown, and exit code 3."""
    folder = tmp_path / "news"
    folder.mkdir()
    (folder / "corpus.toml").write_text(TOML)
    Corpus.open(folder / "corpus.db", create=True).close()
    for path in (folder, *folder.iterdir()):
        os.chown(path, 65_534, 65_534)
    (folder / "index").mkdir(mode=0o700)
    # Another user has to reach it, however deep the folders of the test are.
    for above in (tmp_path, *tmp_path.parents):
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    os.seteuid(65_534)
    try:
        code = run(["-c", str(folder), "index"])
        refused = capsys.readouterr().err
        doctor = run(["-c", str(folder), "doctor"])
        checked = capsys.readouterr().out
    finally:
        os.seteuid(0)
    give = f"sudo chown -R nobody: {folder}/index"
    assert (code, doctor) == (3, 3)
    assert f"{folder}/index belongs to root.\n  Give them back: {give}. Run every command as the user nobody" in refused
    assert give in checked
