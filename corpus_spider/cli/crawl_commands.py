"""Command: crawl."""

from __future__ import annotations

from dataclasses import astuple
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.monitoring_commands import write_sites
from corpus_spider.cli.options import as_json, several_sites, since, until, verb_of
from corpus_spider.cli.queue_commands import enqueue
from corpus_spider.exit_codes import DAMAGED, PIPE_CLOSED, REASONS
from corpus_spider.terminal.values import human_size

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.crawling.crawl_plan import CrawlPlan
    from corpus_spider.terminal.console import Console

verbs = click.Group()


@verb_of(verbs, ("crawl --dry-run", "crawl --site vnexpress --page-limit 500", "crawl -v"))
@several_sites
@click.option(
    "--page-limit",
    type=click.IntRange(min=1),
    help="Stop after this many pages (exit code 12). The next crawl continues.",
)
@click.option("--time-limit", metavar="TIME", help="Stop after this time, such as 90m or 2h (exit code 12).")
@click.option("--size-limit", metavar="SIZE", help="Stop after this much was received, such as 5GB (exit code 12).")
@click.option("--now", is_flag=True, help="Fetch every feed, sitemap and start page now, due or not.")
@click.option(
    "--forget-pending", is_flag=True, help="First delete the URLs that were found in pages and never fetched."
)
@click.option("--release-suspended", is_flag=True, help="Fetch the suspended URLs, and hold nothing back in this run.")
@since("Skip pages that are known to be older.")
@until("Skip pages that are known to be newer.")
@click.option("--rebuild", is_flag=True, help="Make a lost database again from the WARC files, then crawl.")
@click.option("--queue", is_flag=True, help="Add the sites that are due to the queue of `worker run`; fetch nothing.")
@click.option("--dry-run", is_flag=True, help="Show sites, sources and rules; fetch nothing.")
@as_json
def crawl(state: CommonOptions, /, **options: Any) -> int:
    """Crawl all URLs that are due, then end.

    Resumes an interrupted crawl. Ctrl-C finishes the requests in progress; a second Ctrl-C stops at once. Nothing is
    lost in either case.
    """
    limits = {f"crawl.{name}": options[name] for name in ("page_limit", "time_limit", "size_limit")}
    days = {f"crawl.{name}": f"{day:%Y-%m-%d}" for name in ("since", "until") if (day := options[name])}
    config = state.load(**limits, **days).only(options["sites"])
    if options["queue"]:
        enqueue(state, config, dry_run=options["dry_run"], as_json=options["as_json"])
        return 0
    from corpus_spider.cli.status import INTERNALS
    from corpus_spider.crawling import crawl_plan

    planned = crawl_plan.plan(config)
    if options["dry_run"]:
        planned = crawl_plan.with_changed_rules(planned, config, state.console.note)
        state.console.json(planned) if options["as_json"] else _show_plan(planned, state.console)
        return 0
    from corpus_spider.crawling.runner import crawl as start
    from corpus_spider.monitoring.notify import crawl_and_notify

    quiet, now = state.verbosity < 0, options["now"] or bool(days)
    flags = {name: options[name] for name in ("rebuild", "forget_pending")} | {"release": options["release_suspended"]}
    code, summary = crawl_and_notify(
        config, lambda: start(config, log_level=state.level, quiet=quiet, now=now, **flags)
    )
    shown = summary if options["as_json"] else write_sites(summary, state.console)
    state.report(shown, INTERNALS, as_json=options["as_json"])
    return code


def _show_plan(planned: CrawlPlan, console: Console) -> None:
    limits = dict(planned.limits)
    if "time_limit" in limits:
        limits["time_limit"] = f"{limits['time_limit']:g} s"
    if "size_limit" in limits:
        limits["size_limit"] = human_size(int(limits["size_limit"]))
    places = {"user_agent": planned.user_agent, "database": planned.database, "warc": planned.warc}
    console.table("Crawl", ("what", "value"), (places | limits).items())
    header = ("name", "hosts", "languages", "delay", "max_depth", "extractor", "allow", "deny")
    rows = [
        [" ".join(value) if isinstance(value := getattr(site, key), tuple) else value for key in header]
        for site in planned.sites
    ]
    console.table("Sites", header, rows)
    console.table("Sources", ("site", "kind", "url"), [astuple(seed) for seed in planned.seeds])
    changed = [astuple(row) for row in planned.changed_rules]
    console.table("Queued URLs and changed link rules", ("site", "taken_out", "let_in"), changed)


crawl.help = "\n".join(
    [
        f"{cleandoc(crawl.help or '')}\n\n\b\nExit codes:",
        *(f"  {code:>3}  {reason}" for code, reason in REASONS.items() if code not in {DAMAGED, PIPE_CLOSED}),
    ]
)
