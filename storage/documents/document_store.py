"""`corpus.documents`: write and read the documents of a corpus.

What writes is imported at its first use, so that a command that only reads starts fast.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from storage import failpoints
from storage.database.rejected_rows import write_apart
from storage.database.schema import site
from storage.database.transactions import upsert
from storage.documents import healing, reader, site_rules
from storage.documents.selection import Selection
from storage.frontier.recrawl_schedule import Schedule
from storage.reporting import unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy.engine import Connection

    from storage.database.transactions import Database
    from storage.documents.healing import EarlierValue
    from storage.documents.model import CorpusDocument, Outline, RelatedDocument, Stamp
    from storage.documents.reader import View
    from storage.documents.rereading import KnownText
    from storage.documents.site_rules import RuledTexts
    from storage.records import Drop, Fingerprint, Lease, Processed
    from storage.reporting import Progress


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents: record them, find one, stream a selection. Reached as ``corpus.documents``.

    Calling it streams a selection: ``corpus.documents(Selection(languages=("vi",)))``. Safe to call from any thread.
    """

    database: Database
    schedule: Schedule = field(default_factory=Schedule)

    def __call__(self, selection: Selection | None = None) -> Iterator[CorpusDocument]:
        """Stream documents in the order of their ids, which is independent of the order of arrival.

        Duplicate sets yield only their representative, unless the selection includes duplicates. The representative is
        that of the whole set: if the selection excludes it, the set yields nothing. The stream shows the corpus as it
        is at the first document. Memory use is constant.
        """
        return reader.stream_documents(self.database, selection or Selection())

    def as_stored(self, selection: Selection) -> Iterator[CorpusDocument]:
        """Stream documents page by page in the order in which they were stored.

        The database is read from front to back. In the order of the ids it is read at random places, which takes three
        times longer from a disk.
        """
        return reader.stream_documents(self.database, selection, as_stored=True)

    def record_processed(
        self, group: Sequence[tuple[int, Lease, Processed]], *, again: bool = False
    ) -> dict[int, Processed]:
        """Write the *processed* transaction: a document or a drop for each (fetch id, lease, processed), links, states.

        A text equal to the newest version of its URL adds no version: its outcome is the drop ``unchanged_text``.
        Fetches with an outcome are skipped, so writing the same group twice changes nothing. ``again`` is for
        re-extraction in the order of the fetches: it replaces outcomes and keeps version and id.

        If the database refuses the content of a document, the outcome is the drop ``not_storable``. Return the stored
        outcomes by fetch id.
        """
        from storage.documents import writer

        def write(part: Sequence[writer.Item]) -> writer.WriteResult:
            def work(connection: Connection) -> writer.WriteResult:
                writer.take_turn(connection)
                result = writer.write_processed(connection, part, self.schedule, again=again)
                failpoints.reach("before_processed_commit")
                return result

            return self.database.write(work)

        written = write_apart(write, group, writer.replacements)
        failpoints.reach("after_processed_commit")
        return {
            fetch_id: _as_stored(processed, result.drops.get(fetch_id), result.new_links.get(fetch_id, 0))
            for part, result in written
            for fetch_id, _, processed in part
        }

    def reread(self, group: Sequence[tuple[int, Lease, Processed]]) -> dict[int, tuple[str, ...]]:
        """Update the metadata of documents from pages processed again; texts stay. Takes what `record_processed` takes.

        Return the names of the changed fields by fetch id. A page whose author was removed on request is removed.
        """
        from storage.documents import rereading, writer

        def work(connection: Connection) -> dict[int, tuple[str, ...]]:
            writer.take_turn(connection)
            return rereading.reread(connection, group)

        return self.database.write(work)

    def find(self, id_or_url: str) -> CorpusDocument | None:
        """Return the document with this id, or the newest version of this canonical URL; None if there is none."""
        return self.database.read(lambda connection: reader.find_document(connection, id_or_url))

    def ids_like(self, beginning: str, most: int) -> list[str]:
        """Return the ids that begin with these hexadecimal digits, in order, ``most`` of them."""
        return self.database.read(lambda connection: reader.ids_like(connection, beginning, most))

    def history(self, public_id: str) -> list[EarlierValue]:
        """Return the earlier titles, authors and dates of a document, oldest first."""
        return self.database.read(lambda connection: healing.history(connection, public_id))

    def versions(self, public_id: str) -> list[RelatedDocument]:
        """Return all versions of a document's page, the document too, oldest first, without their texts."""
        return self.database.read(lambda connection: reader.versions_of(connection, public_id))

    def near(self, public_id: str, limit: int = 100) -> list[RelatedDocument]:
        """Return the current documents of a document's cluster without itself, most similar first, without texts."""
        return self.database.read(lambda connection: reader.near(connection, public_id, limit))

    def known_texts(self, fetch_ids: Sequence[int]) -> dict[int, KnownText]:
        """Return the texts of the documents that these fetches gave, by fetch, some hundred at most."""
        from storage.documents import rereading

        return self.database.read(lambda connection: rereading.known_texts(connection, fetch_ids))

    def view(self, selection: Selection) -> AbstractContextManager[View]:
        """Open a snapshot of the selected documents, read a page at a time (see `reader.view`)."""
        return reader.view(self.database, selection)

    def outlines(self, selection: Selection) -> Iterator[Outline]:
        """Stream the selected documents without their texts, in any order."""
        return reader.stream_outlines(self.database, selection)

    def stamps(self, selection: Selection) -> Iterator[Stamp]:
        """Stream the selected documents without their texts, in any order, to see which have changed."""
        return reader.stream_stamps(self.database, selection)

    def mark(self) -> str:
        """Return a text that changes when documents are added, made again, healed or deleted.

        What is derived from their texts and titles is up to date if it was made under the same mark.
        """
        return self.database.read(reader.mark)

    def of_rows(self, rows: Sequence[int]) -> list[CorpusDocument]:
        """Return the documents with these row ids (`Stamp.row`), some hundred at most."""
        return self.database.read(lambda connection: reader.documents_of_rows(connection, rows))

    def of_ids(self, ids: Sequence[str]) -> list[CorpusDocument]:
        """Return the documents with these ids, in their order, some hundred at most. Unknown ids are left out."""
        return self.database.read(lambda connection: reader.documents_of_ids(connection, ids))

    def are_measured(self, selection: Selection) -> bool:
        """Return whether the quality of all selected documents is stored."""
        return self.database.read(lambda connection: reader.are_measured(connection, selection))

    def count(self, selection: Selection) -> int:
        """Count the selected documents."""
        return self.database.read(lambda connection: reader.count(connection, selection))

    def count_exceeds(self, selection: Selection, number: int) -> bool:
        """Return whether more than ``number`` documents are selected."""
        return self.database.read(lambda connection: reader.count_exceeds(connection, selection, number))

    def count_by_site(self, sites: Collection[str]) -> dict[str, int]:
        """Count the documents of each of these sites, all versions and duplicates included."""
        return self.database.read(lambda connection: reader.count_by_site(connection, sites))

    def ruled(self, sites: Collection[str], first_run: int) -> list[RuledTexts]:
        """Count the documents that were made with rules of their site, from a run on, by what the rules matched."""
        return self.database.read(lambda connection: site_rules.ruled_texts(connection, sites, first_run))

    def with_other_rules(self, fingerprints: Mapping[str, str]) -> dict[str, int]:
        """Count the documents by site that were made with other rules than those with these fingerprints."""
        return self.database.read(lambda connection: site_rules.with_other_rules(connection, fingerprints))

    def outdated_fingerprints(self, current: str) -> int:
        """Count the fingerprints of other schemes than the current one, which an earlier release made."""
        from storage.documents import renewal

        return self.database.read(lambda connection: renewal.outdated(connection, current))

    def renew_fingerprints(
        self,
        current: str,
        prints: Callable[[Sequence[str]], Sequence[Fingerprint]],
        on_progress: Progress = unseen,
    ) -> int:
        """Compute the fingerprints of other schemes again from the stored texts, and return their number.

        ``prints`` computes fingerprints of texts in their order. It can be interrupted at any time and goes on where it
        stopped.
        """
        from storage.documents import renewal

        return renewal.renew(self.database, current, prints, on_progress)

    def set_licences(self, licences: Mapping[str, str | None]) -> None:
        """Set the licence of the texts of each site, by site name. Documents show it from then on."""
        rows = [{"name": name, "licence": licence} for name, licence in sorted(licences.items())]

        def work(connection: Connection) -> None:
            insert = upsert(connection, site)
            values = {"licence": insert.excluded.licence}
            connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_=values), rows)

        if rows:
            self.database.write(work)


def _as_stored(processed: Processed, drop: Drop | None, new_links: int) -> Processed:
    stored = replace(processed, new_links=new_links) if new_links else processed
    return replace(stored, document=None, drop=drop) if drop else stored
