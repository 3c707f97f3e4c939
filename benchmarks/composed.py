"""Compose pages from gold pages: layouts that the gold set does not have, with labels known by construction.

Each kind of page (``KINDS``) is made in two ways. ``edited`` changes a gold page: blocks of its article are cut or
wrapped, boxes are put before, beside, in and after it. ``built`` sets the true text of a gold page in a layout of its
own. Names of classes and places are drawn without a look at what they hold, so a model cannot learn them.

Teasers are from other sites of the given pages. To measure with sites or sources left out, compose the parts apart.
Pages are made in memory; the same pages and seed give the same result.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from html import escape
from random import Random
from typing import TYPE_CHECKING

from labels import CONTENT, decoded, shares
from selectolax.lexbor import LexborHTMLParser

from corpus_spider.lab.gold import GoldPage
from pipelines.extractors.auto.blocks.walk import LINE, walk
from pipelines.text.scripts import size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from selectolax.lexbor import LexborNode

MIN_PARAGRAPH = 60
"""Letters of a paragraph, at least. Shorter lines are headings and labels."""
MIN_PARAGRAPHS = 4
"""Paragraphs of an article, at least, of which a page is composed."""
MIN_FOUND = 0.9
"""Share of the true text, at least, that is found in the blocks of a page that is edited."""
MAX_TEASERS = 14
BROKEN_OFF = 0.1
"""Share of built short articles that break off as teasers do."""
MAX_SHORT, MAX_MENU = 3, 400
"""Paragraphs of a short article, and links of a menu that is added, at most."""
_HIDING = (
    ("style", "display:none"),
    ("style", "display: none;"),
    ("hidden", ""),
    ("class", "d-none"),
    ("class", "hidden"),
)
_PARTING = re.compile(r"\s[|–—:-]\s|[|_]")
_LEAVES = "p,li,h2,h3,h4,h5,blockquote,pre,dd,dt,td,div,section"
_BLOCKS = f"{_LEAVES},ul,ol,table,article,main,aside,header,footer,form,figure,h1"
_CLASSES = [
    "left", "right", "center", "col", "col-8", "box", "block", "inner", "wrap", "item", "row", "module", "section",
    "group", "unit", "panel", "part", "area", "feed", "stream", "card", "x1", "x2", "b-7", "css-1k9", "sc-a", "fck",
    "td_block", "wrapper", "container", "holder", "region", "zone",
]  # fmt: skip
"""Class names of all elements. They give no mark (``blocks.page.marks``): what a name says of a place is learned from
gold pages alone.
"""


@dataclass(frozen=True, slots=True)
class ComposedPage(GoldPage):
    """A composed page with its true text. It has the site of the article."""

    article: str = ""
    """The id of the gold page that the article is from."""
    kind: str = ""
    source: str = ""
    markup: str = ""
    text: str = ""

    def html(self) -> bytes:
        """Return the page in UTF-8."""
        return self.markup.encode("utf-8", "replace")

    def truth(self) -> str:
        """Return the true text."""
        return self.text


@dataclass(frozen=True, slots=True)
class Article:
    """The true text of a gold page in lines, without its title."""

    gold: GoldPage
    title: str
    lines: tuple[str, ...]

    @property
    def paragraphs(self) -> list[str]:
        """The lines that are paragraphs."""
        return [line for line in self.lines if size(line) >= MIN_PARAGRAPH]


@dataclass(slots=True)
class Shop:
    """Draws the parts of pages: teasers of other sites, menus, boxes, class names."""

    random: Random
    article: Article
    others: list[Article]
    """Articles of other sites, those of the same language first."""
    seed: int = 0

    def name(self) -> str:
        """Return a class attribute, or none."""
        drawn = self.random.random()
        if drawn < 0.3:
            return ""
        return f' class="{" ".join(self.random.sample(_CLASSES, 1 + (drawn > 0.75)))}"'

    def tag(self, *names: str) -> str:
        """Return one of some element names."""
        return self.random.choice(names)

    def words(self, count: int) -> str:
        """Return some words of another page's title."""
        title = self.random.choice(self.others).title
        parts = title.split()
        if len(parts) < 3:
            at = self.random.randrange(max(1, len(title) - 6))
            return title[at : at + 2 + 2 * count]
        at = self.random.randrange(max(1, len(parts) - count))
        return " ".join(parts[at : at + count])

    def link(self) -> str:
        """Return an address."""
        return f"/{self.random.choice(['news', 'a', '2026/11', 'c', 'tag'])}/{self.random.randrange(10**6)}.html"

    def menu(self, count: int) -> str:
        """Return a list of short links."""
        outer, inner = self.random.choice([("ul", "li"), ("div", "span"), ("div", "div"), ("nav", "")])
        opened, closed = (f"<{inner}>", f"</{inner}>") if inner else (" ", " ")
        links = (f'{opened}<a href="{self.link()}">{escape(self.words(2))}</a>{closed}' for _ in range(count))
        return f"<{outer}{self.name()}>{''.join(links)}</{outer}>"

    def teaser(self) -> tuple[str, str]:
        """Return the headline and the first words of an article of another site."""
        other = self.random.choice(self.others)
        text = self.random.choice(other.paragraphs[:3])
        head = other.title
        if self.random.random() < 0.75:
            text = self.broken_off(text)
        return escape(head[:120]), escape(text)

    def teasers(self, count: int) -> str:
        """Return a box of teasers: one make of card, repeated."""
        random = self.random
        outer, inner = random.choice([
            ("ul", "li"), ("div", "div"), ("div", "article"), ("section", "div"), ("aside", "div"),
            ("div", ""), ("table", "tr"),
        ])  # fmt: skip
        box, card, text_name = self.name(), self.name(), self.name()
        heading, text_tag, shape = (
            random.choice(["h2", "h3", "h4", "p", "div", "strong"]),
            random.choice(["p", "p", "div"]),
            random.random(),
        )
        dated, apart = random.random() < 0.3, random.random() < 0.25
        rows = []
        for _ in range(count):
            head, text = self.teaser()
            link = f'<a href="{self.link()}">'
            title = (
                f"<{heading}>{link}{head}</a></{heading}>"
                if shape < 0.6
                else f"{link}<{heading}>{head}</{heading}></a>"
            )
            said = f"{link}{text}</a>" if 0.5 < shape < 0.6 else text
            said = f"<{text_tag}{text_name}>{said}</{text_tag}>"
            date = f"<div>{random.randrange(1, 29)}/{random.randrange(1, 13)}/2026</div>" if dated else ""
            if shape > 0.9:
                title, said = f"{link}<{heading}>{head}</{heading}{said}</a>", ""
            cell = "td" if inner == "tr" else ""
            if apart and inner and not cell:
                rows.append(f"<{inner}{card}>{title}</{inner}><{inner}{card}>{said}{date}</{inner}>")
            else:
                content = f"<td>{title}{said}{date}</td>" if cell else f"{title}{said}{date}"
                rows.append(f"<{inner}{card}>{content}</{inner}>" if inner else content)
        label = f"<{random.choice(['h2', 'h3', 'h4', 'div', 'p'])}>" if random.random() < 0.6 else ""
        named = f"{label}{escape(self.words(2))}</{label[1:]}" if label else ""
        return f"<{outer}{box}>{named if outer != 'table' else ''}{''.join(rows)}</{outer}>"

    def count(self) -> int:
        """Return a number of teasers."""
        return self.random.randrange(1, MAX_TEASERS)

    def table(self) -> str:
        """Return a table of figures: weather or prices."""
        random, rows = self.random, []
        weather, many = random.random() < 0.5, random.choice([6, 12, 30, 80])
        for _ in range(many):
            place = escape(self.words(2))
            figures = (
                (
                    f"{random.randrange(-9, 39)}°C",
                    f"{random.randrange(100)} %",
                    f"{random.randrange(30)} km/h",
                    escape(self.words(1)),
                )
                if weather
                else (
                    f"{random.randrange(1, 99)}.{random.randrange(100, 999)}",
                    f"{random.randrange(99)},{random.randrange(99):02}",
                    f"+{random.random():.2f}%",
                )
            )
            rows.append((place, *figures))
        if random.random() < 0.6:
            body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
            return f"<div{self.name()}><h3>{escape(self.words(2))}</h3><table{self.name()}>{body}</table></div>"
        card = self.name()
        body = "".join(f"<div{card}>{''.join(f'<span>{cell}</span> ' for cell in row)}</div>" for row in rows)
        return f"<div{self.name()}>{body}</div>"

    def dialog(self) -> str:
        """Return the text of a dialog, a cookie box or a notice: prose of another site with a form or buttons.

        Its element is drawn as those of an article are. Only the place, the words and the buttons tell it from one.
        """
        random = self.random
        tag, heading, inner = self.home(), self.tag("h2", "h3", "h4", "p", "div"), self.tag("p", "p", "p", "div")
        count = random.choice([1, 1, 2, 3, 6])
        lines = [escape(random.choice(random.choice(self.others).paragraphs)) for _ in range(count)]
        texts = "".join(f"<{inner}>{line}</{inner}>" for line in lines)
        label = f"<{heading}>{escape(self.words(2))}</{heading}>" if random.random() < 0.7 else ""
        asks = random.choice([
            f'<form action="/login"><label>{escape(self.words(2))}</label><input name="e"><button>OK</button></form>',
            f"<button>{escape(self.words(1))}</button> <button>{escape(self.words(2))}</button>",
            f'<a href="{self.link()}">{escape(self.words(2))}</a>',
            "",
        ])  # fmt: skip
        hidden = f" {self.hiding()}" if random.random() < 0.2 else ""
        box = f"<{tag}{hidden or self.name()}>{label}{texts}{asks}</{tag}>"
        for _ in range(random.randrange(3)):
            outer = self.home()
            box = f"<{outer}{self.name()}>{box}</{outer}>"
        return box

    def home(self) -> str:
        """Return the name of an element that holds prose, of an article or of a box."""
        return self.tag("div", "div", "article", "section", "main")

    def hiding(self) -> str:
        """Return an attribute that hides an element."""
        name, value = self.random.choice(_HIDING)
        return f'{name}="{value}"' if value else name

    def broken_off(self, text: str) -> str:
        """Return the first words of a text with an ellipsis."""
        cut = text[: self.random.randrange(60, 220)]
        cut = cut.rsplit(" ", 1)[0] if " " in cut else cut
        return cut.rstrip(" .,;") + self.random.choice(["…", " …", "...", " ...", " [...]", "…", "..."])


