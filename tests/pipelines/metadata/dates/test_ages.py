"""Ages ("3 hours ago") that pages show in the place of a date."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.metadata.dates.ages import age_of

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
        ("3 weeks ago", None),
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
    """No text is an age of more than a month, and none breaks the reading."""
    age = age_of(text)
    assert age is None or age <= 31 * DAY
