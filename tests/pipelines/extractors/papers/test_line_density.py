"""R2L and DANA: the region equals the one that the papers find line by line, read literally."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.base import ExtractorOptions
from pipelines.extractors.papers.line_density import (
    DANA_P,
    FEW_LINES,
    LATIN,
    R2L_P,
    Lines,
    count_characters,
    dana,
    dana_paper,
    difference,
    find_lines,
    main_html,
    main_lines,
    r2l,
    r2l_nepl,
    smoothed,
    split_at_tags,
)
from pipelines.markup.lexer import sanitise
from pipelines.markup.soup import body_of
from tests.pipelines.real_pages import gold_pages, needs_gold

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.records import Extraction

LINE = st.text(st.sampled_from("ab<> \r'\"سلامกข中é\u200c"), max_size=12)
FILES = st.lists(LINE, max_size=40).map("\n".join)


WITH_CODE = st.lists(
    st.one_of(
        LINE, st.sampled_from(["<script>سلام\nab</script>", "<!-- ab\n\nسلام -->", "<STYLE a>\nسل</style >", "</p>"])
    ),
    max_size=40,
).map("\n".join)
CODE = re.compile(r"<!--.*?-->|<(script|style)\b.*?(?=</\1)", re.DOTALL | re.IGNORECASE)


def counted(html: str, *, at_tags: bool = False) -> Lines:
    return count_characters(html, at_tags=at_tags)


def literal_region(html: str, p: int) -> tuple[int, int] | None:
    """R2L, section 4.1, second step, line by line; DANA, phase two, is the same with another P."""
    lines = html.split("\n")
    epl = [len(line.encode("ascii", "ignore")) for line in lines]
    nepl = [len(line) - english for line, english in zip(lines, epl, strict=True)]
    diff = []
    for i in range(len(lines)):
        around = [k for k in (i, i + 1, i - 1) if 0 <= k < len(lines)]
        diff.append(sum(nepl[k] - epl[k] for k in around))
    peak = diff.index(max(diff))
    if diff[peak] <= 0:
        return None
    bounds = []
    for step in (-1, 1):
        reached, k = peak, peak + step
        while 0 <= k < len(lines) and abs(k - reached) <= p:
            if nepl[k]:
                reached = k
            k += step
        bounds.append(reached)
    return bounds[0], bounds[1]


def literal_lines(html: str, *, at_tags: bool = False) -> str:
    """The preprocessing of section 4.1, written into the file: each tag begins a line where that is called for."""
    lines = html.count("\n") + 1
    single = lines < FEW_LINES or html.count("<") > 8 * lines
    return split_at_tags(html) if at_tags or single else html


def assert_same_region(html: str, p: int, name: str = "", *, at_tags: bool = False) -> None:
    found = main_lines(counted(html, at_tags=at_tags), p)
    expected = literal_region(literal_lines(html, at_tags=at_tags), p)
    assert (None if found is None else (found.start, found.stop - 1)) == expected, name


@settings(max_examples=300, deadline=None)
@given(FILES, st.integers(1, 20), st.booleans())
def test_the_region_is_the_papers_read_line_by_line(html: str, p: int, at_tags: bool) -> None:
    """Counting, smoothing and walking give the lines that the literal loops give, ties and borders included."""
    assert_same_region(html, p, at_tags=at_tags)


@settings(max_examples=200, deadline=None)
@given(FILES, st.booleans())
def test_the_span_cuts_the_file_at_the_lines_found(html: str, at_tags: bool) -> None:
    """The offsets hold exactly the lines, without the line end of the last."""
    found = literal_region(literal_lines(html, at_tags=at_tags), 8)
    span = find_lines(html, 8, at_tags=at_tags).span
    assert (found is None) == (span == slice(0, 0))
    if found is not None:
        lines = literal_lines(html, at_tags=at_tags).split("\n")[found[0] : found[1] + 1]
        part = html[span]
        assert part.replace("\n", "") == "".join(lines)
        assert not part.endswith("\n") or lines[-1] == ""


@settings(max_examples=200, deadline=None)
@given(FILES, WITH_CODE, st.booleans())
def test_the_lines_of_the_body_are_counted_and_given_whole(head: str, body: str, at_tags: bool) -> None:
    """What stands before the body tag has no say, nor has code; what is given ends with the lines the paper finds."""
    body = f"<body>{body}"
    fragment = main_html(head.replace("<b", "") + f">\n{body}", 8, at_tags=at_tags)
    found = literal_region(literal_lines(body, at_tags=at_tags), 8)
    if found is not None or sum(not letter.isascii() for letter in body) * LATIN >= len(body.encode()):
        body = CODE.sub("", body)
        found = literal_region(literal_lines(body, at_tags=at_tags), 8)
    if found is None:
        assert fragment == ""
    else:
        lines = literal_lines(body, at_tags=at_tags).split("\n")[found[0] : found[1] + 1]
        assert fragment.replace("\n", "").endswith("".join(lines))


@settings(max_examples=200, deadline=None)
@given(FILES, st.integers(1, 20))
def test_the_papers_output_is_the_nepl_of_the_lines_found(html: str, p: int) -> None:
    """R2L puts out the second field of its structure, line by line, after dividing what is written in one line."""
    html = literal_lines(html)
    found = literal_region(html, p) or (0, -1)
    nepl = ["".join(c for c in line if ord(c) > 127).strip() for line in html.split("\n")[found[0] : found[1] + 1]]
    assert r2l_nepl(html, ExtractorOptions(p=p)).paragraphs == tuple(line for line in nepl if line)


@needs_gold
@pytest.mark.parametrize(("p", "at_tags"), [(R2L_P, False), (DANA_P, True), (DANA_P, False)])
def test_the_region_is_the_papers_on_every_real_page(p: int, at_tags: bool) -> None:
    """The two readings agree, on the page as it is and on its body."""
    for name, html in gold_pages():
        html = sanitise(html)
        assert_same_region(html, p, name, at_tags=at_tags)
        assert_same_region(body_of(html), p, name, at_tags=at_tags)


def test_characters_are_counted_not_bytes_and_line_ends_not_at_all() -> None:
    """Two-, three- and four-byte characters are one each."""
    lines = counted("سل a\n\nกข中\U00020000é!\r\n")
    assert lines.nepl.tolist() == [2, 0, 5, 0]
    assert lines.epl.tolist() == [2, 0, 2, 0]
    assert difference(lines) == [0, 0, 3, 0]


def test_formula_2_adds_both_neighbours_and_nothing_beyond_the_file() -> None:
    """Balances 1, -2, 3 become -1, 2, 1."""
    assert smoothed(counted("س\nab\nسسس")) == [-1, 2, 1]


@pytest.mark.parametrize(("gap", "reached"), [(7, True), (8, False)])
def test_the_walk_reaches_the_next_paragraph_within_p_lines(gap: int, reached: bool) -> None:
    """With P = 8, seven lines between two paragraphs are crossed and eight are not."""
    html = "سلام دنیا سلام\n" + "<i>\n" * gap + "دوم\n"
    found = main_lines(counted(html), 8)
    assert found is not None
    assert (found.stop - 1 > gap) is reached


def test_files_in_one_line_are_split_at_tags_without_empty_lines() -> None:
    """Both forms of the preprocessing put each tag at the start of a line and add no empty one."""
    html = "<p>a</p>\n<p>b<br><br></p>"
    expected = "<p>a\n</p>\n<p>b\n<br>\n<br>\n</p>"
    assert split_at_tags(html) == expected
    lines = [html[start:end].strip("\n") for start, end in itertools.pairwise(counted(html).starts.tolist())]
    assert lines == expected.split("\n")
    assert len(counted("x<\n" * 40).nepl) == 41


ARTICLE = (
    ["<html><body>"]
    + ["<div class='menu'><a href='/1'>خبر</a></div>", "<script>var a = 'کد کد کد کد کد';</script>"] * 12
    + ["<p>رئیس جمهور در سال 2024 به BBC گفت که این کار انجام شده است.</p>", ""] * 5
    + ["<div class='foot' id='footer-of-the-page'>x</div>"] * 30
    + ["</body></html>"]
)


@pytest.mark.parametrize("extractor", [r2l, dana])
def test_the_stored_text_is_the_region_whole(extractor: Callable[[str], Extraction]) -> None:
    """Digits, Latin words, spaces and full stops of the lines found are there; code is not."""
    for html in ("\n".join(ARTICLE), "".join(ARTICLE)):
        found = extractor(html)
        assert found.paragraphs[-1] == "رئیس جمهور در سال 2024 به BBC گفت که این کار انجام شده است."
        assert "var a" not in found.text


def test_the_variants_put_out_what_the_papers_score() -> None:
    """NEPL is the characters beyond ASCII alone; DANA's parser renders the lines of the raw file."""
    html = "\n".join(["<p>سلام بر دنیا و همه 5 مردم گیتی BBC.</p>"] * 40)
    assert set(r2l_nepl(html).paragraphs) == {"سلامبردنیاوهمهمردمگیتی"}
    assert set(dana_paper(html).paragraphs) == {"سلام بر دنیا و همه 5 مردم گیتی BBC."}


