"""Layouts in which a block is judged by its place: beside the article, behind "read more", under an own anchor."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto import extractor, selection
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.markup.tree import parse_tree
from tests.pipelines.extractors.auto.short_articles import ARTICLES, pages

LAYOUTS = tuple(pages(ARTICLES["en"]))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("language", ARTICLES)
def test_a_short_article_beside_teasers_is_the_text(language: str, layout: str) -> None:
    """The teasers are longer than the article, and each breaks off beside its link."""
    article = ARTICLES[language]
    assert extractor.extract(pages(article)[layout]).paragraphs == article.lines


SHOWN = [
    "The council of Millbrook agreed on Tuesday to dig a new well behind the fire station.",
    "The old well has given brown water since the summer, and the pump stops twice a day.",
]
REST = [
    "Two firms have looked at the ground and found water at a depth of sixty metres.",
    "The work takes five weeks, and lorries will use the lane behind the school in that time.",
    "Farmers asked for a second pipe to the fields, which the council wants to discuss in May.",
    "The old well stays open for the cattle market and will be cleaned once a year from now on.",
]
ARABIC_SHOWN = ["قرر مجلس القرية يوم الثلاثاء حفر بئر جديدة خلف محطة الإطفاء قبل بداية الصيف المقبل."]
ARABIC_REST = [
    "وقال المهندس إن الماء موجود على عمق ستين مترا وإن العمل يستغرق خمسة أسابيع كاملة.",
    "وطلب المزارعون أنبوبا ثانيا إلى الحقول، وسيناقش المجلس هذا الطلب في جلسته القادمة.",
]
CARDS = "".join(
    f'<div class="card"><h4><a href="/{number}">Other news number {number} from the valley</a></h4>'
    f"<p>Visitors came to gate {number} …</p></div>"
    for number in range(6)
)


def unfolding(
    shown: list[str], rest: list[str], hidden: str, *, single: bool, headline: str = "<h1>A well</h1>"
) -> str:
    """Return a page the rest of whose article is hidden, in one element or each paragraph alone."""
    first, second = ("".join(f"<p>{line}</p>" for line in lines) for lines in (shown, rest))
    part = second.replace("<p>", f"<p {hidden}>") if single else f"<div {hidden}>{second}</div>"
    return (
        f"<html><head><title>A well</title></head><body><article>{headline}{first}<button>Read more</button>{part}"
        f"</article><aside>{CARDS}</aside></body></html>"
    )


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(("shown", "rest"), [(SHOWN, REST), (SHOWN, REST[:1]), (ARABIC_SHOWN, ARABIC_REST)])
@pytest.mark.parametrize("headline", ["<h1>A well</h1>", ""])
@pytest.mark.parametrize("hidden", ['style="display:none"', "hidden", 'class="d-none"', 'class="rest hidden"'])
def test_the_rest_of_an_article_behind_a_button_is_read(
    hidden: str, headline: str, shown: list[str], rest: list[str], *, single: bool
) -> None:
    """It follows shown prose in the element of the article; teasers beside the article do not change that."""
    html = unfolding(shown, rest, hidden, single=single, headline=headline)
    assert list(extractor.extract(html).paragraphs) == [*shown, *rest]


@pytest.mark.parametrize(
    "hidden",
    [
        '<form style="display:none"><p>{}</p></form>',
        '<div class="comments" style="display:none"><p>{}</p></div>',
        '<div style="position:fixed"><p>{}</p></div>',
        '<div class="print-only"><p>{}</p></div>',
        '<div style="display:none"><a href="/other">{}</a></div>',
        '<div style="display:none"><h1>A well</h1><p>{}</p></div>',
    ],
)
def test_other_hidden_text_stays_hidden(hidden: str) -> None:
    """Forms, comments, notices, lines for the printer, links, and an article with its own headline."""
    text = "".join(f"<p>{line}</p>" for line in SHOWN)
    page = PageBlocks(walk(parse_tree(f"<body><main><h1>A well</h1>{text}{hidden.format(REST[0] * 2)}</main></body>")))
    assert page.hidden[page.blocks.texts.index(REST[0] * 2)]


HEADINGS = ["Third part of the plan for the quay", "Where the boats will lie in winter", "What comes at the end of it"]


@pytest.mark.parametrize(
    "anchor", ['<a href="#{0}">{1}</a>', '<a name="{0}">{1}</a>', '<a id="{0}">{1}</a>', "<a>{1}</a>"]
)
def test_a_heading_with_its_own_anchor_is_no_link(anchor: str) -> None:
    """An anchor without an address, or to its own page, leads nowhere else."""
    parts = zip(HEADINGS, REST, strict=False)
    body = "".join(
        f"<h2>{anchor.format(place, head)}</h2><p>{text * 2}</p>" for place, (head, text) in enumerate(parts)
    )
    html = f"<title>The quay</title><body><article><h1>The quay</h1><p>{SHOWN[0]}</p>{body}</article></body>"
    assert set(HEADINGS) <= set(selection.extract(html).paragraphs)


@pytest.mark.parametrize("entry", ['<li><a href="#{0}">{1}</a></li>', '<li><p><a href="#{0}">{1}</a></p></li>'])
def test_a_table_of_contents_is_no_text(entry: str) -> None:
    """Its entries lead to places on the page, and repeat the headings there."""
    contents = "".join(entry.format(place, head) for place, head in enumerate(HEADINGS))
    parts = zip(HEADINGS, REST, strict=False)
    body = "".join(f'<h2 id="{place}">{head}</h2><p>{text * 2}</p>' for place, (head, text) in enumerate(parts))
    html = (
        f"<title>The quay</title><body><article><h1>The quay</h1><p>{SHOWN[0]}</p><ul>{contents}</ul>{body}</article>"
    )
    paragraphs = extractor.extract(html).paragraphs
    assert [paragraphs.count(head) for head in HEADINGS] == [1] * len(HEADINGS)


@pytest.mark.parametrize("row", ["<tr><td>{}</td><td>{}</td></tr>", "<tr><th>{}</th><td>{}</td></tr>"])
@pytest.mark.parametrize("label", ["{:02}:15", "Day {}", "{}."])
def test_all_rows_of_a_table_with_narrow_labels_are_read(row: str, label: str) -> None:
    """As of a live report: the last rows are content too."""
    lines = [*SHOWN, *REST]
    rows = "".join(row.format(label.format(number + 1), line) for number, line in enumerate(lines))
    html = f"<title>A well</title><body><main><h1>A well</h1><table>{rows}</table></main></body>"
    assert [line for line in extractor.extract(html).paragraphs if len(line) > len("00:15")] == lines


def with_menu(title: str, body: str) -> str:
    """Return a page with a menu above."""
    return f"<title>{title}</title><body><nav><ul>{menu(10)}</ul></nav>{body}"


def menu(length: int) -> str:
    """Return the entries of a menu of links."""
    return "".join(f'<li><a href="/{place}">Section {place} of the news</a></li>' for place in range(length))


@pytest.mark.parametrize("length", [10, 150])
@pytest.mark.parametrize(
    "layout",
    [
        "<main><h1>{}</h1><p>{}</p></main>",
        '<div class="content"><h1>{}</h1><div class="text">{}</div></div>',
        "<h1>{}</h1>{}",
    ],
)
@pytest.mark.parametrize("language", ARTICLES)
def test_news_of_one_sentence_are_distinguished_from_the_menu(language: str, layout: str, length: int) -> None:
    """The menu is much longer than the text under the headline."""
    title, (line, *_), _ = ARTICLES[language]
    body = f"<nav><ul>{menu(length)}</ul></nav>{layout.format(title, line)}<footer>{menu(8)}</footer>"
    assert extractor.extract(f"<title>{title}</title><body>{body}").paragraphs == (line,)


WEATHER = "".join(f"<tr><td>Town {place}</td><td>{place % 30} °C</td><td>light rain</td></tr>" for place in range(300))
BOXES = {
    "weather": f"<table>{WEATHER}</table>",
    "dialog": (
        "<div class='b2'><h3>Forgot your password?</h3><p>Enter your address. We send you a link with which you can "
        "set a new password for your account.</p><p>If you have no account yet, you can register here and read on all "
        "of your devices.</p><form><input name=e><button>Send</button></form></div>"
    ),
}


@pytest.mark.parametrize("place", ["{text}{box}", "{box}{text}"])
@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("language", ARTICLES)
def test_a_longer_box_beside_the_text_is_left_out(language: str, box: str, place: str) -> None:
    """A block in the right place wins over a long one."""
    article = ARTICLES[language]
    text = "".join(f"<p>{line}</p>" for line in article.lines)
    body = place.format(text=f"<div class='m'><h1>{article.title}</h1><div>{text}</div></div>", box=BOXES[box])
    assert extractor.extract(with_menu(article.title, body)).paragraphs == article.lines


@pytest.mark.parametrize("heading", ["", "<h2>{}</h2>"])
@pytest.mark.parametrize(
    "box",
    [
        '<div class="b3"><a href="/n/1"><img src="x"><h4>{}</h4></a><p><a href="/n/1">{}</a></p></div>',
        '<aside><ul><li><a href="/n/1">{}</a></li><li><a href="/n/2">{}</a></li></ul></aside>',
        '<div class="b3"><h4>See also</h4><div><h4><a href="/n/1">{}</a></h4><p>{}</p></div></div>',
    ],
)
@pytest.mark.parametrize("language", ARTICLES)
def test_the_last_section_after_a_box_is_read(language: str, box: str, heading: str) -> None:
    """A box about another article parts the text; its end is short."""
    article = ARTICLES[language]
    texts = [f"{text.rstrip(' …')}." for _, text in article.teasers]
    before, after = [*article.lines, *texts[:3]], texts[3:4]
    title = heading.format(article.teasers[2][0])
    first, second = ("".join(f"<p>{line}</p>" for line in lines) for lines in (before, after))
    body = f"<article><h1>{article.title}</h1>{first}{box.format(*article.teasers[0])}{title}{second}</article>"
    heads = [article.teasers[2][0]] if heading else []
    assert list(extractor.extract(with_menu(article.title, body)).paragraphs) == [*before, *heads, *after]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<x-body><x-line>One.</x-line><x-line>Two.</x-line></x-body>", ["One.", "Two."]),
        ("<x-date>Monday</x-date><x-body><p>One.</p></x-body>", ["Monday", "One."]),
        ("<p>A <x-term>quay</x-term> wall.</p>", ["A quay wall."]),
        ("<p><x-term>Quay</x-term><x-term>s</x-term></p>", ["Quays"]),
        ("<div>A <x-term>quay</x-term> wall.</div><div><x-term>Quay</x-term></div>", ["A quay wall.", "Quay"]),
        ("<div><b><x-term>Quay</x-term></b> wall</div>", ["Quay wall"]),
    ],
)
def test_custom_elements_are_blocks_unless_one_is_in_a_line(body: str, expected: list[str]) -> None:
    """What one element of a name shows holds for all of them: frameworks give a name one make."""
    blocks = walk(parse_tree(f"<body>{body}</body>"))
    assert [line for lines in blocks.lines_of(range(len(blocks))) for line in lines] == expected


NEXT = "".join(f"<p>{line}</p>" for line in REST)


@pytest.mark.parametrize(
    ("element", "heading", "is_next"),
    [
        ("article", "<h1>Ferry stops</h1>", True),
        ("div class=news-detail", "<h1>Ferry stops</h1>", True),
        ("article", "<h2><a href=/ferry>Ferry stops</a></h2>", True),
        ("article", "<h2>What comes next</h2>", False),
        ("article", "", False),
        ("section class=story", "<h1>What comes next</h1>", False),
        ("div", "<h1>What comes next</h1>", False),
    ],
)
def test_the_articles_after_this_one_are_no_text(element: str, heading: str, is_next: bool) -> None:
    """Some papers put the next articles on the page, each made as this one is. Parts of one article look alike."""
    end, text = element.partition(" ")[0], "".join(f"<p>{line}</p>" for line in SHOWN)
    parts = f"<{element}><h1>A well</h1>{text}</{end}>" + f"<{element}>{heading}{NEXT}</{end}>"
    found = extractor.extract(f"<title>A well</title><body><main>{parts}</main></body>").paragraphs
    assert [line in found for line in (*SHOWN, *REST)] == [True] * len(SHOWN) + [not is_next] * len(REST)
