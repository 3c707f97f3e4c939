"""Retry policy: each response or error means process, retry or give up."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from service_identity import VerificationError
from service_identity.exceptions import DNSMismatch
from service_identity.hazmat import DNS_ID

from corpus_spider.crawling.retry_policy import (
    BACKOFF,
    RetryPolicy,
    conditions,
    failure_reason,
    pause_asked,
)
from corpus_spider.network.errors import RefusalError
from corpus_spider.network.retry_after import retry_after
from storage.records import Capture, Lease, Original
from storage.warc.headers import sha1

NOW = 1_700_000_000.0
HTTP_DATE = "Tue, 14 Nov 2023 22:14:20 GMT"  # sixty seconds after NOW


def capture(status: int = 200, truncated: str | None = None, **headers: str) -> Capture:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Capture("http://a.example/", datetime.now(UTC), status, (), pairs, b"", truncated=truncated)


def lease(attempts: int = 0) -> Lease:
    return Lease(1, "http://a.example/", "http://a.example/", "a", "a.example", attempts=attempts)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0),
        (" 120 ", 120.0),
        (HTTP_DATE, 60.0),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 0.0),
        ("999999999999", 3600.0),
        ("soon", None),
        ("-5", None),
        ("١٢", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_in_both_forms_and_rubbish_is_ignored(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "date", ["Tue Nov 14 22:14:20 2023", "Tue, 14 Nov 2023 22:14:20", "Tue, 14 Nov 2023 22:14:20 -0000"]
)
def test_a_date_without_a_zone_is_in_utc_wherever_the_machine_stands(
    monkeypatch: pytest.MonkeyPatch, date: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        found = retry_after(date, NOW)
    time.tzset()
    assert found == 60.0


@pytest.mark.parametrize("status", [200, 204, 301, 304, 401, 403, 404, 410, 451, 501, 505, 600, 999])
def test_a_final_answer_awaits_processing(status: int) -> None:
    fetched = RetryPolicy().judge_answer(capture(status), lease(), NOW)
    assert (fetched.reason, fetched.retry_at) == (None, None)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (capture(503), "http_503"),
        (capture(429), "http_429"),
        (capture(421), "http_421"),
        (capture(509), "http_509"),
        (capture(525), "http_525"),
        (capture(530), "http_530"),
        (capture(200, "disconnect"), "truncated_disconnect"),
        (capture(200, "time"), "truncated_time"),
    ],
)
def test_a_fault_that_may_pass_is_asked_again_later(answer: Capture, reason: str) -> None:
    fetched = RetryPolicy().judge_answer(answer, lease(), NOW)
    assert (fetched.reason, fetched.retry_at) == (reason, NOW + BACKOFF[0])


def test_a_body_cut_at_our_own_limit_is_not_asked_for_again() -> None:
    assert RetryPolicy().judge_answer(capture(200, "length"), lease(), NOW).reason is None


def test_the_wait_grows_with_the_attempts_and_ends() -> None:
    policy = RetryPolicy(retries=3)
    waits = [policy.retry_at(lease(attempts), NOW) for attempts in range(5)]
    assert waits == [NOW + BACKOFF[0], NOW + BACKOFF[1], NOW + BACKOFF[2], None, None]


def test_retry_after_lengthens_the_wait_and_never_shortens_it() -> None:
    policy = RetryPolicy()
    assert policy.judge_answer(capture(429, Retry_After="60"), lease(), NOW).retry_at == NOW + 60
    assert policy.judge_answer(capture(429, Retry_After="0"), lease(), NOW).retry_at == NOW + BACKOFF[0]


@pytest.mark.parametrize("values", [("1", "60"), ("60", "1"), ("soon", "60")])
def test_of_two_waits_that_are_asked_for_the_longer_one_is_kept(values: tuple[str, str]) -> None:
    """A server and its proxy each say one: the first alone was read."""
    answer = replace(capture(429), response_headers=tuple(("Retry-After", value) for value in values))
    assert RetryPolicy().judge_answer(answer, lease(), NOW).retry_at == NOW + 60
    assert pause_asked(answer, NOW) == 60


class CannotResolveHostError(Exception):
    """Named as Scrapy's."""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RefusalError("robots", "http://a/"), ("robots", False)),
        (RefusalError("robots_unreachable", retry=True), ("robots_unreachable", True)),
        (CannotResolveHostError("certificates.example"), ("dns", True)),
        (TimeoutError("Getting https://a.example/certificates took longer than 30 seconds"), ("timeout", True)),
        (ConnectionRefusedError(), ("unreachable", True)),
        (OSError("certificate verify failed"), ("certificate", False)),
        (VerificationError(errors=[DNSMismatch(DNS_ID("a.example"))]), ("certificate", False)),
        (ValueError("odd"), ("network", True)),
        # What Scrapy raises at a status line that is no text; it has a reason of its own.
        (UnicodeDecodeError("ascii", b"HT\xffP", 2, 3, "ordinal not in range(128)"), ("network", True)),
    ],
)
def test_a_request_without_an_answer_has_a_reason_to_count_by(error: BaseException, expected: tuple[str, bool]) -> None:
    assert failure_reason(error) == expected


