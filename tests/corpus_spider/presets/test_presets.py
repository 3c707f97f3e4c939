"""Presets: the newspapers that come with the program."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from zoneinfo import available_timezones

import pytest
from babel import Locale

from corpus_spider import presets
from corpus_spider.config.loader import load
from corpus_spider.config.model import Config
from corpus_spider.config.values import language_code, web_address
from corpus_spider.presets.new_corpus import NewCorpus, create
from pipelines.discovery.scope import scope_of
from pipelines.urls.url import host_of, parse, registered_domain
from storage.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


LEAST = dict.fromkeys(("vi", "ar", "fa", "ur", "ps", "he", "th"), 15)
LEAST |= dict.fromkeys(("ckb", "km", "lo", "my", "id"), 8)
"""Minimum number of newspapers of each language."""
COUNTRIES = frozenset(Locale("en").territories)
OF_ONE_OWNER = 3
"""Maximum newspapers of a language on one registered domain."""


@pytest.mark.parametrize("language", LEAST)
def test_there_are_newspapers_to_begin_with(language: str, tmp_path: Path) -> None:
    """Each language can be tried without looking for addresses, and its corpus.toml can be crawled."""
    papers = presets.newspapers(language)
    assert len(papers) >= LEAST[language]
    file = create(NewCorpus(tmp_path / language, (language,), "me@example.org"))
    assert len(load(file, environ={}).sites) == len(papers)


def test_every_language_of_the_presets_has_a_minimum() -> None:
    """A new file gets a row in the table above, and is named by its ISO 639 code."""
    assert set(presets.languages()) == set(LEAST)
    assert [code for code in presets.languages() if language_code(code)] == []


def test_names_and_front_pages_are_unique_over_all_languages() -> None:
    """A corpus of several languages has every newspaper once, and no site crawls the pages of another."""
    papers = [paper for language in presets.languages() for paper in presets.newspapers(language)]
    assert len({paper.site.name for paper in papers}) == len(papers)
    config = Config(sites=tuple(paper.site for paper in papers))
    scopes = {paper.site.name: scope_of(config.site_model(paper.site)) for paper in papers}
    for paper in papers:
        address = parse(paper.homepage)
        assert address is not None
        assert [name for name, scope in scopes.items() if scope.has(address)] == [paper.site.name]


@pytest.mark.parametrize("language", presets.languages())
def test_the_newspapers_of_a_language_have_different_owners_and_countries(language: str) -> None:
    """They come from two countries or more, and not from one publisher. Hebrew has newspapers in Israel alone."""
    papers = presets.newspapers(language)
    owners = Counter(registered_domain(host_of(paper.homepage)) for paper in papers)
    assert max(owners.values()) < OF_ONE_OWNER
    assert len({paper.country for paper in papers}) > 1 or language == "he"


def test_a_language_without_newspapers_has_none() -> None:
    """An unknown language is no error here; init then writes an example."""
    assert presets.newspapers("xx") == ()


@pytest.mark.parametrize("language", presets.languages())
def test_every_newspaper_keeps_the_rules_of_corpus_toml(language: str) -> None:
    """Each site is valid, in its language, and its start pages lie in its own scope."""
    papers = presets.newspapers(language)
    config = Config(sites=tuple(paper.site for paper in papers))
    for paper in papers:
        assert paper.site.language == language
        assert paper.site.timezone in available_timezones()
        assert paper.country in COUNTRIES
        assert paper.origin or not (paper.site.feeds or paper.site.sitemaps)
        seeds = (*paper.site.start, *paper.site.feeds, *paper.site.sitemaps)
        assert paper.homepage in paper.site.start
        assert all(web_address(url) == "" for url in (paper.homepage, *seeds))
        assert all(url.startswith("https://") for url in (*paper.site.feeds, *paper.site.sitemaps))
        assert len(set(seeds)) == len(seeds)
        scope = scope_of(config.site_model(paper.site))
        assert all((address := parse(url)) is not None and scope.has(address) for url in paper.site.start)
        assert all(scope.has_host(host_of(url)) for url in seeds)
        assert paper.title
        assert not paper.checked or date.fromisoformat(paper.checked)
    assert len({paper.site.name for paper in papers}) == len(papers)
    assert {seed.site for seed in config.seeds()} == {paper.site.name for paper in papers}


VOICE_OF_AMERICA = (
    *("dengiamerika.com", "pashtovoa.com", "urduvoa.com", "voadeewanews.com", "voaindonesia.com", "voathai.com"),
    "voatiengviet.com",
)
PUBLISHERS = dict.fromkeys(VOICE_OF_AMERICA, "voanews.com") | {
    "aljazeera.net": "aljazeera.com",
    "thairath.co.th": "mirrorthailand.com",
    "ynet.co.il": "ynetnews.com",
}
"""Newspapers whose terms stand on another site of their publisher."""


@pytest.mark.parametrize("language", presets.languages())
def test_terms_stand_with_the_newspaper_its_publisher_or_a_licence(language: str) -> None:
    """A link to terms is https, no front page, and on the paper's own domain, its publisher's or Creative Commons'."""
    stated = [paper for paper in presets.newspapers(language) if paper.terms]
    assert stated
    for paper in stated:
        own = registered_domain(host_of(paper.homepage))
        assert registered_domain(host_of(paper.terms)) in {own, PUBLISHERS.get(own), "creativecommons.org"}
        assert paper.terms.startswith("https://")
        assert web_address(paper.terms) == ""
        assert urlsplit(paper.terms).path.strip("/")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[[newspaper]]\nname = "x"\nstart = ["http://a.b/"]\n', "newspaper[0].title is missing"),
        ('[[newspaper]]\nname = "x"\nstart = ["a.b"]\n', "site[0].start[0] (x): expected a URL"),
        ('[[newspaper]]\nname = "x"\nstart = ["http://a.b/"]\nfeedz = 1\n', "site[0].feedz (x): there is no such key"),
    ],
)
def test_a_wrong_newspaper_is_refused(text: str, expected: str) -> None:
    """A mistake in a newspaper is named as one in corpus.toml would be."""
    with pytest.raises(ConfigError) as caught:
        presets.parse(text, "xx.toml")
    assert expected in str(caught.value)
