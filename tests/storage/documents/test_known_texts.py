"""Stored texts that are compared with those made again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.storage.corpus_samples import Crawl, document, dropped, made, with_parts

if TYPE_CHECKING:
    from storage import Corpus

TEXT = "Giá xăng hôm nay\ntăng mạnh"
PARTS: dict[str, Any] = {"kinds": "hp", "captions": ("Chợ",), "comments": ("Hay",)}


@pytest.mark.parametrize("parts", [PARTS, {}], ids=["with parts", "without parts"])
def test_the_text_of_each_fetch_is_known(corpus: Corpus, parts: dict[str, Any]) -> None:
    """With its expected F1. Each other part differs. A fetch without a document, or an unknown one, has no text."""
    crawl = Crawl(corpus)
    one = crawl.visit("1", with_parts(made(TEXT), confidence=0.75, **parts))
    none = crawl.visit("2", dropped("no_article"))
    known = corpus.documents.known_texts([one, none, none + 1000])
    assert [(fetch_id, text.confidence) for fetch_id, text in known.items()] == [(one, 0.75)]
    same = replace(document(TEXT), **parts)
    assert known[one].is_same(same)
    for changed in ({"text": f"{TEXT}!"}, {"kinds": "pp"}, {"captions": ("Chợ", "")}, {"comments": ("Dở",)}):
        assert not known[one].is_same(replace(same, **changed)), changed
