"""Other words for commands, and pages of the documentation: title, topic, and words that lead to each.

A test compares the titles and topics with docs/index.md, and looks for each word on its page.
"""

from __future__ import annotations

PAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "tutorial/getting-started": ("Getting started", "install, demo, first corpus", ("tutorial",)),
    "tutorial/vietnamese-corpus": (
        "From nothing to a published Vietnamese corpus",
        "fifteen minutes; crawl, look, publish",
        ("tutorial",),
    ),
    "tutorial/arabic-nightly-crawl": (
        "A nightly crawl of an Arabic newspaper",
        "fifteen minutes; timer, second night, a night that fails",
        ("tutorial",),
    ),
    "how-to/install": (
        "Install",
        "each way in one line, extras with their sizes, shell completion",
        ("pip", "pipx", "uv", "wheel", "docker", "extras"),
    ),
    "how-to/crawling": (
        "Crawling",
        "limits, nightly crawls, ranges of days, lists of URLs, browsers, imports",
        ("browser", "import", "cron", "robots.txt"),
    ),
    "how-to/sites": ("Sites", "finding and checking the sources of a newspaper", ("feeds", "sitemaps")),
    "how-to/rules-for-a-site": (
        "Rules for a site",
        "text and metadata by CSS selectors of your own",
        ("selectors", "css"),
    ),
    "how-to/cookie-walls": (
        "A paper behind a cookie wall",
        "pages that ask for consent to cookies, and what to do",
        ("consent", "cookie"),
    ),
    "how-to/use-from-python": (
        "Use from Python",
        "extract, crawl and read a corpus; data frames",
        ("pandas", "polars", "notebook"),
    ),
    "how-to/extract-files": (
        "Extract files",
        "texts of files and folders, in parallel, without a corpus",
        ("folders", "files"),
    ),
    "how-to/write-an-extractor": (
        "Write an extractor",
        "extractors, segmenters and formats of your own",
        ("plugins", "segmenters"),
    ),
    "how-to/monitoring": (
        "Monitoring",
        "failing sites, notification",
        ("failing site", "mail", "webhook"),
    ),
    "how-to/operate": (
        "Operate a nightly crawl",
        "unit of the system, log, metrics",
        ("timer", "cron", "systemd", "log", "sudo"),
    ),
    "how-to/containers": (
        "Containers",
        "image, PostgreSQL, nightly crawl and web page",
        ("docker", "podman", "compose", "postgresql", "proxy"),
    ),
    "how-to/alerts": (
        "Alerts",
        "metrics with documented names, rules for Prometheus",
        ("prometheus", "metrics", "failing site"),
    ),
    "how-to/corpus": ("The corpus", "status, reasons, Python, tables, PostgreSQL", ("postgresql", "sql")),
    "how-to/search": (
        "Search",
        "concordance, word lists, web page",
        ("concordance", "marks", "diacritics", "proxy", "token"),
    ),
    "how-to/export": (
        "Export",
        "formats, filters, fields, spelling folds, quality",
        ("parquet", "csv", "marks", "licence"),
    ),
    "how-to/releases": ("Releases", "datasets to publish, changes, originals", ("dataset", "licence")),
    "how-to/evaluation": ("Evaluation", "scoring extractors on pages with true text", ("gold", "score")),
    "how-to/maintenance": (
        "Maintenance",
        "check, backup, move, upgrade, prune, remove",
        ("takedown", "removal", "wal", "postgresql"),
    ),
    "how-to/back-up": ("Back up", "backup with a restore drill", ("backup", "restore", "postgresql")),
    "how-to/upgrade": ("Upgrade", "to a new version, and the way back", ("restore", "schema", "wal")),
    "reference/commands": ("Commands", "each verb with its options", ("verb",)),
    "reference/configuration": (
        "Configuration",
        "where a setting is looked up; settings explained",
        ("environment", "corpus.toml"),
    ),
    "reference/settings": ("Settings", "each key of `corpus.toml` with type and default", ("corpus.toml", "default")),
    "reference/fields": ("Fields", "fields of an exported document", ("export",)),
    "reference/reasons": ("Reasons", "why a page has no document, why a URL failed", ("dropped",)),
    "reference/exit-codes": ("Exit codes", "all of them", ("exit codes",)),
    "reference/json": ("JSON outputs", "the form of each `--json` output, with its schema and version", ("schema",)),
    "reference/python": ("Python", "public functions and classes", ("import corpus_spider",)),
    "reference/languages": ("Languages", "languages, encodings, dates", ("encodings", "calendars", "marks")),
    "reference/words": ("Words", "words of each language, tag clouds", ("segmentation", "segmenter", "token")),
    "reference/vocabulary": ("Vocabulary", "one word for each thing", ("word",)),
    "explanation/architecture": ("Architecture", "three floors, the life of a page and of a night", ("writer",)),
    "explanation/extraction": (
        "Extraction",
        "what is in a text, figures, site models, extract again",
        ("site model",),
    ),
    "explanation/extractors": ("Extractors", "each method with its figures", ("trafilatura",)),
    "explanation/extractor-rules": ("Extractor rules", "what each rule of the default extractor gains", ("ablation",)),
    "explanation/dates": ("Dates and calendars", "places, words, seven calendars, time zones", ("time zones",)),
    "explanation/duplicates": ("Duplicates", "exact and near ones, clusters, versions", ("near duplicates", "minhash")),
    "explanation/politeness": (
        "Politeness and law",
        "robots.txt, delays, crawler traps, usage terms",
        ("robots.txt", "copyright", "licence", "takedown", "tdm"),
    ),
    "explanation/durability": ("Crash safety", "promises, and the tests that keep them", ("crash", "power")),
    "explanation/security": ("Security", "protection from hostile pages", ("proxy", "container")),
}
"""By address below ``docs/``, without the ending: title, topic, and further words that the page has."""

VERBS = {
    "alert": "health",
    "cron": "schedule",
    "failing site": "health",
    "systemd": "schedule",
    "takedown": "remove",
    "timer": "schedule",
    "upgrade": "migrate",
}
"""Command that does what another word says."""
