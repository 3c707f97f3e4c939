"""Parts of an extraction: captions, comments and other results besides the text, and the kinds of its lines."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.extractors.auto import density, selection
from pipelines.extractors.auto.blocks.marks import BIT, marks
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.rules.captions import MAX_CHARS, find_captions
from pipelines.extractors.auto.rules.comments import MAX_COMMENTS, comment_sections
from pipelines.extractors.auto.rules.jsonld_body import doubts
from pipelines.extractors.registry import get
from pipelines.markup.page_view import PageView
from pipelines.markup.tree import parse_tree
from pipelines.metadata.jsonld import article_body

TEXT = "The council said on Monday that it would mend the old bridge, and that work begins in spring. "
LINES = [f"{number}. {TEXT * 3}".strip() for number in range(1, 7)]
MENU = "<nav><ul>" + "<li><a href='/x'>Menu entry</a></li>" * 12 + "</ul></nav>"
TITLE = "An old bridge is to be mended at last"


def page(body: str, after: str = "", title: str = f"{TITLE} - Paper", head: str = "") -> str:
    return (
        f"<html><head><title>{title}</title>{head}</head><body>{MENU}<article>{body}</article>{after}"
        "<footer><p>© <a href='/'>All rights</a></p></footer></body></html>"
    )


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


HEADED = f"<h1>{TITLE}</h1>{paragraphs(LINES)}"


@pytest.mark.parametrize(
    ("markup", "letter"),
    [
        ("<p>{}</p>", "p"),
        ("<div>{}</div>", "p"),
        ("<h3>{}</h3>", "h"),
        ("<ul><li>{}</li></ul>", "l"),
        ("<ol><li><p>{}</p></li></ol>", "l"),
        ("<dl><dt>{}</dt></dl>", "l"),
        ("<blockquote><p>{}</p></blockquote>", "q"),
        ("<table><tr><td><div>{}</div></td><td>1234</td></tr></table>", "t"),
        ("<pre>{}</pre>", "c"),
    ],
)
def test_a_paragraph_is_what_the_innermost_element_around_it_says(markup: str, letter: str) -> None:
    """Headings, items, quotations, cells and preformatted text; a paragraph in one of them is one of them."""
    middle = f"In the middle of it all: {TEXT}".strip()
    found = selection.extract(page(paragraphs(LINES[:3]) + markup.format(middle) + paragraphs(LINES[3:])))
    assert len(found.kinds) == len(found.paragraphs)
    assert found.kinds[found.paragraphs.index(middle)] == letter
    assert found.kinds.replace(letter, "", 1).strip("pt") == ""


@pytest.mark.parametrize(
    "layout", ["<table><tr><td>{}</td></tr></table>", "<ul><li>{}</li></ul>", "<blockquote>{}</blockquote>"]
)
def test_an_element_around_the_greater_part_of_the_text_is_layout(layout: str) -> None:
    """A body in one cell, item or quotation is made of paragraphs."""
    found = selection.extract(page(layout.format(paragraphs(LINES))))
    assert (found.paragraphs, found.kinds) == (tuple(LINES), "pppppp")


def test_the_flat_reading_knows_kinds_too() -> None:
    """Density tells headings and items by the elements that texts stand in."""
    found = density.extract(page(paragraphs(LINES[:3]) + f"<h2>More of it</h2><ul><li>{LINES[3]}</li></ul>"))
    assert (found.paragraphs[3:], found.kinds) == (("More of it", LINES[3]), "ppphl")


def test_the_library_knows_kinds_too() -> None:
    """What trafilatura calls heads, items and quotes."""
    body = f"{paragraphs(LINES[:3])}<h2>More of it</h2><ul><li>{LINES[3]}</li></ul><blockquote>{LINES[4]}</blockquote>"
    found = get("trafilatura").extract(page(body))
    assert found.paragraphs == (*LINES[:3], "More of it", *LINES[3:5])
    assert found.kinds == "ppphlq"


@pytest.mark.parametrize(
    ("body", "title", "expected"),
    [
        (HEADED, f"{TITLE} - Paper", TITLE),
        (HEADED, TITLE, TITLE),
        (f"<h2>Bridges</h2>{HEADED}", f"{TITLE} | Paper", TITLE),
        (HEADED, "Something else altogether, it says", ""),
        (paragraphs(LINES), f"{TITLE} - Paper", ""),
        (HEADED, "", ""),
        (f"<div><font>{TITLE}</font><br>By Ann Author</div>{paragraphs(LINES)}", f"The Paper: {TITLE}", TITLE),
        (f"<div>{TITLE}</div>{paragraphs(LINES)}", f"{TITLE} - Paper", TITLE),
        (f"<div>{TITLE}</div>{paragraphs(LINES)}", f"{TITLE} and what they cost", ""),
        (f"<h1>Paper</h1><div>{TITLE}</div>{paragraphs(LINES)}", f"{TITLE} - Paper", ""),
        (f"<div>{TITLE}</div>{paragraphs(LINES)}", f"{TITLE} | ", TITLE),
        (paragraphs(LINES), f"{TITLE} | ", ""),
        (paragraphs(LINES), f"| {TITLE}", ""),
        (f"{paragraphs(LINES)}<h3 id=comments>3 replies to “{TITLE}”</h3>", TITLE, ""),
    ],
)
def test_the_title_is_the_heading_that_agrees_with_the_stated_one(body: str, title: str, expected: str) -> None:
    """The site's name does not matter; a heading that says something else is no title, a line only without an h1.

    It is never in the text.
    """
    found = selection.extract(page(body, title=title))
    assert found.title == expected
    assert not expected or expected not in found.paragraphs


CAPTION = "The bridge in winter, seen from the mill"


@pytest.mark.parametrize(
    "markup",
    [
        "<figure><img src=a><figcaption>{}</figcaption></figure>",
        "<figure><img src=a><figcaption><p>{}</p></figcaption></figure>",
        "<div class='wp-caption'><img src=a><p class='wp-caption-text'>{}</p></div>",
        "<div><img src=a><div class='photoCaption'>{}</div></div>",
        "<div class=Preview type=Photo><div><img src=a></div><div class='PhotoCMS_Caption'><p>{}</p></div></div>",
        "<table><tbody><tr><td><img src=a></td></tr><tr><td class='tr-caption'>{}</td></tr></tbody></table>",
        "<div class='editor-img-box'><img src=a><div class='caption'><p>{}</p></div></div>",
        "<figure><img src=a><div class='caption'>{}</div></figure>",
        "<figure><img src=a><p class='x1'>{}</p></figure>",
        "<div class='image-container'><img src=a><p>{}</p></div>",
        "<div class='InlineImage-imageEmbedCredit'>{}</div>",
        "<div class='media mediaA'><img src=a><div class='mediaInfo'><p>{}</p></div></div>",
        "<div class='media-block'><img src=a><div class='media-block__description'>{}</div></div>",
        "<div class='foto-box'><img src=a><p>{}</p></div>",
        "<table><tr><td><img src=a></td></tr><tr><td class='tr-caption'>{}</td></tr></table>",
        "<div class='top-img'><img src=a></div><div class='feat-caption'>{}</div>",
    ],
)
@pytest.mark.parametrize("place", [0, 3])
def test_captions_are_kept_apart_from_the_text(markup: str, place: int) -> None:
    """In the article or before it, by element or by class."""
    found = selection.extract(page(paragraphs(LINES[:place]) + markup.format(CAPTION) + paragraphs(LINES[place:])))
    assert found.captions == (CAPTION,)
    assert found.paragraphs == tuple(LINES)


@pytest.mark.parametrize(
    "markup",
    [
        "<figure class='pull'><blockquote>{}</blockquote></figure>",
        "<figure><table><tr><td>{}</td></tr></table></figure>",
        "<figure><pre>{}</pre></figure>",
        "<figure><h3>How it was done</h3><p>{}</p></figure>",
        "<div class='text-image'><p>{}</p></div>",
        "<div class='has-image'><p>{}</p></div>",
        "<table align=center><tr><td>{}</td></tr></table>",
        "<table data-align=left><tr><td>{}</td></tr></table>",
        "<table align=right><tr><td>Water</td><td>9 hands</td></tr><tr><td>{}</td></tr></table>",
        f"<table align=left><tr><td>{{}} {CAPTION * 6}</td></tr></table>",
    ],
)
def test_what_else_figures_hold_is_no_caption(markup: str) -> None:
    """Quotations, tables and boxes of text; nor is the text beside a picture."""
    shown = PageBlocks(walk(parse_tree(f"<body>{paragraphs(LINES)}{markup.format(LINES[0] + ' Again.')}</body>")))
    assert not find_captions(shown)[0].any()


def test_captions_of_other_articles_are_no_captions_of_this_one() -> None:
    """What stands far below the text is about something else."""
    teasers = "".join(
        f"<div class='related'><figure><figcaption>Teaser {n}</figcaption></figure><a href='/'>Read</a></div>"
        for n in range(9)
    )
    assert selection.extract(page(paragraphs(LINES), after=MENU + teasers)).captions == ()


def comment(text: str, name: str = "Ann") -> str:
    return (
        f"<li class='comment even' id='comment-{len(text)}'><div class='comment-author'>{name}</div>"
        f"<div class='comment-meta'>March 3, 2020</div><div class='comment-body'>{text}</div>"
        "<div class='reply'><a href='#'>Reply</a></div></li>"
    )


def section(*texts: str) -> str:
    form = "<form class='comment-form'><p class='comment-notes'>Your address will not be shown to anybody.</p></form>"
    return (
        f"<div id='comments'><h3>Comments</h3><ol class='comment-list'>{''.join(map(comment, texts))}</ol>{form}</div>"
    )


def test_comments_are_kept_apart_without_names_dates_and_buttons() -> None:
    """Each is one text, its paragraphs a line each; nothing of them is in the text."""
    found = selection.extract(page(paragraphs(LINES), after=section("Well done!", "<p>About time.</p><p>At last.</p>")))
    assert found.comments == ("Well done!", "About time.\nAt last.")
    assert found.paragraphs == tuple(LINES)


def test_who_wrote_a_comment_is_no_part_of_it_in_drupals_words() -> None:
    """The line of name and day that stands over each comment there."""
    one = "<div class='comment'><p class='submitted'>Submitted by <b class='username'>{}</b> on 3/3</p><p>{}</p></div>"
    body = one.format("Ann", "Well done, all of you, for once.") + one.format("Ben", "About time, I should say so.")
    found = selection.extract(page(paragraphs(LINES), after=f"<div id='comments' class='comment-wrapper'>{body}</div>"))
    assert found.comments == ("Well done, all of you, for once.", "About time, I should say so.")


def test_comments_have_bounds() -> None:
    """A page of ten thousand comments, or of one endless comment, is no heavier for it."""
    many = page(paragraphs(LINES * 9), after=section(*(f"Comment number {n}" for n in range(999))))
    assert len(selection.extract(many).comments) == MAX_COMMENTS
    (long,) = selection.extract(page(paragraphs(LINES * 9), after=section("x" * 9 * MAX_CHARS))).comments
    assert len(long) == MAX_CHARS


def test_what_only_looks_like_comments_is_none() -> None:
    """A heading, a count or a note to writers is marked much alike."""
    marks = "<div id='comments'><p class='comments-title'>3 comments</p><p class='comment'>Leave a comment</p></div>"
    assert selection.extract(page(paragraphs(LINES), after=marks)).comments == ()


@pytest.mark.parametrize(
    ("naming", "reported"),
    [
        *(("ad", True), ("ad1", True), ("ad-300x250", True), ("728ad", True), ("top-ad", True)),
        *(("b-9d6a-4ad277021f0c", False), ("4ad1", False), ("ad7b58f3", False), ("p-0a587ad1", False)),
        ("e3a6dcfd-35a9-46a4-ad00-bf25a08e8651", False),
    ],
)
def test_a_hexadecimal_number_names_no_advertisement(naming: str, reported: bool) -> None:
    """Systems number each paragraph by one; of those with "ad" in theirs, short ones were lost."""
    assert bool(marks([f'p id="{naming}"'])[0] & BIT["ad"]) is reported


NAMED_PARAGRAPH = (
    "<p {}>What stands in this paragraph is said of the bridge and its builders, whom the council thanks.</p>"
)
BOX = (
    "<div {}><h4>Of the bridge and its builders</h4><p>What stands in this box is part of the article, unless the name "
    "of the box says otherwise. It is as long as the paragraphs of an article usually are.</p></div>"
)


@pytest.mark.parametrize(
    ("naming", "kept"),
    [
        *((f'class="{name}"', False) for name in ("author-box", "td-author-bio", "AuthorInfo", "post-newsletter-form")),
        *((f'class="{name}"', False) for name in ("copyright", "most-read", "wp-polls", "poll", "modal fade")),
        *((f'class="{name}"', False) for name in ("kk-star-ratings", "kg-signup-card", "cookie-notice")),
        *((f'class="{name}"', False) for name in ("telegram-channel", "jwplayer", "NewsletterModule")),
        *((f'class="{name}"', False) for name in ("embed-consent", "_brlbs-embed", "cmplz-placeholder")),
        *((f'class="{name}"', False) for name in ("sourcepoint__social-placeholder", "youtube-privacy-notice")),
        *((f'class="{name}"', True) for name in ("placeholder", "privacy")),
        *((f'id="{name}"', False) for name in ("cookie-law-info-bar", "disqus_thread", "wpdcom", "short_link")),
        *((f'class="{name}"', True) for name in ("has-small-font-size", "most", "short", "google-maps", "push-down")),
        *((f'id="{name}"', True) for name in ("the-author-of-the-plan", "telegram-in-2020")),
    ],
)
def test_a_box_that_is_named_for_what_is_no_part_of_an_article_goes(naming: str, kept: bool) -> None:
    """Though it stands in the text and is made like it; words that may be of the article itself say nothing."""
    for made in (
        BOX.format(naming),
        NAMED_PARAGRAPH.format(naming),
    ):
        found = selection.extract(page(paragraphs(LINES[:3]) + made + paragraphs(LINES[3:]))).text
        assert ("What stands in this" in found) is kept


@pytest.mark.parametrize("naming", ['class="informed-consent"', 'id="a-poll-of-voters"', 'class="survey of-the-bay"'])
def test_a_paragraph_that_is_named_as_a_form_would_be_stays(naming: str) -> None:
    """It is made as the others are, and is as long."""
    html = page(paragraphs(LINES[:3]) + NAMED_PARAGRAPH.format(naming) + paragraphs(LINES[3:]))
    assert "What stands in this" in selection.extract(html).text


def test_a_region_of_its_own_in_the_text_goes() -> None:
    """As podcasts and short versions stand there, with a link by which readers of screens pass over them."""
    region = (
        "<section role='region'><a href='#end'>Skip it</a><p>A podcast tells of bridges, and of rivers.</p></section>"
    )
    assert selection.extract(page(paragraphs(LINES[:3]) + region + paragraphs(LINES[3:]))).paragraphs == tuple(LINES)


def test_a_text_in_a_box_of_any_name_stays() -> None:
    """Where it is most of what there is to read; and a heading, whose id are its words."""
    assert selection.extract(page(f"<section role='region'>{paragraphs(LINES)}</section>")).paragraphs == tuple(LINES)
    assert selection.extract(page(f"<div class='modal-content'>{paragraphs(LINES)}</div>")).paragraphs == tuple(LINES)
    heading = "<h2 id='most-read'>The most read books of the year</h2>"
    assert "most read" in selection.extract(page(paragraphs(LINES[:3]) + heading + paragraphs(LINES[3:]))).text


@pytest.mark.parametrize(
    ("naming", "before", "read"),
    [
        ("id=comments", "", 1),
        ("class='post-comments js'", "", 1),
        ("id=comment_list", "", 1),
        ("class=comment_container", "", 1),
        ("class=commentsblock", "", 1),
        ("class=yorumlar", "", 1),
        ("id=komentarze", "", 1),
        ("class=commentaires", "", 1),
        ("class=reacties", "", 1),
        ("id=binhluan", "", 1),
        ("class=commentary", "", 5),
        ("class='with-comments-open'", "", 5),
        ("id=comments", f"<h1>{TITLE}</h1>", 5),
    ],
)
def test_a_short_text_is_read_without_the_section_of_its_comments(naming: str, before: str, read: int) -> None:
    """However much was said of it, and though no comment is marked as one; what holds the headline is no section."""
    said = "".join(f"<div><p>{number}. {LINES[0]}</p></div>" for number in range(4))
    section = f"<div {naming}>{before}<div class='comment'>{said}</div></div>"
    headline = f"<h1>{TITLE}</h1>" * (not before)
    body = f"<title>{TITLE}</title><body>{headline}<p>{LINES[1]}</p>{section}</body>"
    shown = PageBlocks(walk(parse_tree(body)))
    likely = np.array([0.9 if len(text) > 60 else 0.01 for text in shown.blocks.texts])
    long = np.array([len(text) > 60 for text in shown.blocks.texts])
    assert (long & ~comment_sections(shown, likely)).sum() == read


@pytest.mark.parametrize("naming", ["class=commentbody", "class='comments-body'", "class=commentpost"])
def test_a_short_text_is_read_without_comments_that_stand_side_by_side(naming: str) -> None:
    """Each in an element of its own, and none in a section; so it is where the text stands among them."""
    said = "".join(f"<div {naming}><p>{number}. {LINES[0]}</p></div>" for number in range(4))
    body = f"<title>{TITLE}</title><body><h1>{TITLE}</h1><p>{LINES[1]}</p>{said}</body>"
    assert selection.extract(body).paragraphs == (LINES[1],)
    shown = PageBlocks(walk(parse_tree(f"<body>{said}<p>{LINES[1]}</p></body>")))
    assert not comment_sections(shown, np.full(shown.count, 0.9)).any()


def test_comments_that_nothing_stands_before_are_what_there_is_to_read() -> None:
    """As on the page of a discussion, or one whose text is in a place of that name."""
    shown = PageBlocks(walk(parse_tree(f"<body><p>Short.</p>{section(*LINES)}</body>")))
    assert not comment_sections(shown, np.full(shown.count, 0.9)).any()


def stating(body: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": "{body}"}}</script>'


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (" ".join(LINES), True),
        ("&lt;p&gt;" + "&lt;/p&gt;&lt;p&gt;".join(LINES), True),
        (LINES[0], False),
        ("Another article altogether, of the same length. " * 40, False),
    ],
    ids=["agrees", "escaped markup", "a stub", "another text"],
)
def test_a_block_is_doubtful_that_an_agreeing_stated_body_does_not_have(stated: str, expected: bool) -> None:
    """A stub or another article says nothing; headings need not be in it."""
    extra = "Subscribe to our letter and read more of this every single day."
    html = page(f"{paragraphs(LINES[:3])}<h2>What the old bridge has seen so far</h2>{paragraphs([*LINES[3:], extra])}")
    view = PageView(html.replace("</head>", f"{stating(stated)}</head>"))
    body = article_body(view.jsonld)
    blocks = walk(view.copy_of_tree())
    chosen = np.array([text in LINES or text == extra for text in blocks.texts])
    doubtful = doubts(PageBlocks(blocks), chosen, body) > 0
    in_article = np.array([text in LINES or text.startswith("What") for text in blocks.texts])
    assert not doubtful[in_article].any()
    assert bool(doubtful[blocks.texts.index(extra)]) is expected


def test_paragraphs_stay_as_on_the_page_with_any_form_of_the_stated_body() -> None:
    """It has no paragraphs and no headings, and the text has both."""
    body = f"{paragraphs(LINES[:3])}<h2>What the old bridge has seen so far</h2>{paragraphs(LINES[3:])}"
    plain, stated = (selection.extract(page(body, head=head)) for head in ("", stating(" ".join(LINES))))
    assert stated.paragraphs == plain.paragraphs
    assert stated.kinds == "ppphppp"


CARDS = [
    '<div class="related-card"><a href="/n/1">{}</a></div>',
    '<aside><h4><a href="/n/1">{}</a></h4></aside>',
    '<figure><a href="/n/1"><img src=a>{}</a></figure>',
    '<ul><li><a href="/n/1">{}</a></li></ul>',
]
SENTENCES = [
    ("The mayor told the council", "that the bridge reopens in May.", " "),
    ("Thị trưởng nói với hội đồng", "rằng cây cầu mở lại vào tháng Năm.", " "),
    ("قال رئيس البلدية للمجلس", "إن الجسر سيفتح في شهر مايو.", " "),
    ("ראש העיר אמר למועצה", "שהגשר ייפתח מחדש בחודש מאי.", " "),
    ("Мэр сообщил совету,", "что мост откроют в мае.", " "),
    ("นายกเทศมนตรีแถลงต่อสภา", "ว่าสะพานจะเปิดอีกครั้งในเดือนพฤษภาคม", " "),
    ("市长告诉议会", "这座桥将在五月重新开放。", ""),
]


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize(("start", "rest", "space"), SENTENCES)
def test_a_sentence_that_a_card_of_a_link_cuts_is_one_line(start: str, rest: str, space: str, card: str) -> None:
    """The card goes, in scripts with and without spaces and capitals."""
    cut = f"<p>{start} {card.format('Ten villages wait for a road')} {rest}</p>"
    found = selection.extract(page(paragraphs(LINES[:3]) + cut + paragraphs(LINES[3:])))
    assert found.paragraphs == (*LINES[:3], f"{start}{space}{rest}", *LINES[3:])
    assert found.kinds == "p" * 7


@pytest.mark.parametrize(
    ("start", "rest"),
    [
        ("<p>The mayor told the council.</p>", "that was on Monday, he said afterwards."),
        ("<p>The mayor told the council</p>", "On Monday the bridge was closed again."),
        ("<p>The mayor told the council</p>", "<p>that was on Monday, he said afterwards.</p>"),
        ("<p>The mayor told the council ♡</p>", "that was on Monday, he said afterwards."),
        ("<h3>The mayor and the council</h3>", "that was on Monday, he said afterwards."),
    ],
)
def test_paragraphs_around_a_card_stay_two_lines(start: str, rest: str) -> None:
    """A sentence end, a capital, a paragraph of its own or a heading separates them."""
    between = f"{start}{CARDS[0].format('Ten villages wait for a road')}{rest}"
    found = selection.extract(page(paragraphs(LINES[:3]) + between + paragraphs(LINES[3:])))
    assert len(found.paragraphs) == len(found.kinds) == 8
