"""`corpus_spider.crawl`: a crawl from a Python program, and the examples of the page about Python."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import corpus_spider as cs
from storage.errors import ConfigError, LockedError
from storage.locking.locks import SiteLocks
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import ROOT, environment, until
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def newspaper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=8)) as paper:
        yield paper


def corpus_of(newspaper: Newspaper, folder: Path, **crawl: object) -> Path:
    folder.mkdir()
    (folder / "corpus.toml").write_text(corpus_toml(newspaper, **crawl))
    return folder


def test_a_program_crawls_twice_also_in_an_event_loop(
    newspaper: Newspaper, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a notebook does: the summary each time, the log on standard error, and no package of the current folder."""
    folder = corpus_of(newspaper, tmp_path / "news")

    async def notebook() -> cs.CrawlSummary:
        return cs.crawl(folder, page_limit=3)

    first = asyncio.run(notebook())
    assert (first.exit_code, first.reason) == (12, "stopped at a limit; the next crawl continues")
    assert "pages" in capsys.readouterr().err
    second = cs.crawl(folder / "corpus.toml", settings={"crawl.per_host": 4, "crawl.throttle": False}, quiet=True)
    assert second.exit_code == 0
    assert capsys.readouterr().err == ""
    with cs.open(folder) as corpus:
        assert first["documents"] + second["documents"] == corpus.store.status().documents == 8
    assert repr(second).startswith(f"<CrawlSummary {second['pages']} pages, ")
    assert "newspaper" in second._repr_html_()
    json.dumps(second)


def test_the_errors_of_a_crawl_are_those_of_the_command(newspaper: Newspaper, tmp_path: Path) -> None:
    """A missing file, a wrong setting, a wrong site, and a site that another crawl holds: type and message."""
    with pytest.raises(ConfigError, match=r"none/corpus\.toml|none: cannot be read"):
        cs.crawl(tmp_path / "none", quiet=True)
    folder = corpus_of(newspaper, tmp_path / "news")
    with pytest.raises(ConfigError, match=r"crawl\.dealy.*did you mean delay"):
        cs.crawl(folder, settings={"crawl.dealy": 1}, quiet=True)
    with pytest.raises(ConfigError, match='no site "b"'):
        cs.crawl(folder, site="b", quiet=True)
    cs.crawl(folder, page_limit=1, quiet=True)
    with (
        cs.open(folder) as corpus,
        SiteLocks(corpus.store, ("newspaper",), folder / "warc" / "locks"),
        pytest.raises(LockedError, match="another crawl holds newspaper"),
    ):
        cs.crawl(folder, quiet=True)


def test_an_interrupt_stops_the_crawl_in_good_order(newspaper: Newspaper, tmp_path: Path) -> None:
    """Ctrl-C in the program: the summary says that it was stopped, and the program goes on."""
    folder = corpus_of(newspaper, tmp_path / "news", delay=1.0, per_host=1, throttle=False)
    # Tests that import the workers' warm-up ignore SIGINT, and their children would too.
    handled = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{handled}; import corpus_spider as cs; print(cs.crawl({str(folder)!r}).exit_code)"
    started = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment(), start_new_session=True
    )
    until(lambda: newspaper.asked["/feed.xml"] or newspaper.asked["/"])
    started.send_signal(signal.SIGINT)
    printed, _ = started.communicate(timeout=120)
    assert (started.returncode, printed.strip()) == (0, "11")


def test_a_crawl_stops_when_the_program_is_killed(newspaper: Newspaper, tmp_path: Path) -> None:
    """A notebook whose kernel is killed leaves no crawl behind: the next one gets the site."""
    folder = corpus_of(newspaper, tmp_path / "news", delay=30.0, per_host=1, throttle=False)
    program = f"import corpus_spider as cs; cs.crawl({str(folder)!r})"
    started = subprocess.Popen([sys.executable, "-c", program], env=environment(), start_new_session=True)
    until(lambda: newspaper.asked["/feed.xml"] or newspaper.asked["/"])
    started.kill()
    started.wait()

    with cs.open(folder) as corpus:

        def free() -> bool:
            try:
                with SiteLocks(corpus.store, ("newspaper",), folder / "warc" / "locks"):
                    return True
            except LockedError:
                return False

        until(free)


def blocks(page: Path) -> list[str]:
    """Return the Python examples of a page."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_about_python_run(
    newspaper: Newspaper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after another, in a folder with a page and a new corpus."""
    need("data", "web")
    monkeypatch.chdir(tmp_path)
    corpus_of(newspaper, tmp_path / "vi-news")
    (tmp_path / "page.html").write_bytes(article(1))
    names: dict[str, object] = {}
    examples = blocks(ROOT / "docs" / "how-to" / "use-from-python.md")
    for example in examples:
        exec(compile(example, "use-from-python.md", "exec"), names)
    printed = capsys.readouterr().out
    for expected in ("Bài số 1", "blank\n", "<Corpus test: ", "did you mean language?"):
        assert expected in printed
    assert '<table dir="ltr"' in names["lines"]._repr_html_()  # type: ignore[attr-defined]
    assert len(examples) >= 9
