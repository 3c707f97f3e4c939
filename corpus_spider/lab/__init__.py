"""Evaluation: score extractors or a corpus against true texts, as tables, JSON or HTML."""

from corpus_spider.lab.evaluate import PageScore, Report, evaluate_corpus, evaluate_texts, score_texts
from corpus_spider.lab.gold import GoldPage, digest, doubts, load_gold
from corpus_spider.lab.report import render
from corpus_spider.lab.score_table import ScoreTables, score_tables
from corpus_spider.lab.scores import Score, score
from corpus_spider.lab.scoring_run import evaluate_extractors

__all__ = [
    "GoldPage",
    "PageScore",
    "Report",
    "Score",
    "ScoreTables",
    "digest",
    "doubts",
    "evaluate_corpus",
    "evaluate_extractors",
    "evaluate_texts",
    "load_gold",
    "render",
    "score",
    "score_tables",
    "score_texts",
]
