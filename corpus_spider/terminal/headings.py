"""Words above the columns of all tables. Each field has one word, and each word has one meaning.

The words are explained in `docs/reference/vocabulary.md`.
"""

from __future__ import annotations

HEADINGS = {
    name: name.replace("_", " ")
    for name in (
        # Things.
        *(
            "command",
            "site",
            "source",
            "host",
            "hosts",
            "url",
            "page",
            "pages",
            "file",
            "name",
            "names",
            "kind",
            "form",
            "id",
        ),
        *("language", "languages", "extractor", "delay", "depth", "allow", "deny", "description", "section"),
        # Counts.
        *("documents", "characters", "words", "pending", "count", "entries", "found", "fetched", "unchanged", "new"),
        *(
            "healed",
            "own_lines",
            "versions",
            "refused",
            "robots",
            "http_errors",
            "failed",
            "no_text",
            "short",
            "undated",
            "awaiting",
        ),
        *("duplicates", "suspended", "usual", "stored", "seconds", "bytes"),
        # States and reasons.
        *(
            "state",
            "meaning",
            "reason",
            "outcome",
            "status",
            "detail",
            "sign",
            "problem",
            "verdict",
            "check",
            "advice",
            "next",
        ),
        # Times.
        *("last_crawl", "newest", "when", "replaced", "next_attempt", "month", "date"),
        # Places.
        *("warc", "offset"),
        # Facts: a name and its value. A terminal shows them without headings.
        *("what", "value"),
        # Lines of a concordance.
        *("day", "left", "keyword", "right"),
        # Rules of a site.
        *("rule", "selector", "elements", "text"),
        # Scores: precision P, recall R, F1, intervals of 95 %, speed.
        *("texts", "F1", "95 %", "median", "P", "R", "bag", "Thai", "empty", "MB/s", "difference"),
        *("expected", "mean expected", "mean F1"),
        # Site models, and what they gain.
        *("model", "lines", "recurring", "shared", "with", "without", "gain", "changed"),
        # Extractors.
        *("version", "for"),
        # Queued URLs after a change of the link rules.
        *("taken_out", "let_in"),
        # Crawls on several machines. "since": how long ago it began.
        *("worker", "machine", "process", "slots", "since", "last_sign", "batch", "attempts", "minutes", "sites"),
        "pages_per_minute",
        # Known newspapers.
        *("homepage", "country", "timezone", "feeds", "terms", "checked"),
        # Earlier metadata.
        *("field", "was", "why"),
    )
}
"""Heading of each field of a table."""
HEADINGS |= {
    "articles": "new",
    "max_depth": "depth",
    "chars": "characters",
    "next_try": "next attempt",
    "next": "next command",
}


def heading(field: str) -> str:
    """Return the word for a field of a table. A field without a word of its own keeps its name, with spaces."""
    return HEADINGS.get(field) or field.replace("_", " ")
