"""Decoding: the text is as it was written, in any encoding, with any header and declaration."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.decoding import vietnamese_codecs
from pipelines.decoding.decode import decode
from pipelines.text.normalise import clean

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = {
    "vi": "Thủ tướng Chính phủ yêu cầu các bộ, ngành và địa phương tập trung chỉ đạo thực hiện đồng bộ các giải pháp.",
    "ar": "أعلنت وزارة النقل عن تشغيل عشر سيارات كهربائية للعمل في مواقف عواصم المحافظات خلال الأسبوع المقبل.",
    "fa": "وزارت راه اعلام كرد كه ده خودروي برقي از هفته آينده در پايانه هاي مراكز استان ها به كار گرفته مي شود.",
    "he": "ראש הממשלה אמר היום כי הממשלה תפעל לקידום התוכנית החדשה בשבועות הקרובים, למרות ההתנגדות בכנסת.",
    "th": "นายกรัฐมนตรีกล่าวว่ารัฐบาลจะเร่งดำเนินการตามนโยบายที่ได้แถลงไว้ต่อรัฐสภาโดยเร็วที่สุด",
    "ru": "Председатель правительства заявил, что программа развития будет продолжена в следующем году.",
    "cs": "Předseda vlády řekl, že program bude pokračovat příští rok, přestože opozice s návrhem nesouhlasí.",
    "pl": "Premier powiedział, że rząd będzie kontynuował prace nad ustawą w przyszłym tygodniu, mimo sprzeciwu.",
    "el": "Ο πρωθυπουργός δήλωσε ότι η κυβέρνηση θα συνεχίσει το πρόγραμμα τον επόμενο χρόνο.",
    "tr": "Başbakan, hükümetin önümüzdeki yıl programı sürdüreceğini söyledi ve muhalefeti eleştirdi.",
    "fr": "Le président a déclaré que le gouvernement poursuivra son programme malgré l’opposition, même à l’été.",
    "ja": "首相は記者会見で、来年度の予算について説明し、野党の批判に答えました。",
    "ko": "총리는 기자회견에서 내년 예산에 대해 설명하고 야당의 비판에 답했다.",
    "zh": "总理在记者会上表示，明年的预算将继续支持经济发展，并回应了反对党的批评。",
    "zht": "總理在記者會上表示，明年的預算將繼續支持經濟發展，並回應了反對黨的批評。",
}
LEGACY = [
    ("vi", "cp1258"),
    ("ar", "cp1256"),
    ("ar", "iso8859-6"),
    ("fa", "cp1256"),
    ("he", "cp1255"),
    ("he", "iso8859-8"),
    ("th", "cp874"),
    ("ru", "cp1251"),
    ("ru", "koi8-r"),
    ("ru", "iso8859-5"),
    ("ru", "cp866"),
    ("cs", "cp1250"),
    ("pl", "iso8859-2"),
    ("el", "iso8859-7"),
    ("tr", "cp1254"),
    ("fr", "cp1252"),
    ("ja", "cp932"),
    ("ja", "euc_jp"),
    ("ja", "iso2022_jp"),
    ("ko", "cp949"),
    ("zh", "gb18030"),
    ("zh", "hz"),
    ("zht", "big5"),
]
TONES = "\u0300\u0301\u0303\u0309\u0323"


def spell(text: str, codec: str) -> str:
    """Write Vietnamese as windows-1258 does: tones as marks of their own behind the letter."""
    if codec != "cp1258":
        return text
    parts = []
    for letter in text:
        marks = unicodedata.normalize("NFD", letter)
        tone = "".join(mark for mark in marks if mark in TONES)
        parts.append(unicodedata.normalize("NFC", "".join(mark for mark in marks if mark not in TONES)) + tone)
    return "".join(parts)


def page(text: str, codec: str, declared: str | None = None) -> bytes:
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">' if declared else ""
    paragraphs = "".join(f"<p>{text}</p>\n" for _ in range(4))
    return f'<!doctype html><html><head>{meta}<title>News</title></head><body class="a">{paragraphs}'.encode(codec)


@pytest.mark.parametrize(("language", "codec"), LEGACY)
@pytest.mark.parametrize("label", [None, "right", "iso-8859-1", "utf-8", "nonsense"])
@pytest.mark.parametrize("place", ["header", "meta"])
def test_legacy_pages_are_read_under_true_false_and_no_labels(
    language: str, codec: str, label: str | None, place: str
) -> None:
    """A page in a legacy charset is read right when it says nothing, the truth, or the usual lies."""
    text = spell(TEXTS[language], codec)
    declared = codec if label == "right" else label
    body = page(text, codec, declared if place == "meta" else None)
    decoded = decode(body, declared if place == "header" else None)
    assert text in decoded.text
    assert decoded.replaced == 0


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("declared", [None, "utf-8", "gb2312", "iso-8859-1", "windows-1251"])
def test_valid_utf8_wins_over_every_label(language: str, declared: str | None) -> None:
    """Text that is valid UTF-8 is UTF-8, also when header and page agree on something else."""
    decoded = decode(page(TEXTS[language], "utf-8", declared), declared)
    assert TEXTS[language] in decoded.text
    assert (decoded.encoding, decoded.source, decoded.replaced) == ("utf-8", "utf-8", 0)


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_no_text(language: str, codec: str) -> None:
    """The mark wins over any label and does not stay in the text."""
    decoded = decode(page(TEXTS[language], codec, "windows-1251"), "koi8-r")
    assert decoded.text.startswith("<!doctype")
    assert TEXTS[language] in decoded.text
    assert decoded.source == "bom"


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised(language: str, codec: str) -> None:
    """UTF-16 shows by its zero bytes."""
    decoded = decode(page(TEXTS[language], codec))
    assert TEXTS[language] in decoded.text
    assert decoded.encoding == codec.replace("6-", "6")


@pytest.mark.parametrize("codec", vietnamese_codecs.CODECS)
@pytest.mark.parametrize("declared", [None, "iso-8859-1", "x-user-defined", "windows-1252"])
def test_vietnamese_from_before_unicode_is_read(codec: str, declared: str | None) -> None:
    """VISCII, TCVN3 and VNI show by their words, under the Latin label that such pages carry."""
    text = TEXTS["vi"].lower()
    decoded = decode(b"<html><body><p>" + encode_vietnamese(text * 3, codec), declared)
    assert text in decoded.text
    assert decoded.encoding == codec


def encode_vietnamese(text: str, codec: str) -> bytes:
    """Turn the decoder's own tables round, letter by letter; VNI's from its published rule."""
    if codec == "vni":
        return "".join(VNI.get(letter, letter) for letter in text).encode("cp1252")
    table = {vietnamese_codecs.decode(bytes([byte]), codec): bytes([byte]) for byte in range(255, -1, -1)}
    return b"".join(table[letter] for letter in text)


VNI_VOWELS = {"a": "aâă", "e": "eê", "o": "oôơ", "u": "uư", "y": "y"}
VNI_PLAIN = dict(zip("\u0301\u0300\u0309\u0303\u0323", "ùøûõï", strict=True))
VNI_CIRCUMFLEX = dict(zip("\u0301\u0300\u0309\u0303\u0323", "áàåãä", strict=True))
VNI = {"đ": "ñ", "â": "aâ", "ê": "eâ", "ô": "oâ", "ă": "aê", "ơ": "ô", "ư": "ö", "ỉ": "æ", "ị": "ò", "ĩ": "ó", "ỵ": "î"}
for tone, mark in VNI_PLAIN.items():
    for letter, base in {"a": "a", "e": "e", "o": "o", "u": "u", "y": "y", "ơ": "ô", "ư": "ö"}.items():
        VNI.setdefault(unicodedata.normalize("NFC", letter + tone), base + mark)
    for letter, base in {"â": "a", "ê": "e", "ô": "o"}.items():
        VNI[unicodedata.normalize("NFC", letter + tone)] = base + VNI_CIRCUMFLEX[tone]


@pytest.mark.parametrize("label", ["TCVN-5712", "x-viet-tcvn"])
@pytest.mark.parametrize("in_page", [True, False])
def test_a_few_words_of_old_vietnamese_are_read_as_declared(label: str, *, in_page: bool) -> None:
    """Where a text is too short for function words to tell its charset, header or page do."""
    head = f"<meta charset={label}>".encode() if in_page else b""
    page = head + b"<title>\xaei Vi\xd6t Nam</title>"
    assert "đi Việt Nam" in decode(page, None if in_page else label).text


def test_a_page_that_is_not_in_either_of_two_old_vietnamese_charsets_that_it_names_is_read() -> None:
    """Header and page may name one each: both were no codec of Python's, and the page an error."""
    assert "un café noir" in decode("<meta charset=viscii><p>C'était un café noir".encode("cp1252"), "tcvn3").text


