"""Rows of a release from processed pages, without a database."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from storage.documents.model import CorpusDocument, is_mixed
from storage.fields import FIELDS

if TYPE_CHECKING:
    from corpus_spider.archive.foreign_warc import ForeignPage
    from storage.records import Document

_ID_DIGITS = 32
_MADE = tuple(field for field in FIELDS if field.note.made)


def document_id(url: str, exact: str) -> str:
    """Return the id of a text at a URL: the same in every archive that has it."""
    return sha256(f"{url}\n{exact}".encode("utf-8", "replace")).hexdigest()[:_ID_DIGITS]


def row_of(page: ForeignPage, made: Document, url: str, site: str, archive: str) -> CorpusDocument:
    """Return the row of a document. It is the first version of its page, and no duplicate is known."""
    values = {field.name: field.made(made) for field in _MADE}
    exact = made.fingerprint.exact.hex()
    own_id = document_id(url, exact)
    return CorpusDocument(
        **values
        | {
            "id": own_id,
            "exact": exact,
            "url": url,
            "site": site,
            "version": 1,
            "fetched_at": page.capture.fetched_at,
            "licence": None,
            "duplicates": 1,
            "duplicate_of": None,
            "cluster": own_id,
            "warc": archive,
            "warc_offset": page.offset,
            "warc_length": 0,
            "record_id": page.record_id,
            "payload_digest": page.payload_digest,
            "robots": None,
            "robots_sha256": None,
            "mixed": is_mixed(made.foreign_share),
            "recurring": "",
        }
    )
