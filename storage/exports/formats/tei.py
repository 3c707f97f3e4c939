"""Write TEI P5: one ``teiCorpus`` with a ``TEI`` element for each document, with a header about its source.

https://tei-c.org/guidelines/p5/, chapters 2 (headers) and 15 (language corpora). Lines are ``p``, with their kind in
``rend`` if they are no paragraphs. Sentences are ``s``. `SENTENCE` in the text separates two sentences of a line. White
space between two sentences is part of neither. Characters that XML 1.0 does not allow become U+FFFD.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from storage.exports.formats.vertical import KINDS
from storage.records import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from storage.documents.model import CorpusDocument
    from storage.exports.fields import Value

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader><fileDesc><titleStmt><title>Newspaper corpus</title></titleStmt>\
<publicationStmt><p>Made by corpus-spider; each text belongs to its publisher.</p></publicationStmt>\
<sourceDesc><p>Pages of the public web, each described in its own header.</p></sourceDesc></fileDesc></teiHeader>
"""
HELD = frozenset(
    {"id", "language", "title", "author", "authors", "site", "date", "licence", "url", "version", "fetched_at"}
    | {"text", "kinds", "languages"}
)
"""Names of the fields in a TEI document."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def write(rows: Iterable[CorpusDocument], stream: BinaryIO) -> None:
    """Write the rows as one teiCorpus."""
    stream.write(_HEAD.encode())
    stream.writelines("".join(_document(row)).encode() for row in rows)
    stream.write(b"</teiCorpus>\n")


def _document(row: CorpusDocument) -> Iterator[str]:
    author = "".join(f"<author>{_text(name)}</author>" for name in row.authors or filter(None, (row.author,)))
    yield f'<TEI xml:id="d{_text(row.id)}" xml:lang="{_text(row.language)}">\n<teiHeader><fileDesc><titleStmt>'
    yield f"<title>{_text(row.title)}</title>{author}</titleStmt><publicationStmt>"
    yield f"<publisher>{_text(row.site)}</publisher>{_published(row.date)}<availability><licence>"
    yield f"{_text(row.licence or 'not stated')}</licence></availability></publicationStmt><sourceDesc><bibl>"
    yield f'<ref target="{_text(row.url)}"/><idno type="version">{row.version}</idno>'
    yield f'<date type="fetched" when="{row.fetched_at:%Y-%m-%dT%H:%M:%SZ}"/></bibl></sourceDesc></fileDesc>'
    yield "<profileDesc>"
    yield f'<langUsage><language ident="{_text(row.language)}">{_text(row.language)}</language></langUsage>'
    yield "</profileDesc></teiHeader>\n<text><body>\n"
    for number, line in enumerate(row.text.split("\n")):
        kind = KINDS.get((row.kinds or "")[number : number + 1])
        rend = f' rend="{kind}"' if kind and kind != "paragraph" else ""
        yield f"<p{rend}{_language(row, number)}>{''.join(map(_sentence, line.split(SENTENCE)))}</p>\n"
    yield "</body></text></TEI>\n"


def _language(row: CorpusDocument, number: int) -> str:
    """Return the language of a line as an attribute, if it is known and differs from the document's."""
    languages = row.languages or ()
    code = languages[number].partition(" ")[0] if number < len(languages) else "und"
    return "" if code in {"und", row.language} else f' xml:lang="{_text(code)}"'


def _sentence(sentence: str) -> str:
    words = sentence.lstrip()
    before = _text(sentence[: len(sentence) - len(words)])
    return f"{before}<s>{_text(words)}</s>" if words else before


def _published(date: Value) -> str:
    day = str(date or "")[:10]
    return f'<date when="{_text(day)}">{_text(date)}</date>' if day else "<date>unknown</date>"


def _text(value: Value) -> str:
    return _NOT_XML.sub("\ufffd", str("" if value is None else value)).translate(_ENTITIES)
