"""A value is made once for its key."""

from __future__ import annotations

import pytest

from corpus_spider.web.state import LastMade
from storage.errors import DatabaseError


def test_a_value_is_made_once_for_a_key() -> None:
    """Of the newest key alone; an error leaves nothing."""
    made = list[str]()

    def make(value: str) -> str:
        made.append(value)
        if value == "error":
            raise DatabaseError("away")
        return value

    last = LastMade[int, str]()
    with pytest.raises(DatabaseError):
        last(1, lambda: make("error"))
    values = [last(key, lambda key=key: make(f"of {key}")) for key in (1, 1, 2, 2, 1)]
    assert values == ["of 1", "of 1", "of 2", "of 2", "of 1"]
    assert made == ["error", "of 1", "of 2", "of 1"]
