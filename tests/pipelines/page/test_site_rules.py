"""Rules of a site: CSS selectors for the text and the metadata of its pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.extractors.registry import EXTRACTORS
from pipelines.markup.selectors import selector_problem
from pipelines.markup.tree import outermost, parse_tree
from pipelines.page.process import process
from storage.records import RULES, Capture, Document, Processed, SiteModel, SiteRules, noted_matches

SENTENCE = "Chính quyền địa phương cho biết nhiều công trình mới được xây dựng ở miền trung trong năm nay. "
FIRST, SECOND, LEAD = SENTENCE * 3, f"Người dân rất vui. {SENTENCE}{SENTENCE}", f"Tóm tắt: {SENTENCE}".strip()
PAGE = f"""<html lang=vi><head><title>Công trình mới - Báo Mẫu</title><meta name=author content="Báo Mẫu"></head><body>
<div class=menu><a href=/a>Trang chủ</a></div><h1>Công trình mới</h1><b class=own>Tin xây dựng miền Trung</b>
<p class=lead>{LEAD}</p><i class=when><time datetime="2026-11-18T08:00:00+07:00">hôm kia</time></i>
<div class=body><h2>Ở Huế</h2><p>{FIRST}</p><figure><img src=x><figcaption>Ảnh cây cầu mới</figcaption></figure>
<div class=box>Xem thêm: <span class=box>các tin khác</span> trong ngày</div>
<ul><li>một cây cầu</li></ul><p>{SECOND}</p><blockquote>Chúng tôi rất vui.</blockquote></div>
<p class=by>Theo <b>Lan Phạm</b></p><p class=by>Minh Trần</p></body></html>"""
RULES_OF_PAGE = SiteRules(".body", ".box", ".own", ".by", ".when", ".lead")


def processed(rules: SiteRules, page: str = PAGE, **model: object) -> Processed:
    """Process a page of a site with these rules."""
    capture = Capture("https://a.example/2.html", datetime(2026, 11, 20, tzinfo=UTC), 200, (), (), page.encode())
    return process(capture, replace(SiteModel(hosts=("a.example",), rules=rules), **model))  # type: ignore[arg-type]


def document(rules: SiteRules, page: str = PAGE, **model: object) -> Document:
    """Return the document of a page of a site with these rules."""
    found = processed(rules, page, **model).document
    assert found is not None
    return found


def test_rules_select_text_and_metadata() -> None:
    """The text is that of `content` with its kinds, without `remove`, after the standfirst; rules are the sources."""
    made = document(RULES_OF_PAGE)
    assert made.text.split("\n") == [
        *(LEAD, "Ở Huế", FIRST.strip(), "một cây cầu", SECOND.strip(), "Chúng tôi rất vui.")
    ]
    assert (made.kinds, made.captions) == ("phplpq", ("Ảnh cây cầu mới",))
    assert (made.extractor, made.extractor_reason, made.confidence) == (RULES, "content: .body", 1.0)
    stated = made.metadata
    assert (stated.title, stated.title_source) == ("Tin xây dựng miền Trung", RULES)
    assert (stated.authors, stated.author_source) == (("Lan Phạm", "Minh Trần"), RULES)
    assert (stated.published, stated.published_source) == ("2026-11-18T08:00:00+07:00", RULES)
    assert stated.published_confidence == 1.0
    assert made.rules == f"{RULES_OF_PAGE.fingerprint} content=1 remove=1 title=1 authors=2 date=1 standfirst=1"


def test_a_page_whose_text_a_rule_selects_is_an_article() -> None:
    """A short text would be dropped without this evidence. A list and a text in another language still are."""
    page = f"<html lang=vi><body><div class=body><p>{SENTENCE * 3}</p></div></body></html>"
    links = "".join(f"<li><a href=/{at}>{SENTENCE}</a></li>" for at in range(9))
    listing = page.replace("</p></div>", f"</p><ul>{links}</ul></div>")
    rules = SiteRules(content=".body")
    drops = [processed(SiteRules(), page), processed(rules, listing), processed(rules, page, languages=("ar",))]
    assert [made.drop.reason for made in drops if made.drop] == ["no_article", "listing", "language"]
    assert document(rules, page).text == (SENTENCE * 3).strip()


def test_a_page_without_a_match_is_read_as_without_rules() -> None:
    """Text, metadata and extractor are the usual ones, and the document says that nothing matched."""
    nothing = SiteRules(*(".none",) * 6)
    usual, made = document(SiteRules()), document(nothing)
    assert usual.rules is None
    assert noted_matches(made.rules or "") == dict.fromkeys(nothing.given, 0)
    assert replace(made, rules=None) == usual


@pytest.mark.parametrize(
    ("rules", "note"),
    [
        (SiteRules(content=".menu + script, .empty"), "content=0"),
        (SiteRules(date="h1"), "date=0"),
        (SiteRules(authors=".empty"), "authors=0"),
        (SiteRules(remove="html, body, head"), "remove=0"),
        (SiteRules(content="script", remove=".empty"), "content=0 remove=1"),
    ],
    ids=["content without text", "a date that is none", "authors without names", "the whole page", "beside a match"],
)
def test_elements_that_give_nothing_are_no_match(rules: SiteRules, note: str) -> None:
    """What they would have given is found as usual."""
    page = PAGE.replace("<body>", "<body><div class=empty> </div><script>var text = 1</script>")
    made, usual = document(rules, page), document(SiteRules(), page)
    assert made.rules == f"{rules.fingerprint} {note}"
    assert (made.text, made.metadata) == (usual.text, usual.metadata)


# R2L and DANA read only scripts from right to left.
@pytest.mark.parametrize(
    "name", sorted({name for name, one in EXTRACTORS.items() if not one.evaluation_only} - {"r2l", "dana"})
)
def test_every_extractor_reads_the_page_without_removed_elements(name: str) -> None:
    """The removed words are in no text, and the text that stays is in it, with a kind for each line."""
    found = processed(SiteRules(remove=".box"), extractor=name, min_chars=1, languages=())
    made = found.document
    assert made is not None
    assert "Xem thêm" not in made.text
    assert SECOND.strip() in made.text
    assert not made.kinds or len(made.kinds) == made.text.count("\n") + 1


def test_an_extractor_that_is_named_finds_the_text_itself() -> None:
    """The other rules still apply, and parameters of the site's own extractor do not."""
    own = SiteModel(extractor="r2l", parameters=(("p", 8),), rules=RULES_OF_PAGE)
    named = own.with_extractor("bte")
    assert (named.extractor, named.parameters) == ("bte", ())
    assert named.rules == replace(RULES_OF_PAGE, content="")
    assert own.with_extractor("r2l").parameters == own.parameters


