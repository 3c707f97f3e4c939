"""A new rule of the default extractor changes two code files: its function, and its row in the table of its stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.recipes.copied_packages import CopiedPackages

if TYPE_CHECKING:
    from pathlib import Path

RULES = "pipelines/extractors/auto/rules/boilerplate.py"
TABLE = "pipelines/extractors/auto/rule_tables.py"
FUNCTION = '''

def shouted(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks in capitals."""
    return chosen & np.array([text.isupper() for text in page.blocks.texts])
'''
PROGRAM = """
from pipelines.extractors.auto import extractor
from pipelines.extractors.auto.rules.rule import rules_run_by

body = "".join(f"<p>The river rose again on day {day}, and the ferries stayed at the quay.</p>" for day in range(8))
html = f"<h1>The river</h1><article>{body}<p>THE LOUD LINE OF THE EDITOR STANDS IN CAPITALS.</p>{body}</article>"
assert "LOUD" not in extractor.extract(html).text
with rules_run_by(lambda rule, page: page if rule.name == "shouted" else rule.apply(page)):
    assert "LOUD" in extractor.extract(html).text
print("done")
"""


def test_a_new_rule_changes_two_code_files(tmp_path: Path) -> None:
    """It acts where its row stands, and is switched off by its name."""
    tree = CopiedPackages.into(tmp_path)
    labels = "\n\ndef labels(page"
    tree.replace(RULES, labels, FUNCTION + labels)
    row = '    Rule("labels", '
    tree.replace(TABLE, row, f'    Rule("shouted", "leaves out capitals", _removing(boilerplate.shouted)),\n{row}')
    assert tree.output(PROGRAM) == "done\n"
    assert len(tree.changed) == 2
