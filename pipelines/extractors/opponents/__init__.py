"""The methods that the papers compare with, for their tables; none is fit to be stored.

Written from public descriptions, which leave much open; each module states what was read. Values that the descriptions
do not give were set in the method's favour, by F1 on real pages. All but ``bte-original`` see a page after Step 0 of
``soup.scan``, as their authors ran them on pages that a parser had been through.
"""

from __future__ import annotations

from pipelines.extractors.opponents import block_features, blurring, licea, link_density, slope

OPPONENTS = (
    *blurring.EXTRACTORS,
    *block_features.EXTRACTORS,
    *licea.EXTRACTORS,
    *link_density.EXTRACTORS,
    *slope.EXTRACTORS,
)
"""All of them, as Extractors."""
