"""What is not documented does not exist: README.md mentions every verb, every option and every setting."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from corpus_spider.cli import cli
from corpus_spider.sections import Archive, Corpus, Crawl, Notify, Site, keys
from pipelines.folds import FOLDS
from storage.exports import FORMATS
from storage.exports.rows import FIELDS

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def readme() -> str:
    """The text of README.md."""
    return README.read_text(encoding="utf-8")


def verbs(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    """Return every verb, those of groups with the group's name before theirs."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found |= (
            verbs(command, f"{prefix}{name} ") if isinstance(command, click.Group) else {f"{prefix}{name}": command}
        )
    return found


VERBS = verbs(cli)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_is_documented(readme: str, verb: str) -> None:
    """README.md shows each verb as a command."""
    assert re.search(rf"corpus-spider (-\S+ \S+ )*{verb}\b", readme)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_option_is_documented(readme: str, verb: str) -> None:
    """README.md mentions each option of each verb by its long name."""
    options = [one for one in VERBS[verb].params if isinstance(one, click.Option)]
    names = [name for one in options for name in one.opts if name.startswith("--")]
    assert [name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", readme)] == []


@pytest.mark.parametrize("section", [Corpus, Crawl, Archive, Notify, Site])
def test_every_setting_is_documented(readme: str, section: type[Corpus]) -> None:
    """README.md names each key of corpus.toml in code type."""
    assert [name for name in keys(section) if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13])
def test_every_exit_code_is_documented(readme: str, code: int) -> None:
    """README.md has a row for each exit code."""
    assert re.search(rf"^\| *`?{code}`? *\|", readme, re.MULTILINE)


def test_every_field_of_an_export_is_documented(readme: str) -> None:
    """README.md names each field of an exported document in code type."""
    assert [field.name for field in FIELDS if f"`{field.name}`" not in readme] == []


@pytest.mark.parametrize(("option", "names"), [("--format", FORMATS), ("--fold", FOLDS)])
def test_the_help_of_export_names_all_there_are(option: str, names: tuple[str, ...]) -> None:
    """Every format and every fold, and no other: written out, as their modules take long to load."""
    (told,) = (one.help or "" for one in VERBS["export"].params if isinstance(one, click.Option) and option in one.opts)
    assert told.partition(": ")[2].removesuffix(".").split(", ") == list(names)
