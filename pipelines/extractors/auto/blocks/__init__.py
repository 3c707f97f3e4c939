"""The blocks of a page and their measures."""
