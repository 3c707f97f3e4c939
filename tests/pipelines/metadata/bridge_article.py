"""The paragraphs of a made article, below headlines and bylines that are tried."""

from __future__ import annotations

TEXT = "".join(
    f"<p>{line}</p>"
    for line in (
        "The council said on Monday that the work on the piers had gone on through two winters of high water.",
        "Boats may pass below the arches again from Friday, and the ferry that took cars across will be sold in May.",
        "An engineer of the town said that the steel had come late, because a mill up the river had been closed.",
        "Shops on the left bank hope for more guests; some of them had been open only on three days of the week.",
    )
)
