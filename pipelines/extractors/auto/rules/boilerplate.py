"""Leave out boilerplate inside an article: boxes, links and lines that are not part of it.

- Boxes are widgets, forms and related articles. They are known by the elements around them.
- Links are lists of links, and blocks that lead to other pages.
- Lines are known by their words: labels of links, words of buttons, labels of advertisements. A line goes only if the
  words are all there is ("Copy link"), or if they are a label before a link ("Read also: ..."). The words
  (boilerplate.toml) are those of newspapers. A line is compared in lower case, without marks at its ends. A line that
  begins with the sign of a copyright goes too.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pipelines.extractors.auto.blocks.features import MIN_ARTICLE_LETTERS
from pipelines.extractors.auto.blocks.marks import BIT
from pipelines.extractors.auto.blocks.text_measures import UNMARKED
from pipelines.extractors.auto.rules.text_lines import is_heading
from storage.records import ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array

AnyLine = TypeVar("AnyLine", bound="tuple[str, ParagraphKind] | tuple[str, ParagraphKind, tuple[int, ...]]")
"""A line and its kind, also with the indices of its blocks."""
WIDGETS = 0.3
"""Share of the text, at most, in boxes named as widgets."""
MIN_HEADED_BLOCKS, MAX_TEASED_SHARE = 3, 0.3
"""Blocks, at least, of a box of links with a heading, and its share of the text, at most."""
MIN_TEASED_LINES = 2
"""Lines below links, at least, of a list of teasers."""
WHOLE_LINK_SHARE = 0.9
"""Share of linked characters from which a block is a link."""
MAX_HEADINGS = 50
"""Headings of boxes on a page that are checked."""
_APART = BIT["aside"] | BIT["nav"]
MAX_BOX = 400
"""Letters of a box below a short article, at most."""
MAX_FORM_BLOCKS, MAX_FORM_CHARS = 6, 300
"""Blocks and characters, at most, of a box with a form in it."""

MAX_LINKED_SHARE = 0.5
"""Share of linked characters from which a block without a sentence end is a link to another page."""
HEADING, NOTICE = 60, 120
"""Characters, at most, of the heading of a box, and of a notice in the place of an advertisement."""
MIN_UNENDED_LETTERS = 100
"""Letters, at least, of a linked sentence in a script without spaces."""
SUBHEADS = frozenset({"h2", "h3", "h4", "h5", "h6"})
MAX_BOXES = 3
"""Boxes of links, or linked subheads, at most, in an article that does not consist of them."""
MIN_NUMBERED = 2
"""Linked subheads that begin with a number, at least, to be those of the article."""
_NUMBERED = re.compile(r"\s*\d{1,3}\s?[.):、]")
MAX_BOXED_SHARE = 0.15
"""Share of the text, at most, in a box of related articles."""
_RELATED = re.compile(
    r"[Rr]elated(?!-work)|RELATED|yarpp|[Rr]ecommend(?!ation)|see-?also|[Rr]ead-?(?:[Mm]ore(?!-(?:content|text|target))|[Aa]lso)"
)
"""Exceptions: the recommendation of a report, a section on related work, a text that unfolds by "read more"."""


def widgets(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks in boxes named as widgets: about the author, newsletters, polls, players, most read.

    If such boxes may be the text, no block is marked.
    """
    found: Array = chosen & ((page.path & BIT["widget"]) != 0)
    return _unless_text(page, found, chosen)


