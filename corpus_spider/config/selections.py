"""Read a selection of documents from options, keywords of Python and tables of TOML; write it as options. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from corpus_spider.config.values import WrongValueError, language_code, nearest
from storage.documents.selection import DIMENSIONS, Day, Part, Selection, Texts
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from storage.documents.selection import Dimension

BY_NAME = {dimension.name: dimension for dimension in DIMENSIONS}
NAMED = "selection"
"""Key, keyword and option that names a selection of corpus.toml."""
SEE = "docs/how-to/use-from-python.md shows the filters."
_SAMPLES = "Use --sample 10%, and --sample 10%-100% for the rest."
_LANGUAGES = "`corpus-spider status --all` lists the languages of the corpus."


def selection_of(
    values: Mapping[str, object], named: Mapping[str, Selection] | None = None, *, as_options: bool = False
) -> Selection:
    """Return the selection that keywords of Python, or the keys of a table, state by the names of dimensions.

    The key ``selection`` names one of ``named``, which the other keys change. Raises ConfigError for an unknown name,
    for a wrong value, and as `refuse_mistakes` does. ``as_options``: the error names options.
    """
    found = read_selection(values, named, as_options=as_options)
    refuse_mistakes(found, as_options=as_options)
    return found


def read_selection(
    values: Mapping[str, object], named: Mapping[str, Selection] | None = None, *, as_options: bool = False
) -> Selection:
    """Return what `selection_of` returns, also a selection that no document can meet."""
    given = {}
    base = Selection()
    for name, value in values.items():
        if name == NAMED and named is not None:
            base = _named(value, named, f"--{NAMED}" if as_options else NAMED)
            continue
        refuse_unknown(name, BY_NAME, name)
        dimension = BY_NAME[name]
        try:
            given[dimension.field] = _READERS[dimension.kind](dimension, value)
        except WrongValueError as error:
            do = _SAMPLES if dimension.kind == Part else SEE
            raise ConfigError(str(error), where=_place(dimension, as_options), do=do) from None
    return replace(base, **given)


def of_options(options: Mapping[str, Any], named: Mapping[str, Selection] | None = None) -> Selection:
    """Return the selection that the options of a command state. Raises the errors of `selection_of`.

    Options that are not on the command line are None, empty or False. ``named``: the selections of corpus.toml.
    """
    given = {each.name: options[each.field] for each in DIMENSIONS if _is_stated(options.get(each.field))}
    if named is not None and options.get(NAMED) is not None:
        given[NAMED] = options[NAMED]
    return selection_of(given, named, as_options=True)


def _is_stated(value: object) -> bool:
    return value is not None and value is not False and value != ()


def _named(name: object, named: Mapping[str, Selection], where: str) -> Selection:
    """Return the selection of a name. Raises ConfigError if there is none."""
    found = named.get(name) if isinstance(name, str) else None
    if found is None:
        do = f"Selections: {', '.join(named)}." if named else "Write it into corpus.toml, under [selection.NAME]."
        near = nearest(name, named) if isinstance(name, str) else ""
        raise ConfigError(f'corpus.toml has no selection "{name!s:.60}"{near}', where=where, do=do)
    return found


def refuse_unknown(name: str, known: Collection[str], where: str) -> None:
    """Raise ConfigError for an unknown name of a filter."""
    if name not in known:
        do = f"Filters: {', '.join(known)}."
        raise ConfigError(f'there is no filter "{name}"{nearest(name, known)}', where=where, do=do)


def refuse_mistakes(selection: Selection, *, as_options: bool = False) -> None:
    """Raise ConfigError for a selection that no document can meet: it would be empty without a reason."""
    refuse_languages(selection.languages, _place(BY_NAME["language"], as_options))
    for text in selection.title_words:
        if not any(map(str.isalnum, text)):
            raise ConfigError(
                f'"{text:.60}" has no word', where=_place(BY_NAME["title_words"], as_options), do="Write one."
            )
    since, until = BY_NAME["since"], BY_NAME["until"]
    if selection.since and selection.until and selection.since > selection.until:
        what = f"{selection.since} is after {_place(until, as_options)}, {selection.until}"
        raise ConfigError(what, where=_place(since, as_options), do="Exchange the two days.")


def refuse_languages(codes: Collection[str], where: str) -> None:
    """Raise ConfigError for a text that is no code of a language."""
    for problem in filter(None, map(language_code, sorted(codes))):
        raise ConfigError(problem, where=where, do=_LANGUAGES)


def _place(dimension: Dimension, as_options: bool) -> str:
    return dimension.option if as_options else dimension.name


def options_of(selection: Selection) -> list[str]:
    """Return the options of a command for a selection, from which `of_options` returns it.

    >>> options_of(Selection(sites=("a", "b"), min_chars=500, without_mixed=True))
    ['--site', 'a', '--site', 'b', '--min-chars', '500', '--without-mixed']
    """
    given: list[str] = []
    for dimension, value in selection.given():
        if dimension.kind is bool:
            given.append(dimension.option)
        else:
            given += (part for text in texts_of(dimension, value) for part in (dimension.option, text))
    return given


def table_of(selection: Selection) -> dict[str, Any]:
    """Return the table of TOML for a selection, from which `selection_of` returns it.

    >>> table_of(Selection(sites=("a", "b"), sample=(0.0, 10.0), without_mixed=True))
    {'site': ('a', 'b'), 'sample': '0%-10%', 'without_mixed': True}
    """
    return {
        dimension.name: texts_of(dimension, value)[0] if dimension.kind == Part else value
        for dimension, value in selection.given()
    }


def texts_of(dimension: Dimension, value: Any) -> tuple[str, ...]:
    """Return the value of a dimension as the texts of options or of parameters of a URL, one for each."""
    if dimension.kind == Texts:
        return tuple(value)
    if dimension.kind == Part:
        return ("-".join(f"{number_text(bound)}%" for bound in value),)
    if dimension.kind is bool:
        return (dimension.flag_value,)
    return (number_text(value) if dimension.kind is float else str(value),)


def number_text(number: float) -> str:
    """Return a number in the shortest form that gives it again.

    >>> number_text(0.5), number_text(1.0), number_text(0.8512345678)
    ('0.5', '1', '0.8512345678')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def read_texts(value: object) -> tuple[str, ...]:
    """Return one or several texts as a tuple. Raises WrongValueError for other values."""
    values = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(each, str) for each in values):
        raise WrongValueError(f"expected a text or a list of texts, got {value!r}")
    return values


