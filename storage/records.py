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

import msgspec

Headers = tuple[tuple[str, str], ...]

GLUE = "\x1f"
"""Unit separator: between two tokens of a line with nothing between them."""
SENTENCE = "\x1e"
"""Record separator: between two sentences of a line."""


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


WORKER_FAULTS = ("worker_timeout", "worker_crash", "worker_memory", "worker_error")
"""Reasons of pages whose processing failed in a worker, often in the extractor. It would fail again."""
MACHINE_FAULTS = frozenset({"worker_timeout", "worker_memory", "worker_killed"})
"""Reasons that a busy or full machine can cause too. Such a page waits for one more attempt in a later run."""


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
