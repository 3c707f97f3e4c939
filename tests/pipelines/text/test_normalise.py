"""Normalisation: stored text is clean and complete, canonical text is the same for all copies."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text import normalise
from pipelines.text.normalise import canonical_text, clean, clean_value, nfc, whole_letters

if TYPE_CHECKING:
    import regex

SENTENCES = {
    "vi": "Thủ tướng Chính phủ yêu cầu các bộ, ngành và địa phương tập trung chỉ đạo.",
    "ar": "أعلنت وزارة النقل عن تشغيل عشر سيارات كهربائية، خلال الأسبوع المقبل.",
    "fa": "نمی‌دانم که کتاب‌های تازه کجا هستند؟",
    "ur": "وزیراعظم نے کہا کہ حکومت نئے منصوبے پر کام کر رہی ہے۔",
    "ps": "د افغانستان د بهرنیو چارو وزارت وایي چې خبرې به پیل شي.",
    "ckb": "حکوومەتی هەرێمی کوردستان ڕایگەیاند کە پڕۆژەکە دەست پێدەکات.",
    "he": 'ראש הממשלה אמר היום: "התוכנית תקודם".',
    "th": "นายกรัฐมนตรีกล่าวว่ารัฐบาลจะเร่งดำเนินการ",
    "lo": "ນາຍົກລັດຖະມົນຕີກ່າວວ່າ ລັດຖະບານຈະດຳເນີນການ",
    "ru": "Её слова — «ничего нового», сказал он.",
    "fr": "Où est l’été ? « À Noël », dit-elle…",
    "pt": "A NAÇÃO É ASSIM: ÂNCORA, ÁÉÍÓÚ.",
    "hi": "प्रधानमंत्री ने कहा कि सरकार काम करेगी।",
    "zh": "总理表示，明年的预算将继续支持经济发展。",
    "emoji": "family 👨‍👩‍👧 and flag 🇻🇳",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_clean_text_stays_as_it_is(language: str) -> None:
    """Honest text in any script comes back unchanged: no letter folded, no joiner lost."""
    sentence = unicodedata.normalize("NFC", SENTENCES[language])
    assert clean(sentence) == sentence


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\u00a0b\u3000c\u2009d\te", "a b c d e"),
        ("  a   b  \n   c  ", "a b\nc"),
        ("a\r\nb\rc\u2028d\x0be\x85f", "a\nb\nc\nd\ne…f"),
        ("a\n\n\n \n\nb", "a\n\nb"),
        ("so\u00adft hy\u00adphen", "soft hyphen"),
        ("zero\u200b width\ufeff\u2060", "zero width"),
        ("\u202bשלום\u202c \u2067עולם\u2069\u200f", "שלום עולם"),
        ("nul\0 bell\a esc\x1b", "nul bell esc"),
        ("half \ud83d\ude00 pair \udc00", "half 😀 pair"),
        ("non\ufdd0char\uffff\U0001fffe", "nonchar"),
        (unicodedata.normalize("NFD", "Việt Nam"), "Việt Nam"),
        ("نمی\u200cدانم", "نمی\u200cدانم"),
        ("กำลัง", "กำลัง"),
        ("ﬁn", "ﬁn"),
        ("ﻻ", "ﻻ"),
        ("", ""),
        (" \n\t\0", ""),
    ],
)
def test_what_is_no_text_goes(text: str, cleaned: str) -> None:
    """Controls, invisible formatting and odd spaces go or become plain ones; compatibility forms stay."""
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("language", "codec"),
    [*((language, "latin-1") for language in ("vi", "fr", "ru", "he", "pt")), ("fr", "cp1252"), ("ru", "cp1251")],
)
def test_utf8_that_was_read_as_something_else_is_repaired(language: str, codec: str) -> None:
    """Mojibake of a whole line comes back as it was written."""
    sentence = SENTENCES[language].replace("И", "и").replace("à", "a").replace("À", "A").replace("Á", "A")
    broken = sentence.encode().decode(codec)
    assert broken != sentence
    assert clean(f"Before\n{broken}\nبعد") == f"Before\n{sentence}\nبعد"


@pytest.mark.parametrize(
    "text",
    [
        "أعلنت وزارة النقل عن تشغيل عشر سيارات كهربائية خلال الأسبوع المقبل",
        "وزارت راه اعلام کرد که ده خودروی برقی از هفته آینده به کار گرفته می‌شود",
        "حکومت نے کہا ہے کہ نئے منصوبے شروع کیے جائیں گے",
    ],
)
def test_utf8_that_was_read_as_arabic_windows_is_repaired(text: str) -> None:
    """The commonest damage to Arabic, Persian and Urdu; the same text undamaged stays as it is."""
    assert clean(text.encode().decode("cp1256")) == text
    assert clean(f"{text} «{text}» – 25°") == f"{text} «{text}» – 25°"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("&#1587;&#1604;&#1575;&#1605; دنیا", "سلام دنیا"),
        ("H&#xE0; N&#x1ED9;i &#273;&#7865;p", "Hà Nội đẹp"),
        ("Write &#169; for the sign.", "Write &#169; for the sign."),
        ("&#60;b&#62; and &#34;", "&#60;b&#62; and &#34;"),
    ],
)
def test_references_that_were_escaped_twice_are_read(text: str, cleaned: str) -> None:
    """Letters written as numbers, and those escaped again, are letters; a few in a text about them, and ASCII, stay."""
    assert clean(text) == cleaned


def test_a_scrap_of_mojibake_is_repaired_in_place() -> None:
    """The marks that remain when a page mixes two encodings are read as what they were."""
    assert clean("the iPhone 7 â\x80\x94 something, thatâ€™s it") == "the iPhone 7 — something, that’s it"


LETTERS = st.text(
    alphabet=st.characters() | st.sampled_from("ÃÂâ€™\x80\x9d\u200b\u00ad \u00a0\n\r\t\u0301ạกำ\ud800\udc00\u0640"),
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(LETTERS)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    """clean is idempotent, and its result is NFC, storable and free of controls."""
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    cleaned.encode("utf-8")
    assert not any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in cleaned if letter != "\n")
    assert "  " not in cleaned
    assert "\n\n\n" not in cleaned


@settings(max_examples=200, deadline=None)
@given(
    words=st.lists(st.text(alphabet="abcđạกחبя中", min_size=1, max_size=5), min_size=1, max_size=8),
    separators=st.lists(
        st.text(alphabet=" \t\n\r\xa0\u3000\u2028\x0b\x0c\x1f", min_size=1, max_size=3), min_size=8, max_size=8
    ),
)
def test_words_never_grow_together(words: list[str], separators: list[str]) -> None:
    """Words stay apart after any white space between them."""
    text = "".join(word + separator for word, separator in zip(words, separators, strict=False))
    assert clean(text).split() == [unicodedata.normalize("NFC", word) for word in words]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Hà Nội, 30-4-2026!", "hànôị3042026"),
        ("STRASSE Straße", "strassestrasse"),
        ("ΣΟΦΟΣ σοφός", "σοφοσσοφόσ"),
        ("Привет, МИР", "приветмир"),
        ("كِتَابٌ جـــديد", "کتابجدید"),
        ("ﻻ ﻣﺸﻜﻠﺔ", "لامشکله"),
        ("نمی\u200cدانم؟", "نمیدانم"),
        ("يۍ ئ ې ی", "یۍیېی"),
        ("كتاب علي", "کتابعلی"),
        ("ہم یہاں", "همیهاں"),
        ("که\u200cرکوک", "کهرکوک"),
        ("کەرکوک", "کهرکوک"),
        ("שָׁלוֹם", "שלום"),
        ("กำลัง ทำงาน", "กําลังทํางาน"),
        ("ກຳລັງ", "ກໍາລັງ"),
        ("हिन्दी में", "हिन्दीमें"),
        ("中国，２０２６年ＡＢＣ", "中国2026年abc"),
        ("ﬁn de l’année", "findelannée"),
        ("… — !", ""),
        ("İzmir I\u0307zmir i\u0307zmir İ\u0320", "izmirizmirizmiri\u0320\u0307"),
        ("șapte s\u0326apte ß\u0326 țară ţară", "şapteşaptesşţarăţară"),
        ("ｶﾞｽ ﾡￂ Œuvre ﷲ ໜາ װ ﬁﬃ", "ガス가oeuvreاللهຫນາווfiffi"),
    ],
)
def test_canonical_text_by_script(text: str, canonical: str) -> None:
    """What counts as the same text, script by script."""
    assert canonical_text(text) == unicodedata.normalize("NFC", canonical)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_canonical_text_does_not_see_form_or_spacing(text: str) -> None:
    """NFC or NFD, with other spaces and punctuation, is the same text; canonical text is a fixed point."""
    canonical = canonical_text(text)
    assert (
        canonical_text(unicodedata.normalize("NFD", text))
        == canonical_text(unicodedata.normalize("NFC", text))
        == canonical
    )
    assert canonical_text(f" {text} ...") == canonical
    assert canonical_text(canonical) == canonical


MARKS = "\u0301\u0323\u0344\u034f\u0345\u0f71\u0f73\u0f81\u05b0\u0651\u093c\u3099\U0001d165"


@settings(max_examples=60, deadline=None)
@given(st.text(MARKS, min_size=1, max_size=9), st.text("ae\u00e9\uac00x ", max_size=4), st.integers(1, 400))
def test_rows_of_marks_come_in_order_before_they_are_normalised(marks: str, letters: str, times: int) -> None:
    """The form is Python's; its time alone is another, which for marks out of order grows with their square."""
    for text in (letters + marks * times, (letters + marks * 200) * 3):
        assert nfc(text) == unicodedata.normalize("NFC", text)
    ordered = normalise._MARKS.sub(normalise._in_order, marks * 500)
    assert unicodedata.is_normalized("NFD", ordered)


