"""Where a page's elements show a date: <time>, short texts near the headline, and elements whose class says so.

What the words beside a date say of it counts (`pipelines.dating.labels`): the day of an update is the last to be asked
for, that of a licence or a deadline is not.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pipelines.dating.ages import age_of
from pipelines.dating.hebrew import HEBREW_YEAR
from pipelines.dating.labels import OTHER, PLAIN, PUBLISHED, UPDATED, label_before, portions
from pipelines.dating.months import fold, is_name
from pipelines.dating.teasers import folded_letters, letters_of, teaser_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

_HINT = re.compile(
    r"date|time|publish|posted|pubdate|byline|meta|info|created|updated|ngay|thoi-?gian|tarikh|zaman|fecha|datum",
    re.IGNORECASE,
)
_MISLEADING = re.compile(
    r"relat(?!ive)|comment|sidebar|(?<!post-)(?<!entry-)(?<!article-)(?<!asset-)footer|most|popular|recommend"
    r"|(?<!elementor-)widget(?!\s+blog\b)|copyright|weather|event-?(?:date|time|info|detail|meta)|upcoming|cookie"
    r"|\bpoll|prayer-?time|exchange-?rate|currency-?(?:box|bar|rate)|wp-calendar|forecast|countdown|timeline|exif"
    r"|read-?(?:more|also|next)|lien-?quan|tin-?khac|doc-?nhieu|xem-?them|cung-?chuyen-?muc",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"relat(?!ive)|comment|sidebar|most|popular|recommend|upcoming", re.IGNORECASE)
_TAXONOMY = re.compile(r"\b(?:category|tag)-\S+")
"""What WordPress calls a post by its subjects, which may be most popular ones."""
_ASIDE = frozenset({"nav", "aside", "footer", "figure", "figcaption", "blockquote"})
_BESIDE = _ASIDE - {"aside"}
"""Elements that hold no byline: an aside next to the headline may."""
_CHANGED = re.compile(r"updated|modified", re.IGNORECASE)
_PUBLIC = re.compile(r"publish|posted|created", re.IGNORECASE)
_DIGIT, _FULL = re.compile(rf"\d|{HEBREW_YEAR}"), re.compile(r"\d(?:\D*\d){4}")
_HEADING = re.compile(r"h[1-6]")
_CLOCK = re.compile(r"\d\s?:\s?\d\d")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
# A sentence ends with a word, or goes on after one; abbreviations (год., Uhr.) are shorter, but for those of months.
_SENTENCE_END = re.compile(r"([^\W\d_]{4,})[.!?؟।。…](?:\s|$)")
# Shorter ones end many words: the law of that day changed it all.
_SENTENCE, _WORD, _MANY_WORDS = re.compile(r"[^\W\d_]{2,}[.!?؟।。…]\W*$"), re.compile(r"[^\W\d_]{2,}"), 7
_MAX_NODES = 6000
"""Elements of a page that are looked at for its headline, and around it."""
_MAX_TEXT = 160
"""Characters of an element that is marked as a date."""
_MAX_HELD = 12
"""Elements that one may hold whose text is read."""
_MAX_NAMING = 2000
"""Characters of a class or id that are looked at, as they are again for each element that it stands around."""
_MAX_UNMARKED = 80
"""Characters of a date that nothing marks, behind the headline, and of one in an attribute."""
_BEFORE, _BEHIND, _NEXT, _OVER = 60, 400, 40, 10
"""Elements before, behind, next to and right over the headline among which a date is looked for."""
_MAX_OVER = 50
"""Characters of a date that nothing marks, right over the headline."""
_HEADINGS, _MAX_HEADINGS, _MIN_HEADLINE = frozenset({"h1", "h2", "h3", "h4"}), 100, 15
_LINES = frozenset({"font", "b", "strong", "big", "span", "div", "td", "p", "center", "em"})
"""Elements that may be a headline where there is no heading."""
_PROSE, _PARAGRAPHS = 100, 3
"""Characters of a paragraph of prose, and how many of these a date may hardly stand behind."""
_LEVELS = 4
"""Elements around one, itself among them, that are asked what it is."""
_WHOLE = frozenset({"article", "main", "body", "html"})
"""Elements whose classes tell of the page: that it has a sidebar, or comments."""
_ATTRIBUTES = ("title", "data-datetime", "data-date", "data-time", "data-timestamp", "data-utc")
"""Where a marked element states the time that it tells as an age ("3 hours ago")."""
_LIST = 3
"""Elements of one class that make a list: of teasers, of comments."""
_SAME_BYLINE = 12
"""Elements behind a date of update that may still state the one of publication without a label."""
_MAX_LABEL, _MAX_SIBLINGS = 40, 3
"""Characters right before a date that may be its label, and elements beside it that are asked for one."""
_MAX_TIMES = 500
"""<time> elements of a page that are read."""
_MAX_TITLE = 500
"""Characters of a line that the title may repeat."""
_MOST_OF_TITLE = 0.4
"""Share of the title that its headline has at least, where that is longer than `_MIN_HEADLINE`."""
_LATEST = {"below": 1, "listed": 2}
"""Places of which dates come last of all, the second behind the first."""
_UNREAD = frozenset({"script", "style", "noscript", "template", "svg", "option", "select", "title", "html", "head"})


class Shown(NamedTuple):
    """A text that may state when the page was published: where it stands, the text, the line that it is a part of."""

    place: str
    """A key of ``pipelines.dates.TRUST``."""
    text: str
    line: str = ""


class Around(NamedTuple):
    """Elements before and behind the headline, None for those that hold many others, and what stands right over it.

    ``prose`` is the place behind it from which on only what is beside the text is to be expected.
    """

    before: list[LexborNode | None]
    behind: list[LexborNode | None]
    over: list[LexborNode | None]
    """Without those that hold the headline."""
    prose: int
    is_in_teaser: Callable[[LexborNode], bool]


def time_elements(tree: LexborHTMLParser) -> Iterator[tuple[LexborNode, Shown]]:
    """Yield the <time datetime> elements that may be the page's own: none of navigation, asides, comments, teasers."""
    is_in_teaser = teaser_test(tree)
    for node in tree.css("time[datetime]")[:_MAX_TIMES]:
        if is_aside(node) or is_in_teaser(node):
            continue
        shown = node.text(deep=False)[:_MAX_TEXT]
        changed = UPDATED in {_label_of(node), *(part.kind for part in portions(shown))} or _is_change(node)
        yield node, Shown("updated" if changed else "time", node.attributes.get("datetime") or "", shown)


