"""Peers: each installed library keeps the contract of an extractor."""

from __future__ import annotations

import logging
import socket
import sys
import warnings
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines.extractors.base import ExtractorOptions
from pipelines.extractors.lab import peers
from pipelines.extractors.registry import EXTRACTORS, get
from storage.errors import ConfigError
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator

SENTENCE = "The committee met on Tuesday and agreed that the old bridge will be rebuilt in the next year. "
PAGE = f"""<html lang="en"><head><title>Bridge</title><meta property="og:image" content="https://pictures.example/1.jpg">
</head><body><ul><li><a href="/1">Home</a><li><a href="/2">Sport</a></ul><article><h1>Bridge</h1>
{"".join(f"<p>{number}. {SENTENCE * 3}</p><img src='https://pictures.example/{number}.jpg'>" for number in range(6))}
</article><footer><a href="/3">Imprint</a></footer></body></html>"""

HOSTILE = {
    "empty": "",
    "blank": " \n",
    "nul": "\0<p>\0a\0</p>\0",
    "surrogates": "<p>\ud800 text \udfff</p>",
    "nested": "<div>" * 30_000 + "text",
    "formatting": "".join(f"<b a={n}>" for n in range(500)) + "<p>word</p>" * 3_000,
    "many tags": "<b>x" * 60_000,
    "declared": "<?xml version='1.0' encoding='utf-16'?><html><body><p>text</p></body></html>",
    "not html": "%PDF-1.4 \x01\x02",
}


@pytest.fixture(params=sorted(peers.PEERS))
def name(request: pytest.FixtureRequest) -> str:
    """Each peer that is installed; jusText always is."""
    if peers.find(request.param) is None:
        need("peers")
    return str(request.param)


@pytest.fixture(autouse=True)
def _without_our_helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the folders of tests from where modules are found: one of them has a helper of a library's name."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "tests" not in Path(path).parts])


@pytest.fixture
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Forbid name lookups and connections; each attempt is recorded."""
    asked: list[object] = []

    def refuse(*arguments: object, **_: object) -> None:
        asked.append(arguments)
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield asked
    assert asked == []


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize("language", [None, "en", "th", "xx"])
def test_a_peer_reads_an_article_without_the_network(name: str, language: str | None) -> None:
    """Its text is the article's, line by line, its version the library's; no picture is fetched."""
    found = get(name).extract(PAGE, ExtractorOptions(url="https://paper.example/1", language=language))
    assert found.extractor == name
    assert found.version[0].isdigit()
    assert found.reason == ""
    if language in {None, "en"}:
        assert sum(SENTENCE.strip() in line for line in found.paragraphs) == 6
        assert "Imprint" not in found.text
    assert all(line == " ".join(line.split()) != "" for line in found.paragraphs)


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_page_ends_no_comparison(name: str, case: str) -> None:
    """It gives an extraction whose text can be written, with a reason where the library fails or would take long."""
    found = get(name).extract(HOSTILE[case])
    found.text.encode("utf-8")
    assert "\0" not in found.text
    if case in {"nested", "formatting", "many tags"}:
        assert found.paragraphs == ()
        assert found.reason


def test_a_failing_library_is_reported_in_the_extraction(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any exception, the page has no text and the error's name is the reason."""

    def read(html: str, options: ExtractorOptions) -> list[str]:
        raise ZeroDivisionError

    found = peers.PeerLibrary("justext", "justext", "a test", read)(PAGE, ExtractorOptions())
    assert (found.paragraphs, found.reason.partition("(")[0]) == ((), "justext failed: ZeroDivisionError")


def test_remarks_of_the_libraries_stay_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """With any logger, also when they fail; ours write again afterwards."""

    def read(html: str, _: ExtractorOptions) -> list[str]:
        logging.getLogger("some.library").error("a remark")
        warnings.warn("another", stacklevel=1)
        raise ValueError(html)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        peers.PeerLibrary("justext", "justext", "a test", read)(PAGE, ExtractorOptions())
    assert caplog.records == []
    logging.getLogger("pipelines").error("ours")
    assert [record.message for record in caplog.records] == ["ours"]


def test_peers_are_for_evaluation_and_in_no_corpus() -> None:
    """The registry of extractors that configurations choose from does not depend on what else is installed."""
    assert set(peers.PEERS) & set(EXTRACTORS) == set()
    assert all(one.evaluation_only for one in peers.installed())
    assert "justext" in {one.name for one in peers.installed()}


@pytest.mark.parametrize("missing", sorted(peers.PEERS))
def test_a_peer_that_is_not_installed_is_asked_for_in_vain_with_a_word_how_to_get_it(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the commands that install it."""
    peers.find.cache_clear()

    def not_found(distribution: str) -> str:
        raise PackageNotFoundError(distribution)

    monkeypatch.setattr(peers, "version", not_found)
    with pytest.raises(ConfigError, match=f'no extractor "{missing}" here') as caught:
        get(missing)
    peers.find.cache_clear()
    assert "make peers" in caught.value.do
    assert "corpus-spider[peers]" in caught.value.do
