"""Accuracy and speed of lemmas and tags, by language and library, on test sets of Universal Dependencies.

    python benchmarks/annotators.py DIR [--language CODE ...] [--json]

``DIR`` holds CoNLL-U files named as the treebanks name them: ``fa_seraji-ud-test.conllu``. The language is what comes
before the underscore. Measured are the annotator of the language, and the libraries that were not chosen (`REJECTED`).

Counted are words with a letter that are no punctuation. Lemmas are compared without case, Arabic and Hebrew points,
zero-width joiners, nukta and the dots of Russian ё.

=========== ======================================================================================================
``base``    share of the words that are their own lemma: what is right without a library
``lemma``   share of the words of the treebank with the right lemma
``vert``    the same for the tokens of vertical text. A token that the treebank splits is right with the lemma of one
            of its content words. Tokens of function words alone (Italian *della*) are left out. Scripts with spaces.
``tag``     share of the words whose UD tag is one of those that the tag of the library stands for (`TAGS`)
``rate``    words a second on one core, in the first pass over the file
``load``    seconds until the first word
``memory``  MiB that the library adds
=========== ======================================================================================================

Measured on UD 2.18 of May 2026 and the releases of November 2025. No treebank is part of this repository.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from pipelines.text.annotation.annotator import LEMMA, TAG, Annotator
from pipelines.text.annotation.choice import ANNOTATORS, annotator_of
from pipelines.text.annotation.simplemma_lemmas import load_simplemma
from pipelines.text.segmentation.choice import CHOICES
from pipelines.text.tokenizer import tokenised
from storage.records import GLUE, SENTENCE

FUNCTION_WORDS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ"})
SIGNS = frozenset({"PUNCT", "SYM"})
FOLDED_POINTS = frozenset({"ar", "he"})
_LETTER = re.compile(r"[^\W\d_]")
_SEPARATORS = re.compile(f"[\\s{GLUE}{SENTENCE}]+")
TAGS: Mapping[str, Mapping[str, str]] = {
    "OpenCorpora": {
        "NOUN": "NOUN PROPN",
        "ADJF": "ADJ DET PRON NUM",
        "ADJS": "ADJ",
        "COMP": "ADJ ADV",
        "VERB": "VERB AUX",
        "INFN": "VERB AUX",
        "PRTF": "VERB ADJ",
        "PRTS": "VERB ADJ",
        "GRND": "VERB AUX",
        "NUMR": "NUM",
        "ADVB": "ADV",
        "NPRO": "PRON",
        "PRED": "VERB ADV ADJ",
        "PREP": "ADP",
        "CONJ": "CCONJ SCONJ",
        "PRCL": "PART",
        "INTJ": "INTJ",
        "LATN": "X PROPN NOUN",
    },
    "UniDic": {
        "名詞": "NOUN PROPN NUM",
        "代名詞": "PRON",
        "動詞": "VERB AUX",
        "形容詞": "ADJ",
        "形状詞": "ADJ",
        "連体詞": "DET ADJ",
        "副詞": "ADV",
        "接続詞": "CCONJ",
        "感動詞": "INTJ",
        "助詞": "ADP SCONJ CCONJ PART",
        "助動詞": "AUX",
        "接頭辞": "NOUN",
        "接尾辞": "NOUN PART",
        "記号": "SYM",
    },
    "VLSP 2013": {
        "N": "NOUN",
        "Nc": "NOUN",
        "Nu": "NOUN",
        "Ny": "NOUN PROPN",
        "Nb": "NOUN",
        "Np": "PROPN",
        "V": "VERB AUX",
        "A": "ADJ",
        "P": "PRON DET",
        "L": "DET",
        "M": "NUM",
        "R": "ADV AUX",
        "E": "ADP",
        "C": "SCONJ CCONJ",
        "Cc": "CCONJ",
        "I": "INTJ",
        "T": "PART",
        "X": "X",
    },
    "ICTCLAS": {
        "n": "NOUN",
        "nr": "PROPN",
        "nrt": "PROPN",
        "ns": "PROPN",
        "nt": "PROPN",
        "nz": "PROPN",
        "ng": "NOUN PART",
        "t": "NOUN",
        "s": "NOUN",
        "f": "ADP NOUN",
        "v": "VERB AUX",
        "vn": "VERB NOUN",
        "vd": "VERB ADV",
        "vg": "VERB",
        "a": "ADJ",
        "ad": "ADJ ADV",
        "an": "ADJ NOUN",
        "b": "ADJ",
        "z": "ADJ",
        "m": "NUM",
        "q": "NOUN",
        "r": "PRON DET",
        "p": "ADP",
        "c": "CCONJ SCONJ",
        "d": "ADV",
        "uj": "PART SCONJ",
        "ul": "AUX",
        "uz": "AUX",
        "ug": "AUX",
        "uv": "PART SCONJ",
        "u": "PART",
        "i": "VERB NOUN ADJ",
        "l": "VERB NOUN ADV",
        "j": "NOUN PROPN",
        "k": "PART",
        "eng": "X PROPN",
        "zg": "PART ADV",
    },
}
"""UD tags that each tag stands for. A tagset that is not here is that of UD."""
Annotate = Callable[[Sequence[str]], Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class GoldWord:
    """A word of a treebank. ``start`` and ``end``: its place in the sentence, shared by the words of one token."""

    form: str
    lemma: str
    upos: str
    start: int
    end: int

    @property
    def is_counted(self) -> bool:
        """Whether the word is no sign."""
        return self.upos not in SIGNS and bool(_LETTER.search(self.form))


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """Figures of one library on one test set. None: not measured."""

    test_set: str
    library: str
    words: int
    base: float | None
    lemma: float | None
    vert: float | None
    tag: float | None
    rate: int
    load: float
    memory: int


def sentences(path: Path) -> Iterator[tuple[str, list[GoldWord]]]:
    """Yield the text and the words of each sentence."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and not line.startswith("#")]
        text, words, last = "", list[GoldWord](), 0
        start = end = 0
        for number, form, lemma, upos, *_, misc in rows:
            if "." in number:
                continue
            whole = "-" in number
            if whole or int(number) > last:
                start, end = len(text), len(text) + len(form)
                text += form if "SpaceAfter=No" in misc else f"{form} "
                last = int(number.partition("-")[2] or number)
            if not whole:
                words.append(GoldWord(form, lemma, upos, start, end))
        if words:
            yield text, words