def _is_change(node: LexborNode) -> bool:
    """Return whether an element's class or itemprop calls it the time of a change, and not that of publication too."""
    naming = f"{naming_of(node)} {node.attributes.get('itemprop') or ''}"
    return _CHANGED.search(naming) is not None and _PUBLIC.search(naming) is None


def visible_dates(around: Around) -> Iterator[Shown]:
    """Yield short texts that may state when the page was published.

    Marked ones behind the headline come first, then texts with digits next to it that read like a dateline, then bare
    ones right over it, the nearest first, and marked ones before it, of which one may be the masthead's date of today;
    then what is labelled as an update and what stands far behind that; then what stands behind the text; last of all
    dates that come in lists. Without a headline the page's start counts as one.
    """
    before, behind, over, prose, is_in_teaser = around
    listed: set[str] | None = None
    late: list[Shown] = []
    marked, bare = (behind, 0, False), (behind[:_NEXT], _MAX_UNMARKED, False)
    for part, limit, above in (marked, bare, (over[::-1], _MAX_OVER, True), (before[::-1], 0, True)):
        updated_at: int | None = None
        for at, node in enumerate(part):
            for kind, shown in _in_element(node, limit, above=above):
                if node and is_in_teaser(node):
                    break
                if kind == UPDATED and updated_at is None:
                    updated_at = at
                far = not limit if above else at >= _NEXT
                if far and listed is None:
                    listed = _listed(before) | _listed(behind[_NEXT:])
                if far and listed and node and naming_of(node) in listed:
                    late.append(shown._replace(place="listed"))
                elif kind == PLAIN and not above and at > prose:
                    late.append(shown._replace(place="below"))
                elif kind == UPDATED or (kind == PLAIN and updated_at is not None and at > updated_at + _SAME_BYLINE):
                    late.append(shown)
                else:
                    yield shown
    yield from sorted(late, key=lambda shown: _LATEST.get(shown.place, 0))


def visible_ages(around: Around) -> Iterator[Shown]:
    """Yield the texts near the headline that tell the age of the page ("3 hours ago"); none of those in lists."""
    near = [node for node in (*around.behind[: min(_NEXT, around.prose)], *around.over) if node]
    ages = [(node, text) for node in near if (text := _age_text(node)) and not is_aside(node)]
    alike = Counter(naming_of(node) for node, _ in ages)
    yield from (Shown("age", text) for node, text in ages if alike[naming_of(node)] < _LIST)


def _age_text(node: LexborNode) -> str:
    """Return the text of an element that holds no other and that shows an age; "" for all else."""
    if node.tag in _UNREAD or node.tag in _HEADINGS:
        return ""
    text = " ".join((node.text(separator=" ") or "").split())
    return text if age_of(text) else ""


