"""The documentation site: it builds without a warning, and no page of it asks another server for anything."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.extras import need

ROOT = Path(__file__).parents[2]
PATIENCE = 300
LOADED = {"src", "srcset", "poster", "data", "background", "action", "formaction", "ping", "manifest"}
"""Attributes whose URL a browser requests by itself, or to which it sends something."""
POINTERS = {"canonical", "license", "author", "next", "prev", "search", "index", "genindex"}
"""`rel` of link elements that are not fetched."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Each warning is an error."""
    need("docs-tools")
    folder = tmp_path_factory.mktemp("site")
    options = ("-W", "--keep-going", "-n", "-E", "-q", "-b", "html", "-d", str(folder / "doctrees"))
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


class Requests(HTMLParser):
    """Collects the URLs that a browser requests when it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Take the attributes that load something. The target of a link in the text is not loaded."""
        named = {name: value or "" for name, value in attributes}
        self.urls += [value for name, value in named.items() if name in LOADED]
        if tag == "link" and not set(named.get("rel", "").split()) & POINTERS:
            self.urls.append(named.get("href", ""))
        self.urls += in_style(named.get("style", ""))

    def handle_data(self, text: str) -> None:
        """Take what a style element imports."""
        if self.rawdata and self.cdata_elem == "style":
            self.urls += in_style(text)


def in_style(text: str) -> list[str]:
    """Return the URLs of a style sheet, without those of inline data."""
    found = re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text)
    return [url for url in found if not url.startswith("data:")]


def outside(urls: list[str]) -> list[str]:
    """Return the URLs that name a server."""
    return [url for url in urls if re.match(r"\s*(https?:|wss?:)?//", url)]


def requested(html: str) -> list[str]:
    """Return the URLs outside the site that a page requests."""
    page = Requests()
    page.feed(html)
    return outside(page.urls)


def test_each_page_of_the_folder_is_in_the_site(site: Path) -> None:
    """Each Markdown file becomes a page, and the front page leads to all of them by its menu."""
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    front = (site / "index.html").read_text(encoding="utf-8")
    assert [page for page in sorted(pages - {"index.html"}) if f'href="{page}"' not in front] == []


def test_no_page_requests_anything_from_another_server(site: Path) -> None:
    """No font, script, style sheet, picture or frame has a host in its address."""
    pages = sorted(site.rglob("*.html"))
    assert {page.name: found for page in pages if (found := requested(page.read_text(encoding="utf-8")))} == {}
    sheets = sorted(site.rglob("*.css"))
    assert {one.name: found for one in sheets if (found := outside(in_style(one.read_text(encoding="utf-8"))))} == {}


def test_no_script_requests_anything_from_another_server(site: Path) -> None:
    """The scripts name no address that they could fetch: an address may stand in a comment only."""
    for script in sorted(site.rglob("*.js")):
        code = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", script.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        calls = re.findall(r"(?:fetch|open|import|src\s*=|href\s*=)\s*\(?\s*['\"`](https?:)?//", code)
        assert calls == [], script.name


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ('<script src="https://cdn.example/a.js"></script>', ["https://cdn.example/a.js"]),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', ["//fonts.example/a.css"]),
        ('<link rel="preconnect" href="https://fonts.example">', ["https://fonts.example"]),
        ('<img srcset="https://cdn.example/2x.png 2x">', ["https://cdn.example/2x.png 2x"]),
        ("<style>@import 'https://fonts.example/b.css';</style>", ["https://fonts.example/b.css"]),
        ('<p style="background: url(https://cdn.example/p.png)">', ["https://cdn.example/p.png"]),
        ('<a href="https://example.org/">a link</a><img src="_static/a.png">', []),
        ('<link rel="canonical" href="https://docs.example/">', []),
    ],
)
def test_a_request_to_another_server_is_found(html: str, urls: list[str]) -> None:
    """What a browser loads is found; the target of a link in the text is none."""
    assert requested(html) == urls
