"""Charset labels: their meaning, their names in the corpus, and where a page states its own."""

from __future__ import annotations

import pytest

from pipelines.decoding.decode import codec_of, name_of, stated_charset


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("latin1", "cp1252"),
        ("ISO-8859-1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("iso-8859-9", "cp1254"),
        (" 'tis-620' ", "cp874"),
        ("iso885911", "cp874"),
        ("win1256", "cp1256"),
        ("cp-1251", "cp1251"),
        ("gb2312", "gb18030"),
        ("x-gbk", "gb18030"),
        ("ks_c_5601-1987", "cp949"),
        ("x-sjis", "cp932"),
        ("iso-8859-8-i", "iso8859-8"),
        ("big5", "big5hkscs"),
        ("UTF8", "utf-8"),
        ("unicode", "utf-16-le"),
        ("x-mac-arabic", "mac-arabic"),
        ("DOS-720", "cp720"),
        ("VISCII", "viscii"),
        ("x-viet-tcvn", "tcvn3"),
        ("x-user-defined", None),
        ("utf-7", None),
        ("rot13", None),
        ("unicode_escape", None),
        ("idna", None),
        ("", None),
        ("\0", None),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, codec: str | None) -> None:
    """Labels follow the Encoding Standard; what is no charset is no label."""
    assert codec_of(label) == codec


@pytest.mark.parametrize(
    ("codec", "name"),
    [("cp1252", "windows-1252"), ("iso8859-6", "iso-8859-6"), ("utf-16-le", "utf-16le"), ("cp932", "shift_jis")],
)
def test_encodings_are_reported_by_their_usual_names(codec: str, name: str) -> None:
    """The corpus names encodings as the Encoding Standard does."""
    assert name_of(codec) == name


@pytest.mark.parametrize(
    ("head", "label"),
    [
        (b"<meta charset=big5>", "big5"),
        (b"<META CHARSET='windows-1256' >", "windows-1256"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=tis-620"/>', "tis-620"),
        (b'<meta content="text/html;charset = koi8-r" http-equiv=content-type>', "koi8-r"),
        (b'<?xml version="1.0" encoding="windows-1251"?><rss>', "windows-1251"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=gbk>", "gbk"),
        (b"<meta charset=nonsense><meta charset=gbk>", "gbk"),
        (b"<meta charset=utf-16><meta charset=gbk>", "gbk"),
        (b'<meta name="description" content="no charset here">', None),
        (b"<p>charset=big5</p>", None),
        (b" " * 5000 + b"<meta charset=big5>", None),
    ],
)
def test_what_a_page_states_of_itself_is_found(head: bytes, label: str | None) -> None:
    """Meta elements of either form and XML declarations count, comments and unknown labels do not."""
    assert stated_charset(head) == label
