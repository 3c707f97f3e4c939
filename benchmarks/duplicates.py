"""Near-duplicates: recall among edited texts, and the cost of a large index.

    python benchmarks/duplicates.py texts GOLD [--documents 60]
    python benchmarks/duplicates.py twins GOLD [--documents 400]
    python benchmarks/duplicates.py pages GOLD
    python benchmarks/duplicates.py index [--documents 200000]

`texts` packs the paragraphs of true texts in Vietnamese, Arabic, Persian and Thai into documents of some 3,000
characters, edits each as newspapers do (words changed, paragraphs dropped, added, put in another order, another
ending), works out the true Jaccard similarity of their shingles, and asks which pairs the bands and the sketch take for
duplicates. Pairs of unlike documents that share a quoted part are made in the same way. Of 2,140 pairs at .8 and above
.9986 are found (vi .998, ar 1, fa .996, th 1), of 1,656 below .7 one is taken for a duplicate (.0006). With a byte of
each of 120 minhashes for a sketch it was .994 of 1,403, and 3 of 1,109.

`pages` puts true texts into the templates of other sites, as syndicated copies stand, extracts both pages, and asks
whether they are one set. Under 150 templates all of 551 pairs at .8 and above are found, and none of 69 copies and of
100,327 pairs of different texts below .7 is taken for one; where copies are less alike, it is for what the extractor
adds, mostly the lines of the page's own article that could not be replaced.

`index` writes documents with made-up fingerprints, one in ten of them a near-duplicate, through the door of the corpus,
and then asks for neighbours. From 100,000 to 1,000,000, on two cores: 584 bytes a document throughout (584 MB at a
million), .18 to .22 ms a query (median), 2,120 falling to 1,220 inserts a second by the clock, 141 to 163 MB of memory,
some of which are the made-up fingerprints. On a disk that others kept busy it was 1,090 falling to 150 a second, two
thirds of that waiting for a processor or the disk: each text touches pages all over the index.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
import unicodedata
from collections import defaultdict
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import sqlalchemy as sa

from corpus_spider.lab.gold import load_gold
from pipelines.extractors.registry import get
from pipelines.text.minhash import BANDS, SCHEME, WIDTH, estimate, fingerprint
from pipelines.text.normalise import canonical_text
from pipelines.text.sentences import marked
from storage.corpus import Corpus
from storage.database.schema import scheme
from storage.documents.duplicates import register
from storage.documents.near_duplicates import THRESHOLD, Neighbours, SketchedText
from storage.documents.sketches import numbers_agree
from storage.records import SENTENCE, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.engine import Connection

LANGUAGES = ("vi", "ar", "fa", "th")
CHARACTERS, LEAST = 3000, 30
GROUP = 100
QUERIES = 1000
LEAST_NUMBERS = 4
BINS = ((0.0, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.75), (0.75, 0.8), (0.8, 0.85), (0.85, 0.95), (0.95, 1.01))
STRENGTHS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3)


def shingles(text: str) -> set[str]:
    """Return all runs of so many letters."""
    canonical = canonical_text(text)
    return {canonical[at : at + WIDTH] for at in range(len(canonical) - WIDTH + 1)}


def jaccard(one: set[str], other: set[str]) -> float:
    """Return the true similarity of two sets."""
    return len(one & other) / max(1, len(one | other))


def documents(lines: list[str], number: int, randomly: random.Random) -> list[list[str]]:
    """Make documents of sentences drawn at random; each document has half of all sentences."""
    made = []
    for _ in range(number):
        drawn = randomly.sample(lines, len(lines) // 2)
        lengths = np.cumsum([len(line) for line in drawn])
        made.append(drawn[: int(np.searchsorted(lengths, CHARACTERS)) + 1])
    return made


def pieces(line: str) -> list[str]:
    """Cut a line where words are: at spaces, or, where there are few, into runs of six letters."""
    words = line.split(" ")
    return words if len(words) > len(line) / 12 else [line[at : at + 6] for at in range(0, len(line), 6)]


def reworded(document: list[str], strength: float, other: list[str], randomly: random.Random) -> list[str]:
    """Replace, drop and insert words."""
    stock = [word for line in other for word in pieces(line)]
    edited = []
    for line in document:
        joint = " " if len(line.split(" ")) > len(line) / 12 else ""
        words = []
        for word in pieces(line):
            chance = randomly.random() / max(strength, 1e-9)
            words += [randomly.choice(stock)] if chance < 0.6 else [] if chance < 0.8 else [word]
            words += [randomly.choice(stock)] if 0.8 <= chance < 1 else []
        edited.append(joint.join(words))
    return edited


def edits(document: list[str], other: list[str], randomly: random.Random) -> Iterator[list[str]]:
    """Yield what other papers, and the paper itself the day after, make of a text."""
    for strength in STRENGTHS:
        yield reworded(document, strength, other, randomly)
    for part in (0.1, 0.2, 0.3):
        yield document[: max(1, round(len(document) * (1 - part)))]
        yield document + other[: max(1, round(len(other) * part))]
    shuffled = document[:]
    randomly.shuffle(shuffled)
    yield shuffled
    yield reworded(document[:-1], 0.02, other, randomly) + other[:1]
    for part in (0.5, 0.7):
        yield document[: round(len(document) * part)] + other[round(len(other) * part) :]


def measure_texts(gold: Path, number: int) -> None:
    """Print, by true similarity, how many pairs are taken for near-duplicates."""
    found: dict[str, list[tuple[float, bool, bool]]] = defaultdict(list)
    pages = load_gold(gold)
    for language in LANGUAGES:
        randomly = random.Random(f"near {language}")
        texts = [marked(page.truth()).replace(SENTENCE, "\n") for page in pages if page.language == language]
        lines = sorted({line.strip() for text in texts for line in text.split("\n") if len(line.strip()) >= LEAST})
        originals = documents(lines, number, randomly)
        for index, document in enumerate(originals):
            other = originals[index - 1]
            base, own = shingles("\n".join(document)), fingerprint("\n".join(document))
            for edited in edits(document, other, randomly):
                text = "\n".join(edited)
                prints = fingerprint(text)
                shares = not set(own.bands).isdisjoint(prints.bands)
                found[language].append((jaccard(base, shingles(text)), shares, is_near(own, prints)))
    every = [pair for pairs in found.values() for pair in pairs]
    for name, pairs in (*found.items(), ("all", every)):
        print(f"{name}: {len(pairs)} pairs")
        for low, high in BINS:
            inside = [pair for pair in pairs if low <= pair[0] < high]
            if inside:
                candidates, near = (sum(pair[at] for pair in inside) for at in (1, 2))
                print(f"  {low:.2f}-{min(high, 1):.2f} {len(inside):6} candidates {candidates:6} near {near:6}")
        print_shares([(alike, near) for alike, _, near in pairs])


TWINS: dict[str, Callable[[str], str]] = {
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "tone on the second vowel": lambda text: re.sub("òa", "oà", re.sub("úy", "uý", re.sub("ủy", "uỷ", text))),
    "without hamza": lambda text: text.translate(str.maketrans("أإآ", "ااا")),
    "arabic yeh and kaf": lambda text: text.translate(str.maketrans("یک", "يك")),
    "sara am in two": lambda text: text.replace("\u0e33", "\u0e4d\u0e32"),
    "tone before vowel": lambda text: re.sub("([\u0e34-\u0e39\u0e31])([\u0e48-\u0e4b])", r"\2\1", text),
    "double e": lambda text: text.replace("\u0e41", "\u0e40\u0e40"),
    "other digits": lambda text: text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
}
"""Ways in which one text is typed by another keyboard or program."""


def with_other_numbers(text: str, share: float, randomly: random.Random) -> tuple[str, int]:
    """Change a share of the numbers of a text, as the next report of its kind does. Return it and their number."""
    changed = 0

    def other(found: re.Match[str]) -> str:
        nonlocal changed
        if randomly.random() >= share:
            return found.group()
        changed += 1
        return str(int(found.group()) + randomly.randint(1, 9))

    return re.sub(r"\d{1,15}", other, text), changed


def measure_twins(gold: Path, number: int) -> None:
    """Print how many spelling twins are one text, and how many reports with other numbers are taken for one."""
    randomly = random.Random("twins")
    pages = [page for page in load_gold(gold) if page.language in LANGUAGES]
    randomly.shuffle(pages)
    twins: dict[str, list[bool]] = defaultdict(list)
    reports: dict[str, list[bool]] = defaultdict(list)
    for page in pages[:number]:
        text = page.truth()
        own = fingerprint(text)
        for name, typed in TWINS.items():
            if own.sketch and typed(text) != text:
                twins[name].append(is_near(own, fingerprint(typed(text))))
        for share in (1.0, 0.8, 0.05):
            other, changed = with_other_numbers(text, share, randomly)
            if own.sketch and changed and len(re.findall(r"\d+", text)) >= LEAST_NUMBERS:
                reports[f"{share:.0%} of the numbers changed"].append(is_near(own, fingerprint(other)))
    for title, found in (("spelling twins", twins), ("reports", reports)):
        for name, judged in found.items():
            print(f"{title}, {name}: {len(judged)} pairs, taken for one {sum(judged) / max(1, len(judged)):.4f}")


def transplanted(html: bytes, truth: list[str], lines: list[str]) -> str | None:
    """Put lines in the place of an article on its page; None where the page does not hold it in elements of its own."""
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring, tostring

    tree = document_fromstring(html, parser=HTMLParser(encoding="utf-8"))
    wanted = {canonical_text(line) for line in truth if len(line) >= LEAST}
    held = [each for each in tree.iter("p", "li", "h2", "h3", "div") if canonical_text(each.text_content()) in wanted]
    if len(held) < max(3, 0.8 * len(wanted)):
        return None
    parent = held[0].getparent()
    at = parent.index(held[0])
    for each in held:
        each.drop_tree()
    for number, line in enumerate(lines):
        paragraph = etree.SubElement(parent, "p")
        paragraph.text = line
        parent.insert(at + number, paragraph)
    return str(tostring(tree, encoding="unicode"))


def measure_pages(gold: Path, number: int) -> None:
    """Print how many copies of a text under other templates are found, and how many other texts are taken for one."""
    randomly = random.Random("pages")
    pages = [page for page in load_gold(gold) if len(page.truth()) >= CHARACTERS / 2]
    pages = [page for page in pages if page.encoding in (None, "utf-8")]
    randomly.shuffle(pages)
    extract = get("auto").extract
    extracted: dict[str, list[str]] = defaultdict(list)
    templates: set[str] = set()
    texts = {page.id: [line for line in page.truth().split("\n") if line.strip()] for page in pages[:number]}
    for page in pages:
        if len(templates) == number:
            break
        for name in randomly.sample(sorted(texts), 3):
            html = transplanted(page.html(), page.truth().split("\n"), texts[name])
            if html is not None:
                templates.add(page.id)
                text = extract(html).text
                # Of a page without a text there is no document.
                extracted[name] += [text] if fingerprint(text).sketch else []
    copies = [pair for each in extracted.values() for pair in combinations(each, 2)]
    others = [pair for one, other in combinations(extracted.values(), 2) for pair in product(one, other)]
    for name, pairs in (("copies", copies), ("others", others)):
        judged = [(jaccard(*map(shingles, pair)), is_near(*map(fingerprint, pair))) for pair in pairs]
        print(f"{name} under {len(templates)} templates: {len(judged)} pairs, near {sum(near for _, near in judged)}")
        print_shares(judged)


def print_shares(judged: list[tuple[float, bool]]) -> None:
    """Print how many pairs of so much similarity, which is the first of each, are taken for near-duplicates."""
    above, below = [near for alike, near in judged if alike >= 0.8], [near for alike, near in judged if alike < 0.7]
    recall, false = (sum(pairs) / max(1, len(pairs)) for pairs in (above, below))
    print(f"  recall at .8 {recall:.4f} of {len(above)}; false below .7 {false:.4f} of {len(below)}")


def is_near(one: Fingerprint, other: Fingerprint) -> bool:
    """Return whether the corpus would put two texts into one set."""
    if one.exact == other.exact:
        return True
    alike = not set(one.bands).isdisjoint(other.bands) and estimate(one.sketch, other.sketch) >= THRESHOLD
    return alike and numbers_agree(one.numbers, other.numbers, min(one.shingles, other.shingles))


def made_up(number: int, earlier: list[Fingerprint], chance: np.random.Generator) -> list[Fingerprint]:
    """Make fingerprints with bytes at random, one in ten of them nearly one of the earlier."""
    length = len(fingerprint("".join(map(chr, range(0x4E00, 0x5000)))).sketch)
    keys = chance.integers(-(2**31), 2**31, (number, BANDS))
    sketches = chance.integers(0, 256, (number, length), dtype=np.uint8)
    made = []
    for own, sketch in zip(keys, sketches, strict=True):
        if earlier and chance.random() < 0.1:
            like = earlier[chance.integers(len(earlier))]
            own[2:] = like.bands[2:]
            sketch[8:] = np.frombuffer(like.sketch, np.uint8)[8:]
        made.append(Fingerprint(SCHEME, chance.bytes(16), 2000, sketch.tobytes(), tuple(own.tolist())))
    return made


def measure_index(number: int) -> None:
    """Print, ten times as the index grows, inserts a second, milliseconds a query, size and memory."""
    chance = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder, Corpus.open(f"{folder}/corpus.db", create=True) as corpus:
        empty, earlier = Path(f"{folder}/corpus.db").stat().st_size, list[Fingerprint]()
        step = max(GROUP, number // 10 // GROUP * GROUP)
        for start in range(0, number, step):
            spent = {"wall": 0.0, "cpu": 0.0}
            for _ in range(start, start + step, GROUP):
                prints = made_up(GROUP, earlier, chance)
                earlier += prints[:2]
                before = time.perf_counter(), time.process_time()
                corpus.database.write(lambda connection, prints=prints: register(connection, prints))
                spent["wall"] += time.perf_counter() - before[0]
                spent["cpu"] += time.process_time() - before[1]
            rates = ", ".join(f"{step / seconds:.0f} inserts/s {clock}" for clock, seconds in spent.items())
            asked = made_up(QUERIES, earlier, chance)
            queries = corpus.database.read(lambda connection, asked=asked: sorted(_asked(connection, asked)))
            middle, late = (queries[int(len(queries) * share)] for share in (0.5, 0.99))
            size = (Path(f"{folder}/corpus.db").stat().st_size - empty) / 1e6
            print(
                f"{start + step}: {rates}; query {middle:.2f} ms, p99 {late:.2f}; index {size:.0f} MB,"
                f" {size * 1e6 / (start + step):.0f} bytes a document; memory {resident():.0f} MB",
                flush=True,
            )


def resident() -> float:
    """Return the megabytes of memory that the process holds now."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


def _asked(connection: Connection, prints: list[Fingerprint]) -> Iterator[float]:
    (scheme_id,) = connection.execute(sa.select(scheme.c.id)).scalars()
    for each in prints:
        started = time.perf_counter()
        asked = SketchedText(0, scheme_id, each.sketch, each.bands)
        neighbours = Neighbours(connection, [asked])
        neighbours.like(asked, neighbours.holders(asked))
        yield (time.perf_counter() - started) * 1000


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="what", required=True)
    for name, number in (("texts", 60), ("twins", 400), ("pages", 40)):
        verb = verbs.add_parser(name)
        verb.add_argument("gold", type=Path, help="folder with manifest.jsonl, pages/ and gold/")
        verb.add_argument("--documents", type=int, default=number)
    verbs.add_parser("index").add_argument("--documents", type=int, default=200_000)
    arguments = parser.parse_args()
    if arguments.what == "index":
        measure_index(arguments.documents)
    else:
        measured = {"texts": measure_texts, "twins": measure_twins, "pages": measure_pages}
        measured[arguments.what](arguments.gold, arguments.documents)


if __name__ == "__main__":
    main()
