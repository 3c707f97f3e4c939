"""Numbers beside a concordance: which sites and months are shown when there are many."""

from __future__ import annotations

import pytest

from corpus_spider.search.answers import MAX_SHOWN_GROUPS, SearchAnswer
from corpus_spider.search.hits.hit_counts import HitCounts
from storage.documents.model import UNDATED

NO_HITS = HitCounts(0, is_complete=True, per_million=None, tokens_by_language=None, by_site={}, by_month={})
SITES = {f"site{number:02}": 100 - number for number in range(20)}
MONTHS = {f"{2024 + at // 12}-{at % 12 + 1:02}": 1 + at % 3 for at in range(30)}


@pytest.mark.parametrize(
    ("name", "groups", "first", "last"),
    [
        ("site", SITES, "site00", "site11"),
        ("language", SITES, "site00", "site11"),
        ("month", MONTHS, "2025-07", "2026-06"),
        ("site", {"only": 3}, "only", "only"),
    ],
)
def test_the_largest_sites_and_the_last_months_are_shown(
    name: str, groups: dict[str, int], first: str, last: str
) -> None:
    """Groups are sorted by size, months by time, so they are cut at different ends."""
    answer = SearchAnswer(sum(groups.values()), (), 1, {name: groups}, NO_HITS)
    shown = answer.main_groups(name)
    assert (shown[0][0], shown[-1][0]) == (first, last)
    assert len(shown) == min(MAX_SHOWN_GROUPS, len(groups))
    assert len(shown) + answer.other_groups(name) == len(groups)


def test_the_documents_without_a_date_are_shown_behind_the_months() -> None:
    """They are a row more, and take the place of no month."""
    answer = SearchAnswer(31, (), 1, {"month": {**MONTHS, UNDATED: 7}}, NO_HITS)
    assert answer.main_groups("month") == [*list(MONTHS.items())[-MAX_SHOWN_GROUPS:], (UNDATED, 7)]
    assert answer.other_groups("month") == len(MONTHS) - MAX_SHOWN_GROUPS


def test_an_answer_without_a_group_shows_no_numbers() -> None:
    """An answer without documents has no group of a site."""
    assert SearchAnswer(0, (), 0, {}, NO_HITS).main_groups("site") == []
