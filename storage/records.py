"""Types shared by the three floors: frozen dataclasses for everything that travels from the web to the corpus.

This module imports nothing of the project. Times are timezone-aware UTC. Header names and values are latin-1 text, so
that bytes survive a round trip. Bodies are bytes as received (content-encoded, without transfer coding).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Generic, TypeVar

import msgspec

Headers = tuple[tuple[str, str], ...]

GLUE = "\x1f"
"""Unit separator: between two tokens of a line with nothing between them."""
SENTENCE = "\x1e"
"""Record separator: between two sentences of a line."""
ATTRIBUTE = "\x01"
"""Start of heading: before each attribute of a token, its lemma and its tag. Unlike a tab it is no white space."""


class Kind(StrEnum):
    """Expected content of a URL; it decides how the response is read."""

    PAGE = "page"
    FEED = "feed"
    SITEMAP = "sitemap"
    ROBOTS = "robots"
    TDMREP = "tdmrep"


class ParagraphKind(StrEnum):
    """Kind of a paragraph on its page. The letters form `Extraction.kinds`, one a paragraph."""

    PARAGRAPH = "p"
    HEADING = "h"
    ITEM = "l"
    QUOTE = "q"
    CELL = "t"
    PREFORMATTED = "c"


PORTS = {"http": 80, "https": 443}
"""Port of each scheme that is fetched, if a URL names none."""


class UrlState(StrEnum):
    """State of a URL in the frontier. Every URL is in exactly one state."""

    PENDING = "pending"
    LEASED = "leased"
    FETCHED = "fetched"
    DONE = "done"
    FAILED = "failed"
    SUSPENDED = "suspended"
    """Its site gave more new texts in a night than follow from its past. Perhaps a tarpit."""
    OUT_OF_SCOPE = "out_of_scope"
    """Queued before the link rules of its site became narrower. `Frontier.wake` returns it when they change again."""


class Turn(StrEnum):
    """URLs that come last at their host, and have a turn now and then, so that the others do not keep them waiting."""

    ARCHIVE = "archive"
    """Sitemaps of the archive."""
    RETRY = "retry"
    """URLs whose last attempt or visit failed. Such a URL may ask for a pause of its host again, and end its night."""


class LeaseRuling(StrEnum):
    """What happens to a queued URL when its turn comes."""

    FETCH = "fetch"
    LATER = "later"
    """URLs of this shape are nearly always missing. It waits for the next night."""
    SUSPEND = "suspend"
    OUT_OF_SCOPE = "out_of_scope"


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of use of a URL, from the files of its host at the time of the fetch."""

    robots: str
    """``allowed`` by robots.txt; ``cached``: allowed by an older copy; ``missing``: there is no robots.txt."""
    robots_sha256: str = ""
    """SHA-256 of the decoded robots.txt; empty if there is none."""
    tdm: int | None = None
    """1: the host's tdmrep.json reserves text and data mining, 0: it does not; None: it does not mention this URL."""
    tdm_policy: str | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """One HTTP exchange as received."""

    url: str
    fetched_at: datetime
    status: int
    request_headers: Headers
    response_headers: Headers
    body: bytes
    kind: Kind = Kind.PAGE
    ip: str | None = None
    protocol: str | None = None
    truncated: str | None = None
    """Reason of an incomplete body, in the words of WARC-Truncated: ``length``, ``time``, ``disconnect``; None:
    complete.
    """
    rendered: bytes = b""
    """DOM of a browser as HTML in UTF-8; empty without a browser."""
    terms: Terms | None = None
    """None if unknown. Not part of the WARC record; stored with the fetch."""
    recovered: bool = False
    """Whether an import found its record by a search after damage, or the end of the record."""

    def header(self, name: str) -> str | None:
        """Return the first response header of this name, in any case, or None."""
        wanted = name.lower()
        return next((value for key, value in self.response_headers if key.lower() == wanted), None)

    @property
    def coding(self) -> str:
        """Content-Encoding, empty for none. Several header lines form one list (RFC 9110, 5.3)."""
        return ", ".join(value for key, value in self.response_headers if key.lower() == "content-encoding")


@dataclass(frozen=True, slots=True)
class Pointer:
    """Location of a response record: file name in the WARC folder, byte offset and length of its gzip member."""

    warc: str
    offset: int
    length: int
    record_id: str
    payload_digest: str


