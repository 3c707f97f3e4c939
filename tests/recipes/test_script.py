"""A new script is one row in one file: all that depends on a script follows."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("corpus_spider", "pipelines", "storage")
TABLE = "pipelines/text/scripts.py"
# Glagolitic stands for a script that nothing knows yet, with facts that it does not have.
ROW = '    Script("Glag", "Glagolitic", ((0x2C00, 0x2C5F),), "⁘", True, 2.0, has_spaces=False),\n'
PROGRAM = """
import json
from corpus_spider.lab.words import words as scored
from corpus_spider.terminal.layout import is_right_to_left, pieces
from corpus_spider.web.formatting import direction
from corpus_spider.words.clouds import direction_of
from pipelines.classification.page_type import has_sentence
from pipelines.extractors.auto.blocks.features import stems
from pipelines.extractors.auto.blocks.text_measures import measure_texts
from pipelines.extractors.auto.density import DensityBlock
from pipelines.language.detect import main_script
from pipelines.metadata.dates.months import is_unspaced
from pipelines.quality import signals
from pipelines.text.sentences import marked
from pipelines.text.scripts import size
from pipelines.text.tokenizer import tokenised
from pipelines.text.words import Splitter, splitter, words
from storage.records import SENTENCE

text = "ⰀⰁⰂⰃ"
block = DensityBlock(0)
block.add(text, linked=False)
measured = measure_texts([text + "⁘", text])
print(json.dumps({
    "ends of blocks": measured.ends_sentence.tolist(),
    "sentence of a page": [has_sentence(text + "⁘"), has_sentence(text)],
    "ended lines": [signals.measure(text + "⁘", "").ended_lines, signals.measure(text, "").ended_lines],
    "sentences": marked(f"{text}⁘{text}⁘").count(SENTENCE),
    "size": size(text),
    "weight": measured.weight.tolist()[1],
    "words of quality": signals.measure(text, "").words,
    "searched": splitter().units(text),
    "counted": len(words("").spans(text)),
    "scored": len(scored(text)),
    "unspaced of density": block.unspaced,
    "stems": stems(text.lower()),
    "unspaced of dates": is_unspaced(text[0]),
    "pieces": len(list(pieces(text))),
    "right to left": [is_right_to_left(text), direction("Glag"), direction_of([text])],
    "script": main_script(text)[0],
}))
"""


def facts(root: Path) -> dict[str, object]:
    """Return what the program at a place says of a text in the script."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, check=True
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_new_script_is_one_row(tmp_path: Path) -> None:
    """Sentence ends, spaces, direction and weight follow everywhere when one code file changes."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    table = tmp_path / TABLE
    source = table.read_text(encoding="utf-8")
    table.write_text(source.replace(")  # fmt: skip\n", f"{ROW})  # fmt: skip\n", 1), encoding="utf-8")
    changed = [
        path.relative_to(tmp_path).as_posix()
        for path in tmp_path.rglob("*.py")
        if path.read_bytes() != (ROOT / path.relative_to(tmp_path)).read_bytes()
    ]
    assert changed == [TABLE]
    assert facts(tmp_path) == {
        "ends of blocks": [True, False],
        "sentence of a page": [True, False],
        "ended lines": [1.0, 0.0],
        "sentences": 1,
        "size": 8,
        "weight": 8.0,
        "words of quality": 2,
        "searched": ["Ⰰ", "Ⰱ", "Ⰲ", "Ⰳ"],
        "counted": 4,
        "scored": 4,
        "unspaced of density": 4,
        "stems": ["ⰰⰱ", "ⰱⰲ", "ⰲⰳ"],
        "unspaced of dates": True,
        "pieces": 4,
        "right to left": [True, "rtl", True],
        "script": "Glag",
    }
