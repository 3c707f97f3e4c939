"""Short lines beside the headline with the date of something else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.publication_date import parse_date
from pipelines.metadata.reader import read_metadata

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
PARAGRAPH = "<p>The council of the coastal town said that repairs to the harbour begin next week and end in spring.</p>"


def read(line: str, language: str) -> str | None:
    body = f"<main><article><h1>The bridge over the river</h1><p>{line}</p>{PARAGRAPH * 4}</article></main>"
    return read_metadata(f'<html lang="{language}"><body>{body}', "https://example.org/a", (), NOW).published


def confidence(line: str, language: str) -> float:
    body = f"<main><article><h1>The bridge over the river</h1><p>{line}</p>{PARAGRAPH * 4}</article></main>"
    found = read_metadata(f'<html lang="{language}"><body>{body}', "https://example.org/a", (), NOW)
    assert found.published is not None
    return found.published_confidence or 0.0


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Decree No. 45 of 5 May 2024", "en"),
        ("Deadline: 5 May 2024", "en"),
        ("Offer ends 5 May 2024", "en"),
        ("Nghị định số 45/2024/NĐ-CP ngày 5/5/2024", "vi"),
        ("Hạn đăng ký: 5/5/2024", "vi"),
        ("Ngày sinh: 05/05/1999", "vi"),
        ("المرسوم رقم 45 بتاريخ 5 مايو 2024", "ar"),
        ("آخر موعد للتقديم: 5 مايو 2024", "ar"),
        ("صالح حتى 5 مايو 2024", "ar"),
        ("مهلت ثبت نام: ۱۵ اردیبهشت ۱۴۰۳", "fa"),
        ("تاریخ پیدائش: 5 مئی 1999", "ur"),
        ("หมดเขต 5 พ.ค. 2567", "th"),
        ("พระราชกฤษฎีกา ลงวันที่ 5 สิงหาคม 2562", "th"),
        ("คำสั่งกระทรวงพาณิชย์ ลงวันที่ 5 สิงหาคม 2562", "th"),
        ("ระเบียบสำนักนายก ลงวันที่ ๕ ส.ค. ๒๕๖๒", "th"),
        ("آرڈیننس مجریہ 5 اگست 2019", "ur"),
        ("آرڈیننس نمبر 45 مجریہ 5 اگست 2019", "ur"),
        ("حکم مصدرہ 5 اگست 2019", "ur"),
        ("Decree published 5 May 2024", "en"),
        ("5.08.24 ألف دينار", "ar"),
        ("5.08.24 triệu đồng", "vi"),
        ("5.08.24 млн", "ru"),
        ("בתוקף עד 5 במאי 2024", "he"),
        ("Указ № 45 от 5 мая 2024", "ru"),
        ("Décret n° 45 du 5 mai 2024", "fr"),
        ("Válido hasta el 5 de mayo de 2024", "es"),
        ("Verordnung Nr. 45 vom 5. Mai 2024", "de"),
        ("Son başvuru tarihi: 5 Mayıs 2024", "tr"),
        ("Lahir 5 Mei 1999", "id"),
        ("截止日期：2024年5月5日", "zh"),
        ("締切：2024年5月5日", "ja"),
    ],
)
def test_the_date_of_something_else_is_not_that_of_the_page(line: str, language: str) -> None:
    """Laws, deadlines, births, deaths and terms have dates of their own."""
    assert read(line, language) is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("08/05/2024 2:05 PM EDT", "en", "2024-08-05T18:05:00Z"),
        ("08/05/2024 2:05 p.m. (PST)", "", "2024-08-05T22:05:00Z"),
        ("8/5/2024, 2 pm ET", "en-us", "2024-08-05"),
        ("8/5/2024 2:05 PM", "en", None),
        ("08/05/2024 2:05 PM EDT", "fr", "2024-05-08T18:05:00Z"),
        ("25/05/2024 2:05 PM EDT", "en", "2024-05-25T18:05:00Z"),
        ("5.08.24 um 14:30", "de", "2024-08-05"),
        ("05.08.24, Berlin", "de", "2024-08-05"),
        ("چهاردهم آبان‌ماه ۱۴۰۴", "fa", "2025-11-05"),
        ("بیست و سوم آبانماه ۱۴۰۴", "fa", "2025-11-14"),
        ("سی‌ام مهرماه ۱۴۰۴", "fa", "2025-10-22"),
    ],
)
def test_what_is_beside_figures_decides_them(text: str, language: str, expected: str | None) -> None:
    """A time of North America puts the month first; a word behind figures with points makes them an amount."""
    assert parse_date(text, NOW, language) == expected


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Hanoi, 5 May 2024", "en"),
        ("Law | 5 May 2024", "en"),
        ("Decrees | Published 5 May 2024", "en"),
        ("© Example | Published: 5 May 2024", "en"),
        ("05/05/2024 2:05 PM EDT", "en"),
        ('<time data-ts="1714901100000">5/5</time>', "vi"),
        ('<time data-ts="1714901100000">May 5</time>', "en"),
        ('<span class="date" data-unix="1714901100">5/5</span>', "fr"),
        ('<span class="time" data-publish-date="2024-05-05">hôm kia</span>', "vi"),
        ("شانزدهم اردیبهشت‌ماه ۱۴۰۳", "fa"),
        ("یکشنبه شانزدهم اردیبهشت ماه ۱۴۰۳", "fa"),
        ("Issue no. 45 | 5 May 2024", "en"),
        ("Hà Nội, ngày 5 tháng 5 năm 2024", "vi"),
        ("بتاريخ 5 مايو 2024", "ar"),
        ("شماره خبر: ۱۲۳۴۵ تاریخ: ۱۶ اردیبهشت ۱۴۰۳", "fa"),
        ("ลงวันที่ 5 พ.ค. 2567", "th"),
        ("Son güncelleme 5 Mayıs 2024", "tr"),
        ("Stand: 5. Mai 2024", "de"),
        ("Par Jean Dupont le 5 mai 2024", "fr"),
    ],
)
def test_a_dateline_with_other_words_is_read(line: str, language: str) -> None:
    """Places, names, subjects and the number of the issue are beside the date of publication."""
    assert (read(line, language) or "")[:10] == "2024-05-05"


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("ມະຕິ ລົງວັນທີ 5 ສິງຫາ 2019", "lo"),
        ("អនុក្រឹត្យ ចុះ ៥ ខែសីហា ឆ្នាំ ២០១៩", "km"),
        ("القرار الصادر في 5 أغسطس 2019", "ar"),
        ("فرمان صادره ۵ مرداد ۱۳۹۸", "fa"),
        ("Surat edaran tertanggal 5 Agustus 2019", "id"),
        ("Pekeliling bertarikh 5 Ogos 2019", "ms"),
        ("Циркуляр от 5 августа 2019", "ru"),
        ("Rundschreiben vom 5. August 2019", "de"),
        ("परिपत्र दिनांक 5 अगस्त 2019", "hi"),
        ("פקודה מיום 5 באוגוסט 2019", "he"),
        ("Thông tri ký ngày 5/8/2019", "vi"),
        ("Circular of 5 August 2019", "en"),
    ],
)
def test_a_date_in_a_phrase_is_not_sure(line: str, language: str) -> None:
    """Words that run into a date may name a document of that day. No list of their languages is needed."""
    assert confidence(line, language) < 0.5


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Hanoi, 5 May 2024", "en"),
        ("Sunday 5 May 2024", "en"),
        ("By Jane Roe 5 May 2024", "en"),
        ("Par Jean Dupont le 5 mai 2024", "fr"),
        ("الأحد 5 مايو 2024", "ar"),
        ("Ngày 5 tháng 5 năm 2024", "vi"),
        ("วันที่ 5 พฤษภาคม 2567", "th"),
        ("harbour council 5 May 2024 10:30", "en"),
    ],
)
def test_a_dateline_is_sure(line: str, language: str) -> None:
    """A sign, a name, a day of the week or a time of day is beside it."""
    assert confidence(line, language) > 0.7
