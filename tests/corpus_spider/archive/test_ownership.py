"""One folder of WARC files is of one corpus: two of them would take each other's files for damage, and empty them. And
one database has its files in one folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus_spider.archive.ownership import OWNER, claim
from corpus_spider.config.model import Config
from corpus_spider.config.sections import CorpusSettings
from corpus_spider.maintenance.remove import remove
from storage.errors import ConfigError
from tests.corpus_spider.local_paper import Newspaper, corpus_toml
from tests.corpus_spider.running import run, well
from tests.extras import need

if TYPE_CHECKING:
    from storage import Corpus as Store


def corpus_in(folder: Path, **given: str) -> Config:
    """Return the configuration of a corpus, which lies in its folder."""
    folder.mkdir(exist_ok=True)
    values = {"warc": "../warc"} | given
    lines = "\n".join(f'{key} = "{value}"' for key, value in values.items())
    (folder / "corpus.toml").write_text(f"[corpus]\n{lines}\n")
    (folder.parent / "warc").mkdir(exist_ok=True)
    return Config(CorpusSettings(**values), path=folder / "corpus.toml")


def test_a_second_corpus_with_the_same_warc_folder_is_refused(tmp_path: Path, corpus: Store) -> None:
    """Nothing is crawled into it, and nothing in it emptied: the other's originals were gone after a removal."""
    first, second = corpus_in(tmp_path / "a"), corpus_in(tmp_path / "b")
    claim(first, corpus)
    for refused in (lambda: claim(second, corpus), lambda: remove(second)):
        with pytest.raises(ConfigError, match=r"the folder belongs to another corpus, that of .*a/corpus\.toml"):
            refused()
    claim(first, corpus)
    assert (tmp_path / "warc" / OWNER).stat().st_mode & 0o777 == 0o600


def test_machines_with_one_database_in_postgresql_share_an_address(tmp_path: Path, corpus: Store) -> None:
    """Each has a folder of its own. With SQLite the second folder is another corpus."""
    need("s3")
    first, second = (corpus_in(tmp_path / each, warc=f"file://{tmp_path}/bucket") for each in "ab")
    claim(first, corpus)
    if corpus.database.is_sqlite:
        with pytest.raises(ConfigError, match=r"the address belongs to another corpus, that of .*a/corpus\.toml"):
            claim(second, corpus)
        assert not list((tmp_path / "b" / "warc").glob("*.warc.gz*"))
    else:
        claim(second, corpus)
    claim(first, corpus)
    [owner] = (tmp_path / "bucket").iterdir()
    for left in (b"", b"{}", b"\xff"):
        owner.write_bytes(left)
        if left:
            with pytest.raises(ConfigError, match=rf"cannot be read \({owner.name}\)"):
                claim(first, corpus)
        else:
            claim(first, corpus)


@pytest.mark.parametrize("what", ["moved", "broken", "elsewhere", "same database"])
def test_a_folder_is_taken_over_where_the_other_corpus_has_gone(tmp_path: Path, what: str, corpus: Store) -> None:
    """Its corpus.toml is not there, cannot be read, or names another folder; or it is the same corpus."""
    first, second = corpus_in(tmp_path / "a"), corpus_in(tmp_path / "b")
    claim(first, corpus)
    if what == "moved":
        (tmp_path / "a").rename(tmp_path / "c")
    elif what == "broken":
        (tmp_path / "a/corpus.toml").write_text("[corpus")
    elif what == "elsewhere":
        corpus_in(tmp_path / "a", warc="warc")
    else:
        second = replace(second, corpus=replace(second.corpus, database="sqlite:///../a/corpus.db"))
    claim(second, corpus)
    assert (tmp_path / "warc" / OWNER).read_text() == str(tmp_path / "b/corpus.toml")


