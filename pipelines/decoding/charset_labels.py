"""Names of character encodings: labels on the web, Python's codecs, and the names that this program reports.

Labels follow the Encoding Standard of the WHATWG. A page that declares ``iso-8859-1`` means windows-1252, ``gb2312``
means gb18030, ``tis-620`` means windows-874. Labels of its *replacement* encodings that are safe to read as text (HZ,
ISO-2022-KR) are kept. UTF-7 and codecs that are no charsets are refused.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

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
_NAMES = {
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
    name = _NAMES.get(codec) or codec.replace("iso8859-", "iso-8859-").replace("iso2022_", "iso-2022-")
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