def articles(pages: Sequence[GoldPage]) -> list[Article]:
    """Return the articles that are long enough, in the order of the pages."""
    found = []
    for gold in pages:
        title = gold.title or _title(decoded(gold))
        packed = "".join(title.split())
        lines = [line.strip() for line in gold.truth().splitlines() if line.strip()]
        article = Article(gold, title, tuple(line for line in lines if "".join(line.split()) != packed))
        if len(article.paragraphs) >= MIN_PARAGRAPHS and title:
            found.append(article)
    return found


def _title(html: str) -> str:
    """Return the text of the only h1, else the longest part of the title element."""
    tree = LexborHTMLParser(html)
    heads = [" ".join((node.text() or "").split()) for node in tree.css("h1")]
    if len(heads) == 1 and heads[0]:
        return heads[0]
    title = tree.css_first("title")
    return max(_PARTING.split(" ".join((title.text() if title else "").split())), key=len)


def compose(pages: Sequence[GoldPage], seed: int = 0, kinds: Sequence[str] = ()) -> Iterator[ComposedPage]:
    """Yield composed pages: for each article one that is edited and one that is built, each of a kind that is drawn.

    With ``kinds`` each article is made into all of these, if it can be.
    """
    known = articles(pages)
    by_language: defaultdict[str, list[Article]] = defaultdict(list)
    for article in known:
        by_language[article.gold.language].append(article)
    for article in known:
        for make, way in ((edited, "edited"), (built, "built")):
            random = Random(zlib.crc32(f"{article.gold.id} {way} {seed}".encode()))
            others = [each for each in by_language[article.gold.language] if each.gold.cluster != article.gold.cluster]
            if len(others) < 5:
                others += [each for each in known if each.gold.cluster != article.gold.cluster]
            if not others:
                continue
            wanted = kinds or (random.choice(list(KINDS)),)
            for kind in wanted:
                drawn = Random(zlib.crc32(f"{article.gold.id} {kind} {way} {seed}".encode()))
                page = make(Shop(drawn, article, others, seed), kind)
                if page:
                    yield page


