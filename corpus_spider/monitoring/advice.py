"""The next command for each problem. Pure."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from corpus_spider.monitoring.model import Sign, SiteProblem
from storage.reasons import WORKER_FAULTS
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEXT = {
    Sign.NOT_CRAWLED: "crawl --site {site}",
    Sign.SILENT: "sites check {site}",
    Sign.REFUSED: "dropped --site {site}",
    Sign.UNREACHABLE: "dropped --site {site}",
    Sign.ERRORS: "dropped --site {site}",
    Sign.PROCESSING: f"dropped --site {{site}} --reason {','.join(WORKER_FAULTS)}",
    Sign.TEXT_LOST: "dropped --site {site}",
    Sign.UNDATED: "reextract --metadata --site {site} --dry-run",
    Sign.LANGUAGE: "dropped --site {site} --reason language",
    Sign.DUPLICATES: "learn --site {site} --dry-run",
    Sign.SHORTENED: "dropped --site {site} --reason shortened",
    Sign.PAUSED: "dropped --site {site}",
    Sign.RULES: "rules try {url} --site {site}",
    Sign.SOURCE: "sites check {site}",
}
"""Command that shows the cause of a problem, or that mends it."""


MAX_SUSPENDED_SITES = 8
"""Sites with suspended URLs that are named. The counters of the last run have all."""


def suspended_sites(suspended: Mapping[str, int]) -> list[tuple[str, str]]:
    """Describe the sites with the most suspended URLs, each with the arguments of the command that releases them."""
    why = "The site gave many more new texts than follow from its past. A new paper, an archive or a tarpit does so."
    ranked = sorted((item for item in suspended.items() if item[1]), key=lambda item: (-item[1], item[0]))
    return [
        (
            f"{site}: {counted(count, 'URL')} suspended. {why}",
            f"crawl --release-suspended --site {shlex.quote(site)}",
        )
        for site, count in ranked[:MAX_SUSPENDED_SITES]
    ]


def next_command(finding: SiteProblem) -> str:
    """Return the arguments of the next command to run for a problem."""
    if finding.reason:
        return f"dropped --site {shlex.quote(finding.site)} --reason {finding.reason}"
    return _NEXT[finding.sign].format(site=shlex.quote(finding.site), url=shlex.quote(finding.url))
