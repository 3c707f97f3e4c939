"""How a text begins."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.extractors import opening, selection
from pipelines.extractors.block_page import Page
from pipelines.extractors.block_walk import walk
from pipelines.tree import parse_tree
from storage.records import ParagraphKind

HEADLINE = "The river has risen over the quays of the old town"
LEAD = "Ferries stay in port until the weekend, and the market has moved to higher ground"
TEXT = "".join(
    f"<p>On the {day} day the water stood {day} hands above the mark, and people carried what they had upstairs.</p>"
    for day in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
)


def page(between: str, head: str = f'<meta name="description" content="{LEAD}.">', text: str = TEXT) -> str:
    return f"""<html><head><title>{HEADLINE}</title>{head}</head><body><nav><a href=/>Front page</a></nav>
        <article><h1>{HEADLINE}</h1>{between}<div class=body>{text}</div></article></body></html>"""


def read(*parts: str, **more: str) -> str:
    return selection.extract(page(*parts, **more)).text


@pytest.mark.parametrize(
    "between",
    [
        "<header><div class='meta-description'>{}</div></header>",
        "<section class='promo'><p>{}</p></section>",
        "<div class='share-tools'><div class=info>{}.</div></div>",
    ],
)
@pytest.mark.parametrize(
    "head",
    [
        '<meta name="description" content="{}, …">',
        '<meta property="og:description" content="{}">',
        '<script type="application/ld+json">{{"description": "{}"}}</script>',
    ],
)
def test_a_standfirst_is_what_the_head_of_the_page_repeats(head: str, between: str) -> None:
    """However it is set; without that, it is judged as any block, and these are none by their mark-up."""
    standfirst = between.format(LEAD)
    assert read(standfirst, head.format(LEAD)).startswith(LEAD)
    assert LEAD not in read(standfirst, "")


@pytest.mark.parametrize(
    ("naming", "found"),
    [
        ("article__subhead", True),
        ("jeg_post_subtitle", True),
        ("s-tagline fw-tagline", True),
        ("stand-first-alone", True),
        ("kicker-line", False),
        ("deck-chair", False),
    ],
)
def test_a_standfirst_is_named_so(naming: str, *, found: bool) -> None:
    """Where the head of the page has other words for its article."""
    other = '<meta name="description" content="All about the high water.">'
    assert read(f"<section class='promo'><p class='{naming}'>{LEAD}</p></section>", other).startswith(LEAD) == found


@pytest.mark.parametrize(
    ("mark", "written"),
    [("head", "HEAD"), ("</head>", ""), ("</head><body>", "<BODY>"), ("</head><body>", "</Head><Body>")],
)
def test_a_head_is_found_however_its_tags_are_written(mark: str, written: str) -> None:
    """In capitals, or without an end tag, as HTML allows."""
    html = page(f"<section class='promo'><p>{LEAD}</p></section>")
    assert mark in html
    assert selection.extract(html.replace(mark, written)).text.startswith(LEAD)


@pytest.mark.parametrize("mark", ["\u200f", "\u200e", "\u061c", "\u200b", "\ufeff", "&rlm;&nbsp;", " &rlm; "])
def test_a_standfirst_is_found_behind_marks_that_nobody_sees(mark: str) -> None:
    """Editors of Hebrew and Arabic leave marks of direction before and behind lines."""
    assert read(f"<section class='promo'><p>{mark}{LEAD}{mark}</p></section>").startswith(LEAD)


@pytest.mark.parametrize(
    "between",
    [
        f'<div class=related><a href="/other">{LEAD}</a></div>',
        f"<figure><img src=a.png><figcaption>{LEAD}</figcaption></figure>",
        f"<div style='display:none'>{LEAD}</div>",
        f"<nav class=breadcrumbs><ol><li>Front page</li><li>{LEAD}</li></ol></nav>",
    ],
    ids=["link", "caption", "hidden", "navigation"],
)
def test_what_is_no_text_by_its_mark_up_is_no_standfirst(between: str) -> None:
    """A link elsewhere, a caption, what nobody sees and the end of a path to the page stay out."""
    assert read(between).startswith("On the first day")


def test_a_standfirst_that_begins_the_text_is_there_once() -> None:
    """Papers that repeat it above the text have it in the text already."""
    assert read(f"<section class='promo'><p>{LEAD}</p></section>", text=f"<p>{LEAD}.</p>{TEXT}").count("Ferries") == 1


@pytest.mark.parametrize(
    "box",
    [
        '<section role=region aria-labelledby="article-byline"><strong>{0}</strong><ul><li>{1}</ul></section>',
        '<section aria-label="Byline and date"><p>{0}</p><p>{1}</p></section>',
        '<div data-component="byline-block"><div>{0}</div><div>{1}</div></div>',
    ],
)
def test_what_is_labelled_as_the_byline_is_no_text(box: str) -> None:
    """For those who listen, or for programs; where classes are but numbers, nothing else may tell it."""
    who = ("Article information", "Author, Ann Lee of the river desk, who was there.")
    assert read(box.format(*who), "").startswith("On the first day")
    assert who[1] in read(f"<section class=x1><strong>{who[0]}</strong><ul><li>{who[1]}</ul></section>", "")


@pytest.mark.parametrize(
    ("box", "out"),
    [
        ("<div class=author>{}</div>", True),
        ("<p class='post-meta'>{}</p>", True),
        ("<div class=entryMeta><ul><li>{}</li></ul></div>", True),
        ("<div class='article-info'><p>{}</p><p>10.10.2025</p></div>", True),
        ("<p class='author-note'>{}</p>", False),
        ("<p class=authority>{}</p>", False),
        ("<h2 class=author>{}</h2>", False),
        ("<p class=byline>{}, who was there when the water came.</p>", False),
    ],
)
@pytest.mark.parametrize("name", ["Hạ Miên", "سلمى الخطيب", "สมชาย ใจดี", "מאיה לוי"])
def test_a_line_at_the_head_that_is_classed_as_the_byline_is_none_of_the_text(
    box: str, name: str, *, out: bool
) -> None:
    """In any language, if it is no sentence; what the author notes is read."""
    shown = Page(walk(parse_tree(page(box.format(name), ""))))
    at = np.array([text.startswith((name, "10.10.")) for text in shown.blocks.texts])
    found = opening.byline(shown, at | np.array(["hands above" in text for text in shown.blocks.texts]))
    assert found.tolist() == (at & out).tolist()


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<span class='location-stamp'>TP HCM</span>Nếu nước lên", "TP HCM Nếu nước lên"),
        ("<span class=place>Hà Nội</span>Một cơn mưa lớn", "Hà Nội Một cơn mưa lớn"),
        ("<span class=place>Mỹ</span>Ở bang này", "Mỹ Ở bang này"),
        ("<span class=place>Hà Nội</span> Một cơn mưa lớn", "Hà Nội Một cơn mưa lớn"),
        ("<span class=drop>M</span>ột cơn mưa lớn", "Một cơn mưa lớn"),
        ("Hãng <span class=name>Viet</span>Jet bay lại", "Hãng VietJet bay lại"),
        ("<span>Viet</span>Jet bay lại", "VietJet bay lại"),
        ("VietJet bay lại", "VietJet bay lại"),
    ],
)
def test_a_place_before_the_text_is_a_word_of_its_own(markup: str, expected: str) -> None:
    """Style sheets part the two; a name with a capital amid it stays whole, and so does a word with a drop cap."""
    assert read("", text=f"<p>{markup}, {LEAD.lower()}.</p>{TEXT}").startswith(f"{expected}, ferries")


@pytest.mark.parametrize(
    ("head", "over", "found"),
    [
        ('<meta name="description" content="{}">', "<h1>The Daily Bridge</h1>{}<h2><a href=/1>{}</a></h2>", False),
        ('<meta name="description" content="{}">', "<h1>The Daily Bridge</h1>{}<h3><a href=/1>{}</a></h3>", True),
        ('<meta property="og:title" content="{}">', "<h1>The Daily Bridge</h1>{}<h3>{}</h3>", False),
        ('<script>{{"headline": "{}"}}</script>', "<h1>The Daily Bridge</h1>{}<h3>{}</h3>", False),
    ],
)
def test_the_motto_of_a_site_and_a_title_are_no_standfirst(head: str, over: str, found: bool) -> None:
    """A motto stands under the site's name and over the headline; titles are repeated in the head as such."""
    body = over.format(f"<section class='promo'><p>{LEAD}</p></section>", HEADLINE)
    page = f"<html><head><title>Rain</title>{head.format(LEAD)}</head><body>{body}<div class=body>{TEXT}</div></body>"
    assert (LEAD in selection.extract(page).text) is found


@pytest.mark.parametrize(
    ("head", "out"),
    [
        ([HEADLINE], 1),
        ([f"Home » Rivers » {HEADLINE}"], 1),
        ([f"Sông ngòi > {HEADLINE}"], 1),
        ([LEAD, LEAD], 1),
        ([LEAD, LEAD, LEAD], 0),
        ([LEAD, "Rain", LEAD], 0),
        (["Rain", "Rain"], 0),
        ([f"They say: {HEADLINE}"], 0),
        (["Home » Rivers » The sea"], 0),
    ],
    ids=["title", "path", "short path", "lead twice", "a refrain", "further down", "short", "said", "another page"],
)
def test_title_path_and_a_second_lead_are_none_of_the_text(head: list[str], out: int) -> None:
    """Where they are its first lines; themes show the excerpt and then all of the text, which begins with it."""
    lines = [(line, ParagraphKind.PARAGRAPH) for line in (*head, "The first day.", "Rain.", HEADLINE, LEAD)]
    assert opening.without_title(lines, HEADLINE) == lines[out:]
    assert opening.without_title(lines[:1], "") == lines[:1]
