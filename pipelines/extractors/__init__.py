"""Extract the main content of a page: one signature for all extractors (`base`), one registry (`registry`).

``registry.get("auto").extract(html, options)`` returns an Extraction.

Definition of the text for ``auto`` and ``scored``. Extractors of papers and libraries have definitions of their own:

- In: the body of the article in page order, with headings, lists, tables, quotations and preformatted text. A paragraph
  is a line. A line break (``<br>``) separates lines.
- Out: title, byline and date, captions, prompts to share, subscribe or read on, related links and teasers, readers'
  comments, navigation, text that the page hides or shows in print only.
- Kept apart: title, captions and comments (`storage.records.Extraction`), author and date (metadata).

Clear marks on the page overrule the model: the title, a ``figcaption``, hidden elements, boxes and a few words
(``auto.rule_tables``). The model decides everything else. It is trained on pages with their true text, whose
definitions differ slightly. Some true texts include captions: leaving them out costs F1 there (en -.001, ja -.006).
"""
