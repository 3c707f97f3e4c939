"""Learned extractor: one text policy in each script, a confidence, and a flat reading of pages that strain a parser."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.auto.blocks.features import measure, measure_again
from pipelines.extractors.auto.blocks.marks import marks
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.model import MODEL, choose
from pipelines.extractors.auto.selection import extract, find, read
from pipelines.markup.page_view import PageView
from pipelines.markup.tree import parse_tree

TEXTS = {
    "Latin": "The government said on Monday that it would build 12 new bridges, and that work begins soon. ",
    "Arabic": "قالت الحكومة يوم الاثنين إنها ستبني 12 جسرا جديدا، وإن العمل سيبدأ قريبا في كل المدن. ",
    "Thai": "รัฐบาลกล่าวเมื่อวันจันทร์ว่าจะสร้างสะพานใหม่ 12 แห่งและจะเริ่มงานเร็วๆ นี้ในทุกเมือง ",
    "Chinese": "政府周一表示将新建12座桥梁，工程很快就会在各个城市开始，市民对此表示欢迎和期待。",
    "Russian": "Правительство сообщило в понедельник, что построит 12 новых мостов, работы скоро начнутся. ",
    "Vietnamese": "Chính phủ cho biết hôm thứ Hai rằng sẽ xây 12 cây cầu mới, và công việc sẽ sớm bắt đầu. ",
    "Hebrew": "הממשלה הודיעה ביום שני כי תבנה 12 גשרים חדשים, והעבודות יחלו בקרוב בכל הערים. ",
}
MENU = "<nav><ul>" + "<li><a href='/x'>Menu entry</a></li>" * 12 + "</ul></nav>"
FOOT = "<footer><p>© 2024 <a href='/'>All rights</a></p></footer>"
COMMENTS = "<div class='comments'>" + "<div class='comment'><p>Reader says so too!</p></div>" * 3 + "</div>"


def paragraphs(text: str) -> list[str]:
    return [f"{number}. {text * 3}".strip() for number in range(1, 7)]


def page(body: str, title: str = "Bridges to be built") -> str:
    return (
        f"<html><head><title>{title} - Paper</title></head><body>{MENU}<div class='article'><h1>{title}</h1>"
        f"{body}</div>{COMMENTS}{FOOT}</body></html>"
    )


def as_paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_body_is_found_in_every_script_without_what_is_around_it(text: str) -> None:
    """No menu, footer, comments or title; paragraphs one by one."""
    lines = paragraphs(text)
    assert list(extract(page(as_paragraphs(lines))).paragraphs) == lines


BODY = paragraphs(TEXTS["Latin"])
LAYOUTS = {
    "br": "<br><br>".join(BODY),
    "single br": "<br>".join(BODY),
    "form": f"<form action='x'>{as_paragraphs(BODY)}</form>",
    "table": f"<table><tr><td>{as_paragraphs(BODY)}</td></tr></table>",
    "numeric entities": "".join(f"<p>{''.join(f'&#{ord(letter)};' for letter in line)}</p>" for line in BODY),
    "quoted >": "".join(f"<p title='a > b' class=\"[&_>a]:x\">{line}</p>" for line in BODY),
    "odd attribute": "".join(f'<p ">{line}</p>' for line in BODY),
    "unclosed": "".join(f"<p>{line}" for line in BODY),
    "unread between": "".join(f"<p>{line}</p><select><option>No<option>No</select><xmp><p></xmp>" for line in BODY),
    "comments between": "".join(f"<p>{line}</p><!-- <p>no > -- -->" for line in BODY),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_any_markup_of_the_body_is_read(layout: str) -> None:
    """Bodies of breaks, in forms and tables, in entities, with odd attributes."""
    assert list(extract(page(layout)).paragraphs) == BODY


def test_headings_list_items_and_quotations_are_in() -> None:
    """The policy: they belong to the body, in the order of the page."""
    lines = paragraphs(TEXTS["Latin"])
    said = "We have waited for these bridges since the floods of last spring. Our mayors wrote three letters about it."
    body = (
        f"{as_paragraphs(lines[:3])}<h2>What happens next in the cities</h2>{as_paragraphs(lines[3:5])}"
        f"<ul><li>{lines[5]}</li></ul><blockquote><p>{said}</p></blockquote>{as_paragraphs(lines[:1])}"
    )
    expected = [*lines[:3], "What happens next in the cities", *lines[3:6], said, lines[0]]
    assert list(extract(page(body)).paragraphs) == expected


def test_links_to_read_on_are_out_and_linked_sentences_are_in() -> None:
    """Wherever they stand in the body, in any language."""
    lines = paragraphs(TEXTS["Latin"])
    for read_on in (
        "Read also: <a href='/y'>Bridges of the north</a>",
        "یہ بھی پڑھیے: <a href='/y'>نور گڑھ میں رات کا بازار</a>",
    ):
        body = f"{as_paragraphs(lines[:3])}<p>{read_on}</p><p><a href='/z'>{lines[3]}</a></p>{as_paragraphs(lines[4:])}"
        assert list(extract(page(body)).paragraphs) == lines


def test_linked_subheads_are_in_where_the_text_is_made_of_them() -> None:
    """A list of the best has a link for each name, and below it what is said of the thing; a few lead elsewhere."""
    lines = paragraphs(TEXTS["Latin"])
    things = [(f"The bridge of {number}", line) for number, line in enumerate(lines)]
    body = "".join(f"<h3><a href='/{name}'>{name}</a></h3><p>{line}</p>" for name, line in things)
    assert as_found(body, links=0.9) == [text for thing in things for text in thing]
    assert as_found(body.replace("h3", "b", 10), links=0.9) == lines


@pytest.mark.parametrize("number", ["{}. ", "{})", "{}: ", "{}、"])
def test_a_few_linked_subheads_are_in_if_they_are_numbered(number: str) -> None:
    """Headlines of other articles have no numbers in their order."""
    lines = paragraphs(TEXTS["Latin"])[:2]
    things = [(f"{number.format(place)}Bridge", line) for place, line in enumerate(lines, 1)]
    body = "".join(f"<h2><a href='/{name}'>{name}</a></h2><p>{line}</p>" for name, line in things)
    assert as_found(body, links=0.9) == [text for thing in things for text in thing]


def test_what_repeats_beside_itself_stays_and_a_second_whole_text_goes() -> None:
    """A plan for a week says the same again and again; a text for narrow screens stands in an element of its own."""
    lines = paragraphs(TEXTS["Latin"])
    plan = [line for day in range(1, 6) for line in (f"Day {day} of the plan", *lines[:2])]
    assert as_found(f"<div>{as_paragraphs(plan)}</div>") == plan
    assert as_found(f"<div>{as_paragraphs(lines)}</div>" * 2) == lines


RELATED = "<ul>" + "<li><a href='/y'>Bridges of the north and the south</a></li>" * 3 + "</ul>"


@pytest.mark.parametrize("script", ["Latin", "Thai"])
@pytest.mark.parametrize("heading", ["Read also", "Tin liên quan", "اقرأ أيضا", "สารบัญ"])
@pytest.mark.parametrize(
    "box",
    [
        *("<div class='x'><b>{}</b>{}</div>", "<table><tr><td>{}{}</td></tr></table>"),
        *("<div class='inline-ad'>{}</div>", "<div class='sharing'><h3>{}</h3><a href='/share'>A</a></div>"),
    ],
)
def test_the_heading_of_a_box_in_the_body_goes_with_the_box(box: str, heading: str, script: str) -> None:
    """Of links, of an advertisement or to share by, in any language, even one whose sentences have no end mark;
    nothing tells but that the box has no text."""
    lines = paragraphs(TEXTS[script])
    found = as_found(as_paragraphs(lines[:3]) + box.format(heading, RELATED) + as_paragraphs(lines[3:]))
    assert found == lines


def as_found(body: str, *, links: float = 0.1) -> list[str]:
    """Choose all blocks of a body except its links, with any weights."""
    listed = PageBlocks(walk(parse_tree(body)))
    chosen = find(listed, np.zeros(len(listed.blocks)), np.where(listed.link > 0.5, links, 0.9)).chosen
    return [listed.blocks.lines(index)[0] for index in np.flatnonzero(chosen).tolist()]


def test_headings_of_what_a_page_is_made_of_stay() -> None:
    """A section with a text keeps its heading; so do many boxes of links, as lists of the best things to buy have."""
    line = paragraphs(TEXTS["Latin"])[0]
    section = f"<div><h2 id='tools'>On bridges</h2>{RELATED}<p>{line}</p></div>"
    assert as_found(f"<p>{line}</p>{section}") == [line, "On bridges", line]
    names = [f"The best bridge {number}" for number in range(9)]
    assert as_found(f"<p>{line}</p>" + "".join(f"<div>{name}{RELATED}</div>" for name in names)) == [line, *names]


def test_headings_that_say_the_same_go_however_many_boxes_they_open() -> None:
    """Behind each paragraph, as some papers have it, with links to other articles."""
    lines = paragraphs(TEXTS["Latin"])
    assert as_found("".join(f"<p>{line}</p><div>See also:{RELATED}</div>" for line in lines)) == lines


def test_a_text_of_links_is_kept() -> None:
    """Where most of what was chosen is linked, it is what the page is about."""
    listed = PageBlocks(walk(parse_tree("<p>All bridges</p>" + "<p><a href='/x'>A bridge of the north</a></p>" * 5)))
    assert find(listed, np.zeros(6), np.full(6, 0.9)).chosen.sum() > 1


def test_a_line_break_in_a_paragraph_parts_lines() -> None:
    """One break is a line of its own, without words run together."""
    lines = paragraphs(TEXTS["Latin"])
    found = extract(page(as_paragraphs(lines) + f"<p>{lines[0]}<br>{lines[1]}</p>")).paragraphs
    assert found[-2:] == (lines[0], lines[1])


@pytest.mark.parametrize("style", ["display:none", "position:absolute;left:-9999px", "position: fixed; TOP: -2000px"])
def test_words_that_are_hidden_for_search_engines_are_out_however_many(style: str) -> None:
    """Broken-in sites have them, in a block without sentences; an article that a script will show has some."""
    lines = paragraphs(TEXTS["Latin"])
    words = " ".join(f"cheap loans {number} casino bonus" for number in range(2000))
    assert list(extract(page(f"{as_paragraphs(lines)}<div style='{style}'>{words}</div>")).paragraphs) == lines


def test_hidden_text_is_out_unless_it_is_most_of_the_page() -> None:
    """A script may show what the whole page hides."""
    lines = paragraphs(TEXTS["Latin"])
    secret = "<div style='display:none'><p>Secret words that nobody sees on Monday, and never will. </p></div>"
    assert list(extract(page(as_paragraphs(lines) + secret)).paragraphs) == lines
    assert list(extract(page(f"<div hidden>{as_paragraphs(lines)}</div>")).paragraphs) == lines


@pytest.mark.parametrize(
    ("classes", "seen"),
    [
        ("visually-hidden", False),
        ("u-visually-hidden", False),
        ("note sr-only", False),
        ("d-none d-print-block", False),
        ("d-none d-md-block", True),
        ("print-only", False),
        ("screen-reader-text", False),
        ("offer hidden", False),
        ("hidden md:block", True),
        ("hidden-small-up", True),
        ("unhidden", True),
    ],
)
def test_what_the_usual_classes_hide_is_out(classes: str, seen: bool) -> None:
    """As labels for screen readers, and offers that a script may show, are; not what wide screens show."""
    line, shown = paragraphs(TEXTS["Latin"])[0], "Create an account to read more of the bridges."
    assert (as_found(f"<p>{line}</p><div class='{classes}'>{shown}</div><p>{line}</p>") == [line, shown, line]) is seen


def test_what_stands_in_the_place_of_an_advertisement_goes() -> None:
    """Though it is a sentence, or no line is one, as in poems; a longer text stays with any mark."""
    line, verses = paragraphs(TEXTS["Latin"])[0], [f"the river that the {number} bridges cross" for number in range(4)]
    assert as_found("<p class='ad'>Advertisement</p>".join(f"<p>{verse}</p>" for verse in verses)) == verses
    notice = "<div class='ad'><p>This advertisement has not loaded yet, but the article goes on below.</p></div>"
    assert as_found(f"<p>{line}</p>{notice}<p>{line}</p>{notice}<p>{line}</p>") == [line] * 3
    assert as_found(f"<p>{line}</p><div class='sponsored'><p>{line}</p></div>") == [line] * 2


@pytest.mark.parametrize("naming", ["promo-text", "sponsored-content", "img-box"])
def test_a_text_of_one_paragraph_stays_in_a_box_of_any_name(naming: str) -> None:
    """No rule leaves out all there is: advertisements and captions are beside a text."""
    line = paragraphs(TEXTS["Latin"])[0][:100]
    assert as_found(f"<div class='{naming}'><p>{line}</p></div>") == [line.strip()]


def test_what_a_button_says_is_out_unless_it_is_a_heading() -> None:
    """Questions open their answers, in buttons that are headings or alone."""
    line = paragraphs(TEXTS["Latin"])[0]
    assert as_found(f"<p>{line}</p><button>Show more of it</button><p>{line}</p>") == [line, line]
    for asked in ("<button>How is a bridge built?</button>", "<h3><button>Of bridges</button></h3>"):
        assert len(as_found(f"<p>{line}</p>{asked}<p>{line}</p>")) == 3


def test_headings_on_buttons_that_stand_in_a_row_open_nothing() -> None:
    """As those do by which films are chosen; a question has its answer below it."""
    line, name = "The harbour was shut for two days. " * 6, "<button><h3>Bridges of the city {}</h3></button>"
    films = "".join(map(name.format, range(3)))
    asked = "".join(f"{name.format(number)}<p>{line}</p>" for number in range(3))
    assert as_found(f"<p>{line}</p>{films}<p>{line}</p>") == [line.strip()] * 2
    assert len(as_found(f"<p>{line}</p>{asked}<p>{line}</p>")) == 8


@pytest.mark.parametrize(
    ("markup", "held"),
    [
        ("<div class=chunk>{}</div><div class=chunk>{}</div>", True),
        ("<div class=row><div class=chunk>{}</div></div><div class=row><div class=chunk>{}</div></div>", True),
        ("<div class=chunk id=c1>{}</div><div class=chunk id=c2>{}</div>", True),
        ("<div class=chunk>{}</div><div class=more>{}</div>", False),
        ("<div class=chunk>{}</div><div class=chunk><h1>Of ferries</h1>{}</div>", False),
        ("<div class=chunk>{}</div><aside><div class=chunk>{}</div></aside>", False),
    ],
    ids=["beside", "in rows", "with numbers", "of another make", "with a headline", "elsewhere"],
)
def test_an_article_in_parts_of_one_make_is_held_by_all_of_them(markup: str, held: bool) -> None:
    """As pages are that put advertisements between them: the second half was taken for something else."""
    lines = paragraphs(TEXTS["Latin"])
    body = markup.format(as_paragraphs(lines[:4]), as_paragraphs(lines[4:]))
    shown = PageBlocks(walk(parse_tree(f"<body><main>{body}</main>{MENU}</body>")))
    likely = np.where(shown.weight > 100, 0.9, 0.01)
    tight = measure_again(shown, likely)["tight50"]
    assert tight[likely > 0.5].tolist() == [True] * 4 + [held] * 2


def test_text_in_an_element_with_a_paywall_class_is_kept() -> None:
    """Papers mark a paid text with such a class. The page may contain that text."""
    assert marks(["div class='paywall-access'".replace("'", '"')]) == marks(["div"])


@pytest.mark.parametrize(
    ("ending", "stays"),
    [
        *(("<h2>More of the bridges</h2>", False), ("<p>Share this with your friends:</p>", False)),
        *(("<h2>Who builds the bridges?</h2>", True), ("<h2>Old ones</h2><h2>New ones</h2>", True)),
        ("<p>Ann Lee, Northbridge</p>", True),
    ],
    ids=["heading", "label", "question", "headings", "signature"],
)
def test_a_text_ends_with_no_heading_of_what_is_left_out(ending: str, stays: bool) -> None:
    """Nor with a label; a question at the end is asked of the reader, and a text may be a list of headings."""
    lines = paragraphs(TEXTS["Latin"])
    found = extract(page(as_paragraphs(lines) + ending)).paragraphs
    assert list(found[:6]) == lines
    assert (len(found) > 6) is stays


def test_a_hidden_body_is_read_where_nothing_else_is_content() -> None:
    """A script shows it, though there is more text in what leads elsewhere; a hidden copy stays hidden."""
    blocks = PageBlocks(
        walk(parse_tree("<body><div hidden><p>One.</p><p>Two.</p></div><p>Three, which is longer.</p></body>"))
    )
    nothing = np.zeros(3)
    assert find(blocks, nothing, np.array([0.9, 0.9, 0.01])).chosen.tolist() == [True, True, False]
    assert find(blocks, nothing, np.array([0.9, 0.9, 0.9])).chosen.tolist() == [False, False, True]


def test_markup_that_strains_the_parser_is_read_flat_and_says_why() -> None:
    """Forty thousand nested elements."""
    found = extract(f"<body>{'<div>' * 40_000}<p>{TEXTS['Latin'] * 5}</p>")
    assert found.paragraphs == ((TEXTS["Latin"] * 5).strip(),)
    assert found.extractor == "density"
    assert "nest 40000 deep" in found.reason


def test_a_clear_page_is_read_with_more_confidence_than_a_page_of_links() -> None:
    """The confidence is the F1 to be expected."""
    clear = read(PageView(page(as_paragraphs(paragraphs(TEXTS["Latin"]) * 3))))
    links = read(PageView(f"<html><body>{MENU * 5}</body></html>"))
    assert clear.confidence > 0.9 > 0.6 > links.confidence


TEASER = f"<div><p>{TEXTS['Latin']}</p></div>"


@pytest.mark.parametrize(
    ("heading", "probability", "chosen"),
    [
        ("<h1>Bridges</h1>", 0.4, [False, True, True, False, False]),
        ("<h1>Bridges</h1>", 0.9, [True] * 5),
        ("<h5>Bridges</h5>", 0.4, [True] * 5),
    ],
    ids=["unsure", "sure", "unsure without a headline"],
)
def test_a_page_of_low_confidence_is_read_under_its_headline(
    heading: str, probability: float, chosen: list[bool]
) -> None:
    """Where all blocks are as likely, an article is what stands in the headline's element, if there is one."""
    page = PageBlocks(
        walk(parse_tree(f"{TEASER}<div>{heading}<p>{TEXTS['Latin'] * 5}</p></div>{TEASER}{TEASER[:-14]} 2</p>"))
    )
    content = find(page, np.zeros(page.count), np.full(page.count, probability))
    assert content.chosen.tolist() == chosen
    assert content.headed is (heading == "<h1>Bridges</h1>" and probability < 0.5)


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(1, 500)), min_size=1, max_size=9))
def test_no_other_set_of_blocks_has_a_greater_expected_f1(blocks: list[tuple[float, int]]) -> None:
    """The cut by falling probability is the best of all subsets."""
    probability, chars = np.array([p for p, _ in blocks]), np.array([length for _, length in blocks])
    chosen, best = choose(probability, chars)
    expected = probability * chars

    def value(mask: np.ndarray) -> float:
        return float(2 * expected[mask].sum() / (chars[mask].sum() + expected.sum()))

    assert value(chosen) == pytest.approx(best)
    masks = (np.array([number >> bit & 1 for bit in range(len(blocks))], bool) for number in range(1, 1 << len(blocks)))
    assert max(map(value, masks)) == pytest.approx(best)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.lists(st.sampled_from(["<p>", "</div>", "<a href='", "<br>", "<li>", "x. ", "中文。"])))
