"""Step 0 and rendering: tags, dropped elements, and paragraphs."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.markup import lexer
from pipelines.markup.lexer import CODE, markup, sanitise, tokenise
from pipelines.markup.soup import (
    Soup,
    body_of,
    paragraphs,
    read,
    read_in_order,
    render,
    scan,
    with_characters,
    without_unread,
)
from tests.pipelines.pieces import pieces
from tests.pipelines.real_pages import gold_pages, needs_gold

PIECES = pieces(
    """<p> </p> <br> <div_class='a>b'> </div> <script> </script> <!-- --> <![CDATA[ ]]> <a_href="x "> <style> </style>
    <p_hidden> <select> <svg/> <body> <title> </ <! <?x < > = ' &amp; &#1587; سلام ตัวอย่าง word_""",
    *("\n", "\0", "\ud800"),
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one</p><p>two</p>", ("one", "two")),
        ("one<br>two<br/>three", ("one", "two", "three")),
        ("a <b>bo</b>ld <i>word</i>", ("a bold word",)),
        ("<td>a</td><td>b</td>", ("a", "b")),
        ("  a \n\t b\u00a0c\u3000d  ", ("a b c d",)),
        ("AT&amp;T &lt;b&gt; &#1587;&#x644;", ("AT&T <b> سل",)),
        ("&amp;lt; stays once unescaped", ("&lt; stays once unescaped",)),
        ("می\u200cروم 12 km", ("می\u200cروم 12 km",)),
        ('<p title="a > b">text</p>', ("text",)),
        ("<p data-x='<script>'>text</p>", ("text",)),
        ('<a b=c"d>text</a>', ("text",)),
        ('<p ">text</p><p>"more</p>', ("text", '"more')),
        ("1 < 2 and 3 > 2, I <3 you", ("1 < 2 and 3 > 2, I <3 you",)),
        ("a<!-- > b -->c<!-->d<!--->e<!-- x --!>f", ("acdef",)),
        ("<!--[if IE]><p>old</p><![endif]-->new", ("new",)),
        ("<![if !IE]>shown<![endif]>", ("shown",)),
        ("<![CDATA[ x > y ]]>z", ("z",)),
        ("<![CDATA[ x > y", ("y",)),
        ("<?xml version='1.0'?><!DOCTYPE html>text", ("text",)),
        ("a<script>if (a<b) '</p>'</script>b", ("ab",)),
        ("a<SCRIPT>x</ScRiPt >b", ("ab",)),
        ("a<script><!-- <script>x</script> y --></script>b", ("ab",)),
        ("a<style>p{}</style>b", ("ab",)),
        ("a<select><option>x</option></select>b", ("a b",)),
        ("a<svg><title>x</title><text>y</text></svg>b", ("a b",)),
        ("ta<wbr>ble", ("table",)),
        ("<head><title>T</title></head>text", ("text",)),
        ("<html><head><meta x></head><body>text</body></html>", ("text",)),
        ("early<body>text", ("early", "text")),
        ("<p hidden>no</p>yes", ("yes",)),
        ("<div STYLE='color:red; DISPLAY:NONE'>no</div><div aria-hidden=true>yes</div>", ("yes",)),
        (
            "<div style='color:red; display : none'>no <i>or</i> <div>no</div></div>yes, or it is most",
            ("yes, or it is most",),
        ),
        ("<p hidden>no<p>yes", ("yes",)),
        ("<div hidden>unclosed, so shown", ("unclosed, so shown",)),
        ("a<b", ("a",)),
        ("nul\0 and \ud800 surrogate", ("nul and \ufffd surrogate",)),
    ],
)
def test_scan_and_render_read_what_a_browser_shows(html: str, expected: tuple[str, ...]) -> None:
    """Each piece of markup gives the paragraphs a reader would see."""
    assert render(scan(html)) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div hidden>the whole article</div>menu", ("the whole article", "menu")),
        ("text<script>var a = 1;", ("text",)),
        ("text<style>p {", ("text",)),
        ("text<!-- never closed <p>x", ("text",)),
        ("<title>never closed<p>text", ("never closed", "text")),
        ("<select><option>a<p>text", ("a", "text")),
        ("<noscript>a<p>text", ("a", "text")),
        ("<svg><p>text", ("text",)),
    ],
)
def test_what_is_dropped_never_swallows_an_article(html: str, expected: tuple[str, ...]) -> None:
    """Unclosed code runs to the end; other unclosed elements, and hiding most of the text, are not believed."""
    assert render(scan(html)) == expected


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), PIECES))
def test_any_string_is_scanned_into_texts_and_tags_by_turns(html: str) -> None:
    """The spans of markup do not overlap, no code is left, and the soup scanned again is the same page."""
    spans = list(markup(sanitise(html)))
    assert all(one.end <= two.start for one, two in itertools.pairwise(spans))
    soup = scan(html)
    assert len(soup.texts) == len(soup.tags) + 1 == len(soup.names) + 1
    assert not {name.lstrip("/") for name in soup.names} & CODE
    assert soup.starts()[-1] + len(soup.texts[-1]) == len(soup.html)
    assert "\0" not in soup.html


@settings(max_examples=150, deadline=None)
@given(PIECES, st.data())
def test_a_part_of_a_page_renders_to_part_of_its_text_and_never_to_markup(html: str, data: st.DataObject) -> None:
    """For any two offsets, even inside tags, the part holds no more than the texts between them."""
    soup = scan(html)
    start = data.draw(st.integers(0, len(soup.html)))
    end = data.draw(st.integers(start, len(soup.html)))
    spans = zip(soup.starts(), soup.texts, strict=True)
    between = "".join(text[max(start - at, 0) : max(end - at, 0)] for at, text in spans)
    whole = "".join("".join(paragraphs([between], [])).split())
    if "&" not in soup.html:
        assert "".join("".join(render(soup, start, end)).split()) == whole
    assert render(soup, 0, len(soup.html)) == render(soup)


