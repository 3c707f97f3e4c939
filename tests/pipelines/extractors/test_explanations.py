"""Explanations: the numbers of an extraction agree with the extraction itself."""

from __future__ import annotations

import re
from itertools import accumulate, compress, pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from corpus_spider.demo.site import build_site
from pipelines.extractors.auto.blocks.template_learning import learn, survey_html
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.explanation import Explanation, Series
from pipelines.extractors.registry import EXTRACTORS, explainer
from storage.errors import ConfigError
from tests.pipelines.pieces import pieces
from tests.pipelines.real_pages import gold_pages, needs_gold

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPLAINED = sorted(name for name, extractor in EXTRACTORS.items() if extractor.explain)
LINES = ("r2l", "r2l-nepl", "dana", "dana-paper")
RUNS = ("bte", "bte-original")
SENTENCE = "حذر الأطباء من موجة الحر الجديدة ودعوا كبار السن إلى البقاء في البيوت. "
MARKUP = pieces(
    "<p> </p> <div> </div> <a_href=/x> </a> <br> <article> </article> <script> </script> <li> <h1> </h1> &#1575; a_b",
    *("\n", SENTENCE, "ข่าววันนี้ ", "Copyright ", "<!-- x -->", "<div hidden>", "<pre>a\n b</pre>"),
)


def demo_pages() -> Iterator[tuple[str, str]]:
    """Yield name and source of an article of each newspaper of the demo, in five scripts."""
    for (host, path), answer in build_site(8000).answers.items():
        if answer.status == 200 and b"<article" in answer.body and not answer.body.startswith(b"\x1f\x8b"):
            yield f"{host}{path}", answer.body.decode("utf-8", "replace")


PAGES = dict(demo_pages())


def flat(text: str) -> str:
    return " ".join(text.split())


def check(html: str, name: str) -> Explanation:
    """Explain a page, and compare the numbers with the extraction, as far as they must agree on every page."""
    explanation = explainer(name)(html, DEFAULT_OPTIONS)
    assert explanation.extraction == EXTRACTORS[name].extract(html)
    assert explanation.sound
    if explanation.extraction.paragraphs and explanation.extraction.extractor != "auto":
        assert any(explanation.chosen)
    return explanation


@pytest.mark.parametrize("name", EXPLAINED)
def test_an_explanation_is_of_the_same_extraction(name: str) -> None:
    """On the pages of the demo the text is that of the extractor, and it comes from chosen items."""
    assert len(PAGES) > 20
    assert all(check(html, name).chosen for html in PAGES.values())


@pytest.mark.parametrize("name", EXPLAINED)
@given(html=MARKUP)
@settings(max_examples=60, deadline=None)
def test_any_markup_is_explained(name: str, html: str) -> None:
    """Markup in any order: empty pages, open elements, hidden text."""
    check(html, name)


@needs_gold
@pytest.mark.parametrize("name", EXPLAINED)
def test_real_pages_are_explained(name: str) -> None:
    """One in eight of the gold pages."""
    for number, (_, html) in enumerate(gold_pages()):
        if number % 8 == 0:
            check(html, name)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(("ar.", "fa.", "ur.", "th."))][::5])
def test_the_numbers_of_lines_are_those_of_the_papers(name: str, page: str) -> None:
    """Formulas (1) and (2) of R2L hold, the region begins and ends with S1, and no gap in it is longer than P."""
    found = check(PAGES[page], name)
    nepl, epl, diff = (found.values(series) for series in ("nepl", "epl", "difference"))
    assert [above - below for above, below in zip(nepl, epl, strict=True)] == list(diff)
    padded = (0, *diff, 0)
    assert [sum(padded[at : at + 3]) for at in range(len(diff))] == list(found.values("smoothed"))
    ((_, longest),) = found.marked
    assert found.values("smoothed")[longest] == max(found.values("smoothed"))
    region = [at for at, chosen in enumerate(found.chosen) if chosen]
    assert longest in region
    with_s1 = [at for at in region if nepl[at]]
    assert all(after - before <= dict(found.parameters)["P"] for before, after in pairwise(with_s1))


def test_the_chosen_lines_have_the_characters_of_the_text() -> None:
    """R2L to the letter returns NEPL of the chosen lines: as many characters as the figure shows."""
    html = "<p>menu</p>\n" * 5 + "".join(f"<p>{word}</p>\n" for word in SENTENCE.split()) + "<p>end</p>\n" * 9
    found = check(html, "r2l-nepl")
    assert sum(compress(found.values("nepl"), found.chosen)) == sum(map(len, found.extraction.paragraphs))


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("page", list(PAGES)[::9])
def test_the_balance_rises_most_over_the_chosen_runs(name: str, page: str) -> None:
    """No region has a greater rise; its words are those of the text."""
    found = check(PAGES[page], name)
    balance = (0, *found.values("balance"))
    inside = [at for at, chosen in enumerate(found.chosen) if chosen]
    rise = balance[inside[-1] + 1] - balance[inside[0]]
    assert rise == max(after - low for after, low in zip(balance, accumulate(balance, min), strict=True))
    assert list(found.values("tokens")) == list(accumulate(map(abs, found.values("encode"))))


