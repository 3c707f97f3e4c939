"""HTML of the demo pages, from articles and templates."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote

from corpus_spider.demo.articles import LINK, ArticleBlock, Role

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from corpus_spider.demo.articles import Article
    from corpus_spider.demo.papers import Edition

FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Layout:
    """Templates of one newspaper: files by stem, and the small parts of parts.toml."""

    files: Mapping[str, str]
    parts: Mapping[str, str]


@cache
def layout(name: str) -> Layout:
    """Read the templates of that name."""
    folder = FOLDER / name
    files = {
        file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.suffix in {".html", ".txt"}
    }
    return Layout(files, tomllib.loads((folder / "parts.toml").read_text(encoding="utf-8")))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Substitute values, which are HTML already. Raises KeyError if one is missing."""
    return Template(template).substitute(values)


def robots_txt(edition: Edition) -> str:
    """Return robots.txt with the base URL of the edition."""
    return fill(layout(edition.paper.language).files["robots"], {"base": edition.base})


def article_page(edition: Edition, article: Article, url: str) -> str:
    """Return the page of an article at that URL."""
    look = layout("wire" if article.wire else edition.paper.language)
    values = _article_values(edition, article) | {"url": escape(url), "quoted_url": quote(url, safe="")}
    values["json_ld"] = _json_ld(edition, article, url)
    values["body"] = _body(edition, article, look, values)
    values["related"] = "".join(
        fill(look.parts["related"], _card(edition, other)) for other in edition.related(article)
    )
    values["head"] = fill(look.parts["head_article"], values)
    return _shell(look, values | {"main": fill(look.files["article"], values)})


def home_page(edition: Edition) -> str:
    """Return the front page: the newest article large, the others as cards, then the unlisted ones."""
    look = layout(edition.paper.language)
    hero = _card(edition, edition.listed[0], edition.paper["variant"])
    cards = [fill(look.parts["card"], _card(edition, article)) for article in edition.listed[1:]]
    values = _page_values(edition, "/", edition.paper["name"])
    values |= {"hero": fill(look.parts["hero"], hero), "cards": "".join(cards), "picks": _picks(edition, look)}
    return _shell(look, values | {"main": fill(look.files["home"], values)})


def section_page(edition: Edition, section: Mapping[str, str]) -> str:
    """Return the list page of a section."""
    look = layout(edition.paper.language)
    articles = [article for article in edition.listed if article.fields["section"] == section["slug"]]
    values = _page_values(edition, section["path"], section["title"])
    values["section_url"] = escape(section["path"])
    values["cards"] = "".join(fill(look.parts["card"], _card(edition, article)) for article in articles)
    return _shell(look, values | {"main": fill(look.files["list"], values)})


def plain_page(edition: Edition, page: Mapping[str, str]) -> str:
    """Return a page without an article: from its template, or with its ``text`` in a paragraph."""
    look = layout(edition.paper.language)
    values = _page_values(edition, page["path"], page["title"])
    if "text" in page:
        main = f"<h1>{escape(page['title'])}</h1><p>{escape(page['text'])}</p>"
    else:
        main = look.files[page["template"].removesuffix(".html")]
    return _shell(look, values | {"main": main})


def landing_page(editions: tuple[Edition, ...]) -> str:
    """Return the page that lists the newspapers, for people who open the server in a browser."""
    look = layout("landing")
    papers = "".join(fill(look.parts["item"], _common(edition)) for edition in editions)
    return fill(look.files["shell"], {"papers": papers})


def charset_tag(name: str) -> str:
    """Return the tag that declares the encoding of a page; an empty string for ``none``."""
    if name == "none":
        return ""
    modern = '<meta charset="utf-8">'
    return modern if name == "utf-8" else f'<meta http-equiv="Content-Type" content="text/html; charset={name}">'


def _shell(look: Layout, values: Mapping[str, str]) -> str:
    return fill(look.files["shell"], values)


def _common(edition: Edition) -> dict[str, str]:
    paper = edition.paper
    names = {"lang": paper.language, "site_name": paper["name"], "direction": paper["direction"], "host": paper.host}
    wire = {"wire_name": paper["wire_name"], "wire_source": paper["wire_source"]}
    return names | wire | {"base": edition.base}


