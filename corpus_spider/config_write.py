"""Changing corpus.toml: a site's keys are set, all else of the file stays to the byte, comments too."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from corpus_spider.config_load import parse, read_toml
from storage.disk import alone, disk_errors, replace_file
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


Value = str | int | tuple[str, ...] | None


def set_site_keys(file: Path, site: str, values: Mapping[str, Value]) -> None:
    """Set keys of the ``[[site]]`` of that name; None takes a key out, a tuple adds to a list what is not in it.

    The file is replaced whole or not at all. Raises ConfigError when it is not TOML or has no such site, and DiskError.
    """
    with _alone(file):
        expected = parse(file)
        _set(_table_of(expected, site, file), values)
        _replace(file, _changed(file.read_bytes(), site, values, file), expected)


def add_site(file: Path, values: Mapping[str, Value]) -> None:
    """Add a ``[[site]]`` at the end of the file, which is replaced whole or not at all.

    Raises ConfigError when it is not TOML, has its sites in a list, or has a site of this name.
    """
    with _alone(file):
        expected = parse(file)
        there = expected.setdefault("site", [])
        if any(isinstance(one, dict) and one.get("name") == values["name"] for one in there):
            raise ConfigError(f'there is a [[site]] of the name "{values["name"]}"', where=str(file), do="Try again.")
        there.append({key: _plain(value) for key, value in values.items()})
        source = file.read_bytes()
        end = b"\r\n" if b"\r\n" in source else b"\n"
        text = f"\n[[site]]\n{lines(values)}".encode().replace(b"\n", end)
        _replace(file, source.rstrip() + (end if source.strip() else b"") + text, expected)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Let no other program of ours change the file between reading and writing: what it wrote would be lost."""
    folder = file.resolve().parent
    with disk_errors(folder), alone(folder):
        yield


def _replace(file: Path, changed: bytes, expected: Mapping[str, Any]) -> None:
    if _read_again(changed) != expected:
        raise ConfigError("cannot be changed without harm", where=str(file), do="Write the lines in by hand.")
    # Of a link, what it leads to is replaced.
    target = file.resolve()
    with disk_errors(target):
        replace_file(target, changed)


def _read_again(changed: bytes) -> Mapping[str, Any] | None:
    try:
        return read_toml(changed)
    except (ValueError, RecursionError):
        return None


def lines(values: Mapping[str, Value]) -> str:
    """Return keys as lines of a TOML table."""
    import tomlkit

    table = tomlkit.table()
    _set(table, values)
    return tomlkit.dumps(table)


def _changed(source: bytes, site: str, values: Mapping[str, Value], file: Path) -> bytes:
    import tomlkit

    text = source.decode("utf-8-sig")
    mark = source[: len(source) - len(text.encode())]
    windows = "\r\n" in text and text.count("\r\n") == text.count("\n")
    document = tomlkit.parse(text.replace("\r\n", "\n") if windows else text)
    table = _table_of(document, site, file)
    with _before_comments(table):
        _set(table, values)
    changed = tomlkit.dumps(document)
    return mark + (changed.replace("\n", "\r\n") if windows else changed).encode()


@contextmanager
def _before_comments(table: Any) -> Iterator[None]:
    """Have new keys follow the last one of a table: comments at its end may be of something else, an example say."""
    from tomlkit.items import Table

    body = table.value.body if isinstance(table, Table) else []
    end = next((at for at in range(len(body), 0, -1) if body[at - 1][0] is not None), 0)
    comments = body[end:]
    del body[end:]
    yield
    body.extend(comments)


def _table_of(document: Any, name: str, file: Path) -> Any:
    tables = document.get("site", [])
    found = [one for one in tables if isinstance(one, dict) and one.get("name") == name]
    if not found:
        raise ConfigError(f'there is no [[site]] of the name "{name}"', where=str(file), do="Add it, or name another.")
    return found[0]


def _plain(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _set(table: Any, values: Mapping[str, Value]) -> None:
    for key, value in values.items():
        if value is None:
            table.pop(key, None)
        elif isinstance(value, tuple) and isinstance(table.get(key), list):
            for one in value:
                if one not in table[key]:
                    table[key].append(one)
        else:
            table[key] = _plain(value)
