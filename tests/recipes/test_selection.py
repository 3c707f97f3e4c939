"""A new dimension of a selection changes two code files: its declaration, and its condition in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.corpus import Corpus
from tests.recipes.copied_packages import CopiedPackages
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import json
import tomllib

import corpus_spider as cs
from corpus_spider.cli.app import run
from corpus_spider.config.selections import options_of, selection_of

assert run(["-q", "export", "-o", "short.jsonl", "--max-chars", "10"]) == 0
exported = [json.loads(line)["text"] for line in open("short.jsonl", encoding="utf-8")]
assert run(["-q", "search", "text", "--max-chars", "10"]) == 2
with cs.open(".") as corpus:
    read = [document.text for document in corpus.documents(max_chars=10)]
    try:
        corpus.search("text", max_chars=10)
    except cs.CorpusError as error:
        refusal = str(error)
selection = selection_of(tomllib.loads("max_chars = 10"))
print(exported, read, options_of(selection), refusal.splitlines()[0], sep="|")
"""


def test_a_new_dimension_of_a_selection_changes_two_code_files(tmp_path: Path) -> None:
    """It is an option, a keyword and a key of TOML. The search index, which has no field for it, refuses it."""
    tree = CopiedPackages.into(tmp_path)
    declared, keyword = "    min_confidence: Annotated[\n", "    min_confidence: float\n"
    added = '    max_chars: Annotated[int, Dimension("Maximum length in characters.")] = 0\n'
    tree.replace("storage/documents/selection.py", declared, added + declared)
    tree.replace("storage/documents/selection.py", keyword, f"    max_chars: int\n{keyword}")
    condition = '    "min_confidence": lambda'
    added = '    "max_chars": lambda most: document.c.chars <= most,\n'
    tree.replace("storage/documents/reader.py", condition, added + condition)
    (tmp_path / "corpus.toml").write_text("[corpus]\ncontact = 'someone@example.org'\n")
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.visit("short", made("A text."))
        crawl.visit("long", made("A longer text than the limit."))
    exported = read = "['A text.']"
    refusal = "max_chars: the search index cannot select by it"
    assert tree.output(PROGRAM).strip() == f"{exported}|{read}|['--max-chars', '10']|{refusal}"
    assert len(tree.changed) == 2
