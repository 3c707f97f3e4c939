"""Lines that say by their first words that they are none of the text."""

from __future__ import annotations

import unicodedata

import pytest

from pipelines.extractors import asides, selection
from storage.records import ParagraphKind

P, H, L = ParagraphKind.PARAGRAPH, ParagraphKind.HEADING, ParagraphKind.ITEM
BEFORE, BEHIND = (
    [
        (f"On the {day} day the water stood {day} hands above the mark, and people carried all upstairs.", P)
        for day in days
    ]
    for days in (("first", "second", "third", "fourth", "fifth"), ("sixth", "seventh", "eighth", "ninth", "tenth"))
)

OUT = """
Read also: The minister resigns after a vote
READ MORE | Who will pay for the bridge?
>> Xem thêm: Nước sông lên
Đọc thêm:
اقرأ أيضاً: رئيس الوزراء يستقيل
إقرأ ايضا | من يدفع ثمن الجسر؟
بیشتر بخوانید: نخست‌وزیر استعفا داد
بيشتر بخوانيد:
مزید پڑھیں: وزیراعظم نے استعفیٰ دے دیا
نور ولولئ: لومړي وزیر استعفا وکړه
קראו גם: ראש הממשלה התפטר
อ่านข่าวที่เกี่ยวข้อง : นายกรัฐมนตรีลาออก
Читайте также: Премьер ушёл в отставку
Te puede interesar: El primer ministro dimite
À lire aussi : Le Premier ministre démissionne
Lesen Sie auch: Der Minister tritt zurück
Baca juga: Menteri mundur
延伸閱讀：總理在投票後辭職
Διαβάστε επίσης: Παραιτήθηκε ο πρωθυπουργός
Tags: economy, politics, budget
Từ khóa: kinh tế, ngân sách
برچسب‌ها: اقتصاد، بودجه
Photo: Reuters
Ảnh: TTXVN.
צילום: רויטרס
(Photo by John Smith/Getty Images)
Cây cầu bắc qua sông sau trận lũ. Ảnh: Lê Hiếu.
Marco Buschmann und Lisa Paus am Fluss Foto: Felix Zahn
Listen to this article · 5:32 min
Nghe đọc bài viết này
به این مقاله گوش دهید
Share this article
Copy link
شارك الخبر
Поделиться
Story continues below advertisement
Story Continued Below
Mandel Ngan / AFP / Getty Images
Allen G. Breed/AP
© REUTERS/Jim Urquhart
© The Daily Paper . Ann Lee
AP Photo/Ann Lee
Getty Images / 35007
The following two tabs change content below.
We apologize, but this video has failed to load.
ADVERTISEMENT - CONTINUE READING BELOW
يستمر المقال بعد الإعلان
Continúa leyendo después de la publicidad
REKLAM
İçeriğin Devamı Aşağıda
Your browser does not support the video tag.
Trình duyệt của bạn không hỗ trợ thẻ video.
متصفحك لا يدعم تشغيل الفيديو
مرورگر شما از ویدئو پشتیبانی نمی‌کند
Please enable JavaScript to view the comments.
An dieser Stelle findest du einen externen Inhalt von YouTube, der den Artikel ergänzt.
Ich bin damit einverstanden, dass mir Inhalte von YouTube angezeigt werden.
Personenbezogene Daten können an Drittplattformen übermittelt werden.
Ce contenu est bloqué car vous n'avez pas accepté les cookies.
This article is for subscribers only.
Il vous reste 57.09% de cet article à lire. La suite est réservée aux abonnés.
הכתבה זמינה למנויים בלבד
Let us know what you think in the comments!
Download our app for the latest news
#economy #politics, #budget
By
بقلم:
โดย :
আরও পড়ুন: প্রধানমন্ত্রীর পদত্যাগ
हेही वाचा | मंत्र्यांचा राजीनामा
यो पनि पढ्नुहोस्: प्रधानमन्त्रीको राजीनामा
ఇది కూడా చదవండి: మంత్రి రాజీనామా
هەواڵە پەیوەندیدارەکان
دا هم وګورئ: لومړي وزیر استعفا وکړه
ასევე წაიკითხეთ: მინისტრი გადადგა
Կարդացեք նաև՝
Həmçinin oxuyun: Nazir istefa verdi
Soma pia: Waziri ajiuzulu
관련 기사: 총리 사임
ဆက်စပ်သတင်းများ
អត្ថបទទាក់ទង
ছবি: রয়টার্স
关键词：桥 预算
Table of Contents
Mục lục:
فهرست مطالب
Loading...
جاري التحميل…
Click to expand...
Vous aimerez aussi
Photo by Ann Lee on Unsplash
Ann Lee, via Wikimedia Commons
This entry was posted on Monday, January 9th, 2012 at 4:05 pm.
Dieser Beitrag wurde am 9. Januar unter Allgemein veröffentlicht
If you enjoyed reading this post, would you consider supporting our work?
Share | Facebook | Print
Tweet Email Print Share
Chia sẻ · Facebook · Zalo · In
مشاركة / فيسبوك / واتساب
แชร์ เฟซบุ๊ก ไลน์ พิมพ์
แม่น้ำสูงขึ้น (ภาพ: สมชาย)
دریا چڑھ گیا (تصویر: عامر خان)
""".strip().split("\n")
KEPT = """
Contents: two bottles of water and a map
Ich bin damit einverstanden, dass die Brücke gebaut wird.
Ce contenu est bloqué par la glace depuis hier.
Loading the carts took them until noon.
This entry was the first to reach the committee.
If you enjoyed the first bridge, you will like the second.
Photo by photo he shows how the river rose
Read also what the minister said of the bridge before he went.
Related work has been done in three valleys: none of it lasted.
Xem thêm ba con sông lớn ở miền Trung
Ảnh hưởng của bão: nước sông lên nhanh
Tin nhắn cuối cùng của ông: “Hãy lên lầu”
اقرأ أيضا كتابه الأول عن النهر
بیشتر بخوانید و کمتر سخن بگویید
He posted two images: a cat and a dog.
Sie zeigt ein Foto: Er steht am Fluss.
Photo 51 showed what nobody had seen
Credit: 3 hours a week
Share 10 pictures of your trip with us
Listen to this article of faith, he said
Your browser history tells more than you think
Story continues to move readers a century later
Advertisement of the year goes to a brewery
Advertisement bans to continue until the elections, he said
Continues after the advance of the army: the long march
يستمر الجدل في المدينة بعد الإعلان عن نتائج الانتخابات
Officers of the police and/or AP were there
© 2002, 2003 and 2004: three editions of one book
Rain/wind
Tags are cut from the shirts by hand: it takes an hour
Реклама помогла: за год продали вдвое больше
Views: the committee is divided on the bridge and on the dam
Cập nhật 10:12: Nước sông lên nhanh, người dân đã lên lầu
Lecture 5: Rivers
Question: Why did the water rise?
#MeToo
#1 #2 #3
আরও পড়ুন আর কম বলুন, তিনি বললেন
ছবি আঁকা: একটি পুরনো শখ
सर्वाधिकार सुरक्षित नहीं रहे, मंत्री ने कहा
관련 기사는 세 신문에 실렸다
Let us know where you stand, the mayor asked them.
Share this story with nobody, she wrote.
What do you think of the new bridge?
Il vous reste dix minutes, dit le maire.
阅读 5 本书
Share of Facebook in print
Print, copy, save
Share Facebook
""".strip().split("\n")


