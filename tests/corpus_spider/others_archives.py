"""WARC files as others write them, for imports."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from pathlib import Path

DAY = "2024-11-01T00:23:31Z"
HTML = ("Content-Type", "text/html; charset=utf-8")


@dataclass(frozen=True, slots=True)
class Answer:
    """What stands in somebody's WARC file."""

    url: str
    body: bytes = b""
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = (HTML,)
    day: str = DAY
    fields: dict[str, str] = field(default_factory=dict)
    type: str = "response"
    protocol: str = "HTTP/1.1"


def wacz(path: Path, *answers: Answer) -> Path:
    """Write a collection as Browsertrix does: a ZIP file of WARC files, their index and more."""
    theirs = archive(path.with_suffix(".warc.gz"), *answers)
    with zipfile.ZipFile(path, "w") as collection:
        collection.write(theirs, "archive/data.warc.gz")
        collection.writestr("pages/pages.jsonl", "{}")
    return path


def archive(path: Path, *answers: Answer, packed: bool = True) -> Path:
    """Write a WARC file as others do."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "somebody's"}))
        for each in answers:
            http = StatusAndHeaders(each.status, list(each.headers), protocol=each.protocol)
            fields = {"WARC-Date": each.day} | each.fields
            record = writer.create_warc_record(
                each.url, each.type, io.BytesIO(each.body), http_headers=http, warc_headers_dict=fields
            )
            writer.write_record(record)
    return path
