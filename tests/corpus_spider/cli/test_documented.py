"""README.md and docs/ document every verb, option, setting, exit code and field, and their links lead somewhere."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import click
import pytest

from corpus_spider.cli.app import cli
from corpus_spider.config.sections import (
    ArchiveSettings,
    CorpusSettings,
    CrawlSettings,
    LogSettings,
    MonitorSettings,
    NotifySettings,
    PluginSettings,
    RuleSettings,
    SiteSettings,
    keys,
)
from corpus_spider.exit_codes import REASONS
from pipelines.text.folds import FOLDS
from storage.exports import FORMATS
from storage.fields import FIELDS
from tests.corpus_spider.cli.commands import verbs

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "docs"))
tables = importlib.import_module("tables")
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


@pytest.fixture(scope="module")
def manual() -> str:
    """The text of README.md and of the pages of docs/ that people write. The reference of commands has all of them."""
    pages = (page.read_text(encoding="utf-8") for page in PAGES if page.name != "commands.md")
    return "\n".join(pages)


VERBS = verbs(cli)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_is_documented(manual: str, verb: str) -> None:
    """The manual shows each verb as a command."""
    assert re.search(rf"corpus-spider (-\S+ \S+ )*{verb}\b", manual)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_option_is_documented(manual: str, verb: str) -> None:
    """The manual mentions each option of each verb by its long name."""
    options = [one for one in VERBS[verb].params if isinstance(one, click.Option)]
    names = [name for one in options for name in one.opts if name.startswith("--")]
    assert [name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", manual)] == []


@pytest.mark.parametrize(
    "section",
    [
        CorpusSettings,
        CrawlSettings,
        ArchiveSettings,
        NotifySettings,
        LogSettings,
        MonitorSettings,
        PluginSettings,
        SiteSettings,
        RuleSettings,
    ],
)
def test_every_setting_is_documented(manual: str, section: type[CorpusSettings]) -> None:
    """The manual names each key of corpus.toml in code type."""
    assert [name for name in keys(section) if f"`{name}`" not in manual] == []


def rows_of(section: type[CorpusSettings]) -> dict[str, str]:
    """Return the keys of a section in configuration.md with their defaults, as the page writes them."""
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    title = (section.__doc__ or "").split("``")[1]
    lines = re.split(r"\n##", page.partition(f"## `{title}`\n")[2])[0].splitlines()
    cells = [line.split(" | ") for line in lines if line.startswith("| `")]
    return {name: row[1].strip("`") for row in cells for name in re.findall(r"`([a-z_]+)`", row[0])}


@pytest.mark.parametrize("section", list(tables.all_sections()), ids=lambda section: section.__name__)
def test_the_page_of_the_configuration_has_the_keys_and_defaults_of_the_program(section: type[CorpusSettings]) -> None:
    """It explains each key once more, so no key may be missing or too many, and no number may differ."""
    rows = rows_of(section)
    assert rows.keys() == keys(section).keys()
    numbers = {name: value for name, value in rows.items() if re.fullmatch(r"[\d.]+( [KMG]iB)?|true|false", value)}
    assert numbers == {name: tables.default_of(section, name).strip('`"') for name in numbers}


@pytest.mark.parametrize("code", sorted(REASONS))
def test_every_exit_code_is_documented(manual: str, code: int) -> None:
    """The manual has a row for each exit code."""
    assert re.search(rf"^\| *`?{code}`? *\|", manual, re.MULTILINE)


def test_every_field_of_an_export_is_documented(manual: str) -> None:
    """The manual names each field of an exported document in code type."""
    assert [field.name for field in FIELDS if f"`{field.name}`" not in manual] == []


@pytest.mark.parametrize(("option", "names"), [("--format", FORMATS), ("--fold", FOLDS)])
def test_the_help_of_export_names_all_there_are(option: str, names: tuple[str, ...]) -> None:
    """Every format and every fold, and no other: written out, as their modules take long to load."""
    (text,) = (one.help or "" for one in VERBS["export"].params if isinstance(one, click.Option) and option in one.opts)
    assert text.partition(": ")[2].partition(";")[0].removesuffix(".").split(", ") == list(names)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a Markdown page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_to_a_file_and_a_heading(page: Path) -> None:
    """Each relative link names a file of the repository, and its fragment a heading of that file."""
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        name, _, fragment = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.is_file(), link
        assert not fragment or fragment in anchors(target), link


def test_the_front_page_leads_to_the_documentation() -> None:
    """README.md links the first page of docs/."""
    assert "(docs/index.md)" in PAGES[0].read_text(encoding="utf-8")


def test_each_page_is_in_one_of_the_four_parts() -> None:
    """A page teaches, does a task, lists or explains. Its folder says which, and it begins with its only title."""
    parts = {"tutorial", "how-to", "reference", "explanation"}
    others = [page for page in PAGES[1:] if page.parent.name not in parts and page.name != "index.md"]
    assert others == []
    for page in PAGES[1:]:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert text.startswith("# "), page
        assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1, page
