"""`help WORD` searches the documentation."""

from __future__ import annotations

import re

import pytest

from corpus_spider.cli.app import cli, run
from corpus_spider.cli.doc_search import MAX_PASSAGES, DocPassage, find, parse, passages, similar
from corpus_spider.cli.options import TASKS
from corpus_spider.exit_codes import REASONS
from corpus_spider.monitoring.model import Sign
from corpus_spider.terminal.vocabulary import SIGNS, THINGS
from storage.fields import FIELDS
from storage.reasons import DROPPED, FAILED
from tests.corpus_spider.running import ROOT

PAGE = """# A title

One sentence of the *first* page, with a [link](other.md). Another
one, about `files`.

<!-- a comment -->

| name | meaning |
| --- | --- |
| `delay` | seconds \\| minutes |

## A part

- An item about sheep.
- A second item.

```console
$ program --option
```
"""


def test_a_page_is_read_as_rows_sentences_and_commands() -> None:
    """Each with the headings above it, and without the marks of Markdown."""
    found = [(each.section, each.text, each.name) for each in parse("docs/a.md", PAGE)]
    assert found == [
        ("A title", "One sentence of the *first* page, with a link.", ""),
        ("A title", "Another one, about files.", ""),
        ("A title", "delay: seconds | minutes", "delay"),
        ("A title > A part", "An item about sheep.", ""),
        ("A title > A part", "A second item.", ""),
        ("A title > A part", "program --option", ""),
    ]


@pytest.mark.parametrize(
    ("words", "page", "text"),
    [
        ("exit 8", "exit-codes", "8: done, but a site or source is failing"),
        ("8", "exit-codes", "8: done, but a site or source is failing"),
        ("exit-code 12", "exit-codes", "12: stopped at a limit"),
        ("paywall", "reasons", "paywall: a page for subscribers"),
        ("PAYWALL", "reasons", "paywall: a page for subscribers"),
        ("--since-release", "commands", "--since-release MANIFEST: "),
        ("crawl --now", "commands", "--now: Fetch every feed"),
    ],
)
def test_a_name_is_found_first_where_a_table_explains_it(words: str, page: str, text: str) -> None:
    """Hyphens, underscores and case make no difference."""
    first = find(words, passages())[0]
    assert first.page == f"docs/reference/{page}.md"
    assert first.text.startswith(text)


LINGUISTS_WORDS = (
    *(
        "KWIC",
        "concordance",
        "CQL",
        "CQP",
        "n-gram",
        "keyness",
        "keyword",
        "collocation",
        "collocate",
        "sample",
        "thin",
    ),
    *("subcorpus", "clusters", "wordlist", "lexical bundles", "sketch engine", "CQPweb", "AntConc", "reference corpus"),
)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("sudo", "how-to/operate"),
        ("dumps", "how-to/back-up"),
        ("dump", "reference/vocabulary"),
        ("upgrade", "how-to/upgrade"),
        ("restore", "how-to/back-up"),
        ("docker", "how-to/containers"),
        ("compose", "how-to/containers"),
        ("alert", "how-to/alerts"),
        ("failing site", "how-to/monitoring"),
        ("cron", "how-to/crawling"),
        ("systemd", "reference/commands"),
        ("wheel", "how-to/install"),
        ("diacritics", "how-to/search"),
        ("licence", "reference/fields"),
        ("copyright", "explanation/politeness"),
        ("takedown", "how-to/maintenance"),
        ("robots.txt", "explanation/politeness"),
        ("proxy", "reference/commands"),
        ("duplicate", "explanation/duplicates"),
        ("segmenter", "how-to/write-an-extractor"),
        ("token", "reference/vocabulary"),
        ("wal", "how-to/upgrade"),
        ("postgres", "how-to/back-up"),
        ("user_agent", "reference/settings"),
        ("date_zone", "reference/fields"),
        ("NOT_CRAWLED", "how-to/monitoring"),
        ("representative", "reference/vocabulary"),
        *((word, "how-to/other-programs") for word in LINGUISTS_WORDS),
    ],
)
def test_words_of_operators_and_linguists_lead_to_pages(words: str, page: str) -> None:
    """Plurals too, and words of which only the beginning is typed."""
    assert f"docs/{page}.md" in {each.page for each in find(words, passages())}


def test_every_name_of_the_program_is_found() -> None:
    """Fields, reasons, signs, exit codes and words of the vocabulary, each as the name of a row."""
    names = {*(each.name for each in FIELDS), *DROPPED, *FAILED, *map(str, Sign), *map(str, REASONS), *THINGS}
    known = passages()
    assert [name for name in names if name not in {each.name for each in find(name, known)}] == []
    assert set(SIGNS) == {str(sign) for sign in Sign}


@pytest.mark.parametrize("title", ["reasons", "exit-codes", "exit codes", "fields", "settings", "vocabulary"])
def test_the_name_of_a_page_of_the_reference_lists_all_rows_of_its_tables(title: str) -> None:
    """`help reasons` prints what the page of the reference has."""
    found = find(title, passages())
    page = f"docs/reference/{title.replace(' ', '-')}.md"
    assert found == [each for each in passages() if each.page == page and each.name]
    assert len(found) > 10


def test_pages_of_the_reference_name_a_command_that_prints_the_same() -> None:
    """The command stands before the tables."""
    named = [
        word
        for path in (ROOT / "docs/reference").glob("*.md")
        for word in re.findall(r"corpus-spider help ([\w -]+)", path.read_text("utf-8").partition("<!--")[0])
    ]
    assert len(named) >= 8
    assert [word for word in named if not find(word, passages())] == []


def test_every_page_is_in_the_index_and_searched() -> None:
    """But the list of pages itself, and the fields of --json, which `schema` prints."""
    listed = set(re.findall(r"^\| \[.*?\]\((.*?\.md)\) \|", (ROOT / "docs/index.md").read_text("utf-8"), re.MULTILINE))
    pages = {each.relative_to(ROOT / "docs").as_posix() for each in (ROOT / "docs").rglob("*.md")}
    assert listed == pages - {"index.md"}
    assert {each.page.removeprefix("docs/") for each in passages()} == listed - {"reference/json.md"}


def test_a_common_word_gives_some_passages_of_each_page() -> None:
    found = find("corpus", passages())
    assert len(found) == MAX_PASSAGES
    assert len({each.page for each in found}) >= 5


def test_a_whole_word_comes_before_one_that_begins_so() -> None:
    """Only with all words; numbers are whole."""
    known = [
        DocPassage("a", "T", "behind walls"),
        DocPassage("a", "T", "the WAL of a database"),
        DocPassage("a", "T", "81"),
    ]
    assert find("wal", known) == [known[1], known[0]]
    assert find("wal nothing", known) == find("8", known) == find("--", known) == []


@pytest.mark.parametrize(
    ("word", "expected"), [("payw4ll", "paywall"), ("usr_agent", "user_agent"), ("upgrdaed", "upgrade")]
)
def test_an_unknown_word_suggests_words_of_names_and_headings(word: str, expected: str) -> None:
    assert expected in similar(word, passages())


def test_help_prints_passages_and_the_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`help sites check` begins with the help of the command; `help` alone is that of the program."""
    assert run(["help", "exit", "8"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["# Documentation", "section\ttext\tpage"]
    assert lines[2] == "Exit codes\t8: done, but a site or source is failing\tdocs/reference/exit-codes.md"
    assert run(["help", "sites", "check"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Usage: corpus-spider sites check [OPTIONS] [SITE]...")
    assert "docs/reference/commands.md" in shown
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
