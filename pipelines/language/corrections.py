"""Correct a detector's guess of the language by the letters and the frequent words of the text.

Letters: detectors that do not know Pashto or Sorani call them Persian. A guess is dropped if the language does not
write a fair share of the letters and another language writes (nearly) all of them. Alphabets are CLDR's exemplar sets,
with the substitutes of old keyboards. Arabic and Persian yeh and kaf count as one letter.

Words: where languages of one script have the same letters, sets of words decide that one language uses all the time and
the others do not. Two languages are recognised here that the detectors do not know, or know badly:

- Vietnamese without its marks (telegrams, chats, old web pages) by its syllables, some 2,500;
- Kurdish in Latin letters by its small words and its vowels with a circumflex.

The detectors know no other language in Vietnamese letters, and are sure of it. So few frequent words of Vietnamese make
unsure.

Indonesian and Malay are in a module of their own (malay.py).

Stop words of languages in Latin and Cyrillic script are jusText's (Pomikálek, 2011), made from Wikipedia.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

import regex

from pipelines.decoding.vietnamese_codecs import is_syllable

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_COMMONER = {("Arab", "uz"): "fa"}
"""Script and language -> the commoner one that names of the rarer one are quoted in. Dari newspapers name Turks."""
_COMMONEST = {"Cyrl": "ru"}
"""Script -> language to compare with if the detector knows no language of the text (Chuvash)."""
_LEAST_STRANGE = 2
"""Letters. A guess is dropped if the language does not write that many."""
_STRANGE_SHARE = 0.04
"""Share of all letters. A guess is dropped from that share of letters it does not write."""
# Script and language -> frequent words that the others of the group do not use.
_GROUPS = tuple(
    (script, {language: frozenset(words.split()) for language, words in group.items()})
    for script, group in (
        (
            "Arab",
            {
                "ur": """
                کا کی کے کو میں مےں سے یہ وہ کہ اس ہیں نہیں ہو گیا بھی لیے ہوئے تھا تھے تھی ایک انہوں انہیں ہوں رہا
                رہے کرتے کرنے ساتھ ہم کچھ تمام ہوتا جب لیکن کسی اگر یہاں ہونے والے دے دی
            """,
                "pnb": """
                دا دی دے دیاں نوں وچ وچوں توں تے اتے اے نیں ایہہ ایہ اوہ اوس ایس اوہدے اوہنوں اوہناں ایہناں کیتا کیتی
                سی سن ہن لئی وی جے ہوئی نال تاں مینوں کجھ کسے پئی ہور دتا کرن کیہ ہووے جدوں اج لوکاں انج ہوندا ہوندی
                جیویں فیر پھیر اسیں ساڈے پہلاں آکھیا سبھ گلاں ول
            """,
                "skr": """
                دا دی دے کوں کنوں وچ توں تے ہن اے ایں اوں کیتے وی ڄئے کہیں ہکو ہک تھی ڈو ایندے اوندے اوندی
                انہاں ہر آپڻے کرڻ
                چاہی ویسی تھیوڻ ہوسی
            """,
                "ks": "چھِ چھُ چھے چھ تہٕ تہِ اَکھ منٛز مَنٛز ہُنٛد یِوان یُس یۄس یہِ اوس ٲس ٲسؠ اَتھ پؠٹھ کٔرِتھ خٲطرٕ سٟتؠ آو",
                "fa": """
                در به از که این را با است برای آن خود شد یک تا می‌شود بر هم شده می های می‌گوید گفته کرده نموده
                کرد کردند شدند گفت گفتند بود بودند دارد دارند داد دادند هستند باشد کند کنند گردید آنان آنها
            """,
                "azb": """
                بیر بو اوچون ایله دیر ایدی ائدیر اولان اولدو سونرا گؤره چوخ وار لر لار اولاراق تورک دیلی ایلده
                داها منیم بونو اونون اولور اوزره ائتدی ائدیب اولوب دئدی دئییب گلدی وئردی یازیب کیمی ایلک باشقا یئنی
                لارین لرین دیرلار دیلی یاشایان یازیلیب میلیون‌لار ایلر آنا
                بؤیوک کیچیک چوخلو گؤز گؤرولوب دیلینده طرفیندن ایسته اوز نئچه ائتمک ائلییب
            """,
                "uz": """
                بیلن بوییچه نینگ بو اوچون همده ایدی بولگن کیرک بیر گه ده کرک بولدی بولیب قیلیب قیلدی قیلگن قیلیش
                ایتدی دیدی دیب کیین ینگی برچه تامانیدن حقیده اولر بیز مین ییل ییلی کون بار یوق کوپ ایمس بیردی کیلدی
                آلدی ایکن لر نی دن اوز
            """,
                "glk": "جه جی ایته ایتا ایسه ایسمه مئن ؤ هسا کیشور گيلان بوستید ببوسته ره شه اونه",
                "bal": "ءَ ءِ ءُ انت اَنت اِنت په گۆں ماں ات اێں اَت وتی بوتگ بوت کرت کرتگ مئے تها شه",
            },
        ),
        (
            "Hebr",
            {
                "he": "של את על לא הוא היא עם כי זה גם אם או כל אני אבל יש אין לפי אל אך היה היום אחרי בין",
                "yi": """
                די דער דאָס דאס און איז אין פֿון פון צו אז אַז מיט ניט נישט האָט האט האָבן האבן זײַן זיין ער
                זי זיי מען
                אויף אויך פֿאַר פאר װאָס וואָס וואס וועט וועלן ווי איר ביי בײַ נאָך נאך זיך אַ אן אַן דעם איך
            """,
            },
        ),
        (
            "Latn",
            {
                "vi": """
                là và có của được một các không trong cho người này với ở đã thể để như những đến khi làm sẽ từ ra công
                họ tại về vào đó cũng thành lại đầu chỉ năm sự tôi bị
            """,
                "tyz": """
                dú pây mì hết rườn noọng hâư hẩư bấu đảy lăng vằn nẩy pú slam slí sloong sloóng xoòng pỏ mẻ pỉ thâng
                chắng tẳm khửn lồng boong vạ cạ cằm cúa lầu quây slung tẻo ngòi tói pjom slon slư tứ mừa phuối pửa
                chướng mọi fiệc chập căn slắng bại lục ké đây kin háng phua chang cáy đin fạ nặm
            """,
            },
        ),
        (
            "Latn",
            {
                "no": """
                ikke jeg en et fra ble noe mye de hun hva hvordan bare noen være vært av etter nå opp ut blir
                seg meg deg
                uten gjennom mellom sier dette hvor kommer mer gir også inn noen våre vår hver
            """,
                "nn": """
                ikkje eg ein eit frå vart blei noko mykje dei ho kva korleis berre nokre vere vore av etter no opp ut
                blir seg meg deg utan gjennom mellom seier dette kvar kjem og kven òg då ei heile desse sidan seinare
            """,
                "da": """
                ikke jeg en et fra blev noget meget de hun hvad hvordan bare nogen være været af efter nu op ud bliver
                sig mig dig uden gennem mellem siger dette hvor kommer mere nogle vores os lidt have igen inden også
            """,
            },
        ),
        (
            "Latn",
            {
                "hr": """
                tko što tjedan tjedna tisuća također tijekom uopće općine izvješće priopćenju sustav siječnja veljače
                ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca vrijeme
                mjesto dio dvije
                gdje uvijek prije poslije lijepo vijeće povijest glede europski europska kazao tvrtka udruga
                sljedeće sljedeći sljedećeg sljedećeg posljednje posljednji posljednjih sredinom tjedno tisuće suradnja
                mjesta rješenje svijet svijeta svijetu ljeta čovjek čovjeka mjere djeca djece riječ riječi promjene
                nedjelje nedjelju ponedjeljak ponedjeljka uspjeh pobjeda pobjedu predsjednik predsjednika sjednici
                listopad priopćio priopćila priopćeno izvijestio izvijestila europske središtu unatoč
            """,
                "bs": """
                ko šta sedmice sedmica hiljada hiljade također tokom općine saopćenju saopćeno januara februara marta
                aprila maja juna jula augusta septembra oktobra novembra decembra vrijeme mjesto dio dvije gdje uvijek
                prije poslije lijepo historija evropski evropska lahko kahva kazao bosni hiljade
                sljedeće sljedeći sljedećeg posljednje posljednji posljednjih
                mjesta rješenje svijet svijeta svijetu ljeta čovjek čovjeka mjere djeca djece riječ riječi promjene
                nedjelje nedjelju ponedjeljak ponedjeljka uspjeh pobjeda pobjedu predsjednik predsjednika sjednici
                oktobar saopćio saopćila saopćili općina općinske općinski evropske sedmicu sedmično
            """,
                "sr": """
                ko šta nedelje nedelja hiljada takođe tokom opštine saopštenju saopšteno januara februara marta aprila
                maja juna jula avgusta septembra oktobra novembra decembra vreme mesto deo dve gde uvek pre posle lepo
                istorija evropski evropska rekao reč uopšte hiljade
                sledeće sledeći sledećeg poslednje poslednji poslednjih oktobar
                mesta rešenje svet sveta svetu leta čovek čoveka mere deca dece reči promene evropske
                nedelju ponedeljak ponedeljka uspeh pobeda pobedu predsednik predsednika sednici
                saopštio saopštila saopštili opština opštine opštinski bezbednosti bezbednost obezbedi ovde posebno
            """,
            },
        ),
        (
            "Cyrl",
            {
                "ru": "в на и не что с по как это из к у за от он она был было его они для который также",
                "bg": "в на да се от за и е с че ще не като по са си това от бе беше който която които след при през",
                "sr": "у је да се на за и од са што као ће не су који која које је био била после пре према али",
                "mk": "во да се на за и од со што како ќе не се кој која кои е беше бил по пред според но дека",
                "uk": "в у на і й не що з по як це із до та за від він вона був було його вони для який також",
                "be": "у на і не што з па як гэта да за ад ён яна быў было яго яны для які таксама",
            },
        ),
    )
)
WORD = regex.compile(r"[\p{L}\p{M}\u200c]+")
_ASCII_LETTERS = {code: " " for code in range(128) if not chr(code).islower()}
# Names of Latin letters in Urdu. The first are also words of Western Punjabi: is, was, also, if.
_LETTERS_OR_WORDS = frozenset({"اے", "سی", "وی", "جے", "ایس", "ای", "او", "آئی"})
_NO_WORDS = "بی ڈی ایف جی ایچ ایل ایم این پی کیو آر ٹی یو ڈبلیو ایکس وائی زیڈ"
_LETTERS = _LETTERS_OR_WORDS.union(_NO_WORDS.split())
_SURE_SHARES = {"vi": 0.07, "fa": 0.01}
"""Language that is guessed or assumed with too much confidence -> share of its frequent words that makes it sure."""
_FREQUENT_WORDS = {name: words for _, group in _GROUPS for name, words in group.items() if name in _SURE_SHARES}
_SURE_WORDS, _DOUBTED = 5, 0.3
"""Different words of a text for a sure guess, and the confidence in a language without its frequent words."""
_SPACED = frozenset({"Latn", "Cyrl", "Arab", "Hebr"})
"""Scripts with spaces between words that have several languages."""
_LEAST_HITS = 2
"""Words of a language that a text needs before they count for it."""
_LATIN = regex.compile(r"\p{Latin}")
_LEAST_LIST = 100
"""Words in Latin script. A shorter stop-word list counts as none."""

# Words. The start of a text decides.
_SYLLABLES = 60
_PLAIN_WORDS = """
    cua va duoc khong nhung nguoi cac mot da voi nay den ve nhu tai phai cung nam ngay nuoc viec se dang vao tren duoi
    giua nhieu hon rat thi nen neu bang lai chi con truoc bo trong cho theo khi hai tinh chinh thu quoc viet ong toi ban
    anh minh dau gi lam biet noi thanh pho hoc sinh la co de tu ra qua sau truong giao thong trung tam duong dong cong
    gia tien huyen hang ngan
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
_KURMANJI_LETTER = re.compile("[ûîê]")
_KURMANJI_WORDS = """
    û jî yê yên wê vê wî vî bû bûn xwe lê dê tê hatiye heye hene dike dikin dibe kirin kiriye kirine piştî
    li ji bi di ku de re ser bo ne her ya ên ev wan min me got kir hat hatin da nav çi ve ye in an din hemû divê
    herkes navbera bê bên nabe nikare xwedî weke wekî dibin
"""
_KURMANJI = frozenset(_KURMANJI_WORDS.split())
_OFTEN_TOGETHER = 0.035
"""Least value, for Kurmanji, of the share of frequent words times the share of words with a circumflex."""
_VIETNAMESE_LETTER = re.compile("[ăđơưĂĐƠƯẠ-ỹ]")
_MEANT = 0.85
"""Least share, for Vietnamese without marks, of words that are syllables of Vietnamese."""
_FREQUENT = 0.15
"""Least share, for Vietnamese without marks, of words that are among its most frequent."""
# jusText's name of a list -> language.
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


