"""The tokens of a search index: those of its shards, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage import time_limit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from corpus_spider.search.index.token_block import TokenBlock
    from corpus_spider.search.index.token_file import ShardTokens


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
