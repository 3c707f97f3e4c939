"""Decode the bytes of a page to text.

Encodings are tried in this order:

1. the byte order mark;
2. UTF-16 and UTF-32 without a mark;
3. seven-bit encodings with escape sequences (ISO-2022, HZ);
4. UTF-8, if the bytes are valid or nearly valid;
5. the charset that the header or the page declares, if the bytes agree with it;
6. detection.

Browsers obey the header first (Encoding Standard; HTML 13.2.3). Here the bytes decide. Text in another encoding is
hardly ever valid UTF-8. Many servers send one charset label with all their pages.

Labels follow the Encoding Standard of the WHATWG. A page that declares ``iso-8859-1`` means windows-1252, ``gb2312``
means gb18030, ``tis-620`` means windows-874. Labels of its *replacement* encodings that are safe to read as text (HZ,
ISO-2022-KR) are kept. UTF-7 and codecs that are no charsets are refused. chardet detects the charsets that can read the
bytes of a page, and their likelihood.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import regex

from pipelines.decoding import vietnamese_codecs, visual_hebrew, web_codecs
from storage.bytes.unicode_encoding import BYTE_ORDER_MARKS, wide_codec
from storage.records import DecodedBody

_SEVEN_BIT = ("iso2022_jp_2", "iso2022_jp_2004", "iso2022_jp_ext", "iso2022_kr", "hz")
# Valid multi-byte characters of UTF-8 per invalid one. Text in a legacy charset has less than a third.
_GOOD_PER_BAD = 2
# Characters, and the ratio below that number. A headline in legacy Thai may contain a few valid sequences by chance.
_MIN_GOOD_LETTERS, _FEW_PER_BAD = 50, 3
_ASCII, _HIGH = bytes(range(0x80)), bytes(range(0x80, 0x100))
# Bytes 0x80 to 0xBF that are no letters in windows-1252.
_SIGNS = bytes(byte for byte in range(0x80, 0xC0) if not bytes([byte]).decode("cp1252", "replace").isalpha())
# Bytes beyond ASCII. With fewer the detector guesses, and a declared charset is the better choice.
_ENOUGH_EVIDENCE = 8
# Different bytes beyond ASCII that the evidence must contain.
_ENOUGH_LETTERS = 4
# Bytes beyond ASCII that are enough with one different byte less, because Slovene has three such letters (č š ž).
_MANY_OF_THREE = 24
# Share of the highest likelihood. A declared charset needs at least this.
_BEARABLE = 0.7
# The same share if the highest likelihood is below `_KNOWN`: the detector has no model of the language (Albanian).
_KNOWN, _BEARABLE_UNKNOWN = 0.13, 0.5
# Difference in soundness. The first of the likely readings within it of the soundest is chosen.
_SOUNDNESS_MARGIN = 0.02
# A reading this sound is accepted. A poorer one is replaced if another is sounder by `_MUCH_SOUNDER`.
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
# Bytes beyond ASCII that a page in a seven-bit charset may contain.
_STRAY = 2
# Charsets whose characters beyond ASCII are pairs. Shift_JIS is none: its Katakana are single bytes.
_OF_PAIRS = frozenset({_OF_CHINA, "cp949", "big5hkscs", "euc_jis_2004"})
# Ends of runs of bytes beyond ASCII, before a byte that never ends a pair. Text in another charset would be invalid at
# half of the different ones, so this number of them proves the charset.
_RUN_ENDS, _MIN_RUN_ENDS = re.compile(rb"[\x80-\xff]{1,8}[\0-/<>]"), 24
_TEXT_RUN = re.compile(rb"[^<>]+")
# The two bytes of a C1 control in UTF-8. Pairs of windows-1252 characters that are the bytes of a sequence follow.
_C1_LEAD, _C1_BYTES = b"\xc2", range(0x80, 0xA0)
_SIGNS_OF_1252 = {sign: chr(byte) for byte in range(0x80, 0xA0) if (sign := bytes([byte]).decode("cp1252", "ignore"))}
_NEXT = f"[\x80-\xbf{''.join(_SIGNS_OF_1252)}]"
_SEQUENCE = re.compile(f"[\xc2-\xdf]{_NEXT}|[\xe0-\xef]{_NEXT}{{2}}|[\xf0-\xf4]{_NEXT}{{3}}")
_LATIN_1 = str.maketrans(_SIGNS_OF_1252)
_UPPER_HALF = re.compile("[\x80-\xff]")
# CESU-8 writes a character as two surrogates. `_FORBIDDEN` are sequences that are too long or half a character.
_PAIR = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_FORBIDDEN = re.compile(
    rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f][\x80-\xbf]|\xed[\xa0-\xbf][\x80-\xbf]|\xf0[\x80-\x8f][\x80-\xbf]{2}"
)
# GB18030 in four bytes. In no other encoding do digits separate bytes beyond ASCII for long.
_FOUR_BYTES = re.compile(rb"[\x81-\xfe][0-9][\x81-\xfe][0-9]")
# C1 controls from which on a page may have been encoded twice, and the share of its characters beyond ASCII that must
# then form sequences of UTF-8.
_MIN_TWICE_CONTROLS = 10
_MIN_TWICE_SHARE = 0.8
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
# Signs of a wrong reading: controls and unassigned characters, symbols and capitals inside words, letters of two
# alphabets side by side, marks without a letter, long chains of accented letters, half-width katakana in a row.
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
class _CodecReading:
    """A way to read a page: its codec, the source that proposed it, and how sound the text looks, 0-1."""

    codec: str
    source: str
    soundness: float


def decode(body: bytes, declared: str | None = None) -> DecodedBody:
    """Decode a page, feed or sitemap.

    Args:
        body: the bytes, without content encodings.
        declared: the charset label of the Content-Type header, as written.

    Returns:
        The text without its byte order mark; the name of the encoding, from the Encoding Standard where it has one; the
        source of that name; the share of characters that are U+FFFD. A caller can refuse a page by that share.
    """
    header = codec_of(declared) if declared else None
    return _by_mark(body) or _wide(body, header) or _utf8(body, header) or _legacy(body, header)


def as_utf8(body: bytes, declared: str | None) -> bytes | None:
    """Return a page's bytes without its mark if `decode` reads them as UTF-8 and changes nothing; None for other pages.

    Whether the bytes are valid is not verified: that takes as long as to decode them. `decode` reads others otherwise.
    """
    if body.startswith(codecs.BOM_UTF8):
        return _without_marks(body, codecs.BOM_UTF8)
    header = codec_of(declared) if declared else None
    other = wide_codec(body) or _seven_bit_codec(body, header)
    return None if other or _is_encoded_twice(body) else body


def as_paired(body: bytes, declared: str | None) -> str | None:
    """Return the text of a page in a charset of byte pairs that header or page state; None for other pages.

    Each byte is valid in it, so the text is of East Asia, though perhaps in another of these charsets. To detect the
    charset takes ten times as long.
    """
    header = codec_of(declared) if declared else None
    stated = [codec for codec in (codec_of(stated_charset(body) or ""), header) if codec in _OF_PAIRS]
    if not stated or len(set(_RUN_ENDS.findall(body))) < _MIN_RUN_ENDS:
        return None
    # Two letters of Cyrillic or Hebrew in UTF-8 are two valid pairs.
    if _by_mark(body) or wide_codec(body) or _seven_bit_codec(body, header) or _utf8_text(body) is not None:
        return None
    for codec in stated:
        with suppress(UnicodeDecodeError):
            return body.decode(codec)
    return None


def _decoded(body: bytes, codec: str, source: str) -> DecodedBody:
    legacy = codec in vietnamese_codecs.CODECS
    text = vietnamese_codecs.decode(body, codec) if legacy else web_codecs.read(body, codec)
    if codec in visual_hebrew.CODECS and visual_hebrew.is_visual(text):
        text = visual_hebrew.logical(text)
    return _read(text, codec, source)


def _read(text: str, codec: str, source: str) -> DecodedBody:
    return DecodedBody(text, name_of(codec), source, text.count("\ufffd") / len(text) if text else 0.0)


def _by_mark(body: bytes) -> DecodedBody | None:
    for mark, codec in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            rest = _without_marks(body, mark)
            if codec != "utf-8":
                return _decoded(rest, codec, "bom")
            text = _utf8_text(rest)
            return None if text is None else _read(text, codec, "bom")
    return None


def _without_marks(body: bytes, mark: bytes) -> bytes:
    at = 0
    while body.startswith(mark, at):  # Concatenated files have several.
        at += len(mark)
    return body[at:]


def _wide(body: bytes, header: str | None) -> DecodedBody | None:
    codec = wide_codec(body)
    if codec is None:
        return None
    return _decoded(body, codec, "header" if codec == header else "detected")


def _utf8(body: bytes, header: str | None) -> DecodedBody | None:
    if (codec := _seven_bit_codec(body, header)) is not None:
        return _decoded(body, codec, "header" if codec == header else "detected")
    text = _utf8_text(body)
    if text is None:
        return None
    decoded = _read(text, "utf-8", "utf-8")
    return replace(decoded, text=_encoded_once(text)) if _is_encoded_twice(body) else decoded


def _is_encoded_twice(body: bytes) -> bool:
    """Return whether UTF-8 may have been taken for Latin-1 and encoded again: then it has C1 controls."""
    if body.count(_C1_LEAD) < _MIN_TWICE_CONTROLS:
        return False
    # To search for one byte is several times as fast as a regular expression.
    following = [part[0] for part in body.split(_C1_LEAD)[1:] if part]
    return sum(byte in _C1_BYTES for byte in following) >= _MIN_TWICE_CONTROLS


def _encoded_once(text: str) -> str:
    """Undo the second of two encodings, of Latin-1 or windows-1252 (``utf8_encode()`` of PHP).

    Text that was encoded once is returned unchanged. This must happen here: half of these characters are white space,
    which is collapsed later.
    """
    whole = _SEQUENCE.findall(text)
    if sum(map(len, whole)) < _MIN_TWICE_SHARE * len(_UPPER_HALF.findall(text)):
        return text
    return _SEQUENCE.sub(lambda found: found[0].translate(_LATIN_1).encode("latin-1").decode("utf-8", "replace"), text)


def _seven_bit_codec(body: bytes, header: str | None) -> str | None:
    """Return the codec of ASCII bytes with escape sequences, or None for plain ASCII.

    A few stray bytes beyond ASCII are allowed.
    """
    if not any(mark[:1] in body and mark in body for mark in (b"\x1b$", b"~{")):
        # The search for one byte is many times as fast as that for two.
        return None
    if not body.isascii() and len(body.translate(None, _ASCII)) > _STRAY:
        return None
    stated = codec_of(stated_charset(body) or "")
    for codec in (header, stated, _detected_seven_bit(body[: 2**18].translate(None, _HIGH))):
        if codec and codec.startswith(("iso2022", "hz")):
            text = body.decode(codec, "replace")
            if len(_NON_ASCII.findall(text)) > _GOOD_PER_BAD * text.count("\ufffd"):
                return codec
    return None


def _utf8_text(body: bytes) -> str | None:
    """Read UTF-8, or return None if the bytes are in another encoding.

    A few invalid bytes are allowed: the page may be cut inside a character or contain a fragment in another encoding.
    Read as a legacy charset, such a page would lose all its valid letters. Databases and Java write CESU-8, in which an
    emoji is a pair of surrogates.
    """
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        mended = _PAIR.sub(_joined, body)
        text = mended.decode("utf-8", "replace")
        good = len(text) - len(text.encode("ascii", "ignore")) - text.count("\ufffd")
        bad = _FORBIDDEN.sub(b"\xff", mended).decode("utf-8", "replace").count("\ufffd")
        least = bad * (_GOOD_PER_BAD if good >= _MIN_GOOD_LETTERS else _FEW_PER_BAD)
        return text if good >= (1 if error.reason == "unexpected end of data" else least) else None


def _joined(pair: re.Match[bytes]) -> bytes:
    return pair[0].decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16").encode()


def _legacy(body: bytes, header: str | None) -> DecodedBody:
    body = body.removeprefix(codecs.BOM_UTF8)
    sample = _sample(body)
    stated = codec_of(stated_charset(body) or "")
    proposals = {codec: source for codec, source in ((stated, "meta"), (header, "header")) if codec}
    own = next((codec for codec in proposals if codec in vietnamese_codecs.CODECS), None)
    if _is_of_four_bytes(sample):
        return _decoded(body, _OF_CHINA, proposals.get(_OF_CHINA, "detected"))
    # Python has no codec for the Vietnamese charsets.
    proposals = {codec: source for codec, source in proposals.items() if codec not in vietnamese_codecs.CODECS}
    viet = vietnamese_codecs.recognise(sample, own)
    if viet:
        return _decoded(body, viet, "detected")
    if header != _FALLBACK:  # Many servers declare that for all pages.
        proposals = dict(reversed(proposals.items()))
    chosen = _choose(sample, proposals)
    if chosen.codec == _FALLBACK and _is_turkish(sample):
        return _decoded(body, _TURKISH, "detected")
    return _decoded(body, chosen.codec, chosen.source)


def _is_of_four_bytes(sample: bytes) -> bool:
    """Return whether most bytes beyond ASCII form GB18030 characters of four bytes: Uyghur, Tibetan, Mongolian."""
    found = len(_FOUR_BYTES.findall(sample))
    return found >= _ENOUGH_EVIDENCE and 4 * found >= len(sample.translate(None, _ASCII))


def _is_turkish(sample: bytes) -> bool:
    """Return whether a sample in windows-1252 is Turkish in windows-1254, which has ğ İ ı ş for ð Ý ý þ.

    Icelandic and Faroese use these letters otherwise: with accents on other letters, þ at the start of a word and ð at
    its end. Czech names have ý only.
    """
    if len(_OF_1254.findall(sample)) < _FEW_OF_1254 or not _NOT_OF_CZECH.search(sample) or _ICELANDIC.search(sample):
        return False
    return len(_AS_IN_TURKISH.findall(sample)) > len(_AS_IN_ICELANDIC.findall(sample))


def _sample(body: bytes) -> bytes:
    """Return the first stretches of text between tags that contain more than ASCII, at most 48 KiB.

    The detector reads half of that. It is given more so that a character cut at the limit does not exclude an encoding.
    """
    sample = bytearray()
    for run in _TEXT_RUN.finditer(body):
        if not run.group().isascii():
            sample += run.group()[:SAMPLE] + b"\n"
        if len(sample) > SAMPLE:
            break
    return bytes(sample)


def _choose(sample: bytes, proposals: dict[str, str]) -> _CodecReading:
    """Choose among the declared charsets and the detected one.

    - Candidates are the charsets about as likely as the likeliest, or all of them if there is little evidence.
    - The soundest text wins.
    - If several are equally sound, the order is header, page, windows-1252 if the text has only a few signs beyond
      ASCII (most such pages are in it), detector.
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
    """Return whether the bytes beyond ASCII are enough, and different enough, for a detector."""
    high = sample.translate(None, _ASCII)
    if len(high) >= _ENOUGH_EVIDENCE and len(set(high)) >= _ENOUGH_LETTERS:
        return True
    letters = high.translate(None, _SIGNS)
    return len(letters) >= _MANY_OF_THREE and len(set(letters)) >= _ENOUGH_LETTERS - 1


