"""WARC files that are missing: their pages wait, the crawl says so, and after a time they are fetched again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from corpus_spider.archive.missing_files import DAYS_BEFORE_NEW_FETCH, look_for_files
from storage.database.schema import fetch, original, url, warc_file
from storage.warc import OriginalStore
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import run
from tests.storage.corpus_samples import Crawl

if TYPE_CHECKING:
    from pathlib import Path

    from storage.corpus import Corpus


def crawl(folder: Path, **more: str) -> dict[str, Any]:
    done = run(folder, "crawl", "--json", **more)
    assert done.returncode == 0, done.stderr
    return {"stderr": done.stderr} | json.loads(done.stdout)


@pytest.mark.parametrize("back", [True, False])
def test_a_page_waits_for_its_file_and_is_fetched_again_when_it_stays_away(tmp_path: Path, back: bool) -> None:
    """It became `warc_damaged` permanently when the folder was not mounted, and the crawl said nothing."""
    page = article(77).replace(b"</body>", b"<p hidden>fault:killed</p></body>")
    with served(Newspaper(articles=3)) as paper:
        paper.extra["/late"] = lambda: (200, {"Content-Type": "text/html"}, page)
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper, site_models=False))
        assert crawl(tmp_path, CORPUS_SPIDER_FAULTS="1")["unread"] == 1
        away = [(file, file.rename(tmp_path / file.name)) for file in (tmp_path / "warc").glob("*.warc.gz")]
        without = crawl(tmp_path)
        assert (without["without_file"], without["unread"], without["documents"]) == (1, 0, 0)
        assert "cannot be found" in without["stderr"]
        if back:
            for file, at in away:
                at.rename(file)
        else:
            engine = sa.create_engine(f"sqlite:///{tmp_path / 'corpus.db'}")
            long_ago = datetime.now(UTC) - timedelta(days=DAYS_BEFORE_NEW_FETCH + 1)
            with engine.begin() as connection:
                connection.execute(sa.update(warc_file).values(missing_since=long_ago))
            engine.dispose()
        paper.asked.clear()
        last = crawl(tmp_path)
    assert (last["documents"], last["without_file"]) == (1, 0)
    assert paper.asked["/late"] == (0 if back else 1)


def test_pages_of_a_missing_file_are_left_out_until_it_is_back_or_given_up(corpus: Corpus, tmp_path: Path) -> None:
    """On both databases. A page that is fetched again is fetched in full."""
    crawl = Crawl(corpus)
    crawl.seed("a", "b")
    leases = crawl.lease()
    crawl.fetch(*leases)
    (name,) = corpus.warc.expected()
    sites = (crawl.site,)
    assert look_for_files(corpus, OriginalStore(tmp_path), sites) == {name: 2}
    assert (corpus.fetches.unprocessed(), corpus.fetches.count_unprocessed()) == ([], 0)
    (tmp_path / name).touch()
    assert not look_for_files(corpus, OriginalStore(tmp_path), sites)
    assert corpus.fetches.count_unprocessed() == 2
    corpus.warc.mark_missing([name], datetime.now(UTC) - timedelta(days=DAYS_BEFORE_NEW_FETCH + 1))
    (tmp_path / name).unlink()
    assert not look_for_files(corpus, OriginalStore(tmp_path), sites)
    with corpus.database.snapshot() as connection:
        assert set(connection.execute(sa.select(url.c.state)).scalars()) == {"pending"}
        assert set(connection.execute(sa.select(fetch.c.reason)).scalars()) == {"warc_missing"}
        assert not connection.execute(sa.select(original)).all()
    assert corpus.problems() == []
