"""One selection in all its forms: options, keywords, TOML, the query of a URL, and the command that a page shows."""

from __future__ import annotations

import csv
import io
import json
import shlex
import tomllib
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml.html import document_fromstring

import corpus_spider as cs
from corpus_spider.cli.app import cli, run
from corpus_spider.config.loader import load
from corpus_spider.config.selections import of_options, options_of, selection_of, table_of, texts_of
from corpus_spider.search.index.builder import only_writer, refresh
from storage.corpus import Corpus
from storage.documents.reader import _CONDITIONS, OF_SETS
from storage.documents.selection import COUNTS, DATABASE, DIMENSIONS, INDEX, Day, Part, Selection, Texts, honoured
from storage.documents.text_conditions import FIELDS as BY_WORDS
from storage.errors import ConfigError
from tests.corpus_spider.cli.commands import verbs
from tests.corpus_spider.web.test_web import application_of, ask
from tests.extras import needs
from tests.storage.corpus_samples import Crawl, made, with_parts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus_spider.web.guard import Guard

pytestmark = needs("web")

CONFIG = """
[corpus]
contact = "someone@example.org"

[selection.long]
site = "a.example"
min_chars = 30

[selection.spring]
language = ["vi", "en"]
since = "2026-02"
until = "2026-05"

[selection.mixed]
without_mixed = true

[[site]]
name = "a.example"
start = ["https://a.example/"]
"""
NAMES = {
    "languages": ("vi", "en", "und"),
    "sites": ("a.example", "b.example"),
    "extractors": ("auto", "bte"),
    "sections": ("thoi-su", "سیاست"),
    "authors": ("Lê Thị B", "علی"),
    "title_words": ("bầu cử", "xăng"),
}
VERBS = {DATABASE: "export", INDEX: "search", COUNTS: "words"}


