"""Databases for the tests: a PostgreSQL server of their own, and fixtures that run a test on both databases. What
Hypothesis draws is the same in every run but the thorough ones, and the machine may be slow.
"""

from __future__ import annotations

import itertools
import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import text

from storage import plugins
from storage.corpus import Corpus
from storage.database.schema import metadata
from tests.signals import pytest_configure, pytest_runtest_logstart  # noqa: F401 - hooks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

# A busy machine is slow to draw, and fixtures of a function may serve many examples where a test sees to it.
PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
settings.register_profile("same", derandomize=True, database=None, deadline=None, suppress_health_check=PATIENT)
settings.register_profile("thorough", print_blob=True, deadline=None, suppress_health_check=PATIENT)
settings.load_profile("thorough" if os.environ.get("CORPUS_SPIDER_THOROUGH") == "1" else "same")

PROGRAMS = ("initdb", "pg_ctl", "postgres")
NOT_INSTALLED = "install PostgreSQL: apt-get install postgresql"
SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 40
"""


MAX_TABLE_BYTES = 1 << 16
"""Size of a table up to which its rows are deleted. TRUNCATE makes new files, and takes 20 times as long."""
LARGE = f"SELECT bool_or(pg_relation_size(oid) > {MAX_TABLE_BYTES}) FROM pg_class WHERE relkind = 'r' AND oid >= 16384"
TRUNCATE = f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY"
DELETE = "; ".join(
    (
        "SET LOCAL session_replication_role = replica",
        *(f"DELETE FROM {name}" for name in metadata.tables),
        "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false) FROM pg_sequences",
    )
)


def empty(connection: Connection) -> None:
    """Delete all rows of a PostgreSQL corpus, referenced ones too, and begin to count again."""
    connection.execute(text(TRUNCATE if connection.execute(text(LARGE)).scalar_one() else DELETE))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what crash tests did, seeds included, so that a run can be repeated."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{report.nodeid} {name}: {value}")


@pytest.fixture(autouse=True, scope="module")
def _plugins_are_forgotten() -> Iterator[None]:
    """A process may load what any configuration that it has read names. No module of tests leaves that to the next."""
    before = plugins.allowed()
    yield
    plugins._allowed.clear()
    plugins.allow(before)


def find_programs() -> Path | None:
    """Return the folder that has the programs of a PostgreSQL server, the newest one of Debian's last."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if all((folder / name).exists() for name in PROGRAMS)), None)


def unprivileged_user() -> str | None:
    """Return the user to run the server as, because PostgreSQL refuses root. None: the user of the tests."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


def free_port() -> int:
    """Return a free port, of those below the ones that the system gives to connections by itself: one of
    these could be anybody's by the time a server starts, or starts again.
    """
    own = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(own // 2, own), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError(f"none of 100 ports below {own} is free")


@dataclass
class PostgresServer:
    """A server in a folder of its own, on a free port of the loopback address, without a password."""

    programs: Path
    folder: Path
    port: int = field(default_factory=free_port)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of the programs; what it and the server have said last is told with its failure."""
        command = [str(self.programs / program), "-D", str(self.folder / "data"), *arguments]
        environment = os.environ | {"PGCTLTIMEOUT": "280"}
        with (self.folder / "programs.log").open("ab") as log:
            outputs: Any = {"stdout": log, "stderr": log}
            done = subprocess.run(
                command, check=False, cwd=self.folder, user=unprivileged_user(), env=environment, timeout=300, **outputs
            )
        if done.returncode:
            logs = [path.read_text(errors="replace")[-2000:] for path in sorted(self.folder.glob("*.log"))]
            error = subprocess.CalledProcessError(done.returncode, command)
            error.add_note("\n".join(logs))
            raise error

    def create(self) -> None:
        user = unprivileged_user()
        if user:
            shutil.chown(self.folder, user)
        self.run("initdb", "-U", "corpus", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        with (self.folder / "data" / "postgresql.conf").open("a") as file:
            file.write(SETTINGS)

    def start(self) -> None:
        self.run("pg_ctl", "-w", "-l", str(self.folder / "server.log"), "-o", f"-p {self.port}", "start")

    def start_somewhere(self) -> None:
        """Start for the first time, on another port should somebody have been faster."""
        for _ in range(5):
            with suppress(subprocess.CalledProcessError):
                return self.start()
            self.port = free_port()
        return self.start()

    def start_again(self) -> None:
        """Start if it does not run."""
        try:
            self.run("pg_ctl", "status")
        except subprocess.CalledProcessError:
            self.start()

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "-w", "-m", mode, "stop")

    def promote(self) -> None:
        """Have the server, which is stopped, start next as a standby that has been promoted in the meantime."""
        signal = self.folder / "data" / "standby.signal"
        signal.touch()
        if user := unprivileged_user():
            shutil.chown(signal, user)
        self.run("pg_ctl", "-w", "-l", str(self.folder / "server.log"), "-o", f"-p {free_port()}", "start")
        self.run("pg_ctl", "-w", "promote")
        self.stop("fast")

    def url(self, database: str) -> str:
        return f"postgresql://corpus@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def new_database(self) -> str:
        name = f"test{next(self.numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return name


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A running PostgreSQL server, stopped when the tests end; skips where PostgreSQL is not installed."""
    programs = find_programs()
    if programs is None:
        pytest.skip(NOT_INSTALLED)
    # Not below pytest's own folder, which only its user may enter.
    folder = Path(tempfile.mkdtemp(prefix="corpus-postgres-"))
    server = PostgresServer(programs, folder)
    try:
        server.create()
        server.start_somewhere()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a new, empty PostgreSQL database."""
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    postgres_server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new corpus may be made: a test that asks for it runs once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'corpus.db'}"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty SQLite corpus to copy, which is quicker than making one for every test."""
    path = tmp_path_factory.mktemp("template") / "corpus.db"
    Corpus.open(path, create=True).close()
    return path


@pytest.fixture(scope="session")
def shared_postgresql_url(postgres_server: PostgresServer) -> str:
    """A PostgreSQL corpus that is emptied for every test, which is quicker than making one."""
    url = postgres_server.url(postgres_server.new_database())
    Corpus.open(url, create=True).close()
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Corpus]:
    """An empty corpus, on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        where = str(shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "corpus.db"))
    else:
        where = str(request.getfixturevalue("shared_postgresql_url"))
    with Corpus.open(where) as opened:
        if request.param == "postgresql":
            opened.database.write(empty)
        yield opened
