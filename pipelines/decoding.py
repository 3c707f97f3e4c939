"""Bytes of a page to text: which encoding they really are in, whatever header and page say.

Order: byte order mark; UTF-16 without one; UTF-8 where the bytes are valid UTF-8, or all but; seven-bit codings with
escapes (ISO-2022, HZ); then what header and page declare, as far as the bytes bear it out; then detection. Browsers
obey the header first (Encoding Standard; HTML 13.2.3). A corpus does better with the evidence of the bytes: text in
another encoding is hardly ever valid UTF-8, and a page in windows-1251 is not Latin because its server says so of all.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

import regex

from pipelines import vietnamese_codecs, visual_hebrew, web_codecs
from pipelines.charset_detector import SAMPLE, TIE, best_of, likelihoods_of, rare_codecs
from pipelines.charsets import codec_of, name_of, stated_charset
from storage.bytes.unicode_encoding import BYTE_ORDER_MARKS, wide_codec
from storage.records import Decoded

_SEVEN_BIT = ("iso2022_jp_2", "iso2022_jp_2004", "iso2022_jp_ext", "iso2022_kr", "hz")
# A page is UTF-8 when it has this many good multi-byte characters for a bad one; legacy text has fewer than a third.
_GOOD_PER_BAD = 2
# Of so few that a word of it may be such by chance, more: a headline of Thai may.
_MANY, _FEW_PER_BAD = 50, 3
_ASCII, _HIGH = bytes(range(0x80)), bytes(range(0x80, 0x100))
# In windows-1252, its letters among them left out.
_SIGNS = bytes(byte for byte in range(0x80, 0xC0) if not bytes([byte]).decode("cp1252", "replace").isalpha())
# With fewer bytes beyond ASCII than this the detector guesses; a label under which the text looks sound is better.
_ENOUGH_EVIDENCE = 8
# So many different ones are to be among them.
_ENOUGH_LETTERS = 4
# Of three letters, as Slovene has (č š ž), more of them say as much.
_MANY_OF_THREE = 24
# A declared charset stands when the detector finds it at least this likely, relative to the likeliest.
_BEARABLE = 0.7
# Under this it knows no language that fits, as Albanian, and the likeliest says little.
_KNOWN, _BEARABLE_UNKNOWN = 0.13, 0.5
# Of likely readings the first stands that is no more than this less sound than the soundest.
_SOUNDNESS_MARGIN = 0.02
# A reading this sound is good; of a poorer one another may take the place that is so much sounder.
_SOUND = 0.99
_MUCH_SOUNDER = 0.012
_FALLBACK, _OF_CHINA = "cp1252", "gb18030"
_TURKISH = "cp1254"
_OF_1254, _FEW_OF_1254 = re.compile("[ÐÝÞðýþ]".encode("cp1252")), 3
_NOT_OF_CZECH = re.compile("[ÐÞðþ]".encode("cp1252"))
_ICELANDIC = re.compile("[ÁÍÓÚÆáíóúæ]".encode("cp1252"))
_AS_IN_TURKISH = re.compile("[Ýý]|(?<=[A-Za-zÀ-ÿ])[Þþ]".encode("cp1252"))
_AS_IN_ICELANDIC = re.compile("(?<![A-Za-zÀ-ÿ])[Þþ]|[Ðð](?![A-Za-zÀ-ÿ])".encode("cp1252"))
_STATED = frozenset({"header", "meta"})
# Bytes beyond ASCII that do not speak against a charset of seven bits.
_STRAY = 2
_TEXT_RUN = re.compile(rb"[^<>]+")
# Controls of Latin-1 in UTF-8, and characters of Latin-1 that are the bytes of one in UTF-8.
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_SIGNS_OF_1252 = {sign: chr(byte) for byte in range(0x80, 0xA0) if (sign := bytes([byte]).decode("cp1252", "ignore"))}
_NEXT = f"[\x80-\xbf{''.join(_SIGNS_OF_1252)}]"
_SEQUENCE = re.compile(f"[\xc2-\xdf]{_NEXT}|[\xe0-\xef]{_NEXT}{{2}}|[\xf0-\xf4]{_NEXT}{{3}}")
_LATIN_1 = str.maketrans(_SIGNS_OF_1252)
_UPPER_HALF = re.compile("[\x80-\xff]")
# Of CESU-8, a character as two surrogates; and what is in the form of UTF-8 and forbidden: too long, half a character.
_PAIR = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_FORBIDDEN = re.compile(
    rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f][\x80-\xbf]|\xed[\xa0-\xbf][\x80-\xbf]|\xf0[\x80-\x8f][\x80-\xbf]{2}"
)
# Of GB18030, letters that Chinese has none of; in no other coding do figures part bytes beyond ASCII for long.
_FOUR_BYTES = re.compile(rb"[\x81-\xfe][0-9][\x81-\xfe][0-9]")
# Controls of Latin-1 from which on a page may have been encoded twice, and the share of what is beyond ASCII that would
# then be sequences of UTF-8.
_TWICE = 10
_MOSTLY = 0.8
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
# What only wrong readings show: controls and unassigned characters, symbols and capitals inside words, letters of two
# alphabets side by side, marks on nothing, long chains of accented letters, half-width katakana in a row.
_UNSOUND = regex.compile(
    r"""
      [\x80-\x9f\ufffd\p{Co}\p{Cn}]
    | (?<=\p{L})[\xa1-\xa8\xac\xae-\xb1\xb4\xb6\xb8\xbf\xd7\xf7†‡•…‰€ƒ„‚‹›\u02c6\u02dc\p{So}\p{No}]+(?=\p{L})
    | \p{Latin}(?=[\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{Thai}])
    | [\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{Thai}](?=\p{Latin})
    | \p{Ll}(?=[\p{Lu}--[A-Z]]) | [\p{Ll}--[a-z]](?=\p{Lu})
    | (?<![\p{L}\p{M}])\p{M} | ¶(?=\p{Greek})
    | [[\p{Latin}--[a-zA-Z]]]{4,}
    | [\uff61-\uff9f]{2,}
    """,
    regex.VERBOSE | regex.VERSION1,
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A way to read a page: the codec, who proposed it, and how sound the text looks, 0-1."""

    codec: str
    source: str
    soundness: float