def values(field: str, kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a dimension."""
    if kind == Texts:
        return st.lists(st.sampled_from(NAMES[field]), unique=True).map(tuple)
    if kind == Day:
        month = {"since": st.integers(1, 6), "until": st.integers(7, 12)}[field]
        return st.none() | st.builds("2026-{:02}-{:02}".format, month, st.integers(1, 28))
    if kind == Part:
        return st.none() | st.builds(
            lambda low, size: (low / 8, (low + size) / 8), st.integers(0, 99), st.integers(1, 9)
        )
    return {int: st.integers(0, 10**9), float: st.floats(0, 1), bool: st.booleans()}[kind]


def selections() -> st.SearchStrategy[Selection]:
    """Return a strategy for selections with a value of any dimension."""
    return st.builds(
        Selection,
        **{
            each.field: st.sampled_from(each.choices) if each.choices else values(each.field, each.kind)
            for each in DIMENSIONS
        },
    )


def test_each_dimension_is_a_condition_in_sql() -> None:
    """One condition each, a part of the query that looks at versions, duplicates or ids, or a comparison of words."""
    assert [*sorted(_CONDITIONS.keys() | OF_SETS | BY_WORDS)] == sorted(each.field for each in DIMENSIONS)
    assert len(_CONDITIONS) + len(OF_SETS) + len(BY_WORDS) == len(DIMENSIONS)


@settings(max_examples=60, deadline=None)
@given(selections())
def test_a_selection_is_the_same_as_options_keywords_toml_and_query(selection: Selection) -> None:
    """Each use has an option for each dimension that it honours, and gets the same selection from it."""
    from starlette.datastructures import QueryParams

    from corpus_spider.web.query import WebQuery, web_query

    for use, verb in VERBS.items():
        selected = selection.only(use)
        arguments = [*(["text"] if use == INDEX else []), *options_of(selected)]
        context = verbs(cli)[verb].make_context(verb, arguments)
        assert of_options(context.params) == selected
    lines = []
    for dimension, value in selection.given():
        plain = texts_of(dimension, value)[0] if dimension.kind == Part else value
        lines.append(f"{dimension.name} = {json.dumps(plain)}")
    assert selection_of(tomllib.loads("\n".join(lines))) == selection
    shown = selection.only(INDEX)
    assert web_query(QueryParams(WebQuery.of(shown).query()[1:]), {}).selection == shown


@pytest.mark.parametrize("use", [INDEX, COUNTS])
def test_what_a_use_cannot_honour_is_refused_by_name(use: str) -> None:
    """The message says which dimensions the use has."""
    other = {Part: (0.0, 10.0), bool: True, int: 5, float: 0.5, Texts: ("auto",)}
    for dimension in set(DIMENSIONS) - set(honoured(use)):
        value = dimension.choices[-1] if dimension.choices else other[dimension.kind]
        selection = Selection(**{dimension.field: value})
        with pytest.raises(ConfigError, match=f"{dimension.name}: {use} cannot select by it\n  Use one of language, "):
            selection.require(use)
        assert selection.only(use) == Selection()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with several values of each dimension, a page in two versions, duplicates, and its index."""
    folder = tmp_path_factory.mktemp("selected")
    (folder / "corpus.toml").write_text(CONFIG)
    confidences = (None, 0.25, 0.846, 0.85, 0.854, 1.0)
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        for site in NAMES["sites"]:
            crawl = Crawl(corpus, site)
            for number, confidence in enumerate(confidences):
                text = f"Giá xăng hôm nay tăng {'thêm ' * 3 * number}{site} {number}"
                page = made(
                    "Hai bài giống nhau" if number == 5 else text,
                    language=NAMES["languages"][number % 3],
                    published=f"2026-0{number}-11" if number else None,
                    tdm=1 if number % 4 == 1 else None,
                )
                extractor = NAMES["extractors"][number % 2]
                crawl.visit(str(number), with_parts(page, confidence=confidence, extractor=extractor))
            crawl.visit("2", with_parts(made("Một bản khác hẳn của bài hai", language="vi"), confidence=0.9))
        with only_writer(folder / "index"):
            refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
    return folder


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[Guard]:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        yield application_of(folder, corpus)


QUERIES = st.lists(
    st.one_of(
        st.tuples(
            st.just("q"), st.sampled_from(["giá", "gia xang", '"hôm nay" -tăng', "-không giá", "=Giá", "không", "(("])
        ),
        st.tuples(st.just("language"), st.sampled_from(["vi", "en", " und", "zz", "vi,en", "ar"])),
        st.tuples(st.just("site"), st.sampled_from(["a.example", "b.example", "b.example ", "c.example"])),
        st.tuples(st.just("extractor"), st.sampled_from(["auto", "bte", "r2l", "auto,bte", "-x"])),
        st.tuples(st.sampled_from(["since", "until"]), st.sampled_from(["2026-02", "2026-02-11", "2026-03-12", "x"])),
        st.tuples(st.just("chars"), st.sampled_from(["30", "50.5", "-1", "1e12"]) | st.integers(0, 100).map(str)),
        st.tuples(st.just("confidence"), st.sampled_from(["0.85", "0.8501", "2", "1e-9"]) | st.floats(0, 1).map(str)),
        st.tuples(st.just("reserved"), st.sampled_from(["no", "yes"])),
        st.tuples(st.just("selection"), st.sampled_from(["long", "spring", "mixed", "none"])),
        st.tuples(st.just("order"), st.sampled_from(["date", "rank", "left"])),
        st.tuples(st.just("sample"), st.sampled_from(["3", "0", "x", "1e99"])),
        st.tuples(st.just("seed"), st.sampled_from(["3", "-1", "1e99"])),
        st.tuples(st.just("unique"), st.sampled_from(["yes", "x"])),
        st.tuples(st.just("context"), st.sampled_from(["3", "-1", "x", "1e99"])),
    ),
    max_size=5,
)


def answered(folder: Path, command: list[str]) -> tuple[int, str]:
    """Run a command in the folder. Return its exit code and its standard output."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with chdir(folder), redirect_stdout(out), redirect_stderr(errors):
        code = run(command)
        out.flush()
    return code, out.buffer.getvalue().decode()  # type: ignore[attr-defined]


@settings(max_examples=40, deadline=None)
@example([("selection", "long")])
@example([("q", "giá"), ("selection", "spring"), ("language", "vi")])
@example([("selection", "spring"), ("since", "2026-04")])
@example([("q", "giá"), ("chars", "50")])
@example([("q", "giá"), ("extractor", "bte"), ("reserved", "no")])
@example([("extractor", "bte")])
@example([("confidence", "0.85")])
@example([("q", "-không giá")])
@example([("since", "2026-03"), ("until", "2026-02")])
@example([("site", "c.example")])
@given(QUERIES)
def test_the_command_of_the_page_gives_the_documents_of_its_list(
    app: Guard, folder: Path, pairs: list[tuple[str, str]]
) -> None:
    """For every selection. What the program refuses, the page refuses too."""
    from starlette.datastructures import QueryParams

    from corpus_spider.web.query import web_query

    query = urlencode(pairs)
    status, _, text = ask(app, f"/documents?{query}")
    assert status in {200, 400}
    if status == 400 and dict(pairs).get("selection") in {"mixed", "none"}:
        return
    page = document_fromstring(text)
    commands = page.xpath("//p[@class='command']/code/text()")
    if not commands:
        try:
            refused = shlex.split(web_query(QueryParams(query), load(folder).selections).command())
        except ConfigError:
            assert status == 400
            return
        assert answered(folder, refused[1:])[0] == 2
        assert status == 400 or page.xpath("//*[@role='alert']")
        return
    [line] = commands
    listed = {link.rpartition("/")[2] for link in page.xpath("//a[@class='title']/@href")}
    program, verb, *options = shlex.split(line)
    assert program == "corpus-spider"
    if verb == "export":
        assert answered(folder, ["-q", verb, *options, "--overwrite"])[0] == 0
        lines = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
        assert {json.loads(each)["id"] for each in lines} == listed
    else:
        code, output = answered(folder, [verb, "--json", *options])
        assert code == 0
        found = json.loads(output)
        assert found["documents"] == len(listed)
        assert {place["id"] for place in found["places"]} <= listed


@settings(max_examples=60, deadline=None)
@given(selections(), selections())
def test_what_is_stated_changes_a_named_selection(base: Selection, own: Selection) -> None:
    """As options, as keywords and as the query of a URL. What is not stated stays."""
    from starlette.datastructures import QueryParams

    from corpus_spider.web.query import WebQuery, web_query

    arguments = ["--selection", "x", *options_of(own)]
    context = verbs(cli)["export"].make_context("export", arguments)
    changed = own.over(base)
    if changed.since and changed.until and changed.since > changed.until:
        return
    assert of_options(context.params, {"x": base}) == changed
    assert selection_of({"selection": "x", **table_of(own)}, {"x": base}) == changed
    shown = WebQuery.of(own.only(INDEX), named="x", base=base.only(INDEX))
    read = web_query(QueryParams(shown.query()[1:]), {"x": base.only(INDEX)})
    assert read == shown
    assert read.selection == changed.only(INDEX)


def test_a_number_or_choice_of_the_command_line_counts_also_when_it_is_the_default() -> None:
    """`--min-chars 0` and `--versions last` undo what a named selection says."""
    named = {"x": Selection(min_chars=500, versions="all", sites=("a",))}
    arguments = ["--selection", "x", "--min-chars", "0", "--versions", "last"]
    params = verbs(cli)["export"].make_context("export", arguments).params
    assert of_options(params, named) == Selection(sites=("a",))


@pytest.mark.parametrize("view", ["/documents", "/search?q=gi%C3%A1", "/words?"])
def test_each_form_has_a_menu_of_named_selections(app: Guard, view: str) -> None:
    """Of those that the view can answer: words have no counts by length. The chosen one stays chosen."""
    page = document_fromstring(ask(app, f"{view}{'&' if '?' in view else '?'}selection=spring")[2])
    [menu] = page.xpath("//select[@name='selection']")
    known = ["spring"] if "words" in view else ["long", "spring"]
    assert menu.xpath("option/text()") == ["all documents", *known]
    assert menu.xpath("option[@selected]/text()") == ["spring"]


def test_commands_and_python_use_a_named_selection(folder: Path) -> None:
    """They give what the options of the selection give. Counts refuse what they cannot count by."""
    stated = ["--language", "vi,en", "--since", "2026-02", "--until", "2026-05"]
    for verb in (["search", "giá"], ["words"], ["export", "--dry-run"]):
        named = answered(folder, [*verb, "--json", "--selection", "spring"])
        assert named == answered(folder, [*verb, "--json", *stated])
        assert named[0] == 0
    against = ["words", "--json", "--language", "vi", "--against"]
    reference = answered(folder, [*against, "selection=spring site=a.example site=b.example"])
    since = "language=vi language=en since=2026-02 until=2026-05 site=a.example site=b.example"
    assert reference == answered(folder, [*against, since])
    assert answered(folder, ["words", "--selection", "long"])[0] == 2
    assert answered(folder, ["words", "--selection", "lon"])[0] == 2
    with cs.open(folder) as corpus:
        assert {each.language for each in corpus.documents(selection="spring")} == {"vi", "en"}
        found = corpus.search("giá", selection="spring", language="vi")
        assert {row["language"] for row in found} == {"vi"}
        with pytest.raises(ConfigError, match=r'no selection "sprin" \(did you mean spring\?\)'):
            corpus.documents(selection="sprin")


def test_pages_and_samples_are_those_of_the_command_in_python_too(folder: Path) -> None:
    """A sample is shown whole unless a limit makes pages of it."""
    every = [json.loads(line) for line in answered(folder, ["search", "giá", "--format", "jsonl"])[1].splitlines()]
    with cs.open(folder) as corpus:
        for options, keywords in (
            (["--limit", "4", "--page-number", "2"], {"limit": 4, "page": 2}),
            (["--sample-size", "5", "--seed", "3"], {"sample_size": 5, "seed": 3}),
            (["--sample-size", "5", "--limit", "3", "--page-number", "2"], {"sample_size": 5, "limit": 3, "page": 2}),
        ):
            code, output = answered(folder, ["search", "giá", "--json", *options])
            assert code == 0
            lines = [(place["id"], place["line"]["keyword"]) for place in json.loads(output)["places"]]
            rows = corpus.search("giá", **keywords)
            assert lines == [(row["id"], row["keyword"]) for row in rows]
            assert all(row in every for row in rows)
            assert len(rows) == {"--limit": 4, "--sample-size": 5}[options[0]] - (3 if "--limit" in options[1:] else 0)
        for keyword, value in {"page": 0, "sample_size": 10_001, "seed": -1, "limit": 0}.items():
            with pytest.raises(ConfigError, match=f"{keyword}: expected a whole number from"):
                corpus.search("giá", **{keyword: value})


def test_lines_are_downloaded_with_the_reference_of_each(app: Guard, folder: Path) -> None:
    """As JSON lines and as CSV, in which no text is a formula. The command writes the same."""
    status, headers, text = ask(app, "/download/lines.jsonl?q=gi%C3%A1")
    rows = [json.loads(line) for line in text.splitlines()]
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="lines.jsonl"'
    assert list(rows[0]) == ["left", "keyword", "right", "id", "url", "title", "site", "language", "day"]
    code, output = answered(folder, ["search", "giá", "--limit", "5000", "--format", "jsonl"])
    assert (code, output) == (0, text)
    table = ask(app, "/download/lines.csv?q=gi%C3%A1&order=1R")[2]
    assert len(list(csv.reader(io.StringIO(table.lstrip("\ufeff"))))) == len(rows) + 1
    assert ask(app, "/download/lines.parquet?q=gi%C3%A1")[0] == 404
    assert ask(app, "/download/lines.csv?q=%28")[0] == 400
    assert ask(app, "/download/lines.csv?q=xe&site=c.example")[0] == 400
    assert ask(app, "/download/lines.csv?q=xe&selection=none")[0] == 400
    assert ask(app, "/download/lines.csv?q=nosuchword")[2].lstrip("\ufeff") == f"{','.join(rows[0])}\n"
