"""Article head: standfirst, byline and place."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto import selection

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
