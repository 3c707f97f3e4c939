"""UTF-16 and UTF-32 are detected with and without a byte order mark; other bytes are neither."""

from __future__ import annotations

import pytest

from storage.bytes.unicode_encoding import wide_codec

PAGE = "<html><body><p>أخبار اليوم</p><p>Tin tức</p></body></html>" * 3


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_wide_text_is_found(codec: str, mark: str) -> None:
    """A page names its encoding by its mark, and without one by its zero bytes."""
    assert wide_codec((mark + PAGE).encode(codec)) == codec


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"plain",
        b"<p>a\0b</p>" * 50,
        bytes(4096),
        bytes(range(256)) * 16,
        b"\x89PNG\r\n\x1a\n" + bytes(99),
    ],
)
def test_zero_bytes_alone_do_not_make_utf16(body: bytes) -> None:
    """Binary data and pages with stray NULs are not taken for UTF-16."""
    assert wide_codec(body) is None
