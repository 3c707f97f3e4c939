"""robots.txt is obeyed as RFC 9309 states."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings

from corpus_spider.extensions.capture import CAPTURE, TERMS
from corpus_spider.middlewares.robots import BYTES_IN_MEMORY, RobotsMiddleware, UnreachableError, rules_of
from corpus_spider.network.errors import RefusalError
from pipelines.urls.robots_txt import MAX_BYTES
from storage.records import Capture

if TYPE_CHECKING:
    from storage.corpus import Corpus
    from storage.frontier.robots_cache import RobotsCopy

Answer = tuple[int, bytes] | Exception
ORIGIN = "http://a.example"

AGENT = "corpus-spider/1.0 (+me@example.org)"
DISALLOW = b"User-agent: *\nDisallow: /private/\n"


@pytest.mark.parametrize("status", [500, 502, 503, 530, 429, 408, 421, 425])
def test_an_unreachable_robots_txt_is_disallow_for_now(status: int) -> None:
    with pytest.raises(UnreachableError):
        rules_of(status, DISALLOW)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_missing_robots_txt_allows_everything(status: int) -> None:
    assert rules_of(status, DISALLOW).can_fetch("http://a.example/private/1", AGENT)


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        (DISALLOW, False),
        (b"\xef\xbb\xbf" + DISALLOW, False),
        (b"User-agent: corpus-spider\nDisallow: /\n\nUser-agent: *\nAllow: /\n", False),
        (b"User-agent: otherbot\nDisallow: /\n", True),
        (b"User-agent: *\nDisallow: /\nAllow: /private/\n", True),
        (b"\xff\xfe nonsense \x00", True),
        (b"", True),
        (DISALLOW + b"#" * MAX_BYTES + b"\nAllow: /private/\n", False),
    ],
)
def test_rules_are_obeyed_by_product_token_and_only_the_first_500_kib_count(body: bytes, *, allowed: bool) -> None:
    assert rules_of(200, body).can_fetch("http://a.example/private/1", AGENT) is allowed


@dataclass
class Hosts:
    """What stands for the crawler: an engine that answers for robots.txt, and a line with a real corpus."""

    corpus: Corpus
    answer: Answer = (200, DISALLOW)
    asked: int = 0
    per_slot_settings: dict[str, dict[str, float]] = field(default_factory=dict)
    slots: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.settings = Settings({"ROBOTSTXT_USER_AGENT": AGENT, "DOWNLOAD_DELAY": 1.0})
        self.engine = self.downloader = self.spider = self.pipeline = self

    async def download_async(self, request: Request) -> Response:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        status, body = self.answer
        response = Response(request.url, status, body=body, request=request)
        request.meta[CAPTURE] = Capture(request.url, datetime.now(UTC), status, (), (), body)
        return response

    def keep_robots(self, copy: RobotsCopy) -> None:
        self.corpus.frontier.keep_robots(copy)

    async def kept_robots(self, origin: str) -> RobotsCopy | None:
        return self.corpus.frontier.robots(origin)

    def age(self, hours: float) -> None:
        """Make the kept file older."""
        copy = self.corpus.frontier.robots(ORIGIN)
        assert copy is not None
        self.corpus.frontier.keep_robots(replace(copy, fetched_at=copy.fetched_at - timedelta(hours=hours)))


def outcome(hosts: Hosts, path: str) -> str:
    """Ask a new run's middleware for a path: the verdict on the request, or the reason of its refusal."""
    request = Request(f"{ORIGIN}{path}")
    try:
        asyncio.run(RobotsMiddleware(hosts).process_request(request))  # type: ignore[arg-type]
    except RefusalError as error:
        return error.reason
    return str(request.meta[TERMS].robots)


FAULTS: list[Answer] = [(500, b""), (503, b""), (429, b""), TimeoutError(), ConnectionResetError()]


@pytest.mark.parametrize("fault", FAULTS, ids=["500", "503", "429", "timeout", "reset"])
def test_the_last_good_file_holds_for_a_day_when_there_is_none_to_be_had(corpus: Corpus, fault: Answer) -> None:
    hosts = Hosts(corpus, fault)
    assert outcome(hosts, "/") == "robots_unreachable"
    hosts.answer = (200, DISALLOW)
    assert (outcome(hosts, "/"), outcome(hosts, "/private/")) == ("allowed", "robots")
    hosts.answer = fault
    hosts.age(23)
    assert (outcome(hosts, "/"), outcome(hosts, "/private/")) == ("cached", "robots")
    hosts.age(2)
    assert outcome(hosts, "/") == "robots_unreachable"


