"""Order, number, context and fields of the lines of a concordance. A light module, for `--help`."""

from __future__ import annotations

from dataclasses import dataclass

from storage.errors import ConfigError

MAX_LINES = 10_000
MAX_PAGES = 100_000
USUAL_LINES = 20
MAX_CONTEXT_WORDS = 100
SORTED_DOCUMENTS = 500
"""Documents whose lines are sorted by a neighbouring word: the best ones."""
SORTED_LINES = 20_000
"""Lines of them that are sorted at most."""
UNIQUE_DOCUMENTS = 2_000
"""Documents in whose lines equal ones are left out: the best ones."""
USUAL_SEED, MAX_SEED = 1, 10**9
RANK, DAY, LEFT, RIGHT = "rank", "date", "left", "right"
ORDERS = (RANK, DAY, LEFT, RIGHT)
"""Orders of a concordance: the best documents first, the newest first, by the word to the left or right."""
NODE = "node"
SORTED_WORDS = 3
"""Words to each side by which lines can be sorted."""
SORT_PLACES = (NODE, *(f"{number}{side}" for side in "LR" for number in range(1, SORTED_WORDS + 1)))
"""Words of a line to sort by: the words that were found, the first to the left, and so on."""
MAX_SORT_PLACES = 3
CONTEXT_FIELDS = ("left", "keyword", "right")
LINE_FIELDS = (*CONTEXT_FIELDS, "id", "url", "title", "site", "language", "day")
"""Fields of a line in a file: its context, then the reference to its document."""
_SHORT_ORDERS = {LEFT: ("1L", "1R"), RIGHT: ("1R", "1L")}


def sort_places(order: str) -> tuple[str, ...]:
    """Return the words of a line that an order names, up to three; none for an order of documents.

    Raises ConfigError for another text.

    >>> sort_places("rank"), sort_places("left"), sort_places("1R,2R,node")
    ((), ('1L', '1R'), ('1R', '2R', 'node'))
    """
    if order in {RANK, DAY}:
        return ()
    named = _SHORT_ORDERS.get(order) or tuple(each.strip() for each in order.split(","))
    if not set(named) <= set(SORT_PLACES) or len(named) > MAX_SORT_PLACES:
        do = f"Write one of {', '.join(ORDERS)}, or up to {MAX_SORT_PLACES} of {', '.join(SORT_PLACES)}: 1L,2L,node."
        raise ConfigError(f'there is no order "{order[:40]}"', where="order", do=do)
    return named


@dataclass(frozen=True, slots=True)
class WantedLines:
    """Which lines of a concordance are wanted: ``most`` on a page, which page from 1, and their order.

    ``context``: words on each side, 0 for the usual. ``unique``: equal lines once. ``sample``: so many hits by chance,
    the same for the same ``seed``; 0 for all hits.
    """

    most: int = USUAL_LINES
    page: int = 1
    order: str = RANK
    context: int = 0
    unique: bool = False
    sample: int = 0
    seed: int = USUAL_SEED

    @property
    def skipped(self) -> int:
        """Number of lines on the pages before.

        >>> WantedLines(most=50, page=3).skipped
        100
        """
        return (self.page - 1) * self.most

    @property
    def sample_options(self) -> list[str]:
        """Options of `search` that give the same sample; none without one."""
        return ["--sample-size", str(self.sample), "--seed", str(self.seed)] if self.sample else []

    @property
    def options(self) -> list[str]:
        """Options of `search` that give the same form of lines, without their order and page.

        >>> WantedLines(context=9, unique=True, sample=50, seed=2).options
        ['--sample-size', '50', '--seed', '2', '--context', '9', '--unique']
        """
        context = ["--context", str(self.context)] if self.context else []
        return [*self.sample_options, *context, *(["--unique"] if self.unique else [])]

    @property
    def is_of_all(self) -> bool:
        """Whether the pages have all hits, in the order of their documents."""
        return not (self.sample or self.unique or sort_places(self.order))

    @property
    def reads_much(self) -> bool:
        """Whether more is read than the first documents."""
        return self.page > 1 or self.unique or bool(self.sample or sort_places(self.order))


ALL_LINES = WantedLines()
"""The first page of all hits in the usual form."""
