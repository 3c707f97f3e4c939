"""Describe each field of an exported document in a sentence. A field without a value is null."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIPTIONS: Mapping[str, str] = {
    "id": "stable identifier of the document: 32 hexadecimal digits, from URL and version",
    "text": "the cleaned text, one paragraph a line",
    "url": "canonical URL of the page",
    "title": "title, as the page shows it, else as it states it",
    "author": "authors, as the page states them",
    "date": "publication date or time, ISO 8601",
    "date_text": "the words that the date was read from",
    "language": "language, ISO 639-1 where there is a code, und when unknown",
    "language_confidence": "confidence of the language, 0 to 1",
    "script": "main script, ISO 15924",
    "script_share": "share of the letters in the main script, 0 to 1",
    "site": "name of the newspaper in the configuration",
    "version": "1 for the first text at that URL, 2 for the next, and so on",
    "canonical": "canonical URL that the page states",
    "chars": "length of the text in code points",
    "fetched_at": "time when the page was fetched, UTC",
    "extractor": "extractor of the text",
    "extractor_version": "version of the extractor",
    "extractor_reason": "why this extractor was chosen",
    "site_model": "version of the site model that the extractor used; empty for none",
    "encoding": "character encoding that the page was decoded from",
    "encoding_source": "where the encoding was stated: bom, utf-8, header, meta, detected, or rendered by a browser",
    "replaced": "share of characters that could not be decoded, 0 to 1",
    "licence": "licence note of the site",
    "exact": "fingerprint of the letters: hexadecimal xxh3-128, equal for equal texts",
    "duplicates": "number of documents in the cluster of duplicates",
    "duplicate_of": "id of the representative of the cluster; null for the representative itself",
    "warc": "WARC file of the original",
    "warc_offset": "offset of its record in bytes",
    "warc_length": "length of its record in bytes",
    "record_id": "WARC-Record-ID of the original",
    "payload_digest": "payload digest of the original",
    "confidence": "expected F1 of the extraction, 0 to 1; null if the extractor does not estimate it",
    "kinds": "a letter for each line of the text: p paragraph, h heading, l list item, q quotation, t table cell, "
    "c preformatted; empty if unknown",
    "captions": "captions of pictures and tables; they are not part of the text",
    "comments": "readers' comments that are marked as such; they are not part of the text",
    "date_calendar": "calendar of date_text: gregorian, buddhist, solar-hijri, islamic, ethiopian, hebrew or "
    "bikram-sambat",
    "date_source": "place of the date: json-ld, meta, time, url, text, masthead, below (after the text), listed "
    "(beside other dates), updated (only the day of the last change is stated), age (computed from an age) or rules "
    "(of the site)",
    "date_confidence": "confidence of the date, 0 to 1",
    "robots": "why the page could be fetched: allowed by robots.txt, cached (by the last readable one) or missing",
    "robots_sha256": "SHA-256 of that robots.txt",
    "directives": "robots directives of the page and its X-Robots-Tag",
    "tdm": "1: text and data mining is reserved (TDMRep), 0: it is not, null: not stated",
    "tdm_policy": "address of the terms of text and data mining",
    "tdm_source": "where the reservation is stated: meta, header or file",
    "licence_url": "licence that the page names",
    "quality": "signals of text quality, by name; null if not measured",
    "cluster": "id of the cluster of duplicates: the smallest id in it",
    "languages": "for each line its language, confidence, script and the share of the script; confidence 0.00 for a "
    "line that is too short",
    "foreign_share": "share of the text in lines of another language; null if not measured",
    "mixed": "1: that is a tenth or more, 0: it is less",
    "recurring": "a letter for each line of the text: r it recurs on the site, - it does not; empty if no line does",
    "authors": "the authors as a list, each once",
    "date_zone": "where the time zone of the date is from: stated, site (the configuration) or assumed; null for a day",
    "title_source": "place of the title: rules, heading, json-ld, meta or title-element",
    "author_source": "place of the authors: rules, json-ld, meta, marked, byline, signature, organisation or account",
    "rules": "fingerprint of the site's own rules and the number of elements that each matched; null without rules",
}
