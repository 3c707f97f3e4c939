"""An original for a frame, inert, of a page with or without a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from corpus_spider.archive.originals import read_original
from corpus_spider.web.guard import is_from_here
from corpus_spider.web.original import POLICY, frame, notice
from corpus_spider.web.state import BusyError
from corpus_spider.web.translation import gettext
from storage.errors import CorpusError
from storage.records import Drop

if TYPE_CHECKING:
    from starlette.requests import Request

    from corpus_spider.web.state import ServedCorpus
    from storage.records import Pointer


def inert(here: ServedCorpus, pointer: Pointer, lines: tuple[str, ...] = (), language: str = "") -> Response:
    """Return the original at a pointer, inert, with these lines of its text marked."""
    try:
        capture = read_original(here.config, here.corpus, pointer)
    except CorpusError as error:
        return framed(notice(gettext("The original cannot be shown: %(reason)s.") % {"reason": error.what}), 404)
    try:
        with here.expensive():
            page = here.workers().inert(capture, lines).result()
    except BusyError as error:
        return framed(notice(gettext(str(error))), 503)
    if isinstance(page, Drop):
        return framed(notice(gettext("The original cannot be shown: %(reason)s.") % {"reason": page.in_words}), 404)
    return framed(frame(page, language))


def framed(html: str, status: int = 200) -> Response:
    """Return a document for the frame, with its policy."""
    return HTMLResponse(html.encode("utf-8", "replace"), status, {"Content-Security-Policy": POLICY})


def refuse_others(request: Request) -> None:
    """Refuse requests that pages of other sites make: these views cost the time of a worker."""
    if not is_from_here(request.headers):
        raise HTTPException(403)
