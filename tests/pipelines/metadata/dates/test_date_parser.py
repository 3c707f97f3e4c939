"""Date parser: dates as newspapers write them. Incomplete dates are not believed."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from convertdate import coptic, hebrew, islamic, persian
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.metadata.dates.calendars import to_gregorian
from pipelines.metadata.dates.months import fold, month_of
from pipelines.metadata.dates.parser import read_date
from pipelines.metadata.publication_date import parse_date

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 22, tzinfo=UTC)
TABLE = [
    line.split("\t")
    for line in Path(__file__).with_name("dates.tsv").read_text("utf-8").splitlines()
    if line[:1] != "#"
]
NOTHING = [
    line.split("\t")
    for line in Path(__file__).with_name("no_dates.tsv").read_text("utf-8").splitlines()
    if line[:1] != "#"
]


@pytest.mark.parametrize(("language", "calendar", "expected", "text"), TABLE, ids=lambda value: None)
def test_dates_of_newspapers_are_read(language: str, calendar: str, expected: str, text: str) -> None:
    """Dates in the style of newspapers of 80 languages, five calendars' names and seven scripts of digits are read."""
    found = read_date(text, LATER, language)
    assert found is not None
    assert (found.iso, found.calendar) == (expected, calendar)


@pytest.mark.parametrize(("language", "text"), NOTHING, ids=lambda value: None)
def test_what_newspapers_print_beside_dates_gives_nothing(language: str, text: str) -> None:
    """Ages, days without a year, numbers of licences, figures of either order, templates left empty say nothing."""
    assert parse_date(text, LATER, language) is None


def test_the_table_is_large_enough() -> None:
    """The table has more than 300 strings, and ten or more for each language the project is made for."""
    counts = {
        language: sum(row[0] == language for row in TABLE) for language in ("vi", "ar", "fa", "ur", "ps", "he", "th")
    }
    assert len(TABLE) > 400
    assert min(counts.values()) >= 10


@settings(max_examples=300, deadline=None)
@given(st.dates(date(1990, 1, 1), date(2030, 12, 31)))
def test_calendars_agree_with_a_second_library(day: date) -> None:
    """Solar Hijri conversions are those of convertdate; Islamic ones differ from its arithmetic calendar by a day or
    two at most.
    """
    assert to_gregorian("solar-hijri", *persian.from_gregorian(day.year, day.month, day.day)) == day
    ours = to_gregorian("islamic", *islamic.from_gregorian(day.year, day.month, min(day.day, 28)))
    assert ours is None or abs((ours - day.replace(day=min(day.day, 28))).days) <= 2


@pytest.mark.filterwarnings("ignore:month_days is deprecated")
@settings(max_examples=100, deadline=None)
@given(st.dates(date(1990, 1, 1), date(2030, 12, 31)))
def test_calendars_of_ethiopia_and_israel_agree_with_a_second_library(day: date) -> None:
    """Ethiopian conversions are those of convertdate's Coptic calendar, Hebrew ones its own."""
    year, month, number = coptic.from_gregorian(day.year, day.month, day.day)
    assert to_gregorian("ethiopian", year + 276, month, number) == day
    year, month, number = hebrew.from_gregorian(day.year, day.month, day.day)
    since_tishri = month + 7 if month < 7 else month - 6 + (month == 12 and not hebrew.leap(year))
    assert to_gregorian("hebrew", year, since_tishri, number) == day


@pytest.mark.parametrize(
    ("year", "expected"), [(2073, "2016-04-13"), (2077, "2020-04-13"), (2081, "2024-04-13"), (2082, "2025-04-14")]
)
def test_nepalese_years_begin_when_nepal_says(year: int, expected: str) -> None:
    """The table of Bikram Sambat has each year begin right behind the one before it, on the days known of some."""
    assert str(to_gregorian("bikram-sambat", year, 1, 1)) == expected
    last = [to_gregorian("bikram-sambat", year - 1, 12, day) for day in range(29, 33)]
    assert max(filter(None, last)) + timedelta(days=1) == to_gregorian("bikram-sambat", year, 1, 1)


def test_every_name_of_a_month_is_one_month() -> None:
    """In its language, no folded name stands for two months: a table that says otherwise would be read at random."""
    import tomllib

    stated = tomllib.loads((Path(fold.__code__.co_filename).with_name("months.toml")).read_text("utf-8"))
    for calendar, languages in [*stated.pop("own").items(), *stated.items()]:
        for language, names in languages.items():
            assert len(names) == (13 if calendar == "ethiopian" else 12)
            for number, spellings in enumerate(names, 1):
                for name in filter(None, spellings.split("|")):
                    month = month_of(fold(name), language)
                    assert month is not None
                    assert month[:2] == (calendar, number)


@pytest.mark.parametrize(
    ("text", "language", "expected", "confidence"),
    [
        ("05/06/2024", "vi", "2024-06-05", 0.85),
        ("05/06/2024", "en-gb", "2024-06-05", 0.85),
        ("25/06/2024", "en", "2024-06-25", 0.95),
        ("06/25/2024", "en", "2024-06-25", 0.9),
        ("05.06.2024", "de", "2024-06-05", 0.9),
        ("05-06-2024", "de", "2024-06-05", 0.8),
        ("05.06.24", "he", "2024-06-05", 0.6),
        ("24.06.05", "ko", "2024-06-05", 0.6),
        ("1447/01/15", "ar", "2025-07-10", 0.7),
        ("26 ጥቅምት 2017", "am", "2024-11-05", 0.9),
        ('י"ד בחשוון תשפ"ה', "he", "2024-11-15", 0.9),
        ("21. listopada 2025.", "hr", "2025-10-21", 0.95),
        ("21. listopada 2025.", "", "2025-11-21", 0.5),
        ("03/07/2017", "ja", "2017-07-03", 0.5),
        ("10 - 22 August 2012", "en", "2012-08-22", 0.5),
        ("с 10 по 22 августа 2012", "ru", "2012-08-22", 0.5),
        ("10:30 - 22 August 2012", "en", "2012-08-22", 0.95),
    ],
)
def test_confidence_is_lower_for_dates_that_the_language_decides(
    text: str, language: str, expected: str, confidence: float
) -> None:
    """Figures whose order the language decides, short years, calendars that follow the moon and names that are two
    months elsewhere are less sure.
    """
    found = read_date(text, NOW, language)
    assert found is not None
    assert (found.iso, found.confidence) == (expected, confidence)


