"""Ages that pages show in the place of a date ("3 hours ago"), as lengths of time: the day of the visit tells the rest.

Minutes, hours, days and yesterday are read; weeks and months are too coarse to name a day.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache

from pipelines.dating.months import fold

MAX_CHARS = 60
_MOST = timedelta(days=31)
_AGO = (
    r"ago|trước|trước đây|مضت|پیش|قبل|پہلے|وړاندې|مخکې|ที่แล้ว|ที่ผ่านมา|ກ່ອນ|(?:ທີ່)?ຜ່ານມາ|មុន|က|အကြာက|önce|əvvəl|назад|тому"
    r"|(?:yang )?(?:lalu|lepas)|fa|atrás|geleden|gelede|sedan|siden|sidan|síðan|sitten|temu|πριν|पहले|आधी|पूर्वी"
    r"|अगाडि|अघि"
    r"|আগে|முன்|முன்பு|前|之前|전|پیشتر|لەمەوبەر|لەمەوپێش|پێش ئێستا|ก่อน|таму|tagasi|yn ôl|ó shin|(?:na )?ang nakalipas"
    r"|પહેલાં?|առաջ|წინ|бұрын|мурун|мурда|ಹಿಂದೆ|മുൻപ്|മുമ്പ്|өмнө|ilu|ਪਹਿਲਾਂ|în urmă|اڳ|më parë|క్రితం|пеш|öň|بۇرۇن"
    r"|oldin|avval|олдин"
    r"|аввал|ezelőtt|berê|በፊት|(?:ກ່ອນ|ມາ)ນີ້|ກ່ອນໜ້ານີ້|පෙර|पहिले|(?:iliyo|zilizo)pita|[a-z]{0,3}dlule"
)
_SINCE = (
    r"منذ|قبل|לפני|vor|hace|há|il y a|πριν(?: από)?|acum|před|pred|pri?je|pre|пре|прије|پێش|بەر لە|преди|пред|hai|duela"
    r"|fa|fyrir|prieš|pirms|berî|för|လွန်ခဲ့သော?|လွန်ခဲ့သာ|cách đây"
)
_UNITS = {
    60: (
        r"min(?:ute)?s?|mins?\.?|phút|دقيقه|دقائق|دقایق|دقیقه|دقیقې|منٹ|דקות|דקה|นาที|ນາທີ|នាទី|မိနစ်|dakika|dk\.?|dəqiqə"
        r"|минут[аыу]?|мин\.?|хвилин[иу]?|menit|minit|minut[eionsa]*|minuten|minutter|minuter|λεπτά|मिनट|मिनिट|মিনিট"
        r"|நிமிடங்கள்|நிமிடம்|分钟|分鐘|分|분|خوله‌ک|خولهک|minuut|minutt|minutit|хвілін[уы]?|munud|minuuttia|nóiméad"
        r"|મિનિટ|րոպե|წუთის|минут"
        r"|ನಿಮಿಷ(?:ಗಳ)?|мүнөт|മിനിറ്റ്|минут(?:ын|а|и)|मिनिटां|मिनेट|ਮਿੰਟ|منٽ|minut[aë]|నిమిషాలు?|నిమిషం|дақиқа"
        r"|дакика|daqiqa|مىنۇت"
        r"|minut(?:am[ai]|ou|u)?|minút(?:ami|ou)|minuts|mínútum?|minučių|minutę|minūtē[ms]|deqîqe(?:yan)?|perccel"
        r"|минути|minit(?:o)?|ደቂቃ(?:ዎች)?|මිනිත්තු|විනාඩි|iminithi|amaminithi|منٹس|minuty|\(na\) minuto"
        r"|de minute|λεπτό|minuutti|मिनिटा|मिनेट|ನಿಮಿಷದ|minūtes|நிமிடங்களுக்கு|நிமிடத்திற்கு"
    ),
    3600: (
        r"h(?:ou)?rs?|hrs?\.?|h|giờ|tiếng|ساعه|ساعات|ساعت|ساعته|گھنٹ[ےہا]|گھنٹه|گھنٹی|שעות|שעה|ชั่วโมง|ชม\.?|ຊົ່ວໂມງ|ម៉ោង"
        r"|နာရီ|saat|час(?:а|ов)?|годин[иу]?|jam|heures?|horas?|or[ae]|stunden?|std\.?|uur|timer?|timmar|tuntia"
        r"|godzin[yę]?"
        r"|ώρες|ώρα|घंटे|घंटा|तास|ঘণ্টা|ঘন্টা|மணி நேரம்|小时|小時|時間|시간|کاتژمێر|ure|гадзін[уы]?|awr|tundi?|oras"
        r"|uair an chloig|કલાક|ժամ|საათის|сағат|саат|ಗಂಟೆ(?:ಗಳ)?|മണിക്കൂർ|цагийн|तासां"
        r"|घण्टा|ਘੰਟ[ੇਾ]|ڪلاڪ|orë|గంటలు?|గంట|соат|soat|sagat|سائەت|sat[ai]?|сат[аи]?|hodinami|hodinou"
        r"|ur(?:ami?|o|ama)|hor[ae]s?|ordu"
        r"|klukkustund(?:um)?|valand(?:as|ų|ą)|val\.?|stundām|saet(?:an)?|órával|siegħa(?:t)?|timar|timme|часа?|oră"
        r"|(?:de )?ore|ሰዓ(?:ት|ታት|ቶች)|පැය|saa|ihora|amahora|घन्टा|\(na\) oras|तासा|ಗಂಟೆಯ|stundas|மணி\s?நேரத்திற்கு"
        r"|einni klukkustund|сат времена|sat vremena|گھنٹوں"
    ),
    86400: (
        r"days?|d|ngày|يوما?|ایام|ايام|یوم|یوما|روز|ورځې|ورځ|دن|ימים|วัน|ວັນ|ថ្ងៃ|ရက်|gün|gün|дн(?:я|ей)|день|дні|днів|hari"
        r"|jours?|días?|dias?|giorn[oi]|tag(?:en)?|dag|dagen|dage[rn]?|dagar|dni|ημέρες|μέρες|दिन|দিন|நாட்கள்|天|日|일"
        r"|ڕۆژ|روژ|dae|дзень|дні|дзён|diwrnod|päevad?|päevaa?|päivää|araw|lá|દિવસ|օր|დღის|күн|ದಿನ(?:ಗಳ)?|ມື້|ദിവസം"
        r"|өдрийн"
        r"|хоногийн|दिवसां|ਦਿਨ|ڏينهن|dit[ëe]|రోజులు?|రోజు|рӯз|рўз|kun|кун|كۈن|dan[ae]?|дана?|дена?|dn[yů]|dnem"
        r"|dň(?:ami|om)|dnevi|dnevoma"
        r"|dies|dia|egun|dögum|dien(?:as|ų|ą)|dienām|roj(?:an)?|nappal|ġranet|(?:de )?zile|zi|dzień|день"
        r"|ቀ(?:ን|ኖች|ናት)|දින|siku|usuku|izinsuku|நாளுக்கு|நாட்களுக்கு|дни|ημέρα|μέρα|päivä|दिवसा|ದಿನದ|päev|دنوں"
    ),
}
# Words that hold their number: one, two (Arabic and Hebrew have a dual).
_WORDS = {
    60: {
        1: (
            r"a minute|دقیقه(?: واحده)?|דקה|einer minute|minute|минуту|хвилину|хвіліну|минута|minutę|minuutti|minutou"
            r"|minútou|semenit"
        ),
        2: r"دقیقتین|دقیقتان|שתי דקות",
    },
    3600: {
        1: r"an hour|ساعه(?: واحده)?|שעה|einer stunde|час|годину|гадзіну|godzinę|tunti|tund aega|hodinou|sejam|한 시간",
        2: r"ساعتین|ساعتان|שעתיים",
    },
    86400: {
        1: r"a day|یوم(?: واحد)?|יום|einem tag|день|ден|дзень|päivä|dnem|dňom|dan|sehari|하루",
        2: r"یومین|یومان|יומיים",
    },
}
# One, before any unit.
_ONE = (
    r"one|یک|یوه?|ایک|هڪ|بىر|bir|бір|бир|як|एक|एका|એક|এক|ஒரு|ఒక|ಒಂದು|ഒരു|ਇੱਕ|ਇਕ|isang|një|uma?|una?|une|unha|en|ett?|én|één"
    r"|eit|ein|egy|üks|một|jedn(?:e|u|og)|једног|една?|един|еден|eno|enim"
)
_YESTERDAY = (
    r"yesterday|hôm qua|امس|دیروز|پرون|گزشته روز|אתמול|เมื่อวาน(?:นี้)?|ມື້ວານ(?:ນີ້)?|ម្សិលមិញ|မနေ့က|dün|dünən|вчера|вчора"
    r"|kemarin|semalam|hier(?= à)|ayer|ontem|ieri|gestern|gisteren|igår|i går|eilen|wczoraj|včera|χθες|昨天|昨日|어제"
)
_HUNGARIAN = {60: "perce", 3600: "órája", 86400: "napja"}
"""Which need no word for ago."""
_LABEL = r"(?:[^\W\d_]+\s?:\s?|[|•·-]\s*)?"
_CLOCK = r"(?:\s*[,،|-]?\s*(?:at |lúc |às |à |um |в |saat )?\d{1,2}[:.h]\d{2}(?:\s?(?:[ap]\.?m\.?|น\.?))?)?"
# What a second number adds changes no day: 2 hours 35 min ago.
_REST = r"(?:(?:\s?,|\s?و)?\s(?:(?:and|und|et|y|e|og|och)\s)?\d{1,2}\s?[^\W\d_]{1,12}\.?)?"


def age_of(text: str) -> timedelta | None:
    """Return how long ago a text says something was, when it says nothing else; None when it does not.

    >>> age_of("3 giờ trước"), age_of("منذ ساعتين"), age_of("3 May")
    (datetime.timedelta(seconds=10800), datetime.timedelta(seconds=7200), None)
    """
    if len(text) > MAX_CHARS:
        return None
    folded = " ".join(fold(text).split())
    if _day_before().fullmatch(folded):
        return timedelta(days=1)
    for seconds in _UNITS:
        if found := _pattern(seconds).fullmatch(folded):
            number = next((int(value) for name, value in found.groupdict().items() if value and name[0] == "n"), 0)
            age = timedelta(seconds=seconds * (number or (2 if found["two"] else 1)))
            return age if age <= _MOST else None
    return None


@cache
def _day_before() -> re.Pattern[str]:
    return re.compile(rf"{_LABEL}(?:{fold(_YESTERDAY)}){_CLOCK}")


@cache
def _pattern(seconds: int) -> re.Pattern[str]:
    unit, words = fold(_UNITS[seconds]), _WORDS[seconds]
    ago, since, one, two, alone = (fold(part) for part in (_AGO, _SINCE, words[1], words[2], _HUNGARIAN[seconds]))
    single = rf"(?:(?:{fold(_ONE)})\s|មួយ|တစ်)"
    return re.compile(
        rf"{_LABEL}(?:(?:د|for)\s|ከ)?(?:(?:(?P<n1>\d{{1,3}})|{single})\s?(?:{unit}){_REST}\s?(?:{ago})"
        rf"|(?:{since})\s(?:(?P<n2>\d{{1,3}})|{single})\s?(?:{unit}){_REST}(?:\s?(?:{ago}))?"
        rf"|(?:{unit})\s(?P<n4>\d{{1,3}})\s?(?:කට\s)?(?:{ago})"
        rf"|(?:{since})\s(?:(?P<two>{two})(?:\s\(2\))?|{one})|(?:{one})\s(?:{ago})|(?P<n3>\d{{1,3}})\s?(?:{alone}))"
    )
