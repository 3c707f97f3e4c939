"""No option is accepted and ignored: each changes what its verb does, or is refused with the reason."""

from __future__ import annotations

import ast
import inspect
import shlex
from functools import cache
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli import option_rules
from corpus_spider.cli.app import cli, run
from corpus_spider.cli.options import COMMON
from storage.corpus import Corpus
from tests.corpus_spider.cli.commands import verbs
from tests.corpus_spider.running import ROOT
from tests.extras import missing, need
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from pathlib import Path

    import click

VERBS = verbs(cli)
CONFIG = """
[corpus]
name = "sample"
user_agent = "spider (+https://a.example/bot; bot@a.example)"

[selection.early]
until = "2026-01"

[[site]]
name = "a.example"
start = ["https://a.example/"]

[[site]]
name = "b.example"
start = ["https://b.example/"]
"""
REFUSED = 2
"""Exit code of a command line that is refused."""


def common() -> set[str | None]:
    """Return the names of the options that every verb has. Callbacks of their own read them."""

    def empty() -> None: ...

    for option in COMMON:
        option(empty)
    parameters: list[click.Parameter] = empty.__click_params__  # type: ignore[attr-defined]
    return {each.name for each in parameters}


@cache
def names_read(module: str) -> frozenset[str]:
    """Return the texts, variables, arguments and fields that the functions of a module use, except in decorators."""
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    variables = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    variables |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(texts | variables | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)})


def modules_of(module: str) -> set[str]:
    """Return a module and those of the package that it imports: they may get its options as one request."""
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    imported = {name for node in froms for name in (node.module, *(f"{node.module}.{one.name}" for one in node.names))}
    return {module} | {each for each in imported if (ROOT / f"{each.replace('.', '/')}.py").is_file()}


