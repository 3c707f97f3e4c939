"""Rows of a release from processed pages, without a database."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from storage.documents.model import CorpusDocument, is_mixed

if TYPE_CHECKING:
    from corpus_spider.archive.foreign_warc import ForeignPage
    from storage.records import Document

_ID_DIGITS = 32


def document_id(url: str, exact: str) -> str:
    """Return the id of a text at a URL: the same in every archive that has it."""
    return sha256(f"{url}\n{exact}".encode("utf-8", "replace")).hexdigest()[:_ID_DIGITS]


def row_of(page: ForeignPage, made: Document, url: str, site: str, archive: str) -> CorpusDocument:
    """Return the row of a document. It is the first version of its page, and no duplicate is known."""
    stated, guess, exact = made.metadata, made.language, made.fingerprint.exact.hex()
    own_id = document_id(url, exact)
    return CorpusDocument(
        id=own_id,
        text=made.text,
        url=url,
        title=stated.title,
        author=stated.author,
        published=stated.published,
        published_text=stated.published_text,
        language=guess.language,
        language_confidence=guess.confidence,
        script=guess.script,
        script_share=guess.script_share,
        site=site,
        version=1,
        canonical=stated.canonical,
        chars=len(made.text),
        fetched_at=page.capture.fetched_at,
        extractor=made.extractor,
        extractor_version=made.extractor_version,
        extractor_reason=made.extractor_reason,
        site_model=made.site_model,
        encoding=made.encoding,
        encoding_source=made.encoding_source,
        replaced=made.replaced,
        licence=None,
        exact=exact,
        duplicates=1,
        duplicate_of=None,
        warc=archive,
        warc_offset=page.offset,
        warc_length=0,
        record_id=page.record_id,
        payload_digest=page.payload_digest,
        confidence=made.confidence,
        kinds=made.kinds,
        captions=made.captions,
        comments=made.comments,
        published_calendar=stated.published_calendar,
        published_source=stated.published_source,
        published_confidence=stated.published_confidence,
        robots=None,
        robots_sha256=None,
        directives=stated.directives,
        tdm=stated.tdm,
        tdm_policy=stated.tdm_policy,
        tdm_source=stated.tdm_source,
        licence_url=stated.licence_url,
        quality=made.quality,
        cluster=own_id,
        languages=made.languages,
        foreign_share=made.foreign_share,
        mixed=is_mixed(made.foreign_share),
        recurring="",
        authors=stated.authors,
        published_zone=stated.published_zone,
        title_source=stated.title_source,
        author_source=stated.author_source,
        rules=made.rules,
    )
