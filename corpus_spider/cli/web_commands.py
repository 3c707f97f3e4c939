"""Command: serve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpus_spider.cli.options import verb_of

if TYPE_CHECKING:
    from corpus_spider.cli.options import CommonOptions

verbs = click.Group()
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@verb_of(
    verbs,
    (
        "serve",
        "serve --listen 127.0.0.1:9000",
        "serve --listen 0.0.0.0:443 --token-file token --tls-cert cert.pem --tls-key key.pem",
        "serve --listen 0.0.0.0:8321 --token-file token --behind-proxy corpus.example.org",
    ),
)
@click.option("--listen", default="127.0.0.1:8321", show_default=True, metavar="HOST:PORT", help="Where to listen.")
@click.option("--token-file", type=_FILE, metavar="FILE", help="File with the token that visitors must give.")
@click.option("--tls-cert", type=_FILE, metavar="FILE", help="TLS certificate chain (PEM).")
@click.option("--tls-key", type=_FILE, metavar="FILE", help="Private key of the certificate (PEM).")
@click.option("--behind-proxy", default="", metavar="HOST", help="Host name of a TLS proxy in front of the server.")
def serve(state: CommonOptions, /, **options: Any) -> None:
    """Show the corpus as a web page.

    The page is read-only, and by default only this machine can reach it. Beyond that it needs a token and TLS. A crawl
    may run meanwhile.
    """
    from corpus_spider.web import serving

    config = state.load_made()
    names = ("listen", "token_file", "tls_cert", "tls_key", "behind_proxy")
    where = serving.listening(*(options[name] for name in names))
    serving.serve(config, where, state.console.note)
