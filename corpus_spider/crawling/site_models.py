"""Site models for processing pages: the rules of a site and, if there is one, its learned template."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.template_learning import SCHEME

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.documents.site_models import LearnedModel
    from storage.records import SiteModel


class Models:
    """The site models of the configured sites, current and earlier ones."""

    def __init__(self, config: Config, corpus: Corpus) -> None:
        self._corpus = corpus
        self._rules = {site.name: config.site_model(site) for site in config.sites}
        learned = corpus.models.newest(tuple(self._rules)) if config.crawl.site_models else {}
        self.newest = {site: with_learned(rules, learned.get(site)) for site, rules in self._rules.items()}
        """Current model by site."""
        self._found: dict[str, LearnedModel | None] = {}

    def as_made(self, site: str, version: str) -> SiteModel | None:
        """Return the current rules with the learned template of an earlier ``version`` (a document's ``site_model``).

        Return None when the site is not configured any more, or when the template is gone or of another scheme.
        """
        rules, learned_id = self._rules.get(site), version.partition("-")[2]
        if rules is None or not learned_id:
            return rules
        if learned_id not in self._found:
            self._found[learned_id] = self._corpus.models.find(learned_id)
        model = with_learned(rules, self._found[learned_id])
        return model if model.template else None


def with_learned(rules: SiteModel, learned: LearnedModel | None) -> SiteModel:
    """Add a learned template to the rules, unless it is empty or its scheme is not that of this program."""
    if learned is None or not learned.template or learned.scheme != SCHEME:
        return rules
    return replace(rules, version=f"{rules.version}-{learned.id}", template=learned.template)
