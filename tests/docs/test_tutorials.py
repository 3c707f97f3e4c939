"""The tutorials: each command is run, and its output is what the page shows."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
tutorials = importlib.import_module("tutorials")
PAGES = [page for page in sorted((ROOT / "docs" / "tutorial").glob("*.md")) if page.stem != "getting-started"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_a_reader_of_the_tutorial_sees_what_it_shows(page: Path) -> None:
    """All commands in order, in a terminal, with the bundled newspapers. Mend with tools/tutorials.py --write."""
    text = page.read_text(encoding="utf-8")
    assert len(tutorials.steps(text)) > 10
    assert "\n".join(tutorials.differences(tutorials.follow(text))) == ""


def test_the_commands_of_a_page_are_those_of_its_console_blocks() -> None:
    """Each with the lines below it. Other blocks are no commands."""
    page = "```console\n$ one\nfirst\nsecond\n^C\n$ two\n```\ntext\n```toml\n$ no command\n```\n"
    assert [(step.command, step.output) for step in tutorials.steps(page)] == [
        ("one", ("first", "second")),
        ("^C", ()),
        ("two", ()),
    ]


@pytest.mark.parametrize(
    ("written", "shown", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "…"], ["a", "b", "c"], True),
        (["…", "c"], ["a", "b"], False),
        (["run at 2026-11-26T14:24:28+0000"], ["run at 2030-01-01T00:00:00+0000"], True),
        (["date 2026-09-24T16:40:00+07:00"], ["date 2026-09-25T16:40:00+07:00"], False),
        (["site  12.5 KiB  7"], ["site   2.0 MiB  10"], True),
        (["documents  9"], ["documents  10"], False),
    ],
)
def test_only_times_and_sizes_may_differ(written: list[str], shown: list[str], same: bool) -> None:
    """A line of three dots stands for any lines."""
    assert tutorials.agree(tuple(written), tuple(shown)) is same


@pytest.mark.parametrize(
    ("sent", "lines"),
    [
        ("one\r\ntwo\r\n", ("one", "two")),
        ("\x1b[?25l\r\x1b[2K1 page\r\x1b[2K20 pages\r\n\x1b[?25h\r\x1b[1A\x1b[2Kdone\r\n", ("done",)),
        ("\x1b[1mbold\x1b[0m\r\n\r\n", ("bold",)),
    ],
)
def test_the_screen_is_what_is_left_in_the_end(sent: str, lines: tuple[str, ...]) -> None:
    """Progress that was overwritten is not part of it, nor are colours."""
    assert tutorials.screen(sent) == lines


def test_pages_may_be_fetched_in_any_order() -> None:
    """A busy machine fetched two pages the other way round."""
    dropped, words = tutorials.steps("```console\n$ corpus-spider dropped\na\nb\n$ corpus-spider words\na\nb\n```\n")
    assert [tutorials.is_shown(step, ("b", "a")) for step in (dropped, words)] == [True, False]
    assert not tutorials.is_shown(dropped, ("b",))


def test_new_output_is_written_below_its_command() -> None:
    """Output that is the same except for the time stays as it is."""
    page = "```console\n$ one\n2026-11-26 14:24 a\n$ two\nold\n```\n"
    first, second = tutorials.steps(page)
    shown = [(first, ("2030-01-01 00:00 a",)), (second, ("new", "newer"))]
    assert tutorials.rewritten(page, shown) == "```console\n$ one\n2026-11-26 14:24 a\n$ two\nnew\nnewer\n```\n"
