"""The tokens of a search index: those of its shards, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from storage import time_limit

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Collection, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from corpus_spider.search.index.manifest import CellKey
    from corpus_spider.search.index.token_block import TokenBlock
    from corpus_spider.search.index.token_file import ShardTokens


@dataclass(frozen=True)
class SelectedTokens:
    """The tokens of selected texts of one shard, which can be read several times.

    ``find``: finds their numbers; None for all texts. ``languages``: those of the texts, all without one.
    """

    shard: ShardTokens
    find: Callable[[], npt.NDArray[np.int64]] | None = None
    languages: Collection[str] = ()

    @cached_property
    def _numbers(self) -> npt.NDArray[np.int64] | None:
        return self.find() if self.find else None

    @property
    def cells(self) -> Sequence[CellKey]:
        """What the documents of the shard are counted by."""
        return self.shard.cells

    @property
    def blocks(self) -> int:
        """Number of blocks of the shard."""
        return self.shard.number_of_blocks

    def number_of_tokens(self) -> Counter[str]:
        """Count the tokens of the texts, by language."""
        return self.shard.number_of_tokens(self._numbers, self.languages)

    def __iter__(self) -> Iterator[TokenBlock]:
        """Read the texts as blocks."""
        return self.some(None)

    def some(self, places: Collection[int] | None) -> Iterator[TokenBlock]:
        """Read the texts in some blocks by their places, None for all.

        Each block looks at the time of a request (`storage.time_limit`).
        """
        for block in self.shard.blocks(self._numbers, self.languages, places):
            time_limit.check()
            yield block


class TokenStore:
    """Reads the tokens of the texts of an index as blocks of numbers. Only the blocks that are needed are read.

    The blocks of one shard share a vocabulary. A block has texts of one language. All blocks look at the time of a
    request (`storage.time_limit`). DamageError for a damaged file.
    """

    def __init__(self, shards: Sequence[ShardTokens]) -> None:
        """Read the tokens of these shards."""
        self.shards = shards

    def blocks(self, documents: Collection[str] | None = None, languages: Collection[str] = ()) -> Iterator[TokenBlock]:
        """Yield the texts of some documents by their ids, None for all. ``languages``: only these, all without one."""
        for each in self.shards:
            for block in each.blocks(documents, languages):
                time_limit.check()
                yield block
