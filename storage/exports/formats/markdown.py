"""Write Markdown: a heading with the title, the other fields, and the text by the kinds of its lines.

Every reader of CommonMark or GitHub's Markdown shows a text as it is stored: signs that would be markup are escaped.
So a text cannot bring in links, pictures, HTML or headings of its own. In a file of its own a document has its fields
as front matter. In a file of many it has them as a fenced block, since most readers know front matter at the head of a
file only. Values are JSON, which is YAML. https://spec.commonmark.org/0.31.2/
"""

from __future__ import annotations

import json
import re
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from storage.exports.fields import encodable, named
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from storage.documents.model import CorpusDocument
    from storage.fields import Fields

HEADING, ITEM, QUOTATION, PREFORMATTED = "h", "l", "q", "c"
"""Kinds of lines that are more than paragraphs. A table cell becomes a paragraph."""
_BREAKS = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]+")
"""Characters that some reader takes for the end of a line, and other controls."""
_MARKUP = re.compile(r"[\\`*_\[\]<>&~|$^{}]")
_AT_START = re.compile(r"[#+=:%-]|[0-9]{1,9}(?=[.)])")
"""Signs that are markup at the start of a line only: headings, lists, rules, definitions, title blocks."""
_CLOSING = re.compile(r"(?<![\\#])#+$")
"""Signs that close a heading and are not shown."""
_LINK = re.compile(r"(?i)/(?=/)|www(?=\.)|(?=@)")
"""Starts of what GitHub's Markdown takes for a link without brackets. It still links mail addresses, to themselves."""
_NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def write(rows: Iterable[CorpusDocument], stream: BinaryIO, fields: Fields = FIELDS) -> None:
    """Write all rows into one file, each with its fields in a fenced block."""
    for number, row in enumerate(map(encodable, rows)):
        before = "\n" if number else ""
        stream.write(f"{before}{_document(row, fields, fenced=True)}".encode())


def page(row: CorpusDocument, fields: Fields = FIELDS) -> str:
    """Return a file with one document, with its fields as front matter."""
    return _document(row, fields, fenced=False)


def _document(row: CorpusDocument, fields: Fields, *, fenced: bool) -> str:
    values = named(row, fields)
    title = values.get("title")
    text = values.pop("text", None)
    listed = "".join(f"{name}: {_json(value)}\n" for name, value in values.items())
    block = f"```yaml\n{listed}```\n" if fenced else f"---\n{listed}---\n"
    heading = f"# {_heading(title)}\n" if isinstance(title, str) and title.strip() else ""
    parts = [heading, block] if fenced else [block, heading]
    return "\n".join(filter(None, [*parts, body(text, row.kinds or "") if isinstance(text, str) else ""]))


def body(text: str, kinds: str = "") -> str:
    """Return a text as Markdown. ``kinds`` has a letter of `ParagraphKind` for each of its lines.

    >>> print(body("News *today*\\n- one\\n1. two", "hl"), end="")
    ## News \\*today\\*
    <BLANKLINE>
    - \\- one
    <BLANKLINE>
    1\\. two
    """
    lines = zip_longest(text.split("\n"), kinds[: text.count("\n") + 1], fillvalue="")
    shown = ((_BREAKS.sub(" ", line).rstrip(" "), kind) for line, kind in lines)
    groups = groupby(filter(lambda each: each[0], shown), key=lambda each: each[1])
    return "\n".join(block for kind, each in groups for block in _blocks(kind, [line for line, _ in each]))


def _blocks(kind: str, lines: list[str]) -> Iterator[str]:
    """Yield the blocks of neighbouring lines of one kind, each with its end of line."""
    if kind == PREFORMATTED:
        longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
        fence = "`" * max(3, longest + 1)
        yield "".join(f"{line}\n" for line in (fence, *lines, fence))
    elif kind == ITEM:
        yield "".join(f"- {escaped(line)}\n" for line in lines)
    elif kind == QUOTATION:
        yield ">\n".join(f"> {escaped(line)}\n" for line in lines)
    elif kind == HEADING:
        yield from (f"## {_heading(line)}\n" for line in lines)
    else:
        yield from (f"{escaped(line)}\n" for line in lines)


def escaped(line: str) -> str:
    r"""Return one line of text with escapes for all that would be markup.

    >>> escaped("# 5 < 6 [x](y) *!*"), escaped("3. Mai"), escaped("www.example.org")
    ('\\# 5 \\< 6 \\[x\\](y) \\*!\\*', '3\\. Mai', 'www\\.example.org')
    """
    plain = _MARKUP.sub(r"\\\g<0>", line.strip(" "))
    start = _AT_START.match(plain)
    if start:
        plain = f"{start[0]}\\{plain[start.end() :]}" if start[0].isdigit() else f"\\{plain}"
    return _LINK.sub(r"\g<0>\\", plain)


def _heading(text: str) -> str:
    return _CLOSING.sub(r"\\\g<0>", escaped(_BREAKS.sub(" ", text)))


def _json(value: object) -> str:
    """Return a value as JSON that every reader of YAML takes too."""
    plain = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
    return _NOT_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)
