"""Decide the outcome of fetched pages: new document, new version or drop. Pure; nothing is written here."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.blocklist.author_keys import author_keys
from storage.blocklist.tombstones import AUTHOR, REMOVED, refused, standing
from storage.bytes.lines import without
from storage.database.schema import document, document_text, fetch, fingerprint, scheme, url
from storage.database.transactions import among, chunks
from storage.documents.shortened import SHORTENED, is_part, may_be_part
from storage.documents.site_models import learned_model, own_lines
from storage.documents.sketches import SketchFormat
from storage.frontier.new_links import MAX_HOPS
from storage.frontier.visit_results import UNCHANGED_TEXT
from storage.records import Document, Drop, Fingerprint, Lease, Processed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow

SAME_PAGE = "same_page"
MIN_FORM_SIMILARITY = 0.3
"""Estimated Jaccard similarity at which a page is accepted as a form of its canonical URL.

A shortened mobile form is above it. Another article of the site is below: some canonical links are wrong, or name page
one.
"""

MOST_PEERS = 100
"""Newest documents with one canonical URL that a page is compared with.

Some templates state one URL on all pages of a site. Comparing all of them would take quadratic time.
"""


@dataclass(frozen=True, slots=True)
class Target:
    """A fetch to decide on: its current row, and its document (on re-extraction)."""

    fetch_id: int
    url_id: int
    url: str
    site: str
    fetched_at: datetime
    version: int | None
    document_id: int | None
    shortened: bool = False
    """Whether its document is only a part of an earlier version."""
    reason: str = ""
    """The reason of its outcome."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a page. ``text`` is empty if no new text is compared with it."""

    number: int
    print: Fingerprint
    text: str = ""
    shortened: bool = False

    def repeats(self, made: Fingerprint) -> bool:
        """Return whether it has this text."""
        return (self.print.exact, self.print.scheme) == (made.exact, made.scheme)


@dataclass(slots=True)
class Versions:
    """The versions of the pages of a group: for each URL, by fetch, oldest first; and the highest number."""

    stored: dict[int, dict[int, Version]] = field(default_factory=lambda: defaultdict(dict))
    highest: dict[int, int] = field(default_factory=dict)

    def before(self, target: Target) -> list[Version]:
        """Return the last full version before a fetch, and the shortened ones since."""
        earlier = [each for fetch_id, each in self.stored[target.url_id].items() if fetch_id < target.fetch_id]
        full = [number for number, each in enumerate(earlier) if not each.shortened]
        return earlier[full[-1] :] if full else earlier[-1:]

    def add(self, target: Target, made: Document) -> Version:
        """Add a new text with the next number. It is shortened if it is a part of the last full version."""
        number = target.version or self.highest.get(target.url_id, 0) + 1
        self.highest[target.url_id] = max(number, self.highest.get(target.url_id, 0))
        before = self.before(target)
        shortened = bool(before) and not before[0].shortened and is_part(made.text, before[0].text)
        return self.note(target, Version(number, made.fingerprint, made.text, shortened))

    def note(self, target: Target, version: Version) -> Version:
        """Add the version of a fetch."""
        self.stored[target.url_id] = dict(sorted((self.stored[target.url_id] | {target.fetch_id: version}).items()))
        return version


@dataclass(frozen=True, slots=True)
class PossibleCopy:
    """A document that may be the same page at another URL."""

    url_id: int
    url: str
    site: str
    print: Fingerprint


@dataclass(slots=True)
class Outcomes:
    """The outcomes of a group."""

    new: list[tuple[Target, Version, Document]] = field(default_factory=list)
    replaced: list[tuple[Target, Document]] = field(default_factory=list)
    dropped: list[tuple[Target, Drop]] = field(default_factory=list)
    repeated: list[tuple[Target, Version, Document]] = field(default_factory=list)
    """Those of the dropped with a text equal to the version before, and that version."""
    overtaken: set[int] = field(default_factory=set)
    """URLs whose documents are superseded by the document of their canonical URL."""


@dataclass(frozen=True, slots=True)
class KnownPages:
    """Stored data about the pages of a group."""

    versions: Versions
    peers: dict[str, list[PossibleCopy]]
    """Current documents by their URL and by the canonical URL they state."""
    own_lines: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Digests of the publisher's own lines, by the learned model of a new text."""


def decide(targets: Sequence[Target], items: Mapping[int, tuple[Lease, Processed]], known: KnownPages) -> Outcomes:
    """Decide the outcome of each fetch of a group, in the order of the fetches. Pure."""
    outcomes = Outcomes()
    for target in targets:
        lease, processed = items[target.fetch_id]
        made = processed.document
        if made is None:
            outcomes.dropped.append((target, drop_of(processed, lease)))
        elif target.document_id is not None:
            version = Version(target.version or 1, made.fingerprint, made.text, target.shortened)
            known.versions.note(target, version)
            outcomes.replaced.append((target, made))
        else:
            _decide_new(target, made, known, outcomes)
    return outcomes


