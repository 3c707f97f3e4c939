"""Fingerprints of an earlier scheme are computed again from the stored texts, and nothing else changes."""

from __future__ import annotations

from collections import defaultdict
from hashlib import md5
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from pipelines.text.minhash import SCHEME, fingerprint
from pipelines.text.normalise import canonical_text
from storage.database.schema import fingerprint as fingerprints
from storage.database.schema import scheme
from storage.documents import renewal
from storage.documents.selection import Selection
from storage.records import Fingerprint
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.corpus import Corpus

EARLIER = "v2;char12;mh32;b20r6;k32;s480x2;xxh3;norm2"
WORDS = "sông núi đồng làng phố chợ thuyền cầu đường trường hội mùa lúa gió mưa nắng trăng sao hoa lá".split()


def article(number: int, changed: int = 0) -> str:
    """A text of its own for each number; ``changed`` words at its end are others."""
    words = [WORDS[(number * 7 + place * (number + 3)) % len(WORDS)] + str(number % 7) for place in range(160)]
    return " ".join([*words[: len(words) - changed], *(f"khác{at}" for at in range(changed))])


TEXTS = [
    *(article(number) for number in range(5)),
    article(0, 3),
    article(1, 2),
    article(2) + " Hoà bình.",
    article(2) + " Hòa bình.",
    "น้ำ",
    "นํ้า",
]


def earlier(text: str) -> Fingerprint:
    """The fingerprint that an earlier release gave: the same near-duplicates, more kinds of exact texts."""
    now = fingerprint(text)
    return Fingerprint(EARLIER, md5(text.encode(), usedforsecurity=False).digest(), now.shingles, now.sketch, now.bands)


def stored(corpus: Corpus) -> Crawl:
    crawl = Crawl(corpus)
    for number, text in enumerate(TEXTS):
        crawl.visit(str(number), made(text, prints=earlier(text)))
    return crawl


def sets(corpus: Corpus) -> set[frozenset[str]]:
    """Return the duplicate sets as sets of URLs."""
    found: dict[str, set[str]] = defaultdict(set)
    for each in corpus.documents(Selection(include_duplicates=True)):
        found[each.cluster].add(each.url)
    return {frozenset(urls) for urls in found.values()}


def prints(texts: Sequence[str]) -> list[Fingerprint]:
    return [fingerprint(text) for text in texts]


def schemes(corpus: Corpus) -> list[str]:
    return corpus.database.read(lambda connection: list(connection.execute(sa.select(scheme.c.name)).scalars()))


def test_all_fingerprints_come_to_the_scheme_of_today_and_sets_only_grow(corpus: Corpus) -> None:
    """Each old set is within a new one, and two spellings of one text become exact duplicates."""
    stored(corpus)
    before, documents = sets(corpus), [(each.id, each.text) for each in corpus.documents(Selection())]
    assert corpus.documents.outdated_fingerprints(SCHEME) == len({earlier(text).exact for text in TEXTS})
    corpus.documents.renew_fingerprints(SCHEME, prints)
    after = sets(corpus)
    assert all(any(old <= new for new in after) for old in before)
    assert schemes(corpus) == [SCHEME]
    assert corpus.problems() == []
    assert {each.text for each in corpus.documents(Selection(include_duplicates=True))} == set(TEXTS)
    assert {name for name, _ in documents} >= {each.id for each in corpus.documents(Selection())}
    exact = {each.url[-2:]: each.exact for each in corpus.documents(Selection(include_duplicates=True))}
    assert exact["/9"] == exact["10"]
    assert len(set(exact.values())) == len({canonical_text(text) for text in TEXTS})


def test_an_interrupted_renewal_goes_on_where_it_stopped(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop after any group leaves a sound corpus, and the end is the same as without a stop."""
    monkeypatch.setattr(renewal, "GROUP", 3)
    stored(corpus)

    class StoppedError(Exception):
        pass

    calls = 0

    def until_stopped(texts: Sequence[str]) -> list[Fingerprint]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise StoppedError
        return prints(texts)

    with pytest.raises(StoppedError):
        corpus.documents.renew_fingerprints(SCHEME, until_stopped)
    assert corpus.problems() == []
    left = corpus.documents.outdated_fingerprints(SCHEME)
    assert 0 < left < len(TEXTS)
    assert corpus.documents.renew_fingerprints(SCHEME, prints) == left
    assert corpus.problems() == []
    assert (corpus.documents.outdated_fingerprints(SCHEME), schemes(corpus)) == (0, [SCHEME])


def test_an_unchanged_page_adds_no_version_after_the_renewal(corpus: Corpus) -> None:
    """The text of a page that is visited again is compared with the renewed fingerprint."""
    crawl = stored(corpus)
    corpus.documents.renew_fingerprints(SCHEME, prints)
    number = corpus.status().documents
    for at, text in enumerate(TEXTS):
        crawl.visit(str(at), made(text, prints=fingerprint(text)))
    assert corpus.status().documents == number
    assert {each.version for each in corpus.documents(Selection(include_duplicates=True, versions="all"))} == {1}


def test_nothing_is_read_when_there_is_nothing_to_renew(corpus: Corpus) -> None:
    """At nearly all starts the only question is whether another scheme is known."""
    crawl = Crawl(corpus)
    crawl.visit("1", made(TEXTS[0], prints=fingerprint(TEXTS[0])))

    def never(_: Sequence[str]) -> list[Fingerprint]:
        raise AssertionError

    assert corpus.documents.renew_fingerprints(SCHEME, never) == 0
    numbers = sa.select(sa.func.count()).select_from(fingerprints)
    assert corpus.database.read(lambda connection: connection.execute(numbers).scalar_one()) == 1
