"""A crawl of a real loopback newspaper: what is stored, archived, refused, retried and resumed."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from storage import Corpus
from storage.reasons import MACHINE_FAULTS
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, paragraphs
from tests.corpus_spider.running import PATIENCE, environment, run

ROOT = Path(__file__).resolve().parents[3]


def crawl(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run `corpus-spider crawl` as a user does, check its exit code and return what it printed."""
    done = run(folder, "crawl", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def configured(folder: Path, newspaper: Newspaper, **crawl: object) -> Path:
    (folder / "corpus.toml").write_text(corpus_toml(newspaper, **crawl))
    return folder


def stored(folder: Path) -> dict[str, str]:
    """Return the texts of a corpus by the path of their URL, duplicates included."""
    from storage.documents.selection import Selection

    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        found = corpus.documents(Selection(include_duplicates=True))
        return {"/" + document.url.split("/", 3)[3]: document.text for document in found}


def test_every_article_is_stored_with_its_text_and_nothing_else_is(tmp_path: Path, newspaper: Newspaper) -> None:
    """The corpus holds the text of each article once, and no page without one."""
    crawl(configured(tmp_path, newspaper))
    texts = stored(tmp_path)
    assert set(texts) == {f"/article/{index}" for index in range(newspaper.articles)}
    for index in range(newspaper.articles):
        assert all(text in texts[f"/article/{index}"] for text in paragraphs(index))


def test_robots_txt_is_obeyed_and_the_contact_is_sent(tmp_path: Path, newspaper: Newspaper) -> None:
    """No request goes to a disallowed path, and each one says who asks."""
    crawl(configured(tmp_path, newspaper))
    assert newspaper.asked["/private/1"] == 0
    assert newspaper.asked["/robots.txt"] == 1
    assert all("tests@example.org" in agent for agent in newspaper.agents)


def test_every_url_is_asked_for_once(tmp_path: Path, newspaper: Newspaper) -> None:
    """A page that is linked from everywhere is fetched once."""
    crawl(configured(tmp_path, newspaper))
    assert {count for path, count in newspaper.asked.items() if path.startswith("/article/")} == {1}


def test_every_exchange_is_in_the_archive_as_it_came(tmp_path: Path, newspaper: Newspaper) -> None:
    """robots.txt, the redirect, the 404, the feed and each page are WARC records, still content-encoded."""
    from warcio.archiveiterator import ArchiveIterator

    crawl(configured(tmp_path, newspaper))
    paths: dict[str, bytes] = {}
    for name in (tmp_path / "warc").glob("*.warc.gz"):
        with name.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    paths["/" + record.rec_headers["WARC-Target-URI"].split("/", 3)[3]] = record.raw_stream.read()
    assert set(paths) == {path for path, count in newspaper.asked.items() if count}
    assert paths["/article/1"][:2] == b"\x1f\x8b"
    assert gzip.decompress(paths["/article/1"]) == gzip.decompress(newspaper.answer("/article/1")[2])
    assert not list((tmp_path / "warc").glob("*.open"))


def test_a_second_crawl_does_not_fetch_articles_again(tmp_path: Path, newspaper: Newspaper) -> None:
    """Right after the first crawl nothing is due. Start pages and feeds are read again on request."""
    crawl(configured(tmp_path, newspaper))
    newspaper.asked.clear()
    assert "Nothing is due" in crawl(tmp_path)
    assert newspaper.asked.total() == 0
    crawl(tmp_path, "--now")
    assert newspaper.asked["/"] == newspaper.asked["/feed.xml"] == 1
    assert not [path for path in newspaper.asked if path.startswith("/article/")]


def test_a_host_that_fails_for_a_while_is_asked_again(tmp_path: Path, newspaper: Newspaper) -> None:
    """A page answered with 503 first is stored in the same run."""
    answers = iter([(503, {}, b"busy")])
    newspaper.extra["/flaky"] = lambda: next(answers, newspaper.answer("/article/5"))
    crawl(configured(tmp_path, newspaper))
    assert newspaper.asked["/flaky"] == 2
    assert "/flaky" in stored(tmp_path)


NO_TEXT = [
    ((404, {}, b""), "http_404"),
    ((403, {}, b"no"), "http_403"),
    (
        (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, gzip.compress(article(1))[:600]),
        "body_truncated",
    ),
    ((200, {"Content-Type": "text/html"}, b"\x89PNG\r\n\x1a\n" + bytes(999)), "not_html"),
    ((200, {"Content-Type": "text/html"}, b"<p>Short.</p>"), "no_article"),
    ((200, {"Content-Type": "video/mp4"}, bytes(300_000)), "truncated_unspecified"),
    ((302, {"Location": "file:///etc/passwd"}, b""), "redirect_refused"),
    ((302, {"Location": "http://elsewhere.example/"}, b""), "redirect_refused"),
]


def test_a_page_that_gives_no_text_is_counted_with_its_reason_and_kept(tmp_path: Path, newspaper: Newspaper) -> None:
    """Nothing is lost silently: the reason is in the database and the bytes are in the archive."""
    newspaper.extra |= {f"/odd{number}": lambda answer=answer: answer for number, (answer, _) in enumerate(NO_TEXT)}
    crawl(configured(tmp_path, newspaper))
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        drops = {drop.url.rpartition("/")[2]: drop.reason for drop in corpus.fetches.drops()}
    expected = {f"odd{number}": reason for number, (_, reason) in enumerate(NO_TEXT)}
    assert {name: drops.get(name) for name in expected} == expected


def test_a_body_over_the_limit_is_cut_archived_and_marked(tmp_path: Path, newspaper: Newspaper) -> None:
    """What arrived is in the WARC with WARC-Truncated, and the page is dropped as truncated."""
    newspaper.extra["/huge"] = lambda: (200, {"Content-Type": "text/html"}, b"<p>" + b"x" * 3_000_000)
    crawl(configured(tmp_path, newspaper, max_body=1_000_000))
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        drop = next(drop for drop in corpus.fetches.drops() if drop.url.endswith("/huge"))
    assert drop.reason == "truncated_length"
    warcs = b"".join(gzip.decompress(path.read_bytes()) for path in (tmp_path / "warc").glob("*.warc.gz"))
    assert b"WARC-Truncated: length" in warcs


def test_a_server_that_cuts_the_body_short_is_asked_again_and_given_up(tmp_path: Path, newspaper: Newspaper) -> None:
    """Half a page is never stored as a whole one."""
    newspaper.extra["/cut"] = lambda: (200, {"Content-Type": "text/html", "Content-Length": "99999"}, b"<p>half")
    crawl(configured(tmp_path, newspaper, retries=1))
    assert newspaper.asked["/cut"] == 2
    assert "/cut" not in stored(tmp_path)


FAULTS = {
    "crash": "worker_crash",
    "hang": "worker_timeout",
    "memory": "worker_memory",
    "error": "worker_error",
    "killed": "worker_crash",
}


def test_pages_that_break_their_workers_cost_themselves_only(tmp_path: Path, newspaper: Newspaper) -> None:
    """A page that crashes, hangs, fills memory or raises is dropped with that reason; all others are stored.

    The machine may be at fault when a page hangs, fills memory or its worker is killed. A second run decides.
    """
    html = {"Content-Type": "text/html"}
    newspaper.extra |= {f"/{name}": lambda name=name: (200, html, f"<p>fault:{name}</p>".encode()) for name in FAULTS}
    configured(tmp_path, newspaper, page_timeout=2.0)
    first = run(tmp_path, "crawl", "--json", CORPUS_SPIDER_FAULTS="1")
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["postponed"] == dict.fromkeys(sorted(MACHINE_FAULTS), 1)
    assert [_faults(tmp_path)[name] for name in ("crash", "error")] == ["worker_crash", "worker_error"]
    second = run(tmp_path, "crawl", CORPUS_SPIDER_FAULTS="1")
    assert second.returncode == 0, second.stderr
    assert _faults(tmp_path) == FAULTS
    assert len(stored(tmp_path)) == newspaper.articles


def _faults(folder: Path) -> dict[str, str]:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        drops = {drop.url.rpartition("/")[2]: drop.reason for drop in corpus.fetches.drops()}
    return {name: drops[name] for name in FAULTS if name in drops}


def test_a_page_whose_worker_the_system_killed_is_stored_by_the_next_run(tmp_path: Path, newspaper: Newspaper) -> None:
    """Such as without memory. It was dropped for good when two workers were killed in one night."""
    page = article(77).replace(b"</body>", b"<p hidden>fault:killed</p></body>")
    newspaper.extra["/killed"] = lambda: (200, {"Content-Type": "text/html"}, page)
    configured(tmp_path, newspaper)
    first = json.loads(run(tmp_path, "crawl", "--json", CORPUS_SPIDER_FAULTS="1").stdout)
    assert (first["postponed"], first["unread"]) == ({"worker_killed": 1}, 1)
    second = json.loads(run(tmp_path, "crawl", "--json").stdout)
    assert (second["postponed"], second["unread"], second["documents"]) == ({}, 0, 1)


def test_a_host_that_is_not_there_ends_with_exit_code_7(tmp_path: Path, newspaper: Newspaper) -> None:
    """URLs were due and none succeeded."""
    configured(tmp_path, newspaper, retries=0)
    text = (tmp_path / "corpus.toml").read_text().replace(f":{newspaper.port}", ":9")
    (tmp_path / "corpus.toml").write_text(text)
    assert "unreachable" in crawl(tmp_path, code=7)


def test_a_crawl_without_a_contact_is_refused_with_exit_code_2(tmp_path: Path, newspaper: Newspaper) -> None:
    """No site is crawled without the address of a contact."""
    configured(tmp_path, newspaper)
    path = tmp_path / "corpus.toml"
    path.write_text(path.read_text().replace('contact = "tests@example.org"', ""))
    assert "contact" in crawl(tmp_path, code=2)


def test_a_warc_setting_that_names_a_file_is_exit_code_2(tmp_path: Path, newspaper: Newspaper) -> None:
    """The message names the folder, and no database is left behind."""
    configured(tmp_path, newspaper)
    (tmp_path / "warc").write_text("a file, not a folder")
    assert str(tmp_path / "warc") in crawl(tmp_path, code=2)


def test_a_database_that_cannot_be_reached_is_exit_code_4(tmp_path: Path, newspaper: Newspaper) -> None:
    """The password in the URL is not shown."""
    toml = corpus_toml(newspaper, database="postgresql://user:hush-hush@127.0.0.1:9/none")
    (tmp_path / "corpus.toml").write_text(toml)
    assert "hush-hush" not in crawl(tmp_path, code=4)


def test_the_page_limit_stops_a_crawl_with_exit_code_12_and_the_next_one_goes_on(
    tmp_path: Path, newspaper: Newspaper
) -> None:
    """A crawl in two halves gives what one crawl gives."""
    configured(tmp_path, newspaper)
    crawl(tmp_path, "--page-limit", "10", code=12)
    assert sum(newspaper.asked.values()) <= 12
    crawl(tmp_path)
    assert len(stored(tmp_path)) == newspaper.articles


def test_scrapy_itself_runs_the_spider(tmp_path: Path, newspaper: Newspaper) -> None:
    """`scrapy crawl news` is the same crawl, and `scrapy list` names it."""
    configured(tmp_path, newspaper)
    (tmp_path / "scrapy.cfg").write_text((ROOT / "scrapy.cfg").read_text())
    scrapy = [sys.executable, "-m", "scrapy"]
    listed = subprocess.run(
        [*scrapy, "list"], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert listed.stdout.split() == ["news"]
    done = subprocess.run(
        [*scrapy, "crawl", "news"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=2 * PATIENCE,
    )
    assert len(stored(tmp_path)) == newspaper.articles
    assert re.search(rf"Done: \d+ pages fetched, {newspaper.articles} documents", done.stderr)


def test_scrapy_shows_an_error_of_the_corpus_without_a_traceback(tmp_path: Path, newspaper: Newspaper) -> None:
    """The message and the exit code of `corpus-spider crawl`."""
    configured(tmp_path, newspaper)
    (tmp_path / "corpus.toml").write_text(re.sub("contact = .*", "", (tmp_path / "corpus.toml").read_text()))
    (tmp_path / "scrapy.cfg").write_text((ROOT / "scrapy.cfg").read_text())
    command = [sys.executable, "-m", "scrapy", "crawl", "news"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 2
    assert "corpus.contact is missing" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:1/", 'it has a private address. If the host is yours, add "127.0.0.1:1" to allow_private'),
        ("ORIGIN/private/x", "robots.txt forbids it."),
        ("file:///etc/passwd", "neither http nor https."),
    ],
)
def test_the_shell_of_scrapy_says_why_it_does_not_fetch_a_url(
    tmp_path: Path, newspaper: Newspaper, url: str, words: str
) -> None:
    """In a sentence; it would show an empty response only."""
    configured(tmp_path, newspaper)
    (tmp_path / "scrapy.cfg").write_text((ROOT / "scrapy.cfg").read_text())
    address = url.replace("ORIGIN", newspaper.origin)
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "shell", address, "-c", "print(response)"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )
    assert f"{address} is not fetched: {words}" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_effective_configuration_is_stored_with_the_run(tmp_path: Path, newspaper: Newspaper) -> None:
    """A run can be understood years later."""
    crawl(configured(tmp_path, newspaper))
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        run = corpus.runs()[-1]
    assert json.loads(run.config)["site"][0]["name"] == "newspaper"
    assert json.loads(run.summary)["documents"] == newspaper.articles


def test_a_host_that_asks_for_a_pause_is_left_alone_and_then_crawled_to_the_end(
    tmp_path: Path, newspaper: Newspaper
) -> None:
    """Retry-After is of the host, not of the page: nothing is fetched in between, not even what was about to
    be when the answer came.
    """
    answers = iter([(429, {"Retry-After": "3"}, b"")])

    def busy() -> tuple[int, dict[str, str], bytes]:
        # Meanwhile the crawl makes its next request ready.
        time.sleep(1.0 if newspaper.asked["/busy"] == 1 else 0.0)
        return next(answers, newspaper.answer("/article/5"))

    newspaper.extra["/busy"] = busy
    crawl(configured(tmp_path, newspaper, per_host=1))
    asked = newspaper.times["/busy"][0]
    early = [path for path, times in newspaper.times.items() if any(0 < time - asked < 3.9 for time in times)]
    assert early == [], (asked, newspaper.times)
    assert set(stored(tmp_path)) == {"/busy", *(f"/article/{index}" for index in range(newspaper.articles))}


def test_the_delay_of_a_site_is_kept_on_its_subdomains_too(tmp_path: Path, newspaper: Newspaper) -> None:
    """Each host of the site waits as long between two requests as corpus.toml says, robots.txt included."""
    newspaper.articles = 4
    allowed = [f"*.localhost:{newspaper.port}"]
    toml = corpus_toml(newspaper, per_host=1, allow_private=allowed).replace("127.0.0.1", "www.localhost")
    toml = toml.replace('name = "newspaper"', 'name = "newspaper"\ndelay = 0.3\nhosts = ["localhost"]')
    newspaper.extra["/m"] = lambda: (302, {"Location": f"http://m.paper.localhost:{newspaper.port}/article/2"}, b"")
    (tmp_path / "corpus.toml").write_text(toml)
    # The entries of its feed are at another host, so the feed is of no use to the site.
    crawl(tmp_path, code=8)
    assert len(newspaper.gaps) == 2
    # Of one request at a time, so that each has arrived before the delay to the next begins.
    assert all(min(gaps) >= 0.28 for gaps in newspaper.gaps.values()), newspaper.gaps


def test_a_crawl_delay_in_robots_txt_is_kept(tmp_path: Path, newspaper: Newspaper) -> None:
    newspaper.articles = 3
    newspaper.robots = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nCrawl-delay: 0.4\n")
    crawl(configured(tmp_path, newspaper, per_host=1))
    gaps = next(iter(newspaper.gaps.values()))
    assert len(gaps) >= 5
    # The first request goes out together with the answer that asks for the delay.
    assert min(gaps[1:]) >= 0.38, gaps


@pytest.mark.parametrize("path", ["/private/1", "/article/1"])
def test_a_robots_txt_beyond_its_limit_is_obeyed_as_far_as_it_is_read(
    tmp_path: Path, newspaper: Newspaper, path: str
) -> None:
    """RFC 9309, 2.5: at least 500 KiB count; the rest neither opens nor closes the site."""
    rules = b"User-agent: *\nDisallow: /private/\n" + b"# long\n" * 400_000 + b"Disallow: /\n"
    newspaper.robots = (200, {"Content-Type": "text/plain"}, rules)
    crawl(configured(tmp_path, newspaper))
    assert newspaper.asked[path] == (path == "/article/1")


def test_a_robots_txt_that_is_down_for_a_moment_does_not_cost_the_night(tmp_path: Path, newspaper: Newspaper) -> None:
    """Until it can be had nothing is fetched; then everything is."""
    answers = iter([(503, {}, b"")])
    newspaper.extra["/robots.txt"] = lambda: next(answers, newspaper.robots)
    crawl(configured(tmp_path, newspaper))
    assert newspaper.asked["/robots.txt"] == 2
    assert len(stored(tmp_path)) == newspaper.articles


def test_headers_without_end_are_let_go_of(tmp_path: Path, newspaper: Newspaper) -> None:
    """They would fill the memory before any other limit is looked at."""
    newspaper.extra["/headers"] = lambda: (200, {f"X-{number}": "x" * 9000 for number in range(4000)}, b"<p>x</p>")
    crawl(configured(tmp_path, newspaper, retries=0))
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        assert {row.key for row in corpus.status().failed} == {"network", "robots"}
    assert len(stored(tmp_path)) == newspaper.articles


def test_corpus_toml_is_in_force_over_the_defaults_of_the_settings_module(tmp_path: Path, newspaper: Newspaper) -> None:
    """Scrapy gives addons a lower priority than a settings module, which would silently undo what the user wrote."""
    from scrapy.settings import Settings

    from corpus_spider import settings
    from corpus_spider.addon import CorpusAddon

    made = Settings({"CORPUS_CONFIG": str(configured(tmp_path, newspaper, timeout=7.0, concurrency=5) / "corpus.toml")})
    made.setmodule(settings, priority="project")
    CorpusAddon.update_pre_crawler_settings(made)
    assert (made.getfloat("DOWNLOAD_DELAY"), made.getfloat("DOWNLOAD_TIMEOUT")) == (0.0, 7.0)
    assert (made.getint("CONCURRENT_REQUESTS"), made.getint("CONCURRENT_REQUESTS_PER_DOMAIN")) == (5, 8)


def test_odd_answers_are_each_counted_once_and_stop_nothing(tmp_path: Path, newspaper: Newspaper) -> None:
    """Statuses that carry no page, redirects in circles and with credentials, headers that are no text."""
    html = {"Content-Type": "text/html"}
    newspaper.extra |= {
        "/204": lambda: (204, {}, b""),
        "/304": lambda: (304, {}, b""),
        "/empty": lambda: (200, html, b""),
        "/typeless": lambda: (200, {}, article(1)),
        "/octets": lambda: (200, html | {"X-Octets": "\xff\xfe", "Set-Cookie": "a=\xe9"}, article(1)),
        "/circle": lambda: (302, {"Location": "/circle"}, b""),
        "/circle?utm_source=a": lambda: (302, {"Location": "/circle?utm_source=b"}, b""),
        "/ping": lambda: (302, {"Location": "/pong"}, b""),
        "/pong": lambda: (302, {"Location": "/ping"}, b""),
        "/chain/0": lambda: (302, {"Location": "/chain/1"}, b""),
        "/secret": lambda: (302, {"Location": f"http://me:pa55word@127.0.0.1:{newspaper.port}/article/1"}, b""),
        "/nowhere": lambda: (302, {}, b""),
        "/bad-port": lambda: (302, {"Location": "http://127.0.0.1:99999/"}, b""),
    }
    for hop in range(1, 9):
        newspaper.extra[f"/chain/{hop}"] = lambda hop=hop: (302, {"Location": f"/chain/{hop + 1}"}, b"")
    printed = crawl(configured(tmp_path, newspaper))
    assert all(count <= 6 for count in newspaper.asked.values()), newspaper.asked
    assert {"/typeless", "/octets", "/article/1"} <= set(stored(tmp_path))
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        states = {row.key for row in corpus.status().by_state}
        assert corpus.fetches.count_unprocessed() == 0
    assert states <= {"done", "failed"}, states
    kept = [gzip.decompress(path.read_bytes()) for path in (tmp_path / "warc").glob("*.warc.gz")]
    assert not any(b"pa55word" in data for data in [printed.encode(), (tmp_path / "corpus.db").read_bytes(), *kept])
