"""Lines that say by their words that they are none of the text: notices of advertisements, and what papers end with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from storage.records import ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Sequence

PROMPT = 200
"""Most characters of a line that asks to follow the paper."""
KEPT = 1
"""Lines of a text that are not taken for its end."""
_ADVERTISEMENTS = frozenset(
    (
        *("advertisement", "advertisements", "quảng cáo", "реклама", "werbung", "anzeige", "publicité", "publicidad"),
        *("publicidade", "pubblicità", "διαφήμιση", "iklan", "advertentie", "広告", "广告", "廣告", "광고", "विज्ञापन"),
        *("বিজ্ঞাপন", "โฆษณา", "ໂຄສະນາ", "ကြော်ငြာ", "إعلان", "اعلان", "إعلانات", "اعلانات", "تبلیغ", "تبلیغات", "آگهی"),
        *("اشتہار", "اشتہارات", "ڕیکلام", "פרסומת", "תוכן שיווקי"),
    )
)
_LONGEST = max(map(len, _ADVERTISEMENTS)) + 6
"""Most characters of a line that is one of these words and marks around it."""
_AROUND = " -–—:*•|.()[]【】<>«»▼↓"
_END = re.compile(r"[^\w]*(?:انتهای|پایان) (?:پیام|خبر)(?:\W.{0,20})?")
"""What Iranian agencies close a report with, and the number of who wrote it."""
_FOLLOW = re.compile(
    r"\A\W*(?:follow us\b|join our\b|(?:mời |hãy )?(?:theo dõi|tham gia)\b|(?:กด)?ติดตาม|עקבו אחרי|הצטרפו ל)"
    r"|\b(?:تابعونا|تابعنا|انضم(?:وا)? إلى (?:قناتنا|مجموعتنا)|ما را (?:در|از|روی)|دنبال کنید|بپیوندید|فالو کریں"
    r"|جوائن کریں|سبسکرائب کریں|شوێنمان|تعقیب کړئ)",
    re.IGNORECASE,
)
"""Imperatives; where other forms of the verb look the same, at the beginning of the line."""
_WHERE = re.compile(
    r"facebook|twitter|telegram|whats ?app|instagram|google news|zalo|tiktok|youtube|viber|فيس ?بوك|تويتر"
    r"|تل[يی]?[غج]رام|تيليجرام|واتس ?[اآ]ب|[أا]خبار جوجل|جوجل نيوز|[اإ]نستغرام|يوتيوب|تلگرام|اینستاگرام|فیس ?بو?ک"
    r"|توییتر|روبیکا|ایتا|ٹوئٹر|ٹویٹر|یوٹیوب|واٹس ?ایپ|טלגרם|פייסבוק|ווא?טסאפ|טוויטר|אינסטגרם|เฟซบุ๊ก|เฟสบุ๊ก|ไลน์|ทวิตเตอร์"
    r"|ยูทูบ|تێلیگرام|تێلێگرام|فەیسبو+ک|ټلیګرام|ټلګرام|فېسبوک|ټویټر",
    re.IGNORECASE,
)


def without(lines: Sequence[tuple[str, ParagraphKind]]) -> list[tuple[str, ParagraphKind]]:
    """Return the lines of a text, with their kinds, without notices of advertisements and without what follows its end.

    A heading of such a word is what is spoken of below it.

    >>> without([("- Quảng cáo -", ParagraphKind.PARAGRAPH), ("Nước sông lên.", ParagraphKind.PARAGRAPH)])
    [('Nước sông lên.', <ParagraphKind.PARAGRAPH: 'p'>)]
    """
    kept = [line for line in lines if len(line[0]) > _LONGEST or not is_notice(*line)]
    while len(kept) > KEPT and closes(kept[-1][0]):
        kept.pop()
    return kept


def is_notice(line: str, kind: ParagraphKind) -> bool:
    """Say whether a line has but a language's word for advertisements."""
    return kind is ParagraphKind.PARAGRAPH and line.strip(_AROUND).casefold() in _ADVERTISEMENTS


def closes(line: str) -> bool:
    """Say whether a last line is the agency's mark of the end, or asks to follow the paper somewhere."""
    if len(line) > PROMPT:
        return False
    return _END.fullmatch(line) is not None or (_FOLLOW.search(line) is not None and _WHERE.search(line) is not None)
