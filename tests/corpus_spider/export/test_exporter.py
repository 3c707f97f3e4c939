"""Exports with the licence of the site."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from corpus_spider.config.model import Config
from corpus_spider.config.sections import CorpusSettings, SiteSettings
from corpus_spider.config.selections import of_options
from corpus_spider.export.exporter import own_lines, with_licences
from corpus_spider.export.request import ExportRequest, request
from storage.documents.model import CorpusDocument
from storage.documents.selection import Selection
from storage.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def document(site: str, licence: str | None) -> CorpusDocument:
    values = dict.fromkeys(CorpusDocument.__struct_fields__)
    return CorpusDocument(**values | {"site": site, "licence": licence})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("site", "stored", "expected"),
    [("a", None, "CC BY"), ("a", "old", "CC BY"), ("b", "old", "old"), ("b", None, None), ("gone", "old", "old")],
)
def test_the_licence_is_what_corpus_toml_says_now_else_what_is_stored(
    site: str, stored: str | None, expected: str | None
) -> None:
    """A corrected licence note counts for texts that were crawled before; a site that was removed keeps its own."""
    (found,) = with_licences([document(site, stored)], {"a": "CC BY", "b": None})
    assert found.licence == expected


OPTIONS = {
    "target": "x.jsonl",
    "format_name": None,
    "overwrite": True,
    "languages": ("vi",),
    "sites": (),
    "since": datetime(2026, 1, 2),  # noqa: DTZ001
    "until": None,
    "min_chars": 5,
    "versions": "all",
    "min_confidence": 0.5,
    "require_licence": False,
    "fold": ("digits", "quotes"),
    "release": False,
    "shard_size": "1MB",
    "since_release": None,
    "quality": "words>=9",
    "representative": "earliest",
    "without_recurring": True,
    "sample": None,
}


def requested(**changes: object) -> ExportRequest:
    """Return the request of `OPTIONS` with some changes."""
    options = OPTIONS | changes
    return request(of_options(options), options)


def test_options_become_a_selection() -> None:
    """Days are written as ISO dates, which is what documents are compared with."""
    wanted = requested()
    assert wanted.selection == Selection(
        ("vi",), since="2026-01-02", min_chars=5, min_confidence=0.5, versions="all", representative="earliest"
    )
    assert wanted.without_recurring
    assert wanted.quality is not None
    assert wanted.quality.plain() == {"default": {"words": ">=9"}}
    assert (wanted.target, wanted.overwrite) == ("x.jsonl", True)
    assert (wanted.folds, wanted.release, wanted.shard_size) == (("digits", "quotes"), True, 10**6)


@pytest.mark.parametrize("name", ["vietnamese", "vie", "Vi", "vn"])
def test_rules_on_quality_of_what_is_no_language_are_refused(tmp_path: Path, name: str) -> None:
    """They would be asked of no text; ``default`` and languages are."""
    (tmp_path / "rules.toml").write_text(f'[default]\nwords = ">9"\n[und]\nwords = ">5"\n[{name}]\nwords = ">=100"\n')
    with pytest.raises(ConfigError, match=f'got "{name}"'):
        requested(quality=str(tmp_path / "rules.toml"))
    (tmp_path / "rules.toml").write_text('[default]\nwords = ">9"\n[und]\nwords = ">5"\n')
    assert requested(quality=str(tmp_path / "rules.toml")).quality
    assert requested(quality="default").quality


@pytest.mark.parametrize(("size", "is_release"), [("0", True), ("1kB", True), (None, False)])
def test_a_shard_size_makes_a_release(size: str | None, is_release: bool) -> None:
    """Also 0, which sets no limit, as in settings; it made a folder of texts."""
    assert requested(shard_size=size).release is is_release


def test_a_text_without_its_recurring_lines_is_described_as_it_is_left() -> None:
    """Lines, kinds, languages, length, quality and the share in other languages."""
    whole = structs.replace(
        document("a", None),
        language="vi",
        text="mot hai\nSubscribe now\nba bon\nto be",
        kinds="hppp",
        languages=("vi 1.00 Latn 1.00", "en 0.90 Latn 1.00", "vi 1.00 Latn 1.00", "en 0.90 Latn 1.00"),
        foreign_share=0.6,
        recurring="-r--",
    )
    left = own_lines(whole)
    assert (left.text, left.kinds, left.recurring, left.chars) == ("mot hai\nba bon\nto be", "hpp", "", 20)
    assert [reported[:2] for reported in left.languages] == ["vi", "vi", "en"]
    assert (left.foreign_share, left.mixed) == (round(5 / 18, 4), 1)
    assert left.quality is not None
    assert left.quality.words == 6
    assert own_lines(structs.replace(whole, foreign_share=None)).foreign_share is None


@pytest.mark.parametrize(
    "changes",
    [{"languages": ("vi", "english")}, {"languages": ("xx",)}, {"until": datetime(2026, 1, 1)}],  # noqa: DTZ001
)
def test_what_no_document_can_meet_is_refused(changes: dict[str, object]) -> None:
    """A language that is none, or days the wrong way round, would be an export of nothing without a word."""
    with pytest.raises(ConfigError):
        requested(**changes)


def test_the_licence_of_the_corpus_is_that_of_sites_that_name_none() -> None:
    """A site's own licence comes first."""
    sites = (SiteSettings(name="a", licence="CC BY"), SiteSettings(name="b"))
    assert Config(corpus=CorpusSettings(licence="CC0"), sites=sites).site_licences() == {"a": "CC BY", "b": "CC0"}
    assert Config(sites=sites).site_licences() == {"a": "CC BY", "b": None}
