"""Parts of a page that are kept apart from its text, by its markup: title, captions and readers' comments.

Kinds of paragraphs, buttons and copies of the text are read here too. The functions read the chosen blocks and the
elements around them, so they cost little.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.extractors.auto.blocks.page import BIT, KIND, MIN_PROSE, UNFOLDED, UNMARKED
from pipelines.extractors.auto.blocks.walk import LINE, one_line
from pipelines.extractors.base import PARAGRAPH_KINDS
from pipelines.text.scripts import SENTENCE_ENDS, SINGLE
from storage.records import ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.extractors.auto.blocks.page import Array, PageBlocks
    from pipelines.extractors.auto.blocks.walk import BlockSequence, Elements

MAX_CAPTIONS = 100
MAX_CHARS = 2000
"""Characters of a caption or a comment, at most."""
NEAR = 10
"""Blocks before the article that may hold the caption of its first picture."""
FEW = 4
"""Blocks, at most, of an element that is a caption."""
MAX_INSIDE = 30
"""Elements in a figure that are read. The limit keeps nested figures linear."""
LAYOUT = 0.5
"""Share of the text. An item, cell or quotation with more of it is layout."""
BEGINNING = 40
"""Characters without white space of a teaser, at least, that repeats the first words of the text."""
REPEATED = 0.35
"""Share of the text from which repeated blocks are a copy of the article."""
MAX_LINKED = 0.5
"""Share of linked characters from which a block is neither a caption nor a comment."""
MAX_CARD, IN_LINKS = 5, 0.9
"""Blocks from one part of a sentence to the next, at most, with cards of links between them. Share of linked characters
of such a card.
"""
TITLE = 0.6
"""Share of the stated title from which a block is the title."""
MIN_TITLE = 15
"""Characters, at least, of a line that is the title."""
HALF = 0.5
"""Share of the stated title, at least, in such a line."""

_WIDE = re.compile(f"[{SINGLE}\u3000-\u303f\uff00-\uffef]{{2}}")
"""Two neighbours in Chinese or Japanese. In Thai and others a space may separate the parts of a sentence."""
_COMMAS = ",،、，՝"
_CERTAIN = {ParagraphKind.HEADING, ParagraphKind.PREFORMATTED}
_NAMING = re.compile(r'\s(?:class|id|itemprop)="([^"]*)"')
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
_CAPTIONS = frozenset({"figcaption", "caption", "figure"})
_NO_CAPTIONS = frozenset({"blockquote", "table", "pre", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5", "h6"})
_PICTURES = BIT["caption"] | BIT["figure"]
_SUBHEAD = KIND["h2"] | KIND["h3"]
_CAPTION = re.compile(r"captions?(?![a-z])|cutline")
_IMAGES = ("image", "img", "photo", "foto", "picture", "pic")
_NAMED = "|".join(_IMAGES)
_SURE_CAPTION = re.compile(
    r"(?:wp|feat|image|img|photo|picture|pic|fig|figure|media)s?[-_ ]*(?:cms[-_ ]*)?captions?(?![a-z])|cutline"
    rf"|\btr-caption\b|(?<![a-z])(?:{_NAMED})s?[-_ ]*(?:box|block|wrap|wrapper|container|desc"
    r"|description|info|credit|copyright|legend|embed|holder|widget)(?![a-z])"
    r"|(?<![a-z])media[-_ ]*(?:block|item)?[-_ ]*(?:info|desc|description|legend|credits?|copyright)(?![a-z])"
)
_IN_NAMES = "|".join(f"[{image[0]}{image[0].upper()}]{image[1:]}" for image in _IMAGES)
_MAY_CAPTION = re.compile(f"aption|utline|(?:{_IN_NAMES}|[mM]edia)s?[-_ ]*[BWCDILEHbwcdileh]")
"""Sieve for the patterns, which need the words of an element."""
_PICTURE = re.compile(r"(?<![a-z])(?:figure|image|img|photo|picture)(?![a-z])")
_PARTING = frozenset("|-–—·•»«:/_｜")


@dataclass(frozen=True, slots=True)
class Parts:
    """As in `storage.records.Extraction`."""

    kinds: str = ""
    title: str = ""
    captions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()


def around(blocks: BlockSequence, index: int) -> Iterator[int]:
    """Yield the elements around a block, the innermost first, without the page itself."""
    element = blocks.inside[index]
    while element:
        yield element
        element = blocks.elements.parents[element]


class TextLine(NamedTuple):
    """A line of a text, its kind, and the indices of the blocks that it is from."""

    text: str
    kind: ParagraphKind
    blocks: tuple[int, ...]


class Kinds:
    """Kinds of the chosen blocks, by the innermost element around each that gives a kind."""

    def __init__(self, page: PageBlocks, chosen: Array) -> None:
        self.blocks, self.chosen = page.blocks, chosen
        held = page.total(page.texts.chars * chosen)
        self.layout = (held > LAYOUT * held[0]).tolist()
        self.known = {0: ParagraphKind.PARAGRAPH}
        self.ends_sentence, self.linked = page.texts.ends_sentence, page.link >= IN_LINKS
        self.unmarked = page.texts.classes[:, UNMARKED] > 0

    def lines(self) -> Iterator[TextLine]:
        """Yield the lines of the chosen blocks. Preformatted text keeps its lines.

        A sentence that a card of a link cuts is one line.
        """
        before, held = -1, TextLine("", ParagraphKind.PARAGRAPH, ())
        for index in self.chosen.nonzero()[0].tolist():
            cut = before >= 0 and self._goes_on(before, index)
            for text, kind in self._lines(index):
                if cut and held.text and kind is held.kind is ParagraphKind.PARAGRAPH:
                    space = "" if _WIDE.fullmatch(held.text[-1] + text[0]) else " "
                    held = TextLine(f"{held.text}{space}{text}", kind, (*held.blocks, index))
                else:
                    if held.text:
                        yield held
                    held = TextLine(text, kind, (index,))
                cut = False
            before = index
        if held.text:
            yield held

    def _goes_on(self, before: int, after: int) -> bool:
        """Return whether a block continues the sentence of the chosen block before it: only links are between them.

        A card in a paragraph ends the paragraph for the parser. So the rest of the sentence is directly in the element
        around the paragraph.
        """
        if not 1 < after - before <= MAX_CARD or self.ends_sentence[before]:
            return False
        end = one_line(self.blocks.texts[before])[-1:]
        if not end or (end not in _COMMAS and unicodedata.category(end)[0] not in "LMN"):  # a label and its sign
            return False
        inside, parents = self.blocks.inside, self.blocks.elements.parents
        element, around_it = inside[before], inside[after]
        direct = element == around_it and not self.unmarked[before]
        paragraph = self.blocks.elements.name(element) == "p" and parents[element] == around_it
        return (
            (direct or paragraph)
            and bool(self.linked[before + 1 : after].all())
            and not one_line(self.blocks.texts[after])[:1].isupper()
        )

    def _lines(self, index: int) -> Iterator[tuple[str, ParagraphKind]]:
        kind = self.of(self.blocks.inside[index])
        if kind is ParagraphKind.PREFORMATTED:
            pieces = self.blocks.texts[index].replace(LINE, "\n").split("\n")
            return ((line, kind) for piece in pieces if (line := one_line(piece)))
        return ((line, kind) for line in self.blocks.lines(index))

    def of(self, innermost: int) -> ParagraphKind:
        """Return the kind of the blocks directly in an element. Results are cached for each element."""
        if known := self.known.get(innermost):
            return known
        passed, element, elements = [], innermost, self.blocks.elements
        while element not in self.known:
            named = PARAGRAPH_KINDS.get(elements.name(element))
            if named and (not self.layout[element] or named in _CERTAIN):
                self.known[element] = named
            else:
                passed.append(element)
                element = elements.parents[element]
        self.known |= dict.fromkeys(passed, self.known[element])
        return self.known[element]


def captions(page: PageBlocks) -> tuple[Array, Array]:
    """Return two masks: blocks that are captions, and blocks that may be captions, by the elements around them.

    Elements named or classed as picture captions are captions, and so is other text in boxes of pictures. An element
    of the plain class "caption" may be one: some papers use it for leads.
    """
    elements = page.blocks.elements
    sure, likely = np.zeros(page.count, bool), np.zeros(page.count, bool)
    marked = {
        number: _captioned(tag[:MAX_CHARS])
        for number, (tag, bits) in enumerate(zip(elements.tags, page.marks, strict=True))
        if bits & _PICTURES or "aption" in tag  # as in their names
    }
    surely = {tag: certain for tag, certain in marked.items() if certain is not None}
    if not surely:
        return sure, likely
    known = np.zeros(len(elements.tags), bool)
    known[list(surely)] = True
    for index in known[page.tag].nonzero()[0].tolist():
        first, last = elements.first[index], elements.last[index]
        if last - first <= FEW and not _holds_more(page, index):
            sure[first:last] |= surely[elements.tag[index]] or _PICTURE.search(_around(elements, index)) is not None
            likely[first:last] = True
    # If most blocks are captions, the page marks its text as captions.
    return sure & (2 * sure.sum() < page.count), likely


def _holds_more(page: PageBlocks, figure: int) -> bool:
    """Return whether a figure holds text: a quotation, a table, a list or a heading."""
    elements = page.blocks.elements
    if elements.name(figure) != "figure":
        return False
    looked_at = range(figure + 1, min(figure + 1 + MAX_INSIDE, len(elements.tag)))
    inside = takewhile(lambda element: elements.first[element] < elements.last[figure], looked_at)
    return any(elements.name(element) in _NO_CAPTIONS for element in inside)


def _around(elements: Elements, element: int) -> str:
    """Return name, class, id and itemprop of the parent of an element, in lower case."""
    around = elements.parents[element]
    return f"{elements.name(around)} {naming_of(elements.attributes(around))}"


@lru_cache(maxsize=2**12)
def _captioned(tag: str) -> bool | None:
    """Return whether an element is a caption for sure; None if it has no mark of a caption."""
    if tag.partition(" ")[0] in _CAPTIONS:
        return True
    if not _MAY_CAPTION.search(tag):
        return None
    naming = naming_of(tag)
    if _SURE_CAPTION.search(naming):
        return True
    return False if _CAPTION.search(naming) else None


def buttons(page: PageBlocks) -> Array:
    """Mark the text of buttons. A heading that is a button opens the text below it and is not marked.

    Three or more headings in a row open nothing and are marked, as in a list of films to choose from.
    """
    found: Array = (page.near & BIT["box"]) != 0
    if not found.any():
        return found
    own, headings = (page.kind & BIT["box"]) != 0, found & ((page.near & _SUBHEAD) != 0)
    out: Array = own & ~headings & ~page.texts.ends_sentence
    rows = headings[:-2] & headings[1:-1] & headings[2:]
    for three in (out[:-2], out[1:-1], out[2:]):
        three |= rows
    return out


def naming_of(attributes: str) -> str:
    """Return the words of class, id and itemprop in lower case."""
    return _HUMP.sub("-", " ".join(_NAMING.findall(attributes[:MAX_CHARS]))).lower()


def unfolded(page: PageBlocks, read: Array) -> Array:
    """Mark the blocks in folds that go on with the text: it is most of the fold, and some stands before the fold.

    ``read`` marks the blocks that the model takes for text, shown or not. Folds of one make are measured together.
    A fold and the text before it have one parent. A fold without a sentence is no text: hacked sites hide words for
    search engines.
    """
    text = page.gain * read
    shown, said = text * ~page.hidden, text * (page.texts.sentences >= 1)
    before = np.concatenate(([0.0], np.add.accumulate(shown)))
    folds = page.folds[before[page.first[page.folds]] > before[page.first[page.parents[page.folds]]]]
    _, number = np.unique(page.makes[folds], return_inverse=True)
    held, everything, told = (np.bincount(number, page.total(values)[folds]) for values in (text, page.weight, said))
    folds = folds[((held >= UNFOLDED * before[-1]) & (held >= MIN_PROSE * everything) & (told > 0))[number]]
    inside = np.zeros(page.count + 1, np.int64)
    np.add.at(inside, page.first[folds], 1)
    np.add.at(inside, page.last[folds], -1)
    found: Array = np.add.accumulate(inside[:-1]) > 0
    return found


def copies(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks that repeat an earlier one, if the page repeats a large part of the text.

    Such a page holds the article twice, for wide and narrow screens or for print, and a style sheet hides one copy. A
    single line repeated many times is the author's. Repeated lines in one element are, too, as in recipes, programmes
    and tables of results.
    """
    repeated, chars, seen = np.zeros(page.count, bool), page.texts.chars, dict[str, set[int]]()
    unspaced = cache(lambda index: "".join(page.blocks.texts[index].split()))
    # Equal blocks have equal lengths.
    sizes, indices = chars[chosen].tolist(), chosen.nonzero()[0].tolist()
    lengths, inside, parents = Counter(sizes), page.blocks.inside, page.blocks.elements.parents
    for index in (index for index, size in zip(indices, sizes, strict=True) if lengths[size] > 1):
        element = parents[inside[index]]
        elements = seen.setdefault(unspaced(index), set())
        repeated[index] = bool(elements) and element not in elements
        elements.add(element)
    if not repeated.any():
        return repeated
    first = chosen & ~repeated
    said = Counter(map(unspaced, np.isin(chars, chars[first]).nonzero()[0].tolist()))
    again = {index: said[unspaced(index)] - 1 for index in first.nonzero()[0].tolist() if said[unspaced(index)] > 1}
    doubled = sum(times * int(chars[index]) for index, times in again.items())
    return repeated & (len(again) > 1 and doubled > REPEATED * int(chars[first].sum()))


