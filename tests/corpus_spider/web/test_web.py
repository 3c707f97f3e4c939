"""The web page: who may ask, what is refused, and that nothing of a hostile corpus becomes part of the page."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import json
import shutil
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow.parquet
import pytest
from lxml.html import document_fromstring

from corpus_spider.api.crawls import last_night
from corpus_spider.config.loader import load
from corpus_spider.search.index.builder import only_writer, refresh
from corpus_spider.search.index.manifest import Manifest
from corpus_spider.web import serving
from storage.corpus import Corpus
from storage.errors import ConfigError
from storage.records import Failure, LanguageGuess
from tests.extras import needs
from tests.storage.corpus_samples import Crawl, dropped, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.html import HtmlElement

    from corpus_spider.web.guard import Guard

pytestmark = needs("web")

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202eevil javascript:alert(3)"
PATHS = ("/", "/documents", "/search?q=xăng", "/words", "/crawls", "/crawls/1", "/sites", "/dropped", "/about", "/nope")
CONFIG = """
[corpus]
name = "news"
contact = "someone@example.org"

[[site]]
name = "a.example"
start = ["https://a.example/"]

[selection.long]
min_chars = 500
"""
TOKEN = "a-token-that-is-long-enough"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with hostile titles, texts, authors and reasons, and its index."""
    folder = tmp_path_factory.mktemp("web")
    (folder / "corpus.toml").write_text(CONFIG)
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        stated = {"title": HOSTILE, "author": HOSTILE, "published": "2026-03-01"}
        crawl.visit("1", made(f"Giá xăng {HOSTILE}\nhôm nay", language="vi", **stated))
        arabic = made("أعلنت الحكومة خطة جديدة", language="ar", title="خطة")
        assert arabic.document is not None
        in_arabic = replace(arabic.document, language=LanguageGuess("ar", 0.99, "Arab", 1.0))
        crawl.visit("2", replace(arabic, document=in_arabic))
        crawl.visit("3", dropped("no_article", detail=HOSTILE))
        with only_writer(folder / "index"):
            refresh(corpus, str(folder / "corpus.db"), folder / "index", 1)
    return folder


@pytest.fixture
def app(folder: Path) -> Iterator[Guard]:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        yield application_of(folder, corpus)


def application_of(folder: Path, corpus: Corpus, token: str = "") -> Guard:
    from corpus_spider.web.application import application
    from corpus_spider.web.state import ServedCorpus

    return application(ServedCorpus(load(folder / "corpus.toml"), corpus), serving.LOOPBACK_NAMES, token)


def ask(app: Guard, target: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and text of the answer to one request."""
    status, answered, body = ask_bytes(app, target, method, **headers)
    return status, answered, body.decode()


def ask_bytes(app: Guard, target: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of the answer to one request."""
    path, _, query = target.partition("?")
    named = {"host": "localhost:8321"} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope: dict[str, Any] = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
        "server": ("127.0.0.1", 8321),
        "client": ("127.0.0.1", 5),
    }
    sent: list[Any] = []
    asked: list[Any] = []

    async def receive() -> dict[str, Any]:
        if asked:
            await asyncio.Event().wait()  # the client stays
        asked.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    start = next(each for each in sent if each["type"] == "http.response.start")
    body = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")
    return start["status"], {k.decode(): v.decode() for k, v in start["headers"]}, body


@pytest.mark.parametrize("path", ["/words", "/search?q=a"])
def test_an_index_that_is_being_made_is_said_so_and_when_to_ask_again(folder: Path, tmp_path: Path, path: str) -> None:
    """The first index is no fault of the request, and no removal is blamed."""
    with Manifest.open(folder / "index", read_only=True) as manifest:
        settings = manifest.settings()
    shutil.copytree(folder, tmp_path / "corpus")
    with Manifest.open(tmp_path / "corpus" / "index", read_only=False) as manifest:
        manifest.connection.execute("DELETE FROM setting WHERE name = 'removals'")
    assert "removals" in settings
    with Corpus.open(tmp_path / "corpus" / "corpus.db", read_only=True) as corpus:
        status, headers, text = ask(application_of(tmp_path / "corpus", corpus), path)
    assert (status, headers["retry-after"]) == (503, "60")
    assert "not complete yet" in text
    assert "removal" not in text


