"""URLs: one canonical form for each spelling, and no private address under any of them."""

from __future__ import annotations

import re
import socket

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipelines.urls import url as urls
from tests.corpus_spider.running import often

BASE = "https://news.example.com/a/b/c.html?page=2"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/x", "http://example.com/x"),
        ("https://example.com:0443/x", "https://example.com/x"),
        ("http://example.com:/x", "http://example.com/x"),
        ("http://example.com:8080/x", "http://example.com:8080/x"),
        ("http://example.com./x", "http://example.com/x"),
        ("http://alice:s3cret@example.com/x", "http://example.com/x"),
        ("http://a@b@example.com/x", "http://example.com/x"),
        ("http://example.com/x#part", "http://example.com/x"),
        ("http://example.com/x?", "http://example.com/x"),
        ("http://example.com/x?&a=1&&b=2&", "http://example.com/x?a=1&b=2"),
        ("http://example.com/x?b=2&a=1", "http://example.com/x?b=2&a=1"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/a/%2e%2E/c/.", "http://example.com/c/"),
        ("http://example.com/../..", "http://example.com/"),
        ("http://example.com//a//b", "http://example.com//a//b"),
        ("http://example.com/%7euser/%c3%a9", "http://example.com/~user/%C3%A9"),
        ("http://example.com/é ü?q=é", "http://example.com/%C3%A9%20%C3%BC?q=%C3%A9"),
        ("http://example.com/100%/%zz", "http://example.com/100%25/%25zz"),
        ("http://example.com/%%341", "http://example.com/%2541"),
        ("http://example.com/[a]|b^c", "http://example.com/%5Ba%5D%7Cb%5Ec"),
        ("http://example.com/x?a[]='1'", "http://example.com/x?a%5B%5D=%271%27"),
        ("http:\\\\example.com\\a\\b?c\\d", "http://example.com/a/b?c%5Cd"),
        ("  http://exam\nple.com/a\tb \x00", "http://example.com/ab"),
        ("http:///example.com/x", "http://example.com/x"),
        ("http:example.com/x", "http://example.com/x"),
        ("http://BÜCHER.example/x", "http://xn--bcher-kva.example/x"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        ("http://مثال.إختبار/", "http://xn--mgbh0fb.xn--kgbechtv/"),
        ("http://☃.example/", "http://xn--n3h.example/"),
        ("http://STRAẞE.example/", "http://xn--strae-oqa.example/"),
        ("http://xn--a.example/", "http://xn--a.example/"),
        ("http://ｅｘａｍｐｌｅ。com/", "http://example.com/"),
        ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.01/", "http://127.0.0.1/"),
        ("http://①②⑦.0.0.1/", "http://127.0.0.1/"),
        ("http://[2001:DB8:0::1]:80/", "http://[2001:db8::1]/"),
        ("http://[::127.0.0.1]:8080/x", "http://[::7f00:1]:8080/x"),
        ("http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"),
        ("http://a:b@[::1]/x?y#z", "http://[::1]/x?y"),
        ("http://example.com/a%2Fb/%2e%2e%2Fc", "http://example.com/a%2Fb/..%2Fc"),
        ("http://example.com/x?u=%68ttp%3A%2F%2Fexample.org%2F", "http://example.com/x?u=http%3A%2F%2Fexample.org%2F"),
        ("https://example.com/%E6%96%B0%E8%81%9E/?q=%41", "https://example.com/%E6%96%B0%E8%81%9E/?q=A"),
        ("http://example.com/\ud83d\ude00", "http://example.com/%F0%9F%98%80"),
        ("http://example.com/\ud83d", "http://example.com/%EF%BF%BD"),
    ],
)
def test_equal_urls_have_one_form(url: str, expected: str) -> None:
    """Every spelling of a URL gives the one normal form of RFC 3986 and the URL standard."""
    assert urls.canonicalise(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "article.html",
        "//example.com/x",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "mailto:a@example.com",
        "http://",
        "http:///",
        "http://?x",
        "http://example..com/",
        "http://exa mple.com/",
        "http://exa<mple.com/",
        "http://example.com:99999/",
        "http://example.com:0/",
        "http://example.com:80a/",
        "http://256.1.1.1/",
        "http://1.2.3.4.5/",
        "http://1.2.3.08/",
        "http://0xffffffffff/",
        "http://[::1/",
        "http://[::1%25eth0]/",
        "http://[::g]/",
        "http://a\ufffdb.com/",
        "http://\ud83d.com/",
        "http://a%2Fb.com/",
        "http://[::1]x/",
        "http://\u064aa.example/",
        "http://a\u200db.example/",
        "http://xn--téšla.example/",
        f"http://{'a' * 64}.com/",
        f"http://example.com/{'a' * 2000}",
        f"http://example.com/{'é' * 400}",
        "http://a" + "\u0300\u0327" * 50_000 + "/",
        "http://example.com/" + "a" * 1_000_000,
    ],
)
def test_unusable_urls_are_refused(url: str) -> None:
    """What cannot be fetched over HTTP gives None, never an exception."""
    assert urls.canonicalise(url) is None


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("", "https://news.example.com/a/b/c.html?page=2"),
        ("#top", "https://news.example.com/a/b/c.html?page=2"),
        ("?page=3", "https://news.example.com/a/b/c.html?page=3"),
        ("d.html", "https://news.example.com/a/b/d.html"),
        ("../d", "https://news.example.com/a/d"),
        ("../../../../d", "https://news.example.com/d"),
        ("./", "https://news.example.com/a/b/"),
        ("..", "https://news.example.com/a/"),
        ("/d", "https://news.example.com/d"),
        ("\\d", "https://news.example.com/d"),
        ("//other.example/d", "https://other.example/d"),
        ("/\\other.example/d", "https://other.example/d"),
        ("///other.example/d", "https://other.example/d"),
        ("https:d.html", "https://news.example.com/a/b/d.html"),
        ("https:/d.html", "https://news.example.com/d.html"),
        ("http:d.html", "http://d.html/"),
        ("http://other.example", "http://other.example/"),
        ("https://127.1/d?e", "https://127.0.0.1/d?e"),
        ("//other.example", "https://other.example/"),
        ("//other.example/../d", "https://other.example/d"),
        ("/d/../../e/.", "https://news.example.com/e/"),
        ("/d%2De%2Ff", "https://news.example.com/d-e%2Ff"),
        ("/d?e=/../f", "https://news.example.com/d?e=/../f"),
        (" /d\n", "https://news.example.com/d"),
        ("h", "https://news.example.com/a/b/h"),
        ("//", None),
        ("https://", None),
        ("d:e", None),
        ("./d:e", "https://news.example.com/a/b/d:e"),
        ("javascript:void(0)", None),
        ("java\nscript:void(0)", None),
    ],
)
def test_references_resolve_as_in_browsers(reference: str, expected: str | None) -> None:
    """Relative references resolve against the base as the URL standard says."""
    assert urls.canonicalise(reference, BASE) == expected


