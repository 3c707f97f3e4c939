"""A rule: a row of the ordered table of its stage, and the loop that applies a table.

The tables are `BLOCKS` and `LINES` in ``auto.rule_tables``, `SECOND_READINGS` in ``auto.extractor`` and `TIDYING` in
``pipelines.page.postprocess``. ``docs/explanation/extractor-rules.md`` has a row for each rule.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Rule(Generic[State]):
    """A step of a stage. It gets what the steps before it made of the page, and returns it changed."""

    name: str
    does: str
    """What it does, as in the documentation."""
    apply: Callable[[State], State]
    """Returns its argument itself if it has nothing to do."""
    is_required: bool = False
    """Whether the stage cannot do without it. Other rules can be switched off."""


Runner: TypeAlias = "Callable[[Rule[Any], Any], Any]"
"""Applies a rule to a state, or does not."""
_RUNNER: ContextVar[Runner | None] = ContextVar("runner of rules", default=None)


def apply_rules(rules: Iterable[Rule[State]], state: State) -> State:
    """Apply the rules of a stage in their order."""
    run = _RUNNER.get()
    for rule in rules:
        state = rule.apply(state) if run is None else run(rule, state)
    return state


@contextmanager
def rules_run_by(run: Runner) -> Iterator[None]:
    """Let a function apply each rule, to watch it or to leave it out. Only measurements and tests need this."""
    token = _RUNNER.set(run)
    try:
        yield
    finally:
        _RUNNER.reset(token)