@pytest.mark.parametrize("path", PATHS)
def test_no_text_of_a_corpus_becomes_markup_and_every_answer_has_its_headers(app: Guard, path: str) -> None:
    """Scripts are ours alone, no attribute runs, no link leads to a script."""
    status, headers, text = ask(app, path)
    assert status == (404 if path == "/nope" else 200), text
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    tree = document_fromstring(text)
    assert [each.get("src") for each in tree.iter("script")] == ["/static/page.js"]
    assert not list(tree.iter("img"))
    assert not [name for each in tree.iter() for name in each.attrib if name.startswith("on") or name == "style"]
    links = [each.get("href") or "" for each in tree.iter("a", "link")]
    assert all(link.startswith(("/", "?", "#", "http://", "https://")) or link == "data:," for link in links)


@pytest.mark.parametrize(
    ("query", "languages"), [("", {"vi", "ar"}), ("?language=vi", {"vi"}), ("?q=xăng", {"vi"}), ("?q=nothing", set())]
)
def test_a_selection_is_downloaded_in_each_format(app: Guard, query: str, languages: set[str]) -> None:
    """Other libraries read the same documents from all three, with the fields of an export."""
    read = {}
    for name in ("jsonl", "csv", "parquet"):
        status, headers, body = ask_bytes(app, f"/download/documents.{name}{quote(query, safe='?=')}")
        assert (status, headers["content-length"]) == (200, str(len(body)))
        assert headers["content-disposition"] == f'attachment; filename="documents.{name}"'
        read[name] = body
    lines = [json.loads(line) for line in read["jsonl"].splitlines()]
    assert {each["language"] for each in lines} == languages
    table = pyarrow.parquet.read_table(io.BytesIO(read["parquet"]))
    assert table["id"].to_pylist() == [each["id"] for each in lines]
    rows = list(csv.DictReader(io.StringIO(read["csv"].decode("utf-8-sig"), newline="")))
    assert [each["text"] for each in rows] == [each["text"] for each in lines]
    assert ask(app, "/download/documents.exe")[0] == 404


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate"}, True),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, False),
        ({"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}, False),
        ({"origin": "https://evil.example"}, False),
        ({"referer": "https://evil.example/"}, False),
        ({"referer": "http://localhost:8321/documents"}, True),
    ],
)
def test_downloads_answer_no_other_site(app: Guard, headers: dict[str, str], allowed: bool) -> None:
    """In each format: a page of another site can neither read nor start one."""
    for form in ("jsonl", "csv", "parquet"):
        assert ask_bytes(app, f"/download/documents.{form}", **headers)[0] == (200 if allowed else 403)


EMBEDDED = [("no-cors", "image"), ("no-cors", "script"), ("cors", "empty"), ("navigate", "iframe")]


@pytest.mark.parametrize("path", [*PATHS, "/static/page.js", "/crawls/1/now", "/words?q=a*"])
def test_other_sites_may_link_to_a_view_and_not_embed_it(app: Guard, path: str) -> None:
    """What a page fetches by itself would cost the time of a view, and a link only when someone follows it."""
    linked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert ask(app, path, **linked)[0] == (404 if path == "/nope" else 200)
    for mode, dest in EMBEDDED:
        embedded = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "sec-fetch-dest": dest}
        assert ask(app, path, **embedded)[0] == 403


@pytest.mark.parametrize(
    "path", [*sorted({*PATHS} - {"/about", "/nope"}), "/words?q=xăng", "/search?q=xăng&order=left"]
)
def test_every_view_ends_when_its_time_is_over(app: Guard, path: str) -> None:
    """The limit is one for the whole request, so no view can lack it; the answer says what to do."""
    status, _, text = ask(replace(app, seconds=0.0), path)
    assert (status, "This takes too long." in text, "Ask for less" in text) == (503, True, True)
    assert ask(app, path)[0] == 200


