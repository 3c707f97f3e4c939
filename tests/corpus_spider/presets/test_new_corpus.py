"""New corpus.toml: it loads, explains itself and never overwrites."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider import presets
from corpus_spider.config.loader import load
from corpus_spider.config.sections import CorpusSettings, CrawlSettings, SiteSettings, keys
from corpus_spider.presets.new_corpus import (
    NewCorpus,
    corpus_name,
    create,
    next_steps,
    render,
    toml,
    unverified,
    without_sources,
)
from storage.errors import ConfigError, DiskError
from tests.corpus_spider.faults import files_of


def new(folder: Path, *languages: str, sites: tuple[str, ...] = ()) -> NewCorpus:
    return NewCorpus(folder, languages, "me@example.org", sites)


@pytest.mark.parametrize("languages", [("vi",), ("ar",), ("vi", "ar"), ("sw",), ()])
def test_the_file_loads_with_the_newspapers_of_its_languages(tmp_path: Path, languages: tuple[str, ...]) -> None:
    """What init writes is a valid configuration with every known newspaper of the languages, and it may crawl."""
    config = load(create(new(tmp_path / "news", *languages)), environ={})
    known = [paper.site.name for language in languages for paper in presets.newspapers(language)]
    assert [site.name for site in config.sites] == known
    assert (config.corpus.name, config.corpus.languages) == ("news", languages)
    config.require_contact()


def test_archives_are_written_but_not_switched_on(tmp_path: Path) -> None:
    """A first crawl reads today's news; the sitemaps of the whole archive wait behind a #."""
    text = render(new(tmp_path, "vi"))
    assert '# sitemaps = ["https://vnexpress.net/sitemap.xml"]' in text
    assert load(create(new(tmp_path / "a", "vi")), environ={}).sites[0].sitemaps == ()


def test_newspapers_can_be_chosen_and_own_ones_given(tmp_path: Path) -> None:
    """--site takes names of known newspapers and addresses of others."""
    file = create(new(tmp_path / "a", "vi", sites=("tuoitre", "https://www.example.org/")))
    sites = load(file, environ={}).sites
    assert [(site.name, site.start) for site in sites] == [
        ("tuoitre", ("https://tuoitre.vn/",)),
        ("example.org", ("https://www.example.org/",)),
    ]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://ข่าว.example/", "xn--22c8e6a1f.example"),
        ("http://www.ዜና.example:8080/", "xn--h1d9l.example"),
        ("https://News_Paper.example.org./", "news-paper.example.org"),
        ("http://[2001:db8::1]/", "2001-db8-1"),
    ],
)
def test_a_newspaper_of_any_host_is_given_a_name(tmp_path: Path, address: str, name: str) -> None:
    """Hosts in letters of their own too: a name has letters, digits, dots and hyphens alone."""
    sites = load(create(new(tmp_path / "a", "vi", sites=(address,))), environ={}).sites
    assert [(site.name, site.start) for site in sites] == [(name, (address,))]


@pytest.mark.parametrize(
    ("sites", "expected"),
    [
        ((), "No newspaper is checked yet ({}). "),
        (("vnexpress",), "No newspaper is checked yet (1). "),
        (("https://www.example.org/",), ""),
    ],
)
def test_init_names_the_newspapers_that_were_never_checked(
    tmp_path: Path, sites: tuple[str, ...], expected: str
) -> None:
    """Their addresses are from public lists. A newspaper given by its address is not among them."""
    reported = unverified(new(tmp_path, "vi", sites=sites))
    assert reported.startswith(expected.format(len(presets.newspapers("vi"))))
    assert bool(reported) == bool(expected)


@pytest.mark.parametrize(
    "given",
    [
        "aljazeera",
        "الجزيرة نت",
        "AL JAZEERA",
        "aljazeera.net",
        "www.aljazeera.net",
        "https://www.aljazeera.net",
        "http://aljazeera.net/",
    ],
)
def test_a_known_newspaper_may_be_called_by_its_title_or_address(tmp_path: Path, given: str) -> None:
    """It is the known one, with its feeds, under each of its names."""
    wanted = new(tmp_path / "a", "ar", sites=(given,))
    file = create(wanted)
    (site,) = load(file, environ={}).sites
    assert (site.name, bool(site.feeds)) == ("aljazeera", True)
    assert next_steps(file, wanted)[0] == "sites check --write"


@pytest.mark.parametrize("language", presets.languages())
def test_no_two_newspapers_of_a_language_share_a_name(language: str, tmp_path: Path) -> None:
    """Each title and address names one newspaper."""
    for paper in presets.newspapers(language):
        for name in (paper.site.name, paper.homepage, paper.title):
            text = render(new(tmp_path, language, sites=(name,)))
            assert f'name = "{paper.site.name}"' in text


