"""Short articles with teasers of other articles: texts in several languages, and layouts."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple


class ShortArticle(NamedTuple):
    """A headline, two paragraphs, and teasers: a headline and the first words of each."""

    title: str
    lines: tuple[str, ...]
    teasers: tuple[tuple[str, str], ...]


ARTICLES = {
    language: ShortArticle(article["title"], tuple(article["lines"]), tuple(map(tuple, article["teasers"])))
    for language, article in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}


def _rows(article: ShortArticle) -> str:
    rows = "".join(
        f'<li><a href="/n/{place}.html"><h3>{head}</h3></a></li><li><p>{text}</p></li>'
        for place, (head, text) in enumerate(article.teasers)
    )
    return f"<ul>{rows}</ul>"


def _cards(article: ShortArticle, name: str) -> str:
    return "".join(
        f'<div class="{name}"><h4><a href="/n/{place}">{head}</a></h4><p>{text}</p></div>'
        for place, (head, text) in enumerate(article.teasers)
    )


def _linked_cards(article: ShortArticle) -> str:
    return "".join(
        f'<article><a href="/n/{place}"><h3>{head}</h3></a><div class="txt">{text}</div></article>'
        for place, (head, text) in enumerate(article.teasers)
    )


def pages(article: ShortArticle) -> dict[str, str]:
    """Return an article in several layouts, each with teasers at another place."""
    text = "".join(f"<p>{line}</p>" for line in article.lines)
    menu = '<ul class="nav"><li><a href="/">A1</a></li><li><a href="/b">B2</a></li><li><a href="/c">C3</a></li></ul>'
    h1, rows, cards = f"<h1>{article.title}</h1>", _rows(article), _cards(article, "card")
    first, second = (f"<p>{line}</p>" for line in article.lines)
    main = f'<div class="main">{h1}<div>{text}</div></div>'
    body = f'<div class="body">{text}</div>'
    bodies = {
        "rows after, no headline": f'<div class="left">{body}<div class="rel">{rows}</div></div>',
        "rows after": f'<div class="left">{h1}{body}<div class="b2">{rows}</div></div>',
        "cards beside": f'{menu}<div class="wrap"><main>{h1}{text}</main><aside>{cards}</aside></div>',
        "cards after": f'{menu}{main}<div class="list">{cards}</div>',
        "linked cards after": f"{menu}<div>{h1}<div>{text}</div><section>{_linked_cards(article)}</section></div>",
        "cards before": f'{menu}<div class="top">{cards}</div>{main}',
        "cards in the text": f'{menu}<article>{h1}{first}<div class="box">{cards}</div>{second}</article>',
    }
    return {
        name: f"<!DOCTYPE html><html><head><title>{article.title}</title></head><body>{body}</body></html>"
        for name, body in bodies.items()
    }
