"""Rights that pages, responses and hosts state: TDM reservations, directives, licences."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.metadata.rights import MAX_LOCATIONS, Reservation, parse_tdmrep
from pipelines.page.process import process
from storage.records import Capture, SiteModel, Terms
from tests.corpus_spider.local_paper import article

URL = "http://a.example/news/1"
NOW = datetime(2026, 11, 20, tzinfo=UTC)
MODEL = SiteModel(site="a", hosts=("a.example",))
META = '<meta name="TDM-Reservation" content="{}"><meta name="tdm-policy" content="/policy.json">'


def captured(
    head: str = "", body: str = "", headers: dict[str, str] | None = None, terms: Terms | None = None
) -> Capture:
    page = article(1).decode().replace("<head>", f"<head>{head}").replace("<footer>", f"{body}<footer>")
    fields = {"Content-Type": "text/html; charset=utf-8"} | (headers or {})
    return Capture(URL, NOW, 200, (), tuple(fields.items()), page.encode(), terms=terms)


FILE = Terms("allowed", "00", 1, "http://a.example/file.json")


@pytest.mark.parametrize(
    ("capture", "said"),
    [
        (captured(), (None, None, None)),
        (captured(META.format(1)), (1, "http://a.example/policy.json", "meta")),
        (captured(META.format(0)), (0, "http://a.example/policy.json", "meta")),
        (captured(META.format("yes")), (None, None, None)),
        (captured(META.format(0) + META.format(1)), (1, "http://a.example/policy.json", "meta")),
        (captured(headers={"TDM-Reservation": "1"}), (1, None, "header")),
        (captured(META.format(0), headers={"tdm-reservation": "1"}), (0, "http://a.example/policy.json", "meta")),
        (
            captured(headers={"tdm-reservation": " 1 ", "tdm-policy": "https://b.example/p"}),
            (1, "https://b.example/p", "header"),
        ),
        (captured(headers={"tdm-policy": "https://b.example/p"}), (None, None, None)),
        (captured(headers={"tdm-reservation": "1", "tdm-policy": "javascript:x"}), (1, None, "header")),
        (captured(terms=FILE), (1, "http://a.example/file.json", "file")),
        (captured(headers={"tdm-reservation": "0"}, terms=FILE), (0, None, "header")),
    ],
)
def test_the_page_supersedes_its_header_and_that_the_file(
    capture: Capture, said: tuple[int | None, str | None, str | None]
) -> None:
    """TDMRep, "Processing priority"."""
    document = process(capture, MODEL).document
    assert document is not None
    stated = document.metadata
    assert (stated.tdm, stated.tdm_policy, stated.tdm_source) == said


@pytest.mark.parametrize(
    ("capture", "detail"),
    [
        (captured(META.format(1)), "tdm"),
        (captured(terms=FILE), "tdm"),
        (captured('<meta name="robots" content="noai, noimageai">'), "noai"),
        (captured('<meta name="corpus-spider" content="noarchive">'), "noarchive"),
        (captured(headers={"X-Robots-Tag": "noarchive"}, terms=FILE), "tdm, noarchive"),
        (captured(headers={"X-Robots-Tag": "otherbot: noai"}), None),
        (captured('<meta name="robots" content="noimageai, noindex">'), None),
        (captured(META.format(0)), None),
    ],
)
def test_what_is_reserved_is_kept_or_skipped_as_the_model_says(capture: Capture, detail: str | None) -> None:
    """Links are followed either way."""
    kept, skipped = process(capture, MODEL), process(capture, replace(MODEL, reservations="skip"))
    assert kept.document is not None
    assert kept.links == skipped.links
    assert (skipped.drop and (skipped.drop.reason, skipped.drop.detail)) == (detail and ("reserved", detail))


def test_no_number_of_directives_hides_a_reservation() -> None:
    many = ", ".join(f"a{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(100))
    made = process(captured(f'<meta name="robots" content="{many}, noai">'), replace(MODEL, reservations="skip"))
    assert made.drop is not None
    assert made.drop.reason == "reserved"


CC = "https://creativecommons.org/licenses/by/4.0/"
LD = '<script type="application/ld+json">{}</script>'


@pytest.mark.parametrize(
    ("head", "body", "licence"),
    [
        ("", "", None),
        (f'<link rel="License" href="{CC}">', "", CC),
        ("", '<a rel="nofollow license" href="/terms">terms</a>', "http://a.example/terms"),
        (LD.format(json.dumps({"@type": "NewsArticle", "license": CC})), "", CC),
        (LD.format(json.dumps({"@type": "NewsArticle", "license": {"url": CC}})), "", CC),
        (LD.format(json.dumps({"@type": "NewsArticle", "license": "All rights"})), "", None),
        (LD.format(json.dumps({"@type": "ImageObject", "license": CC})), "", None),
        ("", f'<a href="{CC}">CC BY</a>', CC),
        ("", f'<a href="{CC}">a</a><a href="https://creativecommons.org/licenses/by-nc/4.0/">b</a>', None),
        ("", '<a href="https://creativecommons.org/about/">cc</a>', None),
        ("", '<a href="https://evil.example/?creativecommons.org/licenses/by/4.0">x</a>', None),
        ('<link rel="license" href="javascript:alert(1)">', "", None),
    ],
)
def test_a_licence_is_what_the_page_names_for_itself(head: str, body: str, licence: str | None) -> None:
    document = process(captured(head, body), MODEL).document
    assert document is not None
    assert document.metadata.licence_url == licence


RULES = [
    {"location": "/a/", "tdm-reservation": 1},
    {"location": "/b/*.jpg$", "tdm-reservation": 0},
    {"location": "/b/", "tdm-reservation": 1, "tdm-policy": "/policies/p.json"},
    {"location": "/b/c", "tdm-reservation": 0},
    {"location": "/odd", "tdm-reservation": 2},
    {"location": 3, "tdm-reservation": 1},
    "rubbish",
]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/a/1", Reservation(1)),
        ("/A/1", None),
        ("/b/1.jpg", Reservation(0)),
        ("/b/c", Reservation(1, "http://a.example/policies/p.json")),
        ("/odd", None),
        ("/", None),
    ],
)
def test_of_the_rules_of_tdmrep_json_the_first_that_matches_counts(path: str, said: Reservation | None) -> None:
    parsed = parse_tdmrep(json.dumps(RULES).encode(), "http://a.example/.well-known/tdmrep.json")
    assert parsed.of(f"http://a.example{path}") == said


def test_patterns_without_end_are_not_held_against_each_page() -> None:
    """Eight megabytes of them took a second to read, and eight tenths of one for each page: other hosts waited."""
    pattern = "/" + "*a" * 390 + "b"
    body = json.dumps(
        [{"location": "/news/", "tdm-reservation": 1}] + [{"location": pattern, "tdm-reservation": 0}] * 1000
    )
    parsed = parse_tdmrep(body.encode(), URL)
    assert sum(len(rule.pieces) for rule, _ in parsed.rules) <= MAX_LOCATIONS
    assert parsed.of(URL) == Reservation(1)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=100),
        st.lists(
            st.dictionaries(
                st.sampled_from(["location", "tdm-reservation", "tdm-policy"]), st.one_of(st.text(), st.integers())
            )
        ).map(lambda value: json.dumps(value).encode()),
        st.just(b"[" * 100_000),
        st.just(b'[{"location": "\\ud800", "tdm-reservation": "1"}]'),
    )
)
def test_any_bytes_are_read_as_some_file(body: bytes) -> None:
    said = parse_tdmrep(body, URL).of(URL)
    assert said is None or said.value in (0, 1)