def test_newspapers_without_known_sources_are_named(tmp_path: Path) -> None:
    """`sites discover` looks for the feeds of these, and of no other."""
    wanted = new(tmp_path / "a", "vi", sites=("vnexpress", "vov"))
    assert without_sources(wanted) == ["vov"]
    assert next_steps(create(wanted), wanted)[0] == "sites discover vov --write"


def test_an_existing_corpus_is_never_overwritten(tmp_path: Path) -> None:
    """A second init refuses and leaves every byte."""
    file = create(new(tmp_path, "vi"))
    before = file.read_bytes()
    with pytest.raises(ConfigError, match="there is a corpus already"):
        create(new(tmp_path, "ar"))
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (NewCorpus(Path("x"), ("vn",), "me@example.org"), "did you mean vi"),
        (NewCorpus(Path("x"), ("Vietnamese",), "me@example.org"), "did you mean vi"),
        (NewCorpus(Path("x"), ("tiếng việt",), "me@example.org"), "did you mean vi"),
        (NewCorpus(Path("x"), ("vietnamse",), "me@example.org"), "did you mean vi"),
        (NewCorpus(Path("x"), ("فارسی",), "me@example.org"), "did you mean fa"),
        (NewCorpus(Path("x"), ("Dari",), "me@example.org"), "did you mean fa"),
        (NewCorpus(Path("x"), ("Central Kurdish",), "me@example.org"), "did you mean ckb"),
        (NewCorpus(Path("x"), ("gibberish",), "me@example.org"), 'such as "vi" or "ar", got "gibberish"'),
        (NewCorpus(Path("x"), ("vi",), "nobody"), "corpus.contact"),
        (NewCorpus(Path("x"), ("vi",), "me@example.org", ("vnexpres",)), "did you mean vnexpress"),
        (NewCorpus(Path("x"), ("vi",), "me@example.org", ("ftp://a.b/",)), "site[0].start[0]"),
        (NewCorpus(Path("x"), (), "me@example.org", ("vnexpress",)), "Add --language vi."),
        (NewCorpus(Path("x"), ("fa", "ur"), "me@example.org", ("VOA",)), 'no newspaper "VOA" is known'),
    ],
)
def test_wrong_wishes_are_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: NewCorpus, expected: str
) -> None:
    """A mistake leaves no folder behind."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        create(wanted)
    assert expected in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_disk_error(tmp_path: Path) -> None:
    """A file in the way is named with its path."""
    (tmp_path / "file").write_text("")
    with pytest.raises(DiskError, match="file"):
        create(new(tmp_path / "file" / "news", "vi"))


def test_a_full_disk_leaves_nothing_that_the_next_try_would_find(tmp_path: Path) -> None:
    """The beginning of a file stayed, and the next `init` said that there is a corpus already."""
    with files_of(100), pytest.raises(DiskError, match="may not grow any further"):
        create(new(tmp_path / "news", "vi"))
    assert create(new(tmp_path / "news", "vi")).is_file()


@pytest.mark.parametrize("section", [CorpusSettings, CrawlSettings, SiteSettings])
def test_every_key_stands_in_the_file_with_its_explanation(tmp_path: Path, section: type[CorpusSettings]) -> None:
    """The file is its own reference."""
    text = render(new(tmp_path, "vi"))
    for name, key in keys(section).items():
        assert re.search(rf"^(# )?{name} = ", text, re.MULTILINE), name
        assert key.explanation in text


def test_the_comments_are_values_that_work(tmp_path: Path) -> None:
    """Taking every # of the [crawl] section and of the example away gives the defaults and a valid site."""
    text = render(new(tmp_path, "sw"))
    opened = re.sub(r"^# (?=\w+ = |\[\[site|\[site)", "", text, flags=re.MULTILINE).replace('user_agent = ""\n', "")
    file = tmp_path / "corpus.toml"
    file.write_text(opened, encoding="utf-8")
    config = load(file, environ={})
    assert config.crawl == CrawlSettings()
    assert '\n# reread = ["1d", "3d"]  #' in text
    assert config.sites[0].licence == "CC BY 4.0"


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("news", "news"), ("Báo Điện Tử 2026", "bao-dien-tu-2026"), ("صحف", "corpus"), ("-x-", "x"), ("a.b_c", "a.b-c")],
)
def test_the_corpus_is_named_after_its_folder(folder: str, expected: str) -> None:
    """Letters that a file name cannot be sure of are written plainly."""
    assert corpus_name(Path(folder)) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30))
def test_every_text_survives_being_written_as_toml(text: str) -> None:
    """Quotes, backslashes and control characters come back as they were."""
    assert tomllib.loads(f"x = {toml([text])}")["x"] == [text]