def test_a_turn_that_was_waited_for_has_its_whole_time(app: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    """A download may take longer than a view."""
    monkeypatch.setattr("corpus_spider.web.views.downloads.DOWNLOAD_SECONDS", 0.0)
    assert ask_bytes(app, "/download/documents.jsonl")[0] == 503


def test_requests_that_wait_for_a_turn_leave_threads_for_other_views(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the places to wait the answer comes at once."""
    from corpus_spider.web.state import PATIENCE_SECONDS, BusyError, ServedCorpus

    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        shared = ServedCorpus(load(folder / "corpus.toml"), corpus, places=threading.Semaphore(0))
        begun = time.monotonic()
        with pytest.raises(BusyError), shared.expensive():
            pass
        assert time.monotonic() - begun < PATIENCE_SECONDS / 2


def test_a_running_crawl_shows_its_numbers_of_this_moment(tmp_path: Path) -> None:
    """The page and its JSON count what the crawl has stored so far; a click leads to the pages behind a reason."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.visit("1", dropped("short"))
        crawl.run_id = corpus.runs.start("{}", ["a.example"])
        crawl.visit("2", made("Một", language="vi"))
        crawl.visit("3", dropped("soft_404"))
        app = application_of(tmp_path, corpus)
        now = json.loads(ask(app, f"/crawls/{crawl.run_id}/now")[2])
        assert (now["over"], now["sum"]["fetched"], now["sum"]["dropped"]) == (False, 2, 1)
        assert now["sites"]["a.example"] == {name: now["sum"][name] for name in now["sites"]["a.example"]}
        page = document_fromstring(ask(app, f"/crawls/{crawl.run_id}")[2])
        assert page.xpath("string(//tfoot//td[@data-name='fetched'])") == "2"
        [link] = page.xpath("//a[starts-with(@href, '/dropped?')]/@href")
        rows = document_fromstring(ask(app, link)[2]).xpath("//tbody/tr")
        assert ["soft_404" in row.text_content() for row in rows] == [True]
        every = document_fromstring(ask(app, "/dropped")[2]).xpath("//table[contains(@class, 'dropped')]/tbody/tr")
        assert len(every) == 2
        corpus.runs.recount(["a.example"])
        corpus.runs.finish(crawl.run_id, 0, "{}")
        assert json.loads(ask(app, f"/crawls/{crawl.run_id}/now")[2])["over"]
        heights = document_fromstring(ask(app, "/crawls")[2]).xpath("//figure//a[last()]/rect/@height")
        assert [float(each) for each in heights] == [48.0, 0.0, 0.0, 48.0, 0.0]


def test_a_crawl_counts_pages_and_failed_attempts_as_status_does(tmp_path: Path) -> None:
    """A damaged body and a host without an answer are failed attempts, a feed is neither."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.run_id = corpus.runs.start("{}", ["a.example"])
        for number, reason in enumerate(("listing", "http_404", "paywall", "body_corrupt", "feed")):
            crawl.visit(str(number), dropped(reason))
        crawl.seed("9")
        [lease] = crawl.lease()
        corpus.frontier.fail(crawl.run_id, [Failure(lease, "timeout")])
        sums = json.loads(ask(application_of(tmp_path, corpus), f"/crawls/{crawl.run_id}/now")[2])["sum"]
        assert (sums["dropped"], sums["failed"], sums["fetched"]) == (3, 2, 5)
        corpus.runs.recount(["a.example"])
        night = last_night(corpus.runs.by_site(["a.example"]))
        assert night is not None
        assert (night.dropped, night.failed) == (3, 2)


def test_each_reason_of_a_crawl_leads_to_what_it_counts(tmp_path: Path) -> None:
    """Pages with too little text have one reason, URLs that failed are listed, and an empty table is a sentence."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.run_id = corpus.runs.start("{}", ["a.example"])
        crawl.visit("1", dropped("no_article", detail="0 characters"))
        crawl.visit("2", dropped("no_article", detail="9 characters"))
        crawl.seed("3")
        [lease] = crawl.lease()
        corpus.frontier.fail(crawl.run_id, [Failure(lease, "robots")])
        app = application_of(tmp_path, corpus)
        page = document_fromstring(ask(app, f"/crawls/{crawl.run_id}")[2])
        links = page.xpath("//a[starts-with(@href, '/dropped?')]")
        assert sorted(link.text_content() for link in links) == ["no_article 2", "robots 1"]
        for link in links:
            found = document_fromstring(ask(app, link.get("href"))[2])
            rows = found.xpath("//table[contains(@class, 'dropped')]/tbody/tr")
            assert len(rows) == int(link.text_content()[-1])
        nothing = ask(app, "/dropped?reason=listing")[2]
        assert ("<table" in nothing, "a page of headlines" in nothing) == (False, True)


def test_a_document_shows_its_text_by_direction_and_unknown_ids_are_404(app: Guard, folder: Path) -> None:
    """An Arabic text is set right to left; an id that is none says nothing of the request."""
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        arabic = next(each for each in corpus.documents() if each.language == "ar")
    status, _, text = ask(app, f"/documents/{arabic.id}")
    [article] = document_fromstring(text).iter("article")
    assert (status, article.get("dir"), article.get("lang")) == (200, "rtl", "ar")
    assert "أعلنت الحكومة" in article.text_content()
    status, _, text = ask(app, "/documents/" + "<b>x")
    assert status == 404
    assert "<b>x" not in text


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"host": "127.0.0.1"}, 200),
        ("GET", {"host": "[::1]:8321"}, 200),
        ("HEAD", {}, 200),
        ("GET", {"host": "evil.example"}, 400),
        ("GET", {"host": "localhost.evil.example"}, 400),
        ("GET", {"host": ""}, 400),
        ("POST", {}, 405),
        ("PUT", {}, 405),
        ("DELETE", {}, 405),
        ("OPTIONS", {}, 405),
    ],
)
def test_only_known_hosts_and_methods_are_answered(
    app: Guard, method: str, headers: dict[str, str], status: int
) -> None:
    """Names that another site points to this machine, and methods that change something, are refused."""
    found, answered, _ = ask(app, "/about", method, **headers)
    assert found == status
    assert "content-security-policy" in answered


