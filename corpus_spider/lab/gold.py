"""Gold folder: real pages with their true texts.

- ``manifest.jsonl`` has one JSON object for each page: ``id`` and ``lang``, and if known ``url``, ``title``, ``site``
  and ``encoding``. Pages with ``has_gold`` false have no true text and are skipped. Other fields are ignored.
- ``pages/ID.html`` are the bytes as served.
- ``gold/ID.txt`` is the true text in UTF-8.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pipelines.urls.url import registered_domain
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MANIFEST = "manifest.jsonl"
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class GoldPage:
    """One page. Its files are read on demand."""

    id: str
    language: str
    page_path: Path
    truth_path: Path
    url: str | None = None
    title: str | None = None
    site: str | None = None
    encoding: str | None = None
    """The true encoding, also if the page declares another."""

    @property
    def group(self) -> str | None:
        """The site of the page, else the host of its URL; None if both are unknown."""
        return self.site or _host(self.url) or None

    @property
    def cluster(self) -> str:
        """The registered domain of the site, or the name of the site; the page's id if both are unknown."""
        return registered_domain(self.group or "") or self.group or self.id

    def html(self) -> bytes:
        """Return the page as served."""
        return self.page_path.read_bytes()

    def truth(self) -> str:
        """Return the true text. Bytes that are not UTF-8 become U+FFFD."""
        return self.truth_path.read_text(encoding="utf-8-sig", errors="replace")


def load_gold(folder: Path) -> list[GoldPage]:
    """Read the manifest of a gold folder. Return the pages with a true text, in its order.

    Raises ConfigError if the folder, its manifest, a line of it or a file is missing or invalid.
    """
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise ConfigError(
            f"not a gold folder: it has no {MANIFEST}", where=str(folder), do="Name a folder with pages/ and gold/."
        )
    pages = [
        _page(folder, _entry(line, f"{manifest}, line {number}"))
        for number, line in enumerate(_lines(manifest), start=1)
        if line.strip()
    ]
    kept = [page for page in pages if page is not None]
    if not kept:
        raise ConfigError("has no page with a true text", where=str(manifest), do="Add pages, or name another folder.")
    seen: set[str] = set()
    for page in kept:
        if page.id in seen:
            raise ConfigError(f"has the id {page.id} twice", where=str(manifest), do="Give every page its own id.")
        seen.add(page.id)
    return kept


def doubts(pages: Sequence[GoldPage]) -> list[str]:
    """Return warnings about odd true texts, with the number of pages. These pages are scored anyway."""
    empty, wrong = 0, 0
    for page in pages:
        truth = page.truth()
        empty += not truth.strip()
        wrong += "\ufffd" in truth
    counts = {"an empty true text: the correct result is no text": empty, "a true text that is not valid UTF-8": wrong}
    return [f"{count} of {len(pages)} pages have {what}" for what, count in counts.items() if count]


def digest(pages: Sequence[GoldPage]) -> str:
    """Return the SHA-256 of ids, languages, pages and true texts, independent of their order."""
    parts = sorted(
        "\t".join(
            [page.id, page.language, *(sha256(part).hexdigest() for part in (page.html(), page.truth().encode()))]
        )
        for page in pages
    )
    return sha256("\n".join(parts).encode()).hexdigest()


def _host(url: str | None) -> str:
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""


def _lines(manifest: Path) -> list[str]:
    try:
        return manifest.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}", where=str(manifest), do="Check its permissions."
        ) from error


def _entry(line: str, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"is not JSON: {error}", where=where, do="Write one JSON object per line.") from error
    fields = entry if isinstance(entry, dict) else {}
    for key in ("id", "lang"):
        if not isinstance(fields.get(key), str):
            raise ConfigError(f'has no "{key}"', where=where, do='Give every page an "id" and a "lang".')
    if not _ID.fullmatch(fields["id"]):
        raise ConfigError(
            f"the id {fields['id']!r} cannot be a file name", where=where, do="Use letters, digits, - and _."
        )
    return fields


def _page(folder: Path, entry: dict[str, Any]) -> GoldPage | None:
    if entry.get("has_gold") is False:
        return None
    paths = (folder / "pages" / f"{entry['id']}.html", folder / "gold" / f"{entry['id']}.txt")
    for path in paths:
        if not path.is_file():
            raise ConfigError("is missing", where=str(path), do=f"Add it, or delete its line in {MANIFEST}.")
        if not os.access(path, os.R_OK):
            raise ConfigError("cannot be read", where=str(path), do="Check its permissions.")
    known = {key: value if isinstance(value, str) else None for key, value in entry.items()}
    return GoldPage(
        entry["id"],
        entry["lang"],
        *paths,
        url=known.get("url"),
        title=known.get("title"),
        site=known.get("site"),
        encoding=known.get("encoding"),
    )
