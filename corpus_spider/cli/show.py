"""Commands: show and dropped. Both report on single pages and fetch nothing."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import MOST, CommonOptions, as_json, limit, several, several_sites, verb_of
from corpus_spider.terminal.console import readable
from corpus_spider.terminal.reasons import NO_PAGES
from corpus_spider.terminal.values import in_local_time, local
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.terminal.console import Console
    from storage.corpus import Corpus
    from storage.documents.healing import EarlierValue
    from storage.documents.model import CorpusDocument
    from storage.fetches.url_history import PageWithoutDocument, UrlHistory
    from storage.records import Capture

SHOWN_FIELDS = (
    "id",
    "title",
    "author",
    "authors",
    "date",
    "language",
    "version",
    "chars",
    "confidence",
    "duplicates",
    "duplicate_of",
)
"""Fields of a document that are shown above its text, if they have a value."""
ID = re.compile("[0-9a-fA-F]{4,32}")
"""Id of a document: 32 hexadecimal digits. Four or more from its beginning stand for it if no other id begins so."""
MOST_CANDIDATES = 10
"""Documents that a message on a shortened id lists."""
RECOVERED = "recovered from a damaged archive"
"""Note on a visit whose record an import found by a search."""

_verbs = click.Group()


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page of the corpus, and its document if it has one."""

    page: UrlHistory
    document: CorpusDocument | None
    history: Sequence[EarlierValue] = ()
    """Earlier titles, authors and dates of the document."""


