"""Fingerprints: equal for copies of a text, similar for near copies, and different for other texts."""

from __future__ import annotations

import random
import tracemalloc
import unicodedata
from typing import TYPE_CHECKING

import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.minhash import BANDS, HASHES, LEAST_SHINGLES, SCHEME, WIDTH, estimate, fingerprint
from pipelines.text.normalise import canonical_text
from storage.documents.sketches import DIGEST, MAX_NUMBERS, NUMBERS_SHARED, _count, _digests, numbers_agree

if TYPE_CHECKING:
    from storage.records import Fingerprint

ALPHABETS = {
    "vi": "aăâbcdđeêghiklmnoôơpqrstuưvxyáàảãạấầẩẫậéèẻẽẹếềểễệ",
    "ar": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "th": "กขคงจชซดตถทนบปผพมยรลวสหอะาเแโใไ",
    "zh": "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下",
}
SAME = 0.75


def article(script: str, seed: int, words: int = 450) -> str:
    """Write words of a made-up language, spaced where the script is."""
    chance = random.Random(f"{script}{seed}")
    alphabet = ALPHABETS[script]
    text = ["".join(chance.choice(alphabet) for _ in range(chance.randint(2, 8))) for _ in range(words)]
    return ("" if script in ("th", "zh") else " ").join(text)


def edited(text: str, share: float, seed: int) -> str:
    """Replace about that share of a text by pieces of its reverse, at random places."""
    chance = random.Random(seed)
    for _ in range(max(1, int(share * len(text) / 6))):
        at = chance.randrange(len(text) - 6)
        piece = text[at : at + 6][::-1]
        text = text[:at] + piece + text[at + 6 :]
    return text


def jaccard(one: str, other: str) -> float:
    first, second = (
        {canonical[at : at + WIDTH] for at in range(len(canonical) - WIDTH + 1)}
        for canonical in (canonical_text(one), canonical_text(other))
    )
    return len(first & second) / len(first | second)


def pairs() -> list[tuple[float, float, bool]]:
    """True similarity, estimated similarity and whether the bands met, of edited copies in four scripts."""
    found = []
    for script in ALPHABETS:
        for seed in range(12):
            text = article(script, seed)
            for share in (0.005, 0.015, 0.04, 0.08, 0.12):
                copy = edited(text, share, seed)
                one, other = fingerprint(text), fingerprint(copy)
                met = not set(one.bands).isdisjoint(other.bands)
                found.append((jaccard(text, copy), estimate(one.sketch, other.sketch), met))
    return found


def test_near_copies_are_found_and_others_are_not() -> None:
    """Edits in four scripts: recall .99 above Jaccard .8, hardly a false accept below .7, a small error in between."""
    measured = pairs()
    near = [met and similar >= SAME for true, similar, met in measured if true >= 0.8]
    far = [met and similar >= SAME for true, similar, met in measured if true < 0.7]
    assert min(len(near), len(far)) >= 60
    assert sum(near) >= 0.99 * len(near)
    assert sum(far) <= 0.005 * len(far)
    assert sum(abs(true - similar) for true, similar, _ in measured) < 0.025 * len(measured)


@pytest.mark.parametrize("script", ALPHABETS)
def test_spacing_punctuation_case_and_form_make_no_difference(script: str) -> None:
    """A text set in another way is an exact copy."""
    text = article(script, 1)
    other = "«" + unicodedata.normalize("NFD", text.upper()).replace(" ", " — \n") + "»!"
    assert fingerprint(other) == fingerprint(text)


@pytest.mark.parametrize("script", ALPHABETS)
def test_other_texts_are_far_away(script: str) -> None:
    """Two texts in one script share neither bands nor sketch."""
    one, other = fingerprint(article(script, 1)), fingerprint(article(script, 2))
    assert one.exact != other.exact
    assert set(one.bands).isdisjoint(other.bands)
    assert estimate(one.sketch, other.sketch) < 0.15


def test_the_numbers_of_the_scheme_never_change() -> None:
    """Corpora keep their fingerprints, so scheme v4 must always give these values."""
    found = fingerprint("The quick brown fox jumps over the lazy dog. " + " ".join(map(str, range(60))))
    assert SCHEME == "v4;char12;mh32;b20r6;k32;s480x2;xxh3;norm4;num16"
    assert (found.scheme, found.shingles) == (SCHEME, 134)
    assert found.exact.hex() == "0e4ec0cfc2cd6c67c4d5dac5e6d9d857"
    assert found.sketch[:8].hex() == "04a8af926d37c77e"
    assert found.bands[:2] == (1650251445, -966348250)
    assert (found.numbers[:4].hex(), len(found.numbers)) == ("07310a9b", 120)


