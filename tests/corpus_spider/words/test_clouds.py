"""Tag clouds: words and sizes against the numbers, no overlaps, and nothing of a hostile word becomes markup."""

from __future__ import annotations

import itertools
import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from corpus_spider.words import clouds
from corpus_spider.words.clouds import MAX_FONT, MIN_FONT, Cloud, PlacedWord, WeightedWord
from corpus_spider.words.lists import WordRow
from storage.errors import ConfigError
from tests.corpus_spider.running import run
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOSTILE = "<script>alert(1)</script>&\"'"
WEIGHTS = st.lists(
    st.builds(WeightedWord, st.text("abcกำ中حكA", min_size=1, max_size=12), st.floats(0.1, 1e6), st.integers(1, 99)),
    min_size=1,
    max_size=40,
    unique_by=lambda each: each.word,
)
SVG = "{http://www.w3.org/2000/svg}"


def cloud_of(words: Sequence[tuple[str, float]], language: str = "en") -> Cloud:
    weights = tuple(WeightedWord(word, weight, 7, 1.5) for word, weight in words)
    return Cloud(weights, language, clouds.direction_of(word for word, _ in words), "G2", "Two sites")


@given(WEIGHTS, st.booleans())
def test_words_do_not_overlap_and_stay_in_the_picture(weights: list[WeightedWord], is_right_to_left: bool) -> None:
    """Each word has its own stretch of its row."""
    placed, width, height = clouds.laid_out(weights, is_right_to_left=is_right_to_left)
    assert sorted(each.word for each in placed) == sorted(each.word for each in weights)
    rows: dict[float, list[PlacedWord]] = {}
    for each in placed:
        assert each.x - each.width / 2 >= 0
        assert each.x + each.width / 2 <= width + 0.1
        assert each.size < each.y < height
        rows.setdefault(each.y, []).append(each)
    for row in rows.values():
        ordered = sorted(row, key=lambda each: each.x)
        assert all(a.x + a.width / 2 <= b.x - b.width / 2 for a, b in itertools.pairwise(ordered))


@given(WEIGHTS)
def test_the_size_of_a_word_is_the_stated_scale(weights: list[WeightedWord]) -> None:
    """The square root of the weight, between the smallest and the largest size."""
    largest = max(each.weight for each in weights)
    sizes = {each.word: each.size for each in clouds.laid_out(weights, is_right_to_left=False)[0]}
    for each in weights:
        expected = MIN_FONT + (MAX_FONT - MIN_FONT) * math.sqrt(each.weight / largest)
        assert sizes[each.word] == pytest.approx(expected, abs=0.051)


def test_a_hostile_word_is_text_in_every_form() -> None:
    """Markup in a word, a source or a language is escaped; the picture and the table show it as it is."""
    made = Cloud((WeightedWord(HOSTILE, 5.0, 1),), '"><b>', False, "G2", HOSTILE)
    tree = etree.fromstring(clouds.svg(made).encode())
    assert next(each.text for each in tree.iter(f"{SVG}text")) == HOSTILE
    assert {each.tag.removeprefix(SVG) for each in tree.iter()} == {"svg", "title", "desc", "rect", "g", "text"}
    page = html.document_fromstring(clouds.html(made))
    assert not page.xpath("//script | //b")
    assert page.xpath("//tbody//th/text()") == [HOSTILE]


def test_the_picture_and_the_table_have_the_numbers() -> None:
    """A screen reader gets the weights from the description or the table."""
    made = cloud_of([("small", 25.0), ("large", 100.0)])
    tree = etree.fromstring(clouds.svg(made).encode())
    sizes = {each.text: each.get("font-size") for each in tree.iter(f"{SVG}text")}
    assert (sizes["large"], sizes["small"]) == ("56.0", "34.0")
    assert (
        tree.findtext(f"{SVG}desc") == "small: 25.00, 7 times, log ratio 1.50; large: 100.00, 7 times, log ratio 1.50"
    )
    assert made.caption in str(tree.findtext(f"{SVG}title"))
    assert "square root" in made.caption
    cells = html.document_fromstring(clouds.html(made)).xpath("//tbody/tr[1]/*/text()")
    assert cells == ["small", "25.00", "7", "1.50"]
    assert clouds.svg(made) == clouds.svg(made)


