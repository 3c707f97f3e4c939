"""WARC files of several machines with a folder each, as the database knows them. On both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from storage.removal.takedown import GoneMachine
from tests.storage.corpus_samples import Crawl

if TYPE_CHECKING:
    from storage.corpus import Corpus

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def test_a_machine_looks_for_and_processes_its_own_files_only(corpus: Corpus) -> None:
    """A file without a machine is one of each machine. What is missing on one machine, another does not know."""
    crawl = Crawl(corpus)
    crawl.seed("a", "b")
    crawl.fetch(*crawl.lease())
    (name,) = corpus.warc.expected()
    a, b = (replace(corpus, machine=machine) for machine in ("a", "b"))
    assert a.warc.expected() == b.warc.expected() == [name]
    b.warc.take_over([name, "strange.warc.gz"])
    assert (a.warc.expected(), b.warc.expected(), corpus.warc.expected()) == ([], [name], [name])
    assert (a.warc.elsewhere(), b.warc.elsewhere(), corpus.warc.elsewhere()) == ({name: "b"}, {}, {})
    assert (a.fetches.count_unprocessed(), b.fetches.count_unprocessed()) == (0, 2)
    assert (a.fetches.unprocessed(), len(b.fetches.unprocessed())) == ([], 2)
    assert (a.warc.count_elsewhere([crawl.site]), b.warc.count_elsewhere([crawl.site])) == ({"b": 2}, {})
    assert (a.warc.left_sites(), b.warc.left_sites()) == ([], [crawl.site])
    b.warc.mark_missing([name], NOW)
    a.warc.mark_missing([], NOW, others_there=True)
    assert b.warc.count_waiting([crawl.site]) == {name: 2}
    b.warc.mark_missing([], NOW, others_there=True)
    assert b.fetches.count_unprocessed() == 2


def test_a_machine_that_is_gone_leaves_pages_to_fetch_and_no_file(corpus: Corpus) -> None:
    """Its files count as removed, so that they are neither missing nor damaged."""
    crawl = Crawl(corpus)
    crawl.seed("a", "b")
    crawl.fetch(*crawl.lease())
    a, b = (replace(corpus, machine=machine) for machine in ("a", "b"))
    b.warc.take_over(corpus.warc.expected())
    assert a.removals.give_up_machine("c") is None
    assert a.removals.give_up_machine("b") == GoneMachine("b", files=1, pages=2)
    assert (corpus.warc.expected(), a.warc.elsewhere()) == ([], {})
    a.warc.mark_missing([], NOW, others_there=True)
    assert a.warc.fetch_again([crawl.site], NOW) == 2
    assert len(crawl.lease()) == 2
    assert corpus.problems() == []
