"""URL variants: the addresses of one page for mobile devices, for AMP and for print.

A variant in path or query is recognised by its form, and stored under the URL of the page itself. A variant on a host
of its own may be the only one that a site has. It is skipped only if the page itself is known; whether they are the
same is left to the page (rel=canonical).
"""

from __future__ import annotations

import re

_YES = frozenset({"", "1", "true", "yes", "y", "on"})
_FLAGS = frozenset({"amp", "print", "printable", "printview", "print_view", "printer_friendly", "mobile"})
_MODES = frozenset({"outputtype", "output", "view", "mode", "format", "layout", "display"})
_FORMS = frozenset({"amp", "print", "printable", "mobile"})
# Parameters that Google's AMP viewer adds. Their names have no other use.
_VIEWER = frozenset({"amp_js_v", "amp_gsa", "amp_ct", "usqp"})
_LABEL = re.compile(r"^(?:www|m|mobile|amp|wap)\.(?=[^.]+\.)")
_SECONDARY = re.compile(r"^(?:m|mobile|amp|wap)\.(?=[^.]+\.)")
_TAIL = re.compile(r"/(?:amp|print)(/?)$", re.IGNORECASE)
_HEAD = re.compile(r"^/(?:amp|print)(?=/)", re.IGNORECASE)
_SUFFIX = re.compile(r"\.amp(?=(?:\.html?)?$)", re.IGNORECASE)
_SLUG = re.compile(r"[0-9-]")


def is_form(parameter: str) -> bool:
    """Return whether a parameter of a query only selects a variant: ``amp=1``, ``outputType=amp``, ``print``."""
    name, _, value = parameter.lower().partition("=")
    name = name.removeprefix("amp;")
    return (name in _FLAGS and value in _YES) or (name in _MODES and value in _FORMS) or name in _VIEWER


def plain_path(path: str) -> str:
    """Return the path of the page itself: without ``/amp``, ``/print`` or ``.amp`` at an end.

    The rest must look like an article's name, with a digit or a hyphen: ``/glossary/amp`` is a page of its own.
    """
    shorter: str | None = path
    while shorter is not None:
        path, shorter = shorter, None
        for form, rest in ((_TAIL, r"\1"), (_HEAD, ""), (_SUFFIX, "")):
            if found := form.search(path):
                name = path[: found.start()].rpartition("/")[2] if form is not _HEAD else path[found.end() :]
                if _SLUG.search(name):
                    shorter = form.sub(rest, path, count=1)
                    break
    return path


def is_secondary(host: str) -> bool:
    """Return whether a host is named as one for mobile devices or AMP."""
    return _SECONDARY.match(host) is not None


def plain_host(host: str) -> str:
    """Return a host without the label of a variant: ``www.``, ``m.``, ``amp.`` and similar."""
    return _LABEL.sub("", host)
