"""robots.txt is read as RFC 9309 has it."""

from __future__ import annotations

import pytest

from corpus_spider.middlewares.robots import MAX_BYTES, UnreachableError, rules_of

AGENT = "corpus-spider/1.0 (+me@example.org)"
DISALLOW = b"User-agent: *\nDisallow: /private/\n"


@pytest.mark.parametrize("status", [500, 502, 503, 429])
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
