"""Changes to corpus.toml keep the rest of the file."""

from __future__ import annotations

import os
import threading
import tomllib
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config import writer
from corpus_spider.config.writer import add_site, lines, set_site_keys
from storage.errors import ConfigError, DiskError
from tests.corpus_spider.running import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[[site]]\nname = "a"\n', '[[site]]\nname = "a"\nextractor = "r2l"\np = 3\n'),
        ('[[site]]\r\nname = "a" # x\r\n', '[[site]]\r\nname = "a" # x\r\nextractor = "r2l"\r\np = 3\r\n'),
        ('\ufeff[[site]]\nname = "a"\np = 9', '\ufeff[[site]]\nname = "a"\np = 3\nextractor = "r2l"\n'),
        ('site = [{name = "a"}] # all', 'site = [{name = "a", extractor = "r2l", p = 3}] # all'),
        (
            '[[site]]\n# mine\nname = "a" # x\n\n# Another:\n# [[site]]\n# name = "b"\n',
            '[[site]]\n# mine\nname = "a" # x\nextractor = "r2l"\np = 3\n\n# Another:\n# [[site]]\n# name = "b"\n',
        ),
        ('[[site]]\nname = "a"\n# tail', '[[site]]\nname = "a"\nextractor = "r2l"\np = 3\n# tail'),
        (
            '[[site]]\nname = "b"\n\n[[site]]\nextractor = "bte" # why\nname = "a"\n\n[crawl]\ndelay = 1.0\n',
            '[[site]]\nname = "b"\n\n[[site]]\nextractor = "r2l" # why\nname = "a"\np = 3\n\n[crawl]\ndelay=1.0',
        ),
    ],
)
def test_keys_of_the_site_are_set_and_nothing_else(tmp_path: Path, before: str, after: str) -> None:
    """Comments, line ends, marks and inline tables stay as they are."""
    file = tmp_path / "corpus.toml"
    file.write_bytes(before.encode())
    set_site_keys(file, "a", {"extractor": "r2l", "p": 3})
    changed = file.read_bytes().decode()
    assert tomllib.loads(changed.removeprefix("\ufeff")) == tomllib.loads(after.removeprefix("\ufeff"))
    assert "".join(changed.split()) == "".join(after.split())
    assert changed.count("\r\n") in {0, changed.count("\n")}


def test_none_takes_a_key_out(tmp_path: Path) -> None:
    """An extractor without P needs none."""
    file = tmp_path / "corpus.toml"
    file.write_text('[[site]]\nname = "a"\np = 3\n')
    set_site_keys(file, "a", {"extractor": "bte", "p": None})
    assert file.read_text() == '[[site]]\nname = "a"\nextractor = "bte"\n'
    assert lines({"extractor": "bte", "p": None}) == 'extractor = "bte"\n'


@pytest.mark.parametrize("text", ['[[site]]\nname = "b"\n', "", "[[site]\n"])
def test_a_file_without_the_site_stays_as_it_was(tmp_path: Path, text: str) -> None:
    """And the error names the file."""
    file = tmp_path / "corpus.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"corpus\.toml"):
        set_site_keys(file, "a", {"extractor": "bte"})
    assert file.read_text() == text
    assert list(tmp_path.iterdir()) == [file]


def test_links_are_no_way_to_other_files(tmp_path: Path) -> None:
    """One where the new file is written is not followed; where corpus.toml is one, what it leads to is changed."""
    letters, real, file = tmp_path / "letters", tmp_path / "real.toml", tmp_path / "corpus.toml"
    letters.write_text("dear")
    real.write_text('[[site]]\nname = "a"\n')
    file.symlink_to(real)
    for name in ("real", "corpus"):
        (tmp_path / f".{name}.toml.{os.getpid()}.new").symlink_to(letters)
    set_site_keys(file, "a", {"extractor": "bte"})
    assert (letters.read_text(), file.is_symlink()) == ("dear", True)
    assert real.read_text() == '[[site]]\nname = "a"\nextractor = "bte"\n'


def test_a_disk_that_refuses_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "corpus.toml"
    file.write_text('[[site]]\nname = "a"\n')
    # Nothing can be written where a folder stands.
    (tmp_path / f".corpus.toml.{os.getpid()}.new" / "x").mkdir(parents=True)
    with pytest.raises(DiskError, match=r"corpus\.toml"):
        set_site_keys(file, "a", {"extractor": "bte"})
    assert file.read_text() == '[[site]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda file: add_site(file, {"name": "b"}), [{"name": "a"}, {"name": "b"}, {"name": "other"}]),
        (lambda file: set_site_keys(file, "a", {"p": 3}), [{"name": "a", "p": 3}, {"name": "other"}]),
    ],
)
def test_what_two_programs_write_at_once_is_all_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None], expected: list[dict[str, object]]
) -> None:
    """Such as `sites discover --write` of two papers: the second waits for the first."""
    file, replace_file = tmp_path / "corpus.toml", writer.replace_file
    file.write_text('[[site]]\nname = "a"\n')
    other = threading.Thread(target=add_site, args=(file, {"name": "other"}))

    def replaced(path: Path, data: bytes) -> None:
        if other.ident is None:
            other.start()
            # Long enough for it to be done, did it not wait.
            other.join(0.5)
        replace_file(path, data)

    monkeypatch.setattr(writer, "replace_file", replaced)
    write(file)
    other.join(PATIENCE)
    assert tomllib.loads(file.read_text())["site"] == expected


def test_a_site_is_added_once(tmp_path: Path) -> None:
    """Two of one name are refused by every verb."""
    file = tmp_path / "corpus.toml"
    file.write_text("")
    add_site(file, {"name": "a"})
    with pytest.raises(ConfigError, match='of the name "a"'):
        add_site(file, {"name": "a"})
    assert len(tomllib.loads(file.read_text())["site"]) == 1