@pytest.mark.parametrize("declared", [None, "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1254", "Başbakan açıkladı: soruşturma İstanbul'da sürüyor"),
        ("cp1252", "Þingið samþykkti frumvarpið eftir langar umræður á þriðjudag"),
        ("cp1252", "The singer Björk, born as Guðmundsdóttir, was in Þingvellir with Friðrik Þór"),
        ("cp1252", "Það er þörf og það þarf að skoða þetta með þeim sem það vilja"),
        ("cp1252", "Eg eri glaður við tað, og veðrið er gott við staðin"),
        ("cp1252", "The ferry for Seyðisfjörður and Reyðarfjörður leaves at noon"),
        ("cp1254", "Şimdi değil: başkan geçmişe değindi"),
    ],
)
def test_letters_that_are_turkish_or_icelandic_are_distinguished_by_the_accents_beside_them(
    codec: str, text: str, declared: str | None
) -> None:
    """Turkish pages call themselves Latin-1, and of its letters only Icelandic has þ, ð and ý, with many accents."""
    assert text in decode(f"<p>{text}</p>".encode(codec), declared).text


@pytest.mark.parametrize(
    ("packed", "read"),
    [
        ("Vieät Nam", "Việt Nam"),
        ("ñöôïc", "được"),
        ("ÑAÏI HOÏC", "ĐẠI HỌC"),
        ("thaønh phoá Hoà Chí Minh", "thành phố Hồ Chí Minh"),
        ("Ôû nöôùc ngoaøi", "Ở nước ngoài"),
    ],
)
def test_vni_words(packed: str, read: str) -> None:
    """Known words of VNI for Windows."""
    assert vietnamese_codecs.decode(packed.encode("cp1252"), "vni") == read


