"""Links that a page gives to its scripts: in attributes, frames, menus and the state of an app."""

from __future__ import annotations

import json
import time

import pytest

from pipelines.discovery.links import page_links
from pipelines.markup.page_view import PageView
from storage.records import SiteModel

URL = "https://www.example.com/news/"
MODEL = SiteModel(hosts=("example.com",))
HEADLINE = "The river has risen over the quays"
STORIES = [f"/news/the-river-has-risen-{number}.html" for number in range(1001, 1006)]


def found(html: str) -> list[str]:
    return [link.url.removeprefix("https://www.example.com") for link in page_links(PageView(html), URL, MODEL)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div data-href='/a'>{HEADLINE}</div>", ["/a"]),
        (f"<article data-link='https://www.example.com/a'><h2>{HEADLINE}</h2></article>", ["/a"]),
        (f"<li data-url='//www.example.com/a'>{HEADLINE}</li>", ["/a"]),
        (f"<div onclick=\"location.href='/a'\">{HEADLINE}</div>", ["/a"]),
        (f"<div onclick=\"window.location = 'a.html'; return false\">{HEADLINE}</div>", ["/news/a.html"]),
        (f"<a href='javascript:void(0)' onclick=\"window.open('/a')\">{HEADLINE}</a>", ["/a"]),
        (f"<a href=\"javascript:location.assign('/a')\">{HEADLINE}</a>", ["/a"]),
        (f"<a href=/a data-url=/share onclick=\"open('/count')\">{HEADLINE}</a>", ["/a"]),
        (f"<a href=# rel=nofollow data-href=/a>{HEADLINE}</a>", []),
        (f"<div data-href='a-1' data-url='7'>{HEADLINE}</div>", []),
        (f"<div data-url='https://other.example/a'>{HEADLINE}</div>", []),
        ("<button data-href='?page=2'>More</button>", ["/news/?page=2"]),
        ("<div data-url='/list/page/2'>More</div>", ["/list/page/2"]),
        ("<div data-url='/count?id=7'></div><div data-url='/comments/7'>Comments</div>", []),
        ("<button onclick=\"window.open('/print/7')\">Print</button>", []),
        (
            "<select onchange='go(this)'><option value=''>Month</option><option value='/2026/11/'>Nov</select>",
            ["/2026/11/"],
        ),
        ("<select><option value='/a'>A</select><select onchange='x()'><option value='7'>B</select>", []),
        ("<a href='www.example.com/a'>A</a><a href='example.com/b'>B</a>", ["/a", "https://example.com/b"]),
        ("<a href='www.other.example/a'>A</a>", ["/news/www.other.example/a"]),
    ],
)
def test_links_of_elements(html: str, expected: list[str]) -> None:
    """A card with a headline and the button of the next page are links. Counters and buttons are none."""
    assert found(html) == expected


def test_the_frames_of_a_page_are_links() -> None:
    frames = "<html><frameset cols='20%,*'><frame src='menu.html'><frame src='/main.html'></frameset></html>"
    assert found(frames) == ["/news/menu.html", "/main.html"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<script>window.location.href = '/vi/';</script>", ["/vi/"]),
        ("<script>location.replace('https://www.example.com/home.html')</script><p>Please wait</p>", ["/home.html"]),
        ("<body onload=\"window.location='main.php'\">", ["/news/main.php"]),
        ("<script>window.location.href = 'https://other.example/'</script>", []),
        ("<script>window.location.href = '/news/'</script>", []),
        ("<script>window.open('/a')</script>", []),
        ("<script>window.location.href = '/vi/';</script><a href=/en/>English</a>", []),
        (f"<script>window.location.href = '/vi/';</script><p>{HEADLINE * 9}", []),
    ],
)
def test_an_empty_page_leads_to_another_by_its_script(html: str, expected: list[str]) -> None:
    links = page_links(PageView(html), URL, MODEL)
    assert [link.url.removeprefix("https://www.example.com") for link in links if link.redirect] == expected


STATE = json.dumps(
    {"articles": [{"url": each, "image": "/img/1001"} for each in STORIES], "api": ["/api/news/1001"] * 9}
)


@pytest.mark.parametrize(
    "script",
    [
        f'<script id="__NEXT_DATA__" type="application/json">{STATE}</script>',
        f"<script>window.__INITIAL_STATE__ = {STATE.replace('/', chr(92) + '/')}</script>",
        f"<script>window.__NUXT__=(function(){{return {STATE.replace('/', chr(92) + 'u002F')}}})()</script>",
        f"<script>self.__next_f.push([1,{json.dumps(STATE)}])</script>",
        f"<script>self.__next_f.push([1,{json.dumps(STATE.replace('/', chr(92) + '/'))}])</script>",
        f'<script type="application/ld+json">{STATE}</script>',
    ],
)
def test_articles_in_the_state_of_an_app_are_links(script: str) -> None:
    """They have one shape with a part that differs. Images and interfaces are none."""
    assert found(script) == STORIES
    assert found("<meta name=robots content=nofollow>" + script) == []


def test_a_page_with_links_shows_which_urls_of_its_state_are_articles() -> None:
    shown = "".join(f"<a href='{each}'>{HEADLINE}</a>" for each in STORIES[:4])
    others = json.dumps([*(f"/widget/{number}00" for number in range(1, 9)), *STORIES])
    assert found(f"{shown}<script type='application/json'>{others}</script>") == STORIES


@pytest.mark.parametrize("piece", ['"/a', '"/\\\\\\\\', "'/" + "a" * 399, '\\"/\\/a', '"//u002f'])
def test_a_long_state_is_read_in_limited_time(piece: str) -> None:
    began = time.process_time()
    found(f"<script type='application/json'>{piece * (2**21 // len(piece))}</script>")
    assert time.process_time() - began < 5
