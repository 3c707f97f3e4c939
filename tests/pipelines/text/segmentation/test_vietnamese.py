"""Compounds of Vietnamese: the words of underthesea, found by its model without its slow steps."""

from __future__ import annotations

import struct
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.segmentation.libraries import load_underthesea, placed
from pipelines.text.segmentation.vietnamese import CompoundModel, CompoundSplitter, UnknownModelError
from tests.extras import need

if TYPE_CHECKING:
    from pathlib import Path

WORDS = """
Chính phủ họp thường kỳ tháng 10 tại Hà Nội , Thủ tướng nói : “ kinh tế phục hồi ” . Giá xăng tăng 1.200 đồng / lít (
công nghệ thông tin TP.HCM COVID-19 bệnh viện bác sĩ học sinh ngày 12/3/2026 84912345678 3000000000 -1 v.v. Mr. H'Mông
https://example.org/a?b=c ban@example.org !!! … “Đảng KHÔNG GIAN mạng xã hội người dân đã được hỗ trợ quê hương 5,2 % )
""".split()
UNCHANGED = ["", "   ", "Ðảng họp.", "e\u0301 họp", " Chính phủ ", "\u00a0họp\u2003báo", "ไทย 中国"]
OTHER_MODELS = [b"", b"lCRF", b"other" * 20, b"lCRF" + bytes(44), b"lCRF" + struct.pack("<11I", *[8] * 11) + bytes(99)]

load = cache(load_underthesea)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", "  ", ""])), max_size=40))
def test_the_words_are_those_of_the_library(words: list[tuple[str, str]]) -> None:
    """Lines of any length, with signs, numbers and addresses that stand against a word or apart."""
    need("segment")
    from underthesea.pipeline.word_tokenize import word_tokenize

    line = "".join(chain.from_iterable(words))
    assert load()(line) == placed(line, word_tokenize(line, use_token_normalize=False))


@pytest.mark.parametrize("line", UNCHANGED)
def test_any_line_is_split_without_a_change(line: str) -> None:
    """Joined the words are the line, with letters that the library changes to others too."""
    need("segment")
    assert isinstance(load(), CompoundSplitter)
    assert "".join(load()(line)) == line


def test_only_short_words_are_remembered() -> None:
    """A page may have a picture as one word of megabytes."""
    need("segment")
    split = load()
    assert isinstance(split, CompoundSplitter)
    long = "a" * 100_000
    assert split(f"Chính phủ {long} họp") == ["Chính phủ", f" {long}", " họp"]
    assert max(map(len, split._known)) < 1_000
    assert all(max(map(len, rows), default=0) < 1_000 for rows in split._tagger._rows.values())


@pytest.mark.parametrize("data", OTHER_MODELS)
def test_another_model_is_refused(tmp_path: Path, data: bytes) -> None:
    """The library splits the lines then."""
    (tmp_path / "models.bin").write_bytes(data)
    with pytest.raises(UnknownModelError):
        CompoundModel.read(tmp_path, lambda _: [])
