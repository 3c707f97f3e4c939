"""Adapter of scrapy-playwright and Playwright: takes HTML and responses for its scripts, returns the DOM.

scrapy-playwright's download handler starts driver and browser, creates a context and a page for each request, sets the
routes, opens the page and closes everything. This subclass replaces three methods. ``_make_request_handler`` would let
the browser make requests itself. ``_download_request_with_page`` would serialise the whole DOM.
``_create_browser_context`` here refuses every request from the start, so a page without our routes gets nothing. Each
context belongs to one page and is closed after it. Known failures of rendering crawlers are memory that grows with the
contexts (scrapy-playwright #126, #171, #240) and calls that never return (#133, #174, #330). So every wait has a limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import secrets
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider

from corpus_spider.rendering.chromium import launch_options, memory, processes
from corpus_spider.rendering.visits import BrowserLimits, PageRequest, RenderError, RenderVisit, StartError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from playwright.async_api import BrowserContext, CDPSession, Page, Route
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy_playwright.handler import BrowserContextWrapper

logger = logging.getLogger(__name__)
# It logs every start and end.
logging.getLogger("scrapy-playwright").setLevel(logging.WARNING)

CLOSE_SECONDS = 5.0
"""Seconds. Maximum wait for a page, context or browser to close."""
WATCH_SECONDS = 0.5
"""Seconds between memory checks."""
SETTLE_SECONDS = 10.0
"""Seconds. Maximum wait for the scripts of a page. Some never end."""
BUILT_MS = 20
"""Milliseconds of the page's own clock after which its DOM is read first, since its scripts may leave it."""
LATE_MS = 5_000
"""Milliseconds of the page's own clock that its scripts get. That clock stands while a request is open and runs ahead
otherwise, so text that comes after three seconds costs no waiting.
"""
SCROLLED_MS = 1_000
"""The same after the page has been scrolled to its end."""
VIEWPORT = {"width": 1280, "height": 10_000}
"""Pixels. It is so tall that text which is loaded when it comes into view is loaded at once."""
MAX_LOST_SHARE = 0.5
"""Share of the text. A page that keeps less of what it has shown has hidden it behind a notice, or has left."""
MAX_PARTS = 200
"""Maximum number of requests of one page that are answered."""
MAX_BYTES = 32 * 2**20
"""Maximum bytes of all these responses. The driver encodes each as text, in the event loop."""
# Runs in an isolated world, which scripts of the page cannot manipulate. Returns the characters that the page shows and
# its DOM, or null if that is too long. The content of open shadow roots is put where it is shown.
SNAPSHOT = """(() => {
  const root = document.documentElement, roots = [];
  const find = (node) => {
    for (const each of node.querySelectorAll("*")) if (each.shadowRoot) { roots.push(each); find(each.shadowRoot); }
  };
  find(document);
  const shown = (document.body ? document.body.innerText.length : 0)
    + roots.reduce((sum, each) => sum + each.shadowRoot.textContent.length, 0);
  const flat = (node) => {
    if (node.localName === "slot") {
      const given = node.assignedNodes({flatten: true});
      return (given.length ? given : [...node.childNodes]).flatMap((each) => flat(each));
    }
    const copy = node.cloneNode(false);
    for (const each of (node.shadowRoot || node).childNodes) for (const part of flat(each)) copy.appendChild(part);
    return [copy];
  };
  let html = "";
  try { html = root ? (roots.length ? flat(root)[0] : root).outerHTML : ""; } catch { html = root.outerHTML; }
  return [shown, html.length > LIMIT ? null : "<!DOCTYPE html>\\n" + html];
})()"""
SCROLL = "window.scrollTo(0, document.documentElement.scrollHeight); window.dispatchEvent(new Event('scroll'));"


class RenderHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """One browser, from start to end. It renders pages that were already fetched."""

    def __init__(self, crawler: Crawler, limits: BrowserLimits) -> None:
        super().__init__(crawler)
        self._limits = limits
        self._mark = f"--corpus-spider-browser={secrets.token_hex(8)}"
        # Ignore Scrapy's settings: use this browser, start it once, and open no page twice.
        self.config = _config(limits, self._mark)
        self.browser_provider_cls = PlaywrightBrowserProvider
        self._names = map(str, itertools.count())
        self._shown: dict[str, _OpenPage] = {}
        self._watch: asyncio.Task[None] | None = None
        self._killed = False

    @property
    def alive(self) -> bool:
        """Whether the browser, after its start, can render a page."""
        return not self._killed and self.browser.is_connected()

    async def start(self) -> None:
        """Start the driver and the browser. Raises StartError."""
        try:
            await self._launch()
            await self._maybe_launch_browser()
            self.browser.on("disconnected", self._give_up)
        except Error as error:
            await self.end()
            raise StartError(str(error).partition("\n")[0]) from error
        self._watch = asyncio.ensure_future(self._watch_memory())

    async def end(self) -> None:
        """Close the browser and its driver. Kill the browser if it does not close in time."""
        if self._watch is not None:
            self._watch.cancel()
        if not await _bounded(self.close()):
            self.kill()
            await _bounded(self.browser_provider.close())

    def kill(self) -> None:
        """Kill the browser at once. Its open pages fail."""
        self._killed = True
        self._give_up()
        for pid in processes(self._mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def render(self, visit: RenderVisit) -> bytes:
        """Return the DOM of a page as HTML in UTF-8. On return its context is closed, or the browser is killed.

        Raises RenderError.
        """
        name = next(self._names)
        shown = self._shown[name] = _OpenPage(visit, asyncio.timeout(self._limits.timeout))
        try:
            async with shown.bound:
                response = await self.download_request(_request(name, shown, self._limits))
        except TimeoutError:
            raise RenderError("render_crash" if shown.crashed else "render_timeout") from None
        except Error as error:
            logger.debug("rendering %s: %s", visit.url, error)
            raise RenderError("render_crash") from error
        finally:
            del self._shown[name]
            await self._close_context(name)
        body: bytes = response.body
        return body

    def _make_request_handler(self, context_name: str, **_: object) -> Callable[[Route], Awaitable[None]]:
        """Return the handler of all requests of a page. The browser makes none itself."""
        return _Routes(self._shown[context_name].visit).handle

    async def _create_browser_context(
        self, name: str, context_kwargs: dict[str, Any] | None, spider: Spider | None = None
    ) -> BrowserContextWrapper:
        """Create a context that refuses every request without a route, such as those of popups."""
        try:
            wrapper = await super()._create_browser_context(name, context_kwargs, spider)
        except asyncio.CancelledError:
            # The context may still be created later, and would never be closed.
            self.kill()
            raise
        await wrapper.context.route("**/*", _refuse)
        return wrapper

    async def _download_request_with_page(self, request: Request, page: Page, spider: Spider) -> HtmlResponse:
        """Open a page, let its scripts run, and return its DOM. Raises RenderError if the DOM is too large."""
        await self._get_response_and_download(request, page, spider)
        session = await page.context.new_cdp_session(page)
        seen: list[Snapshot] = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(SETTLE_SECONDS, self._limits.timeout / 3)):
                for milliseconds, before in ((BUILT_MS, ""), (LATE_MS, ""), (SCROLLED_MS, SCROLL)):
                    await _run_ahead(session, milliseconds, before)
                    seen.append(await _snapshot(session, self._limits.max_chars))
        seen.append(await _snapshot(session, self._limits.max_chars))
        html = chosen(seen)
        if html is None:
            raise RenderError("render_too_large")
        return HtmlResponse(request.url, body=html.encode("utf-8", "replace"), encoding="utf-8", request=request)

    async def _close_context(self, name: str) -> None:
        wrapper = self.context_wrappers.get(name)
        # A tab that hangs can keep its context open and would continue to use a processor.
        if wrapper is not None and not await _bounded(_close(wrapper.context)):
            self.kill()

    def _give_up(self) -> None:
        for shown in self._shown.values():
            shown.crash()

    async def _watch_memory(self) -> None:
        """Kill the browser if it uses too much memory."""
        while self.browser.is_connected():
            await asyncio.sleep(WATCH_SECONDS)
            taken = await asyncio.to_thread(lambda: memory(processes(self._mark)))
            if taken > self._limits.memory:
                logger.warning("the browser used %d MiB of memory and is restarted", taken // 2**20)
                self.kill()


def _config(limits: BrowserLimits, mark: str) -> Config:
    return Config(
        cdp_url=None,
        cdp_kwargs={},
        connect_url=None,
        connect_kwargs={},
        browser_type_name="chromium",
        launch_options=launch_options(limits.program, mark),
        max_pages_per_context=1,
        max_contexts=None,
        startup_context_kwargs={},
        # The limit of the page covers navigation.
        navigation_timeout_ms=0,
        # Downloads are refused.
        download_timeout_secs=0,
        restart_disconnected_browser=False,
        # A page that crashed a browser is not opened in the next one.
        target_closed_max_retries=0,
    )


def _request(name: str, shown: _OpenPage, limits: BrowserLimits) -> Request:
    """Return the request that makes scrapy-playwright open a page in its own context."""
    meta = {
        "playwright": True,
        "playwright_context": name,
        "playwright_context_kwargs": {
            "user_agent": limits.user_agent,
            "locale": shown.visit.language or None,
            "timezone_id": "UTC",
            "service_workers": "block",
            "accept_downloads": False,
            "viewport": VIEWPORT,
        },
        # The page is closed with its context, within CLOSE_SECONDS.
        "playwright_include_page": True,
        # A script that leaves the page while it loads would delay every later event.
        "playwright_page_goto_kwargs": {"wait_until": "commit"},
        "playwright_page_event_handlers": {
            "popup": _dismiss,
            "crash": lambda _: shown.crash(),
            # Otherwise an error in a listener of scrapy-playwright is raised by the next call for another page.
            "error": lambda error: logger.debug("%s: %s", shown.visit.url, error),
        },
    }
    return Request(shown.visit.url, meta=meta)


@dataclass(slots=True)
class _OpenPage:
    """An open page, its time limit, and whether its tab or browser has crashed."""

    visit: RenderVisit
    bound: asyncio.Timeout
    crashed: bool = False

    def crash(self) -> None:
        """End the wait for the page at once. Playwright would wait until the limit."""
        # After the page has ended, its limit cannot be changed.
        with contextlib.suppress(RuntimeError):
            self.bound.reschedule(0)
            self.crashed = True


Snapshot = tuple[int, str | None]
"""Characters that a page shows, and its DOM as HTML; None if that is too long."""


def chosen(seen: Sequence[Snapshot]) -> str | None:
    """Return the last of some snapshots, in their order; an earlier one if the last has lost much of its text.

    >>> chosen([(0, "a"), (900, "b"), (20, "wall")]), chosen([(900, "a"), (800, "b")]), chosen([(9, None)])
    ('b', 'b', None)
    """
    fullest = max(seen, key=lambda snapshot: snapshot[0])
    last = seen[-1]
    return (last if last[0] >= MAX_LOST_SHARE * fullest[0] else fullest)[1]


async def _snapshot(session: CDPSession, max_chars: int) -> Snapshot:
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    evaluated = await _evaluate(session, frame, SNAPSHOT.replace("LIMIT", str(max_chars)))
    shown, html = evaluated["result"].get("value") or (0, "")
    return int(shown), html


async def _evaluate(session: CDPSession, frame: str, expression: str) -> Any:
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "snapshot"})
    return await session.send(
        "Runtime.evaluate",
        {"expression": expression, "contextId": world["executionContextId"], "returnByValue": True},
    )


