"""Lines of an index of WARC files: CDXJ, JSON lines of a CDX server, and CDX with or without a header."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

COLUMNS = {11: "N b a m s k r M S V g", 10: "N b a m s k r M V g", 9: "N b a m s k r V g"}
"""Fields of CDX lines without a header, by their number. IIPC's CDX specification names them by letters."""
_NAMES = {"b": "timestamp", "a": "url", "m": "mime", "s": "status", "S": "length", "V": "offset", "g": "filename"}
_TYPES = {"warc/revisit": "revisit"}
_HEADERS = (b" CDX", b"CDX ", b"!")
"""Beginnings of the lines that name the fields, and of lines about the index."""


@dataclass(frozen=True, slots=True)
class CdxEntry:
    """A record that an index names. ``length`` is 0 if the index does not state it."""

    url: str
    timestamp: str
    mime: str
    status: str
    file: str
    offset: int
    length: int

    @property
    def day(self) -> str:
        """Day of the capture as an ISO date."""
        return f"{self.timestamp[:4]}-{self.timestamp[4:6]}-{self.timestamp[6:8]}"

    @property
    def kind(self) -> str:
        """Reason why the record is no page as the index states it; empty: it may be one."""
        if self.mime in _TYPES:
            return _TYPES[self.mime]
        if self.status not in {"", "-", "200"}:
            return f"http_{self.status}"
        return "" if self.mime in {"", "-", "unk", "text/html", "application/xhtml+xml"} else "not_html"


class CdxLines:
    """Reader of the lines of one index. A line with the names of the fields holds for the lines behind it."""

    def __init__(self) -> None:
        self._letters: list[str] = []

    def read(self, line: bytes) -> CdxEntry | None:
        """Return the entry of a line; None for a blank line or a header. Raises ValueError for another line."""
        if not line.strip():
            return None
        if line.startswith(_HEADERS):
            self._letters = line.decode("latin-1").split()[1:] if b"CDX" in line[:4] else []
            return None
        text = line.decode("utf-8", "replace").strip()
        start = text.find("{")
        head = text[:start].split() if start >= 0 else []
        if start == 0 or (start > 0 and len(head) == 2):
            return _entry(_fields(text[start:], head))
        parts = text.split(" ")
        letters = self._letters or COLUMNS.get(len(parts), "").split()
        if len(letters) != len(parts):
            raise ValueError("it has not the fields of an index")
        return _entry({_NAMES[letter]: part for letter, part in zip(letters, parts, strict=True) if letter in _NAMES})


def _fields(text: str, head: list[str]) -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise ValueError(str(error)) from error
    return fields | ({"timestamp": head[1]} if head else {})


def _entry(fields: dict[str, Any]) -> CdxEntry:
    given = {name: str(fields.get(name) or "") for name in (*_NAMES.values(), "mime-detected")}
    length, offset = given["length"], given["offset"]
    if not offset.isdecimal() or not given["filename"] or not given["url"]:
        raise ValueError("it names no record")
    return CdxEntry(
        url=given["url"],
        timestamp=given["timestamp"],
        mime=(given["mime-detected"] if given["mime"] != "warc/revisit" else "") or given["mime"],
        status=given["status"],
        file=given["filename"],
        offset=int(offset),
        length=int(length) if length.isdecimal() else 0,
    )
