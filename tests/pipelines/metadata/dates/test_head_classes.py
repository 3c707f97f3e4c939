"""What holds the headline is the head of the article, though its class or element is that of something beside it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
HEADS = (
    '<header class="ArticleHeaderComment">{}</header>',
    '<figure class="teaser">{}</figure>',
    '<div class="related-header">{}</div>',
    '<section id="most-important"><div>{}</div></section>',
    '<article class="comment comment-opinion">{}</article>',
)
TITLES = {
    "en": "Ministers promise a second bridge over the river",
    "vi": "Chính phủ hứa xây cây cầu thứ hai qua sông",
    "ar": "الوزراء يعدون بجسر ثان فوق النهر",
    "fa": "وزیران پل دوم روی رودخانه را وعده دادند",
    "th": "รัฐมนตรีสัญญาว่าจะสร้างสะพานแห่งที่สองข้ามแม่น้ำ",
    "he": "השרים מבטיחים גשר שני מעל הנהר",
}
NAMED = '<span itemprop="author">Ann Miller</span><span class="date">2024-11-05</span>'


def read(language: str, body: str) -> tuple[str | None, str | None]:
    page = f'<html lang="{language}"><title>{TITLES[language]} - Paper</title><body>{body}<p>Text.</p></body></html>'
    found = read_metadata(page, "https://www.example.org/story", (), NOW)
    return found.published, found.author


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("language", TITLES)
def test_the_head_is_read_with_any_class(language: str, head: str) -> None:
    """A part such as "comment" in the name of the head hides neither date nor author."""
    assert read(language, head.format(f"<h1>{TITLES[language]}</h1>{NAMED}")) == ("2024-11-05", "Ann Miller")


@pytest.mark.parametrize(("head", "field"), [(HEADS[0], 0), (HEADS[2], 0), (HEADS[4], 1)])
@pytest.mark.parametrize("heading", ["<h1>Read also</h1>", '<h1><a href="/other">Rain is expected</a></h1>', ""])
def test_what_holds_another_heading_is_beside_the_article(head: str, field: int, heading: str) -> None:
    """Boxes keep their dates (field 0) and comments their authors (field 1), with an h1 of their own or without."""
    assert read("en", f"<h1>{TITLES['en']}</h1>" + head.format(heading + NAMED))[field] is None
