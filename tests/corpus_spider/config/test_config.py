"""Configuration: layers, checks, and errors that name the key."""

from __future__ import annotations

import json
import os
import re
from cProfile import Profile
from pathlib import Path

import pytest

from corpus_spider.config.loader import load
from corpus_spider.config.model import Config, masked
from corpus_spider.config.sections import CorpusSettings, CrawlSettings, RuleSettings, SiteSettings, keys
from corpus_spider.config.selections import selection_of
from storage import Corpus as Storage
from storage.documents.selection import Selection
from storage.errors import ConfigError
from storage.records import Kind, SiteRules

MINIMAL = """
[corpus]
name = "test"
contact = "me@example.org"

[[site]]
name = "example"
start = ["https://news.example.org/"]
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "corpus.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refused(text: str, folder: Path, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(write(folder, text), environ=environ)
    return str(caught.value)


def test_a_minimal_file_gives_the_documented_defaults(tmp_path: Path) -> None:
    """What a user does not write has the default of the documentation."""
    config = load(write(tmp_path, MINIMAL), environ={})
    crawl = config.crawl
    assert (crawl.delay, crawl.concurrency, crawl.per_host, crawl.timeout) == (2.0, 32, 1, 60)
    assert (crawl.max_body, crawl.page_memory, crawl.roll_bytes) == (10 * 2**20, 2 * 2**30, 2**30)
    assert crawl.verify_certificates
    assert crawl.allow_private == ()
    assert config.workers >= 1
    assert config.sites[0].extractor == "auto"


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        (["paper.example"], ["e.paper.example", "m.e.paper.example"], ("e.paper.example", "m.e.paper.example")),
        (["paper.example"], ["apaper.example", "paper.example.org", "other.example"], ()),
        (["paper.example", "e.paper.example"], ["e.paper.example", "f.e.paper.example"], ("f.e.paper.example",)),
        ([], ["e.paper.example"], ()),
    ],
)
def test_subdomains_that_are_sites_of_their_own_are_elsewhere(
    own: list[str], others: list[str], expected: tuple[str, ...]
) -> None:
    """Only whole labels count, at any depth, and the own hosts of a site are never elsewhere."""
    sites = tuple(SiteSettings(name=f"site-{number}", hosts=(host,)) for number, host in enumerate(others))
    mine = SiteSettings(name="mine", hosts=tuple(own))
    assert Config(sites=(mine, *sites)).site_model(mine).elsewhere == expected
    assert Config(sites=(mine,), others=sites).site_model(mine).elsewhere == expected


def test_the_work_per_site_does_not_grow_with_the_number_of_sites(tmp_path: Path) -> None:
    """Ten times as many sites make ten times as many function calls from the file to the site models, within 20 %."""

    def calls(count: int) -> int:
        sites = (f'[[site]]\nname = "s{n}"\nstart = ["https://s{n}.example/"]\n' for n in range(count))
        file = write(tmp_path, "".join(sites))
        profile = Profile()
        profile.enable()
        config = load(file, environ={})
        models = [config.site_model(site) for site in config.sites]
        profile.disable()
        assert len(models) == count == len(config.schedule().rules)
        return sum(entry.callcount for entry in profile.getstats())

    calls(1)  # Some modules and tables are loaded at their first use.
    assert calls(400) < 12 * calls(40)


def test_command_line_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    """Each layer overrides the one below it, key by key."""
    file = write(tmp_path, MINIMAL + "[crawl]\ndelay = 3\nretries = 4\nmin_chars = 5\n")
    environ = {"CORPUS_SPIDER_CRAWL_DELAY": "6", "CORPUS_SPIDER_CRAWL_RETRIES": "7"}
    crawl = load(file, overrides={"crawl.delay": "8.5"}, environ=environ).crawl
    assert (crawl.delay, crawl.retries, crawl.min_chars, crawl.backlog) == (8.5, 7, 5, 2000)


@pytest.mark.parametrize(
    ("variable", "text", "section", "key", "expected"),
    [
        ("CORPUS_SPIDER_CORPUS_LANGUAGES", "vi, ar", "corpus", "languages", ("vi", "ar")),
        ("CORPUS_SPIDER_CORPUS_LANGUAGES", '["vi", "ar"]', "corpus", "languages", ("vi", "ar")),
        ("CORPUS_SPIDER_CORPUS_LANGUAGES", "[]", "corpus", "languages", ()),
        ("CORPUS_SPIDER_CRAWL_MAX_BODY", "2 MiB", "crawl", "max_body", 2 * 2**20),
        ("CORPUS_SPIDER_CRAWL_VERIFY_CERTIFICATES", "false", "crawl", "verify_certificates", False),
        (
            "CORPUS_SPIDER_CRAWL_ALLOW_PRIVATE",
            "127.0.0.1:* [::1]:80",
            "crawl",
            "allow_private",
            ("127.0.0.1:*", "::1:80"),
        ),
        ("CORPUS_SPIDER_CRAWL_ALLOW_PRIVATE", "[::1]:80", "crawl", "allow_private", ("::1:80",)),
        ("DATABASE_URL", "postgresql://me@db/corpus", "corpus", "database", "postgresql://me@db/corpus"),
    ],
)
def test_texts_of_the_environment_become_values(
    tmp_path: Path, variable: str, text: str, section: str, key: str, expected: object
) -> None:
    """Numbers, truth values, lists and sizes can be given by the environment."""
    config = load(write(tmp_path, MINIMAL), environ={variable: text})
    assert getattr(getattr(config, section), key) == expected


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("delay", "x", 'expected a number, got "x"'),
        ("delay", "-1", 'expected a number of at least 0, got "-1"'),
        ("concurrency", "1.5", 'expected a whole number, got "1.5"'),
        ("verify_certificates", "maybe", 'expected true or false, got "maybe"'),
        ("page_memory", "1 kB", 'expected a size of at least 256 MiB, got "1 kB"'),
    ],
)
def test_texts_that_are_no_values_are_shown(tmp_path: Path, key: str, text: str, expected: str) -> None:
    """The environment and -s are answered with what was written, not with its type."""
    assert expected in refused(MINIMAL, tmp_path, **{f"CORPUS_SPIDER_CRAWL_{key.upper()}": text})
    with pytest.raises(ConfigError, match=re.escape(f"command line: crawl.{key}: {expected}")):
        load(write(tmp_path, MINIMAL), overrides={f"crawl.{key}": text}, environ={})


def test_what_is_no_toml_is_named_with_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the file was given, the message says where it lies."""
    write(tmp_path, "[crawl\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=re.escape(f"{tmp_path / 'corpus.toml'}: is not TOML")):
        load(Path("corpus.toml"), environ={})


def test_names_and_values_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    """Neither database nor run could keep them: a crawl in a folder named in Latin-1 was an internal error."""
    folder = tmp_path / os.fsdecode(b"b\xe1o")
    folder.mkdir()
    with pytest.raises(ConfigError, match="the path is not valid UTF-8"):
        load(write(folder, MINIMAL), environ={})
    assert "expected text in UTF-8" in refused(MINIMAL, tmp_path, CORPUS_SPIDER_CORPUS_NAME=os.fsdecode(b"b\xe1o"))


def test_our_own_variable_beats_database_url(tmp_path: Path) -> None:
    """The specific variable wins over the one that every program reads."""
    environ = {"CORPUS_SPIDER_CORPUS_DATABASE": "sqlite:///mine.db", "DATABASE_URL": "postgresql://db/other"}
    assert load(write(tmp_path, MINIMAL), environ=environ).corpus.database == "sqlite:///mine.db"


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    """CORPUS_SPIDER_CONFIG stands for --config."""
    file = write(tmp_path, MINIMAL)
    assert load(environ={"CORPUS_SPIDER_CONFIG": str(file)}).path == file.resolve()


def test_a_folder_stands_for_the_file_in_it(tmp_path: Path) -> None:
    """Whether it is named by --config or by the environment."""
    file = write(tmp_path, MINIMAL)
    assert load(tmp_path, environ={}).path == file.resolve()
    assert load(environ={"CORPUS_SPIDER_CONFIG": str(tmp_path)}).path == file.resolve()
    file.unlink()
    with pytest.raises(ConfigError, match=r"corpus\.toml"):
        load(tmp_path, environ={})


def test_without_any_file_the_message_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting in an empty folder points to init."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="corpus-spider init"):
        load(environ={})


def test_relative_paths_belong_to_the_folder_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the program is started makes no difference to where the corpus lies."""
    file = write(tmp_path, MINIMAL)
    monkeypatch.chdir("/")
    config = load(file, environ={})
    assert config.database_url == f"sqlite:///{tmp_path}/corpus.db"
    assert config.warc_folder == tmp_path / "warc"
    absolute = load(file, overrides={"corpus.database": "sqlite:////srv/c.db", "corpus.warc": "/srv/w"}, environ={})
    assert (absolute.database_url, absolute.warc_folder) == ("sqlite:////srv/c.db", Path("/srv/w"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[crwal]\n", "crwal: there is no such section (did you mean crawl?)"),
        ("[crawl]\ndealy = 1\n", "crawl.dealy: there is no such key (did you mean delay?)"),
        ("[crawl]\nobey_robots = false\n", "crawl.obey_robots: there is no such key"),
        ('[crawl]\ndelay = "slow"\n', "crawl.delay: expected a number, got a text in quotes"),
        ("[crawl]\ndelay = -1\n", "crawl.delay: expected a number of at least 0, got -1"),
        ("[crawl]\ndelay = nan\n", "crawl.delay: expected a number"),
        ("[crawl]\ntimeout = inf\n", "crawl.timeout: expected a number of at most 3600, got inf"),
        ("[crawl]\npage_timeout = 0\n", "crawl.page_timeout: expected a number of more than 0, got 0"),
        ("[crawl]\nconcurrency = 1.5\n", "crawl.concurrency: expected a whole number, got 1.5"),
        ('[crawl]\npage_memory = "1 MiB"\n', 'crawl.page_memory: expected a size of at least 256 MiB, got "1 MiB"'),
        ("[crawl]\nroll_bytes = 1\n", "crawl.roll_bytes: expected a size of at least 1 MiB, got 1"),
        ('[crawl]\nmax_body = "9999 TiB"\n', 'crawl.max_body: expected a size of at most 1024 TiB, got "9999 TiB"'),
        ('[crawl]\nmax_body = "1 PiB"\n', 'expected a size such as "10 MiB" or "5 GB", got "1 PiB"'),
        ("[crawl]\nverify_certificates = 1\n", "crawl.verify_certificates: expected true or false, got 1"),
        ('[crawl]\nmax_body = "ten"\n', 'crawl.max_body: expected a size such as "10 MiB" or "5 GB", got "ten"'),
        ('[crawl]\nallow_private = ["127.0.0.1"]\n', 'crawl.allow_private[0]: expected "host:port"'),
        ('[crawl]\nlanguage_backend = "py3langid"\n', "crawl.language_backend: there is no such key"),
        ("crawl = 3\n", "crawl: expected a [crawl] table"),
        ('[corpus]\nlanguages = ["vi", 3]\n', "corpus.languages[1]: expected a text in quotes, got a whole number"),
        ('[corpus]\nlanguages = "vi"\n', "corpus.languages: expected a list, got a text in quotes"),
        ('[corpus]\nlanguages = ["vn"]\n', "corpus.languages[0]: expected a language code"),
        ('[corpus]\nlanguages = ["vn"]\n', "(did you mean vi?)"),
        (
            "[crawl]\nsince = 2026-11-01T08:00:00\n",
            'crawl.since: expected a day such as "2026-11-20", got "2026-11-01T08',
        ),
        ('[corpus]\nwarc = "wa\\u0000rc"\n', "corpus.warc: expected the name of a file or folder, without NUL"),
        ('[corpus]\ndatabase = "sqlite:///a\\u0000"\n', "corpus.database: expected sqlite:///FILE or"),
        ('[crawl]\nbrowser = "\\u0000"\n', "crawl.browser: expected the name of a file or folder"),
        ('[corpus]\ncontact = "me"\n', "corpus.contact: expected an e-mail address or the URL"),
        ('[corpus]\ncontact = "a@b.c\\nEvil: 1"\n', "corpus.contact: expected an e-mail address or the URL"),
        ('[corpus]\ndatabase = "mysql://x"\n', "corpus.database: expected sqlite:///FILE or postgresql://"),
        ('[corpus]\ndatabase = "sqlite://"\n', "corpus.database: expected sqlite:///FILE or postgresql://"),
        ('[corpus]\nuser_agent = "bot"\ncontact = "a@b.cd"\n', 'corpus.user_agent: must contain the contact "a@b.cd"'),
        ('[corpus]\nuser_agent = "bot\\r\\nX: y"\n', "corpus.user_agent: expected printable ASCII"),
        ("site = 3\n", "site: expected [[site]] tables"),
        ('[site]\nname = "x"\n', "site: expected [[site]] tables"),
        ('[[site]]\nstart = ["http://a.b/"]\n', "site[0]: name is missing"),
        ('[[site]]\nname = "x"\n', "site[0] (x): expected at least one of start, feeds, sitemaps"),
        ('[[site]]\nname = "A b"\nstart = ["http://a.b/"]\n', "site[0].name (A b): expected lower-case letters"),
        (
            '[[site]]\nname = "x"\nfeed = ["http://a.b/"]\n',
            "site[0].feed (x): there is no such key (did you mean feeds?)",
        ),
        (
            '[[site]]\nname = "x"\nstart = ["ftp://a.b/"]\n',
            "site[0].start[0] (x): expected a URL that begins with http",
        ),
        (
            '[[site]]\nname = "x"\nstart = ["https:///a"]\n',
            "site[0].start[0] (x): expected a URL that begins with http",
        ),
        ('[[site]]\nname = "x"\nstart = ["http://a:b@c/"]\n', "site[0].start[0] (x): expected a URL without user name"),
        ('[[site]]\nname = "x"\nstart = ["http://a:99999/"]\n', "site[0].start[0] (x): expected a URL"),
        ('[[site]]\nname = "x"\nstart = ["http://[::1/"]\n', "site[0].start[0] (x): expected a URL"),
        ('[[site]]\nname = "x"\nstart = [""]\n', "site[0].start[0] (x): expected a non-empty text"),
        ('[[site]]\nname = "x"\nallow = ["("]\n', 'site[0].allow[0] (x): expected a regular expression, got "("'),
        (
            '[[site]]\nname = "x"\ntimezone = "Asia/Teheran"\n',
            'expected a time zone such as "Asia/Tehran", got "Asia/Teheran" (did you mean Asia/Tehran?)',
        ),
        ('[[site]]\nname = "x"\ntimezone = "GMT"\n', 'got "GMT" (did you mean Etc/GMT?)'),
        ('[[site]]\nname = "x"\nhosts = ["http://a"]\n', "site[0].hosts[0] (x): expected a host"),
        (
            '[[site]]\nname = "x"\n[site.rules]\ncontent = "div["\n',
            'site[0].rules.content (x): expected a CSS selector, got "div[" (unknown or incomplete after "div")',
        ),
        (
            '[[site]]\nname = "x"\n[site.rules]\nbody = "div"\n',
            "site[0].rules.body (x): there is no such key",
        ),
        (
            '[[site]]\nname = "x"\n[site.rules]\nlicence = "CC0"\n',
            "site[0].rules.licence (x): this key of [[site]] belongs above [site.rules]",
        ),
        (
            '[[site]]\nname = "x"\n[site.rules]\nremove = [".a"]\n',
            "site[0].rules.remove (x): expected a text in quotes, got a list",
        ),
        ('[[site]]\nname = "x"\nrules = 3\n', "site[0].rules (x): expected a [site.rules] table below its [[site]]"),
        ("[crawl\n", "is not TOML"),
        ("[corpus]\nname = 1\nname = 2\n", "at line 3"),
        ("[log]\n[log]\nkeep = 3\n", "under its first heading"),
    ],
)
def test_a_wrong_value_is_named_with_its_key_and_what_was_expected(tmp_path: Path, text: str, expected: str) -> None:
    """Every mistake is answered with the file, the key and what it should have been."""
    message = refused(text, tmp_path)
    assert expected in message
    assert str(tmp_path / "corpus.toml") in message


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    """Five mistakes take one run to find, not five."""
    text = MINIMAL + '[[site]]\nname = "example"\nallow = ["("]\n[crawl]\nx = 1\ndelay = "a"\n'
    message = refused(text, tmp_path)
    assert message.count("\n") == 6
    for part in ("5 errors", "same name", "at least one of", "allow[0]", "crawl.x", "crawl.delay"):
        assert part in message


def test_a_misspelt_variable_is_not_silently_ignored(tmp_path: Path) -> None:
    """A setting of ours that does not exist is an error in the environment too."""
    message = refused(MINIMAL, tmp_path, CORPUS_SPIDER_CRAWL_DEALY="1")
    assert "$CORPUS_SPIDER_CRAWL_DEALY: there is no such setting (did you mean CORPUS_SPIDER_CRAWL_DELAY?)" in message


def test_a_password_never_stands_in_an_error(tmp_path: Path) -> None:
    """A database that is refused is not echoed."""
    assert "hunter2" not in refused(MINIMAL, tmp_path, DATABASE_URL="mysql://me:hunter2@db/x")
    assert "hunter2" not in refused('[[site]]\nname = "x"\nstart = ["http://me:hunter2@a/"]\n', tmp_path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A missing file and a file in another encoding say so."""
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "none.toml", environ={})
    (tmp_path / "corpus.toml").mkdir()
    with pytest.raises(ConfigError, match="Is a directory"):
        load(tmp_path, environ={})
    (tmp_path / "latin.toml").write_bytes(b'[corpus]\nname = "\xe9"\n')
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(tmp_path / "latin.toml", environ={})