@dataclass(frozen=True, slots=True)
class Original:
    """Last full response of a URL: its record, and the validators for a conditional request."""

    fetch_id: int
    uri: str
    fetched_at: datetime
    record_id: str
    payload_digest: str
    etag: str = ""
    modified: str = ""
    free: bool = True
    """False if it gave no text, or a text with reserved use."""
    in_full: bool = False
    """Whether this request must be unconditional."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL leased to one run. ``url`` is the canonical form and the key; ``fetch_url`` is the URL to request."""

    url_id: int
    url: str
    fetch_url: str
    site: str
    host: str
    kind: Kind = Kind.PAGE
    depth: int = 0
    hops: int = 0
    attempts: int = 0
    named: bool = True
    """Whether a source of its site names it, and it was never suspended."""
    is_section: bool = False
    """Whether it is a page that was a list of articles at an earlier visit."""
    released: bool = False
    """Whether it was suspended and a person has released it."""
    original: Original | None = None
    """Its last full response; None for an unconditional request."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A configured URL: a start page, a feed or a sitemap of a site."""

    url: str
    fetch_url: str
    site: str
    host: str
    kind: Kind
    listed: bool = False
    """Whether it is a page of a list, which is not a source."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """One exchange and its effect on the frontier; written in the *fetched* transaction.

    ``lease`` is None for exchanges without a lease (robots.txt). With a lease:

    - neither ``reason`` nor ``retry_at``: the page awaits processing.
    - ``retry_at`` (epoch seconds): the URL is pending again.
    - ``reason`` alone: the URL has failed.
    - ``original``: the page is unchanged, and archived as a revisit of that record.
    """

    capture: Capture
    lease: Lease | None = None
    reason: str | None = None
    retry_at: float | None = None
    original: Original | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A lease without an exchange (refused, unreachable, timed out before a response)."""

    lease: Lease
    reason: str
    retry_at: float | None = None
    of_host: bool = False
    """Whether the host or the line failed, not this URL. Such an attempt is not one of the URL."""


@dataclass(frozen=True, slots=True)
class DecodedBody:
    """Decoded body, its encoding, and the share of undecodable characters (U+FFFD)."""

    text: str
    encoding: str
    source: str
    """``bom``, ``utf-8``, ``header``, ``meta`` or ``detected``; ``rendered`` for the DOM of a browser."""
    replaced: float = 0.0


@dataclass(frozen=True, slots=True)
class Extraction:
    """Main content of a page (``pipelines.extractors``): paragraphs, extractor and reason, separate parts."""

    paragraphs: tuple[str, ...]
    extractor: str
    version: str
    reason: str = ""
    kinds: str = ""
    """A letter of `ParagraphKind` for each paragraph; "" if the extractor does not classify them."""
    title: str = ""
    """The heading that matches the stated title; "" if there is none or it was not searched."""
    captions: tuple[str, ...] = ()
    """Captions of pictures and tables in or beside the article, in page order."""
    comments: tuple[str, ...] = ()
    """The first readers' comments, if they are marked up, each of limited length."""
    confidence: float | None = None
    """Expected F1 of the extraction, 0 to 1; None if the extractor does not estimate it."""
    left_out: frozenset[str] = frozenset()
    """Lines of the site's template on the page, which the text does not have."""

    @property
    def text(self) -> str:
        """The paragraphs, one a line."""
        return "\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class LanguageGuess:
    """Language (ISO 639-1 if it has one; ``und``: unknown), confidence 0–1, main script (ISO 15924), its share."""

    language: str
    confidence: float
    script: str
    script_share: float