TANGLED = st.lists(
    st.sampled_from(
        """<p <div_hidden_ <i_style='display:none' <p> </p> <script <script> </script> <!-- --> <svg> </svg>
        <select </select> <img <body> </body > /> " ' = <a_b=" " <é </é </_ <! <? x>y text _ </noscript> <template>
        </template> <title>
        </div> </i> <BR> <tItLe> </TITLE> <style> </style ]]> <![CDATA[ \ud83d\ude00 <textarea> <sé <""".split()
    ),
    max_size=40,
).map(lambda pieces: "".join(pieces).replace("_", " "))


HIDING = re.compile(r"""\s(?:hidden(?=[\s/>=])|style\s*=\s*["']?[^"'>]{0,400}?display\s*:\s*none)""", re.IGNORECASE)


def literal_scan(html: str) -> Soup:
    """Follow the tags in order: hide elements by counting the tags of their names, then drop the head."""
    page = read_in_order(html)
    element, depth, kept, shown_texts = "", 0, list[bool](), [True]
    for tag, name in zip(page.tags, page.names, strict=True):
        inside = depth > 0
        if inside:
            depth += (-1 if name == "p" else 1) if name == element else -(name == f"/{element}")
        elif name[0] != "/" and name not in lexer.VOID | {"html", "body"} and HIDING.search(tag):
            element, depth = name, 1
        kept.append(not inside and not depth)
        shown_texts.append(not depth)
    hidden_chars = sum(len(text) for text, is_shown in zip(page.texts, shown_texts, strict=True) if not is_shown)
    if depth or 2 * hidden_chars > sum(map(len, page.texts)):
        kept, shown_texts = [True] * len(kept), [True] * len(shown_texts)
    texts, tags = [page.texts[0]], list[tuple[str, str]]()
    for tag, name, text, keep, is_shown in zip(
        page.tags, page.names, page.texts[1:], kept, shown_texts[1:], strict=True
    ):
        if keep and name == "body" and "body" not in (name for _, name in tags) and not "".join(texts).strip():
            texts, tags = [""], []
        if keep:
            tags.append((tag, name))
            texts.append("")
        texts[-1] += text * is_shown
    return Soup(tuple(texts), tuple(tag for tag, _ in tags), tuple(name for _, name in tags))


@settings(max_examples=600, deadline=None)
@given(st.one_of(TANGLED, PIECES), st.integers(1, 40))
def test_splitting_all_tags_at_once_is_reading_them_one_by_one(html: str, at_once: int) -> None:
    """What is cut out first, tags removed and elements hidden come to the same as following the page in order."""
    html = sanitise(html)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexer, "AT_ONCE", at_once)
        assert read(html) == read_in_order(html)
        assert scan(html) == literal_scan(html)


BODY_TAGS = [
    ("<head></head><BODY class=x>", 13),
    ("<bodyguard>", 0),
    ("no tag", 0),
    ("x <body>y<body>", 2),
    ("<script>'<body>'</script><body>", 25),
    ("<script>'<head></head><body>'</SCRIPT><body>", 38),
    ("<script>'<style></style> <body>'</script><body>", 41),
    ("<script>1</script><style>a {}</style> <body><script>2</script>", 38),
    ("<style>/* <body> */</style><body>", 27),
    ("<body></script>", 0),
    ("<!--[if IE]><body class=ie><![endif]--><body>", 39),
    ("<meta content='<body>'><body>", 23),
]


@pytest.mark.parametrize(("html", "start"), BODY_TAGS)
def test_the_body_begins_at_the_first_body_tag(html: str, start: int) -> None:
    """In any case of letters, and not in code, comments and attributes. Without one the page is its own body."""
    assert body_of(html) == html[start:]


@pytest.mark.parametrize("inside", ["<script>", "<!--", "<svg>", "</ ", "<?x"])
def test_in_the_value_of_an_attribute_nothing_begins(inside: str) -> None:
    """What looks dropped there is passed over; after a ``>`` in the value the page is read in order."""
    for before, at_once in (("", True), ("> ", False)):
        html = f'<p title="{before}{inside}">text</p><p title="{before}{inside}">more</p>'
        assert (tokenise(html) is not None) == at_once
        assert render(scan(html)) == ("text", "more")


@needs_gold
def test_every_real_page_is_read_as_in_order() -> None:
    """Hardly any page has to be read one tag after the other."""
    slow = 0
    for name, html in gold_pages():
        html = sanitise(html)
        assert scan(html) == literal_scan(html), name
        slow += tokenise(html) is None
    assert slow < 25


def test_numeric_references_beyond_ascii_become_characters_and_others_stay() -> None:
    """Counting sees the letters, and a reference to an ampersand is not unescaped twice."""
    html = with_characters("<p>&#1587;&#x644;&#38;lt;&#160;&amp;")
    assert html == "<p>سل&#38;lt;\u00a0&amp;"
    assert render(scan(html)) == ("سل&lt; &",)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<head><title>t</title><script>x</script></head><p a=1>text</p>", None),
        ("a <p hidden>no</p><!-- no --><template><b>no</b></template> text <noscript>no</noscript>z", "a  text z"),
        ("<div hidden>unclosed", None),
        ("<div hidden>most of the text</div>b", None),
    ],
)
def test_the_source_loses_what_is_not_read_and_nothing_else(html: str, expected: str | None) -> None:
    """None stands for the source as it was."""
    assert without_unread(html) == (html if expected is None else expected)
