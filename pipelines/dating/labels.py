"""What the words beside a date say of it: published, updated, or a date of something else (a licence, a deadline)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipelines.dating.months import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLISHED, UPDATED, OTHER, PLAIN = "published", "updated", "other", ""
_KINDS = (UPDATED, PUBLISHED, OTHER)

_UPDATED = (
    r"\bupdated?\b|last\s+modif|\bmodified|\brevised|\bedited(?!\s+by)|\bamended|\bopgedateer|\bverander"
    r"|mise?\s+à\s+jour|modifiée?\b|actualisée?\b|aktualisiert|geändert|änderung|actualizad|modificad|atualizad"
    r"|actualización|actualització|atualização|modificación|modificação|modificació\b|ultima\s+modifica"
    r"|aggiornat|aggiornamento|modificato|bijgewerkt|gewijzigd|laatste\s+update|opdateret|oppdatert|uppdaterad|ändrad"
    r"|ændret|endret|oppdatering|päivitetty|muokattu|aktualizac|aktualizác|zaktualizowan|poprawiono|aktualizov"
    r"|frissítve|frissült|frissítés|módosítva|módosítás|actualizat|actualizare|modificat|ažuriran|izmijenjen|izmjen|izmen[ea]\b"
    r"|posodobitev|posodobljen|spremenjen|uuendatud|muudetud|atnaujin|pēdējās\s+izmaiņas|atjaunināt|labots|eguneratze"
    r"|eguneratua|diweddar|nuashonr|ĝisdatig|ndryshim|përditësu|обновлен|обновлён|обновление|изменен|изменён"
    r"|отредактирован|оновлен|змінен|абноўлен|абнаўлен|обновен|променена|ажуриран|измене\b|освежув|изменет|жаңартыл"
    r"|жаңарт|өзгертул|жаңыртуу|жаңырт|шинэчлэгдсэн|шинэчилсэн|навсозӣ|таҷдид|янгилан"
    r"|τελευταία\s+ενημέρωση|ενημερώθηκε|τροποποι|güncelle|değiştiril|yenilən|yangilan|cập\s+nhật|sửa\s+lần\s+cuối"
    r"|chỉnh\s+sửa|diperbarui|diperbaharui|dikemas\s*kini|pembaruan|kemas\s?kini|diubah|อัปเดต|อัพเด[ทต]|ปรับปรุง|แก้ไข"
    r"|ອັບເດດ|ອັບເດັດ|ປັບປຸງ|ແກ້ໄຂ|បច្ចុប្បន្នភាព|កែប្រែ|កែសម្រួល|ធ្វើបច្ចុប្បន្ន|ပြင်ဆင်|မွမ်းမံ|အပ်ဒိတ်"
    r"|تحديث|تعديل|حدث\s+بتاريخ|به\W?روز\W?(?:رسانی|شده)|بروز\W?(?:رسانی|شده)|ویرایش|ویراش|آخرین\s+تغییر|اصلاح\s+شده"
    r"|اپ\s?ڈیٹ|تازہ\s+کاری|تبدیلی\s+کی|تازه\s+شوی|تازه\s+کونه|تازه\s+کړل|نوێ\s?کرا|نوێ\s?کردنەوە|nûkir|rojanekir"
    r"|עודכנ|עודכן|עדכון|עידכון|अपडेट|संशोधित|अद्यतन|अद्यावधिक|আপডেট|হালনাগাদ|ਅੱਪਡੇਟ|ਅਪਡੇਟ|અપડેટ|સંશોધિત"
    r"|புதுப்பி|நவீகரி|அப்டேட்|అప్‌?డేట్|నవీకరి|ಅಪ್‌?ಡೇಟ್|ನವೀಕರಿ|പുതുക്ക|അപ്‌?ഡേറ്റ്|යාවත්කාලීන|සංශෝධ"
    r"|განახლ|შეცვლ|թարմացվ|արդիացվ|խմբագրվ|ዘምኗል|ተሻሽሏል|የተሻሻለ|የዘመነ|更新|修改|수정|업데이트"
)
_PUBLISHED = (
    r"\bpublish|\bposted\b|\bissued\b|\breleased\b|\bcreated\b|\bsubmitted\b|publiée?|publicad|pubblicat|gepubliceerd"
    r"|veröffentlicht|erstellt|\bpublication|création|creado|criado|creato|creat\b|geplaatst|aangemaakt|gepubliseer|geskep"
    r"|publicerad|publisert|publiceret|publisering|publicering|offentliggjort|oprettet|opprettet|oppretta|skapad|julkaistu"
    r"|luotu|opublikowan|dodano|utworzon|publikován|vydáno|zveřejněn|uverejnen|vytvořen|publikovan|napísané"
    r"|megjelent|közzétéve|közzététel|készült|publicat|objavljen|kreiran|ustvarjen|avaldatud|lisatud|paskelbt|parašyt"
    r"|publicēt|izveidot|argitarat|sortua|cyhoeddw|crëwyd|foilsithe|cruthaithe|publikig|kreita|publikuar|krijuar"
    r"|объявлен|опубликован|опублікован|дата\s+публикации|размещен|размещён|публикуван|создано|створен"
    r"|створана|създаден|апублікаван|објављен|објавен|креира|создаден|жарияла|жарыяла|нийтлэ|нашр|чоп\s+этил|chop\s+etil"
    r"|δημοσίε|δημοσιεύ|δημιουργ|yayın|yayım|eklenme|giriş|oluştur|dərc|nəşr|yaradıl|ngày\s+đăng|đăng\s+(?:ngày|lúc)"
    r"|được\s+(?:đăng|viết)|ngày\s+viết|xuất\s+bản|diterbitkan|dipublikasikan|diunggah|ditayangkan|tayang|terbit|disiarkan|dibuat|dicipta"
    r"|เผยแพร่|ลงวันที่|โพสต์|สร้างเมื่อ|ເຜີຍແຜ່|ສ້າງຂຶ້ນ|ສ້າງຂື້ນ|ເມື່ອວັນທີ|ចេញផ្សាយ|ផ្សាយ|បង្ហោះ|បង្កើត|ထုတ်ဝေ|ဖော်ပြ|တင်သည့်"
    r"|نشر|انتشار|منتشر|درج\s+شده|ایجاد|نوشته\s+شده|انشأ|أضيف|شائع|اشاعت|پبلش|خپور|خپار|خپره|خپرېدو|خپرې|جوړ\s+شو"
    r"|بڵاو\s?کرا|weşand|פורסם|פרסום|נוצר|הועלה|प्रकाशित|पब्लिश|प्रकाशन|প্রকাশ|তৈরি\s+কর|ਪ੍ਰਕਾਸ਼|પ્રકાશિત"
    r"|வெளியி|உருவாக்க|பதிவு\s+செய்த|ప్రచురి|పబ్లిష్|ಪ್ರಕಟ|പ്രസിദ്ധീകരി|നിർമ്മി|ප්‍රකාශ|නිර්මිත|පළ\s?ක"
    r"|გამოქვეყნ|შექმნ|հրապարակ|հրատարակ|ստեղծված|ታትሟል|የታተመ|ተለጠፈ"
    r"|公開|配信|掲載|作成|发布|發布|發佈|发表|發表|创建|建立|입력|등록|게재|게시|작성|승인"
)
_OTHER = (
    r"©|\bcopyright|\blicen[cs]|lizenz|giấy\s+phép|\bgp-|ترخيص|مجوز|deadline|\bdue\s+date|\bexpir|valid\s+until"
    r"|hạn\s+(?:nộp|cuối)|\bborn\b|\bdied\b|\bfounded|\bestablished|\bevents?\s*:|\baccessed|\bretrieved|\bjoined"
    r"|\bsince\b|важит|действителен|\bprinted\b|kick-?off|\bcloses?\b|effective\s+(?:date|from)|file\s+photo"
    r"|\breceived\b|\bconducted\b|\btaken\b|hiệu\s+lực|\baccepted\b|last\s+active|\bregist(?:ered|riert)|\bversion\b"
    r"|gpxb|cấp\s+ngày|sinh\s+ngày|hạn\s+chót|จดทะเบียน|ใบอนุญาต|เกิด(?:เมื่อ|วันที่)"
    r"|مواليد|آخر\s+موعد|متولد|תאריך\s+לידה|\bnée?\s+le\b|geboren|\bnacid[oa]\b|родил"
)
_WORDS = re.compile(r"\\.|[^\\]+")


def _folded(words: str) -> str:
    """Return a regular expression for words as `fold` writes them."""
    return _WORDS.sub(lambda part: part[0] if part[0][0] == "\\" else fold(part[0]), words)


_LABEL = re.compile(
    "|".join(
        f"(?P<{kind}>{_folded(words)})" for kind, words in zip(_KINDS, (_UPDATED, _PUBLISHED, _OTHER), strict=True)
    )
)
_DIGITS = re.compile(r"\d(?:\D*\d){2}")
"""Hardly a date has fewer: 5 Nov 24."""


class Portion(NamedTuple):
    """A part of a text that may state a date, and what its label says of it."""

    kind: str
    text: str


def portions(text: str) -> list[Portion]:
    """Cut a text at the labels of its dates; it stays whole where only one part of it has figures.

    A label speaks of what follows it, or of what stands before where nothing follows the last ("2024年11月5日 公開").

    >>> [part.kind for part in portions("Updated 6 Nov 2024, first published 5 Nov 2024")]
    ['updated', 'published']
    """
    folded = fold(text)
    labels = list(_LABEL.finditer(folded))
    if not labels:
        return [Portion(PLAIN, text)] if _DIGITS.search(text) else []
    dated = [part for part in _parts(folded, labels) if _DIGITS.search(part.text)]
    return [Portion(dated[0].kind, text)] if len(dated) == 1 else dated


def _parts(text: str, labels: list[re.Match[str]]) -> Iterator[Portion]:
    kinds = [label.lastgroup or PLAIN for label in labels]
    starts, ends = [label.start() for label in labels], [label.end() for label in labels]
    pieces = [text[begin:end] for begin, end in zip([0, *ends], [*starts, len(text)], strict=True)]
    if kinds[-1] != OTHER and _DIGITS.search(pieces[0]) and not _DIGITS.search(pieces[-1]):
        return map(Portion, [*kinds, PLAIN], pieces)
    return map(Portion, [PLAIN, *kinds], pieces)


def label_before(text: str) -> str:
    """Return what the last label of a text says of the date that follows it."""
    found = [label.lastgroup or PLAIN for label in _LABEL.finditer(fold(text))]
    return found[-1] if found else PLAIN


def without_labels(text: str) -> str:
    """Return a text, folded, with a space for each label of a date."""
    return _LABEL.sub(" ", fold(text))
