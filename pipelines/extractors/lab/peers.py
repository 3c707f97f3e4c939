"""Adapters for extraction libraries, to compare with ours in evaluation. A crawl does not need them.

The libraries come with ``corpus-spider[peers]``. Each adapter imports its library when it reads its first page. It
returns the library's main text in plain lines, without list marks, image descriptions, link targets and comments, and
without a title where the library has that option. The library gets the decoded page with its scripts and hidden
elements, the URL, and the language if known. If the library fails, or would take seconds, the text is empty and has the
reason.

``trafilatura`` is installed with corpus-spider. Its texts may be stored, so it is an extractor of its own.
"""

from __future__ import annotations

import logging
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from pipelines.extractors.base import Extractor, ExtractorOptions
from pipelines.markup.hostile import strain
from pipelines.markup.lexer import markup, sanitise
from pipelines.markup.soup import render, scan
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

INSTALL = "Run `make peers`, or install corpus-spider[peers]"
"""Command that installs the libraries."""


class PeerReader(Protocol):
    """Signature of an adapter: return the lines of the main text. It may raise any error of its library."""

    def __call__(self, html: str, options: ExtractorOptions, /) -> Iterable[str]:
        """Read one decoded page."""
        ...


@dataclass(frozen=True, slots=True)
class PeerLibrary:
    """A library, installed or not, under its name in ``evaluate``."""

    name: str
    distribution: str
    description: str
    read: PeerReader

    def __call__(self, html: str, options: ExtractorOptions) -> Extraction:
        """Read a page that ``guard`` accepts. An error of the library becomes the reason of an empty extraction."""
        release = _release(self.distribution)
        try:
            with _quiet():
                lines = [" ".join(line.split()) for line in self.read(html, options)]
        except Exception as error:  # noqa: BLE001 - the libraries' errors are of every kind, and one page is no reason to end
            return Extraction((), self.name, release, f"{self.name} failed: {error!r}"[:200])
        return Extraction(tuple(sanitise(line) for line in lines if line), self.name, release)


def guard(html: str) -> tuple[str, str]:
    """Return a page without characters that break libraries, and why it would strain them; "" if it would not."""
    html = sanitise(html)
    return html, strain(tag.name for tag in markup(html))


@cache
def _release(distribution: str) -> str:
    return version(distribution)


def read_boilerpy3(html: str, _: ExtractorOptions) -> Iterable[str]:
    """Return the lines of BoilerPy3's article extractor.

    It is the Python port of boilerpipe (Kohlschütter, Fankhauser and Nejdl, WSDM 2010).
    """
    from boilerpy3.extractors import ArticleExtractor

    text: str = ArticleExtractor().get_content(html)
    return text.splitlines()


JUSTEXT_STOP_LISTS = {
    "af": "Afrikaans", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali",
    "bs": "Bosnian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian",
    "ka": "Georgian", "kk": "Kazakh", "kn": "Kannada", "ko": "Korean", "ku": "Kurdish", "ky": "Kyrgyz", "la": "Latin",
    "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "mr": "Marathi", "ms": "Malay",
    "mt": "Maltese", "nb": "Norwegian_Bokmal", "ne": "Nepali", "nl": "Dutch", "nn": "Norwegian_Nynorsk",
    "no": "Norwegian_Bokmal", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil",
    "te": "Telugu", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "uz": "Uzbek",
    "vi": "Vietnamese",
}  # fmt: skip
"""The library's names of its lists, by ISO 639 code."""


def read_justext(html: str, options: ExtractorOptions) -> Iterable[str]:
    """Return the paragraphs that jusText (Pomikálek, thesis, 2011) takes for content.

    It decides by the stop words of the page's language. A language without a list of stop words is read in the
    library's language-independent mode.
    """
    from justext import justext

    words = _stop_words((options.language or "").partition("-")[0].lower())
    shares = {} if words else {"stopwords_low": 0.0, "stopwords_high": 0.0}
    return [paragraph.text for paragraph in justext(html, words, **shares) if not paragraph.is_boilerplate]


