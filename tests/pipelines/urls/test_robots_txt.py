"""robots.txt by RFC 9309: groups, product tokens, paths, and other lines of real files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from pipelines.urls.robots_txt import MAX_BYTES, PathPattern, parse_robots, path_of, product_token

AGENT = "corpus-spider/1.0 (+https://example.org/bot/2.0 me@example.org)"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/fish", "/fish/a.html?x", True),
        ("/fish", "/Fish", False),
        ("/fish*", "/fishheads", True),
        ("/fish/", "/fish", False),
        ("/*.php", "/a/b.php?c", True),
        ("/*.php$", "/a.php?c", False),
        ("/*.php$", "/a.php", True),
        ("/$", "/", True),
        ("/$", "/a", False),
        ("/a*b*c$", "/a-b-b-c", True),
        ("/a*a$", "/a", False),
        ("private/", "/private/1", True),
        ("http://a.example/private/", "/private/1", True),
        ("*", "/anything", True),
        ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/a%3cd", "/a%3Cd", True),
        ("/a%2fb", "/a/b", False),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
        ("/path/foo-%24", "/path/foo-$", True),
        ("/a$b", "/a$b", True),
        ("/a b", "/a%20b", True),
    ],
)
def test_a_path_matches_as_the_rfc_has_it(pattern: str, path: str, *, matches: bool) -> None:
    assert PathPattern.of(pattern).matches(path_of(f"http://a.example{path}")) is matches


@pytest.mark.parametrize(
    ("lines", "allowed"),
    [
        ("User-agent: *|Disallow: /p", False),
        ("user-AGENT : CORPUS-spider|DISALLOW:/p", False),
        ("User-agent: corpus-spider/2.0|Disallow: /p", False),
        ("User-agent: *|Disallow: /|User-agent: corpus-spider|Disallow:", True),
        ("User-agent: corpus|Disallow: /", True),
        ("User-agent: bot|User-agent: example|User-agent: me|Disallow: /", True),
        ("User-agent: a|User-agent: corpus-spider|Disallow: /", False),
        ("User-agent: corpus-spider|Allow: /p||User-agent: corpus-spider|Disallow: /", True),
        ("User-agent: corpus-spider|Disallow: /x||User-agent: corpus-spider|Disallow: /p", False),
        ("User-agent: *|Noindex: /|User-agent: b|Disallow: /p", False),
        ("User-agent: *|Sitemap: /s|Disallow: /p", False),
        ("User-agent: *|Crawl-delay: 1|User-agent: b|Disallow: /p", True),
        ("Disallow: /p", True),
        ("User-agent: *|Disallow: /p # all of it", False),
        ("User-agent: *|#Disallow: /p", True),
        ("User-agent: *|Disallow /p", False),
        ("User-agent: *|Disallow: /|Allow: /p", True),
        ("User-agent: *|Disallow: /p|Allow: /p", True),
        ("User-agent: *|Disallow: /p*|Allow: /p", False),
        ("", True),
    ],
)
def test_the_rules_of_the_right_group_decide(lines: str, *, allowed: bool) -> None:
    for end in ("\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\n\ufeff", "\n\u200b"):
        robots = parse_robots(lines.replace("|", end).encode())
        assert robots.can_fetch("http://a.example/p/1", AGENT) is allowed
        assert robots.can_fetch("http://a.example/robots.txt", AGENT)


@pytest.mark.parametrize("agents", ["*", "* # all", "*\tSomeBot", "*  SomeBot/1.0", "*\nUser-agent: other"])
def test_a_star_alone_or_before_white_space_means_all(agents: str) -> None:
    assert not parse_robots(f"User-agent: {agents}\nDisallow: /".encode()).can_fetch("http://a.example/", AGENT)


@pytest.mark.parametrize("agents", ["*MJ12bot", "*bot*", "**", "*,googlebot", "*/1.0", "bot *"])
def test_a_star_before_other_characters_does_not_mean_all(agents: str) -> None:
    body = f"User-agent: *\nAllow: /\n\nUser-agent: {agents}\nDisallow: /"
    assert parse_robots(body.encode()).can_fetch("http://a.example/", AGENT)


def test_a_star_before_our_name_names_us() -> None:
    assert not parse_robots(b"User-agent: *corpus-spider*\nDisallow: /").can_fetch("http://a.example/", AGENT)


@pytest.mark.parametrize(
    ("rules", "url", "allowed"),
    [
        ("Disallow: https://staging.example.org/", "https://www.example.org/p", True),
        ("Disallow: https://staging.example.org/", "https://staging.example.org/p", False),
        ("Disallow: HTTP://WWW.Example.org:80/p", "https://www.example.org/p/1", False),
        ("Disallow: https://www.example.org/p$", "https://www.example.org/p/1", True),
        ("Disallow: https://www.example.org", "https://www.example.org/p", False),
        ("Disallow: https://www.example.org:8443/", "https://www.example.org/p", True),
        ("Disallow: https://báo.example/", "https://xn--bo-mia.example/p", False),
        ("Disallow: https://*.example.org/", "https://www.example.org/p", True),
        ("Disallow: https://", "https://www.example.org/p", True),
        ("Disallow: /|Allow: https://other.example/", "https://www.example.org/p", False),
        ("Disallow: /|Allow: https://www.example.org/", "https://www.example.org/p", True),
        ("Disallow: /go?to=https://other.example/", "https://www.example.org/go?to=https://other.example/", False),
    ],
)
def test_a_rule_with_an_absolute_url_concerns_only_its_host(rules: str, url: str, *, allowed: bool) -> None:
    body = f"User-agent: *|{rules}".replace("|", "\n").encode()
    assert parse_robots(body).can_fetch(url, AGENT) is allowed


@pytest.mark.parametrize("name", ["Disallow", "dissallow", "Dissalow", "DISALOW", "diasllow", "disallaw", "Disallowed"])
@pytest.mark.parametrize(
    ("agent", "separator"),
    [("User-agent", "\t"), ("useragent", " :"), ("USER AGENT", ": "), ("User \t agent", " \t "), ("User-agents", " ")],
)
def test_common_misspellings_are_read(name: str, separator: str, agent: str) -> None:
    body = f"{agent}{separator}*\n{name}{separator}/p:1\nCrawl delay{separator}2\nSitemaps{separator}http://a.example/s"
    robots = parse_robots(body.encode())
    assert not robots.can_fetch("http://a.example/p:1", AGENT)
    assert robots.can_fetch("http://a.example/p", AGENT)
    assert (robots.crawl_delay(AGENT), robots.sitemaps) == (2.0, ["http://a.example/s"])


_AGENTS = st.sampled_from(["*", "* all", "corpus-spider", "*MJ12bot", "otherbot"])
_NAMES = st.sampled_from(["Disallow", "Allow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "Noindex"])
_SEPARATORS = st.sampled_from([": ", ":", "\t", " ", " :\t"])
_PATHS = st.lists(st.sampled_from(["a", "b", "/", "*", "1"]), max_size=5).map(lambda parts: "/" + "".join(parts))
_RULES = st.builds("{}{}{}".format, _NAMES, _SEPARATORS, st.one_of(_PATHS, _PATHS.map("{}$".format), st.just("")))
_GROUPS = st.builds(
    lambda agents, rules: "\n".join([*(f"User-agent: {name}" for name in agents), *rules]),
    st.lists(_AGENTS, min_size=1, max_size=3),
    st.lists(_RULES, max_size=5),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(_GROUPS, min_size=1, max_size=4).map("\n\n".join), st.text("ab1/", max_size=6))
def test_generated_files_are_read_as_protego_reads_them(body: str, path: str) -> None:
    """Protego takes ``* all`` for the name of one crawler. Google's parser takes it for all, and so do we."""
    url = f"http://a.example/{path}".replace("//", "/").replace(":/", "://")
    peer = Protego.parse(body.replace("* all", "*"))
    assert parse_robots(body.encode()).can_fetch(url, AGENT) is peer.can_fetch(url, "corpus-spider")


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        (AGENT, "corpus-spider"),
        ("Mozilla/5.0 (compatible; MyBot/1.0; +https://bot.example/x/1)", "mybot"),
        ("My_Bot", "my_bot"),
        ("", ""),
    ],
)
def test_rules_call_a_crawler_by_its_product_token(agent: str, token: str) -> None:
    assert product_token(agent) == token


