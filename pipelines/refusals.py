"""Why a site did not give its article: told apart, so that people know what to do, and never worked around.

``firewall`` a bot check or a block by a content network; ``geo_block`` not shown in our country; ``consent`` a wall
that asks for cookies; ``paywall`` a stub for subscribers; ``soft_404`` a page that says "not found" with status 200;
``script_only`` a shell that a browser would fill.

Firewalls are known by headers and titles that are their vendors' own; the rest by what the page states of itself, in
the languages newspapers are read in. None of it is asked unless a page was refused or gave no text, but for "not
found", which must never replace an article. The words are in refusals.toml.
"""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from storage.records import Drop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from storage.records import Headers

REFUSING = frozenset({401, 402, 403, 405, 406, 409, 429, 451, 456, 503, 520, 521, 525})
"""Statuses behind which a firewall or a geographical block may stand."""
_MAX_TEXT = 3000
_SHELL_TEXT = 200
"""Characters of visible text below which a page with scripts may be a shell."""
_STUB = 3
"""A text of so many times the least length is no stub."""
_HEADERS = (
    ("cf-mitigated", "", "Cloudflare"),
    ("x-sucuri-block", "", "Sucuri"),
    ("x-datadome", "", "DataDome"),
    ("x-datadome-cid", "", "DataDome"),
    ("x-iinfo", "", "Imperva"),
    ("x-amzn-waf-action", "", "AWS WAF"),
    ("x-px-block", "", "HUMAN"),
    ("server", "ddos-guard", "DDoS-Guard"),
    ("server", "akamaighost", "Akamai"),
    ("server", "qrator", "Qrator"),
    ("server", "arvancloud", "ArvanCloud"),
    ("server", "cloudflare", "Cloudflare"),
)
"""Header, a part of its value, and whose it is; on a refusing answer only."""
_ALONE = r"\W*(?:$|[|:.!])|\s*[–—-](?!\w)"
"""What follows words that are all a title says, but for the name of the site; headlines begin with these words, too."""
_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _any_of(table: str) -> str:
    """Return a regular expression for any of the words of a table."""
    return f"(?:{'|'.join(chain.from_iterable(_TABLES[table].values()))})".replace("<alone>", _ALONE)


_CHALLENGE = re.compile(_any_of("challenge"), re.IGNORECASE | re.DOTALL)
_GEOGRAPHY = re.compile(_any_of("geography"), re.IGNORECASE)
_NOT_FOUND = re.compile(rf"\W*{_any_of('not_found')}", re.IGNORECASE)
_ASKS_SCRIPT = re.compile(_any_of("scripts"), re.IGNORECASE)
_LOCKED = re.compile(r'"isAccessibleForFree"\s*:\s*"?\s*false', re.IGNORECASE)
_CONSENT = re.compile(r"consent|cookie-?wall|gdpr|didomi|sourcepoint|privacy-mgmt", re.IGNORECASE)
_SETS_COOKIE = re.compile(r"document\.cookie\s*=[^=]")
_LEADS_ON = re.compile(r"location\s*(?:\.\s*(?:reload|replace|assign)\s*\(|(?:\.\s*href\s*)?=[^=])")
_UNREAD = ", ".join(f"{name}:not(noscript *)" for name in ("noscript", "script", "style"))
_SHELLS = "#root, #app, #__next, #__nuxt, #app-root, #react-root, app-root, [data-reactroot], [ng-app], [ng-version]"


def refused(status: int, headers: Headers, body: str) -> Drop | None:
    """Tell who or what refused a page with a status of ``REFUSING``; None when nothing says more than the status."""
    head = body[: _MAX_TEXT * 10]
    if status == 451 or _GEOGRAPHY.search(head):
        return Drop("geo_block", f"status {status}")
    by = _vendor(headers)
    if by or _CHALLENGE.search(head):
        return Drop("firewall", f"status {status}, {by or 'a bot check'}")
    return None


def _vendor(headers: Headers) -> str:
    stated = {name.lower(): value.lower() for name, value in headers}
    return next((who for name, part, who in _HEADERS if name in stated and part in stated[name]), "")


