"""Imported by the fork server of the workers: it processes one small page, so that each worker starts with all loaded.

Libraries that are imported where they are used would otherwise be imported again by every worker, on the time of its
first page.
"""

from __future__ import annotations

import signal
from datetime import UTC, datetime

from pipelines.process import process
from storage.records import Capture, Kind, SiteModel

PARAGRAPH = "Hôm nay người dân thành phố ra phố đi dạo, nghe nhạc, đọc sách và ăn bánh mì dưới hàng cây xanh ven sông. "
HEAD = "<head><title>Bài</title></head><time>Thứ Bảy, 21/11/2026</time>"
PAGE = f"<html>{HEAD}<article>{f'<p>{PARAGRAPH * 3}</p>' * 4}</article></html>"
FEED = "<rss version='2.0'><channel><item><link>http://a.example/1</link></item></channel></rss>"


def warm() -> None:
    """Process a page in a legacy encoding and a feed, whatever comes of it."""
    model = SiteModel(site="warm", hosts=("a.example",))
    now = datetime.now(UTC)
    for kind, body in ((Kind.PAGE, PAGE.encode("cp1258", "ignore")), (Kind.FEED, FEED.encode())):
        process(Capture("http://a.example/", now, 200, (), (), body, kind), model)


def ignore_stopping() -> None:
    """Leave it to the parent what Ctrl-C or SIGTERM to the process group means: workers die with the fork server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


ignore_stopping()
warm()
