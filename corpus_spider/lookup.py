"""`corpus-spider show` and `corpus-spider dropped`: what has become of single pages."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.options import MOST, State, as_json, several_sites, verb_of
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from storage.holdings import CorpusDocument, CountRow, Status
    from storage.pages import Page, WithoutDocument

TOLD = ("id", "title", "author", "date", "language", "version", "chars", "confidence", "duplicates", "duplicate_of")
"""Fields of a text that are shown above it, where there is something to tell."""

_verbs = click.Group()


@dataclass(frozen=True, slots=True)
class Shown:
    """What the corpus knows of an address, and the text it holds of it, if any."""

    page: Page
    document: CorpusDocument | None


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
@click.option("--original", is_flag=True, help="Write the page itself, as it was served, unpacked.")
@as_json
def show(state: State, /, target: str, **options: Any) -> None:
    """Show what the corpus holds of one page.

    Its text, whence it was known, what came of each visit, and when it is asked for again; or why there is no text.
    With -q the text alone. Nothing is fetched.
    """
    if options["original"] and options["as_json"]:
        raise click.UsageError("--original writes the page itself: leave out --json.")
    config = state.load_made()
    found = look_up(config, target)
    if options["original"]:
        from corpus_spider.original import original

        sys.stdout.buffer.write(original(config, found.page, found.document, target))
    elif options["as_json"]:
        state.console.json(asdict(found.page) | {"document": found.document})
    else:
        render(found, state.console)


@verb_of(_verbs, ("dropped --reason no_article", "dropped --site vnexpress --limit 0 --json"))
@click.option("--reason", "reasons", multiple=True, metavar="NAME", help="Only with this reason; may be repeated.")
@several_sites
@click.option(
    "--limit",
    type=click.IntRange(0, MOST),
    default=100,
    show_default=True,
    help="How many at most, newest first; 0: all.",
)
@as_json
def dropped(state: State, /, **options: Any) -> None:
    """List the pages without a document, and the URLs that failed.

    With the reason of each: those that `status` counts, and URLs that brought nothing so far and wait for another try.
    Originals are kept, and `reextract` reads them again.
    """
    from corpus_spider.config_values import nearest
    from corpus_spider.dump import refuse_unknown_sites
    from storage.corpus import Corpus

    config, limit = state.load_made(), options["limit"] or None
    wanted = {"reasons": options["reasons"], "sites": options["sites"], "limit": limit}
    with Corpus.open(config.database_url, read_only=True) as corpus:
        refuse_unknown_sites(config, corpus, options["sites"])
        pages, urls = corpus.fetches.dropped_pages(**wanted), corpus.fetches.failed_urls(**wanted)
        waiting = corpus.fetches.waiting_urls(**wanted)
        found = {one.reason for one in (*pages, *urls, *waiting)}
        missing = [reason for reason in options["reasons"] if reason not in found]
        known = sorted({row.key for row in _counted(corpus.status())}) if missing or not found else None
    if options["as_json"]:
        state.console.json({"pages": pages, "urls": urls, "waiting": waiting})
        return
    _list("Pages without a document", pages, state.console)
    _list_urls("URLs that failed", urls, state.console)
    _list_urls("URLs that wait for another try", waiting, state.console)
    if known is not None:
        strange = [f"{reason}{nearest(reason, known)}" for reason in missing if reason not in known]
        what = f"Nothing was dropped for {', '.join(strange)}." if strange else "Nothing was dropped that is asked for."
        state.console.note(f"{what} Reasons here: {', '.join(known) or 'none'}.")
    if limit in {len(pages), len(urls), len(waiting)}:
        state.console.note(f"There may be more than {limit}: ask with --limit 0 for all.")


def _counted(status: Status) -> tuple[CountRow, ...]:
    return (*status.dropped, *status.failed)


VERBS = tuple(_verbs.commands.values())


def look_up(config: Config, target: str) -> Shown:
    """Return what is known of an address, in any spelling of it, or of the page of a document's id.

    Raises ConfigError for what the corpus does not know, with what its rules say of it.
    """
    from storage.corpus import Corpus

    with Corpus.open(config.database_url, read_only=True) as corpus:
        document = corpus.documents.find(target.lower()) if _is_id(target) else None
        page = corpus.fetches.page(spellings(document.url if document else target))
        if page is None:
            raise ConfigError("the corpus does not know this page", where=target, do=_why_unknown(config, target))
        return Shown(page, document or corpus.documents.find(page.url))


def _is_id(target: str) -> bool:
    return len(target) == 32 and all(letter in "0123456789abcdef" for letter in target.lower())


def spellings(address: str) -> list[str]:
    """Return the canonical forms of an address: as it is, and of another scheme, with and without ``www.`` and such."""
    from pipelines.urls import canonicalise
    from storage import tombstones

    first = canonicalise(address if "://" in address else f"https://{address}")
    return list(dict.fromkeys([first, *tombstones.spellings(first)])) if first else []


def _why_unknown(config: Config, target: str) -> str:
    from pipelines.discovery.scope import scope_of
    from pipelines.urls import parse

    address = parse(target if "://" in target else f"https://{target}")
    if _is_id(target):
        return "No document has this id, and none of its pages is known: `export` names the ids there are."
    if address is None:
        return "Give the address of a page, or the id of a document."
    scopes = {site.name: scope_of(config.site_model(site)) for site in config.sites}
    if names := [name for name, scope in scopes.items() if scope.has(address)]:
        return (
            f'It would be of "{names[0]}", but nothing that was read leads there. `sites discover` finds more sources.'
        )
    if names := [name for name, scope in scopes.items() if scope.has_host(address.host)]:
        return f'The rules of "{names[0]}" leave it out: see allow and deny in corpus.toml.'
    return "No [[site]] of corpus.toml has its host."


def render(found: Shown, console: Console) -> None:
    """Write tables of the address and its visits, then the text, or why there is none."""
    import msgspec

    if not console.quiet:
        console.table("Address", ("what", "value"), _standing(found.page))
        visits = [
            (
                f"{one.fetched_at:%Y-%m-%d %H:%M}",
                one.status,
                one.reason or one.outcome,
                one.detail,
                one.warc,
                one.offset,
            )
            for one in found.page.visits
        ]
        console.table("Visits (times are UTC)", ("when", "status", "outcome", "detail", "original", "at"), visits)
    if found.document is None:
        console.note("There is no text of it.")
        return
    if not console.quiet:
        known = msgspec.to_builtins(found.document)
        told = [(name, known[name]) for name in TOLD if known[name] is not None]
        console.table("Text", ("what", "value"), told)
    console.result(found.document.text)


def _standing(page: Page) -> list[tuple[str, object]]:
    from corpus_spider.console import in_units
    from corpus_spider.status import MEANINGS

    rows: list[tuple[str, object]] = [("url", page.url), ("site", page.site), ("kind", page.kind.value)]
    rows += [("state", f"{page.state.value}: {MEANINGS[page.state]}")]
    rows += [("reason", page.reason)] if page.reason else []
    place = f"on {page.found_from}" if page.found_from else "in an archive" if page.depth else "in corpus.toml"
    rows += [("found", f"{_when(page.found_at)} {place}")]
    return [*rows, ("due", "never again" if page.next_try is None else in_units("next_try", page.next_try))]


def _list(title: str, found: Sequence[WithoutDocument], console: Console) -> None:
    rows = [(one.reason, one.site, one.url, one.detail, _when(one.fetched_at)) for one in found]
    console.table(title, ("reason", "site", "url", "detail", "fetched"), rows)


def _list_urls(title: str, found: Sequence[WithoutDocument], console: Console) -> None:
    rows = [(one.reason, one.site, one.url, _again(one.next_try)) for one in found]
    console.table(title, ("reason", "site", "url", "next try"), rows)


def _again(moment: float | None) -> str:
    return "" if moment is None else _when(datetime.fromtimestamp(moment, UTC))


def _when(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}" if moment else ""
