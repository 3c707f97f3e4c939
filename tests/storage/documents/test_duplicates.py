"""Duplicate sets and their representatives: right in any order of arrival, and after changes and removals."""

from __future__ import annotations

import itertools
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.minhash import pack_pairs
from storage.corpus import Corpus
from storage.documents.near_duplicates import THRESHOLD
from storage.documents.selection import Selection
from storage.documents.sketches import SketchFormat
from storage.records import Fingerprint, Processed
from tests.storage.corpus_samples import Crawl, dropped, empty, fingerprint, made, with_parts

if TYPE_CHECKING:
    from storage.documents.model import CorpusDocument

ROWS = 120
similarities, whole = SketchFormat().similarities, SketchFormat.similarities


def sketch(changed: range | None = None, value: int = 255) -> bytes:
    """Return a sketch of 120 bytes: the numbers 0 to 119, except in the changed range."""
    table = bytearray(range(ROWS))
    for at in changed or ():
        table[at] = value
    return bytes(table)


def near(text: str, changed: range | None = None, bands: tuple[int, ...] = (7,), value: int = 255) -> Fingerprint:
    return fingerprint(text, sketch(changed, value), bands)


def everything(corpus: Corpus) -> list[CorpusDocument]:
    return list(corpus.documents(Selection(include_duplicates=True)))


def sets_of(corpus: Corpus) -> dict[str, set[str]]:
    """Map each representative's text to the texts of its set, and see that every size agrees."""
    sets: dict[str, set[str]] = defaultdict(set)
    found = everything(corpus)
    by_id = {each.id: each for each in found}
    members: dict[str, int] = defaultdict(int)
    for each in found:
        representative = by_id[each.duplicate_of or each.id]
        assert representative.duplicate_of is None
        sets[f"{representative.text}@{representative.url[-1]}"].add(f"{each.text}@{each.url[-1]}")
        members[representative.id] += 1
    assert all(each.duplicates == members[each.duplicate_of or each.id] for each in found)
    assert {each.id for each in corpus.documents()} == set(members)
    return dict(sets)


def store(
    corpus: Corpus, outcomes: dict[str, Processed], order: tuple[str, ...] | None = None, group: int = 1
) -> Crawl:
    """Store one page per path in the given order, so many in a group."""
    crawl = Crawl(corpus)
    crawl.seed(*outcomes)
    leases = {lease.url.rpartition("/")[2]: lease for lease in crawl.lease()}
    paths = order or tuple(outcomes)
    for start in range(0, len(paths), group):
        part = paths[start : start + group]
        crawl.process([leases[path] for path in part], [outcomes[path] for path in part])
    return crawl


@pytest.mark.parametrize(("changed", "expected"), [(0, 1.0), (29, 0.757), (30, 0.749), (120, -0.004)])
def test_similarity_takes_chance_away(changed: int, expected: float) -> None:
    """Equal bytes are (1 - 1/256) J + 1/256; the estimate undoes that."""
    (value,) = similarities(sketch(), [sketch(range(changed))])
    assert value == pytest.approx(expected, abs=0.001)


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), min_size=1, max_size=60))
def test_two_bits_of_each_minhash_are_compared(values: list[tuple[int, int]]) -> None:
    """Of packed pairs of bits those that agree are counted, less the quarter that agrees by chance."""
    table = np.array(values * 4, dtype=np.uint32).T
    one, other = (pack_pairs(row) for row in table)
    assert len(one) == len(values)
    match = float(((table[0] & 3) == (table[1] & 3)).mean())
    (value,) = SketchFormat.of("v2;k32;s480x2;norm1").similarities(one, [other])
    assert value == pytest.approx((match - 0.25) / 0.75)


@pytest.mark.parametrize(("scheme", "bits"), [("v1;xxh3", 64), ("v2;k32;s480x2;x", 32)])
def test_band_keys_survive_packing(scheme: str, bits: int) -> None:
    """Signed keys of the scheme's width come back as they were, the extremes too."""
    keys = (-(2 ** (bits - 1)), -1, 0, 1, 2 ** (bits - 1) - 1)
    packed = SketchFormat.of(scheme).pack_keys(keys)
    assert SketchFormat.of(scheme).unpack_keys(packed) == keys
    assert len(packed) == 5 * bits // 8


