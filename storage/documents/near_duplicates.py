"""Find near-duplicates: fingerprints that share a band key, reach `THRESHOLD` by their sketches, and share numbers.

Sets are connected components. A text similar to one member of a set is not compared with the others. So thousands of
similar pages (lottery results, the weather of each town) do not take quadratic time. A text similar to no member has
been compared with all members that share a key. So the order makes no difference.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from storage.database.schema import band, fingerprint, scheme
from storage.database.transactions import among, chunks
from storage.documents.sketches import SketchFormat, numbers_agree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy.engine import Connection

THRESHOLD = 0.75
"""Estimated Jaccard similarity of near-duplicates."""
FIRST_COMPARED = 8
"""Members of a set that a text is compared with first."""


@dataclass(frozen=True, slots=True)
class SketchedText:
    """Fingerprint data for the comparison: sketch bytes and band keys (both empty for a short text)."""

    id: int
    scheme_id: int
    sketch: bytes
    keys: tuple[int, ...]
    numbers: bytes = b""
    shingles: int = 0


class _StoredFingerprint(NamedTuple):
    """A stored fingerprint."""

    set_id: int
    scheme_id: int
    sketch: bytes
    numbers: bytes
    shingles: int


class Neighbours:
    """Some fingerprints, all others that share a band key (only ``within`` these), and their sets."""

    def __init__(
        self, connection: Connection, newcomers: Sequence[SketchedText], within: Collection[int] | None = None
    ) -> None:
        rows = _holders(connection, {key for each in newcomers for key in each.keys}, within)
        self._held = _held(connection, {print_id for _, print_id in rows})
        self._shapes = shapes(connection)
        self._parents = {each.set_id: each.set_id for each in self._held.values()}
        self._holders: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        """By key and set."""
        for key, print_id in rows:
            self._holders[key][self._held[print_id].set_id].append(print_id)
        self.evidence: list[dict[str, Any]] = []
        """Pairs that merged two sets: ``a``, ``b`` and ``jaccard``."""

    @property
    def moves(self) -> dict[int, int]:
        """Merged sets: from each id to the smallest id of the new set."""
        return {set_id: root for set_id in self._parents if (root := self._root(set_id)) != set_id}

    def join(self, each: SketchedText) -> None:
        """Merge the set of a newcomer with the sets of similar texts. A short text is similar to no other."""
        if not each.keys:
            return
        others = self._other_sets(each)
        first = [print_id for lists in others.values() for print_id in lists[0][:FIRST_COMPARED]]
        self._unite(each, self.like(each, first))
        left = {
            print_id
            for set_id, lists in others.items()
            if self._root(set_id) != self._set_of(each.id)
            for held in lists
            for print_id in held
        }
        self._unite(each, self.like(each, sorted(left.difference(first))))

    def holders(self, each: SketchedText) -> set[int]:
        """Return the fingerprints that share a key with this one."""
        found = (held for key in each.keys for held in self._by_set(key).values())
        return set().union(*found) - {each.id}

    def like(self, each: SketchedText, print_ids: Iterable[int]) -> list[tuple[int, float]]:
        """Return the fingerprints that are similar to this one, with the estimate."""
        held = ((print_id, self._held[print_id]) for print_id in print_ids)
        wanted = each.scheme_id, len(each.sketch)
        others = [(print_id, one) for print_id, one in held if (one.scheme_id, len(one.sketch)) == wanted]
        if not others:
            return []
        values = self._shapes[each.scheme_id].similarities(each.sketch, [one.sketch for _, one in others]).tolist()
        return [
            (print_id, value)
            for (print_id, one), value in zip(others, values, strict=True)
            if value >= THRESHOLD and numbers_agree(each.numbers, one.numbers, min(each.shingles, one.shingles))
        ]

    def _other_sets(self, each: SketchedText) -> dict[int, list[list[int]]]:
        """Return for each other set the fingerprints that share a key with a newcomer, a list for each key."""
        others: dict[int, list[list[int]]] = defaultdict(list)
        for key in each.keys:
            for set_id, held in self._by_set(key).items():
                others[set_id].append(held)
        others.pop(self._set_of(each.id), None)
        return others

    def _by_set(self, key: int) -> dict[int, list[int]]:
        """Return the fingerprints with a key, by their current sets."""
        held = self._holders[key]
        for old in [set_id for set_id in held if self._parents[set_id] != set_id]:
            held[self._root(old)] += held.pop(old)
        return held

    def _unite(self, each: SketchedText, like: Iterable[tuple[int, float]]) -> None:
        for other, jaccard in like:
            one, two = sorted((self._set_of(each.id), self._set_of(other)))
            if one != two:
                self._parents[two] = one
                self.evidence.append({"a": min(each.id, other), "b": max(each.id, other), "jaccard": jaccard})

    def _set_of(self, print_id: int) -> int:
        return self._root(self._held[print_id].set_id)

    def _root(self, set_id: int) -> int:
        parents = self._parents
        while parents[set_id] != set_id:
            parents[set_id] = set_id = parents[parents[set_id]]
        return set_id


def shapes(connection: Connection) -> dict[int, SketchFormat]:
    """Return the storage format of each scheme."""
    return {row.id: SketchFormat.of(row.name) for row in connection.execute(sa.select(scheme.c.id, scheme.c.name))}


def _holders(connection: Connection, keys: Collection[int], within: Collection[int] | None) -> list[tuple[int, int]]:
    """Return each key with its fingerprints."""
    rows: list[tuple[int, int]] = []
    for part in chunks(sorted(keys)):
        of_keys = sa.select(band.c.key, band.c.fingerprint_id).where(among(connection, band.c.key, part))
        rows += [(key, held) for key, held in connection.execute(of_keys).all() if within is None or held in within]
    return rows


def _held(connection: Connection, print_ids: Iterable[int]) -> dict[int, _StoredFingerprint]:
    names = ("id", "set_id", "scheme_id", "sketch", "numbers", "shingles")
    columns = sa.select(*(fingerprint.c[name] for name in names))
    found: dict[int, _StoredFingerprint] = {}
    for part in chunks(sorted(print_ids)):
        for row in connection.execute(columns.where(fingerprint.c.id.in_(part))):
            numbers = bytes(row.numbers or b"")
            found[row.id] = _StoredFingerprint(row.set_id, row.scheme_id, bytes(row.sketch), numbers, row.shingles)
    return found
