"""Time zone of a site, for times without one and for ages: configured, or assumed from its country or language.

Nothing is assumed for a country with several zones, nor for a language that is written in several. The territories of
zones are those of Unicode CLDR (Babel).
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

SITE, ASSUMED, STATED = "site", "assumed", "stated"
"""Where the zone of a date is from: the configuration, the country or language, or the page itself."""

# Where nearly all live in one zone, and the others are islands or unofficial.
_MAIN = {
    "CL": "America/Santiago",
    "CN": "Asia/Shanghai",
    "EC": "America/Guayaquil",
    "ES": "Europe/Madrid",
    "MN": "Asia/Ulaanbaatar",
    "NZ": "Pacific/Auckland",
    "PT": "Europe/Lisbon",
    "UA": "Europe/Kyiv",
}
_BY_LANGUAGE = {
    "fa": "IR",
    "gu": "IN",
    "he": "IL",
    "hi": "IN",
    "iw": "IL",
    "ja": "JP",
    "km": "KH",
    "kn": "IN",
    "ko": "KR",
    "lo": "LA",
    "ml": "IN",
    "mr": "IN",
    "my": "MM",
    "ne": "NP",
    "prs": "AF",
    "ps": "AF",
    "si": "LK",
    "ta": "IN",
    "te": "IN",
    "th": "TH",
    "ur": "PK",
    "vi": "VN",
}
"""Languages whose newspapers are nearly all in one country. A region in the language (fa-AF) names another."""
# Domains of countries that sites of all countries use.
_GENERIC = frozenset(
    {"ac", "ag", "ai", "am", "bz", "cc", "cf", "co", "fm", "ga", "gg", "gq", "im", "io", "la", "ly", "me", "ml", "ms"}
    | {"mu", "nu", "pw", "sc", "sh", "st", "su", "tk", "tl", "to", "tv", "vc", "vu", "ws"}
)
_TERRITORIES = {"uk": "GB"}
"""Domains that are not the code of their country."""


class SiteZone(NamedTuple):
    """A time zone, and where it is from: ``site`` or ``assumed``."""

    zone: ZoneInfo
    source: str


def site_zone(configured: str, host: str, language: str) -> SiteZone | None:
    """Return the zone of a site: the configured one (IANA name), else that of its country, else of its language.

    ``language`` is that of the page (BCP 47, "" unknown).

    >>> site_zone("Asia/Tehran", "paper.example.org", "fa"), site_zone("", "paper.example.ru", "ru")
    (SiteZone(zone=zoneinfo.ZoneInfo(key='Asia/Tehran'), source='site'), None)
    """
    if configured:
        return SiteZone(ZoneInfo(configured), SITE)
    domain = host.rpartition(".")[2].lower()
    territory = _TERRITORIES.get(domain, domain.upper())
    if domain not in _GENERIC and territory in _territory_zones():
        return _assumed(territory)
    own, _, rest = language.partition("-")
    region = rest.rpartition("-")[2].upper()
    by_language = _BY_LANGUAGE.get(own.lower())
    return _assumed(region if region in _territory_zones() else by_language) if by_language else None


@cache
def _assumed(territory: str) -> SiteZone | None:
    """Return the only zone of a territory. Zones with the same time in recent years are one."""
    if territory in _MAIN:
        return SiteZone(ZoneInfo(_MAIN[territory]), ASSUMED)
    zones = [ZoneInfo(name) for name in _territory_zones()[territory]]
    seasons = [datetime(year, month, 15, tzinfo=UTC) for year in (2020, 2026) for month in (1, 7)]
    times = {tuple(moment.astimezone(zone).utcoffset() for moment in seasons) for zone in zones}
    return SiteZone(zones[0], ASSUMED) if len(times) == 1 else None


@cache
def _territory_zones() -> dict[str, list[str]]:
    """Return the zones of each territory (ISO 3166)."""
    from babel.core import get_global

    return {code: list(names) for code, names in get_global("territory_zones").items() if len(code) == 2 and names}
