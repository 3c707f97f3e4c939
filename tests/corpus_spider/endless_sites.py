"""Invented sites for many nights of crawling: tarpits that never end, and honest papers that look like them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.records import Kind, Seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HOST = "paper.example"
ROOT = f"http://{HOST}"


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a site: the URLs that it names, as paths or whole, and whether it has a text of its own."""

    links: tuple[str, ...] = ()
    has_text: bool = False
    moved_to: str = ""
    is_index: bool = False
    """Whether it is a sitemap index, so its links are sitemaps."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A site. ``answer`` gives the page at a path in a night; for other hosts the path begins with two slashes."""

    answer: Callable[[str, int], Page]
    feeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()

    def seeds(self) -> list[Seed]:
        """Return its start page, feeds and sitemaps."""
        paths = [("/", Kind.PAGE), *((path, Kind.FEED) for path in self.feeds)]
        paths += [(path, Kind.SITEMAP) for path in self.sitemaps]
        return [Seed(ROOT + path, ROOT + path, "s", HOST, kind) for path, kind in paths]


def whole(path: str) -> str:
    """Return the URL of a path of a paper."""
    return f"http:{path}" if path.startswith("//") else ROOT + path


def path_of(url: str) -> str:
    """Return the path of a URL of a paper."""
    return url.removeprefix(ROOT) if url.startswith(f"{ROOT}/") else url.removeprefix("http:")


def words(seed: object, count: int) -> list[str]:
    """Return words that depend on the seed alone."""
    chance = random.Random(str(seed))
    return [f"{chance.getrandbits(40):x}" for _ in range(count)]


def _number(path: str) -> int:
    return int("".join(filter(str.isdigit, path.rpartition("/")[2])) or 0)


# Tarpits. Their pages are the same at each visit, unless it says otherwise.


def texts(links: int, folder: str = "/t") -> Paper:
    """Texts that lead to texts."""
    return Paper(lambda path, _: Page(tuple(f"{folder}/{word}" for word in words(path, links)), path != "/"))


def scattered(path: str, _: int) -> Page:
    """Texts in a new folder each, of any depth."""
    named = words(path, 12)
    return Page(
        tuple(f"/{word[:3]}{word[3:5]}/{word}/{word[5:]}"[: 8 + number] for number, word in enumerate(named)),
        path != "/",
    )


def lists(path: str, _: int) -> Page:
    """List pages that lead to list pages and to texts."""
    if path.startswith("/text/"):
        return Page(("/",), has_text=True)
    names = words(path, 20)
    return Page((*(f"/list/{word}" for word in names[:8]), *(f"/text/{word}" for word in names[8:])))


def pager(path: str, _: int) -> Page:
    """A list without a last page."""
    if path.startswith("/text/"):
        return Page(("/",), has_text=True)
    number = _number(path)
    return Page((f"/news/page/{number + 1}", *(f"/text/{word}" for word in words(number, 20))))


def own_sitemap(path: str, night: int) -> Page:
    """A sitemap with other texts at each visit; the texts lead to more."""
    if path == "/sitemap.xml":
        return Page(tuple(f"/t/{word}" for word in words((path, night), 1000)))
    return texts(5).answer(path, night)


def sitemap_of_all(path: str, night: int) -> Page:
    """A sitemap of 4,000 texts that stays the same; each text leads to ten more."""
    if path == "/sitemap.xml":
        return Page(tuple(f"/t/{word}" for word in words(path, 4000)))
    return texts(10).answer(path, night)


def sitemap_index(path: str, _: int) -> Page:
    """An index of thousands of sitemaps, with forty texts each."""
    if path == "/index.xml":
        return Page(tuple(f"/map/{word}.xml" for word in words(path, 3000)), is_index=True)
    if path.startswith("/map/"):
        return Page(tuple(f"/t/{word}" for word in words(path, 40)))
    return Page(("/",), path != "/")


def feed(path: str, night: int) -> Page:
    """A feed with fifty other texts at each visit; the texts lead to more."""
    if path == "/endless":
        return Page(tuple(f"/t/{word}" for word in words((path, night), 50)))
    return texts(20).answer(path, night)


def long_feed(path: str, night: int) -> Page:
    """A feed with three hundred other texts at each visit, as many as a large paper has; the texts lead to more."""
    if path == "/endless":
        return Page(tuple(f"/t/{word}" for word in words((path, night), 300)))
    return texts(4).answer(path, night)


def subdomains(path: str, _: int) -> Page:
    """Each text is at a host of its own and leads to more hosts."""
    return Page(tuple(f"//{word}.{HOST}/" for word in words(path, 15)), path != "/")


def redirects(path: str, _: int) -> Page:
    """Each text names pages that redirect to texts."""
    if path.startswith("/go/"):
        return Page(moved_to=f"/t/{words(path, 1)[0]}")
    return Page(tuple(f"/go/{word}" for word in words(path, 15)), path != "/")


def redirect_chains(path: str, _: int) -> Page:
    """Each text names pages that redirect four times before a text."""
    if path.startswith("/go/"):
        number, _, word = path.removeprefix("/go/").partition("/")
        return Page(moved_to=f"/go/{int(number) - 1}/{word}" if int(number) > 1 else f"/t/{word}")
    return Page(tuple(f"/go/4/{word}" for word in words(path, 15)), path != "/")


