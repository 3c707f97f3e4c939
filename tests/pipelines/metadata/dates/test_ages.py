"""Ages ("3 hours ago") that pages show in the place of a date."""

from __future__ import annotations

from datetime import timedelta

import pytest
from babel import Locale
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.metadata.dates.ages import age_of, read_age

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 hours ago", 3 * HOUR),
        ("Updated: 1 min ago", MINUTE),
        ("Published 3 hours ago", 3 * HOUR),
        ("Posted about an hour ago", HOUR),
        ("Three days ago", 3 * DAY),
        ("Yayınlanma 3 saat önce", 3 * HOUR),
        ("نشر منذ 3 ساعات", 3 * HOUR),
        ("قبل ثلاث ساعات", 3 * HOUR),
        ("البارحة", DAY),
        ("سه ساعت پیش", 3 * HOUR),
        ("درې ساعته مخکې", 3 * HOUR),
        ("دوێنێ", DAY),
        ("duh", DAY),
        ("פאר 3 שעה", 3 * HOUR),
        ("3 שעה צוריק", 3 * HOUR),
        ("လွန်ခဲ့သည့် ၂ ရက်", 2 * DAY),
        ("ከ 3 ሰዓታት በፊት", 3 * HOUR),
        ("ትናንት", DAY),
        ("গতকাল", DAY),
        ("हिजो", DAY),
        ("kecha", DAY),
        ("khoảng 3 giờ trước", 3 * HOUR),
        ("Over three men died 3 hours ago", None),
        ("Published three", None),
        *(
            (text, 30 * MINUTE)
            for text in (
                "half an hour ago",
                "полчаса назад",
                "نُشر قبل نصف ساعة",
                "نیم ساعت پیش",
                "לפני חצי שעה",
                "nửa giờ trước",
                "yarım saat önce",
                "há meia hora",
                "半小时前",
            )
        ),
        ("half an hour of rain", None),
        ("hier à 10h", DAY),
        ("avant-hier à 10h", 2 * DAY),
        ("ontem às 18h", DAY),
        ("gestern um 10 Uhr", DAY),
        ("вчера в 9 часов", DAY),
        ("hôm qua lúc 10 giờ", DAY),
        ("hier 10 hommes", None),
        ("one hour ago", HOUR),
        ("2 hours 35 min ago", 2 * HOUR),
        ("3 days, 1 hour ago", 3 * DAY),
        ("vor 2 Stunden und 5 Minuten", 2 * HOUR),
        ("منذ 3 ساعات و 20 دقيقة", 3 * HOUR),
        ("for 3 timer siden", 3 * HOUR),
        ("for en time siden", HOUR),
        ("เมื่อวาน 10:30 น.", DAY),
        ("3 giờ trước", 3 * HOUR),
        ("3 ngày trước", 3 * DAY),
        ("hôm qua", DAY),
        ("منذ ساعتين", 2 * HOUR),
        ("منذ 11 ساعة", 11 * HOUR),
        ("قبل 5 دقائق", 5 * MINUTE),
        ("منذ ساعة", HOUR),
        ("قبل يومين", 2 * DAY),
        ("۲ ساعت پیش", 2 * HOUR),
        ("۳ روز قبل", 3 * DAY),
        ("دیروز", DAY),
        ("د ۲ ساعته وړاندې", 2 * HOUR),
        ("2 گھنٹے قبل", 2 * HOUR),
        ("3 دن پہلے", 3 * DAY),
        ("לפני שעה", HOUR),
        ("לפני שעתיים", 2 * HOUR),
        ("לפני 3 שעות", 3 * HOUR),
        ("אתמול", DAY),
        ("2 ชั่วโมงที่แล้ว", 2 * HOUR),
        ("เมื่อวาน", DAY),
        ("3 ຊົ່ວໂມງກ່ອນ", 3 * HOUR),
        ("2 saat önce", 2 * HOUR),
        ("вчера, 14:20", DAY),
        ("il y a 3 heures", 3 * HOUR),
        ("vor 3 Stunden", 3 * HOUR),
        ("3小时前", 3 * HOUR),
        ("3시간 전", 3 * HOUR),
        ("một giờ trước", HOUR),
        ("cách đây 3 giờ", 3 * HOUR),
        ("یک ساعت پیش", HOUR),
        ("ایک گھنٹہ پہلے", HOUR),
        ("یوه ورځ وړاندې", DAY),
        ("ከ5 ሰዓቶች በፊት", 5 * HOUR),
        ("2 ມື້ກ່ອນນີ້", 2 * DAY),
        ("පැය 5 කට පෙර", 5 * HOUR),
        ("දින 2කට පෙර", 2 * DAY),
        ("5 மணிநேரத்திற்கு முன்பு", 5 * HOUR),
        ("5 मिनेट पहिले", 5 * MINUTE),
        ("5 منٹس پہلے", 5 * MINUTE),
        ("3 minuty temu", 3 * MINUTE),
        ("преди 2 дни", 2 * DAY),
        ("acum 20 de minute", 20 * MINUTE),
        ("saa 5 zilizopita", 5 * HOUR),
        ("5 amahora adlule", 5 * HOUR),
        ("1 तासापूर्वी", HOUR),
        ("1 ನಿಮಿಷದ ಹಿಂದೆ", MINUTE),
        ("منذ يوم واحد", DAY),
        ("منذ دقيقة", MINUTE),
        ("10 นาทีก่อน", 10 * MINUTE),
        ("2 ມື້ຜ່ານມາ", 2 * DAY),
        ("٢ ڕۆژ لەمەوپێش", 2 * DAY),
        ("5 مىنۇت بۇرۇن", 5 * MINUTE),
        ("2 soat oldin", 2 * HOUR),
        ("5 сағат бұрын", 5 * HOUR),
        ("преди 2 часа", 2 * HOUR),
        ("час назад", HOUR),
        ("prije 5 dana", 5 * DAY),
        ("pre jednog sata", HOUR),
        ("před 5 minutami", 5 * MINUTE),
        ("prieš 11 valandų", 11 * HOUR),
        ("för en timme sedan", HOUR),
        ("hace un minuto", MINUTE),
        ("fa 2 hores", 2 * HOUR),
        ("2 órája", 2 * HOUR),
        ("२ घण्टा अगाडि", 2 * HOUR),
        ("२ तासांपूर्वी", 2 * HOUR),
        ("လွန်ခဲ့သော ၅ မိနစ် က", 5 * MINUTE),
        ("මීට පෙර", None),
        ("fa 5 anni", None),
        ("3 dan", None),
        ("in one hour", None),
        ("Published 2 hours ago", 2 * HOUR),
        ("Posted on 3 hours ago", 3 * HOUR),
        ("เผยแพร่เมื่อ 6 วันที่แล้ว", 6 * DAY),
        ("เผยแพร่เมื่อวานนี้ เวลา 22:10 น.", DAY),
        ("تم النشر منذ 3 ساعات", 3 * HOUR),
        ("آخر تحديث: قبل يومين", 2 * DAY),
        ("منتشر شده در ۳ ساعت پیش", 3 * HOUR),
        ("Đã đăng 3 giờ trước", 3 * HOUR),
        ("Publicado hace 2 días", 2 * DAY),
        ("Опубликовано 5 часов назад", 5 * HOUR),
        ("发布于3小时前", 3 * HOUR),
        ("3小时前发布", 3 * HOUR),
        ("3 घंटे पहले प्रकाशित", 3 * HOUR),
        ("2 saat önce yayınlandı", 2 * HOUR),
        ("פורסם לפני יומיים", 2 * DAY),
        ("Hôm nay lúc 06:45", 0 * DAY),
        ("Today at 8:30 AM", 0 * DAY),
        ("Published today", 0 * DAY),
        ("اليوم 08:30 ص", 0 * DAY),
        ("امروز ۰۸:۴۵", 0 * DAY),
        ("היום ב-08:30", 0 * DAY),
        ("今天 08:30", 0 * DAY),
        ("أمس 11:15 م", DAY),
        ("yesterday at 10:30 pm", DAY),
        ("hier à 22h10", DAY),
        ("kemarin pukul 22.10", DAY),
        ("کل 11:15", DAY),
        ("позавчера, 10:15", 2 * DAY),
        ("Vừa xong", 0 * DAY),
        ("الآن", 0 * DAY),
        ("az önce", 0 * DAY),
        ("刚刚", 0 * DAY),
        ("Updated 30 seconds ago", timedelta(seconds=30)),
        ("today", None),
        ("Hôm nay", None),
        ("Born 3 days ago", None),
        ("Valid until today 10:30", None),
        ("Today 20:30 the match begins", None),
        ("3 weeks ago", 21 * DAY),
        ("12 weeks ago", None),
        ("14 months ago", None),
        ("last week", None),
        ("next 3 weeks", None),
        ("3 weeks", None),
        *(
            (text, 7 * DAY)
            for text in (
                "a week ago",
                "1 tuần trước",
                "منذ أسبوع",
                "یک هفته پیش",
                "ایک ہفتہ قبل",
                "לפני שבוע",
                "seminggu lalu",
                "sepekan lalu",
                "неделю назад",
                "vor einer Woche",
                "一周前",
                "一個星期前",
                "Published 1 week ago",
            )
        ),
        *(
            (text, 14 * DAY)
            for text in (
                "قبل أسبوعين",
                "2 สัปดาห์ที่แล้ว",
                "2 อาทิตย์ที่แล้ว",
                "לפני שבועיים",
                "两周前",
                "il y a 2 semaines",
                "dua minggu lalu",
                "دو هفته پیش",
            )
        ),
        ("for 3 timer", None),
        ("2 hours 35 minutes", None),
        ("2 years ago", None),
        ("90 days ago", None),
        ("in 3 hours", None),
        ("3 days", None),
        ("hier", None),
        ("3 hours ago the minister spoke", None),
    ],
)
def test_ages_are_read(text: str, expected: timedelta | None) -> None:
    """Minutes, hours, days and yesterday in many languages are lengths of time; all else is none."""
    assert age_of(text) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=100))
