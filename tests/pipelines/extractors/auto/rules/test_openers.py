"""Headings that open a part of the text are kept with the text they open, unlike other controls."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.extractors.auto.blocks.page import PageBlocks
from pipelines.extractors.auto.blocks.walk import walk
from pipelines.extractors.auto.rules.openers import openers
from pipelines.markup.tree import parse_tree

SAID = "The lock was built of oak, and the boats pass it in the early morning. "


def opened(parts: str) -> list[str]:
    """Return the added lines of an article of which the paragraphs are chosen."""
    page = PageBlocks(walk(parse_tree(f"<title>Lock</title><body><article><p>{SAID}</p>{parts}</article></body>")))
    chosen = np.array([text.startswith(SAID[:20]) for text in page.blocks.texts])
    found = openers(page, chosen, np.ones(page.count, bool))
    return [page.blocks.texts[index] for index in np.flatnonzero(found)]


def made(markup: str, *headings: str) -> str:
    return "".join(markup.format(heading, f"{SAID}{number}") for number, heading in enumerate(headings))


SUMMARY = "<details><summary>{0}</summary><p>{1}</p></details>"
PLAIN = "<div class=part><button>{0}</button><div><p>{1}</p></div></div>"
STATED = "<div><button aria-expanded=false aria-controls=x>{0}</button></div><div><p>{1}</p></div>"
HEADINGS = {"en": ("Long roads", "Little room"), "ar": ("طريق طويل", "مكان ضيق"), "th": ("ทางยาว", "ที่แคบ")}


@pytest.mark.parametrize("headings", HEADINGS.values(), ids=HEADINGS)
@pytest.mark.parametrize(
    "markup",
    [SUMMARY, SUMMARY.replace("{0}", "<h3>{0}</h3>"), SUMMARY.replace("<details", "<details open"), PLAIN, STATED],
    ids=["summary", "heading in a summary", "open", "plain button", "button with a state"],
)
def test_different_headings_that_open_chosen_text_are_kept(markup: str, headings: tuple[str, ...]) -> None:
    assert opened(made(markup, *headings)) == list(headings)


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        (made(SUMMARY, "Show the rest"), []),
        (made(SUMMARY, "When does it open?"), ["When does it open?"]),
        (made(PLAIN, "When does it open?"), []),
        (made(SUMMARY, "Show more", "Show more"), []),
        (made(PLAIN, "Share", "Share", "Share"), []),
        (made(PLAIN, "10:30", "11:45"), []),
        (made("<button>{0}</button><p>{1}</p>", "Play the bells", "Play the horn"), []),
        (made("<figure><button>{0}</button></figure><p>{1}</p>", "Play the bells", "Play the horn"), []),
        (made("<div class=part><p>{1}</p><button>{0}</button></div>", "Answer Ann", "Answer Lee"), []),
        (made("<details><summary>{0}</summary><p>Eels 4.20, carp 3.10.</p></details>", "Prices", "Places"), []),
        (made("<details><summary><a href=/x>{0}</a></summary><p>{1}</p></details>", "Long roads", "Little room"), []),
    ],
    ids=[
        "one that is no question",
        "one question",
        "one question on a plain button",
        "the same words",
        "the same words on buttons",
        "times",
        "buttons in the text",
        "buttons of players",
        "buttons below a text",
        "text that is not chosen",
        "links",
    ],
)
def test_other_controls_stay_out(parts: str, kept: list[str]) -> None:
    """The words of a page's own controls repeat, or open nothing that is chosen."""
    assert opened(parts) == kept
