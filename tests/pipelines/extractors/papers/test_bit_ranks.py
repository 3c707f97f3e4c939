"""How many marks stand before a place: looked up, it is what counting gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.papers.bit_ranks import Ranks


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_marks_before_each_place_are_counted(text: bytes) -> None:
    """At every place of a text, its end included, however it lies to the words that are counted."""
    marks = np.frombuffer(text, dtype=np.uint8) % 3 == 0
    before = Ranks(marks).before(np.arange(len(text) + 1))
    assert before.tolist() == [int(marks[:place].sum()) for place in range(len(text) + 1)]
