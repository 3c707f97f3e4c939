"""Parse HTML: tags and texts in linear time, a guarded tree, and paragraphs.

- ``lexer`` separates tags from text.
- ``nesting`` follows open elements. ``hostile`` detects markup that takes tree builders seconds.
- ``soup`` drops elements that are never read and renders the others as paragraphs.
- ``tree`` parses a page to a tree, unless it is hostile.
"""