def corrected(language: str, script: str, text: str) -> str:
    """Return the language of a text in a script, given a detector's guess: corrected by letters, then by words."""
    written = by_letters(language, script, text)
    worded = by_words(written, script, text)
    return written if worded != written and _speak_against(worded, written, script, text) else worded


def by_letters(language: str, script: str, text: str) -> str:
    """Return the language that writes these letters, if the guessed one does not.

    >>> by_letters("fa", "Arab", "د بهرنیو چارو وزارت وایي چې خبرې به په راتلونکې اونۍ کې پیل شي")
    'ps'
    """
    stands = _COMMONEST.get(script, language) if language == "und" else language
    if stands not in _ALPHABETS.get(script, {}):
        return language
    letters, strange = _strange(script, text)
    best = min(strange, key=lambda name: strange[name])
    clear = strange[stands] >= max(_LEAST_STRANGE, _STRANGE_SHARE * letters)
    return best if clear and strange[best] * 3 <= strange[stands] else language


def _speak_against(language: str, rival: str, script: str, text: str) -> bool:
    """Return whether ``language`` lacks more letters of the text than ``rival``."""
    _, strange = _strange(script, text)
    return strange.get(language, 0) > strange.get(rival, 0)


def _strange(script: str, text: str) -> tuple[int, dict[str, int]]:
    """Return the number of letters beyond ASCII and, by language, how many of them it does not write."""
    letters = Counter(each for each in text.lower().translate(_FOLDED) if each.isalpha() and not each.isascii())
    alphabets = _ALPHABETS.get(script, {})
    strange = {name: sum(letters[each] for each in letters.keys() - set(alphabets[name])) for name in alphabets}
    return letters.total(), strange


