"""Quality signals: right on texts with known figures, safe on any text; and the rules over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from pipelines.quality import signals
from pipelines.quality.rules import SIGNALS, of_toml, rules
from pipelines.quality.signals import measure, stop_words
from storage.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = "The cat sat on the mat.\nIt was 7 o’clock."


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (PLAIN, "en", {"words": 11, "mean_line": 20.0, "ended_lines": 1.0, "repeated_lines": 0.0}),
        (PLAIN, "en", {"stop_word_share": round(5 / 11, 4), "alphabetic_words": round(10 / 11, 4)}),
        (PLAIN, "en", {"digit_share": round(1 / 32, 4), "symbol_share": round(3 / 32, 4)}),
        ("a b\n\na b\n \nc d", "xx", {"repeated_lines": round(1 / 3, 4), "mean_line": 3.0, "stop_word_share": None}),
        ("x y x y x z", "xx", {"top_bigram": round(4 / 6, 4), "repeated_5grams": 0.0}),
        ("a b c d e f a b c d e g", "xx", {"repeated_5grams": round(5 / 12, 4), "repeated_10grams": 0.0}),
        ("a b c d e f g h i j " * 2, "xx", {"repeated_10grams": 0.5}),
        ("پایان است.\nعنوان\n«نقل»", "fa", {"ended_lines": round(2 / 3, 4), "words": 4}),
        ("می‌شود و می‌رود", "fa", {"words": 3, "stop_word_share": round(2 / 3, 4)}),
        ("اين را يك", "fa", {"stop_word_share": 1.0}),
        ("ประเทศไทยและลาว", "th", {"stop_word_share": round(3 / 15, 4), "mean_word": None, "words": 4}),
        ("我的书在这里。", "zh", {"stop_word_share": round(4 / 6, 4), "words": 3, "ended_lines": 1.0}),
        ("သွားသည်။\nသတင်း", "my", {"ended_lines": 0.5}),
        ("Նա գնաց։\nԼուրեր", "hy", {"ended_lines": 0.5}),
        ("ማን ነው፧\nዜና", "am", {"ended_lines": 0.5}),
        ("Τι είπε;\nΝέα", "el", {"ended_lines": 0.5}),
        ("What a day;\nNews", "en", {"ended_lines": 0.0}),
        ("", "vi", {"words": 0, "mean_line": 0.0, "stop_word_share": 0.0}),
        ("!!! ... ###", "vi", {"words": 0, "symbol_share": 1.0}),
        ("١٢٣ ๔๕", "ar", {"digit_share": 1.0, "alphabetic_words": 0.0}),
        ("😀 đẹp 𠀀", "zh", {"words": 2}),
        ("❤️ 👩\u200d👧 đẹp \u200c", "vi", {"words": 1, "alphabetic_words": 1.0}),
        ("\u200cاین \u200cاین", "fa", {"words": 2, "stop_word_share": 1.0}),
    ],
)
def test_signals_are_what_their_definitions_say(text: str, language: str, expected: dict[str, float]) -> None:
    """Counted by hand; scripts without spaces and joiners included."""
    found = asdict(measure(text, language))
    assert {name: found[name] for name in expected} == expected


def slow_repeated(words: list[str], n: int) -> float:
    """Mark the characters of n-grams that came before, one at a time."""
    seen, marked = set(), [False] * len(words)
    for at in range(len(words) - n + 1):
        gram = tuple(words[at : at + n])
        if gram in seen:
            marked[at : at + n] = [True] * n
        seen.add(gram)
    letters = sum(map(len, words))
    return round(
        sum(len(word) for word, is_marked in zip(words, marked, strict=True) if is_marked) / max(1, letters), 4
    )


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.sampled_from(["a", "bb", "ccc", "đđ", "e5"]), max_size=60))
def test_repetition_is_what_counting_one_by_one_gives(words: list[str]) -> None:
    """The arrays mark what a loop over n-grams marks."""
    found = measure(" ".join(words), "xx")
    assert found.repeated_5grams == slow_repeated(words, 5)
    assert found.repeated_10grams == slow_repeated(words, 10)
    pairs = [tuple(words[at : at + 2]) for at in range(len(words) - 1)]
    most = max((pairs.count(pair) for pair in pairs), default=0)
    top = max((len("".join(pair)) * most for pair in pairs if pairs.count(pair) == most), default=0) if most > 1 else 0
    assert found.top_bigram == min(1.0, round(top / max(1, len("".join(words))), 4))


@settings(max_examples=100, deadline=None)
@given(
    text=st.text(max_size=200) | st.text("ก่ะ ab\n\u200c\ud800x5.", max_size=80),
    language=st.sampled_from(["vi", "th", "zh", "xx"]),
)
def test_any_text_is_measured(text: str, language: str) -> None:
    """Shares of any text lie between 0 and 1, and the same text gives the same numbers."""
    found = measure(text, language)
    for name, value in asdict(found).items():
        assert value is None or (value >= 0 if name in {"words", "mean_line", "mean_word"} else 0 <= value <= 1), name
    assert measure(text, language) == found


def test_of_a_long_text_the_beginning_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a text is, so many characters are looked at."""
    monkeypatch.setattr(signals, "MOST_CHARACTERS", 20)
    assert measure("one two three four five six", "en") == measure("one two three four f", "en")


