"""Script state: articles that a page contains only in the data of its scripts."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.auto import extractor
from pipelines.extractors.auto.rules import script_state

TITLE = "Bridge at Hollin Street to close for eleven months"
LINES = [
    "The council voted on Tuesday night to close the bridge at Hollin Street for eleven months, ending a long dispute.",
    "Engineers who examined the piers in June told members that two of the five were no longer safe for lorries.",
    "Shopkeepers on the north bank say the decision came without warning, and a footbridge has yet to be designed.",
    "Buses will be sent round by Mill Lane, adding about nine minutes to a journey that two thousand people make.",
    "The work is to be paid for from a regional fund, with the town adding a little over four million of its own.",
    "A public meeting will be held in the library on Thursday evening, where the contractor is to present his plans.",
    "Nobody wants to lose the road for a year, said the chair of the committee, but nobody will sign it off and hope.",
    "Until then lorries are to go by the ring road, and the town has asked the county to mend Mill Lane.",
]
MARKUP = "".join(f"<p>{line}</p>" for line in LINES) + "<figure><figcaption>The bridge on Monday.</figcaption></figure>"
BLOCKS = [{"type": "text", "content": line} for line in LINES]
SPANS = [{"_type": "block", "children": [{"text": line[:40]}, {"text": line[40:]}]} for line in LINES]
OTHER = [line.replace("the", "a").replace("The", "A") for line in LINES]
LOCKED = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'


def page(body: str, head: str = "") -> str:
    titled = f"<title>{TITLE} | The Daily Example</title>{head}"
    return f'<html><head>{titled}</head><body><div id="app"></div>{body}</body></html>'


def script(value: object) -> str:
    return f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    "body",
    [
        script({"props": {"pageProps": {"article": {"title": TITLE, "body": MARKUP}}}}),
        script({"story": {"headlines": {"basic": TITLE}, "content_elements": BLOCKS}}),
        script({"post": {"title": TITLE, "content": {"blocks": SPANS}}}),
        script({"title": TITLE, "paragraphs": LINES}),
        f"<script>window.F=window.F||{{}};F.globalContent={json.dumps({'h': TITLE, 'c': BLOCKS})}</script>",
        f"<script>window.__APOLLO_STATE__ = {json.dumps({'Article:1': {'title': TITLE, 'body': BLOCKS}})}</script>",
        f"<script>window.__NUXT__=(function(a,b){{return a}}({json.dumps(TITLE)},{json.dumps(MARKUP)}));</script>",
        f"<script>(Q=window.Q||[]).push({json.dumps({'dehydratedAt': 1, 'd': {'t': TITLE, 'b': MARKUP}})})</script>",
        f"<div data-page='{json.dumps({'props': {'title': TITLE, 'html': MARKUP}})}'></div>",
    ],
)
def test_the_body_is_read_where_the_title_stands_beside_it(body: str) -> None:
    """Markup, lists of texts, of objects and of objects with spans are the article's paragraphs, in their order."""
    found = [line for line in extractor.extract(page(body)).paragraphs if line != TITLE]
    assert found == LINES


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        (
            "旧港大桥将关闭十八个月",
            [
                "市议会星期二投票决定关闭旧港大桥十八个月，此前工程师在七个桥墩中的三个发现了裂缝。",
                "每天经过大桥前往市场和医院的北区居民表示，他们只是从广播里听说了这项计划，没有人征求过他们的意见。",
                "市长承诺安排两艘渡轮和一条穿过隧道的公交线路，并请商户耐心等待，直到明年春天工程正式开始。",
                "此前的一次检查认为桥墩完好，但三月份下水的潜水员带回的照片让整个部门都感到惊讶。",
            ],
        ),
        (
            "ปิดสะพานท่าเรือเก่าสิบแปดเดือน",
            [
                "สภาเมืองลงมติเมื่อวันอังคารให้ปิดสะพานท่าเรือเก่าเป็นเวลาสิบแปดเดือนหลังจากวิศวกรพบรอยร้าวในตอม่อสามจากเจ็ดต้น",
                "ชาวบ้านในย่านทางเหนือซึ่งใช้สะพานทุกวันเพื่อไปตลาดและโรงพยาบาลกล่าวว่าพวกเขาได้ยินเรื่องแผนนี้จากวิทยุเท่านั้น",
                "นายกเทศมนตรีสัญญาว่าจะจัดเรือข้ามฟากสองลำและรถประจำทางผ่านอุโมงค์จนกว่างานก่อสร้างสะพานใหม่จะเริ่มในปีหน้า",
                "การตรวจสอบครั้งก่อนระบุว่าตอม่อแข็งแรงดีแต่นักดำน้ำที่ลงไปเมื่อเดือนมีนาคมกลับมาพร้อมภาพถ่ายที่ทำให้ทุกคนประหลาดใจ",
                "คณะกรรมการจะประชุมอีกครั้งในสัปดาห์หน้าเพื่อฟังความเห็นของชาวบ้านและผู้ประกอบการในย่านท่าเรือก่อนลงนามในสัญญา",
            ],
        ),
        ("Old bridge to close for a year", LINES[:5]),
    ],
)
def test_scripts_without_spaces_and_short_articles_are_read(title: str, lines: list[str]) -> None:
    """Lengths count as letters of an alphabet, and prose needs no spaces where its script has none."""
    state = script({"post": {"title": title, "body": "".join(f"<p>{line}</p>" for line in lines)}})
    html = f"<html><head><title>{title}</title></head><body><div id=app></div>{state}</body></html>"
    assert list(extractor.extract(html).paragraphs) == lines


