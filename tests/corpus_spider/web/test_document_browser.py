"""The page of a document in a real browser: nothing of an original runs or is fetched, and its parts can be used."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from corpus_spider.config.loader import load
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.web import serving
from corpus_spider.web.original import POLICY
from storage.corpus import Corpus
from tests.corpus_spider.web.page_corpus import build
from tests.corpus_spider.web.test_document_page import HOSTILE, SWALLOWING, paths
from tests.extras import BROWSER, needs, needs_browser

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [needs("web", "render"), needs_browser]
STEPS = ("", "metadata", "versions", "duplicates", "why", "record", "extractors?extractor=bte")
ALL_FRAMES_MS = 120_000
"""Milliseconds for a page with a frame for each kind of hostile markup, on a busy machine."""


@dataclass
class Seen:
    """What a browser did: requests by host, requests that reached the canary, dialogs, and errors of scripts."""

    hosts: set[str] = field(default_factory=set)
    canary: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass
class Bench:
    """A browser, the address of the application, the ids of its documents, and what was seen."""

    browser: Any
    address: str
    ids: dict[str, str]
    seen: Seen

    @contextmanager
    def page(self, **options: Any) -> Iterator[Any]:
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        page = context.new_page()
        page.on("request", lambda request: self.seen.hosts.add(request.url.split("/")[2]))
        page.on("dialog", lambda dialog: (self.seen.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: self.seen.errors.append(str(error)))
        yield page
        context.close()

    def url(self, path: str, step: str = "") -> str:
        return f"{self.address}/documents/{self.ids[path]}{'/' if step else ''}{step}"


@contextmanager
def _canary(seen: Seen) -> Iterator[int]:
    """A server in the place of every other host, which must get no request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.canary.append(self.path)
            self.send_response(204)
            self.end_headers()

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def _running(app: Any) -> Iterator[str]:
    """Serve an application on loopback, and return its address."""
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until = time.monotonic() + 30
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    from playwright.sync_api import sync_playwright

    from corpus_spider.web.application import application
    from corpus_spider.web.state import ServedCorpus

    folder, seen = tmp_path_factory.mktemp("browser"), Seen()
    ids = build(folder, paths())
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus, _canary(seen) as port:
        with only_writer(folder / "index"):
            refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
        shared = ServedCorpus(load(folder / "corpus.toml"), corpus)
        rules = f"--host-resolver-rules=MAP canary.example 127.0.0.1:{port}"
        with _running(application(shared, serving.LOOPBACK_NAMES)) as address, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=str(BROWSER), args=["--no-sandbox", rules])
            yield Bench(browser, address, ids, seen)
            browser.close()
        shared.close()


def test_no_hostile_original_runs_or_fetches_anything(bench: Bench) -> None:
    """Hostile pages are opened with their frames: no script, no dialog, and no request to another host."""
    hostile = [path for path in bench.ids if path.split("-")[1] in SWALLOWING | {"all"}]
    assert len(hostile) > len(SWALLOWING)
    with bench.page() as page:
        for path in hostile:
            page.goto(bench.url(path))
            frame = page.frame(name="original")
            frame.wait_for_selector("#l4")
            assert frame.evaluate("document.scripts.length + document.images.length + document.forms.length") == 0
    assert (bench.seen.canary, bench.seen.dialogs, bench.seen.errors) == ([], [], [])
    assert bench.seen.hosts == {bench.address.partition("//")[2]}


def test_the_policy_alone_holds_back_what_the_list_might_let_pass(bench: Bench) -> None:
    """The same markup as it is does nothing under the policy of the frame, and does without it."""
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    def raw(request: Any) -> HTMLResponse:
        policy = {"Content-Security-Policy": POLICY} if request.path_params["kind"] == "held" else {}
        return HTMLResponse(f"<body>{HOSTILE[request.path_params['name']]}", headers=policy)

    def outer(request: Any) -> HTMLResponse:
        kind = request.path_params["kind"]
        return HTMLResponse("".join(f"<iframe src='/{kind}/{name}'></iframe>" for name in HOSTILE))

    with _running(Starlette(routes=[Route("/{kind}/{name}", raw), Route("/{kind}", outer)])) as address:
        with bench.page() as page:
            page.goto(f"{address}/held", wait_until="networkidle", timeout=ALL_FRAMES_MS)
            assert page.url == f"{address}/held"
            assert len(page.frames) > len(HOSTILE)
        assert (bench.seen.canary, bench.seen.dialogs) == ([], [])
        free = bench.browser.new_page()
        free.goto(f"{address}/free", wait_until="networkidle", timeout=ALL_FRAMES_MS)
        free.close()
        assert bench.seen.canary
        bench.seen.canary.clear()


def test_the_number_of_a_line_leads_to_its_place_in_the_frame(bench: Bench) -> None:
    """By mouse or keyboard, without JavaScript, and without loading the frame again."""
    loads = []
    with bench.page(java_script_enabled=False) as page:
        page.on("request", lambda request: loads.append(request.url) if "/original" in request.url else None)
        page.goto(bench.url("khutta-4712.html"))
        page.locator("a.place").nth(2).focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/documents/*")
        target = page.frame_locator("iframe").locator("mark:target")
        target.wait_for()
        assert target.get_attribute("id") == "l3"
        assert len(loads) == 1


@pytest.mark.parametrize("step", STEPS)
def test_each_view_fits_a_phone_in_light_and_dark(bench: Bench, step: str) -> None:
    """Nothing but wide tables, which scroll by themselves, is wider than the window."""
    for scheme in ("light", "dark"):
        with bench.page(viewport={"width": 360, "height": 740}, color_scheme=scheme) as page:
            page.goto(bench.url("gia-xang-4711.html", step))
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            ink, paper = page.evaluate(
                "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
            )
            assert ink != paper
            assert page.locator("h1").count() == 1


def test_the_direction_of_a_text_is_that_of_its_script(bench: Bench) -> None:
    """An Arabic text, its title and its original run from right to left; the page around them does not."""
    with bench.page() as page:
        page.goto(bench.url("khutta-4712.html"))
        direction = "element => getComputedStyle(element).direction"
        assert page.locator("article").evaluate(direction) == "rtl"
        assert page.locator("h1").evaluate(direction) == "rtl"
        assert page.locator("nav.tabs").evaluate(direction) == "ltr"
        frame = page.frame(name="original")
        frame.wait_for_selector("#l1")
        assert frame.locator("#l1").evaluate(direction) == "rtl"
        line, number = (page.locator(each).first.bounding_box() for each in ("article p", "article .place"))
        # The number is at the right of its line, with room between the two.
        assert number["x"] + number["width"] == pytest.approx(line["x"] + line["width"], abs=1)