def decode(body: bytes, declared: str | None = None) -> Decoded:
    """Decode a page, feed or sitemap.

    Args:
        body: the bytes, content codings undone.
        declared: the charset label of the Content-Type header, as written, if it has one.

    Returns:
        The text without its byte order mark, the name of the encoding (of the Encoding Standard where it has one), who
        told it, and the share of characters that are U+FFFD, so that a caller can refuse what is not text.
    """
    header = codec_of(declared) if declared else None
    return _by_mark(body) or _wide(body, header) or _utf8(body, header) or _legacy(body, header)


def _decoded(body: bytes, codec: str, source: str) -> Decoded:
    legacy = codec in vietnamese_codecs.CODECS
    text = vietnamese_codecs.decode(body, codec) if legacy else web_codecs.read(body, codec)
    if codec in visual_hebrew.CODECS and visual_hebrew.is_visual(text):
        text = visual_hebrew.logical(text)
    return _read(text, codec, source)


def _read(text: str, codec: str, source: str) -> Decoded:
    return Decoded(text, name_of(codec), source, text.count("\ufffd") / len(text) if text else 0.0)


def _by_mark(body: bytes) -> Decoded | None:
    for mark, codec in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            at = len(mark)
            while body.startswith(mark, at):  # of files that were put together
                at += len(mark)
            rest = body[at:]
            if codec != "utf-8":
                return _decoded(rest, codec, "bom")
            text = _utf8_text(rest)
            return None if text is None else _read(text, codec, "bom")
    return None


def _wide(body: bytes, header: str | None) -> Decoded | None:
    codec = wide_codec(body)
    if codec is None:
        return None
    return _decoded(body, codec, "header" if codec == header else "detected")


def _utf8(body: bytes, header: str | None) -> Decoded | None:
    if (codec := _seven_bit_codec(body, header)) is not None:
        return _decoded(body, codec, "header" if codec == header else "detected")
    text = _utf8_text(body)
    if text is None:
        return None
    decoded = _read(text, "utf-8", "utf-8")
    return replace(decoded, text=_encoded_once(text)) if _may_be_encoded_twice(body) else decoded


def _may_be_encoded_twice(body: bytes) -> bool:
    """Tell whether a page holds controls that only UTF-8 taken for Latin-1, and encoded again, brings about."""
    return body.count(b"\xc2") >= _TWICE and len(_C1.findall(body)) >= _TWICE


def _encoded_once(text: str) -> str:
    """Undo the second of two encodings, of Latin-1 or windows-1252 (utf8_encode() of PHP); other text stays as it is.

    White space is collapsed soon, and half of these characters are: here is the last place to mend them.
    """
    whole = _SEQUENCE.findall(text)
    if sum(map(len, whole)) < _MOSTLY * len(_UPPER_HALF.findall(text)):
        return text
    return _SEQUENCE.sub(lambda found: found[0].translate(_LATIN_1).encode("latin-1").decode("utf-8", "replace"), text)


