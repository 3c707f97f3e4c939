"""Dead-link detection: shapes of links found in articles that nearly always answer 404."""

from __future__ import annotations

import pytest

from pipelines.discovery.dead_links import SAMPLE, DeadLinks
from storage.records import Kind, Lease


def lease(path: str, depth: int = 2, kind: Kind = Kind.PAGE, hops: int = 0) -> Lease:
    url = f"https://a.example/{path}"
    return Lease(1, url, url, "a", "a.example", kind, depth, hops)


BROKEN = "tin-tuc/the-thao/tran-dau-{}.html"


def seen(statuses: list[int], path: str = BROKEN, depth: int = 2) -> DeadLinks:
    links = DeadLinks()
    for number, status in enumerate(statuses):
        links.note(lease(path.format(1000 + number), depth), status)
    return links


@pytest.mark.parametrize(
    ("statuses", "dead"),
    [
        ([404] * SAMPLE, True),
        ([404, 410] * SAMPLE, True),
        ([404] * (SAMPLE - 1), False),
        ([200] + [404] * SAMPLE, True),
        ([200] * 2 + [404] * SAMPLE, False),
        ([500] * 50, False),
        ([404] * 30 + [200] * 4, False),
    ],
)
def test_a_shape_is_dead_when_nearly_all_of_a_sample_is_missing(statuses: list[int], dead: bool) -> None:
    assert seen(statuses).has(lease(BROKEN.format(5000))) is dead


@pytest.mark.parametrize(
    "other",
    [
        lease("the-thao/tran-dau-5000.html"),
        lease(BROKEN.format(5000), depth=1),
        lease(BROKEN.format(5000), kind=Kind.FEED),
        lease(BROKEN.format(5000), hops=1),
    ],
)
def test_other_shapes_and_what_sources_name_are_fetched(other: Lease) -> None:
    assert not seen([404] * 50).has(other)


@pytest.mark.parametrize(("same", "others", "dead"), [(SAMPLE, 0, True), (SAMPLE, 1, True), (SAMPLE, 2, False)])
def test_a_shape_of_print_versions_is_dead(same: int, others: int, dead: bool) -> None:
    """Nearly all of its pages were read and state that they are another page."""
    links = seen([200] * (same + others))
    for number in range(same):
        links.note_same_page(lease(BROKEN.format(1000 + number)))
    assert links.has(lease(BROKEN.format(5000))) is dead


def test_missing_pages_that_sources_name_are_no_sample() -> None:
    assert not seen([404] * 50, depth=1).has(lease(BROKEN.format(5000)))