RULES = "rules"
"""Place of a value that a rule of the site selects. It is trusted most."""
JSON_LD, META, HEADING, TITLE_ELEMENT = "json-ld", "meta", "heading", "title-element"
MARKED, BYLINE, SIGNATURE = "marked", "byline", "signature"
ORGANISATION, ACCOUNT = "organisation", "account"
TITLE_SOURCES = TITLE_ELEMENT, META, JSON_LD, HEADING, RULES
"""Places of a title on the page, least trusted first."""
AUTHOR_SOURCES = ACCOUNT, ORGANISATION, SIGNATURE, BYLINE, MARKED, META, JSON_LD, RULES
"""Places of the authors on the page, least trusted first: ``marked`` is an element marked as the author."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """Metadata stated by a page. ``published`` is ISO 8601, ``published_text`` the string it was read from.

    A time is local, with its offset from UTC, so that the first ten characters are the day where it was written.
    """

    title: str | None = None
    author: str | None = None
    published: str | None = None
    published_text: str | None = None
    canonical: str | None = None
    """rel=canonical, absolute and canonicalised, only if it is within the page's own site."""
    directives: tuple[str, ...] = ()
    """Lower-case robots directives of meta tags and X-Robots-Tag, sorted: ``noindex``, ``noarchive``, ``nofollow`` …"""
    published_calendar: str | None = None
    published_source: str | None = None
    """Calendar of ``published_text``, and its place on the page, in the words of ``storage.exports``."""
    published_confidence: float | None = None
    """0 to 1: probability that this is the date of publication."""
    tdm: int | None = None
    """1: text and data mining is reserved (W3C TDMRep), 0: it is not; None: unknown."""
    tdm_policy: str | None = None
    """Absolute URL of the terms."""
    tdm_source: str | None = None
    """Source of the statement: ``meta``, ``header`` or ``file`` (tdmrep.json)."""
    licence_url: str | None = None
    """Absolute URL of the licence that the page names."""
    authors: tuple[str, ...] = ()
    """Each author of ``author`` by name, in the order stated."""
    published_zone: str | None = None
    """Where the zone of ``published`` is from: ``stated``, ``site``, ``assumed`` or ``pending``; None: no zone."""
    title_source: str | None = None
    """One of `TITLE_SOURCES`."""
    author_source: str | None = None
    """One of `AUTHOR_SOURCES`."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Exact and near-duplicate fingerprints of a text (see pipelines.text.minhash for the scheme)."""

    scheme: str
    exact: bytes
    """xxh3-128 of the canonical text, 16 bytes."""
    shingles: int
    sketch: bytes = b""
    """Low bits of many minhashes, as the scheme states; empty if the text is too short for a comparison."""
    bands: tuple[int, ...] = ()
    """20 signed integers, one for each band of 6 rows; empty with the sketch."""
    numbers: bytes = b""
    """Digests of the numbers in the text and the letters before them, two bytes each, sorted; empty with the sketch."""


# An export reads and writes it for each document; a dataclass takes several times as long.
class Quality(msgspec.Struct, frozen=True, gc=False):
    """Quality signals of a text, to select texts by (see ``pipelines.quality.signals``). Shares are 0 to 1.

    Visible characters are letters, marks, digits and signs. None: not defined for this language.
    """

    words: int
    """Estimate without a segmenter: what stands between spaces, or so many letters of a script without spaces."""
    mean_line: float
    """Mean characters of a line without blank lines. ``mean_word``: of a word."""
    mean_word: float | None
    alphabetic_words: float
    """Share of words that begin with a letter. Next: shares of visible characters that are symbols, and digits."""
    symbol_share: float
    digit_share: float
    stop_word_share: float | None
    """Share of words that are among the most common of the language. Without word spaces: share of their letters."""
    ended_lines: float
    """Share of lines that end like a sentence, with or without a closing quotation mark."""
    repeated_lines: float
    """Share of lines that repeat an earlier line. Next: share of characters in the most common word pair (Gopher)."""
    top_bigram: float
    repeated_5grams: float
    """Share of characters in repeated sequences of five words; then of ten (Gopher's duplicate n-grams)."""
    repeated_10grams: float


@dataclass(frozen=True, slots=True)
class Document:
    """A text to store, with all its data from processing."""

    text: str
    language: LanguageGuess
    metadata: Metadata
    extractor: str
    extractor_version: str
    extractor_reason: str
    encoding: str
    encoding_source: str
    replaced: float
    fingerprint: Fingerprint
    site_model: str = ""
    """Identifier of the SiteModel used; empty if there was none."""
    confidence: float | None = None
    """As in `Extraction`, like the following."""
    kinds: str = ""
    """A letter of `ParagraphKind` for each line of the text; "" if unknown."""
    captions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    quality: Quality | None = None
    """None if it was not measured."""
    languages: tuple[str, ...] = ()
    """Language, confidence, script and its share for each line: ``vi 0.98 Latn 1.00``. 0.00: assumed from the whole
    text.
    """
    foreign_share: float | None = None
    """Share of the text in lines of another language than the whole; None if unknown."""
    rules: str | None = None
    """Rules of the site and what they matched (see `SiteRules.note`); None if there were none."""
    own_lines: bytes = b""
    """Digests of the publisher's own lines that were left out of the text, packed (``storage.bytes.lines``)."""

    @property
    def chars(self) -> int:
        """Length of the text in code points."""
        return len(self.text)

    @property
    def exact(self) -> str:
        """Hexadecimal fingerprint of the letters of the text."""
        return self.fingerprint.exact.hex()


DOCUMENT, DOCUMENT_TEXT, OTHER_TABLE = "document", "document_text", ""
"""Tables with the columns of fields. Texts are apart, so that to select documents does not read them."""
TITLE, AUTHOR, DATE, RIGHTS = "title", "author", "date", "rights"
"""Fields that a later visit of the page renews together, if it gives the same text."""
THE_PAGE, THE_TEXT, THE_SITE, THE_PROGRAM = "the page", "the text", "configuration of the site", "this program"
"""Where the values of fields are from, in words."""
ITS_PLACE = "the page: "
"""Before the place of a value on the page."""
LAST_ROW = 1000