def test_every_measure_of_any_page_is_a_finite_number_for_each_block(text: str, parts: list[str]) -> None:
    """On any page, columns have one finite number a block."""
    blocks = walk(parse_tree("".join(parts) + text + "".join(parts)))
    if len(blocks):
        page = PageBlocks(blocks)
        columns = measure(page) | measure_again(page, np.full(len(blocks), 0.5))
        for name, column in columns.items():
            assert np.asarray(column, float).shape == (len(blocks),), name
            assert np.isfinite(np.asarray(column, float)).all(), name


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["<p>", "</p>", "<div>", "</div>", "<br>", "<b>", "<ul>", "<li>", "a", "b ", "<hr>"])))
def test_blocks_lie_in_their_elements_and_hold_all_the_text(parts: list[str]) -> None:
    """Each element's blocks are those between its tags; nothing of the text is lost or doubled."""
    html = "".join(parts)
    blocks = walk(parse_tree(html))
    elements = blocks.elements
    for index, element in enumerate(blocks.inside):
        while element:
            assert elements.first[element] <= index < elements.last[element]
            element = elements.parents[element]
    assert all(first < last for first, last in zip(elements.first[1:], elements.last[1:], strict=True))
    assert "".join("".join(blocks.lines(index)) for index in range(len(blocks))).replace(" ", "") == "".join(
        part.strip() for part in parts if not part.startswith("<")
    )