@pytest.mark.parametrize("line", OUT)
def test_prompts_labels_and_credits_are_out_wherever_they_stand(line: str) -> None:
    """In the languages of newspapers, typed with any of the letters that stand for each other."""
    assert asides.without([*BEFORE, (line, P), *BEHIND]) == [*BEFORE, *BEHIND]


@pytest.mark.parametrize("line", ["Đọc thêm: Nước sông lên", "और पढ़ें", "আরও পড়ুন"])
def test_prompts_are_known_however_their_marks_are_written(line: str) -> None:
    """Letters and their marks as one character, or as several, as some editors write them."""
    split = unicodedata.normalize("NFD", line)
    joined = line.replace("\u0922\u093c", "\u095d").replace("\u09a1\u09bc", "\u09dc")
    assert {split, joined} != {line}
    for form in (split, joined):
        assert asides.without([*BEFORE, (form, P), *BEHIND]) == [*BEFORE, *BEHIND]


@pytest.mark.parametrize("line", KEPT)
def test_lines_that_begin_like_prompts_stay(line: str) -> None:
    """Sentences that begin with the same words, and labels of something else, at the head and amid the text."""
    for text in ([*BEFORE, (line, P), *BEHIND], [(line, P), *BEFORE, *BEHIND]):
        assert asides.without(text) == text


