"""Pages shown with a real browser while things fail around them, in a process of its own: the driver needs Scrapy's
reactor, of which a process has one.

Run as ``python -m tests.corpus_spider.rendering_faults CHROMIUM`` it writes a JSON object: what each of ``SCENES`` saw.
No request leaves the machine: the HTML is given, and requests of its scripts are answered here.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler

from corpus_spider.rendering import handler
from corpus_spider.rendering.browser import Browser
from corpus_spider.rendering.chromium import processes
from corpus_spider.rendering.visits import BrowserLimits, PageRequest, RenderError, RenderVisit, ScriptResponse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PATIENCE = 240.0
BRIEF = 1.0
"""Seconds for pages that will not end by themselves."""
FILLED = """<div id=app></div><script>
fetch("/data").then(one => one.text()).catch(() => "refused").then(text => { app.textContent = "got " + text; });
</script>"""
ASKS_FOR_MUCH = """<div id=app></div><script>
Promise.allSettled([...Array(20).keys()].map(one => fetch("/data" + one).then(data => data.arrayBuffer())))
  .then(all => { app.textContent = "given " + all.filter(one => one.status == "fulfilled").length; });
</script>"""
LOOPS = "<script>for (;;) {}</script>"
ASKS_THEN_LOOPS = "<script>fetch('/data'); setTimeout(() => { for (;;) {} }, 50);</script>"
WAITS = "<script>fetch('/data');</script>"
VAST = "<body><script>document.body.setAttribute('data-all', 'x'.repeat(2e7));</script>"


class Watched(handler.RenderHandler):
    """Shows pages that are called brief only for as long; counts pages made, and contexts left after each."""

    started = 0
    pages = 0
    left: tuple[list[int], ...] = ([], [])

    async def start(self) -> None:
        Watched.started += 1
        await super().start()

    async def render(self, visit: RenderVisit) -> bytes:
        self._limits = replace(self._limits, timeout=BRIEF if visit.url.endswith("brief") else PATIENCE)
        try:
            return await super().render(visit)
        finally:
            for counts, contexts in zip(self.left, (self.browser.contexts, self.context_wrappers), strict=True):
                counts.append(len(contexts) if self.alive else 0)

    async def _create_page(self, request: Any, spider: Any) -> Any:
        Watched.pages += 1
        return await super()._create_page(request, spider)


class Stage:
    """A browser, the requests of pages, and how each page ended."""

    def __init__(self, program: Path, **limits: Any) -> None:
        crawler = get_crawler()
        self.browser = Browser(crawler, BrowserLimits(program, "corpus-spider", **limits))
        self.asked: list[str] = []
        self.causes: list[str] = []

    async def answer(self, asked: PageRequest) -> ScriptResponse | None:
        """Answer with three letters."""
        self.asked.append(asked.url)
        return ScriptResponse(200, {"Content-Type": "text/plain"}, b"abc")

    async def show(
        self, html: str, name: str = "page", answer: Callable[[PageRequest], Awaitable[Any]] | None = None
    ) -> str:
        """Return "filled" for a page that got its data, the reason it was not rendered, or the HTML of another."""
        try:
            dom = await self.browser.render(RenderVisit(f"https://a.example/{name}", html, answer or self.answer))
        except RenderError as error:
            self.causes.append(str(error.__cause__))
            return error.reason
        except RuntimeError as error:
            return str(error)
        return "filled" if b"got abc" in dom else dom.decode()

    @property
    def handler(self) -> Any:
        """The handler of the browser that runs."""
        assert self.browser._running is not None
        return self.browser._running.handler


def fail(*_: Any, **__: Any) -> Any:
    """Raise an unexpected exception."""
    raise RuntimeError("out of order")


async def nothing(*_: Any, **__: Any) -> None:
    """Do not do it."""


def never(event: asyncio.Event) -> Callable[..., Awaitable[None]]:
    """Return what does not come before an event."""

    async def wait(*_: Any, **__: Any) -> None:
        await event.wait()

    return wait


async def routes_fail(stage: Stage) -> object:
    """Each way in which the routes of a page may fail, and its requests then; the page after them."""
    await stage.show("warm")
    page_class = handler.ScrapyPlaywrightDownloadHandler.__init__.__globals__["Page"]
    ended = []
    for owner, method, broken in (
        (stage.handler, "_make_request_handler", fail),
        (page_class, "route", fail),
        (page_class, "route", nothing),
        (handler._Routes, "_answer", fail),
    ):
        with changed(owner, method, broken):
            ended.append(await stage.show(FILLED))
    asked, causes = [*stage.asked], [*stage.causes]
    return {"ended": ended, "asked": asked, "causes": causes, "next": await stage.show(FILLED)}


async def answer_fails(stage: Stage) -> object:
    """A page for which the answer to its script raises."""
    return await stage.show(FILLED, answer=fail)


async def answers_are_large(stage: Stage) -> object:
    """A page that asks for more than it may have, all at once, and the next one."""

    async def answer(_: PageRequest) -> ScriptResponse:
        return ScriptResponse(200, {"Content-Type": "text/plain"}, bytes(handler.MAX_BYTES // 4))

    return {"given": await stage.show(ASKS_FOR_MUCH, answer=answer), "next": await stage.show(FILLED)}


async def listener_fails(stage: Stage) -> object:
    """Two pages, of which all listeners of the driver raise."""
    with changed(stage.handler, "_increment_response_stats", lambda *_: fail()):
        return await asyncio.gather(stage.show(FILLED), stage.show(FILLED))


async def page_loops(stage: Stage) -> object:
    """A page shown beside one that loops later, until somebody kills the browser; one that loops at once, and the page
    that waits for its place.
    """
    asked = asyncio.Event()

    async def tell(_: PageRequest) -> None:
        asked.set()

    endless = asyncio.ensure_future(stage.show(ASKS_THEN_LOOPS, answer=tell))
    await asyncio.wait({endless, asyncio.ensure_future(asked.wait())}, return_when=asyncio.FIRST_COMPLETED)
    beside = await stage.show(FILLED)
    looped = not endless.done()
    for pid in processes(stage.handler._mark):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    one = Stage(stage.browser.limits.program, pages=1)
    later = await asyncio.gather(*(one.show(*page) for page in ((LOOPS, "brief"), (FILLED,))))
    await one.browser.close()
    return {"beside": beside, "looped": looped, "killed": await endless, "later": later}


async def browser_is_killed(stage: Stage) -> object:
    """A page for which the browser is said to take too much memory, and the page after."""
    forever, pages = asyncio.Event(), Watched.pages
    with changed(handler, "memory", lambda _: 2**40):
        ended = await stage.show(WAITS, answer=never(forever))
    made, started = Watched.pages - pages, Watched.started
    return {"ended": ended, "made": made, "next": await stage.show(FILLED), "started": Watched.started - started}


async def context_never_comes(stage: Stage) -> object:
    """A page whose context is not made in its time, and the next one."""
    await stage.show("warm")
    first, forever = stage.handler, asyncio.Event()
    with changed(first.browser, "new_context", never(forever)):
        ended = await stage.show(FILLED, "brief")
    return {"ended": ended, "alive": first.alive, "next": await stage.show(FILLED)}


async def contexts_left(stage: Stage) -> object:
    """Pages that end well and badly, and the contexts there are after each."""
    for counts in Watched.left:
        counts.clear()
    ended = [await stage.show(html) for html in (FILLED, VAST, FILLED)]
    return {"ended": ended, "left": [[*counts] for counts in Watched.left]}


class changed:  # noqa: N801 - reads as a verb
    """Replace an attribute for a while."""

    def __init__(self, owner: Any, name: str, value: Any) -> None:
        self.owner, self.name, self.value = owner, name, value

    def __enter__(self) -> None:
        self.own = self.name in vars(self.owner)
        self.before = vars(self.owner).get(self.name)
        setattr(self.owner, self.name, self.value)

    def __exit__(self, *_: object) -> None:
        if self.own:
            setattr(self.owner, self.name, self.before)
        else:
            delattr(self.owner, self.name)


SCENES = (
    routes_fail,
    answer_fails,
    answers_are_large,
    listener_fails,
    contexts_left,
    browser_is_killed,
    context_never_comes,
    page_loops,
)


async def play(program: Path) -> dict[str, object]:
    """Return what each scene saw, one after the other with one browser."""
    stage = Stage(program)
    try:
        return {scene.__name__: await scene(stage) for scene in SCENES}
    finally:
        await stage.browser.close()


if __name__ == "__main__":
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor

    handler.RenderHandler = Watched  # type: ignore[misc]
    seen = reactor._asyncioEventloop.run_until_complete(play(Path(sys.argv[1])))  # type: ignore[attr-defined]
    print(json.dumps(seen))
