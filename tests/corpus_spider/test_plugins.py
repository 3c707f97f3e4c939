"""Plug-ins of other distributions, installed in a folder: the code of the how-to page, and plug-ins that fail."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.local_paper import Newspaper, corpus_toml, paragraphs, served
from tests.corpus_spider.running import run
from tests.plugins import documented, install

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

PROJECT = tomllib.loads(documented("[project]"))
LONG = "long-paragraphs"
FAILING = """
import os, time

def extract(html, options):
    if "Bài số 1 " in html:
        raise ValueError("no text here")
    if "Bài số 2 " in html:
        os._exit(3)
    if "Bài số 4 " in html:
        return 7
    while "Bài số 5 " in html:
        time.sleep(1)
    return [part.partition("</p>")[0] for part in html.split("<p>")[1:]]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an empty place for distributions."""
    (tmp_path / "installed").mkdir()
    return tmp_path


def program(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the distributions of the folder."""
    from tests.corpus_spider.running import ROOT

    return run(folder, *arguments, PYTHONPATH=f"{ROOT}:{folder / 'installed'}")


def install_long(folder: Path, version: str = "1.0") -> None:
    """Install the extractor of the how-to page as its pyproject.toml says."""
    ((name, value),) = PROJECT["project"]["entry-points"]["corpus_spider.extractors"].items()
    code = documented('"""An extractor for corpus-spider')
    install(folder / "installed", PROJECT["project"]["name"], "extractors", f"{name} = {value}", code, version)


def test_the_extractor_of_the_how_to_page_makes_documents(folder: Path) -> None:
    """Name and version of the distribution are stored. Segmenter and format of the page work, and are recorded."""
    install_long(folder)
    khmer, titles = documented('"""A segmenter for Khmer'), documented('"""An export format')
    install(folder / "installed", "khmer", "segmenters", "khmer-fours = fours", khmer, "2.1")
    install(folder / "installed", "some-formats", "exporters", "titles = titles:write", titles, "0.3")
    (folder / "page.html").write_text(f"<p>{paragraphs(1)[0]}</p><p>short</p>")
    one_time = ("-s", f"plugins.extractors={LONG}", "extract", "page.html", "--extractor", LONG)
    assert program(folder, *one_time).stdout.strip() == paragraphs(1)[0]
    with served(Newspaper(articles=6)) as newspaper:
        toml = corpus_toml(newspaper).replace("[[site]]", f'[plugins]\nextractors = ["{LONG}"]\n[[site]]')
        toml = toml.replace("[plugins]", '[plugins]\nsegmenters = ["khmer-fours"]\nexporters = ["titles"]')
        (folder / "corpus.toml").write_text(f'{toml}extractor = "{LONG}"\n')
        done = program(folder, "crawl")
        assert done.returncode == 0, done.stderr
    exported = program(folder, "export", "-o", "-")
    found = {one["url"].rpartition("/")[2]: one for one in map(json.loads, exported.stdout.splitlines())}
    assert found["1"]["text"].split("\n") == paragraphs(1)
    assert (found["1"]["extractor"], found["1"]["extractor_version"]) == (LONG, "long-paragraphs 1.0")
    listed = json.loads(program(folder, "extract", "--list", "--json").stdout)
    about = {"name": LONG, "version": "long-paragraphs 1.0", "description": "plug-in of long-paragraphs 1.0"}
    assert about.items() <= listed[-1].items()
    assert program(folder, "export", "-o", "news.titles").returncode == 0
    assert "Bài số 1\n" in (folder / "news.titles").read_text()
    assert program(folder, "export", "-o", "release/", "--release", "--format", "titles").returncode == 0
    assert json.loads((folder / "release" / "manifest.json").read_text())["exporter"] == "some-formats 0.3"


@pytest.mark.parametrize(
    ("plugins", "message"),
    [
        ("", f'the plug-in "{LONG}" is installed, but not named'),
        (f'[plugins]\nextractors = ["{LONG}", "other"]\n', 'the plug-in "other" is not installed'),
        (f'[plugins]\nextractors = ["{LONG}", "twice"]\n', 'several distributions offer "twice": one 1.0, two 2.0'),
    ],
    ids=["not named", "not installed", "twice"],
)
def test_a_plug_in_that_cannot_be_used_ends_the_crawl_before_it_starts(
    folder: Path, plugins: str, message: str
) -> None:
    """The error says what to do, and lists the installed ones."""
    install_long(folder)
    for number, name in enumerate(("one", "two"), start=1):
        install(folder / "installed", name, "extractors", "twice = long_paragraphs:extract", version=f"{number}.0")
    name = "twice" if "twice" in plugins else "other" if plugins else LONG
    site = f'[[site]]\nname = "a"\nstart = ["http://a.example/"]\nextractor = "{name}"\n'
    (folder / "corpus.toml").write_text(f'[corpus]\ncontact = "a@example.org"\n{plugins}{site}')
    done = program(folder, "crawl")
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert name != "other" or "Installed are: long-paragraphs, twice." in done.stderr
    assert name != LONG or f'Add extractors = ["{LONG}"] to [plugins]' in done.stderr
    assert not (folder / "corpus.db").exists()


