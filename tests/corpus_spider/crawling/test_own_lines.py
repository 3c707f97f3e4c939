"""The publisher's own lines in crawls: known from the second night on, left out of new texts and by `reextract`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, paragraphs, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path

PITCH = [
    "Đọc báo nhiều hơn, hiểu đời sâu hơn!",
    "Hai mươi bốn bài đặc sắc mỗi tháng với giá chín mươi đồng, hãy thử ngay hôm nay.",
    "Hãy ở lại với chúng tôi thật đông, để cùng nhau làm nên một tờ báo tử tế cho mọi người dân.",
]
HEADING = "Những điều đã biết"
PLACES = ("<div class=hop>{}</div>", "<section><div><div class=moi>{}</div></div></section>", "{}")


class Pitching(Newspaper):
    """A newspaper with a pitch on every article, in three layouts, and a heading within every second one."""

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = super().answer(path)
        if path.startswith("/article/") and status == 200:
            number = int(path[9:])
            box = "<h3>{}</h3><p>{}</p><p>{}</p>".format(*PITCH)
            own = paragraphs(number)
            page = article(number, "".join(f"<a href=/article/{at}>{at}</a>" for at in range(self.articles))).decode()
            if number % 2:
                page = page.replace(f"<p>{own[2]}", f"<h2>{HEADING}</h2><p>{own[2]}")
            page = page.replace("</article>", f"{PLACES[number % 3].format(box)}</article>")
            return status, {"Content-Type": "text/html; charset=utf-8"}, page.encode()
        return status, headers, body


@pytest.mark.parametrize("extractor", ["auto", "density"])
def test_the_pitch_of_a_site_goes_from_the_second_night_on(tmp_path: Path, extractor: str) -> None:
    """Ten pages are enough, in any layout and with any extractor; headings of the articles stay."""
    with served(Pitching(articles=10)) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper) + f'extractor = "{extractor}"\n')
        first = json.loads(run(tmp_path, "crawl", "--json").stdout)
        paper.articles = 16
        second = json.loads(run(tmp_path, "crawl", "--now", "--json").stdout)
    assert first["own_lines"] == 0
    new = {number: text for number, text in texts(tmp_path).items() if number >= 10}
    assert set(new) == set(range(10, 16))
    assert not any(line in text for text in new.values() for line in PITCH)
    assert all((HEADING in text) is bool(number % 2) for number, text in new.items())
    # The extractor leaves some pitches out itself. A visit that differs by a pitch is no new version.
    assert second["own_lines"] >= 3
    with_pitch = {number for number, text in texts(tmp_path).items() if number < 10 and PITCH[1] in text}
    assert with_pitch
    made = json.loads(run(tmp_path, "reextract", "--json").stdout)
    assert made["own_lines"] >= 2 * len(with_pitch)
    assert made["lost"] == 0
    assert not any(line in text for text in texts(tmp_path).values() for line in PITCH)
    assert run(tmp_path, "check", "--deep").returncode == 0


def texts(folder: Path) -> dict[int, str]:
    """The texts of a corpus by the number of their article; each page has one version."""
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        found = list(corpus.documents(Selection(include_duplicates=True, versions="all")))
        assert len(found) == len({document.url for document in found})
        return {int(document.url.rpartition("/")[2]): document.text for document in found}