class StoredForm(StrEnum):
    """How a column holds a value, if its type alone does not say it."""

    OF_TYPE = "of its type"
    """A list has a column of lines."""
    RUNS = "runs"
    """Short repeating words, counted."""
    WORDS = "words"
    """Words without spaces, joined by spaces."""
    LETTERS = "letters"
    """A text; NULL if it is empty."""


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """Row of a field in the metadata view of the web page."""

    place: int = LAST_ROW
    """Rows are in the order of their places, then of the fields."""
    source: str = ""
    """Where the value is from."""
    source_field: str = ""
    """Field with the place of the value, which follows ``source``. Without a place there is no source."""
    confidence: str = ""
    """Field with the confidence of the value, 0 to 1."""
    label: str = ""
    """Empty: the name of the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldNote:
    """Facts about a field of a document: its meaning, where it is from, how it is stored and shown."""

    meaning: str = field(kw_only=False)
    """A sentence for the documentation. A field without a value is null."""
    made: str = ""
    """Attribute of the processed `Document` that gives the value. Empty: the store gives it."""
    column: str = ""
    """Empty: the name of the field."""
    table: str = DOCUMENT
    form: StoredForm = StoredForm.OF_TYPE
    renewed: str = ""
    """The fields it is renewed with. Empty: it stays as the text does."""
    of_page: bool = True
    """Whether `extract` writes it. Only a made field can be one of a page alone."""
    compared: bool = True
    """Whether another value is a change of the document in a release."""
    repeated: bool = False
    """Whether many documents have the same value. Its Parquet column has a dictionary."""
    long: bool = False
    """Whether it has a value for each line. Its Parquet column has no minimum and maximum."""
    shown: int = 0
    """Place among the fields that `show` lists. 0: it lists others."""


@dataclass(frozen=True, slots=True)
class CounterNote:
    """Facts about a counter of a run at a site. Its docstring has its meaning."""

    mail: str = ""
    """Words of it in a notification. Empty: a notification does not show it."""
    metric: str = ""
    """Explanation of its metric. Empty: it has none."""
    of_newest: bool = False
    """Whether it describes the frontier, which belongs to the newest run of a site alone."""
    on_page: bool = False
    """Whether the web page of a crawl shows it."""


class SiteCounters(msgspec.Struct, frozen=True, gc=False):
    """Counters of a run at one site."""

    # Columns of the database, the output of `crawl`, notifications, metrics and the web page are made from these lines.
    site: str
    found: Annotated[int, CounterNote(of_newest=True, on_page=True)] = 0
    """New URLs."""
    fetched: Annotated[
        int,
        CounterNote(mail="fetched", metric="Responses of the site in its last run, without robots.txt.", on_page=True),
    ] = 0
    """Responses, without robots.txt."""
    unchanged: Annotated[int, CounterNote(mail="unchanged", on_page=True)] = 0
    """Responses equal to an earlier one, or with an unchanged text."""
    articles: Annotated[int, CounterNote(mail="new", on_page=True)] = 0
    """First versions."""
    versions: Annotated[int, CounterNote(mail="new versions", on_page=True)] = 0
    """Later versions."""
    refused: Annotated[
        int,
        CounterNote(
            mail="refused",
            metric="Responses of the site in its last run in which the server refuses.",
            on_page=True,
        ),
    ] = 0
    """Responses in which the server refuses access or shows a wall."""
    robots: Annotated[int, CounterNote(mail="forbidden by robots.txt")] = 0
    """URLs forbidden by robots.txt."""
    http_errors: Annotated[
        int,
        CounterNote(
            mail="errors",
            metric="Responses of the site in its last run with another error status.",
            on_page=True,
        ),
    ] = 0
    """Responses with another error status."""
    failed: Annotated[
        int,
        CounterNote(
            mail="without response",
            metric="Attempts at the site in its last run without a complete response.",
            on_page=True,
        ),
    ] = 0
    """Attempts without a response, or with a broken one."""
    no_text: Annotated[int, CounterNote(on_page=True)] = 0
    """Pages without any text, or whose processing failed."""
    short: Annotated[int, CounterNote(on_page=True)] = 0
    """Pages with less text than `min_chars`."""
    undated: Annotated[int, CounterNote()] = 0
    """Documents without a date."""
    language: Annotated[int, CounterNote()] = 0
    """Pages in an unwanted language."""
    duplicates: Annotated[int, CounterNote()] = 0
    """Documents represented by another."""
    awaiting: Annotated[int, CounterNote()] = 0
    """Pages that await processing."""
    bytes: Annotated[int, CounterNote()] = 0
    """Size of the WARC records of the run."""
    suspended: Annotated[int, CounterNote(mail="suspended", of_newest=True)] = 0
    """URLs that are suspended at its end."""
    seconds: float = 0.0
    """From the first to the last response."""
    reasons: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Number of responses and attempts without a document, by reason."""


