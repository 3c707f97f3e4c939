"""Find the authors of a page: the persons of the first place that names any, in order of trust.

The places are what the page states for programs, elements marked as the author, the byline next to the headline, and
the signature at the end of the text. An element is a byline if

- its class, id or ``data-testid`` says so;
- it links to the page of an author;
- its text directly after an h1 begins with "by" in some language.

Names are a few words with capital letters (in scripts that have them), none of them a role. Navigation, captions,
teasers and comments are skipped.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.markup.page_view import contents_of
from pipelines.metadata.beside import AUTHOR_PATH, MAX_NAMING, holds_headline, is_aside
from pipelines.metadata.credits import BY, NEVER_A_NAME, of_authors
from pipelines.metadata.headline import is_small
from pipelines.metadata.headline_parts import MAX_TITLE, SITE_MARK
from pipelines.text.normalise import INVISIBLE, clean_value, letters, letters_of_all
from pipelines.text.punctuation import COMMAS, SEMICOLONS
from pipelines.text.scripts import SYLLABIC, characters
from storage.blocklist.author_keys import AND, AND_UNSPACED, JOINED_AND
from storage.records import ACCOUNT, BYLINE, JSON_LD, MARKED, META, ORGANISATION, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.metadata.stated_page import StatedPage

# Places that name authors.
_AUTHOR_NAMES = (
    "author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "article:author",
    "byl",
)
_AUTHOR_NAMED = re.compile(
    r"(?!(?:.*[._:-])?(?:video|movie|film|music|album|game|book|product|app|smartbanner|image|photo|theme|template|web"
    r"|site|comment|quote|twitter|fediverse|og)[._:-])(?:.*[._:-])?(?:article|content|citation|post|story|news)?[._:-]?"
    r"(?:authors?|writers?|reporters?|journalists?|byline)[._:-]?(?:names?)?"
)
"""Other names for the author, except those of something beside the page. In ``og:article:author`` it is the paper."""
# Selectors have no descendant combinator: with one, lexbor's cost is quadratic in the depth.
_AUTHOR_ELEMENTS = ('[itemprop~="author"]', '[rel~="author"]', '[rel~="sioc:has_creator"]')
_NAME_ELEMENTS = '[itemprop~="name"], [property~="foaf:name"], .username'  # Drupal: "Submitted by … on …" is around it.
_OF_COMMENT = re.compile(r"\bcomments?\b(?!-(?:open|closed))", re.IGNORECASE)
_OF_OTHER_PERSONS = re.compile(
    rf"{_OF_COMMENT.pattern}|\b(?:copyright|colophon|site-(?:info|generator|credits?))\b", re.IGNORECASE
)
_MAX_MARKED_ELEMENTS = 3
"""Elements for each selector that are read."""


def find_authors(page: StatedPage) -> tuple[tuple[str, ...], str | None]:
    """Return the persons of the first source with any, each once, and that source.

    Sources in order: JSON-LD, meta elements, elements marked as the author, the visible byline, the signature, and
    organisations in the JSON-LD. The first that names a person in full wins: systems state the newspaper, its agency or
    a single word where readers see who wrote it. Names of user accounts, and of persons who have the site's address,
    come last. The site itself is no author.
    """
    metas, stated, title = page.view.contents, page.stated, clean_value(page.view.title, MAX_TITLE)
    marks = list(SITE_MARK.finditer(title))
    other_names = [name for name in metas if name not in _AUTHOR_NAMES and _AUTHOR_NAMED.fullmatch(name)]
    site = (
        page.site_names
        | set(letters_of_all(stated.publishers))
        | set(letters_of_all([title[: mark.start()] for mark in marks] + [title[mark.end() :] for mark in marks]))
    )
    named = set(letters_of_all([*contents_of(metas, ("og:site_name", "application-name"))]))
    doubtful: dict[bool, tuple[tuple[str, ...], str]] = {}
    for kind, source in (
        (JSON_LD, lambda: stated.authors),
        (META, lambda: contents_of(metas, _AUTHOR_NAMES)),
        (META, lambda: [name for name in contents_of(metas, other_names) if is_name(clean_value(name, MAX_AUTHOR))]),
        (MARKED, lambda: _marked_authors(page)),
        (BYLINE, lambda: byline_authors(page)),
        (SIGNATURE, lambda: signature(page.view.tree)),
        (ORGANISATION, lambda: stated.organisations),
    ):
        found = persons(names(source()))
        people = [name for name in found if letters(name) not in site and not is_account(name)]
        if any(is_name(name) and not names_organisation(name) for name in people):
            return within_limit(people), kind
        if people:
            doubtful.setdefault(False, (within_limit(people), kind))
        # A person may have a site of the same name.
        if kept := [name for name in found if letters(name) not in (named if is_name(name) else site)]:
            is_last = ORGANISATION if kind == ORGANISATION else ACCOUNT
            doubtful.setdefault(True, (within_limit(kept), is_last))
    return doubtful.get(False) or doubtful.get(True) or ((), None)


def is_byline_of(line: str, authors: Iterable[str]) -> bool:
    """Return whether a line has the names of these authors, a word for "by" before them, and nothing else.

    >>> is_byline_of("Von Jan Maas und Eva Ohm", ("Jan Maas", "Eva Ohm"))
    True
    >>> is_byline_of("Jan Maas und Eva Ohm rudern", ("Jan Maas", "Eva Ohm"))
    False
    """
    credited, _ = of_authors(line, is_byline=True)
    said = {name for part in credited.split("\n") for name in _PARTING.split(BY.sub("", part)) if name}
    return bool(said) and said == set(authors)


def within_limit(names: Iterable[str]) -> tuple[str, ...]:
    """Return as many names as fit into the field of all authors together."""
    kept: list[str] = []
    for name in names:
        if len(", ".join([*kept, name])) > MAX_AUTHOR:
            break
        kept.append(name)
    return tuple(kept)


def _marked_authors(page: StatedPage) -> list[str]:
    """Return the text of the first element marked as the author, and names in such elements beside it.

    Elements in the head are invisible. Elements in comments, in the page's credits and in teasers name other authors.
    """
    every = (
        node
        for selector in _AUTHOR_ELEMENTS
        for node in page.view.tree.css(selector)[:_MAX_MARKED_ELEMENTS]
        if node.tag != "link"
    )
    own = (node for node in every if not (is_aside(node, frozenset(), _OF_OTHER_PERSONS) or _is_in_comment(node)))
    marked = (node for node in own if not page.is_in_teaser(node))
    named = ((node, name) for node in marked if (name := " ".join(_name_in(node).split())))
    first, name = next(named, (None, ""))
    # Nodes with the same markup compare as equal, so compare their ids.
    around = first.parent.mem_id if first and first.parent else None
    return [name, *(other for node, other in named if node.parent and node.parent.mem_id == around and is_name(other))]


def _name_in(node: LexborNode) -> str:
    """Return the name in an element: visible, or in a ``meta``, else all its text."""
    name = node.css_first(_NAME_ELEMENTS)
    if name is None:
        return node.text(separator=" ")
    return name.text(separator=" ").strip() or name.attributes.get("content") or node.text(separator=" ")


def _is_in_comment(node: LexborNode) -> bool:
    """Return whether the innermost ``article`` around an element is a comment, as in Drupal."""
    around: LexborNode | None = node
    while around is not None and around.tag != "article":
        around = around.parent
    if around is None or _OF_COMMENT.match(around.attributes.get("class") or "") is None:
        return False
    return not holds_headline(around)


# The byline and the signature.
_MARKED = re.compile(
    r"byline|by-line|author(?!i[sz]|ity)|auteur|autor(?!i[sz])|writer|reporter|journalist|redacteur|penulis|yazar|tac-?gia"
    r"|created-?by|user-?name",
    re.IGNORECASE,
)
_MISLEADING = re.compile(
    r"quote|cit(?:e|ation)|bio|about|follow|avatar|photo|image|social|count|more|subscri|newsletter", re.IGNORECASE
)
_ROLE = re.compile(
    r"\b(?:staff|writers?|reporters?|editors?|editorial|correspondents?|contribut\w+|senior|follow|view|read|more|bio"
    r"|profile|share|published|updated|posted|photos?|images?|getty|news|newsroom|\w*reda[ck]t\w+"
    r"|\w*korrespond\w+|deputy|director|chief"
    r"|autor\w*|authors?|fotos?|media|desk|team|facebook|twitter|email|minutes?|min|stand|uhr|see|full|the|our|all"
    r"|journalist\w*|archive|articles?|artikel|share|print|comments?|january|february|march|april|june|july|august"
    r"|september|october|november|december)\b",
    re.IGNORECASE,
)
_AND = "and|und|et|og|och|en|dan|ve|и|و|with|mit"
_PARTING = re.compile(rf"\s*[{COMMAS}{SEMICOLONS}/／|•·&]\s*|\s+(?:{_AND})\s+")
_MARK = re.compile(r"\s*[|•·]\s*|\s[/–—-]\s")
_JOINING = re.compile(rf"^(?:{_AND})(?:\s+|$)|\s+(?:{_AND})$")
"""A conjunction that remains if each name of a list has an element of its own."""
_PARTICLES = frozenset(
    (
        *("de", "da", "do", "dos", "das", "del", "della", "di", "du", "des", "la", "le", "el", "al", "y", "e"),
        *("bin", "ibn", "ben", "van", "von", "der", "den", "ter", "ten", "zu", "af"),
    )
)
_BETWEEN = frozenset(" .'’ʼ·-‑\u200c\u200d")
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_CASED = re.compile("[A-Za-z\u00c0-\u052f\u1e00-\u1fff]")
_UNSPACED = re.compile(
    rf"[{SYLLABIC}·]{{2,12}}|(?!.*(?:သတင်း|အယ်ဒီတာ|ဌာန|မီဒီယာ|ရေးသား|ဓာတ်ပုံ))[{characters('Mymr')}]{{4,24}}"
)
"""Names in one word, as in Burmese, without the words for news, editors, desks, media, writing and pictures."""
_MAX_CHARS, _MAX_NAME, _MAX_WORDS = 160, 40, 5
"""Characters of a byline, characters of a name, words of a name."""
_MAX_WORD_DISTANCE, _MAX_MARK_DISTANCE = 40, 150
"""Elements after the headline in which words alone mark a byline, and in which other marks do."""
_MAX_CONTINUATION_DISTANCE = 12
"""Elements after a byline in which another one of its class continues it."""
_FLUSH = '[align="right" i], [style*="right" i]'
_RIGHT = re.compile(r"\btext-align\s*:\s*right\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)?")
"""An agency or a paper in brackets, after a name."""
_BRACKET = re.compile(r"\s*\([^()]*\)?$")
"""An agency or a paper in brackets, behind a name."""
_CONTACT = re.compile(r"\s*[|,;]?\s*<?\S*@\S+")
"""An address or the name of an account beside a name. RSS 2.0 has the name beside the address."""
_PLACE = re.compile(r"\s(?:in|from|at|aus|à)\s[^\W\d_a-z]\S*(?:\s[^\W\d_a-z]\S*)?$")
_DATED = re.compile(
    r"\s*(?:\s(?:on|at|le|el|am|um|il|op|vào|lúc|pada|às|em|di|dnia|den|เมื่อ|في|در)\s(?=.*\d)|(?:\s|^)\(?\d).*$",
    re.IGNORECASE,
)
"""The date behind a name: "By Ann Lee on 3 March"."""
_BY_BEHIND_DATE = re.compile(rf"(?<=\d)\s+(?=(?:{NEVER_A_NAME}|oleh|av|af|автором)\s+\S)", re.IGNORECASE)
_ROLE_BEHIND = re.compile(
    r"\starafından$|(?<=[가-힣])\s?(?:(?:선임|인턴|전문|수습)\s?)?(?:기자|특파원|논설위원|통신원)$"
    rf"|(?<=[{SYLLABIC}])\s[{SYLLABIC}]{{2,6}}(?:报道|報導|報道)$"
)
"""Words for a reporter or a place behind the name, in Korean and Chinese; "by" in Turkish."""
_NO_TEXT = frozenset({"nav", "aside", "footer", "figure", "figcaption"})
_OF_OTHERS = re.compile(r"comment|relat(?!ive)|footer|copyright", re.IGNORECASE)
_MAX_FLUSH, _MAX_SIGNED = 10, 100
"""Right-aligned elements that are read, the last first, and characters of one that is a signature."""
_NAMING_ATTRIBUTES = ("class", "id", "data-testid", "data-hook")
"""Attributes that may name a byline."""
_PARAGRAPHS, _PROSE, _MAX_SIGNATURE_DISTANCE = frozenset({"p", "div"}), 100, 8
"""Prose before a signature: its elements, its characters, and the number of nodes in which it is searched."""


def byline_authors(page: StatedPage) -> list[str]:
    """Return the names in the byline next to the headline."""
    around, headed = page.around, bool(page.headings)
    places = [
        *enumerate(around.behind[: min(around.prose, _MAX_MARK_DISTANCE)]),
        *((_MAX_WORD_DISTANCE, node) for node in around.over),
    ]
    found: list[str] = []
    make, last = ("", ""), 0
    for place, node in places:
        if found and (place > last + _MAX_CONTINUATION_DISTANCE or make != (node.tag, _naming(node))):
            continue
        read = _names_in(node, near=headed and place < _MAX_WORD_DISTANCE)
        if read and not around.is_in_teaser(node):
            found += (name for name in read if name not in found)
            make, last = (node.tag or "", _naming(node)), place
    return found


def signature(tree: LexborHTMLParser) -> list[str]:
    """Return right-aligned names after the last paragraphs, as Vietnamese papers sign texts."""
    flush_right = [node for node in tree.css(_FLUSH) if node.tag in _PARAGRAPHS]
    for node in flush_right[: -_MAX_FLUSH - 1 : -1]:
        attributes = node.attributes
        flush = (attributes.get("align") or "").casefold() == "right" or _RIGHT.search(attributes.get("style") or "")
        text = " ".join(_UNSEEN.sub("", node.text()).split()) if flush else ""
        if not 0 < len(text) <= _MAX_SIGNED or not _is_behind_prose(node):
            continue
        if node.css_first("a") is not None or is_aside(node, _NO_TEXT, _OF_OTHERS):
            continue
        credited, _ = of_authors(text, is_byline=True)
        lines = credited.split("\n")
        if found := list(_leading_names(part for line in lines for part in _MARK.split(_IN_BRACKETS.sub("", line)))):
            return found
    return []


def _is_behind_prose(node: LexborNode) -> bool:
    before: LexborNode | None = node
    for _ in range(_MAX_SIGNATURE_DISTANCE):
        before = before.prev if before else None
        if before is not None and before.tag in _PARAGRAPHS and len(before.text()) >= _PROSE:
            return True
    return False


def _names_in(node: LexborNode, *, near: bool) -> list[str]:
    """Return the names in an element that is a byline. ``near`` the headline its words are enough."""
    attributes = node.attributes
    marked = bool(attributes) and _names_author(*map(attributes.get, _NAMING_ATTRIBUTES))
    linked = "href" in attributes and node.tag == "a" and AUTHOR_PATH.search(attributes["href"] or "") is not None
    if not (marked or linked or near) or not is_small(node):
        return []
    text = _UNSEEN.sub("", node.text(separator="\n"))
    pieces = [piece for line in text[: 4 * _MAX_CHARS].split("\n") if (piece := " ".join(line.split()))]
    if not pieces or sum(map(len, pieces)) > _MAX_CHARS:
        return []
    credited, is_labelled = of_authors("\n".join(pieces), is_byline=marked or linked)
    pieces = credited.split("\n")
    if is_labelled:
        pieces = [part for piece in pieces for part in _MARK.split(piece)]
    else:
        pieces = [part for piece in pieces for part in _apart(piece)] if marked or linked else _behind_by(pieces)
    return [] if not pieces or is_aside(node) else list(_leading_names(pieces))


@lru_cache(maxsize=2**10)
def _names_author(*names: str | None) -> bool:
    """Return whether class, id and the like name a byline. Elements of a site repeat them."""
    naming = " ".join((name or "")[:MAX_NAMING] for name in names)
    return _MARKED.search(naming) is not None and _MISLEADING.search(naming) is None


def _apart(piece: str) -> list[str]:
    """Return the parts of a text with one name and something else, as an age or a role, behind a mark."""
    parts = _MARK.split(piece)
    return parts if sum(is_name(BY.sub("", part)) for part in parts) == 1 else [piece]


def _behind_by(pieces: Sequence[str]) -> list[str]:
    """Return the parts after "by" at the start of some texts, or in one after a separator from the date."""
    parts = [part for piece in pieces for part in _MARK.split(piece)]
    if BY.match(" ".join(pieces[:2])):
        return parts
    with_role = next((at for at, part in enumerate(parts) if _has_role(part)), None)
    if with_role is not None:
        return parts[with_role:]
    lines = (_MARK.split(_BY_BEHIND_DATE.sub(" | ", piece)) for piece in pieces)
    return next((parts[at:] for parts in lines for at, part in enumerate(parts) if at and BY.match(part)), [])


def _without_contact(text: str) -> str:
    return _CONTACT.sub("", text) if "@" in text else text


def _undated(text: str) -> str:
    return _DATED.sub("", text) if any(map(str.isdigit, text)) else text


def _has_role(part: str) -> bool:
    return _ROLE_BEHIND.search(_undated(_without_contact(part))) is not None


def _leading_names(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the names at the start of some texts, up to the first part that is no name."""
    named = False
    for piece in pieces:
        for part in _PARTING.split(_JOINING.sub("", BY.sub("", _without_contact(piece))).rstrip(" :")):
            name = _ROLE_BEHIND.sub("", _PLACE.sub("", _BRACKET.sub("", _undated(part))))
            if is_name(name) and not names_organisation(name):
                named = True
                yield name
            elif named and len(part) > 1:
                return