ORIGINAL = Original(7, "http://a.example/", datetime.now(UTC), "urn:uuid:1", sha1(b"page"), '"v1"', HTTP_DATE)
ASKED = (("if-none-match", '"v1"'),)


@pytest.mark.parametrize(
    ("original", "expected"),
    [
        (ORIGINAL, {"If-None-Match": '"v1"', "If-Modified-Since": HTTP_DATE}),
        (replace(ORIGINAL, etag=""), {"If-Modified-Since": HTTP_DATE}),
        (replace(ORIGINAL, etag="", modified=""), {}),
        (replace(ORIGINAL, in_full=True), {}),
        (None, {}),
    ],
)
def test_what_is_known_of_the_last_answer_is_asked_with(original: Original | None, expected: dict[str, str]) -> None:
    assert conditions(original) == expected


@pytest.mark.parametrize(
    ("free", "attempts", "headers", "whole"),
    [
        (True, 0, {"X_Robots_Tag": "noai"}, True),
        (True, 0, {"tdm_reservation": "1"}, True),
        (False, 0, {"X_Robots_Tag": "noai"}, False),
        (True, 1, {"X_Robots_Tag": "noai"}, False),
        (True, 0, {}, False),
    ],
)
def test_a_page_is_asked_for_whole_when_its_304_reserves_a_text_that_was_free(
    free: bool, attempts: int, headers: dict[str, str], whole: bool
) -> None:
    """Once: a page that is known as reserved, or was fetched again already, has not changed."""
    answer = replace(capture(304, **headers), request_headers=ASKED)
    known = replace(lease(attempts), original=replace(ORIGINAL, free=free))
    fetched = RetryPolicy().judge_answer(answer, known, NOW)
    assert (fetched.reason, fetched.original) == (("reserved_anew", None) if whole else (None, known.original))
    assert RetryPolicy(retries=0).judge_answer(answer, known, NOW).original == known.original


@pytest.mark.parametrize(("asked", "again"), [(ASKED, True), ((), False)])
def test_a_page_that_fails_for_what_it_was_asked_with_is_asked_for_again(
    asked: tuple[tuple[str, str], ...], again: bool
) -> None:
    answer = replace(capture(412), request_headers=asked)
    assert (RetryPolicy().judge_answer(answer, lease(), NOW).retry_at is not None) == again


@pytest.mark.parametrize(
    ("status", "body", "asked", "original", "unchanged"),
    [
        (304, b"", ASKED, ORIGINAL, True),
        (304, b"", (("If-Modified-Since", HTTP_DATE),), ORIGINAL, True),
        (304, b"", (), ORIGINAL, False),
        (304, b"", ASKED, None, False),
        (200, b"page", ASKED, ORIGINAL, True),
        (200, b"page", (), ORIGINAL, True),
        (200, b"Page", ASKED, ORIGINAL, False),
        (200, b"page", ASKED, None, False),
        (404, b"page", ASKED, ORIGINAL, False),
        (503, b"page", ASKED, ORIGINAL, False),
    ],
)
def test_an_answer_repeats_another_when_it_was_asked_for_so_or_is_the_same(
    status: int, body: bytes, asked: tuple[tuple[str, str], ...], original: Original | None, unchanged: bool
) -> None:
    """A 304 to a request without condition is no such answer, nor is one that was cut off."""
    answer = replace(capture(status), body=body, request_headers=asked)
    known = replace(lease(), original=original)
    assert (RetryPolicy().judge_answer(answer, known, NOW).original is not None) == unchanged
    assert RetryPolicy().judge_answer(replace(answer, truncated="length"), known, NOW).original is None


@pytest.mark.parametrize(
    ("header", "value", "unchanged"),
    [
        ("X-Robots-Tag", "noai", False),
        ("x-robots-tag", "otherbot: noarchive, corpus-spider: noindex, noarchive", False),
        ("TDM-Reservation", "1", False),
        ("TDM-Reservation", "0", True),
        ("X-Robots-Tag", "otherbot: noai", True),
        ("X-Robots-Tag", "max-image-preview:large", True),
    ],
)
def test_a_page_that_is_the_same_but_for_what_it_reserves_now_is_read_again(
    header: str, value: str, unchanged: bool
) -> None:
    """Its text would be exported as free until a letter of it changes; once that is known, the same
    answer is stored no more.
    """
    answer = replace(capture(200), body=b"page", response_headers=((header, value),))
    known = replace(lease(), original=ORIGINAL)
    assert (RetryPolicy().judge_answer(answer, known, NOW).original is not None) == unchanged
    known = replace(lease(), original=replace(ORIGINAL, free=False))
    assert RetryPolicy().judge_answer(answer, known, NOW).original is not None