def test_base_must_be_usable() -> None:
    """A base that is no http(s) URL helps no relative reference and harms no absolute one."""
    assert urls.canonicalise("x", "ftp://example.com/") is None
    assert urls.canonicalise("http://example.com/x", "ftp://example.com/") == "http://example.com/x"


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("/x?utm_source=rss&id=5&utm_medium=feed", "/x?id=5"),
        ("/x?UTM_Source=rss", "/x"),
        ("/x?%75tm_source=rss", "/x"),
        ("/x?id=5&amp;utm_source=rss", "/x?id=5"),
        ("/x?fbclid=abc&gclid=1&yclid=2&mc_cid=3", "/x"),
        ("/x?zarsrc=30&utm_source=zalo&gidzl=aB-9_x", "/x"),
        ("/x/?replytocom=71#respond", "/x/"),
        ("/x/?p=5&unapproved=72&moderation-hash=0f", "/x/?p=5"),
        ("/x;jsessionid=0A1B2C?id=5", "/x?id=5"),
        ("/x;JSESSIONID=0A1B2C/y", "/x/y"),
        ("/..;jsessionid=1/y", "/y"),
        ("/(S(lit3py55t21z5v55vlm25s55))/page.aspx", "/page.aspx"),
        ("/(X(1)S(lit3py55t21z5v55vlm25s55))/page.aspx", "/page.aspx"),
        ("/(A(rR8vDmQwzAEkAAAAZjU5)F(q7Zk_a-1bcdefgh)S(lit3py55t21z5v55vlm25s55))/page.aspx", "/page.aspx"),
        ("/(X(1))/page.aspx", "/page.aspx"),
        ("/x?PHPSESSID=abc&id=5", "/x?id=5"),
        ("/x?sid=0123456789abcdef0123456789abcdef", "/x"),
    ],
)
def test_tracking_and_sessions_are_left_out_of_the_key_only(url: str, canonical: str) -> None:
    """The canonical form has no tracking parameter and no session; the fetchable form has every parameter."""
    address = f"https://example.com{url}"
    assert urls.canonicalise(address) == f"https://example.com{canonical}"
    fetch = urls.fetchable(address)
    assert fetch is not None
    assert fetch != urls.canonicalise(address)
    assert urls.canonicalise(fetch) == f"https://example.com{canonical}"


