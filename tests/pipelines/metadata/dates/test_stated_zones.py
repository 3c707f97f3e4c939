"""Texts that may state a zone: the others are not read for their moment."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from pipelines.metadata.dates import clock
from pipelines.metadata.dates.clock import may_state_zone
from pipelines.metadata.dates.parser import read_date

NOW = datetime(2026, 11, 22, tzinfo=UTC)
ZONES = tomllib.loads(Path(clock.__file__).with_name("times_of_day.toml").read_text("utf-8"))["zones"]
NAMES = [name for names in ZONES.values() for name in "".join(names.splitlines()).split("|")]
DAYS = (
    "5 May 2024",
    "2024-05-05",
    "05/05/2024",
    "5.5.2024",
    "ngày 5/5/2024",
    "2024年5月5日",
    "۱۶ خرداد ۱۴۰۳",
    "5 มกราคม 2567",
)
CLOCKS = (
    "10:30",
    "10:30:15",
    "10h30",
    "10 giờ 30",
    "10:30 PM",
    "10.30 Uhr",
    "10時30分",
    "١٠:٣٠ مساء",
    "10：30",
    "10:30 น.",
)
OFFSETS = ("+07:00", "+0700", "-05:00", "\u221205:00", "GMT+7", "(GMT+7)", "UTC", "[UTC] -3", " GMT -3", "Z")


@pytest.mark.parametrize("clock", CLOCKS)
def test_each_moment_may_state_a_zone(clock: str) -> None:
    """With each day, before or behind it, and each zone, in Latin or other letters."""
    pairs = [*product(DAYS[:1], NAMES), *product(DAYS, OFFSETS)]
    lines = [line for day, zone in pairs for line in (f"{day} | {clock}{zone}", f"{clock} {zone} {day}")]
    found = ((line, read_date(line, NOW, "vi")) for line in lines)
    zoned = [line for line, date in found if date and date.local]
    assert zoned
    assert [line for line in zoned if not may_state_zone(line)] == []


@pytest.mark.parametrize("text", ["20240505T103000Z", "20240505T1030+0700", "1714876200", "1714876200000"])
def test_figures_for_programs_may_state_a_zone(text: str) -> None:
    """Seconds since 1970 are a moment."""
    assert read_date(text, NOW)
    assert may_state_zone(text)


@pytest.mark.parametrize(
    "text",
    [
        *("5 May 2024, 10:30", "Thứ hai, 05/05/2024 - 10:30", "5 мая 2024 в 10:30", "2024-05-05 10:30", "5. Mai 2024"),
        *(
            "10:30 | 05-05-2024",
            "2024年5月5日 10時30分",
            "5 marzo 2024, ore 10:30",
            "Posted 5 May 2024 at 10:30 pm by Zoë",
        ),
    ],
)
def test_a_time_without_a_zone_states_none(text: str) -> None:
    """As most newspapers show it."""
    assert not may_state_zone(text)
