"""Sign-off: the end of an article."""

from __future__ import annotations

import pytest

from pipelines.extractors.auto import selection

TITLE = "An old bridge is to be mended at last"
TEXT = "The council said on Monday that it would mend the old bridge, and that work begins in spring. "
LINES = [f"{number}. {TEXT * 2}".strip() for number in range(1, 7)]
ARABIC = "أعلن المجلس يوم الاثنين أنه سيرمم الجسر القديم وأن العمل يبدأ في الربيع. "


def read(end: str, text: str = "", around: str = "<div class=body>{}</div>") -> str:
    body = text or "".join(f"<p>{line}</p>" for line in LINES)
    return selection.extract(f"<title>{TITLE}</title><h1>{TITLE}</h1>{around.format(body + end)}").text


@pytest.mark.parametrize(
    "markup",
    [
        '<p style="text-align:right;"><strong>{}</strong></p>',
        "<P align=right><B>{}</B></P>",
        '<div style="TEXT-ALIGN: right"><i>{}</i></div>',
        '<p class="pAuthor">{}</p>',
        '<div class="article__author cms-author">{}</div>',
    ],
)
@pytest.mark.parametrize("said", ["Lê Phương", "Hà Thu (theo Reuters, CNN)", "Nhóm PV"])
def test_who_signed_a_text_at_its_end_is_none_of_it(markup: str, said: str) -> None:
    """In a line set apart from the text, by where it stands or by its name; a paragraph like the others stays."""
    assert read(markup.format(said)).splitlines() == LINES
    assert read(f"<p>{said}</p>").splitlines() == [*LINES, said]


@pytest.mark.parametrize(
    ("side", "name", "kept"),
    [("right", "ليان الساحلي", True), ("left", "ليان الساحلي", False), ("left", "Ann Lee", True)],
)
def test_a_signature_stands_where_lines_end(side: str, name: str, *, kept: bool) -> None:
    """Whatever side that is in the script; where they begin, every paragraph does."""
    text = "".join(f"<p>{number}. {ARABIC * 3}</p>" for number in range(1, 7))
    assert (name in read(f"<p style='text-align: {side}'>{name}</p>", text)) == kept


@pytest.mark.parametrize(
    "end",
    [
        "<p align=right>It will be shut until the first of May.</p>",
        "<table><tr><td>Stones</td><td align=right>412</td></tr><tr><td>Men</td><td align=right>60</td></tr></table>",
    ],
)
def test_sentences_and_cells_that_are_set_flush_stay(end: str) -> None:
    """A decree may close so, and numbers in a table always do."""
    plain = end.replace(" align=right", "")
    assert read(end) == read(plain) != read("")


def test_a_short_text_that_its_signature_is_much_of_stays() -> None:
    """Something else may be set so, as verses are."""
    verses = [f"Verse {number} of what the river sang to the old bridge" for number in range(1, 4)]
    text = "".join(f"<p align=right>{verse}</p>" for verse in verses)
    assert read("", text).splitlines() == verses
