"""Languages of one script told apart by their letters, whatever a detector says of them.

Detectors that do not know Pashto or Sorani call them Persian; the letters say otherwise. A language is given up when a
fair share of the letters is none of its own and another language writes (nearly) all of them. Alphabets as in CLDR's
exemplar sets, with what old keyboards put in their place; Arabic and Persian yeh and kaf count as one.
"""

from __future__ import annotations

from collections import Counter

_FOLDED = str.maketrans("يىكٴ", "یی\u06a9ء")
_ARABIC = "ابتثجحخدذرزسشصضطظعغفقکلمنوی" + "ءآؤئ"
_PERSIAN = _ARABIC + "هپچژگۀ"
_URDU = _ARABIC + "پچژگٹڈڑںھہےۓۂۃ"
# The first of those that fit equally well is taken.
_ALPHABETS = {
    "Arab": {
        "ar": _ARABIC + "هةأإ",
        "fa": _PERSIAN,
        "ur": _URDU,
        "ps": _PERSIAN + "ټډړښګڼېۍځڅږ",
        "ckb": "ابپتجچحخدرڕزژسشعغفڤقکگلڵمنوۆهھەیێئ",
        "ug": "ائەبپتجچخدرزژسشغفقکگڭلمنھوۇۆۈۋېی",
        "sd": _ARABIC + "هةھپچگٻڀٺٽٿڄڃڇڊڌڍڏڙڦڪڳڱڻ",
        "azb": _PERSIAN + "ۆۇۏؽێ",
        "skr": _URDU + "ٻڄڳݙݨڻ",
        "pnb": _URDU + "ݨࣇڻ",
        "ks": _URDU + "ٲٳۄؠۆۍٮ",
        "kk": "ابۆگعدەجزیکقلمنڭوپرستۋۇفحھچشءخ",
        "ky": "ابگعدەجزیکقلمنڭوپرستۋۇۅۉفحھچشءېخغ",
        "uz": _PERSIAN + "ۇېۉڭ",
    },
    "Cyrl": {
        "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
        "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
        "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ",
        "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
    },
}
_LEAST_STRANGE = 2
_STRANGE_SHARE = 0.04


def corrected(language: str, script: str, text: str) -> str:
    """Return the language whose letters these are, where they cannot be those of the one that was guessed.

    >>> corrected("fa", "Arab", "د بهرنیو چارو وزارت وایي چې خبرې به په راتلونکې اونۍ کې پیل شي")
    'ps'
    """
    alphabets = _ALPHABETS.get(script, {})
    if language not in alphabets:
        return language
    letters = Counter(each for each in text.lower().translate(_FOLDED) if each.isalpha() and not each.isascii())
    strange = {name: sum(letters[each] for each in letters.keys() - set(alphabets[name])) for name in alphabets}
    best = min(strange, key=lambda name: strange[name])
    clear = strange[language] >= max(_LEAST_STRANGE, _STRANGE_SHARE * letters.total())
    return best if clear and strange[best] * 3 <= strange[language] else language
