"""The default reads by learned weights, asks again where they are unsure, and says why."""

from __future__ import annotations

import re

import pytest

from pipelines.extractors.auto import ENOUGH, extract
from pipelines.extractors.scored import SURE

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
    assert found.reason.startswith("expected F1 0.9")
    assert found.paragraphs == lines(TEXTS[script])


def test_a_page_of_low_confidence_is_read_a_second_time() -> None:
    """Two asides between menus: which is the article, if any? The reason says who was not sure."""
    first, linked = lines(TEXTS["Latn"])[0], f"<p><a href='/x'>{TEXTS['Latn']}</a></p>"
    found = extract(
        f"<body>{MENU * 3}<aside><p>{first}</p></aside>{MENU * 3}<aside><p>{first}</p>{linked}</aside>{MENU}"
    )
    assert found.extractor == "density"
    assert found.reason.startswith("scored: expected F1 0.")
    assert found.reason.endswith(f", under {SURE}")
    assert first in found.paragraphs


def test_a_page_that_strains_trees_is_read_flat_and_says_why() -> None:
    """Forty thousand nested elements, and the article is still there."""
    html = f"<body>{'<div>' * 40_000}<p>{TEXTS['Latn'] * 5}</p>"
    found = extract(html)
    assert found.paragraphs == ((TEXTS["Latn"] * 5).strip(),)
    assert found.extractor == "density"
    assert "nest 40000 deep" in found.reason


def test_a_second_opinion_that_finds_next_to_nothing_is_not_believed() -> None:
    """Where the flat reading has less than the first, the first counts, and the reason says how it came to that."""
    cards = "".join(
        f"<div><h3><a href='/{n}'>News {n} of the day is longer</a></h3><p>{TEXTS['Latn']}</p></div>{MENU * 2}"
        for n in range(12)
    )
    found = extract(f"<body>{MENU}{cards}</body>")
    assert found.extractor == "scored"
    assert re.fullmatch(rf"scored: expected F1 0\.\d\d, under {SURE}; density found \d+ characters only", found.reason)
    assert sum(map(len, found.paragraphs)) > ENOUGH


def test_an_empty_page_is_empty_and_says_by_whom() -> None:
    """There is a reason even for nothing."""
    assert extract("").paragraphs == ()
    assert extract("").reason
