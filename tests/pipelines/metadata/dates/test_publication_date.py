"""Publication date: the text on a page that states it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pipelines.metadata.dates.path_dates import dates_in_path
from pipelines.metadata.publication_date import DateCandidate, PublicationDate, find_date
from pipelines.metadata.reader import read_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_first_believable_candidate_wins() -> None:
    """Candidates are asked in their order, and the text that was read is returned beside the date."""
    texts = ["", "0001-01-01", " 2024-05-13\nT10:20 ", "2024-05-14"]
    found = find_date([DateCandidate("meta", text) for text in texts], NOW)
    assert found == PublicationDate("2024-05-13", "2024-05-13 T10:20", "gregorian", "meta", 0.95)
    assert find_date([DateCandidate("meta", "soon")], NOW) is None


def test_the_date_of_the_visit_above_a_headline_is_not_believed() -> None:
    """Newspapers print today's date on top of every page; another day there may be the article's."""
    assert find_date([DateCandidate("masthead", "Friday, 20 November 2026")], NOW) is None
    found = find_date([DateCandidate("masthead", "Friday, 13 November 2026")], NOW)
    assert found is not None
    assert (found.iso, found.confidence) == ("2026-11-13", 0.57)


@pytest.mark.parametrize(
    ("figures", "plain", "day"),
    [
        ("05/06/2024", "6 May 2024", "2024-05-06"),
        ("12/05/2024", "5 December 2024", "2024-12-05"),
        ("05/12/2024", "12 May 2024", "2024-05-12"),
        ("13/05/2024", "5 June 2024", "2024-05-13"),
        ("05/06/2024", "7 June 2024", "2024-06-05"),
    ],
)
def test_a_plain_date_decides_what_figures_mean(figures: str, plain: str, day: str) -> None:
    """The day may be the month, up to the twelfth; a date of another day decides nothing."""
    found = find_date([DateCandidate("text", figures), DateCandidate("text", plain)], NOW, "vi")
    assert found is not None
    assert found.iso == day


@pytest.mark.parametrize(
    ("stated", "is_read"),
    [
        ("2024-05-13", False),
        ("2024-05-13T10:20", False),
        ("13 May 2024", False),
        ("2024-05-13T10:20:00Z", True),
        ("Mon, 13 May 2024 10:20:00 +0700", True),
        ("2026-11-22", True),
    ],
)
def test_shown_dates_are_read_only_if_they_may_contradict(stated: str, is_read: bool) -> None:
    """They correct the zone of a moment, and a day after the visit. To read them takes most of the time for a date."""
    read = []

    def candidates() -> Iterator[DateCandidate]:
        yield DateCandidate("json-ld", stated)
        read.append("shown")
        yield DateCandidate("text", "12 May 2024")

    assert find_date(candidates(), NOW) is not None
    assert bool(read) is is_read


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/2024/05/13/title.html", ["2024-05-13"]),
        ("/2024/5/3/title", ["2024-05-03"]),
        ("/news/2024-05-13-title", ["2024-05-13"]),
        ("/n3/2022/1123/c90000-10175286.html", ["2022-11-23"]),
        ("/20240513/x", ["2024-05-13"]),
        ("/2024-05/13/content_1.htm", ["2024-05-13"]),
        ("/2024-05/131/x", []),
        ("/title-20240513102030123.htm", ["2024-05-13"]),
        ("/t20240513_4745678.shtml", ["2024-05-13"]),
        ("/%DB%B2%DB%B0%DB%B2%DB%B4/%DB%B0%DB%B5/%DB%B1%DB%B3/", ["2024-05-13"]),
        ("/title%20240513", []),
        ("/2024/05/", []),
        ("/story/120240513", []),
        ("/story-4745678.html", []),
    ],
)
def test_dates_in_paths(path: str, expected: list[str]) -> None:
    """A day in a path is found with slashes, dashes or none, and never inside a longer number."""
    assert dates_in_path(path) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("og:pubdate", "2024-11-05"),
        ("_pubtime", "2024-11-05"),
        ("article:publish_date", "2024-11-05"),
        ("article-publish-date", "2024-11-05"),
        ("publishedDate", "2024-11-05"),
        ("date_published", "2024-11-05"),
        ("weibo:article:create_at", "2024-11-05"),
        ("prism.publicationDate", "2024-11-05"),
        ("citation_online_date", "2024-11-05"),
        ("created", "2024-11-05"),
        ("video:release_date", None),
        ("video_release_date", None),
        ("profile:created", None),
        ("account_created", None),
        ("last-post-date", None),
        ("og:updated_time", None),
        ("expiration_date", None),
        ("updated", None),
    ],
)
def test_a_meta_element_named_for_publication_states_its_date(name: str, expected: str | None) -> None:
    """Each system has a name of its own: what is made of publishing and of date, time or at is believed."""
    page = f'<html lang="en"><meta name="{name}" content="2024-11-05"><h1>The council mends the bridge</h1>'
    assert read_metadata(page, "https://example.org/a", (), NOW).published == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<header><time datetime='2026-11-20'>Friday</time></header><h1>H</h1>", (None, None)),
        ("<header><time datetime='2026-11-13'>Friday</time></header><h1>H</h1>", ("2026-11-13", "masthead")),
        ("<header><h1>H</h1><time datetime='2026-11-20'>Friday</time></header>", ("2026-11-20", "time")),
        ("<main><header><time datetime='2026-11-20'>x</time></header><h1>H</h1></main>", ("2026-11-20", "time")),
        ("<time datetime='2026-11-20'>Friday</time><h1>H</h1>", ("2026-11-20", "time")),
    ],
)
def test_a_time_element_of_the_masthead_is_no_more_than_that(
    body: str, expected: tuple[str | None, str | None]
) -> None:
    """The page's header, which has no heading, tells the day of the visit; that of an article is its own."""
    found = read_metadata(f'<html lang="en">{body}<p>Text</p>', "https://example.org/a", (), NOW)
    assert (found.published, found.published_source) == expected
