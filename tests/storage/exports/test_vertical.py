"""Vertical text, prevertical and TEI: read back, they equal the input, for any content of a page."""

from __future__ import annotations

import io
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from storage.exports.formats import tei, vertical
from storage.records import ATTRIBUTE, GLUE
from tests.storage.exports.test_release import a_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.documents.model import CorpusDocument

TEI = "{http://www.tei-c.org/ns/1.0}"
ODD = 'a\u2028b\u2029c\x85d\x00e\x0bf\ud800g <p> &amp; "q" ]]> \ufffe'


def written(write: Callable[..., None], *documents: CorpusDocument) -> str:
    stream = io.BytesIO()
    write(documents, stream)
    return stream.getvalue().decode()


def sentences_of(text: str) -> list[list[str]]:
    """Read vertical text again: the tokens of each sentence."""
    found: list[list[str]] = []
    for line in text.split("\n"):
        if line == "<s>":
            found.append([])
        elif line and not line.startswith("<"):
            found[-1].append(unescape(line))
    return found


def read_back(text: str) -> list[tuple[dict[str, str], list[list[list[str]]]]]:
    """Read vertical text as a concordancer does: attributes of each document, its paragraphs, words of glued tokens."""
    found: list[tuple[dict[str, str], list[list[list[str]]]]] = []
    glued = False
    for line in text.split("\n")[:-1]:
        if line.startswith("<doc"):
            found.append(({key: unescape(value) for key, value in re.findall(r'(\w+)="([^"]*)"', line)}, []))
        elif line.startswith("<p"):
            found[-1][1].append([])
        elif line == "<g/>":
            glued = True
        elif line != "<s>" and not line.startswith("</"):
            assert "<" not in line
            words = found[-1][1][-1]
            words[-1].append(unescape(line)) if glued else words.append([unescape(line)])
            glued = False
    return found


def test_tokens_glue_and_attributes(tmp_path: object) -> None:
    """A token a line; ``<g/>`` where nothing stood between; entities for what is mark-up."""
    document = a_document(1, 'Say \x1f"hi\x1f"\nA<b', kinds="hp", title='x" y="<>\n')
    text = written(vertical.write, document)
    assert '<p type="heading">\n<s>\nSay\n"hi\n<g/>\n"\n</s>\n</p>\n' in text
    assert '<p type="paragraph">\n<s>\nA&lt;b\n</s>\n</p>\n</doc>\n' in text
    ((attributes, paragraphs),) = read_back(text)
    assert ' title="x&quot; y=&quot;&lt;&gt;"' in text
    assert attributes["title"] == 'x" y="<>'
    assert attributes["id"] == document.id
    assert paragraphs == [[["Say"], ['"hi', '"']], [["A<b"]]]


@settings(max_examples=200, deadline=None)
@given(
    st.text(
        st.one_of(st.characters(exclude_characters=ATTRIBUTE), st.sampled_from('\x1f\x1e \n<>&"\u2028\x00\ud800')),
        max_size=60,
    ).map(lambda text: text.replace("\x1e\x1f", "\x1e")),
    st.text(max_size=20),
)
def test_any_text_comes_back_from_vertical_text(text: str, title: str) -> None:
    """Documents, paragraphs, words and tokens are those that went in. No line is one too many."""
    ((_, paragraphs),) = read_back(written(vertical.write, a_document(1, text, title=title)))
    clean = re.sub("[\x00-\x09\x0b-\x1e\x7f\x85\u2028\u2029]", " ", re.sub("[\ud800-\udfff]", "\ufffd", text))
    expected = [
        [[t for t in w.split("\x1f") if t] for w in re.split(r"[^\S\x1f]+", line)] for line in clean.split("\n")
    ]
    assert paragraphs == [[word for word in line if word] for line in expected]


def test_a_paragraph_of_five_megabytes_is_no_trouble() -> None:
    """Every word of it comes back, in all three."""
    document = a_document(1, "từ ngữ " * 700_000)
    ((_, (words,)),) = read_back(written(vertical.write, document))
    assert len(words) == 1_400_000
    assert written(vertical.write_prevertical, document).count("ngữ") == 700_000
    parser = etree.XMLParser(huge_tree=True)
    root = etree.fromstring(written(tei.write, document).encode(), parser)
    assert len(root.findtext(f".//{TEI}body/{TEI}p/{TEI}s")) > 4_000_000


