"""Pages made inert: what stays, what goes, and what is marked."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.markup.tree import parse_tree
from pipelines.page import inert
from pipelines.page.inert import render

MEDIUM = '<span class="medium"><span lang="en" dir="ltr">{}</span>{}</span>'
FIELD = MEDIUM.format("field", "")


def body(html: str, *lines: str) -> str:
    """Return what a body with this content becomes."""
    made = render(parse_tree(f"<!doctype html><body>{html}"), lines).html
    assert made.startswith("<div>")
    assert made.endswith("</div>")
    return made[5:-6]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p class=x style=y id=z onclick=a>A &lt;b&gt; &amp; c</p>", "<p>A &lt;b&gt; &amp; c</p>"),
        ("a<script>x</script><style>y</style><template><p>z</p></template><!-- w -->b", "ab"),
        ("<article><h2 lang=vi dir=RTL>t</h2></article>", '<div><h2 lang="vi" dir="rtl">t</h2></div>'),
        ('<p lang=\'v"i\' dir="x">t</p>', "<p>t</p>"),
        ("<x-y>t</x-y><font color=red>u</font>", "<span>t</span><span>u</span>"),
        ('<a href="https://b.example/" title=x>t</a><a>u</a>', '<span class="link">t</span><span>u</span>'),
        ('<img src=x alt="a <b> c">', MEDIUM.format("picture", ": <bdi>a &lt;b&gt; c</bdi>")),
        ("<img src=x>", MEDIUM.format("picture", "")),
        ("<p><svg><path d=x></svg>Home</p>", "<p>Home</p>"),
        ("<svg aria-label=Map><text>t</text></svg>", MEDIUM.format("drawing", ": <bdi>Map</bdi>")),
        ("<video title=V src=x>no video</video>", MEDIUM.format("video", ": <bdi>V</bdi>")),
        ("<iframe srcdoc='<p>x</p>'>no frames</iframe>", MEDIUM.format("frame", "")),
        ("<form action=x><label>L<input></label><input type=hidden></form>", f"<div><span>L{FIELD}</span></div>"),
        ("<button onclick=x>Go</button><select><option>o</select>", '<span class="button">Go</span>'),
        (
            "<table><tr><td colspan=2 rowspan=0 nowrap>t",
            '<table><tbody><tr><td colspan="2">t</td></tr></tbody></table>',
        ),
        ("a<br clear=all>b<hr size=1>c<wbr>", "a<br>b<hr>c<wbr>"),
        ("a\x07\x1bb\u202ec", "ab\u202ec"),
        ("<noscript><p>t</p></noscript>", "<div><p>t</p></div>"),
    ],
)
def test_elements_of_the_list_stay_and_others_become_harmless(html: str, expected: str) -> None:
    """Only language, direction and spans of cells stay of the attributes."""
    assert body(html) == expected


@pytest.mark.parametrize(
    ("html", "lines", "expected"),
    [
        ("<p>One two, three.</p>", ["One two three"], '<p><mark class="even" id="l1">One two, three.</mark></p>'),
        (
            "<p>One <b>two</b></p>",
            ["One two"],
            '<p><mark class="even" id="l1">One</mark> <b><mark class="even">two</mark></b></p>',
        ),
        (
            "<p>Menu</p>one<br>two",
            ["one", "two"],
            '<p>Menu</p><mark class="even" id="l1">one</mark><br><mark class="odd" id="l2">two</mark>',
        ),
        ("<p>One</p>", ["", "One"], '<p><mark class="even" id="l1">One</mark></p>'),
        ("<p>&lt;One&gt; two</p>", ["One"], '<p><mark class="even" id="l1">&lt;One&gt;</mark> two</p>'),
    ],
)
def test_words_of_the_lines_are_marked(html: str, lines: list[str], expected: str) -> None:
    """The first mark of a line has its number, without empty lines. Marks lie within elements."""
    assert body(html, *lines) == expected


def test_counts_language_and_direction_are_those_of_the_page() -> None:
    """Lines without letters are not counted; direction and language may be the body's."""
    made = render(parse_tree("<html lang=ar><body dir=rtl><p>One</p>"), ["One", "two", "***"])
    assert (made.lines, made.found, made.language, made.direction) == (2, 1, "ar", "rtl")


def test_a_long_page_is_cut_and_a_deep_one_is_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser is spared what it cannot show; text of deep elements stays."""
    monkeypatch.setattr(inert, "MAX_HTML", 1000)
    made = render(parse_tree("<body>" + "<p>words</p>" * 500), [])
    assert (made.cut, len(made.html) <= 1000) == (True, True)
    made = render(parse_tree("<body>" + "&lt;" * 10 + "words " * 500), [])
    assert (made.cut, "words" in made.html, len(made.html) <= 1000) == (True, True, True)
    monkeypatch.undo()
    made = render(parse_tree("<body>" + "<div>" * 400 + "deep" + "</div>" * 400), [])
    assert (made.cut, made.html.count("<div>"), "deep" in made.html) == (False, inert.MAX_DEPTH, True)


class _Checked(HTMLParser):
    """Fails for an element or an attribute that must not be there, and for an end tag without its start."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in inert._KEPT | inert._VOID | {"div", "span", "mark"}, tag
        assert {name for name, _ in attrs} <= {"lang", "dir", "class", "id", "colspan", "rowspan"}
        if tag not in inert._VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


PIECES = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    '"',
    "'",
    "=",
    "&lt;",
    "&#",
    " ",
    "words",
    "\0",
]
TAGS = ["script", "style", "p", "svg", "math", "table", "td", "a", "img", "textarea", "title", "xmp", "noscript", "div"]
ATTRIBUTES = ["onload=x", "style=x", "href=javascript:x", "lang=vi", 'lang="v\'i"', "dir=rtl", "src=x", "colspan=3"]
SOUP = st.lists(st.sampled_from(PIECES + [f"<{tag} " for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + ATTRIBUTES))


@given(SOUP.map("".join), st.lists(st.sampled_from(["words", "lang", "x"]), max_size=3))
def test_the_result_has_only_elements_of_the_list_for_any_page(html: str, lines: list[str]) -> None:
    """Start and end tags fit, and no element, attribute or comment of the page passes."""
    checked = _Checked()
    checked.feed(render(parse_tree(html), lines).html)
    checked.close()
    assert not checked.opened


def test_an_ordinary_page_takes_little_time() -> None:
    """A page of 100 KB with 300 lines is made inert and marked in less than 150 ms."""
    words = "Giá xăng dầu trong nước tăng mạnh từ chiều nay sau khi giá dầu thế giới vượt mốc chín mươi đô la"
    lines = [f"{words} {number}." for number in range(300)]
    menu = "<li><a href=/x><span>Menu entry</span></a></li>" * 1000
    tree = parse_tree(f"<body><ul>{menu}</ul>{''.join(f'<p>{line}</p>' for line in lines)}")
    best = min(_seconds(lambda: render(tree, lines)) for _ in range(3))
    assert best < 0.15


def _seconds(work: object) -> float:
    started = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - started
