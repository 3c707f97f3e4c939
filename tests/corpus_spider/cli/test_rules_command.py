"""`rules try`, and rules on their way through a corpus: crawl, status, reextract, health."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from corpus_spider.cli.app import cli
from corpus_spider.cli.options import CommonOptions
from corpus_spider.config.loader import load
from corpus_spider.lab import evaluate_extractors
from corpus_spider.lab.gold import GoldPage
from corpus_spider.sites.rule_trial import attempt
from corpus_spider.sites.single_page import ExtractRequest, extract
from storage.corpus import Corpus
from storage.errors import ConfigError
from storage.records import SiteRules
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, paragraphs, served
from tests.corpus_spider.running import ROOT, run, well

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = "Chính quyền địa phương cho biết nhiều công trình mới được xây dựng ở miền trung trong năm nay. "
PAGE = f"""<html lang=vi><head><title>Công trình mới</title></head><body><h1>Công trình mới</h1>
<div class=body><p>{SENTENCE * 3}</p><div class=ad>Mua ngay hôm nay</div><p>{SENTENCE * 4}</p></div></body></html>"""
TOML = """
[corpus]
contact = "tests@example.org"
[[site]]
name = "paper"
start = ["https://www.a.example/"]
[site.rules]
content = ".body"
remove = ".ad"
[[site]]
name = "plain"
start = ["https://news.a.example/"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a page and the rules of its site."""
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "corpus.toml").write_text(TOML)
    return tmp_path


def tried(folder: Path, *arguments: str) -> dict[str, object]:
    """Try rules on the page and return the JSON."""
    options = ["-c", str(folder), "rules", "try", str(folder / "page.html"), "--json", *arguments]
    done = CliRunner().invoke(cli, options, obj=CommonOptions(), catch_exceptions=False)
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("arguments", "site", "rules", "unmatched"),
    [
        (["--site", "paper"], "paper", {"content": 1, "remove": 1}, []),
        (["--url", "https://a.example/1"], "paper", {"content": 1, "remove": 1}, []),
        (["--site", "paper", "--date", "time", "--remove", ""], "paper", {"content": 1, "date": 0}, ["date"]),
        (["--url", "https://news.a.example/1", "--content", "p"], "plain", {"content": 2}, []),
        (["--title", "h1"], "", {"title": 1}, []),
    ],
    ids=["by name", "by URL", "changed on the command line", "a site without rules", "without a site"],
)
def test_a_trial_shows_what_each_rule_selects(
    folder: Path, arguments: list[str], site: str, rules: dict[str, int], unmatched: list[str]
) -> None:
    """The rules are those of the site with this name or at this URL, changed by the command line."""
    found = tried(folder, *arguments)
    assert (found["site"], found["unmatched"]) == (site, unmatched)
    assert {one["rule"]: one["elements"] for one in found["rules"]} == rules  # type: ignore[attr-defined]
    assert SENTENCE.strip() in found["document"]["text"]  # type: ignore[index]


def test_a_trial_warns_of_a_rule_without_a_match(folder: Path) -> None:
    """The table has the first words of each selection, then the text, and the warning is on standard error."""
    done = run(folder, "rules", "try", "page.html", "--site", "paper", "--date", ".none")
    assert done.returncode == 0
    assert "remove\t.ad\t1\tMua ngay hôm nay\n" in done.stdout
    assert "date\t.none\t0\t" in done.stdout
    assert "warning: the rule date matches nothing on this page" in done.stderr


@pytest.mark.parametrize(
    ("site", "given", "message"),
    [
        ("", {"content": "div["}, '--content: expected a CSS selector, got "div["'),
        ("plain", {}, "there are no rules to try"),
        ("none", {"content": "p"}, 'there is no site "none"'),
        ("paper", {"content": "", "remove": ""}, "there are no rules to try"),
    ],
)
def test_a_trial_that_cannot_be_made_says_why(folder: Path, site: str, given: dict[str, str], message: str) -> None:
    """A wrong selector, no rule, and an unknown site are errors before the page is read."""
    names = ("content", "remove", "title", "authors", "date", "standfirst")
    with pytest.raises(ConfigError) as error:
        attempt("missing.html", load(folder), site, {name: given.get(name) for name in names}, ExtractRequest())
    assert message in str(error.value)


def test_a_file_of_no_known_site_asks_for_its_site(folder: Path) -> None:
    """Sites have rules, but nothing says which of them the file is a page of."""
    done = run(folder, "rules", "try", "page.html")
    assert done.returncode == 2
    assert "no site is known for this page" in done.stderr
    assert "Name its site with --site or --url" in done.stderr


def test_extract_reads_a_page_as_its_site_says(folder: Path) -> None:
    """With a named extractor no rule selects the text, but elements are removed all the same."""
    config, page, url = load(folder), str(folder / "page.html"), "https://a.example/1"
    of_site = extract(page, ExtractRequest(url=url), config).document
    named = extract(page, ExtractRequest("density", url=url), config).document
    other = extract(page, ExtractRequest(), config).document
    assert of_site is not None
    assert named is not None
    assert other is not None
    assert (of_site.extractor, named.extractor) == ("rules", "density")
    assert "Mua ngay" not in of_site.text + named.text
    assert (other.rules, named.rules) == (None, SiteRules(remove=".ad").note({"remove": 1}))


def test_new_rules_reach_stored_pages(tmp_path: Path) -> None:
    """`status` counts the texts of other rules, `reextract` makes them again, and then there are none left."""
    with served(Newspaper(articles=6)) as newspaper:
        toml = corpus_toml(newspaper)
        (tmp_path / "corpus.toml").write_text(toml)
        well(tmp_path, "crawl")
        (tmp_path / "corpus.toml").write_text(
            f'{toml}[site.rules]\ncontent = "article p:first-of-type"\ntitle = "h1"\n'
        )
    before = json.loads(run(tmp_path, "status", "--json").stdout)
    assert before["other_rules"] == {"newspaper": before["documents"]}
    assert "made with other rules" in run(tmp_path, "status").stdout
    done = json.loads(run(tmp_path, "reextract", "--json").stdout)
    assert (done["other_rules"], done["changed"] > 0) == (before["documents"], True)
    assert json.loads(run(tmp_path, "status", "--json").stdout)["other_rules"] == {}
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        found = {one.url.rpartition("/")[2]: one for one in corpus.documents()}
    assert found["1"].text == paragraphs(1)[0]
    assert (found["1"].extractor, found["1"].title_source) == ("rules", "rules")
    assert (found["1"].rules or "").endswith(" content=1 title=1")
    (tmp_path / "corpus.toml").write_text(f'{toml}[site.rules]\nremove = "p"\n')
    # The pages that would lose their text are named.
    tried = json.loads(run(tmp_path, "reextract", "--dry-run", "--json").stdout)
    assert tried["lost"] == len(tried["lost_urls"]) > 0
    reported = run(tmp_path, "reextract", "--dry-run").stdout
    assert f"# lost_urls\nlost urls\n{tried['lost_urls'][0]}\n" in reported
    assert f"other_rules_before\t{before['documents']}\n" in reported


def test_extractors_are_scored_on_the_page_without_removed_elements(folder: Path) -> None:
    """`evaluate` applies the rules of a site of corpus.toml to its pages, except the one that selects the text."""
    gold = folder / "gold"
    for name in ("html", "true"):
        (gold / name).mkdir(parents=True)
    (gold / "html" / "one.html").write_text(PAGE)
    (gold / "true" / "one.txt").write_text(f"{SENTENCE * 3}\n{SENTENCE * 4}")
    (page,) = [GoldPage("one", "vi", gold / "html" / "one.html", gold / "true" / "one.txt", url="https://a.example/1")]
    texts: list[str] = []
    for config in (None, load(folder)):
        evaluate_extractors([page], ["bte"], keep=lambda _name, _page, text, _: texts.append(text), config=config)
    assert ["Mua ngay" in text for text in texts] == [True, False]


def test_the_how_to_page_is_right(tmp_path: Path) -> None:
    """Its rules are read, and the message that it shows for a wrong selector is the real one."""
    page = (ROOT / "docs" / "how-to" / "rules-for-a-site.md").read_text()
    (toml,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "corpus.toml").write_text(toml)
    assert len(load(tmp_path).site_model(load(tmp_path).sites[0]).rules.given) == 6
    (tmp_path / "corpus.toml").write_text(toml.replace("div.article-body", "div["))
    with pytest.raises(ConfigError) as error:
        load(tmp_path)
    assert error.value.what in page