@pytest.mark.parametrize(
    ("line", "kind", "kept"),
    [
        ("Related stories", H, False),
        ("اقرأ أيضا", H, False),
        ("Read more: The minister resigns", L, False),
        ("Photos", H, True),
        ("Share", H, True),
        ("Copy link", L, True),
        ("Photo: Reuters", ParagraphKind.CELL, True),
        ("Tags: a, b", ParagraphKind.PREFORMATTED, True),
        ("Your browser does not support it.", ParagraphKind.QUOTE, True),
    ],
)
def test_headings_and_items_are_out_only_where_they_lead_elsewhere(
    line: str, kind: ParagraphKind, *, kept: bool
) -> None:
    """What a table, a quotation, code or a list of steps has is the author's."""
    text = [*BEFORE, (line, kind), *BEHIND]
    assert asides.without(text) == (text if kept else [*BEFORE, *BEHIND])


@pytest.mark.parametrize(
    "line",
    [
        *("Reading time: 4 minutes", "Thời gian đọc: 4 phút", "زمان مطالعه: ۳ دقیقه", "Temps de lecture : 3 min"),
        *("Last updated: 1 May 2024 10:12 GMT", "Cập nhật lúc 10:12 01/05/2024", "آخر تحديث: 1 مايو 2024 - 10:12"),
        *("Last Updated on December 30, 2025 at 9 am", "Published: Jul 15, 2019", "Published 2025-12-20"),
        *("Edición: Rosa Vidal", "تحرير: نادر سليم", "Редактор: Олег Ким", "Editor: Ann Lee", "Biên tập: Hà Vy"),
        *("Lượt xem: 1.234", "عدد المشاهدات: 1234", "Просмотров: 1234", "کد خبر: ۱۲۳۴۵"),
    ],
)
def test_figures_about_the_page_are_out_at_the_edges_of_the_text(line: str) -> None:
    """Minutes to read it, its readers, its last change, who edited it; amid the text it may be about others."""
    assert asides.without([(line, P), *BEFORE, *BEHIND]) == [*BEFORE, *BEHIND]
    assert asides.without([*BEFORE, *BEHIND, (line, P)]) == [*BEFORE, *BEHIND]
    text = [*BEFORE, (line, P), *BEHIND]
    assert asides.without(text) == text


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        *(
            (line, False)
            for line in ("5 min read", "3 Min Lesezeit", "7 minutos de lectura", "4 phút đọc", "۳ دقیقه مطالعه")
        ),
        *((line, True) for line in ("5 minutes to midnight", "10 phút", "1. Read the map")),
    ],
)
def test_minutes_to_read_are_out_before_the_text(line: str, *, kept: bool) -> None:
    """With the figure first, as they stand beside the author's name."""
    text = [(line, P), *BEFORE, *BEHIND]
    assert asides.without(text) == (text if kept else [*BEFORE, *BEHIND])


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        *(("By Ann Lee", False), ("By ANN LEE and BO EK", False), ("by Ann van der Lee, Bo Ek and Md Ali Khan", False)),
        *(("By: Ann Lee (ann@daily.example)", False), ("Par ANN LEE, BO EK Envoyés spéciaux à Toulouse", False)),
        *(("Ann Lee, Bo Ek and Md Khan | The Daily Bridge", False), ("Rain | The Daily Bridge", True)),
        *(("Posted by: Ann Lee on 05.10.2026, 09:15 (1204 Reads)", False), ("Published by: the mill on demand.", True)),
        *(("Na Amina Juma", False), ("NA AMINA JUMA", False), ("Na kadhalika", True)),
        *(("Written by Ann Lee | May 19, 2025", False), ("by Ann Lee—10 min read", False)),
        *(
            ("By Monday the water stood in the hall", True),
            ("By Ann Lee, who saw it.", True),
            ("By land and sea", True),
        ),
        *(("Published in three languages in 2019, it sold out", True), ("By Jove!", True)),
    ],
)
def test_a_line_of_the_first_ones_that_has_but_who_wrote_the_text_is_out(line: str, *, kept: bool) -> None:
    """Names behind the word, and what is parted from them; amid the text it is under what the text quotes."""
    assert asides.without([(line, P), *BEFORE]) == [*[(line, P)] * kept, *BEFORE]
    for text in ([*BEFORE, (line, P), *BEHIND], [(line, H), *BEFORE]):
        assert asides.without(text) == text


