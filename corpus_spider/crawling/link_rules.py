"""Apply changed link rules to the queue.

The configuration of each run is stored with digests of the link rules of its sites. If one differs from that of the
last run, the queued URLs of the site are compared with the rules of today.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec

from pipelines.discovery.scope import scope_of
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.frontier.rule_changes import RuleChange
    from storage.records import Lease

logger = logging.getLogger(__name__)

KEY = "link_rules"
"""Key of the digests in the stored configuration of a run."""


def stored_config(config: Config) -> str:
    """Return the effective configuration as JSON, with the digests of the link rules."""
    return msgspec.json.encode(config.effective() | {KEY: config.link_rules()}).decode()


def changed_sites(config: Config, corpus: Corpus) -> tuple[str, ...]:
    """Return the sites whose link rules differ from those of their last run.

    The runs of earlier versions have no digests: their sites are compared once.
    """
    rules = config.link_rules()
    before = corpus.runs.last_configs(rules)
    return tuple(
        site for site, text in before.items() if msgspec.json.decode(text).get(KEY, {}).get(site) != rules[site]
    )


def compare(config: Config, corpus: Corpus) -> dict[str, RuleChange]:
    """Return, for each site with changed link rules, the queued URLs that they take out and let in."""
    changed = changed_sites(config, corpus)
    if not changed:
        return {}
    logger.info("comparing the queue with the link rules of %s", counted(len(changed), "site"))
    models = {site.name: config.site_model(site) for site in config.sites}

    def is_in_scope(lease: Lease, known: bool) -> bool:
        model = models[lease.site]
        return not model.hosts or scope_of(model).still_has(lease, known=known)

    return corpus.frontier.compare_rules(changed, is_in_scope)


def follow(config: Config, corpus: Corpus) -> dict[str, RuleChange]:
    """Apply changed link rules to the queue, and return what they changed for each site with other rules."""
    changes = compare(config, corpus)
    corpus.frontier.follow_rules(changes)
    for row in rows(changes):
        out, let_in = counted(row["taken_out"], "queued URL"), row["let_in"]
        logger.info("%s: the link rules changed. %s taken out, %d let in", row["site"], out, let_in)
    return changes


def rows(changes: Mapping[str, RuleChange]) -> list[dict[str, Any]]:
    """Return the counts of the sites where the changed rules concern a queued URL."""
    return [
        {"site": site, "taken_out": len(change.taken_out), "let_in": len(change.let_in)}
        for site, change in changes.items()
        if change.taken_out or change.let_in
    ]