@pytest.mark.parametrize(
    ("body", "read"), [(b"Vi\xd6t Nam", "Việt Nam"), (b"\xae\xad\xeec", "được"), (b"c\xf1a n\xad\xedc", "của nước")]
)
def test_tcvn3_words(body: bytes, read: str) -> None:
    """Known bytes of TCVN3."""
    assert vietnamese_codecs.decode(body, "tcvn3") == read


@pytest.mark.parametrize("language", ["vi", "ar", "ru", "zh", "fr"])
def test_utf8_cut_inside_a_character_stays_utf8(language: str) -> None:
    """A page cut short in the middle of a letter loses that letter only."""
    body = page(TEXTS[language], "utf-8")
    end = max(at for at, byte in enumerate(body) if byte >= 0xC0) + 1
    decoded = decode(body[:end], "windows-1252")
    assert decoded.text.count("\ufffd") == 1
    assert decoded.encoding == "utf-8"


def test_utf8_with_a_scrap_of_latin1_stays_utf8_and_says_so() -> None:
    """A few broken bytes become U+FFFD and are counted, they do not turn the page into mojibake."""
    decoded = decode(page(TEXTS["vi"], "utf-8") + "<p>caf\xe9 na\xefve".encode("latin-1"))
    assert TEXTS["vi"] in decoded.text
    assert decoded.text.count("\ufffd") == 2
    assert decoded.replaced == pytest.approx(2 / len(decoded.text))


