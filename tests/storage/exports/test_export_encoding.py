"""Encoding of exports: JSON as the standard library reads it, and compression in a thread."""

from __future__ import annotations

import json
import math
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from storage.exports.background_writer import one_ahead
from storage.exports.fields import encodable, named
from storage.exports.formats import jsonl
from tests.storage.export_samples import a_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.documents.model import CorpusDocument

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | NUMBERS | st.text()
VALUES = PLAIN | st.lists(st.text()) | st.dictionaries(st.text(), PLAIN, max_size=3)


@given(row=st.dictionaries(st.text(), VALUES, max_size=6))
@example(row={"a": 5e-5, "b": "\x85\u2028\u2029\x7f\x00/\\"})
@example(row={"a": 1e16, "b": {"c": 9.9e-5}})
@settings(max_examples=200, deadline=None)
def test_the_standard_library_reads_what_lines_say(row: dict[str, Any]) -> None:
    """Every value comes back equal, with its type, from one line that no reader takes for two."""
    line = jsonl.line(row)
    assert repr(json.loads(line)) == repr(row)
    assert line.decode().splitlines(keepends=True) == [line.decode()]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_null(number: float) -> None:
    """JSON has no word for it."""
    assert jsonl.line({"a": number}) == b'{"a":null}\n'


ROWS = st.builds(
    lambda text, title, lists, number: a_document(
        text=text, title=title, captions=lists, languages=lists, replaced=number, foreign_share=number
    ),
    st.text(st.characters() | st.characters(categories=["Cs"]) | st.sampled_from("\x85\u2028\u2029")),
    st.none() | st.text(st.characters() | st.characters(categories=["Cs"])),
    st.lists(st.text(), max_size=3).map(tuple),
    st.sampled_from([0.0, 0.5, 5e-5, 1e300, math.inf, math.nan]),
)


@given(rows=st.lists(ROWS, max_size=5), size=st.sampled_from([1, 5000, 2**17]))
@settings(max_examples=100, deadline=None)
def test_rows_are_written_as_their_values_are(rows: list[CorpusDocument], size: int) -> None:
    """With any content, in part or in blocks: with U+FFFD and null for what JSON cannot hold."""
    expected = [jsonl.line(named(encodable(each))) for each in rows]
    assert jsonl.escaped(b"".join(jsonl.blocks(rows, size))) == b"".join(expected)
    names = ["url", "text", "replaced", "captions"]
    reported = [{name: named(encodable(each))[name] for name in names} for each in rows]
    assert jsonl.part_lines(names)(rows) == list(map(jsonl.line, reported))


@pytest.mark.parametrize("number", [0, 1, 2, 7])
def test_results_come_in_order_at_any_speed(number: int) -> None:
    """What is known when an item is asked for depends on the item alone, or the shards of a release would."""
    known: list[int] = []
    seen: list[list[int]] = []

    def items() -> Iterator[int]:
        for item in range(number):
            seen.append(known.copy())
            yield item

    with one_ahead(lambda item: item * 2, items()) as results:
        known.extend(results)
    assert known == [item * 2 for item in range(number)]
    assert seen == [[item * 2 for item in range(max(0, at - 1))] for at in range(number)]


def test_nothing_runs_any_more_when_the_block_is_left() -> None:
    """Else a file would be closed under a thread that writes to it."""
    started, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def work(_: int) -> None:
        started.set()
        may_end.wait(60)
        ended.set()

    def items() -> Iterator[int]:
        yield 1
        started.wait(60)
        may_end.set()
        raise KeyError("the documents end early")

    with pytest.raises(KeyError), one_ahead(work, items()) as results:
        list(results)
    assert ended.is_set()


def test_an_error_of_the_work_is_reported_where_its_result_is_wanted() -> None:
    """A full disk ends an export that is written in another thread."""
    with pytest.raises(ZeroDivisionError), one_ahead(lambda item: 1 // item, iter([1, 0, 1])) as results:
        list(results)