def test_the_words_of_the_chosen_runs_are_those_of_the_text() -> None:
    """As many as BTE returns."""
    html = (
        f"<ul>{'<li><b>Home</b></li>' * 9}</ul><p>{SENTENCE * 4}</p><p>{SENTENCE * 3}</p><ul>{'<li>End</li>' * 9}</ul>"
    )
    found = check(html, "bte")
    words = sum(-run for run, chosen in zip(found.values("encode"), found.chosen, strict=True) if chosen and run < 0)
    assert words == len(found.extraction.text.split()) == 7 * len(SENTENCE.split())


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("th.")][::4])
def test_the_selected_characters_of_thai_blocks_are_those_of_the_text(page: str) -> None:
    """AR follows the formula of the paper. Chosen blocks are under its limit, or have one link among three leaves."""
    found = check(PAGES[page], "blocks")
    rows = zip(*(found.values(one) for one in ("anchor_ratio", "links", "elements")), found.chosen, strict=True)
    limit = dict(found.parameters)["maximum AR"]
    assert all(ratio < limit or (links < 2 and leaves > 2) for ratio, links, leaves, chosen in rows if chosen)
    parts = zip(found.values("anchor_text_ratio"), found.values("anchor_node_ratio"), strict=True)
    assert [0.75 * atr + 0.25 * anr for atr, anr in parts] == pytest.approx(found.values("anchor_ratio"))
    text = re.sub(r"\s", "", found.extraction.text)
    assert len(text) <= sum(found.values("selected")) <= len(found.extraction.text)


@pytest.mark.parametrize("name", ["auto", "scored", "density", "blocks"])
@pytest.mark.parametrize("page", list(PAGES)[::9])
def test_the_text_begins_its_lines_with_the_chosen_blocks(name: str, page: str) -> None:
    """Chosen blocks are in the text, in order, and each line of it is in one of them."""
    found = check(PAGES[page], name)
    text = flat(found.extraction.text)
    own = [beginning for beginning, chosen in zip(found.texts, found.chosen, strict=True) if chosen]
    assert all(beginning in text for beginning in own)
    if name != "blocks":
        assert len(own) <= len(found.extraction.paragraphs)
        left = [beginning for beginning, chosen in zip(found.texts, found.chosen, strict=True) if not chosen]
        assert not any(len(beginning) > 60 and beginning in text and beginning not in own for beginning in left)


def test_a_text_from_the_state_of_scripts_is_from_no_block() -> None:
    """`auto` says where it is from; the blocks of the page are shown, and no block is chosen."""
    body = SENTENCE * 20
    html = f'<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": "{body}"}}</script><p>Menu</p>'
    found = check(html, "auto")
    assert "JSON-LD" in found.extraction.reason
    assert not any(found.chosen)
    assert found.texts == ("Menu",)


ARTICLE = f"<article><h1>خبر اليوم</h1>{''.join(f'<p>{number}. {SENTENCE * 4}</p>' for number in range(8))}</article>"


@pytest.mark.parametrize(
    ("html", "extractor", "reason"),
    [
        (f"<title>خبر اليوم</title><p>Menu</p><noscript>{ARTICLE}</noscript>", "scored", "without scripts"),
        (f"<p>Menu</p><x-y><template shadowrootmode=open>{ARTICLE}</template></x-y>", "scored", "in shadow trees"),
        (f"{'<i>' * 20_000}{ARTICLE}", "density", "deep"),
    ],
    ids=["noscript", "shadow trees", "too deep to parse"],
)
def test_auto_is_explained_by_the_blocks_that_it_used(html: str, extractor: str, reason: str) -> None:
    """Those of another reading of the page, or of `density`."""
    found = check(html, "auto")
    assert (found.extraction.extractor, reason in found.extraction.reason) == (extractor, True)
    own = list(compress(found.texts, found.chosen))
    assert len(own) >= 8
    assert all(beginning in flat(found.extraction.text) for beginning in own)


def test_blocks_of_a_template_are_not_chosen() -> None:
    """The explanation uses the site's template as the extraction does."""
    box = f"<div class=box><p>{SENTENCE * 3}</p></div>"
    texts = [
        "".join(f"<p>{' '.join(chr(0x627 + page) * (1 + line + word) for word in range(30))}.</p>" for line in range(5))
        for page in range(8)
    ]
    pages = [f"<title>{at}</title><h1>{at}</h1>{text}{box}" for at, text in enumerate(texts)]
    template = learn(map(survey_html, pages)).template
    found = explainer("scored")(pages[0], ExtractorOptions(template=template))
    assert found.extraction == EXTRACTORS["scored"].extract(pages[0], ExtractorOptions(template=template))
    (recurring,) = compress(found.texts, found.values("template"))
    assert recurring.startswith(SENTENCE[:60])
    assert not any(compress(found.values("template"), found.chosen))


def test_an_unsound_explanation_is_known() -> None:
    """A series with a number too few, or a mark outside of the page."""
    found = check(PAGES[next(iter(PAGES))], "r2l")
    assert not Explanation(found.extraction, "line", (Series("a", "", (1,)),), (True, False)).sound
    assert not Explanation(found.extraction, "line", (), (True,), marked=(("x", 1),)).sound


@pytest.mark.parametrize("name", ["trafilatura", "ccb"])
def test_an_extractor_without_numbers_is_refused_with_those_that_have_some(name: str) -> None:
    """The message lists them."""
    with pytest.raises(ConfigError, match="has no figure") as caught:
        explainer(name)
    assert "Choose one of: auto, blocks, bte" in str(caught.value)
