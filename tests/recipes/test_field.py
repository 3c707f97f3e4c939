"""The recipe of CONTRIBUTING for a field of a document, followed in a copy of the program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from storage.corpus import Corpus
from storage.database.schema import SCHEMA_VERSION
from tests.corpus_spider.running import PATIENCE, ROOT
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from pathlib import Path

NEXT = f"{int(SCHEMA_VERSION) + 1:04}"
RECORDS, READER = "storage/records.py", "pipelines/metadata/reader.py"
MIGRATION = f"storage/database/migrations/versions/v{NEXT}_genre.py"
ATTRIBUTE = """    author_source: str | None = None
    \"\"\"One of `AUTHOR_SOURCES`.\"\"\"
"""
EDITS = (
    (RECORDS, ATTRIBUTE, f"{ATTRIBUTE}    genre: str | None = None\n"),
    (
        RECORDS,
        "\n\n@dataclass(frozen=True, slots=True)\nclass Drop:",
        """    genre: Annotated[
        str | None,
        FieldNote("genre that the page states", made="metadata.genre", shown=100),
        MetadataRow(source=THE_PAGE),
    ] = None


@dataclass(frozen=True, slots=True)
class Drop:""",
    ),
    (
        READER,
        "        title_source=title_source,\n",
        (
            "        title_source=title_source,\n"
            '        genre=next(iter(view.contents.get("article:section", ())), None),\n'
        ),
    ),
)
"""Changes to files: the text before and after."""
ADDED = f'''"""Column for the genre of a document."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{SCHEMA_VERSION}"


def upgrade() -> None:
    op.add_column("document", sa.Column("genre", sa.Text()))
'''
PAGE = f"""<html lang="en"><head><title>A bridge opens</title><meta property="article:section" content="Sports"></head>
<body><article><h1>A bridge opens</h1>{"<p>The town opened the bridge over the river on Monday morning.</p>" * 20}
</article></body></html>"""
USE = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from pyarrow import parquet

import storage
from corpus_spider.api.document import Document
from corpus_spider.cli.json_outputs import OUTPUTS
from corpus_spider.api.lookup import ShownPage
from corpus_spider.cli.show import render
from corpus_spider.sites.single_page import fields_of
from corpus_spider.terminal.console import Console
from corpus_spider.api.document_facts import facts
from pipelines.page.process import process
from storage.corpus import Corpus
from storage.exports import export
from storage.records import Capture, SiteModel
from tests.storage.corpus_samples import Crawl

folder, copy = Path(sys.argv[1]), Path(sys.argv[2])
assert Path(storage.__file__).is_relative_to(copy)
sys.path.insert(0, str(copy / "docs"))
import tables

page = Capture("https://a.example/new", datetime.now(UTC), 200, (), (), sys.stdin.buffer.read())
found = process(page, SiteModel(site="a.example"))
with Corpus.open(folder / "corpus.db") as corpus:
    Crawl(corpus).visit("new", found)
    old, new = (corpus.documents.find(f"https://a.example/{name}") for name in ("old", "new"))
    page = corpus.fetches.page(["https://a.example/new"])
    for name in ("out.jsonl", "out.parquet", "out.csv"):
        export([old, new], folder / name)
render(ShownPage(page, new), Console(), "corpus-spider")
schema = msgspec.json.schema(next(each.type for each in OUTPUTS if each.name == "extract"))
print(json.dumps({
    "stored": [old.genre, new.genre],
    "jsonl": [json.loads(line)["genre"] for line in (folder / "out.jsonl").read_text().splitlines()],
    "parquet": parquet.read_table(folder / "out.parquet")["genre"].to_pylist(),
    "csv": (folder / "out.csv").read_text("utf-8-sig").splitlines()[0].split(",")[-1],
    "python": Document.of_corpus(new).genre,
    "extract": fields_of(found.document)["genre"],
    "schema": "genre" in str(schema),
    "web": [[each.name, each.values, each.source] for each in facts(new) if each.name == "genre"],
    "docs": [line for line in tables.fields().splitlines() if "genre" in line],
}))
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the program with a field more."""
    root = tmp_path_factory.mktemp("recipe")
    for package in ("corpus_spider", "pipelines", "storage", "docs"):
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, before, after in EDITS:
        text = (root / name).read_text()
        assert text.count(before) == 1, (name, before)
        (root / name).write_text(text.replace(before, after))
    (root / MIGRATION).write_text(ADDED)
    return root


@pytest.fixture(scope="module")
def used(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """Return the field as it is in all outputs of a corpus of before with a new page, and what `show` writes."""
    folder = tmp_path_factory.mktemp("corpus")
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        Crawl(corpus).visit("old", made("An old text"))
    command = [sys.executable, "-c", USE, str(folder), str(copied)]
    environment = os.environ | {"PYTHONPATH": f"{copied}{os.pathsep}{ROOT}"}
    options: dict[str, Any] = {"input": PAGE.encode(), "capture_output": True, "timeout": PATIENCE}
    done = subprocess.run(command, check=False, env=environment, cwd=folder, **options)
    assert done.returncode == 0, done.stderr.decode()
    *shown, last = done.stdout.decode().splitlines()
    return json.loads(last), "\n".join(shown)


def test_a_new_field_changes_three_code_files(copied: Path) -> None:
    """The records, the module that finds the value, and the migration."""
    changed = [
        str(path.relative_to(copied))
        for path in sorted(copied.rglob("*.py"))
        if not (known := ROOT / path.relative_to(copied)).exists() or known.read_bytes() != path.read_bytes()
    ]
    assert changed == [READER, MIGRATION, RECORDS]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("stored", [None, "Sports"]),
        ("jsonl", [None, "Sports"]),
        ("parquet", [None, "Sports"]),
        ("csv", "genre"),
        ("python", "Sports"),
        ("extract", "Sports"),
        ("schema", True),
        ("web", [["genre", ["Sports"], "the page"]]),
        ("docs", ["| `genre` | text | genre that the page states |"]),
    ],
)
def test_a_new_field_is_stored_exported_shown_and_documented(
    used: tuple[dict[str, Any], str], where: str, expected: object
) -> None:
    """A text of before the migration has no value; a new page has that which it states."""
    assert used[0][where] == expected


def test_show_lists_a_new_field(used: tuple[dict[str, Any], str]) -> None:
    """In the table of the document, below the other fields."""
    assert [line.split() for line in used[1].splitlines() if "Sports" in line] == [["genre", "Sports"]]
