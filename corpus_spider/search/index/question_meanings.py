"""What questions mean in the words of a search index, language by language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus_spider.search.index.shard import QuestionMeaning
from corpus_spider.search.question.term import WORD_ATTRIBUTE, looked_up
from corpus_spider.search.question.tree import attributes, side_by_side, terms
from pipelines.text.tokenizer import SPACED_WORDS
from storage import time_limit
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.search.index.made_with import IndexTools
    from corpus_spider.search.index.manifest import Manifest
    from corpus_spider.search.index.shard import Shard
    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import Question

_MAX_FORMS = 2_000
"""Words with a lemma or tag up to which their documents are looked up. A common tag is in all documents."""
_MEANINGS_KEPT = 8


class QuestionMeanings:
    """Looks up the words of questions in an index, and remembers the last ones. Use it from one thread."""

    def __init__(self, manifest: Manifest, shards: Sequence[Shard], made_with: IndexTools) -> None:
        self.manifest, self.shards, self.made_with = manifest, shards, made_with
        self._known: dict[tuple[Question, tuple[str, ...]], dict[QuestionMeaning, list[str]]] = {}

    def of(self, question: Question, wanted: Sequence[str]) -> dict[QuestionMeaning, list[str]]:
        """Return what a question means, with the languages in which it means that.

        Words of the index are looked up by a form that is equal in all languages, then compared in each.
        """
        key = question, tuple(wanted)
        if key not in self._known:
            if len(self._known) >= _MEANINGS_KEPT:
                self._known.clear()
            self._known[key] = self._meaning(question, wanted or self.manifest.languages())
        return self._known[key]

    def _meaning(self, question: Question, languages: Sequence[str]) -> dict[QuestionMeaning, list[str]]:
        self._require_annotated(question, languages)
        near = side_by_side(question)
        looked_up = {term: words for term in terms(question) if (words := self._looked_up(term)) is not None}
        readings: dict[QuestionMeaning, list[str]] = {}
        for language in languages:
            time_limit.check()
            found = {
                # An expression is compared with words as they are written, in any language.
                term: tuple(word for word in words if term.is_expression or term.matches(word, language))
                for term, words in looked_up.items()
            }
            reading = QuestionMeaning(found, near if language in SPACED_WORDS else ())
            readings.setdefault(reading, []).append(language)
        return readings

    def _looked_up(self, term: Term) -> list[str] | None:
        """Return the searched words of the index that a term may mean in some language; None for too many."""
        if term.attribute != WORD_ATTRIBUTE:
            return self._forms(term)
        if term.is_expression:
            return list(term.expressed(self.manifest.searched_words()))
        found = (self.manifest.spellings(start, glob, exact=term.exact) for start, glob in looked_up(term))
        return list(dict.fromkeys(word for words in found for word in words))

    def _forms(self, term: Term) -> list[str] | None:
        """Return the words that have a lemma or tag which a term means; None for more than `_MAX_FORMS`."""
        found: dict[str, None] = {}
        for each in self.shards:
            forms = each.tokens.forms(term, _MAX_FORMS)
            if forms is None:
                return None
            found |= dict.fromkeys(forms)
            if len(found) > _MAX_FORMS:
                return None
        return list(found)

    def _require_annotated(self, question: Question, languages: Sequence[str]) -> None:
        """Raise ConfigError if tokens of no selected language have an attribute of a question."""
        tools = self.made_with
        for attribute in sorted(attributes(question)):
            if languages and not any(attribute in tools.attributes(code) for code in languages):
                known = [code for code, _ in tools.annotators or () if attribute in tools.attributes(code)]
                what = f"the search index has no {attribute} of tokens in the selected languages"
                do = f"Select a language that has it: {', '.join(known)}."
                raise ConfigError(what, where=", ".join(languages), do=do)
