"""Site templates: the default extractors remove them and report it. Without a template the result is unchanged."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipelines.extractors.auto.blocks.site_template import KEY, recurring
from pipelines.extractors.auto.blocks.template_learning import learn, survey_html
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.base import ExtractorOptions
from pipelines.extractors.registry import get
from pipelines.markup.tree import parse_tree
from pipelines.page.process import process
from storage.records import Capture, SiteModel
from tests.corpus_spider.local_paper import paragraphs

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PROMPT = (
    "Our correspondents in thirty cities around the world write for you by day and by night, whatever the weather is."
)


def page(number: int, body: str = "") -> str:
    text = body or "".join(f"<p>{text}</p>" for text in paragraphs(number))
    return f"<html><head><title>Bài {number}</title></head><body><article>{text}<p>{PROMPT}</p></article></body></html>"


TEMPLATE = learn(survey_html(page(number)) for number in range(1, 7)).template


@pytest.mark.parametrize("extractor", ["auto", "scored"])
def test_what_recurs_is_left_out_and_all_else_stays(extractor: str) -> None:
    """The prompt in the body is a paragraph like any other until the site's pages are known."""
    alone = get(extractor).extract(page(23))
    known = get(extractor).extract(page(23), ExtractorOptions(template=TEMPLATE))
    assert list(alone.paragraphs) == [*paragraphs(23), PROMPT]
    assert list(known.paragraphs) == paragraphs(23)
    assert len(known.kinds) == len(known.paragraphs)
    assert "1 blocks left out as the site's template" in known.reason
    assert "template" not in alone.reason


def test_a_page_of_nothing_but_template_has_no_text() -> None:
    """Such as what a paywall shows of every article."""
    assert get("auto").extract(page(1, "<hr>"), ExtractorOptions(template=TEMPLATE)).paragraphs == ()


@pytest.mark.parametrize("template", [b"", b"\0" * 8, b"\xff" * 8, bytes(range(16))])
def test_a_template_that_knows_no_block_of_the_page_changes_nothing(template: bytes) -> None:
    assert get("auto").extract(page(2), ExtractorOptions(template=template)) == get("auto").extract(page(2))


def test_keys_are_found_wherever_they_sort() -> None:
    """The first, the last and those between."""
    blocks = walk(parse_tree(page(1)))
    keys = sorted(set(memoryview(survey_html(page(1)).keys).cast("Q")))
    template = b"".join(key.to_bytes(KEY.itemsize, "little") for key in keys)
    assert recurring(blocks, template).all()
    assert recurring(blocks, template[: KEY.itemsize]).sum() == 1
    assert recurring(blocks, template[-KEY.itemsize :]).sum() == 1


def test_processing_with_a_model_leaves_the_template_out_and_names_the_model() -> None:
    capture = Capture("http://a.example/23", NOW, 200, (), (("Content-Type", "text/html"),), page(23).encode())
    model = SiteModel("a", "rules-learned", template=TEMPLATE)
    document = process(capture, model).document
    assert document is not None
    assert document.text == "\n".join(paragraphs(23))
    assert document.site_model == "rules-learned"
    assert process(capture, model) == process(capture, model)