@pytest.mark.parametrize(
    ("lines", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 2", 2.0),
        ("User-agent: *\nCrawl-delay: 0.5 s", 0.5),
        ("User-agent: *\nCrawl-delay: soon", None),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: *\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 300", 300.0),
        ("User-agent: *\nCrawl-delay: 9\nUser-agent: corpus-spider\nDisallow: /x", None),
    ],
)
def test_crawl_delay_is_read_from_our_group(lines: str, delay: float | None) -> None:
    assert parse_robots(lines.encode()).crawl_delay(AGENT) == delay


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_changes_nothing(encoding: str, mark: str) -> None:
    """Nor does a second one: its group was not recognised, and forbidden paths were fetched."""
    body = f"{mark}User-agent: *\nDisallow: /é\nSitemap: http://a.example/s.xml".encode(encoding)
    robots = parse_robots(body)
    assert not robots.can_fetch("http://a.example/%C3%A9", AGENT)
    assert robots.sitemaps == ["http://a.example/s.xml"]


def test_bytes_that_are_no_utf_8_match_their_percent_encoding() -> None:
    assert not parse_robots(b"User-agent: *\nDisallow: /caf\xe9").can_fetch("http://a.example/caf%E9", AGENT)


@pytest.mark.parametrize(("over", "allowed"), [(0, False), (1, True)])
def test_a_line_that_the_limit_cuts_is_dropped(over: int, *, allowed: bool) -> None:
    """It would forbid more than it says: /p instead of /page."""
    head, rule = b"User-agent: *\n#", b"\nDisallow: /p"
    body = head + b"x" * (MAX_BYTES - len(head) - len(rule)) + rule + (b"age" if over else b"\n/x")
    assert parse_robots(body).can_fetch("http://a.example/paper", AGENT) is allowed


