"""Find the pages of a request for removal, with all their addresses. Read-only.

The addresses of a page are its mobile and print forms, short URLs that redirect to it, and the page of a named form.
A canonical link is trusted as far as a crawl trusts it. An address that several current texts state is not the address
of one article. A page with a text unlike that at its canonical URL is another page. Front pages and sources are not
forms of an article.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import sqlalchemy as sa

from storage.blocklist.author_keys import author_key, author_keys
from storage.blocklist.tombstones import domains_of, loose_key, page_key, spellings
from storage.database.schema import document, fetch, fingerprint, url, warc_file
from storage.database.transactions import chunks
from storage.documents.succession import HAS_SUCCESSOR
from storage.reasons import REDIRECT, SAME_PAGE
from storage.records import Kind
from storage.warc.redact import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from sqlalchemy.engine import Connection

MAX_REPORTED_ADDRESSES = 100
"""Reported addresses of texts that repeat the removed ones and stay."""
_NOT_EMPTIED = fetch.c.payload_digest.is_distinct_from(NOTHING)
_FILES = sa.select(warc_file.c.name).distinct().join(fetch, fetch.c.warc_id == warc_file.c.id)


class RequestKind(StrEnum):
    """Kind of a request."""

    URL = "url"
    DOMAIN = "domain"
    ID = "id"
    AUTHOR = "author"


@dataclass(frozen=True, slots=True)
class RemovalRequest:
    """A request for removal: what to remove, why, and whether to remove texts that repeat it.

    ``value``: a canonical URL, a domain in lower case, a document's id, or an author's name as pages state it.
    ``where``: where it is stated, for messages: file and line.
    """

    kind: RequestKind
    value: str
    reason: str
    duplicates: bool = False
    where: str = field(default="", compare=False)


@dataclass(slots=True)
class AffectedPages:
    """Pages of a request.

    ``alike``: addresses of texts that repeat these and stay, the first `MAX_REPORTED_ADDRESSES`. ``unseen``: addresses
    of pages that are not in the corpus yet. ``strays``: records without a URL, which a crash left. ``files``: WARC
    files with originals. ``removal``: the id of the removal, 0 before it is declared.
    """

    url_ids: set[int] = field(default_factory=set)
    urls: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    fetches: int = 0
    alike: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    removal: int = 0

    @property
    def matches(self) -> bool:
        """Whether the corpus has anything of the request."""
        return bool(self.url_ids or self.strays)


def affected_pages(connection: Connection, request: RemovalRequest) -> AffectedPages:
    """Return the pages that a request would remove."""
    ids = _named(connection, request)
    forms = _forms(connection, request, ids)
    if request.duplicates:
        forms = _forms(connection, request, forms.url_ids | _alike(connection, forms.url_ids))
    ids = forms.url_ids
    found = AffectedPages(ids, unseen=sorted(forms.unseen))
    for part in chunks(sorted(ids)):
        found.urls += connection.execute(sa.select(url.c.url).where(url.c.id.in_(part))).scalars()
        documents = sa.select(document.c.public_id).where(document.c.url_id.in_(part))
        found.documents += connection.execute(documents).scalars()
        number = sa.select(sa.func.count()).select_from(fetch).where(fetch.c.url_id.in_(part), _NOT_EMPTIED)
        found.fetches += connection.execute(number).scalar_one()
        found.files.update(connection.execute(_FILES.where(fetch.c.url_id.in_(part), _NOT_EMPTIED)).scalars())
    repeating = _alike(connection, ids) - ids
    for part in chunks(sorted(repeating)[:MAX_REPORTED_ADDRESSES]):
        found.alike += connection.execute(sa.select(url.c.url).where(url.c.id.in_(part))).scalars()
    for listed in (found.urls, found.documents, found.alike):
        listed.sort()
    found.strays = _strays(connection, request, found)
    for part in chunks(found.strays):
        found.files.update(connection.execute(_FILES.where(fetch.c.id.in_(part), _NOT_EMPTIED)).scalars())
    return found


def _forms(connection: Connection, request: RemovalRequest, ids: Collection[int]) -> Forms:
    """Return the named pages with all their addresses. For a domain: without pages on other domains that its pages
    link.
    """
    named = spellings(request.value) if request.kind is RequestKind.URL else []
    of_domain = request.kind is RequestKind.DOMAIN
    return forms_of(connection, ids, named, lambda address: not is_below(request, address), up=not of_domain)


def _named(connection: Connection, request: RemovalRequest) -> set[int]:
    """Return the URLs that match a request directly."""
    match request.kind:
        case RequestKind.URL:
            statement = sa.select(url.c.id).where(url.c.url.in_(spellings(request.value)))
        case RequestKind.DOMAIN:
            name, port = request.value, f"{request.value}:"
            own = url.c.host == name, url.c.host.startswith(port, autoescape=True)
            below = (url.c.host.endswith(f".{name}", autoescape=True), url.c.host.contains(f".{port}", autoescape=True))
            statement = sa.select(url.c.id).where(sa.or_(*own, *below))
            return {*connection.execute(statement).scalars(), *_stating(connection, name)}
        case RequestKind.ID:
            statement = sa.select(document.c.url_id).where(document.c.public_id == request.value)
        case RequestKind.AUTHOR:
            return _written_by(connection, request.value)
    return set(connection.execute(statement).scalars())


def _stating(connection: Connection, domain: str) -> set[int]:
    """Return the URLs of documents whose canonical URL is on a domain, if it is trusted."""
    of_text = document.c.canonical.contains(domain, autoescape=True), BELIEVED
    rows = connection.execute(sa.select(document.c.url_id, document.c.canonical).where(*of_text))
    return {row.url_id for row in rows if domain in domains_of(row.canonical)}


def _written_by(connection: Connection, name: str) -> set[int]:
    key = author_key(name)
    authors = connection.execute(sa.select(document.c.author).where(document.c.author.is_not(None)).distinct())
    matching = [author for author in authors.scalars() if key in author_keys(author)]
    found: set[int] = set()
    for part in chunks(matching):
        found.update(connection.execute(sa.select(document.c.url_id).where(document.c.author.in_(part))).scalars())
    return found


def _alike(connection: Connection, ids: Collection[int]) -> set[int]:
    """Return the URLs of documents in the duplicate sets of these URLs' documents."""
    found: set[int] = set()
    joined = document.join(fingerprint, fingerprint.c.id == document.c.fingerprint_id)
    for part in chunks(sorted(ids)):
        own = sa.select(fingerprint.c.set_id).select_from(joined).where(document.c.url_id.in_(part))
        others = sa.select(document.c.url_id).select_from(joined)
        sets = sorted(set(connection.execute(own).scalars()))
        for some in chunks(sets):
            found.update(connection.execute(others.where(fingerprint.c.set_id.in_(some))).scalars())
    return found