@pytest.mark.parametrize(
    "query",
    ["sid=100", "sid=20240513000012345678", "s=corona", "sid=507f1f77bcf86cd799439011", "id=utm_source", "source=rss"],
)
def test_parameters_that_may_mean_something_stay(query: str) -> None:
    """A parameter that could select the article is kept: story numbers, search words, database keys."""
    assert urls.canonicalise(f"https://example.com/x?{query}") == f"https://example.com/x?{query}"
    assert urls.canonicalise("https://example.com/f(x)/(A(b))/y") == "https://example.com/f(x)/(A(b))/y"


URL_PIECES = st.lists(
    st.sampled_from(
        re.findall(
            r"[^ ]+",
            "http: https: // / \\ ? # & = ; : @ % %2e %2E %25 %41 %c3%a9 %zz .. . a B é ü 。 ☃ \ud800 xn-- xn--a ß"
            " \u200d \u0660 \x00 \n \xa0 example.com 127.1 0x7f [ ] [::1] utm_source="
            " ;jsessionid=1 (S(abcdefgh)) PHPSESSID=1",
        )
    ),
    max_size=12,
).map("".join)


@pytest.mark.timeout(3600)
@settings(max_examples=often(1500, 100_000), deadline=None)
@given(st.one_of(st.text(), URL_PIECES, URL_PIECES.map("http://example.com/".__add__)), st.sampled_from([None, BASE]))
@example("http://example.com/%%341", None)
@example("http://example.com/..;jsessionid=1/%2e%2e/", None)
def test_canonical_form_is_a_fixed_point(url: str, base: str | None) -> None:
    """Any string gives None or a short ASCII URL that canonicalises to itself; fetchable agrees on which."""
    canonical, fetch = urls.canonicalise(url, base), urls.fetchable(url, base)
    assert (canonical is None) == (fetch is None)
    if canonical is not None and fetch is not None:
        assert canonical.isascii()
        assert canonical.isprintable()
        assert len(canonical) <= len(fetch) <= urls.MAX_LENGTH
        assert canonical.startswith(("http://", "https://"))
        assert urls.canonicalise(canonical) == canonical
        assert urls.fetchable(fetch) == fetch
        assert urls.canonicalise(fetch) == canonical
        assert urls.host_of(canonical)


@pytest.mark.timeout(3600)
@settings(max_examples=often(1500, 100_000), deadline=None)
@given(st.one_of(URL_PIECES, URL_PIECES.map("http://example.com/".__add__)), st.sampled_from([None, BASE, "//x"]))
@example("//example.com", BASE)
@example("/%2F%7E%C3%A9?%27", BASE)
def test_urls_in_normal_form_are_parsed_as_the_others(url: str, base: str | None) -> None:
    """White space before a URL changes nothing, though the parser must read it. A second join changes nothing."""
    address = urls.parse(url, base)
    assert urls.parse(f" {url}", base) == address
    if address is not None:
        assert urls.parse(address.fetchable, base) == address


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://WWW.Example.com/x", "www.example.com"),
        ("http://example.com:8080/x", "example.com:8080"),
        ("https://example.com:443/x", "example.com"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("not a url", ""),
    ],
)
def test_host_of(url: str, host: str) -> None:
    """The host is lower-case, with its port only where that is not the scheme's own."""
    assert urls.host_of(url) == host


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("example.com", "www.example.com", True),
        ("news.example.co.uk", "sport.example.co.uk", True),
        ("example.co.uk", "other.co.uk", False),
        ("EXAMPLE.com", "example.com:8080", True),
        ("one.blogspot.com", "two.blogspot.com", False),
        ("www.city.kawasaki.jp", "city.kawasaki.jp", True),
        ("a.one.kawasaki.jp", "a.two.kawasaki.jp", False),
        ("báo.com.vn", "tin.xn--bo-mia.com.vn", True),
        ("127.0.0.1:8001", "127.0.0.1:8001", True),
        ("127.0.0.1:8001", "127.0.0.1:8002", False),
        ("localhost", "otherhost", False),
        ("example.com", "example.org", False),
    ],
)
def test_same_site(one: str, other: str, same: bool) -> None:
    """Hosts are of one site when they share the domain that was registered; without one they must be equal."""
    assert urls.same_site(one, other) is same
    assert urls.same_site(other, one) is same


