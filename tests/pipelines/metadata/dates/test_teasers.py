"""Dates of teasers and of quoted posts are not the publication date of the page."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
TITLE = "Ministers promise a second bridge over the river"
OTHER = '<h3><a href="/other">Rain is expected for the whole week</a></h3>'
OWN = '<h2><a href="/story">Ministers promise a second bridge over the river</a></h2>'
TIME = '<time datetime="2025-03-01" pubdate>1 March 2025</time>'
PROSE = "<p>The bridge is to stand before the winter after next, said the minister, who would not name its price.</p>"


def read(body: str) -> tuple[str | None, str | None]:
    page = f'<html lang="en"><title>{TITLE} - The Example</title><body>{body}</body></html>'
    found = read_metadata(page, "https://www.example.org/story", (), NOW)
    return found.published, found.published_source


@pytest.mark.parametrize(
    "body",
    [
        f'<h1>{TITLE}</h1><p class="date">5 November 2024</p>{PROSE * 4}<article>{OTHER}{TIME}</article>',
        f'<article>{OTHER}{TIME}</article><h1>{TITLE}</h1><p class="date">5 November 2024</p>{PROSE * 4}',
        f"<h1>{TITLE}</h1><p>5 November 2024</p><article><a href='/other'><div><h4>Rain</h4></div>{TIME}</a></article>",
        f'<h1>{TITLE}</h1><p>5 November 2024</p><article>{OTHER}<b itemprop="datePublished">1 May 2025</b></article>',
        f"<article><h1>{TITLE}</h1><p>5 November 2024</p>{PROSE}<article>{OTHER}{TIME}</article></article>",
    ],
)
def test_a_marked_date_of_a_teaser_is_not_that_of_the_page(body: str) -> None:
    """An <article> that begins with a link to something else holds the date of that, whatever marks it."""
    assert read(body) == ("2024-11-05", "text")


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>The Example</h1><article>{OWN}{TIME}{PROSE}</article>",
        f"<article><h1><a href='/story'>Another headline for the same</a></h1>{TIME}{PROSE}</article>",
        f"<h1>{TITLE}</h1><article>{TIME}{PROSE}</article>",
        f"<h1>{TITLE}</h1><article>{TIME}{PROSE * 3}{OTHER}</article>",
    ],
)
def test_the_article_of_the_page_is_no_teaser(body: str) -> None:
    """One that links to itself, or holds the text and a link to more of it, states its own date."""
    assert read(body) == ("2025-03-01", "time")


@pytest.mark.parametrize("post", ["<p>A post</p>— Ann (@ann) <a href='#'>March 1, 2025</a>", TIME])
def test_the_date_of_a_quoted_post_is_its_own(post: str) -> None:
    """Posts of other sites are quoted with the day on which they were written."""
    quoted = f'<blockquote class="twitter-tweet">{post}</blockquote>'
    assert read(f"<h1>{TITLE}</h1>{PROSE}{quoted}{PROSE}") == (None, None)


def test_a_date_without_figures_is_seen() -> None:
    """The Hebrew calendar is written in letters alone."""
    page = '<html lang="he"><h1>כותרת</h1><div class="date">י"ד בחשוון תשפ"ו</div></html>'
    found = read_metadata(page, "https://www.example.org/story", (), NOW)
    assert (found.published, found.published_calendar) == ("2025-11-05", "hebrew")