def is_name(text: str) -> bool:
    """Return whether a text looks like the name of a person.

    >>> is_name("Ludwig van Beethoven"), is_name("Senior Writer"), is_name("on Monday"), is_name("松村太郎")
    (True, False, False, True)
    """
    if not 2 <= len(text) <= _MAX_NAME or _ROLE.search(text):
        return False
    if not all(each.isalpha() or each in _BETWEEN or unicodedata.category(each)[0] == "M" for each in text):
        return False
    words = text.replace("-", " ").split()
    if _CASED.search(text) is None:
        return 1 < len(words) <= _MAX_WORDS or _UNSPACED.fullmatch(text) is not None
    capital = [word for word in words if word[0].isupper()]
    return (
        2 <= len(words) <= _MAX_WORDS + 1
        and max(map(len, words)) > 1
        and len(capital) > 1
        and all(word[0].isupper() or word.casefold() in _PARTICLES for word in words)
    )


def _naming(node: LexborNode) -> str:
    attributes = node.attributes
    return " ".join((attributes.get(name) or "")[:MAX_NAMING] for name in _NAMING_ATTRIBUTES)


# Names that a page states.
MAX_AUTHOR = 200
"""Characters of all authors together."""
_MAX_NAME_WORDS = 8

_BEFORE_NAME = re.compile(
    rf"^[記记]者(?=[{SYLLABIC}]{{2,4}}$)|^(?:{NEVER_A_NAME}|theo(?=:|\s+\S+\s)(?=.*[\u1ea0-\u1ef9đơư]))\s*:?\s+(?=\S)",
    re.IGNORECASE,
)
"""Words before a name. Vietnamese papers write "theo" before a quoted source; elsewhere it is a name (Theo Nguyễn)."""
_ALL_POSTS = re.compile(
    r"^(?:(?:(?:view|see|show|read)\s+)?(?:all|more)\s+(?:posts|articles|stories)\s+(?:by|from)|zeige alle beiträge von"
    r"|alle beiträge von|(?:voir|afficher) tous les articles (?:de|par)|ver tod[ao]s (?:las entradas|l?os posts) de"
    r"|vedi tutti gli articoli di|(?:bekijk )?alle berichten van|xem (?:tất cả )?(?:các )?bài viết (?:của|bởi)"
    r"|lihat semua (?:pos|tulisan) (?:milik|oleh|dari)|посмотреть все записи (?:автора|от)"
    r"|(?:عرض|مشاهدة) (?:كل|جميع) (?:ال)?مقالات(?: بواسطة)?|(?:نمایش|مشاهده|دیدن) همه\W?ی? نوشته\W?های)\s+(?=\S)",
    re.IGNORECASE,
)
"""WordPress's words before the name in the link to an author's page."""
_NO_NAME = re.compile(
    r"https?:|www\.|@|:\s|\.(?:com|net|org)\b|[{}<>\\]|^\W*$|^\d+$|[→»›]|\b(?:develop|design|power|creat)ed\s+by\b",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    {"admin", "administrator", "editor", "author", "no author", "webmaster", "root", "none", "null", "unknown"}
    | {"super user", "user admin", "site admin", "guest", "name", "first name", "last name", "your name"}
    | {"see full bio", "full bio", "view bio", "read bio", "view profile", "read more", "more"}
)
_OF_SITE = re.compile(r"\s*[,|]\s*[\w-]+(?:\.[\w-]+)*\.[a-z]{2,8}$")
_BETWEEN_PERSONS = re.compile(rf"[{COMMAS}{SEMICOLONS}&/]|\s(?:{'|'.join(AND)})\s|{AND_UNSPACED}", re.IGNORECASE)
_WITH_WAW = re.compile("(?:ليد|ائل|سام|فاء|جيه|حيد|ديع|هيب|لاء|سيم|عد|جدي|صفي|جدان|داد|هاب|رد|صال|فيق|اصف|اثق)\\b")
"""The rest of Arabic names that begin with the letter of "and"."""
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,8}", re.IGNORECASE)
_ACCOUNT = re.compile(r"[a-z][a-z0-9._-]*")


