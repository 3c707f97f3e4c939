"""Command: plot. Figures of single pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import allow_private, as_json, page_url, verb_of

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions

_FILE = click.Path(dir_okay=False, path_type=Path)
verbs = click.Group()


@verb_of(
    verbs,
    (
        "plot page.html --extractor r2l -o figure.svg",
        "plot https://news.example.org/article --extractor bte -o figure.png",
        "plot 0123456789abcdef0123456789abcdef -o figure.svg --json",
    ),
)
@click.argument("target", metavar="URL|ID|FILE|-")
@click.option(
    "--extractor", metavar="NAME", default="", help="Extractor to explain. [default: that of the site, or auto]"
)
@click.option("-o", "--output", type=_FILE, metavar="PATH", help="Figure: .svg, .png or .pdf.")
@click.option("--p", type=click.IntRange(1, 1000), help="Parameter P of r2l and dana, lines.")
@page_url
@allow_private
@as_json
def plot(state: CommonOptions, /, target: str, **options: Any) -> None:
    """Draw why an extractor chose the text of one page.

    Shows the numbers of each line, word or block, and the region that the text is from. `--json` prints the numbers. A
    page of the corpus is read from its WARC file, any other address is fetched. Exit code 7 if the page cannot be
    fetched or read.
    """
    from corpus_spider.api.explained_page import explained, find_page
    from corpus_spider.figures.drawing import require_library
    from pipelines.extractors.registry import explainer

    output = options["output"]
    form = _ending(output)
    if not (output or options["as_json"]):
        raise click.UsageError("Name a file with -o, or use --json.")
    if output:
        require_library()
    config = state.load_or_default()
    if options["extractor"]:
        explainer(options["extractor"])
    page = find_page(config, target, options["url"], allow_private=options["allow_private"])
    model = page.model.with_extractor(options["extractor"] or page.model.extractor)
    if options["p"]:
        model = replace(model, parameters=(("p", options["p"]),))
    figure = explained(config, page, model)
    if output:
        _write(output, figure.draw(form))
    if options["as_json"]:
        state.console.json(figure.data)
    state.console.note(figure.caption)


def _ending(file: Path | None) -> str:
    """Return the ending of a figure's name without its dot; "" without a file."""
    from corpus_spider.figures.drawing import FORMS

    if file is None:
        return ""
    ending = file.suffix.lower().removeprefix(".")
    if ending not in FORMS:
        raise click.UsageError(f"-o: the name must end in {', '.join(f'.{one}' for one in FORMS)}.")
    return ending


def _write(file: Path, content: bytes) -> None:
    from storage.disk import disk_errors, replace_file

    with disk_errors(file):
        replace_file(file, content, 0o666)
