"""Export a corpus as files: JSON lines (plain, gzip, zstd), Parquet, or a folder of plain text files.

These formats have the same fields, in this order. A field without a value is null. TEI and vertical text have the
fields that a reader or a concordancer needs (see ``tei`` and ``vertical``). A ``release`` is an export to publish.

=================== ================================================================================================
``id``              stable identifier of the document
``text``            the cleaned text, one paragraph a line
``url``             canonical URL
``title``           as the page shows it, else as it states it
``author``          as the page states it
``authors``         list of the same persons, each once
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
``extractor``       extractor of the main content; ``extractor_version``, and ``extractor_reason``: why it was chosen
``site_model``      version of the site model that it used; empty for none
``encoding``        the encoding that the bytes were decoded from; ``encoding_source``: where that was stated
                    (``rendered`` for the DOM of a browser); ``replaced``: the share of U+FFFD
``licence``         licence note of the site
``exact``           hexadecimal xxh3-128 of the canonical text
``duplicates``      size of the document's duplicate set; ``duplicate_of`` the id of the set's representative
``warc``            file name of the original; ``warc_offset``, ``warc_length`` (bytes): place of its record;
                    ``record_id``, ``payload_digest``: from that record
``confidence``      expected F1 of the extraction, 0 to 1; null if the extractor does not estimate it
``kinds``           a letter for each line of the text: p paragraph, h heading, l list item, q quotation, t table cell,
                    c preformatted; "" if the extractor does not know
``captions``        list of captions; ``comments`` list of readers' comments that are marked up so
``date_calendar``   calendar of ``date_text``: gregorian, buddhist, solar-hijri, islamic, ethiopian, hebrew,
                    bikram-sambat
``date_source``     place of the date: json-ld, meta, time, url, text, masthead, below (after the text), listed
                    (one of several alike), updated (the page states the day of its last change only), or age (it
                    states how long ago that was), or rules; ``date_confidence`` 0 to 1
``date_zone``       where the zone of the date is from: stated (by the page), site (the configuration), assumed (from
                    the country or language of the site); null for a day without a zone
``title_source``    place of the title: rules (selected by a rule of the site), heading, json-ld, meta, title-element
``author_source``   place of the authors: json-ld, meta, marked (an element marked as the author), byline, signature,
                    organisation, account (the name of a user account); or rules
``robots``          why it could be fetched: allowed, cached, missing; ``robots_sha256`` of the file that allowed it
``directives``      list of robots directives, of the page and of its X-Robots-Tag
``tdm``             1: text and data mining is reserved (TDMRep), 0: it is not; ``tdm_policy``: address of terms;
                    ``tdm_source``: where that is stated: meta, header, file
``licence_url``     the licence that the page names
``quality``         measures of the text, by the names of `storage.records.Quality`; null if not measured
``cluster``         id of the duplicate set: the smallest id of the current documents in it
``languages``       for each line of the text its language, confidence, script and share of the script, separated by
                    spaces (``vi 0.98 Latn 1.00``); 0.00 for a line that is too short, and taken to be like the whole
``foreign_share``   share of the text in lines of another language than the whole; null if not measured
``mixed``           1: that is a tenth or more, 0: it is not
``recurring``       a letter for each line of the text: r it recurs over the site, - it does not; "" if no line does
``rules``           fingerprint of the site's rules, and the number of elements that each rule matched
                    (``3f2a91b0c4d5 content=1 date=0``); null without rules
=================== ================================================================================================

JSON lines hold one document a line for every reader. U+0085, U+2028 and U+2029, at which some readers split lines, are
escaped like the control characters. Lone surrogates, which UTF-8 cannot hold, become U+FFFD. The folder holds
``ID.txt`` (the text and a final newline) for each document, and ``index.jsonl``: all fields except the text, and
``file``.

The same documents in the same order give the same bytes (with the same versions of zlib, zstd and pyarrow).
"""

from storage.exports.formats import FORMATS
from storage.exports.writer import ExportReport, export

__all__ = ["FORMATS", "ExportReport", "export"]
