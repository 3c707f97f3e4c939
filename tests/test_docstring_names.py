"""Check of the names that docstrings give: a name of the code in backticks is one that the code has."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("corpus_spider", "pipelines", "storage")
DOTTED = re.compile(r"(?<!`)(`{1,2})~?([A-Za-z_]\w*(?:\.\w+)+)(?:\(\))?\1(?!`)")
UNDERSCORED = re.compile(r"(?<!`)(`{1,2})([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\(\))?\1(?!`)")
SEE = re.compile(r"\(see (`{1,2})([A-Za-z_]\w*)\1\)")
"""A reference to a module, class or function."""
FILE_ENDINGS = frozenset(
    {"c", "cdx", "cff", "html", "json", "jsonl", "md", "prom", "sha256", "SUFFIX", "toml", "txt", "zst", "1", "2"}
)
ELSEWHERE = {
    "dataset.from_generator": "the library datasets",
    "request.meta": "Scrapy",
    "page.content": "Playwright",
    "page.close": "Playwright",
    "route.continue_": "Playwright",
    "corpus_spider.extractors": "a group of entry points",
    "corpus_spider.segmenters": "a group of entry points",
    "corpus_spider.annotators": "a group of entry points",
    "section.key": "any setting",
    "utf8_encode": "PHP",
    "com.vn": "a public suffix",
    "e.paper.example": "a host",
    "example.co.uk": "a host",
    "news.example.co.uk": "a host",
    "paper.example": "a host",
}
"""Names that are not of this project, in lower case, and what has them."""


def paths() -> list[Path]:
    """Return the modules of the project."""
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return the nodes of a module's syntax tree. The first is the module."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def body(path: Path) -> list[ast.stmt]:
    """Return the statements of a module."""
    module = nodes(path)[0]
    assert isinstance(module, ast.Module)
    return module.body


def module_name(path: Path) -> str:
    """Return the name by which a module is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def docstrings(path: Path) -> list[ast.Constant]:
    """Return the texts that stand alone: of modules, classes, functions and attributes."""
    return [
        node.value
        for node in nodes(path)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


def names_in(statements: list[ast.stmt]) -> set[str]:
    """Return the names that statements bind, in conditions too."""
    found: set[str] = set()
    for node in statements:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        else:
            found |= {
                each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
            found |= names_in([each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)])
    return found


def attributes_of(node: ast.ClassDef) -> set[str]:
    """Return the attributes of a class, with those that its methods set."""
    own = {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and isinstance(each.value, ast.Name)
    }
    return own | names_in(node.body)


@cache
def scopes() -> dict[tuple[str, ...], set[str]]:
    """Return the names of each module and class, under their own full name."""
    found: dict[tuple[str, ...], set[str]] = {}
    for path in paths():
        parts = tuple(module_name(path).split("."))
        found.setdefault(parts[:-1], set()).add(parts[-1])
        found.setdefault(parts, set()).update(names_in(body(path)))
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                found.setdefault((*parts, node.name), set()).update(attributes_of(node))
    return found


@cache
def owners() -> dict[str, set[tuple[str, ...]]]:
    """Return the modules and classes of each name. A variable may have the name of its class in lower case."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for scope in scopes():
        for name in {each for part in scope[-1:] for each in (part, part.lower())}:
            found.setdefault(name, set()).add(scope)
    return found


@cache
def code_words() -> set[str]:
    """Return the words of the code and of its data files, without docstrings and comments."""
    found: set[str] = set()
    for path in paths():
        skipped = {id(text) for text in docstrings(path)}
        found.update(module_name(path).split("."))
        for node in nodes(path):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
                found.update(re.findall(r"\w+", node.value))
            found |= {value for _, value in ast.iter_fields(node) if isinstance(value, str)}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.suffix in {".css", ".html", ".js", ".json", ".toml"}:
                found.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return found


def exists(name: str) -> bool:
    """Return whether the project, or an installed library, has a name. One without dots may be any word of the code."""
    if name.lower() in ELSEWHERE or name.rpartition(".")[2] in FILE_ENDINGS:
        return True
    *first, last = name.split(".")
    if not first:
        return last in code_words()
    scopes_of_first = [
        scope
        for scope in owners().get(first[-1], ())
        if [part.lower() for part in scope[-len(first) :]] == [part.lower() for part in first]
    ]
    if any(last in scopes()[scope] for scope in scopes_of_first):
        return True
    return first[0] not in {*PACKAGES, *owners()} and importlib.util.find_spec(first[0]) is not None


@cache
def definitions() -> set[str]:
    """Return the names of all modules, classes and functions."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    defined = {node.name for path in paths() for node in nodes(path) if isinstance(node, kinds)}
    return defined.union(*(module_name(path).split(".") for path in paths()))


def wrong_names(text: str) -> list[str]:
    """Return the names of code in a docstring that do not exist."""
    named = [match[2] for form in (DOTTED, UNDERSCORED) for match in form.finditer(text)]
    seen = [match[2] for match in SEE.finditer(text)]
    return [name for name in named if not exists(name)] + [name for name in seen if name not in definitions()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read `storage.records.Document` and ``records.Document``.", []),
        ("Reached as ``corpus.documents``, of ``Corpus.documents``; see `Corpus.open`.", []),
        ("A method: ``Frontier.lease()``; a field: ``document.text``; a module: ``frontier.leases``.", []),
        ("Of a library: ``asyncio.wrap_future``; of another program: ``request.meta``; a file: ``manifest.json``.", []),
        ("A word of the code: ``min_chars``; plain words: ``text`` and example.org.", []),
        ("```a.block``` and `x = a.b` are no names", []),
        ("Gone: `storage.records.Paper`.", ["storage.records.Paper"]),
        ("Gone: ``records.Paper`` and `storage.paper`.", ["records.Paper", "storage.paper"]),
        ("Gone: ``paper_records.read`` and ``Corpus.papers``.", ["paper_records.read", "Corpus.papers"]),
        ("Gone: ``paper_likeness()``.", ["paper_likeness"]),
        ("Keys (see ``site_template``) of a page (see `normalise`).", []),
        ("Gone: keys (see ``template``).", ["template"]),
    ],
)
def test_names_that_are_reported(text: str, expected: list[str]) -> None:
    """A name exists if a module, a class, a library or the list of others has it."""
    assert wrong_names(text) == expected


def test_docstrings_name_what_exists() -> None:
    """A name that was changed or removed is changed in the docstrings too."""
    wrong = [
        f"{path.relative_to(ROOT)}:{text.lineno}: {name}"
        for path in paths()
        for text in docstrings(path)
        for name in wrong_names(str(text.value))
    ]
    assert wrong == []


def test_each_name_of_something_else_is_in_a_docstring() -> None:
    """An entry of the list that no docstring needs is removed."""
    found = {
        match[2].lower()
        for path in paths()
        for text in docstrings(path)
        for form in (DOTTED, UNDERSCORED)
        for match in form.finditer(str(text.value))
    }
    assert set(ELSEWHERE) - found == set()