@pytest.mark.parametrize("verb", VERBS)
def test_the_code_of_a_verb_reads_each_of_its_options(verb: str) -> None:
    """An option that no function names, in the module of the verb or in one that it imports, cannot do anything."""
    command = VERBS[verb]
    assert command.callback is not None
    modules = modules_of(inspect.unwrap(command.callback).__module__)
    names = {each.name for each in command.params} - common()
    assert names - set().union(*map(names_read, modules)) == set()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a corpus of two sites, two languages and two months, with words often enough for every list."""
    home = tmp_path_factory.mktemp("sample")
    (home / "corpus.toml").write_text(CONFIG)
    with Corpus.open(home / "corpus.db", create=True) as corpus:
        for site, month, language, text in (
            ("a.example", "01", "vi", "và của họp, quý, qúy, quý, xăng, tăng, thành phố, qúy, sạch, quý, đẹp"),
            ("b.example", "02", "vi", "và nhưng, đi, chợ, quý, mua, cá, ở, thành phố, quý, nhỏ, gà, vịt"),
            ("a.example", "02", "en", "and of the city council met about prices in the phố of the city again"),
        ):
            crawl = Crawl(corpus, site=site)
            for number in range(12):
                lines = f"{text}\n{' '.join(text.split()[number % 6 :])} {number}"
                crawl.visit(f"{language}{number}", made(lines, language=language, published=f"2026-{month}-01"))
    # The command that makes the index says so, and would differ from each one after it.
    if not missing("web"):
        assert run(["-q", "index", "-c", str(home)]) == 0
    return home


OPTIONS = {
    "languages": "--language vi",
    "sites": "--site a.example",
    "sections": "--section sport",
    "authors": "--author Lan",
    "title_words": "--title-words xăng",
    "extractors": "--extractor auto",
    "selection": "--selection early",
    "min_chars": "--min-chars 120",
    "min_confidence": "--min-confidence 0.5",
    "without_reserved": "--without-reserved",
    "since": "--since 2026-02-01",
    "until": "--until 2026-01-31",
    "against": "--against site=b.example",
    "around": "--around phố",
    "ngrams": "--ngrams 2",
    "by": "--by month",
    "lemma": "--lemma",
    "window": "--window 1",
    "side": "--side left",
    "min_frequency": "--min-frequency 22",
    "measure": "--measure mutual_information",
    "without_stop_words": "--without-stop-words",
    "spelling": "--spelling exact",
    "format_name": "--format csv",
    "as_json": "--json",
    "order": "--order 1R,2R",
    "context": "--context 1",
    "unique": "--unique",
    "limit": "--limit 1",
    "output": "-o cloud.html",
    "page": "--page 2",
    "sample_size": "--sample-size 3",
    "seed": "--seed 9",
    "allow_private": "--allow-private",
    "rebuild": "--rebuild",
    "annotate": "--annotate",
}
"""A value of each option that makes a difference in the sample."""
LINES = {
    "index": ["index"],
    "search": ["search phố", "search phố --sample-size 12"],
    "words": [
        "words",
        "words --language vi",
        "words --against 'site=b.example language=vi'",
        "words --language vi --site a.example --against site=b.example",
        "words --around phố",
        "words --around 'thành phố' --language vi",
        "words --ngrams 3 --language vi",
        "words --by month quý",
    ],
    "cloud": ["cloud --language vi --json", "cloud --language vi --site a.example --json"],
}
"""Command lines of each verb that reads the index: every list that it makes."""
NO_CHANGE = {
    "words --language vi --site a.example --against site=b.example": {"--until 2026-01-31", "--selection early"}
}
"""Options that choose all texts of a command line."""
CASES = [
    (line, OPTIONS[each.name])
    for verb, lines in LINES.items()
    for line in lines
    for each in VERBS[verb].params
    if each.name in OPTIONS
    and not {*OPTIONS[each.name].split()[:1], *NO_CHANGE.get(line, ())} & {*line.split(), OPTIONS[each.name]}
]


def test_every_option_of_the_index_has_a_value_here() -> None:
    """A new option joins the table, and so the test below."""
    named = {each.name for verb in LINES for each in VERBS[verb].params} - common()
    assert named - OPTIONS.keys() == {"question", "chosen"}


@pytest.mark.parametrize(("line", "option"), CASES, ids=[f"{line} {option}" for line, option in CASES])
def test_an_option_changes_the_answer_or_is_refused(
    line: str, option: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same command line without the option says, writes or does something else."""
    need("web")
    monkeypatch.chdir(folder)
    outcomes = []
    for words in (line, f"{line} {option}"):
        before = _files(folder)
        code = run(shlex.split(words))
        outcomes.append((code, capfd.readouterr(), _files(folder) - before))
    assert outcomes[0][0] == 0
    assert outcomes[1][0] in {0, 1, REFUSED}
    assert outcomes[0] != outcomes[1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("evaluate --gold gold --worst 3", "--worst needs --html"),
        ("evaluate --gold gold --paper-tables site --html worst.html", "--paper-tables excludes --html"),
        ("evaluate --gold gold --site-models --compare bte", "--site-models excludes --compare"),
        ("extract --list page.html", "--list excludes arguments"),
        ("demo --port 9000", "--port needs --serve"),
        ("demo --serve --keep folder", "--serve excludes --keep"),
        ("words --by month quý --limit 3", "--limit is for lists"),
        ("words --by month quý --without-stop-words", "--without-stop-words is for lists"),
        ("words --min-frequency 3", "--min-frequency needs --around or --ngrams"),
        ("words --ngrams 2 --around phố", "--around, --ngrams, --by and --lemma exclude each other"),
        ("words --ngrams 2 --without-stop-words", "--without-stop-words is for words"),
        ("words --ngrams 2 --spelling exact", "--spelling is for words"),
        ("search phố --seed 3", "--seed needs --sample-size"),
        ("words --json --format csv", "--json and --format exclude each other"),
        ("cloud --language vi --allow-private --json", "--allow-private needs --page"),
    ],
)
def test_what_would_do_nothing_is_refused_with_the_reason(
    line: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The message names the option, and the one that it needs or excludes."""
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(line)) == REFUSED
    assert says in capfd.readouterr().err.replace("\n", " ")


def test_the_rules_of_options_name_options() -> None:
    """A renamed option changes the table."""
    for (verb, option), others in [*option_rules.ALONE.items(), *option_rules.NEEDS.items()]:
        names = {each.name for each in VERBS[verb].params}
        assert {option, *([others] if isinstance(others, str) else others)} <= names


def _files(folder: Path) -> set[tuple[str, int]]:
    """Return the files that a verb may write, each with the time of its last change."""
    return {(str(path), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.suffix != ".db-shm"}