def test_a_file_saved_by_a_windows_editor_is_read(tmp_path: Path) -> None:
    """A byte order mark and CRLF line ends are no mistake."""
    file = tmp_path / "corpus.toml"
    file.write_bytes(b"\xef\xbb\xbf" + MINIMAL.replace("\n", "\r\n").encode())
    assert load(file, environ={}).sites[0].name == "example"


def test_a_crawl_needs_somebody_who_answers_for_it(tmp_path: Path) -> None:
    """Without a contact require_contact refuses; with one it stands in the user agent."""
    Config(corpus=CorpusSettings(contact="me@example.org")).require_contact()
    with pytest.raises(ConfigError, match=r"corpus\.contact is missing"):
        Config().require_contact()
    assert "(+me@example.org)" in load(write(tmp_path, MINIMAL), environ={}).user_agent


def test_seeds_are_the_addresses_of_the_sites_each_once() -> None:
    """Start pages, feeds and sitemaps become seeds of their kind, in canonical form, without repetition."""
    site = SiteSettings(
        name="x",
        start=("https://news.example.org/", "https://NEWS.example.org:443/#top"),
        feeds=("https://news.example.org/rss",),
        sitemaps=("https://news.example.org/sitemap.xml",),
    )
    seeds = Config(sites=(site,)).seeds()
    assert [seed.kind for seed in seeds] == [Kind.PAGE, Kind.FEED, Kind.SITEMAP]
    assert {(seed.site, seed.host) for seed in seeds} == {("x", "news.example.org")}


