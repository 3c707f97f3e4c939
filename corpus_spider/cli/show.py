"""Commands: show and dropped. Both report on single pages and fetch nothing."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.api.lookup import look_up, next_command, original
from corpus_spider.cli.options import MAX_NUMBER, CommonOptions, as_json, limit, several, several_sites, verb_of
from corpus_spider.terminal.escapes import readable
from corpus_spider.terminal.values import in_local_time, local
from storage.reasons import is_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.api.lookup import ShownPage
    from corpus_spider.terminal.console import Console
    from storage.documents.model import CorpusDocument
    from storage.fetches.url_history import PageWithoutDocument, UrlHistory

RECOVERED = "recovered from a damaged archive"
"""Note on a visit whose record an import found by a search."""

verbs = click.Group()


@verb_of(
    verbs,
    (
        "show https://news.example.org/story-1.html",
        "show 0123456789abcdef0123456789abcdef --json",
        "show -q ID",
        "show https://news.example.org/story-1.html --original > page.html",
    ),
)
@click.argument("target", metavar="URL|ID")
@click.option("--original", is_flag=True, help="Write the stored page as it was served, decompressed.")
@as_json
def show(state: CommonOptions, /, target: str, **options: Any) -> None:
    """Show one page of the corpus.

    Prints its state, every visit and the document, or the reason why there is none. With -q only the text. Fetches
    nothing.
    """
    if options["original"] and options["as_json"]:
        raise click.UsageError("--original and --json exclude each other.")
    config = state.load_made()
    found = look_up(config, target)
    if options["original"]:
        sys.stdout.buffer.write(original(config, found.page, found.document, target))
    elif options["as_json"]:
        state.console.json(asdict(found.page) | {"document": found.document, "history": found.history})
    else:
        render(found, state.console, state.program)


@verb_of(verbs, ("dropped --reason no_article", "dropped --site vnexpress --limit 0 --json"))
@several("--reason", "reasons", "NAME", "Only this reason")
@several_sites
@limit("Maximum number, newest first; 0: all.", 100, MAX_NUMBER, 0)
@as_json
def dropped(state: CommonOptions, /, **options: Any) -> None:
    """List pages without a document, and URLs that failed.

    Prints the reason of each page that `status` counts, and of each URL that waits for another attempt. The originals
    are stored; `reextract` processes them again.
    """
    from corpus_spider.config.values import nearest
    from corpus_spider.export.exporter import refuse_unknown_sites
    from storage.corpus import Corpus

    config, most = state.load_made(), options["limit"] or None
    reasons = options["reasons"]
    with Corpus.open(config.database_url, read_only=True) as corpus:
        refuse_unknown_sites(config, corpus.status, options["sites"])
        found = corpus.fetches.without_document(reasons=reasons, sites=options["sites"], limit=most)
        seen = {one.reason for one in found.all}
        missing = [reason for reason in reasons if reason not in seen]
        status = corpus.status() if missing or not seen else None
        known = sorted({row.key for row in (*status.dropped, *status.failed)}) if status else None
    if options["as_json"]:
        state.console.json(found)
        return
    from corpus_spider.cli.status import DROP_TABLES

    is_drawn = state.console.on_terminal
    for title, are_pages in DROP_TABLES:
        rows = [
            (one.reason, one.site, one.url, with_arrow(one.detail) if is_drawn else one.detail, _when(one.fetched_at))
            for one in found.pages
            if is_page(one.reason) is are_pages
        ]
        state.console.table(in_local_time(title), ("reason", "site", "url", "detail", "fetched"), rows)
    _list_urls("URLs that failed", found.urls, state.console)
    _list_urls("URLs waiting for another attempt", found.waiting, state.console)
    if known is not None:
        strange = [f"{reason}{nearest(reason, known)}" for reason in missing if reason not in known]
        what = f"No page has the reason {', '.join(strange)}." if strange else "No page or URL matches."
        state.console.note(f"{what} Reasons in this corpus: {', '.join(known) or 'none'}.")
    if found.all:
        first = found.all[0].url
        state.console.note(f"One page in detail: {state.program} show {shlex.quote(first)}")
    if most in {len(found.pages), len(found.urls), len(found.waiting)}:
        state.console.note(f"The list stops at {most}. Use --limit 0 for all.")


def with_arrow(detail: str | None) -> str:
    """Return a detail for readers: the target of a redirect has an arrow, since it may stand beside the URL.

    >>> with_arrow("https://a.example/%C3%A9"), with_arrow("0 links")
    ('→ https://a.example/é', '0 links')
    """
    return f"→ {readable(detail)}" if detail and detail.startswith(("http://", "https://")) else detail or ""


def render(found: ShownPage, console: Console, program: str) -> None:
    """Write tables of the URL, its visits and its document, then the text, or a note that there is none.

    ``program`` is the command line of this program, without a verb.
    """
    if not console.quiet:
        console.table(in_local_time("Address"), ("what", "value"), _standing(found.page))
        visits = [
            (
                local(one.fetched_at),
                one.status,
                one.reason or one.outcome,
                ", ".join(filter(None, (one.detail, RECOVERED if one.recovered else ""))),
                one.warc,
                one.offset,
            )
            for one in found.page.visits
        ]
        console.table(in_local_time("Visits"), ("when", "status", "outcome", "detail", "warc", "offset"), visits)
    if found.document is None:
        console.note(f"This page has no document. Next: {program} {next_command(found.page)}")
        return
    if not console.quiet:
        console.table("Document", ("what", "value"), _summary(found.document))
        past = [(local(one.changed_at), one.field, one.old or "", one.reason) for one in found.history]
        if past:
            console.table(in_local_time("Earlier metadata"), ("replaced", "field", "was", "why"), past)
    console.text(found.document.text)


def _summary(document: CorpusDocument) -> list[tuple[str, object]]:
    """Return the fields that are shown above a text, by name, if they have a value."""
    from storage.fields import FIELDS

    shown = sorted((each for each in FIELDS if each.note.shown), key=lambda each: each.note.shown)
    values = ((each.name, getattr(document, each.name)) for each in shown)
    return [(name, _listed(value)) for name, value in values if value not in (None, ())]


def _listed(value: object) -> object:
    """Return a list as one text: each name is isolated from the next by a semicolon, since names have commas."""
    return "; ".join(map(str, value)) if isinstance(value, tuple) else value


def _standing(page: UrlHistory) -> list[tuple[str, object]]:
    from corpus_spider.cli.status import MEANINGS

    rows: list[tuple[str, object]] = [("url", page.url), ("site", page.site), ("kind", page.kind.value)]
    rows += [("state", f"{page.state.value}: {MEANINGS[page.state]}")]
    rows += [("reason", page.reason)] if page.reason else []
    place = f"on {page.found_from}" if page.found_from else "in an archive" if page.depth else "in corpus.toml"
    rows += [("found", f"{_when(page.found_at)} {place}")]
    return [
        *rows,
        ("due", "never" if page.next_try is None else (local(page.next_try) if page.next_try else "at once")),
    ]


def _list_urls(title: str, found: Sequence[PageWithoutDocument], console: Console) -> None:
    rows = []
    for one in found:
        due = "" if one.next_try is None else _when(datetime.fromtimestamp(one.next_try, UTC))
        rows.append((one.reason, one.site, one.url, due))
    console.table(in_local_time(title), ("reason", "site", "url", "next_try"), rows)


def _when(moment: datetime | None) -> str:
    return local(moment)