def _seven_bit_codec(body: bytes, header: str | None) -> str | None:
    """Return the codec of ASCII bytes that hold other letters behind escapes, or None for plain ASCII.

    A stray byte beyond ASCII does not speak against it.
    """
    if not any(mark[:1] in body and mark in body for mark in (b"\x1b$", b"~{")):
        # A single byte is found many times as fast as two.
        return None
    if not body.isascii() and len(body.translate(None, _ASCII)) > _STRAY:
        return None
    stated = codec_of(stated_charset(body) or "")
    for codec in (header, stated, best_of(body[: 2**18].translate(None, _HIGH), _SEVEN_BIT)):
        if codec and codec.startswith(("iso2022", "hz")) and _decodes(body, codec):
            return codec
    return None


def _decodes(body: bytes, codec: str) -> bool:
    text = body.decode(codec, "replace")
    broken = text.count("\ufffd")
    return len(_NON_ASCII.findall(text)) > _GOOD_PER_BAD * broken


def _utf8_text(body: bytes) -> str | None:
    """Read UTF-8, also with broken bytes in it: cut in the middle of a character, or with a scrap of something else.

    To read such a page as a legacy charset would turn all its good letters into nonsense without a trace. Databases and
    Java write CESU-8, in which emoji are pairs of surrogates.
    """
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        mended = _PAIR.sub(_joined, body)
        text = mended.decode("utf-8", "replace")
        good = len(text) - len(text.encode("ascii", "ignore")) - text.count("\ufffd")
        bad = _FORBIDDEN.sub(b"\xff", mended).decode("utf-8", "replace").count("\ufffd")
        least = bad * (_GOOD_PER_BAD if good >= _MANY else _FEW_PER_BAD)
        return text if good >= (1 if error.reason == "unexpected end of data" else least) else None


def _joined(pair: re.Match[bytes]) -> bytes:
    return pair[0].decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16").encode()


def _legacy(body: bytes, header: str | None) -> Decoded:
    body = body.removeprefix(codecs.BOM_UTF8)
    sample = _sample(body)
    stated = codec_of(stated_charset(body) or "")
    proposals = {codec: source for codec, source in ((stated, "meta"), (header, "header")) if codec}
    own = next((codec for codec in proposals if codec in vietnamese_codecs.CODECS), None)
    if _is_of_four_bytes(sample):
        return _decoded(body, _OF_CHINA, proposals.get(_OF_CHINA, "detected"))
    # Which nothing else here can read.
    proposals = {codec: source for codec, source in proposals.items() if codec not in vietnamese_codecs.CODECS}
    viet = vietnamese_codecs.recognise(sample, own)
    if viet:
        return _decoded(body, viet, "detected")
    if header != _FALLBACK:  # which servers say of all pages
        proposals = dict(reversed(proposals.items()))
    chosen = _choose(sample, proposals)
    if chosen.codec == _FALLBACK and _is_turkish(sample):
        return _decoded(body, _TURKISH, "detected")
    return _decoded(body, chosen.codec, chosen.source)


def _is_of_four_bytes(sample: bytes) -> bool:
    """Tell whether most of what is beyond ASCII are characters of four bytes: Uyghur, Tibetan, Mongolian."""
    found = len(_FOUR_BYTES.findall(sample))
    return found >= _ENOUGH_EVIDENCE and 4 * found >= len(sample.translate(None, _ASCII))


def _is_turkish(sample: bytes) -> bool:
    """Tell whether a sample has the letters in which windows-1254 differs from 1252 (ğ İ ı ş for ð Ý ý þ), and not as
    Icelandic and Faroese have them: with accents on other letters, þ where a word begins and ð where one ends. Names
    from Czech have ý alone.
    """
    if len(_OF_1254.findall(sample)) < _FEW_OF_1254 or not _NOT_OF_CZECH.search(sample) or _ICELANDIC.search(sample):
        return False
    return len(_AS_IN_TURKISH.findall(sample)) > len(_AS_IN_ICELANDIC.findall(sample))


def _sample(body: bytes) -> bytes:
    """Return the first stretches of text between tags that hold more than ASCII, 48 KiB at most.

    The detector is shown half of that and told so: a character cut at its end does not speak against a coding.
    """
    sample = bytearray()
    for run in _TEXT_RUN.finditer(body):
        if not run.group().isascii():
            sample += run.group()[:SAMPLE] + b"\n"
        if len(sample) > SAMPLE:
            break
    return bytes(sample)


