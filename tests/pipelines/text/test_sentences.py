"""Sentence ends by punctuation in each script; only marks are added."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.sentences import marked
from storage.records import SENTENCE


@pytest.mark.parametrize(
    "expected",
    [
        "Hà Nội hôm nay mưa.| Ngày mai trời nắng!| Thế còn TP. Huế?| Chưa rõ…",
        "Ông Nguyễn V. A. nói: “Tôi về.”| Rồi ông đi.",
        "He left. and came back.| Then, at 3.5 p.m. on Monday, Mr. Smith (Dr. Smith?) spoke.",
        "1. Đầu tiên.| Năm 2026.| Tiếp theo",
        "«Oui.»| Non ?| Si !",
        "آیا می‌آید؟| بله.| د. محمد آمد",
        "یہ خبر ہے۔|دوسرا جملہ۔| تیسرا",
        "यह एक वाक्य है।| दूसरा वाक्य॥| 3.5 प्रतिशत",
        "他说：“好。”|然后走了！|真的？|是",
        "今日は。|明日は「雨だ。」|そう",
        "นายกรัฐมนตรี กล่าวว่า ราคา 3.50 บาท แล้วเดินทางกลับ",
        "ຂ່າວ ມື້ນີ້ ອາກາດ ດີ",
        "ខ្ញុំទៅ។|គាត់មក។",
        "သွားသည်။| လာသည်။",
        "Նա գնաց։| Մենք մնացինք ժամը 10։30։",
        "ማን ነው፧| እሱ ነው።| አዎ",
        "„Ja.“| Er ging.| »Nein!«| Sie blieb.| ‚Nie.‘| Ende",
        "他说。|“好。”|走了",
        "Τι είπε;| Τίποτα.| «Γιατί;»| Δεν ξέρω;| Ναι",
        "האם בא?| כן.| ד. כהן",
        "Москва, ул. Ленина.| Далее",
        "Wait...| What?!| Yes",
        "example.com and 10.5.2026 at v1.2",
        "...",
        "",
        "One.\nTwo.| Three. ",
    ],
)
def test_where_sentences_end(expected: str) -> None:
    """The bars are where a sentence ends and another follows."""
    assert marked(expected.replace("|", "")).replace(SENTENCE, "|") == expected


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters() | st.sampled_from(".!?。 ۔؟»\"'aB1\n\x1e"), max_size=80))
def test_only_marks_are_added(text: str) -> None:
    """Without them the text is as it was, and none begins or ends a line or stands beside another."""
    found = marked(text)
    assert found.replace(SENTENCE, "") == text.replace(SENTENCE, " ")
    for line in found.split("\n"):
        assert all(part.strip() for part in line.split(SENTENCE)) or SENTENCE not in line


@pytest.mark.parametrize("piece", [".", "!?", '."', "a.", "a. ", "。", "x. (((", "1.", " ", "A" * 21 + ". ", "1.\xa0"])
def test_no_text_takes_long(piece: str) -> None:
    """A million characters of it are read once; were they read over and over, the test would never end."""
    text = piece * (1_000_000 // len(piece))
    assert marked(text).replace(SENTENCE, "") == text
