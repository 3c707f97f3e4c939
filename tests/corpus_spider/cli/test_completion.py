"""Shell completion, as docs/how-to/install.md sets it up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus_spider.running import PATIENCE

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "install.md"
# Each shell completes a line and prints what it offers. zsh offers only at a prompt, so two functions of it print.
ASK = {
    "bash": "COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _corpus_spider_completion corpus-spider; "
    'printf "%s\\n" "${{COMPREPLY[@]}}"',
    "zsh": "words=({line}); CURRENT=${{#words}}; _corpus_spider_completion",
    "fish": 'complete -C "{line}"',
}
BEFORE = {
    "bash": "",
    "zsh": 'compdef() {{ : }}\n_describe() {{ print -l -- "${{(@P)3}}" }}\ncompadd() {{ print -l -- "${{(@P)5}}" }}\n',
    "fish": "",
}


def offered(shell: str, line: str, folder: Path) -> list[str]:
    """Set completion up as the page says, and return the words that the shell offers for a line."""
    (setup,) = re.findall(rf"^```{shell}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / "corpus-spider"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m corpus_spider "$@"\n')
    program.chmod(0o755)
    script = f"{BEFORE[shell].format()}{setup}\n{ASK[shell].format(line=line)}"
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder)}
    command = [shell, *(["-f"] if shell == "zsh" else []), "-c", script]
    root = Path(__file__).parents[3]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.stderr == ""
    return [re.split("[\t:]", word)[0] for word in done.stdout.split("\n") if word]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("corpus-spider exp", ["export"]),
        ("corpus-spider export --min-c", ["--min-chars", "--min-confidence"]),
        ("corpus-spider export --versions a", ["all"]),
    ],
)
def test_a_shell_completes_verbs_options_and_values(shell: str, line: str, expected: list[str], tmp_path: Path) -> None:
    """Set up by the lines of the page, in a real shell."""
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}: apt-get install {shell}")
    assert sorted(offered(shell, line, tmp_path)) == expected
