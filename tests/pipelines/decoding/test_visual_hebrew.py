"""Visual Hebrew: lines that are written backwards are read as logical Hebrew."""

from __future__ import annotations

import pytest

from pipelines.decoding.decode import decode
from pipelines.decoding.visual_hebrew import is_visual, logical

TEXT = """ראש העיר אמר היום כי הגשר החדש ייפתח לקראת סוף השנה, אם יסתיימו העבודות בזמן.
לדברי התושבים הם ממתינים לו כבר שנים ארוכות, והנסיעה סביב הנחל ארוכה מאוד."""


@pytest.mark.parametrize("declared", ["iso-8859-8", "visual", "windows-1255", None])
@pytest.mark.parametrize("codec", ["iso8859-8", "cp1255"])
def test_a_page_in_visual_order_is_read_in_logical_order(codec: str, declared: str | None) -> None:
    """With any declaration; its lines end where the author ended them, and its tags stay where they are."""
    backwards = "<br>\n".join(line[::-1] for line in TEXT.splitlines())
    page = f'<html><body dir="ltr"><h1>Example</h1><p align="right">{backwards}</p></body></html>'
    read = decode(page.encode(codec), declared).text
    assert read == page.replace(backwards, TEXT.replace("\n", "<br>\n"))


@pytest.mark.parametrize(
    ("backwards", "text"),
    [
        ("<b>(1999) םולש ארק Times New York</b>", "<b>Times New York קרא שלום (1999)</b>"),
        ("תונחל 12.5% הלע ,רחמ &quot;ץראה&quot; ןותיע", "עיתון &quot;הארץ&quot; מחר, עלה 12.5% לחנות"),
        ("15:30-ב םויה http://www.example.org/a ואר", "ראו http://www.example.org/a היום ב-15:30"),
        ("<script>var a = 'םולש';</script>", "<script>var a = 'םולש';</script>"),
        ('<a title="םולש">Hello, world</a>', '<a title="םולש">Hello, world</a>'),
    ],
)
def test_figures_and_words_of_other_letters_keep_their_order(backwards: str, text: str) -> None:
    """They were written from left to right all along; brackets are turned with the line."""
    assert logical(backwards) == text


@pytest.mark.parametrize("text", [TEXT, "", "ך" * 50, "שיעור: ם, ן, ץ, ף, ך", "ןותיע"])
def test_hebrew_in_logical_order_stays(text: str) -> None:
    """One word that begins with a final letter is a slip, and the letters alone are no words."""
    assert not is_visual(text)


def test_a_page_in_logical_order_is_left_alone() -> None:
    """It is what nearly all pages are in."""
    assert TEXT in decode(f"<p>{TEXT}</p>".encode("cp1255"), "windows-1255").text


@pytest.mark.parametrize("piece", ["<script", "<", "&", "&a", "a.", ".", " a", "א<", "םא "])
def test_what_never_ends_is_read_in_linear_time(piece: str) -> None:
    """A megabyte of what begins scripts took an hour."""
    text = "א a" + piece * 300_000
    assert not is_visual(text) or piece == "םא "
    assert len(logical(text)) == len(text)
