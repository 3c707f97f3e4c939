"""Steps of one page between its bytes and the corpus."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pipelines.classification.page_type import ExtractedPage
from pipelines.markup.page_view import PageView
from pipelines.page.postprocess import clean, tidy, without_byline, without_dateline, without_title
from pipelines.page.process import process, survey
from storage.records import Capture, Drop, Extraction, Kind, Metadata, SiteModel


@pytest.mark.parametrize(
    ("paragraphs", "kinds", "expected"),
    [
        (("Head", "Text"), "hp", (("Head", "Text"), "hp")),
        (("Head", " \u200b ", "Text"), "hqp", (("Head", "Text"), "hp")),
        (("one\u2028two", "x\n\n\n\ny"), "lc", (("one", "two", "x", "y"), "llcc")),
        (("Head", "\ufeff", "Text"), "", (("Head", "Text"), "")),
        (("Text", " -->", "Text --> text"), "plp", (("Text", "Text --> text"), "pp")),
    ],
    ids=["clean already", "a paragraph vanishes", "a paragraph becomes lines", "kinds unknown", "a comment's end"],
)
def test_kinds_stay_with_their_lines(paragraphs: tuple[str, ...], kinds: str, expected: tuple[object, str]) -> None:
    """There is a letter for each line of the text afterwards, or none at all."""
    found = clean(Extraction(paragraphs, "any", "1", kinds=kinds))
    assert (found.paragraphs, found.kinds) == expected


def test_captions_and_comments_are_cleaned_like_the_text() -> None:
    """NFC, no controls; what is empty then is gone."""
    found = clean(Extraction((), "any", "1", captions=("e\u0301\0", "\u200b"), comments=(" a  b ",)))
    assert (found.captions, found.comments) == (("é",), ("a b",))


SENTENCE = "Chính quyền địa phương cho biết nhiều công trình mới được xây dựng ở miền trung trong năm nay. "
RENDERED = f"<title>Bài</title><article><h1>Bài</h1>{f'<p>{SENTENCE * 3}</p>' * 4}</article><a href=/2>2</a>".encode()


def shell(**changes: object) -> Capture:
    """Return the capture of a page that scripts fill."""
    page = b"<html><body><div id=app></div><script src=/app.js></script></body></html>"
    headers = (("Content-Type", "text/html; charset=windows-1252"), ("X-Robots-Tag", "noarchive"))
    values = {"status": 200, "request_headers": (), "response_headers": headers, "body": page} | changes
    return Capture("https://a.example/1", datetime(2026, 11, 20, tzinfo=UTC), **values)  # type: ignore[arg-type]


def test_a_rendered_page_is_read_as_the_browser_showed_it() -> None:
    """Text and links are those of the DOM, which is UTF-8 for any declared charset; headers count."""
    made = process(shell(rendered=RENDERED), SiteModel(hosts=("a.example",)))
    assert made.document is not None
    assert SENTENCE.strip() in made.document.text
    assert (made.document.encoding, made.document.encoding_source) == ("utf-8", "rendered")
    assert [link.url for link in made.links] == ["https://a.example/2"]
    assert made.directives == ("noarchive",)
    assert survey(shell(rendered=RENDERED)) != survey(shell())


@pytest.mark.parametrize(
    ("changes", "reason"), [({}, "script_only"), ({"status": 404, "rendered": RENDERED}, "http_404")]
)
def test_without_a_browser_or_an_answer_there_is_no_text(changes: dict[str, object], reason: str) -> None:
    """The same page is a shell; what a browser shows of an error is none."""
    drop = process(shell(**changes), SiteModel(hosts=("a.example",))).drop
    assert isinstance(drop, Drop)
    assert drop.reason == reason


@pytest.mark.parametrize(
    ("kind", "coding", "times", "reason"),
    [
        ("text/html", "", 1, ""),
        ("text/html; charset=utf-8", "gzip", 2, ""),
        ("text/html", "gzip", 3, "not_html"),
        ("application/gzip", "", 1, "not_html"),
        ("application/gzip", "gzip", 2, "not_html"),
    ],
)
def test_a_page_that_was_packed_once_too_often_is_read(kind: str, coding: str, times: int, reason: str) -> None:
    """A file to be downloaded stays what it is."""
    body = RENDERED
    for _ in range(times):
        body = gzip.compress(body)
    headers = (("Content-Type", kind), ("Content-Encoding", coding))
    made = process(replace(shell(body=body), response_headers=headers), SiteModel(hosts=("a.example",)))
    assert (made.drop.reason if made.drop else "") == reason


@pytest.mark.parametrize(
    ("location", "detail"),
    [
        ("/1#top", "itself"),
        ("https://A.example:443/1", "itself"),
        ("https://u:s3cret@other.example/", "https://other.example/"),
        ("", ""),
    ],
)
def test_a_redirect_that_is_not_followed_names_its_target(location: str, detail: str) -> None:
    """To the same address after a request for a cookie: it does not leave the site."""
    moved = replace(shell(status=302), response_headers=(("Location", location), ("Set-Cookie", "seen=1")))
    assert process(moved, SiteModel(hosts=("a.example",))).drop == Drop("redirect_refused", detail)


def test_a_feed_whose_entries_are_of_other_days_is_not_reported_as_empty() -> None:
    """The drop counts the links it has, those that are followed are of the days that are wanted."""
    body = b"<rss version='2.0'><channel><item><link>https://a.example/1</link><pubDate>Sun, 01 Feb 2026 08:00:00 GMT"
    body += b"</pubDate></item></channel></rss>"
    now = datetime(2026, 3, 2, tzinfo=UTC)
    capture = Capture("https://a.example/feed", now, 200, (), (), body, Kind.FEED)
    processed = process(capture, SiteModel(site="a", hosts=("a.example",), since="2026-03-02"))
    assert processed.drop is not None
    assert (processed.drop.detail, processed.links) == ("1 link", ())


def test_links_of_a_page_whose_answer_says_nofollow_are_not_followed() -> None:
    """Its text is read all the same, and says what was asked of robots."""
    headers = (("Content-Type", "text/html"), ("x-robots-tag", "otherbot: noarchive"), ("X-Robots-Tag", "nofollow"))
    capture = Capture("https://a.example/1", datetime(2026, 3, 2, tzinfo=UTC), 200, (), headers, RENDERED)
    processed = process(capture, SiteModel(site="a", hosts=("a.example",)))
    assert (processed.links, processed.directives) == ((), ("nofollow",))
    assert processed.document is not None


def test_a_document_has_the_language_of_each_of_its_lines() -> None:
    """As many as there are lines, with confidence and script; the share in other languages is counted."""
    quoted = "The prime minister said that the government would continue with its programme in the coming year. "
    page = f"<title>Bài</title><article><h1>Bài</h1>{f'<p>{SENTENCE * 3}</p>' * 4}<p>{quoted * 3}</p></article>"
    made = process(shell(rendered=page.encode()), SiteModel(hosts=("a.example",))).document
    assert made is not None
    assert len(made.languages) == made.text.count("\n") + 1
    reported = [line.split(" ") for line in made.languages]
    assert [code for code, *_ in reported][-2:] == ["vi", "en"]
    assert {script for _, _, script, _ in reported} == {"Latn"}
    assert made.foreign_share == pytest.approx(0.2, abs=0.05)


LINES = ("Intro", "Bởi An - 20/11/2026, 10:30", "Chính phủ cho biết sẽ xây cầu.", "Công việc sẽ sớm bắt đầu.")


@pytest.mark.parametrize(
    ("confidence", "source", "text", "left"),
    [
        (0.9, "text", LINES[1], (LINES[0], *LINES[2:])),
        (0.9, "masthead", "Bởi An -  20/11/2026,\u00a010:30", (LINES[0], *LINES[2:])),
        (0.9, "json-ld", LINES[1], LINES),
        (None, "text", LINES[1], LINES),
        (0.9, "text", "20/11/2026", LINES),
        (0.9, "text", LINES[3], LINES),
        (0.9, "text", None, LINES),
    ],
)
def test_the_line_that_the_date_was_read_from_is_not_in_the_text(
    confidence: float | None, source: str, text: str | None, left: tuple[str, ...]
) -> None:
    """At its head, where it says nothing else; kinds stay with their lines. Papers' extractors are left as they are."""
    found = Extraction(LINES, "auto", "1", kinds="hppp", confidence=confidence)
    cleared = without_dateline(found, Metadata(published_text=text, published_source=source))
    assert (cleared.paragraphs, cleared.kinds) == (left, "hppp"[: len(left)])


