"""Decode the state in the scripts of a page into plain values: JSON wherever it is, with its references followed.

State is JSON in a script element or an attribute, after an assignment, in the argument of a function, or in a string of
other JSON. The rows of React Server Components come in pieces, over several scripts. Three kinds of state refer to
their parts: rows by ``"$1f"``, Apollo's cache by ``{"__ref": "Article:1"}``, and Nuxt's list by the places in it.
"""

from __future__ import annotations

import html as markup
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.markup.page_view import PageView

MAX_CHARS, MAX_STATES, MAX_NODES = 2**21, 30, 20_000
"""Limits: characters of a state, states of a page (longest first), values of a state."""
MIN_STATE_CHARS = 200
"""Characters, at least, of a state that may hold an article."""
MAX_STARTS = 50
"""Assignments of a script, at most, after which JSON is tried."""
MAX_DEPTH = 60
_ATTRIBUTE = re.compile(r"""=\s?(?:"(\s?(?:[{\[]|&#?\w{2,6};)[^"]{200,})"|'(\s?(?:[{\[]|&#?\w{2,6};)[^']{200,})')""")
_BEFORE = re.compile(r"(?:[\w.\]\"'$]\s{0,9}[=:]\s{0,9}|\()(?=[{\[]\s?[\"{\[])")
_PARSED = re.compile(r"""JSON\.parse\(\s?(?="|'|decodeURIComponent)(?:decodeURIComponent\()?("|')""")
_ROWS = re.compile(r'__next_f\.push\(\[1,\s?("(?:[^"\\]++|\\.)*+")\]\)', re.DOTALL)
_ROW = re.compile(rb"([0-9a-f]+):(?:T([0-9a-f]+),|([A-Z]{0,2})(?=[\[{\"]))")
# Every character is part of a match, so a quote inside a string starts no other. Possessive, so without backtracking.
_LITERAL = re.compile(r'("(?:[^"\\]++|\\.)*+")|\\.|[^"\\]++', re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)
MIN_TITLE_CHARS = 6
"""Characters of a string that may be a title, at least."""


def page_values(view: PageView) -> Iterator[object]:
    """Yield the values in the scripts and attributes of a page; of other scripts, the list of their strings."""
    scripts = [
        text.strip()
        for node in view.of("script")
        if "src" not in (stated := node.attributes)
        and "ld+json" not in (stated.get("type") or "")
        and (text := node.text())
    ]
    if rows := "".join(string for text in scripts for found in _ROWS.finditer(text) if (string := _string(found[1]))):
        yield _rows(rows[:MAX_CHARS])
    attributes = [
        markup.unescape(found[1] or found[2]).strip()
        for found in _ATTRIBUTE.finditer(view.html)
        if len(found[0]) <= MAX_CHARS
    ]
    long = [text for text in (*scripts, *attributes) if MIN_STATE_CHARS <= len(text) <= MAX_CHARS]
    for text in sorted(long, key=len, reverse=True)[:MAX_STATES]:
        if "__next_f" not in text[:MIN_STATE_CHARS]:
            yield from map(_followed, _values(text))


def decoded(text: str) -> object:
    """Return the value of a string that is JSON itself, or JSON as a part of a URL; None if it is neither."""
    start = text.lstrip()[:3].upper()
    if len(text) < MIN_STATE_CHARS or not (start[:1] in {"{", "["} or start in {"%7B", "%5B"}):
        return None
    try:
        return _followed(_DECODER.decode(unquote(text) if start[0] == "%" else text))
    except (ValueError, RecursionError):
        return None


def _values(text: str) -> Iterator[object]:
    if text[0] in "{[" and (whole := _json_at(text, 0)):
        yield whole[0]
        return
    found = False
    for parsed in _PARSED.finditer(text):
        if (value := decoded(_quoted(text, parsed.end() - 1))) is not None:
            found = True
            yield value
    at = starts = 0
    while starts < MAX_STARTS and (match := _BEFORE.search(text, at)):
        starts += 1
        at = match.end()
        if (part := _json_at(text, at)) and part[1] - at >= MIN_STATE_CHARS:
            value, at = part
            found = True
            yield value
    if not found:
        yield [string for each in _LITERAL.finditer(text) if (string := _string(each[1] or ""))]


