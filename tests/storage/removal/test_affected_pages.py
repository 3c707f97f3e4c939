"""Page aliases: removal of a page under any of its addresses removes all of them, and no other page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from storage.blocklist.tombstones import refused
from storage.documents.selection import Selection
from storage.records import Fetched, Processed
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.storage.corpus_samples import Crawl, dropped, fingerprint, link, made
from tests.storage.corpus_samples import capture as captured

if TYPE_CHECKING:
    from storage import Corpus
    from storage.removal.affected_pages import AffectedPages

EVERY = Selection(include_duplicates=True, versions="all")
HERE = "https://a.example/"


class Site(Crawl):
    """A crawl that finds its pages by links, so that they are no sources."""

    def find(self, *pages: tuple[str, Processed]) -> None:
        """Have a list name pages, and read them in that order."""
        self.visit("list", dropped("listing", *(link(path) for path, _ in pages)))
        leases = {lease.url.removeprefix(HERE): lease for lease in self.lease()}
        for path, outcome in pages:
            (fetch_id,) = self.corpus.fetches.record_fetched(
                self.run_id, [(Fetched(captured(HERE + path), leases[path]), self.pointer())]
            )
            self.corpus.documents.record_processed([(fetch_id, leases[path], outcome)])


def form(page: str, text: str = "the text of the page", **stated: str) -> Processed:
    return made(text, canonical=HERE + page, **stated)


def moved(page: str) -> Processed:
    return dropped("redirect", link(page, redirect=True), detail=HERE + page)


def take_out(corpus: Corpus, kind: RequestKind, value: str, *, duplicates: bool = False) -> AffectedPages:
    affected = corpus.removals.declare(RemovalRequest(kind, value, "asked", duplicates))
    corpus.removals.withdraw()
    corpus.removals.finish()
    return affected


def left(corpus: Corpus) -> list[str]:
    return sorted(document.url.removeprefix(HERE) for document in corpus.documents(EVERY))


def kept_away(corpus: Corpus, *paths: str) -> list[str]:
    away = corpus.database.read(lambda connection: refused(connection, [HERE + path for path in paths]))
    return [path for path in paths if HERE + path in away]


PAGE, AMP, PRINT = ("page", form("page")), ("amp", form("page")), ("print", form("page"))
TWO = ("two", made("another text"))


@pytest.mark.parametrize("named", ["page", "amp", "print"])
@pytest.mark.parametrize(
    "pages", [(PAGE, AMP, PRINT), (AMP, PAGE, PRINT), (AMP, PRINT, PAGE), (AMP, PRINT)], ids=lambda pages: pages[0][0]
)
def test_whichever_form_of_a_page_is_named_all_go(
    corpus: Corpus, pages: tuple[tuple[str, Processed], ...], named: str
) -> None:
    """In any order, and before the page itself is reached: it would bring the text back."""
    Site(corpus).find(*pages, TWO)
    take_out(corpus, RequestKind.URL, HERE + named)
    assert left(corpus) == ["two"]
    known = ["page", *(path for path, _ in pages)]
    assert kept_away(corpus, *known, "two", "list", "") == known
    assert all("redacts it" in problem for problem in corpus.problems())


@pytest.mark.parametrize("named", ["short", "shorter", "page"])
def test_a_page_goes_with_the_addresses_that_redirect_to_it(corpus: Corpus, named: str) -> None:
    """Who asks copies the short address, and was told that no text was there."""
    crawl = Site(corpus)
    crawl.find(("shorter", moved("short")), ("short", moved("page")))
    crawl.process(crawl.lease(), [made("the text of the page")])
    crawl.visit("two", made("another text"))
    take_out(corpus, RequestKind.URL, HERE + named)
    assert left(corpus) == ["two"]
    assert kept_away(corpus, "shorter", "short", "page", "two") == ["shorter", "short", "page"]


def test_what_a_page_was_before_it_moved_goes_with_it(corpus: Corpus) -> None:
    """Its text stayed under the address that redirects by now."""
    crawl = Site(corpus)
    crawl.visit("old", made("the text of the page"))
    crawl.visit("old", moved("new"))
    crawl.process(crawl.lease(), [made("the text of the page")])
    take_out(corpus, RequestKind.URL, f"{HERE}new")
    assert left(corpus) == []


def test_an_author_stated_by_one_form_takes_the_others_out_too(corpus: Corpus) -> None:
    """The form for phones has a byline and the page has none; or they differ by their spelling alone."""
    spelled = ("Page?b=1&a=2", made("the text of the page", author="Ann Lee")), ("page?a=2&b=1", made("the text of it"))
    Site(corpus).find(("amp", form("story", author="Ann Lee")), ("story", form("story")), *spelled, TWO)
    take_out(corpus, RequestKind.AUTHOR, "Ann Lee")
    assert left(corpus) == ["two"]


def test_pages_that_repeat_a_text_go_with_their_own_forms(corpus: Corpus) -> None:
    """The original of a copy's form for phones, which gave no text, kept it."""
    copy = form("copy", "the text that is repeated")
    Site(corpus).find(("page", made("the text that is repeated")), ("copy", copy), ("copy-amp", copy), TWO)
    take_out(corpus, RequestKind.URL, f"{HERE}page", duplicates=True)
    assert left(corpus) == ["two"]
    assert kept_away(corpus, "page", "copy", "copy-amp", "two") == ["page", "copy", "copy-amp"]


