"""Lines that recur over a site (subscribe, read also, copyright): learn them, and mark them in texts.

A line is identified by a digest of its text. A line recurs if it occurs in several duplicate sets among the newest
documents of a site. So one text at many URLs teaches nothing. Stored texts do not change; readers get marks, computed
from the current lines. New texts leave out the recurring lines that are the publisher's own (`own_lines`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.bytes.lines import digest, unpack
from storage.database.schema import document, document_text, fingerprint, recurring_line, url
from storage.database.transactions import chunks
from storage.documents.own_lines import SAMPLE_SETS, LinedText, PageLines, find_own_lines
from storage.documents.text_conditions import section_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow

SAMPLE_DOCUMENTS = 2000
"""Newest documents of a site to learn from."""
MIN_PROSE_CHARS = 100
"""Characters. A line this long may be a paragraph of an article, which a running story repeats."""
MAX_LINES = 2000
"""Recurring lines kept per site, the most frequent first."""
RECURS, ELSE = "r", "-"


@dataclass(frozen=True, slots=True)
class SiteLines:
    """Lines of a site: recurring lines with the number of their duplicate sets, and all paragraphs."""

    recurring: Mapping[int, int]
    paragraphs: NDArray[np.int64]
    """A row for each paragraph of at least `MIN_PROSE_CHARS` characters: digest and duplicate set, each pair once."""
    own: tuple[int, ...] = ()
    """The publisher's own lines, the most frequent first (`own_lines`)."""


def lines_of(texts: Iterable[tuple[int, str]]) -> SiteLines:
    """Learn from the texts of a site, given as (duplicate set, text) in any order.

    A line recurs if it occurs in three sets and in one per cent of all sets. A possible paragraph needs twice as many.
    """
    # Imported here: commands that only read counts need no numpy.
    import numpy as np

    sets: dict[int, set[int]] = defaultdict(set)
    prose: dict[int, bool] = {}
    every = set()
    for set_id, text in texts:
        every.add(set_id)
        for line in set(filter(str.strip, text.split("\n"))):
            key = digest(line)
            sets[key].add(set_id)
            prose[key] = len(line) >= MIN_PROSE_CHARS
    least = max(3, math.ceil(len(every) / 100))
    found = {key: len(ids) for key, ids in sets.items() if len(ids) >= least * (2 if prose[key] else 1)}
    kept = sorted(found, key=lambda key: (-found[key], key))[:MAX_LINES]
    pairs = [(key, set_id) for key, ids in sets.items() if prose[key] and key not in found for set_id in ids]
    return SiteLines({key: found[key] for key in kept}, np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2))


def shared(paragraphs: Mapping[str, NDArray[np.int64]]) -> dict[str, float]:
    """Return the share of each site's paragraphs that also occur in other texts at other sites.

    Texts of the same duplicate set do not count as others. Recurring lines do not count.
    """
    import numpy as np

    none = np.empty((0, 2), dtype=np.int64)
    keys, number = np.unique(np.concatenate([none, *paragraphs.values()])[:, 0], return_counts=True)
    # Most paragraphs occur once. Dropping them first saves most of the memory.
    several = keys[number > 1]
    rows = [each[np.isin(each[:, 0], several)] for each in paragraphs.values()]
    table = np.concatenate([none, *rows])
    of_site = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    _, group = np.unique(table[:, 0], return_inverse=True)
    count = int(group.max()) + 1 if len(group) else 0
    found = (_several(group, table[:, 1], count) & _several(group, of_site, count))[group]
    return {
        name: float(found[of_site == at].sum() / max(1, len(each)))
        for at, (name, each) in enumerate(paragraphs.items())
    }


def _several(group: NDArray[np.int64], values: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Return for each group whether it has several different values."""
    import numpy as np

    pairs = np.unique(np.column_stack([group, values]), axis=0)
    return np.asarray(np.bincount(pairs[:, 0], minlength=count) > 1)


def read_texts(connection: Connection, site: str, seen: PageLines) -> SiteLines:
    """Learn from the newest current documents of a site, and from the lines of its pages."""
    newest = (
        sa.select(
            *(document.c.id, document.c.fingerprint_id, document.c.url_id, document.c.author, document.c.own_lines)
        )
        .where(document.c.site == site, document.c.superseded.is_(False))
        .order_by(document.c.id.desc())
        .limit(SAMPLE_DOCUMENTS)
        .subquery()
    )
    statement = (
        sa.select(fingerprint.c.set_id, document_text.c.text, newest.c.author, newest.c.own_lines, url.c.url)
        .join(newest, newest.c.fingerprint_id == fingerprint.c.id)
        .join(document_text, document_text.c.document_id == newest.c.id)
        .join(url, url.c.id == newest.c.url_id)
        .order_by(newest.c.id.desc())
    )
    rows = connection.execute(statement.execution_options(yield_per=100))
    newest_sets: dict[int, LinedText] = {}
    learned = lines_of(_noted(rows, newest_sets))
    return replace(learned, own=tuple(find_own_lines(list(newest_sets.values()), seen)))


def _noted(rows: Iterable[AnyRow], newest_sets: dict[int, LinedText]) -> Iterator[tuple[int, str]]:
    """Yield set and text of each row, and note the first text of the first sets."""
    for row in rows:
        if not isinstance(row.text, str):
            continue
        if row.set_id not in newest_sets and len(newest_sets) < SAMPLE_SETS:
            lines = frozenset(digest(line) for line in row.text.split("\n") if line.strip())
            left_out = unpack(row.own_lines or b"")
            newest_sets[row.set_id] = LinedText(lines | left_out, row.author or "", section_of(row.url))
        yield row.set_id, row.text


def keep(connection: Connection, site: str, recurring: Mapping[int, int]) -> None:
    """Replace the recurring lines of a site."""
    connection.execute(sa.delete(recurring_line).where(recurring_line.c.site == site))
    rows = [{"site": site, "digest": key, "texts": number} for key, number in sorted(recurring.items())]
    for part in chunks(rows):
        connection.execute(sa.insert(recurring_line), list(part))


def known(connection: Connection) -> dict[str, frozenset[int]]:
    """Return the recurring lines of each site."""
    found: dict[str, set[int]] = defaultdict(set)
    for row in connection.execute(sa.select(recurring_line.c.site, recurring_line.c.digest)):
        found[row.site].add(row.digest)
    return {site: frozenset(digests) for site, digests in found.items()}


def known_in(connection: Connection, site: str, text: object) -> frozenset[int]:
    """Return the recurring lines of a site that occur in a text. SQLite may store bytes in a text column; they have no
    lines.
    """
    if not isinstance(text, str):
        return frozenset()
    of_site = sa.select(recurring_line.c.digest).where(recurring_line.c.site == site)
    parts = chunks(sorted({digest(line) for line in text.split("\n")}))
    return frozenset(
        key for part in parts for key in connection.scalars(of_site.where(recurring_line.c.digest.in_(part)))
    )


def marks(text: object, recurring: Collection[int] | None) -> str:
    """Return a letter for each line of a text, `RECURS` if it recurs; "" if no line does or there is no text.

    Bytes are read as UTF-8.
    """
    if not recurring or not isinstance(text, str | bytes):
        return ""
    known = text if isinstance(text, str) else text.decode(errors="replace")
    letters = "".join(RECURS if digest(line) in recurring else ELSE for line in known.split("\n"))
    return letters if RECURS in letters else ""
