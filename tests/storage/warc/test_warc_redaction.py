"""Rewriting of WARC files without removed records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.warc.redact import scrub
from storage.warc.scan import ScannedRecord, scan
from tests.storage.warc_samples import AWKWARD, capture, write

if TYPE_CHECKING:
    from pathlib import Path

DAY = "2026-11-26"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[ScannedRecord]]:
    """A file of awkward records, and its responses."""
    folder = tmp_path_factory.mktemp("archive")
    (pointer, *_) = write(folder, [*AWKWARD.values(), *(capture(number) for number in range(8))])
    path = folder / pointer.warc
    return path, [record for record in scan(path) if record.is_answer]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_records_that_are_copied_unread_make_no_difference(
    archive: tuple[Path, list[ScannedRecord]], data: st.DataObject
) -> None:
    """After any removal, with any of the other responses known: the same file, and the same places."""
    path, answers = archive
    doomed = data.draw(st.lists(st.sampled_from(answers), min_size=1, unique=True))
    known = data.draw(st.lists(st.sampled_from(answers), unique=True))
    kept = {each.offset: each.length for each in known if each not in doomed}
    found = []
    for rows in ({}, kept):
        places, ids = {each.offset for each in doomed}, {each.record_id for each in doomed}
        result = scrub(path.parent, path.name, places, ids, DAY, rows)
        found.append((result, (path.parent / result.name).read_bytes()))
    assert found[0] == found[1]
    assert found[0][0].emptied >= 2 * len(doomed)


def test_a_wrong_row_does_not_keep_a_removed_record(archive: tuple[Path, list[ScannedRecord]]) -> None:
    """A row whose range reaches over a removed record, or whose ends are not those of records, is not believed."""
    path, answers = archive
    removed, before = answers[3], answers[2]
    rows = {before.offset: answers[4].offset - before.offset, answers[5].offset: answers[5].length - 1}
    result = scrub(path.parent, path.name, {removed.offset}, {removed.record_id}, DAY, rows)
    written = list(scan(path.parent / result.name))
    assert all(record.ok for record in written)
    at, length = result.moves[removed.offset]
    assert next(record.length for record in written if record.offset == at) == length < removed.length
    assert len(written) == len(list(scan(path)))
    assert set(result.moves) == {record.offset for record in scan(path)}
