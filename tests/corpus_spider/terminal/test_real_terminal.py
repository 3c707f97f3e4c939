"""Verbs in a real terminal of 80 and 60 columns, with texts in four scripts and hostile titles."""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from corpus_spider.exit_codes import SICK
from corpus_spider.terminal.escapes import DIRECTION_MARKS
from storage import Corpus
from tests.corpus_spider.running import PATIENCE
from tests.corpus_spider.terminal.test_layout import TEXTS
from tests.storage.corpus_samples import Crawl, dropped, made

if TYPE_CHECKING:
    from pathlib import Path

STYLE = re.compile(r"\x1b\[[0-9;]*m")
VERBS = (
    "status",
    "status --all",
    "health",
    "dropped",
    "doctor",
    "show https://a.example/ar",
    "show https://a.example/th",
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with a text in each script, titles with control characters, and a dropped page with a long URL."""
    folder = tmp_path_factory.mktemp("terminal")
    site = "[[site]]\nname = 'a.example'\nstart = ['https://a.example/']\n"
    (folder / "corpus.toml").write_text(f"[corpus]\ncontact = 'me@example.org'\n{site}")
    with Corpus.open(folder / "corpus.db", create=True) as opened:
        crawl = Crawl(opened)
        for code, text in TEXTS.items():
            crawl.visit(code, made(f"{text}\n{text} {text}", title=f"{text[:30]}\x1b[2J\u202e"))
        crawl.visit("x" * 90, dropped("listing"))
    return folder


def in_terminal(folder: Path, verb: str, columns: int, **environ: str) -> str:
    """Run a verb whose standard output is a terminal of so many columns, and return what it drew."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR"}}
    command = [sys.executable, "-m", "corpus_spider", "-q" if verb.startswith("-q") else "-v", *verb.split()]
    with os.fdopen(ours, "rb", buffering=0) as reading:
        with os.fdopen(theirs, "wb") as drawn:
            child = subprocess.Popen(
                command, cwd=folder, stdout=drawn, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=kept | {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | environ,
            )  # fmt: skip
        seen = b""
        try:
            while part := reading.read(1 << 16):
                seen += part
        except OSError:
            pass  # The end of a terminal is an error on Linux.
        assert child.wait(PATIENCE) in {0, SICK}
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_fits_the_terminal_and_drives_it_only_with_styles(corpus: Path, verb: str, columns: int) -> None:
    """A line is longer only if it has nothing but one long word. No control character of a page comes through."""
    drawn = STYLE.sub("", in_terminal(corpus, verb, columns))
    assert "\x1b" not in drawn
    assert "\u202e" not in drawn
    for line in DIRECTION_MARKS.sub("", drawn).split("\n"):
        assert cell_len(line) <= columns or len(line.split()) == 1, line


@pytest.mark.parametrize("code", TEXTS)
def test_show_writes_the_whole_text_in_lines(corpus: Path, code: str) -> None:
    """The text is complete on a terminal, and raw elsewhere."""
    drawn = DIRECTION_MARKS.sub("", STYLE.sub("", in_terminal(corpus, f"show https://a.example/{code}", 60)))
    assert re.sub(r"\s", "", TEXTS[code] * 3) in re.sub(r"\s", "", drawn)
    raw = subprocess.run(
        [sys.executable, "-m", "corpus_spider", "-q", "show", f"https://a.example/{code}"],
        cwd=corpus, capture_output=True, text=True, check=True, timeout=PATIENCE,
    ).stdout  # fmt: skip
    assert raw == f"{TEXTS[code]}\n{TEXTS[code]} {TEXTS[code]}\n"


def test_arabic_lines_are_directed_except_on_the_linux_console(corpus: Path) -> None:
    """That console draws the marks as boxes."""
    assert "\u200f\u2067" in in_terminal(corpus, "show https://a.example/ar", 60)
    assert not DIRECTION_MARKS.search(in_terminal(corpus, "show https://a.example/ar", 60, TERM="linux"))