def test_the_site_model_holds_the_rules_and_its_version_follows_its_content() -> None:
    """Hosts come without www, languages from the site or the corpus, and any change gives another version."""
    site = SiteSettings(name="x", start=("https://www.example.org/",), hosts=("cdn.example.net",), p=8, allow=("/a/",))
    config = Config(corpus=CorpusSettings(languages=("vi",)), sites=(site,))
    model = config.site_model(site)
    assert model.hosts == ("example.org", "cdn.example.net")
    assert (model.languages, model.parameters, model.allow) == (("vi",), (("p", 8),), ("/a/",))
    assert model.version == config.site_model(site).version
    assert model.version != Config(sites=(site,)).site_model(site).version
    own = SiteSettings(name="y", start=site.start, language="ar", languages=("en", "ar"))
    assert config.site_model(own).languages == ("ar", "en")


def test_rules_are_read_and_change_the_version_of_the_site_model(tmp_path: Path) -> None:
    """They are part of the effective configuration. A site without rules keeps its version."""
    plain = load(write(tmp_path, MINIMAL), environ={})
    ruled = load(write(tmp_path, f'{MINIMAL}[site.rules]\ncontent = "div.body"\nremove = ".ad, .box"\n'), environ={})
    versions = [config.site_model(config.sites[0]).version for config in (plain, ruled)]
    assert versions[0] != versions[1]
    assert ruled.site_model(ruled.sites[0]).rules == SiteRules(content="div.body", remove=".ad, .box")
    assert ruled.effective()["site"][0]["rules"] == {"content": "div.body", "remove": ".ad, .box"}
    assert "rules" not in plain.effective()["site"][0]


