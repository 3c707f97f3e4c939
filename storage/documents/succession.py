"""Order of the versions of a page: the newest one is current. A shortened one never takes the place of a fuller one."""

from __future__ import annotations

import sqlalchemy as sa

from storage.database.schema import document, fetch
from storage.reasons import SHORTENED

_other, _fetch, _other_fetch = document.alias("successor"), fetch.alias("own_fetch"), fetch.alias("successor_fetch")

_own = _fetch.c.id == document.c.fetch_id, _fetch.c.reason == SHORTENED
_of_other = _other_fetch.c.id == _other.c.fetch_id, _other_fetch.c.reason == SHORTENED
# Correlated by name: an UPDATE is not found from inside a second subquery.
_is_shortened = sa.exists().where(*_own).correlate(document)
_is_fuller = ~sa.exists().where(*_of_other).correlate(_other)

HAS_SUCCESSOR = sa.exists().where(
    _other.c.url_id == document.c.url_id,
    _other.c.version != document.c.version,
    sa.or_(sa.and_(_other.c.version > document.c.version, _is_fuller | _is_shortened), _is_shortened & _is_fuller),
)
"""Condition: another version of the same page has precedence over a document."""