def _page(shop: Shop, kind: str, way: str, markup: str, lines: Sequence[str]) -> ComposedPage:
    article, seed = shop.article, shop.seed
    gold = article.gold
    return ComposedPage(
        f"{gold.id}-{kind}-{way}-{seed}", gold.language, gold.page_path, gold.truth_path, gold.url, article.title,
        gold.group or gold.id, "utf-8", gold.id, kind, way, markup, "\n".join(lines),
    )  # fmt: skip


# Built pages.
def built(shop: Shop, kind: str) -> ComposedPage | None:
    """Set the true text of an article in a layout of its own."""
    random, article = shop.random, shop.article
    lines = list(article.lines)
    if kind in {"short", "teasers"} or (kind in {"boxes", "menus", "headless"} and random.random() < 0.6):
        lines = _first(article, random.randrange(1, 4))
    lines, more = lines[:40], ""
    if kind in {"short", "teasers", "boxes", "menus", "headless"} and random.random() < BROKEN_OFF:
        # The free beginning of an article that is sold.
        lines[-1] = shop.broken_off(lines[-1])
        more = random.choice(["", f'<p><a href="{shop.link()}">{escape(shop.words(2))}</a></p>'])
    body = KINDS[kind](shop, lines) + more
    title = escape(article.title)
    head = shop.tag("h1", "h1", "h1", "h2", "div")
    headline = f"<{head}{shop.name()}>{title}</{head}>" if kind != "headless" and random.random() < 0.85 else ""
    byline = (
        f"<div{shop.name()}>{escape(shop.words(2))}, {random.randrange(1, 29)}.{random.randrange(1, 13)}.2026</div>"
        if random.random() < 0.5
        else ""
    )
    home = shop.home()
    around = f"<{home}{shop.name()}>{body}</{home}>"
    # Where boxes are: in front, beside, after. Inside is for the kind.
    extra = {place: [] for place in ("before", "inside", "beside", "after")}
    boxes: list[Callable[[], str]] = []
    if kind in {"teasers", "hidden", "live", "headless", "lists", "forums"} or random.random() < 0.4:
        boxes += [lambda: shop.teasers(shop.count())] * random.choice([1, 1, 2, 3])
    if kind == "boxes":
        boxes += [shop.table, shop.dialog] * random.choice([1, 2])
    elif random.random() < 0.3:
        boxes.append(shop.dialog)
    for box in boxes:
        extra[random.choice(["before", "inside", "beside", "beside", "after", "after"])].append(box())
    outer = shop.tag("div", "div", "main", "section")
    parts = (headline, byline, around, *extra["inside"])
    inside = f"<{outer}{shop.name()}>{''.join(parts)}</{outer}>"
    if random.random() < 0.3:  # the headline is above the columns
        inside = f"{headline}{byline}<{outer}{shop.name()}>{around}{''.join(extra['inside'])}</{outer}>"
    beside = "".join(extra["beside"])
    if beside and random.random() < 0.6:
        column, side = shop.name(), shop.tag("div", "aside")
        inside = f"<div{column}>{inside}<{side}{shop.name()}>{beside}</{side}></div>"
    else:
        inside += beside
    menus = random.randrange(4, 14) * (6 if kind == "menus" else 1)
    header, footer = shop.tag("header", "div"), shop.tag("footer", "div")
    above = f"<{header}{shop.name()}>{shop.menu(menus)}</{header}>"
    below = f"<{footer}{shop.name()}>{shop.menu(menus // 2)}<p>© 2026 {escape(shop.words(1))}</p></{footer}>"
    stated = (
        f"<title>{title}{random.choice(['', f' | {escape(shop.words(1))}', f' - {escape(shop.words(2))}'])}</title>"
    )
    form = "<form>" if random.random() < 0.05 else ""  # some publishing systems put the page in a form
    markup = (
        f"<!DOCTYPE html><html><head>{stated}</head><body>{form}{above}{''.join(extra['before'])}{inside}"
        f"{''.join(extra['after'])}{below}{form.replace('<', '</')}</body></html>"
    )
    return _page(shop, kind, "built", markup, lines)


