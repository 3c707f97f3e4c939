"""Values of settings: sizes, times, and any table at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.config.loader import assemble, load
from corpus_spider.config.model import Config
from corpus_spider.config.sections import SiteSettings, keys
from corpus_spider.config.values import WrongValueError, bare_doi, doi, language_code, parse_duration, parse_size
from pipelines.discovery.scope import scope_of
from pipelines.urls.url import parse
from storage.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "expected"), [("1024", 1024), ("10 MiB", 10 * 2**20), ("1.5kB", 1500), ("1 GB", 10**9), ("2 TiB", 2**41)]
)
def test_sizes_are_read_in_the_usual_units(text: str, expected: int) -> None:
    """Binary and decimal units, with or without a space."""
    assert parse_size(text) == expected


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1 TiB of", "1e3", "1i", "1 PiB", "9" * 400])
def test_what_is_no_size_is_refused(text: str) -> None:
    """A size that is not one is an error, never zero."""
    with pytest.raises(WrongValueError):
        parse_size(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*keys(SiteSettings), "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("VI", "vi"),
        ("vn", "vi"),
        ("heb", "he"),
        ("per", "fa"),
        ("ARB", "ar"),
        ("vi-VN", "vi"),
        ("zh_CN", "zh"),
        ("iw", "he"),
        ("Vietnamese", "vi"),
        ("Farsi", "fa"),
        ("العربية", "ar"),
    ],
)
def test_a_language_that_is_written_otherwise_is_named_by_its_code(written: str, meant: str) -> None:
    """By a country, with three letters, as a tag, by a code of old, by its name in English or in itself."""
    assert language_code(written).endswith(f'got "{written}" (did you mean {meant}?)')


@pytest.mark.parametrize("code", ["vi", "ckb", "tl", "zh-Hant"])
def test_a_code_of_a_language_is_right(code: str) -> None:
    """With two letters, with three where no code of two exists, and with a script."""
    assert language_code(code) == ""


def test_a_day_is_written_as_a_text_or_as_toml_has_days(tmp_path: Path) -> None:
    """Both come to the same; a time of a day is none."""
    for written in ('"2026-11-01"', "2026-11-01"):
        (tmp_path / "corpus.toml").write_text(f"[crawl]\nsince = {written}\n")
        assert load(tmp_path / "corpus.toml", environ={}).crawl.since == "2026-11-01"
    (tmp_path / "corpus.toml").write_text("[crawl]\nsince = 2026-11-01T08:00:00\n")
    with pytest.raises(ConfigError, match='expected a day such as "2026-11-20", got "2026-11-01T08'):
        load(tmp_path / "corpus.toml", environ={})


@settings(max_examples=200, deadline=None)
@given(
    st.fixed_dictionaries(
        {}, optional={"corpus": JSON, "crawl": JSON, "site": JSON | st.lists(JSON, max_size=3), "y": JSON}
    )
)
def test_any_table_is_either_a_configuration_or_a_config_error(table: dict[str, object]) -> None:
    """No TOML document makes the reader fail in any other way, and what it accepts can be printed."""
    try:
        config = assemble(table, {}, {}, None)
    except ConfigError:
        return
    assert json.loads(json.dumps(config.effective(), allow_nan=False)) == config.effective()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90m", 5400),
        ("2h", 7200),
        ("1h30m", 5400),
        ("1d", 86400),
        ("45 s", 45),
        ("0.5h", 1800),
        ("10min", 600),
        ("0", 0),
    ],
)
def test_times_are_read_with_their_units(text: str, seconds: float) -> None:
    """Alone or put together; of nothing no unit is needed."""
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "2 weeks", "-1h", "1h 30", "١h", "7"])
def test_what_is_no_time_is_refused(text: str) -> None:
    """With an example of what is."""
    with pytest.raises(WrongValueError, match="such as"):
        parse_duration(text)


@pytest.mark.parametrize("setting", ["time_limit = 4", "time_limit = 4.5", "time_limit = -4", "reread = [1, 3]"])
def test_a_number_that_may_be_seconds_hours_or_days_is_refused(tmp_path: Path, setting: str) -> None:
    """Four hours were meant, and the crawl ended after four seconds."""
    file = tmp_path / "corpus.toml"
    file.write_text(f"[crawl]\n{setting}\n")
    with pytest.raises(ConfigError, match="expected a time with its unit"):
        load(file, environ={})
    file.write_text("[crawl]\ntime_limit = 0\n")
    assert load(file, environ={}).crawl.time_limit == 0


def test_ages_are_times_in_a_list(tmp_path: Path) -> None:
    """From the file as texts, from the command line with commas; in any order."""
    file = tmp_path / "corpus.toml"
    file.write_text('[crawl]\nreread = ["3d", "6h"]\n')
    assert load(file, environ={}).schedule().reread == (21600.0, 259200.0)
    assert load(file, environ={}, overrides={"crawl.reread": "1h,2d"}).crawl.reread == (3600.0, 172800.0)


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://www.Báo-Mới.example/", "xn--bo-mi-xqa5384c.example"),
        ("https://ข่าว.example:8080/", "xn--22c8e6a1f.example"),
        ("https://ab.example./", "ab.example"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://[0:0::1]:8080/", "[::1]"),
    ],
)
def test_hosts_have_the_spelling_that_links_have_however_they_are_written(address: str, host: str) -> None:
    """Of a newspaper whose name is written in its own letters no link was followed."""
    model = Config().site_model(SiteSettings(name="x", start=(address,)))
    assert model.hosts == (host,)
    story = parse("/story", base=address)
    assert story is not None
    assert scope_of(model).has(story)


def test_named_hosts_have_the_spelling_that_links_have() -> None:
    site = SiteSettings(name="x", hosts=("www.Báo.example", "ab.example.", "cdn.example"))
    assert Config().site_model(site).hosts == ("xn--bo-mia.example", "ab.example", "cdn.example")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.5281/zenodo.1234567", "10.5281/zenodo.1234567"),
        ("https://doi.org/10.5281/zenodo.1234567", "10.5281/zenodo.1234567"),
        ("doi:10.1000.10/(x)[y];z", "10.1000.10/(x)[y];z"),
        ("zenodo.1234567", ""),
        ("10.5281/", ""),
        ("10.5281/a b", ""),
        ("10.5281/a\n", ""),
    ],
)
def test_a_doi_is_read_alone_and_as_a_link(text: str, expected: str) -> None:
    """A citation file has the DOI alone."""
    assert bare_doi(text) == expected
    assert (doi(text) == "") == bool(expected)
