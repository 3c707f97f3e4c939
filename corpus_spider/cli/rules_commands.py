"""`corpus-spider rules`: try the rules of a site."""

from __future__ import annotations

from typing import Any

import click

from corpus_spider.cli.options import CommonOptions, Verbs, allow_private, as_json, examples, page_url, verb_of

_TRY = (
    "rules try https://news.example.org/article --site example-news",
    'rules try page.html --url https://news.example.org/article --content "div.article-body" --remove ".advert"',
)


@click.group(cls=Verbs, epilog=examples(_TRY))
def rules() -> None:
    """Try CSS selectors for the pages of a site."""


@verb_of(rules, _TRY, "try")
@click.argument("target", metavar="URL|FILE|-")
@click.option("--site", default="", metavar="NAME", help="Site with the rules. [default: the site at the URL]")
@click.option("--content", metavar="SELECTOR", help="Elements with the text.")
@click.option("--remove", metavar="SELECTOR", help="Elements that are not text.")
@click.option("--title", metavar="SELECTOR", help="Element with the title.")
@click.option("--authors", metavar="SELECTOR", help="Elements with the authors.")
@click.option("--date", metavar="SELECTOR", help="Element with the date of publication.")
@click.option("--standfirst", metavar="SELECTOR", help="Elements with the standfirst.")
@page_url
@allow_private
@as_json
def try_rules(state: CommonOptions, /, target: str, **options: Any) -> None:
    """Show what the rules of a site select on one page.

    Takes the rules of corpus.toml. A selector of the command line replaces the one of the same name, and "" turns it
    off. Prints what each selector selects, and the text. Warns when one matches nothing. Changes nothing.
    """
    from corpus_spider.cli import extract as shown
    from corpus_spider.sites import rule_trial
    from corpus_spider.sites.single_page import ExtractRequest

    names = ("content", "remove", "title", "authors", "date", "standfirst")
    given = {name: options[name] for name in names}
    wanted = ExtractRequest(url=options["url"], allow_private=options["allow_private"])
    trial = rule_trial.attempt(target, state.load_or_default(), options["site"], given, wanted)
    if options["as_json"]:
        state.console.json(rule_trial.plain(trial))
        return
    rows = [(one.rule, one.selector, one.elements, one.text[: rule_trial.FIRST_WORDS]) for one in trial.selected]
    state.console.table("Rules", ("rule", "selector", "elements", "text"), rows)
    shown.show(trial.reading, state.console, as_json=False)
    for name in trial.unmatched:
        state.console.error(f"warning: the rule {name} matches nothing on this page; it is read as without the rule")
