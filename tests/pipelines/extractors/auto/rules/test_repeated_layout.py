"""Repeated layout: elements of one page that belong together by their markup."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.extractors.auto import selection
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.rules import boilerplate, repeated_layout
from pipelines.markup.tree import parse_tree

TITLE = "The river has risen over the quays"
SAID = "The river rose by another hand this hour, and the ferries stay where they are."


def page(body: str) -> PageBlocks:
    return PageBlocks(walk(parse_tree(f"<title>{TITLE}</title><body>{body}</body>")))


def entries(count: int, markup: str = "<div class=when>{0}:00</div><div class=what>{0}. {1}</div>") -> str:
    return "".join(f"<div class=entry>{markup.format(number, SAID)}</div>" for number in range(count))


def starting(page: PageBlocks, *words: str) -> np.ndarray:
    return np.array([text.startswith(words) for text in page.blocks.texts])


def completed(page: PageBlocks, chosen: np.ndarray, probability: float = 0.2) -> list[str]:
    found = repeated_layout.completed(page, chosen, np.full(page.count, probability), np.ones(page.count, bool))
    return [page.blocks.texts[index].partition(" ")[0] for index in np.flatnonzero(found)]


@pytest.mark.parametrize(
    ("chosen", "probability", "found"),
    [
        ("0. 1. 2. 4. 6. 7.", 0.1, "0. 1. 2. 3. 4. 5. 6. 7."),
        ("2. 3. 4. 5. 6. 7.", 0.1, "2. 3. 4. 5. 6. 7."),
        ("0. 1. 2. 3. 4. 5.", 0.2, "0. 1. 2. 3. 4. 5. 6. 7."),
        ("0. 1. 2. 3. 4. 5.", 0.1, "0. 1. 2. 3. 4. 5."),
        ("0. 1. 2. 4. 6. 7.", 0.01, "0. 1. 2. 4. 6. 7."),
        ("0. 3. 7.", 0.2, "0. 3. 7."),
        ("0.", 0.2, "0."),
        ("-", 0.2, ""),
    ],
    ids=["among", "before", "behind", "behind, hardly likely", "among, unlikely", "few of many", "one", "none"],
)
def test_entries_made_like_most_that_were_chosen_are_content(chosen: str, probability: float, found: str) -> None:
    """Among the chosen ones; behind them where they are many and likelier; what is made otherwise stays out."""
    report = page(entries(8))
    assert completed(report, starting(report, *chosen.split()), probability) == found.split()


@pytest.mark.parametrize(
    "markup",
    [
        "<p id='b{0}' class=par>{0}. {1}</p>",
        "<p class='par par-{0}'>{0}. {1}</p>",
        "<p id='p{0}'>{0}. {1}</p>",
        "<p class=par data-key='{1}{0}'>{0}. {1}</p>",
    ],
)
def test_entries_are_alike_with_any_numbers_and_names(markup: str) -> None:
    """Systems give each paragraph an id, a number among its classes or a key of its own."""
    report = page("".join(markup.format(number, SAID) for number in range(8)))
    assert completed(report, starting(report, *"012467"), 0.1) == [f"{number}." for number in range(8)]


@pytest.mark.parametrize("tail", [f"<aside>{entries(3)}</aside>", entries(3, "<div class=what>{0} More to read</div>")])
def test_what_is_behind_counts_in_the_same_element_and_in_sentences(tail: str) -> None:
    """Entries of another list, and headlines, are no part of the report."""
    report = page(f"<section>{entries(8)}</section><section>{tail}</section>")
    chosen = starting(report, *(f"{number}." for number in range(8)))
    chosen[np.flatnonzero(chosen)[8:]] = False
    assert len(completed(report, chosen)) == 8


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("<p>Price: $129</p>", True),
        ("<p>The winners are:</p>", True),
        ("<p>* * *</p>", False),
        ("<p>Price: <a href=/buy>$129</a></p>", False),
        ("<p class=ad>Price: $129</p>", False),
        ("<h6>Price: $129</h6>", False),
        ("<p>The winners are:</p><div><a href=/winners>The winners of the year</a></div>", False),
    ],
    ids=["said", "names the next", "marks", "leads elsewhere", "made otherwise", "no paragraph", "names what is out"],
)
def test_a_short_paragraph_among_those_of_the_text_is_content(line: str, *, found: bool) -> None:
    """Little as it is, where most of its make were chosen, in one element; signs that part sections are none."""
    report = page(
        "<div>" + "".join(f"<p>{number}. {SAID}</p>" + line * (number == 4) for number in range(8)) + "</div>"
    )
    chosen = starting(report, *(f"{number}." for number in range(8)))
    assert len(completed(report, chosen)) == 8 + found


CELLS = "<table><tr><td>Quay</td><td>3 m</td></tr><tr><td>Mill</td><td>2</td></tr></table>"
BODY = f"<p>First. {SAID}</p><p>Second. {SAID}</p>{{}}<p>Third. {SAID}</p>"


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ("<ul><li>Two eggs</li><li>Some flour</li></ul>", 5),
        ("<h3>The flood in figures</h3><table><tr><td>Quay</td><td>3 m</td></tr></table>", 6),
        ("<h4>Quay</h4><ul><li>Ann Ek</li></ul><h4>Mill</h4><ul><li>Bo Lund</li></ul>", 7),
        ("<h3>The flood in figures</h3><p>Sign up</p><ul><li>Two eggs</li></ul>", 3),
        ("<div><h4>Also</h4><a href=/a>A quay is shut</a></div><h2>The flood in figures</h2>", 4),
        (f"<div class=related><h4>Also</h4>{CELLS}</div>", 3),
        (f"<p>Sign up</p>{CELLS.replace('3 m', '<a href=/a>3 m</a>')}", 3),
        ("<ul class=share><li>Print</li><li>Save</li></ul>", 3),
        ("<ul><li><a href=/a>Ferries stay in port</a></li><li><a href=/b>A quay is shut</a></li></ul>", 3),
    ],
    ids=[
        *("list", "table under a subhead", "two lists", "with something else", "subhead behind a box"),
        *("table in a box", "table with a link", "named as a tool", "links"),
    ],
)
def test_lists_and_tables_among_the_text_are_content(between: str, found: int) -> None:
    """With subheads over them; not where they lead elsewhere, or are a box together with something else.

    An article that has the name of a tool itself, as one with buttons to share has, is no box.
    """
    for body in (BODY.format(between), f"<div class='text with-form'>{BODY.format(between)}</div>"):
        article = page(body)
        chosen = starting(article, "First.", "Second.", "Third.")
        everything = np.ones(article.count, bool)
        assert repeated_layout.enclosed(article, chosen, np.full(article.count, 0.1), everything).sum() == found


TEAM = "<ul><li>Ann Ek</li><li>Bo Lund</li></ul>"


@pytest.mark.parametrize(
    ("behind", "found"),
    [
        (f"<h3>The flood in figures</h3>{CELLS}", 5),
        (f"<p><b>The crew:</b></p>{TEAM}", 3),
        (f"<h3>Figures</h3><figure>{CELLS}</figure><h3>The crew</h3>{TEAM}", 8),
        (f"<h3>More</h3><h3>The crew</h3>{TEAM}", 0),
        (f"<p>Sign up</p>{TEAM}", 0),
        (f"<div class=tags>{TEAM}</div>", 0),
        (f"</div><div>{TEAM}", 0),
        ("<ul><li><a href=/a>Ferries stay in port</a></li><li>A quay is shut</li></ul>", 0),
        ("<h3>2 replies</h3><ul><li>A shame for the town.</li><li>I agree with you.</li></ul>", 0),
    ],
    ids=[
        *("table", "list under a line", "several", "two names", "behind something else", "named as tags"),
        *("in another element", "links", "sentences, unlikely"),
    ],
)
@pytest.mark.parametrize(
    "body", ["<p>First. {0}</p><p>Second. {0}</p>", "First. {0}<br><br>Second. {0}", "<p>First. {0}{0}</p>"]
)
def test_lists_and_tables_right_behind_the_text_close_it(body: str, behind: str, found: int) -> None:
    """With what names them; not where they lead elsewhere, are marked as something else, or are readers' comments."""
    article = page(f"<div><div>{body.format(SAID)}{behind}</div></div><p>Sign up</p>")
    chosen, everything = starting(article, "First.", "Second."), np.ones(article.count, bool)
    closed = repeated_layout.closing(article, chosen, np.full(article.count, 0.1), everything)
    assert closed.sum() == chosen.sum() + found


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ("<h3>For the dough</h3><ul><li>Two eggs</li><li>Some flour</li></ul>", 3),
        ("<table><tr><td>Quay</td><td>3</td></tr><tr><td>Mill</td><td>2</td></tr></table>", 4),
        ("<ul><li>08:15</li><li>08:30</li></ul>", 0),
    ],
    ids=["ingredients", "figures", "times"],
)
def test_lines_of_lists_and_cells_need_less_probability_than_numbers(between: str, found: int) -> None:
    """As of a recipe in three parts, or a table of results. Times of a live report name no part of it."""
    article = page(BODY.format(between))
    chosen, everything = starting(article, "First.", "Second.", "Third."), np.ones(article.count, bool)
    assert repeated_layout.enclosed(article, chosen, np.full(article.count, 0.02), everything).sum() == 3 + found


