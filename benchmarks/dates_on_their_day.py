"""Measure dates of pages that are read on the day of their publication, when a crawl of news reads them.

    python benchmarks/dates_on_their_day.py GOLD

GOLD is a gold folder. Each page with a date is read twice: five days after its date, and three hours after it. A date
without a time is taken as midnight UTC. The report lists each page that loses its date or states another day on its own
day. Ages ("3 hours ago") depend on the visit and are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.lab.gold import MANIFEST
from pipelines.decoding.decode import decode
from pipelines.markup.page_view import PageView
from pipelines.metadata.reader import read_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.records import Metadata

MUCH_LATER = datetime(2026, 12, 1, tzinfo=UTC)
"""After all pages of the gold set, to learn their dates."""
DAYS, HOURS = timedelta(days=5), timedelta(hours=3)


def pages(folder: Path) -> Iterator[tuple[str, str, PageView]]:
    """Yield id, URL and parsed page of each page of a gold folder."""
    for entry in map(json.loads, (folder / MANIFEST).read_text("utf-8").splitlines()):
        body = (folder / "pages" / f"{entry['id']}.html").read_bytes()
        yield entry["id"], entry.get("url") or "about:blank", PageView(decode(body, entry.get("encoding")).text)


def readings(page: PageView, url: str) -> tuple[Metadata, Metadata] | None:
    """Return the metadata of a page read days after its date and on its day, or None if it states no date."""
    first = read_metadata(page, url, (), MUCH_LATER)
    if first.published is None or first.published_source == "age":
        return None
    date = datetime.fromisoformat(first.published)
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return read_metadata(page, url, (), date + DAYS), read_metadata(page, url, (), date + HOURS)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, metavar="GOLD", help="folder with manifest.jsonl and pages/")
    counts = Counter[str]()
    for name, url, page in pages(parser.parse_args().gold):
        read = readings(page, url)
        if read is None:
            counts["without a date"] += 1
            continue
        later, own = read
        days = [(one.published or "")[:10] for one in read]
        outcome = "same" if days[0] == days[1] else "lost" if not days[1] else "changed"
        counts[outcome] += 1
        if outcome != "same":
            print(f"{outcome:8} {name:24} {days[0]} {later.published_source}: {later.published_text!r}", end="")
            print(f" -> {days[1]} {own.published_source}: {own.published_text!r}" if days[1] else "")
    dated = counts["same"] + counts["lost"] + counts["changed"]
    print(f"{dated} pages with a date: {counts['lost']} lost, {counts['changed']} changed on their own day")


if __name__ == "__main__":
    main()