def test_a_site_below_another_keeps_its_hosts_for_itself_also_when_one_alone_is_crawled() -> None:
    """A newspaper that links to its edition in English took its articles, and threw them out for their language."""
    paper = SiteSettings(name="paper", start=("https://www.paper.example/",))
    edition = SiteSettings(name="edition", start=("https://e.paper.example/",), feeds=("https://feeds.example/e.xml",))
    another = SiteSettings(name="another", start=("https://paper.example.org/",))
    config = Config(sites=(paper, edition, another))
    for chosen in (config, config.only(("paper",)), config.only(("paper", "another")).only(("paper",))):
        assert chosen.site_model(paper) == config.site_model(paper)
        assert chosen.schedule().rules["paper"] == config.schedule().rules["paper"]
    assert config.site_model(paper).elsewhere == ("e.paper.example",)
    assert config.site_model(edition).elsewhere == config.site_model(another).elsewhere == ()
    assert config.schedule().rules["another"] == Config(sites=(another,)).schedule().rules["another"]
    same = SiteSettings(name="same", start=("https://paper.example/sport",), hosts=("e.paper.example",))
    assert Config(sites=(paper, edition, same)).site_model(same).elsewhere == ()


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://vi.demo.localhost:8400/a", "vi"),
        ("https://www.paper.example/a", "paper"),
        ("https://m.paper.example:8443/a", "paper"),
        ("https://other.example/a", None),
        ("no address", None),
    ],
)
def test_the_site_of_a_url_has_its_host_on_any_port(url: str, name: str | None) -> None:
    """`rules try` and `extract` found no site for an address with a port, such as those of the demo."""
    sites = (
        SiteSettings(name="vi", start=("http://vi.demo.localhost:8400/",)),
        SiteSettings(name="paper", start=("https://paper.example/",)),
    )
    found = Config(sites=sites).site_at(url)
    assert (found and found.name) == name


