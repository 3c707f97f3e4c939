"""Scope of a site: queued URLs under changed rules."""

from __future__ import annotations

import pytest

from pipelines.discovery.scope import scope_of
from storage.records import Kind, Lease, SiteModel


@pytest.mark.parametrize(
    ("depth", "hops", "kind", "known", "url", "allowed"),
    [
        (1, 0, Kind.PAGE, False, "https://www.a.example/news/1", True),
        (1, 0, Kind.PAGE, False, "https://www.a.example/sport/1", False),
        (0, 0, Kind.PAGE, False, "https://www.a.example/sport/1", True),
        (1, 1, Kind.PAGE, False, "https://www.a.example/sport/1", True),
        (1, 0, Kind.PAGE, True, "https://www.a.example/sport/1", True),
        (1, 0, Kind.PAGE, True, "https://www.a.example/tag/1", False),
        (1, 1, Kind.PAGE, False, "https://other.example/news/1", False),
        (1, 0, Kind.SITEMAP, False, "https://www.a.example/sport.xml", True),
        (1, 0, Kind.SITEMAP, False, "https://other.example/news.xml", False),
    ],
)
def test_queued_urls_are_judged_by_the_rules_of_today(
    depth: int, hops: int, kind: Kind, *, known: bool, url: str, allowed: bool
) -> None:
    scope = scope_of(SiteModel(hosts=("a.example",), allow=("/news/",), deny=("/tag/",)))
    lease = Lease(1, url, url, "a", "a.example", kind, depth, hops)
    assert scope.still_has(lease, known=known) is allowed
