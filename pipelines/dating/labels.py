"""What the words beside a date say of it: published, updated, or a date of something else (a licence, a deadline)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLISHED, UPDATED, OTHER, PLAIN = "published", "updated", "other", ""

_UPDATED = (
    r"\bupdated?\b|last\s+modif|\bmodified|\brevised|\bedited(?!\s+by)|\bamended"
    r"|mise?\s+à\s+jour|modifiée?\b|actualisée?\b|aktualisiert|geändert|änderung|actualizad|modificad|atualizad"
    r"|aggiornat|aggiornamento|modificato|bijgewerkt|gewijzigd|laatste\s+update|opdateret|oppdatert|uppdaterad|ändrad"
    r"|päivitetty|muokattu|aktualizac|zaktualizowan|aktualizov|frissítve|frissült|módosítva|actualizat|ažurirano"
    r"|обновлен|обновлён|изменен|отредактирован|оновлен|абноўлен|обновен|променена|ажурирано|жаңартыл"
    r"|τελευταία\s+ενημέρωση|ενημερώθηκε|güncelle|yenilən|yangilan|cập\s+nhật|sửa\s+lần\s+cuối"
    r"|diperbarui|diperbaharui|dikemas\s*kini|pembaruan|kemaskini|อัปเดต|อัพเด[ทต]|ปรับปรุง|แก้ไข"
    r"|تحديث|تعديل|به\W?روز\W?(?:رسانی|شده)|بروز\W?رسانی|ویرایش|اپ\s?ڈیٹ|تازہ\s+کاری|تازه\s+شوی"
    r"|עודכנ|עודכן|עדכון|עידכון|अपडेट|संशोधित|अद्यतन|আপডেট|হালনাগাদ|புதுப்பிக்கப்பட்ட|განახლ|թարմացվ"
    r"|更新|修改|수정|업데이트"
)
_PUBLISHED = (
    r"\bpublish|\bposted\b|\bissued\b|\breleased\b|publiée?|publicad|pubblicat|gepubliceerd|veröffentlicht|erstellt"
    r"|publicerad|publisert|offentliggjort|julkaistu|opublikowan|dodano|utworzon|publikován|vydáno|publikovan"
    r"|megjelent|közzétéve|publicat|objavljen|объявлен|опубликован|опублікован|дата\s+публикации|размещен|публикуван"
    r"|апублікаван|објављен|δημοσίε|δημοσιεύ|yayın|yayım|eklenme|giriş|dərc|ngày\s+đăng|đăng\s+(?:ngày|lúc)|xuất\s+bản"
    r"|diterbitkan|dipublikasikan|diunggah|terbit|disiarkan|เผยแพร่|ลงวันที่|โพสต์|نشر|انتشار|منتشر|شائع|اشاعت|خپور"
    r"|פורסם|פרסום|प्रकाशित|पब्लिश|প্রকাশ|வெளியி|გამოქვეყნ|հրապարակ|公開|配信|掲載|发布|發布|发表|發表|입력|등록|게재|승인"
)
_OTHER = (
    r"©|\bcopyright|\blicen[cs]|lizenz|giấy\s+phép|\bgp-|ترخيص|مجوز|deadline|\bdue\s+date|\bexpir|valid\s+until"
    r"|hạn\s+(?:nộp|cuối)|\bborn\b|\bdied\b|\bfounded|\bestablished|\bevents?\s*:|\baccessed|\bretrieved|\bjoined"
    r"|\bsince\b|важит|действителен|\bprinted\b|kick-?off|\bcloses?\b|effective\s+(?:date|from)|file\s+photo"
    r"|\breceived\b|\bconducted\b|\btaken\b|hiệu\s+lực|\baccepted\b|last\s+active|\bregist(?:ered|riert)|\bversion\b"
    r"|gpxb|cấp\s+ngày|sinh\s+ngày|hạn\s+chót|จดทะเบียน|ใบอนุญาต|เกิด(?:เมื่อ|วันที่)"
    r"|مواليد|آخر\s+موعد|متولد|תאריך\s+לידה|\bnée?\s+le\b|geboren|\bnacid[oa]\b|родил"
)
_LABEL = re.compile(f"(?P<{UPDATED}>{_UPDATED})|(?P<{PUBLISHED}>{_PUBLISHED})|(?P<{OTHER}>{_OTHER})", re.IGNORECASE)
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
    labels = list(_LABEL.finditer(text))
    if not labels:
        return [Portion(PLAIN, text)] if _DIGITS.search(text) else []
    dated = [part for part in _parts(text, labels) if _DIGITS.search(part.text)]
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
    found = [label.lastgroup or PLAIN for label in _LABEL.finditer(text)]
    return found[-1] if found else PLAIN


def without_labels(text: str) -> str:
    """Return a text with a space for each label of a date."""
    return _LABEL.sub(" ", text)
