"""Write and parse WARC/1.1 record headers (ISO 28500:2017): warcinfo, response, revisit, request, conversion."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from storage.bytes.content_encoding import inflated_prefix
from storage.bytes.mime import BINARY, HEAD, essence, sniff
from storage.warc.gzip_member import member
from storage.warc.http_blocks import request_block, response_head, without_user_info

if TYPE_CHECKING:
    from storage.records import Capture, Original

END = b"\r\n\r\n"
"""End of a record's headers, and of its block."""
KIND = "X-Corpus-Kind"
"""Our own field: the kind of content that was expected at the URL (records.Kind)."""
RENDERED = "X-Corpus-Rendered"
"""Our own field: id of the conversion record, and length of its gzip member in bytes. That record follows the request
and holds the page as a browser rendered it.
"""
RECOVERED = "X-Corpus-Recovered"
"""Our own field: ``import`` if an import found the record by a search after damage (records.Capture.recovered)."""

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

_DESCRIPTION = (
    "bodies are stored as received, content-encoded, with the transfer coding undone; headers as Scrapy gives them: "
    "values byte for byte, order and letter case of names, reason phrases, request lines and the request's Host header "
    "are reconstructed; Transfer-Encoding, and a Content-Length that is not the stored length, are prefixed with "
    "X-Archive-Orig-; Authorization, Proxy-Authorization and Cookie of requests and user-info in URLs are redacted; "
    "a conversion record holds the page as a browser rendered it, and is what its text was taken from"
)
_UNSAFE = re.compile(r"[\x00-\x20\x7f]+")
_INCOMPRESSIBLE = re.compile(
    r"image/(?!svg|x-icon)|audio/|video/|font/woff|application/(?:pdf|zip|gzip|zstd|ogg|x-rar|x-7z|x-xz|x-bzip2)"
)


@dataclass(frozen=True, slots=True)
class WarcInfo:
    """Content of the warcinfo record, the first of each file: who made the WARC and how.

    ``operator`` is the person or institution that answers for the crawl. ``contact`` is their address. ``run`` is an
    identifier that no other run has. It is part of every file name.
    """

    software: str
    operator: str = ""
    contact: str = ""
    user_agent: str = ""
    robots: str = "classic"
    run: str = field(default_factory=lambda: secrets.token_hex(6))


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """A capture as gzip members, response first, with the values of a pointer to it."""

    response: bytes
    request: bytes
    record_id: str
    payload_digest: str
    rendered: bytes = b""


def warcinfo(info: WarcInfo, name: str, made: datetime) -> tuple[str, bytes]:
    """Return record id and gzip member of the warcinfo record of the file ``name``."""
    fields = {
        "software": info.software,
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "operator": " ".join(filter(None, (info.operator, info.contact and f"<{info.contact}>"))),
        "http-header-user-agent": info.user_agent,
        "robots": info.robots,
        "isPartOf": info.run,
        "description": _DESCRIPTION,
    }
    block = _fields(fields)
    record_id = _new_id()
    head = _record_head(
        {
            "WARC-Type": "warcinfo",
            "WARC-Record-ID": f"<{record_id}>",
            "WARC-Date": warc_date(made),
            "WARC-Filename": name,
            "Content-Type": "application/warc-fields",
            "WARC-Block-Digest": sha1(block),
            "Content-Length": str(len(block)),
        }
    )
    return record_id, member(head, block + END, stored=False)


def encode(capture: Capture, warcinfo_id: str, original: Original | None = None) -> EncodedPair:
    """Return the records of a capture for a file with that warcinfo record.

    These are response and request. With ``original`` the response becomes a revisit. A rendered page has a conversion
    record too.
    """
    if original is not None:
        return _revisit(capture, warcinfo_id, original)
    record_id, head, body_type = _new_id(), response_head(capture), identified_payload_type(capture)
    payload_digest, common = sha1(capture.body), _common(capture, warcinfo_id)
    is_coded = capture.coding.strip(" ,").lower() not in {"", "identity"}
    rendered_id, rendered = _conversion(capture, record_id, common) if capture.rendered else ("", b"")
    response = _record_head(
        {
            "WARC-Type": "response",
            "WARC-Record-ID": f"<{record_id}>",
            **common,
            "WARC-Truncated": capture.truncated or "",
            "WARC-Identified-Payload-Type": body_type or "",
            KIND: capture.kind.value,
            RECOVERED: "import" if capture.recovered else "",
            RENDERED: f"<{rendered_id}> {len(rendered)}" if rendered else "",
            "Content-Type": "application/http;msgtype=response",
            "WARC-Payload-Digest": payload_digest,
            "WARC-Block-Digest": sha1(head, capture.body),
            "Content-Length": str(len(head) + len(capture.body)),
        }
    )
    return EncodedPair(
        member(
            response + head, capture.body + END, stored=is_coded or _INCOMPRESSIBLE.match(body_type or "") is not None
        ),
        _request(capture, record_id, common),
        record_id,
        payload_digest,
        rendered,
    )