def read_day(value: object, *, is_last: bool = False) -> str:
    """Return a day as YYYY-MM-DD: of a date its day, of a month or year the first or last one. Raises WrongValueError.

    >>> read_day("2026-02"), read_day("2026-02", is_last=True), read_day(date(2026, 2, 3))
    ('2026-02-01', '2026-02-28', '2026-02-03')
    >>> read_day("2026"), read_day("2026", is_last=True)
    ('2026-01-01', '2026-12-31')
    """
    try:
        if not isinstance(value, str):
            return date(value.year, value.month, value.day).isoformat()  # type: ignore[attr-defined]
        if len(value) == len("2026"):
            value = f"{value}-{'12' if is_last else '01'}"
        if len(value) > len("2026-02"):
            return date.fromisoformat(value).isoformat()
        first = date.fromisoformat(f"{value}-01")
        return first.replace(day=monthrange(first.year, first.month)[1] if is_last else 1).isoformat()
    except (AttributeError, TypeError, ValueError):
        raise WrongValueError(f'expected a day such as "2026-11-20", got {value!r}') from None


def _bounded(dimension: Dimension, value: object, kinds: type | tuple[type, ...], words: str) -> Any:
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise WrongValueError(f"expected {words}, got {value!r}")
    if not 0 <= value <= dimension.most:  # type: ignore[operator]
        raise WrongValueError(f"expected {words} from 0 to {dimension.most:,}, got {value!r}")
    return value


def _names(value: object) -> tuple[str, ...]:
    names = read_texts(value)
    if not all(map(str.strip, names)):
        raise WrongValueError("expected a name, got an empty text")
    return names


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongValueError(f"expected True or False, got {value!r}")
    return value


def _choice(dimension: Dimension, value: object) -> str:
    if value not in dimension.choices:
        raise WrongValueError(f"expected one of {', '.join(dimension.choices)}, got {value!r}")
    return str(value)


def _part(value: object) -> tuple[float, float]:
    """Return the bounds of ``10%`` or ``10%-100%`` in per cent."""
    if not isinstance(value, str):
        raise WrongValueError(f"expected a text, got {value!r}")
    found = re.fullmatch(r"(?:(\d{1,3}(?:\.\d{1,6})?)%-)?(\d{1,3}(?:\.\d{1,6})?)%", value.replace(" ", ""))
    low, high = (float(found[1] or 0), float(found[2])) if found else (0.0, 0.0)
    if not low < high <= 100:
        raise WrongValueError(f'expected a part such as "10%" or "10%-100%", got "{value[:40]}"')
    return low, high


_READERS: dict[Any, Callable[[Dimension, object], Any]] = {
    Texts: lambda _, value: _names(value),
    Day: lambda dimension, value: None if value is None else read_day(value, is_last=dimension.is_last),
    Part: lambda _, value: _part(value),
    int: lambda dimension, value: _bounded(dimension, value, int, "a whole number"),
    float: lambda dimension, value: float(_bounded(dimension, value, (int, float), "a number")),
    bool: lambda _, value: _flag(value),
    str: _choice,
}
"""Reader of each type of a dimension."""