def test_an_operator_reads_once_in_a_run_that_a_host_has_no_robots_txt_to_give(
    corpus: Corpus, caplog: pytest.LogCaptureFixture
) -> None:
    """Each page asks again, and the log stays short."""
    hosts = Hosts(corpus, TimeoutError("slow"))
    middleware = RobotsMiddleware(hosts)  # type: ignore[arg-type]
    with caplog.at_level("INFO"):
        for path in ("/1", "/2", "/3"):
            with pytest.raises(RefusalError):
                asyncio.run(middleware.process_request(Request(ORIGIN + path)))
    assert (hosts.asked, caplog.messages) == (3, [f"robots.txt of {ORIGIN}: slow"])


def test_a_file_that_was_read_by_a_clock_ahead_is_none(corpus: Corpus) -> None:
    """It would count as read in every run until its time has come, and no other would be fetched."""
    hosts = Hosts(corpus)
    assert outcome(hosts, "/") == "allowed"
    hosts.age(-365 * 24)
    hosts.answer = (200, b"User-agent: *\nDisallow: /")
    assert (outcome(hosts, "/"), hosts.asked) == ("robots", 2)
    hosts.age(-365 * 24)
    hosts.answer = (503, b"")
    assert outcome(hosts, "/") == "robots_unreachable"


def test_a_file_is_read_again_each_run_and_what_is_gone_is_gone(corpus: Corpus) -> None:
    hosts = Hosts(corpus)
    assert outcome(hosts, "/private/") == "robots"
    hosts.answer = (404, b"")
    assert outcome(hosts, "/private/") == "missing"
    kept = corpus.frontier.robots(ORIGIN)
    assert kept is not None
    assert (kept.status, kept.verdict, kept.sha256, kept.body) == (404, "missing", "", b"")
    assert hosts.asked == 2


@pytest.mark.parametrize(
    ("asked", "verdict", "kept"),
    [(0.5, "allowed", 1.0), (2, "allowed", 2.0), (120, "allowed", 120.0), (121, "crawl_delay", None)],
)
def test_a_crawl_delay_is_the_floor_and_too_long_a_one_keeps_us_away(
    corpus: Corpus, asked: float, verdict: str, kept: float | None
) -> None:
    hosts = Hosts(corpus, (200, f"User-agent: *\nCrawl-delay: {asked}\n".encode()))
    assert outcome(hosts, "/") == verdict
    assert hosts.per_slot_settings.get("a.example", {}).get("delay") == kept
    copy = corpus.frontier.robots(ORIGIN)
    assert copy is not None
    assert copy.crawl_delay == asked


def test_what_is_kept_of_a_file_is_read_as_the_file_was(corpus: Corpus) -> None:
    """Its digest is of the whole, what is kept of it is what counts."""
    body = DISALLOW + b"#" * MAX_BYTES + b"\nAllow: /private/\n"
    assert outcome(Hosts(corpus, (200, body)), "/private/") == "robots"
    kept = corpus.frontier.robots(ORIGIN)
    assert kept is not None
    assert kept.sha256 == hashlib.sha256(body).hexdigest()
    assert len(kept.body) == MAX_BYTES + 1


def test_long_files_of_many_hosts_are_not_all_in_memory(corpus: Corpus) -> None:
    """A site with hosts without number would fill it; those used last stay, of the others what was kept is read: none
    is asked for twice.
    """
    body = DISALLOW.ljust(MAX_BYTES, b"#")
    hosts, most = Hosts(corpus, (200, body)), BYTES_IN_MEMORY // len(body)
    middleware = RobotsMiddleware(hosts)  # type: ignore[arg-type]

    async def ask(number: int, path: str) -> None:
        await middleware.process_request(Request(f"http://h{number}.example{path}"))

    async def ask_all() -> None:
        for number in range(most + 2):
            await ask(number, "/")
            await ask(0, "/")
        assert len(middleware._rulings) == most
        for number in (1, 0, most + 1, 1):
            with pytest.raises(RefusalError, match="robots"):
                await ask(number, "/private/")

    asyncio.run(ask_all())
    assert hosts.asked == most + 2
    assert len(middleware._rulings) == most
    named = [value for value in vars(middleware).values() if isinstance(value, (set, dict, list))]
    assert all(len(each) <= most for each in named)
