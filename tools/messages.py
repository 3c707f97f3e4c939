"""Bring the catalogues of the web page up to date: ``python tools/messages.py [CODE …]``

Finds the messages of the templates and the code of `corpus_spider/web`, and of the tables that the page shows. New
messages join each catalogue without a translation, those that are gone leave it. With the code of a language that has
no catalogue, it starts one. Prints the messages that need a translation. Exit codes: 0 none, 1 some.
"""

from __future__ import annotations

import sys
from io import BytesIO
from typing import TYPE_CHECKING

from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from corpus_spider.web.fixed_sentences import fixed_sentences
from corpus_spider.web.translation import CATALOGUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from babel.messages.catalog import Message

WEB = CATALOGUES.parent
METHODS = [("**.py", "python"), ("templates/**.html", "jinja2")]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "marked": None, "marked_forms": (1, 2)}
JINJA = {"templates/**.html": {"trimmed": "true", "newstyle_gettext": "true", "silent": "false"}}
HEADER = """\
# The web page of corpus-spider in {name}.
# reviewed by a speaker: no
#"""
"""Beginning of a catalogue. The menu of the page reads the second line."""

LEFT_OUT = (
    "Generated-By",
    "Language-Team",
    "Last-Translator: FULL NAME",
    "PO-Revision-Date",
    "POT-Creation-Date",
    "Project-Id-Version",
    "Report-Msgid-Bugs-To",
)
"""Fields of the header that say nothing here, or would differ at each run."""


def template() -> Catalog:
    """Return all messages, without translations."""
    found = Catalog(fuzzy=False)
    extracted = extract_from_dir(WEB, METHODS, JINJA, KEYWORDS, strip_comment_tags=True)
    for name, _, message, _, _ in sorted(extracted, key=lambda each: (each[0], each[1])):
        found.add(message, locations=[(f"corpus_spider/web/{name}", None)])
    for sentence in fixed_sentences():
        found.add(sentence, locations=[("corpus_spider/web/fixed_sentences.py", None)])
    return found


def read(code: str) -> Catalog:
    """Return the catalogue of a language; an empty one if there is none."""
    file = CATALOGUES / f"{code}.po"
    if not file.exists():
        made = Catalog(locale=code, fuzzy=False)
        name = made.locale.english_name if made.locale else code
        made.header_comment = HEADER.format(name=name)
        return made
    with file.open("rb") as stream:
        return read_po(stream, locale=code)


def updated(code: str) -> Catalog:
    """Return the catalogue of a language with the messages of today, in a fixed order."""
    catalogue = read(code)
    comment = catalogue.header_comment
    catalogue.update(template(), no_fuzzy_matching=True)
    catalogue.header_comment = comment
    catalogue.obsolete.clear()
    return catalogue


def text_of(catalogue: Catalog) -> bytes:
    """Return a catalogue as it is stored. It has no dates, so that the same messages give the same bytes."""
    stream = BytesIO()
    write_po(stream, catalogue, width=120, sort_output=True, include_lineno=False)
    left_out = tuple(f'"{name}'.encode() for name in LEFT_OUT)
    return b"".join(line for line in stream.getvalue().splitlines(keepends=True) if not line.startswith(left_out))


def untranslated(catalogue: Catalog) -> Iterator[Message]:
    """Yield the messages that have no translation, or an unsure one."""
    for message in catalogue:
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and (not all(forms) or message.fuzzy):
            yield message


def main(codes: list[str]) -> int:
    """Write the catalogues and return the exit code."""
    missing = 0
    CATALOGUES.mkdir(exist_ok=True)
    for code in codes or sorted(each.stem for each in CATALOGUES.glob("*.po")):
        catalogue = updated(code)
        (CATALOGUES / f"{code}.po").write_bytes(text_of(catalogue))
        for message in untranslated(catalogue):
            missing += 1
            print(f"{code}: {message.id!r}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
