"""Order, number, context and fields of the lines of a concordance. A light module, for `--help`."""

from __future__ import annotations

from storage.errors import ConfigError

MAX_LINES = 10_000
MAX_CONTEXT_WORDS = 100
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