@pytest.mark.parametrize("left", [b"", bytes(64), b"/half/of/a/na", b"/" + 5000 * b"x", b"\xff", b"/"])
def test_a_mark_that_a_power_cut_damaged_names_no_owner(tmp_path: Path, left: bytes, corpus: Store) -> None:
    """The mark is not flushed to the disk. An empty mark, one of zeros or half a name is written again."""
    own = corpus_in(tmp_path / "a")
    mark = tmp_path / "warc" / OWNER
    mark.parent.mkdir()
    mark.write_bytes(left)
    claim(own, corpus)
    assert mark.read_text() == str(own.path)


def test_a_link_in_the_place_of_the_mark_is_replaced(tmp_path: Path, corpus: Store) -> None:
    """In a folder that came from elsewhere it may lead to any file of the user's, which was written over."""
    own, letters = corpus_in(tmp_path / "a"), tmp_path / "letters"
    letters.write_text("dear")
    mark = tmp_path / "warc" / OWNER
    mark.parent.mkdir()
    for target in (letters, tmp_path / "nothing"):
        mark.symlink_to(target)
        claim(own, corpus)
        assert (mark.read_text(), mark.is_symlink()) == (str(own.path), False)
        mark.unlink()
    assert (letters.read_text(), (tmp_path / "nothing").exists()) == ("dear", False)


@pytest.mark.parametrize("named", [False, True])
def test_a_mark_that_is_or_names_an_endless_file_names_no_owner(tmp_path: Path, named: bool, corpus: Store) -> None:
    """A pipe would be waited for, a device be read until there is no memory."""
    own = corpus_in(tmp_path / "a")
    mark = tmp_path / "warc" / OWNER
    mark.parent.mkdir()
    os.mkfifo(tmp_path / "pipe")
    for endless in (tmp_path / "pipe", Path("/dev/zero")):
        mark.write_text(str(endless)) if named else mark.symlink_to(endless)
        claim(own, corpus)
        assert mark.read_text() == str(own.path)
        mark.unlink()


@pytest.mark.parametrize("verb", ["crawl", "prune", "remove"])
def test_another_folder_of_files_for_one_database_is_refused(tmp_path: Path, newspaper: Newspaper, verb: str) -> None:
    """Of two, each lacks the originals of the other: check finds them missing, prune and remove tell them as gone."""
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
        (folder / "corpus.toml").write_text(corpus_toml(newspaper, f"sqlite:///{tmp_path / 'corpus.db'}"))
    well(first, "crawl")
    refused = run(second, verb)
    assert refused.returncode == 2
    assert f"its last crawl wrote to {first / 'warc'} on" in refused.stderr
    well(first, "crawl", "--now")
    well(first, "check", "--deep")


def test_a_database_goes_with_its_folder(tmp_path: Path, newspaper: Newspaper) -> None:
    """Moved together they are crawled on, with any earlier place in the folder."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "corpus.toml").write_text(corpus_toml(newspaper))
    well(tmp_path / "a", "crawl")
    (tmp_path / "a").rename(tmp_path / "b")
    well(tmp_path / "b", "crawl", "--now")


def test_a_folder_that_is_not_mounted_is_not_crawled_into(tmp_path: Path, newspaper: Newspaper) -> None:
    """Half of the originals would be below it afterwards. Where they are lost, the command it names lets one go on."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    well(tmp_path, "crawl")
    (tmp_path / "warc").rename(tmp_path / "disk")
    refused = run(tmp_path, "crawl", "--now")
    assert refused.returncode == 2
    assert "the folder has no WARC file of this database" in refused.stderr
    shutil.rmtree(tmp_path / "warc")
    (tmp_path / "disk").rename(tmp_path / "warc")
    well(tmp_path, "crawl", "--now")
    well(tmp_path, "check", "--deep")
    shutil.rmtree(tmp_path / "warc")
    subprocess.run(["sh", "-c", refused.stderr.strip().partition("go on without: ")[2]], timeout=30, check=True)
    well(tmp_path, "crawl", "--now")
