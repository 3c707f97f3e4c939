"""Extras and system packages that tests need. A skip names what is missing and the command that installs it."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

import pytest

from corpus_spider.rendering.chromium import find_browser

EXTRAS = {
    "axe": ("axe_playwright_python",),
    "data": ("pandas", "polars"),
    "dedup": ("duckdb",),
    "docs-tools": ("sphinx", "furo", "myst_parser"),
    "figures": ("matplotlib",),
    "lemma": ("pymorphy3", "pymorphy3_dicts_ru", "simplemma"),
    "peers": ("boilerpy3", "newspaper", "readability", "resiliparse", "turbohtml"),
    "queue": ("procrastinate",),
    "render": ("playwright", "scrapy_playwright"),
    "s3": ("boto3", "fsspec"),
    "segment": ("icu4py", "laonlp", "nlpo3", "pythainlp", "rjieba", "sudachidict_core", "sudachipy", "underthesea"),
    "web": ("icu", "jinja2", "starlette", "stopwordsiso", "tantivy", "uvicorn"),
}
"""Packages to import, by the target of the Makefile that installs them."""
ALL_ARE_HERE = os.environ.get("CORPUS_SPIDER_EXTRAS") == "all"
"""Set by `make test`, which installs them all: a missing one is an error there."""


def missing(extra: str) -> str:
    """Return why a test cannot run without an extra; "" if the extra is installed."""
    absent = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if not absent:
        return ""
    reason = f"needs the extra `{extra}` ({', '.join(absent)}): make {extra}"
    if ALL_ARE_HERE:
        raise ImportError(reason)
    return reason


def need(*extras: str) -> None:
    """Skip the test, or the whole module, if an extra is missing."""
    for extra in extras:
        if reason := missing(extra):
            pytest.skip(reason, allow_module_level=True)


def needs(*extras: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test if an extra is missing."""
    reason = next(filter(None, map(missing, extras)), "")
    return pytest.mark.skipif(bool(reason), reason=reason)


BROWSER = find_browser("", os.environ)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs Chromium: apt-get install chromium")
needs_spark = pytest.mark.skipif(
    find_spec("pyspark") is None or shutil.which("java") is None,
    reason="needs PySpark and Java 17: make spark; apt-get install openjdk-17-jre-headless",
)
