"""Questions: what they find in a text, and what is wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus_spider.search.hits.concordance import SoughtWords, lines
from corpus_spider.search.question.question_parser import MAX_QUESTION_CHARS, MOST_WORDS, parse
from corpus_spider.search.question.term import _in_lines, expression
from corpus_spider.search.question.tree import QuestionError, shown, terms
from pipelines.text.annotation.annotator import ATTRIBUTES, TAG
from pipelines.text.words import splitter
from storage.errors import ConfigError

TEXT = (
    "Thủ tướng Chính phủ họp hôm nay.\nchinh phu khong dau\nأعلنت الحكومةُ خطةً، وقال أحمد\nDer Führer für Fans\n"
    "รัฐบาลไทยประกาศ\n中国政府发布"
)


@pytest.mark.parametrize(
    ("question", "keywords"),
    [
        ("chinh phu", ["Chính", "phủ", "chinh", "phu"]),
        ('"chinh phu"', ["Chính phủ", "chinh phu"]),
        ('"chính phủ"', ["Chính phủ"]),
        ("chính", ["Chính"]),
        ("=chinh", ["chinh"]),
        ("fur", ["für"]),
        ("für", ["für"]),
        ("fü*", ["Führer", "für"]),
        ("*r", ["Der", "Führer", "für"]),
        ("f?r", ["für"]),
        ("ch*h", ["Chính", "chinh"]),
        ("ch?nh", ["Chính", "chinh"]),
        ("*ính", ["Chính"]),
        ("=ch?nh", ["Chính", "chinh"]),
        ("=chin*", ["chinh"]),
        ('"ch* p?u"', ["Chính phủ", "chinh phu"]),
        ("phủ?", ["phủ"]),
        ("ال*ة", ["الحكومةُ"]),
        ("รัฐ*", ["รัฐบาล"]),
        ("/f.r|họp/", ["họp", "für"]),
        ("/F(ü|u)(r|hrer)/", ["Führer", "für"]),
        ("/chính/ -gas", ["Chính"]),
        ("/chính/ -họp", []),
        ("الحكومة", ["الحكومةُ"]),
        ("احمد", ["أحمد"]),
        ('"中国政府"', ["中国政府"]),
        ("họp -gas", ["họp"]),
        ("gas OR họp", ["họp"]),
        ('"phủ hôm"', []),
        ('"nay chinh"', []),
    ],
)
def test_what_a_question_finds_in_a_text(question: str, keywords: list[str]) -> None:
    """Marks, points and case make no difference unless they are typed; a phrase stays within a line."""
    split = splitter()
    assert [line.keyword for line in lines(TEXT, SoughtWords(parse(question, split)), split)] == keywords


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("", "no word"),
        ("-gas", "must not occur"),
        ("NOT gas", "must not occur"),
        ("(gas", "not closed"),
        ("gas)", "not opened"),
        (" ".join(["a"] * (MOST_WORDS + 1)), "words at most"),
        ("(" * 30 + "a" + ")" * 30, "nested"),
        ("/a(/", r"^/a\(/: is no regular expression: missing \) at position 2"),
        (f"/{'a' * 201}/", "200 characters at most"),
        ("/(?i:a)/", "flag"),
        ("/(?R)/", "recursion"),
        ("/(?<=a)b/", "look around"),
        ("/[^x]++/", "possessive"),
        ("/a{2}+/", "possessive"),
        ("/vang{e<=1}/", "braces without a number"),
        ("/(?:vang){s}/", "braces without a number"),
        ("/(?:ab){9000000}/", "too often"),
        ("/((a{99}){99}){99}/", "too often"),
        ("a*b*c*d*e*f*g", "more than 5 wildcards"),
        ("*", "wildcard without a word"),
        ('"*"', "no word beside the wildcard"),
        ('"* *" xe', "no word beside the wildcard"),
        ("*เรียน", "only at the end of a word"),
        ("โ?งเรียน", "only at the end of a word"),
        ("/xe buýt/", "begins a regular expression"),
        ("a" * (MAX_QUESTION_CHARS + 1), "4,000 characters at most, this one has 4,001"),
        ("title:" * 600 + "a", "nested"),
        ("a" + " within <s/>" * 300, "nested"),
        ("NOT " * 900 + "a", "nested"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_with_a_reason(question: str, says: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ConfigError, match=says):
        parse(question, splitter())


@pytest.mark.parametrize("typed", ["don't", "don’t", "donʼt"])
def test_apostrophes_are_equal_in_each_form_of_a_word(typed: str) -> None:
    """Words, phrases, wildcards and regular expressions find straight and curly ones alike."""
    split, written = splitter(), ["don't", "don’t", "donʼt"]
    text = f"{'. '.join(written)}. do not"
    for question in (
        typed,
        f'"{typed}"',
        typed.replace("o", "?"),
        f"/{typed}/",
        f"/d.n{typed[3]}t/",
        f'[word="{typed}"]',
    ):
        assert [line.keyword for line in lines(text, SoughtWords(parse(question, split)), split)] == written
    for pattern in (typed, f"don[{typed[3]}x]t"):
        assert list(expression(pattern).expressed([*written, "dont", "donxt"]))[:3] == written


WORDS_OF_TEXTS = ["a", "ab", "ba", "abba", "aa", "b", "á", "ca", "c", "a'b", "a’b", "9a"]


@settings(max_examples=200)
@example("a*")
@example("[^b]*")
@example(r"\Aa.*\Z")
@given(st.text(alphabet="abcá.*+?|()[]^$\\sWdA'’", min_size=1, max_size=8))
def test_many_words_are_compared_as_each_alone(text: str) -> None:
    """They are compared as lines of one text, and a sign that fits the end of a line makes no difference."""
    try:
        term = expression(text)
    except ConfigError:
        return
    assert list(term.expressed(WORDS_OF_TEXTS)) == [word for word in WORDS_OF_TEXTS if term.matches(word)]


@pytest.mark.parametrize("text", [r"\p{L}+", r"\P{Lu}+b", r"a\+*", "a{2}b{1,3}", r"a\{?b", r"\p{Script=Thai}{2}"])
def test_signs_that_only_look_unknown_are_read(text: str) -> None:
    """A class of letters in braces may be repeated, and a sign after a backslash is itself."""
    assert expression(text).value == text


@pytest.mark.parametrize("text", ["[^x]+", r"\D+", "[^x]*", r"\P{Script=Thai}+", r"(?:a|[^x])*", r"\W*[^x]+", r"\X+"])
def test_classes_that_fit_a_line_end_read_no_other_lines(text: str) -> None:
    """Each word read all the words after it, and the expression took too long."""
    lines = _in_lines(text)
    assert lines
    found = [each.group() for each in lines.finditer("\n".join(["ab"] * 100), overlapped=True)]
    assert found == ["ab"] * 100


def test_a_line_end_by_its_number_is_in_no_word() -> None:
    """Words are compared as lines of one text."""
    assert list(expression(r"a\x0a?ab").expressed(["a", "ab", "aab"])) == ["aab"]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("non-.*", "-"),
        (r"#\w+", "#"),
        (".*@.*", "@"),
        (r"u\.s\.a?", "."),
        ("1,234", ","),
        ("AT&T", "&"),
        ("(?:12:30)+", ":"),
        ("e-?mail", ""),
        ("e-{0,1}mail", ""),
        ("[a-z]+", ""),
        ("[-#]?x{1,3}", ""),
        ("l['’]été", ""),
        ('צה"ל', ""),
        ("می‌روم", ""),
    ],
)
def test_an_expression_for_signs_that_no_word_has_is_refused(text: str, sign: str) -> None:
    """The answer was that no document has it, beside thousands of hyphenated words."""
    if sign:
        with pytest.raises(ConfigError, match=f'has "{sign}"'):
            expression(text)
    else:
        assert expression(text).value == text


def test_an_expression_that_takes_too_long_is_refused() -> None:
    """Also one that is quick on most words."""
    with pytest.raises(ConfigError, match="too long"):
        list(expression("(a|aa)+x(b|c)?").expressed(["abc", "a" * 60]))


WORDS_OF_QUESTIONS = ("a", "b*", "=A", "/a.b/", '"a b"', '"AND"', "chính phủ", "รัฐบาลไทย", "中国", "ال*", "covid-19")
OPERATORS = ("(", ")", "-", "AND", "OR", "NOT", "NEAR/3", "...", "…", "within <s/>", "|", '"', " ", "[", "]")
TOKENS = (
    '[word="a"]',
    '[lemma="a" & tag!="N.*"]',
    '[word!="a" & (word="b" | !word="c" %c)]',
    "[]",
    "[]?",
    "{0,2}",
    "[]{0,3}",
)
FIELDS = ("title:", "title:a", "site:x", 'site:"x y"', "author:a", 'section:"x(y"', "date:2026", "date:2026-01..")
SIGNS_OF_QUESTIONS = st.text(alphabet='ab "()-*?/\\[]{}+=.:<>&|!%ANDORNOT\u0e01ا', max_size=6)
SYNTAX = st.lists(
    st.one_of(st.sampled_from((*WORDS_OF_QUESTIONS, *OPERATORS, *TOKENS, *FIELDS)), SIGNS_OF_QUESTIONS), max_size=12
)


@settings(max_examples=400)
@example(["chính", "OR", "[]", "chính", "title:việt"])
@example(["a", "chính", "phủ"])
@example(["-" * 5_000, "a"])
@example(["(" * 5_000, "a"])
@given(SYNTAX)
def test_any_question_is_read_or_refused(pieces: list[str]) -> None:
    """No text ends in another error. What is shown as understood is read as the same question."""
    split = splitter()
    for joint in ("", " "):
        try:
            parsed = parse(joint.join(pieces), split, annotated=ATTRIBUTES)
        except ConfigError:
            continue
        assert terms(parsed)
        assert parse(shown(parsed), split, annotated=ATTRIBUTES) == parsed


def test_the_context_is_whole_words_on_both_sides() -> None:
    """At least eight words or fifty characters, cut at words and marked."""
    text = " ".join(f"word{number}" for number in range(40))
    [line] = lines(text, SoughtWords(parse("word20", splitter())), splitter())
    assert line.left.startswith("…word")
    assert line.left.split()[-1] == "word19"
    assert line.right.split()[0] == "word21"
    assert line.right.endswith("…")
    assert len(line.left.split()) >= 8
    assert line.left_words == ("word19", "word18", "word17")
    assert line.right_words == ("word21", "word22", "word23")


@pytest.mark.parametrize(
    ("words", "left", "right"),
    [(1, "…b, ", " «d…"), (2, "a (b, ", " «d». e…"), (99, "a (b, ", " «d». e f.")],
)
def test_the_context_has_as_many_words_as_are_wanted(words: int, left: str, right: str) -> None:
    """On each side, with the signs between them."""
    [line] = lines("a (b, node «d». e f.", SoughtWords(parse("node", splitter())), splitter(), context=words)
    assert (line.left, line.right) == (left, right)


def keywords(text: str, question: str, language: str) -> list[str]:
    split = splitter()
    return [line.keyword for line in lines(text, SoughtWords(parse(question, split), language), split)]


@pytest.mark.parametrize(
    ("language", "question", "text", "found"),
    [
        ("fa", "خانه", "خانهٔ خانۀ خانه خانه\u200cی خانه\u200cای", ["خانهٔ", "خانۀ", "خانه", "خانه\u200cی"]),
        ("fa", "خانهٔ", "خانه خانۀ", ["خانه", "خانۀ"]),
        ("fa", "اب", "آب اب", ["آب", "اب"]),
        ("fa", "آب", "آب اب", ["آب"]),
        ("ar", "الى", "إلى الى", ["إلى", "الى"]),
        ("ur", "بہار", "بہار بهار بھار", ["بہار", "بهار"]),
        ("ur", "بھار", "بہار بهار بھار", ["بھار"]),
        ("ckb", "بەر", "بەر بهر", ["بەر"]),
        ("he", 'צה"ל', 'דובר צה"ל וגם צה״ל וצה”ל', ['צה"ל', "צה״ל"]),
        ("he", '"דובר צה"ל"', 'דובר צה"ל, דובר צה״ל, צה"ל', ['דובר צה"ל', "דובר צה״ל"]),
        ("he", "בית־ספר", "בית-ספר בית־ספר בית ספר", ["בית-ספר", "בית־ספר", "בית ספר"]),
        ("vi", "quý", "quý qúy quy", ["quý", "qúy"]),
        ("vi", "Ðảng", "Đảng đáng", ["Đảng"]),
        ("vi", "hoà*", "hòa hoà hoàng", ["hòa", "hoà", "hoàng"]),
        ("tr", "ışık", "IŞIK Işık işik", ["IŞIK", "Işık"]),
        ("tr", "IŞIK", "IŞIK Işık işik", ["IŞIK", "Işık"]),
        ("tr", "istanbul", "İstanbul İSTANBUL", ["İstanbul", "İSTANBUL"]),
        ("tr", "ISPARTA", "Isparta ISPARTA", ["Isparta", "ISPARTA"]),
        ("en", "İstanbul", "Istanbul ISTANBUL", ["Istanbul", "ISTANBUL"]),
        ("th", "นํ้า", "น้ำ", ["น้ำ"]),
        ("en", "covid-19", "COVID-19 Covid‑19 covid 19 covid", ["COVID-19", "Covid‑19", "covid 19"]),
        ("id", "anak", "anak-anak", ["anak", "anak"]),
        ("uz", "o'zbek", "oʻzbek o‘zbek o’zbek", ["oʻzbek", "o‘zbek", "o’zbek"]),
        ("uk", "п'ять", "п’ять пʼять", ["п’ять", "пʼять"]),
        ("ja", "ガス", "ｶﾞｽ ガス", ["ｶﾞ", "ガ"]),
        ("en", "didn't", "didn't didn＇t didnt", ["didn't", "didn＇t"]),
        ("de", "strasse", "Straße STRASSE Strase", ["Straße", "STRASSE"]),
        ("de", "=daß", "daß dass", ["daß"]),
        ("de", "stra?e", "Straße Strasse Strafe", ["Straße", "Strafe"]),
        ("de", "/stra.e/", "Straße Strasse", ["Straße"]),
        ("de", "*ß", "groß gross grob", ["groß", "gross"]),
        ("el", "της", "ΤΗΣ της τησ", ["ΤΗΣ", "της", "τησ"]),
        ("el", '[word="της"]', "ΤΗΣ της", ["ΤΗΣ", "της"]),
        ("ru", "мои", "мои мой", ["мои"]),
    ],
)
def test_a_question_finds_the_spellings_of_the_language_of_a_text(
    language: str, question: str, text: str, found: list[str]
) -> None:
    """One table of equal letters serves the question and the text, by the language of the text."""
    shown_words = keywords(text, question, language)
    assert [each[: len(one)] for each, one in zip(shown_words, found, strict=True)] == found


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("chính phủ", "chính AND phủ"),
        ("“chính phủ” xăng", '"chính phủ" AND xăng'),
        ("„chính phủ“", '"chính phủ"'),
        ("«chính phủ» OR 「xăng」", '"chính phủ" OR xăng'),
        ("gas or oil", "gas AND or AND oil"),
        ("gas –oil −coal", "gas AND NOT oil AND NOT coal"),
        ("gas – oil", "gas AND oil"),
        ("MU (thắng OR thua)", "MU AND (thắng OR thua)"),
        ("(meet OR greet) cut 5", "(meet OR greet) AND cut AND 5"),
        ("well-k* C*-algebra", '"well k*" AND "C* algebra"'),
        ("(gas OR oil) -price", "(gas OR oil) AND NOT price"),
        ("=Für govern*", "=Für AND govern*"),
        ("12:30 https://a.example", '"12 30" AND "https a example"'),
        ('"*phố title:x"', '"*phố title x"'),
        ("và/hoặc", '"và hoặc"'),
        ("*ing govern* wom?n", "*ing AND govern* AND wom?n"),
        ("(/a(b|c)/ OR d) -/e/", "(/a(b|c)/ OR d) AND NOT /e/"),
        ("who?! why??", "who AND why"),
        ("covid-1?9 gì?", '"covid 1?9" AND gì'),
        ("a b/c /d/e", 'a AND "b c" AND "d e"'),
        ("chính phủ NEAR/5 quốc hội", '"chính phủ" NEAR/5 "quốc hội"'),
        ("gas NEAR/2 (oil OR coal) price", "gas NEAR/2 (oil OR coal) AND price"),
        ("bầu cử ... kết quả -x", '"bầu cử" ... "kết quả" AND NOT x'),
        ("chờ... mãi", "chờ AND mãi"),
        ('"a ... b"', '"a b"'),
        ('"go" []{0,3} [word="to|for" %c] within <s/>', 'go []{0,3} [word="to|for" %c] within <s/>'),
        ('[word!="a" & word="b.*"]', '[!(word="a") & word="b.*"]'),
        ("/a.c/ b NEAR/3 d", '[word="a.c"] b NEAR/3 d'),
        ('author:"Lan Anh" section:the-gioi họp', 'author:"Lan Anh" AND section:the-gioi AND họp'),
        ("title:(bầu OR cử) site:vnexpress", "(title:bầu OR title:cử) AND site:vnexpress"),
        ("date:2026-02 gas", "date:2026-02-01..2026-02-28 AND gas"),
        ("date:..2026 -date:2026-03-01 gas", "date:..2026-12-31 AND NOT date:2026-03-01 AND gas"),
        ("รัฐบาลไทย NEAR/2 ประกาศ", '"รัฐบาล ไทย" NEAR/2 ประกาศ'),
        ("中国 ... 发布", '"中 国" ... "发 布"'),
        ("gas near/2 oil", "gas NEAR/2 oil"),
        ('[word="gas"] within s', '[word="gas"] within <s/>'),
        ("gas within <s>", "gas within <s/>"),
        ('"xe * * điện"', "xe [] [] điện"),
        ('"* điện tử"', '[] "điện tử"'),
        ('title:"xe * điện" giá', "title:(xe [] điện) AND giá"),
        ("NOT(xe) giá AND(xăng OR dầu)", "NOT xe AND giá AND (xăng OR dầu)"),
        ("AT&T ...chờ", '"AT T" AND chờ'),
        ("'xe điện' giá", '"xe điện" AND giá'),
        ("giá ‘xe điện’", 'giá AND "xe điện"'),
        ("rock 'n' roll don't", "rock AND n AND roll AND don't"),
        ('giá -vàng [word="tăng"]', 'giá AND NOT vàng AND [word="tăng"]'),
        ('giá NOT vàng []{1,2} [word="tăng"] x', 'giá AND NOT vàng AND []{1,2} [word="tăng"] x'),
        ('giá -[word="vàng"]{2} [word="tăng"]', 'giá AND NOT ([word="vàng"]{2}) AND [word="tăng"]'),
        ('giá -(vàng [word="tăng"]) x', 'giá AND NOT (vàng [word="tăng"]) AND x'),
        ('giá -vàng [word="tăng"] NEAR/2 x', 'giá AND NOT vàng [word="tăng"] NEAR/2 x'),
        ('title:giá [word="tăng"]', 'title:giá AND [word="tăng"]'),
    ],
)
def test_a_question_is_shown_as_it_was_understood(question: str, understood: str) -> None:
    """A reader sees what was searched. Quotation marks of all languages make a phrase."""
    assert shown(parse(question, splitter())) == understood


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("chính NEAR phủ", "distance"),
        ("chính WITHIN/3 phủ", "distance"),
        ('[lemma="go"]', "no lemmas"),
        ('[tag="N.*"]', "no tags"),
        ('[pos="N.*"]', 'no attribute "pos"'),
        ("tag:nam", "is no field"),
        ("url:phủ", "is no field"),
        ("gas | oil", "operator"),
        ('<s> [word="a"]', "structure"),
        ('1:[word="a"]', "label"),
        ("gas || oil", "operator"),
        ("gas && oil", "operator"),
        ("gas|oil", "operator"),
        ("gas&&oil", "operator"),
        ("gas>>3>>oil", "sign of another"),
        ("{go}", "sign of another"),
        ('"gas"%c', "sign of another"),
        ("gov.*", "without slashes"),
        ("^gas", "without slashes"),
        (r"\bgas\b", "without slashes"),
        ("go_V", "part of speech"),
        ("gas ADJ oil", "distance"),
        ("gas NEAR5 oil", "distance"),
        ("gas..oil", "range, or a gap"),
        ("gas W/3 oil", "distance"),
        ('"gas oil"~5', "distance or weight"),
        ("colo[u]r", "square brackets in it"),
        ("the…of", "gap without spaces"),
        ("the...of", "gap without spaces"),
        ("roam~2", "similarity"),
        ("gas^4", "weight"),
        ("gas ONEAR/5 oil", "distance"),
        ("gas PRE/3 oil", "distance"),
        ("gas XOR oil", "an operator"),
        ("date>=2020 gas", "comparison"),
        ('lemma="gas"', "comparison"),
        ('[word="e-mail"]', "tokens of their own"),
        ('[word="công_chức"]', "tokens of their own"),
        ('[word="gas"] containing [word="oil"]', "joins tokens"),
        ("MU (meet gas oil -3 3)", "search for pairs"),
        ("(meet gas oil -3 3)", "search for pairs"),
        ('"gas" cut 5', "a part of the hits"),
        ('A = [word="gas"]', "a name"),
        ("set Context 5; gas", "a command"),
        ("gas _{N}", "a sign of another"),
        ("gas !oil", "NOT is -word"),
        ("well-*", "touches only signs"),
        ("*-based", "touches only signs"),
        ('"a well-* man"', "touches only signs"),
    ],
)
def test_syntax_of_other_programs_is_refused_by_name(question: str, what: str) -> None:
    """As words it would find something else, and the numbers would be wrong without a sign."""
    with pytest.raises(ConfigError, match=what):
        parse(question, splitter())


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("vi", "Chính phủ họp. Bao phủ chính sách", ["Chính phủ"]),
        ("vi", "Bao phủ chính sách", ["phủ", "chính"]),
        ("id", "Chính phủ họp. Bao phủ chính sách", ["Chính", "phủ", "phủ", "chính"]),
    ],
)
def test_neighbouring_syllables_come_first_where_words_contain_spaces(
    language: str, text: str, found: list[str]
) -> None:
    """A Vietnamese text shows the whole word, and the syllables apart only if it has no such place."""
    assert keywords(text, "chính phủ", language) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Việt Nam", ["Việt", "Nam"]),
        ('"Việt Nam"', []),
        ("Viet Nam", ["năm", "Việt", "nấm", "Nam"]),
        ("Việt OR Nam", ["năm", "Việt", "nấm", "Nam"]),
        ("Việt AND Nam", ["Việt", "Nam"]),
        ("Việt NEAR/9 nam", ["năm ở Việt"]),
        ('/việt/ [word="việt"] nam', []),
        ("-thành nam", ["năm", "nấm", "Nam"]),
        ("Việt n?m", ["năm", "Việt", "nấm", "Nam"]),
        ('"nấm Nam"', ["nấm Nam"]),
        ('"nam nam"', ["nấm Nam"]),
    ],
)
def test_beside_a_marked_word_an_unmarked_one_has_no_marks(question: str, found: list[str]) -> None:
    """A Vietnamese reader who types one mark types all. In an operand of its own, a word may have any."""
    assert keywords("Một năm ở Việt. Cây nấm Nam bộ", question, "vi") == found


@pytest.mark.parametrize("language", ["fr", "tr", "pl"])
def test_in_other_languages_marks_are_typed_word_by_word(language: str) -> None:
    """Their keyboards leave out one and write another."""
    assert keywords("Le président et son élection", "président election", language) == ["président", "élection"]


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("thành phố", '"thành phố"'),
        ("thành phố OR chính phủ", '"thành phố" OR "chính phủ"'),
        ("thành AND phố", "thành AND phố"),
        ('"thành phố" mới', '"thành phố" AND mới'),
    ],
)
def test_words_side_by_side_are_one_phrase_if_wanted(question: str, understood: str) -> None:
    """Collocates are those of the word that was typed, and not of its syllables."""
    assert shown(parse(question, splitter(), as_phrase=True)) == understood


@pytest.mark.parametrize(
    ("question", "says", "marked"),
    [
        ("gas AND", "no word after AND", "AND"),
        ("OR gas", "no word before OR", "OR"),
        ("(gas OR oil", "not closed", "("),
        ("colo(u)r", "a bracket touches a word", "("),
        ("(gas)oil price", "a bracket touches a word", ")"),
        ('the gas"', "quotation mark is not closed", '"'),
        ("gas NEAR/3", "none on one side", "NEAR/3"),
        ("(a AND b) NEAR/3 c", "not AND, NOT or fields", "(a AND b) NEAR/3"),
        ("a NEAR/5000 b", "up to 1000", "NEAR/5000"),
        ("chính phủ (", "not closed", "("),
        ("a [word=b]", "in quotation marks", "b"),
        ('a [lemma="b"]', "no lemmas", "lemma"),
        ('[word="a("]', "is no regular expression", "a("),
        ('[word="a b"]', "one word", "a b"),
        ('[word="a"]*', "number of times", "*"),
        ("a []{0,99999}", "from 0 to 100", "{0,99999}"),
        ("a []{3,1}", "smaller number first", "{3,1}"),
        ("a [] []{0,60} []{0,60}", "100 times at most", "a [] []{0,60} []{0,60}"),
        ("[]{0,3}", "any words", "[]{0,3}"),
        ("a{0,3}", "directly after", "a{0,3}"),
        ("date:2026-13 a", "no day", "date:2026-13"),
        ("date:2026..2025 a", "is after", "date:2026..2025"),
        ("title: a", "without a value", "title:"),
        ('author:"" a', "has no value", "author:"),
        ("site:x", "no word in the question", "site:x"),
        ("site:x OR a", "joined to words by OR", "site:x OR a"),
        ("اخبار NEAR/x", "distance", "NEAR/x"),
    ],
)
def test_an_error_shows_the_place_of_the_fault(question: str, says: str, marked: str) -> None:
    """The question is written out, with carets below the fault."""
    with pytest.raises(QuestionError, match=says) as caught:
        parse(question, splitter())
    error = caught.value
    assert error.question[error.start : error.end] == marked
    assert "\n  ".join(error.marked()) in str(error)


@pytest.mark.parametrize(
    ("question", "says", "marked"),
    [
        ('[lemma="b"]', "no lemmas", "lemma"),
        ('a [pos="N"]', "no attribute", "pos"),
        ('[tag="N("]', "is no regular expression", "N("),
    ],
)
def test_what_an_index_does_not_know_is_marked(question: str, says: str, marked: str) -> None:
    """An index may have tags and no lemmas."""
    with pytest.raises(QuestionError, match=says) as caught:
        parse(question, splitter(), annotated=(TAG,))
    assert caught.value.question[caught.value.start : caught.value.end] == marked


def test_carets_stand_below_wide_letters() -> None:
    """A Chinese letter takes two cells, and a mark above a letter none."""
    assert QuestionError("", "中国 (", 3, 4).marked()[1] == "     ^"
    assert QuestionError("", "ที่ (", 4, 5).marked()[1] == "  ^"
