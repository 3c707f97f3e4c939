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
    """An <article> that begins with a link to something else holds the date of that, with any marks."""
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


LIST_LINKS = {
    "vi": "Một tin khác về cây cầu mới ở thị xã bên sông",
    "ar": "خبر آخر عن افتتاح المدرسة الجديدة في المدينة",
    "fa": "خبری دیگر درباره افتتاح مدرسه تازه در شهر ما",
    "th": "ข่าวอื่นเกี่ยวกับสะพานแห่งใหม่ที่ริมแม่น้ำสายใหญ่ของเมือง",
    "zh": "另一则关于河边新桥通车的详细新闻报道",
    "en": "Another story about the new bridge in the town",
}
"""Headlines of other pages by language."""
CARDS = (
    "<div><h3>More</h3><ul><li>{link} {date}</li><li>{link} {date}</li></ul></div>",
    "<div class=card>{link}<p>{date}</p></div>",
    "<div class=card>{date} {link}</div>",
    "<a href='/other'>{words} {date}</a>",
    "<table><tr><td>{date}</td><td>{link}</td></tr></table>",
    "<ul><li>{link} ({date})</li></ul>",
)
DATES = (
    "<time datetime='2024-05-03T10:00:00+07:00'>3/5</time>",
    "<span class=date>2024-05-03</span>",
    "<i>2024-05-03</i>",
)


@pytest.mark.parametrize("language", LIST_LINKS)
@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("place", ["before", "between", "after"])
def test_a_date_beside_a_headline_of_another_page_is_not_that_of_the_page(
    language: str, card: str, date: str, place: str
) -> None:
    """A page without a date of its own has no date, with any list of other news around it."""
    words = LIST_LINKS[language]
    other = card.format(link=f"<a href='/news/other-2'>{words}</a>", words=words, date=date)
    before, between, after = (other if place == each else "" for each in ("before", "between", "after"))
    page = f"{before}<article><h1>{TITLE}</h1>{between}{PROSE * 4}{after}</article>"
    assert read(page) == (None, None)


@pytest.mark.parametrize(
    "line",
    [
        "<div><a href='/section/world-politics-economy'>World politics</a> {date}</div>",
        "<div>By <a href='/staff/ann-lee-of-the-long-name'>Ann Lee of the Long Name Here</a> {date}</div>",
        "<div><a href='/story'>A story that the page itself has as its own address</a> {date}</div>",
        "<div>{date} <a href='#comments'>There are many comments below this story</a></div>",
        "<div><h5><a href='/comments/1'>249 comments</a></h5> {date}</div>",
    ],
)
def test_a_date_beside_other_links_is_that_of_the_page(line: str) -> None:
    """Sections, authors, the page itself and numbers of comments are no other pages."""
    html = line.format(date="<time datetime='2024-05-03'>3 May 2024</time>")
    assert read(f"<article><div><h1>{TITLE}</h1></div>{html}{PROSE * 4}</article>") == ("2024-05-03", "time")
