"""The commands of the pages on backup, restore and upgrade are run as they are written."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from storage import Corpus
from storage.errors import CorpusError, NewerCorpusError
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, hanging, served
from tests.corpus_spider.running import ROOT, ended, environment, run, start, until
from tests.storage.next_release import NEXT, next_release

if TYPE_CHECKING:
    from pathlib import Path

SQLITE = "sqlite:///corpus.db"
PAGES = ROOT / "docs" / "how-to"


def commands(page: str, heading: str) -> list[str]:
    """Return the commands of a section: the lines of its console blocks that begin with a dollar."""
    text = (PAGES / page).read_text("utf-8")
    section = re.split(rf"^#+ {re.escape(heading)}$", text, flags=re.MULTILINE)[1]
    section = re.split(r"^#{1,3} ", section, flags=re.MULTILINE)[0]
    blocks = re.findall(r"^ *```console\n(.*?)^ *```", section, re.MULTILINE | re.DOTALL)
    return [line.strip()[2:] for block in blocks for line in block.splitlines() if line.strip().startswith("$ ")]


class Machine:
    """Runs commands of a page in a folder of their own, with the program of some packages as `corpus-spider`."""

    def __init__(self, root: Path, server: str = "") -> None:
        self.root, self.news, self.packages = root, root / "srv" / "news", ROOT
        for folder in (self.news, root / "mnt" / "backup", root / "bin"):
            folder.mkdir(parents=True)
        script = root / "bin" / "corpus-spider"
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m corpus_spider "$@"\n')
        script.chmod(0o755)
        parts = urlsplit(server)
        self.address, self.port = parts.netloc.rpartition("@")[2], str(parts.port or "")

    def run(self, command: str, code: int = 0) -> str:
        command = command.replace("/srv/", f"{self.root}/srv/").replace("/mnt/", f"{self.root}/mnt/")
        command = command.replace("@localhost", f"@{self.address}").replace("=localhost", "=127.0.0.1")
        path = f"{self.root}/bin:{os.environ['PATH']}"
        variables = environment(PATH=path, PGPORT=self.port or "5432", PYTHONPATH=str(self.packages))
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.root, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


def problems(folder: Path) -> list[str]:
    return list(json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"])


def in_the_middle_of_a_crawl(machine: Machine, backup: list[str], database: str) -> None:
    """Run commands while a crawl writes."""
    with served(Newspaper(articles=12)) as paper:
        gate = hanging(paper)
        (machine.news / "corpus.toml").write_text(corpus_toml(paper, database, delay=0.1, timeout=900))
        crawl = start(machine.news, "crawl")
        try:
            until(lambda: crawl.poll() is not None or documents(machine.news, database) > 3)
            for command in backup:
                machine.run(command)
            assert crawl.poll() is None
        finally:
            gate.set()
        assert ended(crawl) == 0


def documents(folder: Path, database: str = SQLITE) -> int:
    """Return the number of documents; 0 before the crawl has made the database."""
    try:
        with Corpus.open(database.replace("sqlite:///", f"sqlite:///{folder}/"), read_only=True) as corpus:
            return corpus.status().documents
    except CorpusError:
        return 0


def test_a_backup_made_during_a_crawl_survives_the_restore_drill(tmp_path: Path) -> None:
    """Backup, drill and restore of the page, each command with exit code 0."""
    if shutil.which("sqlite3") is None:
        pytest.skip("needs sqlite3: apt-get install sqlite3")
    machine = Machine(tmp_path)
    in_the_middle_of_a_crawl(machine, commands("back-up.md", "Back up SQLite"), SQLITE)
    ran = [machine.run(command) for command in commands("back-up.md", "SQLite")]
    assert len(ran) == 5
    assert not (tmp_path / "srv" / "drill").exists()
    assert len([machine.run(command) for command in commands("back-up.md", "Restore")]) == 3
    assert problems(machine.news) == []
    copied = tmp_path / "mnt" / "backup"
    # The copy that SQLite made: the crawl has written to the originals since.
    assert problems(copied) == []
    assert documents(copied) > 3


def test_a_copy_by_pg_dump_made_during_a_crawl_survives_the_restore_drill(tmp_path: Path, postgresql_url: str) -> None:
    """The database first, originals second; the restored database agrees with the originals."""
    machine = Machine(tmp_path, postgresql_url)
    name = postgresql_url.rpartition("/")[2]
    source, drill = (
        [command.replace("/news ", f"/{name} ") for command in each]
        for each in (commands("back-up.md", "Back up PostgreSQL"), commands("back-up.md", "PostgreSQL"))
    )
    source[1] = source[1].replace("localhost/news", f"localhost/{name}")
    in_the_middle_of_a_crawl(machine, source, postgresql_url)
    for command in drill:
        machine.run(command)
    assert len(drill) == 8


def test_an_upgrade_goes_forth_and_back_as_the_page_says(tmp_path: Path) -> None:
    """`migrate --dry-run`, `migrate`, `check` and `doctor`; then the copy is the database of before."""
    machine = Machine(tmp_path)
    file = machine.news / "corpus.db"
    Corpus.open(file, create=True).close()
    machine.packages = next_release(tmp_path)
    (machine.news / "corpus.toml").write_text(
        '[corpus]\nname = "news"\ncontact = "tests@example.org"\n[[site]]\nname = "a"\nstart = ["https://a.example/"]\n'
    )
    for command in commands("upgrade.md", "Upgrade"):
        machine.run(command)
    with pytest.raises(NewerCorpusError, match=NEXT):
        Corpus.open(file, read_only=True)
    machine.packages = ROOT
    for command in commands("upgrade.md", "Go back"):
        machine.run(command)
    with Corpus.open(file, read_only=True) as corpus:
        assert corpus.problems() == []