def _page_values(edition: Edition, path: str, title: str) -> dict[str, str]:
    look = layout(edition.paper.language)
    values = _common(edition) | {"title": escape(title), "url": escape(edition.base + path), "page_id": "0"}
    values |= {"charset": charset_tag("utf-8"), "most_read": _most_read(edition, look)}
    return values | {"head": fill(look.parts["head_page"], values)}


def _article_values(edition: Edition, article: Article) -> dict[str, str]:
    look = layout(edition.paper.language)
    section = edition.paper.section(article.fields["section"])
    comments = [{"name": escape(name), "text": escape(words)} for name, words in article.comments]
    return (
        _common(edition)
        | _card(edition, article)
        | {
            "lang": article.language,
            "charset": charset_tag(article.fields.get("meta_charset", "utf-8")),
            "author": escape(article.fields["author"]),
            "page_id": article.fields["id"],
            "section_url": escape(section["path"]),
            "section_title": section["title"],
            "quoted_title": quote(article.title),
            "keywords": escape(", ".join(article.tags)),
            "tags": "".join(fill(look.parts["tag"], {"text": escape(tag)}) for tag in article.tags),
            "lead": _inline(edition, article.blocks[0]),
            "comments": "".join(fill(look.parts["comment"], comment) for comment in comments),
            "comment_count": str(len(comments)),
            "most_read": _most_read(edition, look),
        }
    )


def _card(edition: Edition, article: Article, variant: str = "") -> dict[str, str]:
    url = edition.url(article)
    url += ("&" if "?" in url else "?") + variant if variant else ""
    return {
        "url": escape(url),
        "title": escape(article.title),
        "summary": escape(article.summary),
        "image": f"/img/{article.slug}.png",
        "shown": escape(article.fields["shown"]),
        "iso": article.date.isoformat(),
    }


def _most_read(edition: Edition, look: Layout) -> str:
    """Return three links with a tracking parameter, as in a sidebar."""
    cards = [_card(edition, article, "utm_source=sidebar") for article in edition.listed[2:7:2]]
    return "".join(fill(look.parts["related"], card) for card in cards)


def _picks(edition: Edition, look: Layout) -> str:
    """Return links to second URLs of articles and to syndicated copies."""
    cards = []
    for article in edition.articles:
        if also := article.fields.get("also"):
            cards.append(_card(edition, article) | {"url": escape(edition.base + also)})
        if article.wire:
            cards.append(_card(edition, article))
    return "".join(fill(look.parts["related"], card) for card in cards)


def _body(edition: Edition, article: Article, look: Layout, values: Mapping[str, str]) -> str:
    """Render the blocks after the lead, with grouped list items. An inline box follows the second block."""
    pieces: list[str] = []
    for role, blocks in groupby(article.blocks[1:], key=lambda block: block.role):
        rendered = [fill(look.parts[role], dict(values) | {"text": _inline(edition, block)}) for block in blocks]
        if role is Role.ITEM:
            rendered = [fill(look.parts["items"], {"items": "".join(rendered)})]
        pieces += rendered
    other = _card(edition, edition.related(article)[-1])
    box = {"related_url": other["url"], "related_title": other["title"]}
    return "\n".join([*pieces[:2], fill(look.parts["inline"], box), *pieces[2:]])


def _inline(edition: Edition, block: ArticleBlock) -> str:
    """Escape the text of a block and convert its marks to links. An article that is not there yet gets none."""

    def link(mark: re.Match[str]) -> str:
        target = edition.by_slug.get(mark[2])
        return f'<a href="{escape(edition.url(target))}">{mark[1]}</a>' if target else mark[1]

    return LINK.sub(link, escape(block.text, quote=False))


def _json_ld(edition: Edition, article: Article, url: str) -> str:
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": article.date.isoformat(),
        "author": {"@type": "Person", "name": article.fields["author"]},
        "publisher": {"@type": "Organization", "name": edition.paper["name"]},
        "mainEntityOfPage": url,
        "description": article.summary,
    }
    return json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
