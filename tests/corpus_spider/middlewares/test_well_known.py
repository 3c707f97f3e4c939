"""Cache of the answers of origins: the last used ones, as many as fit."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.middlewares.well_known import OriginCache

MOST = 10
FAILS = 0
"""The size of what cannot be had."""


def expected(visits: list[tuple[int, int, bool]]) -> list[int]:
    """Return the hosts in the simplest form: a list of the known ones, the last used at the end."""
    known: list[tuple[int, int]] = []
    asked = []
    for origin, size, holds in visits:
        said = next((each for each in known if each[0] == origin), None)
        known = [each for each in known if each[0] != origin]
        if said is None or not holds:
            asked.append(origin)
            said = (origin, size)
        known += [said] if said[1] != FAILS else []
        while sum(each[1] for each in known) > MOST:
            known.pop(0)
    return asked


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(FAILS, MOST + 1), st.booleans()), max_size=40))
def test_those_last_used_are_known_as_long_as_there_is_room(visits: list[tuple[int, int, bool]]) -> None:
    """An origin that failed, whose answer expired or has no room is asked again. No other origin is."""
    asked = []
    size, holds = 0, True

    async def ask(origin: str) -> int:
        asked.append(int(origin))
        if size == FAILS:
            raise OSError
        return size

    async def visit_all() -> None:
        nonlocal size, holds
        known = OriginCache(ask, lambda said: said, MOST, lambda _: holds)
        for origin, size, holds in visits:  # noqa: B007 - read by those above
            await asyncio.wait([known.of(str(origin))])
            # Who waits may go on before what came is put in its place.
            await asyncio.sleep(0)

    asyncio.run(visit_all())
    assert asked == expected(visits)


def test_an_answer_that_holds_no_longer_when_it_comes_takes_no_room() -> None:
    """The origin is asked again before the expired answer is stored. Callers wait for the second answer."""
    asked: list[str] = []
    second = asyncio.Event()

    async def ask(origin: str) -> int:
        asked.append(origin)
        if asked.count("a") == 2 and origin == "a":
            await second.wait()
        return MOST if len(asked) == 1 else 1

    async def visit() -> None:
        known = OriginCache(ask, lambda said: said, MOST, lambda said: said != MOST)
        known.of("a")
        # Of what is called soon this comes behind the answer and before what that leads to.
        asyncio.get_running_loop().call_soon(known.of, "a")
        await asyncio.sleep(0)
        await known.of("b")
        await asyncio.sleep(0)
        second.set()
        assert await known.of("a") == 1

    asyncio.run(visit())
    assert asked == ["a", "a", "b"]