def asking(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks in a small box that asks for something: to sign up, to vote, to donate.

    The box has a form with text in it, as on its button, and little other text.
    """
    found = np.zeros(page.count, bool)
    taken = chosen.nonzero()[0]
    if not len(taken):
        return found
    near = slice(max(0, int(taken[0]) - MAX_FORM_BLOCKS), int(taken[-1]) + MAX_FORM_BLOCKS)
    formed = ((page.path[near] & BIT["form"]) != 0).nonzero()[0]
    if not len(formed):
        return found
    held = page.total(page.texts.chars * chosen)
    small = (page.held <= MAX_FORM_BLOCKS) & (held <= MAX_FORM_CHARS)
    elements = page.blocks.elements
    inside = {*page.inside[formed + near.start].tolist()}
    forms = {
        next((form for form in _outwards(page, element, small) if elements.name(form) == "form"), 0)
        for element in inside
    }
    for inner in forms:
        box = 0
        for outer in _outwards(page, inner, small):
            box = outer
        found[page.first[box] : page.last[box]] |= bool(box and held[box])
    return _unless_text(page, found & chosen, chosen)


def _outwards(page: PageBlocks, element: int, small: Array) -> Iterator[int]:
    """Yield an element and the elements around it while they are small, without the page itself."""
    while element and small[element]:
        yield element
        element = int(page.parents[element])


def _unless_more(page: PageBlocks, found: Array, chosen: Array, most: float) -> Array:
    """Return the found blocks, or no blocks if they are more than the share ``most`` of the text."""
    if not found.any():
        return found
    if page.texts.chars[found].sum() > most * page.texts.chars[chosen].sum():
        return np.zeros(page.count, bool)
    return found


def _unless_text(page: PageBlocks, found: Array, chosen: Array) -> Array:
    """Return the found blocks, or no blocks if they may be the text itself, by their share of it.

    A short article may have less text than the box beside it. So a small box goes with any share of the text, if other
    prose is below the headline.
    """
    if found.any() and page.heads.any() and page.weight[found].sum() <= MAX_BOX:
        left = chosen & ~found & (page.order > page.headline) & (page.weight >= HEADING)
        if (left & (page.texts.ends_sentence | (page.texts.classes[:, UNMARKED] >= HEADING))).any():
            return found
    return _unless_more(page, found, chosen, WIDGETS)


def elsewhere(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks under a heading such as "Read also", with links beside them.

    Either an element begins with the heading, has little of the text and does not hold the page's headline. Or all
    blocks after the heading are links with at most one line below each.
    """
    found = np.zeros(page.count, bool)
    taken = chosen.nonzero()[0]
    if not len(taken):
        return found
    links = page.link >= WHOLE_LINK_SHARE
    short = page.texts.chars <= MAX_LABEL
    opens = short[np.minimum(page.first, page.count - 1)] & (page.held >= MIN_HEADED_BLOCKS) & (page.total(chosen) > 0)
    before = short[:-2] & (links[1:-1] | links[2:])
    texts, last = page.blocks.texts, int(taken[-1])
    may_be = {*page.first[opens].tolist(), *(before[taken[0] : last].nonzero()[0] + taken[0]).tolist()}
    heads = {index for index in may_be if leads_elsewhere(texts[index])}
    for head in sorted(heads)[:MAX_HEADINGS]:
        behind: Array = chosen & (page.order >= head)
        ahead = chosen & ~behind
        enough = page.weight[ahead].sum() >= MIN_ARTICLE_LETTERS
        if enough and head < last and links[head + 1 :].any() and _is_of_teasers(page, ahead, behind, head):
            found |= behind
            return found
        for element in (opens & (page.first == head)).nonzero()[0][:MAX_HEADINGS].tolist():
            held = page.holds(element)
            if (held & links).any() and not (held & page.heads).any():
                # A heading inside an aside says nothing about text outside of the aside.
                alike = (page.path & _APART & page.path[head]) == (page.path[head] & _APART)
                found |= _unless_more(page, chosen & held & alike, chosen, MAX_TEASED_SHARE)
    return found


def _is_of_teasers(page: PageBlocks, before: Array, behind: Array, head: int) -> bool:
    """Return whether each block after a heading is a link or follows one, with more than one such line.

    Cards of links between paragraphs look the same. There the lines are text. They are beside the text before the
    heading or have its layout, or the heading recurs among them.
    """
    links, below = page.link >= WHOLE_LINK_SHARE, behind.nonzero()[0]
    lines = below[(below > head) & ~links[below]]
    if len(lines) < MIN_TEASED_LINES or not links[lines - 1].all():
        return False
    beside = page.total(before)[page.parents[page.outer[lines]]] > 0
    if beside.any() or np.isin(page.layouts[lines], page.layouts[before]).any():
        return False
    label, texts = page.blocks.texts[head].strip(), page.blocks.texts
    return all(links[index] or texts[index].strip() != label for index in range(int(lines[0]), int(lines[-1])))


def related(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks in boxes named as related articles, with links in the box or beside it."""
    found: Array = chosen & ((page.path & BIT["related"]) != 0)
    tags = page.blocks.elements.tags
    marked = (number for number, bits in enumerate(page.marks) if bits & BIT["related"]) if found.any() else ()
    named = [number for number in marked if _RELATED.search(tags[number])]
    if not named:
        return np.zeros(page.count, bool)
    known = np.zeros(len(tags), bool)
    known[named] = True
    held = page.total(page.texts.chars * chosen)
    few = held <= MAX_BOXED_SHARE * held[0]
    leading = few & (page.total(page.link > MAX_LINKED_SHARE) > 0)
    inside = np.zeros(page.count, bool)
    for box in (known[page.tag] & few & (held > 0) & (leading | leading[page.parents])).nonzero()[0].tolist():
        inside[page.first[box] : page.last[box]] = True
    return found & inside


def links(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks that are links to other pages: mostly linked text, and no sentence.

    Sentences in Thai, Lao and others have no mark at their end. There a line too long for a headline is one.

    If such blocks are most of the text, the page is about them, and no block is marked. A few linked subheads are
    headlines of other articles. If there are more, or if they are numbered, each names the text below it, as in lists
    of the best.
    """
    found: Array = chosen & (page.link > MAX_LINKED_SHARE) & ~page.texts.ends_sentence
    for index in (found & (page.texts.classes[:, UNMARKED] >= MIN_UNENDED_LETTERS)).nonzero()[0].tolist():
        found[index] = max(map(len, page.blocks.lines(index))) < MIN_UNENDED_LETTERS
    if not found.any():
        return found
    few = 2 * page.texts.chars[found].sum() <= page.texts.chars[chosen].sum()
    if not few:
        return np.zeros(page.count, bool)
    elements, inside = page.blocks.elements, page.blocks.inside
    names = {index: elements.names[elements.tag[inside[index]]] for index in found.nonzero()[0].tolist()}
    said = Counter(names.values())
    heads = [index for index, named in names.items() if named in SUBHEADS]
    numbered = [index for index in heads if _NUMBERED.match(page.blocks.texts[index])]
    found[[index for index in heads if said[names[index]] > MAX_BOXES]] = False
    found[numbered if len(numbered) >= MIN_NUMBERED else []] = False
    return found


def labels(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks that are headings of boxes without other chosen blocks, such as "Read also".

    The box holds at least two links, or is marked as an advertisement or as share buttons. An article has a few such
    boxes. If there are more, the page consists of them, as lists of the best things to buy do. If no chosen block is a
    sentence, the page has no article around the boxes.
    """
    found = np.zeros(page.count, bool)
    ends = page.texts.ends_sentence
    longest = np.where((page.path & BIT["ad"]) != 0, NOTICE, np.where(ends, 0, HEADING))
    short = (chosen & (page.texts.chars <= longest)).nonzero()[0].tolist()
    if not short:
        return found
    article = bool((chosen & (ends | (page.texts.classes[:, UNMARKED] >= HEADING))).any())
    single = (page.total(chosen) == 1).tolist()
    leading = (page.total(~chosen & (page.link > MAX_LINKED_SHARE)) > 1).tolist()
    marked, boxes = list[int](), list[int]()
    for index in short:
        alone = list(takewhile(single.__getitem__, page.blocks.around(index)))
        if any(_holds_no_text(page, element) for element in alone):
            marked.append(index)
        elif article and page.texts.chars[index] <= HEADING and any(map(leading.__getitem__, alone)):
            boxes.append(index)
    said = {page.blocks.texts[index].strip() for index in boxes}
    found[marked + (boxes if len(said) <= MAX_BOXES else [])] = True
    return found


def _holds_no_text(page: PageBlocks, element: int) -> bool:
    """Return whether an element is marked as an advertisement or as share buttons. Ids of headings do not count."""
    elements = page.blocks.elements
    marks = page.marks[elements.tag[element]]
    return bool(marks & BIT["ad"] or (marks & BIT["share"] and not is_heading(elements.name(element))))


# Lines.
MAX_LINE, MAX_LABEL = 200, 50
"""Characters, at most, of such a line and of a label."""
_FORMS = {"i": "İı", "ا": "أإآ", "ی": "يى", "ک": "ك", "ه": "ةە", "'": "’"}
"""Letters, and the variants that are typed for them."""
_FOLD = str.maketrans(
    {form: letter for letter, forms in _FORMS.items() for form in forms}
    | dict.fromkeys("ًٌٍَُِّْ", "")
    | {"ـ": "", "\u200c": " ", "\xa0": " "}
)
_BEFORE = (
    " \t\"'“”„‟«»<>‹›*•·|¦-–—―:：;՝፦()[]{}【】〔〕「」『』~#_…\u200e\u200f\u200b\xa0"
    "■□▪▫●○◆◇►▶▸▹▼▽▲△↓→⇒➡➔➤➜👉👇📌🔗📷📸🎥✅✔\ufe0f"
)
_BEHIND = _BEFORE + ".!。،,؛;/\\+؟?"
_COLON = re.compile(r"[:：|»›՝፦]")
_RIGHTS = re.compile(r"\W{0,3}(?:[©ⓒ]|\(c\)\s?\d{4}|copyright\s?(?:[©ⓒ]|\(c\)|\d{4}))", re.IGNORECASE)
"""Beginning of a line that states whose the text or a picture is. The sign is the same in all languages."""
_LABELLED = frozenset({ParagraphKind.PARAGRAPH, ParagraphKind.HEADING, ParagraphKind.ITEM})


def _folded(line: str) -> str:
    if line.isascii():
        return line.lower()
    # A dotted capital I would be two letters in lower case.
    return unicodedata.normalize("NFC", line.replace("İ", "i")).casefold().translate(_FOLD)


def _read_words() -> dict[str, frozenset[str]]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {
        name: frozenset(
            _folded(" ".join(line.split())) for lines in scripts.values() for line in lines.split(",") if line.strip()
        )
        for name, scripts in tables.items()
    }


_WORDS = _read_words()
_ELSEWHERE = _WORDS["elsewhere"]
_ALONE = _WORDS["alone"] | _WORDS["advertisements"]


def without_lines(lines: Sequence[AnyLine]) -> list[AnyLine]:
    """Return the lines of a text, with their kinds, without boilerplate; all of them if less than half would be left.

    >>> without_lines([("- Quảng cáo -", ParagraphKind.PARAGRAPH), ("Nước sông lên.", ParagraphKind.PARAGRAPH)])
    [('Nước sông lên.', <ParagraphKind.PARAGRAPH: 'p'>)]
    """
    kept = [line for line in lines if len(line[0]) > MAX_LINE or not is_boilerplate(line[0], line[1])]
    return kept if 2 * sum(len(line[0]) for line in kept) >= sum(len(line[0]) for line in lines) else list(lines)


def leads_elsewhere(text: str) -> bool:
    """Return whether a text is the heading of a list of links to other articles.

    >>> leads_elsewhere("Tin liên quan"), leads_elsewhere("Tin liên quan đến lũ")
    (True, False)
    """
    return len(text) <= MAX_LABEL and _folded(text.strip().strip(_BEHIND)) in _ELSEWHERE


def is_boilerplate(line: str, kind: ParagraphKind) -> bool:
    """Return whether a line is a label of a link, states a copyright, or is the words of a button or an advertisement.

    A heading may be the words of a button: the text below it is about them.

    >>> is_boilerplate("Xem thêm: Nước sông lên", ParagraphKind.PARAGRAPH)
    True
    >>> is_boilerplate("Xem thêm ba con sông lớn ở miền Trung", ParagraphKind.PARAGRAPH)
    False
    """
    if _RIGHTS.match(line):
        return True
    if len(line) > 2 * MAX_LABEL and not _COLON.search(line, 0, 2 * MAX_LABEL):  # most lines: do not fold them
        return False
    folded = _folded(line.lstrip(_BEFORE))
    colon = _COLON.search(folded, 0, MAX_LABEL)
    if kind in _LABELLED and (colon or len(folded) <= MAX_LABEL):
        label = folded[: colon.start() if colon else MAX_LABEL].rstrip(_BEHIND)
        if label in _ELSEWHERE:
            return True
    return kind is ParagraphKind.PARAGRAPH and len(folded) <= MAX_LABEL and folded.rstrip(_BEHIND) in _ALONE
