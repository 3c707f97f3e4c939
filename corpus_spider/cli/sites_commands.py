"""`corpus-spider sites`: find the sources of a site, and check them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import MOST_DAYS, State, as_json, examples, verb_of
from corpus_spider.exit_codes import SICK
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.config.model import Config
    from corpus_spider.config.sections import Site
    from corpus_spider.config.writer import Value
    from corpus_spider.sites.discover import Discovery
    from corpus_spider.terminal.console import Console


@click.group(epilog=examples(("sites discover https://news.example.org/", "sites check")))
def sites() -> None:
    """Find the sources of newspapers, and check them."""


@verb_of(
    sites,
    (
        "sites discover https://news.example.org/ -s corpus.contact=you@example.org",
        "sites discover https://news.example.org/ --write",
        "sites discover papers.txt --write",
        "sites discover --all --write",
    ),
)
@click.argument("given", metavar="URL|FILE...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Search every site of corpus.toml again.")
@click.option("--write", is_flag=True, help="Add the sites to corpus.toml. The rest of the file stays unchanged.")
@as_json
def discover(state: State, /, given: tuple[str, ...], **options: Any) -> int:
    """Find the feeds, sitemaps and sections of newspapers.

    Takes addresses, and files with one address a line. Starts from each front page and makes about thirty requests, by
    the rules of a crawl. Prints a [[site]] for corpus.toml. Exit code 7 if a front page cannot be fetched.
    """
    from corpus_spider.sites import discover as finding
    from corpus_spider.sites.single_page import NotFetchedError

    everything = options["everything"]
    if bool(given) == everything:
        raise click.UsageError("Name addresses or files, or add --all.")
    config = state.load() if options["write"] or everything else state.load_or_default()
    addresses = _front_pages(config) if everything else _addresses(given)
    several = everything or len(addresses) > 1
    plain: list[dict[str, Any]] = []
    failed = 0
    for address in addresses:
        try:
            found = finding.discover(address, config, state.console.note)
        except NotFetchedError as error:
            if not several:
                raise
            failed = error.exit_code
            state.console.error(str(error))
            plain.append({"url": address, "error": str(error)})
            continue
        plain.append(_plain(found))
        if not options["as_json"]:
            _show(found, state.console)
        if options["write"]:
            # Load again: the search takes a while, and another process may have changed the file.
            _write(found, state.load(), state.console)
    if options["as_json"]:
        state.console.json(plain if several else plain[0])
    return failed


def _front_pages(config: Config) -> list[str]:
    """Return the first start page of each site that is no list of pages. Raises ConfigError without any."""
    config.require_sites()
    found = [site.start[0] for site in config.sites if site.start and config.site_max_depth(site)]
    if not found:
        raise ConfigError("no site has a start page", where=str(config.path), do="Name the address of a front page.")
    return found


def _addresses(given: Sequence[str]) -> list[str]:
    """Return the addresses that were named, and those of files. Raises BadParameter for what is no web address."""
    from corpus_spider.config.name_list import read_list
    from corpus_spider.config.values import web_address

    named: list[str] = []
    for each in given:
        named += read_list(Path(each)) if "://" not in each and Path(each).is_file() else [each]
    addresses = [each if "://" in each else f"https://{each}/" for each in named]
    for address in addresses:
        if wrong := web_address(address):
            raise click.BadParameter(wrong, param_hint="URL")
    return list(dict.fromkeys(addresses))


def _plain(found: Discovery) -> dict[str, Any]:
    plain = {"url": found.url, "findings": found.findings, "articles": found.patterns, "requests": found.requests}
    return plain | {"site": found.site()}


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
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--max-age",
    type=click.IntRange(1, MOST_DAYS),
    default=30,
    show_default=True,
    help="Report a feed without a new entry for this many days.",
)
@click.option("--write", is_flag=True, help="Write today's date as `checked` to each site that is well.")
@as_json
def check(state: State, /, names: tuple[str, ...], **options: Any) -> int:
    """Check the configured sources.

    Fetches each feed, sitemap and start page once. It must be reachable, allowed and readable, and have new entries.
    Exit code 8 if a source is failing.
    """
    from corpus_spider.config.writer import set_site_keys
    from corpus_spider.sites import sources_check

    config = state.load().only(names)
    config.require_sites()
    with state.console.progress("addresses", len(sources_check.sources(config))) as show:
        states = sources_check.check(config, options["max_age"], show)
    sick = {one.site for one in states if one.problem}
    checked = {one.site for one in states}
    well = [site.name for site in config.sites if site.name in checked - sick]
    for site in config.sites:
        if site.name not in checked:
            state.console.note(f"{site.name} is a list of pages and has no sources.")
    if options["as_json"]:
        state.console.json({"ok": not sick, "well": well, "sources": states})
    elif not state.console.quiet or sick:
        state.console.table("Sources", sources_check.HEADER, [one.row for one in states])
    if options["write"] and config.path:
        for name in well:
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


def _write(found: Discovery, config: Config, console: Console) -> None:
    """Add the site to corpus.toml, or add the new keys to the site that is already there."""
    from corpus_spider.config.writer import add_site, set_site_keys

    keys = found.site()
    own = {found.url, found.given}
    there = next((site for site in config.sites if site.name == found.name or own & set(site.start)), None)
    assert config.path is not None
    if there is None:
        add_site(config.path, keys)
    else:
        set_site_keys(config.path, there.name, _missing(found, keys, there))
    console.note(f"Wrote {config.path}.")


def _missing(found: Discovery, keys: Mapping[str, Value], site: Site) -> dict[str, Value]:
    """Return the keys that were found and that the configured site lacks."""
    lists = {key: keys[key] for key in ("feeds", "sitemaps") if key in keys}
    if not (lists or site.feeds or site.sitemaps) and found.usable("section"):
        lists["start"] = found.usable("section")
    unsaid = [key for key in ("archive", "allow") if key in keys and not getattr(site, key)]
    unsaid += ["language"] if "language" in keys and not (site.language or site.languages) else []
    return lists | {key: keys[key] for key in unsaid}
