"""The compact table answers as the lists of langdetect do."""

from __future__ import annotations

import pytest
from langdetect import DetectorFactory
from langdetect.detector_factory import PROFILES_DIRECTORY

from pipelines.language.ngram_profiles import NgramTable, detector_factory

TEXTS = (
    "Die Stadt feiert heute am Fluss.",
    "Il governo annuncia nuove misure",
    "Bugün hava güzel olacak",
    "Hôm nay trời đẹp",
    "Министр прибыл в столицу",
    "وزیر خارجہ نے کہا",
    "首相は会見で述べた",
    "qwx zzk 1234",
)


@pytest.fixture(scope="module")
def library() -> DetectorFactory:
    """The library's own table."""
    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.set_seed(0)
    return factory


def test_every_row_has_the_numbers_of_the_library(library: DetectorFactory) -> None:
    """The languages may be in another order, which in the library is that of a folder."""
    ours, theirs = detector_factory(), library.word_lang_prob_map
    places = [library.langlist.index(name) for name in ours.langlist]
    table = ours.word_lang_prob_map
    assert all(table[ngram] == [row[place] for place in places] for ngram, row in theirs.items())


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_has_the_same_probabilities(text: str, library: DetectorFactory) -> None:
    """Detectors draw n-grams by chance, from the same seed."""
    found = []
    for factory in (detector_factory(), library):
        detector = factory.create()
        detector.append(text)
        found.append({each.lang: round(each.prob, 9) for each in detector.get_probabilities()})
    assert found[0] == found[1]


def test_a_table_lacks_other_ngrams() -> None:
    """Those before, between and behind its own, and parts of them."""
    table = NgramTable([({"b": 1, "bc": 3, "\U00010400": 1}, [2, 3]), ({"b": 2}, [4])])
    assert [ngram for ngram in ("a", "b", "bb", "bc", "bcd", "c", "\U00010400", "\U0010ffff") if ngram in table] == [
        "b",
        "bc",
        "\U00010400",
    ]
    assert table["b"] == [0.5, 0.5]
    assert table["bc"] == [1.0, 0.0]
