"""Pages with sections, authors and titles in several scripts, and what selects them."""

from __future__ import annotations

from typing import Any

PAGES: dict[str, dict[str, Any]] = {
    "thoi-su/1": {"title": "Bầu cử: Quốc hội họp", "authors": ("Nguyễn Văn Hoà", "Lê Thị B")},
    "thoi-su/2": {"title": "Bàu cua ngày Tết", "authors": ("Lê Thị B",)},
    "2026/11/%D8%B3%DB%8C%D8%A7%D8%B3%D8%AA/3": {"title": "انتخابات ١٤٠٣ در ایران", "authors": ("علي رضايي",)},
    "4": {"title": "ข่าวการเลือกตั้งวันนี้", "author": "PGS.TS. Nguyễn Văn Hòa"},
    "sport/5": {"title": None},
}
"""Metadata by path. The text of a page is its path."""
CASES: list[tuple[dict[str, tuple[str, ...]], str]] = [
    ({"sections": ("thoi-su",)}, "12"),
    ({"sections": ("سیاست", "sport")}, "35"),
    ({"sections": ("11",)}, ""),
    ({"authors": ("nguyễn văn hòa",)}, "14"),
    ({"authors": ("Nguyễn",)}, "14"),
    ({"authors": ("van hoa",)}, "14"),
    ({"authors": ("Hoà Lê",)}, ""),
    ({"authors": ("Nguy",)}, ""),
    ({"authors": ("علی رضایی", "Lê Thị B")}, "123"),
    ({"title_words": ("bau",)}, "12"),
    ({"title_words": ("bầu",)}, "1"),
    ({"title_words": ("hop", "bau cu")}, "1"),
    ({"title_words": ("bau hop",)}, ""),
    ({"title_words": ("ba",)}, ""),
    ({"title_words": ("1403",)}, "3"),
    ({"title_words": ("إنتخابات",)}, "3"),
    ({"title_words": ("เลือกตั้ง",)}, "4"),
    ({"title_words": ("ตั้งเลือก",)}, ""),
    ({"sections": ("thoi-su",), "authors": ("Lê Thị B",), "title_words": ("Tết",)}, "2"),
]
"""Fields of a selection, and the last characters of the paths that it selects."""
