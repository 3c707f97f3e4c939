"""Detect why a site did not deliver its article: soft errors, walls, bot checks and shells of scripts.

The reasons are reported, so that people know what to do. They are never circumvented.

- ``firewall``: a bot check or a block by a content network;
- ``geo_block``: not shown in this country;
- ``consent``: a wall that requires cookies;
- ``paywall``: a stub for subscribers;
- ``soft_404``: a page that says "not found" with status 200;
- ``script_only``: a shell that a browser would fill;
- ``blank``: a page without a word, as when its server failed.

Firewalls are recognised by headers and titles of their vendors, the others by statements of the page in the languages
of newspapers (soft_errors.toml). Only pages that were refused or gave no text are tested. The test for "not found" is
the exception: it runs on every page, and must never replace an article.
"""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from storage.records import Drop
from storage.reporting import counted

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView
    from storage.records import Headers

REFUSING = frozenset({401, 402, 403, 405, 406, 409, 429, 451, 456, 503, 520, 521, 525})
"""Statuses of firewalls and geographical blocks."""
_MAX_TEXT = 3000
"""Characters of visible text. A page with more is no bot check and no consent wall."""
_SHELL_TEXT = 200
"""Characters of visible text. A page with scripts and fewer may be a shell."""
_STUB = 3
"""Multiple of the least length of a text. A longer text is no stub."""
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
"""Header, a part of its value, and its vendor. For refusing answers only."""
_ALONE = r"\W*(?:$|[|:.!])|\s*[–—-](?!\w)"
"""End of a title, or a separator before the name of the site. Headlines may begin with the same words."""
_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _any_of(table: str) -> str:
    """Return a regular expression for all words of a table."""
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
    """Return why a page with a status of ``REFUSING`` was refused, or None if only the status is known."""
    head = body[: _MAX_TEXT * 10]
    if status == 451 or _GEOGRAPHY.search(head):
        return Drop("geo_block", f"status {status}")
    stated = {name.lower(): value.lower() for name, value in headers}
    vendor = next((who for name, part, who in _HEADERS if name in stated and part in stated[name]), "")
    if vendor or _CHALLENGE.search(head):
        return Drop("firewall", f"status {status}, {vendor or 'a bot check'}")
    return None


def not_found(view: PageView) -> Drop | None:
    """Return a drop if the title and the heading of a page, or the only one of them, say that it does not exist."""
    stated = (" ".join((node.text() or "").split())[:300] for tag in ("title", "h1") for node in view.of(tag)[:1])
    titles = list(filter(None, stated))
    if titles and all(_NOT_FOUND.match(text) for text in titles):
        return Drop("soft_404", titles[0][:200])
    return None


def without_text(view: PageView, url: str) -> Drop | None:
    """Return why a page with status 200 gave no article: a bot check, a wall, a shell or nothing. None if unknown."""
    body = view.tree.body
    chars = _chars(body) - sum(map(_chars, body.css(_UNREAD))) if body is not None else 0
    if chars > _MAX_TEXT:
        return _paywall(view)
    head = view.html[: _MAX_TEXT * 10]
    if _GEOGRAPHY.search(head):
        return Drop("geo_block", "status 200")
    if _CHALLENGE.search(head):
        return Drop("firewall", "status 200, a bot check")
    if drop := _paywall(view) or _consent(view, url):
        return drop
    if chars > _SHELL_TEXT:
        return None
    login = view.tree.css_first('input[type="password" i]') is not None
    known = _script_check(view) or _shell(view) or (Drop("paywall", "asks for a password") if login else None)
    return known or (None if chars else Drop("blank", counted(len(view.html), "character") + " of HTML"))


def stub(view: PageView, chars: int, min_chars: int) -> Drop | None:
    """Return a drop if a short text is the start of an article for subscribers, as the page states."""
    return _paywall(view) if chars < _STUB * min_chars else None


def _script_check(view: PageView) -> Drop | None:
    """Return a drop for a page that is a script only.

    A script that sets a cookie and reloads is a bot check. A browser without cookies does not pass it.
    """
    if any(each.tag == "a" for each in view.references):
        return None
    scripts = [text for node in view.of("script")[:10] if _LEADS_ON.search(text := node.text() or "")]
    if any(map(_SETS_COOKIE.search, scripts)):
        return Drop("firewall", "status 200, a script that sets a cookie and asks again")
    return Drop("script_only", "a script that leads on") if scripts else None


def _paywall(view: PageView) -> Drop | None:
    if view.contents.get("article:content_tier", [""])[0].lower() in {"locked", "metered"}:
        return Drop("paywall", "article:content_tier")
    return Drop("paywall", "isAccessibleForFree") if any(map(_LOCKED.search, view.jsonld)) else None


def _consent(view: PageView, url: str) -> Drop | None:
    forms = (node.attributes.get("action") or "" for node in view.of("form")[:10])
    place = next((text for text in (url, *forms) if _CONSENT.search(text)), None)
    return Drop("consent", place[:200]) if place else None


def _shell(view: PageView) -> Drop | None:
    if not view.of("script"):
        return None
    # The parser runs no scripts, so the noscript of the head is text of the body.
    texts = [node.text() or "" for node in view.of("noscript")[:10]]
    texts += (
        part.text_content or ""
        for part in (view.tree.body.traverse(include_text=True) if view.tree.body else ())
        if part.tag == "-text" and part.parent is not None and part.parent.tag not in {"script", "style"}
    )
    asks = any(map(_ASKS_SCRIPT.search, texts))
    frame = view.tree.css_first(_SHELLS)
    if asks or frame is not None:
        return Drop("script_only", "asks for JavaScript" if asks else f"<{frame.tag}> is empty" if frame else "")
    return None


def _chars(node: LexborNode) -> int:
    return len("".join((node.text() or "").split()))
