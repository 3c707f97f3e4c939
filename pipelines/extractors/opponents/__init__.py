"""The methods that the papers compare with, for their tables; none is fit to be stored.

Written from public descriptions, which leave much open; each module states what was read. Values that the descriptions
do not give were set in the method's favour, by F1 on real pages. All but ``bte-original`` see a page after Step 0 of
``soup.scan``, as their authors ran them on pages that a parser had been through.
"""

from __future__ import annotations

from pipelines.extractors.opponents import blurring, features, licea, links, slope

OPPONENTS = (
    *blurring.EXTRACTORS,
    *features.EXTRACTORS,
    *licea.EXTRACTORS,
    *links.EXTRACTORS,
    *slope.EXTRACTORS,
)
"""All of them, as Extractors."""
