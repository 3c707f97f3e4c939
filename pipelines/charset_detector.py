"""What chardet finds of the bytes of a page: charsets that can read them, and how likely each is."""

from __future__ import annotations

import re
from functools import lru_cache

from pipelines.charsets import codec_of

SAMPLE = 24 * 2**10
"""Bytes that it is shown."""
TIE = 0.95
"""Charsets nearly as likely as the likeliest differ from it in few letters, such as windows-1250 and ISO 8859-2."""
# Charsets of DOS, old Macs and regions are rare on the web; the detector must find them clearly likelier.
_RARE = 0.7
_SURE = 0.5
_BETWEEN = re.compile(rb"[\t-/]")
_UP_TO_BETWEEN = re.compile(rb".*[\t-/]", re.DOTALL)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def likelihoods_of(sample: bytes) -> dict[str, float]:
    """Return codecs that can read the sample and how likely the detector finds each, 0-1.

    A stray byte rules out the right one for the detector, so it is asked about either half as well.
    """
    found = _detected(sample, len(sample) - 1)
    if not sample.isascii():
        halves = (sample, len(sample) // 2), (sample[_middle(sample) :], len(sample))
        for half, limit in halves:
            for codec, likelihood in _detected(half, limit).items():
                if codec not in found and _is_all_but_read(sample, codec):
                    found[codec] = likelihood * TIE
    return found


def _middle(sample: bytes) -> int:
    """Return the place nearest to the middle of a sample where a character begins in any coding: a byte so low is no
    part of another.
    """
    half = len(sample) // 2
    behind, before = _BETWEEN.search(sample, half), _UP_TO_BETWEEN.match(sample, 0, half)
    places = [found for found in (behind and behind.start(), before and before.end() - 1) if found is not None]
    return min(places, key=lambda place: abs(place - half), default=len(sample))


def _is_all_but_read(sample: bytes, codec: str) -> bool:
    text = sample.decode(codec, "replace")
    return text.count("\ufffd") <= max(1, len(_NON_ASCII.findall(text)) // 100)


def _detected(sample: bytes, limit: int) -> dict[str, float]:
    import chardet

    found: dict[str, float] = {}
    most = max(1, min(limit, SAMPLE))
    for row in chardet.detect_all(sample, ignore_threshold=True, compat_names=False, max_bytes=most):
        name = row["encoding"]
        codec = codec_of(name) if name else None
        if codec:
            found[codec] = max(found.get(codec, 0.0), row["confidence"] * (_RARE if name in _rare() else 1))
    return found


@lru_cache(maxsize=1)
def _rare() -> frozenset[str]:
    from chardet.registry import REGISTRY

    return frozenset(REGISTRY) - _usual()


@lru_cache(maxsize=1)
def _usual() -> frozenset[str]:
    from chardet import EncodingEra
    from chardet.registry import REGISTRY

    web = EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO
    return frozenset(name for name, info in REGISTRY.items() if info.era & web)


@lru_cache(maxsize=1)
def rare_codecs() -> frozenset[str]:
    """Return the codecs that hardly any page of the web is in."""
    codecs_known = {codec for name in _usual() if (codec := codec_of(name))}
    return frozenset(codec for name in _rare() if (codec := codec_of(name))) - codecs_known


def best_of(data: bytes, among: tuple[str, ...]) -> str | None:
    """Return which of some codecs data is in; None when the detector is not sure of any."""
    import chardet

    found = chardet.detect(data, compat_names=False, include_encodings=among, no_match_encoding=among[0])
    return found["encoding"] if found["confidence"] >= _SURE else None
