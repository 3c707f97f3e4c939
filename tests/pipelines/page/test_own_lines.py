"""Own lines in an extraction: which are left out, and what stays though it recurs."""

from __future__ import annotations

import pytest

from pipelines.page.postprocess import leave_out
from storage.bytes.lines import count, digest, pack
from storage.records import Extraction

APPEAL = "Our newsroom lives on its readers: become a member today and help us to go on."
OFFER = "The first month costs one crown, and you can stop whenever you like."
THAI = "สนับสนุนห้องข่าวของเราได้ตั้งแต่วันนี้ด้วยการสมัครสมาชิกรายเดือน"
CHINESE = "请订阅我们的报纸支持独立新闻报道"
KNOWN = pack(map(digest, (APPEAL, OFFER, THAI, CHINESE, "Stay with us!", "What we know", "Amen.")))
OWN = [f"The {word} paragraph of the article says something that stands nowhere else." for word in "abcde"]


@pytest.mark.parametrize(
    ("lines", "kinds", "left"),
    [
        ([OWN[0], "Stay with us!", APPEAL, OFFER], "phpp", [OWN[0]]),
        ([APPEAL, OWN[0], OFFER, OWN[1]], "pppp", OWN[:2]),
        ([OWN[0], THAI, CHINESE], "ppp", [OWN[0]]),
        ([OWN[0], APPEAL], "", [OWN[0]]),
        ([OWN[0], "What we know", OWN[1]], "php", None),
        ([OWN[0], "Amen."], "pp", None),
        ([OWN[0], APPEAL], "ph", None),
        ([APPEAL, OFFER], "pp", None),
        ([line for each in OWN[:4] for line in (each, APPEAL)], "p" * 8, None),
        (OWN, "ppppp", None),
    ],
    ids=[
        "box",
        "top and middle",
        "without spaces",
        "no kinds",
        "heading",
        "refrain",
        "long heading",
        "all",
        "many",
        "none",
    ],
)
def test_what_is_left_out(lines: list[str], kinds: str, left: list[str] | None) -> None:
    """A sentence goes, with the recurring lines beside it; headings, short lines and repetitive texts stay."""
    found, digests = leave_out(Extraction(tuple(lines), "auto", "1", "why", kinds), KNOWN)
    assert list(found.paragraphs) == (lines if left is None else left)
    assert len(found.kinds) in {0, len(found.paragraphs)}
    assert count(digests) == len(lines) - len(found.paragraphs)
    assert ("the publisher's own" in found.reason) is (left is not None)


def test_lines_that_the_extractor_left_out_count_too() -> None:
    """The template of the site takes most of them away before; each line counts once."""
    found = Extraction((OWN[0], OFFER), "auto", "1", left_out=frozenset({APPEAL, "Home", OFFER}))
    left, digests = leave_out(found, KNOWN)
    assert left.paragraphs == (OWN[0],)
    assert digests == pack(map(digest, (APPEAL, OFFER)))


def test_a_site_without_own_lines_keeps_all() -> None:
    found = Extraction((APPEAL,), "auto", "1")
    assert leave_out(found, b"") == (found, b"")