def _conversion(capture: Capture, refers_to: str, common: dict[str, str]) -> tuple[str, bytes]:
    """Return id and gzip member of the conversion record, the page as a browser rendered it (WARC 1.1, 6.8)."""
    record_id = _new_id()
    head = _record_head(
        {
            "WARC-Type": "conversion",
            "WARC-Record-ID": f"<{record_id}>",
            **{name: common[name] for name in ("WARC-Warcinfo-ID", "WARC-Target-URI", "WARC-Date")},
            "WARC-Refers-To": f"<{refers_to}>",
            "Content-Type": "text/html; charset=utf-8",
            "WARC-Block-Digest": sha1(capture.rendered),
            "Content-Length": str(len(capture.rendered)),
        }
    )
    return record_id, member(head, capture.rendered + END, stored=False)


def _revisit(capture: Capture, warcinfo_id: str, original: Original) -> EncodedPair:
    """Return the records of a response with the payload of an earlier one: its headers and a reference to that."""
    record_id, head, common = _new_id(), response_head(capture), _common(capture, warcinfo_id)
    profile = NOT_MODIFIED if capture.status == 304 else SAME_PAYLOAD
    record = _record_head(
        {
            "WARC-Type": "revisit",
            "WARC-Record-ID": f"<{record_id}>",
            **common,
            "WARC-Profile": profile,
            "WARC-Refers-To": f"<{original.record_id}>",
            "WARC-Refers-To-Target-URI": _target(original.uri),
            "WARC-Refers-To-Date": warc_date(original.fetched_at),
            # WARC 1.1, 6.7.2: the value for a payload that was left out as a duplicate.
            "WARC-Truncated": "length" if profile == SAME_PAYLOAD else "",
            KIND: capture.kind.value,
            "Content-Type": "application/http;msgtype=response",
            "WARC-Payload-Digest": original.payload_digest,
            "WARC-Block-Digest": sha1(head),
            "Content-Length": str(len(head)),
        }
    )
    request = _request(capture, record_id, common)
    return EncodedPair(member(record + head, END, stored=False), request, record_id, original.payload_digest)


def _common(capture: Capture, warcinfo_id: str) -> dict[str, str]:
    return {
        "WARC-Warcinfo-ID": f"<{warcinfo_id}>",
        "WARC-Target-URI": _target(capture.url),
        "WARC-Date": warc_date(capture.fetched_at),
        "WARC-IP-Address": capture.ip or "",
        "WARC-Protocol": (capture.protocol or "").lower(),
    }


def _request(capture: Capture, concurrent_to: str, common: dict[str, str]) -> bytes:
    block = request_block(capture)
    head = _record_head(
        {
            "WARC-Type": "request",
            "WARC-Record-ID": f"<{_new_id()}>",
            **common,
            "WARC-Concurrent-To": f"<{concurrent_to}>",
            "Content-Type": "application/http;msgtype=request",
            "WARC-Block-Digest": sha1(block),
            "Content-Length": str(len(block)),
        }
    )
    return member(head, block + END, stored=False)


def sha1(*parts: bytes) -> str:
    """Return the labelled digest of the joined parts, as WARC files write it: ``sha1:`` and base32."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return f"sha1:{base64.b32encode(digest.digest()).decode()}"


def warc_date(when: datetime) -> str:
    """Return a WARC-Date in UTC with microseconds."""
    return when.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def parse_headers(head: bytes) -> dict[str, str]:
    """Return the fields of a record's header, names in lower case. Raise ValueError if it is not WARC."""
    version, *lines = head.decode("utf-8", "replace").split("\r\n")
    if not version.startswith("WARC/"):
        raise ValueError("not a WARC record")
    pairs = (line.partition(":") for line in lines)
    return {name.lower(): value.strip(" \t") for name, _, value in pairs}


def identifier(value: str) -> str:
    """Return a record id without the angle brackets around it."""
    return value.removeprefix("<").removesuffix(">")


def _record_head(fields: dict[str, str]) -> bytes:
    return b"WARC/1.1\r\n" + _fields(fields) + b"\r\n"


def _fields(fields: dict[str, str]) -> bytes:
    lines = (f"{name}: {_UNSAFE.sub(' ', value)}\r\n" for name, value in fields.items() if value)
    return "".join(lines).encode("utf-8", "replace")


def _target(url: str) -> str:
    return _UNSAFE.sub(lambda found: "".join(f"%{ord(char):02X}" for char in found.group()), without_user_info(url))


def _new_id() -> str:
    return f"urn:uuid:{uuid.uuid4()}"


def identified_payload_type(capture: Capture) -> str | None:
    """Return the media type that the body's bytes show, for WARC-Identified-Payload-Type; None if the body is empty.

    Only the beginning is decoded. A body that cannot be decoded has its declared type (RFC 9110 section 8.4: that is
    the type of the decoded body).
    """
    if not capture.body:
        return None
    declared = capture.header("Content-Type")
    prefix = inflated_prefix(capture.body, capture.coding, HEAD)
    return sniff(prefix, declared) if prefix else essence(declared) or BINARY
