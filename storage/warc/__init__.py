"""WARC/1.1 files (ISO 28500:2017): write, read, scan, recover and redact them.

Each record is a gzip member of its own. A response is followed by its request. ``http_blocks`` describes which bytes
are kept, reconstructed or redacted. ``gzip_member`` describes the seal that makes every flipped bit noticeable.
"""

from storage.warc.foreign_records import ArchiveForm, ForeignRecord, ForeignRecords, Loss
from storage.warc.headers import WarcInfo
from storage.warc.reader import end_of, read_record
from storage.warc.recovery import RecoveredFile, examine, recover, unread
from storage.warc.scan import ScannedRecord, scan
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
    "scan",
    "unread",
]
