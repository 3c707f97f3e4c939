"""All names of the program with their meaning: commands, options, settings, fields, reasons, signs, exit codes, words.

Each entry is made from the definition of its name, as are the pages of the reference. Pages of the documentation are
entries too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CLOSE = 80.0
"""Least similarity of a spelling, in per cent of `rapidfuzz.fuzz.ratio`."""
NEAR, NEAREST = 60.0, 3
"""The same for words that are suggested, and their number at most."""
SIMILAR = 3.0
"""Least rank of a similar spelling. Names and beginnings rank better."""
MOST = 20
PAGE = "page"
LISTS = {
    "commands": "command",
    "settings": "setting",
    "fields": "field",
    "reasons": "reason",
    "signs": "sign",
    "exit codes": "exit code",
    "vocabulary": "word",
}
"""Kind of the entries that each word lists."""
COMMON = frozenset({"--config", "--set", "--verbose", "--quiet"})
"""Options of all commands. They are listed once, as options of the program."""
COMMANDS, SETTINGS, FIELDS_PAGE, REASONS_PAGE, EXIT_CODES, VOCABULARY = (
    f"docs/reference/{name}.md" for name in ("commands", "settings", "fields", "reasons", "exit-codes", "vocabulary")
)


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """A name of the program. ``page``: the page of the documentation that explains it."""

    kind: str
    name: str
    meaning: str
    page: str


def entries(program: click.Group) -> list[GlossaryEntry]:
    """Return all names of the program."""
    from corpus_spider.cli.pages import PAGES
    from corpus_spider.config import sections
    from corpus_spider.exit_codes import REASONS
    from corpus_spider.terminal.reasons import DROPPED, FAILED
    from corpus_spider.terminal.vocabulary import SIGNS, THINGS
    from storage.fields import FIELDS

    own = (option for option in program.params if isinstance(option, click.Option))
    found = [GlossaryEntry("option", option.opts[-1], option.help or "", COMMANDS) for option in own]
    found += _of_commands(program, "")
    for (section,) in map(get_args, get_args(sections.Section)):
        title = (section.__doc__ or "").partition(":")[0].replace("``", "")
        found += [
            GlossaryEntry("setting", f"{title} {name}", key.explanation, SETTINGS)
            for name, key in sections.keys(section).items()
        ]
    found += [GlossaryEntry("field", each.name, each.note.meaning, FIELDS_PAGE) for each in FIELDS]
    found += [GlossaryEntry("reason", name, meaning, REASONS_PAGE) for name, meaning in (DROPPED | FAILED).items()]
    found += [GlossaryEntry("sign", name, meaning, VOCABULARY) for name, meaning in SIGNS.items()]
    found += [GlossaryEntry("exit code", str(code), meaning, EXIT_CODES) for code, meaning in REASONS.items()]
    found += [GlossaryEntry("word", word, meaning, VOCABULARY) for word, (meaning, _) in THINGS.items()]
    for address, (title, topic, words) in PAGES.items():
        found.append(GlossaryEntry(PAGE, title, topic, f"docs/{address}.md"))
        found += [GlossaryEntry(PAGE, word, f"{title}: {topic}", f"docs/{address}.md") for word in words]
    return found


def _of_commands(group: click.Group, path: str) -> Iterator[GlossaryEntry]:
    """Yield the commands of a group, and their options except the common ones."""
    for name, command in group.commands.items():
        whole = f"{path}{name}"
        yield GlossaryEntry("command", whole, command.get_short_help_str(200), COMMANDS)
        if isinstance(command, click.Group):
            yield from _of_commands(command, f"{whole} ")
            continue
        for option in command.params:
            if isinstance(option, click.Option) and option.opts[-1] not in COMMON:
                yield GlossaryEntry("option", f"{whole} {option.opts[-1]}", option.help or "", COMMANDS)


def all_of(text: str, known: Sequence[GlossaryEntry]) -> list[GlossaryEntry]:
    """Return the entries of the kind that a word lists, such as ``reasons``; none for another word. Pure."""
    return [entry for entry in known if entry.kind == LISTS.get(" ".join(_words(text)))]


def find(text: str, known: Sequence[GlossaryEntry], most: int = MOST) -> list[GlossaryEntry]:
    """Return the entries whose name has this word, a word that begins so, or one of a similar spelling, best first.

    If no name has it or begins so, the entries whose meaning has it come instead of similar spellings. The command that
    has another name for the word comes first. Pages come last, each once. Pure.
    """
    from corpus_spider.cli.pages import VERBS

    wanted = _words(text)
    verb = VERBS.get(" ".join(wanted))
    ranked = sorted(
        ((rank, entry) for entry in known if (rank := _rank(wanted, _words(entry.name))) is not None),
        key=lambda each: each[0],
    )
    pages = {entry.page: entry for rank, entry in reversed(ranked) if entry.kind == PAGE and rank < SIMILAR}
    others = [(rank, entry) for rank, entry in ranked if entry.kind != PAGE]
    if not others or others[0][0] >= SIMILAR:
        told = f" {' '.join(wanted)} "
        meant = [each for each in known if each.kind != PAGE and told in f" {' '.join(_words(each.meaning))} "]
        others = [(0.0, entry) for entry in meant] if meant or pages else ranked
    first = [entry for entry in known if entry.kind == "command" and entry.name == verb]
    names = [*first, *(entry for _, entry in others if entry not in first)]
    last = list(pages.values())[::-1]
    return names[: most - len(last)] + last


def near(text: str, known: Sequence[GlossaryEntry]) -> list[str]:
    """Return words of names that are a little like this one, best first. Pure."""
    from rapidfuzz import fuzz, process

    words = {word: None for entry in known for word in _words(entry.name)}
    found = process.extract("".join(_words(text)), list(words), scorer=fuzz.ratio, score_cutoff=NEAR, limit=NEAREST)
    return [word for word, _, _ in found]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _rank(wanted: Sequence[str], name: Sequence[str]) -> float | None:
    """Return how well a name fits, 0 for the same name; None if it does not."""
    from rapidfuzz import fuzz

    if not wanted or not name:
        return None
    if wanted == name:
        return 0.0
    parts = [name[place : place + len(wanted)] for place in range(max(1, len(name) - len(wanted) + 1))]
    for place, part in enumerate(parts):
        if " ".join(part).startswith(" ".join(wanted)):
            return 1.0 + (part != wanted) + place / 10 + len(name) / 100
    best = max(fuzz.ratio("".join(wanted), "".join(part)) for part in parts)
    return SIMILAR + (100 - best) / 100 if best >= CLOSE else None