def _first(article: Article, count: int) -> list[str]:
    """Return the first paragraphs of an article, with the lines before each."""
    found, left = [], count
    for line in article.lines:
        found.append(line)
        left -= size(line) >= MIN_PARAGRAPH
        if not left:
            break
    return found


def _plain(shop: Shop, lines: Sequence[str]) -> str:
    way = shop.random.random()
    if way < 0.12:
        return "<br><br>".join(map(escape, lines))
    if way < 0.2:
        name = shop.name()
        return "".join(f"<div{name}>{escape(line)}</div>" for line in lines)
    heading = shop.tag("h2", "h3", "strong")
    return "".join(
        f"<{heading}>{escape(line)}</{heading}>"
        if size(line) < MIN_PARAGRAPH and way < 0.7 and heading != "strong"
        else f"<p>{escape(line)}</p>"
        for line in lines
    )


def _interrupted(shop: Shop, lines: Sequence[str]) -> str:
    """Return a text with a box of teasers in the middle."""
    if len(lines) < 2 or shop.random.random() < 0.6:
        return _plain(shop, lines)
    at = shop.random.randrange(1, len(lines))
    pieces = [f"<p>{escape(line)}</p>" for line in lines]
    return "".join((*pieces[:at], shop.teasers(shop.random.randrange(1, 4)), *pieces[at:]))


