"""The table of places that may state the date of a page."""

from __future__ import annotations

import pytest

from pipelines.markup.page_view import PageView
from pipelines.metadata.dates.places import PLACES, DatedPage, DatePlace
from pipelines.metadata.publication_date import SOURCES
from storage.records import RULES

URL = "https://paper.example.org/2024/05/13/bridge"
SINGLE_TIME = '<time datetime="2024-05-13">13 May</time>'
PAGES = {
    "JSON-LD": '<script type="application/ld+json">{"@type": "Article", "datePublished": "2024-05-13"}</script>',
    "meta elements with known names": '<meta property="article:published_time" content="2024-05-13">',
    "meta elements with other names of a date": '<meta name="story-publish-date" content="2024-05-13">',
    "elements marked as the date": '<p itemprop="datePublished">13 May 2024</p>',
    "times of the article, of the day in the URL": f"<article><h1>The bridge</h1>{SINGLE_TIME}</article>",
    "path of the URL": "",
    "times of the article": f"<article><h1>The bridge</h1>{SINGLE_TIME}</article>",
    "only time of the page": f"<h1>The bridge</h1>{SINGLE_TIME}",
    "text around the headline": "<h1>The bridge</h1><p class=date>13 May 2024</p>",
    "times of an update": '<h1>The bridge</h1><p>Updated: <time datetime="2024-05-13">13 May</time></p>',
    "age beside the headline": "<h1>The bridge</h1><p>3 hours ago</p>",
    "text below the article and in lists": "<h1>The bridge</h1><p>Circulaire du 13 mai 2024</p>",
}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_each_place_states_a_date_of_its_sources(place: DatePlace) -> None:
    """The rows before it are read first, as in a crawl."""
    page = DatedPage(PageView(f"<title>The bridge</title><body>{PAGES[place.name]}"), URL)
    found = {row.name: list(row.read(page)) for row in PLACES}[place.name]
    assert {candidate.source for candidate in found} <= set(place.sources)
    assert found


def test_each_source_has_a_place_or_is_a_rule_of_a_site() -> None:
    """And the order of places is that of trust, except for the days of the article that the URL does not state."""
    assert {name for place in PLACES for name in place.sources} | {RULES} == set(SOURCES)
    best = [max(SOURCES[name].trust for name in place.sources) for place in PLACES if "time" not in place.sources]
    assert best == sorted(best, reverse=True)
