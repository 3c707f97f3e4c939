"""Documents by the rules of their site: what matched in each run, and texts made with other rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from storage.documents.site_rules import RuledTexts
from storage.records import SiteRules, noted_matches
from tests.storage.corpus_samples import Crawl, made, with_parts

if TYPE_CHECKING:
    from storage.corpus import Corpus

SITE = "a.example"
OLD, NEW = SiteRules(content=".body", date="time"), SiteRules(content=".text")


def visit(crawl: Crawl, path: str, rules: SiteRules, **matched: int) -> None:
    """Store a document that was made with rules which matched so many elements."""
    crawl.visit(path, with_parts(made(f"text of {path}"), rules=rules.note(matched)))


def test_documents_are_counted_by_run_and_by_what_the_rules_matched(corpus: Corpus) -> None:
    """Each count names one page. Documents without rules, of other sites and of earlier runs do not count."""
    first = Crawl(corpus)
    visit(first, "old", OLD, content=1)
    second = Crawl(corpus)
    for path in ("a", "b"):
        visit(second, path, OLD, content=2, date=1)
    visit(second, "c", OLD)
    visit(second, "d", SiteRules())
    third = Crawl(corpus)
    visit(third, "e", NEW)
    assert corpus.documents.ruled([SITE, "b.example"], second.run_id) == [
        RuledTexts(SITE, second.run_id, OLD.note({}) or "", 1, f"https://{SITE}/c"),
        RuledTexts(SITE, second.run_id, OLD.note({"content": 2, "date": 1}) or "", 2, f"https://{SITE}/b"),
        RuledTexts(SITE, third.run_id, NEW.note({}) or "", 1, f"https://{SITE}/e"),
    ]
    assert corpus.documents.ruled(["b.example"], 0) == corpus.documents.ruled([], 0) == []
    stored = {one.url.rpartition("/")[2]: one.rules for one in corpus.documents()}
    assert noted_matches(stored["a"] or "") == {"content": 2, "date": 1}
    assert stored["d"] is None


@pytest.mark.parametrize(
    ("today", "expected"),
    [(OLD, {SITE: 3}), (NEW, {SITE: 3}), (SiteRules(title="h1"), {SITE: 4}), (SiteRules(), {SITE: 2})],
)
def test_texts_made_with_other_rules_are_counted(corpus: Corpus, today: SiteRules, expected: dict[str, int]) -> None:
    """Texts without rules count as soon as the site has some, and only texts with rules when it has none."""
    crawl = Crawl(corpus)
    visit(crawl, "a", OLD, content=1)
    visit(crawl, "b", NEW)
    visit(crawl, "c", SiteRules())
    visit(crawl, "d", SiteRules())
    assert corpus.documents.with_other_rules({SITE: today.fingerprint, "b.example": NEW.fingerprint}) == expected


@pytest.mark.parametrize(
    ("changes", "is_recorded"),
    [({}, True), ({"text": "another text"}, False), ({"captions": ("A bus",)}, False), ({"extractor": "rules"}, False)],
)
def test_metadata_read_again_records_the_rules_that_make_the_stored_text(
    corpus: Corpus, changes: dict[str, object], is_recorded: bool
) -> None:
    """Metadata is always renewed. A text that today's rules would make otherwise keeps the record of its own rules."""
    crawl = Crawl(corpus)
    first = made("text of a", title="One")
    before, today = OLD.note({"content": 1}), SiteRules(title="h1").note({"title": 1})
    number = crawl.visit("a", with_parts(first, rules=before))
    leases = {row.fetch_id: row.lease for row in corpus.fetches() if row.lease}
    again = with_parts(made("text of a", title="Two", title_source="rules"), rules=today, **changes)
    assert corpus.documents.reread([(number, leases[number], again)]) == {number: ("title",)}
    found = corpus.documents.find(f"https://{SITE}/a")
    assert found is not None
    assert (found.title, found.text, found.rules) == ("Two", "text of a", today if is_recorded else before)
    assert corpus.documents.reread([(number, leases[number], again)]) == {}
