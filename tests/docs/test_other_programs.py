"""The page for users of other corpus programs: it names options and forms that exist."""

from __future__ import annotations

import re
from pathlib import Path

from corpus_spider.cli.app import cli
from corpus_spider.search.hits.concordance_rules import sort_places
from storage.exports import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "other-programs.md").read_text(encoding="utf-8")
TASKS = [
    (row[0], row[-1]) for row in (line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| "))
]
FLAG = re.compile(r"--[a-z][a-z-]+")


def test_each_option_of_the_table_is_one_of_search_words_or_index() -> None:
    """In the column of this program, with a value that the option takes."""
    verbs = {name: {flag for each in verb.params for flag in each.opts} for name, verb in cli.commands.items()}
    here = "\n".join(cell for _, cell in TASKS)
    assert len(TASKS) > 15
    assert set(FLAG.findall(here)) <= verbs["search"] | verbs["words"] | verbs["index"]
    for name, flag in re.findall(r"`(\w+) (--[a-z-]+)", PAGE):
        assert flag in verbs[name]
    [order] = re.findall(r"--order (\S+)`", here)
    assert len(sort_places(order)) == 3
    assert {"txt", "vert"} <= set(FORMATS)