@pytest.mark.parametrize("names", [["*"], [f"bot{number}" for number in range(10_000)]], ids=["one", "many"])
def test_a_file_of_names_and_rules_gives_no_more_rules_than_it_has_lines(names: list[str]) -> None:
    """Each rule once for all who are named before it: once for each of them would be hundreds of millions."""
    named = b"".join(b"User-agent:%s\n" % name.encode() for name in names) * (10_000 // len(names))
    body = named + b"Allow:/\nDisallow:/x\n" * 10_000
    assert len(body) <= MAX_BYTES
    robots = parse_robots(body)
    groups = {id(group): group for of in robots.groups.values() for group in of}
    assert sum(len(group.rules) for group in groups.values()) == 20_000
    assert not robots.can_fetch("http://a.example/x", names[-1])
    assert robots.can_fetch("http://a.example/y", names[0])


@settings(max_examples=200, deadline=None)
@given(st.text("/a*$%2", max_size=12), st.text("/a$*%2", max_size=12))
def test_patterns_match_as_the_same_regular_expression_would(pattern: str, path: str) -> None:
    wanted = PathPattern.of(f"/{pattern}")
    expression = ".*".join(map(re.escape, wanted.pieces)) + (r"\Z" if wanted.anchored else "")
    target = path_of(f"http://a.example/{path}")
    assert wanted.matches(target) is (re.match(expression, target) is not None)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_bytes_are_read_as_some_rules(body: bytes, path: str) -> None:
    robots = parse_robots(b"User-agent: *\nDisallow: " + body)
    assert robots.can_fetch("http://a.example/" + path.replace("[", ""), AGENT) in (True, False)