def _strays(connection: Connection, request: RemovalRequest, found: AffectedPages) -> list[int]:
    """Return the records without a URL (left by a crash) that have one of these addresses or match the request."""
    keys = {loose_key(each) for each in (*found.urls, *found.unseen, request.value)}
    for part in chunks(sorted(found.url_ids)):
        asked = sa.select(fetch.c.uri).where(fetch.c.url_id.in_(part)).distinct()
        keys.update(map(loose_key, connection.execute(asked).scalars()))
    orphans = sa.select(fetch.c.id, fetch.c.uri).where(fetch.c.outcome == "orphan", fetch.c.url_id.is_(None))
    return [row.id for row in connection.execute(orphans) if loose_key(row.uri) in keys or is_below(request, row.uri)]


def is_below(request: RemovalRequest, address: str) -> bool:
    """Return whether a request for a domain covers an address by its host."""
    return request.kind is RequestKind.DOMAIN and request.value in domains_of(address)


_rivals, _own = document.alias("rivals"), document.alias("own")
_other, _last = fetch.alias("other_fetch"), fetch.alias("last_fetch")
_form, _target = url.alias("form"), url.alias("target")

_claims = sa.select(sa.func.count()).where(_rivals.c.canonical == document.c.canonical, _rivals.c.superseded.is_(False))
_is_only_claim = _claims.correlate(document).scalar_subquery() == 1
BELIEVED = sa.or_(document.c.superseded, _is_only_claim)
"""Condition: the canonical URL of a document is trusted, because no other current text states it."""


def _is_source(of: sa.FromClause) -> sa.ColumnElement[bool]:
    return sa.or_(of.c.seed, of.c.kind != Kind.PAGE, of.c.period > 0)


_newest = sa.select(sa.func.max(_other.c.id)).where(_other.c.outcome.in_(("document", "drop")))
_is_newest = fetch.c.id == _newest.where(_other.c.url_id == fetch.c.url_id).correlate(fetch).scalar_subquery()
# A listed address may be read as a source and redirect; an article is not a source.
_leads_on = sa.and_(fetch.c.reason == REDIRECT, _is_newest, sa.or_(~_is_source(_form), _is_source(_target)))

_is_form = sa.or_(sa.and_(document.c.superseded, ~HAS_SUCCESSOR), sa.and_(~document.c.superseded, _is_only_claim))

_has_text = sa.exists().where(_own.c.url_id == _target.c.id)
_has_current = sa.exists().where(_own.c.url_id == _target.c.id, _own.c.superseded.is_(False))
_is_read = sa.exists().where(_last.c.url_id == _target.c.id)
_last_id = sa.select(sa.func.max(_last.c.id)).where(_last.c.url_id == _target.c.id).correlate(_target).scalar_subquery()
_is_elsewhere = sa.or_(_last.c.reason.in_((SAME_PAGE, REDIRECT)), _last.c.reason.startswith("http_", autoescape=True))
_gave_nothing = sa.exists().where(_last.c.id == _last_id, _is_elsewhere)
_may_be_article = sa.or_(_has_text, sa.and_(~_is_source(_target), sa.or_(~_is_read, _gave_nothing)))


