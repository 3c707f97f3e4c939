"""Stop words of languages in Latin and Cyrillic script: jusText's (Pomikálek, 2011), made from Wikipedia."""

from __future__ import annotations

from functools import lru_cache

_LISTS = {
    "Afrikaans": "af",
    "Albanian": "sq",
    "Azerbaijani": "az",
    "Basque": "eu",
    "Belarusian": "be",
    "Bulgarian": "bg",
    "Catalan": "ca",
    "Croatian": "hr",
    "Czech": "cs",
    "Danish": "da",
    "Dutch": "nl",
    "English": "en",
    "Esperanto": "eo",
    "Estonian": "et",
    "Finnish": "fi",
    "French": "fr",
    "Galician": "gl",
    "German": "de",
    "Hungarian": "hu",
    "Icelandic": "is",
    "Indonesian": "id",
    "Irish": "ga",
    "Italian": "it",
    "Kazakh": "kk",
    "Latin": "la",
    "Latvian": "lv",
    "Lithuanian": "lt",
    "Macedonian": "mk",
    "Malay": "ms",
    "Norwegian_Bokmal": "no",
    "Norwegian_Nynorsk": "nn",
    "Polish": "pl",
    "Portuguese": "pt",
    "Romanian": "ro",
    "Russian": "ru",
    "Serbian": "sr",
    "Slovak": "sk",
    "Slovenian": "sl",
    "Spanish": "es",
    "Swahili": "sw",
    "Swedish": "sv",
    "Tagalog": "tl",
    "Turkish": "tr",
    "Ukrainian": "uk",
    "Welsh": "cy",
    "Yoruba": "yo",
}


@lru_cache(maxsize=1)
def stop_words() -> dict[str, frozenset[str]]:
    """Return the lists by language; they are between 200 and 7,000 words long."""
    from justext import get_stoplist

    return {code: frozenset(get_stoplist(name)) for name, code in _LISTS.items()}
