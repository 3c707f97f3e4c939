"""Find the elements of a page that may show its date: marked ones, <time>, short texts near the headline.

Marks are microdata, HTML 5, hAtom and RDFa, or a class that names a date. The label beside a date counts
(`pipelines.metadata.dates.labels`): the date of an update comes last, that of a licence or a deadline is skipped. Dates
in navigation, asides, comments and teasers belong to other pages and are skipped too.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from pipelines.markup.anchors import LINKS
from pipelines.metadata.dates.ages import age_of, is_of_visit
from pipelines.metadata.dates.labels import OTHER, PLAIN, PUBLISHED, UPDATED, label_before, portions
from pipelines.metadata.dates.months import fold, is_name
from pipelines.metadata.dates.parser import HEBREW_YEAR
from pipelines.metadata.dates.weekdays import is_weekday
from pipelines.metadata.teasers import MAX_TITLE, folded_letters, is_linked, letters_of, teaser_test
from pipelines.text.scripts import SENTENCE_ENDS

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
"""Classes of WordPress for the subjects of a post. A subject may be called most popular."""
_ASIDE = frozenset({"nav", "aside", "footer", "figure", "figcaption", "blockquote"})
_BESIDE = _ASIDE - {"aside"}
"""Elements that contain no byline. An aside next to the headline may."""
_CHANGED = re.compile(r"updated|modified", re.IGNORECASE)
_PUBLIC = re.compile(r"publish|posted|created", re.IGNORECASE)
_DIGIT, _FULL = re.compile(rf"\d|{HEBREW_YEAR}"), re.compile(r"\d(?:\D*\d){4}")
_HEADING = re.compile(r"h[1-6]")
_CLOCK = re.compile(r"\d\s?:\s?\d\d")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
# A sentence ends with a word, or continues after one. Abbreviations (год., Uhr.) are shorter, except those of months.
_SENTENCE_END = re.compile(rf"([^\W\d_]{{4,}})[{SENTENCE_ENDS}](?:\s|$)")
# Shorter words end sentences only after many words: the law of that day changed it all.
_SENTENCE, _WORD, _MANY_WORDS = re.compile(rf"[^\W\d_]{{2,}}[{SENTENCE_ENDS}]\W*$"), re.compile(r"[^\W\d_]{2,}"), 7
_MAX_NODES = 6000
"""Elements of a page among which the headline and its surroundings are searched."""
_MAX_TEXT = 160
"""Characters of an element that is marked as a date."""
_MAX_HELD = 12
"""Elements inside an element whose text is read."""
"""Elements that one may hold whose text is read."""
_MAX_NAMING = 2000
"""Characters of a class or id. They are searched again for each element below."""
_MAX_UNMARKED = 80
"""Characters of an unmarked date after the headline, and of a date in an attribute."""
_BEFORE, _BEHIND, _NEXT, _OVER = 60, 400, 40, 10
"""Elements before, after, next to and directly above the headline in which a date is searched."""
_MAX_OVER = 50
"""Characters of an unmarked date directly above the headline."""
_HEADINGS, _MAX_HEADINGS, _MIN_HEADLINE = frozenset({"h1", "h2", "h3", "h4"}), 100, 15
_LINES = frozenset({"font", "b", "strong", "big", "span", "div", "td", "p", "center", "em"})
"""Elements that may be a headline if there is no heading."""
_PROSE, _PARAGRAPHS = 100, 3
"""Characters of a paragraph of prose, and number of such paragraphs that a date hardly follows."""
_LEVELS = 4
"""Levels of the tree, the element itself included, that decide its role."""
_HEADED, _ARTICLE = 2, frozenset({"article", "main"})
"""Levels above the headline of the elements that hold only the head of the article, and elements that hold it whole."""
_FEW_LINKS = 3
"""Links between the head of an article and its headline, at most. A masthead is above the menu, which has more."""
_WHOLE = frozenset({"article", "main", "body", "html"})
"""Elements whose classes describe the page: that it has a sidebar, or comments."""
_STATING = re.compile(r"title|data-(?:.*[-_])?(?:.*date|.*time|.*timestamp|ts|utc|epoch|unix|published)")
"""Attributes in which a marked element states the time that it shows as an age ("3 hours ago") or without the year."""
_LIST = 3
"""Elements of one class that form a list of teasers or comments."""
_SAME_BYLINE = 12
"""Elements after a date of update in which the date of publication may follow without a label."""
_MAX_LABEL, _MAX_SIBLINGS = 40, 3
"""Characters directly before a date that may be its label, and elements beside it that may contain one."""
_MAX_TIMES = 500
"""<time> elements of a page that are read."""
_MOST_OF_TITLE = 0.4
"""Least share of the title that its headline has, if that is longer than `_MIN_HEADLINE`."""
_LATEST = {"below": 1, "listed": 2}
"""Places whose dates come last, in this order."""
_PHRASE_END = re.compile(r"[|·•:;,،()/\n–—-]")
"""Sign that ends the words before a date."""
_MIN_NAME, _MAX_PREPOSITION = 2, 3
"""Words of the name of a person, and letters of a preposition between it and a date."""
_WORDS_OF_DATES = "ngày วันที่ วัน ថ្ងៃ ថ្ងៃទី tanggal tarikh den fecha data datum date dato تاریخ بتاریخ"
_OF_DATES = frozenset(map(fold, _WORDS_OF_DATES.split()))
# One query, because each walks the whole page. Drupal writes dc:date.
_MARKED = (
    '[itemprop~="datePublished"],time[pubdate],abbr.published[title],[property~="dc:date"],[property$="datePublished"]'
    ',[itemprop~="dateCreated"]'
)
_BODIES = ("article", "main")
_TEASERS = 2
"""Articles beside a headline that is in none of them. From this number on they are teasers."""
_MAX_MARKED = 1000
"""Marked elements of a page that are read."""
_UNREAD = frozenset({"script", "style", "noscript", "template", "svg", "option", "select", "title", "html", "head"})


class ShownDate(NamedTuple):
    """A text that may show the date of publication, with its place and its line."""

    place: str
    """A key of ``pipelines.metadata.publication_date.TRUST``."""
    text: str
    line: str = ""
    is_own: bool = False
    """True if its place or its words show that it belongs to the article, and not to the day of the visit."""


class Surroundings(NamedTuple):
    """Elements around the headline. None replaces elements that contain many others.

    ``before`` and ``behind`` are in the order of the page, ``over`` is directly above the headline. ``prose`` is the
    index in ``behind`` after which only elements beside the text are expected.
    """

    before: list[LexborNode | None]
    behind: list[LexborNode | None]
    over: list[LexborNode | None]
    """Without elements that contain the headline."""
    prose: int
    is_in_teaser: Callable[[LexborNode], bool]
    head: frozenset[int] = frozenset()
    """Ids of the elements that hold the head of the article, or all of it, and not the masthead."""


def time_elements(tree: LexborHTMLParser, url: str) -> Iterator[tuple[LexborNode, ShownDate]]:
    """Yield the <time datetime> elements of the page itself: not of navigation, asides, comments or teasers."""
    is_in_teaser = teaser_test(tree, url)
    for node in tree.css("time[datetime]")[:_MAX_TIMES]:
        if is_aside(node) or is_in_teaser(node):
            continue
        shown = node.text(deep=False)[:_MAX_TEXT]
        naming = f"{naming_of(node)} {node.attributes.get('itemprop') or ''}"
        named_so = _CHANGED.search(naming) is not None and _PUBLIC.search(naming) is None
        changed = named_so or UPDATED in {_label_of(node), *(part.kind for part in portions(shown))}
        yield node, ShownDate("updated" if changed else "time", node.attributes.get("datetime") or "", shown)


def marked_dates(tree: LexborHTMLParser, url: str) -> Iterator[str]:
    """Yield the values of elements marked as the date of publication, two for each mark, most trusted first."""
    marked = sorted(tree.css(_MARKED)[:_MAX_MARKED], key=_mark)
    is_in_teaser = teaser_test(tree, url)
    # A footer of the page may contain its date. Teasers and comments have dates of their own.
    own = (node for node in marked if not (is_aside(node, _ASIDE - {"footer"}, _OTHERS) or is_in_teaser(node)))
    for node in (node for _, alike in groupby(own, key=_mark) for node in islice(alike, 2)):
        attributes = node.attributes
        stated = (attributes.get(name) for name in ("datetime", "content", *["title"] * (node.tag == "abbr")))
        yield next(filter(None, stated), node.text(separator=" ")[:200])


def _mark(node: LexborNode) -> int:
    """Return the index of an element's mark, 0 for the most trusted one."""
    attributes = node.attributes
    properties = (attributes.get("itemprop") or "").split()
    marks = ("datePublished" in properties, "pubdate" in attributes, node.tag == "abbr", "property" in attributes)
    return marks.index(True) if any(marks) else len(marks)


def times_of_article(tree: LexborHTMLParser, times: list[tuple[LexborNode, ShownDate]]) -> Iterator[str]:
    """Yield the values of the first <time> elements of the article."""
    for name in _BODIES:
        # The element around the headline, else the first one, unless several are teasers.
        head = body = tree.css_first("h1")
        while body is not None and body.tag != name:
            body = body.parent
        every = tree.css(name)[:_TEASERS]
        if body is None and every and (head is None or len(every) < _TEASERS):
            body = every[0]
        inside = {node.mem_id for node in body.css("time[datetime]")[:_MAX_MARKED]} if body else set()
        own = [shown.text for node, shown in times if node.mem_id in inside and shown.place == "time"]
        yield from own[:2]


def visible_dates(around: Surroundings) -> Iterator[ShownDate]:
    """Yield short texts that may show the date of publication. Without a headline the start of the page counts as one.

    Order:

    1. marked texts after the headline;
    2. texts with digits next to it that read like a dateline;
    3. bare dates directly above it, the nearest first;
    4. marked texts before it, one of which may be today's date in the masthead;
    5. dates labelled as an update, and dates far after them;
    6. dates after the text;
    7. dates in lists.
    """
    before, behind, over, prose, is_in_teaser, head = around
    listed: set[str] | None = None
    late: list[ShownDate] = []
    marked, bare = (behind, 0, False), (behind[:_NEXT], _MAX_UNMARKED, False)
    for part, limit, above in (marked, bare, (over[::-1], _MAX_OVER, True), (before[::-1], 0, True)):
        updated_at: int | None = None
        for at, node in enumerate(part):
            for kind, shown in _in_element(node, limit, above=above):
                if node and is_in_teaser(node):
                    break
                # A list, or what follows the text, is not the masthead.
                own = not above or kind == PUBLISHED or bool(node and _is_within(node, head))
                clocked = own or (_CLOCK.search(shown.text) and _links_below(node, before) <= _FEW_LINKS)
                visit = is_of_visit(shown.text) and not _CLOCK.search(shown.text)
                shown = shown._replace(is_own=bool(clocked) and not visit)
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