def test_a_table_of_which_the_first_cells_were_chosen_is_read_to_its_end() -> None:
    """The cells behind the last chosen one are in the same table."""
    article = page(
        f"<div><p>First. {SAID}</p><p>Second. {SAID}</p><table><tr><td>Quay</td><td>3 m</td></tr></table></div>"
    )
    chosen, everything = starting(article, "First.", "Second.", "Quay"), np.ones(article.count, bool)
    assert repeated_layout.closing(article, chosen, np.full(article.count, 0.1), everything).all()


def test_what_a_report_misses_is_found_through_all_of_the_choice() -> None:
    """Entries that are less likely one by one."""
    shown = page(f"<h1>{TITLE}</h1>{entries(8)}")
    likely = np.where(starting(shown, "0.", "1.", "2.", "3.", "5.", "7."), 0.8, 0.01)
    likely[starting(shown, "4.", "6.")] = 0.1
    assert selection.find(shown, shown.title, likely).chosen.sum() == 8


LINKS = "<ul><li><a href=/x>Who shut the bridge?</a></li><li><a href=/y>The quays.</a></li></ul>"


@pytest.mark.parametrize(
    ("box", "out"),
    [
        (f"<div class='yarpp yarpp-related'><h3>See also</h3>{LINKS}</div>", 3),
        (f"<div id=relatedBox>{LINKS}</div>", 2),
        ("<div><a href=/x>The bridge is shut</a><p class=BoxRelatedNewsSapo>The ferries stay.</p></div>", 1),
        ("<div class=related><h3>See also</h3><p>The ferries stay where they are.</p></div>", 0),
        (f"<div class=chapter>{LINKS}</div>", 0),
        ("<section id=related-work><p>Ek built one in 1990.</p><p><a href=/x>Ek 1990</a></p></section>", 0),
        ("<div class=read-more-content><p>The ferries stay.</p><p><a href=/x>Times</a></p></div>", 0),
        ("<div class='admonition recommendation'><p>Take the ferry.</p><p><a href=/x>Times</a></p></div>", 0),
        (f"<div class=related><p>{SAID * 4}</p>{LINKS}</div>", 0),
    ],
    ids=["box", "id", "beside a link", "no link", "no name", "section", "unfolded", "advice", "much of the text"],
)
def test_what_is_named_as_related_articles_and_has_links_is_none_of_this_one(box: str, out: int) -> None:
    """Its heading and its links go, though they end as sentences, and what it tells of another article."""
    shown = page(f"<h1>{TITLE}</h1>{f'<p>{SAID}</p>' * 6}{box}")
    assert boilerplate.related(shown, np.ones(shown.count, bool)).sum() == out


