"""Modules that read-only commands do not load: those of the crawler, of other databases and of files of tables."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli.app import run
from corpus_spider.exit_codes import DONE, SICK
from storage import Corpus
from tests.corpus_spider.running import PATIENCE, environment
from tests.extras import need
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = ("alembic", "lxml", "pyarrow", "scrapy", "trafilatura", "twisted")
WRITING = ("storage.documents.renewal", "storage.documents.writer", "storage.exports", "storage.removal.takedown")
POSTGRESQL = ("psycopg", "sqlalchemy.dialects.postgresql")
LOADED = """
import sys
from corpus_spider.cli.app import run
code = run(sys.argv[2:])
print(*sorted(set(sys.argv[1].split()) & set(sys.modules)), file=sys.stderr)
raise SystemExit(code)
"""


@pytest.mark.parametrize(
    ("arguments", "modules"),
    [
        (("--version",), ("msgspec", "sqlalchemy", "corpus_spider.config.model", *HEAVY)),
        (("--help",), ("msgspec", "sqlalchemy", "corpus_spider.config.model", *HEAVY)),
        (("config",), ("sqlalchemy", *HEAVY)),
        (("status",), ("numpy", *WRITING, *POSTGRESQL, *HEAVY)),
        (("show", "https://a.example/x"), ("numpy", "rich", *WRITING, *POSTGRESQL, *HEAVY)),
        (("dropped",), ("numpy", "rich", *WRITING, *POSTGRESQL, *HEAVY)),
        (("search", "hôm"), (*WRITING, *POSTGRESQL, *HEAVY)),
        (("health", "-q"), ("numpy", *WRITING, *POSTGRESQL, *HEAVY)),
    ],
)
def test_a_read_only_command_loads_no_heavy_module(
    tmp_path: Path, arguments: tuple[str, ...], modules: tuple[str, ...]
) -> None:
    """The command works on a SQLite corpus, and its process imported no such module."""
    (tmp_path / "corpus.toml").write_text(
        "[corpus]\ncontact = 'me@example.org'\n[[site]]\nname = 'a.example'\nstart = ['https://a.example/']\n"
    )
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        Crawl(corpus).visit("x", made("Bản tin hôm nay"))
    if "search" in arguments:
        need("web")
        # Only the first search, which builds the index, reads texts.
        assert run(["-q", "-c", str(tmp_path), "index"]) == DONE
    command = [sys.executable, "-c", LOADED, " ".join(modules), *arguments]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    # `health` reports that the site was never crawled.
    expected = SICK if "health" in arguments else DONE
    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (expected, ""), ended.stderr
