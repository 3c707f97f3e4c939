"""Convert a capture to the HTTP messages that WARC keeps, and back.

Kept as received: header names and values, byte for byte and in order; the body, still content-encoded.

Rebuilt: the reason phrase of the status line, the request line, a Host header where the request shows none.

Changed, so that readers are not misled and secrets are not stored:

- The body has its transfer coding undone. So ``Transfer-Encoding`` is renamed ``X-Archive-Orig-Transfer-Encoding``. A
  ``Content-Length`` that is not the length of the stored body is renamed too. ``parse_response`` undoes both.
- CR, LF and NUL inside a value become a space (RFC 9110, 5.5), and space around it goes. A name loses them, and colons.
- Response headers beyond 32,000 bytes in all are left out, longest first, and counted in
  ``X-Archive-Headers-Dropped``. FastWARC gives up a whole file at a longer one.
- Requests keep ``[redacted]`` in place of credentials and cookies. User-info is removed from URLs in ``Location``,
  ``Content-Location``, ``Refresh`` and ``Referer``. ``Set-Cookie`` of a response is kept as it came.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from storage.records import Capture, Headers

ORIGINAL = "X-Archive-Orig-"
"""Prefix of renamed headers. A header that came with it gets a second one, so that undoing is exact."""

MAX_HEAD = 32_000
"""Bytes. Maximum of response headers: FastWARC 2.0 reads 32 KiB."""
DROPPED = "X-Archive-Headers-Dropped"

_SECRET = frozenset({"authorization", "proxy-authorization", "cookie"})
_HOLD_URL = frozenset({"location", "content-location", "refresh", "referer"})
_USER_INFO = re.compile(r"""(^|[=\s"'])((?:[a-z][a-z0-9+.-]*:)?//)[^/?#\s"'<>]*@""", re.IGNORECASE)
_URL_PARTS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE | re.DOTALL)
_URL_SAFE = "".join(map(chr, range(0x21, 0x7F)))
_BREAKS = re.compile(r"[\r\n\0]+")
_DROPPED_LINE = len(DROPPED) + 20
_REASONS = {status.value: status.phrase for status in HTTPStatus}


def without_user_info(text: str) -> str:
    """Return the text without ``user:password@`` in its URLs.

    >>> without_user_info("https://alice:secret@example.org/a@b")
    'https://example.org/a@b'
    """
    return _USER_INFO.sub(r"\1\2", text) if "@" in text else text


def response_head(capture: Capture) -> bytes:
    """Return status line and headers of the response, with the empty line that ends them."""
    length = str(len(capture.body))
    lines = [f"HTTP/{_version(capture)} {capture.status:03d} {_REASONS.get(capture.status, '')}"]
    for name, value in _clean(capture.response_headers):
        key = name.lower()
        misleads = key == "transfer-encoding" or (key == "content-length" and value != length) or _renamed(key)
        lines.append(f"{ORIGINAL if misleads else ''}{name}: {value}")
    return _message(_fitting(lines))


def request_block(capture: Capture) -> bytes:
    """Return the GET request of the capture, without secrets."""
    parts = _URL_PARTS.match(capture.url)
    host, path, query = parts.groups(default="") if parts else ("", capture.url, "")
    target = quote(path or "/", _URL_SAFE, errors="replace") + quote(query, _URL_SAFE, errors="replace")
    lines = [f"GET {target} HTTP/{_version(capture)}"]
    headers = list(_clean(capture.request_headers))
    if host and not any(name.lower() == "host" for name, _ in headers):
        headers.insert(0, ("Host", _BREAKS.sub("", host)))
    lines += [f"{name}: {'[redacted]' if name.lower() in _SECRET else value}" for name, value in headers]
    return _message(lines)


def parse_response(block: bytes) -> tuple[int, Headers, bytes]:
    """Return status, headers (names as they came) and body of a stored response. Raise ValueError for other blocks."""
    head, body = _split(block)
    words = head[0].split(" ", 2)
    if not words[0].startswith("HTTP/") or len(words) < 2:
        raise ValueError("the record holds no HTTP response")
    headers = tuple((name[len(ORIGINAL) :] if _renamed(name) else name, value) for name, value in _pairs(head[1:]))
    return int(words[1]), headers, body


def parse_request(block: bytes) -> Headers:
    """Return the headers of a stored request."""
    return tuple(_pairs(_split(block)[0][1:]))


def _version(capture: Capture) -> str:
    return "1.0" if (capture.protocol or "").lower() in {"http/1.0", "http/0.9"} else "1.1"


def _clean(headers: Headers) -> list[tuple[str, str]]:
    """Return headers that cannot break the lines they are written to, without those that have no name."""
    pairs = []
    for name, value in headers:
        name = _BREAKS.sub("", name).replace(":", "").strip(" \t")
        value = _BREAKS.sub(" ", value).strip(" \t")
        if name:
            pairs.append((name, without_user_info(value) if name.lower() in _HOLD_URL else value))
    return pairs


def _fitting(lines: list[str]) -> list[str]:
    """Return the lines without the longest headers, so that the rest fits. The status line stays."""
    room = MAX_HEAD - sum(len(line) + 2 for line in lines)
    if room >= 0:
        return lines
    dropped = set()
    for number in sorted(range(1, len(lines)), key=lambda number: len(lines[number]), reverse=True):
        dropped.add(number)
        room += len(lines[number]) + 2
        if room >= _DROPPED_LINE:
            break
    kept = [line for number, line in enumerate(lines) if number not in dropped]
    return [*kept, f"{DROPPED}: {len(dropped)}"]


def _renamed(name: str) -> bool:
    return name[: len(ORIGINAL)].lower() == ORIGINAL.lower()


def _message(lines: list[str]) -> bytes:
    return b"\r\n".join((*map(_octets, lines), b"", b""))


def _octets(line: str) -> bytes:
    try:
        return line.encode("latin-1")
    except UnicodeEncodeError:
        # Headers are latin-1 by contract. A header that breaks it becomes a legible line; the record is not lost.
        return line.encode("utf-8", "replace")


def _split(block: bytes) -> tuple[list[str], bytes]:
    head, found, body = block.partition(b"\r\n\r\n")
    if not found:
        raise ValueError("the record's HTTP headers have no end")
    return head.decode("latin-1").split("\r\n"), body


def _pairs(lines: list[str]) -> list[tuple[str, str]]:
    parts = (line.partition(":") for line in lines)
    return [(name, value.strip(" \t")) for name, _, value in parts]
