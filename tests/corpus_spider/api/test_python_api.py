"""The Python interface: extract a page, open a corpus, read it as documents and data frames."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

import corpus_spider as cs
from corpus_spider.api.filters import DocumentFilters
from corpus_spider.api.tables import Concordance, Rows, html_table
from corpus_spider.cli import app
from storage.documents.selection import DIMENSIONS, SelectionKeywords
from storage.errors import ConfigError
from storage.exports.formats.parquet import schema
from storage.fields import FIELDS
from tests.corpus_spider.running import environment
from tests.corpus_spider.web.page_corpus import ARABIC, CONFIG, THAI, VIETNAMESE, Served, article, build
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EVIL = '<script>alert(1)</script> & "x"'
PAGES = [
    Served("vi.html", article(VIETNAMESE, f"Giá xăng {EVIL}")),
    Served("copy.html", article(VIETNAMESE, f"Giá xăng {EVIL}"), day=1),
    Served("ar.html", article(ARABIC, "الوقود", language="ar"), day=2),
    Served("th.html", article(THAI, "น้ำมัน", language="th", head='<meta name="tdm-reservation" content="1">'), day=3),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of four pages, one of them a duplicate and one reserved."""
    made = tmp_path_factory.mktemp("news")
    build(made, PAGES)
    return made


@pytest.fixture
def corpus(folder: Path) -> Iterator[cs.Corpus]:
    with cs.open(folder) as opened:
        yield opened


@pytest.mark.parametrize("html", [PAGES[0].html, PAGES[0].html.encode(), bytearray(PAGES[0].html.encode())])
def test_extract_returns_text_and_metadata_under_the_names_of_an_export(html: Any) -> None:
    """From a str or bytes; a value is a key and an attribute; a value of the corpus is an AttributeError."""
    document = cs.extract(html, "https://a.example/vi.html")
    assert document.text.split("\n") == list(VIETNAMESE)
    assert (document["language"], document.language, document.date) == ("vi", "vi", "2026-03-01T08:00:00+07:00")
    assert (document.drop, document.tdm) == (None, None)
    reserved = cs.extract(html, headers={"TDM-Reservation": "1", "tdm-policy": "https://a.example/terms"})
    assert (reserved.tdm, reserved.tdm_source, reserved.tdm_policy) == (1, "header", "https://a.example/terms")
    names = [*(field.name for field in FIELDS), "drop"]
    assert list(document) == [name for name in names if name in document]
    with pytest.raises(AttributeError, match="only a document of a corpus"):
        _ = document.site
    json.dumps(document)


def test_extract_takes_the_charset_of_the_headers_for_bytes_and_none_for_text() -> None:
    """A page without a declaration; a str is decoded already, with any header of the response."""
    html = f"<html lang=vi><title>Xăng</title><article>{''.join(f'<p>{line}</p>' for line in VIETNAMESE)}</article>"
    headers = {"content-type": "text/html; charset=windows-1258", "Content-Encoding": "gzip"}
    expected = "\n".join(VIETNAMESE)
    assert (
        cs.extract(html.encode("utf-16-le"), headers={"Content-Type": "text/html; charset=utf-16le"}).text == expected
    )
    assert cs.extract(html, headers=headers).text == expected