@pytest.mark.parametrize(
    "host",
    re.findall(
        r"\S+",
        """
    127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 127.0.0.1. 127.0.0.1:8080 ①②⑦.0.0.1
    127。0。0。1 %31%32%37.0.0.1 0 0.0.0.0 10.0.0.1 10.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1
    224.0.0.1 255.255.255.255 192.0.2.1 198.18.0.1 240.0.0.1 192.88.99.1 [::] [::1] ::1 [::1]:80
    [::ffff:127.0.0.1] ::ffff:7f00:1 [::127.0.0.1]
    [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] 64:ff9b::10.0.0.1 [64:ff9b:1::1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1]
    fe80::1%eth0 [fe80::1%25eth0] 2a00:1450:4001::1%1 [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [2001:db8::1]
    [3fff::1] localhost LOCALHOST localhost. localhost:80 a.localhost printer.local localhost.localdomain
    db.internal ip6-loopback 1.2.3.4.5 256.1.1.1 0x 1.2.3.08 example.com:99999 [::1 a..b
    """,
    ),
)
def test_private_hosts_are_known_in_every_spelling(host: str) -> None:
    """A host that is not of the public internet, or is no host at all, is refused however it is written."""
    assert urls.private_address(host)


@pytest.mark.parametrize(
    "host",
    re.findall(
        r"\S+",
        """
    example.com www.example.co.uk:8080 8.8.8.8 0x08.8.8.8 134744072 [2a00:1450:4001:80b::200e] 2606:2800:220:1::1
    [::ffff:8.8.8.8] [64:ff9b::808:808] local.example.com notlocalhost internal.example.org xn--bcher-kva.example
    """,
    ),
)
def test_public_hosts_pass(host: str) -> None:
    """Public names and public addresses pass in any spelling."""
    assert not urls.private_address(host)


def test_hostile_hosts_are_not_private_by_emptiness_only() -> None:
    """An empty host and a host with a space are no hosts to ask."""
    assert urls.private_address("")
    assert urls.private_address("127.0.0.1 example.com")


@pytest.mark.timeout(3600)
@settings(max_examples=often(500, 10_000), deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "{:#x}", "0{:o}"]))
def test_numeric_spellings_agree_with_the_c_library(value: int, spelling: str) -> None:
    """Decimal, hexadecimal and octal spellings are the address inet_aton reads, and judged as that address."""
    spelled = spelling.format(value)
    dotted = socket.inet_ntoa(socket.inet_aton(spelled))
    assert urls.host_of(f"http://{spelled}/") == dotted
    assert urls.private_address(spelled) is not urls.address_allowed(dotted)


@pytest.mark.parametrize("ip", ["", "example.com", "8.8.8", "0x08080808", "1.2.3.4%1", "::ffff:8.8.8.8%1", "[::1]"])
def test_unreadable_addresses_are_not_allowed(ip: str) -> None:
    """Only a plain IP address, as a resolver gives it, can be allowed."""
    assert not urls.address_allowed(ip)


@settings(max_examples=300, deadline=None)
@given(st.ip_addresses(v=4))
def test_an_embedded_address_is_judged_as_itself(address: object) -> None:
    """Mapped and NAT64 forms are as public as the IPv4 address within; 6to4 is never public."""
    allowed = urls.address_allowed(str(address))
    assert urls.address_allowed(f"::ffff:{address}") is allowed
    assert urls.address_allowed(f"64:ff9b::{address}") is allowed
    packed = socket.inet_aton(str(address)).hex()
    assert not urls.address_allowed(f"2002:{packed[:4]}:{packed[4:]}::1")
