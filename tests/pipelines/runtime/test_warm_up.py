"""The fork server loads what pages need, so that workers share it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import pipelines.runtime.warm_up
before = set(sys.modules)
from datetime import UTC, datetime
from pipelines.language import identify
from pipelines.page.process import process
from storage.records import Capture, Kind, SiteModel
for text in ("Santiago Bernabéu", "Hamburg, Bremen", "ประเทศไทย"):
    identify(text)
page = "<title>Fête à Hanoï</title><p>5 août 2019</p>" + "<p>La fête a réuni mille personnes hier soir.</p>" * 9
for body, kind in (
    (page, Kind.PAGE),
    ("<urlset><url><loc>http://a.example/1</loc></url></urlset>", Kind.SITEMAP),
):
    capture = Capture("http://a.example/", datetime.now(UTC), 200, (), (), body.encode("latin-1"), kind)
    process(capture, SiteModel(site="a", hosts=("a.example",)))
print(*sorted(name for name in set(sys.modules) - before if not name.startswith("encodings")))
"""


def test_pages_and_short_texts_load_no_further_module() -> None:
    """A worker would load it in the time of its first page, into memory of its own."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