def _json_at(text: str, at: int) -> tuple[object, int] | None:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None


def _string(literal: str) -> str:
    if len(literal) < MIN_TITLE_CHARS:
        return ""
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return ""


def _quoted(text: str, at: int) -> str:
    """Return the string literal of JavaScript at a place; "" if it has no end."""
    quote, place = text[at], at + 1
    end = place
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    inside = text[place:end]
    if quote == "'":
        inside = inside.replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    return _string(f'"{inside}"') if end < len(text) else ""


def _rows(text: str) -> object:
    """Return the rows of React Server Components, those they refer to in their places."""
    source, rows, at = text.encode("utf-8", "surrogatepass"), dict[str, object](), 0
    while at < len(source):
        row = _ROW.match(source, at)
        if row is None:
            at = source.find(b"\n", at) + 1 or len(source)
            continue
        name = row[1].decode()
        if row[2]:
            # A text, with its length in bytes.
            at = row.end() + int(row[2], 16)
            rows[name] = source[row.end() : at].decode("utf-8", "replace")
            continue
        end = source.find(b"\n", row.end())
        end = end if end >= 0 else len(source)
        if found := _json_at(source[row.end() : end].decode("utf-8", "replace"), 0):
            rows[name] = found[0]
        at = end + 1

    def row_of(value: object) -> object:
        is_reference = isinstance(value, str) and 1 < len(value) < MIN_TITLE_CHARS + 2 and value[0] == "$"
        return rows.get(value[1:].lstrip("L@"), value) if is_reference and isinstance(value, str) else value

    return _copied(list(rows.values()), row_of)


def _followed(value: object) -> object:
    """Return a value with the parts that it refers to."""
    if isinstance(value, list) and value and _is_flat(value):
        return _unflattened(value)
    if isinstance(value, dict) and (entries := _entries(value)):

        def entry_of(part: object) -> object:
            name = (
                part.get("__ref", part.get("id") if part.get("type") == "id" else None)
                if isinstance(part, dict)
                else None
            )
            return entries.get(name, part) if isinstance(name, str) else part

        return _copied(value, entry_of)
    return value


def _entries(state: dict[str, object]) -> dict[str, object]:
    """Return the entries of a cache by name: objects of a type in one object."""
    found, waiting, nodes = dict[str, object](), list[object]([state]), 0
    while waiting and nodes < MAX_NODES:
        value = waiting.pop()
        nodes += 1
        if isinstance(value, dict):
            found.update(
                (name, each) for name, each in value.items() if isinstance(each, dict) and "__typename" in each
            )
        if isinstance(value, dict | list):
            waiting.extend(
                each for each in (value.values() if isinstance(value, dict) else value) if isinstance(each, dict | list)
            )
    return found


def _copied(value: object, refers: Callable[[object], object]) -> object:
    """Return a copy with the targets of references in their places; at most ``MAX_NODES`` values."""
    left = MAX_NODES

    def copy(value: object, depth: int) -> object:
        nonlocal left
        left -= 1
        value = refers(value)
        if not isinstance(value, dict | list) or depth > MAX_DEPTH:
            return value if not isinstance(value, dict | list) else None
        if left < 0:
            return None
        if isinstance(value, list):
            return [copy(each, depth + 1) for each in value]
        return {name: copy(each, depth + 1) for name, each in value.items()}

    return copy(value, 0)


def _is_flat(values: list[object]) -> bool:
    """Return whether a list holds all values of a state, and its objects the places of theirs (devalue)."""
    first = next((each for each in values if isinstance(each, dict)), None)
    return (
        isinstance(values[0], dict | list)
        and first is not None
        and len(first) > 0
        and all(type(each) is int and -8 < each < len(values) for each in first.values())
    )


def _unflattened(values: list[object]) -> object:
    left = MAX_NODES

    def value_at(place: object, depth: int) -> object:
        nonlocal left
        left -= 1
        if type(place) is not int or not 0 <= place < len(values) or depth > MAX_DEPTH or left < 0:
            return None
        value = values[place]
        if isinstance(value, dict):
            return {name: value_at(each, depth + 1) for name, each in value.items()}
        if isinstance(value, list):
            # The first item may name a type: Reactive, Ref, Set.
            return [value_at(each, depth + 1) for each in value if type(each) is int]
        return value

    return value_at(0, 0)
