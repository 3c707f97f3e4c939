"""A crawl in one process and without a network, for tests that start it a hundred times: the session, dispatcher, line,
writer, archive and database of the program, pages from a newspaper in memory, read where they are.

Run as ``python -m tests.corpus_spider.small_crawl`` it reads orders, a JSON object a line, ``{"folder": where the
corpus.toml is, "environment": {...}, "command": [...]}``, and for each crawls, or runs the command if there is one, in
a forked process, and writes how that ended: an exit code, or minus a signal. What it says goes into FOLDER.said. What
takes long to load is loaded once.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import sys
import traceback
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pipelines.runtime.warm_up
import pipelines.runtime.writer
from corpus_spider.cli import app
from corpus_spider.config.loader import load
from corpus_spider.crawling import session, site_models
from corpus_spider.crawling.dispatcher import Dispatcher
from corpus_spider.maintenance import reextract
from pipelines.page.process import process, survey
from storage.errors import CorpusError
from storage.records import Capture, Fetched
from tests.corpus_spider.small_paper import PAUSE, newspaper

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.template_learning import Survey
    from storage.records import Lease, Processed, SiteModel
    from tests.corpus_spider.local_paper import Newspaper

SMALL_GROUP, SMALL_FILE = 4, 12_000
"""Pages of a group and bytes of a WARC file, so that a small crawl has many of both."""


class Here:
    """In place of the worker processes: pages are read at once."""

    cpu_seconds, peak_kib, size = 0.0, 0, 1

    def __init__(self, *_: object) -> None:
        pass

    def submit(self, capture: Capture, model: SiteModel, *_: object, **__: object) -> Future[Processed]:
        done: Future[Processed] = Future()
        done.set_result(process(capture, model))
        return done

    def survey(self, capture: Capture) -> Future[Survey]:
        done: Future[Survey] = Future()
        done.set_result(survey(capture))
        return done

    def close(self) -> None:
        pass


def exchange(paper: Newspaper, lease: Lease) -> Fetched:
    path = urlsplit(lease.fetch_url).path
    paper.asked[path] += 1
    status, headers, body = paper.answer(path)
    capture = Capture(lease.fetch_url, datetime.now(UTC), status, (), tuple(headers.items()), body, kind=lease.kind)
    return Fetched(capture, lease, reason=f"http_{status}" if status >= 400 else None)


async def _page(opened: session.Session, fetched: Fetched) -> None:
    pipeline, lease = opened.pipeline, fetched.lease
    assert lease is not None
    fetch_id = await pipeline.archive(fetched)
    if fetched.reason is None and pipeline.hold(fetch_id, len(fetched.capture.body)):
        await pipeline.store(fetch_id, lease, await pipeline.process(fetched.capture, lease.site, fetch_id))


async def _crawl(opened: session.Session, paper: Newspaper) -> None:
    dispatcher = Dispatcher(opened.pipeline, opened.dispatch_limits(), locks=opened.locks)
    tasks = []
    async for lease in dispatcher.leases():
        await asyncio.sleep(float(os.environ.get(PAUSE, "0")))
        tasks.append(asyncio.ensure_future(_page(opened, exchange(paper, lease))))
    await asyncio.gather(*tasks, return_exceptions=True)


def crawl(folder: Path) -> int:
    """Crawl to the end, every source being due; return the exit code."""
    pipelines.runtime.writer.GROUP = SMALL_GROUP
    try:
        config = load(folder / "corpus.toml")
        config = replace(config, crawl=replace(config.crawl, roll_bytes=SMALL_FILE))
        opened = session.Session.open(config, now=True)
        try:
            asyncio.run(_crawl(opened, newspaper()))
        finally:
            opened.ended = opened.ended or "finished"
            opened.close(session.exit_code(opened, stopped=False))
    except CorpusError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if isinstance(opened.pipeline.error, CorpusError):
        print(opened.pipeline.error, file=sys.stderr)
    return opened.exit_code


def _obey(order: dict[str, Any]) -> None:
    """Crawl in this process, which ends with it, in a process group of its own."""
    os.setsid()
    os.chdir(order["folder"])
    os.environ.update(order["environment"])
    if "LD_PRELOAD" in os.environ:
        ctypes.CDLL(os.environ["LD_PRELOAD"]).disk_faults()
    with Path(f"{order['folder']}.said").open("a") as said:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(said.fileno(), stream.fileno())
    for module in (reextract, site_models, session):
        module.WorkerPool = Here  # type: ignore[attr-defined]
    os._exit(app.run(order["command"]) if order["command"] else crawl(Path(order["folder"])))


def serve() -> None:
    """Obey orders until there are no more."""
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                _obey(json.loads(line))
            finally:
                traceback.print_exc()
                os._exit(1)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
