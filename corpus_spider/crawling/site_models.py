"""Site models for processing pages: the rules of a site and what was learned of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.template_learning import SCHEME
from storage.documents.site_models import learned_model

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.documents.site_models import LearnedModel
    from storage.records import SiteModel


class ConfiguredModels:
    """The site models of the configured sites, current and earlier ones."""

    def __init__(self, config: Config, corpus: Corpus) -> None:
        self._corpus = corpus
        self._rules = config.site_models()
        learned = corpus.models.newest(tuple(self._rules)) if config.crawl.site_models else {}
        self.newest = {site: with_learned(rules, learned.get(site)) for site, rules in self._rules.items()}
        """Current model by site."""
        self._found: dict[str, LearnedModel | None] = {}

    def as_made(self, site: str, version: str) -> SiteModel | None:
        """Return the current rules with what was learned for an earlier ``version`` (a document's ``site_model``).

        Return None when the site is not configured any more, or when the learned model is gone or of another scheme.
        """
        rules, learned_id = self._rules.get(site), learned_model(version)
        if rules is None or not learned_id:
            return rules
        if learned_id not in self._found:
            self._found[learned_id] = self._corpus.models.find(learned_id)
        model = with_learned(rules, self._found[learned_id])
        return model if model.version != rules.version else None


def with_learned(rules: SiteModel, learned: LearnedModel | None) -> SiteModel:
    """Add what was learned to the rules, unless it is nothing or its scheme is not that of this program."""
    if learned is None or learned.is_empty or learned.scheme != SCHEME:
        return rules
    version = f"{rules.version}-{learned.id}"
    return replace(rules, version=version, template=learned.template, own_lines=learned.own_lines)
