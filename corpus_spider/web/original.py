"""The document that the frame beside a text shows: a stored page, inert. Pure.

The page is made inert in a worker (`pipelines.page.inert`). Its policy is the second guard: a sandbox without scripts,
forms, navigation and network, whose only style is the one below, named by its digest. Should anything of a page pass
the first, it still does not run, and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import TYPE_CHECKING

from corpus_spider.web.formatting import number
from corpus_spider.web.translation import gettext, marked, ngettext, page_direction, page_language

if TYPE_CHECKING:
    from pipelines.page.inert import InertPage

STYLE = """
:root { color-scheme: light dark; --paper: #fdfcfa; --ink: #1d1d1b; --quiet: #5c5a55; --line: #dcd8d0; --even: #fff0c2;
  --odd: #dff0fa; --edge: #b06a00; --cool: #0b5d8c; }
@media (prefers-color-scheme: dark) { :root { --paper: #17181a; --ink: #f2efe9; --quiet: #a5a198; --line: #3a3b3d;
  --even: #4a3d10; --odd: #123d55; --edge: #e0a030; --cool: #7cc4ee; } }
body { margin: 0; padding: .75rem; background: var(--paper); color: var(--quiet); overflow-wrap: break-word;
  font: .95rem/1.6 system-ui, sans-serif; }
.page { unicode-bidi: isolate; }
.mixed :is(p, li, h1, h2, h3, h4, h5, h6, td, th, dd, dt, figcaption, blockquote, div) { unicode-bidi: plaintext; }
mark { background: var(--even); color: var(--ink); border-block-end: 2px solid var(--edge); }
mark.odd { background: var(--odd); }
mark:lang(ur) { background: none; border: 0; text-decoration: underline 2px var(--edge); text-underline-offset: .5em; }
mark.odd:lang(ur) { text-decoration-color: var(--cool); }
mark:target { outline: 3px solid var(--edge); scroll-margin-block: 30vh; }
.note { margin: 0 0 .75rem; padding-block-end: .5rem; border-block-end: 1px solid var(--line); }
.medium { border: 1px dashed var(--quiet); padding: 0 .3rem; font-size: .85rem; unicode-bidi: isolate; }
.link { text-decoration: underline dotted; }
.button { border: 1px solid var(--line); padding: 0 .3rem; } .button:empty { display: none; }
table { border-collapse: collapse; } td, th { padding: .1rem .4rem; vertical-align: top; text-align: start; }
@media (max-width: 30rem) { table, tbody, thead, tfoot, tr, td, th { display: block; } }
pre { white-space: pre-wrap; } h1, h2, h3, h4, h5, h6 { font-size: 1.05rem; margin-block: .6rem; }
ul, ol { padding-inline-start: 1.4rem; margin-block: .3rem; } p { margin-block: .5rem; }
:lang(ur) { font-family: "Noto Nastaliq Urdu", "Noto Naskh Arabic", serif; line-height: 2.1; }
:lang(th), :lang(lo), :lang(km), :lang(my) { line-height: 1.8; }
"""
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox"
)
"""Content security policy of the frame."""


def frame(page: InertPage, language: str) -> str:
    """Return the frame's document. ``language``: that of the text, for a page that states none."""
    notes = []
    if page.lines:
        found = ngettext(
            "%(found)s of %(number)s line of the text is found on this page.",
            "%(found)s of %(number)s lines of the text are found on this page.",
            page.lines,
        )
        notes.append(found % {"found": number(page.found), "number": number(page.lines)})
        notes.append(gettext("Marked words are in the text."))
    notes.append(gettext("Scripts, styles, links and pictures are left out."))
    if page.cut:
        notes.append(gettext("The page is long: its end is left out."))
    if not page.html:
        empty = marked(
            "This page has nothing that can be shown without its scripts, or its markup is too costly to read."
        )
        notes = [gettext(empty)]
    stated = f' dir="{page.direction}"' if page.direction else ""
    kind = "page" if page.direction else "page mixed"
    body = f'<div class="{kind}" lang="{escape(page.language or language)}"{stated}>{page.html}</div>'
    return _document(" ".join(notes), body)


def notice(words: str) -> str:
    """Return the frame's document with a sentence in place of a page."""
    return _document(words, "")


def _document(note: str, body: str) -> str:
    title = gettext("Original page")
    return (
        f'<!doctype html><html lang="{page_language()}" dir="{page_direction()}"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f'<body><main><p class="note">{escape(note)}</p>{body}</main></body></html>'
    )
