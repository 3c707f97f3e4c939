"""Take the pictures of the documentation: ``python tools/screenshots.py [FOLDER]``, by default docs/pictures.

Crawls the newspapers of `corpus-spider demo` in three crawls, serves their corpus, and opens each view in a browser,
in Arabic, Vietnamese and Thai. Draws the figures and clouds of the documentation. Needs chromium, the extras `web`,
`figures`, `segment` and `render`, and fonts of the three scripts, such as those of the package `fonts-noto-core`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from playwright.sync_api import sync_playwright

from corpus_spider.demo.run import demo_config
from corpus_spider.demo.server import serve
from corpus_spider.demo.site import build_site
from corpus_spider.rendering.chromium import find_browser
from storage.corpus import Corpus
from storage.documents.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterator

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
LIMITS = (25, 30, 0)
"""Page limits of the three crawls, 0 for none: the view of crawls has more than one bar."""
WORDS = {"vi": "nước", "ar": "البحر", "th": "ตลาด"}
"""A word of the articles in each language."""
VIEWS = {
    "overview": "/",
    "documents": "/documents?language={language}",
    "search": "/search?q={word}",
    "words": "/words?language={language}",
    "collocates": "/words?list=collocates&q={word}&language={language}&min_frequency=1",
    "crawls": "/crawls",
    "crawl": "/crawls/2",
    "sites": "/sites",
    "dropped": "/dropped",
    "document": "/documents/{document}",
    "metadata": "/documents/{document}/metadata",
    "why": "/documents/{document}/why?extractor=r2l",
    "duplicates": "/documents/{document}/duplicates",
    "record": "/documents/{document}/record",
}
COMMON = ("overview", "crawls", "crawl", "sites", "dropped")
"""Views that show the same in each language: one picture."""
ARABIC = ("metadata", "duplicates", "record")
"""Views that differ little between languages: one picture, in Arabic."""
COLOURS = 64
"""Colours of a picture. More make it larger, and look the same."""


def main() -> None:
    """Run from the command line."""
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as aside:
        folder = Path(aside)
        crawl(folder)
        documents = articles(folder)
        figures(folder, pictures, documents)
        with serving(folder) as address:
            views(address, pictures, documents)


def run(folder: Path, *words: str) -> None:
    """Run a command of the program in the folder."""
    subprocess.run([sys.executable, "-m", "corpus_spider", *words], cwd=folder, check=True)


def crawl(folder: Path) -> None:
    """Fill the folder with the corpus of the demo, and its index."""
    with serve(build_site()) as server:
        (folder / "corpus.toml").write_text(demo_config(server.port), encoding="utf-8")
        for limit in LIMITS:
            words = ("crawl", "--quiet", *(("--page-limit", str(limit)) if limit else ()))
            subprocess.run([sys.executable, "-m", "corpus_spider", *words], cwd=folder, check=not limit)
    run(folder, "index", "--quiet")


def articles(folder: Path) -> dict[str, str]:
    """The longest article of each language that has a duplicate, by its id."""
    found: dict[str, tuple[bool, int, str]] = {}
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        every = list(corpus.documents(Selection(include_duplicates=True)))
    repeated = {one.duplicate_of for one in every}
    for one in every:
        if one.language in WORDS:
            key = (one.url in repeated or one.id in repeated, len(one.text), one.id)
            found[one.language] = max(found.get(one.language, key), key)
    return {language: key[2] for language, key in found.items()}


def figures(folder: Path, pictures: Path, documents: dict[str, str]) -> None:
    """Draw the figures of extractors and the clouds."""
    run(folder, "plot", documents["ar"], "--extractor", "r2l", "-o", str(pictures / "r2l-ar.svg"))
    for extractor in ("bte", "blocks"):
        name = f"{extractor}-th.svg"
        run(folder, "plot", documents["th"], "--extractor", extractor, "-o", str(pictures / name))
    for language in WORDS:
        run(folder, "cloud", "--language", language, "-o", str(pictures / f"cloud-{language}.svg"))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run `corpus-spider serve` on a free port, and return its address."""
    command = [sys.executable, "-m", "corpus_spider", "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True) as server:
        stop = threading.Timer(60, server.kill)
        stop.start()
        try:
            assert server.stdout is not None
            lines = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stdout)
            found = next((match.group() for match in lines if match), "")
            stop.cancel()
            yield found
        finally:
            server.kill()


def views(address: str, pictures: Path, documents: dict[str, str]) -> None:
    """Take a picture of each view in each language, and of one on a phone and in the dark."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_browser("", os.environ)), args=["--no-sandbox"])
        desk = browser.new_context(viewport={"width": 1200, "height": 800}, color_scheme="light")
        phone = browser.new_context(viewport={"width": 390, "height": 780}, color_scheme="dark")
        for language, word in WORDS.items():
            for name, view in VIEWS.items():
                if language != {**dict.fromkeys(COMMON, "vi"), **dict.fromkeys(ARABIC, "ar")}.get(name, language):
                    continue
                url = address + view.format(language=language, word=word, document=documents[language])
                take(desk, url, pictures / (f"{name}.png" if name in COMMON else f"{name}-{language}.png"))
            take(phone, f"{address}/search?q={word}", pictures / f"phone-{language}.png")
        browser.close()


def take(context: Any, url: str, file: Path) -> None:
    """Write the picture of the page at that address, as high as two screens at most."""
    page = context.new_page()
    page.goto(url, wait_until="networkidle")
    high = min(page.evaluate("document.documentElement.scrollHeight"), 2 * page.viewport_size["height"])
    data = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": page.viewport_size["width"], "height": high})
    Image.open(BytesIO(data)).convert("RGB").quantize(COLOURS).save(file, optimize=True)
    page.close()


if __name__ == "__main__":
    main()