def visible_ages(around: Surroundings) -> Iterator[ShownDate]:
    """Yield the texts near the headline that show the age of the page ("3 hours ago"), except those in lists."""
    ages = []
    for node in (*around.behind[: min(_NEXT, around.prose)], *around.over):
        if node is None or node.tag in _UNREAD or node.tag in _HEADINGS:
            continue
        text = " ".join((node.text(separator=" ") or "").split())
        if age_of(text) is not None and not is_aside(node) and not around.is_in_teaser(node):
            ages.append((node, text))
    alike = Counter(naming_of(node) for node, _ in ages)
    yield from (ShownDate("age", text) for node, text in ages if alike[naming_of(node)] < _LIST)


def around_headline(tree: LexborHTMLParser, url: str) -> Surroundings:
    """Return the elements around the headline."""
    nodes = tree.css("*")[:_MAX_NODES]  # A descendant combinator costs the square of the depth.
    head = _headline(tree, nodes)
    first = max(0, head - _BEFORE)
    # None replaces elements that contain many others: reading the text of each would be quadratic.
    near, held = nodes[first : head + _BEHIND], Counter[int]()
    for node in reversed(near):
        if node.parent:
            held[node.parent.mem_id] += 1 + held[node.mem_id]
    small = [node if held[node.mem_id] <= _MAX_HELD else None for node in near]
    before, behind = small[: head - first], small[head - first + 1 :]
    around, holding, own = (nodes[head] if nodes else None), list[int](), set[int]()
    while around is not None:
        if around.tag in _ARTICLE or (0 < len(holding) <= _HEADED and around.tag not in _WHOLE):
            own.add(around.mem_id)
        holding.append(around.mem_id)
        around = around.parent
    behind = [*(_loose_behind(nodes[head]) if nodes else ()), *behind]
    over: list[LexborNode | None] = [node for node in before[-_OVER:] if node and node.mem_id not in holding]
    paragraphs = (at for at, node in enumerate(behind) if node and node.tag == "p" and len(node.text()) >= _PROSE)
    prose = next(islice(paragraphs, _PARAGRAPHS - 1, None), len(behind))
    return Surroundings(before, behind, over, prose, teaser_test(tree, url), frozenset(own))


