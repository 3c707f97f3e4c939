"""The words the three floors share: frozen dataclasses that name what travels from the web to the corpus.

This module imports nothing of the project. Times are timezone-aware UTC; header names and values are latin-1 text, so
that bytes survive a round trip; bodies are bytes as they came over the wire (content-encoded, no transfer coding)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec

Headers = tuple[tuple[str, str], ...]


class Kind(StrEnum):
    """What a URL is expected to hold; it decides how the answer is read."""

    PAGE = "page"
    FEED = "feed"
    SITEMAP = "sitemap"
    ROBOTS = "robots"
    TDMREP = "tdmrep"


class ParagraphKind(StrEnum):
    """What a paragraph is on its page; the letters stand in `Extraction.kinds`, one a paragraph."""

    PARAGRAPH = "p"
    HEADING = "h"
    ITEM = "l"
    QUOTE = "q"
    CELL = "t"
    PREFORMATTED = "c"


class UrlState(StrEnum):
    """Where a URL of the frontier stands; every URL is in exactly one of these."""

    PENDING = "pending"
    LEASED = "leased"
    FETCHED = "fetched"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Terms:
    """What the files of a host said of a URL when it was asked for."""

    robots: str
    """``allowed`` by robots.txt, ``cached``: by the last one that could be had, or ``missing``: there is none."""
    robots_sha256: str = ""
    """Of the robots.txt, unpacked; empty when there is none."""
    tdm: int | None = None
    """1: the host's tdmrep.json reserves text and data mining, 0: it does not; None: it says nothing of this URL."""
    tdm_policy: str | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """One HTTP exchange as it came over the wire."""

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
    """Why the body is not whole, in the words of WARC-Truncated: ``length``, ``time``, ``disconnect``; None: it is."""
    rendered: bytes = b""
    """The page as a browser showed it, its DOM as HTML in UTF-8; empty where none was asked."""
    terms: Terms | None = None
    """None when nobody looked. No part of the WARC record; kept with the fetch."""

    def header(self, name: str) -> str | None:
        """Return the first response header of that name, any case, or None."""
        wanted = name.lower()
        return next((value for key, value in self.response_headers if key.lower() == wanted), None)

    @property
    def coding(self) -> str:
        """Content-Encoding, empty for none. On several lines it is one list (RFC 9110, 5.3)."""
        return ", ".join(value for key, value in self.response_headers if key.lower() == "content-encoding")


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a response record lies: file name inside the WARC folder, byte offset and length of its gzip member."""

    warc: str
    offset: int
    length: int
    record_id: str
    payload_digest: str


@dataclass(frozen=True, slots=True)
class Original:
    """The last whole answer of a URL: where its record is, and what to ask with whether it has changed."""

    fetch_id: int
    uri: str
    fetched_at: datetime
    record_id: str
    payload_digest: str
    etag: str = ""
    modified: str = ""
    free: bool = True
    """False when it gave no text, or one whose use is known to be reserved."""
    in_full: bool = False
    """Whether to ask for the whole answer this time, whether it has changed or not."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL handed to one run to fetch. ``url`` is the canonical form and the key; ``fetch_url`` is what to ask for."""

    url_id: int
    url: str
    fetch_url: str
    site: str
    host: str
    kind: Kind = Kind.PAGE
    depth: int = 0
    hops: int = 0
    attempts: int = 0
    original: Original | None = None
    """Its last whole answer, when there is one to ask about."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A URL that the configuration names: a start page, a feed or a sitemap of a site."""

    url: str
    fetch_url: str
    site: str
    host: str
    kind: Kind
    listed: bool = False
    """Whether it is a page of a list: no source."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """One exchange and what it means for the frontier; written in the *fetched* transaction.

    ``lease`` is None for exchanges nobody leased (robots.txt). With a lease and neither ``reason`` nor ``retry_at``
    the page awaits processing; with ``retry_at`` (epoch seconds) its URL goes back to pending; with ``reason`` alone
    it has failed. With ``original`` it brought nothing new: it is archived as a revisit of that record, and over.
    """

    capture: Capture
    lease: Lease | None = None
    reason: str | None = None
    retry_at: float | None = None
    original: Original | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A lease that brought no exchange at all (refused, unreachable, timed out before an answer)."""

    lease: Lease
    reason: str
    retry_at: float | None = None


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a body, how its encoding was decided and the share of characters that could not be decoded (U+FFFD)."""

    text: str
    encoding: str
    source: str
    """One of ``bom``, ``utf-8``, ``header``, ``meta``, ``detected``; ``rendered`` for the DOM of a browser."""
    replaced: float = 0.0


@dataclass(frozen=True, slots=True)
class Extraction:
    """The main content of a page (``pipelines.extractors``): paragraphs, by whom and why; and what is kept apart."""

    paragraphs: tuple[str, ...]
    extractor: str
    version: str
    reason: str = ""
    kinds: str = ""
    """A letter of `ParagraphKind` for each paragraph; "" from extractors that cannot tell."""
    title: str = ""
    """The heading that agrees with the title the page states; "" where there is none, or nobody looked."""
    captions: tuple[str, ...] = ()
    """Captions of pictures and tables in or beside the article, in the order of the page."""
    comments: tuple[str, ...] = ()
    """Readers' comments, where they are marked as such; the first of them, each of bounded length."""
    confidence: float | None = None
    """F1 that the text is expected to have, 0 to 1; None from extractors that cannot tell."""

    @property
    def text(self) -> str:
        """The paragraphs, one a line."""
        return "\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class LanguageGuess:
    """Language (ISO 639-1 where there is one; ``und``: unknown), confidence 0–1, main script (ISO 15924), its share."""

    language: str
    confidence: float
    script: str
    script_share: float


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page states of itself. ``published`` is ISO 8601, ``published_text`` the string it was read from."""

    title: str | None = None
    author: str | None = None
    published: str | None = None
    published_text: str | None = None
    canonical: str | None = None
    """rel=canonical, absolute and canonicalised, believed within the page's own site only."""
    directives: tuple[str, ...] = ()
    """Lower-case robots directives of meta tags and X-Robots-Tag, sorted: ``noindex``, ``noarchive``, ``nofollow`` …"""
    published_calendar: str | None = None
    published_source: str | None = None
    """What ``published_text`` counts in, and where on the page it stands, in the words of ``storage.exports``."""
    published_confidence: float | None = None
    """0 to 1: how sure it is that this date was meant and is the date of publication."""
    tdm: int | None = None
    """1: text and data mining is reserved (W3C TDMRep), 0: it is not; None: nothing is said."""
    tdm_policy: str | None = None
    """Where the terms for it stand, absolute."""
    tdm_source: str | None = None
    """Who says so: ``meta``, ``header`` or ``file`` (tdmrep.json)."""
    licence_url: str | None = None
    """The licence that the page names for itself, absolute."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Exact and near-duplicate fingerprints of a text (see pipelines.fingerprints for the scheme)."""

    scheme: str
    exact: bytes
    """xxh3-128 of the canonical text, 16 bytes."""
    shingles: int
    sketch: bytes = b""
    """Some bits of many minhashes, as the scheme says; empty when the text is too short for a near comparison."""
    bands: tuple[int, ...] = ()
    """20 signed integers, one a band of 6 rows; empty with the sketch."""