def calendar(path: str, _: int) -> Page:
    """A day of text for each day, before and after, without end."""
    day = _number(path) or 10**6
    return Page(tuple(f"/day/{day + step}" for step in (-365, -30, -7, -1, 1, 7, 30, 365)), path != "/")


def chain(path: str, _: int) -> Page:
    """A text leads to the next one and to many that are known: the links look like those of a paper."""
    number = _number(path)
    return Page((f"/t/{number + 1}", *(f"/t/{number - back}" for back in range(1, min(number, 30)))), path != "/")


def changing(path: str, night: int) -> Page:
    """Other links at each visit, from the start page too."""
    return Page(tuple(f"/t/{word}" for word in words((path, night), 30)), path != "/")


def in_a_paper(trap: Paper, paper: Paper) -> Paper:
    """A tarpit under a path of a paper. The paper's start page leads to it, and its sources are the paper's too."""

    def answer(path: str, night: int) -> Page:
        own = path in {"/", *paper.feeds} or re.match(r"/section/\d|/news/\d+-", path)
        page = (paper if own else trap).answer(path, night)
        return Page((*page.links, "/t/1"), page.has_text) if path == "/" else page

    return Paper(answer, (*paper.feeds, *trap.feeds), trap.sitemaps)


TARPITS = {
    "texts with 20 links": texts(20),
    "texts with 60 links": texts(60),
    "texts with 3 links": texts(3),
    "texts in new folders": Paper(scattered),
    "lists of lists": Paper(lists),
    "list without a last page": Paper(pager),
    "own sitemap": Paper(own_sitemap, sitemaps=("/sitemap.xml",)),
    "own sitemap that stays": Paper(sitemap_of_all, sitemaps=("/sitemap.xml",)),
    "sitemap index": Paper(sitemap_index, sitemaps=("/index.xml",)),
    "feed": Paper(feed, feeds=("/endless",)),
    "feed of hundreds": Paper(long_feed, feeds=("/endless",)),
    "subdomains": Paper(subdomains),
    "redirects": Paper(redirects),
    "redirect chains": Paper(redirect_chains),
    "calendar": Paper(calendar),
    "chain": Paper(chain),
    "other links at each visit": Paper(changing),
}


# Honest papers.


def _articles(numbers: Iterable[int]) -> tuple[str, ...]:
    return tuple(f"/news/{number}-{'-'.join(words(number, 2))}.html" for number in numbers)


def _related(path: str, known: int, count: int = 5) -> tuple[str, ...]:
    chance = random.Random(path)
    return _articles(chance.randrange(known) for _ in range(count)) if known else ()


def _id(path: str) -> int:
    return int(path.rpartition("/")[2].partition("-")[0])


def listed(articles: int, *, sections: int = 10, a_page: int = 20) -> Paper:
    """A paper with sections of numbered list pages. An article names five others."""

    def answer(path: str, _: int) -> Page:
        if path == "/":
            return Page(
                (*(f"/section/{number}" for number in range(sections)), *_articles(range(articles - 30, articles)))
            )
        if path.startswith("/section/"):
            section, _, page = path.removeprefix("/section/").partition("?page=")
            of_section = range(int(section), articles, sections)
            at = (int(page or 1) - 1) * a_page
            following = (f"/section/{section}?page={int(page or 1) + 1}",) if at + a_page < len(of_section) else ()
            return Page((*following, *_articles(of_section[at : at + a_page])))
        return Page((*_related(path, articles), "/", "/section/0"), has_text=True)

    return Paper(answer)


def in_a_sitemap(articles: int, related: int = 5) -> Paper:
    """A paper whose sitemap names all articles."""

    def answer(path: str, _: int) -> Page:
        if path == "/sitemap.xml":
            return Page(_articles(range(articles)))
        return Page((*_related(path, articles, related), "/"), path != "/")

    return Paper(answer, sitemaps=("/sitemap.xml",))


def linked(articles: int, links: int = 10) -> Paper:
    """A paper whose articles are found through articles alone."""

    def answer(path: str, _: int) -> Page:
        return Page((*_related(path, articles, links), "/"), path != "/")

    return Paper(answer)


def monthly_sitemaps(articles: int, months: int = 12) -> Paper:
    """A paper whose sitemap index names a sitemap for each month."""

    def answer(path: str, _: int) -> Page:
        if path == "/index.xml":
            return Page(tuple(f"/month/{number}.xml" for number in range(months)), is_index=True)
        if path.startswith("/month/"):
            return Page(_articles(range(_number(path), articles, months)))
        return Page((*_related(path, articles), "/"), path != "/")

    return Paper(answer, sitemaps=("/index.xml",))


def daily(articles: int, *, before: int = 0) -> Paper:
    """A paper with so many articles a night, in eight sections and a feed. An article names five earlier ones.

    ``before``: articles that are older than the first night. Only articles lead to them.
    """

    def answer(path: str, night: int) -> Page:
        first = before + night * articles
        today = range(first, first + articles)
        if path == "/":
            return Page((*(f"/section/{number}" for number in range(8)), *_articles(today[-40:])))
        if path == "/feed":
            return Page(_articles(today[-20:]))
        if path.startswith("/section/"):
            return Page(_articles(today[_number(path) :: 8]))
        return Page((*_related(path, _id(path)), "/", "/section/1", "/section/2"), has_text=True)

    return Paper(answer, feeds=("/feed",))
