"""Duplicate sets: documents with the same or nearly the same text, and their representative.

Two documents are *exact* duplicates if their 16-byte hashes are equal; they share one fingerprint row. Two fingerprints
are *near* duplicates if they share a band key (MinHash with banding: Broder 1997; Leskovec, Rajaraman and Ullman,
Mining of Massive Datasets, section 3.4) and their sketches estimate a high Jaccard similarity of their shingles
(``storage.documents.near_duplicates``).

A set is a connected component, so it does not depend on the order of arrival. Its representative is the longest text,
then one with a date (print versions often show none), then the smallest URL, then the lowest version. Only current
documents count. A superseded version is no duplicate, and represents a set only if the set has no current document.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from storage.database.schema import band, document, duplicate_set, fingerprint, near_duplicate, scheme, url
from storage.database.transactions import chunks, insert_numbers, insert_rows, upsert
from storage.documents.near_duplicates import Neighbours, SketchedText, shapes
from storage.documents.sketches import SketchFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow
    from storage.records import Fingerprint


class DuplicateRank(NamedTuple):
    """Sort key of a document in its set. The smallest one represents the set."""

    superseded: bool
    minus_chars: int
    undated: bool
    url: str
    version: int
    document_id: int


def register(connection: Connection, prints: Sequence[Fingerprint]) -> list[int]:
    """Store fingerprints and join them with their near-duplicates; return their ids in the order given.

    Call it before the documents are stored, and `place` after. Equal fingerprints share an id.
    """
    names = sorted({each.scheme for each in prints})
    if names:
        insert = upsert(connection, scheme).on_conflict_do_nothing(index_elements=["name"])
        connection.execute(insert, [{"name": name} for name in names])
    known = connection.execute(sa.select(scheme.c.name, scheme.c.id).where(scheme.c.name.in_(names)))
    schemes = {row.name: row.id for row in known}
    keyed = {(each.exact, schemes[each.scheme]): each for each in prints}
    ids = _known_prints(connection, keyed)
    new = {key: each for key, each in keyed.items() if key not in ids}
    new_ids = _insert_prints(connection, new)
    ids.update(zip(new, new_ids, strict=True))
    newcomers = (
        SketchedText(ids[key], key[1], each.sketch, each.bands, each.numbers, each.shingles)
        for key, each in new.items()
    )
    _join(connection, list(newcomers))
    return [ids[each.exact, schemes[each.scheme]] for each in prints]


def place(connection: Connection, standings: Sequence[tuple[int, DuplicateRank]]) -> None:
    """Add new documents, as (fingerprint id, standing), to their sets and update the representatives."""
    sets = _sets_of(connection, {print_id for print_id, _ in standings})
    newcomers: dict[int, list[DuplicateRank]] = defaultdict(list)
    for print_id, standing in standings:
        newcomers[sets[print_id]].append(standing)
    states = _states(connection, newcomers)
    changed = {}
    for set_id, members in newcomers.items():
        size, best = states[set_id]
        changed[set_id] = size + len(members), min([*members, *([best] if best else [])])
    _write_states(connection, changed)


def refresh(connection: Connection, print_ids: Iterable[int]) -> None:
    """Update the sets of these fingerprints after their documents changed or were deleted.

    Fingerprints without documents are deleted. A set that loses one is rebuilt, because the fingerprint may have joined
    it.
    """
    sets = _sets_of(connection, set(print_ids))
    used = document.c.fingerprint_id == fingerprint.c.id
    unused = sa.select(fingerprint.c.id).where(fingerprint.c.id.in_(sets), ~sa.exists().where(used))
    gone = set(connection.execute(unused).scalars())
    for set_id in sorted(set(sets.values())):
        forgotten = [print_id for print_id in gone if sets[print_id] == set_id]
        for changed in _rebuild(connection, set_id, forgotten) if forgotten else [set_id]:
            _recount(connection, changed)


def _known_prints(connection: Connection, wanted: Iterable[tuple[bytes, int]]) -> dict[tuple[bytes, int], int]:
    known: dict[tuple[bytes, int], int] = {}
    columns = sa.select(fingerprint.c.exact, fingerprint.c.scheme_id, fingerprint.c.id)
    for part in chunks(sorted({exact for exact, _ in wanted})):
        rows = connection.execute(columns.where(fingerprint.c.exact.in_(part)))
        known.update(((bytes(row.exact), row.scheme_id), row.id) for row in rows)
    return known


def _insert_prints(connection: Connection, new: Mapping[tuple[bytes, int], Fingerprint]) -> list[int]:
    set_ids = insert_rows(connection, duplicate_set, [{"size": 0} for _ in new])
    rows = [
        {
            "set_id": set_id,
            "scheme_id": scheme_id,
            "exact": exact,
            "shingles": each.shingles,
            "sketch": each.sketch,
            "bands": SketchFormat.of(each.scheme).pack_keys(each.bands),
            "numbers": each.numbers,
        }
        for set_id, ((exact, scheme_id), each) in zip(set_ids, new.items(), strict=True)
    ]
    ids = insert_rows(connection, fingerprint, rows)
    # Sorted, so that neighbouring index entries are written together.
    keys = sorted({(key, print_id) for print_id, each in zip(ids, new.values(), strict=True) for key in each.bands})
    insert_numbers(connection, band, keys)
    return ids


def _join(connection: Connection, newcomers: Sequence[SketchedText], within: set[int] | None = None) -> None:
    """Merge the sets of newcomers with those of similar fingerprints (only ``within`` these). Store the pairs as
    evidence.
    """
    neighbours = Neighbours(connection, newcomers, within)
    for each in newcomers:
        neighbours.join(each)
    if neighbours.evidence:
        connection.execute(sa.insert(near_duplicate), neighbours.evidence)
        _merge(connection, neighbours.moves)


_MOVED = (
    sa.update(fingerprint).where(fingerprint.c.set_id == sa.bindparam("source")).values(set_id=sa.bindparam("target"))
)


_ALONE = sa.update(fingerprint).where(fingerprint.c.id == sa.bindparam("of_print")).values(set_id=sa.bindparam("own"))


def _merge(connection: Connection, moves: Mapping[int, int]) -> None:
    states = _states(connection, {*moves, *moves.values()})
    merged = {target: states[target] for target in set(moves.values())}
    for source, target in moves.items():
        size, best = states[source]
        standing = min((each for each in (best, merged[target][1]) if each), default=None)
        merged[target] = (merged[target][0] + size, standing)
    connection.execute(_MOVED, [{"source": source, "target": target} for source, target in sorted(moves.items())])
    for part in chunks(sorted(moves)):
        connection.execute(sa.delete(duplicate_set).where(duplicate_set.c.id.in_(part)))
    _write_states(connection, merged)


def _sets_of(connection: Connection, print_ids: Iterable[int]) -> dict[int, int]:
    sets: dict[int, int] = {}
    columns = sa.select(fingerprint.c.id, fingerprint.c.set_id)
    for part in chunks(sorted(print_ids)):
        sets.update((row.id, row.set_id) for row in connection.execute(columns.where(fingerprint.c.id.in_(part))))
    return sets


def _states(connection: Connection, set_ids: Iterable[int]) -> dict[int, tuple[int, DuplicateRank | None]]:
    """Return size and representative of each set."""
    states: dict[int, tuple[int, DuplicateRank | None]] = {}
    statement = (
        sa.select(duplicate_set.c.id, duplicate_set.c.size, *_STANDING)
        .outerjoin(document, document.c.id == duplicate_set.c.representative_id)
        .outerjoin(url, url.c.id == document.c.url_id)
    )
    for part in chunks(sorted(set_ids)):
        for row in connection.execute(statement.where(duplicate_set.c.id.in_(part))):
            states[row.id] = (row.size, None if row.document_id is None else _standing(row))
    return states


_STANDING = (
    document.c.superseded,
    document.c.chars,
    document.c.published.is_(None).label("undated"),
    url.c.url,
    document.c.version,
    document.c.id.label("document_id"),
)


def _standing(row: AnyRow) -> DuplicateRank:
    return DuplicateRank(bool(row.superseded), -row.chars, bool(row.undated), row.url, row.version, row.document_id)


_SET_STATE = (
    sa.update(duplicate_set)
    .where(duplicate_set.c.id == sa.bindparam("of_set"))
    .values(size=sa.bindparam("new_size"), representative_id=sa.bindparam("new_representative"))
)


def _write_states(connection: Connection, states: Mapping[int, tuple[int, DuplicateRank | None]]) -> None:
    rows = [
        {"of_set": set_id, "new_size": size, "new_representative": best.document_id if best else None}
        for set_id, (size, best) in sorted(states.items())
    ]
    if rows:
        connection.execute(_SET_STATE, rows)


def _recount(connection: Connection, set_id: int) -> None:
    statement = (
        sa.select(*_STANDING)
        .join(url, url.c.id == document.c.url_id)
        .join(fingerprint, fingerprint.c.id == document.c.fingerprint_id)
        .where(fingerprint.c.set_id == set_id)
    )
    members = [_standing(row) for row in connection.execute(statement)]
    size = sum(not each.superseded for each in members)
    _write_states(connection, {set_id: (size, min(members, default=None))})


def _rebuild(connection: Connection, set_id: int, forgotten: Sequence[int]) -> list[int]:
    """Rebuild a set without some of its fingerprints; return the resulting sets."""
    rows = connection.execute(sa.select(fingerprint).where(fingerprint.c.set_id == set_id)).all()
    stored_as = shapes(connection)
    members = [
        SketchedText(
            row.id,
            row.scheme_id,
            bytes(row.sketch),
            stored_as[row.scheme_id].unpack_keys(row.bands),
            bytes(row.numbers or b""),
            row.shingles,
        )
        for row in rows
    ]
    for part in chunks([each.id for each in members]):
        connection.execute(sa.delete(near_duplicate).where(near_duplicate.c.a.in_(part)))
    for each in members:
        if each.id in forgotten:
            pairs = sa.and_(band.c.key.in_(each.keys), band.c.fingerprint_id == each.id)
            connection.execute(sa.delete(band).where(pairs))
    connection.execute(sa.delete(fingerprint).where(fingerprint.c.id.in_(forgotten)))
    kept = [each for each in members if each.id not in forgotten]
    own_sets = insert_rows(connection, duplicate_set, [{"size": 0} for _ in kept])
    alone = [{"of_print": each.id, "own": own} for each, own in zip(kept, own_sets, strict=True)]
    if alone:
        connection.execute(_ALONE, alone)
    connection.execute(sa.delete(duplicate_set).where(duplicate_set.c.id == set_id))
    _join(connection, kept, within={each.id for each in kept})
    return sorted(set(_sets_of(connection, [each.id for each in kept]).values()))
