"""The newspapers that come with the program."""

from __future__ import annotations

from datetime import date

import pytest

from corpus_spider import presets
from corpus_spider.config import Config
from corpus_spider.config_values import web_address
from storage.errors import ConfigError


def test_there_are_three_newspapers_for_vietnamese_and_for_arabic() -> None:
    """Both languages can be tried without looking for addresses."""
    assert set(presets.languages()) >= {"vi", "ar"}
    assert len(presets.newspapers("vi")) >= 3
    assert len(presets.newspapers("ar")) >= 3


def test_a_language_without_newspapers_has_none() -> None:
    """An unknown language is no error here; init then writes an example."""
    assert presets.newspapers("xx") == ()


@pytest.mark.parametrize("language", presets.languages())
def test_every_newspaper_keeps_the_rules_of_corpus_toml(language: str) -> None:
    """Each site is valid, in its language, reachable, has a feed or sitemap, and its seeds lie in its own scope."""
    papers = presets.newspapers(language)
    config = Config(sites=tuple(paper.site for paper in papers))
    for paper in papers:
        assert paper.site.language == language
        assert paper.site.feeds or paper.site.sitemaps
        assert paper.title
        assert web_address(paper.homepage) == ""
        assert not paper.terms or web_address(paper.terms) == ""
        assert not paper.checked or date.fromisoformat(paper.checked)
    assert len({paper.site.name for paper in papers}) == len(papers)
    assert {seed.site for seed in config.seeds()} == {paper.site.name for paper in papers}


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
