"""Lists of archives, as Common Crawl publishes them: one path a line, relative to an address."""

from __future__ import annotations

import gzip
import re
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

LIST_FORM = "A list has one archive a line, as text or packed by gzip."
COMMON_CRAWL = "https://data.commoncrawl.org/"
"""Base of the relative addresses in Common Crawl's path lists."""
COMMON_CRAWL_PATH = re.compile(r"(?:crawl-data|cc-index)/\S+")
PATH_LIST = re.compile(r"\.paths(?:\.gz)?$")
ARCHIVE = re.compile(r"\.(?:w?arc(?:\.(?:gz|zst|lz4))?|wacz)$", re.IGNORECASE)
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")
_DIGITS_OF_NAME = 8
"""Hexadecimal digits of an address's digest in the name of its part."""


def part_name(archive: str) -> str:
    """Return the name of an archive's part: the archive's own name, and digits that are its address's alone.

    >>> part_name("https://data.example/2025/01/news.warc.gz")
    'news-88227c53'
    """
    name = re.split(r"[/\\]", archive.rstrip("/"))[-1]
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", ARCHIVE.sub("", name)).strip("-")[:80] or "archive"
    return f"{plain}-{sha256(archive.encode()).hexdigest()[:_DIGITS_OF_NAME]}"


def list_in(path: Path) -> Sequence[str]:
    """Return the archives of a path list. Raises ConfigError if it cannot be read."""
    try:
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        return listed(text.decode().splitlines())
    except (OSError, EOFError, ValueError) as error:
        raise ConfigError(f"the path list cannot be read: {error}", where=str(path), do=LIST_FORM) from error


def listed(lines: Iterable[str]) -> Sequence[str]:
    """Return the archives of the lines of a list. Those of Common Crawl are relative to its host."""
    names = (line.strip() for line in lines)
    return [located(name) for name in names if name]


def located(name: str, base: str = "", beside: str = "") -> str:
    """Return the address of an archive that a list or an index names.

    A relative name is at ``base``, if that is given. Otherwise one of Common Crawl is at its host, and any other is
    ``beside`` the list.

    >>> located("crawl-data/CC-NEWS/2025/01/a.warc.gz")
    'https://data.commoncrawl.org/crawl-data/CC-NEWS/2025/01/a.warc.gz'
    >>> located("a.warc.gz", "https://mirror.example/news/"), located("a.warc.gz", beside="lists")
    ('https://mirror.example/news/a.warc.gz', 'lists/a.warc.gz')
    """
    if ADDRESS.match(name):
        return name
    place = base or (COMMON_CRAWL if COMMON_CRAWL_PATH.match(name) else beside)
    if ADDRESS.match(place):
        return urljoin(f"{place.rstrip('/')}/", name.lstrip("/"))
    return f"{place.rstrip('/')}/{name}" if place else name
