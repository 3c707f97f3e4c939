"""Wake-ups: results of threads reach the event loop complete and in groups, and each waiter is woken."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from pipelines.runtime.wakeups import Wakeups

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PATIENCE = 60.0


def run(wait: Callable[[Wakeups], Awaitable[object]]) -> object:
    """Run a coroutine that is given the wake-ups of a new loop, with patience."""

    async def bounded() -> object:
        return await asyncio.wait_for(wait(Wakeups()), PATIENCE)

    return asyncio.run(bounded())


def test_each_waiter_gets_the_result_of_its_own_future_from_any_thread() -> None:
    async def wait(wakeups: Wakeups) -> list[int]:
        with ThreadPoolExecutor(4) as threads:
            return await asyncio.gather(*(wakeups.result(threads.submit(int, number)) for number in range(500)))

    assert run(wait) == list(range(500))


def test_a_future_that_is_done_already_is_not_waited_for() -> None:
    async def wait(wakeups: Wakeups) -> str:
        future: Future[str] = Future()
        future.set_result("done")
        return await wakeups.result(future)

    assert run(wait) == "done"


def test_an_error_of_the_thread_is_raised_where_it_is_waited_for() -> None:
    async def wait(wakeups: Wakeups) -> None:
        future: Future[None] = Future()
        future.set_exception(LookupError("lost"))
        await wakeups.result(future)

    with pytest.raises(LookupError, match="lost"):
        run(wait)


def test_a_future_that_another_thread_cancels_cancels_who_waits_for_it() -> None:
    async def wait(wakeups: Wakeups) -> None:
        future: Future[None] = Future()
        threading.Thread(target=future.cancel).start()
        await wakeups.result(future)

    with pytest.raises(asyncio.CancelledError):
        run(wait)


def test_who_is_cancelled_cancels_the_future() -> None:
    async def wait(wakeups: Wakeups) -> bool:
        future: Future[None] = Future()
        waiting = asyncio.ensure_future(wakeups.result(future))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return future.cancelled()

    assert run(wait) is True


def test_what_a_thread_brings_together_wakes_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(wakeups: Wakeups) -> tuple[list[int], int]:
        futures: list[Future[int]] = [Future() for _ in range(100)]
        waiting = asyncio.gather(*(wakeups.result(future) for future in futures))
        await asyncio.sleep(0)
        woken: list[object] = []
        loop = asyncio.get_running_loop()
        wake = loop.call_soon_threadsafe

        def note(callback: Callable[[], object]) -> None:
            woken.append(callback)
            wake(callback)

        monkeypatch.setattr(loop, "call_soon_threadsafe", note)

        def resolve() -> None:
            with wakeups.together():
                for number, future in enumerate(futures):
                    future.set_result(number)

        thread = threading.Thread(target=resolve)
        thread.start()
        results = await waiting
        thread.join()
        return results, len(woken)

    assert run(wait) == (list(range(100)), 1)


def test_what_comes_after_the_loop_is_closed_disturbs_neither_its_thread_nor_the_next_loop() -> None:
    wakeups, late = Wakeups(), Future[int]()
    # As an executor does before it begins: from here on it cannot be cancelled.
    late.set_running_or_notify_cancel()

    async def leave() -> asyncio.Task[int]:
        waiting = asyncio.ensure_future(wakeups.result(late))
        await asyncio.sleep(0)
        return waiting

    async def wait() -> int:
        again: Future[int] = Future()
        threading.Thread(target=again.set_result, args=(2,)).start()
        return await asyncio.wait_for(wakeups.result(again), PATIENCE)

    left = asyncio.run(leave())
    late.set_result(1)
    assert left.cancelled()
    assert asyncio.run(wait()) == 2
