"""One view of a page: parsed once, for all readers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.extractors.auto import extractor as auto
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.base import ExtractorOptions
from pipelines.markup import page_view
from pipelines.markup.anchors import LEADING, LINKS
from pipelines.markup.page_view import JSONLD_ELEMENTS, PageView
from pipelines.markup.tree import parse_tree
from pipelines.page.process import process
from storage.records import Capture, SiteModel, SiteRules

PARAGRAPH = "<p>The council agreed on Monday to mend the old bridge over the river before winter comes.</p>"
PAGE = f"<title>The old bridge</title><h1>The old bridge</h1><article>{PARAGRAPH * 9}</article><a href=/2>More</a>"
PIECES = st.sampled_from(
    (
        *("<p>", "</p>", "<a href='/1'>", "<a href='#2'>", "</a>", "<b>", "</b>", "<table>", "<tr><td>", "<br>"),
        *("<template>", "</template>", "<svg>", "<select><option>", "<script>if (a < b) {}</script>", "<!-- no -->"),
        *("<a href>", "<a name=3>", "<a href='#!4'>", "<area href='#'>", "<link href='#/'>", "<meta name=x>", "<h2>"),
        *("<script type='Application/LD+JSON'>{}</script>", "<frameset>", "<frame src=/>", "<body>", "<head>"),
        *("<img alt='a>b'>", "&amp;", "\0", "\ud800", "Tin tức", "<em>Photo</em>", "<title>", "</title>", "<h1>"),
    )
)

DOCTYPES = st.sampled_from(
    (
        *("", "<!doctype html>", "<!DOCTYPE html SYSTEM 'about:legacy-compat'>", "<!DOCTYPE>", "<!DOCTYPE x SYSTEM>"),
        *('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">', '<!DOCTYPE html PUBLIC "" "">', "<!DOCTYPE svg>"),
    )
)
MARKUP = st.tuples(DOCTYPES, st.lists(PIECES, max_size=30).map("".join)).map("".join)


@given(MARKUP)
def test_a_copy_of_the_tree_has_the_blocks_of_a_second_parse(html: str) -> None:
    """A copy has no content of templates, which is not shown. A change of the copy does not change the page."""
    view = PageView(html)
    copy, again = view.copy_of_tree(), parse_tree(html)
    if "<template>" not in html:
        assert (copy.root.html if copy.root else "") == (again.root.html if again.root else "")
    assert walk(copy) == walk(parse_tree(html))
    assert view.tree.html == again.html


@given(MARKUP)
def test_a_parsed_page_gives_the_same_text(html: str) -> None:
    """An extraction does not depend on who parsed the page. The second reading of one view gives the same."""
    view = PageView(html)
    alone, first, second = auto.extract(html), *(auto.extract(html, ExtractorOptions(page=view)) for _ in range(2))
    assert alone == first == second


@given(MARKUP)
def test_elements_of_some_tags_are_those_of_a_query(html: str) -> None:
    """They come in the order of the page, without those of templates."""
    view = PageView(html)

    def queried(selector: str) -> list[int]:
        return [node.mem_id for node in view.tree.css(selector)]

    for tags in (("h1",), ("title", "h1"), ("a", "area", "link"), ("h2", "no-tag", "h1")):
        assert [node.mem_id for node in view.of(*tags)] == queried(", ".join(tags))
    assert [each.node.mem_id for each in view.references] == queried("a[href], area[href], link[href]")
    links = [each for each in view.references if each.tag == "a" and LEADING.match(each.attributes["href"] or "")]
    assert [each.node.mem_id for each in links] == queried(LINKS)
    assert len(view.jsonld) == len(queried(JSONLD_ELEMENTS))
    first = view.tree.css_first("head > title") or view.tree.css_first("title")
    assert view.title == (first.text() if first else "")


def test_a_view_of_another_page_is_not_read() -> None:
    """A rule that removes elements gives the extractor another page than the one that was parsed."""
    other = ExtractorOptions(page=PageView("<p>Another page, which has nothing to do with it."))
    assert auto.extract(PAGE, other) == auto.extract(PAGE)


@pytest.mark.parametrize("rules", [SiteRules(), SiteRules(title="h1")])
def test_a_page_is_parsed_once(monkeypatch: pytest.MonkeyPatch, rules: SiteRules) -> None:
    """Metadata, links, text and judgement read one tree."""
    parsed = []
    parse = page_view.parse_unguarded
    monkeypatch.setattr(page_view, "parse_unguarded", lambda source: parsed.append(source) or parse(source))
    capture = Capture("http://a.example/1", datetime(2026, 11, 20, tzinfo=UTC), 200, (), (), PAGE.encode())
    found = process(capture, SiteModel(hosts=("a.example",), rules=rules))
    assert found.document is not None
    assert "bridge" in found.document.text
    assert len(found.links) == 1
    assert len(parsed) == 1


@pytest.mark.parametrize("html", ["<div>" * 200_000, "<b>" * 30_000 + "<p>" * 30_000, "<p>x" * 500_000])
def test_a_page_that_strains_the_parser_is_not_parsed(html: str) -> None:
    """Its tree is empty, and the reason is known. ``density`` reads it flat."""
    view = PageView(html)
    assert view.problem
    assert view.tree.css_first("div, b, p") is None
    assert view.copy_of_tree().css_first("div, b, p") is None
    assert view.problem in auto.extract(html, ExtractorOptions(page=view)).reason