@dataclass(slots=True)
class Forms:
    """All addresses of a page: ids of its URLs, and addresses that are not in the corpus yet."""

    url_ids: set[int] = field(default_factory=set)
    unseen: set[str] = field(default_factory=set)


def forms_of(
    connection: Connection, url_ids: Iterable[int], addresses: Iterable[str], apart: Callable[[str], bool], *, up: bool
) -> Forms:
    """Return all forms of some pages, given as URLs and as addresses that may be unknown.

    ``apart``: accepts addresses whose other spellings are searched. ``up``: include the page that a form belongs to.
    """
    found, left = Forms(set(url_ids)), set(addresses)
    fresh = set(found.url_ids)
    while fresh or left:
        for part in chunks(sorted(fresh)):
            left.update(connection.execute(sa.select(url.c.url).where(url.c.id.in_(part))).scalars())
        more = _hardly_apart(connection, {each for each in left if apart(each)}) | _standing_for(connection, left)
        above = _stood_for(connection, fresh) if up else Forms()
        left = above.unseen - found.unseen
        found.unseen |= left
        fresh = (more | above.url_ids) - found.url_ids
        found.url_ids |= fresh
    return found


def _hardly_apart(connection: Connection, addresses: Collection[str]) -> set[int]:
    """Return the URLs with the loose key of one of these addresses."""
    keys = {loose_key(each) for each in addresses}
    found: set[int] = set()
    for host in {_host_of_key(key) for key in keys}:
        ours = url.c.host == host, url.c.host.endswith(f".{host}", autoescape=True)
        rows = connection.execute(sa.select(url.c.id, url.c.url).where(sa.or_(*ours)))
        found.update(row.id for row in rows if loose_key(row.url) in keys)
    return found


def _host_of_key(key: str) -> str:
    return key.partition("/")[0].partition("?")[0]


def _standing_for(connection: Connection, addresses: Collection[str]) -> set[int]:
    """Return URLs with the pages of these addresses: by trusted canonical URL, as dropped form, or by redirect."""
    found: set[int] = set()
    for part in chunks(sorted(addresses)):
        stating = sa.select(document.c.url_id).where(document.c.canonical.in_(part), BELIEVED)
        found.update(connection.execute(stating).scalars())
        leading = _LEADING.where(fetch.c.detail.in_(part))
        found.update(row.form_id for row in connection.execute(leading) if not _is_front_page(row.form))
    return found


def _stood_for(connection: Connection, url_ids: Collection[int]) -> Forms:
    """Return the pages that these URLs are forms of."""
    found = Forms()
    for part in chunks(sorted(url_ids)):
        leading = _LEADING.where(fetch.c.url_id.in_(part), _may_be_article)
        leading = leading.where(sa.or_(fetch.c.reason == SAME_PAGE, sa.or_(~_is_source(_target), _is_source(_form))))
        stating = _STATING.where(document.c.url_id.in_(part))
        for row in (*connection.execute(leading), *connection.execute(stating)):
            if _is_front_page(row.page):
                continue
            if row.page_id is not None:
                found.url_ids.add(row.page_id)
            elif _are_neighbours(row.form, row.page):
                found.unseen.add(row.page)
    return found


_PAIR = (_form.c.id.label("form_id"), _form.c.url.label("form"), _target.c.id.label("page_id"))
_of_one_site = _target.c.site == _form.c.site
_LEADING = (
    sa.select(*_PAIR, fetch.c.detail.label("page"))
    .select_from(fetch)
    .join(_form, _form.c.id == fetch.c.url_id)
    .outerjoin(_target, sa.and_(_target.c.url == fetch.c.detail, _of_one_site))
    .where(fetch.c.outcome == "drop", sa.or_(fetch.c.reason == SAME_PAGE, _leads_on))
)
_STATING = (
    sa.select(*_PAIR, document.c.canonical.label("page"))
    .select_from(document)
    .join(_form, _form.c.id == document.c.url_id)
    .outerjoin(_target, _target.c.url == document.c.canonical)
    .where(document.c.canonical != _form.c.url, _is_form)
    .where(sa.or_(_target.c.id.is_(None), sa.and_(_of_one_site, _may_be_article)))
    .where(sa.or_(document.c.superseded, ~_has_current))
)


def _is_front_page(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    return parts.path in {"", "/"} and not parts.query


def _are_neighbours(one: str, other: str) -> bool:
    """Return whether two addresses have the same host, or one host is below the other."""
    first, second = (_host_of_key(page_key(address)) for address in (one, other))
    return first == second or first.endswith(f".{second}") or second.endswith(f".{first}")