def _hidden(shop: Shop, lines: Sequence[str]) -> str:
    """Return a text the second part of which is hidden behind a button."""
    at = max(1, int(len(lines) * shop.random.uniform(0.1, 0.6)))
    hiding = shop.hiding()
    tag, single = shop.tag("div", "section", "div"), shop.random.random() < 0.3
    shown = "".join(f"<p>{escape(line)}</p>" for line in lines[:at])
    rest = [f"<p>{escape(line)}</p>" for line in lines[at:]]
    button = shop.random.choice(
        ["<button>{}</button>", '<div class="more"><p>{}</p></div>', '<a href="#">{}</a>', ""]
    ).format(escape(shop.words(2)))
    if single:
        return shown + button + "".join(piece.replace("<p>", f"<p {hiding}>", 1) for piece in rest)
    return f"{shown}{button}<{tag} {hiding}>{''.join(rest)}</{tag}>"


def _live(shop: Shop, lines: Sequence[str]) -> str:
    """Return a text in rows with times, as of a live report. The times are no part of the true text."""
    outer, inner, cell = shop.random.choice(
        [("table", "tr", "td"), ("ul", "li", "span"), ("div", "div", "div"), ("ol", "li", "p"), ("div", "article", "p")]
    )
    name, stamp, hour = shop.name(), shop.tag("time", "span", "b", cell), shop.random.randrange(6, 12)
    rows = []
    for number, line in enumerate(lines):
        time = f"{hour + number // 4:02}:{number % 4 * 15:02}"
        label = f"<td>{time}</td>" if inner == "tr" else f"<{stamp}>{time}</{stamp}>"
        text = (
            f"<td>{escape(line)}</td>"
            if inner == "tr"
            else f"<{cell}>{escape(line)}</{cell}>"
            if cell != "span"
            else f"<p>{escape(line)}</p>"
        )
        rows.append(f"<{inner}{name}>{label}{text}</{inner}>")
    return f"<{outer}{shop.name()}>{''.join(rows)}</{outer}>"