def sketched(name: str, **stated: str) -> Processed:
    return made(f"text {name}" * 9, prints=fingerprint(name, bytes([ord(name[0])] * 120)), **stated)


@pytest.mark.parametrize(
    ("pages", "named", "stays"),
    [
        ((("x", form("list")), TWO), "x", "list"),
        ((("x", form("")), TWO), "x", ""),
        ((("x", sketched("x", canonical=f"{HERE}y")), ("y", sketched("y")), TWO), "x", "y"),
        ((*((name, sketched(name, canonical=f"{HERE}page")) for name in "xy"), TWO), "x", "page"),
        ((("gone", moved("list")), TWO), "gone", "list"),
        ((("gone", moved("")), TWO), "gone", ""),
        ((("x", made("a text", canonical="https://other.example/x")), TWO), "x", "other"),
        ((("latest", dropped("listing")), ("x", form("latest")), TWO), "x", "latest"),
    ],
)
def test_what_only_seems_to_be_the_same_page_stays(
    corpus: Corpus, pages: tuple[tuple[str, Processed], ...], named: str, stays: str
) -> None:
    """A list, a front page, a page whose text is another, an address that several name, another site."""
    Site(corpus).find(*pages)
    take_out(corpus, RequestKind.URL, HERE + named)
    assert kept_away(corpus, named, stays, "two") == [named]
    assert "two" in left(corpus)
    other = "https://other.example/x"
    assert corpus.database.read(lambda connection: refused(connection, [other])) == set()


def test_a_front_page_that_redirects_to_a_removed_page_is_read_all_the_same(corpus: Corpus) -> None:
    """It leads to another article tomorrow."""
    crawl = Crawl(corpus)
    crawl.visit("", moved("today"))
    crawl.visit("today", made("a text"))
    take_out(corpus, RequestKind.URL, f"{HERE}today")
    assert kept_away(corpus, "", "today") == ["today"]


def test_a_domain_for_phones_goes_alone(corpus: Corpus) -> None:
    """The pages of the domain above it were kept away by what stands for every spelling, and stayed until then."""
    for site in ("a.example", "m.a.example"):
        Crawl(corpus, site=site).visit("one", made(f"text of {site}"))
    take_out(corpus, RequestKind.DOMAIN, "m.a.example")
    assert left(corpus) == ["one"]
    assert kept_away(corpus, "one") == []
