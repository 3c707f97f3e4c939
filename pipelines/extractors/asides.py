"""Lines that say by their words that they are none of the text: prompts, and what papers end with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.extractors import prompts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.extractors.block_page import Page
    from pipelines.extractors.block_texts import Array
    from storage.records import ParagraphKind

PROMPT, TERMS = 200, 500
"""Most characters of a line that asks to follow the paper, and of one that says what its readers agree to."""
EDGE = 4
"""Lines at the head of a text, and at its end, among which figures about the page may stand."""
MOST = 3
"""Most lines of a text that ask for something."""
KEPT = 1
"""Lines of a text that are not taken for its end."""
_END = re.compile(r"[^\w]*(?:انتهای|پایان) (?:پیام|خبر)(?:\W.{0,20})?")
"""What Iranian agencies close a report with, and the number of who wrote it."""
_FOLLOW = re.compile(
    r"\A\W*(?:(?:follow|like|join|find) us\b|(?:join|follow|subscribe to) our\b|get it on\b|download (?:our|the)\b"
    r"|(?:mời |hãy )?(?:bạn đọc )?(?:theo dõi|tham gia)\b"
    r"(?=.{0,60}\b(?:trên|tại|qua|kênh|nhóm|fanpage|trang|cộng đồng)\b)"
    r"|(?:กด)?ติดตาม|עקבו אחרי|הצטרפו ל|síguenos|síganos"
    r"|sigue(?:nos)?\b|siga\b"
    r"|suivez|rejoignez|подпи(?:сывайтесь|шитесь)|следите|читайте нас|присоединяйтесь|підпи(?:суйтесь|шіться)"
    r"|folgen sie|folge uns"
    r"|seguici|segui(?:teci)?\b|bizi\b|ikuti\b|śledź|obserwuj|dołącz|volg ons|ακολουθ[ήε]στε|(?:请|請|欢迎"
    r"|歡迎)?(?:关注|關注|追蹤))"
    r"|\b(?:تابعونا|تابعنا|تابع(?:وا)? (?:آخر|قناتنا|صفحتنا|حسابنا)|انضم(?:وا)? إلى (?:قناتنا|مجموعتنا)"
    r"|ما را (?:در|از|روی)|دنبال کنید|بپیوندید"
    r"|فالو کریں|جوائن کریں|سبسکرائب کریں|شوێنمان|تعقیب کړئ)",
    re.IGNORECASE,
)
"""Imperatives; where other forms of the verb look the same, at the beginning of the line."""
_WHERE = re.compile(
    r"facebook|twitter|telegram|whats ?app|instagram|google (?:news|actualités|noticias|notícias|haberler|play)"
    r"|zalo|tiktok"
    r"|youtube|viber|\bline\b|app store|فيس ?بوك|تويتر|تل[يی]?[غج]رام|تيليجرام|واتس ?[اآ]ب|[أا]خبار جوجل"
    r"|جوجل نيوز|[اإ]نستغرام"
    r"|يوتيوب|تلگرام|اینستاگرام|فیس ?بو?ک|توییتر|روبیکا|ایتا|ٹوئٹر|ٹویٹر|یوٹیوب|واٹس ?ایپ|טלגרם|פייסבוק|ווא?טסאפ"
    r"|טוויטר"
    r"|אינסטגרם|גוגל ניוז|เฟซบุ๊ก|เฟสบุ๊ก|ไลน์|ทวิตเตอร์|ยูทูบ|تێلیگرام|تێلێگرام|فەیسبو+ک|ټلیګرام|ټلګرام|فېسبوک"
    r"|ټویټر|телеграм|вконтакте"
    r"|ютуб|微信|微博|抖音",
    re.IGNORECASE,
)
_SIGN_UP = re.compile(
    r"\A\W*(?:sign up|subscribe|register|get|receive|join|đăng ký|nhận|اشترك|سجل|انضم|عضو|برای (?:دریافت|عضویت)"
    r"|سبسکرائب|הירשמו|הצטרפו|הרשמו"
    r"|สมัคร|ลงทะเบียน|suscr[íi]b|apúnt|recib[ae]\b|regístr|abonnez|inscrivez|recevez|подпи|abonnieren|melden"
    r"|jetzt|assine|inscreva|cadastre|receba"
    r"|iscriviti|abbonati|ricevi|abone|bülten|daftar|berlangganan|zapisz|订阅|訂閱)",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"newsletter|news letter|\binbox\b|e-?mail (?:updates|alerts)|bản tin|النشرة|نشرتنا|خبرنامه|نیوز لیٹر|ניוזלטר"
    r"|จดหมายข่าว|bolet[íi]n|boletim"
    r"|infolettre|lettre d.information|рассылк|bülten|buletin|biuletyn|电子报|電子報",
    re.IGNORECASE,
)
_RIGHTS = re.compile(
    r"[^\w©ⓒ(]*+\(?(?:(?:[©ⓒ]|\(c\)|copyright\b).*?\b(?:19|20)\d\d\b|all rights reserved|(?:bản quyền"
    r"|mọi quyền) (?:thuộc|được)"
    r"|جميع الحقوق محفوظة|(?:تمامی|کلیه|همه)[ ی]* حقوق|جملہ حقوق|כל הזכויות שמורות|สงวนลิขสิทธิ์"
    r"|все права защищены|todos los derechos reservados"
    r"|todos os direitos reservados|tous droits réservés|tutti i diritti riservati|alle rechte vorbehalten"
    r"|tüm hakları|无断转载|版权所有|版權所有|無断転載)",
    re.IGNORECASE,
)
"""How a last line begins that says whose the text is."""
_REACHED = re.compile(
    r"\b(?:can|may) be (?:reached|contacted|followed) (?:at|by|on|via)\b"
    r"|\A\W*(?i:you can |please )?(?i:contact|e-?mail|reach|write to) [A-Z][^@]{0,80}@\w"
)
"""Who wrote the text, in papers in English."""
_PRIVACY = re.compile(
    r"privacy (?:policy|notice|statement)|chính sách (?:bảo mật|quyền riêng tư|riêng tư)|سياسة الخصوصية|حریم خصوصی"
    r"|رازداری|מדיניות ה?פרטיות|นโยบายความเป็นส่วนตัว|политик\w* конфиденциальности|datenschutz"
    r"|politique de confidentialité|política de privaci?dade?|informativa (?:sulla )?privacy|gizlilik|隐私政策|隱私權",
    re.IGNORECASE,
)
_USE = re.compile(
    r"user agreement|terms (?:of (?:use|service)|(?:and|&) conditions)|điều khoản|شروط (?:الاستخدام|الخدمة)"
    r"|شرایط استفاده|شرائط|תנאי ה?שימוש|(?:ข้อกำหนด|เงื่อนไข)(?:การใช้|ใน|การให้)|пользовательск\w* соглашени"
    r"|услови\w* использования"
    r"|nutzungsbedingungen|\bAGB\b|conditions (?:générales )?d.utilisation|términos|termos de uso"
    r"|termini (?:di servizio|d.uso)|kullanım (?:koşul|şart)|用户协议|服务条款|服務條款",
    re.IGNORECASE,
)
_READER = re.compile(
    r"\b(?:our|this (?:web)?site|protected by|by (?:us|sign|subscrib|click|continu|submitt|provid|regist|enter)ing"
    r"|you (?:also )?(?:agree|consent|acknowledge|accept))\b|[^\W\x00-\u024f]|[đươạảấầẩậắằẵặẹẻẽếềểễệọỏốồổỗộớờởợụủứừửữự]"
    r"|\b(?:ihr|ihre|sie|vous|votre|nos|usted|acepta[sn]?|você|concorda|accetti|kabul)\b",
    re.IGNORECASE,
)
"""Words to a reader, in English at least: newspapers report of such papers, too."""


def without(lines: Sequence[tuple[str, ParagraphKind]]) -> list[tuple[str, ParagraphKind]]:
    """Return the lines of a text, with their kinds, without notices, prompts and what follows its end.

    A heading of the word advertisement is what is spoken of below it.

    >>> from storage.records import ParagraphKind
    >>> without([("- Quảng cáo -", ParagraphKind.PARAGRAPH), ("Nước sông lên.", ParagraphKind.PARAGRAPH)])
    [('Nước sông lên.', <ParagraphKind.PARAGRAPH: 'p'>)]
    """
    last = len(lines) - EDGE
    suspects = prompts.suspects(lines)
    found = {place for place in suspects if prompts.is_prompt(*lines[place], edge=place < EDGE or place >= last)}
    found.update(place for place, (line, _) in enumerate(lines[:EDGE]) if prompts.tells_minutes(line))
    kept = list(lines)
    if found:
        kept = [line for place, line in enumerate(lines) if place not in found]
        if 2 * _size(kept) < _size(lines):
            kept = list(lines)  # of pictures with what they show, it may be
    while len(kept) > KEPT and closes(kept[-1][0]):
        kept.pop()
    return kept


def _size(lines: Sequence[tuple[str, ParagraphKind]]) -> int:
    return sum(len(line) for line, _ in lines)


def closes(line: str) -> bool:
    """Say whether a last line is the agency's mark of the end, says whose the text is, how its author is reached or
    what its readers agree to, or asks to follow the paper.
    """
    if len(line) <= TERMS and "@" in line and _REACHED.search(line):
        return True
    if len(line) > PROMPT:
        return len(line) <= TERMS and _agrees(line)
    return _END.fullmatch(line) is not None or _RIGHTS.match(line) is not None or _asks(line) or _agrees(line)


def _agrees(line: str) -> bool:
    """Say whether a line tells its reader of the terms of use and of privacy, both."""
    return all(words.search(line) is not None for words in (_PRIVACY, _USE, _READER))


def without_asking(page: Page, chosen: Array) -> Array:
    """Return the chosen blocks without those that ask to follow the paper or to sign up for its letters by a link.

    A text that has many of them is about that.
    """
    linked = (chosen & (page.link > 0)).nonzero()[0].tolist()
    texts = page.blocks.texts
    found = [index for index in linked if len(texts[index]) <= PROMPT and _asks(texts[index])]
    if not found or len(found) > MOST:
        return chosen
    kept = chosen.copy()
    kept[found] = False
    return kept


def _asks(text: str) -> bool:
    return (_FOLLOW.search(text) is not None and _WHERE.search(text) is not None) or (
        _SIGN_UP.match(text) is not None and _LETTER.search(text) is not None
    )
