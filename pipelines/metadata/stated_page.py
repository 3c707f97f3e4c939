"""A page whose metadata are read: what several of their readers need is read once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pipelines.metadata.beside import letters_of, teaser_test
from pipelines.metadata.headline import around_headline
from pipelines.metadata.jsonld import read_jsonld
from pipelines.metadata.meta_elements import contents_of, read_metas
from pipelines.text.normalise import letters_of_all
from pipelines.urls.url import host_of, registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.markup.page_view import PageView
    from pipelines.metadata.headline import Surroundings
    from pipelines.metadata.jsonld import Statement


class StatedPage:
    """A page with its URL. Each property is read when a reader of metadata needs it first."""

    def __init__(self, view: PageView, url: str) -> None:
        self.view, self.tree, self.url = view, view.tree, url

    @cached_property
    def metas(self) -> dict[str, list[str]]:
        """The contents of meta elements by lower-case name."""
        return read_metas(self.view.metas)

    @cached_property
    def stated(self) -> Statement:
        """What the JSON-LD states about the article."""
        return read_jsonld(self.tree, self.url)

    @cached_property
    def title(self) -> str:
        """The text of the title element."""
        return title_element(self.tree)

    @cached_property
    def title_letters(self) -> str:
        """The letters of the first title element, which may be that of a drawing."""
        return letters_of(self.tree.css_first("title"))

    @cached_property
    def headings(self) -> list[LexborNode]:
        """The h1 elements."""
        return self.tree.css("h1")

    @cached_property
    def site_names(self) -> set[str]:
        """The letters of the names that the page and its URL give the site."""
        domain = registered_domain(host_of(self.url))
        names = [*contents_of(self.metas, ("og:site_name", "application-name"))]
        return {*letters_of_all(names), *filter(None, letters_of_all((domain.partition(".")[0], domain)))}

    @cached_property
    def is_in_teaser(self) -> Callable[[LexborNode], bool]:
        """Test whether an element is in a teaser of another page."""
        return teaser_test(self.title_letters, self.url)

    @cached_property
    def around(self) -> Surroundings:
        """The elements around the headline."""
        return around_headline(self.tree, self.title_letters, self.headings, self.is_in_teaser)


def title_element(tree: LexborHTMLParser) -> str:
    """Return the text of the title element: that of the head, or the first one."""
    element = tree.css_first("head > title") or tree.css_first("title")
    return element.text() if element else ""
