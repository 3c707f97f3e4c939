"""HTML as it comes over the wire, below all that reads pages: what is a tag, what ends it, what strains a parser.

``lexer`` tells tags from text, ``tag_codes`` numbers tags for columns of them, ``nesting`` and ``hostile`` know which
elements hold which, ``soup`` drops what is never read and renders the rest as paragraphs.
"""