def test_thousands_of_makes_take_no_time() -> None:
    """Every block has a make of its own."""
    many = "".join(f"<h1>{number}</h1><p class='a{number}'>{SAID}</p>" for number in range(5000))
    shown = page(f"<main><h1>{TITLE}</h1><p>{SAID}</p></main>{many}")
    chosen = np.arange(shown.count) % 3 > 0
    assert len(completed(shown, chosen)) >= chosen.sum()


@pytest.mark.parametrize(
    ("card", "found"),
    [
        ("<h2>{}. Mill</h2><p>{}</p>", 8),
        ("<h2>{}. Mill</h2><div><p>{}</p></div>", 8),
        ("<div><h2>{}. Mill</h2></div><div><p>{}</p></div>", 8),
        ("<div><h2>{}. Mill</h2><b>Rooms</b><p>Ask</p></div><p>{}</p>", 4),
    ],
    ids=["beside", "text in an element", "both in elements", "heads something else"],
)
def test_the_subhead_of_a_card_is_content_with_its_text(card: str, found: int) -> None:
    """As in lists of the best, where each card ends with a button."""
    button = "<div><a href=/shop>See prices</a></div>"
    cards = "".join(f"<div>{card.format(number, SAID)}{button}</div>" for number in range(4))
    article = page(f"<p>First. {SAID}</p>{cards}")
    chosen, everything = starting(article, "First.", SAID[:20]), np.ones(article.count, bool)
    assert repeated_layout.enclosed(article, chosen, np.full(article.count, 0.1), everything).sum() == found + 1


@pytest.mark.parametrize("missed", ["<table><tr><td>N5<td>100<tr><td>N4<td>300</table>", "<h3>Since noon</h3>"])
def test_tables_and_subheads_are_read_in_articles_of_which_little_else_is_missed(missed: str) -> None:
    """Rows of tables, and subheads, that are unlikely by themselves are read on the surest pages, too."""
    article = page(f"<p>1. {SAID * 6}</p>{missed}<p>2. {SAID * 6}</p>")
    probability = np.where(starting(article, "1.", "2."), 0.99, 0.1)
    content = selection.find(article, np.zeros(article.count), probability)
    assert content.chosen.all()
