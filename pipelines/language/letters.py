"""Correct a detector's guess by the alphabet: languages of one script differ in their letters.

Detectors that do not know Pashto or Sorani call them Persian. A guess is dropped if the language does not write a fair
share of the letters and another language writes (nearly) all of them. Alphabets are CLDR's exemplar sets, with the
substitutes of old keyboards. Arabic and Persian yeh and kaf count as one letter.
"""

from __future__ import annotations

from collections import Counter

_FOLDED = str.maketrans("يىكٴ", "یی\u06a9ء")
_ARABIC = "ابتثجحخدذرزسشصضطظعغفقکلمنوی" + "ءآؤئ"
_PERSIAN = _ARABIC + "هپچژگۀ"
_URDU = _ARABIC + "پچژگٹڈڑںھہےۓۂۃ"
_RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
# Language -> its letters. If several languages fit equally well, the first is taken.
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
        "ms": _ARABIC + "هةچڠڤݢڬۏڽ",
    },
    "Cyrl": {
        "ru": _RUSSIAN,
        "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
        "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
        "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ",
        "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
        "mn": _RUSSIAN + "өү",
        "ky": _RUSSIAN + "ңөү",
        "kk": _RUSSIAN + "әғқңөұүһі",
        "tt": _RUSSIAN + "әөүҗңһ",
        "ba": _RUSSIAN + "ғҙҡңҫөүһә",
        "tg": _RUSSIAN + "ғӣқӯҳҷ",
        "uz": _RUSSIAN + "ўқғҳ",
        "os": _RUSSIAN + "ӕ",
        "cv": _RUSSIAN + "ӑӗҫӳ",
        "sah": _RUSSIAN + "ҕҥөһү",
    },
    "Latn": {"tr": "çğıöşüâîû", "az": "çəğıöşü"},
}
_COMMONEST = {"Cyrl": "ru"}
"""Script -> language to compare with if the detector knows no language of the text (Chuvash)."""
_LEAST_STRANGE = 2
"""Letters. A guess is dropped if the language does not write that many."""
_STRANGE_SHARE = 0.04
"""Share of all letters. A guess is dropped from that share of letters it does not write."""


def corrected(language: str, script: str, text: str) -> str:
    """Return the language that writes these letters, if the guessed one does not.

    >>> corrected("fa", "Arab", "د بهرنیو چارو وزارت وایي چې خبرې به په راتلونکې اونۍ کې پیل شي")
    'ps'
    """
    stands = _COMMONEST.get(script, language) if language == "und" else language
    if stands not in _ALPHABETS.get(script, {}):
        return language
    letters, strange = _strange(script, text)
    best = min(strange, key=lambda name: strange[name])
    clear = strange[stands] >= max(_LEAST_STRANGE, _STRANGE_SHARE * letters)
    return best if clear and strange[best] * 3 <= strange[stands] else language


def speak_against(language: str, rival: str, script: str, text: str) -> bool:
    """Return whether ``language`` lacks more letters of the text than ``rival``.

    >>> speak_against("mk", "ru", "Cyrl", "Во время войны"), speak_against("ru", "mk", "Cyrl", "Во време на војната")
    (True, True)
    """
    _, strange = _strange(script, text)
    return strange.get(language, 0) > strange.get(rival, 0)


def _strange(script: str, text: str) -> tuple[int, dict[str, int]]:
    """Return the number of letters beyond ASCII and, by language, how many of them it does not write."""
    letters = Counter(each for each in text.lower().translate(_FOLDED) if each.isalpha() and not each.isascii())
    alphabets = _ALPHABETS.get(script, {})
    strange = {name: sum(letters[each] for each in letters.keys() - set(alphabets[name])) for name in alphabets}
    return letters.total(), strange