def compared(text: str, language: str) -> str:
    """Return a lemma as it is compared."""
    text = unicodedata.normalize("NFC", text).casefold().replace("_", " ").replace("\u200c", "").strip()
    if language in FOLDED_POINTS:
        plain = (each for each in text if not unicodedata.combining(each) and each not in "ـ`")
        text = "".join(plain).replace("ٱ", "ا")
    if language == "hi":
        text = unicodedata.normalize("NFD", text).replace("\u093c", "")
    return text.replace("ё", "е") if language == "ru" else text


def means_tag(tag: str, upos: str, tagset: str) -> bool:
    """Return whether a tag of a library stands for a tag of UD."""
    known = TAGS.get(tagset)
    return tag == upos if known is None else upos in known.get(tag.partition("-")[0], "").split()


def tokens_of(text: str) -> list[tuple[str, int, int]]:
    """Return the tokens of vertical text with their places in the text."""
    found = []
    at = 0
    for token in _SEPARATORS.split(tokenised(text).strip()):
        at = text.index(token, at)
        found.append((token, at, at + len(token)))
        at += len(token)
    return found


def is_right(lemma: str, words: Sequence[GoldWord], language: str) -> bool | None:
    """Return whether a lemma is that of a content word of the words of a token. None if it has none of several."""
    content = [each for each in words if each.upos not in FUNCTION_WORDS] if len(words) > 1 else words
    if not content:
        return None
    return compared(lemma, language) in {compared(each.lemma, language) for each in content}


def share(hits: Sequence[bool]) -> float | None:
    """Return the share that is true, None of nothing."""
    return round(sum(hits) / len(hits), 4) if hits else None


def in_vertical_text(gold: Sequence[tuple[str, list[GoldWord]]], annotator: Annotator) -> float | None:
    """Return the share of the tokens of vertical text with the right lemma."""
    hits = list[bool]()
    for text, words in gold:
        tokens = tokens_of(text)
        for (_, start, end), found in zip(tokens, annotator([token for token, _, _ in tokens]), strict=True):
            inside = [each for each in words if each.is_counted and each.start < end and each.end > start]
            right = is_right(found.lemma, inside, annotator.language) if inside and inside[0].lemma != "_" else None
            hits += [] if right is None else [right]
    return share(hits)


