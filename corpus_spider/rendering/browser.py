"""The one adapter of Playwright: HTML and what its scripts ask for in, the DOM they build out.

Every page gets a context of its own, so that no cookie, no storage and no cache lead from one to the next; pages at a
time, time and memory are bounded; the browser is started anew after so many pages, after a crash and when it does not
obey. Known ways in which rendering crawlers fail are memory that grows over contexts (scrapy-playwright #126, #171,
#240) and calls that never return (#133, #174, #330): nothing here is waited for without a bound.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpus_spider.rendering.chromium import CLOSED_PROXY, FLAGS, memory, processes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, Page, Playwright, Route

logger = logging.getLogger(__name__)

START_SECONDS = 30.0
CLOSE_SECONDS = 5.0
WATCH_SECONDS = 0.5
SETTLE_SECONDS = 10.0
"""Longest wait for scripts to have asked for everything; some pages never cease."""
MAX_PARTS = 200
"""Most requests of one page that are answered."""
# In a world of its own, where no script of the page has put anything in the way.
SNAPSHOT = """(() => {
  const root = document.documentElement ? document.documentElement.outerHTML : "";
  return root.length > LIMIT ? null : "<!DOCTYPE html>\\n" + root;
})()"""


@dataclass(frozen=True, slots=True)
class Part:
    """What a script asked for, as it is handed to the browser: content coding undone."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a page's scripts: safe (GET), for a script or for data."""

    url: str
    headers: dict[str, str]
    script: bool


@dataclass(frozen=True, slots=True)
class Visit:
    """A page to render: its address, its HTML, the language to ask in and who answers what its scripts ask for."""

    url: str
    html: str
    answer: Callable[[Asked], Awaitable[Part | None]]
    """None: the request is refused."""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Which program, and how much it may take."""

    program: Path
    user_agent: str
    timeout: float = 60.0
    """Seconds for one page, from its place to its DOM."""
    pages: int = 2
    """Pages at a time."""
    pages_per_browser: int = 100
    memory: int = 2**30
    """Bytes of the browser and all its processes, beyond which it is killed."""
    max_chars: int = 16 * 2**20


class RenderError(Exception):
    """A page that was not rendered. ``reason``: ``render_timeout``, ``render_crash`` or ``render_too_large``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StartError(Exception):
    """The browser does not start."""