def test_the_same_text_twice_is_a_set(corpus: Corpus) -> None:
    """Equal hashes make exact duplicates, without any sketch; the smaller URL represents them."""
    store(corpus, {"b": made("same"), "a": made("same"), "c": made("other")})
    assert sets_of(corpus) == {"same@a": {"same@a", "same@b"}, "other@c": {"other@c"}}


@pytest.mark.parametrize(
    ("prints", "together"),
    [
        (near("y", range(29)), True),
        (near("y", range(30)), False),
        (near("y", bands=(8,)), False),
        (near("y", range(29), bands=(1, 2, 7)), True),
        (fingerprint("y", sketch()[:60], (7,)), False),
        (fingerprint("y"), False),
        (Fingerprint("v2", b"y" * 16, 100, sketch(), (7,)), False),
    ],
)
def test_what_makes_near_duplicates(corpus: Corpus, prints: Fingerprint, together: bool) -> None:
    """A shared band key and an estimate of at least the threshold, within one scheme; either alone does not do."""
    store(corpus, {"a": made("longer", prints=near("x")), "b": made("short", prints=prints)})
    assert len(sets_of(corpus)) == (1 if together else 2)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ({"a": made("short", prints=near("1")), "b": made("longest", prints=near("2"))}, "longest@b"),
        ({"b": made("equal 1", prints=near("1")), "a": made("equal 2", prints=near("2"))}, "equal 2@a"),
        (
            {"a": made("equal 1", prints=near("1")), "b": made("equal 2", prints=near("2"), published="2026-11-20")},
            "equal 2@b",
        ),
        (
            {"a": made("longer", prints=near("1")), "b": made("equal", prints=near("2"), published="2026-11-20")},
            "longer@a",
        ),
    ],
)
def test_who_represents_a_set(corpus: Corpus, outcomes: dict[str, Processed], expected: str) -> None:
    """The longest text, then one that is dated, then the smallest URL: in any order, and when counted
    again.
    """
    crawl = store(corpus, dict(reversed(outcomes.items())))
    assert list(sets_of(corpus)) == [expected]
    crawl.visit("c", made("c", prints=near("3")))
    assert list(sets_of(corpus)) == [expected]


def test_of_versions_alike_the_last_represents(corpus: Corpus) -> None:
    """Two versions of a page that are near-duplicates are one document, the last."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("text 1", prints=near("1")))
    crawl.visit("a", made("text 2", prints=near("2")))
    assert [(each.version, each.duplicates) for each in corpus.documents()] == [(2, 1)]


def test_a_late_page_joins_sets_that_were_apart(corpus: Corpus) -> None:
    """A page like two that are unlike each other makes one set of all; the evidence is their two similarities."""
    left, right = near("l", range(20)), near("r", range(60, 80))
    assert similarities(left.sketch, [right.sketch])[0] < THRESHOLD
    crawl = store(corpus, {"a": made("left", prints=left), "b": made("right text", prints=right)})
    assert len(sets_of(corpus)) == 2
    crawl.visit("c", made("mid", prints=near("m")))
    assert sets_of(corpus) == {"right text@b": {"left@a", "right text@b", "mid@c"}}


def bridge(corpus: Corpus) -> tuple[Crawl, int]:
    """Three pages, of which the one in the middle holds the set together; return its fetch id."""
    crawl = store(corpus, {"a": made("left", prints=near("l", range(20)))})
    fetch_id = crawl.visit("m", made("the middle", prints=near("m")))
    crawl.visit("b", made("right text", prints=near("r", range(60, 80))))
    assert len(sets_of(corpus)) == 1
    return crawl, fetch_id


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (dropped("list_page"), {"left@a": {"left@a"}, "right text@b": {"right text@b"}}),
        (
            made("something else", prints=near("z", bands=(99,))),
            {"left@a": {"left@a"}, "right text@b": {"right text@b"}, "something else@m": {"something else@m"}},
        ),
        (
            made("mid", prints=near("m2", range(20))),
            {"left@a": {"left@a", "mid@m"}, "right text@b": {"right text@b"}},
        ),
        (made("mid", prints=near("m")), {"right text@b": {"left@a", "mid@m", "right text@b"}}),
    ],
)
def test_a_set_falls_apart_when_what_joined_it_goes(
    corpus: Corpus, outcome: Processed, expected: dict[str, set[str]]
) -> None:
    """Re-extraction that drops or changes a document leaves the sets that its new text alone justifies."""
    _, fetch_id = bridge(corpus)
    lease = next(row.lease for row in corpus.fetches() if row.fetch_id == fetch_id)
    assert lease is not None
    corpus.documents.record_processed([(fetch_id, lease, outcome)], again=True)
    assert sets_of(corpus) == expected


def test_whoever_is_like_one_of_many_is_of_their_set(corpus: Corpus) -> None:
    """Though it is like none of those it is compared with first, and they are like each other."""
    left = {
        f"l{number}": made(f"left {number}", prints=near(f"{number}", range(20), value=number))
        for number in range(200, 220)
    }
    store(corpus, {**left, "m": made("mid", prints=near("m")), "r": made("right", prints=near("r", range(60, 80)))})
    assert [len(each) for each in sets_of(corpus).values()] == [22]


def test_of_many_alike_few_are_compared(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither as they come nor when one of them goes is each compared with each."""
    compared: list[int] = []
    monkeypatch.setattr(
        SketchFormat, "similarities", lambda self, one, others: compared.append(len(others)) or whole(self, one, others)
    )
    pages = {f"p{number}": made(f"text {number:03}", prints=near(f"{number}")) for number in range(200)}
    crawl = store(corpus, pages, group=100)
    assert 200 <= sum(compared) < 20 * 200
    compared.clear()
    (row, *_) = corpus.fetches()
    corpus.documents.record_processed([(row.fetch_id, row.lease, dropped("list_page"))], again=True)
    assert 198 <= sum(compared) < 20 * 200
    assert crawl.corpus.status().duplicates == 198