def test_sites_are_chosen_by_name_and_a_wrong_name_is_answered_with_the_nearest() -> None:
    """--site picks sites; a misspelt one is not an empty crawl."""
    config = Config(sites=(SiteSettings(name="vnexpress"), SiteSettings(name="tuoitre")))
    assert [site.name for site in config.only(("tuoitre",)).sites] == ["tuoitre"]
    assert config.only(()) == config
    with pytest.raises(ConfigError, match="did you mean vnexpress"):
        config.only(("vnexpres",))


@pytest.mark.parametrize("name", ["why?", "100%25", "a%41b", "q?x=1&y#z", "a@b:c", "tên\nmới", ";"])
def test_the_database_is_in_its_folder_of_any_name(tmp_path: Path, name: str) -> None:
    """What would mean something in a URL is part of a name in a path."""
    folder = tmp_path / name
    folder.mkdir()
    config = load(write(folder, MINIMAL), environ={})
    with pytest.raises(ConfigError, match="no corpus yet"):
        config.require_corpus()
    Storage.open(config.database_url, create=True).close()
    assert (folder / "corpus.db").is_file()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    config.require_corpus()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://me:s3cret@db/corpus", "postgresql://me:***@db/corpus"),
        ("postgresql://me:s3@cr:et@db/corpus", "postgresql://me:***@db/corpus"),
        (
            "postgresql+psycopg://me:s3cret@db:5432/c?sslmode=require",
            "postgresql+psycopg://me:***@db:5432/c?sslmode=require",
        ),
        ("postgresql://db/c?user=me&password=s3cret", "postgresql://db/c?user=me&password=***"),
        ("postgresql://me:s3/cret@db/c", "postgresql://me:***@db/c"),
        ("postgresql://me@db/c", "postgresql://me@db/c"),
        ("sqlite:////srv/a:b@c/corpus.db", "sqlite:////srv/a:b@c/corpus.db"),
    ],
)
def test_the_database_password_is_masked(url: str, expected: str) -> None:
    """What is printed or stored of a database URL holds no password."""
    assert masked(url) == expected


