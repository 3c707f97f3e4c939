"""Languages are told by script where it decides and by the detector elsewhere, the same way every time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.language import BACKENDS, identify, main_script
from storage.errors import ConfigError

TEXTS = {
    "vi": "Thủ tướng Chính phủ yêu cầu các bộ, ngành và địa phương tập trung chỉ đạo thực hiện đồng bộ các giải pháp.",
    "ar": "أعلنت وزارة النقل عن تشغيل عشر سيارات كهربائية للعمل في مواقف عواصم المحافظات خلال الأسبوع المقبل.",
    "fa": "وزارت راه اعلام کرد که ده خودروی برقی از هفته آینده در پایانه‌های مراکز استان‌ها به کار گرفته می‌شود.",
    "ur": "وزیراعظم نے کہا ہے کہ حکومت عوام کو سہولتیں فراہم کرنے کے لیے نئے منصوبے شروع کر رہی ہے۔",
    "ps": "د افغانستان د بهرنیو چارو وزارت وایي چې د دواړو هېوادونو ترمنځ خبرې به په راتلونکې اونۍ کې پیل شي.",
    "ckb": "حکوومەتی هەرێمی کوردستان ڕایگەیاند کە پڕۆژەی نوێی ڕێگاوبان لە هەفتەی داهاتوودا دەست پێدەکات.",
    "he": "ראש הממשלה אמר היום כי הממשלה תפעל לקידום התוכנית החדשה בשבועות הקרובים, למרות ההתנגדות בכנסת.",
    "yi": "די רעגירונג האָט געזאָגט אַז דער נײַער פּלאַן וועט ווערן אָנגענומען אין די קומענדיקע וואָכן.",
    "th": "นายกรัฐมนตรีกล่าวว่ารัฐบาลจะเร่งดำเนินการตามนโยบายที่ได้แถลงไว้ต่อรัฐสภาโดยเร็วที่สุด",
    "lo": "ນາຍົກລັດຖະມົນຕີກ່າວວ່າ ລັດຖະບານຈະເລັ່ງດຳເນີນການຕາມນະໂຍບາຍ",
    "km": "នាយករដ្ឋមន្ត្រីបានថ្លែងថា រដ្ឋាភិបាលនឹងអនុវត្តគោលនយោបាយ",
    "my": "ဝန်ကြီးချုပ်က အစိုးရသည် မူဝါဒကို အကောင်အထည်ဖော်မည်ဟု ပြောကြားခဲ့သည်",
    "el": "Ο πρωθυπουργός δήλωσε ότι η κυβέρνηση θα συνεχίσει το πρόγραμμα τον επόμενο χρόνο.",
    "ko": "총리는 기자회견에서 내년 예산에 대해 설명하고 야당의 비판에 답했다.",
    "ja": "首相は記者会見で、来年度の予算について説明し、野党の批判に答えました。",
    "zh": "总理在记者会上表示，明年的预算将继续支持经济发展，并回应了反对党的批评。",
    "ru": "Председатель правительства заявил, что программа развития будет продолжена в следующем году.",
    "en": "The prime minister said that the government would continue with its programme next year.",
    "fr": "Le président a déclaré que le gouvernement poursuivrait son programme malgré l’opposition.",
    "tr": "Başbakan, hükümetin önümüzdeki yıl programı sürdüreceğini söyledi ve muhalefeti eleştirdi.",
}
SCRIPTS = {
    "ar": "Arab",
    "fa": "Arab",
    "ckb": "Arab",
    "he": "Hebr",
    "yi": "Hebr",
    "th": "Thai",
    "ja": "Jpan",
    "zh": "Hani",
    "ru": "Cyrl",
}


@pytest.mark.parametrize("language", TEXTS)
def test_each_language_is_recognised(language: str) -> None:
    """A sentence of news is enough for the default detector."""
    guess = identify(TEXTS[language])
    assert guess.language == language
    assert 0.4 < guess.confidence <= 1


@pytest.mark.parametrize("language", ["vi", "ar", "fa", "ur", "he", "th", "lo", "km", "ko", "ja", "zh", "ru", "en"])
def test_langdetect_can_be_chosen(language: str) -> None:
    """The other backend answers in the same codes; the script gate stands before it too."""
    guess = identify(TEXTS[language], "langdetect")
    assert guess.language == language
    assert guess == identify(TEXTS[language], "langdetect")


@pytest.mark.parametrize("language", SCRIPTS)
def test_the_main_script_is_named(language: str) -> None:
    """The script most letters are in, by its ISO 15924 code."""
    assert identify(TEXTS[language]).script == SCRIPTS[language]


def test_the_share_counts_letters_only() -> None:
    """Digits, spaces and punctuation belong to no script."""
    assert main_script("กขคง 123, ... abcd") == ("Thai", 0.5)


def test_a_foreign_name_does_not_change_the_language() -> None:
    """A Thai text about an English product stays Thai."""
    assert identify(TEXTS["th"] + " iPhone 17 Pro Max").language == "th"


@pytest.mark.parametrize("text", ["", " ", "12.11.2026 10:45", "…—!", "a", "\0\ud800", "😀😀😀"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_language_is_unknown(text: str, backend: str) -> None:
    """Nothing to read gives und, and no confidence."""
    guess = identify(text, backend)
    assert (guess.language, guess.confidence) == ("und", 0)


def test_dirt_does_not_hide_the_language() -> None:
    """Controls and lone surrogates, which upset the detector, are cleaned away first."""
    dirty = TEXTS["fr"].replace(" ", " \x91\x05", 3) + "\ud800"
    assert identify(dirty).language == "fr"


def test_an_unknown_backend_is_a_mistake_of_the_configuration() -> None:
    """The error names the backends there are."""
    with pytest.raises(ConfigError, match="langdetect"):
        identify("text", "oracle")


def test_traditional_chinese_is_chinese() -> None:
    """Both ways to write Chinese have one code."""
    assert identify("總理在記者會上表示，明年的預算將繼續支持經濟發展，並回應了反對黨的批評。").language == "zh"


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_any_text_gives_one_guess(text: str) -> None:
    """The answer is deterministic and its numbers are shares."""
    guess = identify(text)
    assert guess == identify(text)
    assert 0 <= guess.confidence <= 1
    assert 0 <= guess.script_share <= 1
    assert guess.language