TEXTS = ["aa", "bbbb", "bb", "cccc", "dd"]
PRINTS = [
    near("0"),
    near("1", range(20)),
    near("2", range(60, 80), bands=(7, 8)),
    near("3", range(90), bands=(8,)),
    near("4", range(85), bands=(8, 9)),
    near("4", range(85), bands=(8, 9)),
    fingerprint("5"),
]
PAGES = st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(PRINTS)), min_size=2, max_size=6)


def expected_sets(pages: dict[str, tuple[str, Fingerprint]]) -> dict[str, set[str]]:
    """Work the sets out the slow way: every pair judged, components walked, the representative chosen by its rule."""

    def alike(one: Fingerprint, other: Fingerprint) -> bool:
        if one.exact == other.exact:
            return True
        share = set(one.bands) & set(other.bands)
        return bool(share) and similarities(one.sketch, [other.sketch])[0] >= THRESHOLD

    groups: list[set[str]] = []
    for path, (_, prints) in pages.items():
        joined = [group for group in groups if any(alike(prints, pages[other][1]) for other in group)]
        groups = [group for group in groups if group not in joined] + [{path}.union(*joined)]
    leaders = [min(group, key=lambda path: (-len(pages[path][0]), path)) for group in groups]
    return {
        f"{pages[leader][0]}@{leader}": {f"{pages[path][0]}@{path}" for path in group}
        for leader, group in zip(leaders, groups, strict=True)
    }


@settings(max_examples=15, deadline=None)
@given(pages=PAGES, data=st.data())
def test_sets_and_representatives_do_not_depend_on_the_order(corpus: Corpus, pages: list, data: st.DataObject) -> None:  # type: ignore[type-arg]
    """In any order and any grouping the sets are those that judging every pair gives."""
    named = {chr(ord("a") + number): page for number, page in enumerate(pages)}
    order = tuple(data.draw(st.permutations(sorted(named))))
    group = data.draw(st.integers(1, len(named)))
    empty(corpus)
    store(corpus, {path: made(text, prints=prints) for path, (text, prints) in named.items()}, order, group)
    assert sets_of(corpus) == expected_sets(named)


@settings(max_examples=15, deadline=None)
@given(before=PAGES, after=PAGES, data=st.data())
def test_re_extraction_ends_where_a_fresh_corpus_would(
    corpus: Corpus,
    before: list,
    after: list,
    data: st.DataObject,  # type: ignore[type-arg]
) -> None:
    """After any changes, the sets are those of the present documents; some may have gone."""
    empty(corpus)
    crawl = store(
        corpus, {chr(ord("a") + number): made(text, prints=prints) for number, (text, prints) in enumerate(before)}
    )
    assert crawl.run_id
    fetches = {row.lease.url[-1]: row for row in corpus.fetches() if row.lease}
    now = {path: data.draw(st.sampled_from([None, page])) for path, page in zip(fetches, itertools.cycle(after))}
    outcomes = {path: dropped("gone") if page is None else made(page[0], prints=page[1]) for path, page in now.items()}
    items = [(fetches[path].fetch_id, fetches[path].lease, outcome) for path, outcome in outcomes.items()]
    corpus.documents.record_processed(items, again=True)  # type: ignore[arg-type]
    assert sets_of(corpus) == expected_sets({path: page for path, page in now.items() if page is not None})