def _list(shop: Shop, lines: Sequence[str]) -> str:
    """Return a text as a list of things, each with its text."""
    outer, inner = shop.random.choice(
        [("ul", "li"), ("ol", "li"), ("div", "div"), ("section", "article"), ("dl", "dd")]
    )
    name, inside = shop.name(), shop.random.random()
    rows = (
        f"<{inner}{name}><p>{escape(line)}</p></{inner}>"
        if inside < 0.5
        else f"<{inner}{name}>{escape(line)}</{inner}>"
        for line in lines
    )
    return f"<{outer}{shop.name()}>{''.join(rows)}</{outer}>"


def _forum(shop: Shop, lines: Sequence[str]) -> str:
    """Return a text as posts of a forum. Who wrote them and when is no part of the true text."""
    inner, name, by, said = shop.tag("div", "li", "article"), shop.name(), shop.name(), shop.name()
    posts, at = [], 0
    while at < len(lines):
        count = shop.random.randrange(1, 4)
        text = "".join(f"<p>{escape(line)}</p>" for line in lines[at : at + count])
        author = (
            f'<div{by}><a href="{shop.link()}">{escape(shop.words(1))}</a> {shop.random.randrange(1, 29)}.11.2026</div>'
        )
        posts.append(f"<{inner}{name}>{author}<div{said}>{text}</div></{inner}>")
        at += count
    return "".join(posts) if inner != "li" else f"<ul>{''.join(posts)}</ul>"


KINDS: dict[str, Callable[[Shop, Sequence[str]], str]] = {
    "short": _plain,
    "teasers": _interrupted,
    "hidden": _hidden,
    "boxes": _plain,
    "live": _live,
    "headless": _plain,
    "menus": _plain,
    "lists": _list,
    "forums": _forum,
}
"""Kinds of composed pages, and how the text of a built one is set."""


# Edited pages.
@dataclass(slots=True)
class Edit:
    """A gold page that is being changed: its tree, the blocks of the article, and the boxes that replace marks."""

    shop: Shop
    tree: LexborHTMLParser
    nodes: list[LexborNode]
    texts: list[str]
    boxes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, shop: Shop) -> Edit | None:
        """Find the blocks of the article. Return None if most of the true text is not found."""
        truth = shop.article.gold.truth()
        tree = LexborHTMLParser(decoded(shop.article.gold))
        found = tree.body.css(_LEAVES) if tree.body else []
        leaves = [node for node in found if len(node.css(_BLOCKS)) <= 1 and (node.text() or "").strip()]
        texts = [" ".join((node.text() or "").split()) for node in leaves]
        content = (shares(texts, truth) >= CONTENT).nonzero()[0].tolist() if leaves else []
        long = [place for place in content if size(texts[place]) >= MIN_PARAGRAPH]
        # Short lines before the first paragraph and after the last one are of menus and boxes.
        content = [place for place in content if long and long[0] <= place <= long[-1]]
        chars = sum(len("".join(texts[place].split())) for place in content)
        if chars < MIN_FOUND * len("".join(truth.split())) or len(long) < MIN_PARAGRAPHS:
            return None
        return cls(shop, tree, [leaves[place] for place in content], [texts[place] for place in content])

    def cut(self) -> bool:
        """Cut the article to its first paragraphs. Return whether the page shows nothing of the rest."""
        count = self.shop.random.randrange(1, MAX_SHORT + 1)
        long = [place for place, text in enumerate(self.texts) if size(text) >= MIN_PARAGRAPH]
        kept = long[min(count, len(long)) - 1] + 1
        for node in self.nodes[kept:]:
            node.decompose()
        self.nodes, self.texts = self.nodes[:kept], self.texts[:kept]
        return not _left_behind(self.tree, self.shop.article.gold.truth(), "\n".join(self.texts))

    def put(self, markup: str, *, inside: bool = True) -> None:
        """Put a box before, beside, in or after the article. Its markup replaces a mark in the end."""
        random, home = self.shop.random, _home(self.nodes)
        mark = f"composed-box-{len(self.boxes)}-"
        self.boxes[mark] = markup
        place = random.choice(["before", "beside", "after", "after", *(["inside", "end"] if inside else [])])
        if place == "inside" and len(self.nodes) > 1:
            self.nodes[random.randrange(1, len(self.nodes))].insert_before(mark)
        elif place == "before" and home.tag != "body":
            home.insert_before(mark)
        elif place == "beside" and home.tag != "body":
            home.insert_after(mark)
        else:
            self.nodes[-1].insert_after(mark)

    def hide(self) -> None:
        """Hide the second part of the article."""
        name, value = self.shop.random.choice(_HIDING)
        for node in self.nodes[max(1, int(len(self.nodes) * self.shop.random.uniform(0.1, 0.6))) :]:
            node.attrs[name] = value

    @property
    def html(self) -> str:
        """The page with its boxes."""
        html = self.tree.html or ""
        for mark, markup in self.boxes.items():
            html = html.replace(mark, markup)
        return html


