"""What came over the wire, kept as WARC/1.1 files (ISO 28500:2017): written, read back, scanned and recovered.

Each record is a gzip member of its own; a response is followed by its request. See ``http_blocks`` for what is kept
byte for byte and what is reconstructed or redacted, and ``members`` for the seal that makes every flipped bit noticeable.
"""

from storage.warc.headers import WarcInfo
from storage.warc.reader import read_record
from storage.warc.writer import WarcWriter

__all__ = ["WarcInfo", "WarcWriter", "read_record"]