def test_a_text_that_is_mostly_captions_keeps_them() -> None:
    """A story in pictures has a credit behind each paragraph."""
    text = [(f"{line} Photo: Ann Lee", P) for line, _ in BEFORE] + BEHIND[:3]
    assert asides.without(text) == text


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ('Follow us on <a href="https://news.example/x">Google News</a>', False),
        ('ما را در <a href="https://t.me/x">تلگرام</a> دنبال کنید', False),
        ('Suscríbete a nuestro <a href="/letter">boletín</a> diario.', False),
        ('<a href="/letter">Sign up</a> for the Morning Briefing newsletter.', False),
        ("Follow us on Google News", True),
        ('Mời bạn đọc theo dõi <a href="/x">fanpage</a> của báo trên Facebook', False),
        ('Theo dõi <a href="/x">Facebook</a> của huyện, dân biết nơi phát lương thực.', True),
        ('He left <a href="/x">Facebook</a> for good.', True),
        ('Subscribe or leave, said the owner of <a href="/x">the paper</a>.', True),
    ],
)
def test_what_asks_to_follow_the_paper_by_a_link_is_out(line: str, *, kept: bool) -> None:
    """Amid the text a link tells the paper's own words from those that it quotes."""
    body = [f"<p>{text}</p>" for text, _ in (*BEFORE, *BEHIND)]
    html = "<title>The river</title><h1>The river</h1><article>{}</article>"
    words = line.partition("<")[0].strip() or "Morning Briefing"
    found = selection.extract(html.format("".join([*body[:5], f"<p>{line}</p>", *body[5:]]))).text
    assert (words in found) == kept
    many = [f"<p>{line}</p>{text}" for text in body]
    assert words in selection.extract(html.format("".join(many))).text


