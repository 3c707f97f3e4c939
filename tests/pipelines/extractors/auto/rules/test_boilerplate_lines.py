"""Boilerplate lines, detected by their words."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto.rules import boilerplate_lines
from storage.records import ParagraphKind

P, H, L, Q = ParagraphKind.PARAGRAPH, ParagraphKind.HEADING, ParagraphKind.ITEM, ParagraphKind.QUOTE


@pytest.mark.parametrize(
    ("line", "kind", "out"),
    [
        ("Read also: The minister resigns after a vote", P, True),
        ("READ MORE | Who will pay for the bridge?", L, True),
        (">> Xem thêm: Nước sông lên", P, True),
        ("اقرأ أيضاً: رئيس الوزراء يستقيل", P, True),
        ("قراءة المزيد من الكتب عادة جيدة", P, False),
        ("Читайте также: Премьер ушёл в отставку", P, True),
        ("Read also", H, True),
        ("Read also the second chapter, he said.", P, False),
        ("Read also: The minister resigns", Q, False),
        ("- Quảng cáo -", P, True),
        ("Quảng cáo ngoài trời tăng mạnh", P, False),
        ("Advertisement", H, False),
        ("Copy link", P, True),
        ("Copy link by link, she went through the list.", P, False),
        ("HABERİ PAYLAŞ", P, True),
        ("***", P, False),
        ("Copy link " * 30, P, False),
    ],
)
def test_a_line_is_boilerplate_only_by_a_whole_label_or_all_of_its_words(
    line: str, kind: ParagraphKind, *, out: bool
) -> None:
    """In any typing of its letters; a heading or a quotation may be such words."""
    text = [(f"{number}. The water stood three hands above the mark." * 3, P) for number in range(5)]
    found = boilerplate_lines.without([*text, (line, kind)])
    assert found == (text if out else [*text, (line, kind)])


def test_a_text_that_is_mostly_such_lines_keeps_them() -> None:
    """A page may consist of links with labels."""
    text = [("Read also: The minister resigns after a vote", P), ("The water rose.", P)]
    assert boilerplate_lines.without(text) == text
