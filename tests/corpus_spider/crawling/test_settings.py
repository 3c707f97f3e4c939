"""Scrapy settings: unused services are off, limits and politeness come from corpus.toml."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.settings import Settings

from corpus_spider import settings
from corpus_spider.addon import crawl_settings
from corpus_spider.config import loader
from tests.corpus_spider.running import PATIENCE

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def effective() -> Settings:
    made = Settings()
    made.setmodule(settings, priority="project")
    return made


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TELNETCONSOLE_ENABLED", False),
        ("REMOTE_CONTROL_ENABLED", False),
        ("COOKIES_ENABLED", False),
        ("HTTPCACHE_ENABLED", False),
        ("REDIRECT_ENABLED", False),
        ("METAREFRESH_ENABLED", False),
        ("RETRY_ENABLED", False),
        ("REFERER_ENABLED", False),
        ("DOWNLOAD_VERIFY_CERTIFICATES", True),
        ("ROBOTSTXT_OBEY", True),
        ("DUPEFILTER_CLASS", "scrapy.dupefilters.BaseDupeFilter"),
        ("TWISTED_DNS_RESOLVER", "corpus_spider.middlewares.guard.GuardedResolver"),
        ("JOBDIR", None),
    ],
)
def test_a_setting_has_the_value_that_was_decided(effective: Settings, name: str, value: object) -> None:
    assert effective.get(name) == value


@pytest.mark.parametrize("scheme", ["file", "data", "ftp", "s3"])
def test_only_http_and_https_have_a_download_handler(effective: Settings, scheme: str) -> None:
    assert effective.getwithbase("DOWNLOAD_HANDLERS").get(scheme) is None


def test_the_stages_run_in_their_order(effective: Settings) -> None:
    order = effective.getwithbase("ITEM_PIPELINES")
    assert sorted(order, key=order.get) == [
        f"pipelines.runtime.stages.{name}" for name in ("ArchiveStage", "ProcessStage", "StoreStage")
    ]


def test_the_guard_stands_before_every_other_downloader_middleware(effective: Settings) -> None:
    order = {name: rank for name, rank in effective.getwithbase("DOWNLOADER_MIDDLEWARES").items() if rank is not None}
    assert min(order, key=order.get) == "corpus_spider.middlewares.guard.GuardMiddleware"


def test_politeness_and_limits_come_from_the_configuration(tmp_path: Path) -> None:
    toml = """
[corpus]
contact = "me@example.org"
[crawl]
delay = 3.5
per_host = 2
timeout = 30
max_body = "1 MiB"
[[site]]
name = "slow"
start = ["https://slow.example.org/"]
delay = 9.0
"""
    (tmp_path / "corpus.toml").write_text(toml)
    made = crawl_settings(loader.load(tmp_path / "corpus.toml", environ={}))
    assert (made["DOWNLOAD_DELAY"], made["CONCURRENT_REQUESTS_PER_DOMAIN"]) == (3.5, 2)
    assert (made["DOWNLOAD_TIMEOUT"], made["CORPUS_MAX_BODY"]) == (30, 2**20)
    assert made["DOWNLOAD_SLOTS"]["slow.example.org"]["delay"] == 9.0
    assert "me@example.org" in made["USER_AGENT"]


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Scrapy's own program on the project, as in a checkout, in another folder."""
    (folder / "scrapy.cfg").write_text((ROOT / "scrapy.cfg").read_text())
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_scrapy_shell_gives_readable_pages(tmp_path: Path) -> None:
    """The body a person sees in the shell is inflated, although the crawl keeps bodies as they come."""
    from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served

    with served(Newspaper()) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        done = scrapy(tmp_path, "shell", "-c", "response.css('h1::text').get()", f"{paper.origin}/article/1")
    assert "Bài số 1" in done.stdout, done.stderr


def test_scrapy_lists_the_spider_where_there_is_no_corpus(tmp_path: Path) -> None:
    """The Scrapy project works without a corpus.toml for what needs none."""
    done = scrapy(tmp_path, "list")
    assert done.stdout.split() == ["news"], done.stderr


def test_scrapy_names_a_wrong_configuration_and_what_to_do(tmp_path: Path) -> None:
    """A file that is not there is a message and the exit code of a wrong configuration, not a traceback."""
    done = scrapy(tmp_path, "crawl", "news", "-s", "CORPUS_CONFIG=/nope.toml")
    assert done.returncode == 2
    reported, do = done.stderr.splitlines()
    assert reported == "corpus-spider: /nope.toml: cannot be read: No such file or directory"
    assert "corpus-spider init" in do


def test_a_crawl_loads_nothing_that_only_its_workers_or_others_need(tmp_path: Path) -> None:
    """No extractors, and none of Scrapy's components that are off: half of the time in which a crawl starts."""
    from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served

    others = {"aiohttp", "twisted.conch", "pipelines.page.process", "pipelines.extractors.registry"}
    others |= {"pipelines.extractors.auto.extractor", "scrapy.extensions.feedexport"}
    code = (
        "import sys\nfrom corpus_spider.cli.app import run\n"
        f"assert run(['-c', 'corpus.toml', 'crawl', '-q']) == 0\nprint(sorted({others} & set(sys.modules)))"
    )
    with served(Newspaper()) as paper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper))
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr[-2000:]
