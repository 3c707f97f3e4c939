"""Former names of commands, options and reasons: they work for one version, and announce today's name."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import click
import pytest

from corpus_spider.cli import former_names
from corpus_spider.cli.app import cli, run
from corpus_spider.cli.former_names import FORMER, Former, Kind
from storage import Corpus
from tests.corpus_spider.cli.commands import verbs
from tests.corpus_spider.running import ROOT
from tests.storage.corpus_samples import Crawl, dropped

if TYPE_CHECKING:
    from pathlib import Path

VERBS = verbs(cli)
OPTIONS = [each for each in FORMER if each.kind is Kind.OPTION]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus of one page without a document."""
    site = "[[site]]\nname = 'a.example'\nstart = ['https://a.example/']\n"
    (tmp_path / "corpus.toml").write_text(f"[corpus]\ncontact = 'me@example.org'\n{site}")
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        Crawl(corpus).visit("", dropped("listing"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("former", OPTIONS, ids=lambda former: f"{former.verb} {former.old}")
def test_a_former_option_becomes_that_of_today(former: Former, capsys: pytest.CaptureFixture[str]) -> None:
    """With its value behind a space or an equals sign; one sentence names the new option, which the command has."""
    for old, new in ([former.old, "x"], [former.new, "x"]), ([f"{former.old}=x"], [f"{former.new}=x"]):
        assert former_names.with_options_of_today(former.verb, ["a", *old]) == ["a", *new]
        assert capsys.readouterr() == ("", f"{former.sentence()}\n")
    names = [name for option in VERBS[former.verb].params if isinstance(option, click.Option) for name in option.opts]
    assert former.new in names
    assert former.old not in names


def test_an_option_of_another_command_and_arguments_after_two_dashes_stay(capsys: pytest.CaptureFixture[str]) -> None:
    """`words --against` is no former name, and what follows ``--`` is no option."""
    for verb, arguments in ("words", ["--against", "rest"]), ("evaluate", ["--", "--against"]):
        assert former_names.with_options_of_today(verb, arguments) == arguments
    assert capsys.readouterr() == ("", "")


def test_a_former_option_works(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command runs with it: here it misses the earlier release that was named."""
    assert run(["export", "-o", "new/", "--since-dump", "none.json"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("The option --since-dump is now --since-release.")
    assert "none.json" in told


def test_a_former_command_and_a_former_reason_work(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the program and of a group of commands; a filter by a reason takes its old name."""
    renamed = (
        Former(Kind.VERB, "rejected", "dropped"),
        Former(Kind.VERB, "find", "discover", "sites"),
        Former(Kind.REASON, "index_page", "listing"),
    )
    monkeypatch.setattr(former_names, "FORMER", renamed)
    assert run(["rejected", "--reason", "index_page"]) == 0
    shown = capsys.readouterr()
    assert "listing\ta.example\thttps://a.example/\t" in shown.out
    assert shown.err.splitlines()[:2] == [renamed[0].sentence(), renamed[2].sentence()]
    assert run(["sites", "find", "--help"]) == 0
    assert capsys.readouterr().err == f"{renamed[1].sentence()}\n"


def test_former_names_go_with_the_version_that_was_announced() -> None:
    """The table has no entry that the present version should no longer know."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    present = tuple(map(int, version.split(".")))[:2]
    assert [each.old for each in FORMER if tuple(map(int, each.until.split("."))) <= present] == []