def test_a_fault_of_a_question_is_marked_in_its_text(app: Guard) -> None:
    """Above it stands what is wrong, below it what to write."""
    page = document_fromstring(ask(app, f"/search?q={quote('chính phủ NEAR/x xăng')}")[2])
    [problem] = page.xpath("//section[@role='alert']")
    assert problem.xpath(".//bdi")[0].text_content() == "chính phủ NEAR/x xăng"
    assert problem.xpath(".//mark/text()") == ["NEAR/x"]


@pytest.mark.parametrize("question", ["((", '"', "*", "a OR", "NOT", "-", "\x00", "a" * 3000, "' OR 1=1 --", "%"])
def test_no_question_ends_in_a_server_error(app: Guard, question: str) -> None:
    """What cannot be read is a message; nothing of a database is in it."""
    for view in ("search", "documents", "words"):
        status, _, text = ask(app, f"/{view}?q={quote(question)}&page=-1")
        assert status in {200, 400}
        assert "sqlite" not in text.lower()


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("q=a&language=vi&since=2026-01-01&page=x", "?q=a&language=vi&since=2026-01-01"),
        ("site=a&site=b&confidence=.5&page=3", "?site=a&site=b&confidence=0.5&page=3"),
        ("title=b%E1%BA%A7u&author=A,B&section=x", "?section=x&author=A&author=B&title=b%E1%BA%A7u"),
        ("since=2028-02&until=2028-02", "?since=2028-02-01&until=2028-02-29"),
        ("since=&until=&chars=&order=date", "?order=date"),
        ("", "?"),
    ],
)
def test_a_selection_is_read_from_a_url_and_written_again(query: str, read: str) -> None:
    """In one form."""
    from starlette.datastructures import QueryParams

    from corpus_spider.web.query import web_query

    assert web_query(QueryParams(query), {}).query() == read


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("since=2026-13", "since: expected a day"),
        ("until=yesterday", "until: expected a day"),
        ("chars=-1", "chars: expected a whole number"),
        ("chars=many", "chars: expected a whole number"),
        ("confidence=2", "confidence: expected a number from 0 to 1"),
        ("reserved=yes", "reserved: expected True or False"),
        ("order=foo", "there is no order"),
        ("selection=none", "no selection"),
    ],
)
def test_a_url_whose_value_makes_no_sense_is_answered_with_what_is_wrong(app: Guard, query: str, says: str) -> None:
    """Otherwise the page would be about other documents."""
    for view in ("search?q=a&", "documents?", "words?"):
        status, _, text = ask(app, f"/{view}{query}")
        assert (status, says in text) == (400, True), view


