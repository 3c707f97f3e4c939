"""Select the main content of a page: the blocks that the model expects to be content, then the rules.

The content is the set of blocks with the greatest expected F1: by falling probability p and length l, up to where
2 · Σp·l of those taken / (Σl of those taken + Σp·l of all) is greatest. That value is also the confidence.

This formula assumes independent errors, but teasers are wrong together. So if the value is under ``SURE_F1``, only the
smallest element with a headline and a short article's worth of likely content is read (``under_headline``). On pages of
left-out sites the actual F1 was close to the expected one:

============ ==== ==== ==== ==== ==== ==== ==== =====
expected F1   to   to   to   to   to   to   to   to
              .50  .60  .70  .80  .85  .90  .95  1
============ ==== ==== ==== ==== ==== ==== ==== =====
pages           2    5    7   18   42   51  149  527
expected     .388 .562 .659 .769 .827 .877 .929 .976
actual       .395 .554 .714 .752 .824 .894 .945 .970
============ ==== ==== ==== ==== ==== ==== ==== =====

``pipelines.extractors`` defines what belongs to the text. The rules of ``parts`` and ``boilerplate`` remove what the
page marks clearly. ``jsonld_body`` doubts blocks that are not in JSON-LD. ``repeated_layout`` adds blocks of the same
make. ``head_and_end`` adds the standfirst and removes the signature. ``rule_tables`` has them in their order, and
``docs/explanation/extractor-rules.md`` the figures of each.

Blocks of the site's template (``template``) are left out, if it is known. The second stage of the model counts them as
no content. ``density`` reads pages that would strain the parser, and the extraction says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto import density
from pipelines.extractors.auto.blocks.features import measure
from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.site_template import recurring
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.model import model
from pipelines.extractors.auto.rule_tables import BLOCKS, LINES, BlockChoice, LineChoice
from pipelines.extractors.auto.rules import comments, head_and_end
from pipelines.extractors.auto.rules.captions import near_captions
from pipelines.extractors.auto.rules.head_and_end import shown_title
from pipelines.extractors.auto.rules.rule import apply_rules
from pipelines.extractors.auto.rules.text_lines import Kinds
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.explanation import Explanation, Series, beginnings
from pipelines.markup.soup import scan
from pipelines.metadata import jsonld
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.extractors.auto.blocks.page import Columns
    from pipelines.extractors.auto.blocks.text_measures import Array
    from pipelines.extractors.auto.blocks.walk import BlockSequence
    from pipelines.markup.page_view import PageView

NAME, VERSION = "scored", "25"
DIGITS = 4
"""Digits of a confidence in an extraction."""


@dataclass(frozen=True, slots=True)
class BlockEvidence:
    """The blocks of a page, their probabilities, and the masks of those that the text comes from and of the template.

    ``probability`` is the one that the blocks were chosen by.
    """

    page: PageBlocks
    probability: Array
    chosen: Array
    template: Array


@dataclass(frozen=True, slots=True)
class Parts:
    """As in `storage.records.Extraction`."""

    kinds: str = ""
    title: str = ""
    captions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectedText:
    """Result for one page: paragraphs and their expected F1 (``confidence``, 0 to 1)."""

    paragraphs: tuple[str, ...]
    confidence: float
    problem: str = ""
    """Reason why the page was not read; "" if it was."""
    parts: Parts = field(default_factory=Parts)
    left_out: int = 0
    """Blocks that belong to the template of the site."""
    template: frozenset[str] = frozenset()
    """Lines of these blocks that are in no other block of the page."""
    headed: bool = False
    """Whether the page was read under its headline, because of a low expected F1."""
    evidence: BlockEvidence | None = None
    """None if the page was not read."""

    @property
    def extraction(self) -> Extraction:
        """The reading as an extraction. The reason gives the confidence and the number of template blocks."""
        headed = ", read under its headline" * self.headed
        template = f", {self.left_out} blocks left out as the site's template" if self.left_out else ""
        reason = self.problem or f"expected F1 {self.confidence:.2f}{headed}{template}"
        return self.with_parts(Extraction(self.paragraphs, NAME, VERSION, reason, self.parts.kinds))

    def with_parts(self, found: Extraction) -> Extraction:
        """Add title, captions, comments and confidence to an extraction of the same page."""
        parts, confidence = self.parts, None if self.problem else round(self.confidence, DIGITS)
        captions = tuple(caption for caption in parts.captions if caption not in found.paragraphs)
        found = replace(found, title=parts.title, captions=captions, comments=parts.comments, confidence=confidence)
        return replace(found, left_out=self.template)


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Extract the blocks that are expected to be the main content. ``density`` reads pages that strain the parser."""
    reading = read(options.view(html), options.template)
    if reading.problem:
        return density.find(scan(html), reading.problem)
    return reading.extraction