RAISING = "def extract(html, options):\n    raise ValueError('no text here')\n"
BROKEN = "import a_library_that_is_not_here\n"


def test_links_are_followed_when_an_extractor_fails(folder: Path) -> None:
    """One that fails on every page makes the site failing (exit code 8), with the next command; all pages are read."""
    install(folder / "installed", "raising", "extractors", "raising = raising:extract", RAISING)
    with served(Newspaper(articles=7)) as newspaper:
        toml = corpus_toml(newspaper).replace("[[site]]", '[plugins]\nextractors = ["raising"]\n[[site]]')
        (folder / "corpus.toml").write_text(f'{toml}extractor = "raising"\n')
        done = program(folder, "crawl")
        assert {f"/article/{number}" for number in range(7)} <= newspaper.asked.keys()
    assert done.returncode == 8, done.stderr
    assert "the extractor failed on" in done.stderr
    (found,) = json.loads(program(folder, "health", "--json").stdout)["sick"]
    assert found["sign"] == "processing"
    assert "--reason worker_timeout,worker_memory,worker_crash,worker_error" in program(folder, "health").stdout
    assert "the extractor failed on" in program(folder, "status").stdout.replace("\n", " ")


@pytest.mark.parametrize("code", [BROKEN, "raise SystemExit(99)\n"], ids=["import", "exit"])
def test_a_plug_in_that_cannot_be_loaded_ends_each_command_before_it_starts(folder: Path, code: str) -> None:
    """One error names plug-in, distribution and module. Nothing is requested, and no traceback is printed."""
    install(folder / "installed", "broken", "extractors", "broken = broken_module:extract", code)
    (folder / "page.html").write_text(f"<article><p>{' '.join(paragraphs(1))}</p></article>")
    with served(Newspaper(articles=3)) as newspaper:
        toml = corpus_toml(newspaper).replace("[[site]]", '[plugins]\nextractors = ["broken"]\n[[site]]')
        (folder / "corpus.toml").write_text(f'{toml}extractor = "broken"\n')
        commands = (
            ("crawl",),
            ("reextract",),
            ("extract", "page.html", "page.html", "--extractor", "broken"),
            ("extract", "page.html", "--extractor", "broken"),
        )
        for command in commands:
            done = program(folder, *command)
            assert done.returncode == 2, (command, done.stderr)
            assert done.stderr.count('the plug-in "broken" cannot be loaded: ') == 1
            assert "broken 1.0 (broken_module:extract)" in done.stderr
            assert "reinstall the module broken_module" in done.stderr
            assert "Traceback" not in done.stderr
        assert not newspaper.asked


def test_a_failing_plug_in_cannot_stop_a_crawl(folder: Path) -> None:
    """An error, a crash, a wrong result and an endless loop each drop their page, with the reason."""
    install(folder / "installed", "failing", "extractors", "failing = failing:extract", FAILING)
    with served(Newspaper(articles=7)) as newspaper:
        toml = corpus_toml(newspaper, page_timeout=2.0).replace(
            "[[site]]", '[plugins]\nextractors = ["failing"]\n[[site]]'
        )
        (folder / "corpus.toml").write_text(f'{toml}extractor = "failing"\n')
        done = program(folder, "crawl", "--json")
        # A busy machine may be at fault for the page in the loop, so the next run tries it once more.
        last = program(folder, "crawl", "--json")
    assert done.returncode == 8, done.stderr
    assert json.loads(done.stdout)["postponed"] == {"worker_timeout": 1}
    drops = json.loads(done.stdout)["dropped"] | json.loads(last.stdout)["dropped"]
    assert {name: drops.get(name) for name in ("worker_error", "worker_crash", "worker_timeout")} == {
        "worker_error": 2,
        "worker_crash": 1,
        "worker_timeout": 1,
    }
    assert 'the extractor "failing" failed: ValueError: no text here' in done.stderr
    assert json.loads(program(folder, "status", "--json").stdout)["documents"] == 3


def test_plug_ins_that_are_only_installed_are_not_loaded(folder: Path) -> None:
    """A module that would end the program on import is never imported."""
    for kind in ("extractors", "segmenters", "exporters"):
        install(folder / "installed", kind, kind, f"deadly = deadly_{kind}:run", "raise SystemExit(99)")
    (folder / "page.html").write_text(f"<article><p>{' '.join(paragraphs(1))}</p></article>")
    for arguments in (("extract", "page.html"), ("extract", "--list"), ("export", "-o", "x.deadly")):
        assert program(folder, *arguments).returncode != 99
    done = program(folder, "extract", "page.html", "--extractor", "deadly")
    assert (done.returncode, "is installed, but not named" in done.stderr) == (2, True)
