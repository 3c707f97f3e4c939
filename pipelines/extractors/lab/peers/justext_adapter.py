"""jusText (Pomikálek, thesis, 2011): paragraphs that are not boilerplate, by the stop words of the page's language.

A language without a list of stop words is read in the library's language-independent mode.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.extractors.base import ExtractorOptions

NAME = "justext"
DISTRIBUTION = "justext"
DESCRIPTION = "the library of that name"

STOP_LISTS = {
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


def read(html: str, options: ExtractorOptions) -> Iterable[str]:
    """Return the paragraphs that are content."""
    from justext import justext

    words = _stop_words((options.language or "").partition("-")[0].lower())
    shares = {} if words else {"stopwords_low": 0.0, "stopwords_high": 0.0}
    return [paragraph.text for paragraph in justext(html, words, **shares) if not paragraph.is_boilerplate]


@cache
def _stop_words(language: str) -> frozenset[str]:
    from justext import get_stoplist

    name = STOP_LISTS.get(language)
    return get_stoplist(name) if name else frozenset()