def test_shares_of_sites_are_of_all_documents_and_the_others_are_numbered(tmp_path: Path) -> None:
    """Of the found documents in a search, of the corpus on the first page; a table has the largest sites only."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        for at in range(20):
            Crawl(corpus, f"s{at}.example").visit("1", made(f"giá xăng {at}", language="vi", title="Giá"))
        with only_writer(tmp_path / "index"):
            refresh(corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
        app = application_of(tmp_path, corpus)
        for address, caption, shown in (("/search?q=xăng", "Documents by site", 12), ("/", "By site", 15)):
            page = document_fromstring(ask(app, address)[2])
            [table] = page.xpath(f"//table[caption='{caption}']")
            assert table.xpath("tbody/tr/td[2]/text()") == ["5.0 %"] * shown
            assert table.xpath("string(tfoot)") == f"Further ones, not shown: {20 - shown}"


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("", "language=vi"),
        ("?language=ar&site=a.example", "language=ar&site=a.example"),
        ("?language=vi&until=2027-01", "language=vi&until=2027-01-31"),
    ],
)
def test_a_word_of_a_list_is_searched_in_the_selection_of_the_list(app: Guard, query: str, kept: str) -> None:
    """From its row and from the cloud, also if the page chose the language."""
    page = document_fromstring(ask(app, f"/words{query}")[2])
    for links in (page.xpath("//tbody//th/a/@href"), page.xpath("//figure//a/@href")):
        assert links
        assert all(link.startswith("/search?q=%22") and link.endswith(f"%22&{kept}") for link in links), links


@pytest.mark.parametrize("query", ["?language=vi&list=frequency", ""])
def test_a_word_list_is_downloaded_with_the_rows_of_the_page_first(app: Guard, query: str) -> None:
    """As CSV, in the selection of the page."""
    page = document_fromstring(ask(app, f"/words{query}")[2])
    [link] = page.xpath("//a[@download]/@href")
    status, headers, text = ask(app, link)
    assert (status, headers["content-type"]) == (200, "text/csv; charset=utf-8")
    rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
    shown = [each.text_content() for each in page.xpath("//tbody//th")]
    assert [row["word"] for row in rows][: len(shown)] == shown


def test_words_are_not_shown_for_filters_by_which_they_are_not_counted(app: Guard) -> None:
    """Counts are kept by language, site and month: without the filter they would be those of other documents."""
    sentence = "Words are not counted by these filters: {}."
    assert "not counted by" not in ask(app, "/words?language=vi&since=2026-01")[2]
    for query, left in (
        ("chars=5", "least characters"),
        ("extractor=bte&reserved=no", "extractor, without reserved texts"),
        ("selection=long", "least characters"),
    ):
        text = ask(app, f"/words?{query}")[2]
        assert sentence.format(left) in text
        assert not document_fromstring(text).xpath("//table | //figure | //p[@class='lead']")
        assert ask(app, f"/download/words.csv?{query}")[0] == 400


def test_a_token_is_asked_for_as_password_or_bearer(folder: Path) -> None:
    """Anything else is refused, without a hint."""
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        app = application_of(folder, corpus, TOKEN)
        basic = base64.b64encode(f"me:{TOKEN}".encode()).decode()
        wrong = base64.b64encode(b"me:other").decode()
        given = ["", f"Bearer {TOKEN}", f"Basic {basic}", f"Basic {wrong}", "Basic %%%", f"Digest {TOKEN}", "Bearer "]
        assert [ask(app, "/about", authorization=each)[0] for each in given] == [401, 200, 200, 401, 401, 401, 401]


def test_beyond_this_machine_it_needs_a_token_and_tls(tmp_path: Path) -> None:
    """Each refusal says what is missing; a token that others can read, or a short one, is none."""
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    assert serving.listening("127.0.0.1:0", None, None, None, "").token == ""
    with pytest.raises(ConfigError, match="token is required"):
        serving.listening("0.0.0.0:80", None, None, None, "corpus.example.org")
    with pytest.raises(ConfigError, match="TLS is required"):
        serving.listening("0.0.0.0:80", token, None, None, "")
    with pytest.raises(ConfigError, match="HOST:PORT"):
        serving.listening("0.0.0.0", token, None, None, "")
    behind = serving.listening("0.0.0.0:80", token, None, None, "Corpus.example.org")
    assert (behind.token, "corpus.example.org" in behind.hosts, "0.0.0.0" in behind.hosts) == (TOKEN, True, False)
    token.chmod(0o644)
    with pytest.raises(ConfigError, match="others can read"):
        serving.listening("0.0.0.0:80", token, None, None, "corpus.example.org")
    token.chmod(0o600)
    token.write_text("short")
    with pytest.raises(ConfigError, match="characters"):
        serving.listening("0.0.0.0:80", token, None, None, "corpus.example.org")


def test_a_word_of_the_cloud_leads_to_its_concordance(app: Guard) -> None:
    """The cloud stands above the table and has its words; each link finds a document."""
    page = document_fromstring(ask(app, "/words?language=vi")[2])
    links = page.xpath("//figure[@class='cloud']//a")
    assert "xăng" in {link.text_content() for link in links}
    assert {link.text_content() for link in links} <= set(page.xpath("//tbody//th//text()"))
    [link] = [each for each in links if each.text_content() == "xăng"]
    status, _, found = ask(app, link.get("href"))
    assert status == 200
    assert "xăng" in document_fromstring(found).xpath("string(//table)")


@pytest.mark.parametrize(
    ("published", "order"),
    [
        (["2026-03-07T07:15:00+07:00", "2026-03-07T21:10:00+03:30"], [1, 0]),
        (["2026-03-07", "2026-03-07T00:10:00+00:00", "2026-03-08"], [2, 1, 0]),
        ([None, "2026-03-01T13:00:00+00:00", "2026-03-01T11:00:00"], [1, 2, 0]),
    ],
)
def test_the_newest_documents_are_sorted_by_moment(
    tmp_path: Path, published: list[str | None], order: list[int]
) -> None:
    """Not by the clock of each country; a document without a date comes last."""
    from corpus_spider.web.views.documents import newest_first

    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        for number, day in enumerate(published):
            crawl.visit(str(number), made(f"Text {number}", published=day))
        found = newest_first(corpus.documents())
    assert [int(each.url[-1]) for each in found] == order


def test_a_search_is_narrowed_and_read_page_by_page(tmp_path: Path) -> None:
    """Its form has the languages and sites of the answer. Links lead through all lines, in each order."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        text = "\n".join(f"{number} xăng" for number in range(120))
        Crawl(corpus).visit("1", made(text, language="vi"))
        with only_writer(tmp_path / "index"):
            refresh(corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
        app = application_of(tmp_path, corpus)
        for order in ("", "&order=date", "&order=1L", "&sample=110&seed=4"):
            page = document_fromstring(ask(app, f"/search?q={quote('xăng')}&language=vi{order}")[2])
            assert page.xpath("//select[@name='language']/option[@selected]/text()") == ["vi"]
            assert page.xpath("//select[@name='site']/option/text()") == ["all", "a.example"]
            found = [lines_of(page)]
            while links := page.xpath("//a[@rel='next']/@href"):
                page = document_fromstring(ask(app, f"/search{links[0]}")[2])
                found.append(lines_of(page))
            assert [len(each) for each in found] == [50, 50, 10 if "sample" in order else 20]
            assert len({line for each in found for line in each}) == sum(map(len, found))
            [back] = page.xpath("//a[@rel='prev']/@href")
            assert lines_of(document_fromstring(ask(app, f"/search{back}")[2])) == found[1]
            assert "Page 3 of 3" in page.text_content()
            # Another order begins at the first page.
            assert not [link for link in page.xpath("//a[contains(., 'date')]/@href") if "page=" in link]


def lines_of(page: HtmlElement) -> list[str]:
    """Return the left context of each line of a search."""
    return [each.text_content() for each in page.xpath("//td[@class='left']")]


def test_the_same_seed_shows_the_same_sample(app: Guard) -> None:
    """The page, its form, its link to another sample, the cited line and the command name size and seed."""
    target = f"/search?q={quote('xăng OR الحكومة OR giá')}&sample=2&seed=5"
    first, again = (document_fromstring(ask(app, target)[2]) for _ in range(2))
    assert len(lines_of(first)) == 2
    assert lines_of(first) == lines_of(again)
    assert "2 lines by chance from all hits, seed 5." in first.text_content()
    assert [first.xpath(f"//input[@name='{name}']/@value") for name in ("sample", "seed")] == [["2"], ["5"]]
    assert first.xpath("//a[text()='Another sample']/@href")[0].endswith("&sample=2&seed=6")
    assert "sample=" not in first.xpath("//a[text()='All hits']/@href")[0]
    assert "(--sample-size 2 --seed 5)" in first.xpath("string(//bdi[@class='cite'])")
    assert "--sample-size 2 --seed 5" in first.xpath("string(//p[@class='command']/code)")
    downloads = first.xpath("//a[@download]/@href")
    assert [len(ask(app, link)[2].splitlines()) for link in downloads] == [3, 2]


def test_a_context_of_any_width_is_kept(app: Guard) -> None:
    """In the form, the links, the downloads and the command. Otherwise a line has the usual width."""
    usual, narrow = (document_fromstring(ask(app, f"/search?q=xăng{more}")[2]) for more in ("", "&context=1"))
    [long], [short] = (page.xpath("//td[@class='right']/text()")[:1] for page in (usual, narrow))
    assert len(short.rstrip("…")) < len(long.rstrip("…"))
    assert not usual.xpath("//table[@class='concordance whole']")
    assert narrow.xpath("//input[@name='context']/@value") == ["1"]
    assert "--context 1" in narrow.xpath("string(//p[@class='command']/code)")
    assert all(link.endswith("context=1") for link in narrow.xpath("//a[@download]/@href"))
    assert "context=" not in narrow.xpath("//a[text()='Show the documents']/@href")[0]
    assert narrow.xpath("//table[@class='concordance whole']")


def test_equal_lines_are_shown_once_if_the_form_wants_it(tmp_path: Path) -> None:
    """The download has them once too, and the command says so."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        Crawl(corpus).visit("1", made("\n".join(["hôm nay giá xăng tăng"] * 3), language="vi", title="Giá"))
        with only_writer(tmp_path / "index"):
            refresh(corpus, str(tmp_path / "corpus.db"), tmp_path / "index", 1)
        app = application_of(tmp_path, corpus)
        every, once = (document_fromstring(ask(app, f"/search?q=xăng{more}")[2]) for more in ("", "&unique=yes"))
        assert (len(lines_of(every)), len(lines_of(once))) == (3, 1)
        assert [page.xpath("count(//input[@name='unique'][@checked])") for page in (every, once)] == [0, 1]
        assert "--unique" in once.xpath("string(//p[@class='command']/code)")
        assert [len(ask(app, link)[2].splitlines()) for link in once.xpath("//a[@download]/@href")] == [2, 1]


@pytest.mark.parametrize("path", ["/", f"/search?q={quote('الحكومة')}"])
def test_the_number_of_texts_without_a_date_stands_below_the_chart(app: Guard, path: str) -> None:
    """They are in no month of it."""
    text = document_fromstring(ask(app, path)[2]).text_content()
    assert "Without a date: 1 document." in text


def test_only_days_with_documents_are_stops_of_the_tab_key(app: Guard) -> None:
    """The chart has a column for each of its days, and a link where there is something to see."""
    page = document_fromstring(ask(app, "/")[2])
    columns = page.xpath("//figure[contains(@class, 'columns')][1]//rect")
    linked = page.xpath("//figure[contains(@class, 'columns')][1]//a[rect]")
    assert len(columns) == 60
    assert [link.get("href") for link in linked] == ["/documents?since=2026-03-01&until=2026-03-01"]


def test_an_exit_code_is_reported_with_its_meaning(tmp_path: Path) -> None:
    """On the overview, in the list of crawls and on the page of one."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        run = corpus.runs.start("{}", ["a.example"])
        corpus.runs.finish(run, 7, "{}")
        app = application_of(tmp_path, corpus)
        for view in ("/", "/crawls", f"/crawls/{run}"):
            assert "nothing could be fetched" in ask(app, view)[2], view


def test_every_crawl_at_work_is_on_the_overview(tmp_path: Path) -> None:
    """Two crawls at once: each with its sites, and the sum, although a later one has ended."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        first, second = corpus.runs.start("{}", ["a.example"]), corpus.runs.start("{}", ["b.example", "c.example"])
        corpus.runs.finish(corpus.runs.start("{}", ["d.example"]), 0, "{}")
        page = document_fromstring(ask(application_of(tmp_path, corpus), "/")[2])
        assert "2 crawls at work, 0 pages a minute" in page.text_content()
        links = page.xpath("//section[h2='Last crawl']//li/a/@href")
        assert links == [f"/crawls/{first}", f"/crawls/{second}"]
        assert "2 sites, 0 pages a minute" in page.text_content()


def test_a_sick_site_is_reported_with_the_pages_behind_it_and_what_to_do(tmp_path: Path) -> None:
    """Each has a link to the pages and the command that shows the cause, on the overview and among the sites."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.run_id = corpus.runs.start("{}", ["a.example"])
        for number in range(12):
            crawl.visit(str(number), dropped("http_403"))
        corpus.runs.recount(["a.example"])
        corpus.runs.finish(crawl.run_id, 0, "{}")
        app = application_of(tmp_path, corpus)
        for view in ("/", "/sites"):
            page = document_fromstring(ask(app, view)[2])
            [problem] = page.xpath("//main//ul/li[.//code]")
            assert "refused" in problem.text_content()
            assert view == "/" or "failing" in page.xpath("string(//tbody)")
            assert problem.xpath(".//a[starts-with(@href, '/dropped')]/@href") == ["/dropped?site=a.example"]
            assert problem.xpath("string(.//code)") == "corpus-spider dropped --site a.example"


def test_a_port_in_use_is_refused_and_port_0_takes_a_free_one() -> None:
    """The server names the port that it has, or says that it cannot have it, before it says where it is."""
    with serving.bind(serving.ListenSettings("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        assert port
        with pytest.raises(ConfigError, match="cannot listen there") as refused:
            serving.bind(serving.ListenSettings("127.0.0.1", port))
    assert f"127.0.0.1:{port}" in str(refused.value)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("/words?list=keywords&language=vi", "There is nothing to compare with."),
        ("/search?q=khongcochunay", "No text has these words."),
        ("/words?q=xăng&language=vi", "No word stands 5 times or more within 5 words of it."),
        ("/words?language=vi&site=nosuch", "Choose another language, site or time."),
    ],
)
def test_an_empty_answer_says_what_to_do(app: Guard, url: str, sentence: str) -> None:
    """No empty tables: a sentence, and the next thing to try."""
    status, _, text = ask(app, quote(url, safe="/?=&"))
    assert (status, sentence in text) == (200, True)
    assert "<tbody></tbody>" not in text
