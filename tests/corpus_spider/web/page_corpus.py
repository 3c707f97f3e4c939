"""A small corpus of real pages: a SQLite database, WARC files, and texts that the program itself extracted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING

from corpus_spider.config.loader import load
from pipelines.page.process import process
from storage.corpus import Corpus
from storage.records import Capture, Fetched, SiteModel
from storage.warc.writer import WarcInfo, WarcWriter
from tests.storage.corpus_samples import NOON, Crawl

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """
[corpus]
name = "news"
contact = "someone@example.org"

[[site]]
name = "a.example"
start = ["https://a.example/"]
"""
VIETNAMESE = (
    "Giá xăng dầu trong nước tăng mạnh từ chiều nay sau khi giá dầu thế giới vượt mốc chín mươi đô la một thùng.",
    "Bộ Công Thương cho biết quỹ bình ổn không được sử dụng trong kỳ điều hành lần này, theo thông báo chính thức.",
    "Nhiều người dân ở Hà Nội và Thành phố Hồ Chí Minh xếp hàng dài trước các cây xăng để đổ đầy bình trước giờ này.",
    "Các doanh nghiệp vận tải nói rằng cước phí sẽ phải điều chỉnh nếu giá nhiên liệu tiếp tục đi lên trong tháng tới.",
)
ARABIC = (
    "أعلنت الحكومة اليوم خطة جديدة لدعم أسعار الوقود في جميع المحافظات بعد ارتفاع أسعار النفط في الأسواق العالمية.",
    "وقال وزير المالية في مؤتمر صحفي إن الخطة ستبدأ في الشهر المقبل وتستمر حتى نهاية العام الجاري وفق بيان رسمي.",
    "ورحبت نقابات النقل بالقرار لكنها طالبت بإجراءات إضافية لحماية الأسر ذات الدخل المحدود من موجة الغلاء.",
    "ويتوقع خبراء الاقتصاد أن ينعكس القرار على أسعار السلع الأساسية خلال الأسابيع القليلة القادمة في البلاد.",
)
THAI = (
    "รัฐบาลประกาศมาตรการช่วยเหลือค่าน้ำมันเชื้อเพลิงสำหรับประชาชนทั่วประเทศหลังราคาน้ำมันในตลาดโลกปรับตัวสูงขึ้น",
    "รัฐมนตรีว่าการกระทรวงพลังงานกล่าวว่ามาตรการดังกล่าวจะเริ่มในเดือนหน้าและจะดำเนินต่อไปจนถึงสิ้นปีนี้",
    "กลุ่มผู้ประกอบการขนส่งยินดีกับการตัดสินใจครั้งนี้แต่เรียกร้องให้มีมาตรการเพิ่มเติมเพื่อช่วยผู้มีรายได้น้อย",
    "นักเศรษฐศาสตร์คาดว่าราคาสินค้าจำเป็นจะปรับตัวตามภายในไม่กี่สัปดาห์ข้างหน้าตามต้นทุนค่าขนส่งที่สูงขึ้น",
)


@dataclass(frozen=True)
class Served:
    """One page of the test corpus: path, HTML, days after the first page, and the DOM of a browser.

    ``is_dropped``: it gives no document.
    """

    path: str
    html: str
    day: int = 0
    rendered: str = ""
    is_dropped: bool = False


def article(lines: tuple[str, ...], title: str, *, language: str = "vi", extra: str = "", head: str = "") -> str:
    """Return a page with a menu, an article and a footer. ``extra`` is the markup after the article."""
    shown = escape(title)
    direction = ' dir="rtl"' if language in {"ar", "fa", "ur"} else ""
    return (
        f'<!doctype html><html lang="{language}"{direction}><head><meta charset="utf-8"><title>{shown}</title>{head}'
        '<meta property="article:published_time" content="2026-03-01T08:00:00+07:00"></head><body>'
        f'<nav><a href="/">Menu one</a> <a href="/two">Menu two</a></nav><article><h1>{shown}</h1>'
        f"{''.join(f'<p>{line}</p>' for line in lines)}</article>{extra}<footer>Footer words</footer></body></html>"
    )


def build(folder: Path, pages: list[Served]) -> dict[str, str]:
    """Write the corpus, and return the id of the newest document by path."""
    (folder / "corpus.toml").write_text(CONFIG)
    config = load(folder / "corpus.toml")
    config.warc_folder.mkdir(exist_ok=True)
    writer = WarcWriter(config.warc_folder, "test", WarcInfo("test"))
    ids: dict[str, str] = {}
    with Corpus.open(folder / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        model = SiteModel(site="a.example", hosts=("a.example",))
        for page in pages:
            crawl.seed(page.path)
            lease = next(each for each in crawl.lease() if each.url.endswith(f"/{page.path}"))
            capture = Capture(
                lease.fetch_url,
                NOON + timedelta(days=page.day),
                200,
                (("User-Agent", "test/1"), ("Accept", "text/html")),
                (("Content-Type", "text/html; charset=utf-8"), ("X-Evil", "<script>alert(9)</script>")),
                page.html.encode("utf-8", "surrogatepass"),
                ip="192.0.2.1",
                rendered=page.rendered.encode(),
            )
            [pointer] = writer.append([capture])
            [fetch_id] = corpus.fetches.record_fetched(crawl.run_id, [(Fetched(capture, lease), pointer)])
            outcome = process(capture, model)
            assert (outcome.document is None) == page.is_dropped, (page.path, outcome.drop)
            corpus.documents.record_processed([(fetch_id, lease, replace(outcome, links=()))])
            found = corpus.documents.find(lease.url)
            if found is not None:
                ids[page.path] = found.id
        writer.close()
    return ids
