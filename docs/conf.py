"""Sphinx configuration of the documentation: ``make docs`` builds it into build/docs.

The pages ask for nothing outside the site: no web fonts, no scripts or pictures of other servers.
"""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "corpus-spider"
version = release = version_of("corpus-spider")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "from_code"]
source_suffix = {".md": "markdown"}
root_doc = "index"
default_role = "code"
smartquotes = False  # They make a dash of the two hyphens of an option.

myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_member_order = "bysource"
nitpicky = True
# Types of the standard library and of other packages have no page here, and their sites are not asked for one.
nitpick_ignore_regex = [("py:.*", r"(?!corpus_spider\.).*")]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "corpus-spider"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
