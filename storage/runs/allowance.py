"""Nightly allowance of a site, from its own past: how many new texts one run takes before it holds the rest back.

What pages claim (dates, lists, sitemaps) costs the owner of a tarpit nothing. The past of a site cannot be claimed. The
numbers of a night are stored in the row of the run (`storage.runs.site_runs`), and the next run follows from that row.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST_NIGHT = 450
"""New texts of a site's first night, and later those beyond its usual number.

A paper of 400 articles a day needs 400. A tarpit gets at most 500 a night, with the pages on their way.
"""
MIN_EXTRA = 25
"""Texts beyond the usual number after many held nights: enough to see that a site has come to an end."""
RECOVERY = 25
"""Texts by which the allowance grows after a night that held nothing back. More would reward every second night."""
WEIGHT = 0.125
"""Weight of a night in the usual number: about a week counts."""
MAX_JUMP = 2.0
"""Ratio by which one night may raise the usual number, so that a released backlog does not become usual."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """``extra``: texts beyond the usual number. ``usual``: mean of new texts in nights that held nothing back."""

    extra: int = FIRST_NIGHT
    usual: float = 0.0

    @property
    def is_first(self) -> bool:
        """Whether the site has no past."""
        return self.extra == FIRST_NIGHT and not self.usual

    @property
    def texts(self) -> int:
        """New texts of a night that follow from the past alone."""
        return self.extra + round(self.usual)

    def after(self, texts: int, *, held: bool) -> Allowance:
        """Return the allowance after a night with so many new texts. ``held``: URLs of the site are suspended.

        A held night halves ``extra``, so an endless site gives less than 2 * `FIRST_NIGHT` texts and then `MIN_EXTRA` a
        night. It does not change the usual number, so a tarpit cannot teach it.
        """
        if held:
            return Allowance(max(self.extra // 2, MIN_EXTRA), self.usual)
        counted = min(float(texts), MAX_JUMP * max(self.usual, FIRST_NIGHT))
        usual = self.usual + WEIGHT * (counted - self.usual) if self.usual else counted
        return Allowance(min(self.extra + RECOVERY, FIRST_NIGHT), usual)