@pytest.mark.parametrize(
    ("script", "words", "digest"),
    [
        ("vi", 60, "94de7c24c29e069a"),
        ("vi", 3000, "c35a03d4059876b9"),
        ("ar", 450, "29ed12d0185b09bc"),
        ("th", 450, "78965eeb3c2dd1a0"),
        ("zh", 60, "a28fda78613d932e"),
        ("zh", 3000, "2e494fc49dd5a649"),
    ],
)
def test_the_values_of_the_scheme_never_change_in_any_script(script: str, words: int, digest: str) -> None:
    """Nor in texts of several rows of shingles, with ligatures, other digits and letters that several letters spell."""
    found = fingerprint(article(script, 9, words) + " Œuvre İÇİN ﬁn ﻻ １２ ໜ 34 ตำ")
    assert xxhash.xxh3_64_hexdigest(repr(found).encode()) == digest


def test_digits_that_are_newer_than_this_python_are_no_numbers() -> None:
    """Digits of the script Garay came with Unicode 16. Python reads no number from unknown digits."""
    assert fingerprint(GOLD_PRICE + "\U00010d41\U00010d42").numbers == fingerprint(GOLD_PRICE).numbers


def test_shapes() -> None:
    """A sketch has a byte a permutation, and a band key fits a signed 32-bit column."""
    found = fingerprint(article("ar", 3))
    assert (len(found.exact), len(found.sketch), len(found.bands)) == (16, HASHES, BANDS)
    assert all(-(2**31) <= key < 2**31 for key in found.bands)
    assert any(key < 0 for key in found.bands)


@pytest.mark.parametrize("text", ["", "—", "short", "a" * 5000, "Tin ngắn. " * 200])
def test_short_and_monotonous_texts_have_an_exact_fingerprint_only(text: str) -> None:
    """Fewer than 50 distinct shingles are too little to compare."""
    found = fingerprint(text)
    assert found.shingles < LEAST_SHINGLES
    assert (found.sketch, found.bands) == (b"", ())
    assert len(found.exact) == 16


def test_estimate_bounds() -> None:
    """Equal sketches are 1, a missing one is 0, and coincidence does not go below 0."""
    sketch = fingerprint(article("vi", 4)).sketch
    assert estimate(sketch, sketch) == 1
    assert estimate(sketch, b"") == estimate(b"", b"") == estimate(sketch, sketch[:-1]) == 0
    assert estimate(sketch, bytes(byte ^ 0x55 for byte in sketch)) == 0


def test_a_very_long_text_takes_bounded_memory() -> None:
    """Beyond a million characters only the exact fingerprint reads on."""
    text = article("zh", 5, 2000) * 400
    tracemalloc.start()
    long, longer = fingerprint(text[:2_000_000]), fingerprint(text[:2_000_000] + "完")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 2**20
    assert long.sketch == longer.sketch
    assert long.exact != longer.exact


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_a_fingerprint(text: str) -> None:
    """The answer is the same every time."""
    assert fingerprint(text) == fingerprint(text)


GOLD_PRICE = (
    "Giá vàng hôm nay {0} tháng {1}: vàng miếng được niêm yết ở mức {2} triệu đồng một lượng mua vào và {3} triệu"
    " đồng bán ra. Giá vàng nhẫn giao dịch ở mức {4} triệu đồng mua vào và {5} triệu đồng bán ra. Trên thị trường thế"
    " giới giá vàng giao ngay ở mức {6} đô la Mỹ một ounce. Các chuyên gia nhận định giá vàng còn biến động."
)
WEATHER = (
    "توقعت الأرصاد الجوية أن تكون درجة الحرارة العظمى في العاصمة {0} درجة والصغرى {1} درجة، وفي المدن الساحلية {2}"
    " درجة نهارا و{3} درجة ليلا، مع سرعة رياح {4} كيلومترا في الساعة ونسبة رطوبة {5} في المئة وفرصة أمطار {6} في"
    " المئة. ودعت المواطنين إلى متابعة النشرات الرسمية وتجنب السفر على الطرق الصحراوية في ساعات الليل المتأخرة."
)
TODAY, TOMORROW = (26, 11, 150, 152, 148, 149, 4120), (27, 12, 151, 153, 147, 150, 4133)


def agree(one: Fingerprint, other: Fingerprint) -> bool:
    return numbers_agree(one.numbers, other.numbers, min(one.shingles, other.shingles))


@pytest.mark.parametrize("report", [GOLD_PRICE, WEATHER], ids=["gold price", "weather"])
def test_reports_that_differ_only_in_figures_are_two_texts(report: str) -> None:
    """Their words are alike and their numbers are not, also in the digits of another script."""
    one, other = fingerprint(report.format(*TODAY)), fingerprint(report.format(*TOMORROW))
    assert estimate(one.sketch, other.sketch) > 0.5
    assert not agree(one, other)
    assert agree(fingerprint(report.format(*"١٢٣٤٥٦٧")), fingerprint(report.format(*"1234567")))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("giá 15 và 20 và 30 và 40", "giá 15 và 20 và 30 và 41", True),
        ("giá 15 và 20", "không có số nào", True),
        ("", "", True),
        ("giá 15", "giá 15. Cập nhật lúc 10:35", True),
        ("giá 15", "giá 16", False),
        ("ngày 26/11, 18 đến 25 độ", "ngày 27/11, 19 đến 26 độ", False),
    ],
)
def test_a_corrected_or_added_number_is_the_same_report(one: str, other: str, expected: bool) -> None:
    """Half of the numbers of the text with fewer numbers decide."""
    filler = " và phần còn lại của bài báo giữ nguyên từng chữ một trong cả hai bản" * 3
    assert agree(fingerprint(one + filler), fingerprint(other + filler)) == expected


