"""How a corpus stands, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus_spider.console import Console
from corpus_spider.status import render
from storage.records import CountRow, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = "# Corpus\nwhat\tcount\ndocuments\t3\nduplicates\t1\nfetches\t9\n"


def status(last_run: Mapping[str, str], *failed: CountRow) -> Status:
    return Status(3, 1, 9, by_language=(CountRow("vi", 3, 900),), failed=failed, last_run=dict(last_run))


def test_each_group_is_a_table_and_empty_ones_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Totals first, then what there is."""
    render(status({}, CountRow("http_\x1b[2J404", 2)), Console())
    assert capsys.readouterr().out == (
        HEAD + "# Languages\nlanguage\tdocuments\tcharacters\nvi\t3\t900\n"
        "# URLs that failed\nreason\tcount\nhttp_\\x1b[2J404\t2\n"
    )


@pytest.mark.parametrize(
    ("summary", "expected"),
    [('{"pages": 5, "seconds": {"x": 1}}', "id\t1\npages\t5\n"), ("", "id\t1\n"), ("not JSON", "id\t1\n")],
)
def test_the_last_run_shows_what_it_noted_of_itself(
    capsys: pytest.CaptureFixture[str], summary: str, expected: str
) -> None:
    """The summary is spread over lines; one that cannot be read (the run died) is no error."""
    render(status({"id": "1", "summary": summary}), Console())
    assert capsys.readouterr().out.endswith("# Last run\nwhat\tvalue\n" + expected)
