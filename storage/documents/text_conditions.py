"""Conditions of a selection that compare words: section, authors, words of the title. Pure.

A database has no function for the letters that are equal. So the values of documents are read and compared here. The
search index stores the same forms, and selects the same documents.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import regex

from storage.blocklist.author_keys import alike, name_form, name_forms, tones_last
from storage.plain_letters import without_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.documents.selection import Selection

FIELDS = frozenset({"sections", "authors", "title_words"})
"""Fields of a selection that this module decides."""
FORM_PARTS = "\u2029"
"""Between the words of a title or a name with their marks, and those without; between two names."""
_TITLE_WORD = regex.compile(
    r"(?=\p{L})[\p{Line_Break=SA}\p{Line_Break=ID}\p{Line_Break=CJ}]\p{M}*"
    r"|(?:(?![\p{Line_Break=SA}\p{Line_Break=ID}\p{Line_Break=CJ}])[\p{L}\p{M}\p{N}])+"
)
"""A word. In a script without spaces, which Unicode says of the character (UAX 14), a letter with its marks."""


_FIGURE = regex.compile(r"[^\D0-9]")
"""A digit of another script."""


def section_of(url: str) -> str:
    """Return the first folder in the path of a URL that is not a number, as it is read; "" if there is none.

    >>> section_of("https://news.example/2026/11/weather/monday"), section_of("https://news.example/monday")
    ('weather', '')
    """
    folders = urlsplit(url).path.split("/")[:-1]
    return next((unquote(part) for part in folders if part and not part.isdecimal()), "")


def authors_of(authors: Sequence[str], author: str | None) -> tuple[str, ...]:
    """Return the authors of a document as they are stored. Earlier releases stored them in one text only."""
    return tuple(authors) or ((author,) if author else ())


@lru_cache(maxsize=10_000)
def author_form(authors: tuple[str, ...]) -> str:
    """Return the words of names with spaces around each: each name as it is, then each without marks.

    >>> [sought_name(each) in author_form(("PGS.TS. Nguyễn Văn Hòa",)) for each in ("nguyễn văn hoà", "Văn", "Nguyen")]
    [True, True, True]
    """
    forms = sorted({form for name in authors for form in name_forms(name)})
    return f" {f' {FORM_PARTS} '.join([*forms, *dict.fromkeys(map(without_marks, forms))])} "


def sought_name(name: str) -> str:
    """Return what the `author_form` of a document has if a name, or whole words of it in a row, are of its authors."""
    return f" {name_form(name)} "


def title_words(text: str) -> list[str]:
    """Return the words of a title, or of what is sought in one, in the form by which they are compared.

    >>> title_words("Bầu cử 2026") == title_words("BẦU  CỬ: ٢٠٢٦"), len(title_words("ข่าว"))
    (True, 3)
    """
    return [word for run in text.split() for word, _ in _words_of(run)]


@lru_cache(maxsize=100_000)
def _words_of(run: str) -> tuple[tuple[str, str], ...]:
    """Return the words of a run of characters without spaces, each as it is and without marks.

    Remembered: an index reads the titles of all documents, whose words are few.
    """
    figures = _FIGURE.sub(lambda found: str(unicodedata.decimal(found[0])), run)
    words = map(tones_last, _TITLE_WORD.findall(alike(figures)))
    return tuple((word, without_marks(word)) for word in words)


def title_form(title: str | None) -> str:
    """Return the words of a title with spaces around each: all of them as they are, then all without marks."""
    words = [each for run in (title or "").split() for each in _words_of(run)]
    return f" {' '.join(word for word, _ in words)} {FORM_PARTS} {' '.join(bare for _, bare in words)} "


class TextConditions:
    """What the URL, the authors and the title of a document must be for a selection."""

    def __init__(self, selection: Selection) -> None:
        self._sections = frozenset(selection.sections)
        self._authors = list(map(sought_name, selection.authors))
        self._words = [f" {' '.join(title_words(text))} " for text in selection.title_words]

    def hold(self, url: str, authors: tuple[str, ...], title: str | None) -> bool:
        """Return whether a document is selected."""
        if self._sections and section_of(url) not in self._sections:
            return False
        if self._authors and not any(name in author_form(authors) for name in self._authors):
            return False
        form = title_form(title) if self._words else ""
        return all(words in form for words in self._words)
