"""Default extractor: it reads by learned weights, tries again at low confidence, and gives its reason."""

from __future__ import annotations

import json
import re

import pytest

from pipelines.extractors.auto.extractor import extract
from pipelines.extractors.auto.rule_tables import SURE_F1

TEXTS = {
    "Latn": "The government said on Monday that it would build 12 new bridges, and that work begins soon. ",
    "Arab": "قالت الحكومة يوم الاثنين إنها ستبني 12 جسرا جديدا وإن العمل سيبدأ قريبا في كل المدن. ",
    "Thai": "รัฐบาลกล่าวเมื่อวันจันทร์ว่าจะสร้างสะพานใหม่ 12 แห่งและจะเริ่มงานเร็วๆ นี้ในทุกเมือง ",
    "Hani": "政府周一表示将新建12座桥梁，工程很快就会在各个城市开始，市民对此表示欢迎和期待。",
    "Cyrl": "Правительство сообщило в понедельник, что построит 12 новых мостов, работы скоро начнутся. ",
    "Latn, Vietnamese": "Chính phủ cho biết hôm thứ Hai rằng sẽ xây 12 cây cầu mới, và công việc sẽ sớm bắt đầu. ",
}
MENU = "<nav><ul>" + "<li><a href='/x'>Menu</a></li>" * 12 + "</ul></nav>"


def lines(text: str) -> tuple[str, ...]:
    return tuple(f"{number}. {text * 3}".strip() for number in range(1, 6))


def page(text: str) -> str:
    body = "".join(f"<p>{line}</p>" for line in lines(text))
    return f"<html><head><title>T</title></head><body>{MENU}<article>{body}</article><footer>©</footer></body></html>"


@pytest.mark.parametrize("script", TEXTS)
def test_a_clear_page_is_read_by_what_was_learned_in_every_script(script: str) -> None:
    """The extraction names the extractor that ran and the F1 to be expected."""
    found = extract(page(TEXTS[script]))
    assert found.extractor == "scored"
    assert re.match(r"expected F1 0\.(8[5-9]|9)", found.reason)
    assert found.paragraphs == lines(TEXTS[script])


def test_a_page_of_low_confidence_keeps_its_reading() -> None:
    """Two asides between menus: the expected F1 says that the text is not sure."""
    first, linked = lines(TEXTS["Latn"])[0], f"<p><a href='/x'>{TEXTS['Latn']}</a></p>"
    found = extract(
        f"<body>{MENU * 3}<aside><p>{first}</p></aside>{MENU * 3}<aside><p>{first}</p>{linked}</aside>{MENU}"
    )
    assert found.extractor == "scored"
    assert found.confidence is not None
    assert found.confidence < SURE_F1
    assert first in found.paragraphs


@pytest.mark.parametrize("script", TEXTS)
def test_a_short_text_without_a_headline_keeps_the_teasers_out(script: str) -> None:
    """One paragraph beside longer teasers: a denser reading would take them all."""
    line = lines(TEXTS[script])[0]
    teasers = "".join(f"<li><a href='/{number}'>{number} {line}</a></li>" for number in range(12))
    found = extract(f"<body>{MENU}<main><p>{line}</p></main><aside><ul>{teasers}</ul></aside>{MENU}</body>")
    assert found.paragraphs == (line,)


def test_a_page_that_strains_trees_is_read_flat_and_says_why() -> None:
    """Forty thousand nested elements, and the article is still there."""
    html = f"<body>{'<div>' * 40_000}<p>{TEXTS['Latn'] * 5}</p>"
    found = extract(html)
    assert found.paragraphs == ((TEXTS["Latn"] * 5).strip(),)
    assert found.extractor == "density"
    assert "nest 40000 deep" in found.reason


def test_an_empty_page_is_empty_and_says_by_whom() -> None:
    """There is a reason even for nothing."""
    assert extract("").paragraphs == ()
    assert extract("").reason


def shell(script: str, shown: str = "", free: object = True, text: str = TEXTS["Latn"]) -> str:
    body = script.join(lines(text))
    stated = json.dumps({"@type": "NewsArticle", "articleBody": body, "isAccessibleForFree": free})
    return (
        f'<html><head><title>T</title><script type="application/ld+json">{stated}</script></head><body>{MENU}'
        f'<div id="root">{shown}</div><script src="/app.js"></script></body></html>'
    )


@pytest.mark.parametrize("script", TEXTS)
def test_the_stated_body_is_the_text_of_a_page_that_a_script_would_fill(script: str) -> None:
    """Its lines are paragraphs; the reason says where it is from."""
    found = extract(shell("\n\n", text=TEXTS[script]))
    assert found.paragraphs == lines(TEXTS[script])
    assert (found.extractor, found.kinds) == ("auto", "ppppp")
    assert "JSON-LD" in found.reason


@pytest.mark.parametrize(
    "html",
    [
        shell(" ", free=False),
        shell(" ", free="False"),
        shell(" ", shown="".join(f"<p>{line}</p>" for line in lines(TEXTS["Latn"])[:2])),
        shell(" ", shown=f"<p>{lines(TEXTS['Latn'])[0]}</p>"),
        shell(" ", text="A word. "),
        shell(" ").replace("articleBody", "description"),
    ],
    ids=["to be paid for", "the same as a word", "shown", "begun", "short", "not stated"],
)
def test_what_is_stated_is_not_the_text_where_it_is_paid_for_short_or_shown(html: str) -> None:
    """The page's own text is read then, if there is any."""
    assert "JSON-LD" not in extract(html).reason


def lazy(body: str, head: str = "") -> str:
    shown = f"<script type='text/template'>{body}</script><noscript>{body}</noscript>"
    return f"<html><head><title>T</title>{head}</head><body>{MENU}<article>{shown}</article><footer>©</footer></body>"


def test_the_body_for_readers_without_scripts_is_read_where_none_is_shown() -> None:
    """As blogs have it whose script shows the post; the reason says where it stood."""
    body = "".join(f"<p>{line}</p>" for line in lines(TEXTS["Latn"]))
    found = extract(lazy(body))
    assert found.paragraphs == lines(TEXTS["Latn"])
    assert found.reason.endswith("readers without scripts")


LOCKED = "<meta property='article:content_tier' content='locked'>"


@pytest.mark.parametrize(
    "html",
    [
        page(TEXTS["Latn"]) + "<noscript><p>Please switch on scripts.</p></noscript>",
        lazy(f"<p>{TEXTS['Latn']}</p>"),
        lazy("<img src='/a.gif' alt='a'>" * 99),
        lazy("".join(f"<p>{line}</p>" for line in lines(TEXTS["Latn"])), LOCKED),
    ],
    ids=["shown", "short", "pictures", "paid for"],
)
def test_other_words_to_readers_without_scripts_are_not_the_text(html: str) -> None:
    """Such elements ask for scripts, count visits, show pictures or contain a paid text."""
    assert "without scripts" not in extract(html).reason


def test_an_article_in_a_shadow_tree_is_read() -> None:
    """Of an element of the page's own, in which it is written out; what else is a template stays one."""
    text = TEXTS["Thai"]
    body = f"{''.join(f'<p>{line}</p>' for line in lines(text))}<template><p>{text * 9}</p></template>"
    tree = f'<template shadowrootmode="open"><h1>T</h1><article>{body}</article></template>'
    found = extract(f"<html><head><title>T</title></head><body><x-page>{tree}</x-page></body></html>")
    assert found.paragraphs == lines(text)
    assert found.reason.endswith("in shadow trees")
    assert extract(page(text) + f"<x-page>{tree}</x-page>").paragraphs == lines(text)
