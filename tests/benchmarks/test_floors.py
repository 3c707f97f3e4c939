"""Quality floors: a score may not fall below its floor, unless the floor is lowered on purpose."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.pin_floors import Floors, measured, pin, read, shortfalls
from corpus_spider.lab import PageScore, Report, Score, digest, evaluate_extractors, load_gold
from storage.errors import ConfigError, DiskError

FLOORS = Path(__file__).with_name("quality_floor.json")


def test_no_language_is_read_worse_than_before() -> None:
    """Mean F1 of every pinned extractor and language on the gold folder is its floor at least.

    Floors are raised by `python benchmarks/pin_floors.py GOLD tests/benchmarks/quality_floor.json`.
    """
    folder = os.environ.get("CORPUS_SPIDER_GOLD")
    if not folder:
        pytest.skip("CORPUS_SPIDER_GOLD names no folder of real pages")
    floors, pages = read(FLOORS), load_gold(Path(folder))
    if digest(pages) != floors.gold:
        pytest.skip("CORPUS_SPIDER_GOLD names other pages than those the floors are of")
    reports = evaluate_extractors(pages, list(floors.f1))
    assert shortfalls(floors, measured(floors.gold, reports)) == []


def test_floors_are_there_for_the_default_in_every_language() -> None:
    """The file is whole: a digest and shares, ``all`` and more."""
    floors = read(FLOORS)
    assert len(floors.gold) == 64
    assert {"all", "ar", "en", "fa", "th", "vi", "zh"} <= set(floors.f1["auto"])
    assert all(0 < least <= 1 for least in floors.f1["auto"].values())


def reached(**f1: float) -> Floors:
    """What an extractor has in these languages, a page each."""
    scores = tuple(
        PageScore(language, language, None, "auto", Score(value, value, value)) for language, value in f1.items()
    )
    return measured("digest", [Report("auto", scores)])


def test_floors_are_cut_to_three_digits() -> None:
    """So that the last digits of a mean, which differ between machines, do not matter."""
    assert reached(en=0.98765, fa=1.0).f1 == {"auto": {"all": 0.993, "en": 0.987, "fa": 1.0}}
    assert reached(en=0.29).f1["auto"]["en"] == 0.29


def test_floors_are_written_and_read(tmp_path: Path) -> None:
    """Keys are sorted, so that a change shows as a change."""
    path = tmp_path / "floors.json"
    written = pin(path, reached(vi=0.8, en=0.9), allow_lower=False)
    assert read(path) == written
    assert list(json.loads(path.read_text())["f1"]["auto"]) == ["all", "en", "vi"]


def test_a_floor_is_raised_freely_and_lowered_on_purpose_only(tmp_path: Path) -> None:
    """The error names what would be lower and how to mean it; the file stays as it is."""
    path = tmp_path / "floors.json"
    pin(path, reached(en=0.9, fa=0.5), allow_lower=False)
    pin(path, reached(en=0.95, fa=0.5), allow_lower=False)
    with pytest.raises(ConfigError, match=r"auto, fa: 0.400, the floor is 0.500") as caught:
        pin(path, reached(en=1.0, fa=0.4), allow_lower=False)
    assert "--allow-lower" in caught.value.do
    assert read(path).f1["auto"]["fa"] == 0.5
    pin(path, reached(en=1.0, fa=0.4), allow_lower=True)
    assert read(path).f1["auto"]["fa"] == 0.4


def test_a_floor_does_not_get_lost(tmp_path: Path) -> None:
    """A language or an extractor that is no longer measured is one too, unless the pages are the same."""
    path = tmp_path / "floors.json"
    before = Floors("digest", {"auto": {"all": 0.5}, "bte": {"all": 0.4}})
    pin(path, before, allow_lower=False)
    assert pin(path, Floors("digest", {"auto": {"all": 0.6}}), allow_lower=False).f1["bte"] == {"all": 0.4}
    with pytest.raises(ConfigError, match="bte, all: not measured"):
        pin(path, Floors("other", {"auto": {"all": 0.6}}), allow_lower=False)
    assert pin(path, Floors("other", {"auto": {"all": 0.6}}), allow_lower=True).f1 == {"auto": {"all": 0.6}}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"gold": 1}', '{"gold": "x", "f1": {"auto": 3}}', "[" * 100_000])
def test_a_file_that_holds_no_floors_is_not_overwritten(tmp_path: Path, text: str) -> None:
    """It may be anything; the user is told."""
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(ConfigError, match="is not a file of floors"):
        pin(path, reached(en=1.0), allow_lower=True)
    assert path.read_text() == text


def test_what_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """A folder that is not there is a disk error, not an internal one."""
    with pytest.raises(DiskError, match="cannot be written"):
        pin(tmp_path / "gone" / "floors.json", reached(en=1.0), allow_lower=False)
    with pytest.raises(ConfigError, match="cannot be read"):
        read(tmp_path / "gone")


def test_the_digest_is_of_pages_and_true_texts(tmp_path: Path) -> None:
    """It stays when the manifest is written in another order, and changes with a text, a page or an id."""

    def written(*entries: tuple[str, str, str]) -> str:
        for name, html, truth in entries:
            for folder, suffix, text in (("pages", "html", html), ("gold", "txt", truth)):
                (tmp_path / folder).mkdir(exist_ok=True)
                (tmp_path / folder / f"{name}.{suffix}").write_text(text)
        lines = [json.dumps({"id": name, "lang": "en"}) for name, *_ in entries]
        (tmp_path / "manifest.jsonl").write_text("\n".join(lines))
        return digest(load_gold(tmp_path))

    one, two = ("a", "<p>a", "a"), ("b", "<p>b", "b")
    first = written(one, two)
    assert written(two, one) == first
    others = [
        written(one),
        written(one, ("b", "<p>c", "b")),
        written(one, ("b", "<p>b", "c")),
        written(one, ("c", *two[1:])),
    ]
    assert len({first, *others}) == 5
