"""What came over the wire, kept as WARC/1.1 files (ISO 28500:2017): written, read back, scanned and recovered.

Each record is a gzip member of its own; a response is followed by its request. ``http_blocks`` tells what is kept
byte for byte and what is reconstructed or redacted, ``members`` how a seal makes every flipped bit noticeable.
"""

from storage.warc.headers import WarcInfo
from storage.warc.reader import end_of, is_file_name, read_record, warc_path
from storage.warc.recovery import Recovered, examine, recover, unread
from storage.warc.scanning import ScannedRecord, scan
from storage.warc.writer import WarcWriter

__all__ = [
    "Recovered",
    "ScannedRecord",
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
