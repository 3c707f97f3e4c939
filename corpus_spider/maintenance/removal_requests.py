"""Requests for removal, from the options of `remove` and from a file with one request a line."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from storage.disk import disk_errors, open_to_read
from storage.errors import ConfigError
from storage.removal.affected_pages import RemovalRequest, RequestKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_LINE = re.compile(r"(?P<kind>\S+)\s+(?P<value>[^\t]*\S)(?:\s*\t(?P<reason>.*))?")
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_FORM = "Write `url`, `domain`, `id` or `author`, then its value, then, if you like, a tab and the reason."


def requests_of(
    options: Mapping[str, Sequence[str]], listed: Path | None, reason: str | None, *, duplicates: bool
) -> list[RemovalRequest]:
    """Return the requests of the command line and of a file, each once, in order.

    Args:
        options: values by kind of request.
        listed: file with a request on each line, in UTF-8: kind, value, and after a tab a reason of its own. An address
            needs no kind. Empty lines and lines that begin with # are skipped.
        reason: reason of the requests without one of their own.
        duplicates: whether to remove texts that repeat the named ones too.

    Raises ConfigError for an invalid value or line, and without a reason; DiskError for a file that cannot be read.
    """
    given = [(RequestKind(kind), value.strip(), None, "") for kind, values in options.items() for value in values]
    found: dict[tuple[RequestKind, str], RemovalRequest] = {}
    for kind, value, own, where in (*given, *(_lines(listed) if listed else ())):
        normal = _normal(kind, value, where or f"--{kind.value} {value}")
        why = (own or reason or "").strip()
        if not why:
            do = "Add --reason, such as --reason 'request of the author'."
            raise ConfigError("a removal needs a reason", where=where, do=do)
        found.setdefault((kind, normal), RemovalRequest(kind, normal, why, duplicates, where))
    return list(found.values())


def _lines(path: Path) -> Iterator[tuple[RequestKind, str, str | None, str]]:
    """Yield kind, value, reason and place of each request in a file."""
    with disk_errors(path), os.fdopen(open_to_read(path), "rb") as file:
        content = file.read()
    for number, data in enumerate(content.splitlines(), 1):
        where = f"{path}:{number}"
        try:
            line = data.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise ConfigError("this line is not UTF-8", where=where, do="Save the file as UTF-8.") from None
        if not line or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(f"url {line}" if _ADDRESS.match(line) else line)
        if parts is None or parts["kind"].lower() not in {each.value for each in RequestKind}:
            raise ConfigError("this line is no request for removal", where=where, do=_FORM)
        yield RequestKind(parts["kind"].lower()), parts["value"], parts["reason"], where


def _normal(kind: RequestKind, value: str, where: str) -> str:
    """Return a value in the form that the corpus has."""
    from pipelines.urls.url import canonicalise

    found: str | None = value
    if kind is RequestKind.URL and "://" not in value and "." not in _host(value):
        do = "Write the whole address, such as https://news.example.org/story-1.html."
        raise ConfigError("this is no address of a page", where=where, do=do)
    if kind is RequestKind.URL:
        found = canonicalise(value if "://" in value else f"https://{value}")
    elif kind is RequestKind.DOMAIN:
        found = _domain(value, where)
    elif kind is RequestKind.ID:
        found = value.lower()
    if not found:
        do = "See `corpus-spider remove --help`."
        raise ConfigError(f"this is not a valid {kind.value}", where=where, do=do)
    return found


def _host(value: str) -> str:
    """Return the host of an address, without its port. The scheme may be missing. "" if there is no host."""
    from pipelines.urls.url import host_of, split_port

    split = split_port(host_of(value if "://" in value else f"https://{value}"))
    return split[0] if split else ""


def _domain(value: str, where: str) -> str:
    from pipelines.urls.url import is_public_suffix

    host = _host(value)
    if is_public_suffix(host):
        do = "Name the domain below it, such as news.example.org."
        raise ConfigError(f"this would match every domain that ends in .{host}", where=where, do=do)
    plain = host.removeprefix("www.")
    return host if is_public_suffix(plain) else plain