@pytest.mark.parametrize(
    ("confidence", "author", "left"),
    [
        (0.9, "Nguyễn Văn An", ("Hà Nội mùa thu", *"bcd")),
        (0.9, "Nguyễn\u00a0Văn  An", ("Hà Nội mùa thu", *"bcd")),
        (0.9, "b", ("Hà Nội mùa thu", "Nguyễn Văn An", *"cd")),
        (0.9, "c", ("Hà Nội mùa thu", "Nguyễn Văn An", *"bcd")),
        (0.9, "d", ("Hà Nội mùa thu", "Nguyễn Văn An", *"bc")),
        (0.9, "Nguyễn Văn", ("Hà Nội mùa thu", "Nguyễn Văn An", *"bcd")),
        (0.9, None, ("Hà Nội mùa thu", "Nguyễn Văn An", *"bcd")),
        (None, "Nguyễn Văn An", ("Hà Nội mùa thu", "Nguyễn Văn An", *"bcd")),
    ],
)
def test_a_line_at_the_head_or_the_end_that_is_the_authors_name_is_not_in_the_text(
    confidence: float | None, author: str | None, left: tuple[str, ...]
) -> None:
    """One that says nothing else; amid the text, and in what papers' extractors find, it stays."""
    lines = ("Hà Nội mùa thu", "Nguyễn Văn An", *"bcd")
    found = Extraction(lines, "auto", "1", kinds="hpppp", confidence=confidence)
    cleared = without_byline(found, Metadata(author=author))
    assert (cleared.paragraphs, cleared.kinds) == (left, "hpppp"[: len(left)])


