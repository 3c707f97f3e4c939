"""Bring the fingerprints of a corpus to the scheme of this release, before a page is compared with its texts."""

from __future__ import annotations

import logging
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from corpus_spider.terminal.progress import lines
from pipelines.text.minhash import SCHEME, fingerprint
from storage.reporting import unseen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.corpus import Corpus
    from storage.records import Fingerprint
    from storage.reporting import Progress

logger = logging.getLogger(__name__)
MIN_PARALLEL_TEXTS = 2_000
"""Texts from which on several processes pay: each starts in about a second."""
_AT_ONCE = 25
SECONDS_A_TEXT = 0.002
"""Processor time to fingerprint a text of 4,000 characters and store it, for the estimate of a dry run."""


def renew(corpus: Corpus, processes: int, on_progress: Progress = unseen) -> int:
    """Compute the fingerprints of an earlier scheme again. Return their number, 0 at nearly all starts."""
    number = corpus.documents.outdated_fingerprints(SCHEME)
    if not number:
        return 0
    logger.info("computing %d fingerprints again: this release compares texts by another scheme", number)
    # Also log the progress: the crawl of a timer has no other sign of it.
    with lines(partial(logger.info, "%s")) as log:

        def progress(what: str, done: int, total: int | None) -> None:
            on_progress(what, done, total)
            log(what, done, total)

        return _renew(corpus, number, processes, progress)


def _renew(corpus: Corpus, number: int, processes: int, progress: Progress) -> int:
    if number < MIN_PARALLEL_TEXTS or processes < 2:
        return corpus.documents.renew_fingerprints(SCHEME, _prints, progress)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:

        def spread(texts: Sequence[str]) -> list[Fingerprint]:
            return list(pool.map(fingerprint, texts, chunksize=_AT_ONCE))

        return corpus.documents.renew_fingerprints(SCHEME, spread, progress)


def _prints(texts: Sequence[str]) -> list[Fingerprint]:
    return [fingerprint(text) for text in texts]
