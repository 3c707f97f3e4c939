"""The default: the extractor that measured best for the page's script, and others in turn where it finds too little."""

from __future__ import annotations

from pipelines.extractors import bte, trafilatura_adapter
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.hostile import strain
from pipelines.extractors.scripts import main_script
from pipelines.extractors.soup import scan
from storage.records import Extraction

NAME, VERSION = "auto", "1"

ENOUGH = 200
"""Characters without white space below which a result is compared with the next extractor's."""


def extract(html: str, options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Choose by script, fall back when little is found; the extraction names the extractor that ran and why."""
    soup = scan(html)
    script = main_script("".join(soup.texts))
    problem = strain(soup.names)
    if problem:
        return _because(bte.extract(html, options), f"{problem}: read without building a tree")
    best = _because(trafilatura_adapter.extract(html, options), f"script {script}: trafilatura measured best")
    if _size(best) >= ENOUGH:
        return best
    other = bte.extract(html, options)
    if _size(other) > 2 * _size(best):
        return _because(other, f"script {script}: trafilatura found {_size(best)} characters only")
    return best


def _size(extraction: Extraction) -> int:
    return sum(len("".join(paragraph.split())) for paragraph in extraction.paragraphs)


def _because(extraction: Extraction, reason: str) -> Extraction:
    return Extraction(extraction.paragraphs, extraction.extractor, extraction.version, reason)
