"""Rules of two stages in their order: blocks of the page (`BLOCKS`), lines of the text (`LINES`).

The tables of the later stages are ``auto.extractor.SECOND_READINGS`` and ``pipelines.page.postprocess.TIDYING``.
``docs/explanation/extractor-rules.md`` has what each rule gains.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.features import log_odds, under_headline
from pipelines.extractors.auto.model import choose, logistic
from pipelines.extractors.auto.rules import (
    boilerplate,
    captions,
    comments,
    controls,
    copies,
    head_and_end,
    jsonld_body,
    openers,
    pull_quotes,
    repeated_layout,
)
from pipelines.extractors.auto.rules.head_and_end import MIN_LIKENESS
from pipelines.extractors.auto.rules.rule import Rule
from pipelines.text.scripts import SENTENCE_ENDS
from storage.records import ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
    from pipelines.extractors.auto.rules.text_lines import TextLine

SURE_F1 = 0.65
"""Expected F1 from which the chosen blocks are taken, wherever they are on the page."""
MAX_HEADING = 60
"""Characters of the heading of a box."""
HEAD_LINES = 3
"""Lines at the head of a text that may be the title. A shorter text keeps its last line in any case."""


@dataclass(frozen=True, slots=True)
class BlockChoice:
    """The blocks of a page with what is known of them, and masks of those that are chosen as its main content."""

    page: PageBlocks
    title: Array
    """Likeness of each block and the page's title, 0 to 1."""
    probability: Array
    """Probability of each block, 0 to 1."""
    probability_without: Callable[[Array], Array]
    """Returns the probabilities if some blocks are no content."""
    body: str
    """Body of the article in JSON-LD."""
    head: bytes
    """The page's head in UTF-8."""
    may_be_text: Array
    """Blocks that are text, whether they are shown or not."""
    shown: Array
    chosen: Array
    captions: Array
    """All blocks that may be captions."""
    confidence: float = 0.0
    """Expected F1 of the content."""
    headed: bool = False
    """Whether the page was read under its headline."""

    @classmethod
    def of(
        cls,
        page: PageBlocks,
        title: Array,
        probability: Array,
        probability_without: Callable[[Array], Array] | None = None,
        body: str = "",
        head: bytes = b"",
    ) -> BlockChoice:
        """Return the state before the first rule: no block is chosen."""
        none, everything = np.zeros(page.count, bool), np.ones(page.count, bool)
        again = probability_without or (lambda out: np.where(out, 0.0, probability))
        return cls(page, title, probability, again, body, head, everything, everything, none, none)

    @property
    def allowed(self) -> Array:
        """Blocks that rules may add."""
        allowed: Array = self.may_be_text & self.shown
        return allowed

    def without(self, out: Array) -> BlockChoice:
        """Return the same with some blocks left out."""
        return replace(self, chosen=self.chosen & ~out, captions=self.captions & ~out)


def _comment_sections(choice: BlockChoice) -> BlockChoice:
    said = comments.comment_sections(choice.page, choice.probability)
    return replace(choice, probability=choice.probability_without(said)) if said.any() else choice


def _captions(choice: BlockChoice) -> BlockChoice:
    sure, likely = captions.find_captions(choice.page)
    text = (choice.probability >= comments.MIN_PROBABILITY) & (choice.title <= MIN_LIKENESS)
    if sure[text].all():  # the page calls its text captions
        sure = np.zeros_like(sure)
    return replace(choice, may_be_text=choice.may_be_text & ~sure, captions=likely)


def _chosen_by_model(choice: BlockChoice) -> BlockChoice:
    likely = np.where(choice.may_be_text, choice.probability, 0.0)
    chosen, confidence = choose(likely, choice.page.texts.chars)
    return replace(choice, chosen=chosen, confidence=confidence)


def _stated_body(choice: BlockChoice) -> BlockChoice:
    doubts = jsonld_body.doubts(choice.page, choice.chosen, choice.body) if choice.body else None
    if doubts is None or not doubts.any():
        return choice
    return _chosen_by_model(replace(choice, probability=logistic(log_odds(choice.probability) - doubts)))


def _title_block(choice: BlockChoice) -> BlockChoice:
    return replace(choice, may_be_text=choice.may_be_text & (choice.title <= MIN_LIKENESS))


def _hidden(choice: BlockChoice) -> BlockChoice:
    return replace(choice, shown=choice.shown & ~choice.page.hidden)


def _folds(choice: BlockChoice) -> BlockChoice:
    return replace(choice, shown=choice.shown | controls.unfolded(choice.page, choice.chosen & choice.may_be_text))


def _buttons(choice: BlockChoice) -> BlockChoice:
    return replace(choice, shown=choice.shown & ~controls.buttons(choice.page))


def _under_headline(choice: BlockChoice) -> BlockChoice:
    if choice.confidence >= SURE_F1:
        return choice
    likely = np.where(choice.allowed, choice.probability, 0.0)
    inside = under_headline(choice.page, likely * choice.page.weight)
    if not inside.any():
        return choice
    chosen = choose(np.where(inside, likely, 0.0), choice.page.texts.chars)[0]
    return replace(choice, chosen=chosen, headed=True)


def _shown(choice: BlockChoice) -> BlockChoice:
    chosen = choice.chosen & choice.allowed
    if not chosen.any():  # all text is hidden until a script shows it
        chosen = choice.chosen & choice.may_be_text
    return replace(choice, chosen=chosen)


