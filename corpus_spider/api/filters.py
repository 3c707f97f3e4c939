"""Filters of the documents, under the names of the options of `corpus-spider export`."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.export.request import ExportRequest

Day = str | date
"""A day: ``"2026-11-20"`` or a `datetime.date`. Of a `datetime.datetime` its day counts."""


class DocumentFilters(TypedDict, total=False):
    """Filters of the documents. Without one: newest versions, no duplicates, as in `corpus-spider export`."""

    language: str | Sequence[str]
    """ISO 639 code or codes."""
    site: str | Sequence[str]
    """Name or names of sites."""
    since: Day
    """First day of publication; of the fetch if the page states none."""
    until: Day
    """Last day."""
    min_chars: int
    include_duplicates: bool
    versions: Literal["first", "last", "all"]
    representative: Literal["longest", "earliest", "cleanest"]
    min_confidence: float
    without_reserved: bool
    """Exclude texts whose page or host reserves text and data mining, AI or archiving."""
    without_mixed: bool
    without_recurring: bool
    require_licence: bool
    quality: str
    """Rules such as ``"min_words=50"``."""
    sample: str
    """Part of the corpus such as ``"10%"``."""
    fold: str | Sequence[str]
    """Folds of the spelling."""
    fields: str | Sequence[str]
    """Names of the fields that are wanted, in their order. Presets: ``minimal``, ``full``. Without it: all."""


KINDS: dict[str, type | tuple[str, ...] | None] = {
    "language": None,
    "site": None,
    "since": None,
    "until": None,
    "min_chars": int,
    "include_duplicates": bool,
    "versions": ("first", "last", "all"),
    "representative": ("longest", "earliest", "cleanest"),
    "min_confidence": float,
    "without_reserved": bool,
    "without_mixed": bool,
    "without_recurring": bool,
    "require_licence": bool,
    "quality": str,
    "sample": str,
    "fold": None,
    "fields": None,
}
"""Type or choices of each filter; None: checked by its own function."""
_SEE = "docs/how-to/use-from-python.md shows the filters."
_WORDS = {int: "a whole number", float: "a number", bool: "True or False", str: "a text"}
_OWN_FORMS = frozenset({"language", "site", "since", "until", "fold", "fields"})
_UNSET: dict[str, Any] = {
    "min_chars": 0,
    "min_confidence": 0.0,
    "versions": "last",
    "representative": "longest",
    **dict.fromkeys(("include_duplicates", "without_reserved", "without_mixed", "without_recurring"), False),
    **dict.fromkeys(("require_licence", "release", "overwrite"), False),
    **dict.fromkeys(("target", "format_name", "fields", "quality", "sample", "fold", "shard_size", "since_release")),
}
"""Options of an export that are not given."""


def several(given: str | Sequence[str], name: str) -> tuple[str, ...]:
    """Return one or several texts as a tuple. Raises ConfigError for other values."""
    values = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(value, str) for value in values):
        raise ConfigError(f"expected a text or a list of texts, got {given!r}", where=name, do=_SEE)
    return values


def day(given: Day | None, name: str) -> datetime | None:
    """Return midnight of a day. Raises ConfigError for another value."""
    if given is None:
        return None
    try:
        found = date.fromisoformat(given) if isinstance(given, str) else date(given.year, given.month, given.day)
    except (AttributeError, TypeError, ValueError):
        raise ConfigError(f'expected a day such as "2026-11-20", got {given!r}', where=name, do=_SEE) from None
    return datetime(found.year, found.month, found.day)  # noqa: DTZ001 - only its day counts


def request_of(filters: Mapping[str, Any]) -> ExportRequest:
    """Return the request of an export with these filters. Raises ConfigError for unknown names and wrong values."""
    from corpus_spider.config.values import nearest
    from corpus_spider.export.request import request

    for name, value in filters.items():
        if name not in KINDS:
            do = f"Filters: {', '.join(KINDS)}."
            raise ConfigError(f'there is no filter "{name}"{nearest(name, KINDS)}', where="documents", do=do)
        _refuse_wrong(name, value)
    options = _UNSET | {
        **{name: value for name, value in filters.items() if name not in _OWN_FORMS},
        "languages": several(filters.get("language", ()), "language"),
        "sites": several(filters.get("site", ()), "site"),
        "since": day(filters.get("since"), "since"),
        "until": day(filters.get("until"), "until"),
        "fold": tuple(name.strip() for each in several(filters.get("fold", ()), "fold") for name in each.split(",")),
        "fields": ",".join(several(filters["fields"], "fields")) if "fields" in filters else None,
    }
    try:
        return request(options)
    except ConfigError as error:
        # The options of the command line are the arguments of a method.
        raise ConfigError(error.what.replace("--", ""), where=error.where.lstrip("-"), do=error.do) from None


def _refuse_wrong(name: str, value: object) -> None:
    kind = KINDS[name]
    if isinstance(kind, tuple):
        if value not in kind:
            raise ConfigError(f"expected one of {', '.join(kind)}, got {value!r}", where=name, do=_SEE)
    elif kind is not None and not (isinstance(value, kind) or (kind is float and type(value) is int)):
        raise ConfigError(f"expected {_WORDS[kind]}, got {value!r}", where=name, do=_SEE)
