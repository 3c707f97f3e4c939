"""Verbs for those who keep a corpus: take texts out, on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from corpus_spider.options import as_json, verb_of

if TYPE_CHECKING:
    from corpus_spider.options import State

keeping = click.Group()
"""Holds the verbs until the program takes them over."""


@verb_of(
    keeping,
    (
        "remove --url https://news.example.org/story-1.html --reason 'request of the author' --dry-run",
        "remove --domain news.example.org --reason 'request of the publisher'",
        "remove",
    ),
)
@click.option("--url", metavar="URL", help="This page, under whatever spelling of its address.")
@click.option("--domain", metavar="NAME", help="Every page of this domain and of those below it.")
@click.option("--id", metavar="ID", help="The page of this document.")
@click.option("--author", metavar="NAME", help="Every page that states this author.")
@click.option("--reason", metavar="TEXT", help="Why; it is kept.")
@click.option("--duplicates", is_flag=True, help="Also the pages whose texts repeat these.")
@click.option("--dry-run", is_flag=True, help="Tell what would go; change nothing.")
@as_json
def remove(state: State, /, **options: Any) -> None:
    """Take texts out of the corpus, and keep them out.

    Text, title, author and fingerprints are deleted, the originals emptied, the addresses never asked for again.
    Without a page to remove it finishes removals that were interrupted, and empties what has come in since of a
    removed author.
    """
    from corpus_spider import removal

    named = {name: options[name] for name in ("url", "domain", "id", "author")}
    request = removal.request_of(named, options["reason"], duplicates=options["duplicates"])
    report = removal.remove(state.load_made(), request, dry_run=options["dry_run"])
    state.console.json(report) if options["as_json"] else state.console.result(removal.letter(report))
