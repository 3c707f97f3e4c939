"""The default chooses by script, says why, and falls back when little is found."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto import ENOUGH, extract
from pipelines.extractors.base import ExtractorOptions

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
def test_the_reason_names_the_script_and_the_extractor_that_ran(script: str) -> None:
    """Latin goes to the general library, Vietnamese and other scripts to the extractor that measured best on them."""
    found = extract(page(TEXTS[script]))
    assert found.extractor == ("trafilatura" if script == "Latn" else "density")
    assert found.reason == f"script {script}: {found.extractor} measured best"
    assert found.paragraphs == lines(TEXTS[script])


def test_the_language_told_decides_for_vietnamese() -> None:
    """A page without diacritics that is known to be Vietnamese goes the Vietnamese way."""
    assert extract(page(TEXTS["Latn"]), ExtractorOptions(language="vi")).extractor == "density"


def test_a_page_that_strains_trees_is_read_flat_and_says_why() -> None:
    """Forty thousand nested elements, and the article is still there."""
    html = f"<body>{'<div>' * 40_000}<p>{TEXTS['Latn'] * 5}</p>"
    found = extract(html)
    assert found.paragraphs == ((TEXTS["Latn"] * 5).strip(),)
    assert found.extractor == "density"
    assert "nest 40000 deep" in found.reason


def test_too_little_is_compared_with_the_next_extractors() -> None:
    """Short items in a list are nothing to the first two; the last of the chain brings them."""
    html = "<body><ul>" + "<li>خبر عاجل اليوم من هنا</li>" * 30 + "</ul></body>"
    found = extract(html)
    assert sum(map(len, found.paragraphs)) > ENOUGH
    assert "found" in found.reason


def test_an_empty_page_is_empty_and_says_by_whom() -> None:
    """There is a reason even for nothing."""
    assert extract("").paragraphs == ()
    assert extract("").reason
