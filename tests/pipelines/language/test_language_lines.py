"""Language of lines: identified where it differs from the text's, and not guessed from a few words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.language import detect, detectors, foreign_share, format_guesses, identify, identify_lines
from pipelines.language.detect import guess
from tests.pipelines.language_samples import SENTENCES

if TYPE_CHECKING:
    from storage.records import LanguageGuess


def of(language: str) -> str:
    """Some hundred characters in that language."""
    sentences = SENTENCES[language]
    return " ".join((sentences * 2)[:2])


def codes(*lines: str) -> list[str]:
    """The languages of the lines of a text."""
    text = "\n".join(lines)
    return [line.language for line in identify_lines(text, identify(text))]


@pytest.mark.parametrize(
    ("main", "quoted"),
    [("ar", "en"), ("fa", "ar"), ("ur", "en"), ("ps", "fa"), ("ckb", "ar"), ("he", "en"), ("vi", "fr"), ("th", "en"),
     ("en", "vi"), ("ru", "de"), ("fr", "en"), ("km", "fr"), ("lo", "th"), ("th", "zh"), ("yi", "he"), ("id", "en")],
)  # fmt: skip
def test_a_paragraph_in_another_language_is_reported(main: str, quoted: str) -> None:
    """Whether it is in the same script or not."""
    assert codes(of(main), of(main), of(quoted), of(main)) == [main, main, quoted, main]


@pytest.mark.parametrize("language", SENTENCES)
def test_a_text_in_one_language_is_not_mixed(language: str) -> None:
    """All of its paragraphs are in its language."""
    text = "\n".join(SENTENCES[language] * 3)
    whole = identify(text)
    lines = identify_lines(text, whole)
    assert {line.language for line in lines} == {whole.language}
    assert foreign_share(text, whole, lines) == 0


def test_a_short_line_is_taken_to_be_like_the_whole() -> None:
    """Three words say little; the confidence says so."""
    text = f"{of('fr')}\nSan Francisco Chronicle\n2026\n{of('fr')}"
    lines = identify_lines(text, identify(text))
    assert [line.language for line in lines] == ["fr"] * 4
    assert [line.confidence > 0 for line in lines] == [True, False, False, True]


def test_a_short_line_in_another_script_is_not_guessed() -> None:
    """It is not in the language of the whole, and there is too little of it to know which."""
    assert codes(of("ar"), "Reuters, Associated Press", of("ar")) == ["ar", "und", "ar"]


def test_a_script_of_one_language_is_enough_for_a_short_line() -> None:
    """Three words of Thai are Thai."""
    assert codes(of("en"), "ข่าววันนี้", of("en")) == ["en", "th", "en"]


@pytest.mark.parametrize(("lines", "mixed"), [((of("ar"), of("en")), True), ((of("ar"),) * 9, False)])
def test_the_share_in_other_languages_marks_a_mixed_text(lines: tuple[str, ...], mixed: bool) -> None:
    """Counted in characters of whole lines."""
    text = "\n".join(lines)
    whole = identify(text)
    assert (foreign_share(text, whole, identify_lines(text, whole)) > 0.1) is mixed


WORDED = {
    "en": "He said that they were late, and that his friends would have to wait for the others at the station.",
    "vi": "Ông cho biết những công trình này đã được khởi công và sẽ hoàn thành trong năm nay của thành phố.",
    "ar": "قال الوزير إن الحكومة ستبدأ في تنفيذ المشروع على مراحل من العام المقبل إلى نهاية العقد في هذه المدن.",
    "ru": "Он сказал, что они не знали о решении, но его друзья были на месте и это уже не первый раз за год.",
}


@pytest.mark.parametrize("language", WORDED)
def test_function_words_decide_without_the_detector(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that has them from its beginning to its end gets the confidence of the text."""
    text = "\n".join([WORDED[language]] * 3)
    whole = identify(text)
    monkeypatch.setattr(detectors, "detect_without_vote", pytest.fail)
    assert identify_lines(text, whole) == (replace(whole),) * 3


@pytest.mark.parametrize(
    ("language", "quoted"), [("en", "vi"), ("en", "de"), ("vi", "en"), ("vi", "fr"), ("ar", "fa"), ("ru", "kk")]
)
@pytest.mark.parametrize("form", ["{start} “{quotation}”", "“{quotation}” {start}"])
def test_the_detector_reads_a_line_with_a_long_quotation(
    language: str, quoted: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of it has no function word of the language of the text, whether the quotation begins or ends the line."""
    whole = identify(WORDED[language])
    quotation = (
        of(quoted)
        if quoted in SENTENCES
        else "Үкімет жаңа жолдардың құрылысы туралы шешім қабылдады, деп хабарлады министр"
    )
    line = form.format(start=" ".join(WORDED[language].split()[:6]), quotation=quotation)
    asked: list[str] = []

    def detected(text: str, _: str) -> tuple[str, float]:
        asked.append(text)
        return language, 1.0

    monkeypatch.setattr(detectors, "detect_without_vote", detected)
    identify_lines(line, whole)
    assert len(asked) == 1


def test_lines_of_a_chinese_text_in_its_script_are_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """Japanese lines have kana, and no other language is written so."""
    whole = identify(of("zh"))
    monkeypatch.setattr(detectors, "detect_without_vote", pytest.fail)
    lines = identify_lines(f"{of('zh') * 2}\n{of('ja') * 2}", whole)
    assert [(line.language, line.script) for line in lines] == [("zh", "Hani"), ("ja", "Jpan")]


def test_what_is_reported_of_a_line() -> None:
    """Language, confidence, script and its share, as they are stored."""
    assert format_guesses([identify(of("th"))]) == ("th 1.00 Thai 1.00",)


def test_a_text_of_very_many_lines_is_not_read_to_its_end() -> None:
    """There is a guess for each line all the same."""
    text = "\n".join([of("vi")] * 3 + ["x"] * 100_000)
    lines = identify_lines(text, identify(of("vi")))
    assert len(lines) == 100_003
    assert lines[-1].language == "vi"


@pytest.mark.parametrize("together", [1, 3, 7, 200])
def test_lines_are_counted_in_groups(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line has its own script, in groups of any size and with any scripts."""
    monkeypatch.setattr(detect, "_LINES_TOGETHER", together)
    assert codes(of("ar"), "", of("en"), "12", of("th"), "Reuters", of("ar")) == [
        "ar",
        "ar",
        "en",
        "ar",
        "th",
        "und",
        "ar",
    ]


def test_only_so_many_lines_are_put_to_a_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of lines of noise would exceed the time of a page; plain lines need no second opinion."""
    asked: list[str] = []

    def opinion(line: str) -> LanguageGuess:
        asked.append(line)
        return guess(line)

    monkeypatch.setattr(detect, "guess", opinion)
    monkeypatch.setattr(detect, "_MOST_OPINIONS", 3)
    assert codes(*[of("ar")] * 9, *[of("en")] * 8) == ["ar"] * 9 + ["en"] * 8
    _the_whole_text, *lines = asked
    assert len(lines) == 3


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=120).map(lambda line: line.replace("\n", " ")), max_size=8))
def test_every_line_has_its_guess(lines: list[str]) -> None:
    """As many as there are lines, and a share is a share."""
    text = "\n".join(lines)
    whole = identify(text)
    found = identify_lines(text, whole)
    assert len(found) == text.count("\n") + 1
    assert 0 <= foreign_share(text, whole, found) <= 1
