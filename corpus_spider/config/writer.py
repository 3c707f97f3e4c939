"""Edit corpus.toml: set keys of a site or add a site. The rest of the file, with its comments, stays unchanged."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from corpus_spider.config.loader import parse, read_toml
from storage.disk import alone, disk_errors, replace_file
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


Value = str | int | tuple[str, ...] | None


def set_site_keys(file: Path, site: str, values: Mapping[str, Value]) -> None:
    """Set keys of the ``[[site]]`` of that name. None deletes a key; a tuple extends a list by its new elements.

    The file is replaced atomically. Raises ConfigError if it is not TOML or has no such site, and DiskError.
    """
    with _alone(file):
        expected = parse(file)
        _set(_table_of(expected, site, file), values)
        _replace(file, _changed(file.read_bytes(), site, values, file), expected)


def add_site(file: Path, values: Mapping[str, Value]) -> None:
    """Append a ``[[site]]`` to the file, which is replaced atomically.

    Raises ConfigError if it is not TOML, has its sites in a list, or has a site of this name.
    """
    with _alone(file):
        expected = parse(file)
        there = expected.setdefault("site", [])
        if any(isinstance(one, dict) and one.get("name") == values["name"] for one in there):
            raise ConfigError(
                f'there is already a [[site]] of the name "{values["name"]}"', where=str(file), do="Try again."
            )
        there.append({key: _plain(value) for key, value in values.items()})
        source = file.read_bytes()
        end = b"\r\n" if b"\r\n" in source else b"\n"
        text = f"\n[[site]]\n{lines(values)}".encode().replace(b"\n", end)
        _replace(file, source.rstrip() + (end if source.strip() else b"") + text, expected)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Lock the file against other processes of this program. Otherwise a change they make meanwhile would be lost."""
    folder = file.resolve().parent
    with disk_errors(folder), alone(folder):
        yield


def _replace(file: Path, changed: bytes, expected: Mapping[str, Any]) -> None:
    try:
        parsed: Mapping[str, Any] | None = read_toml(changed)
    except (ValueError, RecursionError):
        parsed = None
    if parsed != expected:
        raise ConfigError("cannot be edited safely", where=str(file), do="Add the lines by hand.")
    # A symbolic link stays; its target is replaced.
    target = file.resolve()
    with disk_errors(target):
        replace_file(target, changed)


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
    """Insert new keys before the comments at the end of a table: those may belong to the next section."""
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
