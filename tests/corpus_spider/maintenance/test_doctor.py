"""`corpus-spider doctor`: each check judges facts, and the verb runs them on real corpora."""

from __future__ import annotations

import json
import resource
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli.app import run
from corpus_spider.config.loader import load
from corpus_spider.maintenance import doctor, library_versions
from corpus_spider.maintenance.doctor import Check, Level, Machine
from storage import Corpus
from storage.database.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from pathlib import Path

    from corpus_spider.config.model import Config

TOML = "[corpus]\ncontact = 'me@example.org'\n[[site]]\nname = 'a'\nstart = ['http://localhost/']\nlanguage = 'th'\n"
NEEDED = library_versions.parsed(
    ["lxml>=6.1", "icu4py>=1.2; extra == 'segment'", "jinja2>=3; extra == 'web'"], ["segment", "web"]
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus without documents, which is the current folder."""
    (tmp_path / "corpus.toml").write_text(TOML)
    Corpus.open(tmp_path / "corpus.db", create=True).close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def config(home: Path) -> Config:
    """The configuration of that corpus."""
    return load(home / "corpus.toml", environ={})


def checks(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    """Return the checks of the JSON that was written."""
    return {each["name"]: each for each in json.loads(capsys.readouterr().out)["checks"]}


@pytest.mark.parametrize(("version", "expected"), [((3, 10), Level.WRONG), ((3, 11), Level.WELL), ((4, 0), Level.WELL)])
def test_python_must_be_new_enough(version: tuple[int, ...], expected: Level) -> None:
    assert doctor.python(version).verdict is expected


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ({"lxml": "6.1.0"}, Level.WELL),
        ({"lxml": "6.0.9"}, Level.WRONG),
        ({"lxml": "6.10rc1"}, Level.WELL),
        ({"lxml": "6.1.1rc1"}, Level.WELL),
        ({"lxml": "6.1rc1"}, Level.WRONG),
        ({"lxml": "6.1+local"}, Level.WELL),
        ({"lxml": "unknown"}, Level.WRONG),
        ({}, Level.WRONG),
    ],
)
def test_libraries_must_have_their_bounds(versions: dict[str, str], expected: Level) -> None:
    """Numbers are compared as numbers. A missing library is wrong, and so is the candidate of a release."""
    (found,) = doctor.libraries(NEEDED, versions)
    assert found.verdict is expected
    assert bool(found.advice) is (expected is Level.WRONG)


def test_the_installed_libraries_are_well() -> None:
    """This very environment has all that the program requires."""
    (found,) = doctor.libraries(library_versions.requirements(), library_versions.installed())
    assert (found.verdict, "all 3" in found.detail) == (Level.WELL, True), found


def test_an_upper_bound_counts_and_other_pythons_do_not() -> None:
    """The needed versions are named."""
    needed = library_versions.parsed(["driver>=1,<2", "corpus-spider[web]", "old>=1; python_version < '3.9'"], [])
    assert [each.name for each in needed] == ["driver"]
    assert library_versions.lacking(needed, {"driver": "1.9"}) == []
    assert library_versions.lacking(needed, {"driver": "2.0"}) == ["driver is 2.0, needed is <2,>=1"]
    assert library_versions.lacking(needed, {"driver": "0.9"}) == ["driver is 0.9, needed is <2,>=1"]


def test_a_program_without_metadata_is_a_warning() -> None:
    assert doctor.libraries([], {})[0].verdict is Level.WARNING


def test_extras_must_be_there_if_the_corpus_uses_them(config: Config) -> None:
    """Thai needs a segmenter; nothing needs the web page."""
    found = doctor.extras(NEEDED, {"jinja2": "3.1"}, config)
    assert found.verdict is Level.WARNING
    assert found.advice == 'Install them: pip install "corpus-spider[segment]"'
    assert doctor.extras(NEEDED, {"icu4py": "1.2"}, config).verdict is Level.WELL
    assert doctor.extras(NEEDED, {}, None).detail.endswith("Not installed and not used: segment, web")


@pytest.mark.parametrize(
    ("free", "files", "expected"),
    [(50, 1, Level.WELL), (3, 1, Level.WARNING), (0, 1, Level.WRONG), (50, 0, Level.WRONG)],
)
def test_the_disk_must_have_room(tmp_path: Path, free: int, files: int, expected: Level) -> None:
    """For bytes above the reserve, and for files."""
    machine = Machine(time.time(), free * 2**30, 100 * 2**30, files)
    assert doctor.disk(machine, 2**30, tmp_path).verdict is expected


@pytest.mark.parametrize(
    ("now", "newest", "expected"),
    [(0.0, 0.0, Level.WRONG), (1.8e9, 1.8e9 + 60, Level.WELL), (1.8e9, 1.8e9 + 7200, Level.WARNING)],
)
def test_the_clock_must_not_be_behind(now: float, newest: float, expected: Level) -> None:
    """Neither behind the release of the program nor behind the files of the corpus."""
    assert doctor.clock(now, newest).verdict is expected


@pytest.mark.parametrize(
    ("zone", "expected"),
    [("", Level.WELL), ("Asia/Bangkok", Level.WELL), ("<+07>-7", Level.WELL), ("Asia/Bangkock", Level.WARNING)],
)
def test_an_unknown_time_zone_is_a_warning(zone: str, expected: Level) -> None:
    """The system would take UTC without a word."""
    assert doctor.time_zone({"TZ": zone}).verdict is expected


@pytest.mark.parametrize(
    ("hard", "expected"),
    [(resource.RLIM_INFINITY, Level.WELL), (10**6, Level.WELL), (256, Level.WARNING), (20, Level.WRONG)],
)
def test_open_files_must_suffice(config: Config, hard: int, expected: Level) -> None:
    """A crawl raises the soft limit, so only the hard one counts."""
    assert doctor.file_limits(config, (16, hard)).verdict is expected


def test_a_sound_corpus_is_well(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, and no name is looked up without --network."""
    assert run(["doctor", "--json"]) == 0
    found = checks(capsys)
    assert {each["verdict"] for each in found.values()} <= {"well", "warning", "not checked"}
    assert (found["network"]["verdict"], found["journal"]["detail"]) == ("not checked", "WAL")
    assert found["database"]["detail"].endswith(f"schema {SCHEMA_VERSION}")
    assert run(["doctor", "--network", "--json"]) == 0
    assert checks(capsys)["network"]["detail"] == "the name localhost is resolved"


def test_a_folder_without_a_corpus_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The installation is checked all the same."""
    monkeypatch.chdir(tmp_path)
    assert run(["doctor", "--json"]) == 0
    found = checks(capsys)
    assert (found["corpus.toml"]["verdict"], "database" in found) == ("not checked", False)


def test_a_wrong_configuration_is_reported_with_what_to_do(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "corpus.toml").write_text("[corpus\n")
    assert run(["doctor"]) == 2
    assert "corpus.toml\twrong\t" in capsys.readouterr().out
    (home / "corpus.toml").write_text(TOML.replace("contact", "#"))
    assert run(["doctor", "-q"]) == 2
    assert capsys.readouterr().out.count("\n") == 3


def test_a_damaged_database_is_wrong(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each error of the database has its own exit code."""
    (home / "corpus.db").write_bytes(b"no database" * 1000)
    code = run(["doctor", "--json"])
    found = checks(capsys)["database"]
    assert (found["verdict"], code) == ("wrong", int(found["exit_code"]))
    assert code in {4, 6}


def test_another_journal_mode_is_a_warning(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(home / "corpus.db")) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    assert run(["doctor", "--json"]) == 0
    assert checks(capsys)["journal"]["verdict"] == "warning"


def test_no_password_is_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a database that cannot be reached: the address is shown without it."""
    for url in ("postgresql://me:s3cret@127.0.0.1:1/news", "postgresql://127.0.0.1:1/news?password=s3cret&user=me"):
        assert run(["doctor", "-s", f"corpus.database={url}"]) == 4
        reported = capsys.readouterr()
        assert "database\twrong\t" in reported.out
        assert "s3cret" not in reported.out + reported.err


def test_the_exit_code_is_that_of_the_first_wrong_check() -> None:
    """Warnings do not count."""
    found = [Check("a", Level.WARNING, "", exit_code=4), Check("b", Level.WRONG, "", exit_code=3)]
    assert doctor.exit_code([*found, Check("c", Level.WRONG, "", exit_code=2)]) == 3
    assert doctor.exit_code(found[:1]) == 0


def test_the_folders_of_the_log_file_and_the_metrics_must_exist(home: Path) -> None:
    """A warning with the command that makes the folder; nothing about files that are not set."""
    text = f"{TOML}[log]\nfile = 'log/news.log'\n[monitor]\nmetrics = 'news.prom'\n"
    (home / "corpus.toml").write_text(text)
    found = {each.name: each for each in doctor.corpus_checks(load(home / "corpus.toml", environ={}))}
    log, metrics = found["log file"], found["metrics"]
    assert (log.verdict, log.advice) == (Level.WARNING, f"Make it: mkdir -p {home}/log")
    assert metrics.verdict is Level.WELL
    (home / "corpus.toml").write_text(TOML)
    names = {each.name for each in doctor.corpus_checks(load(home / "corpus.toml", environ={}))}
    assert not names & {"log file", "metrics"}