@verb_of(
    _verbs,
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


@verb_of(_verbs, ("dropped --reason no_article", "dropped --site vnexpress --limit 0 --json"))
@several("--reason", "reasons", "NAME", "Only this reason")
@several_sites
@limit("Maximum number, newest first; 0: all.", 100, MOST, 0)
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
    wanted = {"reasons": reasons, "sites": options["sites"], "limit": most}
    with Corpus.open(config.database_url, read_only=True) as corpus:
        refuse_unknown_sites(config, corpus.status, options["sites"])
        pages, urls = corpus.fetches.dropped_pages(**wanted), corpus.fetches.failed_urls(**wanted)
        waiting = corpus.fetches.waiting_urls(**wanted)
        found = {one.reason for one in (*pages, *urls, *waiting)}
        missing = [reason for reason in reasons if reason not in found]
        status = corpus.status() if missing or not found else None
        known = sorted({row.key for row in (*status.dropped, *status.failed)}) if status else None
    if options["as_json"]:
        state.console.json({"pages": pages, "urls": urls, "waiting": waiting})
        return
    is_drawn = state.console.on_terminal
    for title, are_pages in (("Pages without a document", True), ("Sources, redirects and unchanged texts", False)):
        rows = [
            (one.reason, one.site, one.url, with_arrow(one.detail) if is_drawn else one.detail, _when(one.fetched_at))
            for one in pages
            if (one.reason not in NO_PAGES) is are_pages
        ]
        state.console.table(in_local_time(title), ("reason", "site", "url", "detail", "fetched"), rows)
    _list_urls("URLs that failed", urls, state.console)
    _list_urls("URLs waiting for another attempt", waiting, state.console)
    if known is not None:
        strange = [f"{reason}{nearest(reason, known)}" for reason in missing if reason not in known]
        what = f"No page has the reason {', '.join(strange)}." if strange else "No page or URL matches."
        state.console.note(f"{what} Reasons in this corpus: {', '.join(known) or 'none'}.")
    if pages or urls or waiting:
        first = (*pages, *urls, *waiting)[0].url
        state.console.note(f"One page in detail: {state.program} show {shlex.quote(first)}")
    if most in {len(pages), len(urls), len(waiting)}:
        state.console.note(f"The list stops at {most}. Use --limit 0 for all.")


VERBS = tuple(_verbs.commands.values())


def with_arrow(detail: str | None) -> str:
    """Return a detail for readers: the target of a redirect has an arrow, since it may stand beside the URL.

    >>> with_arrow("https://a.example/%C3%A9"), with_arrow("0 links")
    ('→ https://a.example/é', '0 links')
    """
    return f"→ {readable(detail)}" if detail and detail.startswith(("http://", "https://")) else detail or ""


def look_up(config: Config, target: str) -> ShownPage:
    """Return the page of a URL, in any spelling, or of a document's id.

    Raises ConfigError if the corpus does not know the page. The error says which rule excludes it.
    """
    from storage.corpus import Corpus

    with Corpus.open(config.database_url, read_only=True) as corpus:
        document = corpus.documents.find(full_id(corpus, target)) if is_id(target) else None
        page = corpus.fetches.page(spellings(document.url if document else target))
        if page is None:
            raise ConfigError("the corpus does not know this page", where=target, do=_why_unknown(config, target))
        document = document or corpus.documents.find(page.url)
        return ShownPage(page, document, corpus.documents.history(document.id) if document else ())


def is_id(target: str) -> bool:
    """Return whether a target has the form of a document's id, or of the beginning of one."""
    return ID.fullmatch(target) is not None


def full_id(corpus: Corpus, target: str) -> str:
    """Return the id of the document that has, or whose id begins with, these digits; the digits if there is none.

    Raises ConfigError if several ids begin with them. The error lists the documents.
    """
    beginning = target.lower()
    found = corpus.documents.ids_like(beginning, MOST_CANDIDATES + 1)
    if len(found) > 1:
        more = "\n  and others" if len(found) > MOST_CANDIDATES else ""
        known = corpus.documents.of_ids(found[:MOST_CANDIDATES])
        lines = (f"{each.id}  {each.url}  {each.title or ''}".rstrip() for each in known)
        raise ConfigError("several ids begin so", where=target, do="\n  ".join(("Add digits:", *lines)) + more)
    return found[0] if found else beginning


def spellings(address: str) -> list[str]:
    """Return the canonical URLs that an address may be stored under: with http or https, with or without ``www.``."""
    from pipelines.urls.url import canonicalise
    from storage.blocklist import tombstones

    first = canonicalise(address if "://" in address else f"https://{address}")
    return list(dict.fromkeys([first, *tombstones.spellings(first)])) if first else []


def _why_unknown(config: Config, target: str) -> str:
    from pipelines.discovery.scope import scope_of
    from pipelines.urls.url import parse

    address = parse(target if "://" in target else f"https://{target}")
    if is_id(target):
        return "No document has this id, or one that begins so. `export` writes the ids of all documents."
    if not re.search("[./:]", target):
        return "No document has an id that begins so: ids have hexadecimal digits. `search` shows the id of each text."
    if address is None:
        return "Give the URL of a page, or the id of a document."
    scopes = {site.name: scope_of(config.site_model(site)) for site in config.sites}
    if names := [name for name, scope in scopes.items() if scope.has(address)]:
        return f'Site "{names[0]}" allows it, but no page links to it. `sites discover` finds more sources.'
    if names := [name for name, scope in scopes.items() if scope.has_host(address.host)]:
        return f'The rules of site "{names[0]}" exclude it. See allow and deny in corpus.toml.'
    return "No [[site]] of corpus.toml has its host."


def original(config: Config, page: UrlHistory, document: CorpusDocument | None, target: str) -> bytes:
    """Return the stored body of a page, with the content coding undone, or the DOM if a browser rendered it.

    It is the original of the document, else the newest one. Raises ConfigError if no original is stored, and
    DamageError if it cannot be read.
    """
    from storage.bytes.content_encoding import InflateError, inflate

    capture = stored_capture(config, page, document, target)
    try:
        return capture.rendered or inflate(capture.body, capture.coding)
    except InflateError as error:
        do = f"The URL is {page.url}."
        raise ConfigError(f"the original cannot be decompressed: {error}", where=target, do=do) from error


def stored_capture(config: Config, page: UrlHistory, document: CorpusDocument | None, target: str) -> Capture:
    """Return the stored response that the document is from, else the newest one. Raises errors as ``original``."""
    from corpus_spider.archive.originals import read_original
    from storage.corpus import Corpus

    pointers = [visit.pointer for visit in page.visits if visit.pointer]
    extracted = [each for each in pointers if document and each.record_id == document.record_id]
    pointer = next(iter(extracted or pointers), None)
    if pointer is None:
        raise ConfigError("no original of this page is stored", where=target, do="Show its visits without --original.")
    with Corpus.open(config.database_url, read_only=True) as corpus:
        return read_original(config, corpus, pointer)


def render(found: ShownPage, console: Console, program: str) -> None:
    """Write tables of the URL, its visits and its document, then the text, or a note that there is none.

    ``program`` is the command line of this program, without a verb.
    """
    import msgspec

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
        known = msgspec.to_builtins(found.document)
        shown = [(name, _listed(known[name])) for name in SHOWN_FIELDS if known[name] not in (None, [])]
        console.table("Document", ("what", "value"), shown)
        past = [(local(one.changed_at), one.field, one.old or "", one.reason) for one in found.history]
        if past:
            console.table(in_local_time("Earlier metadata"), ("replaced", "field", "was", "why"), past)
    console.text(found.document.text)


def _listed(value: object) -> object:
    """Return a list as one text: each name is isolated from the next by a semicolon, since names have commas."""
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else value


def next_command(page: UrlHistory) -> str:
    """Return the arguments of the next command for a page without a document."""
    from storage.records import UrlState

    site, address = shlex.quote(page.site), shlex.quote(page.url)
    if page.state is UrlState.SUSPENDED:
        return f"crawl --release-suspended --site {site}"
    if page.state in {UrlState.PENDING, UrlState.LEASED, UrlState.FETCHED}:
        return f"crawl --site {site}"
    reasons = [visit.reason or "" for visit in page.visits if visit.pointer]
    if not all(reason.startswith("http_") for reason in reasons):
        return f"show --original {address}"
    if reasons:
        return f"dropped --site {site} --reason {reasons[0]}"
    if page.state is UrlState.FAILED and page.reason:
        return f"dropped --site {site} --reason {shlex.quote(page.reason)}"
    return f"sites check {site}"


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