@pytest.mark.parametrize("write", [vertical.write, vertical.write_prevertical])
def test_odd_characters_break_no_line(write: Callable[..., None]) -> None:
    """Each character that a reader takes for the end of a line is gone."""
    text = written(write, a_document(1, ODD, title=ODD))
    assert text.splitlines() == text.split("\n")[:-1]
    assert len([line for line in text.split("\n") if line.startswith(("<doc", "<p", "</doc", "</p"))]) == 4


def test_tei_is_xml_for_any_text() -> None:
    """Headers, kinds and texts; what XML cannot hold is U+FFFD, everything else as it was."""
    documents = [a_document(1, f"Head\n{ODD}", kinds="hp", title=ODD, author="A & B"), a_document(2, date=None)]
    root = etree.fromstring(written(tei.write, *documents).encode())
    first, second = root.findall(f"{TEI}TEI")
    assert first.get("{http://www.w3.org/XML/1998/namespace}id") == f"d{documents[0].id}"
    paragraphs = first.findall(f".//{TEI}body/{TEI}p")
    assert [each.get("rend") for each in paragraphs] == ["heading", None]
    assert "".join(paragraphs[1].itertext()) == re.sub("[\x00\x0b\ud800\ufffe]", "\ufffd", ODD)
    assert first.findtext(f".//{TEI}author") == "A & B"
    assert [each.get("when") for each in first.findall(f".//{TEI}bibl/{TEI}date")] == ["2026-03-02T00:00:00Z"]
    assert second.findtext(f".//{TEI}publicationStmt/{TEI}date") == "unknown"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_makes_well_formed_tei(text: str) -> None:
    etree.fromstring(written(tei.write, a_document(1, text, title=text, author=text, url=text)).encode())


@pytest.mark.parametrize(
    ("scripts", "present", "absent"),
    [
        (["Arab", "Latn"], ["RIGHTTOLEFT 1"], ["ATTRIBUTE lc"]),
        (["Latn"], ["ATTRIBUTE lc"], ["RIGHTTOLEFT"]),
        (["Thai"], ["ATTRIBUTE word"], ["ATTRIBUTE lc", "RIGHTTOLEFT"]),
        ([], ["STRUCTURE doc"], ["ATTRIBUTE lc"]),
    ],
)
def test_the_registry_knows_the_script(scripts: list[str], present: list[str], absent: list[str]) -> None:
    """Right to left where it runs so; lower case only where there is one."""
    text = vertical.registry('news "x"', "data/a.vert", scripts, right_to_left={"Arab"})
    assert all(words in text for words in (*present, 'NAME "news _x_"'))
    assert not any(words in text for words in absent)


TAG = re.compile(r'<(/?)(\w+)((?: \w+="[^"<>]*")*)(/?)>')


def structures_of(text: str) -> dict[str, set[str]]:
    """Read vertical text as strictly as its compiler: structures that are closed in order, with their attributes."""
    found: dict[str, set[str]] = {}
    opened: list[str] = []
    for line in text.removesuffix("\n").split("\n"):
        tag = TAG.fullmatch(line)
        assert tag or (line and not set(line) & set("<>\t")), line
        if tag and tag[1]:
            assert opened.pop() == tag[2]
        elif tag:
            found.setdefault(tag[2], set()).update(re.findall(r'(\w+)="', tag[3]))
            opened += [] if tag[4] else [tag[2]]
    assert not opened
    return found


def test_the_registry_declares_the_structures_and_attributes_there_are() -> None:
    """What is not declared is lost when the corpus is compiled, what is declared and never there stops it."""
    reported = {"title": ODD, "author": "A & B", "licence": "CC", "url": "https://a.example/?b=<&c", "duplicates": 2}
    reported["authors"] = ("A & B", "C")
    odd = a_document(1, f"Head\n{ODD}\x1etwo\x1fglued", kinds="hp", **reported)
    used = structures_of(written(vertical.write, odd, a_document(2, "plain", kinds="")))
    declared: dict[str, set[str]] = {}
    registry = vertical.registry("n", "p", ["Latn"])
    for block in re.findall(r"^STRUCTURE .*?(?=^STRUCTURE |\Z)", registry, re.MULTILINE | re.DOTALL):
        declared[block.split()[1]] = set(re.findall(r"^  ATTRIBUTE (\w+)", block, re.MULTILINE))
    assert used == declared


