"""The Spark that the environment configures: its session, and the errors of its jobs."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from storage.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

INSTALL = "pip install 'corpus-spider[spark]', and Java 17."
_PYTHON = "PYSPARK_PYTHON"
_NO_REASON = "An error occurred while calling"


@contextmanager
def spark_session(application: str) -> Iterator[Any]:
    """Start Spark, and stop it at the end. Raises ConfigError without PySpark or Java."""
    try:
        from pyspark.errors import PySparkRuntimeError
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ConfigError("`--engine spark` needs the extra `spark`", do=INSTALL) from error
    # Executors would take the python3 of the path.
    os.environ.setdefault(_PYTHON, sys.executable)
    try:
        session = SparkSession.builder.appName(application).getOrCreate()
    except PySparkRuntimeError as error:
        raise ConfigError("Spark does not start", where=str(error).splitlines()[0], do=INSTALL) from error
    with session:
        yield session


@contextmanager
def job_errors() -> Iterator[None]:
    """Raise CorpusError in the place of Spark's errors."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in {"py4j", "pyspark"}:
            raise
        # Some messages begin with a blank line, or with the name of a Java object.
        lines = [line.strip(": ") for line in str(error).splitlines() if line.strip()]
        what = next((line for line in lines if not line.startswith(_NO_REASON)), type(error).__name__)
        do = "See the log of the Spark job, and start again. Finished parts stay."
        raise CorpusError(f"the Spark job has failed: {what}", do=do) from error
