"""Headings of tables: every table of every verb takes its words from one module."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

from corpus_spider.crawling.model_learning import SiteLearning
from corpus_spider.lab.report import COLUMNS as SCORES
from corpus_spider.lab.site_model_gain import COLUMNS as GAINS
from corpus_spider.sites.single_page import extractors
from corpus_spider.sites.sources_check import HEADER
from corpus_spider.terminal.headings import HEADINGS, heading
from storage.records import SITE_COUNTERS

CODE = Path(__file__).parents[3] / "corpus_spider"
COMPUTED = {
    "cli/words_commands.py": "fields of the rows of `words`",
    "terminal/console.py": "fields of a report",
}
"""Modules whose headings are the fields of JSON."""


def tables() -> dict[str, list[str]]:
    """Return the headings that stand in the code as words, by module. A name stands for a tuple of its module."""
    found: dict[str, list[str]] = {}
    for file in sorted(CODE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        named = {
            target.id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            is_table = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "table"
            if not is_table or len(node.args) < 3 or ast.unparse(node.func) == "layout.table":
                continue
            header = node.args[1]
            if isinstance(header, ast.Name):
                header = named.get(header.id, header)
            words = [
                each.value
                for each in ast.walk(header)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
            found.setdefault(file.relative_to(CODE).as_posix(), []).extend(words)
    return found


def test_every_heading_of_every_verb_is_in_the_table_of_words() -> None:
    """A new heading is first looked for there, so that one thing has one word."""
    used = {(name, word) for name, words in tables().items() if name not in COMPUTED for word in words}
    used |= {("model_learning", field.name) for field in fields(SiteLearning)}
    used |= {("single_page", name) for name in extractors()[0]}
    used |= {("others", name) for name in (*GAINS, *SITE_COUNTERS, *HEADER, *SCORES)}
    assert len(used) > 60
    assert sorted((name, word) for name, word in used if word not in HEADINGS) == []


def test_no_two_headings_of_a_counter_are_the_same() -> None:
    """A heading is lower case and has no underscore."""
    assert len({heading(name) for name in SITE_COUNTERS}) == len(SITE_COUNTERS)
    names = {"F1", "P", "R", "Thai", "MB/s", "mean F1"}
    assert [word for word in HEADINGS.values() if (word != word.lower() and word not in names) or "_" in word] == []
    assert heading("some_field") == "some field"