def test_the_effective_configuration_is_plain_json_without_the_password(tmp_path: Path) -> None:
    """What is stored with a run says all and betrays nothing."""
    environ = {"DATABASE_URL": "postgresql://me:hunter2@db/corpus"}
    effective = load(write(tmp_path, MINIMAL), environ=environ).effective()
    text = json.dumps(effective)
    assert "hunter2" not in text
    assert set(effective["crawl"]) == set(keys(CrawlSettings))
    assert set(effective["corpus"]) == set(keys(CorpusSettings))
    assert effective["site"] == [{"name": "example", "start": ["https://news.example.org/"], "extractor": "auto"}]


@pytest.mark.parametrize("section", [CorpusSettings, CrawlSettings, SiteSettings, RuleSettings])
def test_every_key_is_explained_in_one_sentence(section: type[CorpusSettings]) -> None:
    """No key without an explanation."""
    assert all(key.explanation.endswith(".") for key in keys(section).values())


@pytest.mark.parametrize(
    ("table", "selected"),
    [
        ("[selection.spring]\nsince = '2026-03'\nuntil = '2026-05'", Selection(since="2026-03-01", until="2026-05-31")),
        ("[selection.'bầu-cử']\nlanguage = 'vi'\nsite = ['a', 'b']", Selection(("vi",), ("a", "b"))),
        ("[selection.part]\nsample = '10%'\nwithout_mixed = true", Selection(sample=(0.0, 10.0), without_mixed=True)),
        ("[selection.empty]", Selection()),
    ],
)
def test_a_selection_has_a_name_in_the_file(tmp_path: Path, table: str, selected: Selection) -> None:
    """In any script, and `config` shows it with the keys of the file."""
    (tmp_path / "corpus.toml").write_text(table, encoding="utf-8")
    config = load(tmp_path, environ={})
    [(name, found)] = config.selections.items()
    assert found == selected
    assert selection_of(config.effective()["selection"][name]) == selected


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("selection = 'x'", "selection: expected a name, such as [selection.election]"),
        ("[selection]\nsite = 'a'", "selection: expected a name, such as [selection.election]"),
        ("[selection.x]\nsitee = 'a'", 'selection.x.sitee: there is no filter "sitee" (did you mean site?)'),
        ("[selection.x]\nselection = 'y'", 'selection.x.selection: there is no filter "selection"'),
        ("[selection.x]\nlanguage = 'Vietnamese'", "selection.x.language: "),
        ("[selection.x]\nsince = '2026-05'\nuntil = '2026-03'", "selection.x.since: 2026-05-01 is after until"),
        ("[selection.x]\nsite = ''", "selection.x.site: expected a name, got an empty text"),
        ("[selection.x]\nmin_chars = -1", "selection.x.min_chars: expected a whole number"),
        ("[selection.'a b']", "selection.a b: expected a name without spaces"),
        ("[selections.x]", "selections: there is no such section (did you mean selection?)"),
    ],
)
def test_a_wrong_selection_is_named_with_its_key(tmp_path: Path, table: str, expected: str) -> None:
    """Together with all other errors of the file."""
    (tmp_path / "corpus.toml").write_text(f"{table}\n[crawl]\nx = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, environ={})
    assert expected in str(caught.value)
    assert "crawl.x: there is no such key" in str(caught.value)


def test_from_the_folder_above_a_corpus_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the folder that init made, and does not advise to make another."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="there is no") as refused:
        load(environ={})
    assert "corpus-spider init" in refused.value.do
    for name in ("vi news", "zz"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "corpus.toml").touch()
    with pytest.raises(ConfigError, match="there is no") as refused:
        load(environ={})
    assert "add -c 'vi news/corpus.toml' (or one of 1 more), or change to that folder" in refused.value.do
