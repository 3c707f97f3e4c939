"""A text that is only a part of another: the beginning of an article, or some of its lines."""

from __future__ import annotations

import pytest

from storage.documents.shortened import is_part

LINES = [
    "Thành phố cho biết trong năm qua nhiều công trình mới được xây dựng.",
    "อาคารใหม่หลายแห่งถูกสร้างขึ้นในปีที่ผ่านมาตามที่เทศบาลแจ้งไว้เมื่อวานนี้",
    "قالت المدينة إن العديد من المباني الجديدة شيدت في العام الماضي.",
    "شهرداری گفت که سال گذشته ساختمان‌های تازهٔ بسیاری ساخته شده است.",
    "The city said that many new buildings were constructed last year.",
    "העירייה מסרה כי בשנה שעברה נבנו בניינים חדשים רבים.",
]
STORY = "\n".join(LINES)
PARTS = {
    "two paragraphs": ("\n".join(LINES[:2]), True),
    "two paragraphs in one line": (" ".join(LINES[:2]), True),
    "a cut paragraph": (f"{LINES[0]}\n{LINES[1][:40]}…", True),
    "a beginning and an offer": (f"{LINES[0]}\n{LINES[1]}\nĐăng ký để đọc tiếp.", True),
    "four paragraphs of six": ("\n".join(LINES[:4]), True),
    "the last four paragraphs": ("\n".join(LINES[2:]), False),
    "two paragraphs from the middle": ("\n".join(LINES[2:4]), True),
    "the same text": (STORY, False),
    "without its last paragraph": ("\n".join(LINES[:5]), False),
    "without one from the middle": ("\n".join(LINES[:2] + LINES[3:]), False),
    "a short new text": ("The mayor has resigned, as she told the council late on Monday evening.", False),
    "a new text with the old first line": (
        f"{LINES[0]}\nCông trình đã bị hủy vì thiếu tiền, người dân bất ngờ.",
        False,
    ),
    "longer than before": (f"{STORY}\nThe mayor has answered since.", False),
    "nothing": ("", False),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_reported_from_an_edited_text(name: str) -> None:
    """A teaser is a part in any script; a correction, a rewritten or a longer text is not."""
    text, expected = PARTS[name]
    assert is_part(text, STORY) == expected


@pytest.mark.parametrize("of", ["", "A flash. " * 20])
def test_a_text_of_a_few_lines_has_no_part(of: str) -> None:
    """News flashes are edited as a whole."""
    assert not is_part("A flash.", of)


@pytest.mark.parametrize(("chars", "expected"), [(19, False), (20, True)])
def test_a_cut_line_shares_at_least_its_first_twenty_characters(chars: int, expected: bool) -> None:
    """Lines from the middle of the story, each cut."""
    assert is_part("\n".join(f"{line[:chars]}…" for line in LINES[1:4]), STORY) == expected
