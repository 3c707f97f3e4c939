"""Downloads: the selected documents as JSON lines, CSV or Parquet, and the lines of a concordance."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from corpus_spider.search.answers import answered
from corpus_spider.search.hits.concordance_rules import DAY, LINE_FIELDS
from corpus_spider.terminal.row_files import text_of_rows
from corpus_spider.web.query import web_query
from corpus_spider.web.views import refusal, served
from corpus_spider.web.views.inert import refuse_others
from storage.exports import fields
from storage.exports.format_table import STREAM_FORMATS
from storage.exports.formats.spreadsheet import BYTE_ORDER_MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO

    from starlette.requests import Request
    from starlette.responses import Response

    from corpus_spider.web.query import WebQuery
    from corpus_spider.web.state import ServedCorpus
    from storage.documents.model import CorpusDocument

MAX_DOWNLOAD_DOCUMENTS = 20_000
"""Documents of a download, the newest. The command that the page shows exports all."""
DOWNLOAD_SECONDS = 30.0
"""Seconds in which the file must be made."""
TYPES = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
"""Formats of a download, and their media types."""
LINE_TYPES = {name: TYPES[name] for name in ("csv", "jsonl")}
MAX_DOWNLOAD_LINES = 5_000
"""Lines of a concordance. The command that the page shows gives 10,000."""
_PAGE, _PIECE = 200, 2**18


def download(request: Request) -> Response:
    """Return the selected documents."""
    here, name, asked = _asked(request, TYPES)
    with here.index() as index:
        ids = index.find(asked.question, asked.selection, most=MAX_DOWNLOAD_DOCUMENTS, order=DAY).ids
    return file_of(here, f"documents.{name}", TYPES[name], partial(_write_documents, here, name, ids))


def download_lines(request: Request) -> Response:
    """Return the lines of a concordance, each with the reference to its document."""
    here, name, asked = _asked(request, LINE_TYPES)
    if error := refusal(here, asked.selection):
        raise error
    return file_of(here, f"lines.{name}", LINE_TYPES[name], partial(_write_lines, here, name, asked))


def _asked(request: Request, types: Mapping[str, str]) -> tuple[ServedCorpus, str, WebQuery]:
    """Return the corpus, the form of the file, which is one of ``types``, and what it is about."""
    refuse_others(request)
    here, name = served(request), request.path_params["format"]
    if name not in types:
        raise HTTPException(404)
    return here, name, web_query(request.query_params, here.selections)


def _write_documents(here: ServedCorpus, name: str, ids: list[str], file: BinaryIO) -> None:
    STREAM_FORMATS[name](map(fields.row, _documents(here, ids)), file)


def _write_lines(here: ServedCorpus, name: str, asked: WebQuery, file: BinaryIO) -> None:
    wanted = replace(asked.lines, most=MAX_DOWNLOAD_LINES, page=1)
    with here.index() as index:
        answer = answered(index, here.corpus, asked.question, asked.selection, wanted)
    mark = BYTE_ORDER_MARK if name == "csv" else ""
    file.write((mark + text_of_rows([place.row() for place in answer.places], name, LINE_FIELDS)).encode())


def file_of(here: ServedCorpus, name: str, media_type: str, write: Callable[[BinaryIO], None]) -> Response:
    """Return a file that is made before it is sent, so that an error is an answer of its own."""
    file = tempfile.TemporaryFile()  # noqa: SIM115, closed by the answer
    try:
        with here.expensive(DOWNLOAD_SECONDS):
            write(file)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    headers = {"Content-Length": str(size), "Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_pieces(file), headers=headers, media_type=media_type)


def _documents(here: ServedCorpus, ids: list[str]) -> Iterator[CorpusDocument]:
    for start in range(0, len(ids), _PAGE):
        yield from here.corpus.documents.of_ids(ids[start : start + _PAGE])


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece
