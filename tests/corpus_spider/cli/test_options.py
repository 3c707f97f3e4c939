"""Options of all commands: one name has one form, one meaning and one style of help."""

from __future__ import annotations

import re
from collections import defaultdict

import click
import pytest

from corpus_spider.cli.app import cli, run
from corpus_spider.cli.options import DayParameter, several
from tests.corpus_spider.cli.commands import verbs

VERBS = verbs(cli)
OPTIONS = {
    (verb, parameter.opts[-1]): parameter
    for verb, command in VERBS.items()
    for parameter in command.params
    if isinstance(parameter, click.Option)
}
WITH_COMMAS = {
    "--set": "values of settings",
    "--url": "URLs",
    "--url-pattern": "patterns",
    "--author": "names such as Nguyen, An",
}
"""Options that are only repeated, because these of their values contain commas."""
SINGLE = {
    ("extract", "--extractor"),
    ("plot", "--extractor"),
    ("process", "--extractor"),
    ("extract", "--url"),
    ("plot", "--url"),
    ("remove", "--reason"),
    ("rules try", "--site"),
    ("rules try", "--url"),
}
"""Options that some commands take once, because they read each page once or store one sentence."""
OF_RULES = {("rules try", "--remove")}
"""Options named as keys of `[site.rules]`. Other commands have options of these names with another meaning."""
FORMS = {
    "--site": {"NAME", "NAME|URL"},
    "--reason": {"NAME", "TEXT"},
    "--against": {"SELECTION", "RELEASE"},
    "--format": {"NAME"},
    "--from": {"FILE", "cc-news|FILE|URL"},
}
"""Forms of values where they are not the same for each command: `init` knows newspapers, `remove` stores a sentence,
`dedup` compares with a release, `import` reads from servers."""


def kind(option: click.Option) -> str:
    """Return the kind of value. One of a list of names is a name, and a whole number is a number."""
    if option.is_flag:
        return "flag"
    known = (click.Path, "path"), (click.DateTime, "time"), ((click.types.IntParamType, click.IntRange), "number")
    known += ((click.FloatRange, "number"),)
    return next((word for types, word in known if isinstance(option.type, types)), "text")


def of_name(name: str) -> list[tuple[str, click.Option]]:
    return [(verb, option) for (verb, each), option in OPTIONS.items() if each == name and (verb, name) not in OF_RULES]


SHARED = sorted({name for _, name in OPTIONS if len(of_name(name)) > 1})


@pytest.mark.parametrize("name", SHARED)
def test_an_option_has_one_form_in_all_commands(name: str) -> None:
    """Its kind of value, the word for the value and its short name are the same."""
    options = [option for _, option in of_name(name)]
    kinds = {kind(option) for option in options} - ({"text"} if name in {"--output", "--from"} else set())
    assert len(kinds) == 1, kinds
    assert {option.metavar for option in options} <= FORMS.get(name, {options[0].metavar})
    assert len({tuple(option.opts) for option in options}) == 1


@pytest.mark.parametrize("name", SHARED)
def test_an_option_takes_several_values_everywhere_or_nowhere(name: str) -> None:
    """Commands that need one value are listed above."""
    found = defaultdict(list)
    for verb, option in of_name(name):
        if (verb, name) not in SINGLE:
            found[option.multiple].append(verb)
    assert len(found) == 1, dict(found)


@pytest.mark.parametrize(
    ("verb", "name"), sorted(key for key, option in OPTIONS.items() if option.multiple and key[1] not in WITH_COMMAS)
)
def test_an_option_with_several_values_takes_commas_and_says_so(verb: str, name: str) -> None:
    """Repeating it and separating its values by commas give the same."""
    option = OPTIONS[verb, name]
    assert (option.help or "").endswith("; repeatable, or separated by commas.")
    assert option.callback is not None
    context = click.Context(VERBS[verb])
    assert option.callback(context, option, ("a, b", "c")) == option.callback(context, option, ("a", "b", "c"))


@pytest.mark.parametrize("name", sorted({name for _, name in OPTIONS}))
def test_help_is_sentences(name: str) -> None:
    """It begins with a capital letter and ends with a full stop, or with the default. It has no code."""
    for verb, option in of_name(name):
        text = option.help or ""
        assert text[:1].isupper(), verb
        assert "='" not in text, verb
        assert text.endswith(".") or re.search(r"\. \[default[^]]*\]$", text), verb


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("vnexpress,tuoitre",), ("vnexpress", "tuoitre")),
        (("https://a.example/1,2,3",), ("https://a.example/1,2,3",)),
        (("vnexpress,https://a.example/1,2", "b"), ("vnexpress", "https://a.example/1,2", "b")),
        (("https://a.example/,https://b.example/",), ("https://a.example/", "https://b.example/")),
        (("",), ("",)),
    ],
)
def test_commas_separate_values_but_not_parts_of_a_url(given: tuple[str, ...], expected: tuple[str, ...]) -> None:
    """A comma in a URL separates only before another URL. An empty value stays, so that it can be refused."""

    @click.command
    @several("--site", "sites", "NAME|URL", "Sites")
    def command(sites: tuple[str, ...]) -> tuple[str, ...]:
        return sites

    arguments = [part for value in given for part in ("--site", value)]
    assert command.main(arguments, standalone_mode=False) == expected


@pytest.mark.parametrize(
    ("is_last", "text", "day"),
    [
        (False, "2026-02", "2026-02-01"),
        (False, "2026-02-03", "2026-02-03"),
        (True, "2026-02", "2026-02-28"),
        (True, "2024-02", "2024-02-29"),
        (True, "2026-12", "2026-12-31"),
        (True, "2026-02-03", "2026-02-03"),
        (False, "2024", "2024-01-01"),
        (True, "2024", "2024-12-31"),
    ],
)
def test_a_month_is_its_first_day_since_and_its_last_day_until(is_last: bool, text: str, day: str) -> None:
    """--since 2026-02 and --until 2026-02 are the whole of the month, and so with a year."""
    assert f"{DayParameter(is_last=is_last).convert(text, None, None):%Y-%m-%d}" == day


def test_a_day_that_cannot_be_is_refused_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """The message shows a day and a month."""
    assert run(["crawl", "--since", "yesterday"]) == 2
    assert "a day such as 2026-11-20, a month such as 2026-11, or a year" in " ".join(capsys.readouterr().err.split())