@pytest.mark.parametrize("before", [0, 1, 250, 499, 500, 777])
@pytest.mark.parametrize("marks", [500, 501, 3000])
def test_a_long_row_of_marks_is_found_wherever_it_is(before: int, marks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So Python, whose time grows with the square of the marks in a row, gets them in order."""
    rows: list[int] = []
    in_order = normalise._in_order

    def counted(run: regex.Match[str]) -> str:
        rows.append(len(run.group()))
        return in_order(run)

    monkeypatch.setattr(normalise, "_in_order", counted)
    nfc("a" * before + "\u0301\u0323" * (marks // 2) + "\u0301" * (marks % 2) + "a" * 3000)
    assert rows == [marks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a \n\t b\u00a0c ", "a b c"),
        ("e\u0301", "é"),
        ("a\u200c\u200db", "a\u200c\u200db"),
        ("a\x00\x1f\u202eb\ufeff\u00ad\ud800", "ab"),
        ("a\x85b", "a b"),
        ("&lt;b&gt;", "<b>"),
        ("abcdef", "abcd"),
        ("abc def", "abc"),
    ],
)
def test_clean_value(text: str, expected: str) -> None:
    """Values are one line of NFC text without invisible characters; joiners that spell words stay."""
    assert clean_value(text, 4 if len(expected) < 5 and text.startswith("abc") else 20) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("น้ำ", "นํ้า"),
        ("น้ำ", "น\u0e49\u0e4d\u0e32"),
        ("ที่นี่", "ท\u0e48\u0e35น\u0e48\u0e35"),
        ("แม่", "เเม่"),
        ("ນ້ຳ", "ນໍ້າ"),
        ("ໜ້າ ໝູ່", "ຫນ້າ ຫມູ່"),
        ("ແມ່", "ເເມ່"),
        ("ខ្ញុំ", "ខុ្ញំ"),
        ("ស្ត្រី", "ស្ដ្រី"),
        ("កើត", "ក\u17c1\u17b8ត"),
        ("မြို့", "မြို\u1037"),
        ("ကျွန်ုပ်", "ကျွန\u102f\u103aပ်"),
        ("hòa bình thủy", "hoà bình thuỷ"),
        ("Hoà Đức", "HÒA ĐỨC"),
        ("أحمد إلى آخر", "احمد الى اخر"),
        ("hoàn toàn khoảng", "hòan tòan khỏang"),
        ("quý giá của", "qúy gía cuả"),
        ("Ðức đã", "Đức đã"),
        ("مسؤول", "مسوول"),
        ("خانۀ قدیمی", "خانهٔ قدیمی"),
        ("بھارت گۓ", "بہارت گئے"),
        ("کورده‌واری", "کوردەواری"),
        ("ﾌﾞﾗｼﾞﾙ", "ブラジル"),
        ("oʻzbek", "o‘zbek"),
        ("п’ять", "пʼять"),
        ("ISTANBUL", "ıstanbul"),
        ("İzmir", "izmir"),
        ("cœur", "coeur"),
        ("Știri", "Ştiri"),
        ("ײדיש", "יידיש"),
        ("COVID‑19", "Covid 19"),
        ("مدرسة", "مدرسه"),
        ("۱۴۰۳ ١٤٠٣ ๒๕๖๙ ២០២៦", "1403 1403 2569 2026"),
    ],
)
def test_two_spellings_of_one_text_have_one_canonical_text(one: str, other: str) -> None:
    """What a reader takes for the same words is one text, however it was typed."""
    assert canonical_text(one) == canonical_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("quý", "quỳ"),
        ("ma", "má"),
        ("ก่า", "ก้า"),
        ("ខ្មែរ", "ខ្មេរ"),
        ("hoan", "hòan"),
        ("đo", "do"),
        ("بین", "بن"),
        ("1403", "1404"),
    ],
)
def test_other_words_have_another_canonical_text(one: str, other: str) -> None:
    """Marks that change a word change the text."""
    assert canonical_text(one) != canonical_text(other)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("นํ้า", "น้ำ"),
        ("ก\u0e4d\u0e32", "กำ"),
        ("ท\u0e48\u0e35", "ที่"),
        ("เเม่", "แม่"),
        ("ນໍ້າ", "ນ້ຳ"),
        ("ທ\u0ec8\u0eb5", "ທີ່"),
        ("ຫນ້າ", "ຫນ້າ"),
        ("hoà", "hoà"),
        ("أحمد", "أحمد"),
        ("๒๕๖๙", "๒๕๖๙"),
    ],
)
def test_invisible_defects_are_repaired_in_the_stored_text(typed: str, stored: str) -> None:
    """What no reader sees is repaired; a spelling that one can see stays."""
    assert clean(typed) == stored
    assert clean(stored) == stored


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("Xã hội và giáo dục".encode().decode("latin-1"), "Xã hội và giáo dục"),
        ("NgÃ\xa0y mai trời sẽ mưa", "Ngày mai trời sẽ mưa"),
        ("Ã\xa0 la carte", "à la carte"),
        ("Àlà carte", "Àlà carte"),
        ("Il y a un café\xa0: à la\xa0carte", "Il y a un café : à la carte"),
    ],
)
def test_a_stated_value_is_repaired_before_its_spaces_are_joined(broken: str, whole: str) -> None:
    """A no-break space may be the last byte of a letter."""
    assert clean_value(broken, 100) == whole


def test_letters_that_end_in_a_no_break_space_are_repaired_on_a_page() -> None:
    """One paragraph of a sound page was read in the wrong charset; the others and the markup stay as they are."""
    page = "<p title='Ã\xa0'>Trời đẹp\xa0quá</p><p>{}</p>"
    broken = "Hôm nay là ngày đẹp trời, và mọi người đều ra đường".encode().decode("cp1252", "replace")
    latin = "Hôm nay và ngày mai".encode().decode("latin-1")
    assert whole_letters(page.format(latin)) == page.format("Hôm nay và ngày mai")
    assert "\xa0" not in whole_letters(f"<p>{broken}</p>")
