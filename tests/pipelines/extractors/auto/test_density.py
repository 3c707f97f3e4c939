"""Density: blocks, their features and weights, and the parts of the segment that are removed."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto.density import (
    CAPTION,
    COMMENT,
    DOUBTFUL,
    OUTSIDE,
    DensityBlock,
    extract,
    marks,
    split,
    weigh,
)
from pipelines.markup.soup import scan


@pytest.mark.parametrize(
    ("name", "tag", "expected"),
    [
        ("nav", "<nav>", OUTSIDE),
        ("figcaption", "<figcaption>", CAPTION),
        ("div", "<div class='relatedPosts'>", DOUBTFUL),
        ("div", '<div id="comments">', COMMENT),
        ("div", "<div class=commentary>", 0),
        ("section", "<section class='headerless download'>", 0),
        ("p", "<p>", 0),
    ],
)
def test_marks_come_from_names_and_from_whole_words_of_class_and_id(name: str, tag: str, expected: int) -> None:
    """``ad`` is found as a word and in camel case, not inside another word."""
    assert marks(name, tag) == expected


def test_a_page_is_cut_at_block_level_tags_and_not_at_inline_ones() -> None:
    """Bold words, line breaks and links stay in their block, which counts linked characters apart."""
    blocks = split(scan("<p>one <b>two</b><br><a href=x>three</a></p><div>四五</div>"))
    assert [(block.name, block.chars, block.linked, block.unspaced) for block in blocks] == [
        ("a", 11, 5, 0),
        ("div", 2, 0, 2),
    ]


def test_links_cost_and_text_brings() -> None:
    """Plain text is worth its characters, linked text costs, an aside is never content."""
    assert weigh(DensityBlock(0, name="p", chars=100)) > 0 > weigh(DensityBlock(0, name="p", chars=100, linked=100))
    assert weigh(DensityBlock(0, name="p", chars=100, marks=OUTSIDE)) < 0
    assert weigh(DensityBlock(0, name="p", chars=100, unspaced=100)) > weigh(DensityBlock(0, name="p", chars=100))


SENTENCE = "This is a sentence of the article, and it goes on for a while until it ends. "


def test_the_segment_is_kept_without_the_boxes_inside_it() -> None:
    """Navigation, related links, captions and comments go; paragraphs and subheads stay."""
    html = (
        "<nav>" + "<a href=x>Section of the paper</a>" * 9 + "</nav>"
        f"<p>{SENTENCE * 3}</p><figure><figcaption>Photo: somebody or other at work</figcaption></figure>"
        f"<ul><li><a href=y>Another story one may like to read</a></li></ul><h2>Subhead</h2><p>{SENTENCE * 2}</p>"
        f"<div id=comments><p>{SENTENCE}</p></div>"
    )
    assert extract(html).paragraphs == ((SENTENCE * 3).strip(), "Subhead", (SENTENCE * 2).strip())


def test_a_mark_that_all_text_bears_is_ignored() -> None:
    """A whole page inside ``<aside>`` is read all the same."""
    assert extract(f"<aside><p>{SENTENCE}</p><p>{SENTENCE}</p></aside>").paragraphs == (SENTENCE.strip(),) * 2
