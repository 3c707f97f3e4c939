"""Differences between our handler and stock scrapy-playwright, and the behaviour that our handler relies on."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.corpus_spider.running import PATIENCE, ROOT, environment
from tests.extras import BROWSER, needs, needs_browser

needs_driver = needs("render")
OVERRIDDEN = {
    "_make_request_handler": (
        "self context_name method url headers body encoding spider initial_request_done",
        "self context_name _",
    ),
    "_create_browser_context": ("self name context_kwargs spider", "self name context_kwargs spider"),
    "_download_request_with_page": ("self request page spider", "self request page spider"),
}
CALLED = {
    "_launch": "self",
    "_maybe_launch_browser": "self",
    "_get_response_and_download": "self request page spider",
    "download_request": "self request",
    "close": "self",
}


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What each scene of :mod:`tests.corpus_spider.rendering_faults` saw."""
    command = [sys.executable, "-m", "tests.corpus_spider.rendering_faults", str(BROWSER)]
    ended = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=4 * PATIENCE, check=False
    )
    assert ended.returncode == 0, ended.stderr
    result: dict[str, Any] = json.loads(ended.stdout)
    return result | {"said": ended.stderr}


@needs_driver
@needs_browser
def test_a_page_whose_routes_fail_is_refused(seen: dict[str, Any]) -> None:
    """Whether they cannot be made, cannot be set, are not set or raise: nothing is shown or fetched. The next is."""
    routes = seen["routes_fail"]
    assert routes["ended"] == ["out of order", "out of order", "render_crash", "render_crash"]
    # Not for want of a network, which the browser has not either.
    assert all("ERR_BLOCKED_BY_CLIENT" in cause for cause in routes["causes"])
    assert routes["asked"] == []
    assert routes["next"] == "filled"


@needs_driver
@needs_browser
def test_what_cannot_be_answered_is_refused(seen: dict[str, Any]) -> None:
    """An answer that raises is a refusal for the script that asked, which goes on."""
    assert '<div id="app">got refused</div>' in seen["answer_fails"]


@needs_driver
@needs_browser
def test_what_a_page_asks_for_takes_bounded_memory(seen: dict[str, Any]) -> None:
    """Two hundred answers of 30 MiB, which are little when they are packed, had the crawl take 4 GiB."""
    large = seen["answers_are_large"]
    assert '<div id="app">given 4</div>' in large["given"]
    assert large["next"] == "filled"


@needs_driver
@needs_browser
def test_what_listeners_raise_ends_with_their_page(seen: dict[str, Any]) -> None:
    """Pages come whose listeners all raise, and so do those beside them; nothing is said of it."""
    assert seen["listener_fails"] == ["filled", "filled"]
    assert "Error occurred in event listener" not in seen["said"]


@needs_driver
@needs_browser
def test_a_page_that_loops_ends_at_its_limit_and_holds_no_other(seen: dict[str, Any]) -> None:
    """One beside it comes while it loops, one that waits for its place after it; the browser's end is its own."""
    loops = seen["page_loops"]
    assert (loops["beside"], loops["looped"], loops["killed"]) == ("filled", True, "render_crash")
    assert loops["later"] == ["render_timeout", "filled"]


@needs_driver
@needs_browser
def test_a_page_that_ends_a_browser_is_not_shown_again(seen: dict[str, Any]) -> None:
    """For one that takes too much memory a tab is made once; the next page gets a new browser."""
    assert seen["browser_is_killed"] == {"ended": "render_crash", "made": 1, "next": "filled", "started": 1}


@needs_driver
@needs_browser
def test_contexts_end_with_their_page(seen: dict[str, Any]) -> None:
    """Browser and handler have no context left after a page, shown or refused for its size."""
    contexts = seen["contexts_left"]
    assert contexts["ended"] == ["filled", "render_too_large", "filled"]
    assert contexts["left"] == [[0, 0, 0], [0, 0, 0]]


@needs_driver
@needs_browser
def test_a_context_that_does_not_come_in_time_ends_the_browser(seen: dict[str, Any]) -> None:
    """It might still start, and would never be closed; the next page gets a new browser."""
    assert seen["context_never_comes"] == {"ended": "render_timeout", "alive": False, "next": "filled"}


@needs_driver
def test_what_we_override_and_call_is_still_there() -> None:
    """An upgrade that renames one of these, or a parameter, fails here, before it lets the browser ask."""
    from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler

    from corpus_spider.rendering.handler import RenderHandler, _config
    from corpus_spider.rendering.visits import BrowserLimits

    methods = {name for name, _ in inspect.getmembers(RenderHandler, inspect.isfunction)} & set(vars(RenderHandler))
    assert methods & set(dir(ScrapyPlaywrightDownloadHandler)) == {*OVERRIDDEN, "__init__"}
    for name, (theirs, ours) in OVERRIDDEN.items():
        assert parameters(ScrapyPlaywrightDownloadHandler, name) == theirs
        assert parameters(RenderHandler, name) == ours
    assert {name: parameters(ScrapyPlaywrightDownloadHandler, name) for name in CALLED} == CALLED
    config = _config(BrowserLimits(BROWSER or ROOT, "agent"), "mark")
    assert isinstance(config, Config)
    assert (config.target_closed_max_retries, config.restart_disconnected_browser) == (0, False)
    assert "twisted.internet.reactor" not in sys.modules


def parameters(owner: type, name: str) -> str:
    """Return the names of a method's parameters."""
    return " ".join(inspect.signature(getattr(owner, name)).parameters)