def by_words(language: str, script: str, text: str) -> str:
    """Return the language of the same group with the most own words: two at least, and half as many again.

    >>> by_words("ur", "Arab", "وزیر اعظم نے آکھیا اے کہ لوکاں نوں سہولتاں دین لئی نویں منصوبے شروع کیتے جا رہے نیں")
    'pnb'
    """
    if script == "Latn":
        if language != "vi" and is_unmarked_vietnamese(text):
            return "vi"
        # CLD2 takes Kurmanji for Vietnamese. Letters that only Vietnamese has exclude it.
        if (language != "vi" or _VIETNAMESE_LETTER.search(text) is None) and is_kurmanji(text):
            return "ku"
    group = next((group for place, group in _GROUPS if place == script and language in group), None)
    if group is None:
        return language
    found = WORD.findall(text.lower())
    words = Counter([*_without_initials(found), *_joined_parts(found)] if script == "Arab" else found)
    listed = {name: group[name] | stop_words().get(name, frozenset()) for name in group} if script == "Latn" else group
    if not _are_even(tuple(group), script):
        leader = _leader(words, group, language)
        others = frozenset[str]().union(*(known for name, known in group.items() if name != language))
        own = sum(words[word] for word in group[language] - others if word in words)
        if leader != language or own >= _LEAST_HITS:
            return leader
    leader = _leader(words, listed, language)
    if (script, leader) in _COMMONER and sum(word in words for word in group[leader]) < _LEAST_HITS:
        return _COMMONER[script, leader]
    return leader