def around_headline(tree: LexborHTMLParser) -> Around:
    """Return the elements around the headline."""
    nodes = tree.css("*")[:_MAX_NODES]  # a descendant combinator would cost the square of the depth
    head = _headline(tree, nodes)
    first = max(0, head - _BEFORE)
    small = _small(nodes[first : head + _BEHIND])
    before, behind = small[: head - first], small[head - first + 1 :]
    around, holding = (nodes[head] if nodes else None), set()
    while around is not None:
        holding.add(around.mem_id)
        around = around.parent
    behind = [*(_loose_behind(nodes[head]) if nodes else ()), *behind]
    over: list[LexborNode | None] = [node for node in before[-_OVER:] if node and node.mem_id not in holding]
    return Around(before, behind, over, _behind_prose(behind), teaser_test(tree))


def _loose_behind(headline: LexborNode) -> list[LexborNode]:
    """Return the text right behind the headline that is in no element of its own, as pages for printing have it."""
    around: LexborNode | None = headline
    for _ in range(_LEVELS):
        if around is None or around.tag in _WHOLE:
            break
        for passed, node in enumerate(_following(around)):
            if passed == _MAX_SIBLINGS or (node.tag != "br" and node.text().strip()):
                return [node] if node.tag == "-text" else []
        around = around.parent
    return []


def _following(node: LexborNode) -> Iterator[LexborNode]:
    following = node.next
    while following is not None:
        yield following
        following = following.next


def _headline(tree: LexborHTMLParser, nodes: list[LexborNode]) -> int:
    """Return the place of the headline: the heading that the title repeats the most of, else the first h1, else the
    first line that the title repeats, else 0.

    Some pages have their name in the first h1, others the headline in an h3; pages laid out in tables have no heading.
    """
    title = letters_of(tree.css_first("title"))
    headings = [*tree.css("h1"), *tree.css("h2, h3, h4")][:_MAX_HEADINGS]
    least = max(_MIN_HEADLINE, _MOST_OF_TITLE * len(title))
    lengths = [len(text) * (len(text) >= least and text in title) for text in map(letters_of, headings)]
    if not headings or (not any(lengths) and headings[0].tag != "h1"):
        return _title_line(nodes, title, least)
    chosen = headings[lengths.index(max(lengths))].mem_id
    return next((place for place, node in enumerate(nodes) if node.mem_id == chosen), 0)


def _title_line(nodes: list[LexborNode], title: str, least: float) -> int:
    """Return the place of the first element whose own text the title repeats, and that is no link; 0 without one."""
    if len(title) < least:
        return 0
    for place, node in enumerate(nodes):
        if node.tag not in _LINES:
            continue
        text = node.text(deep=False)
        if least <= len(text) <= _MAX_TITLE and not _is_linked(node):
            letters = folded_letters(text)
            if len(letters) >= least and letters in title:
                return place
    return 0


def _is_linked(node: LexborNode) -> bool:
    """Return whether an element lies in a link, right or a few elements above it: a list names the page's title too."""
    around: LexborNode | None = node
    for _ in range(_LEVELS):
        if around is None:
            return False
        if around.tag == "a":
            return True
        around = around.parent
    return False


def _behind_prose(behind: list[LexborNode | None]) -> int:
    """Return the place of the paragraph of prose that only what is beside the text stands behind; their number else."""
    paragraphs = 0
    for place, node in enumerate(behind):
        if node and node.tag == "p" and len(node.text()) >= _PROSE:
            paragraphs += 1
            if paragraphs == _PARAGRAPHS:
                return place
    return len(behind)


def _listed(part: list[LexborNode | None]) -> set[str]:
    """Return the class and id of elements of which several show figures: dates of teasers, of comments."""
    named = [(naming_of(node), node) for node in part if node]
    alike = Counter(naming for naming, node in named if _HINT.search(naming) or node.tag == "time")
    often = {naming for naming, count in alike.items() if count >= _LIST}
    shown = Counter(naming for naming, node in named if naming in often and _short_text(node) and not is_aside(node))
    return {naming for naming, count in shown.items() if count >= _LIST}


def _in_element(node: LexborNode | None, limit: int, *, above: bool) -> Iterator[tuple[str, Shown]]:
    """Yield what a small element shows; one that nothing marks is read when ``limit`` characters are allowed it."""
    if node is None or not (limit or _is_marked(node)):
        return
    text = _short_text(node, limit or _MAX_TEXT)
    if not limit and node.tag != "time" and _FULL.search(text) is None:
        text = _attribute(node) or text
    if text and (not limit or _is_dateline(node, text)) and not is_aside(node, _BESIDE if limit else _ASIDE):
        for kind, portion in _labelled(node, text):
            yield kind, Shown("updated" if kind == UPDATED else "masthead" if above else "text", portion, text)


