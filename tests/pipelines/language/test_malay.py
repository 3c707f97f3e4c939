"""Indonesian and Malay: by their words, each counted once, and unsure where words do not decide."""

from __future__ import annotations

import pytest

from pipelines.language import identify, malay
from pipelines.language.detect import settled
from storage.records import LanguageGuess

MALAY = (
    "Kerajaan negeri akan membina sebuah jambatan baharu di hulu sungai itu bagi mengurangkan kesesakan lalu lintas.",
    "Polis menahan tiga lelaki selepas kereta yang dipandu mereka merempuh sebuah kedai di tepi jalan semalam.",
    "Beliau berkata sebanyak 40 buah sekolah terpaksa ditutup kerana banjir yang melanda daerah tersebut.",
    "Menteri Kesihatan memaklumkan bahawa bekalan ubat di hospital kerajaan mencukupi sehingga hujung tahun ini.",
    "Pasukan kebangsaan akan bermain sekali lagi esok untuk menentukan juara kumpulan dalam kejohanan itu.",
)
INDONESIAN = (
    "Pemerintah provinsi akan membangun sebuah jembatan baru di hulu sungai itu untuk mengurangi kemacetan.",
    "Polisi menangkap tiga pria setelah mobil yang mereka kendarai menabrak sebuah toko di tepi jalan kemarin.",
    "Ia mengatakan sebanyak 40 sekolah terpaksa ditutup karena banjir yang melanda kabupaten tersebut.",
    "Menteri Kesehatan menyampaikan bahwa persediaan obat di rumah sakit pemerintah cukup hingga akhir tahun ini.",
    "Tim nasional akan bermain sekali lagi besok untuk menentukan juara grup dalam turnamen itu.",
)
CASES = [("ms", text) for text in MALAY] + [("id", text) for text in INDONESIAN]


@pytest.mark.parametrize(("language", "text"), CASES)
def test_a_sentence_of_news_is_enough(language: str, text: str) -> None:
    """The same five sentences in both languages."""
    assert identify(text).language == language


@pytest.mark.parametrize(("language", "text"), CASES)
@pytest.mark.parametrize("length", [40, 60])
def test_the_start_of_a_sentence_is_right_or_unsure(language: str, text: str, length: int) -> None:
    """Most words are of both languages: a wrong answer has little confidence."""
    guess = identify(text[:length].rpartition(" ")[0])
    assert guess.language == language or guess.confidence < 0.8


def test_a_word_counts_once() -> None:
    """A Malay interview with a word that Indonesian uses more often, twenty times, is Malay."""
    text = "Kamu tahu bahawa dia sakit, iaitu sejak semalam. " + "Kamu datang, kamu pergi, kamu pulang. " * 7
    assert identify(text).language == "ms"


def test_words_of_both_languages_give_no_confident_answer() -> None:
    """Without words of its own a language is only the detector's guess."""
    words = ["orang", "itu", "makan", "ikan", "dan", "minum", "air"]
    assert {malay.decide(words, guess)[1] for guess in malay.PAIR} == {0.5}
    assert malay.decide(words, "ms")[0] == "ms"


@pytest.mark.parametrize(("language", "texts"), [("ms", MALAY), ("id", INDONESIAN)])
def test_a_long_text_is_sure(language: str, texts: tuple[str, ...]) -> None:
    """Evidence adds up, with any guess of the detector."""
    words = " ".join(texts).lower().split()
    for guess in malay.PAIR:
        assert malay.decide(words, guess)[0] == language
        assert malay.decide(words, guess)[1] > 0.99


def test_no_word_is_in_two_tables() -> None:
    """A word speaks for one language."""
    assert len(malay._weights()) == 2384


@pytest.mark.parametrize(
    ("found", "confidence", "wanted", "expected"),
    [
        ("ms", 0.6, ("id",), "id"),
        ("ms", 0.95, ("id",), "ms"),
        ("id", 0.7, ("ms", "en"), "ms"),
        ("id", 0.7, ("id", "ms"), "id"),
        ("nn", 0.5, ("no",), "no"),
        ("fr", 0.5, ("id",), "fr"),
        ("hr", 0.5, ("bs", "sr"), "hr"),
        ("ms", 0.6, (), "ms"),
    ],
)
def test_an_unsure_guess_counts_as_the_wanted_neighbour(
    found: str, confidence: float, wanted: tuple[str, ...], expected: str
) -> None:
    """A sure guess, a language that is no neighbour, and a choice of two neighbours stay as they are."""
    assert settled(LanguageGuess(found, confidence, "Latn", 1.0), wanted).language == expected