def assured(language: str, script: str, text: str) -> float:
    """Return the highest confidence in a language that the words of a text allow, 0-1.

    A few words show no language. A text in Vietnamese letters has frequent words of Vietnamese. They are a quarter of
    the words of news, and fewer than a twentieth in one of two hundred texts of 100 characters.
    Persian has one such word.

    >>> assured("vi", "Latn", "Bại cần ké mường phuối mừa pửa cón"), assured("en", "Latn", "Profit warning")
    (0.3, 0.4)
    """
    words = frozenset(WORD.findall(text.lower()))
    sure = min(1.0, len(words) / _SURE_WORDS) if script in _SPACED else 1.0
    if language in _FREQUENT_WORDS and (language != "vi" or _VIETNAMESE_LETTER.search(text)):
        share = len(words & _FREQUENT_WORDS[language]) / max(1, len(words))
        sure = min(sure, _DOUBTED + share / _SURE_SHARES[language])
    return sure


def _without_initials(words: list[str]) -> Iterator[str]:
    """Leave out the names of Latin letters in Urdu, if several follow one another: two of them made texts Punjabi.

    >>> list(_without_initials("بی جے پی کے ایک رکن وی اے".split()))
    ['کے', 'ایک', 'رکن', 'وی', 'اے']
    """
    for named, run in groupby(words, _LETTERS.__contains__):
        found = list(run)
        if not named or len(found) == 1 or (len(found) == 2 and _LETTERS_OR_WORDS.issuperset(found)):
            yield from found


