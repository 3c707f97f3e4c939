"""Odd pages of real newspapers: the default extractor reads each of them whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pipelines.extractors.registry import get

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = {
    "en": [
        f"{number}. {text}"
        for number, text in enumerate(
            (
                "The council said on Monday that it would mend the old bridge, and that work begins in spring. " * 2,
                "Nobody had crossed it since the flood of 1998, when the river took two of its seven arches away. " * 3,
                "The mill beside it, which is older still, stays closed until the last stone has found its place. " * 2,
                "Masons from three villages will cut the stones by hand, as their grandfathers did before them. " * 3,
                "It costs four million, half of which comes from people who bought a stone with their name on it. " * 2,
                "In autumn next year the first carts are to cross, and the band of the fire brigade will play. " * 3,
            ),
            start=1,
        )
    ],
    "fa": [
        f"{number}. {text}"
        for number, text in enumerate(
            (
                "شورای شهر روز دوشنبه گفت که پل کهنه را بازسازی می‌کند و کار در بهار آغاز می‌شود. " * 2,
                "از سیل سال هفتاد و هفت که رودخانه دو دهانه از هفت دهانهٔ آن را برد کسی از آن نگذشته است. " * 3,
                "آسیاب کنار آن که از پل هم کهن‌تر است تا نهادن آخرین سنگ بسته می‌ماند. " * 3,
                "سنگ‌تراشان سه روستا سنگ‌ها را با دست می‌تراشند، همان گونه که نیاکانشان می‌تراشیدند. " * 3,
                "هزینهٔ آن چهار میلیون است و نیمی از آن را مردمی داده‌اند که سنگی به نام خود خریده‌اند. " * 2,
            ),
            start=1,
        )
    ],
}
LINES = {language: [line.strip() for line in lines] for language, lines in LINES.items()}
MENU = "<nav><ul>" + "<li><a href='/x'>Menu entry</a></li>" * 12 + "</ul></nav>"
FOOT = "<div class='footer'><p>© 2024 <a href='/'>All rights reserved</a> <a href='/imprint'>Imprint</a></p></div>"
SHORT = [
    f"{part} ({number})"
    for number, line in enumerate(LINES["en"])
    for part in dict.fromkeys(re.split(r"(?<=[,.]) ", line[3:]))
]
SECRET = "A secret that nobody should read here, though it is as long as any other paragraph of the page is. "


def page(body: str, head: str = "<title>The old bridge - Paper</title>") -> str:
    return f"<html><head>{head}</head><body>{MENU}<div class='text'>{body}</div>{FOOT}</body></html>"


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def entities(lines: list[str]) -> str:
    return "".join(f"<p>{''.join(f'&#{ord(letter)};' for letter in line)}</p>" for line in lines)


def layout(lines: list[str]) -> str:
    side = "<td width=120><a href='/a'>News</a><br><a href='/b'>Sport</a><br><a href='/c'>Weather</a></td>"
    cells = f"<td valign=top><table><tr><td>{'<br><br>'.join(lines)}</td></tr></table></td>"
    return f"<table width=100%><tr>{side}{cells}{side}</tr></table>"


AMP = (
    "<html amp><head><title>The old bridge - Paper</title><style amp-boilerplate>body{{opacity:0}}</style></head><body>"
    "<amp-sidebar id=s><ul><li><a href='/a'>News</a></li><li><a href='/b'>Sport</a></li></ul></amp-sidebar><article>"
    "<amp-img src=a width=1 height=1></amp-img>{}<amp-ad type=x></amp-ad></article></body></html>"
)
ODD: dict[str, Callable[[list[str]], str]] = {
    "numeric entities": lambda lines: page(entities(lines)),
    "one form around everything": lambda lines: (
        f"<body><form id=aspnet method=post><input type=hidden value=x>{MENU}{paragraphs(lines)}{FOOT}</form></body>"
    ),
    "> in quoted attributes": lambda lines: page(
        "".join(f"<p data-a='<b>x</b> > y' class=\"[&_>a]:z\">{line}</p>" for line in lines)
    ),
    "AMP": lambda lines: AMP.format(paragraphs(lines)),
    "a single line": lambda lines: page(paragraphs(lines)).replace("\n", ""),
    "a line for each tag": lambda lines: page(paragraphs(lines)).replace("<", "\n<").replace(">", ">\n"),
    "an attribute named quotation mark": lambda lines: page("".join(f'<p class="a"">{line}</p>' for line in lines)),
    "paragraphs never closed": lambda lines: page("".join(f"<p>{line}" for line in lines)),
    "upper case": lambda lines: page("".join(f"<P CLASS=Text>{line}</P>" for line in lines)),
    "text in pre": lambda lines: page(f"<pre>{chr(10).join(lines)}</pre>"),
    "tables as layout": lambda lines: page(layout(lines)),
    "no body": lambda lines: f"<title>The old bridge</title>{MENU}<h1>The old bridge</h1>{paragraphs(lines)}{FOOT}",
    "no html at all": lambda lines: "".join(f"<p>{line}" for line in lines),
    "a body in a frameset": lambda lines: f"<frameset><frame src=x></frameset>{page(paragraphs(lines))}",
    "inside details": lambda lines: page(f"<details><summary>More</summary>{paragraphs(lines)}</details>"),
    "inside custom elements": lambda lines: page(f"<x-story><x-body>{paragraphs(lines)}</x-body></x-story>"),
    "divisions instead of paragraphs": lambda lines: page("".join(f"<div><span>{line}</span></div>" for line in lines)),
    "nested inline elements": lambda lines: page(
        "".join(f"<p><font><span><b>{line[:9]}</b>{line[9:]}</span></font></p>" for line in lines)
    ),
    "xml declared": lambda lines: f"<?xml version='1.0'?><!DOCTYPE html>{page(paragraphs(lines))}",
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_page_is_read_paragraph_by_paragraph(odd: Callable[[list[str]], str], lines: list[str]) -> None:
    """Nothing of the article is lost or doubled, and no menu is in it."""
    assert list(get("auto").extract(odd(lines)).paragraphs) == lines


def test_a_body_of_short_lines_and_breaks_alone_is_read() -> None:
    """Lines of a few words, as agencies send them."""
    assert list(get("auto").extract(page("<br>".join(SHORT))).paragraphs) == SHORT
    assert list(get("auto").extract(page("<br><br>".join(SHORT))).paragraphs) == SHORT


@pytest.mark.parametrize(
    "unread",
    [
        "<template><article><p>{}</p></article></template>",
        "<noscript><p>{}</p></noscript>",
        "<div hidden><p>{}</p></div>",
        "<div style='display: none'><p>{}</p></div>",
        "<textarea>{}</textarea>",
        "<script type='text/template'><p>{}</p></script>",
        "<!-- <p>{}</p> -->",
    ],
)
def test_what_a_browser_does_not_show_is_not_read(unread: str) -> None:
    """Templates, fallbacks, hidden elements and comments in the markup, even in the middle of the article."""
    body = paragraphs(LINES["en"][:3]) + unread.format(SECRET) + paragraphs(LINES["en"][3:])
    assert list(get("auto").extract(page(body)).paragraphs) == LINES["en"]


def test_a_page_that_is_nothing_but_frames_has_no_text() -> None:
    """What the frames show is on other pages."""
    frames = "<html><frameset cols=2,8><frame src=a><frame src=b><noframes>Your browser is old</noframes></frameset>"
    assert get("auto").extract(frames).paragraphs == ()


def test_a_huge_drawing_is_no_text() -> None:
    """A map of a megabyte with labels, drawn in the middle of the article."""
    drawing = "<svg>" + "<path d='M0 0L1 1 2 2 3 3'/><text x=1 y=2>Label</text>" * 20_000 + "</svg>"
    body = paragraphs(LINES["en"][:3]) + drawing + paragraphs(LINES["en"][3:])
    assert list(get("auto").extract(page(body)).paragraphs) == LINES["en"]


@pytest.mark.parametrize(
    "copies",
    [
        "<div class='desktop'>{0}</div><div class='mobile' style='display:none'>{0}</div>",
        "<div class='mobile' hidden>{0}</div><div class='desktop'>{0}</div>",
        "<div class='d-none d-md-block'>{0}</div><div class='d-md-none'>{0}</div>",
        "<div class='desktop'>{0}</div><div class='mobile'>{0}</div>",
        "<article>{0}</article><div class='print-version'>{0}</div>",
    ],
)
def test_of_two_copies_of_the_body_one_is_read(copies: str) -> None:
    """One for desks and one for phones, the other one hidden by an attribute or by a style sheet far away."""
    assert list(get("auto").extract(page(copies.format(paragraphs(LINES["en"])))).paragraphs) == LINES["en"]


@pytest.mark.parametrize("mark", ["...", "…"])
def test_of_a_teaser_and_the_full_text_the_full_text_is_read(mark: str) -> None:
    """The paragraph that breaks off before "read more" is not said twice."""
    first = LINES["en"][0]
    teaser = f"<div class='teaser'><p>{first[:90]}{mark}</p><a href='#full'>Read more</a></div>"
    found = get("auto").extract(page(f"{teaser}<div class='full'>{paragraphs(LINES['en'])}</div>"))
    assert list(found.paragraphs) == LINES["en"]