@dataclass(slots=True)
class _Running:
    """A browser that runs, and the mark in its command line by which its processes are known."""

    playwright: Playwright
    chromium: Chromium
    mark: str
    watch: asyncio.Task[None] | None = None
    active: int = 0
    served: int = 0
    retired: bool = False

    def kill(self) -> None:
        """End it at once; Playwright then gives up what it waits for."""
        self.retired = True
        for pid in processes(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@dataclass(slots=True)
class Browser:
    """A browser that is started with the first page. Not for use by two event loops."""

    limits: Limits
    _running: _Running | None = None
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _places: asyncio.Semaphore | None = None

    async def render(self, visit: Visit) -> str:
        """Return the DOM of a page as HTML, once its scripts have had their time.

        Raises RenderError; StartError when there is no browser to be had.
        """
        self._places = self._places or asyncio.Semaphore(self.limits.pages)
        async with self._places:
            running = await self._enter()
            try:
                return await self._visit(running, visit)
            finally:
                await self._leave(running)

    async def close(self) -> None:
        """End the browser, whatever it is doing."""
        running, self._running = self._running, None
        if running is not None:
            await _end(running)

    async def _enter(self) -> _Running:
        async with self._starting:
            running = self._running
            if running is None or running.retired or not running.chromium.is_connected():
                await self._retire(running)
                running = self._running = await _start(self.limits)
            running.active += 1
            running.served += 1
            running.retired = running.served >= self.limits.pages_per_browser
            return running

    async def _retire(self, running: _Running | None) -> None:
        """Let a browser go; the pages it still shows are its last."""
        if running is not None:
            running.retired = True
            if not running.active:
                await _end(running)

    async def _leave(self, running: _Running) -> None:
        running.active -= 1
        if running.retired and not running.active:
            if self._running is running:
                self._running = None
            await _end(running)

    async def _visit(self, running: _Running, visit: Visit) -> str:
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(self.limits.timeout):
                html = await _show(running, visit, self.limits)
        except TimeoutError:
            raise RenderError("render_timeout") from None
        except Error as error:
            logger.debug("rendering %s: %s", visit.url, error)
            raise RenderError("render_crash") from error
        if html is None:
            raise RenderError("render_too_large")
        return html


async def _start(limits: Limits) -> _Running:
    from playwright.async_api import Error, async_playwright

    mark = f"--corpus-spider-browser={secrets.token_hex(8)}"
    playwright = await async_playwright().start()
    try:
        chromium = await playwright.chromium.launch(
            executable_path=limits.program,
            args=[*FLAGS, mark],
            ignore_default_args=["--disable-popup-blocking"],
            # Chromium's own sandbox refuses to run as root.
            chromium_sandbox=os.geteuid() != 0,
            proxy={"server": CLOSED_PROXY},
            # Nothing of our environment, which may hold passwords.
            env={"PATH": os.environ.get("PATH", ""), "HOME": tempfile.gettempdir()},
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=START_SECONDS * 1000,
        )
    except Error as error:
        await playwright.stop()
        raise StartError(str(error).partition("\n")[0]) from error
    running = _Running(playwright, chromium, mark)
    running.watch = asyncio.ensure_future(_watch(running, limits.memory))
    return running


async def _watch(running: _Running, most: int) -> None:
    """Kill the browser when it takes too much memory."""
    while running.chromium.is_connected():
        await asyncio.sleep(WATCH_SECONDS)
        taken = await asyncio.to_thread(lambda: memory(processes(running.mark)))
        if taken > most:
            logger.warning("the browser took %d MiB of memory and is started anew", taken // 2**20)
            running.kill()


async def _end(running: _Running) -> None:
    if running.watch is not None:
        running.watch.cancel()
    if not await _bounded(running.chromium.close()):
        running.kill()
    await _bounded(running.playwright.stop())


async def _bounded(work: Awaitable[object]) -> bool:
    """Wait for something that may fail or hang; tell whether it came to its end."""
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await work
    except (TimeoutError, Error):
        return False
    return True


async def _show(running: _Running, visit: Visit, limits: Limits) -> str | None:
    """Open the page in a context of its own and return its DOM; None when it is too large."""
    context = await running.chromium.new_context(
        user_agent=limits.user_agent,
        locale=visit.language or None,
        timezone_id="UTC",
        service_workers="block",
        accept_downloads=False,
    )
    try:
        return await _load(context, visit, limits)
    finally:
        # A tab that hangs may keep its context from closing, and would go on to take a processor.
        if not await _bounded(_close(context)):
            running.kill()


async def _close(context: BrowserContext) -> None:
    await context.unroute_all(behavior="ignoreErrors")
    await context.close()


async def _load(context: BrowserContext, visit: Visit, limits: Limits) -> str | None:
    from playwright.async_api import TimeoutError as WaitError

    page = await context.new_page()
    page.on("popup", _dismiss)
    crashed = asyncio.Event()
    page.on("crash", lambda _: crashed.set())
    await context.route("**/*", _Routes(page, visit).handle)
    milliseconds = limits.timeout * 1000
    await _unless(crashed, page.goto(visit.url, wait_until="domcontentloaded", timeout=milliseconds))
    with contextlib.suppress(WaitError):
        settle = min(SETTLE_SECONDS, limits.timeout / 3) * 1000
        await _unless(crashed, page.wait_for_load_state("networkidle", timeout=settle))
    html: str | None = await _unless(crashed, _snapshot(context, page, limits.max_chars))
    return html


async def _dismiss(popup: Page) -> None:
    await _bounded(popup.close())


async def _unless(crashed: asyncio.Event, work: Awaitable[Any]) -> Any:
    """Wait for a step of a page, unless its tab crashes meanwhile: Playwright would wait on."""
    step, crash = asyncio.ensure_future(work), asyncio.ensure_future(crashed.wait())
    try:
        await asyncio.wait({step, crash}, return_when=asyncio.FIRST_COMPLETED)
        if not step.done():
            raise RenderError("render_crash")
        return step.result()
    finally:
        step.cancel()
        crash.cancel()


async def _snapshot(context: BrowserContext, page: Page, max_chars: int) -> str | None:
    session = await context.new_cdp_session(page)
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "snapshot"})
    expression = SNAPSHOT.replace("LIMIT", str(max_chars))
    evaluated = await session.send(
        "Runtime.evaluate",
        {"expression": expression, "contextId": world["executionContextId"], "returnByValue": True},
    )
    html: str | None = evaluated["result"].get("value")
    return html


class _Routes:
    """Decides on every request of a page: its own document is at hand, scripts and data are asked for, the rest is
    refused.
    """

    def __init__(self, page: Page, visit: Visit) -> None:
        self._page, self._visit = page, visit
        self._opened = False
        self._parts = 0

    async def handle(self, route: Route) -> None:
        """Answer a request; whatever goes wrong on the way refuses it."""
        from playwright.async_api import Error

        try:
            await self._answer(route)
        except Error as error:
            # The page is closed, or gone.
            logger.debug("%s: %s", route.request.url, error)

    async def _answer(self, route: Route) -> None:
        request = route.request
        if request.resource_type == "document":
            await self._document(route)
        elif request.resource_type == "stylesheet":
            # Scripts that wait for a style sheet give up where it fails.
            await route.fulfill(status=200, content_type="text/css", body="")
        elif request.resource_type in {"script", "xhr", "fetch"} and request.method == "GET":
            await self._part(route)
        else:
            await route.abort("blockedbyclient")

    async def _document(self, route: Route) -> None:
        """Give the page its own HTML, once; frames, and pages that scripts lead to, stay empty."""
        if self._opened or route.request.frame != self._page.main_frame:
            await route.abort("blockedbyclient")
            return
        self._opened = True
        body = self._visit.html.encode("utf-8", "replace")
        await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=body)

    async def _part(self, route: Route) -> None:
        self._parts += 1
        request = route.request
        asked = Asked(request.url, await request.all_headers(), request.resource_type == "script")
        part = await self._visit.answer(asked) if self._parts <= MAX_PARTS else None
        if part is None:
            await route.abort("blockedbyclient")
        else:
            await route.fulfill(status=part.status, headers=part.headers, body=part.body)