# Read and written with each document of an export, which a dataclass takes several times as long for.
class Quality(msgspec.Struct, frozen=True, gc=False):
    """What is measured of a text for those who choose among texts (see ``pipelines.quality``); shares are 0 to 1.

    Visible characters are letters, marks, digits and signs. None: it says nothing of this language.
    """

    words: int
    mean_line: float
    """Characters of a line; blank lines are none. ``mean_word``: of a word."""
    mean_word: float | None
    alphabetic_words: float
    """Words that begin with a letter; next: visible characters that are punctuation or symbols, and that are digits."""
    symbol_share: float
    digit_share: float
    stop_word_share: float | None
    """Words that are among the language's commonest; where no spaces part words, letters within them."""
    ended_lines: float
    """Lines that end as sentences do, a quotation mark behind it or not."""
    repeated_lines: float
    """Lines that stood in the text before; next: characters in all places of the commonest pair of words (Gopher)."""
    top_bigram: float
    repeated_5grams: float
    """Characters in runs of five words, or ten, that stood in the text before (Gopher's duplicate n-grams)."""
    repeated_10grams: float


@dataclass(frozen=True, slots=True)
class Document:
    """A text worth keeping, with everything known of it at processing time."""

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
    """Identifier of the SiteModel that was used; empty when none was there."""
    confidence: float | None = None
    """As in `Extraction`, like the rest."""
    kinds: str = ""
    """A letter of `ParagraphKind` for each line of the text; "" when they are not known."""
    captions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    quality: Quality | None = None
    """None when nobody measured."""
    languages: tuple[str, ...] = ()
    """Of each line language, confidence, script, its share: ``vi 0.98 Latn 1.00``; 0.00: taken to be like the whole."""
    foreign_share: float | None = None
    """Share of the text in lines of another language than the whole; None when nobody looked."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Why a page gave no document: a short reason to count by, and the particulars."""

    reason: str
    detail: str = ""
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A URL found in a page: canonical key, what to ask for, its host, what it is expected to be."""

    url: str
    fetch_url: str
    host: str
    kind: Kind = Kind.PAGE
    redirect: bool = False
    """True when it is the target of a redirect, so that hops are counted and depth is not."""
    dated: str | None = None
    """When a feed or sitemap says it was published or changed: ISO 8601 in UTC, so that texts compare as times do."""
    twin: str | None = None
    """Key of the same page at another host of the site, by their names; where that is known, this is not asked for."""
    rank: int = 0
    """Added to its priority: below 0 for what looks less like an article than other links of its page."""


@dataclass(frozen=True, slots=True)
class Processed:
    """The whole outcome of one page: a document or a drop (never both, never neither), and the links found."""

    document: Document | None = None
    drop: Drop | None = None
    links: tuple[Link, ...] = ()
    directives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteModel:
    """What is known of a site before a page of it is read: its rules, and what earlier runs have learned of it.

    An immutable, versioned value: processing the same capture with the same model gives the same result for ever.
    """

    site: str = ""
    version: str = ""
    """Digest of the rules and of the program's version; behind a hyphen the id of what was learned, if anything."""
    hosts: tuple[str, ...] = ()
    """Hosts in scope, without ``www.``; their subdomains are in scope too. Empty: no link is followed."""
    allow: tuple[str, ...] = ()
    """Regular expressions, searched in the canonical URL; a link needs one of them. Empty: every link will do."""
    deny: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Languages the corpus wants; empty: all."""
    language_backend: str = "pycld2"
    extractor: str = "auto"
    min_chars: int = 200
    parameters: tuple[tuple[str, int], ...] = ()
    """Extractor parameters such as ``("p", 8)``."""
    since: str = ""
    """First day (ISO date) of the range that is crawled; empty: no bound. Links known to lie outside are left out."""
    until: str = ""
    template: bytes = b""
    """What was learned: the blocks that recur on the site's pages, as sorted 64-bit keys."""
    reservations: str = "record"
    """What becomes of a page whose use is reserved: ``record``, or ``skip`` for no document."""
    elsewhere: tuple[str, ...] = ()
    """Hosts below these that are other sites' own, with all below them."""


@dataclass(frozen=True, slots=True)
class Unprocessed:
    """A page between the two transactions, fetched or ``imported``; ``crashes`` is how many workers it has cost."""

    fetch_id: int
    lease: Lease
    fetched_at: datetime
    pointer: Pointer
    crashes: int = 0
    terms: Terms | None = None
    imported: bool = False
