"""Find short texts near the headline that show the date of the page, or its age.

They are in elements with a class that names a date, or read like a dateline. The label beside a date counts
(`pipelines.metadata.dates.labels`): the date of an update comes last, that of a licence or a deadline is skipped. Dates
in navigation, asides, comments and teasers belong to other pages and are skipped too.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from pipelines.metadata.beside import ASIDE_TAGS, MAX_NAMING, MISLEADING_NAMES, TAGS_WITHOUT_BYLINE, is_aside, naming_of
from pipelines.metadata.dates.ages import age_of, is_of_visit
from pipelines.metadata.dates.clock import may_state_zone
from pipelines.metadata.dates.figures import WITHOUT_FIGURES
from pipelines.metadata.dates.labels import OTHER, PLAIN, PUBLISHED, UPDATED, label_before, portions
from pipelines.metadata.dates.months import fold, is_name
from pipelines.metadata.dates.weekdays import is_weekday
from pipelines.metadata.headline import (
    HEADING_TAGS,
    MAX_ELEMENTS_BESIDE,
    MAX_LABEL,
    MAX_SIBLINGS,
    Surroundings,
    is_small,
    is_within,
    links_below,
)
from pipelines.metadata.publication_date import DateCandidate
from pipelines.text.scripts import SENTENCE_ENDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

_HINT = re.compile(r"date|time|publish|posted|byline|meta|info|created|ngay|thoi-?gian|tarikh|zaman|fecha|datum")
"""Names of dates in lower case. Without regard to case the search takes twice the time."""
# What each text with a date has.
_DIGIT, _FULL = re.compile(rf"\d|{WITHOUT_FIGURES}"), re.compile(r"\d(?:\D*\d){4}")
_HEADING = re.compile(r"h[1-6]")
_CLOCK = re.compile(r"\d\s?:\s?\d\d")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
# A sentence ends with a word, or continues after one. Abbreviations (год., Uhr.) are shorter, except those of months.
_SENTENCE_END = re.compile(rf"([^\W\d_]{{4,}})[{SENTENCE_ENDS}](?:\s|$)")
# Shorter words end sentences only after many words: the law of that day changed it all.
_SENTENCE, _WORD, _MANY_WORDS = re.compile(rf"[^\W\d_]{{2,}}[{SENTENCE_ENDS}]\W*$"), re.compile(r"[^\W\d_]{2,}"), 7
MAX_SHOWN_CHARS = 160
"""Characters of an element that is marked as a date."""
_MAX_UNMARKED = 80
"""Characters of an unmarked date after the headline, and of a date in an attribute."""
_MAX_CHARS_ABOVE = 50
"""Characters of an unmarked date directly above the headline."""
_FEW_LINKS = 3
"""Links between the head of an article and its headline, at most. A masthead is above the menu, which has more."""
_STATING = re.compile(r"title|data-(?:.*[-_])?(?:.*date|.*time|.*timestamp|ts|utc|epoch|unix|published)")
"""Attributes in which a marked element states the time that it shows as an age ("3 hours ago") or without the year."""
_LIST = 3
"""Elements of one class that form a list of teasers or comments."""
_SAME_BYLINE = 12
"""Elements after a date of update in which the date of publication may follow without a label."""
_LATEST = {"below": 1, "listed": 2}
"""Places whose dates come last, in this order."""
_PHRASE_END = re.compile(r"[|·•:;,،()/\n–—-]")
"""Sign that ends the words before a date."""
_MIN_NAME, _MAX_PREPOSITION = 2, 3
"""Words of the name of a person, and letters of a preposition between it and a date."""
_WORDS_OF_DATES = "ngày วันที่ วัน ថ្ងៃ ថ្ងៃទី tanggal tarikh den fecha data datum date dato تاریخ بتاریخ"
_OF_DATES = frozenset(map(fold, _WORDS_OF_DATES.split()))
_UNREAD = frozenset({"script", "style", "noscript", "template", "svg", "option", "select", "title", "html", "head"})


def visible_dates(around: Surroundings) -> Iterator[DateCandidate]:
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
    before, behind, _, prose, is_in_teaser, head = around
    listed: set[str] | None = None
    late: list[DateCandidate] = []
    for part, limit, above in _parts(around):
        updated_at: int | None = None
        for at, node in _to_read(part, limit):
            for kind, shown in _in_element(node, limit, above=above):
                if is_in_teaser(node):
                    break
                # A list, or what follows the text, is not the masthead.
                own = not above or kind == PUBLISHED or is_within(node, head)
                clocked = own or (_CLOCK.search(shown.text) and links_below(node, before) <= _FEW_LINKS)
                visit = not _CLOCK.search(shown.text) and is_of_visit(shown.text)
                shown = shown._replace(is_own=bool(clocked) and not visit)
                if kind == UPDATED and updated_at is None:
                    updated_at = at
                far = not limit if above else at >= MAX_ELEMENTS_BESIDE
                if far and listed is None:
                    listed = _listed(before) | _listed(behind[MAX_ELEMENTS_BESIDE:])
                if far and listed and naming_of(node) in listed:
                    late.append(shown._replace(source="listed"))
                elif kind == PLAIN and not above and at > prose:
                    late.append(shown._replace(source="below"))
                elif kind == UPDATED or (kind == PLAIN and updated_at is not None and at > updated_at + _SAME_BYLINE):
                    late.append(shown)
                else:
                    yield shown
    yield from sorted(late, key=lambda shown: _LATEST.get(shown.source, 0))


def may_show_moment(around: Surroundings) -> bool:
    """Return False if no visible date has a time of day with its zone. Few pages show a zone."""
    return any(
        (text := _text_in(node, limit)) and may_state_zone(text)
        for part, limit, _ in _parts(around)
        for _, node in _to_read(part, limit)
    )


def _parts(around: Surroundings) -> Iterator[tuple[list[LexborNode], int, bool]]:
    """Yield the parts of the surroundings in the order of `visible_dates`.

    Each has the limit of its texts (0: marked elements only), and whether it is above the headline.
    """
    yield around.behind, 0, False
    yield around.behind[:MAX_ELEMENTS_BESIDE], _MAX_UNMARKED, False
    yield around.over[::-1], _MAX_CHARS_ABOVE, True
    yield around.before[::-1], 0, True


def visible_ages(around: Surroundings) -> Iterator[DateCandidate]:
    """Yield the texts near the headline that show the age of the page ("3 hours ago"), except those in lists.

    The age of an update comes last.
    """
    ages = []
    for node in (*around.behind[: min(MAX_ELEMENTS_BESIDE, around.prose)], *around.over):
        if node.tag in _UNREAD or node.tag in HEADING_TAGS or not is_small(node):
            continue
        text = " ".join((node.text(separator=" ") or "").split())
        if age_of(text) is not None and not is_aside(node) and not around.is_in_teaser(node):
            ages.append((node, text))
    alike = Counter(naming_of(node) for node, _ in ages)
    own = (text for node, text in ages if alike[naming_of(node)] < _LIST)
    yield from (DateCandidate("age", text) for text in sorted(own, key=lambda text: label_before(text) == UPDATED))


def _listed(part: list[LexborNode]) -> set[str]:
    """Return class and id of elements that show digits and occur several times: dates of teasers, comments."""
    named = [(naming_of(node), node) for node in part if is_marked(node) and is_small(node)]
    alike = Counter(naming for naming, _ in named)
    often = {naming for naming, count in alike.items() if count >= _LIST}
    shown = Counter(naming for naming, node in named if naming in often and _short_text(node) and not is_aside(node))
    return {naming for naming, count in shown.items() if count >= _LIST}


def _to_read(part: list[LexborNode], limit: int) -> Iterator[tuple[int, LexborNode]]:
    """Yield the elements that may show a date, with their index: the marked ones, or with a ``limit`` all."""
    for at, node in enumerate(part):
        if (limit or is_marked(node)) and is_small(node):
            yield at, node


def is_marked(node: LexborNode) -> bool:
    """Return whether an element is for a time, or its class or id names a date."""
    stated = node.attributes
    # Cut before it is cached: a hostile page has names of megabytes.
    names = ((stated.get(name) or "")[:MAX_NAMING] for name in ("class", "id"))
    return (bool(stated) and _names_date(*names)) or node.tag == "time"


@lru_cache(maxsize=2**10)
def _names_date(classes: str, name: str) -> bool:
    """Return whether class or id names a date. Elements of a page repeat them four times, and pages of a site too."""
    return any(stated and _HINT.search(stated.lower()) for stated in (classes, name))


def _in_element(node: LexborNode, limit: int, *, above: bool) -> Iterator[tuple[str, DateCandidate]]:
    """Yield the dates of a small element."""
    text = _text_in(node, limit)
    if (
        not text
        or (limit and not _is_dateline(node, text))
        or is_aside(node, TAGS_WITHOUT_BYLINE if limit else ASIDE_TAGS)
    ):
        return
    found = [(part.kind, part.text) for part in portions(text)]
    if len(found) == 1 and found[0][0] == PLAIN:
        found = [(label_of(node), text)]
    # Parts that are labelled as published come first.
    for kind, portion in sorted((part for part in found if part[0] != OTHER), key=lambda part: part[0] != PUBLISHED):
        place = "updated" if kind == UPDATED else "masthead" if above else "text"
        in_phrase = limit and place == "text" and kind == PLAIN and is_in_phrase(text)
        yield kind, DateCandidate("below" if in_phrase else place, portion, text)


def _text_in(node: LexborNode, limit: int) -> str:
    """Return the text of an element, or what it states for one without a date.

    An unmarked one is read only up to ``limit`` characters; 0 if it is marked.
    """
    text = _short_text(node, limit or MAX_SHOWN_CHARS)
    if not limit and "datetime" not in node.attributes and _FULL.search(text) is None:
        stated = (value or "" for name, value in node.attributes.items() if _STATING.fullmatch(name))
        text = next((each for each in stated if len(each) <= _MAX_UNMARKED and _FULL.search(each)), text)
    return text


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


def label_of(node: LexborNode) -> str:
    """Return the kind of the label directly before an element. A headline is no label."""
    around: LexborNode | None = node
    for _ in range(2):
        if around is None:
            break
        before, stated = around.prev, ""
        for _ in range(MAX_SIBLINGS):
            if before is None or stated:
                break
            stated = before.text(separator=" ").strip()
            if before.tag in HEADING_TAGS and len(stated) > MAX_LABEL:
                return PLAIN
            before = before.prev
        if stated:
            return PLAIN if _DIGIT.search(stated[-MAX_LABEL:]) else label_before(stated[-MAX_LABEL:])
        around = around.parent
    return PLAIN


def _is_dateline(node: LexborNode, text: str) -> bool:
    """Return whether an unmarked text is a dateline, and not a sentence or a heading about some day."""
    wordy = _SENTENCE.search(text) and len(_WORD.findall(text)) >= _MANY_WORDS
    if wordy or not all(is_name(fold(end[1])) for end in _SENTENCE_END.finditer(text)):
        return False
    if MISLEADING_NAMES.search(naming_of(node)):
        return False
    return not _HEADING.fullmatch(node.tag or "") or bool(_CLOCK.search(text)) or not _LETTERS.search(text)


def _short_text(node: LexborNode, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return the text of an element, or "" if it is longer than ``limit`` or has no digit."""
    if node.tag in _UNREAD:
        return ""
    text = " ".join((node.text(separator=" ") or "").split())
    return text if len(text) <= limit and _DIGIT.search(text) else ""