def test_extract_gives_a_page_that_a_crawl_would_drop_with_the_reason() -> None:
    """A short text is there, and ``drop`` says why a crawl would not keep it."""
    short = cs.extract("<html lang=en><title>A</title><article><p>The bridge is open again.</p></article>")
    assert (short.text, short.drop) == ("The bridge is open again.", "no_article (25 characters)")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("<p>",), {}, "blank"),
        ((PAGES[0].html,), {"language": "ar"}, r"the page gives no text: language \(vi\)"),
        ((PAGES[0].html,), {"language": "klingon"}, "language: expected a language code"),
        ((PAGES[0].html,), {"extractor": "magic"}, "magic"),
        ((PAGES[0].html, "ftp://a.example/"), {}, "url: .*only http and https"),
        ((None,), {}, "html: expected .* bytes, got NoneType"),
        (("page.html",), {}, "html: expected the HTML of a page, got text without an element: 'page.html'"),
    ],
)
def test_extract_says_what_is_wrong(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    """Each error is a CorpusError that names the argument."""
    with pytest.raises(cs.CorpusError, match=message):
        cs.extract(*arguments, **options)


def test_the_filters_are_the_options_of_export() -> None:
    """Each filter is an option of `corpus-spider export`, under its name."""
    options = {name for one in app.cli.commands["export"].params for name in one.opts}
    assert [name for name in DocumentFilters.__annotations__ if f"--{name.replace('_', '-')}" not in options] == []
    assert list(SelectionKeywords.__annotations__) == [dimension.name for dimension in DIMENSIONS]


@pytest.mark.parametrize(
    ("filters", "options"),
    [
        ({}, ()),
        ({"language": "ar"}, ("--language", "ar")),
        ({"language": ["ar", "th"], "site": "a.example"}, ("--language", "ar,th", "--site", "a.example")),
        ({"since": date(2026, 3, 1), "until": "2026-03-01"}, ("--since", "2026-03-01", "--until", "2026-03-01")),
        ({"since": datetime(2027, 1, 1, tzinfo=UTC), "until": None}, ("--since", "2027-01-01")),
        ({"since": "2026-03", "until": "2026-03"}, ("--since", "2026-03", "--until", "2026-03")),
        ({"extractor": ["auto", "bte"]}, ("--extractor", "auto,bte")),
        ({"extractor": "bte"}, ("--extractor", "bte")),
        ({"without_reserved": True}, ("--without-reserved",)),
        ({"include_duplicates": True, "min_chars": 400}, ("--include-duplicates", "--min-chars", "400")),
        ({"fold": "tatweel,digits", "sample": "50%"}, ("--fold", "tatweel,digits", "--sample", "50%")),
        ({"quality": "default", "min_confidence": 0.1}, ("--quality", "default", "--min-confidence", "0.1")),
        ({"require_licence": True}, ("--require-licence",)),
        ({"fields": ["url", "text"]}, ("--fields", "url,text")),
        ({"fields": "minimal"}, ("--fields", "minimal")),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else None,
)
def test_documents_are_the_lines_of_an_export(
    folder: Path, tmp_path: Path, corpus: cs.Corpus, filters: dict[str, Any], options: tuple[str, ...]
) -> None:
    """The same documents in the same order, with the same values, for each filter."""
    target = tmp_path / "export.jsonl"
    assert app.run(["-c", str(folder), "export", "-o", str(target), *options]) == 0
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    documents = list(corpus.documents(**filters))
    assert all(document.fetched_at.tzinfo is UTC for document in documents if "fetched_at" in document)
    assert json.loads(json.dumps(documents, default=lambda moment: f"{moment:%Y-%m-%dT%H:%M:%SZ}")) == lines
    assert corpus.to_arrow(**filters).num_rows == len(lines)


def test_a_corpus_counts_the_documents_that_it_yields(corpus: cs.Corpus) -> None:
    """Without the duplicate; the corpus itself can be iterated, more than once."""
    assert len(corpus) == len(list(corpus)) == len(list(corpus.documents())) == 3
    assert len(list(corpus.documents(include_duplicates=True))) == 4
    first = next(corpus.documents())
    assert corpus.find(first.id) == first == corpus.find(first.url)
    assert corpus.find("https://a.example/none") is None


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"langauge": "vi"}, r'no filter "langauge" \(did you mean language'),
        ({"site": "b.example"}, 'no site "b.example"'),
        ({"extractor": "boilerpype"}, 'there is no extractor "boilerpype"'),
        ({"site": " "}, "site: expected a name, got an empty text"),
        ({"title_words": "!"}, 'title_words: "!" has no word'),
        ({"language": "klingon"}, "language: expected a language code"),
        ({"language": [1]}, "language: expected a text or a list"),
        ({"since": "yesterday"}, 'since: expected a day such as "2026-11-20"'),
        ({"since": 2026}, "since: expected a day"),
        ({"since": "2026-02-01", "until": "2026-01-01"}, "since: 2026-02-01 is after until"),
        ({"min_chars": "many"}, "min_chars: expected a whole number"),
        ({"min_chars": -1}, "min_chars: expected a whole number from 0 to 1,000,000,000, got -1"),
        ({"min_confidence": float("nan")}, "min_confidence: expected a number from 0 to 1, got nan"),
        ({"versions": "newest"}, "versions: expected one of first, last, all"),
        ({"sample": "half"}, "sample: expected a part"),
        ({"fold": "everything"}, "fold: there is no fold"),
        ({"fields": ["url", "txt"]}, 'fields: there is no field "txt"'),
        ({"without_reserved": 1}, "without_reserved: expected True or False"),
    ],
    ids=str,
)
def test_a_wrong_filter_is_an_error_at_the_call(corpus: cs.Corpus, filters: dict[str, Any], message: str) -> None:
    """Not an empty result, and not at the first document; data frames check alike."""
    for method in (corpus.documents, corpus.to_arrow, corpus.to_batches):
        with pytest.raises(ConfigError, match=message):
            method(**filters)