@cache
def _stop_words(language: str) -> frozenset[str]:
    from justext import get_stoplist

    name = JUSTEXT_STOP_LISTS.get(language)
    return get_stoplist(name) if name else frozenset()


NEWSPAPER_LANGUAGE = "en"


def read_newspaper4k(html: str, options: ExtractorOptions) -> Iterable[str]:
    """Return the lines of newspaper4k's article, by the stop words of the page's language. Nothing is fetched.

    If the library has no stop words or no word segmenter for a language, it reads the page as English, its default.
    """
    article = _article_class()(
        options.url or "https://news.example.org/",
        language=_readable((options.language or NEWSPAPER_LANGUAGE).partition("-")[0].lower()),
        follow_meta_refresh=False,
        memorize_articles=False,
    )
    article.download(input_html=html, ignore_read_more=True)
    article.parse()
    return str(article.text).splitlines()


@cache
def _article_class() -> Any:
    """Return the library's article without its search for images, which asks their servers under any setting."""
    from newspaper import Article

    return type("OfflineArticle", (Article,), {"fetch_images": lambda _: None})


@cache
def _readable(language: str) -> str:
    """Return the language where the library can read it, otherwise its default."""
    from newspaper.text import StopWords

    try:
        StopWords(language)
    except (ImportError, OSError, ValueError):
        return NEWSPAPER_LANGUAGE
    return language


def read_readability(html: str, options: ExtractorOptions) -> Iterable[str]:
    """Return the paragraphs of readability-lxml's summary, the Python port of Arc90's readability.

    All options have the library's defaults. The title is not part of a summary.
    """
    from readability import Document

    return render(scan(Document(html, url=options.url or None).summary(html_partial=True)))


def read_resiliparse(html: str, _: ExtractorOptions) -> Iterable[str]:
    """Return the lines of Resiliparse (Bevendorff et al., ECIR 2018), its rules for main content.

    List marks and image descriptions are left out.
    """
    from resiliparse.extract.html2text import extract_plain_text

    text: str = extract_plain_text(
        html, main_content=True, preserve_formatting=True, list_bullets=False, alt_texts=False, comments=False
    )
    return text.splitlines()


def read_turbohtml(html: str, _: ExtractorOptions) -> Iterable[str]:
    """Return the lines of turbohtml's main content, which it chooses by density as Arc90's readability does.

    List marks and image descriptions are left out.
    """
    from turbohtml import PlainText, parse

    content = parse(html).main_content()
    return content.to_text(PlainText(bullet="", images=False)).splitlines() if content else []


PEERS: Mapping[str, PeerLibrary] = MappingProxyType(
    {
        peer.name: peer
        for peer in (
            PeerLibrary("boilerpy3", "boilerpy3", "the library of that name, its article extractor", read_boilerpy3),
            PeerLibrary("justext", "justext", "the library of that name", read_justext),
            PeerLibrary("newspaper4k", "newspaper4k", "the library of that name", read_newspaper4k),
            PeerLibrary("readability", "readability-lxml", "the library readability-lxml", read_readability),
            PeerLibrary("resiliparse", "resiliparse", "the library of that name, its main content", read_resiliparse),
            PeerLibrary("turbohtml", "turbohtml", "the library of that name, its main content", read_turbohtml),
        )
    }
)
"""Every peer there is an adapter for, by name."""


@cache
def find(name: str) -> Extractor | None:
    """Return the peer of that name as an extractor, or None when it is not known or its library not installed."""
    peer = PEERS.get(name)
    if peer is None:
        return None
    try:
        release = version(peer.distribution)
    except PackageNotFoundError:
        return None
    return Extractor(name, release, peer.description, peer, evaluation_only=True, guard=guard)


def installed() -> tuple[Extractor, ...]:
    """Return the peers whose libraries are installed."""
    return tuple(extractor for name in PEERS if (extractor := find(name)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries' messages about single pages out of the log."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
