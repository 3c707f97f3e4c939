"""Share of good texts that `export --quality default` would drop, and the cost of the quality signals.

    python benchmarks/quality.py GOLD

It drops 46 of 801 texts of 200 characters and more: 27 of 322 in English, 7 of 228 in Chinese, 5 of 60 in Russian, 0 of
36 in Vietnamese, Arabic, Persian, Urdu, Thai and Hebrew. 32 are dropped because words or lines repeat. A text of 4 kB
takes .3 to .5 ms of CPU time.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from corpus_spider.lab.gold import load_gold
from pipelines.quality.rules import rules
from pipelines.quality.signals import measure

LEAST = 200
PIECE = 4096


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
    pages = load_gold(parser.parse_args().gold)
    texts = [(page.language, text) for page in pages if len(text := page.truth()) >= LEAST]
    default, left_out = rules("default"), Counter[str]()
    for language, text in texts:
        broken = default.broken(measure(text, language), language)
        left_out.update([f"{language} {broken}"] if broken else [])
    print(f"{left_out.total()} of {len(texts)} left out")
    for rule, number in left_out.most_common():
        print(f"{number:6} {rule}")
    for wanted in ("vi", "ar", "th"):
        data = "\n".join(text for language, text in texts if language == wanted).encode()
        pieces = [data[at : at + PIECE].decode("utf-8", "ignore") for at in range(0, len(data), PIECE)]
        rounds = []
        for _ in range(5):
            started = time.process_time()
            for piece in pieces:
                measure(piece, wanted)
            rounds.append((time.process_time() - started) / len(pieces))
        print(f"{wanted}: {min(rounds) * 1000:.2f} ms for 4 kB")


if __name__ == "__main__":
    main()