def test_pages_in_numeric_references_are_read() -> None:
    """Letters written as references count as letters."""
    line = "".join(f"&#{ord(letter)};" for letter in "سلامدنیا") + "<br>"
    assert r2l("\n".join([line] * 30)).paragraphs == ("سلامدنیا",) * 30


def test_scripts_and_comments_between_paragraphs_do_not_part_them() -> None:
    """Nor is a comment the main content, long as it may be."""
    script = "<script>\n" + "var a = 1;\n" * 30 + "</script>\n"
    html = (
        f"<!-- {'سلام ' * 99} -->\n<p>پاراگراف اول این خبر</p>\n{script}<p>پاراگراف دوم این خبر</p>\n" + "<br>\n" * 30
    )
    assert r2l(html).paragraphs == ("پاراگراف اول این خبر", "پاراگراف دوم این خبر")


def test_without_a_column_above_the_axis_there_is_no_content() -> None:
    """An ASCII page is empty for both, as is one where markup outweighs letters everywhere."""
    for html in ("<p>plain English text</p>", "<p class='long enough'>سل</p>\n" * 30):
        assert r2l_nepl(html).paragraphs == r2l(html).paragraphs == ()
    assert dana("<p>plain English text</p>").paragraphs == ()


def test_p_is_an_option() -> None:
    """A larger P reaches over a longer gap."""
    html = "\n".join(["سلام دنیا سلام دنیا", *["<hr>"] * 30, "پاراگراف دوم"])
    assert len(r2l(html).paragraphs) == 1
    assert len(r2l(html, ExtractorOptions(p=31)).paragraphs) == 2
