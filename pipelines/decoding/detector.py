"""Charset detection with chardet: the charsets that can read the bytes of a page, and their likelihood."""

from __future__ import annotations

import re
from functools import lru_cache

from pipelines.decoding.charset_labels import codec_of

SAMPLE = 24 * 2**10
"""Bytes. The detector reads no more, for speed."""
TIE = 0.95
"""Share of the highest likelihood. Charsets above it differ from the likeliest in few letters, as ISO 8859-2."""
# Factor on the likelihood of charsets of DOS, old Macs and regions, which are rare on the web.
_RARE = 0.7
# Confidence that `best_of` needs.
_SURE = 0.5
_BETWEEN = re.compile(rb"[\t-/]")
_UP_TO_BETWEEN = re.compile(rb".*[\t-/]", re.DOTALL)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def likelihoods_of(sample: bytes) -> dict[str, float]:
    """Return the codecs that can read the sample with their likelihood, 0-1.

    One stray byte excludes the right codec for the detector, so it also reads each half of the sample.
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
    """Return the place nearest to the middle of a sample where a character begins in every encoding.

    Bytes as low as tab to slash are never a part of another character.
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
    """Return the codecs that hardly any web page uses."""
    codecs_known = {codec for name in _usual() if (codec := codec_of(name))}
    return frozenset(codec for name in _rare() if (codec := codec_of(name))) - codecs_known


def best_of(data: bytes, among: tuple[str, ...]) -> str | None:
    """Return the codec of some that data is in, or None if the detector is not sure of any."""
    import chardet

    found = chardet.detect(data, compat_names=False, include_encodings=among, no_match_encoding=among[0])
    return found["encoding"] if found["confidence"] >= _SURE else None
