"""Trace one page through `process`: modules entered, and jumps between modules.

    python benchmarks/page_path.py GOLD_DIR [--page ID] [--modules]

A jump is a call from a function of one module of the project to a function of another. A generator is called once,
however often it goes on. A route is a pair of functions with a jump between them: a reader of the code follows each
route once, also if a loop takes it a hundred times. Without ``--page`` the medians over some pages with a true text are
printed. All pages are processed once before, so that imports and tables of languages are no part of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from inspect import CO_GENERATOR
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from storage.records import Capture

if TYPE_CHECKING:
    from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
FLOORS = ("corpus_spider", "pipelines", "storage")


@dataclass(slots=True)
class PathTrace:
    """Modules entered, jumps between them by pair of modules, and routes."""

    modules: set[str] = field(default_factory=set)
    jumps: Counter[tuple[str, str]] = field(default_factory=Counter)
    routes: set[tuple[CodeType, CodeType]] = field(default_factory=set)
    begun: set[FrameType] = field(default_factory=set)
    """Generators. A profile hook also reports a call where one goes on."""

    def watch(self, frame: FrameType, event: str, _: Any) -> None:
        """Count a call into a module of the project. The caller is the nearest project frame below."""
        if event != "call" or frame in self.begun or (entered := module_of(frame)) is None:
            return
        if frame.f_code.co_flags & CO_GENERATOR:
            self.begun.add(frame)
        self.modules.add(entered)
        caller = frame.f_back
        while caller is not None and module_of(caller) is None:
            caller = caller.f_back
        if caller is not None and (before := module_of(caller)) is not None and before != entered:
            self.jumps[before, entered] += 1
            self.routes.add((caller.f_code, frame.f_code))


def module_of(frame: FrameType) -> str | None:
    """Return the project module a frame belongs to, or None for other code and this file."""
    name = frame.f_globals.get("__name__", "")
    return name if name.split(".")[0] in FLOORS else None


def capture_of(entry: dict[str, Any], gold: Path) -> Capture:
    """Return a gold page as an answer of its server."""
    body = next(gold.glob(f"pages/{entry['id']}.*")).read_bytes()
    headers = (("Content-Type", "text/html"),)
    return Capture(entry["url"] or f"https://example.org/{entry['id']}", datetime.now(UTC), 200, (), headers, body)


def trace_page(capture: Capture) -> PathTrace:
    """Process a page under a profile hook."""
    from pipelines.page.process import process
    from storage.records import SiteModel

    found = PathTrace()
    sys.setprofile(found.watch)
    try:
        process(capture, SiteModel())
    finally:
        sys.setprofile(None)
    return found


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl and pages/")
    parser.add_argument("--page", help="id of one page; default: the median over pages with a true text")
    parser.add_argument(
        "--pages", type=int, default=40, metavar="N", help="pages for the median, spread over the folder"
    )
    parser.add_argument("--modules", action="store_true", help="list the modules, and the jumps by pair")
    options = parser.parse_args()
    entries = [json.loads(line) for line in (options.gold / "manifest.jsonl").read_text("utf-8").splitlines()]
    wanted = [entry for entry in entries if entry["id"] == options.page or (not options.page and entry["has_gold"])]
    if not wanted:
        sys.exit(f"{options.gold}: there is no page {options.page}")
    wanted = wanted[:: max(1, len(wanted) // options.pages)]
    captures = [capture_of(entry, options.gold) for entry in wanted]
    traces = [[trace_page(capture) for capture in captures] for _ in range(2)][1]
    modules = median(len(trace.modules) for trace in traces)
    jumps = median(trace.jumps.total() for trace in traces)
    routes = median(len(trace.routes) for trace in traces)
    print(f"{len(traces)} pages: {modules:g} modules, {jumps:g} jumps between modules by {routes:g} routes (median)")
    if options.modules:
        entered = Counter(name for trace in traces for name in trace.modules)
        for name, pages in entered.most_common():
            print(f"{pages:6} pages  {name}")
        for (before, after), count in sum((trace.jumps for trace in traces), Counter[tuple[str, str]]()).most_common(
            60
        ):
            print(f"{count / len(traces):8.1f} jumps  {before} -> {after}")


if __name__ == "__main__":
    main()