@pytest.mark.parametrize(
    "body",
    [
        script({"article": {"title": "Another matter altogether, it seems", "body": MARKUP}}),
        script(
            {
                "list": [
                    {"title": TITLE, "body": MARKUP},
                    {"title": TITLE, "body": "".join(f"<p>{x}</p>" for x in OTHER)},
                ]
            }
        ),
        script({"title": TITLE, "words": ["bridge", "street"] * 400}),
        script({"title": TITLE, "body": MARKUP}) + LOCKED,
        f"<article><h1>{TITLE}</h1>{MARKUP}</article>" + script({"title": TITLE, "body": LINES[0] * 9}),
        f"<script>window.__NUXT__={{'broken': {MARKUP[:300]}</script>",
        "",
    ],
)
def test_other_bodies_are_left_alone(body: str) -> None:
    """What has no title of the page beside it, is one of two, no prose, to be paid for, or shown, is not taken."""
    assert "state" not in extractor.extract(page(body)).reason


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=30) | st.sampled_from([TITLE, MARKUP, LINES[0]]),
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["text", "a", "children"]), inner),
        max_leaves=20,
    )
)
def test_any_state_is_safe(value: object) -> None:
    """Whatever the state of a page holds gives lines of text, or none."""
    lines = script_state.article_body(page(script(value)))
    assert all(line == " ".join(line.split()) and line for line in lines)


@pytest.mark.parametrize(
    "text",
    ['__NUXT__="' + '\\"' * 300_000, "__NUXT__=" + " " * 10**6, "__NUXT__=" + "[" * 10**6, '__NUXT__="a' * 10**5],
)
def test_hostile_state_is_read_in_passing(text: str) -> None:
    """Quotes, spaces and brackets without end are no article."""
    assert script_state.article_body(page(f"<script>{text}</script>")) == ()


def test_a_long_string_takes_little_memory() -> None:
    """Of the arguments of a function strings are looked for, and nothing is remembered for each of their characters."""
    held = f'<title>{TITLE}</title><script>window.__NUXT__=(function(a){{return a}}("{"x" * 1_000_000}"))</script>'
    tracemalloc.start()
    try:
        assert script_state.article_body(held) == ()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30 * len(held)


@pytest.mark.parametrize(
    "module", ["pipelines.markup.tree", "pipelines.metadata.reader", "pipelines.extractors.auto.rules.script_state"]
)
def test_modules_that_need_one_another_may_be_imported_first(module: str) -> None:
    """The parser needs the lexer of the extractors, and these the parser, whichever a program names first."""
    done = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
