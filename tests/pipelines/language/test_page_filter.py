"""The cheap filter of pages by language."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.language.page_filter import may_have
from tests.pipelines.language_samples import SENTENCES

TEXTS = {
    "vi": "Ủy ban nhân dân thành phố vừa công bố kế hoạch xây dựng cây cầu mới qua sông trong năm tới.",
    "en": "The city council has announced a plan for a new bridge across the river in the coming year.",
    "ar": "أعلن مجلس المدينة عن خطة لبناء جسر جديد فوق النهر خلال العام المقبل بحسب بيان رسمي.",
    "fa": "شورای شهر از برنامه‌ای برای ساخت پل تازه‌ای بر روی رودخانه در سال آینده خبر داد.",
    "ur": "شہری کونسل نے آئندہ سال دریا پر ایک نیا پل تعمیر کرنے کے منصوبے کا اعلان کیا ہے۔",
    "he": "מועצת העיר הודיעה על תוכנית לבניית גשר חדש מעל הנהר בשנה הקרובה, כך נמסר אתמול.",
    "th": "สภาเมืองประกาศแผนการสร้างสะพานใหม่ข้ามแม่น้ำในปีหน้า",
    "my": "မြို့တော်ကောင်စီက လာမည့်နှစ်တွင် မြစ်ကူးတံတားအသစ် ဆောက်လုပ်မည်ဟု ကြေညာခဲ့သည်။",
    "id": "Dewan kota mengumumkan rencana pembangunan jembatan baru yang melintasi sungai pada tahun depan.",
    "zh": "市议会宣布计划明年在河上修建一座新桥，以缓解两岸居民的交通压力。",
}


ENGLISH_PAGE = "".join(f"<p>{TEXTS['en']} ({number})</p>" for number in range(1000))


def page(text: str, menu: str = "", times: int = 12) -> str:
    return f"<html><head><script>var a = '<p>{menu}</p>';</script></head><body><nav>{menu}</nav><p>{text * times}</p>"


@pytest.mark.parametrize("language", TEXTS)
def test_a_page_passes_for_its_own_language(language: str) -> None:
    """Also below a menu in another one, and with its letters as entities."""
    text = TEXTS[language]
    assert may_have(page(text), (language,))
    assert may_have(page(text, TEXTS["en"] * 3), (language,))
    assert may_have(page("".join(f"&#{ord(letter)};" for letter in text)), (language,))


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("wanted", ["vi", "th", "he", "my"])
def test_a_page_in_another_language_does_not(language: str, wanted: str) -> None:
    """Scripts and words decide. What stands in scripts is no text."""
    if language != wanted:
        assert not may_have(page(TEXTS[language]), (wanted,))


@pytest.mark.parametrize("html", ["", "<p>12,5</p>", "<script>x</script>", "<p>✓✓✓</p>"])
def test_a_page_without_known_words_passes(html: str) -> None:
    """Nothing is known of its language, so the page function decides."""
    assert may_have(html, ("vi",))


@pytest.mark.parametrize("pair", [("id", "ms"), ("ur", "pnb"), ("my", "shn")])
def test_a_page_passes_for_a_close_neighbour(pair: tuple[str, str]) -> None:
    """A detector confuses them, and the whole text decides later."""
    assert may_have(page(TEXTS[pair[0]]), (pair[1],))


def test_every_page_passes_for_a_language_that_no_detector_knows() -> None:
    """Chakma in Latin letters is one. The whole text decides."""
    assert may_have(page(TEXTS["en"]), ("ccp",))


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_in_a_long_page_of_another_language_is_found(language: str) -> None:
    """A few lines below a thousand comments have no share of the page."""
    for sentence in SENTENCES[language]:
        assert may_have(f"<html lang='en'>{ENGLISH_PAGE}<p>{sentence} {sentence}</p>{ENGLISH_PAGE}", (language,))


@pytest.mark.parametrize("language", ["vi", "th", "zh"])
def test_a_name_in_another_language_is_no_text(language: str) -> None:
    """A menu names the languages of a site."""
    assert not may_have(f"{ENGLISH_PAGE}<a>{TEXTS[language][:12]}</a>{ENGLISH_PAGE}", (language,))


@pytest.mark.parametrize("stated", ["en", "de", "zh", "vi"])
def test_what_the_page_states_decides_nothing(stated: str) -> None:
    """Many servers state one language for all pages."""
    head = f"<html lang='{stated}' xml:lang='{stated}'><meta http-equiv='content-language' content='{stated}'>"
    assert may_have(f"{head}{page(TEXTS['vi'])}", ("vi",))
    assert may_have(f"{head}{page(TEXTS['fa'])}", ("fa",))
    assert not may_have(f"{head}{page(TEXTS['ar'])}", ("vi",))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("vi", "Uy ban nhan dan thanh pho vua cong bo ke hoach xay dung cay cau moi qua song trong nam toi."),
        ("ku", "Parlamentoya herêmê îro civiya û qanûna nû ya perwerdehiyê bi piraniya dengan pejirand."),
        ("fa", "ﺷﻬﺮﺩﺍﺭﯼ ﺗﻬﺮﺍﻥ ﺍﻋﻼﻡ ﮐﺮﺩ ﺧﻂ ﺗﺎﺯﻩ ﻣﺘﺮﻭ ﺗﺎ ﭘﺎﯾﺎﻥ ﺳﺎﻝ ﺑﻪ ﺑﻬﺮﻩ ﺑﺮﺩﺍﺭﯼ ﻣﯽ ﺭﺳﺪ ﻭ ﻣﺮﺩﻡ ﺧﻮﺷﺤﺎﻝ ﺍﻧﺪ"),
        ("ur", "ﻻﮨﻮﺭ ﻣﯿﮟ ﺩﮬﻨﺪ ﮐﮯ ﺑﺎﻋﺚ ﻣﻮﭨﺮﻭﮮ ﮐﻮ ﭨﺮﯾﻔﮏ ﮐﮯ ﻟﯿﮯ ﺑﻨﺪ ﮐﺮ ﺩﯾﺎ ﮔﯿﺎ ﮨﮯ"),
    ],
)
def test_forms_that_the_detector_does_not_know_pass(language: str, text: str) -> None:
    """Vietnamese without marks, Kurdish in Latin letters, presentation forms of Arabic letters."""
    assert may_have(page(text), (language,))


@pytest.mark.parametrize(
    "before",
    ["<!-->", "<!--[if !IE]><!-->", "<script>a<b</script >", "<script>'<p>'</script\n>", "<script>'<!--'</script>",
     "<a title='a>b'>", "<noscript>", "<title>", "1 < 2 ", "\0", "\x85", "\ufffe", "\ud800", "\U0001ffff"],
)  # fmt: skip
def test_markup_and_dirt_hide_no_text(before: str) -> None:
    """What follows is read, in a page of another language too."""
    assert may_have(f"{ENGLISH_PAGE}{before}<p>{TEXTS['vi'] * 3}</p>", ("vi",))


@pytest.mark.parametrize("around", ["<script>{}</script>", "<style>{}</style>", "<!-- {} -->", "<p title='{}'>"])
def test_what_no_reader_sees_is_no_text(around: str) -> None:
    """So a page in another language does not pass."""
    assert not may_have(f"{ENGLISH_PAGE}{around.format(TEXTS['vi'] * 3)}", ("vi",))


@pytest.mark.parametrize(
    "part", ["<script>", "<", "<!--", "<style><", "&#1;", "&", "<p", ">", "<svg><", "\0", "ﺷ", "é<"]
)
def test_a_megabyte_of_tags_takes_linear_time(part: str) -> None:
    """No reading goes back to an earlier place."""
    started = time.process_time()
    may_have(part * (2**20 // len(part)), ("vi",))
    assert time.process_time() - started < 20


@given(st.text(alphabet="<>/!-&;#xscript ab\0\ud800é", max_size=200))
def test_no_markup_stops_it(html: str) -> None:
    """Each input has an answer."""
    assert isinstance(may_have(html, ("vi",)), bool)
