"""Downloads: the selected documents as a file of JSON lines, CSV or Parquet."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from corpus_spider.search.searching import DAY
from corpus_spider.web.query import web_query
from corpus_spider.web.views import served
from corpus_spider.web.views.inert import refuse_others
from storage.exports import fields
from storage.exports.formats import STREAM_FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from starlette.requests import Request
    from starlette.responses import Response

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
_PAGE, _PIECE = 200, 2**18


def download(request: Request) -> Response:
    """Return the selected documents. The file is made before it is sent, so that an error is an answer of its own."""
    refuse_others(request)
    here, name = served(request), request.path_params["format"]
    if name not in TYPES:
        raise HTTPException(404)
    asked = web_query(request.query_params, here.selections)
    with here.index() as index:
        ids = index.find(asked.question, asked.selection, most=MAX_DOWNLOAD_DOCUMENTS, order=DAY).ids
    file = tempfile.TemporaryFile()  # noqa: SIM115, closed by the answer
    try:
        with here.expensive(DOWNLOAD_SECONDS):
            STREAM_FORMATS[name](map(fields.row, _documents(here, ids)), file)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    headers = {"Content-Length": str(size), "Content-Disposition": f'attachment; filename="documents.{name}"'}
    return StreamingResponse(_pieces(file), headers=headers, media_type=TYPES[name])


def _documents(here: ServedCorpus, ids: list[str]) -> Iterator[CorpusDocument]:
    for start in range(0, len(ids), _PAGE):
        yield from here.corpus.documents.of_ids(ids[start : start + _PAGE])


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece
