"""WARC/1.1 files (ISO 28500:2017): write, read, scan, recover and redact them.

Each record is a gzip member of its own. A response is followed by its request. ``http_blocks`` describes which bytes
are kept, reconstructed or redacted. ``gzip_member`` describes the seal that makes every flipped bit noticeable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storage.warc.foreign_records import ArchiveForm, ForeignRecord, ForeignRecords, Loss
    from storage.warc.headers import WarcInfo
    from storage.warc.reader import end_of, read_record
    from storage.warc.recovery import RecoveredFile, examine, recover, unread
    from storage.warc.scan import ScannedRecord
    from storage.warc.sources import ByteSource, FileSource, StreamSource
    from storage.warc.store import OriginalStore, is_file_name
    from storage.warc.verify import StatedDigest
    from storage.warc.writer import WarcWriter

__all__ = [
    "ArchiveForm",
    "ByteSource",
    "FileSource",
    "ForeignRecord",
    "ForeignRecords",
    "Loss",
    "OriginalStore",
    "RecoveredFile",
    "ScannedRecord",
    "StatedDigest",
    "StreamSource",
    "WarcInfo",
    "WarcWriter",
    "end_of",
    "examine",
    "is_file_name",
    "read_record",
    "recover",
    "unread",
]
_HOMES = {
    "ArchiveForm": "foreign_records",
    "ByteSource": "sources",
    "FileSource": "sources",
    "ForeignRecord": "foreign_records",
    "ForeignRecords": "foreign_records",
    "Loss": "foreign_records",
    "OriginalStore": "store",
    "RecoveredFile": "recovery",
    "ScannedRecord": "scan",
    "StatedDigest": "verify",
    "StreamSource": "sources",
    "WarcInfo": "headers",
    "WarcWriter": "writer",
    "end_of": "reader",
    "examine": "recovery",
    "is_file_name": "store",
    "read_record": "reader",
    "recover": "recovery",
    "unread": "recovery",
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: most commands need one of these modules, or none.

    No name is that of a module here: an imported module hides a name.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"storage.warc.{_HOMES[name]}"), name)