def _joined_parts(words: list[str]) -> Iterator[str]:
    """Yield the parts of words with a joiner: Azerbaijani and Persian write their endings so."""
    return (part for word in words if "\u200c" in word for part in word.split("\u200c") if part)


@cache
def _are_even(names: tuple[str, ...], script: str) -> bool:
    """Return whether all languages of a group have stop words in its script, or the script has no lists.

    Bosnian has no list, and Serbian has one in Cyrillic. Croatian's list would win by the words that all three use.
    """
    lists = (filter(_LATIN.match, stop_words().get(name, frozenset())) for name in names)
    return script != "Latn" or min(sum(1 for _ in words) for words in lists) >= _LEAST_LIST


def _leader(words: Counter[str], known: dict[str, frozenset[str]], language: str) -> str:
    """Return the language whose words are most ahead of those of the guessed one, else the guessed one."""
    leads = {}
    for name, own in known.items():
        sides = own - known[language], known[language] - own
        hits, against = (sum(words[word] for word in side if word in words) for side in sides)
        # One word twice is no evidence: Urdu has the commonest word of Punjabi as a verb.
        different = sum(word in words for word in sides[0])
        leads[name] = hits - against if different >= _LEAST_HITS and hits >= 1.5 * against else 0
    best = max(leads, key=lambda name: leads[name])
    return best if leads[best] > 0 else language


@lru_cache(maxsize=1)
def stop_words() -> dict[str, frozenset[str]]:
    """Return the stop words by language, between 200 and 7,000 for each."""
    from justext import get_stoplist

    return {code: frozenset(get_stoplist(name)) for name, code in _LISTS.items()}


def is_unmarked_vietnamese(text: str) -> bool:
    """Return whether nearly all of the first sixty words are syllables of Vietnamese, and some are very frequent.

    >>> is_unmarked_vietnamese("Thu tuong Chinh phu yeu cau cac bo, nganh va dia phuong tap trung chi dao")
    True
    """
    start = text[:600].lower()
    # ASCII: runs of letters are the rest between everything else. This is called for each line of a text.
    found = start.translate(_ASCII_LETTERS).split() if start.isascii() else WORD.findall(start)
    words = [word for word in found[:_SYLLABLES] if len(word) > 1]
    # Most texts have too few frequent words. A set finds that faster than the pattern of the syllables.
    if len(words) < 4 or sum(map(_PLAIN.__contains__, words)) < _FREQUENT * len(words):
        return False
    return sum(map(is_syllable, words)) >= _MEANT * len(words)


def is_kurmanji(text: str) -> bool:
    """Return whether the first sixty words are Kurdish in Latin letters.

    Two frequent words are needed. The share of frequent words, times the share of words with a circumflex, is higher
    than in other languages that have either. Names are neither, and lower both shares.

    >>> is_kurmanji("Serokê Herêma Kurdistanê bi balyozê Amerîkayê re civiya û li ser têkiliyan axivî")
    True
    """
    start = text[:600].lower()
    if _KURMANJI_LETTER.search(start) is None:
        return False
    words = WORD.findall(start)[:_SYLLABLES]
    frequent = sum(map(_KURMANJI.__contains__, words))
    marked = sum(_KURMANJI_LETTER.search(word) is not None for word in words)
    return frequent >= _LEAST_HITS and frequent * marked >= _OFTEN_TOGETHER * len(words) ** 2
