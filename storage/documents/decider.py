"""Decide the outcome of fetched pages: new document, new version or drop. Pure; `known_pages` reads what it needs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from storage.bytes.lines import without
from storage.documents.shortened import is_part
from storage.documents.site_models import learned_model
from storage.documents.sketches import SketchFormat
from storage.frontier.new_links import MAX_HOPS
from storage.reasons import REDIRECT, REDIRECT_REFUSED, SAME_PAGE, UNCHANGED_TEXT
from storage.records import Document, Drop, Fingerprint, Lease, Processed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

MIN_FORM_SIMILARITY = 0.3
"""Estimated Jaccard similarity at which a page is accepted as a form of its canonical URL.

A shortened mobile form is above it. Another article of the site is below: some canonical links are wrong, or name page
one.
"""


@dataclass(frozen=True, slots=True)
class Target:
    """A fetch to decide on: its current row, and its document (on re-extraction)."""

    fetch_id: int
    url_id: int
    url: str
    site: str
    fetched_at: datetime
    version: int | None
    document_id: int | None
    shortened: bool = False
    """Whether its document is only a part of an earlier version."""
    reason: str = ""
    """The reason of its outcome."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a page. ``text`` is empty if no new text is compared with it."""

    number: int
    print: Fingerprint
    text: str = ""
    shortened: bool = False

    def repeats(self, made: Fingerprint) -> bool:
        """Return whether it has this text."""
        return (self.print.exact, self.print.scheme) == (made.exact, made.scheme)


@dataclass(slots=True)
class Versions:
    """The versions of the pages of a group: for each URL, by fetch, oldest first; and the highest number."""

    stored: dict[int, dict[int, Version]] = field(default_factory=lambda: defaultdict(dict))
    highest: dict[int, int] = field(default_factory=dict)

    def before(self, target: Target) -> list[Version]:
        """Return the last full version before a fetch, and the shortened ones since."""
        earlier = [each for fetch_id, each in self.stored[target.url_id].items() if fetch_id < target.fetch_id]
        full = [number for number, each in enumerate(earlier) if not each.shortened]
        return earlier[full[-1] :] if full else earlier[-1:]

    def add(self, target: Target, made: Document) -> Version:
        """Add a new text with the next number. It is shortened if it is a part of the last full version."""
        number = target.version or self.highest.get(target.url_id, 0) + 1
        self.highest[target.url_id] = max(number, self.highest.get(target.url_id, 0))
        before = self.before(target)
        shortened = bool(before) and not before[0].shortened and is_part(made.text, before[0].text)
        return self.note(target, Version(number, made.fingerprint, made.text, shortened))

    def note(self, target: Target, version: Version) -> Version:
        """Add the version of a fetch."""
        self.stored[target.url_id] = dict(sorted((self.stored[target.url_id] | {target.fetch_id: version}).items()))
        return version


@dataclass(frozen=True, slots=True)
class PossibleCopy:
    """A document that may be the same page at another URL."""

    url_id: int
    url: str
    site: str
    print: Fingerprint


@dataclass(slots=True)
class Outcomes:
    """The outcomes of a group."""

    new: list[tuple[Target, Version, Document]] = field(default_factory=list)
    replaced: list[tuple[Target, Document]] = field(default_factory=list)
    dropped: list[tuple[Target, Drop]] = field(default_factory=list)
    repeated: list[tuple[Target, Version, Document]] = field(default_factory=list)
    """Those of the dropped with a text equal to the version before, and that version."""
    overtaken: set[int] = field(default_factory=set)
    """URLs whose documents are superseded by the document of their canonical URL."""


@dataclass(frozen=True, slots=True)
class KnownPages:
    """Stored data about the pages of a group."""

    versions: Versions
    peers: dict[str, list[PossibleCopy]]
    """Current documents by their URL and by the canonical URL they state."""
    own_lines: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Digests of the publisher's own lines, by the learned model of a new text."""
    redirected: Mapping[int, Collection[str]] = field(default_factory=dict)
    """URLs whose redirects led to a URL, by its id."""


def decide(targets: Sequence[Target], items: Mapping[int, tuple[Lease, Processed]], known: KnownPages) -> Outcomes:
    """Decide the outcome of each fetch of a group, in the order of the fetches. Pure."""
    outcomes = Outcomes()
    for target in targets:
        lease, processed = items[target.fetch_id]
        made = processed.document
        if made is None:
            outcomes.dropped.append((target, drop_of(processed, lease, known.redirected.get(target.url_id, ()))))
        elif target.document_id is not None:
            version = Version(target.version or 1, made.fingerprint, made.text, target.shortened)
            known.versions.note(target, version)
            outcomes.replaced.append((target, made))
        else:
            _decide_new(target, made, known, outcomes)
    return outcomes


def _repeats(version: Version, made: Document, own_lines: Collection[int]) -> bool:
    """Return whether a version has the text of a document, or one that differs only by the publisher's own lines."""
    if version.repeats(made.fingerprint):
        return True
    if not own_lines or not version.text:
        return False
    return without(version.text, own_lines) == without(made.text, own_lines)


def _decide_new(target: Target, made: Document, known: KnownPages, outcomes: Outcomes) -> None:
    page = made.metadata.canonical or target.url
    same = [peer for peer in known.peers.get(page, ()) if _is_same_page(target, made, peer)]
    if same and target.url != page:
        outcomes.dropped.append((target, Drop(SAME_PAGE, same[0].url, made.language.language)))
        return
    own = known.own_lines.get(learned_model(made.site_model), frozenset())
    repeated = [each for each in known.versions.before(target) if _repeats(each, made, own)]
    if repeated:
        outcomes.dropped.append((target, Drop(UNCHANGED_TEXT, "", made.language.language)))
        outcomes.repeated.append((target, repeated[-1], made))
        return
    version = known.versions.add(target, made)
    outcomes.new.append((target, version, made))
    if version.shortened:
        return
    outcomes.overtaken.update(peer.url_id for peer in same)
    peer = PossibleCopy(target.url_id, target.url, target.site, made.fingerprint)
    past = {target.url_id, *outcomes.overtaken}
    for address in {page, target.url}:
        known.peers[address] = [*(other for other in known.peers.get(address, ()) if other.url_id not in past), peer]


def _is_same_page(target: Target, made: Document, peer: PossibleCopy) -> bool:
    if peer.url_id == target.url_id or peer.site != target.site:
        return False
    one, other = made.fingerprint, peer.print
    if one.exact == other.exact or one.scheme != other.scheme or not (one.sketch and other.sketch):
        # Without fingerprints the canonical link is trusted.
        return True
    return bool(SketchFormat.of(one.scheme).similarities(one.sketch, [other.sketch])[0] >= MIN_FORM_SIMILARITY)


def drop_of(processed: Processed, lease: Lease, redirected: Collection[str]) -> Drop:
    """Return the drop of a page without a document. Its detail says if the redirect chain is too long.

    A redirect back to one of the URLs that ``redirected`` here is refused. The crawl keeps no cookies, so the same
    request would give the same response.
    """
    drop = processed.drop or Drop("empty")
    back = next((link.url for link in processed.links if link.redirect and link.url in redirected), "")
    if back and drop.reason == REDIRECT:
        return Drop(REDIRECT_REFUSED, f"a loop, back to {back}", drop.language)
    if lease.hops >= MAX_HOPS and any(link.redirect for link in processed.links):
        note = f"not followed: more than {MAX_HOPS} redirects"
        return Drop(drop.reason, f"{drop.detail}; {note}" if drop.detail else note, drop.language)
    return drop