SITE_COUNTERS = {
    each.name: note for each in msgspec.structs.fields(SiteCounters) for note in getattr(each.type, "__metadata__", ())
}
"""Counters of a run at a site in their order, with their notes."""


Texts = TypeVar("Texts")
Signals = TypeVar("Signals")


# A Struct is created and copied in a tenth of the time of a dataclass.
class DocumentFields(msgspec.Struct, Generic[Texts, Signals], frozen=True, gc=False):
    """Fields of a stored document, in the order of exports, under the names of exports.

    Each field is defined here once. Columns of the database, exports, the Python interface, pages and tables of the
    documentation are made from it. A field with a `MetadataRow` is in that view. ``Texts`` is the type of lists of
    texts, ``Signals`` that of `Quality`.
    """

    id: Annotated[
        str,
        FieldNote(
            "stable identifier of the document: 32 hexadecimal digits, from URL and version",
            column="public_id",
            shown=1,
        ),
    ]
    text: Annotated[
        str, FieldNote("the cleaned text, one paragraph a line", made="text", table=DOCUMENT_TEXT, long=True)
    ]
    url: Annotated[
        str, FieldNote("canonical URL of the page", table=OTHER_TABLE), MetadataRow(1, "the request", label="address")
    ]
    title: Annotated[
        str | None,
        FieldNote("title, as the page shows it, else as it states it", made="metadata.title", renewed=TITLE, shown=2),
        MetadataRow(4, ITS_PLACE, "title_source"),
    ]
    author: Annotated[
        str | None,
        FieldNote("authors, as the page states them", made="metadata.author", renewed=AUTHOR, shown=3),
        MetadataRow(6, ITS_PLACE, "author_source", label="byline"),
    ]
    date: Annotated[
        str | None,
        FieldNote(
            "publication date or time, ISO 8601", made="metadata.published", column="published", renewed=DATE, shown=5
        ),
        MetadataRow(7, ITS_PLACE, "date_source", "date_confidence", label="published"),
    ]
    date_text: Annotated[
        str | None,
        FieldNote(
            "the words that the date was read from",
            made="metadata.published_text",
            column="published_text",
            renewed=DATE,
        ),
        MetadataRow(8, ITS_PLACE, "date_source", label="date as written"),
    ]
    language: Annotated[
        str,
        FieldNote(
            "language, ISO 639-1 where there is a code, und when unknown",
            made="language.language",
            repeated=True,
            shown=6,
        ),
        MetadataRow(12, THE_TEXT, confidence="language_confidence"),
    ]
    language_confidence: Annotated[float, FieldNote("confidence of the language, 0 to 1", made="language.confidence")]
    script: Annotated[
        str,
        FieldNote("main script, ISO 15924", made="language.script", repeated=True),
        MetadataRow(13, THE_TEXT, confidence="script_share"),
    ]
    script_share: Annotated[
        float, FieldNote("share of the letters in the main script, 0 to 1", made="language.script_share")
    ]
    site: Annotated[
        str, FieldNote("name of the newspaper in the configuration", repeated=True), MetadataRow(3, THE_SITE)
    ]
    version: Annotated[
        int,
        FieldNote("1 for the first text at that URL, 2 for the next, and so on", shown=7),
        MetadataRow(16, THE_PROGRAM),
    ]
    canonical: Annotated[
        str | None,
        FieldNote("canonical URL that the page states", made="metadata.canonical"),
        MetadataRow(2, THE_PAGE, label="canonical address"),
    ]
    chars: Annotated[
        int,
        FieldNote("length of the text in code points", made="chars", shown=8),
        MetadataRow(15, THE_TEXT, label="characters"),
    ]
    fetched_at: Annotated[
        datetime,
        FieldNote("time when the page was fetched, UTC", table=OTHER_TABLE),
        MetadataRow(11, "the clock of the crawler", label="fetched"),
    ]
    """UTC."""
    extractor: Annotated[
        str,
        FieldNote("extractor of the text", made="extractor", repeated=True),
        MetadataRow(17, source_field="extractor_reason", confidence="confidence"),
    ]
    extractor_version: Annotated[str, FieldNote("version of the extractor", made="extractor_version", repeated=True)]
    extractor_reason: Annotated[str, FieldNote("why this extractor was chosen", made="extractor_reason")]
    site_model: Annotated[
        str,
        FieldNote(
            "version of the site model that the extractor used; empty for none", made="site_model", of_page=False
        ),
        MetadataRow(19, THE_PROGRAM),
    ]
    """Identifier of the SiteModel used, or ""."""
    encoding: Annotated[
        str,
        FieldNote("character encoding that the page was decoded from", made="encoding", repeated=True),
        MetadataRow(20, source_field="encoding_source"),
    ]
    encoding_source: Annotated[
        str,
        FieldNote(
            "where the encoding was stated: bom, utf-8, header, meta, detected, or rendered by a browser",
            made="encoding_source",
            repeated=True,
        ),
    ]
    replaced: Annotated[
        float,
        FieldNote("share of characters that could not be decoded, 0 to 1", made="replaced"),
        MetadataRow(21, THE_PAGE, label="undecodable share"),
    ]
    licence: Annotated[
        str | None,
        FieldNote("licence note of the site", table=OTHER_TABLE, repeated=True),
        MetadataRow(22, THE_SITE, label="licence of the site"),
    ]
    exact: Annotated[
        str,
        FieldNote(
            "fingerprint of the letters: hexadecimal xxh3-128, equal for equal texts",
            made="exact",
            table=OTHER_TABLE,
            compared=False,
        ),
        MetadataRow(30, THE_TEXT, label="fingerprint"),
    ]
    """Hexadecimal xxh3-128 of the canonical text."""
    duplicates: Annotated[
        int,
        FieldNote("number of documents in the cluster of duplicates", table=OTHER_TABLE, compared=False, shown=10),
        MetadataRow(28, THE_PROGRAM, label="size of its cluster"),
    ]
    """Size of its duplicate set; 1 if it has no duplicates."""
    duplicate_of: Annotated[
        str | None,
        FieldNote(
            "id of the representative of the cluster; null for the representative itself", table=OTHER_TABLE, shown=11
        ),
        MetadataRow(29, THE_PROGRAM, label="represented by"),
    ]
    """Id of the set's representative; None for the representative itself."""
    warc: Annotated[str, FieldNote("WARC file of the original", table=OTHER_TABLE, compared=False, repeated=True)]
    warc_offset: Annotated[int, FieldNote("offset of its record in bytes", table=OTHER_TABLE, compared=False)]
    warc_length: Annotated[int, FieldNote("length of its record in bytes", table=OTHER_TABLE, compared=False)]
    record_id: Annotated[str, FieldNote("WARC-Record-ID of the original", table=OTHER_TABLE)]
    payload_digest: Annotated[str, FieldNote("payload digest of the original", table=OTHER_TABLE)]
    confidence: Annotated[
        float | None,
        FieldNote(
            "expected F1 of the extraction, 0 to 1; null if the extractor does not estimate it",
            made="confidence",
            shown=9,
        ),
    ]
    """Expected F1 of the extraction; None if the extractor does not estimate it."""
    kinds: Annotated[
        str,
        FieldNote(
            "a letter for each line of the text: p paragraph, h heading, l list item, q quotation, t table cell, "
            "c preformatted; empty if unknown",
            made="kinds",
            table=DOCUMENT_TEXT,
            form=StoredForm.LETTERS,
            long=True,
        ),
    ]
    """A letter of `ParagraphKind` for each line of the text; "" if unknown."""
    captions: Annotated[
        Texts,
        FieldNote(
            "captions of pictures and tables; they are not part of the text",
            made="captions",
            table=DOCUMENT_TEXT,
            long=True,
        ),
    ]
    comments: Annotated[
        Texts,
        FieldNote(
            "readers' comments that are marked as such; they are not part of the text",
            made="comments",
            table=DOCUMENT_TEXT,
            long=True,
        ),
    ]
    date_calendar: Annotated[
        str | None,
        FieldNote(
            "calendar of date_text: gregorian, buddhist, solar-hijri, islamic, ethiopian, hebrew or bikram-sambat",
            made="metadata.published_calendar",
            column="published_calendar",
            renewed=DATE,
        ),
        MetadataRow(9, "the date as written", label="calendar"),
    ]
    date_source: Annotated[
        str | None,
        FieldNote(
            "place of the date: json-ld, meta, time, url, text, masthead, below (after the text), listed (beside "
            "other dates), updated (only the day of the last change is stated), age (computed from an age) or "
            "rules (of the site)",
            made="metadata.published_source",
            column="published_source",
            renewed=DATE,
        ),
    ]
    date_confidence: Annotated[
        float | None,
        FieldNote(
            "confidence of the date, 0 to 1",
            made="metadata.published_confidence",
            column="published_confidence",
            renewed=DATE,
        ),
    ]
    robots: Annotated[
        str | None,
        FieldNote(
            "why the page could be fetched: allowed by robots.txt, cached (by the last readable one) or missing",
            table=OTHER_TABLE,
        ),
        MetadataRow(24, "the host", label="robots.txt"),
    ]
    """As in `Terms`; None if robots.txt was not checked."""
    robots_sha256: Annotated[str | None, FieldNote("SHA-256 of that robots.txt", table=OTHER_TABLE)]
    directives: Annotated[
        Texts,
        FieldNote(
            "robots directives of the page and its X-Robots-Tag",
            made="metadata.directives",
            form=StoredForm.WORDS,
            renewed=RIGHTS,
            of_page=False,
        ),
        MetadataRow(25, "the page and its response", label="robots directives"),
    ]
    tdm: Annotated[
        int | None,
        FieldNote(
            "1: text and data mining is reserved (TDMRep), 0: it is not, null: not stated",
            made="metadata.tdm",
            renewed=RIGHTS,
            of_page=False,
        ),
        MetadataRow(26, source_field="tdm_source", label="text and data mining"),
    ]
    """As in `Metadata`, like the following."""
    tdm_policy: Annotated[
        str | None,
        FieldNote(
            "address of the terms of text and data mining", made="metadata.tdm_policy", renewed=RIGHTS, of_page=False
        ),
        MetadataRow(27, source_field="tdm_source", label="policy of text and data mining"),
    ]
    tdm_source: Annotated[
        str | None,
        FieldNote(
            "where the reservation is stated: meta, header or file",
            made="metadata.tdm_source",
            renewed=RIGHTS,
            of_page=False,
        ),
    ]
    licence_url: Annotated[
        str | None,
        FieldNote("licence that the page names", made="metadata.licence_url", renewed=RIGHTS, of_page=False),
        MetadataRow(23, THE_PAGE, label="licence of the page"),
    ]
    quality: Annotated[
        Signals | None,
        FieldNote("signals of text quality, by name; null if not measured", made="quality", compared=False),
    ]
    """None if the text was stored before quality was measured."""
    cluster: Annotated[
        str, FieldNote("id of the cluster of duplicates: the smallest id in it", table=OTHER_TABLE, compared=False)
    ]
    """Id of its duplicate set: the smallest id of its current documents."""
    languages: Annotated[
        Texts,
        FieldNote(
            "for each line its language, confidence, script and the share of the script; confidence 0.00 for a "
            "line that is too short",
            made="languages",
            table=DOCUMENT_TEXT,
            form=StoredForm.RUNS,
            compared=False,
            long=True,
        ),
    ]
    """As in `Document`, like the following."""
    foreign_share: Annotated[
        float | None,
        FieldNote(
            "share of the text in lines of another language; null if not measured", made="foreign_share", compared=False
        ),
        MetadataRow(14, THE_TEXT, label="share in other languages"),
    ]
    mixed: Annotated[
        int | None, FieldNote("1: that is a tenth or more, 0: it is less", table=OTHER_TABLE, compared=False)
    ]
    """As `is_mixed` says."""
    recurring: Annotated[
        str,
        FieldNote(
            "a letter for each line of the text: r it recurs on the site, - it does not; empty if no line does",
            table=OTHER_TABLE,
            compared=False,
            long=True,
        ),
    ]
    """A letter for each line of the text: ``r`` if it recurs over the site, else ``-``; "" if no line does."""
    authors: Annotated[
        Texts,
        FieldNote("the authors as a list, each once", made="metadata.authors", renewed=AUTHOR, shown=4),
        MetadataRow(5, ITS_PLACE, "author_source"),
    ]
    """Each author by name; ``author`` has them in one text."""
    date_zone: Annotated[
        str | None,
        FieldNote(
            "where the time zone of the date is from: stated, site (the configuration) or assumed; null for a day",
            made="metadata.published_zone",
            column="published_zone",
            renewed=DATE,
        ),
        MetadataRow(10, label="time zone of the date"),
    ] = None
    title_source: Annotated[
        str | None,
        FieldNote(
            "place of the title: rules, heading, json-ld, meta or title-element",
            made="metadata.title_source",
            renewed=TITLE,
            compared=False,
        ),
    ] = None
    author_source: Annotated[
        str | None,
        FieldNote(
            "place of the authors: rules, json-ld, meta, marked, byline, signature, organisation or account",
            made="metadata.author_source",
            renewed=AUTHOR,
            compared=False,
        ),
    ] = None
    rules: Annotated[
        str | None,
        FieldNote(
            "fingerprint of the site's own rules and the number of elements that each matched; null without rules",
            made="rules",
            compared=False,
        ),
        MetadataRow(18, THE_SITE, label="rules of the site"),
    ] = None
    """As `SiteRules.note` returns it; None without rules."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Reason why a page gave no document: a short word to count by, and details."""

    reason: str
    detail: str = ""
    language: str | None = None

    @property
    def in_words(self) -> str:
        """The reason, with the detail in brackets if there is one."""
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


