"""Each reason that the code gives has its row."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from corpus_spider.crawling.retry_policy import failure_reason
from storage import reasons
from storage.reasons import DROPPED, FAILED, counter_of, is_dropped, is_fault, may_pass, meaning_of
from storage.records import SITE_COUNTERS

ROOT = Path(__file__).parents[2]
PLACES = {"Drop": 0, "Failure": 1, "RefusalError": 0, "_without_document": 0}
"""Position of the reason among the arguments of what carries it."""
LITERALS = {value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str)}


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


def test_each_reason_that_the_code_gives_has_a_row() -> None:
    """A drop, failure or refusal with a new reason needs its row. A named reason has one too."""
    named = LITERALS - {reasons.HTTP, reasons.NO_TEXT, reasons.SHORT}
    found = given() | named | {failure_reason(error)[0] for error in (OSError(), TimeoutError())}
    assert len(found) > 30
    assert {reason for reason in found if reason not in DROPPED.keys() | FAILED.keys()} == set()


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
    assert meaning_of(reason) == words


@pytest.mark.parametrize(
    ("reason", "passes"),
    [
        ("http_403", True),
        ("http_410", True),
        ("firewall", True),
        ("paywall", True),
        ("soft_404", True),
        ("redirect_refused", True),
        ("body_truncated", True),
        ("blank", True),
        ("no_article", False),
        ("listing", False),
        ("language", False),
        ("removed", False),
        ("truncated_length", False),
        ("dns", False),
        ("of a later version", False),
    ],
)
def test_a_refusal_or_damage_may_pass(reason: str, *, passes: bool) -> None:
    """Other reasons are a property of the page."""
    assert may_pass(reason) is passes


def test_no_reason_has_two_meanings() -> None:
    """A reason is one of a page or one of a URL."""
    assert DROPPED.keys() & FAILED.keys() == set()


def test_the_counter_of_each_reason_is_one_of_a_run() -> None:
    """A misspelled counter would count nothing."""
    counters = {row.counter for table in (DROPPED, FAILED) for row in table.values()} - {None}
    assert counters <= SITE_COUNTERS.keys()


@pytest.mark.parametrize(
    ("reason", "counter", "fault", "dropped"),
    [
        ("http_404", "http_errors", True, True),
        ("http_451", "refused", True, True),
        ("paywall", "refused", False, True),
        ("listing", None, False, True),
        ("short", "short", False, True),
        ("removed", None, False, True),
        ("worker_timeout", "no_text", True, True),
        ("feed", None, False, False),
        ("unchanged_text", "unchanged", False, False),
        ("not_modified", None, False, False),
        ("same_payload", None, False, False),
        ("shortened", None, False, False),
        ("no_text", "no_text", False, True),
        ("of a later version", None, False, False),
        ("body_corrupt", "failed", True, False),
        ("truncated_time", "failed", True, False),
        ("render_crash", "failed", False, False),
        ("private_address", "failed", False, False),
        ("dns", "failed", False, False),
        ("robots", "robots", False, False),
        ("crawl_delay", "robots", False, False),
        ("barren", None, False, False),
    ],
)
def test_a_reason_is_counted_once(reason: str, counter: str | None, fault: bool, dropped: bool) -> None:
    """No reason is both dropped and a failed attempt. A source that works may end with a reason that is no fault."""
    assert (counter_of(reason), is_fault(reason), is_dropped(reason)) == (counter, fault, dropped)