@pytest.mark.parametrize(
    "line",
    [
        *(
            "© 2024 The Paper",
            "This material may not be published, broadcast, rewritten or redistributed.",
            "Redistribution, republication or rewriting is expressly prohibited without consent.",
            "Vui lòng ghi rõ nguồn khi đăng lại",
            "RIPRODUZIONE RISERVATA",
            "Toute reproduction interdite.",
            "При перепечатке ссылка на газету обязательна.",
            "未经许可，不得转载",
            "ห้ามคัดลอกหรือเผยแพร่ต่อ",
            "يمنع نقل المحتوى من دون إذن",
            "Copyright 2024 Reuters. All rights reserved.",
            "جميع الحقوق محفوظة",
            "Все права защищены",
        ),
        *(
            "<Copyright ⓒ 한국일보 2024>",
            "版权所有，未经许可不得转载",
            "<저작권자 ⓒ 한국일보, 무단전재 및 재배포 금지>",
        ),
        *("ټول حقوق خوندي دي", "সর্বস্বত্ব স্বত্বাধিকার সংরক্ষিত", "Wszelkie prawa zastrzeżone."),
    ],
)
def test_a_last_line_that_says_whose_the_text_is_is_out(line: str) -> None:
    """With the year, or the words that all rights are reserved; a sentence may begin with the word."""
    assert asides.without([*BEFORE, (line, P)]) == BEFORE
    text = [*BEFORE, ("Copyright law has changed three times.", P)]
    assert asides.without(text) == text


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("By using this site, you consent to our User Agreement and our Privacy Policy" + ", and so on" * 20, False),
        ("This site is protected by a puzzle; the Privacy Policy and Terms of Service apply.", False),
        ("Bằng việc đăng ký, bạn đồng ý với Điều khoản sử dụng và Chính sách bảo mật của chúng tôi.", False),
        ("بالنقر على زر الاشتراك، فإنك توافق على شروط الاستخدام وسياسة الخصوصية", False),
        ("با ثبت نام، شرایط استفاده و حریم خصوصی را می‌پذیرید", False),
        ("Mit der Anmeldung akzeptieren Sie die Nutzungsbedingungen und die Datenschutzerklärung.", False),
        ("Please read our Comment Policy before posting.", False),
        ("The Daily Paper Comment Policy", False),
        ("The university has changed its comment policy.", True),
        ("The company’s terms of service and its privacy policy changed in May.", True),
        ("You will find nothing in our privacy policy, she said.", True),
        ("By using this site, you consent to our User Agreement and our Privacy Policy" + ", and so on" * 50, True),
    ],
)
def test_a_last_line_that_tells_readers_what_they_agree_to_is_out(line: str, *, kept: bool) -> None:
    """It names the terms of use and of privacy, both, or what comments may have, and speaks to its reader."""
    assert asides.without([*BEFORE, (line, P)]) == [*BEFORE, *[(line, P)] * kept]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Ann Lee can be reached at ann.lee@daily.example. Follow her @annlee.", False),
        ("—Staff writer Bo Ek may be reached at bo@daily.example.", False),
        ("Contact Ann Lee at ann@daily.example", False),
        ("You can email Ann Lee at ann@daily.example or send a letter to the paper.", False),
        ("The office can be reached at noon, when the ferry comes.", True),
        ("Contact with the ship was lost.", True),
        ("For tickets, write to tickets@ferry.example by Monday.", True),
    ],
)
def test_a_last_line_that_says_how_its_author_is_reached_is_out(line: str, *, kept: bool) -> None:
    """An address that the article itself gives its readers stays."""
    assert asides.without([*BEFORE, (line, P)]) == [*BEFORE, *[(line, P)] * kept]


@pytest.mark.parametrize(
    "line", ["By " + "Aa " * 29, "By " + "A" * 87, "(© " + "A./" * 29, "A" + " via" * 22, "A. " * 30]
)
def test_lines_like_names_take_no_time(line: str) -> None:
    """The patterns of bylines and of whose a picture is look at no line of more than ninety characters."""
    for _ in range(1000):
        assert asides.without([(line, P), *BEFORE, (line * 10_000, P), *BEHIND])


def test_lines_of_marks_take_time_in_proportion_to_their_number() -> None:
    """Whose the text is is said once: a megabyte of signs for it was read from each of them to its end."""
    assert asides.closes("© " * 100) is False
    assert asides._RIGHTS.match("© " * 500_000) is None


@pytest.mark.parametrize("line", ["Tags", "TAGS:", "Từ khóa", "كلمات مفتاحية", "برچسب‌ها", "תגיות", "แท็ก", "标签"])
def test_the_label_of_keywords_is_out_at_the_edges_of_the_text(line: str) -> None:
    """Where the keywords themselves are links and left out; amid the text it may be what that is about."""
    for kind in (ParagraphKind.HEADING, ParagraphKind.PARAGRAPH):
        assert asides.without([*BEFORE, *BEHIND, (line, kind)]) == [*BEFORE, *BEHIND]
        amid = [*BEFORE * 5, (line, kind), *BEHIND * 5]
        assert asides.without(amid) == amid
