"""Each command and each corpus.toml in README.md and docs/ is one that the program accepts."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from corpus_spider.cli.app import cli
from corpus_spider.cli.options import PROGRAM, CommonOptions
from corpus_spider.config.loader import assemble
from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
IDS = [page.relative_to(ROOT).as_posix() for page in PAGES]
sys.path.insert(0, str(ROOT / "docs"))
tables = importlib.import_module("tables")
SECTIONS = {re.findall(r"[a-z.]+", section.__doc__)[0] for section in tables.all_sections()}
SIGNS = frozenset("|;&<>()")
FENCE = re.compile(r"^( *)```([\w-]*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Return the command lines of the program in a page: in blocks, and in code type within sentences."""
    found = []
    for _, language, body in FENCE.findall(text):
        if language in {"console", "", "sh", "bash"}:
            found += [line.strip().removeprefix("$ ") for line in body.splitlines() if is_command(line, language)]
    found += re.findall(rf"`({PROGRAM} [^`\n]+)`", FENCE.sub("", text))
    return found


def is_command(line: str, language: str) -> bool:
    """Return whether a line of a block is a command. Other lines of a console block are output."""
    return line.strip().startswith("$ ") if language == "console" else PROGRAM in line


def runs(line: str) -> Iterator[list[str]]:
    """Yield the arguments of each run of the program in a line of the shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    for start, (before, word) in enumerate(zip(["", *words], words, strict=False)):
        # A path to the program is a run of it where a command stands. Elsewhere it is a folder of the same name.
        if word != PROGRAM and not (word.endswith(f"/{PROGRAM}") and set(before) <= SIGNS):
            continue
        run = words[start + 1 :]
        ends = [place for place, word in enumerate(run) if set(word) <= SIGNS]
        arguments = run[: ends[0]] if ends else run
        # The number of a stream belongs to the sign behind it.
        yield arguments[:-1] if ends and run[ends[0]] == ">" and arguments[-1:] == ["2"] else arguments


@pytest.fixture
def any_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or folder of an example need not exist."""
    monkeypatch.setattr(click.Path, "convert", lambda _self, value, _param, _context: Path(value))


def refusal(arguments: list[str]) -> str:
    """Return the error of a command line, as the program reports it; empty if it is accepted."""
    state = CommonOptions()
    try:
        context = cli.make_context(PROGRAM, list(arguments), obj=state)
        name, command, rest = cli.resolve_command(context, context._protected_args + context.args)
        while isinstance(command, click.Group):
            context = command.make_context(name, rest, parent=context)
            name, command, rest = command.resolve_command(context, context._protected_args + context.args)
        command.make_context(name, rest, parent=context)
        for key, value in state.overrides.items():
            assemble({}, {key: value}, {}, None)
    except click.exceptions.Exit:
        return ""
    except (click.ClickException, CorpusError) as error:
        return str(getattr(error, "message", error))
    return ""


@pytest.mark.usefixtures("any_file")
@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_the_program_accepts_each_command_of_a_page(page: Path) -> None:
    """Verb, options, their values and the number of arguments. Words in capitals such as VERB stand for others."""
    wrong = {
        line: message
        for line in commands(page.read_text(encoding="utf-8"))
        for arguments in runs(line)
        if not (arguments and arguments[0].isupper()) and (message := refusal(arguments))
    }
    assert wrong == {}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_the_options_of_a_verb_in_a_sentence_exist(page: Path) -> None:
    """What is written as `crawl --now` names a verb and an option of it."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    wrong = []
    for code in re.findall(r"`([a-z]+(?: [a-z]+)? --?[^`\n]+)`", text):
        words = code.split()
        command: click.Command | None = cli.commands.get(words[0])
        if isinstance(command, click.Group):
            command = command.commands.get(words[1])
        if command is None:
            continue
        known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
        wrong += [code for word in words if word.startswith("--") and word.split("=")[0] not in known]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_the_program_accepts_each_corpus_toml_of_a_page(page: Path) -> None:
    """Tables of corpus.toml have known keys with valid values. A part without [corpus] or a name gets them."""
    for _, language, body in FENCE.findall(page.read_text(encoding="utf-8")):
        table: dict[str, Any] = tomllib.loads(body) if language == "toml" else {}
        if any(name in SECTIONS and not isinstance(value, str) for name, value in table.items()):
            for number, site in enumerate(table.get("site", ())):
                table["site"][number] = {"name": f"site-{number}", "start": ["https://news.example.org/"]} | site
            assemble(table, {}, {}, page.parent / "corpus.toml")


@pytest.mark.usefixtures("any_file")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("corpus-spider crawl --now", ""),
        ("corpus-spider -c a/b crawl --site one --site two 2> log", ""),
        ("corpus-spider export -o - | head", ""),
        ("make setup && .venv/bin/corpus-spider demo --json", ""),
        ("corpus-spider crawl --nowhere", "--nowhere"),
        ("corpus-spider crwl", "crwl"),
        ("corpus-spider crawl --page-limit many", "'many' is not a valid integer range."),
        ("corpus-spider crawl -s crawl.dealy=5", "crawl.dealy"),
    ],
)
def test_a_command_that_the_program_refuses_is_found(line: str, message: str) -> None:
    """By the message that a user would get."""
    [arguments] = runs(line)
    assert message in refusal(arguments)
    assert bool(message) == bool(refusal(arguments))


def test_a_folder_with_the_name_of_the_program_is_no_command() -> None:
    """As the environment that `python3 -m venv` makes."""
    assert list(runs("python3 -m venv ~/corpus-spider")) == []


def test_the_reference_is_that_of_the_program() -> None:
    """A checkout shows the tables; after a change write them with tools/reference_pages.py."""
    assert [page.name for page in PAGES if tables.expand(text := page.read_text(encoding="utf-8")) != text] == []
