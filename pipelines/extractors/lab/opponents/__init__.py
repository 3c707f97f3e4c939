"""Methods that the papers compare with, for evaluation only.

They are written from public descriptions, which leave much open. Each module states its source and its decisions. A
value that the description does not give was set in the method's favour, by F1 on real pages. All but ``bte-original``
see a page after Step 0 of ``soup.scan``, as their authors ran them on pages that a parser had been through.
"""

from __future__ import annotations

from pipelines.extractors.lab.opponents import block_features, blurring, licea, link_density, slope

OPPONENTS = (
    *blurring.EXTRACTORS,
    *block_features.EXTRACTORS,
    *licea.EXTRACTORS,
    *link_density.EXTRACTORS,
    *slope.EXTRACTORS,
)
"""All of them, as Extractors."""
