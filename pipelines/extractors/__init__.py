"""Main content extraction: one signature for all extractors (`base`), one registry (`registry`).

``registry.get("auto").extract(html, options)`` returns an Extraction.

The policy of ``auto`` and ``scored``. Extractors of papers and libraries have their own.

- The text contains the body of the article: headings between paragraphs, lists, tables, quotations and preformatted
  text, in the order of the page, one line per paragraph. A line break (``<br>``) starts a new line.
- The text leaves out title, byline and date, captions, invitations to share, subscribe or read on, related links and
  teasers, readers' comments, navigation, hidden and print-only elements, and the imprint at the end.
- Title, captions and comments are kept separately (`storage.records.Extraction`), author and date with the metadata.

Clear marks on the page come before the probabilities (``auto.rules.parts``): the title, a ``figcaption``, hidden
elements. A model learned the rest from pages with their true text. The policies of these texts differ a little: some
contain captions, so this policy costs F1 there (en -.001, ja -.006 on gold pages).
"""
