"""Signs of a failing site: the last night compared with usual nights, in words that a person can act on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from corpus_spider.monitoring.advice import next_command
from corpus_spider.monitoring.model import HealthThresholds, Matches, Night, Sign, SiteCase, SiteProblem
from corpus_spider.monitoring.site_checks import judge, nights_of
from storage.frontier.sources import SourceState
from storage.records import Kind, UrlState
from storage.runs.site_runs import SiteRun

NOW = datetime(2026, 11, 21, 6, tzinfo=UTC)
GOOD = {"found": 60, "fetched": 80, "articles": 40, "short": 2, "undated": 1, "duplicates": 2, "language": 1}


def runs(*nights: dict[str, Any], code: int | None = 0) -> list[SiteRun]:
    """Return one run for each night, the last one four hours ago. Each is a good run except for the changes."""
    made = []
    for at, changes in enumerate(nights):
        started = NOW - timedelta(hours=4, days=len(nights) - 1 - at)
        made.append(SiteRun("paper", run_id=at + 1, **{"started": started, "exit_code": code} | GOOD | changes))
    return made


def found(*nights: dict[str, Any], rule: HealthThresholds | None = None) -> list[SiteProblem]:
    return judge(SiteCase("paper", nights_of(runs(*nights))), rule or HealthThresholds(), NOW)


def counts(*articles: int) -> list[dict[str, Any]]:
    return [{"articles": count} for count in articles]


@pytest.mark.parametrize(
    ("reasons", "rendered", "reason", "words"),
    [
        ({"script_only": 12}, False, "script_only", "; 24 of 24 lost pages: script_only ("),
        ({"script_only": 12}, False, "script_only", "What helps: `render = true` in the [[site]]"),
        ({"script_only": 12}, True, "script_only", "see `render`)"),
        ({"script_only": 7, "listing": 5, "feed": 90, "same_page": 30}, False, "script_only", "14 of 24 lost pages"),
        ({"worker_timeout": 9, "listing": 1}, False, "worker_timeout", "What helps: a longer `page_timeout`"),
        ({"short": 7, "no_text": 4, "listing": 2}, False, "no_article", "22 of 26 lost pages: no_article ("),
        ({"short": 9}, False, "no_article", "What helps: `min_chars`, if the texts are short"),
        ({"paywall": 9}, False, "paywall", "; 18 of 18 lost pages: paywall (a page for subscribers)"),
        ({"script_only": 6, "listing": 6}, False, "", "usually there are 4 a night"),
        ({"script_only": 1}, False, "", "usually there are 4 a night"),
        ({}, False, "", "usually there are 4 a night"),
    ],
)
def test_silence_names_the_reason_that_most_lost_pages_share(
    reasons: dict[str, int], rendered: bool, reason: str, words: str
) -> None:
    """And the setting that helps; a small paper whose layout turns into scripts is silent."""
    small = {"found": 6, "fetched": 8, "articles": 4, "short": 0, "undated": 0, "duplicates": 0, "language": 0}
    last = small | {"articles": 0, "no_text": sum(reasons.values()) and 8, "reasons": reasons}
    case = SiteCase("paper", nights_of(runs(*[small] * 5, last, last)), rendered=rendered)
    silent = next(each for each in judge(case, HealthThresholds(), NOW) if each.sign is Sign.SILENT)
    assert (silent.reason, words in silent.words) == (reason, True)
    wanted = f"dropped --site paper --reason {reason}" if reason else "sites check paper"
    assert next_command(silent) == wanted


@pytest.mark.parametrize(
    ("last", "sign", "words"),
    [
        ({}, None, ""),
        ({"articles": 0}, Sign.SILENT, "no new article in the last night; usually there are 40 a night"),
        ({"articles": 7}, Sign.SILENT, "7 new articles in the last night; usually there are 40 a night"),
        ({"articles": 9}, None, ""),
        (
            {"refused": 30, "reasons": {"firewall": 20, "http_403": 10, "listing": 3}},
            Sign.REFUSED,
            "the server refused 30 of 80 requests (firewall 20, http_403 10); usually 0%",
        ),
        (
            {"failed": 40, "reasons": {"timeout": 39, "body_corrupt": 1, "http_404": 2}},
            Sign.UNREACHABLE,
            "could not be reached: 40 of 120 attempts failed (timeout 39, body_corrupt 1); usually 0%",
        ),
        ({"http_errors": 30, "reasons": {"http_404": 30}}, Sign.ERRORS, "30 of 80 responses are errors (http_404 30)"),
        (
            {"no_text": 30, "reasons": {"listing": 8}},
            Sign.TEXT_LOST,
            "40 of 80 pages give no text (listing 8); usually 5%",
        ),
        (
            {"no_text": 30, "reasons": {"worker_error": 28, "worker_timeout": 2}},
            Sign.PROCESSING,
            "the extractor failed on 30 of 73 pages (worker_error 28, worker_timeout 2)",
        ),
        ({"undated": 38}, Sign.UNDATED, "38 of 40 documents have no date; usually 2%"),
        ({"language": 40}, Sign.LANGUAGE, "40 of 80 texts are in a language that is not wanted; usually 2%"),
        ({"duplicates": 30}, Sign.DUPLICATES, "30 of 40 documents are duplicates; usually 5%"),
        ({"undated": 10}, None, ""),
        (
            {"versions": 9, "reasons": {"shortened": 8}},
            Sign.SHORTENED,
            "8 of 9 changed articles now show only a part of their text",
        ),
        ({"versions": 9, "reasons": {"shortened": 2}}, None, ""),
    ],
)
def test_a_night_is_compared_with_the_usual_of_its_site(last: dict[str, Any], sign: Sign | None, words: str) -> None:
    """Each sign alone, named exactly, with the numbers."""
    judged = found(*[{}] * 5, last)
    assert [finding.sign for finding in judged] == ([sign] if sign else [])
    assert all(finding.words.startswith(words) for finding in judged)


@pytest.mark.parametrize(
    ("articles", "silent"),
    [
        ((40, 40, 0), False),
        ((40, 40, 40, 0), True),
        ((40, 40, 40, 0, 0, 0, 0), True),
        ((40,) * 14 + (0,) * 60, True),
        ((0, 0, 0), True),
        ((0, 0), True),
        ((40, 40, 0, 0, 40, 40, 40, 40, 40, 0, 0), False),
        ((40, 40, 0, 0, 40, 40, 40, 40, 40, 0, 0, 0), True),
        ((2, 1, 2, 3, 0, 0), False),
        ((2, 1, 2, 3, 0, 0, 0), True),
        ((40, 40, 40, 0, 0, 38), False),
        ((30, 50, 22, 61, 12), False),
        ((3, 0, 0, 0, 0, 2, 0, 0, 0), False),
    ],
    ids=str,
)
def test_silence_is_reported_until_it_ends_and_pauses_are_none(articles: tuple[int, ...], silent: bool) -> None:
    """Three nights are needed, but of a site that never gave an article none; weekends and small papers are waited for;
    a dead site does not become usual.
    """
    judged = found(*counts(*articles))
    assert [finding.sign for finding in judged if finding.sign is Sign.SILENT] == [Sign.SILENT] * silent


def test_a_list_of_pages_comes_to_its_end() -> None:
    """That is no silence, unless it never gave an article."""
    for articles, sick in (((40, 40, 40, 0, 0), []), ((0, 0, 0), [Sign.SILENT])):
        judged = judge(SiteCase("list", nights_of(runs(*counts(*articles))), listed=True), HealthThresholds(), NOW)
        assert [finding.sign for finding in judged] == sick


def test_a_long_silence_says_for_how_many_nights() -> None:
    """The streak is counted."""
    (finding,) = found(*counts(40, 42, 38, 0, 0, 1))
    assert finding.words == "1 new article in 3 nights; usually there are 40 a night"


@pytest.mark.parametrize("code", [None, 11, 3])
def test_a_night_that_was_broken_off_says_nothing_of_articles(code: int | None) -> None:
    """Neither is it silent, nor does it count for the usual of others."""
    good, broken = runs(*[{}] * 4), runs({"articles": 0}, code=code)
    assert judge(SiteCase("paper", nights_of([*good[:-1], *broken])), HealthThresholds(), NOW) == []
    after = [structs.replace(run, exit_code=code, articles=0) if run.run_id in {1, 2} else run for run in good]
    assert (
        judge(
            SiteCase("paper", nights_of([*after[:-1], structs.replace(good[-1], articles=0)])), HealthThresholds(), NOW
        )
        == []
    )


@pytest.mark.parametrize(
    ("night", "sign"),
    [
        ({"fetched": 5, "refused": 4}, Sign.REFUSED),
        ({"fetched": 0, "failed": 3}, Sign.UNREACHABLE),
        ({"fetched": 10, "http_errors": 10}, Sign.ERRORS),
        ({"fetched": 9, "no_text": 2, "reasons": {"worker_error": 2}}, None),
        ({"fetched": 9, "articles": 9, "no_text": 3, "reasons": {"worker_error": 3}}, Sign.PROCESSING),
        ({"fetched": 2, "refused": 2}, None),
        ({"fetched": 10, "refused": 5}, None),
    ],
)
def test_what_is_wrong_in_any_night_needs_no_earlier_ones(night: dict[str, Any], sign: Sign | None) -> None:
    """Nearly all refused, failed or in error is reported in the first night; a part is not."""
    assert [finding.sign for finding in found({"articles": 1} | night)] == ([sign] if sign else [])


def test_a_level_that_stays_becomes_the_usual() -> None:
    """A site without dates is reported for as many nights as are compared, and then no more."""
    rule = HealthThresholds(nights=5)
    undated = {"undated": 40}
    assert "for 5 nights" in found(*[{}] * 5, *[undated] * 5, rule=rule)[0].words
    assert found(*[{}] * 5, *[undated] * 6, rule=rule) == []


@pytest.mark.parametrize(
    ("articles", "reason", "state", "signs"),
    [
        (14, "http_404", UrlState.DONE, []),
        (14, "http_500", UrlState.DONE, [Sign.ERRORS]),
        (0, "http_404", UrlState.DONE, [Sign.ERRORS]),
        (14, "http_404", UrlState.FAILED, [Sign.ERRORS]),
    ],
)
def test_dead_links_in_articles_are_no_sign_while_the_sources_yield(
    articles: int, reason: str, state: UrlState, signs: list[Sign]
) -> None:
    counts = {"fetched": 300, "http_errors": 280, "articles": articles, "reasons": {reason: 280}}
    case = SiteCase("paper", nights_of(runs(counts)), [(STATE.url, replace(STATE, state=state))])
    assert [one.sign for one in judge(case, HealthThresholds(), NOW) if one.sign is Sign.ERRORS] == signs


def test_runs_of_one_evening_are_one_night() -> None:
    """A crawl that was stopped and went on is compared as a whole."""
    first, second = (structs.replace(run, articles=20) for run in runs({}, {}))
    evening = [structs.replace(first, started=second.started - timedelta(hours=2), exit_code=11), second]
    (night,) = nights_of(evening)
    assert (night.total("articles"), night.whole, night.started) == (40, True, second.started)
    hourly = [structs.replace(first, started=NOW - timedelta(hours=hours)) for hours in range(47, -1, -1)]
    assert [len(each.runs) for each in nights_of(hourly)] == [12, 12, 12, 12]


@pytest.mark.parametrize(
    ("days", "codes", "words"),
    [
        (2, [0], ""),
        (5, [0], "no crawl of this site has finished for 5 days, since 2026-11-16"),
        (1, [11, None], ""),
        (5, [None], "no crawl of this site has finished yet"),
        (1, [11, 4], "no crawl of this site has finished yet"),
        (5, [11], "no crawl of this site has finished yet"),
        (1, [None, 11], ""),
        (1, [13], ""),
        (0, [], "never crawled"),
    ],
)
def test_a_site_that_is_not_crawled_any_more_is_reported(days: int, codes: list[int | None], words: str) -> None:
    """The last run that finished decides, with or without new documents."""
    started = NOW - timedelta(days=days)
    nights = [Night((SiteRun("paper", run_id=1, started=started, exit_code=code),)) for code in codes]
    judged = [
        one.words for one in judge(SiteCase("paper", nights), HealthThresholds(), NOW) if one.sign is Sign.NOT_CRAWLED
    ]
    assert judged == ([words] if words else [])


STATE = SourceState(
    url="https://paper.example/feed",
    kind=Kind.FEED,
    state=UrlState.DONE,
    reason="feed",
    read_at=(NOW - timedelta(hours=4)).timestamp(),
    news_at=(NOW - timedelta(days=2)).timestamp(),
    due=NOW.timestamp(),
    failures=0,
    outcome="drop",
    detail="20 links",
)
LONG_AGO = {
    "read_at": datetime(2026, 11, 1, tzinfo=UTC).timestamp(),
    "due": datetime(2026, 11, 2, tzinfo=UTC).timestamp(),
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"reason": "http_404", "failures": 1}, "feed is gone: http_404 (last read 2026-11-21)"),
        ({"reason": "http_410", "read_at": 0.0}, "feed is gone: http_410 (never read)"),
        (
            {"reason": "redirect_refused", "failures": 1, "read_at": 0.0, "detail": "https://new.example/"},
            "feed redirects out of the site, to https://new.example/ (never read)",
        ),
        ({"state": UrlState.FAILED, "reason": "robots"}, "feed may not be fetched: robots"),
        ({"state": UrlState.FAILED, "reason": "http_503", "failures": 1}, ""),
        (
            {"state": UrlState.FAILED, "reason": "http_503", "failures": 2},
            "feed failed 2 times in a row: http_503 (last read 2026-11-21)",
        ),
        ({"reason": "firewall", "failures": 3}, "feed failed 3 times in a row: firewall (last read 2026-11-21)"),
        ({"state": UrlState.PENDING, "reason": "dns"}, ""),
        (
            {"state": UrlState.PENDING, "reason": "dns"} | LONG_AGO,
            "feed was due in 4 nights and was not read: dns (last read 2026-11-01)",
        ),
        ({"state": UrlState.FAILED, "reason": "removed", "failures": 2}, ""),
        ({"site": "paper"}, ""),
        ({"detail": "0 links"}, "feed has no links to the site, or is not a feed"),
        ({"kind": Kind.SITEMAP, "detail": "0 links, broken"}, "sitemap is broken: it lists no URL"),
        ({"kind": Kind.PAGE, "reason": "listing", "detail": "90% of the text is links"}, ""),
        (
            {"news_at": datetime(2026, 9, 1, tzinfo=UTC).timestamp()},
            "feed has had nothing new since 2026-09-01",
        ),
        ({"news_at": datetime(2026, 9, 1, tzinfo=UTC).timestamp(), "kind": Kind.SITEMAP}, ""),
    ],
)
def test_a_dead_source_is_named_even_when_its_site_is_well(changes: dict[str, Any], words: str) -> None:
    """With its address, what is wrong, and when it was last read."""
    sources = [("https://paper.example/feed", replace(STATE, **changes)), ("https://paper.example/new", None)]
    judged = judge(SiteCase("paper", nights_of(runs(*[{}] * 4)), sources), HealthThresholds(), NOW)
    assert [(one.sign, one.url, one.words) for one in judged] == (
        [(Sign.SOURCE, "https://paper.example/feed", words)] if words else []
    )


@pytest.mark.parametrize(
    ("counts", "stand", "sign"),
    [
        ({"refused": 1, "fetched": 1}, {"reason": "http_403", "failures": 1}, Sign.REFUSED),
        ({"http_errors": 1, "fetched": 1}, {"reason": "http_500", "failures": 1}, Sign.ERRORS),
        ({"failed": 1, "fetched": 0}, {"state": UrlState.PENDING, "reason": "dns"}, Sign.UNREACHABLE),
        ({"refused": 1, "fetched": 1}, {}, None),
        ({"language": 10, "fetched": 11}, {}, Sign.LANGUAGE),
        ({"language": 10, "fetched": 12, "articles": 1}, {}, None),
        ({"language": 2, "fetched": 3}, {}, None),
        ({"fetched": 1, "no_text": 1}, {"kind": Kind.PAGE, "reason": "script_only", "news_at": 0.0}, Sign.SOURCE),
        ({"fetched": 1, "no_text": 1}, {"kind": Kind.PAGE, "reason": "script_only"}, Sign.SOURCE),
        ({"fetched": 2, "no_text": 1, "found": 1}, {"kind": Kind.PAGE, "reason": "script_only"}, None),
        ({"fetched": 5, "short": 4}, {}, Sign.SILENT),
        ({"fetched": 4, "short": 4}, {}, None),
        ({"fetched": 5, "short": 4, "exit_code": 12}, {}, None),
        ({"fetched": 5, "short": 4, "exit_code": 4}, {}, Sign.NOT_CRAWLED),
        ({"fetched": 5, "refused": 5, "exit_code": 11}, {}, None),
        ({"fetched": 5, "failed": 5, "reasons": {"timeout": 5}}, {}, Sign.SILENT),
        ({"fetched": 2, "failed": 1}, {"state": UrlState.PENDING, "reason": "network"}, Sign.UNREACHABLE),
        ({"robots": 1}, {"state": UrlState.PENDING, "reason": "crawl_delay"}, Sign.SOURCE),
        ({"fetched": 1, "short": 1}, {"kind": Kind.PAGE, "reason": "no_article"}, Sign.SOURCE),
        (
            {"fetched": 2, "found": 1, "reasons": {"redirect": 1}},
            {"kind": Kind.PAGE, "reason": "redirect"},
            Sign.SOURCE,
        ),
        ({"fetched": 1, "found": 1}, {"kind": Kind.PAGE, "reason": "listing"}, None),
        ({"fetched": 1}, {"kind": Kind.PAGE, "reason": "", "outcome": "document"}, None),
        ({"fetched": 13, "articles": 12, "duplicates": 11}, {}, Sign.DUPLICATES),
        ({"fetched": 9, "articles": 9, "duplicates": 9}, {}, None),
    ],
)
def test_a_site_of_which_nothing_can_be_had_is_sick_in_its_first_night(
    counts: dict[str, int], stand: dict[str, Any], sign: Sign | None
) -> None:
    """Refused, in a language that is not wanted, a shell for scripts, one text everywhere, no article in what came; a
    little of it where a source is well is not.
    """
    nothing = dict.fromkeys(GOOD, 0) | counts
    sources = [("https://paper.example/feed", replace(STATE, **stand))]
    judged = judge(SiteCase("paper", nights_of(runs(nothing)), sources), HealthThresholds(), NOW)
    assert [one.sign for one in judged] == ([sign] if sign else [])


def test_a_site_without_an_article_is_reported_with_what_came_instead() -> None:
    """The commonest reasons, by which `dropped` lists them; and where sources lead that lead nowhere."""
    nothing = dict.fromkeys(GOOD, 0) | {"fetched": 13, "reasons": {"short": 9, "redirect_refused": 3, "listing": 1}}
    (finding,) = found(nothing)
    assert finding.words == "no article yet in 13 responses (short 9, redirect_refused 3, listing 1)"
    page = replace(STATE, kind=Kind.PAGE)
    states = [
        replace(page, reason="no_article", detail="7 characters"),
        replace(page, reason="redirect", detail="https://paper.example/?cookie=1"),
        replace(page, reason="redirect_refused", detail="itself", read_at=0.0),
        replace(STATE, state=UrlState.PENDING, reason="crawl_delay"),
    ]
    sources = [(f"https://paper.example/{at}", state) for at, state in enumerate(states)]
    judged = judge(SiteCase("paper", nights_of(runs(nothing)), sources), HealthThresholds(), NOW)
    assert [one.words for one in judged] == [
        "page has no text and no link that may be followed: no_article",
        "page redirects without end, to https://paper.example/?cookie=1; it may require cookies",
        "page redirects to itself; it may require cookies (never read)",
        "feed may not be fetched: crawl_delay",
    ]


def test_a_quiet_night_after_a_night_without_an_article_is_not_well() -> None:
    """A start page that has not changed is all that is fetched. The pages of the night before still gave nothing."""
    first = dict.fromkeys(GOOD, 0) | {"fetched": 9, "reasons": {"http_403": 4, "firewall": 4, "listing": 1}}
    quiet = dict.fromkeys(GOOD, 0) | {"fetched": 2, "reasons": {"same_payload": 1, "firewall": 1}}
    (finding,) = judge(SiteCase("paper", nights_of(runs(first, quiet))), HealthThresholds(), NOW)
    assert finding.words == "no article yet in 11 responses (firewall 5, http_403 4, listing 1)"
    assert judge(SiteCase("paper", nights_of(runs(quiet, quiet))), HealthThresholds(), NOW) == []


def test_a_private_address_is_reported_with_the_setting_that_allows_it() -> None:
    """The setting is of use only to who runs the host."""
    failed = replace(STATE, state=UrlState.FAILED, reason="private_address")
    judged = judge(
        SiteCase("paper", nights_of(runs(*[{}] * 4)), [("http://10.0.0.1/feed", failed)]), HealthThresholds(), NOW
    )
    words = "feed may not be fetched: private_address; if the host is yours, add it to `allow_private`"
    assert [one.words for one in judged] == [words]


@pytest.mark.parametrize(("reason", "why"), [("robots_unreachable", "robots_unreachable"), ("", "no run reached it")])
def test_a_source_that_waits_with_others_of_its_site_is_reported_with_the_reason(reason: str, why: str) -> None:
    """A host that cannot be asked is tried at some of its addresses; of the others nothing is noted."""
    waiting = replace(STATE, state=UrlState.PENDING, reason="", **LONG_AGO)
    sources = [("https://paper.example/", waiting), ("https://paper.example/feed", replace(waiting, reason=reason))]
    judged = judge(SiteCase("paper", nights_of(runs(*[{}] * 4)), sources), HealthThresholds(), NOW)
    assert [one.words.partition(" not read: ")[2].partition(" (")[0] for one in judged] == [why, why]


READ = (NOW - timedelta(hours=30)).timestamp()
DOWN = {"reasons": {"robots_unreachable": 1}}
IDLE = dict.fromkeys(GOOD, 0)


@pytest.mark.parametrize(
    ("last", "reason", "read_at", "words"),
    [
        ([DOWN, DOWN], "robots_unreachable", READ, "feed failed in 2 crawls: robots_unreachable"),
        ([DOWN, IDLE, DOWN, IDLE], "robots_unreachable", READ, "feed failed in 2 crawls: robots_unreachable"),
        ([DOWN, DOWN], "robots_unreachable", 0.0, "feed failed in 2 crawls: robots_unreachable"),
        ([IDLE, DOWN], "robots_unreachable", READ, ""),
        ([DOWN, IDLE, IDLE], "robots_unreachable", READ, ""),
        ([DOWN, DOWN], "host_paused", READ, ""),
        ([DOWN, DOWN], "", READ, ""),
        ([DOWN, DOWN], "robots_unreachable", (NOW - timedelta(hours=1, minutes=30)).timestamp(), ""),
    ],
)
def test_a_source_whose_host_fails_is_reported_after_two_crawls_that_tried_it(
    last: list[dict[str, Any]], reason: str, read_at: float, words: str
) -> None:
    """Crawls of one hour, after a good night. A crawl in which nothing was due is no attempt."""
    good = runs({}, {})[0]
    hours = [NOW - timedelta(hours=len(last) - at) for at in range(len(last))]
    later = [
        SiteRun("paper", run_id=at + 2, **{"started": hour, "exit_code": 0} | IDLE | changes)
        for at, (hour, changes) in enumerate(zip(hours, last, strict=True))
    ]
    pending = replace(
        STATE, state=UrlState.PENDING, reason=reason, read_at=read_at, due=(NOW - timedelta(hours=10)).timestamp()
    )
    judged = judge(
        SiteCase("paper", nights_of([good, *later]), [("https://paper.example/feed", pending)]), HealthThresholds(), NOW
    )
    assert [one.words.partition(" (")[0] for one in judged] == ([words] if words else [])


@pytest.mark.parametrize(
    ("owners", "words"),
    [
        (("old", "old"), 'nothing is crawled: the corpus stores its sources under the name "old"; use that name again'),
        (("old", "paper"), ""),
    ],
)
def test_a_site_whose_sources_are_all_those_of_another_is_reported(owners: tuple[str, str], words: str) -> None:
    """As after a change of its name; where it shares a source it is crawled by the others."""
    sources = [(f"https://paper.example/{at}", replace(STATE, site=owner)) for at, owner in enumerate(owners)]
    judged = judge(SiteCase("paper", nights_of(runs(*[{}] * 4)), sources), HealthThresholds(), NOW)
    assert [(one.sign, one.words) for one in judged] == ([(Sign.SOURCE, words)] if words else [])


def test_a_start_page_of_another_site_is_not_reported_as_one_that_leads_nowhere() -> None:
    """It leads to what that site has. Once its site was renamed, it was said to lead nowhere beside what was wrong."""
    page = replace(STATE, kind=Kind.PAGE, outcome="drop", reason="listing", site="old")
    nothing = runs(dict.fromkeys(GOOD, 0))
    judged = judge(SiteCase("paper", nights_of(nothing), [("https://paper.example/", page)]), HealthThresholds(), NOW)
    assert [one.words.partition(":")[0] for one in judged] == ["nothing is crawled"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(min_value=32, max_value=48), min_size=1, max_size=30), st.integers(3, 20))
def test_ordinary_nights_are_never_sick(articles: list[int], nights: int) -> None:
    """A fifth more or less than usual is nothing to tell."""
    assert found(*counts(*articles), rule=HealthThresholds(nights)) == []


def lost(*matched: tuple[int, int]) -> list[str]:
    """Return the problems of a site of which `content` matched so many of so many documents in each night."""
    matches = {
        at + 1: Matches(all_, {"content": part}, f"https://a.example/{at}") for at, (part, all_) in enumerate(matched)
    }
    nights = nights_of(runs(*[{}] * len(matched)))
    case = SiteCase("paper", nights, rules={"content": ".body", "remove": ".ad"}, matches=matches)
    return [f"{one.words} {one.url}" for one in judge(case, HealthThresholds(nights=3), NOW) if one.sign is Sign.RULES]


LOST = "the rule content (.body) matched none of"


@pytest.mark.parametrize(
    ("matched", "expected"),
    [
        ([(5, 5), (0, 4)], [f"{LOST} 4 documents in the last night; usually 100% https://a.example/1"]),
        ([(5, 5), (4, 5), (0, 9), (0, 4)], [f"{LOST} 4 documents in 2 nights; usually 90% https://a.example/3"]),
        (
            [(0, 9), (5, 5), (5, 5), (5, 5), (0, 4)],
            [f"{LOST} 4 documents in the last night; usually 100% https://a.example/4"],
        ),
        ([(5, 5), (0, 2)], []),
        ([(5, 5), (1, 40)], []),
        ([(2, 5), (0, 40)], []),
        ([(0, 40), (0, 40)], []),
        ([(0, 40)], []),
        ([(2, 2), (0, 40)], []),
        ([], []),
    ],
)
def test_a_rule_that_stops_matching_is_a_sign(matched: list[tuple[int, int]], expected: list[str]) -> None:
    """It matched most documents before. One that never matched, matches some, or has too few documents is no sign."""
    assert lost(*matched) == expected
