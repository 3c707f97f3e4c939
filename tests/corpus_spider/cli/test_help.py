"""`help WORD` finds every name of the program."""

from __future__ import annotations

import re

import click
import pytest

from corpus_spider.cli.app import cli, run
from corpus_spider.cli.glossary import LISTS, GlossaryEntry, all_of, entries, find, near
from corpus_spider.cli.options import TASKS
from corpus_spider.cli.pages import PAGES, VERBS
from corpus_spider.monitoring.model import Sign
from corpus_spider.terminal.reasons import DROPPED, FAILED
from corpus_spider.terminal.vocabulary import SIGNS, THINGS
from storage.fields import FIELDS
from tests.corpus_spider.cli.commands import verbs
from tests.corpus_spider.running import ROOT

ALL = entries(cli)


def names(word: str) -> list[str]:
    return [f"{each.kind} {each.name}" for each in find(word, ALL)]


def test_every_name_is_an_entry_with_a_meaning_and_a_page() -> None:
    """Commands, options, settings, fields, reasons, signs, exit codes and words; each page exists."""
    for kind, expected in {
        "field": {field.name for field in FIELDS},
        "reason": {*DROPPED, *FAILED},
        "sign": {str(sign) for sign in Sign},
        "word": set(THINGS),
    }.items():
        assert {each.name for each in ALL if each.kind == kind} == expected
    found = {each.name for each in ALL}
    for verb, command in verbs(cli).items():
        assert verb in found
        for option in command.params:
            if isinstance(option, click.Option):
                assert {f"{verb} {option.opts[-1]}", option.opts[-1]} & found
    assert [each for each in ALL if not each.meaning or not (ROOT / each.page).is_file()] == []
    assert set(SIGNS) == {str(sign) for sign in Sign}


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("crawl", "command crawl"),
        ("sites check", "command sites check"),
        ("paywall", "reason paywall"),
        ("pay", "reason paywall"),
        ("payw4ll", "reason paywall"),
        ("date_zone", "field date_zone"),
        ("date-zone", "field date_zone"),
        ("--since-release", "option export --since-release"),
        ("user_agent", "setting [corpus] user_agent"),
        ("usr_agent", "setting [corpus] user_agent"),
        ("revisit", "word record, WARC file"),
        ("8", "exit code 8"),
        ("NOT_CRAWLED", "sign not_crawled"),
        ("representative", "word representative"),
    ],
)
def test_a_word_is_found_by_its_name_its_beginning_or_a_similar_spelling(word: str, first: str) -> None:
    """The best entry comes first. Hyphens, underscores and case make no difference."""
    assert names(word)[0] == first


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("upgrade", ["command migrate", "page Upgrade"]),
        ("restore", ["page restore"]),
        ("backup", ["command backup", "page backup"]),
        ("docker", ["page docker"]),
        ("container", ["page Containers"]),
        ("compose", ["page compose"]),
        ("alert", ["command health", "page Alerts"]),
        ("failing site", ["command health", "page failing site"]),
        ("failing", ["command health", "exit code 8", "page failing site"]),
        ("timer", ["command schedule", "page timer"]),
        ("cron", ["command schedule", "option schedule --cron", "page cron"]),
        ("systemd", ["command schedule", "option schedule --systemd", "page systemd"]),
        ("wheel", ["page wheel"]),
        ("pipx", ["page pipx"]),
        ("marks", ["option extract --marks", "page marks"]),
        ("diacritics", ["page diacritics"]),
        ("licence", ["field licence", "page licence"]),
        ("copyright", ["page copyright"]),
        ("takedown", ["command remove", "page takedown"]),
        ("robots", ["reason robots", "page robots.txt"]),
        ("proxy", ["option serve --behind-proxy", "page proxy"]),
        ("duplicate", ["word duplicate", "page Duplicates"]),
        ("segment", ["page segmentation", "page segmenters"]),
        ("token", ["word token", "page token"]),
        ("wal", ["page wal"]),
        ("postgres", ["page postgresql"]),
    ],
)
def test_words_of_operators_and_linguists_lead_to_commands_and_pages(word: str, expected: list[str]) -> None:
    """A page is found by words that its text has, a command also by another word for what it does."""
    assert [each for each in expected if each not in names(word)] == []


