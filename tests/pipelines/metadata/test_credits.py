"""Credits of bylines in many languages: the author of the text, and not who took its pictures or edited it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.metadata.authors import is_byline_of
from pipelines.metadata.reader import read_metadata
from tests.pipelines.metadata.bridge_article import TEXT

LINES = (
    ("Text: Anna Lee | Photo: Bo Berg", ("Anna Lee",)),
    ("Text: Anna Lee, Foto: Bo Berg", ("Anna Lee",)),
    ("Foto: Bo Berg | Text: Anna Lee", ("Anna Lee",)),
    ("Photo: Bo Berg", ()),
    ("Words by Anna Lee. Photos by Bo Berg", ("Anna Lee",)),
    ("Words: Anna Lee / Pictures: Bo Berg", ("Anna Lee",)),
    ("Von Anna Lee und Bo Berg", ("Anna Lee", "Bo Berg")),
    ("Von Anna Lee und Bo Berg (Fotos)", ("Anna Lee",)),
    ("Von Anna Lee (Text) und Bo Berg (Fotos)", ("Anna Lee",)),
    ("Von Anna Lee, dpa", ("Anna Lee",)),
    ("Ein Bericht von Anna Lee", ("Anna Lee",)),
    ("Eine Analyse von Anna Lee, Berlin", ("Anna Lee",)),
    ("Interview von Anna Lee", ("Anna Lee",)),
    ("Text und Fotos: Anna Lee", ("Anna Lee",)),
    ("Tekst: Anna Lee. Foto: Bo Berg", ("Anna Lee",)),
    ("Tekst Anna Lee", ("Anna Lee",)),
    ("Door onze redacteur Anna Lee", ("Anna Lee",)),
    ("Par Anna Lee et Bo Berg", ("Anna Lee", "Bo Berg")),
    ("Texte : Anna Lee - Photos : Bo Berg", ("Anna Lee",)),
    ("Propos recueillis par Anna Lee", ("Anna Lee",)),
    ("Par Anna Lee, envoyée spéciale à Rome", ("Anna Lee",)),
    ("Par Anna Lee (avec AFP)", ("Anna Lee",)),
    ("Por: Ana Núñez", ("Ana Núñez",)),
    ("Texto: Ana Núñez Fotos: Luis Mora", ("Ana Núñez",)),
    ("Redacción: Ana Núñez", ("Ana Núñez",)),
    ("Escrito por Ana Núñez", ("Ana Núñez",)),
    ("Publicado por Ana Núñez", ("Ana Núñez",)),
    ("Por Ana Núñez e Luís Mora", ("Ana Núñez", "Luís Mora")),
    ("di Anna Rossi", ("Anna Rossi",)),
    ("a cura di Anna Rossi", ("Anna Rossi",)),
    ("Testo: Anna Rossi", ("Anna Rossi",)),
    ("Bài: Nguyễn Văn An - Ảnh: Lê Minh Đức", ("Nguyễn Văn An",)),
    ("Bài, ảnh: Nguyễn Văn An", ("Nguyễn Văn An",)),
    ("Bài và ảnh: Nguyễn Văn An", ("Nguyễn Văn An",)),
    ("Ảnh: Lê Minh Đức", ()),
    ("Tác giả: Nguyễn Văn An", ("Nguyễn Văn An",)),
    ("Thực hiện: Nguyễn Văn An", ("Nguyễn Văn An",)),
    ("Người viết: Nguyễn Văn An", ("Nguyễn Văn An",)),
    ("Oleh: Siti Aminah", ("Siti Aminah",)),
    ("Oleh Siti Aminah", ("Siti Aminah",)),
    ("Penulis: Siti Aminah | Editor: Budi Santoso", ("Siti Aminah",)),
    ("Ditulis oleh Siti Aminah", ("Siti Aminah",)),
    ("Foto: Budi Santoso", ()),
    ("Reporter: Siti Aminah", ("Siti Aminah",)),
    ("Yazan: Ayşe Yılmaz", ("Ayşe Yılmaz",)),
    ("Haber: Ayşe Yılmaz / Fotoğraf: Ali Kaya", ("Ayşe Yılmaz",)),
    ("Müəllif: Aygün Məmmədova", ("Aygün Məmmədova",)),
    ("Muallif: Aziza Karimova", ("Aziza Karimova",)),
    ("بقلم: ليان الساحلي", ("ليان الساحلي",)),
    ("كتب: محمد الأمين", ("محمد الأمين",)),
    ("كتبت: ليان الساحلي - تصوير: محمد الأمين", ("ليان الساحلي",)),
    ("تصوير: محمد الأمين", ()),
    ("إعداد: ليان الساحلي", ("ليان الساحلي",)),
    ("نویسنده: مریم رضایی", ("مریم رضایی",)),
    ("نوشته مریم رضایی", ("مریم رضایی",)),
    ("نوشتهٔ مریم رضایی", ("مریم رضایی",)),
    ("به قلم مریم رضایی", ("مریم رضایی",)),
    ("گزارش: مریم رضایی | عکس: علی محمدی", ("مریم رضایی",)),
    ("عکس: علی محمدی", ()),
    ("خبرنگار: مریم رضایی", ("مریم رضایی",)),
    ("تحریر: عائشہ صدیقی", ("عائشہ صدیقی",)),
    ("لیکوال: احمد ولي", ("احمد ولي",)),
    ("כתב: דני כהן", ("דני כהן",)),
    ("כתבה: רותי לוי", ("רותי לוי",)),
    ("מאת: רותי לוי", ("רותי לוי",)),
    ("מאת רותי לוי ודני כהן", ("רותי לוי", "דני כהן")),
    ("צילום: דני כהן", ()),
    ("טקסט: רותי לוי | צילום: דני כהן", ("רותי לוי",)),
    ("รายงานโดย สมชาย ใจดี", ("สมชาย ใจดี",)),
    ("เรื่อง: สมชาย ใจดี ภาพ: วิชัย ศรีสุข", ("สมชาย ใจดี",)),
    ("ภาพ: วิชัย ศรีสุข", ()),
    ("โดย สมชาย ใจดี", ("สมชาย ใจดี",)),
    ("ရေးသားသူ - အောင်မြင့်", ("အောင်မြင့်",)),
    ("ដោយ៖ សុខ សុភា", ("សុខ សុភា",)),
    ("ដោយ សុខ សុភា", ("សុខ សុភា",)),
    ("ໂດຍ: ສົມໃຈ ວົງສາ", ("ສົມໃຈ ວົງສາ",)),
    ("लेखक: राम कुमार", ("राम कुमार",)),
    ("द्वारा राम कुमार", ("राम कुमार",)),
    ("লেখক: রহিম উদ্দিন", ("রহিম উদ্দিন",)),
    ("লিখেছেন রহিম উদ্দিন", ("রহিম উদ্দিন",)),
    ("எழுதியவர்: முருகன் ராஜா", ("முருகன் ராஜா",)),
    ("Na Amina Juma", ("Amina Juma",)),
    ("Imeandikwa na Amina Juma", ("Amina Juma",)),
    ("Mwandishi: Amina Juma", ("Amina Juma",)),
    ("Автор: Иван Петров", ("Иван Петров",)),
    ("Текст: Иван Петров. Фото: Анна Смирнова", ("Иван Петров",)),
    ("Фото: Анна Смирнова", ()),
    ("Автор: Олена Коваль", ("Олена Коваль",)),
    ("Текст: Олена Коваль", ("Олена Коваль",)),
    ("Του Γιώργου Παπαδόπουλου", ("Γιώργου Παπαδόπουλου",)),
    ("Γράφει ο Γιώργος Παπαδόπουλος", ("Γιώργος Παπαδόπουλος",)),
    ("Της Μαρίας Νικολάου", ("Μαρίας Νικολάου",)),
    ("Συντάκτης: Γιώργος Παπαδόπουλος", ("Γιώργος Παπαδόπουλος",)),
    ("Autor: Jan Kowalski", ("Jan Kowalski",)),
    ("Tekst: Jan Kowalski, zdjęcia: Anna Nowak", ("Jan Kowalski",)),
    ("Opracowanie: Jan Kowalski", ("Jan Kowalski",)),
    ("文／王小明", ("王小明",)),
    ("文/王小明 圖/李大同", ("王小明",)),
    ("作者：王小明", ("王小明",)),
    ("記者王小明／台北報導", ("王小明",)),
    ("记者 王小明", ("王小明",)),
    ("撰文：王小明", ("王小明",)),
    ("責任編輯：李大同", ()),
    ("摄影：李大同", ()),
    ("文・山田太郎", ("山田太郎",)),
    ("文＝山田太郎", ("山田太郎",)),
    ("取材・文：山田太郎", ("山田太郎",)),
    ("執筆：山田太郎", ("山田太郎",)),
    ("写真：鈴木花子", ()),
    ("김철수 기자", ("김철수",)),
    ("글 김철수 사진 이영희", ("김철수",)),
    ("글·사진 김철수 기자", ("김철수",)),
    ("By Anna Lee and Bo Berg in London", ("Anna Lee", "Bo Berg")),
    ("By Anna Lee, Staff Writer", ("Anna Lee",)),
    ("By ANNA LEE", ("ANNA LEE",)),
    ("By Dr. Anna Lee", ("Dr. Anna Lee",)),
    ("By Anna Lee (Reuters)", ("Anna Lee",)),
    ("By Anna Lee @annalee", ("Anna Lee",)),
    ("By Anna Lee anna.lee@riverside.example", ("Anna Lee",)),
    ("By: Anna Lee", ("Anna Lee",)),
    ("Story by Anna Lee; photos by Bo Berg", ("Anna Lee",)),
    ("Photographs by Bo Berg", ()),
    ("Reporting by Anna Lee", ("Anna Lee",)),
    ("Reporting by Anna Lee; Editing by Bo Berg", ("Anna Lee",)),
    ("Edited by Bo Berg", ()),
    ("Review by Anna Lee", ("Anna Lee",)),
    ("Analysis by Anna Lee", ("Anna Lee",)),
    ("Written by: Anna Lee", ("Anna Lee",)),
    ("Av: Anna Lind", ("Anna Lind",)),
    ("Af Anna Lind", ("Anna Lind",)),
    ("Teksti: Anna Virtanen, kuvat: Matti Korhonen", ("Anna Virtanen",)),
    ("Laporan: Siti Aminah | Foto: Budi Santoso", ("Siti Aminah",)),
    ("رپورٹ: عائشہ صدیقی | تصویر: علی خان", ("عائشہ صدیقی",)),
)
"""Bylines and their authors."""


def authors(byline: str, head: str = "", end: str = "") -> tuple[str, ...]:
    headline = "The old bridge is to be mended"
    page = f"<title>{headline}</title>{head}<article><h1>{headline}</h1>{byline}{TEXT}{end}</article>"
    return read_metadata(page, "https://example.org/1", (), datetime(2026, 11, 20, tzinfo=UTC)).authors


@pytest.mark.parametrize(("line", "names"), LINES)
@pytest.mark.parametrize("byline", ["<p>{}</p>", "<div class=byline>{}</div>"])
def test_the_author_of_the_text_is_found(byline: str, line: str, names: tuple[str, ...]) -> None:
    """In a line below the headline, marked or not. Photographers and editors are no authors."""
    assert authors(byline.format(line)) == names


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        (
            "<p><b>Text:</b> <a href=/1>Anna Lee</a>, <a href=/2>Jan Maas</a><br><b>Foto:</b> Bo Berg</p>",
            ("Anna Lee", "Jan Maas"),
        ),
        ("<div class=byline><span>Foto:</span><span>Bo Berg</span></div>", ()),
        ("<div class=byline><span>Fotos: Bo Berg</span><span>Anna Lee</span></div>", ("Anna Lee",)),
        ("<div class=byline>Report: Anna Lee</div>", ("Anna Lee",)),
        ("<p>Report: New Bridge Opens</p>", ()),
        ("<p>A new report by Jane Goodall shows how apes use tools.</p>", ()),
        ("<p>They sent a letter and some photos by Jane Goodall</p>", ()),
        ("<p>تقرير: افتتاح الجسر الجديد</p>", ()),
        ("<p>نوشته های مرتبط</p>", ()),
        ("<p>ข่าว: เปิดสะพาน ข้ามแม่น้ำ</p>", ()),
        ("<p>Tin: Cầu Mới Khánh Thành</p>", ()),
        ("<p>Text: A A A</p>", ()),
        ("<p>Bild: Imago Images</p>", ()),
        ("<p>기자 회견</p>", ()),
        ("<p class=author>記者 王小明 台北報導</p>", ("王小明",)),
    ],
)
def test_labels_end_at_the_next_part_of_the_line(byline: str, names: tuple[str, ...]) -> None:
    """A kind of text before a colon is a label in a byline only."""
    assert authors(byline) == names


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ('<p>Von <a href="/autor/anna-lee">Anna Lee</a></p>', ("Anna Lee",)),
        ('<p>Posted on <time>18 Nov 2026</time> by <a href="/author/anna">Anna Lee</a></p>', ("Anna Lee",)),
        ("<p>Posted on 18 Nov 2026 by Anna Lee</p>", ("Anna Lee",)),
        ("<p>18 Nov 2026 by Anna Lee</p>", ("Anna Lee",)),
        ("<p>Published by Anna Lee on 18 Nov 2026</p>", ("Anna Lee",)),
        ("<p>By Anna Lee on 18 Nov 2026</p>", ("Anna Lee",)),
        ("<p>By Anna Lee, 18 Nov 2026</p>", ("Anna Lee",)),
        ("<p>Anna Lee<br>18 Nov 2026</p>", ()),
        ("<p>نوشته شده توسط مریم رضایی</p>", ("مریم رضایی",)),
        ("<p>منتشر شده در ۲۷ آبان ۱۴۰۵ توسط مریم رضایی</p>", ("مریم رضایی",)),
        ("<p>توسط مریم رضایی</p>", ("مریم رضایی",)),
        ("<p>بواسطة محمد الأمين</p>", ("محمد الأمين",)),
        ("<p>Admin tarafından</p>", ()),
        ("<p>Ayşe Yılmaz tarafından</p>", ("Ayşe Yılmaz",)),
        ("<p>Đăng bởi Nguyễn Văn An vào 18/11/2026</p>", ("Nguyễn Văn An",)),
        ("<p>Publié par Anna Lee le 18 novembre 2026</p>", ("Anna Lee",)),
        ("<p>Publicado por Ana Núñez el 18 de noviembre de 2026</p>", ("Ana Núñez",)),
        ("<p>Von Anna Lee am 18. November 2026</p>", ("Anna Lee",)),
        ("<p>Pubblicato da Anna Rossi il 18 novembre 2026</p>", ("Anna Rossi",)),
        ("<p>Geplaatst door Anna Lee op 18 november 2026</p>", ("Anna Lee",)),
        ("<p>Опубликовано 18.11.2026 автором Иван Петров</p>", ("Иван Петров",)),
        ("<p>Автор: Иван Петров | 18.11.2026 | Просмотров: 12</p>", ("Иван Петров",)),
        ("<p>Dipublikasikan oleh Siti Aminah pada 18 November 2026</p>", ("Siti Aminah",)),
        ("<p>เขียนโดย สมชาย ใจดี เมื่อ 18 พ.ย. 2569</p>", ("สมชาย ใจดี",)),
        ("<p>投稿者: 山田太郎</p>", ("山田太郎",)),
        ("<p>投稿者：山田太郎 2026年11月18日</p>", ("山田太郎",)),
        ("<p>作者：王小明 时间：2026-11-18 来源：港口网</p>", ("王小明",)),
        ("<p>来源：港口网 作者：王小明 编辑：李大同</p>", ("王小明",)),
        ("<p>发布时间：2026-11-18 作者：王小明</p>", ("王小明",)),
        ("<p>2026-11-18 14:30 | 記者 王小明</p>", ("王小明",)),
        ("<p>승인 2026.11.18 14:30 | 김철수 기자</p>", ("김철수",)),
        ("<p>김철수 기자 2026.11.18 14:30</p>", ("김철수",)),
        ("<p>기자명 김철수 기자</p>", ("김철수",)),
        ("<p>द्वारा: राम कुमार | 18 नवंबर 2026</p>", ("राम कुमार",)),
        ("<p>Written by राम कुमार</p>", ("राम कुमार",)),
        ("<p>নিজস্ব প্রতিবেদক</p>", ()),
        ("<p>Γράφει: Γιώργος Παπαδόπουλος</p>", ("Γιώργος Παπαδόπουλος",)),
        ("<p>Mwandishi wetu, Amina Juma</p>", ("Amina Juma",)),
        ("<p>Scris de Ion Popescu</p>", ("Ion Popescu",)),
        ("<p>Szerző: Nagy Anna</p>", ("Nagy Anna",)),
        ("<p>Kirjoittanut Anna Virtanen</p>", ("Anna Virtanen",)),
        ("<p>Gepostet von Anna Lee</p>", ("Anna Lee",)),
        ("<p>Eingestellt von Anna Lee um 14:30</p>", ("Anna Lee",)),
        ("<p>Postado por Ana Núñez às 14:30</p>", ("Ana Núñez",)),
        ("<p>Diposting oleh Siti Aminah di 14.30</p>", ("Siti Aminah",)),
        ("<p>Người đăng: Nguyễn Văn An</p>", ("Nguyễn Văn An",)),
        ("<p>Gönderen: Ayşe Yılmaz</p>", ("Ayşe Yılmaz",)),
        ("<p>Dodał: Jan Kowalski</p>", ("Jan Kowalski",)),
        ("<p>מאת: רותי לוי | 18.11.2026</p>", ("רותי לוי",)),
        ("<p>פורסם על ידי רותי לוי</p>", ("רותי לוי",)),
        ("<p>ຂຽນໂດຍ ສົມໃຈ ວົງສາ</p>", ("ສົມໃຈ ວົງສາ",)),
        ("<p>ដោយ៖ សុខ សុភា | ១៨ វិច្ឆិកា ២០២៦</p>", ("សុខ សុភា",)),
        ("<p>每经记者 王小明 每经编辑 李大同</p>", ("王小明",)),
        ("<p>新华社记者 王小明 摄</p>", ()),
        ("<p>本报记者 王小明</p>", ("王小明",)),
        ("<p>Report: 3 New Bridges</p>", ()),
    ],
)
def test_the_line_of_a_publishing_system_has_author_and_date(byline: str, names: tuple[str, ...]) -> None:
    """In one element, in any order, as themes write it."""
    assert authors(byline) == names


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ("Text: Anna Lee, Foto: Bo Berg", ("Anna Lee",)),
        ("Anna Lee (Text), Bo Berg (Fotos)", ("Anna Lee",)),
        ("Bài: Nguyễn Văn An - Ảnh: Lê Minh Đức", ("Nguyễn Văn An",)),
        ("Foto: Bo Berg", ()),
        ("Anna Lee @annalee", ("Anna Lee",)),
        ("김철수 기자", ("김철수",)),
        ("記者王小明", ("王小明",)),
        ("本报记者 王小明", ("王小明",)),
    ],
)
def test_stated_credits_are_read_in_the_same_way(stated: str, names: tuple[str, ...]) -> None:
    """In a meta element."""
    assert authors("", f'<meta name=author content="{stated}">') == names


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("Bài: Nguyễn Văn An - Ảnh: Lê Minh Đức", ("Nguyễn Văn An",)),
        ("Bài, ảnh: Nguyễn Văn An", ("Nguyễn Văn An",)),
        ("Ảnh: Lê Minh Đức", ()),
        ("本报记者 王小明", ("王小明",)),
    ],
)
def test_signed_credits_are_read_in_the_same_way(signature: str, names: tuple[str, ...]) -> None:
    """Below the text."""
    assert authors("", end=f"<p>{'x' * 100}</p><p align=right>{signature}</p>") == names


def test_a_line_of_credits_is_a_byline() -> None:
    """It is no part of the text."""
    assert is_byline_of("Text: Anna Lee | Foto: Bo Berg", ("Anna Lee",))
    assert not is_byline_of("Foto: Bo Berg", ("Anna Lee",))
    assert not is_byline_of("Text: Anna Lee schwimmt", ("Anna Lee",))