def _is_within(node: LexborNode, elements: frozenset[int]) -> bool:
    """Return whether one of some elements, by their ids, is around an element."""
    around = node.parent
    while around is not None and around.mem_id not in elements:
        around = around.parent
    return around is not None


def _links_below(node: LexborNode | None, before: list[LexborNode | None]) -> int:
    """Return the number of links after an element, among the elements before the headline."""
    at = next((at for at, each in enumerate(before) if node and each and each.mem_id == node.mem_id), 0)
    return sum(each is not None and each.tag == "a" for each in before[at + 1 :])


def _loose_behind(headline: LexborNode) -> list[LexborNode]:
    """Return the text directly after the headline that has no element of its own, as on pages for printing."""
    around: LexborNode | None = headline
    for _ in range(_LEVELS):
        if around is None or around.tag in _WHOLE:
            break
        passed, following = 0, around.next
        while following is not None:
            if passed == _MAX_SIBLINGS or (following.tag != "br" and following.text().strip()):
                return [following] if following.tag == "-text" else []
            passed, following = passed + 1, following.next
        around = around.parent
    return []


def _headline(tree: LexborHTMLParser, nodes: list[LexborNode]) -> int:
    """Return the index of the headline.

    It is the heading that shares the most with the title. Otherwise it is the first h1, or the first line that is in
    the title, or 0. Some pages have their name in the first h1, others the headline in an h3. Pages
    that are laid out in tables have no heading.
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
    """Return the index of the first element whose own text is in the title and that is no link, or 0."""
    if len(title) < least:
        return 0
    for place, node in enumerate(nodes):
        if node.tag not in _LINES:
            continue
        text = node.text(deep=False)
        if least <= len(text) <= MAX_TITLE and not is_linked(node, _LEVELS):
            letters = folded_letters(text)
            if len(letters) >= least and letters in title:
                return place
    return 0


def _listed(part: list[LexborNode | None]) -> set[str]:
    """Return class and id of elements that show digits and occur several times: dates of teasers, comments."""
    named = [(naming_of(node), node) for node in part if node]
    alike = Counter(naming for naming, node in named if _HINT.search(naming) or node.tag == "time")
    often = {naming for naming, count in alike.items() if count >= _LIST}
    shown = Counter(naming for naming, node in named if naming in often and _short_text(node) and not is_aside(node))
    return {naming for naming, count in shown.items() if count >= _LIST}


def _in_element(node: LexborNode | None, limit: int, *, above: bool) -> Iterator[tuple[str, ShownDate]]:
    """Yield the dates of a small element. An unmarked one is read only up to ``limit`` characters; 0 for none."""
    if node is None or not (limit or node.tag == "time" or _HINT.search(naming_of(node))):
        return
    text = _short_text(node, limit or _MAX_TEXT)
    if not limit and "datetime" not in node.attributes and _FULL.search(text) is None:
        stated = (value or "" for name, value in node.attributes.items() if _STATING.fullmatch(name))
        text = next((each for each in stated if len(each) <= _MAX_UNMARKED and _FULL.search(each)), text)
    if not text or (limit and not _is_dateline(node, text)) or is_aside(node, _BESIDE if limit else _ASIDE):
        return
    found = [(part.kind, part.text) for part in portions(text)]
    if len(found) == 1 and found[0][0] == PLAIN:
        found = [(_label_of(node), text)]
    # Parts that are labelled as published come first.
    for kind, portion in sorted((part for part in found if part[0] != OTHER), key=lambda part: part[0] != PUBLISHED):
        place = "updated" if kind == UPDATED else "masthead" if above else "text"
        in_phrase = limit and place == "text" and kind == PLAIN and is_in_phrase(text)
        yield kind, ShownDate("below" if in_phrase else place, portion, text)


def is_in_phrase(text: str) -> bool:
    """Return whether words run into the date of a text without a sign: a decree of that day, in any language.

    A time of day is beside a dateline only. Names of weekdays, months and people, and words for a day are no phrase.

    >>> is_in_phrase("Circulaire du 5 août 2019"), is_in_phrase("Hanoi, 5 May"), is_in_phrase("Par Jo Roux le 5 mai")
    (True, False, False)
    """
    found = _DIGIT.search(text)
    if found is None or _CLOCK.search(text):
        return False
    words = _PHRASE_END.split(text[: found.start()])[-1].split()
    # A preposition may be between a name and the date.
    named = words[: -1 if len(words) > _MIN_NAME and len(words[-1]) <= _MAX_PREPOSITION else None]
    if len(named) >= _MIN_NAME and all(word[0].isupper() for word in named):
        return False
    return not all(_is_neutral(word) for word in words if sum(map(str.isalpha, word)) >= _MAX_PREPOSITION)


def _is_neutral(word: str) -> bool:
    folded = fold(word).strip(".")
    return folded in _OF_DATES or is_name(folded) or is_weekday(folded)


def _label_of(node: LexborNode) -> str:
    """Return the kind of the label directly before an element. A headline is no label."""
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
    """Return whether an unmarked text is a dateline, and not a sentence or a heading about some day."""
    wordy = _SENTENCE.search(text) and len(_WORD.findall(text)) >= _MANY_WORDS
    if wordy or not all(is_name(fold(end[1])) for end in _SENTENCE_END.finditer(text)):
        return False
    if _MISLEADING.search(naming_of(node)):
        return False
    return not _HEADING.fullmatch(node.tag or "") or bool(_CLOCK.search(text)) or not _LETTERS.search(text)


def is_aside(node: LexborNode, tags: frozenset[str] = _ASIDE, classes: re.Pattern[str] = _MISLEADING) -> bool:
    """Return whether an element or one around it is beside the article: navigation, comments, other pages.

    What holds the headline of the page is the head of the article, whatever its name.
    """
    around: LexborNode | None = node
    for _ in range(_LEVELS):
        if around is None:
            return False
        # A footer or an aside of an article may contain its byline.
        in_article = around.tag in {"footer", "aside"} and around.parent is not None and around.parent.tag == "article"
        if (around.tag not in _WHOLE and classes.search(_TAXONOMY.sub("", naming_of(around)))) or (
            around.tag in tags and not in_article
        ):
            return not holds_headline(around)
        around = around.parent
    return False


def holds_headline(node: LexborNode) -> bool:
    """Return whether the first h1 in an element is the headline of the page, as its title shows."""
    heading = node.css_first("h1")
    if heading is None or is_linked(heading, _LEVELS) or heading.css_first(LINKS) is not None:
        return False
    root = node
    while root.parent is not None:
        root = root.parent
    headline, title = letters_of(heading), letters_of(root.css_first("title"))
    within = headline in title or title in headline
    # A section's name in an h1 may be in the title too.
    return within and min(len(headline), len(title)) >= _MOST_OF_TITLE * max(len(headline), len(title), 1)


def is_of_masthead(node: LexborNode) -> bool:
    """Return whether an element is in the header of the page, which has no heading, and not in that of an article."""
    around: LexborNode | None = node
    while around is not None and around.tag not in {"header", "article", "main"}:
        around = around.parent
    if around is None or around.tag != "header" or around.css_first("h1,h2") is not None:
        return False
    while around is not None and around.tag not in {"article", "main"}:
        around = around.parent
    return around is None


def naming_of(node: LexborNode, names: tuple[str, ...] = ("class", "id")) -> str:
    """Return the values of some attributes of an element, as far as they are read."""
    attributes = node.attributes
    return " ".join((attributes.get(name) or "")[:_MAX_NAMING] for name in names)


def _short_text(node: LexborNode, limit: int = _MAX_TEXT) -> str:
    """Return the text of an element, or "" if it is longer than ``limit`` or has no digit."""
    if node.tag in _UNREAD:
        return ""
    text = " ".join((node.text(separator=" ") or "").split())
    return text if len(text) <= limit and _DIGIT.search(text) else ""
