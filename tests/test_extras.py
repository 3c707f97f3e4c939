"""Skips for want of an extra: each names it and its command, and `make test`, which installs them all, has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import extras

ROOT = Path(__file__).parents[1]


def test_the_extras_of_the_tests_are_those_of_the_makefile() -> None:
    """One that is added to the Makefile is added here."""
    [names] = re.findall(r"^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert sorted(extras.EXTRAS) == sorted(names.split())


def test_only_one_place_skips_for_want_of_a_package() -> None:
    """Elsewhere a skip would not name its extra, and `make test` would not notice that it is missing."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert [str(path) for path in files if "importorskip" in path.read_text("utf-8")] == []


def test_a_missing_extra_skips_with_its_name_and_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the packages that are absent."""
    monkeypatch.setattr(extras, "ALL_ARE_HERE", False)
    monkeypatch.setitem(extras.EXTRAS, "web", ("json", "no_such_package"))
    assert extras.missing("web") == "needs the extra `web` (no_such_package): make web"
    with pytest.raises(pytest.skip.Exception, match="make web"):
        extras.need("web")
    assert extras.needs("web").args == (True,)


def test_where_all_extras_are_installed_a_missing_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it cannot hide in the list of skipped tests."""
    monkeypatch.setattr(extras, "ALL_ARE_HERE", True)
    monkeypatch.setitem(extras.EXTRAS, "web", ("json", "no_such_package"))
    with pytest.raises(ImportError, match="make web"):
        extras.need("web")
