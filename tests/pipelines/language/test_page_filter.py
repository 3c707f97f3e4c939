"""The cheap filter of pages by language."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.language.page_filter import MAX_SAMPLE, may_have, visible_text

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


@pytest.mark.parametrize("part", ["<script>", "<", "<!--", "<style><", "&#1;", "&", "<p", ">", "<svg><"])
def test_a_megabyte_of_tags_takes_linear_time(part: str) -> None:
    """No pattern goes back to an earlier place."""
    started = time.process_time()
    assert len(visible_text(part * (2**20 // len(part)))) <= 8 * MAX_SAMPLE
    assert time.process_time() - started < 20


@given(st.text(alphabet="<>/!-&;#xscript ab", max_size=200))
def test_no_markup_stops_it(html: str) -> None:
    """Each input gives some text."""
    assert isinstance(visible_text(html), str)