def _openers(choice: BlockChoice) -> BlockChoice:
    found = openers.openers(choice.page, choice.chosen, choice.may_be_text & ~choice.page.hidden)
    return replace(choice, chosen=choice.chosen | found) if found.any() else choice


def _standfirst(choice: BlockChoice) -> BlockChoice:
    likely = choice.allowed & ~choice.captions & (choice.probability >= head_and_end.MIN_STANDFIRST_PROBABILITY)
    return replace(choice, chosen=head_and_end.with_standfirst(choice.page, choice.chosen, likely, choice.head))


def _signature(choice: BlockChoice) -> BlockChoice:
    return replace(choice, chosen=head_and_end.without_signature(choice.page, choice.chosen))


def _adding(find: Callable[[PageBlocks, Array, Array, Array], Array]) -> Callable[[BlockChoice], BlockChoice]:
    """Make a rule of a function that adds allowed blocks to the chosen ones."""

    def add(choice: BlockChoice) -> BlockChoice:
        found = find(choice.page, choice.chosen, choice.probability, choice.allowed)
        return choice if found is choice.chosen else replace(choice, chosen=found)

    return add


def _removing(find: Callable[[PageBlocks, Array], Array]) -> Callable[[BlockChoice], BlockChoice]:
    """Make a rule of a function that marks chosen blocks that are no text. The last chosen block stays."""

    def remove(choice: BlockChoice) -> BlockChoice:
        left = choice.chosen & ~find(choice.page, choice.chosen)
        return replace(choice, chosen=left) if left.any() else choice

    return remove


BLOCKS: tuple[Rule[BlockChoice], ...] = (
    Rule("comment sections", "leaves out sections of comments, in the model", _comment_sections),
    Rule("captions", "leaves out captions, by elements and class names", _captions),
    Rule("model", "chooses the blocks with the greatest expected F1", _chosen_by_model, is_required=True),
    Rule("stated body", "doubts blocks that JSON-LD lacks", _stated_body),
    Rule("title block", "leaves out the block that is the title", _title_block),
    Rule("hidden", "leaves out hidden blocks", _hidden),
    Rule("folds", "keeps the rest of a text behind 'read more'", _folds),
    Rule("buttons", "leaves out buttons", _buttons),
    Rule("under headline", "reads under the headline where little is expected", _under_headline),
    Rule("shown", "keeps what is text, hidden text if there is no other", _shown, is_required=True),
    Rule("completed", "adds missed blocks of the same make", _adding(repeated_layout.completed)),
    Rule("enclosed", "adds lists, tables and subheads among the chosen", _adding(repeated_layout.enclosed)),
    Rule("continued", "adds the rest of a sentence that a card cuts", _adding(repeated_layout.continued)),
    Rule("closing lists", "adds lists right behind the text", _adding(repeated_layout.closing)),
    Rule("openers", "adds summaries and buttons that open chosen text", _openers),
    Rule("elsewhere boxes", "leaves out what stands below 'read also'", _removing(boilerplate.elsewhere)),
    Rule("related", "leaves out boxes named as related articles", _removing(boilerplate.related)),
    Rule("links", "leaves out blocks that are links", _removing(boilerplate.links)),
    Rule("labels", "leaves out headings of link boxes", _removing(boilerplate.labels)),
    Rule("widgets", "leaves out boxes named as widgets", _removing(boilerplate.widgets)),
    Rule("asking", "leaves out small boxes with forms or calls", _removing(boilerplate.asking)),
    Rule("standfirst", "adds the standfirst that the head repeats", _standfirst),
    Rule("signature", "leaves out a signature set flush", _signature),
    Rule("next articles", "leaves out the articles after this one", _removing(copies.next_articles)),
    Rule("copies", "leaves out the second copy of the article", _removing(copies.copies)),
    Rule("pull quotes", "leaves out quotations of the text itself", _removing(pull_quotes.pull_quotes)),
)


@dataclass(frozen=True, slots=True)
class LineChoice:
    """The lines of a text, and the title that is shown above it."""

    lines: list[TextLine]
    title: str


def _title_lines(choice: LineChoice) -> LineChoice:
    # The title may be a line of a block that is text.
    head, rest = choice.lines[:HEAD_LINES], choice.lines[HEAD_LINES:]
    return replace(choice, lines=[*(line for line in head if line.text != choice.title), *rest])


def _asides(choice: LineChoice) -> LineChoice:
    return replace(choice, lines=boilerplate.without_lines(choice.lines))


def _heading_of_nothing(choice: LineChoice) -> LineChoice:
    opens = len(choice.lines) > HEAD_LINES and _opens_nothing(*choice.lines[-2:])
    return replace(choice, lines=choice.lines[:-1]) if opens else choice


def _opens_nothing(before: TextLine, last: TextLine) -> bool:
    """Return whether the last line of a text is the heading of a part that was left out: links, forms, players.

    If the line ``before`` is a heading too, the text may be a list of headings.
    """
    line, kind = last.text, last.kind
    heading = kind is ParagraphKind.HEADING and before.kind is not kind and line[-1] not in SENTENCE_ENDS
    return len(line) <= MAX_HEADING and (heading or line[-1] in ":：")


LINES: tuple[Rule[LineChoice], ...] = (
    Rule("title lines", "leaves out the title among the first lines", _title_lines),
    Rule("asides", "leaves out lines by their words", _asides),
    Rule("heading of nothing", "leaves out a last heading of nothing", _heading_of_nothing),
)
