"""Credentials of object storage in the environment: what no log, message or report may contain."""

from __future__ import annotations

import os
import re

_OWNERS = re.compile(r"(AWS|AZURE|FSSPEC|GCS|GOOGLE|S3)_.*")
_SECRETS = re.compile(r".*(SECRET|PASSW|TOKEN|SAS|CONNECTION_STRING|_KEY$)")
MIN_SECRET_CHARS = 6
"""A shorter one would also be a part of ordinary words."""


def secrets() -> set[str]:
    """Return the values of the variables that hold a password, a key or a token."""
    held = {value for name, value in os.environ.items() if _OWNERS.match(name.upper()) and _SECRETS.match(name.upper())}
    return {value for value in held if len(value) >= MIN_SECRET_CHARS}


def masked(text: str) -> str:
    """Return a text with ``***`` in the place of each secret."""
    for secret in sorted(secrets(), key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
