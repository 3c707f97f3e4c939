"""Tell links from other ``<a>``: a named place, a heading with its own anchor, an entry of a table of contents.

An ``<a>`` is a link if it leads to another page. Without ``href``, or with a fragment only (``#part-2``), it does not.
Two fragments are addresses of pages that a script shows: ``#/news`` and ``#!news``. A bare ``#`` is a button.

>>> [LINKED.search(tag) is not None for tag in ('a href="/news"', 'a href="#!/news"', 'a href="#"')]
[True, True, True]
>>> [LINKED.search(tag) for tag in ('a name="part"', "a href='#part'", "a href=#part", "a")]
[None, None, None, None]
"""

from __future__ import annotations

import re

LINKS = 'a[href]:not([href^="#"]), a[href^="#/"], a[href^="#!"], a[href="#"]'
"""CSS selector of the links of a page."""
LEADING = re.compile("(?!#[^/!])")
"""Pattern of the reference of an ``a`` that `LINKS` selects. ``match`` finds it."""
LINKED = re.compile(r"""\shref\s*=\s*["']?+\s*+(?!#[^/!"'\s>])""", re.IGNORECASE)
"""Pattern that the start tag of an ``a`` has if it is a link."""