def _bearable(most: float) -> float:
    """Return the likelihood that a declared charset, or windows-1252, needs, given the highest likelihood."""
    return most * (_BEARABLE if most >= _KNOWN else _BEARABLE_UNKNOWN)


def _may_be_western(sample: bytes) -> bool:
    """Return whether the detector can judge windows-1252 for this sample.

    There must be enough letters. Letters that hardly any other language has in it (ð þ) must not occur, except in
    Turkish, which is read as windows-1252 at first.
    """
    enough = len(sample.translate(None, _ASCII)) >= _ENOUGH_EVIDENCE
    return enough and (not _NOT_OF_CZECH.search(sample) or _is_turkish(sample))


def _is_ascii_with_signs(sample: bytes) -> bool:
    """Return whether a sample is ASCII except for signs (quotes, dashes, the euro) and at most one letter: English."""
    high = sample.translate(None, _ASCII)
    return len(high.translate(None, _SIGNS)) <= 1 and len(high) <= sum(sample.count(letter) for letter in b"aeiou")


def _sounder(
    sample: bytes, chosen: _CodecReading, likelihoods: dict[str, float], proposals: dict[str, str]
) -> _CodecReading:
    """Return the soundest of all readings if the usual charsets give poor text, as for pages of old Macs.

    The poorer the text, the less the detector counts: it takes Thai without spaces for Latin letters. The charsets that
    header and page declare are always candidates.
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
        # One broken byte excludes the codec for the detector, so ask again about the part that decodes.
    return likelihoods_of(sample.decode(codec, "ignore").encode(codec, "ignore")).get(codec, 0.0)


def _reading(sample: bytes, codec: str, source: str) -> _CodecReading:
    text = web_codecs.read(sample, codec)
    unsound = sum(len(found.group()) for found in _UNSOUND.finditer(text))
    return _CodecReading(codec, source, 1 - unsound / max(len(_NON_ASCII.findall(text)), _ENOUGH_EVIDENCE))


# Labels of charsets, and the names that this program reports.
# Python's codec of a label -> codec of the superset that browsers use in its place.
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "euc_jp": "euc_jis_2004",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
    "utf-8-sig": "utf-8",
}
# Labels of the Encoding Standard, and a few others from the web, that Python does not know or reads differently.
_LABELS = {
    "x-mac-arabic": "mac-arabic",
    "x-mac-farsi": "mac-farsi",
    "dos-720": "cp720",
    "x-windows-949": "cp949",
    "unicode-1-1-utf-8": "utf-8",
    "unicode11utf8": "utf-8",
    "unicode20utf8": "utf-8",
    "x-unicode20utf8": "utf-8",
    "utf-8-mb4": "utf-8",
    "utf8mb4": "utf-8",
    "unicode": "utf-16-le",
    "ucs-2": "utf-16-le",
    "csunicode": "utf-16-le",
    "iso-10646-ucs-2": "utf-16-le",
    "unicodefeff": "utf-16-le",
    "unicodefffe": "utf-16-be",
    "ansi_x3.4-1968": "cp1252",
    "ansi": "cp1252",
    "cp819": "cp1252",
    "csisolatin9": "iso8859-15",
    "iso-8859-6-e": "iso8859-6",
    "iso-8859-6-i": "iso8859-6",
    "csiso88596e": "iso8859-6",
    "csiso88596i": "iso8859-6",
    "asmo-708": "iso8859-6",
    "csgb2312": "gb18030",
    "csmacintosh": "mac-roman",
    "mac": "mac-roman",
    "sun_eu_greek": "iso8859-7",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-8-i": "iso8859-8",
    "csiso88598e": "iso8859-8",
    "csiso88598i": "iso8859-8",
    "logical": "iso8859-8",
    "visual": "iso8859-8",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "dos-866": "cp866",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-ukrainian": "mac-cyrillic",
    "chinese": "gb18030",
    "csiso58gb231280": "gb18030",
    "gb_2312": "gb18030",
    "gb_2312-80": "gb18030",
    "iso-ir-58": "gb18030",
    "x-gbk": "gb18030",
    "zh-cn": "gb18030",
    "cn-gb": "gb18030",
    "cn-big5": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "csbig5": "big5hkscs",
    "zh-tw": "big5hkscs",
    "cseuckr": "cp949",
    "csksc56011987": "cp949",
    "iso-ir-149": "cp949",
    "ks_c_5601-1989": "cp949",
    "ksc_5601": "cp949",
    "windows-949": "cp949",
    "x-euc-jp": "euc_jp",
    "cseucpkdfmtjapanese": "euc_jp",
    "ms932": "cp932",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "hz-gb-2312": "hz",
}
# Spellings of two large families: win1256, cp-1251, dos-874; iso885913, csiso8859_1.
_WINDOWS = re.compile(r"(?:windows|win|x-cp|cp|ms|dos)[-_ ]?(125[0-8]|874)")
_ISO = re.compile(r"(?:cs)?iso[-_ ]?8859[-_ ]?(1[0-6]|[1-9])")
_CODEC = re.compile(
    r"utf-(?:8|16-le|16-be|32-le|32-be)|gb18030|hz|big5hkscs|johab|euc_jp|(?:euc|shift)_jis\w+|iso2022_(?:kr|jp\w*)"
    r"|cp(?:125[0-8]|437|720|737|775|8[56]\d|874|932|949|1006|1125)|iso8859-\d+|koi8-[rut]|kz1048|ptcp154|mac-\w+"
)
_VIETNAMESE = (
    dict.fromkeys(("viscii", "csviscii", "viscii1.1-1", "x-viscii"), "viscii")
    | dict.fromkeys(("tcvn", "tcvn3", "tcvn-5712", "tcvn5712-1", "x-viet-tcvn", "x-viet-tcvn5712"), "tcvn3")
    | dict.fromkeys(("vni", "x-viet-vni"), "vni")
)
"""Charsets that `pipelines.decoding.vietnamese_codecs` reads."""
_REPORTED = {
    "big5hkscs": "big5",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "cp866": "ibm866",
    "cp874": "windows-874",
    "euc_jis_2004": "euc-jp",
    "shift_jis_2004": "shift_jis",
    "iso2022_jp_2": "iso-2022-jp",
    "iso2022_jp_2004": "iso-2022-jp",
    "iso2022_jp_ext": "iso-2022-jp",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
}
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"""<\s*meta[\s/]+((?:[^<>"']|"[^"]*"|'[^']*')*)>?""", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"""\A\s*<\?xml\s[^<>]*?encoding\s*=\s*["']\s*([^"'<>\s]+)""", re.IGNORECASE)
_META_CHARSET = re.compile(r"""(?:^|\s|["'/;])charset\s*=\s*["']?\s*([^\s"';,>/]+)""", re.IGNORECASE)
PRESCAN = 4096
"""Bytes. A charset is declared within them, for a page 1,024 by the standard."""


@lru_cache(maxsize=512)
def codec_of(label: str) -> str | None:
    """Return the codec that reads pages with this label, or None if the label names no known charset.

    The codec is one of Python's, or of `pipelines.decoding.vietnamese_codecs`.
    >>> codec_of("ISO-8859-1"), codec_of("tis-620"), codec_of("x-user-defined")
    ('cp1252', 'cp874', None)
    """
    cleaned = label.strip().strip("\"'").lower()
    if cleaned in _VIETNAMESE:
        return _VIETNAMESE[cleaned]
    family = None
    if found := _WINDOWS.fullmatch(cleaned):
        family = f"cp{found.group(1)}"
    elif found := _ISO.fullmatch(cleaned):
        family = f"iso8859-{found.group(1)}"
    known = _LABELS.get(cleaned) or _LABELS.get(cleaned.replace("_", "-")) or family or cleaned
    try:
        name = codecs.lookup(known).name
    except (LookupError, ValueError):
        return None
    name = _SUPERSETS.get(name, name)
    return name if _CODEC.fullmatch(name) else None


def name_of(codec: str) -> str:
    """Return the name that this program reports for a codec: from the Encoding Standard where it has one.

    >>> name_of("cp1256"), name_of("iso8859-6"), name_of("gb18030")
    ('windows-1256', 'iso-8859-6', 'gb18030')
    """
    if codec.startswith("cp125"):
        return codec.replace("cp", "windows-")
    name = _REPORTED.get(codec) or codec.replace("iso8859-", "iso-8859-").replace("iso2022_", "iso-2022-")
    return re.sub(r"^(utf-\d\d)-([lb]e)$", r"\1\2", name)


def stated_charset(body: bytes) -> str | None:
    """Return the charset label that a page or feed declares: XML declaration, or a meta element.

    The first 4,096 bytes are scanned without comments. ``http-equiv`` may be missing, as on many pages. Labels of
    unknown charsets do not count, and labels of UTF-16, because the declaration could not have been read then.
    """
    head = _COMMENT.sub(b"", body[:PRESCAN])
    for found in (_XML_DECLARATION.match(head), *_META.finditer(head)):
        if not found:
            continue
        label = found.group(1).decode("latin-1")
        if found.re is not _XML_DECLARATION:
            stated = _META_CHARSET.search(label)
            label = stated.group(1) if stated else ""
        codec = codec_of(label) if label else None
        if codec and not codec.startswith(("utf-16", "utf-32")):
            return label
    return None


# Detection.
SAMPLE = 24 * 2**10
"""Bytes. The detector reads no more, for speed."""
TIE = 0.95
"""Share of the highest likelihood. Charsets above it differ from the likeliest in few letters, as ISO 8859-2."""
# Factor on the likelihood of charsets of DOS, old Macs and regions, which are rare on the web.
_RARE_FACTOR = 0.7
# Least confidence in a codec of seven bits.
_SURE_CONFIDENCE = 0.5
_BETWEEN = re.compile(rb"[\t-/]")
_UP_TO_BETWEEN = re.compile(rb".*[\t-/]", re.DOTALL)


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
            found[codec] = max(found.get(codec, 0.0), row["confidence"] * (_RARE_FACTOR if name in _rare() else 1))
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


def _detected_seven_bit(data: bytes) -> str | None:
    """Return the codec of seven bits that data is in, or None if the detector is not sure of any."""
    import chardet

    found = chardet.detect(data, compat_names=False, include_encodings=_SEVEN_BIT, no_match_encoding=_SEVEN_BIT[0])
    return found["encoding"] if found["confidence"] >= _SURE_CONFIDENCE else None