@pytest.mark.parametrize(
    ("line", "author", "kept"),
    [
        ("By ANNA LEE", "ANNA LEE", False),
        ("Tác giả Nguyễn Văn An", "Nguyễn Văn An", False),
        ("نویسنده: نگار آبان", "نگار آبان", False),
        ("Hỏi chuyện Nguyễn Văn An", "Nguyễn Văn An", True),
        ("By Anna Lee and Bo Ek", "Bo Ek", True),
    ],
)
def test_the_authors_name_behind_the_word_for_by_is_not_in_the_text(line: str, author: str, *, kept: bool) -> None:
    """An author line at the head of the text is removed when it says nothing else."""
    found = Extraction(("Hà Nội mùa thu", line, *"bcd"), "auto", "1", kinds="hpppp", confidence=0.9)
    assert (line in without_byline(found, Metadata(author=author)).paragraphs) == kept


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("By Anna Lee and Bo Ek", False),
        ("Von Anna Lee und Bo Ek", False),
        ("Автор: Anna Lee и Bo Ek", False),
        ("Bo Ek, Anna Lee", False),
        ("By Anna Lee and Bo Ek and Ida Holm", True),
        ("By Anna Lee", True),
        ("Anna Lee and Bo Ek row across the lake", True),
    ],
)
def test_the_line_of_several_authors_is_not_in_the_text(line: str, *, kept: bool) -> None:
    """It has the names of all authors, in any order, and nothing else."""
    found = Extraction(("The lake", line, *"bcd"), "auto", "1", kinds="hpppp", confidence=0.9)
    stated = Metadata(author="Anna Lee, Bo Ek", authors=("Anna Lee", "Bo Ek"))
    assert (line in without_byline(found, stated).paragraphs) == kept


