"""The publisher's own lines: learned from many texts, not taken for a series, and no reason for a new version."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.bytes.lines import count, digest, pack, unpack
from storage.database.schema import fetch
from storage.documents.own_lines import LinedText, PageLines, find_own_lines
from storage.documents.site_models import LearnedModel
from storage.documents.text_conditions import section_of
from tests.storage.corpus_samples import NOON, Crawl, made, with_parts

if TYPE_CHECKING:
    from storage.corpus import Corpus

APPEAL = "Our newsroom lives on its readers: become a member today."
LINE = digest(APPEAL)


def sample(*groups: tuple[int, str, str], rest: int = 0) -> list[LinedText]:
    """Texts with the line by (number, author, section), and others of several authors and sections without it."""
    own = itertools.count()
    having = [
        LinedText(frozenset({LINE, next(own)}), author, section)
        for number, author, section in groups
        for _ in range(number)
    ]
    return having + [LinedText(frozenset({next(own)}), f"author {at % 5}", f"section {at % 4}") for at in range(rest)]


SPREAD = [(3, "author 1", "section 1"), (4, "author 2", "section 2"), (3, "author 3", "section 3")]


@pytest.mark.parametrize(
    ("found", "is_own"),
    [
        (sample((10, "", "")), True),
        (sample((5, "", "")), True),
        (sample((4, "", "")), False),
        (sample((6, "author 1", "section 1"), rest=4), True),
        (sample(*SPREAD, rest=40), True),
        (sample(*SPREAD, rest=60), False),
        (sample((10, "Ask Anna", "section 1"), rest=20), False),
        (sample((5, "author 1", "weather"), (5, "author 2", "weather"), rest=20), False),
        (sample((30, "", ""), rest=270), False),
        (sample(*[(number * 4, *names) for number, *names in SPREAD], rest=260), True),
    ],
    ids=["all", "five", "four", "most", "a fifth", "a seventh", "column", "weather", "a tenth", "large"],
)
def test_when_a_line_is_the_publishers_own(found: list[LinedText], is_own: bool) -> None:
    """In a tenth of many texts, in most of a few; and not only in texts of one author or section among several."""
    assert find_own_lines(found, PageLines()) == ([LINE] if is_own else [])


@pytest.mark.parametrize(
    ("having", "pages", "is_own"),
    [(3, 6, True), (2, 6, False), (3, 5, False), (0, 10, False)],
    ids=["three texts", "two", "few pages", "no text"],
)
def test_a_line_on_enough_pages_needs_fewer_texts(having: int, pages: int, is_own: bool) -> None:
    """The extractor leaves it out of most texts by itself; a line of no text, or of one, is no matter."""
    groups = [(1, f"author {at}", f"section {at}") for at in range(having)]
    found = find_own_lines(sample(*groups, rest=20), PageLines({LINE: pages}, 10))
    assert found == ([LINE] if is_own else [])


def test_the_section_is_the_first_folder_that_is_no_number() -> None:
    paths = ("/2026/11/28/sport/x.html", "/x", "/weather/2026/x", "", "/tin-tức/x")
    assert [section_of(f"https://a.example{path}") for path in paths] == ["sport", "", "weather", "", "tin-tức"]


def test_a_line_stays_known_when_it_is_left_out(corpus: Corpus) -> None:
    """What was left out of a text counts as one of its lines; otherwise each second model would forget it."""
    crawl = Crawl(corpus)
    for number in range(6):
        crawl.visit(f"with{number}", made(f"text {number}\n{APPEAL}"))
    first = corpus.models.learn_lines("a.example", PageLines())
    assert first.own == (LINE,)
    for number in range(40):
        crawl.visit(f"without{number}", with_parts(made(f"later {number}"), own_lines=pack(first.own)))
    assert corpus.models.learn_lines("a.example", PageLines()).own == (LINE,)


def test_copies_of_one_text_teach_nothing(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    for number in range(8):
        crawl.visit(f"copy{number}", made(f"the same text\n{APPEAL}"))
    assert corpus.models.learn_lines("a.example", PageLines()).own == ()


@pytest.mark.parametrize(
    ("before", "after", "versions"),
    [
        (f"one\ntwo\n{APPEAL}", "one\ntwo", 1),
        ("one\ntwo", f"one\n{APPEAL}\ntwo", 1),
        (f"one\ntwo\n{APPEAL}", "one\nthree", 2),
        ("one\ntwo", "two\none", 2),
    ],
    ids=["gone", "new", "changed", "another order"],
)
def test_a_page_that_differs_by_own_lines_is_no_new_version(
    corpus: Corpus, before: str, after: str, versions: int
) -> None:
    """Whether the line came or went; another change makes a version, and so does any change without a model."""
    model = LearnedModel("a.example", NOON, "1", 7, 20, b"", pack([LINE]))
    corpus.models.add([model])
    crawl = Crawl(corpus)
    for path, version in (("known", f"rules-{model.id}"), ("unknown", "rules")):
        crawl.visit(path, made(before))
        crawl.visit(path, with_parts(made(after), site_model=version))
    number = sa.select(fetch.c.url_id, sa.func.count(fetch.c.version)).group_by(fetch.c.url_id).order_by(fetch.c.url_id)
    with corpus.database.snapshot() as connection:
        assert [found for _, found in connection.execute(number)] == [versions, 2]


def test_a_model_keeps_its_own_lines(corpus: Corpus) -> None:
    """They are a part of its identity; a model of earlier versions, without them, keeps its id."""
    model = LearnedModel("a.example", NOON, "1", 7, 20, b"", pack([LINE, 1]))
    corpus.models.add([model])
    assert corpus.models.newest(["a.example"]) == {"a.example": model}
    bare = replace(model, own_lines=b"", created=NOON + timedelta(hours=1))
    corpus.models.add([bare])
    assert corpus.models.newest(["a.example"]) == {"a.example": bare}
    assert (bare.is_empty, model.is_empty) == (True, False)
    assert bare.id != replace(bare, own_lines=model.own_lines).id


def test_digests_survive_packing() -> None:
    """Sorted, each once; what is no whole digest is ignored."""
    packed = pack([5, -(2**63), 2**63 - 1, 5])
    assert unpack(packed) == unpack(packed + b"\1\2") == {5, -(2**63), 2**63 - 1}
    assert (count(packed), count(b""), unpack(b"")) == (3, 0, frozenset())