@pytest.mark.parametrize("language", ["vi", "ar", "tr", "cs", "ko"])
def test_emoji_of_databases_are_read(language: str) -> None:
    """CESU-8 writes a character beyond the first 65 536 as two surrogates, which UTF-8 forbids."""
    text = f"{TEXTS[language]} \U0001f600\U0001f389"
    halves = text.encode("utf-16-be", "surrogatepass")
    written = "".join(chr(halves[at] << 8 | halves[at + 1]) for at in range(0, len(halves), 2))
    decoded = decode(f"<p>{written}</p>".encode("utf-8", "surrogatepass"))
    assert (decoded.text, decoded.encoding, decoded.replaced) == (f"<p>{text}</p>", "utf-8", 0)


@pytest.mark.parametrize("forbidden", [b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\xbd", b"\xf0\x82\x82\xac"])
def test_a_sequence_that_utf8_forbids_is_one_fault(forbidden: bytes) -> None:
    """Characters in more bytes than they need, and halves of them, are not read, and make no page a legacy one."""
    text = "Her şahsın hakkı"
    decoded = decode(f"<p>{text} ".encode() + forbidden + b"</p>", "windows-1254")
    assert decoded.encoding == "utf-8"
    assert decoded.text == f"<p>{text} " + "\ufffd" * len(forbidden) + "</p>"


@pytest.mark.parametrize("times", [2, 2_000_000])
@pytest.mark.parametrize("declared", [None, "windows-1256"])
def test_a_mark_that_is_there_twice_is_no_text(declared: str | None, times: int) -> None:
    """Files that were put together, or saved again by an editor, begin with two byte order marks; any number is passed
    over once.
    """
    decoded = decode(b"\xef\xbb\xbf" * times + page(TEXTS["ar"], "utf-8"), declared)
    assert (decoded.text, decoded.source) == (page(TEXTS["ar"], "utf-8").decode(), "bom")


def test_a_multibyte_page_with_a_broken_byte_keeps_its_charset() -> None:
    """One stray byte does not rule out the charset that the rest of the page proves."""
    body = page(TEXTS["zh"] * 20, "gb18030").replace(b"</p>", b"\xff</p>", 1)
    decoded = decode(body, "gb2312")
    assert decoded.text.count(TEXTS["zh"]) >= 70
    assert decoded.encoding == "gb18030"


@pytest.mark.parametrize("text", ["ئۇيغۇر ئاپتونوم رايونى ", TEXTS["ar"], TEXTS["th"]])
def test_letters_that_gb18030_has_in_four_bytes_are_read(text: str) -> None:
    """Of Uyghur all are, which no detector knows there."""
    found = [decode(page(text * 3, "gb18030"), declared) for declared in ("GB18030", None)]
    assert [(text * 3 in each.text, each.encoding) for each in found] == [(True, "gb18030")] * 2


STRICT = ["iso8859-7", "cp1255", "iso8859-8", "iso8859-6", "cp874", "gb18030", "cp949", "euc_jp", "iso2022_jp"]
LANGUAGES = {codec: language for language, codec in LEGACY}


@pytest.mark.parametrize("codec", STRICT)
@pytest.mark.parametrize("declared", [None, "utf-8", "iso-8859-1"])
def test_a_stray_byte_rules_no_charset_out(codec: str, declared: str | None) -> None:
    """A byte that the charset does not have costs a letter, with any declaration."""
    language = LANGUAGES[codec]
    body = page(TEXTS[language], codec).replace(b"<p>", b"<p>\xff ", 2).replace(b"<p>\xff ", b"<p>", 1)
    decoded = decode(body, declared)
    assert decoded.text.count(TEXTS[language]) >= 3
    assert decoded.text.count("\ufffd") <= 1


@pytest.mark.parametrize("codec", ["cp932", "euc_jp", "cp949", "gb18030", "big5"])
def test_a_page_cut_inside_a_character_keeps_its_charset(codec: str) -> None:
    """The half of a letter at the end does not speak against what the rest is in."""
    language = LANGUAGES[codec]
    body = page(TEXTS[language], codec).partition(b"</p>")[0]
    decoded = decode(body[:-3] if body[-3] >= 0x80 else body[:-2])
    assert TEXTS[language][:-4] in decoded.text


@pytest.mark.parametrize(
    ("language", "codec", "name"), [("ru", "mac-cyrillic", "x-mac-cyrillic"), ("fr", "mac-roman", "macintosh")]
)
@pytest.mark.parametrize("declared", [None, "utf-8", "iso-8859-1"])
def test_pages_of_old_macs_show_by_their_capitals_and_quotes(
    language: str, codec: str, name: str, declared: str | None
) -> None:
    """Under the usual charsets their text has capitals and signs inside words."""
    text = TEXTS[language] + " Яна и Ярослав. ЭТО НОВОСТИ." * (language == "ru")
    assert decode(page(text, codec), declared).encoding == name


def test_a_label_stands_where_two_letters_are_all_there_is_beyond_ascii() -> None:
    """Albanian has two: no detector can tell its charset from others that have them elsewhere."""
    text = "Qeveria tha se çmimet e ushqimeve do të mbeten të njëjta gjatë muajve të ardhshëm në të gjithë vendin."
    assert text in decode(page(text, "cp1252"), "iso-8859-1").text


@pytest.mark.parametrize("codec", vietnamese_codecs.CODECS)
def test_a_headline_of_old_vietnamese_is_enough(codec: str) -> None:
    """A dozen words tell it, by their being syllables, and one or the other charset by being none."""
    text = "hội nghị bàn về giải pháp của các bộ để giảm số vụ tai nạn ở thủ đô"
    assert decode(b"<p>" + encode_vietnamese(text, codec), "iso-8859-1").encoding == codec


@pytest.mark.parametrize(
    ("header", "meta", "source"),
    [
        ("windows-1256", "windows-1256", "header"),
        (None, "windows-1256", "meta"),
        ("iso-8859-1", "windows-1256", "meta"),
        ("windows-1256", "iso-8859-1", "header"),
        ("windows-1251", "koi8-r", "detected"),
    ],
)
def test_header_and_page_are_believed_as_far_as_the_bytes_agree(
    header: str | None, meta: str | None, source: str
) -> None:
    """Where header and page disagree the one that makes text of the bytes wins; where neither does, detection."""
    decoded = decode(page(TEXTS["ar"], "cp1256", meta), header)
    assert (decoded.encoding, decoded.source) == ("windows-1256", source)


@pytest.mark.parametrize(
    ("text", "codec", "header", "meta"),
    [
        ("สิทธิมนุษยชน", "cp874", "windows-874", None),
        ("ข่าวเศรษฐกิจ", "cp874", "utf-8", "tis-620"),
        ("ประชาชาติธุรกิจ", "cp874", None, "tis-620"),
        ("tiesības uz atpūtu un brīvo", "cp1257", "iso-8859-1", "windows-1257"),
        ("Her şahsın, cemiyetin bir", "cp1254", "iso-8859-1", "windows-1254"),
        ("ຂ່າວ ສປປ ລາວ", "utf-16-be", None, None),
        ("ข่าวกีฬา", "utf-16-le", "utf-8", None),
    ],
)
def test_a_headline_is_read_as_declared(text: str, codec: str, header: str | None, meta: str | None) -> None:
    """Some words are too few for a detector; what servers say of all pages counts for less than what the page says."""
    assert decode(page(text, codec, meta), header).text == page(text, "utf-8", meta).decode()


@settings(max_examples=300, deadline=None)
@given(
    body=st.binary(max_size=400) | st.text(max_size=100).map(lambda text: text.encode("utf-16-le", "surrogatepass")),
    declared=st.none()
    | st.sampled_from(["utf-8", "utf-16", "gb2312", "iso-2022-jp", "hz", "cp1252"])
    | st.text(max_size=9),
)
def test_any_bytes_under_any_label_give_storable_text(body: bytes, declared: str | None) -> None:
    """Decoding never fails, never yields a lone surrogate, and its share of replaced characters is a share."""
    decoded = decode(body, declared)
    decoded.text.encode("utf-8")
    assert 0 <= decoded.replaced <= 1
    assert decoded.source in {"bom", "utf-8", "header", "meta", "detected"}
    assert decode(body, declared) == decoded


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("It\u2019s 5 \u20ac", "cp1252"),
        ("1 \u20ac, 2 \u20ac, 3 \u20ac", "cp1252"),
        ("\xbd cup of milk", "cp1252"),
        ("a \u2013 b", "cp1252"),
        ("5 \u20ac. F\xfcr alle", "cp1252"),
        ("Новости дня", "cp1251"),
        ("أخبار اليوم", "cp1256"),
    ],
)
def test_a_few_signs_without_a_label_are_read_as_most_pages_write_them(text: str, codec: str) -> None:
    """Quotes and accents among ASCII are windows-1252, not DOS or a Mac; a headline in other letters is detected."""
    assert decode(f"<p>{text}</p>".encode(codec)).text == f"<p>{text}</p>"