def _labelled(node: LexborNode, text: str) -> list[tuple[str, str]]:
    """Return the parts of an element's text that may state the page's date; those that say they are its first."""
    found = [(part.kind, part.text) for part in portions(text)]
    if len(found) == 1 and found[0][0] == PLAIN:
        found = [(_label_of(node), text)]
    return sorted((part for part in found if part[0] != OTHER), key=lambda part: part[0] != PUBLISHED)


def _label_of(node: LexborNode) -> str:
    """Return what the text right before an element says of the date in it; a headline says nothing of it."""
    around: LexborNode | None = node
    for _ in range(2):
        if around is None:
            break
        before, stated = around.prev, ""
        for _ in range(_MAX_SIBLINGS):
            if before is None or stated:
                break
            stated = before.text(separator=" ").strip()
            if before.tag in _HEADINGS and len(stated) > _MAX_LABEL:
                return PLAIN
            before = before.prev
        if stated:
            return PLAIN if _DIGIT.search(stated[-_MAX_LABEL:]) else label_before(stated[-_MAX_LABEL:])
        around = around.parent
    return PLAIN


def _is_dateline(node: LexborNode, text: str) -> bool:
    """Tell a dateline, which nothing marks, from a sentence or a heading that speaks of some day."""
    if _has_sentence(text) or _MISLEADING.search(naming_of(node)):
        return False
    return not _HEADING.fullmatch(node.tag or "") or bool(_CLOCK.search(text)) or not _LETTERS.search(text)


def _has_sentence(text: str) -> bool:
    wordy = _SENTENCE.search(text) and len(_WORD.findall(text)) >= _MANY_WORDS
    return bool(wordy) or not all(is_name(fold(end[1])) for end in _SENTENCE_END.finditer(text))


def _small(nodes: list[LexborNode]) -> list[LexborNode | None]:
    """Put None for elements that hold many others: reading the text of each would cost the square of their number."""
    held: Counter[int] = Counter()
    for node in reversed(nodes):
        if node.parent:
            held[node.parent.mem_id] += 1 + held[node.mem_id]
    return [node if held[node.mem_id] <= _MAX_HELD else None for node in nodes]


def _is_marked(node: LexborNode) -> bool:
    return node.tag == "time" or _HINT.search(naming_of(node)) is not None


def is_of_another(node: LexborNode) -> bool:
    """Return whether an element that calls itself the date of publication is that of a teaser or a comment."""
    return is_aside(node, _ASIDE - {"footer"}, _OTHERS)


def is_aside(node: LexborNode, tags: frozenset[str] = _ASIDE, classes: re.Pattern[str] = _MISLEADING) -> bool:
    """Return whether an element or one around it is beside the article: navigation, comments, what others wrote."""
    around: LexborNode | None = node
    for _ in range(_LEVELS):
        if around is None:
            return False
        if (around.tag not in _WHOLE and classes.search(_TAXONOMY.sub("", naming_of(around)))) or (
            around.tag in tags and not _is_in_article(around)
        ):
            return True
        around = around.parent
    return False


def is_of_masthead(node: LexborNode) -> bool:
    """Return whether an element stands in the header of the page, which has no heading, and not in that of an article."""
    around: LexborNode | None = node
    while around is not None and around.tag not in {"header", "article", "main"}:
        around = around.parent
    if around is None or around.tag != "header" or around.css_first("h1,h2") is not None:
        return False
    while around is not None and around.tag not in {"article", "main"}:
        around = around.parent
    return around is None


def _is_in_article(node: LexborNode) -> bool:
    """Return whether a footer or an aside is one of an article, which may hold its byline."""
    return node.tag in {"footer", "aside"} and node.parent is not None and node.parent.tag == "article"


def _attribute(node: LexborNode) -> str:
    stated = (node.attributes.get(name) or "" for name in _ATTRIBUTES)
    return next((text for text in stated if len(text) <= _MAX_UNMARKED and _FULL.search(text)), "")


def naming_of(node: LexborNode, names: tuple[str, ...] = ("class", "id")) -> str:
    """Return what some attributes of an element say, as far as they are looked at."""
    attributes = node.attributes
    return " ".join((attributes.get(name) or "")[:_MAX_NAMING] for name in names)


def _short_text(node: LexborNode, limit: int = _MAX_TEXT) -> str:
    """Return the text of an element, "" when it is none, longer than ``limit``, or without a digit."""
    if node.tag in _UNREAD:
        return ""
    text = " ".join((node.text(separator=" ") or "").split())
    return text if len(text) <= limit and _DIGIT.search(text) else ""