def explain(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``extract``: the probability of each block; of a page that strains the parser, as ``density`` does."""
    reading = read(options.view(html), options.template)
    if reading.evidence is None:
        return density.explain_as(density.find(scan(html), reading.problem), html)
    return explained(reading.evidence, reading.extraction)


def explained(evidence: BlockEvidence, extraction: Extraction) -> Explanation:
    """Explain an extraction by the probabilities of the blocks."""
    page = evidence.page
    series = (
        Series.of("probability", "probability that the block is content, 0 to 1", evidence.probability),
        Series.of("characters", "characters without white space", page.texts.chars.astype(np.int64)),
        Series.of("linked", "share of the characters in links", page.link),
        Series.of("template", "1: block of the site's template", evidence.template.astype(np.int64)),
    )
    return Explanation(
        extraction,
        "block",
        series,
        tuple(evidence.chosen.tolist()),
        texts=beginnings(page.blocks.texts),
    )


@dataclass(frozen=True, slots=True)
class MeasuredPage:
    """A measured page: the input of the model and the rules."""

    body: str = ""
    """Body of the article in the page's JSON-LD."""
    page: PageBlocks | None = None
    """None if the page is not read; ``problem`` is the reason."""
    columns: Columns = field(default_factory=dict)
    problem: str = ""


def opened(view: PageView) -> MeasuredPage:
    """Measure a page, unless it has no text or would strain the parser."""
    if view.problem:
        return MeasuredPage(problem=view.problem)
    body = jsonld.article_body(view.jsonld) if b"articleBody" in view.source else ""
    blocks = walk(view.copy_of_tree())
    if not len(blocks):
        return MeasuredPage(problem="no text in the body")
    page = PageBlocks(blocks)
    return MeasuredPage(body, page, measure(page))


def read(view: PageView, template: bytes = b"") -> SelectedText:
    """Read a page without the blocks of the site's template."""
    found = opened(view)
    page, columns = found.page, found.columns
    if page is None:
        return SelectedText((), 0.0, found.problem)
    left_out = recurring(page.blocks, template)
    probabilities = partial(model().probabilities, page, columns)
    content = find(
        page,
        columns["title"],
        probabilities(left_out),
        lambda out: probabilities(left_out | out),
        found.body,
        head_and_end.head_of(view.source),
    )
    reading = _reading(content.without(left_out), left_out)
    if not left_out.any():
        return reading
    lines = frozenset(_lines(page.blocks, left_out)).difference(_lines(page.blocks, ~left_out))
    return replace(reading, left_out=int(left_out.sum()), template=lines)


def _lines(blocks: BlockSequence, chosen: Array) -> Iterator[str]:
    """Yield the lines of some of the blocks."""
    return chain.from_iterable(blocks.lines_of(chosen.nonzero()[0].tolist()))


def find(
    page: PageBlocks,
    title: Array,
    probability: Array,
    probability_without: Callable[[Array], Array] | None = None,
    body: str = "",
    head: bytes = b"",
) -> BlockChoice:
    """Select the content of a page by the probabilities of its blocks and the rules. `BlockChoice` has the inputs."""
    return apply_rules(BLOCKS, BlockChoice.of(page, title, probability, probability_without, body, head))


def _reading(content: BlockChoice, template: Array) -> SelectedText:
    page, title = content.page, shown_title(content.page, content.title)
    found = apply_rules(LINES, LineChoice(Kinds(page, content.chosen).lines(), title)).lines
    beside = Parts(
        "".join(line.kind for line in found),
        title,
        near_captions(page, content.chosen, content.captions),
        comments.comments(page, content.chosen),
    )
    chosen = np.zeros(page.count, bool)
    chosen[[index for line in found for index in line.blocks]] = True
    evidence = BlockEvidence(page, content.probability, chosen, template)
    text = tuple(line.text for line in found)
    return SelectedText(text, content.confidence, parts=beside, headed=content.headed, evidence=evidence)