@pytest.mark.parametrize(
    "text",
    [
        "tháng 11 năm 2026",
        "พฤศจิกายน 2569",
        "آبان ۱۴۰۵",
        "نوفمبر 2026",
        "3 giờ trước",
        "منذ 3 ساعات",
        "۳ ساعت پیش",
        "32 نوفمبر 2025",
        "30 فبراير 2024",
        "21 พ.ย. 2599",
        "30 اسفند 1402",
        "Copyright 2020 2026",
        "1 reply May 2024",
        "Điện thoại: 024 3736 1234",
    ],
)
def test_parts_of_dates_and_other_figures_give_nothing(text: str) -> None:
    """A month alone, an age, a day that does not exist and figures that are no date give nothing."""
    assert parse_date(text, LATER, "vi") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-13", "2024-05-13"),
        ("2024-05-13T10:20:30Z", "2024-05-13T10:20:30Z"),
        ("2024-05-13T10:20:30.123456Z", "2024-05-13T10:20:30Z"),
        ("2024-05-13T10:20:30+07:00", "2024-05-13T03:20:30Z"),
        ("2024-05-13T01:20:30+0700", "2024-05-12T18:20:30Z"),
        ("2024-05-13T10:20+07", "2024-05-13T03:20:00Z"),
        ("2024-05-13T22:20:30-05:00", "2024-05-14T03:20:30Z"),
        ("2024-05-13T00:00:00+07:00", "2024-05-13"),
        ("2024-05-13T10:20:30", "2024-05-13"),
        ("2024-05-13 10:20 PM GMT+7", "2024-05-13T15:20:00Z"),
        ("2024-05-13 12:20 am UTC", "2024-05-13T00:20:00Z"),
        ("2024/5/3", "2024-05-03"),
        ("2024.05.13", "2024-05-13"),
        ("20240513", "2024-05-13"),
        ("20240513T102030Z", "2024-05-13T10:20:30Z"),
        ("20240513102030", "2024-05-13"),
        ("1715595630", "2024-05-13T10:20:30Z"),
        ("1715595630000", "2024-05-13T10:20:30Z"),
        ("Mon, 13 May 2024 10:20:30 +0700", "2024-05-13T03:20:30Z"),
        ("Mon, 13 May 2024 10:20:30 GMT", "2024-05-13T10:20:30Z"),
        ("13 May 2024 10:20", "2024-05-13"),
        ("May 13, 2024", "2024-05-13"),
        ("Published on May 13th, 2024 at 10:20am", "2024-05-13"),
        ("13th of May 2024", "2024-05-13"),
        ("Thứ hai, 13/5/2024, 10:20 (GMT+7)", "2024-05-13T03:20:00Z"),
        ("05/05/2024", "2024-05-05"),
        ("05.06.2024", "2024-06-05"),
        ("2024年5月13日 10:20", "2024-05-13"),
        ("2024년 5월 13일", "2024-05-13"),
        ("٢٠٢٤-٠٥-١٣", "2024-05-13"),
        ("۲۰۲۴/۰۵/۱۳", "2024-05-13"),
        ("๒๐๒๔-๐๕-๑๓", "2024-05-13"),
        ("\u200f13-05-2024\u200f", "2024-05-13"),
        ("13/05/2567", "2024-05-13"),
        ("๑๓/๐๕/๒๕๖๗", "2024-05-13"),
        ("2567-05-13T10:20:30+07:00", "2024-05-13T03:20:30Z"),
        ("1403/02/24", "2024-05-13"),
        ("۱۴۰۳/۰۲/۲۴", "2024-05-13"),
        ("1399-12-30", "2021-03-20"),
    ],
)
def test_dates_are_read(text: str, expected: str) -> None:
    """A date stated in full is read in any format, script of digits and calendar that can be recognised."""
    assert parse_date(text, NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2024",
        "2024-05",
        "May 2024",
        "10:20",
        "05/06/2024",
        "0001-01-01T00:00:00",
        "1970-01-01T00:00:00Z",
        "1989-12-31",
        "2026-11-23",
        "2027-01-01",
        "9999999999",
        "2024-02-30",
        "2024-13-01",
        "2023-02-29",
        "32/01/2024",
        "1404-12-30",
        "1403-07-31",
        "2543-00-10",
        "4745678",
        "12024-05-13",
        "2024-05-135",
        "Mon, 32 May 2024 10:20:30 GMT",
    ],
)
def test_what_is_no_full_plausible_date_gives_nothing(text: str) -> None:
    """No gap is filled with a first day, no order of day and month guessed, no impossible or future day believed."""
    assert parse_date(text, NOW) is None


def test_two_days_of_clock_error_are_forgiven() -> None:
    """A date up to two days after the page was fetched is kept: clocks and zones differ."""
    assert parse_date("2026-11-22", NOW) == "2026-11-22"
    assert parse_date("2026-11-22T11:00:00Z", NOW) == "2026-11-22T11:00:00Z"
    assert parse_date("2026-11-22T13:00:00Z", NOW) is None


