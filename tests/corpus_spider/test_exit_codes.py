"""Exit codes: one for each way in which the program ends, with its reason in one table."""

from __future__ import annotations

import pytest

from corpus_spider.cli.app import run
from corpus_spider.exit_codes import REASONS
from corpus_spider.sites.page_request import NotFetchedError
from storage import errors

ERRORS = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.CorpusError)]


@pytest.mark.parametrize("error", [*ERRORS, NotFetchedError])
def test_the_code_of_each_error_is_in_the_table(error: type[errors.CorpusError]) -> None:
    """An error cannot end the program with a code that has no reason."""
    assert error.exit_code in REASONS


def test_the_help_of_crawl_lists_the_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """Each on its own line, with the reason; 6 and 141 are not codes of a crawl."""
    assert run(["crawl", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = {
        int(code): reason for code, _, reason in (line.strip().partition("  ") for line in lines) if code.isdigit()
    }
    assert listed == {code: reason for code, reason in REASONS.items() if code not in {6, 141}}
