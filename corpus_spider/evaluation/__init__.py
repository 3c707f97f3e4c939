"""How good the texts are: extractors or a corpus against pages with their true text, as a table or JSON."""

from corpus_spider.evaluation.evaluate import PageScore, Report, evaluate_corpus, evaluate_texts
from corpus_spider.evaluation.gold import GoldPage, load_gold
from corpus_spider.evaluation.report import as_json, render
from corpus_spider.evaluation.scores import Score, score

__all__ = [
    "GoldPage",
    "PageScore",
    "Report",
    "Score",
    "as_json",
    "evaluate_corpus",
    "evaluate_texts",
    "load_gold",
    "render",
    "score",
]
