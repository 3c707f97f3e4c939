"""Accuracy of language identification, by language and length of text.

    python benchmarks/languages.py DIR [--language CODE ...] [--lengths 40,100,400] [--most 250] [--confusions] [--json]

``DIR`` holds ``LANG.txt`` or ``LANG.SOURCE.txt``, a sentence a line, LANG as the corpus names languages. A sample is
consecutive sentences, cut at a space at the requested length. A file gives ``--most`` samples or fewer, evenly spread.
Of Vietnamese there are two more rows: without marks (``vi-plain``) and with its marks decomposed (``vi-nfd``).
Chinese, Japanese, Thai, Lao, Khmer and Burmese are cut anywhere.

Measured on 103,000 sentences in 85 languages: the test sentences of lingua-py (Apache-2.0; 75 languages, a thousand
each), test parts of Universal Dependencies (Arabic-PUD, Persian-Seraji, Urdu-UDTB, Pashto-Sikaram, Hebrew-HTB,
Yiddish-YiTB, Vietnamese-VTB, Thai-PUD, Uyghur-UDT, Indonesian-PUD, Sindhi-Isra), the Kurdish Textbooks Corpus and
KurdishTokenization (Sorani), a Shahmukhi corpus of named entities (Western Punjabi), PersoArabicLID (Kashmiri, Gilaki,
Gorani, Balochi), the Universal Declaration of Human Rights (Lao, Khmer, Burmese, Dhivehi, Saraiki, and others), Khmer
news of segmentation-crf-khmer, and Tatoeba's sentences as LASER has them. None of it is part of this repository.
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pipelines.language import identify

UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo"})
PLAIN_LETTERS = str.maketrans("đĐ", "dD")


@dataclass(frozen=True, slots=True)
class Row:
    """What the program made of one file at one length."""

    name: str
    length: int
    answers: Counter[str]

    @property
    def language(self) -> str:
        """What the file is in."""
        return self.name.partition("-")[0].partition(".")[0]

    @property
    def right(self) -> float:
        """Share of the samples that got the file's language."""
        return self.answers[self.language] / max(1, self.answers.total())


def samples(lines: list[str], length: int, spaced: bool, most: int) -> list[str]:
    """Cut consecutive sentences into samples of about that many characters, at most so many, evenly spread."""
    found, held = [], ""
    for line in lines:
        held = f"{held} {line}".strip()
        if len(held) >= length:
            found.append(held[:length] if not spaced else held[: max(length, held.find(" ", length))])
            held = ""
    return [found[index * len(found) // most] for index in range(most)] if len(found) > most else found


def unmarked(text: str) -> str:
    """Take all marks off the letters, and the bar off Vietnamese d."""
    marks = (each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))
    return "".join(marks).translate(PLAIN_LETTERS)


def sources(folder: Path, wanted: list[str]) -> dict[str, list[str]]:
    """Read the files wanted, and derive the forms of Vietnamese."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.txt")):
        if not wanted or path.stem.partition(".")[0] in wanted:
            found[path.stem] = path.read_text(encoding="utf-8").splitlines()
    for name, lines in [(name, lines) for name, lines in found.items() if name.partition(".")[0] == "vi"]:
        found[name.replace("vi", "vi-plain", 1)] = [unmarked(line) for line in lines]
        found[name.replace("vi", "vi-nfd", 1)] = [unicodedata.normalize("NFD", line) for line in lines]
    return found


def measure(name: str, lines: list[str], options: argparse.Namespace) -> list[Row]:
    """Identify the language of all samples of a file, at each length."""
    spaced = name.partition(".")[0] not in UNSPACED
    return [
        Row(name, length, Counter(identify(text).language for text in cut))
        for length in options.lengths
        if (cut := samples(lines, length, spaced, options.most))
    ]


def table(rows: list[Row], confusions: bool) -> str:
    """Draw the rows: per cent right and number of samples at each length, a file a line."""
    lines = []
    for name in sorted({row.name for row in rows}):
        cells = [row for row in rows if row.name == name]
        shares = "  ".join(f"{row.length:>4}: {row.right:6.1%} of {row.answers.total():<4}" for row in cells)
        wrong = sum((row.answers for row in cells), Counter()) - Counter(
            {name.partition("-")[0].partition(".")[0]: 10**9}
        )
        lines.append(f"{name:<12} {shares}" + (f"  {dict(wrong.most_common(4))}" if confusions else ""))
    return "\n".join(lines)


def means(rows: list[Row]) -> str:
    """Draw the mean over files, by length."""
    lines = []
    for length in sorted({row.length for row in rows}):
        shares = [row.right for row in rows if row.length == length]
        lines.append(f"{length:>4} characters: {sum(shares) / len(shares):6.2%} over {len(shares)} files")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", action="append", default=[])
    parser.add_argument("--lengths", type=lambda text: [int(each) for each in text.split(",")], default=[40, 100, 400])
    parser.add_argument("--most", type=int, default=250)
    parser.add_argument("--confusions", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    texts = sources(options.folder, options.language)
    rows = [row for name in texts for row in measure(name, texts[name], options)]
    if options.json:
        cells = [{"name": row.name, "length": row.length, **row.answers} for row in rows]
        print(json.dumps(cells))
        return
    print(table(rows, options.confusions), means(rows), sep="\n\n")


if __name__ == "__main__":
    main()
