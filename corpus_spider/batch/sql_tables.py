"""Tables that the queries of `dedup` read, in DuckDB or on Spark. The queries are the same text for both.

Tables and results are streams of Arrow batches. Spark reads and writes them as Parquet files in a folder that the
driver and the executors share: so the driver holds no table, and pandas is not needed.
"""

from __future__ import annotations

import shutil
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from pyarrow.parquet import ParquetFile, ParquetWriter

from corpus_spider.batch.spark_session import job_errors, spark_session
from storage.errors import ConfigError, DiskError
from storage.exports.files import disk_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow

ROWS_AT_ONCE = 1 << 18
"""Rows that are read or written at a time."""
_APPLICATION = "corpus-spider dedup"


class SqlTables(Protocol):
    """Tables of a search. Each is declared, then filled, then read."""

    def declare(self, table: str, columns: pyarrow.Schema) -> None:
        """Make a table without rows."""

    def insert(self, table: str, rows: pyarrow.Table) -> None:
        """Add rows to a declared table, before a query reads it."""

    def create(self, table: str, query: str) -> None:
        """Make a table of the rows of a query."""

    def rows(self, query: str) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows of a query, in its order. No other query may run before the last row."""


class DuckTables:
    """Tables in a DuckDB database."""

    def __init__(self, database: Any) -> None:
        self._database = database

    def declare(self, table: str, columns: pyarrow.Schema) -> None:
        """Make a table without rows."""
        self._with(columns.empty_table(), f"CREATE TABLE {table} AS SELECT * FROM added")  # noqa: S608 - as in `insert`

    def insert(self, table: str, rows: pyarrow.Table) -> None:
        """Add rows to a declared table, before a query reads it."""
        self._with(rows, f"INSERT INTO {table} SELECT * FROM added")  # noqa: S608 - names from `dedup`

    def create(self, table: str, query: str) -> None:
        """Make a table of the rows of a query."""
        self._database.execute(f"CREATE TABLE {table} AS {query}")

    def rows(self, query: str) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows of a query, in its order. No other query may run before the last row."""
        yield from self._database.sql(query).to_arrow_reader(ROWS_AT_ONCE)

    def _with(self, rows: pyarrow.Table, command: str) -> None:
        self._database.register("added", rows)
        self._database.execute(command)
        self._database.unregister("added")


class SparkTables:
    """Tables as folders of Parquet files, which Spark reads and writes."""

    def __init__(self, session: Any, folder: Path) -> None:
        self._session, self._folder = session, folder / "tables"
        with disk_errors(folder):
            self._folder.mkdir()
        self._filling: dict[str, ParquetWriter] = {}
        self._waiting: dict[str, list[pyarrow.Table]] = {}

    def declare(self, table: str, columns: pyarrow.Schema) -> None:
        """Make a table without rows."""
        with disk_errors(self._folder):
            (self._folder / table).mkdir()
            self._filling[table] = ParquetWriter(self._folder / table / "rows.parquet", columns)
        self._waiting[table] = []

    def insert(self, table: str, rows: pyarrow.Table) -> None:
        """Add rows to a declared table, before a query reads it."""
        waiting = self._waiting[table]
        waiting.append(rows.cast(self._filling[table].schema))
        if sum(map(len, waiting)) >= ROWS_AT_ONCE:
            self._write(table)

    def create(self, table: str, query: str) -> None:
        """Make a table of the rows of a query."""
        self._fill()
        with job_errors():
            self._session.sql(query).write.parquet((self._folder / table).as_uri())
            self._show(table)

    def rows(self, query: str) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows of a query, in its order. No other query may run before the last row."""
        self.create("result", query)
        # The files of a sorted result are numbered in its order.
        for path in sorted((self._folder / "result").glob("part-*.parquet")):
            with ParquetFile(path) as file:
                yield from file.iter_batches(ROWS_AT_ONCE)
        shutil.rmtree(self._folder / "result")

    def close(self) -> None:
        """Close the files of tables that no query has read."""
        for writer in self._filling.values():
            writer.close()

    def _fill(self) -> None:
        """Finish the declared tables."""
        for table in tuple(self._filling):
            self._write(table)
            with disk_errors(self._folder):
                self._filling.pop(table).close()
            self._show(table)

    def _write(self, table: str) -> None:
        with disk_errors(self._folder):
            for rows in self._waiting[table]:
                self._filling[table].write_table(rows)
        self._waiting[table] = []

    def _show(self, table: str) -> None:
        self._session.read.parquet((self._folder / table).as_uri()).createOrReplaceTempView(table)


@contextmanager
def duck_tables(folder: Path, memory: int) -> Iterator[DuckTables]:
    """Open a new DuckDB database in a folder, with a limit of memory in bytes.

    Raises ConfigError without the extra ``dedup`` and when the memory is too small, DiskError when the disk is full.
    """
    try:
        import duckdb
    except ImportError as error:
        raise ConfigError("`dedup` needs the extra `dedup`", do="pip install 'corpus-spider[dedup]'") from error
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory}B",
        "temp_directory": str(folder / "spilled"),
        "autoinstall_known_extensions": "false",
    }
    try:
        with duckdb.connect(str(folder / "keys.duckdb"), config=config) as database:
            yield DuckTables(database)
    except duckdb.OutOfMemoryException as error:
        if "disk" in str(error) or "temp" in str(error).casefold():
            raise DiskError(_first_line(error), where=str(folder), do=OTHER_DISK) from error
        do = "Allow more with --memory."
        raise ConfigError("the memory limit is too small", where="--memory", do=do) from error
    except (duckdb.IOException, duckdb.TransactionException) as error:
        # A commit that cannot write its log is an error of the transaction.
        raise DiskError(_first_line(error), where=str(folder), do=OTHER_DISK) from error


@contextmanager
def spark_tables(folder: Path) -> Iterator[SparkTables]:
    """Open tables in a folder that the executors share, on the Spark that the environment configures.

    Raises ConfigError without PySpark or Java, CorpusError when a job has failed.
    """
    with spark_session(_APPLICATION) as session, closing(SparkTables(session, folder)) as tables:
        yield tables


OTHER_DISK = "Free some space, or set TMPDIR to a folder on a larger disk."


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
