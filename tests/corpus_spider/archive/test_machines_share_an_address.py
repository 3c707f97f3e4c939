"""Several machines with one database in PostgreSQL, a folder each, and one address of object storage."""

from __future__ import annotations

import json
import shutil
import signal
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from corpus_spider.archive.missing_files import DAYS_BEFORE_NEW_FETCH
from storage.database.schema import warc_file
from storage.fetches.missing_files import IS_THERE
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import run
from tests.extras import need

if TYPE_CHECKING:
    from pathlib import Path

need("s3")


class Machine:
    """A machine: its folder, with the corpus.toml that all machines have."""

    def __init__(self, folder: Path, toml: str) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "corpus.toml").write_text(toml)

    def done(self, *arguments: str) -> str:
        ended = run(self.folder, *arguments)
        assert ended.returncode == 0, (arguments, ended.stdout, ended.stderr)
        return ended.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.done(*arguments, "--json"))

    def files(self) -> list[Path]:
        return list((self.folder / "warc").glob("*.warc.gz*"))


@pytest.fixture
def toml(tmp_path: Path, postgresql_url: str) -> str:
    return f'database = "{postgresql_url}"\nwarc = "file://{tmp_path}/bucket"'


def configured(paper: Newspaper, other: Newspaper, lines: str) -> str:
    """Return a corpus.toml of two newspapers, with the database and the address that `lines` name."""
    allowed = [f"127.0.0.1:{each.port}" for each in (paper, other)]
    text = corpus_toml(paper, site_models=False, allow_private=allowed)
    text = text.replace('database = "sqlite:///corpus.db"', lines, 1)
    return f'{text}\n[[site]]\nname = "other"\nstart = ["{other.origin}/"]\nlanguage = "vi"\n'


def test_a_machine_reads_what_another_one_has_uploaded(tmp_path: Path, toml: str) -> None:
    """Each crawls a site. Check, show and re-extraction on either reach the originals of both."""
    with served(Newspaper(articles=4)) as paper, served(Newspaper(articles=9)) as other:
        first, second = (Machine(tmp_path / name, configured(paper, other, toml)) for name in ("first", "second"))
        first.done("crawl", "--site", "newspaper")
        second.done("crawl", "--site", "other")
        assert (first.files(), second.files()) == ([], [])
        for machine, site in ((first, other), (second, paper)):
            checked = machine.json("check", "--deep")
            assert (checked["problems"], checked["files"]) == ([], 2)
            assert "Bài số 3" in machine.done("show", f"{site.origin}/article/3", "--original")
        found = second.json("reextract")
        assert (found["unreadable"], found["changed"], found["lost"]) == (0, 0, 0)


def test_the_pages_of_a_machine_that_is_lost_are_fetched_again(tmp_path: Path, toml: str, postgresql_url: str) -> None:
    """It dies with pages in a folder that nothing else has. Another machine says so, and fetches them after a time."""
    with served(Newspaper(articles=6)) as paper, served(Newspaper(articles=1)) as other:
        first, second = (Machine(tmp_path / name, configured(paper, other, toml)) for name in ("first", "second"))
        killed = run(first.folder, "crawl", "--site", "newspaper", CORPUS_SPIDER_FAILPOINT="before_processed_commit:2")
        assert killed.returncode == -signal.SIGKILL
        assert first.files()
        shutil.rmtree(first.folder)
        waiting = run(second.folder, "crawl", "--site", "newspaper")
        assert "After 14 days they are fetched again" in waiting.stderr
        engine = sa.create_engine(postgresql_url.replace("postgresql:", "postgresql+psycopg:", 1))
        long_ago = datetime.now(UTC) - timedelta(days=DAYS_BEFORE_NEW_FETCH + 1)
        with engine.begin() as connection:
            connection.execute(sa.update(warc_file).where(~IS_THERE).values(missing_since=long_ago))
        engine.dispose()
        again = run(second.folder, "crawl", "--site", "newspaper")
        assert "fetched again, because their WARC file is missing for 14 days" in again.stderr
        documents = [json.loads(line) for line in second.done("export", "-o", "-", "--format", "jsonl").splitlines()]
        assert len({each["url"] for each in documents}) == len(documents) == 6
