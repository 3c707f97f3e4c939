"""Each reason that the code gives has a meaning."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from corpus_spider.crawling.retry_policy import failure_reason
from corpus_spider.terminal.reasons import DROPPED, FAILED, meaning
from storage.frontier.visit_results import FAULTS, REFUSED
from storage.reasons import GONE, NO_ANSWER
from storage.runs.site_runs import column_of

ROOT = Path(__file__).parents[3]
PLACES = {"Drop": 0, "Failure": 1, "RefusalError": 0}
"""Position of the reason among the arguments of what carries it."""
NOT_COUNTED = frozenset(
    """
    no_article listing same_page shortened reserved removed feed sitemap redirect redirect_refused not_html
    """.split()
)
"""Reasons of pages that have no counter of a run at a site. `no_article` has two, which depend on its detail."""
NO_FAULT = frozenset(
    """
    no_article listing paywall script_only language same_page unchanged_text shortened reserved removed feed sitemap
    redirect not_html undecodable empty
    """.split()
)
"""Reasons with which a source may end that works: its links are read, or it has none."""


def given() -> set[str]:
    """Return the reasons that are literal arguments of drops, failures and refusals in the three packages."""
    found = set()
    for package in ("corpus_spider", "pipelines", "storage"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLACES:
                    found |= {each.value for each in node.args[PLACES[node.func.id] :][:1] if is_text(each)}
    return found


def is_text(node: ast.expr) -> bool:
    """Return whether an argument is a literal text."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_each_reason_that_the_code_gives_has_a_meaning() -> None:
    """A drop, failure or refusal with a new reason needs its line."""
    reasons = given() | GONE | NO_ANSWER | REFUSED | {failure_reason(error)[0] for error in (OSError(), TimeoutError())}
    assert len(reasons) > 30
    assert {reason for reason in reasons if not meaning(reason)} == set()


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("http_404", "the server responded with status 404"),
        ("language", "a language that is not wanted"),
        ("barren", "a crawler trap; the URL stays pending"),
        ("of a later version", ""),
    ],
)
def test_a_reason_has_its_meaning(reason: str, words: str) -> None:
    """An error status is not in the table. An unknown reason, as of a newer version, has no meaning."""
    assert meaning(reason) == words


def test_no_reason_has_two_meanings() -> None:
    """A reason is one of a page or one of a URL."""
    assert DROPPED.keys() & FAILED.keys() == set()


def test_each_reason_of_a_page_is_in_a_group() -> None:
    """A new reason is a counter of `column_of` or is named here, and is one of `FAULTS` or is named here."""
    assert {reason for reason in DROPPED if column_of("drop", reason) is None} == NOT_COUNTED
    assert {reason for reason in DROPPED if not reason.startswith(FAULTS)} == NO_FAULT