def edited(shop: Shop, kind: str) -> ComposedPage | None:
    """Change a gold page. Return None if its article is not found, or the kind needs a page that is built."""
    random = shop.random
    edit = Edit.of(shop) if kind in EDITS else None
    if edit is None:
        return None
    short = kind in {"short", "teasers"} or (kind in {"boxes", "menus", "headless"} and random.random() < 0.4)
    if short and not edit.cut():
        return None
    EDITS[kind](edit)
    return _page(shop, kind, "edited", edit.html, edit.texts)


def _add_teasers(edit: Edit) -> None:
    for _ in range(edit.shop.random.choice([1, 2, 3])):
        edit.put(edit.shop.teasers(edit.shop.count()))


def _add_boxes(edit: Edit) -> None:
    edit.put(edit.shop.table(), inside=False)
    edit.put(edit.shop.dialog(), inside=False)


def _add_menus(edit: Edit) -> None:
    edit.put(edit.shop.menu(min(MAX_MENU, 2 * len(edit.tree.css("a")))), inside=False)


def _remove_headline(edit: Edit) -> None:
    for node in edit.tree.css("h1"):
        node.decompose()


def _hide_rest(edit: Edit) -> None:
    edit.hide()
    if edit.shop.random.random() < 0.7:
        edit.put(edit.shop.teasers(edit.shop.count()), inside=False)


EDITS: dict[str, Callable[[Edit], None]] = {
    "short": lambda _: None,
    "teasers": _add_teasers,
    "hidden": _hide_rest,
    "boxes": _add_boxes,
    "menus": _add_menus,
    "headless": _remove_headline,
}
"""Kinds of pages that a gold page is changed into, and how."""


def _left_behind(tree: LexborHTMLParser, truth: str, kept: str) -> bool:
    """Return whether a page still shows parts of a true text that were cut."""
    texts = [text.replace(LINE, " ") for text in walk(LexborHTMLParser(tree.html or "")).texts]
    texts = [text for text in texts if size(text) >= MIN_PARAGRAPH / 3]
    return any((shares(texts, truth) >= CONTENT) & (shares(texts, kept) < CONTENT)) if texts else True


def _home(nodes: Sequence[LexborNode]) -> LexborNode:
    """Return the smallest element around the nodes."""
    first, last = nodes[0], nodes[-1]
    around = set()
    node: LexborNode | None = first.parent
    while node is not None:
        around.add(node.mem_id)
        node = node.parent
    node = last.parent
    while node is not None and node.mem_id not in around:
        node = node.parent
    return node if node is not None and node.tag not in {"html", "-undef"} else first