@pytest.mark.parametrize(
    ("markup", "shown", "text", "cut"),
    [
        ("<span class='news-date-time'>{}</span>", "12 March 2025", "Eels came back to the river", True),
        ("<em class=date>{}</em>", "12 March 2025 ", "Eels came back to the river", True),
        ("<time>{}</time>", "12 March 2025 | ", "Eels came back to the river", True),
        ("<span class=ngay-dang>{}</span>", "12/03/2025", "Cá đã trở về con sông cũ", True),
        ("<i class=PubDate>{}</i>", "12 марта 2025", "Угри пришли обратно в реку", True),
        ("<i class=date>{}</i>", "12 مارس 2025", "وصلت الأسماك إلى النهر", True),
        ("<i class=date>{}</i>", "12.03.2025", "მდინარეში თევზი დაბრუნდა", True),
        ("<span class=date>{}</span>", "2025年3月12日", "鳗鱼在春天里又回到了这条大河的上游地区", True),
        ("<span>{}</span>", "12 March 2025 ", "Eels came back to the river", False),
        ("<time>{}</time>", "12 March 2025 ", "was a dry day on the river Ems", False),
        ("<time>{}</time>", "9 March 2024 ", "Eels came back to the river", False),
        ("<p class=update>{} Eels came back to the river</p>", "12 March 2025 ", "Eels came back to the river", False),
    ],
    ids=[
        *("glued", "with a space", "with a mark", "Vietnamese", "Russian", "Arabic", "Georgian", "Chinese"),
        *("no element of a date", "part of a sentence", "another day", "the element has the text"),
    ],
)
def test_a_date_in_an_element_before_the_text_is_cut_off(markup: str, shown: str, text: str, *, cut: bool) -> None:
    """A page without paragraphs has both in one line."""
    stated = Metadata(published="2025-03-12", published_source="meta")
    view = PageView(f"<body>{markup.format(shown.rstrip(' |'))}</body>")
    found = Extraction((f"{shown}{text}", "b", "c"), "auto", "1", kinds="ppp", confidence=0.9)
    tidied = tidy(found, ExtractedPage(view, "https://a.example/b", stated))
    assert tidied.paragraphs == (text if cut else f"{shown}{text}", "b", "c")


def test_two_lines_that_the_date_was_read_from_and_others_that_say_it_are_not_in_the_text() -> None:
    """Author and date may stand in one element; a line that is the day of publication goes wherever that was found."""
    found = Extraction(("Văn An", "Cập nhật: 20/11/2026", *LINES[2:]), "auto", "1", kinds="pppp", confidence=0.9)
    shown = Metadata(published_text="Văn An Cập nhật: 20/11/2026", published_source="updated")
    assert without_dateline(found, shown).paragraphs == LINES[2:]
    stated = Metadata(published="2026-11-20", published_source="json-ld", author="Văn An")
    assert without_byline(without_dateline(found, stated), stated).paragraphs == LINES[2:]


@pytest.mark.parametrize(
    ("kinds", "title", "left"),
    [
        ("hppp", "Hà  Nội mùa thu", "bcd"),
        ("pppp", "Hà Nội mùa thu", None),
        ("hppp", "Hà Nội", None),
        ("hppp", None, None),
        ("", "Hà Nội mùa thu", None),
    ],
    ids=["heading", "line of a poem", "more than the title", "no title", "kinds unknown"],
)
def test_a_heading_at_the_head_that_is_the_title_is_not_in_the_text(
    kinds: str, title: str | None, left: str | None
) -> None:
    """It may be one that ``title`` does not have, as that is written for search engines."""
    found = Extraction(("Hà Nội mùa thu", *"bcd"), "auto", "1", kinds=kinds, confidence=0.9)
    cleared = without_title(found, Metadata(title=title))
    assert cleared.paragraphs == (tuple(left) if left else found.paragraphs)
    assert len(cleared.kinds) in {0, len(cleared.paragraphs)}


FLASH = "Động đất mạnh 5,1 độ làm rung chuyển vùng núi phía bắc vào sáng nay, chưa có báo cáo về thiệt hại."
STATED = '{"@type": "NewsArticle", "headline": "Động đất ở vùng núi phía bắc", "datePublished": "2026-11-19T08:00:00Z"}'
PAGE = (
    "<html><head><title>Động đất ở vùng núi phía bắc</title>{}</head><body><nav><a href=/>Trang chủ</a></nav>"
    "<main><article><h1>Động đất ở vùng núi phía bắc</h1><p>{}</p></article></main></body></html>"
)