def test_data_frames_have_the_columns_of_an_export(corpus: cs.Corpus) -> None:
    """Arrow has the schema of Parquet; pandas and Polars make a column of each field, also from the documents."""
    names = [field.name for field in FIELDS]
    table = corpus.to_arrow()
    assert table.schema == schema()
    assert table.num_rows == 3
    assert table.column("text").to_pylist() == [document.text for document in corpus]
    reader = corpus.to_batches(language="ar")
    assert [batch.num_rows for batch in reader] == [1]
    need("data")
    import pandas

    assert list(pandas.DataFrame(corpus.documents()).columns) == names
    frame = corpus.to_pandas(language="th")
    assert (list(frame.columns), list(frame["language"]), str(frame["fetched_at"].dtype)[:10]) == (
        names,
        ["th"],
        "datetime64",
    )


def test_polars_has_the_columns_of_an_export(corpus: cs.Corpus) -> None:
    """Directly, and from the documents."""
    need("data")
    import polars

    names = [field.name for field in FIELDS]
    assert corpus.to_polars(language=["vi", "ar"]).columns == names
    assert polars.DataFrame(list(corpus.documents())).columns == names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_an_error_with_the_line_that_installs_it(
    corpus: cs.Corpus, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    """Before a document is read."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=f"to_{library}: {library} is not installed\n  pip install {library} "):
        getattr(corpus, f"to_{library}")()


@pytest.mark.parametrize("where", ["", "corpus.toml", "corpus.db", "url"])
def test_a_corpus_opens_by_folder_configuration_database_and_address(folder: Path, where: str) -> None:
    """The file of the database gets the corpus.toml beside it; an address stands alone."""
    place = f"sqlite:///{folder / 'corpus.db'}" if where == "url" else folder / where
    with cs.open(place) as corpus:
        assert len(corpus) == 3
        assert repr(corpus) == f"<Corpus {'corpus.db' if where == 'url' else 'news'}: 3 documents in vi, ar, th>"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("empty", "has no corpus.toml\n  Name a folder"),
        ("none", "none: cannot be read: No such file"),
        ("new", "there is no corpus yet\n  Run `corpus-spider crawl` first"),
        ("note.txt", "is not TOML"),
        ("sqlite:///none.db", "there is no corpus"),
    ],
)
def test_a_place_without_a_corpus_is_an_error_and_stays_as_it_is(tmp_path: Path, place: str, message: str) -> None:
    """Nothing is made there."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "corpus.toml").write_text(CONFIG)
    (tmp_path / "note.txt").write_text("hello")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(cs.CorpusError, match=message):
        cs.open(place if "://" in place else tmp_path / place)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_corpus_is_read_only_and_says_when_it_is_closed(folder: Path) -> None:
    """The database refuses a change; after the with statement each method says what to do."""
    with cs.open(folder) as corpus:
        with pytest.raises(cs.CorpusError, match="readonly"):
            corpus.store.documents.set_licences({"a.example": "none"})
        reader = corpus.documents()
    assert repr(corpus) == "<Corpus news, closed>"
    with pytest.raises(cs.CorpusError, match="news: the corpus is closed\n  Open it again"):
        corpus.documents()
    with pytest.raises(cs.CorpusError, match="closed"):
        len(corpus)
    corpus.close()
    del reader


def test_a_removed_text_is_gone(tmp_path: Path) -> None:
    """Documents, data frames and look-ups have a text no more after `corpus-spider remove`."""
    ids = build(tmp_path, PAGES)
    assert app.run(["-c", str(tmp_path), "remove", "--yes", "--url", "https://a.example/ar.html", "--reason", "x"]) == 0
    with cs.open(tmp_path) as corpus:
        assert {document.language for document in corpus} == {"vi", "th"}
        assert corpus.find(ids["ar.html"]) is None
        assert ids["ar.html"] not in corpus.to_arrow().column("id").to_pylist()


def test_search_and_words_return_rows_for_tables(tmp_path: Path) -> None:
    """Each line with its document; each word with its counts; the totals beside them."""
    need("web")
    build(tmp_path, PAGES)
    with cs.open(tmp_path) as corpus:
        lines = corpus.search('"giá xăng"', limit=5)
        assert {row["keyword"].lower() for row in lines} == {"giá xăng"}
        assert lines.totals["documents"] == 1
        assert corpus.find(lines[0]["id"])
        assert corpus.search("xăng", language="ar").totals["documents"] == 0
        assert corpus.search("xăng", since="2026-03-02").totals["documents"] == 0
        assert corpus.search("xăng", min_chars=10**6).totals["documents"] == 0
        words = corpus.words(language="vi", limit=3)
        assert list(words[0]) == ["word", "frequency", "per_million", "documents", "dispersion"]
        assert len(words) == 3
        assert corpus.words("giá", language="vi")[0]["month"] == "2026-03"
        assert isinstance(corpus.words(language="vi", against="rest"), Rows)
        for wrong, message in (
            (lambda: corpus.search("("), "bracket"),
            (lambda: corpus.search("x", limit=0), "limit: expected a whole number"),
            (lambda: corpus.search("x", order="best"), 'order: there is no order "best"'),
            (lambda: corpus.words(against="most"), "against: expected a selection"),
            (lambda: corpus.words("a", around="b"), "exclude each other"),
            (lambda: corpus.words(window=3), "window, side, min_frequency and measure are for collocates"),
            (lambda: corpus.search("a", extractor="boilerpype"), 'there is no extractor "boilerpype"'),
            (lambda: corpus.words(by="month"), 'expected words to count and by="month"'),
            (lambda: corpus.words("a", by="year"), 'expected words to count and by="month"'),
            (lambda: corpus.words(language="he"), "no document in the index matches"),
            (
                lambda: corpus.words(min_chars=5),
                "min_chars: the counts of words cannot select by it\n  Use one of language, ",
            ),
            (lambda: corpus.search("x", versions="all"), "versions: the search index cannot select by it"),
            (lambda: corpus.search("x", langauge="vi"), 'search: there is no filter "langauge" .did you mean language'),
            (lambda: corpus.words(against="since=x"), "against: since: expected a day"),
        ):
            with pytest.raises(ConfigError, match=message):
                wrong()


def test_notebook_tables_escape_the_text_of_pages(corpus: cs.Corpus) -> None:
    """Corpus, document and rows: no tag of a page reaches the notebook."""
    document = next(each for each in corpus if each.language == "vi")
    assert EVIL in (document.title or "")
    rows = Rows([{"title": document.title, "count": 12345, "none": None, "many": ["a", "<b>"]}] * 30, {"documents": 7})
    for shown in (corpus._repr_html_(), document._repr_html_(), rows._repr_html_()):
        assert "<script" not in shown
        assert shown.count("<table>") == shown.count("</table>") > 0
    assert "&lt;script&gt;" in document._repr_html_()
    assert "12,345" in rows._repr_html_()
    assert "10 more rows" in rows._repr_html_()
    assert repr(rows) == "<Rows 30 rows, 7 documents>"
    assert html_table((), [("<", 1)]).count("&lt;") == 1


def test_a_concordance_has_its_keywords_in_the_middle() -> None:
    """Left, keyword and right in the order of the script, escaped, with a link to a page of the web only.

    The direction of a table is that of its columns, so lines from right to left have their own.
    """
    row = {
        "left": "a < b",
        "keyword": "giá",
        "right": "xăng " * 50,
        "url": "https://a.example/x?a=1&b=2",
        "title": EVIL,
    }
    arabic = {"left": "من", "keyword": "الحكومة", "right": "قالت", "url": "javascript:alert(1)", "title": None}
    foreign = arabic | {"keyword": "COVID-19", "left": "بعد انتشار"}
    rows = [arabic, row | {"site": "a", "day": "2026-03-01"}, foreign]
    shown = Concordance(rows, {"documents": 2})._repr_html_()
    second, first = shown.split("<table ")[1:]
    assert first.startswith('dir="ltr"')
    assert second.startswith('dir="rtl"')
    assert (first.count("<tr>"), second.count("<tr>")) == (1, 2)
    assert second.index("بعد انتشار") < second.index("<b>COVID-19</b>")
    assert first.index("a &lt; b") < first.index("<b>giá</b>") < first.index("xăng") < first.index("a 2026-03-01")
    assert 'href="https://a.example/x?a=1&amp;b=2"' in first
    assert "<script" not in shown
    assert "javascript:" not in second
    assert len(first) < 900


def test_a_corpus_can_be_pickled(folder: Path) -> None:
    """The copy opens it again, in this process or another one; its methods are generators for data sets."""
    with cs.open(folder) as corpus:
        copy, documents = pickle.loads(pickle.dumps((corpus, corpus.documents)))
        assert list(copy) == list(corpus)
        assert list(documents()) == list(corpus.documents())
        assert pickle.dumps(corpus) == pickle.dumps(copy)
        copy.close()
        documents.__self__.close()


def test_the_package_is_imported_without_its_heavy_parts() -> None:
    """`import corpus_spider` loads no library; each name loads what it needs."""
    program = (
        "import sys; before = set(sys.modules); import corpus_spider as cs; "
        "loaded = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(len(loaded - {'corpus_spider'} - sys.stdlib_module_names)); "
        "print(sorted(set(cs.__all__) - set(dir(cs)))); print(hasattr(cs, 'nothing'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.split() == ["0", "[]", "False"]
