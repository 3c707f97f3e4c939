"""Quality rules by language: read them from TOML or from an option, and test a text's quality signals."""

from __future__ import annotations

import operator
import re
import tomllib
from collections import ChainMap
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

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
class QualityRules:
    """Conditions on quality signals, by language; ``default`` is for all other languages."""

    by_language: Mapping[str, Mapping[str, Conditions]]

    def broken(self, quality: Quality, language: str) -> str | None:
        """Return the first rule that a text violates, as people write it, or None.

        A signal that has no value for the language violates none.
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
        """Return the rules in the form of a TOML file."""
        return {
            language: {name: " ".join(f"{sign}{bound:g}" for sign, bound in each) for name, each in rules.items()}
            for language, rules in self.by_language.items()
        }


def rules(wanted: str) -> QualityRules:
    """Read ``default``, the path of a TOML file like quality.toml of this package, or rules such as ``digit_share<.2``.

    Raises:
        ConfigError: the text is none of these, or the file is unreadable.
    """
    if wanted == DEFAULT:
        return of_toml(resources.files("pipelines.quality").joinpath("quality.toml").read_text("utf-8"), "quality.toml")
    if wanted.endswith(".toml"):
        try:
            return of_toml(Path(wanted).read_text("utf-8"), wanted)
        except (OSError, UnicodeDecodeError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise ConfigError(f"cannot read the rules: {why}", where=wanted, do="Name a TOML file.") from error
    found: dict[str, Conditions] = {}
    for part in wanted.split(","):
        named = _SIGNAL.match(part)
        if named is None:
            raise ConfigError(f"{part.strip()!r} is not a rule", where="--quality", do=_DO)
        signal = _known(named.group(1), "--quality")
        found[signal] = found.get(signal, ()) + _conditions(part[named.end() :], "--quality")
    return QualityRules({DEFAULT: found})


def of_toml(text: str, where: str) -> QualityRules:
    """Read rules from TOML: a table for each language, and in it a text of conditions for each signal."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"this is not TOML: {error}", where=where, do="Correct the file.") from error
    by_language = {}
    for language, table in tables.items():
        place = f"{where}, [{language}]"
        if not isinstance(table, dict):
            raise ConfigError("a rule is outside a table", where=place, do=f"Put it under [{DEFAULT}] or a language.")
        by_language[language] = {_known(signal, place): _conditions(str(each), place) for signal, each in table.items()}
    return QualityRules(by_language)


def _known(signal: str, where: str) -> str:
    if signal not in SIGNALS:
        raise ConfigError(f"unknown signal {signal!r}", where=where, do=_DO)
    return signal


def _conditions(text: str, where: str) -> Conditions:
    found = [(each.group(1), float(each.group(2))) for each in _CONDITION.finditer(text)]
    if not found or _CONDITION.sub("", text):
        raise ConfigError(f"{text.strip()!r} is not a condition", where=where, do=_DO)
    return tuple(found)