@pytest.mark.parametrize(
    ("stated", "text", "kept"),
    [
        (f"<script type='application/ld+json'>{STATED}</script>", FLASH, True),
        (f"<script type='application/ld+json'>{STATED}</script>", "Xem ảnh.", False),
        ("", FLASH, False),
        ('<script type=\'application/ld+json\'>{"@type": "CollectionPage"}</script>', FLASH, False),
    ],
    ids=["news flash", "no sentence", "nothing stated", "a list"],
)
def test_a_news_flash_is_an_article_where_the_page_states_one(stated: str, text: str, *, kept: bool) -> None:
    """One sentence is enough with a stated article and date; without them it is too short."""
    body = PAGE.format(stated, text).encode()
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    made = process(shell(body=body, response_headers=headers), SiteModel(hosts=("a.example",)))
    assert (made.document is not None and FLASH in made.document.text) == kept


@pytest.mark.parametrize(
    "heading",
    [
        "<h1><span class=kicker>Thế giới</span>{}</h1>",
        "<h1><small>Độc quyền</small><br>{}</h1>",
        "<h1><div>Thế giới</div><div>{}</div></h1>",
        "<h1>{} <span class=badge>Trực tiếp</span></h1>",
        "<h1>{}</h1>",
    ],
    ids=["kicker", "line break", "elements", "mark", "plain"],
)
def test_a_heading_with_a_kicker_and_a_byline_with_credits_are_not_in_the_text(heading: str) -> None:
    """Title and author are kept apart, so the text begins with its first sentence."""
    title = "Động đất ở vùng núi phía bắc"
    markup = (
        f"<title>{title} - Tin mới</title><meta property=og:title content='{title}'>"
        f"<main><article>{heading.format(title)}<div>Bài: Lê Văn An | Ảnh: Trần Bình<br>19/11/2026 14:05</div>"
        f"<app-text>{FLASH}</app-text><app-text>{SENTENCE * 5}</app-text></article></main>"
    )
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    made = process(shell(body=markup.encode(), response_headers=headers), SiteModel(min_chars=100)).document
    assert made is not None
    assert (made.metadata.title, made.metadata.author) == (title, "Lê Văn An")
    assert made.text.startswith(FLASH)


def test_a_ticker_that_stays_in_the_window_is_no_text() -> None:
    """An element with a fixed position floats over the page."""
    line = "Tin nóng: giá vàng tăng mạnh trong phiên sáng nay. "
    ticker = f"<div style='position: fixed; bottom: 0'><p>{line * 6}</p></div>"
    body = f"<title>Bài</title><article><h1>Bài</h1>{f'<p>{SENTENCE * 3}</p>' * 4}{ticker}</article>".encode()
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    made = process(shell(body=body, response_headers=headers), SiteModel(hosts=("a.example",)))
    assert made.document is not None
    assert "giá vàng" not in made.document.text


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("p", "a", "p", "a", "p"), True),
        (("p", "a", "a", "p", "p"), True),
        (("h", "p", "h", "p", "h", "p"), False),
    ],
    ids=["paragraphs that are links", "two in a row", "a list of teasers"],
)
def test_a_paragraph_that_is_a_link_is_text(lines: tuple[str, ...], *, kept: bool) -> None:
    """It ends like a sentence, which the headlines of a list do not."""
    prose = "Số {0}, theo hội đồng thị xã hôm thứ hai, việc sửa chữa bến cảng cũ sẽ bắt đầu vào tuần tới. "
    linked = "Mục {0}, theo ban quản lý dự án, thợ sẽ gia cố những bức tường nứt số {0} rồi thay toàn bộ đèn."
    made = {
        "p": f"<p>{prose * 3}</p>",
        "a": f"<p><a href=/{{0}}>{linked}</a></p>",
        "h": "<h3><a href=/{0}>Thị xã khởi công sửa chữa bến cảng cũ số {0} trong tuần tới</a></h3>",
    }
    text = "".join(made[each].format(number) for number, each in enumerate(lines))
    body = f"<title>Sửa bến cảng</title><main><h1>Sửa bến cảng</h1>{text}</main>".encode()
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    found = process(shell(body=body, response_headers=headers), SiteModel(hosts=("a.example",)))
    assert (found.document is not None) == kept
