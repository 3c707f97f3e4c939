"""The page on the rules of the default extractor has them as the code: names, what they do, order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipelines.extractors.auto.extractor import SECOND_READINGS
from pipelines.extractors.auto.rule_tables import BLOCKS, LINES
from pipelines.page.postprocess import TIDYING

if TYPE_CHECKING:
    from pipelines.extractors.auto.rules.rule import Rule

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "extractor-rules.md").read_text("utf-8")
TABLES = {"BLOCKS": BLOCKS, "LINES": LINES, "SECOND_READINGS": SECOND_READINGS, "TIDYING": TIDYING}


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_rules_of_each_stage_in_their_order(name: str) -> None:
    rules: tuple[Rule[Any], ...] = TABLES[name]
    section = PAGE.split(f": `{name}` in ")[1].split("\n#")[0]
    rows = re.findall(r"^\| (?!rule \|)(.+?) \| (.+?) \|", section, re.MULTILINE)
    assert rows == [(rule.name, rule.does) for rule in rules]


def test_each_rule_has_a_name_of_its_own() -> None:
    names = [rule.name for rules in TABLES.values() for rule in rules]
    assert len(set(names)) == len(names)
