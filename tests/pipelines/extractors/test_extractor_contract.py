"""Contract of each registered extractor."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.extractors.base import DEFAULT_OPTIONS, Extractor, ExtractorOptions
from pipelines.extractors.lab import peers
from pipelines.extractors.registry import EXTRACTORS, get
from storage.errors import ConfigError
from storage.records import Extraction

ALL = sorted(EXTRACTORS)
STORED = [name for name in ALL if not EXTRACTORS[name].evaluation_only]
RAW = {"bte-original"}
"""To these titles and code are words, as their papers have it."""

PARAGRAPH = (
    "دولت روز دوشنبه گفت که ۱۲ پل تازه و 34 جاده (طرح BBC-7) با هزینه 5.6 میلیون یورو می\u200cسازد؛ "
    "کار بزودی آغاز می\u200cشود. "
)
PAGE = "\n".join(
    [
        "<!DOCTYPE html><html><head><title>عنوان</title><script>var secret = 'code';</script>",
        "<style>.secret{display:none}</style></head><body>",
        "<div class='menu'>" + "<a href='/secret'>خانه</a> " * 6 + "</div>",
        "<script>document.write('<p>secret code</p>');</script><!-- secret comment -->",
        *[f"<p title='secret > attribute'>{number}. {PARAGRAPH * 2} &amp; <b>متن</b></p>" for number in range(8)],
        "<noscript>secret</noscript><template><p>secret</p></template><div hidden><p>secret</p></div>",
        "<p style='display: none'>secret</p>",
        "</body></html>",
    ]
)

HOSTILE = {
    "empty": "",
    "blank": " \n\t\u00a0",
    "nul": "\0<p>\0a\0</p>\0",
    "surrogates": "<p>\ud800 text \udfff</p>",
    "nested": "<div>" * 30_000 + "text" + "</div>" * 30_000,
    "mis-nested": "<b><i><p>x</b></i>" * 5_000,
    "formatting": "".join(f"<b a={n}>" for n in range(500)) + "<p>word</p>" * 3_000,
    "unclosed script": "<p>text</p><script>var secret;",
    "unclosed comment": "<p>text</p><!-- secret",
    "unclosed title": "<title>text<p>more text",
    "unclosed quote": "<p>text</p><a href='" * 5_000,
    "unclosed tags": "<a" * 50_000,
    "cdata": "<![CDATA[" * 20_000,
    "nearly closed": "<svg></sv" * 20_000,
    "scripts with comments": "<script><!--</script>" * 5_000,
    "many tags": "<b>x" * 60_000,
    "less-than": "<" * 50_000,
    "ampersands": "&" * 50_000 + "&#" * 20_000 + "&#99999999999;&#0;&#xD800;",
    "attributes": "<p" + " a=1" * 50_000 + ">text",
    "styles": "<p" + " style=display" * 20_000 + ">text",
    "one line": PAGE.replace("\n", ""),
    "old Mac lines": PAGE.replace("\n", "\r"),
    "breaks": "word word word<br>" * 5_000,
    "tables": "<table><tr><td>" * 3_000,
    "big": "<p>" + "سلام دنیا " * 100_000,
    "frameset": "<frameset><frame src=x></frameset>",
    "not html": "%PDF-1.4 \x01\x02 {'json': [1, 2]}",
    "xml": "<?xml version='1.0' encoding='utf-8'?><rss><item><title>t</title></item></rss>",
}


def words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z0-9]+", text))


@pytest.mark.parametrize("name", ALL)
def test_an_extractor_has_its_name_a_version_and_one_signature(name: str) -> None:
    """``get`` finds it, and its extraction carries name and version of an extractor that is registered."""
    extractor = get(name)
    assert isinstance(extractor, Extractor)
    found = extractor.extract(PAGE, ExtractorOptions(url="https://example.org/1", language="fa"))
    assert isinstance(found, Extraction)
    assert extractor.name == name
    assert extractor.version
    assert found.version == EXTRACTORS[found.extractor if found.extractor in EXTRACTORS else name].version
    assert found.extractor == name or name == "auto"


@pytest.mark.parametrize("extractor", [*EXTRACTORS.values(), *peers.installed()], ids=lambda one: one.name)
def test_a_built_in_extractor_says_what_it_is(extractor: Extractor) -> None:
    """Its one line of ``extract --list`` is its own, not that of a plug-in."""
    assert extractor.description.strip()
    assert "\n" not in extractor.description
    assert not extractor.description.startswith("plug-in")


@pytest.mark.parametrize("name", STORED)
def test_the_article_is_returned_as_readable_paragraphs(name: str) -> None:
    """Each paragraph is a line, with its digits, Latin words, spaces and joiners, and nothing of the code."""
    found = get(name).extract(PAGE)
    article = [paragraph for paragraph in found.paragraphs if "دولت" in paragraph]
    assert len(article) == 8
    assert {"34", "BBC", "7", "5", "6"} <= words(article[0])
    assert "می\u200cسازد؛ کار" in article[0]
    assert "& متن" in article[0]
    assert "secret" not in found.text
    assert not re.search(r"</?[a-z]|&[a-z]+;", found.text)
    assert all(paragraph == " ".join(paragraph.split()) != "" for paragraph in found.paragraphs)


@pytest.mark.parametrize("name", ALL)
def test_the_same_page_gives_the_same_extraction(name: str) -> None:
    """Twice in a row, and after any other page."""
    first = get(name).extract(PAGE)
    get(name).extract("<p>another</p>")
    assert get(name).extract(PAGE) == first


@pytest.mark.parametrize("name", [name for name in ALL if name not in RAW])
@pytest.mark.parametrize(
    "html", ["", " ", "<html><head><title>t</title></head><body></body></html>", "<script>x</script>"]
)
def test_a_page_without_text_has_no_paragraphs(name: str, html: str) -> None:
    """Nothing in, nothing out, and no exception."""
    assert get(name).extract(html).paragraphs == ()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_pages_are_read_without_harm(name: str, case: str) -> None:
    """Any page gives an extraction whose text can be stored, and hidden code stays hidden."""
    found = get(name).extract(HOSTILE[case])
    found.text.encode("utf-8")
    assert "\0" not in found.text
    assert "secret" not in found.text or EXTRACTORS[name].evaluation_only


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(), max_size=300),
    st.lists(st.sampled_from([*list(HOSTILE)[1:3], "<p>", "</div>", "<a href='", "سلام", "新闻"])),
)
def test_any_string_gives_an_extraction(text: str, parts: list[str]) -> None:
    """No string raises, in any extractor."""
    html = text + "".join(HOSTILE.get(part, part) for part in parts) + text
    for extractor in EXTRACTORS.values():
        assert isinstance(extractor.extract(html, DEFAULT_OPTIONS), Extraction)


def test_an_unknown_name_is_a_configuration_error_that_lists_the_known() -> None:
    """The user learns what may be written instead."""
    with pytest.raises(ConfigError, match='no extractor "readable"') as caught:
        get("readable")
    assert all(name in caught.value.do for name in STORED)
