"""Guard: the crawl stays on the public web. Schemes, ports, private addresses in any spelling."""

from __future__ import annotations

import ipaddress
import json
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.resolver import dnscache
from twisted.internet.task import Clock

from corpus_spider.middlewares.guard import GuardedResolver, refusal
from pipelines.urls.url import fetchable
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import PATIENCE, environment, often, until

if TYPE_CHECKING:
    from pathlib import Path

    from twisted.internet.address import IPv4Address

PUBLIC, PUBLIC6 = "93.184.215.14", "2606:2800::1"
PLACES = ["10.0.0.1", PUBLIC, "169.254.169.254", PUBLIC6, "fe80::1", "::1"]
LAB = ("127.0.0.1:8000", "*.demo.localhost:8000")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://news.example/", None),
        ("http://news.example/a?b", None),
        ("http://news.example:8080/", "port"),
        ("http://127.0.0.1/", "private_address"),
        ("http://2130706433/", "private_address"),
        ("http://0x7f.1/", "private_address"),
        ("http://[::1]/", "private_address"),
        ("http://[::ffff:10.0.0.1]/", "private_address"),
        ("http://10.1.2.3/", "private_address"),
        ("http://169.254.169.254/latest/meta-data", "private_address"),
        ("http://localhost/", "private_address"),
        ("http://x.localhost/", "private_address"),
        ("file:///etc/passwd", "scheme"),
        ("ftp://news.example/", "scheme"),
        ("data:text/html,x", "scheme"),
        ("http://news.example:99999/", "scheme"),
        ("http:///", "scheme"),
        ("http://127.0.0.1:8000/", None),
        ("http://127.0.0.1:8001/", "private_address"),
        ("http://vi.demo.localhost:8000/", None),
        ("http://demo.localhost.evil.example:8000/", "port"),
    ],
)
def test_only_public_web_addresses_and_the_named_labs_may_be_fetched(url: str, reason: str | None) -> None:
    assert refusal(url, LAB) == reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://cms.intra.example:8080/", None),
        ("http://cms.intra.example/", "port"),
        ("https://cms.intra.example/", "port"),
        ("http://a.lab.example:9000/", None),
        ("http://a.lab.example/", "port"),
        ("http://intra.example/", None),
        ("http://news.example:7000/", None),
        ("http://news.example/", None),
    ],
)
def test_a_private_host_is_reached_at_the_ports_that_are_listed_only(url: str, reason: str | None) -> None:
    """A name that may resolve to a private address opens no other port."""
    assert refusal(url, ("cms.intra.example:8080", "*.lab.example:9*", "*:7000"), (7000,)) == reason


def test_a_port_that_a_seed_uses_may_be_fetched() -> None:
    assert refusal("http://news.example:8080/", (), (8080,)) is None


def numbers(value: int) -> st.SearchStrategy[str]:
    """Write a number as C does: decimal, octal or hexadecimal, with zeros in front."""
    zeros = st.sampled_from(["", "0", "000"])
    return st.one_of(
        st.just(str(value)),
        zeros.map(lambda more: f"0{more}{value:o}"),
        zeros.map(lambda more: f"0x{more}{value:x}"),
        zeros.map(lambda more: f"0X{more}{value:X}"),
    )


@st.composite
def spelt(draw: st.DrawFn) -> tuple[str, str]:
    """Draw an IPv4 address and one of the ways to write it that inet_aton reads."""
    nets = st.sampled_from(["127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16", "0.0.0.0/8", "1.0.0.0/8"])
    net = ipaddress.IPv4Network(draw(nets))
    address = net[draw(st.integers(0, net.num_addresses - 1))]
    parts = list(address.packed)
    kept = draw(st.integers(0, 3))
    rest = int.from_bytes(bytes(parts[kept:]), "big")
    text = ".".join(draw(numbers(value)) for value in [*parts[:kept], rest])
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    forms = [text, text.translate(wide), text.replace(".", "。"), text.replace(".", "%2e"), text + "."]
    return str(address), draw(st.sampled_from(forms))