def test_stop_words_are_lower_case_and_whole() -> None:
    """Every list has ten words or more, each once, as texts that were lowered have them."""
    for language, words in stop_words().items():
        assert len(set(words)) == len(words) >= 10, language
        assert [word.lower() for word in words] == list(words)
    assert {"vi", "ar", "fa", "ur", "ps", "he", "th", "ckb", "yi", "lo"} <= set(stop_words())


ARTICLE = """Sáng nay, hàng nghìn người dân thành phố đã đến công viên ven sông để xem lễ hội hoa đầu mùa.
Ban tổ chức cho biết lượng khách năm nay đông hơn mọi năm, nhờ thời tiết khô ráo và không khí mát mẻ.
“Chúng tôi chuẩn bị từ ba tháng trước”, một nghệ nhân trồng hoa chia sẻ khi đang tưới những chậu cúc vàng.
Lễ hội kéo dài đến hết tuần, vé vào cửa miễn phí cho trẻ em và người cao tuổi."""
GOOD = measure("Một bài báo có nhiều câu khác nhau về một ngày đẹp trời ở thành phố. ", "vi")


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("words>=5", None),
        ("words>500", "words>500"),
        ("digit_share<.2, symbol_share <= 0.5", None),
        ("digit_share<.2, words<5", "words<5"),
        ("mean_word>1<2", "mean_word<2"),
        ("words>=5,words<6", "words<6"),
        ("stop_word_share>.99", "stop_word_share>0.99"),
    ],
)
def test_rules_of_a_line(line: str, broken: str | None) -> None:
    """Signals with conditions, commas between; the first that a text breaks is named."""
    assert rules(line).broken(GOOD, "vi") == broken


def test_a_language_has_its_own_limits_and_the_default_ones() -> None:
    """A table of a language takes the place of the default, signal by signal."""
    found = of_toml('[default]\nwords = ">=3"\ndigit_share = "<=0.1"\n[th]\nwords = ">=1000"\n', "x")
    assert (found.broken(GOOD, "vi"), found.broken(GOOD, "th")) == (None, "words>=1000")
    assert found.broken(replace(GOOD, digit_share=0.5), "th") in {"words>=1000", "digit_share<=0.1"}
    assert found.plain()["th"] == {"words": ">=1000"}


def test_what_is_not_known_breaks_no_rule() -> None:
    """A rule about stop words is not broken in a language without a list of them."""
    assert rules("stop_word_share>0.5").broken(measure("abc", "xx"), "xx") is None


def test_the_default_rules_take_a_plain_text_and_refuse_a_repeated_one() -> None:
    """By the data of the package; every signal in it is one there is."""
    default = rules("default")
    assert default.broken(measure(ARTICLE, "vi"), "vi") is None
    assert default.broken(measure("cùng một dòng lặp lại nhiều lần\n" * 20, "vi"), "vi") is not None
    assert {name for table in default.by_language.values() for name in table} <= set(SIGNALS)


@pytest.mark.parametrize("line", ["beauty<1", "words", "words=5", "words>", ">5", "words>5 or so", "", "none.toml"])
def test_what_is_no_rule_is_refused(line: str) -> None:
    """With what to write instead."""
    with pytest.raises(ConfigError):
        rules(line)


@pytest.mark.parametrize("text", ["words = 5", "[vi]\nbeauty = '<1'", "[vi]\nwords = 5", "[vi", '[vi]\nwords = "5"'])
def test_what_is_no_file_of_rules_is_refused(tmp_path: Path, text: str) -> None:
    """Rules outside a table, unknown signals, conditions without a sign."""
    (tmp_path / "rules.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"rules\.toml"):
        rules(str(tmp_path / "rules.toml"))


def test_a_file_of_rules_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    """With the reason in words."""
    missing = str(tmp_path / "rules.toml")
    with pytest.raises(ConfigError) as caught:
        rules(missing)
    assert str(caught.value).splitlines()[0] == f"{missing}: cannot read the rules: No such file or directory"
