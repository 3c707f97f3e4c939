"""Wrong clocks: URLs that a clock ahead of time postponed are due when the clock is right again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.database.schema import url
from storage.records import Failure
from tests.storage.corpus_samples import NOON, Crawl, made

if TYPE_CHECKING:
    from storage import Corpus


def test_a_night_with_a_wrong_clock_does_not_end_all_nights(corpus: Corpus) -> None:
    """Sources read a year ahead of now are due, and pauses until then are none."""
    crawl = Crawl(corpus)
    crawl.visit("start", made("start"))
    ahead = NOON.timestamp() + 365 * 86_400
    far = sa.update(url).values(read_at=ahead, due_again=ahead + 3600)
    corpus.database.write(lambda connection: connection.execute(far))
    corpus.frontier.pause(crawl.site, ahead)
    assert corpus.frontier.wake([crawl.site], NOON.timestamp()) == 1
    assert corpus.frontier.pauses([crawl.site], NOON.timestamp()) == {}


@pytest.mark.parametrize(
    ("days", "read", "due", "woken"),
    [(365, True, 366, 1), (3, True, 4, 1), (365, False, 367, 1), (0, True, 2.9, 0), (0, False, 2, 0)],
)
def test_an_article_of_a_night_with_a_wrong_clock_is_due(
    corpus: Corpus, days: float, read: bool, due: float, woken: int
) -> None:
    """One that was read then, and one that failed, which would be read again when the clock is there."""
    crawl, now, day = Crawl(corpus), NOON.timestamp(), 86_400
    crawl.visit("article", made("article"))
    values = {"seed": False, "read_at": now + days * day if read else 0.0, "due_again": now + due * day}
    corpus.database.write(lambda connection: connection.execute(sa.update(url).values(values)))
    assert corpus.frontier.wake([crawl.site], now) == woken


def test_a_try_that_a_wrong_clock_put_off_is_due(corpus: Corpus) -> None:
    """A page waits for a week at most; what is to wait for a year is asked for now."""
    crawl, now = Crawl(corpus), NOON.timestamp()
    crawl.seed("start")
    for wait, due in ((365 * 86_400.0, True), (7 * 86_400.0, False)):
        (lease,) = crawl.lease(now=now)
        corpus.frontier.fail(crawl.run_id, [Failure(lease, "http_503", retry_at=now + wait)])
        assert bool(corpus.frontier.hosts([crawl.site], now)) is due
        assert corpus.frontier.next_due([crawl.site]) == now + wait
