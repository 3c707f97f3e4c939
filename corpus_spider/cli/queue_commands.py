"""Commands for crawls on several machines: worker run, worker list; `crawl --queue`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from corpus_spider.cli.options import Verbs, as_json, examples, verb_of
from storage.errors import ConfigError
from storage.reporting import counted

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions
    from corpus_spider.config.model import Config
    from corpus_spider.queue.jobs import QueueState
    from corpus_spider.terminal.console import Console


@click.group(cls=Verbs, epilog=examples(("crawl --queue", "worker run", "worker run --slots 2", "worker list")))
def worker() -> None:
    """Crawl on several machines.

    `crawl --queue` adds batches of sites to a queue in PostgreSQL. `worker run` takes batches from it, on each machine.
    """


@verb_of(worker, ("worker run", "worker run --slots 2", "worker run --until-empty"), name="run")
@click.option(
    "--slots", type=click.IntRange(min=1), default=1, show_default=True, help="Batches that are crawled at once."
)
@click.option("--until-empty", is_flag=True, help="End when no batch waits. Otherwise wait for more.")
@click.option(
    "--heartbeat-limit",
    metavar="SECONDS",
    type=click.FloatRange(min=1),
    default=30.0,
    show_default=True,
    help="Queue batches of a worker again after so long without a sign of life from it.",
)
def run_worker(state: CommonOptions, /, slots: int, until_empty: bool, heartbeat_limit: float) -> int:
    """Crawl batches of sites from the queue, on any number of machines.

    `crawl --queue` fills the queue. All machines use one corpus in PostgreSQL. Each has a folder of WARC files, or all
    use object storage. Ctrl-C stops the crawls of this worker, and another worker goes on with them.
    """
    import asyncio

    from corpus_spider.archive.ownership import name_machine
    from corpus_spider.archive.redaction import carry_out
    from corpus_spider.queue.jobs import require_library
    from storage.corpus import Corpus

    config = state.load_made()
    require_library()
    from corpus_spider.queue.worker import CrawlWorker

    tried: datetime | None = None

    def errand() -> None:
        nonlocal tried
        tried = carry_out(corpus, config.originals, tried)

    with Corpus.open(config.database_url, machine=config.machine) as corpus:
        name_machine(config, corpus)
        sites = frozenset(config.site_names)
        crawls = CrawlWorker(corpus, state.arguments, config.host, slots, until_empty, heartbeat_limit, errand, sites)
        return asyncio.run(crawls.run())


@verb_of(worker, ("worker list", "worker list --json"), name="list")
@as_json
def list_workers(state: CommonOptions, /, as_json: bool) -> None:
    """List the workers of all machines, and the batches in the queue."""
    from corpus_spider.queue.jobs import queue_state
    from storage.corpus import Corpus

    config = state.load_made()
    with Corpus.open(config.database_url) as corpus:
        found = queue_state(corpus)
    if as_json:
        state.console.json(found)
    else:
        _show(found, state.console)


@verb_of(worker, ("worker gone node-3", "worker gone node-3 --yes"), name="gone")
@click.argument("machine")
@click.option("--yes", is_flag=True, help="Do not ask. Needed without a terminal.")
@as_json
def declare_gone(state: CommonOptions, /, machine: str, yes: bool, as_json: bool) -> None:
    """Declare a machine gone for good, with the WARC files of its folder.

    The next crawls fetch its pages that were not processed again. Texts stay. Removals no longer wait for it. If it
    comes back all the same, its first crawl deletes these files.
    """
    import sys

    from storage.corpus import Corpus

    config = state.load_made()
    if not yes:
        if not sys.stdin.isatty():
            raise ConfigError("nothing was changed: there is no terminal to ask", do="Add --yes to declare it gone.")
        if not click.confirm(f"Are the WARC files of machine {machine} lost for good?", err=True):
            state.console.note("Nothing was changed.")
            return
    with Corpus.open(config.database_url, machine=config.machine) as corpus:
        gone = corpus.removals.give_up_machine(machine)
        if gone is None:
            known = ", ".join(sorted({file.machine for file in corpus.warc.files() if file.machine}))
            do = f"Machines with WARC files: {known or 'none'}."
            raise ConfigError("no machine of this name has WARC files", where=machine, do=do)
    if as_json:
        state.console.json(gone)
        return
    files, pages = counted(gone.files, "WARC file"), counted(gone.pages, "page")
    state.console.result(f"Machine {machine} is gone: {files} lost. To be fetched again by the next crawls: {pages}.")


def enqueue(state: CommonOptions, config: Config, *, dry_run: bool, as_json: bool) -> None:
    """Add the sites that are due to the queue, and say in which batches."""
    from corpus_spider.queue import jobs
    from storage.corpus import Corpus

    with Corpus.open(config.database_url, create=not dry_run) as corpus:
        found = jobs.enqueue(config, corpus, dry_run=dry_run)
    if as_json:
        state.console.json(found)
        return
    rows = [(len(batch.sites), f"{batch.seconds / 60:.0f}", _names(batch.sites)) for batch in found.added]
    state.console.table("Batches" if dry_run else "Queued batches", ("sites", "minutes", "names"), rows)
    if not found.added:
        state.console.note("No site is due that is not queued yet.")
    elif not found.workers and not dry_run:
        state.console.note(f"No worker is there. Start one on each machine: {state.program} worker run")


def _show(found: QueueState, console: Console) -> None:
    moment = datetime.now(UTC)
    machines = {each.worker: each.machine for each in found.workers}
    workers = [
        (
            each.worker,
            each.machine,
            each.process,
            each.slots,
            _ago(moment, each.started),
            "died" if each.is_dead else f"{each.quiet_seconds:.0f} s",
            f"{each.pages_per_minute:.0f}",
        )
        for each in found.workers
    ]
    of_workers = ("worker", "machine", "process", "slots", "since", "last_sign", "pages_per_minute")
    console.table("Workers", of_workers, workers)
    batches = [
        (
            each.job,
            each.state,
            machines.get(each.worker or 0, ""),
            len(each.sites),
            _ago(moment, each.started) if each.state == "doing" and each.started else "",
            each.attempts,
            "" if each.pages_per_minute is None else f"{each.pages_per_minute:.0f}",
            _names(each.sites),
        )
        for each in found.batches
    ]
    of_batches = ("batch", "state", "machine", "sites", "since", "attempts", "pages_per_minute", "names")
    console.table("Batches", of_batches, batches)
    if not found.workers:
        console.note(f"{counted(len(found.batches), 'batch')} and no worker. `worker run` starts one.")


def _names(sites: tuple[str, ...]) -> str:
    return ", ".join(sites[:3]) + (", …" if len(sites) > 3 else "")


def _ago(now: datetime, then: datetime) -> str:
    minutes = int((now - then).total_seconds() // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