@dataclass(frozen=True, slots=True)
class Link:
    """A URL found in a page: canonical key, URL to request, host, expected kind."""

    url: str
    fetch_url: str
    host: str
    kind: Kind = Kind.PAGE
    redirect: bool = False
    """True for the target of a redirect: it adds a hop, not depth."""
    dated: str | None = None
    """Date of publication or change in a feed or sitemap: ISO 8601 in UTC, so that texts compare like times."""
    twin: str | None = None
    """Key of the same page at another host of the site, by host name. If it is known, this URL is not fetched."""
    rank: int = 0
    """Added to the priority. Negative for links that look less like articles than others of the page."""


@dataclass(frozen=True, slots=True)
class Processed:
    """Outcome of one page: either a document or a drop, and the links found."""

    document: Document | None = None
    drop: Drop | None = None
    links: tuple[Link, ...] = ()
    new_links: int = 0
    """Links that no page had named before. Known when the page is stored."""
    directives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteRules:
    """CSS selectors of a site's configuration; empty: no rule. ``content`` selects the text, ``remove`` what is not."""

    content: str = ""
    remove: str = ""
    title: str = ""
    authors: str = ""
    date: str = ""
    standfirst: str = ""

    @property
    def given(self) -> dict[str, str]:
        """The selectors that are given, by key."""
        return {name: selector for name in self.__slots__ if (selector := getattr(self, name))}

    @property
    def fingerprint(self) -> str:
        """12 hex digits of the SHA-256 of the given rules; "" without any."""
        return sha256(msgspec.json.encode(self.given)).hexdigest()[:12] if self.given else ""

    def note(self, matched: Mapping[str, int]) -> str | None:
        """Return the record of a document: the fingerprint, and for each rule how many elements it matched.

        >>> SiteRules(content=".body", date="time").note({"content": 1, "date": 0})
        '6b6b2ab64f30 content=1 date=0'
        """
        counts = (f"{name}={matched.get(name, 0)}" for name in self.given)
        return " ".join([self.fingerprint, *counts]) if self.given else None


