"""Pull quotes: a sentence of the article in large letters is stored once."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.rules.pull_quotes import pull_quotes
from pipelines.markup.tree import parse_tree

SAID = {
    "en": "We were rowing the whole night through",
    "vi": "Chúng tôi đã chèo thuyền suốt cả đêm",
    "ar": "كنا نجدف طوال الليل حتى طلوع الفجر",
    "zh": "我们整夜都在河上划船直到天亮才回到村子里休息",
}
REST = "The boats of the village came back at six in the morning, and the baker opened his door for all of them. " * 3


def left_out(body: str) -> list[str]:
    page = PageBlocks(walk(parse_tree(f"<title>Boats</title><body><article>{body}</article></body>")))
    return [page.blocks.texts[at] for at in np.flatnonzero(pull_quotes(page, np.ones(page.count, bool)))]


def article(quotation: str, said: str) -> str:
    return f"<p>{REST}</p>{quotation}<p>“{said}”, said Ann Lee. {REST}</p><p>{REST}</p>"


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
@pytest.mark.parametrize(
    "quotation",
    [
        "<figure class='wp-block-pullquote'><blockquote><p>{}</p></blockquote></figure>",
        "<aside class=pullquote>{}</aside>",
        "<aside>{}</aside>",
        "<div class='quote-block'><span>“</span><div>{}</div></div>",
        "<blockquote>„{}“</blockquote>",
        "<div class='col-4'><blockquote>{}</blockquote></div>",
    ],
)
def test_a_quotation_of_the_text_itself_is_left_out(quotation: str, said: str) -> None:
    assert len(left_out(article(quotation.format(said), said))) >= 1


def test_the_name_of_the_speaker_goes_with_the_quotation() -> None:
    quotation = f"<blockquote><p>{SAID['en']}</p><footer>Ann Lee</footer></blockquote>"
    assert left_out(article(quotation, SAID["en"])) == [SAID["en"], "Ann Lee"]


@pytest.mark.parametrize(
    "body",
    [
        article(f"<blockquote>{SAID['en']} and day</blockquote>", SAID["en"]),
        article(f"<blockquote><p>{SAID['en']}</p><p>No.</p></blockquote>", SAID["en"]),
        article("<blockquote>Yes, we will</blockquote>", "Yes, we will"),
        article(f"<p>{SAID['en']}</p>", SAID["en"]),
        article(f"<p class=refrain>{SAID['en']}</p>", SAID["en"]),
        article(f"<h2>{SAID['en']}</h2>", SAID["en"]),
        article(f"<blockquote>{SAID['en']}</blockquote>" * 2, SAID["en"]),
        "<blockquote>" + article(f"<p>{SAID['en']}</p>", SAID["en"]) + "</blockquote>",
        "".join(
            f"<div class=entry>{part}</div>"
            for part in (
                f"<p>{SAID['en']}, said Ann. {REST}</p>",
                f"<blockquote>{SAID['en']}</blockquote><p>{REST}</p>",
            )
        ),
        f"<blockquote>The boat<br>{SAID['en']}</blockquote><blockquote>{SAID['en']}</blockquote><p>{REST}</p>",
    ],
    ids=[
        "more is quoted",
        "another sentence",
        "short answer",
        "repeated line",
        "refrain",
        "subhead",
        "repeated quotation",
        "all of it in an element",
        "another entry",
        "verses in quotations",
    ],
)
def test_what_the_author_repeats_stays(body: str) -> None:
    assert left_out(body) == []
