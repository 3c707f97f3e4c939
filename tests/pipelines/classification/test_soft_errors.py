"""Soft errors: refusing pages are classified by who refuses and why. Articles never are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.classification.soft_errors import without_text
from pipelines.markup.page_view import PageView
from pipelines.page.process import process
from storage.records import Capture, Drop, Headers, SiteModel

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SENTENCE = "<p>Thousands of people who live along the river went back to their homes this morning to clear the mud.</p>"
LOCKED = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'
WITH_COOKIE = 'document.cookie="D1N=0f0b2f"+"; expires=Fri, 31-Dec-2037 23:59:59 GMT";'
SHELL = (
    '<html><head><title>Tin tức</title><script src="/a.js"></script></head><body><div id="root"></div></body></html>'
)


def read(
    body: str, status: int = 200, headers: Headers = (), url: str = "https://paper.example/tin-1234567.htm"
) -> Drop | None:
    """Process a page as a crawl does and return why it gave no document."""
    kind = ("Content-Type", "text/html; charset=utf-8")
    return process(Capture(url, NOW, status, (), (kind, *headers), body.encode()), SiteModel()).drop


@pytest.mark.parametrize(
    ("status", "headers", "body", "reason"),
    [
        (403, (("Server", "cloudflare"), ("cf-mitigated", "challenge")), "<title>Just a moment...</title>", "firewall"),
        (503, (("Server", "cloudflare"),), "<title>Just a moment...</title>", "firewall"),
        (403, (("X-Sucuri-Block", "1"),), "no", "firewall"),
        (403, (("Server", "AkamaiGHost"),), "<h1>Access Denied</h1>", "firewall"),
        (403, (("Server", "ArvanCloud"),), "", "firewall"),
        (403, (), "<script>window._pxAppId='x'</script><div id='px-captcha'></div>", "firewall"),
        (405, (("x-datadome", "protected"),), "", "firewall"),
        (451, (), "", "geo_block"),
        (403, (("Server", "cloudflare"),), "error code: 1009", "geo_block"),
        (403, (), "<p>This content is not available in your country.</p>", "geo_block"),
        (403, (), "<h1>Forbidden</h1>", "http_403"),
        (404, (("Server", "cloudflare"),), "", "http_404"),
        (410, (), "", "http_410"),
        (
            200,
            (),
            "<title>Just a moment...</title><p>Checking your browser before accessing paper.example</p>",
            "firewall",
        ),
        (200, (), "<title>x</title><p>Sorry, this page is not available in your region.</p>", "geo_block"),
        (200, (), SHELL, "script_only"),
        (200, (), "<body><noscript>Vui lòng bật JavaScript</noscript><script>go()</script></body>", "script_only"),
        (
            200,
            (),
            f"<head><script>{WITH_COOKIE}location.href='/?i=1'</script><noscript>Enable JS</noscript>",
            "firewall",
        ),
        (
            200,
            (),
            f"<title>در حال انتقال</title><p>...<script>{WITH_COOKIE}window.location.reload(true);</script>",
            "firewall",
        ),
        (200, (), "<script>setTimeout(function () { location.replace('/?ch=1') }, 50)</script>", "script_only"),
        (200, (), "<script>var b = document.cookie == '' || location == top.location</script>", "blank"),
        (200, (), "<body><p>Tin</p><script>var a = 'javascript:void(0)'</script>", "no_article"),
        (200, (), f"<a href=/1>Tin</a><script>{WITH_COOKIE}location = '/'</script>", "no_article"),
        (
            200,
            (),
            "<head><script>x()</script><noscript>This site requires Javascript to work</noscript></head>",
            "script_only",
        ),
        (200, (), "<h1>Đăng nhập</h1><form><input name=user><input type=password></form>", "paywall"),
        (200, (), f"<html><head>{LOCKED}</head><body><h1>News</h1>{SENTENCE * 3}</body></html>", "paywall"),
        (200, (), '<meta property="article:content_tier" content="locked"><h1>News</h1><p>Subscribe.</p>', "paywall"),
        (200, (), '<form action="https://consent.paper.example/save"><p>We use cookies.</p></form>', "consent"),
        (200, (), "<title>x</title><p>Too short.</p>", "no_article"),
    ],
)
def test_refusals_are_distinguished(status: int, headers: Headers, body: str, reason: str) -> None:
    """What the answer says of itself decides; where it says nothing the status or the missing text is the reason."""
    drop = read(body, status, headers)
    assert drop is not None
    assert drop.reason == reason


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("404 Not Found", "404"),
        ("Page not found - The Paper", "Oops! That page can't be found."),
        ("Không tìm thấy trang | Báo", "Trang không tồn tại"),
        ("الصفحة غير موجودة", "عذراً، الصفحة المطلوبة غير موجودة"),
        ("خطای ۴۰۴", "صفحه مورد نظر یافت نشد"),
        ("ไม่พบหน้าที่ต้องการ", "404 - ไม่พบหน้า"),
        ("הדף לא נמצא", "הדף שחיפשת לא נמצא"),
        ("صفحہ نہیں ملا", ""),
        ("Error 404: page missing", ""),
        ("404 - Không tìm thấy", "404"),
        ("404 – Page", "404 Page not found"),
        ("لم يتم العثور على الصفحة المطلوبة", "لم يتم العثور على أي نتائج"),
        ("Không tìm thấy bài viết", "Không tìm thấy trang bạn yêu cầu"),
        ("ไม่พบข้อมูล - ข่าว", "ไม่พบเนื้อหาที่คุณค้นหา"),
        ("ບໍ່ພົບໜ້າທີ່ທ່ານຕ້ອງການ", "ບໍ່ພົບ"),
    ],
)
def test_a_page_that_says_not_found_is_none(title: str, heading: str) -> None:
    """A page that says in title and heading that it does not exist is dropped, however much text is on it."""
    drop = read(f"<html><head><title>{title}</title></head><body><h1>{heading}</h1>{SENTENCE * 20}</body></html>")
    assert drop is not None
    assert drop.reason == "soft_404"


@pytest.mark.parametrize(
    "head",
    [
        "<title>404 days in prison: a reporter's story</title><h1>404 days in prison</h1>",
        "<title>Not found in any archive: the lost photographs</title><h1>The lost photographs</h1>",
        "<title>Consent and cookies: what the law says</title><h1>Consent</h1>",
        f"<title>Whole article</title><h1>Whole article</h1>{LOCKED}",
        '<title>News</title><h1>News</h1><noscript>Enable JavaScript</noscript><script>1</script><div id="root"></div>',
        "<title>Captcha: a history</title><h1>Are you a robot? A history of g-recaptcha</h1>",
    ],
)
def test_articles_are_no_refusals(head: str) -> None:
    """An article with a text of its own is one, with any words in its title or page."""
    assert read(f"<html><head></head><body>{head}{SENTENCE * 20}</body></html>") is None


@pytest.mark.parametrize(
    "headline",
    [
        "404 pages of documents are released in the trial",
        "404 files leaked from the ministry",
        "404-year-old church burns down",
        "404–405: how the empire lost a province",
        "۴۰۴ صفحه سند منتشر شد",
        "لم يتم العثور على ناجين من تحطم الطائرة",
        "Không tìm thấy trang thiết bị y tế trong kho",
        "Không tìm thấy bài thi của thí sinh",
        "ไม่พบข้อมูลคนไทยได้รับบาดเจ็บจากเหตุแผ่นดินไหว",
        "ไม่พบหน้ากากอนามัยในร้านขายยา",
        "ບໍ່ພົບຜູ້ຕິດເຊື້ອໃໝ່ໃນນະຄອນຫຼວງ",
    ],
)
def test_headlines_may_tell_that_something_was_not_found(headline: str) -> None:
    """News of what was not found, or of 404 of something, begins as pages do that are not there."""
    html = f"<html><head><title>{headline} - News</title></head><body><h1>{headline}</h1>{SENTENCE * 20}</body></html>"
    assert read(html) is None


SCRIPT = f"<script>{'grecaptcha(); ' * 300}load('g-recaptcha', 'Checking your browser')</script>"
ROOT = '<div id="root">{}</div>'
NOSCRIPT = f"<noscript>Enable JavaScript<style>{'.a {} ' * 300}</style><div><noscript>Now!</noscript></div></noscript>"


@pytest.mark.parametrize(
    ("head", "body", "reason"),
    [
        (SCRIPT, ROOT.format(SENTENCE * 40), None),
        ("", ROOT.format(SENTENCE * 40 + SCRIPT) + SCRIPT, None),
        ("", SCRIPT + ROOT.format(SENTENCE * 4), "firewall"),
        ("<script>go()</script>" * 500, ROOT.format(SENTENCE * 4), None),
        ("", ROOT.format(SENTENCE * 4) + NOSCRIPT + "<script>go()</script>", None),
        ("", ROOT.format("Loading" + " \n" * 500) + NOSCRIPT + "<script>go()</script>", "script_only"),
        ("<script>go()</script>" * 500, ROOT.format(""), "script_only"),
        ("", "", "blank"),
        ("<style>a {}</style>", "<img src=a.jpg><script>a()</script> \n", "blank"),
        ("", "<p>.", None),
    ],
)
def test_a_page_that_shows_much_text_is_no_bot_check_and_no_shell(head: str, body: str, reason: str | None) -> None:
    """Text is what the body shows: long scripts in the head, or in what is not shown, take nothing from it."""
    html = f"<html><head><title>News</title>{head}</head><body>{body}</body></html>"
    drop = without_text(PageView(html), "https://paper.example/tin-1234567.htm")
    assert (drop.reason if drop else None) == reason
