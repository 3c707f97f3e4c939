"""A new reason of a page without a document changes one code file, and the one that gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.recipes.copied_packages import CopiedPackages

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
from datetime import UTC, datetime

from corpus_spider.api.crawls import last_night
from corpus_spider.web.formatting import plain_meaning
from pipelines.classification.soft_errors import refused
from storage.reasons import is_fault
from storage.runs.site_runs import SiteRun, column_of

reason = refused(402, (), "").reason
run = SiteRun("a", run_id=1, started=datetime.now(UTC), reasons={reason: 3})
print(plain_meaning(reason), column_of("drop", reason), is_fault(reason), last_night([run]).dropped, sep="|")
"""


def test_a_new_reason_changes_one_code_file_and_the_place_that_gives_it(tmp_path: Path) -> None:
    """It has a meaning, its counter of a run, its effect on a source, and is counted as dropped."""
    tree = CopiedPackages.into(tmp_path)
    before, given = '    "geo_block": DropReason(', "    if vendor or _CHALLENGE"
    fields = 'counter="refused", is_fault=True, may_pass=True'
    added = f'    "toll": DropReason(meaning="a page that costs money", {fields}),\n'
    tree.replace("storage/reasons.py", before, added + before)
    added = '    if status == 402:\n        return Drop("toll")\n'
    tree.replace("pipelines/classification/soft_errors.py", given, added + given)
    assert tree.output(PROGRAM).strip() == "a page that costs money|refused|True|3"
    assert len(tree.changed) == 2