def noted_matches(note: str) -> dict[str, int]:
    """Return how many elements each rule matched, from `SiteRules.note`."""
    pairs = (part.partition("=") for part in note.split()[1:])
    return {name: int(count) for name, _, count in pairs if count.isdecimal()}


@dataclass(frozen=True, slots=True)
class SiteModel:
    """Model of a site: its configured rules, and knowledge learned by earlier runs.

    An immutable, versioned value. The same capture and model always give the same result.
    """

    site: str = ""
    version: str = ""
    """Digest of the rules and the program version; after a hyphen the id of the learned model, if any."""
    hosts: tuple[str, ...] = ()
    """Hosts in scope, without ``www.``, with their subdomains. Empty: no link is followed."""
    allow: tuple[str, ...] = ()
    """Regular expressions, searched in the canonical URL. A link must match one of them. Empty: all links match."""
    deny: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Wanted languages; empty: all."""
    extractor: str = "auto"
    min_chars: int = 200
    parameters: tuple[tuple[str, int], ...] = ()
    """Extractor parameters such as ``("p", 8)``."""
    since: str = ""
    """First day (ISO date) of the crawled range; empty: no limit. Links with a date outside are not followed."""
    until: str = ""
    template: bytes = b""
    """Learned template: blocks that recur on the site's pages, as sorted 64-bit keys."""
    own_lines: bytes = b""
    """Learned digests of the publisher's own lines, packed (``storage.bytes.lines``)."""
    reservations: str = "record"
    """Handling of reserved pages: ``record``, or ``skip`` to make no document."""
    elsewhere: tuple[str, ...] = ()
    """Hosts below these that belong to other sites, with their subdomains."""
    timezone: str = ""
    """IANA name of the zone of its times; empty: assumed from its country or language, if that is possible."""
    rules: SiteRules = field(default_factory=SiteRules)

    def with_extractor(self, name: str) -> SiteModel:
        """Return the model with another extractor, which reads the text itself: no rule selects it."""
        parameters = self.parameters if self.extractor == name else ()
        return replace(self, extractor=name, parameters=parameters, rules=replace(self.rules, content=""))


@dataclass(frozen=True, slots=True)
class UnprocessedPage:
    """A page between the two transactions, fetched or ``imported``. ``crashes``: attempts that failed in a worker."""

    fetch_id: int
    lease: Lease
    fetched_at: datetime
    pointer: Pointer
    crashes: int = 0
    terms: Terms | None = None
    imported: bool = False
