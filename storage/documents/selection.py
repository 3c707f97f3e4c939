"""Selection of documents: each dimension is declared here once, with its type, default, names and help.

What reads or writes a selection goes through `DIMENSIONS`: options, keywords and TOML
(``corpus_spider.config.selections``), URLs and the form of the web page (``corpus_spider.web.query``), SQL
(``storage.documents.reader``), the search index (``corpus_spider.search.index.shard``) and counts of words
(``corpus_spider.search.index.manifest``). A light module: `--help` lists the dimensions without a database.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, get_type_hints

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

DATABASE, INDEX, COUNTS = "the database", "the search index", "the counts of words"
"""Uses of a selection. The database honours all dimensions."""
LARGEST_NUMBER = 10**9
SAMPLE_DIGITS = 12
"""Hexadecimal digits of an id that decide its sample."""
LONGEST, EARLIEST, CLEANEST = "longest", "earliest", "cleanest"
"""Rules for the representative of a duplicate set; `storage.documents.representatives` has the orders."""
_OF_DATED = "Texts without a date are left out."
DAY_FORM = "YYYY[-MM[-DD]]"
"""How a day, a month or a year is written."""
Texts = tuple[str, ...]
Day = str | None
Part = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a selection. Its option is its name with hyphens, which is also its keyword and key."""

    explanation: str
    name: str = ""
    """The name of the field if empty."""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    most: float = LARGEST_NUMBER
    """Largest number. The smallest is 0."""
    is_last: bool = False
    """A month or a year stands for its last day."""
    index_field: str = ""
    """Field of the search index. Empty: the index cannot honour it. A flag selects documents that have 0 there."""
    is_counted: bool = False
    """Whether counts of words can honour it."""
    parameter: str = ""
    """Name in a URL, if it is not the name."""
    flag_value: str = ""
    """Value in a URL that sets a flag."""
    label: str = ""
    """Label in the form of the web page."""
    field: str = ""
    """Field of `Selection`, like the following set by `_declared`."""
    kind: Any = None
    default: Any = None

    @property
    def option(self) -> str:
        """Name of the option."""
        return f"--{self.name.replace('_', '-')}"

    def serves(self, use: str) -> bool:
        """Return whether a use honours this dimension."""
        return {DATABASE: True, INDEX: bool(self.index_field), COUNTS: self.is_counted}[use]


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection of documents, for an export, a reader, a search or counts of words."""

    languages: Annotated[
        Texts,
        Dimension("Only this language", "language", "CODE", index_field="language", is_counted=True, label="Language"),
    ] = ()
    sites: Annotated[
        Texts, Dimension("Only this site", "site", "NAME", index_field="site", is_counted=True, label="Site")
    ] = ()
    sections: Annotated[
        Texts,
        Dimension(
            "Only this section: the first folder of the address that is no number",
            "section",
            "NAME",
            index_field="section",
            label="Section",
        ),
    ] = ()
    authors: Annotated[
        Texts,
        Dimension(
            "Only texts by this author: whole words of the name",
            "author",
            "NAME",
            index_field="author_form",
            label="Author",
        ),
    ] = ()
    """Names as `storage.documents.text_conditions` compares them."""
    title_words: Annotated[
        Texts,
        Dimension(
            "Only texts with these words in the title, all of them",
            metavar="WORDS",
            index_field="title",
            parameter="title",
            label="Words of the title",
        ),
    ] = ()
    """Words, or words in a row, with the marks that are typed; all must occur."""
    extractors: Annotated[
        Texts,
        Dimension("Only texts of this extractor", "extractor", "NAME", index_field="extractor", label="Extractor"),
    ] = ()
    since: Annotated[
        Day,
        Dimension(
            f"Published on this day or later. {_OF_DATED}",
            metavar=DAY_FORM,
            index_field="day",
            is_counted=True,
            label="From",
        ),
    ] = None
    """ISO date, inclusive. A document without a date of publication has no day."""
    until: Annotated[
        Day,
        Dimension(
            f"Published on this day or earlier. {_OF_DATED}",
            metavar=DAY_FORM,
            is_last=True,
            index_field="day",
            is_counted=True,
            label="To",
        ),
    ] = None
    min_chars: Annotated[
        int,
        Dimension("Minimum length in characters.", index_field="chars", parameter="chars", label="Least characters"),
    ] = 0
    min_confidence: Annotated[
        float,
        Dimension(
            "Minimum expected F1 of the extraction.",
            most=1,
            index_field="confidence",
            parameter="confidence",
            label="Least confidence",
        ),
    ] = 0.0
    """Documents without a confidence are below every minimum but 0."""
    sample: Annotated[
        Part, Dimension("A random part, the same each time: 10%. The rest of it: 10%-100%.", metavar="PART")
    ] = None
    """Range in per cent of all ids, which are digests and therefore random; None: all."""
    versions: Annotated[str, Dimension("Which versions of each page.", choices=("first", "last", "all"))] = "last"
    include_duplicates: Annotated[bool, Dimension("Also export duplicates.")] = False
    representative: Annotated[
        str,
        Dimension("Which document of each cluster of duplicates.", choices=(LONGEST, EARLIEST, CLEANEST)),
    ] = LONGEST
    without_reserved: Annotated[
        bool,
        Dimension(
            "Skip texts reserved by TDMRep, noai or noarchive.",
            index_field="reserved",
            parameter="reserved",
            flag_value="no",
            label="Without reserved texts",
        ),
    ] = False
    """Exclude texts whose page or host reserves text and data mining, AI or archiving."""
    without_mixed: Annotated[bool, Dimension("Skip texts with a tenth or more in another language.")] = False
    """Texts with an unknown share are not mixed."""

    def id_range(self) -> tuple[str, str]:
        """Return the bounds of ids in the sample: at least the first, below the second; empty: no bound."""
        whole = 16**SAMPLE_DIGITS
        low, high = (round(bound / 100 * whole) for bound in self.sample or (0, 100))
        return f"{low:0{SAMPLE_DIGITS}x}" if low else "", f"{high:0{SAMPLE_DIGITS}x}" if high < whole else ""

    def given(self) -> Iterator[tuple[Dimension, Any]]:
        """Yield each dimension that selects something, with its value."""
        values = ((dimension, getattr(self, dimension.field)) for dimension in DIMENSIONS)
        return ((dimension, value) for dimension, value in values if value != dimension.default)

    def over(self, base: Selection) -> Selection:
        """Return another selection, changed by the dimensions that this one gives."""
        return replace(base, **{dimension.field: value for dimension, value in self.given()})

    def only(self, use: str) -> Selection:
        """Return this selection by the dimensions alone that a use honours."""
        return replace(self, **{each.field: each.default for each, _ in self.given() if not each.serves(use)})

    def require(self, use: str) -> None:
        """Raise ConfigError for a dimension that a use cannot honour."""
        for dimension, _ in self.given():
            if not dimension.serves(use):
                do = f"Use one of {', '.join(each.name for each in honoured(use))}, or export the documents."
                raise ConfigError(f"{use} cannot select by it", where=dimension.name, do=do)


class SelectionKeywords(TypedDict, total=False):
    """Keywords of Python for a selection, by the names of `DIMENSIONS`. Type checkers read it; a test compares both."""

    language: str | Sequence[str]
    """ISO 639 code or codes."""
    site: str | Sequence[str]
    """Name or names of sites."""
    section: str | Sequence[str]
    """First folder of the address that is no number: ``"weather"``."""
    author: str | Sequence[str]
    """Name or names, or whole words of them in a row."""
    title_words: str | Sequence[str]
    """Words that all occur in the title."""
    extractor: str | Sequence[str]
    since: str | date | None
    """First day of publication. Of a `datetime.datetime` its day counts. Texts without a date are left out."""
    until: str | date | None
    """Last day."""
    min_chars: int
    min_confidence: float
    sample: str
    """Part of the corpus such as ``"10%"``."""
    versions: Literal["first", "last", "all"]
    include_duplicates: bool
    representative: Literal["longest", "earliest", "cleanest"]
    without_reserved: bool
    """Exclude texts whose page or host reserves text and data mining, AI or archiving."""
    without_mixed: bool


class NamedSelectionKeywords(SelectionKeywords, total=False):
    """Keywords of Python for a selection that may begin with a named one of corpus.toml."""

    selection: str
    """Name of a ``[selection.NAME]``. The other keywords change it."""


def _declared() -> Iterator[Dimension]:
    hints = get_type_hints(Selection, include_extras=True)
    for each in fields(Selection):
        kind = hints[each.name]
        [dimension] = kind.__metadata__
        name = dimension.name or each.name
        parameter = dimension.parameter or name
        yield replace(
            dimension, name=name, parameter=parameter, field=each.name, kind=kind.__origin__, default=each.default
        )


DIMENSIONS = tuple(_declared())
"""All dimensions of a selection, in the order of options."""


def honoured(use: str) -> tuple[Dimension, ...]:
    """Return the dimensions that a use honours."""
    return tuple(dimension for dimension in DIMENSIONS if dimension.serves(use))