def _of_latin_1(byte: int) -> str:
    """Return what browsers make of a byte: windows-1252, and a control where that has nothing."""
    return bytes([byte]).decode("cp1252", "ignore") or chr(byte)


@pytest.mark.parametrize("lang", ["vi", "ar", "fa", "he", "th", "ru", "zh", "ko"])
@pytest.mark.parametrize("read_as", [chr, _of_latin_1])
def test_text_that_was_encoded_twice_is_read_once(lang: str, read_as: Callable[[int], str]) -> None:
    """Bytes of UTF-8 taken for Latin-1 or windows-1252 and encoded again come out as they were before that."""
    text = TEXTS[lang]
    twice = "".join(map(read_as, text.encode())).encode()
    page = f"<title>{twice.decode()}</title><p>{twice.decode() * 3}</p>"
    assert clean(decode(page.encode(), "utf-8").text.replace("<", "\n<")) == clean(
        f"<title>{text}</title><p>{text * 3}</p>".replace("<", "\n<")
    )


def test_controls_amid_honest_text_change_nothing_else() -> None:
    """A few pages have controls of Latin-1, for quotes of windows-1252: their accents stay."""
    text = "Il a dit\x93 déjà vu \x94 près de Besançon. " * 20
    assert decode(text.encode()).text == text


