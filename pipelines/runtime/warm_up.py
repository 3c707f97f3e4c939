"""Warm-up of the fork server: importing this module loads all that a worker needs.

The fork server imports modules by name and calls nothing, so the import itself processes small pages. Otherwise every
worker would load the libraries again, in the time of its first page, and hold their tables in memory of its own.
"""

from __future__ import annotations

import gc
import signal
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache

from pipelines.runtime.heap import share_heap, trim

PARAGRAPH = "Hôm nay người dân thành phố ra phố đi dạo, nghe nhạc, đọc sách và ăn bánh mì dưới hàng cây xanh ven sông. "
HEAD = "<head><title>Bài</title></head><time>Thứ Bảy, 21/11/2026</time>"
PAGE = f"<html>{HEAD}<article>{f'<p>{PARAGRAPH * 3}</p>' * 4}</article></html>"
SHORT_TEXT = "Stadtfest am Fluss"
"""Text with so few common words that langdetect votes on its language too."""
MOJIBAKE = "TÃ\xa0i sáº£n"
FEED = "<rss version='2.0'><channel><item><link>http://a.example/1</link></item></channel></rss>"


@cache
def warm() -> None:
    """Process a page in a legacy encoding, a feed, a short text and mojibake.

    Raises any error of a module that cannot be loaded.
    """
    from pipelines.language import identify
    from pipelines.page.process import process
    from pipelines.text.normalise import whole_letters
    from storage.records import Capture, Kind, SiteModel

    model = SiteModel(site="warm", hosts=("a.example",))
    now = datetime.now(UTC)
    for kind, body in ((Kind.PAGE, PAGE.encode("cp1258", "ignore")), (Kind.FEED, FEED.encode())):
        process(Capture("http://a.example/", now, 200, (), (), body, kind), model)
    identify(SHORT_TEXT)
    whole_letters(MOJIBAKE)


# The parent decides about signals to the process group. Workers die with the fork server.
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
# The fork server would end with a traceback for each attempt to start it. The first worker reports the error instead.
share_heap()
with suppress(Exception):
    warm()
# A collection writes to each object that it looks at. So the workers would get a copy of the memory that they share.
gc.collect()
gc.freeze()
# This process runs nothing more, so what is free would stay here.
trim()
