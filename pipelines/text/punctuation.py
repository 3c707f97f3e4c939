"""Punctuation of all scripts: commas, semicolons, quotation marks, brackets. `scripts` has the ends of sentences."""

from __future__ import annotations

COMMAS = ",،、，､﹐﹑︐︑՝፣၊᠂᠈߸꓾꘍꛵"
"""Signs between the parts of a sentence or of a list, which do not end it. The Armenian one is a colon too."""
SEMICOLONS = ";؛；﹔︔፤꛶"
CLOSING_QUOTES = "\"'”’»›」』"
REVERSED_QUOTES = "“‘«"
"""Marks that open a quotation in one language and close it in another: „Ja.“ »Ja.«"""
CLOSING_BRACKETS = ")]）】"
CLOSING = CLOSING_QUOTES + CLOSING_BRACKETS
"""Signs that belong to the sentence before them."""
DOUBLE_QUOTES, SINGLE_QUOTES = "“”„‟«»〝〞＂", "‘’‚‛‹›＇"
"""Quotation marks of all languages that are typed as " and '."""
CORNER_BRACKETS = "「」『』"
"""Quotation marks of Chinese and Japanese."""