def names(values: Iterable[str]) -> list[str]:
    """Return names that can be printed. Of names with the same letters, as in addresses, the first is kept."""
    fit = [name for value in values if (name := _printable_name(value))]
    return list({letters(name): name for name in reversed(fit)}.values())[::-1]


def persons(stated: Iterable[str]) -> list[str]:
    """Return the persons of some stated names, each once. A text that names several is split where all parts are names.

    >>> persons(["Lan Phạm và Minh Trần", "LAN PHẠM", "García, Ana"])
    ['Lan Phạm', 'Minh Trần', 'García, Ana']
    >>> persons(["أحمد علي ومحمد حسن", "سارة وليد"])
    ['أحمد علي', 'محمد حسن', 'سارة وليد']
    """
    found: dict[str, str] = {}
    for text in stated:
        for name in _parted(text):
            found.setdefault(letters(name), name)
    return [name for key, name in found.items() if key]


def _parted(text: str) -> list[str]:
    parts = [part.strip() for part in _BETWEEN_PERSONS.split(text) if part.strip()]
    if len(parts) < 2 or not all(map(is_name, parts)):
        parts = [text]
    return [name for part in parts for name in _at_joined_and(part)]


def _at_joined_and(name: str) -> list[str]:
    """Split a name at an Arabic or Hebrew "and", which is the first letter of the next name."""
    found = JOINED_AND.match(name)
    if found is None or _WITH_WAW.match(found[2]) or not all(map(is_name, found.groups())):
        return [name]
    return [part for each in found.groups() for part in _at_joined_and(each)]


