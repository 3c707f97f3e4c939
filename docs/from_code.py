"""Sphinx extension: make the reference from the program itself, when the site is built."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tables import expand

from corpus_spider.cli.options import COMMON, PROGRAM

if TYPE_CHECKING:
    import click
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the handlers of events."""
    app.connect("source-read", fill_in)
    app.connect("sphinx-click-process-description", escape)
    app.connect("sphinx-click-process-options", without_common_options)
    app.connect("sphinx-click-process-epilog", show_examples)
    return {"parallel_read_safe": True}


def fill_in(_: Sphinx, __: str, content: list[str]) -> None:
    """Put the tables of the program into a page."""
    content[0] = expand(content[0])


def escape(_: Sphinx, __: click.Context, lines: list[str]) -> None:
    """Keep asterisks as they are: reStructuredText would read ``govern*`` as the start of an emphasis."""
    lines[:] = [line.replace("*", r"\*") for line in lines]


def without_common_options(_: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Leave out the options that all verbs share, except in the entry of the program itself."""
    if context.parent is None:
        return
    shared = {name for option in context.command.params[: len(COMMON)] for name in option.opts}
    kept, skipping = [], False
    for line in lines:
        if line.startswith(".. option:: "):
            skipping = bool(shared & set(re.findall(r"(?<![\w-])--?[a-z-]+", line)))
        if not skipping:
            kept.append(line)
    lines[:] = kept


def show_examples(_: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Show the examples of a verb as commands of a terminal."""
    epilog = (context.command.epilog or "").splitlines()
    commands = [line.strip() for line in epilog if line.strip().startswith(f"{PROGRAM} ")]
    if not commands:
        return
    lines[:] = ["", ".. code-block:: console", "", *(f"   $ {command}" for command in commands), ""]