SENTENCES = (
    "Các em được nghỉ hè ba mươi ngày và đi chơi với những người bạn của mình ở nông thôn.",
    "Thành phố sẽ xây thêm một cây cầu mới để giảm ùn ứ trên những tuyến đường phía nam.",
    "Theo báo cáo, số khách đến với làng nghề trong năm nay đã tăng gấp đôi so với năm trước.",
)


@pytest.mark.parametrize("codec", vietnamese_codecs.CODECS)
def test_a_text_in_an_old_font_is_repaired_on_a_page_in_unicode(codec: str) -> None:
    """The letters of the font were saved as those of windows-1252; menus in Unicode stay as they are."""
    sentences = [each.lower() if codec == "tcvn3" else each for each in SENTENCES]
    typed = [encode_vietnamese(each, codec).decode("cp1252" if codec == "vni" else "latin-1") for each in sentences]
    page = "<p class='ä'>Trang chủ của chúng tôi</p><h1>{}</h1><div><p>{}</p>\n<p>{}</p></div>"
    assert vietnamese_codecs.reread(page.format(*typed)) == page.format(*sentences)


@pytest.mark.parametrize(
    "text",
    [
        "Le café coûte 3 € à l'hôtel, où l'été dernier des élèves ont mangé ®, µm et ¸ ensemble.",
        "Die Straße führt über Ägypten nach Österreich; ñ und ö stehen hier mit aø und ðß.",
        "Maðurinn sagði að hann hefði séð það, en ß er ekki í íslensku: ðß",
        "Trang chủ ® µ ¸ của báo",
        "a" * 100,
    ],
)
def test_other_pages_are_left_alone(text: str) -> None:
    """Signs and letters of other languages are no Vietnamese."""
    assert vietnamese_codecs.reread(f"<p>{text}</p>") == f"<p>{text}</p>"
