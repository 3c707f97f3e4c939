"""What stands in an article and is not its text: captions, appeals, tickers, and bodies that subscribers alone see."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.page.process import process
from storage.records import Capture, Processed, SiteModel

PROSE = {
    "vi": "Tuyến xe điện đầu tiên của thị xã chạy thử từ sáng thứ hai, và hành khách đi miễn phí đến hết tháng này.",
    "ar": "بدأت أول حافلة كهربائية في المدينة رحلاتها التجريبية صباح الاثنين، والركوب مجاني حتى نهاية هذا الشهر.",
    "th": "รถเมล์ไฟฟ้าสายแรกของเมืองเริ่มวิ่งทดลองเมื่อเช้าวันจันทร์ และผู้โดยสารขึ้นได้โดยไม่เสียค่าโดยสารจนถึงสิ้นเดือนนี้",
    "he": "האוטובוס החשמלי הראשון בעיר יצא לנסיעת מבחן בבוקר יום שני, והנסיעה בו תהיה חינם עד סוף החודש.",
    "ru": "Первый в городе электробус вышел на линию утром в понедельник, и проезд в нём бесплатный до конца месяца.",
}
ASIDE = {
    "vi": "Hành khách lên xe ở bến cũ hôm thứ hai",
    "ar": "ركاب يصعدون إلى الحافلة يوم الاثنين",
    "th": "ผู้โดยสารขึ้นรถที่ท่ารถเก่าเมื่อวันจันทร์",
    "he": "נוסעים עולים לאוטובוס ביום שני",
    "ru": "Пассажиры у старой станции в понедельник",
}
CAPTIONS = (
    "<p><img src=/i.jpg></p><p><em>{}</em></p>",
    "<p style='text-align:center'><img src=/i.jpg><br><em>{}</em></p>",
    "<p><a href=/big><img src=/i.jpg></a></p><p><i>{}</i></p>",
    "<img src=/i.jpg><p class='caption'>{}</p>",
    "<div><img src=/i.jpg></div><div><em>{}</em></div>",
)
APPEALS = (
    "<div class=box><p>{}</p><a href=/donate>1</a></div>",
    "<p><a href=https://a.example/support-us?from=article>{}</a></p>",
    "<div><p>{}</p><a href=/privacy-policy>1</a></div>",
)
TICKERS = (
    "<marquee>{0} {0}</marquee>",
    "<div role=marquee><span>{0}</span> <span>{0}</span></div>",
    "<div role=complementary><p>{0}. {0}.</p></div>",
)
TEXTS = (
    "<p><em>{}</em></p>",
    "<p><img src=/i.jpg> {}</p>",
    "<p><img src=/i.jpg></p><p>{}</p>",
    "<p>{} <a href=/donate>1</a></p>",
)
HIDDEN = (
    "<div style='display:none'>{}</div>",
    "<div class=more hidden>{}</div>",
    "<div class='paywall-content' aria-hidden=true>{}</div>",
    "<div class='is-hidden subscribers'>{}</div>",
)
LOCKED = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "x", "isAccessibleForFree": false}'
    "</script>"
)


def read(language: str, middle: str, head: str = "") -> Processed:
    """Process an article with something in its middle."""
    prose = [f"<p>{number}. {PROSE[language]} {PROSE[language]}</p>" for number in range(4)]
    title = PROSE[language][:40]
    body = "".join([*prose[:2], middle, *prose[2:]])
    page = f"<title>{title}</title>{head}<main><article><h1>{title}</h1>{body}</article></main>"
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    at = datetime(2026, 3, 9, tzinfo=UTC)
    return process(Capture("https://a.example/1", at, 200, (), headers, page.encode()), SiteModel(("a.example",)))


@pytest.mark.parametrize("language", PROSE)
@pytest.mark.parametrize("form", [*CAPTIONS, *APPEALS, *TICKERS])
def test_what_is_beside_the_text_is_not_in_it(form: str, language: str) -> None:
    """The text before and after it stays whole, and a caption is kept as one."""
    made = read(language, form.format(ASIDE[language])).document
    assert made is not None
    assert ASIDE[language] not in made.text
    assert made.text.count(PROSE[language]) == 8
    assert (form in CAPTIONS) == (ASIDE[language] in made.captions)


@pytest.mark.parametrize("language", PROSE)
@pytest.mark.parametrize("form", TEXTS)
def test_what_only_looks_like_a_caption_or_an_appeal_is_text(form: str, language: str) -> None:
    """Italics without a picture, a paragraph with or after a picture, and prose with such a link."""
    made = read(language, form.format(PROSE[language])).document
    assert made is not None
    assert made.text.count(PROSE[language]) == 9


@pytest.mark.parametrize("head", ["", LOCKED], ids=["not stated", "stated"])
@pytest.mark.parametrize("form", HIDDEN)
@pytest.mark.parametrize("language", PROSE)
def test_a_body_that_subscribers_alone_see_is_the_text_or_a_paywall(language: str, form: str, head: str) -> None:
    """Its first paragraph alone is never stored as the article."""
    hidden = "".join(f"<p>{number}. {PROSE[language]} {PROSE[language]}</p>" for number in range(6))
    title = PROSE[language][:40]
    first = f"<p>{PROSE[language]}</p><div class='subscribe-box'><p>{ASIDE[language]}</p><a href=/s>1</a></div>"
    page = f"<title>{title}</title>{head}<main><article><h1>{title}</h1>{first}{form.format(hidden)}</article></main>"
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    capture = Capture("https://a.example/1", datetime(2026, 3, 9, tzinfo=UTC), 200, (), headers, page.encode())
    made = process(capture, SiteModel(("a.example",)))
    whole = made.document is not None and made.document.text.count(PROSE[language]) >= 12
    assert whole or (made.drop is not None and made.drop.reason == "paywall")