def beginnings(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks that say the first words of a later chosen block in another element, as a teaser does.

    The model tells teasers that end in an ellipsis. This is for those that a style sheet cuts. Gold pages have none.
    """
    found = np.zeros(page.count, bool)
    first: dict[str, list[tuple[int, str]]] = {}
    inside, parents = page.blocks.inside, page.blocks.elements.parents
    for index in chosen.nonzero()[0].tolist():
        text = "".join(page.blocks.texts[index].split())
        if len(text) < BEGINNING:
            continue
        earlier = first.setdefault(text[:BEGINNING], [])
        for before, said in earlier:
            apart = parents[inside[before]] != parents[inside[index]]
            found[before] |= len(said) < len(text) and apart and text.startswith(said)
        if words := _broken_off(text):
            earlier.append((index, words))
    return found


def _broken_off(text: str) -> str:
    """Return the words of a text that ends in the middle of a sentence, else ""."""
    words = text.rstrip(".…")
    return words if (words == text and text[-1] not in SENTENCE_ENDS) or text.endswith(("…", "...")) else ""


def shown_title(page: PageBlocks, likeness: Array) -> str:
    """Return the heading that is the stated title or most of it. On a page without an h1 a line may be the title.

    The heading of the comments ("3 replies to …") is not the title.
    """
    like = ((likeness > TITLE) & ((page.near & BIT["comment"]) == 0)).nonzero()[0].tolist()
    names = {index: page.blocks.elements.name(page.blocks.inside[index]) for index in like}
    headings = (index for index in like if is_heading(names[index]))
    best = max(headings, key=lambda index: (names[index] == "h1", likeness[index]), default=None)
    if best is None:
        return "" if page.h1.any() else _title_line(page)
    return " ".join(page.blocks.lines(best))


def _title_line(page: PageBlocks) -> str:
    """Return the first line at the start of a block that equals the stated title without the name of the site."""
    title = page.blocks.title[:MAX_CHARS]
    shortest = max(MIN_TITLE, HALF * len(title))
    # A sieve: it counts neither spaces nor further lines.
    may_be = (2 * page.texts.chars >= shortest) & (page.link < MAX_LINKED) & ~page.hidden
    for index in may_be.nonzero()[0].tolist() if len(title) >= shortest else ():
        line = one_line(page.blocks.texts[index][:MAX_CHARS].partition(LINE)[0])
        if len(line) >= shortest and _names(title, line):
            return line
    return ""


def _names(title: str, line: str) -> bool:
    """Return whether a title is a line, or a line and the name of a site after a separator."""
    behind, before = title.removeprefix(line), title.removesuffix(line)
    return (
        title == line
        or (behind != title and behind.lstrip()[:1] in _PARTING)
        or (before != title and before.rstrip()[-1:] in _PARTING)
    )


def is_heading(name: str) -> bool:
    """Return whether elements of this name are headings."""
    return PARAGRAPH_KINDS.get(name) is ParagraphKind.HEADING


def near_captions(page: PageBlocks, chosen: Array, found: Array) -> tuple[str, ...]:
    """Return the captions in the article or shortly before it, each once, in the order of the page."""
    inside = chosen.nonzero()[0]
    if not len(inside) or not found.any():
        return ()
    near = found & ~chosen & ~page.hidden & (page.link < MAX_LINKED)
    near[: max(0, inside[0] - NEAR)] = False
    near[inside[-1] + 2 :] = False
    texts = (" ".join(page.blocks.lines(index))[:MAX_CHARS] for index in near.nonzero()[0][:MAX_CAPTIONS].tolist())
    return tuple(dict.fromkeys(texts))


# Readers' comments: their section after the text, and each comment that is marked as one.
MAX_COMMENTS = 200
LIKELY, ENOUGH = 0.5, 100
"""Probability from which a comment may look like the text, and expected characters of text before a section."""
SECTIONS = 200
"""Sections of comments on a page that are checked."""
LONG = 60
"""Characters of a comment that needs no second one like it."""
_WORD = re.compile("[a-z]+")
_COMMENT = frozenset({"comment", "usercomment", "commenttext", "commentbody", "komment", "kommentar", "comentario"})
_NO_COMMENT = frozenset(
    {"list", "form", "respond", "area", "section", "count", "metadata", "reply", "disqus", "notes", "title", "name"}
)
_SECTION = re.compile(
    r'\s(?:id|class)="(?:[^"]*\s)?(?:[a-z]+[-_]+)?(?:comments|comments?[-_]?(?:list|listing|area|section|container|wrap(?:per)?|thread|block|box|stream|body|posts?)'
    r'|kommentare|comentarios|commentaires|komentarze|yorumlar|reacties|talkbacks|binh-?luan)(?:\s[^"]*)?"',
    re.IGNORECASE,
)
"""An element named as the section of comments."""
_OF_COMMENT = re.compile(r"\b(?:submitted|username|commenter)\b")
"""What Drupal calls the line of who wrote a comment, and when."""
_DIGITS = re.compile(r"\d+")
_ABOUT = BIT["meta"] | BIT["sign"] | BIT["share"] | BIT["nav"] | BIT["form"] | BIT["head"] | BIT["hidden"] | BIT["box"]


def comments(page: PageBlocks, chosen: Array) -> tuple[str, ...]:
    """Return readers' comments, each marked as one, without names, dates and buttons. Paragraphs are lines.

    A short comment counts only if another element has the same marks and another text. Buttons repeat their text.
    """
    of_comments = (page.path & BIT["comment"]) != 0
    if not of_comments.any():
        return ()
    likely = of_comments & ~chosen & ~page.hidden & (page.link < MAX_LINKED)
    found: dict[int, list[str]] = {}
    for index in likely.nonzero()[0].tolist():
        if element := _comment_around(page, index):
            found.setdefault(element, []).extend(page.blocks.lines(index))
    texts = {element: "\n".join(lines)[:MAX_CHARS] for element, lines in found.items()}
    made = {element: _DIGITS.sub("", page.blocks.elements.attributes(element)) for element in texts}
    alike, said = Counter(made.values()), Counter(texts.values())
    credible = (
        text
        for element, text in texts.items()
        if len(text) >= LONG or (alike[made[element]] > 1 and said[text] == 1 and not text.isnumeric())
    )
    return tuple(islice(credible, MAX_COMMENTS))


def comment_sections(page: PageBlocks, probability: Array) -> Array:
    """Mark the blocks in the sections of readers' comments after a likely text.

    A comment looks like an article, and the comments on a short article are longer than it.
    """
    found = np.zeros(page.count, bool)
    left = (page.path & BIT["comment"]) != 0
    likely = left & (probability >= LIKELY)
    if not likely.any():
        return found
    expected = np.add.accumulate(probability * page.texts.chars * (1 - page.link))
    heads = page.total(page.heads)
    for _ in range(SECTIONS):
        at = int(left.argmax())
        if not left[at]:
            break
        named = [box for box in around(page.blocks, at) if _is_section(page, box) and not heads[box]]
        place = slice(int(page.first[named[-1]]), int(page.last[named[-1]])) if named else slice(at, at + 1)
        behind = place.start > 0 and expected[place.start - 1] >= ENOUGH
        if named and not behind and likely[place].any():
            break
        found[place] = bool(named) and behind
        left[: place.stop] = False
    return found


def _is_section(page: PageBlocks, element: int) -> bool:
    tag = page.blocks.elements.tag[element]
    return bool(page.marks[tag] & BIT["comment"]) and _is_named_section(page.blocks.elements.tags[tag][:MAX_CHARS])


@lru_cache(maxsize=2**12)
def _is_named_section(tag: str) -> bool:
    return _SECTION.search(tag) is not None


def _comment_around(page: PageBlocks, index: int) -> int:
    """Return the innermost element around a block that is one comment; 0 if the block is not in a comment."""
    blocks, elements = page.blocks, page.blocks.elements
    for element in around(blocks, index):
        number = elements.tag[element]
        said = _is_comment(elements.tags[number][:MAX_CHARS], page.marks[number])
        if said is not None:
            return element if said and not _in_form(blocks, element) else 0
    return 0


@lru_cache(maxsize=2**12)
def _is_comment(tag: str, bits: int) -> bool | None:
    """Return whether an element is one comment, by its start tag and marks; None if they do not mention comments."""
    name, _, attributes = tag.partition(" ")
    naming = naming_of(f" {attributes}")
    if bits & _ABOUT or is_heading(name) or _OF_COMMENT.search(naming):
        return False
    if not bits & BIT["comment"]:
        return None
    words = set(_WORD.findall(naming))
    return bool(words & _COMMENT and not words & _NO_COMMENT)


def _in_form(blocks: BlockSequence, element: int) -> bool:
    """Return whether an element is in a form that is not around most of the page."""
    elements = blocks.elements
    while element:
        if elements.name(element) == "form":
            return 2 * (elements.last[element] - elements.first[element]) < len(blocks)
        element = elements.parents[element]
    return False
