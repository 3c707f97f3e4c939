"""Export a corpus as files: JSON lines (plain, gzip, zstd), Parquet, CSV, Markdown, or a folder of text files.

These formats have the fields of ``fields``, which ``descriptions`` explains, or those of them that are chosen. TEI and
vertical text have the fields that a reader or a concordancer needs (see ``tei`` and ``vertical``). A ``release`` is an
export to publish.

JSON lines hold one document a line for every reader. U+0085, U+2028 and U+2029, at which some readers split lines, are
escaped like the control characters. Lone surrogates, which UTF-8 cannot hold, become U+FFFD. The folder holds
``ID.txt`` (the text and a final newline) for each document, and ``index.jsonl``: all fields except the text, and
``file``.

The same documents in the same order give the same bytes (with the same versions of zlib, zstd and pyarrow).
"""

from storage.exports.format_table import FORMATS
from storage.exports.writer import ExportReport, export

__all__ = ["FORMATS", "ExportReport", "export"]
