"""WARC/1.1 files (ISO 28500:2017): write, read, scan, recover and redact them.

Each record is a gzip member of its own. A response is followed by its request. ``http_blocks`` describes which bytes
are kept, reconstructed or redacted. ``gzip_member`` describes the seal that makes every flipped bit noticeable.
"""

from storage.warc.foreign_records import ForeignRecord, ForeignRecords, Form, Loss
from storage.warc.headers import WarcInfo
from storage.warc.reader import end_of, is_file_name, read_record, warc_path
from storage.warc.recovery import Recovered, examine, recover, unread
from storage.warc.scan import ScannedRecord, scan
from storage.warc.sources import FileSource, Source, StreamSource
from storage.warc.verify import StatedDigest
from storage.warc.writer import WarcWriter

__all__ = [
    "FileSource",
    "ForeignRecord",
    "ForeignRecords",
    "Form",
    "Loss",
    "Recovered",
    "ScannedRecord",
    "Source",
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
    "warc_path",
]
