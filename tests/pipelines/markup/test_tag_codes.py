"""Tag codes: the first bytes of a name give the same code as the whole name."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.markup.tag_codes import AHEAD, NAMES, name_codes

NAME = st.one_of(st.sampled_from(NAMES), st.text(st.sampled_from("abhpx123-:_.éس"), max_size=12))
END = st.sampled_from(["", " ", ">", "/", "\n", "\t", "\r", "\f", "\v", "-", "1", "<", "*", "é"])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(NAME, st.booleans(), END), min_size=1, max_size=20))
def test_codes_are_those_of_the_names(tags: list[tuple[str, bool, str]]) -> None:
    """In any case of letters, whatever ends a name, and where only its beginning is known."""
    names = [(name.upper() if upper else name) + end for name, upper, end in tags]
    raw = "<".join(["", *names]).encode()
    starts = np.array([match.end() for match in re.finditer(rb"<", raw)])
    codes = name_codes(raw, np.frombuffer(raw + AHEAD, dtype=np.uint8), starts)
    for start, code in zip(starts.tolist(), codes.tolist(), strict=True):
        name = re.split(rb"[\s/>]", raw[start:])[0]
        name = name if len(name) < 8 else name.partition(b"<")[0]
        expected = name.lower().decode()
        assert code == (2 * NAMES.index(expected) if expected in NAMES else 0), name