def test_pages_are_those_of_the_index_and_have_the_words_that_lead_to_them() -> None:
    """Title and topic are those of docs/index.md. A word that a page no longer has is found here."""
    rows = re.findall(
        r"^\| \[(.*?)\]\((.*?)\.md\) \| (.*?) \|$", (ROOT / "docs/index.md").read_text("utf-8"), re.MULTILINE
    )
    assert {address: (title, topic) for title, address, topic in rows} == {
        address: (title, topic) for address, (title, topic, _) in PAGES.items()
    }
    for address, (_, _, words) in PAGES.items():
        text = (ROOT / f"docs/{address}.md").read_text("utf-8").casefold()
        assert [word for word in words if not re.search(rf"\b{re.escape(word)}", text)] == [], address
    assert set(VERBS.values()) <= set(cli.commands)


@pytest.mark.parametrize(("word", "kind"), LISTS.items())
def test_the_name_of_a_kind_lists_all_its_names(word: str, kind: str) -> None:
    """`help reasons` prints what the page of the reference has. `exit-codes` is `exit codes` too."""
    assert all_of(word.replace(" ", "-"), ALL) == [each for each in ALL if each.kind == kind] != []


def test_reference_pages_name_a_command_that_prints_the_same() -> None:
    """The command stands before the tables."""
    pages = [path for path in (ROOT / "docs/reference").glob("*.md") if "from code:" in path.read_text("utf-8")]
    assert len(pages) == 6
    for page in pages:
        named = re.findall(r"corpus-spider help ([\w-]+)", page.read_text("utf-8").partition("<!--")[0])
        assert named, page
        assert [word for word in named if not (all_of(word, ALL) or find(word, ALL))] == []


def test_an_unknown_word_suggests_words_of_names() -> None:
    """Words that are less alike than those found by their spelling."""
    assert "upgrade" in near("upgrdaed", ALL)
    assert near("xyzzyq", ALL) == []


def test_a_word_without_a_name_is_found_in_the_meanings() -> None:
    """Whole words only."""
    known = [
        GlossaryEntry("word", "corpus", "the database and the folder", ""),
        GlossaryEntry("word", "host", "one machine", ""),
    ]
    assert find("folder", known) == known[:1]
    assert find("fold", known) == []


def test_help_prints_entries_and_the_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`help sites check` begins with the help of the command; `help` alone is that of the program."""
    assert run(["help", "paywall"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["# Names", "kind\tname\tmeaning\tpage"]
    assert lines[2] == "reason\tpaywall\ta page for subscribers\tdocs/reference/reasons.md"
    assert run(["help", "sites", "check"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Usage: corpus-spider sites check [OPTIONS] [SITE]...")
    assert "option\tsites check --max-age\t" in shown
    assert run(["help"]) == 0
    assert "\nCrawl:\n" in capsys.readouterr().out


def test_the_help_lists_each_command_under_one_task(capsys: pytest.CaptureFixture[str]) -> None:
    """Tasks in their order, each with its commands."""
    assert sorted(name for names in TASKS.values() for name in names) == sorted(cli.commands)
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    begun = [line[:13] for line in lines if line[:2] == "  " and line[2:].split(" ")[0] in cli.commands]
    assert [line.split()[0] for line in begun] == [name for names in TASKS.values() for name in names]
    assert [line[:-1] for line in lines if line[:-1] in TASKS] == list(TASKS)


def test_an_unknown_word_is_an_error_with_a_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and where to look instead."""
    assert run(["help", "xyzzyq"]) == 2
    assert '"xyzzyq"\n  `corpus-spider --help` lists the commands' in capsys.readouterr().err