@given(st.lists(st.integers(0, 10**6), max_size=200))
def test_a_text_agrees_with_itself_and_with_a_part_of_it(numbers: list[int]) -> None:
    """However many numbers it has, and whichever of them are kept."""
    filler = " và phần còn lại của bài báo giữ nguyên từng chữ một" * 3
    whole = fingerprint(filler + " ".join(f"mục {each}" for each in numbers))
    assert agree(whole, whole)
    assert len(whole.numbers) <= MAX_NUMBERS * DIGEST


PRICE_LIST = (
    "Giá nông sản ngày {0}/11: cà phê Đắk Lắk loại 1 giá {1} đồng một kg, loại 2 giá {2} đồng; hồ tiêu Gia Lai 500 g/l"
    " giá {3} đồng, 550 g/l giá {4} đồng; gạo 5% tấm giá {5} đô la một tấn, gạo 25% tấm giá {6} đô la; cao su 30 độ giá"
    " {7} đồng; điều 320 hạt giá {8} đồng một kg; đường 150 độ màu giá {9} đồng. Bao 50 kg cộng thêm 200 đồng mỗi kg."
)
FORECAST = (
    "พยากรณ์อากาศวันที่ {0} พฤศจิกายน ภาคเหนือ อากาศเย็นในตอนเช้า อุณหภูมิต่ำสุด {1}-{2} องศา สูงสุด {3}-{4} องศา ลมความเร็ว 5-15 กม."
    " ภาคกลาง มีเมฆบางส่วน อุณหภูมิต่ำสุด {5}-{6} องศา สูงสุด {7}-{8} องศา ลมความเร็ว 10-20 กม. ภาคใต้ มีฝนร้อยละ {9} ของพื้นที่"
    " อุณหภูมิต่ำสุด 22-25 องศา สูงสุด 29-32 องศา ทะเลมีคลื่นสูง 1-2 เมตร เรือเล็กควรระวังในระยะ 24 ชั่วโมงข้างหน้า"
)
RATES = (
    "Exchange rates of {0} November: dollar buys {1}, sells {2}; euro buys {3}, sells {4}; pound buys {5}, sells {6};"
    " yen 100 buys {7}, sells {8}; franc {9}. Amounts above 1000 get 1% more, above 5000 get 2%, above 10000 get 3%."
)
FIRST = (26, 112000, 111500, 145000, 146000, 372, 368, 29, 131, 19)
NEXT = (27, 112300, 111900, 145500, 146500, 371, 367, 29, 131, 19)


@pytest.mark.parametrize("report", [PRICE_LIST, FORECAST, RATES], ids=["prices", "forecast", "rates"])
def test_the_next_issue_of_a_list_of_figures_is_another_text(report: str) -> None:
    """Half of its numbers stay: names of goods, units, and what did not change. A reprint has all of them."""
    one, other = fingerprint(report.format(*FIRST)), fingerprint(report.format(*NEXT))
    shared = len(_digests(one.numbers) & _digests(other.numbers))
    assert shared >= NUMBERS_SHARED * len(_digests(one.numbers))
    assert not agree(one, other)
    assert agree(one, fingerprint(report.format(*FIRST) + " Cập nhật lúc 10:35"))


def test_a_reprint_with_other_figures_of_its_own_is_the_same_article() -> None:
    """Prose has a number for many words: half of them are enough."""
    prose = (
        "Hội đồng thành phố cho biết công trình sửa chữa cảng cũ bắt đầu vào tuần tới và kết thúc vào mùa xuân tới. "
        "Các tiểu thương hy vọng chợ nổi mở cửa trở lại trước mùa mưa, và ngư dân xin thêm chỗ đậu thuyền. "
    )
    words = prose.split(" ")
    turned = [" ".join([*words[at:], *words[:at]]) for at in range(0, 40, 5)]
    one, other = (
        "".join(f"{line} Việc này cần {count} công nhân. " for line, count in zip(turned, counts, strict=True))
        for counts in ((120, 45, 300, 18, 7, 52, 61, 33), (120, 45, 300, 20, 8, 50, 61, 33))
    )
    assert agree(fingerprint(one), fingerprint(other))


@given(st.integers(MAX_NUMBERS, 1500))
def test_the_count_of_numbers_is_estimated_from_a_sample(count: int) -> None:
    """Only the smallest digests of many numbers are kept."""
    digests = sorted(range(0, 65536, 65536 // count))[:MAX_NUMBERS]
    assert _count({each.to_bytes(DIGEST, "big") for each in digests}) == pytest.approx(count, rel=0.1)
