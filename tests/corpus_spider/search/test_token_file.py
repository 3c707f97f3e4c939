"""Tokens of texts as numbers: what is written is what is read."""

from __future__ import annotations

import tempfile
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.search.index import token_file
from corpus_spider.search.index.manifest import CellKey
from corpus_spider.search.index.token_file import ShardTokens, TokenWriter
from corpus_spider.search.index.token_store import TokenStore
from pipelines.text.words import LINE_END
from storage.errors import DamageError
from storage.records import ATTRIBUTE, SENTENCE

if TYPE_CHECKING:
    from corpus_spider.search.index.token_block import TokenBlock

Text = list[list[list[str]]]
"""Lines of sentences of units."""
ANNOTATED = [f"{unit}{ATTRIBUTE}{lemma}{ATTRIBUTE}{tag}" for unit, lemma, tag in ("aaN", "abV", "ccN")]
ANNOTATED += [f"c{ATTRIBUTE}{ATTRIBUTE}N", f"phủ{ATTRIBUTE}{ATTRIBUTE}N"]
UNITS = st.lists(st.sampled_from(["a", "b", "c", "chính", "phủ", "الحكومة", *ANNOTATED]), max_size=4)
TEXTS = st.lists(st.lists(UNITS, min_size=1, max_size=3), min_size=1, max_size=4)
DOCUMENTS = st.lists(st.tuples(st.sampled_from(["vi", "ar", "en"]), st.sampled_from(["s", "t"]), TEXTS), max_size=12)


def written(folder: Path, documents: list[tuple[str, str, Text]]) -> ShardTokens:
    """Write documents with their numbers as ids, some units of a sentence in one part."""
    with TokenWriter(folder) as writer:
        for number, (language, site, text) in enumerate(documents):
            parts: list[str] = []
            for line in text:
                for sentence in line:
                    parts += [" ".join(sentence[:2]), *sentence[2:], SENTENCE]
                parts[-1] = LINE_END
            writer.add(str(number), CellKey(language, site, "2026-01"), parts)
    return ShardTokens(folder)


def texts_of(block: TokenBlock) -> dict[str, list[list[list[str]]]]:
    """Read a block back. Lines and sentences without a token are left out: their places cannot be told apart."""
    units = [block.vocabulary[number] for number in block.tokens.tolist()]
    if block.readings is not None:
        numbers = block.readings_of_tokens(block.readings)
        read = [[known[each] for each in values[numbers]] for known, values in block.readings.values.values()]
        units = [ATTRIBUTE.join(each).rstrip(ATTRIBUTE) for each in zip(units, *read, strict=True)]
    found: dict[str, list[list[list[str]]]] = {}
    ends = [*block.document_starts.tolist(), len(units)]
    for document, (start, end) in zip(block.documents, pairwise(ends), strict=True):
        lines = [*sorted({each for each in block.line_starts.tolist() if start <= each < end}), end]
        found[document] = []
        for first, last in pairwise(lines):
            sentences = [*sorted({each for each in block.sentence_starts.tolist() if first <= each < last}), last]
            found[document].append([units[a:b] for a, b in pairwise(sentences)])
    return found


def filled(text: Text) -> Text:
    """Return a text without what has no token."""
    return [line for line in ([sentence for sentence in line if sentence] for line in text) if line]


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.sets(st.integers(0, 11)), st.integers(1, 30))
def test_the_tokens_lines_and_sentences_of_chosen_documents_are_those_that_were_written(
    documents: list[tuple[str, str, Text]], chosen: set[int], block_tokens: int
) -> None:
    """By their ids and by their numbers, of all documents and of one language, in blocks of any size."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(token_file, "BLOCK_TOKENS", block_tokens)
        shard = written(Path(folder), documents)
    every = {str(number): filled(text) for number, (_, _, text) in enumerate(documents)}
    wanted = {str(number) for number in chosen} & every.keys()
    for ids in (None, wanted, np.array(sorted(map(int, wanted)), np.int64)):
        read: dict[str, Text] = {}
        for block in shard.blocks(ids, annotated=True):
            read |= texts_of(block)
            places = [int(number) for number in block.documents]
            cells = [block.cells[number] for number in block.cell_numbers.tolist()]
            assert [(cell.language, cell.site) for cell in cells] == [documents[each][:2] for each in places]
            assert {cell.language for cell in cells} == {block.language}
            assert len(block.document_starts) == len(block.document_lines) == len(block.documents)
            assert (block.line_starts[block.document_lines] == block.document_starts).all()
            for starts in (block.document_starts, block.line_starts, block.sentence_starts):
                assert (np.diff(starts) >= 0).all()
        assert read == (every if ids is None else {each: every[each] for each in wanted})
        if not isinstance(ids, set):
            expected = Counter[str]()
            for number in map(int, read):
                expected[documents[number][0]] += sum(map(len, chain.from_iterable(documents[number][2])))
            assert shard.number_of_tokens(ids) == expected
            assert shard.number_of_tokens(ids, {"vi"})["vi"] == expected["vi"]
    vietnamese = {each for block in TokenStore([shard]).blocks(None, {"vi"}) for each in block.documents}
    assert vietnamese == {str(number) for number, (language, _, _) in enumerate(documents) if language == "vi"}
    entries = {unit for _, _, text in documents for line in text for sentence in line for unit in sentence}
    units = {entry.partition(ATTRIBUTE)[0] for entry in entries}
    assert (shard.readings is None) == entries.isdisjoint(ANNOTATED)
    assert set(shard.vocabulary) == units
    assert shard.vocabulary.numbers([*units, "", "zzz"]) == {unit: shard.vocabulary.index(unit) for unit in units}
    assert shard.vocabulary[:] == list(shard.vocabulary)
    some = np.arange(0, len(units), 2)
    assert shard.vocabulary.texts(some) == sorted(shard.vocabulary[number] for number in some.tolist())
    assert all(unit in shard.vocabulary for unit in units)
    assert "zzz" not in shard.vocabulary


def test_more_units_than_two_bytes_can_number_are_told_apart(tmp_path: Path) -> None:
    """A shard of a large language has more than 65,536 units."""
    units = [f"w{number}" for number in range(70_000)]
    shard = written(tmp_path, [("en", "s", [[units[start : start + 1000]] for start in range(0, 70_000, 1000)])])
    [block] = shard.blocks(None)
    assert [block.vocabulary[number] for number in block.tokens.tolist()] == units
    assert shard.vocabulary.numbers(["w69999", "w0", "w70000"]) == {"w69999": 69_999, "w0": 0}


def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    """A flipped byte anywhere is an error or changes nothing, and what is no such file is an error."""
    written(tmp_path, [("en", "s", [[["a", "b"]]])])
    path = tmp_path / token_file.FILE
    path.write_bytes(b"\0" * len(path.read_bytes()))
    with pytest.raises(DamageError, match="cannot be read"):
        list(ShardTokens(tmp_path).blocks(None))
