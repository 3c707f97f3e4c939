"""The commands of the program, for tests that look at all of them."""

from __future__ import annotations

import click


def verbs(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    """Return every verb, those of groups with the group's name before theirs."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found |= (
            verbs(command, f"{prefix}{name} ") if isinstance(command, click.Group) else {f"{prefix}{name}": command}
        )
    return found