def not_found(tree: LexborHTMLParser) -> Drop | None:
    """Tell a page that says in its title and its heading, or in the only one of them, that it does not exist."""
    titles = [text for selector in ("title", "h1") if (text := _text(tree, selector))]
    if titles and all(_NOT_FOUND.match(text) for text in titles):
        return Drop("soft_404", titles[0][:200])
    return None


def without_text(tree: LexborHTMLParser, html: str, url: str) -> Drop | None:
    """Tell why a page with status 200 gave no article: a bot check, a wall, or a shell; None when nothing says why."""
    chars = _visible(tree)
    return (
        (_bot_check(html) if chars <= _MAX_TEXT else None)
        or _paywall(tree)
        or (_consent(tree, url) if chars <= _MAX_TEXT else None)
        or (_script_check(tree) or _shell(tree) or _login(tree) if chars <= _SHELL_TEXT else None)
    )


def _bot_check(html: str) -> Drop | None:
    head = html[: _MAX_TEXT * 10]
    if _GEOGRAPHY.search(head):
        return Drop("geo_block", "status 200")
    return Drop("firewall", "status 200, a bot check") if _CHALLENGE.search(head) else None


def stub(tree: LexborHTMLParser, chars: int, min_chars: int) -> Drop | None:
    """Tell the first lines of an article that is for subscribers, by what the page states and their length."""
    return _paywall(tree) if chars < _STUB * min_chars else None


def _script_check(tree: LexborHTMLParser) -> Drop | None:
    """Tell a page that is nothing but a script: one that sets a cookie and asks again is a bot check, which no browser
    without cookies passes.
    """
    if tree.css_first("a[href]") is not None:
        return None
    scripts = [text for node in tree.css("script")[:10] if _LEADS_ON.search(text := node.text() or "")]
    if any(map(_SETS_COOKIE.search, scripts)):
        return Drop("firewall", "status 200, a script that sets a cookie and asks again")
    return Drop("script_only", "a script that leads on") if scripts else None


def _login(tree: LexborHTMLParser) -> Drop | None:
    found = tree.css_first('input[type="password" i]')
    return Drop("paywall", "asks for a password") if found is not None else None


def _paywall(tree: LexborHTMLParser) -> Drop | None:
    tier = tree.css_first('meta[property="article:content_tier"][content]')
    if tier and (tier.attributes.get("content") or "").lower() in {"locked", "metered"}:
        return Drop("paywall", "article:content_tier")
    scripts = tree.css('script[type*="ld+json" i]')[:30]
    return Drop("paywall", "isAccessibleForFree") if any(_LOCKED.search(node.text()) for node in scripts) else None


def _consent(tree: LexborHTMLParser, url: str) -> Drop | None:
    forms = (node.attributes.get("action") or "" for node in tree.css("form[action]")[:10])
    place = next((text for text in (url, *forms) if _CONSENT.search(text)), None)
    return Drop("consent", place[:200]) if place else None


def _shell(tree: LexborHTMLParser) -> Drop | None:
    if tree.css_first("script") is None:
        return None
    # What stands in a noscript of the head is text of the body to a parser that runs no scripts.
    told = [*(node.text() or "" for node in tree.css("noscript")[:10]), *_words(tree)]
    asks = any(map(_ASKS_SCRIPT.search, told))
    frame = tree.css_first(_SHELLS)
    if asks or frame is not None:
        return Drop("script_only", "asks for JavaScript" if asks else f"<{frame.tag}> is empty" if frame else "")
    return None


def _words(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield the texts of the body, without scripts."""
    for part in tree.body.traverse(include_text=True) if tree.body else ():
        if part.tag == "-text" and part.parent is not None and part.parent.tag not in {"script", "style"}:
            yield part.text_content or ""


def _visible(tree: LexborHTMLParser) -> int:
    """Count the characters of the body that are no white space and no script's."""
    body = tree.body
    if body is None:
        return 0
    unread = body.css(_UNREAD)
    return _chars(body) - sum(map(_chars, unread))


def _chars(node: LexborNode) -> int:
    return len("".join((node.text() or "").split()))


def _text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return " ".join((node.text() or "").split())[:300] if node else ""
