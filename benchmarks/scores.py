"""Scores of a release, as a page of the documentation: extraction, languages, dates, duplicates, cost of a page.

    python benchmarks/scores.py GOLD [--extractor NAME ...] [-o docs/explanation/scores.md]

GOLD is a gold folder. Texts are scored by `corpus-spider evaluate`, languages on the true texts, the rest by the other
benchmarks, each in a process of its own. It takes a quarter of an hour. A cost means something on a quiet machine only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from corpus_spider.config.version import program_version
from corpus_spider.lab.gold import load_gold
from pipelines.language.detect import identify

EXTRACTORS = ("auto", "density", "bte", "blocks", "dana", "r2l", "readability", "trafilatura", "resiliparse")
LEAST_PAGES = 5
"""Pages of a language below which it has no row of its own."""
HERE = Path(__file__).parent
PAGE = """# Scores of this release

`python benchmarks/scores.py GOLD` makes this page, from a folder of {pages} real pages with their true texts in
{languages} languages. The pages are not part of the program, because they belong to their publishers. Score your own
pages the same way: `corpus-spider evaluate --help` says what the folder holds. Version {version}.

## Text

Mean F1 by the longest common subsequence of characters without white space, on pages that are in the folder for it.
`auto` has seen these pages while it was trained. [Extractors](extractors.md) has its figures on sites that it had not
seen, which are lower. `dana` and `r2l` find a text by its letters outside ASCII, so they find none in Latin letters.

{texts}

Languages with fewer than {few} pages are in the row *all* only.

## Language

{identified}

## Dates

Each page is read twice: five days after its date and on its day, which is when a crawl of news reads it.

```text
{dates}
```

## Duplicates

Pairs of edited texts, by their true similarity (Jaccard of shingles of words), and those that are taken for duplicates.

```text
{duplicates}
```

## Words

[Words](../reference/words.md) says how texts of each language are split, and how well.

## Cost of a page

Milliseconds of CPU time for a page, links followed, beside other libraries in the same run.

```text
{cost}
```
"""


def output(*command: str) -> str:
    """Return the standard output of a program. Ends the program with its errors if it fails."""
    done = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout.strip()


def benchmark(name: str, *arguments: str) -> str:
    """Return what another benchmark prints."""
    return output(str(HERE / f"{name}.py"), *arguments)


def texts(gold: Path, extractors: list[str]) -> str:
    """Return the table of F1 by language and extractor."""
    chosen = [part for each in extractors for part in ("--extractor", each)]
    printed = output("-m", "corpus_spider", "-q", "evaluate", "--gold", str(gold), *chosen, "--json")
    return table(json.loads(printed)["summary"], extractors)


def table(summary: list[dict[str, Any]], extractors: list[str]) -> str:
    """Lay out the rows of `corpus-spider evaluate --json`: a row a language, a column an extractor."""
    scores = {(row["language"], row["extractor"]): row["f1"] for row in summary}
    pages = {row["language"]: row["pages"] for row in summary if row["pages"] >= LEAST_PAGES}
    lines = [["language", "pages", *(f"`{each}`" for each in extractors)], ["---"] * (len(extractors) + 2)]
    for language, number in sorted(pages.items(), key=lambda item: (-item[1], item[0])):
        found = [scores.get((language, each)) for each in extractors]
        lines.append([language, str(number), *("–" if score is None else f"{score:.3f}" for score in found)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def identified(gold: Path) -> str:
    """Say in how many true texts the language is found, and what the others are taken for."""
    pages = [page for page in load_gold(gold) if page.truth().strip()]
    wrong = Counter[str]()
    for page in pages:
        found = identify(page.truth()).language
        if found.split("-")[0] != page.language.split("-")[0]:
            wrong[f"{page.language} for {found}"] += 1
    errors = ", ".join(f"{name} ({number})" for name, number in wrong.most_common()) or "none"
    return f"Found in {len(pages) - wrong.total()} of {len(pages)} true texts. Errors: {errors}."


def of_all(printed: str) -> str:
    """Return the part for all languages together, which comes last."""
    return "".join(printed.rpartition("all:")[1:])


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, metavar="GOLD", help="folder with manifest.jsonl, pages/ and gold/")
    parser.add_argument("--extractor", action="append", metavar="NAME", help="repeatable")
    parser.add_argument("-o", "--output", type=Path, help="file of the page (default: standard output)")
    options = parser.parse_args()
    gold, pages = str(options.gold), load_gold(options.gold)
    page = PAGE.format(
        pages=len(pages),
        languages=len({each.language for each in pages}),
        version=program_version(),
        few=LEAST_PAGES,
        texts=texts(options.gold, options.extractor or list(EXTRACTORS)),
        identified=identified(options.gold),
        dates=benchmark("dates_on_their_day", gold).splitlines()[-1],
        duplicates=of_all(benchmark("duplicates", "texts", gold)),
        cost=benchmark("page", gold),
    )
    if options.output:
        options.output.write_text(page, encoding="utf-8")
    else:
        print(page, end="")


if __name__ == "__main__":
    main()