RULES = ("longest", "earliest", "cleanest")
DAYS = st.sampled_from([None, "2026-01-05", "2026-01-05T08:00:00Z", "2026-01-04"])
STATED = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.sampled_from(PRINTS), DAYS, st.sampled_from([None, 0.5, 0.9])),
    min_size=2,
    max_size=7,
)


def first_by(rule: str, document: CorpusDocument) -> tuple[object, ...]:
    """Order documents as the rule says, in plain Python."""
    longest = (-document.chars, document.date is None, document.url if rule == "longest" else document.id)
    if rule == "earliest":
        return (
            (document.date or "2026-03-01")[:10],
            document.date is None,
            document.date or "",
            *longest,
        )
    return (-(-1 if document.confidence is None else document.confidence), *longest) if rule == "cleanest" else longest


def stored_by_several(corpus: Corpus, pages: dict[str, Processed], groups: list[list[str]], writers: int) -> None:
    """Store groups of pages, each writer every so manieth group, all at once."""
    crawl = Crawl(corpus)
    crawl.seed(*pages)
    leases = {lease.url.rpartition("/")[2]: lease for lease in crawl.lease()}
    fetches = dict(zip(leases, crawl.fetch(*leases.values()), strict=True))

    def write(number: int) -> None:
        with Corpus.open(corpus.database.url.render_as_string(hide_password=False)) as own:
            for group in groups[number::writers]:
                own.documents.record_processed([(fetches[path], leases[path], pages[path]) for path in group])

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))


@pytest.mark.parametrize("writers", [1, 3])
@settings(max_examples=8, deadline=None)
@given(pages=STATED, data=st.data())
def test_clusters_and_every_rule_do_not_depend_on_who_writes_when(
    corpus: Corpus,
    writers: int,
    pages: list,  # type: ignore[type-arg]
    data: st.DataObject,
) -> None:
    """In any order, in any groups, by several writers: the same sets, with the same ids and representatives by rule."""
    named = {chr(ord("a") + number): page for number, page in enumerate(pages)}
    outcomes = {
        path: with_parts(made(text, prints=prints, published=day), confidence=sure)
        for path, (text, prints, day, sure) in named.items()
    }
    order = data.draw(st.permutations(sorted(named)))
    size = data.draw(st.integers(1, len(named)))
    empty(corpus)
    stored_by_several(corpus, outcomes, [order[at : at + size] for at in range(0, len(order), size)], writers)
    sets = expected_sets({path: page[:2] for path, page in named.items()})
    for rule in RULES:
        every = {
            each.url[-1]: each for each in corpus.documents(Selection(include_duplicates=True, representative=rule))
        }
        kept = {each.id for each in corpus.documents(Selection(representative=rule))}
        chosen = set()
        for members in sets.values():
            found = [every[name.rpartition("@")[2]] for name in members]
            best = min(found, key=lambda each: first_by(rule, each))
            chosen.add(best.id)
            assert {each.cluster for each in found} == {min(each.id for each in found)}
            assert {each.duplicate_of or each.id for each in found} == {best.id}
        assert kept == chosen


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("versions", ["first", "last", "all"])
def test_of_each_set_one_page_is_exported_by_any_rule(corpus: Corpus, rule: str, versions: str) -> None:
    """Of first, last or all versions the rule chooses one document, or one page; the others name it."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("one", prints=near("1"), published="2026-02-02"))
    crawl.visit("a", made("one changed", prints=near("2"), published="2026-02-02"))
    crawl.visit("b", made("another one", prints=near("3"), published="2026-02-01"))
    crawl.visit("c", made("apart"))
    wanted = Selection(versions=versions, representative=rule)
    kept = [each for each in corpus.documents(wanted) if each.url[-1] != "c"]
    assert {each.duplicate_of for each in kept} == {None}
    pages = {each.url[-1] for each in kept}
    assert len(pages) == 1
    assert pages == {"b"} or rule != "earliest"
    for each in corpus.documents(replace(wanted, include_duplicates=True)):
        own = each.url[-1] in pages or each.url[-1] == "c"
        assert (each.duplicate_of is None) == own
