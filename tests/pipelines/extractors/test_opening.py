"""What stands between the headline and the text."""

from __future__ import annotations

import pytest

from pipelines.extractors import scored

HEADLINE = "The river has risen over the quays of the old town"
LEAD = "Ferries stay in port until the weekend, and the market has moved to higher ground"
TEXT = "".join(
    f"<p>On the {day} day the water stood {day} hands above the mark, and people carried what they had upstairs.</p>"
    for day in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
)


def read(between: str, head: str = f'<meta name="description" content="{LEAD}.">', text: str = TEXT) -> str:
    html = f"""<html><head><title>{HEADLINE}</title>{head}</head><body><nav><a href=/>Front page</a></nav>
        <article><h1>{HEADLINE}</h1>{between}<div class=body>{text}</div></article></body></html>"""
    return scored.extract(html).text


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