@pytest.mark.timeout(3600)
@settings(max_examples=often(600, 10_000), deadline=None)
@given(written=spelt(), user=st.sampled_from(["", "a@", "a:b@", "news.example@", "news.example:80@"]))
def test_no_spelling_of_an_address_gets_past_the_guard(written: tuple[str, str], user: str) -> None:
    """What a link says is refused as the address it is, or is none; public addresses pass."""
    address, text = written
    public = ipaddress.IPv4Address(address).is_global
    target = fetchable(f"http://{user}{text}/")
    assert target is not None
    assert refusal(target, ()) == (None if public else "private_address")
    assert public or refusal(f"http://{user}{text}/", ()) is not None


@pytest.mark.timeout(3600)
@settings(max_examples=often(600, 10_000), deadline=None)
@given(
    value=st.integers(0, 2**32 - 1),
    prefix=st.sampled_from(["::ffff:", "::", "64:ff9b::", "64:ff9b:1::", "2002:", "fec0::"]),
)
def test_an_ipv6_address_is_no_way_to_a_private_one(value: int, prefix: str) -> None:
    """Mapped and NAT64 addresses are as public as the address inside; the others are refused."""
    inner = ipaddress.IPv4Address(value)
    outer = f"2002:{value >> 16:x}:{value & 0xFFFF:x}::" if prefix == "2002:" else f"{prefix}{inner}"
    target = fetchable(f"http://[{outer}]/")
    assert target is not None
    passes = refusal(target, ()) is None
    assert not passes or (inner.is_global and prefix in {"::ffff:", "64:ff9b::"})


HANGING_NAMES = """
import os, socket, sys, time

def look_up(name):
    while name != "z.test" and not os.path.exists("over"):
        time.sleep(0.05)
    if name != "z.test":
        raise socket.gaierror(-3, "Temporary failure in name resolution")
    return [(2, 1, 6, "", ("127.0.0.1", 0))]

socket.getaddrinfo = lambda name, *_, **__: look_up(name)
from corpus_spider.cli.app import run
sys.exit(run(["crawl"]))
"""


def test_names_without_an_answer_delay_no_others(tmp_path: Path) -> None:
    """With ten of them all sites counted as not to be had."""
    names = [*(f"a{number}.test" for number in range(40)), "z.test"]
    with served(Newspaper(articles=3)) as paper:
        head = corpus_toml(paper, allow_private=[f"z.test:{paper.port}"]).partition("[[site]]")[0]
        sites = [f'[[site]]\nname = "{name}"\nstart = ["http://{name}:{paper.port}/"]\n' for name in names]
        (tmp_path / "corpus.toml").write_text(head + "".join(sites))
        command = [sys.executable, "-c", HANGING_NAMES]
        with subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL) as crawl:
            try:
                until(lambda: paper.asked["/article/0"], lambda: dict(paper.asked))
            finally:
                (tmp_path / "over").touch()
                crawl.kill()


MOVING_NAME = """
import socket, sys

addresses = iter(["127.0.0.2"])
socket.getaddrinfo = lambda name, *_, **__: [(2, 1, 6, "", (next(addresses, "127.0.0.1"), 0))]
from corpus_spider.cli.app import run
sys.exit(run(["crawl"]))
"""


def test_a_host_that_moves_to_another_machine_is_looked_up_again(tmp_path: Path) -> None:
    """It could not be reached until the end of the run, with any address of its name."""
    with served(Newspaper(articles=3)) as paper:
        toml = corpus_toml(paper, allow_private=[f"z.test:{paper.port}"]).replace("127.0.0.1", "z.test")
        (tmp_path / "corpus.toml").write_text(toml)
        command = [sys.executable, "-c", MOVING_NAME]
        subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, timeout=PATIENCE, check=False)
        assert paper.asked["/article/0"]


def test_a_name_with_a_private_address_is_reported_with_what_to_do(tmp_path: Path) -> None:
    """All that is known of it further on is that no address was found. Once, however often it is looked up."""
    (tmp_path / "corpus.toml").write_text(
        '[corpus]\ncontact = "a@b.example"\n[crawl]\nretries = 2\n'
        '[[site]]\nname = "lab"\nstart = ["http://z.test/", "http://z.test/b"]\n'
    )
    command = [sys.executable, "-c", MOVING_NAME]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    reported = [line for line in done.stderr.splitlines() if "allow_private" in line]
    assert (done.returncode, len(reported), "z.test is 127.0.0." in reported[0]) == (7, 1, True), done.stderr


