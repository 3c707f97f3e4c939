"""Fingerprints: equal for copies of a text, similar for near copies, and different for other texts."""

from __future__ import annotations

import random
import tracemalloc
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.minhash import BANDS, HASHES, LEAST_SHINGLES, SCHEME, WIDTH, estimate, fingerprint
from pipelines.text.normalise import canonical_text
from storage.documents.sketches import DIGEST, SAMPLED, numbers_agree

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
    """Corpora keep their fingerprints, so scheme v3 must always give these values."""
    found = fingerprint("The quick brown fox jumps over the lazy dog. " + " ".join(map(str, range(60))))
    assert SCHEME == "v3;char12;mh32;b20r6;k32;s480x2;xxh3;norm3;num16"
    assert (found.scheme, found.shingles) == (SCHEME, 134)
    assert found.exact.hex() == "0e4ec0cfc2cd6c67c4d5dac5e6d9d857"
    assert found.sketch[:8].hex() == "50ce58ed61307115"
    assert found.bands[:2] == (-1423042089, -687392386)
    assert (found.numbers[:4].hex(), len(found.numbers)) == ("07310a9b", 120)


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


@pytest.mark.parametrize("report", [GOLD_PRICE, WEATHER], ids=["gold price", "weather"])
def test_reports_that_differ_only_in_figures_are_two_texts(report: str) -> None:
    """Their words are alike and their numbers are not, also in the digits of another script."""
    one, other = fingerprint(report.format(*TODAY)), fingerprint(report.format(*TOMORROW))
    assert estimate(one.sketch, other.sketch) > 0.5
    assert not numbers_agree(one.numbers, other.numbers)
    written = fingerprint(report.format(*"١٢٣٤٥٦٧"))
    assert numbers_agree(written.numbers, fingerprint(report.format(*"1234567")).numbers)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("giá 15 và 20 và 30 và 40", "giá 15 và 20 và 30 và 41", True),
        ("giá 15 và 20", "không có số nào", True),
        ("", "", True),
        ("giá 15", "giá 15. Cập nhật lúc 10:35", True),
        ("giá 15", "giá 16", False),
        ("ngày 26/11, 18 đến 25 độ", "ngày 27/11, 19 đến 26 độ", False),
    ],
)
def test_a_corrected_or_added_number_is_the_same_report(one: str, other: str, agree: bool) -> None:
    """Half of the numbers of the text with fewer numbers decide."""
    filler = " và phần còn lại của bài báo giữ nguyên từng chữ một trong cả hai bản" * 3
    assert numbers_agree(fingerprint(one + filler).numbers, fingerprint(other + filler).numbers) == agree


@given(st.lists(st.integers(0, 10**6), max_size=200))
def test_a_text_agrees_with_itself_and_with_a_part_of_it(numbers: list[int]) -> None:
    """However many numbers it has, and whichever of them are kept."""
    filler = " và phần còn lại của bài báo giữ nguyên từng chữ một" * 3
    whole = fingerprint(filler + " ".join(f"mục {each}" for each in numbers))
    assert numbers_agree(whole.numbers, whole.numbers)
    assert len(whole.numbers) <= SAMPLED * DIGEST
