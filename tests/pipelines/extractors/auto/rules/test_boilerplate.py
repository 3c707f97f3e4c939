"""Boxes, links and lines in an article that are not part of it."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.extractors.auto import selection
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.rules import boilerplate
from pipelines.markup.tree import parse_tree
from storage.records import ParagraphKind

TITLE = "The river has risen over the quays"
SAID = "The river rose by another hand this hour, and the ferries stay where they are until the weekend. "


def page(body: str) -> PageBlocks:
    return PageBlocks(walk(parse_tree(f"<title>{TITLE}</title><body>{body}</body>")))


def starting(page: PageBlocks, *words: str) -> np.ndarray:
    return np.array([text.startswith(words) for text in page.blocks.texts])


def article(inside: str, behind: str = "", lines: int = 6) -> str:
    """An article of so many paragraphs with something in the middle of them."""
    half = "".join(f"<p>{SAID * 2}</p>" for _ in range(lines // 2))
    return f"<h1>{TITLE}</h1><article>{half}{inside}{half}</article>{behind}"


def of_text(html: str, *words: str) -> np.ndarray:
    """A page of which all is taken for text but its title, with the lines that begin so."""
    shown = page(html)
    return shown, ~starting(shown, TITLE), starting(shown, *words)


FORM = "<form><input type=email><button>OK</button></form>"


@pytest.mark.parametrize(
    ("box", "out"),
    [
        (f"<div class=x1><h3>Our letter</h3><p>News of the day, at seven.</p>{FORM}</div>", 2),
        (f"<div><div><h3>رسالتنا</h3><p>أهم أخبار اليوم كل صباح.</p></div><div>{FORM}</div></div>", 2),
        (f"<div><p>จดหมายข่าวของเรา</p>{FORM}</div>", 1),
        (f"<h3>Our letter</h3><p>News of the day.</p>{FORM}", 0),
        (f"<div><h3>The bridge</h3><p>{SAID * 4}</p>{FORM}</div>", 0),
        ("<div><h3>The bridge</h3><p>It is shut.</p><button>OK</button></div>", 0),
    ],
    ids=["letter", "letter, in two", "unspaced", "no box", "a part of the text", "no form"],
)
def test_a_small_box_with_a_form_in_it_is_none_of_the_text(box: str, out: int) -> None:
    """With any classes; nor are the text around it and longer parts of it taken for such a box."""
    shown, chosen, _ = of_text(article(box))
    chosen &= ~starting(shown, "OK")
    assert boilerplate.asking(shown, chosen).sum() == out
    around, chosen, _ = of_text(f"<form>{article('')}<button>OK</button></form>")
    assert not boilerplate.asking(around, chosen).any()


@pytest.mark.parametrize(
    ("name", "out"),
    [
        *[
            (name, True)
            for name in ("donation-box", "app-download", "weather-widget", "stock-ticker", "promoBox", "vjs-no-js")
        ],
        *[(name, True) for name in ("paywall-banner", "wprm-call-to-action", "cta-block", "newsletter-form")],
        *[(name, False) for name in ("paywall-content", "weather", "donations", "action-box", "promo-text")],
    ],
)
def test_boxes_that_are_named_for_what_is_no_article_are_out(name: str, *, out: bool) -> None:
    """As for gifts, weather, shares and programs; what hides the text until it is paid for is named otherwise."""
    shown, chosen, box = of_text(article(f"<div class='{name}'><p>Give what you can.</p></div>"), "Give")
    assert (boilerplate.widgets(shown, chosen) == box).all() == out


@pytest.mark.parametrize(
    ("body", "out"),
    [
        (f"<h1>{TITLE}</h1><p>{SAID}</p>{{}}", 1),
        (f"<p>{SAID}</p>{{}}", 0),
        (f"<h1>{TITLE}</h1>{{}}<p>{SAID}</p>", 1),
        (f"{{}}<p>{SAID}</p><h1>{TITLE}</h1>", 0),
        (f"<h1>{TITLE}</h1><p>By Ann Lee</p>{{}}", 0),
    ],
    ids=["below the text", "no headline", "above the text", "text above the headline", "below a label"],
)
@pytest.mark.parametrize(
    "about", ["Ann Lee writes about rivers and bridges. " * 3, "แอนลีเขียนเรื่องแม่น้ำและสะพานทุกสัปดาห์ " * 3]
)
def test_a_box_beside_a_short_article_is_out_though_it_is_longer(about: str, body: str, out: int) -> None:
    """As about the author; a long box may be the article, with any name."""
    for length, expected in ((1, out), (20, 0)):
        shown, chosen, _ = of_text(body.format(f"<div class='author-bio'><p>{about * length}</p></div>"))
        assert boilerplate.widgets(shown, chosen).sum() == expected


LONG_THAI = "ชาวบ้านในย่านทางเหนือซึ่งใช้สะพานทุกวันเพื่อไปตลาดและโรงพยาบาลกล่าวว่าพวกเขาได้ยินเรื่องแผนนี้จากวิทยุเท่านั้น"
LONG_LAO = "ຊາວບ້ານໃນຄຸ້ມທາງເໜືອທີ່ໃຊ້ຂົວທຸກມື້ເພື່ອໄປຕະຫຼາດແລະໂຮງໝໍກ່າວວ່າພວກເຂົາໄດ້ຍິນເລື່ອງແຜນການນີ້ຈາກວິທະຍຸເທົ່ານັ້ນເອງ"


@pytest.mark.parametrize(
    ("linked", "out"),
    [
        (LONG_THAI, 0),
        (LONG_LAO, 0),
        (LONG_THAI[:60], 1),
        (f"{LONG_THAI[:60]}<br>{LONG_THAI[60:]}", 1),
        (SAID, 0),
        (SAID.rstrip(". "), 1),
    ],
)
def test_a_linked_sentence_is_text_in_scripts_without_full_stops_too(linked: str, out: int) -> None:
    """There its length decides. Two linked headlines in one block are no sentence."""
    shown = page(article(f"<p><a href=/1>{linked}</a></p>"))
    assert boilerplate.links(shown, ~starting(shown, TITLE)).sum() == out


def test_a_text_is_read_without_the_boxes_in_it() -> None:
    """All the way from the page."""
    box = f"<div class=x1><h3>Our letter</h3><p>News of the day in your inbox, at seven.</p>{FORM}</div>"
    found = selection.extract(f"<title>{TITLE}</title><body>{article(box)}</body>")
    assert set(found.paragraphs) == {(SAID * 2).strip()}


@pytest.mark.parametrize(
    ("attribute", "read"), [("placeholder", False), ("fallback", False), ("placeholder=Write", True)]
)
def test_what_stands_in_until_something_is_loaded_is_out(attribute: str, *, read: bool) -> None:
    """As elements of AMP have it; those that may be written in name what they are for."""
    found = selection.extract(f"<title>{TITLE}</title><body>{article(f'<div {attribute}>It comes soon.</div>')}</body>")
    assert ("It comes soon." in found.paragraphs) is read


CARD = "<div class=also><p>{0}</p><p><a href=/1>The bridge is shut</a></p></div>"
LINK = "<a href=/1>The bridge is shut</a>"


@pytest.mark.parametrize("label", ["Read also", "Baca juga", "Читайте также", "بیشتر بخوانید"])
@pytest.mark.parametrize(
    ("first", "below", "out"),
    [
        ("<p>{1}</p>", f"{CARD}<p>{{1}}</p>" * 3, 0),
        ("<p>{1}</p>", f"<aside><h4>{{0}}</h4>{LINK}</aside><p>{{1}}</p>" * 3, 0),
        ("<p class=lead>{1}</p>", f"<h4>{{0}}</h4>{LINK}<p>{{1}}</p>{LINK}<p>{{1}}</p>", 0),
        ("<section><p>{1}</p></section>", f"{CARD}<section><p>{{1}}</p></section>" * 3, 0),
        ("<header><p>{1}</p></header>", f"<div>{CARD}<p>{{1}}</p>{CARD}<p>{{1}}</p></div>", 0),
        ("<p>{1}</p>", "<h4>{0}</h4>" + f"<div class=item>{LINK}<p>The ferries stay.</p></div>" * 3, 3),
        ("<p>{1}</p>", "<h4>{0}</h4><ul>" + f"<li>{LINK}</li><li>The ferries stay.</li>" * 3 + "</ul>", 3),
    ],
    ids=["cards", "asides", "one label", "rows", "text in two parts", "teasers", "teasers in rows"],
)
def test_text_below_a_card_of_a_link_stays_and_teasers_go(first: str, below: str, out: int, label: str) -> None:
    """A paragraph below a card looks like the line of a teaser. Its place, its make or a second label tell."""
    shown = page(f"<h1>{TITLE}</h1><article>{(first + below).format(label, SAID * 2)}</article>")
    chosen = (shown.link < 0.5) & ~starting(shown, TITLE, label)
    assert boilerplate.elsewhere(shown, chosen).sum() == out


P, H, L, Q = ParagraphKind.PARAGRAPH, ParagraphKind.HEADING, ParagraphKind.ITEM, ParagraphKind.QUOTE


@pytest.mark.parametrize(
    ("line", "kind", "out"),
    [
        ("Read also: The minister resigns after a vote", P, True),
        ("READ MORE | Who will pay for the bridge?", L, True),
        (">> Xem thêm: Nước sông lên", P, True),
        ("اقرأ أيضاً: رئيس الوزراء يستقيل", P, True),
        ("قراءة المزيد من الكتب عادة جيدة", P, False),
        ("Читайте также: Премьер ушёл в отставку", P, True),
        ("Read also", H, True),
        ("Read also the second chapter, he said.", P, False),
        ("Read also: The minister resigns", Q, False),
        ("- Quảng cáo -", P, True),
        ("Quảng cáo ngoài trời tăng mạnh", P, False),
        ("Advertisement", H, False),
        ("Copy link", P, True),
        ("Copy link by link, she went through the list.", P, False),
        ("HABERİ PAYLAŞ", P, True),
        ("***", P, False),
        ("© 2026 The Morning Post. All rights reserved.", P, True),
        ("Copyright © 2026 Ann Lee", L, True),
        ("Copyright 2026 The Agency. This report may not be published again.", P, True),
        ("(c) 2026 Bản quyền thuộc về tòa soạn", P, True),
        ("Copyright law was the topic of the day.", P, False),
        ("(c) the third point of the list", P, False),
        ("Copy link " * 30, P, False),
    ],
)
def test_a_line_is_boilerplate_only_by_a_whole_label_or_all_of_its_words(
    line: str, kind: ParagraphKind, *, out: bool
) -> None:
    """In any typing of its letters; a heading or a quotation may be such words."""
    text = [(f"{number}. The water stood three hands above the mark." * 3, P) for number in range(5)]
    found = boilerplate.without_lines([*text, (line, kind)])
    assert found == (text if out else [*text, (line, kind)])


def test_a_text_that_is_mostly_such_lines_keeps_them() -> None:
    """A page may consist of links with labels."""
    text = [("Read also: The minister resigns after a vote", P), ("The water rose.", P)]
    assert boilerplate.without_lines(text) == text


@pytest.mark.parametrize(
    "linked",
    [
        "Գետի ջուրը շատ է բարձրացել այս շաբաթ, և գյուղի բնակիչները տեղափոխվել են ավելի բարձր վայրեր։",
        "ទឹកទន្លេឡើងខ្ពស់ណាស់សប្តាហ៍នេះ៕",
        "မြစ်ရေသည်ယခုအပတ်တွင်အလွန်မြင့်တက်ခဲ့သည်။",
        "གཙང་པོའི་ཆུ་ཧ་ཅང་མཐོ་རུ་ཕྱིན་སོང་།",
        "नदी का पानी बहुत ऊपर आ गया है और गाँव के लोग ऊँची जगह चले गए हैं।",
        "የወንዙ ውሃ በዚህ ሳምንት በጣም ከፍ ብሏል፣ የመንደሩ ነዋሪዎችም ወደ ከፍታ ቦታ ሄዱ።",
        "ارتفعت مياه النهر كثيرا هذا الأسبوع فهل ينتقل سكان القرية إلى مكان أعلى؟",
        "دریا کا پانی اس ہفتے بہت اوپر آ گیا ہے اور گاؤں کے لوگ اونچی جگہ چلے گئے ہیں۔",
        "河水本周涨得非常高，村民已经搬到更高的地方。",
        "ᠭᠣᠣᠯ ᠤᠨ ᠤᠰᠤ ᠶᠡᠬᠡ ᠦᠨᠳᠦᠷ ᠪᠣᠯᠪᠠ ᠃",
        "ᱜᱟᱰᱟ ᱫᱟᱜ ᱟᱹᱰᱤ ᱪᱮᱛᱟᱱ ᱮᱱᱟ᱾",
    ],
)
def test_a_linked_sentence_is_text_with_the_stop_of_its_script_as_with_a_full_stop(linked: str) -> None:
    """The stop of a script counts as "." does, and without either the line is a link."""
    outs = []
    for end in (linked, f"{linked[:-1]}.", linked[:-1].rstrip()):
        shown = page(article(f"<p><a href=/1>{end}</a></p>"))
        outs.append(int(boilerplate.links(shown, ~starting(shown, TITLE)).sum()))
    assert outs == [0, 0, 1]
