"""Appeals: boxes whose link leads to a page for donations, subscriptions, newsletters or privacy."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto.blocks.tree_marks import APPEAL, mark_appeals
from pipelines.markup.tree import parse_tree


@pytest.mark.parametrize(
    ("address", "is_appeal"),
    [
        ("/donate", True),
        ("https://a.example/Support-Us?from=article", True),
        ("/newsletters/subscribe", True),
        ("/members/membership/cookie-policy", True),
        ("/news/donated-books", False),
        ("/news/the-supporting-actor", False),
        ("", False),
    ],
)
def test_a_box_is_an_appeal_by_the_address_of_its_link(address: str, is_appeal: bool) -> None:
    """A box has the class once, also if several words of its address are those of an appeal."""
    tree = parse_tree(f"<article><p>Prose of an article.</p><div><a href='{address}'>Join us</a></div></article>")
    mark_appeals(tree)
    assert (tree.html or "").count(APPEAL) == is_appeal


def test_links_without_an_address_are_no_appeals() -> None:
    """A place of the page and an empty attribute have no address."""
    tree = parse_tree("<div><a name=donate>Join us</a></div><div><a href>Join us</a></div>")
    mark_appeals(tree)
    assert APPEAL not in (tree.html or "")
