"""`corpus-spider sites`: where a site lists its articles, and whether it still does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.exit_codes import SICK
from corpus_spider.options import MOST_DAYS, State, as_json, examples, verb_of
from storage.counting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.config import Config
    from corpus_spider.config_write import Value
    from corpus_spider.console import Console
    from corpus_spider.discover import Discovery, Finding
    from corpus_spider.sections import Site


@click.group(epilog=examples(("sites discover https://news.example.org/", "sites check")))
def sites() -> None:
    """Find the sources of newspapers, and see whether they are well."""


@verb_of(
    sites,
    (
        "sites discover https://news.example.org/ -s corpus.contact=you@example.org",
        "sites discover https://news.example.org/ --write",
    ),
)
@click.argument("url", metavar="URL")
@click.option("--write", is_flag=True, help="Put the site into corpus.toml; all else in it stays as it is.")
@as_json
def discover(state: State, /, url: str, **options: Any) -> None:
    """Find the feeds, sitemaps and sections of a newspaper.

    From the address of its front page, in some thirty requests, by the rules of a crawl. Exit code 7 when the page
    cannot be fetched.
    """
    from corpus_spider import discover as finding
    from corpus_spider.config_write import lines

    config = state.load() if options["write"] else state.load_or_default()
    found = finding.discover(_address(url), config, state.console.note)
    text = f"[[site]]\n{lines(found.site())}"
    if options["as_json"]:
        plain = {"url": found.url, "findings": found.findings, "articles": found.patterns, "requests": found.requests}
        state.console.json(plain | {"site": found.site()})
    else:
        _render(found, state.console)
        if not (found.usable("feed") or found.usable("sitemap")):
            state.console.note(
                "There is neither feed nor sitemap of use: a crawl follows the links of its start pages."
            )
        if "feeds" in found.site() and found.archives:
            state.console.note("For the whole archive, many pages, put into sitemaps:")
            state.console.note("\n".join(f"  {url}" for url in found.archives))
        if found.patterns:
            state.console.note("Addresses of its articles, for allow if nothing else is wanted:")
            state.console.note("\n".join(f"  '{pattern}'" for pattern in found.patterns))
        state.console.result(text.rstrip())
    if options["write"]:
        # Read again: finding took its time, and others may have written to the file.
        _write(found, state.load(), state.console)


@verb_of(sites, ("sites check", "sites check vnexpress tuoitre --write", "sites check --json"))
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--max-age",
    type=click.IntRange(1, MOST_DAYS),
    default=30,
    show_default=True,
    help="Days without a new entry that are well.",
)
@click.option("--write", is_flag=True, help="Note today as the day of the check with every site that is well.")
@as_json
def check(state: State, /, names: tuple[str, ...], **options: Any) -> int:
    """See whether the configured sources are well.

    Each feed, sitemap and start page is asked for once: reachable, allowed, readable, with new entries. Exit code 8
    when one is not.
    """
    from corpus_spider import sources_check
    from corpus_spider.config_write import set_site_keys

    config = state.load().only(names)
    config.require_sites()
    with state.console.progress("addresses", len(sources_check.sources(config))) as show:
        states = sources_check.check(config, options["max_age"], show)
    sick = {one.site for one in states if one.problem}
    asked = {one.site for one in states}
    well = [site.name for site in config.sites if site.name in asked - sick]
    for site in config.sites:
        if site.name not in asked:
            state.console.note(f"{site.name} is a list of pages, and has no sources.")
    if options["as_json"]:
        state.console.json({"ok": not sick, "well": well, "sources": states})
    elif not state.console.quiet or sick:
        state.console.table("Sources", sources_check.HEADER, [one.row for one in states])
    if options["write"] and config.path:
        for name in well:
            set_site_keys(config.path, name, {"checked": datetime.now(UTC).date().isoformat()})
    return SICK if sick else 0


def _address(url: str) -> str:
    from corpus_spider.config_values import web_address

    address = url if "://" in url else f"https://{url}/"
    if wrong := web_address(address):
        raise click.BadParameter(wrong, param_hint="URL")
    return address


def _render(found: Discovery, console: Console) -> None:
    header = ("kind", "form", "entries", "newest", "verdict", "url")
    rows = [
        (one.kind, one.form, _entries(one), one.newest or "", one.refused or _verdict(one), one.url)
        for one in found.findings
    ]
    if not console.quiet:
        console.table(f"{found.url}: {counted(found.requests, 'request')}", header, rows)


def _verdict(finding: Finding) -> str:
    return "of use" if finding.asked else "not asked for"


def _entries(finding: Finding) -> object:
    """Nothing is counted in sections."""
    return "" if finding.kind == "section" else finding.entries


def _write(found: Discovery, config: Config, console: Console) -> None:
    """Add the site to corpus.toml, or what is new to the site that is there."""
    from corpus_spider.config_write import add_site, set_site_keys

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
    """Return what a site that is configured lacks of what was found: sources and sections, and what it does not say."""
    lists = {key: keys[key] for key in ("feeds", "sitemaps") if key in keys}
    if not (lists or site.feeds or site.sitemaps) and found.usable("section"):
        lists["start"] = found.usable("section")
    unsaid = [key for key in ("archive", "allow") if key in keys and not getattr(site, key)]
    unsaid += ["language"] if "language" in keys and not (site.language or site.languages) else []
    return lists | {key: keys[key] for key in unsaid}
