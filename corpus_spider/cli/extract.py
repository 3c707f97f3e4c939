"""Output of `extract`: one text with its source, or the texts of many pages as files, JSON lines or Markdown."""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.sites.many_pages import PageResult, PageSource
    from corpus_spider.sites.single_page import ExtractRequest, PageReading
    from corpus_spider.terminal.console import Console
    from storage.records import Document, Drop

TEXT, JSON_LINES, MARKDOWN = "txt", "jsonl", "md"
FORMATS = (TEXT, JSON_LINES, MARKDOWN)
NAMED = 20
"""Pages without text that are named while they are extracted. The others are counted."""
ENCODING_WORDS = {
    "bom": "by its byte order mark",
    "utf-8": "by its bytes",
    "header": "declared by the server",
    "meta": "declared by the page",
    "detected": "detected",
}


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


def extract(
    config: Config, console: Console, targets: Sequence[str], wanted: ExtractRequest, options: Mapping[str, Any]
) -> int:
    """Extract the pages that the targets name, and write their texts as the options say.

    Return the exit code: 0, or 1 if a page has no text. Raises UsageError for options that exclude each other,
    ConfigError for a target that does not exist, and DiskError.
    """
    from corpus_spider.sites.many_pages import extract_all, sources

    output = options["output"]
    form = options["form"] or (JSON_LINES if output and output.endswith(f".{JSON_LINES}") else TEXT)
    folder = Path(output) if output and form != JSON_LINES else None
    pages = sources(targets, folder)
    only = {"only_articles": options["only_articles"]}
    if len(pages) == 1 and not pages[0].in_folder and not output and not options["form"]:
        [found] = extract_all(pages, wanted, config, **only)
        if found.error:
            raise found.error
        return show(found.reading, console, as_json=options["as_json"], marks=options["marks"])
    if wanted.url and len(pages) > 1:
        raise click.UsageError("--url is the address of one FILE.")
    if options["as_json"] and not output:
        raise click.UsageError("For several pages --json needs -o. Lines of JSON: --format jsonl.")
    report = ExtractReport()
    # A bar would stand between the texts on a terminal.
    show_progress = console.progress("pages", len(pages)) if output or not console.on_terminal else nullcontext(_unseen)
    with _writer(output, form, console, len(pages), overwrite=options["overwrite"]) as write, show_progress as progress:
        for number, found in enumerate(extract_all(pages, wanted, config, **only), 1):
            _count(report, found, console)
            if not found.is_skipped:
                write(found.source, found.reading.document, found.reading.drop)
            progress(number)
    if options["as_json"]:
        console.json(report)
    else:
        console.note(report.words())
    return 1 if report.without_text else 0


def _unseen(_: int) -> None:
    """Show no progress."""


def _count(report: ExtractReport, found: PageResult, console: Console) -> None:
    """Count a page, and name the first ones without text."""
    document, drop = found.reading.document, found.reading.drop
    if found.is_skipped:
        report.skipped += 1
        if console.verbose:
            console.note(f"{found.source.target}: skipped, {drop.detail if drop and drop.detail else 'no HTML'}")
        return
    report.pages += 1
    if document is not None:
        report.texts += 1
        if drop is not None:
            report.would_be_dropped[drop.reason] = report.would_be_dropped.get(drop.reason, 0) + 1
        return
    reason, detail = (drop.reason, drop.detail) if drop else ("no_article", "")
    report.without_text[reason] = report.without_text.get(reason, 0) + 1
    report.failed.append({"file": found.source.target, "reason": reason, "detail": detail})
    if len(report.failed) <= NAMED:
        more = " (further pages without text are only counted)" if len(report.failed) == NAMED else ""
        console.note(f"{found.source.target}: no text, {reason}{detail and f' ({detail})'}{more}")


@contextmanager
def _writer(
    output: str | None, form: str, console: Console, pages: int, *, overwrite: bool
) -> Iterator[Callable[[PageSource, Document | None, Drop | None], None]]:
    """Yield a function that writes the text of a page to the output, or to standard output."""
    if output is None:
        yield _Printer(console, form, pages).write
    elif form == JSON_LINES:
        with _lines_file(Path(output), overwrite=overwrite) as write:
            yield write
    else:
        yield _Folder(Path(output), form, overwrite=overwrite).write


class _Printer:
    """Writes texts to standard output. Several plain or Markdown texts have the name of their file before them."""

    def __init__(self, console: Console, form: str, pages: int) -> None:
        self._console, self._form, self._several = console, form, pages > 1

    def write(self, source: PageSource, document: Document | None, drop: Drop | None) -> None:
        """Print a page."""
        if self._form == JSON_LINES:
            sys.stdout.buffer.write(json_line(source, document, drop))
            return
        if document is None:
            return
        name = os.fsencode(source.target).decode("utf-8", "replace").replace("\n", " ")
        if self._several and self._form == TEXT:
            self._console.result(f"==> {name} <==")
        elif self._several:
            self._console.result(f"<!-- {name.replace('--', '- -')} -->\n")
        self._console.result(written(document, self._form).removesuffix("\n"))
        if self._several:
            self._console.result("")


class _Folder:
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
def _lines_file(
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
    from storage.exports.jsonl import line

    name = os.fsencode(source.target).decode("utf-8", "replace")
    fields = {"text": None} if document is None else fields_of(document)
    return line({"file": name, **fields, "drop": drop})


def written(document: Document, form: str) -> str:
    """Return a text as the content of a file: plain, or Markdown with its title as heading."""
    if form == TEXT:
        return f"{document.text}\n"
    from storage.exports.markdown import body, escaped

    title = " ".join((document.metadata.title or "").split())
    heading = f"# {escaped(title)}\n\n" if title else ""
    return heading + body(document.text, document.kinds)


def show(reading: PageReading, console: Console, *, as_json: bool, marks: bool = False) -> int:
    """Write the text, or JSON with all metadata, and the reason if a crawl would drop the page.

    Return the exit code: 0, or 1 if there is no text.
    """
    document, drop = reading.document, reading.drop
    if as_json:
        console.json(plain(reading))
    elif document is not None:
        console.note(f"{document.metadata.title or 'no title'}\n{_provenance(document)}")
        console.result(marked(document) if marks else document.text)
    if drop is not None:
        without = "no text" if document is None else "a crawl would drop this page"
        console.note(f"{without}: {drop.in_words}")
    return 1 if document is None else 0


def plain(reading: PageReading) -> dict[str, object]:
    """Return the metadata of a text for JSON, and the drop."""
    from corpus_spider.sites.single_page import fields_of

    return ({} if reading.document is None else fields_of(reading.document)) | {"drop": reading.drop}


def marked(document: Document) -> str:
    """Return the text as Markdown, without its title."""
    from storage.exports.markdown import body

    return body(document.text, document.kinds).removesuffix("\n")


def _provenance(document: Document) -> str:
    found, source = document.language, document.encoding_source
    reason = f" ({document.extractor_reason})" if document.extractor_reason else ""
    return (
        f"{found.language} {found.confidence:.2f}, {counted(len(document.text), 'character')}; "
        f"{document.extractor}{reason}; {document.encoding}, {ENCODING_WORDS.get(source, source)}"
    )