@pytest.mark.parametrize(
    ("authors", "attribute"),
    [
        (("Ann Lee",), ' authors="Ann Lee"'),
        (("Ann Lee", "Nguyễn Văn A"), ' authors="Ann Lee|Nguyễn Văn A"'),
        (('A "B" <C>', "D|E"), ' authors="A &quot;B&quot; &lt;C&gt;|D E"'),
        ((), ""),
    ],
)
def test_authors_are_one_attribute_with_several_values(authors: tuple[str, ...], attribute: str) -> None:
    """The registry names the separator, which no value has."""
    line = written(vertical.write, a_document(1, "a", authors=authors)).partition("\n")[0]
    assert attribute in line
    assert ("authors=" in line) == bool(attribute)
    declared = '  ATTRIBUTE authors {\n    MULTIVALUE y\n    MULTISEP "|"\n  }\n'
    assert declared in vertical.registry("n", "p", ["Latn"])


def test_rows_without_kinds_have_plain_paragraphs() -> None:
    made: Any = written(vertical.write, a_document(1, "a"))
    assert "<p>\n<s>\na\n</s>\n</p>\n" in made


def test_sentences_are_marked_and_keep_what_stood_between() -> None:
    """A sentence stands between its tags; white space and glue between two stand in neither."""
    text = written(vertical.write, a_document(1, "A \x1f.\x1e B\x1f。\x1e\x1fC\n\nD"))
    assert sentences_of(text) == [["A", "."], ["B", "。"], ["C"], ["D"]]
    assert "。\n</s>\n<g/>\n<s>\nC\n</s>\n</p>\n<p>\n</p>\n" in text
    assert "STRUCTURE s\n" in vertical.registry("n", "p", ["Latn"])
    root = etree.fromstring(written(tei.write, a_document(1, "A. \x1e B。\x1eC\n\nD")).encode())
    paragraphs = root.findall(f".//{TEI}body/{TEI}p")
    assert [[each.text for each in paragraph] for paragraph in paragraphs] == [["A. ", "B。", "C"], [], ["D"]]
    assert ["".join(each.itertext()) for each in paragraphs] == ["A.  B。C", "", "D"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a b", "a\nb"),
        ("a\x1fb", "a\n<g/>\nb"),
        ("a  b", "a\nb"),
        ("a\xa0b\u3000c", "a\nb\nc"),
        ("a\x1f\x1fb", "a\n<g/>\nb"),
        ("a \x1fb\x1f c", "a\nb\nc"),
        ("a\x1f \x1f  \x1fb", "a\nb"),
        (" a\x1f", "a"),
    ],
)
def test_white_space_of_any_kind_separates_tokens_once(text: str, tokens: str) -> None:
    """Glue beside a space is none, and several separators are one."""
    assert f"<p>\n<s>\n{tokens}\n</s>\n</p>\n" in written(vertical.write, a_document(1, text))


def test_lemma_and_tag_are_columns() -> None:
    """Each after a tab, escaped as the token is. The prevertical has none."""
    row = a_document(1, "Go/go/V|,/,/X fast/<quick>/A".replace("/", ATTRIBUTE).replace("|", GLUE))
    lines = written(vertical.write, row).splitlines()
    assert lines[2:7] == ["<s>", "Go\tgo\tV", "<g/>", ",\t,\tX", "fast\t&lt;quick&gt;\tA"]
    assert "\t" not in written(vertical.write_prevertical, row)


def test_the_registry_file_has_the_attributes_of_annotated_text_only() -> None:
    """After the word and its small letters, in the order of the columns, also if no language has an annotator."""
    assert "ATTRIBUTE lemma" not in vertical.registry("n", "p", ["Arab"])
    annotated = vertical.registry(
        "n", "p", ["Arab"], {"th": "words"}, annotations={"fa": "lemma (some 1)", "ur": "none"}
    )
    assert "\nATTRIBUTE word\nATTRIBUTE lemma\nATTRIBUTE tag\n\n" in annotated
    assert 'INFO "Tokens of th: words. Lemmas and tags of fa: lemma (some 1), ur: none"' in annotated
    assert "ATTRIBUTE lemma" in vertical.registry("n", "p", ["Arab"], annotations={})