def test_the_stored_weights_are_those_of_what_is_measured() -> None:
    """By name and in its order, in both stages."""
    page = PageBlocks(walk(parse_tree("<p>One</p>")))
    stored = json.loads(MODEL.read_text("utf-8"))
    assert list(stored["measures"]) == list(measure(page))
    assert list(stored["again"]) == list(measure_again(page, np.ones(1)))


UNREAD = {
    "nested": "a<svg><svg><title>no</title></svg>no</svg>b",
    "choices": "a<select><option>no<option>no</select>b",
    "raw": "a<xmp><p></xmp></xmp>b",
    "unclosed": "a<video>no",
    "in a sentence": "a<canvas>no</canvas>b",
    "text of a form": "a<textarea><p>no</textarea>b",
}


@pytest.mark.parametrize("html", UNREAD.values(), ids=UNREAD)
def test_elements_that_are_never_read_are_passed_over_with_their_content(html: str) -> None:
    """With any content, and no block ends at them."""
    assert "".join(walk(parse_tree(html)).texts) == "ab"[: 1 + html.endswith("b")]


RUBY = {
    "whole": "<ruby>橋<rp>(</rp><rt>はし</rt><rp>)</rp></ruby>の<ruby>上<rt>うえ</rt></ruby>",
    "ends left out": "<ruby>橋<rt>はし</ruby>の<ruby>上<rp>（<rt>うえ<rp>）</ruby>",
    "two readings": "<ruby><rb>橋</rb><rt>はし</rt><rtc>bridge</rtc></ruby>の<ruby>上<rt>うえ</rt></ruby>",
    "never ended": "<ruby>橋<rt>はし<ruby>の<rt>no<ruby>上<rt>うえ",
}


@pytest.mark.parametrize("html", RUBY.values(), ids=RUBY)
def test_readings_beside_words_are_passed_over_and_never_what_follows(html: str) -> None:
    """As Japanese news for learners has them; a missing end costs no text."""
    assert "".join(walk(parse_tree(f"<p>{html}</p>")).texts) == "橋の上"
