"""The headline within a heading that has other parts (kickers, marks for subscribers), and below a masthead."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from pipelines.classification.page_type import ANY_TEXT
from pipelines.page.process import process
from storage.records import Capture, SiteModel
from tests.pipelines.metadata.bridge_article import TEXT

WORDS = {
    "en": ("Riverside Daily", "Politics", "New bridge over the river opens after three years", "Live"),
    "de": ("Uferblatt", "Exklusiv", "Neue Brücke am Fluss nach drei Jahren offen", "Plus"),
    "vi": ("Báo Bờ Sông", "Thời sự", "Cầu mới qua sông khánh thành sau ba năm", "Độc quyền"),
    "ar": ("جريدة الضفة", "عاجل", "افتتاح الجسر الجديد على النهر بعد ثلاث سنوات", "خاص"),
    "he": ("עיתון הגדה", "פוליטיקה", "גשר חדש מעל הנהר נפתח אחרי שלוש שנים", "בלעדי"),
    "th": ("ข่าวริมน้ำ", "การเมือง", "เปิดสะพานข้ามแม่น้ำแห่งใหม่หลังรอมาสามปีเต็ม", "สด"),
    "ja": ("川辺新聞", "政治", "川に新しい橋が三年の工事を経て開通", "速報"),
}
"""Name of a newspaper, a kicker, a headline and a mark by language."""
BESIDE = (
    "<h1><span>{kicker}</span> {headline}</h1>",
    "<h1><small>{kicker}</small><br>{headline}</h1>",
    "<h1><a href=/politics>{kicker}:</a> {headline}</h1>",
    "<h1><span>{kicker}</span> | <span>{headline}</span></h1>",
    "<h1><b>{kicker}</b> / {headline}</h1>",
    "<h1>{kicker}<br>{headline}</h1>",
    "<h1><span><i>{mark}</i></span><span>{kicker}</span><span>{headline}</span></h1>",
    "<h1>{headline} <span>{mark}</span></h1>",
    "<h1><span>{mark}+</span>{headline}</h1>",
    "<h1><svg><title>{mark}</title></svg>{headline}</h1>",
)
"""Headings with something beside the headline."""
STATED = (
    '<title>{name}</title><meta property="og:title" content="{headline}">',
    '<title>{headline}</title><meta property="og:title" content="{kicker} - {name}">',
    "<title>{headline} | {name}</title>",
    "<title>{headline} - {name}</title>",
    "<title>{headline} | {kicker} | {name}</title>",
    "<title>{name}</title>{jsonld}",
)
"""Heads that state the headline alone."""


def jsonld(headline: str) -> str:
    script = json.dumps({"@type": "NewsArticle", "headline": headline}, ensure_ascii=False)
    return f'<script type="application/ld+json">{script}</script>'


def title(head: str, heading: str) -> str | None:
    """Return the title of the document of a page."""
    page = f"<html><head><meta charset=utf-8>{head}</head><body><article>{heading}{TEXT}</article></body></html>"
    capture = Capture("https://a.example/1", datetime(2026, 3, 9, tzinfo=UTC), 200, (), (), page.encode())
    document = process(capture, SiteModel(min_chars=ANY_TEXT)).document
    assert document is not None
    return document.metadata.title


@pytest.mark.parametrize("number", range(len(WORDS)))
@pytest.mark.parametrize("place", range(len(BESIDE)))
def test_the_headline_is_what_the_page_states(number: int, place: int) -> None:
    """Without the kicker, the mark or the signs beside it. Each heading meets each head in some language."""
    (name, kicker, headline, mark), heading = [*WORDS.values()][number], BESIDE[place]
    head = STATED[(number + place) % len(STATED)]
    words = {"name": name, "kicker": kicker, "headline": headline, "mark": mark, "jsonld": jsonld(headline)}
    assert title(head.format(**words), heading.format(**words)) == headline


@pytest.mark.parametrize(
    ("stated", "heading", "expected"),
    [
        ("Sun or rain", "<h1>Sun <i>or rain</i></h1>", "Sun or rain"),
        ("Sun - or rain", "<h1>Sun - <em>or rain</em></h1>", "Sun - or rain"),
        ("Weather: rain in May - Paper", "<h1><span>Weather:</span> rain in May</h1>", "Weather: rain in May"),
        ("", "<h1>Rain in <i>May</i>?</h1>", "Rain in May?"),
        ("", "<h1>The smell of H<sub>2</sub>S</h1>", "The smell of H2S"),
        ("", "<h1><span>R</span>ain in May</h1>", "Rain in May"),
        ("", "<h1><span>Weather</span><span>Rain in May</span></h1>", "Weather Rain in May"),
        ("", "<h1><span class=kicker>Weather</span><span>Rain in May</span></h1>", "Rain in May"),
        ("", "<h1>Rain in May<span class=visually-hidden>For members</span></h1>", "Rain in May"),
        ("", "<h1><span class=kicker>Weather</span></h1>", "Weather"),
        ("Weather: Rain in May", "<h1><b class=kicker>Weather:</b> Rain in May</h1>", "Weather: Rain in May"),
        ("Weather | Rain in May | Paper", "<h1><b>Weather</b> Rain in May</h1>", "Rain in May"),
    ],
)
def test_parts_of_a_headline_stay_together(stated: str, heading: str, expected: str) -> None:
    """Only what the page states apart is left out, or an element whose class names a kicker."""
    assert title(f"<title>{stated}</title>", heading) == expected


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize(
    "head", ["<title>{name}</title>", '<title>{name}</title><meta property="og:title" content="{name}">']
)
@pytest.mark.parametrize(
    "heading",
    [
        "<h1><a href=/>{name}</a></h1><h2>{headline}</h2>",
        '<meta property="og:site_name" content="{name}"><h1>{name}</h1><h3>{headline}</h3>',
        '<a href="/"><img alt="{name}"></a><h1>{name}</h1><h2>{kicker}</h2><h3>{headline}</h3>',
        '<a href="/"><img alt="{name}"></a><h2>{headline}</h2>',
    ],
)
def test_a_page_that_states_only_the_name_of_its_site_has_its_headline_below(
    language: str, head: str, heading: str
) -> None:
    """In an h2 or h3, though the extractor takes the name in the h1 for the headline."""
    name, kicker, headline, _ = WORDS[language]
    words = {"name": name, "kicker": kicker, "headline": headline}
    assert title(head.format(**words), heading.format(**words)) == headline