def _choose(sample: bytes, proposals: dict[str, str]) -> _Reading:
    """Choose among the declared charsets and the detected one.

    Those the detector finds about as likely as the likeliest stay in (all, when there is little to go by); of these the
    soundest text wins, and where they are equally sound the header comes before the page, the page before the detector;
    before a detector that has only a few curly quotes to go by comes what most pages with these are in.
    """
    likelihoods = likelihoods_of(sample)
    telling = _is_telling(sample)
    if not telling and _is_ascii_with_signs(sample):
        proposals.setdefault(_FALLBACK, "detected")
    most = max(likelihoods.values(), default=0.0)
    if likelihoods.get(_FALLBACK, 0.0) >= _bearable(most) and _may_be_western(sample):
        proposals.setdefault(_FALLBACK, "detected")
    tie = most * TIE
    for codec in sorted(likelihoods, key=lambda codec: -likelihoods[codec]):
        if likelihoods[codec] >= tie and (telling or codec not in rare_codecs()):
            proposals.setdefault(codec, "detected")
    proposals.setdefault(_FALLBACK, "detected")
    found = {codec: _likelihood(sample, codec, likelihoods) for codec in proposals}
    bar = _bearable(max(found.values())) if telling else 0.0
    likely = [_reading(sample, codec, source) for codec, source in proposals.items() if found[codec] >= bar]
    sound = max(reading.soundness for reading in likely) - _SOUNDNESS_MARGIN
    chosen = next(reading for reading in likely if reading.soundness >= sound)
    return chosen if chosen.soundness >= _SOUND else _sounder(sample, chosen, likelihoods, proposals)


def _is_telling(sample: bytes) -> bool:
    """Tell whether there is enough beyond ASCII for a detector: bytes, and not the same two or three of them."""
    high = sample.translate(None, _ASCII)
    if len(high) >= _ENOUGH_EVIDENCE and len(set(high)) >= _ENOUGH_LETTERS:
        return True
    letters = high.translate(None, _SIGNS)
    return len(letters) >= _MANY_OF_THREE and len(set(letters)) >= _ENOUGH_LETTERS - 1


def _bearable(most: float) -> float:
    """Return how likely a charset must be to stand when it is declared, or as what undeclared pages are mostly in."""
    return most * (_BEARABLE if most >= _KNOWN else _BEARABLE_UNKNOWN)


def _may_be_western(sample: bytes) -> bool:
    """Tell whether a sample has enough letters to ask the detector how likely windows-1252 is, and none of those that
    hardly any language has in it, but Turkish, which is read as that.
    """
    enough = len(sample.translate(None, _ASCII)) >= _ENOUGH_EVIDENCE
    return enough and (not _NOT_OF_CZECH.search(sample) or _is_turkish(sample))


def _is_ascii_with_signs(sample: bytes) -> bool:
    """Tell whether a sample is ASCII but for signs (quotes, dashes, the euro) and a letter at most, as English is."""
    high = sample.translate(None, _ASCII)
    return len(high.translate(None, _SIGNS)) <= 1 and len(high) <= sum(sample.count(letter) for letter in b"aeiou")


def _sounder(sample: bytes, chosen: _Reading, likelihoods: dict[str, float], proposals: dict[str, str]) -> _Reading:
    """Return the soundest reading of all where the usual charsets make poor text: pages of old Macs.

    The poorer the text, the less the detector's word for it counts: it takes Thai without spaces for Latin letters.
    What header or page declare is asked whatever the detector says of it.
    """
    bar = max(likelihoods.values(), default=0.0) * chosen.soundness / 2
    codecs_left = [codec for codec, likely in likelihoods.items() if likely >= bar or proposals.get(codec) in _STATED]
    others = [_reading(sample, codec, proposals.get(codec, "detected")) for codec in codecs_left]
    best = max(others, key=lambda reading: reading.soundness, default=chosen)
    return best if best.soundness >= chosen.soundness + _MUCH_SOUNDER else chosen


def _likelihood(sample: bytes, codec: str, likelihoods: dict[str, float]) -> float:
    likelihood = likelihoods.get(codec, 0.0)
    if likelihood:
        return likelihood
    text = sample.decode(codec, "replace")
    if text.count("\ufffd") >= 0.05 * len(_NON_ASCII.findall(text)):
        return 0.0
    # Broken here and there, which rules it out for the detector: ask again about the part that decodes.
    return likelihoods_of(sample.decode(codec, "ignore").encode(codec, "ignore")).get(codec, 0.0)


def _reading(sample: bytes, codec: str, source: str) -> _Reading:
    text = web_codecs.read(sample, codec)
    unsound = sum(len(found.group()) for found in _UNSOUND.finditer(text))
    return _Reading(codec, source, 1 - unsound / max(len(_NON_ASCII.findall(text)), _ENOUGH_EVIDENCE))
