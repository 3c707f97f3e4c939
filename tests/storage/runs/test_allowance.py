"""Nightly allowance: what follows from the nights before."""

from __future__ import annotations

from functools import reduce

import pytest

from storage.runs.allowance import FIRST_NIGHT, MIN_EXTRA, Allowance


def after(nights: list[tuple[int, bool]]) -> Allowance:
    """Return the allowance after nights of (new texts, held)."""
    return reduce(lambda before, night: before.after(night[0], held=night[1]), nights, Allowance())


def test_an_endless_site_gives_less_than_a_thousand_texts_in_ten_nights() -> None:
    """Each night takes all that it may and is held. The last nights take the least."""
    allowance, total = Allowance(), 0
    for _ in range(10):
        total += allowance.texts
        allowance = allowance.after(allowance.texts, held=True)
    assert total < 1000
    assert allowance == Allowance(MIN_EXTRA, 0.0)


def test_a_site_that_is_quiet_every_second_night_gives_less_than_two_thousand() -> None:
    allowance, total = Allowance(), 0
    for night in range(10):
        total += 0 if night % 2 else allowance.texts
        allowance = allowance.after(0 if night % 2 else allowance.texts, held=not night % 2)
    assert total < 2000


@pytest.mark.parametrize(
    ("nights", "usual"),
    [
        ([(400, False)] * 30, 400),
        ([(400, False)] * 10 + [(900, True)] * 20, 400),
        ([(450, True)] * 5, 0),
        # A released backlog counts as twice the usual number at most.
        ([(400, False)] * 10 + [(20_000, False)], 400 + (2 * FIRST_NIGHT - 400) / 8),
        ([(20_000, False)], 2 * FIRST_NIGHT),
    ],
)
def test_the_usual_number_is_that_of_nights_without_a_hold(nights: list[tuple[int, bool]], usual: float) -> None:
    assert after(nights).usual == pytest.approx(usual)


def test_a_site_is_new_until_a_night_has_given_texts_or_was_held() -> None:
    assert Allowance().is_first
    assert after([(0, False)]).is_first
    assert not after([(10, False)]).is_first
    assert not after([(450, True)]).is_first
    assert not after([(450, True), *[(100, False)] * 30]).is_first


def test_the_allowance_grows_back_slowly() -> None:
    held = after([(400, False)] * 5 + [(900, True)] * 3)
    assert held.extra == FIRST_NIGHT // 8
    assert after([(400, False)] * 5 + [(900, True)] * 3 + [(400, False)] * 30).extra == FIRST_NIGHT