def test_a_script_from_right_to_left_is_set_from_the_right() -> None:
    """The first word in order stands at the right end of its row."""
    made = cloud_of([("حكومة", 5.0), ("مدارس", 4.0)], "ar")
    placed = {each.word: each.x for each in made.placed()[0]}
    assert placed["حكومة"] > placed["مدارس"]
    assert 'direction="rtl"' in clouds.svg(made)
    assert 'dir="rtl"' in clouds.html(made)


def test_stop_words_numbers_and_marks_are_left_out() -> None:
    """Without a list of the language, words of most documents are left out instead."""
    rows = [
        WordRow(word, 9, 1.0, documents, 0.0) for word, documents in (("của", 9), ("2026", 3), ("ๆ", 3), ("xăng", 3))
    ]
    assert [each.word for each in clouds.by_frequency(rows, ["vi"], 10, 10)] == ["xăng"]
    assert [each.word for each in clouds.by_frequency(rows, ["xx"], 10, 10)] == ["xăng"]


def test_words_of_a_page_are_weighed_against_a_reference() -> None:
    """G2 by its formula; a word that the reference has more of is left out."""
    found = clouds.of_page({"gas": 10, "road": 1}, {"gas": 10, "road": 990}, 10_000, "en", 10)
    both, here, there = 20, 11, 10_000
    expected = 2 * sum(10 * math.log(10 / (both * size / (here + there))) for size in (here, there))
    assert [each.word for each in found] == ["gas"]
    assert found[0].weight == pytest.approx(expected, abs=0.01)
    assert found[0].log_ratio == pytest.approx(math.log2((10 / here) / (10 / there)), abs=0.01)


@pytest.mark.parametrize("form", ["svg", "html", "png"])
def test_a_cloud_of_one_page_without_a_corpus(tmp_path: Path, form: str) -> None:
    """Extract, split into words, draw: one command, by frequency without stop words."""
    if form == "png":
        need("figures")
    sentence = "The parliament debated petrol prices, and petrol stations in the harbour raised petrol prices again. "
    body = "".join(f"<p>{sentence}</p>" for _ in range(6))
    page = tmp_path / "page.html"
    page.write_text(f"<html lang=en><title>Petrol</title><article><h1>Petrol</h1>{body}</article></html>")
    out = tmp_path / f"cloud.{form}"
    result = run(tmp_path, "cloud", "--page", str(page), "-o", str(out), "--json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["words"][0]["word"] == "petrol"
    assert "the" not in {row["word"] for row in answer["words"]}
    assert out.read_bytes().startswith({"svg": b"<svg", "html": b"<!doctype", "png": b"\x89PNG"}[form])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--language", "vi"], "Name a file with -o"),
        (["--language", "vi", "-o", "cloud.pdf"], "ends in .svg, .html or .png"),
        (["--page", "page.html", "--site", "a", "--json"], "--page excludes"),
        (["--json"], "Name a --language"),
    ],
)
def test_a_wrong_command_is_explained(tmp_path: Path, arguments: list[str], message: str) -> None:
    """The message says which option is missing or wrong."""
    result = run(tmp_path, "cloud", *arguments)
    assert result.returncode == 2
    assert message in result.stderr


def test_a_font_that_is_newer_than_the_list_of_fonts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """matplotlib keeps a list of fonts in a file. A font that was installed later is not in it."""
    need("figures")
    from matplotlib import font_manager as manager

    path = manager.findfont("DejaVu Sans")
    monkeypatch.setattr(manager.fontManager, "ttflist", [])
    monkeypatch.setattr(manager, "findSystemFonts", lambda: [path])
    assert clouds.png(cloud_of([("petrol", 1.0)])).startswith(b"\x89PNG")


def test_a_picture_without_a_font_for_its_script_is_refused() -> None:
    """A PNG of boxes would say nothing; the message names the other forms."""
    need("figures")
    with pytest.raises(ConfigError, match="no installed font"):
        clouds.png(cloud_of([("\U00016f00\U00016f01", 1.0)]))
