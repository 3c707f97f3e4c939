"""Try the rules of a site on one page: what each selector selects, and the text that a crawl would store."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from corpus_spider.config.sections import RuleSettings, SiteSettings
from corpus_spider.config.values import css_selector
from corpus_spider.sites import single_page
from storage.errors import ConfigError
from storage.records import Drop, SiteRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.config.model import Config
    from corpus_spider.sites.single_page import PageReading

FIRST_WORDS = 80
"""Characters of what a selector selects that a table shows."""


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """What one rule selects on the page. ``elements``: those that gave something; ``text``: what they say."""

    rule: str
    selector: str
    elements: int
    text: str


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """Rules applied to one page. ``site`` is empty if no site is configured for it."""

    site: str
    url: str
    selected: tuple[RuleMatch, ...]
    reading: PageReading

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Rules that gave nothing."""
        return tuple(one.rule for one in self.selected if not one.elements)


def attempt(
    target: str, config: Config, site: str, given: Mapping[str, str | None], wanted: single_page.ExtractRequest
) -> RuleTrial:
    """Fetch or read a page and apply the rules of its site, changed by those ``given`` (None: as configured).

    Without a name the site is the one at the URL of the page. Raises ConfigError for an unknown site, an invalid
    selector and when there is no rule, NotFetchedError if the page cannot be fetched.
    """
    from pipelines.page.process import process, source_of

    named = config.site(site) if site else None
    for name, selector in given.items():
        if selector and (wrong := css_selector(selector)):
            raise ConfigError(wrong, where=f"--{name}", do="See `corpus-spider rules try --help`.")
    if named and not _has_rules(named.rules, given):
        raise _no_rules(f"site {named.name}")
    capture = single_page.capture_of(target, wanted, config)
    found = named or config.site_at(capture.url)
    if not _has_rules(found.rules if found else RuleSettings(), given):
        if not found and any(_has_rules(one.rules, given) for one in config.sites):
            do = 'Name its site with --site or --url, or give a selector: --content "div.article-body".'
            raise ConfigError("no site is known for this page, so there are no rules to try", where=target, do=do)
        raise _no_rules(f"site {found.name}" if found else target)
    rules = replace(
        found.rules if found else RuleSettings(), **{key: text for key, text in given.items() if text is not None}
    )
    model = replace(config.site_model(found or SiteSettings()), rules=SiteRules(**asdict(rules)))
    if not found:
        model = replace(model, languages=())
    source = source_of(capture, model)
    ruled = None if isinstance(source, Drop) else source.ruled
    selected = tuple(
        RuleMatch(name, selector, ruled.matched[name] if ruled else 0, ruled.texts[name] if ruled else "")
        for name, selector in model.rules.given.items()
    )
    reading = single_page.reading(capture, model, process)
    return RuleTrial(found.name if found else "", capture.url, selected, reading)


def _has_rules(rules: RuleSettings, given: Mapping[str, str | None]) -> bool:
    own = asdict(rules)
    return any(own[name] if selector is None else selector for name, selector in given.items())


def _no_rules(where: str) -> ConfigError:
    do = 'Add [site.rules] below its [[site]], or give a selector: --content "div.article-body".'
    return ConfigError("there are no rules to try", where=where, do=do)


class RuleTrialOutput(TypedDict):
    """What the rules of a site select on a page, and its document. ``unmatched``: rules that match nothing."""

    site: str
    url: str
    rules: list[RuleMatch]
    unmatched: list[str]
    document: single_page.ExtractOutput


def plain(trial: RuleTrial) -> RuleTrialOutput:
    """Return a trial for JSON."""
    return {
        "site": trial.site,
        "url": trial.url,
        "rules": list(trial.selected),
        "unmatched": list(trial.unmatched),
        "document": single_page.plain(trial.reading),
    }