def _repeats(version: Version, made: Document, own_lines: Collection[int]) -> bool:
    """Return whether a version has the text of a document, or one that differs only by the publisher's own lines."""
    if version.repeats(made.fingerprint):
        return True
    if not own_lines or not version.text:
        return False
    return without(version.text, own_lines) == without(made.text, own_lines)


def _decide_new(target: Target, made: Document, known: KnownPages, outcomes: Outcomes) -> None:
    page = made.metadata.canonical or target.url
    same = [peer for peer in known.peers.get(page, ()) if _is_same_page(target, made, peer)]
    if same and target.url != page:
        outcomes.dropped.append((target, Drop(SAME_PAGE, same[0].url, made.language.language)))
        return
    own = known.own_lines.get(learned_model(made.site_model), frozenset())
    repeated = [each for each in known.versions.before(target) if _repeats(each, made, own)]
    if repeated:
        outcomes.dropped.append((target, Drop(UNCHANGED_TEXT, "", made.language.language)))
        outcomes.repeated.append((target, repeated[-1], made))
        return
    version = known.versions.add(target, made)
    outcomes.new.append((target, version, made))
    if version.shortened:
        return
    outcomes.overtaken.update(peer.url_id for peer in same)
    peer = PossibleCopy(target.url_id, target.url, target.site, made.fingerprint)
    past = {target.url_id, *outcomes.overtaken}
    for address in {page, target.url}:
        known.peers[address] = [*(other for other in known.peers.get(address, ()) if other.url_id not in past), peer]


def _is_same_page(target: Target, made: Document, peer: PossibleCopy) -> bool:
    if peer.url_id == target.url_id or peer.site != target.site:
        return False
    one, other = made.fingerprint, peer.print
    if one.exact == other.exact or one.scheme != other.scheme or not (one.sketch and other.sketch):
        # Without fingerprints the canonical link is trusted.
        return True
    return bool(SketchFormat.of(one.scheme).similarities(one.sketch, [other.sketch])[0] >= MIN_FORM_SIMILARITY)


def drop_of(processed: Processed, lease: Lease) -> Drop:
    """Return the drop of a page without a document. Its detail says if the redirect chain is too long."""
    drop = processed.drop or Drop("empty")
    if lease.hops >= MAX_HOPS and any(link.redirect for link in processed.links):
        note = f"not followed: more than {MAX_HOPS} redirects"
        return Drop(drop.reason, f"{drop.detail}; {note}" if drop.detail else note, drop.language)
    return drop


def targets_of(connection: Connection, fetch_ids: Iterable[int], *, again: bool) -> list[Target]:
    """Return the fetches to decide on, oldest first: those without an outcome, or (``again``) all of them."""
    statement = (
        sa.select(*_TARGET)
        .join(url, url.c.id == fetch.c.url_id)
        .outerjoin(document, document.c.fetch_id == fetch.c.id)
        .order_by(fetch.c.id)
    )
    if not again:
        statement = statement.where(fetch.c.outcome.is_(None))
    return [
        Target(*row)
        for part in chunks(sorted(fetch_ids))
        for row in connection.execute(statement.where(fetch.c.id.in_(part)))
    ]


_TARGET = (
    *(fetch.c.id, fetch.c.url_id, url.c.url, url.c.site, fetch.c.fetched_at, fetch.c.version, document.c.id),
    sa.func.coalesce(fetch.c.reason, "") == SHORTENED,
    sa.func.coalesce(fetch.c.reason, ""),
)


def known_of(
    connection: Connection, targets: Sequence[Target], items: Mapping[int, tuple[Lease, Processed]]
) -> KnownPages:
    """Read the stored data about the pages of a group."""
    made = [(target, found) for target in targets if (found := items[target.fetch_id][1].document)]
    pages = {found.metadata.canonical or target.url for target, found in made}
    new = {target.url_id: len(found.text) for target, found in made if target.document_id is None}
    lines = own_lines(connection, {learned_model(found.site_model) for _, found in made} - {""})
    compared = {target.url_id for target, found in made if learned_model(found.site_model) in lines}
    return KnownPages(_versions(connection, targets, new, compared), _peers(connection, pages), lines)


_PRINT = (fingerprint.c.exact, fingerprint.c.sketch, fingerprint.c.shingles, scheme.c.name.label("scheme"))


def _print_of(row: AnyRow) -> Fingerprint:
    return Fingerprint(row.scheme, bytes(row.exact), row.shingles, bytes(row.sketch))


def _printed(statement: sa.Select[tuple[object, ...]]) -> sa.Select[tuple[object, ...]]:
    joined = statement.join(fingerprint, fingerprint.c.id == document.c.fingerprint_id)
    return joined.join(scheme, scheme.c.id == fingerprint.c.scheme_id)


