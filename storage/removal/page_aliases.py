"""Find all addresses of a page: mobile and print forms, short URLs that redirect to it, and the page of a named form.

A canonical link is trusted as far as a crawl trusts it. An address that several current texts state is not the address
of one article. A page with a text unlike that at its canonical URL is another page. Front pages and sources are not
forms of an article.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import sqlalchemy as sa

from storage.blocklist.tombstones import loose_key, page_key
from storage.database.schema import document, fetch, url
from storage.database.transactions import chunks
from storage.documents.decider import SAME_PAGE
from storage.documents.succession import HAS_SUCCESSOR
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from sqlalchemy.engine import Connection

REDIRECT = "redirect"

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