@settings(max_examples=300, deadline=None)
@given(st.dates(date(1990, 1, 1), date(2026, 11, 20)))
def test_buddhist_years_are_gregorian_years_moved(day: date) -> None:
    """The same day written with a Buddhist year is the same day."""
    if (day.month, day.day) != (2, 29):
        assert parse_date(f"{day.year + 543}-{day.month:02}-{day.day:02}", NOW) == day.isoformat()


def test_iranian_calendar_runs_without_gap() -> None:
    """Every Iranian day from 1369 on is the day after the one before it, and 1 Farvardin 1403 was 20 March 2024."""
    days = [
        found
        for year in range(1370, 1405)
        for month in range(1, 13)
        for day in range(1, 32)
        if (found := parse_date(f"{year}-{month:02}-{day:02}", NOW))
    ]
    read = [date.fromisoformat(found) for found in days]
    assert all(later - earlier == timedelta(days=1) for earlier, later in itertools.pairwise(read))
    assert (read[0], read[-1]) == (date(1991, 3, 21), date(2026, 3, 20))
    assert parse_date("1403-01-01", NOW) == "2024-03-20"


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(max_size=150), st.from_regex(r"[0-9٠-٩:/T +Z.,-]{0,40}"), st.text("0123456789/-: T+ZMay,")))
def test_any_text_is_safe(text: str) -> None:
    """Any text gives nothing or a plain ISO date, never an exception."""
    found = parse_date(text, NOW)
    assert found is None or re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?", found)


@pytest.mark.parametrize(("language", "expected"), [("hr", "2026-10-21"), ("pl", "2026-11-21"), ("", "2026-11-21")])
def test_a_name_of_two_months_is_read_in_the_language_of_the_page(language: str, expected: str) -> None:
    """Croatian listopad is October, Polish listopad November."""
    found = read_date("21. listopada 2026.", LATER, language)
    assert found is not None
    assert found.iso == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("09.10.2024", "en"),
        ("09-10-2024", "en-us"),
        ("5/6/2024 2:30:00 PM", "vi"),
        ("26 ጥቅምት 2017", "ti"),
        ('י"ד באדר תשפ"ד', "he"),
        ('ל"א בחשוון תשפ"ה', "he"),
        ("113年11月5日", "zh-cn"),
        ("ጳጉሜን 6 ቀን 2016", "am"),
    ],
)
def test_what_may_be_two_days_or_none_gives_nothing(text: str, language: str) -> None:
    """American order with any sign, .NET's American moments, months of two calendars, days a month does not have."""
    assert parse_date(text, LATER, language) is None


@pytest.mark.parametrize("sign", ["พ.ศ. ", "ค.ศ.", "ພ.ສ. ", "ຄ.ສ.", "ییلی ", "g. ", "წ. ", "del ", "ی ", "m "])
def test_what_stands_before_a_year_is_read_in_one_way(sign: str) -> None:
    """However often it is repeated: thirty times the sign of the Buddhist Era took minutes, one more twice as long."""
    assert read_date(f"3 march {sign * 100}", NOW) is None


@settings(max_examples=300, deadline=None)
@given(
    st.builds(
        "{:04}-{:02}-{:02}{}{}".format,
        st.sampled_from([1989, 1990, 2024, 2026, 2027, 2081, 1403, 1445, 2567]),
        st.integers(0, 13),
        st.integers(0, 32),
        st.sampled_from(["T10:30", " 23:59:59", "T00:00:00", "T24:00:00", "T10:30:00.125"]),
        st.sampled_from(["", "Z", " Z", "+07:00", "-0500", "+14:30", "+24:00"]),
    ),
    st.sampled_from(["", "vi", "fa", "ne", "th", "en-us", "ar", "am"]),
)
def test_a_date_of_programs_is_read_as_one_in_a_line(text: str, language: str) -> None:
    """A text in ISO 8601 takes a short way. Behind a sign it takes the way of all dates, to the same result."""
    alone, behind = read_date(text, NOW, language), read_date(f"• {text}", NOW, language)
    assert alone == (behind and behind._replace(original=text))
