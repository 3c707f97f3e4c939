"""The crawl stays on the public web: schemes, ports, private addresses in any spelling."""

from __future__ import annotations

import pytest

from corpus_spider.middlewares.guard import refusal

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


def test_a_port_that_a_seed_uses_may_be_fetched() -> None:
    assert refusal("http://news.example:8080/", (), (8080,)) is None
