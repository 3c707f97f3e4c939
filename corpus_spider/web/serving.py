"""Run the web server: where it listens, who may ask, with or without TLS."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus_spider.search.index.builder import is_current, refresh_aside
from storage.corpus import Corpus
from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus_spider.config.model import Config
    from corpus_spider.web.state import ServedCorpus

logger = logging.getLogger(__name__)
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
DEFAULT_ADDRESS = "127.0.0.1:8321"
_MIN_TOKEN_CHARS = 20
"""Characters that a token has at least."""
_TLS = "Give --tls-cert and --tls-key, or name the host that a TLS proxy answers to with --behind-proxy."
REFRESH_SECONDS = 600.0
"""Interval at which the server refreshes the search index."""


@dataclass(frozen=True, slots=True)
class ListenSettings:
    """Where and how the server listens. ``proxy_host``: host name that a TLS proxy answers to; empty: none."""

    host: str
    port: int
    token: str = ""
    certificate: Path | None = None
    key: Path | None = None
    proxy_host: str = ""

    @property
    def hosts(self) -> frozenset[str]:
        """Host names that the server answers to."""
        named = f"[{self.host}]" if ":" in self.host else self.host.lower()
        anywhere = self.host in {"0.0.0.0", "::"}  # noqa: S104, compared and not bound here
        return LOOPBACK_NAMES | ({self.proxy_host.lower()} - {""}) | (frozenset() if anywhere else {named})

    @property
    def address(self) -> str:
        """URL for a browser on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}/"


def listening(
    listen: str, token_file: Path | None, certificate: Path | None, key: Path | None, proxy_host: str
) -> ListenSettings:
    """Check where the server shall listen. Beyond loopback it needs a token and TLS: ConfigError without them."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdigit() or not 0 <= int(port) < 2**16:
        do = f"Use --listen {DEFAULT_ADDRESS}, or another port."
        raise ConfigError(f'expected HOST:PORT, got "{listen}"', where="--listen", do=do)
    if bool(certificate) != bool(key):
        raise ConfigError("a certificate needs its key and a key its certificate", do=_TLS)
    token = read_token(token_file) if token_file else ""
    if not is_loopback(host):
        if not token:
            do = "Write a long random token into a file with mode 600, and name it with --token-file."
            raise ConfigError("to listen beyond this machine a token is required", where=listen, do=do)
        if not certificate and not proxy_host:
            raise ConfigError("to listen beyond this machine TLS is required", where=listen, do=_TLS)
    return ListenSettings(host, int(port), token, certificate, key, proxy_host)


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def read_token(path: Path) -> str:
    """Read the token of a file. ConfigError if it is short, or if others can read the file."""
    try:
        mode, text = path.stat().st_mode, path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        do = "Name a readable file with --token-file."
        raise ConfigError(f"the token cannot be read: {error}", where=str(path), do=do) from error
    if mode & 0o077:
        raise ConfigError("others can read the token", where=str(path), do=f"Run: chmod 600 {path}")
    if len(text) < _MIN_TOKEN_CHARS:
        what = f"the token has {len(text)} characters, and needs {_MIN_TOKEN_CHARS}"
        raise ConfigError(what, where=str(path), do="Make one with: openssl rand -hex 24")
    return text


def bind(where: ListenSettings) -> socket.socket:
    """Open the socket that the server listens on, with a free port for port 0. ConfigError if it cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
        return socket.create_server((where.host, where.port), family=family, backlog=2048)
    except OSError as error:
        do = "Name another with --listen HOST:PORT; port 0 takes a free one."
        what = f"the server cannot listen there: {error.strerror or error}"
        raise ConfigError(what, where=f"{where.host}:{where.port}", do=do) from error


def serve(config: Config, where: ListenSettings, note: Callable[[str], None]) -> None:
    """Serve a corpus until a signal ends it. Refreshes the search index now and then, if no other process does.

    Raises ConfigError if the address is in use, or packages are missing.
    """
    try:
        import uvicorn

        from corpus_spider.web.application import application
        from corpus_spider.web.connections import LimitedLoop, LimitedProtocol
        from corpus_spider.web.state import MAX_VIEW_SECONDS, ServedCorpus
    except ImportError as error:
        do = "Install the extra `web`: make web, or pip install 'corpus-spider[web]'."
        raise ConfigError(f"the web page needs the package {error.name}", do=do) from error
    with (
        Corpus.open(config.database_url, read_only=True, seconds=MAX_VIEW_SECONDS) as corpus,
        Corpus.open(config.database_url, read_only=True) as unlimited,
        bind(where) as listening_socket,
    ):
        served = ServedCorpus(config, corpus)
        # The first original would wait a second or two for the processes that read it.
        served.workers()
        app = application(served, where.hosts, where.token)
        over = threading.Event()
        refresher = threading.Thread(target=_keep_fresh, args=(served, unlimited, over), name="index", daemon=True)
        refresher.start()
        settings = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            http=LimitedProtocol,
            ws="none",
            lifespan="off",
            ssl_certfile=where.certificate,
            ssl_keyfile=where.key,
            timeout_keep_alive=5,
        )
        at = replace(where, port=listening_socket.getsockname()[1])
        note(f"The corpus {config.corpus.name} is at {at.address} until you press Ctrl-C.")
        try:
            with asyncio.Runner(loop_factory=LimitedLoop) as runner:
                runner.run(uvicorn.Server(settings).serve(sockets=[listening_socket]))
        finally:
            over.set()
            served.close()


def _keep_fresh(served: ServedCorpus, corpus: Corpus, over: threading.Event) -> None:
    config = served.config
    while True:
        try:
            # The first visitor of a million documents would wait for two seconds.
            served.status()
            if not is_current(corpus, config.index_folder):
                refresh_aside(config.database_url, config.index_folder, over)
        except CorpusError as error:
            logger.warning("the search index was not refreshed: %s", error)
        if over.wait(REFRESH_SECONDS):
            return
