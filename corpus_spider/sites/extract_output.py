"""Texts of many pages as files, JSON lines or Markdown, and their counts."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from storage.reasons import NO_ARTICLE
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from corpus_spider.sites.many_pages import PageResult, PageSource
    from storage.records import Document, Drop

TEXT, JSON_LINES, MARKDOWN = "txt", "jsonl", "md"
FORMATS = (TEXT, JSON_LINES, MARKDOWN)


@dataclass
class ExtractReport:
    """Counts of `extract`: pages, texts, and pages without text or that a crawl would drop, by reason."""

    pages: int = 0
    texts: int = 0
    would_be_dropped: dict[str, int] = field(default_factory=dict)
    """Texts of pages that a crawl would drop."""
    without_text: dict[str, int] = field(default_factory=dict)
    skipped: int = 0
    """Files of folders that are no pages."""
    failed: list[dict[str, str]] = field(default_factory=list)
    """Each page without text: file, reason, detail."""

    def words(self) -> str:
        """Return the counts in a sentence."""
        parts = [f"{counted(self.pages, 'page')}: {counted(self.texts, 'text')}"]
        for meaning, reasons in (
            ("of pages that a crawl would drop", self.would_be_dropped),
            ("without text", self.without_text),
        ):
            listed = ", ".join(f"{reason} {count:,}" for reason, count in Counter(reasons).most_common())
            parts += [f"{sum(reasons.values()):,} {meaning} ({listed})"] if reasons else []
        parts += [f"{counted(self.skipped, 'other file')} skipped"] if self.skipped else []
        return f"{'; '.join(parts)}."

    def count(self, found: PageResult) -> None:
        """Count a page."""
        document, drop = found.reading.document, found.reading.drop
        if found.is_skipped:
            self.skipped += 1
            return
        self.pages += 1
        if document is not None:
            self.texts += 1
            if drop is not None:
                self.would_be_dropped[drop.reason] = self.would_be_dropped.get(drop.reason, 0) + 1
            return
        reason, detail = (drop.reason, drop.detail) if drop else (NO_ARTICLE, "")
        self.without_text[reason] = self.without_text.get(reason, 0) + 1
        self.failed.append({"file": found.source.target, "reason": reason, "detail": detail})


class TextFolder:
    """Writes a file for each text into a folder. Each file is complete or not there."""

    def __init__(self, folder: Path, form: str, *, overwrite: bool) -> None:
        from storage.disk import make_folder
        from storage.exports.atomic import refuse_to_clobber

        refuse_to_clobber(folder, overwrite=overwrite)
        make_folder(folder)
        self._folder, self._form = folder, form

    def write(self, source: PageSource, document: Document | None, _: Drop | None) -> None:
        """Write the text of a page."""
        from storage.disk import disk_errors

        if document is None:
            return
        path = self._folder / source.name.with_name(f"{source.name.name}.{self._form}")
        aside = path.with_name(f".{path.name}.{os.getpid()}.new")
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                aside.write_bytes(written(document, self._form).encode("utf-8", "replace"))
                aside.replace(path)
            finally:
                aside.unlink(missing_ok=True)


@contextmanager
def lines_file(
    target: Path, *, overwrite: bool
) -> Iterator[Callable[[PageSource, Document | None, Drop | None], None]]:
    """Write lines of JSON aside, and rename the file when all are written. A failure leaves no file."""
    from storage.disk import disk_errors
    from storage.exports.atomic import refuse_to_clobber

    refuse_to_clobber(target, overwrite=overwrite)
    aside = target.with_name(f"{target.name}.tmp-{os.getpid()}")
    try:
        with disk_errors(target), aside.open("wb") as stream:

            def write(source: PageSource, document: Document | None, drop: Drop | None) -> None:
                with disk_errors(target):
                    stream.write(json_line(source, document, drop))

            yield write
            stream.flush()
            os.fsync(stream.fileno())
        with disk_errors(target):
            aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def json_line(source: PageSource, document: Document | None, drop: Drop | None) -> bytes:
    """Return a page as a line of JSON: its file, the fields of its text, and the drop of a crawl or null."""
    from corpus_spider.sites.single_page import fields_of
    from storage.exports.formats.jsonl import line

    name = os.fsencode(source.target).decode("utf-8", "replace")
    fields = {"text": None} if document is None else fields_of(document)
    return line({"file": name, **fields, "drop": drop})


def written(document: Document, form: str) -> str:
    """Return a text as the content of a file: plain, or Markdown with its title as heading."""
    if form == TEXT:
        return f"{document.text}\n"
    from storage.exports.formats.markdown import body, escaped

    title = " ".join((document.metadata.title or "").split())
    heading = f"# {escaped(title)}\n\n" if title else ""
    return heading + body(document.text, document.kinds)