def test_any_text_is_safe(text: str) -> None:
    """No text is an age of more than a year, and none breaks the reading."""
    age = age_of(text)
    assert age is None or age <= 365 * DAY


LOCALES = (
    "en vi ar fa ur ps ug he th lo km my tr az tk uz kk ky tg mn ru uk be bg sr sr_Latn hr bs sl mk el pl cs sk fr es"
    " pt ca gl it ro eu de nl af da nb nn sv is fo fi et lv lt hu sq cy ga id ms fil sw am hi mr ne bn pa gu ta te kn"
    " ml si ka hy zh zh_Hant ja ko"
).split()


@pytest.mark.parametrize("name", LOCALES)
def test_weeks_and_months_of_unicode_are_read(name: str) -> None:
    """CLDR's patterns of each language, with all its forms of the plural."""
    locale = Locale.parse(name)
    for unit, days in (("week", 7), ("month", 30)):
        for number in (1, 2, 3, 5, 8):
            pattern = locale._data["date_fields"][unit]["past"][locale.plural_form(number)]
            age = read_age(pattern.replace("{0}", str(number)))
            assert age is not None, pattern
            assert age.length.days // days == number
            assert age.sure <= 0.5


@pytest.mark.parametrize(
    ("text", "months"), [("4 bulan lalu", 4), ("sebulan lalu", 1), ("قبل شهرين", 2), ("三个月前", 3)]
)
def test_months_are_of_the_length_of_the_year(text: str, months: int) -> None:
    """The day is near, and its confidence is lower than that of weeks."""
    age = read_age(text)
    assert age is not None
    assert age.length.days == int(months * 365.2425 / 12)
    assert age.sure < 0.5
