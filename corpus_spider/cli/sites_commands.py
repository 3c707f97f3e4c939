"""`corpus-spider sites`: list known newspapers, find the sources of a site, and check them."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import (
    CommonOptions,
    Verbs,
    as_json,
    examples,
    languages,
    max_age,
    several_sites,
    verb_of,
)
from corpus_spider.exit_codes import SICK
from storage.errors import MAX_NAMED_SITES
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.presets import Newspaper
    from corpus_spider.sites.discover import Discovery, FoundSources
    from corpus_spider.terminal.console import Console


@click.group(
    cls=Verbs, epilog=examples(("sites list --language vi", "sites discover https://news.example.org/", "sites check"))
)
def sites() -> None:
    """List known newspapers; find and check sources."""


@verb_of(sites, ("sites list", "sites list --language ar", "sites list --language vi,th --json"), name="list")
@languages("Only newspapers in this language, ISO 639 code")
@as_json
def list_known(state: CommonOptions, /, languages: tuple[str, ...], as_json: bool) -> None:
    """List the newspapers that `init` knows.

    Without --language it counts them by language. A newspaper has been checked if a crawl of it was read; the others
    have addresses from public lists.
    """
    from corpus_spider import presets
    from corpus_spider.config.values import language_code

    for code in languages:
        if wrong := language_code(code):
            raise click.BadParameter(wrong, param_hint="--language")
    chosen = languages or presets.languages()
    known = {code: presets.newspapers(code) for code in chosen}
    if as_json:
        state.console.json([paper.listed for papers in known.values() for paper in papers])
    elif languages:
        for code, papers in known.items():
            if not papers:
                state.console.note(f"No newspaper is known in {code}. Add one with `sites discover URL --write`.")
            _show_known(code, papers, state.console)
    else:
        counts = [(code, len(papers), sum(bool(paper.checked) for paper in papers)) for code, papers in known.items()]
        state.console.table("Known newspapers", ("language", "count", "checked"), counts)


def _show_known(code: str, papers: Sequence[Newspaper], console: Console) -> None:
    header = ["name", "homepage", "country", "timezone", "feeds", "terms", "checked"]
    title = f"Known newspapers in {code}: {len(papers)}"
    if not console.on_terminal:
        header.insert(2, "language")
        plain = [{key: value or "" for key, value in asdict(paper.listed).items()} for paper in papers]
        rows = [one | {"feeds": " ".join((*one["feeds"], *one["sitemaps"]))} for one in plain]
    else:
        # The addresses of feeds and terms are in the JSON: a line has room for their number.
        rows = [
            asdict(paper.listed)
            | {"homepage": paper.homepage.partition("://")[2].rstrip("/"), "terms": "yes" if paper.terms else ""}
            | {"feeds": len(paper.site.feeds) + len(paper.site.sitemaps) or ""}
            for paper in papers
        ]
    console.table(title, header, [[row[key] for key in header] for row in rows])


@verb_of(
    sites,
    (
        "sites discover https://news.example.org/ -s corpus.contact=you@example.org",
        "sites discover https://news.example.org/ --write",
        "sites discover vov sggp --write",
        "sites discover papers.txt --write",
        "sites discover --all --write",
    ),
)
@click.argument("given", metavar="URL|NAME|FILE|-...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Search every site of corpus.toml again.")
@click.option("--write", is_flag=True, help="Add the sites to corpus.toml. The rest of the file stays unchanged.")
@as_json
def discover(state: CommonOptions, /, given: tuple[str, ...], **options: Any) -> int:
    """Find the feeds, sitemaps and sections of newspapers.

    Takes addresses, names of sites in corpus.toml, and files with one of these a line (- is standard input). Starts
    from each front page and makes about thirty requests, by the rules of a crawl. Searches eight newspapers at a time.
    Prints a [[site]] for corpus.toml. Exit code 7 if a front page cannot be fetched.
    """
    from corpus_spider.config.values import web_address
    from corpus_spider.sites import discover_many
    from corpus_spider.sites.discover import DiscoveredSite
    from corpus_spider.sites.page_request import NotFetchedError

    everything = options["everything"]
    if bool(given) == everything:
        raise click.UsageError("Name addresses or files, or add --all.")
    config = state.load() if options["write"] or everything else state.load_or_default()
    addresses = discover_many.front_pages(config) if everything else discover_many.addresses(given, config)
    for wrong in filter(None, map(web_address, addresses)):
        raise click.BadParameter(wrong, param_hint="URL")
    several = everything or len(addresses) > 1
    listed: list[FoundSources | DiscoveredSite] = []
    failed = 0
    for address, found in discover_many.discover_all(addresses, config, state.console.note):
        if isinstance(found, NotFetchedError):
            if not several:
                raise found
            failed = found.exit_code
            state.console.error(str(found))
            listed.append(DiscoveredSite(address, str(found)))
            continue
        listed.append(found.found)
        if not options["as_json"]:
            _show(found, state.console)
        if options["write"]:
            # Load again: the search takes a while, and another process may have changed the file.
            state.console.note(f"Wrote {discover_many.write(found, state.load())}.")
    if options["as_json"]:
        state.console.json(listed if several else listed[0])
    return failed


def _show(found: Discovery, console: Console) -> None:
    from corpus_spider.config.writer import lines

    _render(found, console)
    if not (found.usable("feed") or found.usable("sitemap")):
        console.note("No usable feed or sitemap was found. A crawl follows the links of the start pages.")
    if "feeds" in found.site() and found.archives:
        console.note("To crawl the whole archive (many pages), add to `sitemaps`:")
        console.note("\n".join(f"  {url}" for url in found.archives))
    if found.patterns:
        console.note("To crawl only articles, add to `allow`:")
        console.note("\n".join(f"  '{pattern}'" for pattern in found.patterns))
    console.result(f"[[site]]\n{lines(found.site())}".rstrip())


@verb_of(sites, ("sites check", "sites check vnexpress tuoitre --write", "sites check --json"))
@click.argument("names", metavar="[SITE]...", nargs=-1)
@several_sites
@max_age("Report a feed without a new entry for this many days.", 30)
@click.option("--write", is_flag=True, help="Write today's date as `checked` to each site that is well.")
@as_json
def check(state: CommonOptions, /, names: tuple[str, ...], **options: Any) -> int:
    """Check the configured sources.

    Fetches each feed, sitemap and start page once. It must be reachable, allowed and readable, and have new entries.
    Exit code 8 if a source is failing.
    """
    from corpus_spider.config.writer import set_site_keys
    from corpus_spider.sites import sources_check

    config = state.load().only((*names, *options["sites"]))
    config.require_sites()
    with state.console.progress("addresses", len(sources_check.sources(config))) as show:
        found = sources_check.check(config, options["max_age"], show)
    sick, states = found.sick, found.sources
    for site in config.sites:
        if site.name not in {*sick, *found.well}:
            state.console.note(f"{site.name} is a list of pages and has no sources.")
    if options["as_json"]:
        state.console.json(found)
    elif not state.console.quiet or sick:
        state.console.table("Sources", sources_check.HEADER, [one.row for one in states])
        for sentence in sources_check.advice(states):
            state.console.note(sentence)
    for site in [site for site in config.sites if site.name in sick and site.start][:MAX_NAMED_SITES]:
        address = shlex.quote(site.start[0])
        state.console.note(f"Today's sources of {site.name}: {state.program} sites discover {address} --write")
    if options["write"] and config.path:
        for name in found.well:
            set_site_keys(config.path, name, {"checked": datetime.now(UTC).date().isoformat()})
    return SICK if sick else 0


def _render(found: Discovery, console: Console) -> None:
    if console.quiet:
        return
    rows = []
    for one in found.findings:
        # The entries of sections are not counted.
        entries = "" if one.kind == "section" else one.entries
        verdict = one.refused or ("usable" if one.asked else "not fetched")
        rows.append((one.kind, one.form, entries, one.newest or "", verdict, one.url))
    header = ("kind", "form", "entries", "newest", "verdict", "url")
    console.table(f"{found.url}: {counted(found.requests, 'request')}", header, rows)
