"""Rules on the quality of texts, by language: read from data or from a line of text, and asked of what was measured."""

from __future__ import annotations

import operator
import re
import tomllib
from collections import ChainMap
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.errors import ConfigError
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SIGNALS = Quality.__struct_fields__
DEFAULT = "default"
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_CONDITION = re.compile(r"\s*(<=|>=|<|>)\s*(\d*\.?\d+)\s*")
_SIGNAL = re.compile(r"\s*(\w+)")
_DO = f"Write SIGNAL<NUMBER or SIGNAL>=NUMBER, with commas between; signals: {', '.join(SIGNALS)}."

Conditions = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """By language, and ``default`` for all others, what is asked of each signal."""

    by_language: Mapping[str, Mapping[str, Conditions]]

    def broken(self, quality: Quality, language: str) -> str | None:
        """Return the first rule that a text breaks, as people write it; None when it keeps them all.

        A signal that says nothing of the language breaks none.
        """
        default = self.by_language.get(DEFAULT, {})
        for signal, conditions in ChainMap({**self.by_language.get(language, {})}, {**default}).items():
            value = getattr(quality, signal)
            if value is None:
                continue
            for sign, bound in conditions:
                if not _OPERATORS[sign](value, bound):
                    return f"{signal}{sign}{bound:g}"
        return None

    def plain(self) -> dict[str, dict[str, str]]:
        """Return the rules as a TOML file has them."""
        return {
            language: {name: " ".join(f"{sign}{bound:g}" for sign, bound in each) for name, each in rules.items()}
            for language, rules in self.by_language.items()
        }


def rules(wanted: str) -> Rules:
    """Read ``default``, the path of a TOML file like quality.toml of this package, or rules such as ``digit_share<.2``.

    Raises ConfigError for what is none of them.
    """
    if wanted == DEFAULT:
        return of_toml(resources.files("pipelines").joinpath("quality.toml").read_text("utf-8"), "quality.toml")
    if wanted.endswith(".toml"):
        try:
            return of_toml(Path(wanted).read_text("utf-8"), wanted)
        except (OSError, UnicodeDecodeError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise ConfigError(f"cannot read the rules: {why}", where=wanted, do="Name a TOML file.") from error
    return Rules({DEFAULT: _of_line(wanted)})


def of_toml(text: str, where: str) -> Rules:
    """Read rules from TOML: a table for each language, in it a text of conditions for each signal."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"is no TOML: {error}", where=where, do="Correct the file.") from error
    return Rules({language: _of_table(table, f"{where}, [{language}]") for language, table in tables.items()})


def _of_table(table: Any, where: str) -> dict[str, Conditions]:
    if not isinstance(table, dict):
        raise ConfigError("stands outside a table", where=where, do=f"Put it under [{DEFAULT}] or a language.")
    return {_known(signal, where): _conditions(str(text), where) for signal, text in table.items()}


def _of_line(line: str) -> dict[str, Conditions]:
    found: dict[str, Conditions] = {}
    for part in line.split(","):
        named = _SIGNAL.match(part)
        if named is None:
            raise ConfigError(f"{part.strip()!r} is no rule", where="--quality", do=_DO)
        signal = _known(named.group(1), "--quality")
        found[signal] = found.get(signal, ()) + _conditions(part[named.end() :], "--quality")
    return found


def _known(signal: str, where: str) -> str:
    if signal not in SIGNALS:
        raise ConfigError(f"there is no signal {signal!r}", where=where, do=_DO)
    return signal


def _conditions(text: str, where: str) -> Conditions:
    found = [(each.group(1), float(each.group(2))) for each in _CONDITION.finditer(text)]
    if not found or _CONDITION.sub("", text):
        raise ConfigError(f"{text.strip()!r} is no condition", where=where, do=_DO)
    return tuple(found)
