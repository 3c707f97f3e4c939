"""Head and end of a text: the standfirst and the signature."""

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
        "<aside class='share-tools'><div class=info>{}.</div></aside>",
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
def test_a_standfirst_is_found_behind_invisible_marks(mark: str) -> None:
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
    """A link elsewhere, a caption, hidden text and the end of a path to the page stay out."""
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


BRIDGE = "An old bridge is to be mended at last"
SENTENCE = "The council said on Monday that it would mend the old bridge, and that work begins in spring. "
PARAGRAPHS = [f"{number}. {SENTENCE * 2}".strip() for number in range(1, 7)]
ARABIC = "أعلن المجلس يوم الاثنين أنه سيرمم الجسر القديم وأن العمل يبدأ في الربيع. "


def read_end(end: str, text: str = "", around: str = "<div class=body>{}</div>") -> str:
    body = text or "".join(f"<p>{line}</p>" for line in PARAGRAPHS)
    return selection.extract(f"<title>{BRIDGE}</title><h1>{BRIDGE}</h1>{around.format(body + end)}").text


@pytest.mark.parametrize(
    "markup",
    [
        '<p style="text-align:right;"><strong>{}</strong></p>',
        "<P align=right><B>{}</B></P>",
        '<div style="TEXT-ALIGN: right"><i>{}</i></div>',
        '<p class="pAuthor">{}</p>',
        '<div class="article__author cms-author">{}</div>',
    ],
)
@pytest.mark.parametrize("said", ["Lê Phương", "Hà Thu (theo Reuters, CNN)", "Nhóm PV"])
def test_who_signed_a_text_at_its_end_is_none_of_it(markup: str, said: str) -> None:
    """In a line set apart from the text, by where it stands or by its name; a paragraph like the others stays."""
    assert read_end(markup.format(said)).splitlines() == PARAGRAPHS
    assert read_end(f"<p>{said}</p>").splitlines() == [*PARAGRAPHS, said]


@pytest.mark.parametrize(
    ("side", "name", "kept"),
    [("right", "ليان الساحلي", True), ("left", "ليان الساحلي", False), ("left", "Ann Lee", True)],
)
def test_a_signature_stands_where_lines_end(side: str, name: str, *, kept: bool) -> None:
    """On either side of the script; where they begin, every paragraph does."""
    text = "".join(f"<p>{number}. {ARABIC * 3}</p>" for number in range(1, 7))
    assert (name in read_end(f"<p style='text-align: {side}'>{name}</p>", text)) == kept


@pytest.mark.parametrize(
    "end",
    [
        "<p align=right>It will be shut until the first of May.</p>",
        "<table><tr><td>Stones</td><td align=right>412</td></tr><tr><td>Men</td><td align=right>60</td></tr></table>",
    ],
)
def test_sentences_and_cells_that_are_set_flush_stay(end: str) -> None:
    """A decree may close so, and numbers in a table always do."""
    plain = end.replace(" align=right", "")
    assert read_end(end) == read_end(plain) != read_end("")


def test_a_short_text_that_its_signature_is_much_of_stays() -> None:
    """Something else may be set so, as verses are."""
    verses = [f"Verse {number} of what the river sang to the old bridge" for number in range(1, 4)]
    text = "".join(f"<p align=right>{verse}</p>" for verse in verses)
    assert read_end("", text).splitlines() == verses