def is_account(name: str) -> bool:
    """Return whether a name is that of a user account, which systems state if they have no other.

    >>> is_account("ann.author.12"), is_account("Ann Author"), is_account("AFP")
    (True, False, False)
    """
    return _ACCOUNT.fullmatch(name) is not None


def _printable_name(value: str) -> str:
    """Return a name that can be printed, or "" for addresses, accounts, markup and texts too long for a name."""
    stated, _ = of_authors(clean_value(value, MAX_AUTHOR + 1), is_byline=True)
    if _ALL_POSTS.match(stated):
        stated = _ALL_POSTS.sub("", stated).rstrip(" →»›")
    # The address or the paper may follow a name (Ann Author | The Daily, ann@daily.example).
    named = _OF_SITE.sub("", _CONTACT.sub("", _BEFORE_NAME.sub("", stated))).strip()
    named = _ROLE_BEHIND.sub("", named)
    if named[:1] == "(" and named[-1:] == ")":
        named = named[1:-1]
    first, *others = named.split(" | ")
    name = ", ".join([first, *filter(is_name, others)]).strip(" ,;|-–")
    # Repeated names go, except surnames (García, Ana, García, Luis).
    parts = name.split(", ")
    once = dict.fromkeys(parts)
    if len(once) == 1 or all(" " in part for part in parts):
        name = ", ".join(once)
    wordy = any(len(part.split()) > _MAX_NAME_WORDS for part in name.split(","))
    unfit = wordy or len(name) > MAX_AUTHOR or _NO_NAME.search(name) or name.casefold() in _NOBODY
    return "" if unfit or _DOMAIN.fullmatch(name) else name


def names_organisation(name: str) -> bool:
    """Return whether a name has a word that only organisations have (``organisations.toml``).

    >>> names_organisation("Agence France-Presse"), names_organisation("Báo Đông"), names_organisation("Ann Press-Lee")
    (True, True, False)
    """
    return _organisations().search(name) is not None


@cache
def _organisations() -> re.Pattern[str]:
    table = tomllib.loads(Path(__file__).with_name("organisations.toml").read_text("utf-8"))
    words = sorted({re.escape(word) for every in table["words"].values() for word in every}, key=len, reverse=True)
    parts = [re.escape(part) for every in table["parts"].values() for part in every]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])|{'|'.join(parts)}", re.IGNORECASE)
