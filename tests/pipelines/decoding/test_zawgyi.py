"""Burmese in the font encoding Zawgyi, and Vietnamese with an Icelandic letter."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.decoding import zawgyi
from pipelines.decoding.vietnamese_codecs import with_stroke
from pipelines.page.process import process
from storage.records import Capture, SiteModel

PAIRS = (
    ("တံတားအသစ္ကို လာမည့္အပတ္တြင္ ဖြင့္လွစ္မည္ျဖစ္သည္။", "တံတားအသစ်ကို လာမည့်အပတ်တွင် ဖွင့်လှစ်မည်ဖြစ်သည်။"),
    ("ေက်ာင္းသားမ်ားသည္ တနလၤာေန႔တြင္ ျပန္လည္ေရာက္ရွိသည္။", "ကျောင်းသားများသည် တနင်္လာနေ့တွင် ပြန်လည်ရောက်ရှိသည်။"),
    ("ၿမိဳ႕နယ္ေကာင္စီက ေၾကညာခဲ့သည္။", "မြို့နယ်ကောင်စီက ကြေညာခဲ့သည်။"),
    ("ကုန္သည္ႀကီးမ်ားက ဝမ္းသာေၾကာင္း ေျပာၾကားသည္။", "ကုန်သည်ကြီးများက ဝမ်းသာကြောင်း ပြောကြားသည်။"),
)
OTHERS = {
    "Burmese": " ".join(unicode for _, unicode in PAIRS),
    "Shan": "ၵူၼ်းတႆးၸိူဝ်းယူႇၸႂ်ႉတိုဝ်းၼႂ်းမိူင်းတႆးၼၼ်ႉ ၽွမ်ႉၵၼ်ၸတ်းပွႆးပီမႂ်ႇ",
    "Mon": "ဂကောံမန်ဂှ် ကၠောန်ဗဒှ်ကမၠောန် သွက်ဂွံမင်မွဲအရေဝ်ဘာသာ ကဵုလိက်ပတ်မန် ဂၞုၚ်ဂၞာဲ",
    "Karen": "ပှၤကိးဂၤဒဲး အိၣ်ဖျဲၣ်ထီၣ်လၢ အိၣ်ဒီးခွဲးယာ်တဖၣ်လၢ တၢ်ထဲသိးတုၤသိးအဂီၢ်",
    "Pali": "ဗုဒ္ဓံ သရဏံ ဂစ္ဆာမိ ဓမ္မံ သရဏံ ဂစ္ဆာမိ",
}


@pytest.mark.parametrize(("typed", "meant"), PAIRS)
def test_zawgyi_becomes_unicode(typed: str, meant: str) -> None:
    """Letters get the order of speech, and the code points of Unicode."""
    assert zawgyi.to_unicode(typed) == meant


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_unicode_stays(text: str) -> None:
    """Languages in Burmese letters, also alone on a page."""
    assert zawgyi.reread(f"<p>{text}</p>" * 5) == f"<p>{text}</p>" * 5


def test_one_typing_error_does_not_convert_a_page() -> None:
    """A vowel typed before its consonant is no other encoding."""
    page = f"<p>{OTHERS['Burmese']} ေတာင် {OTHERS['Burmese']}</p>"
    assert zawgyi.reread(page) == page


def test_each_part_of_a_mixed_page_is_read_in_its_encoding() -> None:
    """Menus are in Unicode, articles of before 2019 in Zawgyi, and attributes too."""
    typed, meant = " ".join(typed for typed, _ in PAIRS), " ".join(meant for _, meant in PAIRS)
    page = '<nav>{0}</nav><meta content="{1}"><p>{1}</p><p class="a">{2}</p>'
    menu = "မြန်မာ့သတင်းများ ဖတ်ရှုရန်"
    assert zawgyi.reread(page.format(menu, typed, "သတင္း")) == page.format(menu, meant, "သတင်း")


def test_a_page_in_zawgyi_is_a_burmese_document() -> None:
    """It was Shan at 1.0, and was dropped where only Burmese was wanted."""
    body = "".join(f"<p>{typed} {other}</p>" for typed, _ in PAIRS for other, _ in PAIRS)
    page = f'<html lang="my"><title>{PAIRS[2][0]}</title><article><h1>{PAIRS[2][0]}</h1>{body}</article>'
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    capture = Capture("https://a.example/1", datetime(2026, 11, 28, tzinfo=UTC), 200, (), headers, page.encode())
    made = process(capture, SiteModel(hosts=("a.example",), languages=("my",))).document
    assert made is not None
    assert made.language.language == "my"
    assert made.metadata.title == PAIRS[2][1]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("<p>Chủ tịch HÐND thành phố Ðà Nẵng</p>", "<p>Chủ tịch HĐND thành phố Đà Nẵng</p>"),
        ("<p>Cuộc họp ðã kết thúc vào buổi chiều.</p>", "<p>Cuộc họp đã kết thúc vào buổi chiều.</p>"),
        ("<p>VEÐUR: Spáð er rigningu. Nguyễn Văn An er læknir, og það.</p>", None),
        ("<p>Ðuro Ðaković</p>", None),
    ],
)
def test_an_icelandic_letter_is_repaired_in_vietnamese_only(typed: str, meant: str | None) -> None:
    """The capitals look the same, and old keyboards confuse them."""
    assert with_stroke(typed) == (meant or typed)