def _versions(
    connection: Connection, targets: Sequence[Target], new: Mapping[int, int], compared: Collection[int]
) -> Versions:
    """Read the versions of the pages of a group.

    ``new``: characters of the new text of a URL. ``compared``: URLs whose last text is compared line by line.
    """
    versions = Versions()
    numbers = sa.select(fetch.c.url_id, sa.func.max(fetch.c.version)).group_by(fetch.c.url_id)
    marked = fetch.c.reason == SHORTENED
    columns = (document.c.id, document.c.url_id, document.c.fetch_id, document.c.version, document.c.chars, *_PRINT)
    stored = sa.select(*columns, marked.label("shortened")).select_from(document)
    stored = _printed(stored.join(fetch, fetch.c.id == document.c.fetch_id))
    for part in chunks(sorted({target.url_id for target in targets})):
        there = numbers.where(fetch.c.url_id.in_(part), fetch.c.version.is_not(None))
        versions.highest.update((url_id, highest) for url_id, highest in connection.execute(there))
    for part in chunks(sorted(versions.highest)):
        rows = connection.execute(stored.where(document.c.url_id.in_(part)).order_by(document.c.fetch_id)).all()
        longer = [row.id for row in rows if row.url_id in new and may_be_part(new[row.url_id], row.chars)]
        last = {row.url_id: row.id for row in rows if row.url_id in compared and row.url_id in new}
        texts: dict[int, str] = {}
        for some in chunks(sorted({*longer, *last.values()})):
            read = sa.select(document_text.c.document_id, document_text.c.text)
            found = connection.execute(read.where(document_text.c.document_id.in_(some)))
            texts.update((number, text) for number, text in found)
        for row in rows:
            version = Version(row.version, _print_of(row), texts.get(row.id, ""), bool(row.shortened))
            versions.stored[row.url_id][row.fetch_id] = version
    return versions


def _peers(connection: Connection, pages: set[str]) -> dict[str, list[PossibleCopy]]:
    columns = (document.c.url_id, url.c.url, document.c.site, document.c.canonical, *_PRINT)
    statement = _printed(sa.select(*columns).select_from(document.join(url, url.c.id == document.c.url_id)))
    current = statement.where(document.c.superseded.is_(False))
    peers: dict[str, dict[int, PossibleCopy]] = defaultdict(dict)
    for part in chunks(sorted(pages)):
        crowded = connection.execute(_CROWDED.where(among(connection, document.c.canonical, part))).scalars().all()
        sparse = among(connection, document.c.canonical, [page for page in part if page not in crowded])
        newest = (
            current.where(document.c.canonical == page).order_by(document.c.id.desc()).limit(MOST_PEERS)
            for page in crowded
        )
        for query in (current.where(among(connection, url.c.url, part)), current.where(sparse), *newest):
            for row in connection.execute(query):
                peer = PossibleCopy(row.url_id, row.url, row.site, _print_of(row))
                for address in {row.url, row.canonical} & pages:
                    peers[address][row.url_id] = peer
    return {address: list(found.values()) for address, found in peers.items()}


_CROWDED = (
    sa.select(document.c.canonical).group_by(document.c.canonical).having(sa.func.count() > sa.literal(MOST_PEERS))
)


def withheld(
    connection: Connection, targets: Sequence[Target], items: Mapping[int, tuple[Lease, Processed]]
) -> dict[int, tuple[Lease, Processed]]:
    """Return the outcomes of a group, with a drop in place of every document that was removed on request."""
    made = {target.fetch_id: items[target.fetch_id][1].document for target in targets}
    canonical = {fetch_id: (each.metadata.canonical or "") if each else "" for fetch_id, each in made.items()}
    authors = {fetch_id: author_keys(each.metadata.author if each else None) for fetch_id, each in made.items()}
    away = refused(connection, {*(target.url for target in targets), *canonical.values()} - {""})
    claimed = _claimants(connection, away.intersection(canonical.values()))
    known = standing(connection, AUTHOR, {key for keys in authors.values() for key in keys})

    def is_removed(target: Target) -> bool:
        # A page belongs to the removal of its canonical URL only if no other page states it.
        claimants = claimed.get(canonical[target.fetch_id])
        alone = claimants is not None and claimants <= {target.url_id}
        return target.url in away or alone or not known.isdisjoint(authors[target.fetch_id])

    removed = {target.fetch_id for target in targets if is_removed(target)}
    return {
        fetch_id: (lease, Processed(drop=Drop(REMOVED)) if fetch_id in removed else processed)
        for fetch_id, (lease, processed) in items.items()
    }


def _claimants(connection: Connection, pages: Collection[str]) -> dict[str, set[int]]:
    """Return the URLs whose current texts state each of these canonical URLs.

    If several do, the address is no page's own, and none of them belongs to its removal.
    """
    found: dict[str, set[int]] = {page: set() for page in pages}
    current = sa.select(document.c.canonical, document.c.url_id).where(document.c.superseded.is_(False))
    for part in chunks(sorted(pages)):
        for row in connection.execute(current.where(among(connection, document.c.canonical, part))):
            found[row.canonical].add(row.url_id)
    return found
