"""The corpus as files for others: JSON lines (plain, gzip, zstd), Parquet, or a folder of plain text files.

These carry the same fields, in this order; a field without a value is null. TEI and vertical text (see ``tei`` and
``vertical``) carry those that a reader or a concordancer asks for. A dump to publish is a ``release``.

=================== ================================================================================================
``id``              stable identifier of the document
``text``            the cleaned text, one paragraph a line
``url``             canonical URL
``title``           as the page shows it, else as it states it
``author``          as the page states it
``date``            publication date, ISO 8601
``date_text``       the string the date was read from
``language``        ISO 639-1 where there is one, ``und`` when unknown
``language_confidence``  0 to 1
``script``          main script, ISO 15924
``script_share``    its share of the letters, 0 to 1
``site``            the site's name in the configuration
``version``         1 for the first text seen at that URL, 2 for the next …
``canonical``       rel=canonical of the page
``chars``           length of the text in code points
``fetched_at``      when the page was fetched, UTC
``extractor``       who found the main content; ``extractor_version``, and ``extractor_reason`` why it was chosen
``site_model``      which knowledge of the site it had; empty for none
``encoding``        what the bytes were decoded as; ``encoding_source`` what said so, ``rendered`` for the DOM
                    of a browser, ``replaced`` the share of U+FFFD
``licence``         licence note of the site
``exact``           hexadecimal xxh3-128 of the canonical text
``duplicates``      size of the document's duplicate set; ``duplicate_of`` the id of the set's representative
``warc``            file name of the original; ``warc_offset``, ``warc_length`` (bytes) where its record lies in it,
                    ``record_id``, ``payload_digest`` what the record says of itself
``confidence``      F1 that the text is expected to have, 0 to 1; null where the extractor cannot tell
``kinds``           a letter for each line of the text: p paragraph, h heading, l list item, q quotation, t table cell,
                    c preformatted; "" where the extractor cannot tell
``captions``        list of captions; ``comments`` list of readers' comments that are marked as such
``date_calendar``   what ``date_text`` counts in: gregorian, buddhist, solar-hijri, islamic, ethiopian, hebrew,
                    bikram-sambat
``date_source``     where the date stands: json-ld, meta, time, url, text, masthead, below (behind the text), listed
                    (one of several alike), updated (the page states the day of its last change only), or age (it says
                    how long ago that was); ``date_confidence`` 0 to 1
``robots``          why it could be asked for: allowed, cached, missing; ``robots_sha256`` of the file that allowed it
``directives``      list of robots directives, of the page and of its X-Robots-Tag
``tdm``             1: text and data mining is reserved (TDMRep), 0: it is not; ``tdm_policy`` where the terms stand,
                    ``tdm_source`` who says so: meta, header, file
``licence_url``     the licence that the page names
``quality``         what is measured of the text, by the names of `storage.records.Quality`; null where it was not
``cluster``         id of the duplicate set: the smallest id of the current documents in it
``languages``       of each line of the text its language, confidence, script and the share of that, parted by spaces
                    (``vi 0.98 Latn 1.00``); 0.00 where a line is too short to tell and taken to be like the whole
``foreign_share``   share of the text in lines of another language than the whole; null where nobody looked
``mixed``           1: that is a tenth or more, 0: it is not
``recurring``       a letter for each line of the text: r it recurs over the site, - it does not; "" when none does
=================== ================================================================================================

JSON lines hold one document a line for every reader: U+0085, U+2028 and U+2029, at which some split lines, are
written as escapes, like the control characters. Lone surrogates, which no UTF-8 file can hold, become U+FFFD.
The folder holds ``ID.txt`` (the text and a final newline) for each document, and ``index.jsonl``: all fields but the
text, and ``file``.

The same documents in the same order give the same bytes (with the same versions of zlib, zstd and pyarrow).
"""

from storage.exports.formats import FORMATS
from storage.exports.sink import ExportReport, export

__all__ = ["FORMATS", "ExportReport", "export"]