def measure(path: Path, number: int) -> AccuracyRow:
    """Measure one annotator of the language of a file: its number in `annotators`."""
    language = path.name.partition("_")[0]
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    annotator = annotators(language)[number]()
    annotator([path.stem])
    load = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    gold = list(sentences(path))
    forms = [[each.form for each in words] for _, words in gold]
    started = time.process_time()
    found = [annotator(each) for each in forms]
    seconds = time.process_time() - started
    pairs = [
        (word, annotation)
        for (_, words), annotations in zip(gold, found, strict=True)
        for word, annotation in zip(words, annotations, strict=True)
        if word.is_counted
    ]
    has_lemma, has_tag = LEMMA in annotator.attributes, TAG in annotator.attributes
    same = partial(compared, language=language)
    lemmas = [(word, each.lemma) for word, each in pairs if has_lemma and word.lemma != "_"]
    return AccuracyRow(
        path.name.removesuffix(".conllu"),
        annotator.library,
        len(pairs),
        share([same(word.form) == same(word.lemma) for word, _ in lemmas]),
        share([same(lemma) == same(word.lemma) for word, lemma in lemmas]),
        in_vertical_text(gold, annotator) if lemmas and language not in CHOICES else None,
        share([means_tag(each.tag, word.upos, annotator.tagset) for word, each in pairs if has_tag]),
        round(sum(map(len, forms)) / max(seconds, 1e-9)),
        round(load, 2),
        round(memory / 1024),
    )


def in_a_process(path: Path, number: int) -> AccuracyRow:
    """Measure one annotator in a process of its own, so that memory and loading are those of one library."""
    command = [sys.executable, __file__, str(path), "--number", str(number)]
    return AccuracyRow(**json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))


def _simplemma(language: str) -> Annotator:
    from importlib.metadata import version

    return Annotator(language, f"simplemma {version('simplemma')}", (LEMMA,), "", load_simplemma(language))


def _pythainlp(corpus: str) -> Annotator:
    from importlib.metadata import version

    from pythainlp.tag import pos_tag

    def annotate(tokens: Sequence[str]) -> list[tuple[str, str]]:
        return [("", tag) for _, tag in pos_tag(list(tokens), corpus=corpus)]

    return Annotator("th", f"pythainlp {version('pythainlp')} ({corpus})", (TAG,), "UD", annotate)


def _rjieba() -> Annotator:
    from importlib.metadata import version

    import rjieba

    def annotate(tokens: Sequence[str]) -> list[tuple[str, str]]:
        places, at = {}, 0
        for word, tag in rjieba.tag("".join(tokens)):
            places[at, at + len(word)] = tag
            at += len(word)
        found, at = [], 0
        for token in tokens:
            found.append(("", places.get((at, at + len(token))) or rjieba.tag(token)[-1][1]))
            at += len(token)
        return found

    return Annotator("zh", f"rjieba {version('rjieba')}", (TAG,), "ICTCLAS", annotate)


REJECTED: Mapping[str, Sequence[Callable[[], Annotator]]] = {
    "ar": (partial(_simplemma, "ar"),),
    "he": (partial(_simplemma, "he"),),
    "ru": (partial(_simplemma, "ru"),),
    "th": (partial(_pythainlp, "tud"), partial(_pythainlp, "pud"), partial(_pythainlp, "tdtb")),
    "zh": (_rjieba,),
}
"""Libraries that are not in the table of choices, by language."""


def annotators(language: str) -> list[Callable[[], Annotator]]:
    """Return functions that load the annotators of a language: the chosen one, then the others."""

    def chosen() -> Annotator:
        found = annotator_of(language)
        assert found is not None
        return found

    return [*([chosen] if language in ANNOTATORS else []), *REJECTED.get(language, ())]


def table(rows: Sequence[AccuracyRow]) -> str:
    """Draw the rows."""
    names = ("test set", "library", "words", "base", "lemma", "vert", "tag", "rate", "load", "memory")
    cells = [
        [
            f"{each:.1%}" if isinstance(each, float) and name in {"base", "lemma", "vert", "tag"} else str(each or "")
            for name, each in asdict(row).items()
        ]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in (names, *cells))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--number", type=int, help="Measure this annotator on the file DIR, in this process.")
    options = parser.parse_args()
    if options.number is not None:
        print(json.dumps(asdict(measure(options.folder, options.number))))
        return
    work = []
    for path in sorted(options.folder.glob("*.conllu")):
        language = path.name.partition("_")[0]
        if not options.language or language in options.language:
            work += [(path, number) for number in range(len(annotators(language)))]
    rows = [in_a_process(path, number) for path, number in work]
    print(json.dumps([asdict(row) for row in rows]) if options.json else table(rows))


if __name__ == "__main__":
    main()
