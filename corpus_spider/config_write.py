"""Changing corpus.toml: a site's keys are set, all else of the file stays to the byte, comments too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus_spider.config_load import parse
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def set_site_keys(file: Path, site: str, values: Mapping[str, str | int | None]) -> None:
    """Set keys of the ``[[site]]`` of that name; None takes a key out. The file is replaced whole or not at all.

    Raises ConfigError when the file is not TOML or has no such site.
    """
    expected = parse(file)
    _set(_table_of(expected, site, file), values)
    source = file.read_bytes()
    changed = _changed(source, site, values, file)
    temporary = file.with_name(f".{file.name}.new")
    try:
        temporary.write_bytes(changed)
        temporary.chmod(file.stat().st_mode)
        if parse(temporary) != expected:
            raise ConfigError("cannot be changed without harm", where=str(file), do="Write the lines in by hand.")
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def lines(values: Mapping[str, str | int | None]) -> str:
    """Return keys as lines of a TOML table."""
    import tomlkit

    table = tomlkit.table()
    _set(table, values)
    return tomlkit.dumps(table)


def _changed(source: bytes, site: str, values: Mapping[str, str | int | None], file: Path) -> bytes:
    import tomlkit

    text = source.decode("utf-8-sig")
    mark = source[: len(source) - len(text.encode())]
    windows = "\r\n" in text and text.count("\r\n") == text.count("\n")
    document = tomlkit.parse(text.replace("\r\n", "\n") if windows else text)
    _set(_table_of(document, site, file), values)
    changed = tomlkit.dumps(document)
    return mark + (changed.replace("\n", "\r\n") if windows else changed).encode()


def _table_of(document: Any, name: str, file: Path) -> Any:
    tables = document.get("site", [])
    found = [one for one in tables if isinstance(one, dict) and one.get("name") == name]
    if not found:
        raise ConfigError(f'there is no [[site]] of the name "{name}"', where=str(file), do="Add it, or name another.")
    return found[0]


def _set(table: Any, values: Mapping[str, str | int | None]) -> None:
    for key, value in values.items():
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value
