"""Look up one page of a corpus by its URL or the id of its document: state, visits, document, original."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.documents.healing import EarlierValue
    from storage.documents.model import CorpusDocument
    from storage.fetches.url_history import UrlHistory
    from storage.records import Capture
    from storage.removal.affected_pages import RemovalRequest

ID = re.compile("[0-9a-fA-F]{4,32}")
"""Id of a document: 32 hexadecimal digits. Four or more from its beginning stand for it if no other id begins so."""
MOST_CANDIDATES = 10
"""Documents that a message on a shortened id lists."""


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page of the corpus, and its document if it has one."""

    page: UrlHistory
    document: CorpusDocument | None
    history: Sequence[EarlierValue] = ()
    """Earlier titles, authors and dates of the document."""


def look_up(config: Config, target: str) -> ShownPage:
    """Return the page of a URL, in any spelling, or of a document's id.

    Raises ConfigError if the corpus does not know the page. The error says which rule excludes it.
    """
    from storage.corpus import Corpus

    with Corpus.open(config.database_url, read_only=True) as corpus:
        document = corpus.documents.find(full_id(corpus, target)) if is_id(target) else None
        page = corpus.fetches.page(spellings(document.url if document else target))
        if page is None:
            raise ConfigError("the corpus does not know this page", where=target, do=_why_unknown(config, target))
        document = document or corpus.documents.find(page.url)
        return ShownPage(page, document, corpus.documents.history(document.id) if document else ())


def is_id(target: str) -> bool:
    """Return whether a target has the form of a document's id, or of the beginning of one."""
    return ID.fullmatch(target) is not None


def full_id(corpus: Corpus, target: str) -> str:
    """Return the id of the document that has, or whose id begins with, these digits; the digits if there is none.

    Raises ConfigError if several ids begin with them. The error lists the documents.
    """
    beginning = target.lower()
    found = corpus.documents.ids_like(beginning, MOST_CANDIDATES + 1)
    if len(found) > 1:
        more = "\n  and others" if len(found) > MOST_CANDIDATES else ""
        known = corpus.documents.of_ids(found[:MOST_CANDIDATES])
        lines = (f"{each.id}  {each.url}  {each.title or ''}".rstrip() for each in known)
        raise ConfigError("several ids begin so", where=target, do="\n  ".join(("Add digits:", *lines)) + more)
    return found[0] if found else beginning


def with_full_ids(config: Config, requests: list[RemovalRequest]) -> list[RemovalRequest]:
    """Return requests with the whole ids of documents. Raises ConfigError for a beginning that several ids have."""
    from storage.corpus import Corpus

    shortened = [each for each in requests if each.kind == "id" and is_id(each.value)]
    if not shortened:
        return requests
    with Corpus.open(config.database_url, read_only=True) as corpus:
        return [replace(each, value=full_id(corpus, each.value)) if each in shortened else each for each in requests]


def spellings(address: str) -> list[str]:
    """Return the canonical URLs that an address may be stored under: with http or https, with or without ``www.``."""
    from pipelines.urls.url import canonicalise
    from storage.blocklist import tombstones

    first = canonicalise(address if "://" in address else f"https://{address}")
    return list(dict.fromkeys([first, *tombstones.spellings(first)])) if first else []


def _why_unknown(config: Config, target: str) -> str:
    from pipelines.discovery.scope import scope_of
    from pipelines.urls.url import parse

    address = parse(target if "://" in target else f"https://{target}")
    if is_id(target):
        return "No document has this id, or one that begins so. `export` writes the ids of all documents."
    if not re.search("[./:]", target):
        return "No document has an id that begins so: ids have hexadecimal digits. `search` shows the id of each text."
    if address is None:
        return "Give the URL of a page, or the id of a document."
    scopes = {name: scope_of(model) for name, model in config.site_models().items()}
    if names := [name for name, scope in scopes.items() if scope.has(address)]:
        return f'Site "{names[0]}" allows it, but no page links to it. `sites discover` finds more sources.'
    if names := [name for name, scope in scopes.items() if scope.has_host(address.host)]:
        return f'The rules of site "{names[0]}" exclude it. See allow and deny in corpus.toml.'
    return "No [[site]] of corpus.toml has its host."


def original(config: Config, page: UrlHistory, document: CorpusDocument | None, target: str) -> bytes:
    """Return the stored body of a page, with the content coding undone, or the DOM if a browser rendered it.

    It is the original of the document, else the newest one. Raises ConfigError if no original is stored, and
    DamageError if it cannot be read.
    """
    from storage.bytes.content_encoding import InflateError, inflate

    capture = stored_capture(config, page, document, target)
    try:
        return capture.rendered or inflate(capture.body, capture.coding)
    except InflateError as error:
        do = f"The URL is {page.url}."
        raise ConfigError(f"the original cannot be decompressed: {error}", where=target, do=do) from error


def stored_capture(config: Config, page: UrlHistory, document: CorpusDocument | None, target: str) -> Capture:
    """Return the stored response that the document is from, else the newest one. Raises errors as ``original``."""
    from corpus_spider.archive.originals import read_original
    from storage.corpus import Corpus

    pointers = [visit.pointer for visit in page.visits if visit.pointer]
    extracted = [each for each in pointers if document and each.record_id == document.record_id]
    pointer = next(iter(extracted or pointers), None)
    if pointer is None:
        raise ConfigError("no original of this page is stored", where=target, do="Show its visits without --original.")
    with Corpus.open(config.database_url, read_only=True) as corpus:
        return read_original(config, corpus, pointer)


def next_command(page: UrlHistory) -> str:
    """Return the arguments of the next command for a page without a document."""
    from storage.records import UrlState

    site, address = shlex.quote(page.site), shlex.quote(page.url)
    if page.state is UrlState.SUSPENDED:
        return f"crawl --release-suspended --site {site}"
    if page.state in {UrlState.PENDING, UrlState.LEASED, UrlState.FETCHED}:
        return f"crawl --site {site}"
    reasons = [visit.reason or "" for visit in page.visits if visit.pointer]
    if not all(reason.startswith("http_") for reason in reasons):
        return f"show --original {address}"
    if reasons:
        return f"dropped --site {site} --reason {reasons[0]}"
    if page.state is UrlState.FAILED and page.reason:
        return f"dropped --site {site} --reason {shlex.quote(page.reason)}"
    return f"sites check {site}"
