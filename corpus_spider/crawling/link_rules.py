"""Apply changed link rules to the queue. Pages without text come back when a browser renders their site now.

The database has for each site a digest of the link rules that its queue follows. If that of today differs, the queued
URLs of the site are compared with the rules of today.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.discovery.scope import scope_of
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.frontier.rule_changes import RuleChange
    from storage.records import Lease

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChangedRules:
    """Queued URLs of a site that its changed link rules take out and let in."""

    site: str
    taken_out: int
    let_in: int


def changed_sites(rules: Mapping[str, str], followed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sites whose queue follows other link rules than those of today, by their digests.

    A site without a digest had no crawl. The queue of a site with an empty one is compared once.
    """
    return tuple(site for site, digest in rules.items() if followed.get(site, digest) != digest)


def compare(config: Config, corpus: Corpus) -> dict[str, RuleChange]:
    """Return, for each site with changed link rules, the queued URLs that they take out and let in."""
    return _compare(config, corpus, changed_sites(config.link_rules(), corpus.frontier.followed_rules()))


def _compare(config: Config, corpus: Corpus, changed: tuple[str, ...]) -> dict[str, RuleChange]:
    if not changed:
        return {}
    logger.info("comparing the queue with the link rules of %s", counted(len(changed), "site"))
    models = config.site_models()

    def is_in_scope(lease: Lease, known: bool) -> bool:
        model = models[lease.site]
        return not model.hosts or scope_of(model).still_has(lease, known=known)

    rendered = {site.name for site in config.sites if site.render}
    return corpus.frontier.compare_rules(changed, is_in_scope, rendered)


def follow(config: Config, corpus: Corpus) -> dict[str, RuleChange]:
    """Apply changed link rules to the queue, and return what they changed for each site with other rules."""
    rules, followed = config.link_rules(), corpus.frontier.followed_rules()
    changes = _compare(config, corpus, changed_sites(rules, followed))
    if new := {site: digest for site, digest in rules.items() if followed.get(site) != digest}:
        corpus.frontier.follow_rules(changes, new)
    for row in rows(changes):
        out = counted(row.taken_out, "queued URL")
        logger.info("%s: the link rules changed. %s taken out, %d let in", row.site, out, row.let_in)
    return changes


def rows(changes: Mapping[str, RuleChange]) -> list[ChangedRules]:
    """Return the counts of the sites where the changed rules concern a queued URL."""
    return [
        ChangedRules(site, len(change.taken_out), len(change.let_in))
        for site, change in changes.items()
        if change.taken_out or change.let_in
    ]