async def _run_ahead(session: CDPSession, milliseconds: int, before: str = "") -> None:
    """Let the clock of a page run ahead by so many milliseconds, after a script of ours.

    It stands while requests are open (Chrome DevTools Protocol, Emulation.setVirtualTimePolicy).
    """
    over = asyncio.Event()
    session.once("Emulation.virtualTimeBudgetExpired", lambda _: over.set())
    if before:
        frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        await _evaluate(session, frame, before)
    policy = {"policy": "pauseIfNetworkFetchesPending", "budget": milliseconds}
    await session.send("Emulation.setVirtualTimePolicy", policy)
    await over.wait()


async def _close(context: BrowserContext) -> None:
    for page in context.pages:
        await page.unroute_all(behavior="ignoreErrors")
    await context.unroute_all(behavior="ignoreErrors")
    await context.close()


async def _dismiss(popup: Page) -> None:
    await _bounded(popup.close())


async def _bounded(work: Awaitable[object]) -> bool:
    """Wait for something that may fail or hang. Return whether it succeeded within CLOSE_SECONDS."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await work
    except Exception:  # noqa: BLE001 - any error means that it is not closed
        return False
    return True


async def _refuse(route: Route) -> None:
    # The page may be closed or crashed.
    with contextlib.suppress(Error):
        await route.abort("blockedbyclient")


class _Routes:
    """Handles every request of a page: its document is at hand, scripts and data are fetched, the rest is refused."""

    def __init__(self, visit: RenderVisit) -> None:
        self._visit = visit
        self._opened = False
        self._parts = self._bytes = 0

    async def handle(self, route: Route) -> None:
        """Answer a request. Refuse it on any error."""
        try:
            await self._answer(route)
        except Exception as error:  # noqa: BLE001 - the edge of a stage: fail closed
            logger.debug("%s: %s", route.request.url, error)
            await _refuse(route)

    async def _answer(self, route: Route) -> None:
        request = route.request
        if request.resource_type == "document":
            await self._document(route)
        elif request.resource_type == "stylesheet":
            # An empty style sheet: some scripts wait for it and stop if it fails.
            await route.fulfill(status=200, content_type="text/css", body="")
        elif request.resource_type in {"script", "xhr", "fetch"} and request.method == "GET":
            await self._part(route)
        else:
            await _refuse(route)

    async def _document(self, route: Route) -> None:
        """Answer with the HTML of the page, once. Frames stay empty.

        A later navigation gets no content (204), for which a browser stays on the page that it has.
        """
        if route.request.frame.parent_frame is not None:
            await _refuse(route)
            return
        if self._opened:
            await route.fulfill(status=204)
            return
        self._opened = True
        body = self._visit.html.encode("utf-8", "replace")
        await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=body)

    async def _part(self, route: Route) -> None:
        self._parts += 1
        request = route.request
        asked = PageRequest(request.url, await request.all_headers(), request.resource_type == "script")
        part = await self._visit.answer(asked) if self._parts <= MAX_PARTS and self._bytes <= MAX_BYTES else None
        self._bytes += len(part.body) if part else 0
        if part is None or self._bytes > MAX_BYTES:
            await _refuse(route)
        else:
            await route.fulfill(status=part.status, headers=part.headers, body=part.body)