NAMES = """
import json, socket, sys

places, real = json.loads(sys.argv[1]), socket.getaddrinfo
def look_up(name, *more, **named):
    if name not in places:
        return real(name, *more, **named)
    return [(10 if ":" in place else 2, 1, 6, "", (place, 0)) for place in places[name]]

socket.getaddrinfo = look_up
from corpus_spider.cli.app import run
sys.exit(run(["crawl", *sys.argv[2:]]))
"""


def crawled(folder: Path, toml: str, places: dict[str, list[str]]) -> subprocess.CompletedProcess[str]:
    """Crawl where names have these addresses and no others."""
    (folder / "corpus.toml").write_text(toml)
    command = [sys.executable, "-c", NAMES, json.dumps(places), "--quiet"]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def has_ipv6() -> bool:
    with suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False


@pytest.mark.parametrize(
    "places",
    [
        ["127.0.0.9", "127.0.0.1"],
        ["2001:4860::9", "127.0.0.1"],
        pytest.param(["::1"], marks=pytest.mark.skipif(not has_ipv6(), reason="not run: needs IPv6")),
    ],
)
def test_of_the_addresses_of_a_name_those_are_asked_that_answer(tmp_path: Path, places: list[str]) -> None:
    """A name whose first address was down, or that has IPv6 addresses alone, was one that could not be had."""
    address = "::1" if places == ["::1"] else "127.0.0.1"
    with served(Newspaper(articles=3), address) as paper:
        toml = corpus_toml(paper, allow_private=[f"z.test:{paper.port}"]).replace("127.0.0.1", "z.test")
        assert crawled(tmp_path, toml, {"z.test": places}).returncode in {0, 8}
        assert paper.asked["/article/0"]


class Reported:
    """What a resolver says of a name."""

    def __init__(self) -> None:
        self.places: list[str] = []

    def resolutionBegan(self, resolution: object) -> None:
        pass

    def addressResolved(self, address: IPv4Address) -> None:
        self.places.append(address.host)

    def resolutionComplete(self) -> None:
        self.places.append("")


@pytest.mark.parametrize(
    ("name", "port", "allowed", "expected"),
    [
        ("mixed.example", 80, (), [PUBLIC, PUBLIC6]),
        ("mixed.example", 80, ("*:8080",), [PUBLIC, PUBLIC6]),
        ("mixed.example", 8080, ("*:8080",), PLACES),
        ("x.localhost", 80, (), []),
        ("x.localhost", 80, ("*.localhost:80",), ["127.0.0.1"]),
    ],
)
def test_of_the_addresses_of_a_name_the_private_ones_are_passed_over(
    monkeypatch: pytest.MonkeyPatch, name: str, port: int, allowed: tuple[str, ...], expected: list[str]
) -> None:
    """One with a private address before its public one was one without; what any host may be asked for at one port was
    reached at port 80, too.
    """
    monkeypatch.setitem(dnscache, "mixed.example", PLACES)
    reported = Reported()
    GuardedResolver(None, allowed, 1.0).resolveHostName(reported, name, portNumber=port)
    assert reported.places == [*expected, ""]


class Unanswered(Clock):
    """A reactor with a clock that the test sets, and with threads that wait for a name server without end."""

    def getThreadPool(self) -> Unanswered:
        return self

    def callInThreadWithCallback(self, *_: object) -> None:
        pass


def test_a_name_server_that_does_not_answer_is_waited_for_no_longer_than_its_time() -> None:
    """The resolver ended with an error of its own, and the request waited for the page's whole time."""
    reported, reactor = Reported(), Unanswered()  # type: ignore[no-untyped-call]
    GuardedResolver(reactor, (), 5.0).resolveHostName(reported, "silent.example", portNumber=80)
    assert reported.places == []
    reactor.advance(5.0)
    assert reported.places == [""]


class Crowded(Unanswered):
    """A reactor that the system refuses another thread."""

    def callInThreadWithCallback(self, *_: object) -> None:
        raise RuntimeError("can't start new thread")


def test_a_name_that_no_thread_is_left_to_look_up_is_one_without_an_address() -> None:
    """The end of the search was not reported, and the request waited for the page's whole time."""
    reported = Reported()
    GuardedResolver(Crowded(), (), 5.0).resolveHostName(reported, "any.example", portNumber=80)  # type: ignore[no-untyped-call]
    assert reported.places == [""]
