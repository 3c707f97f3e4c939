"""One loop of benchmarks/archive.py: python benchmarks/archive_loop.py READER ARCHIVE...

It reads the pages of archives with FastWARC and another extractor, as a script of an afternoon does.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def read_trafilatura(body: bytes, url: str) -> str:
    """Return the text of trafilatura, which reads the metadata too."""
    import trafilatura

    found = trafilatura.bare_extraction(body, url=url, with_metadata=True)
    return (found.text or "") if found else ""


def read_resiliparse(body: bytes, _: str) -> str:
    """Return the main content of resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    text: str = extract_plain_text(bytes_to_str(body, detect_encoding(body)), main_content=True)
    return text


def read_turbohtml(body: bytes, _: str) -> str:
    """Return the main content of turbohtml."""
    from turbohtml import parse

    text: str = parse(body).main_text()
    return text


READERS: dict[str, Callable[[bytes, str], str]] = {
    "trafilatura": read_trafilatura,
    "resiliparse": read_resiliparse,
    "turbohtml": read_turbohtml,
}


def loop(name: str, archives: Sequence[str]) -> int:
    """Read archives with an extractor. Return the number of texts."""
    import pycld2
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    texts = 0
    for archive in archives:
        with Path(archive).open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                text = READERS[name](record.reader.read(), record.headers["WARC-Target-URI"])
                with suppress(pycld2.error):
                    pycld2.detect(text.encode("utf-8", "replace"))
                texts += hashlib.sha256(text.encode("utf-8", "replace")).digest() > b"" and bool(text)
    return texts


if __name__ == "__main__":
    print(loop(sys.argv[1], sys.argv[2:]))
