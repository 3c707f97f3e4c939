"""The next command for each problem. Pure."""

from __future__ import annotations

import shlex

from corpus_spider.monitoring.model import Finding, Sign
from storage.records import WORKER_FAULTS

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


def next_command(finding: Finding) -> str:
    """Return the arguments of the next command to run for a problem."""
    if finding.reason:
        return f"dropped --site {shlex.quote(finding.site)} --reason {finding.reason}"
    return _NEXT[finding.sign].format(site=shlex.quote(finding.site), url=shlex.quote(finding.url))