def test_removed_elements_still_give_links_and_metadata() -> None:
    """A byline or a list of links is no text, but it may be removed without a loss."""
    found = processed(SiteRules(remove=".menu, .by", authors=".by"))
    assert found.document is not None
    assert found.document.metadata.authors == ("Lan Phạm", "Minh Trần")
    assert [link.url for link in found.links] == ["https://a.example/a"]


def test_a_standfirst_that_the_text_has_is_not_repeated() -> None:
    """Nor is a heading that repeats the title that a rule selects."""
    made = document(SiteRules(content="body", remove=".menu, .own, .when, .by", standfirst=".lead", title="h1"))
    lines = made.text.split("\n")
    assert (lines[0], lines.count(LEAD)) == (LEAD, 1)
    assert "Công trình mới" not in lines


@pytest.mark.parametrize(
    ("selector", "problem"),
    [
        ("div.body > p, main :not(.ad)", ""),
        ("div[", 'unknown or incomplete after "div"'),
        ("p::before", 'unknown or incomplete after "p"'),
        ("..x", "unknown or incomplete"),
        ("  ", "unknown or incomplete"),
        ("//div[@class='body']", "this is XPath"),
    ],
)
def test_a_wrong_selector_is_found_before_the_crawl(selector: str, problem: str) -> None:
    """The message says up to where it can be read."""
    assert selector_problem(selector) == problem


TAGS = st.sampled_from(["<div class=a>", "<p>", "<b class=a>", "</div>", "</p>", "</b>", "<table>", "<td>", "x"])


@given(st.lists(TAGS, max_size=40).map("".join), st.sampled_from([".a", "div", ".a p", "*", "p, .a"]))
def test_outermost_elements_hold_all_selected_ones_and_none_of_each_other(page: str, selector: str) -> None:
    """The text of the outermost elements is that of all selected ones, each once."""
    tree = parse_tree(page)
    chosen = outermost(tree, selector)
    found = {node.mem_id for node in tree.css(selector)}
    inside = {node.mem_id for one in chosen for node in one.css("*")} | {node.mem_id for node in chosen}
    assert found <= inside
    for node in chosen:
        around = node.parent
        while around is not None:
            assert around.mem_id not in found
            around = around.parent


@given(st.text(max_size=300), st.sampled_from(["*", "p", "div p", ":not(p)", "body > *"]))
def test_rules_never_break_on_a_page(page: str, selector: str) -> None:
    """Every page gives a document or a drop."""
    made = processed(SiteRules(*(selector,) * 6), f"<p>{page}<div>{page}</p>")
    assert made.document or made.drop
