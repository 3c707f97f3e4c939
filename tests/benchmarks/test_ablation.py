"""The ablation writes its figures into the page of rules."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def test_figures_replace_the_tables_and_verdicts_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rule of each stage gets its figures, required ones none; reasons that people wrote stay."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    ablation: Any = importlib.import_module("ablation")
    page = "".join(
        f"# T: `{stage}` in x\n\n| rule | |\n|---|---|\n| {rules[0].name} | old | kept: a reason |\n\nafter {stage}\n"
        for stage, rules in ablation.STAGES.items()
    )
    figures = {
        f"{name}_{kind}{end}": value
        for kind in ("gold", "composed")
        for name, end, value in (("pages", "", 3), ("f1", "", 0.0001), ("f1", "_interval", [0, 0.0002]))
    }
    figures |= {"wrong_gold": 1.0, "wrong_gold_interval": [-1, 2], "kept": 1.5, "dropped": -0.5, "ms": 0.25}
    rows = [{"rule": rule.name, "does": rule.does, "verdict": "pays", **figures} for rule in ablation.RULES]
    written = ablation.written(page, rows)
    cells = "3: +1.0 [+0.0, +2.0] | 3: +1.0 [+0.0, +2.0] | +1.0 [-1.0, +2.0] | +1.5 / -0.5 | 0.250"
    for stage, rules in ablation.STAGES.items():
        first, *others = (rule for rule in rules if not rule.is_required)
        assert (
            f"| {first.name} | {first.does} | {cells} | {'kept: a reason' if first == rules[0] else 'pays'} |"
            in written
        )
        assert all(f"| {rule.name} | {rule.does} | {cells} | pays |" in written for rule in others)
        assert f"\n\nafter {stage}\n" in written
    assert "| model | chooses the blocks with the greatest expected F1 | – |" in written
    assert ablation.written(written, rows) == written
