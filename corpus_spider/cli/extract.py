"""Output of `extract`: one text with its source, or the texts of many pages as files, JSON lines or Markdown."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.sites.extract_output import (
    JSON_LINES,
    TEXT,
    ExtractReport,
    TextFolder,
    json_line,
    lines_file,
    written,
)
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.sites.many_pages import PageResult, PageSource
    from corpus_spider.sites.single_page import ExtractRequest, PageReading
    from corpus_spider.terminal.console import Console
    from storage.records import Document, Drop

MAX_NAMED_PAGES = 20
"""Pages without text that are named while they are extracted. The others are counted."""
ENCODING_WORDS = {
    "bom": "by its byte order mark",
    "utf-8": "by its bytes",
    "header": "declared by the server",
    "meta": "declared by the page",
    "detected": "detected",
}


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
            report.count(found)
            _name(report, found, console)
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


def _name(report: ExtractReport, found: PageResult, console: Console) -> None:
    """Name a page that was skipped if verbose, and the first pages without text."""
    drop = found.reading.drop
    if found.is_skipped:
        if console.verbose:
            console.note(f"{found.source.target}: skipped, {drop.detail if drop and drop.detail else 'no HTML'}")
    elif found.reading.document is None and len(report.failed) <= MAX_NAMED_PAGES:
        failed = report.failed[-1]
        detail = f" ({failed['detail']})" if failed["detail"] else ""
        more = " (further pages without text are only counted)" if len(report.failed) == MAX_NAMED_PAGES else ""
        console.note(f"{failed['file']}: no text, {failed['reason']}{detail}{more}")


@contextmanager
def _writer(
    output: str | None, form: str, console: Console, pages: int, *, overwrite: bool
) -> Iterator[Callable[[PageSource, Document | None, Drop | None], None]]:
    """Yield a function that writes the text of a page to the output, or to standard output."""
    if output is None:
        yield _Printer(console, form, pages).write
    elif form == JSON_LINES:
        with lines_file(Path(output), overwrite=overwrite) as write:
            yield write
    else:
        yield TextFolder(Path(output), form, overwrite=overwrite).write


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


def show(reading: PageReading, console: Console, *, as_json: bool, marks: bool = False) -> int:
    """Write the text, or JSON with all metadata, and the reason if a crawl would drop the page.

    Return the exit code: 0, or 1 if there is no text.
    """
    document, drop = reading.document, reading.drop
    if as_json:
        from corpus_spider.sites.single_page import plain

        console.json(plain(reading))
    elif document is not None:
        console.note(f"{document.metadata.title or 'no title'}\n{_provenance(document)}")
        console.result(marked(document) if marks else document.text)
    if drop is not None:
        without = "no text" if document is None else "a crawl would drop this page"
        console.note(f"{without}: {drop.in_words}")
    return 1 if document is None else 0


def marked(document: Document) -> str:
    """Return the text as Markdown, without its title."""
    from storage.exports.formats.markdown import body

    return body(document.text, document.kinds).removesuffix("\n")


def _provenance(document: Document) -> str:
    found, source = document.language, document.encoding_source
    reason = f" ({document.extractor_reason})" if document.extractor_reason else ""
    return (
        f"{found.language} {found.confidence:.2f}, {counted(len(document.text), 'character')}; "
        f"{document.extractor}{reason}; {document.encoding}, {ENCODING_WORDS.get(source, source)}"
    )
