"""A page whose metadata are read: what several of their readers need is read once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pipelines.markup.page_view import contents_of
from pipelines.metadata.beside import letters_of, teaser_test
from pipelines.metadata.headline import around_headline
from pipelines.metadata.jsonld import read_jsonld
from pipelines.text.normalise import letters_of_all
from pipelines.urls.url import host_of, registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView
    from pipelines.metadata.headline import Surroundings
    from pipelines.metadata.jsonld import Statement


class StatedPage:
    """A page with its URL. Each property is read when a reader of metadata needs it first."""

    def __init__(self, view: PageView, url: str) -> None:
        self.view, self.url = view, url

    @cached_property
    def stated(self) -> Statement:
        """What the JSON-LD states about the article."""
        return read_jsonld(self.view.jsonld, self.url)

    @cached_property
    def title_letters(self) -> str:
        """The letters of the first title element, which may be that of a drawing."""
        return letters_of(next(iter(self.view.of("title")), None))

    @cached_property
    def headings(self) -> list[LexborNode]:
        """The h1 elements."""
        return self.view.of("h1")

    @cached_property
    def site_names(self) -> set[str]:
        """The letters of the names that the page and its URL give the site."""
        domain = registered_domain(host_of(self.url))
        names = [*contents_of(self.view.contents, ("og:site_name", "application-name"))]
        return {*letters_of_all(names), *filter(None, letters_of_all((domain.partition(".")[0], domain)))}

    @cached_property
    def is_in_teaser(self) -> Callable[[LexborNode], bool]:
        """Test whether an element is in a teaser of another page."""
        return teaser_test(self.title_letters, self.url)

    @cached_property
    def around(self) -> Surroundings:
        """The elements around the headline."""
        return around_headline(self.view, self.title_letters, self.is_in_teaser)
