"""Storage of a corpus: its database, its WARC files and its exports.

Reading a corpus takes three lines::

    from storage import Corpus
    with Corpus.open("corpus.db", read_only=True) as corpus:
        for document in corpus.documents(): print(document.title, document.text[:80])

`Selection` filters documents by language, site, day, length and so on. The result is a `CorpusDocument` each.
Names are loaded on first use, so that importing a small module of the package is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument, Status
    from storage.documents.selection import Selection
    from storage.errors import CorpusError
    from storage.locking.locks import SiteLocks
    from storage.records import (
        Capture,
        Document,
        Drop,
        Failure,
        Fetched,
        Lease,
        Pointer,
        Processed,
        Seed,
        UnprocessedPage,
    )

__all__ = [
    "Capture",
    "Corpus",
    "CorpusDocument",
    "CorpusError",
    "Document",
    "Drop",
    "Failure",
    "Fetched",
    "Lease",
    "Pointer",
    "Processed",
    "Seed",
    "Selection",
    "SiteLocks",
    "Status",
    "UnprocessedPage",
]
_HOMES = {
    "Corpus": "storage.corpus",
    "SiteLocks": "storage.locking.locks",
    "CorpusError": "storage.errors",
    "Selection": "storage.documents.selection",
} | dict.fromkeys(("CorpusDocument", "Status"), "storage.documents.model")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "storage.records")), name)
