"""Filters of the documents, under the names of the options of `corpus-spider export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus_spider.config.selections import BY_NAME, NAMED, SEE, read_texts, refuse_unknown, selection_of
from corpus_spider.config.values import WrongValueError
from storage.documents.selection import NamedSelectionKeywords
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.export.request import ExportRequest
    from storage.documents.selection import Selection


class DocumentFilters(NamedSelectionKeywords, total=False):
    """Filters of the documents. Without one: newest versions, no duplicates, as in `corpus-spider export`."""

    without_recurring: bool
    require_licence: bool
    quality: str
    """Rules such as ``"min_words=50"``."""
    fold: str | Sequence[str]
    """Folds of the spelling."""
    fields: str | Sequence[str]
    """Names of the fields that are wanted, in their order. Presets: ``minimal``, ``full``. Without it: all."""


_TYPES: dict[str, type] = {"without_recurring": bool, "require_licence": bool, "quality": str}
_WORDS = {bool: "True or False", str: "a text"}
_UNSET: dict[str, Any] = {
    **dict.fromkeys(("without_recurring", "require_licence", "release", "overwrite"), False),
    **dict.fromkeys(("target", "format_name", "fields", "quality", "shard_size", "since_release")),
}
"""Options of an export that are not given."""


def request_of(filters: Mapping[str, Any], named: Mapping[str, Selection] | None = None) -> ExportRequest:
    """Return the request of an export with these filters. Raises ConfigError for unknown names and wrong values.

    ``named``: the selections of corpus.toml.
    """
    from corpus_spider.export.request import request

    known = DocumentFilters.__annotations__
    for name, value in filters.items():
        refuse_unknown(name, known, "documents")
        if name in _TYPES and not isinstance(value, _TYPES[name]):
            raise ConfigError(f"expected {_WORDS[_TYPES[name]]}, got {value!r}", where=name, do=SEE)
    chosen = {name: value for name, value in filters.items() if name in {*BY_NAME, NAMED}}
    selection = selection_of(chosen, named or {})
    options = _UNSET | {
        **{name: value for name, value in filters.items() if name in _TYPES},
        "fold": tuple(name.strip() for each in _several(filters, "fold") for name in each.split(",")),
        "fields": ",".join(_several(filters, "fields")) if "fields" in filters else None,
    }
    try:
        return request(selection, options)
    except ConfigError as error:
        # The options of the command line are the arguments of a method.
        raise ConfigError(error.what.replace("--", ""), where=error.where.lstrip("-"), do=error.do) from None


def selection_for(use: str, filters: Mapping[str, Any], where: str, named: Mapping[str, Selection]) -> Selection:
    """Return the selection of these keywords. Raises ConfigError for one that the use cannot honour.

    ``named``: the selections of corpus.toml.
    """
    for name in filters:
        refuse_unknown(name, (*BY_NAME, NAMED), where)
    selection = selection_of(filters, named)
    selection.require(use)
    return selection


def _several(filters: Mapping[str, Any], name: str) -> tuple[str, ...]:
    try:
        return read_texts(filters.get(name, ()))
    except WrongValueError as error:
        raise ConfigError(str(error), where=name, do=SEE) from None
